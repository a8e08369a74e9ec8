//! The lines of an export that look like nothing else.

use crate::json::{Json, JsonObject};
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line<T> {
    /// What it is.
    pub kind: String,
    /// The thing itself.
    pub data: T,
}

/// A session with how its story is told. What a deleted character said for it is here, as if it were its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedSession {
    /// The session.
    #[serde(flatten)]
    pub session: Session,
    /// The state that the story starts from; null for the character's, or an empty one.
    pub template: Option<JsonObject>,
    /// Whether texts are processed; only a deleted character can forbid it here.
    pub enabled: bool,
}

/// What states of a session were computed with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedRecipe {
    /// What the states name it by.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The engine's semantics, the profile whole, and the fingerprint of the template.
    pub recipe: Json,
}

/// A state and what it was made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedSnapshot {
    /// Its id.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The page; null if it was deleted.
    pub page_id: Option<String>,
    /// The state.
    pub state: Json,
    /// Whether somebody changed it by hand.
    pub edited: bool,
    /// What it was computed with.
    pub recipe_id: String,
    /// The time that the turn was told, in ms since 1970.
    pub told_at: i64,
    /// The number of the turn in the story.
    pub round: i64,
    /// When it got its id.
    pub created_at: i64,
    /// When it got the state it has.
    pub updated_at: i64,
}
