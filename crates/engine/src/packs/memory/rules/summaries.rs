//! Summaries, first settled, then raised.
//!
//! ```text
//! settle   the flag is up and `summary.big` has a new entry: `summary.small` is emptied, the flag goes down
//! trim     `summary.big` has more than `clean_big_count` entries: the oldest beyond that leave
//! raise    `summary.small` has `small_to_big_count` entries or more: the flag goes up
//! ```
//!
//! Whatever leaves goes to the archive. The keys that `summary.big` has when the flag goes up are remembered beside the flag,
//! so that an entry that is written between two turns counts too. A key that leaves is forgotten: it may come back.

use crate::document::path::Path;
use crate::document::{Array, Object, Value};
use crate::names::problem::Refusal;
use crate::packs::memory::delete::PROTECTED;
use crate::packs::memory::place::{is_marked, path};
use crate::packs::memory::settings::Settings;
use crate::packs::memory::{ASSETS, place};
use crate::packs::{Archived, EndOfTurn};
use std::sync::Arc;

/// The flag that asks for a summary.
pub(in crate::packs::memory) const FLAG: [&str; 3] = ["config", "flags", "clean_small_flag"];
const KEYS_AT_FLAG: &str = "_big_keys_at_flag";

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let (small, big, config) =
        (path(ASSETS, ["summary", "small"]), path(ASSETS, ["summary", "big"]), path(ASSETS, ["config"]));
    let flag = path(ASSETS, FLAG);
    if is_raised(turn.draft.document()) && has_new_entry(turn.draft.document(), Some(turn.before)) {
        leave(turn, &small, "summary.small", usize::MAX)?;
        turn.draft.replace(&flag, Value::Bool(false))?;
        let keys = config.key(KEYS_AT_FLAG);
        if keys.find(turn.draft.document()).is_some() {
            turn.draft.remove(&keys)?;
        }
    }
    let document = turn.draft.document();
    let surplus = size(document, &big).saturating_sub(count(document, "clean_big_count", settings.clean_big_count));
    leave(turn, &big, "summary.big", surplus)?;
    let document = turn.draft.document();
    if is_raised(document) {
        return forget_keys(turn, &config, &big);
    }
    let entries = size(document, &small);
    let is_full = entries >= count(document, "small_to_big_count", settings.small_to_big_count).max(1);
    if is_full && flag.find(document).is_some() {
        let keys = big_keys(document);
        turn.draft.replace(&flag, Value::Bool(true))?;
        turn.draft.set_key(&config, KEYS_AT_FLAG, keys)?;
    }
    Ok(())
}

/// Forgets the keys that `summary.big` had when the flag went up and has no more.
fn forget_keys(turn: &mut EndOfTurn<'_>, config: &Path, big: &Path) -> Result<(), Refusal> {
    let document = turn.draft.document();
    let Some(known) = known_keys(document) else { return Ok(()) };
    let is_there =
        |key: &&Value| key.as_str().is_some_and(|key| members(document, big).is_some_and(|big| big.contains_key(key)));
    let kept: Value = known.iter().filter(is_there).cloned().collect();
    turn.draft.set_key(config, KEYS_AT_FLAG, kept)
}

/// The keys of `summary.big` as the flag remembers them.
fn big_keys(document: &Value) -> Value {
    let big = place::find(document, ASSETS, &["summary", "big"]).and_then(Value::as_object);
    big.into_iter().flatten().map(|(key, _)| Value::from(key.as_ref())).collect()
}

fn known_keys(document: &Value) -> Option<&Array> {
    // Not by `place::find`: two keys are a list, however much they look like a pair.
    path(ASSETS, ["config", KEYS_AT_FLAG]).find(document).and_then(Value::as_array)
}

/// What has to be written beside a summary that comes outside of a turn: a state from elsewhere may have the flag up without the
/// keys that say what is new.
pub(in crate::packs::memory) fn keys_to_remember(document: &Value) -> Option<(&'static str, Value)> {
    (is_raised(document) && known_keys(document).is_none()).then(|| (KEYS_AT_FLAG, big_keys(document)))
}

fn members<'d>(document: &'d Value, path: &Path) -> Option<&'d Object> {
    path.find(document).and_then(Value::as_object)
}

fn size(document: &Value, path: &Path) -> usize {
    members(document, path).map_or(0, Object::len)
}

/// Whether a summary is asked for.
pub(in crate::packs::memory) fn is_raised(document: &Value) -> bool {
    let flag = place::find(document, ASSETS, &FLAG);
    flag.is_some_and(|flag| flag.as_bool() == Some(true) || flag.as_str() == Some("true"))
}

/// A threshold of the document, or else of the settings.
pub(in crate::packs::memory) fn count(document: &Value, key: &str, default: usize) -> usize {
    let written = place::find(document, ASSETS, &["config", key]).and_then(place::number);
    written.and_then(|number| usize::try_from(number.as_u64()?).ok()).unwrap_or(default)
}

/// Whether a summary is asked for and none was written since.
pub(in crate::packs::memory) fn is_due(document: &Value) -> bool {
    is_raised(document) && !has_new_entry(document, None)
}

/// Whether `summary.big` has an entry that it had not when the flag went up. A state from elsewhere may have the flag alone; then
/// what it had before the turn counts.
fn has_new_entry(document: &Value, before: Option<&Value>) -> bool {
    let big = path(ASSETS, ["summary", "big"]);
    let mut keys = members(document, &big).into_iter().flatten().map(|(key, _)| key);
    match (known_keys(document), before) {
        (Some(known), _) => {
            let known: std::collections::HashSet<&str> = known.iter().filter_map(Value::as_str).collect();
            keys.any(|key| !known.contains(key.as_ref()))
        }
        (None, Some(before)) => keys.any(|key| members(before, &big).is_none_or(|before| !before.contains_key(key))),
        (None, None) => false,
    }
}

/// Takes the oldest entries out of a container, so many of them, and archives them. Protected ones stay.
fn leave(turn: &mut EndOfTurn<'_>, container: &Path, source: &str, wanted: usize) -> Result<(), Refusal> {
    let Some(entries) = members(turn.draft.document(), container) else { return Ok(()) };
    let leaving: Vec<(Arc<str>, Value)> = entries
        .iter()
        .filter(|(_, entry)| !is_marked(entry, PROTECTED))
        .take(wanted)
        .map(|(key, entry)| (Arc::clone(key), entry.clone()))
        .collect();
    if leaving.is_empty() {
        return Ok(());
    }
    if leaving.len() == entries.len() {
        turn.draft.replace(container, Value::empty_object())?;
    } else {
        leaving.iter().try_for_each(|(key, _)| turn.draft.remove(&container.key(Arc::clone(key))))?;
    }
    let entries = leaving.into_iter().collect();
    turn.archived.push(Archived { source: source.to_owned(), name: String::new(), entries });
    Ok(())
}
