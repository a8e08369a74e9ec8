//! The commands of MVU's classic mode, applied as MVU applies them.
//!
//! Every rule here is one that cards rely on, odd ones included; `docs/compatibility.md` lists where we differ. A refused
//! command leaves no trace.

use super::schema::{is, truth};
use super::{MvuSchema, import, merge_by_index, template, to_number};
use crate::document::{Number, Value, round_significant};
use crate::draft::Draft;
use crate::literal::{Literals, read_literal, trim_quotes};
use crate::path::{Path, Segment, fix_mvu, is_index, locate, lodash_segments};
use crate::problem::{Code, Refusal};
use crate::time::{format_iso, is_iso, parse_time};
use std::sync::Arc;

/// A command with its path read; values are `None` where MVU has `undefined`.
struct Order<'a> {
    draft: &'a mut Draft,
    schema: &'a mut Option<MvuSchema>,
    /// The path as MVU prints it.
    text: String,
    segments: Vec<Arc<str>>,
}

/// Performs one call, such as `set` with the arguments as written.
pub(crate) fn execute(
    draft: &mut Draft,
    schema: &mut Option<MvuSchema>,
    name: &str,
    args: &[&str],
) -> Result<(), Refusal> {
    let Some((path, rest)) = args.split_first() else {
        return Err(Refusal::new(Code::BadArguments, format!("_.{name} needs a path")));
    };
    let text = fix_mvu(trim_quotes(path));
    let segments = segments_of(draft.document(), &text);
    // Only what counts is read: of `set` the last argument, of `insert` the first two.
    let counts = match name {
        "set" => rest.len().saturating_sub(1)..rest.len(),
        "insert" | "assign" => 0..rest.len().min(2),
        _ => 0..rest.len().min(1),
    };
    let values = rest[counts].iter().map(|arg| read_literal(arg, Literals::Mvu)).collect();
    perform(draft, schema, name, text, segments, values)
}

/// The segments of a path, an own key of the root that is equal to the whole text first.
fn segments_of(document: &Value, text: &str) -> Vec<Arc<str>> {
    match document {
        _ if text.is_empty() => Vec::new(),
        Value::Object(root) if root.contains_key(text) => vec![text.into()],
        _ => lodash_segments(text),
    }
}

/// Performs a command whose path is already split: calls and patch operations meet here.
pub(crate) fn perform(
    draft: &mut Draft,
    schema: &mut Option<MvuSchema>,
    name: &str,
    text: String,
    segments: Vec<Arc<str>>,
    mut values: Vec<Option<Value>>,
) -> Result<(), Refusal> {
    let mut order = Order { draft, schema, text, segments };
    match name {
        "set" => order.set(values.pop().flatten()),
        "add" => order.add(values.pop().flatten().as_ref()),
        "insert" | "assign" => {
            values.truncate(2);
            let value = values.pop().flatten();
            order.insert(values.pop().map(|key| key.unwrap_or(Value::Null)), value)
        }
        "remove" | "unset" | "delete" => match values.into_iter().next() {
            None => order.remove_path(),
            Some(what) => order.remove_from(what.as_ref()),
        },
        _ => Err(Refusal::new(Code::UnknownFunction, format!("MVU has no command `{name}`"))),
    }
}

