//! The floors of a branch in the order of the story, through the places where branches turn off, some at a time.

use crate::story::places::{self, COLUMN_COUNT, COLUMNS, JOIN, StoryPage};
use crate::story::settings;
use crate::story::texts::{self, StoredText};
use crate::story::versions::{self, Kind, MadeOf};
use crate::tree::line::{self, LineSegment};
use crate::tree::prelude::*;
use crate::tree::separation;
use std::sync::LazyLock;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::problem;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::turn::Status;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorRange {
    pub session: Id,
    pub branch: String,
    /// Positions below this one are left out.
    pub from_floor: Option<i64>,
    /// Positions above this one are left out.
    pub to_floor: Option<i64>,
    /// Only what comes behind this floor.
    pub after: Option<Id>,
}

/// A walk and where it goes on.
#[derive(Debug)]
pub struct Walk {
    pub session_row: i64,
    way: Vec<LineSegment>,
    /// The first floor that does not fit.
    stale: Option<(usize, i64)>,
    /// The segment and the position that come next.
    next: (usize, i64),
    bounds: (i64, i64),
    /// Where it would stand on its branch if it had no floors.
    end: i64,
}

pub fn begin(tx: &mut dyn Tx, account: &Id, part: &FloorRange) -> StoreResult<Walk> {
    let session = lookup::session(tx, account, &part.session)?;
    let branch_row = lookup::branch(tx, session, &part.session, &part.branch)?;
    let way = line::segments(tx, session, branch_row, i64::MAX)?;
    let bounds = (part.from_floor.unwrap_or(0), part.to_floor.unwrap_or(i64::MAX));
    let next = match &part.after {
        Some(floor) => behind(tx, session, &way, floor)?,
        None => (0, bounds.0),
    };
    let mut stale = None;
    for (segment, &part) in way.iter().enumerate() {
        if let Some(floor_no) = places::first_broken(tx, session, part)? {
            stale = Some((segment, floor_no));
            break;
        }
    }
    let end = if part.after.is_some() { bounds.1.saturating_add(1) } else { bounds.0 };
    Ok(Walk { session_row: session.row, way, stale, next: (next.0, next.1.max(bounds.0)), bounds, end })
}

const LAST: Sql = sql!(
    "SELECT floor_no FROM floor
     WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND floor_no <= ?4 AND (state = 2 OR branch_row = ?5)
     ORDER BY floor_no DESC LIMIT ?6"
);

/// The part of a part that has its last floors, so many of them.
pub fn last(tx: &mut dyn Tx, account: &Id, part: FloorRange, count: i64) -> StoreResult<FloorRange> {
    let session = lookup::session(tx, account, &part.session)?;
    let branch_row = lookup::branch(tx, session, &part.session, &part.branch)?;
    let way = line::segments(tx, session, branch_row, part.to_floor.unwrap_or(i64::MAX))?;
    let (mut left, mut first_no) = (count, None);
    for (segment, last) in way.into_iter().rev() {
        tx.query(LAST, in_session![session, segment, last, branch_row, left], &mut |row| {
            first_no = Some(row.int(0)?);
            left -= 1;
            Ok(())
        })?;
        if left <= 0 {
            break;
        }
    }
    Ok(FloorRange { from_floor: part.from_floor.max(first_no), ..part })
}

/// The place right behind a floor of the way, or behind its copy where it was on the way before the branch got rows of its own.
fn behind(tx: &mut dyn Tx, session: SessionKey<'_>, way: &[LineSegment], floor: &Id) -> StoreResult<(usize, i64)> {
    let sql = sql!("SELECT branch_row, floor_no FROM floor WHERE account_id = ?1 AND session_row = ?2 AND id = ?3");
    let mut ids = vec![floor.clone()];
    for &(branch_row, _) in way {
        ids.extend(separation::ids_of_copy(session, floor, branch_row)?);
    }
    for id in ids {
        let found = first(tx, sql, in_session![session, &id], |row| Ok((row.int(0)?, row.int(1)?)))?;
        let place = found.and_then(|(branch_row, floor_no)| {
            let segment = way.iter().position(|&(row, last)| row == branch_row && floor_no <= last)?;
            Some((segment, floor_no + 1))
        });
        if let Some(place) = place {
            return Ok(place);
        }
    }
    Err(Refusal::FloorNotFound(floor.clone()).into())
}

