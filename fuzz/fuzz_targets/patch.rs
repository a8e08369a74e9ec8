//! Two documents: the difference leads from one to the other and back, and survives storage. Or one stored change.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;

fuzz_target!(|texts: (&str, &str)| {
    let (Ok(before), Ok(after)) = (Value::parse(texts.0), Value::parse(texts.1)) else { return };
    let change = diff(&before, &after);
    assert!(change.apply(&before).expect("it fits").same_in_order(&after));
    assert!(change.inverse().apply(&after).expect("it fits").same_in_order(&before));
    assert_eq!(Change::from_stored(&change.to_stored()), Ok(change));
    if let Ok(change) = Change::from_stored(&before) {
        let _ = change.apply(&after);
    }
});
