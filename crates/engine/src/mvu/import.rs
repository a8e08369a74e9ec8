//! MVU's data: the `[initvar]` entries of a card, and the metadata inside them.
//!
//! ```text
//! {"$meta": {"extensible": true, "required": ["hp"], "template": {…}}, "hp": 5}      metadata of an object
//! ["rope", "$__META_EXTENSIBLE__$"]                                                  a list that may grow
//! [{"$meta": {"extensible": true, "template": {…}}, "$arrayMeta": true}, …]          metadata of a list
//! ```

use super::MvuSchema;
use crate::document::Value;
use crate::literal::read_block;

/// The key of metadata in an object.
pub(super) const META: &str = "$meta";
/// The key that says that an item is metadata of its list.
pub(super) const ARRAY_META: &str = "$arrayMeta";
/// The item that says that its list may grow.
pub(super) const EXTENSIBLE_MARKER: &str = "$__META_EXTENSIBLE__$";

/// What a card's first state becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The state without metadata: the template of a character.
    pub state: Value,
    /// The schema that the metadata described.
    pub schema: MvuSchema,
}

/// Takes the text of one `[initvar]` entry: perhaps in `<initvar>` tags, perhaps in a code fence, JSON or YAML.
pub fn read_init(text: &str) -> Option<Value> {
    let mut text = text.trim();
    for (open, close) in [("<initvar>", "</initvar>"), ("```", "```"), ("<initvar>", "</initvar>")] {
        if let Some(inside) = text.strip_prefix(open) {
            let inside = inside.trim_end().strip_suffix(close).unwrap_or(inside);
            let inside = if open == "```" { inside.split_once('\n').map_or(inside, |(_, rest)| rest) } else { inside };
            text = inside.trim();
        }
    }
    read_block(text)
}

/// Makes a template and a schema of MVU data. Accepts a whole record (`{"stat_data": …}`) as well as the data alone.
///
/// ```
/// use tavernkeep_engine::{document::Value, mvu::import};
///
/// let data = Value::parse(r#"{"stat_data": {"$meta": {"extensible": true}, "gold": 5}}"#).unwrap();
/// assert_eq!(import(&data).state.to_json(), r#"{"gold":5}"#);
/// ```
pub fn import(data: &Value) -> Imported {
    let record = data.get("stat_data").filter(|state| state.as_object().is_some());
    let state = record.unwrap_or(data);
    let stored = record.and(data.get("schema")).and_then(MvuSchema::from_value);
    Imported { schema: MvuSchema::generate(state, stored.as_ref()), state: strip(state) }
}

/// Takes all metadata out, at any depth. An item that is metadata goes away whole.
pub fn strip(value: &Value) -> Value {
    if !has_metadata(value) {
        return value.clone();
    }
    match value {
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| key.as_ref() != META && key.as_ref() != ARRAY_META)
            .map(|(key, value)| (key.clone(), strip(value)))
            .collect(),
        Value::Array(items) => {
            let data = items.iter().filter(|item| !is_array_meta(item) && item.as_str() != Some(EXTENSIBLE_MARKER));
            data.map(strip).collect()
        }
        other => other.clone(),
    }
}

/// Whether an item is metadata of its list.
pub(super) fn is_array_meta(item: &Value) -> bool {
    item.get(ARRAY_META).and_then(Value::as_bool) == Some(true)
}

/// Whether there is anything to strip. Most values have none and are shared as they are.
pub(super) fn has_metadata(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.iter().any(|(key, value)| key.as_ref() == META || key.as_ref() == ARRAY_META || has_metadata(value))
        }
        Value::Array(items) => items.iter().any(|item| item.as_str() == Some(EXTENSIBLE_MARKER) || has_metadata(item)),
        _ => false,
    }
}
