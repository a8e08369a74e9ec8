//! History: what floors changed, the value of a path over a chat, what set a value, and how two states differ.

use crate::apply::{AppliedCommand, ChangeOperation, ChangeVerb, ReplyProblem};
use crate::json::{Json, present};
use crate::story::{LogLine, RanFunction, StaleReason, is_false};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a floor changed in the state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FloorChange {
    /// The floor.
    pub floor_id: String,
    /// Its story page; null where it has none with a state.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// That page's snapshot.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// What it changed, as JSON Patch; of a state that was changed by hand everything since the page before.
    pub change: Vec<ChangeOperation>,
    /// Whether the state is up to date with the texts; `true` if there is none.
    pub fresh: bool,
    /// Whether it was edited by hand.
    pub edited: bool,
    /// The commands of the text and their results; only with `include_commands`, and not where the text is another one now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub commands: Option<Vec<AppliedCommand>>,
    /// Problems in the text, and the ops of edits by hand that found no place in its state (`edit_not_applied`); present if
    /// `commands` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problems: Option<Vec<ReplyProblem>>,
    /// The functions that ran, in order; only with `include_commands`, and absent if none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub functions: Vec<RanFunction>,
    /// What functions wrote with `console.log`; only with `include_commands`, and absent if they wrote nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub log: Vec<LogLine>,
}

/// Options of a floor's change.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FloorChangeParams {
    /// Whether to include the commands of the text.
    #[param(default = false)]
    pub include_commands: Option<bool>,
}

/// Which floors of a session.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PartParams {
    /// The branch; default `main`. Floors before the place where it was forked belong to it.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// Positions below this one are left out.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub from_floor: Option<i64>,
    /// Positions above this one are left out.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub to_floor: Option<i64>,
    /// Only what comes behind this floor: the `next_after` of the previous response.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub after: Option<String>,
}

/// The value whose history is wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HistoryParams {
    /// Where the value stands: as commands write it (`小雪.好感`, `bag[0].name`), or a JSON Pointer if it starts with `/`.
    /// Empty for the whole state. At most 4096 bytes.
    #[param(max_length = 4096)]
    pub path: String,
    /// Maximum number of points.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<i64>,
}

/// The value whose origin is wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BlameParams {
    /// Where the value stands: as commands write it (`小雪.好感`, `bag[0].name`), or a JSON Pointer if it starts with `/`.
    /// Empty for the whole state. At most 4096 bytes.
    #[param(max_length = 4096)]
    pub path: String,
}

/// How many floors of a log.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogParams {
    /// Maximum number of floors.
    #[param(minimum = 1, maximum = 100, default = 50)]
    pub limit: Option<i64>,
    /// Only the last so many floors; together with the other bounds.
    #[param(minimum = 1, maximum = 1_000_000_000)]
    pub last: Option<i64>,
}

/// The value of a path over a chat.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// The requested path.
    pub path: String,
    /// The value before the first floor; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub before: Option<Json>,
    /// One for each floor that changed the value, oldest first.
    pub points: Vec<HistoryPoint>,
    /// The `after` of the next request; null at the end. One response covers at most 2000 floors, so it may have no points.
    #[schema(required = true)]
    pub next_after: Option<String>,
}

/// A floor that changed a value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryPoint {
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// Its story page.
    pub page_id: String,
    /// The page's snapshot.
    pub snapshot_id: String,
    /// The value from here on; absent if there is none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// When: the time of the turn or of the edit.
    pub at: i64,
    /// Set if the state was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
    /// Whether the state is up to date with the texts before it.
    pub fresh: bool,
}

/// A part of a log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Log {
    /// The floors, oldest first.
    pub floors: Vec<LoggedFloor>,
    /// The `after` of the next request; null at the end.
    #[schema(required = true)]
    pub next_after: Option<String>,
}

