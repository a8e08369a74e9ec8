//! Authentication: which account and role a request has.

use crate::error::ApiError;
use crate::http::cookie;
use crate::settings::{AuthMode, Settings};
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::{Caller, Runtime};

/// How long "there are no keys" stays cached for requests without a key. The command line, or another server on the same
/// database, may have created the first key meanwhile; a request with a key is always checked.
const RECHECK: Duration = Duration::from_millis(100);
const NEVER: u64 = u64::MAX;

/// The caller of an authenticated request.
#[derive(Debug, Clone)]
pub(crate) struct Authenticated(pub Arc<Caller>);

impl Authenticated {
    pub(crate) fn account(&self) -> &Id {
        &self.0.account
    }
}

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Authenticated>().cloned();
        caller.ok_or_else(|| ApiError::internal("a handler of a public route needs a caller"))
    }
}

/// Authenticates requests.
#[derive(Debug)]
pub(crate) struct Auth {
    /// The caller of an open server; none if the settings never allow it to be open.
    everybody: Option<Authenticated>,
    /// Whether any key was ever created. Once true it stays true.
    keys_exist: AtomicBool,
    /// When that was last looked up and found false, in microseconds after the start.
    checked_us: AtomicU64,
    started: Instant,
    /// The name of the cookie of browsers that are signed in.
    cookie: String,
}

impl Auth {
    pub(crate) fn new(settings: &Settings, keys_exist: bool) -> Self {
        let may_be_open = settings.auth == AuthMode::Auto && settings.loopback();
        let caller =
            |account| Caller { account, role: Role::Admin, account_disabled: false, key: None, signed_in_with: None };
        let everybody = may_be_open.then(|| Authenticated(Arc::new(caller(Runtime::default_account()))));
        let (keys_exist, checked_us) = (AtomicBool::new(keys_exist), AtomicU64::new(NEVER));
        Auth { everybody, keys_exist, checked_us, started: Instant::now(), cookie: cookie::name(settings) }
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(NEVER)
    }

    /// Finds the caller of a request and checks that it has the role `needed`.
    pub(crate) async fn admit(
        &self,
        runtime: &Runtime,
        headers: &HeaderMap,
        needed: Role,
    ) -> Result<Authenticated, ApiError> {
        let secret = self.secret(headers);
        let trust = if secret.is_some() { Duration::ZERO } else { RECHECK };
        if let Some(everybody) = self.open_caller(runtime, trust).await? {
            return Ok(everybody.clone());
        }
        let Some(secret) = secret else {
            let message = "a key is needed; send Authorization: Bearer <key> or x-api-key: <key>, or sign in";
            return Err(ApiError::new(ErrorCode::AuthRequired, message));
        };
        let caller = match secret {
            Some(secret) => runtime.authenticate(secret).await?,
            None => None,
        };
        let Some(caller) = caller else {
            if key_in(headers).is_none() {
                return Err(ApiError::new(ErrorCode::AuthRequired, "this browser is not signed in any more; sign in"));
            }
            return Err(ApiError::new(ErrorCode::AuthInvalidCredentials, "the key is unknown, revoked or expired"));
        };
        check_role(&caller, needed)?;
        Ok(Authenticated(Arc::new(caller)))
    }

    /// The secret in the headers, or else in the cookie. The inner `None` is a credential that cannot be one of ours.
    pub(crate) fn secret<'a>(&self, headers: &'a HeaderMap) -> Option<Option<&'a str>> {
        key_in(headers).or_else(|| cookie::find(headers, &self.cookie).map(Some))
    }

    /// Whether requests need no key.
    pub(crate) async fn open(&self, runtime: &Runtime) -> Result<bool, ApiError> {
        Ok(self.open_caller(runtime, Duration::ZERO).await?.is_some())
    }

    /// Whether a caller is still allowed: its key is still valid, or the server still needs none.
    pub(crate) async fn is_still_allowed(&self, runtime: &Runtime, caller: &Authenticated) -> Result<bool, ApiError> {
        match &caller.0.key {
            Some(key) => Ok(runtime.key_opens(caller.account(), key).await?),
            None => self.open(runtime).await,
        }
    }

    /// A key was created: from now on every request needs one.
    pub(crate) fn close(&self) {
        self.keys_exist.store(true, Ordering::Release);
    }

    /// The caller of requests without a key, while there are no keys. The answer is cached for the time `trust`.
    async fn open_caller(&self, runtime: &Runtime, trust: Duration) -> Result<Option<&Authenticated>, ApiError> {
        let Some(everybody) = &self.everybody else { return Ok(None) };
        if self.keys_exist.load(Ordering::Acquire) {
            return Ok(None);
        }
        let checked = self.checked_us.load(Ordering::Relaxed);
        let now = self.now_us();
        if checked == NEVER || u128::from(now.saturating_sub(checked)) >= trust.as_micros() {
            if runtime.keys_exist().await? {
                self.close();
                return Ok(None);
            }
            self.checked_us.store(now, Ordering::Relaxed);
        }
        Ok(Some(everybody))
    }
}

fn check_role(caller: &Caller, needed: Role) -> Result<(), ApiError> {
    if caller.account_disabled {
        return Err(ApiError::new(ErrorCode::AuthAccountDisabled, "the account of this key is disabled"));
    }
    if !caller.role.allows(needed) {
        return Err(ApiError::new(
            ErrorCode::AuthRoleInsufficient,
            format!("the key has the role '{}' and this needs '{needed}'", caller.role),
        ));
    }
    Ok(())
}

/// The secret of a key in the headers. The inner `None` is a credential that cannot be one of ours.
fn key_in(headers: &HeaderMap) -> Option<Option<&str>> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|text| {
            let (scheme, secret) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
        return Some(secret);
    }
    headers.get("x-api-key").map(|value| value.to_str().ok().map(str::trim))
}
