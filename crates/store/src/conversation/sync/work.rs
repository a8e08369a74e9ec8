//! Doing what a plan says, in bulk: a chat of thousands of floors may change everywhere at once. Swipes are chosen and deleted
//! the way they always are, so that variables, promotions, events and flags follow as usual.

use super::added::{Added, Nursery, Placed, page_rows};
use super::chat::{StoredChat, StoredFloor};
use super::outcome::{Changed, Outcome, Steps};
use super::rows;
use super::swipes::SwipeChanges;
use super::{Look, Prepared, SyncOrder, Synced, Text, Texts};
use crate::conversation::trash::{self, Bin};
use crate::conversation::turns::kind_of;
use crate::conversation::{branches, commit, floors, pages};
use crate::story::{around, invalidate_flags, refresh, settings};
use crate::tree::bodies;
use crate::tree::prelude::*;
use std::collections::{BTreeSet, HashSet};
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{MessageStep, Speaker, Swipe, numbers};

/// From so many new pages on PostgreSQL is asked to analyze the tables.
const MANY: usize = 100;

/// A sync under way. What the plan points to is there: see [`Look`].
struct SyncWork<'a> {
    clock: &'a SessionClock,
    /// The tick of what is new or changed. What is chosen or deleted comes later.
    tick: Tick<'a>,
    steps: Steps<'a>,
    /// Texts that pages get and that did not come along.
    texts_elsewhere: &'a Texts,
    nursery: Option<&'a Nursery>,
    /// What happens to swipes of floors that stay, where it is read before.
    swipes: Option<&'a SwipeChanges>,
    /// Whether the pages that get other texts have bodies of their own.
    owns_bodies: bool,
}

/// How the flags of floors are kept right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlagWork {
    /// For each floor that changes, and those right behind them.
    Around,
    /// The session has no state: whether a floor fits depends on no other floor, and not on its text.
    Alone,
    /// All of them are unknown until they are looked at again, in parts.
    Later,
}

