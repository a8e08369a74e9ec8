//! Staged writes: what a reply proposes for its page's variables, and what a commit decides about each proposal.

use crate::story::floor::PageKind;
use crate::{kept_as_text, stored_enum};

stored_enum! {
    /// What a staged write wants to do.
    StagedOp {
        /// Give the key a value.
        Set = "set",
        /// Take the key away.
        Delete = "delete",
    }
}

stored_enum! {
    /// How far a staged write wants to go once its page is accepted.
    Intent {
        /// It stays on the page.
        PageOnly = "page_only",
        /// To the floor.
        PromoteToFloor = "promote_to_floor_on_accept",
        /// To the floor and on to the branch.
        PromoteToBranch = "promote_to_branch_on_accept",
        /// To the floor and on to the chat.
        PromoteToChat = "promote_to_chat_on_accept",
        /// To the account's global variables. Only macros write there.
        PromoteToGlobal = "promote_to_global_on_accept",
    }
}

stored_enum! {
    /// What happens where the target has the key already.
    ConflictPolicy {
        /// The newcomer wins.
        Replace = "replace",
        /// The one who is there stays.
        IfAbsent = "if_absent",
    }
}

stored_enum! {
    /// Who proposed a write.
    SourceKind {
        /// Not specified.
        Unknown = "unknown",
        /// A macro in a prompt.
        Macro = "macro",
        /// A tool call.
        Tool = "tool",
        /// An agent.
        Agent = "agent",
        /// The memory rules.
        MemoryRuntime = "memory_runtime",
    }
}

stored_enum! {
    /// Where a staged write stands.
    StagedStatus {
        /// Not decided yet.
        Staged = "staged",
        /// It is a value of its page and goes no further.
        AcceptedPageOnly = "accepted_page_only",
        /// It went on to the floor, and perhaps further.
        Promoted = "promoted",
        /// It was refused.
        Rejected = "rejected",
        /// Its page or floor was not accepted.
        Discarded = "discarded",
    }
}

stored_enum! {
    /// Why a staged write ended as it did. The word is the reason; [`Decision::code`] is the class it belongs to.
    Decision {
        /// Nothing stood in its way.
        Allowed = "",
        /// The floor has the key, and the policy was `if_absent`.
        FloorHasKey = "promotion_skipped_if_absent",
        /// It reached the floor; branch or chat have the key, and the policy was `if_absent`.
        HigherHasKey = "higher_promotion_skipped_if_absent",
        /// The page does not exist.
        PageMissing = "page_commit_gate_source_page_missing",
        /// The page stands on another floor.
        PageElsewhere = "page_commit_gate_floor_mismatch",
        /// The page holds no output.
        PageNotOutput = "page_commit_gate_source_page_not_output",
        /// Another swipe was chosen.
        PageNotActive = "page_not_active_at_commit",
        /// The page was not the one that was committed, or its floor failed.
        PageNotAccepted = "page_not_accepted",
        /// A macro changes a value, and what is there by now cannot be changed like that.
        ChangeNotApplicable = "macro_change_not_applicable",
        /// A macro writes where nothing is or deletes a member, and by now something is there or the member is gone.
        ChangeNotNeeded = "macro_change_not_needed",
    }
}

kept_as_text!(ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus);

impl Decision {
    /// The class of the decision, on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Decision::Allowed | Decision::HigherHasKey => "promotion_allowed",
            Decision::FloorHasKey
            | Decision::PageNotAccepted
            | Decision::ChangeNotApplicable
            | Decision::ChangeNotNeeded => "policy_forbidden",
            Decision::PageMissing => "source_page_missing",
            Decision::PageElsewhere => "source_page_scope_mismatch",
            Decision::PageNotOutput => "source_page_not_output",
            Decision::PageNotActive => "source_page_not_active",
        }
    }

    /// The reason, where there is one.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Decision::Allowed => None,
            other => Some(other.as_str()),
        }
    }
}

/// What a commit needs to know of a page with staged writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// What the page holds.
    pub kind: PageKind,
    /// Whether it is the chosen swipe of its slot.
    pub is_active: bool,
    /// Whether it is the page that the commit names.
    pub is_named: bool,
}

impl Candidate {
    /// Whether the page's staged writes are accepted; otherwise how they end and why.
    pub fn gate(self) -> Result<(), (StagedStatus, Decision)> {
        match self {
            Candidate { kind: PageKind::Input, .. } => Err((StagedStatus::Rejected, Decision::PageNotOutput)),
            Candidate { is_active: false, .. } => Err((StagedStatus::Discarded, Decision::PageNotActive)),
            Candidate { is_named: false, .. } => Err((StagedStatus::Discarded, Decision::PageNotAccepted)),
            _ => Ok(()),
        }
    }
}
