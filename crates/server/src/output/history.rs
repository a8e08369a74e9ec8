//! Converts the history of a story to types of the API.

use crate::error::ApiError;
use tavernkeep_api::apply::ChangeVerb;
use tavernkeep_api::history as api;
use tavernkeep_api::story::StaleReason as ShownReason;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_runtime as runtime;
use tavernkeep_runtime::apply::{self, json};
use tavernkeep_runtime::{BlameEntry, BlameSource};

/// A value that may not be there.
fn value(value: Option<&Value>) -> Result<Option<tavernkeep_api::Json>, ApiError> {
    Ok(value.map(|value| json(value.to_json())).transpose()?)
}

fn text(id: Option<&Id>) -> Option<String> {
    id.map(ToString::to_string)
}

pub(crate) fn floor_change(id: &Id, change: runtime::FloorChange) -> Result<api::FloorChange, ApiError> {
    let runtime::FloorChange { at, own, change, outcome } = change;
    let (mut commands, mut problems, mut functions, mut log) = (None, None, Vec::new(), Vec::new());
    if let Some(outcome) = outcome {
        let shown = apply::commands(outcome.results, outcome.problems)?;
        (commands, problems) = (Some(shown.0), Some(shown.1));
        (functions, log) = (apply::ran(outcome.ran), apply::log(outcome.log));
    }
    Ok(api::FloorChange {
        floor_id: id.to_string(),
        page_id: text(at.page.as_ref().filter(|_| own)),
        snapshot_id: text(at.snapshot.as_ref().filter(|_| own)),
        change: apply::change(&change)?,
        fresh: at.stale.is_none(),
        edited: at.edited && own,
        commands,
        problems,
        functions,
        log,
    })
}

pub(crate) fn history(path: String, history: runtime::History) -> Result<api::History, ApiError> {
    let point = |point: runtime::Point| {
        Ok::<_, ApiError>(api::HistoryPoint {
            floor_id: point.floor.to_string(),
            floor_no: point.floor_no,
            page_id: point.page.to_string(),
            snapshot_id: point.snapshot.to_string(),
            value: value(point.value.as_ref())?,
            at: point.at,
            edited: point.edited,
            fresh: point.fresh,
        })
    };
    Ok(api::History {
        path,
        before: value(history.before.as_ref())?,
        points: history.points.into_iter().map(point).collect::<Result<_, _>>()?,
        next_after: text(history.next.as_ref()),
    })
}

/// A part of a log.
pub(crate) fn log(lines: Vec<runtime::Line>, has_more: bool) -> Result<api::Log, ApiError> {
    let last = lines.last().map(|line| line.floor.to_string());
    let floors = lines.into_iter().map(logged).collect::<Result<_, _>>()?;
    Ok(api::Log { floors, next_after: last.filter(|_| has_more) })
}

fn logged(line: runtime::Line) -> Result<api::LoggedFloor, ApiError> {
    let made = line.made;
    Ok(api::LoggedFloor {
        floor_id: line.floor.to_string(),
        floor_no: line.floor_no,
        state: line.state.as_str().to_owned(),
        page_id: text(line.page.as_ref()),
        role: line.role,
        name: line.name,
        text: line.text,
        snapshot_id: made.as_ref().map(|made| made.snapshot.to_string()),
        edited: made.as_ref().is_some_and(|made| made.edited),
        swipe: line.swipe.map(|(swipe, _)| swipe),
        swipe_count: line.swipe.map_or(0, |(_, count)| count),
        refused: made.iter().flat_map(|made| &made.refused).map(refused).collect(),
        change: made.map_or_else(|| Ok(Vec::new()), |made| differences(&made.change))?,
        fresh: line.fresh,
    })
}

fn refused(command: &runtime::RefusedCommand) -> api::RefusedCommand {
    let runtime::RefusedCommand { name, refusal } = command;
    api::RefusedCommand { name: name.clone(), code: refusal.code.to_string(), message: refusal.message.clone() }
}

