//! Conditions of `{{if …}}`: words are text, and macros among them are values.

use super::parse::{Node, Parser, Variable};
use super::scan::Piece;
use super::variables::Lookup;
use super::warning::{Failure, WarningCode};
use crate::view::expression::{Expression, InvalidExpression, Token, number_in};

/// Reads the condition that starts at a place of the body.
pub(super) fn parse(
    parser: &Parser<'_>,
    body: Vec<Piece>,
    start: usize,
    depth: usize,
) -> Result<Expression<Vec<Node>>, Failure> {
    let mut words = Words { parser, tokens: Vec::new(), operand: Vec::new(), quote: None, quoted: false };
    for piece in body {
        match piece {
            Piece::Text(span) => words.text(span.start.max(start), span.end),
            other => {
                let end = other.span().end;
                words.operand.extend(parser.list(vec![other], end, depth));
            }
        }
    }
    if words.quote.is_some() {
        return Err(unsupported());
    }
    words.flush();
    Expression::parse(words.tokens).map_err(|invalid| match invalid {
        InvalidExpression::Unsupported => unsupported(),
        InvalidExpression::Limit => Failure::new(WarningCode::Condition, "the condition is too long or too deep"),
    })
}

fn unsupported() -> Failure {
    let message =
        "not a condition; compare with ==, !=, <, <=, >, >=, contains, startsWith, endsWith and join with and, or, not";
    Failure::new(WarningCode::Condition, message)
}

struct Words<'p, 't> {
    parser: &'p Parser<'t>,
    tokens: Vec<Token<Vec<Node>>>,
    /// What stands together without blanks.
    operand: Vec<Node>,
    /// The quotes that are open: macros may stand between them.
    quote: Option<char>,
    /// Whether a part of it stood in quotes, so that it is no operator.
    quoted: bool,
}

impl Words<'_, '_> {
    fn text(&mut self, start: usize, end: usize) {
        let text = self.parser.text;
        let mut at = start;
        while let Some(character) = text[at..end].chars().next() {
            let rest = &text[at..end];
            let begins = self.operand.is_empty();
            if let Some(quote) = self.quote {
                let length = rest.find(quote);
                self.operand.push(Node::Text(at..at + length.unwrap_or(rest.len())));
                at += length.map_or(rest.len(), |length| length + quote.len_utf8());
                if length.is_some() {
                    self.quote = None;
                }
            } else if character.is_whitespace() {
                self.flush();
                at += character.len_utf8();
            } else if begins && matches!(character, '"' | '\'') {
                self.operand.push(Node::Text(at + 1..at + 1));
                (self.quote, self.quoted) = (Some(character), true);
                at += 1;
            } else if let Some((token, length)) =
                Token::sign(rest).filter(|(token, _)| begins || !matches!(token, Token::Not))
            {
                self.flush();
                self.tokens.push(token);
                at += length;
            } else {
                let stop = |character: char| character.is_whitespace() || "()<>=!&|".contains(character);
                let first = character.len_utf8();
                let length = rest[first..].find(stop).map_or(rest.len(), |length| length + first);
                self.operand.push(Node::Text(at..at + length));
                at += length;
            }
        }
    }

    fn flush(&mut self) {
        let operand = std::mem::take(&mut self.operand);
        let quoted = std::mem::take(&mut self.quoted);
        if operand.is_empty() {
            return;
        }
        let [Node::Text(span)] = operand.as_slice() else {
            self.tokens.push(Token::Operand(operand));
            return;
        };
        let word = &self.parser.text[span.clone()];
        if quoted {
            self.tokens.push(Token::Operand(operand));
        } else if let Some(token) = Token::word(word) {
            self.tokens.push(token);
        } else if let Some(view) = view(word) {
            let (span, path) = (span.clone(), span.start + 1..span.end);
            let variable = Variable { span, view, path, operator: None, operand: Vec::new() };
            self.tokens.push(Token::Operand(vec![Node::Variable(variable.into())]));
        } else {
            self.tokens.push(Token::Operand(operand));
        }
    }
}

/// `.flag` and `$flag` are variables here too; `.5` is a number.
fn view(word: &str) -> Option<Lookup> {
    let view = match word.chars().next()? {
        '.' => Lookup::Local,
        '$' => Lookup::Global,
        _ => return None,
    };
    (word.len() > 1 && number_in(&word[1..]).is_none()).then_some(view)
}
