//! One message of a chat, taken apart: what floors and pages have a field for, and the rest, which is kept beside them.
//!
//! The rest of a message is its object with `null` where a field of ours holds the value, so that order and presence of keys
//! come back. What belongs to one swipe (`swipe_info[i]`, `variables[i]`) is kept with its page and follows it.

use super::read_date;
use crate::document::{Object, Value};
use crate::json::JsonText;
use crate::limits::SYNC_SWIPES_MAX;
use crate::mvu::strip;
use std::sync::Arc;

/// The member of a session's metadata, a floor's metadata and a page's extra that holds what SillyTavern wrote.
pub const KEY: &str = "sillytavern";

/// The only member of the object that stands for a value which looks like one of ours: `null`, or an object of this kind.
pub(super) const AS_IT_WAS: &str = "as_it_was";

/// UTF-16 units of a name, as many as the extension keeps.
const NAME_UNITS_MAX: usize = 200;

/// Texts of the system that are no replies of a model.
const SYSTEM_TYPES: [&str; 12] = [
    "help",
    "welcome",
    "empty",
    "generic",
    "narrator",
    "comment",
    "slash_commands",
    "formatting",
    "hotkeys",
    "macros",
    "welcome_prompt",
    "assistant_note",
];

/// A message, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    /// Who speaks: `user`, `assistant`, `system` or `tool`. A hidden message keeps its speaker.
    pub role: &'static str,
    /// The speaker's name.
    pub name: Option<String>,
    /// Whether it is kept out of prompts.
    pub hidden: bool,
    /// The swipe that counts.
    pub active: usize,
    /// All swipes; at least one.
    pub swipes: Vec<ChatSwipe>,
    /// The rest, for the floor's metadata.
    pub rest: JsonText,
}

/// One swipe of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatSwipe {
    /// The text.
    pub text: String,
    /// When it was written, in ms since 1970.
    pub sent_at: Option<i64>,
    /// The rest, for the page's extra.
    pub rest: JsonText,
    /// Whether MVU stored a state with it.
    pub has_state: bool,
}

/// What MVU stored with a swipe: `variables[swipe_id]`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVariables {
    /// The state.
    pub stat_data: Value,
    /// MVU's schema, or a text that says that there is none.
    pub schema: Option<Value>,
}

impl StoredVariables {
    /// What a page's extra holds of them.
    pub fn of_extra(extra: &Value) -> Option<StoredVariables> {
        let variables = extra.get(KEY)?.get("variables")?;
        let stat_data = variables.get("stat_data").filter(|data| data.as_object().is_some())?;
        Some(StoredVariables { stat_data: stat_data.clone(), schema: variables.get("schema").cloned() })
    }

    /// What MVU has to know of a page with this state; none while that is what it stored there itself.
    pub fn written(extra: Option<&Value>, state: &Value) -> Option<Value> {
        let stored = extra.and_then(StoredVariables::of_extra);
        if stored.is_some_and(|stored| strip(&stored.stat_data) == *state) {
            return None;
        }
        let known = extra.and_then(|extra| extra.get(KEY)?.get("variables"));
        let mut record = known.and_then(Value::as_object).cloned().unwrap_or_default();
        record.set("stat_data".into(), state.clone());
        Some(Value::Object(Arc::new(record)))
    }

    /// Whether they were written by a card with a Zod schema.
    pub fn is_zod(&self) -> bool {
        self.schema.as_ref().is_some_and(|schema| schema.as_str().is_some())
    }
}

/// Which swipes of a message become pages.
#[derive(Debug, Clone, Copy)]
enum Kept {
    /// The message has no swipes of its own; its text is the only one.
    Text,
    /// All of them.
    All,
    /// Those from here on, as many as a floor may have.
    From(usize),
}

