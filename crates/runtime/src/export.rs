//! Everything an account holds, a part at a time, as fast as the client reads it.
//!
//! What cannot be read because it is damaged becomes a line that says so ([`Item::Damaged`]), and the export goes on behind it:
//! a person who exports a damaged database wants all the rest.

mod session;

use crate::documents::Documents;
use crate::{Runtime, RuntimeError, RuntimeResult};
use session::{Next, SessionCursor};
use std::sync::Arc;
use std::vec::IntoIter;
use tavernkeep_engine::id::Id;
use tavernkeep_store::StoreResult;
use tavernkeep_store::conversation::characters;
use tavernkeep_store::conversation::trash::{self, PAGES_MAX};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::upkeep::export::session::{self as stored_session, VariablePosition};
use tavernkeep_store::upkeep::export::{self, Damaged, GLOBALS, Item};
use tavernkeep_store::upkeep::{accounts, check};
use tavernkeep_store::variables::global_snapshots;

/// Lines that are read in one part, where nothing is damaged; what they hold limits it further.
const MANY: usize = usize::MAX;

/// An export that has begun. A session consists of what there was when its turn came; each of its parts is as it was when it
/// was read.
pub struct Export {
    runtime: Runtime,
    account: Id,
    /// What cannot be listed, and is left out therefore.
    unlisted: Vec<Item>,
    variables: GlobalVariables,
    globals: std::ops::Range<usize>,
    characters: IntoIter<Id>,
    global_snapshots: IntoIter<Id>,
    sessions: IntoIter<(i64, Id)>,
    trash: IntoIter<Id>,
    /// An item of the trash that is being exported, and how far.
    trash_part: Option<(Id, i64)>,
    /// The session that is being exported.
    cursor: Option<SessionCursor>,
    /// Not those that everybody uses: an export would drive all others out.
    documents: Arc<Documents>,
}

/// What an account consists of, at one moment.
struct Lists {
    characters: Vec<Id>,
    global_snapshots: Vec<Id>,
    sessions: Vec<(i64, Id)>,
    trash: Vec<Id>,
}

/// How far the global variables are exported.
enum GlobalVariables {
    After(Option<VariablePosition>),
    Exported,
}

impl Runtime {
    /// Begins to read everything an account holds.
    pub async fn export_account(&self, id: &Id) -> RuntimeResult<Export> {
        let account = id.clone();
        let read = move |tx: &mut dyn Tx| {
            accounts::get(tx, &account)?;
            let characters = characters::ids(tx, &account)?;
            let global_snapshots = global_snapshots::ids(tx, &account)?;
            let trash = trash::ids(tx, &account)?;
            Ok(Lists { characters, global_snapshots, sessions: check::sessions(tx, &account)?, trash })
        };
        let (lists, unlisted) = match self.store.read(read).await {
            Err(RuntimeError::Damaged(_)) => self.readable_lists(id).await?,
            lists => (lists?, Vec::new()),
        };
        let Lists { characters, global_snapshots, sessions, trash } = lists;
        Ok(Export {
            unlisted,
            runtime: self.clone(),
            account: id.clone(),
            variables: GlobalVariables::After(None),
            globals: 0..GLOBALS.len(),
            characters: characters.into_iter(),
            global_snapshots: global_snapshots.into_iter(),
            sessions: sessions.into_iter(),
            trash: trash.into_iter(),
            trash_part: None,
            cursor: None,
            documents: Arc::default(),
        })
    }

    /// The lists that can be read, one by one, and lines that name the others.
    async fn readable_lists(&self, account: &Id) -> RuntimeResult<(Lists, Vec<Item>)> {
        let mut unlisted = Vec::new();
        let characters = self.listed(account, "character", characters::ids, &mut unlisted).await?;
        let global_snapshots = self.listed(account, "global_snapshot", global_snapshots::ids, &mut unlisted).await?;
        let trash = self.listed(account, "trash", trash::ids, &mut unlisted).await?;
        let mut sessions = self.listed(account, "session", check::sessions, &mut unlisted).await?;
        if sessions.is_empty() {
            // The index of ids stands on other pages than the table, and names the sessions all the same.
            sessions = self.listed(account, "session", check::sessions_by_id, &mut unlisted).await?;
        }
        Ok((Lists { characters, global_snapshots, sessions, trash }, unlisted))
    }

