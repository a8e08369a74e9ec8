//! Deleting into the trash, and getting things back.

use crate::record::{Condition, Deletion, Listed, Window};
use crate::stale::LineName;
use crate::sync::RESERVED_TRIES;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, WriteWatch, new_id, new_ids, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::HISTORY_BYTES_MAX;
use tavernkeep_store::conversation::trash::{self, Bin, DeletedId, Expired, LargeRestore, LargeTexts};
use tavernkeep_store::conversation::{branches, characters, floors, pages, sessions};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::cleanup;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::tree::SessionKey;

pub use tavernkeep_store::conversation::trash::{
    Content as TrashContent, KeptPage, Renamed, Restored, RestoredBranch, TrashItem, TrashKind, Under,
};

/// What became of a deletion.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Removed {
    /// For each id whether it was there.
    pub found: Vec<bool>,
    /// What it can be restored by, the first item of several; none if it is gone for good.
    pub trash: Option<Id>,
    /// For each id the item that it is in: each session has one of its own.
    #[serde(default)]
    pub items: Vec<Option<Id>>,
    /// The ids: a request may have named something else that they are copies of. None for sessions, and from an older program.
    #[serde(default)]
    pub ids: Vec<Id>,
    /// For each id the line that it stood on; none for sessions, and from an older program.
    #[serde(default)]
    pub lines: Vec<Option<LineName>>,
}

/// What became of a snapshot that was dropped.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "StoredRemoval")]
pub struct RemovedSnapshot {
    /// Its id: a request may have named one that it is a copy of. None from an older program.
    pub id: Option<Id>,
    /// What it can be restored by.
    pub trash: Option<Id>,
    /// The line of its page.
    pub line: Option<LineName>,
}

/// The same as it is stored; an older program stored the item alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredRemoval {
    Now {
        #[serde(default)]
        id: Option<Id>,
        trash: Option<Id>,
        line: Option<LineName>,
    },
    Old(Option<Id>),
}

impl From<StoredRemoval> for RemovedSnapshot {
    fn from(stored: StoredRemoval) -> RemovedSnapshot {
        match stored {
            StoredRemoval::Now { id, trash, line } => RemovedSnapshot { id, trash, line },
            StoredRemoval::Old(trash) => RemovedSnapshot { id: None, trash, line: None },
        }
    }
}

impl From<Vec<DeletedId>> for Removed {
    fn from(deleted: Vec<DeletedId>) -> Removed {
        let (found, items): (Vec<bool>, Vec<Option<Id>>) =
            deleted.into_iter().map(|deleted| (deleted.found, deleted.trash)).unzip();
        Removed { found, trash: items.iter().flatten().next().cloned(), items, ids: Vec::new(), lines: Vec::new() }
    }
}

/// A plan, or none where something is wrong with the item: the write that restores it says what.
fn said_by_the_write<T>(plan: RuntimeResult<Option<T>>) -> RuntimeResult<Option<T>> {
    match plan {
        Err(RuntimeError::Refused(_) | RuntimeError::Damaged(_)) => Ok(None),
        plan => plan,
    }
}

/// What came of restoring an item in parts.
enum InParts {
    Restored(Restored),
    /// It is restored in one transaction: it is small, or ids or numbers of it must change.
    AtOnce,
    /// Another request has changed the session, which has this row, meanwhile.
    SessionMoved(i64),
}

impl Runtime {
    /// How many large syncs and restores were made in one transaction since the start, because their sessions changed each time that they
    /// were prepared.
    pub fn large_changes_unprepared(&self) -> u64 {
        self.drafts.given_up()
    }

    pub(crate) fn bin(&self, permanent: bool) -> RuntimeResult<Bin> {
        Ok(if permanent || self.retention.trash_age_ms == Some(0) { Bin::Purge } else { Bin::Trash(new_id()?) })
    }

    /// Deletes sessions with everything in them. For each id what became of it.
    ///
    /// In the trash a session is hidden. Permanently, long ones are gone at once too, and a job takes away what they consist of.
    pub async fn remove_sessions(&self, account: &Id, ids: Vec<Id>, permanent: bool) -> RuntimeResult<Vec<Deletion>> {
        self.remove_sessions_if(account, ids, Condition::None, permanent).await
    }

