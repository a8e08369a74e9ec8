//! Work that takes long.

use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::kept_as_text;

/// What became of something that was to be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deletion {
    Absent,
    Done,
    /// It is in the trash, as this item.
    Trashed(Id),
    /// It is gone for everybody, and this job takes away what it consists of.
    ByJob(Id),
}

impl Deletion {
    pub fn was_there(&self) -> bool {
        *self != Deletion::Absent
    }
}

tavernkeep_engine::stored_enum! {
    JobKind {
        DeleteSession = "delete_session",
        DeleteAccount = "delete_account",
        ProcessSession = "process_session",
        /// A chat that is being imported. If that breaks off, the job purges what was written of it.
        ImportSession = "import_session",
    }
}

impl JobKind {
    pub fn lane(self) -> JobLane {
        match self {
            JobKind::DeleteSession | JobKind::DeleteAccount | JobKind::ImportSession => JobLane::Deletions,
            JobKind::ProcessSession => JobLane::Processing,
        }
    }
}

tavernkeep_engine::stored_enum! {
    /// Jobs of different lanes do not wait for each other.
    JobLane {
        Deletions = "deletions",
        Processing = "processing",
    }
}

tavernkeep_engine::stored_enum! {
    JobState {
        Waiting = "waiting",
        Running = "running",
        Done = "done",
        Cancelled = "cancelled",
        Failed = "failed",
    }
}

kept_as_text!(JobKind, JobState);

/// Work that is too long for one transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: Id,
    pub kind: JobKind,
    pub state: JobState,
    /// What it works on, by the id it had.
    pub subject: Id,
    /// Rows or pages that are done.
    pub done: i64,
    /// Rows or pages in all, as far as is known.
    pub total: i64,
    /// What it is to do and how far it got, where that is not all.
    pub work: Option<JsonText>,
    pub problem: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}
