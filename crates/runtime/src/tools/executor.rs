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
use super::tool::{Tool, ToolCall, ToolError};
use crate::lru::BytesLru;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, now_ms};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{CALL_LEASE_MARGIN_MS, SESSION_TOOLS_BYTES_MAX};
use tavernkeep_engine::tools::call::{CallEvent, CallState};
use tavernkeep_engine::tools::definition::Declaration;
use tavernkeep_engine::tools::permission::ExecutionPolicy;
use tavernkeep_engine::tools::var_tools;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::approvals::NewApproval;
use tavernkeep_store::tools::call_rows;
use tavernkeep_store::tools::calls::{self, Outcome, Run};
use tavernkeep_store::tools::clock::{self, ProgramRules};
use tavernkeep_store::tools::settings::{self, ConfigStamp};
use tavernkeep_store::tree::SessionKey;
use tokio::task::{AbortHandle, JoinHandle};

pub use tavernkeep_engine::tools::call::CallStatus as ExecuteStatus;

/// The tools of a runtime.
#[derive(Clone)]
pub(crate) struct Tools(Arc<Shared>);

struct Shared {
    registry: Registry,
    options: ToolOptions,
    /// Configurations of sessions that were parsed lately.
    sessions: BytesLru<(Id, ConfigStamp), Arc<SessionTools>>,
    running: Arc<Mutex<HashMap<Id, AbortHandle>>>,
    process: ProcessToken,
}

/// How often a call or a decision is made again when the session's tools changed meanwhile.
pub(super) const ATTEMPTS_MAX: usize = 5;

impl Tools {
    pub(crate) fn new(registry: Registry, options: ToolOptions) -> RuntimeResult<Tools> {
        let process = ProcessToken::own()?;
        let sessions = BytesLru::new(SESSION_TOOLS_BYTES_MAX);
        Ok(Tools(Arc::new(Shared { registry, options, sessions, running: Arc::default(), process })))
    }

