//! Snapshots: listing, comparing, dropping them; and cleaning up those of chats that are no more.

use crate::record::Listed;
use crate::{Runtime, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::trash::Bin;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::cleanup::{self, ChatFile, DROPPED_AT_ONCE, Tally, Which};
use tavernkeep_store::story::inventory::{self, SnapshotEntry, SnapshotQuery};
use tavernkeep_store::story::snapshots;
use tavernkeep_store::tree::SessionKey;

/// Which snapshots are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleanup {
    /// The chats.
    pub chats: CleanedChats,
    /// Whether snapshots of pages that are neither in the chat nor in the trash go in all other chats too.
    pub orphans: bool,
    /// Where an earlier answer ended; 0 for the beginning.
    pub after: i64,
    /// Whether to report only what would happen.
    pub dry_run: bool,
    /// Whether they do not go to the trash.
    pub permanent: bool,
}

/// The chats whose snapshots are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CleanedChats {
    /// The one with this name.
    One(String),
    /// All but those with these names.
    AllBut(HashSet<String>),
}

/// What came of a cleanup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanupReport {
    /// Snapshots that were dropped, or would be.
    pub dropped: Tally,
    /// Chats with snapshots that were looked at.
    pub scanned: usize,
    /// Chats that lost snapshots.
    pub chats: usize,
    /// The names of the first of them.
    pub chat_files: Vec<String>,
    /// What they can be restored by: one item for each of these chats.
    pub trash: Vec<Id>,
    /// Where to go on, if there is more than fits into a request.
    pub next_after: Option<i64>,
}

/// Names of chats that a report lists; it counts all of them.
pub const CHAT_FILES_LISTED_MAX: usize = 1_000;

/// Chats that are looked up in one read.
const CHATS_READ: i64 = 1_000;

impl Runtime {
    /// Lists the snapshots of a session.
    pub async fn snapshots(&self, account: &Id, query: SnapshotQuery) -> RuntimeResult<Listed<SnapshotEntry>> {
        let account = account.clone();
        self.store.read(move |tx| inventory::list(tx, &account, &query)).await
    }

    /// What leads from one snapshot's document to another's.
    pub async fn compare_snapshots(&self, account: &Id, from: &Id, to: &Id) -> RuntimeResult<Change> {
        let (account, ids, documents) = (account.clone(), [from.clone(), to.clone()], Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let mut load = |id: &Id| {
                let snapshot = snapshots::get(tx, &account, id)?;
                documents.load(tx, SessionKey::new(&account, snapshot.session_row), snapshot.version_row)
            };
            let [from, to] = [load(&ids[0])?, load(&ids[1])?];
            Ok(diff(&from.document, &to.document))
        };
        self.store.read(read).await
    }

    /// Drops the snapshots of chats, in parts that are stored each by itself, for as long as a request may take. Under an
    /// idempotency key the report is kept when nothing is left: until then the same request continues the work.
    pub async fn clean_up(&self, account: &Id, order: Cleanup) -> RuntimeResult<CleanupReport> {
        if let Some(report) = self.stored_response(account).await? {
            return Ok(report);
        }
        let report = self.clean_up_some(account, &order).await?;
        match self.idempotency {
            Some(_) if report.next_after.is_none() => self.write(account, move |_| Ok(report.clone())).await,
            _ => Ok(report),
        }
    }

    async fn clean_up_some(&self, account: &Id, order: &Cleanup) -> RuntimeResult<CleanupReport> {
        let (end, bin) = (self.process_end(), self.bin(order.permanent)?);
        let mut report = CleanupReport::default();
        let mut after = order.after;
        loop {
            let chats = self.chats_to_clean(account, &order.chats, after).await?;
            if chats.is_empty() {
                return Ok(report);
            }
            for chat in chats {
                // Each request does some work, so repeated requests finish it.
                if report.scanned > 0 && Instant::now() >= end {
                    report.next_after = Some(after);
                    return Ok(report);
                }
                report.scanned += 1;
                let is_chosen = match &order.chats {
                    CleanedChats::One(_) => true,
                    CleanedChats::AllBut(active) => !active.contains(&chat.chat_file),
                };
                let which = if is_chosen { Which::All } else { Which::Orphans };
                let cleaned = match (is_chosen || order.orphans, order.dry_run) {
                    (false, _) => CleanedChat { dropped: Tally::default(), is_whole: true, trash: None },
                    (true, true) => self.count_chat(account, &chat, which).await?,
                    (true, false) => self.clean_chat(account, &chat, (which, &bin), end).await?,
                };
                let is_whole = cleaned.is_whole;
                report.add(cleaned, chat.chat_file);
                if !is_whole {
                    report.next_after = Some(after);
                    return Ok(report);
                }
                after = chat.session_row;
            }
        }
    }

    async fn chats_to_clean(&self, account: &Id, chats: &CleanedChats, after: i64) -> RuntimeResult<Vec<ChatFile>> {
        let owner = account.clone();
        match chats {
            CleanedChats::AllBut(_) => self.store.read(move |tx| cleanup::chats(tx, &owner, after, CHATS_READ)).await,
            CleanedChats::One(_) if after > 0 => Ok(Vec::new()),
            CleanedChats::One(name) => {
                let name = name.clone();
                let found = self.store.read(move |tx| cleanup::chat(tx, &owner, &name)).await?;
                Ok(found.into_iter().collect())
            }
        }
    }

    /// What would be dropped of a chat.
    async fn count_chat(&self, account: &Id, chat: &ChatFile, which: Which) -> RuntimeResult<CleanedChat> {
        let (owner, chat) = (account.clone(), chat.clone());
        let dropped = self.store.read(move |tx| cleanup::count(tx, &owner, &chat, which)).await?;
        Ok(CleanedChat { dropped, is_whole: true, trash: None })
    }

    /// Drops what it can of a chat.
    async fn clean_chat(
        &self,
        account: &Id,
        chat: &ChatFile,
        (which, bin): (Which, &Bin),
        end: Instant,
    ) -> RuntimeResult<CleanedChat> {
        let mut cleaned = CleanedChat { dropped: Tally::default(), is_whole: false, trash: None };
        loop {
            let (owner, chat, bin, now) = (account.clone(), chat.clone(), bin.clone(), now_ms());
            // Past the request's key, which belongs to the report.
            let drop = move |tx: &mut dyn Tx| cleanup::drop_some(tx, &owner, &chat, (which, &bin), now);
            let (part, trash) = self.store.write(drop).await?;
            cleaned.dropped += part;
            cleaned.trash = cleaned.trash.or(trash);
            cleaned.is_whole = part.snapshots < DROPPED_AT_ONCE;
            if cleaned.is_whole || Instant::now() >= end {
                return Ok(cleaned);
            }
        }
    }
}

/// What was dropped of one chat.
struct CleanedChat {
    dropped: Tally,
    /// Whether that was all.
    is_whole: bool,
    /// Its item in the trash.
    trash: Option<Id>,
}

impl CleanupReport {
    fn add(&mut self, cleaned: CleanedChat, chat_file: String) {
        if cleaned.dropped.snapshots == 0 {
            return;
        }
        self.dropped += cleaned.dropped;
        self.chats += 1;
        if self.chat_files.len() < CHAT_FILES_LISTED_MAX {
            self.chat_files.push(chat_file);
            self.trash.extend(cleaned.trash);
        }
    }
}
