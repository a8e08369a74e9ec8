//! What floors see of the floors before them, and branches of the branches they were forked from.

use crate::tree::line;
pub use crate::tree::line::{ForkSegment, branches_before};
use crate::tree::prelude::*;
use crate::types::record::{HistorySource, Host, Variable};
use crate::variables::history;
use crate::variables::writes::Change;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Notes which floors say something of which keys.
///
/// A key that a promotion took away stays noted and so hides what the floors before say. A key that a client deleted from
/// the floor is forgotten, and the floors before are seen again.
pub fn note(tx: &mut dyn Tx, account: &Id, changes: &[Change<'_>]) -> StoreResult<()> {
    // What a swipe restores is marked by `restore`, which knows what counts now.
    let restored = [HistorySource::Restored, HistorySource::Withdrawn];
    let concerns = |change: &&Change<'_>| change.row.scope == Scope::Floor && !restored.contains(&change.source);
    for change in changes.iter().filter(concerns) {
        let says = change.value.is_some() || change.source == HistorySource::Promoted;
        mark(tx, account, change.row, change.key, says)?;
    }
    Ok(())
}

/// Notes whether a floor says something of a key.
pub fn mark(tx: &mut dyn Tx, account: &Id, floor: HostRow, key: &Key, says: bool) -> StoreResult<()> {
    let sql = match says {
        true => sql!(
            "INSERT INTO floor_key (account_id, session_row, branch_row, key, floor_no, floor_row)
             SELECT account_id, session_row, branch_row, ?4, floor_no, floor_row FROM floor
             WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3
             ON CONFLICT (account_id, session_row, branch_row, key, floor_no) DO NOTHING"
        ),
        false => {
            sql!("DELETE FROM floor_key WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND key = ?4")
        }
    };
    tx.execute(sql, params![account, floor.session_row, floor.host_row, key.as_str().as_bytes()]).map(drop)
}

/// What one branch or floor says of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub id: Id,
    pub updated_at: i64,
    pub revision: i64,
    /// None if the key was deleted there, which hides what lies behind.
    pub value: Option<JsonText>,
    /// The floor that holds it, or at which it was inherited.
    pub floor: Option<Id>,
}

impl Seen {
    /// The variable that is seen under a key; none if it was deleted.
    pub fn on(self, host: Host, key: Key) -> Option<Variable> {
        let Seen { id, updated_at, revision, value, .. } = self;
        Some(Variable { id, host, key, value: value?, updated_at, revision })
    }
}

pub type Level = BTreeMap<Key, Seen>;

/// What a branch inherits: for each key what the branches before it said when it was forked, unless it says something
/// itself. Own values are left to the caller.
pub fn inherited(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, way: &[ForkSegment]) -> StoreResult<Level> {
    if way.first().is_none_or(|segment| segment.seq.is_none()) {
        return Ok(Level::new());
    }
    let mut level = said_without_variable(tx, session, branch_row)?;
    let floor = way.first().and_then(|segment| segment.floor.as_ref());
    level.values_mut().for_each(|seen| seen.floor = floor.cloned());
    for segment in way {
        // A fork without a tick inherits nothing, and neither do those behind it.
        if segment.seq.is_none() {
            break;
        }
        newest(&mut level, self::level(tx, session, segment)?.said);
    }
    level.retain(|_, seen| seen.value.is_some());
    Ok(level)
}

/// The same for one key, without reading the others.
pub fn inherited_key(tx: &mut dyn Tx, account: &Id, branch: HostRow, key: &Key) -> StoreResult<Option<Seen>> {
    let session = SessionKey::new(account, branch.session_row);
    let own =
        first(tx, *KEY_SAID, in_session![session, branch.host_row, key.as_str().as_bytes()], |row| seen(row, None))?;
    match own {
        // What a page promotes is newer than what was there, also where the branch has it by a history of its own.
        Some((_, Seen { value: None, .. })) => Ok(None),
        own => {
            let own = own.map(|(_, own)| own);
            let before = before_key(tx, session, branch.host_row, key)?;
            let is_newer = |own: &Seen| before.as_ref().is_none_or(|before| own.revision >= before.revision);
            Ok(own.filter(is_newer).or(before))
        }
    }
}

