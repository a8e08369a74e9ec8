//! Snapshots: listing, comparing, dropping them; and cleaning up those of chats that are no more.

use crate::record::{Condition, Listed};
use crate::{Runtime, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::id::Id;
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
    /// Whether snapshots of deleted pages go in all other chats too.
    pub orphans: bool,
    /// Where an earlier answer ended; 0 for the beginning.
    pub after: i64,
    /// Whether to report only what would happen.
    pub dry_run: bool,
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

    /// Drops a snapshot. Its page is unprocessed then, and the next processing gives it another one.
    pub async fn delete_snapshot(&self, account: &Id, id: &Id, condition: Condition) -> RuntimeResult<()> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| cleanup::delete(tx, &owner, &id, condition, now)).await
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
        let end = self.process_end();
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
                let (dropped, is_whole) = match (is_chosen, order.orphans) {
                    (true, _) => self.clean_chat(account, &chat, Which::All, order.dry_run, end).await?,
                    (false, true) => self.clean_chat(account, &chat, Which::Orphans, order.dry_run, end).await?,
                    (false, false) => (Tally::default(), true),
                };
                report.add(dropped, chat.chat_file);
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

    /// Drops what it can of a chat; returns whether that was all.
    async fn clean_chat(
        &self,
        account: &Id,
        chat: &ChatFile,
        which: Which,
        dry_run: bool,
        end: Instant,
    ) -> RuntimeResult<(Tally, bool)> {
        if dry_run {
            let (owner, chat) = (account.clone(), chat.clone());
            let counted = self.store.read(move |tx| cleanup::count(tx, &owner, &chat, which)).await?;
            return Ok((counted, true));
        }
        let mut dropped = Tally::default();
        loop {
            let (owner, chat, now) = (account.clone(), chat.clone(), now_ms());
            // Past the request's key, which belongs to the report.
            let part = self.store.write(move |tx| cleanup::drop_some(tx, &owner, &chat, which, now)).await?;
            dropped += part;
            let is_whole = part.snapshots < DROPPED_AT_ONCE;
            if is_whole || Instant::now() >= end {
                return Ok((dropped, is_whole));
            }
        }
    }
}

impl CleanupReport {
    fn add(&mut self, dropped: Tally, chat_file: String) {
        if dropped.snapshots == 0 {
            return;
        }
        self.dropped += dropped;
        self.chats += 1;
        if self.chat_files.len() < CHAT_FILES_LISTED_MAX {
            self.chat_files.push(chat_file);
        }
    }
}
