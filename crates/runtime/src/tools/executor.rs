//! Runs a call in its order: resolve references, ask, run, format, cut, keep, hint, ask about the result.
//!
//! A call is a row. `running` is committed before the tool runs and what it returned is committed after it, so a process that
//! dies in between leaves a call that is `interrupted` and never runs again by itself.

use super::config::SessionTools;
use super::node_ids::node_id;
use super::options::ToolOptions;
use super::outcome::{returned, run_var_tool};
use super::prepare::Prepared;
use super::process::ProcessToken;
use super::registry::Registry;
use super::running::{RunPermit, RunningCall, RunningCalls};
use super::tool::{ToolCall, ToolError};
use crate::lru::BytesLru;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, now_ms};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{CALL_LEASE_MARGIN_MS, SESSION_TOOLS_BYTES_MAX};
use tavernkeep_engine::tools::call::CallEvent;
use tavernkeep_engine::tools::permission::{ExecutionPolicy, ResultPolicy};
use tavernkeep_engine::tools::var_tools;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::approvals::NewApproval;
use tavernkeep_store::tools::call_bodies::CallDetails;
use tavernkeep_store::tools::call_rows::{self, CallRecord};
use tavernkeep_store::tools::calls::{self, CallUpdate, EncodedOutcome, Outcome, Run};
use tavernkeep_store::tools::clock::{self, ProgramRules, TakeTools};
use tavernkeep_store::tools::settings;
use tavernkeep_store::tools::stamp::{self, ConfigStamp};
use tavernkeep_store::tree::SessionKey;

pub use tavernkeep_engine::tools::call::CallStatus as ExecuteStatus;

/// The tools of a runtime.
#[derive(Clone)]
pub(crate) struct Tools(Arc<Shared>);

struct Shared {
    registry: Registry,
    options: ToolOptions,
    /// Configurations of sessions that were parsed lately.
    sessions: BytesLru<(Id, ConfigStamp), Arc<SessionTools>>,
    /// The configuration that each of some sessions was last seen with, by account and session. It may be an old one by now.
    last_seen: BytesLru<(Id, Id), Arc<SessionTools>>,
    running: RunningCalls,
    process: ProcessToken,
}

/// How often a call or a decision is made again when the session's tools changed meanwhile.
pub(super) const ATTEMPTS_MAX: usize = 5;

impl Tools {
    pub(crate) fn new(registry: Registry, options: ToolOptions) -> RuntimeResult<Tools> {
        let process = ProcessToken::own()?;
        Ok(Tools::sharing(registry, options, RunningCalls::default(), process))
    }

    /// The same calls with other groups.
    pub(crate) fn with(&self, registry: Registry, options: ToolOptions) -> Tools {
        Tools::sharing(registry, options, self.0.running.clone(), self.0.process)
    }

    fn sharing(registry: Registry, options: ToolOptions, running: RunningCalls, process: ProcessToken) -> Tools {
        let sessions = BytesLru::new(SESSION_TOOLS_BYTES_MAX);
        let last_seen = BytesLru::new(SESSION_TOOLS_BYTES_MAX);
        Tools(Arc::new(Shared { registry, options, sessions, last_seen, running, process }))
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub(crate) fn options(&self) -> &ToolOptions {
        &self.0.options
    }

    pub(crate) fn rules(&self) -> Arc<ProgramRules> {
        Arc::clone(self.0.registry.rules())
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.options.clock.as_ref().map_or_else(now_ms, |clock| clock())
    }

    pub(crate) fn new_run(&self, timeout: Duration) -> RuntimeResult<Run> {
        let timeout = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        let lease_until = now_ms().saturating_add(timeout).saturating_add(CALL_LEASE_MARGIN_MS);
        Ok(Run { token: self.0.process.run()?, lease_until })
    }

    /// Until when an application has time for a call that it gets now.
    pub(crate) fn client_until(&self) -> i64 {
        self.now().saturating_add(self.0.options.client_ms)
    }

    pub(super) fn new_node(&self) -> RuntimeResult<String> {
        match &self.0.options.node_ids {
            Some(ids) => Ok(ids()),
            None => node_id(self.now()),
        }
    }

    /// What a person is asked about a result, if the call may want that.
    pub(super) fn result_approval(&self, policy: ResultPolicy) -> RuntimeResult<Option<NewApproval>> {
        match policy {
            ResultPolicy::Never => Ok(None),
            ResultPolicy::OnError | ResultPolicy::Always => self.new_approval(ExecutionPolicy::Auto, None).map(Some),
        }
    }

    pub(crate) fn new_approval(&self, policy: ExecutionPolicy, expires_ms: Option<i64>) -> RuntimeResult<NewApproval> {
        let ends_at = self.now().saturating_add(self.0.options.approval_ms);
        Ok(NewApproval { id: new_id()?, policy, expires_ms, ends_at })
    }

    /// Enters a call that may run. Before its row becomes `running`: who cancels it then finds it.
    pub(super) fn enter(&self, account: &Id, call: &Id) -> RunPermit {
        self.0.running.enter(account, call)
    }

    /// Stops a call whose row says that it was given up.
    pub(super) fn stop(&self, account: &Id, call: &Id) {
        self.0.running.cancel(account, call);
    }
}

/// A call to make.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, an object.
    pub args: Value,
    /// The page that is being generated.
    pub page: Option<Id>,
    /// The branch.
    pub branch: Option<String>,
    /// For the host: no person is asked before it runs.
    pub skip_execution_approval: bool,
    /// For the host: no person is asked about the result.
    pub skip_result_approval: bool,
    /// For the host: a disabled tool runs too.
    pub allow_disabled: bool,
}

