//! What a change leaves stale.

use crate::{Mode, ProcessOrder, Refusal, Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::pages;
use tavernkeep_store::story::goal::{self, Goal};
use tavernkeep_store::story::plan;

/// The floors of a line whose states cannot be believed.
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
#[derive(Debug, Clone)]
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

    /// The floors of a line whose states cannot be believed after a change; none if all can. The change is done whether or not
    /// this succeeds, so trouble is only logged.
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

    async fn find_stale(&self, account: &Id, line: &LineName) -> RuntimeResult<Option<StaleFloors>> {
        let (owner, goal) = (account.clone(), line.goal());
        let Some(stale) = self.store.read(move |tx| plan::stale(tx, &owner, &goal)).await? else { return Ok(None) };
        let job = match self.job_at_work(account, line.goal(), &ProcessOrder::of(Mode::Stale)).await {
            Err(RuntimeError::Refused(Refusal::BranchBusy(job))) => Some(job),
            found => found?.map(|job| job.id),
        };
        let plan::StaleFloors { floors, first_floor_no } = stale;
        Ok(Some(StaleFloors { floors, first_floor_no, job }))
    }
}
