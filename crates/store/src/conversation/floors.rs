//! Floors: create, read, list, change, and their steps through life.

mod deletion;

pub use deletion::delete;
pub(crate) use deletion::delete_under;

use crate::conversation::commit::{self, CommitMark};
use crate::conversation::{branches, pages};
use crate::events::{self, EventScope, detail};
use crate::story;
use crate::tree::bodies::{self, Body};
use crate::tree::clock::{self, Reserve};
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::quota::Quotas;
use crate::tree::{floor_numbers, hidden, separation};
use crate::types::order::{FloorPatch, FloorQuery, FloorStep, NewFloor};
use crate::types::record::{EventKind, Floor, Listed};
use crate::variables::commit::Ids;
use crate::variables::staging;
use std::sync::LazyLock;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::LEASE_MS_DEFAULT;

/// Creates a floor, and registers its branch if the name is new.
pub fn create(tx: &mut dyn Tx, account: &Id, new: &NewFloor, id: &Id, now: i64) -> StoreResult<Floor> {
    clock::with_session(tx, account, &new.session, now, Reserve { ticks: 0, rows: 1 }, |tx, clock| {
        create_under(tx, clock, new, id)
    })
}

/// The same in a session whose clock is taken.
pub(crate) fn create_under(tx: &mut dyn Tx, clock: &SessionClock, new: &NewFloor, id: &Id) -> StoreResult<Floor> {
    let place = insert(tx, clock, new, id)?;
    let floor = emit_and_read(tx, clock, EventKind::FloorCreated, place.branch_row, id)?;
    match &new.parent {
        // A branch that is there already has its own floor before this one.
        Some(parent) if floor.parent.as_ref() != Some(parent) => Err(Refusal::ParentElsewhere(parent.clone()).into()),
        _ => Ok(floor),
    }
}

/// The same without an event: the caller emits one.
pub(crate) fn insert(tx: &mut dyn Tx, clock: &SessionClock, new: &NewFloor, id: &Id) -> StoreResult<FloorPosition> {
    let branch_name = new.branch.as_deref().unwrap_or(MAIN_BRANCH);
    let branch_row = match lookup::find_branch(tx, clock.key(), branch_name)? {
        Some(row) => row,
        None => {
            let source = new.parent.as_ref().map(|parent| source(tx, clock.key(), parent)).transpose()?;
            branches::register(tx, clock, &new.session, branch_name, source)?
        }
    };
    let floor_no = floor_numbers::choose(tx, clock.key(), branch_row, new.floor_no)?;
    separation::separate(tx, clock, (branch_row, floor_no))?;
    let lease = (new.state == FloorState::Generating).then(|| clock.now() + new.lease_ms.unwrap_or(LEASE_MS_DEFAULT));
    let (floor_row, state) = (clock.next_row(), new.state);
    let row = FloorRow { floor_row, id, branch_row, floor_no, state, lease, committed: None, has_state: false };
    insert_row(tx, clock, &row)?;
    bodies::put(tx, clock, (Scope::Floor, floor_row), &Body::new(None, new.metadata.as_ref()))?;
    Ok(FloorPosition { id: id.clone(), floor_row, branch_row, floor_no, state: new.state })
}

pub(crate) struct FloorRow<'a> {
    pub(crate) floor_row: i64,
    pub(crate) id: &'a Id,
    pub(crate) branch_row: i64,
    pub(crate) floor_no: i64,
    pub(crate) state: FloorState,
    pub(crate) lease: Option<i64>,
    pub(crate) committed: Option<CommitMark>,
    /// Whether a page with a state comes with it.
    pub(crate) has_state: bool,
}

/// Inserts a floor. Refuses an id that another floor has.
pub(crate) fn insert_row(tx: &mut dyn Tx, clock: &SessionClock, floor: &FloorRow<'_>) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO floor (account_id, session_row, floor_row, id, branch_row, floor_no, state, lease_until,
                            created_at, updated_at, variables, committed_seq, has_state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, 0, ?10, ?11)
         ON CONFLICT (account_id, id) DO NOTHING"
    );
    let FloorRow { floor_row, id, branch_row, floor_no, state, lease, committed, has_state } = *floor;
    let (state, now, seq) = (state.number(), clock.now(), committed.map(CommitMark::seq));
    let params = in_session![clock, floor_row, id, branch_row, floor_no, state, lease, now, seq, has_state];
    hidden::insert(tx, Scope::Floor, sql, (clock.account(), params), floor.id)
}

