//! What the oracle knows, as the runtime takes it.

use crate::oracle::{At, Command, Document, Mode, Order, Text};
use tavernkeep_engine::document::Value;
use tavernkeep_runtime::ProcessOrder;

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

/// What a branch is called, unless it was made by a restore.
pub(super) fn usual_name(branch: At) -> String {
    if branch == 0 { "main".into() } else { format!("b{branch}") }
}

pub(super) fn asked(branch: String, order: &Order) -> ProcessOrder {
    let (mode, from_floor) = match order.mode {
        Mode::Stale(from) => (tavernkeep_runtime::Mode::Stale, from),
        Mode::Latest => (tavernkeep_runtime::Mode::Latest, None),
        Mode::All(from) => (tavernkeep_runtime::Mode::All, from),
    };
    let usual = ProcessOrder::of(mode);
    ProcessOrder { branch: Some(branch), from_floor, overwrite_edited: order.overwrite, ..usual }
}
