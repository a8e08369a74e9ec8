//! Putting back what is in the trash: each part where it was, if that place is still there and free, else as a branch from the nearest
//! floor before that was on its line. A text that a sync replaced comes back as another swipe.

use super::{TrashItem, TrashKind, forget, get, load, subjects};
use crate::conversation::{branches, pages};
use crate::events::{self, Emits, EventScope, NewEvent, detail};
use crate::story;
use crate::tree::clock::{self, Reserve};
use crate::tree::line::{self, BranchPosition};
use crate::tree::positions::Slot;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use crate::tree::{floor_numbers, separation};
use crate::types::record::EventKind;
use crate::variables::promotions::{self, Affected};
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_engine::floor::FloorState;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Restored {
    /// The session that it is in, or that it is.
    pub session: Option<Id>,
    /// The session, character or global snapshot that it is.
    pub subject: Option<Id>,
    /// The branch that it is on now, one that was made for it if there is one.
    pub branch: Option<String>,
    /// Whether that was made for it.
    pub is_new_branch: bool,
    pub floors: i64,
    pub pages: i64,
    /// All branches that it is on now.
    #[serde(default)]
    pub branches: Vec<RestoredBranch>,
    /// Floors and pages whose ids others had, with the ids that they have now; the first [`RENAMED_LISTED_MAX`] of them.
    #[serde(default)]
    pub renamed: Vec<Renamed>,
    #[serde(default)]
    pub renamed_count: usize,
}

/// A branch that something was restored to.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RestoredBranch {
    pub id: String,
    /// Whether it was made for what has lost its place.
    pub is_new: bool,
}

/// A floor or page that came back under another id.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Renamed {
    pub is_page: bool,
    pub was: Id,
    pub id: Id,
}

/// Renamed floors and pages that an answer lists; it counts all of them.
pub const RENAMED_LISTED_MAX: usize = 100;

/// The names that a session, character or global snapshot gets instead of those it had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Under {
    pub id: Option<Id>,
    /// Of a session.
    pub chat_file: Option<String>,
}

/// Puts an item back and takes it out of the trash.
pub fn restore(tx: &mut dyn Tx, account: &Id, id: &Id, under: &Under, now: i64) -> StoreResult<Restored> {
    let item = get(tx, account, id)?;
    if item.subject.is_some() {
        return restore_subject(tx, account, &item, under, now);
    }
    if under.id.is_some() || under.chat_file.is_some() {
        return Err(Refusal::RestoreUnnamed(item.kind.as_str()).into());
    }
    let session = item.session.clone().ok_or_else(|| Refusal::TrashNotFound(id.clone()))?;
    clock::with_session(tx, account, &session, now, Reserve::default(), |tx, clock| {
        hold(tx, account, id)?;
        let restored =
            Restored { session: Some(session.clone()), floors: item.floors, pages: item.pages, ..Restored::default() };
        if item.kind == TrashKind::Snapshots {
            let pages = story::cleanup::restore(tx, clock, id)?;
            if pages == 0 {
                return Err(Refusal::NothingToRestore.into());
            }
            // What other states have taken the place of stays where it can be read.
            if pages == item.pages {
                forget(tx, clock.key(), id)?;
            }
            return Ok(Restored { pages, ..restored });
        }
        let kept = load(tx, clock.key(), id)?;
        let mut restoring = Restoring {
            clock,
            session: session.clone(),
            kept,
            chosen: Vec::new(),
            renamed: Vec::new(),
            is_branch: false,
        };
        let (placed, homeless) = restoring.place(tx)?;
        restoring.check_ids(tx)?;
        let rest = restoring.split_off(&homeless)?;
        let mut branches = restoring.put(tx, &placed)?;
        // Branches are made when everything else is back, since they begin with it.
        let mut rest = Restoring {
            kept: rest,
            chosen: Vec::new(),
            renamed: Vec::new(),
            session: session.clone(),
            clock,
            is_branch: false,
        };
        let placed = rest.make_branches(tx, &homeless)?;
        branches.extend(rest.put(tx, &placed)?);
        forget(tx, clock.key(), id)?;
        clock.mark_changed();
        let shown = branches.iter().find(|branch| branch.is_new).or(branches.first()).cloned();
        let mut renamed = restoring.renamed;
        let renamed_count = renamed.len();
        renamed.truncate(RENAMED_LISTED_MAX);
        Ok(Restored {
            branch: shown.as_ref().map(|branch| branch.id.clone()),
            is_new_branch: shown.is_some_and(|branch| branch.is_new),
            branches,
            renamed,
            renamed_count,
            ..restored
        })
    })
}

