//! Tools: groups of them, calls, approvals, the scratchpad.

use crate::json::{Json, JsonObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// When a person is asked, as a group declares it. The spelling is that of the tools' own world.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ToolPermission {
    /// Before the tool runs: `auto`, `ask-once` for the same tool and arguments, `ask-always`.
    #[serde(rename = "executionPolicy", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub execution_policy: Option<ExecutionPolicy>,
    /// Before the result is seen: `never`, `on-error`, `always`.
    #[serde(rename = "resultApprovalPolicy", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result_approval_policy: Option<ResultApprovalPolicy>,
    /// Calls that are refused without asking: each rule names an argument by a JSON pointer and a pattern for its text, in which
    /// `*` stands for anything. A rule without an argument refuses every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100, nullable = false)]
    pub deny: Option<Vec<DenyRule>>,
    /// How long a decision counts, in ms; default as long as its scope.
    #[serde(rename = "expiresMs", default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, nullable = false)]
    pub expires_ms: Option<i64>,
    /// The older word for `executionPolicy`: `public` is `auto`, `moderate` is `ask-once`, `sensitive` is `ask-always`.
    #[serde(rename = "permissionLevel", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub permission_level: Option<PermissionLevel>,
    /// Older: `false` is `auto`.
    #[serde(rename = "requireExecutionApproval", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub require_execution_approval: Option<bool>,
    /// Older: `true` is `always`.
    #[serde(rename = "requireResultApproval", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub require_result_approval: Option<bool>,
}

/// When a person is asked before a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionPolicy {
    /// Never.
    Auto,
    /// Once for a tool and its arguments.
    AskOnce,
    /// Each time.
    AskAlways,
}

/// When a person is asked before a result is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResultApprovalPolicy {
    /// Never.
    Never,
    /// When the tool failed.
    OnError,
    /// Each time.
    Always,
}

/// An older word for a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionLevel {
    /// `auto`
    Public,
    /// `ask-once`
    Moderate,
    /// `ask-always`
    Sensitive,
}

/// A rule that refuses calls.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DenyRule {
    /// Which argument, as a JSON pointer; absent: every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024, nullable = false, example = "/path")]
    pub argument: Option<String>,
    /// A pattern for the argument's text, in which `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024, nullable = false, example = "*.env")]
    pub matches: Option<String>,
}

/// A tool that an application runs.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewTool {
    /// The OpenAI function: `{"type":"function","function":{"name","description","parameters"}}`.
    #[schema(value_type = Json)]
    pub definition: Json,
    /// When a person is asked; default `auto` and `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub permission: Option<ToolPermission>,
    /// Characters of a result that a model sees; default 8000.
    #[serde(rename = "DEFAULT_OUTPUT_LIMIT_CHAR", default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, nullable = false)]
    pub default_output_limit_char: Option<i64>,
    /// Whether results are never cut.
    #[serde(rename = "SKIP_EXTERNAL_TRUNCATE", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub skip_external_truncate: Option<bool>,
    /// Whether results never go to the scratchpad.
    #[serde(rename = "SKIP_CACHE_RESULT", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub skip_cache_result: Option<bool>,
    /// How a result that is too long is cut: `head_tail`, the default, `head` or `lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub truncation: Option<Truncation>,
    /// What the tool returns: `{"type", "note"?}`.
    #[serde(rename = "declaredReturnType", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = JsonObject, required = false)]
    pub declared_return_type: Option<JsonObject>,
}

/// How a result that is too long is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// Head and tail stay.
    HeadTail,
    /// The head stays.
    Head,
    /// Whole lines of the head stay.
    Lines,
}

/// The definition of a tool, as model APIs take it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolDefinition {
    /// `function`
    #[serde(rename = "type")]
    pub kind: String,
    /// Name, description and parameters.
    #[schema(value_type = Json)]
    pub function: Json,
}

