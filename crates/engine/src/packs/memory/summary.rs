//! A summary that a person, a program or a model writes outside of a reply.

use super::place;
use super::rules::summaries::{is_due, keys_to_remember};
use super::settings::Settings;
use super::view::small_entries;
use super::{ASSETS, STATUS};
use crate::document::{Object, Value};
use crate::packs::SummaryTask;
use std::fmt::Write as _;
use std::sync::Arc;

/// The key of a summary of which neither place nor time is known.
const KEY: &str = "总结";

pub(super) fn task(settings: &Settings, document: &Value) -> Option<SummaryTask> {
    let entries = small_entries(document)?;
    let mut notes = String::new();
    for (key, entry) in entries {
        let text = entry.as_str().map_or_else(|| entry.to_json(), str::to_owned);
        // Writing to a text never fails.
        let _ = writeln!(notes, "{key}: {text}");
    }
    Some(SummaryTask { is_due: is_due(document), prompt: Arc::clone(&settings.summary_prompt), notes })
}

/// A summary as a merge patch, so that nothing else changes; none where the state has no place for summaries.
pub(super) fn edit(document: &Value, key: Option<&str>, text: &str) -> Option<Value> {
    let big = place::find(document, ASSETS, &["summary", "big"])?.as_object()?;
    let key = free_key(big, &key.map_or_else(|| key_of(document), str::to_owned));
    let remembered = keys_to_remember(document).map(|(name, keys)| ("config", nested(&[name], keys)));
    let members = [("summary", nested(&["big", &key], text.into()))].into_iter().chain(remembered);
    let assets: Value = members.collect();
    Some([(ASSETS, assets)].into_iter().collect())
}

fn nested(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |value, key| [(*key, value)].into_iter().collect())
}

fn free_key(taken: &Object, key: &str) -> String {
    if taken.contains_key(key) { super::assets::free_key(taken, key) } else { key.to_owned() }
}

/// The usual key of a summary: place, date and time.
fn key_of(document: &Value) -> String {
    let text = |path: &[&str]| {
        let text = place::find(document, STATUS, path)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let parts = [&["user_character", "current_location"][..], &["日期"], &["时间"]].map(text);
    let key = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    if key.is_empty() { KEY.to_owned() } else { key }
}
