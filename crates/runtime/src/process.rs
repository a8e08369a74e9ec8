//! Processing: the pages of a story are applied again, in order, from the first one that does not fit.

use crate::story::{Base, TRIES_MAX, compute};
use crate::{Refusal, Runtime, StoreError, StoreResult, new_snapshot_id, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::{Ground, Inputs};
use tavernkeep_engine::turn::Clock;
use tavernkeep_store::sessions::MAIN_BRANCH;
use tavernkeep_store::story::plan::{self, From, Goal, Link, Made, Plan, Step};
use tavernkeep_store::story::states;
use tavernkeep_store::story::text_hash;
use tavernkeep_store::story::versions::{Kind, Loaded, MadeOf, NewVersion};
use tavernkeep_store::tx::Tx;

tavernkeep_engine::words! {
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

/// What to process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOrder {
    /// On which branch, `main` if none.
    pub branch: Option<String>,
    /// From this position on everything is processed, whether it fits or not.
    pub from_floor: Option<i64>,
    /// Which pages.
    pub mode: Mode,
    /// Whether to tell only what would happen.
    pub dry_run: bool,
    /// Whether states that somebody changed by hand are computed anew too.
    pub overwrite_edited: bool,
}

impl ProcessOrder {
    /// The usual order for a mode.
    pub fn of(mode: Mode) -> ProcessOrder {
        ProcessOrder { branch: None, from_floor: None, mode, dry_run: false, overwrite_edited: false }
    }
}

/// What came of processing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ProcessReport {
    /// Pages that got another state.
    pub processed: usize,
    /// Pages whose state was changed by hand and was kept.
    pub kept: usize,
    /// Pages that were looked at and need nothing.
    pub unchanged: usize,
    /// What is worth a look in all their texts together.
    pub problems: usize,
    /// The first pages that got another state.
    pub floors: Vec<Processed>,
    /// Whether nothing was processed because the session's character is disabled.
    pub disabled: bool,
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
    /// What is worth a look.
    pub problems: usize,
}

/// Pages that a report lists; it counts all of them.
const FLOORS_LISTED_MAX: usize = 100;

impl Runtime {
    /// Processes a branch. Every part is stored by itself; under an idempotency key the report is kept when all is done, so
    /// whoever was interrupted goes on and whoever was not hears the same.
    pub async fn process(&self, account: &Id, session: &Id, order: ProcessOrder) -> StoreResult<ProcessReport> {
        if let Some(report) = self.told_before(account).await? {
            return Ok(report);
        }
        let branch = order.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned());
        let report = self.process_goal(account, Goal::Branch(session.clone(), branch), order).await?;
        match self.once {
            Some(_) => self.write(account, move |_| Ok(report.clone())).await,
            None => Ok(report),
        }
    }

    /// Processes the branch that a page stands on.
    pub async fn process_branch_of(&self, account: &Id, page: &Id) -> StoreResult<ProcessReport> {
        let floor = self.page(account, page).await?.floor;
        let floor = self.floor(account, &floor).await?;
        self.process_goal(account, Goal::Branch(floor.session, floor.branch), ProcessOrder::of(Mode::Stale)).await
    }

    /// Processes what a page needs that was activated or committed. The page is what it is whether or not this succeeds:
    /// what could not be processed is known to be stale.
    pub(crate) async fn process_floor(&self, account: &Id, floor: &Id) {
        let goal = Goal::Floor(floor.clone());
        if let Err(error) = self.process_goal(account, goal, ProcessOrder::of(Mode::Stale)).await {
            tracing::warn!(%error, %floor, "a page could not be processed; its state is stale");
        }
    }

    pub(crate) async fn process_goal(
        &self,
        account: &Id,
        goal: Goal,
        order: ProcessOrder,
    ) -> StoreResult<ProcessReport> {
        let latest = match (&goal, order.mode) {
            (Goal::Branch(session, branch), Mode::Latest) => {
                let (owner, session, branch) = (account.clone(), session.clone(), branch.clone());
                self.store.read(move |tx| states::newest(tx, &owner, &session, &branch)).await?.page
            }
            _ => None,
        };
        let mut from = match (order.mode, order.from_floor) {
            (Mode::Latest, _) => From::Latest,
            (_, Some(floor_no)) => From::Floor(floor_no),
            (Mode::All, None) => From::Floor(0),
            (Mode::Stale, None) => From::Stale,
        };
        let goal = Arc::new(goal);
        let mut work =
            Work { runtime: self, account, order, latest, report: ProcessReport::default(), carried: None, parts: 0 };
        let mut tries = 0;
        loop {
            let (owner, wanted) = (account.clone(), Arc::clone(&goal));
            let plan = self.store.read(move |tx| plan::plan(tx, &owner, &wanted, from)).await?;
            if !plan.settings.enabled {
                work.report.disabled = true;
                return Ok(work.report);
            }
            if plan.settings.lags_behind() {
                self.adopt(account, plan.session_row).await?;
                continue;
            }
            let Some(last) = plan.steps.last().map(|step| step.cursor) else { return Ok(work.report) };
            match work.part(plan).await? {
                None => from = From::Behind(last),
                // Somebody else was faster with one of the pages: look again what is there now.
                Some(reached) => {
                    tries += 1;
                    from = reached.map_or(from, From::Behind);
                    if tries == TRIES_MAX {
                        return Err(Refusal::ParentMoved.into());
                    }
                }
            }
        }
    }
}

