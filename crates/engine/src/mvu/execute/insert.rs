//! `insert` and `assign`: into lists and objects, as far as the schema lets them grow, filled from their templates.

use super::super::schema::{is, truth};
use super::super::{import, merge_by_index, template};
use super::{Order, key_text};
use crate::document::path::{Path, is_index, locate};
use crate::document::{Number, Value};
use crate::names::problem::{Code, Refusal};

/// What can be inserted into; a list with its length.
#[derive(Debug, Clone, Copy)]
enum Target {
    Array(usize),
    Object,
    Null,
}

impl Order<'_> {
    pub(super) fn insert(&mut self, key: Option<Value>, value: Option<Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        // Only what it is and how long: a container with another reference is copied when it is written to.
        let target = match located.value {
            _ if !located.exists() => None,
            Value::Array(items) => Some(Target::Array(items.len())),
            Value::Object(_) => Some(Target::Object),
            Value::Null => Some(Target::Null),
            _ => None,
        };
        let path = located.path;
        let Some(target) = target else {
            let message = format!("`{}` is no container; only lists, objects and null can be inserted into", self.text);
            return Refusal::err(Code::NotAContainer, message);
        };
        let name = key.as_ref().map(key_text);
        self.check_insert(name.as_deref())?;
        let value = value.ok_or_else(|| self.undefined())?;
        let node = self.schema.as_ref().and_then(|schema| schema.at(&self.segments));
        let template = node.and_then(|node| node.get("template")).cloned();
        let filled = |value: Value| match self.schema.as_ref() {
            Some(schema) => template::apply(value, template.as_ref(), schema),
            None => value,
        };
        match (target, key) {
            (Target::Array(length), None) => self.put_item(&path, length, &filled(value)),
            (Target::Array(length), Some(Value::Number(index))) => {
                self.put_item(&path, splice_index(index, length), &filled(value))
            }
            (Target::Array(length), Some(Value::String(key))) if key.as_ref() == "-" => {
                self.put_item(&path, length, &filled(value))
            }
            (Target::Array(length), Some(key)) => match is_index(&key_text(&key)).filter(|&index| index < length) {
                Some(index) => self.draft.replace(&path.index(index), import::strip(&filled(value))),
                None => {
                    let message = format!("`{}` is a list; {} is no index of it", self.text, key.brief());
                    Refusal::err(Code::OutOfRange, message)
                }
            },
            (Target::Object, Some(_)) => {
                let value = filled(value);
                self.put_member(&path, &name.unwrap_or_default(), &value)
            }
            (Target::Object, None) => self.merge(&path, &value),
            // Null becomes what the value needs.
            (Target::Null, None) if value.as_array().is_some() => {
                self.draft.replace(&path, Value::empty_array())?;
                self.put_item(&path, 0, &value)
            }
            (Target::Null, None) => {
                self.draft.replace(&path, Value::empty_object())?;
                self.merge(&path, &value)
            }
            (Target::Null, Some(_)) => {
                self.draft.replace(&path, Value::empty_object())?;
                self.put_member(&path, &name.unwrap_or_default(), &value)
            }
        }
    }

    /// Whether the schema lets the container grow.
    fn check_insert(&self, key: Option<&str>) -> Result<(), Refusal> {
        let refuse = |message: String| Refusal::err(Code::Protected, message);
        let Some(node) = self.schema.as_ref().and_then(|schema| schema.at(&self.segments)) else {
            // A container that no schema describes is allowed by the container around it; at the top there is none.
            return match self.segments.len() {
                1 => refuse(format!(
                    "without a schema nothing can be inserted into `{}`, which stands at the top",
                    self.text
                )),
                _ => Ok(()),
            };
        };
        if is(node, "array") && !truth(node, "extensible") {
            return refuse(format!("the list `{}` is locked by the schema", self.text));
        }
        if is(node, "object") && node.get("extensible").and_then(Value::as_bool) == Some(false) {
            let known = |key: &str| node.get("properties").is_some_and(|properties| properties.get(key).is_some());
            return match key {
                Some(key) if known(key) => Ok(()),
                Some(key) => refuse(format!("the object `{}` is locked by the schema: `{key}` is new", self.text)),
                None => refuse(format!("the object `{}` is locked by the schema", self.text)),
            };
        }
        Ok(())
    }

    fn put_item(&mut self, list: &Path, index: usize, value: &Value) -> Result<(), Refusal> {
        self.draft.insert_item(list, index, import::strip(value))?;
        if let (Some(schema), 0) = (self.schema.as_mut(), index) {
            let whole = list.find(self.draft.document()).cloned().unwrap_or_default();
            schema.extend_items(&self.segments, value, &whole);
        }
        Ok(())
    }

    fn put_member(&mut self, object: &Path, key: &str, value: &Value) -> Result<(), Refusal> {
        self.draft.set_key(object, key, import::strip(value))?;
        if let Some(schema) = self.schema {
            let whole = object.find(self.draft.document()).cloned().unwrap_or_default();
            schema.extend_member(&self.segments, key, value, &whole);
        }
        Ok(())
    }

    fn merge(&mut self, path: &Path, value: &Value) -> Result<(), Refusal> {
        let Value::Object(members) = value else {
            return Refusal::err(Code::BadArguments, format!("only an object can be merged into `{}`", self.text));
        };
        for (key, value) in members.iter() {
            let old = path.find(self.draft.document()).and_then(|object| object.get(key));
            let merged = old.map_or_else(|| value.clone(), |old| merge_by_index(old, value));
            self.put_member(path, key, &merged)?;
        }
        Ok(())
    }
}

/// Where `splice` puts an item: negative counts from the end, beyond the end appends.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
fn splice_index(index: Number, length: usize) -> usize {
    let index = index.as_f64().trunc() as i64;
    if index < 0 { (length as i64).saturating_add(index).max(0) as usize } else { (index as usize).min(length) }
}
