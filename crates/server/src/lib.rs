//! Tavernkeep's HTTP server: routes, keys and roles, the API document and the pages that show it.
//!
//! ```no_run
//! # async fn run(runtime: tavernkeep_runtime::Runtime) -> std::io::Result<()> {
//! use tavernkeep_server::{App, Settings, serve};
//!
//! let settings = Settings::default();
//! let listener = tokio::net::TcpListener::bind(settings.listen).await?;
//! let app = App::new(settings, runtime).await.map_err(std::io::Error::other)?;
//! serve(listener, app, std::future::pending()).await
//! # }
//! ```
#![forbid(unsafe_code)]

mod app;
mod connection;
mod document;
mod error;
mod events;
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod http;
mod input;
mod output;
mod reserve;
mod routes;
mod serve;
mod settings;
mod upkeep;

pub use app::{App, Parts};
pub use document::openapi::readable;
pub use document::registry::RouteInfo;
pub use events::id::{InvalidEventId, event_id, parse_event_id};
pub use output::export::export_lines;
pub use output::wire;
pub use serve::serve;
pub use settings::{AuthMode, InvalidNetwork, Network, RequestLine, RequestLog, Settings};

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use error::ApiError;
use std::sync::Arc;
use tavernkeep_api::ErrorCode;

/// The router of a server.
pub fn router(app: &App) -> Router {
    let base = app.settings.base();
    let (routes, openapi, infos) = document::registry::assemble(routes::table());
    let document = document::openapi::finish(&openapi, &infos, &base);
    // Another router of the same app has written the same document already.
    let _ = app.document.set(document.to_string().into());

    let gate = Arc::new(gate::Gate::new(app.clone(), &infos));
    let routes = routes
        .route("/docs/", get(document::page::page))
        .route("/docs/{*file}", get(document::page::asset))
        .route("/console", get(document::console::slash))
        .route("/console/", get(document::console::page))
        .route("/console/{*file}", get(document::console::asset))
        .route("/home.css", get(routes::home::style))
        .with_state(app.clone());
    let routes = if base.is_empty() { routes } else { Router::new().nest(&base, routes) };
    routes.fallback(unknown_route).layer(from_fn_with_state(gate, gate::pass))
}

/// The API document, for tools.
pub fn openapi() -> serde_json::Value {
    let (_, openapi, infos) = document::registry::assemble(routes::table());
    document::openapi::finish(&openapi, &infos, "")
}

/// All routes with the role each one needs, from the same registration as router and document.
pub fn routes() -> Vec<RouteInfo> {
    document::registry::assemble(routes::table()).2
}

async fn unknown_route(request: Request) -> ApiError {
    let path = tavernkeep_runtime::input::excerpt(request.uri().path()).into_owned();
    let message = format!("no route {} {path}; /openapi.json lists all of them", request.method());
    ApiError::new(ErrorCode::RouteNotFound, message)
}
