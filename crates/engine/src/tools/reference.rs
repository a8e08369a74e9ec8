//! `$VAR_REF{{…}}` in the arguments of a call.
//!
//! ```text
//! reference = "$VAR_REF{{" name [ "#" pointer | ":" start [ ":" length ] ] "}}"
//! ```
//!
//! The body ends at the first `}}`. A variable of exactly that name wins; then a JSON pointer behind `#`, then a slice. A body
//! that is none of these and has a colon stays as it is; any other is an error. `$$VAR_REF{{…}}` is a literal `$VAR_REF{{…}}`.
//! Trusted values are expanded after slicing; text from outside, and copies of it, never are. Keys of objects are left alone.

use super::schema::{Schema, SchemaSteps};
use super::variable::slice;
use crate::limits::{
    REFERENCE_BYTES_MAX, REFERENCE_DEPTH_MAX, REFERENCE_LOOKUPS_MAX, REFERENCES_MAX, SCRATCH_NAME_BYTES_MAX,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

const OPEN: &str = "$VAR_REF{{";
const CLOSE: &str = "}}";

/// A variable's value, and whether references inside it are expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundValue {
    /// The value.
    pub value: Arc<str>,
    /// Whether it is.
    pub trusted: bool,
}

/// Where the variables come from.
pub trait Lookup {
    /// What can go wrong with them.
    type Error;

    /// A variable's value.
    fn lookup(&mut self, name: &str) -> Result<Option<FoundValue>, Self::Error>;

    /// The names of all variables, for the message about one that is not there.
    fn names(&mut self) -> Result<Vec<String>, Self::Error>;
}

/// How references are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceOptions {
    /// Whether `$$VAR_REF{{…}}` is an escape.
    pub escapes: bool,
    /// Bytes that all references of a call may expand to.
    pub bytes_max: usize,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        ReferenceOptions { escapes: true, bytes_max: REFERENCE_BYTES_MAX }
    }
}

/// Arguments without references.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The arguments.
    pub args: Value,
    /// Which variables were used, and how often.
    pub used: BTreeMap<String, i64>,
    /// Whether any of them is untrusted: what is written with these arguments is so too.
    pub untrusted: bool,
}

/// Why references could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceError<E> {
    /// No variable has this name; those that there are.
    NotFound(String, Vec<String>),
    /// A variable refers to itself: the way round.
    Circular(Vec<String>),
    /// The variable's value is not JSON, or has nothing at the pointer.
    Pointer(String, String),
    /// The references expand to more than this many bytes.
    TooLarge(usize),
    /// There are more references than this.
    TooMany(usize),
    /// The variables cannot be reached.
    Lookup(E),
}

impl<E> fmt::Display for ReferenceError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReferenceError::NotFound(name, names) => {
                let names = if names.is_empty() { "(none)".to_owned() } else { names.join(", ") };
                write!(formatter, "Variable '{name}' not found. Available: {names}")
            }
            ReferenceError::Circular(way) => {
                write!(formatter, "Circular variable reference detected: {}", way.join(" → "))
            }
            ReferenceError::Pointer(name, pointer) => {
                write!(
                    formatter,
                    "Variable '{name}' has nothing at '{pointer}': its value is not JSON or has no such place"
                )
            }
            ReferenceError::TooLarge(most) => {
                write!(formatter, "Variable references expand to more than {most} bytes, the limit of one call")
            }
            ReferenceError::TooMany(most) => {
                write!(formatter, "Variable references are more than {most} or nest too deep, the limit of one call")
            }
            ReferenceError::Lookup(_) => formatter.write_str("the variables cannot be read"),
        }
    }
}

/// Resolves all references of a call's arguments. `schema` is the JSON Schema of the arguments, for typed substitution.
pub fn resolve<L: Lookup>(
    args: &Value,
    schema: Option<&Value>,
    options: &ReferenceOptions,
    lookup: &mut L,
) -> Result<Resolved, ReferenceError<L::Error>> {
    let mut resolver = Resolver {
        lookup,
        options,
        known: BTreeMap::new(),
        parsed: BTreeMap::new(),
        parsed_bytes: 0,
        used: BTreeMap::new(),
        bytes: 0,
        count: 0,
        untrusted: false,
    };
    let steps = SchemaSteps::default();
    let args = resolver.value(args, schema.map(|schema| Schema::new(schema, &steps)).as_ref())?;
    Ok(Resolved { args, used: resolver.used, untrusted: resolver.untrusted })
}

/// Whether a text has anything to resolve.
pub fn has_references(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(OPEN),
        Value::Array(items) => items.iter().any(has_references),
        Value::Object(members) => members.values().any(has_references),
        _ => false,
    }
}

