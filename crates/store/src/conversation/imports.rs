//! A chat that is imported: a session with its floors and pages and what came with them, visible all at once.
//!
//! A short chat is one transaction. A long one is written in parts, to a session that is hidden like a deleted one, and the last
//! transaction shows it. Until then a job of the kind `import_session` owns the rows: should the process end in the middle, the
//! job's lease expires and the job purges them.

use crate::conversation::sync::{Text, rows};
use crate::conversation::turns::kind_of;
use crate::conversation::{commit, sessions};
use crate::events::{self, EventScope};
use crate::story::settings;
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::tree::{clock, hidden};
use crate::types::order::NewSession;
use crate::types::record::{EventKind, JobKind, JobState, Session};
use rows::{FloorRow, PageRow};
use std::ops::Range;
use tavernkeep_engine::story::Hash;

/// A chat, ready to be stored.
#[derive(Debug)]
pub struct ImportedChat {
    pub new: NewSession,
    pub id: Id,
    pub floors: Vec<ImportedFloor>,
}

/// One message of it.
#[derive(Debug)]
pub struct ImportedFloor {
    pub id: Id,
    pub role: &'static str,
    pub name: Option<String>,
    /// The page that counts.
    pub active: usize,
    /// At least one.
    pub pages: Vec<ImportedPage>,
    /// What floors have no field for, as JSON.
    pub metadata: Text,
}

/// One swipe of it.
#[derive(Debug)]
pub struct ImportedPage {
    pub id: Id,
    pub hash: Hash,
    pub text: Text,
    /// What pages have no field for, as JSON.
    pub extra: Text,
    pub sent_at: Option<i64>,
}

/// Floors and bytes that are written in one transaction: others wait for it.
const FLOORS_AT_ONCE: usize = 250;
const BYTES_AT_ONCE: usize = 1024 * 1024;

/// From so many new floors and pages on PostgreSQL is asked to analyze the tables.
const MANY: i64 = 200;

/// How long a process that imports is believed alive between two parts.
const LEASE_MS: i64 = 10 * 60 * 1000;

/// The row of the branch `main` of every session.
const MAIN_ROW: i64 = 1;

/// An import under way: the hidden session, and the job that owns its rows.
#[derive(Debug, Clone)]
pub struct ImportBegun {
    session_row: i64,
    seq: i64,
    first_row: i64,
    kind_min: i64,
    job: Id,
    lease_until: i64,
}

impl ImportedChat {
    /// The name that the chat will have.
    fn chat_file(&self) -> &str {
        self.new.story.chat_file.as_deref().unwrap_or(self.id.as_str())
    }

    /// The floors of each transaction.
    pub fn parts(&self) -> Vec<Range<usize>> {
        let (mut parts, mut from, mut bytes) = (Vec::new(), 0, 0);
        for (at, floor) in self.floors.iter().enumerate() {
            bytes += floor.metadata.stored_bytes();
            bytes += floor.pages.iter().map(|page| page.text.stored_bytes() + page.extra.stored_bytes()).sum::<usize>();
            if at + 1 - from >= FLOORS_AT_ONCE || bytes >= BYTES_AT_ONCE {
                parts.push(from..at + 1);
                (from, bytes) = (at + 1, 0);
            }
        }
        if from < self.floors.len() || parts.is_empty() {
            parts.push(from..self.floors.len());
        }
        parts
    }

    /// How many rows a part of the floors and their pages has.
    fn rows(&self, part: Range<usize>) -> i64 {
        let rows: usize = self.floors[part].iter().map(|floor| 1 + floor.pages.len()).sum();
        i64::try_from(rows).unwrap_or(i64::MAX)
    }

