//! Effects: what turns want to happen outside of their documents. A row is stored with its version and performed once, when
//! its page is committed for the first time.

use crate::story::versions::Placed;
use crate::tree::prelude::*;
use crate::variables::commit::{self, Ids};
use crate::variables::staging;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::packs::Archived;

tavernkeep_engine::stored_enum! {
    /// What kind of effect a row is.
    EffectKind {
        /// [`Effect::SetVariable`]
        SetVariable = "set_variable",
        /// [`Effect::Archive`]
        Archive = "archive",
    }
}

pub fn add_all(tx: &mut dyn Tx, session: SessionKey<'_>, placed: &[Placed<'_>]) -> StoreResult<()> {
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
            in_session![session, placed.page_row, placed.version_row, *ordinal, *kind, detail].to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)
}

/// Performs the effects of a page that is committed and has its first state now: they are proposed as staged writes, which
/// are decided at once.
pub fn perform(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    page_row: i64,
    ids: &mut Ids<'_>,
) -> StoreResult<()> {
    if stage(tx, clock, page_row, ids)? == 0 {
        return Ok(());
    }
    let mut totals = Totals::default();
    commit::decide(tx, clock, floor, Some(page_row), None, ids, &mut totals)?;
    totals.keep(tx, clock.account())
}

/// Proposes the effects of a page's current state as staged writes, unless effects of the page were performed before.
/// Answers how many there are.
pub fn stage(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, ids: &mut Ids<'_>) -> StoreResult<usize> {
    let keys = in_session![clock, page_row];
    let sql = sql!(
        "SELECT e.kind, e.detail FROM effect e
         JOIN snapshot n ON n.account_id = e.account_id AND n.session_row = e.session_row AND n.page_row = e.page_row
            AND n.version_row = e.version_row
         WHERE e.account_id = ?1 AND e.session_row = ?2 AND e.page_row = ?3 AND e.kind = 0
            AND NOT EXISTS (SELECT 1 FROM effect d WHERE d.account_id = ?1 AND d.session_row = ?2 AND d.page_row = ?3
                AND d.performed_at IS NOT NULL)
         ORDER BY e.ordinal"
    );
    let effects = all(tx, sql, keys, |row| decode(row.int(0)?, row.bytes(1)?))?;
    for effect in &effects {
        let Effect::SetVariable { scope, key, value } = effect else { continue };
        let id = ids.next().ok_or_else(|| StoreError::Internal("the ids ran out".into()))?;
        staging::propose(tx, clock, page_row, (*scope, key, value), &id)?;
    }
    if !effects.is_empty() {
        let sql = sql!(
            "UPDATE effect SET performed_at = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND kind = 0"
        );
        tx.execute(sql, in_session![clock, page_row, clock.now()])?;
    }
    Ok(effects.len())
}

fn encode(effect: &Effect) -> (i64, Vec<u8>) {
    match effect {
        Effect::SetVariable { scope, key, value } => {
            let detail = [Value::from(scope.as_str()), Value::from(key.as_str()), Value::from(value)];
            (EffectKind::SetVariable.number(), codec::encode(&detail.into_iter().collect::<Value>().to_json()))
        }
        Effect::Archive(Archived { source, name, entries }) => {
            let detail = [Value::from(source.as_str()), Value::from(name.as_str()), entries.clone()];
            (EffectKind::Archive.number(), codec::encode(&detail.into_iter().collect::<Value>().to_json()))
        }
    }
}

pub(crate) fn decode(kind: i64, detail: &[u8]) -> StoreResult<Effect> {
    let detail = Value::from(&codec::decode_json(detail)?);
    let read = || match (stored_enum(kind).ok()?, detail.items()) {
        (EffectKind::SetVariable, [scope, key, value]) => Some(Effect::SetVariable {
            scope: scope.as_str()?.parse().ok()?,
            key: key.as_str()?.parse().ok()?,
            value: value.to_text(),
        }),
        (EffectKind::Archive, [source, name, entries]) => Some(Effect::Archive(Archived {
            source: source.as_str()?.to_owned(),
            name: name.as_str()?.to_owned(),
            entries: entries.clone(),
        })),
        _ => None,
    };
    read().ok_or_else(|| StoreError::Corrupt(format!("an effect of kind {kind} cannot be read")))
}
