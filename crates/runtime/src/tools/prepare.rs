//! Decides about a call before anything is stored: which tool it is, what its references stand for, and who has to be asked.

use super::config::{FoundTool, SessionTools};
use super::executor::CallRequest;
use super::tool::TIMEOUT;
use crate::{Refusal, Runtime, RuntimeResult, new_id};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::JSON_DEPTH_MAX;
use tavernkeep_engine::tools::call::CallEvent;
use tavernkeep_engine::tools::canonical::canonical;
use tavernkeep_engine::tools::output;
use tavernkeep_engine::tools::permission::{
    ExecutionDecision, ExecutionPolicy, Record, ResultPolicy, decide_execution,
};
use tavernkeep_engine::tools::reference::{self, ReferenceError, Resolved, has_references};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::calls::NewCall;
use tavernkeep_store::tools::grants::{self, GrantKey};
use tavernkeep_store::tools::pad::PadView;
use tavernkeep_store::tools::stored_text::StoredText;
use tavernkeep_store::tree::SessionKey;

/// A call that is ready to be stored, and its arguments without references.
pub(super) struct Prepared {
    pub(super) new: NewCall,
    pub(super) args: Value,
    /// The arguments as they were asked for, and without references if that differs; JSON.
    pub(super) asked: String,
    pub(super) resolved: Option<String>,
}

impl Runtime {
    /// Decides about a call before anything is stored.
    pub(super) async fn prepare(
        &self,
        account: &Id,
        tools: &Arc<SessionTools>,
        request: &CallRequest,
    ) -> RuntimeResult<Prepared> {
        let found = tools.find(&request.tool);
        let asked = request.args.to_string();
        let mut new = self.new_call(request, &asked, tools)?;
        let Some(found) = found.filter(|found| found.callable || request.allow_disabled) else {
            let known = tools.find(&request.tool).is_some();
            let why = if known { "is disabled" } else { "not found" };
            new.error = Some(format!("Tool {} {why}", request.tool));
            return Ok(Prepared { new, args: request.args.clone(), asked, resolved: None });
        };
        new.group = Some(found.group.to_owned());
        if !request.skip_result_approval {
            new.result_policy = found.permission.result;
        }
        new.grant.definition_hash = found.definition_hash.to_vec();
        let mut resolved_text = None;
        let (args, record) = match self.resolve_args(account, tools, request, &found, &new.grant).await? {
            Ok((resolved, record)) => {
                if has_references(&request.args) {
                    let text = resolved.args.to_string();
                    new.resolved = Some(StoredText::new(&text));
                    resolved_text = Some(text);
                }
                (new.used, new.untrusted) = (resolved.used, resolved.untrusted);
                (resolved.args, record)
            }
            Err(message) => {
                (new.event, new.error) = (CallEvent::Unresolvable, Some(message));
                return Ok(Prepared { new, args: request.args.clone(), asked, resolved: None });
            }
        };
        new.grant.args_hash = args_hash(&args);
        let skip = request.skip_execution_approval;
        let decision = decide_execution(found.permission, record.as_ref(), &args, skip, self.tools.now());
        new.follows = record;
        match decision {
            ExecutionDecision::Run => {
                new.event = CallEvent::Admitted { by_client: found.by_client };
                if !found.by_client {
                    new.run = Some(self.tools.new_run(found.tool.map_or(TIMEOUT, |tool| tool.timeout))?);
                }
            }
            ExecutionDecision::Ask => {
                new.event = CallEvent::Asked;
                new.approval = Some(self.tools.new_approval(found.permission.execution, found.permission.expires_ms)?);
            }
            ExecutionDecision::Reject(reason) => {
                new.event = CallEvent::Rejected;
                new.reason = Some(reason);
            }
        }
        Ok(Prepared { new, args, asked, resolved: resolved_text })
    }

    /// A call that nothing is decided about.
    fn new_call(&self, request: &CallRequest, asked: &str, tools: &SessionTools) -> RuntimeResult<NewCall> {
        Ok(NewCall {
            id: new_id()?,
            grant: GrantKey { tool: request.tool.clone(), definition_hash: Vec::new(), args_hash: Vec::new() },
            group: None,
            event: CallEvent::NotFound,
            result_policy: ResultPolicy::Never,
            node: self.tools.new_node()?,
            page: request.page.clone(),
            branch: request.branch.clone(),
            args: StoredText::new(asked),
            resolved: None,
            untrusted: false,
            error: None,
            reason: None,
            used: BTreeMap::new(),
            run: None,
            client_until: self.tools.client_until(),
            approval: None,
            follows: None,
            config: tools.stamp,
        })
    }

