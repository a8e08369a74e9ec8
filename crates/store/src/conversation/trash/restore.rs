//! Putting back what is in the trash: each part where it was, if that place is still there and free, else as a branch from the nearest
//! floor before that was on its line. A text that a sync replaced comes back as another swipe.

mod finish;
mod new_branch;
mod swipes;

use super::parts::{HiddenFloors, LargeRestore};
use super::{TrashItem, TrashKind, forget, get, load, obstacles, subjects};
use crate::story;
use crate::tree::clock::{self, Reserve};
use crate::tree::line::BranchPosition;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, KeptRow, Table, Value};
use crate::tree::{floor_numbers, separation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
        restore_rows(tx, clock, &item, None, None)
    })
}

/// Puts the rows of an item back, some of which may be on a hidden branch already, and may have been read.
pub(super) fn restore_rows(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    item: &TrashItem,
    prepared: Option<(&LargeRestore, HiddenFloors)>,
    read: Option<Vec<KeptRow>>,
) -> StoreResult<Restored> {
    let id = &item.id;
    let session = item.session.clone().ok_or_else(|| Refusal::TrashNotFound(id.clone()))?;
    hold(tx, clock.account(), id)?;
    let restored =
        Restored { session: Some(session.clone()), floors: item.floors, pages: item.pages, ..Restored::default() };
    if item.kind == TrashKind::Snapshots {
        let states = story::cleanup::restore(tx, clock, id)?;
        if states.count == 0 {
            return Err(Refusal::NothingToRestore.into());
        }
        // What other states have taken the place of stays where it can be read.
        match (states.is_whole, item.is_large()) {
            (true, true) => leave_to_purge(tx, clock, id)?,
            (true, false) => forget(tx, clock.key(), id)?,
            (false, _) => {}
        }
        let branches: Vec<RestoredBranch> =
            states.branches.into_iter().map(|id| RestoredBranch { id, is_new: false }).collect();
        let branch = branches.first().map(|branch| branch.id.clone());
        return Ok(Restored { pages: states.count, branch, branches, ..restored });
    }
    let kept = match (read, prepared) {
        (Some(kept), _) => kept,
        (None, Some((large, _))) => large.load(tx, clock.key())?,
        (None, None) => {
            obstacles::drop_leftovers(tx, clock, id)?;
            load(tx, clock.key(), id)?
        }
    };
    let mut restoring = Restoring { kept, ..Restoring::new(clock, &session, prepared) };
    let (placed, displaced) = restoring.place(tx)?;
    restoring.check_ids(tx)?;
    let rest = restoring.split_off(&displaced)?;
    let mut branches = restoring.put(tx, &placed)?;
    // Branches are made when everything else is back, since they begin with it.
    let mut rest = Restoring { kept: rest, ..Restoring::new(clock, &session, prepared) };
    let placed = rest.make_branches(tx, &displaced)?;
    branches.extend(rest.put(tx, &placed)?);
    match item.is_large() {
        true => leave_to_purge(tx, clock, id)?,
        false => forget(tx, clock.key(), id)?,
    }
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
}

