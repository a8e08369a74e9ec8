//! Macros that are no blocks: what their name says they are.

use super::{Node, Parser, brief, too_deep};
use crate::limits::MACRO_DEPTH_MAX;
use crate::prompt::scan::Piece;
use crate::prompt::variables::Lookup;
use crate::prompt::warning::{Failure, WarningCode};
use crate::prompt::{helper, table};
use std::ops::Range;

impl Parser<'_> {
    /// A macro that is no block.
    pub(super) fn node(&self, span: Range<usize>, body: Vec<Piece>, depth: usize) -> Node {
        let raw = |span: &Range<usize>, code, message: String| Node::Raw(span.clone(), Failure::new(code, message));
        if depth >= MACRO_DEPTH_MAX || body.iter().any(|piece| matches!(piece, Piece::TooDeep(_))) {
            return Node::Raw(span, too_deep());
        }
        let Some(Piece::Text(first)) = body.first() else {
            let message = match body.is_empty() {
                true => "the macro has no name",
                false => "the name of a macro is text, and cannot come from another macro",
            };
            return raw(&span, WarningCode::Unreadable, message.to_owned());
        };
        let written = &self.text[first.clone()];
        let text = written.trim_start();
        let start = first.end - text.len();
        if let Some(view) = match text.chars().next() {
            Some('.') => Some(Lookup::Local),
            Some('$') => Some(Lookup::Global),
            _ => None,
        } {
            return self.variable(span, view, body, start + 1, depth);
        }
        let name = text.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or_default();
        if let Some(row) = table::find(name) {
            if row.verbatim && (start != first.start || !self.is_verbatim(&span, name)) {
                let message = format!("`{name}` is written without blanks and line breaks");
                return raw(&span, WarningCode::Unknown, message);
            }
            if text[name.len()..].starts_with(':') && !text[name.len()..].starts_with("::") && !row.one_colon {
                return raw(&span, WarningCode::Unknown, format!("no macro is named {:?}", brief(text)));
            }
            let count = self.count_arguments(&body);
            if count < row.least || count > row.most {
                let message = format!("`{name}` has {count} arguments; it takes {}", row.takes());
                return raw(&span, WarningCode::Arity, message);
            }
            let args = self.arguments(row, body, span.end - 2, depth + 1);
            return Node::Macro(span, row, args);
        }
        if helper::is_spelled_otherwise(name) && start == first.start && self.is_verbatim(&span, name) {
            return Node::Fixed(span, helper::MISSING);
        }
        let inner = start..start + text.trim_end().len();
        if body.len() == 1 && !inner.is_empty() && !self.text[inner.clone()].contains("::") {
            return Node::Plain(span, inner);
        }
        raw(&span, WarningCode::Unknown, format!("no macro is named {:?}", brief(name)))
    }
}
