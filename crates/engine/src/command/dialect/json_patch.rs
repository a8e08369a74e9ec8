//! Blocks of JSON Patch: `<JSONPatch>[{"op":"replace","path":"/角色/金币","value":100}]</JSONPatch>`.
//!
//! ```text
//! block = "<" tag ">" [ "```" rest of line ] body [ "```" ] "</" tag ">"
//! tag   = json_?patch, in any case
//! ```
//!
//! The innermost pair of tags is a block. In the profiles of MVU one bad operation drops its block, as there; elsewhere a
//! broken block is mended operation by operation, and one that never closes reaches to the end of the text.

use super::{Dialect, Findings, Limit, Piece, Sign};
use crate::command::{Arg, Command};
use crate::document::Value;
use crate::limits::{PATCH_BYTES_MAX, TAGS_MAX};
use crate::literal::{Leniency, read_block, read_items, read_yaml};
use crate::names::problem::Code;
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

const MVU_OPS: [&str; 6] = ["replace", "delta", "add", "insert", "remove", "move"];

pub(super) fn scan(piece: &Piece<'_>, findings: &mut Findings) {
    let mut open: Option<Tag> = None;
    for tag in tags(piece, findings) {
        if !tag.closes {
            open = Some(tag);
            continue;
        }
        let Some(start) = open.take_if(|open| piece.tolerant() || open.underscore == tag.underscore) else { continue };
        if !block(piece, start.range.start..tag.range.end, start.range.end..tag.range.start, findings) {
            return;
        }
    }
    if let Some(open) = open.filter(|_| piece.tolerant()) {
        let end = piece.text.len();
        // A mention of the tag is no block; something that looks like an operation is.
        if fenced(&piece.text[open.range.end..end]).1.trim_start().starts_with(['[', '{']) {
            block(piece, open.range.start..end, open.range.end..end, findings);
        }
    }
}

struct Tag {
    range: Range<usize>,
    closes: bool,
    underscore: bool,
}

/// How tags end.
static ENDS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [Finder::new("h>"), Finder::new("H>")]);

/// The tags in order. Their end is looked for, not their start: `<` is in every other line of some replies.
fn tags(piece: &Piece<'_>, findings: &mut Findings) -> Vec<Tag> {
    let bytes = piece.text.as_bytes();
    let mut tags = Vec::new();
    for end in ENDS.iter().flat_map(|end| end.find_iter(bytes)) {
        if let Some(limit) = findings.look(Sign::PatchTag).or((tags.len() == TAGS_MAX).then_some(Limit::Tags)) {
            findings.stop(piece.span(&(end..bytes.len())), limit);
            break;
        }
        tags.extend(tag_before(bytes, end + 2));
    }
    tags.sort_unstable_by_key(|tag: &Tag| tag.range.start);
    tags
}

/// The tag that ends at `end`.
fn tag_before(bytes: &[u8], end: usize) -> Option<Tag> {
    let patch = end.checked_sub(6)?;
    if !bytes[patch..end - 1].eq_ignore_ascii_case(b"patch") {
        return None;
    }
    let underscore = patch > 0 && bytes[patch - 1] == b'_';
    let name = patch.checked_sub(4 + usize::from(underscore))?;
    if !bytes[name..name + 4].eq_ignore_ascii_case(b"json") {
        return None;
    }
    match bytes[..name] {
        [.., b'<', b'/'] => Some(Tag { range: name - 2..end, closes: true, underscore }),
        [.., b'<'] => Some(Tag { range: name - 1..end, closes: false, underscore }),
        _ => None,
    }
}

/// Takes a code fence off; gives back how many bytes were cut in front.
fn fenced(body: &str) -> (usize, &str) {
    let trimmed = body.trim_start();
    let Some(rest) = trimmed.strip_prefix("```") else { return (0, body) };
    // On one line with its content the fence has no language.
    let rest = rest.split_once('\n').map_or(rest, |(_, rest)| rest);
    let rest = rest.trim_end();
    let rest_start = body.trim_end().len() - rest.len();
    (rest_start, rest.strip_suffix("```").unwrap_or(rest))
}

