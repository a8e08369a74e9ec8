//! The floors and pages that a sync adds. Those of a long chat are put on a hidden branch in parts first, where nobody finds them, and
//! come onto their branch with one change of each floor. Swipes of floors that are there wait on hidden floors of it.

use super::rows::{self, FloorRow, PageRow};
use super::work::{kind, swipe_numbers};
use super::{LARGE, Look, ReadBefore, SyncOrder, Text};
use crate::conversation::commit;
use crate::conversation::pages::in_runs::{self, Waiting};
use crate::story::settings;
use crate::tree::prelude::*;
use crate::tree::{clock, hidden, trash_items};
use std::ops::Range;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::MessageStep;

/// Rows that are added, and where everything ends up.
#[derive(Debug)]
pub struct Added {
    pub floors: Vec<FloorRow>,
    /// The pages of those floors.
    pub pages: Vec<AddedPage>,
    /// New pages of floors that are there; those that become active stand together, in their rows, too.
    pub swipes: Vec<AddedPage>,
    pub placed: Vec<Placed>,
    /// Pages that are there and get other versions.
    pub versions: Vec<rows::Renumbered>,
}

/// A page that is added; its text and speaker are those of a swipe of the client's chat.
#[derive(Debug)]
pub struct AddedPage {
    pub page_row: i64,
    pub id: Id,
    pub floor_row: i64,
    pub page_no: i64,
    pub version: i64,
    pub is_active: bool,
    /// Whether it becomes the active swipe of a floor that is there.
    pub is_chosen: bool,
    message: usize,
    swipe: usize,
}

/// Where a message ends up.
#[derive(Debug, Clone)]
pub struct Placed {
    pub floor_row: i64,
    pub floor: Id,
    pub pages: Vec<Id>,
}

impl Added {
    /// How many rows there are.
    pub fn count(look: &Look) -> i64 {
        let steps = &look.plan.messages;
        let floors = steps.iter().filter(|step| step.from.is_none()).count();
        let pages = steps.iter().flat_map(|step| &step.swipes).filter(|swipe| swipe.from.is_none()).count();
        i64::try_from(floors + pages).unwrap_or(i64::MAX)
    }

    /// Numbers and names what is new. Pages of at least this kind are part of the story.
    pub fn of(
        (sync, look): (&SyncOrder, &Look),
        positions: &[i64],
        kind_min: i64,
        mut next_row: i64,
        ids: &mut dyn Iterator<Item = Id>,
    ) -> StoreResult<Added> {
        let mut fresh_id = || ids.next().ok_or_else(|| StoreError::Internal("no id is left".into()));
        let mut fresh_row = || {
            next_row += 1;
            next_row - 1
        };
        let (mut floors, mut pages, mut swipes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut placed, mut versions) = (Vec::new(), Vec::new());
        let steps = look.plan.messages.iter().zip(&sync.messages).zip(positions);
        for (number, ((step, message), &floor_no)) in steps.enumerate() {
            let stored = step.from.map(|at| &look.chat.floors[at]);
            let (floor_row, floor) = match stored {
                Some(stored) => (stored.floor_row, stored.id.clone()),
                None => {
                    let (floor_row, id) = (fresh_row(), fresh_id()?);
                    let broken = kind(message.swipes.get(message.active)) >= kind_min;
                    floors.push(FloorRow { floor_row, id: id.clone(), floor_no, broken, created_at: None });
                    (floor_row, id)
                }
            };
            let numbers = swipe_numbers(step, stored, &mut versions);
            let mut of_floor = Vec::with_capacity(step.swipes.len());
            for (at, swipe) in step.swipes.iter().enumerate() {
                let known = swipe.from.zip(stored).map(|(from, stored)| stored.pages[from].id.clone());
                if let Some(known) = known {
                    of_floor.push(known);
                    continue;
                }
                let id = fresh_id()?;
                of_floor.push(id.clone());
                let page_no = stored.and_then(|stored| stored.pages.first()).map_or(0, |page| page.page_no);
                let is_meant = at == message.active;
                // A floor that is there chooses another swipe later.
                let (is_active, is_chosen) = (is_meant && stored.is_none(), is_meant && stored.is_some());
                let page_row = if stored.is_none() { fresh_row() } else { 0 };
                let (version, message) = (numbers[at], number);
                let page =
                    AddedPage { page_row, id, floor_row, page_no, version, is_active, is_chosen, message, swipe: at };
                if stored.is_none() { pages.push(page) } else { swipes.push(page) }
            }
            placed.push(Placed { floor_row, floor, pages: of_floor });
        }
        swipes.sort_by_key(|page| page.is_chosen);
        for page in &mut swipes {
            page.page_row = fresh_row();
        }
        Ok(Added { floors, pages, swipes, placed, versions })
    }
}