impl Walk {
    fn is_fresh(&self, segment: usize, floor_no: i64) -> bool {
        self.stale.is_none_or(|stale| (segment, floor_no) < stale)
    }

    /// The next rows, each with its segment; fewer than wanted only at the end. One statement is for what the branch shares, one
    /// for its own floors.
    fn rows<T>(
        &mut self,
        tx: &mut dyn Tx,
        account: &Id,
        [shared, own]: [Sql; 2],
        wanted: usize,
        read: impl Fn(&dyn Row) -> StoreResult<(i64, T)>,
    ) -> StoreResult<Vec<(usize, T)>> {
        let mut found = Vec::new();
        while let Some(&(branch_row, last)) = self.way.get(self.next.0)
            && found.len() < wanted
        {
            let room = i64::try_from(wanted - found.len()).unwrap_or(i64::MAX);
            let params = params![account, self.session_row, branch_row, self.next.1, last.min(self.bounds.1), room];
            let (segment, mut reached, mut count) = (self.next.0, None, 0);
            let sql = if segment + 1 == self.way.len() { own } else { shared };
            tx.query(sql, params, &mut |row| {
                let (floor_no, item) = read(row)?;
                found.push((segment, item));
                (reached, count) = (Some(floor_no), count + 1);
                Ok(())
            })?;
            self.next = match reached {
                Some(floor_no) if count == room => (segment, floor_no + 1),
                _ => (segment + 1, self.bounds.0),
            };
        }
        Ok(found)
    }
}

/// A story page that has a state, on a walk.
#[derive(Debug, Clone)]
pub struct Passed {
    pub floor: Id,
    pub floor_no: i64,
    pub page: Id,
    pub snapshot: Id,
    pub made_of: MadeOf,
    /// The version that the change starts from; none for the template.
    pub parent_row: Option<i64>,
    pub change: Change,
    /// Whether it and everything before it fits.
    pub fresh: bool,
    branch_row: i64,
}

static STATES: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT {COLUMNS}, v.parent_row, v.change {JOIN}
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no >= ?4 AND f.floor_no <= ?5
            AND f.state = 2 AND n.id IS NOT NULL AND p.page_row = {}
         ORDER BY f.floor_no LIMIT ?6",
        places::story_page()
    ))
});

pub fn states(tx: &mut dyn Tx, account: &Id, walk: &mut Walk, wanted: usize) -> StoreResult<Vec<Passed>> {
    let read = |row: &dyn Row| {
        let page = places::read(row)?;
        let change = versions::read_change(row.int(11)?, row.bytes(COLUMN_COUNT + 1)?)?;
        Ok((page.floor_no, (page, row.int_or_null(COLUMN_COUNT)?, change)))
    };
    let rows = walk.rows(tx, account, [*STATES; 2], wanted, read)?;
    let passed = |(segment, (page, parent_row, change)): (usize, (StoryPage, Option<i64>, Change))| {
        let fresh = walk.is_fresh(segment, page.floor_no);
        let StoryPage { branch_row, floor, floor_no, page, pointer, .. } = page;
        let places::Pointer { snapshot, made_of } = pointer?;
        Some(Passed { floor, floor_no, page, snapshot, made_of, parent_row, change, fresh, branch_row })
    };
    Ok(rows.into_iter().filter_map(passed).collect())
}

