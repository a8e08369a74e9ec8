//! Tools of a session: the scratchpad, groups and settings, calls, approvals. They are guarded by a clock of their own.

pub mod approval_rows;
pub mod approvals;
pub mod call_bodies;
pub mod call_rows;
pub mod calls;
pub mod clock;
pub mod grants;
pub mod journal;
pub mod pad;
pub mod settings;
pub mod stamp;
pub mod stored_text;
