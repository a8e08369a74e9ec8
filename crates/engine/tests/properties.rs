//! What holds for every document and every reply.
#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::command::Command;
use tavernkeep_engine::dialect::parse;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::{Number, Value};
use tavernkeep_engine::literal::{
    Leniency, Literals, evaluate, read_block, read_items, read_json5, read_literal, read_yaml, read_yaml_lenient,
};
use tavernkeep_engine::mvu::{MvuSchema, import};
use tavernkeep_engine::path::{fix_mvu, lodash_segments, parse_pointer};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::schema::Schema;
use tavernkeep_engine::time::{format_iso, parse_time};
use tavernkeep_engine::turn::{CommandResult, Outcome, StoredOutcome, Turn, apply_reply};

/// Few keys, so that documents and paths meet.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "金币", "背包", "x.y", "0", "", "_id", "__proto__", "a b"]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        (-5_i64..200).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |double| Number::from_f64(double).map(Value::Number)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        any::<String>().prop_map(Value::from),
        Just(Value::from("2024-10-26")),
        Just(Value::from("5")),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(|items| items.into_iter().collect::<Value>()),
            vec((key(), inner), 0..6).prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    vec((key(), document()), 0..6).prop_map(|members| members.into_iter().collect::<Value>())
}

fn path() -> impl Strategy<Value = String> {
    vec(prop_oneof![key(), (0_u8..4).prop_map(|index| index.to_string())], 1..4).prop_map(|keys| keys.join("."))
}

/// One command, sound or broken, in any dialect.
fn command() -> impl Strategy<Value = String> {
    let at = prop::sample::select(vec![
        "SET",
        "ADD",
        "SUB",
        "APPEND",
        "REMOVE",
        "ASSIGN",
        "UNSET",
        "TIME",
        "DEL",
        "SELECT_DEL",
        "SUMMARY",
        "EVENT_BEGIN",
        "NOBODY",
    ]);
    let mvu = prop::sample::select(vec!["set", "add", "insert", "assign", "remove", "delete", "unset", "move"]);
    let op = prop::sample::select(vec![
        "add",
        "remove",
        "replace",
        "move",
        "copy",
        "test",
        "insert",
        "delta",
        "mul",
        "min",
        "max",
        "push",
        "addToSet",
        "pull",
        "pop",
        "forced_set",
    ]);
    prop_oneof![
        (at, path(), document()).prop_map(|(name, path, value)| format!("@.{name}({}, {value});\n", Value::from(path))),
        (mvu, path(), document()).prop_map(|(name, path, value)| format!("_.{name}('{path}', {value});//why\n")),
        (op, path(), path(), document()).prop_map(|(op, from, path, value)| {
            let pointer = |path: String| Value::from(format!("/{}", path.replace('.', "/")));
            let operation =
                [("op", Value::from(op)), ("from", pointer(from)), ("path", pointer(path)), ("value", value)];
            format!("<JSONPatch>[{}]</JSONPatch>\n", operation.into_iter().collect::<Value>())
        }),
        any::<String>(),
    ]
}

fn reply() -> impl Strategy<Value = String> {
    vec(command(), 0..8).prop_map(|commands| commands.concat())
}

fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(Profile::NAMES.to_vec()).prop_map(|name| Profile::named(name).unwrap())
}

/// Text that looks like commands without being any.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "@.",
        "_.",
        "SET(",
        "set(",
        "'",
        "\"",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "//",
        "\\",
        "\n",
        "<think>",
        "</think>",
        "<JSONPatch>",
        "</JSONPatch>",
        "</json_patch>",
        "```",
        "op",
        ":",
        "1",
        "-",
        "#",
        "&a",
        "*a",
        "|",
        ">",
        "“",
        "”",
        "（",
        "）",
        "，",
        "…",
        " ",
        "\t",
        "x",
        "%",
        "~1",
        "/",
        "0x",
        "e",
        "$meta",
    ]);
    let mixed = vec(piece.clone(), 0..60).prop_map(|pieces| pieces.concat());
    // One piece over and over finds recursion without an end.
    let repeated = (vec(piece, 1..4), 1_usize..4000).prop_map(|(pieces, times)| pieces.concat().repeat(times));
    prop_oneof![4 => mixed, 1 => repeated]
}

/// Every read-only key with its value, wherever it stands, in some order. What the system keeps for itself is left out.
fn hidden(document: &Value) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            match key.as_ref() {
                "_summary" | "_events" | "_timed" => {}
                key if key.starts_with('_') => found.push(format!("{key}: {value}")),
                _ => collect(value, found),
            }
        }
        value.items().iter().for_each(|item| collect(item, found));
    }
    let mut found = Vec::new();
    collect(document, &mut found);
    found.sort();
    found
}

