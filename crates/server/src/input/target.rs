//! Finds the host that a request addresses by `scope`, `scope_id`, `session_id` and `branch_id`.
//!
//! ```text
//! global             scope_id, whatever it says
//! chat, floor, page  scope_id
//! branch             scope_id "branch:<session>:<branch>", or session_id + branch_id, or both if they agree
//! ```

use crate::error::ApiError;
use crate::input::query::Query;
use std::borrow::Cow;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::KEY_BYTES_MAX;
use tavernkeep_engine::scope::{Scope, decode_branch};
use tavernkeep_runtime::input::{Fields, excerpt};
use tavernkeep_runtime::record::{Host, Target};

/// The names of all scopes.
pub(crate) const SCOPES: [&str; 5] = ["global", "chat", "branch", "floor", "page"];

/// The address of a host in a request.
#[derive(Debug, Clone)]
pub(crate) struct Address<'a> {
    pub scope: Scope,
    pub scope_id: Option<Cow<'a, str>>,
    pub session_id: Option<Cow<'a, str>>,
    pub branch_id: Option<Cow<'a, str>>,
}

/// The host of an address.
#[derive(Debug)]
pub(crate) enum Located {
    /// A host that may exist.
    Host(Host),
    /// A host that cannot exist, because its id is not valid: the error is the same as for one that does not exist.
    Unknown(ApiError),
}

/// Fields that do not fit together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AddressError {
    /// The wrong field.
    pub field: &'static str,
    /// What is wrong.
    pub message: String,
}

impl AddressError {
    fn new(field: &'static str, message: impl Into<String>) -> Self {
        AddressError { field, message: message.into() }
    }

    /// The error, at a place that the caller names.
    pub(crate) fn refuse(self, path: impl Into<String>) -> ApiError {
        ApiError::invalid(path, "custom", self.message)
    }
}

impl From<AddressError> for ApiError {
    fn from(error: AddressError) -> Self {
        let field = error.field;
        error.refuse(field)
    }
}

impl Located {
    /// The host, or the error that it does not exist.
    pub(crate) fn host(self) -> Result<Host, ApiError> {
        match self {
            Located::Host(host) => Ok(host),
            Located::Unknown(error) => Err(error),
        }
    }
}

impl Address<'_> {
    /// Finds the host.
    pub(crate) fn locate(&self) -> Result<Located, AddressError> {
        if self.scope == Scope::Branch {
            return self.branch();
        }
        let scope = self.scope.as_str();
        if self.session_id.is_some() || self.branch_id.is_some() {
            let field = if self.session_id.is_some() { "session_id" } else { "branch_id" };
            return Err(AddressError::new(field, "session_id and branch_id are only supported when scope is 'branch'"));
        }
        let Some(scope_id) = &self.scope_id else {
            return Err(AddressError::new("scope_id", format!("scope_id is required when scope is '{scope}'")));
        };
        Ok(match self.scope {
            Scope::Chat => host("Session", scope_id, Host::Chat),
            Scope::Floor => host("Floor", scope_id, Host::Floor),
            Scope::Page => host("Page", scope_id, Host::Page),
            Scope::Global | Scope::Branch => Located::Host(Host::Global),
        })
    }

    fn branch(&self) -> Result<Located, AddressError> {
        let named = match (&self.session_id, &self.branch_id) {
            (Some(session), Some(branch)) => Some((session.as_ref(), branch.as_ref())),
            (None, None) => None,
            (None, Some(_)) => {
                return Err(AddressError::new("session_id", "session_id is required when branch_id is provided"));
            }
            (Some(_), None) => {
                return Err(AddressError::new("branch_id", "branch_id is required when session_id is provided"));
            }
        };
        let Some(scope_id) = &self.scope_id else {
            return match named {
                Some((session, branch)) => Ok(on_branch(session, branch)),
                None => Err(AddressError::new(
                    "scope_id",
                    "scope_id or session_id + branch_id is required when scope is 'branch'",
                )),
            };
        };
        let Some((session, branch)) = decode_branch(scope_id) else {
            return Err(AddressError::new("scope_id", format!("Invalid branch scope_id '{}'", excerpt(scope_id))));
        };
        if named.is_some_and(|named| named != (session.as_str(), branch.as_str())) {
            return Err(AddressError::new("scope_id", "scope_id does not match the provided session_id + branch_id"));
        }
        Ok(on_branch(&session, &branch))
    }
}

/// Reads the target of one item of a body. `None` means that the problems of `fields` say why.
pub(crate) fn fields<'a>(fields: &mut Fields<'a>) -> Option<(Address<'a>, tavernkeep_engine::key::Key)> {
    fields.need("scope");
    let scope = fields.choice("scope", &SCOPES);
    let scope_id = fields.text("scope_id", 0, usize::MAX);
    let session_id = fields.text("session_id", 1, usize::MAX);
    let branch_id = fields.text("branch_id", 1, usize::MAX);
    fields.need("key");
    let key = fields.key("key");
    Some((Address { scope: scope?, scope_id, session_id, branch_id }, key?))
}

/// Reads a target from the query string.
pub(crate) fn query(mut query: Query) -> Result<Target, ApiError> {
    let scope = query.need("scope").and_then(|text| {
        let scope = text.parse().ok();
        if scope.is_none() {
            query.problems.choice("/scope".into(), &SCOPES);
        }
        scope
    });
    let scope_id = query.get("scope_id").map(Cow::Owned);
    let session_id = query.text("session_id", 1, usize::MAX).map(Cow::Owned);
    let branch_id = query.text("branch_id", 1, usize::MAX).map(Cow::Owned);
    let key = query.need("key").and_then(|text| {
        query.problems.length(|| "/key".into(), &text, 1, KEY_BYTES_MAX);
        text.parse().ok()
    });
    let (Some(scope), Some(key)) = (scope, key) else { return Err(query.problems.refuse()) };
    query.finish()?;
    let host = Address { scope, scope_id, session_id, branch_id }.locate()?.host()?;
    Ok(Target { host, key })
}

fn host(what: &str, id: &str, make: impl FnOnce(Id) -> Host) -> Located {
    match id.parse() {
        Ok(id) => Located::Host(make(id)),
        Err(_) => unknown(format!("{what} '{}' not found", excerpt(id))),
    }
}

fn on_branch(session: &str, branch: &str) -> Located {
    match session.parse() {
        Ok(id) => Located::Host(Host::Branch(id, branch.to_owned())),
        Err(_) => unknown(format!("Branch '{}' not found in session '{}'", excerpt(branch), excerpt(session))),
    }
}

fn unknown(message: String) -> Located {
    Located::Unknown(ApiError::new(ErrorCode::VariableHostNotFound, message))
}
