//! The four tools on the scratchpad: `ListVars`, `ReadVar`, `WriteVar`, `RemoveVars`.

use super::definition::{Declaration, GroupDeclaration};
use super::listing::{self, Filter, PAGE_SIZE};
use super::output;
use super::scratchpad::{PadError, PadRows, Removed, Scratchpad, Written};
use super::variable::{VarType, VariablePatch, length, slice};
use serde_json::{Value, json};

/// The name of the group.
pub const GROUP: &str = "vars";
/// The tools that are always there once anything is enabled.
pub const ALWAYS: [&str; 2] = ["ReadVar", "ListVars"];

/// What a tool returned: data and, if it differs from the data's own, the text for the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Returned {
    /// The data.
    pub data: Option<Value>,
    /// The text.
    pub text: Option<String>,
}

/// The declaration of the group.
pub fn group() -> GroupDeclaration {
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
    let text = |description: &str| json!({ "type": "string", "description": description });
    let number = |description: &str| json!({ "type": "integer", "description": description });
    let tags = json!({ "type": "array", "items": { "type": "string" }, "description": "All tags of the variable." });
    let filter = json!({
        "type": "object",
        "description": "Which variables to list; all parts must hold.",
        "properties": {
            "type": { "type": "string", "enum": VarType::WORDS },
            "tag": text("Exactly this tag."),
            "search": text("A part of the name or the description, in any case."),
        },
    });
    GroupDeclaration {
        name: GROUP.into(),
        tools: vec![
            Declaration::new(
                "ListVars",
                "Lists the variables of the scratchpad: name, length, description, type and tags.",
                object(json!({ "filter": filter, "page": number("From 1."), "pageSize": number("Default 25.") }), &[]),
            ),
            Declaration::new(
                "ReadVar",
                "Reads a variable of the scratchpad, whole or in part.",
                object(
                    json!({
                        "name": text("The variable."),
                        "start": number("The first character, from 0; a negative one counts from the end."),
                        "length": number("How many characters; all of the rest if it is left out."),
                    }),
                    &["name"],
                ),
            ),
            Declaration::new(
                "WriteVar",
                "Makes a variable of the scratchpad, or changes parts of one that is there.",
                object(
                    json!({
                        "name": text("The variable."), "value": text("Its value."),
                        "desc": text("What it is for."), "tags": tags,
                    }),
                    &["name"],
                ),
            ),
            Declaration::new(
                "RemoveVars",
                "Removes variables of the scratchpad. Rules stay.",
                object(json!({ "names": { "type": "array", "items": { "type": "string" } } }), &["names"]),
            ),
        ],
        rule_prompt: None,
        skill_rules: Vec::new(),
    }
}

/// Runs one of the four. `untrusted`: the arguments hold text of untrusted variables, and so does what they write. What the tool refuses is text for the model; what the rows refuse is an error of the host's.
pub fn run<R: PadRows>(
    name: &str,
    args: &Value,
    untrusted: bool,
    pad: &mut Scratchpad<'_, R>,
) -> Result<Result<Returned, String>, R::Error> {
    match name {
        "ListVars" => list(args, pad),
        "ReadVar" => read(args, pad),
        "WriteVar" => write(args, untrusted, pad),
        "RemoveVars" => remove(args, pad),
        other => Ok(Err(format!("Tool {other} not found"))),
    }
}

