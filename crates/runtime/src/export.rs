//! Everything an account holds, a part at a time, as fast as somebody takes it.

use crate::documents::Documents;
use crate::{Runtime, StoreError, StoreResult, now_ms};
use std::sync::Arc;
use std::vec::IntoIter;
use tavernkeep_engine::id::Id;
use tavernkeep_store::export::{self, Item};
use tavernkeep_store::tx::Tx;
use tavernkeep_store::{accounts, characters, check, global_snapshots};

/// States in one part. Each may be as large as a document can be.
const SNAPSHOTS_READ: i64 = 16;

/// An export that has begun: each session as it was at one moment, then its states.
pub struct Export {
    runtime: Runtime,
    account: Id,
    globals: Option<Vec<Item>>,
    characters: IntoIter<Id>,
    global_snapshots: IntoIter<Id>,
    sessions: IntoIter<(i64, Id)>,
    /// The session whose states are being read, and the page of the last one.
    states: Option<(i64, Id, i64)>,
    /// Not those that everybody uses: an export would drive all others out.
    documents: Arc<Documents>,
}

impl Runtime {
    /// Begins to read everything an account holds.
    pub async fn export_account(&self, id: &Id) -> StoreResult<Export> {
        let account = id.clone();
        let read = move |tx: &mut dyn Tx| {
            accounts::get(tx, &account)?;
            let characters = characters::ids(tx, &account)?;
            let global_snapshots = global_snapshots::ids(tx, &account)?;
            Ok((export::globals(tx, &account)?, characters, global_snapshots, check::sessions(tx, &account)?))
        };
        let (globals, characters, global_snapshots, sessions) = self.store.read(read).await?;
        Ok(Export {
            runtime: self.clone(),
            account: id.clone(),
            globals: Some(globals),
            characters: characters.into_iter(),
            global_snapshots: global_snapshots.into_iter(),
            sessions: sessions.into_iter(),
            states: None,
            documents: Arc::default(),
        })
    }
}

impl Export {
    /// The global variables, the characters, the global snapshots, then session after session, then nothing.
    pub async fn next(&mut self) -> StoreResult<Option<Vec<Item>>> {
        if let Some(globals) = self.globals.take() {
            return Ok(Some(globals));
        }
        for id in self.characters.by_ref() {
            let character = self.runtime.character(&self.account, &id).await;
            if let Some(character) = unless_gone(character)? {
                return Ok(Some(vec![Item::Character(Box::new(character))]));
            }
        }
        for id in self.global_snapshots.by_ref() {
            let snapshot = self.runtime.global_snapshot(&self.account, &id).await;
            if let Some((snapshot, body)) = unless_gone(snapshot)? {
                return Ok(Some(vec![Item::GlobalSnapshot(snapshot, body)]));
            }
        }
        if let Some(states) = self.next_states().await? {
            return Ok(Some(states));
        }
        for (session_row, session) in self.sessions.by_ref() {
            let (account, id, now) = (self.account.clone(), session.clone(), now_ms());
            let read = move |tx: &mut dyn Tx| export::session(tx, &account, &id, session_row, now);
            if let Some(items) = unless_gone(self.runtime.store.read(read).await)? {
                self.states = Some((session_row, session, 0));
                return Ok(Some(items));
            }
        }
        Ok(None)
    }

    /// Some more states of the session that was told last.
    async fn next_states(&mut self) -> StoreResult<Option<Vec<Item>>> {
        let Some((session_row, session, after)) = self.states.take() else { return Ok(None) };
        let (account, owner, documents) = (self.account.clone(), session.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let kept = export::snapshots(tx, &account, (&owner, session_row), after, SNAPSHOTS_READ)?;
            let last = kept.last().map(|snapshot| snapshot.page_row);
            let whole = |snapshot: export::KeptSnapshot| {
                let loaded = documents.load(tx, &account, session_row, snapshot.version_row)?;
                Ok(Item::Snapshot(Box::new(snapshot), loaded.document))
            };
            Ok((last, kept.into_iter().map(whole).collect::<StoreResult<Vec<_>>>()?))
        };
        let (last, items) = self.runtime.store.read(read).await?;
        let Some(last) = last else { return Ok(None) };
        self.states = Some((session_row, session, last));
        Ok(Some(items))
    }
}

/// What is read, or nothing if it was deleted since the export began.
fn unless_gone<T>(read: StoreResult<T>) -> StoreResult<Option<T>> {
    match read {
        Err(StoreError::Refused(_)) => Ok(None),
        read => read.map(Some),
    }
}