struct Resolver<'a, L: Lookup> {
    lookup: &'a mut L,
    options: &'a ReferenceOptions,
    known: BTreeMap<String, Option<FoundValue>>,
    /// Values that were read as JSON, by the names of their variables; none for one that is not JSON.
    parsed: BTreeMap<String, Option<Arc<Value>>>,
    /// The bytes of them.
    parsed_bytes: usize,
    used: BTreeMap<String, i64>,
    bytes: usize,
    count: usize,
    untrusted: bool,
}

/// What a reference selects.
enum Selected {
    Text(String, FoundValue, Option<(usize, Option<usize>)>),
    /// A part of a value that is JSON; whether the value is trusted.
    Json(String, Value, bool),
    /// It is no reference.
    Literal,
}

impl<L: Lookup> Resolver<'_, L> {
    fn value(&mut self, value: &Value, schema: Option<&Schema<'_>>) -> Result<Value, ReferenceError<L::Error>> {
        match value {
            Value::String(text) => self.argument(text, schema),
            Value::Array(items) => {
                let schema = schema.and_then(Schema::items);
                items.iter().map(|item| self.value(item, schema.as_ref())).collect::<Result<_, _>>().map(Value::Array)
            }
            Value::Object(members) => {
                // Only texts become something else, so nothing else needs its schema.
                let of = |key: &str, value: &Value| {
                    let is_needed = value.is_string() || value.is_array() || value.is_object();
                    schema.filter(|_| is_needed).and_then(|schema| schema.property(key))
                };
                let resolved =
                    members.iter().map(|(key, value)| Ok((key.clone(), self.value(value, of(key, value).as_ref())?)));
                resolved.collect::<Result<_, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    /// One string of the arguments. One that is a single reference may yield JSON.
    fn argument(&mut self, text: &str, schema: Option<&Schema<'_>>) -> Result<Value, ReferenceError<L::Error>> {
        if let Some(body) = whole(text) {
            match self.select(body)? {
                Selected::Json(name, value, trusted) => {
                    self.untrusted |= !trusted;
                    self.note(&name, 0)?;
                    return Ok(match schema.is_none_or(|schema| schema.allows(&value)) {
                        true => value,
                        false => Value::String(value.to_string()),
                    });
                }
                Selected::Text(name, found, part) => {
                    let text = self.expanded(&name, &found, part, &mut Vec::new())?;
                    let typed = schema.and_then(|schema| schema.typed(&text));
                    return Ok(typed.unwrap_or(Value::String(text)));
                }
                Selected::Literal => {}
            }
        }
        self.text(text, &mut Vec::new()).map(Value::String)
    }

    /// Replaces the references of a text. `way` are the variables that led here.
    fn text(&mut self, text: &str, way: &mut Vec<String>) -> Result<String, ReferenceError<L::Error>> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(OPEN) {
            let escaped = self.options.escapes && rest[..at].ends_with('$');
            let body_at = at + OPEN.len();
            let Some(end) = rest[body_at..].find(CLOSE).map(|end| body_at + end) else { break };
            // The innermost opening counts: a computed name is replaced, what is around it stays.
            if let Some(inner) = rest[body_at..end].rfind(OPEN) {
                let inner = body_at + inner;
                let inner = if rest[..inner].ends_with('$') { inner - 1 } else { inner };
                out.push_str(&rest[..inner]);
                rest = &rest[inner..];
                continue;
            }
            let whole = &rest[at..end + CLOSE.len()];
            if escaped {
                out.push_str(&rest[..at - 1]);
                out.push_str(whole);
            } else {
                out.push_str(&rest[..at]);
                match self.select(&rest[body_at..end])? {
                    Selected::Text(name, found, part) => out.push_str(&self.expanded(&name, &found, part, way)?),
                    Selected::Json(name, value, trusted) => {
                        self.untrusted |= !trusted;
                        self.note(&name, 0)?;
                        out.push_str(&value.to_string());
                    }
                    Selected::Literal => out.push_str(whole),
                }
            }
            rest = &rest[end + CLOSE.len()..];
        }
        out.push_str(rest);
        Ok(out)
    }

    fn expanded(
        &mut self,
        name: &str,
        found: &FoundValue,
        part: Option<(usize, Option<usize>)>,
        way: &mut Vec<String>,
    ) -> Result<String, ReferenceError<L::Error>> {
        if let Some(first) = way.iter().position(|passed| passed == name) {
            let mut round = way.split_off(first);
            round.push(name.to_owned());
            return Err(ReferenceError::Circular(round));
        }
        let value = &*found.value;
        let text = part.map_or(value, |(start, length)| slice(value, start, length));
        self.untrusted |= !found.trusted;
        let expands = found.trusted && text.contains(OPEN);
        self.note(name, if expands { 0 } else { text.len() })?;
        if !expands {
            return Ok(text.to_owned());
        }
        if way.len() >= REFERENCE_DEPTH_MAX {
            return Err(ReferenceError::TooMany(REFERENCES_MAX));
        }
        self.spend(text.len())?;
        way.push(name.to_owned());
        let text = self.text(text, way)?;
        way.pop();
        Ok(text)
    }

    /// Counts one use, and the bytes it brings.
    fn note(&mut self, name: &str, bytes: usize) -> Result<(), ReferenceError<L::Error>> {
        *self.used.entry(name.to_owned()).or_default() += 1;
        self.count += 1;
        if self.count > REFERENCES_MAX {
            return Err(ReferenceError::TooMany(REFERENCES_MAX));
        }
        self.spend(bytes)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), ReferenceError<L::Error>> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > self.options.bytes_max {
            true => Err(ReferenceError::TooLarge(self.options.bytes_max)),
            false => Ok(()),
        }
    }

    fn find(&mut self, name: &str) -> Result<Option<FoundValue>, ReferenceError<L::Error>> {
        // No variable has a longer name, and a long body may hold a name before each of its `#`.
        if name.len() > SCRATCH_NAME_BYTES_MAX {
            return Ok(None);
        }
        let names = self.known.len();
        match self.known.entry(name.to_owned()) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(_) if names >= REFERENCE_LOOKUPS_MAX => Err(ReferenceError::TooMany(REFERENCES_MAX)),
            Entry::Vacant(place) => {
                let found = self.lookup.lookup(name).map_err(ReferenceError::Lookup)?;
                Ok(place.insert(found).clone())
            }
        }
    }

    /// What a variable's JSON has at a pointer. A value is read once, however often it is named.
    fn selected(
        &mut self,
        name: &str,
        found: &FoundValue,
        pointer: &str,
    ) -> Result<Option<Value>, ReferenceError<L::Error>> {
        let parsed = match self.parsed.get(name) {
            Some(parsed) => parsed.clone(),
            None => {
                self.parsed_bytes = self.parsed_bytes.saturating_add(found.value.len());
                if self.parsed_bytes > REFERENCE_BYTES_MAX {
                    return Err(ReferenceError::TooLarge(REFERENCE_BYTES_MAX));
                }
                let parsed = serde_json::from_str(&found.value).ok().map(Arc::new);
                self.parsed.insert(name.to_owned(), parsed.clone());
                parsed
            }
        };
        let Some(selected) = parsed.as_ref().and_then(|json| json.pointer(pointer)) else { return Ok(None) };
        self.spend(written_bytes(selected))?;
        Ok(Some(selected.clone()))
    }

    fn select(&mut self, body: &str) -> Result<Selected, ReferenceError<L::Error>> {
        if body.is_empty() {
            return Ok(Selected::Literal);
        }
        if let Some(found) = self.find(body)? {
            return Ok(Selected::Text(body.to_owned(), found, None));
        }
        let mut missing = None;
        for (at, _) in body.match_indices('#') {
            let (name, pointer) = (&body[..at], &body[at + 1..]);
            if name.is_empty() || !(pointer.is_empty() || pointer.starts_with('/')) {
                continue;
            }
            if name.len() > SCRATCH_NAME_BYTES_MAX {
                break;
            }
            if let Some(found) = self.find(name)? {
                let selected = self.selected(name, &found, pointer)?;
                let nothing = || ReferenceError::Pointer(name.to_owned(), pointer.to_owned());
                return selected.map(|value| Selected::Json(name.to_owned(), value, found.trusted)).ok_or_else(nothing);
            }
            missing.get_or_insert(name);
        }
        for (name, part) in slices(body) {
            if let Some(found) = self.find(name)? {
                return Ok(Selected::Text(name.to_owned(), found, Some(part)));
            }
            if !name.contains(':') {
                missing = Some(name);
            }
        }
        match missing.or_else(|| (!body.contains(':')).then_some(body)) {
            Some(name) => {
                let names = self.lookup.names().map_err(ReferenceError::Lookup)?;
                Err(ReferenceError::NotFound(name.to_owned(), names))
            }
            None => Ok(Selected::Literal),
        }
    }
}

/// The bytes of a value as JSON, without writing it.
fn written_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Neither counting nor a JSON value can fail.
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

/// The ways to read a body as a name with a slice: two numbers, then one.
fn slices(body: &str) -> impl Iterator<Item = (&str, (usize, Option<usize>))> {
    let last = body.rsplit_once(':').and_then(|(head, last)| Some((head, number(last)?)));
    let two = last.and_then(|(head, length)| {
        let (name, start) = head.rsplit_once(':')?;
        Some((name, (number(start)?, Some(length))))
    });
    let one = last.map(|(name, start)| (name, (start, None)));
    [two, one].into_iter().flatten().filter(|(name, _)| !name.is_empty())
}

fn number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large points behind the end of everything.
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// The body of a text that is one reference and nothing else.
fn whole(text: &str) -> Option<&str> {
    let body = text.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    (!body.contains(CLOSE) && !body.contains(OPEN)).then_some(body)
}
