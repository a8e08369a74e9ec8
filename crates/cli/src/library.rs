//! Where the function library is: in the database itself, or at a server.

use crate::output::Failure;
use crate::source::Source;
use reqwest::Method;
use serde_json::json;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_api::function::{Function, FunctionFile, FunctionPrompt, TestedFunctions};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::{FunctionPatch, FunctionScope};
use tavernkeep_runtime::record::{Condition, LibraryEntry};
use tavernkeep_server::wire;

/// Rows of a list that a server is asked for at once.
const ROWS_AT_ONCE: usize = 100;

impl Source {
    pub async fn library(&self, scope: &FunctionScope) -> Result<Vec<Function>, Failure> {
        let remote = match self {
            Source::Database(runtime, account) => return Ok(shown(runtime.library(account, scope.clone()).await?)),
            Source::Server(remote) => remote,
        };
        let mut functions: Vec<Function> = Vec::new();
        loop {
            let mut query = query(scope);
            query.push(("limit", Some(ROWS_AT_ONCE.to_string())));
            query.push(("offset", Some(functions.len().to_string())));
            let rows: Vec<Function> = remote.get(&["functions"], &query).await?;
            let is_last = rows.len() < ROWS_AT_ONCE;
            functions.extend(rows);
            if is_last {
                return Ok(functions);
            }
        }
    }

    pub async fn function(&self, scope: &FunctionScope, id: &Id) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                Ok(wire::function(runtime.function(account, scope.clone(), id).await?))
            }
            Source::Server(remote) => remote.get(&["functions", id.as_str()], &query(scope)).await,
        }
    }

    /// Creates a function, with the body of `POST /functions`.
    pub async fn create(&self, scope: &FunctionScope, body: &[u8]) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let order = wire::new_function(body).map_err(|error| described(&error))?;
                Ok(wire::function(runtime.create_function(account, scope.clone(), order).await?))
            }
            Source::Server(remote) => remote.send(Method::POST, &["functions"], &query(scope), body.to_vec()).await,
        }
    }

    /// Changes a function, with the body of `PATCH /functions/{id}`.
    pub async fn update(&self, scope: &FunctionScope, id: &Id, body: &[u8]) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let patch = wire::function_patch(body).map_err(|error| described(&error))?;
                let entry = runtime.update_function(account, scope.clone(), id, patch, Condition::None).await?;
                Ok(wire::function(entry))
            }
            Source::Server(remote) => {
                remote.send(Method::PATCH, &["functions", id.as_str()], &query(scope), body.to_vec()).await
            }
        }
    }

    pub async fn delete(&self, id: &Id) -> Result<(), Failure> {
        match self {
            Source::Database(runtime, account) => Ok(runtime.delete_function(account, id, Condition::None).await?),
            Source::Server(remote) => {
                let path = ["functions", id.as_str()];
                let _: serde_json::Value = remote.send(Method::DELETE, &path, &[], Vec::new()).await?;
                Ok(())
            }
        }
    }

    pub async fn reorder(&self, scope: &FunctionScope, ids: Vec<Id>) -> Result<Vec<Function>, Failure> {
        match self {
            Source::Database(runtime, account) => {
                Ok(shown(runtime.reorder_functions(account, scope.clone(), ids).await?))
            }
            Source::Server(remote) => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                let body = json!({ "ids": ids }).to_string().into();
                remote.send(Method::POST, &["functions", "reorder"], &query(scope), body).await
            }
        }
    }

    pub async fn copy(&self, id: &Id, to: FunctionScope, name: Option<String>) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                Ok(wire::function(runtime.copy_function(account, id, to, name).await?))
            }
            Source::Server(remote) => {
                let mut body = target(&to);
                if let Some(name) = name {
                    body["name"] = json!(name);
                }
                remote.send(Method::POST, &["functions", id.as_str(), "copy"], &[], body.to_string().into()).await
            }
        }
    }

    pub async fn move_to(&self, id: &Id, to: FunctionScope) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                Ok(wire::function(runtime.move_function(account, id, to, Condition::None).await?))
            }
            Source::Server(remote) => {
                let body = target(&to).to_string().into();
                remote.send(Method::POST, &["functions", id.as_str(), "move"], &[], body).await
            }
        }
    }

    /// Imports a file, given as its bytes.
    pub async fn import(&self, scope: &FunctionScope, file: &[u8]) -> Result<Vec<Function>, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let functions = wire::function_file(file).map_err(|error| described(&error))?;
                let imported = runtime.import_functions(account, scope.clone(), functions).await?;
                Ok(imported.into_iter().map(wire::imported_function).collect())
            }
            Source::Server(remote) => {
                remote.send(Method::POST, &["functions", "import"], &query(scope), file.to_vec()).await
            }
        }
    }

    /// A file of the named functions, or of all that authors wrote.
    pub async fn export(&self, scope: &FunctionScope, ids: Vec<Id>) -> Result<FunctionFile, Failure> {
        let ids = (!ids.is_empty()).then_some(ids);
        match self {
            Source::Database(runtime, account) => {
                let entries = runtime.exported_functions(account, scope.clone(), ids).await?;
                Ok(wire::written_functions(entries))
            }
            Source::Server(remote) => {
                let ids = ids.map(|ids| ids.iter().map(ToString::to_string).collect::<Vec<_>>());
                let body = ids.map_or_else(|| json!({}), |ids| json!({ "ids": ids }));
                remote.send(Method::POST, &["functions", "export"], &query(scope), body.to_string().into()).await
            }
        }
    }

    pub async fn function_prompt(&self, scope: &FunctionScope) -> Result<String, Failure> {
        match self {
            Source::Database(runtime, account) => Ok(runtime.function_prompt(account, scope.clone()).await?),
            Source::Server(remote) => {
                let answer: FunctionPrompt = remote.get(&["functions", "prompt"], &query(scope)).await?;
                Ok(answer.prompt)
            }
        }
    }

    pub async fn switch(&self, scope: &FunctionScope, id: &Id, enabled: bool) -> Result<Function, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let patch = FunctionPatch { enabled: Some(enabled), ..FunctionPatch::default() };
                let entry = runtime.update_function(account, scope.clone(), id, patch, Condition::None).await?;
                Ok(wire::function(entry))
            }
            Source::Server(remote) => {
                let body = json!({ "enabled": enabled }).to_string().into();
                remote.send(Method::PATCH, &["functions", id.as_str()], &query(scope), body).await
            }
        }
    }

    /// Tries functions out at a server, with the body of `POST /functions/test`.
    pub async fn test(&self, body: Vec<u8>) -> Result<TestedFunctions, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let order = wire::trial(&body).map_err(|error| described(&error))?;
                wire::tried(runtime.try_functions(account, order).await?).map_err(|error| described(&error))
            }
            Source::Server(remote) => remote.send(Method::POST, &["functions", "test"], &[], body).await,
        }
    }
}

