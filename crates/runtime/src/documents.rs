//! Documents that were read or computed lately. A version never changes, so what is kept is never wrong.

use crate::lru::BytesLru;
use crate::rules::RulesInMemory;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::profile::FirstState;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::settings;
use tavernkeep_store::story::versions::{self, Loaded, MadeOf};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{StoreError, StoreResult};

/// Bytes of documents that are kept, counted as if each were alone: those of one story share most of what they hold.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// A version: its account, its session's row, its number.
type Key = (Id, i64, i64);

pub(crate) struct Documents {
    kept: BytesLru<Key, Loaded>,
    pub(crate) rules: RulesInMemory,
}

impl Default for Documents {
    fn default() -> Self {
        Documents { kept: BytesLru::new(BYTES_MAX), rules: RulesInMemory::default() }
    }
}

impl Documents {
    /// Reads a version's document, from memory if it is there.
    pub(crate) fn load(&self, tx: &mut dyn Tx, session: SessionKey<'_>, version_row: i64) -> StoreResult<Loaded> {
        let key = (session.account.clone(), session.row, version_row);
        if let Some(loaded) = self.kept.get(&key) {
            return Ok(loaded);
        }
        // A client that goes from page to page has just read the one before.
        let parent = |parent_row: i64| self.kept.get(&(session.account.clone(), session.row, parent_row));
        let loaded = match versions::load_onto(tx, session, version_row, parent)? {
            Some(loaded) => loaded,
            None => versions::load(tx, session, version_row)?,
        };
        self.kept.put(key, loaded.clone(), weight(&loaded));
        Ok(loaded)
    }

    /// A version's document, if it is in memory.
    pub(crate) fn known(&self, session: SessionKey<'_>, version_row: i64) -> Option<Loaded> {
        self.kept.get(&(session.account.clone(), session.row, version_row))
    }

    /// What a session's story starts from: its template, read as its profile says.
    pub(crate) fn first_state(&self, tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<FirstState> {
        let recipe = settings::read(tx, session)?.recipe;
        let profile = self.rules.profiles.load(tx, session.account, recipe.rules)?;
        let template = settings::template(tx, session)?.or_else(|| profile.first_document());
        Ok(profile.first_state(template.unwrap_or_else(Value::empty_object)))
    }

    /// The document before the page that a version is a state of.
    pub(crate) fn before(&self, tx: &mut dyn Tx, session: SessionKey<'_>, made_of: &MadeOf) -> StoreResult<Value> {
        match made_of {
            MadeOf { base_row: Some(row), .. } => Ok(self.load(tx, session, *row)?.document),
            // The template may be another one now; what the first version started from is known from its change.
            MadeOf { version_row, .. } if !made_of.is_old_edit() => {
                let change = versions::change(tx, session, *version_row)?;
                let after = self.load(tx, session, *version_row)?.document;
                let misfit = |error| StoreError::Corrupt(format!("version {version_row}: {error}"));
                change.inverse().apply(&after).map_err(misfit)
            }
            MadeOf { .. } => Ok(self.first_state(tx, session)?.document),
        }
    }

    /// Keeps a document that was computed.
    pub(crate) fn keep(&self, session: SessionKey<'_>, version_row: i64, loaded: Loaded) {
        let bytes = weight(&loaded);
        self.kept.put((session.account.clone(), session.row, version_row), loaded, bytes);
    }
}

fn weight(loaded: &Loaded) -> usize {
    loaded.document.weight() + loaded.mvu_schema.as_ref().map_or(0, |schema| schema.as_value().weight()) + 256
}
