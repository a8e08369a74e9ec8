//! Sync: a branch becomes the chat that a client has.

use crate::auth::Who;
use crate::body::JsonBody;
use crate::convert;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::once::Writer;
use crate::path::PathId;
use crate::reply::{self, Answer};
use std::collections::HashMap;
use tavernkeep_api::Data;
use tavernkeep_api::list::IdPath;
use tavernkeep_api::sync as api;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::{JsonText, JsonView};
use tavernkeep_engine::limits::{
    BRANCH_BYTES_MAX, LABEL_BYTES_MAX, REPLY_BYTES_MAX, SYNC_FLOORS_MAX, SYNC_SWIPES_MAX, SYNC_SWIPES_TOTAL_MAX,
    SYNC_TEXT_BYTES_MAX,
};
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::{Expected, MAIN_BRANCH, SyncOrder, SyncReport, Text, text_hash};

/// Sync a chat
///
/// Makes a branch equal to a chat: floors and swipes are added, changed, moved and deleted, and what is the same is left
/// alone. Texts can be named by their hashes; those that the server lacks come back as `missing`, and then nothing is
/// changed. The branch is processed afterwards. The same sync twice changes nothing the second time.
#[utoipa::path(post, path = "/sessions/{id}/sync", tag = "story", operation_id = "sync_session", params(IdPath),
    request_body = api::SyncRequest,
    responses((status = 200, description = "What came of it, or which texts are missing.", body = Data<api::SyncReport>)))]
pub async fn sync(Writer(runtime): Writer, who: Who, PathId(id): PathId, JsonBody(body): JsonBody) -> Answer {
    let Asked { order, names, dry_run } = read(id, &body)?;
    let report = runtime.sync(who.account(), order, dry_run).await?;
    reply::ok(shown(report, &names, dry_run))
}

/// How a hash is written.
const HASH_PATTERN: &str = "^[0-9A-Fa-f]{64}$";

/// A request as it was understood.
struct Asked {
    order: SyncOrder,
    /// The hashes as the client wrote them.
    names: HashMap<Hash, String>,
    dry_run: bool,
}

/// What is read on the way.
#[derive(Default)]
struct Reading {
    texts: HashMap<Hash, Text>,
    names: HashMap<Hash, String>,
    bytes: usize,
}

impl Reading {
    fn text(&mut self, text: &str) -> Hash {
        self.bytes += text.len();
        let hash = text_hash(Some(text));
        if self.bytes <= SYNC_TEXT_BYTES_MAX {
            self.texts.entry(hash).or_insert_with(|| Text::new(text));
        }
        hash
    }
}

fn read(session: Id, body: &JsonText) -> Result<Asked, ApiError> {
    let mut fields = Fields::body(body)?;
    let mut reading = Reading::default();
    fields.need("floors");
    let floors = fields.array("floors", 0, SYNC_FLOORS_MAX);
    let is_empty = floors.as_ref().is_some_and(Vec::is_empty);
    let floors = floors.unwrap_or_default();
    let branch = fields.text("branch_id", 1, BRANCH_BYTES_MAX).map_or_else(|| MAIN_BRANCH.to_owned(), Into::into);
    let expected = Expected { version: read_version(&mut fields), last_page: fields.nullable_id("expected_last") };
    let dry_run = fields.boolean("dry_run").unwrap_or(false);
    let confirm_all = fields.boolean("confirm_all").unwrap_or(false);
    if is_empty && !confirm_all && !dry_run {
        let message = "must NOT be empty unless `confirm_all` is true: every floor of the branch would be deleted";
        fields.problems.add("/floors".to_owned(), "minItems", message.into());
    }
    let mut messages = Vec::with_capacity(floors.len());
    let mut swipes = 0;
    for (at, view) in floors.into_iter().enumerate() {
        let message = read_floor(&mut fields, &mut reading, view, &format!("/floors/{at}"));
        swipes += message.swipes.len();
        messages.push(message);
        if swipes > SYNC_SWIPES_TOTAL_MAX {
            let message = format!(
                "must NOT have more than {SYNC_SWIPES_TOTAL_MAX} swipes altogether; leave out swipes that do not count"
            );
            fields.problems.add("/floors".to_owned(), "maxItems", message);
        }
        if !fields.problems.is_empty() {
            // The first floor that is wrong says enough; thousands may be wrong in the same way.
            break;
        }
    }
    let texts = fields.array("texts", 0, SYNC_SWIPES_TOTAL_MAX).unwrap_or_default();
    for (at, view) in texts.into_iter().enumerate() {
        match view.as_str() {
            Some(text) => drop(reading.text(&text)),
            None => fields.problems.kind(format!("/texts/{at}"), "string"),
        }
    }
    if reading.bytes > SYNC_TEXT_BYTES_MAX {
        let message =
            format!("must NOT have more than {SYNC_TEXT_BYTES_MAX} bytes of text; sync a part of the chat first");
        fields.problems.add("/texts".to_owned(), "maxLength", message);
    }
    fields.finish()?;
    let Reading { texts, names, .. } = reading;
    Ok(Asked { order: SyncOrder { session, branch, messages, texts, expected }, names, dry_run })
}

