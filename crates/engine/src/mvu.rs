//! MVU's classic mode: its schema, its templates, its commands and its data, as its cards rely on them.
//!
//! What is left out on purpose: code execution, NaN, dates guessed from any text. See `docs/compatibility.md`.

mod execute;
mod import;
mod locks;
mod merge;
mod number;
mod schema;
mod template;

pub(crate) use execute::{execute, perform};
pub(crate) use import::has_metadata;
pub use import::{Imported, LoreEntry, gather, greeting_init, import, initialise, read_init, strip};
pub(crate) use merge::merge_by_index;
pub(crate) use number::to_number;
pub use schema::MvuSchema;
