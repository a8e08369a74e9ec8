//! `remove`, `delete` and `unset`: a path, or what stands in the container there.

use super::super::schema::{is, truth};
use super::{Order, key_text};
use crate::document::Value;
use crate::document::path::{Segment, locate};
use crate::names::problem::{Code, Refusal};
use std::sync::Arc;

impl Order<'_> {
    pub(super) fn remove_path(&mut self) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        let path = located.path.clone();
        let Some((_, last)) = path.split_last().filter(|_| located.exists()) else { return Err(self.missing()) };
        if let Segment::Key(key) = last {
            self.check_remove(&self.segments[..self.segments.len() - 1], key)?;
        }
        self.draft.remove(&path)
    }

    pub(super) fn remove_from(&mut self, what: Option<&Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() || self.segments.is_empty() {
            return Err(self.missing());
        }
        let what = what.ok_or_else(|| self.undefined())?;
        let length = located.value.items().len();
        self.draft.spend(if what.as_number().is_some() { 0 } else { length })?;
        let located = locate(self.draft.document(), &self.segments);
        let path = located.path;
        let not_found = || Refusal::new(Code::NotFound, format!("`{}` has no {}", self.text, what.brief()));
        let part = match (located.value, what) {
            (Value::Array(items), what) => {
                let node = self.schema.as_ref().and_then(|schema| schema.at(&self.segments));
                if node.is_some_and(|node| is(node, "array") && !truth(node, "extensible")) {
                    return Refusal::err(Code::Protected, format!("the list `{}` is locked by the schema", self.text));
                }
                let index = match what {
                    Value::Number(index) => index
                        .as_u64()
                        .and_then(|index| usize::try_from(index).ok())
                        .filter(|&index| index < items.len()),
                    what => items.iter().position(|item| item == what),
                };
                path.index(index.ok_or_else(not_found)?)
            }
            (Value::Object(members), what) => {
                let key = match what {
                    Value::Number(position) => {
                        position.as_u64().and_then(|position| members.at(usize::try_from(position).ok()?))
                    }
                    what => members.entry(&key_text(what)).map(|(_, key, value)| (key, value)),
                };
                let (key, _) = key.ok_or_else(not_found)?;
                // A position is looked up in the schema as if it were a key, so it gets around `required`.
                self.check_remove(&self.segments, &key_text(what))?;
                path.key(Arc::clone(key))
            }
            _ => {
                return Refusal::err(Code::NotAContainer, format!("`{}` is neither a list nor an object", self.text));
            }
        };
        self.draft.remove(&part)
    }

    /// Whether the schema lets a key go.
    fn check_remove(&self, container: &[Arc<str>], key: &str) -> Result<(), Refusal> {
        let node = self.schema.as_ref().and_then(|schema| schema.at(container));
        let required = node
            .and_then(|node| node.get("properties"))
            .and_then(|properties| properties.get(key))
            .is_some_and(|property| truth(property, "required"));
        if required {
            return Refusal::err(Code::Protected, format!("the key `{key}` is required by the schema"));
        }
        Ok(())
    }
}
