//! Prompts and kits as the API shows them.

use crate::error::ApiError;
use std::ops::Range;
use tavernkeep_api::Json;
use tavernkeep_api::prompt as api;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::prompt::{Rendered, Size, Write};
use tavernkeep_runtime::apply::json;
use tavernkeep_runtime::{PlaceOfPrompt, PromptKit, RenderedPrompt, StateAt};

/// A prompt; `roles` are those of its messages.
pub(crate) fn rendered(done: RenderedPrompt, roles: Option<Vec<String>>) -> Result<api::RenderedPrompt, ApiError> {
    let Rendered { texts, warnings, names, uses, views, writes, .. } = done.rendered;
    let mutation_preview = writes.iter().map(|write| mutation(write, None)).collect::<Result<_, _>>()?;
    let staged = writes.iter().zip(&done.staged).map(|(write, staged)| mutation(write, Some(&staged.id)));
    let staged_mutations = staged.collect::<Result<_, _>>()?;
    let text = texts.join("\n");
    let messages = roles.map(|roles| {
        let message = |(role, content): (String, String)| {
            let size = size(&content);
            api::RenderedMessage { role, content, size }
        };
        roles.into_iter().zip(texts).map(message).collect()
    });
    let macros = api::MacroTrace {
        warnings: warnings
            .into_iter()
            .map(|warning| {
                let Range { start, end } = warning.span;
                api::MacroWarning {
                    code: warning.code.as_str().to_owned(),
                    message: warning.message,
                    macro_name: warning.macro_name,
                    message_index: warning.message_index as u64,
                    start: start as u64,
                    end: end as u64,
                }
            })
            .collect(),
        used_names: names.into_iter().map(str::to_owned).collect(),
        mutation_preview,
        staged_mutations,
        traces: uses
            .into_iter()
            .map(|used| api::MacroUse {
                macro_name: used.macro_name,
                scope: used.scope.map(|scope| scope.as_str().to_owned()),
                path: used.path,
                found: used.found,
                message_index: used.message_index as u64,
                start: used.span.start as u64,
                end: used.span.end as u64,
            })
            .collect(),
    };
    let views = views.into_iter().map(|view| api::RenderedView {
        name: view.name.to_string(),
        changed_since: view.since,
        size: size(&view.text),
        dropped: view.dropped,
    });
    Ok(api::RenderedPrompt {
        scope: scope(done.place),
        state: done.state.as_ref().map(state),
        size: size(&text),
        text,
        messages,
        views: views.collect(),
        seed: done.seed,
        now: done.now_ms,
        runtime_trace: api::RuntimeTrace { macros },
    })
}

fn scope(place: PlaceOfPrompt) -> api::PromptScope {
    let text = |id: Option<Id>| id.map(|id| id.to_string());
    let source = if place.branch_exists { None } else { place.source_branch };
    api::PromptScope {
        session_id: place.session.to_string(),
        history_source_branch_id: source.unwrap_or_else(|| place.branch.clone()),
        history_source_mode: if place.branch_exists { "existing_branch" } else { "source_floor" }.to_owned(),
        target_branch_id: place.branch,
        branch_exists: place.branch_exists,
        source_floor_id: text(place.source_floor),
        floor_id: text(place.floor),
        page_id: text(place.page),
    }
}

fn state(at: &StateAt) -> api::PromptState {
    let (snapshot, page, floor) = at.ids();
    let text = |id: Option<&Id>| id.map(ToString::to_string);
    api::PromptState {
        snapshot_id: text(snapshot),
        page_id: text(page),
        floor_id: text(floor),
        fresh: at.stale.is_none(),
    }
}

/// Objects and lists are JSON in a string, as macros show them.
fn mutation(write: &Write, id: Option<&Id>) -> Result<api::MacroMutation, ApiError> {
    let written = |value: &Value| -> Result<Json, ApiError> {
        match value.is_container() {
            true => Ok(json(Value::from(value.to_json()).to_json())?),
            false => Ok(json(value.to_json())?),
        }
    };
    Ok(api::MacroMutation {
        id: id.map(ToString::to_string),
        kind: if write.value.is_some() { "set" } else { "delete" }.to_owned(),
        scope: write.scope.as_str().to_owned(),
        key: write.key.to_string(),
        value: write.value.as_ref().map(written).transpose()?,
    })
}

pub(crate) fn kit(session: &Id, kit: PromptKit) -> api::PromptKit {
    let total = sized(kit.size());
    let part = |text: String| api::KitPart { size: size(&text), text };
    api::PromptKit {
        session_id: session.to_string(),
        branch_id: kit.branch,
        profile: kit.profile.to_string(),
        state: state(&kit.state),
        view: api::KitView {
            name: kit.view.name.map(|name| name.to_string()),
            changed_since: kit.view.since,
            size: size(&kit.view.text),
            text: kit.view.text,
            dropped: kit.view.dropped,
        },
        functions: kit.functions.map(part),
        rules: part(kit.rules),
        note: kit.note.map(part),
        size: total,
    }
}

fn size(text: &str) -> api::TextSize {
    sized(Size::of(text))
}

fn sized(size: Size) -> api::TextSize {
    api::TextSize { characters: size.characters as u64, tokens_estimated: size.tokens as u64 }
}
