//! Calls, approvals and variables of the scratchpad as the API shows them.

use crate::error::ApiError;
use tavernkeep_api::Json;
use tavernkeep_api::export::{ExportedToolSetting, ExportedToolSettings};
use tavernkeep_api::tool as api;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::tools::{
    Approval, ApprovalKind, ApprovalScope, CallDetails, CallRecord, CallStatus, Grant, GroupState, Permission, Setting,
    StoredConfig, ToolExecuteResult, ToolState, VarType, Variable,
};

fn json(text: Option<&str>) -> Result<Option<Json>, ApiError> {
    text.map(|text| Json::from_text(text.to_owned())).transpose().map_err(ApiError::internal)
}

/// A row of the journal.
pub(crate) fn call_record(record: &CallRecord) -> Result<api::Call, ApiError> {
    let record = record.clone();
    let details =
        CallDetails { record, args: String::new(), resolved: None, data: None, final_text: None, formatted: None };
    let mut shown = call_without_args(&details)?;
    if details.record.is_quarantined() {
        (shown.error, shown.is_truncated, shown.cache_var_result, shown.cache_var_args) = (None, None, None, None);
    }
    shown.final_text = None;
    Ok(shown)
}

/// A call with its bodies.
pub fn call(details: &CallDetails) -> Result<api::Call, ApiError> {
    let mut shown = call_without_args(details)?;
    shown.args = json(Some(details.resolved.as_ref().unwrap_or(&details.args)))?;
    shown.asked_args =
        json(details.resolved.as_ref().filter(|resolved| **resolved != details.args).map(|_| details.args.as_str()))?;
    Ok(shown)
}

fn call_without_args(details: &CallDetails) -> Result<api::Call, ApiError> {
    let record = &details.record;
    let result = ToolExecuteResult::of(details);
    let has_result = matches!(record.status(), CallStatus::Success | CallStatus::Error);
    Ok(api::Call {
        id: record.id.to_string(),
        session_id: record.session.to_string(),
        tool: record.tool.clone(),
        group: record.group.clone(),
        status: status(record.status()),
        args: None,
        asked_args: None,
        data: json(details.data.as_deref())?,
        final_text: result.final_text,
        formatted_text: result.formatted_text,
        is_truncated: has_result.then_some(record.is_truncated),
        cache_var_result: result.cache_var_result,
        cache_var_args: result.cache_var_args,
        error: result.error,
        reject_reason: result.reject_reason,
        decided_by: record.decided_by.clone(),
        page_id: record.page.as_ref().map(ToString::to_string),
        branch_id: record.branch.clone(),
        created_at: record.created_at,
        started_at: record.started_at,
        ended_at: record.ended_at,
        duration_ms: record.started_at.zip(record.ended_at).map(|(from, to)| to - from),
    })
}

fn status(status: CallStatus) -> api::CallStatus {
    match status {
        CallStatus::AwaitingApproval => api::CallStatus::AwaitingApproval,
        CallStatus::AwaitingClient => api::CallStatus::AwaitingClient,
        CallStatus::Running => api::CallStatus::Running,
        CallStatus::Success => api::CallStatus::Success,
        CallStatus::Error => api::CallStatus::Error,
        CallStatus::ExecutionRejected => api::CallStatus::ExecutionRejected,
        CallStatus::ResultRejected => api::CallStatus::ResultRejected,
        CallStatus::NotFound => api::CallStatus::NotFound,
        CallStatus::Cancelled => api::CallStatus::Cancelled,
        CallStatus::Interrupted => api::CallStatus::Interrupted,
    }
}

/// An approval that is pending, with its call.
pub(crate) fn approval(pending: &Approval, details: &CallDetails) -> Result<api::Approval, ApiError> {
    let is_result = pending.kind == ApprovalKind::Result;
    let shown = call(details)?;
    let result = api::ApprovalResult {
        final_text: details.final_text.clone(),
        data: json(details.data.as_deref())?,
        error: details.record.error.clone(),
    };
    Ok(api::Approval {
        id: pending.id.to_string(),
        session_id: details.record.session.to_string(),
        kind: if is_result { api::ApprovalType::Result } else { api::ApprovalType::Execution },
        call_id: shown.id,
        tool: shown.tool,
        args: shown.args.unwrap_or_else(Json::null),
        asked_args: shown.asked_args,
        result: is_result.then_some(result),
        created_at: pending.created_at,
        expires_at: pending.ends_at,
    })
}

