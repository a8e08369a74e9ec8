//! The program as its users meet it: over real HTTP, on both databases, from the specification.
//!
//! The numbers in the cases (`B4`) are those of the conformance list in the specification of variables.

// Here a failure is a failed test, and `json!({…})` reads better where it stands than behind a reference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::needless_pass_by_value)]

mod apply;
mod documents;
mod http;
mod processes;
mod support;
mod vectors;