/// An outcome that is stored and read back says the same of every command and problem.
fn check_stored_outcome(outcome: &Outcome, reply: &str) -> Result<(), TestCaseError> {
    let stored = outcome.to_stored(reply);
    let read = StoredOutcome::read(&stored, Some(reply)).unwrap();
    prop_assert_eq!(&read.problems, &outcome.problems);
    prop_assert_eq!(read.results.len(), outcome.results.len());
    for (read, expected) in read.results.iter().zip(&outcome.results) {
        let command = Command { block: None, repair: None, ..expected.command.clone() };
        prop_assert_eq!(read, &CommandResult { command, ..expected.clone() });
    }
    let textless = StoredOutcome::read(&stored, None).unwrap();
    let known = |results: &[CommandResult]| -> Vec<_> {
        results
            .iter()
            .map(|it| (it.command.name.clone(), it.command.span.clone(), it.status.clone(), it.ops.clone()))
            .collect()
    };
    prop_assert_eq!(known(&textless.results), known(&outcome.results));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn replay_equals_live_and_undo_is_exact(before in object(), reply in reply(), profile in profile(), with_schema in any::<bool>()) {
        let mvu_schema = with_schema.then(|| MvuSchema::generate(&before, None));
        let turn = Turn { document: before.clone(), reply: reply.clone(), profile: profile.into(), mvu_schema, ..Turn::default() };
        let outcome = apply_reply(turn.clone());
        let again = apply_reply(turn);
        prop_assert!(again.document.same_in_order(&outcome.document), "the same turn gives the same document");
        let replayed = outcome.change.apply(&before).unwrap();
        prop_assert!(replayed.same_in_order(&outcome.document), "replay equals live");
        let undone = outcome.change.inverse().apply(&outcome.document).unwrap();
        prop_assert!(undone.same_in_order(&before), "undo restores the order of keys too");
        let redone = outcome.change.inverse().inverse().apply(&undone).unwrap();
        prop_assert!(redone.same_in_order(&outcome.document), "redo");
        let stored = outcome.change.to_stored();
        prop_assert_eq!(Change::from_stored(&stored).unwrap(), outcome.change.clone());
        let mut applied = before.clone();
        Change::apply_stored(&stored, &mut applied).unwrap();
        prop_assert!(applied.same_in_order(&outcome.document), "a stored change gives the same document");
        check_stored_outcome(&outcome, &reply)?;
        if let Some(schema) = &outcome.mvu_schema {
            let again = MvuSchema::generate(&outcome.document, Some(schema));
            prop_assert!(outcome.document.as_object().is_none() || again == *schema, "a settled schema stays");
        }
    }

    #[test]
    fn a_damaged_outcome_is_an_error_and_never_a_panic(bytes in vec(any::<u8>(), 0..64), text in reply()) {
        let _ = StoredOutcome::read(&bytes, Some(&text));
        let _ = StoredOutcome::read(&bytes, None);
    }

    #[test]
    fn read_only_keys_survive_any_reply(before in object(), reply in reply(), strict in any::<bool>()) {
        let profile = Profile::named(if strict { "strict" } else { "default" }).unwrap();
        let outcome = apply_reply(Turn { document: before.clone(), reply, profile: profile.into(), ..Turn::default() });
        prop_assert_eq!(hidden(&before), hidden(&outcome.document));
    }

    #[test]
    fn diff_then_apply_is_the_identity(before in document(), after in document()) {
        let change = diff(&before, &after);
        prop_assert!(change.apply(&before).unwrap().same_in_order(&after));
        prop_assert!(change.inverse().apply(&after).unwrap().same_in_order(&before));
        prop_assert!(diff(&before, &before).is_empty());
    }

    #[test]
    fn a_document_survives_its_text(document in document()) {
        prop_assert!(Value::parse(&document.to_json()).unwrap().same_in_order(&document));
        prop_assert_eq!(Value::try_from(&document.to_serde()).unwrap(), document);
    }

    #[test]
    fn parsing_any_text_never_panics(text in prop_oneof![any::<String>(), hostile(), reply()], profile in profile()) {
        let parsed = parse(&text, &profile);
        for span in parsed.commands.iter().map(|command| &command.span).chain(parsed.problems.iter().map(|problem| &problem.span)) {
            prop_assert!(text.get(span.clone()).is_some(), "{span:?} is no piece of the text");
        }
    }

    #[test]
    fn every_reader_takes_any_text(text in prop_oneof![any::<String>(), hostile()]) {
        for literals in [Literals::Mvu, Literals::MvuZod, Literals::Tolerant] {
            read_literal(&text, literals);
        }
        for leniency in [Leniency::Exact, Leniency::Lenient] {
            let _ = read_json5(&text, leniency);
            let _ = read_items(&text, leniency);
        }
        let _ = (read_yaml(&text), read_yaml_lenient(&text), read_block(&text), evaluate(&text), parse_pointer(&text), parse_time(&text));
        lodash_segments(&fix_mvu(&text));
    }

    #[test]
    fn schemas_and_imports_take_any_value(value in document(), data in object(), reply in reply()) {
        import(&value);
        if let Ok(schema) = Schema::read(&value) {
            let profile = Profile { schema: Some(schema.into()), ..Profile::default() };
            apply_reply(Turn { document: data.clone(), reply: reply.clone(), profile: profile.into(), ..Turn::default() });
        }
        let mvu_schema = MvuSchema::from_value(&value);
        apply_reply(Turn { document: data, reply, mvu_schema, profile: Profile::named("mvu").unwrap().into(), ..Turn::default() });
        let _ = Profile::read(&value);
        let _ = Change::from_stored(&value.to_json());
    }

    #[test]
    fn times_survive_their_text(time in -62_135_596_800_000_i64..253_402_300_799_999) {
        let text = format_iso(time);
        if time >= -30_000_000_000_000 {
            prop_assert_eq!(parse_time(&text), Some(time));
        }
    }
}
