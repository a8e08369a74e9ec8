//! Sync: a branch becomes the chat that a client has.

use super::prelude::*;
use std::collections::HashMap;
use tavernkeep_api::sync as api;
use tavernkeep_engine::limits::{SYNC_SWIPES_TOTAL_MAX, SYNC_TEXT_BYTES_MAX};
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::{Expected, MAIN_BRANCH, SyncOrder, SyncReport, Text, text_hash};

/// Sync a chat
///
/// Makes a branch equal to a chat: floors and swipes are added, changed, moved and deleted, and what is the same is left
/// alone. Texts can be named by their hashes; those that the server lacks come back as `missing`, and then nothing is
/// changed. The branch is processed afterwards. The same sync twice changes nothing the second time. What it deletes goes to the
/// trash, and so do texts that it replaces, unless that is a single one.
#[utoipa::path(post, path = "/sessions/{id}/sync", tag = "story", operation_id = "sync_session", params(IdPath),
    request_body = api::SyncRequest,
    responses((status = 200, description = "The result, or the missing texts.", body = Data<api::SyncReport>)))]
pub async fn sync(
    Writer(runtime, caller): Writer,
    PathId(id): PathId,
    Body(body): Body<api::SyncRequest>,
) -> ApiResult {
    let dry_run = body.dry_run;
    let (order, names) = sync_order(id, body)?;
    let report = runtime.sync(caller.account(), order, dry_run).await?;
    let trash = report.synced.trash.clone();
    Ok(reply::restorable(reply::ok(report_body(report, &names, dry_run))?, trash.as_ref()))
}

/// The texts of a request, and the hashes as the client wrote them.
#[derive(Default)]
struct Texts {
    texts: HashMap<Hash, Text>,
    names: HashMap<Hash, String>,
    bytes: usize,
}

impl Texts {
    fn add(&mut self, text: &str) -> Hash {
        self.bytes += text.len();
        let hash = text_hash(Some(text));
        if self.bytes <= SYNC_TEXT_BYTES_MAX {
            self.texts.entry(hash).or_insert_with(|| Text::new(text));
        }
        hash
    }

    fn swipe(&mut self, swipe: api::SyncSwipe, place: &str) -> Result<Hash, ApiError> {
        let named = swipe.hash.as_deref().and_then(hash_of);
        let content = swipe.content.map(|text| self.add(&text));
        if named.zip(content).is_some_and(|(named, content)| named != content) {
            return Err(ApiError::invalid(format!("{place}/hash"), "custom", "must be the SHA-256 of the content"));
        }
        if let (Some(hash), Some(name)) = (named, swipe.hash) {
            self.names.entry(hash).or_insert(name);
        }
        let message = "must have the text as `content`, or its SHA-256 as `hash`";
        named.or(content).ok_or_else(|| ApiError::invalid(place, "required", message))
    }
}

fn sync_order(session: Id, request: api::SyncRequest) -> Result<(SyncOrder, HashMap<Hash, String>), ApiError> {
    let kept = request.kept.map(|kept| usize::try_from(kept).unwrap_or(usize::MAX));
    if kept.is_some() && request.expected_version.is_none() {
        return Err(ApiError::invalid("/kept", "custom", "must NOT be there without `expected_version`"));
    }
    if request.floors.is_empty() && kept.unwrap_or(0) == 0 && !request.confirm_all && !request.dry_run {
        let message = "must NOT be empty unless `confirm_all` is true: every floor of the branch would be deleted";
        return Err(ApiError::invalid("/floors", "minItems", message));
    }
    if request.floors.iter().map(|floor| floor.swipes.len()).sum::<usize>() > SYNC_SWIPES_TOTAL_MAX {
        let message = format!(
            "must NOT have more than {SYNC_SWIPES_TOTAL_MAX} swipes altogether; leave out swipes that do not count"
        );
        return Err(ApiError::invalid("/floors", "maxItems", message));
    }
    let is_empty = request.floors.is_empty() && kept.unwrap_or(0) == 0;
    let confirmed = (request.confirm_all && is_empty).then_some(u64::MAX);
    let mut texts = Texts::default();
    let mut messages = Vec::with_capacity(request.floors.len());
    for (at, floor) in request.floors.into_iter().enumerate() {
        let active = usize::try_from(floor.active).unwrap_or(usize::MAX);
        if active >= floor.swipes.len() {
            let message = format!("must be <= {}", floor.swipes.len() - 1);
            return Err(ApiError::invalid(format!("/floors/{at}/active"), "maximum", message));
        }
        let speaker = Speaker { role: Some(floor.role), name: floor.name };
        let swipe = |(number, swipe)| {
            let text = texts.swipe(swipe, &format!("/floors/{at}/swipes/{number}"))?;
            Ok(Swipe { text, speaker: speaker.clone() })
        };
        let swipes = floor.swipes.into_iter().enumerate().map(swipe).collect::<Result<_, ApiError>>()?;
        messages.push(Message { swipes, active });
    }
    for text in request.texts.into_iter().flatten() {
        texts.add(&text);
    }
    if texts.bytes > SYNC_TEXT_BYTES_MAX {
        let message =
            format!("must NOT have more than {SYNC_TEXT_BYTES_MAX} bytes of text; sync a part of the chat first");
        return Err(ApiError::invalid("/texts", "maxLength", message));
    }
    let branch = request.branch_id.unwrap_or_else(|| MAIN_BRANCH.to_owned());
    let last_page = shape::parsed_or_null(request.expected_last)?;
    let max_deleted = request.max_deleted.or(confirmed).map(|max| usize::try_from(max).unwrap_or(usize::MAX));
    let expected = Expected { version: request.expected_version, last_page, max_deleted, kept };
    Ok((SyncOrder { session, branch, messages, texts: texts.texts, expected }, texts.names))
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

fn report_body(report: SyncReport, names: &HashMap<Hash, String>, dry_run: bool) -> api::SyncReport {
    let synced = report.synced;
    let floor = |floor: tavernkeep_runtime::SyncedFloor| api::SyncedFloor {
        index: floor.index,
        floor_id: floor.floor.to_string(),
        floor_no: floor.floor_no,
        page_ids: floor.pages.iter().map(ToString::to_string).collect(),
    };
    let mapped = |(index, floor): (usize, tavernkeep_runtime::MappedFloor)| api::MappedFloor {
        index,
        floor_id: floor.floor.to_string(),
        floor_no: floor.floor_no,
        page_id: floor.page.map(|page| page.to_string()),
        snapshot_id: floor.snapshot.map(|snapshot| snapshot.to_string()),
    };
    api::SyncReport {
        map: report.map.into_iter().enumerate().map(mapped).collect(),
        map_next_from: report.map_next,
        missing: synced.missing.iter().filter_map(|text| names.get(text).cloned()).collect(),
        applied: synced.applied,
        unchanged: synced.unchanged,
        created: synced.created,
        changed: synced.changed,
        moved: synced.moved,
        deleted: synced.deleted,
        replaced: synced.replaced,
        swipes_deleted: synced.swipes_deleted,
        trash_id: synced.trash.map(|trash| trash.to_string()),
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
