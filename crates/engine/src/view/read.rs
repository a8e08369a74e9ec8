//! Views as data, in a profile.

use super::expression::InvalidExpression;
use super::{Choice, Condition, Format, Stage, View, ViewText};
use crate::document::path::WrittenPath;
use crate::document::{Number, Value};
use crate::limits::{CONDITION_WORDS_MAX, MACRO_DEPTH_MAX, VIEW_ROWS_MAX, VIEW_TEXT_BYTES_MAX};
use std::fmt;

/// Why a value is no view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidView {
    /// Where in the view, as a JSON Pointer.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for InvalidView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

fn wrong<T>(at: impl Into<String>, message: impl Into<String>) -> Result<T, InvalidView> {
    Err(InvalidView { at: at.into(), message: message.into() })
}

impl View {
    /// Reads a view: an object whose fields change [`View::plain`].
    pub fn read(name: &str, value: &Value) -> Result<View, InvalidView> {
        let mut view = View::plain(name);
        if name.is_empty()
            || name.len() > 100
            || name.contains(|c: char| c.is_control() || c.is_whitespace() || "{}:".contains(c))
        {
            return wrong("", "the name of a view has 1 to 100 bytes and none of blanks, braces and colons");
        }
        let Some(fields) = value.as_object() else { return wrong("", "a view is an object") };
        for (field, value) in fields.iter() {
            let at = format!("/{field}");
            match field.as_ref() {
                "format" => {
                    view.format = match value.as_str().and_then(|word| word.parse().ok()) {
                        Some(format) => format,
                        None => return wrong(at, format!("must be one of {}", Format::WORDS.join(", "))),
                    }
                }
                "paths" => {
                    let items = rows(&at, value)?;
                    let paths = items.iter().enumerate().map(|(number, item)| path(&format!("{at}/{number}"), item));
                    view.paths = Some(paths.collect::<Result<_, _>>()?);
                }
                "changed_since" => view.changed_since = Some(integer(&at, value)?),
                "hide" => {
                    let items = rows(&at, value)?;
                    let prefixes = items.iter().map(|item| item.as_str().filter(|text| !text.is_empty()));
                    view.hide = match prefixes.map(|prefix| prefix.map(str::to_owned)).collect() {
                        Some(prefixes) => prefixes,
                        None => return wrong(at, "must be a list of prefixes of keys"),
                    }
                }
                "descriptions" => {
                    view.descriptions = match value.as_bool() {
                        Some(truth) => Some(truth),
                        None => return wrong(at, "must be true or false"),
                    }
                }
                "budget" => {
                    view.budget = match usize::try_from(integer(&at, value)?) {
                        Ok(budget) if budget > 0 => Some(budget),
                        _ => return wrong(at, "must be a number of characters above 0"),
                    }
                }
                "priority" => {
                    let Some(members) = value.as_object().filter(|members| members.len() <= VIEW_ROWS_MAX) else {
                        return wrong(at, format!("must be an object of paths and numbers, at most {VIEW_ROWS_MAX}"));
                    };
                    for (written, priority) in members.iter() {
                        let written = path(&at, &Value::from(written.as_ref()))?;
                        view.priority.push((written, integer(&at, priority)?));
                    }
                }
                "when" => view.when = Some(condition(&at, value)?),
                "before" => view.before = text(&at, value)?,
                "after" => view.after = text(&at, value)?,
                "texts" => {
                    let items = rows(&at, value)?;
                    let texts =
                        items.iter().enumerate().map(|(number, item)| view_text(&format!("{at}/{number}"), item));
                    view.texts = texts.collect::<Result<_, _>>()?;
                }
                _ => return wrong(at, format!("a view has no field {field:?}")),
            }
        }
        Ok(view)
    }
}

impl View {
    /// What is wrong with a view that is written now and was accepted before: paths that lead nowhere on any state.
    pub fn check_new(&self) -> Result<(), InvalidView> {
        let paths = self.paths.iter().flatten().enumerate().map(|(number, path)| (format!("/paths/{number}"), path));
        let priority = self.priority.iter().map(|(path, _)| ("/priority".to_owned(), path));
        let texts = self.texts.iter().enumerate().filter_map(|(number, text)| match &text.choice {
            Choice::Stages(path, _) => Some((format!("/texts/{number}/path"), path)),
            Choice::Text(_) => None,
        });
        match paths.chain(priority).chain(texts).find(|(_, path)| path.has_gap()) {
            Some((at, path)) => {
                let written = path.to_string();
                wrong(at, format!("{written:?} is no path; write it as a.b[0][\"c.d\"]"))
            }
            None => Ok(()),
        }
    }
}

fn view_text(at: &str, value: &Value) -> Result<ViewText, InvalidView> {
    let Some(fields) = value.as_object() else { return wrong(at, "must be an object") };
    let (mut when, mut priority, mut fixed, mut stage_path, mut stages) = (None, 0, None, None, None);
    for (field, value) in fields.iter() {
        let at = format!("{at}/{field}");
        match field.as_ref() {
            "when" => when = Some(condition(&at, value)?),
            "priority" => priority = integer(&at, value)?,
            "text" => fixed = Some(text(&at, value)?),
            "path" => stage_path = Some(path(&at, value)?),
            "ranges" => {
                let items = rows(&at, value)?;
                let read = items.iter().enumerate().map(|(number, item)| stage(&format!("{at}/{number}"), item));
                stages = Some(read.collect::<Result<Vec<_>, _>>()?);
            }
            _ => return wrong(at, format!("a text of a view has no field {field:?}")),
        }
    }
    let choice = match (fixed, stage_path, stages) {
        (Some(text), None, None) => Choice::Text(text),
        (None, Some(path), Some(stages)) => Choice::Stages(path, stages),
        _ => return wrong(at, "must have either `text`, or `path` and `ranges`"),
    };
    Ok(ViewText { when, priority, choice })
}

