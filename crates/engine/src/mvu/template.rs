//! Templates: what a new member or item of a container starts from.

use super::MvuSchema;
use super::merge::merge_by_index;
use crate::document::Value;

/// Lays a value over the template of its container.
pub(super) fn apply(value: Value, template: Option<&Value>, schema: &MvuSchema) -> Value {
    let Some(template) = template else { return value };
    let concatenates = schema.flag("concatTemplateArray") != Some(false);
    let strict = schema.flag("strictTemplate") == Some(true);
    match (template, &value) {
        (Value::Object(_), Value::Object(_)) => merge_by_index(template, &value),
        (Value::Array(_), Value::Array(_)) => joined(template, &value, concatenates),
        (Value::Array(_), Value::Bool(_) | Value::Number(_) | Value::String(_)) if !strict => {
            joined(template, &[value].into_iter().collect(), concatenates)
        }
        _ => value,
    }
}

fn joined(template: &Value, value: &Value, concatenates: bool) -> Value {
    if !concatenates {
        return merge_by_index(template, value);
    }
    value.items().iter().chain(template.items()).cloned().collect()
}
