//! Characters. A session takes the template and the profile of its character unless it has its
//! own. The account's clock guards them.
//!
//! A character that is deleted is gone for everybody at once. Sessions that use it go on with what it said last: its row
//! stays without its id until the last of them is gone, and while it is in the trash. A copy for each session would cost their number times the
//! template, and a refusal would leave people with a list they cannot tidy up.

use crate::conversation::{cards, tags};
use crate::events::{self, EventScope};
use crate::story::functions;
use crate::story::settings::{self, ProfileHashes};
use crate::tree::characters;
use crate::tree::prelude::*;
use crate::tree::quota;
use crate::tree::trash_items::{self, Amount, Bin, Subject, TrashKind};
use crate::types::order::{CharacterPatch, CharacterQuery, CharacterSort, CharacterStory, NewCharacter};
use crate::types::record::{Character, CharacterSummary, Condition, EventKind, Listed};
use std::sync::LazyLock;
use tavernkeep_engine::limits::CHARACTERS_MAX;
use tavernkeep_engine::story::Hash;

/// Creates a character; `fresh` are the ids of its functions.
pub fn create(
    tx: &mut dyn Tx,
    account: &Id,
    new: &NewCharacter,
    (id, fresh): (&Id, &[Id]),
    now: i64,
) -> StoreResult<Character> {
    let clock = AccountClock::of(tx, account, now)?;
    let trashed = trash_items::count_of(tx, account, TrashKind::Character)?;
    quota::refuse(count(tx, account)? + trashed >= CHARACTERS_MAX, "characters", CHARACTERS_MAX, trashed)?;
    if characters::find(tx, account, id)?.is_some() {
        return Err(Refusal::IdTaken("character", id.to_string()).into());
    }
    let sql =
        sql!("UPDATE account SET last_character = last_character + 1 WHERE account_id = ?1 RETURNING last_character");
    let character_row = one(tx, sql, params![account], |row| row.int(0))?;
    let sql = sql!(
        "INSERT INTO character (account_id, character_row, id, name, enabled, greetings, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6)"
    );
    tx.execute(sql, params![account, character_row, id, new.name.as_bytes(), new.enabled, clock.now()])?;
    let sql = sql!("INSERT INTO character_story (account_id, character_row) VALUES (?1, ?2)");
    tx.execute(sql, params![account, character_row])?;
    put_story(tx, &clock, (character_row, fresh), &new.story)?;
    events::emit(tx, clock.tick(), EventKind::CharacterCreated, &EventScope::ACCOUNT, id, None)?;
    get(tx, account, id)
}

fn count(tx: &mut dyn Tx, account: &Id) -> StoreResult<i64> {
    let sql = sql!("SELECT COUNT(*) FROM character WHERE account_id = ?1 AND deleted_at IS NULL");
    one(tx, sql, params![account], |row| row.int(0))
}

fn put_story(
    tx: &mut dyn Tx,
    clock: &AccountClock,
    (row, fresh): (i64, &[Id]),
    story: &CharacterStory,
) -> StoreResult<()> {
    let (account, now) = (clock.account(), clock.now());
    if let Some(profile) = &story.profile {
        let sql = sql!(
            "UPDATE character_story SET profile_hash = ?3, rules_hash = ?4, reads_users = ?5
             WHERE account_id = ?1 AND character_row = ?2"
        );
        let ProfileHashes { profile, rules, reads_users } = settings::put_profile(tx, account, profile.as_ref(), now)?;
        let [profile, rules] = [&profile, &rules].map(|hash| hash.as_ref().map(Hash::as_slice));
        tx.execute(sql, params![account, row, profile, rules, reads_users])?;
    }
    if let Some(template) = &story.template {
        let sql = sql!(
            "UPDATE character_story SET template = ?3, template_hash = ?4
             WHERE account_id = ?1 AND character_row = ?2"
        );
        let bytes = template.as_ref().map(|template| codec::encode(template.as_str()));
        let hash = template.as_ref().map(settings::definition_hash);
        let hash = hash.as_ref().map(Hash::as_slice);
        tx.execute(sql, params![account, row, bytes.as_ref(), hash])?;
    }
    if let Some(greetings) = &story.greetings {
        let text = serde_json::to_string(greetings)
            .map_err(|error| StoreError::Internal(format!("greetings cannot be written: {error}")))?;
        let sql = sql!("UPDATE character_story SET greetings = ?3 WHERE account_id = ?1 AND character_row = ?2");
        tx.execute(sql, params![account, row, &codec::encode(&text)])?;
        let sql = sql!("UPDATE character SET greetings = ?3 WHERE account_id = ?1 AND character_row = ?2");
        tx.execute(sql, params![account, row, i64::try_from(greetings.len()).unwrap_or(i64::MAX)])?;
    }
    if let Some(functions) = &story.functions {
        functions::replace(tx, clock, row, functions, fresh)?;
    }
    Ok(())
}

