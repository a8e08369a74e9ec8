//! Processing: the pages of a story are applied again, in order, from the first one that does not fit.

mod progress;
mod stored_states;
mod work;

pub(crate) use progress::{Processing, joined};
pub use stored_states::{ComparedStates, FloorDifference, StoredStates};
pub(crate) use work::{PartOutcome, ProcessWork};

use crate::record::Job;
use crate::{Runtime, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::kept_as_text;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::plan::{self, Need, StartAt};
use tavernkeep_store::story::states;
use tavernkeep_store::tree::MAIN_BRANCH;

tavernkeep_engine::stored_enum! {
    /// Which pages are processed.
    Mode {
        /// Those that do not fit, and what follows them.
        Stale = "stale",
        /// The last one, whether it fits or not; its snapshot gets another id.
        Latest = "latest",
        /// All of them.
        All = "all",
    }
}

kept_as_text!(Mode);

/// What to process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessOrder {
    /// On which branch, `main` if none.
    pub branch: Option<String>,
    /// From this position on everything is processed, whether it fits or not.
    pub from_floor: Option<i64>,
    /// Which pages.
    pub mode: Mode,
    /// Whether to report only what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether edits by hand are taken back, so that the texts alone count.
    #[serde(default)]
    pub overwrite_edited: bool,
    /// What becomes of the states that came with a chat; none where they are not looked at.
    #[serde(default)]
    pub stored_states: Option<StoredStates>,
}

impl ProcessOrder {
    /// The usual order for a mode.
    pub fn of(mode: Mode) -> ProcessOrder {
        ProcessOrder {
            branch: None,
            from_floor: None,
            mode,
            dry_run: false,
            overwrite_edited: false,
            stored_states: None,
        }
    }

    /// Whether it is about one branch: the one that it names, or `main` where it names a floor or the last page.
    pub(crate) fn names_place(&self) -> bool {
        self.branch.is_some() || self.from_floor.is_some() || self.mode == Mode::Latest
    }

    /// Whether any processing of the branch does this too.
    pub(crate) fn is_plain(&self) -> bool {
        let usual = ProcessOrder { branch: self.branch.clone(), ..ProcessOrder::of(Mode::Stale) };
        *self == usual
    }

    /// Where a branch is begun.
    pub(crate) fn start(&self) -> StartAt {
        match (self.mode, self.from_floor) {
            (Mode::Latest, _) => StartAt::Latest,
            (_, Some(floor_no)) => StartAt::Floor(floor_no),
            (Mode::All, None) => StartAt::Floor(0),
            // Edits may stand on pages that fit.
            (Mode::Stale, None) if self.overwrite_edited => StartAt::Floor(0),
            (Mode::Stale, None) => StartAt::Stale,
        }
    }

    /// The end of the branch, of `main` if none is named.
    pub(crate) fn goal(&self, session: &Id) -> Goal {
        Goal::Branch(session.clone(), self.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned()))
    }
}

/// What came of processing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessReport {
    /// Pages that got another state.
    pub processed: usize,
    /// Pages of these that have edits by hand, which count on.
    pub kept: usize,
    /// Pages that were looked at and need nothing.
    pub unchanged: usize,
    /// Commands in all their texts together that were refused.
    pub refused: usize,
    /// What is worth a look in all their texts together.
    pub problems: usize,
    /// Pages of these whose stored state differs from what was computed; known where all pages are processed.
    pub differing: usize,
    /// The first pages that got another state.
    pub floors: Vec<Processed>,
    /// Whether nothing was processed because the session's character is disabled.
    pub disabled: bool,
    /// How the states that came with a chat compare with ours, where they are looked at.
    pub states: Option<ComparedStates>,
}

/// What came of processing what follows an edit by hand.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Followed {
    /// What was processed.
    pub processed: ProcessReport,
    /// The job that goes on with it, where that takes long.
    pub job: Option<Id>,
}

/// One page that got another state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Processed {
    /// The floor.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// The page.
    pub page: Id,
    /// How many operations its text came to.
    pub changes: usize,
    /// How many of its commands were refused.
    #[serde(default)]
    pub refused: usize,
    /// What is worth a look.
    pub problems: usize,
    /// Whether the stored state differs from what was computed; known where all pages are processed.
    #[serde(default)]
    pub differs: Option<bool>,
}

/// Pages that a report lists; it counts all of them.
const FLOORS_LISTED_MAX: usize = 100;

