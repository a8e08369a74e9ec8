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
    /// The account.
    Global,
    /// A session.
    Chat(Id),
    /// A branch of a session: session and the branch's name.
    Branch(Id, String),
    /// A floor.
    Floor(Id),
    /// A page.
    Page(Id),
}

impl Host {
    /// The scope of variables on this host.
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
    /// Public id.
    pub id: Id,
    /// What it hangs on.
    pub host: Host,
    /// Its key.
    pub key: Key,
    /// Its value.
    pub value: JsonText,
    /// When it was last written.
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

/// The address of one variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// What it hangs on.
    pub host: Host,
    /// Its key.
    pub key: Key,
}

/// Under which condition a write may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Condition {
    /// Always.
    #[default]
    None,
    /// Only if the variable exists.
    Exists,
    /// Only if it does not exist.
    Absent,
    /// Only if its revision is still this one.
    Revision(i64),
}

/// Whether a write made the row or changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// The row is new.
    Created,
    /// The row was there.
    Updated,
}
