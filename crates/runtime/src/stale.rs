//! What a change leaves stale.

use crate::record::Branch;
use crate::{Mode, ProcessOrder, Refusal, Runtime, RuntimeError, RuntimeResult};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::trash::{Restored, RestoredBranch};
use tavernkeep_store::conversation::{pages, sessions};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::error::{StoreError, StoreResult};
use tavernkeep_store::story::goal::{self, Goal};
use tavernkeep_store::story::plan;
use tavernkeep_store::story::snapshots;
use tavernkeep_store::tree::MAIN_BRANCH;

/// The floors of a line whose states are stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleFloors {
    /// How many there are.
    pub floors: i64,
    /// The position of the first one.
    pub first_floor_no: i64,
    /// The job that is processing them.
    pub job: Option<Id>,
}

/// A line: a session and a branch of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineName {
    session: Id,
    branch: String,
}

impl LineName {
    /// Its end.
    pub(crate) fn goal(&self) -> Goal {
        Goal::Branch(self.session.clone(), self.branch.clone())
    }
}

impl Runtime {
    /// The line that a floor stands on.
    pub async fn line_of_floor(&self, account: &Id, floor: &Id) -> RuntimeResult<LineName> {
        let (owner, goal) = (account.clone(), Goal::Floor(floor.clone()));
        let (session, branch) = self.store.read_point(move |tx| goal::branch_of(tx, &owner, &goal)).await?;
        Ok(LineName { session, branch })
    }

    /// The line that a page stands on.
    pub async fn line_of_page(&self, account: &Id, page: &Id) -> RuntimeResult<LineName> {
        let (owner, page) = (account.clone(), page.clone());
        let floor = self.store.read_point(move |tx| pages::floor_of(tx, &owner, &page)).await?;
        self.line_of_floor(account, &floor).await
    }

    /// The line that the page of a snapshot stands on.
    pub async fn line_of_snapshot(&self, account: &Id, snapshot: &Id) -> RuntimeResult<LineName> {
        let (owner, snapshot) = (account.clone(), snapshot.clone());
        let page = self.store.read_point(move |tx| Ok(snapshots::get(tx, &owner, &snapshot)?.page)).await?;
        match page {
            Some(page) => self.line_of_page(account, &page).await,
            None => Err(Refusal::LedgerPageNotFound.into()),
        }
    }

    /// The lines of many floors; none for one that does not exist.
    pub(crate) async fn lines_of_floors(&self, account: &Id, floors: &[Id]) -> RuntimeResult<Vec<Option<LineName>>> {
        let (owner, floors) = (account.clone(), floors.to_vec());
        let read = move |tx: &mut dyn Tx| floors.iter().map(|floor| line_of(tx, &owner, floor)).collect();
        self.store.read(read).await
    }

    /// The lines of many pages; none for one that does not exist.
    pub(crate) async fn lines_of_pages(&self, account: &Id, pages: &[Id]) -> RuntimeResult<Vec<Option<LineName>>> {
        let (owner, pages) = (account.clone(), pages.to_vec());
        let read = move |tx: &mut dyn Tx| {
            let line = |page: &Id| match pages::floor_of(tx, &owner, page) {
                Ok(floor) => line_of(tx, &owner, &floor),
                Err(StoreError::Refused(_)) => Ok(None),
                Err(error) => Err(error),
            };
            pages.iter().map(line).collect()
        };
        self.store.read(read).await
    }

    /// The same as [`stale_floors`](Runtime::stale_floors) for many lines, each looked at once.
    pub async fn stale_on(&self, account: &Id, lines: &[Option<LineName>]) -> Vec<Option<StaleFloors>> {
        let mut known: Vec<(&LineName, Option<StaleFloors>)> = Vec::new();
        let mut found = Vec::with_capacity(lines.len());
        for line in lines {
            let Some(line) = line else {
                found.push(None);
                continue;
            };
            let at = match known.iter().position(|(other, _)| *other == line) {
                Some(at) => at,
                None => {
                    known.push((line, self.stale_floors(account, Some(line)).await));
                    known.len() - 1
                }
            };
            found.push(known[at].1.clone());
        }
        found
    }

    /// The floors of a line whose states are stale after a change; none if all are fresh. The change is done whether or not this
    /// succeeds, so an error is only logged.
    pub async fn stale_floors(&self, account: &Id, line: Option<&LineName>) -> Option<StaleFloors> {
        let found = self.find_stale(account, line?).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "what a change left stale could not be read");
            None
        })
    }

    /// The same for the line of a floor.
    pub async fn stale_behind(&self, account: &Id, floor: &Id) -> Option<StaleFloors> {
        let line = self.line_of_floor(account, floor).await;
        self.stale_floors(account, line.as_ref().ok()).await
    }

    /// The same for a new fork.
    pub async fn stale_on_fork(&self, account: &Id, fork: &Branch) -> Option<StaleFloors> {
        let line = LineName { session: fork.session.clone(), branch: fork.id.clone() };
        self.stale_floors(account, Some(&line)).await
    }

    /// The same for each branch that something was restored to.
    pub async fn stale_on_restored(&self, account: &Id, restored: &Restored) -> Vec<Option<StaleFloors>> {
        let line =
            |branch: &RestoredBranch| Some(LineName { session: restored.session.clone()?, branch: branch.id.clone() });
        let lines: Vec<Option<LineName>> = restored.branches.iter().map(line).collect();
        self.stale_on(account, &lines).await
    }

    /// The same for the branch `main` of a chat, by its name; none if no session has that.
    pub async fn stale_in_chat(&self, account: &Id, chat_file: &str) -> Option<StaleFloors> {
        let (owner, chat_file) = (account.clone(), chat_file.to_owned());
        let found = self.store.read_point(move |tx| sessions::of_chat(tx, &owner, &chat_file)).await;
        let session = found.unwrap_or_else(|error| {
            tracing::warn!(%error, "what a cleanup left stale could not be read");
            None
        });
        let line = LineName { session: session?, branch: MAIN_BRANCH.to_owned() };
        self.stale_floors(account, Some(&line)).await
    }

    async fn find_stale(&self, account: &Id, line: &LineName) -> RuntimeResult<Option<StaleFloors>> {
        let (owner, goal) = (account.clone(), line.goal());
        let Some(stale) = self.store.read(move |tx| plan::stale(tx, &owner, &goal)).await? else { return Ok(None) };
        let job = match self.job_at_work(account, line.goal(), &ProcessOrder::of(Mode::Stale), false).await {
            Err(RuntimeError::Refused(Refusal::BranchBusy(job))) => Some(job),
            found => found?.map(|job| job.id),
        };
        let plan::StaleFloors { floors, first_floor_no } = stale;
        Ok(Some(StaleFloors { floors, first_floor_no, job }))
    }
}

fn line_of(tx: &mut dyn Tx, account: &Id, floor: &Id) -> StoreResult<Option<LineName>> {
    match goal::branch_of(tx, account, &Goal::Floor(floor.clone())) {
        Ok((session, branch)) => Ok(Some(LineName { session, branch })),
        Err(StoreError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