/// Pages with their texts, as they are inserted.
pub fn page_rows<'a>(
    sync: &'a SyncOrder,
    pages: &'a [AddedPage],
    text: impl Fn(Hash) -> StoreResult<&'a Text>,
) -> StoreResult<Vec<PageRow<'a>>> {
    let row = |page: &'a AddedPage| {
        let wanted = &sync.messages[page.message].swipes[page.swipe];
        Ok(PageRow {
            page_row: page.page_row,
            id: page.id.clone(),
            floor_row: page.floor_row,
            page_no: page.page_no,
            version: page.version,
            kind: kind(Some(wanted)),
            is_active: page.is_active,
            role: wanted.speaker.role.as_deref(),
            name: wanted.speaker.name.as_deref(),
            hash: wanted.text,
            text: text(wanted.text)?,
            extra: None,
            created_at: None,
        })
    };
    pages.iter().map(row).collect()
}

/// Floors and bytes of texts that are put on the hidden branch in one transaction.
const FLOORS_AT_ONCE: usize = 250;
const BYTES_AT_ONCE: usize = 512 * 1024;

/// A hidden branch with the floors and swipes that a sync adds.
#[derive(Debug)]
pub struct Nursery {
    item: Id,
    branch_row: i64,
    pub added: Added,
    parts: Vec<Part>,
    /// Whether swipes of floors that are there wait here, too.
    pub has_swipes: bool,
}

/// What is put on the hidden branch in one transaction.
#[derive(Debug, Clone)]
enum Part {
    /// Floors with their pages.
    Floors(Range<usize>, Range<usize>),
    /// Swipes of floors that are there, all of which become active or none: they wait on one hidden floor.
    Swipes(Range<usize>),
}

/// What a nursery begins with: the hidden branch, the first row that is reserved, the kind of pages that are part of the story, and where
/// the session's clock stands since.
#[derive(Debug, Clone, Copy)]
pub struct NurseryRows {
    branch_row: i64,
    first_row: i64,
    kind_min: i64,
    has_swipes: bool,
    pub seq: i64,
}

impl Nursery {
    /// Makes the hidden branch for a sync that adds many floors or swipes; none for another one, or if the session has changed.
    pub fn begin(
        tx: &mut dyn Tx,
        account: &Id,
        (sync, look, read): (&SyncOrder, &Look, &ReadBefore),
        item: &Id,
        now: i64,
    ) -> StoreResult<Option<NurseryRows>> {
        let has_swipes = read.swipes.is_some();
        let new = |step: &&MessageStep| step.from.is_none();
        let floors = look.plan.messages.iter().filter(new).count();
        let kept = look.plan.messages.iter().filter(|step| !new(step));
        let swipes = kept.flat_map(|step| &step.swipes).filter(|swipe| swipe.from.is_none()).count();
        if floors + if has_swipes { swipes } else { 0 } < LARGE {
            return Ok(None);
        }
        look.is_meant(sync)?;
        if look.positions().last().is_some_and(|&last| last > POSITION_MAX) {
            return Err(Refusal::FloorNumbersEnd.into());
        }
        clock::with_session_at(tx, SessionKey::new(account, look.chat.session_row), look.seq, now, |tx, clock| {
            let (branch_row, first_row) = (clock.next_row(), clock.next_rows(Added::count(look)));
            hidden::make_branch(tx, clock, item, branch_row)?;
            let kind_min = settings::read(tx, clock.key())?.kind_min;
            Ok(NurseryRows { branch_row, first_row, kind_min, has_swipes, seq: clock.seq() })
        })
    }

