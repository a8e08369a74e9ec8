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

use crate::document::{Number, is_double, round_decimal, round_significant};
use crate::limits::EXPRESSION_BYTES_MAX;

/// Nesting of one expression: far deeper than a model writes, shallow enough for recursion.
const DEPTH_MAX: usize = 32;

/// The value of an expression: exact for integers, otherwise to 12 significant digits or more where integers have more.
/// `None` for anything else, and for results that are not finite or would lose digits of an integer.
///
/// ```
/// use tavernkeep_engine::literal::evaluate;
///
/// assert_eq!(evaluate("(100 - 30) / (2 + 5)").map(|number| number.as_f64()), Some(10.0));
/// assert_eq!(evaluate("1234567890123 + 1").map(|number| number.to_string()).as_deref(), Some("1234567890124"));
/// assert_eq!(evaluate("2024-10-26"), None);
/// assert_eq!(evaluate("1/0"), None);
/// ```
pub fn evaluate(text: &str) -> Option<Number> {
    let amount = amount(text)?;
    match amount.exact {
        Some(integer) => Number::from_i128(integer),
        None if amount.lossy => None,
        None => Number::from_f64(round_decimal(amount.double, 12)),
    }
}

/// The value of an expression as mathjs and MVU have it: a double, to 12 significant digits.
pub(super) fn evaluate_as_mvu(text: &str) -> Option<Number> {
    Number::from_f64(round_significant(amount(text)?.double, 12))
}

fn amount(text: &str) -> Option<Amount> {
    let text = text.trim();
    let first = *text.as_bytes().first()?;
    let starts_well = first.is_ascii_digit() || b"+-.(".contains(&first) || first.is_ascii_alphabetic();
    if !starts_well || text.len() > EXPRESSION_BYTES_MAX || is_date(text) {
        return None;
    }
    let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
    let amount = parser.sum(0)?;
    parser.skip_blanks();
    (parser.at == text.len()).then_some(amount)
}

/// A number on the way: its double, and its integer as long as it is one.
#[derive(Debug, Clone, Copy)]
struct Amount {
    double: f64,
    exact: Option<i128>,
    /// Whether digits of an integer were lost.
    lossy: bool,
}

impl Amount {
    fn integer(integer: i128) -> Amount {
        // The nearest double is what MVU calculates with.
        #[allow(clippy::cast_precision_loss)]
        Amount { double: integer as f64, exact: Some(integer), lossy: false }
    }

    /// The outcome of an operation on these amounts.
    fn of(double: f64, exact: Option<i128>, from: &[Amount]) -> Amount {
        let loses = |amount: &Amount| amount.lossy || amount.exact.is_some_and(|integer| !is_double(integer));
        Amount { double, exact, lossy: exact.is_none() && from.iter().any(loses) }
    }

    fn with(
        self,
        other: Amount,
        double: impl FnOnce(f64, f64) -> f64,
        exact: impl FnOnce(i128, i128) -> Option<i128>,
    ) -> Amount {
        let integers = self.exact.zip(other.exact).and_then(|(left, right)| exact(left, right));
        Amount::of(double(self.double, other.double), integers, &[self, other])
    }
}

