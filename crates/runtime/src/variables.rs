//! Variables: put, count up, read, list, resolve, delete.

use crate::order::{DeleteTarget, Increment, NewStagedWrite, Write};
use crate::record::{
    Action, Computed, Condition, HistoryEntry, Host, KeyFilter, Ledger, Listed, Promotion, ResolveQuery, Resolved,
    SessionStamp, StagedWrite, Target, Variable, VariableQuery, Window,
};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, new_ids, now_ms};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json_patch::Patch;
use tavernkeep_engine::story::Base;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::states::{self, Visible};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::variables::{self, PreparedWrite, history, listing, promotions, resolve, staging};
use tavernkeep_store::{StoreError, StoreResult};

/// Rows that are read on the caller's thread; reading them takes about as long as waking another thread does.
const ROWS_AT_ONCE: usize = 256;

/// What is seen from a place, and which state of the story belongs to it.
type Seen = (Resolved, Option<Visible>);

fn seen(tx: &mut dyn Tx, account: &Id, query: &ResolveQuery, rows_max: usize) -> StoreResult<Option<Seen>> {
    let Some(resolved) = resolve::resolve(tx, account, query, rows_max)? else { return Ok(None) };
    let state = states::visible(tx, account, &resolved.context)?;
    let state = state.filter(|state| query.keys.covers(&state.key));
    Ok(Some((resolved, state)))
}

impl Runtime {
    /// Puts values on targets, all of them or none, in one transaction.
    pub async fn put_variables(&self, account: &Id, writes: Vec<Write>) -> RuntimeResult<Vec<(Action, Variable)>> {
        let (owner, now, quotas) = (account.clone(), now_ms(), self.quotas);
        let ids = new_ids(writes.len())?;
        let orders: Vec<_> = writes.into_iter().zip(ids).map(|(write, id)| PreparedWrite::new(write, id)).collect();
        self.write(account, move |tx| variables::put(tx, &owner, &orders, &quotas, now)).await
    }

    /// Adds a number to a variable.
    pub async fn increment(&self, account: &Id, order: Increment) -> RuntimeResult<(Action, Variable)> {
        let (owner, now, id, quotas) = (account.clone(), now_ms(), new_id()?, self.quotas);
        self.write(account, move |tx| variables::increment(tx, &owner, &order, &id, &quotas, now)).await
    }

    /// Patches a variable's value.
    pub async fn patch_variable(
        &self,
        account: &Id,
        id: &Id,
        patch: Patch,
        condition: Condition,
    ) -> RuntimeResult<Variable> {
        let (owner, id, now, quotas) = (account.clone(), id.clone(), now_ms(), self.quotas);
        self.write(account, move |tx| variables::patch(tx, &owner, &id, &patch, condition, &quotas, now)).await
    }

