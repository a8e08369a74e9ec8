//! Restoring many floors: they are put on a hidden branch in parts first, where nobody finds them, and come back with one change of
//! each.
//!
//! Clients know the ids of what was deleted. So floors and pages on the hidden branch have a prefix before their ids that nobody can
//! guess, and no page is active in a session with promotions: what it promoted does not count yet. Variables, edits and promotions come with the last step. The
//! rows are those that the floors and pages had, so an item is on one hidden branch at most.

use super::restore::{Restored, RestoredBranch, hold, is_free, leave_to_purge, restore_rows};
use super::{TrashItem, TrashKind, get, kept_rows, load_rows, obstacles};
use crate::db::hash::hash;
use crate::events::{EventScope, PreparedEvents, detail};
use crate::story;
use crate::tree::clock;
use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use crate::tree::{hidden, separation, trash_items};
use crate::types::record::EventKind;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::limits::ID_CHARS_MAX;

/// Floors from which on they are restored in parts.
pub const LARGE: usize = 250;
/// Kept rows and bytes that are put on the hidden branch in one transaction.
const ROWS_AT_ONCE: usize = 750;
const BYTES_AT_ONCE: i64 = 512 * 1024;

/// The characters before an id on the hidden branch: some that follow from the draft, and one that says what it is.
const PREFIX: usize = 9;
/// The last of them for a page that is active when it comes back.
const ACTIVE: char = 'a';

/// An item with many floors of one branch, and how it is put on a hidden branch.
#[derive(Debug)]
pub struct LargeRestore {
    item: TrashItem,
    draft: Id,
    prefix: String,
    /// The floors that go there, and their pages.
    floors: BTreeSet<i64>,
    pages: BTreeSet<i64>,
    /// The kept rows of each part, by their numbers.
    parts: Vec<Range<i64>>,
    /// Where the session's clock stood.
    seq: i64,
    /// Whether hidden pages are active already: none of them can have promoted anything.
    are_active: bool,
    /// Whether floors of the item are on a hidden branch already.
    has_leftovers: bool,
    /// From where on it changes branches that share floors with others.
    shared: Vec<BranchPosition>,
}

/// The hidden branch, and where the session's clock stands since.
#[derive(Debug, Clone, Copy)]
pub struct HiddenFloors {
    branch_row: i64,
    pub seq: i64,
}

/// The kept rows of an item, read before the last step of its restore.
#[derive(Debug)]
pub struct KeptFloors {
    /// Taken by the first run of the last step; another one reads them again.
    rows: Mutex<Option<Vec<KeptRow>>>,
    plain: Option<PlainFloors>,
}

/// Floors and pages that come back to their places, and nothing else: all that the last step does is known before it.
#[derive(Debug)]
struct PlainFloors {
    branch: (i64, String),
    first_number: i64,
    /// In order.
    floor_ids: Vec<Id>,
    page_ids: Vec<Id>,
    events: PreparedEvents,
}

impl LargeRestore {
    pub fn session_row(&self) -> i64 {
        self.item.session_row
    }

