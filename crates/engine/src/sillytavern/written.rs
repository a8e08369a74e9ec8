//! Messages as SillyTavern writes them, put together from floors and pages and what was kept beside them.

use super::message::{AS_IT_WAS, KEY, number};
use crate::document::{Object, Value};
use crate::time::format_iso;
use std::sync::Arc;

/// A floor that becomes a message.
#[derive(Debug, Clone)]
pub struct WrittenMessage<'a> {
    /// The metadata of the floor.
    pub metadata: Option<&'a Value>,
    /// Its pages, in the order of the swipes; at least one.
    pub pages: &'a [WrittenPage],
    /// What the speaker is called who has no name.
    pub default_name: &'a str,
}

/// A page that becomes a swipe.
#[derive(Debug, Clone, Default)]
pub struct WrittenPage {
    /// Its text.
    pub text: String,
    /// Who speaks.
    pub role: Option<String>,
    /// The speaker's name.
    pub name: Option<String>,
    /// Whether it is the one that counts.
    pub is_active: bool,
    /// The page's extra.
    pub extra: Option<Value>,
    /// When it was made, in ms since 1970.
    pub created_at: i64,
    /// What MVU has to know about it; none where that stays as it was.
    pub variables: Option<Value>,
}

impl WrittenPage {
    /// What SillyTavern wrote about this swipe.
    fn rest(&self) -> Option<&Value> {
        self.extra.as_ref()?.get(KEY)
    }

    fn kept(&self, key: &str) -> Option<&Value> {
        self.rest()?.get(key)
    }

    /// The text as it stands among the swipes: what was written there, while that still belongs to the text.
    fn swipe(&self) -> Value {
        let written = self.kept("swipe").filter(|_| self.kept("of").and_then(Value::as_str) == Some(&self.text));
        written.cloned().unwrap_or_else(|| Value::from(self.text.as_str()))
    }

    fn variables(&self) -> Option<Value> {
        self.variables.clone().or_else(|| self.kept("variables").cloned())
    }

    fn date(&self) -> Value {
        Value::from(format_iso(self.created_at))
    }

    fn info(&self) -> Value {
        let own = || [("send_date", self.date()), ("extra", Value::empty_object())].into_iter().collect();
        self.kept("info").cloned().unwrap_or_else(own)
    }
}

/// The header of a chat that never had one: an empty one of 1.19. `tainted` keeps SillyTavern from building the greeting again.
pub fn header(stored: Option<&Value>) -> Value {
    let unused = || Value::from("unused");
    let metadata = || [("tainted", Value::Bool(true))].into_iter().collect();
    let empty = || [("chat_metadata", metadata()), ("user_name", unused()), ("character_name", unused())];
    stored.filter(|header| header.as_object().is_some()).cloned().unwrap_or_else(|| empty().into_iter().collect())
}

/// A floor as a message.
pub fn message(written: &WrittenMessage<'_>) -> Value {
    let active = written.pages.iter().position(|page| page.is_active).unwrap_or(0);
    let Some(page) = written.pages.get(active) else { return Value::Null };
    let rest = written.metadata.and_then(|metadata| metadata.get(KEY)).and_then(Value::as_object);
    let mut message = rest.cloned().unwrap_or_else(|| new_message(page, written.default_name));
    let id = message.get("swipe_id").and_then(Value::as_number).and_then(|id| usize::try_from(id.as_i64()?).ok());
    let others = Others::of(&message);
    let count = others.before.len() + written.pages.len() + others.after.len();
    // Another swipe was wanted and never came; the text that was shown meanwhile is kept.
    let is_swiping = id.is_some_and(|id| id >= count);
    // Swipes that are a list stand as they were written, because they count for nothing.
    let has_swipes = match message.get("swipes") {
        Some(Value::Object(kept)) => kept.get(AS_IT_WAS).is_none(),
        found => found == Some(&Value::Null),
    };
    let keeps_text = match message.get("mes") {
        // It had none, and is read as its swipe.
        None => has_swipes || page.text.is_empty(),
        Some(Value::Null) => false,
        Some(Value::String(_)) => is_swiping,
        Some(_) => page.text.is_empty(),
    };
    if !keeps_text {
        message.set("mes".into(), Value::from(page.text.as_str()));
    }
    let name = match message.get("name") {
        Some(Value::Null) => Some(page.name.as_deref().unwrap_or(written.default_name)),
        Some(Value::Object(_)) => page.name.as_deref(),
        _ => None,
    };
    if let Some(name) = name {
        message.set("name".into(), Value::from(name));
    }
    let is_user = message.get("is_user").and_then(Value::as_bool) == Some(true);
    if has_swipes || (written.pages.len() > 1 && !is_user) {
        let has_id = match message.get("swipe_id") {
            None => has_swipes && active == 0,
            Some(Value::Null) => false,
            Some(_) => is_swiping || active == 0,
        };
        if !has_id {
            message.set("swipe_id".into(), number(others.before.len() + active));
        }
        let texts = others.before.iter().cloned().chain(written.pages.iter().map(WrittenPage::swipe));
        let texts: Value = texts.chain(others.after.iter().cloned()).collect();
        message.set("swipes".into(), texts);
        if !has_swipes {
            message.set("swipe_info".into(), Value::empty_array());
        }
        let infos = written.pages.iter().map(|page| page.kept("info").cloned());
        join(&mut message, "swipe_info", infos, |at| written.pages[at].info());
    }
    for key in ["mes", "name", "swipe_id", "swipes"] {
        if let Some(kept) = message.get(key).and_then(|value| value.get(AS_IT_WAS)).cloned() {
            message.set(key.into(), kept);
        }
    }
    join(&mut message, "variables", written.pages.iter().map(WrittenPage::variables), |_| Value::empty_object());
    if page.kept("shown").is_none() && page.rest().is_some() {
        show(&mut message, page);
    }
    Value::Object(Arc::new(message))
}

