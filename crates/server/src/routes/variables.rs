//! Single variables: put, list, read, delete, count up.

use super::prelude::*;
use crate::input::target;
use crate::output::cache::{self, CachedResponse};
use crate::output::render;
use crate::output::reply::tagged;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use std::borrow::Cow;
use tavernkeep_api::variable as api;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::json_patch::{Malformed, Patch};
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_engine::scope::{GLOBAL_SCOPE_ID, Scope, decode_branch};
use tavernkeep_runtime::input::Fields;
use tavernkeep_runtime::order::{Increment, Write};
use tavernkeep_runtime::record::{Action, Condition, Host, Region, Target, Variable, VariableQuery, VariableSort};

/// The latest time that every client's numbers can hold.
const SAFE_TIME_MAX: i64 = 9_007_199_254_740_991;

/// Set a variable
///
/// Creates the variable or replaces its value. The host must exist; a floor that is generating or committed is locked.
#[utoipa::path(put, path = "/variables", tag = "variables", operation_id = "put_variable",
    params(api::WriteConditions), request_body = api::VariableWrite,
    responses(
        (status = 200, description = "The variable was there and has the new value.", body = Data<api::Variable>,
            headers(("ETag" = String, description = "For `If-Match`."))),
        (status = 201, description = "The variable is new.", body = Data<api::Variable>,
            headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn put(
    Writer(runtime, caller): Writer,
    WriteCondition(condition): WriteCondition,
    JsonBody(body): JsonBody,
) -> ApiResult {
    let write = read_write(&body, condition)?;
    let mut done = runtime.put_variables(caller.account(), vec![write]).await?;
    let (action, variable) = done.pop().ok_or_else(|| ApiError::internal("a write was not answered"))?;
    Ok(answer(action, &variable))
}

/// List variables
///
/// All filters must fit. `session_id` and `branch_id` are only for `scope=branch`.
#[utoipa::path(get, path = "/variables", tag = "variables", operation_id = "list_variables",
    params(api::VariableFilter, api::VariableOrder, api::KeyFilter, WindowParams),
    responses((status = 200, description = "The list.", body = List<api::Variable>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, RawQuery(raw): RawQuery) -> ApiResult {
    let account = caller.account();
    let key = cache::cache_key("list", account, raw.as_deref());
    if let Some(kept) = app.cache.valid(&app.runtime, account, &key).await {
        return Ok(reply::json(StatusCode::OK, kept.body));
    }
    let (asked, sort_by) = read_list(Query::parse(raw.as_deref().unwrap_or_default())?)?;
    let window = asked.window;
    // A list of one session's variables holds as long as the session's clock stands still, as resolve does; a wider one
    // as long as nothing happens in the account.
    let session = session_of(&asked.region).cloned();
    let stamp = cache::stamp(&app.runtime, account, session.as_ref()).await.ok().flatten();
    let listed = app.runtime.variables(account, asked).await?;
    let body = Bytes::from(render::list(&listed, &window, sort_by));
    if let Some(stamp) = stamp {
        app.cache.put(key, CachedResponse { session, stamp, body: body.clone() });
    }
    Ok(reply::json(StatusCode::OK, body))
}

/// The session of a region, if its address names one.
fn session_of(region: &Region) -> Option<&Id> {
    match region {
        Region::BranchesOf(session) => Some(session),
        Region::Hosts(hosts) => match hosts.as_slice() {
            [Host::Chat(session) | Host::Branch(session, _)] => Some(session),
            _ => None,
        },
        Region::Account | Region::Scope(_) => None,
    }
}

/// Read a variable
#[utoipa::path(get, path = "/variables/{id}", tag = "variables", operation_id = "get_variable", params(IdPath),
    responses((status = 200, description = "The variable.", body = Data<api::Variable>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId) -> ApiResult {
    let variable = app.runtime.variable(caller.account(), &id).await?;
    Ok(tagged(StatusCode::OK, render::one(&variable), etag(variable.revision)))
}

/// Patch a variable
///
/// Changes parts of its value by JSON Patch (RFC 6902), all operations or none.
#[utoipa::path(patch, path = "/variables/{id}", tag = "variables", operation_id = "patch_variable",
    params(IdPath, api::WriteConditions), request_body = api::VariablePatch,
    responses((status = 200, description = "The variable with its new value.", body = Data<api::Variable>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn patch(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    JsonBody(body): JsonBody,
) -> ApiResult {
    let patch = read_patch(&body)?;
    let variable = runtime.patch_variable(caller.account(), &id, patch, condition).await?;
    Ok(answer(Action::Updated, &variable))
}

/// Delete a variable
#[utoipa::path(delete, path = "/variables/{id}", tag = "variables", operation_id = "delete_variable",
    params(IdPath, api::WriteConditions),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
) -> ApiResult {
    let id = runtime.delete_variable(caller.account(), &id, condition).await?;
    reply::deleted(&id)
}

/// Delete a variable by its address
#[utoipa::path(delete, path = "/variables", tag = "variables", operation_id = "delete_variable_by_target",
    params(api::TargetParams, api::WriteConditions),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete_target(
    Writer(runtime, caller): Writer,
    WriteCondition(condition): WriteCondition,
    query: Query,
) -> ApiResult {
    let target = target::query(query)?;
    let id = runtime.delete_target(caller.account(), target, condition).await?;
    reply::deleted(&id)
}

/// Count a variable up
///
/// Adds `by` in one step that no other writer can come between. An absent variable counts as `initial`.
#[utoipa::path(post, path = "/variables/increment", tag = "variables", operation_id = "increment_variable",
    params(api::WriteConditions), request_body = api::Increment,
    responses(
        (status = 200, description = "The variable was there and has the sum.", body = Data<api::Variable>,
            headers(("ETag" = String, description = "For `If-Match`."))),
        (status = 201, description = "The variable is new.", body = Data<api::Variable>,
            headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn increment(
    Writer(runtime, caller): Writer,
    WriteCondition(condition): WriteCondition,
    JsonBody(body): JsonBody,
) -> ApiResult {
    let order = read_increment(&body, condition)?;
    let (action, variable) = runtime.increment(caller.account(), order).await?;
    Ok(answer(action, &variable))
}

fn answer(action: Action, variable: &Variable) -> Response {
    let status = match action {
        Action::Created => StatusCode::CREATED,
        Action::Updated => StatusCode::OK,
    };
    tagged(status, render::one(variable), etag(variable.revision))
}

fn read_patch(body: &JsonText) -> Result<Patch, ApiError> {
    let mut fields = Fields::body(body)?.open();
    fields.need("patch");
    let Some(patch) = fields.get("patch") else { return Err(fields.refuse()) };
    fields.finish()?;
    Patch::read(patch)
        .map_err(|Malformed { place, message }| ApiError::invalid(format!("/patch{place}"), "custom", message))
}

fn read_write(body: &JsonText, condition: Condition) -> Result<Write, ApiError> {
    let mut fields = Fields::body(body)?.open();
    let target = target::fields(&mut fields);
    let value = fields.value("value")?;
    let (Some((address, key)), Some(value)) = (target, value) else { return Err(fields.refuse()) };
    fields.finish()?;
    let host = address.locate()?.host()?;
    Ok(Write { target: Target { host, key }, value, condition })
}

fn read_increment(body: &JsonText, condition: Condition) -> Result<Increment, ApiError> {
    let mut fields = Fields::body(body)?.open();
    let target = target::fields(&mut fields);
    let by = fields.number("by").unwrap_or_else(|| JsonText::from_i64(1));
    let initial = fields.number("initial").unwrap_or_else(|| JsonText::from_i64(0));
    let Some((address, key)) = target else { return Err(fields.refuse()) };
    fields.finish()?;
    let host = address.locate()?.host()?;
    Ok(Increment { target: Target { host, key }, by, initial, condition })
}

fn read_list(mut query: Query) -> Result<(VariableQuery, &'static str), ApiError> {
    let scope = query.choice("scope", &target::SCOPES);
    let scope_id = query.get("scope_id");
    let session_id = query.id("session_id");
    let branch_id = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let keys = query.keys(true);
    let updated_since = query.integer("updated_since", 0, SAFE_TIME_MAX);
    let (column, window) = query.list(&["updated_at", "key"], false)?;

    if scope != Some(Scope::Branch) && (session_id.is_some() || branch_id.is_some()) {
        let message = "session_id and branch_id are only supported when scope is 'branch'";
        return Err(ApiError::invalid("scope", "custom", message));
    }
    if branch_id.is_some() && session_id.is_none() {
        let message = "session_id is required when branch_id is provided";
        return Err(ApiError::invalid("session_id", "custom", message));
    }
    let region = match (scope, scope_id) {
        (None, None) => Region::Account,
        (None, Some(scope_id)) => Region::Hosts(hosts_called(&scope_id)),
        (Some(Scope::Branch), Some(scope_id)) => {
            let Some((session, branch)) = decode_branch(&scope_id) else {
                return Err(ApiError::new(
                    ErrorCode::InvalidVariableContext,
                    format!("Invalid branch scope_id '{}'", tavernkeep_runtime::input::excerpt(&scope_id)),
                ));
            };
            if session_id.is_some_and(|id| id.as_str() != session) || branch_id.is_some_and(|id| id != branch) {
                let message = "scope_id does not match the provided session_id + branch_id";
                return Err(ApiError::invalid("scope_id", "custom", message));
            }
            Region::Hosts(session.parse().ok().map(|session| Host::Branch(session, branch)).into_iter().collect())
        }
        (Some(Scope::Branch), None) => match (session_id, branch_id) {
            (Some(session), Some(branch)) => Region::Hosts(vec![Host::Branch(session, branch)]),
            (Some(session), None) => Region::BranchesOf(session),
            _ => Region::Scope(Scope::Branch),
        },
        (Some(scope), None) => Region::Scope(scope),
        (Some(scope), Some(scope_id)) => {
            let address =
                target::Address { scope, scope_id: Some(Cow::Owned(scope_id)), session_id: None, branch_id: None };
            Region::Hosts(address.locate()?.host().into_iter().collect())
        }
    };
    let sort = if column == "key" { VariableSort::Key } else { VariableSort::UpdatedAt };
    Ok((VariableQuery { region, keys, updated_since, sort, window }, column))
}

/// All hosts that have this `scope_id`, whatever their scope.
fn hosts_called(scope_id: &str) -> Vec<Host> {
    let mut hosts = Vec::new();
    if scope_id == GLOBAL_SCOPE_ID {
        hosts.push(Host::Global);
    }
    if let Ok(id) = scope_id.parse::<Id>() {
        hosts.extend([Host::Chat(id.clone()), Host::Floor(id.clone()), Host::Page(id)]);
    }
    if let Some((session, branch)) = decode_branch(scope_id)
        && let Ok(session) = session.parse()
    {
        hosts.push(Host::Branch(session, branch));
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(raw: &str) -> Result<Region, (ErrorCode, String)> {
        let list = read_list(Query::parse(raw).unwrap());
        list.map(|(query, _)| query.region).map_err(|error| {
            (error.code(), error.details().first().map(|detail| detail.path.clone()).unwrap_or_default())
        })
    }

    #[test]
    fn filters_name_a_region() {
        let branch = || Host::Branch("S".parse().unwrap(), "b".into());
        assert_eq!(region(""), Ok(Region::Account));
        assert_eq!(region("scope=branch"), Ok(Region::Scope(Scope::Branch)));
        assert_eq!(region("scope=branch&session_id=S&branch_id=b"), Ok(Region::Hosts(vec![branch()])));
        assert_eq!(region("scope=branch&scope_id=branch:S:b"), Ok(Region::Hosts(vec![branch()])));
        assert_eq!(region("scope=branch&session_id=S"), Ok(Region::BranchesOf("S".parse().unwrap())));
        assert_eq!(region("scope=global&scope_id=whatever"), Ok(Region::Hosts(vec![Host::Global])));
        assert_eq!(region("scope=chat&scope_id=a%20b"), Ok(Region::Hosts(vec![])));
        let id = || "S".parse().unwrap();
        assert_eq!(
            region("scope_id=S"),
            Ok(Region::Hosts(vec![Host::Chat(id()), Host::Floor(id()), Host::Page(id())]))
        );
    }
}
