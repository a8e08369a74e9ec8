//! Sessions: create, read, list, change, delete with everything that hangs on them.

mod floor_counts;

use crate::conversation::{branches, cascade, tags};
use crate::db::hash::stored_hash;
use crate::events::{self, EventScope};
use crate::tree::bodies::{self, Body};
use crate::tree::clock::{self, Reserve};
use crate::tree::hidden;
use crate::tree::hosts;
use crate::tree::prelude::*;
use crate::tree::quota::{self, Quotas};
use crate::tree::trash_items::{self, Bin, Subject, TrashKind};
use crate::types::order::{NewSession, SessionPatch, SessionQuery, SessionSort, StorySettings};
use crate::types::record::{Condition, Deletion, EventKind, JobKind, Listed, Session};
use crate::{jobs, story};
pub use floor_counts::FloorCounts;

/// Creates a session and registers its branch `main`.
pub fn create(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewSession,
    id: &Id,
    quotas: &Quotas,
    now: i64,
) -> StoreResult<Session> {
    // The account's clock guards the names of its sessions.
    let held = AccountClock::of(tx, account, now)?;
    let (session_row, session) = insert(tx, &held, new, id, quotas)?;
    let scope = EventScope::session(session_row, id);
    events::emit(tx, held.tick(), EventKind::SessionCreated, &scope, id, None)?;
    Ok(session)
}

/// Refuses names that other sessions have, and one session more than there may be.
pub(crate) fn count_new(
    tx: &mut dyn Tx,
    held: &AccountClock,
    (id, chat_file): (&Id, &str),
    quotas: &Quotas,
) -> StoreResult<()> {
    let account = held.account();
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    if first(tx, sql, params![account, id], |row| row.int(0))?.is_some() {
        return Err(Refusal::IdTaken("session", id.to_string()).into());
    }
    quota::count_session(tx, held, quotas.sessions)?;
    free_chat_file(tx, account, chat_file, None)
}

/// The same without an event: the caller emits one. Answers the session's row as well; `main` has the row 1.
pub(crate) fn insert(
    tx: &mut dyn Tx,
    held: &AccountClock,
    new: &NewSession,
    id: &Id,
    quotas: &Quotas,
) -> StoreResult<(i64, Session)> {
    let account = held.account();
    let chat_file = new.story.chat_file.clone().unwrap_or_else(|| id.to_string());
    count_new(tx, held, (id, &chat_file), quotas)?;
    let sql = sql!("UPDATE account SET last_session = last_session + 1 WHERE account_id = ?1 RETURNING last_session");
    let session_row = one(tx, sql, params![account], |row| row.int(0))?;
    let main_row = 1_i64;
    let sql = sql!(
        "INSERT INTO session
            (account_id, session_row, id, title, created_at, updated_at, seq, last_row, variables, chat_file)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?7, ?6, 0, ?8)"
    );
    let (title, now, seq) = (new.title.as_deref().map(str::as_bytes), held.now(), held.tick().seq());
    tx.execute(sql, params![account, session_row, id, title, now, main_row, seq, chat_file.as_bytes()])?;
    let clock = &SessionClock::of_new(held, session_row, main_row);
    put_story(tx, Some(held), clock, &new.story)?;
    bodies::put(tx, clock, (Scope::Chat, 0), &Body::new(None, new.metadata.as_ref()))?;
    branches::insert(tx, clock, main_row, MAIN_BRANCH, None)?;
    let session = Session {
        id: id.clone(),
        title: new.title.clone(),
        metadata: new.metadata.clone(),
        chat_file,
        profile: new.story.profile.clone().flatten(),
        state_key: new.story.state_key.clone().flatten().map(|key| key.as_str().to_owned()),
        character: new.story.character.clone().flatten(),
        template_hash: new.story.template.as_ref().and_then(Option::as_ref).map(story::settings::definition_hash),
        floors: None,
        created_at: held.now(),
        updated_at: held.now(),
    };
    Ok((session_row, session))
}

/// The session of a chat.
pub fn of_chat(tx: &mut dyn Tx, account: &Id, chat_file: &str) -> StoreResult<Option<Id>> {
    let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND chat_file = ?2 AND deleted_at IS NULL");
    first(tx, sql, params![account, chat_file.as_bytes()], |row| stored_id(row.text(0)?))
}

