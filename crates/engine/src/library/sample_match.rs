//! Authors' patterns tried on short samples, without the JavaScript machine: enough of its syntax to say whether a pattern can find
//! a command. What is only an assertion is taken for true, and a pattern that cannot be read finds nothing.

use std::cell::Cell;
use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

/// Steps of one pattern on all samples together. Samples are a line, and most patterns take some hundred steps on each.
const STEPS_MAX: usize = 100_000;
/// Calls inside each other while a pattern is tried. Each has a place on the stack, and a thread has two megabytes of it.
const CALLS_MAX: usize = 400;
/// Groups inside each other.
const DEPTH_MAX: usize = 32;

/// A pattern that was read.
pub(super) struct SamplePattern {
    node: Node,
    folds: bool,
    /// Steps that were taken.
    steps: Cell<usize>,
    /// Calls that have not returned.
    calls: Cell<usize>,
}

enum Node {
    Empty,
    Literal(char),
    Any,
    /// Ranges of characters, and whether they are those that it does not match.
    Class(Vec<(char, char)>, bool),
    Start,
    End,
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: usize,
        most: usize,
    },
}

impl SamplePattern {
    /// Reads `/…/flags` or just the pattern.
    pub(super) fn read(pattern: &str) -> Option<SamplePattern> {
        let literal = pattern.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let (source, folds) = match literal {
            Some((source, flags)) if flags.bytes().all(|flag| flag.is_ascii_lowercase()) => {
                (source, flags.contains('i'))
            }
            _ => (pattern, false),
        };
        let mut reader = Reader { rest: source.chars().peekable() };
        let node = reader.choice(0)?;
        reader.rest.next().is_none().then(|| SamplePattern { node, folds, steps: Cell::new(0), calls: Cell::new(0) })
    }

    /// Whether a match in the text, of at least one character, touches the span, counted in characters.
    pub(super) fn touches(&self, text: &str, span: &Range<usize>) -> bool {
        let text: Vec<char> = text.chars().map(|letter| self.fold(letter)).collect();
        (0..span.end.min(text.len()))
            .any(|start| self.matches(&self.node, &text, start, &mut |end| end > start && end > span.start))
    }

    fn fold(&self, letter: char) -> char {
        if self.folds { letter.to_lowercase().next().unwrap_or(letter) } else { letter }
    }

    /// Takes a step, unless there were too many or they are too deep inside each other.
    fn step(&self, run: impl FnOnce() -> bool) -> bool {
        if self.steps.get() >= STEPS_MAX || self.calls.get() >= CALLS_MAX {
            return false;
        }
        self.steps.set(self.steps.get() + 1);
        self.calls.set(self.calls.get() + 1);
        let found = run();
        self.calls.set(self.calls.get() - 1);
        found
    }

    fn matches(&self, node: &Node, text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
        self.step(|| self.matches_here(node, text, at, then))
    }

    fn matches_here(&self, node: &Node, text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
        let letter = text.get(at).copied();
        match node {
            Node::Empty => then(at),
            Node::Literal(wanted) => letter == Some(self.fold(*wanted)) && then(at + 1),
            Node::Any => letter.is_some_and(|letter| letter != '\n') && then(at + 1),
            Node::Class(ranges, negated) => {
                let is_in = |letter: char| {
                    ranges.iter().any(|(first, last)| {
                        let folded = self.fold(*first)..=self.fold(*last);
                        (*first..=*last).contains(&letter) || folded.contains(&letter)
                    })
                };
                letter.is_some_and(|letter| is_in(letter) != *negated) && then(at + 1)
            }
            Node::Start => at == 0 && then(at),
            Node::End => at == text.len() && then(at),
            Node::Choice(nodes) => nodes.iter().any(|node| self.matches(node, text, at, then)),
            Node::Sequence(nodes) => self.sequence(nodes, text, at, then),
            // More rounds than there are characters find something only where a round may find nothing.
            Node::Repeat { node, least, most } => {
                self.repeat(node, ((*least).min(text.len() + 1), *most), text, at, then)
            }
        }
    }

    fn repeat(
        &self,
        node: &Node,
        (least, most): (usize, usize),
        text: &[char],
        at: usize,
        then: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        (most > 0
            && self.matches(node, text, at, &mut |next| {
                // A round that matches nothing would go on for ever.
                (next > at || least > 0) && self.repeat(node, (least.saturating_sub(1), most - 1), text, next, then)
            }))
            || (least == 0 && then(at))
    }

    fn sequence(&self, nodes: &[Node], text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
        match nodes.split_first() {
            None => then(at),
            Some((first, rest)) => self.matches(first, text, at, &mut |next| self.sequence(rest, text, next, then)),
        }
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn choice(&mut self, depth: usize) -> Option<Node> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut nodes = vec![self.sequence(depth)?];
        while self.rest.next_if_eq(&'|').is_some() {
            nodes.push(self.sequence(depth)?);
        }
        if nodes.len() == 1 { nodes.pop() } else { Some(Node::Choice(nodes)) }
    }