/// What the branches before a branch said of a key, whatever it says itself.
pub fn before_key(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, key: &Key) -> StoreResult<Option<Seen>> {
    let way = branches_before(tx, session, branch_row)?;
    let mut said: Option<Seen> = None;
    for segment in &way {
        let Some(seq) = segment.seq else { break };
        let key = key.as_str().as_bytes();
        let floor = segment.floor.as_ref();
        let is_promoted =
            first(tx, KEY_IS_PROMOTED, in_session![session, segment.branch_row, key], |_| Ok(()))?.is_some();
        let found = if is_promoted {
            let last = segment.last.unwrap_or(NO_FLOOR);
            let params = in_session![session, segment.branch_row, seq, last, key];
            first(tx, *KEY_PROMOTED, params, |row| seen(row, floor))?
        } else {
            let params = in_session![session, segment.branch_row, seq, key];
            match first(tx, KEY_UNCHANGED, params, |row| seen(row, floor))? {
                None => {
                    let withdrawn = HistorySource::Withdrawn.number();
                    let read = |row: &dyn Row| (row.int(5)? != withdrawn).then(|| seen(row, floor)).transpose();
                    first(tx, KEY_CHANGED, params, read)?.flatten()
                }
                found => found,
            }
        };
        if let Some((_, found)) = found
            && said.as_ref().is_none_or(|said| said.revision < found.revision)
        {
            said = Some(found);
        }
        // Only where pages have promoted can a branch further back have said something later.
        if said.is_some() && !is_promoted {
            break;
        }
    }
    Ok(said.filter(|seen| seen.value.is_some()))
}

/// What a branch says of keys that it has no variable for: those that it deleted and did not set again, which hides what lies behind,
/// and those that it got a history of its own for with its copies of the pages that had promoted to them.
pub fn said_without_variable(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Level> {
    let said = all(tx, *SAID, in_session![session, branch_row], |row| seen(row, None))?;
    Ok(said.into_iter().collect())
}

/// Adds what lies behind to what is nearer.
fn behind(near: &mut Level, far: Level) {
    for (key, seen) in far {
        near.entry(key).or_insert(seen);
    }
}

/// Adds what a branch further back says. What a branch says itself is newer than what it inherits, but what it has of the pages that it
/// shared is as old as they are.
fn newest(near: &mut Level, far: Level) {
    for (key, seen) in far {
        match near.entry(key) {
            Entry::Occupied(mut near) if near.get().revision < seen.revision => drop(near.insert(seen)),
            Entry::Occupied(_) => {}
            Entry::Vacant(near) => drop(near.insert(seen)),
        }
    }
}

/// What a branch said at a fork.
#[derive(Debug, Default)]
pub struct BranchLevel {
    pub said: Level,
    /// The keys that pages have promoted to.
    pub promoted: BTreeSet<Key>,
}

/// What a branch says to a fork of it, as of the fork's tick. What pages promoted counts as long as they are the chosen ones on the
/// fork's line: as long as the fork shares them they are the same, and later it has a history of its own for these keys.
pub fn level(tx: &mut dyn Tx, session: SessionKey<'_>, segment: &ForkSegment) -> StoreResult<BranchLevel> {
    let ForkSegment { branch_row, seq: Some(seq), ref floor, last } = *segment else {
        return Ok(BranchLevel::default());
    };
    let floor = floor.as_ref();
    let params = in_session![session, branch_row, seq];
    let mut said: Level = all(tx, UNCHANGED, params, |row| seen(row, floor))?.into_iter().collect();
    let withdrawn = HistorySource::Withdrawn.number();
    tx.query(CHANGED, params, &mut |row| {
        // Where the last word was taken back, nothing was said.
        if row.int(5)? != withdrawn {
            said.extend([seen(row, floor)?]);
        }
        Ok(())
    })?;
    let promoted = promoted_keys(tx, session, branch_row)?;
    if !promoted.is_empty() {
        said.retain(|key, _| !promoted.contains(key));
        let params = in_session![session, branch_row, seq, last.unwrap_or(NO_FLOOR)];
        said.extend(all(tx, *PROMOTED, params, |row| seen(row, floor))?);
    }
    Ok(BranchLevel { said, promoted })
}

/// The keys that pages have promoted to a branch.
pub fn promoted_keys(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<BTreeSet<Key>> {
    let found = all(tx, PROMOTED_KEYS, in_session![session, branch_row], |row| stored_key(row.bytes(0)?))?;
    Ok(found.into_iter().collect())
}

/// Before all floors.
const NO_FLOOR: i64 = -1;

const PROMOTED_KEYS: Sql = sql!(
    "SELECT DISTINCT key FROM history
     WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND page_row IS NOT NULL"
);

const KEY_IS_PROMOTED: Sql = sql!(
    "SELECT 1 FROM history
     WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND key = ?4 AND page_row IS NOT NULL LIMIT 1"
);

/// Which rows of such a key, in a table that is called `h`, count for a fork with the tick ?4 and the last position ?5.
const COUNTS_FOR_FORK: &str = "h.source NOT IN (5, 7) AND (h.page_row IS NULL AND h.seq <= ?4 OR EXISTS (
    SELECT 1 FROM page p
    JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
    WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = h.page_row AND p.is_active = 1
        AND f.branch_row = ?3 AND f.floor_no <= ?5))";

