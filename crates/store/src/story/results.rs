//! Storing what came of processing: the pages of a part together, with a few questions for all of them.

use crate::story::edits::{self, Edit};
use crate::story::snapshots::{self, Pointed};
use crate::story::versions::{self, Kind, NewVersion, Placed};
use crate::story::{around, effects, refresh, settings};
use crate::tree::clock;
use crate::tree::positions;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::variables::commit::Ids;
use tavernkeep_engine::story::Base;

/// What a new version builds on: a version that is there, or the one that is stored right before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildsOn {
    Base(Base),
    /// The one with this place among those that are stored together.
    Made(usize),
}

#[derive(Debug, Clone)]
pub struct Made {
    /// The floor and the page.
    pub rows: (i64, i64),
    /// The version that the page had; if it has another one now, that one stays.
    pub expected: Option<i64>,
    /// For the snapshot, should the page have none.
    pub snapshot: Id,
    /// Whether the snapshot gets another id in any case.
    pub renew: bool,
    /// Edits of the page that are not stored yet, or are taken back.
    pub edits: Vec<Edit>,
    pub base: BuildsOn,
    pub version: NewVersion,
}

/// Stores what came of processing, in order, up to the first page that got another state meanwhile. Answers
/// with the versions' numbers.
pub fn store(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    made: &[Made],
    ids: &mut Ids<'_>,
    now: i64,
) -> StoreResult<Vec<i64>> {
    // Whatever is looked at stays as it is from here on.
    let stored = clock::with_session_row(tx, session, now, |tx, clock| store_under(tx, clock, made, ids));
    stored?.ok_or_else(|| Refusal::ParentMoved.into())
}

fn store_under(tx: &mut dyn Tx, clock: &SessionClock, made: &[Made], ids: &mut Ids<'_>) -> StoreResult<Vec<i64>> {
    let settings = settings::read(tx, clock.key())?;
    // All of them were computed with one recipe; if another one counts now, they have to be computed again, and if the character
    // has been disabled, not at all.
    if !settings.enabled || made.iter().any(|made| made.version.recipe != settings.recipe) {
        return Ok(Vec::new());
    }
    let found = found(tx, clock.key(), made)?;
    let bases = made.iter().filter_map(|made| base_version_row(made.base)).collect();
    let bases = versions::existing(tx, clock.key(), &bases)?;
    let fits = |(made, found): &(&Made, &Option<CurrentPage>)| {
        let same = found.as_ref().is_some_and(|it| it.floor_row == made.rows.0 && it.version_row == made.expected);
        // A version that was replaced while this was computed may be deleted by now.
        same && base_version_row(made.base).is_none_or(|row| bases.contains(&row))
    };
    let count = made.iter().zip(&found).take_while(fits).count();
    let made = &made[..count];
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let floors: Vec<i64> = made.iter().map(|made| made.rows.0).collect();
    separation::separate_floors(tx, clock, &floors)?;
    fingerprint(tx, clock, made, &found)?;
    for made in made {
        edits::write(tx, clock, made.rows.1, &made.edits)?;
    }
    // Each version has a tick of its own, which is its number.
    let ticks: Vec<Tick> = (0..count).map(|at| if at == 0 { clock.tick() } else { clock.advance() }).collect();
    add(tx, clock, made, &ticks)?;
    let floors = around(tx, clock.key(), &floors)?;
    refresh(tx, clock, &floors)?;
    // A page that was committed before it had a state, as in a chat that was synced, has its effects with its first one.
    let first = made.iter().filter(|made| made.expected.is_none() && !made.version.effects.is_empty());
    for Made { rows: (floor_row, page_row), .. } in first {
        let floor = positions::floor_at(tx, clock, *floor_row)?;
        effects::perform(tx, clock, &floor, *page_row, ids)?;
    }
    Ok(ticks.iter().map(|tick| tick.seq()).collect())
}

/// The version that must be there.
fn base_version_row(base: BuildsOn) -> Option<i64> {
    match base {
        BuildsOn::Base(Base::Version(row)) => Some(row),
        _ => None,
    }
}

#[derive(Clone)]
struct CurrentPage {
    floor_row: i64,
    has_hash: bool,
    version_row: Option<i64>,
}

fn found(tx: &mut dyn Tx, session: SessionKey<'_>, made: &[Made]) -> StoreResult<Vec<Option<CurrentPage>>> {
    let sql = sql!(
        "SELECT p.floor_row, p.text_hash, n.version_row FROM page p
         LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
    );
    let sets: Vec<_> = made.iter().map(|made| in_session![session, made.rows.1].to_vec()).collect();
    first_of_each(tx, sql, &sets, |row| {
        let has_hash = row.bytes_or_null(1)?.is_some();
        Ok(CurrentPage { floor_row: row.int(0)?, has_hash, version_row: row.int_or_null(2)? })
    })
}

/// Texts that are older than fingerprints are, and have not changed since, get theirs: a change would have left one.
fn fingerprint(tx: &mut dyn Tx, clock: &SessionClock, made: &[Made], found: &[Option<CurrentPage>]) -> StoreResult<()> {
    let sql = sql!("UPDATE page SET text_hash = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    let old = made.iter().zip(found).filter(|(_, found)| found.as_ref().is_some_and(|found| !found.has_hash));
    let sets: Vec<_> =
        old.map(|(made, _)| in_session![clock, made.rows.1, made.version.text_hash.as_slice()].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

fn add(tx: &mut dyn Tx, clock: &SessionClock, made: &[Made], ticks: &[Tick]) -> StoreResult<()> {
    let placed: Vec<Placed<'_>> = made
        .iter()
        .zip(ticks)
        .map(|(made, tick)| {
            let base_row = match made.base {
                BuildsOn::Made(at) => ticks.get(at).map(|tick| tick.seq()),
                base => base_version_row(base),
            };
            let (version_row, page_row, version) = (tick.seq(), made.rows.1, &made.version);
            Placed { version_row, page_row, parent_row: base_row, base_row, version }
        })
        .collect();
    versions::add_all(tx, clock, &placed)?;
    let renewed: Vec<i64> = made.iter().filter(|made| made.renew).map(|made| made.rows.1).collect();
    snapshots::forget(tx, clock, &renewed)?;
    let pointed = made.iter().zip(ticks).map(|(made, &tick)| Pointed {
        tick,
        rows: made.rows,
        fresh: &made.snapshot,
        version_row: tick.seq(),
        kind: Kind::Turn,
    });
    snapshots::point_all(tx, clock, &pointed.collect::<Vec<_>>())
}
