//! The story state: turns, states, snapshots, processing.

use crate::apply::{AppliedCommand, ChangeOperation, CommandStatus, ReplyProblem};
use crate::envelope::StaleFloors;
use crate::json::Json;
use crate::json::present;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A turn to take.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"role": "assistant", "content": "She smiles. _.set('yuki.affinity', 40, 42);//a good talk"}))]
pub struct NewTurn {
    /// The role of the speaker; at most 1024 bytes. What `user`, `system` and `tool` say becomes an `input` page, everything else an
    /// `output` page.
    #[schema(min_length = 1, max_length = 1024)]
    pub role: String,
    /// The speaker's name; at most 1024 bytes.
    #[schema(max_length = 1024)]
    pub name: Option<String>,
    /// The text.
    #[schema(max_length = 16_777_216)]
    pub content: String,
    /// The branch; default `main`. It must exist.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// The position; default the next free one.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub floor_no: Option<i64>,
    /// The floor that this is another swipe of; then branch and position are the floor's, and other ones are refused.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub swipe_of: Option<String>,
    /// Your own id for the page. A turn that is sent again with it is taken once and answered as it was then, or with the state
    /// that the page has got since; another turn with the same id is `409 id_taken`.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub page_id: Option<String>,
    /// What the turn must build on: the nearest page before it that has a state, or its snapshot; null for none, the story
    /// begins here. `409 parent_moved` if it is another one.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub expected_parent: Option<Option<String>>,
    /// Whether the answer has the whole state.
    #[serde(default)]
    #[schema(default = false)]
    pub include_state: bool,
}

/// A turn that was taken.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Turn {
    /// The floor, committed.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// The page, active.
    pub page_id: String,
    /// The swipe within its slot.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub page_version: i64,
    /// The page's snapshot; null where no commands are read from the page.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// What changed, as JSON Patch.
    pub change: Vec<ChangeOperation>,
    /// The commands and their results.
    pub commands: Vec<AppliedCommand>,
    /// Problems.
    pub problems: Vec<ReplyProblem>,
    /// The functions that ran, in order; absent if none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub functions: Vec<RanFunction>,
    /// What functions wrote with `console.log`; absent if they wrote nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub log: Vec<LogLine>,
    /// The state behind the turn; only with `include_state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub state: Option<Json>,
    /// What another swipe of an earlier floor leaves stale on the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleFloors, required = false)]
    pub stale: Option<StaleFloors>,
}

/// A function that ran in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RanFunction {
    /// Its name.
    pub function: String,
    /// What came of it.
    pub status: CommandStatus,
    /// How many operations of the change are its doing.
    #[schema(minimum = 0)]
    pub operations: u64,
    /// The place in `commands` of the command that called it; absent for one that ran by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, nullable = false)]
    pub command: Option<u64>,
    /// Of a refused one: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code: Option<String>,
    /// Of a refused or repaired one, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
}

/// A line that a function wrote with `console.log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    /// The name of the function.
    pub function: String,
    /// What it wrote.
    pub text: String,
}

/// A state and what is known of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// The snapshot; null where the story has not begun and the state is the template, and of a page without a state of its own.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// The page whose state it is; a page without a state of its own shows the state before it under its own id.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The floor of that page.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// The document.
    pub state: Json,
    /// Whether it is up to date with the texts before it.
    pub fresh: bool,
    /// Why it is not fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleReason, required = false)]
    pub stale_reason: Option<StaleReason>,
    /// Set if it was computed with another profile or template, or by an older engine.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub outdated: bool,
    /// Set if it was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
    /// Set if it is the state before the page, because the page has none of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub inherited: bool,
}

// `skip_serializing_if` hands out a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Why a state is not fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StaleReason {
    /// The page was never processed; the state is the one before it.
    Unprocessed,
    /// The page's text is another one.
    TextChanged,
    /// The page before has another state, or is another page.
    ParentChanged,
    /// The state fits the page before it, and an earlier one does not fit its own.
    EarlierStale,
    /// The page has other edits by hand.
    EditsChanged,
}

/// Of which branch.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StateParams {
    /// The branch; default `main`.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// The position on the branch; default its end.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: Option<i64>,
}

