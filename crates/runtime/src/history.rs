//! History: the value of a path over a chat, and the floors of a branch with what each of them changed.

use crate::documents::Documents;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, now_ms};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{HISTORY_BYTES_MAX, HISTORY_FLOORS_MAX};
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::versions::{self, Kind};
use tavernkeep_store::story::walk::{self, FloorRange, Line, Passed, Swipe, SwipeText, Walk};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{StoreError, StoreResult};

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
    /// When: the time of the turn or of the edit, in ms since 1970.
    pub at: i64,
    /// Whether the state was edited by hand.
    pub edited: bool,
    /// Whether the state is what the texts come to.
    pub fresh: bool,
}

/// Floors whose changes are read at once.
const CHUNK: usize = 64;

/// Where a look at a history ends.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    points: usize,
    floors: usize,
    bytes: usize,
}

impl Runtime {
    /// The value of a path over a part of a chat. Every change is read once and one document is kept.
    pub async fn history(
        &self,
        account: &Id,
        part: FloorRange,
        path: WrittenPath,
        points_max: usize,
    ) -> RuntimeResult<History> {
        let (account, documents) = (account.clone(), self.documents());
        let bounds = Bounds { points: points_max, floors: HISTORY_FLOORS_MAX, bytes: HISTORY_BYTES_MAX };
        self.store.read(move |tx| history(tx, &documents, &account, &part, &path, bounds)).await
    }

    /// The floors of a branch with what each of them changed, oldest first, and whether others follow.
    pub async fn log(&self, account: &Id, part: FloorRange, floors_max: usize) -> RuntimeResult<(Vec<Line>, bool)> {
        let (account, documents) = (account.clone(), self.documents());
        self.store.read(move |tx| log(tx, &documents, &account, &part, (floors_max, HISTORY_BYTES_MAX))).await
    }

    /// The part of a part that has its last floors, so many of them.
    pub async fn last_floors(&self, account: &Id, part: FloorRange, count: i64) -> RuntimeResult<FloorRange> {
        let account = account.clone();
        self.store.read(move |tx| walk::last(tx, &account, part, count)).await
    }

    /// The floors of a branch with what was said there, oldest first, and the position at which others follow.
    pub async fn transcript(
        &self,
        account: &Id,
        part: FloorRange,
        floors_max: usize,
        details: Details,
    ) -> RuntimeResult<(Vec<TranscriptFloor>, Option<i64>)> {
        let (account, documents) = (account.clone(), self.documents());
        let bounds = (floors_max, HISTORY_BYTES_MAX);
        self.store.read(move |tx| transcript(tx, &documents, &account, &part, bounds, details)).await
    }

    /// The floor at a position of a branch.
    pub async fn floor_at(
        &self,
        account: &Id,
        session: &Id,
        branch: &str,
        floor_no: i64,
        details: Details,
    ) -> RuntimeResult<TranscriptFloor> {
        let (session, branch) = (session.clone(), branch.to_owned());
        let here = Some(floor_no);
        let part = FloorRange { session, branch: branch.clone(), from_floor: here, to_floor: here, after: None };
        let (floors, _) = self.transcript(account, part, 1, details).await?;
        let missing = || RuntimeError::Refused(Refusal::FloorNumberNotFound { branch, floor_no });
        floors.into_iter().next().ok_or_else(missing)
    }
}

/// How much is read of each floor of a transcript.
#[derive(Debug, Clone, Copy, Default)]
pub struct Details {
    /// The texts.
    pub content: bool,
    /// All pages of the floor, chosen or not.
    pub swipes: bool,
    /// What it changed in the state.
    pub changes: bool,
}

/// A floor with what was said there.
#[derive(Debug, Clone)]
pub struct TranscriptFloor {
    /// The floor and the page that it shows.
    pub line: Line,
    /// The page's text, if it has one and it was asked for.
    pub content: Option<String>,
    /// All pages of the floor, if they were asked for, each with its text.
    pub swipes: Vec<SwipeText>,
}

