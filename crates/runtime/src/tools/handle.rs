//! The executor of one session, for programs that run tools of their own.

use super::executor::{CallRequest, ExecuteStatus};
use super::options::ToolOptions;
use super::registry::{Registry, RegistryError};
use super::requests::{VerdictOrder, args_of};
use super::tool::ToolGroup;
use crate::record::Window;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult};
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::call::{ApprovalKind, CallState};
use tavernkeep_engine::tools::listing::Filter;
use tavernkeep_engine::tools::permission::{ApprovalScope, Permission};
use tavernkeep_engine::tools::scratchpad::{PadError, Removed, Scratchpad};
use tavernkeep_engine::tools::variable::{VarType, Variable, VariablePatch};
use tavernkeep_store::StoreError;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::approvals::Approval;
use tavernkeep_store::tools::call_bodies::CallDetails;
use tavernkeep_store::tools::clock;
use tavernkeep_store::tools::journal::JournalLimits;
use tavernkeep_store::tools::pad::Rows;

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// The approval's id.
    pub id: String,
    /// Whether the tool may run, or whether its result may be seen.
    pub kind: ApprovalKind,
    /// The tool.
    pub tool_name: String,
    /// The arguments without references.
    pub args: Value,
    /// The arguments as the model wrote them.
    pub unresolved_args: Value,
    /// The result, if it is about one.
    pub result: Option<Box<ToolExecuteResult>>,
    /// When it was asked for.
    pub created_at: i64,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ApprovalDecision {
    /// Whether it may be.
    pub approved: bool,
    /// Why not.
    pub reject_reason: Option<String>,
    /// How long that counts.
    pub scope: Option<ApprovalScope>,
    /// Other arguments.
    pub args: Option<Value>,
}

impl ApprovalDecision {
    /// Yes.
    pub fn yes() -> ApprovalDecision {
        ApprovalDecision { approved: true, ..ApprovalDecision::default() }
    }

    /// No, and why.
    pub fn no(reason: impl Into<Option<String>>) -> ApprovalDecision {
        ApprovalDecision { reject_reason: reason.into(), ..ApprovalDecision::default() }
    }
}

/// Asks a person.
pub type ApprovalCallback =
    Arc<dyn Fn(ApprovalRequest) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send>> + Send + Sync>;

/// What came of a call: `data → formatted_text → final_text`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolExecuteResult {
    /// The call's id.
    pub id: Id,
    /// What became of it.
    pub status: ExecuteStatus,
    /// What the tool returned.
    pub data: Option<Value>,
    /// Why it failed.
    pub error: Option<String>,
    /// Why it was rejected.
    pub reject_reason: Option<String>,
    /// The data as text.
    pub formatted_text: Option<String>,
    /// What the model sees.
    pub final_text: Option<String>,
    /// Whether something is missing there.
    pub is_truncated: bool,
    /// The variable of the result.
    pub cache_var_result: Option<String>,
    /// The variable of the arguments.
    pub cache_var_args: Option<String>,
}

impl ToolExecuteResult {
    /// What can be seen of a call.
    pub fn of(details: &CallDetails) -> ToolExecuteResult {
        let record = &details.record;
        let (error, final_text) = match record.status() {
            ExecuteStatus::ExecutionRejected => (Some("Execution not approved".to_owned()), None),
            ExecuteStatus::ResultRejected => (Some("Result not approved for LLM".to_owned()), None),
            ExecuteStatus::Error => (record.error.clone(), details.final_text.clone().or_else(|| record.error.clone())),
            _ => (record.error.clone(), details.final_text.clone()),
        };
        let (cache_var_result, cache_var_args) = record.cache_names().unzip();
        ToolExecuteResult {
            id: record.id.clone(),
            status: record.status(),
            data: match &details.formatted {
                Some(text) if record.data_is_text => Some(Value::from(text.as_str())),
                _ => details.data.as_deref().and_then(|data| serde_json::from_str(data).ok()),
            },
            error,
            reject_reason: record.reason.clone(),
            formatted_text: details.formatted.clone(),
            final_text,
            is_truncated: record.is_truncated,
            cache_var_result,
            cache_var_args,
        }
    }
}