/// Processing under way.
struct Work<'a> {
    runtime: &'a Runtime,
    account: &'a Id,
    order: ProcessOrder,
    /// The last page, where it is to be processed in any case.
    latest: Option<Id>,
    report: ProcessReport,
    /// What the part before came to, when nothing of it was stored.
    carried: Option<(Link, Option<Base>)>,
    /// How many parts were stored.
    parts: u32,
}

/// What has been computed and waits to be stored.
#[derive(Default)]
struct Computed {
    made: Vec<Made>,
    /// For each of them its document, and where it stands among the steps.
    loaded: Vec<(Loaded, usize)>,
    report: ProcessReport,
}

impl Work<'_> {
    /// Computes and stores one part. If somebody else was faster, tells the last page that is as computed.
    async fn part(&mut self, plan: Plan) -> StoreResult<Option<Option<plan::Cursor>>> {
        let mut computed = Computed::default();
        // What the next page builds on, and its document once somebody needs it.
        let (mut link, mut base) = self.carried.take().unwrap_or((Link::Ground(plan.ground), None));
        for (at, step) in plan.steps.iter().enumerate() {
            let edited = step.made_of.as_ref().filter(|it| it.kind == Kind::Edit && !self.order.overwrite_edited);
            let fits = step.made_of.as_ref().filter(|made_of| fits(made_of, link, step));
            match (edited, fits) {
                (_, Some(made_of)) if edited.is_some() || !self.is_forced(step) => {
                    computed.report.unchanged += 1;
                    (link, base) = (Link::Ground(Ground::Version(made_of.version_row)), None);
                }
                (Some(made_of), _) => {
                    let kept = self.rebase(&plan, step, link, made_of).await?;
                    computed.report.kept += 1;
                    (link, base) = computed.take(at, kept);
                }
                _ => {
                    let before = match base.take() {
                        Some(before) => before,
                        None => self.base(plan.session_row, link, &computed).await?,
                    };
                    match self.compute(&plan, step, link, before, &mut computed.report).await? {
                        Some(made) => (link, base) = computed.take(at, made),
                        None => {
                            let kept =
                                step.made_of.as_ref().map_or(Ground::Unprocessed, |it| Ground::Version(it.version_row));
                            (link, base) = (Link::Ground(kept), None);
                        }
                    }
                }
            }
        }
        if self.order.dry_run {
            let base = match link {
                Link::Made(_) => Some(self.base(plan.session_row, link, &computed).await?),
                Link::Ground(_) => base,
            };
            self.carried = Some((link, base));
            self.report.add(computed.report);
            return Ok(None);
        }
        self.keep(&plan, computed).await
    }

    /// Whether a page is computed even if it fits.
    fn is_forced(&self, step: &Step) -> bool {
        match self.order.mode {
            Mode::Stale => self.order.from_floor.is_some_and(|floor_no| step.floor_no >= floor_no),
            Mode::All => true,
            Mode::Latest => self.latest.as_ref() == Some(&step.page),
        }
    }

    async fn base(&self, session_row: i64, link: Link, computed: &Computed) -> StoreResult<Base> {
        match link {
            Link::Ground(ground) => self.runtime.base(self.account, session_row, ground).await,
            Link::Made(at) => {
                let found = computed.loaded.get(at).map(|(loaded, _)| Base::of(loaded.clone()));
                found.ok_or_else(|| StoreError::Internal("a page was computed on nothing".into()))
            }
        }
    }

    /// A state that somebody changed by hand stays as it is, and stands on what is before it now.
    async fn rebase(&self, plan: &Plan, step: &Step, link: Link, kept: &MadeOf) -> StoreResult<(Made, Loaded)> {
        let ground = Ground::Version(kept.version_row);
        let old = self.runtime.base(self.account, plan.session_row, ground).await?;
        let inputs = (text_hash(Some(&step.text)), plan.settings.recipe());
        let times = (kept.clock_ms, kept.round);
        let version = NewVersion::new(Kind::Edit, inputs, times, old.since, &Change::default(), &old.document);
        let loaded = Loaded { document: old.document, since: version.since(), round: kept.round };
        Ok((made(step, link, version, Some(kept.version_row), false)?, loaded))
    }

    /// Applies a page's text. Nothing comes of it if the page has that very state already.
    async fn compute(
        &self,
        plan: &Plan,
        step: &Step,
        link: Link,
        before: Base,
        report: &mut ProcessReport,
    ) -> StoreResult<Option<(Made, Loaded)>> {
        // A turn that is told again is told at its own time.
        let clock_ms = step.made_of.as_ref().map_or(step.created_at, |made_of| made_of.clock_ms);
        let round = before.round + 1;
        let clock = Clock { now_ms: clock_ms, round, seed: 0 };
        let outcome = compute(before.document, step.text.clone(), plan.settings.profile(), clock).await?;
        let recipe = plan.settings.recipe();
        let renew = self.latest.as_ref() == Some(&step.page);
        if let Some(made_of) = &step.made_of
            && !renew
            && made_of.kind == Kind::Turn
            && made_of.recipe_hash == recipe.hash
            && fits(made_of, link, step)
        {
            let ground = Ground::Version(made_of.version_row);
            let old = self.runtime.base(self.account, plan.session_row, ground).await?;
            if old.document.same_in_order(&outcome.document) {
                report.unchanged += 1;
                return Ok(None);
            }
        }
        report.processed += 1;
        report.problems += outcome.problems.len();
        report.floors.push(Processed {
            floor: step.floor.clone(),
            floor_no: step.floor_no,
            page: step.page.clone(),
            changes: outcome.change.ops.len(),
            problems: outcome.problems.len(),
        });
        let inputs = (text_hash(Some(&step.text)), recipe);
        let (change, document) = (&outcome.change, &outcome.document);
        let version = NewVersion::new(Kind::Turn, inputs, (clock_ms, round), before.since, change, document);
        let loaded = Loaded { since: version.since(), document: outcome.document, round };
        Ok(Some((made(step, link, version, None, renew)?, loaded)))
    }

    /// Stores what was computed.
    async fn keep(&mut self, plan: &Plan, computed: Computed) -> StoreResult<Option<Option<plan::Cursor>>> {
        let Computed { made, loaded, report } = computed;
        if made.is_empty() {
            self.report.add(report);
            return Ok(None);
        }
        let wanted = made.len();
        let (owner, session_row, now) = (self.account.clone(), plan.session_row, now_ms());
        self.parts += 1;
        // Each time there is twice as much.
        let has_grown = self.parts > 1 && self.parts.is_power_of_two();
        let write = move |tx: &mut dyn Tx| {
            let stored = plan::store(tx, &owner, session_row, &made, now)?;
            if has_grown {
                tx.has_grown()?;
            }
            Ok(stored)
        };
        // Past the request's key, which belongs to what the request itself does.
        let stored = self.runtime.store.write(write).await?;
        let mut reached = None;
        for (&version_row, (loaded, at)) in stored.iter().zip(loaded) {
            self.runtime.documents.keep(self.account, session_row, version_row, loaded);
            reached = Some(plan.steps[at].cursor);
        }
        if stored.len() < wanted {
            return Ok(Some(reached));
        }
        self.report.add(report);
        Ok(None)
    }
}

