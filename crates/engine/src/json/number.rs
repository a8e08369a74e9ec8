//! Adding JSON numbers: exact for integers within 64 bits, doubles otherwise.

use crate::json::{JsonKind, JsonText};

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

/// Up to here a double is as exact as an integer.
const EXACT_MAX: u128 = 1 << 53;

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
    if left.view().kind() != JsonKind::Number || right.view().kind() != JsonKind::Number {
        return Err(NumberError::NotANumber);
    }
    // 64-bit integers, signed or not, add up without loss in 128 bits.
    let integers = (left.as_str().parse::<i128>(), right.as_str().parse::<i128>());
    let sum = match integers {
        (Ok(left), Ok(right)) => (left + right).to_string(),
        (Ok(integer), Err(_)) | (Err(_), Ok(integer)) if integer.unsigned_abs() > EXACT_MAX => {
            return Err(NumberError::OutOfRange);
        }
        _ => {
            let double = |number: &JsonText| number.view().as_f64().unwrap_or(f64::NAN);
            format!("{:?}", double(left) + double(right))
        }
    };
    // The reader of JSON knows which numbers we keep and how they are spelled.
    JsonText::parse(sum.as_bytes()).map_err(|_| NumberError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn sums_are_exact_or_refused() {
        for (left, right, sum) in [
            ("1", "2", Some("3")),
            ("9223372036854775807", "1", Some("9223372036854775808")),
            ("-9223372036854775808", "-1", None),
            ("18446744073709551615", "-1", Some("18446744073709551614")),
            ("1.5", "1", Some("2.5")),
            ("1e308", "1e308", None),
            ("0.1", "0.2", Some("0.30000000000000004")),
            ("9007199254740992", "0.5", Some("9007199254740992")),
            ("9007199254740993", "0.5", None),
            ("1.5", "-9007199254740993", None),
        ] {
            assert_eq!(add(&json(left), &json(right)).ok(), sum.map(json), "{left} + {right}");
        }
        assert_eq!(add(&json("\"1\""), &json("1")), Err(NumberError::NotANumber));
    }
}
