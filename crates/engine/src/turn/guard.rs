//! What a model may not do, whichever command it uses: write read-only keys, change kinds, break the schema.

use crate::document::{Kind, Value};
use crate::draft::{Draft, Mark};
use crate::mvu::to_number;
use crate::op::Op;
use crate::path::Segment;
use crate::problem::{Code, Refusal};
use crate::profile::{Profile, TypeChange};
use crate::schema::Schema;

/// Rounds of mending after which a schema that keeps changing its mind is given up.
const FIX_ROUNDS_MAX: usize = 3;

/// Examines what was done since the mark. Gives back how it was mended.
pub(super) fn examine(
    draft: &mut Draft,
    mark: Mark,
    profile: &Profile,
    schema: Option<&Schema>,
    forced: bool,
    notes: &mut Vec<Refusal>,
) -> Result<Option<String>, Refusal> {
    if !forced {
        for op in draft.ops_since(mark) {
            if profile.underscore_read_only {
                check_read_only(op)?;
            }
            check_kind(op, profile, notes)?;
        }
    }
    let Some(schema) = schema else { return Ok(None) };
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
    Err(Refusal::new(Code::SchemaViolated, "the schema's defaults contradict its rules"))
}

fn check_read_only(op: &Op) -> Result<(), Refusal> {
    let hidden = |segment: &Segment| matches!(segment, Segment::Key(key) if is_hidden(key));
    let lost = |op: &Op| match op {
        Op::Replace { old, value, .. } => loses_hidden(old, value),
        _ => false,
    };
    if op.path().segments().iter().any(hidden) || lost(op) {
        let message = format!("`{}` is read-only: keys that start with `_` are not for a model", op.path());
        return Err(Refusal::new(Code::ReadOnly, message));
    }
    Ok(())
}

/// Whether a key is read-only by its name. `__proto__` is a key like any other.
fn is_hidden(key: &str) -> bool {
    key.starts_with('_') && key != "__proto__"
}

/// Whether a replaced value had read-only members that the new one has not, or has otherwise.
fn loses_hidden(old: &Value, new: &Value) -> bool {
    match old {
        Value::Object(members) => members.iter().any(|(key, old)| match (is_hidden(key), new.get(key)) {
            (true, new) => new != Some(old),
            (false, Some(new)) => loses_hidden(old, new),
            (false, None) => false,
        }),
        _ => false,
    }
}

fn check_kind(op: &Op, profile: &Profile, notes: &mut Vec<Refusal>) -> Result<(), Refusal> {
    let Op::Replace { path, value, old } = op else { return Ok(()) };
    let (before, after) = (old.kind(), value.kind());
    let numeric = before == Kind::String && after == Kind::Number && to_number(old).is_some();
    if before == after || before == Kind::Null || numeric {
        return Ok(());
    }
    let refusal = Refusal::new(
        Code::TypeChanged,
        format!("`{path}` was {} and would become {}", before.with_article(), after.with_article()),
    );
    match profile.type_change {
        TypeChange::Refused => Err(refusal),
        TypeChange::Reported => {
            notes.push(Refusal {
                message: format!("`{path}` was {} and is now {}", before.with_article(), after.with_article()),
                ..refusal
            });
            Ok(())
        }
        TypeChange::AsMvu | TypeChange::BySchema => Ok(()),
    }
}