pub(crate) fn emit_and_read(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    kind: EventKind,
    branch_row: i64,
    id: &Id,
) -> StoreResult<Floor> {
    let floor = get(tx, clock.account(), id)?;
    let scope = EventScope::branch(clock.session_row(), &floor.session, branch_row, &floor.branch);
    let detail = detail::of_floor(floor.floor_no, floor.state);
    events::emit(tx, clock.tick(), kind, &scope, &floor.id, Some(&detail))?;
    Ok(floor)
}

fn source(tx: &mut dyn Tx, session: SessionKey<'_>, floor: &Id) -> StoreResult<(i64, i64)> {
    let sql = sql!("SELECT floor_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    first(tx, sql, in_session![session, floor], |row| Ok((row.int(0)?, row.int(1)?)))?
        .ok_or_else(|| Refusal::FloorNotFound(floor.clone()).into())
}

static SELECT: LazyLock<String> = LazyLock::new(|| {
    "SELECT f.id, s.id, b.id, f.floor_no,
        COALESCE(
            (SELECT p.id FROM floor p
             WHERE p.account_id = f.account_id AND p.session_row = f.session_row AND p.branch_row = f.branch_row
                AND p.floor_no < f.floor_no ORDER BY p.floor_no DESC LIMIT 1),
            (SELECT q.id FROM floor q
             WHERE q.account_id = f.account_id AND q.session_row = f.session_row AND q.branch_row = b.shared_branch_row
                AND q.floor_no = b.shared_floor_no)),
        f.state, f.lease_until, y.extra, f.created_at, f.updated_at
     FROM floor f
     JOIN session s ON s.account_id = f.account_id AND s.session_row = f.session_row
     JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
     LEFT JOIN body y ON y.account_id = f.account_id AND y.session_row = f.session_row AND y.scope = 3
        AND y.host_row = f.floor_row"
        .into()
});

static GET: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "{} WHERE f.account_id = ?1 AND f.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0",
        *SELECT
    ))
});

fn read(row: &dyn Row) -> StoreResult<Floor> {
    Ok(Floor {
        id: stored_id(row.text(0)?)?,
        session: stored_id(row.text(1)?)?,
        branch: stored_text(row.bytes(2)?)?,
        floor_no: row.int(3)?,
        parent: row.text_or_null(4)?.map(stored_id).transpose()?,
        state: stored_enum(row.int(5)?)?,
        lease_until: row.int_or_null(6)?,
        metadata: row.bytes_or_null(7)?.map(codec::decode_json).transpose()?,
        created_at: row.int(8)?,
        updated_at: row.int(9)?,
    })
}

/// Whether a committed floor has floors with states behind it on its branch.
pub fn has_states_behind(tx: &mut dyn Tx, account: &Id, floor: &Id) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT o.floor_row FROM floor f
         JOIN floor o ON o.account_id = f.account_id AND o.session_row = f.session_row AND o.branch_row = f.branch_row
         WHERE f.account_id = ?1 AND f.id = ?2 AND f.state = 2 AND o.floor_no > f.floor_no AND o.state = 2 AND o.has_state = 1
         LIMIT 1"
    );
    Ok(first(tx, sql, params![account, floor], |row| row.int(0))?.is_some())
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Floor> {
    first(tx, *GET, params![account, id], read)?.ok_or_else(|| Refusal::FloorNotFound(id.clone()).into())
}

/// Those of these floors that are there.
pub fn get_all(tx: &mut dyn Tx, account: &Id, ids: &[&Id]) -> StoreResult<Vec<Option<Floor>>> {
    let sets: Vec<_> = ids.iter().map(|&id| params![account, id].to_vec()).collect();
    first_of_each(tx, *GET, &sets, read)
}