    /// Plans how an item is restored; none if it is restored in one transaction: one with few floors, or with floors of several branches. The draft
    /// is the id of what is prepared.
    pub fn plan(tx: &mut dyn Tx, account: &Id, id: &Id, draft: &Id) -> StoreResult<Option<LargeRestore>> {
        let item = get(tx, account, id)?;
        let is_whole = item.subject.is_some() || item.kind == TrashKind::Snapshots;
        if is_whole || usize::try_from(item.floors).unwrap_or(0) < LARGE {
            return Ok(None);
        }
        let session = SessionKey::new(account, item.session_row);
        let sql = sql!("SELECT seq, has_forks FROM session WHERE account_id = ?1 AND session_row = ?2");
        let (seq, has_forks) = one(tx, sql, in_session![session], |row| Ok((row.int(0)?, row.int(1)? == 1)))?;
        let (mut floors, mut pages, mut branches) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let fits = |row: &KeptRow| Ok::<_, StoreError>(row.id()?.as_str().len() + PREFIX <= ID_CHARS_MAX);
        let kept_floors = trash_rows::of_table(tx, session, id, Table::Floor, None)?;
        // The item of a fork can have two copies of one floor, under one id.
        let (mut ids, mut page_ids) = (HashSet::new(), HashSet::new());
        for floor in &kept_floors {
            floors.insert(floor.int("floor_row")?);
            branches.insert(floor.int("branch_row")?);
            if !fits(floor)? || !ids.insert(floor.id()?) {
                return Ok(None);
            }
        }
        for page in trash_rows::of_table(tx, session, id, Table::Page, None)? {
            if floors.contains(&page.int("floor_row")?) {
                pages.insert(page.int("page_row")?);
                if !fits(&page)? || !page_ids.insert(page.id()?) {
                    return Ok(None);
                }
            }
        }
        // Rows of an older program do not say what they hang on.
        let Some(parts) = parts(tx, session, id)?.filter(|_| branches.len() == 1) else { return Ok(None) };
        let hex: String = hash(draft.as_str().as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        // Ids that are made here begin with a letter or a digit, so none of them has this prefix.
        let prefix = format!("~{}", &hex[1..]);
        let are_active = !has_promotions(tx, session, id)?;
        let has_leftovers = !obstacles::leftovers(tx, session, id)?.is_empty();
        let shared = if has_forks { obstacles::shared(tx, session, id, &kept_floors)? } else { Vec::new() };
        let draft = draft.clone();
        Ok(Some(LargeRestore { item, draft, prefix, floors, pages, parts, seq, are_active, has_leftovers, shared }))
    }

    /// Whether [`make_room`](Self::make_room) has something to do.
    pub fn needs_room(&self) -> bool {
        self.has_leftovers || !self.shared.is_empty()
    }

    /// Whether floors of the item are on a hidden branch already, which another restore of it has prepared. Then none can begin.
    pub fn has_leftovers(&self) -> bool {
        self.has_leftovers
    }

    /// Deletes what an interrupted restore of the item left, and separates lines that share floors which change. The store does both
    /// in parts; the item is planned again then.
    pub fn make_room(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<()> {
        let session = SessionKey::new(account, self.item.session_row);
        let done = clock::with_session_row(tx, session, now, |tx, clock| {
            obstacles::drop_leftovers(tx, clock, &self.item.id)?;
            self.shared.iter().try_for_each(|&place| separation::separate(tx, clock, place))
        });
        done.map(drop)
    }

    /// Makes the hidden branch; none if the session has changed.
    pub fn begin(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Option<HiddenFloors>> {
        clock::with_session_at(tx, SessionKey::new(account, self.item.session_row), self.seq, now, |tx, clock| {
            hold(tx, clock.account(), &self.item.id)?;
            let branch_row = clock.next_row();
            hidden::make_branch(tx, clock, &self.draft, branch_row)?;
            Ok(HiddenFloors { branch_row, seq: clock.seq() })
        })
    }

    /// How many transactions it takes.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Puts a part on the hidden branch; none if the session has changed: nothing comes of it then.
    pub fn put_part(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        at: HiddenFloors,
        part: usize,
        now: i64,
    ) -> StoreResult<Option<HiddenFloors>> {
        let session = SessionKey::new(account, self.item.session_row);
        let Range { start, end } = self.parts[part];
        clock::with_session_at(tx, session, at.seq, now, |tx, clock| {
            // Its rows may be purged otherwise.
            hold(tx, clock.account(), &self.item.id)?;
            let sql = kept_rows!("number >= ?4 AND number < ?5 AND table_no IN (1, 2, 3)");
            let mut rows = load_rows(tx, sql, in_session![session, &self.item.id, start, end])?;
            rows.retain(|row| self.has(row));
            for row in &mut rows {
                self.hide(row, at.branch_row)?;
            }
            // Each page that is added looks for its floor.
            tx.has_grown()?;
            trash_rows::insert(tx, session, &rows.iter().collect::<Vec<_>>())?;
            tx.has_grown()?;
            Ok(HiddenFloors { seq: clock.seq(), ..at })
        })
    }

    fn hide(&self, row: &mut KeptRow, branch_row: i64) -> StoreResult<()> {
        let mark = match row.table {
            Table::Floor => {
                row.set("branch_row", Value::Int(branch_row))?;
                row.set("variables", Value::Int(0))?;
                'f'
            }
            Table::Page => {
                let is_active = row.int("is_active")? == 1;
                if !self.are_active {
                    row.set("is_active", Value::Int(0))?;
                }
                row.set("variables", Value::Int(0))?;
                if is_active { ACTIVE } else { 'p' }
            }
            _ => return Ok(()),
        };
        let id = format!("{}{mark}{}", self.prefix, row.id()?);
        row.set("id", Value::Text(id))
    }

    /// Whether a row is on the hidden branch.
    pub(super) fn has(&self, row: &KeptRow) -> bool {
        let host = row.host().unwrap_or(trash_rows::NO_HOST);
        match row.table {
            Table::Floor => self.floors.contains(&host),
            Table::Page => self.pages.contains(&host),
            // Floors and pages of a session never have the same number.
            Table::Body => self.floors.contains(&host) || self.pages.contains(&host),
            _ => false,
        }
    }

    /// The kept rows without the texts of what is on the hidden branch.
    pub(super) fn load(&self, tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Vec<KeptRow>> {
        let mut kept = load_rows(tx, kept_rows!("table_no <> 3"), in_session![session, &self.item.id])?;
        let mut others = Vec::new();
        for page in kept.iter().filter(|row| row.table == Table::Page && !self.has(row)) {
            others.push(page.int("page_row")?);
        }
        kept.extend(trash_rows::of_hosts(tx, session, &self.item.id, Table::Body, &others)?);
        Ok(kept)
    }

    /// Lets the floors come onto a branch, with as many variables as their kept rows say. Nothing has been done if one of their ids is
    /// another's by now.
    pub(super) fn attach(
        &self,
        tx: &mut dyn Tx,
        clock: &SessionClock,
        at: HiddenFloors,
        (branch_row, kept): (i64, &[KeptRow]),
    ) -> StoreResult<()> {
        for sql in STATEMENTS.taken {
            if first(tx, sql, in_session![clock, at.branch_row], |_| Ok(()))?.is_some() {
                return Err(self.cannot_be_prepared());
            }
        }
        self.show(tx, clock, at, branch_row)?;
        for (table, sql) in [
            (
                Table::Floor,
                sql!("UPDATE floor SET variables = ?4 WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3"),
            ),
            (
                Table::Page,
                sql!("UPDATE page SET variables = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3"),
            ),
        ] {
            let mut sets = Vec::new();
            for row in kept.iter().filter(|row| row.table == table && self.has(row)) {
                let variables = row.int("variables")?;
                if variables > 0 {
                    sets.push(in_session![clock, row.host().unwrap_or(trash_rows::NO_HOST), variables].to_vec());
                }
            }
            execute_many(tx, sql, &sets)?;
        }
        Ok(())
    }

    /// Reads what the last step needs, when all parts are on the hidden branch. If the session changes before that step, nothing comes
    /// of it.
    pub fn read_kept(&self, tx: &mut dyn Tx, account: &Id) -> StoreResult<KeptFloors> {
        let session = SessionKey::new(account, self.item.session_row);
        let rows = self.load(tx, session)?;
        let plain = self.plain_floors(tx, session, &rows)?;
        let rows = Mutex::new(Some(rows).filter(|_| plain.is_none()));
        Ok(KeptFloors { rows, plain })
    }

    fn plain_floors(
        &self,
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        rows: &[KeptRow],
    ) -> StoreResult<Option<PlainFloors>> {
        let mut floors: HashMap<i64, Id> = HashMap::new();
        let (mut numbers, mut branch_row, mut pages) = (Vec::new(), None, Vec::new());
        let mut events = Vec::with_capacity(rows.len());
        for row in rows {
            let has_variables = || Ok::<_, StoreError>(row.int("variables")? > 0);
            match row.table {
                Table::BranchBase => {}
                Table::Floor if self.has(row) && !has_variables()? => {
                    let (id, floor_no) = (row.id()?, row.int("floor_no")?);
                    let detail = detail::of_floor(floor_no, stored_enum::<FloorState>(row.int("state")?)?);
                    events.push((EventKind::FloorCreated, id.clone(), detail));
                    floors.insert(row.int("floor_row")?, id);
                    numbers.push(floor_no);
                    branch_row = Some(row.int("branch_row")?);
                }
                Table::Page if self.has(row) && !has_variables()? => pages.push(row),
                _ => return Ok(None),
            }
        }
        let Some(branch_row) = branch_row else { return Ok(None) };
        if !is_free(tx, session, branch_row, &numbers)? {
            return Ok(None);
        }
        for page in &pages {
            let Some(floor) = floors.get(&page.int("floor_row")?) else { return Ok(None) };
            let is_active = page.int("is_active")? == 1;
            let detail = detail::of_page(floor, page.int("page_no")?, page.int("version")?, is_active);
            events.push((EventKind::PageCreated, page.id()?, detail));
        }
        let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let branch = one(tx, sql, in_session![session, branch_row], |row| stored_text(row.bytes(0)?))?;
        let Some(session_id) = &self.item.session else { return Ok(None) };
        let scope = EventScope::branch(session.row, session_id, branch_row, &branch);
        let listed: Vec<_> = events.iter().map(|(kind, id, detail)| (*kind, id, detail.clone())).collect();
        let events = PreparedEvents::new(&scope, &listed);
        let mut floor_ids: Vec<Id> = floors.into_values().collect();
        let mut page_ids = pages.iter().map(|page| page.id()).collect::<StoreResult<Vec<Id>>>()?;
        floor_ids.sort_unstable();
        page_ids.sort_unstable();
        let first_number = numbers.into_iter().min().unwrap_or_default();
        Ok(Some(PlainFloors { branch: (branch_row, branch), first_number, floor_ids, page_ids, events }))
    }

    /// Restores the item when all parts are on the hidden branch. Refuses with [`Refusal::ParentMoved`] if the session has changed, and
    /// with [`Refusal::IdTaken`] if an id is taken or a floor needs another number: the item is restored in one transaction then. Its rows are
    /// purged afterwards.
    pub fn finish(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        (at, kept): (HiddenFloors, &KeptFloors),
        now: i64,
    ) -> StoreResult<Restored> {
        let session = SessionKey::new(account, self.item.session_row);
        let restored = clock::with_session_at(tx, session, at.seq, now, |tx, clock| match &kept.plain {
            Some(plain) => self.put_back(tx, clock, at, plain),
            None => {
                let rows = kept.rows.lock().unwrap_or_else(PoisonError::into_inner).take();
                restore_rows(tx, clock, &self.item, Some((self, at)), rows)
            }
        })?;
        restored.ok_or_else(|| Refusal::ParentMoved.into())
    }

    /// What is on the hidden branch has ids and numbers of its own already, and some of them must change.
    pub(super) fn cannot_be_prepared(&self) -> StoreError {
        Refusal::IdTaken("floor or page", self.item.id.to_string()).into()
    }

    fn put_back(
        &self,
        tx: &mut dyn Tx,
        clock: &SessionClock,
        at: HiddenFloors,
        plain: &PlainFloors,
    ) -> StoreResult<Restored> {
        hold(tx, clock.account(), &self.item.id)?;
        if is_any_taken(tx, clock.account(), &FLOOR_IDS, &plain.floor_ids)?
            || is_any_taken(tx, clock.account(), &PAGE_IDS, &plain.page_ids)?
        {
            return Err(self.cannot_be_prepared());
        }
        separation::separate(tx, clock, (plain.branch.0, plain.first_number))?;
        self.show(tx, clock, at, plain.branch.0)?;
        plain.events.emit(tx, clock.tick())?;
        // They are many.
        story::invalidate_flags(tx, clock)?;
        leave_to_purge(tx, clock, &self.item.id)?;
        clock.mark_changed();
        let branch = RestoredBranch { id: plain.branch.1.clone(), is_new: false };
        Ok(Restored {
            session: self.item.session.clone(),
            floors: self.item.floors,
            pages: self.item.pages,
            branch: Some(branch.id.clone()),
            branches: vec![branch],
            ..Restored::default()
        })
    }

    /// Lets floors and pages come from the hidden branch, which is gone then.
    fn show(&self, tx: &mut dyn Tx, clock: &SessionClock, at: HiddenFloors, branch_row: i64) -> StoreResult<()> {
        // They are found by the rows that they are between: an index that is changed meanwhile would be gone over twice.
        let between = |rows: &BTreeSet<i64>| Some((*rows.first()?, *rows.last()?));
        if let Some((first, last)) = between(&self.pages) {
            let sql = if self.are_active { STATEMENTS.show_pages } else { STATEMENTS.activate_pages };
            tx.execute(sql, in_session![clock, first, last, self.prefix.as_str()])?;
        }
        if let Some((first, last)) = between(&self.floors) {
            let moved = in_session![clock, first, last, at.branch_row, branch_row].to_vec();
            tx.execute_unchecked(STATEMENTS.show_floors, &[moved])?;
        }
        let sql = sql!("DELETE FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        tx.execute(sql, in_session![clock, at.branch_row])?;
        trash_items::end_draft(tx, clock, &self.draft)
    }
}

/// Whether something in an item, or in its session, was promoted by a page.
fn has_promotions(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<bool> {
    let sql = sql!("SELECT 1 FROM promotion WHERE account_id = ?1 AND session_row = ?2 LIMIT 1");
    let in_session = first(tx, sql, in_session![session], |_| Ok(()))?.is_some();
    Ok(in_session || !trash_rows::of_table(tx, session, id, Table::Promotion, None)?.is_empty())
}

/// Finds an id between two others, and an id.
pub(super) struct IdStatements {
    between: Sql,
    one: Sql,
}

const FLOOR_IDS: IdStatements = IdStatements {
    between: sql!("SELECT 1 FROM floor WHERE account_id = ?1 AND id >= ?2 AND id <= ?3 LIMIT 1"),
    one: sql!("SELECT 1 FROM floor WHERE account_id = ?1 AND id = ?2"),
};
pub(super) const PAGE_IDS: IdStatements = IdStatements {
    between: sql!("SELECT 1 FROM page WHERE account_id = ?1 AND id >= ?2 AND id <= ?3 LIMIT 1"),
    one: sql!("SELECT 1 FROM page WHERE account_id = ?1 AND id = ?2"),
};

/// Ids that are looked for with one question: those that were made together are free together.
const IDS_AT_ONCE: usize = 64;

/// Whether one of these ids, which are in order, is taken.
pub(super) fn is_any_taken(tx: &mut dyn Tx, account: &Id, sql: &IdStatements, ids: &[Id]) -> StoreResult<bool> {
    let chunks: Vec<&[Id]> = ids.chunks(IDS_AT_ONCE).collect();
    let sets: Vec<_> = chunks.iter().map(|ids| params![account, &ids[0], &ids[ids.len() - 1]].to_vec()).collect();
    let found = first_of_each(tx, sql.between, &sets, |_| Ok(()))?;
    let doubtful = chunks.iter().zip(found).filter(|(_, found)| found.is_some()).flat_map(|(ids, _)| ids.iter());
    let sets: Vec<_> = doubtful.map(|id| params![account, id].to_vec()).collect();
    Ok(first_of_each(tx, sql.one, &sets, |_| Ok(()))?.iter().any(Option::is_some))
}

/// Cuts the rows of an item into parts; none if one does not say what it hangs on.
fn parts(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<Option<Vec<Range<i64>>>> {
    let sql = sql!(
        "SELECT number, LENGTH(body), CASE WHEN host_row IS NULL THEN 1 ELSE 0 END FROM trash_row
         WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no IN (1, 2, 3) ORDER BY number"
    );
    let rows = all(tx, sql, in_session![session, id], |row| Ok((row.int(0)?, row.int(1)?, row.int(2)? == 1)))?;
    if rows.iter().any(|(.., is_old)| *is_old) {
        return Ok(None);
    }
    let (mut parts, mut begin, mut count, mut bytes) = (Vec::new(), 0, 0, 0);
    for (number, length, _) in rows {
        count += 1;
        bytes += length;
        if count >= ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE {
            parts.push(begin..number + 1);
            (begin, count, bytes) = (number + 1, 0, 0);
        }
    }
    if count > 0 {
        parts.push(begin..i64::MAX);
    }
    Ok(Some(parts))
}

/// Statements that take the prefix from ids.
struct Statements {
    /// Find a floor, and a page, that has an id of what is on the hidden branch.
    taken: [Sql; 2],
    /// Show pages, and make those active that were so.
    show_pages: Sql,
    activate_pages: Sql,
    show_floors: Sql,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let id = |id: &str| format!("SUBSTR({id}, {})", PREFIX + 1);
    let (own, of_floor, of_page) = (id("id"), id("f.id"), id("p.id"));
    let hidden = "f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3";
    let floors = format!(
        "SELECT 1 FROM floor f CROSS JOIN floor o WHERE {hidden} AND o.account_id = f.account_id AND o.id = {of_floor} LIMIT 1"
    );
    let pages = format!(
        "SELECT 1 FROM floor f CROSS JOIN page p CROSS JOIN page o WHERE {hidden}
            AND p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
            AND o.account_id = p.account_id AND o.id = {of_page} LIMIT 1"
    );
    let pages_between = format!(
        "WHERE account_id = ?1 AND session_row = ?2 AND page_row >= ?3 AND page_row <= ?4
            AND SUBSTR(id, 1, {}) = ?5",
        PREFIX - 1
    );
    let show_pages = format!("UPDATE page SET id = {own} {pages_between}");
    let activate_pages = format!(
        "UPDATE page SET id = {own}, is_active = CASE WHEN SUBSTR(id, {PREFIX}, 1) = '{ACTIVE}' THEN 1 ELSE 0 END
         {pages_between}"
    );
    // The sign keeps the index of branches out.
    let show_floors = format!(
        "UPDATE floor SET id = {own}, branch_row = ?6
         WHERE account_id = ?1 AND session_row = ?2 AND floor_row >= ?3 AND floor_row <= ?4 AND +branch_row = ?5"
    );
    Statements {
        taken: [Sql::assembled(floors), Sql::assembled(pages)],
        show_pages: Sql::assembled(show_pages),
        activate_pages: Sql::assembled(activate_pages),
        show_floors: Sql::assembled(show_floors),
    }
});
