//! States that are edited by hand, and what follows them. An edit is a patch beside the text of its page: what the text leads to
//! stays, and the page's edits are applied to it in order.

use crate::process::Followed;
use crate::record::Condition;
use crate::story::TRIES_MAX;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::edit::{EditOps, merge_patch};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json_patch::Patch;
use tavernkeep_engine::limits::{DOCUMENT_BYTES_MAX, PAGE_EDITS_MAX, PAGE_EDITS_MAX_FOR_UNDO};
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::error::PAGE_EDITS;
use tavernkeep_store::story::edits::{self, AppliedEdits, Edit, EditKind, Editable, Unedited};
use tavernkeep_store::story::snapshots::{self, Snapshot};
use tavernkeep_store::story::states;
use tavernkeep_store::story::versions::{Loaded, MadeOf, MadeWith, NewVersion};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{StoreError, StoreResult};

/// What is to become of a state by hand, and why.
#[derive(Debug, Clone)]
pub struct NewEdit {
    /// What.
    pub what: Edits,
    /// Why, in the person's words.
    pub reason: Option<String>,
}

/// What is to become of a state by hand.
#[derive(Debug, Clone)]
pub enum Edits {
    /// It becomes this document: what differs is the edit.
    State(Value),
    /// It is changed by a JSON Patch.
    Patch(Patch),
    /// It is changed by a merge patch.
    Merge(Value),
    /// One value of it is set.
    Set(WrittenPath, Value),
    /// What a page did is undone.
    Undo(Change),
    /// An edit of the page is taken back.
    TakeBack(Id),
    /// The last undo of the page is taken back.
    Redo,
}

impl Edits {
    /// Whether an edit is taken back and none is made.
    fn takes_back(&self) -> bool {
        matches!(self, Edits::TakeBack(_) | Edits::Redo)
    }
}

impl From<Value> for NewEdit {
    fn from(document: Value) -> NewEdit {
        Edits::State(document).into()
    }
}

impl From<Edits> for NewEdit {
    fn from(what: Edits) -> NewEdit {
        NewEdit { what, reason: None }
    }
}

/// A snapshot that was changed by hand: what is kept of such a request under its key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Edited {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Its document, where the response is not a stored one.
    #[serde(skip)]
    pub document: Option<Value>,
    /// Whether the state was fresh when it was stored: what lies before it may be stale. None if its page is gone.
    #[serde(default)]
    pub fresh: Option<bool>,
    /// What came of what follows; none where nothing was to be processed, and where that failed.
    pub followed: Option<Followed>,
}

