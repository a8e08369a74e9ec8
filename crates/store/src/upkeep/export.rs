//! An account as lines of JSON, everything that its owner put in: one session at a time, and each in parts.

pub mod session;
pub mod tools;

use crate::conversation::cards::{self, StoredCard};
use crate::conversation::characters;
use crate::conversation::trash::{Content, TrashItem};
use crate::db::prelude::*;
use crate::story::edits::Edit;
use crate::story::functions;
use crate::tools::call_bodies::CallDetails;
use crate::tools::grants::{self, Grant};
use crate::tools::settings::{self, StoredConfig};
use crate::types::order::FunctionScope;
use crate::types::record::{
    Branch, Character, Floor, Ledger, LibraryEntry, Page, Session, StagedWrite, Variable, Window,
};
use crate::variables::global_snapshots::GlobalSnapshot;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::LIST_LIMIT_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::tools::variable::Variable as ScratchVariable;

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Session(Box<KeptSession>),
    Branch(Branch),
    Floor(Floor),
    Page(Page),
    /// What was proposed for the variables of a page.
    StagedWrites(Ledger<StagedWrite>),
    /// The edits by hand of a page's state.
    Edits(Id, Vec<Edit>),
    /// What states of a session were computed with: its fingerprint and what it says.
    Recipe(Id, Hash, JsonText),
    Snapshot(Box<KeptSnapshot>, Value),
    Variable(Variable),
    GlobalSnapshot(GlobalSnapshot, Value),
    Character(Box<Character>),
    /// The card that a character was imported from.
    Card(Id, Box<StoredCard>),
    /// One of the account's, or one that comes with the program and was switched.
    Function(Box<LibraryEntry>),
    /// The defaults of tools for new sessions, JSON.
    ToolDefaults(String),
    /// What a session says about its tools, with the groups that applications registered.
    ToolSettings(Id, Box<StoredConfig>),
    /// A decision about calls that is remembered, of a session or of the account.
    Grant(Option<Id>, Grant),
    ScratchVariable(Id, Box<ScratchVariable>, String),
    Call(Box<CallDetails>),
    /// An item of the trash with a part of what it holds.
    Trash(Box<TrashItem>, Box<Content>),
    /// Something that is stored and cannot be read.
    Damaged(Damaged),
}

/// What an export had to leave out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    pub session: Option<Id>,
    /// The kind of line it would have been.
    pub what: &'static str,
    /// Which one, where that can be read.
    pub id: Option<String>,
    pub message: String,
}

/// A session with the settings of its story. Those of a deleted character are exported with the session.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSession {
    /// The session, with its profile.
    pub session: Session,
    pub template: Option<JsonText>,
    pub enabled: bool,
    /// What the functions of a deleted character mean for turns.
    pub functions: Option<JsonText>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeptSnapshot {
    pub id: Id,
    pub session: Id,
    /// The page, while it exists.
    pub page: Option<Id>,
    pub page_row: i64,
    pub version_row: i64,
    pub edited: bool,
    pub recipe: Hash,
    /// The time that was given to the turn, in ms since 1970.
    pub clock_ms: i64,
    pub round: i64,
    /// When it got its id.
    pub created_at: i64,
    pub updated_at: i64,
}

type ReadPart = fn(&mut dyn Tx, &Id) -> StoreResult<Vec<Item>>;

/// The parts of an account's global data, each read by itself.
pub const GLOBALS: [(&str, ReadPart); 3] =
    [("function", global_functions), ("tool_defaults", tool_defaults), ("grant", account_grants)];

fn global_functions(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    functions(tx, account, &FunctionScope::Global)
}

fn tool_defaults(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    Ok(settings::defaults(tx, account)?.map(Item::ToolDefaults).into_iter().collect())
}

fn account_grants(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    Ok(grants::of_account(tx, account)?.into_iter().map(|grant| Item::Grant(None, grant)).collect())
}

/// The functions of a scope, and what it switched.
fn functions(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<Item>> {
    let mut entries = functions::own_entries(tx, account, scope)?;
    entries.retain(|entry| entry.revision > 0);
    functions::find_conflicts(tx, account, scope, &mut entries)?;
    Ok(entries.into_iter().map(|entry| Item::Function(Box::new(entry))).collect())
}

/// A character, which shows its functions itself, and what it switched.
pub fn character(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Vec<Item>> {
    let mut items = vec![Item::Character(Box::new(characters::get(tx, account, id)?))];
    let switched = functions(tx, account, &FunctionScope::Character(id.clone()))?;
    items.extend(cards::get(tx, account, id)?.map(|card| Item::Card(id.clone(), Box::new(card))));
    let is_switch = |item: &Item| matches!(item, Item::Function(entry) if entry.created_at.is_none());
    items.extend(switched.into_iter().filter(is_switch));
    Ok(items)
}

/// Walks a list to its end.
fn pages_of<T>(mut page: impl FnMut(Window) -> StoreResult<(Vec<T>, bool)>) -> StoreResult<Vec<T>> {
    let mut window = Window { limit: LIST_LIMIT_MAX, offset: 0, ascending: true, total: false };
    let mut rows = Vec::new();
    loop {
        let (mut items, has_more) = page(window)?;
        rows.append(&mut items);
        if !has_more {
            return Ok(rows);
        }
        window.offset += window.limit;
    }
}
