//! Variables: a key and a JSON value on one of five scopes.

use crate::json::Json;
use serde::{Deserialize, Serialize};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{
    AllOfBuilder, AnyOfBuilder, ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, Schema, Type,
};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// Where a variable lives. When a key is resolved, `page` wins over `floor`, `branch`, `chat` and `global`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole account.
    Global,
    /// One session.
    Chat,
    /// One branch of a session.
    Branch,
    /// One floor.
    Floor,
    /// One page.
    Page,
}

/// A branch, by session and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"session_id": "session-a", "branch_id": "alt-1"}))]
pub struct ScopeRef {
    /// The session.
    pub session_id: String,
    /// The branch, unescaped.
    pub branch_id: String,
}

/// A key and a value on a host.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "var_001", "scope": "branch", "scope_id": "branch:session-a:alt-1",
    "scope_ref": {"session_id": "session-a", "branch_id": "alt-1"},
    "key": "route", "value": "campfire", "updated_at": 1_735_689_600_000_i64
}))]
pub struct Variable {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// The kind of host.
    pub scope: Scope,
    /// The host: `global`, the id of a session, floor or page, or `branch:<session>:<branch>` with percent escapes.
    pub scope_id: String,
    /// The branch; only on branch variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ScopeRef, required = false)]
    pub scope_ref: Option<ScopeRef>,
    /// Its key.
    #[schema(min_length = 1, max_length = 512)]
    pub key: String,
    /// Its value.
    pub value: Json,
    /// When it was last written.
    pub updated_at: i64,
}

/// The address of a variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VariableTarget {
    /// The kind of host.
    pub scope: Scope,
    /// The host; needed unless the scope is `branch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// The session of a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_id: Option<String>,
    /// The key.
    pub key: String,
}

/// A value to put on a target.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VariableWrite {
    /// Where.
    #[serde(flatten)]
    pub target: VariableTarget,
    /// What.
    pub value: Json,
}

/// A number to add to a variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Increment {
    /// Where.
    #[serde(flatten)]
    pub target: VariableTarget,
    /// How much; default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Json>,
    /// What an absent variable counts as; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Json>,
}

/// Values to put on many targets, all or none.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableBatch {
    /// The writes; each target once.
    #[schema(min_items = 1, max_items = 100)]
    pub items: Vec<VariableWrite>,
}

/// Which variables to delete: by `ids` or by `items`, not both.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VariableDeletion {
    /// By id.
    Ids {
        /// The ids.
        ids: Vec<String>,
    },
    /// By address.
    Items {
        /// The addresses.
        items: Vec<VariableTarget>,
    },
}

/// How parts of a value change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"patch": [{"op": "replace", "path": "/level", "value": 4}]}))]
pub struct VariablePatch {
    /// The operations of RFC 6902, in their order.
    #[schema(max_items = 1000)]
    pub patch: Vec<PatchOperation>,
}

/// One operation of JSON Patch. `add`, `replace` and `test` need `value`, `move` and `copy` need `from`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PatchOperation {
    /// What to do.
    pub op: PatchOp,
    /// Where: a JSON Pointer.
    #[schema(pattern = "^(/([^~/]|~[01])*)*$")]
    pub path: String,
    /// From where: a JSON Pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(/([^~/]|~[01])*)*$")]
    pub from: Option<String>,
    /// What with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub value: Option<Json>,
}

/// What an operation of JSON Patch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatchOp {
    /// Puts a value into an object or list.
    Add,
    /// Takes a value away.
    Remove,
    /// Puts another value in the place of one.
    Replace,
    /// Takes a value away and puts it elsewhere.
    Move,
    /// Puts a value elsewhere too.
    Copy,
    /// Goes on only if the value is this one.
    Test,
}

/// The response to a batch of writes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableBatchDone {
    /// One row per item, in their order.
    pub results: Vec<VariableDone>,
    /// Totals.
    pub meta: VariableBatchMeta,
}

