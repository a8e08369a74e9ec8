//! Converts records of the store to types of the API. Variables are hot: `render.rs` writes them.

use super::history::stale_reason;
use crate::error::ApiError;
use tavernkeep_api as api;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::role::Role;
use tavernkeep_engine::scope::{GLOBAL_SCOPE_ID, Scope, encode_branch};
use tavernkeep_engine::sillytavern::encode_base64;
use tavernkeep_engine::staging::Decision;
use tavernkeep_runtime::StaleFloors;
use tavernkeep_runtime::record::{
    ApiKey, Branch, Character, CharacterSummary, Deletion, Floor, HistoryEntry, Host, Job, JobKind, JobState, Ledger,
    Page, Promotion, Session, StagedWrite,
};
use tavernkeep_runtime::{
    Caller, Edit, EditKind, GlobalSnapshot, KeptSession, KeptSnapshot, ProcessReport, Processed, STATE_KEY, Share,
    State, StoredCard, Usage, processed_by,
};

fn json(text: &JsonText) -> Result<api::Json, ApiError> {
    api::Json::from_text(text.as_str().to_owned()).map_err(|error| ApiError::internal(format!("stored JSON: {error}")))
}

pub(crate) fn object(text: Option<JsonText>) -> Result<Option<api::JsonObject>, ApiError> {
    text.map(|text| json(&text).map(api::JsonObject::from)).transpose()
}

fn text(id: impl std::fmt::Display) -> String {
    id.to_string()
}

pub(crate) fn session(session: Session) -> Result<api::session::Session, ApiError> {
    Ok(api::session::Session {
        id: text(session.id),
        title: session.title,
        metadata: object(session.metadata)?,
        chat_file: session.chat_file,
        profile: session.profile.as_ref().map(json).transpose()?,
        character_id: session.character.map(text),
        state_variable: session.state_key.unwrap_or_else(|| STATE_KEY.to_owned()),
        floor_count: session.floors,
        created_at: session.created_at,
        updated_at: session.updated_at,
    })
}

pub(crate) fn kept_session(kept: KeptSession) -> Result<api::export::ExportedSession, ApiError> {
    let KeptSession { session: stored, template, enabled, functions } = kept;
    let functions = functions.as_ref().map(json).transpose()?;
    Ok(api::export::ExportedSession { session: session(stored)?, template: object(template)?, enabled, functions })
}

pub(crate) fn recipe(session: &Id, hash: &[u8], recipe: &JsonText) -> Result<api::export::ExportedRecipe, ApiError> {
    Ok(api::export::ExportedRecipe { id: hex(hash), session_id: text(session), recipe: json(recipe)? })
}

