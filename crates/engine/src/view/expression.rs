//! Conditions: a small language that can compare and nothing else.
//!
//! ```text
//! either     = both { ("or" | "||") both }
//! both       = negated { ("and" | "&&") negated }
//! negated    = { "not" | "!" } simple
//! simple     = "(" either ")" | operand [ comparison operand ]
//! comparison = "==" | "!=" | ">" | "<" | ">=" | "<=" | "contains" | "startsWith" | "endsWith"
//! ```
//!
//! What an operand is depends on who reads the condition: a path or a literal in a view, text with macros in a prompt.
//! The sides of `and` and `or` are evaluated from the left, and only as far as they are needed.

use crate::document::{Number, Value};
use crate::limits::{CONDITION_WORDS_MAX, MACRO_DEPTH_MAX};
use std::borrow::Cow;

/// A condition over operands of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression<T> {
    /// Whether the operand counts as true.
    Truth(T),
    /// The opposite.
    Not(Box<Expression<T>>),
    /// Whether all are true.
    All(Vec<Expression<T>>),
    /// Whether one is true.
    Any(Vec<Expression<T>>),
    /// A comparison of two operands.
    Compare(Comparison, T, T),
}

/// One word of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Token<T> {
    /// A value.
    Operand(T),
    /// Between two values.
    Comparison(Comparison),
    /// `and`
    And,
    /// `or`
    Or,
    /// `not`
    Not,
    /// `(`
    Open,
    /// `)`
    Close,
}

impl<T> Token<T> {
    /// The operator with this spelling, if the word is one.
    pub fn word(word: &str) -> Option<Token<T>> {
        Some(match word {
            "and" | "&&" => Token::And,
            "or" | "||" => Token::Or,
            "not" | "!" => Token::Not,
            "(" => Token::Open,
            ")" => Token::Close,
            "==" => Token::Comparison(Comparison::Equal),
            "!=" => Token::Comparison(Comparison::NotEqual),
            ">=" => Token::Comparison(Comparison::GreaterOrEqual),
            "<=" => Token::Comparison(Comparison::LessOrEqual),
            ">" => Token::Comparison(Comparison::Greater),
            "<" => Token::Comparison(Comparison::Less),
            "contains" => Token::Comparison(Comparison::Contains),
            "startsWith" => Token::Comparison(Comparison::StartsWith),
            "endsWith" => Token::Comparison(Comparison::EndsWith),
            _ => return None,
        })
    }

    /// The operator made of signs that a text starts with, and its length.
    pub fn sign(text: &str) -> Option<(Token<T>, usize)> {
        let signs = ["&&", "||", "==", "!=", ">=", "<=", ">", "<", "!", "(", ")"];
        let sign = signs.into_iter().find(|sign| text.starts_with(sign))?;
        Token::word(sign).map(|token| (token, sign.len()))
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// As numbers where both are, else as text.
    Equal,
    /// The opposite of [`Comparison::Equal`].
    NotEqual,
    /// Numbers only.
    Less,
    /// Numbers only.
    LessOrEqual,
    /// Numbers only.
    Greater,
    /// Numbers only.
    GreaterOrEqual,
    /// A part of a text, an item of a list, a key of an object.
    Contains,
    /// How a text begins.
    StartsWith,
    /// How a text ends.
    EndsWith,
}

/// Why words are no condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidExpression {
    /// Something stands where an operator or a value was expected.
    Unsupported,
    /// It has too many words or parentheses inside each other.
    Limit,
}

/// Why a condition has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure<E> {
    /// An operand could not be read.
    Operand(E),
    /// A comparison of sizes needs numbers; this is none.
    NotANumber(String),
}

impl<T> Expression<T> {
    /// Reads a condition.
    pub fn parse(tokens: Vec<Token<T>>) -> Result<Expression<T>, InvalidExpression> {
        if tokens.len() > CONDITION_WORDS_MAX {
            return Err(InvalidExpression::Limit);
        }
        let mut parser = Parser { tokens: tokens.into_iter().peekable(), depth: 0 };
        let expression = parser.either()?;
        if parser.tokens.next().is_none() { Ok(expression) } else { Err(InvalidExpression::Unsupported) }
    }

    /// Whether the condition holds. `read` gives the values of operands, and is asked for those that are needed.
    pub fn holds<E>(&self, read: &mut impl FnMut(&T) -> Result<Value, E>) -> Result<bool, Failure<E>> {
        self.holds_by(read, Comparison::compare)
    }

    /// The same with another way to compare two values.
    pub(crate) fn holds_by<E>(
        &self,
        read: &mut impl FnMut(&T) -> Result<Value, E>,
        compare: Compare,
    ) -> Result<bool, Failure<E>> {
        match self {
            Expression::Truth(operand) => read(operand).map(|value| is_true(&value)).map_err(Failure::Operand),
            Expression::Not(inner) => inner.holds_by(read, compare).map(|truth| !truth),
            Expression::All(parts) => first_that_is(parts, false, read, compare),
            Expression::Any(parts) => first_that_is(parts, true, read, compare),
            Expression::Compare(comparison, left, right) => {
                let left = read(left).map_err(Failure::Operand)?;
                let right = read(right).map_err(Failure::Operand)?;
                compare(*comparison, &left, &right).map_err(Failure::NotANumber)
            }
        }
    }
}

/// Compares two values; where numbers are needed, the text of the first that is none.
pub(crate) type Compare = fn(Comparison, &Value, &Value) -> Result<bool, String>;

