//! Doing what a plan says, in bulk: a chat of thousands of floors may change everywhere at once. Swipes are chosen and deleted
//! the way they always are, so that variables, promotions, events and flags follow as usual.

use super::added::{Added, AddedPage, Nursery, Placed, page_rows};
use super::chat::{Chat, StoredFloor, StoredPage};
use super::rows::{self, FloorRow};
use super::{FLOORS_LISTED_MAX, Look, Prepared, SyncOrder, SyncedFloor, Text, Texts, needed};
use crate::conversation::trash::{self, Bin, TrashKind, Unfinished};
use crate::conversation::turns::kind_of;
use crate::conversation::{commit, floors, pages};
use crate::db::hash::text_hash;
use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::story::{around, invalidate_flags, refresh, settings};
use crate::tree::prelude::*;
use crate::tree::trash_items;
use crate::types::record::EventKind;
use std::collections::{BTreeSet, HashMap};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, MessageStep, Plan, Speaker, Swipe, SwipeStep, numbers};

/// So many new pages are worth a word to the database.
const MANY: usize = 100;

/// A sync under way. What the plan points to is there: see [`Look`].
struct SyncWork<'a> {
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
    nursery: Option<&'a Nursery>,
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

struct Changed<'a> {
    floor: &'a StoredFloor,
    page: &'a StoredPage,
    wanted: &'a Swipe,
}

/// What a sync has made.
pub struct Performed {
    /// The first floors that are new or changed, and how many there are.
    pub floors: (Vec<SyncedFloor>, usize),
    /// What can be restored of what is gone.
    pub trash: Option<Id>,
    pub chat: Chat,
}

