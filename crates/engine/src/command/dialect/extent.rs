//! How far one call reaches: a walk through its arguments that knows quotes, brackets and comments.
//!
//! The pass in `parentheses` finds the ends of all calls at once but knows no comments: `// it's one` opens a quote there.
//! Where a text has comments, each call is walked through by itself, within a budget that keeps the whole linear.

use super::parentheses::{Quotes, Sign, classify, is_escaped};
use std::borrow::Cow;
use std::ops::Range;

/// Where a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At the closing parenthesis.
    Closed(usize),
    /// At the end of the text, inside a quote or a bracket or not.
    Open { inside: bool },
}

/// Walks from behind an opening parenthesis to its closing one, but not beyond `until`.
pub(super) fn extent(text: &str, open: usize, until: usize, quotes: Quotes) -> Extent {
    let mut walk = Walk { text, at: open, until, quotes, quote: None };
    let (mut depth, mut brackets) = (1_usize, 0_usize);
    while let Some((at, token)) = walk.next() {
        match token {
            Token::Open => depth += 1,
            Token::Close => {
                depth -= 1;
                if depth == 0 {
                    return Extent::Closed(at);
                }
            }
            Token::OpenBracket => brackets += 1,
            Token::CloseBracket => brackets = brackets.saturating_sub(1),
            // A remark in front of the parenthesis: `SET("a", 5 // why);`.
            Token::Comment(range) if depth == 1 && brackets == 0 => {
                if let Some(close) = closes_inside(&text[range.clone()]) {
                    return Extent::Closed(range.start + close);
                }
            }
            Token::Comment(_) => {}
        }
    }
    Extent::Open { inside: walk.quote.is_some() || brackets > 0 }
}

/// The text without its comments. A blank stands in for each.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !has_comments(text) {
        return Cow::Borrowed(text);
    }
    let mut walk = Walk { text, at: 0, until: text.len(), quotes: Quotes { tolerant: true }, quote: None };
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    while let Some((_, token)) = walk.next() {
        if let Token::Comment(range) = token {
            kept.push_str(&text[from..range.start]);
            kept.push(' ');
            from = range.end;
        }
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Whether a text may have comments at all.
pub(super) fn has_comments(text: &str) -> bool {
    memchr::memchr_iter(b'/', text.as_bytes()).any(|at| matches!(text.as_bytes().get(at + 1), Some(b'/' | b'*')))
}

/// The parenthesis in a remark behind which the command ends.
fn closes_inside(remark: &str) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([';', '；']);
    remark
        .match_indices([')', '）'])
        .find(|(at, parenthesis)| ends(remark[at + parenthesis.len()..].trim_start_matches([' ', '\t'])))
        .map(|(at, _)| at)
}

/// What a walk stops at. Everything inside quotes is passed over.
#[derive(Debug)]
enum Token {
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comment(Range<usize>),
}

/// Bytes that may be a quote, a bracket or a comment, or the first byte of one.
const MEANING: [bool; 256] = {
    let mut meaning = [false; 256];
    let bytes = *b"'\"`()[]{}/\xE2\xEF";
    let mut index = 0;
    while index < bytes.len() {
        meaning[bytes[index] as usize] = true;
        index += 1;
    }
    meaning
};

struct Walk<'a> {
    text: &'a str,
    at: usize,
    until: usize,
    quotes: Quotes,
    quote: Option<usize>,
}

impl Walk<'_> {
    fn next(&mut self) -> Option<(usize, Token)> {
        let bytes = self.text.as_bytes();
        // Only a few bytes mean anything; the others are passed over in one go.
        while let Some(passed) =
            bytes[self.at.min(self.until)..self.until].iter().position(|byte| MEANING[usize::from(*byte)])
        {
            self.at += passed;
            let at = self.at;
            let (sign, length) = classify(bytes, at, self.quotes);
            self.at += length;
            match (sign, self.quote) {
                (Sign::Quote(kind), None) if !is_escaped(bytes, at, self.quotes) => self.quote = Some(kind),
                (Sign::Quote(kind), Some(open)) if kind == open && !is_escaped(bytes, at, self.quotes) => {
                    self.quote = None;
                }
                (_, Some(_)) => {}
                (Sign::Open, _) => return Some((at, Token::Open)),
                (Sign::Close, _) => return Some((at, Token::Close)),
                (Sign::OpenBracket, _) => return Some((at, Token::OpenBracket)),
                (Sign::CloseBracket, _) => return Some((at, Token::CloseBracket)),
                _ if bytes[at] == b'/' && self.quotes.tolerant => {
                    if let Some(end) = self.comment_end(at) {
                        self.at = end;
                        return Some((at, Token::Comment(at..end)));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Where the comment at `at` ends, if there is one. `http://` starts none.
    fn comment_end(&self, at: usize) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..self.until];
        match bytes.get(at + 1)? {
            b'/' if at == 0 || bytes[at - 1] != b':' => {
                Some(memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(self.until, |line| at + line))
            }
            b'*' => memchr::memmem::find(&bytes[at + 2..], b"*/").map(|end| at + 2 + end + 2),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_passed_over() {
        let end = |text: &str| extent(text, 0, text.len(), Quotes { tolerant: true });
        assert_eq!(end("1 // it's one\n) x"), Extent::Closed(14));
        assert_eq!(end("{\n1 // :)\n})"), Extent::Closed(12 - 1));
        assert_eq!(end("5 // why); more (x)"), Extent::Closed(8));
        assert_eq!(end("'//', /* ) */ 5)"), Extent::Closed(15));
        assert_eq!(end("http://x.y)"), Extent::Closed(10));
        assert_eq!(end("[1, 2"), Extent::Open { inside: true });
        assert_eq!(without_comments("'a//b', 5 // c\n, /* d */ 6"), "'a//b', 5  \n,   6");
    }
}
