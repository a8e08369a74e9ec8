//! Calls: rows that go through the states of [`tavernkeep_engine::tools::call`], with what each step does to other rows.

use crate::tools::approvals::{self, NewApproval};
use crate::tools::call_bodies::{self, CallDetails, CallText, Viewer};
use crate::tools::call_rows::{self, CallRecord};
use crate::tools::clock::ToolClock;
use crate::tools::grants::{self, GrantKey};
use crate::tools::journal;
use crate::tools::stamp::ConfigStamp;
use crate::tools::stored_text::StoredText;
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use serde_json::Value;
use std::collections::BTreeMap;
use tavernkeep_engine::limits::CLIENT_CALLS_MAX;
use tavernkeep_engine::tools::call::{self, CallEvent, CallState, CallStep};
use tavernkeep_engine::tools::output::{self, Truncated};
use tavernkeep_engine::tools::permission::{Record, ResultPolicy};
use tavernkeep_engine::tools::scratchpad::PadError;
use tavernkeep_engine::tools::variable::{Unwritable, VarType, VariablePatch, length};

/// A call as it is made.
#[derive(Debug, Clone)]
pub struct NewCall {
    pub id: Id,
    pub grant: GrantKey,
    pub group: Option<String>,
    pub event: CallEvent,
    pub result_policy: ResultPolicy,
    /// The part of its variables' names that is its own.
    pub node: String,
    pub page: Option<Id>,
    pub branch: Option<String>,
    /// The arguments as they were asked for, and resolved if that differs; JSON.
    pub args: StoredText,
    pub resolved: Option<StoredText>,
    /// Whether the resolved arguments hold untrusted text.
    pub untrusted: bool,
    pub error: Option<String>,
    pub reason: Option<String>,
    /// The variables that were used.
    pub used: BTreeMap<String, i64>,
    pub run: Option<Run>,
    /// Until when an application has time to return the result.
    pub client_until: i64,
    pub approval: Option<NewApproval>,
    /// The remembered decision that was found for it. It must still count when the call is stored.
    pub follows: Option<Record>,
    /// The configuration that was decided by.
    pub config: ConfigStamp,
}

impl NewCall {
    /// The bytes that it adds to the journal.
    pub fn bytes(&self) -> i64 {
        self.args.bytes() + self.resolved.as_ref().map_or(0, StoredText::bytes)
    }
}

/// Who runs a call, and until when it counts as alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub token: Vec<u8>,
    pub lease_until: i64,
}

/// What a tool returned, formatted and cut.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub succeeded: bool,
    pub error: Option<String>,
    /// The data as JSON; none if it is the formatted text.
    pub data: Option<String>,
    pub data_is_text: bool,
    pub formatted: Option<String>,
    pub final_text: String,
    /// What is shown of the formatted text, if a hint about its variable belongs behind it.
    pub shown: Option<Truncated>,
    pub is_truncated: bool,
    /// Whether result and arguments go to the scratchpad.
    pub cache: bool,
}

/// What a tool returned, with its texts as they are stored.
#[derive(Debug, Clone)]
pub struct EncodedOutcome {
    outcome: Outcome,
    data: Option<StoredText>,
    formatted: Option<StoredText>,
}

impl From<Outcome> for EncodedOutcome {
    fn from(outcome: Outcome) -> Self {
        let (data, formatted) = (outcome.data.as_deref(), outcome.formatted.as_deref());
        let (data, formatted) = (data.map(StoredText::new), formatted.map(StoredText::new));
        EncodedOutcome { outcome, data, formatted }
    }
}

impl EncodedOutcome {
    pub fn succeeded(&self) -> bool {
        self.outcome.succeeded
    }

    /// The bytes that it adds to the journal, as far as they are known before it is stored.
    pub fn bytes(&self) -> i64 {
        [&self.data, &self.formatted].into_iter().flatten().map(StoredText::bytes).sum()
    }
}

