//! States that came with a chat, as MVU stores them with its messages: compared with ours floor by floor, and kept.
//!
//! A state that differs is kept as an edit of its page, so that the story goes on from what the player had. The edit says why it was
//! needed, and can be taken back like any other. Both sides start from the same state at each floor, so one difference
//! is reported once and not again on every floor behind it.

use crate::turn::{ComputedTurn, TurnBase};
use crate::{RuntimeResult, new_id};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::edit::EditOps;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BRIEF_BYTES_MAX, IMPORT_DIFFERENCES_MAX};
use tavernkeep_engine::mvu::strip;
use tavernkeep_engine::sillytavern::{StateDifference, StoredVariables, explain};
use tavernkeep_store::story::edits::{Edit, EditKind};
use tavernkeep_store::story::plan::PageDue;

/// What becomes of the states that came with a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredStates {
    /// They count where ours differ.
    Keep,
    /// They are compared, and ours count.
    Recompute,
}

/// How the states that came with a chat compare with ours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComparedStates {
    /// How many were compared.
    pub compared: usize,
    /// How many of them differ.
    pub differing: usize,
    /// How many of those were kept.
    pub kept: usize,
    /// The first differences, in the order of the chat.
    pub differences: Vec<FloorDifference>,
}

/// The first difference on one floor, and its cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FloorDifference {
    /// The floor.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// The page.
    pub page: Id,
    /// Where the states differ, as a JSON Pointer.
    pub path: String,
    /// Our value as JSON, shortened; none where we have none.
    pub ours: Option<String>,
    /// The stored value as JSON, shortened; none where there is none.
    pub theirs: Option<String>,
    /// A word for the cause.
    pub cause: String,
    /// The cause for people.
    pub message: String,
}

impl ComparedStates {
    pub(super) fn add(&mut self, part: ComparedStates) {
        self.compared += part.compared;
        self.differing += part.differing;
        self.kept += part.kept;
        let room = IMPORT_DIFFERENCES_MAX.saturating_sub(self.differences.len());
        self.differences.extend(part.differences.into_iter().take(room));
    }
}

/// The state that came with a page, without MVU's metadata.
pub(super) fn stored_state(extra: Option<&JsonText>) -> Option<Value> {
    let extra = Value::from(extra?);
    StoredVariables::of_extra(&extra).map(|stored| strip(&stored.stat_data))
}

/// Compares a computed state with the one that came with its page; the difference, if there is one.
pub(super) fn compare(before: &TurnBase, computed: &ComputedTurn, stored: &Value) -> Option<StateDifference> {
    let base = (before.round > 0).then_some(&before.document);
    let outcome = &computed.outcome;
    explain(base, &computed.document, stored, &outcome.results, &outcome.change.ops)
}

impl FloorDifference {
    pub(super) fn of(step: &PageDue, found: &StateDifference) -> FloorDifference {
        let brief = |value: &Value| {
            let text = value.to_json();
            let end = text.floor_char_boundary(BRIEF_BYTES_MAX);
            if end < text.len() { format!("{}…", &text[..end]) } else { text }
        };
        FloorDifference {
            floor: step.floor.clone(),
            floor_no: step.floor_no,
            page: step.page.clone(),
            path: found.path.clone(),
            ours: found.ours.as_ref().map(brief),
            theirs: found.theirs.as_ref().map(brief),
            cause: found.cause.as_str().to_owned(),
            message: found.message.clone(),
        }
    }
}

/// The edit that makes the stored state of a page out of ours.
pub(super) fn edit(computed: &ComputedTurn, stored: &Value, found: &StateDifference, now: i64) -> RuntimeResult<Edit> {
    let change = differences(&computed.document, stored);
    let ops = EditOps::of(&computed.document, &change);
    let reason = Some(format!("the imported chat has this state; {}: {}", found.path, found.message));
    Ok(Edit { number: 1, id: new_id()?, kind: EditKind::Edit, at: now, taken_back_at: None, reason, ops })
}
