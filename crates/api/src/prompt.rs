//! Prompts: previewed and rendered, and what a model needs to know before it writes.

use crate::json::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A prompt to render: one text, or a list of messages.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"text": "{{getvar::mood}} {{view::status}}", "branch_id": "main"}))]
pub struct PromptRequest {
    /// The text; at most 4194304 bytes.
    #[schema(min_length = 1, max_length = 4_194_304, nullable = false)]
    pub text: Option<String>,
    /// Messages instead of a text; they are rendered in order, so that a later one sees what an earlier one wrote. Together at
    /// most 4194304 bytes.
    #[schema(min_items = 1, max_items = 10_000, nullable = false)]
    pub messages: Option<Vec<PromptMessage>>,
    /// The branch; default `main`, or that of the page.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// The floor that a branch would be forked from which does not exist yet: the prompt sees what was visible there.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub source_floor_id: Option<String>,
    /// The page that is generated. A rendering stages what the macros write on it; a preview only looks from there.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
    /// The name of the user; at most 1024 bytes.
    #[schema(max_length = 1024, nullable = false)]
    pub user: Option<String>,
    /// The name of the character; default that of the session's character. At most 1024 bytes.
    #[schema(max_length = 1024, nullable = false)]
    pub char: Option<String>,
    /// What `random`, `pick` and `roll` depend on; default a new one for each request.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, nullable = false)]
    pub seed: Option<i64>,
    /// The time in milliseconds since 1970; default now.
    #[schema(minimum = 0, maximum = 253_402_300_799_000_i64, nullable = false)]
    pub now: Option<i64>,
    /// How many minutes the reader's clock is ahead of UTC.
    #[schema(minimum = -1_440, maximum = 1_440, nullable = false)]
    pub utc_offset_minutes: Option<i64>,
}

/// A message of a prompt.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct PromptMessage {
    /// Who speaks; at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024)]
    pub role: String,
    /// The text; at most 4194304 bytes.
    #[schema(max_length = 4_194_304)]
    pub content: String,
}

/// The length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextSize {
    /// Unicode characters.
    #[schema(minimum = 0)]
    pub characters: u64,
    /// Tokens, estimated: one for four ASCII characters, one for every other character.
    #[schema(minimum = 0)]
    pub tokens_estimated: u64,
}

/// A prompt that was rendered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RenderedPrompt {
    /// Where it was rendered.
    pub scope: PromptScope,
    /// The state it saw; null where there is none.
    #[schema(required = true)]
    pub state: Option<PromptState>,
    /// The text; of several messages all of them, with line breaks between them.
    pub text: String,
    /// The messages; absent for a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<RenderedMessage>, required = false)]
    pub messages: Option<Vec<RenderedMessage>>,
    /// The length of the text.
    pub size: TextSize,
    /// The views that were shown.
    pub views: Vec<RenderedView>,
    /// The seed of `random`, `pick` and `roll`.
    #[schema(minimum = 0)]
    pub seed: u64,
    /// The time it was rendered for.
    pub now: i64,
    /// What happened.
    pub runtime_trace: RuntimeTrace,
}

/// Where a prompt was rendered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PromptScope {
    /// The session.
    pub session_id: String,
    /// The branch.
    pub target_branch_id: String,
    /// Whether the branch exists.
    pub branch_exists: bool,
    /// The floor that the branch was or would be forked from.
    #[schema(required = true)]
    pub source_floor_id: Option<String>,
    /// The branch whose values are read.
    pub history_source_branch_id: String,
    /// `existing_branch`, or `source_floor` for a branch that does not exist yet.
    pub history_source_mode: String,
    /// The floor of the page.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// The page.
    #[schema(required = true)]
    pub page_id: Option<String>,
}

/// The state that a prompt or a kit shows.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PromptState {
    /// The snapshot; null for the template.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// Its page.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// Its floor.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// Whether it is up to date with the texts before it.
    pub fresh: bool,
}

/// A message that was rendered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RenderedMessage {
    /// Who speaks.
    pub role: String,
    /// The text.
    pub content: String,
    /// Its length.
    pub size: TextSize,
}