    /// The same, if each of them is as the condition says.
    pub async fn remove_sessions_if(
        &self,
        account: &Id,
        ids: Vec<Id>,
        condition: Condition,
        permanent: bool,
    ) -> RuntimeResult<Vec<Deletion>> {
        let (owner, bin, now, job_ids) = (account.clone(), self.bin(permanent)?, now_ms(), new_ids(ids.len())?);
        let delete = move |tx: &mut dyn Tx| sessions::delete(tx, &owner, &ids, (condition, &bin, &job_ids), now);
        let deleted = self.write(account, delete).await?;
        if deleted.iter().any(|deletion| matches!(deletion, Deletion::ByJob(_))) {
            self.wakes.deletions.notify_one();
        }
        Ok(deleted)
    }

    /// Deletes a character; its sessions go on with what it said. Returns what it can be restored by.
    pub async fn remove_character(
        &self,
        account: &Id,
        id: &Id,
        condition: Condition,
        permanent: bool,
    ) -> RuntimeResult<Option<Id>> {
        let (owner, id, bin, now) = (account.clone(), id.clone(), self.bin(permanent)?, now_ms());
        self.write(account, move |tx| characters::delete(tx, &owner, &id, (condition, &bin), now)).await
    }

    /// Deletes a global snapshot. Returns what it can be restored by.
    pub async fn remove_global_snapshot(
        &self,
        account: &Id,
        id: &Id,
        condition: Condition,
        permanent: bool,
    ) -> RuntimeResult<Option<Id>> {
        let (owner, id, bin, now) = (account.clone(), id.clone(), self.bin(permanent)?, now_ms());
        let delete = move |tx: &mut dyn Tx| trash::delete_global_snapshot(tx, &owner, &id, (condition, &bin), now);
        self.write(account, delete).await
    }

    /// Drops a snapshot. Its page is unprocessed then, and the next processing gives it another one.
    pub async fn remove_snapshot(
        &self,
        account: &Id,
        id: &Id,
        condition: Condition,
        permanent: bool,
    ) -> RuntimeResult<RemovedSnapshot> {
        let line = self.line_of_snapshot(account, id).await.ok();
        let (owner, id, bin, now) = (account.clone(), id.clone(), self.bin(permanent)?, now_ms());
        self.write(account, move |tx| {
            let trash = cleanup::delete(tx, &owner, &id, (condition, &bin), now)?;
            Ok(RemovedSnapshot { id: Some(id.clone()), trash, line: line.clone() })
        })
        .await
    }

    /// Deletes floors with their pages.
    pub async fn remove_floors(&self, account: &Id, ids: Vec<Id>, permanent: bool) -> RuntimeResult<Removed> {
        let lines = self.lines_of_floors(account, &ids).await?;
        let (owner, bin, now) = (account.clone(), self.bin(permanent)?, now_ms());
        let delete = move |tx: &mut dyn Tx| {
            let deleted = floors::delete(tx, &owner, &ids, &bin, now)?;
            Ok(Removed { ids: ids.clone(), lines: lines.clone(), ..Removed::from(deleted) })
        };
        self.write(account, delete).await
    }

    /// Deletes pages.
    pub async fn remove_pages(&self, account: &Id, ids: Vec<Id>, permanent: bool) -> RuntimeResult<Removed> {
        self.remove_pages_if(account, ids, Condition::None, permanent).await
    }

    /// The same, if each of them is as the condition says.
    pub async fn remove_pages_if(
        &self,
        account: &Id,
        ids: Vec<Id>,
        condition: Condition,
        permanent: bool,
    ) -> RuntimeResult<Removed> {
        let lines = self.lines_of_pages(account, &ids).await?;
        let (owner, bin, now) = (account.clone(), self.bin(permanent)?, now_ms());
        let delete = move |tx: &mut dyn Tx| {
            let deleted = pages::delete(tx, &owner, &ids, (condition, &bin), now)?;
            Ok(Removed { ids: ids.clone(), lines: lines.clone(), ..Removed::from(deleted) })
        };
        self.write(account, delete).await
    }