/// A floor of a log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LoggedFloor {
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// Its state: `draft`, `generating`, `committed` or `failed`.
    pub state: String,
    /// Its story page, or else its last page.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The role of the speaker.
    #[schema(required = true)]
    pub role: Option<String>,
    /// The speaker's name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The first line of the text, its first 200 characters.
    pub text: String,
    /// The page's snapshot; null where the page has no state of its own.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// Which swipe of its slot the page is, from 1; null where there is no page.
    #[schema(required = true, minimum = 1)]
    pub swipe: Option<i64>,
    /// How many swipes the slot has.
    #[serde(default)]
    #[schema(minimum = 0)]
    pub swipe_count: i64,
    /// What it changed in the state; of a state that was changed by hand everything since the page before.
    pub change: Vec<Difference>,
    /// Commands of the text that were refused; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub refused: Vec<RefusedCommand>,
    /// Set if the state was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
    /// Whether everything up to here is up to date with the texts.
    pub fresh: bool,
}

/// A command that did nothing.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"name": "SUB", "code": "missing_path", "message": "nothing at `hp`"}))]
pub struct RefusedCommand {
    /// What was to be done, as the dialect names it.
    pub name: String,
    /// Why, for programs.
    pub code: String,
    /// Why, for people and models.
    pub message: String,
}

/// Which floors of a transcript.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TranscriptWindow {
    /// The first position; positions below it are left out.
    #[param(minimum = 0, maximum = 1_000_000_000, default = 0)]
    pub from: Option<i64>,
    /// Maximum number of floors. Fewer come where their texts are long; `meta.next_from` says where to go on.
    #[param(minimum = 1, maximum = 100, default = 50)]
    pub limit: Option<i64>,
    /// Only the last so many floors; together with the other bounds.
    #[param(minimum = 1, maximum = 1_000_000_000)]
    pub last: Option<i64>,
}

/// Of which branch, and how much is said of a floor.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TranscriptParams {
    /// The branch; default `main`. Floors before the place where it was forked belong to it.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// `false` leaves the texts out.
    #[param(default = true)]
    pub content: Option<bool>,
    /// Whether to list all pages of a floor.
    #[param(default = false)]
    pub swipes: Option<bool>,
    /// Whether to include what a floor changed in the state.
    #[param(default = false)]
    pub changes: Option<bool>,
}

/// The number of a floor in a path.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct FloorNoPath {
    /// The position of the floor.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
}

/// A part of a transcript.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Transcript {
    /// The floors, by position.
    pub data: Vec<TranscriptFloor>,
    /// Which part they are.
    pub meta: TranscriptMeta,
}

/// Which part of a transcript was returned.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TranscriptMeta {
    /// The first position that was looked at.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub from: i64,
    /// The requested limit.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: i64,
    /// Whether more floors follow.
    pub has_more: bool,
    /// The `from` of the next request; null at the end.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub next_from: Option<i64>,
}

/// A floor of a line with what was said there.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TranscriptFloor {
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// Its state: `draft`, `generating`, `committed` or `failed`.
    pub state: String,
    /// Set if it stands on a branch that this one was forked from.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub shared: bool,
    /// Its story page, or else its last active page; null if it has none.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The role of the speaker.
    #[schema(required = true)]
    pub role: Option<String>,
    /// The speaker's name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The page's text; left out with `content=false`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub content: Option<Option<String>>,
    /// Which swipe of its slot the page is, from 1; null where there is no page.
    #[schema(required = true, minimum = 1)]
    pub swipe: Option<i64>,
    /// How many swipes the slot has.
    #[schema(minimum = 0)]
    pub swipe_count: i64,
    /// The page's snapshot; null where the page has no state of its own.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// Whether everything up to here is up to date with the texts.
    pub fresh: bool,
    /// Set if the state was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
    /// Set if the state was computed with another profile or template, or by an older engine.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub outdated: bool,
    /// What it changed in the state, as JSON Patch; only with `changes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub change: Option<Vec<ChangeOperation>>,
    /// All pages of the floor, by slot and swipe; only with `swipes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub swipes: Option<Vec<TranscriptSwipe>>,
}

