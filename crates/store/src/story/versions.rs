//! Versions: how a document came to be, and the document itself, read back from the nearest whole one.

use crate::db::hash::stored_hash;
use crate::story::edits::{self, AppliedEdits};
use crate::story::effects;
use crate::story::recipes::{self, Recipe};
use crate::tree::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::story::{Base, Hash, Inputs, Since};
use tavernkeep_engine::turn::{Outcome, StoredOutcome};

tavernkeep_engine::stored_enum! {
    #[derive(Serialize, Deserialize)]
    Kind {
        Turn = "turn",
        Edit = "edit",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeOf {
    pub version_row: i64,
    /// The version of the page before it then.
    pub base_row: Option<i64>,
    pub kind: Kind,
    pub text_hash: Hash,
    pub recipe_hash: Hash,
    /// The time that was given to the turn.
    pub clock_ms: i64,
    pub round: i64,
    #[serde(default)]
    pub edited_at: Option<i64>,
    /// The edits by hand that it was computed with.
    #[serde(default)]
    pub edits_hash: Option<Hash>,
    /// How many ops of its change are the text's, where the others are those of edits.
    #[serde(default)]
    pub text_ops: Option<usize>,
}

impl MadeOf {
    /// The part that decides whether it still fits.
    pub fn inputs(&self) -> Inputs {
        let base = self.base_row.map_or(Base::Template, Base::Version);
        Inputs { base, text: Some(self.text_hash), edits: self.edits_hash }
    }

    /// Whether it is an edit of an older program: a version of its own that starts from the one before it.
    pub fn is_old_edit(&self) -> bool {
        self.kind == Kind::Edit && self.text_ops.is_none()
    }

    /// Whether it was computed with another recipe than this one. A page that was edited was computed too, but what an older program
    /// stored of an edit is a whole document, which no recipe changes.
    pub fn is_outdated(&self, recipe_hash: &Hash) -> bool {
        self.recipe_hash != *recipe_hash && !self.is_old_edit()
    }

    /// Whether an op of its change was done by hand.
    pub fn is_by_hand(&self, op: usize) -> bool {
        self.kind == Kind::Edit && self.text_ops.is_none_or(|text_ops| op >= text_ops)
    }

    /// Its fields in the order of [`MADE_OF`].
    pub(crate) fn read(row: &dyn Row, at: usize) -> StoreResult<MadeOf> {
        let text_ops = row.int_or_null(at + 9)?;
        Ok(MadeOf {
            version_row: row.int(at)?,
            base_row: row.int_or_null(at + 1)?,
            kind: stored_enum(row.int(at + 2)?)?,
            text_hash: stored_hash(row.bytes(at + 3)?)?,
            recipe_hash: stored_hash(row.bytes(at + 4)?)?,
            clock_ms: row.int(at + 5)?,
            round: row.int(at + 6)?,
            edited_at: row.int_or_null(at + 7)?,
            edits_hash: row.bytes_or_null(at + 8)?.map(stored_hash).transpose()?,
            text_ops: text_ops.map(|ops| usize::try_from(ops).unwrap_or_default()),
        })
    }

    /// When its state came to be: the time that was given to its turn, or that of the edit.
    pub fn made_at(&self) -> i64 {
        self.edited_at.unwrap_or(self.clock_ms)
    }
}

/// The columns of a version that [`MadeOf::read`] takes.
#[macro_export]
macro_rules! made_of {
    () => {
        "v.version_row, v.base_row, v.kind, v.text_hash, v.recipe_hash, v.clock_ms, v.round, v.edited_at,
         v.edits_hash, v.text_ops"
    };
}

/// A version to add, compressed already, since other writes wait for the writer thread.
#[derive(Debug, Clone)]
pub struct NewVersion {
    pub kind: Kind,
    pub text_hash: Hash,
    /// What it was computed with, and its description.
    pub recipe: Recipe,
    /// The time that is given to the turn.
    pub clock_ms: i64,
    pub round: i64,
    edited_at: Option<i64>,
    since: Since,
    change: Vec<u8>,
    schema_change: Option<Vec<u8>>,
    outcome: Option<Vec<u8>>,
    keyframe: Option<Keyframe>,
    edits_hash: Option<Hash>,
    text_ops: Option<i64>,
    edit_problems: Option<Vec<u8>>,
    /// What is to happen outside of the document once the page is committed.
    pub(crate) effects: Vec<Effect>,
}

/// A whole document, and MVU's schema of it.
#[derive(Debug, Clone)]
struct Keyframe {
    document: Vec<u8>,
    mvu_schema: Option<Vec<u8>>,
}

/// What a version is made with: the page's text, the recipe, the time of the turn, its number.
#[derive(Debug, Clone, Copy)]
pub struct MadeWith {
    pub text_hash: Hash,
    pub recipe: Recipe,
    /// The time of the turn in ms since 1970.
    pub clock_ms: i64,
    pub round: i64,
}

/// The document that a change starts from.
#[derive(Debug, Clone, Default)]
pub struct Before {
    pub mvu_schema: Option<MvuSchema>,
    /// What has changed since the last keyframe; none for a template.
    pub since: Option<Since>,
}

/// What a version has before its edits by hand: the commands of the text, as they were applied.
#[derive(Debug, Clone)]
pub struct TextPart {
    /// The version that the change starts from; none for the template.
    pub parent_row: Option<i64>,
    /// What has changed since the last keyframe there.
    since: Option<Since>,
    pub change: Change,
    schema_change: Option<Vec<u8>>,
    outcome: Option<Vec<u8>>,
}

impl NewVersion {
    /// The version that a turn and the edits of its page lead to.
    pub fn of_turn(
        made_with: MadeWith,
        before: &Before,
        reply: &str,
        outcome: &Outcome,
        (edits, document): (&AppliedEdits, &Value),
    ) -> NewVersion {
        let schema = outcome.mvu_schema.as_ref();
        let schema_change = match (before.mvu_schema.as_ref(), schema) {
            (Some(old), Some(new)) => Some(diff(old.as_value(), new.as_value())).filter(|change| !change.is_empty()),
            _ => None,
        };
        let stored = codec::encode_change(&outcome.to_stored(reply));
        let text = TextPart {
            parent_row: None,
            since: before.since,
            change: outcome.change.clone(),
            schema_change: schema_change.as_ref().map(encode_change),
            outcome: Some(stored),
        };
        let version = NewVersion::of_edits(made_with, text, schema, edits, document);
        NewVersion { effects: outcome.effects.clone(), ..version }
    }

    /// The version with the same text and other edits. The first version of a story has no keyframe before it and is stored
    /// whole, so that its template is not needed again.
    pub fn of_edits(
        made_with: MadeWith,
        text: TextPart,
        schema: Option<&MvuSchema>,
        edits: &AppliedEdits,
        document: &Value,
    ) -> NewVersion {
        let MadeWith { text_hash, recipe, clock_ms, round } = made_with;
        let TextPart { since: before, mut change, schema_change, outcome, .. } = text;
        let text_ops = edits.hash.map(|_| i64::try_from(change.ops.len()).unwrap_or(i64::MAX));
        change.ops.extend(edits.ops.iter().cloned());
        let change = encode_change(&change);
        let since = before.unwrap_or_default().and(change.len() + schema_change.as_ref().map_or(0, Vec::len));
        let whole = before.is_none() || since.keyframe_is_due(document.weight());
        let keyframe = whole.then(|| Keyframe {
            document: codec::encode(&document.to_json()),
            mvu_schema: schema.map(|schema| codec::encode(&schema.as_value().to_json())),
        });
        NewVersion {
            kind: if edits.hash.is_some() { Kind::Edit } else { Kind::Turn },
            text_hash,
            recipe,
            clock_ms,
            round,
            edited_at: edits.at,
            since: if whole { Since::default() } else { since },
            change,
            schema_change,
            outcome,
            keyframe,
            edits_hash: edits.hash,
            text_ops,
            edit_problems: edits.stored_problems(),
            effects: Vec::new(),
        }
    }

    /// What has changed since the last keyframe once this version is there.
    pub fn since(&self) -> Since {
        self.since
    }

    /// How many bytes are written for it.
    pub fn size(&self) -> usize {
        let parts = [self.outcome.as_ref(), self.schema_change.as_ref(), self.keyframe.as_ref().map(|it| &it.document)];
        self.change.len() + parts.into_iter().flatten().map(Vec::len).sum::<usize>()
    }

    /// What the version was made of, once it has its number.
    pub(crate) fn made_of(&self, version_row: i64, base_row: Option<i64>) -> MadeOf {
        let NewVersion { kind, text_hash, clock_ms, round, edited_at, edits_hash, text_ops, .. } = *self;
        let text_ops = text_ops.map(|ops| usize::try_from(ops).unwrap_or_default());
        let recipe_hash = self.recipe.hash();
        MadeOf { version_row, base_row, kind, text_hash, recipe_hash, clock_ms, round, edited_at, edits_hash, text_ops }
    }
}

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
    clock: &SessionClock,
    page_row: i64,
    version: &NewVersion,
    parent_row: Option<i64>,
    base_row: Option<i64>,
) -> StoreResult<i64> {
    let placed = Placed { version_row: clock.seq(), page_row, parent_row, base_row, version };
    add_all(tx, clock, &[placed])?;
    Ok(clock.seq())
}

/// Adds a version whose parent is the page before. A recipe that the session has noted already is named.
pub(crate) fn add_known(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    page_row: i64,
    version: &NewVersion,
    base_row: Option<i64>,
    known_recipe: Option<Hash>,
) -> StoreResult<i64> {
    let placed = Placed { version_row: clock.seq(), page_row, parent_row: base_row, base_row, version };
    insert_all(tx, clock.key(), &[placed])?;
    if known_recipe != Some(version.recipe.hash()) {
        recipes::add(tx, clock.key(), &version.recipe)?;
    }
    Ok(clock.seq())
}

pub(crate) fn add_all(tx: &mut dyn Tx, clock: &SessionClock, placed: &[Placed<'_>]) -> StoreResult<()> {
    insert_all(tx, clock.key(), placed)?;
    let mut recipes: Vec<&Recipe> = placed.iter().map(|placed| &placed.version.recipe).collect();
    recipes.dedup();
    recipes.into_iter().try_for_each(|recipe| recipes::add(tx, clock.key(), recipe))
}

fn insert_all(tx: &mut dyn Tx, session: SessionKey<'_>, placed: &[Placed<'_>]) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO version (account_id, session_row, version_row, page_row, parent_row, base_row, kind, text_hash,
                              recipe_hash, clock_ms, round, changes, bytes, change, edited_at, outcome, schema_change,
                              edits_hash, text_ops, edit_problems)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"
    );
    let hashes: Vec<Hash> = placed.iter().map(|placed| placed.version.recipe.hash()).collect();
    let sets: Vec<_> = placed
        .iter()
        .zip(&hashes)
        .map(|(&Placed { version_row, page_row, parent_row, base_row, version }, recipe_hash)| {
            in_session![
                session,
                version_row,
                page_row,
                parent_row,
                base_row,
                version.kind.number(),
                version.text_hash.as_slice(),
                recipe_hash.as_slice(),
                version.clock_ms,
                version.round,
                version.since.changes,
                version.since.bytes,
                &version.change,
                version.edited_at,
                version.outcome.as_ref(),
                version.schema_change.as_ref(),
                version.edits_hash.as_ref().map(Hash::as_slice),
                version.text_ops,
                version.edit_problems.as_ref()
            ]
            .to_vec()
        })
        .collect();
    execute_many(tx, sql, &sets)?;
    let sql = sql!(
        "INSERT INTO keyframe (account_id, session_row, version_row, document, mvu_schema) VALUES (?1, ?2, ?3, ?4, ?5)"
    );
    let whole = placed.iter().filter_map(|placed| Some((placed.version_row, placed.version.keyframe.as_ref()?)));
    let sets: Vec<_> =
        whole.map(|(row, it)| in_session![session, row, &it.document, it.mvu_schema.as_ref()].to_vec()).collect();
    execute_many(tx, sql, &sets)?;
    effects::add_all(tx, session, placed)
}

