//! Texts that states depend on, stored once for an account under the hash of the text: profiles.

use crate::db::hash::{Hash, hash};
use crate::db::prelude::*;

/// Stores a text, unless it is there, and answers with its hash.
pub(crate) fn put(tx: &mut dyn Tx, account: &Id, text: &JsonText, now: i64) -> StoreResult<Hash> {
    let hash = hash(text.as_str().as_bytes());
    // The time is written in any case: it keeps the purge away from a text that something begins to use at this moment.
    let sql = sql!(
        "INSERT INTO definition (account_id, hash, used_at, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (account_id, hash) DO UPDATE SET used_at = excluded.used_at"
    );
    tx.execute(sql, params![account, hash.as_slice(), now, &codec::encode(text.as_str())])?;
    Ok(hash)
}

pub fn get(tx: &mut dyn Tx, account: &Id, hash: Hash) -> StoreResult<Option<JsonText>> {
    let sql = sql!("SELECT body FROM definition WHERE account_id = ?1 AND hash = ?2");
    first(tx, sql, params![account, hash.as_slice()], |row| codec::decode_json(row.bytes(0)?))
}

/// Deletes texts that nothing uses and that nothing began to use since `before`.
pub fn purge(tx: &mut dyn Tx, account: &Id, before: i64) -> StoreResult<u64> {
    let sql = sql!(
        "DELETE FROM definition WHERE account_id = ?1 AND used_at < ?2
            AND NOT EXISTS (SELECT 1 FROM session_story t
                WHERE t.account_id = ?1 AND t.profile_hash = definition.hash)
            AND NOT EXISTS (SELECT 1 FROM session_story t
                WHERE t.account_id = ?1 AND t.rules_hash = definition.hash)
            AND NOT EXISTS (SELECT 1 FROM character_story k
                WHERE k.account_id = ?1 AND k.profile_hash = definition.hash)
            AND NOT EXISTS (SELECT 1 FROM character_story k
                WHERE k.account_id = ?1 AND k.rules_hash = definition.hash)
            AND NOT EXISTS (SELECT 1 FROM recipe r
                WHERE r.account_id = ?1 AND r.rules_hash = definition.hash)"
    );
    tx.execute(sql, params![account, before])
}
