//! The commit of a page: staged writes are decided, accepted ones become values of the page, and the page's values go on
//! to its floor, on request further to its branch or chat. All of it is part of the transaction that commits the floor.

mod macros;

use crate::events::EventScope;
use crate::tree::prelude::*;
use crate::types::record::{HistorySource, Host};
use crate::variables::lineage;
use crate::variables::promotions::{self, Trace};
use crate::variables::staging::{self, Waiting};
use crate::variables::writes::{self, Change};
use std::collections::{HashMap, HashSet};
use tavernkeep_engine::staging::{Candidate, ConflictPolicy, Decision, Intent, StagedStatus};

/// Fresh ids that a write brought along. Asked again, it gives the same ones.
pub type Ids<'a> = dyn Iterator<Item = Id> + 'a;

/// Decides about everything that is staged on a floor, where `named` is the page that is committed.
pub fn decide(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    floor: &FloorPosition,
    named: Option<i64>,
    account_clock: Option<&AccountClock>,
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<()> {
    let waiting = staging::waiting(tx, clock.key(), floor.floor_row)?;
    let sql = sql!(
        "SELECT page_row, id, kind, is_active FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"
    );
    let pages: HashMap<i64, (Id, Candidate)> = all(tx, sql, in_session![clock, floor.floor_row], |row| {
        let (page_row, kind, is_active) = (row.int(0)?, stored_enum(row.int(2)?)?, row.int(3)? == 1);
        let candidate = Candidate { kind, is_active, is_named: named == Some(page_row) };
        Ok((page_row, (stored_id(row.text(1)?)?, candidate)))
    })?
    .into_iter()
    .collect();
    let mut decided = Vec::new();
    let mut accepted = Vec::new();
    for waiting in &waiting {
        let gate = pages
            .get(&waiting.page_row)
            .map_or(Err((StagedStatus::Rejected, Decision::PageMissing)), |(_, candidate)| candidate.gate());
        match gate {
            Ok(()) => accepted.push(waiting),
            Err((status, decision)) => decided.push((waiting, status, decision)),
        }
    }
    let page = named.and_then(|row| pages.get(&row).map(|(id, candidate)| (row, id, candidate)));
    if let Some((page_row, page, candidate)) = page
        && candidate.gate().is_ok()
    {
        let places = Places::find(tx, clock, floor, page_row, page)?;
        // What the prompt wrote comes before what the reply to it asks for.
        let (prompted, accepted): (Vec<_>, Vec<_>) = accepted.into_iter().partition(|waiting| waiting.slot > 0);
        decided.extend(macros::apply(tx, &places, account_clock, (&prompted, &accepted), ids, totals)?);
        materialise(tx, &places, &accepted, ids, totals)?;
        decided.extend(promote(tx, &places, &accepted, ids, totals)?);
    }
    staging::decide(tx, clock, &decided)
}

/// The hosts that a page's values can reach, and under which tick.
struct Places<'a> {
    clock: &'a SessionClock,
    page: (HostRow, Host),
    floor: (HostRow, Host),
    branch: (HostRow, Host),
    chat: (HostRow, Host),
}

impl<'a> Places<'a> {
    fn find(
        tx: &mut dyn Tx,
        clock: &'a SessionClock,
        floor: &FloorPosition,
        page_row: i64,
        page: &Id,
    ) -> StoreResult<Places<'a>> {
        let scope = EventScope::of_floor(tx, clock.key(), floor.floor_row)?;
        let nameless = || StoreError::Internal("a floor without a session or branch".into());
        let session = scope.session.ok_or_else(nameless)?;
        let (branch_row, branch) = scope.branch.ok_or_else(nameless)?;
        let row = |scope, host_row| HostRow::new(clock.session_row(), scope, host_row);
        Ok(Places {
            clock,
            page: (row(Scope::Page, page_row), Host::Page(page.clone())),
            floor: (row(Scope::Floor, floor.floor_row), Host::Floor(floor.id.clone())),
            branch: (row(Scope::Branch, branch_row), Host::Branch(session.clone(), branch)),
            chat: (row(Scope::Chat, 0), Host::Chat(session)),
        })
    }

    /// Where a value goes behind the floor.
    fn beyond(&self, intent: Intent) -> Option<&(HostRow, Host)> {
        match intent {
            Intent::PageOnly | Intent::PromoteToFloor | Intent::PromoteToGlobal => None,
            Intent::PromoteToBranch => Some(&self.branch),
            Intent::PromoteToChat => Some(&self.chat),
        }
    }
}

