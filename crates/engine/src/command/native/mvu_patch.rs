//! Patch operations in MVU's classic mode: they become its calls, and `move` works.
//!
//! A path is a JSON Pointer by the RFC. Where that leads nowhere, MVU's own reading is tried, which takes every `/` for a
//! dot: cards write `角色.生命值` into patches too.

use super::lodash::{Target, relocate};
use super::{ExecutionContext, NativeResult, Performed};
use crate::command::{Arg, Command};
use crate::document::path::{is_index, leads_somewhere, lodash_segments, split_pointer};
use crate::document::{Number, Value};
use crate::mvu;
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

pub(super) fn perform(context: &mut ExecutionContext<'_>, command: &Command) -> NativeResult {
    let text = |index: usize| match command.args.get(index) {
        Some(Arg::Value(Value::String(text))) => Some(Arc::clone(text)),
        _ => None,
    };
    let bad = || Refusal::new(Code::BadArguments, "a `path` is text, a JSON Pointer such as \"/a/b\"");
    let path = text(0).ok_or_else(bad)?;
    let value = match command.args.get(1) {
        Some(Arg::Value(value)) => Some(value.clone()),
        _ => None,
    };
    if command.name == "move" {
        let from = segments(context, &path, false);
        let to = segments(context, &text(1).ok_or_else(bad)?, true);
        return relocate(context, &from, &to, Target::WithoutTheValue).map(Performed::from);
    }
    let (name, segments, values) = match command.name.as_str() {
        "replace" => ("set", segments(context, &path, false), vec![value]),
        "delta" => ("add", segments(context, &path, false), vec![value]),
        "remove" => ("delete", segments(context, &path, false), Vec::new()),
        "add" | "insert" => {
            let mut segments = segments(context, &path, true);
            // The whole document has no last segment; MVU makes a key of that.
            let last = segments.pop().unwrap_or_else(|| "undefined".into());
            let digits = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
            let key = match Number::parse(&last).filter(|_| digits) {
                Some(number) => Value::Number(number),
                None => Value::String(last),
            };
            ("insert", segments, vec![Some(key), value])
        }
        other => return Refusal::err(Code::UnknownFunction, format!("MVU has no operation `{other}`")),
    };
    let shown = segments.join(".");
    mvu::perform(context.draft, context.mvu_schema, name, shown, segments, values).map(Performed::from)
}

/// The segments of a path; `adds` when its last one need not exist.
fn segments(context: &ExecutionContext<'_>, path: &str, adds: bool) -> Vec<Arc<str>> {
    let document = context.draft.document();
    let bare = path.strip_prefix('/').unwrap_or(path);
    if bare.is_empty() {
        return Vec::new();
    }
    let pointer = split_pointer(bare).ok();
    let leads = |segments: &[Arc<str>]| {
        leads_somewhere(document, &segments[..segments.len() - usize::from(adds && !segments.is_empty())])
    };
    if let Some(pointer) = pointer.filter(|pointer| leads(pointer) && (pointer.len() > 1 || !dotted(document, pointer)))
    {
        return pointer;
    }
    let text = bare.replace('/', ".");
    if document.get(&text).is_some() {
        return vec![text.into()];
    }
    lodash_segments(&text)
}

/// Whether a single segment is rather a dotted path that exists.
fn dotted(document: &Value, pointer: &[Arc<str>]) -> bool {
    let single = &pointer[0];
    if document.get(single).is_some() || !single.contains(['.', '[']) {
        return false;
    }
    let segments = lodash_segments(single);
    let container = &segments[..segments.len() - 1];
    !container.is_empty() && leads_somewhere(document, container) && is_index(single).is_none()
}
