//! Any text as a `Last-Event-ID`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_server::{event_id, parse_event_id};

fuzz_target!(|text: &str| {
    if let Ok(place) = parse_event_id(text) {
        assert_eq!(event_id(place), text);
    }
});
