//! What must hold for any input that the server reads itself. As in `lib.rs`, with a table of its own, since the engine's
//! tests do not build the server; `crates/server/tests/fuzz.rs` runs it.

use std::fmt::Write as _;
use tavernkeep_engine::limits::{LIST_LIMIT_MAX, POSITION_MAX};
use tavernkeep_server::{event_id as write_event_id, fuzzing, parse_event_id};

/// A function that any input can be given to.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 2] = [("query", query), ("event_id", event_id)];

/// A query string: no reader leaves its bounds, and what was read is read again from our own spelling of it.
pub fn query(bytes: &[u8]) {
    let Some(read) = fuzzing::query(&String::from_utf8_lossy(bytes)) else { return };
    assert!((1..=LIST_LIMIT_MAX).contains(&read.limit) && (0..=POSITION_MAX).contains(&read.offset), "{read:?}");
    let again = fuzzing::query(&spell(&read.pairs)).expect("our own spelling");
    assert_eq!(again, read);
}

/// Every byte as a percent escape.
fn spell(pairs: &[(String, String)]) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        for (text, end) in [(name, '='), (value, '&')] {
            text.bytes().for_each(|byte| write!(out, "%{byte:02x}").expect("a text has room"));
            out.push(end);
        }
    }
    out
}

/// A `Last-Event-ID`: what is taken is exactly what would be written.
pub fn event_id(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(place) = parse_event_id(&text) {
        assert_eq!(write_event_id(place), text);
    }
}
