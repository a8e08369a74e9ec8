//! lodash's `merge`: objects at any depth, lists item by item.

use crate::document::Value;

/// Merges `source` into `target`.
pub(crate) fn merge_by_index(target: &Value, source: &Value) -> Value {
    match (target, source) {
        (Value::Object(target), Value::Object(source)) => {
            let mut merged = target.as_ref().clone();
            for (key, value) in source.iter() {
                let value = target.get(key).map_or_else(|| value.clone(), |old| merge_by_index(old, value));
                merged.set(key.clone(), value);
            }
            Value::Object(merged.into())
        }
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
