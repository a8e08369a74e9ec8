//! The group `script`: JavaScript that a model writes, in the sandbox that runs authors' functions; and shell commands, only if the operator
//! allows them.
//!
//! JavaScript runs in a worker process with the limits of all scripts and reaches nothing outside of it. It is the body of a function of
//! `args`; what it returns is the result.

use crate::tools::{SkillRule, Tool, ToolCall, ToolError, ToolGroup, ToolOutput};
use crate::{TrialOrder, TriedCall};
use serde_json::{Value, json};
use tavernkeep_engine::document::Value as Document;
use tavernkeep_engine::library::{FunctionType, LibraryFunction, Timing};
use tavernkeep_engine::limits::SCRIPT_SOURCE_BYTES_MAX;
use tavernkeep_engine::turn::Status;

/// The group, with shell commands if there is something to run them with.
pub fn group(shell: Option<ShellSettings>) -> ToolGroup {
    let parameters = json!({
        "type": "object",
        "properties": {
            "code": { "type": "string", "description": "The body of a function of `args`; `return` gives the result. `_` is lodash; `console.log` writes to the log." },
            "args": { "description": "What the code gets as `args`: any JSON, such as a list by `$VAR_REF`." },
        },
        "required": ["code"],
    });
    let about = "Runs JavaScript in a sandbox without files, network and timers, and returns what the code returns.";
    let mut tools = vec![Tool::new("JavaScript", about, parameters, javascript)];
    tools.extend(shell.and_then(shell_tool));
    ToolGroup::new("script", tools)
        .with_prompt("`JavaScript` computes what is tedious by hand: give it data, not instructions.")
        .with_rule(SkillRule {
            name: "var-ref-inject".into(),
            desc: "How to give variables to code".into(),
            prompt: VAR_REF_INJECT.into(),
            when: Some("Before code works on a variable".into()),
            always_load: false,
        })
}

const VAR_REF_INJECT: &str = "# Giving variables to code

Pass data in `args`, not inside of `code`: text of a variable inside of code would have to be valid code.

- `{\"code\": \"return args.text.length\", \"args\": {\"text\": \"$VAR_REF{{name}}\"}}`: the variable is text.
- `{\"code\": \"return JSON.parse(args).length\", \"args\": \"$VAR_REF{{name}}\"}`: the variable is JSON text.
- `\"args\": \"$VAR_REF{{name#/items}}\"` gives a part of a variable that is JSON, as JSON.
- The result is kept in a variable like any other; the next call refers to it.
";

async fn javascript(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let code = call.args.get("code").and_then(Value::as_str).unwrap_or_default();
    if code.trim().is_empty() {
        return Err(ToolError::failed("`code` must be the body of a function"));
    }
    if code.len() > SCRIPT_SOURCE_BYTES_MAX {
        return Err(ToolError::failed(format!("`code` has more than {SCRIPT_SOURCE_BYTES_MAX} bytes")));
    }
    let args = call.args.get("args").cloned().unwrap_or(Value::Null);
    let state = Document::parse(&json!({ "args": args }).to_string())
        .map_err(|error| ToolError::failed(format!("`args` cannot be given to code: {error:?}")))?;
    let order = TrialOrder { functions: vec![function(code)], state, seed: seed(&call), ..TrialOrder::default() };
    let trial = call.runtime.try_functions(&call.account, order).await?;
    let Some(TriedCall { status, log, .. }) = trial.calls.into_iter().next() else {
        return Err(ToolError::Thrown("the code was not run".into()));
    };
    match status {
        Status::Refused(refusal) => Err(ToolError::failed(refusal.message)),
        _ => {
            let result =
                trial.state.get("result").map_or(Ok(Value::Null), |value| serde_json::from_str(&value.to_json()));
            let data = result.map_err(|error| ToolError::Thrown(error.to_string()))?;
            let text = (!log.is_empty()).then(|| format!("{}\n\n[log]\n{}", super::text_of(&data), log.join("\n")));
            Ok(ToolOutput { data: Some(data), formatted_text: text })
        }
    }
}

/// The code as a function that runs by itself on a document with `args`, and leaves its result there. The line break keeps a comment
/// at the end of the code from swallowing what follows.
fn function(code: &str) -> LibraryFunction {
    LibraryFunction {
        name: "JavaScript".into(),
        kind: FunctionType::Passive,
        order: 0,
        pattern: None,
        timing: Some(Timing::BeforeActive),
        description: String::new(),
        signature: None,
        example: None,
        executor: format!(
            "const result = (function (args) {{\n{code}\n}})(snapshot.args);\nsnapshot.result = result === undefined ? null : result;"
        ),
    }
}

/// The same call has the same chance, another one another.
fn seed(call: &ToolCall) -> u64 {
    let hash = blake3::hash(call.id.as_str().as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(feature = "script")]
pub use with_programs::ShellSettings;
#[cfg(not(feature = "script"))]
pub use without_programs::ShellSettings;

#[cfg(feature = "script")]
fn shell_tool(settings: ShellSettings) -> Option<Tool> {
    Some(with_programs::shell(settings))
}

#[cfg(not(feature = "script"))]
fn shell_tool(_: ShellSettings) -> Option<Tool> {
    None
}

#[cfg(not(feature = "script"))]
mod without_programs {
    /// Where shell commands run; a program without the feature `script` runs none.
    #[derive(Debug, Clone)]
    pub enum ShellSettings {}
}

#[cfg(feature = "script")]
mod with_programs {
    use super::*;
    use crate::tools::groups::program::{Program, run};
    use crate::tools::{ExecutionPolicy, Permission, ResultPolicy};
    use std::path::PathBuf;
    use std::time::Duration;
    use tavernkeep_script::Supervisor;

    /// Where shell commands run.
    #[derive(Debug, Clone)]
    pub struct ShellSettings {
        /// What ends them with all they started.
        pub supervisor: Supervisor,
        /// The working directory.
        pub folder: PathBuf,
    }

    const TIMEOUT: Duration = Duration::from_secs(30);
    const MARGIN: Duration = Duration::from_secs(15);

    /// A shell command, under the limits of custom scripts. A person sees each of them, and its result.
    pub(super) fn shell(settings: ShellSettings) -> Tool {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "What `sh` runs." },
                "input": { "type": "string", "description": "What the command reads from its standard input." },
            },
            "required": ["command"],
        });
        let effect = json!({ "program": "sh", "folder": settings.folder.display().to_string() });
        let execute = move |call: ToolCall| {
            let settings = settings.clone();
            async move {
                let text = |name: &str| call.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let program = Program {
                    supervisor: settings.supervisor,
                    name: "sh".into(),
                    arguments: vec!["-c".into(), text("command").into()],
                    folder: settings.folder,
                    timeout: TIMEOUT,
                };
                run(&program, text("input").as_bytes()).await
            }
        };
        Tool::new("Shell", "Runs a shell command on the server's machine.", parameters, execute)
            .with_permission(Permission::of(ExecutionPolicy::AskAlways, ResultPolicy::Always))
            .with_timeout(TIMEOUT + MARGIN)
            .with_effect(effect)
    }
}
