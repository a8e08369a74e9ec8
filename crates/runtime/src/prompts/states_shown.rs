//! States as views show them: what rule packs let a model see, and states of earlier floors.

use crate::Refusal;
use crate::documents::Documents;
use crate::story::document_of;
use std::collections::{BTreeSet, HashMap};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::profile::Profile;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::states::{self, StateAt};
use tavernkeep_store::{StoreError, StoreResult};

/// A state as the rule packs of a profile show it, where they do, and what the model is asked to do now.
pub(super) fn as_shown(profile: &Profile, state: &Value) -> (Option<Value>, Vec<String>) {
    match profile.shown_by_packs(state) {
        Some(view) => (Some(view.document), view.due.into_iter().map(|due| due.text).collect()),
        None => (None, Vec::new()),
    }
}

pub(super) fn each_as_shown(profile: &Profile, states: HashMap<i64, Value>) -> HashMap<i64, Value> {
    states.into_iter().map(|(floor, state)| (floor, as_shown(profile, &state).0.unwrap_or(state))).collect()
}

/// The states at floors of a line, by their numbers as they are written. A negative number counts back from the last
/// reply, whether or not a user has written since; before the first floor there was nothing.
pub(super) fn earlier(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    (session, branch, at): (&Id, &str, &StateAt),
    floors: &BTreeSet<i64>,
) -> StoreResult<HashMap<i64, Value>> {
    let mut found = HashMap::new();
    if floors.is_empty() {
        return Ok(found);
    }
    let reply = match floors.iter().any(|&written| written < 0) {
        true => states::last_reply(tx, account, (session, branch), at.floor.as_ref())?,
        false => None,
    };
    let last = reply.map_or(0, |reply| reply.floor_no);
    for &written in floors {
        let floor_no = if written < 0 { last.saturating_add(written) } else { written };
        let state = match floor_no < 0 {
            true => Err(StoreError::Refused(Refusal::FloorNumberNotFound { branch: branch.to_owned(), floor_no })),
            false => states::of_number(tx, account, session, branch, floor_no),
        };
        match state {
            Ok(at) => {
                found.insert(written, document_of(tx, documents, account, &at)?);
            }
            Err(StoreError::Refused(Refusal::FloorNumberNotFound { .. })) if written < 0 => {
                found.insert(written, Value::empty_object());
            }
            Err(StoreError::Refused(Refusal::FloorNumberNotFound { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