const COLUMNS: &str = "c.id, c.name, c.enabled, c.greetings, c.created_at, c.updated_at";

struct Statements {
    /// By what it is sorted, by direction.
    lists: [[Sql; 2]; 3],
    get: Sql,
    get_hidden: Sql,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let list = |column: &str, direction: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS} FROM character c WHERE c.account_id = ?1 AND c.deleted_at IS NULL
             ORDER BY {column}c.character_row {direction} LIMIT ?2 OFFSET ?3"
        ))
    };
    let whole = |columns: &str, condition: &str| {
        Sql::assembled(format!(
            "SELECT {columns}, d.body, t.template, t.greetings, c.character_row FROM character c
             JOIN character_story t ON t.account_id = c.account_id AND t.character_row = c.character_row
             LEFT JOIN definition d ON d.account_id = t.account_id AND d.hash = t.profile_hash
             WHERE c.account_id = ?1 AND {condition}"
        ))
    };
    let sorts = ["c.name {}, ", "", "c.updated_at {}, "];
    Statements {
        lists: sorts.map(|column| ["DESC", "ASC"].map(|direction| list(&column.replace("{}", direction), direction))),
        get: whole(COLUMNS, "c.id = ?2"),
        get_hidden: whole(&COLUMNS.replace("c.id", "CAST(?3 AS TEXT)"), "c.character_row = ?2"),
    }
});

fn summary(row: &dyn Row) -> StoreResult<CharacterSummary> {
    Ok(CharacterSummary {
        id: stored_id(row.text(0)?)?,
        name: stored_text(row.bytes(1)?)?,
        enabled: row.int(2)? == 1,
        greeting_count: row.int(3)?,
        created_at: row.int(4)?,
        updated_at: row.int(5)?,
    })
}

pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Character> {
    let found = first(tx, STATEMENTS.get, params![account, id], read_whole)?;
    with_functions(tx, account, found.ok_or_else(|| Refusal::CharacterNotFound(id.clone()))?)
}

/// A character without its functions, and its row.
fn read_whole(row: &dyn Row) -> StoreResult<(i64, Character)> {
    let character = Character {
        summary: summary(row)?,
        profile: row.bytes_or_null(6)?.map(codec::decode_json).transpose()?,
        template: row.bytes_or_null(7)?.map(codec::decode_json).transpose()?,
        greetings: row.bytes_or_null(8)?.map(stored_greetings).transpose()?.unwrap_or_default(),
        functions: Vec::new(),
    };
    Ok((row.int(9)?, character))
}

fn with_functions(tx: &mut dyn Tx, account: &Id, (row, character): (i64, Character)) -> StoreResult<Character> {
    Ok(Character { functions: functions::of_scope(tx, account, row)?, ..character })
}

fn stored_greetings(bytes: &[u8]) -> StoreResult<Vec<String>> {
    serde_json::from_str(&codec::decode(bytes)?)
        .map_err(|error| StoreError::Corrupt(format!("greetings cannot be read: {error}")))
}

pub fn list(tx: &mut dyn Tx, account: &Id, query: &CharacterQuery) -> StoreResult<Listed<CharacterSummary>> {
    let window = query.window;
    let by = match query.sort {
        CharacterSort::Name => 0,
        CharacterSort::CreatedAt => 1,
        CharacterSort::UpdatedAt => 2,
    };
    let sql = STATEMENTS.lists[by][usize::from(window.ascending)];
    let rows = all(tx, sql, params![account, window.limit + 1, window.offset], summary)?;
    let total = if window.total { Some(count(tx, account)?) } else { None };
    Ok(Listed::cut(rows, window, total))
}