/// A floor of a transcript. What was not asked for is left out.
pub(crate) fn transcript_floor(
    floor: runtime::TranscriptFloor,
    details: runtime::Details,
) -> Result<api::TranscriptFloor, ApiError> {
    let runtime::TranscriptFloor { line, content, swipes } = floor;
    let made = line.made;
    let swipe = |(swipe, content): (runtime::Swipe, Option<String>)| api::TranscriptSwipe {
        page_id: swipe.page.to_string(),
        page_no: swipe.page_no,
        version: swipe.version,
        is_active: swipe.is_active,
        role: swipe.role,
        name: swipe.name,
        content: details.content.then_some(content),
        snapshot_id: text(swipe.snapshot.as_ref()),
        edited: swipe.edited,
    };
    Ok(api::TranscriptFloor {
        floor_id: line.floor.to_string(),
        floor_no: line.floor_no,
        state: line.state.as_str().to_owned(),
        shared: line.shared,
        page_id: text(line.page.as_ref()),
        role: line.role,
        name: line.name,
        content: details.content.then_some(content),
        swipe: line.swipe.map(|(swipe, _)| swipe),
        swipe_count: line.swipe.map_or(0, |(_, count)| count),
        snapshot_id: made.as_ref().map(|made| made.snapshot.to_string()),
        fresh: line.fresh,
        edited: made.as_ref().is_some_and(|made| made.edited),
        outdated: made.as_ref().is_some_and(|made| made.outdated),
        change: match (details.changes, made) {
            (false, _) => None,
            (true, None) => Some(Vec::new()),
            (true, Some(made)) => Some(apply::change(&made.change)?),
        },
        swipes: details.swipes.then(|| swipes.into_iter().map(swipe).collect()),
    })
}

fn differences(change: &Change) -> Result<Vec<api::Difference>, ApiError> {
    change.ops.iter().map(difference).collect()
}

fn difference(op: &Op) -> Result<api::Difference, ApiError> {
    Ok(api::Difference {
        op: match op {
            Op::Add { .. } => ChangeVerb::Add,
            Op::Remove { .. } => ChangeVerb::Remove,
            Op::Replace { .. } => ChangeVerb::Replace,
        },
        path: op.path().to_pointer(),
        value: value(op.value())?,
        old: value(op.old())?,
    })
}

pub(crate) fn blame(path: String, blame: runtime::Blame) -> Result<api::Blame, ApiError> {
    let mut body = api::Blame {
        path,
        value: value(blame.value.as_ref())?,
        fresh: blame.at.stale.is_none(),
        source: api::BlameSource::Template,
        at: None,
        floor_id: None,
        floor_no: None,
        page_id: None,
        operation: None,
        command: None,
        function: None,
        command_text: None,
        text_changed: false,
    };
    match blame.source {
        BlameSource::Template => {}
        BlameSource::Absent => body.source = api::BlameSource::Nobody,
        BlameSource::Earlier(page) => {
            body.source = api::BlameSource::Earlier;
            body.page_id = text(page.as_ref());
        }
        BlameSource::Version(entry) => blame_entry(&mut body, *entry)?,
    }
    Ok(body)
}

fn blame_entry(body: &mut api::Blame, entry: BlameEntry) -> Result<(), ApiError> {
    let BlameEntry { at, by_hand, page, op, command, function } = entry;
    body.source = match (by_hand, &command, &function) {
        (true, ..) => api::BlameSource::Edit,
        (false, Some(_), _) => api::BlameSource::Command,
        (false, None, Some(_)) => api::BlameSource::Function,
        (false, None, None) => api::BlameSource::Turn,
    };
    body.function = function;
    body.at = Some(at);
    body.operation = Some(difference(&op)?);
    if let Some(page) = page {
        body.floor_id = Some(page.floor.to_string());
        body.floor_no = Some(page.floor_no);
        body.page_id = Some(page.page.to_string());
        body.text_changed = page.text.is_none() && !by_hand;
        let span = command.as_ref().map(|result| result.command.span.clone());
        let text = page.text.as_deref().zip(span).and_then(|(text, span)| text.get(span));
        body.command_text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    }
    body.command = command.map(apply::command).transpose()?;
    Ok(())
}

pub(crate) fn comparison(comparison: &runtime::Comparison) -> Result<api::Comparison, ApiError> {
    let change = differences(&comparison.change)?;
    Ok(api::Comparison { from: side(&comparison.from.at), to: side(&comparison.to.at), change })
}

fn side(at: &runtime::StateAt) -> api::Side {
    let is_orphan = at.snapshot.is_some() && at.floor.is_none();
    let (snapshot, page, floor) = at.ids();
    api::Side {
        snapshot_id: text(snapshot),
        page_id: text(page),
        floor_id: text(floor),
        fresh: (!is_orphan).then_some(at.stale.is_none()),
        stale_reason: at.stale.map(stale_reason),
        edited: at.edited,
        inherited: at.inherited,
    }
}

pub(crate) fn stale_reason(reason: StaleReason) -> ShownReason {
    match reason {
        StaleReason::Unprocessed => ShownReason::Unprocessed,
        StaleReason::TextChanged => ShownReason::TextChanged,
        StaleReason::ParentChanged => ShownReason::ParentChanged,
        StaleReason::EarlierStale => ShownReason::EarlierStale,
        StaleReason::EditsChanged => ShownReason::EditsChanged,
    }
}
