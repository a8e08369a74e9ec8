//! Items of the trash as they are shown.

use crate::error::ApiError;
use crate::output::convert;
use tavernkeep_api::Json;
use tavernkeep_api::trash as api;
use tavernkeep_engine::document::Value;
use tavernkeep_runtime::apply::json;
use tavernkeep_runtime::{KeptPage, RuntimeError, TrashContent, TrashItem, WholeSnapshot};

/// An item without what it holds.
pub fn shown(item: &TrashItem) -> api::TrashItem {
    api::TrashItem {
        id: item.id.to_string(),
        kind: item.kind.as_str().to_owned(),
        session_id: item.session.as_ref().map(ToString::to_string),
        subject_id: item.subject.as_ref().map(ToString::to_string),
        name: item.name.clone(),
        chat_file: item.chat_file.clone(),
        deleted_at: item.deleted_at,
        floor_count: item.floors,
        page_count: item.pages,
        pages: None,
        next_offset: None,
        character: None,
        global_snapshot: None,
    }
}

/// An item with a part of what it holds.
pub fn whole(item: &TrashItem, content: TrashContent) -> Result<api::TrashItem, ApiError> {
    let has_pages = content.character.is_none() && content.global_snapshot.is_none();
    let global_snapshot = match content.global_snapshot {
        Some(WholeSnapshot { snapshot, body }) => {
            let document = body.document().map_err(RuntimeError::from)?;
            Some(convert::global_snapshot(snapshot, Some(self::document(&document)?)))
        }
        None => None,
    };
    Ok(api::TrashItem {
        pages: has_pages.then(|| content.pages.into_iter().map(page).collect()),
        next_offset: content.next_offset,
        character: content.character.map(convert::character).transpose()?,
        global_snapshot,
        ..shown(item)
    })
}

pub fn document(document: &Value) -> Result<Json, ApiError> {
    Ok(json(document.to_json())?)
}

fn page(page: KeptPage) -> api::TrashPage {
    api::TrashPage {
        page_id: page.id.map(|id| id.to_string()),
        branch_id: page.branch,
        floor_id: page.floor.map(|floor| floor.to_string()),
        floor_no: page.floor_no,
        version: page.version,
        is_active: page.is_active,
        role: page.role,
        name: page.name,
        content: page.content,
        replaced: page.is_replaced,
        snapshot_id: page.snapshot.map(|snapshot| snapshot.to_string()),
    }
}
