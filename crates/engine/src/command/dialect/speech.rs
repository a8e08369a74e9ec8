//! Which parts of a reply are speech: not inside `<think>`, and inside the named tags when a profile names some.

use super::{Findings, Limit, Sign};
use crate::limits::{SIGNS_MAX, TAGS_MAX};
use crate::names::problem::Code;
use crate::rules::profile::Profile;
use memchr::memmem;
use std::ops::Range;

/// The readable parts of the text, in order.
pub(super) fn visible(text: &str, profile: &Profile, findings: &mut Findings) -> Vec<Range<usize>> {
    let spoken =
        if profile.skip_thinking { spoken(text, findings) } else { Vec::from([Range { start: 0, end: text.len() }]) };
    if profile.only_in_tags.is_empty() {
        return spoken;
    }
    // Tags are read in any case. Lowering ASCII letters keeps every place.
    let lower = text.to_ascii_lowercase();
    let mut inside: Vec<_> = spoken
        .into_iter()
        .flat_map(|range| inside_tags(&lower, range, &profile.only_in_tags))
        .take(TAGS_MAX + 1)
        .collect();
    if inside.len() > TAGS_MAX {
        findings.stop(inside[TAGS_MAX].start..text.len(), Limit::Tags);
        inside.truncate(TAGS_MAX);
    }
    inside
}

/// Cuts out `<think>…</think>` and `<thinking>…</thinking>`.
///
/// Some templates write the opening tag into the prompt, so a reply may start inside; and a reply that was cut off may
/// never leave. Both are thinking.
fn spoken(text: &str, findings: &mut Findings) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    let mut opened = false;
    let mut starts_inside = true;
    for word in thinking_words(text.as_bytes()) {
        if let Some(limit) = findings.look(Sign::Thinking).or((ranges.len() == TAGS_MAX).then_some(Limit::Tags)) {
            findings.stop(word..text.len(), limit);
            // Behind the limit it is unknown what is thinking, so nothing there is speech.
            if !opened {
                ranges.push(from..word);
            }
            ranges.retain(|range| !range.is_empty());
            return ranges;
        }
        let Some(tag) = tag_around(text, word) else { continue };
        match (tag.closes, opened) {
            (false, false) => {
                ranges.push(from..tag.range.start);
                opened = true;
                starts_inside = false;
            }
            (true, true) => {
                opened = false;
                from = tag.range.end;
            }
            // The opening tag stood in the prompt: everything so far was thinking.
            (true, false) if starts_inside => {
                hidden(text, 0..tag.range.start, findings);
                ranges.clear();
                from = tag.range.end;
                starts_inside = false;
            }
            _ => {}
        }
    }
    if !opened {
        ranges.push(from..text.len());
    } else if !text[..ranges.last().map_or(0, |range: &Range<usize>| range.end)].trim().is_empty() {
        // An opening tag in the middle that never closes is more likely a mention than the end of all speech.
        let start = ranges.pop().map_or(0, |range| range.start);
        ranges.push(start..text.len());
    } else {
        hidden(text, ranges.last().map_or(0, |range| range.end)..text.len(), findings);
    }
    ranges.retain(|range| !range.is_empty());
    ranges
}

/// Where `think` stands, in any case: what is behind its first letter is mostly all small or all large.
fn thinking_words(bytes: &[u8]) -> Vec<usize> {
    let find = |rest: &'static [u8]| {
        let starts = memmem::find_iter(bytes, rest).filter_map(|at| at.checked_sub(1));
        starts.filter(|at| bytes[*at].eq_ignore_ascii_case(&b't')).take(SIGNS_MAX + 1)
    };
    let mut words: Vec<usize> = find(b"hink").chain(find(b"HINK")).collect();
    words.sort_unstable();
    words
}

/// Says that commands were not read because a tag is missing.
fn hidden(text: &str, range: Range<usize>, findings: &mut Findings) {
    let thought = &text.as_bytes()[range.clone()];
    if [&b"@."[..], b"_.", b"JSONPatch>"].iter().any(|sign| memmem::find(thought, sign).is_some()) {
        let message = "this is taken for thinking, since one of its two tags is missing; commands in it are not read";
        findings.problem(Code::Unreadable, range, message);
    }
}

struct Tag {
    range: Range<usize>,
    closes: bool,
}

/// The tag whose name starts with the `think` at `word`.
fn tag_around(text: &str, word: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let has = |name: &[u8]| bytes[word..].get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let name = if has(b"thinking") { 8 } else { 5 };
    let blanks = bytes[word + name..].iter().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let end = word + name + blanks + 1;
    if bytes.get(end - 1) != Some(&b'>') {
        return None;
    }
    match bytes.get(..word)? {
        [.., b'<', b'/'] => Some(Tag { range: word - 2..end, closes: true }),
        [.., b'<'] => Some(Tag { range: word - 1..end, closes: false }),
        _ => None,
    }
}

/// The insides of the named tags; an unclosed one reaches to the end.
fn inside_tags(text: &str, range: Range<usize>, tags: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for tag in tags {
        let (open, close) = (format!("<{}>", tag.to_ascii_lowercase()), format!("</{}>", tag.to_ascii_lowercase()));
        let mut at = range.start;
        while found.len() <= TAGS_MAX
            && let Some(start) = memmem::find(&text.as_bytes()[at..range.end], open.as_bytes())
        {
            let inside = at + start + open.len();
            let end = memmem::find(&text.as_bytes()[inside..range.end], close.as_bytes())
                .map_or(range.end, |end| inside + end);
            found.push(inside..end);
            at = end;
        }
    }
    found.sort_by_key(|range| range.start);
    // A tag inside another one is already readable.
    let mut end = 0;
    found.retain(|range| {
        let outer = range.start >= end;
        end = end.max(range.end);
        outer
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        spoken(text, &mut Findings::default()).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn thinking_is_cut_out() {
        assert_eq!(shown("a<think>b</think>c<thinking>d</thinking>e"), ["a", "c", "e"]);
        assert_eq!(shown("b</think>c"), ["c"]);
        assert!(shown("<think>never closed").is_empty());
        assert_eq!(shown("I think <think> is a tag"), ["I think <think> is a tag"]);
        assert_eq!(shown("a<THINK>b</Think >c"), ["a", "c"]);
        assert_eq!(shown("plain"), ["plain"]);
    }
}
