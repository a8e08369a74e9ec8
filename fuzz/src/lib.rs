//! What must hold for any input, one function for each place where text from outside becomes a type.
//!
//! The functions take bytes and panic when something does not hold. libFuzzer calls them from `fuzz_targets/` (`make fuzz`,
//! nightly Rust); `crates/engine/tests/fuzz.rs` calls them on any toolchain with the kept corpus and mutations of it.
//! What the server reads itself is in `server.rs`.
//! A new target is a function here, a row in [`TARGETS`], and three lines in `fuzz_targets/`.

#[path = "sillytavern.rs"]
mod sillytavern;

pub use sillytavern::{card_file, chat_file};

use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::limits::{
    BODY_ENVELOPE_DEPTH, JSON_DEPTH_MAX, KEY_BYTES_MAX, MACRO_BYTES_MAX, MACRO_WRITES_MAX,
};
use tavernkeep_engine::literal::{
    Leniency, Literals, evaluate, read_block, read_items, read_json5, read_literal, read_yaml, read_yaml_lenient,
};
use tavernkeep_engine::mvu::{MvuSchema, import, read_init, strip};
use tavernkeep_engine::path::{Path, Segment, fix_mvu, lodash_segments, parse_pointer};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::prompt::{Context, Variables, render};
use tavernkeep_engine::schema::Schema;
use tavernkeep_engine::scope::{Scope, decode_branch, encode_branch};
use tavernkeep_engine::time::{format_iso, parse_time};
use tavernkeep_engine::turn::{Outcome, StoredOutcome, Turn, apply_reply};
use tavernkeep_engine::view::View;

/// A function that any input can be given to.
pub type Target = fn(&[u8]);

/// Every target of the engine by its name. Query strings and `Last-Event-ID` are the server's and in `server.rs`.
pub const TARGETS: [(&str, Target); 15] = [
    ("at", at),
    ("mvu", mvu),
    ("json_patch", json_patch),
    ("reply", reply),
    ("literal", literal),
    ("path", path),
    ("patch", patch),
    ("schema", schema),
    ("json_body", json_body),
    ("key", key),
    ("scope_id", scope_id),
    ("prompt", prompt),
    ("view", view),
    ("chat_file", chat_file),
    ("card_file", card_file),
];

/// Between two texts of one input.
const BETWEEN: &str = "\n====\n";

const STATE: &str = r#"{"a":{"b":[1,"x",{"k":null}],"c.d":2},"n":5,"t":"2024-10-26","p":[33,"note"],"_r":1,"0":[]}"#;

/// A prompt with macros: places lie inside the text, the limits hold, and what it prints of a value is the value.
pub fn prompt(bytes: &[u8]) {
    for_text(bytes, |text| {
        let row = |scope, key: &str, value: &str| {
            (scope, key.parse().expect("a key"), JsonText::parse(value.as_bytes()).expect("JSON"))
        };
        let variables = Variables::new([
            row(Scope::Branch, "a", "\"{{setvar::x::1}}\""),
            row(Scope::Branch, "n", "5"),
            row(Scope::Chat, "o", STATE),
            row(Scope::Global, "g", "[1,2]"),
        ]);
        let variables = variables.with_state("vs_stat_data", Some(Value::parse(STATE).expect("the state is JSON")));
        let profile = Profile::default();
        let rendered = render(&[text], &Context::new(&variables, &profile));
        let places = rendered.warnings.iter().map(|warning| &warning.span);
        for span in places.chain(rendered.uses.iter().map(|used| &used.span)) {
            assert!(text.get(span.clone()).is_some(), "{span:?} is no place in the text");
        }
        assert!(rendered.writes.len() <= MACRO_WRITES_MAX);
        assert!(rendered.texts[0].len() <= text.len() + MACRO_BYTES_MAX);
    });
}

