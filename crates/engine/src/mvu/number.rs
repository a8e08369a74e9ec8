//! JavaScript's `Number()`, for the coercions that cards rely on.

use crate::document::{Number, Value};

/// The number that `Number(value)` is; `None` where JavaScript has NaN or an infinity.
pub(crate) fn to_number(value: &Value) -> Option<Number> {
    match value {
        Value::Null => Some(Number::from(0_i64)),
        Value::Bool(truth) => Some(Number::from(i64::from(*truth))),
        Value::Number(number) => Some(*number),
        Value::String(text) => text_to_number(text),
        // A list becomes text first, its items joined by commas.
        Value::Array(items) => match items.as_slice() {
            [] => Some(Number::from(0_i64)),
            [Value::Null] => Some(Number::from(0_i64)),
            [Value::Bool(_) | Value::Object(_)] => None,
            [single] => to_number(single),
            _ => None,
        },
        Value::Object(_) => None,
    }
}

fn text_to_number(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Number::from(0_i64));
    }
    let radix = |prefix: [&str; 2], radix| {
        let digits = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
    };
    let decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if decimal && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Number::parse(text);
    }
    radix(["0b", "0B"], 2).or_else(|| radix(["0o", "0O"], 8)).or_else(|| radix(["0x", "0X"], 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_as_in_javascript() {
        let number = |text: &str| to_number(&Value::from(text)).map(|number| number.to_string());
        for (text, expected) in [
            ("", "0"),
            (" 12 ", "12"),
            ("007", "7"),
            ("00", "0"),
            ("0x10", "16"),
            ("-5.50", "-5.5"),
            (".5", "0.5"),
            ("1e3", "1000"),
        ] {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["很多", "1 2", "-0x10", "1_000", "NaN", "Infinity", "+-1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