pub(crate) fn existing(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    versions: &BTreeSet<i64>,
) -> StoreResult<BTreeSet<i64>> {
    let sql = sql!("SELECT version_row FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3");
    let sets: Vec<_> = versions.iter().map(|&row| in_session![session, row].to_vec()).collect();
    let found = first_of_each(tx, sql, &sets, |row| row.int(0))?;
    Ok(found.into_iter().flatten().collect())
}

pub fn change(tx: &mut dyn Tx, session: SessionKey<'_>, version_row: i64) -> StoreResult<Change> {
    let sql = sql!("SELECT change FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3");
    one(tx, sql, in_session![session, version_row], |row| read_change(version_row, row.bytes(0)?))
}

/// Reads what came of the commands of a version's text, and what of its edits found no place; nothing for versions of older
/// programs. `reply` is that text, if it is still there.
pub fn outcome(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    version_row: i64,
    reply: Option<&str>,
) -> StoreResult<Option<StoredOutcome>> {
    let sql = sql!(
        "SELECT outcome, edit_problems FROM version WHERE account_id = ?1 AND session_row = ?2 AND version_row = ?3"
    );
    one(tx, sql, in_session![session, version_row], |row| {
        let Some(stored) = row.bytes_or_null(0)? else { return Ok(None) };
        let mut outcome = read_outcome(version_row, stored, reply)?;
        if let Some(stored) = row.bytes_or_null(1)? {
            let problems = codec::with_text(stored, edits::read_problems)?;
            let end = reply.map_or(0, str::len);
            let problems = problems.ok_or_else(|| broken(version_row, "the problems of its edits cannot be read"))?;
            outcome.problems.extend(problems.iter().map(|problem| problem.at(end)));
        }
        Ok(Some(outcome))
    })
}