    /// The ids of a kind. Where they cannot be read, a line of the export says so.
    async fn listed<T: Send + 'static>(
        &self,
        account: &Id,
        what: &'static str,
        list: fn(&mut dyn Tx, &Id) -> StoreResult<Vec<T>>,
        unlisted: &mut Vec<Item>,
    ) -> RuntimeResult<Vec<T>> {
        let account = account.clone();
        match self.store.read(move |tx: &mut dyn Tx| list(tx, &account)).await {
            Err(RuntimeError::Damaged(message)) => {
                unlisted.push(damaged(None, what, None, message));
                Ok(Vec::new())
            }
            listed => listed,
        }
    }
}

impl Export {
    /// The global variables and functions, the characters, the global snapshots, then session after session, the trash, then nothing. A
    /// part may be empty.
    pub async fn next(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
        if !self.unlisted.is_empty() {
            return Ok(Some(std::mem::take(&mut self.unlisted)));
        }
        if let GlobalVariables::After(after) = &self.variables {
            let after = after.clone();
            return self.global_variables(after).await.map(Some);
        }
        if let Some(number) = self.globals.next() {
            let ((what, read), account) = (GLOBALS[number], self.account.clone());
            let items = self.runtime.store.read(move |tx| read(tx, &account)).await;
            return unless_damaged(items, None, what, None).map(Some);
        }
        for id in self.characters.by_ref() {
            let (account, character) = (self.account.clone(), id.clone());
            let read = move |tx: &mut dyn Tx| export::character(tx, &account, &character);
            let items = unless_gone(self.runtime.store.read(read).await).transpose();
            if let Some(items) = items {
                return unless_damaged(items, None, "character", Some(id.to_string())).map(Some);
            }
        }
        for id in self.global_snapshots.by_ref() {
            let snapshot = unless_gone(self.runtime.global_snapshot(&self.account, &id).await).transpose();
            if let Some(snapshot) = snapshot {
                let items = snapshot.map(|(snapshot, body)| vec![Item::GlobalSnapshot(snapshot, body)]);
                return unless_damaged(items, None, "global_snapshot", Some(id.to_string())).map(Some);
            }
        }
        if let Some(items) = self.next_part().await? {
            return Ok(Some(items));
        }
        match self.next_session().await? {
            Some(items) => Ok(Some(items)),
            None => self.next_trash().await,
        }
    }

    /// Some more of what is in the trash.
    async fn next_trash(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
        loop {
            let Some((id, offset)) = self.trash_part.take().or_else(|| Some((self.trash.next()?, 0))) else {
                return Ok(None);
            };
            let read = self.runtime.trash_item(&self.account, &id, PAGES_MAX, offset).await;
            let Some(read) = unless_gone(read).transpose() else { continue };
            let items = read.map(|(item, content)| {
                self.trash_part = content.next_offset.map(|next| (id.clone(), next));
                vec![Item::Trash(Box::new(item), Box::new(content))]
            });
            return unless_damaged(items, None, "trash", Some(id.to_string())).map(Some);
        }
    }

    /// Begins the next session that is there: itself and its branches.
    async fn next_session(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
        for (session_row, session) in self.sessions.by_ref() {
            let (account, id) = (self.account.clone(), session.clone());
            let read = move |tx: &mut dyn Tx| stored_session::head(tx, &account, &id, session_row);
            let Some(head) = unless_gone(self.runtime.store.read(read).await).transpose() else { continue };
            let mut items = unless_damaged(head, Some(&session), "session", Some(session.to_string()))?;
            let account = self.account.clone();
            let read = move |tx: &mut dyn Tx| stored_session::outline(tx, &account, session_row);
            match self.runtime.store.read(read).await {
                Ok(outline) => self.cursor = Some(SessionCursor::new(session, session_row, outline)),
                Err(RuntimeError::Damaged(message)) => {
                    items.push(damaged(Some(&session), "floor", None, message));
                }
                Err(error) => return Err(error),
            }
            return Ok(Some(items));
        }
        Ok(None)
    }

