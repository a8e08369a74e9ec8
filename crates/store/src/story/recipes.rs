//! Recipes: what versions were computed with, as hashes of what is stored elsewhere.

use crate::db::hash::{Hash, hash, stored_hash};
use crate::tree::prelude::*;
use tavernkeep_engine::story::SEMANTICS;

/// What a turn is computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    pub semantics: i64,
    /// What the profile means, spelled out; none for the default one.
    pub rules: Option<Hash>,
    /// The template; none for an empty one.
    pub template: Option<Hash>,
    pub global_functions: Option<Hash>,
    pub local_functions: Option<Hash>,
}

impl Recipe {
    /// What this engine computes with the rules of a profile, a template, and the functions of an account and a character.
    pub fn of(rules: Option<Hash>, template: Option<Hash>, functions: (Option<Hash>, Option<Hash>)) -> Recipe {
        let semantics = i64::from(SEMANTICS);
        Recipe { semantics, rules, template, global_functions: functions.0, local_functions: functions.1 }
    }

    /// Whether functions of an account or a character count.
    pub fn has_functions(&self) -> bool {
        self.global_functions.is_some() || self.local_functions.is_some()
    }

    fn parts(&self) -> [Option<Hash>; 4] {
        [self.rules, self.template, self.global_functions, self.local_functions]
    }

    pub fn hash(&self) -> Hash {
        let mut bytes = self.semantics.to_le_bytes().to_vec();
        for part in self.parts() {
            bytes.push(u8::from(part.is_some()));
            bytes.extend(part.unwrap_or_default());
        }
        hash(&bytes)
    }
}

/// Notes what versions of a session were computed with.
pub(crate) fn add(tx: &mut dyn Tx, session: SessionKey<'_>, recipe: &Recipe) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO recipe (account_id, session_row, recipe_hash, semantics, rules_hash, template_hash,
                             global_functions_hash, local_functions_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (account_id, session_row, recipe_hash) DO NOTHING"
    );
    let (hash, parts) = (recipe.hash(), recipe.parts());
    let [rules, template, global, local] = parts.each_ref().map(|part| part.as_ref().map(Hash::as_slice));
    let semantics = recipe.semantics;
    tx.execute(sql, in_session![session, hash.as_slice(), semantics, rules, template, global, local]).map(drop)
}

/// The recipe with this hash; none if it is gone.
pub fn get(tx: &mut dyn Tx, session: SessionKey<'_>, hash: &Hash) -> StoreResult<Option<Recipe>> {
    let sql = sql!(
        "SELECT semantics, rules_hash, template_hash, global_functions_hash, local_functions_hash FROM recipe
         WHERE account_id = ?1 AND session_row = ?2 AND recipe_hash = ?3"
    );
    first(tx, sql, in_session![session, hash.as_slice()], |row| read(row, 0))
}

/// All recipes of a session, by their hashes.
pub fn list(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Vec<(Hash, Recipe)>> {
    let sql = sql!(
        "SELECT recipe_hash, semantics, rules_hash, template_hash, global_functions_hash, local_functions_hash
         FROM recipe WHERE account_id = ?1 AND session_row = ?2 ORDER BY recipe_hash"
    );
    all(tx, sql, in_session![session], |row| Ok((stored_hash(row.bytes(0)?)?, read(row, 1)?)))
}

fn read(row: &dyn Row, from: usize) -> StoreResult<Recipe> {
    let part = |at: usize| row.bytes_or_null(from + at)?.map(stored_hash).transpose();
    Ok(Recipe {
        semantics: row.int(from)?,
        rules: part(1)?,
        template: part(2)?,
        global_functions: part(3)?,
        local_functions: part(4)?,
    })
}