pub(crate) fn read_outcome(version_row: i64, stored: &[u8], reply: Option<&str>) -> StoreResult<StoredOutcome> {
    codec::with_bytes(stored, |stored| StoredOutcome::read(stored, reply))?
        .map_err(|error| broken(version_row, &error.to_string()))
}

/// What a version has before its edits; of an edit of an older program all of it.
pub(crate) fn text_part(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    made_of: &MadeOf,
) -> StoreResult<(TextPart, Vec<Op>)> {
    let sql = sql!(
        "SELECT v.parent_row, v.change, v.schema_change, v.outcome, p.changes, p.bytes FROM version v
         LEFT JOIN version p ON p.account_id = v.account_id AND p.session_row = v.session_row
            AND p.version_row = v.parent_row
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3"
    );
    one(tx, sql, in_session![session, made_of.version_row], |row| {
        let mut change = read_change(made_of.version_row, row.bytes(1)?)?;
        let text_ops = made_of.text_ops.unwrap_or(change.ops.len()).min(change.ops.len());
        let edited = change.ops.split_off(text_ops);
        let since = row.int_or_null(4)?.zip(row.int_or_null(5)?).map(|(changes, bytes)| Since { changes, bytes });
        let text = TextPart {
            parent_row: row.int_or_null(0)?,
            since,
            change,
            schema_change: row.bytes_or_null(2)?.map(<[u8]>::to_vec),
            outcome: row.bytes_or_null(3)?.map(<[u8]>::to_vec),
        };
        Ok((text, edited))
    })
}

