//! The small arithmetic that a value may be written in, and nothing beyond it.
//!
//! ```text
//! sum      = product { ("+" | "-") product }
//! product  = sign { ("*" | "/" | "%") sign }
//! sign     = { "+" | "-" } power
//! power    = atom [ "^" sign ]
//! atom     = number | "(" sum ")" | function "(" sum { "," sum } ")"
//! function = [ "Math." | "math." ] ( min | max | abs | round | floor | ceil )
//! ```
//!
//! A date such as `2024-10-26` is text, not a subtraction.

use crate::document::{Number, round_significant};
use crate::limits::EXPRESSION_BYTES_MAX;

/// Nesting of one expression: far deeper than a model writes, shallow enough for recursion.
const DEPTH_MAX: usize = 32;

/// The value of an expression, to 12 significant digits. `None` for anything else, and for results that are not finite.
///
/// ```
/// use tavernkeep_engine::literal::evaluate;
///
/// assert_eq!(evaluate("(100 - 30) / (2 + 5)").map(|number| number.as_f64()), Some(10.0));
/// assert_eq!(evaluate("2024-10-26"), None);
/// assert_eq!(evaluate("1/0"), None);
/// ```
pub fn evaluate(text: &str) -> Option<Number> {
    let text = text.trim();
    let first = *text.as_bytes().first()?;
    let starts_well = first.is_ascii_digit() || b"+-.(".contains(&first) || first.is_ascii_alphabetic();
    if !starts_well || text.len() > EXPRESSION_BYTES_MAX || is_date(text) {
        return None;
    }
    let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
    let value = parser.sum(0)?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return None;
    }
    Number::from_f64(round_significant(value, 12))
}

/// Whether the text is a date written with digits: `2024-10-26`, `2024/10/26`.
fn is_date(text: &str) -> bool {
    ['-', '/'].iter().any(|&separator| {
        let mut parts = text.split(separator);
        let digits = |part: Option<&str>, lengths: std::ops::RangeInclusive<usize>| {
            part.is_some_and(|part| lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        digits(parts.next(), 4..=4)
            && digits(parts.next(), 1..=2)
            && digits(parts.next(), 1..=2)
            && parts.next().is_none()
    })
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn sum(&mut self, depth: usize) -> Option<f64> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut value = self.product(depth)?;
        loop {
            match self.operator(b"+-") {
                Some(b'+') => value += self.product(depth)?,
                Some(_) => value -= self.product(depth)?,
                None => return Some(value),
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<f64> {
        let mut value = self.sign(depth)?;
        loop {
            match self.operator(b"*/%") {
                Some(b'*') => value *= self.sign(depth)?,
                Some(b'/') => value /= self.sign(depth)?,
                Some(_) => {
                    let divisor = self.sign(depth)?;
                    // The remainder has the sign of the divisor, as clocks and calendars need it.
                    value -= divisor * (value / divisor).floor();
                }
                None => return Some(value),
            }
        }
    }

    fn sign(&mut self, depth: usize) -> Option<f64> {
        let mut negative = false;
        while let Some(sign) = self.operator(b"+-") {
            negative ^= sign == b'-';
        }
        let value = self.power(depth)?;
        Some(if negative { -value } else { value })
    }

    fn power(&mut self, depth: usize) -> Option<f64> {
        if depth > DEPTH_MAX {
            return None;
        }
        let base = self.atom(depth)?;
        match self.operator(b"^") {
            Some(_) => Some(base.powf(self.sign(depth + 1)?)),
            None => Some(base),
        }
    }

    fn atom(&mut self, depth: usize) -> Option<f64> {
        self.skip_blanks();
        match self.bytes.get(self.at)? {
            b'(' => {
                self.at += 1;
                let value = self.sum(depth + 1)?;
                self.operator(b")")?;
                Some(value)
            }
            b'0'..=b'9' | b'.' => self.number(),
            byte if byte.is_ascii_alphabetic() => self.function(depth),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<f64> {
        let start = self.at;
        let digits = |parser: &mut Self| {
            while parser.bytes.get(parser.at).is_some_and(u8::is_ascii_digit) {
                parser.at += 1;
            }
        };
        digits(self);
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            digits(self);
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            let mark = self.at;
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                digits(self);
            } else {
                self.at = mark;
            }
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    fn function(&mut self, depth: usize) -> Option<f64> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"Math.") || rest.starts_with(b"math.") {
            self.at += 5;
        }
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        let name = &self.bytes[start..self.at];
        self.operator(b"(")?;
        let mut arguments = vec![self.sum(depth + 1)?];
        while self.operator(b",").is_some() {
            arguments.push(self.sum(depth + 1)?);
        }
        self.operator(b")")?;
        call(name, &arguments)
    }

    fn operator(&mut self, operators: &[u8]) -> Option<u8> {
        self.skip_blanks();
        let byte = *self.bytes.get(self.at).filter(|byte| operators.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            self.at += 1;
        }
    }
}

fn call(name: &[u8], arguments: &[f64]) -> Option<f64> {
    match (name, arguments) {
        (b"min", _) => arguments.iter().copied().reduce(f64::min),
        (b"max", _) => arguments.iter().copied().reduce(f64::max),
        (b"abs", [value]) => Some(value.abs()),
        (b"floor", [value]) => Some(value.floor()),
        (b"ceil", [value]) => Some(value.ceil()),
        (b"round", [value]) => Some(value.round()),
        (b"round", [value, places]) if (0.0..=15.0).contains(places) => {
            let scale = 10_f64.powf(places.trunc());
            Some((value * scale).round() / scale)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_small_and_ends() {
        let value = |text: &str| evaluate(text).map(|number| number.to_string());
        assert_eq!(value("10 + 2 * 5 - 3 / 3").as_deref(), Some("19"));
        assert_eq!(value("1/3").as_deref(), Some("0.333333333333"));
        assert_eq!(value("2^3^2").as_deref(), Some("512"));
        assert_eq!(value("-7 % 3").as_deref(), Some("2"));
        assert_eq!(value("Math.max(1, 2) + round(2.567, 2)").as_deref(), Some("4.57"));
        for text in ["", "e", "2**10", "10:15", "sqrt(4)", "1 2", "(1", "5!", &"(".repeat(10_000), &"-".repeat(300)] {
            assert_eq!(evaluate(text), None, "{text}");
        }
    }
}
