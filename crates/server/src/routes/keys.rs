//! The keys of an account.

use super::prelude::*;
use tavernkeep_api::account as api;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::order::NewKey;
use tavernkeep_runtime::record::Listed;

/// Create a key
///
/// The secret is shown only in this response. After the first key is created every request needs one; therefore the first
/// key must have the role `admin`.
#[utoipa::path(post, path = "/keys", tag = "keys", operation_id = "create_key", request_body = api::NewKey,
    responses((status = 201, description = "The new key with its secret.", body = Data<api::CreatedKey>)))]
pub async fn create(
    State(app): State<App>,
    Writer(runtime, caller): Writer,
    Body(body): Body<api::NewKey>,
) -> ApiResult {
    let new = new_key(body)?;
    if new.role != Role::Admin && app.auth.open(&app.runtime).await? {
        let message = "the first key must have the role 'admin', otherwise nobody could make another one";
        return Err(ApiError::new(ErrorCode::InvalidState, message));
    }
    let (key, secret) = runtime.create_key(caller.account(), new).await?;
    app.auth.close();
    reply::created(api::CreatedKey { key: convert::key(key), secret })
}

/// List keys
///
/// Revoked and expired ones too, never with their secrets.
#[utoipa::path(get, path = "/keys", tag = "keys", operation_id = "list_keys", params(WindowParams, api::KeyOrder),
    responses((status = 200, description = "The list.", body = List<api::Key>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], true)?;
    let mut keys = app.runtime.list_keys(caller.account()).await?;
    keys.sort_by(|left, right| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)));
    if !window.ascending {
        keys.reverse();
    }
    let (offset, limit) =
        (usize::try_from(window.offset).unwrap_or(usize::MAX), usize::try_from(window.limit).unwrap_or(0));
    let listed = Listed {
        total: window.total.then(|| i64::try_from(keys.len()).unwrap_or(i64::MAX)),
        has_more: keys.len() > offset.saturating_add(limit),
        items: keys.into_iter().skip(offset).take(limit).collect(),
    };
    reply::list(listed, &window, column, |key| Ok(convert::key(key)))
}

/// Revoke a key
///
/// It is invalid from now on and stays in the list with `revoked_at`.
#[utoipa::path(delete, path = "/keys/{id}", tag = "keys", operation_id = "revoke_key", params(IdPath),
    responses((status = 200, description = "It is revoked.", body = Data<Deleted>)))]
pub async fn revoke(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    let key = runtime.revoke_key(caller.account(), &id).await?;
    reply::deleted(&key.id)
}

fn new_key(new: api::NewKey) -> Result<NewKey, ApiError> {
    let now = tavernkeep_runtime::now_ms();
    if new.expires_at.is_some_and(|end| end <= now) {
        let message = format!("must be later than now, which is {now}; times are in ms since 1970");
        return Err(ApiError::invalid("/expires_at", "exclusiveMinimum", message));
    }
    Ok(NewKey { name: new.name, role: shape::word(new.role)?, expires_at: new.expires_at })
}
