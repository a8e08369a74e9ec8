//! The shapes that come out of the store and the orders that go in. They are plain data: no SQL, no wire format. Times are
//! in ms since 1970.

mod account;
mod conversation;
mod event;
mod function;
mod job;
mod ledger;
mod listing;
mod resolve;
mod variable;

pub use account::{Account, ApiKey};
pub use conversation::{Branch, Character, CharacterSummary, Floor, Page, Session};
pub use event::{Event, EventKind, EventPosition, Stream};
pub use function::{Function, FunctionOrigin, LibraryEntry};
pub use job::{Deletion, Job, JobKind, JobLane, JobState};
pub use ledger::{HistoryEntry, HistorySource, Ledger, Promotion, StagedWrite};
pub use listing::{KeyFilter, Listed, Region, VariableQuery, VariableSort, Window};
pub use resolve::{Before, Computed, Context, ResolveQuery, Resolved, SessionStamp, Winner};
pub use variable::{Action, Condition, Host, Target, Variable};