    /// Reads one variable by its id.
    pub async fn variable(&self, account: &Id, id: &Id) -> RuntimeResult<Variable> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read_point(move |tx| variables::get(tx, &account, &id)).await
    }

    /// Lists variables.
    pub async fn variables(&self, account: &Id, query: VariableQuery) -> RuntimeResult<Listed<Variable>> {
        let account = account.clone();
        // The beginning of a list is an index read of a few rows; what skips or filters many may take its time.
        let few = query.window.offset == 0 && query.keys == KeyFilter::Any && query.updated_since.is_none();
        if few {
            let (owner, asked) = (account.clone(), query.clone());
            if let Some(listed) = self.store.read_small(move |tx| listing::list(tx, &owner, &asked)).await? {
                return Ok(listed);
            }
        }
        self.store.read(move |tx| listing::list(tx, &account, &query)).await
    }

    /// Deletes one variable by its id.
    pub async fn delete_variable(&self, account: &Id, id: &Id, condition: Condition) -> RuntimeResult<Id> {
        let missing = Refusal::VariableNotFound(id.to_string());
        self.delete_one(account, DeleteTarget::Id(id.clone()), condition, missing).await
    }

    /// Deletes one variable by its address; returns the id it had.
    pub async fn delete_target(&self, account: &Id, target: Target, condition: Condition) -> RuntimeResult<Id> {
        let missing = Refusal::VariableNotFound(target.key.to_string());
        self.delete_one(account, DeleteTarget::Target(target), condition, missing).await
    }

    async fn delete_one(
        &self,
        account: &Id,
        target: DeleteTarget,
        condition: Condition,
        missing: Refusal,
    ) -> RuntimeResult<Id> {
        let (owner, now) = (account.clone(), now_ms());
        let which = [(target, condition)];
        let deleted = self.write(account, move |tx| variables::delete(tx, &owner, &which, now)).await?;
        deleted.into_iter().flatten().next().ok_or(RuntimeError::Refused(missing))
    }

    /// Deletes many variables in one transaction. For each one: its id, or nothing if it was not there.
    pub async fn delete_variables(&self, account: &Id, which: Vec<DeleteTarget>) -> RuntimeResult<Vec<Option<Id>>> {
        let (owner, now) = (account.clone(), now_ms());
        let which: Vec<_> = which.into_iter().map(|target| (target, Condition::None)).collect();
        self.write(account, move |tx| variables::delete(tx, &owner, &which, now)).await
    }

    /// Stages a write on a page.
    pub async fn stage_write(&self, account: &Id, page: &Id, new: NewStagedWrite) -> RuntimeResult<StagedWrite> {
        let (owner, page, now, id) = (account.clone(), page.clone(), now_ms(), new_id()?);
        self.write(account, move |tx| staging::stage(tx, &owner, &page, &new, &id, now)).await
    }

    /// The staged writes of a page.
    pub async fn staged_writes(&self, account: &Id, page: &Id) -> RuntimeResult<Ledger<StagedWrite>> {
        let (account, page) = (account.clone(), page.clone());
        self.store.read(move |tx| staging::of_page(tx, &account, &page)).await
    }

    /// What a page has promoted.
    pub async fn promotions(&self, account: &Id, page: &Id) -> RuntimeResult<Ledger<Promotion>> {
        let (account, page) = (account.clone(), page.clone());
        self.store.read(move |tx| promotions::of_page(tx, &account, &page)).await
    }

    /// Every write of a variable.
    pub async fn variable_history(&self, account: &Id, id: &Id, window: Window) -> RuntimeResult<Listed<HistoryEntry>> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| history::of_variable(tx, &account, &id, window)).await
    }

    /// The clocks of a session: while they stand still, nothing that resolve shows there changes.
    pub async fn stamp(&self, account: &Id, session: &Id) -> RuntimeResult<SessionStamp> {
        let (account, session) = (account.clone(), session.clone());
        self.store.read_one(move |tx| resolve::stamp(tx, &account, &session)).await
    }

    /// The same for everything in an account; nothing where the database does not know.
    pub async fn account_stamp(&self, account: &Id) -> RuntimeResult<Option<SessionStamp>> {
        if self.store.backend() != "sqlite" {
            return Ok(None);
        }
        let account = account.clone();
        self.store.read_one(move |tx| resolve::account_stamp(tx, &account)).await
    }

    /// Everything that can be seen from one place. Most places are small and read at once; a large one is read apart, so
    /// that it blocks no other request.
    pub async fn resolve(&self, account: &Id, query: ResolveQuery) -> RuntimeResult<Resolved> {
        let error = match self.resolve_place(account, query.clone()).await {
            Err(error @ RuntimeError::Refused(_)) => error,
            resolved => return resolved,
        };
        let Some(branch) = &query.branch else { return Err(error) };
        let asked = (query.floor.clone(), query.page.clone());
        let (floor, page) = self.copies_on(account, &query.session, branch, asked.clone()).await?;
        match (&floor, &page) == (&asked.0, &asked.1) {
            true => Err(error),
            false => self.resolve_place(account, ResolveQuery { floor, page, ..query }).await,
        }
    }

    async fn resolve_place(&self, account: &Id, query: ResolveQuery) -> RuntimeResult<Resolved> {
        let account = account.clone();
        let (owner, asked) = (account.clone(), query.clone());
        let small = self.store.read_small(move |tx| seen(tx, &owner, &asked, ROWS_AT_ONCE)).await?.flatten();
        let (resolved, state) = match small {
            Some(seen) => seen,
            None => {
                let (owner, asked) = (account.clone(), query);
                let large = self.store.read(move |tx| seen(tx, &owner, &asked, usize::MAX)).await?;
                large.ok_or_else(|| StoreError::Internal("a resolve without a bound had one".into()))?
            }
        };
        let computed = match state {
            Some(state) => self.computed(&account, state).await?,
            None => None,
        };
        Ok(Resolved { computed, ..resolved })
    }

    /// The story's state as a variable of its page. A version never changes, so it may be read later than its place.
    /// One that is empty is not shown to those who never asked for a story.
    async fn computed(&self, account: &Id, state: Visible) -> RuntimeResult<Option<Computed>> {
        let Visible { key, at, even_empty } = state;
        let (Some(id), Some(page), Some(revision)) = (at.snapshot, at.page, at.version_row) else {
            return Ok(None);
        };
        let base = self.base(SessionKey::new(account, at.session_row), Base::Version(revision)).await?;
        if !even_empty && base.document == Value::empty_object() {
            return Ok(None);
        }
        let (host, value, updated_at) = (Host::Page(page), base.document.to_text(), revision / 1_000);
        let variable = Variable { id, host, key, value, updated_at, revision };
        Ok(Some(Computed { variable, fresh: at.stale.is_none() }))
    }
}