fn first_that_is<T, E>(
    parts: &[Expression<T>],
    wanted: bool,
    read: &mut impl FnMut(&T) -> Result<Value, E>,
    compare: Compare,
) -> Result<bool, Failure<E>> {
    for part in parts {
        if part.holds_by(read, compare)? == wanted {
            return Ok(wanted);
        }
    }
    Ok(!wanted)
}

/// Whether a value counts as true: all but nothing, `false`, `0` and `off`.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(array) => !array.is_empty(),
        Value::Object(object) => !object.is_empty(),
        other => {
            let text = text_of(other);
            let text = text.trim();
            !(text.is_empty() || text == "0" || text.eq_ignore_ascii_case("false") || text.eq_ignore_ascii_case("off"))
        }
    }
}

/// A value as text in a prompt: text as it is, nothing for `null`, JSON for the rest.
pub fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_json()),
    }
}

/// A number, or text that is one.
pub(crate) fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(*number),
        Value::String(text) => number_in(text),
        _ => None,
    }
}

/// The number that a text is. Words such as `inf` are none.
pub(crate) fn number_in(text: &str) -> Option<Number> {
    let text = text.trim();
    let starts = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    if starts { Number::parse(text) } else { None }
}

impl Comparison {
    /// Compares two values; where numbers are needed, the text of the first that is none.
    pub(crate) fn compare(self, left: &Value, right: &Value) -> Result<bool, String> {
        let order = |accepts: fn(std::cmp::Ordering) -> bool| {
            let number = |value: &Value| number_of(value).ok_or_else(|| value.brief());
            let (left, right) = (number(left)?, number(right)?);
            Ok(compare_numbers(left, right).is_some_and(accepts))
        };
        match self {
            Comparison::Equal => Ok(equal(left, right)),
            Comparison::NotEqual => Ok(!equal(left, right)),
            Comparison::Less => order(std::cmp::Ordering::is_lt),
            Comparison::LessOrEqual => order(std::cmp::Ordering::is_le),
            Comparison::Greater => order(std::cmp::Ordering::is_gt),
            Comparison::GreaterOrEqual => order(std::cmp::Ordering::is_ge),
            Comparison::Contains => Ok(match left {
                Value::Array(items) => items.iter().any(|item| equal(item, right)),
                Value::Object(members) => members.contains_key(&text_of(right)),
                other => text_of(other).contains(text_of(right).as_ref()),
            }),
            Comparison::StartsWith => Ok(text_of(left).starts_with(text_of(right).as_ref())),
            Comparison::EndsWith => Ok(text_of(left).ends_with(text_of(right).as_ref())),
        }
    }
}

/// The order of two numbers, exact for integers.
pub(crate) fn compare_numbers(left: Number, right: Number) -> Option<std::cmp::Ordering> {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => match (left.as_u64(), right.as_u64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => left.as_f64().partial_cmp(&right.as_f64()),
        },
    }
}

fn equal(left: &Value, right: &Value) -> bool {
    match (number_of(left), number_of(right)) {
        (Some(left), Some(right)) => compare_numbers(left, right).is_some_and(std::cmp::Ordering::is_eq),
        _ => left == right || text_of(left) == text_of(right),
    }
}

struct Parser<T> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token<T>>>,
    depth: usize,
}

impl<T> Parser<T> {
    fn either(&mut self) -> Result<Expression<T>, InvalidExpression> {
        let mut parts = vec![self.both()?];
        while self.tokens.next_if(|token| matches!(token, Token::Or)).is_some() {
            parts.push(self.both()?);
        }
        Ok(single(parts, Expression::Any))
    }

    fn both(&mut self) -> Result<Expression<T>, InvalidExpression> {
        let mut parts = vec![self.negated()?];
        while self.tokens.next_if(|token| matches!(token, Token::And)).is_some() {
            parts.push(self.negated()?);
        }
        Ok(single(parts, Expression::All))
    }

    fn negated(&mut self) -> Result<Expression<T>, InvalidExpression> {
        let mut negated = false;
        while self.tokens.next_if(|token| matches!(token, Token::Not)).is_some() {
            negated = !negated;
        }
        let simple = self.simple()?;
        Ok(if negated { Expression::Not(simple.into()) } else { simple })
    }

    fn simple(&mut self) -> Result<Expression<T>, InvalidExpression> {
        match self.tokens.next() {
            Some(Token::Open) => {
                self.depth += 1;
                if self.depth > MACRO_DEPTH_MAX {
                    return Err(InvalidExpression::Limit);
                }
                let inner = self.either()?;
                self.depth -= 1;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(inner),
                    _ => Err(InvalidExpression::Unsupported),
                }
            }
            Some(Token::Operand(left)) => match self.tokens.next_if(|token| matches!(token, Token::Comparison(_))) {
                Some(Token::Comparison(comparison)) => match self.tokens.next() {
                    Some(Token::Operand(right)) => Ok(Expression::Compare(comparison, left, right)),
                    _ => Err(InvalidExpression::Unsupported),
                },
                _ => Ok(Expression::Truth(left)),
            },
            _ => Err(InvalidExpression::Unsupported),
        }
    }
}

fn single<T>(mut parts: Vec<Expression<T>>, join: fn(Vec<Expression<T>>) -> Expression<T>) -> Expression<T> {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => join(parts),
    }
}