    fn add(
        &self,
        tx: &mut dyn Tx,
        tick: Tick<'_>,
        (first_row, kind_min): (i64, i64),
        part: Range<usize>,
        has_grown: bool,
    ) -> StoreResult<()> {
        let mut next_row = first_row + self.rows(0..part.start);
        let (mut floors, mut metadata, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        let now = tick.now();
        for (floor, floor_no) in self.floors[part.clone()].iter().zip(part.start..) {
            let floor_row = next_row;
            let kind = kind_of(floor.role).number();
            // A date of the future is a clock that was wrong.
            let sent = |page: &ImportedPage| page.sent_at.filter(|at| (0..=now).contains(at));
            floors.push(FloorRow {
                floor_row,
                id: floor.id.clone(),
                floor_no: i64::try_from(floor_no).unwrap_or(i64::MAX),
                broken: kind >= kind_min,
                created_at: floor.pages.get(floor.active).and_then(sent),
            });
            metadata.push((floor_row, &floor.metadata));
            for (page, version) in floor.pages.iter().zip(0_i64..) {
                next_row += 1;
                pages.push(PageRow {
                    page_row: next_row,
                    id: page.id.clone(),
                    floor_row,
                    page_no: 0,
                    version,
                    kind,
                    is_active: usize::try_from(version) == Ok(floor.active),
                    role: Some(floor.role),
                    name: floor.name.as_deref(),
                    hash: page.hash,
                    text: &page.text,
                    extra: Some(&page.extra),
                    created_at: sent(page),
                });
            }
            next_row += 1;
        }
        let mark = commit::mark_at(tick);
        rows::add_floors(tx, tick, MAIN_ROW, &floors, mark)?;
        // Each page that is added looks for its floor, in a table that the database may believe to be empty.
        if has_grown {
            tx.has_grown()?;
        }
        // Metadata and texts are in one table: to look at it between them would say that there are no texts.
        rows::add_metadata(tx, tick, &metadata)?;
        rows::add_pages(tx, tick, &pages, mark)?;
        // What is read next is the whole chat.
        if has_grown {
            tx.has_grown()?;
        }
        Ok(())
    }
}

/// Imports a chat that is one part.
pub fn create(tx: &mut dyn Tx, account: &Id, chat: &ImportedChat, quotas: &Quotas, now: i64) -> StoreResult<Session> {
    let held = AccountClock::of(tx, account, now)?;
    let (session_row, session) = sessions::insert(tx, &held, &chat.new, &chat.id, quotas)?;
    let key = SessionKey::new(account, session_row);
    let place = reserve(tx, key, chat)?;
    let tick = Tick::of_import(key, held.tick().seq());
    let all = 0..chat.floors.len();
    let many = chat.rows(all.clone()) >= MANY;
    chat.add(tx, tick, place, all, many)?;
    let scope = EventScope::session(session_row, &chat.id);
    events::emit(tx, held.tick(), EventKind::SessionCreated, &scope, &chat.id, None)?;
    Ok(session)
}

/// Takes the numbers of all rows that come; also answers from which kind on pages are part of the story.
fn reserve(tx: &mut dyn Tx, session: SessionKey<'_>, chat: &ImportedChat) -> StoreResult<(i64, i64)> {
    let rows = chat.rows(0..chat.floors.len());
    let sql = sql!(
        "UPDATE session SET last_row = last_row + ?3 WHERE account_id = ?1 AND session_row = ?2 RETURNING last_row"
    );
    let last_row = one(tx, sql, in_session![session, rows], |row| row.int(0))?;
    Ok((last_row - rows + 1, settings::read(tx, session)?.kind_min))
}

/// Begins an import in parts. Names that are taken are refused here and again at the end.
pub fn begin(
    tx: &mut dyn Tx,
    account: &Id,
    chat: &ImportedChat,
    job: &Id,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<ImportBegun> {
    let held = AccountClock::of(tx, account, now)?;
    let (session_row, _) = sessions::insert(tx, &held, &chat.new, &chat.id, quotas)?;
    let key = SessionKey::new(account, session_row);
    let (first_row, kind_min) = reserve(tx, key, chat)?;
    let clock = SessionClock::of_new(&held, session_row, first_row);
    // It holds no variables yet.
    hidden::hide(tx, &clock, &mut Totals::default())?;
    quota::move_sessions(tx, account, -1, 0)?;
    let lease_until = held.now() + LEASE_MS;
    let sql = sql!(
        "INSERT INTO job (account_id, id, kind, state, session_row, subject_id, done, total, created_at, updated_at, lane,
                          lease_until)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?8, ?9, ?10)"
    );
    let (kind, state, lane) =
        (JobKind::ImportSession.number(), JobState::Running.number(), JobKind::ImportSession.lane().number());
    let total = chat.rows(0..chat.floors.len());
    tx.execute(sql, params![account, job, kind, state, session_row, &chat.id, total, held.now(), lane, lease_until])?;
    Ok(ImportBegun { session_row, seq: held.tick().seq(), first_row, kind_min, job: job.clone(), lease_until })
}

