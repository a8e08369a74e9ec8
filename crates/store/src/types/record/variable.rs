//! Variables, where they are, and what is to become of them.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::resolve::Scoped;
use tavernkeep_engine::scope::Scope;

/// What a variable hangs on, by public ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Host {
    Global,
    Chat(Id),
    /// A branch of a session: session and the branch's name.
    Branch(Id, String),
    Floor(Id),
    Page(Id),
}

impl Host {
    pub fn scope(&self) -> Scope {
        match self {
            Host::Global => Scope::Global,
            Host::Chat(_) => Scope::Chat,
            Host::Branch(..) => Scope::Branch,
            Host::Floor(_) => Scope::Floor,
            Host::Page(_) => Scope::Page,
        }
    }
}

/// A key and a value on a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub id: Id,
    pub host: Host,
    pub key: Key,
    pub value: JsonText,
    pub updated_at: i64,
    /// The tick of its session's clock (the account's for global ones) at the last write.
    pub revision: i64,
}

impl Scoped for Variable {
    fn key(&self) -> &str {
        self.key.as_str()
    }

    fn scope(&self) -> Scope {
        self.host.scope()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub host: Host,
    pub key: Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Condition {
    #[default]
    None,
    Exists,
    Absent,
    /// Only if its revision is still this one.
    Revision(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    Created,
    Updated,
}
