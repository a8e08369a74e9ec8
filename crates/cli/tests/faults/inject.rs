//! A call of SQLite's that fails, at every place of every operation: the answer says so clearly, an operation that was
//! answered with an error did not happen, its neighbours in the same commit did, and the next request works.

use crate::campaign::Campaign;
use crate::client::{Client, Outcome};
use crate::crew::{CLIENTS, Crew};
use crate::disk::{Call, Disk, Failure, Fault};
use crate::http::{Reply, Wire};
use crate::inside::Inside;
use crate::observe;
use crate::operations::{OPERATIONS, increment_shared};
use crate::random::Random;
use std::path::Path;
use std::sync::Arc;
use tavernkeep_runtime::RuntimeError;

/// More calls than any operation makes; behind it something loops.
const CALLS_MAX: u64 = 500;
/// Of all pairs of an operation and a fault the small version meets one in so many.
const SMOKE_PART: usize = 9;

/// The ways in which a call can fail that differ for a caller.
fn failures(call: Call) -> &'static [Failure] {
    match call {
        Call::Write => &[Failure::Broken, Failure::Full, Failure::Short],
        Call::Map => &[Failure::Broken, Failure::Full],
        _ => &[Failure::Broken],
    }
}

fn every_fault() -> impl Iterator<Item = (Call, Failure, bool)> {
    let kinds = Call::ALL.into_iter().flat_map(|call| failures(call).iter().map(move |failure| (call, *failure)));
    kinds.flat_map(|(call, failure)| [false, true].map(|sticky| (call, failure, sticky)))
}

/// A server on a disk that can be broken, and its clients.
struct Bench {
    folder: tempfile::TempDir,
    disk: Arc<Disk>,
    server: Inside,
    crew: Crew,
    random: Random,
    /// Faults that were met.
    points: u64,
}

impl Bench {
    fn new(clients: usize, mut random: Random) -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let disk = Disk::watch(folder.path());
        let server = start(folder.path());
        let crew = Crew::new(clients, &mut random, &Wire::to(&server.base));
        let mut bench = Bench { folder, disk, server, crew, random, points: 0 };
        bench.each_goes(20);
        bench
    }

    fn wire(&self) -> Wire {
        Wire::to(&self.server.base)
    }

    /// Every client does so many steps; all must succeed.
    #[track_caller]
    fn each_goes(&mut self, steps: usize) {
        let wire = self.wire();
        let work = |client: &mut Client| {
            for _ in 0..steps {
                let outcome = client.go(&wire);
                assert!(matches!(outcome, Outcome::Acknowledged), "the disk is well again: {outcome:?}");
            }
        };
        self.crew.run(work, || {});
    }

    /// The next write succeeds. It is one that lets nothing grow that an operation goes through: every try must meet the
    /// same calls as the one before, or they would have no end.
    #[track_caller]
    fn works_again(&mut self, context: &str) {
        let wire = self.wire();
        let step = increment_shared(&mut self.random);
        let outcome = self.crew.clients[0].take(step, &wire);
        assert!(matches!(outcome, Outcome::Acknowledged), "{context}: the disk is well again: {outcome:?}");
    }

    /// What is stored is exactly what was acknowledged.
    #[track_caller]
    fn judge(&mut self, context: &str) {
        let everything = observe::everything(&self.wire());
        self.crew.judge_strictly(&everything).unwrap_or_else(|error| panic!("{context}: {error}"));
    }

    /// A server that knows nothing of the files yet.
    fn restart(self) -> Bench {
        let Bench { folder, disk, server, crew, random, points } = self;
        server.end();
        let server = start(folder.path());
        Bench { folder, disk, server, crew, random, points }
    }
}

#[track_caller]
fn start(folder: &Path) -> Inside {
    Inside::start(folder).unwrap_or_else(|error| panic!("a server starts on a disk that is well: {error}"))
}

