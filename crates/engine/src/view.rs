//! Views: how a state is written into a prompt.
//!
//! ```
//! use tavernkeep_engine::{document::Value, view::View};
//!
//! let view = Value::parse(r#"{"format": "yaml", "paths": ["络络"], "texts": [{"path": "络络.亲密度", "ranges": [
//!     {"below": 20, "text": "络络很疏远。"}, {"text": "络络很亲近。"}]}]}"#).unwrap();
//! let view = View::read("status", &view).unwrap();
//! let state = Value::parse(r#"{"络络": {"亲密度": 40, "$meta": 1}, "世界": {"日": 3}}"#).unwrap();
//! assert_eq!(view.render(&state, None, false).text, "络络:\n  亲密度: 40\n络络很亲近。");
//! ```

mod budget;
mod condition;
pub mod expression;
mod read;
mod select;
mod write;
mod yaml;

pub use condition::Condition;
pub use read::InvalidView;
pub(crate) use write::Style;

use crate::document::path::WrittenPath;
use crate::document::{Number, Value};
use crate::limits::VIEW_BYTES_MAX;
use budget::{PartKind, ViewPart};
use expression::{compare_numbers, number_of, text_of};
use std::sync::Arc;

crate::stored_enum! {
    /// How a state is written.
    Format {
        /// JSON on one line.
        Json = "json",
        /// YAML, as people write it.
        Yaml = "yaml",
        /// Indented lines with as few characters as possible.
        Compact = "compact",
    }
}

/// What is done with `[value, "description"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pairs {
    /// They are lists like others.
    Lists,
    /// Only the value is shown.
    Values,
    /// Both are shown.
    Described,
}

/// How a state is written into a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What `{{view::name}}` calls it.
    pub name: Arc<str>,
    /// How the state is written.
    pub format: Format,
    /// What is shown of it; everything when absent.
    pub paths: Option<Vec<WrittenPath>>,
    /// Only what changed since the floor with this number is shown; a negative one counts back from the last floor.
    pub changed_since: Option<i64>,
    /// Keys that start with one of these are left out.
    pub hide: Vec<String>,
    /// Whether the descriptions of pairs are shown; when absent, the profile says what a pair is, and only values are shown.
    pub descriptions: Option<bool>,
    /// The characters that the text may have.
    pub budget: Option<usize>,
    /// What is dropped last when there are more: paths with the highest number; what is not named has 0.
    pub priority: Vec<(WrittenPath, i64)>,
    /// When the view has a text at all.
    pub when: Option<Condition>,
    /// A text before the state.
    pub before: String,
    /// A text behind everything.
    pub after: String,
    /// Texts that depend on the state, behind it.
    pub texts: Vec<ViewText>,
}

/// A text that depends on the state.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewText {
    /// When it is shown.
    pub when: Option<Condition>,
    /// How long it stays when there are too many characters.
    pub priority: i64,
    /// Which text it is.
    pub choice: Choice,
}

/// Which text is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// Always the same.
    Text(String),
    /// That of the first range that the value at a path lies in.
    Stages(WrittenPath, Vec<Stage>),
}

/// A range of values and its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The least number.
    pub from: Option<Number>,
    /// All numbers of the range are below this one.
    pub below: Option<Number>,
    /// The value itself.
    pub is: Option<Value>,
    /// What is shown.
    pub text: String,
}

/// The text of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenderedView {
    /// The text.
    pub text: String,
    /// What was dropped because there were too many characters, in the order in which it went: first what goes beyond the bytes that
    /// any view may have.
    pub dropped: Vec<String>,
}

impl View {
    /// A view of everything, as it is when a profile says nothing about it.
    pub fn plain(name: &str) -> View {
        View {
            name: name.into(),
            format: Format::Yaml,
            paths: None,
            changed_since: None,
            hide: vec!["_".to_owned(), "$".to_owned()],
            descriptions: None,
            budget: None,
            priority: Vec::new(),
            when: None,
            before: String::new(),
            after: String::new(),
            texts: Vec::new(),
        }
    }

