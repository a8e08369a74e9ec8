//! What a reply does to a floor: swipes, staged writes, and the commit or failure that decides about them.
//!
//! A reply is the output page of a floor. Its id tells the floor, the floor's id the session: `c3.s1.f4.r5`. Every staged
//! write has a key of its own, so that what it leaves on page, floor, branch and chat is nobody else's.

use crate::http::Request;
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::things::Change;
use serde_json::json;
use tavernkeep_engine::limits::LEASE_MS_MAX;

const REPLIES_MAX: usize = 3;
const STAGED_MAX: usize = 6;
/// Behind all pages that are no replies.
const PAGE_NO: u32 = 1000;

const ACTIVE: &str = "active";
const SWIPED: &str = "swiped";

const PAGE_ONLY: &str = "page_only";
const TO_FLOOR: &str = "promote_to_floor_on_accept";
const TO_BRANCH: &str = "promote_to_branch_on_accept";
const TO_CHAT: &str = "promote_to_chat_on_accept";
/// What a macro of the reply's prompt writes goes to the branch, and through neither page nor floor.
pub const BY_MACRO: &str = "macro";

/// One staged write of a reply, as it is stored.
struct Staged<'a> {
    key: &'a str,
    status: &'a str,
    intent: &'a str,
    value: &'a str,
}

/// How a staged write is kept among the things: status, intent and value.
pub fn value_of_staged(status: &str, intent: &str, value: &str) -> String {
    format!("{status} {intent} {value}")
}

/// How a reply is kept among the things.
pub fn value_of_reply(is_active: bool) -> String {
    (if is_active { ACTIVE } else { SWIPED }).to_owned()
}

/// Whether a variable came from a staged write.
pub fn is_of_reply(key: &str) -> bool {
    key.starts_with("w.") || key.starts_with("w-")
}

fn parent(id: &str) -> &str {
    id.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn replies<'a>(mind: &'a Mind, floor: &str, which: &str) -> Vec<&'a str> {
    mind.ids("reply", |state| which.is_empty() || state == which).into_iter().filter(|id| parent(id) == floor).collect()
}

fn staged<'a>(mind: &'a Mind, reply: &str) -> Vec<Staged<'a>> {
    let of = |(name, value): (&'a String, &'a String)| {
        let key = name.strip_prefix(reply)?.strip_prefix(" staged ")?;
        let mut words = value.splitn(3, ' ');
        Some(Staged { key, status: words.next()?, intent: words.next()?, value: words.next()? })
    };
    mind.things.iter().filter_map(of).collect()
}

/// The variables that a staged write promotes to.
fn targets(reply: &str, write: &Staged<'_>) -> Vec<String> {
    let floor = parent(reply);
    let session = parent(floor);
    let hosts = match write.intent {
        TO_FLOOR => vec![floor.to_owned()],
        TO_BRANCH => vec![floor.to_owned(), format!("{session}/main")],
        BY_MACRO => vec![format!("{session}/main")],
        TO_CHAT => vec![floor.to_owned(), session.to_owned()],
        _ => Vec::new(),
    };
    hosts.into_iter().map(|host| format!("{host} variable {}", write.key)).collect()
}

/// What a reply's promotions leave when they begin to count, or what goes when they no longer do.
fn promotions(mind: &Mind, reply: &str, count: bool) -> Vec<Change> {
    let promoted = staged(mind, reply).into_iter().filter(|write| write.status == "promoted");
    let change = |name: String, write: &Staged<'_>| match count {
        true => Change::Put(name, write.value.to_owned()),
        false => Change::Remove(name),
    };
    promoted.flat_map(|write| targets(reply, &write).into_iter().map(move |name| change(name, &write))).collect()
}

/// What goes with a floor beyond what hangs on it.
pub fn leave_with_floor(mind: &Mind, floor: &str) -> Vec<Change> {
    replies(mind, floor, ACTIVE).into_iter().flat_map(|reply| promotions(mind, reply, false)).collect()
}

fn one(ids: &[&str], random: &mut Random) -> Option<String> {
    random.pick(ids).map(|id| (*id).to_owned())
}

/// A new swipe of a reply; it is the chosen one.
pub fn append_reply(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| matches!(state, "draft" | "generating")), random)?;
    if replies(mind, &floor, "").len() >= REPLIES_MAX {
        return None;
    }
    let swiped = replies(mind, &floor, ACTIVE).into_iter().map(|id| Change::Put(format!("{id} reply"), SWIPED.into()));
    let mut changes: Vec<Change> = swiped.collect();
    let id = mind.fresh(&floor, 'r');
    let body = json!({"id": id, "floor_id": floor, "page_kind": "output", "page_no": PAGE_NO, "is_active": true});
    changes.push(Change::Put(format!("{id} reply"), ACTIVE.into()));
    Some(Made::new(Request::post("/pages", body), changes))
}

pub fn stage(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let open = mind.ids("floor", |state| matches!(state, "draft" | "generating"));
    let replies: Vec<&str> = open.into_iter().flat_map(|floor| replies(mind, floor, "")).collect();
    let reply = one(&replies, random)?;
    if staged(mind, &reply).len() >= STAGED_MAX {
        return None;
    }
    let key = mind.fresh("w", 'w');
    let intent = *random.pick(&[PAGE_ONLY, TO_FLOOR, TO_BRANCH, TO_CHAT])?;
    let value = json!(random.text(30));
    let body = json!({"key": key, "op": "set", "value": value, "intent": intent});
    let change = Change::Put(format!("{reply} staged {key}"), value_of_staged("staged", intent, &value.to_string()));
    Some(Made::new(Request::post(format!("/pages/{reply}/variables/staged"), body), vec![change]))
}

