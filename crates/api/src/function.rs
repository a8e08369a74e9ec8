//! The function library.

use crate::apply::ReplyProblem;
use crate::json::{Json, JsonObject, present};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A function of the library.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Function {
    /// Its id; of those that come with the program `builtin:NAME` or `starter:NAME`.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// Whose it is.
    pub scope: FunctionScope,
    /// The character in whose library it stands; null for the account's.
    #[schema(required = true)]
    pub character_id: Option<String>,
    /// Its name.
    #[schema(example = "HEAL")]
    pub name: String,
    /// Who calls it.
    #[serde(rename = "type")]
    pub kind: FunctionType,
    /// Whether it counts in this scope.
    pub enabled: bool,
    /// The lowest runs first.
    pub order: i64,
    /// The pattern of its calls; null where it is called by its name, and for passive functions.
    #[schema(required = true)]
    pub pattern: Option<String>,
    /// When it runs; null for active functions.
    #[schema(required = true)]
    pub timing: Option<Timing>,
    /// What it does.
    pub description: String,
    /// How it is called, for the prompt.
    #[schema(required = true)]
    pub signature: Option<String>,
    /// A call, for the prompt.
    #[schema(required = true)]
    pub example: Option<String>,
    /// The body of a JavaScript function; of a built-in function what a copy begins with.
    pub executor: String,
    /// Whether it is one of the eight that the engine does itself: it can be switched and copied, not changed.
    pub builtin: bool,
    /// Whether it comes with the program as code, and is off at first: it can be switched and copied, not changed.
    pub starter: bool,
    /// What it gets in the way of while it is enabled.
    pub conflicts: Vec<FunctionConflict>,
    /// Only in the answer to an import: what is wrong with the code, with line and column. The function cannot be enabled before
    /// that is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code_error: Option<String>,
    /// When it was made; null for what comes with the program.
    #[schema(required = true)]
    pub created_at: Option<i64>,
    /// When it last changed; null for what is as it came.
    #[schema(required = true)]
    pub updated_at: Option<i64>,
}

/// Whose functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionScope {
    /// The account's: they count for all its sessions.
    Global,
    /// A character's: they count for its sessions, and before the account's.
    Character,
}

/// Who calls a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionType {
    /// The model, in a reply.
    Active,
    /// Nobody: it runs by itself in every turn.
    Passive,
}

/// When a passive function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// Before the commands of the reply.
    BeforeActive,
    /// After them.
    AfterActive,
}

/// What a function gets in the way of.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FunctionConflict {
    /// Which kind.
    pub kind: ConflictKind,
    /// The id of the other function, or the name of the dialect.
    pub with: String,
    /// What happens then.
    pub message: String,
}

/// Kinds of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// Another enabled function has the same name.
    SameName,
    /// The pattern finds commands of a dialect.
    Dialect,
    /// The function is called by its name, and the character's profile does not read such calls.
    NotRead,
}

/// A function to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"name": "HEAL", "type": "active", "description": "治疗",
    "signature": "@.HEAL(amount);", "example": "@.HEAL(5);",
    "executor": "const [amount] = args;\n_.update(snapshot, 'hp', (hp) => Math.min(100, hp + amount));\nreturn snapshot;"}))]
pub struct NewFunction {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// Its name: one line of at most 128 bytes. An active function without a pattern is called by its name, which then consists
    /// of letters, digits and `_`, at most 64 bytes.
    #[schema(min_length = 1, max_length = 128)]
    pub name: String,
    /// Who calls it.
    #[serde(rename = "type")]
    pub kind: FunctionType,
    /// Whether it counts at once; default `true`.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// The lowest runs first; default 0.
    #[serde(default)]
    #[schema(minimum = -1_000_000_000, maximum = 1_000_000_000, default = 0)]
    pub order: i64,
    /// Of an active function: a JavaScript pattern, `/…/flags` or just the pattern; its groups are the arguments. Without one
    /// the function is called as `@.NAME(…)`.
    #[schema(min_length = 1, max_length = 4096)]
    pub pattern: Option<String>,
    /// When a passive function runs.
    #[schema(value_type = Option<Timing>)]
    pub timing: Option<Timing>,
    /// What it does, for people and for the prompt.
    #[serde(default)]
    #[schema(max_length = 16_384)]
    pub description: String,
    /// How it is called, for the prompt: one line.
    #[schema(max_length = 1024)]
    pub signature: Option<String>,
    /// A call, for the prompt: one line.
    #[schema(max_length = 1024)]
    pub example: Option<String>,
    /// The body of a JavaScript function with `snapshot`, `args`, `context` and `_`.
    #[schema(max_length = 65_536)]
    pub executor: String,
}

