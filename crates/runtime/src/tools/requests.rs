//! What the outside asks of a session's tools: groups and settings, calls, approvals, remembered decisions.

use super::config::{Defaults, GroupState};
use super::executor::{ATTEMPTS_MAX, CallRequest, CallWork};
use super::outcome::returned;
use super::prepare::{args_hash, check_args};
use super::registry::rule_variables;
use super::running::RunningCall;
use super::tool::{TIMEOUT, ToolError, ToolOutput};
use crate::record::{Listed, Window};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::call::{CANCELLED, CallEvent, CallState};
use tavernkeep_engine::tools::definition::{Declaration, GroupDeclaration};
use tavernkeep_engine::tools::permission::{ApprovalScope, Permission, denied};
use tavernkeep_engine::tools::rules;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::approval_rows;
use tavernkeep_store::tools::approvals::{self, Approval, Verdict};
use tavernkeep_store::tools::call_bodies::{self, CallDetails, Viewer};
use tavernkeep_store::tools::call_rows::{self, CallRecord};
use tavernkeep_store::tools::calls::{self, EncodedOutcome};
use tavernkeep_store::tools::clock;
use tavernkeep_store::tools::grants::{self, Grant};
use tavernkeep_store::tools::journal::{self, CallFilter};
use tavernkeep_store::tools::settings::{self, NewGroup, Setting};

/// What a person says to an approval.
#[derive(Debug, Clone, Default)]
pub struct VerdictOrder {
    /// Whether it may be.
    pub approved: bool,
    /// Why not.
    pub reason: Option<String>,
    /// How long that counts.
    pub scope: Option<ApprovalScope>,
    /// Other arguments for the call.
    pub args: Option<Value>,
    /// Who says so.
    pub by: Option<String>,
}

