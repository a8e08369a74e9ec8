//! The registration as a whole: router, document and roles agree.

use crate::document::registry::writes;
use crate::{openapi, routes};
use axum::http::Method;
use std::collections::HashSet;
use tavernkeep_engine::role::Role;

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
        assert_eq!(general.contains("507 `store_full`"), writes(&route.method, route.role), "{route:?}");
        assert!(general.contains("500 `internal_error`"), "{route:?}");
        assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{route:?}");
        if operation["requestBody"].is_object() {
            for status in ["400", "413", "415"] {
                assert!(operation["responses"][status].is_object(), "{route:?} {status}");
            }
        }
    }
    let documented: usize =
        document["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
    assert_eq!(documented, routes().len());
}

#[test]
fn reading_needs_read_writing_needs_write() {
    for route in routes() {
        match route.role {
            None => assert_eq!(route.method, Method::GET, "{route:?}"),
            // A dry run asks with a body and writes nothing.
            Some(Role::Read) => assert!(route.method == Method::GET || route.path == "/apply", "{route:?}"),
            Some(Role::Write) => assert_ne!(route.method, Method::GET, "{route:?}"),
            Some(Role::Admin) => assert!(route.path.starts_with("/keys") || route.path.starts_with("/account")),
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
