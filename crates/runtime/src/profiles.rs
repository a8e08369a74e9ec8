//! Profiles that were parsed lately, by the hash of their text. The text under a hash never changes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::profile::Profile;
use tavernkeep_store::db::hash::Hash;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::definitions;
use tavernkeep_store::{StoreError, StoreResult};

/// Profiles that are kept. Reading one again costs little, so all of them go when there are more.
const PROFILES_MAX: usize = 256;

static DEFAULT: LazyLock<Arc<Profile>> = LazyLock::new(Arc::default);

#[derive(Default)]
pub(crate) struct Profiles {
    parsed: Mutex<HashMap<Hash, Arc<Profile>>>,
}

impl Profiles {
    /// A profile that was read before; the default one where there is no hash.
    pub(crate) fn known(&self, hash: Option<Hash>) -> Option<Arc<Profile>> {
        let Some(hash) = hash else { return Some(Arc::clone(&DEFAULT)) };
        self.parsed.lock().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned()
    }

    /// Reads a profile, from memory if it is there.
    pub(crate) fn load(&self, tx: &mut dyn Tx, account: &Id, hash: Option<Hash>) -> StoreResult<Arc<Profile>> {
        if let Some(profile) = self.known(hash) {
            return Ok(profile);
        }
        let Some(hash) = hash else { return Ok(Arc::clone(&DEFAULT)) };
        let missing = || StoreError::Corrupt("the text of a profile is not there".to_owned());
        let text = definitions::get(tx, account, hash)?.ok_or_else(missing)?;
        // What is stored was read before; a profile that this program does not know any more is the default one.
        let profile = Profile::read(&Value::from(&text)).unwrap_or_else(|error| {
            tracing::warn!(%account, %error, "a stored profile cannot be read; the default one is used");
            Profile::default()
        });
        let profile = Arc::new(profile);
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if parsed.len() >= PROFILES_MAX {
            parsed.clear();
        }
        parsed.insert(hash, Arc::clone(&profile));
        Ok(profile)
    }
}