/// The edits of a page, in the order in which they are applied.
#[derive(Debug, Clone)]
pub struct ListedEdits {
    /// All of them, those that were taken back too.
    pub edits: Vec<Edit>,
    /// Whether those that count rest, since the page has no state of its own now.
    pub rest: bool,
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
        edit: impl Into<NewEdit>,
        condition: Condition,
    ) -> RuntimeResult<Edited> {
        let edited = self.edit_snapshot(account, id, edit, condition).await?;
        Ok(self.follow(account, edited).await)
    }

    /// Changes the state of a page by hand. A page that was never processed is processed first. Edits that rest can be taken back.
    pub async fn edit_page(
        &self,
        account: &Id,
        page: &Id,
        edit: NewEdit,
        condition: Condition,
    ) -> RuntimeResult<Edited> {
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(edited);
        }
        let resting = match edit.what.takes_back() {
            true => {
                let (owner, page) = (account.clone(), page.clone());
                let found = self.store.read(move |tx| edits::resting_snapshot(tx, &owner, &page)).await;
                found.map_err(|error| self.refuse(error))?
            }
            false => None,
        };
        let snapshot = match resting {
            Some(snapshot) => snapshot,
            None => self.snapshot_of_page(account, page).await.map_err(|error| self.refuse(error))?,
        };
        self.edit_snapshot(account, &snapshot, edit, condition).await
    }

    /// The edits of a page.
    pub async fn edits(&self, account: &Id, page: &Id) -> RuntimeResult<ListedEdits> {
        let (account, page) = (account.clone(), page.clone());
        let read = move |tx: &mut dyn Tx| {
            let edits = edits::list(tx, &account, &page)?;
            let rest = edits.iter().any(Edit::counts) && edits::rest(tx, &account, &page)?;
            Ok(ListedEdits { edits, rest })
        };
        self.store.read(read).await
    }

    /// How many edits of a page rest; none where none does.
    pub async fn resting_edits(&self, account: &Id, page: &Id) -> Option<usize> {
        // The change that asks for it is stored, and its answer is right without.
        let listed = self.edits(account, page).await.ok().filter(|listed| listed.rest)?;
        Some(listed.edits.iter().filter(|edit| edit.counts()).count())
    }

    /// Processes what follows an edit, unless the response is a stored one.
    pub async fn follow(&self, account: &Id, mut edited: Edited) -> Edited {
        if edited.followed.is_none()
            && !self.was_replayed()
            && let Some(page) = edited.snapshot.page.clone()
        {
            edited.followed = self.process_behind(account, &page).await;
            if edited.fresh == Some(false) {
                edited = self.look_again(account, edited).await;
            }
            self.amend(account, edited.clone()).await;
        }
        edited
    }

    /// The state of a page that was stale when it was edited, as it is now: what was processed since began before it.
    async fn look_again(&self, account: &Id, edited: Edited) -> Edited {
        let (owner, id, documents) = (account.clone(), edited.snapshot.id.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let snapshot = snapshots::get(tx, &owner, &id)?;
            let session = SessionKey::new(&owner, snapshot.session_row);
            let document = documents.load(tx, session, snapshot.version_row)?.document;
            Ok(Edited { document: Some(document), ..Edited::of(tx, &owner, snapshot)? })
        };
        // The edit is stored, and the answer as it was then is right for that moment.
        self.store.read(read).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "an edited state could not be read again");
            edited
        })
    }

    /// Changes a snapshot by hand. What follows builds on it and is stale until it is processed.
    pub async fn edit_snapshot(
        &self,
        account: &Id,
        id: &Id,
        edit: impl Into<NewEdit>,
        condition: Condition,
    ) -> RuntimeResult<Edited> {
        let edit = edit.into();
        // The version that a repeated edit expects is the one before itself.
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(edited);
        }
        let takes_back = edit.what.takes_back();
        for _ in 0..TRIES_MAX {
            let (owner, wanted, documents) = (account.clone(), id.clone(), Arc::clone(&self.documents));
            let read = move |tx: &mut dyn Tx| {
                let editable = edits::prepare(tx, &owner, &wanted, condition, takes_back)?;
                let session = SessionKey::new(&owner, editable.snapshot.session_row);
                let loaded = documents.load(tx, session, editable.snapshot.version_row)?;
                let unedited = match &editable.unedited {
                    Unedited::Version(row) => documents.load(tx, session, *row)?.document,
                    Unedited::Without(ops) => without(ops.clone(), &loaded)?,
                };
                Ok((editable, loaded, unedited))
            };
            let (editable, loaded, unedited) = self.store.read(read).await.map_err(|error| self.refuse(error))?;
            let now = now_ms();
            let edited = edited(&edit, &editable, &loaded.document, now).map_err(|error| self.refuse(error))?;
            let mut document = loaded.document.clone();
            let stored = match edited {
                Some(after) => {
                    let version;
                    (version, document) = recomputed(&editable, &after, &loaded, unedited);
                    let (owner, written) = (account.clone(), after.written);
                    let write = move |tx: &mut dyn Tx| {
                        let snapshot = edits::store(tx, &owner, &editable, &written, &version, now)?;
                        Edited::of(tx, &owner, snapshot)
                    };
                    self.write(account, write).await
                }
                None => {
                    let (owner, wanted) = (account.clone(), id.clone());
                    let read = move |tx: &mut dyn Tx| {
                        let snapshot = snapshots::get(tx, &owner, &wanted)?;
                        Edited::of(tx, &owner, snapshot)
                    };
                    self.write(account, read).await
                }
            };
            match stored {
                Err(RuntimeError::Refused(Refusal::ParentMoved)) => {}
                // The edit is stored: nothing has to be read again to answer it.
                Ok(edited) if !self.was_replayed() => return Ok(Edited { document: Some(document), ..edited }),
                answer => return answer,
            }
        }
        Err(Refusal::ParentMoved.into())
    }
}

/// The document that a text led to, before these ops of edits.
fn without(ops: Vec<tavernkeep_engine::op::Op>, loaded: &Loaded) -> StoreResult<Value> {
    let misfit = |error| StoreError::Corrupt(format!("the edits of a state cannot be taken back: {error}"));
    Change { ops }.inverse().apply(&loaded.document).map_err(misfit)
}

/// The edits of a page after a request.
struct AfterEdit {
    all: Vec<Edit>,
    /// Those that are to be written.
    written: Vec<Edit>,
}

