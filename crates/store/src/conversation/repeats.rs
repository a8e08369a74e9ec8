//! A turn that is sent again under the page id that its client has chosen: taken once, and only if it is the same turn.
//!
//! A page keeps the fingerprint of the request it was made by, so a turn stays the same turn when its text is edited later.

use crate::conversation::turns::StoredTurn;
use crate::db::hash::{hash, stored_hash, text_hash};
use crate::story::places;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::order::NewTurn;
use std::borrow::Cow;
use tavernkeep_engine::story::Hash;

/// What distinguishes one turn from another. What it must build on and what its answer shows are no part of it.
pub fn fingerprint(new: &NewTurn) -> Hash {
    fingerprint_at(new, new.floor_no)
}

/// The same as if it named this position.
fn fingerprint_at(new: &NewTurn, floor_no: Option<i64>) -> Hash {
    let branch = match &new.swipe_of {
        // The floor says on which branch it is.
        Some(_) => None,
        None => Some(new.branch.as_deref().unwrap_or(MAIN_BRANCH)),
    };
    let floor_no = floor_no.filter(|_| new.swipe_of.is_none()).map(|floor_no| floor_no.to_string());
    let parts = [
        Some(new.role.as_str()),
        new.name.as_deref(),
        Some(new.content.as_str()),
        branch,
        floor_no.as_deref(),
        new.swipe_of.as_ref().map(Id::as_str),
    ];
    let mut bytes = Vec::with_capacity(new.content.len() + 256);
    for part in parts {
        // The length in front keeps two parts from being taken for two others; nothing is not an empty text.
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        bytes.extend(length.to_le_bytes());
        bytes.extend(part.unwrap_or_default().as_bytes());
    }
    hash(&bytes)
}

/// Notes what a page was made by, where its client may send that again.
pub fn note(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, new: &NewTurn) -> StoreResult<()> {
    if new.page.is_none() {
        return Ok(());
    }
    let sql = sql!("UPDATE page SET turn_hash = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    tx.execute(sql, in_session![clock, page_row, fingerprint(new).as_slice()]).map(drop)
}

/// A page that has the id of a turn.
struct PageOfTurn {
    session_row: i64,
    page_row: i64,
    page_version: i64,
    turn_hash: Option<Hash>,
    text_hash: Option<Hash>,
    role: Option<String>,
    name: Option<String>,
    floor: Id,
    floor_no: i64,
    branch: String,
}

/// The turn that a page was stored with, if it is there. Whatever else has the id is another thing, and a refusal names what differs.
pub fn stored(tx: &mut dyn Tx, session: SessionKey<'_>, page: &Id, new: &NewTurn) -> StoreResult<Option<StoredTurn>> {
    // The id of a page that is being deleted with its session is free.
    let sql = sql!(
        "SELECT p.session_row, p.page_row, p.version, p.turn_hash, p.text_hash, p.role, p.name, f.id, b.id, f.floor_no
         FROM page p
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    let Some(found) = first(tx, sql, params![session.account, page], read)? else { return Ok(None) };
    let differs = |what: Vec<&'static str>| Refusal::TurnDiffers { page: page.clone(), what };
    if found.session_row != session.row {
        return Err(differs(vec!["session"]).into());
    }
    let Some(turn_hash) = found.turn_hash else {
        return Err(Refusal::IdTaken("page", page.to_string()).into());
    };
    let new = found.as_stored(new);
    if turn_hash != fingerprint(&new) {
        return Err(differs(found.differences(&new)).into());
    }
    let missing = || Refusal::PageNotFound(page.clone());
    let stored_page = places::of_page(tx, session, found.page_row)?.ok_or_else(missing)?;
    let (snapshot, made_of) = stored_page.pointer.map(|pointer| (pointer.snapshot, pointer.made_of)).unzip();
    let page_version = found.page_version;
    let (floor, floor_no, page) = (stored_page.floor, stored_page.floor_no, stored_page.page);
    Ok(Some(StoredTurn { session_row: session.row, floor, floor_no, page, page_version, snapshot, made_of, end: None }))
}

fn read(row: &dyn Row) -> StoreResult<PageOfTurn> {
    let hash = |at: usize| row.bytes_or_null(at)?.map(stored_hash).transpose();
    let text = |at: usize| row.bytes_or_null(at)?.map(stored_text).transpose();
    Ok(PageOfTurn {
        session_row: row.int(0)?,
        page_row: row.int(1)?,
        page_version: row.int(2)?,
        turn_hash: hash(3)?,
        text_hash: hash(4)?,
        role: text(5)?,
        name: text(6)?,
        floor: stored_id(row.text(7)?)?,
        branch: stored_text(row.bytes(8)?)?,
        floor_no: row.int(9)?,
    })
}

impl PageOfTurn {
    /// The turn as it was stored: a swipe of a floor that its branch shared is one of the copy that the branch got for it.
    fn as_stored<'a>(&self, new: &'a NewTurn) -> Cow<'a, NewTurn> {
        match &new.swipe_of {
            Some(floor) if separation::is_copy_of(&self.floor, floor) => {
                Cow::Owned(NewTurn { swipe_of: Some(self.floor.clone()), ..new.clone() })
            }
            _ => Cow::Borrowed(new),
        }
    }

    /// Whether the turn names another position, or only one of the two names any.
    fn stands_elsewhere(&self, new: &NewTurn) -> bool {
        let others = [None, Some(self.floor_no)].into_iter().filter(|&floor_no| floor_no != new.floor_no);
        let is_all = || others.map(|it| fingerprint_at(new, it)).any(|hash| self.turn_hash == Some(hash));
        new.floor_no.is_some_and(|floor_no| floor_no != self.floor_no) || is_all()
    }

    /// What is another thing than the turn says, as far as it can be seen now.
    fn differences(&self, new: &NewTurn) -> Vec<&'static str> {
        let (is_swipe, branch) = (new.swipe_of.is_some(), new.branch.as_deref().unwrap_or(MAIN_BRANCH));
        let swiped = match &new.swipe_of {
            Some(floor) => *floor != self.floor || self.page_version == 0,
            None => self.page_version > 0,
        };
        let all = [
            ("role", self.role.as_deref() != Some(&new.role)),
            ("name", self.name != new.name),
            ("content", self.text_hash != Some(text_hash(Some(&new.content)))),
            ("branch", !is_swipe && self.branch != branch),
            ("swipe_of", swiped),
            ("floor_no", !is_swipe && self.stands_elsewhere(new)),
        ];
        all.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
    }
}
