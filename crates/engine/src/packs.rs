//! Rule packs: a template, commands, rules at the end of a turn, a view and settings that belong together.
//!
//! A pack is one row of [`TABLE`] and one folder. A profile names the packs that it uses and may change their settings;
//! everything else of the engine knows packs only through [`Pack`] and [`Rules`].
//!
//! ```
//! use tavernkeep_engine::{packs, profile::Profile, turn::{Turn, apply_reply}};
//!
//! let profile = Profile::named("memory").unwrap();
//! let document = profile.first_document().unwrap();
//! let reply = "set_attribute('属性段.生理属性.力量.基础', 10);".to_owned();
//! let outcome = apply_reply(Turn { document, reply, profile: profile.into(), ..Turn::default() });
//! let strength = outcome.document.get("play_character_data").unwrap().get("属性段").unwrap().get("生理属性").unwrap();
//! // The rules at the end of the turn computed the second value.
//! assert_eq!(strength.get("力量").unwrap().get("传奇").unwrap().item(0).unwrap().to_json(), "2");
//! ```

pub mod formula;
pub mod memory;

use crate::document::draft::Draft;
use crate::document::op::Op;
use crate::document::{Object, Value};
use crate::names::problem::Refusal;
use std::fmt;
use std::sync::Arc;

/// All packs. Stored outcomes know the dialect of a pack by its place here, so packs are only ever added at the end.
pub static TABLE: &[&Pack] = &[&memory::PACK];

/// A pack: everything about it that does not depend on a profile.
pub struct Pack {
    /// The name that profiles use, for the pack and for its dialect.
    pub name: &'static str,
    /// What a story starts from when its session brings no template, with these settings.
    pub template: fn(&Value) -> Value,
    /// The names of its commands, which its dialect writes as bare calls: `set_status('时间', '20:00')`.
    pub commands: &'static [&'static str],
    /// Its settings. A profile changes them as a merge patch does.
    pub settings: fn() -> Value,
    /// Reads settings.
    pub read: fn(&Value) -> Result<Arc<dyn Rules>, InvalidSettings>,
}

impl fmt::Debug for Pack {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// What a pack does, with its settings.
pub trait Rules: fmt::Debug + Send + Sync {
    /// Performs a command of the pack, and says how the pack mended it.
    fn perform(&self, turn: &mut CommandTurn<'_>, name: &str, args: &[&str]) -> Result<Option<String>, Refusal>;

    /// Refuses an op that neither a model nor a function may do. The document has the op already.
    fn check(&self, document: &Value, op: &Op) -> Result<(), Refusal>;

    /// The names of the rules at the end of a turn, in their order.
    fn end_of_turn(&self) -> &[&'static str];

    /// Runs one of these rules. What a rule did is taken back where it fails.
    fn run(&self, rule: &str, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal>;

    /// What a model is shown of a document.
    fn view(&self, document: &Value) -> View;

    /// How the pack's commands are written, for a model.
    fn guide(&self) -> Guide;

    /// How many of the replies before it a turn on this document looks at.
    fn recent_texts(&self, document: &Value, reply: &str) -> usize;

    /// What a summary of this document would sum up; none for a pack without summaries and a document without a place for them.
    fn summary(&self, _document: &Value) -> Option<SummaryTask> {
        None
    }

    /// A summary as a merge patch on this document, under this key or the usual one; none where there is no place for it.
    fn summary_edit(&self, _document: &Value, _key: Option<&str>, _text: &str) -> Option<Value> {
        None
    }
}

/// How commands are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// The text. A line that shows a command as `name(…)` is left out where that command is switched off.
    pub text: Arc<str>,
    /// Calls, each a line, that go on from one another. A kit shows those that its state takes.
    pub examples: Vec<String>,
}

/// A summary that can be written outside of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryTask {
    /// Whether the document asks for it.
    pub is_due: bool,
    /// What a model is asked to do with the notes.
    pub prompt: Arc<str>,
    /// The notes that it sums up, a line each; empty where there are none.
    pub notes: String,
}

/// What a command of a pack may look at and change.
pub struct CommandTurn<'a> {
    /// The document.
    pub draft: &'a mut Draft,
    /// What is worth a look although it was done.
    pub notes: &'a mut Vec<Refusal>,
    /// What leaves the document for the archive.
    pub archived: &'a mut Vec<Archived>,
}

/// What a rule at the end of a turn may look at and change.
pub struct EndOfTurn<'a> {
    /// The document.
    pub draft: &'a mut Draft,
    /// The document before the turn.
    pub before: &'a Value,
    /// The text of the turn, where a model wrote it.
    pub reply: Option<&'a str>,
    /// Replies before this one, the newest last.
    pub recent_texts: &'a [String],
    /// What is worth a look.
    pub notes: &'a mut Vec<Refusal>,
    /// What leaves the document for the archive.
    pub archived: &'a mut Vec<Archived>,
}

