//! An account as lines of JSON, everything that its owner put in: one session at a time, and each in parts.

pub mod session;

use crate::db::prelude::*;
use crate::types::record::{
    Branch, Character, Floor, KeyFilter, Ledger, Page, Region, Session, StagedWrite, Variable, VariableQuery,
    VariableSort, Window,
};
use crate::variables::global_snapshots::GlobalSnapshot;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::LIST_LIMIT_MAX;
use tavernkeep_engine::story::Hash;

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Session(Box<KeptSession>),
    Branch(Branch),
    Floor(Floor),
    Page(Page),
    /// What was proposed for the variables of a page.
    StagedWrites(Ledger<StagedWrite>),
    /// What states of a session were computed with: its fingerprint and what it says.
    Recipe(Id, Hash, JsonText),
    Snapshot(Box<KeptSnapshot>, Value),
    Variable(Variable),
    GlobalSnapshot(GlobalSnapshot, Value),
    Character(Box<Character>),
}

/// A session with the settings of its story. Those of a deleted character are exported with the session.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSession {
    /// The session, with its profile.
    pub session: Session,
    pub template: Option<JsonText>,
    pub enabled: bool,
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

pub fn globals(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    let variables = pages_of(|window| {
        let query = VariableQuery {
            region: Region::Scope(Scope::Global),
            keys: KeyFilter::Any,
            updated_since: None,
            sort: VariableSort::Key,
            window,
        };
        crate::variables::listing::list(tx, account, &query).map(|list| (list.items, list.has_more))
    })?;
    Ok(variables.into_iter().map(Item::Variable).collect())
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