/// Refuses a chat's name that another session has.
fn free_chat_file(tx: &mut dyn Tx, account: &Id, chat_file: &str, own: Option<i64>) -> StoreResult<()> {
    let sql = sql!("SELECT session_row, id FROM session WHERE account_id = ?1 AND chat_file = ?2");
    let found =
        first(tx, sql, params![account, chat_file.as_bytes()], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))?;
    match found {
        Some((row, id)) if Some(row) != own => Err(Refusal::ChatFileTaken(chat_file.to_owned(), id).into()),
        _ => Ok(()),
    }
}

fn put_story(
    tx: &mut dyn Tx,
    held: Option<&AccountClock>,
    clock: &SessionClock,
    settings: &StorySettings,
) -> StoreResult<()> {
    if let Some(key) = &settings.state_key {
        let sql = sql!("UPDATE session SET state_key = ?3 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, in_session![clock, key.as_ref().map(|key| key.as_str().as_bytes())])?;
    }
    if let (Some(character), Some(held)) = (&settings.character, held) {
        story::settings::put_character(tx, held, clock, character.as_ref())?;
    }
    let (profile, template) =
        (settings.profile.as_ref().map(Option::as_ref), settings.template.as_ref().map(Option::as_ref));
    story::settings::put(tx, clock, profile, template)
}

const COLUMNS: &str =
    "s.id, s.title, b.extra, s.created_at, s.updated_at, s.chat_file, d.body, s.state_key, c.id, t.template_hash";
const JOIN: &str = "FROM session s LEFT JOIN body b
    ON b.account_id = s.account_id AND b.session_row = s.session_row AND b.scope = 1 AND b.host_row = 0
    LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
    LEFT JOIN definition d ON d.account_id = t.account_id AND d.hash = t.profile_hash
    LEFT JOIN character c ON c.account_id = s.account_id AND c.character_row = s.character_row AND c.deleted_at IS NULL";

static STATEMENTS: std::sync::LazyLock<[Sql; 6]> = std::sync::LazyLock::new(|| {
    let list = |order: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS}, s.session_row, s.seq {JOIN} WHERE s.account_id = ?1 AND s.deleted_at IS NULL ORDER BY {order} LIMIT ?2 OFFSET ?3"
        ))
    };
    [
        list("s.session_row DESC"),
        list("s.session_row ASC"),
        list("s.updated_at DESC, s.session_row DESC"),
        list("s.updated_at ASC, s.session_row ASC"),
        Sql::assembled(format!("SELECT {COLUMNS} {JOIN} WHERE s.account_id = ?1 AND s.id = ?2")),
        // A session that is being deleted has no such name any more.
        Sql::assembled(format!(
            "SELECT {COLUMNS}, s.session_row, s.seq {JOIN} WHERE s.account_id = ?1 AND s.chat_file = ?2"
        )),
    ]
});

fn read(row: &dyn Row) -> StoreResult<Session> {
    Ok(Session {
        id: stored_id(row.text(0)?)?,
        title: row.bytes_or_null(1)?.map(stored_text).transpose()?,
        metadata: row.bytes_or_null(2)?.map(codec::decode_json).transpose()?,
        created_at: row.int(3)?,
        updated_at: row.int(4)?,
        chat_file: stored_text(row.bytes(5)?)?,
        profile: row.bytes_or_null(6)?.map(codec::decode_json).transpose()?,
        state_key: row.bytes_or_null(7)?.map(stored_text).transpose()?,
        character: row.text_or_null(8)?.map(stored_id).transpose()?,
        template_hash: row.bytes_or_null(9)?.map(stored_hash).transpose()?,
        floors: None,
    })
}