/// Values that left a document and are kept beside the story.
#[derive(Debug, Clone, PartialEq)]
pub struct Archived {
    /// Where they stood: `summary.small`.
    pub source: String,
    /// Under which name they are kept, such as that of a world; empty where there is none.
    pub name: String,
    /// The values by their keys, as an object.
    pub entries: Value,
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// The document without what is hidden.
    pub document: Value,
    /// What the model is asked to do now.
    pub due: Vec<Due>,
}

/// Something that a model is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Which thing, for programs.
    pub code: &'static str,
    /// What to do, for the model.
    pub text: String,
}

/// Why settings cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSettings {
    /// Where, as a JSON Pointer into the settings.
    pub at: String,
    /// What was wrong.
    pub message: String,
}

/// A pack that a profile uses, with its settings.
#[derive(Clone)]
pub struct PackUse {
    pack: &'static Pack,
    overrides: Value,
    template: Value,
    rules: Arc<dyn Rules>,
}

impl PartialEq for PackUse {
    fn eq(&self, other: &PackUse) -> bool {
        self.pack.name == other.pack.name && self.overrides == other.overrides
    }
}

/// The name and what is changed: settings and template are long.
impl fmt::Debug for PackUse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PackUse({:?} with {})", self.pack, self.overrides)
    }
}

impl PackUse {
    /// Uses a pack. The overrides are a merge patch on its settings.
    pub fn new(pack: &'static Pack, overrides: Value) -> Result<PackUse, InvalidSettings> {
        let overrides = if overrides == Value::Null { Value::empty_object() } else { overrides };
        let mut settings = (pack.settings)();
        merge(&mut settings, &overrides, "")?;
        let rules = (pack.read)(&settings)?;
        Ok(PackUse { pack, overrides, template: (pack.template)(&settings), rules })
    }

    /// The pack.
    pub fn pack(&self) -> &'static Pack {
        self.pack
    }

    /// What differs from the pack's own settings.
    pub fn overrides(&self) -> &Value {
        &self.overrides
    }

    /// What a story starts from when its session brings no template.
    pub fn template(&self) -> &Value {
        &self.template
    }

    /// What the pack does.
    pub fn rules(&self) -> &dyn Rules {
        self.rules.as_ref()
    }
}

impl View {
    /// A document as these packs show it, one behind the other, and what they ask for; none where there is no pack.
    pub fn by(packs: &[PackUse], document: &Value) -> Option<View> {
        packs.iter().fold(None, |shown: Option<View>, used| {
            let mut due = shown.as_ref().map(|view| view.due.clone()).unwrap_or_default();
            let view = used.rules().view(shown.as_ref().map_or(document, |view| &view.document));
            due.extend(view.due);
            Some(View { document: view.document, due })
        })
    }
}

/// The templates of these packs in one document; none where there is no pack. Where two have the same key and no objects there,
/// the first one counts.
pub fn first_document(packs: &[PackUse]) -> Option<Value> {
    packs.iter().map(|used| used.template().clone()).reduce(|first, second| both(&first, &second))
}

fn both(first: &Value, second: &Value) -> Value {
    let (Some(members), Some(others)) = (first.as_object(), second.as_object()) else { return first.clone() };
    let mut merged = Object::clone(members);
    for (key, other) in others {
        let value = merged.get(key).map_or_else(|| other.clone(), |value| both(value, other));
        merged.set(Arc::clone(key), value);
    }
    Value::Object(Arc::new(merged))
}

/// Merges changes into settings. Of an object that is not empty the keys are known at the top only: tables grow.
fn merge(settings: &mut Value, changes: &Value, at: &str) -> Result<(), InvalidSettings> {
    let invalid = |message: &str| Err(InvalidSettings { at: at.to_owned(), message: message.to_owned() });
    let (Some(known), Some(members)) = (settings.as_object(), changes.as_object()) else {
        return invalid("settings of a pack are an object");
    };
    let mut merged = known.clone();
    for (key, change) in members {
        let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        match (merged.get(key).cloned(), change) {
            (None, _) if at.is_empty() => {
                return Err(InvalidSettings { at: below, message: "the pack has no such setting".to_owned() });
            }
            (_, Value::Null) if !at.is_empty() => drop(merged.remove(key)),
            (Some(mut old @ Value::Object(_)), Value::Object(_)) => {
                merge(&mut old, change, &below)?;
                merged.set(Arc::clone(key), old);
            }
            _ => drop(merged.set(Arc::clone(key), change.clone())),
        }
    }
    *settings = Value::Object(Arc::new(merged));
    Ok(())
}
