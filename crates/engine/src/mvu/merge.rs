//! Objects merged at any depth; lists item by item, as lodash's `merge` has it, or whole.

use crate::document::Value;

/// Merges `source` into `target`, lists item by item.
pub(crate) fn merge_by_index(target: &Value, source: &Value) -> Value {
    match (target, source) {
        (Value::Object(_), Value::Object(_)) => merge_members(target, source, merge_by_index),
        (Value::Array(target), Value::Array(source)) => {
            let longest = target.len().max(source.len());
            (0..longest)
                .filter_map(|index| match (target.get(index), source.get(index)) {
                    (Some(old), Some(value)) => Some(merge_by_index(old, value)),
                    (old, value) => value.or(old).cloned(),
                })
                .collect()
        }
        // JavaScript would hang the members on the list, where JSON does not show them.
        (Value::Array(_), Value::Object(_)) => target.clone(),
        _ => source.clone(),
    }
}

/// Merges `source` into `target`; lists are replaced.
pub(super) fn merge_replacing_lists(target: &Value, source: &Value) -> Value {
    merge_members(target, source, merge_replacing_lists)
}

/// Merges two objects; of anything else `source` is what stays.
fn merge_members(target: &Value, source: &Value, merge: fn(&Value, &Value) -> Value) -> Value {
    let (Value::Object(target), Value::Object(source)) = (target, source) else { return source.clone() };
    let mut merged = target.as_ref().clone();
    for (key, value) in source.iter() {
        let value = target.get(key).map_or_else(|| value.clone(), |old| merge(old, value));
        merged.set(key.clone(), value);
    }
    Value::Object(merged.into())
}