/// What a branch says to a fork of the keys that pages have promoted to.
static PROMOTED: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT k.key, n.variable_id, n.seq / 1000, n.seq, n.value
         FROM (SELECT DISTINCT key FROM history
                WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND page_row IS NOT NULL) AS k
         CROSS JOIN history n
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.scope = 2 AND n.host_row = ?3 AND n.key = k.key
            AND n.seq = (SELECT h.seq FROM history h WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2
                AND h.host_row = ?3 AND h.key = k.key AND {COUNTS_FOR_FORK} ORDER BY h.seq DESC LIMIT 1)"
    ))
});

/// [`PROMOTED`] for the key ?6.
static KEY_PROMOTED: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT h.key, h.variable_id, h.seq / 1000, h.seq, h.value FROM history h
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2 AND h.host_row = ?3 AND h.key = ?6
            AND {COUNTS_FOR_FORK}
         ORDER BY h.seq DESC LIMIT 1"
    ))
});

/// A branch's values that are as old as the fork.
const UNCHANGED: Sql = sql!(
    "SELECT key, id, updated_at, revision, value FROM variable
     WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND revision <= ?4"
);

/// What a branch's other keys held at the tick ?4: those that were written since, and those that were ever deleted. Every
/// change of what a variable holds left a row, so the newest row up to the tick has it, whatever counts now. In this order, or
/// SQLite starts from the whole history of the branch.
const CHANGED: Sql = sql!(
    "SELECT k.key, n.variable_id, n.seq / 1000, n.seq, n.value, n.source
     FROM (SELECT key FROM variable
            WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND revision > ?4
           UNION SELECT key FROM history
            WHERE account_id = ?1 AND session_row = ?2 AND host_row = ?3 AND scope = 2 AND value IS NULL) AS k
     CROSS JOIN history n
     WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.scope = 2 AND n.host_row = ?3 AND n.key = k.key
        AND n.seq = (SELECT h.seq FROM history h WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2
            AND h.host_row = ?3 AND h.key = k.key AND h.seq <= ?4 ORDER BY h.seq DESC LIMIT 1)"
);

