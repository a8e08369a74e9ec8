//! Texts that states depend on, stored once for an account under the hash of the text: profiles, and what the
//! functions of a scope mean.

use crate::db::hash::{Hash, hash, stored_hash};
use crate::db::prelude::*;
use std::collections::HashSet;

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

/// The texts that nothing uses and that nothing began to use since `before`. Runs outside of the writer thread: it reads what
/// all sessions and characters use.
pub fn unused(tx: &mut dyn Tx, account: &Id, before: i64) -> StoreResult<Vec<Hash>> {
    let sql = sql!("SELECT hash FROM definition WHERE account_id = ?1 AND used_at < ?2");
    let mut unused = all(tx, sql, params![account, before], |row| stored_hash(row.bytes(0)?))?;
    if unused.is_empty() {
        return Ok(unused);
    }
    let sql = sql!(
        "SELECT profile_hash FROM session_story WHERE account_id = ?1 AND profile_hash IS NOT NULL
         UNION SELECT rules_hash FROM session_story WHERE account_id = ?1 AND rules_hash IS NOT NULL
         UNION SELECT profile_hash FROM character_story WHERE account_id = ?1 AND profile_hash IS NOT NULL
         UNION SELECT rules_hash FROM character_story WHERE account_id = ?1 AND rules_hash IS NOT NULL
         UNION SELECT functions_hash FROM account WHERE account_id = ?1 AND functions_hash IS NOT NULL
         UNION SELECT functions_hash FROM character_story WHERE account_id = ?1 AND functions_hash IS NOT NULL
         UNION SELECT global_functions_hash FROM recipe WHERE account_id = ?1 AND global_functions_hash IS NOT NULL
         UNION SELECT local_functions_hash FROM recipe WHERE account_id = ?1 AND local_functions_hash IS NOT NULL
         UNION SELECT rules_hash FROM recipe WHERE account_id = ?1 AND rules_hash IS NOT NULL"
    );
    let used: HashSet<Hash> = all(tx, sql, params![account], |row| stored_hash(row.bytes(0)?))?.into_iter().collect();
    unused.retain(|hash| !used.contains(hash));
    Ok(unused)
}

/// Deletes texts that were found unused, unless something began to use them since `before`.
pub fn purge(tx: &mut dyn Tx, account: &Id, unused: &[Hash], before: i64) -> StoreResult<()> {
    let sql = sql!("DELETE FROM definition WHERE account_id = ?1 AND hash = ?2 AND used_at < ?3");
    let sets: Vec<_> = unused.iter().map(|hash| params![account, hash.as_slice(), before].to_vec()).collect();
    execute_many(tx, sql, &sets)
}
