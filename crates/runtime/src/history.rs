//! History: the value of a path over a chat, and the floors of a branch with what each of them changed.

use crate::documents::Documents;
use crate::{Runtime, StoreError, StoreResult, now_ms, replay};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{HISTORY_BYTES_MAX, HISTORY_FLOORS_MAX};
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_store::story::settings;
use tavernkeep_store::story::versions::{self, Kind};
use tavernkeep_store::story::walk::{self, Line, Part, Passed};
use tavernkeep_store::tx::Tx;

/// The value of a path over a part of a chat.
#[derive(Debug, Clone)]
pub struct History {
    /// The value before the first floor that was looked at; none where there was none.
    pub before: Option<Value>,
    /// One for each floor at which the value became another, oldest first.
    pub points: Vec<Point>,
    /// The last floor that was looked at, if others follow it.
    pub next: Option<Id>,
}

/// A floor at which a value became another.
#[derive(Debug, Clone)]
pub struct Point {
    /// The floor.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// Its story page.
    pub page: Id,
    /// The page's snapshot.
    pub snapshot: Id,
    /// The value from here on; none where there is none any more.
    pub value: Option<Value>,
    /// When the turn was told, in ms since 1970.
    pub at: i64,
    /// Whether somebody changed the state by hand.
    pub edited: bool,
    /// Whether the state is what the texts come to.
    pub fresh: bool,
}

/// Floors whose changes are read at once.
const CHUNK: usize = 256;

impl Runtime {
    /// The value of a path over a part of a chat. Every change is read once and one document is kept.
    pub async fn history(
        &self,
        account: &Id,
        part: Part,
        path: WrittenPath,
        points_max: usize,
    ) -> StoreResult<History> {
        let (account, documents) = (account.clone(), self.documents());
        self.store.read(move |tx| history(tx, &documents, &account, &part, &path, points_max)).await
    }

    /// The floors of a branch with what each of them changed, oldest first, and whether others follow.
    pub async fn log(&self, account: &Id, part: Part, floors_max: usize) -> StoreResult<(Vec<Line>, bool)> {
        let (account, documents, now) = (account.clone(), self.documents(), now_ms());
        let read = move |tx: &mut dyn Tx| {
            let mut walk = walk::begin(tx, &account, &part)?;
            let mut lines = walk::lines(tx, &account, &mut walk, floors_max + 1, now)?;
            let has_more = lines.len() > floors_max;
            lines.truncate(floors_max);
            for made in lines.iter_mut().filter_map(|line| line.made.as_mut()).filter(|made| made.edited) {
                made.change = edited(tx, &documents, &account, walk.session_row, made.version_row)?;
            }
            Ok((lines, has_more))
        };
        self.store.read(read).await
    }
}

/// What a page whose state was changed by hand changed altogether.
pub(crate) fn edited(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    session_row: i64,
    version_row: i64,
) -> StoreResult<Change> {
    let made_of = versions::made_of(tx, account, session_row, version_row)?;
    let before = replay::before(tx, documents, account, session_row, &made_of)?;
    Ok(differences(&before, &documents.load(tx, account, session_row, version_row)?.document))
}

fn history(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    part: &Part,
    path: &WrittenPath,
    points_max: usize,
) -> StoreResult<History> {
    let mut walk = walk::begin(tx, account, part)?;
    let mut pages = walk::states(tx, account, &mut walk, CHUNK)?;
    let version_row = walk::before(tx, account, &walk, pages.first())?;
    let document = match version_row {
        Some(row) => documents.load(tx, account, walk.session_row, row)?.document,
        None => settings::template(tx, account, walk.session_row)?,
    };
    let before = path.find(&document).cloned();
    let mut look = Look { version_row, document, value: before.clone(), points: Vec::new(), bytes: 0 };
    let (mut passed, mut last) = (0, None);
    while !pages.is_empty() {
        for page in pages {
            if look.points.len() == points_max || look.bytes > HISTORY_BYTES_MAX || passed == HISTORY_FLOORS_MAX {
                return Ok(History { before, points: look.points, next: last });
            }
            last = Some(page.floor.clone());
            look.pass(tx, account, walk.session_row, page, path)?;
            passed += 1;
        }
        pages = walk::states(tx, account, &mut walk, CHUNK)?;
    }
    Ok(History { before, points: look.points, next: None })
}

/// A look at one page after the other.
struct Look {
    /// The version whose document this is; none for the template.
    version_row: Option<i64>,
    document: Value,
    value: Option<Value>,
    points: Vec<Point>,
    bytes: usize,
}

impl Look {
    fn pass(
        &mut self,
        tx: &mut dyn Tx,
        account: &Id,
        session_row: i64,
        page: Passed,
        path: &WrittenPath,
    ) -> StoreResult<()> {
        let version_row = page.made_of.version_row;
        // Edits and what is stale start from elsewhere, and a template may be another one now.
        self.document = if page.parent_row.is_some() && page.parent_row == self.version_row {
            let misfit = |error| StoreError::Corrupt(format!("version {version_row}: {error}"));
            page.change.apply(&self.document).map_err(misfit)?
        } else {
            versions::load(tx, account, session_row, version_row)?.document
        };
        self.version_row = Some(version_row);
        let value = path.find(&self.document);
        if is_same(value, self.value.as_ref()) {
            return Ok(());
        }
        self.value = value.cloned();
        self.bytes += self.value.as_ref().map_or(0, Value::weight);
        self.points.push(Point {
            floor: page.floor,
            floor_no: page.floor_no,
            page: page.page,
            snapshot: page.snapshot,
            value: self.value.clone(),
            at: page.made_of.clock_ms,
            edited: page.made_of.kind == Kind::Edit,
            fresh: page.fresh,
        });
        Ok(())
    }
}

fn is_same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_shared_with(other) || one == other,
        (None, None) => true,
        _ => false,
    }
}