/// Takes the commands of a block; false when the reply has as many as it may have.
fn block(piece: &Piece<'_>, span: Range<usize>, body: Range<usize>, findings: &mut Findings) -> bool {
    findings.blocks += 1;
    let number = findings.blocks;
    if body.len() > PATCH_BYTES_MAX {
        findings.problem(Code::Limit, piece.span(&span), format!("a block has at most {PATCH_BYTES_MAX} bytes"));
        return true;
    }
    let (cut, text) = fenced(&piece.text[body.clone()]);
    // In MVU the opening fence takes the rest of its line along, whatever stands there.
    let text =
        if !piece.tolerant() && cut > 0 && !piece.text[body.clone()].trim_start().contains('\n') { "" } else { text };
    let offset = body.start + cut;
    let items = if piece.tolerant() { tolerant_items(text) } else { exact_items(text) };
    let Some(items) = items else {
        if piece.tolerant() || !text.trim().is_empty() {
            let message = "the block is no list of patch operations; write [{\"op\": …, \"path\": …}]";
            findings.problem(Code::Unreadable, piece.span(&span), message);
        }
        return true;
    };
    for Item { range, operation, mended } in items {
        // MVU passes over operations it does not know.
        if !piece.tolerant() && !operation.get("op").and_then(Value::as_str).is_some_and(|op| MVU_OPS.contains(&op)) {
            continue;
        }
        let place = range.map_or(span.clone(), |range| range.start + offset..range.end + offset);
        let place = piece.span(&place);
        match command(&operation, place.clone(), number, mended, piece.tolerant()) {
            Ok(command) => {
                // MVU orders the operations of a block by the place of the block.
                let order = if piece.tolerant() { command.span.start } else { piece.span(&span).start };
                let claimed_until = command.span.end;
                if !findings.command(command, order, claimed_until) {
                    return false;
                }
            }
            Err(message) => findings.problem(Code::BadArguments, place, message),
        }
    }
    true
}

struct Item {
    range: Option<Range<usize>>,
    operation: Value,
    mended: bool,
}

/// What MVU takes: a list of objects that each have `op` and `path`, or nothing at all.
fn exact_items(text: &str) -> Option<Vec<Item>> {
    // What does not start like JSON is YAML there, a comment in front included.
    let json = text.trim_start().starts_with(['[', '{']).then(|| read_items(text, Leniency::Exact));
    let items = match json {
        Some(Ok(items)) => items.into_iter().map(|(range, value)| (Some(range), value)).collect(),
        _ => match read_block(text)? {
            Value::Array(items) => items.iter().map(|item| (None, item.clone())).collect(),
            _ => return None,
        },
    };
    let items: Vec<(Option<Range<usize>>, Value)> = items;
    let complete = |operation: &Value| {
        let text = |name: &str| operation.get(name).is_some_and(|value| value.as_str().is_some());
        text("op") && (text("path") || (operation.get("op") == Some(&Value::from("move")) && text("to")))
    };
    items
        .iter()
        .all(|(_, operation)| complete(operation))
        .then(|| items.into_iter().map(|(range, operation)| Item { range, operation, mended: false }).collect())
}

/// Everything in the block that can be read as an operation.
fn tolerant_items(text: &str) -> Option<Vec<Item>> {
    if let Ok(items) = read_items(text, Leniency::Exact) {
        return Some(
            items.into_iter().map(|(range, operation)| Item { range: Some(range), operation, mended: false }).collect(),
        );
    }
    // Prose in front of the list is no part of it.
    let start = text.find(['[', '{']).filter(|&start| !text[..start].trim_start().starts_with("- "));
    let Some(start) = start else {
        let Ok(Value::Array(items)) = read_yaml(text.trim()) else { return None };
        return Some(items.iter().map(|item| Item { range: None, operation: item.clone(), mended: true }).collect());
    };
    let items = read_items(&text[start..], Leniency::Lenient).ok()?;
    let item = |(range, operation): (Range<usize>, Value)| Item {
        range: Some(range.start + start..range.end + start),
        operation,
        mended: true,
    };
    Some(items.into_iter().filter(|(_, value)| value.is_container()).map(item).collect())
}

/// Turns an operation into a command: `path`, `value`, and for `move` and `copy` first `from`.
fn command(
    operation: &Value,
    span: Range<usize>,
    block: usize,
    mended: bool,
    tolerant: bool,
) -> Result<Command, String> {
    let Some(members) = operation.as_object() else { return Err("a patch operation is an object".to_owned()) };
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let Some(op) = text("op") else { return Err("a patch operation needs `op`".to_owned()) };
    let name = match tolerant {
        true if op.eq_ignore_ascii_case("addToSet") => "addToSet".to_owned(),
        true => op.to_ascii_lowercase(),
        false => op.to_owned(),
    };
    let argument = |name: &str| members.get(name).map_or(Arg::Absent, |value| Arg::Value(value.clone()));
    let args = match name.as_str() {
        "move" | "copy" => {
            // SAM writes the source as `path` and the target as `to`; the RFC `from` and `path`.
            let (from, to) = if members.contains_key("from") {
                (argument("from"), if members.contains_key("path") { argument("path") } else { argument("to") })
            } else {
                (argument("path"), argument("to"))
            };
            vec![from, to]
        }
        "time" => vec![argument("value")],
        "func" => vec![argument("func_name"), argument("params")],
        _ => vec![argument("path"), argument("value")],
    };
    if args.first() == Some(&Arg::Absent) {
        return Err(format!("the operation `{name}` has no `path`"));
    }
    let reason = text("reason").map(str::to_owned);
    let repair = mended.then_some("mended the JSON of the block");
    Ok(Command { dialect: Dialect::JsonPatch, name, args, span, reason, block: Some(block), repair })
}
