//! The archive of a line: what left its documents. An entry is an effect of the version that caused it, so the archive is what
//! the present versions of a line's pages have: a swipe away hides its entries, and a turn that is computed again brings its own.

use crate::story::effects::{self, EffectKind};
use crate::story::places;
use crate::tree::line;
use crate::tree::prelude::*;
use std::collections::HashMap;
use std::sync::LazyLock;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::packs::Archived;

/// A page of a line whose version has something in the archive.
#[derive(Debug, Clone)]
pub struct ArchivePlace {
    pub floor: Id,
    pub floor_no: i64,
    pub page: Id,
    /// The time that was given to the turn.
    pub at: i64,
    version_row: i64,
    /// The page that the version was first made for.
    page_row: i64,
}

static STATES: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT f.floor_no, f.id, p.id, n.version_row, v.clock_ms FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row AND v.version_row = n.version_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no <= ?4 AND f.state = 2
            AND p.page_row = {}
         ORDER BY f.floor_no",
        places::story_page()
    ))
});

/// The pages of a line that have something in the archive, in the order of the story, and the session's row.
pub fn places(tx: &mut dyn Tx, account: &Id, session: &Id, branch: &str) -> StoreResult<(i64, Vec<ArchivePlace>)> {
    let key = lookup::session(tx, account, session)?;
    let branch_row = lookup::branch(tx, key, session, branch)?;
    let sql = sql!("SELECT version_row, page_row FROM effect WHERE account_id = ?1 AND session_row = ?2 AND kind = ?3");
    let with_entries: HashMap<i64, i64> =
        all(tx, sql, in_session![key, EffectKind::Archive.number()], |row| Ok((row.int(0)?, row.int(1)?)))?
            .into_iter()
            .collect();
    let mut found = Vec::new();
    if with_entries.is_empty() {
        return Ok((key.row, found));
    }
    for (branch_row, last) in line::segments(tx, key, branch_row, i64::MAX)? {
        tx.query(*STATES, in_session![key, branch_row, last], &mut |row| {
            let version_row = row.int(3)?;
            if let Some(&page_row) = with_entries.get(&version_row) {
                found.push(ArchivePlace {
                    floor_no: row.int(0)?,
                    floor: stored_id(row.text(1)?)?,
                    page: stored_id(row.text(2)?)?,
                    at: row.int(4)?,
                    version_row,
                    page_row,
                });
            }
            Ok(())
        })?;
    }
    Ok((key.row, found))
}

const ENTRIES: Sql = sql!(
    "SELECT kind, detail FROM effect
     WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND version_row = ?4 AND kind = 1 ORDER BY ordinal"
);

/// What some of these pages have in the archive.
pub fn entries(tx: &mut dyn Tx, session: SessionKey<'_>, places: &[ArchivePlace]) -> StoreResult<Vec<Vec<Archived>>> {
    let sets: Vec<_> =
        places.iter().map(|place| in_session![session, place.page_row, place.version_row].to_vec()).collect();
    let mut found = vec![Vec::new(); places.len()];
    tx.query_many(ENTRIES, &sets, &mut |at, row| {
        if let (Some(entries), Effect::Archive(archived)) =
            (found.get_mut(at), effects::decode(row.int(0)?, row.bytes(1)?)?)
        {
            entries.push(archived);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Gives a version what another version of the same page has in the archive: edits by hand change no turn.
pub(crate) fn carry(tx: &mut dyn Tx, session: SessionKey<'_>, page_row: i64, from: i64, to: i64) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO effect (account_id, session_row, page_row, version_row, ordinal, kind, detail, performed_at)
         SELECT account_id, session_row, ?3, ?5, ordinal, kind, detail, performed_at FROM effect
         WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?4 AND kind = 1"
    );
    tx.execute(sql, in_session![session, page_row, from, to]).map(drop)
}

/// Deletes what belongs to versions that are gone.
pub(crate) fn sweep(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<()> {
    let sql = sql!(
        "DELETE FROM effect WHERE account_id = ?1 AND session_row = ?2 AND kind = 1 AND NOT EXISTS (
            SELECT 1 FROM version v WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = effect.version_row)"
    );
    tx.execute(sql, in_session![session]).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::db::plans::assert_narrow;

    #[test]
    fn the_archive_is_read_without_the_rest_of_the_account() {
        assert_narrow(*super::STATES);
        assert_narrow(super::ENTRIES);
    }
}