/// A group of tools that an application registers and runs.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"name": "weather", "tools": [{"definition": {"type": "function", "function": {"name": "Forecast",
    "description": "Tells the weather of a place.", "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}}},
    "permission": {"executionPolicy": "ask-once"}}]}))]
pub struct NewToolGroup {
    /// Its name; at most 128 bytes.
    #[schema(min_length = 1, max_length = 128)]
    pub name: String,
    /// Its tools.
    #[schema(min_items = 1, max_items = 256)]
    pub tools: Vec<NewTool>,
    /// What a model has to know about the group.
    #[serde(rename = "rulePrompt", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub rule_prompt: Option<String>,
    /// Rules by their names: `{"desc", "prompt", "when"?, "alwaysLoad"?}`.
    #[serde(rename = "declareSkillRules", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = JsonObject, required = false)]
    pub declare_skill_rules: Option<JsonObject>,
}

/// A tool of a group.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct GroupTool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it is enabled, as far as its group is.
    pub enabled: bool,
    /// What counts for it.
    pub permission: ToolPermission,
    /// What it returns, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub declared_return_type: Option<Json>,
}

/// A group of tools.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolGroup {
    /// Its name.
    pub name: String,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Who runs its tools: `server` or `client`.
    pub runs_on: RunsOn,
    /// Its tools, in the order of registration.
    pub tools: Vec<GroupTool>,
    /// The variables of its rules.
    pub rules: Vec<String>,
}

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunsOn {
    /// This server.
    Server,
    /// The application that registered it.
    Client,
}

/// A change to a group.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"enabled": true}))]
pub struct ToolGroupPatch {
    /// Whether it is enabled.
    pub enabled: bool,
}

/// A change to a tool.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"enabled": true, "permission": {"executionPolicy": "ask-always"}}))]
pub struct ToolPatch {
    /// Whether it is enabled.
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
    /// What counts instead of the tool's own words, field by field.
    #[schema(nullable = false)]
    pub permission: Option<ToolPermission>,
}

/// What sessions begin with that have not used their tools yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"groups": {"vars": true}, "tools": {"RemoveVars": false},
    "permissions": {"WriteVar": {"executionPolicy": "ask-once"}}}))]
pub struct ToolDefaults {
    /// Which groups are enabled.
    #[serde(default)]
    #[schema(value_type = JsonObject, required = false)]
    pub groups: BTreeMap<String, bool>,
    /// Which tools are.
    #[serde(default)]
    #[schema(value_type = JsonObject, required = false)]
    pub tools: BTreeMap<String, bool>,
    /// What counts for tools.
    #[serde(default)]
    #[schema(value_type = JsonObject, required = false)]
    pub permissions: BTreeMap<String, ToolPermission>,
}

/// What has become of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// A person decides whether it runs, or whether its result may be seen.
    AwaitingApproval,
    /// The application that registered the tool runs it.
    AwaitingClient,
    /// The tool runs.
    Running,
    /// The tool did it.
    Success,
    /// The tool failed, or its references could not be resolved.
    Error,
    /// A person or a rule refused to run it.
    ExecutionRejected,
    /// A person refused to show the result.
    ResultRejected,
    /// There is no such tool, or it is disabled.
    NotFound,
    /// It was given up.
    Cancelled,
    /// The server ended while the tool ran: what it did is not known. It never runs again by itself.
    Interrupted,
}

/// A call to make.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"tool": "ReadVar", "args": {"name": "Rule/Agent/VarRef"}}))]
pub struct NewCall {
    /// The tool's name.
    #[schema(min_length = 1, max_length = 128)]
    pub tool: String,
    /// Its arguments, an object; `$VAR_REF{{name}}` in their texts is replaced.
    #[serde(default)]
    #[schema(value_type = JsonObject, required = false)]
    pub args: Option<JsonObject>,
    /// The page that is being generated: where tools stage writes.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
    /// The branch; default `main`.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// For the host, never for a model: nobody is asked before it runs.
    #[schema(nullable = false)]
    pub skip_execution_approval: Option<bool>,
    /// For the host, never for a model: nobody is asked about the result.
    #[schema(nullable = false)]
    pub skip_result_approval: Option<bool>,
}

