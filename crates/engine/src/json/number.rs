//! Numbers: 64-bit integers or finite doubles, each number in one spelling.

use super::{JsonKind, JsonText};
use std::fmt;

/// The largest magnitude below which every integer is a double and every integral double is kept as an integer.
const SAFE_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A number of a document.
///
/// Invariant: finite; integral doubles within ±2^53 are integers, and an integer is unsigned only when it does not fit
/// with a sign. So equal numbers are equal fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(Repr);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Repr {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

impl Number {
    /// A double; `None` when it is not finite.
    pub fn from_f64(double: f64) -> Option<Number> {
        if !double.is_finite() {
            return None;
        }
        if double.fract() == 0.0 && double.abs() <= SAFE_INTEGER {
            // Truncation cannot happen: the value is integral and within ±2^53.
            #[allow(clippy::cast_possible_truncation)]
            return Some(Number(Repr::Signed(double as i64)));
        }
        Some(Number(Repr::Double(double)))
    }

    /// Reads a number as JSON writes it. Integers beyond 64 bits become doubles.
    pub fn parse(text: &str) -> Option<Number> {
        if let Ok(integer) = text.parse::<i64>() {
            return Some(Number::from(integer));
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Some(Number::from(integer));
        }
        Number::from_f64(text.parse().ok()?)
    }

    /// The nearest double.
    #[allow(clippy::cast_precision_loss)]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Repr::Signed(integer) => integer as f64,
            Repr::Unsigned(integer) => integer as f64,
            Repr::Double(double) => double,
        }
    }

    /// The number as an integer with a sign, when it is one.
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Repr::Signed(integer) => Some(integer),
            _ => None,
        }
    }

    /// The number as an integer without a sign, when it is one.
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Repr::Signed(integer) => u64::try_from(integer).ok(),
            Repr::Unsigned(integer) => Some(integer),
            Repr::Double(_) => None,
        }
    }

    /// Whether the number has no fraction and fits 64 bits.
    pub fn is_integer(self) -> bool {
        !matches!(self.0, Repr::Double(_))
    }

    /// The number as an integer of any sign, when it is one.
    fn as_i128(self) -> Option<i128> {
        match self.0 {
            Repr::Signed(integer) => Some(integer.into()),
            Repr::Unsigned(integer) => Some(integer.into()),
            Repr::Double(_) => None,
        }
    }

    /// An integer; `None` when it does not fit 64 bits.
    pub(crate) fn from_i128(integer: i128) -> Option<Number> {
        let signed = i64::try_from(integer).ok().map(Number::from);
        signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
    }

    /// The sum: exact for integers, otherwise in doubles. `None` when it does not fit or would lose digits of an integer.
    pub fn plus(self, other: Number) -> Option<Number> {
        self.combined(other, i128::checked_add, |left, right| decimal(left + right))
    }

    /// The difference, as exact as the sum.
    pub fn minus(self, other: Number) -> Option<Number> {
        self.combined(other, i128::checked_sub, |left, right| decimal(left - right))
    }

    /// The product, as exact as the sum.
    pub fn times(self, other: Number) -> Option<Number> {
        self.combined(other, i128::checked_mul, |left, right| decimal(left * right))
    }

    fn combined(
        self,
        other: Number,
        exact: fn(i128, i128) -> Option<i128>,
        double: fn(f64, f64) -> f64,
    ) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.as_i128(), other.as_i128()) {
            return exact(left, right).and_then(Number::from_i128);
        }
        let is_double = |number: Number| number.as_i128().is_none_or(is_double);
        if !is_double(self) || !is_double(other) {
            return None;
        }
        Number::from_f64(double(self.as_f64(), other.as_f64()))
    }

    /// The number with its sign changed.
    pub fn negate(self) -> Number {
        let negated = self.as_i128().and_then(|integer| Number::from_i128(-integer));
        // -0.0 cannot arise: a zero is an integer.
        negated.unwrap_or(Number(Repr::Double(-self.as_f64())))
    }
}

/// Why two values have no sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberError {
    /// The value is not a number.
    NotANumber,
    /// The sum does not fit.
    OutOfRange,
}

impl NumberError {
    /// The message for the caller.
    pub fn message(self) -> &'static str {
        match self {
            NumberError::NotANumber => "the variable does not hold a number; put a number there first",
            NumberError::OutOfRange => {
                "the sum is neither a 64-bit integer nor a finite double, or digits would be lost; nothing was changed"
            }
        }
    }
}

/// The sum of two numbers. Two integers give an integer; anything else gives a double.
///
/// ```
/// use tavernkeep_engine::{json::JsonText, number};
/// let json = |text: &str| JsonText::parse(text.as_bytes()).unwrap();
/// assert_eq!(number::add(&json("9007199254740993"), &json("1")).unwrap(), json("9007199254740994"));
/// assert_eq!(number::add(&json("0.5"), &json("0.5")).unwrap(), json("1"));
/// assert!(number::add(&json("18446744073709551615"), &json("1")).is_err());
/// ```
pub fn add(left: &JsonText, right: &JsonText) -> Result<JsonText, NumberError> {
    let number = |json: &JsonText| match json.view().kind() {
        JsonKind::Number => Number::parse(json.as_str()).ok_or(NumberError::NotANumber),
        _ => Err(NumberError::NotANumber),
    };
    let sum = number(left)?.combined(number(right)?, i128::checked_add, |left, right| left + right);
    sum.map(|sum| JsonText::from_stored(&sum.to_string())).ok_or(NumberError::OutOfRange)
}