/// Refuses to go on with an import whose rows are being purged.
fn still_ours(tx: &mut dyn Tx, account: &Id, begun: &ImportBegun, rows: u64) -> StoreResult<()> {
    let lost = || StoreError::Contended("the import took too long and was given up; send it again".into());
    if rows == 0 {
        return Err(lost());
    }
    let sql = sql!("SELECT 1 FROM session WHERE account_id = ?1 AND session_row = ?2 AND deleted_at IS NOT NULL");
    first(tx, sql, params![account, begun.session_row], |_| Ok(()))?.ok_or_else(lost)
}

/// Adds a part of the floors.
pub fn add_part(
    tx: &mut dyn Tx,
    account: &Id,
    chat: &ImportedChat,
    begun: &ImportBegun,
    (number, part): (usize, Range<usize>),
) -> StoreResult<()> {
    // The row of the job is taken, so that nobody purges meanwhile.
    let sql = sql!("UPDATE job SET done = ?4 WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let done = chat.rows(0..part.end);
    let rows = tx.execute(sql, params![account, &begun.job, begun.lease_until, done])?;
    still_ours(tx, account, begun, rows)?;
    let tick = Tick::of_import(SessionKey::new(account, begun.session_row), begun.seq);
    // There is twice as much as at the last look.
    chat.add(tx, tick, (begun.first_row, begun.kind_min), part, (number + 1).is_power_of_two())
}

/// Shows the session.
pub fn finish(
    tx: &mut dyn Tx,
    account: &Id,
    chat: &ImportedChat,
    begun: &ImportBegun,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<Session> {
    let held = AccountClock::of(tx, account, now)?;
    let sql = sql!("DELETE FROM job WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3");
    let rows = tx.execute(sql, params![account, &begun.job, begun.lease_until])?;
    still_ours(tx, account, begun, rows)?;
    let names = (&chat.id, chat.chat_file());
    sessions::count_new(tx, &held, names, quotas)?;
    let key = SessionKey::new(account, begun.session_row);
    hidden::show(tx, key, names, &mut Totals::default())?;
    let shown = |tx: &mut dyn Tx, session: &SessionClock| {
        session.mark_changed();
        let scope = EventScope::session(begun.session_row, &chat.id);
        events::emit(tx, session.tick(), EventKind::SessionCreated, &scope, &chat.id, None)
    };
    clock::with_session_row(tx, key, held.now(), shown)?;
    sessions::get(tx, account, &chat.id)
}

/// Leaves what was written of an import that failed to the job.
pub fn abandon(tx: &mut dyn Tx, account: &Id, begun: &ImportBegun) -> StoreResult<()> {
    let sql = sql!(
        "UPDATE job SET state = 0, lease_until = NULL WHERE account_id = ?1 AND id = ?2 AND state = 1 AND lease_until = ?3"
    );
    tx.execute(sql, params![account, &begun.job, begun.lease_until]).map(drop)
}
