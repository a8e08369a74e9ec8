//! Changes of a state, a line for each: `~ hp 10 → 8`.

use crate::paint::{Colour, Paint};
use std::fmt::Write as _;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::op::Op;

/// Characters of a value that are shown.
const VALUE_CHARS_MAX: usize = 100;

/// Writes the ops of a change, each behind an indent.
pub fn show(out: &mut String, ops: &[Op], indent: &str, paint: Paint) {
    for op in ops {
        let (sign, colour) = match op {
            Op::Add { .. } => ("+", Colour::Green),
            Op::Remove { .. } => ("-", Colour::Red),
            Op::Replace { .. } => ("~", Colour::Yellow),
        };
        let path = if op.path().is_root() { "(all)".to_owned() } else { op.path().to_string() };
        // Writing to a string cannot fail.
        let _ = write!(out, "{indent}{} {}", paint.text(colour, sign), paint.text(Colour::Cyan, &path));
        let _ = match op {
            Op::Replace { value, old, .. } => writeln!(out, " {} → {}", brief(old, paint), brief(value, paint)),
            Op::Add { value, .. } => writeln!(out, " {}", brief(value, paint)),
            Op::Remove { old, .. } => writeln!(out, " {}", paint.text(Colour::Dim, &brief(old, paint))),
        };
    }
}

fn brief(value: &Value, paint: Paint) -> String {
    let text = value.to_json();
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(VALUE_CHARS_MAX).collect();
    let cut = if characters.next().is_some() { "…" } else { "" };
    paint.plain(&format!("{start}{cut}"))
}
