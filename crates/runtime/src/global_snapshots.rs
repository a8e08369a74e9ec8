//! Global snapshots: states that belong to no page, saved from one or written by hand, and given to one.

use crate::edits::Edited;
use crate::record::{Condition, Listed, Window};
use crate::{Refusal, Runtime, RuntimeResult, new_id, now_ms};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::variables::global_snapshots::{
    self, GlobalSnapshot, GlobalSnapshotPatch, NewGlobalSnapshot, StoredBody,
};

/// A global snapshot to make.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalSnapshotOrder {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where its document comes from.
    pub source: SnapshotSource,
}

/// Where the document of a global snapshot comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum SnapshotSource {
    /// It was written by hand.
    Document(Value),
    /// It is the state at a page.
    Page(Id),
    /// It is that of a snapshot.
    Snapshot(Id),
}

impl Runtime {
    /// Makes a global snapshot.
    pub async fn create_global_snapshot(
        &self,
        account: &Id,
        order: GlobalSnapshotOrder,
    ) -> RuntimeResult<GlobalSnapshot> {
        // What a repeated request would copy is perhaps another state now.
        if let Some(made) = self.stored_response(account).await? {
            return Ok(made);
        }
        let document = match order.source {
            SnapshotSource::Document(document) => document,
            SnapshotSource::Page(page) => self.state_of_page(account, &page).await?.document,
            SnapshotSource::Snapshot(snapshot) => self.snapshot(account, &snapshot).await?.1,
        };
        let GlobalSnapshotOrder { id, name, description, tags, .. } = order;
        let id = id.map_or_else(new_id, Ok)?;
        let new = NewGlobalSnapshot { id, name, description, tags, body: StoredBody::from(&document) };
        let (owner, quotas, now) = (account.clone(), self.quotas, now_ms());
        self.write(account, move |tx| global_snapshots::create(tx, &owner, &new, &quotas, now)).await
    }

    /// Lists global snapshots by their last change; with a tag only those that have it.
    pub async fn global_snapshots(
        &self,
        account: &Id,
        tag: Option<String>,
        window: Window,
    ) -> RuntimeResult<Listed<GlobalSnapshot>> {
        let account = account.clone();
        self.store.read(move |tx| global_snapshots::list(tx, &account, tag.as_deref(), window)).await
    }

    /// Reads a global snapshot with its document.
    pub async fn global_snapshot(&self, account: &Id, id: &Id) -> RuntimeResult<(GlobalSnapshot, Value)> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| global_snapshots::with_body(tx, &account, &id)).await
    }

    /// Changes a global snapshot.
    pub async fn update_global_snapshot(
        &self,
        account: &Id,
        id: &Id,
        patch: GlobalSnapshotPatch,
        condition: Condition,
    ) -> RuntimeResult<GlobalSnapshot> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| global_snapshots::update(tx, &owner, &id, &patch, condition, now)).await
    }

    /// Gives a page the state of a global snapshot, as an edit by hand, and processes what follows.
    pub async fn apply_global_snapshot(&self, account: &Id, id: &Id, page: &Id) -> RuntimeResult<Edited> {
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(self.follow(account, edited).await);
        }
        let (_, document) = self.global_snapshot(account, id).await?;
        let snapshot = self.snapshot_of_page(account, page).await?;
        self.save_snapshot(account, &snapshot, document, Condition::None).await
    }

    /// The snapshot of a page, which is processed if it was not.
    pub(crate) async fn snapshot_of_page(&self, account: &Id, page: &Id) -> RuntimeResult<Id> {
        let mut at = self.state_of_page(account, page).await?.at;
        if at.stale == Some(StaleReason::Unprocessed) {
            let goal = Goal::Floor(self.page(account, page).await?.floor);
            if let (_, Some(job)) = self.process_some(account, goal).await? {
                return Err(Refusal::BranchBusy(job.id).into());
            }
            at = self.state_of_page(account, page).await?.at;
        }
        let own = at.snapshot.filter(|_| !at.inherited && at.page.as_ref() == Some(page));
        own.ok_or_else(|| Refusal::PageWithoutState(page.clone()).into())
    }

    /// Takes all global snapshots of an account away, some at a time.
    pub(crate) async fn purge_global_snapshots(&self, account: &Id) -> RuntimeResult<()> {
        loop {
            let owner = account.clone();
            if self.store.write(move |tx| global_snapshots::purge(tx, &owner, PURGED_AT_ONCE)).await? == 0 {
                return Ok(());
            }
        }
    }
}

/// Global snapshots that are taken away in one transaction: each may be as large as a document.
const PURGED_AT_ONCE: i64 = 20;
