//! Changes of a state, a line for each: `~ hp 10 → 8`.

use crate::paint::{Colour, Paint};
use std::fmt::Write as _;
use tavernkeep_api::Json;
use tavernkeep_api::apply::ChangeVerb;
use tavernkeep_api::history::Difference;
use tavernkeep_engine::path::{Path, is_index, parse_pointer};

/// Characters of a value that are shown.
const VALUE_CHARS_MAX: usize = 100;

/// Writes the operations of a change, each behind an indent.
pub fn show(out: &mut String, change: &[Difference], indent: &str, paint: Paint) {
    for Difference { op, path, value, old } in change {
        let (sign, colour) = match op {
            ChangeVerb::Add => ("+", Colour::Green),
            ChangeVerb::Remove => ("-", Colour::Red),
            ChangeVerb::Replace => ("~", Colour::Yellow),
        };
        let (value, old) = (brief(value.as_ref(), paint), brief(old.as_ref(), paint));
        // Writing to a string cannot fail.
        let _ = write!(out, "{indent}{} {}", paint.text(colour, sign), paint.text(Colour::Cyan, &dotted(path)));
        let _ = match op {
            ChangeVerb::Replace => writeln!(out, " {old} → {value}"),
            ChangeVerb::Add => writeln!(out, " {value}"),
            ChangeVerb::Remove => writeln!(out, " {}", paint.text(Colour::Dim, &old)),
        };
    }
}

/// A JSON Pointer as people write paths.
fn dotted(pointer: &str) -> String {
    let Ok(segments) = parse_pointer(pointer) else { return pointer.to_owned() };
    let path = segments.into_iter().fold(Path::root(), |path, segment| match is_index(&segment) {
        Some(index) => path.index(index),
        None => path.key(segment),
    });
    if path.is_root() { "(all)".to_owned() } else { path.to_string() }
}

fn brief(value: Option<&Json>, paint: Paint) -> String {
    let mut characters = value.map_or("", Json::text).chars();
    let start: String = characters.by_ref().take(VALUE_CHARS_MAX).collect();
    let cut = if characters.next().is_some() { "…" } else { "" };
    paint.plain(&format!("{start}{cut}"))
}
