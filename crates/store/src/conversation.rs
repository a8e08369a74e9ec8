//! Operations on a conversation. Each one changes rows, variables, the story and events together, in one transaction.

pub mod branches;
pub mod cards;
mod cascade;
pub mod characters;
pub mod chat_files;
mod commit;
pub mod floors;
pub mod greetings;
pub mod imports;
pub mod own_copies;
pub mod pages;
mod repeats;
pub mod sessions;
pub mod sync;
pub mod tags;
pub mod trash;
pub mod turns;
