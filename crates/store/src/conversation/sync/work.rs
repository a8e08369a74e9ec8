//! Doing what a plan says, in bulk: a chat of thousands of floors may change everywhere at once. Swipes are chosen and deleted
//! the way they always are, so that variables, promotions, events and flags follow as usual.

use super::chat::{Chat, StoredFloor, StoredPage};
use super::rows::{self, FloorRow, PageRow};
use super::{FLOORS_LISTED_MAX, Look, SyncOrder, SyncedFloor, Text, Texts, needed};
use crate::conversation::trash::Bin;
use crate::conversation::turns::kind_of;
use crate::conversation::{commit, floors, pages};
use crate::db::hash::text_hash;
use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::story::{around, refresh, settings};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::collections::{BTreeSet, HashMap};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, MessageStep, Plan, Speaker, Swipe, SwipeStep, numbers};

/// So many new pages are worth a word to the database.
const MANY: usize = 100;

/// A sync under way. What the plan points to is there: see [`Look`].
struct Work<'a> {
    clock: &'a SessionClock,
    /// The tick of what is new or changed. What is chosen or deleted comes later.
    tick: Tick<'a>,
    sync: &'a SyncOrder,
    chat: &'a Chat,
    plan: &'a Plan,
    messages: &'a [Message],
    /// The positions that they get.
    positions: Vec<i64>,
    texts: Texts,
}

/// Where a message ends up.
struct Placed {
    floor_row: i64,
    floor: Id,
    pages: Vec<Id>,
}

struct Changed<'a> {
    floor: &'a StoredFloor,
    page: &'a StoredPage,
    wanted: &'a Swipe,
}

/// Makes the branch what the plan says. Returns the first floors that are new or changed, and how many there are.
pub fn perform(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    sync: &SyncOrder,
    look: &Look,
    ids: &mut dyn Iterator<Item = Id>,
) -> StoreResult<(Vec<SyncedFloor>, usize)> {
    let Look { chat, plan, .. } = look;
    let positions = look.positions();
    if positions.last().is_some_and(|&last| last > POSITION_MAX) {
        return Err(Refusal::FloorNumbersEnd.into());
    }
    let texts = texts(tx, clock.account(), sync, chat, plan)?;
    let messages = &sync.messages;
    let work = Work { clock, tick: clock.tick(), sync, chat, plan, messages, positions, texts };
    let moved: Vec<i64> = work.moved().map(|(floor, _)| floor.floor_row).collect();
    let affected = around(tx, clock.key(), &moved)?;
    let gone: Vec<_> = plan.deleted.iter().map(|&at| (chat.floors[at].floor_row, &chat.floors[at].id)).collect();
    if !gone.is_empty() {
        clock.advance();
    }
    let bin = Bin::Trash(ids.next().ok_or_else(|| StoreError::Internal("no id is left".into()))?);
    floors::delete_under(tx, clock, &gone, &bin)?;
    work.renumber(tx)?;
    let mut changed_floors = work.change(tx, &bin)?;
    let placed = work.add(tx, ids)?;
    changed_floors.extend(work.choose_new(tx, &placed)?);
    work.flags(tx, &placed, changed_floors, affected)?;
    clock.mark_changed();
    Ok(work.listed(&placed))
}

/// The texts that pages will get: what came along, what other pages of the session hold, and nothing at all.
fn texts(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, chat: &Chat, plan: &Plan) -> StoreResult<Texts> {
    let (came, elsewhere): (Vec<Hash>, Vec<Hash>) =
        needed(sync, plan).into_iter().partition(|text| sync.texts.contains_key(text));
    let mut texts = HashMap::new();
    if !elsewhere.is_empty() {
        let holders = rows::holders(tx, SessionKey::new(account, chat.session_row), &elsewhere)?;
        texts = rows::texts(tx, SessionKey::new(account, chat.session_row), &holders)?;
    }
    texts.extend(came.into_iter().filter_map(|text| Some((text, sync.texts.get(&text)?.clone()))));
    texts.entry(text_hash(None)).or_insert_with(|| Text::new(""));
    Ok(texts)
}

