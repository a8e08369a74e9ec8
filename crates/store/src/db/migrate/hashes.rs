//! The part of migration 4 that SQL cannot do: texts of profiles are stored once under their hashes, and recipes become
//! hashes.

use crate::db::codec;
use crate::db::hash::{Hash, hash};
use crate::error::StoreResult;
use tavernkeep_engine::document::{Number, Value};
use tavernkeep_engine::profile::Profile;

/// The migration that this belongs to.
pub const VERSION: i64 = 4;

/// The tables that had a profile's text, and the column of their rows.
pub const OWNERS: [(&str, &str); 2] = [("session_story", "session_row"), ("character_story", "character_row")];

/// Reads the profiles of a table: account, row, text.
pub fn select_profiles(table: &str, row: &str) -> String {
    format!("SELECT account_id, {row}, profile FROM {table} WHERE profile IS NOT NULL")
}

/// Stores a text under its hash: account, hash, text.
pub const INSERT_DEFINITION: &str = "INSERT INTO definition (account_id, hash, used_at, body)
    VALUES (?1, ?2, 0, ?3) ON CONFLICT (account_id, hash) DO NOTHING";

/// Lets a row of a table use a profile: account, row, the hashes of its text and of what it means, whether it reads what
/// people write.
pub fn use_profile(table: &str, row: &str) -> String {
    format!(
        "UPDATE {table} SET profile = NULL, profile_hash = ?3, rules_hash = ?4, reads_users = ?5
         WHERE account_id = ?1 AND {row} = ?2"
    )
}

pub const SELECT_RECIPES: &str = "SELECT account_id, session_row, recipe_hash, recipe FROM recipe_text";
pub const INSERT_RECIPE: &str = "INSERT INTO recipe
        (account_id, session_row, recipe_hash, semantics, rules_hash, template_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
pub const DROP_RECIPE_TEXT: &str = "DROP TABLE recipe_text";

pub struct OldProfile {
    pub hash: Hash,
    /// What it means, spelled out, and the hash of that; none for the default profile.
    pub rules: Option<(Hash, Vec<u8>)>,
    pub reads_users: i64,
}

pub fn profile(stored: &[u8]) -> StoreResult<OldProfile> {
    let text = codec::decode_json(&codec::seal(stored))?;
    let profile = Profile::read(&Value::from(&text)).unwrap_or_default();
    let rules = (profile != Profile::default()).then(|| {
        let rules = profile.to_value().to_json();
        (hash(rules.as_bytes()), codec::encode(&rules))
    });
    Ok(OldProfile { hash: hash(text.as_str().as_bytes()), rules, reads_users: i64::from(profile.user_floors) })
}

pub struct OldRecipe {
    pub semantics: i64,
    pub profile: Vec<u8>,
    pub profile_hash: Hash,
    pub template_hash: Option<Vec<u8>>,
}

pub fn recipe(stored: &[u8]) -> StoreResult<OldRecipe> {
    let recipe = Value::from(&codec::decode_json(&codec::seal(stored))?);
    let profile = recipe.get("profile").cloned().unwrap_or_default().to_text();
    let byte = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let template = recipe.get("template").and_then(Value::as_str);
    Ok(OldRecipe {
        semantics: recipe.get("semantics").and_then(Value::as_number).and_then(Number::as_i64).unwrap_or(1),
        profile_hash: hash(profile.as_str().as_bytes()),
        profile: codec::encode(profile.as_str()),
        template_hash: template.and_then(|hex| hex.as_bytes().chunks(2).map(byte).collect()),
    })
}
