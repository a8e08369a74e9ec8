//! A chat file becomes a session.

use super::names::{self, FileKind};
use super::prepared::PreparedChat;
use super::{IfExists, ImportOrder, ImportOutcome, ImportReport, exists};
use crate::order::{NewSession, StorySettings};
use crate::process::{Mode, ProcessOrder};
use crate::record::{Character, Session};
use crate::{MAIN_BRANCH, Refusal, Runtime, RuntimeError, RuntimeResult, new_id, now_ms};
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::sillytavern::{MVU_PROFILE, MVU_ZOD_PROFILE, session_metadata};
use tavernkeep_store::conversation::imports::{self, ImportBegun, ImportedChat};
use tavernkeep_store::conversation::sync::{self, Expected, SyncOrder};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;

/// How many names are tried for a copy.
const COPIES_MAX: usize = 1_000;

impl Runtime {
    pub(super) async fn import_chat(&self, account: &Id, order: ImportOrder) -> RuntimeResult<ImportReport> {
        let content = Arc::clone(&order.content);
        let chat = tokio::task::spawn_blocking(move || PreparedChat::read(&content)).await??;
        let (folder, stem) = names::parts(order.file_name.as_deref().unwrap_or_default());
        let character = self.character_of_chat(account, &order, folder.as_deref(), &chat).await?;
        let stem =
            if stem.is_empty() { chat.character_name.clone().unwrap_or_else(|| "chat".to_owned()) } else { stem };
        let folder = folder.or_else(|| character.as_ref().and_then(|found| found.folder.clone()));
        let named = folder.map_or_else(|| stem.clone(), |folder| format!("{folder}/{stem}"));
        let mut chat_file = order.chat_file.clone().unwrap_or(named);
        let mut found = self.session_of_chat(account, &chat_file).await?;
        match (&found, order.if_exists) {
            (Some(session), IfExists::Refuse) => return Err(exists("chat", &chat_file, &session.id)),
            (Some(_), IfExists::Copy) => {
                chat_file = self.free_chat_file(account, &chat_file).await?;
                found = None;
            }
            _ => {}
        }
        let character = character.map(|found| found.character);
        let outcome = if found.is_some() { ImportOutcome::Updated } else { ImportOutcome::Created };
        let mut report = ImportReport::new(FileKind::Chat, outcome, chat_file.clone(), chat.remarks.clone());
        report.chat = Some(chat.counts);
        report.character = character.as_ref().map(|character| character.summary.id.clone());
        match found {
            Some(session) => self.update_chat(account, &order, chat, session, report).await,
            None => {
                let new = new_session(&order, &chat, (chat_file, stem), character.as_ref())?;
                self.create_chat(account, &order, chat, new, report).await
            }
        }
    }

