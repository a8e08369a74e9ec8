//! The group `state`: what the story knows, and variables of the page that is being generated.

use crate::order::{FloorQuery, NewStagedWrite, PageQuery};
use crate::record::Window;
use crate::tools::{Tool, ToolCall, ToolError, ToolGroup, ToolOutput};
use crate::{FloorRange, MAIN_BRANCH};
use serde_json::{Value, json};
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};

/// The group.
pub fn group() -> ToolGroup {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let get = json!({ "type": "object", "properties": { "path": text("Which part, such as `yuki.affinity`; all of it if it is left out.") } });
    let set = json!({
        "type": "object",
        "properties": {
            "key": text("The variable."),
            "value": { "description": "Any JSON value; left out, the variable is deleted." },
            "scope": { "type": "string", "enum": ["page", "floor", "branch", "chat"], "description": "How far it goes when the page is accepted; default floor." },
            "if_absent": { "type": "boolean", "description": "Whether a value that is there stays." },
        },
        "required": ["key"],
    });
    let history = json!({
        "type": "object",
        "properties": { "path": text("Which part of the state."), "count": { "type": "integer", "description": "How many changes, the newest; default 20." } },
        "required": ["path"],
    });
    ToolGroup::new("state", vec![
        Tool::new("get_state", "Reads the state of the story.", get, get_state),
        Tool::new("set_variable", "Proposes a value for a variable. It counts when the reply is accepted.", set, set_variable),
        Tool::new("query_history", "Shows how a part of the story's state changed.", history, query_history),
    ])
    .with_prompt("`get_state` reads the story's state, `query_history` how a part of it changed. `set_variable` proposes a variable for the reply that is being written.")
}

fn written(call: &ToolCall) -> Result<Option<WrittenPath>, ToolError> {
    let path = call.args.get("path").and_then(Value::as_str).filter(|path| !path.is_empty());
    path.map(|path| path.parse().map_err(|_| ToolError::failed(format!("'{path}' is no path")))).transpose()
}

async fn get_state(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let path = written(&call)?;
    let state = match &call.page {
        // The executor has seen that the page is one of the session's. One that is being generated shows the state before it.
        Some(page) => call.runtime.state_of_page(&call.account, page).await?,
        None => call.runtime.newest_state(&call.account, &call.session, call.branch.as_deref()).await?,
    };
    let found = match &path {
        Some(path) => path.find(&state.document).map(tavernkeep_engine::document::Value::to_json),
        None => Some(state.document.to_json()),
    };
    let text = found.ok_or_else(|| ToolError::failed("The state has nothing there."))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| ToolError::Thrown(error.to_string()))?;
    Ok(ToolOutput::of(value))
}

/// The page that a call belongs to: the one it names, or the active one of the floor that is being generated.
async fn page_of(call: &ToolCall) -> Result<Id, ToolError> {
    if let Some(page) = &call.page {
        return Ok(page.clone());
    }
    let window = Window { limit: 1, offset: 0, ascending: false, total: false };
    for state in [FloorState::Generating, FloorState::Draft] {
        let branch = Some(call.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned()));
        let query = FloorQuery { session: call.session.clone(), branch, state: Some(state), window };
        let Some(floor) = call.runtime.floors(&call.account, query).await?.items.pop() else { continue };
        let query = PageQuery { floor: floor.id, page_no: None, is_active: Some(true), content: false, window };
        if let Some(page) = call.runtime.pages(&call.account, query).await?.items.pop() {
            return Ok(page.id);
        }
    }
    Err(ToolError::failed("No page is being generated; name one with page_id."))
}

async fn set_variable(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let key = call.args.get("key").and_then(Value::as_str).unwrap_or_default();
    let key = key.parse().map_err(|_| ToolError::failed("key must be text of 1 to 512 bytes"))?;
    let value = call.args.get("value").map(|value| JsonText::parse(value.to_string().as_bytes())).transpose();
    let value = value.map_err(|error| ToolError::failed(format!("the value cannot be kept: {error:?}")))?;
    let intent = match call.args.get("scope").and_then(Value::as_str).unwrap_or("floor") {
        "page" => Intent::PageOnly,
        "floor" => Intent::PromoteToFloor,
        "branch" => Intent::PromoteToBranch,
        "chat" => Intent::PromoteToChat,
        other => return Err(ToolError::failed(format!("scope must be page, floor, branch or chat, not '{other}'"))),
    };
    let page = page_of(&call).await?;
    let found = call.runtime.page(&call.account, &page).await?;
    let json = |value: Value| JsonText::parse(value.to_string().as_bytes()).ok();
    let new = NewStagedWrite {
        key,
        op: if value.is_some() { StagedOp::Set } else { StagedOp::Delete },
        value,
        intent,
        policy: if call.args["if_absent"] == true { ConflictPolicy::IfAbsent } else { ConflictPolicy::Replace },
        source_kind: SourceKind::Tool,
        reason: Some("builtin:set_variable".into()),
        source: json(json!({ "toolName": "set_variable", "providerId": "builtin" })),
        // A floor is generated once, and each swipe is an attempt at its reply.
        evidence: json(json!({ "runId": found.floor.as_str(), "generationAttemptNo": found.version + 1 })),
    };
    let staged = call.runtime.stage_write(&call.account, &page, new).await?;
    Ok(ToolOutput::of(
        json!({ "staged": staged.id.as_str(), "key": staged.asked.key.as_str(), "page_id": page.as_str() }),
    ))
}

async fn query_history(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let path = written(&call)?.ok_or_else(|| ToolError::failed("query_history needs a path"))?;
    let count = call.args.get("count").and_then(Value::as_u64).unwrap_or(20).clamp(1, 200);
    let count = usize::try_from(count).unwrap_or(20);
    let branch = call.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned());
    let mut part = FloorRange { session: call.session.clone(), branch, from_floor: None, to_floor: None, after: None };
    let mut points: Vec<Value> = Vec::new();
    loop {
        let history = call.runtime.history(&call.account, part.clone(), path.clone(), 1_000).await?;
        points.extend(history.points.iter().map(|point| {
            let value =
                point.value.as_ref().map(|value| serde_json::from_str::<Value>(&value.to_json()).unwrap_or_default());
            json!({ "floor_no": point.floor_no, "value": value, "at": point.at, "edited": point.edited })
        }));
        let over = points.len().saturating_sub(count);
        points.drain(..over);
        match history.next {
            Some(next) => part.after = Some(next),
            None => return Ok(ToolOutput::of(json!({ "changes": points }))),
        }
    }
}
