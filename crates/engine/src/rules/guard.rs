//! What a model may not do, whichever command it uses: write read-only keys, change kinds, break the schema.

use super::profile::{Profile, TypeChange};
use crate::document::draft::{Draft, Mark};
use crate::document::op::Op;
use crate::document::path::{Path, Segment};
use crate::document::{Kind, Value};
use crate::mvu::to_number;
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

/// Rounds of mending after which a schema that keeps changing its mind is given up.
const FIX_ROUNDS_MAX: usize = 3;

/// Examines what was done since the mark. Gives back how it was mended.
pub(crate) fn examine(
    draft: &mut Draft,
    mark: Mark,
    profile: &Profile,
    forced: bool,
    notes: &mut Vec<Refusal>,
) -> Result<Option<String>, Refusal> {
    let schema = profile.schema.as_deref();
    let looks = profile.underscore_read_only || profile.type_change == TypeChange::Refused || !profile.packs.is_empty();
    if looks || schema.is_some() {
        draft.spend_on_ops_since(mark)?;
    }
    if !forced {
        for op in draft.ops_since(mark) {
            if profile.underscore_read_only {
                check_read_only(op)?;
            }
            check_kind(op, profile, notes)?;
        }
    }
    for used in &profile.packs {
        draft.ops_since(mark).iter().try_for_each(|op| used.rules().check(draft.document(), op))?;
    }
    let Some(schema) = schema else { return Ok(None) };
    // Only what the command did: the schema itself may fill in and strip what is read-only.
    schema.check_read_only(draft.ops_since(mark))?;
    let mut mended = None;
    let mut from = mark;
    for _ in 0..FIX_ROUNDS_MAX {
        let fixes = schema.examine(draft.document(), draft.ops_since(from))?;
        if fixes.is_empty() {
            return Ok(mended);
        }
        from = draft.mark();
        for fix in fixes {
            draft.replace(&fix.path, fix.value)?;
            mended = Some(fix.why);
        }
    }
    Refusal::err(Code::SchemaViolated, "the schema's defaults contradict its rules")
}

/// Refuses an op that touches a read-only key, or whose values differ in read-only members. What a container holds counts
/// when it comes, goes or is replaced: otherwise taking it away and putting it back would be a way around.
fn check_read_only(op: &Op) -> Result<(), Refusal> {
    let hidden = |segment: &Segment| matches!(segment, Segment::Key(key) if is_hidden(key));
    let path = op.path();
    let message = if path.segments().iter().any(hidden) {
        format!("`{path}` is read-only: keys that start with `_` are not for a model")
    } else if differ_hidden(op.old(), op.value()) {
        format!("keys that start with `_` are read-only, and inside `{path}` some would come, go or change")
    } else {
        return Ok(());
    };
    Refusal::err(Code::ReadOnly, message)
}

/// Whether a key is read-only by its name.
fn is_hidden(key: &str) -> bool {
    key.starts_with('_')
}

/// Whether one value has a read-only member that the other has not, or has otherwise. Items of lists meet by their index.
fn differ_hidden(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) if old.is_shared_with(new) => false,
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let differs = |key: &str, old: Option<&Value>, new: Option<&Value>| {
                if is_hidden(key) { old != new } else { differ_hidden(old, new) }
            };
            old.iter().any(|(key, value)| differs(key, Some(value), new.get(key)))
                || new.iter().any(|(key, value)| !old.contains_key(key) && differs(key, None, Some(value)))
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            (0..old.len().max(new.len())).any(|index| differ_hidden(old.get(index), new.get(index)))
        }
        _ => old.is_some_and(holds_hidden) || new.is_some_and(holds_hidden),
    }
}

fn holds_hidden(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, value)| is_hidden(key) || holds_hidden(value)),
        Value::Array(items) => items.iter().any(holds_hidden),
        _ => false,
    }
}

fn check_kind(op: &Op, profile: &Profile, notes: &mut Vec<Refusal>) -> Result<(), Refusal> {
    let Op::Replace { path, value, old } = op else { return Ok(()) };
    match profile.type_change {
        TypeChange::Refused => match changed_kind(path, old, value) {
            Some((path, before, after)) => Refusal::err(
                Code::TypeChanged,
                format!("`{path}` was {} and would become {}", before.with_article(), after.with_article()),
            ),
            None => Ok(()),
        },
        TypeChange::Reported => {
            if changes_kind(old, value) {
                let (before, after) = (old.kind().with_article(), value.kind().with_article());
                notes.push(Refusal::new(Code::TypeChanged, format!("`{path}` was {before} and is now {after}")));
            }
            Ok(())
        }
        TypeChange::AsMvu | TypeChange::BySchema => Ok(()),
    }
}

fn changes_kind(old: &Value, new: &Value) -> bool {
    let (before, after) = (old.kind(), new.kind());
    let numeric = before == Kind::String && after == Kind::Number && to_number(old).is_some();
    before != after && before != Kind::Null && !numeric
}

/// The first place where a value changes its kind, also inside of objects that are replaced by others.
fn changed_kind(path: &Path, old: &Value, new: &Value) -> Option<(Path, Kind, Kind)> {
    if changes_kind(old, new) {
        return Some((path.clone(), old.kind(), new.kind()));
    }
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return None };
    old.iter().find_map(|(key, old)| {
        let new = new.get(key).filter(|new| old.is_container() || changes_kind(old, new))?;
        changed_kind(&path.key(Arc::clone(key)), old, new)
    })
}
