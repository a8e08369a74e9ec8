//! The lines of an export that have shapes of their own.

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

/// A session and its settings. Settings of a deleted character are exported as its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedSession {
    /// The session.
    #[serde(flatten)]
    pub session: Session,
    /// The state that the story starts from; null for the character's, or an empty one.
    pub template: Option<JsonObject>,
    /// Whether texts are processed; false only if a deleted character was disabled.
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
    /// Whether it was edited by hand.
    pub edited: bool,
    /// What it was computed with.
    pub recipe_id: String,
    /// The time of the turn.
    pub told_at: i64,
    /// The number of the turn in the story.
    pub round: i64,
    /// When it was created.
    pub created_at: i64,
    /// When its state last changed.
    pub updated_at: i64,
}
