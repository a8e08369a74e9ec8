//! Sessions: create, read, list, change, delete with everything that hangs on them.

use crate::db::sql::Sql;
use crate::db::stored::{stored_id, stored_text};
use crate::db::tx::{Row, Tx, all, first, one};
use crate::error::{Refusal, StoreError, StoreResult};
use crate::events::{self, Scene};
use crate::tree::bodies::{self, Body};
use crate::tree::hosts::{self, HostRow};
use crate::tree::quota::{self, Quotas};
use crate::tree::totals::Totals;
use crate::tree::{MAIN_BRANCH, clock, hidden};
use crate::types::order::{NewSession, SessionPatch, SessionQuery, SessionSort, StorySettings};
use crate::types::record::{Deletion, EventKind, JobKind, Listed, Session};
use crate::{jobs, params, sql, story};
use std::collections::BTreeMap;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::scope::Scope;

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
    let tick = clock::of_this_account(tx, account, now)?;
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    if first(tx, sql, params![account, id], |row| row.int(0))?.is_some() {
        return Err(Refusal::IdTaken("session", id.to_string()).into());
    }
    quota::count_sessions(tx, account, 1, quotas.sessions)?;
    let chat_file = new.story.chat_file.clone().unwrap_or_else(|| id.to_string());
    free_chat_file(tx, account, &chat_file, None)?;
    let sql = sql!("UPDATE account SET last_session = last_session + 1 WHERE account_id = ?1 RETURNING last_session");
    let session_row = one(tx, sql, params![account], |row| row.int(0))?;
    let main_row = 1_i64;
    tx.execute(
        sql!(
            "INSERT INTO session
                (account_id, session_row, id, title, created_at, updated_at, seq, last_row, variables, chat_file)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?7, ?6, 0, ?8)"
        ),
        params![
            account,
            session_row,
            id,
            new.title.as_deref().map(str::as_bytes),
            tick.now,
            main_row,
            tick.seq,
            chat_file.as_bytes()
        ],
    )?;
    tell_story(tx, account, session_row, &new.story, now)?;
    let host = HostRow::new(session_row, Scope::Chat, 0);
    bodies::put(tx, account, host, &Body::new(None, new.metadata.as_ref()))?;
    crate::conversation::branches::insert(tx, account, session_row, main_row, MAIN_BRANCH, None, tick.now)?;
    let scene = Scene::session(session_row, id);
    events::tell(tx, account, tick, EventKind::SessionCreated, &scene, id, None)?;
    Ok(Session {
        id: id.clone(),
        title: new.title.clone(),
        metadata: new.metadata.clone(),
        chat_file,
        profile: new.story.profile.clone().flatten(),
        state_key: new.story.state_key.clone().flatten().map(|key| key.as_str().to_owned()),
        character: new.story.character.clone().flatten(),
        created_at: tick.now,
        updated_at: tick.now,
    })
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

/// Stores how a session's story is told.
fn tell_story(tx: &mut dyn Tx, account: &Id, session_row: i64, told: &StorySettings, now: i64) -> StoreResult<()> {
    if let Some(key) = &told.state_key {
        let sql = sql!("UPDATE session SET state_key = ?3 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, params![account, session_row, key.as_ref().map(|key| key.as_str().as_bytes())])?;
    }
    if let Some(character) = &told.character {
        story::settings::put_character(tx, account, session_row, character.as_ref())?;
    }
    let (profile, template) = (told.profile.as_ref().map(Option::as_ref), told.template.as_ref().map(Option::as_ref));
    story::settings::put(tx, account, (session_row, now), profile, template)
}

const COLUMNS: &str = "s.id, s.title, b.extra, s.created_at, s.updated_at, s.chat_file, d.body, s.state_key, c.id";
const JOIN: &str = "FROM session s LEFT JOIN body b
    ON b.account_id = s.account_id AND b.session_row = s.session_row AND b.scope = 1 AND b.host_row = 0
    LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
    LEFT JOIN definition d ON d.account_id = t.account_id AND d.hash = t.profile_hash
    LEFT JOIN character c ON c.account_id = s.account_id AND c.character_row = s.character_row AND c.deleted_at IS NULL";

static STATEMENTS: std::sync::LazyLock<[Sql; 6]> = std::sync::LazyLock::new(|| {
    let list = |order: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS} {JOIN} WHERE s.account_id = ?1 AND s.deleted_at IS NULL ORDER BY {order} LIMIT ?2 OFFSET ?3"
        ))
    };
    [
        list("s.session_row DESC"),
        list("s.session_row ASC"),
        list("s.updated_at DESC, s.session_row DESC"),
        list("s.updated_at ASC, s.session_row ASC"),
        Sql::assembled(format!("SELECT {COLUMNS} {JOIN} WHERE s.account_id = ?1 AND s.id = ?2")),
        // A session that is being deleted has no such name any more.
        Sql::assembled(format!("SELECT {COLUMNS} {JOIN} WHERE s.account_id = ?1 AND s.chat_file = ?2")),
    ]
});

