//! Ends calls that nobody goes on with: those whose process is gone, and those that waited too long for a person or an application. Purges
//! old ones.

use super::process::is_alive;
use crate::{Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::CALLS_ENDED_AT_ONCE;
use tavernkeep_engine::tools::call::{CallEvent, PROCESS_ENDED};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::journal::{self, OldJournal};
use tavernkeep_store::tools::{approvals, call_rows};
use tavernkeep_store::upkeep::accounts;

/// Journals that are looked for at once when old calls are purged.
const JOURNALS_AT_ONCE: i64 = 100;

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

    /// Drops calls of an account from the journals of its sessions that are older than they are kept, a few at a time.
    pub(crate) async fn purge_calls(&self, account: &Id) -> RuntimeResult<()> {
        let Some(age) = self.retention.calls_age_ms else { return Ok(()) };
        let moment = self.purge_time().saturating_sub(age);
        let mut behind = None;
        loop {
            let owner = account.clone();
            let read =
                move |tx: &mut dyn Tx| journal::begun_before(tx, &owner, moment, behind.as_ref(), JOURNALS_AT_ONCE);
            let found = self.store.read(read).await?;
            let Some(last) = found.last().cloned() else { return Ok(()) };
            for OldJournal { session, .. } in found {
                while self.purge_some_calls(account, &session, moment).await? {}
            }
            behind = Some(last);
        }
    }

    async fn purge_some_calls(&self, account: &Id, session: &Id, moment: i64) -> RuntimeResult<bool> {
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let purge = move |tx: &mut dyn Tx| journal::drop_older(tx, &owner, &chat, &rules, moment, now);
        match self.store.write(purge).await {
            // The session was deleted meanwhile.
            Err(RuntimeError::Refused(_)) => Ok(false),
            other => other,
        }
    }

    /// Ends one call if it waited longer than it may.
    pub(super) async fn settle_call(&self, account: &Id, call: &Id) -> RuntimeResult<()> {
        let (owner, id, now) = (account.clone(), call.clone(), self.tools.now());
        let record = self.store.read_point(move |tx| call_rows::find(tx, &owner, &id)).await?;
        match record.state.expired() {
            Some((event, reason)) if record.lease_until.is_some_and(|end| end <= now) => {
                self.end_call(account, call, event, reason).await
            }
            _ => Ok(()),
        }
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
