//! Everything an account holds, a part at a time, as fast as the client reads it.

use crate::documents::Documents;
use crate::{Runtime, RuntimeError, RuntimeResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::vec::IntoIter;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::Hash;
use tavernkeep_store::StoreResult;
use tavernkeep_store::conversation::characters;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::upkeep::export::session::{self, ExportedFloors, Outline, VariablePosition};
use tavernkeep_store::upkeep::export::{self, Item};
use tavernkeep_store::upkeep::{accounts, check};
use tavernkeep_store::variables::global_snapshots;

/// States in one part. Each may be as large as a document can be.
const SNAPSHOTS_READ: i64 = 16;

/// An export that has begun. A session consists of what there was when its turn came; each of its parts is as it was when it
/// was read.
pub struct Export {
    runtime: Runtime,
    account: Id,
    globals: Option<Vec<Item>>,
    characters: IntoIter<Id>,
    global_snapshots: IntoIter<Id>,
    sessions: IntoIter<(i64, Id)>,
    /// The session that is being exported.
    cursor: Option<SessionCursor>,
    /// Not those that everybody uses: an export would drive all others out.
    documents: Arc<Documents>,
}

/// How far a session is exported.
#[derive(Clone)]
struct SessionCursor {
    session: Id,
    session_row: i64,
    outline: Arc<Outline>,
    next: Next,
}

/// What comes next of a session.
#[derive(Clone)]
enum Next {
    Floors(ExportedFloors),
    /// What was staged on this one of the pages that have something staged.
    Staged(usize),
    Variables(Option<VariablePosition>),
    /// What states were computed with.
    Recipes,
    /// The states behind a page's, and what those and the others were computed with.
    States(i64, BTreeSet<Hash>),
}

impl Runtime {
    /// Begins to read everything an account holds.
    pub async fn export_account(&self, id: &Id) -> RuntimeResult<Export> {
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
            cursor: None,
            documents: Arc::default(),
        })
    }
}

impl Export {
    /// The global variables, the characters, the global snapshots, then session after session, then nothing. A part may be
    /// empty.
    pub async fn next(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
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
        if let Some(items) = self.next_part().await? {
            return Ok(Some(items));
        }
        for (session_row, session) in self.sessions.by_ref() {
            let (account, id) = (self.account.clone(), session.clone());
            let read = move |tx: &mut dyn Tx| session::outline(tx, &account, &id, session_row);
            if let Some(mut outline) = unless_gone(self.runtime.store.read(read).await)? {
                let items = std::mem::take(&mut outline.items);
                let next = Next::Floors(ExportedFloors::default());
                self.cursor = Some(SessionCursor { session, session_row, outline: Arc::new(outline), next });
                return Ok(Some(items));
            }
        }
        Ok(None)
    }

    /// Some more of the session that was begun last; nothing if that was all, or if it is gone.
    async fn next_part(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
        let Some(cursor) = self.cursor.take() else { return Ok(None) };
        let (account, documents, order) = (self.account.clone(), Arc::clone(&self.documents), cursor.clone());
        let read = move |tx: &mut dyn Tx| {
            session::is_there(tx, &account, &order.session, order.session_row)?;
            order.read(tx, &account, &documents)
        };
        let Some((items, next)) = unless_gone(self.runtime.store.read(read).await)? else { return Ok(None) };
        self.cursor = next.map(|next| SessionCursor { next, ..cursor });
        Ok(Some(items))
    }
}

impl SessionCursor {
    /// The next part, and what comes behind it.
    fn read(&self, tx: &mut dyn Tx, account: &Id, documents: &Documents) -> StoreResult<(Vec<Item>, Option<Next>)> {
        let Outline { floors, staged, last_row, .. } = &*self.outline;
        let rows = (self.session_row, *last_row);
        let names = (&self.session, self.session_row);
        Ok(match &self.next {
            Next::Floors(position) => {
                let (items, position) = session::floors(tx, account, rows, floors, *position)?;
                let is_complete = position.floors >= floors.len();
                (items, Some(if is_complete { Next::Staged(0) } else { Next::Floors(position) }))
            }
            Next::Staged(at) => match staged.get(*at) {
                Some(page) => (session::staged(tx, account, page)?.into_iter().collect(), Some(Next::Staged(at + 1))),
                None => (Vec::new(), Some(Next::Variables(None))),
            },
            Next::Variables(after) => {
                let (items, last) = session::variables(tx, account, rows, after.as_ref())?;
                (items, Some(last.map_or(Next::Recipes, |last| Next::Variables(Some(last)))))
            }
            Next::Recipes => {
                let items = session::recipes(tx, account, names)?;
                let hash = |item: &Item| match item {
                    Item::Recipe(_, hash, _) => Some(*hash),
                    _ => None,
                };
                let known = items.iter().filter_map(hash).collect();
                (items, Some(Next::States(0, known)))
            }
            Next::States(after, known) => self.states(tx, account, documents, *after, known.clone())?,
        })
    }

    /// The next states. Where one was recomputed since, with something else, that comes before it.
    fn states(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        documents: &Documents,
        after: i64,
        mut known: BTreeSet<Hash>,
    ) -> StoreResult<(Vec<Item>, Option<Next>)> {
        let rows = (self.session_row, self.outline.last_row);
        let kept = session::snapshots(tx, account, &self.session, rows, after, SNAPSHOTS_READ)?;
        let Some(last) = kept.last().map(|snapshot| snapshot.page_row) else { return Ok((Vec::new(), None)) };
        let mut items = Vec::with_capacity(kept.len());
        for snapshot in kept {
            if known.insert(snapshot.recipe) {
                items.extend(session::recipe(tx, account, (&self.session, self.session_row), &snapshot.recipe)?);
            }
            let loaded = documents.load(tx, SessionKey::new(account, self.session_row), snapshot.version_row)?;
            items.push(Item::Snapshot(Box::new(snapshot), loaded.document));
        }
        Ok((items, Some(Next::States(last, known))))
    }
}

/// What is read, or nothing if it was deleted since the export began.
fn unless_gone<T>(read: RuntimeResult<T>) -> RuntimeResult<Option<T>> {
    match read {
        Err(RuntimeError::Refused(refusal)) if refusal.is_gone() => Ok(None),
        read => read.map(Some),
    }
}
