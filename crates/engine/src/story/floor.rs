//! The life cycle of a floor: `draft → generating → committed | failed`.

crate::kept_as_text!(FloorState, PageKind);

crate::stored_enum! {
    /// Where a floor stands in its life.
    FloorState {
        /// Being prepared; everything on it may change.
        Draft = "draft",
        /// A model is writing; its variables are locked until the lease ends.
        Generating = "generating",
        /// Part of the story; its variables are locked.
        Committed = "committed",
        /// Given up; its variables may be mended by hand.
        Failed = "failed",
    }
}

impl FloorState {
    /// Whether a floor may go from this state to `next`.
    pub fn may_become(self, next: FloorState) -> bool {
        use FloorState::{Committed, Draft, Failed, Generating};
        matches!((self, next), (Draft, Generating | Failed) | (Generating, Committed | Failed))
    }

    /// Whether variables on the floor and its pages may be written.
    pub fn variables_writable(self) -> bool {
        matches!(self, FloorState::Draft | FloorState::Failed)
    }

    /// The state at `now_ms`: a floor whose lease ended while it was generating has failed, whether or not anybody has
    /// written that down yet.
    pub fn at(self, lease_until_ms: Option<i64>, now_ms: i64) -> FloorState {
        match (self, lease_until_ms) {
            (FloorState::Generating, Some(until)) if until <= now_ms => FloorState::Failed,
            _ => self,
        }
    }
}

crate::stored_enum! {
    /// What a page holds: what a person wrote, what a model wrote, or both.
    PageKind {
        /// Text that goes into a prompt.
        Input = "input",
        /// Text that came out of a model.
        Output = "output",
        /// Both in one page.
        Mixed = "mixed",
    }
}
