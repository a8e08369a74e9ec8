//! Replies that are tried out: a line of JSON is answered with a line.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use tavernkeep_engine::document::Value;
use tavernkeep_runtime::apply::apply_line;

fn line(text: &str) -> String {
    String::from_utf8(apply_line(text.as_bytes())).unwrap()
}

#[test]
fn a_line_is_answered_with_a_line() {
    assert_eq!(
        line(r#"{"id":7,"profile":"mvu","state":{"hp":1,"b":2},"reply":"_.set('hp', 1, 5);//rest"}"#),
        r#"{"id":7,"state":{"hp":5,"b":2},"commands":[{"dialect":"mvu","name":"set","args":["'hp'","1","5"],"span":[0,18],"status":"applied","reason":"rest"}],"change":[{"op":"replace","path":"/hp","value":5}],"problems":[]}"#
    );
    let unknown = line(r#"{"profile":"mvu","state":{},"reply":"_.fly();"}"#);
    assert!(unknown.contains(r#""commands":[],"change":[],"problems":[{"#), "{unknown}");
    let refused = line(r#"{"state":{},"reply":"@.FLY(1);"}"#);
    assert!(refused.starts_with(r#"{"id":null,"state":{},"#), "{refused}");
    assert!(refused.contains(r#""status":"refused","code":"unknown_function","message":"#), "{refused}");
}

#[test]
fn a_bad_line_keeps_its_id() {
    for (text, id, code) in [
        (r#"{"id":"a","state":{},"state":1,"reply":""}"#, "\"a\"", "malformed_json"),
        (r#"{"id":"a","state":{"#, "\"a\"", "malformed_json"),
        (r#"{"state":{},"reply":5,"id":{"x":1}}"#, r#"{"x":1}"#, "validation_error"),
        (r#"{"id":"a","profile":"nobody","state":{},"reply":""}"#, "\"a\"", "validation_error"),
        (r#"{"id":"a","state":{},"reply":"","schema":{"maximun":1}}"#, "\"a\"", "validation_error"),
        (r#"{"id":"a","state":{},"reply":"","profile":"mvu","schema":[]}"#, "\"a\"", "validation_error"),
        ("[]", "null", "validation_error"),
        ("nonsense", "null", "malformed_json"),
        ("{\"id\":1,\"state\":\"\u{0}\"}", "1", "malformed_json"),
    ] {
        let answer = line(text);
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"error":{{"code":"{code}","#)), "{text}: {answer}");
    }
    let mut broken = br#"{"id":3,"reply":""#.to_vec();
    broken.extend([0xff, b'"', b'}']);
    assert!(apply_line(&broken).starts_with(br#"{"id":3,"error""#));
}

#[test]
fn the_schema_belongs_to_the_profile() {
    let ours = line(
        r#"{"state":{"hp":1},"reply":"@.SET(\"hp\", 500);","schema":{"properties":{"hp":{"maximum":100,"clamp":true}}}}"#,
    );
    assert!(ours.contains(r#""state":{"hp":100}"#), "{ours}");
    let locked = r#"{"type":"object","extensible":false,"properties":{"bag":{"type":"object","extensible":false,"properties":{}}}}"#;
    let reply = r#""profile":"mvu","state":{"bag":{}},"reply":"_.assign('bag', 'rope', 1);""#;
    assert!(line(&format!(r#"{{{reply},"schema":{locked}}}"#)).contains(r#""status":"refused""#));
    let open = locked.replace("false", "true");
    assert!(line(&format!(r#"{{{reply},"schema":{open}}}"#)).contains(r#""state":{"bag":{"rope":1}}"#));
    assert!(!line(&format!(r#"{{{reply},"schema":null}}"#)).contains("error"));
}

#[test]
fn mvus_schema_goes_on_to_the_next_reply() {
    let data = Value::parse(r#"{"bag":{"$meta":{"extensible":true},"rope":{"n":1}}}"#).unwrap();
    let imported = tavernkeep_engine::mvu::import(&data);
    let order = |state: &serde_json::Value, schema: &serde_json::Value, reply: &str| {
        let order = serde_json::json!({"profile": "mvu", "state": state, "schema": schema, "reply": reply});
        serde_json::from_str::<serde_json::Value>(&line(&order.to_string())).unwrap()
    };
    let (state, schema) = (imported.state.to_serde(), imported.schema.as_value().to_serde());
    let first = order(&state, &schema, "_.insert('bag', 'torch', {\"n\": 2});");
    assert_eq!(first["schema"]["properties"]["bag"]["properties"]["torch"]["type"], "object");
    // What the first reply brought is an object of the schema now, and locked as such.
    let second = order(&first["state"], &first["schema"], "_.insert('bag.torch', 'oil', 1);");
    assert_eq!(second["commands"][0]["code"], "protected");
    assert_eq!(second["schema"], first["schema"]);
    let without = order(&state, &serde_json::Value::Null, "_.set('bag.rope.n', 5);");
    assert_eq!((without.get("schema"), &without["state"]["bag"]["rope"]["n"]), (None, &5.into()));
}
