//! The one registration from which router, API document and role checks come, so that none of them can miss a route.

use crate::app::App;
use crate::document::openapi;
use axum::Router;
use axum::http::Method;
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_api::{ErrorBody, ErrorCode};
use tavernkeep_engine::role::Role;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::Ref;
use utoipa::openapi::{OpenApi, RefOr};
use utoipa::{PartialSchema as _, ToSchema as _};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// A route, for tests and tools that walk all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    /// The method.
    pub method: Method,
    /// The template of the path, such as `/sessions/{id}`, without the base path.
    pub path: String,
    /// The weakest role that may use it; none if it needs no key.
    pub role: Option<Role>,
    /// The parameters its query string may have.
    pub query: Vec<String>,
    /// Whether it takes a body.
    pub body: bool,
}

impl RouteInfo {
    /// Whether fields and parameters that are not in the document are ignored: the routes of
    /// variables and of web pages do so, all others refuse them.
    pub fn is_open(&self) -> bool {
        (self.role.is_none() && self.method == Method::GET) || self.path.split('/').nth(1) == Some("variables")
    }
}

/// One route: who may use it, which errors are its own, and the handler.
pub(crate) struct Row {
    role: Option<Role>,
    errors: &'static [ErrorCode],
    routes: UtoipaMethodRouter<App>,
}

/// A route for callers with a role.
pub(crate) fn row(role: Role, errors: &'static [ErrorCode], routes: UtoipaMethodRouter<App>) -> Row {
    Row { role: Some(role), errors, routes }
}

/// A route that needs no key.
pub(crate) fn public(errors: &'static [ErrorCode], routes: UtoipaMethodRouter<App>) -> Row {
    Row { role: None, errors, routes }
}

/// Builds router, document and list of routes from the same rows.
pub(crate) fn assemble(rows: Vec<Row>) -> (Router<App>, OpenApi, Vec<RouteInfo>) {
    let mut router = OpenApiRouter::with_openapi(openapi::frame());
    let mut infos = Vec::with_capacity(rows.len());
    let mut responses = BTreeMap::new();
    for Row { role, errors, mut routes } in rows {
        for (path, item) in &mut routes.1.paths {
            for (method, operation) in operations(item) {
                describe(operation, &method, role, errors, &mut responses);
                let (query, body) = (parameters(operation), operation.request_body.is_some());
                infos.push(RouteInfo { method, path: path.clone(), role, query, body });
            }
        }
        router = router.routes(routes);
    }
    let (router, mut openapi) = router.split_for_parts();
    if let Some(components) = &mut openapi.components {
        let mut schemas = vec![(ErrorBody::name().into_owned(), ErrorBody::schema())];
        ErrorBody::schemas(&mut schemas);
        components.schemas.extend(schemas);
        components.responses.extend(responses);
    }
    (router, openapi, infos)
}

pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::PATCH, &mut item.patch),
        (Method::DELETE, &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The names that a query string may have.
fn parameters(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) if matches!(parameter.parameter_in, ParameterIn::Query) => Some(parameter.name.clone()),
        _ => None,
    });
    parameters.collect()
}

/// Whether a route writes. A route for readers with a body, such as a dry run, does not.
pub(crate) fn writes(method: &Method, role: Option<Role>) -> bool {
    method != Method::GET && role.is_some_and(|role| role != Role::Read)
}

