//! The fuzz targets of the server on any toolchain; see `crates/engine/tests/fuzz.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[path = "../../../fuzz/src/smoke.rs"]
mod smoke;
#[path = "../../../fuzz/src/server.rs"]
mod targets;

#[test]
fn every_target_takes_whatever_comes() {
    smoke::run(&targets::TARGETS);
}
