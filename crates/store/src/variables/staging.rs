//! Staged writes: proposals for a page's variables that wait for the floor's commit.

use crate::events::{self, EventScope};
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::order::NewStagedWrite;
use crate::types::record::{EventKind, Ledger, StagedWrite};
use crate::variables::state_key::not_reserved;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::STAGED_WRITES_MAX;
use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};

/// Stages a write on a page. A second one for the same key replaces the first.
///
/// The floor must be a draft or generating. A swipe that came to a committed floor later has its own commit before it,
/// so writes can be staged on it until then.
pub fn stage(
    tx: &mut dyn Tx,
    account: &Id,
    page: &Id,
    new: &NewStagedWrite,
    id: &Id,
    now: i64,
) -> StoreResult<StagedWrite> {
    let staged =
        positions::with_page(tx, account, page, now, |tx, clock, place| stage_on(tx, clock, page, &place, new, id));
    staged.map_err(|error| match error {
        StoreError::Refused(Refusal::PageNotFound(_)) => Refusal::LedgerPageNotFound.into(),
        error => error,
    })
}

/// The slot of what tools and clients stage.
const UNNUMBERED: i64 = 0;

/// Stages what the macros of a prompt write, in the order of the text, in the place of what an earlier rendering of the page's
/// prompt has staged: rendering twice is rendering once.
pub fn stage_macros(
    tx: &mut dyn Tx,
    account: &Id,
    page: &Id,
    writes: &[(Id, NewStagedWrite)],
    now: i64,
) -> StoreResult<Vec<StagedWrite>> {
    positions::with_page(tx, account, page, now, |tx, clock, place| {
        open(tx, clock, &place)?;
        let sql = sql!(
            "DELETE FROM staged_write
             WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND slot > 0 AND status = 0"
        );
        tx.execute(sql, in_session![clock, place.page_row])?;
        let scope = EventScope::of_floor(tx, clock.key(), place.floor_row)?;
        let detail = format!("{{\"page_id\":\"{page}\"}}");
        let mut staged = Vec::with_capacity(writes.len());
        for (slot, (id, new)) in (1..).zip(writes) {
            not_reserved(tx, Some(clock), &new.key)?;
            insert(tx, clock, (place.page_row, slot), new, id)?;
            events::emit(tx, clock.tick(), EventKind::WriteStaged, &scope, id, Some(&detail))?;
            let (status, created_at) = (StagedStatus::Staged, clock.now());
            let asked = new.clone();
            staged.push(StagedWrite { id: id.clone(), asked, status, decision: None, created_at, resolved_at: None });
        }
        Ok(staged)
    })
}

/// Whether the commit of a floor would write global variables.
pub(crate) fn writes_global(tx: &mut dyn Tx, account: &Id, floor: &Id) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         JOIN staged_write w ON w.account_id = p.account_id AND w.session_row = p.session_row AND w.page_row = p.page_row
         WHERE f.account_id = ?1 AND f.id = ?2 AND w.intent = 4 AND w.status = 0 LIMIT 1"
    );
    first(tx, sql, params![account, floor], |_| Ok(())).map(|found| found.is_some())
}

/// Refuses a page whose floor takes no proposals any more. Forks that share the page have what was staged on it when they were made: they
/// get rows of their own.
fn open(tx: &mut dyn Tx, clock: &SessionClock, place: &PagePosition) -> StoreResult<()> {
    match place.state {
        FloorState::Draft | FloorState::Generating => Ok(()),
        FloorState::Committed if place.floor_committed && !place.committed => {
            separation::separate_floors(tx, clock, &[place.floor_row])
        }
        FloorState::Committed | FloorState::Failed => Err(Refusal::VariableLocked(Scope::Page).into()),
    }
}

