//! Restoring many texts that a sync replaced, and many swipes that it deleted: each comes back as another swipe of its floor, and is
//! chosen where it was.
//!
//! The pages are put on floors of a hidden branch in parts first, where nobody finds them. Replaced texts get other ids and rows, since
//! their old ones are those of the pages whose texts they were; deleted swipes have those that they had, which snapshots refer to. On
//! the hidden floor a page has the row of the floor that it goes to as its number, so the last step moves a run of pages with one statement.

mod places;

use self::places::{KeptTexts, Places, TextPage, body_bytes};
use super::parts::{PAGE_IDS, is_any_taken};
use super::restore::{Renamed, Restored, RestoredBranch, hold, leave_to_purge};
use super::{LARGE, RENAMED_LISTED_MAX, TrashItem, TrashKind, get, kept_rows, load_rows, obstacles};
use crate::conversation::floors;
use crate::conversation::pages::in_runs::{self, RowRun, Waiting};
use crate::events::{EventScope, PreparedEvents, detail};
use crate::story;
use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, Table, Value};
use crate::tree::{clock, hidden, separation, trash_items};
use crate::types::record::EventKind;
use crate::variables::promotions;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// An item with many replaced texts and deleted swipes of one branch, and how they become swipes again.
#[derive(Debug)]
pub struct LargeTexts {
    item: TrashItem,
    session: Id,
    draft: Id,
    branch: (i64, String),
    /// Those of one kind stand together.
    pages: Vec<TextPage>,
    /// Such pages each.
    parts: Vec<Range<usize>>,
    /// The rows of the pages that they take the place of.
    replaced: Vec<RowRun>,
    /// Where the session's clock stood.
    seq: i64,
    /// Whether an earlier restore left pages on a hidden branch.
    has_leftovers: bool,
    /// From where on it changes floors that other lines share.
    shared: Vec<BranchPosition>,
}

/// The rows of what is hidden, and where the session's clock stands since.
#[derive(Debug, Clone, Copy)]
pub struct HiddenTexts {
    branch_row: i64,
    pub seq: i64,
}

/// What the last step stores beside the pages.
#[derive(Debug)]
pub struct TextEvents {
    created: PreparedEvents,
    activated: PreparedEvents,
    renamed: Vec<Renamed>,
    floors: Vec<i64>,
}

impl LargeTexts {
    pub fn session_row(&self) -> i64 {
        self.item.session_row
    }

    /// Plans how an item is restored; none if it holds something else than many texts whose pages are all there and have others now.
    /// The draft is the id of what is prepared.
    pub fn plan(tx: &mut dyn Tx, account: &Id, id: &Id, draft: &Id) -> StoreResult<Option<LargeTexts>> {
        let item = get(tx, account, id)?;
        let is_meant =
            item.kind == TrashKind::Sync && item.subject.is_none() && item.floors == 0 && item.variables == 0;
        let Some(session_id) = item.session.clone().filter(|_| is_meant) else { return Ok(None) };
        if usize::try_from(item.pages).unwrap_or(0) < LARGE {
            return Ok(None);
        }
        let session = SessionKey::new(account, item.session_row);
        let sql = sql!("SELECT seq, has_forks FROM session WHERE account_id = ?1 AND session_row = ?2");
        let (seq, has_forks) = one(tx, sql, in_session![session], |row| Ok((row.int(0)?, row.int(1)? == 1)))?;
        let kept = load_rows(tx, kept_rows!("table_no <> 3"), in_session![session, id])?;
        let Some(kept) = KeptTexts::of(&kept)? else { return Ok(None) };
        if promotions::any_of_floors(tx, session, &kept.floors)? {
            return Ok(None);
        }
        let Some(bytes) = body_bytes(tx, session, id)? else { return Ok(None) };
        let Some((branch, there)) = Places::read(tx, session, &kept.floors)? else { return Ok(None) };
        let Some((mut pages, replaced)) = there.place(&kept, &bytes)? else { return Ok(None) };
        pages.sort_by_key(|page| (page.kind(), page.page_row));
        let has_leftovers = !obstacles::leftovers(tx, session, id)?.is_empty();
        let deleted = pages.iter().filter(|page| !page.is_replaced);
        let ids: BTreeSet<Id> = deleted.map(|page| page.was.clone()).collect();
        if !has_leftovers && is_any_taken(tx, account, &PAGE_IDS, &ids.into_iter().collect::<Vec<_>>())? {
            return Ok(None);
        }
        let replaced = in_runs::runs(tx, session, &replaced)?;
        let shared = if has_forks { obstacles::shared(tx, session, id, &[])? } else { Vec::new() };
        let bytes = |page: &TextPage| usize::try_from(page.bytes).unwrap_or(usize::MAX);
        let (parts, draft) = (in_runs::parts(&pages, TextPage::kind, bytes), draft.clone());
        let (item, session) = (item, session_id);
        Ok(Some(LargeTexts { item, session, draft, branch, pages, parts, replaced, seq, has_leftovers, shared }))
    }

