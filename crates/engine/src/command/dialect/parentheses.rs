//! Finds the closing parenthesis of every call in one pass.
//!
//! A call's scan starts outside of any string at its own `(`. Starting a scan per call would be quadratic on text full of
//! unclosed calls. Instead all scans that could be under way run together: a quote only swaps "outside" with "inside this
//! quote", so of the scans, one for each kind of quote and one outside, exactly one is outside at any place. Keeping one
//! stack of open parentheses per kind and swapping stacks at a quote therefore gives every call the parenthesis that its
//! own scan would find.

use crate::limits::CALL_BYTES_MAX;

/// How quotes are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quotes {
    /// Whether full-width parentheses and typographic quotes count.
    pub(super) tolerant: bool,
}

const OUTSIDE: usize = 0;

/// For each opening position (just behind its parenthesis, ascending) where its closing parenthesis starts.
pub(super) fn closers(text: &str, opens: &[usize], quotes: Quotes) -> Vec<Option<usize>> {
    let bytes = text.as_bytes();
    let mut found = vec![None; opens.len()];
    // Stacks of open parentheses: the number of a call, or `None` for one that is no call's own.
    let mut stacks: [Vec<Option<usize>>; 6] = Default::default();
    let mut next = 0;
    let mut pending = 0_usize;
    let mut newest = 0;
    let mut at = 0;
    while next < opens.len() || pending > 0 {
        // When no scan is under way, or none that could still end, jump to the next call and start afresh.
        if pending == 0 || at - newest > CALL_BYTES_MAX {
            let Some(&open) = opens.get(next) else { break };
            at = open;
            newest = open;
            stacks.iter_mut().for_each(Vec::clear);
            stacks[OUTSIDE].push(Some(next));
            pending = 1;
            next += 1;
        }
        // Only a few bytes mean anything; the others are passed over in one go, as far as a call may reach.
        let window = bytes.get(at..bytes.len().min(newest + CALL_BYTES_MAX + 1)).unwrap_or_default();
        let Some(skipped) = window.iter().position(|byte| SIGNS[usize::from(*byte)] != 0) else {
            if newest + CALL_BYTES_MAX >= bytes.len() {
                break;
            }
            at = newest + CALL_BYTES_MAX + 1;
            continue;
        };
        at += skipped;
        let (sign, length) = classify(bytes, at, quotes);
        match sign {
            Sign::None | Sign::Comma | Sign::OpenBracket | Sign::CloseBracket => {}
            Sign::Quote(kind) => {
                if !is_escaped(bytes, at, quotes) {
                    stacks.swap(OUTSIDE, kind);
                }
            }
            Sign::Open => {
                let call = (next < opens.len() && opens[next] == at + length).then(|| {
                    newest = opens[next];
                    next += 1;
                    pending += 1;
                    next - 1
                });
                stacks[OUTSIDE].push(call);
            }
            Sign::Close => {
                if let Some(Some(call)) = stacks[OUTSIDE].pop() {
                    if at - opens[call] <= CALL_BYTES_MAX {
                        found[call] = Some(at);
                    }
                    pending -= 1;
                }
            }
        }
        at += length;
    }
    found
}

/// What a byte means in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    None,
    /// A quote of this kind. Typographic quotes of either direction are one kind: models mix them up.
    Quote(usize),
    Open,
    Close,
    Comma,
    OpenBracket,
    CloseBracket,
}

/// Bytes that may be a quote or a parenthesis, or the first byte of one.
const SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut index = 0;
    let bytes = *b"'\"`()\xE2\xEF";
    while index < bytes.len() {
        signs[bytes[index] as usize] = 1;
        index += 1;
    }
    signs
};

/// Whether a quote is preceded by a backslash. MVU looks at one backslash only; others count them.
pub(super) fn is_escaped(bytes: &[u8], at: usize, quotes: Quotes) -> bool {
    let most = if quotes.tolerant { BACKSLASHES_MAX } else { 1 };
    let backslashes = bytes[..at].iter().rev().take(most).take_while(|byte| **byte == b'\\').count();
    backslashes % 2 == 1
}

/// Backslashes in a row that are counted. A bound keeps the pass linear.
const BACKSLASHES_MAX: usize = 64;

/// What stands at a place, and how many bytes it has.
pub(super) fn classify(bytes: &[u8], at: usize, quotes: Quotes) -> (Sign, usize) {
    match bytes[at] {
        b'\'' => (Sign::Quote(1), 1),
        b'"' => (Sign::Quote(2), 1),
        b'`' => (Sign::Quote(3), 1),
        b'(' => (Sign::Open, 1),
        b')' => (Sign::Close, 1),
        b',' => (Sign::Comma, 1),
        b'[' | b'{' => (Sign::OpenBracket, 1),
        b']' | b'}' => (Sign::CloseBracket, 1),
        0xE2 if quotes.tolerant => match bytes.get(at + 1..at + 3) {
            Some([0x80, 0x98 | 0x99]) => (Sign::Quote(4), 3),
            Some([0x80, 0x9C | 0x9D]) => (Sign::Quote(5), 3),
            _ => (Sign::None, 1),
        },
        0xEF if quotes.tolerant => match bytes.get(at + 1..at + 3) {
            Some([0xBC, 0x88]) => (Sign::Open, 3),
            Some([0xBC, 0x89]) => (Sign::Close, 3),
            Some([0xBC, 0x8C]) => (Sign::Comma, 3),
            Some([0xBC, 0xBB] | [0xBD, 0x9B]) => (Sign::OpenBracket, 3),
            Some([0xBC, 0xBD] | [0xBD, 0x9D]) => (Sign::CloseBracket, 3),
            _ => (Sign::None, 1),
        },
        _ => (Sign::None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scan that MVU starts for each call.
    fn alone(text: &str, open: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let (mut depth, mut quote) = (1, None);
        for at in open..bytes.len() {
            let byte = bytes[at];
            if b"'\"`".contains(&byte) && (at == 0 || bytes[at - 1] != b'\\') {
                match quote {
                    None => quote = Some(byte),
                    Some(inside) if inside == byte => quote = None,
                    Some(_) => {}
                }
            } else if quote.is_none() && byte == b'(' {
                depth += 1;
            } else if quote.is_none() && byte == b')' {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }

    proptest::proptest! {
        #[test]
        fn one_pass_finds_what_each_scan_would(text in "[()'\"`\\\\x]{0,40}") {
            let opens: Vec<usize> = text.bytes().enumerate().filter(|(_, byte)| *byte == b'(').map(|(at, _)| at + 1).collect();
            let together = closers(&text, &opens, Quotes { tolerant: false });
            let each: Vec<_> = opens.iter().map(|&open| alone(&text, open)).collect();
            proptest::prop_assert_eq!(together, each);
        }
    }
}
