//! What an item of the trash holds, a part at a time.

use super::{TrashItem, TrashKind, get, subjects};
use crate::conversation::characters;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{KeptRow, NO_HOST, Table, of_hosts, of_table, pages_in_order};
use crate::types::record::Character;
use crate::variables::global_snapshots::WholeSnapshot;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Pages of an item that are read at once.
pub const PAGES_MAX: i64 = 1_000;

/// A page in the trash, or one whose state is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptPage {
    /// None if a dropped snapshot has outlived its page.
    pub id: Option<Id>,
    /// The branch; only of a session.
    pub branch: Option<String>,
    pub floor: Option<Id>,
    pub floor_no: Option<i64>,
    pub version: Option<i64>,
    pub is_active: bool,
    pub role: Option<String>,
    pub name: Option<String>,
    pub content: Option<String>,
    /// The snapshot of its state.
    pub snapshot: Option<Id>,
    /// Whether this is the text that the page had before a sync gave it another one.
    pub is_replaced: bool,
}

/// A part of what an item holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// In the order of their branches and floors.
    pub pages: Vec<KeptPage>,
    /// Where to go on, if there are more.
    pub next_offset: Option<i64>,
    pub character: Option<Character>,
    pub global_snapshot: Option<WholeSnapshot>,
}

/// Reads so many pages of an item from a position on. Fewer are read if their texts have more than so many bytes, but one at least.
pub fn content(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    (limit, offset): (i64, i64),
    bytes_max: usize,
) -> StoreResult<(TrashItem, Content)> {
    let item = get(tx, account, id)?;
    let mut content = Content { pages: Vec::new(), next_offset: None, character: None, global_snapshot: None };
    // One more than wanted says whether there are more.
    let window = (limit.min(PAGES_MAX) + 1, offset);
    let texts = match (item.kind, &item.subject) {
        (TrashKind::Character, Some(subject)) => {
            content.character = Some(characters::get_hidden(tx, account, item.subject_row, subject)?);
            return Ok((item, content));
        }
        (TrashKind::GlobalSnapshot, _) => {
            content.global_snapshot = Some(subjects::global_snapshot(tx, account, id)?);
            return Ok((item, content));
        }
        (TrashKind::Session, _) => of_session(tx, SessionKey::new(account, item.subject_row), window, &mut content)?,
        (TrashKind::Snapshots, _) => {
            of_snapshots(tx, SessionKey::new(account, item.session_row), id, window, &mut content)?;
            Vec::new()
        }
        _ => of_rows(tx, SessionKey::new(account, item.session_row), id, window, &mut content)?,
    };
    let wanted = usize::try_from(limit.min(PAGES_MAX)).unwrap_or(usize::MAX);
    let mut has_more = content.pages.len() > wanted;
    content.pages.truncate(wanted);
    let mut bytes = 0;
    for (at, source) in texts.iter().take(content.pages.len()).enumerate() {
        let text = source.read(tx, account, &item)?;
        bytes += text.as_ref().map_or(0, String::len);
        if bytes > bytes_max && at > 0 {
            content.pages.truncate(at);
            has_more = true;
            break;
        }
        content.pages[at].content = text;
    }
    content.next_offset = has_more.then(|| offset + i64::try_from(content.pages.len()).unwrap_or(i64::MAX));
    Ok((item, content))
}

/// Where the text of a page is.
enum TextSource {
    /// In the body of this page of a hidden session.
    Body(i64),
    /// In the kept row of this page.
    Kept(i64),
    /// It was read already.
    Read(Option<String>),
}

impl TextSource {
    fn read(&self, tx: &mut dyn Tx, account: &Id, item: &TrashItem) -> StoreResult<Option<String>> {
        match self {
            TextSource::Read(text) => Ok(text.clone()),
            TextSource::Body(page_row) => {
                let sql = sql!(
                    "SELECT content FROM body WHERE account_id = ?1 AND session_row = ?2 AND scope = 4 AND host_row = ?3"
                );
                let found = first(tx, sql, params![account, item.subject_row, *page_row], |row| {
                    row.bytes_or_null(0)?.map(codec::decode).transpose()
                })?;
                Ok(found.flatten())
            }
            TextSource::Kept(page_row) => {
                let session = SessionKey::new(account, item.session_row);
                let rows = of_table(tx, session, &item.id, Table::Body, Some(*page_row))?;
                let text = rows.iter().find(|row| row.int("scope").ok() == Some(Scope::Page.number()));
                Ok(text.map(|row| row.bytes("content")?.map(codec::decode).transpose()).transpose()?.flatten())
            }
        }
    }
}

/// Which pages are wanted, in order: they are found by indexes alone. What they are is read by their keys then, since a database that is
/// asked for both at once may begin with all that the session has.
const WANTED_OF_SESSION: Sql = sql!(
    "SELECT b.branch_row, p.page_row FROM branch b CROSS JOIN floor f CROSS JOIN page p
     WHERE b.account_id = ?1 AND b.session_row = ?2 AND LENGTH(b.id) <= 256
        AND f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = b.branch_row
        AND p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = f.floor_row
     ORDER BY b.branch_row, f.floor_no, p.page_no, p.version LIMIT ?3 OFFSET ?4"
);

