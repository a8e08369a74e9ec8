//! The work itself: the next part is planned, computed outside of any transaction, and stored.

use super::progress::{ProcessedPart, Processing, Stored};
use super::stored_states::{self, FloorDifference, StoredStates};
use super::{Mode, ProcessReport, Processed};
use crate::ids::IdSeed;
use crate::story::TRIES_MAX;
use crate::turn::{ComputedTurn, SessionTurn, TurnBase};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_snapshot_id, now_ms};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::{Base, Inputs};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::jobs::{self, Claim, JobStep};
use tavernkeep_store::story::edits::{Edit, PageEdits};
use tavernkeep_store::story::plan::{self, Cursor, PageDue, Plan, StartAt};
use tavernkeep_store::story::results::{BuildsOn, Made};
use tavernkeep_store::story::versions::{Loaded, MadeOf, NewVersion};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::tree::separation::origin;

/// Processing under way.
pub(crate) struct ProcessWork<'a> {
    runtime: &'a Runtime,
    account: &'a Id,
    pub(crate) processing: Processing,
    /// What the part before came to, when nothing of it was stored.
    carried: Option<Carried>,
    /// How many times in a row another writer was faster.
    tries: usize,
    /// Who processes has until then; a part is computed no longer.
    until: Option<Instant>,
    /// Nor longer than this.
    part_time: Duration,
    /// How many parts were stored, of states or of flags.
    pub(crate) parts: u32,
}

/// What the next page builds on, and its document once it is needed.
type Carried = (BuildsOn, Option<TurnBase>);

/// How a part went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartOutcome {
    /// There is more to do.
    More,
    /// All is done.
    Done,
    /// The job was cancelled, or another worker has it.
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
    /// How many of the steps it took.
    steps: usize,
    /// What is to be written.
    bytes: usize,
}

/// How long a part is computed before it is stored, so that progress and cancellation are seen soon.
const PART_TIME: Duration = Duration::from_millis(250);
/// Bytes of changes and documents after which a part is stored: others wait for it.
const PART_BYTES_MAX: usize = 2 * 1024 * 1024;