/// A result as a reader of a story expects it: 0.1 + 0.2 is 0.3.
fn decimal(double: f64) -> f64 {
    round_decimal(double, 15)
}

/// Whether every digit of an integer survives in a double.
pub(crate) fn is_double(integer: i128) -> bool {
    integer.unsigned_abs() <= 1 << 53
}

/// Rounds to so many significant digits, so that 0.1 + 0.2 is 0.3: a reader of a story expects decimal sums. Where the
/// digits would not reach behind the point nothing is rounded: those are not noise.
pub(crate) fn round_decimal(double: f64, digits: usize) -> f64 {
    if double.abs() < 1e9 {
        round_significant(double, digits)
    } else if double.abs() < 1e14 {
        round_significant(double, 15)
    } else {
        double
    }
}

/// Rounds to so many significant decimal digits.
pub(crate) fn round_significant(double: f64, digits: usize) -> f64 {
    if !double.is_finite() || double == 0.0 || (double.fract() == 0.0 && double.abs() < 1e12) {
        return double;
    }
    // Twice the digits show whether the value lies exactly between two candidates; then the larger one is right.
    let exact = format!("{double:.*e}", digits * 2);
    let mut behind = exact.bytes().filter(u8::is_ascii_digit).skip(digits).take(digits);
    let tie = behind.next() == Some(b'5') && behind.all(|digit| digit == b'0');
    let nudged = if tie { double * (1.0 + 2.0 * f64::EPSILON) } else { double };
    format!("{nudged:.*e}", digits - 1).parse().unwrap_or(double)
}

impl From<i64> for Number {
    fn from(integer: i64) -> Number {
        Number(Repr::Signed(integer))
    }
}

impl From<u64> for Number {
    fn from(integer: u64) -> Number {
        i64::try_from(integer).map_or(Number(Repr::Unsigned(integer)), Number::from)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<std::cmp::Ordering> {
        match (self.0, other.0) {
            (Repr::Signed(left), Repr::Signed(right)) => left.partial_cmp(&right),
            (Repr::Unsigned(left), Repr::Unsigned(right)) => left.partial_cmp(&right),
            // An integer is unsigned only when it is larger than any with a sign.
            (Repr::Signed(_), Repr::Unsigned(_)) => Some(std::cmp::Ordering::Less),
            (Repr::Unsigned(_), Repr::Signed(_)) => Some(std::cmp::Ordering::Greater),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Signed(integer) => write!(formatter, "{integer}"),
            Repr::Unsigned(integer) => write!(formatter, "{integer}"),
            // `{:?}` is the shortest form that reads back as the same double, with an exponent where it is shorter.
            Repr::Double(double) => write!(formatter, "{double:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        assert_eq!(Number::from_f64(5.0), Some(Number::from(5_i64)));
        assert_eq!(Number::from_f64(-0.0), Some(Number::from(0_i64)));
        assert_eq!(
            Number::parse("18446744073709551615").map(|n| n.to_string()).as_deref(),
            Some("18446744073709551615")
        );
        assert_eq!(Number::parse("1e400"), None);
        assert_eq!(Number::parse("1e300").map(|n| n.to_string()).as_deref(), Some("1e300"));
    }

    #[test]
    fn sums_are_decimal_and_integers_exact() {
        let number = |text: &str| Number::parse(text).unwrap();
        assert_eq!(number("0.1").plus(number("0.2")), Some(number("0.3")));
        assert_eq!(number("9007199254740993").plus(number("1")), Some(number("9007199254740994")));
        assert_eq!(number("1e308").plus(number("1e308")), None);
        assert_eq!(number("9223372036854775807").plus(number("1")), Some(number("9223372036854775808")));
        assert_eq!(number("18446744073709551615").plus(number("1")), None);
        assert_eq!(number("9223372036854775808").minus(number("1")), Some(number("9223372036854775807")));
        assert_eq!(number("1234567890123456").plus(number("0.5")), Some(number("1234567890123456.5")));
        assert_eq!(number("9007199254740993").plus(number("0.5")), None);
        assert_eq!(number("-9223372036854775808").negate(), number("9223372036854775808"));
    }

    #[test]
    fn rounding_goes_away_from_zero_between_two_candidates() {
        assert_eq!(round_significant(1_234_567_890_125.0, 12), 1_234_567_890_130.0);
        assert_eq!(round_significant(-1_234_567_890_125.0, 12), -1_234_567_890_130.0);
        assert_eq!(round_significant(1_234_567_890_124.9, 12), 1_234_567_890_120.0);
        assert_eq!(round_significant(0.1 + 0.2, 12), 0.3);
        assert_eq!(round_significant(1.0 / 3.0, 12), 0.333_333_333_333);
    }
}
