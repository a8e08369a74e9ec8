//! Checks a request's body against the schema that the API document has for it, and reads it into its type.
//!
//! All problems are collected, each with its place, in the words of JSON Schema. The document and the checks cannot differ:
//! they come from one schema, which is derived from the type.

use crate::error::ApiError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use tavernkeep_api::{ErrorCode, Json, JsonObject};
use tavernkeep_engine::id::{ID_PATTERN, Id};
use tavernkeep_engine::json::{JsonKind, JsonText, JsonView};
use tavernkeep_engine::limits::JSON_DEPTH_MAX;
use tavernkeep_runtime::input::Problems;
use utoipa::ToSchema;

/// Reads a body that has the shape of `T`.
pub(crate) fn read<T: ToSchema + DeserializeOwned>(body: &JsonText) -> Result<T, ApiError> {
    let mut problems = Problems::default();
    check(&SCHEMAS[T::name().as_ref()], body.view(), &BodyPath::Body, &mut problems)?;
    problems.finish()?;
    serde_json::from_str(body.as_str()).map_err(|error| ApiError::internal(format!("a body that was checked: {error}")))
}

/// Text of a body as the type it stands for. That it can be read was checked with the body.
pub(crate) fn parsed<T: FromStr>(text: impl AsRef<str>) -> Result<T, ApiError> {
    text.as_ref().parse().map_err(|_| ApiError::internal(format!("{:?} was checked", text.as_ref())))
}

/// The same for text that may be missing.
pub(crate) fn parsed_if<T: FromStr>(text: Option<String>) -> Result<Option<T>, ApiError> {
    text.map(parsed).transpose()
}

/// The same for text that may be missing or null.
pub(crate) fn parsed_or_null<T: FromStr>(text: Option<Option<String>>) -> Result<Option<Option<T>>, ApiError> {
    text.map(parsed_if).transpose()
}

/// A word of the API as the engine has it.
pub(crate) fn word<T: FromStr>(word: impl Serialize) -> Result<T, ApiError> {
    let word = serde_json::to_value(word).map_err(ApiError::internal)?;
    parsed(word.as_str().unwrap_or_default())
}

/// An object of a body, which was normalised with it.
pub(crate) fn object_text(object: Option<JsonObject>) -> Option<JsonText> {
    object.map(|object| JsonText::from_stored(object.text()))
}

/// A value of a body, which was normalised with it.
pub(crate) fn value_text(value: &Json) -> JsonText {
    JsonText::from_stored(value.text())
}

/// Lists with thousands of items may be wrong in the same way everywhere.
const PROBLEMS_MAX: usize = 32;

static SCHEMAS: LazyLock<Value> = LazyLock::new(|| crate::openapi()["components"]["schemas"].take());

/// Where in the body a value stands; written as a JSON pointer only for a problem.
enum BodyPath<'a> {
    Body,
    Member(&'a BodyPath<'a>, &'a str),
    Item(&'a BodyPath<'a>, usize),
}

impl fmt::Display for BodyPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyPath::Body => Ok(()),
            BodyPath::Member(parent, name) => write!(formatter, "{parent}/{name}"),
            BodyPath::Item(parent, number) => write!(formatter, "{parent}/{number}"),
        }
    }
}