fn stage_on(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    page: &Id,
    place: &PagePosition,
    new: &NewStagedWrite,
    id: &Id,
) -> StoreResult<StagedWrite> {
    open(tx, clock, place)?;
    not_reserved(tx, Some(clock), &new.key)?;
    room(tx, clock, place.page_row, new)?;
    insert(tx, clock, (place.page_row, UNNUMBERED), new, id)?;
    let scope = EventScope::of_floor(tx, clock.key(), place.floor_row)?;
    let detail = format!("{{\"page_id\":\"{page}\"}}");
    events::emit(tx, clock.tick(), EventKind::WriteStaged, &scope, id, Some(&detail))?;
    let (status, created_at) = (StagedStatus::Staged, clock.now());
    Ok(StagedWrite { id: id.clone(), asked: new.clone(), status, decision: None, created_at, resolved_at: None })
}

/// Stages a write in the place of one that the page has under the key and the slot.
fn insert(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    (page_row, slot): (i64, i64),
    new: &NewStagedWrite,
    id: &Id,
) -> StoreResult<()> {
    let text = |text: &Option<String>| text.as_deref().map(codec::encode);
    let json = |json: &Option<JsonText>| json.as_ref().map(|json| codec::encode(json.as_str()));
    let value = json(&new.value);
    let (reason, source, evidence) = (text(&new.reason), json(&new.source), json(&new.evidence));
    let sql = sql!(
        "INSERT INTO staged_write (account_id, session_row, page_row, key, id, seq, op, value, intent, policy,
            source_kind, reason, source, evidence, status, decision, created_at, resolved_at, slot)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0, NULL, ?15, NULL, ?16)
         ON CONFLICT (account_id, session_row, page_row, key, slot) DO UPDATE SET id = excluded.id, seq = excluded.seq,
            op = excluded.op, value = excluded.value, intent = excluded.intent, policy = excluded.policy,
            source_kind = excluded.source_kind, reason = excluded.reason, source = excluded.source,
            evidence = excluded.evidence, status = 0, decision = NULL, created_at = excluded.created_at,
            resolved_at = NULL"
    );
    let (op, intent, policy, kind) =
        (new.op.number(), new.intent.number(), new.policy.number(), new.source_kind.number());
    let mut row = in_session![clock, page_row, new.key.as_str().as_bytes(), id, clock.seq(), op].to_vec();
    row.extend_from_slice(params![value.as_deref(), intent, policy, kind]);
    row.extend_from_slice(params![reason.as_deref(), source.as_deref(), evidence.as_deref(), clock.now(), slot]);
    tx.execute(sql, &row).map(drop)
}

/// Stages what a turn of a page asks for: a variable of a scope up to the chat.
pub(crate) fn propose(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    page_row: i64,
    (scope, key, value): (Scope, &Key, &JsonText),
    id: &Id,
) -> StoreResult<()> {
    let intent = match scope {
        Scope::Page => Intent::PageOnly,
        Scope::Floor => Intent::PromoteToFloor,
        Scope::Branch => Intent::PromoteToBranch,
        Scope::Chat | Scope::Global => Intent::PromoteToChat,
    };
    // What was staged under the key before is older than the turn's own wish.
    let new = NewStagedWrite {
        key: key.clone(),
        op: StagedOp::Set,
        value: Some(value.clone()),
        intent,
        policy: ConflictPolicy::Replace,
        source_kind: SourceKind::Unknown,
        reason: None,
        source: None,
        evidence: None,
    };
    insert(tx, clock, (page_row, UNNUMBERED), &new, id)
}

/// Refuses one key more than a page may have staged.
fn room(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, new: &NewStagedWrite) -> StoreResult<()> {
    let sql = sql!(
        "SELECT COUNT(*) FROM staged_write
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND key <> ?4 AND slot = 0"
    );
    let others: i64 = one(tx, sql, in_session![clock, page_row, new.key.as_str().as_bytes()], |row| row.int(0))?;
    match others < STAGED_WRITES_MAX {
        true => Ok(()),
        false => Err(Refusal::TooMany("staged writes on one page", STAGED_WRITES_MAX).into()),
    }
}

