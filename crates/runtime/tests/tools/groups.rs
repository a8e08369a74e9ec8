//! The tools that cases call.

use serde_json::{Value, json};
use tavernkeep_runtime::tools::{
    ExecutionPolicy, Permission, ResultPolicy, RulePrompt, SkillRule, Tool, ToolCall, ToolError, ToolGroup, ToolOutput,
    Truncation,
};

fn any() -> Value {
    json!({ "type": "object", "properties": {} })
}

async fn echo(call: ToolCall) -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput { data: call.args.get("x").cloned(), formatted_text: None })
}

async fn big(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let count = call.args["n"].as_u64().unwrap_or(0);
    Ok(ToolOutput::of("x".repeat(usize::try_from(count).unwrap())))
}

async fn fail(_: ToolCall) -> Result<ToolOutput, ToolError> {
    Err(ToolError::failed("bad"))
}

fn echoing(name: &str) -> Tool {
    Tool::new(name, "Returns x.", any(), echo)
}

fn asking(name: &str, execution: ExecutionPolicy, result: ResultPolicy) -> Tool {
    echoing(name).with_permission(Permission::of(execution, result))
}

/// A tool by its name.
pub fn tool(name: &str) -> Tool {
    match name {
        "Obj" => {
            Tool::new(
                name,
                "Returns its arguments.",
                any(),
                |call: ToolCall| async move { Ok(ToolOutput::of(call.args)) },
            )
        }
        "Big" => Tool::new(name, "Returns n times x.", any(), big),
        "Fail" => Tool::new(name, "Fails.", any(), fail),
        "FailSilently" => Tool::new(name, "Fails.", any(), |_| async { Err(ToolError::Failed(None)) }),
        "Boom" => Tool::new(name, "Throws.", any(), |_| async { Err(ToolError::Thrown("boom".into())) }),
        "Panic" => Tool::new(name, "Panics.", any(), |_| async { panic!("on purpose") }),
        "Nothing" => Tool::new(name, "Returns nothing.", any(), |_| async { Ok(ToolOutput::default()) }),
        "Formatted" => echoing(name).with_format(|data, args| Ok(format!("<{data}|{args}>"))),
        "BadFormat" => echoing(name).with_format(|_, _| Err("no format".into())),
        "Preset" => Tool::new(name, "Has its text.", any(), |_| async {
            Ok(ToolOutput { data: Some(json!(1)), formatted_text: Some("preset".into()) })
        })
        .with_format(|_, _| Ok("unused".into())),
        "Small" => Tool::new(name, "At most 100.", any(), big).with_output_limit(100),
        "Whole" => Tool::new(name, "Never cut.", any(), big).without_truncation(),
        "Own" => {
            Tool::new(name, "Cuts itself.", any(), big).with_truncate(|text, _| text[..5.min(text.len())].to_owned())
        }
        "Head" => Tool::new(name, "Keeps the head.", any(), big).with_truncation(Truncation::Head),
        "Lines" => echoing(name).with_truncation(Truncation::Lines),
        "Uncached" => echoing(name).without_cache(),
        "Typed" => {
            let properties = json!({ "n": { "type": "integer" }, "o": { "type": ["object", "null"] },
                "s": { "type": "string" }, "l": { "type": "array", "items": { "type": "number" } } });
            Tool::new(
                name,
                "Returns its arguments.",
                json!({ "type": "object", "properties": properties }),
                |call: ToolCall| async move { Ok(ToolOutput::of(call.args)) },
            )
        }
        "Once" | "Once2" => asking(name, ExecutionPolicy::AskOnce, ResultPolicy::Never),
        "Always" => asking(name, ExecutionPolicy::AskAlways, ResultPolicy::Never),
        "Shown" => asking(name, ExecutionPolicy::Auto, ResultPolicy::Always),
        "ShownOnError" => asking(name, ExecutionPolicy::Auto, ResultPolicy::OnError),
        "FailShown" => Tool::new(name, "Fails.", any(), fail)
            .with_permission(Permission::of(ExecutionPolicy::Auto, ResultPolicy::OnError)),
        other => echoing(other),
    }
}

/// A group as a case writes it: `{"name", "tools": [names], "prompt"?, "prompt_function"?, "rules"?: {name: {…}}}`.
pub fn group(value: &Value) -> ToolGroup {
    let names = value["tools"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut group = ToolGroup::new(value["name"].as_str().unwrap(), names.map(tool).collect());
    if let Some(prompt) = value["prompt"].as_str() {
        group = group.with_prompt(prompt);
    }
    if value["prompt_function"] == true {
        let prompt = |names: &[&str]| format!("enabled: {}", names.join("+"));
        group.rule_prompt = Some(RulePrompt::Function(std::sync::Arc::new(prompt)));
    }
    for (name, rule) in value["rules"].as_object().into_iter().flatten() {
        let text = |key: &str| rule[key].as_str().map(str::to_owned);
        group = group.with_rule(SkillRule {
            name: name.clone(),
            desc: text("desc").unwrap(),
            prompt: text("prompt").unwrap(),
            when: text("when"),
            always_load: rule["alwaysLoad"] == true,
        });
    }
    group
}

/// The group that every case begins with.
pub const TOOLS: &[&str] = &[
    "Echo",
    "Obj",
    "Big",
    "Fail",
    "FailSilently",
    "Boom",
    "Panic",
    "Nothing",
    "Formatted",
    "BadFormat",
    "Preset",
    "Small",
    "Whole",
    "Own",
    "Head",
    "Lines",
    "Uncached",
    "Typed",
    "Once",
    "Once2",
    "Always",
    "Shown",
    "ShownOnError",
    "FailShown",
];