/// The answer to a request that met this fault is one that may be given.
#[track_caller]
fn is_clear(outcome: &Outcome, fault: Fault, context: &str) {
    match outcome {
        // Not every call that fails is needed: folding in the log can wait.
        Outcome::Acknowledged => {}
        Outcome::Trouble(answer) if fault.failure != Failure::Broken && !answer.is_success() => {
            assert!(answer.is_full(), "{context}: a full disk is answered {answer:?}");
        }
        Outcome::Trouble(_) => {}
        Outcome::Broken => panic!("{context}: the connection broke"),
    }
}

#[test]
fn every_call_of_every_write_may_fail() {
    let campaign = Campaign::begin("failing calls");
    let mut random = campaign.random();
    let (mut points, mut acknowledged) = (0, 0);
    // Each pass meets other moments of the log and other sizes.
    let passes = campaign.faults.div_ceil(40);
    for (number, operation) in OPERATIONS.iter().enumerate().cycle().take(OPERATIONS.len() * passes as usize) {
        // A session tells ever more of itself as long as it lives, so every operation meets young ones.
        let mut bench = Bench::new(1, random.fork());
        let age = bench.random.below(100);
        bench.each_goes(usize::try_from(age).expect("a small number"));
        for (kind, (call, failure, sticky)) in every_fault().enumerate() {
            // The small version meets every operation and every fault, not every pair of them.
            if campaign.is_smoke() && !(number + kind).is_multiple_of(SMOKE_PART) {
                continue;
            }
            bench.each_goes(1);
            for nth in 1..CALLS_MAX {
                // A server that has run for a while has everything in memory; one that has just started has not.
                if matches!(call, Call::Open | Call::Read | Call::Size | Call::Map) {
                    bench = bench.restart();
                }
                let wire = bench.wire();
                let client = &mut bench.crew.clients[0];
                let step = loop {
                    if let Some(step) = operation.step(&mut client.mind, &mut bench.random) {
                        break step;
                    }
                    assert!(matches!(client.go(&wire), Outcome::Acknowledged));
                };
                let fault = Fault { call, nth, failure, sticky };
                let context = format!("{} with {fault:?}", operation.name);
                bench.disk.arm(fault);
                let outcome = client.take(step, &wire);
                let fired = bench.disk.disarm();
                is_clear(&outcome, fault, &context);
                bench.judge(&context);
                if fired == 0 {
                    assert!(matches!(outcome, Outcome::Acknowledged), "{context}: failed for no reason");
                    break;
                }
                bench.points += 1;
                bench.works_again(&context);
                assert!(nth + 1 < CALLS_MAX, "{context}: no end of calls");
            }
        }
        bench.judge("at the end");
        points += bench.points;
        acknowledged += bench.crew.acknowledged();
        bench.server.end();
    }
    campaign.report(&format!("{points} fault points, {acknowledged} acknowledged"));
}

#[test]
fn every_call_of_a_read_may_fail() {
    let campaign = Campaign::begin("failing reads");
    let mut bench = Bench::new(1, campaign.random());
    for (call, failure, sticky) in every_fault() {
        for nth in 1..CALLS_MAX {
            bench = bench.restart();
            let fault = Fault { call, nth, failure, sticky };
            bench.disk.arm(fault);
            let reply = bench.wire().send(&observe::request());
            let fired = bench.disk.disarm();
            match reply {
                Reply::Answered(answer) if answer.is_success() || answer.is_trouble() => {}
                // An export that has begun can only break off; it must not look whole.
                Reply::Broken(_) if fired > 0 => {}
                other => panic!("{fault:?}: {other:?}"),
            }
            bench.judge(&format!("{fault:?}"));
            if fired == 0 || (campaign.is_smoke() && nth == 2) {
                break;
            }
            bench.points += 1;
        }
    }
    campaign.report(&format!("{} fault points", bench.points));
}