/// Makes a call. Variables that were used are visited.
pub fn insert(tx: &mut dyn Tx, clock: &ToolClock, new: &NewCall) -> StoreResult<CallRecord> {
    clock.expect_config(&new.config)?;
    if let Some(decision) = &new.follows {
        grants::expect(tx, clock, &new.grant, decision)?;
    }
    let (state, step) = call::next(CallState::New, new.event).map_err(wrong_state)?;
    if step == CallStep::HandOver {
        check_client_calls(tx, clock)?;
    }
    let call_row = clock.next_call();
    let started_at = matches!(state, CallState::Running | CallState::AwaitingClient).then(|| clock.now());
    let record = CallRecord {
        session_row: clock.key().row,
        call_row,
        id: new.id.clone(),
        session: clock.session().clone(),
        tool: new.grant.tool.clone(),
        group: new.group.clone(),
        state,
        result_policy: new.result_policy,
        created_at: clock.now(),
        started_at,
        ended_at: state.status().has_ended().then(|| clock.now()),
        definition_hash: new.grant.definition_hash.clone(),
        args_hash: new.grant.args_hash.clone(),
        node: new.node.clone(),
        page: new.page.clone(),
        branch: new.branch.clone(),
        run: new.run.as_ref().map(|run| run.token.clone()),
        lease_until: lease(state, new.run.as_ref(), new.approval.as_ref(), new.client_until),
        is_truncated: false,
        is_cached: false,
        data_is_text: false,
        is_untrusted: new.untrusted,
        error: new.error.clone(),
        reason: new.reason.clone(),
        decided_by: None,
        args: new.args.is_short().then(|| new.args.clone()),
    };
    call_rows::insert(tx, clock, &record)?;
    match &record.args {
        Some(args) => clock.count_bytes(args.bytes()),
        None => call_bodies::put(tx, clock, call_row, CallText::Args, Some(&new.args))?,
    }
    call_bodies::put(tx, clock, call_row, CallText::Resolved, new.resolved.as_ref())?;
    if !new.used.is_empty() {
        clock.pad(tx, |pad| pad.visit(&new.used).map_err(PadError::Rows))?;
    }
    if let CallStep::Ask(kind) = step {
        approvals::insert(tx, clock, &record, kind, new.approval.as_ref())?;
    }
    journal::drop_oldest(tx, clock, call_row)?;
    emit(tx, clock, &record)?;
    Ok(record)
}

/// Until when a state may last.
fn lease(state: CallState, run: Option<&Run>, approval: Option<&NewApproval>, client_until: i64) -> Option<i64> {
    match state {
        CallState::Running => run.map(|run| run.lease_until),
        CallState::AwaitingExecution | CallState::AwaitingResult { .. } => approval.map(|approval| approval.ends_at),
        CallState::AwaitingClient => Some(client_until),
        CallState::New | CallState::Ended(_) => None,
    }
}

fn check_client_calls(tx: &mut dyn Tx, clock: &ToolClock) -> StoreResult<()> {
    match journal::count_awaiting_client(tx, clock.key())? >= CLIENT_CALLS_MAX {
        true => Err(Refusal::TooMany("calls in one session that wait for applications", CLIENT_CALLS_MAX).into()),
        false => Ok(()),
    }
}

/// What happens to a call.
pub struct CallUpdate<'a> {
    pub event: CallEvent,
    pub outcome: Option<&'a EncodedOutcome>,
    /// Who runs it from now on.
    pub run: Option<&'a Run>,
    /// Until when an application has time, if it is handed over to one.
    pub client_until: i64,
    pub approval: Option<&'a NewApproval>,
    pub reason: Option<&'a str>,
    pub decided_by: Option<&'a str>,
    /// Other arguments, resolved, and their hash.
    pub args: Option<(&'a str, &'a [u8])>,
    /// The arguments that it ran with, if the caller has them; otherwise they are read.
    pub ran_with: Option<&'a Value>,
    /// The token that the call must still run under; otherwise nothing happens.
    pub run_by: Option<&'a [u8]>,
}

