//! What a client does next. The story of `operations.rs` is one; later work can tell others.

use crate::http::{Answer, Request};
use crate::random::Random;
use crate::things::{Change, Things, after, hangs_on};
use std::collections::BTreeMap;

/// Decides what a client does next, from what it knows.
pub trait Story: Send {
    fn next(&mut self, mind: &mut Mind, random: &mut Random) -> Step;
}

/// One request and what it must change: all of it if it happened, nothing if it did not.
///
/// A client puts an `Idempotency-Key` on what its story chose, so that a step whose end is unknown can be sent again.
#[derive(Debug, Clone)]
pub struct Step {
    pub name: &'static str,
    pub request: Request,
    pub changes: Vec<Change>,
    /// What may be there already while not all of it is. Sent again, it goes on from there.
    pub stages: Vec<Vec<Change>>,
    /// Whether it is answered even if only some of its stages could be stored. Then the answer says so.
    pub lags: bool,
    /// What it adds to the counter that all clients share.
    pub shared: i64,
}

impl Step {
    pub fn new(name: &'static str, request: Request, changes: Vec<Change>) -> Step {
        Step { name, request, changes, stages: Vec::new(), lags: false, shared: 0 }
    }
}

impl Step {
    /// Whether an answer says that all is done.
    pub fn is_done(&self, answer: &Answer) -> bool {
        answer.is_success() && !(self.lags && answer.body()["data"]["processed"].is_null())
    }
}

/// What is in the trash, and how it is recognised.
#[derive(Debug, Clone)]
pub struct Binned {
    /// What comes back with it.
    pub things: Things,
    /// What its session was right behind the deletion: as long as it is the same, all of it fits there.
    pub left: Things,
}

/// How the name ends of what says that something of an id is in the trash.
pub const TRASHED: &str = " trashed";

/// What a client knows: its own name and what it has stored.
pub struct Mind {
    pub name: String,
    pub things: Things,
    /// What it has put into the trash, by what it is called there.
    pub bin: BTreeMap<String, Binned>,
    made: u64,
}

impl Mind {
    pub fn new(name: String) -> Mind {
        Mind { name, things: Things::new(), bin: BTreeMap::new(), made: 0 }
    }

    /// An id that was never used, below this one.
    pub fn fresh(&mut self, above: &str, letter: char) -> String {
        self.made += 1;
        format!("{above}.{letter}{}", self.made)
    }

    /// The ids of everything of a kind whose value is as wanted.
    pub fn ids(&self, kind: &str, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let pairs = self.things.iter().filter_map(|(name, value)| Some((name.split_once(' ')?, value)));
        pairs.filter(|((_, found), value)| *found == kind && wanted(value)).map(|((id, _), _)| id).collect()
    }

    /// Everything that hangs on an id.
    pub fn tree(&self, id: &str) -> Things {
        let own = self.things.iter().filter(|(name, _)| hangs_on(name, id));
        own.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Stores what these changes lead to, and remembers what they put into the trash.
    pub fn apply(&mut self, changes: &[Change]) {
        let left = after(&self.things, changes);
        // What comes back may bring the word along that something else of it is still there.
        let goes = changes.iter().any(|change| matches!(change, Change::RemoveTree(_)));
        for change in changes.iter().filter(|_| goes) {
            if let Change::Put(name, kind) = change
                && let Some(id) = name.strip_suffix(TRASHED)
            {
                let before = self.tree(id);
                self.bin.insert(format!("{id} {kind}"), Binned { things: before, left: Things::new() });
            }
        }
        self.things = left;
        let trees: Vec<(String, Things)> =
            self.bin.keys().filter_map(|name| Some((name.clone(), self.tree(name.split_once(' ')?.0)))).collect();
        for (name, tree) in trees {
            if let Some(binned) = self.bin.get_mut(&name).filter(|binned| binned.left.is_empty()) {
                binned.left = tree;
            }
        }
    }

    /// How many there are of a kind below an id.
    pub fn count(&self, kind: &str, above: &str) -> usize {
        self.ids(kind, |_| true).iter().filter(|id| id.starts_with(above)).count()
    }
}