fn read_version(fields: &mut Fields<'_>) -> Option<String> {
    let version = fields.text("expected_version", 0, usize::MAX)?;
    let is_one = version.len() == 32 && version.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_one {
        let message = "must be the `version` of an earlier answer".to_owned();
        fields.problems.add(fields.path("expected_version"), "pattern", message);
    }
    Some(version.into_owned())
}

fn read_floor(body: &mut Fields<'_>, reading: &mut Reading, view: JsonView<'_>, place: &str) -> Message {
    let mut fields = Fields::of(view, place.to_owned());
    fields.need("role");
    fields.need("swipes");
    let role = fields.text("role", 1, LABEL_BYTES_MAX).map(Into::into);
    let name = fields.label("name").flatten();
    let swipes = fields.array("swipes", 1, SYNC_SWIPES_MAX).unwrap_or_default();
    let last = i64::try_from(swipes.len()).unwrap_or(i64::MAX).saturating_sub(1);
    let active = fields.integer("active", 0, last.max(0)).unwrap_or(0);
    let speaker = Speaker { role, name };
    let mut read = Vec::with_capacity(swipes.len());
    for (at, view) in swipes.into_iter().enumerate() {
        let text = read_swipe(&mut fields, reading, view, format!("{place}/swipes/{at}"));
        read.extend(text.map(|text| Swipe { text, speaker: speaker.clone() }));
    }
    body.problems.append(fields.close());
    Message { swipes: read, active: usize::try_from(active).unwrap_or(0) }
}

fn read_swipe(floor: &mut Fields<'_>, reading: &mut Reading, view: JsonView<'_>, place: String) -> Option<Hash> {
    let mut fields = Fields::of(view, place.clone());
    let named = fields.text("hash", 0, usize::MAX);
    let name = named.as_deref().and_then(hash_of);
    let content = fields.text("content", 0, REPLY_BYTES_MAX).map(|text| reading.text(&text));
    if named.is_some() && name.is_none() {
        let message = format!("must match pattern \"{HASH_PATTERN}\"");
        fields.problems.add(fields.path("hash"), "pattern", message);
    } else if named.is_none() && content.is_none() {
        let message = "must have the text as `content`, or its SHA-256 as `hash`";
        fields.problems.add(place, "required", message.to_owned());
    } else if name.zip(content).is_some_and(|(name, content)| name != content) {
        let path = fields.path("hash");
        fields.problems.add(path, "custom", "must be the SHA-256 of the content".to_owned());
    }
    if let (Some(hash), Some(named)) = (name, named) {
        reading.names.entry(hash).or_insert_with(|| named.into_owned());
    }
    floor.problems.append(fields.close());
    name.or(content)
}

/// The part of a SHA-256 that texts are known by.
fn hash_of(text: &str) -> Option<Hash> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut hash = Hash::default();
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}

fn shown(report: SyncReport, names: &HashMap<Hash, String>, dry_run: bool) -> api::SyncReport {
    let synced = report.synced;
    let floor = |floor: tavernkeep_runtime::SyncedFloor| api::SyncedFloor {
        index: floor.index,
        floor_id: floor.floor.to_string(),
        floor_no: floor.floor_no,
        page_ids: floor.pages.iter().map(ToString::to_string).collect(),
    };
    api::SyncReport {
        missing: synced.missing.iter().filter_map(|text| names.get(text).cloned()).collect(),
        applied: synced.applied,
        unchanged: synced.unchanged,
        created: synced.created,
        changed: synced.changed,
        moved: synced.moved,
        deleted: synced.deleted,
        floors_more: synced.floors_count > synced.floors.len(),
        floors: synced.floors.into_iter().map(floor).collect(),
        floors_count: synced.floors_count,
        version: synced.version,
        last_page_id: synced.last_page.map(|page| page.to_string()),
        job_id: report.job.map(|job| job.to_string()),
        processed: report.processed.map(|report| convert::process_report(report, false)),
        dry_run,
    }
}
