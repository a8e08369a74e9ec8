//! Many rows at once: texts that are read, numbers that change, floors and pages that are new.

use super::Text;
use crate::conversation::commit::CommitMark;
use crate::db::hash::{stored_hash, text_hash};
use crate::tree::floor_numbers;
use crate::tree::prelude::*;
use std::collections::{HashMap, HashSet};
use tavernkeep_engine::story::Hash;

/// Pages by the texts that they hold.
type Holders = HashMap<Hash, i64>;

/// For each of these texts that a page of the session holds, one such page.
pub fn holders(tx: &mut dyn Tx, session: SessionKey<'_>, texts: &[Hash]) -> StoreResult<Holders> {
    let wanted: HashSet<&Hash> = texts.iter().collect();
    let sql = sql!(
        "SELECT text_hash, page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND text_hash IS NOT NULL"
    );
    let mut found = HashMap::new();
    tx.query(sql, in_session![session], &mut |row| {
        let text = stored_hash(row.bytes(0)?)?;
        if wanted.contains(&text) {
            found.insert(text, row.int(1)?);
        }
        Ok(())
    })?;
    Ok(found)
}

fn read_texts(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    pages: &[i64],
    take: &mut dyn FnMut(usize, &[u8]) -> StoreResult<()>,
) -> StoreResult<()> {
    let sql = sql!(
        "SELECT y.content FROM page p
         JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3 AND y.content IS NOT NULL"
    );
    let sets: Vec<_> = pages.iter().map(|&page| in_session![session, page].to_vec()).collect();
    tx.query_many(sql, &sets, &mut |number, row| take(number, row.bytes(0)?))
}

/// Texts by the pages that hold them.
pub fn texts(tx: &mut dyn Tx, session: SessionKey<'_>, holders: &Holders) -> StoreResult<HashMap<Hash, Text>> {
    let (hashes, pages): (Vec<Hash>, Vec<i64>) = holders.iter().map(|(&hash, &page)| (hash, page)).unzip();
    let mut texts = HashMap::new();
    read_texts(tx, session, &pages, &mut |number, bytes| {
        texts.insert(hashes[number], Text(bytes.to_vec()));
        Ok(())
    })?;
    Ok(texts)
}

/// How long texts are, by the pages that hold them.
pub fn lengths(tx: &mut dyn Tx, session: SessionKey<'_>, holders: &Holders) -> StoreResult<HashMap<Hash, usize>> {
    let sql = sql!(
        "SELECT SUBSTR(y.content, 1, 32), CAST(LENGTH(y.content) AS BIGINT) FROM page p
         JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3 AND y.content IS NOT NULL"
    );
    let hashes: Vec<Hash> = holders.keys().copied().collect();
    let sets: Vec<_> = holders.values().map(|&page| in_session![session, page].to_vec()).collect();
    let mut lengths = HashMap::new();
    tx.query_many(sql, &sets, &mut |number, row| {
        let stored = usize::try_from(row.int(1)?).unwrap_or(usize::MAX);
        lengths.insert(hashes[number], codec::length(row.bytes(0)?, stored)?);
        Ok(())
    })?;
    Ok(lengths)
}

/// The fingerprints of texts that are older than fingerprints are.
pub fn fingerprints(tx: &mut dyn Tx, session: SessionKey<'_>, pages: &[i64]) -> StoreResult<HashMap<i64, Hash>> {
    let mut found: HashMap<i64, Hash> = pages.iter().map(|&page| (page, text_hash(None))).collect();
    read_texts(tx, session, pages, &mut |number, bytes| {
        found.insert(pages[number], text_hash(Some(&codec::decode(bytes)?)));
        Ok(())
    })?;
    Ok(found)
}

pub type Renumbered = (i64, i64);