    /// The arguments without references and the decision that was made about them before, or a message for the model.
    async fn resolve_args(
        &self,
        account: &Id,
        tools: &SessionTools,
        request: &CallRequest,
        found: &FoundTool<'_>,
        key: &GrantKey,
    ) -> RuntimeResult<Result<(Resolved, Option<Record>), String>> {
        let asks = found.permission.execution != ExecutionPolicy::Auto && !request.skip_execution_approval;
        if !asks && !has_references(&request.args) {
            let resolved = Resolved { args: request.args.clone(), used: BTreeMap::new(), untrusted: false };
            return Ok(check_args(&resolved.args).map(|()| (resolved, None)));
        }
        let (owner, rules) = (account.clone(), self.tools.rules());
        let (options, now, row) = (self.tools.options().references, self.tools.now(), tools.stamp.session_row);
        let (asked, schema) = (request.args.clone(), found.declaration.parameters().cloned());
        let mut key = key.clone();
        let read = move |tx: &mut dyn Tx| {
            let session = SessionKey::new(&owner, row);
            let mut view = PadView::new(tx, session, &rules)?;
            let resolved = match reference::resolve(&asked, schema.as_ref(), &options, &mut view) {
                Ok(resolved) => resolved,
                Err(ReferenceError::Lookup(error)) => return Err(error),
                Err(error) => return Ok(Err(error.to_string())),
            };
            if let Err(message) = check_args(&resolved.args) {
                return Ok(Err(message));
            }
            key.args_hash = args_hash(&resolved.args);
            let record = if asks { grants::find(tx, session, &key, now)? } else { None };
            Ok(Ok((resolved, record)))
        };
        self.store.read(read).await
    }

    /// Refuses a page that is not one of the session's.
    pub(super) async fn check_page(&self, account: &Id, session: &Id, page: Option<&Id>) -> RuntimeResult<()> {
        let Some(page) = page else { return Ok(()) };
        let found = self.page(account, page).await.map_err(|error| self.refuse(error))?;
        match self.floor(account, &found.floor).await?.session == *session {
            true => Ok(()),
            false => Err(self.refuse(Refusal::PageNotFound(page.clone()).into())),
        }
    }
}

/// Refuses arguments that could not be kept beside their result: the call would run and could not end. They could not be read again
/// either if they nest too deep, as the parts that references bring may do together.
pub(super) fn check_args(args: &Value) -> Result<(), String> {
    if !nests_at_most(args, ARGS_DEPTH_MAX) {
        return Err(format!("The arguments nest deeper than {ARGS_DEPTH_MAX}; flatten them"));
    }
    match output::fits_as_variable(args) {
        true => Ok(()),
        false => Err(format!("The arguments are longer than {} bytes as text", output::VARIABLE_BYTES_MAX)),
    }
}

/// How deep the arguments of a call nest: what `serde_json` reads, which is one less than a request may send.
const ARGS_DEPTH_MAX: usize = JSON_DEPTH_MAX - 1;

fn nests_at_most(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| nests_at_most(item, levels - 1)),
        Value::Object(members) => levels > 0 && members.values().all(|member| nests_at_most(member, levels - 1)),
        _ => true,
    }
}

/// The hash of resolved arguments, whatever the order of their members.
pub(super) fn args_hash(args: &Value) -> Vec<u8> {
    Sha256::digest(canonical(args)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::check_args;
    use serde_json::{Value, json};

    #[test]
    fn arguments_that_could_not_be_read_again_are_refused() {
        let nested = |levels: usize| (1..levels).fold(json!({}), |value, _| json!([value]));
        for levels in [1, 100, 127, 128, 200] {
            let args = nested(levels);
            let is_read = serde_json::from_str::<Value>(&args.to_string()).is_ok();
            assert_eq!(check_args(&args).is_ok(), is_read, "{levels}");
            assert_eq!(is_read, levels < 128);
        }
    }
}
