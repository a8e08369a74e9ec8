//! Where the story's pages stand: the one before a place, the one behind it, and where branches turn off.

use crate::db::hash::stored_hash;
use crate::story::versions::MadeOf;
use crate::tree::line::{BranchPosition, FORKS_MAX, LineSegment, segments, sources};
use crate::tree::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tavernkeep_engine::story::{Base, Hash, Inputs};

#[derive(Debug, Clone)]
pub struct StoryPage {
    pub branch_row: i64,
    pub floor_row: i64,
    pub floor_no: i64,
    pub floor: Id,
    pub page_row: i64,
    pub page_no: i64,
    pub page: Id,
    pub created_at: i64,
    pub text_hash: Option<Hash>,
    /// Its edits by hand; none where there are none.
    pub edits_hash: Option<Hash>,
    pub pointer: Option<Pointer>,
}

/// The page of each of many places; none where there is none.
pub type StoryPages = Vec<Option<StoryPage>>;

/// A snapshot and what its version was made of.
#[derive(Debug, Clone)]
pub struct Pointer {
    pub snapshot: Id,
    pub made_of: MadeOf,
}

impl StoryPage {
    /// What the next page builds on.
    pub fn base(&self) -> Base {
        self.pointer.as_ref().map_or(Base::Unprocessed, |pointer| Base::Version(pointer.made_of.version_row))
    }

    /// What its state would be made of now.
    pub fn inputs(&self, base: Base) -> Inputs {
        Inputs { base, text: self.text_hash, edits: self.edits_hash }
    }

    pub fn made_of(&self) -> Option<Inputs> {
        self.pointer.as_ref().map(|pointer| pointer.made_of.inputs())
    }
}

/// The columns that [`read`] takes, and the tables they come from. Pages are joined on the caller's terms.
pub const COLUMNS: &str = concat!(
    "f.branch_row, f.floor_row, f.floor_no, f.id, p.page_row, p.page_no, p.id, p.created_at,
     p.text_hash, n.id, p.edits_hash, ",
    crate::made_of!()
);
/// How many they are.
pub const COLUMN_COUNT: usize = 21;
pub const JOIN: &str = "FROM floor f
    JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
    LEFT JOIN snapshot n ON n.account_id = p.account_id AND n.session_row = p.session_row AND n.page_row = p.page_row
    LEFT JOIN version v ON v.account_id = n.account_id AND v.session_row = n.session_row
        AND v.version_row = n.version_row";
/// Which pages commands are read from.
pub const READ_FROM: &str = "p.is_active = 1 AND p.kind >= (SELECT s.story_kind FROM session s
    WHERE s.account_id = ?1 AND s.session_row = ?2)";

/// The row of a floor's story page. Its pages are asked for in order, since a database without statistics otherwise reads all
/// that the session has for every floor.
pub fn story_page() -> String {
    format!(
        "(SELECT o.page_row FROM page o WHERE o.account_id = f.account_id
            AND o.session_row = f.session_row AND o.floor_row = f.floor_row AND {} ORDER BY o.page_no DESC LIMIT 1)",
        READ_FROM.replace("p.", "o.")
    )
}

pub fn read(row: &dyn Row) -> StoreResult<StoryPage> {
    let pointer = match row.text_or_null(9)? {
        None => None,
        Some(snapshot) => Some(Pointer { snapshot: stored_id(snapshot)?, made_of: MadeOf::read(row, 11)? }),
    };
    Ok(StoryPage {
        branch_row: row.int(0)?,
        floor_row: row.int(1)?,
        floor_no: row.int(2)?,
        floor: stored_id(row.text(3)?)?,
        page_row: row.int(4)?,
        page_no: row.int(5)?,
        page: stored_id(row.text(6)?)?,
        created_at: row.int(7)?,
        text_hash: row.bytes_or_null(8)?.map(stored_hash).transpose()?,
        edits_hash: row.bytes_or_null(10)?.map(stored_hash).transpose()?,
        pointer,
    })
}

