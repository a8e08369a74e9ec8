//! What the crate gives to others, without a server: the registration as a whole, error codes, ids of events, networks.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use axum::http::Method;
use std::collections::HashSet;
use tavernkeep_api::{ErrorCode, Json};
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::record::EventPosition;
use tavernkeep_server::{InvalidEventId, Network, event_id, openapi, parse_event_id, routes};

#[test]
fn every_route_is_documented_with_its_role_and_its_errors() {
    let document = openapi();
    let mut operation_ids = HashSet::new();
    for route in routes() {
        let operation = &document["paths"][&route.path][route.method.as_str().to_ascii_lowercase()];
        assert!(operation.is_object(), "{route:?}");
        assert!(operation_ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{route:?}");
        assert_eq!(operation["x-tavernkeep-role"].as_str(), route.role.map(Role::as_str), "{route:?}");
        // Routes without a security of their own have the document's.
        assert_eq!(operation["security"].is_null(), route.role.is_some(), "{route:?}");
        let general =
            document.pointer(operation["responses"]["default"]["$ref"].as_str().unwrap().trim_start_matches('#'));
        let general = general.unwrap()["description"].as_str().unwrap();
        assert_eq!(general.contains("401 `auth_required`"), route.role.is_some(), "{route:?}");
        // A route for readers with a body, such as a dry run, writes nothing.
        let is_write = route.method != Method::GET && route.role.is_some_and(|role| role != Role::Read);
        assert_eq!(general.contains("507 `store_full`"), is_write, "{route:?}");
        assert!(general.contains("500 `internal_error`"), "{route:?}");
        assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{route:?}");
        if operation["requestBody"].is_object() {
            assert!(operation["responses"]["400"].is_object(), "{route:?}");
        }
        assert_eq!(general.contains("413 `payload_too_large`"), operation["requestBody"].is_object(), "{route:?}");
    }
    let documented: usize =
        document["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
    assert_eq!(documented, routes().len());
}

#[test]
fn reading_needs_read_writing_needs_write() {
    for route in routes() {
        match route.role {
            None => assert!(route.method == Method::GET || route.path == "/sign-in", "{route:?}"),
            // These ask with a body and write nothing, and everybody may sign out.
            Some(Role::Read) => {
                let asks = ["/apply", "/functions/export", "/functions/test", "/sessions/{id}/prompt-runtime/preview"];
                let reads = route.method == Method::GET || route.path == "/sign-out";
                assert!(reads || asks.contains(&&*route.path), "{route:?}");
            }
            Some(Role::Write) => assert_ne!(route.method, Method::GET, "{route:?}"),
            Some(Role::Admin) => {
                let administered = ["keys", "account", "browsers", "metrics"];
                assert!(administered.contains(&route.path.split('/').nth(1).unwrap()), "{route:?}");
            }
        }
    }
}

#[test]
fn every_reference_in_the_document_leads_somewhere() {
    let document = openapi();
    let mut references = HashSet::new();
    collect(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
}

#[test]
fn parameters_are_never_null() {
    let document = openapi();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let shared = parameter["$ref"].as_str().map(|at| at.trim_start_matches('#'));
                let parameter = shared.map_or(parameter, |at| document.pointer(at).unwrap());
                let schema = parameter["schema"].to_string();
                assert!(!schema.contains("\"null\"") && !schema.contains("\"object\""), "{path} {parameter}");
                assert!(parameter["description"].is_string(), "{path} {parameter}");
                // A condition that does not hold is an answer of its own.
                let is_condition = parameter["name"] == "If-Match";
                assert!(!is_condition || operation["responses"]["412"].is_object(), "{path} {parameter}");
            }
        }
    }
}

fn collect(value: &serde_json::Value, references: &mut HashSet<String>) {
    match value {
        serde_json::Value::Object(members) => {
            if let Some(serde_json::Value::String(reference)) = members.get("$ref") {
                references.insert(reference.clone());
            }
            members.values().for_each(|member| collect(member, references));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}

#[test]
fn codes_are_unique_and_plain_and_sorted_by_status() {
    let mut seen = HashSet::new();
    for code in ErrorCode::ALL {
        assert!(seen.insert(code.code()), "{} twice", code.code());
        assert!(code.code().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", code.code());
        assert!((400..600).contains(&code.status()));
        assert!(code.description().ends_with('.'), "{}", code.code());
    }
    assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
}

#[test]
fn text_passes_through_unchanged() {
    let json = Json::from_text(r#"{"b":18446744073709551615,"a":1e-7}"#.into()).unwrap();
    assert_eq!(serde_json::to_string(&json).unwrap(), json.text());
}

#[test]
fn what_was_written_is_read_again() {
    for (position, ordinal) in [(0, 0), (1, 0), (1_700_000_000_000_000, 41), (7, i64::MAX), (i64::MAX, i64::MAX)] {
        let place = EventPosition { position, ordinal };
        assert_eq!(parse_event_id(&event_id(place)), Ok(place));
    }
}

#[test]
fn anything_else_is_refused_and_nothing_panics() {
    let bad = [
        "",
        "-",
        "1",
        "1-",
        "-1",
        "1--1",
        "-1-1",
        "1-1-1",
        "+1-1",
        "1-+1",
        " 1-1",
        "1-1 ",
        "01-1",
        "1-00",
        "1_0-1",
        "1e3-1",
        "0x1-1",
        "9223372036854775808-0",
        "0-9223372036854775808",
        "99999999999999999999-1",
        "１-１",
        "٣-٣",
        "1\u{0}-1",
        "null",
        "1-1\r\n",
    ];
    for text in bad {
        assert_eq!(parse_event_id(text), Err(InvalidEventId), "{text:?}");
    }
    // Every short text over the letters that matter: what is taken is exactly what would be written.
    let letters = ['0', '1', '9', '-', '+', ' ', 'a', 'é'];
    for number in 0..letters.len().pow(5) {
        let text: String = (0..5).map(|at| letters[number / letters.len().pow(at) % letters.len()]).collect();
        for text in [text.as_str(), text.trim_end_matches('a')] {
            if let Ok(place) = parse_event_id(text) {
                assert_eq!(event_id(place), text);
            }
        }
    }
}

#[test]
fn a_network_holds_its_addresses() {
    let holds = |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
    assert!(holds("10.0.0.0/8", "10.1.2.3"));
    assert!(!holds("10.0.0.0/8", "11.1.2.3"));
    assert!(holds("127.0.0.1", "::ffff:127.0.0.1"));
    assert!(holds("0.0.0.0/0", "8.8.8.8"));
    assert!(holds("fd00::/8", "fd12::1"));
    assert!("10.0.0.0/33".parse::<Network>().is_err());
    assert!("nowhere".parse::<Network>().is_err());
}
