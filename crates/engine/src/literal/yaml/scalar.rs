//! Scalars of YAML: which text is a key, and what a plain word means.

use super::NotYaml;
use crate::document::{Number, Value};

/// Splits `key: rest` when the line is a member of a block mapping. Linear in the line.
pub(super) fn split_key(line: &str) -> Option<(&str, &str)> {
    let bytes = line.as_bytes();
    let colon = match bytes.first()? {
        quote @ (b'"' | b'\'') => {
            let end = quoted_end(bytes, *quote)?;
            let colon = end + bytes[end..].iter().take_while(|byte| **byte == b' ').count();
            (bytes.get(colon) == Some(&b':') && is_gap(bytes, colon + 1)).then_some(colon)?
        }
        b'{' | b'[' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => return None,
        _ => (0..bytes.len()).find(|&at| {
            (bytes[at] == b':' && is_gap(bytes, at + 1)) || (bytes[at] == b'#' && at > 0 && bytes[at - 1] == b' ')
        })?,
    };
    (bytes[colon] == b':').then(|| (line[..colon].trim_end(), line[colon + 1..].trim_start()))
}

fn is_gap(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b' ' | b'\t'))
}

/// Behind the closing quote.
fn quoted_end(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The text of a key, without its quotes.
pub(super) fn key_text(key: &str) -> Result<String, NotYaml> {
    match key.as_bytes().first() {
        Some(b'"' | b'\'') => match super::flow::read(key, 0)? {
            Value::String(text) => Ok(text.to_string()),
            _ => Err(NotYaml),
        },
        Some(b'?' | b'&' | b'*' | b'!') if key.len() > 1 => Err(NotYaml),
        _ => Ok(match resolve(key) {
            Value::String(text) => text.to_string(),
            Value::Null if key == "~" => String::new(),
            other => other.to_json(),
        }),
    }
}

/// Cuts off ` # …`.
pub(super) fn strip_comment(text: &str) -> &str {
    let bytes = text.as_bytes();
    let comment = (1..bytes.len()).find(|&at| bytes[at] == b'#' && matches!(bytes[at - 1], b' ' | b'\t'));
    comment.map_or(text, |at| text[..at].trim_end())
}

/// What a plain word means in the core schema.
pub(super) fn resolve(word: &str) -> Value {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(word).map_or_else(|| Value::from(word), Value::Number)
}

fn number(word: &str) -> Option<Number> {
    let radix = |digits: &str, radix: u32| {
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
    };
    if let Some(digits) = word.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = word.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let bytes = unsigned.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut at = whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if whole + fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at < bytes.len() {
        return None;
    }
    let number = Number::parse(unsigned)?;
    Some(if word.starts_with('-') { number.negate() } else { number })
}

/// Folds the lines of a `>` scalar: a break is a blank, an empty line is a break.
pub(super) fn fold(lines: &[String]) -> String {
    let mut out = String::new();
    for (position, line) in lines.iter().enumerate() {
        if position > 0 {
            let keeps = line.starts_with(' ') || lines[position - 1].starts_with(' ');
            if line.is_empty() || keeps {
                out.push('\n');
            } else if !lines[position - 1].is_empty() {
                out.push(' ');
            }
        }
        out.push_str(line);
    }
    out
}
