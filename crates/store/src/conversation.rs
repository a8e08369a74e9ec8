//! Operations on a conversation. Each one changes rows, variables, the story and events together, in one transaction.

pub mod branches;
mod cascade;
pub mod characters;
mod commit;
pub mod floors;
pub mod greetings;
pub mod own_copies;
pub mod pages;
mod repeats;
pub mod sessions;
pub mod sync;
pub mod tags;
pub mod trash;
pub mod turns;
