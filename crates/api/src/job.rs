//! Jobs: work that goes on after its request was answered.

use crate::story::ProcessReport;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Takes away what a deleted session consists of. The session itself is gone already.
    DeleteSession,
    /// Takes away what an account consists of, and the account. The account is closed already.
    DeleteAccount,
    /// Processes a branch of a session.
    ProcessSession,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Nobody has begun.
    Waiting,
    /// Somebody works on it.
    Running,
    /// It is done.
    Done,
    /// It was stopped.
    Cancelled,
    /// It cannot be done; `problem` says why.
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
    /// Where it stands.
    pub state: JobState,
    /// What it works on: the id that the session or the account had.
    pub subject_id: String,
    /// Rows, or pages of a story, that are done.
    #[schema(minimum = 0)]
    pub done: i64,
    /// Rows, or pages, in all, as far as is known; of a deletion 0 until somebody has begun.
    #[schema(minimum = 0)]
    pub total: i64,
    /// Why it does not get on; null while it does.
    #[schema(required = true)]
    pub problem: Option<String>,
    /// What came of processing so far; only on jobs that process, and where one is read by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ProcessReport, required = false)]
    pub report: Option<ProcessReport>,
    /// When it was made, in ms since 1970.
    pub created_at: i64,
    /// When it last got on.
    pub updated_at: i64,
}

/// How a list of jobs is sorted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct JobOrder {
    /// By what.
    #[param(inline, default = "created_at")]
    pub sort_by: Option<JobSort>,
    /// In which direction.
    #[param(inline, default = "desc")]
    pub sort_order: Option<crate::list::Direction>,
}

/// By what a list of jobs is sorted.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobSort {
    /// In the order of creation.
    CreatedAt,
}
