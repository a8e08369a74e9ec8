//! Edits by hand: patches that are kept beside a page's text and applied after its commands whenever its state is computed.
//!
//! Whatever changes the edits of a page stores a version that is computed with them, so a version that is still the page's says
//! that the edits are still the same. An edit of an older program is a version without rows here; it becomes one edit when the
//! page is edited or computed again ([`of_page`] already answers with it).

use crate::db::hash::{Hash, hash};
use crate::story::archive;
use crate::story::places::{self, StoryPage};
use crate::story::recipes::{self, Recipe};
use crate::story::snapshots::{self, Pointed, Snapshot};
use crate::story::states;
use crate::story::versions::{self, Kind, MadeOf, NewVersion, TextPart};
use crate::story::{refresh_changed, settings};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::separation;
use crate::types::record::Condition;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::edit::{EditOps, NotApplied};
use tavernkeep_engine::limits::PAGE_EDITS_MAX;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::problem::{Code, Problem};

tavernkeep_engine::stored_enum! {
    /// What an edit was made for.
    EditKind {
        Edit = "edit",
        Undo = "undo",
    }
}

/// An edit of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Its place in the order in which they are applied.
    pub number: i64,
    pub id: Id,
    pub kind: EditKind,
    /// When it was made, in ms since 1970.
    pub at: i64,
    /// When it was taken back; none while it counts.
    pub taken_back_at: Option<i64>,
    pub reason: Option<String>,
    pub ops: EditOps,
}

impl Edit {
    pub fn counts(&self) -> bool {
        self.taken_back_at.is_none()
    }
}

/// All edits of a page, in order, those that were taken back included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageEdits {
    pub edits: Vec<Edit>,
    /// Whether the only one of them is that of an older program and is not stored yet.
    pub is_old: bool,
}

impl PageEdits {
    /// The fingerprint of those that count.
    pub fn hash(&self) -> Option<Hash> {
        hash_of(&self.edits)
    }

    pub fn has_any(&self) -> bool {
        self.edits.iter().any(Edit::counts)
    }

    /// The number of the next one.
    pub fn next_number(&self) -> i64 {
        self.edits.last().map_or(1, |edit| edit.number + 1)
    }
}

fn hash_of(edits: &[Edit]) -> Option<Hash> {
    let ids: Vec<&str> = edits.iter().filter(|edit| edit.counts()).map(|edit| edit.id.as_str()).collect();
    hash_of_ids(&ids)
}

fn hash_of_ids(ids: &[&str]) -> Option<Hash> {
    (!ids.is_empty()).then(|| hash(ids.join(" ").as_bytes()))
}

/// What edits did with the state that a page's text leads to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AppliedEdits {
    pub hash: Option<Hash>,
    /// When the last of them was made.
    pub at: Option<i64>,
    pub ops: Vec<Op>,
    pub problems: Vec<EditProblem>,
}

/// An op of an edit that found no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditProblem {
    pub edit: Id,
    pub op: usize,
    pub message: String,
}

impl EditProblem {
    /// As a problem of a page's text, behind its end.
    pub fn at(&self, end: usize) -> Problem {
        let message = format!("op {} of edit '{}' was not applied: {}", self.op, self.edit, self.message);
        Problem { code: Code::EditNotApplied, span: end..end, message }
    }
}

impl AppliedEdits {
    /// Applies the edits that count.
    pub fn apply(edits: &[Edit], document: &mut Value) -> AppliedEdits {
        let mut all = AppliedEdits { hash: hash_of(edits), ..AppliedEdits::default() };
        for edit in edits.iter().filter(|edit| edit.counts()) {
            let applied = edit.ops.apply(document);
            all.at = Some(edit.at);
            all.ops.extend(applied.ops);
            let problem = |NotApplied { index: op, message }| EditProblem { edit: edit.id.clone(), op, message };
            all.problems.extend(applied.problems.into_iter().map(problem));
        }
        all
    }

    pub(crate) fn stored_problems(&self) -> Option<Vec<u8>> {
        let problem = |problem: &EditProblem| {
            let op = Value::from(i64::try_from(problem.op).unwrap_or(i64::MAX));
            [Value::from(problem.edit.as_str()), op, Value::from(problem.message.as_str())]
                .into_iter()
                .collect::<Value>()
        };
        let all = self.problems.iter().map(problem).collect::<Value>();
        (!self.problems.is_empty()).then(|| codec::encode(&all.to_json()))
    }
}

