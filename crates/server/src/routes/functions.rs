//! The function library.

use super::prelude::*;
use crate::output::functions as shown;
use axum::http::StatusCode;
use axum::http::header::ETAG;
use tavernkeep_api::function as api;
use tavernkeep_runtime::order::FunctionScope;
use tavernkeep_runtime::record::LibraryEntry;

/// List functions
///
/// The library of a scope: the built-in functions, the starters, then what authors wrote, in the order in which it runs. Each
/// function says what it gets in the way of.
#[utoipa::path(get, path = "/functions", tag = "functions", operation_id = "list_functions",
    params(WindowParams, api::FunctionScopeParams, api::FunctionListOrder),
    responses((status = 200, description = "The list.", body = List<api::Function>)))]
pub async fn list(State(app): State<App>, caller: Authenticated, mut query: Query) -> ApiResult {
    let scope = scope(&mut query);
    let (column, window) = query.list(&["order"], true)?;
    let listed = app.runtime.functions(caller.account(), scope?, window).await?;
    reply::list(listed, &window, column, |entry| Ok(shown::function(entry)))
}

/// Create a function
///
/// It counts for the next turn. States that were computed without it are outdated, not stale.
#[utoipa::path(post, path = "/functions", tag = "functions", operation_id = "create_function",
    params(api::FunctionScopeParams), request_body = api::NewFunction,
    responses((status = 201, description = "The function.", body = Data<api::Function>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn create(Writer(runtime, caller): Writer, query: Query, Body(body): Body<api::NewFunction>) -> ApiResult {
    let scope = only_scope(query)?;
    let order = shown::new_function(body)?;
    let entry = runtime.create_function(caller.account(), scope, order).await?;
    answer(StatusCode::CREATED, entry)
}

/// Read a function
///
/// Of a function that comes with the program `scope` says in which library it is meant.
#[utoipa::path(get, path = "/functions/{id}", tag = "functions", operation_id = "get_function",
    params(IdPath, api::FunctionScopeParams),
    responses((status = 200, description = "The function.", body = Data<api::Function>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn get(State(app): State<App>, caller: Authenticated, PathId(id): PathId, query: Query) -> ApiResult {
    let scope = only_scope(query)?;
    answer(StatusCode::OK, app.runtime.function(caller.account(), scope, &id).await?)
}

/// Change a function
///
/// A function that comes with the program can only be switched on and off, in the scope that the request names. A built-in
/// function that is off for the account is off for all characters.
#[utoipa::path(patch, path = "/functions/{id}", tag = "functions", operation_id = "update_function",
    params(IdPath, api::FunctionScopeParams,
        ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::FunctionPatch,
    responses((status = 200, description = "The function after the change.", body = Data<api::Function>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn update(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    query: Query,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::FunctionPatch>,
) -> ApiResult {
    let scope = only_scope(query)?;
    let entry = runtime.update_function(caller.account(), scope, &id, shown::patch(body), condition).await?;
    answer(StatusCode::OK, entry)
}

/// Delete a function
#[utoipa::path(delete, path = "/functions/{id}", tag = "functions", operation_id = "delete_function",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    responses((status = 200, description = "It was deleted.", body = Data<Deleted>)))]
pub async fn delete(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
) -> ApiResult {
    runtime.delete_function(caller.account(), &id, condition).await?;
    reply::deleted(&id)
}

/// Copy a function
///
/// Also one that comes with the program: the copy can be changed. It is disabled.
#[utoipa::path(post, path = "/functions/{id}/copy", tag = "functions", operation_id = "copy_function",
    params(IdPath), request_body = api::CopyFunction,
    responses((status = 201, description = "The copy.", body = Data<api::Function>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn copy(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::CopyFunction>,
) -> ApiResult {
    let scope = target(body.scope, body.character_id)?;
    answer(StatusCode::CREATED, runtime.copy_function(caller.account(), &id, scope, body.name).await?)
}

/// Move a function
///
/// To another scope; everything else stays as it is.
#[utoipa::path(post, path = "/functions/{id}/move", tag = "functions", operation_id = "move_function",
    params(IdPath, ("If-Match" = Option<String>, Header, description = "The `ETag` that it must still have.")),
    request_body = api::MoveFunction,
    responses((status = 200, description = "The function after the change.", body = Data<api::Function>,
        headers(("ETag" = String, description = "For `If-Match`.")))))]
pub async fn move_to(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    WriteCondition(condition): WriteCondition,
    Body(body): Body<api::MoveFunction>,
) -> ApiResult {
    let scope = target(body.scope, body.character_id)?;
    answer(StatusCode::OK, runtime.move_function(caller.account(), &id, scope, condition).await?)
}

/// Import functions
///
/// A file, or the whole answer of `POST /functions/export`, which has the file as `data`. All functions of the file or none; they
/// get new ids and are disabled. Code that cannot be compiled is imported too, and `code_error` says what is wrong with it.
#[utoipa::path(post, path = "/functions/import", tag = "functions", operation_id = "import_functions",
    params(api::FunctionScopeParams), request_body = api::FunctionFile,
    responses((status = 201, description = "The functions, in the order of the file.",
        body = All<api::Function>)))]
pub async fn import(Writer(runtime, caller): Writer, query: Query, JsonBody(body): JsonBody) -> ApiResult {
    let scope = only_scope(query)?;
    let file = shown::read_file(&body)?.into_iter().map(|read| read.function).collect();
    let imported = runtime.import_functions(caller.account(), scope, file).await?;
    reply::created(imported.into_iter().map(shown::imported).collect::<Vec<_>>())
}

/// Export functions
///
/// `data` is a file that `POST /functions/import` takes.
#[utoipa::path(post, path = "/functions/export", tag = "functions", operation_id = "export_functions",
    params(api::FunctionScopeParams), request_body = api::ExportFunctions,
    responses((status = 200, description = "The file.", body = Data<api::FunctionFile>)))]
pub async fn export(
    State(app): State<App>,
    caller: Authenticated,
    query: Query,
    Body(body): Body<api::ExportFunctions>,
) -> ApiResult {
    let scope = only_scope(query)?;
    let ids = body.ids.map(|ids| shown::ids("/ids", &ids)).transpose()?;
    let entries = app.runtime.exported_functions(caller.account(), scope, ids).await?;
    let functions = entries.into_iter().map(shown::entry).collect();
    reply::ok(api::FunctionFile { version: api::FileVersion::One, functions })
}

/// Reorder functions
///
/// All functions that authors wrote in the scope, each once: they get the orders 1, 2, 3 and so on.
#[utoipa::path(post, path = "/functions/reorder", tag = "functions", operation_id = "reorder_functions",
    params(api::FunctionScopeParams), request_body = api::ReorderFunctions,
    responses((status = 200, description = "The functions in their new order.", body = All<api::Function>)))]
pub async fn reorder(
    Writer(runtime, caller): Writer,
    query: Query,
    Body(body): Body<api::ReorderFunctions>,
) -> ApiResult {
    let scope = only_scope(query)?;
    let ids = shown::ids("/ids", &body.ids)?;
    let entries = runtime.reorder_functions(caller.account(), scope, ids).await?;
    reply::ok(entries.into_iter().map(shown::function).collect::<Vec<_>>())
}

/// Read the prompt of functions
///
/// What a model must know to call them: the enabled active functions of the scope, for a character with those of the account and
/// without those whose calls its profile does not read.
#[utoipa::path(get, path = "/functions/prompt", tag = "functions", operation_id = "function_prompt",
    params(api::FunctionScopeParams),
    responses((status = 200, description = "The block for the prompt.", body = Data<api::FunctionPrompt>)))]
