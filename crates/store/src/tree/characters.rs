//! The rows of characters.

use crate::db::prelude::*;

pub fn find(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT character_row FROM character WHERE account_id = ?1 AND id = ?2");
    first(tx, sql, params![account, id], |row| row.int(0))
}

/// Takes deleted characters away that no session uses any more.
pub fn sweep(tx: &mut dyn Tx, account: &Id) -> StoreResult<()> {
    let sql = sql!(
        "DELETE FROM character WHERE account_id = ?1 AND deleted_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM session s WHERE s.account_id = ?1 AND s.character_row = character.character_row)"
    );
    tx.execute(sql, params![account]).map(drop)
}
