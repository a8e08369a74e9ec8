//! What comes of a sync: its answer and its events. All of it follows from the plan, so that of a large sync is computed before its
//! transaction.

use super::added::{Added, AddedPage, Nursery, Placed};
use super::chat::{StoredChat, StoredFloor, StoredPage};
use super::rows::FloorRow;
use super::{FLOORS_LISTED_MAX, Look, SyncOrder, Synced, SyncedFloor};
use crate::events::{EventScope, PreparedEvents, detail};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::collections::HashMap;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::sync::{Message, MessageStep, Plan, Swipe, SwipeStep};

/// The plan of a sync with what it is about. What the plan points to is there: see [`Look`].
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub sync: &'a SyncOrder,
    pub chat: &'a StoredChat,
    pub plan: &'a Plan,
    pub messages: &'a [Message],
    /// The positions that they get.
    pub positions: Vec<i64>,
}

/// A page that stays, with its floor and what it becomes.
pub(super) struct Changed<'a> {
    pub floor: &'a StoredFloor,
    pub page: &'a StoredPage,
    pub wanted: &'a Swipe,
}

impl<'a> Steps<'a> {
    pub fn new(sync: &'a SyncOrder, look: &'a Look) -> Steps<'a> {
        let Look { chat, plan, .. } = look;
        Steps { sync, chat, plan, messages: &sync.messages, positions: look.positions() }
    }

    /// The floors that stand in another order, with their new positions.
    pub fn moved(&self) -> impl Iterator<Item = (&'a StoredFloor, i64)> {
        let steps = self.plan.messages.iter().zip(&self.positions);
        steps.filter(|(step, _)| step.moved).filter_map(|(step, &no)| Some((&self.chat.floors[step.from?], no)))
    }

    /// The floors that get other positions, with those.
    pub fn renumbered(&self) -> impl Iterator<Item = (&'a StoredFloor, i64)> {
        let steps = self.plan.messages.iter().zip(&self.positions);
        let kept = steps.filter_map(|(step, &no)| Some((&self.chat.floors[step.from?], no)));
        kept.filter(|(floor, no)| floor.floor_no != *no)
    }

    /// The swipes that stay.
    fn kept(&self) -> impl Iterator<Item = (&'a SwipeStep, Changed<'a>)> {
        let steps = self.plan.messages.iter().zip(self.messages);
        steps.flat_map(|(step, message)| {
            let floor = step.from.map(|at| &self.chat.floors[at]);
            step.swipes.iter().zip(&message.swipes).filter_map(move |(swipe, wanted)| {
                let floor = floor?;
                Some((swipe, Changed { floor, page: &floor.pages[swipe.from?], wanted }))
            })
        })
    }

    /// Those that get another text.
    pub fn edited(&self) -> impl Iterator<Item = Changed<'a>> {
        self.kept().filter(|(swipe, _)| swipe.text).map(|(_, changed)| changed)
    }

    /// Those that get another speaker.
    pub fn spoken(&self) -> impl Iterator<Item = Changed<'a>> {
        self.kept().filter(|(swipe, _)| swipe.speaker).map(|(_, changed)| changed)
    }

    /// Events of the swipes that go.
    fn deleted_swipes(&self) -> Vec<(EventKind, &'a Id, String)> {
        let steps = self.plan.messages.iter().filter_map(|step| Some((&self.chat.floors[step.from?], step)));
        let pages = steps.flat_map(|(floor, step)| step.deleted.iter().map(move |&at| (floor, &floor.pages[at])));
        let event = |(floor, page): (&'a StoredFloor, &'a StoredPage)| {
            let detail = detail::of_page(&floor.id, page.page_no, page.version, page.is_active);
            (EventKind::PageDeleted, &page.id, detail)
        };
        pages.map(event).collect()
    }

    /// Events of the swipes that floors which stay choose.
    fn chosen_swipes(&self, added: &'a Added) -> Vec<(EventKind, &'a Id, String)> {
        let new: HashMap<&Id, i64> = added.swipes.iter().map(|page| (&page.id, page.version)).collect();
        let versions: HashMap<i64, i64> = added.versions.iter().copied().collect();
        let steps = self.plan.messages.iter().zip(self.messages).zip(&added.placed);
        let event = |((step, message), placed): ((&MessageStep, &Message), &'a Placed)| {
            let floor = &self.chat.floors[step.from?];
            let swipe = step.swipes.get(message.active)?;
            let id = placed.pages.get(message.active)?;
            let stored = swipe.from.map(|at| &floor.pages[at]);
            if stored.is_some_and(|page| page.is_active) {
                return None;
            }
            let page_no = floor.pages.first().map_or(0, |page| page.page_no);
            let version = match stored {
                Some(page) => versions.get(&page.page_row).copied().unwrap_or(page.version),
                None => *new.get(id)?,
            };
            Some((EventKind::PageActivated, id, detail::of_page(&floor.id, page_no, version, true)))
        };
        steps.filter_map(event).collect()
    }

    /// The chat as it is then.
    fn chat_after(&self, placed: &[Placed]) -> StoredChat {
        let messages = self.plan.messages.iter().zip(self.messages).zip(placed).zip(&self.positions);
        let floor = |(((step, message), placed), &floor_no): (((&MessageStep, &Message), &Placed), &i64)| {
            let stored = step.from.map(|at| &self.chat.floors[at]);
            let swipes = step.swipes.iter().zip(&message.swipes).zip(&placed.pages).enumerate();
            let page = |(at, ((swipe, wanted), id)): (usize, ((&SwipeStep, &Swipe), &Id))| {
                let page = swipe.from.zip(stored).map(|(from, stored)| &stored.pages[from]);
                StoredPage::after(page, swipe, wanted, id.clone(), at == message.active)
            };
            StoredFloor::committed(placed.floor_row, floor_no, placed.floor.clone(), swipes.map(page).collect())
        };
        let StoredChat { session_row, branch_row, .. } = *self.chat;
        StoredChat::new(session_row, branch_row, messages.map(floor).collect())
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

/// What comes of a sync.
#[derive(Debug)]
pub struct Outcome {
    /// The answer, but for the item in the trash.
    pub(super) synced: Synced,
    /// Events of floors with other positions, of pages with other texts and with other speakers, and of what is new.
    pub(super) renumbered: PreparedEvents,
    pub(super) edited: PreparedEvents,
    pub(super) spoken: PreparedEvents,
    pub(super) added: PreparedEvents,
    /// Those of swipes that are deleted, and of those that are chosen, where they change in runs.
    pub(super) deleted: PreparedEvents,
    pub(super) chosen: PreparedEvents,
}

impl Outcome {
    /// What will come of a sync whose new floors are prepared; none if rows are still to be found for some of what it adds.
    pub fn prepare(
        (sync, look): (&SyncOrder, &Look),
        nursery: Option<&Nursery>,
        swipes_in_runs: bool,
    ) -> StoreResult<Option<Outcome>> {
        let steps = Steps::new(sync, look);
        match nursery {
            Some(nursery) => Outcome::of(&steps, look, &nursery.added, swipes_in_runs).map(Some),
            None if Added::count(look) == 0 => {
                // No page is new, so it does not matter which of them are part of the story.
                let added = Added::of((sync, look), &steps.positions, 0, 0, &mut std::iter::empty())?;
                Outcome::of(&steps, look, &added, swipes_in_runs).map(Some)
            }
            None => Ok(None),
        }
    }

    pub(super) fn of(steps: &Steps<'_>, look: &Look, added: &Added, swipes_in_runs: bool) -> StoreResult<Outcome> {
        let mut synced = look.report();
        (synced.floors, synced.floors_count) = steps.listed(&added.placed);
        synced.applied = true;
        steps.chat_after(&added.placed).describe(&mut synced);
        let Steps { sync, chat, .. } = steps;
        let scope = EventScope::branch(chat.session_row, &sync.session, chat.branch_row, &sync.branch);
        let updated = |Changed { floor, page, .. }: Changed<'_>| {
            detail::of_page(&floor.id, page.page_no, page.version, page.is_active)
        };
        let renumbered: Vec<_> = steps
            .renumbered()
            .map(|(floor, no)| (EventKind::FloorUpdated, &floor.id, detail::of_floor(no, FloorState::Committed)))
            .collect();
        let edited: Vec<_> =
            steps.edited().map(|changed| (EventKind::PageUpdated, &changed.page.id, updated(changed))).collect();
        let spoken: Vec<_> =
            steps.spoken().map(|changed| (EventKind::PageUpdated, &changed.page.id, updated(changed))).collect();
        let (deleted, chosen) = match swipes_in_runs {
            true => (steps.deleted_swipes(), steps.chosen_swipes(added)),
            false => (Vec::new(), Vec::new()),
        };
        Ok(Outcome {
            synced,
            renumbered: PreparedEvents::new(&scope, &renumbered),
            edited: PreparedEvents::new(&scope, &edited),
            spoken: PreparedEvents::new(&scope, &spoken),
            added: PreparedEvents::new(&scope, &created(added)?),
            deleted: PreparedEvents::new(&scope, &deleted),
            chosen: PreparedEvents::new(&scope, &chosen),
        })
    }
}

/// Events of what is new.
fn created(added: &Added) -> StoreResult<Vec<(EventKind, &Id, String)>> {
    let names: HashMap<i64, &Id> = added.placed.iter().map(|placed| (placed.floor_row, &placed.floor)).collect();
    let floor = |floor: &FloorRow| detail::of_floor(floor.floor_no, FloorState::Committed);
    let page = |page: &AddedPage| -> StoreResult<String> {
        let floor = names.get(&page.floor_row);
        let floor = floor.ok_or_else(|| StoreError::Internal("a page was put on a floor that is not there".into()))?;
        Ok(detail::of_page(floor, page.page_no, page.version, page.is_active))
    };
    let mut events: Vec<_> = added.floors.iter().map(|new| (EventKind::FloorCreated, &new.id, floor(new))).collect();
    for new in added.pages.iter().chain(&added.swipes) {
        events.push((EventKind::PageCreated, &new.id, page(new)?));
    }
    Ok(events)
}
