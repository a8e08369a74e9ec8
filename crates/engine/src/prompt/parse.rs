//! From braces to macros and blocks.
//!
//! ```text
//! macro     = "{{" name { "::" argument } "}}" | "{{" name { blank argument } "}}"
//! variable  = "{{" ("." | "$") path [ operator [ operand ] ] "}}"
//! plain     = "{{" path "}}"
//! comment   = "{{//" anything "}}"
//! block     = "{{if" condition "}}" text [ "{{else}}" text ] "{{/if}}"
//! scoped    = "{{setvar::name}}" text "{{/setvar}}"
//! ```
//!
//! What is wrong becomes a [`Node::Raw`]: its text stays, nothing inside it is evaluated, and the warning is given where and
//! when the text is reached.

mod arguments;
mod macros;
mod operators;

pub(super) use operators::{Operator, Variable, sign_in_path, unknown_operator};

use super::condition;
use super::scan::{Piece, TAGS, scan};
use super::table::{self, Row};
use super::warning::{Failure, WarningCode};
use crate::limits::MACRO_DEPTH_MAX;
use crate::view::expression::Expression;
use std::collections::HashMap;
use std::ops::Range;

/// A part of a prompt that is ready to be evaluated.
#[derive(Debug)]
pub(super) enum Node {
    Text(Range<usize>),
    /// A macro of the table with its arguments.
    Macro(Range<usize>, &'static Row, Vec<Vec<Node>>),
    /// `{{name}}`, which is a variable.
    Plain(Range<usize>, Range<usize>),
    Variable(Box<Variable>),
    If(Box<If>),
    /// A macro that gives the same text whatever its arguments are.
    Fixed(Range<usize>, &'static str),
    Raw(Range<usize>, Failure),
}

/// `{{if …}}…{{else}}…{{/if}}`
#[derive(Debug)]
pub(super) struct If {
    pub(super) span: Range<usize>,
    pub(super) condition: Expression<Vec<Node>>,
    pub(super) then: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

/// A parsed text, and what is wrong with its braces.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) nodes: Vec<Node>,
    pub(super) wrong: Vec<(Range<usize>, Failure)>,
}

pub(super) fn parse(text: &str) -> Parsed {
    let (pieces, wrong) = scan(text);
    Parsed { nodes: Parser { text }.list(pieces, text.len(), 0), wrong }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
}

/// A block that has begun.
struct Open {
    start: usize,
    kind: OpenKind,
    /// What stands before the block.
    outside: Vec<Node>,
}

enum OpenKind {
    If { condition: Result<Expression<Vec<Node>>, Failure>, then: Option<Vec<Node>> },
    Scoped { row: &'static Row, args: Result<Vec<Vec<Node>>, Failure> },
}

impl OpenKind {
    fn name(&self) -> &'static str {
        match self {
            OpenKind::If { .. } => IF,
            OpenKind::Scoped { row, .. } => row.name,
        }
    }
}

const IF: &str = "if";

/// The block that a name at its end belongs to.
fn block_name(name: &str) -> Option<&'static str> {
    if name == IF { Some(IF) } else { table::find(name).map(|row| row.name) }
}

/// The blocks that have begun, and how many of each name.
#[derive(Default)]
struct Blocks {
    stack: Vec<Open>,
    counts: HashMap<&'static str, usize>,
}

impl Blocks {
    fn push(&mut self, open: Open) {
        *self.counts.entry(open.kind.name()).or_default() += 1;
        self.stack.push(open);
    }

