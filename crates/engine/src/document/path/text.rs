//! Dotted paths with brackets and quotes, as lodash 4 reads them, and MVU's corrections before that.
//!
//! ```text
//! path    = part { part }
//! part    = name | "." name | "[" number "]" | "[" quoted "]"
//! name    = characters other than . [ ]
//! ```
//!
//! What fits nowhere is skipped, as lodash does: `a[b.c]` is `a`, `b`, `c`. Two dots in a row have an empty name between
//! them.

use std::sync::Arc;

/// The index that a segment is on a list: digits without a leading zero.
pub fn is_index(segment: &str) -> Option<usize> {
    let bytes = segment.as_bytes();
    match bytes {
        [b'0'] => Some(0),
        [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => segment.parse().ok(),
        _ => None,
    }
}

/// Splits a path as lodash does.
///
/// ```
/// use tavernkeep_engine::path::lodash_segments;
///
/// let segments = lodash_segments("角色.背包[0][\"a.b\"]");
/// assert_eq!(segments.iter().map(|segment| segment.as_ref()).collect::<Vec<_>>(), ["角色", "背包", "0", "a.b"]);
/// ```
pub fn lodash_segments(path: &str) -> Vec<Arc<str>> {
    let bytes = path.as_bytes();
    if !is_deep(bytes) {
        return vec![path.into()];
    }
    let mut segments = Vec::new();
    let mut at = 0;
    if bytes.first() == Some(&b'.') {
        segments.push("".into());
    }
    while at < bytes.len() {
        match bytes[at] {
            b'[' => {
                if let Some(end) = number_end(bytes, at + 1) {
                    segments.push(path[at + 1..end].into());
                    at = end + 1;
                } else if let Some(end) = quoted_end(bytes, at + 1) {
                    segments.push(unescape(&path[at + 2..end]));
                    at = end + 2;
                } else {
                    if bytes.get(at + 1) == Some(&b']') && is_break(bytes, at + 2) {
                        segments.push("".into());
                    }
                    at += 1;
                }
            }
            b'.' => {
                if is_break(bytes, at + 1) {
                    segments.push("".into());
                }
                at += 1;
            }
            b']' => at += 1,
            _ => {
                let end = bytes[at..].iter().position(|byte| b".[]".contains(byte)).map_or(bytes.len(), |run| at + run);
                segments.push(path[at..end].into());
                at = end;
            }
        }
    }
    segments
}

/// Whether lodash would split the text at all: it has a dot, or a bracket that closes.
fn is_deep(bytes: &[u8]) -> bool {
    bytes.contains(&b'.')
        || bytes.iter().position(|&byte| byte == b'[').is_some_and(|open| bytes[open..].contains(&b']'))
}

/// Whether a name ends here: a dot, an empty pair of brackets, or the end.
fn is_break(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b'.')) || bytes[at..].starts_with(b"[]")
}

/// Where the `]` behind a number stands.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = digits(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
    }
    (whole > 0 && bytes.get(at) == Some(&b']')).then_some(at)
}

/// Where the closing quote of `["…"]` stands.
fn quoted_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = *bytes.get(start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return (bytes.get(at + 1) == Some(&b']')).then_some(at),
            _ => at += 1,
        }
    }
}

fn unescape(text: &str) -> Arc<str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next()),
            other => out.push(other),
        }
    }
    out.into()
}

/// MVU's corrections of a path before lodash reads it.
///
/// Quotes around a bracket's content go away unless it has blanks or is a number; a quoted name between dots loses its
/// quotes, or becomes a bracket when it has blanks, dots or brackets.
pub fn fix_mvu(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    let mut name_starts = true;
    while let Some(character) = rest.chars().next() {
        match character {
            '[' => {
                let Some(close) = rest.find(']') else {
                    out.push_str(rest);
                    break;
                };
                fix_bracket(&mut out, rest[1..close].trim());
                rest = &rest[close + 1..];
                name_starts = false;
                continue;
            }
            '"' | '\'' if name_starts => {
                let end = rest[1..].find(character).map(|end| end + 1);
                let ends_name = |end: usize| matches!(rest.as_bytes().get(end + 1), None | Some(b'.' | b'['));
                let plain = |end: &usize| !rest[1..*end].contains(['"', '\'']);
                if let Some(end) = end.filter(plain).filter(|&end| ends_name(end)) {
                    let name = &rest[1..end];
                    if name.contains(|c: char| c.is_whitespace() || ".[]".contains(c)) {
                        if out.ends_with('.') {
                            out.pop();
                        }
                        bracket_quoted(&mut out, name);
                    } else {
                        out.push_str(name);
                    }
                    rest = &rest[end + 1..];
                    name_starts = false;
                    continue;
                }
                out.push(character);
            }
            _ => out.push(character),
        }
        name_starts = character == '.';
        rest = &rest[character.len_utf8()..];
    }
    out
}

fn fix_bracket(out: &mut String, content: &str) {
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| content.strip_prefix(quote).and_then(|content| content.strip_suffix(quote)));
    let name = quoted.unwrap_or(content);
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if name.contains(char::is_whitespace) || (quoted.is_some() && digits) {
        bracket_quoted(out, name);
    } else {
        out.push('[');
        out.push_str(name);
        out.push(']');
    }
}

fn bracket_quoted(out: &mut String, name: &str) {
    out.push_str("[\"");
    out.push_str(&name.replace('"', "\\\""));
    out.push_str("\"]");
}
