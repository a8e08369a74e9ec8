//! The ends of branches that turns were stored at lately: the next turn starts from there without reading anything. What is
//! kept may be out of date; the store then refuses the turn, and it is prepared again.

use crate::lru::BytesLru;
use crate::order::NewTurn;
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::turns::{BranchEnd, TurnContext};
use tavernkeep_store::tree::MAIN_BRANCH;

/// Bytes that are kept, and what one end counts for.
const BYTES_MAX: usize = 1024 * 1024;
const BYTES_EACH: usize = 1024;

/// An account, a session, a branch.
type Key = (Id, Id, String);

pub(crate) struct BranchEnds(BytesLru<Key, BranchEnd>);

impl Default for BranchEnds {
    fn default() -> Self {
        BranchEnds(BytesLru::new(BYTES_MAX))
    }
}

impl BranchEnds {
    /// Where a turn starts, if it goes to an end that is kept.
    pub(crate) fn start(&self, account: &Id, new: &NewTurn) -> Option<TurnContext> {
        self.0.get(&key(account, new))?.start(new)
    }

    /// Keeps the end behind a turn.
    pub(crate) fn keep(&self, account: &Id, new: &NewTurn, end: BranchEnd) {
        self.0.put(key(account, new), end, BYTES_EACH);
    }
}

fn key(account: &Id, new: &NewTurn) -> Key {
    let branch = new.branch.as_deref().unwrap_or(MAIN_BRANCH);
    (account.clone(), new.session.clone(), branch.to_owned())
}
