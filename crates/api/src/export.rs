//! The lines of an export that have shapes of their own.

use crate::json::{Json, JsonObject};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// What the functions of a deleted character mean for turns; left out where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Json>,
}

/// The edits by hand of a page's state, in the order in which they are applied after its text; those that were taken back too.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedEdits {
    /// The page.
    pub page_id: String,
    /// The edits.
    pub edits: Vec<crate::edit::Edit>,
}

/// The card that a character was imported from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedCard {
    /// The character.
    pub character_id: String,
    /// The card as it was imported.
    pub card: Json,
    /// Its picture without the card, as Base64; null for a card that has none.
    pub image_base64: Option<String>,
}

/// What states of a session were computed with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedRecipe {
    /// What the states name it by.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The engine's semantics, the profile and the functions whole, and the fingerprint of the template.
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

/// Something of a session, or of the account if it names none.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OfSession<T> {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The thing itself.
    #[serde(flatten)]
    pub data: T,
}

/// What a session says about its tools.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedToolSettings {
    /// The session.
    pub session_id: String,
    /// Which groups it enables or disables.
    pub groups: BTreeMap<String, ExportedToolSetting>,
    /// What it says about tools.
    pub tools: BTreeMap<String, ExportedToolSetting>,
    /// The groups that applications registered, as they sent them.
    pub registered: Vec<Json>,
    /// The account's defaults when the session first used its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Json>,
}

/// What a session says about a group or a tool; what is left out has no setting.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedToolSetting {
    /// Whether it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What it may do without asking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Json>,
}

/// Something that is stored, cannot be read, and is left out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedDamage {
    /// The session; null for what belongs to the account.
    pub session_id: Option<String>,
    /// The kind of line it would have been.
    pub kind: String,
    /// Which one: its id, or the page's; null where not even that can be read, and then the others of its kind are left out too.
    pub id: Option<String>,
    /// What is wrong.
    pub message: String,
}
