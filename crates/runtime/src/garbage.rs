//! Deletes unreachable versions: a session at a time, in chunks, for a while in each pass.

use crate::{Runtime, RuntimeResult};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_store::story::garbage;
use tavernkeep_store::tree::SessionKey;

/// Versions that are taken away in one transaction.
const VERSIONS: usize = 200;
/// Sessions that are looked up in one read.
const SESSIONS: i64 = 100;
/// How long one pass takes versions away. The next one goes on where it stopped.
const SWEEP_TIME: Duration = Duration::from_secs(2);

impl Runtime {
    /// Walks on through the sessions of all accounts, for a while.
    pub(crate) async fn collect_garbage(&self, accounts: &[Id]) -> RuntimeResult<()> {
        let Some(age_ms) = self.retention.versions_age_ms else { return Ok(()) };
        let started = Instant::now();
        let stopped = self.upkeep.sweep.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (first, mut after) = stopped.map_or((None, 0), |(account, row)| (Some(account), row));
        for account in accounts.iter().filter(|account| first.as_ref().is_none_or(|first| *account >= first)) {
            if first.as_ref() != Some(account) {
                after = 0;
            }
            loop {
                let limit = garbage::limit(age_ms, self.purge_time());
                let owner = account.clone();
                let look = move |tx: &mut dyn tavernkeep_store::db::tx::Tx| {
                    garbage::unswept(tx, &owner, after, limit, age_ms, SESSIONS)
                };
                let sessions = self.store.read(look).await?;
                for &session_row in &sessions {
                    if started.elapsed() > SWEEP_TIME {
                        let place = Some((account.clone(), after));
                        *self.upkeep.sweep.lock().unwrap_or_else(PoisonError::into_inner) = place;
                        return Ok(());
                    }
                    self.sweep(account, session_row, limit).await?;
                    after = session_row;
                }
                if sessions.is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Deletes the unreachable versions of one session.
    async fn sweep(&self, account: &Id, session_row: i64, limit: i64) -> RuntimeResult<()> {
        let owner = account.clone();
        let look = self.store.read(move |tx| garbage::look(tx, SessionKey::new(&owner, session_row), limit)).await?;
        let Some(sweep) = look.map(Arc::new) else { return Ok(()) };
        for versions in sweep.order.chunks(VERSIONS) {
            let (owner, order, versions) = (account.clone(), Arc::clone(&sweep), versions.to_vec());
            match self.store.write(move |tx| garbage::delete_some(tx, &owner, &order, &versions)).await? {
                Some(gone) => self.upkeep.versions.fetch_add(gone, Ordering::Relaxed),
                // One of them became reachable: the next pass looks again.
                None => return Ok(()),
            };
        }
        let owner = account.clone();
        self.store.write(move |tx| garbage::finish(tx, &owner, &sweep)).await
    }
}
