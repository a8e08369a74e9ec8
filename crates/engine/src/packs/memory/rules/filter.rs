//! The filter, or "green light": a node with `_filter` is shown while its keyword stands in one of the last replies.
//!
//! The keyword is the third segment of the node's path, as in `world_set.npc.神秘的线人`.

use super::summaries::count;
use crate::document::Value;
use crate::document::path::Path;
use crate::limits::RECENT_TEXTS_MAX;
use crate::names::problem::Refusal;
use crate::packs::EndOfTurn;
use crate::packs::memory::ASSETS;
use crate::packs::memory::place::{self, is_marked};
use crate::packs::memory::settings::Settings;
use memchr::memmem;
use std::sync::Arc;

const FILTER: &str = "_filter";
/// Whether a node is shown.
pub(in crate::packs::memory) const SHOWN: &str = "_showInEJS";

pub(super) fn run(settings: &Settings, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
    let Some(assets) = turn.draft.document().get(ASSETS).cloned() else { return Ok(()) };
    let mut nodes = Vec::new();
    collect(&assets, &Path::root().key(ASSETS), None, &mut nodes);
    if nodes.is_empty() {
        return Ok(());
    }
    let latest = count(turn.draft.document(), "hide_latest_count", settings.hide_latest_count);
    let replies: Vec<&str> =
        turn.reply.into_iter().chain(turn.recent_texts.iter().rev().map(String::as_str)).take(latest).collect();
    let mut last: Option<(Arc<str>, bool)> = None;
    for (path, keyword) in nodes {
        let is_found = match &last {
            Some((known, is_found)) if *known == keyword => *is_found,
            _ => replies.iter().any(|reply| memmem::find(reply.as_bytes(), keyword.as_bytes()).is_some()),
        };
        let node = path.find(turn.draft.document());
        let shown = node.and_then(|node| node.get(SHOWN)).map(place::plain);
        let is_same = shown.is_some_and(|shown| {
            shown.as_bool() == Some(is_found) || shown.as_str() == Some(if is_found { "true" } else { "false" })
        });
        if !is_same {
            turn.draft.set_key(&path, SHOWN, Value::Bool(is_found))?;
        }
        last = Some((keyword, is_found));
    }
    Ok(())
}

/// Finds the nodes with a filter, each with its keyword. The value of a pair is a node too.
fn collect(value: &Value, path: &Path, keyword: Option<&Arc<str>>, found: &mut Vec<(Path, Arc<str>)>) {
    let Some(members) = value.as_object() else { return };
    if let Some(keyword) = keyword
        && is_marked(value, FILTER)
    {
        found.push((path.clone(), Arc::clone(keyword)));
    }
    let depth = path.segments().len();
    for (key, member) in members.iter().filter(|(_, member)| place::plain(member).as_object().is_some()) {
        let below = path.key(Arc::clone(key));
        let below = if place::is_pair(member) { below.index(0) } else { below };
        collect(place::plain(member), &below, if depth == 3 { Some(key) } else { keyword }, found);
    }
}

/// How many replies before it a turn looks at: none where there is no filter.
pub(in crate::packs::memory) fn recent_texts(settings: &Settings, document: &Value, reply: &str) -> usize {
    let has_filter = |document: &Value| document.get(ASSETS).is_some_and(any_filter);
    if !has_filter(document) && memmem::find(reply.as_bytes(), FILTER.as_bytes()).is_none() {
        return 0;
    }
    count(document, "hide_latest_count", settings.hide_latest_count).min(RECENT_TEXTS_MAX)
}

fn any_filter(value: &Value) -> bool {
    let members = place::plain(value).as_object();
    members.is_some_and(|members| members.contains_key(FILTER) || members.iter().any(|(_, value)| any_filter(value)))
}
