//! Functions of the library as the API shows and reads them.

use crate::error::ApiError;
use crate::input::shape;
use tavernkeep_api::apply::CommandStatus;
use tavernkeep_api::function as api;
use tavernkeep_api::{Detail, Json};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::{ID_PATTERN, Id};
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::library::{Conflict, ConflictKind, FunctionType, InvalidFunction, LibraryFunction, Timing};
use tavernkeep_engine::turn::{Status, TurnPosition};
use tavernkeep_runtime::apply::{json, problem};
use tavernkeep_runtime::input::RequestError;
use tavernkeep_runtime::order::{FunctionPatch, LocalFunction};
use tavernkeep_runtime::record::{Function, FunctionOrigin, LibraryEntry};
use tavernkeep_runtime::{FunctionOrder, ImportedFunction, Trial, TrialOrder, TriedCall, now_ms};

pub(crate) fn function(entry: LibraryEntry) -> api::Function {
    let updated_at = entry.updated_at();
    let LibraryEntry { id, character, origin, enabled, function, created_at, conflicts, .. } = entry;
    api::Function {
        id: id.to_string(),
        scope: if character.is_some() { api::FunctionScope::Character } else { api::FunctionScope::Global },
        character_id: character.map(|id| id.to_string()),
        name: function.name,
        kind: kind_shown(function.kind),
        enabled,
        order: function.order,
        pattern: function.pattern,
        timing: function.timing.map(timing_shown),
        description: function.description,
        signature: function.signature,
        example: function.example,
        executor: function.executor,
        builtin: origin == FunctionOrigin::BuiltIn,
        starter: origin == FunctionOrigin::Starter,
        conflicts: conflicts.into_iter().map(conflict).collect(),
        code_error: None,
        created_at,
        updated_at,
    }
}

/// A function of a file, and what is wrong with it.
pub(crate) fn imported(imported: ImportedFunction) -> api::Function {
    api::Function { code_error: imported.code_error, ..function(imported.entry) }
}

/// Reads a file of functions: the file itself, or the whole answer of an export, which has it as `data`.
pub(crate) fn read_file(json: &JsonText) -> Result<Vec<LocalFunction>, ApiError> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer<'a> {
        #[serde(borrow)]
        data: &'a serde_json::value::RawValue,
    }
    // serde reads a list as the fields of a struct in their order, too.
    let object = Some(json.as_str()).filter(|text| text.starts_with('{'));
    let answer: Option<Answer<'_>> = object.and_then(|text| serde_json::from_str(text).ok());
    let data = answer.map(|answer| JsonText::from_stored(answer.data.get()));
    let file: api::FunctionFile = shape::read(data.as_ref().unwrap_or(json))?;
    read_entries(file.functions)
}

fn conflict(conflict: Conflict) -> api::FunctionConflict {
    let kind = match conflict.kind {
        ConflictKind::SameName => api::ConflictKind::SameName,
        ConflictKind::Dialect => api::ConflictKind::Dialect,
        ConflictKind::NotRead => api::ConflictKind::NotRead,
    };
    api::FunctionConflict { kind, with: conflict.with, message: conflict.message }
}

/// A function in a file.
pub(crate) fn entry(entry: LibraryEntry) -> api::FunctionEntry {
    written(&entry.id, entry.enabled, entry.function)
}

/// A function on a card.
pub(crate) fn local(function: Function) -> api::FunctionEntry {
    written(&function.id, function.enabled, function.function)
}

fn written(id: &Id, enabled: bool, function: LibraryFunction) -> api::FunctionEntry {
    api::FunctionEntry {
        id: Some(id.to_string()),
        name: function.name,
        kind: kind_shown(function.kind),
        enabled,
        order: function.order,
        pattern: function.pattern,
        timing: function.timing.map(timing_shown),
        description: function.description,
        signature: function.signature,
        example: function.example,
        executor: function.executor,
        builtin: None,
    }
}

/// Reads the functions of a file or a card. Everything that is wrong is reported, with its place.
pub(crate) fn read_entries(entries: Vec<api::FunctionEntry>) -> Result<Vec<LocalFunction>, ApiError> {
    let (mut read, mut details) = (Vec::with_capacity(entries.len()), Vec::new());
    for (place, entry) in entries.into_iter().enumerate() {
        let (id, enabled) = (entry.id.as_ref().and_then(|id| id.parse().ok()), entry.enabled);
        let function = LibraryFunction {
            name: entry.name,
            kind: kind(entry.kind),
            order: entry.order,
            pattern: entry.pattern,
            timing: entry.timing.map(timing),
            description: entry.description,
            signature: entry.signature,
            example: entry.example,
            executor: entry.executor,
        };
        let function = function.tidied();
        match function.check() {
            Ok(()) => read.push(LocalFunction { id, enabled, function }),
            Err(error) => details.push(detail(&format!("/functions/{place}"), &error)),
        }
    }
    if details.is_empty() { Ok(read) } else { Err(RequestError::validation(details).into()) }
}