/// Makes sure that the item is still there, and that no other request takes it meanwhile.
fn hold(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<()> {
    let sql = sql!("UPDATE trash SET kind = kind WHERE account_id = ?1 AND id = ?2 AND deleted_at > 0");
    if tx.execute(sql, params![account, id])? == 0 {
        return Err(Refusal::TrashNotFound(id.clone()).into());
    }
    Ok(())
}

fn restore_subject(tx: &mut dyn Tx, account: &Id, item: &TrashItem, under: &Under, now: i64) -> StoreResult<Restored> {
    let clock = AccountClock::of(tx, account, now)?;
    hold(tx, account, &item.id)?;
    let is_session = item.kind == TrashKind::Session;
    if under.chat_file.is_some() && !is_session {
        return Err(Refusal::RestoreWithoutChatFile(item.kind.as_str()).into());
    }
    let was = item.subject.clone().ok_or_else(|| Refusal::TrashNotFound(item.id.clone()))?;
    let subject = under.id.clone().unwrap_or_else(|| was.clone());
    // A chat that was named after its session stays so.
    let chat_file = match (&under.chat_file, &item.chat_file) {
        (Some(chat_file), _) => chat_file.clone(),
        (None, Some(chat_file)) if chat_file != was.as_str() => chat_file.clone(),
        _ => subject.to_string(),
    };
    subjects::restore(tx, &clock, item, (&subject, &chat_file))?;
    Ok(Restored {
        session: is_session.then(|| subject.clone()),
        subject: Some(subject),
        floors: item.floors,
        pages: item.pages,
        ..Restored::default()
    })
}

/// The branches that rows go to, and whether each was made for them.
type Placed = BTreeMap<i64, bool>;

/// Floors that have lost their places.
#[derive(Default)]
struct Homeless {
    /// By the branches that they were on.
    floors: BTreeMap<i64, BTreeSet<i64>>,
    /// What branches stood on, the nearest first.
    bases: BTreeMap<i64, Vec<BranchPosition>>,
}

struct Restoring<'a> {
    clock: &'a SessionClock,
    session: Id,
    kept: Vec<KeptRow>,
    /// Pages that were active alone and become so again.
    chosen: Vec<Id>,
    renamed: Vec<Renamed>,
    /// Whether a whole branch comes back.
    is_branch: bool,
}

