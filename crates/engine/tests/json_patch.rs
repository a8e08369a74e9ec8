//! RFC 6902: the examples of its appendix, and what it says between the lines.
#![allow(clippy::unwrap_used, missing_docs)]

use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::json_patch::{Malformed, Misfit, Patch};

fn read(patch: &str) -> Result<Patch, Malformed> {
    Patch::read(JsonText::parse_with_depth(patch.as_bytes(), 200).unwrap().view())
}

fn apply(value: &str, patch: &str) -> Result<String, Misfit> {
    let value = JsonText::parse(value.as_bytes()).unwrap();
    read(patch).unwrap().apply(&value).map(|text| text.as_str().to_owned())
}

#[track_caller]
fn gives(value: &str, patch: &str, wanted: &str) {
    let wanted = Value::parse(wanted).unwrap();
    assert_eq!(apply(value, patch).map(|text| Value::parse(&text).unwrap()), Ok(wanted), "{patch}");
}

#[track_caller]
fn fails_at(index: usize, value: &str, patch: &str) {
    assert_eq!(apply(value, patch).map_err(|misfit| misfit.index), Err(index), "{patch}");
}

#[test]
fn the_examples_of_the_appendix() {
    // A.1 to A.16; A.13 is a member twice, which no JSON of ours has.
    gives(r#"{"foo":"bar"}"#, r#"[{"op":"add","path":"/baz","value":"qux"}]"#, r#"{"baz":"qux","foo":"bar"}"#);
    gives(
        r#"{"foo":["bar","baz"]}"#,
        r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
        r#"{"foo":["bar","qux","baz"]}"#,
    );
    gives(r#"{"baz":"qux","foo":"bar"}"#, r#"[{"op":"remove","path":"/baz"}]"#, r#"{"foo":"bar"}"#);
    gives(r#"{"foo":["bar","qux","baz"]}"#, r#"[{"op":"remove","path":"/foo/1"}]"#, r#"{"foo":["bar","baz"]}"#);
    gives(
        r#"{"baz":"qux","foo":"bar"}"#,
        r#"[{"op":"replace","path":"/baz","value":"boo"}]"#,
        r#"{"baz":"boo","foo":"bar"}"#,
    );
    gives(
        r#"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
        r#"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
        r#"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#,
    );
    gives(
        r#"{"foo":["all","grass","cows","eat"]}"#,
        r#"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
        r#"{"foo":["all","cows","eat","grass"]}"#,
    );
    let value = r#"{"baz":"qux","foo":["a",2,"c"]}"#;
    gives(value, r#"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#, value);
    fails_at(0, r#"{"baz":"qux"}"#, r#"[{"op":"test","path":"/baz","value":"bar"}]"#);
    gives(
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
        r#"{"foo":"bar","child":{"grandchild":{}}}"#,
    );
    gives(
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
        r#"{"foo":"bar","baz":"qux"}"#,
    );
    fails_at(0, r#"{"foo":"bar"}"#, r#"[{"op":"add","path":"/baz/bat","value":"qux"}]"#);
    gives(r#"{"/":9,"~1":10}"#, r#"[{"op":"test","path":"/~01","value":10}]"#, r#"{"/":9,"~1":10}"#);
    fails_at(0, r#"{"/":9,"~1":10}"#, r#"[{"op":"test","path":"/~01","value":"10"}]"#);
    gives(
        r#"{"foo":["bar"]}"#,
        r#"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
        r#"{"foo":["bar",["abc","def"]]}"#,
    );
}

#[test]
fn the_whole_value_is_a_place_too() {
    gives("1", r#"[{"op":"add","path":"","value":[]},{"op":"add","path":"/0","value":2}]"#, "[2]");
    gives("1", r#"[{"op":"replace","path":"","value":{"a":null}}]"#, r#"{"a":null}"#);
    gives("1", r#"[{"op":"test","path":"","value":1.0}]"#, "1");
    gives(r#"{"a":1}"#, r#"[{"op":"copy","from":"","path":"/b"}]"#, r#"{"a":1,"b":{"a":1}}"#);
    gives(r#"{"a":[1]}"#, r#"[{"op":"move","from":"/a","path":""}]"#, "[1]");
    gives("{}", "[]", "{}");
    fails_at(0, "1", r#"[{"op":"remove","path":""}]"#);
}

#[test]
fn what_does_not_fit_is_named_by_its_number() {
    fails_at(1, "[]", r#"[{"op":"add","path":"/-","value":1},{"op":"add","path":"/2","value":1}]"#);
    fails_at(0, "[1]", r#"[{"op":"remove","path":"/1"}]"#);
    fails_at(0, "[1]", r#"[{"op":"replace","path":"/-","value":1}]"#);
    fails_at(0, "[1]", r#"[{"op":"add","path":"/01","value":1}]"#);
    fails_at(0, "[1]", r#"[{"op":"add","path":"/1e0","value":1}]"#);
    fails_at(0, r#"{"a":1}"#, r#"[{"op":"replace","path":"/b","value":1}]"#);
    fails_at(0, r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a","path":"/a/c"}]"#);
    fails_at(0, r#"{"a":"text"}"#, r#"[{"op":"add","path":"/a/0","value":1}]"#);
    gives(r#"{"a":1}"#, r#"[{"op":"move","from":"/a","path":"/a"}]"#, r#"{"a":1}"#);
    gives(r#"{"a":1,"b":2}"#, r#"[{"op":"add","path":"/a","value":3}]"#, r#"{"a":3,"b":2}"#);
    assert_eq!(apply(r#"{"a":1,"b":2}"#, r#"[{"op":"add","path":"/a","value":3}]"#).unwrap(), r#"{"a":3,"b":2}"#);
}

#[test]
fn a_patch_has_its_shape() {
    let place = |patch: &str| read(patch).map(drop).map_err(|malformed| malformed.place);
    assert_eq!(place("{}"), Err(String::new()));
    assert_eq!(place("[1]"), Err("/0".into()));
    assert_eq!(place(r#"[{"path":""}]"#), Err("/0".into()));
    assert_eq!(place(r#"[{"op":"test","path":"","value":1},{"op":"grow","path":""}]"#), Err("/1/op".into()));
    assert_eq!(place(r#"[{"op":"add","path":"a","value":1}]"#), Err("/0/path".into()));
    assert_eq!(place(r#"[{"op":"add","path":"/~2","value":1}]"#), Err("/0/path".into()));
    assert_eq!(place(r#"[{"op":"add","path":"/a"}]"#), Err("/0".into()));
    assert_eq!(place(r#"[{"op":"move","path":"/a"}]"#), Err("/0".into()));
    assert_eq!(place(r#"[{"op":"add","path":5,"value":1}]"#), Err("/0/path".into()));
    let many = vec![r#"{"op":"test","path":"","value":1}"#; 1_001].join(",");
    assert_eq!(place(&format!("[{many}]")), Err(String::new()));
}

#[test]
fn copies_do_not_grow_without_end() {
    let doubling = vec![r#"{"op":"copy","from":"","path":"/a"}"#; 1_000].join(",");
    let misfit = apply(r#"{"a":{}}"#, &format!("[{doubling}]")).unwrap_err();
    assert!(misfit.index < 200 && misfit.message.contains("128 levels"), "{misfit}");
    let wide = vec![r#"{"op":"copy","from":"/0","path":"/-"}"#; 1_000].join(",");
    let misfit = apply(&format!("[\"{}\"]", "x".repeat(10_000)), &format!("[{wide}]")).unwrap_err();
    assert!(misfit.message.contains("1048576 bytes"), "{misfit}");
}
