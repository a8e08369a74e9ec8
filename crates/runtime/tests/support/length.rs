//! How long a random story is and which one runs: the environment may say otherwise.

/// How many operations, and the seed.
pub fn asked_for(operations: u64) -> (u64, u64) {
    let seed = from_environment("TAVERNKEEP_TEST_SEED", 1);
    let operations = from_environment("TAVERNKEEP_TEST_OPERATIONS", operations);
    eprintln!("{operations} operations, TAVERNKEEP_TEST_SEED={seed}");
    (operations, seed)
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}