impl<'a> CallUpdate<'a> {
    pub fn new(event: CallEvent) -> CallUpdate<'a> {
        CallUpdate {
            event,
            outcome: None,
            run: None,
            client_until: 0,
            approval: None,
            reason: None,
            decided_by: None,
            args: None,
            ran_with: None,
            run_by: None,
        }
    }
}

/// Ends a run: stores what it returned, unless the call was given up meanwhile or its process was counted as dead. Returns what may be
/// seen of the call now.
pub fn finish(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    update: &CallUpdate<'_>,
    EncodedOutcome { outcome, .. }: &EncodedOutcome,
) -> StoreResult<Option<CallDetails>> {
    let Some(record) = try_advance(tx, clock, record, update)? else { return Ok(None) };
    let details = CallDetails {
        args: String::new(),
        resolved: None,
        data: outcome.data.clone(),
        final_text: Some(outcome.final_text(&record)),
        formatted: outcome.formatted.clone(),
        record,
    };
    Ok(Some(details.seen_by(Viewer::Anybody, clock.now())))
}

/// Moves a call on, and does with its rows what that means.
pub fn advance(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    update: &CallUpdate<'_>,
) -> StoreResult<CallRecord> {
    try_advance(tx, clock, record, update)?.ok_or_else(|| Refusal::CallNotFound(record.id.clone()).into())
}

fn try_advance(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    update: &CallUpdate<'_>,
) -> StoreResult<Option<CallRecord>> {
    let (state, step) = call::next(record.state, update.event).map_err(wrong_state)?;
    if step == CallStep::HandOver {
        check_client_calls(tx, clock)?;
    }
    let mut record = updated(record, state, update, clock.now());
    if step == CallStep::Discard {
        record.hide_result();
    }
    if !call_rows::update(tx, clock, &record, update.run_by)? {
        return Ok(None);
    }
    if let Some((args, _)) = update.args {
        call_bodies::replace(tx, clock, record.call_row, CallText::Resolved, args)?;
    }
    if let Some(outcome) = update.outcome {
        call_bodies::put(tx, clock, record.call_row, CallText::Data, outcome.data.as_ref())?;
        call_bodies::put(tx, clock, record.call_row, CallText::Formatted, outcome.formatted.as_ref())?;
    }
    match step {
        CallStep::Ask(kind) => approvals::insert(tx, clock, &record, kind, update.approval)?,
        CallStep::Publish if record.is_cached && !publish(tx, clock, &record, update)? => {
            record.is_cached = false;
            call_rows::update(tx, clock, &record, None)?;
            if update.outcome.is_none() {
                remove_hint(tx, clock, record.call_row)?;
            }
        }
        CallStep::Discard => call_bodies::discard_result(tx, clock, record.call_row)?,
        _ => {}
    }
    if let Some(EncodedOutcome { outcome, .. }) = update.outcome
        && !outcome.is_shown_whole(&record)
    {
        let final_text = StoredText::new(&outcome.final_text(&record));
        call_bodies::put(tx, clock, record.call_row, CallText::Final, Some(&final_text))?;
    }
    if update.outcome.is_some() {
        journal::drop_oldest(tx, clock, record.call_row)?;
    }
    emit(tx, clock, &record)?;
    Ok(Some(record))
}

