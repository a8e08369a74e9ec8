//! Jobs: background work.

use crate::story::ProcessReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Deletes the rows of a session that is deleted already.
    DeleteSession,
    /// Deletes the rows of an account that is closed already.
    DeleteAccount,
    /// Processes a branch of a session.
    ProcessSession,
    /// Imports a long chat, which becomes a session when all of it is stored. If that breaks off, the job deletes what there is.
    ImportSession,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Not started.
    Waiting,
    /// Running.
    Running,
    /// Done.
    Done,
    /// Cancelled.
    Cancelled,
    /// Failed; `problem` says why.
    Failed,
}

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub id: String,
    /// What it does.
    pub kind: JobKind,
    /// Its state.
    pub state: JobState,
    /// What it works on: the id that the session or the account had.
    pub subject_id: String,
    /// Rows, or pages of a story, that are done.
    #[schema(minimum = 0)]
    pub done: i64,
    /// Rows, or pages, in all, as far as is known; 0 for a deletion that has not started.
    #[schema(minimum = 0)]
    pub total: i64,
    /// Why it makes no progress; null while it does.
    #[schema(required = true)]
    pub problem: Option<String>,
    /// The result of processing so far; only on jobs that process, and where one is read by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ProcessReport, required = false)]
    pub report: Option<ProcessReport>,
    /// When it was made.
    pub created_at: i64,
    /// When it last made progress.
    pub updated_at: i64,
}

crate::list::list_order!(JobOrder, JobSort, "jobs", "created_at" "desc",
    /// In the order of creation.
    CreatedAt
);