/// By whether a branch is named, by direction; and the counts.
struct Lists {
    rows: [[Sql; 2]; 2],
    counts: [Sql; 2],
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    // An ended lease counts as failed, whether or not the sweep has come by: ?5 is the time, ?4 the state or -1.
    let state = "(?4 = -1 OR ?4 = CASE WHEN f.state = 1 AND f.lease_until <= ?5 THEN 3 ELSE f.state END)";
    // Floors that are about to come or to go are on hidden branches.
    let hidden =
        "SELECT h.branch_row FROM branch h WHERE h.account_id = ?1 AND h.session_row = ?2 AND LENGTH(h.id) > 256";
    let of_session =
        format!("f.account_id = ?1 AND f.session_row = ?2 AND ?3 = -1 AND {state} AND f.branch_row NOT IN ({hidden})");
    let of_branch = format!("f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND {state}");
    let typed =
        |text: &str| text.replace("?3 = -1", "CAST(?3 AS BIGINT) = -1").replace("?4 = -1", "CAST(?4 AS BIGINT) = -1");
    let conditions = [typed(&of_session), typed(&of_branch)];
    let rows = |condition: &str, direction: &str| {
        Sql::assembled(format!(
            "{} WHERE {condition} ORDER BY f.branch_row {direction}, f.floor_no {direction} LIMIT ?6 OFFSET ?7",
            *SELECT
        ))
    };
    Lists {
        rows: [0, 1].map(|kind| ["DESC", "ASC"].map(|direction| rows(&conditions[kind], direction))),
        counts: [0, 1].map(|kind| Sql::assembled(format!("SELECT COUNT(*) FROM floor f WHERE {}", conditions[kind]))),
    }
});

/// Lists the floors of a session or of one of its branches.
pub fn list(tx: &mut dyn Tx, account: &Id, query: &FloorQuery, now: i64) -> StoreResult<Listed<Floor>> {
    let session = lookup::session(tx, account, &query.session)?;
    let branch_row = match &query.branch {
        Some(name) => lookup::branch(tx, session, &query.session, name)?,
        None => -1,
    };
    let window = query.window;
    let kind = usize::from(query.branch.is_some());
    let state = query.state.map_or(-1, FloorState::number);
    let sql = LISTS.rows[kind][usize::from(window.ascending)];
    let params = in_session![session, branch_row, state, now, window.limit + 1, window.offset];
    tx::list(tx, window, (sql, params), (LISTS.counts[kind], &params[..5]), read)
}

pub fn update(tx: &mut dyn Tx, account: &Id, id: &Id, patch: &FloorPatch, now: i64) -> StoreResult<Floor> {
    positions::with_floor(tx, account, id, now, |tx, clock, place| {
        if let Some(floor_no) = patch.floor_no
            && floor_no != place.floor_no
        {
            floor_numbers::free(tx, clock.key(), place.branch_row, floor_no)?;
            separation::separate(tx, clock, (place.branch_row, floor_no.min(place.floor_no)))?;
            let mut moved = story::around(tx, clock.key(), &[place.floor_row])?;
            let sql =
                sql!("UPDATE floor SET floor_no = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
            tx.execute(sql, in_session![clock, place.floor_row, floor_no])?;
            let sql = sql!(
                "UPDATE floor_key SET floor_no = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
            );
            tx.execute(sql, in_session![clock, place.floor_row, floor_no])?;
            moved.extend(story::around(tx, clock.key(), &[place.floor_row])?);
            story::refresh(tx, clock, &moved)?;
        }
        if let Some(metadata) = &patch.metadata {
            separation::separate(tx, clock, (place.branch_row, place.floor_no))?;
            bodies::set_extra(tx, clock, (Scope::Floor, place.floor_row), metadata.as_ref())?;
        }
        mark_changed(tx, clock, &[place.floor_row])?;
        emit_and_read(tx, clock, EventKind::FloorUpdated, place.branch_row, id)
    })
}

/// Marks floors and their session as changed.
pub(crate) fn mark_changed(tx: &mut dyn Tx, clock: &SessionClock, floors: &[i64]) -> StoreResult<()> {
    let now = clock.now();
    let sql = sql!("UPDATE floor SET updated_at = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3");
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![clock, floor_row, now].to_vec()).collect();
    clock.mark_changed();
    execute_many(tx, sql, &sets)
}