    /// Deletes a branch with its floors; returns how many there were, and what it can be restored by.
    pub async fn remove_branch(
        &self,
        account: &Id,
        session: &Id,
        branch: &str,
        permanent: bool,
    ) -> RuntimeResult<(i64, Option<Id>)> {
        let (owner, session, branch, now) = (account.clone(), session.clone(), branch.to_owned(), now_ms());
        let bin = self.bin(permanent)?;
        let item = match &bin {
            Bin::Trash(item) => item.clone(),
            Bin::Purge => new_id()?,
        };
        let trash = matches!(bin, Bin::Trash(_)).then(|| item.clone());
        let begun = item.clone();
        let deleted = self
            .write(account, move |tx| {
                let floors = branches::delete(tx, &owner, &session, &branch, (&bin, &item), now)?;
                Ok((floors, trash.clone()))
            })
            .await?;
        self.clear_deletion(account, &begun).await;
        Ok(deleted)
    }

    /// Deletes in parts what this request has begun to delete. That is gone for everybody already, so the request has succeeded
    /// whether or not this does; what is left is deleted by the next pass of upkeep.
    pub(crate) async fn clear_deletion(&self, account: &Id, item: &Id) {
        if let Err(error) = self.finish_deletions(account, Some(item)).await {
            tracing::warn!(%error, "the rows of what was deleted could not be cleared yet");
        }
    }

