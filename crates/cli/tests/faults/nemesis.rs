//! Two servers on one PostgreSQL of their own, and what can be done to them.

use crate::http::Wire;
use crate::random::Random;
use crate::support::place::said;
use crate::support::postgres::{Cluster, Database, execute};
use crate::support::{Place, Server};
use rustix::process::Signal;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub struct Pair {
    cluster: Cluster,
    servers: [Server; 2],
}

impl Pair {
    /// A fresh cluster, so that nobody else is disturbed, and two servers on it.
    pub fn start() -> Pair {
        let cluster = Cluster::start();
        let place = Place::on(Database::fresh_on(&cluster.url()));
        let beside = place.beside();
        let servers = [place, beside].map(|place| Server::start_on(Arc::new(place)));
        Pair { cluster, servers }
    }

    /// A connection to one of the two: clients take turns.
    pub fn wire(&self, client: usize) -> Wire {
        Wire::to(&self.servers[client % 2].base)
    }

    /// Neither server made a mistake, and what is stored is whole.
    pub fn is_well(&self) {
        for server in &self.servers {
            for word in ["panicked", "internal_error"] {
                assert_eq!(server.log().line_with(word), None);
            }
        }
        let checked = self.servers[0].place.output(&["check"]);
        assert!(checked.status.success(), "{}", said(&checked));
    }
}

/// What was done, counted.
#[derive(Default)]
pub struct Nemesis {
    fast: u32,
    immediate: u32,
    backends: u32,
    stopped: u32,
}

impl Nemesis {
    /// Does something bad and undoes it. Whoever serves must get well by itself.
    pub fn strike(&mut self, pair: &mut Pair, random: &mut Random) {
        // The first four are one of each, so that the small version has them all.
        let done = self.fast + self.immediate + self.backends + self.stopped;
        match [0, 1, 2, 7].get(done as usize).copied().unwrap_or_else(|| random.below(8)) {
            0 => {
                self.fast += 1;
                pair.cluster.restart(Signal::INT);
            }
            1 => {
                self.immediate += 1;
                pair.cluster.restart(Signal::QUIT);
            }
            2..5 => {
                self.backends += 1;
                let statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'tavernkeep'";
                execute(&pair.cluster.url(), statement).expect("PostgreSQL runs");
            }
            _ => {
                self.stopped += 1;
                let server = &pair.servers[random.index(2)];
                server.signal(Signal::STOP);
                std::thread::sleep(Duration::from_millis(random.between(1, 200)));
                server.signal(Signal::CONT);
            }
        }
    }
}

impl fmt::Display for Nemesis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} fast and {} immediate restarts, backends killed {} times, a server stopped {} times",
            self.fast, self.immediate, self.backends, self.stopped
        )
    }
}
