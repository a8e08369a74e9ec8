//! Orders about the function library.

use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{FunctionType, LibraryFunction, Timing};

/// Whose functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionScope {
    /// The account's: they count for all of its sessions.
    Global,
    /// Those of a character: they count for its sessions.
    Character(Id),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFunction {
    pub id: Id,
    pub enabled: bool,
    pub function: LibraryFunction,
}

/// A function in the list of a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFunction {
    /// The one that it replaces, if the character has it.
    pub id: Option<Id>,
    pub enabled: bool,
    pub function: LibraryFunction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCopy {
    /// The id of the copy.
    pub id: Id,
    pub scope: FunctionScope,
    /// Another name for the copy.
    pub name: Option<String>,
}

/// What changes on a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionPatch {
    pub name: Option<String>,
    pub kind: Option<FunctionType>,
    pub enabled: Option<bool>,
    pub order: Option<i64>,
    pub pattern: Option<Option<String>>,
    pub timing: Option<Option<Timing>>,
    pub description: Option<String>,
    pub signature: Option<Option<String>>,
    pub example: Option<Option<String>>,
    pub executor: Option<String>,
}

impl FunctionPatch {
    /// Whether nothing but the switch changes.
    pub fn only_switches(&self) -> bool {
        let FunctionPatch { enabled, .. } = *self;
        enabled.is_some() && *self == FunctionPatch { enabled, ..FunctionPatch::default() }
    }

    /// The function with the changes. A field that its new type has no use for goes away unless the patch sets it.
    pub fn apply(&self, mut function: LibraryFunction) -> LibraryFunction {
        fn put<T: Clone>(field: &mut T, new: Option<&T>) {
            if let Some(new) = new {
                field.clone_from(new);
            }
        }
        put(&mut function.name, self.name.as_ref());
        put(&mut function.order, self.order.as_ref());
        put(&mut function.description, self.description.as_ref());
        put(&mut function.signature, self.signature.as_ref());
        put(&mut function.example, self.example.as_ref());
        put(&mut function.executor, self.executor.as_ref());
        if let Some(kind) = self.kind.filter(|kind| *kind != function.kind) {
            function.kind = kind;
            (function.pattern, function.timing) = (None, None);
        }
        put(&mut function.pattern, self.pattern.as_ref());
        put(&mut function.timing, self.timing.as_ref());
        function
    }
}
