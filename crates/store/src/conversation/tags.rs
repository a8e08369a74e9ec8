//! The tags of sessions, characters and pages, for writes that depend on what was read. A tag is a number that follows from what
//! a `PATCH` can change; whatever else happens, a turn for example, leaves it as it is.

use crate::db::hash::{Hash, hash};
use crate::error::{Refusal, StoreResult};
use crate::types::record::{Character, Condition, Page, Session};
use tavernkeep_engine::json::JsonText;

/// The tag of a session: its settings and its own template.
pub fn of_session(session: &Session) -> i64 {
    let Session { title, metadata, chat_file, profile, state_key, character, template_hash, .. } = session;
    of(&[
        title.as_deref().map(str::as_bytes),
        json(metadata.as_ref()),
        Some(chat_file.as_bytes()),
        json(profile.as_ref()),
        state_key.as_deref().map(str::as_bytes),
        character.as_ref().map(|id| id.as_str().as_bytes()),
        template_hash.as_ref().map(Hash::as_slice),
    ])
}

/// The tag of a character: all of it but the times.
pub fn of_character(character: &Character) -> i64 {
    let Character { summary, profile, template, greetings, functions } = character;
    let functions: Vec<String> = functions.iter().map(|one| format!("{} {}", one.id, one.revision)).collect();
    let greeting_count = greetings.len().to_be_bytes();
    let mut parts = vec![
        Some(summary.name.as_bytes()),
        summary.enabled.then_some(&[][..]),
        json(profile.as_ref()),
        json(template.as_ref()),
        Some(&greeting_count),
    ];
    parts.extend(greetings.iter().map(|greeting| Some(greeting.as_bytes())));
    parts.extend(functions.iter().map(|function| Some(function.as_bytes())));
    of(&parts)
}

/// The tag of a page: what it says. A fork's copy of it has the same one.
pub fn of_page(page: &Page) -> i64 {
    let kind = page.kind.number().to_be_bytes();
    let [role, name, content] = [&page.role, &page.name, &page.content].map(|text| text.as_deref().map(str::as_bytes));
    of(&[Some(&kind), role, name, content, json(page.extra.as_ref())])
}

fn json(text: Option<&JsonText>) -> Option<&[u8]> {
    text.map(|text| text.as_str().as_bytes())
}

/// Each part with its length, so that no two lists of parts make the same bytes.
fn of(parts: &[Option<&[u8]>]) -> i64 {
    let mut bytes = Vec::new();
    for part in parts {
        let length = part.map_or(-1, |part| i64::try_from(part.len()).unwrap_or(i64::MAX));
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(part.unwrap_or_default());
    }
    // No tag is negative: a number below zero stands for tags that nobody gave.
    hash(&bytes).first_chunk().copied().map_or(0, i64::from_be_bytes) & i64::MAX
}

/// Refuses a write whose condition does not hold for what is there.
pub(crate) fn check(
    condition: Condition,
    what: &'static str,
    tag: impl FnOnce() -> StoreResult<i64>,
) -> StoreResult<()> {
    match condition {
        Condition::None | Condition::Exists => Ok(()),
        Condition::Revision(expected) if expected == tag()? => Ok(()),
        Condition::Absent | Condition::Revision(_) => Err(Refusal::ContentMoved(what).into()),
    }
}
