//! TavernHelper's macros: `{{get_message_variable::stat_data.世界.时间}}` and `{{format_message_variable::…}}`.
//!
//! Keys that start with `$` are left out at any depth, text stands as it is, and a path that leads nowhere is `null`. YAML goes
//! on at the column where the macro stands.

use super::evaluate::{Args, Evaluation};
use super::table;
use super::variables::Table;
use super::warning::Failure;
use crate::document::Value;
use crate::document::path::{locate, lodash_segments};
use crate::limits::MACRO_BYTES_MAX;
use crate::view::{Format, Pairs, Style};

/// What a path that leads nowhere gives.
pub(super) const MISSING: &str = "null";

/// Bytes of a line that are looked at for the column of a macro.
const COLUMN_BYTES_MAX: usize = 4096;

/// Whether a name differs from one of these macros in capital letters only, such as `GET_MESSAGE_VARIABLE`. TavernHelper knows
/// it and finds no table for it.
pub(super) fn is_spelled_otherwise(name: &str) -> bool {
    let has_capitals = name.len() <= 32 && name.bytes().any(|byte| byte.is_ascii_uppercase());
    has_capitals && table::find(&name.to_ascii_lowercase()).is_some_and(|row| row.verbatim)
}

pub(super) fn get(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    table: Table,
    out: &mut String,
) -> Result<(), Failure> {
    write(evaluation, args, table, Format::Json, out)
}

pub(super) fn format(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    table: Table,
    out: &mut String,
) -> Result<(), Failure> {
    write(evaluation, args, table, Format::Yaml, out)
}

fn write(
    evaluation: &mut Evaluation<'_>,
    args: &Args<'_>,
    table: Table,
    format: Format,
    out: &mut String,
) -> Result<(), Failure> {
    let segments = lodash_segments(args.text(0));
    let found = segments.split_first().and_then(|(first, rest)| {
        let located = locate(evaluation.overlay.table(table, first)?, rest);
        located.exists().then(|| located.value.clone())
    });
    evaluation.used(args, None, args.text(0), found.is_some());
    let mut text = String::new();
    match found {
        Some(Value::String(found)) => {
            evaluation.room(found.len())?;
            text.push_str(&found);
        }
        Some(found) => {
            evaluation.room(found.weight())?;
            // What is hidden is walked through and gives no text.
            evaluation.work(found.weight())?;
            let hidden = ["$".to_owned()];
            let style = Style { format, hidden: &hidden, pairs: Pairs::Lists, bytes_max: MACRO_BYTES_MAX };
            style.write(&mut text, &found);
            // What is too long is not shown, and was work all the same.
            evaluation.room(text.len()).inspect_err(|_| evaluation.wasted(text.len()))?;
        }
        None => text.push_str(MISSING),
    }
    if format == Format::Json || !text.contains('\n') {
        return evaluation.put(out, &text);
    }
    let column = column(out);
    evaluation.room(text.len() + column * text.matches('\n').count())?;
    let mut indented = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            indented.push('\n');
            indented.extend(std::iter::repeat_n(' ', column));
        }
        indented.push_str(line);
    }
    evaluation.put(out, &indented)
}

/// How many characters the last line has.
fn column(out: &str) -> usize {
    let start = out.ceil_char_boundary(out.len().saturating_sub(COLUMN_BYTES_MAX));
    let tail = &out[start..];
    let line = tail.rfind('\n').map_or(tail, |at| &tail[at + 1..]);
    line.chars().map(char::len_utf16).sum()
}
