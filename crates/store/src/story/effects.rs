//! Effects: what turns want to happen outside of their documents. A row is stored with its version and performed once, when
//! its page is committed for the first time.

use crate::db::codec;
use crate::db::tx::{Tx, all, execute_many};
use crate::error::{StoreError, StoreResult};
use crate::story::versions::Placed;
use crate::{params, sql};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::id::Id;

/// The number of [`Effect::SetVariable`] in storage.
const SET_VARIABLE: i64 = 0;

/// Stores the effects of new versions.
pub(super) fn add_all(tx: &mut dyn Tx, account: &Id, session_row: i64, placed: &[Placed<'_>]) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO effect (account_id, session_row, page_row, version_row, ordinal, kind, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    let effects = placed.iter().flat_map(|placed| {
        (0_i64..).zip(&placed.version.effects).map(move |(ordinal, effect)| (placed, ordinal, encode(effect)))
    });
    let effects: Vec<_> = effects.collect();
    let sets: Vec<_> = effects
        .iter()
        .map(|(placed, ordinal, (kind, detail))| {
            params![account, session_row, placed.page_row, placed.version_row, *ordinal, *kind, detail].to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)
}

/// Takes the effects of a page's current state that are to be performed now: those of a page that was never committed
/// before. Each is taken once.
pub(crate) fn take(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    page_row: i64,
    now: i64,
) -> StoreResult<Vec<Effect>> {
    let sql = sql!(
        "SELECT e.kind, e.detail FROM snapshot n
         JOIN effect e ON e.account_id = n.account_id AND e.session_row = n.session_row AND e.page_row = n.page_row
            AND e.version_row = n.version_row
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.page_row = ?3 AND e.performed_at IS NULL
         ORDER BY e.ordinal"
    );
    let effects = all(tx, sql, params![account, session_row, page_row], |row| decode(row.int(0)?, row.bytes(1)?))?;
    if !effects.is_empty() {
        // Effects of the page's earlier versions are settled with it: a page has its effects once.
        let sql = sql!(
            "UPDATE effect SET performed_at = ?4
             WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND performed_at IS NULL"
        );
        tx.execute(sql, params![account, session_row, page_row, now])?;
    }
    Ok(effects)
}

fn encode(effect: &Effect) -> (i64, Vec<u8>) {
    match effect {
        Effect::SetVariable { scope, key, value } => {
            let detail = [Value::from(scope.as_str()), Value::from(key.as_str()), Value::from(value)];
            (SET_VARIABLE, codec::encode(&detail.into_iter().collect::<Value>().to_json()))
        }
    }
}

fn decode(kind: i64, detail: &[u8]) -> StoreResult<Effect> {
    let detail = Value::from(&codec::decode_json(detail)?);
    let read = || match (kind, detail.items()) {
        (SET_VARIABLE, [scope, key, value]) => Some(Effect::SetVariable {
            scope: scope.as_str()?.parse().ok()?,
            key: key.as_str()?.parse().ok()?,
            value: value.to_text(),
        }),
        _ => None,
    };
    read().ok_or_else(|| StoreError::Corrupt(format!("an effect of kind {kind} cannot be read")))
}