/// What one item of a batch did.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableDone {
    /// The item's place in the request.
    #[schema(minimum = 0)]
    pub index: usize,
    /// Whether it made the variable or changed it.
    pub action: VariableAction,
    /// The variable as it is now.
    pub data: Variable,
}

/// Whether a write made the variable or changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VariableAction {
    /// It is new.
    Created,
    /// It existed.
    Updated,
}

/// Totals of a batch of writes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"total": 2, "created": 1, "updated": 1}))]
pub struct VariableBatchMeta {
    /// All items.
    #[schema(minimum = 1)]
    pub total: usize,
    /// How many are new.
    #[schema(minimum = 0)]
    pub created: usize,
    /// How many existed.
    #[schema(minimum = 0)]
    pub updated: usize,
}

/// The response to a deletion of many variables.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariablesDeleted {
    /// One row per item, in their order.
    pub results: Vec<VariableGone>,
    /// Totals.
    pub meta: crate::envelope::DeletedMeta,
}

/// What one item of a deletion did.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VariableGone {
    /// The item's place in the request.
    #[schema(minimum = 0)]
    pub index: usize,
    /// The variable that was deleted, null when there was none.
    #[schema(required = true)]
    pub id: Option<String>,
    /// Whether it existed.
    pub deleted: bool,
}

/// Which variables a list covers. All filters must fit.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VariableFilter {
    /// Only this scope.
    #[param(inline)]
    pub scope: Option<Scope>,
    /// Only this host. With `scope=branch` it has the form `branch:<session>:<branch>`.
    pub scope_id: Option<String>,
    /// With `scope=branch`: only branches of this session. With any other scope it is refused.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub session_id: Option<String>,
    /// With `scope=branch` and `session_id`: only this branch.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
    /// Only this key.
    #[param(min_length = 1, max_length = 512)]
    pub key: Option<String>,
    /// Only what was written at this time or later.
    #[param(minimum = 0, maximum = 9007199254740991_i64)]
    pub updated_since: Option<i64>,
}

crate::list::list_order!(VariableOrder, VariableSort, "variables", "updated_at" "desc",
    /// By the time of the last write.
    UpdatedAt,
    /// By the bytes of the key.
    Key
);

/// Which keys a read covers.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query, style = Form)]
pub struct KeyFilter {
    /// Only these keys. Repeat the parameter, once per key (`keys=gold&keys=mood`): a comma is an ordinary character.
    #[param(explode = true, max_items = 100)]
    pub keys: Option<Vec<String>>,
    /// Only keys that start with this text.
    #[param(max_length = 512)]
    pub prefix: Option<String>,
}

/// The address of a variable, as parameters.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TargetParams {
    /// The kind of host.
    #[param(inline)]
    pub scope: Scope,
    /// The host; needed unless `scope=branch` comes with `session_id` and `branch_id`.
    pub scope_id: Option<String>,
    /// The session of a branch.
    #[param(min_length = 1)]
    pub session_id: Option<String>,
    /// The branch.
    #[param(min_length = 1)]
    pub branch_id: Option<String>,
    /// The key.
    #[param(min_length = 1, max_length = 512)]
    pub key: String,
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn key() -> ObjectBuilder {
    text().min_length(Some(1)).max_length(Some(512)).description(Some("The key: text of 1 to 512 bytes."))
}

