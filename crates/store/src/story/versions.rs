//! Versions: how a document came to be, and the document itself, read back from the nearest whole one.

use crate::db::codec;
use crate::db::sql::Sql;
use crate::db::stored::stored_enum;
use crate::db::tx::{Tx, all, execute_many, first, first_of_each, one};
use crate::error::{StoreError, StoreResult};
use crate::story::stored_hash;
use crate::tree::clock::SessionClock;
use crate::{params, sql};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::story::{Ground, Hash, Inputs, Since};

tavernkeep_engine::stored_enum! {
    /// How a version came to be.
    #[derive(Serialize, Deserialize)]
    Kind {
        /// A page's text was applied.
        Turn = "turn",
        /// Somebody changed the document by hand.
        Edit = "edit",
    }
}

/// What a version was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeOf {
    /// The version.
    pub version_row: i64,
    /// The version of the page before it then.
    pub base_row: Option<i64>,
    /// How it came to be.
    pub kind: Kind,
    /// The page's text then.
    pub text_hash: Hash,
    /// What it was computed with.
    pub recipe_hash: Hash,
    /// The time that the turn was told.
    pub clock_ms: i64,
    /// The number of the turn.
    pub round: i64,
    /// When somebody changed it by hand.
    #[serde(default)]
    pub edited_at: Option<i64>,
}

impl MadeOf {
    /// The part that decides whether it still fits.
    pub fn inputs(&self) -> Inputs {
        let ground = self.base_row.map_or(Ground::Template, Ground::Version);
        Inputs { ground, text: Some(self.text_hash) }
    }

    /// When its state came to be: the time that its turn was told, or that of the edit.
    pub fn made_at(&self) -> i64 {
        self.edited_at.unwrap_or(self.clock_ms)
    }
}

/// A version to add, compressed already since others wait for the one who writes.
#[derive(Debug, Clone)]
pub struct NewVersion {
    /// How it came to be.
    pub kind: Kind,
    /// The page's text.
    pub text_hash: Hash,
    /// What it was computed with, and its description.
    pub recipe: Recipe,
    /// The time that the turn is told.
    pub clock_ms: i64,
    /// The number of the turn.
    pub round: i64,
    edited_at: Option<i64>,
    since: Since,
    change: Vec<u8>,
    keyframe: Option<Vec<u8>>,
}

/// What a version is computed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Its fingerprint.
    pub hash: Hash,
    /// The recipe itself.
    pub text: JsonText,
}

impl NewVersion {
    /// A version by its change and the document it leads to. `before` is what has changed since the last keyframe; the
    /// first version of a story has none before it and is stored whole, so that nobody has to find its template again.
    pub fn new(
        kind: Kind,
        (text_hash, recipe): (Hash, Recipe),
        (clock_ms, round): (i64, i64),
        before: Option<Since>,
        change: &Change,
        document: &Value,
    ) -> NewVersion {
        let change = codec::encode_change(&change.to_stored().to_json());
        let since = before.unwrap_or_default().and(change.len());
        let whole = before.is_none() || since.keyframe_is_due(document.weight());
        let keyframe = whole.then(|| codec::encode(&document.to_json()));
        let since = if whole { Since::default() } else { since };
        NewVersion { kind, text_hash, recipe, clock_ms, round, edited_at: None, since, change, keyframe }
    }

    /// The same, made by somebody's hand at this time.
    #[must_use]
    pub fn edited(self, at: i64) -> NewVersion {
        NewVersion { edited_at: Some(at), ..self }
    }

    /// What has changed since the last keyframe once this version is there.
    pub fn since(&self) -> Since {
        self.since
    }

    /// How many bytes are written for it.
    pub fn size(&self) -> usize {
        self.change.len() + self.keyframe.as_ref().map_or(0, Vec::len)
    }

    /// What the version was made of, once it has its number.
    pub(crate) fn made_of(&self, version_row: i64, base_row: Option<i64>) -> MadeOf {
        let NewVersion { kind, text_hash, clock_ms, round, edited_at, .. } = *self;
        MadeOf { version_row, base_row, kind, text_hash, recipe_hash: self.recipe.hash, clock_ms, round, edited_at }
    }
}

/// A version and where it belongs.
pub(crate) struct Placed<'a> {
    /// Its number: a tick of the session's clock that nothing else has.
    pub(crate) version_row: i64,
    pub(crate) page_row: i64,
    pub(crate) parent_row: Option<i64>,
    pub(crate) base_row: Option<i64>,
    pub(crate) version: &'a NewVersion,
}

/// Adds a version of a page's state under the number of its tick.
pub(crate) fn add(
    tx: &mut dyn Tx,
    account: &Id,
    clock: &SessionClock,
    page_row: i64,
    version: &NewVersion,
    parent_row: Option<i64>,
    base_row: Option<i64>,
) -> StoreResult<i64> {
    let placed = Placed { version_row: clock.seq(), page_row, parent_row, base_row, version };
    add_all(tx, account, clock, &[placed])?;
    Ok(clock.seq())
}

