//! How far processing got: what a job remembers, and what one transaction stores together with it.

use super::{ProcessOrder, ProcessReport};
use crate::ids::IdSeed;
use crate::ids::snapshot_id_of;
use crate::record::Job;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_snapshot_id};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::jobs::{self, Claim, JobStep, Progress};
use tavernkeep_store::story::goal::{self, Goal};
use tavernkeep_store::story::plan::{self, Cursor, Need, StartAt};
use tavernkeep_store::story::results::{self, Made};
use tavernkeep_store::story::snapshots::Snapshot;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{StoreError, StoreResult};

/// What is to be processed and how far that got: what a job remembers. Fields that come later have a default, so that a job
/// goes on after an upgrade.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Processing {
    pub(crate) goal: Goal,
    pub(crate) order: ProcessOrder,
    /// When it was asked for: edits by hand that were made later are not taken back. None in jobs of older programs.
    #[serde(default)]
    pub(crate) asked_at: Option<i64>,
    pub(crate) from: StartAt,
    /// The last page, where it is to be processed in any case and that has not been done.
    #[serde(default)]
    pub(crate) latest: Option<Renewal>,
    /// How often the end was reached and something did not fit by then.
    #[serde(default)]
    pub(crate) passes: u32,
    #[serde(default)]
    pub(crate) report: ProcessReport,
    /// Where it began, for a dry run that has to begin again.
    #[serde(default)]
    pub(crate) start: Option<StartAt>,
    /// What a dry run that is under way has found. It is only shown: who goes on begins again.
    #[serde(default)]
    pub(crate) so_far: Option<ProcessReport>,
    /// Whether a job goes on with the branches that were made after this one.
    #[serde(default)]
    pub(crate) whole_session: bool,
    /// What came of the branches before this one: with this a dry run of the branch begins again.
    #[serde(default)]
    pub(crate) before: ProcessReport,
}

/// Which of a branch's open jobs does what is asked. A branch has at most one job of its own that stores something and one that reports
/// what would happen, and one of each that a job for the whole session does; one with another order is in the way.
pub(crate) fn joined(open: &[Job], order: &ProcessOrder, whole_session: bool) -> StoreResult<Option<Job>> {
    for job in open {
        // An unreadable job fails as soon as it runs, and blocks no other.
        let Ok(Processing { order: other, whole_session: is_whole, .. }) = Processing::of(job) else { continue };
        // A job for one branch does not do what is asked for all of them, and a dry run of all of them reports more than is asked for
        // one. Two jobs may process one branch: each page is stored by one of them.
        if is_whole != whole_session && (whole_session || order.dry_run) {
            continue;
        }
        let same = ProcessOrder { branch: order.branch.clone(), ..other.clone() } == *order;
        if same || (order.is_plain() && !other.dry_run) {
            return Ok(Some(job.clone()));
        }
        if other.dry_run == order.dry_run {
            return Err(Refusal::BranchBusy(job.id.clone()).into());
        }
    }
    Ok(None)
}

/// A page whose snapshot gets another id, and which one. If it has that id already, nothing is left to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Renewal {
    pub(crate) page: Id,
    pub(crate) snapshot: Id,
}

impl Runtime {
    /// What the page's snapshot is to be called. Every try of a request under one key gives the same id: a later try does not
    /// repeat what one that died before its answer has done. A key that is used again after its time is another request.
    pub(crate) fn renewal(&self, page: Id, found: Option<&Snapshot>) -> RuntimeResult<Renewal> {
        let Some(request) = &self.idempotency else { return Ok(Renewal { page, snapshot: new_snapshot_id()? }) };
        let before = found.map_or("", |snapshot| snapshot.id.as_str());
        let wanted = snapshot_id_of(request.token(page.as_str().as_bytes(), before.as_bytes()))?;
        let is_ours = |found: &&Snapshot| is_marked_as(&found.id, &wanted) && request.is_of_its_time(found.created_at);
        let snapshot = found.filter(is_ours).map_or(wanted.clone(), |found| found.id.clone());
        Ok(Renewal { page, snapshot })
    }
}

/// Whether two ids were made for the same request and page: the first half of their ids is the same.
fn is_marked_as(id: &Id, other: &Id) -> bool {
    let half = |id: &Id| id.as_str().rsplit_once('-').and_then(|(start, _)| Some(start.rsplit_once('-')?.0.to_owned()));
    half(id).is_some_and(|start| Some(start) == half(other))
}

/// How often a job restarts because something was changed concurrently.
const PASSES_MAX: u32 = 100;

impl Processing {
    /// What a job remembers.
    pub(crate) fn of(job: &Job) -> RuntimeResult<Processing> {
        let broken = |what: String| RuntimeError::Damaged(format!("the job {}: {what}", job.id));
        let work = job.work.as_ref().ok_or_else(|| broken("it has no work".into()))?;
        serde_json::from_str(work.as_str()).map_err(|error| broken(error.to_string()))
    }

