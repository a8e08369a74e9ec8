//! A call is a row that goes through states. What happens next is decided here and done by the runtime.
//!
//! ```text
//! new ─► not_found | error | execution_rejected
//!     ─► awaiting_approval (execution) ─► running | awaiting_client | execution_rejected | cancelled
//!     ─► running ─► success | error | awaiting_approval (result) | cancelled | interrupted
//!     ─► awaiting_client ─► success | error | awaiting_approval (result) | cancelled | interrupted
//! awaiting_approval (result) ─► success | error | result_rejected | cancelled
//! ```

use std::fmt;

crate::stored_enum! {
    /// What has become of a call.
    CallStatus {
        /// A person decides: whether it runs, or whether its result may be seen.
        AwaitingApproval = "awaiting_approval",
        /// The application that registered the tool runs it.
        AwaitingClient = "awaiting_client",
        /// The tool runs.
        Running = "running",
        /// The tool did it.
        Success = "success",
        /// The tool failed, or could not be called.
        Error = "error",
        /// A person or a rule refused to run it.
        ExecutionRejected = "execution_rejected",
        /// A person refused to show its result.
        ResultRejected = "result_rejected",
        /// There is no such tool, or it is disabled.
        NotFound = "not_found",
        /// It was given up.
        Cancelled = "cancelled",
        /// The program died while the tool ran, or its application returned nothing in time: nobody knows what it did. It is
        /// never run again by itself.
        Interrupted = "interrupted",
    }
}

impl CallStatus {
    /// Whether nothing can happen to the call any more.
    pub fn has_ended(self) -> bool {
        !matches!(self, CallStatus::AwaitingApproval | CallStatus::AwaitingClient | CallStatus::Running)
    }
}

crate::stored_enum! {
    /// What a person decides about.
    ApprovalKind {
        /// Whether the tool runs.
        Execution = "execution",
        /// Whether its result may be seen.
        Result = "result",
    }
}

crate::stored_enum! {
    /// What became of an approval.
    ApprovalOutcome {
        /// A person approved.
        Approved = "approved",
        /// A person rejected.
        Rejected = "rejected",
        /// Nobody decided in time.
        TimedOut = "timed_out",
        /// The call was cancelled.
        Cancelled = "cancelled",
    }
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// It has been asked for and nothing is decided.
    New,
    /// A person decides whether it runs.
    AwaitingExecution,
    /// The application runs it.
    AwaitingClient,
    /// It runs here.
    Running,
    /// A person decides whether the result may be seen; whether the tool succeeded.
    AwaitingResult {
        /// Whether it did.
        succeeded: bool,
    },
    /// It has ended.
    Ended(CallStatus),
}

impl CallState {
    /// The state as others see it.
    pub fn status(self) -> CallStatus {
        match self {
            CallState::New | CallState::Running => CallStatus::Running,
            CallState::AwaitingExecution | CallState::AwaitingResult { .. } => CallStatus::AwaitingApproval,
            CallState::AwaitingClient => CallStatus::AwaitingClient,
            CallState::Ended(status) => status,
        }
    }
}

/// Why a call whose approval nobody decided about was rejected.
pub const NOBODY_DECIDED: &str = "Nobody decided in time";
/// Why a call whose application returned nothing was given up.
pub const CLIENT_SILENT: &str = "The application returned no result in time";
/// Why a call that was given up ended.
pub const CANCELLED: &str = "Cancelled";
/// The same if its tool may have begun: nobody can take back what it did.
pub const CANCELLED_RUNNING: &str = "Cancelled while it was running; it may have had an effect";
/// Why a call whose process is gone ended.
pub const PROCESS_ENDED: &str = "The process that ran it ended";

impl CallState {
    /// The state of a call whose time to wait has passed, and why; none if it waits for nobody.
    pub fn expired(self) -> Option<(CallEvent, &'static str)> {
        match self {
            CallState::AwaitingExecution | CallState::AwaitingResult { .. } => {
                Some((CallEvent::Rejected, NOBODY_DECIDED))
            }
            CallState::AwaitingClient => Some((CallEvent::Died, CLIENT_SILENT)),
            _ => None,
        }
    }
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEvent {
    /// There is no such tool.
    NotFound,
    /// Its arguments cannot be resolved.
    Unresolvable,
    /// It may run; whether an application runs it.
    Admitted {
        /// Whether it is a tool of an application.
        by_client: bool,
    },
    /// A person has to be asked.
    Asked,
    /// It was refused without asking, or by a person, or because nobody decided in time.
    Rejected,
    /// The tool has returned.
    Returned {
        /// Whether it succeeded.
        succeeded: bool,
        /// Whether a person has to see the result first.
        ask: bool,
    },
    /// A person lets the result through.
    ResultApproved,
    /// The call is given up.
    Cancelled,
    /// The program that ran it is gone, or its application returned nothing in time.
    Died,
}

/// What the runtime has to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStep {
    /// Nothing but storing the state.
    Store,
    /// Ask a person.
    Ask(ApprovalKind),
    /// Run the tool, once the state is stored.
    Run,
    /// Hand it to its application.
    HandOver,
    /// Put the result on the scratchpad and show it.
    Publish,
    /// Delete every trace of the result.
    Discard,
}

/// The event does not fit the state of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongState(pub CallStatus);

impl fmt::Display for WrongState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the call is '{}', which does not allow this", self.0.as_str())
    }
}

/// The state of a call after an event, and what has to be done.
pub fn next(state: CallState, event: CallEvent) -> Result<(CallState, CallStep), WrongState> {
    use CallEvent as E;
    use CallState as S;
    let end = |status| (S::Ended(status), CallStep::Store);
    let ended = |succeeded| if succeeded { CallStatus::Success } else { CallStatus::Error };
    Ok(match (state, event) {
        (S::New, E::NotFound) => end(CallStatus::NotFound),
        (S::New, E::Unresolvable) => end(CallStatus::Error),
        (S::New, E::Asked) => (S::AwaitingExecution, CallStep::Ask(ApprovalKind::Execution)),
        (S::New | S::AwaitingExecution, E::Admitted { by_client: false }) => (S::Running, CallStep::Run),
        (S::New | S::AwaitingExecution, E::Admitted { by_client: true }) => (S::AwaitingClient, CallStep::HandOver),
        (S::New | S::AwaitingExecution, E::Rejected) => end(CallStatus::ExecutionRejected),
        (S::Running | S::AwaitingClient, E::Returned { succeeded, ask: true }) => {
            (S::AwaitingResult { succeeded }, CallStep::Ask(ApprovalKind::Result))
        }
        (S::Running | S::AwaitingClient, E::Returned { succeeded, ask: false }) => {
            (S::Ended(ended(succeeded)), CallStep::Publish)
        }
        (S::AwaitingResult { succeeded }, E::ResultApproved) => (S::Ended(ended(succeeded)), CallStep::Publish),
        (S::AwaitingResult { .. }, E::Rejected) => (S::Ended(CallStatus::ResultRejected), CallStep::Discard),
        (S::AwaitingResult { .. }, E::Cancelled) => (S::Ended(CallStatus::ResultRejected), CallStep::Discard),
        (S::AwaitingExecution | S::AwaitingClient | S::Running, E::Cancelled) => end(CallStatus::Cancelled),
        (S::Running | S::AwaitingClient, E::Died) => end(CallStatus::Interrupted),
        (state, _) => return Err(WrongState(state.status())),
    })
}