    fn sequence(&mut self, depth: usize) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(next) = self.rest.next_if(|next| !matches!(next, '|' | ')')) {
            let node = match next {
                '.' => Node::Any,
                '^' => Node::Start,
                '$' => Node::End,
                '[' => self.class()?,
                '(' => self.group(depth)?,
                '\\' => self.escape()?,
                '*' | '+' | '?' => return None,
                literal => Node::Literal(literal),
            };
            nodes.push(self.repeated(node)?);
        }
        Some(Node::Sequence(nodes))
    }

    fn group(&mut self, depth: usize) -> Option<Node> {
        let mut is_assertion = false;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next()? {
                ':' => {}
                '=' | '!' => is_assertion = true,
                '<' => match self.rest.next()? {
                    '=' | '!' => is_assertion = true,
                    _ => while self.rest.next()? != '>' {},
                },
                _ => return None,
            }
        }
        let node = self.choice(depth + 1)?;
        self.rest.next_if_eq(&')')?;
        Some(if is_assertion { Node::Empty } else { node })
    }

    fn repeated(&mut self, node: Node) -> Option<Node> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => match braces(self.rest.clone()) {
                Some((bounds, length)) => {
                    self.rest.nth(length - 2);
                    bounds
                }
                None => return Some(node),
            },
            _ => return Some(node),
        };
        self.rest.next();
        // Whether it takes much or little first does not matter here.
        self.rest.next_if_eq(&'?');
        Some(Node::Repeat { node: Box::new(node), least, most })
    }

    fn escape(&mut self) -> Option<Node> {
        let escaped = self.rest.next()?;
        Some(match class_of(escaped) {
            Some((ranges, negated)) => Node::Class(ranges, negated),
            None => match escaped {
                'b' | 'B' => Node::Empty,
                // What an earlier group found.
                '1'..='9' | 'k' => Node::Repeat { node: Box::new(Node::Any), least: 0, most: usize::MAX },
                escaped => Node::Literal(self.character(escaped)?),
            },
        })
    }

    /// The character that an escape stands for.
    fn character(&mut self, escaped: char) -> Option<char> {
        let digits = match escaped {
            'n' => return Some('\n'),
            't' => return Some('\t'),
            'r' => return Some('\r'),
            '0' => return Some('\0'),
            'x' => 2,
            'u' => 4,
            escaped => return Some(escaped),
        };
        let digits: String = self.rest.by_ref().take(digits).collect();
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
    }

    fn class(&mut self) -> Option<Node> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let first = match self.rest.next()? {
                ']' => return Some(Node::Class(ranges, negated)),
                '\\' => {
                    let escaped = self.rest.next()?;
                    if let Some((class, inverted)) = class_of(escaped) {
                        // Of what such a class leaves out the samples have nothing beside spaces.
                        ranges.extend(if inverted { vec![('\0', char::MAX)] } else { class });
                        continue;
                    }
                    self.character(escaped)?
                }
                first => first,
            };
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|last| last != ']') {
                self.rest.next();
                let last = match self.rest.next()? {
                    '\\' => {
                        let escaped = self.rest.next()?;
                        self.character(escaped)?
                    }
                    last => last,
                };
                ranges.push((first, last));
            } else {
                ranges.push((first, first));
            }
        }
    }
}

/// `\w` and its like: what is in the class, and whether that is what it leaves out.
fn class_of(escaped: char) -> Option<(Vec<(char, char)>, bool)> {
    let ranges = match escaped.to_ascii_lowercase() {
        'w' => vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
        'd' => vec![('0', '9')],
        's' => vec![(' ', ' '), ('\t', '\r'), ('\u{a0}', '\u{a0}'), ('\u{3000}', '\u{3000}')],
        _ => return None,
    };
    Some((ranges, escaped.is_ascii_uppercase()))
}

/// The bounds of `{2,5}` and its length in characters, if that is what follows.
fn braces(rest: Peekable<Chars<'_>>) -> Option<((usize, usize), usize)> {
    let text: String = rest.take_while(|letter| *letter != '}').collect();
    let inner = text.strip_prefix('{')?;
    let bounds = match inner.split_once(',') {
        None => (inner.parse().ok()?, inner.parse().ok()?),
        Some((least, "")) => (least.parse().ok()?, usize::MAX),
        Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
    };
    Some((bounds, text.chars().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(pattern: &str, text: &str) -> bool {
        SamplePattern::read(pattern).is_some_and(|pattern| pattern.touches(text, &(0..usize::MAX)))
    }

    #[test]
    fn patterns_are_read_as_javascript_reads_them() {
        for (pattern, text) in [
            ("a+b*c?", "aab"),
            ("(?:x|y){2,3}", "zxyz"),
            (r"\u0041\x42", "AB"),
            (r"[^a-c\d]", "a1d"),
            ("/HeLLo/i", "hello"),
            ("(?<name>a)(?=b)", "a"),
            (r"^(\w+)\s\1$", "ab ab"),
            ("a{2}", "aa"),
            ("a{x", "a{x"),
            ("[-a]", "-"),
            ("(a*)*b", "aab"),
        ] {
            assert!(finds(pattern, text), "{pattern} in {text}");
        }
        for (pattern, text) in
            [("a{2}", "a"), ("^b", "ab"), ("[^a]", "a"), ("(", ""), ("", "a"), ("a*", "b"), ("/A/", "a"), ("*", "*")]
        {
            assert!(!finds(pattern, text), "{pattern} in {text}");
        }
    }

    #[test]
    fn what_takes_too_long_finds_nothing() {
        assert!(!finds("(a+)+$", &format!("{}b", "a".repeat(60))));
        let pattern = SamplePattern::read("(a+)+$").unwrap();
        for _ in 0..50 {
            assert!(!pattern.touches(&format!("{}b", "a".repeat(60)), &(0..usize::MAX)));
        }
        assert!(pattern.steps.get() <= STEPS_MAX, "{}", pattern.steps.get());
    }

    #[test]
    fn rounds_that_find_nothing_do_not_fill_the_stack() {
        assert!(finds("(?:){9999}a", "a"));
        assert!(finds("((?:)|b){9999}a", "ba"));
        assert!(!finds("a{9999}", &"a".repeat(60)));
        assert!(!finds(&"(?:)".repeat(1_000), "a"));
        assert!(!finds(&format!("{}a", "b*".repeat(2_000)), &"a".repeat(60)));
    }
}