impl Computed {
    fn take(&mut self, at: usize, (made, loaded): (Made, Loaded)) -> (Link, Option<Base>) {
        let base = Base::of(loaded.clone());
        self.made.push(made);
        self.loaded.push((loaded, at));
        (Link::Made(self.made.len() - 1), Some(base))
    }
}

impl ProcessReport {
    fn add(&mut self, part: ProcessReport) {
        self.processed += part.processed;
        self.kept += part.kept;
        self.unchanged += part.unchanged;
        self.problems += part.problems;
        let room = FLOORS_LISTED_MAX.saturating_sub(self.floors.len());
        self.floors.extend(part.floors.into_iter().take(room));
    }
}

/// Whether a state was made of what is there now. One that is stored only now has no number yet that it could fit.
fn fits(made_of: &MadeOf, link: Link, step: &Step) -> bool {
    match link {
        Link::Made(_) => false,
        Link::Ground(ground) => {
            let now = Inputs { ground, text: Some(text_hash(Some(&step.text))) };
            now.misfit(Some(&made_of.inputs())).is_none()
        }
    }
}

fn made(step: &Step, base: Link, version: NewVersion, parent: Option<i64>, renew: bool) -> StoreResult<Made> {
    Ok(Made {
        rows: (step.floor_row, step.page_row),
        expected: step.made_of.as_ref().map(|made_of| made_of.version_row),
        snapshot: new_snapshot_id()?,
        renew,
        parent,
        base,
        version,
    })
}