impl Work<'_> {
    /// The floors that stand in another order, with their new positions.
    fn moved(&self) -> impl Iterator<Item = (&StoredFloor, i64)> {
        let steps = self.plan.messages.iter().zip(&self.positions);
        steps.filter(|(step, _)| step.moved).filter_map(|(step, &no)| Some((&self.chat.floors[step.from?], no)))
    }

    fn text(&self, text: Hash) -> StoreResult<&Text> {
        self.texts.get(&text).ok_or_else(|| StoreError::Internal("a text that was known is gone".into()))
    }

    fn scope(&self) -> EventScope {
        let branch_row = self.chat.branch_row;
        EventScope::branch(self.chat.session_row, &self.sync.session, branch_row, &self.sync.branch)
    }

    /// Gives floors their new positions.
    fn renumber(&self, tx: &mut dyn Tx) -> StoreResult<()> {
        let steps = self.plan.messages.iter().zip(&self.positions);
        let kept = steps.filter_map(|(step, &no)| Some((&self.chat.floors[step.from?], no)));
        let others: Vec<(&StoredFloor, i64)> = kept.filter(|(floor, no)| floor.floor_no != *no).collect();
        if others.is_empty() {
            return Ok(());
        }
        let rows: Vec<_> = others.iter().map(|(floor, no)| (floor.floor_row, *no)).collect();
        rows::renumber_floors(tx, self.tick, &rows)?;
        let details: Vec<_> =
            others.iter().map(|&(_, no)| codec::encode(&detail::of_floor(no, FloorState::Committed))).collect();
        let scope = self.scope();
        let emitted: Vec<_> = others
            .iter()
            .zip(&details)
            .map(|((floor, _), detail)| self.event(EventKind::FloorUpdated, &scope, &floor.id, detail))
            .collect();
        events::emit_all(tx, self.clock.account(), &emitted)
    }

    fn event<'b>(&self, kind: EventKind, scope: &'b EventScope, subject: &'b Id, detail: &'b [u8]) -> NewEvent<'b> {
        NewEvent { emits: Emits::One(kind), scope, seq: self.tick.seq(), subject, variable: None, detail: Some(detail) }
    }

    fn add(&self, tx: &mut dyn Tx, ids: &mut dyn Iterator<Item = Id>) -> StoreResult<Vec<Placed>> {
        let kind_min = settings::read(tx, self.clock.key())?.kind_min;
        let new_floors = self.plan.messages.iter().filter(|step| step.from.is_none()).count();
        let swipes = self.plan.messages.iter().flat_map(|step| &step.swipes);
        let new_pages = swipes.filter(|swipe| swipe.from.is_none()).count();
        let mut next_row = match i64::try_from(new_floors + new_pages).unwrap_or(i64::MAX) {
            0 => 0,
            count => self.clock.next_rows(count),
        };
        let mut fresh = || {
            next_row += 1;
            let id = ids.next().ok_or_else(|| StoreError::Internal("no id is left".into()))?;
            Ok::<_, StoreError>((next_row - 1, id))
        };
        let (mut floors, mut pages, mut placed, mut versions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((step, message), &floor_no) in self.plan.messages.iter().zip(self.messages).zip(&self.positions) {
            let stored = step.from.map(|at| &self.chat.floors[at]);
            let (floor_row, floor) = match stored {
                Some(stored) => (stored.floor_row, stored.id.clone()),
                None => {
                    let (floor_row, id) = fresh()?;
                    let broken = kind(active(message)) >= kind_min;
                    floors.push(FloorRow { floor_row, id: id.clone(), floor_no, broken });
                    (floor_row, id)
                }
            };
            let numbers = swipe_numbers(step, stored, &mut versions);
            let mut of_floor = Vec::with_capacity(step.swipes.len());
            for (at, (swipe, wanted)) in step.swipes.iter().zip(&message.swipes).enumerate() {
                let known = swipe.from.zip(stored).map(|(from, stored)| stored.pages[from].id.clone());
                if let Some(known) = known {
                    of_floor.push(known);
                    continue;
                }
                let (page_row, id) = fresh()?;
                of_floor.push(id.clone());
                pages.push(PageRow {
                    page_row,
                    id,
                    floor_row,
                    page_no: stored.and_then(|stored| stored.pages.first()).map_or(0, |page| page.page_no),
                    version: numbers[at],
                    kind: kind(Some(wanted)),
                    // A floor that is there chooses another swipe as it always does.
                    is_active: stored.is_none() && at == message.active,
                    role: wanted.speaker.role.as_deref(),
                    name: wanted.speaker.name.as_deref(),
                    hash: wanted.text,
                    text: self.text(wanted.text)?,
                });
            }
            placed.push(Placed { floor_row, floor, pages: of_floor });
        }
        rows::renumber_pages(tx, self.tick, &versions)?;
        rows::add_floors(tx, self.tick, self.chat.branch_row, &floors)?;
        let many = pages.len() >= MANY;
        // Each page that is added looks for its floor, and what comes behind looks for pages.
        if many {
            tx.has_grown()?;
        }
        rows::add_pages(tx, self.tick, &pages)?;
        let active: HashMap<i64, i64> =
            pages.iter().filter(|page| page.is_active).map(|page| (page.floor_row, page.page_row)).collect();
        let committed: Vec<_> =
            floors.iter().map(|floor| (floor.floor_row, active.get(&floor.floor_row).copied())).collect();
        commit::commit_unprocessed(tx, self.clock, &committed)?;
        if many {
            tx.has_grown()?;
        }
        self.emit(tx, &floors, &pages, &placed)?;
        Ok(placed)
    }

    fn emit(&self, tx: &mut dyn Tx, floors: &[FloorRow], pages: &[PageRow<'_>], placed: &[Placed]) -> StoreResult<()> {
        let names: HashMap<i64, &Id> = placed.iter().map(|placed| (placed.floor_row, &placed.floor)).collect();
        let floor = |floor: &FloorRow| detail::of_floor(floor.floor_no, FloorState::Committed);
        let page = |page: &PageRow<'_>| -> StoreResult<String> {
            let floor = names.get(&page.floor_row);
            let floor =
                floor.ok_or_else(|| StoreError::Internal("a page was put on a floor that is not there".into()))?;
            Ok(detail::of_page(floor, page.page_no, page.version, page.is_active))
        };
        let details = floors.iter().map(floor).map(Ok).chain(pages.iter().map(page));
        let details = details.map(|detail| Ok(codec::encode(&detail?))).collect::<StoreResult<Vec<Vec<u8>>>>()?;
        let scope = self.scope();
        let floors = floors.iter().map(|floor| (EventKind::FloorCreated, &floor.id));
        let subjects = floors.chain(pages.iter().map(|page| (EventKind::PageCreated, &page.id)));
        let emitted: Vec<_> =
            subjects.zip(&details).map(|((kind, subject), detail)| self.event(kind, &scope, subject, detail)).collect();
        events::emit_all(tx, self.clock.account(), &emitted)
    }

    /// The swipes that stay, with their floors and what they become.
    fn kept(&self) -> impl Iterator<Item = (&SwipeStep, Changed<'_>)> {
        let steps = self.plan.messages.iter().zip(self.messages);
        steps.flat_map(|(step, message)| {
            let floor = step.from.map(|at| &self.chat.floors[at]);
            step.swipes.iter().zip(&message.swipes).filter_map(move |(swipe, wanted)| {
                let floor = floor?;
                Some((swipe, Changed { floor, page: &floor.pages[swipe.from?], wanted }))
            })
        })
    }

    fn edited(&self) -> impl Iterator<Item = Changed<'_>> {
        self.kept().filter(|(swipe, _)| swipe.text).map(|(_, changed)| changed)
    }

    fn spoken(&self) -> impl Iterator<Item = Changed<'_>> {
        self.kept().filter(|(swipe, _)| swipe.speaker).map(|(_, changed)| changed)
    }

    /// Changes texts: all of them together, since a client may have replaced a word in the whole chat.
    fn edit(&self, tx: &mut dyn Tx) -> StoreResult<()> {
        let mut texts = Vec::new();
        for Changed { page, wanted, .. } in self.edited() {
            texts.push(rows::EditedText { page_row: page.page_row, hash: wanted.text, text: self.text(wanted.text)? });
        }
        rows::edit_texts(tx, self.clock, self.tick, &texts)?;
        self.emit_updated(tx, self.edited())
    }

    /// Changes speakers. A name that was left out stays, and so does what a page holds whose speaker was.
    fn speak(&self, tx: &mut dyn Tx) -> StoreResult<()> {
        let spoken: Vec<_> = self
            .spoken()
            .map(|Changed { page, wanted, .. }| {
                let Speaker { role, name } = &wanted.speaker;
                let (role, name) = (role.as_deref(), name.as_deref());
                let kind = role.map(|role| kind_of(role).number());
                rows::Spoken { page_row: page.page_row, kind, role, name }
            })
            .collect();
        rows::speak(tx, self.tick, &spoken)?;
        self.emit_updated(tx, self.spoken())
    }

    fn emit_updated<'b>(&'b self, tx: &mut dyn Tx, changed: impl Iterator<Item = Changed<'b>>) -> StoreResult<()> {
        let detail = |Changed { floor, page, .. }: Changed<'b>| {
            let detail = detail::of_page(&floor.id, page.page_no, page.version, page.is_active);
            (&page.id, codec::encode(&detail))
        };
        let emitted: Vec<_> = changed.map(detail).collect();
        let scope = self.scope();
        let emitted: Vec<_> =
            emitted.iter().map(|(page, detail)| self.event(EventKind::PageUpdated, &scope, page, detail)).collect();
        events::emit_all(tx, self.clock.account(), &emitted)
    }

    /// Changes texts and speakers, chooses among the swipes that are there, and takes those away that go. Returns the floors that it
    /// changed.
    fn change(&self, tx: &mut dyn Tx, bin: &Bin) -> StoreResult<Vec<i64>> {
        self.edit(tx)?;
        self.speak(tx)?;
        let (mut chosen, mut gone) = (Vec::new(), Vec::new());
        for (step, message) in self.plan.messages.iter().zip(self.messages) {
            let Some(stored) = step.from.map(|at| &self.chat.floors[at]) else { continue };
            let page = |at: usize| &stored.pages[at].id;
            let active = step.swipes.get(message.active).and_then(|swipe| swipe.from);
            chosen.extend(active.filter(|_| step.activates).map(page));
            gone.extend(step.deleted.iter().map(|&at| page(at)));
        }
        let mut changed_floors = pages::activate_all(tx, self.clock, &chosen)?;
        changed_floors.extend(pages::delete_under(tx, self.clock, &gone, bin)?);
        changed_floors.extend(self.edited().chain(self.spoken()).map(|changed| changed.floor.floor_row));
        Ok(changed_floors)
    }

    /// Activates the new swipes of existing floors, and returns those floors.
    fn choose_new(&self, tx: &mut dyn Tx, placed: &[Placed]) -> StoreResult<Vec<i64>> {
        let steps = self.plan.messages.iter().zip(self.messages).zip(placed);
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
        let steps = &self.plan.messages;
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

    fn listed(&self, placed: &[Placed]) -> (Vec<SyncedFloor>, usize) {
        let steps = self.plan.messages.iter().enumerate().zip(placed).zip(&self.positions);
        let changed = steps.filter(|(((_, step), _), _)| !step.is_nothing());
        let listed = changed.clone().take(FLOORS_LISTED_MAX).map(|(((index, _), placed), &floor_no)| SyncedFloor {
            index,
            floor: placed.floor.clone(),
            floor_no,
            pages: placed.pages.clone(),
        });
        (listed.collect(), changed.count())
    }
}

fn active(message: &Message) -> Option<&Swipe> {
    message.swipes.get(message.active)
}

/// What a page holds, by who speaks.
fn kind(swipe: Option<&Swipe>) -> i64 {
    kind_of(swipe.and_then(|swipe| swipe.speaker.role.as_deref()).unwrap_or_default()).number()
}

/// The numbers of a message's swipes. Stored ones that get another go to `others`.
fn swipe_numbers(step: &MessageStep, stored: Option<&StoredFloor>, others: &mut Vec<rows::Renumbered>) -> Vec<i64> {
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