impl<'a> ProcessWork<'a> {
    pub(crate) fn new(runtime: &'a Runtime, account: &'a Id, processing: Processing) -> ProcessWork<'a> {
        ProcessWork {
            runtime,
            account,
            processing,
            carried: None,
            tries: 0,
            until: None,
            part_time: PART_TIME,
            parts: 0,
        }
    }

    /// The same for as long as a request has time.
    pub(crate) fn until(self, until: Instant) -> ProcessWork<'a> {
        ProcessWork { until: Some(until), ..self }
    }

    /// Computes and stores the next part; with the lease of a job, how far that got with it.
    pub(crate) async fn step(&mut self, mut claim: Option<&mut Claim>) -> RuntimeResult<PartOutcome> {
        let (owner, goal, from) = (self.account.clone(), self.processing.goal.clone(), self.processing.from);
        let with_extras = self.processing.order.stored_states.is_some();
        let read = move |tx: &mut dyn Tx| match with_extras {
            true => plan::plan_with_extras(tx, &owner, &goal, from),
            false => plan::plan(tx, &owner, &goal, from),
        };
        let plan = self.runtime.store.read(read).await?;
        self.processing.report.disabled = !plan.settings.enabled;
        if plan.settings.enabled && plan.settings.lags_behind() {
            self.runtime.reindex_flags(self.account, plan.session_row).await?;
            self.parts += 1;
            return match claim {
                Some(claim) => self.note(claim, false).await,
                None => Ok(PartOutcome::More),
            };
        }
        if plan.steps.is_empty() || !plan.settings.enabled {
            return match claim {
                Some(claim) => self.note(claim, true).await,
                None => Ok(PartOutcome::Done),
            };
        }
        // What it had come to was dropped meanwhile: there is nothing to go on from.
        if plan.base == Base::Unprocessed && matches!(from, StartAt::Behind(_)) && self.carried.is_none() {
            self.processing.from = StartAt::Stale;
            return Ok(PartOutcome::More);
        }
        let carried = self.carried.take().unwrap_or((BuildsOn::Base(plan.base), None));
        let computing = self.compute_part(&plan, carried);
        let computed = match claim.as_deref_mut() {
            Some(claim) => self.runtime.holding(claim, computing).await?,
            None => Some(computing.await?),
        };
        let Some((computed, carried)) = computed else { return Ok(PartOutcome::Lost) };
        if !self.processing.order.dry_run {
            if let Some(floor_no) = computed.first_shared(&plan) {
                let (owner, session_row, branch_row, now) =
                    (self.account.clone(), plan.session_row, plan.branch_row, now_ms());
                let own = move |tx: &mut dyn Tx| {
                    plan::own(tx, SessionKey::new(&owner, session_row), branch_row, floor_no, now)
                };
                self.runtime.store.write(own).await?;
                return Ok(PartOutcome::More);
            }
            return self.keep(&plan, computed, claim).await;
        }
        self.carried = Some(carried);
        self.processing.from = computed.behind(&plan, self.processing.from);
        computed.reports.into_iter().chain([computed.report]).for_each(|it| self.processing.report.add(it));
        match claim {
            Some(claim) => self.note(claim, false).await,
            None => Ok(PartOutcome::More),
        }
    }

    async fn compute_part(&self, plan: &Plan, (mut link, mut base): Carried) -> RuntimeResult<(Computed, Carried)> {
        let mut computed = Computed::default();
        let end = Instant::now() + self.part_time;
        let end = self.until.map_or(end, |until| until.min(end));
        for (at, step) in plan.steps.iter().enumerate() {
            // Each part that is stored makes progress, so the first page is computed in any case.
            if at > 0 && (computed.bytes >= PART_BYTES_MAX || Instant::now() >= end) {
                break;
            }
            computed.steps = at + 1;
            let overwrites = self.overwrites(step);
            let fits = step.made_of.as_ref().filter(|made_of| fits(made_of, link, step));
            match fits {
                Some(made_of) if !overwrites && !self.is_forced(step) => {
                    computed.report.unchanged += 1;
                    computed.report.kept += usize::from(step.edits.has_any());
                    (link, base) = (BuildsOn::Base(Base::Version(made_of.version_row)), None);
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
                                step.made_of.as_ref().map_or(Base::Unprocessed, |it| Base::Version(it.version_row));
                            (link, base) = (BuildsOn::Base(kept), None);
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
        // A restart repairs what was changed meanwhile.
        if self.processing.passes > 0 {
            return false;
        }
        match self.processing.order.mode {
            Mode::Stale => self.processing.order.from_floor.is_some_and(|floor_no| step.floor_no >= floor_no),
            Mode::All => true,
            Mode::Latest => self.renewed(step).is_some(),
        }
    }

    /// Whether edits of a page are taken back, so that its text alone counts.
    fn overwrites(&self, step: &PageDue) -> bool {
        let order = &self.processing.order;
        let is_meant = order.mode != Mode::Latest || self.renewed(step).is_some();
        // A restart repairs what was changed meanwhile, edits included.
        order.overwrite_edited
            && self.processing.passes == 0
            && is_meant
            && step.edits.edits.iter().any(|edit| self.takes_back(edit))
    }

    /// Whether an edit was there when it was asked to take edits back. Later ones stay.
    fn takes_back(&self, edit: &Edit) -> bool {
        edit.counts() && self.processing.asked_at.is_none_or(|asked_at| edit.at <= asked_at)
    }

    /// The edits of a page as they are after it was processed.
    fn edits_after(&self, step: &PageDue) -> Vec<Edit> {
        let mut edits = step.edits.edits.clone();
        if self.overwrites(step) {
            let now = now_ms();
            edits.iter_mut().filter(|edit| self.takes_back(edit)).for_each(|edit| edit.taken_back_at = Some(now));
        }
        edits
    }

    /// The id that the snapshot of a page is to get, if it does not have it yet.
    fn renewed(&self, step: &PageDue) -> Option<&Id> {
        let latest = self.processing.latest.as_ref().filter(|latest| origin(&latest.page) == origin(&step.page))?;
        Some(&latest.snapshot).filter(|wanted| step.snapshot.as_ref() != Some(*wanted))
    }

    async fn base(&self, session_row: i64, link: BuildsOn, computed: &Computed) -> RuntimeResult<TurnBase> {
        match link {
            BuildsOn::Base(base) => self.runtime.base(SessionKey::new(self.account, session_row), base).await,
            BuildsOn::Made(at) => {
                let found = computed.loaded.get(at).map(|(loaded, _)| TurnBase::of(loaded.clone()));
                found.ok_or_else(|| RuntimeError::Bug("a page was computed on nothing".into()))
            }
        }
    }

    /// Applies a page's text and its edits. Nothing comes of it if the page has that very state already.
    async fn compute(
        &self,
        plan: &Plan,
        step: &PageDue,
        link: BuildsOn,
        before: TurnBase,
        report: &mut ProcessReport,
    ) -> RuntimeResult<Option<(Made, Loaded)>> {
        // A recomputed turn keeps its own time.
        let now_ms = step.made_of.as_ref().map_or(step.created_at, |made_of| made_of.clock_ms);
        let recipe = plan.settings.recipe;
        let rules = self.runtime.rules(self.account, &recipe).await?;
        let at = step.position(plan.session_row);
        let (reply, page) = (Arc::<str>::from(step.text.read()?), step.page.clone());
        let count = rules.profile.recent_texts_for(&before.document, &reply);
        let recent_texts = self.runtime.recent_texts(self.account, count, at).await?;
        let overwrites = self.overwrites(step);
        let mut edits = self.edits_after(step);
        let mut kept = written(&step.edits, &edits);
        let turn = |before: TurnBase, edits: Vec<Edit>| SessionTurn {
            account: self.account.clone(),
            base: before,
            reply: Arc::clone(&reply),
            page: page.clone(),
            recipe,
            rules: rules.clone(),
            recent_texts: recent_texts.clone(),
            position: step.turn_position(plan.names.as_ref()),
            from_user: step.from_user,
            edits,
            now_ms,
        };
        let mut computed = self.runtime.compute(turn(before.clone(), edits.clone())).await?;
        let mut imported = Vec::new();
        // What people have edited since is theirs.
        let stored = stored_states::stored_state(step.extra.as_ref()).filter(|_| !step.edits.has_any());
        if let (Some(choice), Some(stored)) = (self.processing.order.stored_states, stored) {
            let states = report.states.get_or_insert_default();
            states.compared += 1;
            if let Some(found) = stored_states::compare(&before, &computed, &stored) {
                states.differing += 1;
                states.differences.push(FloorDifference::of(step, &found));
                if choice == StoredStates::Keep {
                    states.kept += 1;
                    let number = step.edits.next_number();
                    imported.push(Edit { number, ..stored_states::edit(&computed, &stored, &found, crate::now_ms())? });
                    edits.extend_from_slice(&imported);
                    computed = self.runtime.compute(turn(before, edits)).await?;
                }
            }
        }
        let (loaded, ComputedTurn { outcome, document, edits, version }) = (computed.loaded(), computed);
        let renewed = self.renewed(step);
        report.kept += usize::from(edits.hash.is_some());
        let mut differs = None;
        if let Some(made_of) = &step.made_of {
            let may_stay = renewed.is_none()
                && !overwrites
                && !step.edits.is_old
                && made_of.recipe_hash == recipe.hash()
                && fits(made_of, link, step);
            if may_stay || self.processing.order.mode == Mode::All {
                let base = Base::Version(made_of.version_row);
                let old = self.runtime.base(SessionKey::new(self.account, plan.session_row), base).await?;
                if may_stay && old.document.same_in_order(&document) {
                    report.unchanged += 1;
                    return Ok(None);
                }
                differs = Some(old.document != document);
            }
        }
        report.differing += usize::from(differs == Some(true));
        report.processed += 1;
        let refused = outcome.refused();
        report.refused += refused;
        let problems = outcome.problems.len() + edits.problems.len();
        report.problems += problems;
        report.floors.push(Processed {
            floor: step.floor.clone(),
            floor_no: step.floor_no,
            page: step.page.clone(),
            changes: outcome.change.ops.len() + edits.ops.len(),
            refused,
            problems,
            differs,
        });
        kept.extend(imported);
        let made = Made { edits: kept, ..made(step, link, version, renewed)? };
        Ok(Some((made, loaded)))
    }

    /// Stores what was computed.
    async fn keep(&mut self, plan: &Plan, computed: Computed, claim: Option<&mut Claim>) -> RuntimeResult<PartOutcome> {
        let from = computed.behind(plan, self.processing.from);
        let Computed { made, loaded, reports, report, .. } = computed;
        // Each was made of one of the steps, and says of which.
        let cursors: Vec<Cursor> = loaded.iter().filter_map(|&(_, at)| Some(plan.steps.get(at)?.cursor())).collect();
        let mut whole = Processing { from, ..self.processing.clone() };
        // Once the last page is done, what happens to it is no part of the order: an edit that was made since stays.
        let is_latest =
            |&(_, at): &(Loaded, usize)| plan.steps.get(at).is_some_and(|step| self.renewed(step).is_some());
        let latest_at = loaded.iter().position(is_latest);
        whole.latest = whole.latest.filter(|_| latest_at.is_none());
        reports.iter().cloned().chain([report]).for_each(|it| whole.report.add(it));
        if made.is_empty() {
            (self.processing, self.tries) = (whole, 0);
            return match claim {
                Some(claim) => self.note(claim, false).await,
                None => Ok(PartOutcome::More),
            };
        }
        self.parts += 1;
        // There is twice as much as at the last look.
        let has_grown = self.parts > 1 && self.parts.is_power_of_two();
        let part = ProcessedPart {
            made,
            cursors,
            reports,
            before: self.processing.clone(),
            whole,
            latest_at,
            has_grown,
            ids: IdSeed::new()?,
        };
        let (owner, session_row, now) = (self.account.clone(), plan.session_row, now_ms());
        let order = claim.as_deref().cloned();
        // Past the request's key, which belongs to what the request itself does.
        let write = move |tx: &mut dyn Tx| part.store(tx, SessionKey::new(&owner, session_row), order.as_ref(), now);
        let Some(Stored { versions, processing, is_whole, claim: renewed }) = self.runtime.store.write(write).await?
        else {
            return Ok(PartOutcome::Lost);
        };
        if let (Some(claim), Some(renewed)) = (claim, renewed) {
            *claim = renewed;
        }
        let has_stored = !versions.is_empty();
        for (version_row, (loaded, _)) in versions.into_iter().zip(loaded) {
            self.runtime.documents.keep(SessionKey::new(self.account, session_row), version_row, loaded);
        }
        self.processing = processing;
        // Another writer was faster with one of the pages: read them again. A worker that makes progress may continue.
        self.tries = if is_whole || has_stored { 0 } else { self.tries + 1 };
        if self.tries == TRIES_MAX { Err(Refusal::ParentMoved.into()) } else { Ok(PartOutcome::More) }
    }

    /// Writes down how far a job got that stored nothing.
    pub(crate) async fn note(&mut self, claim: &mut Claim, finished: bool) -> RuntimeResult<PartOutcome> {
        let processing = self.processing.clone();
        let mut pages_of_next = 0;
        if finished && processing.whole_session {
            let (processing, account) = (processing.clone(), claim.account.clone());
            // It reads the whole branch.
            let counting = self.runtime.store.read(move |tx| processing.pages_of_next_branch(tx, &account));
            match self.runtime.holding(claim, counting).await? {
                Some(pages) => pages_of_next = pages,
                None => return Ok(PartOutcome::Lost),
            }
        }
        let (order, now) = (claim.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            let ahead = if finished { jobs::END } else { processing.done() };
            let Some(held) = jobs::hold(tx, &order, ahead, now)? else { return Ok(None) };
            let rest = if finished { processing.rest(tx, &order, now)? } else { None };
            let is_finished = finished && rest.is_none();
            let total = match &rest {
                Some(rest) if rest.goal != processing.goal => rest.done() + pages_of_next,
                _ => held.total,
            };
            let processing = rest.unwrap_or_else(|| processing.clone());
            let progress = processing.progress(total, is_finished)?;
            let step = jobs::advance(tx, &order, &held, &progress, now)?;
            Ok(Some((step, processing)))
        };
        Ok(match self.runtime.store.write(write).await? {
            Some((JobStep::More(renewed), processing)) => {
                *claim = renewed;
                if self.processing.goal != processing.goal {
                    // A branch counts as a part: others get their turn after some of them.
                    self.parts += 1;
                    self.carried = None;
                }
                self.processing = processing;
                PartOutcome::More
            }
            Some((JobStep::Finished, _)) => PartOutcome::Done,
            None => PartOutcome::Lost,
        })
    }
}

impl Computed {
    fn take(&mut self, at: usize, (made, loaded): (Made, Loaded)) -> (BuildsOn, Option<TurnBase>) {
        let base = TurnBase::of(loaded.clone());
        self.bytes += made.version.size();
        self.made.push(made);
        self.loaded.push((loaded, at));
        self.reports.push(std::mem::take(&mut self.report));
        (BuildsOn::Made(self.made.len() - 1), Some(base))
    }

    /// The first floor with another state that the branch shares with the one it was forked from.
    fn first_shared(&self, plan: &Plan) -> Option<i64> {
        let steps = self.loaded.iter().filter_map(|&(_, at)| plan.steps.get(at));
        let is_shared = |step: &&PageDue| step.branch_row != plan.branch_row;
        steps.filter(is_shared).map(|step| step.floor_no).next()
    }

    /// Where the next part goes on.
    fn behind(&self, plan: &Plan, from: StartAt) -> StartAt {
        let last = self.steps.checked_sub(1).and_then(|at| plan.steps.get(at));
        last.map_or(from, |step| StartAt::Behind(step.cursor()))
    }
}

/// Whether a state was made of what is there now. One that is stored only now has no number yet that it could fit.
fn fits(made_of: &MadeOf, link: BuildsOn, step: &PageDue) -> bool {
    match link {
        BuildsOn::Made(_) => false,
        BuildsOn::Base(base) => {
            let edits = if step.edits.is_old { None } else { step.edits.hash() };
            let text = step.fingerprint().ok();
            let now = Inputs { base, text, edits };
            now.misfit(Some(&made_of.inputs())).is_none()
        }
    }
}

/// The edits of a page that are to be written with its state.
fn written(before: &PageEdits, after: &[Edit]) -> Vec<Edit> {
    let pairs = before.edits.iter().zip(after);
    let changed = pairs.filter(|(was, is)| before.is_old || was.taken_back_at != is.taken_back_at);
    changed.map(|(_, edit)| edit.clone()).collect()
}

fn made(step: &PageDue, base: BuildsOn, version: NewVersion, renewed: Option<&Id>) -> RuntimeResult<Made> {
    Ok(Made {
        rows: (step.floor_row, step.page_row),
        expected: step.made_of.as_ref().map(|made_of| made_of.version_row),
        snapshot: renewed.cloned().map_or_else(new_snapshot_id, Ok)?,
        renew: renewed.is_some(),
        edits: Vec::new(),
        base,
        version,
    })
}

#[cfg(test)]
mod tests {
    use super::{PartOutcome, ProcessWork};
    use crate::order::{NewFloor, NewPage, NewSession};
    use crate::process::{Mode, ProcessOrder};
    use crate::{Database, Options, Runtime};
    use std::fmt::Write as _;
    use std::time::Duration;
    use tavernkeep_engine::floor::{FloorState, PageKind};
    use tavernkeep_engine::id::Id;

    /// A session with a floor for each text, none of which is processed.
    async fn write_story(runtime: &Runtime, texts: &[String]) -> Id {
        let (account, session): (Id, Id) = (Runtime::default_account(), "s".parse().unwrap());
        let new = NewSession { id: Some(session.clone()), ..NewSession::default() };
        runtime.create_session(&account, new).await.unwrap();
        for text in texts {
            let floor = NewFloor { state: FloorState::Committed, ..NewFloor::of(session.clone()) };
            let floor = runtime.create_floor(&account, floor).await.unwrap().id;
            let page = NewPage { kind: PageKind::Output, content: Some(text.clone()), ..NewPage::of(floor) };
            runtime.create_page(&account, page).await.unwrap();
        }
        session
    }

    /// How many pages each part of a story has; `in_time` says whether there is time for more than one.
    async fn parts(texts: &[String], in_time: bool) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
        let account = Runtime::default_account();
        let order = ProcessOrder::of(Mode::Stale);
        let goal = order.goal(&write_story(&runtime, texts).await);
        let work = ProcessWork::new(&runtime, &account, runtime.begin(&account, goal, order).await.unwrap());
        let part_time = if in_time { Duration::from_secs(3_600) } else { Duration::ZERO };
        let mut work = ProcessWork { part_time, ..work };
        let (mut parts, mut done) = (Vec::new(), 0);
        while work.step(None).await.unwrap() == PartOutcome::More {
            parts.push(work.processing.report.processed - done);
            done = work.processing.report.processed;
        }
        runtime.close().await;
        parts
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_part_is_stored_when_its_time_is_over() {
        let texts = vec!["@.ADD(\"n\", 1);".to_owned(); 3];
        assert_eq!(parts(&texts, false).await, [1, 1, 1]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_part_is_stored_when_much_is_to_be_written() {
        // Letters that cannot be made much shorter.
        let mut seed = 1_u64;
        let mut letters = |count: usize| {
            (0..count).fold(String::new(), |mut text, _| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let _ = write!(text, "{:016x}", seed ^ (seed >> 31));
                text
            })
        };
        let mut text = || (0..8).map(|at| format!("@.SET(\"t{at}\", \"{}\");", letters(6_000))).collect::<String>();
        let large: Vec<String> = (0..4).map(|_| text()).collect();
        let parts = parts(&large, true).await;
        assert_eq!(parts.iter().sum::<usize>(), 4);
        assert!(parts.len() > 1, "{parts:?}");
    }
}
