//! A session of an export, in parts: what it consists of as it was at one moment, and then the parts one after the other.
//!
//! What is made while an export goes on is no part of it, so that whatever a line refers to has a line of its own: rows are
//! counted upwards, and all that lie behind the last one of that moment are left out. What is deleted meanwhile is left
//! out, too.

use super::{Item, KeptSession, KeptSnapshot, pages_of};
use crate::conversation::{branches, floors, pages, sessions};
use crate::db::hash::stored_hash;
use crate::story::recipes::{self, Recipe};
use crate::story::versions::Kind;
use crate::story::{definitions, texts};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::types::record::Session;
use crate::variables::{self, StoredVariable, staging};
use std::collections::HashMap;
use std::fmt::Write as _;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::story::Hash;

#[derive(Debug, Clone)]
pub struct Outline {
    pub floors: Vec<Id>,
    /// The pages that something was staged on.
    pub staged: Vec<Id>,
    /// The pages whose states were edited by hand.
    pub edited: Vec<Id>,
    /// The last row that is part of it.
    pub last_row: i64,
}

/// The session itself and its branches.
pub fn head(tx: &mut dyn Tx, account: &Id, id: &Id, session_row: i64) -> StoreResult<Vec<Item>> {
    let mut items = vec![Item::Session(Box::new(kept_session(tx, account, id, session_row)?))];
    let branches = pages_of(|window| branches::list(tx, account, id, window).map(|list| (list.items, list.has_more)))?;
    items.extend(branches.into_iter().map(Item::Branch));
    Ok(items)
}