/// Whether the text is a date written with digits: `2024-10-26`, `26/10/2024`, `2024-10`.
fn is_date(text: &str) -> bool {
    let numeric = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let of_date = |part: &str| numeric(&part) && part.len() <= 2;
    let month = |part: &str| of_date(part) && part.parse().is_ok_and(|month: u8| (1..=12).contains(&month));
    ['-', '/'].iter().any(|&separator| {
        let parts: Vec<&str> = text.split(separator).take(4).collect();
        match parts[..] {
            [year, middle, last] if year.len() == 4 => numeric(&year) && of_date(middle) && of_date(last),
            [first, middle, year] if year.len() == 4 => of_date(first) && of_date(middle) && numeric(&year),
            // Two digits for the month distinguish `2024-10` from a sum such as `2024-5`.
            [year, last] if year.len() == 4 && last.len() == 2 => {
                separator == '-' && numeric(&year) && (year.starts_with("19") || year.starts_with("20")) && month(last)
            }
            _ => false,
        }
    })
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn sum(&mut self, depth: usize) -> Option<Amount> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut value = self.product(depth)?;
        loop {
            value = match self.operator(b"+-") {
                Some(b'+') => value.with(self.product(depth)?, |left, right| left + right, i128::checked_add),
                Some(_) => value.with(self.product(depth)?, |left, right| left - right, i128::checked_sub),
                None => return Some(value),
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<Amount> {
        let mut value = self.sign(depth)?;
        loop {
            value = match self.operator(b"*/%") {
                Some(b'*') => value.with(self.sign(depth)?, |left, right| left * right, i128::checked_mul),
                Some(b'/') => {
                    let divides = |left: i128, right: i128| left.checked_rem(right) == Some(0);
                    let exact = |left: i128, right: i128| divides(left, right).then(|| left / right);
                    value.with(self.sign(depth)?, |left, right| left / right, exact)
                }
                Some(_) => {
                    // The remainder has the sign of the divisor, as clocks and calendars need it.
                    let double = |left: f64, right: f64| left - right * (left / right).floor();
                    let exact = |left: i128, right: i128| {
                        let rest = left.checked_rem(right)?;
                        Some(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
                    };
                    value.with(self.sign(depth)?, double, exact)
                }
                None => return Some(value),
            }
        }
    }

    fn sign(&mut self, depth: usize) -> Option<Amount> {
        let mut negative = false;
        while let Some(sign) = self.operator(b"+-") {
            negative ^= sign == b'-';
        }
        let value = self.power(depth)?;
        let negated = || Amount::of(-value.double, value.exact.and_then(i128::checked_neg), &[value]);
        Some(if negative { negated() } else { value })
    }

    fn power(&mut self, depth: usize) -> Option<Amount> {
        if depth > DEPTH_MAX {
            return None;
        }
        let base = self.atom(depth)?;
        match self.operator(b"^") {
            Some(_) => {
                let exact = |base: i128, power: i128| base.checked_pow(u32::try_from(power).ok()?);
                Some(base.with(self.sign(depth + 1)?, f64::powf, exact))
            }
            None => Some(base),
        }
    }

    fn atom(&mut self, depth: usize) -> Option<Amount> {
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

    fn number(&mut self) -> Option<Amount> {
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
        let text = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        if let Ok(integer) = text.parse() {
            return Some(Amount::integer(integer));
        }
        let double: f64 = text.parse().ok()?;
        // `5.0` and `1e3` are integers too; beyond 2^53 a double no longer says which one.
        let integral = Number::from_f64(double).and_then(Number::as_i64).map(i128::from);
        Some(Amount { double, exact: integral, lossy: false })
    }

    fn function(&mut self, depth: usize) -> Option<Amount> {
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

fn call(name: &[u8], arguments: &[Amount]) -> Option<Amount> {
    let doubles: Vec<f64> = arguments.iter().map(|amount| amount.double).collect();
    let integers: Option<Vec<i128>> = arguments.iter().map(|amount| amount.exact).collect();
    let double = double_call(name, &doubles)?;
    let exact = match (name, integers.as_deref()) {
        (b"min", Some(integers)) => integers.iter().min().copied(),
        (b"max", Some(integers)) => integers.iter().max().copied(),
        (b"abs", Some([integer])) => integer.checked_abs(),
        (_, Some([integer, ..])) => Some(*integer),
        _ => Number::from_f64(double).and_then(Number::as_i64).map(i128::from),
    };
    Some(Amount::of(double, exact, arguments))
}

fn double_call(name: &[u8], arguments: &[f64]) -> Option<f64> {
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
        assert_eq!(value("20241026123456+1").as_deref(), Some("20241026123457"));
        assert_eq!(value("1234567890123456+0.5").as_deref(), Some("1234567890123456.5"));
        assert_eq!(value("2^62 * 2 - 1").as_deref(), Some("9223372036854775807"));
        assert_eq!(value("9007199254740993+0.5"), None);
        assert_eq!(value("2^64"), None);
        assert_eq!(
            evaluate_as_mvu("1234567890123+4").map(|number| number.to_string()).as_deref(),
            Some("1234567890130")
        );
        for text in ["", "e", "2**10", "10:15", "sqrt(4)", "1 2", "(1", "5!", &"(".repeat(10_000), &"-".repeat(300)] {
            assert_eq!(evaluate(text), None, "{text}");
        }
    }
}
