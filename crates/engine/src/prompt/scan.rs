//! Which braces belong together.
//!
//! `{{` opens a macro and `}}` closes it; single braces inside a macro are counted, so that `{{setvar::j::{"a":1}}}` ends where a
//! person sees it end. A macro without an end is text, and what stands inside it is read on its own. The text is read once.

use super::warning::{Failure, WarningCode};
use crate::limits::MACRO_DEPTH_MAX;
use memchr::memchr3;
use std::ops::Range;

/// A part of a text.
#[derive(Debug)]
pub(super) enum Piece {
    /// Text as it is.
    Text(Range<usize>),
    /// `<USER>` and the like, by its place in [`TAGS`].
    Tag(usize, Range<usize>),
    /// `{{` of a macro that stands too deep.
    TooDeep(Range<usize>),
    /// What stands between two braces on each side, which belong to the span.
    Braces(Range<usize>, Vec<Piece>),
}

impl Piece {
    pub(super) fn span(&self) -> &Range<usize> {
        match self {
            Piece::Text(span) | Piece::TooDeep(span) | Piece::Tag(_, span) | Piece::Braces(span, _) => span,
        }
    }
}

/// Names in angle brackets, and the macros they stand for.
pub(super) const TAGS: [(&str, &str); 5] =
    [("<USER>", "user"), ("<BOT>", "char"), ("<CHAR>", "char"), ("<GROUP>", "group"), ("<CHARIFNOTGROUP>", "char")];

struct Frame {
    open: usize,
    pieces: Vec<Piece>,
    /// Single braces that are open.
    braces: usize,
}

/// The parts of a text, and what is wrong with its braces.
pub(super) fn scan(text: &str) -> (Vec<Piece>, Vec<(Range<usize>, Failure)>) {
    let bytes = text.as_bytes();
    let mut wrong = Vec::new();
    let mut below: Vec<Frame> = Vec::new();
    let mut frame = Frame { open: 0, pieces: Vec::new(), braces: 0 };
    let (mut start, mut at) = (0, 0);
    while let Some(found) = memchr3(b'{', b'}', b'<', &bytes[at..]) {
        let here = at + found;
        let rest = &bytes[here..];
        at = here + 1;
        match rest[0] {
            b'{' if rest.starts_with(b"{{") && !rest.starts_with(b"{{{") => {
                at = here + 2;
                if below.len() == MACRO_DEPTH_MAX {
                    flush(&mut frame.pieces, start..here);
                    frame.pieces.push(Piece::TooDeep(here..at));
                    frame.braces += 2;
                    start = at;
                    continue;
                }
                flush(&mut frame.pieces, start..here);
                below.push(std::mem::replace(&mut frame, Frame { open: here, pieces: Vec::new(), braces: 0 }));
                start = at;
            }
            b'{' => frame.braces += 1,
            b'}' if frame.braces > 0 => frame.braces -= 1,
            b'}' if rest.starts_with(b"}}") => {
                let Some(outer) = below.pop() else { continue };
                at = here + 2;
                flush(&mut frame.pieces, start..here);
                let inner = std::mem::replace(&mut frame, outer);
                frame.pieces.push(Piece::Braces(inner.open..at, inner.pieces));
                start = at;
            }
            b'<' => {
                let Some(tag) = TAGS.iter().position(|(tag, _)| rest.starts_with(tag.as_bytes())) else { continue };
                at = here + TAGS[tag].0.len();
                flush(&mut frame.pieces, start..here);
                frame.pieces.push(Piece::Tag(tag, here..at));
                start = at;
            }
            _ => {}
        }
    }
    flush(&mut frame.pieces, start..text.len());
    while let Some(outer) = below.pop() {
        let inner = std::mem::replace(&mut frame, outer);
        let message = "`{{` is not closed; close it with `}}`";
        wrong.push((inner.open..inner.open + 2, Failure::new(WarningCode::Unreadable, message)));
        frame.pieces.push(Piece::Text(inner.open..inner.open + 2));
        frame.pieces.extend(inner.pieces);
    }
    (frame.pieces, wrong)
}

fn flush(pieces: &mut Vec<Piece>, span: Range<usize>) {
    if !span.is_empty() {
        pieces.push(Piece::Text(span));
    }
}
