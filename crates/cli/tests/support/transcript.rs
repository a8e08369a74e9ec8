//! What was said between client and server, with everything that chance decides masked in order of first appearance.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Longer texts are kept as their beginning and a fingerprint.
const SHOWN_MAX: usize = 4096;

/// The record of one story.
#[derive(Default)]
pub struct Transcript {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    case: String,
    entries: Vec<String>,
    masks: HashMap<String, String>,
    /// By subject.
    tags: HashMap<String, Vec<String>>,
}

impl Transcript {
    /// Names what comes next.
    pub fn begin(&self, case: &str) {
        self.inner().case = case.to_owned();
    }

    /// What comes next is called this.
    pub fn case(&self) -> String {
        self.inner().case.clone()
    }

    /// Writes down a request and its answer. Entity tags are opaque: what is kept is which tags of one subject are equal.
    /// Those of two subjects may be equal by chance, for each has a clock of its own that jobs move too.
    pub fn record(&self, request: &str, subject: &str, tags: &[&str], answer: &str) {
        let mut inner = self.inner();
        let (request, answer) = (inner.mask(request), inner.mask(answer));
        let mut entry = format!("{}: {request}\n  -> {answer}", inner.case);
        for tag in tags {
            let name = inner.tag(subject, tag);
            entry += &format!("\n  {name}");
        }
        inner.entries.push(entry);
    }

    /// Everything that was said.
    pub fn entries(&self) -> Vec<String> {
        self.inner().entries.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn mask(&mut self, text: &str) -> String {
        shorten(mask(text, |kind, word| self.name(kind, word)))
    }

    fn tag(&mut self, subject: &str, tag: &str) -> String {
        let tags = self.tags.entry(subject.to_owned()).or_default();
        let number = tags.iter().position(|known| known == tag).unwrap_or_else(|| {
            tags.push(tag.to_owned());
            tags.len() - 1
        });
        format!("<tag {}>", number + 1)
    }

    fn name(&mut self, kind: &str, word: &str) -> String {
        let next = self.masks.len() + 1;
        self.masks.entry(word.to_owned()).or_insert_with(|| format!("<{kind} {next}>")).clone()
    }
}

/// The text with every generated word replaced by its kind.
pub fn without_chance(text: &str) -> String {
    mask(text, |kind, _| format!("<{kind}>"))
}

/// Replaces generated ids, secrets, generated branch names and times.
fn mask(text: &str, mut name: impl FnMut(&str, &str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = word_length(rest);
        if length == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        out += &match kind(word) {
            _ if out.ends_with("\"duration_ms\":") => "<duration>".to_owned(),
            Some("node") => masked_node(word),
            Some("time") => "<time>".to_owned(),
            Some(kind) => name(kind, word),
            None => word.to_owned(),
        };
        rest = after;
    }
    out
}

/// How much of the text belongs together: a run of what ids are made of.
fn word_length(text: &str) -> usize {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.bytes().position(|byte| !part(byte)).unwrap_or(text.len())
}

/// What chance made this word, if it did.
fn kind(word: &str) -> Option<&'static str> {
    let hex = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = word.split('-').collect();
    if node(word).is_some() {
        Some("node")
    } else if parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(|(part, length)| hex(part, length)) {
        Some("id")
    } else if hex(word, 32) {
        Some("hash")
    } else if word.starts_with("tk_") {
        Some("secret")
    } else if word.strip_prefix("branch-").is_some_and(|rest| rest.len() == 8) {
        Some("branch")
    } else if word.len() == 13
        && word.parse::<i64>().is_ok_and(|time| (1_600_000_000_000..4_000_000_000_000).contains(&time))
    {
        Some("time")
    } else {
        None
    }
}

/// Where the time and the chance in the name of a call's variable stand: fourteen digits, a dash, seven letters or digits.
fn node(word: &str) -> Option<usize> {
    let at = word.find('-')?.checked_sub(14)?;
    let part = word.get(at..at + 22)?;
    let digits = part[..14].bytes().all(|byte| byte.is_ascii_digit());
    (digits && part[15..].bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())).then_some(at)
}

fn masked_node(word: &str) -> String {
    node(word).map_or_else(|| word.to_owned(), |at| format!("{}<node>{}", &word[..at], &word[at + 22..]))
}

fn shorten(text: String) -> String {
    if text.len() <= SHOWN_MAX {
        return text;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let shown: String = text.chars().take(200).collect();
    format!("{shown}… {} bytes, fingerprint {:x}", text.len(), hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_masked_and_everything_else_is_kept() {
        let one = "0193c1d2-0000-7000-8000-00000000000a";
        let other = "0193c1d2-0000-7000-8000-00000000000b";
        let transcript = Transcript::default();
        transcript.begin("B1");
        let answer = format!(r#"201 {{"id":"{one}","updated_at":1794725201297,"key":"资产","n":42}}"#);
        let tags = ["\"7\"", "\"9\"", "\"7\""];
        transcript.record(&format!("GET /variables/{other}?scope_id=branch:{one}:main"), other, &tags, &answer);
        assert_eq!(
            transcript.entries(),
            [
                "B1: GET /variables/<id 1>?scope_id=branch:<id 2>:main\n  -> 201 {\"id\":\"<id 2>\",\"updated_at\":<time>,\
              \"key\":\"资产\",\"n\":42}\n  <tag 1>\n  <tag 2>\n  <tag 1>"
            ]
        );
    }
}