/// A decision that is remembered.
pub(crate) fn grant(grant: &Grant) -> Result<api::Grant, ApiError> {
    Ok(api::Grant {
        id: grant.id.to_string(),
        scope: match grant.scope {
            ApprovalScope::Once => api::ApprovalScope::Once,
            ApprovalScope::Session => api::ApprovalScope::Session,
            ApprovalScope::Always => api::ApprovalScope::Always,
        },
        tool: grant.tool.clone(),
        args: json(Some(&grant.args))?.unwrap_or_else(Json::null),
        approved: grant.decision.approved,
        reason: grant.decision.reason.clone(),
        created_at: grant.created_at,
        expires_at: grant.decision.expires_at,
    })
}

/// A variable, with its value where it is read by itself.
pub(crate) fn variable(variable: Variable, value: Option<String>) -> Result<api::ScratchVariable, ApiError> {
    let millis = |tick: i64| tick / 1_000;
    let trusted = variable.is_trusted();
    Ok(api::ScratchVariable {
        name: variable.name,
        value,
        length: variable.length,
        desc: variable.desc,
        kind: match variable.kind {
            VarType::Rule => api::VarType::Rule,
            VarType::ToolCallResult => api::VarType::ToolCallResult,
            VarType::ToolCallArgs => api::VarType::ToolCallArgs,
            VarType::MessageCache => api::VarType::MessageCache,
            VarType::LlmAdd => api::VarType::LlmAdd,
            VarType::UserAdd => api::VarType::UserAdd,
        },
        tags: variable.tags,
        keep: variable.keep,
        trusted,
        reference_count: variable.reference_count,
        created_at: millis(variable.created),
        updated_at: millis(variable.updated),
        last_visited_at: millis(variable.last_visited),
    })
}

/// A group of tools.
pub(crate) fn group(state: &GroupState) -> Result<api::ToolGroup, ApiError> {
    let declaration = &state.declaration;
    Ok(api::ToolGroup {
        name: declaration.name.clone(),
        enabled: state.enabled,
        runs_on: if state.by_client { api::RunsOn::Client } else { api::RunsOn::Server },
        tools: state.tools.iter().map(tool).collect::<Result<_, _>>()?,
        rules: declaration.skill_rules.iter().map(|rule| format!("Rule/{}/{}", declaration.name, rule.name)).collect(),
    })
}

/// What a session says about its tools, for an export.
pub(crate) fn exported_settings(session: &Id, stored: StoredConfig) -> Result<ExportedToolSettings, ApiError> {
    let text = |text: String| Json::from_text(text).map_err(ApiError::internal);
    let setting = |(name, setting): (String, Setting)| {
        let permission = setting.permission.map(text).transpose()?;
        Ok((name, ExportedToolSetting { enabled: setting.enabled, permission }))
    };
    Ok(ExportedToolSettings {
        session_id: session.to_string(),
        groups: stored.groups.into_iter().map(setting).collect::<Result<_, ApiError>>()?,
        tools: stored.tools.into_iter().map(setting).collect::<Result<_, ApiError>>()?,
        registered: stored.declared.into_iter().map(text).collect::<Result<_, ApiError>>()?,
        defaults: stored.defaults.map(text).transpose()?,
    })
}

/// A tool of a group.
pub(crate) fn tool(state: &ToolState) -> Result<api::GroupTool, ApiError> {
    let mut permission = Permission::of(state.permission.execution, state.permission.result);
    (permission.deny, permission.expires_ms) = (state.permission.deny.clone(), state.permission.expires_ms);
    let return_type = state.declaration.declared_return_type.as_ref();
    Ok(api::GroupTool {
        name: state.declaration.name.clone(),
        description: state.declaration.description().to_owned(),
        enabled: state.enabled,
        permission: serde_json::from_value(permission.to_json()).map_err(ApiError::internal)?,
        declared_return_type: return_type
            .map(|kind| Json::from_text(kind.to_string()))
            .transpose()
            .map_err(ApiError::internal)?,
    })
}
