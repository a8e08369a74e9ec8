//! JSON Patch on a value, by RFC 6902 to the letter: `add`, `remove`, `replace`, `move`, `copy`, `test`, all of them or
//! none. What models write in replies is read more kindly, by the dialect of that name.
//!
//! ```
//! use tavernkeep_engine::json::JsonText;
//! use tavernkeep_engine::json_patch::Patch;
//!
//! let patch = JsonText::parse(br#"[{"op": "add", "path": "/bag/-", "value": "rope"}]"#).unwrap();
//! let value = JsonText::parse(br#"{"bag": ["torch"]}"#).unwrap();
//! let patched = Patch::read(patch.view()).unwrap().apply(&value).unwrap();
//! assert_eq!(patched.as_str(), r#"{"bag":["torch","rope"]}"#);
//! ```

use crate::document::Value;
use crate::document::change::Change;
use crate::document::op::Op;
use crate::document::path::{Path, WrittenPath, is_index, locate, parse_pointer, write_segment};
use crate::json::{JsonText, JsonView};
use crate::limits::{JSON_DEPTH_MAX, PATCH_OPERATIONS_MAX, TURN_BYTES_MAX, VARIABLES_BODY_BYTES_MAX};
use std::fmt;
use std::sync::Arc;

/// A patch that is well-formed. Whether it fits is seen when it is applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch(Vec<Operation>);

#[derive(Debug, Clone, PartialEq)]
enum Operation {
    Add(Pointer, Value),
    Remove(Pointer),
    Replace(Pointer, Value),
    Move { from: Pointer, path: Pointer },
    Copy { from: Pointer, path: Pointer },
    Test(Pointer, Value),
}

type Pointer = Vec<Arc<str>>;

/// Why a patch is none: where, as a JSON Pointer into it, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The place in the patch.
    pub place: String,
    /// What it must be.
    pub message: String,
}

/// Why a patch does not fit a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The operation that does not fit, counted from 0.
    pub index: usize,
    /// Why.
    pub message: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "operation {} does not fit: {}; nothing was changed", self.index, self.message)
    }
}

impl std::error::Error for Misfit {}

impl Patch {
    /// Reads a list of operations. Members that RFC 6902 does not name are ignored, as it says.
    pub fn read(patch: JsonView<'_>) -> Result<Patch, Malformed> {
        let malformed = |message: String| Malformed { place: String::new(), message };
        let operations = patch.as_array().ok_or_else(|| malformed("must be array".into()))?;
        let mut read = Vec::new();
        for (index, operation) in operations.enumerate() {
            if index == PATCH_OPERATIONS_MAX {
                return Err(malformed(format!("must NOT have more than {PATCH_OPERATIONS_MAX} items")));
            }
            read.push(read_operation(operation).map_err(|(member, message)| {
                let place = if member.is_empty() { format!("/{index}") } else { format!("/{index}/{member}") };
                Malformed { place, message }
            })?);
        }
        Ok(Patch(read))
    }

    /// A patch that sets the value at a path of a document: in the place of what is there, or as a new member of what is there.
    pub fn set(document: &Value, path: &WrittenPath, value: Value) -> Patch {
        let pointer = path.on(document);
        Patch(vec![match locate(document, &pointer).exists() {
            true => Operation::Replace(pointer, value),
            false => Operation::Add(pointer, value),
        }])
    }

    /// Applies all operations, or none.
    pub fn apply(&self, value: &JsonText) -> Result<JsonText, Misfit> {
        let patched = self.patched(Value::from(value.view()), VARIABLES_BODY_BYTES_MAX)?;
        Ok(patched.document.to_text())
    }

    /// What all operations together change in a document of at most so many bytes. A `test` changes nothing.
    pub fn change(&self, document: &Value, bytes_max: usize) -> Result<Change, Misfit> {
        let patched = self.patched(document.clone(), bytes_max)?;
        Ok(Change { ops: patched.ops })
    }

    fn patched(&self, document: Value, bytes_max: usize) -> Result<Patched, Misfit> {
        let mut patched = Patched { document, ops: Vec::new(), copied: 0, bytes_max };
        for (index, operation) in self.0.iter().enumerate() {
            operation.apply(&mut patched).map_err(|message| Misfit { index, message })?;
        }
        Ok(patched)
    }
}

/// A document while a patch is applied.
struct Patched {
    document: Value,
    ops: Vec<Op>,
    /// What copies have amounted to so far: they share storage until one is written to.
    copied: usize,
    bytes_max: usize,
}

