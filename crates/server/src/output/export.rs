//! An account as lines, one JSON object each: `{"kind": "session", "data": {…}}`.

use crate::error::ApiError;
use crate::output::convert;
use crate::output::functions;
use crate::output::render;
use crate::output::tools;
use crate::output::trash;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use serde::Serialize;
use std::io;
use tavernkeep_api::Json;
use tavernkeep_api::export::{Line, OfSession};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::now_ms;
use tavernkeep_runtime::{Export, Item, Runtime, RuntimeError, RuntimeResult};

/// Starts an export that goes on as fast as the client reads. A failure before the first lines is an error
/// response; a later one ends the stream.
pub(crate) async fn start(
    runtime: Runtime,
    account: Id,
) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + use<>, ApiError> {
    let export = runtime.export_account(&account).await?;
    Ok(stream::try_unfold(export, next))
}

async fn next(mut export: Export) -> io::Result<Option<(Bytes, Export)>> {
    let items = export.next().await.map_err(io::Error::other)?;
    let lines = items.map(export_lines).transpose().map_err(io::Error::other)?;
    Ok(lines.map(|lines| (lines.into(), export)))
}

/// Writes what an account holds as lines of JSON.
pub fn export_lines(items: Vec<Item>) -> RuntimeResult<Vec<u8>> {
    let mut out = Vec::new();
    for item in items {
        write_line(&mut out, item).map_err(|error| RuntimeError::Bug(error.to_string()))?;
    }
    Ok(out)
}

fn write_line(out: &mut Vec<u8>, item: Item) -> Result<(), ApiError> {
    match item {
        Item::Session(session) => write_json(out, "session", convert::kept_session(*session)?)?,
        Item::Branch(branch) => write_json(out, "branch", convert::branch(branch))?,
        Item::Floor(floor) => write_json(out, "floor", convert::floor(floor, now_ms())?)?,
        Item::Character(character) => write_json(out, "character", convert::character(*character)?)?,
        Item::Card(id, card) => write_json(out, "character_card", convert::exported_card(&id, &card)?)?,
        Item::Function(entry) => write_json(out, "function", functions::function(*entry))?,
        Item::Page(page) => write_json(out, "page", convert::page(page, true)?)?,
        Item::StagedWrites(ledger) => write_json(out, "staged_writes", convert::staged_writes(ledger)?)?,
        Item::Edits(page, edits) => write_json(out, "page_edits", convert::exported_edits(&page, &edits)?)?,
        Item::Recipe(session, hash, recipe) => write_json(out, "recipe", convert::recipe(&session, &hash, &recipe)?)?,
        Item::Snapshot(snapshot, state) => write_json(out, "snapshot", convert::kept_snapshot(*snapshot, &state)?)?,
        Item::GlobalSnapshot(snapshot, body) => {
            let body = tavernkeep_runtime::apply::json(body.to_json())?;
            write_json(out, "global_snapshot", convert::global_snapshot(snapshot, Some(body)))?;
        }
        Item::ToolDefaults(defaults) => {
            write_json(out, "tool_defaults", Json::from_text(defaults).map_err(ApiError::internal)?)?;
        }
        Item::ToolSettings(session, settings) => {
            write_json(out, "tool_settings", tools::exported_settings(&session, *settings)?)?;
        }
        Item::Grant(session, grant) => {
            let session_id = session.map(|session| session.to_string());
            write_json(out, "grant", OfSession { session_id, data: tools::grant(&grant)? })?;
        }
        Item::ScratchVariable(session, variable, value) => {
            let session_id = Some(session.to_string());
            write_json(
                out,
                "scratchpad_variable",
                OfSession { session_id, data: tools::variable(*variable, Some(value))? },
            )?;
        }
        Item::Call(details) => write_json(out, "call", tools::call(&details)?)?,
        Item::Trash(item, content) => write_json(out, "trash", trash::whole(&item, *content)?)?,
        Item::Damaged(damaged) => write_json(out, "damaged", convert::damaged(damaged))?,
        Item::Variable(variable) => {
            out.extend_from_slice(b"{\"kind\":\"variable\",\"data\":");
            render::variable(out, &variable);
            out.push(b'}');
        }
    }
    out.push(b'\n');
    Ok(())
}

fn write_json(out: &mut Vec<u8>, kind: &str, data: impl Serialize) -> Result<(), ApiError> {
    serde_json::to_writer(out, &Line { kind: kind.to_owned(), data }).map_err(ApiError::internal)
}