#[test]
fn neighbours_in_a_commit_are_answered_rightly() {
    let campaign = Campaign::begin("failing commits");
    let mut bench = Bench::new(CLIENTS, campaign.random());
    let (mut failed_alone, mut met) = (0, 0);
    for _ in 0..campaign.faults * 20 {
        let calls = [Call::Write, Call::Sync, Call::Write];
        let call = *bench.random.pick(&calls).expect("a call");
        let failure = *bench.random.pick(failures(call)).expect("a failure");
        let most = if call == Call::Sync { 4 } else { 120 };
        let fault = Fault { call, nth: bench.random.between(1, most), failure, sticky: bench.random.once_in(3) };
        let (wire, before) = (bench.wire(), bench.crew.failed());
        bench.disk.arm(fault);
        bench.crew.run(|client| is_clear(&client.go(&wire), fault, &format!("{fault:?}")), || {});
        let fired = bench.disk.disarm();
        bench.judge(&format!("{fault:?}"));
        let failed = bench.crew.failed() - before;
        bench.points += u64::from(fired > 0);
        met += u64::from(failed > 0);
        failed_alone += u64::from(failed > 0 && failed < CLIENTS as u64);
    }
    let retried = bench.server.void_batches();
    assert!(retried > 0, "no commit with several writes failed: nothing was shown");
    campaign.report(&format!(
        "{} fault points, {retried} commits of several writes void, {met} rounds with errors, in {failed_alone} of them \
         others succeeded, {} acknowledged",
        bench.points,
        bench.crew.acknowledged()
    ));
}

/// A start that met this fault fails for that reason and no other.
#[track_caller]
fn says_why(error: &RuntimeError, fault: Fault) {
    let full = fault.failure != Failure::Broken;
    assert!(
        matches!((error, full), (RuntimeError::Full(_), true) | (RuntimeError::Unavailable(_), false)),
        "{fault:?}: {error:?}"
    );
}

#[test]
fn a_start_and_an_end_may_fail() {
    let campaign = Campaign::begin("failing starts");
    let mut bench = Bench::new(2, campaign.random());
    for (call, failure, sticky) in every_fault() {
        for nth in 1..CALLS_MAX {
            let fault = Fault { call, nth, failure, sticky };
            // The end folds the log in, the start reads it.
            bench.each_goes(2);
            let Bench { folder, disk, server, crew, random, points } = bench;
            disk.arm(fault);
            server.end();
            let fired_at_end = disk.disarm();
            disk.arm(fault);
            let started = Inside::start(folder.path());
            let fired = disk.disarm() + fired_at_end;
            let server = match started {
                Ok(server) => server,
                Err(error) => {
                    says_why(&error, fault);
                    start(folder.path())
                }
            };
            bench = Bench { folder, disk, server, crew, random, points: points + u64::from(fired > 0) };
            bench.judge(&format!("{fault:?}"));
            if fired == 0 || (campaign.is_smoke() && nth == 3) {
                break;
            }
        }
    }
    campaign.report(&format!("{} fault points", bench.points));
}

#[test]
fn the_very_first_start_may_fail() {
    let campaign = Campaign::begin("failing first starts");
    let mut points = 0;
    for (call, failure, sticky) in every_fault() {
        for nth in (1..CALLS_MAX).step_by(if campaign.is_smoke() { 40 } else { 1 }) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let disk = Disk::watch(folder.path());
            let fault = Fault { call, nth, failure, sticky };
            disk.arm(fault);
            let started = Inside::start(folder.path());
            let fired = disk.disarm();
            match started {
                Ok(server) => server.end(),
                Err(error) => says_why(&error, fault),
            }
            let server = start(folder.path());
            let mut crew = Crew::new(1, &mut campaign.random(), &Wire::to(&server.base));
            assert!(matches!(crew.clients[0].go(&Wire::to(&server.base)), Outcome::Acknowledged), "{fault:?}");
            server.end();
            if fired == 0 {
                break;
            }
            points += 1;
        }
    }
    campaign.report(&format!("{points} fault points"));
}
