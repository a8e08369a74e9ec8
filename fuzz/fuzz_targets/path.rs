//! Any text as a path or pointer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_engine::path::{Path, Segment, fix_mvu, lodash_segments, parse_pointer};

fuzz_target!(|text: &str| {
    lodash_segments(text);
    lodash_segments(&fix_mvu(text));
    if let Ok(segments) = parse_pointer(text) {
        let path = Path::from(segments.into_iter().map(Segment::Key).collect::<Vec<_>>());
        assert_eq!(path.to_pointer(), text);
    }
});