pub(crate) fn read_problems(stored: &str) -> Option<Vec<EditProblem>> {
    let read = |problem: &Value| {
        Some(EditProblem {
            edit: problem.item(0)?.as_str()?.parse().ok()?,
            op: usize::try_from(problem.item(1)?.as_number()?.as_i64()?).ok()?,
            message: problem.item(2)?.as_str()?.to_owned(),
        })
    };
    Value::from_normalised(stored)?.items().iter().map(read).collect()
}

fn stored(tx: &mut dyn Tx, session: SessionKey<'_>, page_row: i64) -> StoreResult<Vec<Edit>> {
    let sql = sql!(
        "SELECT number, id, kind, created_at, taken_back_at, reason, ops FROM page_edit
         WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 ORDER BY number"
    );
    all(tx, sql, in_session![session, page_row], |row| {
        let ops = codec::with_text(row.bytes(6)?, EditOps::from_stored)?;
        Ok(Edit {
            number: row.int(0)?,
            id: stored_id(row.text(1)?)?,
            kind: stored_enum(row.int(2)?)?,
            at: row.int(3)?,
            taken_back_at: row.int_or_null(4)?,
            reason: row.bytes_or_null(5)?.map(stored_text).transpose()?,
            ops: ops.map_err(|error| StoreError::Corrupt(error.to_string()))?,
        })
    })
}

/// The edits that a page's state is computed with.
pub(crate) fn of_page(tx: &mut dyn Tx, session: SessionKey<'_>, page: &StoryPage) -> StoreResult<PageEdits> {
    if page.edits_hash.is_some() {
        return Ok(PageEdits { edits: stored(tx, session, page.page_row)?, is_old: false });
    }
    match &page.pointer {
        Some(pointer) if pointer.made_of.is_old_edit() => {
            let edits = vec![old_edit(tx, session, &pointer.made_of)?];
            Ok(PageEdits { edits, is_old: true })
        }
        _ => Ok(PageEdits::default()),
    }
}

