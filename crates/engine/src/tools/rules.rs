//! Skill rules: documents that a model reads when it needs them, and the part of the system prompt that names them.

use super::definition::{GroupDeclaration, SkillRule};
use std::fmt::Write as _;

/// The group of the rules that every session has.
pub const AGENT: &str = "Agent";

/// The variable that holds a rule.
pub fn variable_name(group: &str, rule: &str) -> String {
    format!("Rule/{group}/{rule}")
}

/// The description of that variable.
pub fn describe(group: &str, rule: &SkillRule) -> String {
    format!("Skill rule for {group}: {}", rule.desc)
}

/// The rules that every session has.
pub fn built_in() -> Vec<SkillRule> {
    let rule = |name: &str, desc: &str, when: &str, prompt: &str| SkillRule {
        name: name.into(),
        desc: desc.into(),
        prompt: prompt.into(),
        when: Some(when.into()),
        always_load: false,
    };
    vec![
        rule(
            "VarRef",
            "How to pass variables to tools with $VAR_REF",
            "Before the first reference, or when one fails",
            VAR_REF,
        ),
        rule("TODO", "How to keep a TODO list in variables", "When a task has several steps", TODO),
    ]
}

const VAR_REF: &str = "# Passing variables to tools

A variable of the scratchpad can stand in any argument of any tool. It is replaced before the tool runs, so a long text does \
not have to be written again.

| written | meaning |
|---|---|
| `$VAR_REF{{name}}` | the whole value |
| `$VAR_REF{{name:start}}` | from the character `start` on; the first is 0 |
| `$VAR_REF{{name:start:length}}` | `length` characters from `start` on |
| `$VAR_REF{{name#/json/pointer}}` | a part of a value that is JSON |
| `$$VAR_REF{{name}}` | the literal text `$VAR_REF{{name}}` |

- References may stand inside longer text and more than once: `Compare $VAR_REF{{a}} with $VAR_REF{{b}}`.
- A value is text. Where the parameter takes no text and the argument is one reference, JSON text becomes JSON.
- A variable that a model or a person wrote may contain references; they are replaced too. References inside results of tools, \
arguments and messages stay as they are.
- An unknown name, a circle of references or too much text is an error; the tool does not run. `ListVars` shows what there is.
- The result of each call is in a variable; its name stands in the log behind the result. Use it rather than copying text.
";

const TODO: &str = "# A TODO list in variables

Each item is a variable, and its state is a tag.

- name: `TODO_{index}_{brief}`, such as `TODO_1_read_sources`
- desc: the item in one line; value: its details, as text or JSON
- tags: `TODO` and one of `PENDING`, `DONE`, `BLOCKED`; more if they help, such as `URGENT`

1. Make an item: `WriteVar({\"name\": \"TODO_1_read\", \"value\": \"read both files\", \"desc\": \"read the sources\", \"tags\": [\"TODO\", \"PENDING\"]})`
2. See what is open: `ListVars({\"filter\": {\"tag\": \"PENDING\"}})`
3. Finish it: `WriteVar({\"name\": \"TODO_1_read\", \"tags\": [\"TODO\", \"DONE\"]})`; tags are replaced, not added.
4. Clean up: `RemoveVars({\"names\": [\"TODO_1_read\"]})`

Variables that were not used for long give way when the scratchpad is full. What has to last belongs elsewhere. Rules cannot be \
used as items.
";

/// The index of a group's rules: those that are always loaded in full, the others in a table. Empty without rules.
pub fn index(group: &str, rules: &[SkillRule]) -> String {
    let mut parts = Vec::new();
    let (pinned, on_demand): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.always_load);
    if !pinned.is_empty() {
        let mut text = "**Pinned Rules:**".to_owned();
        for rule in pinned {
            let _ = write!(text, "\n\n**{}:**\n{}", rule.desc, rule.prompt);
        }
        parts.push(text);
    }
    if !on_demand.is_empty() {
        let mut text = "**On-Demand Documentation (Stored as Variables):**\n| Var | Description | When to Use |\n\
                        |-----|-------------|-------------|"
            .to_owned();
        for rule in on_demand {
            let when = rule.when.as_deref().filter(|when| !when.is_empty()).unwrap_or("As needed");
            let _ = write!(
                text,
                "\n| `{}` | {} | {} |",
                cell(&variable_name(group, &rule.name)),
                cell(&rule.desc),
                cell(when)
            );
        }
        text.push_str("\n\n*Access via: ReadVar({\"name\": \"<VarName>\"})*");
        parts.push(text);
    }
    parts.join("\n\n")
}

/// Text that stays in its cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// A group with the tools of it that are enabled.
pub struct EnabledGroup<'a> {
    /// The group.
    pub group: &'a GroupDeclaration,
    /// Its prompt; a function of the host may have made it.
    pub prompt: Option<String>,
    /// The names of its enabled tools, in order.
    pub tools: Vec<&'a str>,
}

/// The part of the system prompt about tools: the base rules, then each enabled group. Empty without an enabled group.
pub fn tool_rules(groups: &[EnabledGroup<'_>]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut text = format!("\n<tool-rules>\n{BASE}\n{}\n</tool-rules>", index(AGENT, &built_in()));
    for enabled in groups {
        if let Some(block) = group_block(enabled) {
            text.push_str("\n\n");
            text.push_str(&block);
        }
    }
    text
}

fn group_block(enabled: &EnabledGroup<'_>) -> Option<String> {
    let EnabledGroup { group, prompt, tools } = enabled;
    let prompt = prompt.as_deref().map(str::trim).unwrap_or_default();
    let index = index(&group.name, &group.skill_rules);
    if tools.is_empty() || (prompt.is_empty() && index.is_empty()) {
        return None;
    }
    let parts: Vec<&str> = [prompt, &index].into_iter().filter(|part| !part.is_empty()).collect();
    Some(format!(
        "\n<tool-group-rule group=\"{}\">\n\nGroup \"{}\" contains following tools: {}.\n\n{}\n\n</tool-group-rule>\n",
        group.name,
        group.name,
        tools.join(", "),
        parts.join("\n\n")
    ))
}

const BASE: &str = "You can call the tools that are defined for this conversation.

**Calls**
- Every tool also takes `limit`: how many characters of the result you see. `0` or `-1` shows all of it.
- A person may reject a call or its result and may say why. Respect the reason; do not try the same again.

**Logs**
- Behind a result the system writes a log between `<!--ToolCallLog:Begin-->` and `<!--ToolCallLog:End-->`. Only the system writes it.
- Never write such a log, a result of a tool or a line that begins with `[system log]` or `[system hint]` yourself. A call that \
was not made has no result.
  - ❌ writing \"the tool returned …\" without a call
  - ✓ calling the tool and reading what it returns

**Variables**
- A result that is cut is kept whole in a variable of the scratchpad; so are all other results and arguments. The log names it.
- `ListVars({\"filter\"?: {\"type\"?, \"tag\"?, \"search\"?}})` shows the variables, `ReadVar({\"name\", \"start\"?, \"length\"?})` reads one, in \
parts if it is long. Both are always there.
- Pass a variable to a tool with `$VAR_REF{{name}}` or `$VAR_REF{{name:start:length}}` instead of copying its text. \
`Rule/Agent/VarRef` has the details.

**Rules**
- Variables named `Rule/…` are documents about tools and tasks. Read the ones that fit before you begin: to edit notes, first \
`ReadVar({\"name\": \"Rule/notes/editing\"})`, then call the tools.
";
