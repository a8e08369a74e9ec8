//! A chat file: a line of JSON for the header and one for each message.
//!
//! ```text
//! file   := [header] message*            joined by newlines; old group chats have no header
//! header := {"chat_metadata": …, "user_name": …, "character_name": …, "create_date": …}     1.12 and 1.19 differ in the keys
//! ```
//!
//! A file is read to its end or not at all: a chat that breaks off is an error with the number of the line.

use super::message::{ChatMessage, KEY};
use crate::document::Value;
use crate::json::{JsonErrorKind, JsonText};
use crate::limits::{CHAT_FILE_BYTES_MAX, IMPORTED_DEPTH_MAX, SYNC_FLOORS_MAX};
use crate::literal::{Leniency, read_json5};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Why a chat file cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatError {
    /// The line, from 1; none where it is about the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub kind: ChatErrorKind,
}

/// What can be wrong with a chat file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatErrorKind {
    /// There is nothing in it.
    Empty,
    /// It has too many bytes.
    TooLarge,
    /// It has too many messages.
    TooManyMessages,
    /// It is written in UTF-16, or in nothing that is known.
    Encoding(&'static str),
    /// A line is no JSON.
    NotJson(String),
    /// The last line breaks off.
    Truncated,
    /// A line is JSON, but no message.
    NotMessage(&'static str),
}

impl fmt::Display for ChatError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        match &self.kind {
            ChatErrorKind::Empty => formatter.write_str("the file is empty"),
            ChatErrorKind::TooLarge => write!(formatter, "the file has more than {CHAT_FILE_BYTES_MAX} bytes"),
            ChatErrorKind::TooManyMessages => write!(
                formatter,
                "the chat has more than {SYNC_FLOORS_MAX} messages; split it with a checkpoint and import the parts"
            ),
            ChatErrorKind::Encoding(encoding) => write!(formatter, "the text is {encoding}; save the file as UTF-8"),
            ChatErrorKind::NotJson(why) => write!(formatter, "not JSON ({why})"),
            ChatErrorKind::Truncated => formatter.write_str(
                "the last line breaks off: the file is truncated; copy it again, take a backup, or delete the line",
            ),
            ChatErrorKind::NotMessage(why) => write!(formatter, "not a message of a chat: {why}"),
        }
    }
}

impl std::error::Error for ChatError {}

/// A line of a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// The first one: what is known of the whole chat.
    Header(Value),
    /// Any other.
    Message(Box<ChatMessage>),
}

/// Reads a chat line by line, so that a long one is never a tree as a whole.
#[derive(Debug, Clone)]
pub struct ChatReader<'a> {
    rest: &'a str,
    number: usize,
    messages: usize,
    is_first: bool,
    /// What was put right on the way, as sentences.
    remarks: Vec<String>,
}

impl<'a> ChatReader<'a> {
    /// Looks at the whole file: its length and its encoding.
    pub fn new(file: &'a [u8]) -> Result<ChatReader<'a>, ChatError> {
        let whole = |kind| ChatError { line: None, kind };
        if file.len() > CHAT_FILE_BYTES_MAX {
            return Err(whole(ChatErrorKind::TooLarge));
        }
        if file.starts_with(&[0xff, 0xfe]) || file.starts_with(&[0xfe, 0xff]) {
            return Err(whole(ChatErrorKind::Encoding("UTF-16")));
        }
        let text = match std::str::from_utf8(file) {
            Ok(text) => text,
            Err(error) => {
                let line = 1 + memchr::memchr_iter(b'\n', &file[..error.valid_up_to()]).count();
                // A character that is cut in two at the very end is a file that is.
                let is_cut = error.error_len().is_none();
                let kind = if is_cut { ChatErrorKind::Truncated } else { ChatErrorKind::Encoding("not UTF-8") };
                return Err(ChatError { line: Some(line), kind });
            }
        };
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        if rest.trim().is_empty() {
            return Err(whole(ChatErrorKind::Empty));
        }
        Ok(ChatReader { rest, number: 0, messages: 0, is_first: true, remarks: Vec::new() })
    }

    /// The next line, or none at the end.
    pub fn next_line(&mut self) -> Result<Option<Line>, ChatError> {
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            self.number += 1;
            let line = line.trim();
            if !line.is_empty() {
                return self.read(line).map(Some);
            }
        }
        Ok(None)
    }

