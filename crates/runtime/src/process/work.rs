//! The work itself: the next part is planned, computed outside of any transaction, and stored.

use super::progress::{Part, Processing, Stored};
use super::{Mode, ProcessReport, Processed};
use crate::story::{Base, TRIES_MAX, compute};
use crate::{Refusal, Runtime, StoreError, StoreResult, new_snapshot_id, now_ms};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::{Ground, Inputs};
use tavernkeep_engine::turn::Clock;
use tavernkeep_store::jobs::{self, Claim, Step};
use tavernkeep_store::story::plan::{self, Cursor, PageDue, Plan, StartAt};
use tavernkeep_store::story::results::{BuildsOn, Made};
use tavernkeep_store::story::text_hash;
use tavernkeep_store::story::versions::{self, Kind, Loaded, MadeOf, NewVersion};
use tavernkeep_store::tx::Tx;

/// Processing under way.
pub(crate) struct Work<'a> {
    runtime: &'a Runtime,
    account: &'a Id,
    pub(crate) processing: Processing,
    /// What the part before came to, when nothing of it was stored.
    carried: Option<Carried>,
    /// How often in a row somebody else was faster.
    tries: usize,
    /// How many parts were stored, of states or of flags.
    pub(crate) parts: u32,
}

/// What the next page builds on, and its document once somebody needs it.
type Carried = (BuildsOn, Option<Base>);

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
    /// For each of them what came of it, and of the pages since the one before it.
    reports: Vec<ProcessReport>,
    /// What came of the pages since the last one.
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
            self.parts += 1;
            return match claim {
                Some(claim) => self.note(claim, false).await,
                None => Ok(Went::On),
            };
        }
        let Some(last) = plan.steps.last().map(|step| step.cursor).filter(|_| plan.settings.enabled) else {
            return match claim {
                Some(claim) => self.note(claim, true).await,
                None => Ok(Went::Done),
            };
        };
        let carried = self.carried.take().unwrap_or((BuildsOn::Ground(plan.ground), None));
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
        self.processing.from = StartAt::Behind(last);
        computed.reports.into_iter().chain([computed.report]).for_each(|it| self.processing.report.add(it));
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
                    (link, base) = (BuildsOn::Ground(Ground::Version(made_of.version_row)), None);
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
                            (link, base) = (BuildsOn::Ground(kept), None);
                        }
                    }
                }
            }
        }
        if self.processing.order.dry_run && matches!(link, BuildsOn::Made(_)) {
            base = Some(self.base(plan.session_row, link, &computed).await?);
        }
        Ok((computed, (link, base)))
    }

    /// Whether a page is computed even if it fits.
    fn is_forced(&self, step: &PageDue) -> bool {
        // Whoever begins anew mends what was changed meanwhile.
        if self.processing.passes > 0 {
            return false;
        }
        match self.processing.order.mode {
            Mode::Stale => self.processing.order.from_floor.is_some_and(|floor_no| step.floor_no >= floor_no),
            Mode::All => true,
            Mode::Latest => self.renewed(step).is_some(),
        }
    }

    /// The id that the snapshot of a page is to get, if it does not have it yet.
    fn renewed(&self, step: &PageDue) -> Option<&Id> {
        let latest = self.processing.latest.as_ref().filter(|latest| latest.page == step.page)?;
        Some(&latest.snapshot).filter(|wanted| step.snapshot.as_ref() != Some(*wanted))
    }

    async fn base(&self, session_row: i64, link: BuildsOn, computed: &Computed) -> StoreResult<Base> {
        match link {
            BuildsOn::Ground(ground) => self.runtime.base(self.account, session_row, ground).await,
            BuildsOn::Made(at) => {
                let found = computed.loaded.get(at).map(|(loaded, _)| Base::of(loaded.clone()));
                found.ok_or_else(|| StoreError::Internal("a page was computed on nothing".into()))
            }
        }
    }

    /// A state that somebody changed by hand stays as it is, and stands on what is before it now. It is the same edit of the
    /// same state, told once more in the place of the one before.
    async fn rebase(&self, plan: &Plan, step: &PageDue, link: BuildsOn, kept: &MadeOf) -> StoreResult<(Made, Loaded)> {
        let (owner, session_row, row) = (self.account.clone(), plan.session_row, kept.version_row);
        let edit = self.runtime.store.read(move |tx| versions::edit(tx, &owner, session_row, row)).await?;
        let (start_row, change) = edit.unwrap_or_else(|| (row, Change::default()));
        let start = self.runtime.base(self.account, session_row, Ground::Version(start_row)).await?;
        let document = self.runtime.base(self.account, session_row, Ground::Version(row)).await?.document;
        let inputs = (text_hash(Some(&step.text)), plan.settings.recipe());
        let times = (kept.clock_ms, kept.round);
        let version = NewVersion::new(Kind::Edit, inputs, times, start.since, &change, &document);
        let loaded = Loaded { document, since: version.since(), round: kept.round };
        Ok((made(step, link, version, Some(start_row), None)?, loaded))
    }

    /// Applies a page's text. Nothing comes of it if the page has that very state already.
    async fn compute(
        &self,
        plan: &Plan,
        step: &PageDue,
        link: BuildsOn,
        before: Base,
        report: &mut ProcessReport,
    ) -> StoreResult<Option<(Made, Loaded)>> {
        // A turn that is told again is told at its own time.
        let clock_ms = step.made_of.as_ref().map_or(step.created_at, |made_of| made_of.clock_ms);
        let round = before.round + 1;
        let clock = Clock { now_ms: clock_ms, round, seed: 0 };
        let outcome = compute(before.document, step.text.clone(), plan.settings.profile(), clock).await?;
        let recipe = plan.settings.recipe();
        let renewed = self.renewed(step);
        if let Some(made_of) = &step.made_of
            && renewed.is_none()
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
        Ok(Some((made(step, link, version, None, renewed)?, loaded)))
    }

    /// Stores what was computed.
    async fn keep(
        &mut self,
        plan: &Plan,
        computed: Computed,
        last: Cursor,
        claim: Option<&mut Claim>,
    ) -> StoreResult<Went> {
        let Computed { made, loaded, reports, report } = computed;
        // Each was made of one of the steps, and says of which.
        let cursors: Vec<Cursor> = loaded.iter().filter_map(|&(_, at)| Some(plan.steps.get(at)?.cursor)).collect();
        let mut whole = Processing { from: StartAt::Behind(last), ..self.processing.clone() };
        reports.iter().cloned().chain([report]).for_each(|it| whole.report.add(it));
        if made.is_empty() {
            self.processing = whole;
            return match claim {
                Some(claim) => self.note(claim, false).await,
                None => Ok(Went::On),
            };
        }
        self.parts += 1;
        // There is twice as much as at the last look.
        let has_grown = self.parts > 1 && self.parts.is_power_of_two();
        let part = Part { made, cursors, reports, before: self.processing.clone(), whole, has_grown };
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
        self.tries = if is_whole { 0 } else { self.tries + 1 };
        if self.tries == TRIES_MAX { Err(Refusal::ParentMoved.into()) } else { Ok(Went::On) }
    }

    /// Writes down how far a job got that stored nothing.
    async fn note(&mut self, claim: &mut Claim, over: bool) -> StoreResult<Went> {
        let (processing, order, now) = (self.processing.clone(), claim.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            let Some(held) = jobs::hold(tx, &order, now)? else { return Ok(None) };
            let again = if over { processing.again(tx, &order.account, now)? } else { None };
            let is_over = over && again.is_none();
            let processing = again.unwrap_or_else(|| processing.clone());
            let progress = processing.progress(held.total, is_over)?;
            let step = jobs::advance(tx, &order, &held, &progress, now)?;
            Ok(Some((step, processing)))
        };
        Ok(match self.runtime.store.write(write).await? {
            Some((Step::More(renewed), processing)) => {
                *claim = renewed;
                self.processing = processing;
                Went::On
            }
            Some((Step::Over, _)) => Went::Done,
            None => Went::Lost,
        })
    }
}

