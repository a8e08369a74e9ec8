//! Prompts: previewed, rendered for a page, and what a model needs to know before it writes.

use super::prelude::*;
use crate::output::prompt;
use tavernkeep_api::prompt as api;
use tavernkeep_engine::limits::{BRANCH_BYTES_MAX, POSITION_MAX, PROMPT_BYTES_MAX};
use tavernkeep_runtime::{KitOrder, PromptOrder, PromptQuery};

/// Preview a prompt
///
/// Evaluates the macros of a text or of messages and answers with the text, the variables they used, what they would write and
/// what is wrong with them. Nothing is written and no model is asked. A macro that cannot be evaluated stays as it is written,
/// with a warning.
#[utoipa::path(post, path = "/sessions/{id}/prompt-runtime/preview", tag = "prompts", operation_id = "preview_prompt",
    params(IdPath), request_body = api::PromptRequest,
    responses((status = 200, description = "The prompt.", body = Data<api::RenderedPrompt>)))]
pub async fn preview(
    State(app): State<App>,
    caller: Authenticated,
    PathId(id): PathId,
    Body(body): Body<api::PromptRequest>,
) -> ApiResult {
    let (order, roles) = prompt_order(id, body)?;
    let done = app.runtime.preview_prompt(caller.account(), order).await?;
    reply::ok(prompt::rendered(done, roles)?)
}

/// Render a prompt
///
/// The same for a page that is generated: what the macros write becomes staged writes of the page, in the place of those of an
/// earlier rendering, and goes to the branch or to global variables when the floor is committed.
#[utoipa::path(post, path = "/sessions/{id}/prompt-runtime/render", tag = "prompts", operation_id = "render_prompt",
    params(IdPath), request_body = api::PromptRequest,
    responses((status = 200, description = "The prompt.", body = Data<api::RenderedPrompt>)))]
pub async fn render(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::PromptRequest>,
) -> ApiResult {
    if body.page_id.is_none() {
        return Err(ApiError::invalid("", "required", "must have required property 'page_id'"));
    }
    let (order, roles) = prompt_order(id, body)?;
    let done = runtime.render_prompt(caller.account(), order).await?;
    reply::ok(prompt::rendered(done, roles)?)
}

/// Read a prompt kit
///
/// What an application needs before it calls a model: the state as a view shows it, how the functions of the library are
/// called, how commands are written, and what became of those of the last reply; each with its length.
#[utoipa::path(get, path = "/sessions/{id}/prompt-kit", tag = "prompts", operation_id = "get_prompt_kit",
    params(IdPath, api::PromptKitParams),
    responses((status = 200, description = "The kit.", body = Data<api::PromptKit>)))]
pub async fn kit(State(app): State<App>, caller: Authenticated, PathId(id): PathId, mut query: Query) -> ApiResult {
    let branch = query.text("branch_id", 1, BRANCH_BYTES_MAX);
    let view = query.text("view", 1, 100);
    let since = query.integer("changed_since", -POSITION_MAX, POSITION_MAX);
    let before_floor = query.integer("before_floor", 0, POSITION_MAX);
    query.finish()?;
    let kit = app.runtime.prompt_kit(caller.account(), &id, KitOrder { branch, view, since, before_floor }).await?;
    reply::ok(prompt::kit(&id, kit))
}

/// What to render, and the roles of the messages if it is not one text.
fn prompt_order(session: Id, request: api::PromptRequest) -> Result<(PromptOrder, Option<Vec<String>>), ApiError> {
    let (messages, roles) = match (request.text, request.messages) {
        (Some(text), None) => (vec![text], None),
        (None, Some(messages)) => {
            let (roles, contents): (Vec<_>, Vec<_>) =
                messages.into_iter().map(|message| (message.role, message.content)).unzip();
            (contents, Some(roles))
        }
        (None, None) => {
            return Err(ApiError::invalid("", "required", "must have required property 'text' or 'messages'"));
        }
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid("/messages", "not", "must NOT be there together with text"));
        }
    };
    if messages.iter().map(String::len).sum::<usize>() > PROMPT_BYTES_MAX {
        let message = format!("must NOT have more than {PROMPT_BYTES_MAX} bytes together");
        return Err(ApiError::invalid("/messages", "maxLength", message));
    }
    let place = PromptQuery {
        session,
        branch: request.branch_id,
        source_floor: shape::parsed_if(request.source_floor_id)?,
        page: shape::parsed_if(request.page_id)?,
    };
    let order = PromptOrder {
        place,
        messages,
        user: request.user,
        character: request.char,
        seed: request.seed.and_then(|seed| u64::try_from(seed).ok()),
        now_ms: request.now,
        utc_offset_minutes: request.utc_offset_minutes.and_then(|minutes| i32::try_from(minutes).ok()).unwrap_or(0),
    };
    Ok((order, roles))
}