fn yes() -> bool {
    true
}

/// Changes to a function. An absent field stays as it is, `null` clears it. A function of another type loses pattern and timing
/// unless they are given. Of a function that comes with the program only `enabled` can be changed.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"enabled": false}))]
pub struct FunctionPatch {
    /// Another name.
    #[schema(min_length = 1, max_length = 128, nullable = false)]
    pub name: Option<String>,
    /// Another type.
    #[serde(rename = "type")]
    #[schema(value_type = FunctionType, required = false)]
    pub kind: Option<FunctionType>,
    /// Whether it counts.
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
    /// Another order.
    #[schema(minimum = -1_000_000_000, maximum = 1_000_000_000, nullable = false)]
    pub order: Option<i64>,
    /// Another pattern.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 4096)]
    pub pattern: Option<Option<String>>,
    /// Another timing.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Timing>)]
    pub timing: Option<Option<Timing>>,
    /// Another description.
    #[schema(max_length = 16_384, nullable = false)]
    pub description: Option<String>,
    /// Another signature.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub signature: Option<Option<String>>,
    /// Another example.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub example: Option<Option<String>>,
    /// Other code.
    #[schema(max_length = 65_536, nullable = false)]
    pub executor: Option<String>,
}

/// A function in a file or on a card, in the shape that other programs know.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FunctionEntry {
    /// Its id. In a file it has no meaning; on a card it names the character's function that is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub id: Option<String>,
    /// Its name.
    #[schema(min_length = 1, max_length = 128)]
    pub name: String,
    /// Who calls it.
    #[serde(rename = "type")]
    pub kind: FunctionType,
    /// Whether it is enabled; default `true`.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// The lowest runs first; default 0.
    #[serde(default)]
    #[schema(minimum = -1_000_000_000, maximum = 1_000_000_000, default = 0)]
    pub order: i64,
    /// The pattern of an active function's calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 4096)]
    pub pattern: Option<String>,
    /// When a passive function runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Timing>)]
    pub timing: Option<Timing>,
    /// What it does.
    #[serde(default)]
    #[schema(max_length = 16_384)]
    pub description: String,
    /// How it is called, for the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024)]
    pub signature: Option<String>,
    /// A call, for the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024)]
    pub example: Option<String>,
    /// The body of a JavaScript function.
    #[schema(max_length = 65_536)]
    pub executor: String,
    /// Whether it came with the program it was written by. It has no meaning here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub builtin: Option<bool>,
}

/// A file of functions.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"version": "1.0", "functions": [{"id": "uuid-xxx", "name": "时间推进", "type": "passive",
    "enabled": true, "order": 1, "timing": "after_active", "description": "每回合时间自动推进1小时",
    "executor": "_.update(snapshot, '世界.时间', (time) => addHours(time, 1));\nreturn snapshot;"}]}))]
pub struct FunctionFile {
    /// The version of the format.
    pub version: FileVersion,
    /// The functions.
    #[schema(max_items = 200)]
    pub functions: Vec<FunctionEntry>,
}

/// Versions of the format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum FileVersion {
    /// The only one.
    #[serde(rename = "1.0")]
    One,
}