/// A call in the journal.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Call {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The tool.
    pub tool: String,
    /// Its group; absent if there is no such tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub group: Option<String>,
    /// What has become of it.
    pub status: CallStatus,
    /// The arguments, references resolved; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub args: Option<Json>,
    /// The arguments as they were asked for, if that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub asked_args: Option<Json>,
    /// What the tool returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub data: Option<Json>,
    /// What a model is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub final_text: Option<String>,
    /// The whole result as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub formatted_text: Option<String>,
    /// Whether the model is shown less than all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub is_truncated: Option<bool>,
    /// The variable of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cache_var_result: Option<String>,
    /// The variable of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cache_var_args: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// Why it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reject_reason: Option<String>,
    /// The key that the decision was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub decided_by: Option<String>,
    /// The page it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub page_id: Option<String>,
    /// The branch it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub branch_id: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// When its tool began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub started_at: Option<i64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ended_at: Option<i64>,
    /// How long its tool took, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub duration_ms: Option<i64>,
}

/// Which calls are wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallFilter {
    /// Only with this status.
    #[param(inline)]
    pub status: Option<CallStatus>,
    /// Only of this tool.
    #[param(min_length = 1, max_length = 128)]
    pub tool: Option<String>,
    /// Only those that belong to this page.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub page_id: Option<String>,
}

crate::list::list_order!(CallOrder, CallSort, "calls", "created_at" "desc",
    /// The order in which they were made.
    CreatedAt
);

/// What an application returns for a call of its tool.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"status": "success", "data": {"temperature": 21}}))]
pub struct CallResult {
    /// Whether it did it.
    pub status: ResultStatus,
    /// What it returned.
    #[serde(default, deserialize_with = "crate::json::present")]
    #[schema(value_type = Json, required = false)]
    pub data: Option<Json>,
    /// Why not.
    #[schema(max_length = 65536, nullable = false)]
    pub error: Option<String>,
}

/// Whether an application did what a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultStatus {
    /// It did.
    Success,
    /// It did not.
    Error,
}

/// What a person decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalType {
    /// Whether the tool runs.
    Execution,
    /// Whether the result may be seen.
    Result,
}

/// An approval that is pending.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// The session of the call.
    pub session_id: String,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: ApprovalType,
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, references resolved.
    #[schema(value_type = Json)]
    pub args: Json,
    /// The arguments as they were asked for, if that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub asked_args: Option<Json>,
    /// The result that may be seen or not; only if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<ApprovalResult>,
    /// When it was asked for.
    pub created_at: i64,
    /// No answer until then is a rejection.
    pub expires_at: i64,
}

/// A result that waits for an approval.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ApprovalResult {
    /// What the model would be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub final_text: Option<String>,
    /// What the tool returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub data: Option<Json>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
}

crate::list::list_order!(ApprovalOrder, ApprovalSort, "approvals", "created_at" "asc",
    /// When they were asked for.
    CreatedAt
);

/// A decision.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"approved": true, "scope": "session"}))]
pub struct Decision {
    /// Whether it may be.
    pub approved: bool,
    /// Why not; the model is shown it.
    #[schema(max_length = 65536, nullable = false)]
    pub reason: Option<String>,
    /// How long it counts; default `session` for `ask-once`, otherwise `once`.
    #[schema(nullable = false)]
    pub scope: Option<ApprovalScope>,
    /// Other arguments for the call.
    #[schema(value_type = JsonObject, required = false)]
    pub args: Option<JsonObject>,
}

/// A decision that counts longer than its call.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// Where it counts: `session` or `always`.
    pub scope: ApprovalScope,
    /// The tool.
    pub tool: String,
    /// The arguments, references resolved.
    #[schema(value_type = Json)]
    pub args: Json,
    /// Whether such calls run.
    pub approved: bool,
    /// Why they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// Until when it counts; absent: as long as its scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expires_at: Option<i64>,
}

