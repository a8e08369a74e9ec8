//! Refusals in the words of the API: what was wrong, and which request helps.

use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{PAGE_EDITS, Refusal};

/// The message of a refusal, with the way out.
pub(crate) fn message(refusal: &Refusal) -> String {
    let way_out = match refusal {
        Refusal::ConditionFailed(Condition::Absent) => "leave If-None-Match out to replace it",
        Refusal::ConditionFailed(Condition::Exists) => "leave If-Match out to create it",
        Refusal::ConditionFailed(_) | Refusal::SnapshotMoved | Refusal::FunctionMoved | Refusal::ContentMoved(_) => {
            "read it again and retry with its ETag in If-Match"
        }
        Refusal::TurnDiffers { page, what } if what.is_empty() => {
            return format!("the page '{page}' was made by another turn; choose another page_id");
        }
        Refusal::TurnDiffers { page, what } => {
            let fields: Vec<&str> = what.iter().map(|part| field(part)).collect();
            let verb = if fields.len() == 1 { "is" } else { "are" };
            return format!(
                "the page '{page}' was made by another turn: {} {verb} not the same; choose another page_id, or change \
                 the page with PATCH /pages/{page}",
                fields.join(", ")
            );
        }
        Refusal::FloorElsewhere(floor, part) => {
            let field = field(part);
            return format!("floor '{floor}' has another {field}; leave {field} out, the floor has its own");
        }
        Refusal::ParentElsewhere(_) => {
            "leave parent_floor_id out, or fork that floor with a branch_id that does not exist yet"
        }
        Refusal::PageElsewhere { .. } => "name a page of this floor, or leave page_id out for the active one",
        Refusal::KeyReused => "use a fresh Idempotency-Key for each request",
        Refusal::BranchBusy(job) => {
            return format!("{refusal}; try again when the job has ended (GET /jobs/{job}), or cancel it");
        }
        Refusal::SyncDeletes { deleted, replaced, swipes, version, .. } => {
            let lost = deleted + replaced + swipes;
            return format!(
                "{refusal}; send \"max_deleted\": {lost} or \"expected_version\": \"{version}\" (without max_deleted) if that is meant"
            );
        }
        Refusal::ChatMoved => {
            "read what is new (GET /floors, GET /pages), or send the chat with dry_run and without expectations to see \
             what would be deleted and which version to expect"
        }
        Refusal::RestoreTaken(..) => "restore this one under another id with {\"id\": …}, or delete that one first",
        Refusal::RestoreChatTaken(..) => {
            "restore this one under another name with {\"chat_file\": …}, or delete or rename that one first"
        }
        Refusal::NothingToRestore => {
            "read the old states with GET /trash/{id}/snapshots/{snapshot_id}, or drop the new ones first (DELETE /snapshots/{id})"
        }
        Refusal::RestoreUnnamed(_) => "leave id and chat_file out",
        Refusal::RestoreWithoutChatFile(_) => "leave chat_file out; another id is allowed",
        Refusal::SnapshotOfDeletedPage(_) => "restore the page first (GET /trash, POST /trash/{id}/restore)",
        Refusal::TooMany(PAGE_EDITS, _) => {
            "take one back with DELETE /pages/{id}/edits/{edit_id}, or all of them with POST /sessions/{id}/process \
             {\"overwrite_edited\": true}"
        }
        Refusal::TooManyWithTrash { .. } => "purge some of the trash with DELETE /trash/{id}",
        Refusal::EventsPurged { .. } => "read the state you need and connect without Last-Event-ID",
        _ => return refusal.to_string(),
    };
    format!("{refusal}; {way_out}")
}

/// The field of a request that says this part of a turn.
fn field(part: &str) -> &str {
    if part == "branch" { "branch_id" } else { part }
}

/// A response as it is stored under an idempotency key.
pub(crate) fn stored(status: u16, body: &str) -> JsonText {
    JsonText::from_stored(&serde_json::json!({ "status": status, "body": body }).to_string())
}

/// Reads what [`stored`] wrote: the status and the body.
pub(crate) fn read_stored(response: &JsonText) -> Option<(u16, String)> {
    let response: serde_json::Value = serde_json::from_str(response.as_str()).ok()?;
    let status = u16::try_from(response.get("status")?.as_u64()?).ok()?;
    Some((status, response.get("body")?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_response_comes_back() {
        let response = stored(404, "{\"error\":{}}");
        assert_eq!(read_stored(&response), Some((404, "{\"error\":{}}".to_owned())));
    }

    #[test]
    fn a_message_says_what_helps() {
        let page = || "p".parse().unwrap();
        let differs = |what: Vec<&'static str>| message(&Refusal::TurnDiffers { page: page(), what });
        assert!(differs(vec!["content", "branch"]).contains("content, branch_id are not the same"));
        assert!(differs(vec!["role"]).contains("role is not the same; choose another page_id"));
        assert_eq!(message(&Refusal::SessionNotFound(page())), "Session 'p' not found");
        let edits = message(&Refusal::TooMany(PAGE_EDITS, 1_000));
        assert!(edits.contains("1000 edits of one page") && edits.contains("overwrite_edited"), "{edits}");
    }
}
