//! Effects: what a turn wants to happen outside of its document. They are rows until the page is committed for the first
//! time, and recomputing a turn performs none.

use crate::json::JsonText;
use crate::names::key::Key;
use crate::names::scope::Scope;
use crate::packs::Archived;

/// Something to be done when the page of a turn is committed for the first time.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write a variable of the page, or of what it stands on.
    SetVariable {
        /// Where: any scope below `global`.
        scope: Scope,
        /// The key.
        key: Key,
        /// The value.
        value: JsonText,
    },
    /// Keep values that left the document. They belong to the version: they count while it is its page's, so there is nothing
    /// to perform and nothing to take back.
    Archive(Archived),
}
