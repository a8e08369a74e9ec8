//! Which parts of a reply are speech: not inside `<think>`, and inside the named tags when a profile names some.

use super::{Findings, Limit, Sign};
use crate::limits::TAGS_MAX;
use crate::profile::Profile;
use memchr::memmem;
use std::ops::Range;

/// The readable parts of the text, in order.
pub(super) fn visible(text: &str, profile: &Profile, findings: &mut Findings) -> Vec<Range<usize>> {
    let spoken =
        if profile.skip_thinking { spoken(text, findings) } else { Vec::from([Range { start: 0, end: text.len() }]) };
    if profile.only_in_tags.is_empty() {
        return spoken;
    }
    let mut inside: Vec<_> = spoken
        .into_iter()
        .flat_map(|range| inside_tags(text, range, &profile.only_in_tags))
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
    for word in memmem::find_iter(text.as_bytes(), b"think") {
        if let Some(limit) = findings.look(Sign::Thinking).or((ranges.len() == TAGS_MAX).then_some(Limit::Tags)) {
            findings.stop(word..text.len(), limit);
            // Behind the limit nobody knows what is thinking, so nothing there is speech.
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
    }
    ranges.retain(|range| !range.is_empty());
    ranges
}

struct Tag {
    range: Range<usize>,
    closes: bool,
}

/// The tag whose name starts with the `think` at `word`.
fn tag_around(text: &str, word: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let end = if bytes[word..].starts_with(b"thinking>") {
        word + 9
    } else if bytes[word..].starts_with(b"think>") {
        word + 6
    } else {
        return None;
    };
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
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
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
        assert_eq!(shown("plain"), ["plain"]);
    }
}
