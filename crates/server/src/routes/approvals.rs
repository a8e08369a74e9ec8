//! Approvals: a person decides whether a tool runs and whether its result may be seen.

use super::calls::arguments;
use super::prelude::*;
use crate::input::path::PathIds;
use crate::output::tools::{approval, call, grant};
use tavernkeep_api::tool as api;
use tavernkeep_runtime::tools::VerdictOrder;

/// List pending approvals
///
/// The oldest first. They survive a restart; one that nobody decides about in time is rejected.
#[utoipa::path(get, path = "/sessions/{id}/approvals", tag = "tools", operation_id = "list_approvals",
    params(IdPath, WindowParams, api::ApprovalOrder),
    responses((status = 200, description = "The list.", body = List<api::Approval>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], true)?;
    let listed = app.runtime.approvals(caller.account(), &id, window).await?;
    reply::list(listed, &window, column, |(pending, details)| approval(&pending, &details))
}

/// List pending approvals of all sessions
///
/// The oldest first, each with its session.
#[utoipa::path(get, path = "/approvals", tag = "tools", operation_id = "list_all_approvals",
    params(WindowParams, api::ApprovalOrder),
    responses((status = 200, description = "The list.", body = List<api::Approval>)))]
pub async fn list_all(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], true)?;
    let listed = app.runtime.all_approvals(caller.account(), window).await?;
    reply::list(listed, &window, column, |(pending, details)| approval(&pending, &details))
}

/// Decide about an approval
///
/// An approved call runs at once, with the arguments that were approved; the response is the call. Deny rules count for edited arguments
/// too. A rejected result is deleted.
#[utoipa::path(post, path = "/approvals/{id}", tag = "tools", operation_id = "decide_approval", params(IdPath),
    request_body = api::Decision,
    responses((status = 200, description = "The call.", body = Data<api::Call>)))]
pub async fn decide(Writer(runtime, caller): Writer, PathId(id): PathId, Body(body): Body<api::Decision>) -> ApiResult {
    let order = VerdictOrder {
        approved: body.approved,
        reason: body.reason,
        scope: body.scope.map(shape::word).transpose()?.map(|Scope(scope)| scope),
        args: arguments(body.args)?,
        by: caller.0.key.as_ref().map(ToString::to_string),
    };
    let details = runtime.decide(caller.account(), &id, order).await?;
    reply::ok(call(&details)?)
}

/// List remembered decisions
///
/// Those of scope `session` and `always` that count in the session, the newest first.
#[utoipa::path(get, path = "/sessions/{id}/grants", tag = "tools", operation_id = "list_grants",
    params(IdPath, WindowParams, api::GrantOrder),
    responses((status = 200, description = "The list.", body = List<api::Grant>)))]
pub async fn grants(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], false)?;
    let listed = app.runtime.grants(caller.account(), &id, window).await?;
    reply::list(listed, &window, column, |found| grant(&found))
}

/// Revoke a remembered decision
///
/// The next such call asks again. A decision of scope `always` is revoked for all sessions.
#[utoipa::path(delete, path = "/sessions/{id}/grants/{grant_id}", tag = "tools", operation_id = "revoke_grant",
    params(api::GrantPath), responses((status = 200, description = "It is gone.", body = Data<api::RevokedGrant>)))]
pub async fn revoke(Writer(runtime, caller): Writer, PathIds([session, id]): PathIds<2>) -> ApiResult {
    runtime.revoke_grant(caller.account(), &session, &id).await?;
    reply::ok(api::RevokedGrant { id: id.to_string(), deleted: true })
}

struct Scope(tavernkeep_runtime::tools::ApprovalScope);

impl std::str::FromStr for Scope {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().map(Scope)
    }
}