/// A session, with its row and where its clock stands.
fn read_listed(row: &dyn Row) -> StoreResult<(Session, (i64, i64))> {
    Ok((read(row)?, (row.int(10)?, row.int(11)?)))
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Session> {
    first(tx, STATEMENTS[4], params![account, id], read)?.ok_or_else(|| Refusal::SessionNotFound(id.clone()).into())
}

pub fn list(tx: &mut dyn Tx, account: &Id, query: &SessionQuery, counts: &FloorCounts) -> StoreResult<Listed<Session>> {
    let window = query.window;
    if let Some(chat_file) = &query.chat_file {
        let found = first(tx, STATEMENTS[5], params![account, chat_file.as_bytes()], read_listed)?;
        let total = window.total.then_some(i64::from(found.is_some()));
        let rows = with_floors(tx, account, found.into_iter().filter(|_| window.offset == 0).collect(), counts)?;
        return Ok(Listed::cut(rows, window, total));
    }
    let statement = usize::from(query.sort == SessionSort::UpdatedAt) * 2 + usize::from(window.ascending);
    let found = all(tx, STATEMENTS[statement], params![account, window.limit + 1, window.offset], read_listed)?;
    let sql = sql!("SELECT sessions FROM account WHERE account_id = ?1");
    let total = if window.total { Some(one(tx, sql, params![account], |row| row.int(0))?) } else { None };
    let rows = with_floors(tx, account, found, counts)?;
    Ok(Listed::cut(rows, window, total))
}

fn with_floors(
    tx: &mut dyn Tx,
    account: &Id,
    found: Vec<(Session, (i64, i64))>,
    counts: &FloorCounts,
) -> StoreResult<Vec<Session>> {
    let (mut sessions, clocks): (Vec<Session>, Vec<(i64, i64)>) = found.into_iter().unzip();
    for (session, floors) in sessions.iter_mut().zip(counts.of(tx, account, &clocks)?) {
        session.floors = Some(floors);
    }
    Ok(sessions)
}

pub fn update(tx: &mut dyn Tx, account: &Id, id: &Id, patch: &SessionPatch, now: i64) -> StoreResult<Session> {
    // The names of chats and the characters are the account's to guard, and its clock comes before a session's.
    let held = match patch.story.chat_file.is_some() || patch.story.character.is_some() {
        true => AccountClock::take(tx, account, now)?,
        false => None,
    };
    clock::with_session(tx, account, id, now, Reserve::default(), |tx, clock| {
        tags::check(patch.condition, "session", || Ok(tags::of_session(&get(tx, account, id)?)))?;
        if let Some(title) = &patch.title {
            let sql = sql!("UPDATE session SET title = ?3 WHERE account_id = ?1 AND session_row = ?2");
            tx.execute(sql, in_session![clock, title.as_deref().map(str::as_bytes)])?;
        }
        if let Some(metadata) = &patch.metadata {
            bodies::set_extra(tx, clock, (Scope::Chat, 0), metadata.as_ref())?;
        }
        if let Some(chat_file) = &patch.story.chat_file {
            free_chat_file(tx, account, chat_file, Some(clock.session_row()))?;
            let sql = sql!("UPDATE session SET chat_file = ?3 WHERE account_id = ?1 AND session_row = ?2");
            tx.execute(sql, in_session![clock, chat_file.as_bytes()])?;
        }
        put_story(tx, held.as_ref(), clock, &patch.story)?;
        clock.mark_changed();
        let scope = EventScope::session(clock.session_row(), id);
        events::emit(tx, clock.tick(), EventKind::SessionUpdated, &scope, id, None)
    })?;
    get(tx, account, id)
}

/// Deletes sessions with everything that hangs on them: hides them until their items in the trash are restored or purged, or
/// purges them. In that case a long one is hidden, and a job with one of `job_ids` (as many as `ids`) takes it away.
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    ids: &[Id],
    (condition, bin, job_ids): (Condition, &Bin, &[Id]),
    now: i64,
) -> StoreResult<Vec<Deletion>> {
    // The names of sessions are the account's to guard; its tick also makes every cached answer old.
    if AccountClock::take(tx, account, now)?.is_none() {
        return Ok(vec![Deletion::Absent; ids.len()]);
    }
    let sql = sql!("SELECT session_row, 0 FROM session WHERE account_id = ?1 AND id = ?2");
    let find = |tx: &mut dyn Tx, id: &Id| {
        first(tx, sql, params![account, id], |row| Ok(HostRow::new(row.int(0)?, Scope::Chat, 0)))
    };
    let mut rows = Vec::new();
    for id in ids {
        rows.extend(find(tx, id)?);
    }
    let mut spare = job_ids.iter();
    hosts::with_rows(tx, account, rows, now, |tx, locked| {
        let mut totals = Totals::default();
        let mut outcomes = Vec::with_capacity(ids.len());
        for id in ids {
            // Looked up again under the clock: another write may have deleted it.
            let row = find(tx, id)?;
            let Some(clock) = row.and_then(|row| locked.session(row)) else {
                outcomes.push(Deletion::Absent);
                continue;
            };
            tags::check(condition, "session", || Ok(tags::of_session(&get(tx, account, id)?)))?;
            if let Bin::Trash(item) = bin {
                outcomes.push(Deletion::Trashed(put_into_trash(tx, clock, id, item, &mut totals)?));
            } else if hidden::is_long(tx, clock.key())? {
                let job = spare.next().ok_or_else(|| StoreError::Internal("no id for a job".into()))?;
                hidden::hide(tx, clock, &mut totals)?;
                trash_items::drop_of_session(tx, clock.key(), &mut totals)?;
                jobs::create(tx, clock.tick(), job, JobKind::DeleteSession, clock.session_row(), id)?;
                outcomes.push(Deletion::ByJob(job.clone()));
            } else {
                cascade::session(tx, clock, &mut totals)?;
                outcomes.push(Deletion::Done);
            }
            // An event of the account: the session's own events are deleted with it.
            events::emit(tx, clock.tick(), EventKind::SessionDeleted, &EventScope::session(0, id), id, None)?;
        }
        let fewer = outcomes.iter().filter(|outcome| outcome.was_there()).count();
        if fewer > 0 {
            let fewer = -i64::try_from(fewer).unwrap_or(i64::MAX);
            let trashed = if matches!(bin, Bin::Trash(_)) { -fewer } else { 0 };
            quota::move_sessions(tx, account, fewer, trashed)?;
        }
        totals.keep(tx, account)?;
        Ok(outcomes)
    })
}