crate::list::list_order!(GrantOrder, GrantSort, "decisions", "created_at" "desc",
    /// When they were made.
    CreatedAt
);

/// A remembered decision in a path, behind its session.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct GrantPath {
    /// The session.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$", min_length = 1, max_length = 128)]
    pub id: String,
    /// The decision.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$", min_length = 1, max_length = 128)]
    pub grant_id: String,
}

/// The response to a revocation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RevokedGrant {
    /// Its id.
    pub id: String,
    /// That it is gone.
    pub deleted: bool,
}

/// How long a decision counts, for the same tool with the same definition and the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// For this call.
    Once,
    /// In this session.
    Session,
    /// In all sessions of the account.
    Always,
}

/// Who made a variable of the scratchpad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum VarType {
    /// A skill rule.
    #[serde(rename = "RULE")]
    Rule,
    /// The result of a call.
    ToolCallResult,
    /// The arguments of a call.
    ToolCallArgs,
    /// The text of a page.
    MessageCache,
    /// A model.
    #[serde(rename = "LLMAdd")]
    LlmAdd,
    /// A person.
    #[serde(rename = "USER_ADD")]
    UserAdd,
}

/// A variable of the scratchpad.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ScratchVariable {
    /// Its name.
    pub name: String,
    /// Its value; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub value: Option<String>,
    /// Characters of the value.
    #[schema(minimum = 0)]
    pub length: i64,
    /// What it is for.
    #[schema(required = true)]
    pub desc: Option<String>,
    /// Who made it.
    #[serde(rename = "type")]
    pub kind: VarType,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether eviction passes it by.
    pub keep: bool,
    /// Whether references inside its value are expanded: never in results, arguments, messages and copies of them.
    pub trusted: bool,
    /// How often it was read or referred to.
    #[schema(minimum = 0)]
    pub reference_count: i64,
    /// When it was made; 0 for a rule of the server before the session first used its tools.
    pub created_at: i64,
    /// When it was last written.
    pub updated_at: i64,
    /// When it was last written, read or referred to.
    pub last_visited_at: i64,
}

/// Which variables are wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ScratchFilter {
    /// Only of this type.
    #[serde(rename = "type")]
    #[param(inline, rename = "type")]
    pub kind: Option<VarType>,
    /// Only with exactly this tag.
    #[param(max_length = 256)]
    pub tag: Option<String>,
    /// Only with this in their name or description, in any case.
    #[param(max_length = 512)]
    pub search: Option<String>,
}

crate::list::list_order!(ScratchOrder, ScratchSort, "variables", "last_visited_at" "desc",
    /// When they were last written, read or referred to.
    LastVisitedAt
);

/// A write to the scratchpad; what is left out stays. A new variable needs a value.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"value": "The lighthouse keeper is called Ida.", "tags": ["facts"]}))]
pub struct ScratchWrite {
    /// The value: text, or any JSON, which is kept as its text.
    #[serde(default, deserialize_with = "crate::json::present")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// What it is for.
    #[schema(max_length = 16384, nullable = false)]
    pub desc: Option<String>,
    /// All tags.
    #[schema(max_items = 64, nullable = false)]
    pub tags: Option<Vec<String>>,
    /// Whether eviction passes it by.
    #[schema(nullable = false)]
    pub keep: Option<bool>,
}

/// A page whose text goes to the scratchpad.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct NewMessageCache {
    /// The page.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub page_id: String,
}

/// A name in a path, behind an id.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct NamePath {
    /// The session.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$", min_length = 1, max_length = 128)]
    pub id: String,
    /// The name: free text, percent-encoded.
    #[param(min_length = 1)]
    pub name: String,
}

/// The response to the removal of a variable.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RemovedVariable {
    /// Its name.
    pub name: String,
    /// That it is gone.
    pub deleted: bool,
}