/// What a session consists of at this moment, behind its head.
pub fn outline(tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<Outline> {
    // Floors that are about to come or to go are on hidden branches.
    let sql = sql!(
        "SELECT f.id FROM floor f
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND LENGTH(b.id) <= 256 ORDER BY f.branch_row, f.floor_no"
    );
    let floors = all(tx, sql, params![account, session_row], |row| stored_id(row.text(0)?))?;
    let sql = sql!(
        "SELECT DISTINCT p.page_row, p.id FROM staged_write w
         JOIN page p ON p.account_id = w.account_id AND p.session_row = w.session_row AND p.page_row = w.page_row
         WHERE w.account_id = ?1 AND w.session_row = ?2 ORDER BY p.page_row"
    );
    let staged = all(tx, sql, params![account, session_row], |row| stored_id(row.text(1)?))?;
    let sql = sql!(
        "SELECT DISTINCT p.page_row, p.id FROM page_edit e
         JOIN page p ON p.account_id = e.account_id AND p.session_row = e.session_row AND p.page_row = e.page_row
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE e.account_id = ?1 AND e.session_row = ?2 AND LENGTH(b.id) <= 256 ORDER BY p.page_row"
    );
    let edited = all(tx, sql, params![account, session_row], |row| stored_id(row.text(1)?))?;
    let sql = sql!("SELECT last_row FROM session WHERE account_id = ?1 AND session_row = ?2");
    let last_row = one(tx, sql, params![account, session_row], |row| row.int(0))?;
    Ok(Outline { floors, staged, edited, last_row })
}

/// Refuses to go on with a session that was deleted meanwhile.
pub fn is_there(tx: &mut dyn Tx, account: &Id, id: &Id, session_row: i64) -> StoreResult<()> {
    // By its row: the index of ids may be damaged, and one that is deleted has given its id away.
    let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND session_row = ?2");
    match first(tx, sql, params![account, session_row], |row| Ok(row.text(0)? == id.as_str()))? {
        Some(true) => Ok(()),
        _ => Err(Refusal::SessionNotFound(id.clone()).into()),
    }
}

fn kept_session(tx: &mut dyn Tx, account: &Id, id: &Id, session_row: i64) -> StoreResult<KeptSession> {
    let session = sessions::get(tx, account, id)?;
    // A deleted character has no line of its own.
    let sql = sql!(
        "SELECT COALESCE(t.template, k.template), d.body, COALESCE(c.enabled, 1), f.body FROM session s
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character c
            ON c.account_id = s.account_id AND c.character_row = s.character_row AND c.deleted_at IS NOT NULL
         LEFT JOIN character_story k ON k.account_id = c.account_id AND k.character_row = c.character_row
         LEFT JOIN definition d
            ON d.account_id = s.account_id AND d.hash = COALESCE(t.profile_hash, k.profile_hash)
         LEFT JOIN definition f ON f.account_id = k.account_id AND f.hash = k.functions_hash
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    one(tx, sql, params![account, session_row], |row| {
        Ok(KeptSession {
            template: row.bytes_or_null(0)?.map(codec::decode_json).transpose()?,
            session: Session { profile: row.bytes_or_null(1)?.map(codec::decode_json).transpose()?, ..session.clone() },
            enabled: row.int(2)? == 1,
            functions: row.bytes_or_null(3)?.map(codec::decode_json).transpose()?,
        })
    })
}

/// How far the floors of a session are exported: the number of whole floors, and the last page of the next one, by slot and
/// swipe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportedFloors {
    pub floors: usize,
    /// The last exported page of the next one, if that has begun.
    pub page: Option<(i64, i64)>,
}

const FLOORS_READ: usize = 64;

/// A line that waits to be read.
struct Waiting {
    floor: usize,
    /// None for the floor itself.
    page: Option<Id>,
    place: (i64, i64),
    size: i64,
}

/// Before the first page of a floor.
const NO_PAGE: (i64, i64) = (-1, -1);

/// The next lines of floors and their pages, and how far the floors are exported with them: as many as have few bytes together,
/// and at most so many.
fn next_lines(
    tx: &mut dyn Tx,
    account: &Id,
    outline: (i64, i64),
    floors: &[Id],
    emitted: ExportedFloors,
    most: usize,
) -> StoreResult<(Vec<Waiting>, ExportedFloors)> {
    let next: Vec<&Id> = floors.iter().skip(emitted.floors).take(FLOORS_READ.min(most)).collect();
    let mut waiting = waiting(tx, account, outline, &next)?;
    waiting.retain(|line| line.floor > 0 || emitted.page.is_none_or(|page| line.place > page));
    let room = texts::at_once(waiting.iter().map(|line| line.size)).min(most);
    let rest = waiting.split_off(room);
    let emitted = match (rest.is_empty(), waiting.last()) {
        (false, Some(last)) => ExportedFloors { floors: emitted.floors + last.floor, page: Some(last.place) },
        _ => ExportedFloors { floors: emitted.floors + next.len(), page: None },
    };
    Ok((waiting, emitted))
}

/// The next floors with their pages: as many as have few bytes together, and at most so many lines.
pub fn floors(
    tx: &mut dyn Tx,
    account: &Id,
    outline: (i64, i64),
    floors: &[Id],
    emitted: ExportedFloors,
    most: usize,
) -> StoreResult<(Vec<Item>, ExportedFloors)> {
    let (waiting, behind) = next_lines(tx, account, outline, floors, emitted, most)?;
    let page_ids: Vec<&Id> = waiting.iter().filter_map(|line| line.page.as_ref()).collect();
    let mut pages = pages::get_all(tx, account, &page_ids)?.into_iter();
    let of_floors = waiting.iter().filter(|line| line.page.is_none());
    let floor_ids: Vec<&Id> = of_floors.filter_map(|line| floors.get(emitted.floors + line.floor)).collect();
    let mut floors = floors::get_all(tx, account, &floor_ids)?.into_iter();
    let item = |line: &Waiting| match line.page {
        Some(_) => pages.next()?.map(Item::Page),
        None => floors.next()?.map(Item::Floor),
    };
    Ok((waiting.iter().filter_map(item).collect(), behind))
}

/// What the next line of floors and pages is about, and how far they are exported behind it.
pub fn floor_line(
    tx: &mut dyn Tx,
    account: &Id,
    outline: (i64, i64),
    floors: &[Id],
    emitted: ExportedFloors,
) -> StoreResult<((&'static str, Option<String>), ExportedFloors)> {
    let (waiting, behind) = next_lines(tx, account, outline, floors, emitted, 1)?;
    let name = match waiting.into_iter().next() {
        Some(Waiting { page: Some(page), .. }) => ("page", Some(page.to_string())),
        _ => ("floor", floors.get(emitted.floors).map(ToString::to_string)),
    };
    Ok((name, behind))
}

const PAGES: Sql = sql!(
    "SELECT p.id, p.page_no, p.version, LENGTH(y.content), SUBSTR(y.content, 1, 32), LENGTH(y.extra), SUBSTR(y.extra, 1, 32)
     FROM floor f
     JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
     LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
        AND y.host_row = COALESCE(p.text_row, p.page_row)
     WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.id = ?3 AND p.page_row <= ?4 ORDER BY p.page_no, p.version"
);

/// The lines of floors, each floor before its pages.
fn waiting(
    tx: &mut dyn Tx,
    account: &Id,
    (session_row, last_row): (i64, i64),
    floors: &[&Id],
) -> StoreResult<Vec<Waiting>> {
    let sets: Vec<Vec<Param<'_>>> =
        floors.iter().map(|&floor| params![account, session_row, floor, last_row].to_vec()).collect();
    let mut lines: Vec<Waiting> =
        (0..floors.len()).map(|floor| Waiting { floor, page: None, place: NO_PAGE, size: 0 }).collect();
    tx.query_many(PAGES, &sets, &mut |floor, row| {
        let place = (row.int(1)?, row.int(2)?);
        let size = decoded_bytes(row, 3)?.saturating_add(decoded_bytes(row, 5)?);
        lines.push(Waiting { floor, page: Some(stored_id(row.text(0)?)?), place, size });
        Ok(())
    })?;
    lines.sort_by_key(|line| (line.floor, line.place));
    Ok(lines)
}

/// How long a body is once it is decoded, by its stored length and its beginning: a text that is compressed well may be a thousand
/// times as long as what is stored of it. A damaged one is named when it is read.
fn decoded_bytes(row: &dyn Row, at: usize) -> StoreResult<i64> {
    let Some(stored) = row.int_or_null(at)? else { return Ok(0) };
    let start = row.bytes_or_null(at + 1)?.unwrap_or_default();
    let decoded = codec::length(start, usize::try_from(stored).unwrap_or(usize::MAX));
    Ok(decoded.map_or(stored, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)))
}

/// What was proposed for the variables of a page; nothing if the page is gone.
pub fn edits(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Option<Item>> {
    let edits = unless_gone(crate::story::edits::list(tx, account, page))?;
    Ok(edits.map(|edits| Item::Edits(page.clone(), edits)))
}

pub fn staged(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Option<Item>> {
    Ok(unless_gone(staging::of_page(tx, account, page))?.map(Item::StagedWrites))
}

/// Variables in one part, and about how many bytes of them: each may be as large as a value can be.
const VARIABLES_READ: i64 = 64;
const VARIABLE_BYTES_READ: usize = 4 * 1024 * 1024;

/// The place of a variable among those of its session.
pub type VariablePosition = (i64, i64, Key);

/// The next variables of a session, and where the last of them stands.
pub fn variables(
    tx: &mut dyn Tx,
    account: &Id,
    (session_row, last_row): (i64, i64),
    after: Option<&VariablePosition>,
    most: i64,
) -> StoreResult<(Vec<Item>, Option<VariablePosition>)> {
    let sql = sql!(
        "SELECT session_row, scope, host_row, key, id, updated_at, revision, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND (scope, host_row, key) > (?3, ?4, ?5)
            AND host_row <= ?6 ORDER BY scope, host_row, key LIMIT ?7"
    );
    let (scope, host_row, key) = after.map_or((-1, -1, ""), |(scope, row, key)| (*scope, *row, key.as_str()));
    let params = params![account, session_row, scope, host_row, key.as_bytes(), last_row, most.min(VARIABLES_READ)];
    let (mut rows, mut bytes) = (Vec::new(), 0);
    tx.query(sql, params, &mut |row| {
        // What is behind them comes with the next part.
        if bytes < VARIABLE_BYTES_READ {
            let variable = StoredVariable::read(row)?;
            bytes += variable.value.as_str().len();
            rows.push(variable);
        }
        Ok(())
    })?;
    let place = |it: &StoredVariable| (it.row.scope.number(), it.row.host_row, it.key.clone());
    let last = rows.last().map(place);
    let named = variables::name(tx, account, rows, HashMap::new())?;
    Ok((named.into_iter().map(Item::Variable).collect(), last))
}

/// The id of the next variable of a session, and where it stands.
pub fn next_variable(
    tx: &mut dyn Tx,
    account: &Id,
    (session_row, last_row): (i64, i64),
    after: Option<&VariablePosition>,
) -> StoreResult<Option<(String, VariablePosition)>> {
    let sql = sql!(
        "SELECT scope, host_row, key, id FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND (scope, host_row, key) > (?3, ?4, ?5)
            AND host_row <= ?6 ORDER BY scope, host_row, key LIMIT 1"
    );
    let (scope, host_row, key) = after.map_or((-1, -1, ""), |(scope, row, key)| (*scope, *row, key.as_str()));
    let params = params![account, session_row, scope, host_row, key.as_bytes(), last_row];
    first(tx, sql, params, |row| Ok((row.text(3)?.to_owned(), (row.int(0)?, row.int(1)?, stored_key(row.bytes(2)?)?))))
}

/// What states of a session were computed with.
pub fn recipes(tx: &mut dyn Tx, account: &Id, (session, session_row): (&Id, i64)) -> StoreResult<Vec<Item>> {
    let recipes = recipes::list(tx, SessionKey::new(account, session_row))?;
    recipes.into_iter().map(|(hash, recipe)| recipe_item(tx, account, session, hash, recipe)).collect()
}

/// One of them; nothing if it is gone.
pub fn recipe(
    tx: &mut dyn Tx,
    account: &Id,
    (session, session_row): (&Id, i64),
    hash: &Hash,
) -> StoreResult<Option<Item>> {
    let recipe = recipes::get(tx, SessionKey::new(account, session_row), hash)?;
    recipe.map(|recipe| recipe_item(tx, account, session, *hash, recipe)).transpose()
}

/// A recipe with the texts of its profile and its functions, which may have been replaced since.
fn recipe_item(tx: &mut dyn Tx, account: &Id, session: &Id, hash: Hash, recipe: Recipe) -> StoreResult<Item> {
    let profile = match recipe.rules {
        Some(hash) => definitions::get(tx, account, hash)?.as_ref().map_or(Value::Null, Value::from),
        None => Profile::default().to_value(),
    };
    let template = recipe.template.map_or(Value::Null, |hash| Value::from(hex(&hash)));
    let mut functions = |hash: Option<Hash>| match hash {
        Some(hash) => Ok(definitions::get(tx, account, hash)?.as_ref().map_or(Value::Null, Value::from)),
        None => StoreResult::Ok(Value::Null),
    };
    let recipe: Value = [
        ("semantics", Value::from(recipe.semantics)),
        ("profile", profile),
        ("template", template),
        ("global_functions", functions(recipe.global_functions)?),
        ("local_functions", functions(recipe.local_functions)?),
    ]
    .into_iter()
    .collect();
    Ok(Item::Recipe(session.clone(), hash, recipe.to_text()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Up to so many states of a session that come after a page, in the order of their pages.
pub fn snapshots(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    (session_row, last_row): (i64, i64),
    after: i64,
    limit: i64,
) -> StoreResult<Vec<KeptSnapshot>> {
    let sql = sql!(
        "SELECT n.id, (
            SELECT p.id FROM page p
            JOIN floor f ON f.account_id = ?1 AND f.session_row = p.session_row AND f.floor_row = p.floor_row
            JOIN branch b ON b.account_id = ?1 AND b.session_row = f.session_row AND b.branch_row = f.branch_row
            WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = n.page_row AND LENGTH(b.id) <= 256
         ), n.page_row, n.version_row, v.kind, v.recipe_hash, v.clock_ms, v.round, n.created_at
         FROM snapshot n
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.page_row > ?3 AND n.page_row <= ?4
         ORDER BY n.page_row LIMIT ?5"
    );
    all(tx, sql, params![account, session_row, after, last_row, limit], |row| {
        Ok(KeptSnapshot {
            id: stored_id(row.text(0)?)?,
            session: session.clone(),
            page: row.text_or_null(1)?.map(stored_id).transpose()?,
            page_row: row.int(2)?,
            version_row: row.int(3)?,
            edited: stored_enum::<Kind>(row.int(4)?)? == Kind::Edit,
            recipe: stored_hash(row.bytes(5)?)?,
            clock_ms: row.int(6)?,
            round: row.int(7)?,
            created_at: row.int(8)?,
            updated_at: clock::millis(row.int(3)?),
        })
    })
}

/// What is read, or nothing if it was deleted since the export began.
fn unless_gone<T>(read: StoreResult<T>) -> StoreResult<Option<T>> {
    match read {
        Err(StoreError::Refused(refusal)) if refusal.is_gone() => Ok(None),
        read => read.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::unless_gone;
    use crate::error::{Refusal, StoreError};

    #[test]
    fn only_what_is_gone_is_left_out() {
        let gone = Refusal::FloorNotFound("f".parse().unwrap());
        assert_eq!(unless_gone::<()>(Err(gone.into())), Ok(None));
        assert_eq!(unless_gone(Ok(1)), Ok(Some(1)));
        for other in [Refusal::ParentMoved, Refusal::AccountNotFound("a".parse().unwrap())] {
            assert_eq!(unless_gone::<()>(Err(other.clone().into())), Err(StoreError::Refused(other)));
        }
    }
}
