//! What turns of a session run with: its profile and its functions, put together and kept by the hashes of their texts. The text
//! under a hash never changes, so a turn reads nothing while nobody changes a profile or a function.

use crate::lru::BytesLru;
use crate::profiles::Profiles;
use crate::{Runtime, RuntimeResult};
use std::sync::{Arc, LazyLock};
use tavernkeep_engine::function::Function;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{ScopeFunctions, combine};
use tavernkeep_engine::profile::Profile;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::hash::Hash;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::definitions;
use tavernkeep_store::story::recipes::Recipe;

/// Bytes of functions that are kept.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// What an entry counts for beside its functions.
const BYTES_EACH: usize = 4 * 1024;

static NO_FUNCTIONS: LazyLock<Arc<[Function]>> = LazyLock::new(|| Arc::from([]));

/// A profile and functions as a turn takes them.
#[derive(Debug, Clone)]
pub(crate) struct TurnRules {
    pub(crate) profile: Arc<Profile>,
    pub(crate) functions: Arc<[Function]>,
}

/// The hashes of a profile and of the functions of two scopes.
type Key = (Option<Hash>, Option<Hash>, Option<Hash>);

/// Profiles, and rules that were put together, as far as they are in memory.
pub(crate) struct RulesInMemory {
    pub(crate) profiles: Profiles,
    combined: BytesLru<Key, TurnRules>,
}

impl Default for RulesInMemory {
    fn default() -> Self {
        RulesInMemory { profiles: Profiles::default(), combined: BytesLru::new(BYTES_MAX) }
    }
}

impl RulesInMemory {
    /// What turns with a recipe run with, if all of it is in memory.
    pub(crate) fn known(&self, recipe: &Recipe) -> Option<TurnRules> {
        if recipe.global_functions.is_none() && recipe.local_functions.is_none() {
            let profile = self.profiles.known(recipe.rules)?;
            return Some(TurnRules { profile, functions: Arc::clone(&NO_FUNCTIONS) });
        }
        self.combined.get(&key(recipe))
    }

    /// The same, read where it is not in memory.
    pub(crate) fn load(&self, tx: &mut dyn Tx, account: &Id, recipe: &Recipe) -> StoreResult<TurnRules> {
        if let Some(rules) = self.known(recipe) {
            return Ok(rules);
        }
        let profile = self.profiles.load(tx, account, recipe.rules)?;
        let (rules, bytes) = combined(tx, account, recipe, &profile)?;
        self.combined.put(key(recipe), rules.clone(), bytes);
        Ok(rules)
    }
}

/// A profile with the functions of a recipe, and how much memory they need.
fn combined(tx: &mut dyn Tx, account: &Id, recipe: &Recipe, profile: &Arc<Profile>) -> StoreResult<(TurnRules, usize)> {
    let (mut bytes, mut scopes) = (BYTES_EACH, [ScopeFunctions::default(), ScopeFunctions::default()]);
    for (hash, scope) in [recipe.global_functions, recipe.local_functions].into_iter().zip(&mut scopes) {
        if let Some(text) = hash.map(|hash| definitions::get(tx, account, hash)).transpose()?.flatten() {
            bytes += text.as_str().len();
            *scope = ScopeFunctions::read(text.as_str());
        }
    }
    let [global, local] = scopes;
    let (profile, functions) = combine(profile, &global, &local);
    Ok((TurnRules { profile, functions }, bytes))
}

fn key(recipe: &Recipe) -> Key {
    (recipe.rules, recipe.global_functions, recipe.local_functions)
}

impl Runtime {
    /// What turns with a recipe run with.
    pub(crate) async fn rules(&self, account: &Id, recipe: &Recipe) -> RuntimeResult<TurnRules> {
        if let Some(rules) = self.documents.rules.known(recipe) {
            return Ok(rules);
        }
        let (owner, documents, recipe) = (account.clone(), Arc::clone(&self.documents), *recipe);
        self.store.read(move |tx| documents.rules.load(tx, &owner, &recipe)).await
    }

    /// The same with a profile that is not stored yet.
    pub(crate) async fn rules_with(
        &self,
        account: &Id,
        recipe: &Recipe,
        profile: &Arc<Profile>,
    ) -> RuntimeResult<TurnRules> {
        let (owner, recipe, profile) = (account.clone(), *recipe, Arc::clone(profile));
        self.store.read(move |tx| combined(tx, &owner, &recipe, &profile).map(|(rules, _)| rules)).await
    }
}