impl FlagWork {
    fn of(tx: &mut dyn Tx, clock: &SessionClock, look: &Look) -> StoreResult<FlagWork> {
        if !look.leaves_flags() {
            return Ok(FlagWork::Around);
        }
        let sql = sql!("SELECT 1 FROM snapshot WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
        let state = first(tx, sql, in_session![clock], |_| Ok(()))?;
        Ok(if state.is_some() { FlagWork::Later } else { FlagWork::Alone })
    }
}

/// Makes the branch what the plan says. The texts that it replaces may be in an item of the trash already, what it adds on a hidden
/// branch, and what comes of it may be known.
pub fn perform(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    sync: &SyncOrder,
    look: &Look,
    Prepared { draft, read, nursery, outcome, owns_bodies }: Prepared<'_>,
    ids: &mut dyn Iterator<Item = Id>,
) -> StoreResult<Synced> {
    let drafted = draft.map(|draft| &draft.item);
    let Look { chat, plan, .. } = look;
    let steps = Steps::new(sync, look);
    if steps.positions.last().is_some_and(|&last| last > POSITION_MAX) {
        return Err(Refusal::FloorNumbersEnd.into());
    }
    let read_now;
    let texts_elsewhere = match read {
        Some(read) => &read.texts,
        None => {
            read_now = look.texts_elsewhere(tx, clock.account(), sync)?;
            &read_now
        }
    };
    let swipes = read.and_then(|read| read.swipes.as_ref());
    let work = SyncWork { clock, tick: clock.tick(), steps, texts_elsewhere, nursery, swipes, owns_bodies };
    let flags = if swipes.is_some() { FlagWork::Later } else { FlagWork::of(tx, clock, look)? };
    let moved: Vec<i64> = work.steps.moved().map(|(floor, _)| floor.floor_row).collect();
    let affected = if flags == FlagWork::Around { around(tx, clock.key(), &moved)? } else { BTreeSet::new() };
    let item = match drafted {
        Some(item) => item.clone(),
        None => ids.next().ok_or_else(|| StoreError::Internal("no id is left".into()))?,
    };
    let (made_added, made_outcome);
    let added = match nursery {
        Some(nursery) => &nursery.added,
        None => {
            made_added = work.number_added(tx, look, ids)?;
            &made_added
        }
    };
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => {
            made_outcome = Outcome::of(&work.steps, look, added, swipes.is_some())?;
            &made_outcome
        }
    };
    let gone: Vec<_> = plan.deleted.iter().map(|&at| (chat.floors[at].floor_row, &chat.floors[at].id)).collect();
    if !gone.is_empty() {
        clock.advance();
    }
    let bin = Bin::Trash(item.clone());
    if drafted.is_some() {
        trash::finish_draft(tx, clock, &item)?;
    }
    floors::delete_under(tx, clock, chat.branch_row, (&gone, &runs_of(chat, &plan.deleted)), &bin)?;
    let is_less = !gone.is_empty() || plan.messages.iter().any(|step| !step.deleted.is_empty());
    let is_kept = drafted.is_some() || work.keep_replaced(tx, look, &bin, is_less)?;
    work.renumber(tx, outcome)?;
    work.edit(tx, outcome)?;
    work.speak(tx, outcome)?;
    let mut changed_floors: Vec<i64> = work.steps.spoken().map(|changed| changed.floor.floor_row).collect();
    match swipes {
        Some(swipes) => work.take_swipes(tx, swipes, &item)?,
        None => changed_floors.extend(work.change_swipes(tx, &bin)?),
    }
    work.add(tx, added)?;
    outcome.added.emit(tx, work.tick)?;
    match swipes {
        Some(_) => work.chose_swipes(tx, outcome)?,
        None => changed_floors.extend(work.choose_new(tx, &added.placed)?),
    }
    match flags {
        FlagWork::Around => {
            changed_floors.extend(work.steps.edited().map(|changed| changed.floor.floor_row));
            work.flags(tx, &added.placed, changed_floors, affected)?;
        }
        FlagWork::Alone => refresh(tx, clock, &changed_floors.into_iter().collect())?,
        FlagWork::Later => invalidate_flags(tx, clock)?,
    }
    clock.mark_changed();
    let trash = Some(item).filter(|_| is_less || is_kept);
    Ok(Synced { trash, ..outcome.synced.clone() })
}

/// The first and the last number of each run of these floors, which no other floor of their branch interrupts.
fn runs_of(chat: &StoredChat, floors: &[usize]) -> Vec<(i64, i64)> {
    let floors: HashSet<usize> = floors.iter().copied().collect();
    let (mut runs, mut goes_on): (Vec<(i64, i64)>, bool) = (Vec::new(), false);
    for (at, floor) in chat.floors.iter().enumerate() {
        let is_meant = floors.contains(&at);
        match runs.last_mut() {
            Some((_, last)) if is_meant && goes_on => *last = floor.floor_no,
            _ if is_meant => runs.push((floor.floor_no, floor.floor_no)),
            _ => {}
        }
        goes_on = is_meant;
    }
    runs
}

