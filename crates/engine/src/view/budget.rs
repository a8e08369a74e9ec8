//! The characters of a view: when there are too many, parts are dropped, those of the lowest priority first.

use super::select::take_out;
use super::write::Style;
use crate::document::Value;
use crate::document::path::{Path, Segment, locate};
use crate::limits::VIEW_REWRITTEN_BYTES_MAX;
use std::sync::Arc;

/// One part of a view's text.
pub(super) struct ViewPart {
    pub(super) kind: PartKind,
    pub(super) priority: i64,
    pub(super) text: String,
    /// Whether the text ends where a view may have no more bytes.
    pub(super) cut: bool,
}

impl ViewPart {
    /// A part whose text was written into so many bytes.
    pub(super) fn new(kind: PartKind, priority: i64, text: String, left: &mut usize) -> ViewPart {
        let mut part = ViewPart { kind, priority, text, cut: false };
        part.count(left);
        part
    }

    /// Takes the bytes of the text from those that are left. A text that has more is not whole.
    pub(super) fn count(&mut self, left: &mut usize) {
        self.cut = self.text.len() > *left;
        *left = left.saturating_sub(self.text.len());
    }
}

/// What a part is.
#[derive(PartialEq, Eq)]
pub(super) enum PartKind {
    /// A member of the state.
    Member(Arc<str>),
    /// A state that is no object.
    State,
    /// The paths that are gone.
    Removed,
    /// A text of the view, by its number.
    Text(usize),
}

impl PartKind {
    /// What the part is, for a person.
    pub(super) fn name(&self) -> String {
        match self {
            PartKind::Member(key) => key.to_string(),
            PartKind::State => "state".to_owned(),
            PartKind::Removed => super::REMOVED.to_owned(),
            PartKind::Text(number) => format!("texts[{number}]"),
        }
    }
}

/// Something that can be dropped: a whole part, or a path inside one.
struct Candidate {
    part: usize,
    /// The path inside the state, for one that lies deeper than a member.
    inside: Option<Path>,
    priority: i64,
}

/// Drops parts until the characters fit, where each part costs one more than its text. Gives back what was dropped.
pub(super) fn fit(
    parts: &mut Vec<ViewPart>,
    state: &mut Value,
    style: Style<'_>,
    deeper: &[(Path, i64)],
    budget: usize,
) -> Vec<String> {
    let mut sizes: Vec<usize> = parts.iter().map(|part| part.text.chars().count() + 1).collect();
    let mut total: usize = sizes.iter().sum();
    if total <= budget {
        return Vec::new();
    }
    let mut candidates: Vec<Candidate> = parts
        .iter()
        .enumerate()
        .map(|(number, part)| Candidate { part: number, inside: None, priority: part.priority })
        .collect();
    for (path, priority) in deeper {
        let owner = path.segments().first().map(Segment::to_text);
        let kind = owner.map(PartKind::Member);
        if let Some(part) = parts.iter().position(|part| Some(&part.kind) == kind.as_ref()) {
            candidates.push(Candidate { part, inside: Some(path.clone()), priority: *priority });
        }
    }
    // Of equal priority the deeper and then the later goes first.
    candidates
        .sort_by_key(|candidate| (candidate.priority, candidate.inside.is_none(), std::cmp::Reverse(candidate.part)));
    let mut dropped = Vec::new();
    let mut taken: Vec<Path> = Vec::new();
    let mut gone = vec![false; parts.len()];
    let mut rewritten = 0;
    for candidate in candidates {
        if total <= budget {
            break;
        }
        let number = candidate.part;
        if gone[number] {
            continue;
        }
        // Each part of a member costs writing the whole member again, so after too many of them whole members go.
        let Some(path) = candidate.inside.filter(|_| rewritten <= VIEW_REWRITTEN_BYTES_MAX) else {
            gone[number] = true;
            total -= sizes[number];
            dropped.push(parts[number].kind.name());
            continue;
        };
        let Some(now) = path_now(&path, &taken) else { continue };
        if !take_out(state, &now) {
            continue;
        }
        dropped.push(path.to_string());
        taken.push(path);
        let part = &mut parts[number];
        part.text.clear();
        match &part.kind {
            PartKind::Member(key) if state.get(key).is_some() => {
                style.write_member(&mut part.text, key, state.get(key).unwrap_or(&Value::Null));
            }
            _ => gone[number] = true,
        }
        rewritten += part.text.len();
        gone[number] |= style.is_cut(&part.text);
        total -= sizes[number];
        sizes[number] = if gone[number] { 0 } else { part.text.chars().count() + 1 };
        total += sizes[number];
    }
    let mut numbers = 0..;
    parts.retain(|_| numbers.next().is_some_and(|number: usize| !gone[number]));
    dropped
}

/// Where a path leads after others were taken out: items of a list move up. None where it was taken out itself.
fn path_now(path: &Path, taken: &[Path]) -> Option<Vec<Segment>> {
    let segments = path.segments();
    let mut now = segments.to_vec();
    for before in taken {
        let before = before.segments();
        if segments.starts_with(before) {
            return None;
        }
        if let Some((Segment::Index(index), list)) = before.split_last()
            && segments.starts_with(list)
            && let (Some(Segment::Index(own)), Some(Segment::Index(moved))) =
                (segments.get(list.len()), now.get_mut(list.len()))
            && own > index
        {
            *moved -= 1;
        }
    }
    Some(now)
}

/// The priorities of paths that lie deeper than a member of the state, and that exist.
pub(super) fn deeper(state: &Value, priorities: &[(crate::document::path::WrittenPath, i64)]) -> Vec<(Path, i64)> {
    priorities
        .iter()
        .filter_map(|(path, priority)| {
            let segments = path.on(state);
            let located = locate(state, &segments);
            (located.exists() && located.path.segments().len() > 1).then_some((located.path, *priority))
        })
        .collect()
}
