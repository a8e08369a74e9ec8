//! What the macros of a prompt wrote: it goes to the branch or to the account, never through the floor.
//!
//! The writes of a key are done in the order of the text. One that sets a variable holds the whole value; one that counts, adds,
//! writes inside a value or writes only where nothing is, is done again with what is there now, since there may have been other
//! writes between the prompt and the commit. On the branch the value
//! belongs to the page, as a promoted one does: another swipe takes it back. Global variables belong to no line and keep it.

use super::{Ids, Places, next_ids};
use crate::tree::prelude::*;
use crate::types::record::{HistorySource, Host};
use crate::variables::lineage;
use crate::variables::promotions::{self, Trace};
use crate::variables::staging::Waiting;
use crate::variables::writes::{self, Change};
use std::collections::{HashMap, HashSet};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::VARIABLE_BYTES_MAX;
use tavernkeep_engine::prompt::{AppliedChange, RelativeChange};
use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, StagedStatus};

/// Applies what was accepted of a prompt, where `replies` is what was accepted of the reply to it.
pub(super) fn apply<'a>(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    account_clock: Option<&AccountClock>,
    (prompted, replies): (&[&'a Waiting], &[&'a Waiting]),
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<Vec<(&'a Waiting, StagedStatus, Decision)>> {
    if prompted.is_empty() {
        return Ok(Vec::new());
    }
    // A key is written once in a commit, and the reply has the last word.
    let replaced: HashSet<&Key> = replies
        .iter()
        .map(|waiting| &waiting.write.asked)
        .filter(|asked| asked.intent == Intent::PromoteToBranch && asked.policy == ConflictPolicy::Replace)
        .map(|asked| &asked.key)
        .collect();
    let late = match account_clock {
        None if prompted.iter().any(|waiting| waiting.write.asked.intent == Intent::PromoteToGlobal) => {
            Some(AccountClock::of(tx, places.clock.account(), places.clock.now())?)
        }
        _ => None,
    };
    let mut refused = HashMap::new();
    let branch = done_in_order(tx, places, prompted, Intent::PromoteToBranch, &mut refused)?;
    let branch: Vec<_> = branch.into_iter().filter(|done| !replaced.contains(done.key())).collect();
    write_branch(tx, places, &branch, ids, totals)?;
    if let Some(clock) = account_clock.or(late.as_ref()) {
        let global = done_in_order(tx, places, prompted, Intent::PromoteToGlobal, &mut refused)?;
        if !global.is_empty() {
            write_global(tx, places, clock, &global, ids, totals)?;
        }
    }
    let decided = prompted.iter().map(|&waiting| match refused.get(&waiting.slot) {
        Some(&why) => (waiting, StagedStatus::Rejected, why),
        None => (waiting, StagedStatus::Promoted, Decision::Allowed),
    });
    Ok(decided.collect())
}

/// What became of a key: the last write of it that could be done, and the value then.
struct Done<'a> {
    last: &'a Waiting,
    value: Option<Vec<u8>>,
}

impl Done<'_> {
    fn key(&self) -> &Key {
        &self.last.write.asked.key
    }
}

/// Does the writes of each key that go to one place, in the order of the text. The slots of those that are not done are
/// added to `refused`, with the reason.
fn done_in_order<'a>(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    prompted: &[&'a Waiting],
    intent: Intent,
    refused: &mut HashMap<i64, Decision>,
) -> StoreResult<Vec<Done<'a>>> {
    let mut keys: Vec<(&Key, Vec<&'a Waiting>)> = Vec::new();
    let mut numbers: HashMap<&Key, usize> = HashMap::new();
    for &waiting in prompted.iter().filter(|waiting| waiting.write.asked.intent == intent) {
        let key = &waiting.write.asked.key;
        let number = *numbers.entry(key).or_insert(keys.len());
        match keys.get_mut(number) {
            Some((_, writes)) => writes.push(waiting),
            None => keys.push((key, vec![waiting])),
        }
    }
    let mut all_done = Vec::with_capacity(keys.len());
    for (key, writes) in keys {
        let mut now = Now { places, key, intent, value: None };
        let mut done = None;
        for waiting in writes {
            let asked = &waiting.write.asked;
            let value = match (change_of(waiting), &asked.value) {
                (Some(change), _) => match now.changed(tx, &change)? {
                    Ok(value) => Some(value),
                    Err(why) => {
                        refused.insert(waiting.slot, why);
                        continue;
                    }
                },
                (None, Some(value)) => Some(value.clone()),
                (None, None) => None,
            };
            now.set(tx, value.as_ref())?;
            done = Some(Done { last: waiting, value: value.map(|value| codec::encode(value.as_str())) });
        }
        all_done.extend(done);
    }
    Ok(all_done)
}

/// What a macro does to the value that is there, where it does not replace it. The program wrote it down with where the write
/// comes from.
fn change_of(waiting: &Waiting) -> Option<RelativeChange> {
    let source = Value::from_normalised(waiting.write.asked.source.as_ref()?.as_str())?;
    RelativeChange::read(source.get("change")?)
}

/// What a macro sees of a key while the writes of it are done.
struct Now<'a> {
    places: &'a Places<'a>,
    key: &'a Key,
    intent: Intent,
    /// None until it is asked for.
    value: Option<Option<JsonText>>,
}