/// Adds versions of one session.
pub(crate) fn add_all(tx: &mut dyn Tx, account: &Id, clock: &SessionClock, placed: &[Placed<'_>]) -> StoreResult<()> {
    let session_row = clock.session_row();
    let sql = sql!(
        "INSERT INTO version (account_id, session_row, version_row, page_row, parent_row, base_row, kind, text_hash,
                              recipe_hash, clock_ms, round, changes, bytes, change, edited_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    let sets: Vec<_> = placed
        .iter()
        .map(|&Placed { version_row, page_row, parent_row, base_row, version }| {
            let NewVersion { kind, text_hash, recipe, clock_ms, round, edited_at, since, change, .. } = version;
            params![
                account,
                session_row,
                version_row,
                page_row,
                parent_row,
                base_row,
                kind.number(),
                text_hash.as_slice(),
                recipe.hash.as_slice(),
                *clock_ms,
                *round,
                since.changes,
                since.bytes,
                change,
                *edited_at
            ]
            .to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!("INSERT INTO keyframe (account_id, session_row, version_row, document) VALUES (?1, ?2, ?3, ?4)");
    let whole = placed.iter().filter_map(|placed| Some((placed.version_row, placed.version.keyframe.as_ref()?)));
    let sets: Vec<_> = whole.map(|(row, document)| params![account, session_row, row, document].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    let mut recipes: Vec<&Recipe> = placed.iter().map(|placed| &placed.version.recipe).collect();
    recipes.dedup_by_key(|recipe| recipe.hash);
    recipes.into_iter().try_for_each(|recipe| keep_recipe(tx, account, session_row, recipe))
}

fn keep_recipe(tx: &mut dyn Tx, account: &Id, session_row: i64, recipe: &Recipe) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO recipe (account_id, session_row, recipe_hash, recipe) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (account_id, session_row, recipe_hash) DO NOTHING"
    );
    let text = codec::encode(recipe.text.as_str());
    tx.execute(sql, params![account, session_row, recipe.hash.as_slice(), &text]).map(drop)
}

/// Which of these versions are there.
pub(crate) fn existing(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    versions: &BTreeSet<i64>,
) -> StoreResult<BTreeSet<i64>> {
    let sql = sql!("SELECT version_row FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3");
    let sets: Vec<_> = versions.iter().map(|&row| params![account, session_row, row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| row.int(0))?;
    Ok(found.into_iter().flatten().collect())
}

/// Reads what a version changed.
pub fn change(tx: &mut dyn Tx, account: &Id, session_row: i64, version_row: i64) -> StoreResult<Change> {
    let sql = sql!("SELECT change FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3");
    one(tx, sql, params![account, session_row, version_row], |row| read_change(version_row, row.bytes(0)?))
}

/// What a version was made of.
pub fn made_of(tx: &mut dyn Tx, account: &Id, session_row: i64, version_row: i64) -> StoreResult<MadeOf> {
    let sql = sql!(
        "SELECT base_row, kind, text_hash, recipe_hash, clock_ms, round, edited_at FROM version
         WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3"
    );
    one(tx, sql, params![account, session_row, version_row], |row| {
        Ok(MadeOf {
            version_row,
            base_row: row.int_or_null(0)?,
            kind: stored_enum(row.int(1)?)?,
            text_hash: stored_hash(row.bytes(2)?)?,
            recipe_hash: stored_hash(row.bytes(3)?)?,
            clock_ms: row.int(4)?,
            round: row.int(5)?,
            edited_at: row.int_or_null(6)?,
        })
    })
}

/// A version on the way back.
#[derive(Debug, Clone)]
pub struct Link {
    /// The version.
    pub version_row: i64,
    /// The version that its change starts from; none for the template.
    pub parent_row: Option<i64>,
    /// The page whose state it is, by its row.
    pub page_row: i64,
    /// What it changed.
    pub change: Change,
}

/// A version and those that it builds on, newest first.
const BACK: Sql = sql!(
    "WITH RECURSIVE way (version_row, parent_row, steps) AS (
        SELECT v.version_row, v.parent_row, CAST(1 AS BIGINT) FROM version v
        WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3
        UNION ALL
        SELECT v.version_row, v.parent_row, w.steps + 1 FROM way w
        JOIN version v ON v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = w.parent_row
        WHERE w.steps < ?4)
     SELECT v.version_row, v.parent_row, v.page_row, v.change FROM way w CROSS JOIN version v
     WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = w.version_row
     ORDER BY w.steps"
);

/// A version and those that it builds on, newest first, as many as are wanted.
pub fn back(tx: &mut dyn Tx, account: &Id, session_row: i64, from: i64, wanted: i64) -> StoreResult<Vec<Link>> {
    all(tx, BACK, params![account, session_row, from, wanted], |row| {
        let version_row = row.int(0)?;
        let change = read_change(version_row, row.bytes(3)?)?;
        Ok(Link { version_row, parent_row: row.int_or_null(1)?, page_row: row.int(2)?, change })
    })
}

/// Reads a change as it is stored.
pub(crate) fn read_change(version_row: i64, bytes: &[u8]) -> StoreResult<Change> {
    Change::from_stored(&Value::from(&codec::decode_json(bytes)?))
        .map_err(|error| broken(version_row, &error.to_string()))
}

/// What an edit by hand started from, and what it changed; none if that is gone.
pub fn edit(tx: &mut dyn Tx, account: &Id, session_row: i64, version_row: i64) -> StoreResult<Option<(i64, Change)>> {
    let sql = sql!(
        "SELECT p.version_row FROM version v
         JOIN version p ON p.account_id = v.account_id AND p.session_row = v.session_row AND p.version_row = v.parent_row
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3"
    );
    let start = first(tx, sql, params![account, session_row, version_row], |row| row.int(0))?;
    start.map(|start| Ok((start, change(tx, account, session_row, version_row)?))).transpose()
}

/// A version's document, and how far it is from the last whole one.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The document.
    pub document: Value,
    /// What has changed since the last keyframe.
    pub since: Since,
    /// The number of the turn.
    pub round: i64,
}

/// Reads a version's document from the one that its change starts from, if `parent` has that at hand.
pub fn load_onto(
    tx: &mut dyn Tx,
    account: &Id,
    session_row: i64,
    version_row: i64,
    parent: impl Fn(i64) -> Option<Loaded>,
) -> StoreResult<Option<Loaded>> {
    let sql = sql!(
        "SELECT v.parent_row, v.change, v.changes, v.bytes, v.round FROM version v
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3 AND v.parent_row IS NOT NULL"
    );
    let found = first(tx, sql, params![account, session_row, version_row], |row| {
        let Some(parent) = parent(row.int(0)?) else { return Ok(None) };
        let change = read_change(version_row, row.bytes(1)?)?;
        let document = change.apply(&parent.document).map_err(|error| broken(version_row, &error.to_string()))?;
        let since = Since { changes: row.int(2)?, bytes: row.int(3)? };
        Ok(Some(Loaded { document, since, round: row.int(4)? }))
    })?;
    Ok(found.flatten())
}

fn broken(version_row: i64, what: &str) -> StoreError {
    StoreError::Corrupt(format!("version {version_row}: {what}"))
}

/// A version and those before it down to the nearest whole document, oldest first. SQLite takes the tables of a CROSS JOIN in
/// the order in which they are written; left to itself it starts from all versions.
const LOAD: Sql = sql!(
    "WITH RECURSIVE way (version_row, parent_row, steps) AS (
        SELECT v.version_row, v.parent_row, CAST(0 AS BIGINT) FROM version v
        WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3
        UNION ALL
        SELECT v.version_row, v.parent_row, w.steps + 1 FROM way w
        JOIN version v ON v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = w.parent_row
        WHERE NOT EXISTS (SELECT 1 FROM keyframe k
            WHERE k.account_id = ?1 AND k.session_row = ?2 AND k.version_row = w.version_row))
     SELECT v.change, k.document, v.changes, v.bytes, v.round FROM way w CROSS JOIN version v
     LEFT JOIN keyframe k ON k.account_id = ?1 AND k.session_row = ?2 AND k.version_row = v.version_row
     WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = w.version_row
     ORDER BY w.steps DESC"
);

/// Reads a version's document: the nearest keyframe before it and the changes since, in one query.
pub fn load(tx: &mut dyn Tx, account: &Id, session_row: i64, version_row: i64) -> StoreResult<Loaded> {
    let mut document: Option<Value> = None;
    let mut last = None;
    let rows = all(tx, LOAD, params![account, session_row, version_row], |row| {
        let keyframe = row.bytes_or_null(1)?.map(codec::decode_json).transpose()?;
        // A whole document makes its change superfluous here.
        let change = if keyframe.is_some() { None } else { Some(read_change(version_row, row.bytes(0)?)?) };
        Ok((keyframe, change, Since { changes: row.int(2)?, bytes: row.int(3)? }, row.int(4)?))
    })?;
    for (keyframe, change, since, round) in rows {
        document = match (keyframe, change, document) {
            (Some(keyframe), ..) => Some(Value::from(&keyframe)),
            (None, Some(change), Some(document)) => {
                Some(change.apply(&document).map_err(|error| broken(version_row, &error.to_string()))?)
            }
            _ => return Err(broken(version_row, "there is no whole document before it")),
        };
        last = Some((since, round));
    }
    let (document, (since, round)) = document.zip(last).ok_or_else(|| broken(version_row, "it is missing"))?;
    Ok(Loaded { document, since, round })
}

#[cfg(test)]
mod tests {
    use crate::db::plans::assert_narrow;

    #[test]
    fn a_document_is_read_without_reading_the_others() {
        assert_narrow(super::LOAD);
        assert_narrow(super::BACK);
    }
}
