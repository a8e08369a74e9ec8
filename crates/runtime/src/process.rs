//! Processing: the pages of a story are applied again, in order, from the first one that does not fit.

use crate::story::{Base, TRIES_MAX, compute};
use crate::{Refusal, Runtime, StoreError, StoreResult, new_snapshot_id, now_ms};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::kept_as_text;
use tavernkeep_engine::story::{Ground, Inputs};
use tavernkeep_engine::turn::Clock;
use tavernkeep_store::jobs::{self, Claim, Progress, Step as JobStep};
use tavernkeep_store::sessions::MAIN_BRANCH;
use tavernkeep_store::story::plan::{self, Cursor, From, Goal, Link, Made, Plan, Step};
use tavernkeep_store::story::states;
use tavernkeep_store::story::text_hash;
use tavernkeep_store::story::versions::{self, Kind, Loaded, MadeOf, NewVersion};
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

    /// The end of the branch, of `main` if none is named.
    pub(crate) fn goal(&self, session: &Id) -> Goal {
        Goal::Branch(session.clone(), self.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned()))
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
    /// Processes a branch to its end, however long that takes. Every part is stored by itself.
    pub async fn process(&self, account: &Id, session: &Id, order: ProcessOrder) -> StoreResult<ProcessReport> {
        let goal = order.goal(session);
        self.process_goal(account, goal, order).await
    }

    /// Processes the branch that a page stands on. What takes long goes on as a job.
    pub async fn process_branch_of(&self, account: &Id, page: &Id) -> StoreResult<()> {
        let floor = self.page(account, page).await?.floor;
        let floor = self.floor(account, &floor).await?;
        let order = ProcessOrder { branch: Some(floor.branch), ..ProcessOrder::of(Mode::Stale) };
        let processing = self.begin(account, order.goal(&floor.session), order).await?;
        if let Err(rest) = self.process_for_a_while(account, processing).await? {
            // Past the request's key, which belongs to what the request itself does.
            let job = self.job_for(account, &floor.session, *rest).await?;
            self.store.write(job).await?;
            self.wake.notify_one();
        }
        Ok(())
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
        let processing = self.begin(account, goal, order).await?;
        let mut work = Work::new(self, account, processing);
        while work.step(None).await? == Went::On {}
        Ok(work.processing.report)
    }

    pub(crate) async fn begin(&self, account: &Id, goal: Goal, order: ProcessOrder) -> StoreResult<Processing> {
        let latest = match (&goal, order.mode) {
            (Goal::Branch(session, branch), Mode::Latest) => {
                let (owner, session, branch) = (account.clone(), session.clone(), branch.clone());
                self.store.read(move |tx| states::last_page(tx, &owner, &session, &branch)).await?
            }
            _ => None,
        };
        let from = match (order.mode, order.from_floor) {
            (Mode::Latest, _) => From::Latest,
            (_, Some(floor_no)) => From::Floor(floor_no),
            (Mode::All, None) => From::Floor(0),
            (Mode::Stale, None) => From::Stale,
        };
        Ok(Processing { goal, order, from, latest, report: ProcessReport::default() })
    }
}

/// What is to be processed and how far that got: what a job remembers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Processing {
    pub(crate) goal: Goal,
    pub(crate) order: ProcessOrder,
    pub(crate) from: From,
    /// The last page, where it is to be processed in any case.
    latest: Option<Id>,
    pub(crate) report: ProcessReport,
}

impl Processing {
    /// As a job writes it down. Of what is not stored nothing is left to go on from, so that begins anew.
    fn progress(&self, total: i64, over: bool) -> StoreResult<Progress> {
        let done = self.done();
        let total = if over { done } else { total.max(done) };
        let work = (over || !self.order.dry_run).then(|| self.to_text()).transpose()?;
        Ok(Progress { done, total, work, over })
    }

    /// How many pages were looked at.
    pub(crate) fn done(&self) -> i64 {
        let ProcessReport { processed, kept, unchanged, .. } = self.report;
        i64::try_from(processed + kept + unchanged).unwrap_or(i64::MAX)
    }

    pub(crate) fn to_text(&self) -> StoreResult<JsonText> {
        let broken = |error: String| StoreError::Internal(format!("processing cannot be written down: {error}"));
        let text = serde_json::to_vec(self).map_err(|error| broken(error.to_string()))?;
        JsonText::parse(&text).map_err(|error| broken(error.to_string()))
    }
}

/// Processing under way.
pub(crate) struct Work<'a> {
    runtime: &'a Runtime,
    account: &'a Id,
    pub(crate) processing: Processing,
    /// What the part before came to, when nothing of it was stored.
    carried: Option<Carried>,
    /// How often somebody else was faster.
    tries: usize,
    /// How many parts were stored.
    parts: u32,
}