    pub fn new(
        rows: NurseryRows,
        (sync, look, read): (&SyncOrder, &Look, &ReadBefore),
        item: Id,
        ids: &mut dyn Iterator<Item = Id>,
    ) -> StoreResult<Nursery> {
        let added = Added::of((sync, look), &look.positions(), rows.kind_min, rows.first_row, ids)?;
        let bytes = |page: &AddedPage| {
            let wanted = &sync.messages[page.message].swipes[page.swipe];
            sync.text(&read.texts, wanted.text).map_or(0, Text::stored_bytes)
        };
        let mut parts = parts_of_floors(&added, bytes);
        if rows.has_swipes {
            let kind = |page: &AddedPage| page.is_chosen;
            parts.extend(in_runs::parts(&added.swipes, kind, bytes).into_iter().map(Part::Swipes));
        }
        let (branch_row, has_swipes) = (rows.branch_row, rows.has_swipes);
        Ok(Nursery { item, branch_row, added, parts, has_swipes })
    }

    /// How many transactions it takes.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Adds a part; returns where the session's clock stands then. None if the session has changed: nothing comes of it then.
    pub fn add_part(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        (sync, look, read): (&SyncOrder, &Look, &ReadBefore),
        (part, seq): (usize, i64),
        now: i64,
    ) -> StoreResult<Option<i64>> {
        clock::with_session_at(tx, SessionKey::new(account, look.chat.session_row), seq, now, |tx, clock| {
            let mark = commit::mark(clock);
            let text = |hash: Hash| sync.text(&read.texts, hash);
            let pages = match self.parts[part].clone() {
                Part::Floors(floors, pages) => {
                    rows::add_floors(tx, clock.tick(), self.branch_row, &self.added.floors[floors], mark)?;
                    page_rows(sync, &self.added.pages[pages], text)?
                }
                Part::Swipes(swipes) => {
                    let floor_row = hidden::make_floor_of_swipes(tx, clock, (&self.item, self.branch_row), part)?;
                    let pages = page_rows(sync, &self.added.swipes[swipes], text)?.into_iter();
                    pages.map(|row| PageRow { floor_row, page_no: row.floor_row, ..row }).collect()
                }
            };
            // Each page that is added looks for its floor.
            tx.has_grown()?;
            rows::add_pages(tx, clock.tick(), &pages, mark)?;
            tx.has_grown()?;
            Ok(clock.seq())
        })
    }

    /// Moves the floors to their branch, and the swipes to their floors.
    pub fn attach(&self, tx: &mut dyn Tx, clock: &SessionClock, branch_row: i64) -> StoreResult<()> {
        let sql = sql!(
            "UPDATE floor SET branch_row = ?4
             WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no >= 0"
        );
        tx.execute(sql, in_session![clock, self.branch_row, branch_row])?;
        let waiting = self.parts.iter().filter_map(|part| {
            let Part::Swipes(swipes) = part else { return None };
            let (first, last) = (self.added.swipes.get(swipes.start)?, self.added.swipes.get(swipes.end - 1)?);
            Some(Waiting { rows: first.page_row..=last.page_row, page_no: first.page_no, is_active: first.is_chosen })
        });
        in_runs::show(tx, clock, &waiting.collect::<Vec<_>>())?;
        hidden::remove_branch(tx, clock, self.branch_row)?;
        trash_items::end_draft(tx, clock, &self.item)
    }
}

/// Cuts floors with their pages into parts.
fn parts_of_floors(added: &Added, bytes_of: impl Fn(&AddedPage) -> usize) -> Vec<Part> {
    let (mut parts, mut floor, mut page, mut bytes) = (Vec::new(), 0, 0, 0);
    let (mut floors_from, mut pages_from) = (0, 0);
    while floor < added.floors.len() {
        while added.pages.get(page).is_some_and(|page| page.floor_row == added.floors[floor].floor_row) {
            bytes += bytes_of(&added.pages[page]);
            page += 1;
        }
        floor += 1;
        if floor - floors_from >= FLOORS_AT_ONCE || bytes >= BYTES_AT_ONCE || floor == added.floors.len() {
            parts.push(Part::Floors(floors_from..floor, pages_from..page));
            (floors_from, pages_from, bytes) = (floor, page, 0);
        }
    }
    parts
}