/// Adds to an operation what follows from its registration: who may use it and how it can fail.
///
/// Operations share their error responses, which go to `responses`.
fn describe(
    operation: &mut Operation,
    method: &Method,
    role: Option<Role>,
    own: &[ErrorCode],
    responses: &mut BTreeMap<String, RefOr<Response>>,
) {
    if let Some(role) = role {
        let extension = ExtensionsBuilder::new().add("x-tavernkeep-role", role.as_str()).build();
        operation.extensions.get_or_insert_default().merge(extension);
    }
    // All others need one of the keys that the document names for all of them.
    operation.security = role.is_none().then(Vec::new);

    let mut codes = own.to_vec();
    let has_body = operation.request_body.is_some();
    if has_body {
        codes.push(ErrorCode::MalformedJson);
    }
    if has_body || operation.parameters.as_ref().is_some_and(|list| !list.is_empty()) {
        codes.push(ErrorCode::ValidationError);
    }
    if writes(method, role) {
        codes.push(ErrorCode::ValidationError);
        operation.parameters.get_or_insert_default().push(openapi::idempotency_key());
    }
    let mut refer = |status: String, name: Option<String>, codes: &[ErrorCode]| {
        let response = RefOr::T(error_response(codes));
        let response = match name {
            Some(name) => {
                let reference = Ref::new(format!("#/components/responses/{name}"));
                responses.insert(name, response);
                RefOr::Ref(reference)
            }
            None => response,
        };
        operation.responses.responses.insert(status, response);
    };
    let (name, general) = general_errors(method, role, has_body);
    refer("default".into(), Some(name.into()), &general);
    for status in codes.iter().map(|code| code.status()).collect::<BTreeSet<_>>() {
        // What a status can mean stands together, also if other routes have a part of it among the general errors.
        let all = ErrorCode::ALL.iter().filter(|code| codes.contains(code) || general.contains(code));
        let codes: Vec<_> = all.filter(|code| code.status() == status).copied().collect();
        refer(status.to_string(), response_name(&codes), &codes);
    }
}

/// The errors that a route has because of its role, its method and its body, whatever it does.
fn general_errors(method: &Method, role: Option<Role>, has_body: bool) -> (&'static str, Vec<ErrorCode>) {
    use ErrorCode as E;
    let writes = writes(method, role);
    let codes = ErrorCode::ALL.iter().copied().filter(|code| match code {
        E::HostNotAllowed | E::OriginNotAllowed | E::MalformedRequest | E::HeadTooLarge => true,
        E::InternalError | E::StoreUnavailable | E::RequestTimeout | E::Overloaded | E::StoreDamaged => true,
        E::AuthRequired | E::AuthInvalidCredentials | E::AuthAccountDisabled | E::AuthRoleInsufficient => {
            role.is_some()
        }
        E::PayloadTooLarge | E::UnsupportedMediaType => has_body,
        // A read needs no free space.
        E::StoreFull | E::IdempotencyKeyReused | E::ScriptsUnavailable | E::WritePending => writes,
        _ => false,
    });
    let name = match (role, writes, has_body) {
        (None, _, false) => "PublicError",
        (None, _, true) => "PublicErrorWithBody",
        (Some(_), true, false) => "WriteError",
        (Some(_), true, true) => "WriteErrorWithBody",
        (Some(_), false, false) => "ReadError",
        (Some(_), false, true) => "ReadErrorWithBody",
    };
    (name, codes.collect())
}

/// One code says here what it means. Of several, the schema `ErrorCode` says it, once for all responses.
fn error_response(codes: &[ErrorCode]) -> Response {
    let description = match codes {
        [code] => format!("{} `{}`: {}", code.status(), code.code(), code.description()),
        codes => {
            let statuses = codes.chunk_by(|left, right| left.status() == right.status());
            statuses.map(of_status).collect::<Vec<_>>().join("\n\n")
        }
    };
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

/// Such as ``404 `branch_not_found`, `page_not_found`.``
fn of_status(codes: &[ErrorCode]) -> String {
    let words: Vec<_> = codes.iter().map(|code| format!("`{}`", code.code())).collect();
    let status = codes.first().map_or(0, |code| code.status());
    format!("{status} {}.", words.join(", "))
}

/// The name under which operations share a response. More than three codes belong together in one operation only.
fn response_name(codes: &[ErrorCode]) -> Option<String> {
    match codes {
        [ErrorCode::ValidationError, ErrorCode::MalformedRequest] => Some("InvalidRequest".into()),
        [ErrorCode::ValidationError, ErrorCode::MalformedRequest, ErrorCode::MalformedJson] => {
            Some("InvalidBody".into())
        }
        codes if codes.len() <= 3 => Some(codes.iter().map(|code| format!("{code:?}")).collect::<Vec<_>>().join("Or")),
        _ => None,
    }
}
