//! Tools as they are declared: an OpenAI function, a permission, and a few flags.

use super::permission::Permission;
use crate::limits::{
    SCRATCH_DESC_BYTES_MAX, TOOL_DEFINITION_BYTES_MAX, TOOL_GROUP_RULES_BYTES_MAX, TOOL_GROUP_RULES_MAX,
    TOOL_GROUP_TOOLS_MAX, TOOL_NAME_BYTES_MAX, TOOL_RULE_BYTES_MAX,
};
use serde_json::{Map, Value, json};

/// How a text that is too long is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truncation {
    /// Head and tail stay, the middle is dropped.
    #[default]
    HeadTail,
    /// The head stays.
    Head,
    /// Whole lines of the head stay, as many as fit.
    Lines,
}

/// Names that stand behind `/tools/` in addresses of the API, where the name of a tool stands too.
const RESERVED_TOOL_NAMES: [&str; 3] = ["groups", "definitions", "rules"];

/// The declaration of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// `definition.function.name`: the key of the tool in its session.
    pub name: String,
    /// The definition, as a model API takes it: `{"type":"function","function":{…}}`.
    pub definition: Value,
    /// When a person is asked.
    pub permission: Permission,
    /// `SKIP_EXTERNAL_TRUNCATE`: the text is never cut.
    pub skip_truncate: bool,
    /// `SKIP_CACHE_RESULT`: nothing goes to the scratchpad.
    pub skip_cache: bool,
    /// `DEFAULT_OUTPUT_LIMIT_CHAR`: characters that are kept unless the call says otherwise.
    pub output_limit: Option<i64>,
    /// How a text that is too long is cut.
    pub truncation: Truncation,
    /// What the tool returns, for the model: `{"type": …, "note": …}`.
    pub declared_return_type: Option<Value>,
    /// What decides what a call does beyond the definition, such as an address or the hash of a script; null: nothing does. A
    /// decision about a call counts for this effect only.
    pub effect: Value,
}

impl Declaration {
    /// A tool with a name, a description and the JSON Schema of its arguments; it runs without asking.
    pub fn new(name: &str, description: &str, parameters: Value) -> Declaration {
        let mut function = json!({ "name": name, "description": description });
        function["parameters"] = parameters;
        Declaration {
            name: name.to_owned(),
            definition: json!({ "type": "function", "function": function }),
            permission: Permission::default(),
            skip_truncate: false,
            skip_cache: false,
            output_limit: None,
            truncation: Truncation::default(),
            declared_return_type: None,
            effect: Value::Null,
        }
    }

    /// The JSON Schema of the arguments.
    pub fn parameters(&self) -> Option<&Value> {
        self.definition.get("function")?.get("parameters")
    }

    /// The definition for a model: what the tool returns is part of its description, since model APIs have no field for it.
    pub fn definition_for_model(&self) -> Value {
        let Some(returns) = self.returns() else { return self.definition.clone() };
        let mut definition = self.definition.clone();
        let description = format!("{}\n\nReturns: {returns}", self.description());
        definition["function"]["description"] = description.trim_start().into();
        definition
    }

    /// `declaredReturnType` in words.
    fn returns(&self) -> Option<String> {
        let declared = self.declared_return_type.as_ref()?;
        let kind = match declared.get("type").unwrap_or(declared) {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some(match declared.get("note").and_then(Value::as_str).filter(|note| !note.is_empty()) {
            Some(note) => format!("{kind} ({note})"),
            None => kind,
        })
    }

    /// What the tool is for.
    pub fn description(&self) -> &str {
        self.definition["function"]["description"].as_str().unwrap_or_default()
    }

    /// Reads a tool of a registered group.
    pub fn read(value: &Value) -> Result<Declaration, String> {
        let object = value.as_object().ok_or("a tool must be an object")?;
        known(
            object,
            &[
                "definition",
                "permission",
                "DEFAULT_OUTPUT_LIMIT_CHAR",
                "SKIP_EXTERNAL_TRUNCATE",
                "SKIP_CACHE_RESULT",
                "declaredReturnType",
                "truncation",
            ],
        )?;
        let definition = object.get("definition").ok_or("a tool needs a `definition`")?;
        // The function itself is accepted too.
        let definition = match definition.get("function") {
            Some(_) => definition.clone(),
            None => json!({ "type": "function", "function": definition }),
        };
        let name = definition["function"]["name"].as_str().unwrap_or_default().to_owned();
        check_name(&name)?;
        if RESERVED_TOOL_NAMES.contains(&name.as_str()) {
            return Err(format!(
                "`{name}` cannot be the name of a tool: an address of the API has this name; rename the tool"
            ));
        }
        if definition.to_string().len() > TOOL_DEFINITION_BYTES_MAX {
            return Err(format!("the definition of `{name}` is longer than {TOOL_DEFINITION_BYTES_MAX} bytes"));
        }
        let parameters = &definition["function"]["parameters"];
        if !(parameters.is_null() || parameters.is_object()) {
            return Err(format!("the parameters of `{name}` must be a JSON Schema"));
        }
        let flag = |key: &str| match object.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("`{key}` of `{name}` must be true or false")),
        };
        let output_limit = match object.get("DEFAULT_OUTPUT_LIMIT_CHAR") {
            None => None,
            Some(limit) => Some(
                limit.as_i64().ok_or_else(|| format!("`DEFAULT_OUTPUT_LIMIT_CHAR` of `{name}` must be an integer"))?,
            ),
        };
        let truncation = match object.get("truncation").map(|word| word.as_str().unwrap_or_default()) {
            None | Some("head_tail") => Truncation::HeadTail,
            Some("head") => Truncation::Head,
            Some("lines") => Truncation::Lines,
            Some(_) => return Err(format!("`truncation` of `{name}` must be head_tail, head or lines")),
        };
        Ok(Declaration {
            permission: Permission::read(object.get("permission").unwrap_or(&Value::Null))
                .map_err(|error| format!("the permission of `{name}`: {error}"))?,
            skip_truncate: flag("SKIP_EXTERNAL_TRUNCATE")?,
            skip_cache: flag("SKIP_CACHE_RESULT")?,
            output_limit,
            truncation,
            declared_return_type: object.get("declaredReturnType").cloned(),
            effect: Value::Null,
            name,
            definition,
        })
    }
}

