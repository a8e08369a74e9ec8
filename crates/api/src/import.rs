//! Files of SillyTavern that are imported.

use crate::apply::ProfileChoice;
use crate::json::Json;
use crate::story::ProcessReport;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// A chat: a line of JSON for each message.
    Chat,
    /// A character card: a PNG picture, or JSON.
    Card,
}

/// What to do if the chat or the character is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfExists {
    /// Refuse: `409 import_exists`.
    #[default]
    Refuse,
    /// Make it equal to the file.
    Update,
    /// Import the file beside it, under another name.
    Copy,
}

/// What becomes of the states that MVU stored with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportedStates {
    /// Where ours differ, theirs count: as edits by hand, which say why and can be taken back.
    #[default]
    Keep,
    /// They are only compared; ours count.
    Recompute,
}

/// A file. The same fields are the parts of a form (`multipart/form-data`), where the file itself is the part `file`, and each world
/// book a part `book`.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"file_name": "Hana.json", "content": "{\"name\": \"Hana\", \"first_mes\": \"Good evening.\"}"}))]
pub struct ImportRequest {
    /// The name of the file, perhaps with its folder: `Hana/Hana - 2026-11-17.jsonl`. A chat gets its name from it, and both get their
    /// character: the card `Hana.png` and the chats in the folder `Hana` belong together.
    #[schema(max_length = 4096, nullable = false)]
    pub file_name: Option<String>,
    /// The file as text.
    #[schema(nullable = false)]
    pub content: Option<String>,
    /// The file as Base64, for pictures.
    #[schema(nullable = false)]
    pub content_base64: Option<String>,
    /// What it is; left out, the ending of its name and its content say it.
    #[schema(nullable = false)]
    pub kind: Option<ImportKind>,
    /// World books, each as SillyTavern keeps it, that count for a card instead of the one inside of it: their `[initvar]` entries are
    /// the first state.
    #[schema(value_type = Option<Vec<Object>>, max_items = 100, nullable = false)]
    pub books: Option<Vec<Json>>,
    /// The id of the character that a card becomes; the existing character that a chat belongs to.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub character_id: Option<String>,
    /// The id of the session that a chat becomes.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub session_id: Option<String>,
    /// The name of the chat, instead of its file's.
    #[schema(min_length = 1, max_length = 1024, nullable = false)]
    pub chat_file: Option<String>,
    /// How commands are read, instead of what the file says: a chat with states of MVU is `mvu` unless its character says otherwise.
    #[schema(value_type = Option<ProfileChoice>, nullable = false)]
    pub profile: Option<Json>,
    /// What to do if the chat or the character is there already.
    #[serde(default)]
    #[schema(default = "refuse")]
    pub if_exists: IfExists,
    /// What becomes of the states that MVU stored with the messages.
    #[serde(default)]
    #[schema(default = "keep")]
    pub states: ImportedStates,
    /// How many floors a chat that is updated may lose, as for a sync.
    #[schema(minimum = 0, nullable = false)]
    pub max_deleted: Option<u64>,
    /// Only report what would happen; change nothing.
    #[serde(default)]
    #[schema(default = false)]
    pub dry_run: bool,
}

/// A file in a form.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ImportForm {
    /// The file. Its name counts as `file_name` does.
    #[schema(value_type = String, format = Binary)]
    pub file: String,
    /// A world book; may be there several times.
    #[schema(nullable = false)]
    pub book: Option<Vec<String>>,
    /// The other fields of `ImportRequest`, as text.
    #[schema(nullable = false)]
    pub file_name: Option<String>,
}

/// What became of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// A new session or character.
    Created,
    /// What was there is equal to the file now.
    Updated,
    /// What was there is equal to the file already.
    Unchanged,
}

/// The result of an import.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ImportReport {
    /// What the file is.
    pub kind: ImportKind,
    /// What became of it, or would.
    pub outcome: ImportOutcome,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// The name of the chat or of the character.
    pub name: String,
    /// The session of a chat; null for a card, and where it would be created.
    #[schema(required = true)]
    pub session_id: Option<String>,
    /// The character of a card, or the one that a chat belongs to.
    #[schema(required = true)]
    pub character_id: Option<String>,
    /// What a chat has.
    #[schema(required = true, value_type = Option<ImportedChat>)]
    pub chat: Option<ImportedChat>,
    /// What a card has.
    #[schema(required = true, value_type = Option<ImportedCard>)]
    pub card: Option<ImportedCard>,
    /// What was put right, left out or cannot be kept; the first fifty sentences.
    #[schema(max_items = 50)]
    pub remarks: Vec<String>,
    /// How many there are.
    #[schema(minimum = 0)]
    pub remarks_count: usize,
    /// What became of the messages of a chat that was there.
    #[schema(required = true, value_type = Option<UpdatedChat>)]
    pub updated: Option<UpdatedChat>,
    /// What came of processing a chat. `states` says how the states that MVU stored with the messages compare with ours.
    #[schema(required = true, value_type = Option<ProcessReport>)]
    pub processed: Option<ProcessReport>,
    /// The job that goes on processing it, if that takes longer than a second; its report has the rest.
    #[schema(required = true)]
    pub job_id: Option<String>,
}