/// Everything that runs a call once it may run.
pub(crate) struct CallWork {
    /// The call as it was stored: running, under the token of this run.
    pub(crate) record: CallRecord,
    /// The tools of its session as they were when it was admitted.
    pub(crate) tools: Arc<SessionTools>,
    /// As it was asked for, and without references if that differs; JSON.
    pub(crate) asked: String,
    pub(crate) resolved: Option<String>,
    pub(crate) args: Value,
    pub(crate) permit: RunPermit,
}

/// A call that was made. Only its id is kept for a repeated request.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct MadeCall {
    id: Id,
    #[serde(skip)]
    record: Option<Box<CallRecord>>,
}

impl Runtime {
    /// The parsed configuration of a session's tools.
    pub(crate) async fn session_tools(&self, account: &Id, session: &Id) -> RuntimeResult<Arc<SessionTools>> {
        let (owner, wanted) = (account.clone(), session.clone());
        let stamp = self.store.read_one(move |tx| stamp::read(tx, &owner, &wanted)).await?;
        let key = (account.clone(), stamp);
        if let Some(known) = self.tools.0.sessions.get(&key) {
            self.note_seen(account, session, &known);
            return Ok(known);
        }
        let owner = account.clone();
        let load = move |tx: &mut dyn Tx| settings::load(tx, SessionKey::new(&owner, stamp.session_row));
        let stored = self.store.read(load).await?;
        let tools = Arc::new(SessionTools::new(stamp, self.tools.registry(), stored));
        self.tools.0.sessions.put(key, Arc::clone(&tools), tools.bytes());
        self.note_seen(account, session, &tools);
        Ok(tools)
    }

    /// Remembers a configuration for the next call. Before a session first uses its tools the account's defaults may change without
    /// a number of its own.
    fn note_seen(&self, account: &Id, session: &Id, tools: &Arc<SessionTools>) {
        if tools.stamp.is_own() {
            self.tools.0.last_seen.put((account.clone(), session.clone()), Arc::clone(tools), tools.bytes());
        }
    }

    /// Makes a call and, if nobody has to be asked, runs it. Returns its id and the work that goes on.
    pub(crate) async fn start_call(
        &self,
        account: &Id,
        session: &Id,
        request: CallRequest,
    ) -> RuntimeResult<(Id, Option<RunningCall>)> {
        // A repeated request is answered with the call that it made, whatever has become of the page since.
        if let Some(stored) = self.stored_response::<Id>(account).await? {
            return Ok((stored, None));
        }
        self.check_page(account, session, request.page.as_ref()).await?;
        // Whether the tools are still those that were last seen is found out in the transaction that stores the call.
        if let Some(tools) = self.tools.0.last_seen.get(&(account.clone(), session.clone())) {
            match self.try_call(account, session, &request, tools).await {
                Err(RuntimeError::Refused(Refusal::ToolsChanged)) => {}
                other => return other,
            }
        }
        for _ in 1..ATTEMPTS_MAX {
            let tools = self.session_tools(account, session).await?;
            match self.try_call(account, session, &request, tools).await {
                Err(RuntimeError::Refused(Refusal::ToolsChanged)) => {}
                other => return other,
            }
        }
        let tools = self.session_tools(account, session).await?;
        self.try_call(account, session, &request, tools).await
    }

    async fn try_call(
        &self,
        account: &Id,
        session: &Id,
        request: &CallRequest,
        tools: Arc<SessionTools>,
    ) -> RuntimeResult<(Id, Option<RunningCall>)> {
        let prepared = self.prepare(account, &tools, request).await?;
        let (id, work) = self.store_call(account, session, tools, prepared).await?;
        Ok((id, work.map(|work| self.begin_work(account, work))))
    }