/// Makes the branch what the plan says. The texts that it replaces may be in an item of the trash already.
pub fn perform(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    sync: &SyncOrder,
    look: &Look,
    Prepared { draft, nursery }: Prepared<'_>,
    ids: &mut dyn Iterator<Item = Id>,
) -> StoreResult<Performed> {
    let drafted = draft.map(|draft| &draft.item);
    let Look { chat, plan, .. } = look;
    let positions = look.positions();
    if positions.last().is_some_and(|&last| last > POSITION_MAX) {
        return Err(Refusal::FloorNumbersEnd.into());
    }
    let texts = texts(tx, clock.account(), sync, chat, plan)?;
    let messages = &sync.messages;
    let work = SyncWork { clock, tick: clock.tick(), sync, chat, plan, messages, positions, texts, nursery };
    let flags = FlagWork::of(tx, clock, look)?;
    let moved: Vec<i64> = work.moved().map(|(floor, _)| floor.floor_row).collect();
    let affected = if flags == FlagWork::Around { around(tx, clock.key(), &moved)? } else { BTreeSet::new() };
    let gone: Vec<_> = plan.deleted.iter().map(|&at| (chat.floors[at].floor_row, &chat.floors[at].id)).collect();
    if !gone.is_empty() {
        clock.advance();
    }
    let item = match drafted {
        Some(item) => item.clone(),
        None => ids.next().ok_or_else(|| StoreError::Internal("no id is left".into()))?,
    };
    let bin = Bin::Trash(item.clone());
    if drafted.is_some() {
        trash_items::finish(tx, clock, &Unfinished::of(clock.session_row(), &item, TrashKind::Sync, &bin))?;
    }
    floors::delete_under(tx, clock, chat.branch_row, &gone, &bin)?;
    let is_less = !gone.is_empty() || plan.messages.iter().any(|step| !step.deleted.is_empty());
    let is_kept = drafted.is_some() || work.keep_replaced(tx, look, &bin, is_less)?;
    work.renumber(tx)?;
    let mut changed_floors = work.change(tx, &bin)?;
    let placed = work.add(tx, look, ids)?;
    changed_floors.extend(work.choose_new(tx, &placed)?);
    match flags {
        FlagWork::Around => {
            changed_floors.extend(work.edited().map(|changed| changed.floor.floor_row));
            work.flags(tx, &placed, changed_floors, affected)?;
        }
        FlagWork::Alone => refresh(tx, clock, &changed_floors.into_iter().collect())?,
        FlagWork::Later => invalidate_flags(tx, clock)?,
    }
    clock.mark_changed();
    let trash = Some(item).filter(|_| is_less || is_kept);
    Ok(Performed { floors: work.listed(&placed), trash, chat: work.chat_after(placed) })
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

impl SyncWork<'_> {
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
        rows::renumber_floors(tx, self.tick, self.chat.branch_row, &rows)?;
        let details: Vec<_> = others.iter().map(|&(_, no)| detail::of_floor(no, FloorState::Committed)).collect();
        let scope = self.scope();
        let emitted: Vec<_> = others
            .iter()
            .zip(&details)
            .map(|((floor, _), detail)| self.event(EventKind::FloorUpdated, &scope, &floor.id, detail))
            .collect();
        events::emit_all(tx, self.clock.account(), &emitted)
    }

    fn event<'b>(&self, kind: EventKind, scope: &'b EventScope, subject: &'b Id, detail: &'b str) -> NewEvent<'b> {
        NewEvent { emits: Emits::One(kind), scope, seq: self.tick.seq(), subject, variable: None, detail: Some(detail) }
    }

    /// Adds what is new, or lets it come from where it was prepared.
    fn add(&self, tx: &mut dyn Tx, look: &Look, ids: &mut dyn Iterator<Item = Id>) -> StoreResult<Vec<Placed>> {
        let made;
        let added = match self.nursery {
            Some(nursery) => &nursery.added,
            None => {
                let kind_min = settings::read(tx, self.clock.key())?.kind_min;
                let first_row = match Added::count(look) {
                    0 => 0,
                    count => self.clock.next_rows(count),
                };
                made = Added::of((self.sync, look), &self.positions, kind_min, first_row, ids)?;
                &made
            }
        };
        rows::renumber_pages(tx, self.tick, &added.versions)?;
        let mark = commit::mark(self.clock);
        let many = added.pages.len() + added.swipes.len() >= MANY;
        let text = |hash: Hash| self.text(hash);
        match self.nursery {
            Some(nursery) => nursery.attach(tx, self.clock, self.chat.branch_row)?,
            None => {
                rows::add_floors(tx, self.tick, self.chat.branch_row, &added.floors, mark)?;
                // Each page that is added looks for its floor, and what comes behind looks for pages.
                if many {
                    tx.has_grown()?;
                }
                rows::add_pages(tx, self.tick, &page_rows(self.sync, &added.pages, text)?, mark)?;
            }
        }
        rows::add_pages(tx, self.tick, &page_rows(self.sync, &added.swipes, text)?, mark)?;
        if many {
            tx.has_grown()?;
        }
        self.emit(tx, added)?;
        Ok(added.placed.clone())
    }

    fn emit(&self, tx: &mut dyn Tx, added: &Added) -> StoreResult<()> {
        let names: HashMap<i64, &Id> = added.placed.iter().map(|placed| (placed.floor_row, &placed.floor)).collect();
        let floor = |floor: &FloorRow| detail::of_floor(floor.floor_no, FloorState::Committed);
        let page = |page: &AddedPage| -> StoreResult<String> {
            let floor = names.get(&page.floor_row);
            let floor =
                floor.ok_or_else(|| StoreError::Internal("a page was put on a floor that is not there".into()))?;
            Ok(detail::of_page(floor, page.page_no, page.version, page.is_active))
        };
        let pages = || added.pages.iter().chain(&added.swipes);
        let details = added.floors.iter().map(floor).map(Ok).chain(pages().map(page));
        let details = details.collect::<StoreResult<Vec<String>>>()?;
        let scope = self.scope();
        let floors = added.floors.iter().map(|floor| (EventKind::FloorCreated, &floor.id));
        let subjects = floors.chain(pages().map(|page| (EventKind::PageCreated, &page.id)));
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

    /// Keeps the texts that others take the place of in the trash; returns whether there are any. The edit of a single message is left
    /// out: a client that syncs while a reply is written edits it many times.
    fn keep_replaced(&self, tx: &mut dyn Tx, look: &Look, bin: &Bin, is_less: bool) -> StoreResult<bool> {
        let replaced = look.replaced(self.sync);
        if replaced.is_empty() || (replaced.len() == 1 && !is_less) {
            return Ok(false);
        }
        let pages: Vec<i64> = replaced.iter().map(|(_, page)| page.page_row).collect();
        let floors: BTreeSet<i64> = replaced.iter().map(|(floor, _)| floor.floor_row).collect();
        trash::keep_texts(tx, self.clock, bin, (&pages, &floors.into_iter().collect::<Vec<_>>()))?;
        Ok(true)
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
            (&page.id, detail)
        };
        let emitted: Vec<_> = changed.map(detail).collect();
        let scope = self.scope();
        let emitted: Vec<_> =
            emitted.iter().map(|(page, detail)| self.event(EventKind::PageUpdated, &scope, page, detail)).collect();
        events::emit_all(tx, self.clock.account(), &emitted)
    }

    /// Changes texts and speakers, takes the swipes away that go, and chooses among those that are there. Returns the floors whose
    /// active pages are others or spoken by others.
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
        // A swipe that was chosen goes to the trash as the chosen one.
        let mut changed_floors = pages::delete_under(tx, self.clock, &gone, bin)?;
        changed_floors.extend(pages::activate_all(tx, self.clock, &chosen)?);
        changed_floors.extend(self.spoken().map(|changed| changed.floor.floor_row));
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

    /// The chat as it is now.
    fn chat_after(&self, placed: Vec<Placed>) -> Chat {
        let messages = self.plan.messages.iter().zip(self.messages).zip(placed).zip(&self.positions);
        let floor = |(((step, message), placed), &floor_no): (((&MessageStep, &Message), Placed), &i64)| {
            let stored = step.from.map(|at| &self.chat.floors[at]);
            let swipes = step.swipes.iter().zip(&message.swipes).zip(placed.pages).enumerate();
            let page = |(at, ((swipe, wanted), id)): (usize, ((&SwipeStep, &Swipe), Id))| {
                let page = swipe.from.zip(stored).map(|(from, stored)| &stored.pages[from]);
                StoredPage::after(page, swipe, wanted, id, at == message.active)
            };
            StoredFloor::committed(placed.floor_row, floor_no, placed.floor, swipes.map(page).collect())
        };
        let Chat { session_row, branch_row, .. } = *self.chat;
        Chat::new(session_row, branch_row, messages.map(floor).collect())
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
