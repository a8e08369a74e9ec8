//! A request under an idempotency key happens once: its result is stored with it, and returned again when the request is
//! repeated within a day.
//!
//! What is kept is the result, not the answer: the result exists inside the transaction, so that effect and row stand or
//! fall together, while the answer is written by code that knows nothing of transactions. From the same result comes the
//! same answer. A refusal has no effect that it must stand with, so the response is stored afterwards, as it was sent.

use crate::db::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How long an answer is kept: longer than any client goes on trying.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// How long an answer is kept even if its account has more than `ANSWERS_KEPT_MAX`: a retry must not happen twice, however
/// busy the account is.
pub const KEPT_AT_LEAST_MS: i64 = 60 * 60 * 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub key: String,
    /// A fingerprint of the request.
    pub fingerprint: [u8; 32],
    /// When, in ms since 1970.
    pub now: i64,
}

#[derive(Serialize, Deserialize)]
enum Kept<T> {
    Result(T),
    /// A response of the caller, which alone knows what it means.
    Refused(Box<RawValue>),
}

/// Does the work, or returns what came of it the first time. The flag says which: true for a repetition.
///
/// Everything is part of the work's own transaction. Of two that come at the same time the second waits for the row.
pub fn run<T: Serialize + DeserializeOwned>(
    tx: &mut dyn Tx,
    account: &Id,
    attempt: &Attempt,
    work: impl FnOnce(&mut dyn Tx) -> StoreResult<T>,
) -> StoreResult<(T, bool)> {
    if !claim(tx, account, attempt)? {
        return match read(tx, account, attempt)? {
            Kept::Result(result) => Ok((result, true)),
            Kept::Refused(response) => Err(Refusal::StoredResponse(JsonText::from_stored(response.get())).into()),
        };
    }
    let result = work(tx)?;
    fill(tx, account, attempt, &Kept::Result(&result))?;
    Ok((result, false))
}

/// Keeps more of what came of a request than was known when its effect was stored.
pub fn amend<T: Serialize>(tx: &mut dyn Tx, account: &Id, attempt: &Attempt, result: &T) -> StoreResult<()> {
    fill(tx, account, attempt, &Kept::Result(result))
}

/// Stores the caller's response to a refused request, unless another attempt has stored one.
pub fn keep_refusal(tx: &mut dyn Tx, account: &Id, attempt: &Attempt, response: &JsonText) -> StoreResult<()> {
    if claim(tx, account, attempt)? {
        let response = RawValue::from_string(response.as_str().to_owned());
        let broken = |error| StoreError::Internal(format!("a response is not JSON: {error}"));
        fill(tx, account, attempt, &Kept::<()>::Refused(response.map_err(broken)?))?;
    }
    Ok(())
}

/// Whether something is kept under the attempt's key.
pub fn is_kept(tx: &mut dyn Tx, account: &Id, attempt: &Attempt) -> StoreResult<bool> {
    let sql = sql!("SELECT COUNT(*) FROM kept_answer WHERE account_id = ?1 AND key = ?2 AND created_at > ?3");
    one(tx, sql, params![account, attempt.key.as_bytes(), attempt.now - KEPT_MS], |row| Ok(row.int(0)? > 0))
}

/// Takes the key for this attempt. False if it is taken already; a row that is too old does not count.
fn claim(tx: &mut dyn Tx, account: &Id, attempt: &Attempt) -> StoreResult<bool> {
    let sql = sql!(
        "INSERT INTO kept_answer (account_id, key, fingerprint, answer, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (account_id, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at
            WHERE kept_answer.created_at <= ?6"
    );
    let empty: &[u8] = &[];
    let Attempt { key, fingerprint, now } = attempt;
    let taken =
        tx.execute(sql, params![account, key.as_bytes(), fingerprint.as_slice(), empty, *now, now - KEPT_MS])?;
    Ok(taken > 0)
}

fn read<T: DeserializeOwned>(tx: &mut dyn Tx, account: &Id, attempt: &Attempt) -> StoreResult<Kept<T>> {
    let sql = sql!("SELECT fingerprint, answer FROM kept_answer WHERE account_id = ?1 AND key = ?2");
    let (same, answer) = one(tx, sql, params![account, attempt.key.as_bytes()], |row| {
        Ok((row.bytes(0)? == attempt.fingerprint, row.bytes(1)?.to_vec()))
    })?;
    if !same {
        return Err(Refusal::KeyReused.into());
    }
    let broken = |error| StoreError::Corrupt(format!("what came of a request cannot be read: {error}"));
    serde_json::from_str(&codec::decode(&answer)?).map_err(broken)
}

fn fill<T: Serialize>(tx: &mut dyn Tx, account: &Id, attempt: &Attempt, kept: &Kept<T>) -> StoreResult<()> {
    let broken = |error| StoreError::Internal(format!("what came of a request cannot be kept: {error}"));
    let answer = codec::encode(&serde_json::to_string(kept).map_err(broken)?);
    let sql = sql!("UPDATE kept_answer SET answer = ?3 WHERE account_id = ?1 AND key = ?2 AND fingerprint = ?4");
    // No row is left to fill where the request deleted its own account.
    let keys = params![account, attempt.key.as_bytes(), &answer, attempt.fingerprint.as_slice()];
    tx.execute(sql, keys).map(drop)
}
