//! JSON in one spelling (RFC 8785), so that an approval is bound to what is meant and not to how it is written.
//!
//! Integers beyond 2^53 keep all their digits, where the RFC would round them: two calls that differ must never look the same.

use serde_json::{Number, Value};
use std::fmt::Write as _;

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|one, other| one.0.encode_utf16().cmp(other.0.encode_utf16()));
            out.push('{');
            for (number, (key, value)) in members.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(double) if number.is_f64() => write_double(out, double),
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

/// A double as ECMAScript writes it.
#[allow(clippy::cast_sign_loss)]
fn write_double(out: &mut String, double: f64) {
    if double == 0.0 {
        out.push('0');
        return;
    }
    // The shortest digits that read back as the same double, and the power of ten of the first one.
    let text = format!("{:e}", double.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = mantissa.chars().filter(|character| *character != '.').collect();
    let (count, point) = (digits.len(), exponent.parse::<i32>().unwrap_or(0) + 1);
    if double < 0.0 {
        out.push('-');
    }
    let length = i32::try_from(count).unwrap_or(i32::MAX);
    if (length..=21).contains(&point) {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', (point - length) as usize));
    } else if (1..=21).contains(&point) {
        let (whole, rest) = digits.split_at(point as usize);
        let _ = write!(out, "{whole}.{rest}");
    } else if (-5..=0).contains(&point) {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if point > 0 { "+" } else { "-" };
        let _ = write!(out, "{first}{dot}{rest}e{sign}{}", (point - 1).abs());
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    /// Vectors of RFC 8785, appendix B, and of its example.
    #[test]
    fn numbers_keys_and_strings_have_one_spelling() {
        for (written, wanted) in [
            ("333333333.33333329", "333333333.3333333"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("0.000000000000000000000000001", "1e-27"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("999999999999999900000.0", "999999999999999900000"),
            ("9007199254740993", "9007199254740993"),
            ("0.000001", "0.000001"),
            ("1.5e-7", "1.5e-7"),
            (r#"{"b":1,"a":[true,null,"\u20ac\u000f\n"]}"#, "{\"a\":[true,null,\"€\\u000f\\n\"],\"b\":1}"),
            (r#"{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3}"#, "{\"€\":3,\"😀\":2,\"\u{fb33}\":1}"),
        ] {
            assert_eq!(canonical(&serde_json::from_str(written).unwrap()), wanted, "{written}");
        }
    }
}
