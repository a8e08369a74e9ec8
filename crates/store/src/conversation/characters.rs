//! Characters. A session takes the template and the profile of its character unless it has its
//! own. The account's clock guards them.
//!
//! A character that is deleted is gone for everybody at once. Sessions that use it go on with what it said last: its row
//! stays without its id until the last of them is gone. A copy for each session would cost their number times the
//! template, and a refusal would leave people with a list they cannot tidy up.

use crate::events::{self, EventScope};
use crate::story::settings::{self, ProfileHashes};
use crate::tree::characters;
use crate::tree::prelude::*;
use crate::types::order::{CharacterPatch, CharacterQuery, CharacterSort, CharacterStory, NewCharacter};
use crate::types::record::{Character, CharacterSummary, EventKind, Listed};
use std::sync::LazyLock;
use tavernkeep_engine::limits::CHARACTERS_MAX;
use tavernkeep_engine::story::Hash;

pub fn create(tx: &mut dyn Tx, account: &Id, new: &NewCharacter, id: &Id, now: i64) -> StoreResult<Character> {
    let clock = AccountClock::of(tx, account, now)?;
    if count(tx, account)? >= CHARACTERS_MAX {
        return Err(Refusal::TooMany("characters", CHARACTERS_MAX).into());
    }
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
    put_story(tx, account, (character_row, clock.now()), &new.story)?;
    events::emit(tx, clock.tick(), EventKind::CharacterCreated, &EventScope::ACCOUNT, id, None)?;
    get(tx, account, id)
}

fn count(tx: &mut dyn Tx, account: &Id) -> StoreResult<i64> {
    let sql = sql!("SELECT COUNT(*) FROM character WHERE account_id = ?1 AND deleted_at IS NULL");
    one(tx, sql, params![account], |row| row.int(0))
}

fn put_story(tx: &mut dyn Tx, account: &Id, (row, now): (i64, i64), story: &CharacterStory) -> StoreResult<()> {
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
    Ok(())
}

const COLUMNS: &str = "c.id, c.name, c.enabled, c.greetings, c.created_at, c.updated_at";

struct Statements {
    /// By what it is sorted, by direction.
    lists: [[Sql; 2]; 3],
    get: Sql,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let list = |column: &str, direction: &str| {
        Sql::assembled(format!(
            "SELECT {COLUMNS} FROM character c WHERE c.account_id = ?1 AND c.deleted_at IS NULL
             ORDER BY {column}c.character_row {direction} LIMIT ?2 OFFSET ?3"
        ))
    };
    let sorts = ["c.name {}, ", "", "c.updated_at {}, "];
    Statements {
        lists: sorts.map(|column| ["DESC", "ASC"].map(|direction| list(&column.replace("{}", direction), direction))),
        get: Sql::assembled(format!(
            "SELECT {COLUMNS}, d.body, t.template, t.greetings FROM character c
             JOIN character_story t ON t.account_id = c.account_id AND t.character_row = c.character_row
             LEFT JOIN definition d ON d.account_id = t.account_id AND d.hash = t.profile_hash
             WHERE c.account_id = ?1 AND c.id = ?2"
        )),
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
    let found = first(tx, STATEMENTS.get, params![account, id], |row| {
        Ok(Character {
            summary: summary(row)?,
            profile: row.bytes_or_null(6)?.map(codec::decode_json).transpose()?,
            template: row.bytes_or_null(7)?.map(codec::decode_json).transpose()?,
            greetings: row.bytes_or_null(8)?.map(stored_greetings).transpose()?.unwrap_or_default(),
        })
    })?;
    found.ok_or_else(|| Refusal::CharacterNotFound(id.clone()).into())
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

/// Changes a character. States that were computed with another profile or template are outdated from then on.
pub fn update(tx: &mut dyn Tx, account: &Id, id: &Id, patch: &CharacterPatch, now: i64) -> StoreResult<Character> {
    let clock = AccountClock::of(tx, account, now)?;
    let character_row = needed(tx, account, id)?;
    let sql = sql!(
        "UPDATE character SET name = COALESCE(?3, name), enabled = COALESCE(?4, enabled), updated_at = ?5
         WHERE account_id = ?1 AND character_row = ?2"
    );
    let name = patch.name.as_deref().map(str::as_bytes);
    tx.execute(sql, params![account, character_row, name, patch.enabled, clock.now()])?;
    put_story(tx, account, (character_row, clock.now()), &patch.story)?;
    events::emit(tx, clock.tick(), EventKind::CharacterUpdated, &EventScope::ACCOUNT, id, None)?;
    get(tx, account, id)
}

/// Deletes a character; sessions that use it keep what it said.
pub fn delete(tx: &mut dyn Tx, account: &Id, id: &Id, now: i64) -> StoreResult<()> {
    let clock = AccountClock::of(tx, account, now)?;
    let character_row = needed(tx, account, id)?;
    // A name that no id can have, so that the id is free again.
    let sql = sql!(
        "UPDATE character SET deleted_at = ?3, id = '/' || CAST(character_row AS TEXT)
         WHERE account_id = ?1 AND character_row = ?2"
    );
    tx.execute(sql, params![account, character_row, clock.now()])?;
    // No session greets with it any more.
    let sql = sql!("UPDATE character_story SET greetings = NULL WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, character_row])?;
    characters::sweep(tx, account)?;
    events::emit(tx, clock.tick(), EventKind::CharacterDeleted, &EventScope::ACCOUNT, id, None)
}
