//! Imports on the wire.

use crate::output::convert;
use tavernkeep_api::import as api;
use tavernkeep_runtime::{ComparedStates, FileKind, FloorDifference, ImportOutcome, ImportReport};

/// What came of an import.
pub(crate) fn report(report: ImportReport, dry_run: bool) -> api::ImportReport {
    api::ImportReport {
        kind: match report.kind {
            FileKind::Chat => api::ImportKind::Chat,
            FileKind::Card => api::ImportKind::Card,
        },
        outcome: match report.outcome {
            ImportOutcome::Created => api::ImportOutcome::Created,
            ImportOutcome::Updated => api::ImportOutcome::Updated,
            ImportOutcome::Unchanged => api::ImportOutcome::Unchanged,
        },
        dry_run,
        name: report.name,
        session_id: report.session.map(|id| id.to_string()),
        character_id: report.character.map(|id| id.to_string()),
        chat: report.chat.map(|chat| api::ImportedChat {
            messages: chat.messages,
            swipes: chat.swipes,
            hidden: chat.hidden,
            states: chat.states,
        }),
        card: report.card.map(|card| api::ImportedCard {
            greetings: card.greetings,
            functions: card.functions,
            template: card.template,
            image: card.image,
        }),
        remarks: report.remarks,
        remarks_count: report.remarks_count,
        updated: report.synced.map(|synced| api::UpdatedChat {
            unchanged: synced.unchanged,
            created: synced.created,
            changed: synced.changed,
            moved: synced.moved,
            deleted: synced.deleted,
            trash_id: synced.trash.map(|trash| trash.to_string()),
        }),
        processed: report.processed.map(|processed| convert::process_report(processed, dry_run)),
        job_id: report.job.map(|job| job.to_string()),
    }
}

/// How states that came with a chat compare with ours.
pub(crate) fn compared_states(states: ComparedStates) -> api::ComparedStates {
    let difference = |found: FloorDifference| api::StateDifference {
        floor_id: found.floor.to_string(),
        floor_no: found.floor_no,
        page_id: found.page.to_string(),
        path: found.path,
        ours: found.ours,
        theirs: found.theirs,
        cause: cause(&found.cause),
        message: found.message,
    };
    api::ComparedStates {
        compared: states.compared,
        differing: states.differing,
        kept: states.kept,
        differences: states.differences.into_iter().map(difference).collect(),
    }
}

fn cause(word: &str) -> api::DifferenceCause {
    match word {
        "first_state" => api::DifferenceCause::FirstState,
        "refused" => api::DifferenceCause::Refused,
        "command" => api::DifferenceCause::Command,
        "not_there" => api::DifferenceCause::NotThere,
        _ => api::DifferenceCause::Elsewhere,
    }
}
