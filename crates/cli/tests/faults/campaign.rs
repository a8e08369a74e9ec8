//! One campaign: its name, its seed and how much it does.

use crate::random::Random;
use std::time::{SystemTime, UNIX_EPOCH};

/// Faults of a campaign when nobody says how many: enough to see that everything works.
const FAULTS_SMOKE: u64 = 4;

pub struct Campaign {
    name: &'static str,
    seed: u64,
    /// How much is done. 200 is what we promise to have run.
    pub faults: u64,
}

impl Campaign {
    /// Begins, and says how to do the same again.
    pub fn begin(name: &'static str) -> Campaign {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let seed = number("TAVERNKEEP_TEST_SEED").unwrap_or_else(|| u64::from(now()));
        let faults = number("TAVERNKEEP_TEST_FAULTS").unwrap_or(FAULTS_SMOKE).max(1);
        eprintln!("{name}: TAVERNKEEP_TEST_SEED={seed} TAVERNKEEP_TEST_FAULTS={faults}");
        Campaign { name, seed, faults }
    }

    /// Whether this is the small version that runs with all other tests.
    pub fn is_smoke(&self) -> bool {
        self.faults <= FAULTS_SMOKE
    }

    /// Random choices of this campaign's, the same for the same seed.
    pub fn random(&self) -> Random {
        Random::new(self.name.bytes().fold(self.seed, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte))))
    }

    /// Says what came of it.
    pub fn report(&self, figures: &str) {
        eprintln!("{}: {figures} (seed {})", self.name, self.seed);
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} wants a number, not {text:?}")))
}
