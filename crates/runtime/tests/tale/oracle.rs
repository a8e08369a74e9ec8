//! What should be shown, computed naively: every page keeps a whole copy of its document and what it was made of, and every
//! branch keeps a whole copy of the floors that it was forked from. Whether a document is fresh is found out by walking
//! back to the beginning.

mod chat;
mod job;
mod order;
mod path;
mod process;
mod settings;
mod shown;
mod structure;
mod undo;

use crate::tree::{Spot, Swipe, stands};
use std::collections::BTreeMap;

pub use crate::tree::At;
pub use chat::{Role, Said};
pub use job::Job;
pub use order::{Mode, Order};
pub use settings::{Recipe, Says, Settings};
pub use shown::{Reason, Shown};
pub use undo::Kept;

pub type Document = BTreeMap<&'static str, i64>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Add(&'static str, i64),
    Set(&'static str, i64),
}

pub type Text = Vec<Command>;

/// An edit by hand: it counts however the texts before it change.
#[derive(Debug, Clone)]
pub struct Edit {
    sets: Document,
    pub is_undo: bool,
    pub is_taken_back: bool,
    /// How often processing had been asked for when it was made.
    asks: u64,
}

#[derive(Debug, Clone)]
pub struct State {
    pub document: Document,
    /// The document without the edits.
    unedited: Document,
    /// No two states have the same.
    token: u64,
    parent: Option<u64>,
    text: Text,
    recipe: Recipe,
    pub edited: bool,
    /// The edits that it was computed with.
    edits: Vec<usize>,
}

#[derive(Debug, Clone)]
pub struct Branch {
    pub is_alive: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Floor {
    pub spot: Spot,
    pub is_committed: bool,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub swipe: Swipe,
    pub role: Role,
    pub text: Text,
    pub edits: Vec<Edit>,
    pub state: Option<State>,
    /// Whether it is deleted and in the trash no more.
    pub is_gone: bool,
}

impl Page {
    /// The edits that count.
    fn counting(&self) -> Vec<usize> {
        (0..self.edits.len()).filter(|&edit| !self.edits[edit].is_taken_back).collect()
    }
}

stands!(Floor, spot: Spot);
stands!(Page, swipe: Swipe);

#[derive(Debug, Default)]
pub struct World {
    pub settings: Settings,
    pub branches: Vec<Branch>,
    pub floors: Vec<Floor>,
    pub pages: Vec<Page>,
    /// Processing that has not come to its end.
    pub jobs: Vec<Job>,
    pub tokens: u64,
    /// How often processing was asked for.
    pub asks: u64,
}