/// Makes accepted writes values of their page.
fn materialise(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    accepted: &[&Waiting],
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<()> {
    let (row, host) = &places.page;
    let keys: Vec<_> = accepted.iter().map(|waiting| (*row, &waiting.write.asked.key)).collect();
    let found = writes::find(tx, places.clock.account(), &keys)?;
    let values: Vec<_> = accepted.iter().map(|waiting| encoded(waiting)).collect();
    let fresh: Vec<Id> = next_ids(ids, accepted.len())?;
    let mut changes = Vec::with_capacity(accepted.len());
    let mut before = Vec::with_capacity(accepted.len());
    for (((waiting, found), value), id) in accepted.iter().zip(found).zip(&values).zip(&fresh) {
        // Nothing to take away on the page itself; the floor is another matter.
        if value.is_none() && found.is_none() {
            continue;
        }
        let (key, value) = (&waiting.write.asked.key, value.as_deref());
        changes.push(Change { row: *row, host, key, value, id, source: HistorySource::Staged, page_row: None });
        before.push(found);
    }
    writes::apply(tx, places.clock, &changes, &before, totals).map(drop)
}

fn encoded(waiting: &Waiting) -> Option<Vec<u8>> {
    waiting.write.asked.value.as_ref().map(|value| codec::encode(value.as_str()))
}

fn next_ids(ids: &mut Ids<'_>, count: usize) -> StoreResult<Vec<Id>> {
    let taken: Vec<Id> = ids.take(count).collect();
    if taken.len() == count { Ok(taken) } else { Err(StoreError::Internal("the ids ran out".into())) }
}

/// A value of the page on its way up.
struct PromotedValue<'a> {
    key: Key,
    value: Option<Vec<u8>>,
    variable: Option<Id>,
    staged: Option<&'a Waiting>,
    intent: Intent,
    policy: ConflictPolicy,
}

/// Promotes the page's values and returns how each staged write ended.
fn promote<'a>(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    accepted: &[&'a Waiting],
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<Vec<(&'a Waiting, StagedStatus, Decision)>> {
    let promoted = promoted_values(tx, places, accepted)?;
    let mut decided: Vec<(&Waiting, StagedStatus, Decision)> = accepted
        .iter()
        .filter(|waiting| waiting.write.asked.intent == Intent::PageOnly)
        .map(|&waiting| (waiting, StagedStatus::AcceptedPageOnly, Decision::Allowed))
        .collect();

    let all: Vec<&PromotedValue<'_>> = promoted.iter().collect();
    let (floored, stopped) = hop(tx, places, &places.page, &places.floor, &all, ids, totals)?;
    let skipped = stopped.iter().filter_map(|&at| promoted[at].staged);
    decided.extend(skipped.map(|waiting| (waiting, StagedStatus::AcceptedPageOnly, Decision::FloorHasKey)));
    let mut blocked = Vec::new();
    for goal in [Intent::PromoteToBranch, Intent::PromoteToChat] {
        let Some(to) = places.beyond(goal) else { continue };
        let going: Vec<usize> = floored.iter().copied().filter(|&at| promoted[at].intent == goal).collect();
        let values: Vec<&PromotedValue<'_>> = going.iter().map(|&at| &promoted[at]).collect();
        let (_, stopped) = hop(tx, places, &places.floor, to, &values, ids, totals)?;
        blocked.extend(stopped.into_iter().map(|at| going[at]));
    }
    for at in floored {
        let decision = if blocked.contains(&at) { Decision::HigherHasKey } else { Decision::Allowed };
        decided.extend(promoted[at].staged.map(|waiting| (waiting, StagedStatus::Promoted, decision)));
    }
    Ok(decided)
}