pub async fn prompt(State(app): State<App>, caller: Authenticated, query: Query) -> ApiResult {
    let scope = only_scope(query)?;
    reply::ok(api::FunctionPrompt { prompt: app.runtime.function_prompt(caller.account(), scope).await? })
}

/// Try functions out
///
/// Runs functions on a text and a state and answers with the new state and with every call. Nothing is read or written.
#[utoipa::path(post, path = "/functions/test", tag = "functions", operation_id = "test_functions",
    request_body = api::TestFunctions,
    responses((status = 200, description = "What came of it.", body = Data<api::TestedFunctions>)))]
pub async fn test(State(app): State<App>, caller: Authenticated, Body(body): Body<api::TestFunctions>) -> ApiResult {
    let order = shown::trial(body)?;
    reply::ok(shown::tried(app.runtime.try_functions(caller.account(), order).await?)?)
}

fn answer(status: StatusCode, entry: LibraryEntry) -> ApiResult {
    let tag = etag(entry.revision);
    let mut response = reply::data(status, shown::function(entry))?;
    response.headers_mut().insert(ETAG, tag);
    Ok(response)
}

/// The scope that a query names. What is wrong with its values is found when the query is finished.
fn scope(query: &mut Query) -> Result<FunctionScope, ApiError> {
    let is_character = query.word("scope", &["global", "character"]) == 1;
    match (is_character, query.id("character_id")) {
        (true, Some(id)) => Ok(FunctionScope::Character(id)),
        (true, None) => Err(ApiError::invalid("/character_id", "required", "scope=character needs a character_id")),
        (false, None) => Ok(FunctionScope::Global),
        (false, Some(_)) => Err(not_global()),
    }
}

fn only_scope(mut query: Query) -> Result<FunctionScope, ApiError> {
    let scope = scope(&mut query);
    query.finish()?;
    scope
}

fn not_global() -> ApiError {
    ApiError::invalid("/character_id", "custom", "is only for the scope `character`; add it or leave the character out")
}

fn target(scope: api::FunctionScope, character: Option<String>) -> Result<FunctionScope, ApiError> {
    match (scope, shape::parsed_if(character)?) {
        (api::FunctionScope::Character, Some(id)) => Ok(FunctionScope::Character(id)),
        (api::FunctionScope::Character, None) => {
            Err(ApiError::invalid("/character_id", "required", "the scope `character` needs a character_id"))
        }
        (api::FunctionScope::Global, None) => Ok(FunctionScope::Global),
        (api::FunctionScope::Global, Some(_)) => Err(not_global()),
    }
}