/// What a decision did: the call, whether it runs now, and the call after it. Only the first two are kept for a repeated request.
#[derive(Serialize, Deserialize)]
struct Decided(Id, bool, #[serde(skip)] Option<Box<CallRecord>>);

/// What an application returns for a call of its tool.
#[derive(Debug, Clone)]
pub struct ClientResult {
    /// What it returned, or why not.
    pub returned: Result<Option<Value>, Option<String>>,
}

impl Runtime {
    /// The groups of a session, in the order of registration.
    pub async fn tool_groups(&self, account: &Id, session: &Id) -> RuntimeResult<Vec<GroupState>> {
        Ok(self.session_tools(account, session).await?.states())
    }

    /// The definitions of the enabled tools, for a model.
    pub async fn tool_definitions(&self, account: &Id, session: &Id) -> RuntimeResult<Vec<Value>> {
        Ok(self.session_tools(account, session).await?.definitions())
    }

    /// The part of the system prompt about tools.
    pub async fn tool_rules(&self, account: &Id, session: &Id) -> RuntimeResult<String> {
        Ok(self.session_tools(account, session).await?.rules())
    }

    /// Registers a group whose tools an application runs. One that was registered before is replaced and disabled.
    pub async fn register_client_group(
        &self,
        account: &Id,
        session: &Id,
        group: GroupDeclaration,
        source: &Value,
    ) -> RuntimeResult<GroupState> {
        let tools = self.session_tools(account, session).await?;
        let known = tools.group(&group.name);
        // Rules of the group `Agent` are the program's own, although it has no tools.
        if group.name == rules::AGENT || known.is_some_and(|(_, by_client)| !by_client) {
            let why = format!("the group `{}` is a part of the program; rename yours", group.name);
            return Err(self.refuse(Refusal::ToolState(why).into()));
        }
        if group.tools.is_empty() {
            return Err(self.refuse(Refusal::ToolState("a group without tools cannot be registered".into()).into()));
        }
        for tool in &group.tools {
            if tools.find(&tool.name).is_some_and(|found| found.group != group.name) {
                let why = format!("another group has a tool `{}`; rename one of them", tool.name);
                return Err(self.refuse(Refusal::ToolState(why).into()));
            }
        }
        let before = known.map(|(group, _)| group.declaration.skill_rules.clone()).unwrap_or_default();
        let kept: HashSet<&str> = group.skill_rules.iter().map(|rule| rule.name.as_str()).collect();
        let gone = before.iter().filter(|rule| !kept.contains(rule.name.as_str()));
        let new = NewGroup {
            name: group.name.clone(),
            declaration: source.to_string(),
            rules: rule_variables(&group.name, &group.skill_rules),
            rules_gone: gone.map(|rule| rules::variable_name(&group.name, &rule.name)).collect(),
            enabled: tools.group_default(&group.name),
        };
        let (owner, chat, program, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        self.write(account, move |tx| settings::register(tx, &owner, &chat, &program, &new, now)).await?;
        let states = self.tool_groups(account, session).await?;
        let state = states.into_iter().find(|state| state.declaration.name == group.name);
        state.ok_or_else(|| RuntimeError::Bug("a registered group is not there".into()))
    }

    /// Enables or disables a group.
    pub async fn set_group_enabled(
        &self,
        account: &Id,
        session: &Id,
        name: &str,
        enabled: bool,
    ) -> RuntimeResult<GroupState> {
        let tools = self.session_tools(account, session).await?;
        if tools.group(name).is_none() {
            return Err(self.refuse(Refusal::ToolGroupNotFound(name.to_owned()).into()));
        }
        let (owner, chat, program, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let group = name.to_owned();
        self.write(account, move |tx| settings::set_group(tx, &owner, &chat, &program, &group, enabled, now)).await?;
        let states = self.tool_groups(account, session).await?;
        let state = states.into_iter().find(|state| state.declaration.name == name);
        state.ok_or_else(|| Refusal::ToolGroupNotFound(name.to_owned()).into())
    }

    /// Changes what a session says about a tool.
    pub async fn set_tool(
        &self,
        account: &Id,
        session: &Id,
        name: &str,
        enabled: Option<bool>,
        permission: Option<Permission>,
    ) -> RuntimeResult<()> {
        let tools = self.session_tools(account, session).await?;
        if tools.find(name).is_none() {
            return Err(self.refuse(Refusal::ToolNotFound(name.to_owned()).into()));
        }
        let (owner, chat, program, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let setting = Setting { enabled, permission: permission.map(|permission| permission.to_json().to_string()) };
        let tool = name.to_owned();
        self.write(account, move |tx| settings::set_tool(tx, &owner, &chat, &program, (&tool, &setting), now)).await
    }

    /// What new sessions of an account begin with.
    pub async fn tool_defaults(&self, account: &Id) -> RuntimeResult<Defaults> {
        let account = account.clone();
        let stored = self.store.read_point(move |tx| settings::defaults(tx, &account)).await?;
        Ok(stored.as_deref().map(Defaults::read).unwrap_or_default())
    }

    /// Replaces what new sessions of an account begin with.
    pub async fn put_tool_defaults(&self, account: &Id, defaults: Defaults) -> RuntimeResult<()> {
        let (owner, text, now) = (account.clone(), defaults.to_json().to_string(), self.tools.now());
        self.write(account, move |tx| settings::put_defaults(tx, &owner, &text, now)).await
    }

    /// Makes a call. It is answered when it has ended, when a person or an application has to go on with it, or when it takes
    /// longer than a request waits.
    pub async fn call_tool(&self, account: &Id, session: &Id, request: CallRequest) -> RuntimeResult<CallDetails> {
        let (call, work) = self.start_call(account, session, request).await?;
        self.seen_after(account, &call, work).await
    }

    /// A call when its work is done, or as far as it is when the time of a request is over.
    async fn seen_after(&self, account: &Id, call: &Id, work: Option<RunningCall>) -> RuntimeResult<CallDetails> {
        if let Some(work) = work
            && let Ok(Some(details)) = tokio::time::timeout(self.tools.options().wait, work).await
        {
            return Ok(details);
        }
        self.call_after_write(account, call).await
    }

    /// One call.
    pub async fn call(&self, account: &Id, id: &Id) -> RuntimeResult<CallDetails> {
        let (account, id, now) = (account.clone(), id.clone(), self.tools.now());
        let read = move |tx: &mut dyn Tx| {
            let record = call_rows::find(tx, &account, &id)?;
            call_bodies::details(tx, &account, record, Viewer::Anybody, now)
        };
        self.store.read(read).await
    }

    /// The same behind a write that has succeeded: if it cannot be read, the caller must know that the write may stand.
    async fn call_after_write(&self, account: &Id, id: &Id) -> RuntimeResult<CallDetails> {
        self.call(account, id).await.map_err(|error| match error {
            RuntimeError::Unavailable(cause) | RuntimeError::Contended(cause) => RuntimeError::Unconfirmed(cause),
            other => other,
        })
    }

    /// The journal of a session.
    pub async fn calls(
        &self,
        account: &Id,
        session: &Id,
        filter: CallFilter,
        window: Window,
    ) -> RuntimeResult<Listed<CallRecord>> {
        let (account, session, now) = (account.clone(), session.clone(), self.tools.now());
        self.store.read(move |tx| journal::list(tx, &account, &session, &filter, window, now)).await
    }

    /// Takes what an application returned for a call of its tool.
    pub async fn client_result(&self, account: &Id, call: &Id, result: ClientResult) -> RuntimeResult<CallDetails> {
        let details = self.call(account, call).await?;
        let tools = self.session_tools(account, &details.record.session).await?;
        let declaration = tools.find(&details.record.tool).map(|found| found.declaration.clone());
        let declaration = declaration.unwrap_or_else(|| Declaration::new(&details.record.tool, "", Value::Null));
        let args = args_of(&details)?;
        let output = match result.returned {
            Ok(data) => Ok(ToolOutput { data, formatted_text: None }),
            Err(message) => Err(ToolError::Failed(message)),
        };
        let outcome = EncodedOutcome::from(self.outcome(&declaration, None, output, &args));
        let approval = self.tools.result_approval(details.record.result_policy)?;
        let (owner, id, rules, now) = (account.clone(), call.clone(), self.tools.rules(), self.tools.now());
        let session = details.record.session.clone();
        self.write(account, move |tx| {
            clock::with_tools(tx, &owner, &session, now, &rules, |tx, clock| {
                let record = call_rows::find(tx, &owner, &id)?.at(now);
                if record.state != CallState::AwaitingClient {
                    let why = format!("the call is '{}' and waits for no result", record.status().as_str());
                    return Err(Refusal::ToolState(why).into());
                }
                calls::advance(tx, clock, &record, &returned(&record, &outcome, approval.as_ref())).map(drop)
            })
        })
        .await?;
        self.call_after_write(account, call).await
    }

    /// Gives a call up: what waits is rejected, what runs is stopped.
    pub async fn cancel_call(&self, account: &Id, call: &Id) -> RuntimeResult<CallDetails> {
        let (owner, id, rules, now) = (account.clone(), call.clone(), self.tools.rules(), self.tools.now());
        self.write(account, move |tx| {
            approvals::cancel(tx, &owner, &id, &rules, CallEvent::Cancelled, CANCELLED, now).map(drop)
        })
        .await?;
        self.tools.stop(account, call);
        self.call_after_write(account, call).await
    }

    /// The approvals of a session that are pending.
    pub async fn approvals(
        &self,
        account: &Id,
        session: &Id,
        window: Window,
    ) -> RuntimeResult<Listed<(Approval, CallDetails)>> {
        let (account, session, now) = (account.clone(), session.clone(), self.tools.now());
        self.store.read(move |tx| approvals::list(tx, &account, &session, window, now)).await
    }

    /// What waits for a person in all sessions of an account.
    pub async fn all_approvals(&self, account: &Id, window: Window) -> RuntimeResult<Listed<(Approval, CallDetails)>> {
        let (account, now) = (account.clone(), self.tools.now());
        self.store.read(move |tx| approvals::list_of_account(tx, &account, window, now)).await
    }

    /// Decides about a call and, if it may run now, runs it.
    pub async fn decide(&self, account: &Id, approval: &Id, order: VerdictOrder) -> RuntimeResult<CallDetails> {
        let (call, work) = self.start_decided(account, approval, order).await?;
        self.seen_after(account, &call, work).await
    }

    pub(crate) async fn start_decided(
        &self,
        account: &Id,
        approval: &Id,
        order: VerdictOrder,
    ) -> RuntimeResult<(Id, Option<RunningCall>)> {
        // A repeated request is answered with what the first one did.
        if let Some((call, _)) = self.stored_response::<(Id, bool)>(account).await? {
            return Ok((call, None));
        }
        for _ in 1..ATTEMPTS_MAX {
            match self.try_decide(account, approval, order.clone()).await {
                Err(RuntimeError::Refused(Refusal::ToolsChanged)) => {}
                other => return other,
            }
        }
        self.try_decide(account, approval, order).await
    }

    async fn try_decide(
        &self,
        account: &Id,
        approval: &Id,
        order: VerdictOrder,
    ) -> RuntimeResult<(Id, Option<RunningCall>)> {
        let (owner, id, now) = (account.clone(), approval.clone(), self.tools.now());
        let (approved, scope, hash) = (order.approved, order.scope, order.args.as_ref().map(args_hash));
        let read = move |tx: &mut dyn Tx| {
            let (approval, record) = approval_rows::find(tx, &owner, &id)?;
            let decision = approvals::decision(&approval, approved, scope, hash.clone());
            let is_repeated = approval.is_repeated_by(&decision, &record.id, now)?;
            Ok((is_repeated, call_bodies::details(tx, &owner, record, Viewer::Approver, now)?))
        };
        let (is_repeated, details) = self.store.read(read).await.map_err(|error| self.refuse(error))?;
        if is_repeated {
            return Ok((details.record.id, None));
        }
        let record = &details.record;
        let tools = self.session_tools(account, &record.session).await?;
        let found = tools.find(&record.tool);
        let args = order.args.clone().map_or_else(|| args_of(&details), Ok)?;
        let is_execution = record.state == CallState::AwaitingExecution;
        let unusable = match &found {
            None => Some(format!("Tool {} not found", record.tool)),
            Some(found) if !found.callable => Some(format!("Tool {} is disabled", record.tool)),
            Some(found) if found.definition_hash != record.definition_hash => {
                Some("The tool's definition has changed since the approval was asked for".to_owned())
            }
            Some(_) => None,
        };
        if let Some(found) = found.as_ref().filter(|_| order.approved && is_execution && unusable.is_none()) {
            // Rules count for edited arguments as for any others, and those that were made meanwhile count too.
            if let Some(why) = denied(found.permission, &args).or_else(|| check_args(&args).err()) {
                let why = format!("{why}; approve other arguments or reject the call");
                return Err(self.refuse(Refusal::ToolState(why).into()));
            }
        }
        let by_client = found.as_ref().is_some_and(|found| found.by_client);
        let timeout = found.as_ref().and_then(|found| found.tool).map_or(TIMEOUT, |tool| tool.timeout);
        let run = self.tools.new_run(timeout)?;
        let verdict = Verdict {
            approved: order.approved,
            reason: order.reason,
            scope: order.scope,
            by: order.by,
            args: order.args.map(|args| (args.to_string(), args_hash(&args))),
            unusable,
            config: tools.stamp,
            grant: new_id()?,
            by_client,
            client_until: self.tools.client_until(),
            run,
        };
        let edited = verdict.args.as_ref().map(|(args, _)| args.clone());
        let permit = self.tools.enter(account, &record.id);
        let (owner, id, rules, now) = (account.clone(), approval.clone(), self.tools.rules(), self.tools.now());
        let Decided(call, runs, after) = self
            .write(account, move |tx| {
                let (after, runs) = approvals::decide(tx, &owner, &id, &rules, &verdict, now)?;
                Ok(Decided(after.id.clone(), runs, Some(Box::new(after))))
            })
            .await?;
        let (true, false, Some(after)) = (runs, self.was_replayed(), after) else { return Ok((call, None)) };
        let (asked, resolved) = (details.args, edited.or(details.resolved));
        let work = CallWork { record: *after, tools, asked, resolved, args, permit };
        Ok((call, Some(self.begin_work(account, work))))
    }

    /// The decisions that count in a session longer than their call.
    pub async fn grants(&self, account: &Id, session: &Id, window: Window) -> RuntimeResult<Listed<Grant>> {
        let (account, session, now) = (account.clone(), session.clone(), self.tools.now());
        self.store.read(move |tx| grants::list(tx, &account, &session, window, now)).await
    }

    /// Forgets a decision: the next call asks again.
    pub async fn revoke_grant(&self, account: &Id, session: &Id, grant: &Id) -> RuntimeResult<()> {
        let (owner, chat, id) = (account.clone(), session.clone(), grant.clone());
        let (rules, now) = (self.tools.rules(), self.tools.now());
        self.write(account, move |tx| grants::revoke(tx, &owner, &chat, &rules, &id, now)).await
    }
}

/// The arguments that a call runs with. A call must not run with others, so what cannot be read is an error.
pub(crate) fn args_of(details: &CallDetails) -> RuntimeResult<Value> {
    let text = details.resolved.as_ref().unwrap_or(&details.args);
    let unreadable = |error| RuntimeError::Bug(format!("the arguments of the call {}: {error}", details.record.id));
    serde_json::from_str(text).map_err(unreadable)
}