/// The version that is shown right before the first page of a walk, or before where it would be; none for the template.
pub fn before(tx: &mut dyn Tx, account: &Id, walk: &Walk, first: Option<&Passed>) -> StoreResult<Option<i64>> {
    let end = || walk.way.last().map(|&(branch_row, _)| (branch_row, walk.end));
    let Some((branch_row, below)) = first.map(|page| (page.branch_row, page.floor_no)).or_else(end) else {
        return Ok(None);
    };
    let before = places::before_with_state(tx, SessionKey::new(account, walk.session_row), branch_row, below)?;
    Ok(before.and_then(|page| page.pointer).map(|pointer| pointer.made_of.version_row))
}

#[derive(Debug, Clone)]
pub struct Line {
    pub floor: Id,
    pub floor_no: i64,
    pub state: FloorState,
    /// Its story page, or else its last page; none if it has none.
    pub page: Option<Id>,
    pub role: Option<String>,
    pub name: Option<String>,
    /// The first line of the text that has something on it.
    pub text: String,
    /// The state of the page, if it has one of its own.
    pub made: Option<LineState>,
    /// Whether everything up to here fits.
    pub fresh: bool,
    /// Whether it stands on a branch that this one was forked from.
    pub shared: bool,
    /// Which swipe of its slot the page is, from 1, and how many there are.
    pub swipe: Option<(i64, i64)>,
    /// Bytes of the whole text.
    pub text_bytes: usize,
    floor_row: i64,
    page_row: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct LineState {
    pub snapshot: Id,
    pub version_row: i64,
    pub edited: bool,
    /// Whether it was computed with another profile or template, or by an older engine.
    pub outdated: bool,
    pub change: Change,
    /// Commands of its text that were refused.
    pub refused: Vec<RefusedCommand>,
}

#[derive(Debug, Clone)]
pub struct RefusedCommand {
    /// What was to be done, as its dialect names it.
    pub name: String,
    pub refusal: problem::Refusal,
}

/// Of the floors that a branch shares it has the committed ones.
static LINES: LazyLock<[Sql; 2]> = LazyLock::new(|| ["AND f.state = 2", ""].map(lines_sql));

const MADE_OF: &str = crate::made_of!();

fn lines_sql(condition: &str) -> Sql {
    let story = "p.kind >= (SELECT s.story_kind FROM session s WHERE s.account_id = ?1 AND s.session_row = ?2)";
    Sql::assembled(format!(
        "SELECT f.floor_no, f.id, f.state, p.id, p.role, p.name, y.content, n.id, v.change, v.outcome,
            f.lease_until, f.floor_row, p.page_row,
            (SELECT COUNT(*) FROM page w WHERE w.account_id = p.account_id AND w.session_row = p.session_row
                AND w.floor_row = p.floor_row AND w.page_no = p.page_no AND w.version <= p.version),
            (SELECT COUNT(*) FROM page w WHERE w.account_id = p.account_id AND w.session_row = p.session_row
                AND w.floor_row = p.floor_row AND w.page_no = p.page_no),
            {MADE_OF}
         FROM floor f
         LEFT JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.page_row = COALESCE({}, (
            SELECT q.page_row FROM page q WHERE q.account_id = f.account_id AND q.session_row = f.session_row
                AND q.floor_row = f.floor_row AND q.is_active = 1 ORDER BY q.page_no DESC LIMIT 1))
         LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row
            AND n.page_row = p.page_row AND f.state = 2 AND {story}
         LEFT JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row
            AND v.version_row = n.version_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no >= ?4 AND f.floor_no <= ?5
            {condition}
         ORDER BY f.floor_no LIMIT ?6",
        places::story_page()
    ))
}

pub fn lines(tx: &mut dyn Tx, account: &Id, walk: &mut Walk, wanted: usize, now: i64) -> StoreResult<Vec<Line>> {
    let recipe_hash = settings::read(tx, SessionKey::new(account, walk.session_row))?.recipe.hash();
    let rows = walk.rows(tx, account, *LINES, wanted, |row| {
        let line = line(row, &recipe_hash, now)?;
        Ok((line.floor_no, line))
    })?;
    let place = |(segment, line): (usize, Line)| Line {
        fresh: walk.is_fresh(segment, line.floor_no),
        shared: segment + 1 < walk.way.len(),
        ..line
    };
    Ok(rows.into_iter().map(place).collect())
}

fn line(row: &dyn Row, recipe_hash: &Hash, now: i64) -> StoreResult<Line> {
    let label = |column: usize| row.bytes_or_null(column)?.map(stored_text).transpose();
    let content = row.bytes_or_null(6)?;
    let page = row.text_or_null(3)?.map(stored_id).transpose()?;
    Ok(Line {
        floor_no: row.int(0)?,
        floor: stored_id(row.text(1)?)?,
        state: stored_enum::<FloorState>(row.int(2)?)?.at(row.int_or_null(10)?, now),
        swipe: page.is_some().then(|| Ok::<_, StoreError>((row.int(13)?, row.int(14)?))).transpose()?,
        page,
        role: label(4)?,
        name: label(5)?,
        text: content.map(stored_line).transpose()?.unwrap_or_default(),
        made: line_state(row, recipe_hash)?,
        fresh: true,
        shared: false,
        text_bytes: content.map(|bytes| codec::length(bytes, bytes.len())).transpose()?.unwrap_or(0),
        floor_row: row.int(11)?,
        page_row: row.int_or_null(12)?,
    })
}

fn line_state(row: &dyn Row, recipe_hash: &Hash) -> StoreResult<Option<LineState>> {
    let Some(snapshot) = row.text_or_null(7)? else { return Ok(None) };
    let made_of = MadeOf::read(row, 15)?;
    let version_row = made_of.version_row;
    let outcome = row.bytes_or_null(9)?.map(|stored| versions::read_outcome(version_row, stored, None)).transpose()?;
    let refused = outcome.into_iter().flat_map(|outcome| outcome.results).filter_map(|result| match result.status {
        Status::Refused(refusal) => Some(RefusedCommand { name: result.command.name, refusal }),
        Status::Applied | Status::Repaired(_) => None,
    });
    Ok(Some(LineState {
        snapshot: stored_id(snapshot)?,
        version_row,
        edited: made_of.kind == Kind::Edit,
        outdated: made_of.is_outdated(recipe_hash),
        change: versions::read_change(version_row, row.bytes(8)?)?,
        refused: refused.collect(),
    }))
}

/// The whole texts of the pages that lines show; none where there is none.
pub fn whole_texts(tx: &mut dyn Tx, account: &Id, walk: &Walk, lines: &[Line]) -> StoreResult<Vec<Option<String>>> {
    let rows: Vec<i64> = lines.iter().filter_map(|line| line.page_row).collect();
    let mut texts = texts::load(tx, SessionKey::new(account, walk.session_row), &rows)?.into_iter();
    let text = |line: &Line| match line.page_row.and_then(|_| texts.next()) {
        Some(text) => text.read_or_none(),
        None => Ok(None),
    };
    lines.iter().map(text).collect()
}

/// A page of a floor, whether it is chosen or not.
#[derive(Debug, Clone)]
pub struct Swipe {
    pub page: Id,
    pub page_no: i64,
    pub version: i64,
    pub is_active: bool,
    pub role: Option<String>,
    pub name: Option<String>,
    /// Its snapshot, if it has a state of its own.
    pub snapshot: Option<Id>,
    pub edited: bool,
    /// Bytes of the text.
    pub text_bytes: usize,
    page_row: i64,
}

const SWIPES: Sql = sql!(
    "SELECT p.page_row, p.id, p.page_no, p.version, p.is_active, p.role, p.name, n.id, v.kind,
        SUBSTR(y.content, 1, 32), LENGTH(y.content)
     FROM page p
     LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
        AND y.host_row = COALESCE(p.text_row, p.page_row)
     LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
        AND p.kind >= (SELECT s.story_kind FROM session s WHERE s.account_id = ?1 AND s.session_row = ?2)
     LEFT JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row
        AND v.version_row = n.version_row
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.floor_row = ?3 ORDER BY p.page_no, p.version"
);

/// All pages of the floors of lines, by slot and swipe, without their texts.
pub fn swipes(tx: &mut dyn Tx, account: &Id, walk: &Walk, lines: &[Line]) -> StoreResult<Vec<Vec<Swipe>>> {
    let session = SessionKey::new(account, walk.session_row);
    let sets: Vec<_> = lines.iter().map(|line| in_session![session, line.floor_row].to_vec()).collect();
    let mut found = vec![Vec::new(); lines.len()];
    tx.query_many(SWIPES, &sets, &mut |at, row| {
        if let Some(swipes) = found.get_mut(at) {
            swipes.push(swipe(row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

fn swipe(row: &dyn Row) -> StoreResult<Swipe> {
    let label = |column: usize| row.bytes_or_null(column)?.map(stored_text).transpose();
    let text_bytes = match (row.bytes_or_null(9)?, row.int_or_null(10)?) {
        (Some(start), Some(stored)) => codec::length(start, usize::try_from(stored).unwrap_or(usize::MAX))?,
        _ => 0,
    };
    let kind = row.int_or_null(8)?.map(stored_enum::<Kind>).transpose()?;
    Ok(Swipe {
        page_row: row.int(0)?,
        page: stored_id(row.text(1)?)?,
        page_no: row.int(2)?,
        version: row.int(3)?,
        is_active: row.int(4)? == 1,
        role: label(5)?,
        name: label(6)?,
        snapshot: row.text_or_null(7)?.map(stored_id).transpose()?,
        edited: kind == Some(Kind::Edit),
        text_bytes,
    })
}

/// A page and its text, if it has one.
pub type SwipeText = (Swipe, Option<String>);

/// The pages of floors with their texts.
pub fn with_texts(
    tx: &mut dyn Tx,
    account: &Id,
    walk: &Walk,
    swipes: Vec<Vec<Swipe>>,
) -> StoreResult<Vec<Vec<SwipeText>>> {
    let rows: Vec<i64> = swipes.iter().flatten().map(|swipe| swipe.page_row).collect();
    let mut texts = texts::load(tx, SessionKey::new(account, walk.session_row), &rows)?.into_iter();
    let mut with_text = |swipe: Swipe| {
        let text = texts.next().as_ref().map_or(Ok(None), StoredText::read_or_none)?;
        Ok((swipe, text))
    };
    swipes.into_iter().map(|swipes| swipes.into_iter().map(&mut with_text).collect()).collect()
}

/// Characters of a text that a log shows.
pub const LINE_CHARS_MAX: usize = 200;

/// Bytes of a text in which its first line is looked for before all of it is read.
const LINE_BYTES: usize = 4096;

/// The first line of a stored text; long texts are not read to their end for it.
fn stored_line(bytes: &[u8]) -> StoreResult<String> {
    let (start, is_all) = codec::decode_start(bytes, LINE_BYTES)?;
    let line = first_line(&start);
    let is_whole = is_all || line.chars().count() == LINE_CHARS_MAX || start.trim_start().contains('\n');
    if is_whole { Ok(line) } else { codec::decode(bytes).map(|text| first_line(&text)) }
}

fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(LINE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, first_line, stored_line};
    use crate::db::codec::encode;
    use crate::db::plans::assert_narrow;

    #[test]
    fn the_first_line_is_found_wherever_it_stands() {
        let blank = "\n".repeat(LINE_BYTES - 10);
        for text in [
            String::new(),
            "one\ntwo".to_owned(),
            "雪".repeat(5000),
            format!("{blank}{}", "x".repeat(300)),
            format!("{blank}{blank}late\n"),
            format!("  short\n{}", "y".repeat(9000)),
        ] {
            assert_eq!(stored_line(&encode(&text)).unwrap(), first_line(&text));
        }
    }

    #[test]
    fn a_window_is_read_without_the_rest_of_the_chat() {
        assert_narrow(*super::STATES);
        super::LINES.iter().for_each(|&lines| assert_narrow(lines));
        assert_narrow(super::SWIPES);
        assert_narrow(super::LAST);
    }
}
