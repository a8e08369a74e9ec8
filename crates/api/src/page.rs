//! Pages: the candidate texts of a floor.

use crate::envelope::StaleFloors;
use crate::json::JsonObject;
use crate::json::present;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// Text that goes into a prompt.
    Input,
    /// Text that came out of a model.
    Output,
    /// Both in one page.
    Mixed,
}

/// One candidate text at a position.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Page {
    /// Its id.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", example = "page-a")]
    pub id: String,
    /// The floor.
    pub floor_id: String,
    /// The slot on the floor.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub page_no: i64,
    /// The swipe within the slot, from 0.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub version: i64,
    /// What it holds.
    pub page_kind: PageKind,
    /// Whether it is the chosen swipe of its slot.
    pub is_active: bool,
    /// The role of the speaker: `user`, `assistant`, `system` or anything else.
    #[schema(required = true, example = "assistant")]
    pub role: Option<String>,
    /// The speaker's name.
    #[schema(required = true, example = "Yuki")]
    pub name: Option<String>,
    /// The text; left out of a list that was asked for with `content=false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "She smiles.")]
    pub content: Option<Option<String>>,
    /// Free data of the client.
    #[schema(required = true, value_type = JsonObject)]
    pub extra: Option<JsonObject>,
    /// When it was created.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// What the change leaves stale on the branch; only in responses to changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = StaleFloors, required = false)]
    pub stale: Option<StaleFloors>,
    /// How many edits by hand of its state rest, since no commands are read from the page; only in the answer to a change of its
    /// `role` or `page_kind`. They count again when the page is the model's again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, nullable = false)]
    pub resting_edits: Option<usize>,
}

/// A page to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({"floor_id": "floor-a", "page_kind": "output", "role": "assistant", "content": "She smiles."}))]
pub struct NewPage {
    /// Your own id; default a new UUID.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$", nullable = false)]
    pub id: Option<String>,
    /// The floor.
    #[schema(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub floor_id: String,
    /// The slot.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000_000, default = 0)]
    pub page_no: i64,
    /// The swipe within the slot; default the next one.
    #[schema(minimum = 0, maximum = 1_000_000_000, nullable = false)]
    pub version: Option<i64>,
    /// What it holds; default `mixed`.
    #[schema(value_type = PageKind, required = false)]
    pub page_kind: Option<PageKind>,
    /// Whether it becomes the chosen swipe; default `true`; the first one of a slot always does.
    #[schema(nullable = false)]
    pub is_active: Option<bool>,
    /// The role of the speaker; at most 1024 bytes.
    #[schema(max_length = 1024)]
    pub role: Option<String>,
    /// The speaker's name; at most 1024 bytes.
    #[schema(max_length = 1024)]
    pub name: Option<String>,
    /// The text.
    pub content: Option<String>,
    /// Free data of the client.
    #[schema(value_type = JsonObject, required = false)]
    pub extra: Option<JsonObject>,
}

/// Changes to a page. An absent field stays as it is, `null` clears it.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({"content": "She laughs."}))]
pub struct PagePatch {
    /// What it holds.
    #[schema(value_type = PageKind, required = false)]
    pub page_kind: Option<PageKind>,
    /// The role of the speaker; at most 1024 bytes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub role: Option<Option<String>>,
    /// The speaker's name; at most 1024 bytes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub name: Option<Option<String>>,
    /// The text.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub content: Option<Option<String>>,
    /// Free data of the client; replaces the old as a whole.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JsonObject, required = false)]
    pub extra: Option<Option<JsonObject>>,
}

/// Which pages a list covers.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageFilter {
    /// The floor.
    #[param(pattern = "^[A-Za-z0-9._~:-]{1,128}$")]
    pub floor_id: String,
    /// Only this slot.
    #[param(minimum = 0, maximum = 1_000_000_000)]
    pub page_no: Option<i64>,
    /// Only the chosen swipes, or only the others.
    pub is_active: Option<bool>,
    /// `false` leaves the texts out.
    #[param(default = true)]
    pub content: Option<bool>,
}

crate::list::list_order!(PageOrder, PageSort, "pages", "page_no" "asc",
    /// By slot.
    PageNo
);
