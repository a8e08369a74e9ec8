//! Reindexes the flags of sessions whose profile reads commands from other pages than before.

use crate::{Refusal, Runtime, RuntimeResult, now_ms};
use std::time::Instant;
use tavernkeep_engine::id::Id;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::settings::{self, Settings};
use tavernkeep_store::tree::{SessionKey, clock};

impl Runtime {
    /// Brings a session up to date with its character, which reads commands from other pages now: some floors of it.
    pub(crate) async fn reindex_flags(&self, account: &Id, session_row: i64) -> RuntimeResult<()> {
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            let reindexed = clock::with_session_row(tx, SessionKey::new(&owner, session_row), now, |tx, clock| {
                settings::reindex_flags(tx, clock)
            });
            reindexed?.ok_or_else(|| Refusal::ParentMoved.into())
        };
        // Past the request's key: whether this happens is not what the request is about.
        self.store.write(write).await
    }

    /// Looks at all floors of a session that has begun to read other pages, as long as a request has time: until then they are
    /// reported as stale. Processing continues with them.
    pub(crate) async fn reindex_for_a_while(&self, account: &Id, session: &Id) {
        if let Err(error) = self.reindex_until(account, session, self.process_end()).await {
            tracing::warn!(%error, %session, "not all floors were reindexed; they are reported as stale");
        }
    }

    async fn reindex_until(&self, account: &Id, session: &Id, end: Instant) -> RuntimeResult<()> {
        while Instant::now() < end
            && let Some((session_row, settings)) = self.lagging(account, session).await?
            && settings.is_looking()
        {
            self.reindex_flags(account, session_row).await?;
        }
        Ok(())
    }

    /// Lets a session read the pages that its character says before it is asked which one is the last.
    pub(crate) async fn reindex_if_enabled(&self, account: &Id, session: &Id) -> RuntimeResult<()> {
        match self.lagging(account, session).await? {
            Some((session_row, settings)) if settings.enabled => self.reindex_flags(account, session_row).await,
            _ => Ok(()),
        }
    }

    async fn lagging(&self, account: &Id, session: &Id) -> RuntimeResult<Option<(i64, Settings)>> {
        let (owner, wanted) = (account.clone(), session.clone());
        self.store.read(move |tx| settings::lagging(tx, &owner, &wanted)).await
    }
}