/// The prompt of a reply is rendered: what its macros write replaces what they wrote when it was rendered before.
pub fn render(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let open = mind.ids("floor", |state| matches!(state, "draft" | "generating"));
    let replies: Vec<&str> = open.into_iter().flat_map(|floor| replies(mind, floor, "")).collect();
    let reply = one(&replies, random)?;
    let before = staged(mind, &reply).into_iter().filter(|write| write.intent == BY_MACRO);
    let mut changes: Vec<Change> =
        before.map(|write| Change::Remove(format!("{reply} staged {}", write.key))).collect();
    // A macro would read a dot as a path.
    let key = mind.fresh("w", 'w').replace('.', "-");
    let value = format!("m{}", random.below(1_000));
    let text = format!("{{{{setvar::{key}::{value}}}}}");
    let value = json!(value).to_string();
    changes.push(Change::Put(format!("{reply} staged {key}"), value_of_staged("staged", BY_MACRO, &value)));
    let session = parent(parent(&reply)).to_owned();
    let body = json!({"text": text, "page_id": reply});
    Some(Made::new(Request::post(format!("/sessions/{session}/prompt-runtime/render"), body), changes))
}

pub fn generate(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| state == "draft"), random)?;
    // Longer than any campaign: what fails by the clock is no part of the story.
    let request = Request::post(format!("/floors/{floor}/generate"), json!({"lease_ms": LEASE_MS_MAX}));
    Some(Made::new(request, vec![Change::Put(format!("{floor} floor"), "generating".into())]))
}

/// What is staged on the chosen reply becomes its values and goes as far as it asked; the rest is discarded.
pub fn commit(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| state == "generating"), random)?;
    let mut changes = vec![Change::Put(format!("{floor} floor"), "committed".into())];
    for reply in replies(mind, &floor, "") {
        let is_active = mind.things.get(&format!("{reply} reply")).is_some_and(|state| state == ACTIVE);
        for write in staged(mind, reply) {
            let status = match (is_active, write.intent) {
                (false, _) => "discarded",
                (true, PAGE_ONLY) => "accepted_page_only",
                (true, _) => "promoted",
            };
            let ended = value_of_staged(status, write.intent, write.value);
            changes.push(Change::Put(format!("{reply} staged {}", write.key), ended));
            if is_active {
                let page = format!("{reply} variable {}", write.key);
                let page = Some(page).filter(|_| write.intent != BY_MACRO);
                let all = page.into_iter().chain(targets(reply, &write));
                changes.extend(all.map(|name| Change::Put(name, write.value.to_owned())));
            }
        }
    }
    Some(Made::new(Request::post(format!("/floors/{floor}/commit"), json!({})), changes))
}

pub fn fail(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| state == "generating"), random)?;
    let mut changes = vec![Change::Put(format!("{floor} floor"), "failed".into())];
    for reply in replies(mind, &floor, "") {
        changes.extend(staged(mind, reply).into_iter().map(|write| {
            let ended = value_of_staged("discarded", write.intent, write.value);
            Change::Put(format!("{reply} staged {}", write.key), ended)
        }));
    }
    Some(Made::new(Request::post(format!("/floors/{floor}/fail"), json!({})), changes))
}

/// Another reply is chosen: what the one before promoted counts no more, what this one promoted does.
pub fn swipe(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let chosen = one(&mind.ids("reply", |state| state == SWIPED), random)?;
    let mut changes = leave_with_floor(mind, parent(&chosen));
    let before = replies(mind, parent(&chosen), ACTIVE);
    changes.extend(before.into_iter().map(|id| Change::Put(format!("{id} reply"), SWIPED.into())));
    changes.extend(promotions(mind, &chosen, true));
    changes.push(Change::Put(format!("{chosen} reply"), ACTIVE.into()));
    Some(Made::new(Request::post(format!("/pages/{chosen}/activate"), json!({})), changes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{Mixed, OPERATIONS};
    use crate::story::Story as _;
    use std::collections::BTreeSet;

    /// The load would show nothing if it never got there.
    #[test]
    fn the_load_gets_to_everything() {
        let (mut mind, mut random) = (Mind::new("c1".into()), Random::new(7));
        let (mut seen, mut ended) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..40_000 {
            let step = Mixed.next(&mut mind, &mut random);
            seen.insert(step.name);
            if step.name == "swipe" {
                seen.extend(step.changes.iter().filter_map(|change| match change {
                    Change::Remove(_) => Some("taken back"),
                    Change::Put(name, _) if name.contains(" variable ") => Some("brought again"),
                    _ => None,
                }));
            }
            mind.apply(&step.changes);
            let staged = mind.things.iter().filter(|(name, _)| name.contains(" staged "));
            ended.extend(staged.map(|(_, value)| value.split(' ').take(2).collect::<Vec<_>>().join(" ")));
        }
        for name in OPERATIONS.iter().map(|operation| operation.name).chain(["taken back", "brought again"]) {
            assert!(seen.contains(name), "never: {name}");
        }
        let promoted = [TO_FLOOR, TO_BRANCH, TO_CHAT, BY_MACRO].map(|intent| format!("promoted {intent}"));
        let others = [format!("accepted_page_only {PAGE_ONLY}"), format!("discarded {TO_FLOOR}")];
        for ending in promoted.iter().chain(&others) {
            assert!(ended.contains(ending), "never: {ending}");
        }
    }
}
