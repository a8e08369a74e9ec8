//! Places of a state that examples can change.

use crate::document::Value;
use crate::document::path::{Path, Segment};
use crate::rules::profile::Profile;
use std::sync::Arc;

/// Values that are looked at.
const VALUES_MAX: usize = 1_000;
/// Places of each kind that are kept: a schema may refuse the first ones.
const PLACES_MAX: usize = 8;
/// Characters of a value that is short enough to be shown.
const SHORT_MAX: usize = 40;

/// Places of a state, in its order.
#[derive(Default)]
pub(super) struct Places {
    pub(super) numbers: Vec<NumberPlace>,
    pub(super) texts: Vec<(Path, Arc<str>)>,
    pub(super) lists: Vec<ListPlace>,
}

pub(super) struct NumberPlace {
    pub(super) path: Path,
    pub(super) value: Value,
}

pub(super) struct ListPlace {
    pub(super) path: Path,
    /// An item that it has, as JSON.
    item: Option<String>,
}

impl NumberPlace {
    /// What the number may become, and by how much: one more, or one less where it is as high as it may be.
    pub(super) fn changes(&self) -> impl Iterator<Item = (String, String)> {
        let number = self.value.as_number();
        [1_i64, -1].into_iter().filter_map(move |by| {
            let new = number.and_then(|number| number.plus(by.into()))?;
            Some((Value::Number(new).to_json(), by.to_string()))
        })
    }
}

impl ListPlace {
    /// What may be added, as JSON: a text, or one more of what it has.
    pub(super) fn items(&self) -> impl Iterator<Item = String> {
        ["\"…\"".to_owned()].into_iter().chain(self.item.clone())
    }
}

impl Places {
    pub(super) fn find(profile: &Profile, state: &Value) -> Places {
        let mut places = Places::default();
        places.look(profile, &Path::root(), state, &mut VALUES_MAX.clone());
        places
    }

    fn is_full(&self) -> bool {
        [self.numbers.len(), self.texts.len(), self.lists.len()].iter().all(|count| *count >= PLACES_MAX)
    }

    fn look(&mut self, profile: &Profile, at: &Path, value: &Value, left: &mut usize) {
        let Value::Object(object) = value else { return };
        for (key, value) in object.iter() {
            if *left == 0 || self.is_full() {
                return;
            }
            *left -= 1;
            // Names that need quotes would make the example harder than the rule.
            if key.starts_with(['_', '$']) || key.contains(['\'', '"', '.', '[', ']', '/', '~', '\\']) {
                continue;
            }
            let path = at.child(Segment::Key(Arc::clone(key)));
            // Of a pair the value is meant, and commands write there.
            let value = value.as_pair().filter(|_| profile.pairs).map_or(value, |(value, _)| value);
            match value {
                Value::Number(_) if self.numbers.len() < PLACES_MAX => {
                    self.numbers.push(NumberPlace { path, value: value.clone() });
                }
                Value::String(text)
                    if self.texts.len() < PLACES_MAX
                        && text.chars().count() < SHORT_MAX
                        && !text.contains(['\'', '"', '\\', '\n']) =>
                {
                    self.texts.push((path, Arc::clone(text)));
                }
                Value::Array(_) if self.lists.len() < PLACES_MAX => {
                    let item = value.item(0).map(Value::to_json);
                    let item = item.filter(|item| item.chars().count() < SHORT_MAX && !item.contains(['\'', '\\']));
                    self.lists.push(ListPlace { path, item });
                }
                other => self.look(profile, &path, other, left),
            }
        }
    }
}
