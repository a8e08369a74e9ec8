//! An account as lines of JSON, everything that its owner put in, one session at a time.

use crate::branches;
use crate::error::StoreResult;
use crate::floors;
use crate::global_snapshots::GlobalSnapshot;
use crate::order::{CharacterQuery, CharacterSort, FloorQuery, PageQuery};
use crate::pages;
use crate::record::{
    Branch, Character, CharacterSummary, Floor, KeyFilter, Page, Region, Session, Variable, VariableQuery,
    VariableSort, Window,
};
use crate::sessions;
use crate::tx::Tx;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::LIST_LIMIT_MAX;
use tavernkeep_engine::scope::Scope;

/// One thing that an account holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A session.
    Session(Session),
    /// A branch.
    Branch(Branch),
    /// A floor.
    Floor(Floor),
    /// A page with its text.
    Page(Page),
    /// A variable.
    Variable(Variable),
    /// A global snapshot with its document.
    GlobalSnapshot(GlobalSnapshot, Value),
    /// A character.
    Character(Box<Character>),
}

/// Everything in one session, as it was at one moment.
pub fn session(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<Vec<Item>> {
    let mut items = vec![Item::Session(sessions::get(tx, account, id)?)];
    let branches = pages_of(|window| branches::list(tx, account, id, window).map(|list| (list.items, list.has_more)))?;
    items.extend(branches.into_iter().map(Item::Branch));
    let floors = pages_of(|window| {
        let query = FloorQuery { session: id.clone(), branch: None, state: None, window };
        floors::list(tx, account, &query, now).map(|list| (list.items, list.has_more))
    })?;
    for floor in floors {
        let pages = pages_of(|window| {
            let query = PageQuery { floor: floor.id.clone(), page_no: None, is_active: None, content: true, window };
            pages::list(tx, account, &query).map(|list| (list.items, list.has_more))
        })?;
        items.push(Item::Floor(floor));
        items.extend(pages.into_iter().map(Item::Page));
    }
    items.extend(crate::variables::of_session(tx, account, id)?.into_iter().map(Item::Variable));
    Ok(items)
}

/// The account's global variables.
pub fn globals(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    let variables = pages_of(|window| {
        let query = VariableQuery {
            region: Region::Scope(Scope::Global),
            keys: KeyFilter::Any,
            updated_since: None,
            sort: VariableSort::Key,
            window,
        };
        crate::listing::list(tx, account, &query).map(|list| (list.items, list.has_more))
    })?;
    Ok(variables.into_iter().map(Item::Variable).collect())
}

/// The account's characters, each with its template and its greetings.
pub fn characters(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Item>> {
    let listed = pages_of(|window| {
        let query = CharacterQuery { sort: CharacterSort::CreatedAt, window };
        crate::characters::list(tx, account, &query).map(|list| (list.items, list.has_more))
    })?;
    let whole = |summary: CharacterSummary| crate::characters::get(tx, account, &summary.id);
    Ok(listed
        .into_iter()
        .map(whole)
        .collect::<StoreResult<Vec<_>>>()?
        .into_iter()
        .map(Box::new)
        .map(Item::Character)
        .collect())
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