    /// Whether [`make_room`](Self::make_room) has something to do.
    pub fn needs_room(&self) -> bool {
        self.has_leftovers || !self.shared.is_empty()
    }

    /// Deletes what an earlier restore left behind, and separates lines that share floors which change. The store does it in parts; the item
    /// is planned again then.
    pub fn make_room(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<()> {
        let session = SessionKey::new(account, self.item.session_row);
        let done = clock::with_session_row(tx, session, now, |tx, clock| {
            obstacles::drop_leftovers(tx, clock, &self.item.id)?;
            self.shared.iter().try_for_each(|&place| separation::separate(tx, clock, place))
        });
        done.map(drop)
    }

    /// Makes the hidden branch and reserves rows for its pages; none if the session has changed.
    pub fn begin(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Option<HiddenTexts>> {
        clock::with_session_at(tx, SessionKey::new(account, self.item.session_row), self.seq, now, |tx, clock| {
            let rows = 1 + self.pages.len();
            let branch_row = clock.next_rows(i64::try_from(rows).unwrap_or(i64::MAX));
            hidden::make_branch(tx, clock, &self.draft, branch_row)?;
            Ok(HiddenTexts { branch_row, seq: clock.seq() })
        })
    }

    /// How many transactions it takes.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The row that a page gets.
    fn page_row(&self, at: HiddenTexts, page: usize) -> i64 {
        match self.pages[page].is_replaced {
            true => at.branch_row + 1 + page as i64,
            false => self.pages[page].page_row,
        }
    }

    /// The id that a page gets.
    fn page_id(&self, session: SessionKey<'_>, at: HiddenTexts, page: usize) -> StoreResult<Id> {
        let TextPage { was, is_replaced, .. } = &self.pages[page];
        match is_replaced {
            true => separation::other_id(session, was, self.page_row(at, page)),
            false => Ok(was.clone()),
        }
    }

    /// Puts a part on a hidden floor; none if the session has changed: nothing comes of it then.
    pub fn put_part(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        at: HiddenTexts,
        part: usize,
        now: i64,
    ) -> StoreResult<Option<HiddenTexts>> {
        let session = SessionKey::new(account, self.item.session_row);
        clock::with_session_at(tx, session, at.seq, now, |tx, clock| {
            let floor_row = hidden::make_floor_of_swipes(tx, clock, (&self.draft, at.branch_row), part)?;
            self.check_ids(tx, clock, part)?;
            let range = self.parts[part].clone();
            let new: HashMap<i64, usize> = range.map(|page| (self.pages[page].page_row, page)).collect();
            let hosts: Vec<i64> = self.pages[self.parts[part].clone()].iter().map(|page| page.page_row).collect();
            let mut rows = Vec::new();
            for table in [Table::Page, Table::Body, Table::PageEdit] {
                rows.extend(trash_rows::of_hosts(tx, session, &self.item.id, table, &hosts)?);
            }
            for row in &mut rows {
                let host = row.host().unwrap_or(trash_rows::NO_HOST);
                let &number = new.get(&host).ok_or_else(gone)?;
                let (page, page_row) = (&self.pages[number], self.page_row(at, number));
                let column = if row.table == Table::Body { "host_row" } else { "page_row" };
                row.set(column, Value::Int(page_row))?;
                if row.table == Table::Page {
                    row.set("id", Value::Text(self.page_id(session, at, number)?.to_string()))?;
                    row.set("floor_row", Value::Int(floor_row))?;
                    row.set("page_no", Value::Int(page.floor_row))?;
                    row.set("version", Value::Int(page.version))?;
                    row.set("is_active", Value::Int(0))?;
                }
            }
            trash_rows::insert(tx, session, &rows.iter().collect::<Vec<_>>())?;
            tx.has_grown()?;
            self.mark_floors(tx, clock, part)?;
            Ok(HiddenTexts { seq: clock.seq(), ..at })
        })
    }

    /// Refuses ids that others have by now: the item is restored in one transaction then, under other ids.
    fn check_ids(&self, tx: &mut dyn Tx, clock: &SessionClock, part: usize) -> StoreResult<()> {
        let deleted = self.pages[self.parts[part].clone()].iter().filter(|page| !page.is_replaced);
        let ids: BTreeSet<Id> = deleted.map(|page| page.was.clone()).collect();
        let Some(any) = ids.first().cloned() else { return Ok(()) };
        match is_any_taken(tx, clock.account(), &PAGE_IDS, &ids.into_iter().collect::<Vec<_>>())? {
            true => Err(Refusal::IdTaken("page", any.to_string()).into()),
            false => Ok(()),
        }
    }

    /// Writes the time of the change into the floors whose text comes back. That happens before the last step, which would take a
    /// third longer with these rows in it.
    fn mark_floors(&self, tx: &mut dyn Tx, clock: &SessionClock, part: usize) -> StoreResult<()> {
        let chosen = self.pages[self.parts[part].clone()].iter().filter(|page| page.is_chosen);
        floors::mark_changed(tx, clock, &chosen.map(|page| page.floor_row).collect::<Vec<_>>())
    }

    /// What the last step stores beside the pages: it is computed before that.
    pub fn events(&self, account: &Id, at: HiddenTexts) -> StoreResult<TextEvents> {
        let session = SessionKey::new(account, self.item.session_row);
        let (mut ids, mut renamed) = (Vec::with_capacity(self.pages.len()), Vec::new());
        for (number, page) in self.pages.iter().enumerate() {
            let id = self.page_id(session, at, number)?;
            if page.is_replaced {
                renamed.push(Renamed { is_page: true, was: page.was.clone(), id: id.clone() });
            }
            ids.push(id);
        }
        let scope = EventScope::branch(session.row, &self.session, self.branch.0, &self.branch.1);
        let event = |kind, (page, id): (&TextPage, &Id), is_active| {
            (kind, id.clone(), detail::of_page(&page.floor, page.page_no, page.version, is_active))
        };
        let pages = || self.pages.iter().zip(&ids);
        let created: Vec<_> = pages().map(|page| event(EventKind::PageCreated, page, false)).collect();
        let chosen = pages().filter(|(page, _)| page.is_chosen);
        let activated: Vec<_> = chosen.map(|page| event(EventKind::PageActivated, page, true)).collect();
        let prepared = |events: Vec<(EventKind, Id, String)>| {
            let events: Vec<_> = events.iter().map(|(kind, id, detail)| (*kind, id, detail.clone())).collect();
            PreparedEvents::new(&scope, &events)
        };
        let floors: BTreeSet<i64> = self.pages.iter().map(|page| page.floor_row).collect();
        let (created, activated) = (prepared(created), prepared(activated));
        Ok(TextEvents { created, activated, renamed, floors: floors.into_iter().collect() })
    }

    /// Lets the pages come onto their floors and takes the item out of the trash; its rows are purged afterwards. Refuses with
    /// [`Refusal::ParentMoved`] if the session has changed: the item is restored in one transaction then.
    pub fn finish(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        (at, events): (HiddenTexts, &TextEvents),
        now: i64,
    ) -> StoreResult<Restored> {
        let session = SessionKey::new(account, self.item.session_row);
        let restored = clock::with_session_at(tx, session, at.seq, now, |tx, clock| {
            hold(tx, clock.account(), &self.item.id)?;
            debug_assert!(self.shared.is_empty(), "lines are separated before");
            events.created.emit(tx, clock.tick())?;
            // They are chosen under a tick of their own.
            clock.advance();
            self.show(tx, clock, at)?;
            events.activated.emit(tx, clock.tick())?;
            story::refresh_or_leave(tx, clock, &events.floors)?;
            leave_to_purge(tx, clock, &self.item.id)?;
            trash_items::end_draft(tx, clock, &self.draft)?;
            clock.mark_changed();
            Ok(self.restored(&events.renamed))
        })?;
        restored.ok_or_else(|| Refusal::ParentMoved.into())
    }

    fn show(&self, tx: &mut dyn Tx, clock: &SessionClock, at: HiddenTexts) -> StoreResult<()> {
        in_runs::toggle(tx, clock, Some(at.branch_row), &self.replaced)?;
        in_runs::show(tx, clock, &self.waiting(at))?;
        let commits = self.pages.iter().filter_map(|page| Some((page.floor_row, page.committed_seq?)));
        in_runs::move_commits(tx, clock, &commits.collect::<Vec<_>>())?;
        hidden::remove_branch(tx, clock, at.branch_row)
    }

    /// The runs of rows that the pages have.
    fn waiting(&self, at: HiddenTexts) -> Vec<Waiting> {
        let mut waiting: Vec<Waiting> = Vec::new();
        for part in &self.parts {
            let (page_no, is_active, _) = self.pages[part.start].kind();
            let begin = waiting.len();
            for row in part.clone().map(|page| self.page_row(at, page)) {
                match waiting[begin..].last_mut() {
                    Some(Waiting { rows, .. }) if *rows.end() + 1 == row => *rows = *rows.start()..=row,
                    _ => waiting.push(Waiting { rows: row..=row, page_no, is_active }),
                }
            }
        }
        waiting
    }

    fn restored(&self, renamed: &[Renamed]) -> Restored {
        let branch = RestoredBranch { id: self.branch.1.clone(), is_new: false };
        Restored {
            session: Some(self.session.clone()),
            floors: self.item.floors,
            pages: self.item.pages,
            branch: Some(branch.id.clone()),
            branches: vec![branch],
            renamed: renamed.iter().take(RENAMED_LISTED_MAX).cloned().collect(),
            renamed_count: renamed.len(),
            ..Restored::default()
        }
    }
}

fn gone() -> StoreError {
    StoreError::Contended("what was to be restored has changed".into())
}