/// A view, as data, and what it shows: what was read is written back, and YAML is read as the state it was written of.
pub fn view(bytes: &[u8]) {
    for_text(bytes, |text| {
        let Ok(value) = Value::parse(text) else { return };
        let plain = View { hide: Vec::new(), ..View::plain("v") };
        let shown = plain.render(&value, None, false).text;
        if let Ok(read) = read_yaml(&shown) {
            assert_eq!(read, value, "{shown}");
        }
        if let Ok(view) = View::read("v", &value) {
            assert_eq!(View::read("v", &view.to_value()), Ok(view.clone()));
            let state = Value::parse(STATE).expect("the state is JSON");
            view.render(&state, Some(&Value::empty_object()), true);
        }
    });
}

/// A reply in the dialect `at`.
pub fn at(bytes: &[u8]) {
    for_text(bytes, |text| apply_alone(text, "at", &["default", "strict"]));
}

/// A reply in the dialect of MVU, read as MVU reads it and tolerantly.
pub fn mvu(bytes: &[u8]) {
    for_text(bytes, |text| apply_alone(text, "mvu", &["default", "mvu", "mvu_zod"]));
}

/// A reply with blocks of JSON Patch.
pub fn json_patch(bytes: &[u8]) {
    for_text(bytes, |text| apply_alone(text, "json_patch", &["default", "mvu", "mvu_zod"]));
}

/// A reply in all dialects of each profile.
pub fn reply(bytes: &[u8]) {
    for_text(bytes, |text| {
        Profile::NAMES.iter().for_each(|name| apply(text, Profile::named(name).expect("a profile of ours")));
    });
}

fn apply_alone(text: &str, dialect: &str, bases: &[&str]) {
    for base in bases {
        let profile = [("base", Value::from(*base)), ("dialects", Value::from(dialect))].into_iter().collect();
        apply(text, Profile::read(&profile).expect("a profile"));
    }
}

/// Spans lie inside the text; replay equals live; undoing gives back what was there, key order included.
fn apply(reply: &str, profile: Profile) {
    let document = Value::parse(STATE).expect("the state is JSON");
    let turn = Turn { document: document.clone(), reply: reply.to_owned(), profile: profile.into(), ..Turn::default() };
    check_outcome(reply, &document, &apply_reply(turn));
}

fn check_outcome(reply: &str, before: &Value, outcome: &Outcome) {
    let spans = outcome.results.iter().map(|result| &result.command.span);
    for span in spans.chain(outcome.problems.iter().map(|problem| &problem.span)) {
        assert!(reply.get(span.clone()).is_some(), "{span:?} is no place in the text");
    }
    assert!(outcome.change.apply(before).expect("it fits").same_in_order(&outcome.document));
    assert!(outcome.change.inverse().apply(&outcome.document).expect("it fits").same_in_order(before));
    assert!(outcome.document.depth() <= JSON_DEPTH_MAX);
    let stored = StoredOutcome::read(&outcome.to_stored(reply), Some(reply)).expect("an outcome survives its storage");
    assert_eq!(stored.problems, outcome.problems);
    assert!(stored.results.iter().zip(&outcome.results).all(|(stored, result)| stored.status == result.status));
}

/// A value as it is written in commands: what was read survives its own text.
pub fn literal(bytes: &[u8]) {
    for_text(bytes, |text| {
        let literals = [Literals::Mvu, Literals::MvuZod, Literals::Tolerant].map(|kind| read_literal(text, kind));
        let readings = [Leniency::Exact, Leniency::Lenient].map(|leniency| read_json5(text, leniency).ok());
        let others = [read_yaml(text).ok(), read_yaml_lenient(text).ok(), read_block(text)];
        for value in literals.into_iter().chain(readings).chain(others).flatten() {
            if value.depth() <= JSON_DEPTH_MAX {
                assert!(Value::parse(&value.to_json()).expect("our own text").same_in_order(&value));
            }
        }
        for (range, _) in read_items(text, Leniency::Lenient).unwrap_or_default() {
            assert!(text.get(range).is_some());
        }
        let _ = evaluate(text);
        if let Some(time) = parse_time(text) {
            assert_eq!(parse_time(&format_iso(time)), Some(time));
        }
    });
}

