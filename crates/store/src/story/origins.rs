//! Where a state came from: the page and the text behind a version, and what lies before a page.

use crate::story::{places, states, texts};
use crate::tree::prelude::*;
use tavernkeep_engine::story::{Base, Hash, StaleReason};

/// The page that a version is a state of, as it is now.
#[derive(Debug, Clone)]
pub struct Origin {
    pub floor: Id,
    pub floor_no: i64,
    pub page: Id,
    /// The text, if it is still the one that the version was made of.
    pub text: Option<String>,
}

/// The page that a version is a state of, unless it is gone.
pub fn of_version(tx: &mut dyn Tx, session: SessionKey<'_>, page_row: i64, hash: Hash) -> StoreResult<Option<Origin>> {
    let Some(page) = places::of_page(tx, session, page_row)? else { return Ok(None) };
    let text = if page.text_hash == Some(hash) { texts::load(tx, session, &[page_row])?.pop() } else { None };
    let text = text.map(|text| text.read()).transpose()?;
    Ok(Some(Origin { floor: page.floor, floor_no: page.floor_no, page: page.page, text }))
}

/// The text of a page, if it is still the one with this fingerprint.
pub fn text_of(tx: &mut dyn Tx, account: &Id, page: &Id, made_of: Hash) -> StoreResult<Option<String>> {
    let sql = sql!("SELECT session_row, page_row FROM page WHERE account_id = ?1 AND id = ?2");
    let found = first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let Some((session_row, page_row)) = found else { return Ok(None) };
    Ok(of_version(tx, SessionKey::new(account, session_row), page_row, made_of)?.and_then(|origin| origin.text))
}

/// A page's own state and what lies before the page now.
#[derive(Debug, Clone)]
pub struct Own {
    pub session_row: i64,
    pub snapshot: Id,
    pub version_row: i64,
    pub base: Base,
}

/// A page's own state. Refuses with [`Refusal::PageWithoutState`] where the page shows the state of another one.
pub fn own(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Own> {
    let none = || Refusal::PageWithoutState(page.clone());
    let at = states::of_page(tx, account, page)?;
    if at.inherited || at.stale == Some(StaleReason::Unprocessed) {
        return Err(none().into());
    }
    let (snapshot, version_row) = at.snapshot.zip(at.version_row).ok_or_else(none)?;
    let sql = sql!(
        "SELECT f.branch_row, f.floor_no FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE p.account_id = ?1 AND p.id = ?2"
    );
    let place = first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let (branch_row, floor_no) = place.ok_or_else(none)?;
    let base = places::base(tx, SessionKey::new(account, at.session_row), branch_row, floor_no)?;
    Ok(Own { session_row: at.session_row, snapshot, version_row, base })
}