fn stage(at: &str, value: &Value) -> Result<Stage, InvalidView> {
    let Some(fields) = value.as_object() else { return wrong(at, "must be an object") };
    let mut stage = Stage { from: None, below: None, is: None, text: String::new() };
    for (field, value) in fields.iter() {
        let at = format!("{at}/{field}");
        match field.as_ref() {
            "from" => stage.from = Some(number(&at, value)?),
            "below" => stage.below = Some(number(&at, value)?),
            "is" => stage.is = Some(value.clone()),
            "text" => stage.text = text(&at, value)?,
            _ => return wrong(at, format!("a range has no field {field:?}")),
        }
    }
    if !fields.contains_key("text") {
        return wrong(at, "must have a `text`");
    }
    Ok(stage)
}

fn rows<'v>(at: &str, value: &'v Value) -> Result<&'v [Value], InvalidView> {
    match value.as_array() {
        Some(items) if items.len() <= VIEW_ROWS_MAX => Ok(items.as_slice()),
        _ => wrong(at, format!("must be a list of at most {VIEW_ROWS_MAX} items")),
    }
}

fn path(at: &str, value: &Value) -> Result<WrittenPath, InvalidView> {
    let Some(text) = value.as_str() else { return wrong(at, "must be a path") };
    text.parse().or_else(|error: crate::document::path::InvalidPath| wrong(at, error.to_string()))
}

fn text(at: &str, value: &Value) -> Result<String, InvalidView> {
    match value.as_str() {
        Some(text) if text.len() <= VIEW_TEXT_BYTES_MAX => Ok(text.to_owned()),
        _ => wrong(at, format!("must be a text of at most {VIEW_TEXT_BYTES_MAX} bytes")),
    }
}

fn number(at: &str, value: &Value) -> Result<Number, InvalidView> {
    value.as_number().map_or_else(|| wrong(at, "must be a number"), Ok)
}

fn integer(at: &str, value: &Value) -> Result<i64, InvalidView> {
    number(at, value)?.as_i64().map_or_else(|| wrong(at, "must be an integer"), Ok)
}

fn condition(at: &str, value: &Value) -> Result<Condition, InvalidView> {
    let Some(text) = value.as_str() else { return wrong(at, "must be a condition") };
    text.parse().or_else(|invalid| match invalid {
        InvalidExpression::Limit => wrong(
            at,
            format!(
                "is too long: a condition has at most {VIEW_TEXT_BYTES_MAX} bytes, {CONDITION_WORDS_MAX} words and signs, and \
                 {MACRO_DEPTH_MAX} parentheses inside each other"
            ),
        ),
        InvalidExpression::Unsupported => wrong(
            at,
            "is no condition; compare paths with numbers or quoted text, such as `世界.天 >= 3 and 心情 == \"好\"`",
        ),
    })
}

impl View {
    /// The view as data: fields that differ from [`View::plain`].
    pub fn to_value(&self) -> Value {
        let plain = View::plain(&self.name);
        let texts = |texts: &[String]| texts.iter().map(|text| Value::from(text.as_str())).collect::<Value>();
        let (budget, priority) = (self.budget.and_then(|budget| i64::try_from(budget).ok()), &self.priority);
        let fields = [
            ("format", Some(Value::from(self.format.as_str()))),
            (
                "paths",
                self.paths.as_ref().map(|paths| paths.iter().map(|path| Value::from(path.to_string())).collect()),
            ),
            ("changed_since", self.changed_since.map(Value::from)),
            ("hide", (self.hide != plain.hide).then(|| texts(&self.hide))),
            ("descriptions", self.descriptions.map(Value::Bool)),
            ("budget", budget.map(Value::from)),
            (
                "priority",
                (!priority.is_empty())
                    .then(|| priority.iter().map(|(path, number)| (path.to_string(), Value::from(*number))).collect()),
            ),
            ("when", self.when.as_ref().map(|when| Value::from(when.as_str()))),
            ("before", (!self.before.is_empty()).then(|| Value::from(self.before.as_str()))),
            ("after", (!self.after.is_empty()).then(|| Value::from(self.after.as_str()))),
            ("texts", (!self.texts.is_empty()).then(|| self.texts.iter().map(ViewText::to_value).collect())),
        ];
        fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
    }
}

impl ViewText {
    fn to_value(&self) -> Value {
        let (text, path, ranges) = match &self.choice {
            Choice::Text(text) => (Some(Value::from(text.as_str())), None, None),
            Choice::Stages(path, stages) => {
                (None, Some(Value::from(path.to_string())), Some(stages.iter().map(Stage::to_value).collect()))
            }
        };
        let fields = [
            ("when", self.when.as_ref().map(|when| Value::from(when.as_str()))),
            ("priority", (self.priority != 0).then(|| Value::from(self.priority))),
            ("text", text),
            ("path", path),
            ("ranges", ranges),
        ];
        fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
    }
}

impl Stage {
    fn to_value(&self) -> Value {
        let fields = [
            ("from", self.from.map(Value::Number)),
            ("below", self.below.map(Value::Number)),
            ("is", self.is.clone()),
            ("text", Some(Value::from(self.text.as_str()))),
        ];
        fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
    }
}
