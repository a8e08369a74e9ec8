//! The reader of JSON beside another reader, on texts that nobody chose.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use serde_json::{Number, Value};
use tavernkeep_engine::json::{JsonErrorKind, JsonText, JsonView};
use tavernkeep_engine::number::{self, NumberError};

/// Any JSON value that we keep, integral doubles excluded: those change their spelling on purpose.
fn value() -> impl Strategy<Value = Value> {
    let double = any::<f64>().prop_filter_map("finite and not integral", |double| {
        (double.is_finite() && double.fract() != 0.0).then(|| Number::from_f64(double)).flatten()
    });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        double.prop_map(Value::Number),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// What a view shows, as the other reader's tree.
fn tree(view: JsonView<'_>) -> Value {
    if let Some(members) = view.as_object() {
        return Value::Object(members.map(|(key, value)| (key.into_owned(), tree(value))).collect());
    }
    if let Some(elements) = view.as_array() {
        return Value::Array(elements.map(tree).collect());
    }
    view.as_str().map_or_else(|| serde_json::from_str(view.text()).unwrap(), |text| Value::from(text.into_owned()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_written_is_what_was_meant(value in value()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let kept = JsonText::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Value>(kept.as_str()).unwrap(), &value);
            prop_assert_eq!(&tree(kept.view()), &value);
            prop_assert_eq!(JsonText::parse(kept.as_str().as_bytes()).unwrap(), kept);
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let ours = JsonText::parse(&bytes);
        // Whatever we keep, the other reader understands; what it refuses, we refuse too.
        if let Ok(kept) = ours {
            prop_assert!(serde_json::from_slice::<Value>(&bytes).is_ok());
            prop_assert!(serde_json::from_str::<Value>(kept.as_str()).is_ok());
        }
    }

    #[test]
    fn nearly_json_is_read_like_the_other_reader_does(text in r#"[\[\]{}:,"\\ntrufalse0-9eE.+ -]{0,24}"#) {
        let theirs = serde_json::from_str::<Value>(&text);
        match JsonText::parse(text.as_bytes()) {
            Ok(_) => prop_assert!(theirs.is_ok(), "only we read {text:?}"),
            Err(error) => {
                let stricter = matches!(
                    error.kind,
                    JsonErrorKind::DuplicateKey(_) | JsonErrorKind::NumberOutOfRange(_) | JsonErrorKind::LoneSurrogate
                );
                prop_assert!(theirs.is_err() || stricter, "only they read {text:?}: {error}");
            }
        }
    }
}

#[test]
fn numbers_have_one_spelling() {
    for (written, kept) in [
        ("5.0", "5"),
        ("5e0", "5"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e2", "100"),
        ("9007199254740992.0", "9007199254740992"),
        ("9007199254740994.0", "9007199254740994.0"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1e300", "1e300"),
        ("0.1", "0.1"),
        ("1E-7", "1e-7"),
    ] {
        assert_eq!(JsonText::parse(written.as_bytes()).unwrap().as_str(), kept, "{written}");
    }
    for refused in ["18446744073709551616", "-9223372036854775809", "1e400", "-1e400", "100000000000000000000000"] {
        let error = JsonText::parse(refused.as_bytes()).unwrap_err();
        assert!(matches!(error.kind, JsonErrorKind::NumberOutOfRange(_)), "{refused}");
    }
}

#[test]
fn depth_is_counted_in_containers() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(JsonText::parse(nested(128).as_bytes()).unwrap().view().depth(), 128);
    let error = JsonText::parse(nested(129).as_bytes()).unwrap_err();
    assert_eq!(error.kind, JsonErrorKind::TooDeep(128));
    // A million brackets are refused at the limit, not followed down.
    assert_eq!(JsonText::parse("[".repeat(1_000_000).as_bytes()).unwrap_err().offset, 128);
}

#[test]
fn two_readers_must_not_understand_two_things() {
    let kind = |text: &str| JsonText::parse(text.as_bytes()).unwrap_err().kind;
    assert_eq!(kind(r#"{"a":1,"b":2,"\u0061":3}"#), JsonErrorKind::DuplicateKey("a".into()));
    assert_eq!(kind(r#"["\ud800"]"#), JsonErrorKind::LoneSurrogate);
    assert_eq!(kind(r#"["\ud800\u0041"]"#), JsonErrorKind::LoneSurrogate);
    assert_eq!(kind(r#"["\udc00"]"#), JsonErrorKind::LoneSurrogate);
    assert_eq!(JsonText::parse(br#""\ud83d\ude00""#).unwrap().as_str(), "\"😀\"");
    assert_eq!(JsonText::parse(b"\"\xff\"").unwrap_err().kind, JsonErrorKind::NotUtf8);
}

fn json(text: &str) -> JsonText {
    JsonText::parse(text.as_bytes()).unwrap()
}

#[test]
fn sums_are_exact_or_refused() {
    for (left, right, sum) in [
        ("1", "2", Some("3")),
        ("9223372036854775807", "1", Some("9223372036854775808")),
        ("-9223372036854775808", "-1", None),
        ("18446744073709551615", "-1", Some("18446744073709551614")),
        ("1.5", "1", Some("2.5")),
        ("1e308", "1e308", None),
        ("0.1", "0.2", Some("0.30000000000000004")),
        ("9007199254740992", "0.5", Some("9007199254740992")),
        ("9007199254740993", "0.5", None),
        ("1.5", "-9007199254740993", None),
    ] {
        assert_eq!(number::add(&json(left), &json(right)).ok(), sum.map(json), "{left} + {right}");
    }
    assert_eq!(number::add(&json("\"1\""), &json("1")), Err(NumberError::NotANumber));
}
