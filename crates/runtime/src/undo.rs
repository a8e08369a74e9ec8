//! Undo: what a page changed is undone by an edit by hand, and redo takes that edit back.

use crate::edits::{Edited, Edits};
use crate::record::Condition;
use crate::story::TRIES_MAX;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::restore::restore;
use tavernkeep_engine::story::Base;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::origins;
use tavernkeep_store::tree::SessionKey;

impl Runtime {
    /// Undoes what a page changed, or what it changed of one value: an edit that gives it the state before it, or that value.
    /// What lies before is processed first if it has to be, and then what follows.
    pub async fn undo(&self, account: &Id, page: &Id, path: Option<WrittenPath>) -> RuntimeResult<Edited> {
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(self.follow(account, edited).await);
        }
        let floor = self.page(account, page).await?.floor;
        if let (_, Some(job)) = self.process_some(account, Goal::Floor(floor)).await? {
            return Err(Refusal::BranchBusy(job.id).into());
        }
        let edited = self.take_back(account, page, path).await?;
        Ok(self.follow(account, edited).await)
    }

    /// Takes the last undo of a page back, and processes what follows.
    pub async fn redo(&self, account: &Id, page: &Id) -> RuntimeResult<Edited> {
        let edited = self.edit_page(account, page, Edits::Redo.into(), Condition::None).await?;
        Ok(self.follow(account, edited).await)
    }

    async fn take_back(&self, account: &Id, page: &Id, path: Option<WrittenPath>) -> RuntimeResult<Edited> {
        for _ in 0..TRIES_MAX {
            let before = self.before_page(account, page, path.clone()).await;
            let (snapshot, version_row, change) = before.map_err(|error| self.refuse(error))?;
            let condition = Condition::Revision(version_row);
            match self.edit_snapshot(account, &snapshot, Edits::Undo(change), condition).await {
                Err(RuntimeError::Refused(Refusal::SnapshotMoved)) => {}
                edited => return edited,
            }
        }
        Err(Refusal::ParentMoved.into())
    }

    /// A page's snapshot, its version, and what takes back what the page changed.
    async fn before_page(
        &self,
        account: &Id,
        page: &Id,
        path: Option<WrittenPath>,
    ) -> RuntimeResult<(Id, i64, Change)> {
        let (account, page, documents) = (account.clone(), page.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let own = origins::own(tx, &account, &page)?;
            let session = SessionKey::new(&account, own.session_row);
            let before = match own.base {
                Base::Version(row) => documents.load(tx, session, row)?.document,
                Base::Template => documents.first_state(tx, session)?.document,
                Base::Unprocessed => return Err(Refusal::ParentMoved.into()),
            };
            let now = documents.load(tx, session, own.version_row)?.document;
            let change = match &path {
                None => differences(&now, &before),
                Some(path) => match restore(&now, &before, &path.on(&now)) {
                    Some(change) => change,
                    None => return Ok(Err(RuntimeError::NotRestorable)),
                },
            };
            if change.is_empty() {
                return Ok(Err(RuntimeError::NothingToUndo));
            }
            Ok(Ok((own.snapshot, own.version_row, change)))
        };
        self.store.read(read).await?
    }
}