    /// The character that a chat belongs to: the one that is named, the one whose card has the name of its folder, or the one whose name the file begins with.
    async fn character_of_chat(
        &self,
        account: &Id,
        order: &ImportOrder,
        folder: Option<&str>,
        chat: &PreparedChat,
    ) -> RuntimeResult<Option<FoundCharacter>> {
        if let Some(id) = &order.character {
            let character = self.character(account, id).await?;
            return Ok(Some(FoundCharacter { character, folder: None }));
        }
        let is_its = |name: &&String| {
            let stem = names::parts(order.file_name.as_deref().unwrap_or_default()).1;
            stem == **name || stem.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(" - "))
        };
        let folder = folder.map(str::to_owned).or_else(|| chat.character_name.as_ref().filter(is_its).cloned());
        let Some(folder) = folder else { return Ok(None) };
        let Some(id) = names::character_of_folder(&folder) else { return Ok(None) };
        match self.character(account, &id).await {
            Ok(character) => Ok(Some(FoundCharacter { character, folder: Some(folder) })),
            Err(RuntimeError::Refused(Refusal::CharacterNotFound(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn free_chat_file(&self, account: &Id, chat_file: &str) -> RuntimeResult<String> {
        for number in 2..COPIES_MAX {
            let name = names::numbered(chat_file, number);
            if self.session_of_chat(account, &name).await?.is_none() {
                return Ok(name);
            }
        }
        Err(Refusal::TooMany("copies of one chat", COPIES_MAX as i64).into())
    }

    async fn create_chat(
        &self,
        account: &Id,
        order: &ImportOrder,
        chat: PreparedChat,
        new: NewSession,
        mut report: ImportReport,
    ) -> RuntimeResult<ImportReport> {
        let id = new.id.clone().map_or_else(new_id, Ok)?;
        if order.dry_run {
            return Ok(report);
        }
        report.session = Some(id.clone());
        let chat = ImportedChat { new, id: id.clone(), floors: chat.floors()? };
        let mut report = self.store_chat(account, chat, report).await?;
        self.process_imported(account, &id, order, &mut report).await;
        self.amend(account, report.clone()).await;
        Ok(report)
    }

    /// Stores a chat: in one transaction, or in parts that become visible together.
    async fn store_chat(&self, account: &Id, chat: ImportedChat, report: ImportReport) -> RuntimeResult<ImportReport> {
        let (parts, chat) = (chat.parts(), Arc::new(chat));
        let (owner, quotas, now) = (account.clone(), self.quotas, now_ms());
        if parts.len() == 1 {
            let write = move |tx: &mut dyn Tx| {
                imports::create(tx, &owner, &chat, &quotas, now)?;
                Ok(report.clone())
            };
            return self.write(account, write).await;
        }
        let (imported, job) = (Arc::clone(&chat), new_id()?);
        let begin = move |tx: &mut dyn Tx| imports::begin(tx, &owner, &imported, &job, &quotas, now);
        let begun = Arc::new(self.store.write(begin).await?);
        let stored = self.store_parts(account, &chat, &begun, report).await;
        if stored.is_err() {
            let (owner, begun) = (account.clone(), Arc::clone(&begun));
            let abandoned = self.store.write(move |tx| imports::abandon(tx, &owner, &begun)).await;
            match abandoned {
                Ok(()) => self.wakes.deletions.notify_one(),
                Err(error) => tracing::warn!(%error, "an import that failed is purged when its lease expires"),
            }
        }
        stored
    }

    async fn store_parts(
        &self,
        account: &Id,
        chat: &Arc<ImportedChat>,
        begun: &Arc<ImportBegun>,
        report: ImportReport,
    ) -> RuntimeResult<ImportReport> {
        for (number, part) in chat.parts().into_iter().enumerate() {
            let (owner, chat, begun) = (account.clone(), Arc::clone(chat), Arc::clone(begun));
            let add = move |tx: &mut dyn Tx| imports::add_part(tx, &owner, &chat, &begun, (number, part.clone()));
            self.store.write(add).await?;
        }
        let (owner, chat, begun) = (account.clone(), Arc::clone(chat), Arc::clone(begun));
        let (quotas, now) = (self.quotas, now_ms());
        let finish = move |tx: &mut dyn Tx| {
            imports::finish(tx, &owner, &chat, &begun, &quotas, now)?;
            Ok(report.clone())
        };
        self.write(account, finish).await
    }

    /// Makes a session equal to a chat.
    async fn update_chat(
        &self,
        account: &Id,
        order: &ImportOrder,
        chat: PreparedChat,
        session: Session,
        mut report: ImportReport,
    ) -> RuntimeResult<ImportReport> {
        report.session = Some(session.id.clone());
        report.character = session.character.clone();
        let stored = session.metadata.as_ref().map(Value::from);
        let metadata = session_metadata(stored.as_ref(), chat.header.as_ref()).to_text();
        let (messages, texts, rests) = chat.messages();
        let expected = Expected { max_deleted: order.max_deleted, ..Expected::default() };
        let (session, branch) = (session.id, MAIN_BRANCH.to_owned());
        let wanted = SyncOrder { session: session.clone(), branch, messages, texts, expected };
        let (wanted, look) = self.look(account, wanted).await?;
        let synced = self.sync_texts(account, &wanted, look, order.dry_run).await?;
        let is_same = synced.created + synced.changed + synced.moved + synced.deleted == 0;
        report.synced = Some(synced);
        if order.dry_run {
            if is_same {
                report.outcome = ImportOutcome::Unchanged;
            }
            return Ok(report);
        }
        let (owner, now, rests) = (account.clone(), now_ms(), Arc::new(rests));
        let put = move |tx: &mut dyn Tx| sync::put_rests(tx, &owner, (&wanted, &rests), &metadata, now);
        if self.store.write(put).await? == 0 && is_same {
            report.outcome = ImportOutcome::Unchanged;
        }
        self.process_imported(account, &session, order, &mut report).await;
        let kept = report.clone();
        self.write(account, move |_| Ok(kept.clone())).await?;
        Ok(report)
    }

    /// Computes the states of a chat for as long as a request may take. The chat is what it is whether or not this succeeds.
    async fn process_imported(&self, account: &Id, session: &Id, order: &ImportOrder, report: &mut ImportReport) {
        let goal = Goal::Branch(session.clone(), MAIN_BRANCH.to_owned());
        let has_states = report.chat.is_some_and(|chat| chat.states > 0);
        let wanted =
            ProcessOrder { stored_states: has_states.then_some(order.states), ..ProcessOrder::of(Mode::Stale) };
        match self.process_some_of(account, goal, wanted).await {
            Ok((processed, job)) => {
                report.processed = Some(processed);
                report.job = job.map(|job| job.id);
            }
            Err(error) => {
                tracing::warn!(%error, %session, "an imported chat could not be processed; its states are stale");
            }
        }
    }
}

/// The character of a chat, and the folder that its chats stand in, where that is known.
struct FoundCharacter {
    character: Character,
    folder: Option<String>,
}

fn new_session(
    order: &ImportOrder,
    chat: &PreparedChat,
    (chat_file, title): (String, String),
    character: Option<&Character>,
) -> RuntimeResult<NewSession> {
    // A chat that was played with MVU goes on as such, unless its character says how its commands are read.
    let is_mvu = chat.counts.states > 0 && character.is_none_or(|character| character.profile.is_none());
    let mvu = is_mvu.then_some(if chat.is_zod { MVU_ZOD_PROFILE } else { MVU_PROFILE });
    let mvu = mvu.map(|profile| JsonText::parse(profile.as_bytes()));
    let mvu = mvu.transpose().map_err(|error| RuntimeError::Bug(error.to_string()))?;
    let story = StorySettings {
        profile: order.profile.clone().or(mvu).map(Some),
        chat_file: Some(chat_file),
        character: character.map(|character| Some(character.summary.id.clone())),
        ..StorySettings::default()
    };
    let metadata = Some(session_metadata(None, chat.header.as_ref()).to_text());
    Ok(NewSession { id: order.session.clone(), title: Some(title), metadata, story, greetings: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{JobState, Window};
    use crate::{Database, Options};
    use std::fmt::Write as _;

    fn long_chat() -> PreparedChat {
        let mut file = String::from("{\"chat_metadata\":{}}");
        for number in 0..600 {
            let _ = write!(file, "\n{{\"name\":\"Hana\",\"mes\":\"message {number}\"}}");
        }
        PreparedChat::read(file.as_bytes()).unwrap()
    }

    /// What an import wrote that broke off belongs to a job, which purges it; nobody ever sees it.
    #[tokio::test(flavor = "multi_thread")]
    async fn an_import_that_breaks_off_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        let account = Runtime::default_account();
        let (chat, order) = (long_chat(), ImportOrder::of("Hana/a.jsonl", Vec::new()));
        let new = new_session(&order, &chat, ("Hana/a".into(), "a".into()), None).unwrap();
        let chat = Arc::new(ImportedChat { new, id: "s".parse().unwrap(), floors: chat.floors().unwrap() });
        let parts = chat.parts();
        assert!(parts.len() > 1, "it is written in parts");
        let (owner, imported, job, quotas) = (account.clone(), Arc::clone(&chat), new_id().unwrap(), runtime.quotas);
        let begin = move |tx: &mut dyn Tx| imports::begin(tx, &owner, &imported, &job, &quotas, now_ms());
        let begun = runtime.store.write(begin).await.unwrap();
        let (owner, imported, part, under_way) = (account.clone(), Arc::clone(&chat), parts[0].clone(), begun.clone());
        let add = move |tx: &mut dyn Tx| imports::add_part(tx, &owner, &imported, &under_way, (0, part.clone()));
        runtime.store.write(add).await.unwrap();
        assert!(runtime.session_of_chat(&account, "Hana/a").await.unwrap().is_none(), "nobody sees a part");
        assert_eq!(runtime.usage(&account).await.unwrap().sessions.used, 0);
        assert_eq!(runtime.run_jobs().await.unwrap(), 0, "while its lease lasts nobody touches it");

        // The process has ended: the next one is alone and ends the leases.
        runtime.resume_jobs().await.unwrap();
        assert_eq!(runtime.run_jobs().await.unwrap(), 1);
        let window = Window { limit: 10, offset: 0, ascending: true, total: true };
        let jobs = runtime.jobs(&account, window).await.unwrap();
        assert_eq!(jobs.items.iter().map(|job| job.state).collect::<Vec<_>>(), [JobState::Done]);
        let (owner, imported, part) = (account.clone(), Arc::clone(&chat), parts[1].clone());
        let late = move |tx: &mut dyn Tx| imports::add_part(tx, &owner, &imported, &begun, (1, part.clone()));
        assert!(matches!(runtime.store.write(late).await, Err(RuntimeError::Contended(_))), "it cannot go on");
        let whole = ImportOrder::of("Hana/a.jsonl", "{\"name\":\"Hana\",\"mes\":\"a\"}".as_bytes().to_vec());
        let whole = ImportOrder { session: Some("s".parse().unwrap()), kind: Some(FileKind::Chat), ..whole };
        assert_eq!(runtime.import(&account, whole).await.unwrap().outcome, ImportOutcome::Created);
        runtime.close().await;
    }
}