/// Runs the tools of one session. Everything that outlives a call is kept with the session: variables, settings, decisions, the
/// journal.
#[derive(Clone)]
pub struct ToolExecutor {
    runtime: Runtime,
    account: Id,
    session: Id,
    registry: Registry,
    options: ToolOptions,
    execution_approval: Option<ApprovalCallback>,
    result_approval: Option<ApprovalCallback>,
}

impl fmt::Debug for ToolExecutor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolExecutor").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Runtime {
    /// The executor of a session, with the groups of this runtime.
    pub fn tool_executor(&self, account: &Id, session: &Id) -> ToolExecutor {
        ToolExecutor {
            runtime: self.clone(),
            account: account.clone(),
            session: session.clone(),
            registry: self.tools.registry().clone(),
            options: self.tools.options().clone(),
            execution_approval: None,
            result_approval: None,
        }
    }
}

#[cfg(test)]
impl ToolExecutor {
    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(super) fn account(&self) -> &Id {
        &self.account
    }

    pub(super) fn session(&self) -> &Id {
        &self.session
    }
}

impl ToolExecutor {
    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: ToolOptions) -> ToolExecutor {
        self.options = options;
        self.renew();
        self
    }

    /// The same with a scratchpad of another capacity.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> ToolExecutor {
        self.registry = self.registry.clone().with_capacity(capacity);
        self.renew();
        self
    }

    /// The same with a journal that keeps another number of calls and bytes.
    #[must_use]
    pub fn with_journal(mut self, journal: JournalLimits) -> ToolExecutor {
        self.registry = self.registry.clone().with_journal(journal);
        self.renew();
        self
    }

    fn renew(&mut self) {
        let tools = self.runtime.tools.with(self.registry.clone(), self.options.clone());
        self.runtime = Runtime { tools, ..self.runtime.clone() };
    }

    /// Asks this before a tool runs whose policy wants that.
    pub fn set_execution_approval_callback(&mut self, callback: ApprovalCallback) {
        self.execution_approval = Some(callback);
    }

    /// Asks this before a result is seen whose tool's policy wants that.
    pub fn set_result_approval_callback(&mut self, callback: ApprovalCallback) {
        self.result_approval = Some(callback);
    }

    /// Registers a group. Its tools are enabled and the group is not; one that was registered before is replaced and disabled.
    pub async fn register_tool_group(&mut self, group: ToolGroup) -> RuntimeResult<()> {
        let name = group.name.clone();
        let taken = |error: RegistryError| RuntimeError::Refused(Refusal::ToolState(error.to_string()));
        let again = self.registry.register(group).map_err(taken)?;
        self.renew();
        match again {
            true => self.runtime.set_group_enabled(&self.account, &self.session, &name, false).await.map(drop),
            false => Ok(()),
        }
    }

    /// Whether a group is enabled; an unknown one is not.
    pub async fn is_group_enabled(&self, name: &str) -> RuntimeResult<bool> {
        Ok(self.runtime.session_tools(&self.account, &self.session).await?.is_group_enabled(name))
    }

    /// Enables or disables a group; without a value the other way round. An unknown group is refused.
    pub async fn toggle_group_enabled(&self, name: &str, enabled: Option<bool>) -> RuntimeResult<()> {
        let enabled = match enabled {
            Some(enabled) => enabled,
            None => !self.is_group_enabled(name).await?,
        };
        self.runtime.set_group_enabled(&self.account, &self.session, name, enabled).await.map(drop)
    }

    /// Whether a tool is enabled; an unknown one is not.
    pub async fn is_tool_enabled(&self, name: &str) -> RuntimeResult<bool> {
        Ok(self.runtime.session_tools(&self.account, &self.session).await?.is_tool_enabled(name))
    }

    /// Enables or disables a tool.
    pub async fn set_tool_enabled(&self, name: &str, enabled: bool) -> RuntimeResult<()> {
        self.runtime.set_tool(&self.account, &self.session, name, Some(enabled), None).await
    }

    /// Overrides what a tool says about asking, field by field.
    pub async fn set_tool_permission(&self, name: &str, permission: Permission) -> RuntimeResult<()> {
        self.runtime.set_tool(&self.account, &self.session, name, None, Some(permission)).await
    }

    /// The definitions of the enabled tools, for a model.
    pub async fn enabled_tool_definitions(&self) -> RuntimeResult<Vec<Value>> {
        self.runtime.tool_definitions(&self.account, &self.session).await
    }

    /// The part of the system prompt about tools.
    pub async fn tool_rules(&self) -> RuntimeResult<String> {
        self.runtime.tool_rules(&self.account, &self.session).await
    }

    /// Runs a tool as a model asks for it.
    pub async fn execute(&self, tool: &str, args: Value) -> RuntimeResult<ToolExecuteResult> {
        self.execute_with(CallRequest { tool: tool.to_owned(), args, ..CallRequest::default() }).await
    }

    /// Runs a tool as the host asks for it.
    pub async fn execute_with(&self, request: CallRequest) -> RuntimeResult<ToolExecuteResult> {
        let (call, work) = self.runtime.start_call(&self.account, &self.session, request).await?;
        // Where nothing may be seen of the work, the row says what became of it.
        let mut ended = match work {
            Some(work) => work.await,
            None => None,
        };
        let mut seen = None;
        loop {
            let details = match ended.take() {
                Some(details) => details,
                None => self.runtime.call(&self.account, &call).await?,
            };
            match details.record.state {
                CallState::AwaitingExecution => self.ask(&call, ApprovalKind::Execution, &mut seen).await?,
                CallState::AwaitingResult { .. } => self.ask(&call, ApprovalKind::Result, &mut seen).await?,
                state => {
                    let mut result = ToolExecuteResult::of(&details);
                    // The host that ran the tool has its data anyway; nothing of it is kept.
                    if state == CallState::Ended(ExecuteStatus::ResultRejected) {
                        result.data = seen;
                    }
                    return Ok(result);
                }
            }
        }
    }

    async fn ask(&self, call: &Id, kind: ApprovalKind, seen: &mut Option<Value>) -> RuntimeResult<()> {
        let Some((approval, details)) = self.pending(call).await? else { return Ok(()) };
        let (callback, missing) = match kind {
            ApprovalKind::Execution => (&self.execution_approval, "No execution approval callback set"),
            ApprovalKind::Result => (&self.result_approval, "No result approval callback set"),
        };
        let result = (kind == ApprovalKind::Result).then(|| Box::new(ToolExecuteResult::of(&details)));
        *seen = result.as_ref().and_then(|result| result.data.clone());
        let request = ApprovalRequest {
            id: approval.id.to_string(),
            kind,
            tool_name: details.record.tool.clone(),
            args: args_of(&details)?,
            unresolved_args: serde_json::from_str(&details.args).unwrap_or_default(),
            result,
            created_at: approval.created_at,
        };
        let decision = match callback {
            Some(callback) => callback(request).await,
            None => ApprovalDecision { scope: Some(ApprovalScope::Once), ..ApprovalDecision::no(missing.to_owned()) },
        };
        let order = VerdictOrder {
            approved: decision.approved,
            reason: decision.reject_reason,
            scope: decision.scope,
            args: decision.args,
            by: None,
        };
        match self.runtime.start_decided(&self.account, &approval.id, order).await {
            Ok((_, Some(work))) => {
                work.await;
                Ok(())
            }
            Ok((_, None)) => Ok(()),
            // Another decision was faster, or this one came too late: the call says what became of it.
            Err(RuntimeError::Refused(Refusal::ApprovalSettled { .. })) => {
                self.runtime.settle_call(&self.account, call).await
            }
            Err(error) => Err(error),
        }
    }

    async fn pending(&self, call: &Id) -> RuntimeResult<Option<(Approval, CallDetails)>> {
        let mut offset = 0;
        loop {
            let window = Window { limit: 100, offset, ascending: true, total: false };
            let listed = self.runtime.approvals(&self.account, &self.session, window).await?;
            let has_more = listed.has_more;
            offset += i64::try_from(listed.items.len()).unwrap_or(i64::MAX);
            if let Some(found) = listed.items.into_iter().find(|(_, details)| details.record.id == *call) {
                return Ok(Some(found));
            }
            if !has_more {
                // It has expired: the row is settled here, so that the call ends.
                self.runtime.settle_call(&self.account, call).await?;
                return Ok(None);
            }
        }
    }

    /// The approvals that are pending.
    pub async fn pending_approvals(&self) -> RuntimeResult<Vec<(Approval, CallDetails)>> {
        let window = Window { limit: 100, offset: 0, ascending: true, total: false };
        Ok(self.runtime.approvals(&self.account, &self.session, window).await?.items)
    }

    /// The variables of the scratchpad, the last visited first.
    pub async fn list_variables(&self, filter: Filter) -> RuntimeResult<Vec<Variable>> {
        self.runtime.scratchpad(&self.account, &self.session, filter).await
    }

    /// A variable of the scratchpad, without a trace.
    pub async fn peek_variable(&self, name: &str) -> RuntimeResult<Option<(Variable, String)>> {
        match self.runtime.scratch_variable(&self.account, &self.session, name).await {
            Ok(found) => Ok(Some(found)),
            Err(RuntimeError::Refused(Refusal::ScratchVariableNotFound(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a variable as a person does.
    pub async fn put_variable(&self, name: &str, patch: VariablePatch) -> RuntimeResult<bool> {
        self.runtime.put_scratch_variable(&self.account, &self.session, name, patch).await
    }

    /// Adds a variable, or gives one that is there another value and type.
    pub async fn add_variable(&self, name: &str, value: &str, kind: VarType) -> RuntimeResult<()> {
        let patch = VariablePatch { value: Some(value.to_owned()), kind: Some(kind), ..VariablePatch::default() };
        self.update_variables(vec![(name.to_owned(), patch)]).await
    }

    /// Changes variables, all at one moment. One that is not there needs a value and a type.
    pub async fn update_variables(&self, patches: Vec<(String, VariablePatch)>) -> RuntimeResult<()> {
        let update = move |pad: &mut Pad<'_, '_>| {
            for (name, patch) in &patches {
                pad.update(name, patch.clone())?;
            }
            Ok(())
        };
        self.runtime.on_pad(&self.account, &self.session, update).await
    }

    /// Reads a variable, which counts as a visit.
    pub async fn get_variable(&self, name: &str) -> RuntimeResult<Option<(Variable, String)>> {
        let name = name.to_owned();
        let get = move |pad: &mut Pad<'_, '_>| pad.get(&name).map_err(PadError::Rows);
        self.runtime.on_pad(&self.account, &self.session, get).await
    }

    /// Removes variables; skill rules stay.
    pub async fn remove_variables(&self, names: Vec<String>) -> RuntimeResult<Removed> {
        let remove = move |pad: &mut Pad<'_, '_>| pad.remove(&names).map_err(PadError::Rows);
        self.runtime.on_pad(&self.account, &self.session, remove).await
    }
}

type Pad<'a, 'b> = Scratchpad<'a, Rows<'b>>;

impl Runtime {
    async fn on_pad<T: Send + 'static>(
        &self,
        account: &Id,
        session: &Id,
        work: impl Fn(&mut Pad<'_, '_>) -> Result<T, PadError<StoreError>> + Send + Sync + 'static,
    ) -> RuntimeResult<T> {
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let run = move |tx: &mut dyn Tx| {
            clock::with_tools(tx, &owner, &chat, now, &rules, |tx, clock| clock.pad(tx, |pad| work(pad)))
        };
        self.store.write(run).await
    }
}
