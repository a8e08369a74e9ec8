//! Browsers: signing in with a key, which becomes a cookie, and signing out.

use super::prelude::*;
use crate::http::cookie;
use axum::http::HeaderMap;
use axum::http::header::{SET_COOKIE, USER_AGENT};
use tavernkeep_api::account as api;
use tavernkeep_runtime::record::Listed;

/// Days that a browser stays signed in if it does not say for how long.
const DAYS: i64 = 30;

/// Sign a browser in
///
/// The key becomes a cookie that scripts cannot read, that other sites cannot use, and that ends by itself. The secret
/// of the key is not kept in the browser. Revoking the key signs the browser out.
#[utoipa::path(post, path = "/sign-in", tag = "keys", operation_id = "sign_in", request_body = api::SignIn,
    responses((status = 200, description = "The browser; the cookie is set.", body = Data<api::Browser>,
        headers(("Set-Cookie" = String, description = "The cookie.")))))]
pub async fn sign_in(State(app): State<App>, headers: HeaderMap, Body(body): Body<api::SignIn>) -> ApiResult {
    let name = headers.get(USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or_default();
    let days = body.days.unwrap_or(DAYS);
    let Some((browser, token)) = app.runtime.sign_in(body.key.trim(), name, days).await? else {
        let message = "the key is unknown, revoked or expired, or its account is disabled";
        return Err(ApiError::new(ErrorCode::AuthInvalidCredentials, message));
    };
    let seconds = (browser.expires_at.unwrap_or_default() - browser.created_at) / 1000;
    let cookie = cookie::set(&app.settings, &token, seconds, cookie::over_tls(&headers))?;
    let id = browser.id.clone();
    let mut response = reply::ok(convert::browser(browser, Some(&id)))?;
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

/// Sign this browser out
///
/// Without a cookie nothing happens.
#[utoipa::path(post, path = "/sign-out", tag = "keys", operation_id = "sign_out",
    responses((status = 200, description = "It is signed out and the cookie is removed.", body = Data<Deleted>,
        headers(("Set-Cookie" = String, description = "Removes the cookie.")))))]
pub async fn sign_out(State(app): State<App>, caller: Authenticated, headers: HeaderMap) -> ApiResult {
    let browser = caller.0.signed_in_with.as_ref().and(caller.0.key.as_ref());
    if let Some(browser) = browser {
        app.runtime.sign_out(caller.account(), browser).await?;
    }
    let mut response = reply::deleted(browser.unwrap_or(caller.account()))?;
    response.headers_mut().insert(SET_COOKIE, cookie::remove(&app.settings, cookie::over_tls(&headers))?);
    Ok(response)
}

/// List the browsers that are signed in
///
/// An admin sees those of the account, others those of their own key.
#[utoipa::path(get, path = "/browsers", tag = "keys", operation_id = "list_browsers",
    params(WindowParams, api::BrowserOrder),
    responses((status = 200, description = "The list.", body = List<api::Browser>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let (column, window) = query.list(&["created_at"], false)?;
    let mut browsers = app.runtime.list_browsers(&caller.0).await?;
    if window.ascending {
        browsers.reverse();
    }
    let (offset, limit) =
        (usize::try_from(window.offset).unwrap_or(usize::MAX), usize::try_from(window.limit).unwrap_or(0));
    let listed = Listed {
        total: window.total.then(|| i64::try_from(browsers.len()).unwrap_or(i64::MAX)),
        has_more: browsers.len() > offset.saturating_add(limit),
        items: browsers.into_iter().skip(offset).take(limit).collect(),
    };
    reply::list(listed, &window, column, |browser| Ok(convert::browser(browser, caller.0.key.as_ref())))
}

/// Sign a browser out
///
/// From its next request on.
#[utoipa::path(delete, path = "/browsers/{id}", tag = "keys", operation_id = "sign_out_browser", params(IdPath),
    responses((status = 200, description = "It is signed out.", body = Data<Deleted>)))]
pub async fn sign_out_other(Writer(runtime, caller): Writer, PathId(id): PathId) -> ApiResult {
    runtime.sign_out(caller.account(), &id).await?;
    reply::deleted(&id)
}
