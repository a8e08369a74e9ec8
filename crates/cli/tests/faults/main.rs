//! The fault harness: what happens to people's data when processes, disks and databases fail.
//!
//! `cargo test` runs a small version of every campaign, `make test-faults` all of it. A campaign prints its seed;
//! `TAVERNKEEP_TEST_SEED` runs the same choices again, `TAVERNKEEP_TEST_FAULTS` says how much is done.
//!
//! How it fits together: a [`story::Story`] makes requests from the table in `operations.rs` and says what each must
//! change; a [`client::Client`] sends them and remembers what was acknowledged; a campaign breaks something meanwhile;
//! [`client::Client::judge`] compares everything that is stored with what was acknowledged. A new operation is one row in
//! the table; a new kind of load is one more `Story`.

// Here a failure is a failed test, and figures are printed for whoever runs a campaign.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::needless_pass_by_value)]
#![allow(missing_docs)]

// The support of the other tests has more than is needed here.
#[allow(dead_code, unused_imports)]
#[path = "../support/mod.rs"]
mod support;

mod bin;
mod campaign;
mod chat_files;
mod client;
mod crew;
mod desks;
mod disk;
mod edits;
mod http;
mod inside;
mod linear;
mod nemesis;
mod observe;
mod operations;
mod platter;
mod random;
mod registers;
mod replies;
mod scenes;
mod script;
mod story;
mod tales;
mod things;
mod vfs;

mod bit_flips;
mod bystanders;
mod calls;
mod damage;
mod full_disk;
mod imports;
mod inject;
mod kills;
mod linearity;
mod power;
mod removed;
mod restarts;
#[cfg(feature = "script")]
mod workers;
