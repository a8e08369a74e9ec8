//! MVU's data: the `[initvar]` entries of a card, and the metadata inside them.
//!
//! ```text
//! {"$meta": {"extensible": true, "required": ["hp"], "template": {…}}, "hp": 5}      metadata of an object
//! ["rope", "$__META_EXTENSIBLE__$"]                                                  a list that may grow
//! [{"$meta": {"extensible": true, "template": {…}}, "$arrayMeta": true}, …]          metadata of a list
//! ```

use super::MvuSchema;
use super::merge::merge_replacing_lists;
use crate::document::Value;
use crate::limits::JSON_DEPTH_MAX;
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
    /// Titles of the entries that could not be read.
    pub unreadable: Vec<String>,
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
    read_block(text).filter(|value| value.depth() <= JSON_DEPTH_MAX)
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
    let schema = MvuSchema::generate(state, stored.as_ref());
    Imported { schema, state: strip(state), unreadable: Vec::new() }
}

/// One entry of a lorebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoreEntry<'a> {
    /// The title, which MVU calls comment.
    pub title: &'a str,
    /// The text.
    pub content: &'a str,
}

/// The first state of a chat from its books, as MVU puts it together.
///
/// Entries whose title has `[initvar]` are read. Those of one book are merged in order, lists replaced; between books, and
/// against what is there already, the first that has a key at the top keeps it.
///
/// ```
/// use tavernkeep_engine::{document::Value, mvu::{LoreEntry, initialise}};
///
/// let book = [LoreEntry { title: "[initvar]", content: "hp: 10\nbag: [rope]" }];
/// let imported = initialise(&Value::empty_object(), &[&book]);
/// assert_eq!(imported.state.to_json(), r#"{"hp":10,"bag":["rope"]}"#);
/// ```
pub fn initialise(existing: &Value, books: &[&[LoreEntry<'_>]]) -> Imported {
    let (data, unreadable) = gather(existing, books);
    Imported { unreadable, ..import(&data) }
}

/// The same with all metadata in it, and the titles of entries that could not be read. A template keeps the metadata: profiles make
/// the schema of it.
pub fn gather(existing: &Value, books: &[&[LoreEntry<'_>]]) -> (Value, Vec<String>) {
    let mut data = existing.as_object().cloned().unwrap_or_default();
    let mut unreadable = Vec::new();
    for book in books {
        let mut merged = Value::Null;
        for entry in book.iter().filter(|entry| entry.title.to_lowercase().contains("[initvar]")) {
            match read_init(entry.content).filter(|value| value.as_object().is_some()) {
                Some(value) => merged = merge_replacing_lists(&merged, &value),
                None => unreadable.push(entry.title.to_owned()),
            }
        }
        for (key, value) in merged.as_object().into_iter().flatten() {
            if !data.contains_key(key) || (key.as_ref() == META && existing.get(META).is_none()) {
                data.set(key.clone(), value.clone());
            }
        }
    }
    (Value::Object(data.into()), unreadable)
}

/// The `<initvar>` block of a greeting. It takes the place of the character's own book.
pub fn greeting_init(greeting: &str) -> Option<Value> {
    let start = greeting.find("<initvar>")?;
    let end = greeting[start..].find("</initvar>")?;
    read_init(&greeting[start..start + end + "</initvar>".len()])
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
pub(crate) fn has_metadata(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.iter().any(|(key, value)| key.as_ref() == META || key.as_ref() == ARRAY_META || has_metadata(value))
        }
        Value::Array(items) => items.iter().any(|item| item.as_str() == Some(EXTENSIBLE_MARKER) || has_metadata(item)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_becomes_schema_and_leaves_no_trace() {
        let data = Value::parse(
            r#"{
                "$meta": {"strictSet": true, "required": ["hp"]},
                "hp": 5,
                "bag": {"$meta": {"extensible": true, "template": {"n": 1}}, "rope": {"n": 2}},
                "log": [{"$meta": {"extensible": true}, "$arrayMeta": true}, "dawn"],
                "tags": ["brave", "$__META_EXTENSIBLE__$"],
                "deep": [[{"$meta": {}, "x": ["$__META_EXTENSIBLE__$"]}]]
            }"#,
        );
        let imported = import(&data.unwrap());
        assert_eq!(
            imported.state.to_json(),
            r#"{"hp":5,"bag":{"rope":{"n":2}},"log":["dawn"],"tags":["brave"],"deep":[[{"x":[]}]]}"#
        );
        let node =
            |path: &[&str]| imported.schema.at(&path.iter().map(|key| (*key).into()).collect::<Vec<_>>()).unwrap();
        let extensible = |path: &[&str]| node(path).get("extensible").and_then(Value::as_bool);
        assert_eq!(imported.schema.flag("strictSet"), Some(true));
        assert_eq!(node(&["hp"]).get("required"), Some(&Value::Bool(true)));
        assert_eq!(node(&["bag"]).get("template").map(Value::to_json).as_deref(), Some(r#"{"n":1}"#));
        assert_eq!(
            [&["bag"], &["log"], &["tags"], &["deep"]].map(|path| extensible(path)),
            [Some(true), Some(true), Some(true), Some(false)]
        );
    }

    #[test]
    fn an_entry_is_json_or_yaml_in_tags_and_fences() {
        for text in [
            "{\"hp\": 5}",
            "hp: 5",
            "```yaml\nhp: 5\n```",
            "<initvar>\n```json\n{hp: 5,}\n```\n</initvar>",
            "<initvar>hp: 5</initvar>",
        ] {
            assert_eq!(read_init(text).map(|value| value.to_json()).as_deref(), Some(r#"{"hp":5}"#), "{text}");
        }
        assert_eq!(
            greeting_init("Hello!<initvar>hp: 5</initvar>").map(|value| value.to_json()).as_deref(),
            Some(r#"{"hp":5}"#)
        );
        assert_eq!(greeting_init("Hello!"), None);
    }
}