    fn pop(&mut self) -> Option<Open> {
        let open = self.stack.pop()?;
        if let Some(count) = self.counts.get_mut(open.kind.name()) {
            *count -= 1;
        }
        Some(open)
    }
}

impl Parser<'_> {
    /// Parts that stand beside each other, up to `end`, as nodes.
    pub(super) fn list(&self, pieces: Vec<Piece>, end: usize, depth: usize) -> Vec<Node> {
        let mut ends: HashMap<&'static str, usize> = HashMap::new();
        for name in pieces.iter().filter_map(|piece| self.closes(piece)) {
            *ends.entry(name).or_default() += 1;
        }
        let has_condition = |piece: &&Piece| matches!(piece, Piece::Braces(_, body) if self.begins_if(body).is_some());
        let mut ifs = if ends.contains_key(IF) { pieces.iter().filter(has_condition).count() } else { 0 };
        let mut open = Blocks::default();
        let mut nodes = Vec::with_capacity(pieces.len());
        let mut trim_next = false;
        for piece in pieces {
            let trims = std::mem::take(&mut trim_next);
            let (span, body) = match piece {
                Piece::Text(span) => {
                    let skipped = if trims { leading_breaks(&self.text[span.clone()]) } else { 0 };
                    nodes.push(Node::Text(span.start + skipped..span.end));
                    continue;
                }
                Piece::TooDeep(span) => {
                    nodes.push(Node::Raw(span, too_deep()));
                    continue;
                }
                Piece::Tag(tag, span) => {
                    nodes.extend(table::find(TAGS[tag].1).map(|row| Node::Macro(span, row, Vec::new())));
                    continue;
                }
                Piece::Braces(span, body) => (span, body),
            };
            let head = self.head(&body);
            let first_word = head.split(char::is_whitespace).next().unwrap_or_default();
            if let Some(name) = head.strip_prefix('/').filter(|name| !name.starts_with('/')) {
                let name = block_name(name.trim());
                if let Some(left) = name.and_then(|name| ends.get_mut(name)) {
                    *left -= 1;
                }
                self.close(name, span, &mut open, &mut nodes);
            } else if head == "else" {
                match open.stack.last_mut().map(|open| &mut open.kind) {
                    Some(OpenKind::If { then: then @ None, .. }) => *then = Some(std::mem::take(&mut nodes)),
                    Some(OpenKind::If { condition, .. }) => {
                        let message = "the block has a second `{{else}}`";
                        *condition = Err(Failure::new(WarningCode::Unmatched, message));
                    }
                    _ => nodes.push(unmatched(span, "`{{else}}` stands outside a block")),
                }
            } else if head == "trim" {
                if let Some(Node::Text(before)) = nodes.last_mut() {
                    before.end = before.start + self.text[before.clone()].trim_end_matches(['\n', '\r']).len();
                }
                trim_next = true;
            } else if let Some(start) = self.begins_if(&body) {
                let condition = match depth + open.stack.len() < MACRO_DEPTH_MAX {
                    true => condition::parse(self, body, start, depth + 1),
                    false => Err(too_deep()),
                };
                ifs = ifs.saturating_sub(1);
                let kind = OpenKind::If { condition, then: None };
                open.push(Open { start: span.start, kind, outside: std::mem::take(&mut nodes) });
            } else if head == IF && body.len() == 1 && {
                // A variable may be called `if`; a block without a condition has an end that no other block needs.
                let open_ifs = open.counts.get(IF).copied().unwrap_or(0);
                ends.get(IF).is_some_and(|left| *left > open_ifs + ifs)
            } {
                let condition = Err(Failure::new(WarningCode::Condition, "the block has no condition"));
                let kind = OpenKind::If { condition, then: None };
                open.push(Open { start: span.start, kind, outside: std::mem::take(&mut nodes) });
            } else if let Some(row) = self.begins_scoped(first_word, &body, &ends) {
                let deep = depth + open.stack.len();
                let args = match deep < MACRO_DEPTH_MAX {
                    true => Ok(self.arguments(row, body, span.end - 2, deep + 1)),
                    false => Err(too_deep()),
                };
                let kind = OpenKind::Scoped { row, args };
                open.push(Open { start: span.start, kind, outside: std::mem::take(&mut nodes) });
            } else if !head.starts_with("//") {
                nodes.push(self.node(span, body, depth + open.stack.len()));
            }
        }
        while let Some(Open { start, mut outside, .. }) = open.pop() {
            let message = "the block has no end; close it with `{{/if}}` or the name of its macro";
            outside.push(Node::Raw(start..end, Failure::new(WarningCode::Unclosed, message)));
            nodes = outside;
        }
        nodes
    }

