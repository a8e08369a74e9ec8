//! What a model is shown of the document.
//!
//! Keys that start with `_` are left out, nodes that are not relevant now are one line, the newest entries of `summary.big` are
//! left out, and a summary that is due is asked for.

use super::ASSETS;
use super::place::{self, plain};
use super::rules::filter::SHOWN;
use super::rules::summaries::{count, is_due};
use super::settings::Settings;
use crate::document::{Object, Value};
use crate::limits::VIEW_BYTES_MAX;
use crate::packs::{Due, View};
use std::sync::Arc;

/// The code of a summary that is due.
pub const SUMMARY_DUE: &str = "summary_due";

/// Whether a document asks for a summary that nobody has written yet.
pub fn is_summary_due(document: &Value) -> bool {
    is_due(document)
}

/// The entries that a summary sums up.
pub fn small_entries(document: &Value) -> Option<&Object> {
    place::find(document, ASSETS, &["summary", "small"]).and_then(Value::as_object)
}

pub(super) fn view(settings: &Settings, document: &Value) -> View {
    let hidden = count(document, "hide_latest_count", settings.hide_latest_count);
    let shown = shown(settings, document, &mut Vec::new(), hidden);
    let due = is_due(document).then(|| {
        let small = small_entries(document).map_or(0, Object::len);
        Due { code: SUMMARY_DUE, text: settings.summary_due.replace("{count}", &small.to_string()) }
    });
    View { document: shown, due: due.into_iter().collect() }
}

/// A value as it is shown; `at` is where it stands.
fn shown(settings: &Settings, value: &Value, at: &mut Vec<Arc<str>>, hidden: usize) -> Value {
    match value {
        Value::Object(_) if is_hidden(value) => Value::String(Arc::clone(&settings.hidden_text)),
        Value::Object(members) => {
            let is_big = at.iter().map(AsRef::as_ref).eq([ASSETS, "summary", "big"]);
            let kept = if is_big { members.len().saturating_sub(hidden) } else { members.len() };
            let mut out = Vec::with_capacity(kept);
            for (key, member) in members.iter().take(kept).filter(|(key, _)| !key.starts_with('_')) {
                at.push(Arc::clone(key));
                out.push((Arc::clone(key), shown(settings, member, at, hidden)));
                at.pop();
            }
            out.into_iter().collect()
        }
        Value::Array(items) if items.iter().any(Value::is_container) => {
            items.iter().map(|item| shown(settings, item, at, hidden)).collect()
        }
        _ => value.clone(),
    }
}

fn is_hidden(value: &Value) -> bool {
    match value.get(SHOWN).map(plain) {
        Some(Value::Bool(is_shown)) => !is_shown,
        Some(Value::String(text)) => text.as_ref() == "false",
        _ => false,
    }
}

impl View {
    /// The view as text for a prompt: what is due, then one line for each value, with its description behind it. Lines beyond
    /// [`VIEW_BYTES_MAX`] are left out, and `…` stands for them.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, packs::View};
    ///
    /// let document = Value::parse(r#"{"时间": ["20:00", "现在的时间"], "背包": {"剑": {"num": 1}}}"#).unwrap();
    /// let view = View { document, due: Vec::new() };
    /// assert_eq!(view.to_text(), "时间: 20:00  # 现在的时间\n背包:\n  剑:\n    num: 1\n");
    /// ```
    pub fn to_text(&self) -> String {
        let mut out: String = self.due.iter().map(|due| format!("! {}\n", due.text)).collect();
        lines(&self.document, 0, &mut out);
        if out.len() > VIEW_BYTES_MAX {
            out.push_str("…\n");
        }
        out
    }
}

fn lines(value: &Value, depth: usize, out: &mut String) {
    let Some(members) = value.as_object() else {
        out.push_str(&scalar(value));
        return out.push('\n');
    };
    for (key, member) in members {
        if out.len() > VIEW_BYTES_MAX {
            return;
        }
        out.extend(std::iter::repeat_n("  ", depth));
        out.push_str(key);
        match member {
            Value::Object(below) if !below.is_empty() => {
                out.push_str(":\n");
                lines(member, depth + 1, out);
            }
            pair if place::is_pair(pair) => {
                let description = pair.item(1).and_then(Value::as_str).unwrap_or_default();
                let remark =
                    if description.is_empty() { String::new() } else { format!("  # {}", one_line(description)) };
                out.push_str(&format!(": {}{remark}\n", scalar(plain(pair))));
            }
            other => out.push_str(&format!(": {}\n", scalar(other))),
        }
    }
}

/// A value on one line. Text stands without quotes where it is one line and not empty.
fn scalar(value: &Value) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() && !text.contains(['\n', '\r']) => text.to_owned(),
        _ => value.to_json(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
