//! What the oracle knows, as the runtime takes it.

use crate::oracle::{At, Command, Document, Text};
use tavernkeep_engine::document::Value;

pub(super) fn value(document: &Document) -> Value {
    document.iter().map(|(&key, &number)| (key, Value::from(number))).collect()
}

pub(super) fn written(text: &Text) -> String {
    let command = |command: &Command| match command {
        Command::Add(key, number) => format!("She nods. @.ADD(\"{key}\", {number});\n"),
        Command::Set(key, number) => format!("@.SET(\"{key}\", {number});\n"),
    };
    text.iter().map(command).collect()
}

pub(super) fn name(branch: At) -> String {
    if branch == 0 { "main".into() } else { format!("b{branch}") }
}