impl ChatMessage {
    /// Takes a message apart; says why it is none otherwise.
    pub fn read(message: &Value) -> Result<ChatMessage, &'static str> {
        let object = message.as_object().ok_or("a line must be a JSON object")?;
        if object.get("mes").is_none() && object.get("swipes").is_none() {
            return Err("it has no text (`mes`)");
        }
        let is = |key| object.get(key).and_then(Value::as_bool) == Some(true);
        let is_user = is("is_user");
        let role = if is_user { "user" } else { role_of(object) };
        let stored = object.get("swipes").map(Value::items).filter(|swipes| !is_user && !swipes.is_empty());
        let mes = object.get("mes").map(|mes| mes.as_str().unwrap_or_default());
        let wanted = object
            .get("swipe_id")
            .and_then(Value::as_number)
            .and_then(super::super::json::number::Number::as_i64)
            .unwrap_or(0);
        let wanted = usize::try_from(wanted).unwrap_or(0);
        let (kept, count) = match stored {
            None => (Kept::Text, 1),
            Some(stored) if stored.len() <= SYNC_SWIPES_MAX => (Kept::All, stored.len()),
            Some(stored) => {
                let first = wanted.min(stored.len() - 1).min(stored.len() - SYNC_SWIPES_MAX);
                (Kept::From(first), SYNC_SWIPES_MAX)
            }
        };
        let all = stored.map_or(1, <[Value]>::len);
        // While another swipe is generated `swipe_id` points behind the last one and `mes` is still another one's text.
        let is_swiping = stored.is_some() && wanted >= all;
        let first = if let Kept::From(first) = kept { first } else { 0 };
        let active = if stored.is_none() { 0 } else { wanted.min(all - 1) - first };
        let texts = (0..count).map(|at| {
            let written = stored.and_then(|stored| stored.get(first + at));
            let shown = mes.filter(|_| at == active && !is_swiping);
            (shown.or(written.and_then(Value::as_str)).unwrap_or_default().to_owned(), written)
        });
        let texts: Vec<(String, Option<&Value>)> = texts.collect();
        let mut parts = Parts::of(object, kept, count);
        if !is_swiping {
            parts.blank("mes", |mes| mes.as_str().is_some());
            parts.blank("swipe_id", |id| stored.is_some() && *id == number(active + first));
        }
        let name = object.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).map(cut_name);
        parts.blank("name", |full| name.is_some() && full.as_str() == name.as_deref());
        let sent_at = object.get("send_date").and_then(read_date);
        let swipes = texts.into_iter().zip(parts.swipes.drain(..)).enumerate();
        let swipes = swipes.map(|(at, ((text, written), mut rest))| {
            let sent_at = match rest.get("info").and_then(|info| info.get("send_date")) {
                Some(date) if at != active => read_date(date),
                _ => sent_at.filter(|_| at == active),
            };
            if at == active {
                rest.set("shown".into(), Value::Bool(true));
            }
            if let Some(written) = written.filter(|written| written.as_str() != Some(&text)) {
                rest.set("swipe".into(), written.clone());
                rest.set("of".into(), Value::from(text.as_str()));
            }
            let has_state =
                rest.get("variables").and_then(|it| it.get("stat_data")).is_some_and(|it| it.as_object().is_some());
            let mut extra = vec![(KEY, Value::Object(Arc::new(rest)))];
            extra.extend(sent_at.map(|sent_at| ("sent_at", Value::from(sent_at))));
            ChatSwipe { text, sent_at, rest: extra.into_iter().collect::<Value>().to_text(), has_state }
        });
        let swipes = swipes.collect();
        let rest = [(KEY, Value::Object(Arc::new(parts.message)))].into_iter().collect::<Value>().to_text();
        Ok(ChatMessage { role, name, hidden: is("is_system"), active, swipes, rest })
    }
}

/// The rest of a message and of its swipes.
struct Parts {
    message: Object,
    swipes: Vec<Object>,
}

impl Parts {
    fn of(message: &Object, kept: Kept, count: usize) -> Parts {
        let mut parts = Parts { message: message.clone(), swipes: vec![Object::default(); count] };
        ["mes", "name", "swipe_id"].iter().for_each(|key| parts.escape(key));
        match kept {
            // Swipes of a user, which count for nothing, stay where they are.
            Kept::Text => {
                parts.escape("swipes");
                parts.split("variables", "variables");
            }
            Kept::All => {
                parts.blank("swipes", |_| true);
                parts.split("swipe_info", "info");
                parts.split("variables", "variables");
            }
            Kept::From(first) => {
                let all = message.get("swipes").map(Value::items).unwrap_or_default();
                let part = |items: &[Value]| items.iter().cloned().collect::<Value>();
                let others = [("before", part(&all[..first])), ("after", part(&all[first + count..]))];
                parts.message.set("swipes".into(), others.into_iter().collect());
            }
        }
        parts
    }

    /// Null stands for a field of ours, and an object for swipes beyond those that are pages: what looks like them says that it is not.
    fn escape(&mut self, key: &str) {
        self.message.edit(key, |value| {
            if matches!(value, Value::Null | Value::Object(_)) {
                *value = [(AS_IT_WAS, value.clone())].into_iter().collect();
            }
        });
    }

    /// Puts null where a field of ours has the value.
    fn blank(&mut self, key: &str, is_ours: impl FnOnce(&Value) -> bool) {
        self.message.edit(key, |value| {
            if is_ours(value) {
                *value = Value::Null;
            }
        });
    }

    /// Gives each swipe its item of a list, or its member of an object whose keys are numbers.
    fn split(&mut self, key: &str, name: &str) {
        let count = self.swipes.len();
        let swipes = &mut self.swipes;
        self.message.edit(key, |value| match value {
            Value::Array(items) if items.len() <= count => {
                for (swipe, item) in swipes.iter_mut().zip(items.iter()) {
                    swipe.set(name.into(), item.clone());
                }
                *value = Value::empty_array();
            }
            Value::Object(members) => {
                let mut others = Object::default();
                for (key, item) in members.iter() {
                    let at = key.parse::<usize>().ok().filter(|at| at.to_string() == key.as_ref());
                    match at.and_then(|at| swipes.get_mut(at)) {
                        Some(swipe) => drop(swipe.set(name.into(), item.clone())),
                        None => drop(others.set(key.clone(), item.clone())),
                    }
                }
                *value = Value::Object(Arc::new(others));
            }
            _ => {}
        });
    }
}

/// Who speaks in a message that is not the user's.
fn role_of(message: &Object) -> &'static str {
    let extra = message.get("extra");
    if extra.and_then(|extra| extra.get("tool_invocations")).is_some_and(|calls| calls.as_array().is_some()) {
        return "tool";
    }
    let kind = extra.and_then(|extra| extra.get("type")).and_then(Value::as_str);
    if kind.is_some_and(|kind| SYSTEM_TYPES.contains(&kind)) { "system" } else { "assistant" }
}

/// A name as long as names may be.
fn cut_name(name: &str) -> String {
    let mut units = 0;
    let fits = |character: &char| {
        units += character.len_utf16();
        units <= NAME_UNITS_MAX
    };
    name.chars().take_while(fits).collect()
}

pub(super) fn number(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}