    async fn global_variables(&mut self, after: Option<VariablePosition>) -> RuntimeResult<Vec<Item>> {
        for most in [i64::MAX, 1] {
            let (account, from) = (self.account.clone(), after.clone());
            let read = move |tx: &mut dyn Tx| stored_session::variables(tx, &account, GLOBAL, from.as_ref(), most);
            match self.runtime.store.read(read).await {
                Ok((items, last)) => {
                    self.variables = last.map_or(GlobalVariables::Exported, |last| GlobalVariables::After(Some(last)));
                    return Ok(items);
                }
                Err(RuntimeError::Damaged(message)) if most == 1 => {
                    let account = self.account.clone();
                    let read =
                        move |tx: &mut dyn Tx| stored_session::next_variable(tx, &account, GLOBAL, after.as_ref());
                    let skipped = self.runtime.store.read(read).await;
                    let (id, next) = match unless_unreadable(skipped)?.flatten() {
                        Some((id, position)) => (Some(id), GlobalVariables::After(Some(position))),
                        None => (None, GlobalVariables::Exported),
                    };
                    self.variables = next;
                    return Ok(vec![damaged(None, "variable", id, message)]);
                }
                Err(RuntimeError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Vec::new())
    }

    /// Some more of the session that was begun last; nothing if that was all, or if it is gone. Where a part cannot be read, its
    /// lines are read one by one, until the damaged one.
    async fn next_part(&mut self) -> RuntimeResult<Option<Vec<Item>>> {
        let Some(cursor) = self.cursor.take() else { return Ok(None) };
        let most = if cursor.careful { 1 } else { MANY };
        let (account, documents, order) = (self.account.clone(), Arc::clone(&self.documents), cursor.clone());
        let read = move |tx: &mut dyn Tx| {
            stored_session::is_there(tx, &account, &order.session, order.session_row)?;
            order.read(tx, &account, &documents, most)
        };
        match unless_gone(self.runtime.store.read(read).await) {
            Ok(None) => Ok(None),
            Ok(Some((items, next))) => {
                self.cursor = next.map(|next| SessionCursor { next, ..cursor });
                Ok(Some(items))
            }
            Err(RuntimeError::Damaged(_)) if !cursor.careful => {
                self.cursor = Some(SessionCursor { careful: true, ..cursor });
                Ok(Some(Vec::new()))
            }
            Err(RuntimeError::Damaged(message)) => {
                let (item, next) = self.skip(&cursor, message).await?;
                self.cursor = next.map(|next| SessionCursor { next, careful: false, ..cursor });
                Ok(Some(vec![item]))
            }
            Err(error) => Err(error),
        }
    }

    /// Says what cannot be read, and what comes behind it.
    async fn skip(&self, cursor: &SessionCursor, message: String) -> RuntimeResult<(Item, Option<Next>)> {
        let (account, order) = (self.account.clone(), cursor.clone());
        let named = self.runtime.store.read(move |tx| order.skip(tx, &account)).await;
        // Where not even the names can be read, the rest of the kind is left out.
        let ((what, id), next) = unless_unreadable(named)?.unwrap_or_else(|| cursor.skip_kind());
        Ok((damaged(Some(&cursor.session), what, id, message), next))
    }
}

/// The rows of global variables.
const GLOBAL: (i64, i64) = (0, i64::MAX);

fn damaged(session: Option<&Id>, what: &'static str, id: Option<String>, message: String) -> Item {
    tracing::warn!(?session, what, id, message, "an export leaves out what is damaged");
    Item::Damaged(Damaged { session: session.cloned(), what, id, message })
}

/// What is read, or a line that says that it is damaged.
fn unless_damaged(
    items: RuntimeResult<Vec<Item>>,
    session: Option<&Id>,
    what: &'static str,
    id: Option<String>,
) -> RuntimeResult<Vec<Item>> {
    match items {
        Err(RuntimeError::Damaged(message)) => Ok(vec![damaged(session, what, id, message)]),
        items => items,
    }
}

/// What is read, or nothing where it is damaged.
fn unless_unreadable<T>(read: RuntimeResult<T>) -> RuntimeResult<Option<T>> {
    match read {
        Err(RuntimeError::Damaged(_)) => Ok(None),
        read => read.map(Some),
    }
}

/// What is read, or nothing if it was deleted since the export began.
fn unless_gone<T>(read: RuntimeResult<T>) -> RuntimeResult<Option<T>> {
    match read {
        Err(RuntimeError::Refused(refusal)) if refusal.is_gone() => Ok(None),
        read => read.map(Some),
    }
}