/// A rule that a group brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRule {
    /// Its name within the group.
    pub name: String,
    /// One line about it, for the prompt.
    pub desc: String,
    /// The rule itself.
    pub prompt: String,
    /// When it is needed.
    pub when: Option<String>,
    /// Whether the prompt has the whole rule instead of a line in a table.
    pub always_load: bool,
}

/// The declaration of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupDeclaration {
    /// Its name.
    pub name: String,
    /// Its tools, in the order of registration.
    pub tools: Vec<Declaration>,
    /// What the model has to know to use them.
    pub rule_prompt: Option<String>,
    /// Longer rules, kept as variables.
    pub skill_rules: Vec<SkillRule>,
}

impl GroupDeclaration {
    /// Reads a group that an application registers.
    pub fn read(value: &Value) -> Result<GroupDeclaration, String> {
        let object = value.as_object().ok_or("a group must be an object")?;
        known(object, &["name", "tools", "rulePrompt", "declareSkillRules"])?;
        let name = object.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        check_name(&name)?;
        let tools = object.get("tools").and_then(Value::as_array).ok_or("a group needs a list of `tools`")?;
        if tools.len() > TOOL_GROUP_TOOLS_MAX {
            return Err(format!("a group has at most {TOOL_GROUP_TOOLS_MAX} tools"));
        }
        let tools = tools.iter().map(Declaration::read).collect::<Result<Vec<_>, _>>()?;
        for (number, tool) in tools.iter().enumerate() {
            if tools[..number].iter().any(|other| other.name == tool.name) {
                return Err(format!("two tools of the group have the name `{}`", tool.name));
            }
        }
        let rule_prompt = match object.get("rulePrompt") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) if text.len() > TOOL_RULE_BYTES_MAX => {
                return Err(format!("`rulePrompt` is longer than {TOOL_RULE_BYTES_MAX} bytes"));
            }
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => return Err("`rulePrompt` must be text".into()),
        };
        let skill_rules = match object.get("declareSkillRules") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(rules)) if rules.len() > TOOL_GROUP_RULES_MAX => {
                return Err(format!("a group has at most {TOOL_GROUP_RULES_MAX} rules"));
            }
            Some(Value::Object(rules)) => {
                rules.iter().map(|(name, rule)| read_rule(name, rule)).collect::<Result<Vec<_>, _>>()?
            }
            Some(_) => return Err("`declareSkillRules` must be an object".into()),
        };
        let bytes = |rule: &SkillRule| rule.prompt.len() + rule.desc.len() + rule.when.as_ref().map_or(0, String::len);
        if skill_rules.iter().map(bytes).sum::<usize>() > TOOL_GROUP_RULES_BYTES_MAX {
            return Err(format!("the rules of a group have at most {TOOL_GROUP_RULES_BYTES_MAX} bytes together"));
        }
        Ok(GroupDeclaration { name, tools, rule_prompt, skill_rules })
    }
}

fn read_rule(name: &str, rule: &Value) -> Result<SkillRule, String> {
    check_name(name)?;
    let object = rule.as_object().ok_or_else(|| format!("the rule `{name}` must be an object"))?;
    known(object, &["desc", "prompt", "when", "alwaysLoad"])?;
    let text = |key: &str, most: usize| match object.get(key).and_then(Value::as_str) {
        Some(text) if text.len() > most => Err(format!("`{key}` of the rule `{name}` is longer than {most} bytes")),
        text => Ok(text.map(str::to_owned)),
    };
    Ok(SkillRule {
        name: name.to_owned(),
        desc: text("desc", SCRATCH_DESC_BYTES_MAX)?.ok_or_else(|| format!("the rule `{name}` needs a `desc`"))?,
        prompt: text("prompt", TOOL_RULE_BYTES_MAX)?.ok_or_else(|| format!("the rule `{name}` needs a `prompt`"))?,
        when: text("when", SCRATCH_DESC_BYTES_MAX)?,
        always_load: object.get("alwaysLoad").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// Names of groups, tools and rules are parts of variables' names and of prompts.
fn check_name(name: &str) -> Result<(), String> {
    let wrong = name.is_empty()
        || name.len() > TOOL_NAME_BYTES_MAX
        || name.contains("}}")
        || name.chars().any(|character| character.is_control() || character == '/');
    match wrong {
        true => Err(format!(
            "`{name}` cannot be a name: 1 to {TOOL_NAME_BYTES_MAX} bytes without `/`, `}}}}` and control characters"
        )),
        false => Ok(()),
    }
}

fn known(object: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown field `{key}`; known ones are {}", names.join(", "))),
        None => Ok(()),
    }
}