fn detail(place: &str, error: &InvalidFunction) -> Detail {
    let InvalidFunction { field, message } = error;
    Detail { path: format!("{place}/{field}"), message: message.clone(), code: "custom".into() }
}

/// A function that cannot be kept, by its place in the body.
pub(crate) fn invalid(place: &str, error: &InvalidFunction) -> ApiError {
    RequestError::validation(vec![detail(place, error)]).into()
}

/// The ids in a list of a body.
pub(crate) fn ids(place: &str, ids: &[String]) -> Result<Vec<Id>, ApiError> {
    let id = |(number, text): (usize, &String)| {
        let message = || format!("must match pattern \"{ID_PATTERN}\"");
        text.parse().map_err(|_| ApiError::invalid(format!("{place}/{number}"), "pattern", message()))
    };
    ids.iter().enumerate().map(id).collect()
}

pub(crate) fn kind(kind: api::FunctionType) -> FunctionType {
    match kind {
        api::FunctionType::Active => FunctionType::Active,
        api::FunctionType::Passive => FunctionType::Passive,
    }
}

fn kind_shown(kind: FunctionType) -> api::FunctionType {
    match kind {
        FunctionType::Active => api::FunctionType::Active,
        FunctionType::Passive => api::FunctionType::Passive,
    }
}

pub(crate) fn timing(timing: api::Timing) -> Timing {
    match timing {
        api::Timing::BeforeActive => Timing::BeforeActive,
        api::Timing::AfterActive => Timing::AfterActive,
    }
}

fn timing_shown(timing: Timing) -> api::Timing {
    match timing {
        Timing::BeforeActive => api::Timing::BeforeActive,
        Timing::AfterActive => api::Timing::AfterActive,
    }
}

/// A function to create.
pub(crate) fn new_function(new: api::NewFunction) -> Result<FunctionOrder, ApiError> {
    let function = LibraryFunction {
        name: new.name,
        kind: kind(new.kind),
        order: new.order,
        pattern: new.pattern,
        timing: new.timing.map(timing),
        description: new.description,
        signature: new.signature,
        example: new.example,
        executor: new.executor,
    };
    function.check().map_err(|error| invalid("", &error))?;
    Ok(FunctionOrder { id: shape::parsed_if(new.id)?, enabled: new.enabled, function })
}

/// A change of a function.
pub(crate) fn patch(patch: api::FunctionPatch) -> FunctionPatch {
    FunctionPatch {
        name: patch.name,
        kind: patch.kind.map(kind),
        enabled: patch.enabled,
        order: patch.order,
        pattern: patch.pattern,
        timing: patch.timing.map(|written| written.map(timing)),
        description: patch.description,
        signature: patch.signature,
        example: patch.example,
        executor: patch.executor,
    }
}

/// Functions to try out.
pub(crate) fn trial(body: api::TestFunctions) -> Result<TrialOrder, ApiError> {
    let context = body.context.unwrap_or_default();
    let enabled = read_entries(body.functions)?.into_iter().filter(|entry| entry.enabled);
    Ok(TrialOrder {
        functions: enabled.map(|entry| entry.function).collect(),
        text: body.text,
        state: Value::from(&JsonText::from_stored(body.state.text())),
        now_ms: Some(context.now_ms.unwrap_or_else(now_ms)),
        round: context.round.unwrap_or(1),
        seed: context.seed.and_then(|seed| u64::try_from(seed).ok()).unwrap_or_default(),
        recent_texts: context.recent_texts.unwrap_or_default(),
        position: TurnPosition {
            session: context.session,
            branch: context.branch,
            floor_no: context.floor,
            page: context.page,
            role: context.role,
        },
    })
}

pub(crate) fn tried(trial: Trial) -> Result<api::TestedFunctions, ApiError> {
    Ok(api::TestedFunctions {
        state: json(trial.state.to_json())?,
        calls: trial.calls.into_iter().map(tried_call).collect::<Result<_, _>>()?,
        problems: trial.problems.into_iter().map(problem).collect(),
    })
}

fn tried_call(call: TriedCall) -> Result<api::TestedCall, ApiError> {
    let (status, code, message) = match call.status {
        Status::Applied => (CommandStatus::Applied, None, None),
        Status::Repaired(how) => (CommandStatus::Repaired, None, Some(how)),
        Status::Refused(refusal) => (CommandStatus::Refused, Some(refusal.code.to_string()), Some(refusal.message)),
    };
    let args = call.args.iter().map(|arg| json(arg.to_json())).collect::<Result<Vec<Json>, _>>()?;
    #[allow(clippy::cast_precision_loss)]
    let duration_ms = call.duration_us as f64 / 1_000.0;
    Ok(api::TestedCall { function: call.function, args, status, code, message, log: call.log, duration_ms })
}
