//! Undo: what a page changed is taken back, as an edit by hand.

use crate::process::{Mode, ProcessOrder};
use crate::record::Condition;
use crate::story::TRIES_MAX;
use crate::{Refusal, Runtime, StoreError, StoreResult};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::restore::restore;
use tavernkeep_engine::story::Ground;
use tavernkeep_store::story::plan::Goal;
use tavernkeep_store::story::snapshots::Snapshot;
use tavernkeep_store::story::{origins, settings};
use tavernkeep_store::tx::Tx;

impl Runtime {
    /// Gives a page the state that lies before it, or one value of that state. What lies before is processed first if it has
    /// to be; what follows is not.
    pub async fn undo(&self, account: &Id, page: &Id, path: Option<WrittenPath>) -> StoreResult<Snapshot> {
        if let Some(edited) = self.told_before(account).await? {
            return Ok(edited);
        }
        let floor = self.page(account, page).await?.floor;
        self.process_goal(account, Goal::Floor(floor), ProcessOrder::of(Mode::Stale)).await?;
        for _ in 0..TRIES_MAX {
            let before = match self.before_page(account, page, path.clone()).await {
                // Whoever asks again under the same key hears the same.
                Err(StoreError::Refused(refusal)) => {
                    return self.write(account, move |_| Err(refusal.clone().into())).await;
                }
                before => before?,
            };
            let (snapshot, version_row, document) = before;
            match self.edit_snapshot(account, &snapshot, document, Condition::Revision(version_row)).await {
                Err(StoreError::Refused(Refusal::SnapshotMoved)) => {}
                answer => return answer,
            }
        }
        Err(Refusal::ParentMoved.into())
    }

    /// A page's snapshot, its version, and the document it has without what the page changed.
    async fn before_page(&self, account: &Id, page: &Id, path: Option<WrittenPath>) -> StoreResult<(Id, i64, Value)> {
        let (account, page, documents) = (account.clone(), page.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let own = origins::own(tx, &account, &page)?;
            let before = match own.ground {
                Ground::Version(row) => documents.load(tx, &account, own.session_row, row)?.document,
                Ground::Template => settings::template(tx, &account, own.session_row)?,
                Ground::Unprocessed => return Err(Refusal::ParentMoved.into()),
            };
            let document = match &path {
                None => before,
                Some(path) => {
                    let now = documents.load(tx, &account, own.session_row, own.version_row)?.document;
                    restore(&now, &before, &path.on(&now)).ok_or(Refusal::NotRestorable)?
                }
            };
            Ok((own.snapshot, own.version_row, document))
        };
        self.store.read(read).await
    }
}
