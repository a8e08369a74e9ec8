//! The rules of the story state: when a page's state still fits, and when a whole document is stored.
//!
//! A state is made of three things: the version of the page before it, the page's own text, and the page's edits by hand. It
//! fits while all of them are what they were; it is *fresh* when it fits and the page before it is fresh.

pub mod floor;
pub mod garbage;
pub mod resolve;
pub mod staging;
pub mod sync;

/// The number of the engine's semantics. It rises when the same turn with the same recipe would give another document,
/// so that states of older engines are known as outdated.
///
/// 2: with the profile `mvu`, marks in a template become a schema, which turns enforce and carry along; the states of 1 have
/// the marks in them.
///
/// 3: marks leave a template also where a schema is given; protected parts inside lists and pairs, impossible dates, negative
/// limits and tasks with an unchanged limit in the rule pack `memory`.
pub const SEMANTICS: u32 = 3;

/// Changes that are replayed at most to read one document.
pub const KEYFRAME_CHANGES_MAX: i64 = 24;

/// Below so many bytes of changes no keyframe is due: replaying them costs less than another row.
pub const KEYFRAME_BYTES_MIN: i64 = 1024;

/// A fingerprint of a text, a template or a recipe.
pub type Hash = [u8; 16];

/// What lies before a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// Nothing: the first state comes from the template.
    Template,
    /// The page before, with this version.
    Version(i64),
    /// A page before that has no state yet.
    Unprocessed,
}

impl Base {
    /// The version of the page before.
    pub fn version_row(self) -> Option<i64> {
        match self {
            Base::Version(row) => Some(row),
            Base::Template | Base::Unprocessed => None,
        }
    }
}

/// What a state was made of, or would be made of now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// What lies before the page.
    pub base: Base,
    /// The text, where its fingerprint is known.
    pub text: Option<Hash>,
    /// The edits by hand; none where there are none.
    pub edits: Option<Hash>,
}

crate::stored_enum! {
    /// Why a state is not fresh.
    StaleReason {
        /// The page was never processed.
        Unprocessed = "unprocessed",
        /// The page's text is another one.
        TextChanged = "text_changed",
        /// The page before has another state, or is another page.
        ParentChanged = "parent_changed",
        /// The state fits the page before it, and an earlier one does not fit its own.
        EarlierStale = "earlier_stale",
        /// The page has other edits by hand.
        EditsChanged = "edits_changed",
    }
}

impl Inputs {
    /// Why a state that was made of `made_of` does not fit what is there now; nothing if it fits.
    ///
    /// ```
    /// use tavernkeep_engine::story::{Base, Inputs, StaleReason};
    ///
    /// let now = Inputs { base: Base::Version(7), text: Some([1; 16]), edits: None };
    /// assert_eq!(now.misfit(Some(&now)), None);
    /// assert_eq!(now.misfit(None), Some(StaleReason::Unprocessed));
    /// let other = Inputs { base: Base::Template, ..now };
    /// assert_eq!(now.misfit(Some(&other)), Some(StaleReason::ParentChanged));
    /// ```
    pub fn misfit(&self, made_of: Option<&Inputs>) -> Option<StaleReason> {
        match made_of {
            None => Some(StaleReason::Unprocessed),
            Some(made_of) if made_of.text != self.text || self.text.is_none() => Some(StaleReason::TextChanged),
            Some(made_of) if made_of.base != self.base || self.base == Base::Unprocessed => {
                Some(StaleReason::ParentChanged)
            }
            Some(made_of) if made_of.edits != self.edits => Some(StaleReason::EditsChanged),
            Some(_) => None,
        }
    }
}

/// What has changed since the last keyframe, the newest change included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Since {
    /// How many changes.
    pub changes: i64,
    /// Their bytes as they are stored.
    pub bytes: i64,
}

impl Since {
    /// The same with one more change.
    #[must_use]
    pub fn and(self, bytes: usize) -> Since {
        Since { changes: self.changes + 1, bytes: self.bytes.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX)) }
    }

    /// Whether the whole document is stored now: the changes add up to half of it, or there are many.
    pub fn keyframe_is_due(self, document_bytes: usize) -> bool {
        let half = i64::try_from(document_bytes / 2).unwrap_or(i64::MAX);
        self.changes >= KEYFRAME_CHANGES_MAX || self.bytes >= half.max(KEYFRAME_BYTES_MIN)
    }
}
