//! `{{.path}}`, `{{$path}}` and what stands behind the path.

use super::{Node, Parser};
use crate::prompt::scan::Piece;
use crate::prompt::variables::Lookup;
use crate::prompt::warning::{Failure, WarningCode};
use crate::view::expression::Comparison;
use std::ops::Range;

/// `{{.path}}`, `{{$path += 2}}`
#[derive(Debug)]
pub(in crate::prompt) struct Variable {
    pub(in crate::prompt) span: Range<usize>,
    pub(in crate::prompt) view: Lookup,
    pub(in crate::prompt) path: Range<usize>,
    pub(in crate::prompt) operator: Option<Operator>,
    pub(in crate::prompt) operand: Vec<Node>,
}

/// What is done with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prompt) enum Operator {
    Set,
    Add,
    Subtract,
    Increment,
    Decrement,
    OrElse,
    IfMissing,
    SetUnlessTrue,
    SetIfMissing,
    Compare(Comparison),
}

impl Parser<'_> {
    pub(super) fn variable(
        &self,
        span: Range<usize>,
        view: Lookup,
        body: Vec<Piece>,
        start: usize,
        depth: usize,
    ) -> Node {
        let Some(Piece::Text(first)) = body.first() else { return Node::Text(span) };
        let first_end = first.end;
        let text = &self.text[start..first_end];
        let found = find_operator(text);
        let (path, behind, operator) = match found {
            Some((at, length, operator)) => (&text[..at], start + at + length, Some(operator)),
            None if body.len() > 1 => {
                let message = "the path of a variable is text, and cannot come from another macro; use `getvar`";
                return Node::Raw(span, Failure::new(WarningCode::Unreadable, message));
            }
            None => (text, first_end, None),
        };
        let path_start = start + (path.len() - path.trim_start().len());
        let path = path_start..path_start + path.trim().len();
        let mut pieces = vec![Piece::Text(behind..first_end)];
        pieces.extend(body.into_iter().skip(1));
        let operand = self.trimmed(self.list(pieces, span.end - 2, depth + 1));
        let is_empty = operand.iter().all(|node| matches!(node, Node::Text(span) if span.is_empty()));
        let needs = !matches!(operator, None | Some(Operator::Increment | Operator::Decrement));
        let sign = operator.and_then(|_| stray_sign(&self.text[behind..first_end]));
        if let Some(sign) = sign {
            return Node::Raw(span, unknown_operator(sign));
        }
        // An empty text can be written; everything else needs something to work with.
        if is_empty == needs && operator != Some(Operator::Set) {
            let message = "the operator has no value, or one that it does not take";
            return Node::Raw(span, Failure::new(WarningCode::Arity, message));
        }
        Node::Variable(Variable { span, view, path, operator, operand }.into())
    }
}

/// What stands behind an operator and makes another one of it: `= =`, `===`, `=>`.
fn stray_sign(operand: &str) -> Option<&str> {
    let trimmed = operand.trim_start();
    let sign = if trimmed.starts_with('=') { trimmed } else { operand };
    (sign.starts_with('=') || sign.starts_with('>')).then(|| &sign[..1])
}

pub(in crate::prompt) fn unknown_operator(sign: &str) -> Failure {
    let message = format!(
        "{sign:?} is no operator; there are = += -= ++ -- || ?? ||= ??= == != > >= < <=, and `getvar` and `setvar` for names with signs"
    );
    Failure::new(WarningCode::Unknown, message)
}

/// A sign in a path that looks like an operator: anywhere outside brackets, or, where names have it, between blanks.
pub(in crate::prompt) fn sign_in_path(path: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in path.char_indices() {
        let behind = at + character.len_utf8();
        match (quote, character) {
            (None, '"' | '\'') if before == '[' => quote = Some(character),
            (Some(open), close) if open == close && before != '\\' => quote = None,
            (None, '*' | '/' | '%' | '^' | '&' | '|' | '~' | '+' | '?') => return Some(&path[at..behind]),
            (None, '-' | '!' | ':') if before.is_whitespace() && at > 0 => {
                return Some(&path[at..behind]);
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// The first operator behind a path: where, how long, and which.
fn find_operator(text: &str) -> Option<(usize, usize, Operator)> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let signs = [
        ("||=", Operator::SetUnlessTrue),
        ("??=", Operator::SetIfMissing),
        ("||", Operator::OrElse),
        ("??", Operator::IfMissing),
        ("+=", Operator::Add),
        ("-=", Operator::Subtract),
        ("++", Operator::Increment),
        ("--", Operator::Decrement),
        ("==", Operator::Compare(Equal)),
        ("!=", Operator::Compare(NotEqual)),
        (">=", Operator::Compare(GreaterOrEqual)),
        ("<=", Operator::Compare(LessOrEqual)),
        (">", Operator::Compare(Greater)),
        ("<", Operator::Compare(Less)),
        ("=", Operator::Set),
    ];
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') if before == '[' => quote = Some(character),
            (Some(open), close) if open == close && before != '\\' => quote = None,
            (None, _) => {
                let found = signs.iter().find(|(sign, _)| text[at..].starts_with(sign));
                if let Some(&(sign, operator)) = found {
                    return Some((at, sign.len(), operator));
                }
            }
            _ => {}
        }
        before = character;
    }
    None
}