const PAGE_OF_SESSION: Sql = sql!(
    "SELECT p.id, f.id, f.floor_no, p.version, p.is_active, p.role, p.name, n.id, COALESCE(p.text_row, p.page_row)
     FROM page p
     JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
     LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
);

/// The pages of a hidden session.
fn of_session(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (limit, offset): (i64, i64),
    content: &mut Content,
) -> StoreResult<Vec<TextSource>> {
    let wanted = all(tx, WANTED_OF_SESSION, in_session![session, limit, offset], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let branch_rows: Vec<i64> =
        wanted.iter().map(|(branch_row, _)| *branch_row).collect::<BTreeSet<_>>().into_iter().collect();
    let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    let sets: Vec<_> = branch_rows.iter().map(|&branch_row| in_session![session, branch_row].to_vec()).collect();
    let names = first_of_each(tx, sql, &sets, |row| stored_text(row.bytes(0)?))?;
    let names: HashMap<i64, Option<String>> = branch_rows.into_iter().zip(names).collect();
    let sets: Vec<_> = wanted.iter().map(|&(_, page_row)| in_session![session, page_row].to_vec()).collect();
    let found = first_of_each(tx, PAGE_OF_SESSION, &sets, |row| {
        let page = KeptPage {
            id: Some(stored_id(row.text(0)?)?),
            branch: None,
            floor: Some(stored_id(row.text(1)?)?),
            floor_no: Some(row.int(2)?),
            version: Some(row.int(3)?),
            is_active: row.int(4)? == 1,
            role: row.bytes_or_null(5)?.map(stored_text).transpose()?,
            name: row.bytes_or_null(6)?.map(stored_text).transpose()?,
            content: None,
            snapshot: row.text_or_null(7)?.map(stored_id).transpose()?,
            is_replaced: false,
        };
        Ok((page, row.int(8)?))
    })?;
    let mut texts = Vec::with_capacity(found.len());
    for ((branch_row, _), (page, text_row)) in wanted.iter().zip(found).filter_map(|(at, found)| Some((at, found?))) {
        let branch = names.get(branch_row).cloned().flatten();
        content.pages.push(KeptPage { branch, ..page });
        texts.push(TextSource::Body(text_row));
    }
    Ok(texts)
}

/// Dropped snapshots with their pages, where those exist.
fn of_snapshots(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (limit, offset): (i64, i64),
    content: &mut Content,
) -> StoreResult<()> {
    let sql = sql!(
        "SELECT p.id, f.id, f.floor_no, p.version, p.is_active, p.role, p.name, n.id, b.branch_row FROM trash_snapshot n
         LEFT JOIN page p ON p.account_id = n.account_id AND p.session_row = n.session_row AND p.page_row = n.page_row
         LEFT JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         LEFT JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
            AND LENGTH(b.id) <= 256
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.trash_id = ?3 ORDER BY n.page_row LIMIT ?4 OFFSET ?5"
    );
    content.pages = all(tx, sql, in_session![session, id, limit, offset], |row| {
        let snapshot = Some(stored_id(row.text(7)?)?);
        // A page that is prepared for its restore has an id that nobody may learn.
        if row.int_or_null(8)?.is_none() {
            return Ok(KeptPage { snapshot, ..KeptPage::default() });
        }
        Ok(KeptPage {
            id: row.text_or_null(0)?.map(stored_id).transpose()?,
            branch: None,
            floor: row.text_or_null(1)?.map(stored_id).transpose()?,
            floor_no: row.int_or_null(2)?,
            version: row.int_or_null(3)?,
            is_active: row.int_or_null(4)? == Some(1),
            role: row.bytes_or_null(5)?.map(stored_text).transpose()?,
            name: row.bytes_or_null(6)?.map(stored_text).transpose()?,
            content: None,
            snapshot,
            is_replaced: false,
        })
    })?;
    Ok(())
}

/// Pages whose rows are in the trash.
fn of_rows(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    window: (i64, i64),
    content: &mut Content,
) -> StoreResult<Vec<TextSource>> {
    let in_order = pages_in_order(tx, session, id, window)?;
    let is_old = in_order.is_none();
    let (found, mut old) = match in_order {
        Some(pages) => (with_floors(tx, session, id, pages)?, HashMap::new()),
        None => (put_in_order(tx, session, id, window)?, old_texts(tx, session, id)?),
    };
    let sql = sql!("SELECT id FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let rows = found.iter().map(|found| found.page.int("page_row")).collect::<StoreResult<Vec<i64>>>()?;
    let sets: Vec<_> = rows.iter().map(|&page_row| in_session![session, page_row].to_vec()).collect();
    let snapshots = first_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
    let replaced = match is_old {
        true => of_table(tx, session, id, Table::ReplacedText, None)?,
        false => of_hosts(tx, session, id, Table::ReplacedText, &rows)?,
    };
    let replaced = replaced.iter().map(|row| row.int("page_row")).collect::<StoreResult<HashSet<i64>>>()?;
    let mut texts = Vec::with_capacity(found.len());
    for ((FoundPage { floor, page }, snapshot), page_row) in found.into_iter().zip(snapshots).zip(rows) {
        let label = |column: &str| page.bytes(column)?.map(stored_text).transpose();
        texts.push(old.remove(&page_row).map_or(TextSource::Kept(page_row), TextSource::Read));
        let (floor, floor_no) = floor.unzip();
        content.pages.push(KeptPage {
            id: Some(page.id()?),
            branch: None,
            floor,
            floor_no,
            version: Some(page.int("version")?),
            is_active: page.int("is_active")? == 1,
            role: label("role")?,
            name: label("name")?,
            content: None,
            snapshot,
            is_replaced: replaced.contains(&page_row),
        });
    }
    Ok(texts)
}

/// The row of a page, with the id and the number of its floor.
struct FoundPage {
    floor: Option<(Id, i64)>,
    page: KeptRow,
}

/// Finds the floors of pages, which are in the same item.
fn with_floors(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id, pages: Vec<KeptRow>) -> StoreResult<Vec<FoundPage>> {
    let rows = pages.iter().map(|page| page.int("floor_row")).collect::<StoreResult<BTreeSet<i64>>>()?;
    let rows: Vec<i64> = rows.into_iter().collect();
    let mut floors = of_hosts(tx, session, id, Table::Floor, &rows)?;
    floors.extend(of_hosts(tx, session, id, Table::FloorOfPages, &rows)?);
    join(pages, &floors)
}

fn join(pages: Vec<KeptRow>, floors: &[KeptRow]) -> StoreResult<Vec<FoundPage>> {
    let mut by_row = HashMap::new();
    for floor in floors {
        by_row.insert(floor.int("floor_row")?, (floor.id()?, floor.int("floor_no")?));
    }
    let found = |page: KeptRow| Ok(FoundPage { floor: by_row.get(&page.int("floor_row")?).cloned(), page });
    pages.into_iter().map(found).collect()
}

/// The same for pages that an older program has kept: their small rows are read whole and put in order, of their texts only those that
/// are wanted.
fn put_in_order(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (limit, offset): (i64, i64),
) -> StoreResult<Vec<FoundPage>> {
    let mut floors = of_table(tx, session, id, Table::Floor, None)?;
    floors.extend(of_table(tx, session, id, Table::FloorOfPages, None)?);
    let mut found = join(of_table(tx, session, id, Table::Page, None)?, &floors)?;
    found.sort_by_cached_key(|FoundPage { floor, page }| {
        (floor.as_ref().map(|(_, floor_no)| *floor_no), page.int("version").ok())
    });
    let (limit, offset) = (usize::try_from(limit).unwrap_or(0), usize::try_from(offset).unwrap_or(usize::MAX));
    Ok(found.into_iter().skip(offset).take(limit).collect())
}

/// The texts of pages whose rows do not say what they hang on.
fn old_texts(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<HashMap<i64, Option<String>>> {
    let mut old = HashMap::new();
    for row in of_table(tx, session, id, Table::Body, Some(NO_HOST))? {
        if row.int("scope")? == Scope::Page.number() {
            old.insert(row.int("host_row")?, row.bytes("content")?.map(codec::decode).transpose()?);
        }
    }
    Ok(old)
}

/// The session and the version of a snapshot that an item holds.
pub fn version_of(tx: &mut dyn Tx, account: &Id, id: &Id, snapshot: &Id) -> StoreResult<(i64, i64)> {
    let item = get(tx, account, id)?;
    let session_row = item.session_row.max(item.subject_row);
    let found = match item.kind {
        TrashKind::Character | TrashKind::GlobalSnapshot => None,
        TrashKind::Snapshots => {
            let sql = sql!(
                "SELECT version_row FROM trash_snapshot
                 WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND id = ?4"
            );
            first(tx, sql, params![account, session_row, id, snapshot], |row| row.int(0))?
        }
        _ => {
            let sql = sql!("SELECT version_row FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
            first(tx, sql, params![account, session_row, snapshot], |row| row.int(0))?
        }
    };
    let version_row = found.ok_or_else(|| Refusal::SnapshotNotFound(snapshot.clone()))?;
    Ok((session_row, version_row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::plans::{assert_narrow, plan};

    #[test]
    fn pages_of_a_session_in_the_trash_are_found_in_order_by_indexes_alone() {
        let plan = plan(WANTED_OF_SESSION);
        assert!(plan.contains("SEARCH f USING COVERING INDEX floor_by_position"), "{plan}");
        assert!(plan.contains("SEARCH p USING COVERING INDEX page_by_position"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        assert_narrow(PAGE_OF_SESSION);
    }
}
