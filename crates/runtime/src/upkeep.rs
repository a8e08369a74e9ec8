//! Purges expired rows: a pass at intervals, in chunks, so that no request waits for it.

mod purge_clock;

use crate::{Runtime, RuntimeError, RuntimeResult, now_ms};
use purge_clock::PurgeClock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::trash;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::jobs;
use tavernkeep_store::story::definitions;
use tavernkeep_store::upkeep::history_retention::{self, HistoryChunk, HistoryPass, VariableAddress};
use tavernkeep_store::upkeep::{accounts, retention};

/// Rows of one chunk.
const ROWS: i64 = 500;
/// Rows of history that are looked at in one read.
const ROWS_LOOKED_AT: i64 = 5_000;
/// How long one pass walks through the history. The next one goes on where it stopped.
const WALK_TIME: Duration = Duration::from_secs(2);
/// How many chunks of free pages one pass gives back.
const GIVE_BACK_MAX: usize = 100;

/// How far the time of purging goes on before it is stored again.
const STORED_EVERY_MS: u64 = 60 * 1000;

/// What upkeep has done since the start, and where it stands.
#[derive(Debug, Default)]
pub(crate) struct Upkeep {
    /// When this process opened the database.
    pub(crate) opened_at: i64,
    events: AtomicU64,
    history: AtomicU64,
    answers: AtomicU64,
    jobs: AtomicU64,
    pub(crate) versions: AtomicU64,
    last_pass: AtomicI64,
    open_jobs: AtomicI64,
    trash: AtomicI64,
    /// The time that this pass goes by.
    purge_time: AtomicI64,
    /// The last one that was stored.
    stored_time: AtomicI64,
    clock: Mutex<Option<(Instant, PurgeClock)>>,
    /// Where the walk through the history goes on.
    walk: Mutex<Option<(Id, VariableAddress)>>,
    /// Where taking versions away goes on.
    pub(crate) sweep: Mutex<Option<(Id, i64)>>,
    /// How often a job of an account has failed in this process.
    pub(crate) failures: Mutex<BTreeMap<(Id, Id), u32>>,
}

impl Upkeep {
    pub(crate) fn new() -> Upkeep {
        Upkeep { opened_at: now_ms(), ..Upkeep::default() }
    }
}

/// What upkeep has done since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpkeepCounters {
    /// Events that were purged.
    pub events: u64,
    /// Rows of histories that were purged.
    pub history: u64,
    /// Kept answers that were purged.
    pub answers: u64,
    /// Jobs that were forgotten.
    pub jobs: u64,
    /// Versions of states that were unreachable.
    pub versions: u64,
    /// When the last pass ended, in ms since 1970; 0 if there was none yet.
    pub last_pass: i64,
    /// Jobs that have not ended, at the last pass.
    pub open_jobs: i64,
    /// Items in the trash, at the last pass.
    pub trash: i64,
}

/// How long a text stays that nothing uses: a request that begins to use it again finds it.
const DEFINITIONS_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

impl Runtime {
    /// What upkeep has done since the start.
    pub fn upkeep(&self) -> UpkeepCounters {
        let upkeep = &self.upkeep;
        UpkeepCounters {
            events: upkeep.events.load(Ordering::Relaxed),
            history: upkeep.history.load(Ordering::Relaxed),
            answers: upkeep.answers.load(Ordering::Relaxed),
            jobs: upkeep.jobs.load(Ordering::Relaxed),
            versions: upkeep.versions.load(Ordering::Relaxed),
            last_pass: upkeep.last_pass.load(Ordering::Relaxed),
            open_jobs: upkeep.open_jobs.load(Ordering::Relaxed),
            trash: upkeep.trash.load(Ordering::Relaxed),
        }
    }

