//! A turn told once more: on the same ground, at its time and with its recipe it gives the same outcome.

use crate::documents::Documents;
use crate::story::compute;
use crate::{Runtime, StoreError, StoreResult};
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Clock, Outcome};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::settings;
use tavernkeep_store::story::versions::{self, Kind, MadeOf};

/// What a version was computed with and on.
pub(crate) struct Scene {
    profile: Profile,
    base: Value,
    clock: Clock,
}

/// Reads what a version was computed with and on.
pub(crate) fn scene(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    session_row: i64,
    made_of: &MadeOf,
) -> StoreResult<Scene> {
    let clock = Clock { now_ms: made_of.clock_ms, round: made_of.round, seed: 0 };
    let profile = settings::profile_of(tx, account, session_row, made_of.recipe_hash)?;
    Ok(Scene { profile, base: before(tx, documents, account, session_row, made_of)?, clock })
}

/// The document before the page that a version is a state of.
pub(crate) fn before(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    session_row: i64,
    made_of: &MadeOf,
) -> StoreResult<Value> {
    match made_of {
        MadeOf { base_row: Some(row), .. } => Ok(documents.load(tx, account, session_row, *row)?.document),
        // The template may be another one now; what the first version started from is known from its change.
        MadeOf { kind: Kind::Turn, version_row, .. } => {
            let change = versions::change(tx, account, session_row, *version_row)?;
            let after = documents.load(tx, account, session_row, *version_row)?.document;
            let misfit = |error| StoreError::Corrupt(format!("version {version_row}: {error}"));
            change.inverse().apply(&after).map_err(misfit)
        }
        MadeOf { kind: Kind::Edit, .. } => settings::template(tx, account, session_row),
    }
}

/// Tells a turn once more.
pub(crate) async fn replay(scene: Scene, text: String) -> StoreResult<Box<Outcome>> {
    compute(scene.base, text, scene.profile, scene.clock).await
}

impl Runtime {
    /// Documents of versions, for a read of its own.
    pub(crate) fn documents(&self) -> Arc<Documents> {
        Arc::clone(&self.documents)
    }
}
