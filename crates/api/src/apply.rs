//! A dry run: a reply applied to a state, nothing stored.

use crate::json::{Json, JsonObject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A reply and the state it is applied to.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "profile": "default",
    "state": {"yuki": {"affinity": 40}},
    "reply": "She smiles. _.set('yuki.affinity', 40, 42);//a good talk",
}))]
pub struct ApplyRequest {
    /// Comes back with the answer, whatever it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub id: Option<Json>,
    /// How commands are read and applied; default `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ProfileChoice, required = false)]
    pub profile: Option<ProfileChoice>,
    /// The state before. Only a profile with a rule pack can do without: then it is the template of that pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub state: Option<Json>,
    /// The text with the commands.
    #[schema(max_length = 16_777_216)]
    pub reply: String,
    /// What the state may hold: our schema, or MVU's own schema tree where the profile is `mvu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = JsonObject, required = false)]
    pub schema: Option<JsonObject>,
    /// Replies before this one, the newest last, for rules that look at them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<String>, required = false, max_items = 20)]
    pub recent_texts: Option<Vec<String>>,
    /// Who wrote the text; `user` for a person, anything else for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 1024)]
    pub role: Option<String>,
}

/// A profile: its name, or a name with changes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ProfileChoice {
    /// As it is.
    Name(ProfileName),
    /// Changed field by field.
    Changed(Box<ProfileChanges>),
}

/// The profiles that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileName {
    /// Everything that can be understood is applied.
    Default,
    /// Only what exists is written, and nothing changes its kind.
    Strict,
    /// As MVU's classic mode.
    Mvu,
    /// As MVU with a zod schema.
    MvuZod,
    /// For the memory rules.
    Memory,
}

/// A named profile as it is.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NamedProfile {
    /// Its name.
    pub name: ProfileName,
    /// What it is for.
    pub description: String,
    /// The dialects that it reads, in the order in which a prompt kit explains them.
    pub dialects: Vec<DialectName>,
    /// The rule packs that it uses.
    #[schema(example = json!(["memory"]))]
    pub packs: Vec<String>,
    /// All its fields, which a profile with it as `base` may change one by one.
    pub fields: JsonObject,
}

/// A profile that differs from a named one.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"base": "strict", "create_missing": true}))]
pub struct ProfileChanges {
    /// The profile it starts from; default `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ProfileName, required = false)]
    pub base: Option<ProfileName>,
    /// The dialects that are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialects: Option<OneOrMany<DialectName>>,
    /// Whether `[value, "description"]` is a pair whose first item takes the writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pairs: Option<bool>,
    /// Whether a write may create what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CreateMissing, required = false)]
    pub create_missing: Option<CreateMissing>,
    /// What happens when a value would change its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = TypeChange, required = false)]
    pub type_change: Option<TypeChange>,
    /// How objects are merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Merge, required = false)]
    pub merge: Option<Merge>,
    /// Whether text inside `<think>` and `<thinking>` is skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub skip_thinking: Option<bool>,
    /// When there are any, only text inside these tags is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in_tags: Option<OneOrMany<String>>,
    /// Whether floors written by a person are read too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub user_floors: Option<bool>,
    /// Whether keys that start with `_` are read-only for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub underscore_read_only: Option<bool>,
    /// Whether a patch may write read-only keys with `forced_set`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub forced_set: Option<bool>,
    /// Where the story's time stands: the first that exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_path: Option<OneOrMany<String>>,
    /// What the state may hold: a subset of JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<JsonObject>)]
    pub schema: Option<serde_json::Map<String, serde_json::Value>>,
    /// MVU's own schema of the state, only with the base `mvu`: `true` makes one from the template as MVU's initialisation
    /// does, an object is one. Left out, only a template with MVU's marks has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mvu_schema: Option<MvuSchemaSource>,
    /// Built-in functions that are switched off, as the dialects spell them: `SET`, `set`, `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<OneOrMany<String>>,
    /// How many replies before the current one a rule may look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20)]
    pub recent_texts: Option<u64>,
    /// The rule packs that are used: a name, a list of names, or an object with what is changed in the settings of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packs: Option<PackChoice>,
    /// How the state is shown to a model, by name; the first one is what a prompt kit shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = JsonObject, required = false)]
    pub views: Option<serde_json::Map<String, serde_json::Value>>,
    /// Whether a prompt kit says which commands of the last reply were refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub note: Option<bool>,
}

/// Rule packs of a profile.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PackChoice {
    /// With their own settings.
    Names(OneOrMany<String>),
    /// With changes to their settings, by name.
    #[schema(value_type = JsonObject)]
    Settings(serde_json::Map<String, serde_json::Value>),
}

/// Where MVU's own schema comes from.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum MvuSchemaSource {
    /// Whether any template has one.
    FromTemplate(bool),
    /// This one.
    #[schema(value_type = JsonObject)]
    Given(serde_json::Map<String, serde_json::Value>),
}

/// One thing or a list of them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// Any number.
    Many(Vec<T>),
}

