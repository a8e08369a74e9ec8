//! Bodies: texts and free JSON, apart from the small rows that lists and clocks touch.

use crate::tree::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A body that is compressed already, since other writes wait for the writer thread.
#[derive(Debug, Default)]
pub struct Body {
    content: Option<Vec<u8>>,
    extra: Option<Vec<u8>>,
}

impl Body {
    /// Does what can be done before the transaction.
    pub fn new(content: Option<&str>, extra: Option<&JsonText>) -> Body {
        Body { content: content.map(codec::encode), extra: extra.map(|extra| codec::encode(extra.as_str())) }
    }
}

/// Gives pages whose bodies are about to change bodies of their own, and leaves what they hold now to the pages that refer to it.
pub(crate) fn own(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    if !clock.has_forks() {
        return Ok(());
    }
    let copy = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra)
         SELECT y.account_id, y.session_row, y.scope, p.page_row, y.content, y.extra FROM page p
         JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = p.text_row
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
    );
    let own = sql!("UPDATE page SET text_row = NULL WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let others = referring(tx, clock, pages)?;
    let sets: Vec<_> = others.values().map(|&other| in_session![clock, other].to_vec()).collect();
    execute_many(tx, copy, &sets)?;
    refer(tx, clock, &others)?;
    let sets: Vec<_> =
        borrowing(tx, clock, pages)?.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    execute_many(tx, copy, &sets)?;
    execute_many(tx, own, &sets)
}

/// Leaves the bodies of pages that are about to be deleted to the pages that refer to them.
pub(crate) fn leave_to_others(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    if !clock.has_forks() {
        return Ok(());
    }
    let sql = sql!(
        "UPDATE body SET host_row = ?4 WHERE account_id = ?1 AND session_row = ?2 AND scope = 4 AND host_row = ?3"
    );
    let others = referring(tx, clock, pages)?;
    let sets: Vec<_> = others.iter().map(|(&page_row, &other)| in_session![clock, page_row, other].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    refer(tx, clock, &others)
}

/// Pages from which on it is worth asking first whether any page refers to another.
const MANY: usize = 32;

/// For each page whose body others refer to, the first of those that is not among the pages.
fn referring(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<BTreeMap<i64, i64>> {
    if pages.len() > MANY {
        let sql =
            sql!("SELECT 1 FROM page WHERE account_id = ?1 AND session_row = ?2 AND text_row IS NOT NULL LIMIT 1");
        if first(tx, sql, in_session![clock], |_| Ok(()))?.is_none() {
            return Ok(BTreeMap::new());
        }
    }
    // Put in order here: PostgreSQL would read all pages of the session in the order that is asked for.
    let sql = sql!("SELECT text_row, page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND text_row = ?3");
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    let found = all_of_each(tx, sql, &sets, |row| Ok((row.int(0)?, row.int(1)?)))?;
    let pages: BTreeSet<i64> = pages.iter().copied().collect();
    let mut others = BTreeMap::new();
    for (page_row, other) in found.into_iter().filter(|(_, other)| !pages.contains(other)) {
        others.entry(page_row).and_modify(|first: &mut i64| *first = other.min(*first)).or_insert(other);
    }
    Ok(others)
}

/// Those of the pages that may refer to the bodies of others.
fn borrowing(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<Vec<i64>> {
    if pages.len() <= MANY {
        return Ok(pages.to_vec());
    }
    let sql = sql!(
        "SELECT page_row FROM page
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND text_row IS NOT NULL"
    );
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![clock, page_row].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| row.int(0))
}

/// Lets the pages that refer to the bodies of pages refer to those of others, which hold the same.
fn refer(tx: &mut dyn Tx, clock: &SessionClock, others: &BTreeMap<i64, i64>) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE page SET text_row = CASE WHEN page_row = ?4 THEN NULL ELSE ?4 END
         WHERE account_id = ?1 AND session_row = ?2 AND text_row = ?3"
    );
    let sets: Vec<_> = others.iter().map(|(&page_row, &other)| in_session![clock, page_row, other].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

/// Stores the body of a new host; nothing is stored where there is nothing.
pub(crate) fn put(tx: &mut dyn Tx, clock: &SessionClock, host: (Scope, i64), body: &Body) -> StoreResult<()> {
    let Body { content, extra } = body;
    if content.is_none() && extra.is_none() {
        return Ok(());
    }
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    tx.execute(sql, in_session![clock, host.0.number(), host.1, content.as_ref(), extra.as_ref()]).map(drop)
}

pub(crate) fn set_content(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    host: (Scope, i64),
    content: Option<&str>,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, ?5, NULL)
         ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET content = excluded.content"
    );
    let content = content.map(codec::encode);
    tx.execute(sql, in_session![clock, host.0.number(), host.1, content.as_ref()]).map(drop)
}

pub(crate) fn set_extra(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    host: (Scope, i64),
    extra: Option<&JsonText>,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, NULL, ?5)
         ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET extra = excluded.extra"
    );
    let extra = extra.map(|extra| codec::encode(extra.as_str()));
    tx.execute(sql, in_session![clock, host.0.number(), host.1, extra.as_ref()]).map(drop)
}
