//! Many variables at once, all or none.

use super::prelude::*;
use crate::http::condition::Unconditional;
use crate::input::target;
use crate::output::render;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::io::Write as _;
use tavernkeep_api::envelope::DeletedMeta;
use tavernkeep_api::variable as api;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::limits::BATCH_ITEMS_MAX;
use tavernkeep_runtime::input::Fields;
use tavernkeep_runtime::input::Problems;
use tavernkeep_runtime::order::{DeleteTarget, Write};
use tavernkeep_runtime::record::{Action, Condition, Host, Target, Variable};

/// Set many variables
///
/// All are written or none. Each target may appear once, however it is spelled.
#[utoipa::path(put, path = "/variables/batch", tag = "variables", operation_id = "put_variables",
    request_body = api::VariableBatch,
    responses((status = 200, description = "What was written.", body = Data<api::VariableBatchDone>)))]
pub async fn put(Writer(runtime, caller): Writer, _: Unconditional, JsonBody(body): JsonBody) -> ApiResult {
    let writes = read_writes(&body)?;
    let done = runtime.put_variables(caller.account(), writes).await?;
    Ok(reply::json(StatusCode::OK, render_done(&done)))
}

/// Delete many variables
///
/// By `ids` or by `items`. One that does not exist gets `"deleted": false`; a locked one refuses all.
#[utoipa::path(post, path = "/variables/batch/delete", tag = "variables", operation_id = "delete_variables",
    request_body = api::VariableDeletion,
    responses((status = 200, description = "What was deleted.", body = Data<api::VariablesDeleted>)))]
pub async fn delete(Writer(runtime, caller): Writer, _: Unconditional, JsonBody(body): JsonBody) -> ApiResult {
    let targets = read_targets(&body)?;
    let asked: Vec<Option<Id>> = targets.iter().map(asked_id).collect();
    let gone = runtime.delete_variables(caller.account(), targets).await?;
    let results: Vec<_> = asked
        .into_iter()
        .zip(gone)
        .enumerate()
        .map(|(index, (asked, id))| {
            let deleted = id.is_some();
            api::VariableGone { index, id: id.or(asked).map(|id| id.to_string()), deleted }
        })
        .collect();
    let meta = DeletedMeta { total: results.len(), deleted: results.iter().filter(|result| result.deleted).count() };
    reply::ok(api::VariablesDeleted { results, meta })
}

/// The id that the caller named, which is answered whether or not it was there.
fn asked_id(target: &DeleteTarget) -> Option<Id> {
    match target {
        DeleteTarget::Id(id) => Some(id.clone()),
        DeleteTarget::Target(_) => None,
    }
}

fn render_done(done: &[(Action, Variable)]) -> Vec<u8> {
    let bytes: usize = done.iter().map(|(_, variable)| 300 + variable.value.as_str().len()).sum();
    let mut out = Vec::with_capacity(128 + bytes);
    let mut created = 0;
    out.extend_from_slice(b"{\"data\":{\"results\":[");
    for (index, (action, variable)) in done.iter().enumerate() {
        render::comma(&mut out, index);
        created += usize::from(*action == Action::Created);
        let action = match action {
            Action::Created => "created",
            Action::Updated => "updated",
        };
        let _ = write!(out, "{{\"index\":{index},\"action\":\"{action}\",\"data\":");
        render::variable(&mut out, variable);
        out.push(b'}');
    }
    let (total, updated) = (done.len(), done.len() - created);
    let _ = write!(out, "],\"meta\":{{\"total\":{total},\"created\":{created},\"updated\":{updated}}}}}}}");
    out
}

fn read_writes(body: &JsonText) -> Result<Vec<Write>, ApiError> {
    let mut fields = Fields::body(body)?.open();
    fields.need("items");
    let Some(items) = fields.array("items", 1, BATCH_ITEMS_MAX) else { return Err(fields.refuse()) };
    let mut values = Vec::with_capacity(items.len());
    let places = read_places(&items, |item| {
        values.extend(item.value("value")?);
        Ok(())
    })?;
    refuse_duplicates(&places)?;
    let targets = targets(places)?;
    let write = |(target, value)| Write { target, value, condition: Condition::None };
    Ok(targets.into_iter().zip(values).map(write).collect())
}

fn read_targets(body: &JsonText) -> Result<Vec<DeleteTarget>, ApiError> {
    let mut fields = Fields::body(body)?.open();
    match (fields.get("ids").is_some(), fields.get("items").is_some()) {
        (true, false) => {
            let ids = fields.ids("ids", BATCH_ITEMS_MAX);
            ids.map(|ids| ids.into_iter().map(DeleteTarget::Id).collect()).ok_or_else(|| fields.refuse())
        }
        (false, true) => {
            let Some(items) = fields.array("items", 1, BATCH_ITEMS_MAX) else { return Err(fields.refuse()) };
            // A target that appears twice is deleted once.
            Ok(targets(read_places(&items, |_| Ok(()))?)?.into_iter().map(DeleteTarget::Target).collect())
        }
        (true, true) => Err(ApiError::invalid("items", "custom", "ids and items cannot be sent together")),
        (false, false) => Err(ApiError::invalid("", "required", "must have required property 'ids' or 'items'")),
    }
}

/// What an item means: its host, or the answer that it cannot exist, and its key.
type ItemTarget = (Result<Host, ApiError>, Key);

/// Reads the targets of a batch. Shapes are judged first, then what does not fit together; the caller judges what appears
/// twice and what cannot exist. `rest` reads what else an item carries.
fn read_places<'a>(
    items: &[tavernkeep_engine::json::JsonView<'a>],
    mut rest: impl FnMut(&mut Fields<'a>) -> Result<(), ApiError>,
) -> Result<Vec<ItemTarget>, ApiError> {
    let mut problems = Problems::default();
    let mut addresses = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let mut fields = Fields::of(*item, format!("/items/{index}")).open();
        addresses.extend(target::fields(&mut fields));
        rest(&mut fields)?;
        problems.append(fields.problems);
    }
    problems.finish()?;

    let mut places = Vec::with_capacity(addresses.len());
    for (index, (address, key)) in addresses.into_iter().enumerate() {
        let place = address.locate().map_err(|error| error.refuse(format!("items.{index}")))?;
        places.push((place.host(), key));
    }
    Ok(places)
}

fn targets(places: Vec<ItemTarget>) -> Result<Vec<Target>, ApiError> {
    places.into_iter().map(|(host, key)| Ok(Target { host: host?, key })).collect()
}

fn refuse_duplicates(places: &[ItemTarget]) -> Result<(), ApiError> {
    let mut seen = HashMap::with_capacity(places.len());
    for (index, (host, key)) in places.iter().enumerate() {
        let Ok(host) = host else { continue };
        if let Some(first) = seen.insert((host, key), index) {
            let message = format!("Duplicate variable target also appears at items.{first}");
            return Err(ApiError::new(ErrorCode::DuplicateVariableTarget, message).at(format!("items.{index}")));
        }
    }
    Ok(())
}
