//! The variables that macros read: five scopes, the state, and the writes of the prompt itself laid over them.

use super::Write;
use super::change::RelativeChange;
use crate::document::Value;
use crate::json::JsonText;
use crate::names::key::Key;
use crate::names::scope::Scope;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Everything that can be read from one place of a conversation. Values are read from their text when a macro asks for them.
#[derive(Debug, Default)]
pub struct Variables {
    /// By the number of the scope, each sorted by key.
    layers: [Vec<Entry>; 5],
    /// The table of the last message that has one, sorted by key.
    last_message: Vec<Entry>,
    /// The name of the state, which no macro can write.
    state_key: Option<Arc<str>>,
    state: Option<Value>,
    /// TavernHelper's tables of the character and the preset.
    pub character: Value,
    /// See `character`.
    pub preset: Value,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    text: JsonText,
    value: OnceCell<Value>,
}

impl Variables {
    /// The variables of these rows. Of two with one key on a scope the first counts.
    pub fn new(rows: impl IntoIterator<Item = (Scope, Key, JsonText)>) -> Variables {
        let mut variables = Variables::default();
        for (scope, key, text) in rows {
            variables.layers[index(scope)].push(Entry { key, text, value: OnceCell::new() });
        }
        variables.layers.iter_mut().for_each(sort);
        variables
    }

    /// The same with the table of the last message that has one, for places whose own page and floor have no variables. Of two
    /// rows with one key the first counts.
    #[must_use]
    pub fn with_last_message(mut self, rows: impl IntoIterator<Item = (Key, JsonText)>) -> Variables {
        self.last_message = rows.into_iter().map(|(key, text)| Entry { key, text, value: OnceCell::new() }).collect();
        sort(&mut self.last_message);
        self
    }

    /// The same with a story's state, under the name that the session gives it. The name is reserved where there is none.
    #[must_use]
    pub fn with_state(mut self, key: &str, document: Option<Value>) -> Variables {
        (self.state_key, self.state) = (Some(key.into()), document);
        self
    }

    /// The state of the story.
    pub fn state(&self) -> Option<&Value> {
        self.state.as_ref()
    }

    pub(super) fn is_state(&self, key: &str) -> bool {
        self.state_key.as_deref() == Some(key)
    }

    /// Whether the place itself has variables of a message.
    pub fn has_message(&self) -> bool {
        [Scope::Page, Scope::Floor].into_iter().any(|scope| !self.layers[index(scope)].is_empty())
    }

    fn at(&self, scope: Scope, key: &str) -> Option<&Value> {
        find(&self.layers[index(scope)], key)
    }

    fn of_message(&self, key: &str) -> Option<&Value> {
        match self.has_message() {
            true => self.winner(&[Scope::Page, Scope::Floor], key).map(|(_, value)| value),
            false => find(&self.last_message, key),
        }
    }

    fn computed(&self, key: &str) -> Option<(Scope, &Value)> {
        self.state.as_ref().filter(|_| self.is_state(key)).map(|state| (Scope::Page, state))
    }

    fn winner(&self, scopes: &[Scope], key: &str) -> Option<(Scope, &Value)> {
        scopes.iter().find_map(|&scope| self.at(scope, key).map(|value| (scope, value)))
    }

    /// What the five scopes say together.
    fn plain(&self, key: &str) -> Option<(Scope, &Value)> {
        let scopes = [Scope::Page, Scope::Floor, Scope::Branch, Scope::Chat, Scope::Global];
        self.computed(key).or_else(|| self.winner(&scopes, key))
    }
}

const LOCAL: [Scope; 2] = [Scope::Branch, Scope::Chat];

/// Sorts by key; of two with one key the first stays.
fn sort(layer: &mut Vec<Entry>) {
    if !layer.is_sorted_by(|left, right| left.key < right.key) {
        layer.sort_by(|left, right| left.key.cmp(&right.key));
        layer.dedup_by(|later, kept| later.key == kept.key);
    }
}

fn find<'l>(layer: &'l [Entry], key: &str) -> Option<&'l Value> {
    let found = layer.binary_search_by(|entry| entry.key.as_str().cmp(key)).ok()?;
    let entry = &layer[found];
    Some(entry.value.get_or_init(|| Value::from_normalised(entry.text.as_str()).unwrap_or_default()))
}

fn index(scope: Scope) -> usize {
    usize::try_from(scope.number()).unwrap_or(0).min(4)
}

/// A table of TavernHelper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Message,
    Chat,
    Character,
    Preset,
    Global,
}