/// Takes an item out of the trash whose rows are back in their tables; what was kept of them is purged in parts.
pub(super) fn leave_to_purge(tx: &mut dyn Tx, clock: &SessionClock, id: &Id) -> StoreResult<()> {
    let sql = sql!("UPDATE trash SET deleted_at = 0 WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    tx.execute(sql, in_session![clock, id]).map(drop)
}

/// Makes sure that the item is still there, and that no other request takes it meanwhile.
pub(super) fn hold(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<()> {
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
struct DisplacedFloors {
    /// By the branches that they were on.
    floors: BTreeMap<i64, BTreeSet<i64>>,
    /// What branches stood on, the nearest first.
    bases: BTreeMap<i64, Vec<BranchPosition>>,
}

struct Restoring<'a> {
    clock: &'a SessionClock,
    /// What is on a hidden branch already.
    prepared: Option<(&'a LargeRestore, HiddenFloors)>,
    session: Id,
    kept: Vec<KeptRow>,
    /// Pages that were active alone and become so again.
    chosen: Vec<Id>,
    renamed: Vec<Renamed>,
    /// Whether a whole branch comes back.
    is_branch: bool,
}

impl<'a> Restoring<'a> {
    fn new(clock: &'a SessionClock, session: &Id, prepared: Option<(&'a LargeRestore, HiddenFloors)>) -> Restoring<'a> {
        let (kept, chosen, renamed) = (Vec::new(), Vec::new(), Vec::new());
        Restoring { clock, prepared, session: session.clone(), kept, chosen, renamed, is_branch: false }
    }

    fn of(&self, table: Table) -> impl Iterator<Item = &KeptRow> {
        self.kept.iter().filter(move |row| row.table == table)
    }

    fn rows_of(&self, table: Table, column: &str) -> StoreResult<BTreeSet<i64>> {
        self.of(table).map(|row| row.int(column)).collect()
    }

    /// Decides where everything goes, and changes the rows so that they fit there.
    fn place(&mut self, tx: &mut dyn Tx) -> StoreResult<(Placed, DisplacedFloors)> {
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
            return Ok((Placed::from([(branch_row, false)]), DisplacedFloors::default()));
        }
        let mut placed = Placed::new();
        let without_floor = self.place_pages(tx, &mut placed)?;
        let floors = self.place_floors(tx, &without_floor, &mut placed)?;
        let displaced = DisplacedFloors { floors, bases: self.bases()? };
        if placed.is_empty() && displaced.floors.is_empty() {
            return Err(StoreError::Corrupt("an item of the trash holds nothing".into()));
        }
        self.kept.retain(|row| !matches!(row.table, Table::FloorOfPages | Table::ReplacedText | Table::BranchBase));
        Ok((placed, displaced))
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
    fn split_off(&mut self, displaced: &DisplacedFloors) -> StoreResult<Vec<KeptRow>> {
        let floors: BTreeSet<i64> = displaced.floors.values().flatten().copied().collect();
        let mut pages = BTreeSet::new();
        for page in self.of(Table::Page) {
            if floors.contains(&page.int("floor_row")?) {
                pages.insert(page.int("page_row")?);
            }
        }
        let (mut rest, mut kept) = (Vec::new(), Vec::new());
        for row in std::mem::take(&mut self.kept) {
            let is_displaced = match row.table {
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
                | Table::BranchBase
                | Table::DroppedAt => false,
            };
            if is_displaced { rest.push(row) } else { kept.push(row) }
        }
        self.kept = kept;
        Ok(rest)
    }

    /// Puts rows into their tables.
    fn put(&self, tx: &mut dyn Tx, placed: &Placed) -> StoreResult<Vec<RestoredBranch>> {
        if placed.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<&KeptRow> = self.kept.iter().filter(|row| !self.is_prepared(row)).collect();
        trash_rows::insert(tx, self.clock.key(), &rows)?;
        if let Some((large, at)) = self.prepared
            && let Some(floor) = self.of(Table::Floor).find(|row| large.has(row))
        {
            large.attach(tx, self.clock, at, (floor.int("branch_row")?, &self.kept))?;
        }
        self.finish(tx, placed)
    }

    fn is_prepared(&self, row: &KeptRow) -> bool {
        self.prepared.is_some_and(|(large, _)| large.has(row))
    }

    /// Makes a branch for the floors of each branch that have lost their places.
    fn make_branches(&mut self, tx: &mut dyn Tx, displaced: &DisplacedFloors) -> StoreResult<Placed> {
        let mut placed = Placed::new();
        for (branch_row, floors) in &displaced.floors {
            let bases = displaced.bases.get(branch_row).map_or(&[][..], Vec::as_slice);
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
        let mut displaced: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for floor in self.of(Table::Floor) {
            let (branch_row, floor_row) = (floor.int("branch_row")?, floor.int("floor_row")?);
            if without_floor.contains(&floor_row) {
                displaced.entry(branch_row).or_default().insert(floor_row);
                continue;
            }
            let (numbers, floors) = groups.entry(branch_row).or_default();
            numbers.push(floor.int("floor_no")?);
            floors.insert(floor_row);
        }
        for (branch_row, (numbers, floors)) in groups {
            if is_free(tx, self.clock.key(), branch_row, &numbers)? {
                let first = numbers.iter().copied().min().unwrap_or_default();
                separation::separate(tx, self.clock, (branch_row, first))?;
                placed.insert(branch_row, false);
            } else {
                displaced.entry(branch_row).or_default().extend(floors);
            }
        }
        Ok(displaced)
    }

    /// Floors and pages whose ids others have by now get others. Those of what is prepared are looked at when it is attached.
    fn check_ids(&mut self, tx: &mut dyn Tx) -> StoreResult<()> {
        let statements = [
            (Table::Floor, sql!("SELECT id FROM floor WHERE account_id = ?1 AND id = ?2")),
            (Table::Page, sql!("SELECT id FROM page WHERE account_id = ?1 AND id = ?2")),
        ];
        for (table, sql) in statements {
            let prepared = self.prepared;
            let is_meant = |row: &KeptRow| row.table == table && !prepared.is_some_and(|(large, _)| large.has(row));
            let ids =
                self.kept.iter().filter(|row| is_meant(row)).map(KeptRow::id).collect::<StoreResult<Vec<Id>>>()?;
            let sets: Vec<_> = ids.iter().map(|id| params![self.clock.account(), id].to_vec()).collect();
            let taken = first_of_each(tx, sql, &sets, |_| Ok(()))?;
            let rows = self.kept.iter_mut().filter(|row| is_meant(row)).zip(ids).zip(taken);
            // The item of a fork can have two copies of one floor, under one id.
            let mut seen = BTreeSet::new();
            for ((row, id), _) in rows.filter(|((_, id), taken)| !seen.insert(id.clone()) || taken.is_some()) {
                let other = separation::other_id(self.clock.key(), &id, self.clock.next_row())?;
                row.set("id", Value::Text(other.to_string()))?;
                self.renamed.push(Renamed { is_page: table == Table::Page, was: id, id: other });
            }
        }
        let pages = self.renamed.iter().filter(|renamed| renamed.is_page);
        let other: HashMap<&Id, &Id> = pages.map(|renamed| (&renamed.was, &renamed.id)).collect();
        for chosen in &mut self.chosen {
            if let Some(&other) = other.get(chosen) {
                *chosen = other.clone();
            }
        }
        Ok(())
    }
}

/// Whether floors can come back to a branch: it is there, and their numbers are free on it.
pub(super) fn is_free(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, numbers: &[i64]) -> StoreResult<bool> {
    Ok(has_branch(tx, session, branch_row)? && floor_numbers::are_free(tx, session, branch_row, numbers)?)
}

fn has_branch(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT 1 FROM branch WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND LENGTH(id) <= 256"
    );
    Ok(first(tx, sql, in_session![session, branch_row], |row| row.int(0))?.is_some())
}
