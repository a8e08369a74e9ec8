//! Text as a YAML scalar: plain where it stays the same text, a literal block for several lines, else in quotes.

use crate::json::write_string;

/// Writes a text behind a key or a dash whose own lines are indented by `indent` blanks. Stops where `out` has more bytes than it may
/// have.
pub(super) fn write_text(out: &mut String, text: &str, indent: usize, bytes_max: usize) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_block(text) {
        write_block(out, text, indent, bytes_max);
    } else {
        write_quoted(out, text);
    }
}

/// Writes a key: on one line in any case.
pub(super) fn write_key(out: &mut String, key: &str) {
    if is_plain(key) { out.push_str(key) } else { write_quoted(out, key) }
}

/// Single quotes where double quotes would need escapes and nothing else does.
fn write_quoted(out: &mut String, text: &str) {
    let controls = text.chars().any(|character| character.is_control() || is_unprintable(character));
    if text.contains(['"', '\\']) && !text.contains('\'') && !controls {
        out.push('\'');
        out.push_str(text);
        out.push('\'');
    } else if controls {
        let mut escaped = String::with_capacity(text.len() + 8);
        write_string(&mut escaped, text);
        for character in escaped.chars() {
            match character {
                // JSON leaves these as they are; YAML takes some of them for line breaks.
                '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                    out.push_str(&format!("\\u{:04x}", u32::from(character)));
                }
                other => out.push(other),
            }
        }
    } else {
        write_string(out, text);
    }
}

fn is_unprintable(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether the text can stand without quotes and is read as the same text.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    if first.is_whitespace() || text.ends_with(char::is_whitespace) || "-?:,[]{}#&*!|>'\"%@`=<~.+".contains(first) {
        return false;
    }
    let breaks = |character: char| character.is_control() || is_unprintable(character);
    if text.contains(breaks) || text.contains(": ") || text.contains(" #") || text.ends_with(':') {
        return false;
    }
    // `12 岁` is text, `12` and `1.2.3` look like numbers, versions or dates.
    let numeric = first.is_ascii_digit() && text.is_ascii();
    !numeric && !is_word(text)
}

/// Words that YAML 1.2 reads as something else than text.
fn is_word(text: &str) -> bool {
    ["null", "true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether the text has several lines that a literal block keeps as they are. Where a view ends, empty lines at the end of a block
/// would be lost, so such a text stands in quotes.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !text.starts_with(['\n', ' ', '\t'])
        && !text.contains(|character: char| (character.is_control() && character != '\n') || is_unprintable(character))
        && body.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}

fn write_block(out: &mut String, text: &str, indent: usize, bytes_max: usize) {
    let body = text.strip_suffix('\n').unwrap_or(text);
    out.push_str(if body.len() == text.len() { "|-" } else { "|" });
    for line in body.split('\n') {
        if out.len() > bytes_max {
            return;
        }
        out.push('\n');
        if !line.is_empty() {
            pad(out, indent);
            out.push_str(line);
        }
    }
}

/// Blanks at the start of a line.
pub(super) fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
