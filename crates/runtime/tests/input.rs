//! Objects of request bodies, read field by field.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use tavernkeep_api::ErrorCode;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::input::Fields;

fn problems(body: &str, read: impl FnOnce(&mut Fields<'_>)) -> Vec<(String, String, String)> {
    let body = JsonText::parse_with_depth(body.as_bytes(), 200).unwrap();
    let mut fields = Fields::of(body.view(), String::new());
    read(&mut fields);
    match fields.finish() {
        Ok(()) => Vec::new(),
        Err(error) => error.details.iter().map(|d| (d.path.clone(), d.code.clone(), d.message.clone())).collect(),
    }
}

fn one(path: &str, code: &str, message: &str) -> Vec<(String, String, String)> {
    vec![(path.into(), code.into(), message.into())]
}

#[test]
fn problems_speak_like_json_schema() {
    let key = |fields: &mut Fields<'_>| {
        fields.need("key");
        fields.key("key");
    };
    assert_eq!(problems(r#"{"key":""}"#, key), one("/key", "minLength", "must NOT have fewer than 1 characters"));
    assert_eq!(problems(r"{}", key), one("", "required", "must have required property 'key'"));
    assert_eq!(problems(r#"{"key":5}"#, key), one("/key", "type", "must be string"));
    assert_eq!(problems("[]", key), one("", "type", "must be object"));
    let long = format!(r#"{{"key":"{}"}}"#, "k".repeat(513));
    assert_eq!(problems(&long, key), one("/key", "maxLength", "must NOT have more than 512 bytes"));
    let items = |fields: &mut Fields<'_>| drop(fields.array("items", 1, 2));
    assert_eq!(problems(r#"{"items":[]}"#, items), one("/items", "minItems", "must NOT have fewer than 1 items"));
    assert_eq!(problems(r#"{"items":[1,2,3]}"#, items), one("/items", "maxItems", "must NOT have more than 2 items"));
}

#[test]
fn what_nobody_asked_for_is_unknown() {
    let read = |fields: &mut Fields<'_>| {
        fields.need("swipe_of");
        fields.get("n");
    };
    let unknown = |path: &str, message: &str| one(path, "additionalProperties", message);
    assert_eq!(
        problems(r#"{"swipe_of":1,"swipe_off":2}"#, read),
        unknown("/swipe_off", "unknown field `swipe_off`; did you mean `swipe_of`?")
    );
    assert_eq!(
        problems(r#"{"swipe_of":1,"a/~":2}"#, read),
        unknown("/a~1~0", "unknown field `a/~`; this request knows `swipe_of`, `n`")
    );
    assert_eq!(problems(r#"{"swipeOf":1,"n":0}"#, read).len(), 2);
    assert_eq!(problems(r#"{"x":1}"#, |_| {}), unknown("/x", "unknown field `x`; this request has no fields"));
    let many: Vec<_> = (0..1000).map(|at| format!("\"x{at}\":0")).collect();
    assert_eq!(problems(&format!("{{{}}}", many.join(",")), |_| {}).len(), 8);
    let body = JsonText::parse(br#"{"x":1}"#).unwrap();
    assert!(Fields::body(&body).unwrap().open().finish().is_ok());
}

#[test]
fn a_list_of_ids_names_the_bad_one() {
    let ids = |fields: &mut Fields<'_>| drop(fields.ids("ids", 100));
    assert_eq!(problems(r#"{"ids":["a","b"]}"#, ids), []);
    assert_eq!(problems(r#"{"ids":["a",1]}"#, ids), one("/ids/1", "type", "must be string"));
    assert_eq!(problems(r#"{"ids":["a b"]}"#, ids)[0].1, "pattern");
}

#[test]
fn a_value_may_be_128_deep_and_no_deeper() {
    let body = |depth: usize| {
        let pad = " ".repeat(300);
        format!(r#"{{"value":{}"{pad}"{}}}"#, "[".repeat(depth), "]".repeat(depth))
    };
    let read = |text: String| {
        let body = JsonText::parse_with_depth(text.as_bytes(), 200).unwrap();
        Fields::body(&body).unwrap().value("value").map(|value| value.is_some())
    };
    assert!(read(body(128)).unwrap());
    assert_eq!(read(body(129)).unwrap_err().code, ErrorCode::MalformedJson);
}