fn shown(entries: Vec<LibraryEntry>) -> Vec<Function> {
    entries.into_iter().map(wire::function).collect()
}

/// A scope in the body of a request.
fn target(scope: &FunctionScope) -> serde_json::Value {
    match scope {
        FunctionScope::Global => json!({ "scope": "global" }),
        FunctionScope::Character(id) => json!({ "scope": "character", "character_id": id.to_string() }),
    }
}

fn query(scope: &FunctionScope) -> Vec<(&'static str, Option<String>)> {
    match scope {
        FunctionScope::Global => Vec::new(),
        FunctionScope::Character(id) => {
            vec![("scope", Some("character".to_owned())), ("character_id", Some(id.to_string()))]
        }
    }
}

/// What was wrong with a file or an order, with every place.
pub fn described(error: &ErrorContent) -> Failure {
    Failure::usage(with_places(error))
}

/// The message of an error, and a line for each place that is wrong.
pub fn with_places(error: &ErrorContent) -> String {
    let details: Vec<serde_json::Value> =
        error.details.as_ref().and_then(|details| serde_json::from_str(details.text()).ok()).unwrap_or_default();
    let place = |detail: &serde_json::Value| {
        Some(format!("\n  {}: {}", detail.get("path")?.as_str()?, detail.get("message")?.as_str()?))
    };
    details.iter().filter_map(place).fold(error.message.clone(), |text, line| text + &line)
}