    /// Stores a call. Returns its id, and its work if it runs here and has not run with its row.
    pub(super) async fn store_call(
        &self,
        account: &Id,
        session: &Id,
        tools: Arc<SessionTools>,
        prepared: Prepared,
    ) -> RuntimeResult<(Id, Option<CallWork>)> {
        let Prepared { new, args, asked, resolved } = prepared;
        let on_pad = new.group.as_deref() == Some(var_tools::GROUP);
        let runs = matches!(new.event, CallEvent::Admitted { by_client: false });
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let pad = match on_pad && runs {
            true => Some((args.clone(), self.tools.result_approval(new.result_policy)?)),
            false => None,
        };
        let (id, session_row) = (new.id.clone(), tools.stamp.session_row);
        let permit = (runs && !on_pad).then(|| self.tools.enter(account, &id));
        let made: MadeCall = self
            .write(account, move |tx| {
                let (account, session, session_row, rules) = (&owner, &chat, Some(session_row), &*rules);
                let take =
                    TakeTools { account, session, session_row, new_calls: 1, new_bytes: new.bytes(), now, rules };
                take.run(tx, |tx, clock| {
                    let record = calls::insert(tx, clock, &new)?;
                    if let Some((args, approval)) = &pad {
                        run_var_tool(tx, clock, &record, args, approval.as_ref())?;
                    }
                    Ok(MadeCall { id: record.id.clone(), record: Some(Box::new(record)) })
                })
            })
            .await?;
        // A request that is repeated finds the call that it made the first time.
        match (made.record, permit) {
            (Some(record), Some(permit)) if made.id == id => {
                Ok((id, Some(CallWork { record: *record, tools, asked, resolved, args, permit })))
            }
            _ => Ok((made.id, None)),
        }
    }

    /// Runs a tool whose call is stored as running.
    pub(crate) fn begin_work(&self, account: &Id, work: CallWork) -> RunningCall {
        // What the tool does is its own request.
        let runtime = Runtime { idempotency: None, ..self.clone() };
        let account = account.clone();
        RunningCall::new(async move {
            let call = work.record.id.clone();
            runtime.work(&account, work).await.unwrap_or_else(|error| {
                tracing::error!(%call, %error, "cannot store what a call returned; it will be interrupted");
                None
            })
        })
    }

    async fn work(&self, account: &Id, work: CallWork) -> RuntimeResult<Option<CallDetails>> {
        let tools = Arc::clone(&work.tools);
        let Some(found) = tools.find(&work.record.tool) else {
            return Err(RuntimeError::Bug(format!("the tool `{}` of a running call is gone", work.record.tool)));
        };
        let Some(tool) = found.tool else { return self.work_on_pad(account, work).await.map(|()| None) };
        let record = &work.record;
        let call = ToolCall {
            args: work.args.clone(),
            runtime: self.clone(),
            account: account.clone(),
            session: record.session.clone(),
            page: record.page.clone(),
            branch: record.branch.clone(),
            id: record.id.clone(),
        };
        // A task of its own: a tool that panics takes nothing with it, and a call that is cancelled ends there. The tool's own code
        // begins inside of it, so that one that was cancelled before does nothing.
        let execute = Arc::clone(&tool.execute);
        let Some(task) = work.permit.start(async move { execute.execute(call).await }) else { return Ok(None) };
        let abort = task.abort_handle();
        let returned = match tokio::time::timeout(tool.timeout, task).await {
            Ok(Ok(returned)) => returned,
            Ok(Err(error)) => Err(ToolError::Thrown(if error.is_panic() {
                "the tool panicked".into()
            } else {
                "the call was cancelled".into()
            })),
            Err(_) => {
                abort.abort();
                Err(ToolError::Thrown(format!("no result within {} s", tool.timeout.as_secs_f32())))
            }
        };
        let outcome = self.outcome(found.declaration, Some(tool), returned, &work.args);
        self.finish(account, work, outcome).await
    }

    async fn work_on_pad(&self, account: &Id, work: CallWork) -> RuntimeResult<()> {
        let (owner, rules, now) = (account.clone(), self.tools.rules(), self.tools.now());
        let CallWork { record: CallRecord { id, session, result_policy, .. }, args, .. } = work;
        let approval = self.tools.result_approval(result_policy)?;
        self.store
            .write(move |tx| {
                clock::with_tools(tx, &owner, &session, now, &rules, |tx, clock| {
                    let record = call_rows::find(tx, &owner, &id)?;
                    run_var_tool(tx, clock, &record, &args, approval.as_ref()).map(drop)
                })
            })
            .await
    }

    /// Stores what a run returned. None if the call was given up meanwhile, or this process was counted as dead.
    async fn finish(&self, account: &Id, work: CallWork, outcome: Outcome) -> RuntimeResult<Option<CallDetails>> {
        let (owner, rules, now) = (account.clone(), self.tools.rules(), self.tools.now());
        let CallWork { record, asked, resolved, args, .. } = work;
        let approval = self.tools.result_approval(record.result_policy)?;
        let outcome = EncodedOutcome::from(outcome);
        let store = move |tx: &mut dyn Tx| {
            let (session, session_row) = (&record.session, Some(record.session_row));
            let (account, rules, new_bytes) = (&owner, &*rules, outcome.bytes());
            let take = TakeTools { account, session, session_row, new_calls: 0, new_bytes, now, rules };
            take.run(tx, |tx, clock| {
                let update = CallUpdate {
                    ran_with: Some(&args),
                    run_by: record.run.as_deref(),
                    ..returned(&record, &outcome, approval.as_ref())
                };
                calls::finish(tx, clock, &record, &update, &outcome)
            })
        };
        let seen = self.store.write(store).await?;
        Ok(seen.map(|seen| CallDetails { args: asked, resolved, ..seen }))
    }
}