struct Statements {
    below: Sql,
    below_with_state: Sql,
    reply_below: Sql,
    between: Sql,
    of_floor: Sql,
    of_page: Sql,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let story_page = story_page();
    let on_branch = |condition: &str, order: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS} {JOIN}
             WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.state = 2
                AND p.page_row = {story_page} AND {condition} ORDER BY f.floor_no {order} LIMIT 1"
        ))
    };
    Statements {
        below: on_branch("f.floor_no < ?4", "DESC"),
        below_with_state: on_branch("f.has_state = 1 AND f.floor_no < ?4 AND n.id IS NOT NULL", "DESC"),
        reply_below: on_branch("p.kind > 0 AND f.floor_no < ?4", "DESC"),
        between: on_branch("f.floor_no > ?4 AND f.floor_no <= ?5", "ASC"),
        of_floor: Sql::assembled(format!(
            "SELECT {COLUMNS} {JOIN} WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.floor_row = ?3 AND f.state = 2
                AND p.page_row = {story_page}"
        )),
        of_page: Sql::assembled(format!(
            "SELECT {COLUMNS} {JOIN} WHERE f.account_id = ?1 AND f.session_row = ?2 AND p.page_row = ?3"
        )),
    }
});

/// The story page of a floor, if the floor is part of the story and has one.
pub fn of_floor(tx: &mut dyn Tx, session: SessionKey<'_>, floor_row: i64) -> StoreResult<Option<StoryPage>> {
    first(tx, STATEMENTS.of_floor, in_session![session, floor_row], read)
}

/// The same for each of many floors.
pub fn of_floors(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &[i64]) -> StoreResult<StoryPages> {
    let sets: Vec<_> = floors.iter().map(|&floor_row| in_session![session, floor_row].to_vec()).collect();
    first_of_each(tx, STATEMENTS.of_floor, &sets, read)
}

/// Any page, as if it were the story page of its floor.
pub fn of_page(tx: &mut dyn Tx, session: SessionKey<'_>, page_row: i64) -> StoreResult<Option<StoryPage>> {
    first(tx, STATEMENTS.of_page, in_session![session, page_row], read)
}

/// The nearest story page before a position, through the places where branches turn off.
pub fn before(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, below: i64) -> StoreResult<Option<StoryPage>> {
    let found = nearest(tx, session, &[(branch_row, below)], STATEMENTS.below)?;
    Ok(found.into_iter().next().flatten())
}

/// The same for each of many positions.
pub fn before_each(tx: &mut dyn Tx, session: SessionKey<'_>, places: &[BranchPosition]) -> StoreResult<StoryPages> {
    nearest(tx, session, places, STATEMENTS.below)
}

/// The nearest story page before a position that has a state.
pub fn before_with_state(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branch_row: i64,
    below: i64,
) -> StoreResult<Option<StoryPage>> {
    let found = nearest(tx, session, &[(branch_row, below)], STATEMENTS.below_with_state)?;
    Ok(found.into_iter().next().flatten())
}

/// The nearest story page before a position that is no input: the last reply.
pub fn reply_before(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    branch_row: i64,
    below: i64,
) -> StoreResult<Option<StoryPage>> {
    let found = nearest(tx, session, &[(branch_row, below)], STATEMENTS.reply_below)?;
    Ok(found.into_iter().next().flatten())
}