/// Swipes beyond those that a floor may have.
struct Others {
    before: Vec<Value>,
    after: Vec<Value>,
}

impl Others {
    fn of(message: &Object) -> Others {
        let part = |key| message.get("swipes").and_then(|swipes| swipes.get(key)).map(Value::items).unwrap_or_default();
        Others { before: part("before").to_vec(), after: part("after").to_vec() }
    }
}

/// Puts what the swipes have into a list or an object of the message, up to the last that has something.
fn join(message: &mut Object, key: &str, items: impl Iterator<Item = Option<Value>>, missing: impl Fn(usize) -> Value) {
    let items: Vec<Option<Value>> = items.collect();
    let Some(last) = items.iter().rposition(Option::is_some) else { return };
    match message.get(key) {
        Some(Value::Array(kept)) if !kept.is_empty() => {}
        Some(Value::Object(kept)) => {
            let members =
                items.into_iter().enumerate().filter_map(|(at, item)| Some((Arc::from(at.to_string()), item?)));
            let joined: Object = members.chain(kept.iter().map(|(key, value)| (key.clone(), value.clone()))).collect();
            message.set(key.into(), Value::Object(Arc::new(joined)));
        }
        _ => {
            let items = items.into_iter().take(last + 1).enumerate();
            let joined = items.map(|(at, item)| item.unwrap_or_else(|| missing(at))).collect();
            message.set(key.into(), joined);
        }
    }
}

/// Shows another swipe than the one that was shown when the message was read: the message repeats what is known of its swipe.
fn show(message: &mut Object, page: &WrittenPage) {
    let info = page.info();
    for key in ["send_date", "gen_started", "gen_finished", "extra"] {
        match info.get(key) {
            Some(value) => drop(message.set(key.into(), value.clone())),
            None => drop(message.remove(key)),
        }
    }
}

/// A message of a floor that SillyTavern never saw.
fn new_message(page: &WrittenPage, default_name: &str) -> Object {
    let role = page.role.as_deref().unwrap_or("assistant").to_ascii_lowercase();
    let is_user = matches!(role.as_str(), "user" | "human");
    // What makes the role come back when the file is read.
    let extra: Value = match role.as_str() {
        "system" | "developer" => [("type", Value::from("narrator"))].into_iter().collect(),
        "tool" => [("tool_invocations", Value::empty_array())].into_iter().collect(),
        _ => Value::empty_object(),
    };
    let mut message: Object = [
        ("name", Value::from(page.name.as_deref().unwrap_or(default_name))),
        ("is_user", Value::Bool(is_user)),
        ("is_system", Value::Bool(role == "tool")),
        ("send_date", page.date()),
        ("mes", Value::Null),
        ("extra", extra),
    ]
    .into_iter()
    .map(|(key, value)| (Arc::from(key), value))
    .collect();
    if role == "assistant" {
        message.set("swipe_id".into(), Value::Null);
        message.set("swipes".into(), Value::Null);
        message.set("swipe_info".into(), Value::empty_array());
    }
    message
}