/// [`UNCHANGED`] for the key ?5.
const KEY_UNCHANGED: Sql = sql!(
    "SELECT key, id, updated_at, revision, value FROM variable
     WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND key = ?5 AND revision <= ?4"
);

/// [`CHANGED`] for the key ?5.
const KEY_CHANGED: Sql = sql!(
    "SELECT key, variable_id, seq / 1000, seq, value, source FROM history
     WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND key = ?5 AND seq <= ?4
     ORDER BY seq DESC LIMIT 1"
);

/// What counts now for the keys that a branch ever deleted or that pages promoted to, where it has no variable.
static SAID: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT k.key, n.variable_id, n.seq / 1000, n.seq, n.value
         FROM (SELECT key FROM history
                WHERE account_id = ?1 AND session_row = ?2 AND host_row = ?3 AND scope = 2 AND value IS NULL
               UNION SELECT key FROM history
                WHERE account_id = ?1 AND session_row = ?2 AND scope = 2 AND host_row = ?3 AND page_row IS NOT NULL) AS k
         CROSS JOIN history n
         WHERE n.account_id = ?1 AND n.session_row = ?2 AND n.scope = 2 AND n.host_row = ?3 AND n.key = k.key
            AND n.seq = (SELECT h.seq FROM history h WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2
                AND h.host_row = ?3 AND h.key = k.key AND {} ORDER BY h.seq DESC LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.scope = 2
                AND v.host_row = ?3 AND v.key = k.key)",
        history::COUNTS
    ))
});

/// [`SAID`] for the key ?4.
static KEY_SAID: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT h.key, h.variable_id, h.seq / 1000, h.seq, h.value FROM history h
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2 AND h.host_row = ?3 AND h.key = ?4 AND {}
            AND NOT EXISTS (SELECT 1 FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.scope = 2
                AND v.host_row = ?3 AND v.key = ?4)
         ORDER BY h.seq DESC LIMIT 1",
        history::COUNTS
    ))
});

/// Reads key, id, updated_at, revision, value.
fn seen(row: &dyn Row, floor: Option<&Id>) -> StoreResult<(Key, Seen)> {
    let seen = Seen {
        id: stored_id(row.text(1)?)?,
        updated_at: row.int(2)?,
        revision: row.int(3)?,
        value: row.bytes_or_null(4)?.map(codec::decode_json).transpose()?,
        floor: floor.cloned(),
    };
    Ok((stored_key(row.bytes(0)?)?, seen))
}

/// The nearest value of each key on the floors of the line before a position. Keys that the floor itself has are left out.
pub fn before_floor(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branch_row: i64,
    (floor_row, floor_no): (Option<i64>, i64),
) -> StoreResult<Level> {
    let mut level = Level::new();
    let way = line::segments(tx, session, branch_row, floor_no.saturating_sub(1))?;
    for (segment, last) in way.into_iter().rev() {
        let below = last.saturating_add(1);
        let far = all(tx, NEAREST, in_session![session, segment, below, floor_row, segment == branch_row], |row| {
            let floor = stored_id(row.text(5)?)?;
            seen(row, Some(&floor))
        })?;
        behind(&mut level, far.into_iter().collect());
    }
    level.retain(|_, seen| seen.value.is_some());
    Ok(level)
}