    /// Deletes in parts what requests have begun to delete; one item of it if that is named.
    async fn finish_deletions(&self, account: &Id, item: Option<&Id>) -> RuntimeResult<()> {
        let owner = account.clone();
        let unfinished = self.store.read_point(move |tx| trash::unfinished(tx, &owner)).await?;
        for unfinished in unfinished.into_iter().filter(|begun| item.is_none_or(|item| begun.item == *item)) {
            let unfinished = Arc::new(unfinished);
            loop {
                let (owner, part, now) = (account.clone(), Arc::clone(&unfinished), now_ms());
                if self.store.write(move |tx| branches::go_on(tx, &owner, &part, now)).await? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Lists what is in the trash.
    pub async fn trash(&self, account: &Id, session: Option<Id>, window: Window) -> RuntimeResult<Listed<TrashItem>> {
        let account = account.clone();
        self.store.read(move |tx| trash::list(tx, &account, session.as_ref(), window)).await
    }

    /// One item of the trash with so many of its pages, from a position on.
    pub async fn trash_item(
        &self,
        account: &Id,
        id: &Id,
        limit: i64,
        offset: i64,
    ) -> RuntimeResult<(TrashItem, TrashContent)> {
        let (account, id) = (account.clone(), id.clone());
        let read = move |tx: &mut dyn Tx| trash::content(tx, &account, &id, (limit, offset), HISTORY_BYTES_MAX);
        self.store.read(read).await
    }

    /// The document of a snapshot that an item of the trash holds.
    pub async fn trash_state(&self, account: &Id, id: &Id, snapshot: &Id) -> RuntimeResult<Value> {
        let (account, id, snapshot, documents) =
            (account.clone(), id.clone(), snapshot.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let (session_row, version_row) = trash::version_of(tx, &account, &id, &snapshot)?;
            Ok(documents.load(tx, SessionKey::new(&account, session_row), version_row)?.document)
        };
        self.store.read(read).await
    }

    /// Puts an item of the trash back and processes its branches. A session, character or global snapshot can get other names.
    pub async fn restore(&self, account: &Id, id: &Id, under: Under) -> RuntimeResult<Restored> {
        // A client that goes away must not leave an item half restored.
        let (runtime, account, id) = (self.clone(), account.clone(), id.clone());
        let restore = async move { runtime.restore_now(&account, &id, under).await };
        match WriteWatch::current() {
            Some(watch) => tokio::spawn(watch.scope(restore)).await?,
            None => tokio::spawn(restore).await?,
        }
    }

    async fn restore_now(&self, account: &Id, id: &Id, under: Under) -> RuntimeResult<Restored> {
        let alone = self.drafts.restoring(account, id).await;
        let restored = match self.restore_large(account, id, &under).await? {
            Some(restored) => restored,
            None => {
                let (owner, id, now) = (account.clone(), id.clone(), now_ms());
                self.write(account, move |tx| trash::restore(tx, &owner, &id, &under, now)).await?
            }
        };
        drop(alone);
        let Some(session) = &restored.session else { return Ok(restored) };
        let rows = restored.floors.max(restored.pages);
        if usize::try_from(rows).unwrap_or(0) >= trash::LARGE {
            // It is back; if what was kept of it cannot be deleted now, the next pass of upkeep does it.
            if let Err(error) = self.purge_item(account, id).await {
                tracing::warn!(%error, "the rows of a restored item could not be deleted yet");
            }
            self.reindex_for_a_while(account, session).await;
        }
        let end = self.process_end();
        for branch in &restored.branches {
            let goal = Goal::Branch(session.clone(), branch.id.clone());
            // All of them together take no longer than one.
            let left = end.saturating_duration_since(Instant::now());
            let runtime = Runtime { process_time: left, ..self.clone() };
            if let Err(error) = runtime.process_some(account, goal).await {
                tracing::warn!(%error, branch = branch.id, "what was restored could not be processed; it is stale");
            }
        }
        Ok(restored)
    }

    /// Restores an item with many floors or texts, which are put on a hidden branch in parts before. If another request changes the session
    /// meanwhile, it begins again, and requests that write to the session wait. None for another item, and if that did not help either.
    async fn restore_large(&self, account: &Id, id: &Id, under: &Under) -> RuntimeResult<Option<Restored>> {
        if *under != Under::default() {
            return Ok(None);
        }
        if let Some(restored) = self.stored_response(account).await? {
            return Ok(Some(restored));
        }
        let session_row = match self.restore_in_parts(account, id).await? {
            InParts::Restored(restored) => return Ok(Some(restored)),
            InParts::AtOnce => return Ok(None),
            InParts::SessionMoved(session_row) => session_row,
        };
        let again = async {
            for _ in 0..RESERVED_TRIES {
                match self.restore_in_parts(account, id).await? {
                    InParts::Restored(restored) => return Ok(Some(restored)),
                    InParts::AtOnce => return Ok(None),
                    InParts::SessionMoved(_) => {}
                }
            }
            self.drafts.give_up();
            Ok(None)
        };
        self.store.reserve(account, session_row, again).await
    }

    async fn restore_in_parts(&self, account: &Id, id: &Id) -> RuntimeResult<InParts> {
        let draft = new_id()?;
        let _running = self.drafts.run(&draft);
        let (session_row, restored) = match self.plan_restore(account, id, &draft).await? {
            Some(large) => (large.session_row(), self.restore_prepared(account, large).await),
            None => match self.plan_texts(account, id, &draft).await? {
                Some(texts) => (texts.session_row(), self.restore_texts(account, texts).await),
                None => return Ok(InParts::AtOnce),
            },
        };
        let result = match restored {
            Ok(Some(restored)) => return Ok(InParts::Restored(restored)),
            Ok(None) => Ok(InParts::SessionMoved(session_row)),
            Err(RuntimeError::Refused(Refusal::ParentMoved)) => {
                self.try_again();
                Ok(InParts::SessionMoved(session_row))
            }
            Err(RuntimeError::Refused(Refusal::IdTaken(..))) => {
                self.try_again();
                Ok(InParts::AtOnce)
            }
            Err(error) => Err(error),
        };
        self.drop_draft(account, &draft).await;
        result
    }

    /// Plans how an item with many floors is restored, after what stands in its way is gone. None for an item that is restored in one
    /// transaction.
    async fn plan_restore(&self, account: &Id, id: &Id, draft: &Id) -> RuntimeResult<Option<LargeRestore>> {
        let plan = async || {
            let (owner, item, draft) = (account.clone(), id.clone(), draft.clone());
            said_by_the_write(self.store.read(move |tx| LargeRestore::plan(tx, &owner, &item, &draft)).await)
        };
        let Some(large) = plan().await? else { return Ok(None) };
        if !large.needs_room() {
            return Ok(Some(large));
        }
        let (owner, now) = (account.clone(), now_ms());
        self.store.write(move |tx| large.make_room(tx, &owner, now)).await?;
        // Another process may restore the same item: the write that restores it drops what that one prepares.
        Ok(plan().await?.filter(|large| !large.has_leftovers()))
    }

    async fn restore_prepared(&self, account: &Id, large: LargeRestore) -> RuntimeResult<Option<Restored>> {
        let (large, now) = (Arc::new(large), now_ms());
        let (owner, begun) = (account.clone(), Arc::clone(&large));
        let Some(mut hidden) = self.store.write(move |tx| begun.begin(tx, &owner, now)).await? else {
            return Ok(None);
        };
        for part in 0..large.parts() {
            let (owner, large) = (account.clone(), Arc::clone(&large));
            let put = move |tx: &mut dyn Tx| large.put_part(tx, &owner, hidden, part, now);
            let Some(next) = self.store.write(put).await? else { return Ok(None) };
            hidden = next;
        }
        let (owner, kept) = (account.clone(), Arc::clone(&large));
        let kept = self.store.read(move |tx| kept.read_kept(tx, &owner)).await?;
        let owner = account.clone();
        self.write(account, move |tx| large.finish(tx, &owner, (hidden, &kept), now)).await.map(Some)
    }

    /// Plans how an item with many replaced texts is restored, after lines that share their floors are separated. None for an item that
    /// is restored in one transaction.
    async fn plan_texts(&self, account: &Id, id: &Id, draft: &Id) -> RuntimeResult<Option<LargeTexts>> {
        let plan = async || {
            let (owner, item, draft) = (account.clone(), id.clone(), draft.clone());
            said_by_the_write(self.store.read(move |tx| LargeTexts::plan(tx, &owner, &item, &draft)).await)
        };
        let Some(texts) = plan().await? else { return Ok(None) };
        if !texts.needs_room() {
            return Ok(Some(texts));
        }
        let (owner, now) = (account.clone(), now_ms());
        self.store.write(move |tx| texts.make_room(tx, &owner, now)).await?;
        Ok(plan().await?.filter(|texts| !texts.needs_room()))
    }

    async fn restore_texts(&self, account: &Id, texts: LargeTexts) -> RuntimeResult<Option<Restored>> {
        let (texts, now) = (Arc::new(texts), now_ms());
        let (owner, begun) = (account.clone(), Arc::clone(&texts));
        let Some(mut hidden) = self.store.write(move |tx| begun.begin(tx, &owner, now)).await? else {
            return Ok(None);
        };
        for part in 0..texts.parts() {
            let (owner, texts) = (account.clone(), Arc::clone(&texts));
            let put = move |tx: &mut dyn Tx| texts.put_part(tx, &owner, hidden, part, now);
            let Some(next) = self.store.write(put).await? else { return Ok(None) };
            hidden = next;
        }
        let (owner, planned) = (account.clone(), Arc::clone(&texts));
        let events = tokio::task::spawn_blocking(move || planned.events(&owner, hidden)).await??;
        let owner = account.clone();
        self.write(account, move |tx| texts.finish(tx, &owner, (hidden, &events), now)).await.map(Some)
    }

    /// Purges an item of the trash.
    pub async fn purge_trash(&self, account: &Id, id: &Id) -> RuntimeResult<()> {
        let (owner, purged, now) = (account.clone(), id.clone(), now_ms());
        let item = id.clone();
        self.write(account, move |tx| trash::purge(tx, &owner, &item, now)).await?;
        // The item is gone; if its rows cannot be deleted now, the next pass of upkeep does it.
        if let Err(error) = self.purge_item(account, &purged).await {
            tracing::warn!(%error, "the rows of a purged item could not be deleted yet");
        }
        Ok(())
    }

    /// Deletes what a request has prepared for the trash and does not need.
    pub(crate) async fn drop_draft(&self, account: &Id, item: &Id) {
        let (owner, draft) = (account.clone(), item.clone());
        let mut dropped = self.store.write(move |tx| trash::drop_draft(tx, &owner, &draft)).await;
        if dropped.is_ok() {
            dropped = self.purge_item(account, item).await;
        }
        if let Err(error) = dropped {
            tracing::warn!(%error, "what was prepared for the trash could not be deleted yet; the next purge does it");
        }
    }

    /// Purges what has been in the trash for too long.
    pub(crate) async fn purge_old_trash(&self, account: &Id) -> RuntimeResult<()> {
        self.finish_deletions(account, None).await?;
        let (owner, before) = (account.clone(), self.drafts_given_up_before());
        let drafts = self.store.read_point(move |tx| trash::drafts(tx, &owner, before)).await?;
        for draft in drafts.into_iter().filter(|draft| !self.drafts.is_running(draft)) {
            let owner = account.clone();
            self.store.write(move |tx| trash::drop_draft(tx, &owner, &draft)).await?;
        }
        self.purge_expired(account, self.retention.trash_age_ms.map_or(1, |age| self.purge_time().saturating_sub(age)))
            .await
    }

    /// Drafts that were begun before this time are given up, unless this process works at them: a clock may have been set since. A SQLite
    /// file has one process; on PostgreSQL another one may be at work.
    fn drafts_given_up_before(&self) -> i64 {
        let before = now_ms().saturating_sub(trash::DRAFT_MS_MAX);
        if self.store.path().is_some() { before.max(self.upkeep.opened_at) } else { before }
    }

    /// Deletes the rows of items that were purged, or deleted before a time, in chunks.
    async fn purge_expired(&self, account: &Id, before: i64) -> RuntimeResult<()> {
        loop {
            let owner = account.clone();
            let expired = self.store.read_point(move |tx| trash::expired(tx, &owner, before)).await?;
            let Some(expired) = expired else { return Ok(()) };
            self.purge_some(account, expired).await?;
        }
    }

    /// Deletes the rows of one item that was purged.
    async fn purge_item(&self, account: &Id, id: &Id) -> RuntimeResult<()> {
        loop {
            let (owner, id) = (account.clone(), id.clone());
            let purged = self.store.read_point(move |tx| trash::purged(tx, &owner, &id)).await?;
            let Some(purged) = purged else { return Ok(()) };
            self.purge_some(account, purged).await?;
        }
    }

    async fn purge_some(&self, account: &Id, expired: Expired) -> RuntimeResult<()> {
        let (owner, job, now) = (account.clone(), new_id()?, now_ms());
        let purge = move |tx: &mut dyn Tx| trash::purge_some(tx, &owner, &expired, &job, now);
        if self.store.write(purge).await? {
            self.wakes.deletions.notify_one();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::order::NewSession;
    use crate::{Database, Options, Runtime, new_id};
    use tavernkeep_store::db::sql::Sql;
    use tavernkeep_store::db::tx::one;
    use tavernkeep_store::params;

    /// After the clock was set back, a draft that is begun now seems older than the process.
    #[tokio::test(flavor = "multi_thread")]
    async fn upkeep_leaves_a_draft_in_use_alone() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        runtime.create_session(&Runtime::default_account(), NewSession::default()).await.unwrap();
        let draft = new_id().unwrap();
        let sql = Sql::across_accounts(
            "INSERT INTO trash (account_id, session_row, id, deleted_at, kind, floors, pages, variables)
             SELECT account_id, session_row, ?1, -1000, 3, 0, 0, 0 FROM session",
        );
        let begun = draft.clone();
        runtime.store.write(move |tx| tx.execute(sql, params![&begun])).await.unwrap();
        let drafts = async || {
            let sql = Sql::across_accounts("SELECT COUNT(*) FROM trash WHERE deleted_at = -1000");
            runtime.store.read(move |tx| one::<i64>(tx, sql, params![], |row| row.int(0))).await.unwrap()
        };
        let running = runtime.drafts.run(&draft);
        runtime.purge().await.unwrap();
        assert_eq!(drafts().await, 1);
        drop(running);
        runtime.purge().await.unwrap();
        assert_eq!(drafts().await, 0);
        runtime.close().await;
    }
}