impl Restoring<'_> {
    fn of(&self, table: Table) -> impl Iterator<Item = &KeptRow> {
        self.kept.iter().filter(move |row| row.table == table)
    }

    fn rows_of(&self, table: Table, column: &str) -> StoreResult<BTreeSet<i64>> {
        self.of(table).map(|row| row.int(column)).collect()
    }

    /// Decides where everything goes, and changes the rows so that they fit there.
    fn place(&mut self, tx: &mut dyn Tx) -> StoreResult<(Placed, Homeless)> {
        let branch = self.of(Table::Branch).next().cloned();
        if let Some(branch) = branch {
            self.is_branch = true;
            let branch_row = branch.int("branch_row")?;
            let name = branch.bytes("id")?.map(stored_text).transpose()?.unwrap_or_default();
            let name = self.free_name(tx, &name)?;
            let rename = |row: &mut KeptRow| row.set("id", Value::Bytes(name.clone().into_bytes()));
            self.kept.iter_mut().filter(|row| row.table == Table::Branch).try_for_each(rename)?;
            if self.show_shared(tx, &branch, &name)? {
                self.kept.retain(|row| row.table != Table::Branch);
            }
            self.clock.note_fork(tx)?;
            return Ok((Placed::from([(branch_row, false)]), Homeless::default()));
        }
        let mut placed = Placed::new();
        let without_floor = self.place_pages(tx, &mut placed)?;
        let floors = self.place_floors(tx, &without_floor, &mut placed)?;
        let homeless = Homeless { floors, bases: self.bases()? };
        if placed.is_empty() && homeless.floors.is_empty() {
            return Err(StoreError::Corrupt("an item of the trash holds nothing".into()));
        }
        self.kept.retain(|row| !matches!(row.table, Table::FloorOfPages | Table::ReplacedText | Table::BranchBase));
        Ok((placed, homeless))
    }

    /// Shows the row of a fork again that was left behind because it shares floors; returns whether there is one.
    fn show_shared(&self, tx: &mut dyn Tx, branch: &KeptRow, name: &str) -> StoreResult<bool> {
        let sql = sql!(
            "UPDATE branch SET id = ?4, variables = ?5 WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3"
        );
        let branch_row = branch.int("branch_row")?;
        // It may have got more of a branch that was deleted after it.
        let of_branch = |row: &&KeptRow| row.int("scope").ok() == Some(Scope::Branch.number());
        let variables = i64::try_from(self.of(Table::Variable).filter(of_branch).count()).unwrap_or(i64::MAX);
        Ok(tx.execute(sql, in_session![self.clock, branch_row, name.as_bytes(), variables])? > 0)
    }

    /// Takes the rows of floors that have lost their places away, with everything that hangs on them.
    fn split_off(&mut self, homeless: &Homeless) -> StoreResult<Vec<KeptRow>> {
        let floors: BTreeSet<i64> = homeless.floors.values().flatten().copied().collect();
        let mut pages = BTreeSet::new();
        for page in self.of(Table::Page) {
            if floors.contains(&page.int("floor_row")?) {
                pages.insert(page.int("page_row")?);
            }
        }
        let (mut rest, mut kept) = (Vec::new(), Vec::new());
        for row in std::mem::take(&mut self.kept) {
            let is_homeless = match row.table {
                Table::Floor | Table::FloorKey | Table::Page => floors.contains(&row.int("floor_row")?),
                Table::PageEdit | Table::StagedWrite | Table::Promotion => pages.contains(&row.int("page_row")?),
                Table::Body | Table::Variable | Table::History => match stored_enum::<Scope>(row.int("scope")?)? {
                    Scope::Floor => floors.contains(&row.int("host_row")?),
                    Scope::Page => pages.contains(&row.int("host_row")?),
                    Scope::Global | Scope::Chat | Scope::Branch => false,
                },
                Table::Branch
                | Table::FloorOfPages
                | Table::GlobalSnapshot
                | Table::ReplacedText
                | Table::BranchBase => false,
            };
            if is_homeless { rest.push(row) } else { kept.push(row) }
        }
        self.kept = kept;
        Ok(rest)
    }

    /// Puts rows into their tables.
    fn put(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        if placed.is_empty() {
            return Ok(Vec::new());
        }
        trash_rows::insert(tx, self.clock.key(), &self.kept)?;
        self.finish(tx, placed)
    }

    /// Makes a branch for the floors of each branch that have lost their places.
    fn make_branches(&mut self, tx: &mut dyn Tx, homeless: &Homeless) -> StoreResult<Placed> {
        let mut placed = Placed::new();
        for (branch_row, floors) in &homeless.floors {
            let bases = homeless.bases.get(branch_row).map_or(&[][..], Vec::as_slice);
            placed.insert(self.make_branch(tx, *branch_row, floors, bases)?, true);
        }
        Ok(placed)
    }

    /// What branches stood on, the nearest first.
    fn bases(&self) -> StoreResult<BTreeMap<i64, Vec<BranchPosition>>> {
        let mut bases: BTreeMap<i64, Vec<BranchPosition>> = BTreeMap::new();
        for row in self.of(Table::BranchBase) {
            let base = (row.int("base_branch_row")?, row.int("base_floor_no")?);
            bases.entry(row.int("branch_row")?).or_default().push(base);
        }
        Ok(bases)
    }

    /// Puts pages that were deleted alone back on their floors. A floor that is gone is made again from what is kept of it; returns
    /// those.
    fn place_pages(&mut self, tx: &mut dyn Tx, placed: &mut Placed) -> StoreResult<BTreeSet<i64>> {
        let whole = self.rows_of(Table::Floor, "floor_row")?;
        let floors: Vec<i64> = self.rows_of(Table::FloorOfPages, "floor_row")?.difference(&whole).copied().collect();
        let sql = sql!(
            "SELECT f.branch_row FROM floor f
             JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
             WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND LENGTH(b.id) <= 256"
        );
        let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![self.clock, floor_row].to_vec()).collect();
        let found = first_of_each(tx, sql, &sets, |row| row.int(0))?;
        let (mut there, mut copies) = (Vec::new(), BTreeMap::new());
        for (&floor_row, branch_row) in floors.iter().zip(found) {
            match branch_row {
                Some(branch_row) => {
                    there.push(floor_row);
                    placed.insert(branch_row, false);
                }
                None => {
                    copies.insert(floor_row, self.clock.next_row());
                }
            }
        }
        separation::separate_floors(tx, self.clock, &there)?;
        let mut made = BTreeSet::new();
        for row in self.kept.iter_mut().filter(|row| row.table == Table::FloorOfPages) {
            if let Some(&copy) = copies.get(&row.int("floor_row")?)
                && made.insert(copy)
            {
                row.table = Table::Floor;
                row.set("floor_row", Value::Int(copy))?;
                row.set("variables", Value::Int(0))?;
            }
        }
        for row in self.kept.iter_mut().filter(|row| row.table == Table::Page) {
            if let Some(&copy) = copies.get(&row.int("floor_row")?) {
                row.set("floor_row", Value::Int(copy))?;
            }
        }
        self.choose_known_texts(tx)?;
        self.put_beside(tx, &whole)?;
        Ok(made)
    }

    /// Puts floors back on their branches: those of a branch together, where it is there and their numbers are free. Returns the others.
    fn place_floors(
        &self,
        tx: &mut dyn Tx,
        without_floor: &BTreeSet<i64>,
        placed: &mut Placed,
    ) -> StoreResult<BTreeMap<i64, BTreeSet<i64>>> {
        let mut groups: BTreeMap<i64, (Vec<i64>, BTreeSet<i64>)> = BTreeMap::new();
        let mut homeless: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for floor in self.of(Table::Floor) {
            let (branch_row, floor_row) = (floor.int("branch_row")?, floor.int("floor_row")?);
            if without_floor.contains(&floor_row) {
                homeless.entry(branch_row).or_default().insert(floor_row);
                continue;
            }
            let (numbers, floors) = groups.entry(branch_row).or_default();
            numbers.push(floor.int("floor_no")?);
            floors.insert(floor_row);
        }
        for (branch_row, (numbers, floors)) in groups {
            if self.is_free(tx, branch_row, &numbers)? {
                let first = numbers.iter().copied().min().unwrap_or_default();
                separation::separate(tx, self.clock, (branch_row, first))?;
                placed.insert(branch_row, false);
            } else {
                homeless.entry(branch_row).or_default().extend(floors);
            }
        }
        Ok(homeless)
    }

    fn is_free(&self, tx: &mut dyn Tx, branch_row: i64, numbers: &[i64]) -> StoreResult<bool> {
        if !self.has_branch(tx, branch_row)? {
            return Ok(false);
        }
        floor_numbers::are_free(tx, self.clock.key(), branch_row, numbers)
    }

    fn has_branch(&self, tx: &mut dyn Tx, branch_row: i64) -> StoreResult<bool> {
        let sql = sql!(
            "SELECT 1 FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND LENGTH(id) <= 256"
        );
        Ok(first(tx, sql, in_session![self.clock, branch_row], |row| row.int(0))?.is_some())
    }

    /// Where a slot has a text again that a sync had replaced there, no other swipe comes back: that one is chosen.
    fn choose_known_texts(&mut self, tx: &mut dyn Tx) -> StoreResult<()> {
        let replaced = self.rows_of(Table::ReplacedText, "page_row")?;
        let mut texts = Vec::new();
        for row in self.of(Table::Page) {
            let page_row = row.int("page_row")?;
            if replaced.contains(&page_row)
                && let Some(hash) = row.bytes("text_hash")?
            {
                texts.push((
                    page_row,
                    row.int("floor_row")?,
                    row.int("page_no")?,
                    hash.to_vec(),
                    row.int("is_active")? == 1,
                ));
            }
        }
        let sql = sql!(
            "SELECT id FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4
                AND text_hash = ?5 ORDER BY version LIMIT 1"
        );
        let sets: Vec<_> = texts
            .iter()
            .map(|(_, floor_row, page_no, hash, _)| in_session![self.clock, *floor_row, *page_no, hash].to_vec())
            .collect();
        let found = first_of_each(tx, sql, &sets, |row| stored_id(row.text(0)?))?;
        let mut known = BTreeSet::new();
        for ((page_row, .., is_active), found) in texts.iter().zip(found) {
            let Some(found) = found else { continue };
            known.insert(*page_row);
            self.chosen.extend(Some(found).filter(|_| *is_active));
        }
        let is_known = |row: &KeptRow| match row.table {
            Table::Page | Table::PageEdit => row.int("page_row").is_ok_and(|page_row| known.contains(&page_row)),
            Table::Body => {
                row.int("scope").ok() == Some(Scope::Page.number())
                    && row.int("host_row").is_ok_and(|page_row| known.contains(&page_row))
            }
            _ => false,
        };
        self.kept.retain(|row| !is_known(row));
        Ok(())
    }

    /// Gives pages that go back to floors which were not deleted with them free versions. Where other pages are in their slot,
    /// none of them is active at first; where none are, one of them is.
    fn put_beside(&mut self, tx: &mut dyn Tx, whole: &BTreeSet<i64>) -> StoreResult<()> {
        let mut alone: Vec<&mut KeptRow> = Vec::new();
        for row in self.kept.iter_mut().filter(|row| row.table == Table::Page) {
            if !whole.contains(&row.int("floor_row")?) {
                alone.push(row);
            }
        }
        let slot = |row: &KeptRow| Ok::<Slot, StoreError>((row.int("floor_row")?, row.int("page_no")?));
        let slots = alone.iter().map(|row| slot(row)).collect::<StoreResult<BTreeSet<Slot>>>()?;
        let slots: Vec<Slot> = slots.into_iter().collect();
        let sql = sql!(
            "SELECT version FROM page WHERE account_id = ?1 AND session_row = ?2 AND floor_row = ?3 AND page_no = ?4"
        );
        let sets: Vec<_> = slots.iter().map(|&(floor, no)| in_session![self.clock, floor, no].to_vec()).collect();
        let mut taken: BTreeMap<Slot, BTreeSet<i64>> = BTreeMap::new();
        tx.query_many(sql, &sets, &mut |number, row| {
            taken.entry(slots[number]).or_default().insert(row.int(0)?);
            Ok(())
        })?;
        let mut without_active: BTreeSet<Slot> =
            slots.iter().filter(|slot| !taken.contains_key(slot)).copied().collect();
        for row in &alone {
            if row.int("is_active")? == 1 {
                without_active.remove(&slot(row)?);
            }
        }
        for row in alone {
            let at = slot(row)?;
            let Some(taken) = taken.get_mut(&at) else {
                if without_active.remove(&at) {
                    row.set("is_active", Value::Int(1))?;
                }
                continue;
            };
            if !taken.insert(row.int("version")?) {
                let next = taken.last().map_or(0, |last| last + 1);
                taken.insert(next);
                row.set("version", Value::Int(next))?;
            }
            if row.int("is_active")? == 1 {
                row.set("is_active", Value::Int(0))?;
                self.chosen.push(row.id()?);
            }
        }
        Ok(())
    }

    /// Puts floors on a new branch that is forked from the nearest floor before them. If their branch is gone, that is the nearest
    /// one that it stood on.
    fn make_branch(
        &mut self,
        tx: &mut dyn Tx,
        branch_row: i64,
        floors: &BTreeSet<i64>,
        bases: &[BranchPosition],
    ) -> StoreResult<i64> {
        let is_meant = |row: &KeptRow| row.int("floor_row").is_ok_and(|floor_row| floors.contains(&floor_row));
        let mut below = i64::MAX;
        for floor in self.of(Table::Floor).filter(|row| is_meant(row)) {
            below = below.min(floor.int("floor_no")?);
        }
        let source = match self.has_branch(tx, branch_row)? {
            true => self.nearest(tx, branch_row, below)?,
            false => self.nearest_base(tx, bases, below)?,
        };
        let name = self.free_name(tx, "restored")?;
        let new = branches::register(tx, self.clock, &self.session, &name, source)?;
        let mut next = source.map_or(0, |(_, floor_no)| floor_no + 1);
        let mut numbers = BTreeMap::new();
        let mut rows: Vec<&mut KeptRow> =
            self.kept.iter_mut().filter(|row| row.table == Table::Floor && is_meant(row)).collect();
        rows.sort_by_key(|row| row.int("floor_no").unwrap_or(0));
        for row in rows {
            let floor_no = row.int("floor_no")?.max(next);
            next = floor_no + 1;
            numbers.insert(row.int("floor_row")?, floor_no);
            row.set("branch_row", Value::Int(new))?;
            row.set("floor_no", Value::Int(floor_no))?;
        }
        for row in self.kept.iter_mut().filter(|row| row.table == Table::FloorKey) {
            if let Some(&floor_no) = numbers.get(&row.int("floor_row")?) {
                row.set("branch_row", Value::Int(new))?;
                row.set("floor_no", Value::Int(floor_no))?;
            }
        }
        Ok(new)
    }

    /// The nearest floor before a position among what a branch stood on. Items of an older program do not say what that was.
    fn nearest_base(
        &self,
        tx: &mut dyn Tx,
        bases: &[BranchPosition],
        below: i64,
    ) -> StoreResult<Option<branches::Source>> {
        for &(base, last) in bases {
            if self.has_branch(tx, base)? {
                return self.nearest(tx, base, below.min(last.saturating_add(1)));
            }
        }
        let main = lookup::branch(tx, self.clock.key(), &self.session, MAIN_BRANCH)?;
        self.nearest(tx, main, below)
    }

    fn nearest(&self, tx: &mut dyn Tx, branch_row: i64, below: i64) -> StoreResult<Option<branches::Source>> {
        let sql = sql!(
            "SELECT floor_row, floor_no FROM floor
             WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no <= ?4 AND state = 2
             ORDER BY floor_no DESC LIMIT 1"
        );
        for (source, last) in line::segments(tx, self.clock.key(), branch_row, below - 1)?.into_iter().rev() {
            let found = first(tx, sql, in_session![self.clock, source, last], |row| Ok((row.int(0)?, row.int(1)?)))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A name like this that no branch has.
    fn free_name(&self, tx: &mut dyn Tx, name: &str) -> StoreResult<String> {
        let mut free = name.to_owned();
        for number in 2.. {
            if lookup::find_branch(tx, self.clock.key(), &free)?.is_none() {
                break;
            }
            free = format!("{name}-{number}");
        }
        Ok(free)
    }

    /// Floors and pages whose ids others have by now get others.
    fn check_ids(&mut self, tx: &mut dyn Tx) -> StoreResult<()> {
        let statements = [
            (Table::Floor, sql!("SELECT id FROM floor WHERE account_id = ?1 AND id = ?2")),
            (Table::Page, sql!("SELECT id FROM page WHERE account_id = ?1 AND id = ?2")),
        ];
        for (table, sql) in statements {
            let ids = self.of(table).map(KeptRow::id).collect::<StoreResult<Vec<Id>>>()?;
            let sets: Vec<_> = ids.iter().map(|id| params![self.clock.account(), id].to_vec()).collect();
            let taken = first_of_each(tx, sql, &sets, |_| Ok(()))?;
            let rows = self.kept.iter_mut().filter(|row| row.table == table).zip(ids).zip(taken);
            for ((row, id), _) in rows.filter(|(_, taken)| taken.is_some()) {
                let other = separation::other_id(self.clock.key(), &id, self.clock.next_row())?;
                row.set("id", Value::Text(other.to_string()))?;
                self.chosen.iter_mut().filter(|chosen| **chosen == id).for_each(|chosen| *chosen = other.clone());
                self.renamed.push(Renamed { is_page: table == Table::Page, was: id, id: other });
            }
        }
        Ok(())
    }

    /// Makes everything agree again: counts, flags, promoted values, the active swipes; and says what is there.
    fn finish(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        let mut totals = Totals::default();
        for row in self.of(Table::Variable) {
            totals.add(stored_enum(row.int("scope")?)?, self.clock.session_row(), 1);
            totals.add_trashed(self.clock.session_row(), -1);
        }
        let mut floors = self.rows_of(Table::Page, "floor_row")?;
        floors.extend(self.rows_of(Table::Floor, "floor_row")?);
        let mut floors: Vec<i64> = floors.into_iter().collect();
        let mut affected = Affected::default();
        affected.add(self.clock, promotions::targets_of_floors(tx, self.clock.key(), &floors)?);
        affected.restore(tx, &mut totals)?;
        let branches = self.emit(tx, placed)?;
        let chosen: Vec<&Id> = self.chosen.iter().collect();
        floors.extend(pages::activate_all(tx, self.clock, &chosen)?);
        floors.sort_unstable();
        floors.dedup();
        story::refresh_changed(tx, self.clock, &floors)?;
        totals.keep(tx, self.clock.account())?;
        Ok(branches)
    }

    fn emit(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        let sql = sql!("SELECT id FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3");
        let (mut branches, mut scopes) = (Vec::new(), BTreeMap::new());
        for (&branch_row, &is_new) in placed {
            let id = one(tx, sql, in_session![self.clock, branch_row], |row| stored_text(row.bytes(0)?))?;
            let scope = EventScope::branch(self.clock.session_row(), &self.session, branch_row, &id);
            if self.is_branch {
                events::emit(tx, self.clock.tick(), EventKind::BranchCreated, &scope, &self.session, None)?;
            }
            scopes.insert(branch_row, scope);
            branches.push(RestoredBranch { id, is_new });
        }
        let mut floors = Vec::new();
        for floor in self.of(Table::Floor) {
            let state = stored_enum::<FloorState>(floor.int("state")?)?;
            let detail = codec::encode(&detail::of_floor(floor.int("floor_no")?, state));
            floors.push((floor.int("branch_row")?, floor.id()?, detail));
        }
        let (emits, seq) = (Emits::One(EventKind::FloorCreated), self.clock.seq());
        let emitted = floors.iter().filter_map(|(branch_row, subject, detail)| {
            let scope = scopes.get(branch_row)?;
            Some(NewEvent { emits, scope, seq, subject, variable: None, detail: Some(detail) })
        });
        events::emit_all(tx, self.clock.account(), &emitted.collect::<Vec<_>>())?;
        let pages = self.of(Table::Page).map(KeptRow::id).collect::<StoreResult<Vec<Id>>>()?;
        pages::emit_created(tx, self.clock, &pages.iter().collect::<Vec<_>>())?;
        Ok(branches)
    }
}