/// What a chat has.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ImportedChat {
    /// Messages.
    #[schema(minimum = 0)]
    pub messages: usize,
    /// Swipes of all of them.
    #[schema(minimum = 0)]
    pub swipes: usize,
    /// Messages that SillyTavern keeps out of prompts. They count here.
    #[schema(minimum = 0)]
    pub hidden: usize,
    /// Swipes that MVU stored a state with.
    #[schema(minimum = 0)]
    pub states: usize,
}

/// What a card has.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ImportedCard {
    /// Greetings.
    #[schema(minimum = 0)]
    pub greetings: usize,
    /// Functions of its own.
    #[schema(minimum = 0)]
    pub functions: usize,
    /// Whether it has a template: its own, or made of `[initvar]` entries and `<initvar>` blocks.
    pub template: bool,
    /// Whether it has a picture.
    pub image: bool,
}

/// What became of the messages of a chat that was there.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UpdatedChat {
    /// Messages that are the same.
    #[schema(minimum = 0)]
    pub unchanged: usize,
    /// Messages that are new.
    #[schema(minimum = 0)]
    pub created: usize,
    /// Messages whose texts, speakers or active swipe changed.
    #[schema(minimum = 0)]
    pub changed: usize,
    /// Messages that stand elsewhere.
    #[schema(minimum = 0)]
    pub moved: usize,
    /// Floors that were deleted.
    #[schema(minimum = 0)]
    pub deleted: usize,
    /// What can be restored of what was deleted or replaced.
    #[schema(required = true)]
    pub trash_id: Option<String>,
}

/// How states that came with a chat compare with ours.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ComparedStates {
    /// How many were compared.
    #[schema(minimum = 0)]
    pub compared: usize,
    /// How many of them differ.
    #[schema(minimum = 0)]
    pub differing: usize,
    /// How many of those were kept, as edits by hand.
    #[schema(minimum = 0)]
    pub kept: usize,
    /// The first twenty floors that differ, in the order of the chat.
    #[schema(max_items = 20)]
    pub differences: Vec<StateDifference>,
}

/// Why a cause is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceCause {
    /// It is the first state of the chat, and the template leads to another one.
    FirstState,
    /// A command of the message, which MVU carried out, is refused here.
    Refused,
    /// A command of the message has another result here.
    Command,
    /// A command of the message changes the value here and did nothing there.
    NotThere,
    /// No command of the message changes the value: it was changed by hand or by a script.
    Elsewhere,
}

/// The first difference on one floor. Both sides start from the same state there.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StateDifference {
    /// The floor.
    pub floor_id: String,
    /// Its position.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub floor_no: i64,
    /// The page.
    pub page_id: String,
    /// Where the states differ, as a JSON Pointer.
    #[schema(example = "/hana/affinity")]
    pub path: String,
    /// Our value as JSON, shortened; null where we have none.
    #[schema(required = true)]
    pub ours: Option<String>,
    /// The stored value as JSON, shortened; null where there is none.
    #[schema(required = true)]
    pub theirs: Option<String>,
    /// A word for the cause.
    pub cause: DifferenceCause,
    /// The cause for people.
    pub message: String,
}

/// How a session is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatFormat {
    /// A chat file of SillyTavern.
    Sillytavern,
}

/// How a character is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardFormat {
    /// A picture with the card inside.
    Png,
    /// JSON.
    Json,
}

/// What is exported of a session.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChatExportParams {
    /// The kind of file.
    #[param(inline, default = "sillytavern")]
    pub format: Option<ChatFormat>,
    /// The branch; default `main`.
    #[param(min_length = 1, max_length = 256)]
    pub branch_id: Option<String>,
}

/// How a character is exported.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CardExportParams {
    /// The kind of file.
    #[param(inline, default = "png")]
    pub format: Option<CardFormat>,
}