pub(crate) fn kept_snapshot(kept: KeptSnapshot, state: &Value) -> Result<api::export::ExportedSnapshot, ApiError> {
    Ok(api::export::ExportedSnapshot {
        id: text(kept.id),
        session_id: text(kept.session),
        page_id: kept.page.map(text),
        state: tavernkeep_runtime::apply::json(state.to_json())?,
        edited: kept.edited,
        recipe_id: hex(&kept.recipe),
        told_at: kept.clock_ms,
        round: kept.round,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn character_summary(character: CharacterSummary) -> api::character::CharacterSummary {
    api::character::CharacterSummary {
        id: text(character.id),
        name: character.name,
        enabled: character.enabled,
        greeting_count: character.greeting_count,
        created_at: character.created_at,
        updated_at: character.updated_at,
    }
}

pub(crate) fn character(character: Character) -> Result<api::character::Character, ApiError> {
    let Character { summary, profile, template, greetings, functions } = character;
    Ok(api::character::Character {
        id: text(summary.id),
        name: summary.name,
        enabled: summary.enabled,
        profile: profile.as_ref().map(json).transpose()?,
        template: object(template)?,
        greetings,
        functions: functions.into_iter().map(super::functions::local).collect(),
        created_at: summary.created_at,
        updated_at: summary.updated_at,
    })
}

pub(crate) fn template(character: Character) -> Result<api::character::Template, ApiError> {
    Ok(api::character::Template {
        character_id: text(character.summary.id),
        template: object(character.template)?,
        updated_at: character.summary.updated_at,
    })
}

pub(crate) fn branch(branch: Branch) -> api::session::Branch {
    api::session::Branch {
        branch_id: branch.id,
        session_id: text(branch.session),
        source_floor_id: branch.source_floor.map(text),
        source_floor_no: branch.source_floor_no,
        source_branch_id: branch.source_branch,
        floor_count: branch.floor_count,
        created_at: branch.created_at,
    }
}

pub(crate) fn forked(branch: Branch, on_fork: Option<StaleFloors>) -> api::floor::Forked {
    api::floor::Forked {
        branch_id: branch.id,
        source_floor_id: branch.source_floor.map(text),
        source_floor_no: branch.source_floor_no,
        session_id: text(branch.session),
        stale: on_fork.map(stale),
    }
}

/// A floor whose lease has ended by `now_ms` has failed, whether or not that is stored yet.
pub(crate) fn floor(floor: Floor, now_ms: i64) -> Result<api::floor::Floor, ApiError> {
    Ok(api::floor::Floor {
        id: text(floor.id),
        session_id: text(floor.session),
        branch_id: floor.branch,
        floor_no: floor.floor_no,
        parent_floor_id: floor.parent.map(text),
        state: match floor.state.at(floor.lease_until, now_ms) {
            FloorState::Draft => api::floor::FloorState::Draft,
            FloorState::Generating => api::floor::FloorState::Generating,
            FloorState::Committed => api::floor::FloorState::Committed,
            FloorState::Failed => api::floor::FloorState::Failed,
        },
        lease_expires_at: floor.lease_until,
        metadata: object(floor.metadata)?,
        created_at: floor.created_at,
        updated_at: floor.updated_at,
        stale: None,
    })
}

/// A floor as it was when it was written, whatever has become of its lease since.
pub(crate) fn written_floor(written: Floor) -> Result<api::floor::Floor, ApiError> {
    let at = written.updated_at;
    floor(written, at)
}

/// With `content` false the text is left out rather than shown as null.
pub(crate) fn page(page: Page, content: bool) -> Result<api::page::Page, ApiError> {
    Ok(api::page::Page {
        id: text(page.id),
        floor_id: text(page.floor),
        page_no: page.page_no,
        version: page.version,
        page_kind: match page.kind {
            PageKind::Input => api::page::PageKind::Input,
            PageKind::Output => api::page::PageKind::Output,
            PageKind::Mixed => api::page::PageKind::Mixed,
        },
        is_active: page.is_active,
        role: page.role,
        name: page.name,
        content: content.then_some(page.content),
        extra: object(page.extra)?,
        created_at: page.created_at,
        updated_at: page.updated_at,
        stale: None,
        resting_edits: None,
    })
}

pub(crate) fn stale(stale: StaleFloors) -> api::envelope::StaleFloors {
    let StaleFloors { floors, first_floor_no, job } = stale;
    api::envelope::StaleFloors { floors, first_floor_no, job_id: job.map(text) }
}

pub(crate) fn deletion(id: &Id, deletion: &Deletion) -> api::envelope::Deleted {
    let (job_id, trash_id) = match deletion {
        Deletion::ByJob(job) => (Some(text(job)), None),
        Deletion::Trashed(item) => (None, Some(text(item))),
        Deletion::Absent | Deletion::Done => (None, None),
    };
    api::envelope::Deleted { id: text(id), deleted: deletion.was_there(), job_id, trash_id, stale: None }
}

pub(crate) fn process_report(report: ProcessReport, dry_run: bool) -> api::story::ProcessReport {
    let floor = |processed: Processed| api::story::ProcessedFloor {
        floor_id: processed.floor.to_string(),
        floor_no: processed.floor_no,
        page_id: processed.page.to_string(),
        changes: processed.changes,
        refused: processed.refused,
        problems: processed.problems,
        differs: processed.differs,
    };
    api::story::ProcessReport {
        processed: report.processed,
        kept_edited: report.kept,
        unchanged: report.unchanged,
        refused: report.refused,
        problems: report.problems,
        differing: report.differing,
        floors_more: report.processed > report.floors.len(),
        floors: report.floors.into_iter().map(floor).collect(),
        dry_run,
        disabled: report.disabled,
        states: report.states.map(super::imports::compared_states),
    }
}

pub(crate) fn exported_card(id: &Id, card: &StoredCard) -> Result<api::export::ExportedCard, ApiError> {
    Ok(api::export::ExportedCard {
        character_id: id.to_string(),
        card: json(&card.json)?,
        image_base64: card.image.as_deref().map(encode_base64),
    })
}

pub(crate) fn job(job: Job) -> api::job::Job {
    let report = processed_by(&job).map(|(report, dry_run)| process_report(report, dry_run));
    api::job::Job {
        id: text(job.id),
        kind: match job.kind {
            JobKind::DeleteSession => api::job::JobKind::DeleteSession,
            JobKind::DeleteAccount => api::job::JobKind::DeleteAccount,
            JobKind::ProcessSession => api::job::JobKind::ProcessSession,
            JobKind::ImportSession => api::job::JobKind::ImportSession,
        },
        state: match job.state {
            JobState::Waiting => api::job::JobState::Waiting,
            JobState::Running => api::job::JobState::Running,
            JobState::Done => api::job::JobState::Done,
            JobState::Cancelled => api::job::JobState::Cancelled,
            JobState::Failed => api::job::JobState::Failed,
        },
        subject_id: text(job.subject),
        done: job.done,
        total: job.total,
        problem: job.problem,
        report,
        created_at: job.created_at,
        updated_at: job.updated_at,
    }
}

fn role(role: Role) -> api::account::Role {
    match role {
        Role::Read => api::account::Role::Read,
        Role::Write => api::account::Role::Write,
        Role::Admin => api::account::Role::Admin,
    }
}

pub(crate) fn key(key: ApiKey) -> api::account::Key {
    api::account::Key {
        id: text(key.id),
        name: key.name,
        role: role(key.role),
        created_at: key.created_at,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
    }
}

/// A browser that is signed in; `current` is the one that asks.
pub(crate) fn browser(browser: ApiKey, current: Option<&Id>) -> api::account::Browser {
    api::account::Browser {
        current: current == Some(&browser.id),
        id: text(browser.id),
        name: browser.name,
        key_id: browser.signed_in_with.map(text).unwrap_or_default(),
        role: role(browser.role),
        created_at: browser.created_at,
        expires_at: browser.expires_at.unwrap_or_default(),
    }
}

fn quota(share: Share) -> api::account::Quota {
    api::account::Quota { used: share.used, trashed: share.trashed, max: share.max }
}

pub(crate) fn account(caller: &Caller, usage: &Usage) -> api::account::Account {
    api::account::Account {
        account_id: text(&caller.account),
        role: role(caller.role),
        key_id: caller.signed_in_with.as_ref().or(caller.key.as_ref()).map(text),
        browser_id: caller.signed_in_with.as_ref().and(caller.key.as_ref()).map(text),
        quotas: api::account::Quotas {
            sessions: quota(usage.sessions),
            variables: quota(usage.variables),
            keys: quota(usage.keys),
        },
    }
}

/// JSON that may be absent: `null` stands for it.
fn json_or_null(text: Option<&JsonText>) -> Result<api::Json, ApiError> {
    text.map_or_else(|| Ok(api::Json::null()), json)
}

pub(crate) fn staged_write(write: StagedWrite) -> Result<api::ledger::StagedWrite, ApiError> {
    let asked = write.asked;
    Ok(api::ledger::StagedWrite {
        id: text(write.id),
        key: text(asked.key),
        op: text(asked.op.as_str()),
        value: json_or_null(asked.value.as_ref())?,
        intent: text(asked.intent.as_str()),
        conflict_policy: text(asked.policy.as_str()),
        source_kind: text(asked.source_kind.as_str()),
        reason: asked.reason,
        source: json_or_null(asked.source.as_ref())?,
        evidence: json_or_null(asked.evidence.as_ref())?,
        status: text(write.status.as_str()),
        decision_code: write.decision.map(|decision| text(decision.code())),
        decision_reason: write.decision.and_then(Decision::reason).map(text),
        created_at: write.created_at,
        resolved_at: write.resolved_at,
    })
}

pub(crate) fn staged_writes(ledger: Ledger<StagedWrite>) -> Result<api::ledger::StagedWrites, ApiError> {
    Ok(api::ledger::StagedWrites {
        page_id: text(ledger.page),
        floor_id: text(ledger.floor),
        session_id: text(ledger.session),
        branch_id: ledger.branch,
        items: ledger.items.into_iter().map(staged_write).collect::<Result<_, _>>()?,
    })
}

pub(crate) fn promotions(ledger: Ledger<Promotion>) -> Result<api::ledger::Promotions, ApiError> {
    Ok(api::ledger::Promotions {
        page_id: text(ledger.page),
        floor_id: text(ledger.floor),
        session_id: text(ledger.session),
        branch_id: ledger.branch,
        items: ledger.items.into_iter().map(promotion).collect::<Result<_, _>>()?,
    })
}

fn promotion(promotion: Promotion) -> Result<api::ledger::Promotion, ApiError> {
    Ok(api::ledger::Promotion {
        id: text(promotion.id),
        staged_write_id: promotion.staged_write.map(text),
        key: text(promotion.key),
        from_scope: scope(promotion.from.scope()),
        from_scope_id: scope_id(&promotion.from),
        to_scope: scope(promotion.to.scope()),
        to_scope_id: scope_id(&promotion.to),
        conflict_policy: text(promotion.policy.as_str()),
        source_variable_id: promotion.source_variable.map(text),
        target_variable_id: promotion.target_variable.map(text),
        value: json_or_null(promotion.value.as_ref())?,
        created_at: promotion.created_at,
    })
}

fn scope(scope: Scope) -> api::variable::Scope {
    match scope {
        Scope::Global => api::variable::Scope::Global,
        Scope::Chat => api::variable::Scope::Chat,
        Scope::Branch => api::variable::Scope::Branch,
        Scope::Floor => api::variable::Scope::Floor,
        Scope::Page => api::variable::Scope::Page,
    }
}

/// A state.
pub(crate) fn state(state: State) -> Result<api::story::State, ApiError> {
    let State { at, document } = state;
    let (snapshot, page, floor) = at.ids();
    Ok(api::story::State {
        snapshot_id: snapshot.map(ToString::to_string),
        page_id: page.map(ToString::to_string),
        floor_id: floor.map(ToString::to_string),
        state: tavernkeep_runtime::apply::json(document.to_json())?,
        fresh: at.stale.is_none(),
        stale_reason: at.stale.map(stale_reason),
        outdated: at.outdated,
        edited: at.edited,
        inherited: at.inherited,
    })
}

/// A global snapshot, with its document where one is given.
pub(crate) fn global_snapshot(
    snapshot: GlobalSnapshot,
    body: Option<api::Json>,
) -> api::global_snapshot::GlobalSnapshot {
    api::global_snapshot::GlobalSnapshot {
        updated_at: snapshot.updated_at(),
        id: text(snapshot.id),
        name: snapshot.name,
        description: snapshot.description,
        tags: snapshot.tags,
        body,
        created_at: snapshot.created_at,
    }
}

/// The `scope_id` of a host.
pub(crate) fn scope_id(host: &Host) -> String {
    match host {
        Host::Global => GLOBAL_SCOPE_ID.to_owned(),
        Host::Chat(id) | Host::Floor(id) | Host::Page(id) => text(id),
        Host::Branch(session, branch) => encode_branch(session.as_str(), branch),
    }
}

pub(crate) fn history_entry(entry: HistoryEntry) -> Result<api::ledger::HistoryEntry, ApiError> {
    Ok(api::ledger::HistoryEntry {
        variable_id: text(entry.variable),
        op: text(if entry.value.is_some() { "set" } else { "delete" }),
        value: json_or_null(entry.value.as_ref())?,
        source: text(entry.source.as_str()),
        page_id: entry.page.map(text),
        created_at: entry.at,
    })
}

pub(crate) fn edit(edit: &Edit) -> Result<api::edit::Edit, ApiError> {
    let patch = tavernkeep_runtime::apply::json(edit.ops.to_json_patch().to_json())?;
    Ok(api::edit::Edit {
        id: text(&edit.id),
        number: edit.number,
        kind: match edit.kind {
            EditKind::Edit => api::edit::EditKind::Edit,
            EditKind::Undo => api::edit::EditKind::Undo,
        },
        patch: serde_json::from_str(patch.text()).map_err(ApiError::internal)?,
        reason: edit.reason.clone(),
        created_at: edit.at,
        taken_back_at: edit.taken_back_at,
        resting: false,
    })
}

/// An edit of a page whose edits may rest.
pub(crate) fn listed_edit(edit: &Edit, rest: bool) -> Result<api::edit::Edit, ApiError> {
    Ok(api::edit::Edit { resting: rest && edit.counts(), ..self::edit(edit)? })
}

pub(crate) fn damaged(damaged: tavernkeep_runtime::Damaged) -> api::export::ExportedDamage {
    let tavernkeep_runtime::Damaged { session, what, id, message } = damaged;
    api::export::ExportedDamage { session_id: session.as_ref().map(text), kind: what.to_owned(), id, message }
}

pub(crate) fn exported_edits(page: &Id, edits: &[Edit]) -> Result<api::export::ExportedEdits, ApiError> {
    let edits = edits.iter().map(edit).collect::<Result<_, _>>()?;
    Ok(api::export::ExportedEdits { page_id: text(page), edits })
}
