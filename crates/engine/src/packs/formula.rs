//! Formulas of rule packs: arithmetic over named numbers, and nothing beyond it.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = sign { ("*" | "/" | "%") sign }
//! sign    = { "-" } atom
//! atom    = number | name | "(" sum ")" | function "(" sum { "," sum } ")"
//! name    = letter { letter | digit | "_" | "." }        letters of any script
//! ```
//!
//! A formula is read once, with its profile. What its names mean is looked up when it is evaluated, so a name that nothing
//! has is a problem of a turn and not of the profile.

use crate::limits::{FORMULA_BYTES_MAX, FORMULA_DEPTH_MAX};
use crate::names::problem::Code;
use std::fmt;

/// A formula that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula(Node);

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    Name(Box<str>),
    Negated(Box<Node>),
    Two(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Divided,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Floor,
    Ceil,
    Round,
    Abs,
}

const FUNCTIONS: [(&str, Function); 6] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("floor", Function::Floor),
    ("ceil", Function::Ceil),
    ("round", Function::Round),
    ("abs", Function::Abs),
];

/// The text is no formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFormula {
    /// Where it cannot be read, in bytes.
    pub at: usize,
}

impl fmt::Display for InvalidFormula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no formula: it cannot be read at byte {} (at most {FORMULA_BYTES_MAX} bytes)", self.at)
    }
}

impl std::error::Error for InvalidFormula {}

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoValue {
    /// Nothing has this name, or what has it is no number.
    Unknown(Box<str>),
    /// Something is divided by zero.
    DivisionByZero,
    /// The value is not finite.
    TooLarge,
}

impl NoValue {
    /// The code of the problem that says so.
    pub fn code(&self) -> Code {
        match self {
            NoValue::Unknown(_) => Code::NotANumber,
            NoValue::DivisionByZero | NoValue::TooLarge => Code::OutOfRange,
        }
    }
}

impl fmt::Display for NoValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoValue::Unknown(name) => write!(formatter, "`{name}` is no number here"),
            NoValue::DivisionByZero => formatter.write_str("it divides by zero"),
            NoValue::TooLarge => formatter.write_str("its value is too large"),
        }
    }
}

impl Formula {
    /// Reads a formula.
    ///
    /// ```
    /// use tavernkeep_engine::packs::formula::Formula;
    ///
    /// let formula = Formula::read("敏捷 + 沉着 / 2").unwrap();
    /// let value = formula.evaluate(&|name| match name { "敏捷" => Some(3.0), "沉着" => Some(5.0), _ => None });
    /// assert_eq!(value, Ok(5.5));
    /// assert!(formula.evaluate(&|_| None).is_err());
    /// ```
    pub fn read(text: &str) -> Result<Formula, InvalidFormula> {
        if text.len() > FORMULA_BYTES_MAX {
            return Err(InvalidFormula { at: FORMULA_BYTES_MAX });
        }
        let mut reader = Reader { text, at: 0 };
        let node = reader.sum(0)?;
        reader.skip_blanks();
        if reader.at == text.len() { Ok(Formula(node)) } else { Err(reader.invalid()) }
    }

    /// The value, with the numbers that the names have.
    pub fn evaluate(&self, numbers: &dyn Fn(&str) -> Option<f64>) -> Result<f64, NoValue> {
        let value = self.0.evaluate(numbers)?;
        if value.is_finite() { Ok(value) } else { Err(NoValue::TooLarge) }
    }
}