    /// The text of a state. `since` is the earlier state of a view that shows what changed, and `pairs` says whether the
    /// profile has pairs of values and descriptions.
    pub fn render(&self, state: &Value, since: Option<&Value>, pairs: bool) -> RenderedView {
        let pairs = pairs || self.descriptions.is_some();
        if self.when.as_ref().is_some_and(|when| !when.holds(state, pairs)) {
            return RenderedView::default();
        }
        let style = Style {
            format: self.format,
            hidden: &self.hide,
            pairs: match (self.descriptions, pairs) {
                (Some(true), _) => Pairs::Described,
                (_, true) => Pairs::Values,
                (_, false) => Pairs::Lists,
            },
            bytes_max: VIEW_BYTES_MAX,
        };
        let mut cut = Vec::new();
        let (mut shown, mut gone) = match since {
            Some(since) => {
                let changed = select::changed(since, state, style);
                cut.extend((!changed.is_complete).then(|| REMOVED.to_owned()));
                (changed.shown, changed.gone)
            }
            None => (state.clone(), Vec::new()),
        };
        if let Some(paths) = &self.paths {
            shown = select::at_paths(&shown, paths);
            gone = since.map(|since| select::gone_at_paths(since, &gone, paths)).unwrap_or_default();
        }
        let mut left = VIEW_BYTES_MAX;
        let mut parts = self.members(&shown, style, &mut left);
        if !gone.is_empty() {
            parts.push(removed(&gone, Style { bytes_max: left, ..style }, &mut left));
        }
        // What is not whole is not shown.
        parts.retain(|part| {
            cut.extend(part.cut.then(|| part.kind.name()));
            !part.cut
        });
        parts.extend(self.chosen_texts(state, pairs));
        // A part costs its text and one character that joins it to the next; the last one has none.
        let budget = self.budget.unwrap_or(usize::MAX);
        let line = |text: &str| if text.is_empty() { 0 } else { text.chars().count() + 1 };
        let frame = line(&self.before) + line(&self.after) + if self.format == Format::Json { 2 } else { 0 };
        let deeper = budget::deeper(&shown, &self.priority);
        let room = budget.saturating_add(1).saturating_sub(frame);
        let mut dropped = cut;
        dropped.extend(budget::fit(&mut parts, &mut shown, style, &deeper, room));
        let mut frame = Frame {
            before: !self.before.is_empty(),
            state: self.paths.as_ref().is_none_or(|paths| !paths.is_empty()),
            after: !self.after.is_empty(),
        };
        let mut text = self.join(&shown, style, &parts, frame);
        // What stands around the state goes last, and a budget that is too small for that has no text at all.
        while text.chars().count() > budget {
            let Some(name) = frame.drop_next() else { break };
            dropped.push(name.to_owned());
            text = self.join(&shown, style, &parts, frame);
        }
        RenderedView { text, dropped }
    }