impl TextPart {
    /// Nothing but what a version has already: what comes behind it starts from there.
    pub(crate) fn behind(version_row: i64, since: Since) -> TextPart {
        let (change, schema_change, outcome) = (Change::default(), None, None);
        TextPart { parent_row: Some(version_row), since: Some(since), change, schema_change, outcome }
    }
}

pub fn made_of(tx: &mut dyn Tx, session: SessionKey<'_>, version_row: i64) -> StoreResult<MadeOf> {
    let sql = sql!(
        "SELECT ",
        crate::made_of!(),
        " FROM version v
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3"
    );
    one(tx, sql, in_session![session, version_row], |row| MadeOf::read(row, 0))
}

/// A version on the way back.
#[derive(Debug, Clone)]
pub struct Link {
    pub version_row: i64,
    /// The version that its change starts from; none for the template.
    pub parent_row: Option<i64>,
    /// The page whose state it is, by its row.
    pub page_row: i64,
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
pub fn back(tx: &mut dyn Tx, session: SessionKey<'_>, from: i64, wanted: i64) -> StoreResult<Vec<Link>> {
    all(tx, BACK, in_session![session, from, wanted], |row| {
        let version_row = row.int(0)?;
        let change = read_change(version_row, row.bytes(3)?)?;
        Ok(Link { version_row, parent_row: row.int_or_null(1)?, page_row: row.int(2)?, change })
    })
}

fn encode_change(change: &Change) -> Vec<u8> {
    codec::encode_change(change.to_stored().as_bytes())
}

fn read_document(version_row: i64, bytes: &[u8]) -> StoreResult<Value> {
    codec::with_passing_text(bytes, Value::from_normalised)?
        .ok_or_else(|| broken(version_row, "its keyframe is damaged"))
}

/// Reads a change as it is stored.
pub(crate) fn read_change(version_row: i64, bytes: &[u8]) -> StoreResult<Change> {
    codec::with_text(bytes, Change::from_stored)?.map_err(|error| broken(version_row, &error.to_string()))
}

/// The version that edits of an older program started from: the last one before them that was computed from a text.
pub(crate) fn start_of_old_edits(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    edited: &MadeOf,
) -> StoreResult<Option<MadeOf>> {
    let sql = sql!(
        "SELECT p.version_row FROM version v
         JOIN version p ON p.account_id = v.account_id AND p.session_row = v.session_row AND p.version_row = v.parent_row
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3"
    );
    let mut at = edited.clone();
    while at.is_old_edit() {
        let Some(parent) = first(tx, sql, in_session![session, at.version_row], |row| row.int(0))? else {
            return Ok(None);
        };
        at = made_of(tx, session, parent)?;
    }
    Ok(Some(at))
}

/// A version's document, and how far it is from the last whole one.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub document: Value,
    /// MVU's schema of it, for profiles that have one.
    pub mvu_schema: Option<MvuSchema>,
    /// What has changed since the last keyframe.
    pub since: Since,
    pub round: i64,
}