    /// The text right behind the opening braces, trimmed.
    fn head(&self, body: &[Piece]) -> &str {
        match body.first() {
            Some(Piece::Text(span)) => {
                self.text[span.clone()].trim_start().split("::").next().unwrap_or_default().trim()
            }
            _ => "",
        }
    }

    /// The block that a part closes.
    fn closes(&self, piece: &Piece) -> Option<&'static str> {
        let Piece::Braces(_, body) = piece else { return None };
        self.head(body).strip_prefix('/').and_then(|name| block_name(name.trim()))
    }

    /// Where the condition of an `if` starts.
    fn begins_if(&self, body: &[Piece]) -> Option<usize> {
        let Piece::Text(span) = body.first()? else { return None };
        let text = &self.text[span.clone()];
        let rest = text.trim_start().strip_prefix("if")?;
        let start = span.end - rest.len();
        match rest.chars().next() {
            Some(':') => rest.starts_with("::").then_some(start + 2),
            Some(blank) if blank.is_whitespace() => Some(start),
            Some('(' | '!') => Some(start),
            Some(_) => None,
            // `{{if{{x}}}}`; a variable may be called `if`.
            None => (body.len() > 1).then_some(start),
        }
    }

    /// The scoped macro that begins here: one argument is missing, and an end follows.
    fn begins_scoped(&self, name: &str, body: &[Piece], ends: &HashMap<&'static str, usize>) -> Option<&'static Row> {
        if ends.is_empty() {
            return None;
        }
        let row = table::find(name).filter(|row| row.scoped && ends.get(row.name).is_some_and(|left| *left > 0))?;
        (self.count_arguments(body) + 1 == row.most).then_some(row)
    }

    /// The end of a block. Blocks inside it that have not ended stay as they are written.
    fn close(&self, name: Option<&'static str>, end: Range<usize>, open: &mut Blocks, nodes: &mut Vec<Node>) {
        let Some(name) = name.filter(|name| open.counts.get(name).is_some_and(|count| *count > 0)) else {
            nodes.push(unmatched(end, "there is no block that ends here"));
            return;
        };
        while let Some(block) = open.pop() {
            let inside = std::mem::replace(nodes, block.outside);
            if block.kind.name() != name {
                let message = "the block ends inside another one";
                nodes.push(Node::Raw(block.start..end.start, Failure::new(WarningCode::Unclosed, message)));
                continue;
            }
            let span = block.start..end.end;
            match block.kind {
                OpenKind::If { condition: Err(failure), .. } => nodes.push(Node::Raw(span, failure)),
                OpenKind::If { condition: Ok(condition), then } => {
                    let (then, otherwise) = match then {
                        Some(then) => (then, inside),
                        None => (inside, Vec::new()),
                    };
                    nodes.push(Node::If(If { span, condition, then, otherwise }.into()));
                }
                OpenKind::Scoped { args: Err(failure), .. } => nodes.push(Node::Raw(span, failure)),
                OpenKind::Scoped { row, args: Ok(mut args) } => {
                    args.push(self.trimmed(inside));
                    nodes.push(Node::Macro(span, row, args));
                }
            }
            return;
        }
    }

    /// Text without blanks at its ends.
    pub(super) fn trimmed(&self, mut nodes: Vec<Node>) -> Vec<Node> {
        if let Some(Node::Text(span)) = nodes.first_mut() {
            span.start = span.end - self.text[span.clone()].trim_start().len();
        }
        if let Some(Node::Text(span)) = nodes.last_mut() {
            span.end = span.start + self.text[span.clone()].trim_end().len();
        }
        nodes
    }
}

fn too_deep() -> Failure {
    Failure::new(
        WarningCode::Depth,
        format!("macros and blocks stand at most {MACRO_DEPTH_MAX} deep inside each other"),
    )
}

fn unmatched(span: Range<usize>, message: &str) -> Node {
    Node::Raw(span, Failure::new(WarningCode::Unmatched, message))
}

fn leading_breaks(text: &str) -> usize {
    text.len() - text.trim_start_matches(['\n', '\r']).len()
}

pub(super) fn brief(text: &str) -> String {
    text.chars().take(60).collect()
}
