//! The arguments of a macro: behind `::`, `:` or blanks.

use super::{Node, Parser};
use crate::prompt::scan::Piece;
use crate::prompt::table::Row;
use std::ops::Range;

impl Parser<'_> {
    /// Where the arguments stand in the first text: behind `::`, `:` or blanks, and whether blanks separate them too.
    pub(super) fn argument_start(&self, body: &[Piece]) -> Option<(usize, bool)> {
        let Some(Piece::Text(first)) = body.first() else { return None };
        let text = self.text[first.clone()].trim_start();
        let at = text.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(text.len());
        let rest = &text[at..];
        let behind = rest.trim_start();
        let start = first.end - behind.len();
        if let Some(args) = behind.strip_prefix("::").or_else(|| rest.strip_prefix(':')) {
            return Some((first.end - args.len(), false));
        }
        if behind.is_empty() && body.len() == 1 {
            return None;
        }
        let separated = body.iter().any(|piece| match piece {
            Piece::Text(span) => self.text[span.start.max(start)..span.end.max(start)].contains("::"),
            _ => false,
        });
        Some((start, !separated))
    }

    pub(super) fn count_arguments(&self, body: &[Piece]) -> usize {
        let Some((start, blanks)) = self.argument_start(body) else { return 0 };
        let mut splitter = Splitter { blanks, braces: 0 };
        let mut count = 1;
        for piece in body {
            if let Piece::Text(span) = piece {
                let from = span.start.max(start);
                let last = span.end == body.last().map_or(0, |last| last.span().end);
                let text = &self.text[from..span.end];
                count += splitter.cuts(if last && blanks { text.trim_end() } else { text }).len();
            }
        }
        count
    }

    /// The arguments of a macro, each as nodes.
    pub(super) fn arguments(&self, row: &Row, body: Vec<Piece>, end: usize, depth: usize) -> Vec<Vec<Node>> {
        let Some((start, blanks)) = self.argument_start(&body) else { return Vec::new() };
        let mut splitter = Splitter { blanks, braces: 0 };
        let mut lists: Vec<Vec<Piece>> = vec![Vec::new()];
        let mut ends = Vec::new();
        let last_end = body.last().map_or(end, |last| last.span().end);
        for piece in body {
            let Piece::Text(span) = piece else {
                if let Some(list) = lists.last_mut() {
                    list.push(piece);
                }
                continue;
            };
            let mut from = span.start.max(start);
            let text = &self.text[from..span.end];
            let text = if blanks && span.end == last_end { text.trim_end() } else { text };
            for cut in splitter.cuts(text) {
                let (at, behind) = (span.start.max(start) + cut.start, span.start.max(start) + cut.end);
                push_text(&mut lists, from..at);
                ends.push(at);
                lists.push(Vec::new());
                from = behind;
            }
            push_text(&mut lists, from..span.end);
        }
        ends.push(end);
        let nodes = lists.into_iter().zip(ends).map(|(list, end)| {
            let nodes = self.list(list, end, depth);
            if row.verbatim { nodes } else { self.trimmed(nodes) }
        });
        nodes.collect()
    }

    /// TavernHelper's macros have nothing but the name, two colons and a path on one line.
    pub(super) fn is_verbatim(&self, span: &Range<usize>, name: &str) -> bool {
        let inner = &self.text[span.start + 2..span.end - 2];
        inner.strip_prefix(name).is_some_and(|rest| rest.starts_with("::")) && !inner.contains(['\n', '\r'])
    }
}

fn push_text(lists: &mut [Vec<Piece>], span: Range<usize>) {
    if let Some(list) = lists.last_mut().filter(|_| !span.is_empty()) {
        list.push(Piece::Text(span));
    }
}

/// Finds where arguments are separated: `::` outside single braces, or blanks.
struct Splitter {
    blanks: bool,
    braces: usize,
}

impl Splitter {
    fn cuts(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            match character {
                '{' => self.braces += 1,
                '}' => self.braces = self.braces.saturating_sub(1),
                ':' if !self.blanks && self.braces == 0 && characters.next_if(|(_, next)| *next == ':').is_some() => {
                    cuts.push(at..at + 2);
                }
                blank if self.blanks && self.braces == 0 && blank.is_whitespace() => {
                    let mut end = at + blank.len_utf8();
                    while let Some((at, blank)) = characters.next_if(|(_, next)| next.is_whitespace()) {
                        end = at + blank.len_utf8();
                    }
                    cuts.push(at..end);
                }
                _ => {}
            }
        }
        cuts
    }
}
