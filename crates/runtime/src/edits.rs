//! States that are edited by hand, and what follows them.

use crate::process::Followed;
use crate::record::Condition;
use crate::story::TRIES_MAX;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::snapshots::Snapshot;
use tavernkeep_store::story::versions::{Before, MadeOf, MadeWith, NewVersion};
use tavernkeep_store::story::{edits, settings, states};
use tavernkeep_store::tree::SessionKey;

/// A snapshot that was changed by hand: what is kept of such a request under its key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Edited {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Its document, where that is not what the caller brought and the response is not a stored one.
    #[serde(skip)]
    pub document: Option<Value>,
    /// Whether the state could be believed when it was stored: what lies before it may be stale. None if its page is gone.
    #[serde(default)]
    pub fresh: Option<bool>,
    /// What came of what follows; none where nothing was to be processed, and where that failed.
    pub followed: Option<Followed>,
}

impl Edited {
    fn of(tx: &mut dyn Tx, account: &Id, snapshot: Snapshot) -> StoreResult<Edited> {
        let fresh = states::of_snapshot(tx, account, &snapshot)?.map(|at| at.stale.is_none());
        Ok(Edited { snapshot, document: None, fresh, followed: None })
    }
}

impl Runtime {
    /// Saves a snapshot that was changed by hand, and processes what follows on the branch of its page.
    pub async fn save_snapshot(
        &self,
        account: &Id,
        id: &Id,
        document: Value,
        condition: Condition,
    ) -> RuntimeResult<Edited> {
        let edited = self.edit_snapshot(account, id, document, condition).await?;
        Ok(self.follow(account, edited).await)
    }

    /// Processes what follows an edit, unless the response is a stored one.
    pub(crate) async fn follow(&self, account: &Id, mut edited: Edited) -> Edited {
        if edited.followed.is_none()
            && let Some(page) = edited.snapshot.page.clone()
        {
            let followed = self.process_behind(account, &page).await;
            // A repeated edit whose processing did not finish gets the stored response.
            if !self.was_replayed() {
                edited.followed = followed;
                self.amend(account, edited.clone()).await;
            }
        }
        edited
    }

    /// Gives a snapshot another document by hand. What follows builds on it and is stale until it is processed.
    pub async fn edit_snapshot(
        &self,
        account: &Id,
        id: &Id,
        document: Value,
        condition: Condition,
    ) -> RuntimeResult<Edited> {
        // The version that a repeated edit expects is the one before itself.
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(edited);
        }
        for _ in 0..TRIES_MAX {
            let (owner, wanted, documents) = (account.clone(), id.clone(), Arc::clone(&self.documents));
            let read = move |tx: &mut dyn Tx| {
                let (snapshot, made_of) = edits::prepare(tx, &owner, &wanted, condition)?;
                let session = SessionKey::new(&owner, snapshot.session_row);
                let loaded = documents.load(tx, session, snapshot.version_row)?;
                let recipe = settings::read(tx, session)?.recipe;
                Ok((made_of, loaded, recipe))
            };
            let (made_of, loaded, recipe) = self.store.read(read).await?;
            let now = now_ms();
            let change = diff(&loaded.document, &document);
            let MadeOf { text_hash, clock_ms, round, .. } = made_of;
            let made_with = MadeWith { text_hash, recipe, clock_ms, round };
            let before = Before { mvu_schema: loaded.mvu_schema, since: Some(loaded.since) };
            let version = NewVersion::of_edit(made_with, &before, &change, &document, now);
            let (owner, wanted) = (account.clone(), id.clone());
            let write = move |tx: &mut dyn Tx| {
                let snapshot = edits::store(tx, &owner, &wanted, &made_of, &version, now)?;
                Edited::of(tx, &owner, snapshot)
            };
            match self.write(account, write).await {
                Err(RuntimeError::Refused(Refusal::ParentMoved)) => {}
                answer => return answer,
            }
        }
        Err(Refusal::ParentMoved.into())
    }
}