/// A path in any of its spellings.
pub fn path(bytes: &[u8]) {
    for_text(bytes, |text| {
        lodash_segments(text);
        lodash_segments(&fix_mvu(text));
        if let Ok(segments) = parse_pointer(text) {
            let path = Path::from(segments.into_iter().map(Segment::Key).collect::<Vec<_>>());
            assert_eq!(path.to_pointer(), text);
        }
    });
}

/// Two documents: the difference leads from one to the other and back, and survives storage. Or one stored change.
pub fn patch(bytes: &[u8]) {
    for_two_texts(bytes, |before, after| {
        let (Ok(before), Ok(after)) = (Value::parse(before), Value::parse(after)) else { return };
        let change = diff(&before, &after);
        assert!(change.apply(&before).expect("it fits").same_in_order(&after));
        assert!(change.inverse().apply(&after).expect("it fits").same_in_order(&before));
        assert_eq!(Change::from_stored(&change.to_stored()), Ok(change));
        if let Ok(change) = Change::from_stored(&before.to_json()) {
            let _ = change.apply(&after);
        }
    });
}

/// A schema, ours and MVU's, over a reply; MVU's data with its metadata; a profile.
pub fn schema(bytes: &[u8]) {
    for_two_texts(bytes, |schema, reply| {
        let Some(value) = Value::parse(schema).ok().or_else(|| read_init(schema)) else { return };
        let _ = Profile::read(&value);
        let imported = import(&value);
        assert!(strip(&imported.state).same_in_order(&imported.state), "nothing is left to strip");
        let before = imported.state.clone();
        let turn = Turn { document: imported.state, reply: reply.to_owned(), ..Turn::default() };
        let mvu = std::sync::Arc::new(Profile::named("mvu").expect("a profile of ours"));
        for mvu_schema in [MvuSchema::from_value(&value), Some(imported.schema)] {
            let outcome = apply_reply(Turn { mvu_schema, profile: mvu.clone(), ..turn.clone() });
            check_outcome(reply, &before, &outcome);
        }
        if let Ok(schema) = Schema::read(&value) {
            let profile = Profile { schema: Some(schema.into()), ..Profile::default() };
            check_outcome(reply, &before, &apply_reply(Turn { profile: profile.into(), ..turn }));
        }
    });
}

/// A request's body: what is accepted is normalised once and for all, and every other reader of JSON agrees.
pub fn json_body(bytes: &[u8]) {
    let Ok(text) = JsonText::parse_with_depth(bytes, JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH) else { return };
    assert_eq!(JsonText::parse_with_depth(text.as_str().as_bytes(), usize::MAX).as_ref(), Ok(&text));
    assert_eq!(Value::from(&text).to_json(), text.as_str());
}

/// The key of a variable, and a public id.
pub fn key(bytes: &[u8]) {
    for_text(bytes, |text| {
        assert_eq!(text.parse::<Key>().is_ok(), (1..=KEY_BYTES_MAX).contains(&text.len()));
        if let Ok(id) = text.parse::<Id>() {
            assert_eq!(id.as_str(), text);
        }
    });
}

/// A branch as `scope_id`: what was read is written so that it reads the same.
pub fn scope_id(bytes: &[u8]) {
    for_text(bytes, |text| {
        if let Some((session, branch)) = decode_branch(text) {
            assert_eq!(decode_branch(&encode_branch(&session, &branch)), Some((session, branch)));
        }
        if !text.is_empty() {
            assert_eq!(decode_branch(&encode_branch(text, text)), Some((text.to_owned(), text.to_owned())));
        }
    });
}

fn for_text(bytes: &[u8], check: impl FnOnce(&str)) {
    // What is no UTF-8 never gets this far.
    check(&String::from_utf8_lossy(bytes));
}

fn for_two_texts(bytes: &[u8], check: impl FnOnce(&str, &str)) {
    let text = String::from_utf8_lossy(bytes);
    let (first, second) = text.split_once(BETWEEN).unwrap_or((&text, ""));
    check(first, second);
}