/// What a statement finds for each place: on its branch, or on the one that this turns off from, and so on. All of them go back
/// together, a branch at a time.
fn nearest(tx: &mut dyn Tx, session: SessionKey<'_>, places: &[BranchPosition], sql: Sql) -> StoreResult<StoryPages> {
    let mut found: StoryPages = vec![None; places.len()];
    let mut waiting: Vec<(usize, BranchPosition)> = places.iter().copied().enumerate().collect();
    let mut forks = 0;
    while !waiting.is_empty() && forks <= FORKS_MAX {
        let sets: Vec<_> =
            waiting.iter().map(|&(_, (branch_row, below))| in_session![session, branch_row, below].to_vec()).collect();
        let pages = first_of_each(tx, sql, &sets, read)?;
        let mut left = Vec::new();
        for ((at, place), page) in waiting.into_iter().zip(pages) {
            match page {
                Some(_) => found[at] = page,
                None => left.push((at, place)),
            }
        }
        let sources = sources(tx, session, left.iter().map(|&(_, (branch_row, _))| branch_row).collect())?;
        let before = left.into_iter().filter_map(|(at, (branch_row, below))| {
            let &(source, shared) = sources.get(&branch_row)?;
            Some((at, (source, below.min(shared.saturating_add(1)))))
        });
        waiting = before.collect();
        forks += 1;
    }
    Ok(found)
}

pub fn base(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, below: i64) -> StoreResult<Base> {
    let before = before(tx, session, branch_row, below)?;
    Ok(before.map_or(Base::Template, |page| page.base()))
}

/// The story pages that come first behind one of these positions on its branch. Each is looked for up to the next position only,
/// so floors without a story page are passed once, however many of them are asked for.
pub fn right_behind(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    places: &BTreeSet<BranchPosition>,
) -> StoreResult<Vec<StoryPage>> {
    let ends = places.iter().skip(1).map(Some).chain([None]);
    let sets = places.iter().zip(ends).map(|(&(branch_row, above), next)| {
        let end = next.filter(|(branch, _)| *branch == branch_row).map_or(i64::MAX, |(_, number)| *number);
        in_session![session, branch_row, above, end].to_vec()
    });
    let found = first_of_each(tx, STATEMENTS.between, &sets.collect::<Vec<_>>(), read)?;
    Ok(found.into_iter().flatten().collect())
}

/// The first floor of a branch, up to a position, that does not fit the one before it. While the flags of a session are still
/// looked at, that is its first one.
pub fn first_broken(tx: &mut dyn Tx, session: SessionKey<'_>, segment: LineSegment) -> StoreResult<Option<i64>> {
    let (branch_row, last) = segment;
    first(tx, FIRST_BROKEN, in_session![session, branch_row, last], |row| row.int(0))
}

const FIRST_BROKEN: Sql = sql!(
    "SELECT floor_no FROM (
        SELECT floor_no FROM floor
        WHERE account_id = ?1 AND session_row = ?2 AND branch_row = ?3 AND broken = 1 AND floor_no <= ?4
        ORDER BY floor_no LIMIT 1) flagged
     UNION ALL
     SELECT floor_no FROM (
        SELECT f.floor_no FROM session s
        JOIN floor f ON f.account_id = s.account_id AND f.session_row = s.session_row
        WHERE s.account_id = ?1 AND s.session_row = ?2 AND s.flags_from IS NOT NULL
            AND f.branch_row = ?3 AND f.state = 2 AND f.floor_no <= ?4
        ORDER BY f.floor_no LIMIT 1) nearest
     ORDER BY floor_no LIMIT 1"
);

/// Whether every story page up to a position fits: one look per branch on the way.
pub fn all_fit(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64, last: i64) -> StoreResult<bool> {
    for segment in segments(tx, session, branch_row, last)? {
        if first_broken(tx, session, segment)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{FIRST_BROKEN, STATEMENTS};
    use crate::db::plans::{assert_narrow, plan};

    /// A turn and a read cost the same at the beginning of a chat and at its end.
    #[test]
    fn places_are_found_without_reading_the_chat() {
        let all = &*STATEMENTS;
        for sql in
            [all.below, all.below_with_state, all.reply_below, all.between, all.of_floor, all.of_page, FIRST_BROKEN]
        {
            assert_narrow(sql);
        }
    }

    /// A page without a state uses the nearest one; there may be thousands of floors without one in between.
    #[test]
    fn floors_without_a_state_are_not_read() {
        let plan = plan(STATEMENTS.below_with_state);
        assert!(plan.contains("USING INDEX floor_with_state"), "{plan}");
    }
}