fn put_into_trash(tx: &mut dyn Tx, clock: &SessionClock, id: &Id, item: &Id, totals: &mut Totals) -> StoreResult<Id> {
    let sql = sql!("SELECT title, chat_file FROM session WHERE account_id = ?1 AND session_row = ?2");
    let bytes = |row: &dyn Row, at: usize| Ok::<_, StoreError>(row.bytes_or_null(at)?.map(<[u8]>::to_vec));
    let (title, chat_file) = one(tx, sql, in_session![clock], |row| Ok((bytes(row, 0)?, bytes(row, 1)?)))?;
    let amount = hidden::hide(tx, clock, totals)?;
    totals.add_trashed(clock.session_row(), amount.variables);
    let (kind, row) = (TrashKind::Session, clock.session_row());
    let subject = Subject { kind, row, id, name: title.as_deref(), chat_file: chat_file.as_deref() };
    trash_items::put_subject(tx, clock.tick(), item, subject, amount)
}

/// Shows a session again that is in the trash. Refuses names that other sessions have.
pub(crate) fn show_again(
    tx: &mut dyn Tx,
    clock: &AccountClock,
    session_row: i64,
    (id, chat_file): (&Id, &str),
    mut totals: Totals,
) -> StoreResult<()> {
    let account = clock.account();
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    if first(tx, sql, params![account, id], |row| row.int(0))?.is_some() {
        return Err(Refusal::RestoreTaken("session", id.to_string()).into());
    }
    let sql = sql!("SELECT id FROM session WHERE account_id = ?1 AND chat_file = ?2");
    let other = first(tx, sql, params![account, chat_file.as_bytes()], |row| stored_id(row.text(0)?))?;
    if let Some(other) = other {
        return Err(Refusal::RestoreChatTaken(chat_file.to_owned(), other).into());
    }
    hidden::show(tx, SessionKey::new(account, session_row), (id, chat_file), &mut totals)?;
    quota::move_sessions(tx, account, 1, -1)?;
    let work = |tx: &mut dyn Tx, session: &SessionClock| {
        session.mark_changed();
        let scope = EventScope::session(session_row, id);
        events::emit(tx, session.tick(), EventKind::SessionCreated, &scope, id, None)
    };
    clock::with_session_row(tx, SessionKey::new(account, session_row), clock.now(), work)?;
    totals.keep(tx, account)
}
