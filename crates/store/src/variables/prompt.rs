//! What the macros of a prompt read: the variables of a branch, of a page, or of a branch that does not exist yet.

use crate::tree::line;
use crate::tree::prelude::*;
use crate::types::record::{KeyFilter, ResolveQuery};
use crate::variables::lineage::{self, ForkSegment};
use crate::variables::{history, resolve};
use std::sync::LazyLock;

/// Where a prompt is rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptQuery {
    pub session: Id,
    /// The branch; `main` if nothing else is said.
    pub branch: Option<String>,
    /// The floor that the branch would be forked from, for one that does not exist yet.
    pub source_floor: Option<Id>,
    /// The page that is generated.
    pub page: Option<Id>,
}

/// The variables that can be read from a place.
#[derive(Debug, Clone)]
pub struct PromptPlace {
    pub session_row: i64,
    pub branch: String,
    pub branch_exists: bool,
    pub source_floor: Option<Id>,
    pub source_branch: Option<String>,
    pub floor: Option<Id>,
    pub page: Option<Id>,
    /// Scope, key and value; of one scope and key the first counts.
    pub rows: Vec<(Scope, Key, JsonText)>,
}

pub fn read(tx: &mut dyn Tx, account: &Id, query: &PromptQuery) -> StoreResult<PromptPlace> {
    let session = lookup::session(tx, account, &query.session)?;
    let branch = match (&query.branch, &query.page) {
        (Some(branch), _) => Some(branch.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(MAIN_BRANCH.to_owned()),
    };
    let unknown = match (&branch, &query.page) {
        (Some(name), None) => lookup::find_branch(tx, session, name)?.is_none(),
        _ => false,
    };
    if unknown {
        let Some(floor) = &query.source_floor else {
            return Err(Refusal::BranchNotFound(query.session.clone(), branch.unwrap_or_default()).into());
        };
        return of_new_branch(tx, session, query, branch.unwrap_or_default(), floor);
    }
    if let Some(floor) = &query.source_floor {
        source(tx, session, floor)?;
    }
    let place = resolve_query(query, branch, query.page.clone());
    let resolved = resolved(tx, account, &place)?;
    let (branch, page, floor) = (resolved.context.branch, resolved.context.page, resolved.context.floor);
    let branch = branch.unwrap_or_else(|| MAIN_BRANCH.to_owned());
    let branch_row = lookup::branch(tx, session, &query.session, &branch)?;
    let way = lineage::branches_before(tx, session, branch_row)?;
    let fork = way.first();
    if let Some(ForkSegment { seq: None, floor, branch_row, .. }) = fork {
        let branch = branch_name(tx, session, *branch_row)?;
        return Err(Refusal::LocalSnapshotMissing { floor: floor.clone(), branch }.into());
    }
    let source_floor = fork.and_then(|fork| fork.floor.clone());
    if let Some(asked) = query.source_floor.as_ref().filter(|asked| source_floor.as_ref() != Some(asked)) {
        let what = match &query.branch {
            Some(branch) => format!("branch '{branch}' exists and was not forked from floor '{asked}'"),
            None => "no branch_id was given".to_owned(),
        };
        let hint = "source_floor_id is for a branch_id that does not exist yet; leave it out, or name a new branch";
        return Err(Refusal::ContextMismatch(format!("{what}: {hint}")).into());
    }
    let source_branch = fork.map(|fork| branch_name(tx, session, fork.branch_row)).transpose()?;
    let own = resolved.rows.into_iter().map(|variable| (variable.host.scope(), variable.key, variable.value));
    let before = resolved.before.into_iter().map(|before| before.variable);
    let before = before.map(|variable| (variable.host.scope(), variable.key, variable.value));
    let mut rows: Vec<_> = own.chain(before).collect();
    if let Some(page) = &page {
        without_pages(tx, session, branch_row, page, &mut rows)?;
    }
    let session_row = session.row;
    Ok(PromptPlace { session_row, branch, branch_exists: true, source_floor, source_branch, floor, page, rows })
}

/// What a branch would read that is forked from a floor: what was visible there when the floor was committed.
fn of_new_branch(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    query: &PromptQuery,
    branch: String,
    floor: &Id,
) -> StoreResult<PromptPlace> {
    let (source_row, source_branch, seq, floor_no) = source(tx, session, floor)?;
    let Some(seq) = seq else {
        return Err(Refusal::LocalSnapshotMissing { floor: Some(floor.clone()), branch: source_branch }.into());
    };
    let mut way =
        vec![ForkSegment { branch_row: source_row, seq: Some(seq), floor: Some(floor.clone()), last: Some(floor_no) }];
    for mut segment in lineage::branches_before(tx, session, source_row)? {
        segment.seq = segment.seq.map(|before| before.min(seq));
        way.push(segment);
    }
    let resolved = resolved(tx, session.account, &resolve_query(query, None, None))?;
    let mut rows: Vec<_> =
        resolved.rows.into_iter().map(|variable| (variable.host.scope(), variable.key, variable.value)).collect();
    // A branch that does not exist has deleted nothing.
    let inherited = lineage::inherited(tx, session, NO_BRANCH, &way)?;
    rows.extend(inherited.into_iter().filter_map(|(key, seen)| Some((Scope::Branch, key, seen.value?))));
    Ok(PromptPlace {
        session_row: session.row,
        branch,
        branch_exists: false,
        source_floor: Some(floor.clone()),
        source_branch: Some(source_branch),
        floor: None,
        page: None,
        rows,
    })
}

/// No branch has this row.
const NO_BRANCH: i64 = -1;

/// A floor that a branch can be forked from: its branch, the tick of its commit, and its position.
fn source(tx: &mut dyn Tx, session: SessionKey<'_>, floor: &Id) -> StoreResult<(i64, String, Option<i64>, i64)> {
    let sql = sql!(
        "SELECT f.branch_row, b.id, CASE WHEN f.state = 2 THEN f.committed_seq END, f.floor_no FROM floor f
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.id = ?3"
    );
    let read = |row: &dyn Row| Ok((row.int(0)?, stored_text(row.bytes(1)?)?, row.int_or_null(2)?, row.int(3)?));
    first(tx, sql, in_session![session, floor], read)?.ok_or_else(|| Refusal::SourceFloorNotFound(floor.clone()).into())
}

fn branch_name(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<String> {
    let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
    Ok(first(tx, sql, in_session![session, branch_row], |row| stored_text(row.bytes(0)?))?.unwrap_or_default())
}

fn resolve_query(query: &PromptQuery, branch: Option<String>, page: Option<Id>) -> ResolveQuery {
    let session = query.session.clone();
    ResolveQuery { session, branch, floor: None, page, keys: KeyFilter::Any, lineage: false }
}

fn resolved(tx: &mut dyn Tx, account: &Id, query: &ResolveQuery) -> StoreResult<crate::types::record::Resolved> {
    resolve::resolve(tx, account, query, usize::MAX)?
        .ok_or_else(|| StoreError::Internal("a resolve without a bound had one".into()))
}

/// Takes out what the pages of the page's floor wrote to the branch: a swipe starts from what was there before all of them.
fn without_pages(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branch_row: i64,
    page: &Id,
    rows: &mut Vec<(Scope, Key, JsonText)>,
) -> StoreResult<()> {
    let keys = all(tx, WRITTEN, in_session![session, page, branch_row], |row| stored_key(row.bytes(0)?))?;
    for key in keys {
        rows.retain(|(scope, other, _)| *scope != Scope::Branch || *other != key);
        let params = in_session![session, branch_row, key.as_str().as_bytes(), page];
        let before = first(tx, *BEFORE, params, |row| row.bytes_or_null(0)?.map(codec::decode_json).transpose())?;
        let before = match before {
            Some(before) => before,
            // The branch itself said nothing before: the branches it was forked from are seen again.
            None => lineage::before_key(tx, session, branch_row, &key)?.and_then(|seen| seen.value),
        };
        rows.extend(before.map(|value| (Scope::Branch, key.clone(), value)));
    }
    Ok(())
}

/// The keys that the pages of a page's floor have written to the branch.
const WRITTEN: Sql = sql!(
    "SELECT DISTINCT t.key FROM page p
     JOIN page q ON q.account_id = p.account_id AND q.session_row = p.session_row AND q.floor_row = p.floor_row
     JOIN promotion t ON t.account_id = q.account_id AND t.session_row = q.session_row AND t.page_row = q.page_row
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.id = ?3 AND t.to_scope = 2 AND t.to_row = ?4"
);

/// What the branch said of a key without the pages of a page's floor.
static BEFORE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT h.value FROM history h
         WHERE h.account_id = ?1 AND h.session_row = ?2 AND h.scope = 2 AND h.host_row = ?3 AND h.key = ?4
            AND (h.page_row IS NULL OR h.page_row NOT IN (
                SELECT q.page_row FROM page p
                JOIN page q ON q.account_id = p.account_id AND q.session_row = p.session_row AND q.floor_row = p.floor_row
                WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.id = ?5))
            AND {}
         ORDER BY h.seq DESC LIMIT 1",
        history::COUNTS
    ))
});