/// Longer than anybody waits.
const PROCESS_TIME_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Runtime {
    /// Processes a branch to its end, however long that takes. Every part is stored by itself.
    pub async fn process(&self, account: &Id, session: &Id, order: ProcessOrder) -> RuntimeResult<ProcessReport> {
        let goal = order.goal(session);
        self.process_goal(account, goal, order).await
    }

    /// Processes what follows a page that was changed by hand, on its branch. What takes long goes on as a job. The page is
    /// what it is whether or not this succeeds: what could not be processed is known to be stale.
    pub(crate) async fn process_behind(&self, account: &Id, page: &Id) -> Option<Followed> {
        let followed = self.process_branch_of(account, page).await;
        if let Err(error) = &followed {
            tracing::warn!(%error, %page, "what follows could not be processed; its states are stale");
        }
        followed.ok()
    }

    async fn process_branch_of(&self, account: &Id, page: &Id) -> RuntimeResult<Followed> {
        let goal = self.line_of_page(account, page).await?.goal();
        let (processed, job) = self.process_some(account, goal).await?;
        Ok(Followed { processed, job: job.map(|job| job.id) })
    }

    /// Processes the line of a floor that was committed: the floor, and what comes after it. The floor is what it is whether or not
    /// this succeeds: what could not be processed is known to be stale.
    pub(crate) async fn process_line_of(&self, account: &Id, floor: &Id) {
        let processed = match self.line_of_floor(account, floor).await {
            Ok(line) => self.process_some(account, line.goal()).await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = processed {
            tracing::warn!(%error, %floor, "a committed floor could not be processed; its state is stale");
        }
    }

    /// Processes what a goal needs for as long as a request may take. If there is more to do, a job goes on with the branch.
    pub(crate) async fn process_some(&self, account: &Id, goal: Goal) -> RuntimeResult<(ProcessReport, Option<Job>)> {
        self.process_some_of(account, goal, ProcessOrder::of(Mode::Stale)).await
    }

    /// The same with another order.
    pub(crate) async fn process_some_of(
        &self,
        account: &Id,
        goal: Goal,
        order: ProcessOrder,
    ) -> RuntimeResult<(ProcessReport, Option<Job>)> {
        // A repeated request computes nothing: it gets its stored response, and what has become stale since is known to be.
        if self.was_replayed() {
            return Ok((ProcessReport::default(), None));
        }
        let (owner, wanted) = (account.clone(), goal.clone());
        let need = self.store.read(move |tx| plan::need(tx, &owner, &wanted)).await?;
        if need != Need::Something {
            let disabled = need == Need::Disabled;
            return Ok((ProcessReport { disabled, ..ProcessReport::default() }, None));
        }
        // A worker that already processes the branch is not raced.
        if let Some(job) = self.job_at_work(account, goal.clone(), &order, false).await? {
            return Ok((ProcessReport::default(), Some(job)));
        }
        let processing = self.begin(account, goal, order).await?;
        match self.process_for_a_while(account, processing).await? {
            Ok(report) => Ok((report, None)),
            Err(rest) => {
                let report = rest.report.clone();
                // Past the request's key, which belongs to what the request itself does.
                let job = self.job_for(account, *rest).await?;
                let job = self.store.write(job).await?;
                self.wakes.processing.notify_one();
                Ok((report, Some(job)))
            }
        }
    }

    /// Until when a request that begins now may process.
    pub(crate) fn process_end(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.process_time).unwrap_or_else(|| now + PROCESS_TIME_MAX)
    }

    pub(crate) async fn process_goal(
        &self,
        account: &Id,
        goal: Goal,
        order: ProcessOrder,
    ) -> RuntimeResult<ProcessReport> {
        let processing = self.begin(account, goal, order).await?;
        let mut work = ProcessWork::new(self, account, processing);
        while work.step(None).await? == PartOutcome::More {}
        Ok(work.processing.report)
    }

    pub(crate) async fn begin(&self, account: &Id, goal: Goal, order: ProcessOrder) -> RuntimeResult<Processing> {
        let latest = match (&goal, order.mode) {
            (Goal::Branch(session, branch), Mode::Latest) => {
                self.reindex_if_enabled(account, session).await?;
                let (owner, session, branch) = (account.clone(), session.clone(), branch.clone());
                let page = self.store.read(move |tx| states::last_page(tx, &owner, &session, &branch)).await?;
                page.map(|(page, snapshot)| self.renewal(page, snapshot.as_ref())).transpose()?
            }
            _ => None,
        };
        let (from, asked_at) = (order.start(), now_ms());
        if order.overwrite_edited {
            // What is edited after the answer is later than this.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(Processing {
            goal,
            order,
            asked_at: Some(asked_at),
            from,
            latest,
            passes: 0,
            report: ProcessReport::default(),
            start: Some(from),
            so_far: None,
            whole_session: false,
            before: ProcessReport::default(),
        })
    }
}

impl ProcessReport {
    /// This report and that of what was processed after it.
    pub(crate) fn with(mut self, part: ProcessReport) -> ProcessReport {
        self.disabled |= part.disabled;
        self.add(part);
        self
    }

    pub(crate) fn add(&mut self, part: ProcessReport) {
        self.processed += part.processed;
        self.kept += part.kept;
        self.unchanged += part.unchanged;
        self.refused += part.refused;
        self.problems += part.problems;
        self.differing += part.differing;
        if let Some(states) = part.states {
            self.states.get_or_insert_default().add(states);
        }
        let room = FLOORS_LISTED_MAX.saturating_sub(self.floors.len());
        self.floors.extend(part.floors.into_iter().take(room));
    }
}