impl Loaded {
    fn and(self, version_row: i64, change: &[u8], schema_change: Option<&[u8]>) -> StoreResult<Loaded> {
        let apply = |change: &[u8], document: &mut Value| {
            codec::with_passing_text(change, |change| Change::apply_stored(change, document))?
                .map_err(|error| broken(version_row, &error.to_string()))
        };
        // In place: what nothing else holds is not copied.
        let mut document = self.document;
        apply(change, &mut document)?;
        let mvu_schema = match (self.mvu_schema, schema_change) {
            (Some(schema), Some(change)) => {
                let mut tree = schema.into_value();
                apply(change, &mut tree)?;
                Some(MvuSchema::carried(tree))
            }
            (schema, _) => schema,
        };
        Ok(Loaded { document, mvu_schema, ..self })
    }
}

/// Reads a version's document from the one that its change starts from, if `parent` has that at hand.
pub fn load_onto(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    version_row: i64,
    parent: impl Fn(i64) -> Option<Loaded>,
) -> StoreResult<Option<Loaded>> {
    let sql = sql!(
        "SELECT v.parent_row, v.change, v.schema_change, v.changes, v.bytes, v.round FROM version v
         WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3 AND v.parent_row IS NOT NULL"
    );
    let found = first(tx, sql, in_session![session, version_row], |row| {
        let Some(parent) = parent(row.int(0)?) else { return Ok(None) };
        let loaded = parent.and(version_row, row.bytes(1)?, row.bytes_or_null(2)?)?;
        let since = Since { changes: row.int(3)?, bytes: row.int(4)? };
        Ok(Some(Loaded { since, round: row.int(5)?, ..loaded }))
    })?;
    Ok(found.flatten())
}

fn broken(version_row: i64, what: &str) -> StoreError {
    StoreError::Corrupt(format!("version {version_row}: {what}"))
}

/// A version and those before it down to the nearest whole document, oldest first. A version has a keyframe exactly if it has no changes
/// since the last one, and each version on the way has one change more than that before it. The changes are read on the way back, since
/// finding a row again costs more than carrying it along.
const LOAD: Sql = sql!(
    "WITH RECURSIVE way (version_row, parent_row, changes, bytes, round, change, schema_change) AS (
        SELECT v.version_row, v.parent_row, v.changes, v.bytes, v.round, v.change, v.schema_change FROM version v
        WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = ?3
        UNION ALL
        SELECT v.version_row, v.parent_row, v.changes, v.bytes, v.round, v.change, v.schema_change FROM way w
        JOIN version v ON v.account_id = ?1 AND v.session_row = ?2 AND v.version_row = w.parent_row
        WHERE w.changes > 0)
     SELECT w.change, k.document, w.changes, w.bytes, w.round, w.schema_change, k.mvu_schema FROM way w
     LEFT JOIN keyframe k ON w.changes = 0 AND k.account_id = ?1 AND k.session_row = ?2 AND k.version_row = w.version_row
     ORDER BY w.changes"
);

/// Reads a version's document: the nearest keyframe before it and the changes since, in one query.
pub fn load(tx: &mut dyn Tx, session: SessionKey<'_>, version_row: i64) -> StoreResult<Loaded> {
    let mut loaded: Option<Loaded> = None;
    tx.query(LOAD, in_session![session, version_row], &mut |row| {
        let (since, round) = (Since { changes: row.int(2)?, bytes: row.int(3)? }, row.int(4)?);
        // A whole document makes its change superfluous here.
        let next = match (row.bytes_or_null(1)?, loaded.take()) {
            (Some(keyframe), _) => {
                let schema = row.bytes_or_null(6)?.map(|tree| read_document(version_row, tree)).transpose()?;
                let mvu_schema = schema.map(MvuSchema::carried);
                Loaded { document: read_document(version_row, keyframe)?, mvu_schema, since, round }
            }
            (None, Some(before)) => before.and(version_row, row.bytes(0)?, row.bytes_or_null(5)?)?,
            (None, None) => return Err(broken(version_row, "there is no whole document before it")),
        };
        loaded = Some(Loaded { since, round, ..next });
        Ok(())
    })?;
    loaded.ok_or_else(|| broken(version_row, "it is missing"))
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