/// The values that leave the page: all it has but those that are meant for it alone, and what was taken away.
fn promoted_values<'a>(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    accepted: &[&'a Waiting],
) -> StoreResult<Vec<PromotedValue<'a>>> {
    let (row, _) = places.page;
    let sql = sql!(
        "SELECT key, id, value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = 4 AND host_row = ?3 ORDER BY key"
    );
    let held = all(tx, sql, params![places.clock.account(), row.session_row, row.host_row], |row| {
        Ok((stored_key(row.bytes(0)?)?, stored_id(row.text(1)?)?, row.bytes(2)?.to_vec()))
    })?;
    let staged: HashMap<&Key, &'a Waiting> =
        accepted.iter().map(|&waiting| (&waiting.write.asked.key, waiting)).collect();
    let mut promoted = Vec::with_capacity(held.len());
    for (key, id, value) in held {
        let staged = staged.get(&key).copied();
        let intent = staged.map_or(Intent::PromoteToFloor, |waiting| waiting.write.asked.intent);
        let policy = staged.map_or(ConflictPolicy::Replace, |waiting| waiting.write.asked.policy);
        promoted.push(PromotedValue { key, value: Some(value), variable: Some(id), staged, intent, policy });
    }
    for &waiting in accepted.iter().filter(|waiting| waiting.write.asked.value.is_none()) {
        let (key, intent, policy) =
            (waiting.write.asked.key.clone(), waiting.write.asked.intent, waiting.write.asked.policy);
        promoted.push(PromotedValue { key, value: None, variable: None, staged: Some(waiting), intent, policy });
    }
    promoted.retain(|value| value.intent != Intent::PageOnly);
    Ok(promoted)
}

/// One hop of many values. Returns, by their places in the list, which arrived and which found their key taken.
fn hop(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    from: &(HostRow, Host),
    to: &(HostRow, Host),
    values: &[&PromotedValue<'_>],
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<(Vec<usize>, Vec<usize>)> {
    let keys: Vec<_> = values.iter().map(|value| (to.0, &value.key)).collect();
    let clock = places.clock;
    let found = writes::find(tx, clock.account(), &keys)?;
    let polite = |value: &&PromotedValue<'_>| value.policy == ConflictPolicy::IfAbsent;
    // What a branch inherits is there too, although it has no row of its own.
    let mut inherited: HashSet<&Key> = HashSet::new();
    for value in values.iter().filter(|value| to.0.scope == Scope::Branch && polite(value)) {
        if lineage::inherited_key(tx, clock.account(), to.0, &value.key)?.is_some() {
            inherited.insert(&value.key);
        }
    }
    let taken = |at: usize| found[at].is_some() || inherited.contains(&values[at].key);
    let (stopped, reached): (Vec<usize>, Vec<usize>) =
        (0..values.len()).partition(|&at| polite(&values[at]) && taken(at));
    let fresh = next_ids(ids, reached.len() * 2)?;
    let (variables, traces) = fresh.split_at(reached.len());
    let page_row = places.page.0.host_row;
    let changes: Vec<_> = reached
        .iter()
        .zip(variables)
        .map(|(&at, id)| Change {
            row: to.0,
            host: &to.1,
            key: &values[at].key,
            value: values[at].value.as_deref(),
            id,
            source: HistorySource::Promoted,
            page_row: Some(page_row),
        })
        .collect();
    let before: Vec<_> = reached.iter().map(|&at| found[at].clone()).collect();
    let written = writes::apply(tx, clock, &changes, &before, totals)?;
    let traces: Vec<_> = reached
        .iter()
        .zip(traces)
        .zip(written.into_iter().zip(&before))
        .map(|((&at, id), ((target_variable, _), before))| Trace {
            id: id.clone(),
            staged: values[at].staged.map(|waiting| &waiting.write.id),
            key: &values[at].key,
            from: from.0,
            to: to.0,
            policy: values[at].policy,
            source_variable: values[at].variable.clone(),
            target_variable: Some(target_variable).filter(|_| values[at].value.is_some() || before.is_some()),
            value: values[at].value.as_deref(),
        })
        .collect();
    promotions::trace(tx, clock, page_row, &traces)?;
    Ok((reached, stopped))
}