/// Which functions go into a file.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({}))]
pub struct ExportFunctions {
    /// Their ids, in the order of the file; left out, all that authors wrote in the scope.
    #[schema(min_items = 1, max_items = 200, nullable = false)]
    pub ids: Option<Vec<String>>,
}

/// Another order of functions.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ReorderFunctions {
    /// The ids of all functions that authors wrote in the scope, each once.
    #[schema(max_items = 200)]
    pub ids: Vec<String>,
}

/// Where a copy goes.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"scope": "global"}))]
pub struct CopyFunction {
    /// The scope of the copy.
    pub scope: FunctionScope,
    /// With `character`: the character.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub character_id: Option<String>,
    /// A name for the copy; default the same.
    #[schema(min_length = 1, max_length = 128, nullable = false)]
    pub name: Option<String>,
}

/// Where a function goes.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"scope": "global"}))]
pub struct MoveFunction {
    /// The new scope.
    pub scope: FunctionScope,
    /// With `character`: the character.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub character_id: Option<String>,
}

/// What a prompt says of functions.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FunctionPrompt {
    /// The block for the prompt.
    pub prompt: String,
}

/// Whose functions.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FunctionScopeParams {
    /// The account's, or those of a character; default `global`.
    pub scope: Option<FunctionScope>,
    /// With `scope=character`: the character.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub character_id: Option<String>,
}

crate::list::list_order!(FunctionListOrder, FunctionSort, "functions", "order" "asc",
    /// What comes with the program, then what authors wrote, in the order in which it runs.
    Order
);

/// Functions, a text and a state to try them on.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"functions": [{"name": "HEAL", "type": "active",
    "executor": "snapshot.hp += args[0];\nreturn snapshot;"}], "text": "@.HEAL(5);", "state": {"hp": 90}}))]
pub struct TestFunctions {
    /// The functions. Those with `"enabled": false` do not run.
    #[schema(max_items = 400)]
    pub functions: Vec<FunctionEntry>,
    /// The reply.
    #[schema(max_length = 16_777_216)]
    pub text: String,
    /// The state before: an object.
    #[schema(value_type = JsonObject)]
    pub state: JsonObject,
    /// What the functions find in `context`.
    #[schema(value_type = TestContext, required = false)]
    pub context: Option<TestContext>,
}

/// What functions that are tried out find in `context`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct TestContext {
    /// The time of the turn in ms since 1970; default now.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, nullable = false)]
    pub now_ms: Option<i64>,
    /// The number of the turn in its story; default 1.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub round: Option<i64>,
    /// What chance begins with; default 0. The same seed gives the same dice.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, nullable = false)]
    pub seed: Option<i64>,
    /// The replies before, the newest last.
    #[schema(max_items = 20, nullable = false)]
    pub recent_texts: Option<Vec<String>>,
    /// The session.
    #[schema(max_length = 128)]
    pub session: Option<String>,
    /// The branch.
    #[schema(max_length = 256)]
    pub branch: Option<String>,
    /// The number of the floor.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor: Option<i64>,
    /// The page.
    #[schema(max_length = 128)]
    pub page: Option<String>,
    /// Who wrote the text.
    #[schema(max_length = 1024)]
    pub role: Option<String>,
}

/// What came of functions that were tried out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TestedFunctions {
    /// The state after.
    pub state: Json,
    /// Everything that was called, in the order in which it ran; commands of the built-in functions too.
    pub calls: Vec<TestedCall>,
    /// What is worth a look.
    pub problems: Vec<ReplyProblem>,
}

/// One call.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TestedCall {
    /// The name of the function.
    pub function: String,
    /// Its arguments.
    pub args: Vec<Json>,
    /// What came of it.
    pub status: crate::apply::CommandStatus,
    /// Why it did nothing, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub code: Option<String>,
    /// What was wrong or repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub message: Option<String>,
    /// What it wrote with `console.log`; left out where that is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub log: Vec<String>,
    /// How long it took, in ms; 0 for what the engine does itself.
    pub duration_ms: f64,
}