/// Takes a floor one step through its life. A commit needs fresh ids for what it promotes.
///
/// A committed floor can be committed again with a page that came later: a swipe with staged writes of its own.
pub fn step(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    step: &FloorStep,
    ids: &mut Ids<'_>,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<Floor> {
    // The account's clock is taken before that of a session. A prompt that is rendered this very moment comes too late for it;
    // its commit takes the clock where it is needed.
    let account_clock = match matches!(step, FloorStep::Commit { .. }) && staging::writes_global(tx, account, id)? {
        true => Some(AccountClock::of(tx, account, now)?),
        false => None,
    };
    positions::with_floor(tx, account, id, now, |tx, clock, place| {
        let place = &place;
        separation::separate(tx, clock, (place.branch_row, place.floor_no))?;
        let (next, kind, wanted) = match step {
            FloorStep::Generate { .. } => (
                FloorState::Generating,
                EventKind::FloorGenerating,
                "start generating; a reply begins on a draft floor, so create a new one",
            ),
            FloorStep::Commit { .. } => (
                FloorState::Committed,
                EventKind::FloorCommitted,
                "be committed; it must be generating, or the page a later one that was not committed yet",
            ),
            FloorStep::Fail => (FloorState::Failed, EventKind::FloorFailed, "fail"),
        };
        let refused = Refusal::InvalidState { found: place.state, wanted };
        let renews = matches!(step, FloorStep::Generate { renew: true, .. }) && place.state == FloorState::Generating;
        let again = matches!(step, FloorStep::Commit { page: Some(_) }) && place.state == FloorState::Committed;
        if !renews && !again && !place.state.may_become(next) {
            return Err(refused.into());
        }
        let lease = match step {
            FloorStep::Generate { lease_ms, .. } => Some(clock.now() + lease_ms.unwrap_or(LEASE_MS_DEFAULT)),
            _ => None,
        };
        let sql = sql!(
            "UPDATE floor SET state = ?4, lease_until = ?5 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
        );
        tx.execute(sql, in_session![clock, place.floor_row, next.number(), lease])?;
        match step {
            FloorStep::Generate { .. } => {}
            FloorStep::Commit { page } => {
                let named = pages::to_commit(tx, clock, place, page.as_ref(), again)?.ok_or(refused);
                let named = match (named, again) {
                    (Err(refused), true) => return Err(refused.into()),
                    (named, _) => named.ok(),
                };
                commit::commit(tx, clock, place, named, account_clock.as_ref(), ids, quotas)?;
                story::refresh_changed(tx, clock, &[place.floor_row])?;
            }
            FloorStep::Fail => staging::discard(tx, clock, place.floor_row)?,
        }
        mark_changed(tx, clock, &[place.floor_row])?;
        emit_and_read(tx, clock, kind, place.branch_row, &place.id)
    })
}

/// A floor whose lease has ended: its account and id.
pub type Expired = (Id, Id);

/// The floors whose lease ended before `now`, whatever account they belong to.
pub fn expired(tx: &mut dyn Tx, now: i64) -> StoreResult<Vec<Expired>> {
    let sql = Sql::across_accounts("SELECT account_id, id FROM floor WHERE state = 1 AND lease_until <= ?1 LIMIT 1000");
    all(tx, sql, params![now], |row| Ok((stored_id(row.text(0)?)?, stored_id(row.text(1)?)?)))
}

/// Stores that a floor's lease has ended, unless it was renewed meanwhile.
pub fn expire(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<bool> {
    positions::with_floor(tx, account, id, now, |tx, clock, place| {
        if place.state != FloorState::Failed {
            return Ok(false);
        }
        let sql = sql!(
            "UPDATE floor SET state = 3, lease_until = NULL, updated_at = ?4
             WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND state = 1"
        );
        if tx.execute(sql, in_session![clock, place.floor_row, clock.now()])? == 0 {
            return Ok(false);
        }
        staging::discard(tx, clock, place.floor_row)?;
        emit_and_read(tx, clock, EventKind::FloorFailed, place.branch_row, id).map(|_| true)
    })
}