fn check(schema: &Value, view: JsonView<'_>, place: &BodyPath<'_>, problems: &mut Problems) -> Result<(), ApiError> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        // A profile is checked by the engine.
        return match name {
            "JsonValue" | "ProfileChoice" => check_depth(view, place),
            name => check(&SCHEMAS[name], view, place, problems),
        };
    }
    if let Some(parts) = schema["oneOf"].as_array() {
        // Null, if it is allowed, is the last part.
        let mut parts = parts.iter().filter(|part| part["type"] != "null" || view.kind() == JsonKind::Null);
        return parts.next_back().map_or(Ok(()), |part| check(part, view, place, problems));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let number = |name: &str, default: i64| schema[name].as_i64().unwrap_or(default);
    match view.kind() {
        JsonKind::Null if kinds.contains(&"null") => {}
        JsonKind::Bool if kinds.contains(&"boolean") => {}
        JsonKind::Number if kinds.contains(&"integer") && !view.text().contains(['.', 'e', 'E']) => {
            let (min, max) = (number("minimum", i64::MIN), number("maximum", i64::MAX));
            let value = view.as_i64();
            if value.is_none_or(|value| !(min..=max).contains(&value)) {
                problems.range(place.to_string(), value.unwrap_or(i64::MAX), min, max);
            }
        }
        JsonKind::String if kinds.contains(&"string") => {
            let text = view.as_str().unwrap_or_default();
            let size = |name: &str, default: usize| schema[name].as_u64().map_or(default, |size| size as usize);
            if problems.length(|| place.to_string(), &text, size("minLength", 0), size("maxLength", usize::MAX)) {
                check_text(schema, &text, place, problems);
            }
        }
        JsonKind::Array if kinds.contains(&"array") => {
            let (min, max) = (number("minItems", 0), number("maxItems", i64::MAX));
            // One more than allowed is enough to know.
            let items: Vec<_> = view.as_array().into_iter().flatten().take(max.saturating_add(1) as usize).collect();
            if (items.len() as i64) < min {
                problems.add(place.to_string(), "minItems", format!("must NOT have fewer than {min} items"));
            } else if items.len() as i64 > max {
                problems.add(place.to_string(), "maxItems", format!("must NOT have more than {max} items"));
            } else {
                for (number, item) in items.into_iter().enumerate() {
                    check(&schema["items"], item, &BodyPath::Item(place, number), problems)?;
                    if problems.len() > PROBLEMS_MAX {
                        break;
                    }
                }
            }
        }
        JsonKind::Object if kinds.contains(&"object") => match schema["additionalProperties"] == false {
            true => check_members(schema, view, place, problems)?,
            false => check_depth(view, place)?,
        },
        _ => problems.kind(place.to_string(), &kinds.join(",")),
    }
    Ok(())
}

fn check_text(schema: &Value, text: &str, place: &BodyPath<'_>, problems: &mut Problems) {
    if let Some(allowed) = schema["enum"].as_array() {
        let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        if !allowed.contains(&text) {
            problems.choice(place.to_string(), &allowed);
        }
    }
    let Some(pattern) = schema["pattern"].as_str() else { return };
    let matches = match pattern {
        ID_PATTERN => text.parse::<Id>().is_ok(),
        HASH_PATTERN => text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        VERSION_PATTERN => text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        _ => true,
    };
    if !matches {
        problems.add(place.to_string(), "pattern", format!("must match pattern \"{pattern}\""));
    }
}

const HASH_PATTERN: &str = "^[0-9A-Fa-f]{64}$";
const VERSION_PATTERN: &str = "^[0-9a-f]{32}$";

fn check_members(
    schema: &Value,
    view: JsonView<'_>,
    place: &BodyPath<'_>,
    problems: &mut Problems,
) -> Result<(), ApiError> {
    let members: Vec<(Cow<'_, str>, JsonView<'_>)> = view.as_object().into_iter().flatten().collect();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !members.iter().any(|(member, _)| member == name) {
            problems.required(&place.to_string(), name);
        }
    }
    let properties = schema["properties"].as_object();
    let property = |name: &str| properties.and_then(|properties| properties.get(name));
    for (name, value) in &members {
        if let Some(property) = property(name) {
            check(property, *value, &BodyPath::Member(place, name), problems)?;
        }
    }
    if members.iter().any(|(name, _)| property(name).is_none()) {
        let known: Vec<&str> = properties.into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
        problems.unknown(&place.to_string(), "field", members.iter().map(|(name, _)| name.as_ref()), &known);
    }
    Ok(())
}