impl SyncWork<'_> {
    fn text(&self, text: Hash) -> StoreResult<&Text> {
        self.steps.sync.text(self.texts_elsewhere, text)
    }

    /// Gives floors their new positions.
    fn renumber(&self, tx: &mut dyn Tx, outcome: &Outcome) -> StoreResult<()> {
        let rows: Vec<_> = self.steps.renumbered().map(|(floor, no)| (floor.floor_row, no)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        rows::renumber_floors(tx, self.tick, self.steps.chat.branch_row, &rows)?;
        outcome.renumbered.emit(tx, self.tick)
    }

    /// Numbers and names what is new.
    fn number_added(&self, tx: &mut dyn Tx, look: &Look, ids: &mut dyn Iterator<Item = Id>) -> StoreResult<Added> {
        let kind_min = settings::read(tx, self.clock.key())?.kind_min;
        let first_row = match Added::count(look) {
            0 => 0,
            count => self.clock.next_rows(count),
        };
        Added::of((self.steps.sync, look), &self.steps.positions, kind_min, first_row, ids)
    }

    /// Adds what is new, or lets it come from where it was prepared.
    fn add(&self, tx: &mut dyn Tx, added: &Added) -> StoreResult<()> {
        let Steps { sync, chat, .. } = self.steps;
        rows::renumber_pages(tx, self.tick, &added.versions)?;
        let mark = commit::mark(self.clock);
        let many = added.pages.len() + added.swipes.len() >= MANY;
        let text = |hash: Hash| self.text(hash);
        match self.nursery {
            Some(nursery) => nursery.attach(tx, self.clock, chat.branch_row)?,
            None => {
                rows::add_floors(tx, self.tick, chat.branch_row, &added.floors, mark)?;
                // Each page that is added looks for its floor, and what comes behind looks for pages.
                if many {
                    tx.has_grown()?;
                }
                rows::add_pages(tx, self.tick, &page_rows(sync, &added.pages, text)?, mark)?;
            }
        }
        if !self.nursery.is_some_and(|nursery| nursery.has_swipes) {
            rows::add_pages(tx, self.tick, &page_rows(sync, &added.swipes, text)?, mark)?;
            if self.swipes.is_some() {
                let chosen = added.swipes.iter().filter(|page| page.is_chosen).map(|page| page.page_row);
                pages::set_active(tx, self.clock, &chosen.collect::<Vec<_>>())?;
            }
        }
        if many {
            tx.has_grown()?;
        }
        Ok(())
    }

    /// Keeps the texts that others take the place of in the trash; returns whether there are any. The edit of a single message is left
    /// out: a client that syncs while a reply is written edits it many times.
    fn keep_replaced(&self, tx: &mut dyn Tx, look: &Look, bin: &Bin, is_less: bool) -> StoreResult<bool> {
        let replaced = look.replaced(self.steps.sync);
        if replaced.is_empty() || (replaced.len() == 1 && !is_less) {
            return Ok(false);
        }
        let pages: Vec<i64> = replaced.iter().map(|(_, page)| page.page_row).collect();
        let floors: BTreeSet<i64> = replaced.iter().map(|(floor, _)| floor.floor_row).collect();
        trash::keep_texts(tx, self.clock, bin, (&pages, &floors.into_iter().collect::<Vec<_>>()))?;
        Ok(true)
    }

    /// Changes texts: all of them together, since a client may have replaced a word in the whole chat.
    fn edit(&self, tx: &mut dyn Tx, outcome: &Outcome) -> StoreResult<()> {
        let mut texts = Vec::new();
        for Changed { page, wanted, .. } in self.steps.edited() {
            texts.push(rows::EditedText { page_row: page.page_row, hash: wanted.text, text: self.text(wanted.text)? });
        }
        if !self.owns_bodies {
            bodies::own(tx, self.clock, &texts.iter().map(|edited| edited.page_row).collect::<Vec<_>>())?;
        }
        rows::edit_texts(tx, self.tick, &texts)?;
        outcome.edited.emit(tx, self.tick)
    }

    /// Changes speakers. A name that was left out stays, and so does what a page holds whose speaker was.
    fn speak(&self, tx: &mut dyn Tx, outcome: &Outcome) -> StoreResult<()> {
        let spoken: Vec<_> = self
            .steps
            .spoken()
            .map(|Changed { page, wanted, .. }| {
                let Speaker { role, name } = &wanted.speaker;
                let (role, name) = (role.as_deref(), name.as_deref());
                let kind = role.map(|role| kind_of(role).number());
                rows::Spoken { page_row: page.page_row, kind, role, name }
            })
            .collect();
        rows::speak(tx, self.tick, &spoken)?;
        outcome.spoken.emit(tx, self.tick)
    }

    /// Takes the swipes away that go, and chooses among those that are there. Returns the floors whose active pages are others.
    fn change_swipes(&self, tx: &mut dyn Tx, bin: &Bin) -> StoreResult<Vec<i64>> {
        let Steps { chat, plan, messages, .. } = self.steps;
        let (mut chosen, mut gone) = (Vec::new(), Vec::new());
        for (step, message) in plan.messages.iter().zip(messages) {
            let Some(stored) = step.from.map(|at| &chat.floors[at]) else { continue };
            let page = |at: usize| &stored.pages[at].id;
            let active = step.swipes.get(message.active).and_then(|swipe| swipe.from);
            chosen.extend(active.filter(|_| step.activates).map(page));
            gone.extend(step.deleted.iter().map(|&at| page(at)));
        }
        // A swipe that was chosen goes to the trash as the chosen one.
        let mut changed_floors = pages::delete_under(tx, self.clock, &gone, bin)?;
        changed_floors.extend(pages::activate_all(tx, self.clock, &chosen)?);
        Ok(changed_floors)
    }

    /// The same in runs: the swipes that go are in the item already, and are deleted in parts afterwards.
    fn take_swipes(&self, tx: &mut dyn Tx, swipes: &SwipeChanges, item: &Id) -> StoreResult<()> {
        swipes.choose(tx, self.clock)?;
        if !swipes.deleted().is_empty() {
            branches::detach_swipes(tx, self.clock, self.steps.chat.branch_row, swipes.groups(), item)?;
        }
        Ok(())
    }

    /// Emits what became of swipes, under a tick of its own.
    fn chose_swipes(&self, tx: &mut dyn Tx, outcome: &Outcome) -> StoreResult<()> {
        self.clock.advance();
        outcome.deleted.emit(tx, self.clock.tick())?;
        outcome.chosen.emit(tx, self.clock.tick())
    }

    /// Activates the new swipes of existing floors, and returns those floors.
    fn choose_new(&self, tx: &mut dyn Tx, placed: &[Placed]) -> StoreResult<Vec<i64>> {
        let Steps { plan, messages, .. } = self.steps;
        let steps = plan.messages.iter().zip(messages).zip(placed);
        let chosen = steps.filter_map(|((step, message), placed)| {
            let is_new = step.swipes.get(message.active).is_some_and(|swipe| swipe.from.is_none());
            placed.pages.get(message.active).filter(|_| step.from.is_some() && is_new)
        });
        let chosen: Vec<&Id> = chosen.collect();
        pages::activate_all(tx, self.clock, &chosen)
    }

    /// Looks again at floors whose pages are others or say something else, and at what stands right behind something that is
    /// new or was moved. What is new knows its own flag.
    fn flags(
        &self,
        tx: &mut dyn Tx,
        placed: &[Placed],
        mut edges: Vec<i64>,
        mut affected: BTreeSet<i64>,
    ) -> StoreResult<()> {
        let is_new = |step: &MessageStep| step.from.is_none() || step.moved;
        let steps = &self.steps.plan.messages;
        for (at, (step, placed)) in steps.iter().zip(placed).enumerate() {
            let ends = steps.get(at + 1).is_none_or(|next| !is_new(next));
            if step.moved || (is_new(step) && ends) {
                edges.push(placed.floor_row);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        affected.extend(around(tx, self.clock.key(), &edges)?);
        refresh(tx, self.clock, &affected)
    }
}

/// What a page holds, by who speaks.
pub fn kind(swipe: Option<&Swipe>) -> i64 {
    kind_of(swipe.and_then(|swipe| swipe.speaker.role.as_deref()).unwrap_or_default()).number()
}

/// The numbers of a message's swipes. Stored ones that get another go to `others`.
pub fn swipe_numbers(step: &MessageStep, stored: Option<&StoredFloor>, others: &mut Vec<rows::Renumbered>) -> Vec<i64> {
    let page = |at: usize| stored.map(|stored| &stored.pages[at]);
    let kept: Vec<Option<i64>> =
        step.swipes.iter().map(|swipe| Some(page(swipe.from.filter(|_| !swipe.moved)?)?.version)).collect();
    let numbers = numbers(&kept, 0);
    for (swipe, &number) in step.swipes.iter().zip(&numbers) {
        if let Some(page) = swipe.from.and_then(page)
            && page.version != number
        {
            others.push((page.page_row, number));
        }
    }
    numbers
}