/// The ways in which commands are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialectName {
    /// `@.SET("gold", 100);`
    At,
    /// `_.set('gold', 90, 100);//why`
    Mvu,
    /// `<JSONPatch>[{"op":"replace","path":"/gold","value":100}]</JSONPatch>`
    JsonPatch,
    /// The calls of the memory rules.
    Memory,
}

impl ProfileName {
    /// The profile with this name.
    pub fn named(name: &str) -> Option<ProfileName> {
        Some(match name {
            "default" => ProfileName::Default,
            "strict" => ProfileName::Strict,
            "mvu" => ProfileName::Mvu,
            "mvu_zod" => ProfileName::MvuZod,
            "memory" => ProfileName::Memory,
            _ => return None,
        })
    }
}

impl DialectName {
    /// The dialect with this name. The dialect of a rule pack has the pack's name.
    pub fn named(name: &str) -> Option<DialectName> {
        Some(match name {
            "at" => DialectName::At,
            "mvu" => DialectName::Mvu,
            "json_patch" => DialectName::JsonPatch,
            "memory" => DialectName::Memory,
            _ => return None,
        })
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            DialectName::At => "at",
            DialectName::Mvu => "mvu",
            DialectName::JsonPatch => "json_patch",
            DialectName::Memory => "memory",
        }
    }
}

/// Whether a write may create what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum CreateMissing {
    /// Yes or no.
    Always(bool),
    /// As another system does it.
    As(CreateMissingAs),
}

/// Whose rules decide what may be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreateMissingAs {
    /// MVU's: `set` needs an existing path, `insert` an existing container.
    AsMvu,
}

/// What happens when a value would change its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TypeChange {
    /// It changes, and a problem says so.
    Reported,
    /// It is refused.
    Refused,
    /// As MVU's classic mode.
    AsMvu,
    /// The schema decides.
    BySchema,
}

/// How an object is merged into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// Objects at any depth; lists are replaced.
    Deep,
    /// Objects at any depth; lists item by item.
    DeepByIndex,
    /// Only the outermost members.
    Shallow,
}

/// The result of a reply.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Applied {
    /// The id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub id: Option<Json>,
    /// The state after.
    pub state: Json,
    /// Every command and its result, in the order of the text.
    pub commands: Vec<AppliedCommand>,
    /// What really changed, as a JSON Patch (RFC 6902).
    pub change: Vec<ChangeOperation>,
    /// Problems, in the order of the text.
    pub problems: Vec<ReplyProblem>,
    /// MVU's schema tree for the next reply, where the request had one: new members and items are in it. Only with the
    /// profile `mvu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = JsonObject, required = false)]
    pub schema: Option<JsonObject>,
    /// What left the state for the archive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub archived: Vec<ArchivedEntries>,
}

/// Values that left a state for the archive.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"source": "summary.small", "name": "", "entries": {"day 1": "They met."}}))]
pub struct ArchivedEntries {
    /// Where they stood.
    pub source: String,
    /// Under which name they are kept, such as that of a world; empty where there is none.
    pub name: String,
    /// The values by their keys.
    #[schema(value_type = JsonObject)]
    pub entries: JsonObject,
}

/// A command and its result.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AppliedCommand {
    /// How it is written.
    pub dialect: DialectName,
    /// What was to be done, as the dialect names it.
    #[schema(example = "set")]
    pub name: String,
    /// The arguments: of a call each as the text that was written, of a patch operation the values of its members, null
    /// for one that is not there.
    #[schema(example = json!(["'yuki.affinity'", "40", "42"]))]
    pub args: Vec<Json>,
    /// Where it stands in the reply.
    pub span: Span,
    /// Its result.
    pub status: CommandStatus,
    /// Why it was refused, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "missing_path")]
    pub code: Option<String>,
    /// How it was repaired or why it was refused, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// Why the model wrote it, in its own words: the text behind `//`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "a good talk")]
    pub reason: Option<String>,
}

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandStatus {
    /// It was done.
    Applied,
    /// It was done after a repair.
    Repaired,
    /// It did nothing.
    Refused,
}

/// Where something stands in a reply: its first byte and the one behind its last, counted in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!([12, 43]))]
pub struct Span(pub usize, pub usize);

/// One operation of a change, as JSON Patch shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"op": "replace", "path": "/yuki/affinity", "value": 42}))]
pub struct ChangeOperation {
    /// What is done.
    pub op: ChangeVerb,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// The new value; not there when something is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub value: Option<Json>,
}

/// What an operation of a change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerb {
    /// Puts a value where none was, or in front of a list's item.
    Add,
    /// Takes a value away.
    Remove,
    /// Puts a value in the place of another.
    Replace,
}

/// A problem in a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"code": "stale_old_value", "message": "claimed 33, stored 40", "span": [12, 43]}))]
pub struct ReplyProblem {
    /// For programs; keeps its spelling.
    pub code: String,
    /// For people.
    pub message: String,
    /// Where in the reply.
    pub span: Span,
}