pub fn ids(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<Id>> {
    let sql = sql!("SELECT id FROM character WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY character_row");
    all(tx, sql, params![account], |row| stored_id(row.text(0)?))
}

fn needed(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<i64> {
    characters::find(tx, account, id)?.ok_or_else(|| Refusal::CharacterNotFound(id.clone()).into())
}

/// Changes a character; `fresh` are ids for new functions. States that were computed with another profile, template or functions
/// are outdated from then on.
pub fn update(
    tx: &mut dyn Tx,
    account: &Id,
    (id, fresh): (&Id, &[Id]),
    patch: &CharacterPatch,
    now: i64,
) -> StoreResult<Character> {
    let clock = AccountClock::of(tx, account, now)?;
    let character_row = needed(tx, account, id)?;
    tags::check(patch.condition, "character", || Ok(tags::of_character(&get(tx, account, id)?)))?;
    let sql = sql!(
        "UPDATE character SET name = COALESCE(?3, name), enabled = COALESCE(?4, enabled), updated_at = ?5
         WHERE account_id = ?1 AND character_row = ?2"
    );
    let name = patch.name.as_deref().map(str::as_bytes);
    tx.execute(sql, params![account, character_row, name, patch.enabled, clock.now()])?;
    put_story(tx, &clock, (character_row, fresh), &patch.story)?;
    events::emit(tx, clock.tick(), EventKind::CharacterUpdated, &EventScope::ACCOUNT, id, None)?;
    get(tx, account, id)
}

/// Deletes a character; sessions that use it keep what it said. Returns its item in the trash.
pub fn delete(
    tx: &mut dyn Tx,
    account: &Id,
    id: &Id,
    (condition, bin): (Condition, &Bin),
    now: i64,
) -> StoreResult<Option<Id>> {
    let clock = AccountClock::of(tx, account, now)?;
    let character_row = needed(tx, account, id)?;
    tags::check(condition, "character", || Ok(tags::of_character(&get(tx, account, id)?)))?;
    // A name that no id can have, so that the id is free again.
    let sql = sql!(
        "UPDATE character SET deleted_at = ?3, id = '/' || CAST(character_row AS TEXT)
         WHERE account_id = ?1 AND character_row = ?2 RETURNING name"
    );
    let name = one(tx, sql, params![account, character_row, clock.now()], |row| Ok(row.bytes(0)?.to_vec()))?;
    let item = match bin {
        Bin::Trash(item) => {
            let kind = TrashKind::Character;
            let subject = Subject { kind, row: character_row, id, name: Some(&name), chat_file: None };
            Some(trash_items::put_subject(tx, clock.tick(), item, subject, Amount::default())?)
        }
        Bin::Purge => {
            purge(tx, account, character_row)?;
            None
        }
    };
    events::emit(tx, clock.tick(), EventKind::CharacterDeleted, &EventScope::ACCOUNT, id, None)?;
    Ok(item)
}

/// Purges a character that is deleted and not in the trash, but for what sessions need that use it.
pub(crate) fn purge(tx: &mut dyn Tx, account: &Id, character_row: i64) -> StoreResult<()> {
    // No session greets with it any more.
    let sql = sql!("UPDATE character_story SET greetings = NULL WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, character_row])?;
    cards::purge(tx, account, character_row)?;
    functions::purge(tx, account, character_row)?;
    characters::sweep(tx, account)
}

/// Shows a character again that is in the trash. Its sessions have it again.
pub(crate) fn show_again(tx: &mut dyn Tx, clock: &AccountClock, character_row: i64, id: &Id) -> StoreResult<()> {
    let account = clock.account();
    if characters::find(tx, account, id)?.is_some() {
        return Err(Refusal::RestoreTaken("character", id.to_string()).into());
    }
    let sql = sql!("UPDATE character SET deleted_at = NULL, id = ?3 WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, character_row, id])?;
    events::emit(tx, clock.tick(), EventKind::CharacterCreated, &EventScope::ACCOUNT, id, None)
}

/// Reads a character that is in the trash, under the id it had.
pub fn get_hidden(tx: &mut dyn Tx, account: &Id, character_row: i64, id: &Id) -> StoreResult<Character> {
    let found = first(tx, STATEMENTS.get_hidden, params![account, character_row, id], read_whole)?;
    with_functions(tx, account, found.ok_or_else(|| Refusal::CharacterNotFound(id.clone()))?)
}
