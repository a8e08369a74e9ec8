//! An account as lines of JSON, everything that its owner put in, one session at a time, and states a few at a time.

use crate::branches;
use crate::error::StoreResult;
use crate::floors;
use crate::global_snapshots::GlobalSnapshot;
use crate::hosts::stored_id;
use crate::order::{FloorQuery, PageQuery};
use crate::pages;
use crate::record::{
    Branch, Character, Floor, KeyFilter, Ledger, Page, Region, Session, StagedWrite, Variable, VariableQuery,
    VariableSort, Window,
};
use crate::sessions;
use crate::staging;
use crate::story::stored_hash;
use crate::story::versions::Kind;
use crate::tx::{Tx, all, one};
use crate::{clock, codec, params, sql};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::LIST_LIMIT_MAX;
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::story::Hash;

/// One thing that an account holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A session.
    Session(Box<KeptSession>),
    /// A branch.
    Branch(Branch),
    /// A floor.
    Floor(Floor),
    /// A page with its text.
    Page(Page),
    /// What was proposed for the variables of a page.
    StagedWrites(Ledger<StagedWrite>),
    /// What states of a session were computed with: its fingerprint and what it says.
    Recipe(Id, Hash, JsonText),
    /// A state with its document.
    Snapshot(Box<KeptSnapshot>, Value),
    /// A variable.
    Variable(Variable),
    /// A global snapshot with its document.
    GlobalSnapshot(GlobalSnapshot, Value),
    /// A character.
    Character(Box<Character>),
}

/// A session with how its story is told. Where that is a deleted character's to say, the session says it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSession {
    /// The session, with its profile.
    pub session: Session,
    /// The state that its story starts from.
    pub template: Option<JsonText>,
    /// Whether its texts are processed.
    pub enabled: bool,
}

/// A state and what it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSnapshot {
    /// Its id.
    pub id: Id,
    /// The session.
    pub session: Id,
    /// The page, while it exists.
    pub page: Option<Id>,
    /// The page's row.
    pub page_row: i64,
    /// The version behind it.
    pub version_row: i64,
    /// Whether it was made by hand.
    pub edited: bool,
    /// What it was computed with.
    pub recipe: Hash,
    /// The time that the turn was told, in ms since 1970.
    pub clock_ms: i64,
    /// The number of the turn.
    pub round: i64,
    /// When it got its id.
    pub created_at: i64,
    /// When it got the state it has.
    pub updated_at: i64,
}

/// Everything in one session but its states, as it was at one moment.
pub fn session(tx: &mut dyn Tx, account: &Id, id: &Id, session_row: i64, now: i64) -> StoreResult<Vec<Item>> {
    let mut items = vec![Item::Session(Box::new(kept_session(tx, account, id, session_row)?))];
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
    for page in staged_pages(tx, account, session_row)? {
        items.push(Item::StagedWrites(staging::of_page(tx, account, &page)?));
    }
    items.extend(crate::variables::of_session(tx, account, id)?.into_iter().map(Item::Variable));
    let sql =
        sql!("SELECT recipe_hash, recipe FROM recipe WHERE account_id = ?1 AND session_row = ?2 ORDER BY recipe_hash");
    items.extend(all(tx, sql, params![account, session_row], |row| {
        Ok(Item::Recipe(id.clone(), stored_hash(row.bytes(0)?)?, codec::decode_json(row.bytes(1)?)?))
    })?);
    Ok(items)
}

fn kept_session(tx: &mut dyn Tx, account: &Id, id: &Id, session_row: i64) -> StoreResult<KeptSession> {
    let session = sessions::get(tx, account, id)?;
    // A deleted character has no line of its own.
    let sql = sql!(
        "SELECT COALESCE(t.template, k.template), COALESCE(t.profile, k.profile), COALESCE(c.enabled, 1) FROM session s
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character c
            ON c.account_id = s.account_id AND c.character_row = s.character_row AND c.deleted_at IS NOT NULL
         LEFT JOIN character_story k ON k.account_id = c.account_id AND k.character_row = c.character_row
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    one(tx, sql, params![account, session_row], |row| {
        Ok(KeptSession {
            template: row.bytes_or_null(0)?.map(codec::decode_json).transpose()?,
            session: Session { profile: row.bytes_or_null(1)?.map(codec::decode_json).transpose()?, ..session.clone() },
            enabled: row.int(2)? == 1,
        })
    })
}

/// The pages that something was staged on.
fn staged_pages(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<Vec<Id>> {
    let sql = sql!(
        "SELECT DISTINCT p.page_row, p.id FROM staged_write w
         JOIN page p ON p.account_id = w.account_id AND p.session_row = w.session_row AND p.page_row = w.page_row
         WHERE w.account_id = ?1 AND w.session_row = ?2 ORDER BY p.page_row"
    );
    all(tx, sql, params![account, session_row], |row| stored_id(row.text(1)?))
}

/// Up to so many states of a session that come after a page, in the order of their pages.
pub fn snapshots(
    tx: &mut dyn Tx,
    account: &Id,
    (session, session_row): (&Id, i64),
    after: i64,
    limit: i64,
) -> StoreResult<Vec<KeptSnapshot>> {
    let sql = sql!(
        "SELECT n.id, p.id, n.page_row, n.version_row, v.kind, v.recipe_hash, v.clock_ms, v.round, n.created_at
         FROM snapshot n
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.page_row > ?3 ORDER BY n.page_row LIMIT ?4"
    );
    all(tx, sql, params![account, session_row, after, limit], |row| {
        Ok(KeptSnapshot {
            id: stored_id(row.text(0)?)?,
            session: session.clone(),
            page: row.text_or_null(1)?.map(stored_id).transpose()?,
            page_row: row.int(2)?,
            version_row: row.int(3)?,
            edited: Kind::of_number(row.int(4)?)? == Kind::Edit,
            recipe: stored_hash(row.bytes(5)?)?,
            clock_ms: row.int(6)?,
            round: row.int(7)?,
            created_at: row.int(8)?,
            updated_at: clock::millis(row.int(3)?),
        })
    })
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