    /// The same calls with other groups.
    pub(crate) fn with(&self, registry: Registry, options: ToolOptions) -> Tools {
        let (running, process) = (Arc::clone(&self.0.running), self.0.process);
        Tools(Arc::new(Shared {
            registry,
            options,
            sessions: BytesLru::new(SESSION_TOOLS_BYTES_MAX),
            running,
            process,
        }))
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

    pub(crate) fn new_approval(&self, policy: ExecutionPolicy, expires_ms: Option<i64>) -> RuntimeResult<NewApproval> {
        let ends_at = self.now().saturating_add(self.0.options.approval_ms);
        Ok(NewApproval { id: new_id()?, policy, expires_ms, ends_at })
    }

    pub(crate) fn abort(&self, call: &Id) {
        if let Some(task) = self.0.running.lock().unwrap_or_else(PoisonError::into_inner).remove(call) {
            task.abort();
        }
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
    pub(crate) call: Id,
    pub(crate) session: Id,
    pub(crate) declaration: Declaration,
    /// The code; none for tools of the scratchpad.
    pub(crate) tool: Option<Tool>,
    pub(crate) args: Value,
    pub(crate) page: Option<Id>,
    pub(crate) branch: Option<String>,
    pub(crate) run: Run,
}

impl Runtime {
    /// The parsed configuration of a session's tools.
    pub(crate) async fn session_tools(&self, account: &Id, session: &Id) -> RuntimeResult<Arc<SessionTools>> {
        let (owner, wanted) = (account.clone(), session.clone());
        let stamp = self.store.read_one(move |tx| settings::stamp(tx, &owner, &wanted)).await?;
        let key = (account.clone(), stamp);
        if let Some(known) = self.tools.0.sessions.get(&key) {
            return Ok(known);
        }
        let owner = account.clone();
        let load = move |tx: &mut dyn Tx| settings::load(tx, SessionKey::new(&owner, stamp.session_row));
        let stored = self.store.read(load).await?;
        let tools = Arc::new(SessionTools::new(stamp, self.tools.registry(), stored));
        self.tools.0.sessions.put(key, Arc::clone(&tools), tools.bytes());
        Ok(tools)
    }

    /// Makes a call and, if nobody has to be asked, runs it. Returns its id and the work that goes on.
    pub(crate) async fn start_call(
        &self,
        account: &Id,
        session: &Id,
        request: CallRequest,
    ) -> RuntimeResult<(Id, Option<JoinHandle<()>>)> {
        // A repeated request is answered with the call that it made, whatever has become of the page since.
        if let Some(stored) = self.stored_response::<Id>(account).await? {
            return Ok((stored, None));
        }
        self.check_page(account, session, request.page.as_ref()).await?;
        for _ in 1..ATTEMPTS_MAX {
            match self.try_call(account, session, request.clone()).await {
                Err(RuntimeError::Refused(Refusal::ToolsChanged)) => {}
                other => return other,
            }
        }
        self.try_call(account, session, request).await
    }

    async fn try_call(
        &self,
        account: &Id,
        session: &Id,
        request: CallRequest,
    ) -> RuntimeResult<(Id, Option<JoinHandle<()>>)> {
        let tools = self.session_tools(account, session).await?;
        let Prepared { new, declaration, tool, args, run } = self.prepare(account, &tools, &request).await?;
        let on_pad = new.group.as_deref() == Some(var_tools::GROUP);
        let id = new.id.clone();
        let runs = matches!(new.event, CallEvent::Admitted { by_client: false });
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let (pad_args, approval) = (args.clone(), self.tools.new_approval(ExecutionPolicy::Auto, None)?);
        let stored: Id = self
            .write(account, move |tx| {
                clock::with_tools(tx, &owner, &chat, now, &rules, |tx, clock| {
                    let record = calls::insert(tx, clock, &new)?;
                    if on_pad && runs {
                        run_var_tool(tx, clock, &record, &pad_args, &approval)?;
                    }
                    Ok(record.id)
                })
            })
            .await?;
        // A request that is repeated finds the call that it made the first time.
        if stored != id || on_pad || !runs {
            return Ok((stored, None));
        }
        let (Some(declaration), Some(tool)) = (declaration, tool) else { return Ok((stored, None)) };
        let work = CallWork {
            call: id.clone(),
            session: session.clone(),
            declaration,
            tool: Some(tool),
            args,
            page: request.page,
            branch: request.branch,
            run,
        };
        Ok((id, Some(self.spawn_work(account, work))))
    }

    /// Runs a tool whose call is stored as running. The work goes on when nobody waits for it.
    pub(crate) fn spawn_work(&self, account: &Id, work: CallWork) -> JoinHandle<()> {
        // What the tool does is its own request.
        let runtime = Runtime { idempotency: None, ..self.clone() };
        let account = account.clone();
        tokio::spawn(async move {
            let call = work.call.clone();
            if let Err(error) = runtime.work(&account, work).await {
                tracing::error!(%call, %error, "cannot store what a call returned; it will be interrupted");
            }
            runtime.tools.0.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
        })
    }

    async fn work(&self, account: &Id, work: CallWork) -> RuntimeResult<()> {
        let Some(tool) = &work.tool else { return self.work_on_pad(account, work).await };
        let call = ToolCall {
            args: work.args.clone(),
            runtime: self.clone(),
            account: account.clone(),
            session: work.session.clone(),
            page: work.page.clone(),
            branch: work.branch.clone(),
            id: work.call.clone(),
        };
        // A task of its own: a tool that panics takes nothing with it, and a call that is cancelled ends there.
        let task = tokio::spawn(tool.execute.execute(call));
        let abort = task.abort_handle();
        self.tools.0.running.lock().unwrap_or_else(PoisonError::into_inner).insert(work.call.clone(), abort.clone());
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
        let outcome = self.outcome(&work.declaration, Some(tool), returned, &work.args);
        self.finish(account, &work, outcome).await
    }

    async fn work_on_pad(&self, account: &Id, work: CallWork) -> RuntimeResult<()> {
        let (owner, rules, now) = (account.clone(), self.tools.rules(), self.tools.now());
        let (call, session, args) = (work.call, work.session, work.args);
        let approval = self.tools.new_approval(ExecutionPolicy::Auto, None)?;
        self.store
            .write(move |tx| {
                clock::with_tools(tx, &owner, &session, now, &rules, |tx, clock| {
                    let record = call_rows::find(tx, &owner, &call)?;
                    run_var_tool(tx, clock, &record, &args, &approval).map(drop)
                })
            })
            .await
    }

    async fn finish(&self, account: &Id, work: &CallWork, outcome: Outcome) -> RuntimeResult<()> {
        let (owner, rules, now) = (account.clone(), self.tools.rules(), self.tools.now());
        let (call, session, token) = (work.call.clone(), work.session.clone(), work.run.token.clone());
        let approval = self.tools.new_approval(ExecutionPolicy::Auto, None)?;
        self.store
            .write(move |tx| {
                clock::with_tools(tx, &owner, &session, now, &rules, |tx, clock| {
                    let record = call_rows::find(tx, &owner, &call)?;
                    // The call may have been cancelled, or counted this process as dead.
                    if record.state != CallState::Running || record.run.as_ref() != Some(&token) {
                        return Ok(());
                    }
                    returned(tx, clock, &record, &outcome, &approval).map(drop)
                })
            })
            .await
    }
}