impl PartialSchema for VariableTarget {
    /// A target has three spellings.
    fn schema() -> RefOr<Schema> {
        const ESCAPED: &str =
            "^branch:(?:[A-Za-z0-9._~-]|%[0-7][0-9A-Fa-f])+:(?:[A-Za-z0-9._~!*'()-]|%[0-7][0-9A-Fa-f])+$";
        let variant = |title: &str, scopes: &[&str]| {
            ObjectBuilder::new()
                .schema_type(Type::Object)
                .title(Some(title))
                .property("scope", text().enum_values(Some(scopes.iter().copied())))
                .required("scope")
        };
        let on_host = variant("OnHost", &["global", "chat", "floor", "page"])
            .property(
                "scope_id",
                text().description(Some("The id of the session, floor or page; anything for `global`.")),
            )
            .required("scope_id");
        let on_branch = variant("OnBranch", &["branch"])
            .property("session_id", text().min_length(Some(1)).description(Some("The session.")))
            .required("session_id")
            .property("branch_id", text().min_length(Some(1)).description(Some("The branch, unescaped.")))
            .required("branch_id");
        let by_scope_id = variant("OnBranchByScopeId", &["branch"])
            .property(
                "scope_id",
                text().pattern(Some(ESCAPED)).description(Some("`branch:<session>:<branch>`, escaped.")),
            )
            .required("scope_id");
        [on_host, on_branch, by_scope_id]
            .into_iter()
            .fold(AnyOfBuilder::new().description(Some("The address of a variable.")), |any, variant| {
                any.item(variant.property("key", key()).required("key"))
            })
            .into()
    }
}

impl ToSchema for VariableTarget {}

/// A target and what else a request says about it.
fn with_target(description: &str, example: serde_json::Value, fields: ObjectBuilder) -> RefOr<Schema> {
    AllOfBuilder::new()
        .item(Ref::from_schema_name(VariableTarget::name()))
        .item(fields)
        .description(Some(description))
        .examples([example])
        .into()
}

impl PartialSchema for VariableWrite {
    fn schema() -> RefOr<Schema> {
        let example = serde_json::json!({"scope": "global", "scope_id": "global", "key": "theme", "value": "night"});
        let value = ObjectBuilder::new().property("value", Ref::from_schema_name(Json::name())).required("value");
        with_target("A value to put on a target.", example, value)
    }
}

impl ToSchema for VariableWrite {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Json::name().into_owned(), Json::schema()));
        schemas.push((VariableTarget::name().into_owned(), VariableTarget::schema()));
    }
}

impl PartialSchema for Increment {
    fn schema() -> RefOr<Schema> {
        let example = serde_json::json!({"scope": "global", "scope_id": "global", "key": "visits", "by": 1});
        let numbers = ObjectBuilder::new()
            .property("by", crate::json::number("How much to add.", 1))
            .property("initial", crate::json::number("What an absent variable counts as.", 0));
        with_target("A number to add to a variable.", example, numbers)
    }
}

impl ToSchema for Increment {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((VariableTarget::name().into_owned(), VariableTarget::schema()));
    }
}

impl PartialSchema for VariableDeletion {
    fn schema() -> RefOr<Schema> {
        let targets = ArrayBuilder::new()
            .items(Ref::from_schema_name(VariableTarget::name()))
            .min_items(Some(1))
            .max_items(Some(100));
        OneOfBuilder::new()
            .description(Some("Which variables to delete: by `ids` or by `items`, not both."))
            .item(
                ObjectBuilder::new().schema_type(Type::Object).property("ids", crate::list::id_list()).required("ids"),
            )
            .item(ObjectBuilder::new().schema_type(Type::Object).property("items", targets).required("items"))
            .into()
    }
}

impl ToSchema for VariableDeletion {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((VariableTarget::name().into_owned(), VariableTarget::schema()));
    }
}

/// The conditions of a write: the headers `If-Match` and `If-None-Match`.
#[derive(Debug, Clone, Copy)]
pub struct WriteConditions;

impl IntoParams for WriteConditions {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let star = || text().enum_values(Some(["*"]));
        let tag = text().pattern(Some(r#"^"[0-9]{1,18}"$"#));
        let header = |name: &str, description: &str| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some(description))
        };
        let if_match = header(
            "If-Match",
            "`*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`.",
        );
        let if_none_match = header("If-None-Match", "`*`: only if the variable does not exist. Otherwise `412`.");
        vec![
            if_match.schema(Some(AnyOfBuilder::new().item(star()).item(tag))).build(),
            if_none_match.schema(Some(star())).build(),
        ]
    }
}