/// Gives floors other positions. What two floors swap is free in between.
pub fn renumber_floors(tx: &mut dyn Tx, tick: Tick<'_>, branch_row: i64, floors: &[Renumbered]) -> StoreResult<()> {
    let floor = sql!("UPDATE floor SET floor_no = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let keys = sql!("UPDATE floor_key SET floor_no = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    match floor_numbers::has_keys(tx, tick.key(), branch_row)? {
        true => renumber(tx, tick, floors, &[floor, keys]),
        false => renumber(tx, tick, floors, &[floor]),
    }
}

pub fn renumber_pages(tx: &mut dyn Tx, tick: Tick<'_>, pages: &[Renumbered]) -> StoreResult<()> {
    let page = sql!("UPDATE page SET version = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    renumber(tx, tick, pages, &[page])
}

fn renumber(tx: &mut dyn Tx, tick: Tick<'_>, rows: &[Renumbered], statements: &[Sql]) -> StoreResult<()> {
    // No other row has a number below zero.
    let away: Vec<_> = rows.iter().map(|&(row, _)| in_session![tick, row, -1 - row].to_vec()).collect();
    let back: Vec<_> = rows.iter().map(|&(row, number)| in_session![tick, row, number].to_vec()).collect();
    for sets in [away, back] {
        for &sql in statements {
            execute_many(tx, sql, &sets)?;
        }
    }
    Ok(())
}

pub struct EditedText<'a> {
    pub page_row: i64,
    pub hash: Hash,
    pub text: &'a Text,
}

/// Gives pages other texts. They have bodies of their own.
pub fn edit_texts(tx: &mut dyn Tx, tick: Tick<'_>, edited: &[EditedText<'_>]) -> StoreResult<()> {
    let now = tick.now();
    let sql = sql!(
        "UPDATE page SET text_hash = ?4, updated_at = ?5 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let sets: Vec<_> =
        edited.iter().map(|edited| in_session![tick, edited.page_row, edited.hash.as_slice(), now].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET content = excluded.content"
    );
    let scope = Scope::Page.number();
    let sets: Vec<_> =
        edited.iter().map(|edited| in_session![tick, scope, edited.page_row, &edited.text.0].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

pub struct Spoken<'a> {
    pub page_row: i64,
    /// None stays as it is, and so does a name.
    pub kind: Option<i64>,
    pub role: Option<&'a str>,
    pub name: Option<&'a str>,
}

pub fn speak(tx: &mut dyn Tx, tick: Tick<'_>, spoken: &[Spoken<'_>]) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE page SET kind = COALESCE(?4, kind), role = ?5, name = COALESCE(?6, name), updated_at = ?7
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"
    );
    let sets: Vec<_> = spoken
        .iter()
        .map(|&Spoken { page_row, kind, role, name }| {
            let (role, name) = (role.map(str::as_bytes), name.map(str::as_bytes));
            in_session![tick, page_row, kind, role, name, tick.now()].to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)
}

#[derive(Debug)]
pub struct FloorRow {
    pub floor_row: i64,
    pub id: Id,
    pub floor_no: i64,
    /// Whether commands are read from it, which has not happened yet.
    pub broken: bool,
    /// When it was written, where that is known.
    pub created_at: Option<i64>,
}

/// Adds floors that are committed.
pub fn add_floors(
    tx: &mut dyn Tx,
    tick: Tick<'_>,
    branch_row: i64,
    floors: &[FloorRow],
    mark: CommitMark,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO floor (account_id, session_row, floor_row, id, branch_row, floor_no, state, created_at, updated_at,
                            variables, broken, committed_seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 2, ?10, ?7, 0, ?8, ?9)"
    );
    let mut sets: Vec<Vec<Param<'_>>> = Vec::with_capacity(floors.len());
    for FloorRow { floor_row, id, floor_no, broken, created_at } in floors {
        let (now, created_at) = (tick.now(), created_at.unwrap_or_else(|| tick.now()));
        let set = in_session![tick, *floor_row, id, branch_row, *floor_no, now, *broken, mark.seq(), created_at];
        sets.push(set.to_vec());
    }
    execute_many(tx, sql, &sets)
}

pub struct PageRow<'a> {
    pub page_row: i64,
    pub id: Id,
    pub floor_row: i64,
    pub page_no: i64,
    pub version: i64,
    pub kind: i64,
    pub is_active: bool,
    pub role: Option<&'a str>,
    pub name: Option<&'a str>,
    pub hash: Hash,
    pub text: &'a Text,
    /// What came with it, where something did.
    pub extra: Option<&'a Text>,
    /// When it was written, where that is known.
    pub created_at: Option<i64>,
}

pub fn add_pages(tx: &mut dyn Tx, tick: Tick<'_>, pages: &[PageRow<'_>], mark: CommitMark) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO page (account_id, session_row, page_row, id, floor_row, page_no, version, kind, is_active, role,
                           name, created_at, updated_at, variables, text_hash, committed_seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?15, ?12, 0, ?13, ?14)"
    );
    let scope = Scope::Page.number();
    let sets: Vec<Vec<Param<'_>>> = pages
        .iter()
        .map(|page| {
            let &PageRow { page_row, ref id, floor_row, page_no, version, kind, is_active, role, name, .. } = page;
            let (role, name) = (role.map(str::as_bytes), name.map(str::as_bytes));
            let (now, hash) = (tick.now(), page.hash.as_slice());
            // Only a page of a new floor is active; one of a floor that is there is chosen, and committed, later.
            let committed = is_active.then_some(mark.seq());
            let created_at = page.created_at.unwrap_or(now);
            in_session![
                tick, page_row, id, floor_row, page_no, version, kind, is_active, role, name, now, hash, committed,
                created_at
            ]
            .to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    let sets: Vec<Vec<Param<'_>>> = pages
        .iter()
        .map(|page| {
            let extra = page.extra.map(|extra| &extra.0);
            in_session![tick, scope, page.page_row, &page.text.0, extra].to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)
}

/// What came with floors that are new: the row of each and its metadata.
pub fn add_metadata(tx: &mut dyn Tx, tick: Tick<'_>, floors: &[(i64, &Text)]) -> StoreResult<()> {
    let sql = sql!("INSERT INTO body (account_id, session_row, scope, host_row, extra) VALUES (?1, ?2, ?3, ?4, ?5)");
    let scope = Scope::Floor.number();
    let sets: Vec<Vec<Param<'_>>> =
        floors.iter().map(|&(floor_row, text)| in_session![tick, scope, floor_row, &text.0].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