impl Computed {
    fn take(&mut self, at: usize, (made, loaded): (Made, Loaded)) -> (BuildsOn, Option<Base>) {
        let base = Base::of(loaded.clone());
        self.made.push(made);
        self.loaded.push((loaded, at));
        self.reports.push(std::mem::take(&mut self.report));
        (BuildsOn::Made(self.made.len() - 1), Some(base))
    }
}

/// Whether a state was made of what is there now. One that is stored only now has no number yet that it could fit.
fn fits(made_of: &MadeOf, link: BuildsOn, step: &PageDue) -> bool {
    match link {
        BuildsOn::Made(_) => false,
        BuildsOn::Ground(ground) => {
            let now = Inputs { ground, text: Some(text_hash(Some(&step.text))) };
            now.misfit(Some(&made_of.inputs())).is_none()
        }
    }
}

fn made(
    step: &PageDue,
    base: BuildsOn,
    version: NewVersion,
    parent: Option<i64>,
    renewed: Option<&Id>,
) -> StoreResult<Made> {
    Ok(Made {
        rows: (step.floor_row, step.page_row),
        expected: step.made_of.as_ref().map(|made_of| made_of.version_row),
        snapshot: renewed.cloned().map_or_else(new_snapshot_id, Ok)?,
        renew: renewed.is_some(),
        parent,
        base,
        version,
    })
}