/// What the next page builds on, and its document once somebody needs it.
type Carried = (Link, Option<Base>);

/// How a part went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Went {
    /// There is more to do.
    On,
    /// All is done.
    Done,
    /// The job was cancelled, or somebody else has it.
    Lost,
}

/// What has been computed and waits to be stored.
#[derive(Default)]
struct Computed {
    made: Vec<Made>,
    /// For each of them its document, and where it stands among the steps.
    loaded: Vec<(Loaded, usize)>,
    report: ProcessReport,
}

impl<'a> Work<'a> {
    pub(crate) fn new(runtime: &'a Runtime, account: &'a Id, processing: Processing) -> Work<'a> {
        Work { runtime, account, processing, carried: None, tries: 0, parts: 0 }
    }

    /// Computes and stores the next part; with the lease of a job, how far that got with it.
    pub(crate) async fn step(&mut self, mut claim: Option<&mut Claim>) -> StoreResult<Went> {
        let (owner, goal, from) = (self.account.clone(), self.processing.goal.clone(), self.processing.from);
        let plan = self.runtime.store.read(move |tx| plan::plan(tx, &owner, &goal, from)).await?;
        self.processing.report.disabled = !plan.settings.enabled;
        if plan.settings.enabled && plan.settings.lags_behind() {
            self.runtime.adopt(self.account, plan.session_row).await?;
            return Ok(Went::On);
        }
        let Some(last) = plan.steps.last().map(|step| step.cursor).filter(|_| plan.settings.enabled) else {
            return match claim {
                Some(claim) => self.note(claim, true).await,
                None => Ok(Went::Done),
            };
        };
        let carried = self.carried.take().unwrap_or((Link::Ground(plan.ground), None));
        let computing = self.compute_part(&plan, carried);
        let computed = match claim.as_deref_mut() {
            Some(claim) => self.runtime.holding(claim, computing).await?,
            None => Some(computing.await?),
        };
        let Some((computed, carried)) = computed else { return Ok(Went::Lost) };
        if !self.processing.order.dry_run {
            return self.keep(&plan, computed, last, claim).await;
        }
        self.carried = Some(carried);
        self.processing.from = From::Behind(last);
        self.processing.report.add(computed.report);
        match claim {
            Some(claim) => self.note(claim, false).await,
            None => Ok(Went::On),
        }
    }

    async fn compute_part(&self, plan: &Plan, (mut link, mut base): Carried) -> StoreResult<(Computed, Carried)> {
        let mut computed = Computed::default();
        for (at, step) in plan.steps.iter().enumerate() {
            let order = &self.processing.order;
            let edited = step.made_of.as_ref().filter(|it| it.kind == Kind::Edit && !order.overwrite_edited);
            let fits = step.made_of.as_ref().filter(|made_of| fits(made_of, link, step));
            match (edited, fits) {
                (_, Some(made_of)) if edited.is_some() || !self.is_forced(step) => {
                    match edited {
                        Some(_) => computed.report.kept += 1,
                        None => computed.report.unchanged += 1,
                    }
                    (link, base) = (Link::Ground(Ground::Version(made_of.version_row)), None);
                }
                (Some(made_of), _) => {
                    let kept = self.rebase(plan, step, link, made_of).await?;
                    computed.report.kept += 1;
                    (link, base) = computed.take(at, kept);
                }
                _ => {
                    let before = match base.take() {
                        Some(before) => before,
                        None => self.base(plan.session_row, link, &computed).await?,
                    };
                    match self.compute(plan, step, link, before, &mut computed.report).await? {
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
        if self.processing.order.dry_run && matches!(link, Link::Made(_)) {
            base = Some(self.base(plan.session_row, link, &computed).await?);
        }
        Ok((computed, (link, base)))
    }

    /// Whether a page is computed even if it fits.
    fn is_forced(&self, step: &Step) -> bool {
        match self.processing.order.mode {
            Mode::Stale => self.processing.order.from_floor.is_some_and(|floor_no| step.floor_no >= floor_no),
            Mode::All => true,
            Mode::Latest => self.processing.latest.as_ref() == Some(&step.page),
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

    /// A state that somebody changed by hand stays as it is, and stands on what is before it now. It is the same edit of the
    /// same state, told once more in the place of the one before.
    async fn rebase(&self, plan: &Plan, step: &Step, link: Link, kept: &MadeOf) -> StoreResult<(Made, Loaded)> {
        let (owner, session_row, row) = (self.account.clone(), plan.session_row, kept.version_row);
        let edit = self.runtime.store.read(move |tx| versions::edit(tx, &owner, session_row, row)).await?;
        let (start_row, change) = edit.unwrap_or_else(|| (row, Change::default()));
        let start = self.runtime.base(self.account, session_row, Ground::Version(start_row)).await?;
        let document = self.runtime.base(self.account, session_row, Ground::Version(row)).await?.document;
        let inputs = (text_hash(Some(&step.text)), plan.settings.recipe());
        let times = (kept.clock_ms, kept.round);
        let version = NewVersion::new(Kind::Edit, inputs, times, start.since, &change, &document);
        let loaded = Loaded { document, since: version.since(), round: kept.round };
        Ok((made(step, link, version, Some(start_row), false)?, loaded))
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
        let renew = self.processing.latest.as_ref() == Some(&step.page);
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
    async fn keep(
        &mut self,
        plan: &Plan,
        computed: Computed,
        last: Cursor,
        claim: Option<&mut Claim>,
    ) -> StoreResult<Went> {
        let Computed { made, loaded, report } = computed;
        let cursors: Vec<Cursor> = loaded.iter().map(|&(_, at)| plan.steps[at].cursor).collect();
        let mut whole = Processing { from: From::Behind(last), ..self.processing.clone() };
        whole.report.add(report);
        if made.is_empty() {
            self.processing = whole;
            return match claim {
                Some(claim) => self.note(claim, false).await,
                None => Ok(Went::On),
            };
        }
        self.parts += 1;
        // Each time there is twice as much.
        let has_grown = self.parts > 1 && self.parts.is_power_of_two();
        let part = Part { made, cursors, before: self.processing.clone(), whole, has_grown };
        let (owner, session_row, now) = (self.account.clone(), plan.session_row, now_ms());
        let order = claim.as_deref().cloned();
        // Past the request's key, which belongs to what the request itself does.
        let write = move |tx: &mut dyn Tx| part.store(tx, &owner, session_row, order.as_ref(), now);
        let Some(Stored { versions, processing, is_whole, claim: renewed }) = self.runtime.store.write(write).await?
        else {
            return Ok(Went::Lost);
        };
        if let (Some(claim), Some(renewed)) = (claim, renewed) {
            *claim = renewed;
        }
        for (version_row, (loaded, _)) in versions.into_iter().zip(loaded) {
            self.runtime.documents.keep(self.account, session_row, version_row, loaded);
        }
        self.processing = processing;
        // Somebody else was faster with one of the pages: look again what is there now.
        self.tries += usize::from(!is_whole);
        if self.tries == TRIES_MAX { Err(Refusal::ParentMoved.into()) } else { Ok(Went::On) }
    }

    /// Writes down how far a job got that stored nothing.
    async fn note(&self, claim: &mut Claim, over: bool) -> StoreResult<Went> {
        let (processing, order, now) = (self.processing.clone(), claim.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| match jobs::hold(tx, &order, now)? {
            Some(held) => {
                let progress = processing.progress(held.total, over)?;
                jobs::advance(tx, &order, &held, &progress, now).map(Some)
            }
            None => Ok(None),
        };
        Ok(match self.runtime.store.write(write).await? {
            Some(JobStep::More(renewed)) => {
                *claim = renewed;
                Went::On
            }
            Some(JobStep::Over) => Went::Done,
            None => Went::Lost,
        })
    }
}

/// What one transaction stores.
struct Part {
    made: Vec<Made>,
    /// Where each of them stands.
    cursors: Vec<Cursor>,
    before: Processing,
    /// How far it got if all of them are stored.
    whole: Processing,
    /// Whether the session is much larger than the database may believe.
    has_grown: bool,
}

/// What one transaction has stored.
struct Stored {
    versions: Vec<i64>,
    processing: Processing,
    is_whole: bool,
    claim: Option<Claim>,
}

impl Part {
    /// Stores everything, or what comes before the first page that somebody else has given a state. Nothing if the job is
    /// not ours any more.
    fn store(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        session_row: i64,
        claim: Option<&Claim>,
        now: i64,
    ) -> StoreResult<Option<Stored>> {
        let held = match claim {
            Some(claim) => match jobs::hold(tx, claim, now)? {
                Some(held) => Some((claim, held)),
                None => return Ok(None),
            },
            None => None,
        };
        let versions = plan::store(tx, account, session_row, &self.made, now)?;
        if self.has_grown {
            tx.has_grown()?;
        }
        let is_whole = versions.len() == self.made.len();
        let processing = match versions.len().checked_sub(1) {
            _ if is_whole => self.whole.clone(),
            Some(at) => Processing { from: From::Behind(self.cursors[at]), ..self.before.clone() },
            None => self.before.clone(),
        };
        let claim = match held {
            Some((claim, held)) => {
                let progress = processing.progress(held.total, false)?;
                match jobs::advance(tx, claim, &held, &progress, now)? {
                    JobStep::More(renewed) => Some(renewed),
                    JobStep::Over => None,
                }
            }
            None => None,
        };
        Ok(Some(Stored { versions, processing, is_whole, claim }))
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