    /// As a job writes it down. Of what is not stored nothing is left to go on from, so a dry run restarts.
    pub(super) fn progress(&self, total: i64, finished: bool) -> StoreResult<Progress> {
        let done = self.done();
        let total = if finished { done } else { total.max(done) };
        let written = match (self.order.dry_run && !finished, self.clone()) {
            (true, Processing { start, report, .. }) => Processing {
                from: start.unwrap_or(StartAt::Stale),
                report: self.before.clone(),
                so_far: Some(report),
                ..self.clone()
            },
            (false, whole) => Processing { so_far: None, ..whole },
        };
        Ok(Progress { done, total, work: Some(written.to_text()?), finished })
    }

    /// What was found up to now.
    pub(crate) fn report_so_far(self) -> ProcessReport {
        self.so_far.unwrap_or(self.report)
    }

    /// How many pages were looked at.
    pub(crate) fn done(&self) -> i64 {
        let ProcessReport { processed, unchanged, .. } = self.report;
        i64::try_from(processed + unchanged).unwrap_or(i64::MAX)
    }

    /// What is left when the end of a branch is reached: the branch once more, or the next one of the session. Comes behind
    /// [`jobs::hold`].
    pub(super) fn rest(&self, tx: &mut dyn Tx, claim: &Claim, now: i64) -> StoreResult<Option<Processing>> {
        match self.again(tx, &claim.account, now) {
            // A branch that is deleted needs nothing more; those behind it do.
            Err(StoreError::Refused(Refusal::BranchNotFound(..))) if self.whole_session => {}
            Ok(None) => {}
            again => return again,
        }
        let next = self.next_branch(tx, &claim.account)?;
        if let Some(Processing { goal: Goal::ThisBranch { branch_row, .. }, .. }) = &next {
            jobs::move_to_branch(tx, claim, *branch_row)?;
        }
        Ok(next)
    }