/// A body may be deeper than a value, so each value is measured too. A text shorter than the limit cannot cross it.
fn check_depth(view: JsonView<'_>, place: &BodyPath<'_>) -> Result<(), ApiError> {
    if view.text().len() > 2 * JSON_DEPTH_MAX && view.depth() > JSON_DEPTH_MAX {
        let message = format!("{place} is nested deeper than {JSON_DEPTH_MAX} levels; flatten the value");
        return Err(ApiError::new(ErrorCode::MalformedJson, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is wrong with a value: the place, the keyword and the message of each problem.
    fn problems(schema: &Value, body: &str) -> Vec<(String, String, String)> {
        let body = JsonText::parse_with_depth(body.as_bytes(), 200).unwrap();
        let mut problems = Problems::default();
        check(schema, body.view(), &BodyPath::Body, &mut problems).unwrap();
        let details = problems.finish().err().map(|error| error.details).unwrap_or_default();
        details.into_iter().map(|detail| (detail.path, detail.code, detail.message)).collect()
    }

    fn one(path: &str, code: &str, message: &str) -> Vec<(String, String, String)> {
        vec![(path.into(), code.into(), message.into())]
    }

    #[test]
    fn numbers_have_bounds() {
        let schema = json!({"type": "object", "additionalProperties": false,
            "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 100}}});
        assert_eq!(problems(&schema, r#"{"n":0}"#), one("/n", "minimum", "must be >= 1"));
        assert_eq!(problems(&schema, r#"{"n":101}"#), one("/n", "maximum", "must be <= 100"));
        assert_eq!(problems(&schema, r#"{"n":18446744073709551615}"#), one("/n", "maximum", "must be <= 100"));
        assert_eq!(problems(&schema, r#"{"n":1.5}"#), one("/n", "type", "must be integer"));
        assert_eq!(problems(&schema, r#"{"n":null}"#), one("/n", "type", "must be integer"));
        assert_eq!(problems(&schema, r#"{"n":2.0}"#), []);
        assert_eq!(problems(&schema, r#"{"m":2}"#)[0].2, "unknown field `m`; this request knows `n`");
    }

    #[test]
    fn everything_that_is_wrong_is_found_with_its_place() {
        let tag = json!({"type": "string", "minLength": 1, "maxLength": 2, "pattern": ID_PATTERN});
        let item = json!({"type": "object", "required": ["tag", "kind"], "additionalProperties": false,
            "properties": {"tag": tag, "kind": {"type": ["string", "null"], "enum": ["a", "b"]}}});
        let schema = json!({"type": "array", "minItems": 1, "maxItems": 3, "items": item});
        assert_eq!(problems(&schema, "[]"), one("", "minItems", "must NOT have fewer than 1 items"));
        assert_eq!(problems(&schema, "[1,2,3,4]"), one("", "maxItems", "must NOT have more than 3 items"));
        assert_eq!(problems(&schema, r#"[{"tag":"x","kind":"a"},{"tag":"y","kind":null}]"#), []);
        let found = problems(&schema, r#"[{"tag":"","kind":"c"},5,{"tag":"a b","kind":1}]"#);
        let places: Vec<_> = found.iter().map(|(place, code, _)| (place.as_str(), code.as_str())).collect();
        let wanted = [("/0/tag", "minLength"), ("/0/kind", "enum"), ("/1", "type"), ("/2/tag", "maxLength")];
        assert_eq!(places[..4], wanted);
        assert_eq!(found[4], ("/2/kind".into(), "type".into(), "must be string,null".into()));
        assert_eq!(problems(&schema, "[{}]").len(), 2);
        assert_eq!(problems(&schema, r#"[{"tag":"a/","kind":"a"}]"#)[0].1, "pattern");
    }

    #[test]
    fn every_pattern_of_a_body_is_checked() {
        let document = crate::openapi();
        for route in crate::routes().iter().filter(|route| route.body && !route.is_open()) {
            let method = route.method.as_str().to_ascii_lowercase();
            let body = &document["paths"][&route.path][method]["requestBody"]["content"]["application/json"]["schema"];
            let text = body.to_string();
            let name = text.split("/schemas/").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            for property in SCHEMAS[name]["properties"].as_object().into_iter().flat_map(|all| all.values()) {
                if let Some(pattern) = property["pattern"].as_str() {
                    assert!([ID_PATTERN, HASH_PATTERN, VERSION_PATTERN].contains(&pattern), "{name}: {pattern}");
                }
            }
        }
    }
}