    /// What was put right so far, as sentences.
    pub fn remarks(self) -> Vec<String> {
        self.remarks
    }

    fn read(&mut self, line: &str) -> Result<Line, ChatError> {
        let value = self.parse(line)?;
        let is_first = std::mem::take(&mut self.is_first);
        if value.as_object().is_none() {
            return Err(self.error(ChatErrorKind::NotMessage("a line must be a JSON object")));
        }
        if is_first && value.get("mes").is_none() {
            return match is_header(&value) {
                true => Ok(Line::Header(value)),
                false => Err(self.error(ChatErrorKind::NotMessage(
                    "the first line has neither `chat_metadata` nor `user_name` nor `mes`",
                ))),
            };
        }
        self.messages += 1;
        if self.messages > SYNC_FLOORS_MAX {
            return Err(self.error(ChatErrorKind::TooManyMessages));
        }
        match ChatMessage::read(&value) {
            Ok(message) => Ok(Line::Message(Box::new(message))),
            Err(why) => Err(self.error(ChatErrorKind::NotMessage(why))),
        }
    }

    fn parse(&mut self, line: &str) -> Result<Value, ChatError> {
        let error = match JsonText::parse_with_depth(line.as_bytes(), IMPORTED_DEPTH_MAX) {
            Ok(text) => return Ok(Value::from(&text)),
            Err(error) => error,
        };
        // Everything that JavaScript writes and JSON of ours does not hold.
        let mended = match &error.kind {
            JsonErrorKind::LoneSurrogate => {
                Some("half of a character, perhaps of an emoji that was cut off, is replaced".to_owned())
            }
            JsonErrorKind::NumberOutOfRange(number) => Some(format!("the number {number} is rounded")),
            JsonErrorKind::DuplicateKey(key) => Some(format!("the key {key:?} appears twice; the last one counts")),
            _ => None,
        };
        if let Some(mended) = mended
            && let Ok(value) = read_json5(&without_halves(line), Leniency::Exact)
            && value.depth() <= IMPORTED_DEPTH_MAX
        {
            self.remarks.push(format!("line {}: {mended}", self.number));
            return Ok(value);
        }
        let is_syntax = matches!(error.kind, JsonErrorKind::Syntax(_));
        let is_cut = is_syntax && self.rest.trim().is_empty() && error.offset >= line.len() && line.starts_with('{');
        Err(self.error(if is_cut { ChatErrorKind::Truncated } else { ChatErrorKind::NotJson(error.to_string()) }))
    }

    fn error(&self, kind: ChatErrorKind) -> ChatError {
        ChatError { line: Some(self.number), kind }
    }
}

fn is_header(value: &Value) -> bool {
    ["chat_metadata", "user_name", "character_name"].iter().any(|key| value.get(key).is_some())
}

/// The names of the user and of the character in a header. Since 1.19 it says `unused`.
pub fn header_names(header: &Value) -> (Option<&str>, Option<&str>) {
    let name = |key| header.get(key).and_then(Value::as_str).filter(|name| !name.is_empty() && *name != "unused");
    (name("user_name"), name("character_name"))
}

/// The metadata of a session with the header of its chat; whatever else is there stays.
pub fn session_metadata(stored: Option<&Value>, header: Option<&Value>) -> Value {
    let mut metadata = stored.and_then(Value::as_object).cloned().unwrap_or_default();
    // The extension writes the same.
    metadata.set("source".into(), Value::from(KEY));
    match header {
        Some(header) => drop(metadata.set(KEY.into(), header.clone())),
        None => drop(metadata.remove(KEY)),
    }
    Value::Object(Arc::new(metadata))
}

/// JSON in which halves of surrogate pairs, which texts have that broke off inside of an emoji, are replaced.
fn without_halves(line: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let escape = line.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(escape, 16).ok()
    };
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &line.as_bytes()[at..]) {
        at += found;
        match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                out.push_str(&line[done..at]);
                out.push_str("\\ufffd");
                at += 6;
                done = at;
            }
            // An escape is the backslash and at least what stands behind it.
            _ => at = line.ceil_char_boundary((at + 2).min(line.len())),
        }
    }
    if done == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(&line[done..]);
    Cow::Owned(out)
}
