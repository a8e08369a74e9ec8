//! Functions of the library.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{Conflict, LibraryFunction};

/// An author's function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    pub id: Id,
    /// The character that has it; none for the account's.
    pub character: Option<Id>,
    pub enabled: bool,
    pub function: LibraryFunction,
    pub created_at: i64,
    /// The tick of the account's clock at the last change.
    pub revision: i64,
}

/// A function as the library of a scope shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryEntry {
    pub id: Id,
    /// The character in whose library it stands; none for the account's.
    pub character: Option<Id>,
    pub origin: FunctionOrigin,
    /// Whether it counts in this scope.
    pub enabled: bool,
    pub function: LibraryFunction,
    /// When it was created.
    pub created_at: Option<i64>,
    /// The tick of the account's clock at the last change; 0 for what is as it came.
    pub revision: i64,
    /// What it gets in the way of while it counts.
    pub conflicts: Vec<Conflict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FunctionOrigin {
    /// A person wrote it.
    Own,
    /// The engine does it.
    BuiltIn,
    /// It comes with the program, as code.
    Starter,
}
