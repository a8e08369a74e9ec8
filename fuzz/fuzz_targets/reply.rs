//! Any text as a reply, in every profile and so in every dialect: no panic, spans inside the text, replay equals live.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};

const STATE: &str = r#"{"a":{"b":[1,"x",{"k":null}],"c.d":2},"n":5,"t":"2024-10-26","p":[33,"note"],"_r":1,"0":[]}"#;

fuzz_target!(|reply: &str| {
    let document = Value::parse(STATE).expect("the state is JSON");
    for name in Profile::NAMES {
        let profile = Profile::named(name).expect("a profile of ours");
        let outcome = apply_reply(Turn { document: document.clone(), reply: reply.to_owned(), profile, ..Turn::default() });
        for result in &outcome.results {
            assert!(reply.get(result.command.span.clone()).is_some());
        }
        assert!(outcome.change.apply(&document).expect("it fits").same_in_order(&outcome.document));
        assert!(outcome.change.inverse().apply(&outcome.document).expect("it fits").same_in_order(&document));
    }
});