/// The staged writes of a page, in the order they came.
pub fn of_page(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Ledger<StagedWrite>> {
    let (place, host) = find(tx, account, page)?;
    let sql = sql!(
        "SELECT id, key, op, value, intent, policy, source_kind, reason, source, evidence, status, decision, created_at,
            resolved_at
         FROM staged_write WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 ORDER BY seq, slot, id"
    );
    let items = all(tx, sql, params![account, host.session_row, host.host_row], read)?;
    Ok(place.with(items))
}

/// The page of a ledger, by its names and as a row.
pub(crate) fn find(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<(Ledger<()>, HostRow)> {
    let sql = sql!(
        "SELECT p.session_row, p.page_row, f.id, s.id, b.id FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    first(tx, sql, params![account, page], |row| {
        let ledger = Ledger {
            page: page.clone(),
            floor: stored_id(row.text(2)?)?,
            session: stored_id(row.text(3)?)?,
            branch: stored_text(row.bytes(4)?)?,
            items: Vec::new(),
        };
        Ok((ledger, HostRow::new(row.int(0)?, Scope::Page, row.int(1)?)))
    })?
    .ok_or_else(|| Refusal::LedgerPageNotFound.into())
}

fn read(row: &dyn Row) -> StoreResult<StagedWrite> {
    Ok(StagedWrite {
        id: stored_id(row.text(0)?)?,
        asked: NewStagedWrite {
            key: stored_key(row.bytes(1)?)?,
            op: stored_enum(row.int(2)?)?,
            value: row.bytes_or_null(3)?.map(codec::decode_json).transpose()?,
            intent: stored_enum(row.int(4)?)?,
            policy: stored_enum(row.int(5)?)?,
            source_kind: stored_enum(row.int(6)?)?,
            reason: row.bytes_or_null(7)?.map(codec::decode).transpose()?,
            source: row.bytes_or_null(8)?.map(codec::decode_json).transpose()?,
            evidence: row.bytes_or_null(9)?.map(codec::decode_json).transpose()?,
        },
        status: stored_enum(row.int(10)?)?,
        decision: row.int_or_null(11)?.map(stored_enum).transpose()?,
        created_at: row.int(12)?,
        resolved_at: row.int_or_null(13)?,
    })
}

/// A staged write that waits for a decision, with the page it is on.
pub(crate) struct Waiting {
    pub(crate) page_row: i64,
    /// Its number among the writes of macros; 0 for all others.
    pub(crate) slot: i64,
    pub(crate) write: StagedWrite,
}

pub(crate) fn waiting(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64) -> StoreResult<Vec<Waiting>> {
    all(tx, WAITING, in_session![session, floor_row], |row| {
        Ok(Waiting { page_row: row.int(14)?, slot: row.int(15)?, write: read(row)? })
    })
}

const WAITING: Sql = sql!(
    "SELECT w.id, w.key, w.op, w.value, w.intent, w.policy, w.source_kind, w.reason, w.source, w.evidence, w.status,
        w.decision, w.created_at, w.resolved_at, w.page_row, w.slot
     FROM page p JOIN staged_write w
        ON w.account_id = p.account_id AND w.session_row = p.session_row AND w.page_row = p.page_row AND w.status = 0
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = ?3 ORDER BY w.seq, w.slot, w.id"
);

pub(crate) fn decide(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    decided: &[(&Waiting, StagedStatus, Decision)],
) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE staged_write SET status = ?5, decision = ?6, resolved_at = ?7
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND key = ?4 AND slot = ?8"
    );
    let sets: Vec<Vec<_>> = decided
        .iter()
        .map(|(waiting, status, decision)| {
            let key = waiting.write.asked.key.as_str().as_bytes();
            let (status, decision) = (status.number(), decision.number());
            in_session![clock, waiting.page_row, key, status, decision, clock.now(), waiting.slot].to_vec()
        })
        .collect();
    tx.query_many(sql, &sets, &mut |_, _| Ok(()))
}

/// The floor is given up, and with it everything that was staged on it.
pub(crate) fn discard(tx: &mut dyn Tx, clock: &SessionClock, floor_row: i64) -> StoreResult<()> {
    let waiting = waiting(tx, clock.key(), floor_row)?;
    let decided: Vec<_> =
        waiting.iter().map(|waiting| (waiting, StagedStatus::Discarded, Decision::PageNotAccepted)).collect();
    decide(tx, clock, &decided)
}
