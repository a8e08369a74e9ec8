//! A build without the feature `script`: functions are refused with a clear problem, and everything else is done.
#![cfg(not(feature = "script"))]
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::library::LibraryFunction;
use tavernkeep_runtime::turn::NoScripts;
use tavernkeep_runtime::{Runtime, TrialOrder, try_functions};

#[test]
fn functions_are_refused_and_commands_are_done() {
    let heal = LibraryFunction::of_code(None, "snapshot.hp += args[0];".to_owned());
    let order = TrialOrder {
        functions: vec![LibraryFunction { name: "HEAL".to_owned(), ..heal }],
        text: "@.HEAL(5); @.ADD(\"hp\", 1);".to_owned(),
        state: [("hp", Value::from(1))].into_iter().collect(),
        ..TrialOrder::default()
    };
    let tried = try_functions(Arc::new(NoScripts), &Runtime::default_account(), order).unwrap();
    assert_eq!(tried.state.to_json(), r#"{"hp":2}"#);
    let statuses: Vec<&str> = tried.calls.iter().map(|call| call.status.as_str()).collect();
    assert_eq!(statuses, ["refused", "applied"]);
    let why = format!("{:?}", tried.calls[0].status);
    assert!(why.contains("built without the feature `script`"), "{why}");
}