/// The table of the last message that has one: the variables of a floor and of its chosen pages, those of the pages first. For a
/// page that is given, the messages before it count.
pub fn last_message(tx: &mut dyn Tx, account: &Id, place: &PromptPlace) -> StoreResult<Vec<(Key, JsonText)>> {
    let session = SessionKey::new(account, place.session_row);
    let line = if place.branch_exists { Some(&place.branch) } else { place.source_branch.as_ref() };
    let Some(branch_row) = line.map(|name| lookup::find_branch(tx, session, name)).transpose()?.flatten() else {
        return Ok(Vec::new());
    };
    let end = if place.branch_exists { &place.floor } else { &place.source_floor };
    let last = match end {
        Some(floor) => {
            let sql = sql!("SELECT floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
            let floor_no = first(tx, sql, in_session![session, floor], |row| row.int(0))?.unwrap_or(i64::MAX);
            if place.branch_exists { floor_no.saturating_sub(1) } else { floor_no }
        }
        None => i64::MAX,
    };
    for (segment, last) in line::segments(tx, session, branch_row, last)?.into_iter().rev() {
        let params = in_session![session, segment, last, branch_row];
        if let Some(floor_row) = first(tx, MESSAGE, params, |row| row.int(0))? {
            return all(tx, MESSAGE_TABLE, in_session![session, floor_row], |row| {
                Ok((stored_key(row.bytes(0)?)?, codec::decode_json(row.bytes(1)?)?))
            });
        }
    }
    Ok(Vec::new())
}

/// The last floor of a branch, up to a number, that has variables or a chosen page with some.
const MESSAGE: Sql = sql!(
    "SELECT f.floor_row FROM floor f
     WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no <= ?4
        AND f.state <> 3 AND (f.state = 2 OR f.branch_row = ?5)
        AND (EXISTS (SELECT 1 FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.scope = 3
                AND v.host_row = f.floor_row)
            OR EXISTS (SELECT 1 FROM page p JOIN variable v ON v.account_id = p.account_id
                    AND v.session_row = p.session_row AND v.scope = 4 AND v.host_row = p.page_row
                WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = f.floor_row AND p.is_active = 1))
     ORDER BY f.floor_no DESC LIMIT 1"
);

/// The variables of a floor and its chosen pages.
const MESSAGE_TABLE: Sql = sql!(
    "SELECT v.key, v.value, 1 AS nearness, p.page_no FROM page p
     JOIN variable v ON v.account_id = p.account_id AND v.session_row = p.session_row AND v.scope = 4
        AND v.host_row = p.page_row
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = ?3 AND p.is_active = 1
     UNION ALL
     SELECT v.key, v.value, 0, 0 FROM variable v
     WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.scope = 3 AND v.host_row = ?3
     ORDER BY 3 DESC, 4 DESC"
);