fn integer(args: &Value, name: &str) -> Option<i64> {
    match args.get(name)? {
        #[allow(clippy::cast_possible_truncation)]
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number.floor() as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn list<R: PadRows>(args: &Value, pad: &mut Scratchpad<'_, R>) -> Result<Result<Returned, String>, R::Error> {
    let wanted = args.get("filter").unwrap_or(&Value::Null);
    let text = |name: &str| wanted.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = match text("type").map(str::parse::<VarType>) {
        Some(Err(())) => return Ok(Err(format!("filter.type must be one of {}", VarType::WORDS.join(", ")))),
        Some(Ok(kind)) => Some(kind),
        None => None,
    };
    let filter = Filter { kind, tag: text("tag").map(str::to_owned), search: text("search").map(str::to_owned) };
    let (page, size) = (integer(args, "page").unwrap_or(1), integer(args, "pageSize").unwrap_or(PAGE_SIZE));
    let page = listing::page(pad.list(&filter)?, page, size);
    Ok(Ok(Returned { data: Some(listing::to_json(&page)), text: Some(listing::to_text(&page, &filter)) }))
}

fn read<R: PadRows>(args: &Value, pad: &mut Scratchpad<'_, R>) -> Result<Result<Returned, String>, R::Error> {
    let Some(name) = args.get("name").and_then(Value::as_str) else { return Ok(Err("ReadVar needs a name.".into())) };
    let Some((variable, value)) = pad.get(name)? else { return Ok(Err(format!("Variable '{name}' not found."))) };
    let total = variable.length;
    let start = match integer(args, "start").unwrap_or(0) {
        start if start < 0 => (total + start).max(0),
        start => start.min(total),
    };
    let wanted = match integer(args, "length") {
        None | Some(0) => total - start,
        Some(length) => length.clamp(0, total - start),
    };
    let as_size = |number: i64| usize::try_from(number).unwrap_or(0);
    let part = slice(&value, as_size(start), Some(as_size(wanted)));
    let declaration = Declaration::new(name, "", Value::Null);
    let limit = output::limit(args, &declaration).filter(|limit| wanted > i64::try_from(*limit).unwrap_or(i64::MAX));
    let text = limit.map(|limit| {
        let shown = slice(part, 0, Some(limit));
        let next = start + length(shown);
        format!("{shown}\n\n[system hint] characters {start} to {next} of {total}; go on with start={next}")
    });
    Ok(Ok(Returned { data: Some(part.into()), text }))
}

fn write<R: PadRows>(
    args: &Value,
    untrusted: bool,
    pad: &mut Scratchpad<'_, R>,
) -> Result<Result<Returned, String>, R::Error> {
    let Some(name) = args.get("name").and_then(Value::as_str) else { return Ok(Err("WriteVar needs a name.".into())) };
    let value = match args.get("value") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    let desc = args.get("desc").and_then(Value::as_str).map(str::to_owned);
    let tags = args
        .get("tags")
        .and_then(Value::as_array)
        .map(|tags| tags.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let is_new = pad.peek_meta(name)?.is_none();
    if is_new && value.as_deref().unwrap_or_default().is_empty() {
        return Ok(Err(format!("Cannot create new variable '{name}' without a value.")));
    }
    let kind = is_new.then_some(VarType::LlmAdd);
    match pad.write(name, VariablePatch { value, kind, desc, tags, keep: None, untrusted }) {
        Ok(written) => {
            let done = if written == Written::Created { "created" } else { "updated" };
            let text = format!("Variable '{name}' {done} successfully.");
            Ok(Ok(Returned { data: Some(text.into()), text: None }))
        }
        Err(PadError::Unwritable(why)) => Ok(Err(why.to_string())),
        Err(PadError::Rows(error)) => Err(error),
    }
}

fn remove<R: PadRows>(args: &Value, pad: &mut Scratchpad<'_, R>) -> Result<Result<Returned, String>, R::Error> {
    let Some(names) = args.get("names").and_then(Value::as_array) else {
        return Ok(Err("RemoveVars needs a list of names.".into()));
    };
    let names: Vec<String> = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let Removed { removed, failed } = pad.remove(&names)?;
    let mut message = format!("Removed {} variable(s).", removed.len());
    if !failed.is_empty() {
        let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
        message += &format!(" Failed to remove {} variable(s): {}.", failed.len(), names.join(", "));
    }
    let failed: Vec<Value> = failed.iter().map(|(name, why)| json!({ "name": name, "reason": why.as_str() })).collect();
    let data = json!({ "removed": removed, "failed": failed, "message": message });
    Ok(Ok(Returned { data: Some(data), text: Some(message) }))
}