impl Node {
    fn evaluate(&self, numbers: &dyn Fn(&str) -> Option<f64>) -> Result<f64, NoValue> {
        Ok(match self {
            Node::Number(number) => *number,
            Node::Name(name) => numbers(name).ok_or_else(|| NoValue::Unknown(name.clone()))?,
            Node::Negated(node) => -node.evaluate(numbers)?,
            Node::Two(operator, left, right) => {
                let (left, right) = (left.evaluate(numbers)?, right.evaluate(numbers)?);
                match operator {
                    Operator::Plus => left + right,
                    Operator::Minus => left - right,
                    Operator::Times => left * right,
                    Operator::Divided | Operator::Remainder if right == 0.0 => return Err(NoValue::DivisionByZero),
                    Operator::Divided => left / right,
                    Operator::Remainder => left.rem_euclid(right),
                }
            }
            Node::Call(function, nodes) => {
                let values = nodes.iter().map(|node| node.evaluate(numbers)).collect::<Result<Vec<f64>, _>>()?;
                let first = values.first().copied().unwrap_or_default();
                match function {
                    Function::Min => values.into_iter().fold(first, f64::min),
                    Function::Max => values.into_iter().fold(first, f64::max),
                    Function::Floor => first.floor(),
                    Function::Ceil => first.ceil(),
                    Function::Round => first.round(),
                    Function::Abs => first.abs(),
                }
            }
        })
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn invalid(&self) -> InvalidFormula {
        InvalidFormula { at: self.at }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes the next sign if it is one of these.
    fn take(&mut self, signs: &[char]) -> Option<char> {
        self.skip_blanks();
        let found = self.rest().chars().next().filter(|sign| signs.contains(sign))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn sum(&mut self, depth: usize) -> Result<Node, InvalidFormula> {
        if depth > FORMULA_DEPTH_MAX {
            return Err(self.invalid());
        }
        let mut left = self.product(depth)?;
        while let Some(sign) = self.take(&['+', '-']) {
            let operator = if sign == '+' { Operator::Plus } else { Operator::Minus };
            left = Node::Two(operator, Box::new(left), Box::new(self.product(depth)?));
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Node, InvalidFormula> {
        let mut left = self.sign(depth)?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let operator = match sign {
                '*' => Operator::Times,
                '/' => Operator::Divided,
                _ => Operator::Remainder,
            };
            left = Node::Two(operator, Box::new(left), Box::new(self.sign(depth)?));
        }
        Ok(left)
    }

    fn sign(&mut self, depth: usize) -> Result<Node, InvalidFormula> {
        match self.take(&['-']) {
            Some(_) if depth > FORMULA_DEPTH_MAX => Err(self.invalid()),
            Some(_) => Ok(Node::Negated(Box::new(self.sign(depth + 1)?))),
            None => self.atom(depth),
        }
    }

    fn atom(&mut self, depth: usize) -> Result<Node, InvalidFormula> {
        if self.take(&['(']).is_some() {
            let node = self.sum(depth + 1)?;
            return self.take(&[')']).map(|_| node).ok_or_else(|| self.invalid());
        }
        self.skip_blanks();
        let word = self.word();
        let Some(first) = word.chars().next() else { return Err(self.invalid()) };
        if first.is_ascii_digit() || first == '.' {
            let number = word.parse::<f64>().map_err(|_| self.invalid())?;
            self.at += word.len();
            return Ok(Node::Number(number));
        }
        if first == '_' || first.is_alphabetic() {
            let (name, function) =
                (Box::from(word), FUNCTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)));
            self.at += word.len();
            return match (self.take(&['(']), function) {
                (Some(_), Some(&(_, function))) => self.arguments(function, depth),
                (Some(_), None) => Err(self.invalid()),
                (None, _) => Ok(Node::Name(name)),
            };
        }
        Err(self.invalid())
    }

    fn arguments(&mut self, function: Function, depth: usize) -> Result<Node, InvalidFormula> {
        let mut nodes = vec![self.sum(depth + 1)?];
        while self.take(&[',']).is_some() {
            nodes.push(self.sum(depth + 1)?);
        }
        let takes_many = matches!(function, Function::Min | Function::Max);
        if self.take(&[')']).is_none() || (nodes.len() > 1 && !takes_many) {
            return Err(self.invalid());
        }
        Ok(Node::Call(function, nodes))
    }

    /// The letters, digits, dots and underscores that come next.
    fn word(&self) -> &str {
        let rest = self.rest();
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.'));
        &rest[..end.unwrap_or(rest.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMULA_BYTES_MAX, Formula, NoValue};

    fn value(text: &str) -> Result<f64, NoValue> {
        Formula::read(text).unwrap().evaluate(&|name| (name == "力量").then_some(7.0))
    }

    #[test]
    fn formulas_have_the_usual_precedence() {
        assert_eq!(value("1 + 2 * 3 - 8 / 4"), Ok(5.0));
        assert_eq!(value("(1 + 2) * -3"), Ok(-9.0));
        assert_eq!(value("max(0, 力量 - 8)"), Ok(0.0));
        assert_eq!(value("MIN(力量, 9, 3)"), Ok(3.0));
        assert_eq!(value("floor(7 / 2) + ceil(0.2) + round(1.5) + abs(0 - 2)"), Ok(8.0));
        assert_eq!(value("-7 % 3"), Ok(2.0));
    }

    #[test]
    fn what_has_no_value_says_why() {
        assert_eq!(value("力量 / (7 - 力量)"), Err(NoValue::DivisionByZero));
        assert_eq!(value("魔力 + 1"), Err(NoValue::Unknown("魔力".into())));
        assert_eq!(value("9 % 0"), Err(NoValue::DivisionByZero));
        let large = format!("1{}", "0".repeat(300));
        assert_eq!(value(&format!("{large} * {large}")), Err(NoValue::TooLarge));
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in ["", "1 +", "(1", "1)", "sin(1)", "1 2", "floor(1, 2)", "力量 = 3", "a()", "1..2", "'x'"] {
            assert!(Formula::read(text).is_err(), "{text}");
        }
        let deep = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        assert!(Formula::read(&deep(32)).is_ok() && Formula::read(&deep(33)).is_err());
        assert!(Formula::read(&"-".repeat(100)).is_err());
        assert!(Formula::read(&"1".repeat(FORMULA_BYTES_MAX)).is_ok());
        assert!(Formula::read(&"1".repeat(FORMULA_BYTES_MAX + 1)).is_err());
    }
}
