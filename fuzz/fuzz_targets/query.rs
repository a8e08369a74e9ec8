#![no_main]

#[allow(dead_code)]
#[path = "../src/server.rs"]
mod server;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| server::query(bytes));
