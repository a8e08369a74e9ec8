//! Rules that refuse calls, compared with the arguments of one.
//!
//! A pattern fits an argument when it fits its text, a text or a key inside it, or the JSON of any list or object inside it: a list
//! around a text hides nothing from a rule. The JSON of an argument is written once, and that of everything inside is a part of it.

use crate::limits::TOOL_DENY_BYTES_MAX;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Arguments that nest so deep, or are so long, that comparing them with all rules would take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuchToCompare;

/// A rule: the JSON pointer of an argument, none for every call, and the pattern that its value must not fit.
pub(super) type Rule<'a> = (Option<&'a str>, &'a str);

/// The number of the first rule that refuses the arguments.
pub(super) fn first_match(rules: &[Rule<'_>], args: &Value) -> Result<Option<usize>, TooMuchToCompare> {
    let mut first = rules.iter().position(|(pointer, _)| pointer.is_none());
    let mut by_pointer: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, (pointer, _)) in rules.iter().enumerate() {
        by_pointer.entry(pointer.unwrap_or_default()).or_default().push(number);
    }
    let mut left = TOOL_DENY_BYTES_MAX;
    for (pointer, numbers) in by_pointer {
        let Some(argument) = args.pointer(pointer) else { continue };
        let json = WrittenJson::new(argument, &mut left)?;
        for number in numbers.into_iter().take_while(|number| first.is_none_or(|first| *number < first)) {
            let (_, pattern) = rules[number];
            if fits_a_text(pattern, argument) || json.fits(pattern, &mut left)? {
                first = Some(number);
                break;
            }
        }
    }
    Ok(first)
}

/// Whether a pattern fits a value without members, or a key or such a value inside.
fn fits_a_text(pattern: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => glob(pattern, text),
        Value::Array(items) => items.iter().any(|item| fits_a_text(pattern, item)),
        Value::Object(members) => {
            members.iter().any(|(key, member)| glob(pattern, key) || fits_a_text(pattern, member))
        }
        other => glob(pattern, &other.to_string()),
    }
}

/// The JSON of a value, and where in it the lists and objects stand, the outermost first.
struct WrittenJson {
    text: String,
    containers: Vec<Range<usize>>,
}

impl WrittenJson {
    fn new(value: &Value, left: &mut usize) -> Result<WrittenJson, TooMuchToCompare> {
        let mut written = WrittenJson { text: String::new(), containers: Vec::new() };
        if value.is_array() || value.is_object() {
            written.add(value);
            *left = left.checked_sub(written.text.len()).ok_or(TooMuchToCompare)?;
        }
        Ok(written)
    }

    fn add(&mut self, value: &Value) {
        let (number, start) = (self.containers.len(), self.text.len());
        match value {
            Value::Array(items) => {
                self.containers.push(start..start);
                self.text.push('[');
                for (place, item) in items.iter().enumerate() {
                    self.text.push_str(if place == 0 { "" } else { "," });
                    self.add(item);
                }
                self.text.push(']');
            }
            Value::Object(members) => {
                self.containers.push(start..start);
                self.text.push('{');
                for (place, (key, member)) in members.iter().enumerate() {
                    self.text.push_str(if place == 0 { "" } else { "," });
                    self.text.push_str(&Value::from(key.as_str()).to_string());
                    self.text.push(':');
                    self.add(member);
                }
                self.text.push('}');
            }
            scalar => return self.text.push_str(&scalar.to_string()),
        }
        self.containers[number].end = self.text.len();
    }

    /// Whether a pattern fits any of the lists and objects.
    fn fits(&self, pattern: &str, left: &mut usize) -> Result<bool, TooMuchToCompare> {
        for (number, place) in self.containers.iter().enumerate() {
            // The outermost is looked through once for each rule, as a long text is. What is inside of others is so for each level.
            if number > 0 {
                *left = left.checked_sub(place.len()).ok_or(TooMuchToCompare)?;
            }
            if glob(pattern, &self.text[place.clone()]) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a text fits a pattern in which `*` stands for any characters. Takes time linear in both for each star.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = pattern.contains('*').then(|| pattern.rsplit('*').next().unwrap_or_default()) else {
        return rest.is_empty();
    };
    let middle: Vec<&str> = parts.collect();
    for part in middle.iter().take(middle.len().saturating_sub(1)) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matched(rules: &[Rule<'_>], args: &Value) -> Result<Option<usize>, TooMuchToCompare> {
        first_match(rules, args)
    }

    #[test]
    fn a_pattern_fits_what_is_inside_of_an_argument() {
        let args = json!({ "a": { "list": ["x", [1, { "key": "sec\"ret" }]], "n": 4.5 }, "b": "plain" });
        for pattern in ["x", "list", "key", "sec\"ret", "4.5", "1", r#"[1,{"key":"sec\"ret"}]"#, r#"{"key":*"#, "*4.5}"]
        {
            assert_eq!(matched(&[(Some("/a"), pattern)], &args), Ok(Some(0)), "{pattern}");
        }
        for pattern in ["lis", "plain", "[1]", "key*ret", r#"{"list":["x"]}"#] {
            assert_eq!(matched(&[(Some("/a"), pattern)], &args), Ok(None), "{pattern}");
        }
        let rules =
            [(Some("/b"), "other"), (Some("/missing"), "*"), (Some("/b"), "pl*n"), (Some("/a"), "*"), (None, "")];
        assert_eq!(matched(&rules, &args), Ok(Some(2)));
        assert_eq!(matched(&[(None, ""), (Some("/b"), "*")], &args), Ok(Some(0)));
    }

    #[test]
    fn arguments_that_would_take_too_long_to_compare_are_refused() {
        let mut deep = json!(vec![1; 20_000]);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let args = json!({ "a": deep });
        let rules = vec![(Some("/a"), "[[*x"); 100];
        assert_eq!(matched(&rules, &args), Err(TooMuchToCompare));
        assert_eq!(matched(&rules[..10], &args), Ok(None));
    }
}
