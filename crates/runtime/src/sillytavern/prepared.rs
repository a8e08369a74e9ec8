//! A chat file, read to its end and ready to be stored. Texts are compressed here, before anybody waits for the database.

use super::{ChatCounts, RuntimeError};
use crate::{RuntimeResult, new_ids, text_hash};
use std::collections::HashMap;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{BODY_BYTES_MAX, REPLY_BYTES_MAX, SYNC_SWIPES_MAX, SYNC_SWIPES_TOTAL_MAX};
use tavernkeep_engine::sillytavern::{
    ChatError, ChatErrorKind, ChatMessage, ChatReader, Line, StoredVariables, header_names,
};
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_store::conversation::imports::{ImportedFloor, ImportedPage};
use tavernkeep_store::conversation::sync::{Rests, Text, Texts};

/// A chat.
pub(super) struct PreparedChat {
    /// The first line, of a chat that has one.
    pub(super) header: Option<Value>,
    /// What the character is called, where the file says it.
    pub(super) character_name: Option<String>,
    pub(super) counts: ChatCounts,
    /// Whether the states were written by a card with a Zod schema.
    pub(super) is_zod: bool,
    pub(super) remarks: Vec<String>,
    messages: Vec<PreparedMessage>,
}

struct PreparedMessage {
    role: &'static str,
    name: Option<String>,
    active: usize,
    rest: Text,
    swipes: Vec<PreparedSwipe>,
}

struct PreparedSwipe {
    hash: Hash,
    text: Text,
    rest: Text,
    sent_at: Option<i64>,
}

/// Why a file cannot be imported.
fn refused(error: &ChatError) -> RuntimeError {
    match error.kind {
        ChatErrorKind::TooLarge | ChatErrorKind::TooManyMessages => RuntimeError::ImportTooLarge(error.to_string()),
        _ => RuntimeError::ImportUnreadable(error.to_string()),
    }
}

impl PreparedChat {
    /// Reads a chat file.
    pub(super) fn read(file: &[u8]) -> RuntimeResult<PreparedChat> {
        let mut reader = ChatReader::new(file).map_err(|error| refused(&error))?;
        let mut chat = PreparedChat {
            header: None,
            character_name: None,
            counts: ChatCounts::default(),
            is_zod: false,
            remarks: Vec::new(),
            messages: Vec::new(),
        };
        while let Some(line) = reader.next_line().map_err(|error| refused(&error))? {
            match line {
                Line::Header(header) => {
                    chat.character_name = header_names(&header).1.map(str::to_owned);
                    chat.header = Some(header);
                }
                Line::Message(message) => chat.add(*message)?,
            }
        }
        chat.remarks.splice(0..0, reader.remarks());
        Ok(chat)
    }

    fn add(&mut self, message: ChatMessage) -> RuntimeResult<()> {
        let number = self.messages.len() + 1;
        let ChatMessage { role, name, hidden, active, swipes, rest } = message;
        self.counts.messages += 1;
        self.counts.swipes += swipes.len();
        self.counts.hidden += usize::from(hidden);
        if self.counts.swipes > SYNC_SWIPES_TOTAL_MAX {
            let message = format!("the chat has more than {SYNC_SWIPES_TOTAL_MAX} swipes; delete some in SillyTavern");
            return Err(RuntimeError::ImportTooLarge(message));
        }
        let too_long = |what: &str, length: usize, max: usize| match length > max {
            true => Err(RuntimeError::ImportTooLarge(format!("message {number}: {what} has more than {max} bytes"))),
            false => Ok(()),
        };
        too_long("what belongs to it", rest.as_str().len(), BODY_BYTES_MAX)?;
        if role == "assistant" && self.character_name.is_none() {
            self.character_name.clone_from(&name);
        }
        let of_others = Value::from(&rest).get(tavernkeep_engine::sillytavern::KEY).and_then(|rest| {
            let swipes = rest.get("swipes")?.as_object()?;
            Some(swipes.iter().map(|(_, part)| part.items().len()).sum::<usize>())
        });
        if let Some(others) = of_others.filter(|others| *others > 0) {
            self.remarks.push(format!(
                "message {number}: {others} swipes beyond {SYNC_SWIPES_MAX} are kept in the file and become no pages"
            ));
        }
        let mut prepared = Vec::with_capacity(swipes.len());
        for swipe in swipes {
            too_long("a text", swipe.text.len(), REPLY_BYTES_MAX)?;
            too_long("what belongs to a swipe", swipe.rest.as_str().len(), BODY_BYTES_MAX)?;
            if swipe.has_state {
                self.counts.states += 1;
                self.is_zod |= StoredVariables::of_extra(&Value::from(&swipe.rest)).is_some_and(|it| it.is_zod());
            }
            prepared.push(PreparedSwipe {
                hash: text_hash(Some(&swipe.text)),
                text: Text::new(&swipe.text),
                rest: Text::new(swipe.rest.as_str()),
                sent_at: swipe.sent_at,
            });
        }
        self.messages.push(PreparedMessage { role, name, active, rest: Text::new(rest.as_str()), swipes: prepared });
        Ok(())
    }

    /// As the floors of a new session.
    pub(super) fn floors(self) -> RuntimeResult<Vec<ImportedFloor>> {
        let mut ids = new_ids(self.counts.messages + self.counts.swipes)?.into_iter();
        let mut id = || ids.next().ok_or_else(|| RuntimeError::Bug("no id is left".into()));
        let mut floors = Vec::with_capacity(self.messages.len());
        for PreparedMessage { role, name, active, rest, swipes } in self.messages {
            let floor = id()?;
            let mut pages = Vec::with_capacity(swipes.len());
            for PreparedSwipe { hash, text, rest, sent_at } in swipes {
                pages.push(ImportedPage { id: id()?, hash, text, extra: rest, sent_at });
            }
            floors.push(ImportedFloor { id: floor, role, name, active, pages, metadata: rest });
        }
        Ok(floors)
    }

    /// As the chat that a branch is made equal to, and what came with it.
    pub(super) fn messages(self) -> (Vec<Message>, Texts, Rests) {
        let (mut messages, mut texts, mut rests) = (Vec::new(), HashMap::new(), Rests::default());
        for PreparedMessage { role, name, active, rest, swipes } in self.messages {
            let speaker = Speaker { role: Some(role.to_owned()), name };
            rests.floors.push(rest);
            let (mut of_message, mut of_swipes) = (Vec::new(), Vec::new());
            for PreparedSwipe { hash, text, rest, .. } in swipes {
                of_message.push(Swipe { text: hash, speaker: speaker.clone() });
                texts.insert(hash, text);
                of_swipes.push(rest);
            }
            rests.swipes.push(of_swipes);
            messages.push(Message { swipes: of_message, active });
        }
        (messages, texts, rests)
    }
}
