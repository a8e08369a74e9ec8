//! A state that was edited by hand: a version of its own, and the same snapshot points to it.

use crate::story::snapshots::{self, Pointed, Snapshot};
use crate::story::versions::{self, Kind, MadeOf, NewVersion};
use crate::story::{places, refresh_changed};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::Condition;
use tavernkeep_engine::story::Base;

/// Finds the snapshot that is to be changed and what it is made of now.
pub fn prepare(tx: &mut dyn Tx, account: &Id, id: &Id, condition: Condition) -> StoreResult<(Snapshot, MadeOf)> {
    let snapshot = snapshots::get(tx, account, id)?;
    check(&snapshot, condition)?;
    let made_of = versions::made_of(tx, SessionKey::new(account, snapshot.session_row), snapshot.version_row)?;
    Ok((snapshot, made_of))
}

/// Refuses where the snapshot is not what the caller expects.
pub(crate) fn check(snapshot: &Snapshot, condition: Condition) -> StoreResult<()> {
    let holds = match condition {
        Condition::None | Condition::Exists => true,
        Condition::Absent => false,
        Condition::Revision(version_row) => snapshot.version_row == version_row,
    };
    if holds { Ok(()) } else { Err(Refusal::SnapshotMoved.into()) }
}

/// Stores an edit of the version `expected`. Refuses with [`Refusal::ParentMoved`] if the snapshot points elsewhere now.
///
/// An edit counts for the page as it is now: with its text and the page before it of this moment.
pub fn store(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    expected: &MadeOf,
    version: &NewVersion,
    now: i64,
) -> StoreResult<Snapshot> {
    let session = SessionKey::new(account, snapshots::get(tx, account, id)?.session_row);
    let stored = clock::with_session_row(tx, session, now, |tx, clock| {
        let snapshot = snapshots::get(tx, account, id)?;
        if snapshot.version_row != expected.version_row {
            return Err(Refusal::ParentMoved.into());
        }
        separation::separate_pages(tx, clock, &[snapshot.page_row])?;
        let page = places::of_page(tx, session, snapshot.page_row)?;
        let mut version = version.clone();
        let mut base_row = expected.base_row;
        if let Some(page) = &page {
            version.text_hash = page.text_hash.unwrap_or(version.text_hash);
            match places::base(tx, session, page.branch_row, page.floor_no)? {
                Base::Version(row) => base_row = Some(row),
                Base::Template => base_row = None,
                Base::Unprocessed => {}
            }
        }
        let parent_row = Some(expected.version_row);
        let version_row = versions::add(tx, clock, snapshot.page_row, &version, parent_row, base_row)?;
        match page {
            Some(page) => {
                let rows = (page.floor_row, page.page_row);
                snapshots::point(
                    tx,
                    clock,
                    &Pointed { tick: clock.tick(), rows, fresh: id, version_row, kind: Kind::Edit },
                )?;
                refresh_changed(tx, clock, &[page.floor_row])?;
            }
            // The page is gone; its state can still be looked at and mended.
            None => {
                let sql = sql!("UPDATE snapshot SET version_row = ?3 WHERE account_id = ?1 AND id = ?2");
                tx.execute(sql, params![account, id, version_row])?;
            }
        }
        snapshots::get(tx, account, id)
    });
    stored?.ok_or_else(|| Refusal::ParentMoved.into())
}