fn transcript(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    part: &FloorRange,
    (floors_max, bytes_max): (usize, usize),
    details: Details,
) -> StoreResult<(Vec<TranscriptFloor>, Option<i64>)> {
    let mut walk = walk::begin(tx, account, part)?;
    let (mut lines, mut has_more) = read_lines(tx, documents, account, &mut walk, (floors_max, bytes_max), details)?;
    let mut swipes = vec![Vec::new(); lines.len()];
    if details.swipes {
        swipes = walk::swipes(tx, account, &walk, &lines)?;
    }
    if details.content {
        let fitting = fitting(&swipes, bytes_max);
        has_more |= fitting < lines.len();
        lines.truncate(fitting);
        swipes.truncate(fitting);
    }
    let next = lines.last().filter(|_| has_more).map(|line| line.floor_no + 1);
    let (contents, swipes) = match details.content {
        true => (walk::whole_texts(tx, account, &walk, &lines)?, walk::with_texts(tx, account, &walk, swipes)?),
        false => {
            let without = |swipes: Vec<Swipe>| swipes.into_iter().map(|swipe| (swipe, None)).collect();
            (vec![None; lines.len()], swipes.into_iter().map(without).collect())
        }
    };
    let floors = lines.into_iter().zip(contents).zip(swipes);
    Ok((floors.map(|((line, content), swipes)| TranscriptFloor { line, content, swipes }).collect(), next))
}

/// How many floors have not many more bytes of texts than wanted: at least one.
fn fitting(swipes: &[Vec<Swipe>], bytes_max: usize) -> usize {
    let mut bytes = 0_usize;
    let fits = |swipes: &&Vec<Swipe>| {
        let fits = bytes <= bytes_max;
        bytes = swipes.iter().fold(bytes, |bytes, swipe| bytes.saturating_add(swipe.text_bytes));
        fits
    };
    swipes.iter().take_while(fits).count()
}

fn log(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    part: &FloorRange,
    bounds: (usize, usize),
) -> StoreResult<(Vec<Line>, bool)> {
    let mut walk = walk::begin(tx, account, part)?;
    read_lines(tx, documents, account, &mut walk, bounds, Details { changes: true, ..Details::default() })
}

/// The next lines of a walk, and whether others follow; not many more bytes than wanted, and at least one line.
fn read_lines(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    walk: &mut Walk,
    (floors_max, bytes_max): (usize, usize),
    details: Details,
) -> StoreResult<(Vec<Line>, bool)> {
    let now = now_ms();
    let (mut lines, mut bytes) = (Vec::new(), 0_usize);
    loop {
        let wanted = CHUNK.min((floors_max - lines.len()).saturating_add(1));
        let some = walk::lines(tx, account, walk, wanted, now)?;
        if some.is_empty() {
            return Ok((lines, false));
        }
        for mut line in some {
            if lines.len() == floors_max || bytes > bytes_max {
                return Ok((lines, true));
            }
            if let Some(made) = line.made.as_mut().filter(|_| details.changes) {
                if made.edited {
                    made.change = edited(tx, documents, SessionKey::new(account, walk.session_row), made.version_row)?;
                }
                bytes = bytes.saturating_add(weight(&made.change));
            }
            if details.content {
                bytes = bytes.saturating_add(line.text_bytes);
            }
            lines.push(line);
        }
    }
}

fn weight(change: &Change) -> usize {
    let values = change.ops.iter().flat_map(|op| [op.value(), op.old()]).flatten();
    values.map(Value::weight).sum()
}

/// What a page whose state was changed by hand changed altogether.
pub(crate) fn edited(
    tx: &mut dyn Tx,
    documents: &Documents,
    session: SessionKey<'_>,
    version_row: i64,
) -> StoreResult<Change> {
    let made_of = versions::made_of(tx, session, version_row)?;
    let before = documents.before(tx, session, &made_of)?;
    Ok(differences(&before, &documents.load(tx, session, version_row)?.document))
}