    /// Looks how many jobs are open.
    pub async fn count_jobs(&self) -> RuntimeResult<()> {
        let open = self.store.read(jobs::open_count).await?;
        self.upkeep.open_jobs.store(open, Ordering::Relaxed);
        if open == 0 {
            // Others may have ended what failed here.
            self.upkeep.failures.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        Ok(())
    }

    /// One pass: purges expired rows, and returns free pages to the file system.
    pub async fn purge(&self) -> RuntimeResult<()> {
        let accounts: Vec<Id> = self.store.read(accounts::list).await?.into_iter().map(|account| account.id).collect();
        self.look_at_clock().await?;
        for account in &accounts {
            self.purge_events(account).await?;
            self.purge_leftovers(account).await?;
            self.purge_definitions(account).await?;
            self.purge_old_trash(account).await?;
            self.purge_calls(account).await?;
        }
        self.settle_calls(false).await?;
        let trash = self.store.read(trash::count).await?;
        self.upkeep.trash.store(trash, Ordering::Relaxed);
        self.walk_history(&accounts).await?;
        self.collect_garbage(&accounts).await?;
        self.give_back().await?;
        self.upkeep.last_pass.store(now_ms(), Ordering::Relaxed);
        Ok(())
    }

    /// Finds out what time this pass goes by.
    async fn look_at_clock(&self) -> RuntimeResult<()> {
        let kept = *self.upkeep.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let (started, mut clock) = match kept {
            Some(kept) => kept,
            None => {
                let last = match self.store.read(retention::last_purge).await? {
                    Some(last) => Some(last),
                    None => self.store.read(retention::newest_row).await?,
                };
                (Instant::now(), PurgeClock::new(last.unwrap_or_else(now_ms), Duration::ZERO))
            }
        };
        let time = clock.time(now_ms(), started.elapsed());
        if time.abs_diff(self.upkeep.stored_time.load(Ordering::Relaxed)) >= STORED_EVERY_MS {
            self.store.write(move |tx| retention::store_purge(tx, time)).await?;
            self.upkeep.stored_time.store(time, Ordering::Relaxed);
        }
        self.upkeep.purge_time.store(time, Ordering::Relaxed);
        *self.upkeep.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some((started, clock));
        Ok(())
    }

    /// What counts as now for whatever is purged because it is old.
    pub(crate) fn purge_time(&self) -> i64 {
        self.upkeep.purge_time.load(Ordering::Relaxed)
    }

    async fn purge_events(&self, account: &Id) -> RuntimeResult<()> {
        let (owner, retention, now) = (account.clone(), self.retention, self.purge_time());
        let cut = self.store.read(move |tx| retention::events_cut(tx, &owner, &retention, now)).await?;
        loop {
            let owner = account.clone();
            let look = self.store.read(move |tx| retention::events_over(tx, &owner, &cut, ROWS)).await?;
            let Some(position) = look else { return Ok(()) };
            let owner = account.clone();
            let gone = self.store.write(move |tx| retention::purge_events(tx, &owner, position)).await?;
            self.upkeep.events.fetch_add(gone, Ordering::Relaxed);
        }
    }

    async fn purge_leftovers(&self, account: &Id) -> RuntimeResult<()> {
        let (owner, now) = (account.clone(), self.purge_time());
        let until = self.store.read(move |tx| retention::answers_cut(tx, &owner, now)).await?;
        loop {
            let owner = account.clone();
            if !self.store.read(move |tx| retention::leftovers_exist(tx, &owner, until, now)).await? {
                return Ok(());
            }
            let owner = account.clone();
            let purge = move |tx: &mut dyn Tx| retention::purge_leftovers(tx, &owner, until, ROWS, now);
            let (answers, jobs) = self.store.write(purge).await?;
            self.upkeep.answers.fetch_add(answers, Ordering::Relaxed);
            self.upkeep.jobs.fetch_add(jobs, Ordering::Relaxed);
        }
    }

    /// Deletes texts of profiles that nothing has used for a day.
    async fn purge_definitions(&self, account: &Id) -> RuntimeResult<()> {
        let (owner, before) = (account.clone(), self.purge_time() - DEFINITIONS_KEPT_MS);
        let unused = self.store.read(move |tx| definitions::unused(tx, &owner, before)).await?;
        if unused.is_empty() {
            return Ok(());
        }
        let owner = account.clone();
        self.store.write(move |tx| definitions::purge(tx, &owner, &unused, before)).await
    }

    /// Walks on through the histories of all accounts, for a while.
    async fn walk_history(&self, accounts: &[Id]) -> RuntimeResult<()> {
        let retention = self.retention;
        if retention.history_count.is_none() && retention.history_age_ms.is_none() {
            return Ok(());
        }
        let started = Instant::now();
        let stopped = self.walk().clone();
        let (first, mut from) =
            stopped.map_or((None, VariableAddress::FIRST), |(account, address)| (Some(account), address));
        // An account that is gone meanwhile is passed by.
        let mut at = accounts.iter().position(|account| first.as_ref().is_none_or(|first| account >= first));
        if at.is_some_and(|at| Some(&accounts[at]) != first.as_ref()) {
            from = VariableAddress::FIRST;
        }
        let mut trouble = None;
        while let Some(account) = at.and_then(|at| accounts.get(at)) {
            // Before anything can fail: the next pass goes on here.
            *self.walk() = Some((account.clone(), from.clone()));
            if started.elapsed() > WALK_TIME {
                return trouble.map_or(Ok(()), Err);
            }
            let pass =
                HistoryPass { account: account.clone(), retention, rows: ROWS_LOOKED_AT, now: self.purge_time() };
            let address = from.clone();
            let look = move |tx: &mut dyn Tx| history_retention::look(tx, &pass, &address);
            let HistoryChunk { expired, next } = self.store.read(look).await?;
            for address in expired {
                // One variable that cannot be shortened keeps no other one long.
                match self.forget(account, address).await {
                    Ok(()) => {}
                    Err(away @ (RuntimeError::Unavailable(_) | RuntimeError::Unconfirmed(_))) => return Err(away),
                    Err(error) => trouble = Some(error),
                }
            }
            match next {
                Some(next) => from = next,
                None => {
                    from = VariableAddress::FIRST;
                    at = at.map(|at| at + 1);
                }
            }
        }
        *self.walk() = None;
        trouble.map_or(Ok(()), Err)
    }

    fn walk(&self) -> MutexGuard<'_, Option<(Id, VariableAddress)>> {
        self.upkeep.walk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shortens the history of one variable.
    async fn forget(&self, account: &Id, address: VariableAddress) -> RuntimeResult<()> {
        let retention = self.retention;
        let mut after = i64::MIN;
        loop {
            let pass = HistoryPass { account: account.clone(), retention, rows: ROWS, now: self.purge_time() };
            let (order, place) = (pass.clone(), address.clone());
            let look = move |tx: &mut dyn Tx| history_retention::expired(tx, &order, &place, after);
            let (expired, mut next) = self.store.read(look).await?;
            if !expired.is_empty() {
                let place = address.clone();
                let work = move |tx: &mut dyn Tx| history_retention::forget(tx, &pass, &place, after);
                let gone;
                (gone, next) = self.store.write(work).await?;
                self.upkeep.history.fetch_add(gone, Ordering::Relaxed);
            }
            match next {
                Some(next) => after = next,
                None => return Ok(()),
            }
        }
    }

    async fn give_back(&self) -> RuntimeResult<()> {
        if self.store.path().is_none() {
            return Ok(());
        }
        for _ in 0..GIVE_BACK_MAX {
            if self.store.read(retention::free_pages).await? == 0 {
                break;
            }
            self.store.write(retention::give_back).await?;
        }
        Ok(())
    }
}