/// What is wrong with a member of an operation.
type Wrong = (&'static str, String);

fn read_operation(operation: JsonView<'_>) -> Result<Operation, Wrong> {
    if operation.as_object().is_none() {
        return Err(("", "must be object".into()));
    }
    let pointer = |member: &'static str| {
        let view = operation.get(member).ok_or_else(|| ("", format!("must have required property '{member}'")))?;
        let text = view.as_str().ok_or_else(|| (member, "must be string".into()))?;
        parse_pointer(&text).map_err(|error| (member, error.to_string()))
    };
    let value = || {
        let view = operation.get("value").ok_or_else(|| ("", "must have required property 'value'".into()))?;
        match view.depth() > JSON_DEPTH_MAX {
            true => Err(("value", format!("must NOT be nested deeper than {JSON_DEPTH_MAX} levels"))),
            false => Ok(Value::from(view)),
        }
    };
    let name = operation.get("op").ok_or_else(|| ("", "must have required property 'op'".to_owned()))?;
    let name = name.as_str().ok_or_else(|| ("op", "must be string".to_owned()))?;
    Ok(match name.as_ref() {
        "add" => Operation::Add(pointer("path")?, value()?),
        "remove" => Operation::Remove(pointer("path")?),
        "replace" => Operation::Replace(pointer("path")?, value()?),
        "move" => Operation::Move { from: pointer("from")?, path: pointer("path")? },
        "copy" => Operation::Copy { from: pointer("from")?, path: pointer("path")? },
        "test" => Operation::Test(pointer("path")?, value()?),
        _ => return Err(("op", "must be one of add, remove, replace, move, copy, test".into())),
    })
}

impl Operation {
    fn apply(&self, to: &mut Patched) -> Result<(), String> {
        match self {
            Operation::Add(path, value) => to.add(path, value.clone()),
            Operation::Remove(path) => to.remove(path).map(drop),
            Operation::Replace(path, value) => to.replace(path, value.clone()),
            Operation::Move { from, path } if from == path => existing(&to.document, from).map(drop),
            Operation::Move { from, path } if path.starts_with(from) => {
                Err(format!("`{}` cannot be moved into itself", shown(from)))
            }
            Operation::Move { from, path } => {
                let value = to.remove(from)?;
                to.add(path, value)
            }
            Operation::Copy { from, path } => {
                let (_, value) = existing(&to.document, from)?;
                to.copied += value.weight();
                if to.copied > TURN_BYTES_MAX {
                    return Err(format!("the copies amount to more than {TURN_BYTES_MAX} bytes"));
                }
                to.add(path, value)
            }
            Operation::Test(path, wanted) => match existing(&to.document, path)?.1 == *wanted {
                true => Ok(()),
                false => Err(format!("`{}` is not the value that is tested for", shown(path))),
            },
        }
    }
}

/// The value at a pointer and its address.
fn existing(document: &Value, pointer: &[Arc<str>]) -> Result<(Path, Value), String> {
    let located = locate(document, pointer);
    match located.missing.len() {
        0 => Ok((located.path, located.value.clone())),
        missing => Err(format!("there is no `{}`", shown(&pointer[..=pointer.len() - missing]))),
    }
}

impl Patched {
    fn add(&mut self, pointer: &[Arc<str>], value: Value) -> Result<(), String> {
        not_too_deep(pointer, &value)?;
        let Some((last, parent)) = pointer.split_last() else {
            return self.perform(Op::Replace { path: Path::root(), value, old: self.document.clone() });
        };
        let (place, container) = existing(&self.document, parent)?;
        let op = match &container {
            Value::Object(object) => match object.get(last) {
                Some(old) => Op::Replace { path: place.key(Arc::clone(last)), value, old: old.clone() },
                None => Op::Add { path: place.key(Arc::clone(last)), position: object.len(), value },
            },
            Value::Array(items) => {
                let index = if last.as_ref() == "-" { Some(items.len()) } else { is_index(last) };
                let index = index.filter(|index| *index <= items.len());
                let index = index.ok_or_else(|| format!("`{}` is no place in the list", shown(pointer)))?;
                Op::Add { path: place.index(index), position: index, value }
            }
            other => {
                let kind = other.kind().with_article();
                return Err(format!("`{}` is {kind}; nothing can be added to it", shown(parent)));
            }
        };
        // The container's own share of its storage would make every change of it a copy.
        drop(container);
        self.perform(op)
    }

    fn replace(&mut self, pointer: &[Arc<str>], value: Value) -> Result<(), String> {
        not_too_deep(pointer, &value)?;
        let (path, old) = existing(&self.document, pointer)?;
        self.perform(Op::Replace { path, value, old })
    }

    fn remove(&mut self, pointer: &[Arc<str>]) -> Result<Value, String> {
        if pointer.is_empty() {
            return Err("the whole value cannot be removed; delete what holds it instead".into());
        }
        let (path, old) = existing(&self.document, pointer)?;
        self.perform(Op::Remove { path, position: 0, old: old.clone() })?;
        Ok(old)
    }

    /// A patch makes no value that could not be put.
    fn perform(&mut self, op: Op) -> Result<(), String> {
        self.document.apply(&op).map_err(|misfit| misfit.to_string())?;
        self.ops.push(op);
        match self.document.weight() > self.bytes_max {
            true => Err(format!("the value would be larger than {} bytes", self.bytes_max)),
            false => Ok(()),
        }
    }
}

fn not_too_deep(pointer: &[Arc<str>], value: &Value) -> Result<(), String> {
    match pointer.len() + value.depth() > JSON_DEPTH_MAX {
        true => Err(format!("`{}` would be nested deeper than {JSON_DEPTH_MAX} levels", shown(pointer))),
        false => Ok(()),
    }
}

/// A pointer as it is written.
fn shown(pointer: &[Arc<str>]) -> String {
    let mut out = String::new();
    pointer.iter().for_each(|segment| write_segment(&mut out, segment));
    out
}
