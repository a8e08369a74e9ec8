//! Where a state came from: the page and the text behind a version, and what lies before a page.

use crate::story::places::StoryPage;
use crate::story::versions::Link;
use crate::story::{places, states, texts};
use crate::tree::line::{self, BranchPosition, LineSegment};
use crate::tree::prelude::*;
use crate::tree::separation;
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

/// The line to a page, from the beginning of the story on.
pub struct LineToPage {
    segments: Vec<LineSegment>,
}

impl LineToPage {
    pub fn read(tx: &mut dyn Tx, session: SessionKey<'_>, page: &Id) -> StoreResult<LineToPage> {
        let place = position(tx, session.account, page)?;
        let (branch_row, floor_no) = place.ok_or_else(|| Refusal::PageNotFound(page.clone()))?;
        Ok(LineToPage { segments: line::segments(tx, session, branch_row, floor_no)? })
    }

    /// The page of the line that a version is a state of, unless it is gone. Copies of a page on other lines share its versions.
    pub fn origin(
        &self,
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        version: &Link,
        hash: Hash,
    ) -> StoreResult<Option<Origin>> {
        let made_for = places::of_page(tx, session, version.page_row)?;
        let page = match made_for {
            Some(page) if self.has(&page) => Some(page),
            Some(page) => self.copy(tx, session, &page.page)?,
            None => None,
        };
        // A page that is gone has no id any more that leads to its copy.
        let page = match page {
            None => self.holder(tx, session, version.version_row)?,
            page => page,
        };
        let Some(page) = page else { return Ok(None) };
        let text = text_made_of(tx, session, &page, hash)?;
        Ok(Some(Origin { floor: page.floor, floor_no: page.floor_no, page: page.page, text }))
    }

    fn has(&self, page: &StoryPage) -> bool {
        self.segments.iter().any(|&(branch_row, last)| page.branch_row == branch_row && page.floor_no <= last)
    }

    /// The copy of a page that is nearest on the line.
    fn copy(&self, tx: &mut dyn Tx, session: SessionKey<'_>, page: &Id) -> StoreResult<Option<StoryPage>> {
        let sql = sql!("SELECT page_row FROM page WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
        for &(branch_row, _) in self.segments.iter().rev() {
            for id in separation::ids_of_copy(session, page, branch_row)? {
                let Some(page_row) = first(tx, sql, in_session![session, &id], |row| row.int(0))? else { continue };
                if let Some(copy) = places::of_page(tx, session, page_row)?.filter(|copy| self.has(copy)) {
                    return Ok(Some(copy));
                }
            }
        }
        Ok(None)
    }

    /// The page of the line whose snapshot points to a version.
    fn holder(&self, tx: &mut dyn Tx, session: SessionKey<'_>, version_row: i64) -> StoreResult<Option<StoryPage>> {
        let sql = sql!("SELECT page_row FROM snapshot WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3");
        for page_row in all(tx, sql, in_session![session, version_row], |row| row.int(0))? {
            if let Some(page) = places::of_page(tx, session, page_row)?.filter(|page| self.has(page)) {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }
}

fn text_made_of(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    page: &StoryPage,
    made_of: Hash,
) -> StoreResult<Option<String>> {
    if page.text_hash != Some(made_of) {
        return Ok(None);
    }
    texts::load(tx, session, &[page.page_row])?.pop().map(|text| text.read()).transpose()
}

/// The text of a page, if it is still the one with this fingerprint.
pub fn text_of(tx: &mut dyn Tx, account: &Id, page: &Id, made_of: Hash) -> StoreResult<Option<String>> {
    let sql = sql!("SELECT session_row, page_row FROM page WHERE account_id = ?1 AND id = ?2");
    let found = first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let Some((session_row, page_row)) = found else { return Ok(None) };
    let session = SessionKey::new(account, session_row);
    let Some(page) = places::of_page(tx, session, page_row)? else { return Ok(None) };
    text_made_of(tx, session, &page, made_of)
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
    let (branch_row, floor_no) = position(tx, account, page)?.ok_or_else(none)?;
    let base = places::base(tx, SessionKey::new(account, at.session_row), branch_row, floor_no)?;
    Ok(Own { session_row: at.session_row, snapshot, version_row, base })
}

fn position(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Option<BranchPosition>> {
    let sql = sql!(
        "SELECT f.branch_row, f.floor_no FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND f.floor_no >= 0"
    );
    first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?)))
}
