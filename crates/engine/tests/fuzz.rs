//! The fuzz targets of the engine on any toolchain: every input of the kept corpus, then mutations of it from a fixed seed.
//!
//! `FUZZ_ROUNDS=100000 cargo test --release -p tavernkeep-engine --test fuzz` looks longer. `make fuzz` lets libFuzzer look,
//! which follows the coverage; what it finds is kept in `fuzz/corpus`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[path = "../../../fuzz/src/smoke.rs"]
mod smoke;
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

#[test]
fn every_target_takes_whatever_comes() {
    smoke::run(&targets::TARGETS);
}