fn read(row: &dyn Row) -> StoreResult<Session> {
    Ok(Session {
        id: stored_id(row.text(0)?)?,
        title: row.bytes_or_null(1)?.map(stored_text).transpose()?,
        metadata: row.bytes_or_null(2)?.map(crate::db::codec::decode_json).transpose()?,
        created_at: row.int(3)?,
        updated_at: row.int(4)?,
        chat_file: stored_text(row.bytes(5)?)?,
        profile: row.bytes_or_null(6)?.map(crate::db::codec::decode_json).transpose()?,
        state_key: row.bytes_or_null(7)?.map(stored_text).transpose()?,
        character: row.text_or_null(8)?.map(stored_id).transpose()?,
    })
}

/// Reads one session.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Session> {
    first(tx, STATEMENTS[4], params![account, id], read)?.ok_or_else(|| Refusal::SessionNotFound(id.clone()).into())
}

/// Lists sessions.
pub fn list(tx: &mut dyn Tx, account: &Id, query: &SessionQuery) -> StoreResult<Listed<Session>> {
    let window = query.window;
    if let Some(chat_file) = &query.chat_file {
        let found = first(tx, STATEMENTS[5], params![account, chat_file.as_bytes()], read)?;
        let total = window.total.then_some(i64::from(found.is_some()));
        let rows = found.filter(|_| window.offset == 0).into_iter().collect();
        return Ok(Listed::cut(rows, window, total));
    }
    let statement = usize::from(query.sort == SessionSort::UpdatedAt) * 2 + usize::from(window.ascending);
    let rows = all(tx, STATEMENTS[statement], params![account, window.limit + 1, window.offset], read)?;
    let total = match window.total {
        true => {
            let sql = sql!("SELECT sessions FROM account WHERE account_id = ?1");
            Some(one(tx, sql, params![account], |row| row.int(0))?)
        }
        false => None,
    };
    Ok(Listed::cut(rows, window, total))
}

/// Changes a session's title or metadata.
pub fn update(tx: &mut dyn Tx, account: &Id, id: &Id, patch: &SessionPatch, now: i64) -> StoreResult<Session> {
    if patch.story.chat_file.is_some() || patch.story.character.is_some() {
        // The names of chats and the characters are the account's to guard, and its clock comes before a session's.
        clock::of_account(tx, account, now)?;
    }
    let tick = clock::of_session(tx, account, id, now)?.ok_or_else(|| Refusal::SessionNotFound(id.clone()))?;
    if let Some(title) = &patch.title {
        let sql = sql!("UPDATE session SET title = ?3 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, params![account, tick.session_row, title.as_deref().map(str::as_bytes)])?;
    }
    if let Some(metadata) = &patch.metadata {
        let host = HostRow::new(tick.session_row, Scope::Chat, 0);
        bodies::set_extra(tx, account, host, metadata.as_ref())?;
    }
    if let Some(chat_file) = &patch.story.chat_file {
        free_chat_file(tx, account, chat_file, Some(tick.session_row))?;
        let sql = sql!("UPDATE session SET chat_file = ?3 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, params![account, tick.session_row, chat_file.as_bytes()])?;
    }
    tell_story(tx, account, tick.session_row, &patch.story, tick.now)?;
    clock::touch(tx, account, tick)?;
    let scene = Scene::session(tick.session_row, id);
    events::tell(tx, account, tick, EventKind::SessionUpdated, &scene, id, None)?;
    get(tx, account, id)
}

/// Deletes sessions with everything that hangs on them. A long one is hidden, and a job with one of `job_ids` (as many as
/// `ids`) takes it away.
pub fn delete(tx: &mut dyn Tx, account: &Id, ids: &[Id], job_ids: &[Id], now: i64) -> StoreResult<Vec<Deletion>> {
    // The names of sessions are the account's to guard; its tick also makes every cached answer old.
    clock::of_account(tx, account, now)?;
    let sql = sql!("SELECT session_row, 0 FROM session WHERE account_id = ?1 AND id = ?2");
    let mut totals = Totals::default();
    let mut begun: BTreeMap<Id, Id> = BTreeMap::new();
    let mut fewer = 0;
    let mut spare = job_ids.iter();
    let deleted = hosts::delete_all(tx, account, ids, Scope::Chat, sql, now, &mut |tx, host, tick, id| {
        fewer -= 1;
        if hidden::is_long(tx, account, host.session_row)? {
            let job = spare.next().ok_or_else(|| StoreError::Internal("no id for a job".into()))?;
            hidden::hide(tx, account, tick, &mut totals)?;
            jobs::create(tx, account, tick, job, JobKind::DeleteSession, host.session_row, id)?;
            begun.insert(id.clone(), job.clone());
        } else {
            crate::conversation::cascade::session(tx, account, host.session_row, &mut totals)?;
        }
        // Told by the account alone: the session's own events are gone with it.
        let scene = Scene::session(0, id);
        events::tell(tx, account, tick, EventKind::SessionDeleted, &scene, id, None)
    })?;
    if fewer < 0 {
        quota::count_sessions(tx, account, fewer, i64::MAX)?;
    }
    totals.keep(tx, account)?;
    let outcome = |(id, deleted): (&Id, bool)| match deleted {
        true => begun.remove(id).map_or(Deletion::Done, Deletion::ByJob),
        false => Deletion::Absent,
    };
    Ok(ids.iter().zip(deleted).map(outcome).collect())
}
