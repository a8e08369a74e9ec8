//! Files of SillyTavern, in and out: chats become sessions, cards become characters, and both come back as they were.
//!
//! A file is read to its end and checked before anything is written. What is written becomes visible with one transaction.

mod card;
mod chat;
mod export;
mod names;
mod prepared;

pub use export::{CardFormat, ExportedFile};
pub use names::{FileKind, character_id};

use crate::order::{SessionQuery, SessionSort};
use crate::process::StoredStates;
use crate::record::{Listed, Session, Window};
use crate::{ProcessReport, Runtime, RuntimeError, RuntimeResult};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::IMPORT_REMARKS_MAX;
use tavernkeep_store::conversation::sync::Synced;

/// What to do if the chat or the character is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfExists {
    /// Refuse.
    #[default]
    Refuse,
    /// Make it equal to the file.
    Update,
    /// Import the file beside it, under another name.
    Copy,
}

/// A file that is to be imported.
#[derive(Debug, Clone)]
pub struct ImportOrder {
    /// Its name, perhaps with the folder in front: `Hana/Hana - 2026-11-17.jsonl`, `Hana.png`.
    pub file_name: Option<String>,
    /// What it is, where its name and content do not say.
    pub kind: Option<FileKind>,
    /// Its content.
    pub content: Arc<[u8]>,
    /// World books that count for a card instead of the one inside of it, each as JSON.
    pub books: Option<Vec<JsonText>>,
    /// The character that a card becomes, or that a chat belongs to.
    pub character: Option<Id>,
    /// The id of the session that a chat becomes.
    pub session: Option<Id>,
    /// The name of the chat, instead of its file's.
    pub chat_file: Option<String>,
    /// How commands are read, as JSON, instead of what the file says.
    pub profile: Option<JsonText>,
    /// What to do if it is there already.
    pub if_exists: IfExists,
    /// What becomes of the states that MVU stored with the messages.
    pub states: StoredStates,
    /// How many floors a chat that is updated may lose; see [`crate::Expected`].
    pub max_deleted: Option<usize>,
    /// Whether only to report what would happen.
    pub dry_run: bool,
}

impl ImportOrder {
    /// The usual order for a file.
    pub fn of(file_name: impl Into<String>, content: impl Into<Arc<[u8]>>) -> ImportOrder {
        ImportOrder {
            file_name: Some(file_name.into()),
            kind: None,
            content: content.into(),
            books: None,
            character: None,
            session: None,
            chat_file: None,
            profile: None,
            if_exists: IfExists::Refuse,
            states: StoredStates::Keep,
            max_deleted: None,
            dry_run: false,
        }
    }
}

/// What became of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// Something new.
    Created,
    /// What was there is equal to the file now.
    Updated,
    /// What was there is equal to the file already.
    Unchanged,
}

/// What came of an import, or would come of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportReport {
    /// What the file is.
    pub kind: FileKind,
    /// What became of it.
    pub outcome: ImportOutcome,
    /// The name of the chat or of the character.
    pub name: String,
    /// The session of a chat.
    pub session: Option<Id>,
    /// The character of a card, or the one that a chat belongs to.
    pub character: Option<Id>,
    /// What a chat has.
    pub chat: Option<ChatCounts>,
    /// What a card has.
    pub card: Option<CardCounts>,
    /// What was put right, left out or cannot be kept, as sentences: the first ones.
    pub remarks: Vec<String>,
    /// How many there are.
    pub remarks_count: usize,
    /// What became of the messages of a chat that was there.
    pub synced: Option<Synced>,
    /// What came of processing a chat.
    pub processed: Option<ProcessReport>,
    /// The job that goes on processing it.
    pub job: Option<Id>,
}

/// What a chat has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatCounts {
    /// Messages.
    pub messages: usize,
    /// Swipes of all of them.
    pub swipes: usize,
    /// Messages that are kept out of prompts.
    pub hidden: usize,
    /// Swipes that MVU stored a state with.
    pub states: usize,
}

/// What a card has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardCounts {
    /// Greetings.
    pub greetings: usize,
    /// Functions of its own.
    pub functions: usize,
    /// Whether it has a template, from wherever that came.
    pub template: bool,
    /// Whether it has a picture.
    pub image: bool,
}

impl ImportReport {
    fn new(kind: FileKind, outcome: ImportOutcome, name: String, mut remarks: Vec<String>) -> ImportReport {
        let remarks_count = remarks.len();
        remarks.truncate(IMPORT_REMARKS_MAX);
        ImportReport {
            kind,
            outcome,
            name,
            session: None,
            character: None,
            chat: None,
            card: None,
            remarks,
            remarks_count,
            synced: None,
            processed: None,
            job: None,
        }
    }
}

impl Runtime {
    /// Imports a file: a chat or a card.
    pub async fn import(&self, account: &Id, order: ImportOrder) -> RuntimeResult<ImportReport> {
        if !order.dry_run
            && let Some(report) = self.stored_response(account).await?
        {
            return Ok(report);
        }
        let imported = match FileKind::of(&order) {
            FileKind::Chat => self.import_chat(account, order).await,
            FileKind::Card => self.import_card(account, order).await,
        };
        imported.map_err(|error| self.refuse(error))
    }

    /// The session whose chat has this name.
    async fn session_of_chat(&self, account: &Id, chat_file: &str) -> RuntimeResult<Option<Session>> {
        let window = Window { limit: 1, offset: 0, ascending: true, total: false };
        let query = SessionQuery { chat_file: Some(chat_file.to_owned()), sort: SessionSort::CreatedAt, window };
        let Listed { items, .. } = self.sessions(account, query).await?;
        Ok(items.into_iter().next())
    }
}

fn exists(what: &'static str, name: &str, id: &Id) -> RuntimeError {
    RuntimeError::ImportExists { what, name: name.to_owned(), id: id.clone() }
}