    /// The members of the state, each as a part. `left` are the bytes that a view may have; those of the highest priority get them
    /// first.
    fn members(&self, shown: &Value, style: Style<'_>, left: &mut usize) -> Vec<ViewPart> {
        let Some(object) = shown.as_object() else {
            let mut text = String::new();
            style.write(&mut text, shown);
            return vec![ViewPart::new(PartKind::State, 0, text, left)];
        };
        let outermost: Vec<(Vec<Arc<str>>, String, i64)> =
            self.priority.iter().map(|(path, priority)| (path.on(shown), path.to_string(), *priority)).collect();
        let mut parts = Vec::with_capacity(object.len());
        for key in object.iter().map(|(key, _)| key).filter(|key| style.shows(key)) {
            let priority = outermost
                .iter()
                // A value that is reached through a list stands outermost, under its path.
                .find(|(path, written, _)| (path.len() == 1 && path[0] == *key) || written == key.as_ref())
                .map_or(0, |(_, _, priority)| *priority);
            let kind = PartKind::Member(Arc::clone(key));
            parts.push(ViewPart { kind, priority, text: String::new(), cut: false });
        }
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|number| std::cmp::Reverse(parts[*number].priority));
        for number in order {
            let part = &mut parts[number];
            if let PartKind::Member(key) = &part.kind {
                let value = object.get(key).unwrap_or(&Value::Null);
                Style { bytes_max: *left, ..style }.write_member(&mut part.text, key, value);
            }
            part.count(left);
        }
        parts
    }

    fn chosen_texts(&self, state: &Value, pairs: bool) -> Vec<ViewPart> {
        let chosen = |text: &ViewText| {
            if text.when.as_ref().is_some_and(|when| !when.holds(state, pairs)) {
                return None;
            }
            match &text.choice {
                Choice::Text(text) => Some(text.clone()),
                Choice::Stages(path, stages) => {
                    let value = condition::meant(path.find(state)?, pairs);
                    stages.iter().find(|stage| stage.covers(value)).map(|stage| stage.text.clone())
                }
            }
        };
        let parts = self.texts.iter().enumerate().filter_map(|(number, text)| {
            let kind = PartKind::Text(number);
            chosen(text).map(|chosen| ViewPart { kind, priority: text.priority, text: chosen, cut: false })
        });
        parts.collect()
    }

    fn join(&self, shown: &Value, style: Style<'_>, parts: &[ViewPart], frame: Frame) -> String {
        let (texts, state): (Vec<&ViewPart>, Vec<&ViewPart>) =
            parts.iter().partition(|part| matches!(part.kind, PartKind::Text(_)));
        let mut lines: Vec<String> = Vec::new();
        if frame.before {
            lines.push(self.before.clone());
        }
        if frame.state {
            let joined =
                |separator: &str| state.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(separator);
            let is_object = shown.as_object().is_some();
            match (style.format, state.is_empty()) {
                (Format::Json, _) if is_object => lines.push(format!("{{{}}}", joined(","))),
                (_, true) => lines.push("{}".to_owned()),
                _ => lines.push(joined("\n")),
            }
        }
        lines.extend(texts.iter().map(|part| part.text.clone()));
        if frame.after {
            lines.push(self.after.clone());
        }
        lines.join("\n")
    }
}

/// What stands around the parts of a view, and whether the state is shown at all.
#[derive(Debug, Clone, Copy)]
struct Frame {
    before: bool,
    state: bool,
    after: bool,
}

impl Frame {
    /// Drops what can be done without next; its name.
    fn drop_next(&mut self) -> Option<&'static str> {
        let order = [(&mut self.after, "after"), (&mut self.before, "before"), (&mut self.state, "state")];
        order.into_iter().find_map(|(shown, name)| std::mem::take(shown).then_some(name))
    }
}

/// What paths that are gone are listed under.
const REMOVED: &str = "$removed";

/// The paths that a later state does not have any more.
fn removed(gone: &[crate::document::path::Path], style: Style<'_>, left: &mut usize) -> ViewPart {
    let paths: Value = gone.iter().map(|path| Value::from(path.to_string())).collect();
    let mut text = String::new();
    style.write_member(&mut text, REMOVED, &paths);
    ViewPart::new(PartKind::Removed, 0, text, left)
}

impl Stage {
    /// Whether a value lies in the range. One that holds single values looks at the value of a pair, as conditions do.
    fn covers(&self, value: &Value) -> bool {
        let names_list = self.is.as_ref().is_some_and(|is| is.as_array().is_some());
        let value = if names_list { value } else { condition::meant(value, true) };
        if let Some(is) = &self.is {
            return is == value || text_of(is) == text_of(value);
        }
        if self.from.is_none() && self.below.is_none() {
            return true;
        }
        let Some(number) = number_of(value) else { return false };
        let least = self.from.is_none_or(|from| compare_numbers(from, number).is_some_and(std::cmp::Ordering::is_le));
        least && self.below.is_none_or(|below| compare_numbers(number, below).is_some_and(std::cmp::Ordering::is_lt))
    }
}
