//! The story state: one document for each page, as versions that never change and snapshots that point to them.
//!
//! A floor is part of the story once it is committed. Its *story page* is the active page of its last slot that commands
//! are read from: `output` and `mixed`, and `input` too where the session's profile reads what people write.

pub mod archive;
pub mod cleanup;
pub mod definitions;
pub mod edits;
pub(crate) mod effects;
mod flags;
pub mod functions;
pub mod garbage;
pub mod goal;
pub mod inventory;
pub mod origins;
pub(crate) mod places;
pub mod plan;
pub mod recipes;
pub mod results;
pub mod settings;
pub mod snapshots;
pub mod states;
pub mod texts;
pub mod versions;
pub mod walk;

pub use effects::EffectKind;
pub(crate) use flags::{
    are_many, around, invalidate_flags, refresh, refresh_changed, refresh_or_leave, reindex_next, wrong_flags,
};