/// What a macro looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Lookup {
    /// The branch over the chat.
    Local,
    /// Global variables.
    Global,
    /// The winner of the five scopes. Cannot be written.
    Plain,
}

impl Lookup {
    /// Where a write through this view goes.
    pub(super) fn target(self) -> Scope {
        match self {
            Lookup::Global => Scope::Global,
            Lookup::Local | Lookup::Plain => Scope::Branch,
        }
    }
}

/// Variables with the writes of the prompt laid over them. Writes can be taken back, the last first.
pub(super) struct Overlay<'a> {
    below: &'a Variables,
    /// What was written or, where it is none, deleted.
    written: HashMap<(Scope, Arc<str>), Option<Value>>,
    /// Every write, with what the overlay had before.
    log: Vec<Logged>,
}

/// The macro that writes.
pub(super) struct Origin {
    pub(super) macro_name: String,
    pub(super) message_index: usize,
    pub(super) span: Range<usize>,
    pub(super) relative: Option<RelativeChange>,
}

struct Logged {
    by: Origin,
    scope: Scope,
    key: Arc<str>,
    value: Option<Value>,
    before: Option<Option<Value>>,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(below: &'a Variables) -> Overlay<'a> {
        Overlay { below, written: HashMap::new(), log: Vec::new() }
    }

    pub(super) fn variables(&self) -> &'a Variables {
        self.below
    }

    /// The value of a key, and the scope it comes from.
    pub(super) fn get(&self, view: Lookup, key: &str) -> Option<(Scope, &Value)> {
        if self.written.is_empty() || (view != Lookup::Global && self.below.is_state(key)) {
            return self.below_of(view, key);
        }
        let written = |scope: Scope| self.written.get(&(scope, Arc::<str>::from(key)));
        match view {
            Lookup::Local => match written(Scope::Branch) {
                Some(Some(value)) => Some((Scope::Branch, value)),
                Some(None) => self.below.winner(&[Scope::Chat], key),
                None => self.below_of(view, key),
            },
            Lookup::Global => match written(Scope::Global) {
                Some(value) => value.as_ref().map(|value| (Scope::Global, value)),
                None => self.below_of(view, key),
            },
            Lookup::Plain => {
                let page = self.below.winner(&[Scope::Page, Scope::Floor], key);
                page.or_else(|| self.get(Lookup::Local, key)).or_else(|| self.get(Lookup::Global, key))
            }
        }
    }

    fn below_of(&self, view: Lookup, key: &str) -> Option<(Scope, &Value)> {
        match view {
            Lookup::Local => self.below.computed(key).or_else(|| self.below.winner(&LOCAL, key)),
            Lookup::Global => self.below.winner(&[Scope::Global], key),
            Lookup::Plain => self.below.plain(key),
        }
    }

    /// A member of one of TavernHelper's tables, with what the prompt wrote before. The state is `stat_data` of the last message.
    pub(super) fn table(&self, table: Table, key: &str) -> Option<&Value> {
        let variables = self.below;
        match table {
            Table::Message => {
                let state = || variables.state().filter(|_| key == "stat_data" || variables.is_state(key));
                variables.of_message(key).or_else(state)
            }
            Table::Chat => self.get(Lookup::Local, key).map(|(_, value)| value),
            Table::Character => variables.character.get(key),
            Table::Preset => variables.preset.get(key),
            Table::Global => self.get(Lookup::Global, key).map(|(_, value)| value),
        }
    }

    /// Writes a value, or deletes the key.
    pub(super) fn write(&mut self, by: Origin, scope: Scope, key: Arc<str>, value: Option<Value>) {
        let before = self.written.insert((scope, Arc::clone(&key)), value.clone());
        self.log.push(Logged { by, scope, key, value, before });
    }

    pub(super) fn writes(&self) -> usize {
        self.log.len()
    }

    /// Takes back all writes but the first `count`.
    pub(super) fn take_back(&mut self, count: usize) {
        while self.log.len() > count {
            let Some(Logged { scope, key, before, .. }) = self.log.pop() else { return };
            match before {
                Some(before) => self.written.insert((scope, key), before),
                None => self.written.remove(&(scope, key)),
            };
        }
    }

    /// The writes in the order in which they were made.
    pub(super) fn into_writes(self) -> impl Iterator<Item = Write> {
        self.log.into_iter().map(|Logged { by, scope, key, value, .. }| {
            let Origin { macro_name, message_index, span, relative } = by;
            Write { macro_name, message_index, span, scope, key, value, relative }
        })
    }
}