fn history(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    part: &FloorRange,
    path: &WrittenPath,
    bounds: Bounds,
) -> StoreResult<History> {
    let mut walk = walk::begin(tx, account, part)?;
    let mut pages = walk::states(tx, account, &mut walk, CHUNK)?;
    let version_row = walk::before(tx, account, &walk, pages.first())?;
    let session = SessionKey::new(account, walk.session_row);
    let document = match version_row {
        Some(row) => documents.load(tx, session, row)?.document,
        None => documents.first_state(tx, session)?.document,
    };
    let before = path.find(&document).cloned();
    let mut look = Look { version_row, document, value: before.clone(), points: Vec::new(), bytes: 0 };
    let (mut passed, mut last) = (0, None);
    while !pages.is_empty() {
        for page in pages {
            if look.points.len() == bounds.points || look.bytes > bounds.bytes || passed == bounds.floors {
                return Ok(History { before, points: look.points, next: last });
            }
            last = Some(page.floor.clone());
            look.pass(tx, session, page, path)?;
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
    fn pass(&mut self, tx: &mut dyn Tx, session: SessionKey<'_>, page: Passed, path: &WrittenPath) -> StoreResult<()> {
        let version_row = page.made_of.version_row;
        // Edits and what is stale start from elsewhere, and a template may be another one now.
        self.document = if page.parent_row.is_some() && page.parent_row == self.version_row {
            let misfit = |error| StoreError::Corrupt(format!("version {version_row}: {error}"));
            page.change.apply(&self.document).map_err(misfit)?
        } else {
            versions::load(tx, session, version_row)?.document
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
            at: page.made_of.made_at(),
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::order::{NewSession, NewTurn};
    use crate::{Database, Options};
    use tavernkeep_store::tree::MAIN_BRANCH;

    /// A story of so many floors, the value `n` of each its number.
    pub(crate) async fn story(folder: &std::path::Path, floors: usize) -> (Runtime, Id, Vec<Id>) {
        let keep = Runtime::open(Options::new(Database::Sqlite(folder.into()))).await.unwrap();
        let account = Runtime::default_account();
        let session = keep.create_session(&account, NewSession::default()).await.unwrap().id;
        let mut pages = Vec::new();
        for number in 0..floors {
            let turn = NewTurn::of(session.clone(), "assistant", format!("@.SET(\"n\", {number});"));
            pages.push(keep.take_turn(&account, turn).await.unwrap().page);
        }
        (keep, session, pages)
    }

    #[test]
    fn a_look_ends_at_each_of_its_bounds_and_goes_on() {
        let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        threads.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let (keep, session, _) = story(folder.path(), 7).await;
            let account = Runtime::default_account();
            let wide = Bounds { points: 100, floors: 100, bytes: 1 << 20 };
            for (path, bounds, answers) in [
                ("n", wide, vec![7]),
                ("n", Bounds { points: 7, ..wide }, vec![7]),
                ("n", Bounds { points: 3, ..wide }, vec![3, 3, 1]),
                ("n", Bounds { floors: 7, ..wide }, vec![7]),
                ("n", Bounds { floors: 4, ..wide }, vec![4, 3]),
                ("nothing", Bounds { floors: 4, ..wide }, vec![0, 0]),
                // A value that is too large comes alone.
                ("", Bounds { bytes: 0, ..wide }, vec![1; 7]),
            ] {
                let mut part = FloorRange {
                    session: session.clone(),
                    branch: MAIN_BRANCH.into(),
                    from_floor: None,
                    to_floor: None,
                    after: None,
                };
                let mut seen = Vec::new();
                loop {
                    let (account, documents, asked) = (account.clone(), keep.documents(), part.clone());
                    let path: WrittenPath = path.parse().unwrap();
                    let read = move |tx: &mut dyn Tx| history(tx, &documents, &account, &asked, &path, bounds);
                    let found = keep.store.read(read).await.unwrap();
                    seen.push(found.points.len());
                    part.after = found.next;
                    if part.after.is_none() {
                        break;
                    }
                }
                assert_eq!(seen, answers, "{path} {bounds:?}");
            }
            let log = |floors_max: usize, bytes_max: usize| {
                let (account, documents) = (account.clone(), keep.documents());
                let (session, branch) = (session.clone(), MAIN_BRANCH.into());
                let part = FloorRange { session, branch, from_floor: None, to_floor: None, after: None };
                keep.store.read(move |tx| log(tx, &documents, &account, &part, (floors_max, bytes_max)))
            };
            for (bounds, wanted) in [((7, 1 << 20), (7, false)), ((6, 1 << 20), (6, true)), ((7, 0), (1, true))] {
                let (lines, has_more) = log(bounds.0, bounds.1).await.unwrap();
                assert_eq!((lines.len(), has_more), wanted, "{bounds:?}");
            }
            keep.close().await;
        });
    }
}
