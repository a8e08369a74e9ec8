//! Documents that were read or computed lately. A version never changes, so what is kept is never wrong.

use crate::profiles::Profiles;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::profile::FirstState;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::settings;
use tavernkeep_store::story::versions::{self, Kind, Loaded, MadeOf};
use tavernkeep_store::{StoreError, StoreResult};

/// Bytes of documents that are kept, as if each were alone: those of one story share most of what they hold.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// A version: its account, its session's row, its number.
type Key = (Id, i64, i64);

#[derive(Default)]
pub(crate) struct Documents {
    kept: Mutex<Kept>,
    pub(crate) profiles: Profiles,
}

#[derive(Default)]
struct Kept {
    documents: HashMap<Key, (u64, Loaded)>,
    /// By the time of their last use.
    order: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
}

impl Documents {
    /// Reads a version's document, from memory if it is there.
    pub(crate) fn load(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        session_row: i64,
        version_row: i64,
    ) -> StoreResult<Loaded> {
        let key = (account.clone(), session_row, version_row);
        if let Some(loaded) = self.kept().get(&key) {
            return Ok(loaded);
        }
        // Whoever goes from page to page has just had the one before.
        let parent = |parent_row: i64| self.kept().get(&(account.clone(), session_row, parent_row));
        let loaded = match versions::load_onto(tx, account, session_row, version_row, parent)? {
            Some(loaded) => loaded,
            None => versions::load(tx, account, session_row, version_row)?,
        };
        self.kept().put(key, loaded.clone());
        Ok(loaded)
    }

    /// What a session's story starts from: its template, read as its profile says.
    pub(crate) fn first_state(&self, tx: &mut dyn Tx, account: &Id, session_row: i64) -> StoreResult<FirstState> {
        let recipe = settings::read(tx, account, session_row)?.recipe;
        let profile = self.profiles.load(tx, account, recipe.rules)?;
        Ok(profile.first_state(settings::template(tx, account, session_row)?))
    }

    /// The document before the page that a version is a state of.
    pub(crate) fn before(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        session_row: i64,
        made_of: &MadeOf,
    ) -> StoreResult<Value> {
        match made_of {
            MadeOf { base_row: Some(row), .. } => Ok(self.load(tx, account, session_row, *row)?.document),
            // The template may be another one now; what the first version started from is known from its change.
            MadeOf { kind: Kind::Turn, version_row, .. } => {
                let change = versions::change(tx, account, session_row, *version_row)?;
                let after = self.load(tx, account, session_row, *version_row)?.document;
                let misfit = |error| StoreError::Corrupt(format!("version {version_row}: {error}"));
                change.inverse().apply(&after).map_err(misfit)
            }
            MadeOf { kind: Kind::Edit, .. } => Ok(self.first_state(tx, account, session_row)?.document),
        }
    }

    /// Keeps a document that was computed.
    pub(crate) fn keep(&self, account: &Id, session_row: i64, version_row: i64, loaded: Loaded) {
        self.kept().put((account.clone(), session_row, version_row), loaded);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn get(&mut self, key: &Key) -> Option<Loaded> {
        self.uses += 1;
        let (used, loaded) = self.documents.get_mut(key)?;
        self.order.remove(used);
        *used = self.uses;
        let loaded = loaded.clone();
        self.order.insert(self.uses, key.clone());
        Some(loaded)
    }

    fn put(&mut self, key: Key, loaded: Loaded) {
        self.uses += 1;
        self.bytes += weight(&loaded);
        self.order.insert(self.uses, key.clone());
        if let Some((used, old)) = self.documents.insert(key, (self.uses, loaded)) {
            self.order.remove(&used);
            self.bytes -= weight(&old);
        }
        while self.bytes > BYTES_MAX
            && let Some((_, key)) = self.order.pop_first()
        {
            if let Some((_, old)) = self.documents.remove(&key) {
                self.bytes -= weight(&old);
            }
        }
    }
}

fn weight(loaded: &Loaded) -> usize {
    loaded.document.weight() + loaded.mvu_schema.as_ref().map_or(0, |schema| schema.as_value().weight()) + 256
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavernkeep_engine::story::Since;

    #[test]
    fn what_was_not_used_for_long_goes_first() {
        let mut kept = Kept::default();
        let key = |number: i64| ("a".parse().unwrap(), 1, number);
        let document = Value::from("x".repeat(BYTES_MAX / 4));
        let loaded = Loaded { document, mvu_schema: None, since: Since::default(), round: 0 };
        for number in 0..3 {
            kept.put(key(number), loaded.clone());
        }
        assert!(kept.get(&key(0)).is_some());
        kept.put(key(3), loaded.clone());
        kept.put(key(3), loaded);
        assert!(kept.get(&key(1)).is_none());
        assert!(kept.get(&key(0)).is_some() && kept.get(&key(2)).is_some() && kept.get(&key(3)).is_some());
        assert_eq!((kept.documents.len(), kept.order.len()), (3, 3));
    }
}
