//! Ends calls that nobody goes on with: those whose process is gone, and those that waited too long for a person or an application.

use super::process::is_alive;
use crate::{Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::CALLS_ENDED_AT_ONCE;
use tavernkeep_engine::tools::call::{CallEvent, PROCESS_ENDED};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::{approvals, journal};
use tavernkeep_store::upkeep::accounts;

impl Runtime {
    /// Ends calls of all accounts that nobody goes on with. `same_machine`: all processes that use the database run here, so it can be
    /// seen which of them are gone; elsewhere the leases of their calls have to end first.
    pub async fn settle_calls(&self, same_machine: bool) -> RuntimeResult<()> {
        for account in self.store.read(accounts::list).await? {
            let (owner, now) = (account.id.clone(), self.tools.now());
            let read = move |tx: &mut dyn Tx| {
                let running = journal::running(tx, &owner, CALLS_ENDED_AT_ONCE)?;
                Ok((running, journal::overdue(tx, &owner, now, CALLS_ENDED_AT_ONCE)?))
            };
            let (running, overdue) = self.store.read(read).await?;
            for record in running {
                let is_gone = same_machine && !is_alive(record.run.as_deref().unwrap_or_default());
                if is_gone || record.lease_until.is_none_or(|lease| lease < now) {
                    self.end_call(&account.id, &record.id, CallEvent::Died, PROCESS_ENDED).await?;
                }
            }
            for record in overdue {
                if let Some((event, reason)) = record.state.expired() {
                    self.end_call(&account.id, &record.id, event, reason).await?;
                }
            }
        }
        Ok(())
    }

    async fn end_call(&self, account: &Id, call: &Id, event: CallEvent, reason: &str) -> RuntimeResult<()> {
        let (owner, id, rules, now) = (account.clone(), call.clone(), self.tools.rules(), self.tools.now());
        let reason = reason.to_owned();
        let end = move |tx: &mut dyn Tx| approvals::cancel(tx, &owner, &id, &rules, event, &reason, now).map(drop);
        match self.store.write(end).await {
            // Another request was faster.
            Err(RuntimeError::Refused(_)) => Ok(()),
            other => other,
        }
    }
}
