//! Many clients at once, and one campaign that watches how far they are.

use crate::client::{Client, Judged};
use crate::http::Wire;
use crate::observe;
use crate::operations::{Mixed, SHARED_COUNTER, prepare};
use crate::random::Random;
use crate::story::Story;
use crate::things::Things;
use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Clients of every load.
pub const CLIENTS: usize = 8;

/// The clients and the counter they share.
pub struct Crew {
    pub clients: Vec<Client>,
    /// The counter as it was last seen.
    shared: i64,
}

/// What became of the steps that nobody knew the end of.
#[derive(Default)]
pub struct Unknown {
    pub there: u64,
    pub absent: u64,
    /// Some of it was stored, in a transaction of its own.
    pub begun: u64,
    /// They show only on the counter that all share.
    pub counted: u64,
}

impl Unknown {
    fn add(&mut self, judged: Judged) {
        match judged {
            Judged::Nothing => {}
            Judged::There => self.there += 1,
            Judged::Absent => self.absent += 1,
            Judged::Begun => self.begun += 1,
            Judged::Counted => self.counted += 1,
        }
    }

    pub fn count(&self) -> u64 {
        self.there + self.absent + self.begun + self.counted
    }
}

impl AddAssign for Unknown {
    fn add_assign(&mut self, other: Unknown) {
        self.there += other.there;
        self.absent += other.absent;
        self.begun += other.begun;
        self.counted += other.counted;
    }
}

impl Crew {
    /// Clients with the story of the table, on a server that is empty.
    pub fn new(count: usize, random: &mut Random, wire: &Wire) -> Crew {
        Crew::with_stories(count, random, wire, || Box::<Mixed>::default())
    }

    /// Clients with any story, each with one of its own.
    pub fn with_stories(count: usize, random: &mut Random, wire: &Wire, story: impl Fn() -> Box<dyn Story>) -> Crew {
        wire.must(&prepare());
        wire.must(&crate::tales::prepare());
        wire.must(&crate::desks::prepare());
        let clients = (0..count).map(|number| Client::new(number, story(), random.fork())).collect();
        Crew { clients, shared: 0 }
    }

    /// Runs the same work for every client at the same time, with a campaign beside them.
    pub fn run<T>(&mut self, work: impl Fn(&mut Client) + Sync, beside: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            for client in &mut self.clients {
                let work = &work;
                scope.spawn(move || work(client));
            }
            beside()
        })
    }

    /// Compares everything that is stored with what was acknowledged, and says what became of the rest.
    pub fn judge(&mut self, everything: &Things) -> Result<Unknown, String> {
        let mut unknown = Unknown::default();
        for client in &mut self.clients {
            unknown.add(client.judge(everything)?);
        }
        self.judge_shared(everything)?;
        Ok(unknown)
    }

    /// Compares, and sends again what nobody knows the end of. Afterwards everything has happened exactly once.
    pub fn retry(&mut self, wire: &Wire) -> Result<Unknown, String> {
        let mut unknown = Unknown::default();
        let everything = observe::everything(wire);
        for client in &mut self.clients {
            unknown.add(client.retry(&everything, wire)?);
        }
        self.judge_strictly(&observe::everything(wire))?;
        Ok(unknown)
    }

    /// Compares where an answer that is no success promises that nothing happened.
    pub fn judge_strictly(&mut self, everything: &Things) -> Result<(), String> {
        self.clients.iter_mut().try_for_each(|client| client.judge_strictly(everything))?;
        self.judge_shared(everything)
    }

    /// The counter is what was seen last, all that was acknowledged since, and some of what is unknown.
    fn judge_shared(&mut self, everything: &Things) -> Result<(), String> {
        let found = everything.get(SHARED_COUNTER).map_or(0, |value| value.parse().expect("the counter counts"));
        let acknowledged: i64 = self.clients.iter_mut().map(|client| std::mem::take(&mut client.shared)).sum();
        let least = self.shared + acknowledged;
        let perhaps: Vec<i64> =
            self.clients.iter_mut().flat_map(|client| std::mem::take(&mut client.perhaps)).collect();
        let sums = perhaps.iter().fold(BTreeSet::from([least]), |sums, by| {
            sums.iter().flat_map(|sum| [*sum, sum + by]).collect() //
        });
        if !sums.contains(&found) {
            return Err(format!("the shared counter is {found}; {least} was acknowledged, {perhaps:?} is unknown"));
        }
        self.shared = found;
        Ok(())
    }

    pub fn acknowledged(&self) -> u64 {
        self.clients.iter().map(|client| client.acknowledged).sum()
    }

    pub fn failed(&self) -> u64 {
        self.clients.iter().map(|client| client.failed).sum()
    }
}

/// How many answers there have been. A campaign waits for it without sleeping.
#[derive(Default)]
pub struct Progress {
    count: Mutex<u64>,
    more: Condvar,
}

impl Progress {
    pub fn add(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.more.notify_all();
    }

    pub fn count(&self) -> u64 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so many more answers, or until it is clear that nobody gets any.
    pub fn wait_for(&self, more: u64) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = *count + more;
        let (_count, timeout) = self
            .more
            .wait_timeout_while(count, Duration::from_secs(120), |count| *count < wanted)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!timeout.timed_out(), "nobody was answered for two minutes");
    }
}

/// Whether the clients may go home. Dropping what [`End::when_dropped`] gives sends them, so that a campaign that fails
/// does not leave them running.
#[derive(Default)]
pub struct End(AtomicBool);

impl End {
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub fn when_dropped(&self) -> impl Drop + '_ {
        struct Guard<'a>(&'a End);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.0.store(true, Ordering::Release);
            }
        }
        Guard(self)
    }
}
