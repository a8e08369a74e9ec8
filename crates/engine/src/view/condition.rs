//! Conditions on a state: words are paths, and text stands in quotes.
//!
//! ```text
//! 世界.天 >= 3 and (络络.心情 == "开心" or 背包 contains "钥匙")
//! ```

use super::expression::{Comparison, Expression, Failure, InvalidExpression, Token};
use crate::document::Value;
use crate::document::path::WrittenPath;
use crate::limits::VIEW_TEXT_BYTES_MAX;
use crate::literal::read_number;
use std::convert::Infallible;

/// A condition on a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    written: Box<str>,
    expression: Expression<Operand>,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(WrittenPath),
    Literal(Value),
}

impl std::str::FromStr for Condition {
    type Err = InvalidExpression;

    fn from_str(text: &str) -> Result<Condition, InvalidExpression> {
        if text.len() > VIEW_TEXT_BYTES_MAX {
            return Err(InvalidExpression::Limit);
        }
        let expression = Expression::parse(tokens(text)?)?;
        Ok(Condition { written: text.into(), expression })
    }
}

impl Condition {
    /// The condition as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether the condition holds on a state. A path that leads nowhere is `null`, and what cannot be compared is false. `pairs`
    /// says whether the profile has pairs of values and descriptions.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, view::Condition};
    ///
    /// let state = Value::parse(r#"{"world": {"day": 3, "weather": "rain"}}"#).unwrap();
    /// let holds = |text: &str| text.parse::<Condition>().unwrap().holds(&state, false);
    /// assert!(holds("world.day >= 3 and not (world.weather == \"sun\")"));
    /// assert!(!holds("world.night"));
    /// assert!("world.day +".parse::<Condition>().is_err());
    /// ```
    pub fn holds(&self, state: &Value, pairs: bool) -> bool {
        let mut read = |operand: &Operand| -> Result<Value, Infallible> {
            Ok(match operand {
                Operand::Literal(value) => value.clone(),
                Operand::Path(path) => path.find(state).map(|value| meant(value, pairs).clone()).unwrap_or_default(),
            })
        };
        match self.expression.holds_by(&mut read, compared) {
            Ok(holds) => holds,
            Err(Failure::NotANumber(_)) => false,
            Err(Failure::Operand(never)) => match never {},
        }
    }
}

/// Compares with the value of a pair, whether or not the profile has pairs: a single value never equals a list. Two lists are
/// compared whole, and `contains` looks at the items.
fn compared(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, String> {
    let is_list = |value: &Value| value.as_array().is_some();
    match comparison == Comparison::Contains || (is_list(left) && is_list(right)) {
        true => comparison.compare(left, right),
        false => comparison.compare(meant(left, true), meant(right, true)),
    }
}

/// Of a pair the value is meant. Without pairs in the profile two texts are a list, whose items can be asked for.
pub(super) fn meant(value: &Value, pairs: bool) -> &Value {
    match value.as_pair() {
        Some((first, _)) if pairs || first.as_str().is_none() => first,
        _ => value,
    }
}

fn tokens(text: &str) -> Result<Vec<Token<Operand>>, InvalidExpression> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if matches!(first, '"' | '\'') {
            let (text, length) = quoted(rest, first).ok_or(InvalidExpression::Unsupported)?;
            (Token::Operand(Operand::Literal(Value::from(text))), length)
        } else if let Some(sign) = Token::sign(rest) {
            sign
        } else {
            let length = word_end(rest);
            (word(&rest[..length])?, length)
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn word(word: &str) -> Result<Token<Operand>, InvalidExpression> {
    if let Some(token) = Token::word(word) {
        return Ok(token);
    }
    let literal = match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => read_number(word).map(Value::Number),
    };
    let path = |text: &str| text.parse().map(Operand::Path).map_err(|_| InvalidExpression::Unsupported);
    literal.map_or_else(|| path(word), |literal| Ok(Operand::Literal(literal))).map(Token::Operand)
}

/// Where a path or a number ends: at a blank or a sign, but not inside brackets.
fn word_end(text: &str) -> usize {
    let mut inside = None;
    for (at, character) in text.char_indices() {
        match (inside, character) {
            (None, '[') => inside = Some(']'),
            (Some(']'), '"' | '\'') => inside = Some(character),
            (Some(close), character) if close == character => inside = if close == ']' { None } else { Some(']') },
            (None, character) if at > 0 && (character.is_whitespace() || "()=!<>&|\"'".contains(character)) => {
                return at;
            }
            _ => {}
        }
    }
    text.len()
}

/// The text in quotes at the start, and how long it is with them.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => out.push(characters.next()?.1),
            _ if character == quote => return Some((out, at + 1)),
            _ => out.push(character),
        }
    }
    None
}