impl Order<'_> {
    fn set(&mut self, value: Option<Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() {
            return match (located.value, located.missing) {
                // A text has its characters as items there; writing one makes a list of it.
                (Value::String(old), [index])
                    if is_index(index).is_some_and(|index| index < old.encode_utf16().count()) =>
                {
                    let index = is_index(index).unwrap_or(0);
                    let path = located.path;
                    let value = value.unwrap_or_default();
                    let items = (0..index).map(|_| Value::Null).chain([value]).collect();
                    self.draft.replace(&path, items)
                }
                _ => Err(self.missing()),
            };
        }
        let value = value.ok_or_else(|| self.undefined())?;
        let (path, old) = (located.path, located.value.clone());
        let strict = self.schema.as_ref().is_some_and(|schema| schema.flag("strictSet") == Some(true));
        if let Some(first) = pair(&old).filter(|_| !strict) {
            let value = if first.as_number().is_some() && value != Value::Null { self.coerced(&value)? } else { value };
            return self.draft.replace(&path.index(0), value);
        }
        let numeric = old.as_number().is_some() && value.as_str().is_some();
        let value = if numeric { self.coerced(&value)? } else { value };
        self.draft.replace(&path, value)
    }

    fn add(&mut self, delta: Option<&Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() {
            return Err(self.missing());
        }
        let delta = delta.and_then(Value::as_number).ok_or_else(|| {
            Refusal::new(Code::NotANumber, format!("`{}` can only be changed by a number", self.text))
        })?;
        let (path, old) = match pair(located.value) {
            Some(first) => (located.path.index(0), first),
            None => (located.path, located.value),
        };
        let value = match old {
            Value::Number(old) => {
                let sum = round_significant(old.as_f64() + delta.as_f64(), 12);
                Number::from_f64(sum).map(Value::Number)
            }
            // Only what is plainly a date: elsewhere "Lv 5" would be the first of May.
            Value::String(text) if is_iso(text) => {
                #[allow(clippy::cast_possible_truncation)]
                let moved = parse_time(text).and_then(|time| time.checked_add(delta.as_f64() as i64));
                moved.map(|time| Value::from(format_iso(time)))
            }
            _ => None,
        };
        let value = value
            .ok_or_else(|| Refusal::new(Code::NotANumber, format!("`{}` is neither a number nor a date", self.text)))?;
        self.draft.replace(&path, value)
    }

    fn insert(&mut self, key: Option<Value>, value: Option<Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        let target = located
            .exists()
            .then(|| located.value.clone())
            .filter(|value| value.is_container() || *value == Value::Null);
        let path = located.path;
        let Some(target) = target else {
            let message = format!("`{}` is no container; only lists, objects and null can be inserted into", self.text);
            return Err(Refusal::new(Code::NotAContainer, message));
        };
        let key_text = key.as_ref().map(key_text);
        self.check_insert(key_text.as_deref())?;
        let value = value.ok_or_else(|| self.undefined())?;
        let node = self.schema.as_ref().and_then(|schema| schema.at(&self.segments));
        let template = node.and_then(|node| node.get("template")).cloned();
        let filled = |value: Value| match self.schema.as_ref() {
            Some(schema) => template::apply(value, template.as_ref(), schema),
            None => value,
        };
        match (&target, key) {
            (Value::Array(items), None) => self.put_item(&path, items.len(), &filled(value)),
            (Value::Array(items), Some(Value::Number(index))) => {
                self.put_item(&path, splice_index(index, items.len()), &filled(value))
            }
            (Value::Array(items), Some(Value::String(key))) if key.as_ref() == "-" => {
                self.put_item(&path, items.len(), &filled(value))
            }
            (Value::Array(items), Some(key)) => {
                match is_index(&self::key_text(&key)).filter(|&index| index < items.len()) {
                    Some(index) => self.draft.replace(&path.index(index), import::strip(&filled(value))),
                    None => {
                        let message = format!("`{}` is a list; {key} is no index of it", self.text);
                        Err(Refusal::new(Code::OutOfRange, message))
                    }
                }
            }
            (Value::Object(_), Some(_)) => {
                let value = filled(value);
                self.put_member(&path, &key_text.unwrap_or_default(), &value)
            }
            (Value::Object(_), None) => self.merge(&path, &target, &value),
            // Null becomes what the value needs.
            (_, None) if value.as_array().is_some() => {
                self.draft.replace(&path, [import::strip(&value)].into_iter().collect())
            }
            (_, None) => {
                self.draft.replace(&path, Value::empty_object())?;
                self.merge(&path, &Value::empty_object(), &value)
            }
            (_, Some(_)) => {
                self.draft.replace(&path, Value::empty_object())?;
                self.put_member(&path, &key_text.unwrap_or_default(), &value)
            }
        }
    }

    /// Whether the schema lets the container grow.
    fn check_insert(&self, key: Option<&str>) -> Result<(), Refusal> {
        let refuse = |message: String| Err(Refusal::new(Code::Protected, message));
        let Some(schema) = self.schema.as_ref() else {
            // Without a schema a container at the top has no parent that could allow it.
            return match self.segments.len() {
                1 => refuse(format!(
                    "without a schema nothing can be inserted into `{}`, which stands at the top",
                    self.text
                )),
                _ => Ok(()),
            };
        };
        let Some(node) = schema.at(&self.segments) else { return Ok(()) };
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
        let first = list.find(self.draft.document()).is_some_and(|list| list.items().is_empty());
        self.draft.insert_item(list, index, import::strip(value))?;
        if let Some(schema) = self.schema.as_mut().filter(|_| first) {
            schema.extend_items(&self.segments, value);
        }
        Ok(())
    }

    fn put_member(&mut self, object: &Path, key: &str, value: &Value) -> Result<(), Refusal> {
        self.draft.set_key(object, key, import::strip(value))?;
        if let Some(schema) = self.schema {
            schema.extend_member(&self.segments, key, value);
        }
        Ok(())
    }

    fn merge(&mut self, path: &Path, target: &Value, value: &Value) -> Result<(), Refusal> {
        let Value::Object(members) = value else {
            let message = format!("only an object can be merged into `{}`", self.text);
            return Err(Refusal::new(Code::BadArguments, message));
        };
        for (key, value) in members.iter() {
            let merged = target.get(key).map_or_else(|| value.clone(), |old| merge_by_index(old, value));
            self.put_member(path, key, &merged)?;
        }
        Ok(())
    }

    fn remove_path(&mut self) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        let path = located.path.clone();
        let Some((_, last)) = path.split_last().filter(|_| located.exists()) else { return Err(self.missing()) };
        if let Segment::Key(key) = last {
            self.check_remove(&self.segments[..self.segments.len() - 1], key)?;
        }
        self.draft.remove(&path)
    }

    fn remove_from(&mut self, what: Option<&Value>) -> Result<(), Refusal> {
        let located = locate(self.draft.document(), &self.segments);
        if !located.exists() || self.segments.is_empty() {
            return Err(self.missing());
        }
        let what = what.ok_or_else(|| self.undefined())?;
        let path = located.path;
        let not_found = || Refusal::new(Code::NotFound, format!("`{}` has no {what}", self.text));
        let part = match (located.value, what) {
            (Value::Array(items), what) => {
                let node = self.schema.as_ref().and_then(|schema| schema.at(&self.segments));
                if node.is_some_and(|node| is(node, "array") && !truth(node, "extensible")) {
                    let message = format!("the list `{}` is locked by the schema", self.text);
                    return Err(Refusal::new(Code::Protected, message));
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
                let key = Arc::clone(key);
                self.check_remove(&self.segments, &key)?;
                path.key(key)
            }
            _ => {
                let message = format!("`{}` is neither a list nor an object", self.text);
                return Err(Refusal::new(Code::NotAContainer, message));
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
            let message = format!("the key `{key}` is required by the schema");
            return Err(Refusal::new(Code::Protected, message));
        }
        Ok(())
    }

    /// A value for a place that holds a number. Nothing becomes NaN.
    fn coerced(&self, value: &Value) -> Result<Value, Refusal> {
        to_number(value)
            .map(Value::Number)
            .ok_or_else(|| Refusal::new(Code::NotANumber, format!("`{}` is a number and {value} is none", self.text)))
    }

    fn missing(&self) -> Refusal {
        Refusal::new(Code::MissingPath, format!("`{}` does not exist", self.text))
    }

    fn undefined(&self) -> Refusal {
        Refusal::new(Code::BadArguments, format!("the value for `{}` is undefined", self.text))
    }
}

/// The first item of `[value, "description"]`.
fn pair(value: &Value) -> Option<&Value> {
    match value.as_array()?.as_slice() {
        [Value::Array(_), _] => None,
        [first, Value::String(_)] => Some(first),
        _ => None,
    }
}

/// Where `splice` puts an item: negative counts from the end, beyond the end appends.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
fn splice_index(index: Number, length: usize) -> usize {
    let index = index.as_f64().trunc() as i64;
    if index < 0 { (length as i64).saturating_add(index).max(0) as usize } else { (index as usize).min(length) }
}

/// A key as JavaScript makes it of a value.
fn key_text(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        other => other.to_json(),
    }
}