/// A view in a prompt.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RenderedView {
    /// Its name.
    pub name: String,
    /// The floor that changes are shown since.
    #[schema(required = true)]
    pub changed_since: Option<i64>,
    /// Its length.
    pub size: TextSize,
    /// What was dropped because it did not fit into the budget, in the order in which it went.
    pub dropped: Vec<String>,
}

/// What happened while a prompt was rendered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RuntimeTrace {
    /// What the macros did.
    #[serde(rename = "macro")]
    pub macros: MacroTrace,
}

/// What the macros of a prompt did.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MacroTrace {
    /// What is worth a look; at most 1000.
    pub warnings: Vec<MacroWarning>,
    /// The macros that were used, each once.
    pub used_names: Vec<String>,
    /// What the macros would write, in the order of the text.
    pub mutation_preview: Vec<MacroMutation>,
    /// What was staged on the page; empty in a preview.
    pub staged_mutations: Vec<MacroMutation>,
    /// Which macro looked at which variable; at most 1000.
    pub traces: Vec<MacroUse>,
}

/// Something worth a look.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MacroWarning {
    /// What kind of thing it is.
    pub code: String,
    /// What was wrong and what to do.
    pub message: String,
    /// The macro, where its name could be read.
    #[schema(required = true)]
    pub macro_name: Option<String>,
    /// Which message of the prompt.
    #[schema(minimum = 0)]
    pub message_index: u64,
    /// Where it starts in the text, in bytes.
    #[schema(minimum = 0)]
    pub start: u64,
    /// Where it ends, in bytes.
    #[schema(minimum = 0)]
    pub end: u64,
}

/// What a macro writes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MacroMutation {
    /// The id of the staged write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub id: Option<String>,
    /// `set` or `delete`.
    pub kind: String,
    /// `branch` or `global`.
    pub scope: String,
    /// The key of the variable.
    pub key: String,
    /// The value; objects and lists are JSON in a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
}

/// A macro that looked at a variable.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MacroUse {
    /// The macro; `.` and `$` for the short forms, empty for a plain name.
    pub macro_name: String,
    /// The scope that the value came from or would come from; null for a table of TavernHelper.
    #[schema(required = true)]
    pub scope: Option<String>,
    /// The path as it was written.
    pub path: String,
    /// Whether there was a value.
    pub found: bool,
    /// Which message of the prompt.
    #[schema(minimum = 0)]
    pub message_index: u64,
    /// Where it starts in the text, in bytes.
    #[schema(minimum = 0)]
    pub start: u64,
    /// Where it ends, in bytes.
    #[schema(minimum = 0)]
    pub end: u64,
}

/// Which kit.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PromptKitParams {
    /// The branch; default `main`.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// The view; default the first of the profile, or all of the state as YAML.
    #[param(min_length = 1, max_length = 100)]
    pub view: Option<String>,
    /// Show only what changed since this floor; a negative number counts back from the last one.
    #[param(minimum = -1_000_000_000, maximum = 1_000_000_000)]
    pub changed_since: Option<i64>,
    /// The position of the reply that is written, for another swipe of an earlier floor: the state before it is shown. Default behind
    /// the last floor.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub before_floor: Option<i64>,
}

/// What a model needs to know before it writes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PromptKit {
    /// The session.
    pub session_id: String,
    /// The branch.
    pub branch_id: String,
    /// The profile that the session's is based on.
    pub profile: String,
    /// The state that is shown.
    pub state: PromptState,
    /// The state as the view shows it.
    pub view: KitView,
    /// How the functions of the library are called; null where there is none.
    #[schema(required = true)]
    pub functions: Option<KitPart>,
    /// How commands are written, with examples for this state.
    pub rules: KitPart,
    /// What became of the commands of the last reply; null unless the profile has `note`.
    #[schema(required = true)]
    pub note: Option<KitPart>,
    /// The length of all parts together.
    pub size: TextSize,
}

/// A part of a kit.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KitPart {
    /// The text.
    pub text: String,
    /// Its length.
    pub size: TextSize,
}

/// The state as a view shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KitView {
    /// The view; null for a profile without views.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The floor that changes are shown since.
    #[schema(required = true)]
    pub changed_since: Option<i64>,
    /// The text.
    pub text: String,
    /// Its length.
    pub size: TextSize,
    /// What was dropped because it did not fit into the budget.
    pub dropped: Vec<String>,
}