/// All edits of a page, also of one whose edits were all taken back.
pub fn list(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Vec<Edit>> {
    let sql = sql!(
        "SELECT p.session_row, p.page_row FROM page p
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN session s ON s.account_id = p.account_id AND s.session_row = p.session_row
         WHERE p.account_id = ?1 AND p.id = ?2 AND s.deleted_at IS NULL AND f.floor_no >= 0"
    );
    let found = first(tx, sql, params![account, page], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let (session_row, page_row) = found.ok_or_else(|| Refusal::PageNotFound(page.clone()))?;
    all_of(tx, SessionKey::new(account, session_row), page_row).map(|all| all.edits)
}

/// Whether the edits of a page rest: it has no state of its own now that they could count for.
pub fn rest(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<bool> {
    Ok(states::of_page(tx, account, page)?.asked.is_some())
}

/// The snapshot that is kept with a page whose edits rest.
pub fn resting_snapshot(tx: &mut dyn Tx, account: &Id, page: &Id) -> StoreResult<Option<Id>> {
    if !rest(tx, account, page)? {
        return Ok(None);
    }
    let sql = sql!(
        "SELECT n.id FROM page p
         JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
         WHERE p.account_id = ?1 AND p.id = ?2"
    );
    first(tx, sql, params![account, page], |row| stored_id(row.text(0)?))
}

fn all_of(tx: &mut dyn Tx, session: SessionKey<'_>, page_row: i64) -> StoreResult<PageEdits> {
    let edits = stored(tx, session, page_row)?;
    if !edits.is_empty() {
        return Ok(PageEdits { edits, is_old: false });
    }
    match places::of_page(tx, session, page_row)? {
        Some(page) => of_page(tx, session, &page),
        None => Ok(PageEdits::default()),
    }
}

/// An edit of an older program as an edit. It says what became of the state that its text had led to, if that is the state of
/// the text and of the page before that it counts for; otherwise it says all of its state.
fn old_edit(tx: &mut dyn Tx, session: SessionKey<'_>, edited: &MadeOf) -> StoreResult<Edit> {
    let document = versions::load(tx, session, edited.version_row)?.document;
    let start = versions::start_of_old_edits(tx, session, edited)?;
    let ops = match start.filter(|start| start.base_row == edited.base_row && start.text_hash == edited.text_hash) {
        Some(start) => {
            let before = versions::load(tx, session, start.version_row)?.document;
            EditOps::of(&before, &differences(&before, &document))
        }
        None => EditOps::whole(&document),
    };
    let id = stored_id(&format!("edit-{}", edited.version_row))?;
    Ok(Edit { number: 1, id, kind: EditKind::Edit, at: edited.made_at(), taken_back_at: None, reason: None, ops })
}

/// Stores edits of a page that are new or were taken back, and what all of them come to.
pub(crate) fn write(tx: &mut dyn Tx, clock: &SessionClock, page_row: i64, edits: &[Edit]) -> StoreResult<()> {
    let Some(last) = edits.last() else { return Ok(()) };
    let sql = sql!(
        "INSERT INTO page_edit (account_id, session_row, page_row, number, id, kind, created_at, taken_back_at, reason, ops)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (account_id, session_row, page_row, number) DO UPDATE SET taken_back_at = excluded.taken_back_at"
    );
    for edit in edits {
        let ops = codec::encode(&edit.ops.to_stored());
        let reason = edit.reason.as_ref().map(String::as_bytes);
        let row = in_session![
            clock,
            page_row,
            edit.number,
            &edit.id,
            edit.kind.number(),
            edit.at,
            edit.taken_back_at,
            reason,
            &ops
        ];
        tx.execute(sql, row)?;
    }
    // Edits that were taken back are there to be read and to come back, not for ever.
    let sql = sql!(
        "DELETE FROM page_edit WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3 AND number < ?4
            AND taken_back_at IS NOT NULL"
    );
    tx.execute(sql, in_session![clock, page_row, last.number - PAGE_EDITS_MAX])?;
    let hash = hash_of(&stored(tx, clock.key(), page_row)?);
    let sql = sql!("UPDATE page SET edits_hash = ?4 WHERE account_id = ?1 AND session_row = ?2 AND page_row = ?3");
    tx.execute(sql, in_session![clock, page_row, hash.as_ref().map(Hash::as_slice)]).map(drop)
}

/// How many pages of a session do not have the fingerprint of their edits.
pub fn wrong_hashes(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<i64> {
    let sql = sql!(
        "SELECT p.page_row, p.edits_hash, e.id FROM page p
         LEFT JOIN page_edit e ON e.account_id = p.account_id AND e.session_row = p.session_row AND e.page_row = p.page_row
            AND e.taken_back_at IS NULL
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND (p.edits_hash IS NOT NULL OR e.id IS NOT NULL)
            AND LENGTH(b.id) <= 256
         ORDER BY p.page_row, e.number"
    );
    let mut pages: Vec<(i64, Option<Vec<u8>>, Vec<String>)> = Vec::new();
    tx.query(sql, in_session![session], &mut |row| {
        let page_row = row.int(0)?;
        if pages.last().is_none_or(|(last, ..)| *last != page_row) {
            pages.push((page_row, row.bytes_or_null(1)?.map(<[u8]>::to_vec), Vec::new()));
        }
        if let (Some((.., ids)), Some(id)) = (pages.last_mut(), row.text_or_null(2)?) {
            ids.push(id.to_owned());
        }
        Ok(())
    })?;
    let is_wrong = |(_, stored, ids): &&(i64, Option<Vec<u8>>, Vec<String>)| {
        let wanted = hash_of_ids(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        stored.as_deref() != wanted.as_ref().map(Hash::as_slice)
    };
    Ok(pages.iter().filter(is_wrong).count() as i64)
}

/// Stores the edits of older programs of pages whose versions are about to be forgotten.
pub(crate) fn keep_old(tx: &mut dyn Tx, clock: &SessionClock, pages: &[i64]) -> StoreResult<()> {
    for &page_row in pages {
        let PageEdits { edits, is_old } = all_of(tx, clock.key(), page_row)?;
        if is_old {
            write(tx, clock, page_row, &edits)?;
        }
    }
    Ok(())
}

/// A state that is to be edited: what its page's text led to, and the edits since.
#[derive(Debug, Clone)]
pub struct Editable {
    pub snapshot: Snapshot,
    /// Whether the stored document is the page's state: an edit of a stale one counts for another.
    pub is_fresh: bool,
    /// What the text's part was made of.
    pub made_of: MadeOf,
    pub text: TextPart,
    /// Where the document without the edits is found.
    pub unedited: Unedited,
    pub edits: PageEdits,
    pub recipe: Recipe,
}

/// A document without its edits.
#[derive(Debug, Clone)]
pub enum Unedited {
    /// The present one without these ops.
    Without(Vec<Op>),
    /// That of a version.
    Version(i64),
}

/// Finds the snapshot that is to be changed and what it is made of now. Edits that rest can be taken back and no others made.
pub fn prepare(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    condition: Condition,
    takes_back: bool,
) -> StoreResult<Editable> {
    let snapshot = snapshots::get(tx, account, id)?;
    check(&snapshot, condition)?;
    let Some(page) = &snapshot.page else {
        // The edits of a page are in the trash with it, so this one would be lost when the page comes back.
        return Err(Refusal::SnapshotOfDeletedPage(id.clone()).into());
    };
    // A page that became a person's shows the state before it, whatever is stored with it.
    let state = states::of_page(tx, account, page)?;
    if state.inherited && !takes_back {
        return Err(Refusal::PageWithoutState(page.clone()).into());
    }
    let session = SessionKey::new(account, snapshot.session_row);
    let mut made_of = versions::made_of(tx, session, snapshot.version_row)?;
    let edits = all_of(tx, session, snapshot.page_row)?;
    let start = if edits.is_old { versions::start_of_old_edits(tx, session, &made_of)? } else { None };
    let (text, unedited) = match start {
        Some(start) => {
            made_of = start;
            let (text, edited) = versions::text_part(tx, session, &made_of)?;
            debug_assert!(edited.is_empty(), "the start of old edits has none itself");
            (text, Unedited::Version(made_of.version_row))
        }
        None if !edits.is_old => {
            let (text, edited) = versions::text_part(tx, session, &made_of)?;
            (text, Unedited::Without(edited))
        }
        // An old edit whose start is not known any more.
        None => {
            let since = versions::load(tx, session, snapshot.version_row)?.since;
            (TextPart::behind(snapshot.version_row, since), Unedited::Without(Vec::new()))
        }
    };
    let recipe = match recipes::get(tx, session, &made_of.recipe_hash)? {
        Some(recipe) => recipe,
        None => settings::read(tx, session)?.recipe,
    };
    Ok(Editable { snapshot, is_fresh: state.stale.is_none(), made_of, text, unedited, edits, recipe })
}

/// Refuses where the snapshot is not what the caller expects.
pub(crate) fn check(snapshot: &Snapshot, condition: Condition) -> StoreResult<()> {
    let holds = match condition {
        Condition::None | Condition::Exists => true,
        Condition::Absent => false,
        Condition::Revision(version_row) => snapshot.version_row == version_row,
    };
    if holds { Ok(()) } else { Err(Refusal::SnapshotMoved.into()) }
}

/// Stores edits of a page that are new or were taken back, and the version that is computed with all of them. Refuses with
/// [`Refusal::ParentMoved`] if the snapshot points elsewhere now.
pub fn store(
    tx: &mut dyn Tx,
    account: &Id,
    editable: &Editable,
    edits: &[Edit],
    version: &NewVersion,
    now: i64,
) -> StoreResult<Snapshot> {
    let id = &editable.snapshot.id;
    let session = SessionKey::new(account, editable.snapshot.session_row);
    let stored = clock::with_session_row(tx, session, now, |tx, clock| {
        let snapshot = snapshots::get(tx, account, id)?;
        // The caller looks again, and finds a page that is gone.
        if snapshot.version_row != editable.snapshot.version_row || snapshot.page.is_none() {
            return Err(Refusal::ParentMoved.into());
        }
        separation::separate_pages(tx, clock, &[snapshot.page_row])?;
        let (parent_row, base_row) = (editable.text.parent_row, editable.made_of.base_row);
        let version_row = versions::add(tx, clock, snapshot.page_row, version, parent_row, base_row)?;
        archive::carry(tx, session, snapshot.page_row, snapshot.version_row, version_row)?;
        // The caller looks again, finds the page gone and refuses.
        let page = places::of_page(tx, session, snapshot.page_row)?.ok_or(Refusal::ParentMoved)?;
        write(tx, clock, page.page_row, edits)?;
        let rows = (page.floor_row, page.page_row);
        let pointed = Pointed { tick: clock.tick(), rows, fresh: id, version_row, kind: Kind::Edit };
        snapshots::point(tx, clock, &pointed)?;
        refresh_changed(tx, clock, &[page.floor_row])?;
        snapshots::get(tx, account, id)
    });
    stored?.ok_or_else(|| Refusal::ParentMoved.into())
}