    /// The next branch of a whole session at which no other job does the same for all of them.
    fn next_branch(&self, tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<Processing>> {
        if !self.whole_session {
            return Ok(None);
        }
        let mut at = self.goal.clone();
        while let Some(goal) = goal::next_branch(tx, account, &at)? {
            let (session, branch) = goal::branch_of(tx, account, &goal)?;
            let order = ProcessOrder { branch: Some(branch.clone()), ..self.order.clone() };
            match joined(&jobs::open_on(tx, account, &session, &branch)?, &order, true) {
                Ok(Some(_)) => at = goal,
                Ok(None) | Err(StoreError::Refused(Refusal::BranchBusy(_))) => {
                    let from = order.start();
                    let (before, start) = (self.report.clone(), Some(from));
                    return Ok(Some(Processing { goal, order, from, start, passes: 0, before, ..self.clone() }));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// How many pages the next branch has to be looked at for. Reads much; not for the writer.
    pub(super) fn pages_of_next_branch(&self, tx: &mut dyn Tx, account: &Id) -> StoreResult<i64> {
        match self.next_branch(tx, account)? {
            Some(next) => plan::count(tx, account, &next.goal, next.from),
            None => Ok(0),
        }
    }

    /// What is left of a branch when its end is reached: what was changed behind the back of a job is processed by it, too, since
    /// a client that asked for that meanwhile was given this job. Comes behind [`jobs::hold`].
    pub(super) fn again(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<Option<Processing>> {
        if self.order.dry_run
            || self.passes >= PASSES_MAX
            || plan::need_now(tx, account, &self.goal, now)? != Need::Something
        {
            return Ok(None);
        }
        Ok(Some(Processing { from: StartAt::Stale, passes: self.passes + 1, ..self.clone() }))
    }

    pub(crate) fn to_text(&self) -> StoreResult<JsonText> {
        let broken = |error: String| StoreError::Internal(format!("processing cannot be written down: {error}"));
        let text = serde_json::to_vec(self).map_err(|error| broken(error.to_string()))?;
        JsonText::parse(&text).map_err(|error| broken(error.to_string()))
    }
}

/// What one transaction stores.
///
/// Invariant: there are a cursor and a report for each of `made`, so everything stored of them has both.
pub(super) struct ProcessedPart {
    pub(super) made: Vec<Made>,
    /// Where each of them stands.
    pub(super) cursors: Vec<Cursor>,
    /// What came of each of them, and of the pages since the one before it that needed nothing.
    pub(super) reports: Vec<ProcessReport>,
    pub(super) before: Processing,
    /// How far it got if all of them are stored.
    pub(super) whole: Processing,
    /// Which of them is the last page that is processed in any case.
    pub(super) latest_at: Option<usize>,
    /// Whether the session is much larger than the database may believe.
    pub(super) has_grown: bool,
    /// For what its effects make.
    pub(super) ids: IdSeed,
}

/// What one transaction has stored.
pub(super) struct Stored {
    pub(super) versions: Vec<i64>,
    pub(super) processing: Processing,
    pub(super) is_whole: bool,
    pub(super) claim: Option<Claim>,
}

impl ProcessedPart {
    /// Stores everything, or what comes before the first page that another writer has given a state. Nothing if the job is
    /// not ours any more.
    pub(super) fn store(
        &self,
        tx: &mut dyn Tx,
        session: SessionKey<'_>,
        claim: Option<&Claim>,
        now: i64,
    ) -> StoreResult<Option<Stored>> {
        let held = match claim {
            Some(claim) => match jobs::hold(tx, claim, self.whole.done(), now)? {
                Some(held) => Some((claim, held)),
                None => return Ok(None),
            },
            None => None,
        };
        let versions = results::store(tx, session, &self.made, &mut self.ids.ids(), now)?;
        if self.has_grown {
            tx.has_grown()?;
        }
        let is_whole = versions.len() == self.made.len();
        let processing = if is_whole { self.whole.clone() } else { self.reached(versions.len()) };
        let claim = match held {
            Some((claim, held)) => {
                let progress = processing.progress(held.total, false)?;
                match jobs::advance(tx, claim, &held, &progress, now)? {
                    JobStep::More(renewed) => Some(renewed),
                    JobStep::Finished => None,
                }
            }
            None => None,
        };
        Ok(Some(Stored { versions, processing, is_whole, claim }))
    }

    /// How far it got if only so many of them are stored.
    fn reached(&self, stored: usize) -> Processing {
        let mut processing = self.before.clone();
        if let Some(&last) = stored.checked_sub(1).and_then(|at| self.cursors.get(at)) {
            processing.from = StartAt::Behind(last);
        }
        processing.latest = processing.latest.filter(|_| self.latest_at.is_none_or(|at| stored <= at));
        self.reports.iter().take(stored).for_each(|report| processing.report.add(report.clone()));
        processing
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessedPart, Processing, Renewal};
    use crate::ids::IdSeed;
    use crate::process::{Mode, ProcessOrder, ProcessReport};
    use tavernkeep_engine::id::Id;
    use tavernkeep_store::story::goal::Goal;
    use tavernkeep_store::story::plan::StartAt;

    #[test]
    fn what_was_stored_of_a_part_is_counted() {
        let session: Id = "s".parse().expect("an id");
        let report = |processed: usize, unchanged: usize| ProcessReport { processed, unchanged, ..Default::default() };
        let before = Processing {
            whole_session: false,
            before: ProcessReport::default(),
            goal: Goal::Branch(session, "main".into()),
            order: ProcessOrder::of(Mode::Stale),
            asked_at: None,
            from: StartAt::Stale,
            latest: Some(Renewal { page: "p8".parse().expect("an id"), snapshot: "n8".parse().expect("an id") }),
            passes: 0,
            report: report(10, 1),
            start: Some(StartAt::Stale),
            so_far: None,
        };
        let cursor = |floor_no: i64| {
            let text = format!("{{\"branch_row\":1,\"floor_row\":{floor_no},\"floor_no\":{floor_no}}}");
            serde_json::from_str(&text).expect("a cursor")
        };
        let part = ProcessedPart {
            made: Vec::new(),
            cursors: vec![cursor(5), cursor(7), cursor(8)],
            reports: vec![report(1, 0), report(1, 2), report(1, 4)],
            whole: before.clone(),
            before,
            latest_at: Some(2),
            has_grown: false,
            ids: IdSeed::new().expect("random bytes"),
        };
        let reached = part.reached(2);
        assert_eq!(reached.from, StartAt::Behind(cursor(7)));
        assert_eq!((reached.report.processed, reached.report.unchanged, reached.done()), (12, 3, 15));
        assert!(reached.latest.is_some() && part.reached(3).latest.is_none(), "the last of them is the latest");
        assert_eq!((part.reached(0).from, part.reached(0).done()), (StartAt::Stale, 11));
    }

    #[test]
    fn a_dry_run_shows_what_it_has_found_and_begins_again_if_it_has_to() {
        let session: Id = "s".parse().expect("an id");
        let report = ProcessReport { processed: 2, unchanged: 5, ..Default::default() };
        let cursor = serde_json::from_str("{\"branch_row\":1,\"floor_row\":7,\"floor_no\":7}").expect("a cursor");
        let under_way = Processing {
            whole_session: false,
            before: ProcessReport::default(),
            goal: Goal::Branch(session, "main".into()),
            order: ProcessOrder { dry_run: true, ..ProcessOrder::of(Mode::All) },
            asked_at: None,
            from: StartAt::Behind(cursor),
            latest: None,
            passes: 0,
            report,
            start: Some(StartAt::Floor(0)),
            so_far: None,
        };
        let written = |finished: bool| {
            let progress = under_way.progress(9, finished).expect("it can be written down");
            assert_eq!((progress.done, progress.total), (7, if finished { 7 } else { 9 }));
            serde_json::from_str::<Processing>(progress.work.expect("work").as_str()).expect("it can be read")
        };
        let shown = written(false);
        assert_eq!((shown.from, shown.done()), (StartAt::Floor(0), 0));
        let shown = shown.report_so_far();
        assert_eq!((shown.processed, shown.unchanged), (2, 5));
        let ended = written(true).report_so_far();
        assert_eq!((ended.processed, ended.unchanged), (2, 5));
    }
}