/// The nearest floor below a position for every key of a branch that the floor ?5 does not have. Keys are found by jumping
/// from one to the next, so that the cost depends on how many keys there are and not on how many floors. A failed floor is no
/// part of the story, and of those that the line shares (?6 is 0) the committed ones are on it.
///
/// SQLite takes the tables of a CROSS JOIN in the order in which they are written. Left to itself it starts from all floors.
const NEAREST: Sql = sql!(
    "WITH RECURSIVE keys (key) AS (
        SELECT (SELECT f.key FROM floor_key f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3
                ORDER BY f.key LIMIT 1)
        UNION ALL
        SELECT (SELECT f.key FROM floor_key f WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3
                AND f.key > keys.key ORDER BY f.key LIMIT 1)
        FROM keys WHERE keys.key IS NOT NULL)
     SELECT n.key, COALESCE(v.id, o.id), COALESCE(v.updated_at, 0), COALESCE(v.revision, 0), v.value, o.id
     FROM (SELECT k.key, (
                SELECT x.floor_row FROM floor_key x
                WHERE x.account_id = ?1 AND x.session_row = ?2 AND x.branch_row = ?3 AND x.key = k.key
                    AND x.floor_no < ?4 AND EXISTS (
                        SELECT 1 FROM floor f WHERE f.account_id = x.account_id AND f.session_row = x.session_row
                            AND f.floor_row = x.floor_row AND (f.state = 2 OR (f.state <> 3 AND ?6 = 1)))
                ORDER BY x.floor_no DESC LIMIT 1) AS floor_row
           FROM keys k
           WHERE k.key IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM variable w WHERE w.account_id = ?1 AND w.session_row = ?2 AND w.scope = 3
                    AND w.host_row = ?5 AND w.key = k.key)) AS n
     CROSS JOIN floor o
     LEFT JOIN variable v ON v.account_id = o.account_id AND v.session_row = o.session_row AND v.scope = 3
        AND v.host_row = o.floor_row AND v.key = n.key
     WHERE o.account_id = ?1 AND o.session_row = ?2 AND o.floor_row = n.floor_row"
);

#[cfg(test)]
mod tests {
    use super::{
        CHANGED, KEY_CHANGED, KEY_IS_PROMOTED, KEY_PROMOTED, KEY_SAID, KEY_UNCHANGED, NEAREST, PROMOTED, PROMOTED_KEYS,
        SAID,
    };
    use crate::db::plans::plan;

    /// A thousand floors that say something of twenty keys are twenty jumps, not twenty thousand rows.
    #[test]
    fn floors_before_are_found_by_key() {
        let plan = plan(NEAREST);
        assert!(plan.contains("SEARCH x USING PRIMARY KEY"), "{plan}");
        assert!(plan.contains("AND branch_row=? AND key=? AND floor_no<?)"), "{plan}");
        assert!(plan.contains("SEARCH o USING PRIMARY KEY (account_id=? AND session_row=? AND floor_row=?)"), "{plan}");
        assert!(!plan.contains("AUTOMATIC"), "{plan}");
    }

    /// One inherited key is looked for among no others.
    #[test]
    fn a_key_is_found_by_its_name() {
        for sql in [KEY_UNCHANGED, KEY_CHANGED] {
            let plan = plan(sql);
            assert_eq!(plan.lines().count(), 1, "{plan}");
            assert!(plan.contains("scope=? AND host_row=? AND key=?"), "{plan}");
        }
    }

    /// What was deleted is found without reading what was written.
    #[test]
    fn deletions_have_an_index_of_their_own() {
        for sql in [CHANGED, *SAID] {
            let plan = plan(sql);
            assert!(plan.contains("COVERING INDEX history_deleted"), "{plan}");
            assert!(plan.contains("SEARCH n USING PRIMARY KEY") && !plan.contains("AUTOMATIC"), "{plan}");
        }
    }

    /// Most branches have no promoted values, and then that is known from an index without a row.
    #[test]
    fn promoted_keys_have_an_index_of_their_own() {
        for sql in [PROMOTED_KEYS, KEY_IS_PROMOTED, *PROMOTED, *SAID] {
            let plan = plan(sql);
            assert!(plan.contains("COVERING INDEX history_promoted"), "{plan}");
            assert!(!plan.contains("AUTOMATIC"), "{plan}");
        }
        for sql in [*KEY_PROMOTED, *KEY_SAID] {
            let plan = plan(sql);
            assert!(plan.contains("SEARCH h USING PRIMARY KEY") && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