/// What the edits of a page are after a request; none if it changes nothing.
fn edited(edit: &NewEdit, editable: &Editable, document: &Value, now: i64) -> RuntimeResult<Option<AfterEdit>> {
    let fitting = |patch: &Patch| patch.change(document, DOCUMENT_BYTES_MAX).map_err(Refusal::PatchMisfit);
    let change = match &edit.what {
        Edits::State(state) => differences(document, state),
        Edits::Patch(patch) => fitting(patch)?,
        Edits::Set(path, value) => fitting(&Patch::set(document, path, value.clone()))?,
        Edits::Merge(patch) => merge_patch(document, patch),
        Edits::Undo(change) => change.clone(),
        Edits::TakeBack(id) => {
            let found = editable.edits.edits.iter().position(|edit| edit.id == *id);
            let found = found.ok_or_else(|| Refusal::EditNotFound(id.clone()))?;
            return Ok(taken_back(editable, found, now));
        }
        Edits::Redo => {
            let is_undo = |edit: &Edit| edit.kind == EditKind::Undo && edit.counts();
            let found = editable.edits.edits.iter().rposition(is_undo).ok_or(RuntimeError::NothingToRedo)?;
            return Ok(taken_back(editable, found, now));
        }
    };
    let ops = EditOps::of(document, &change);
    if ops.is_empty() {
        return Ok(None);
    }
    let after = change.apply(document).ok().filter(|after| after.as_object().is_some());
    let after = after.ok_or(RuntimeError::NotAnObject)?;
    // A patch may put the values that are there. On a stale page they will be others.
    if editable.is_fresh && differences(document, &after).ops.is_empty() {
        return Ok(None);
    }
    let counting = editable.edits.edits.iter().filter(|edit| edit.counts()).count();
    room_for(&edit.what, i64::try_from(counting).unwrap_or(i64::MAX))?;
    let kind = if matches!(edit.what, Edits::Undo(_)) { EditKind::Undo } else { EditKind::Edit };
    let (number, id, reason) = (editable.edits.next_number(), crate::new_id()?, edit.reason.clone());
    let mut all = editable.edits.edits.clone();
    let mut written = if editable.edits.is_old { all.clone() } else { Vec::new() };
    let new = Edit { number, id, kind, at: now, taken_back_at: None, reason, ops };
    written.push(new.clone());
    all.push(new);
    Ok(Some(AfterEdit { all, written }))
}

/// Refuses another edit of a page that has so many. A page that has as many as it may have can still be undone.
fn room_for(edit: &Edits, counting: i64) -> Result<(), Refusal> {
    let max = if matches!(edit, Edits::Undo(_)) { PAGE_EDITS_MAX_FOR_UNDO } else { PAGE_EDITS_MAX };
    if counting < max { Ok(()) } else { Err(Refusal::TooMany(PAGE_EDITS, max)) }
}

fn taken_back(editable: &Editable, found: usize, now: i64) -> Option<AfterEdit> {
    let mut all = editable.edits.edits.clone();
    let edit = all.get_mut(found).filter(|edit| edit.counts())?;
    edit.taken_back_at = Some(now);
    let written = vec![edit.clone()];
    Some(AfterEdit { all, written })
}

/// The version of the same text with other edits, and its document.
fn recomputed(editable: &Editable, after: &AfterEdit, loaded: &Loaded, unedited: Value) -> (NewVersion, Value) {
    let mut document = unedited;
    let applied = AppliedEdits::apply(&after.all, &mut document);
    let MadeOf { text_hash, clock_ms, round, .. } = editable.made_of;
    let made_with = MadeWith { text_hash, recipe: editable.recipe, clock_ms, round };
    let text = editable.text.clone();
    (NewVersion::of_edits(made_with, text, loaded.mvu_schema.as_ref(), &applied, &document), document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_all_edits_it_may_have_can_be_undone() {
        let (edit, undo) = (Edits::State(Value::empty_object()), Edits::Undo(Change::default()));
        assert!(room_for(&edit, PAGE_EDITS_MAX - 1).is_ok());
        assert!(matches!(room_for(&edit, PAGE_EDITS_MAX), Err(Refusal::TooMany(PAGE_EDITS, PAGE_EDITS_MAX))));
        assert!(room_for(&undo, PAGE_EDITS_MAX).is_ok());
        assert!(room_for(&undo, PAGE_EDITS_MAX_FOR_UNDO).is_err(), "even that has an end");
    }
}
