//! The rows of characters.

use crate::db::prelude::*;
use crate::tree::trash_items::TrashKind;

pub fn find(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<i64>> {
    let sql = sql!("SELECT character_row FROM character WHERE account_id = ?1 AND id = ?2");
    first(tx, sql, params![account, id], |row| row.int(0))
}

/// Takes deleted characters away that are not in the trash and that no session uses any more.
pub fn sweep(tx: &mut dyn Tx, account: &Id) -> StoreResult<()> {
    let sql = sql!(
        "DELETE FROM character WHERE account_id = ?1 AND deleted_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM session s WHERE s.account_id = ?1 AND s.character_row = character.character_row)
         AND NOT EXISTS (SELECT 1 FROM trash t WHERE t.account_id = ?1 AND t.kind = ?2
            AND t.subject_row = character.character_row AND t.subject_row > 0)"
    );
    tx.execute(sql, params![account, TrashKind::Character.number()]).map(drop)
}