/// A snapshot.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Snapshot {
    /// Its id, a UUID.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The page, if it still exists.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The document.
    pub state: Json,
    /// Whether it is up to date with the texts before it; absent if the page was deleted, or shows another state since no commands are
    /// read from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fresh: Option<bool>,
    /// Whether it was edited by hand.
    pub edited: bool,
    /// When it was created.
    pub created_at: i64,
    /// When it got this state.
    pub updated_at: i64,
    /// What came of processing what follows on the page's branch, in the answer to an edit; left out where nothing was to be
    /// processed. Edits by hand further on are applied again: `kept_edited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub processed: Option<ProcessReport>,
    /// The job that continues processing, if that takes longer than a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub job_id: Option<String>,
    /// What the change leaves stale on the branch; only in responses to changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleFloors, required = false)]
    pub stale: Option<StaleFloors>,
}

/// A state by hand.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"state": {"yuki": {"affinity": 50}}}))]
pub struct EditedSnapshot {
    /// The document: an object.
    #[schema(value_type = Object)]
    pub state: Json,
    /// Whether what follows on the page's branch is processed at once. Otherwise it stays stale until it is processed.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub process: bool,
    /// Why; kept with the edit. At most 4096 bytes.
    #[schema(max_length = 4096, nullable = false)]
    pub reason: Option<String>,
    /// Whether the document is data of MVU and its metadata (`$meta`, `$arrayMeta`, `$__META_EXTENSIBLE__$`) is left out;
    /// of a whole record only `stat_data` is taken.
    #[serde(default)]
    #[schema(default = false)]
    pub strip_mvu: bool,
}

pub(crate) fn yes() -> bool {
    true
}

/// What to process. All fields are optional.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"mode": "stale"}))]
pub struct ProcessRequest {
    /// The branch; default all of them, and `main` with `from_floor` or `mode` `latest`.
    #[schema(min_length = 1, max_length = 256, nullable = false)]
    pub branch_id: Option<String>,
    /// From this position on everything is processed, whether it fits or not. Not with `mode` `latest`.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub from_floor: Option<i64>,
    /// Which pages; default `stale`.
    #[schema(value_type = ProcessMode, required = false)]
    pub mode: Option<ProcessMode>,
    /// Only report what would happen; change nothing.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
    /// Whether edits by hand are taken back, so that the texts alone count; otherwise they are applied again. Those stay that are made
    /// after the request. Without `mode` and `from_floor` on all pages of the branch, and only pages that are edited or stale are
    /// processed.
    #[serde(default)]
    #[schema(default = false)]
    pub overwrite_edited: bool,
}

/// Which pages are processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessMode {
    /// Those that do not fit, and what follows them.
    Stale,
    /// The last one, whether it fits or not; its snapshot gets another id.
    Latest,
    /// All of them.
    All,
}

/// The result of processing.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProcessReport {
    /// Pages that got another state, or would.
    #[schema(minimum = 0)]
    pub processed: usize,
    /// How many of the pages that were processed or unchanged have edits by hand, which count on.
    #[schema(minimum = 0)]
    pub kept_edited: usize,
    /// Pages that were looked at and need nothing.
    #[schema(minimum = 0)]
    pub unchanged: usize,
    /// Commands in all their texts together that were refused; see `GET /floors/{id}/change?include_commands=true`.
    #[schema(minimum = 0)]
    pub refused: usize,
    /// Problems in all their texts together.
    #[schema(minimum = 0)]
    pub problems: usize,
    /// Pages of these whose stored state is not what their texts lead to; with `mode` `all`.
    #[serde(default)]
    #[schema(minimum = 0, required = true)]
    pub differing: usize,
    /// The first hundred pages that got another state.
    pub floors: Vec<ProcessedFloor>,
    /// Whether there are more than are listed; `processed` counts all of them.
    pub floors_more: bool,
    /// Whether nothing was stored.
    pub dry_run: bool,
    /// Set if nothing was processed because the session's character is disabled.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub disabled: bool,
    /// How the states that came with an imported chat compare with ours; left out for other chats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub states: Option<crate::import::ComparedStates>,
}

/// One page that got another state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProcessedFloor {
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// The page.
    pub page_id: String,
    /// How many operations its text came to.
    #[schema(minimum = 0)]
    pub changes: usize,
    /// How many of its commands were refused.
    #[schema(minimum = 0)]
    pub refused: usize,
    /// Problems.
    #[schema(minimum = 0)]
    pub problems: usize,
    /// Whether the stored state is not what the text leads to; with `mode` `all`, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub differs: Option<bool>,
}