/// A call behind a step, before anybody knows whether its result has room on the pad.
fn updated(record: &CallRecord, state: CallState, update: &CallUpdate<'_>, now: i64) -> CallRecord {
    let mut record = CallRecord { state, ..record.clone() };
    record.lease_until = lease(state, update.run, update.approval, update.client_until);
    if matches!(state, CallState::Running | CallState::AwaitingClient) {
        record.started_at = Some(now);
        record.run = update.run.map(|run| run.token.clone());
    }
    if state.status().has_ended() {
        record.ended_at = Some(now);
        record.run = None;
    }
    if let Some(reason) = update.reason {
        record.reason = Some(reason.to_owned());
    }
    if let Some(by) = update.decided_by {
        record.decided_by = Some(by.to_owned());
    }
    if let Some((_, hash)) = update.args {
        record.args_hash = hash.to_vec();
    }
    if let Some(EncodedOutcome { outcome, .. }) = update.outcome {
        record.is_truncated = outcome.is_truncated;
        record.data_is_text = outcome.data_is_text;
        record.error.clone_from(&outcome.error);
        record.is_cached = outcome.cache;
    }
    record
}

impl Outcome {
    /// What the model sees: what is shown, and a hint about the variable where the pad has it.
    fn final_text(&self, record: &CallRecord) -> String {
        match (&self.shown, record.cache_names()) {
            (Some(shown), Some((variable, _))) => {
                output::with_hint(shown, length(self.formatted.as_deref().unwrap_or_default()), &variable)
            }
            _ => self.final_text.clone(),
        }
    }

    /// Whether that is all of the formatted text, so that it need not be stored beside it.
    fn is_shown_whole(&self, record: &CallRecord) -> bool {
        match &self.shown {
            Some(shown) => !shown.is_truncated,
            None => !record.is_cached && self.formatted.as_deref() == Some(self.final_text.as_str()),
        }
    }
}

/// Puts the result and the arguments of a call on the scratchpad; the result by reference to the journal. A pad without room for
/// both beside its kept variables takes neither. Returns whether they are there.
fn publish(tx: &mut dyn Tx, clock: &ToolClock, record: &CallRecord, update: &CallUpdate<'_>) -> StoreResult<bool> {
    let formatted = match update.outcome {
        Some(EncodedOutcome { outcome, .. }) => outcome.formatted.clone(),
        None => call_bodies::get(tx, clock.key(), record.call_row, CallText::Formatted)?,
    };
    let stored;
    let args = match update.ran_with {
        Some(args) => args,
        None => {
            let text = call_bodies::resolved_args(tx, clock.key(), record)?;
            stored = serde_json::from_str(&text).unwrap_or_default();
            &stored
        }
    };
    let (result_name, args_name) = output::cache_names(&record.tool, &record.node);
    let patch = |value: String, kind: VarType, desc: String| VariablePatch {
        value: Some(value),
        kind: Some(kind),
        desc: Some(desc),
        ..VariablePatch::default()
    };
    let described = output::describe_call(&record.tool, args);
    let result = patch(formatted.unwrap_or_default(), VarType::ToolCallResult, described);
    let args = patch(output::pretty(args), VarType::ToolCallArgs, output::describe_args(&record.tool));
    clock.pad_with_result(tx, (&result_name, record.call_row), |pad| {
        match pad.add_pair((&result_name, result), (&args_name, args)) {
            // A call that has run must be able to end, whatever the pad takes.
            Err(PadError::Unwritable(Unwritable::Full(_) | Unwritable::TooLong(..))) => Ok(false),
            other => other.map(|()| true),
        }
    })
}

/// Takes the hint about a variable away that could not be made.
fn remove_hint(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64) -> StoreResult<()> {
    let Some(text) = call_bodies::get(tx, clock.key(), call_row, CallText::Final)? else { return Ok(()) };
    let end = text.rfind(output::HINT_BEGIN).unwrap_or(text.len());
    call_bodies::replace(tx, clock, call_row, CallText::Final, &text[..end])
}

fn emit(tx: &mut dyn Tx, clock: &ToolClock, record: &CallRecord) -> StoreResult<()> {
    let detail = serde_json::json!({ "tool": record.tool, "status": record.status().as_str() }).to_string();
    clock.emit(tx, EventKind::CallChanged, &record.id, &detail)
}

fn wrong_state(error: call::WrongState) -> StoreError {
    Refusal::ToolState(error.to_string()).into()
}
