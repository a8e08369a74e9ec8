//! A tool and a group of tools, as a program declares them.

use crate::Runtime;
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::definition::{Declaration, GroupDeclaration, SkillRule, Truncation};
use tavernkeep_engine::tools::permission::Permission;

/// What a tool returns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The data, for programs.
    pub data: Option<Value>,
    /// The text for the model, if it is not to be made of the data.
    pub formatted_text: Option<String>,
}

impl ToolOutput {
    /// Data that the model sees as it is.
    pub fn of(data: impl Into<Value>) -> ToolOutput {
        ToolOutput { data: Some(data.into()), formatted_text: None }
    }
}

/// Why a tool did not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolError {
    /// It says that it failed, and perhaps why.
    Failed(Option<String>),
    /// It could not go on.
    Thrown(String),
}

impl ToolError {
    /// A failure with a message for the model.
    pub fn failed(message: impl Into<String>) -> ToolError {
        ToolError::Failed(Some(message.into()))
    }
}

impl From<crate::RuntimeError> for ToolError {
    fn from(error: crate::RuntimeError) -> Self {
        ToolError::failed(error.to_string())
    }
}

/// A call as its tool gets it: approved, and without references.
#[derive(Clone)]
pub struct ToolCall {
    /// The arguments.
    pub args: Value,
    /// The system that the call was made in.
    pub runtime: Runtime,
    /// Whose call it is.
    pub account: Id,
    /// The session.
    pub session: Id,
    /// The page that is being generated, if the caller said so.
    pub page: Option<Id>,
    /// The branch, if the caller said so.
    pub branch: Option<String>,
    /// The call's id.
    pub id: Id,
}

/// The work of a tool.
pub type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

/// Runs a tool. Functions that return a future do.
pub trait Execute: Send + Sync {
    /// Runs one call.
    fn execute(&self, call: ToolCall) -> ToolFuture;
}

impl<F, W> Execute for F
where
    F: Fn(ToolCall) -> W + Send + Sync,
    W: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn execute(&self, call: ToolCall) -> ToolFuture {
        Box::pin(self(call))
    }
}

/// Makes a text of data and arguments. What it refuses is shown instead of the result.
pub type Format = Arc<dyn Fn(&Value, &Value) -> Result<String, String> + Send + Sync>;
/// Cuts a text as the tool likes.
pub type Truncate = Arc<dyn Fn(&str, &Value) -> String + Send + Sync>;

/// How long a tool may take unless it says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A tool.
#[derive(Clone)]
pub struct Tool {
    /// Its definition, permission and flags.
    pub declaration: Declaration,
    /// What runs it.
    pub execute: Arc<dyn Execute>,
    /// `formatForLLM`
    pub format_for_llm: Option<Format>,
    /// `truncateForLLM`
    pub truncate_for_llm: Option<Truncate>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Tool {
    /// A tool that runs without asking.
    pub fn new<F, W>(name: &str, description: &str, parameters: Value, execute: F) -> Tool
    where
        F: Fn(ToolCall) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    {
        Tool::declared(Declaration::new(name, description, parameters), execute)
    }

    /// A tool with everything that a declaration says.
    pub fn declared(declaration: Declaration, execute: impl Execute + 'static) -> Tool {
        Tool { declaration, execute: Arc::new(execute), format_for_llm: None, truncate_for_llm: None, timeout: TIMEOUT }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    /// The same with a permission.
    #[must_use]
    pub fn with_permission(mut self, permission: Permission) -> Tool {
        self.declaration.permission = permission;
        self
    }

    /// The same with a formatter.
    #[must_use]
    pub fn with_format(
        mut self,
        format: impl Fn(&Value, &Value) -> Result<String, String> + Send + Sync + 'static,
    ) -> Tool {
        self.format_for_llm = Some(Arc::new(format));
        self
    }

    /// The same with its own way to cut.
    #[must_use]
    pub fn with_truncate(mut self, truncate: impl Fn(&str, &Value) -> String + Send + Sync + 'static) -> Tool {
        self.truncate_for_llm = Some(Arc::new(truncate));
        self
    }

    /// The same with another strategy to cut.
    #[must_use]
    pub fn with_truncation(mut self, truncation: Truncation) -> Tool {
        self.declaration.truncation = truncation;
        self
    }

    /// The same with another limit of characters: `DEFAULT_OUTPUT_LIMIT_CHAR`.
    #[must_use]
    pub fn with_output_limit(mut self, limit: i64) -> Tool {
        self.declaration.output_limit = Some(limit);
        self
    }

    /// The same, never cut: `SKIP_EXTERNAL_TRUNCATE`.
    #[must_use]
    pub fn without_truncation(mut self) -> Tool {
        self.declaration.skip_truncate = true;
        self
    }

    /// The same, never put on the scratchpad: `SKIP_CACHE_RESULT`.
    #[must_use]
    pub fn without_cache(mut self) -> Tool {
        self.declaration.skip_cache = true;
        self
    }

    /// The same with what decides what it does beyond its definition; see [`Declaration::effect`].
    #[must_use]
    pub fn with_effect(mut self, effect: Value) -> Tool {
        self.declaration.effect = effect;
        self
    }

    /// The same with another time limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Tool {
        self.timeout = timeout;
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tool").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

/// Makes a prompt of the names of the enabled tools.
pub type PromptFunction = Arc<dyn Fn(&[&str]) -> String + Send + Sync>;

/// What a model has to know about a group.
#[derive(Clone)]
pub enum RulePrompt {
    /// A text.
    Text(String),
    /// A text that depends on which tools of the group are enabled.
    Function(PromptFunction),
}

/// A group of tools.
#[derive(Clone)]
pub struct ToolGroup {
    /// Its name.
    pub name: String,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// What a model has to know about it.
    pub rule_prompt: Option<RulePrompt>,
    /// `declareSkillRules`
    pub skill_rules: Vec<SkillRule>,
}

impl ToolGroup {
    /// A group without rules.
    pub fn new(name: &str, tools: Vec<Tool>) -> ToolGroup {
        ToolGroup { name: name.to_owned(), tools, rule_prompt: None, skill_rules: Vec::new() }
    }

    /// The same with a prompt.
    #[must_use]
    pub fn with_prompt(mut self, prompt: impl Into<String>) -> ToolGroup {
        self.rule_prompt = Some(RulePrompt::Text(prompt.into()));
        self
    }

    /// The same with a skill rule.
    #[must_use]
    pub fn with_rule(mut self, rule: SkillRule) -> ToolGroup {
        self.skill_rules.push(rule);
        self
    }

    /// Everything but the code.
    pub fn declaration(&self) -> GroupDeclaration {
        let rule_prompt = match &self.rule_prompt {
            Some(RulePrompt::Text(text)) => Some(text.clone()),
            _ => None,
        };
        GroupDeclaration {
            name: self.name.clone(),
            tools: self.tools.iter().map(|tool| tool.declaration.clone()).collect(),
            rule_prompt,
            skill_rules: self.skill_rules.clone(),
        }
    }
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ToolGroup")
            .field("name", &self.name)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