impl Now<'_> {
    /// The value after a change, or why there is none: the change is not needed, cannot be made, or makes more than a variable
    /// holds.
    fn changed(&mut self, tx: &mut dyn Tx, change: &RelativeChange) -> StoreResult<Result<JsonText, Decision>> {
        let now = match &self.value {
            Some(value) => value.clone(),
            None => self.stored(tx)?,
        };
        let now = now.map(|text| Value::from_normalised(text.as_str()).unwrap_or_default());
        let new = match change.apply(now.as_ref()) {
            AppliedChange::Changed(new) if new.fits(VARIABLE_BYTES_MAX) => Ok(new.to_text()),
            AppliedChange::NotNeeded => Err(Decision::ChangeNotNeeded),
            AppliedChange::Changed(_) | AppliedChange::NotApplicable => Err(Decision::ChangeNotApplicable),
        };
        self.value = Some(now.map(|now| now.to_text()));
        Ok(new)
    }

    fn set(&mut self, tx: &mut dyn Tx, value: Option<&JsonText>) -> StoreResult<()> {
        self.value = Some(match value {
            Some(value) => Some(value.clone()),
            // Without the branch's value the chat's is seen.
            None if self.intent == Intent::PromoteToBranch => stored_at(tx, self.places, self.places.chat.0, self.key)?,
            None => None,
        });
        Ok(())
    }

    /// What the macro would see if it were evaluated now.
    fn stored(&self, tx: &mut dyn Tx) -> StoreResult<Option<JsonText>> {
        if self.intent == Intent::PromoteToGlobal {
            return stored_at(tx, self.places, HostRow::GLOBAL, self.key);
        }
        let branch = self.places.branch.0;
        if let Some(own) = stored_at(tx, self.places, branch, self.key)? {
            return Ok(Some(own));
        }
        let inherited = lineage::inherited_key(tx, self.places.clock.account(), branch, self.key)?;
        match inherited.and_then(|seen| seen.value) {
            Some(value) => Ok(Some(value)),
            None => stored_at(tx, self.places, self.places.chat.0, self.key),
        }
    }
}

fn stored_at(tx: &mut dyn Tx, places: &Places<'_>, row: HostRow, key: &Key) -> StoreResult<Option<JsonText>> {
    let sql = sql!(
        "SELECT value FROM variable
         WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4 AND key = ?5"
    );
    let account = places.clock.account();
    let place = params![account, row.session_row, row.scope.number(), row.host_row, key.as_str().as_bytes()];
    first(tx, sql, place, |row| codec::decode_json(row.bytes(0)?))
}

fn write_branch(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    done: &[Done<'_>],
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<()> {
    let (row, host) = &places.branch;
    let page_row = places.page.0.host_row;
    let keys: Vec<_> = done.iter().map(|done| (*row, done.key())).collect();
    let found = writes::find(tx, places.clock.account(), &keys)?;
    let fresh = next_ids(ids, done.len() * 2)?;
    let (variables, traces) = fresh.split_at(done.len());
    let changes: Vec<_> = done
        .iter()
        .zip(variables)
        .map(|(done, id)| Change {
            row: *row,
            host,
            key: done.key(),
            value: done.value.as_deref(),
            id,
            source: HistorySource::Promoted,
            page_row: Some(page_row),
        })
        .collect();
    let written = writes::apply(tx, places.clock, &changes, &found, totals)?;
    let targets = written.into_iter().zip(&found).zip(done).map(|(((id, _), found), done)| {
        // What a branch takes away may be inherited, and then it has no variable of its own.
        Some(id).filter(|_| found.is_some() || done.value.is_some())
    });
    let traces: Vec<_> = done
        .iter()
        .zip(targets)
        .zip(traces)
        .map(|((done, target), id)| traced(places, done, *row, target, id))
        .collect();
    promotions::trace(tx, places.clock, page_row, &traces)
}

fn write_global(
    tx: &mut dyn Tx,
    places: &Places<'_>,
    clock: &AccountClock,
    done: &[Done<'_>],
    ids: &mut Ids<'_>,
    totals: &mut Totals,
) -> StoreResult<()> {
    let (row, host) = (HostRow::GLOBAL, Host::Global);
    let keys: Vec<_> = done.iter().map(|done| (row, done.key())).collect();
    let found = writes::find(tx, clock.account(), &keys)?;
    let fresh = next_ids(ids, done.len() * 2)?;
    let (variables, traces) = fresh.split_at(done.len());
    // There is nothing behind global variables that a deletion could hide.
    let is_change = |number: &usize| done[*number].value.is_some() || found[*number].is_some();
    let changed: Vec<usize> = (0..done.len()).filter(is_change).collect();
    let changes: Vec<_> = changed
        .iter()
        .map(|&number| Change {
            row,
            host: &host,
            key: done[number].key(),
            value: done[number].value.as_deref(),
            id: &variables[number],
            source: HistorySource::Staged,
            page_row: None,
        })
        .collect();
    let before: Vec<_> = changed.iter().map(|&number| found[number].clone()).collect();
    let written = writes::apply(tx, clock, &changes, &before, totals)?;
    let mut targets: HashMap<usize, Id> = changed.into_iter().zip(written.into_iter().map(|(id, _)| id)).collect();
    let traces: Vec<_> = done
        .iter()
        .zip(traces)
        .enumerate()
        .map(|(number, (done, id))| traced(places, done, row, targets.remove(&number), id))
        .collect();
    promotions::trace(tx, places.clock, places.page.0.host_row, &traces)
}

fn traced<'a>(places: &Places<'_>, done: &'a Done<'_>, to: HostRow, target: Option<Id>, id: &Id) -> Trace<'a> {
    Trace {
        id: id.clone(),
        staged: Some(&done.last.write.id),
        key: done.key(),
        from: places.page.0,
        to,
        policy: ConflictPolicy::Replace,
        source_variable: None,
        target_variable: target,
        value: done.value.as_deref(),
    }
}