/// A page of a floor, chosen or not.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TranscriptSwipe {
    /// The page.
    pub page_id: String,
    /// The slot on the floor.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub page_no: i64,
    /// The swipe within the slot, from 0; numbers of deleted swipes are missing.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub version: i64,
    /// Whether it is the chosen swipe of its slot.
    pub is_active: bool,
    /// The role of the speaker.
    #[schema(required = true)]
    pub role: Option<String>,
    /// The speaker's name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// Its text; left out with `content=false`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub content: Option<Option<String>>,
    /// Its snapshot; null where it has no state of its own.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// Set if the state was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
}

/// One operation with the value it takes away: JSON Patch plus `old`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Difference {
    /// What was done.
    pub op: ChangeVerb,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// The new value; not for `remove`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// The old value; not for `add`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub old: Option<Json>,
}

/// What set a value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Blame {
    /// The requested path.
    pub path: String,
    /// The value; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
    /// Whether the requested state is up to date with the texts.
    pub fresh: bool,
    /// What set it.
    pub source: BlameSource,
    /// When: the time of the turn or of the edit; null if nothing set it.
    #[schema(required = true)]
    pub at: Option<i64>,
    /// The floor; null if nothing set it or the page was deleted.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// Its position.
    #[schema(required = true, minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: Option<i64>,
    /// The page. With the source `earlier` the page to continue at.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// What was done: to the value, to what holds it, or to a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Difference, required = false)]
    pub operation: Option<Difference>,
    /// The command; only with the source `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AppliedCommand, required = false)]
    pub command: Option<AppliedCommand>,
    /// The function behind it: one that a command called, or one that ran by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub function: Option<String>,
    /// The command as it stands in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub command_text: Option<String>,
    /// Set if the page's text is another one than the state was made of, so that the command is unknown.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub text_changed: bool,
}

/// What can set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlameSource {
    /// A command of a text.
    Command,
    /// A turn: something it does by itself, or a command that is unknown.
    Turn,
    /// A function that ran by itself; `function` names it.
    Function,
    /// An edit by hand.
    Edit,
    /// The story began with it.
    Template,
    /// Nothing: the path never had a value. It may be misspelt.
    Nobody,
    /// Something before the ten thousand states that were searched; continue at the page.
    Earlier,
}

/// What to take back.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"path": "yuki.affinity"}))]
pub struct UndoRequest {
    /// Only this value; default everything that the page changed.
    #[schema(max_length = 4096, nullable = false)]
    pub path: Option<String>,
}

/// Which states to compare. A place is `page:ID`, `floor:ID`, `snapshot:ID`, `branch:SESSION/NAME` for the newest state of a
/// branch, or `session:ID` for that of `main`.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareParams {
    /// The one place.
    #[param(max_length = 512)]
    pub from: String,
    /// The other place.
    #[param(max_length = 512)]
    pub to: String,
}

/// How two states differ.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Comparison {
    /// The one.
    pub from: Side,
    /// The other.
    pub to: Side,
    /// What leads from the one to the other; where keys stand does not count. Empty if they are equal.
    pub change: Vec<Difference>,
}

/// One side of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Side {
    /// The snapshot; null where the story has not begun and the state is the template.
    #[schema(required = true)]
    pub snapshot_id: Option<String>,
    /// The page whose state it is, if it still exists.
    #[schema(required = true)]
    pub page_id: Option<String>,
    /// The floor of that page.
    #[schema(required = true)]
    pub floor_id: Option<String>,
    /// Whether it is up to date with the texts before it; absent if the page was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fresh: Option<bool>,
    /// Why it is not fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleReason, required = false)]
    pub stale_reason: Option<StaleReason>,
    /// Set if it was edited by hand.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub edited: bool,
    /// Set if it is the state before the place, because the place has none of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(default = false)]
    pub inherited: bool,
}
