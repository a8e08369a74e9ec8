//! From what a tool returned to what is stored and shown: `data → formatted text → final text`.

use super::tool::{Tool, ToolError, ToolOutput};
use crate::Runtime;
use serde_json::Value;
use tavernkeep_engine::limits::{SCRATCH_VALUE_BYTES_MAX, TOOL_MESSAGE_BYTES_MAX};
use tavernkeep_engine::tools::call::CallEvent;
use tavernkeep_engine::tools::definition::Declaration;
use tavernkeep_engine::tools::output::{self, Truncated};
use tavernkeep_engine::tools::permission::asks_for_result;
use tavernkeep_engine::tools::scratchpad::PadError;
use tavernkeep_engine::tools::var_tools;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::approvals::NewApproval;
use tavernkeep_store::tools::call_rows::CallRecord;
use tavernkeep_store::tools::calls::{self, CallUpdate, EncodedOutcome, Outcome};
use tavernkeep_store::tools::clock::ToolClock;
use tavernkeep_store::types::record::EventKind;

impl Runtime {
    /// What a tool returned, as it is stored and shown.
    pub(crate) fn outcome(
        &self,
        declaration: &Declaration,
        tool: Option<&Tool>,
        returned: Result<ToolOutput, ToolError>,
        args: &Value,
    ) -> Outcome {
        let name = &declaration.name;
        let failed = |message: String| {
            let error = cut(message);
            Outcome { error: Some(error.clone()), final_text: error, ..Outcome::default() }
        };
        let output = match returned {
            Ok(output) => output,
            Err(ToolError::Failed(message)) => {
                let message = message.filter(|message| !message.is_empty()).unwrap_or_else(|| output::FAILED.into());
                let mut outcome = failed(message);
                if self.tools.options().cache_failures && !declaration.skip_cache {
                    (outcome.cache, outcome.formatted) = (true, outcome.error.clone());
                }
                return outcome;
            }
            Err(ToolError::Thrown(message)) => return failed(format!("Error executing tool {name}: {message}")),
        };
        let ToolOutput { data, formatted_text } = output;
        let formatted = match (
            formatted_text.filter(|text| !text.is_empty()),
            tool.and_then(|tool| tool.format_for_llm.as_ref()),
        ) {
            (Some(text), _) => text,
            (None, Some(format)) => {
                let data = data.as_ref().unwrap_or(&Value::Null);
                format(data, args).unwrap_or_else(|message| output::format_error(&message))
            }
            (None, None) => output::format(data.as_ref()),
        };
        if formatted.len() > SCRATCH_VALUE_BYTES_MAX {
            return failed(format!("Tool {name} returned more than {SCRATCH_VALUE_BYTES_MAX} bytes"));
        }
        let shown = if declaration.skip_truncate {
            Truncated::whole(formatted.clone())
        } else if let Some(truncate) = tool.and_then(|tool| tool.truncate_for_llm.as_ref()) {
            Truncated::by_tool(truncate(&formatted, args), &formatted)
        } else {
            output::truncate(&formatted, output::limit(args, declaration), declaration.truncation)
        };
        let data_is_text = data.as_ref().and_then(Value::as_str) == Some(formatted.as_str());
        Outcome {
            succeeded: true,
            error: None,
            data: data.filter(|_| !data_is_text).map(|data| data.to_string()),
            data_is_text,
            is_truncated: shown.is_truncated,
            cache: !declaration.skip_cache,
            // The hint needs the variable's name, which the call's row knows.
            final_text: shown.text.clone(),
            shown: Some(shown),
            formatted: Some(formatted),
        }
    }
}

/// What a return of a tool does to its call: what it returned is stored, and a person is asked about it if the call wants that.
pub(super) fn returned<'a>(
    record: &CallRecord,
    outcome: &'a EncodedOutcome,
    approval: Option<&'a NewApproval>,
) -> CallUpdate<'a> {
    let succeeded = outcome.succeeded();
    let ask = asks_for_result(record.result_policy, !succeeded, false);
    let event = CallEvent::Returned { succeeded, ask };
    CallUpdate { outcome: Some(outcome), approval, ..CallUpdate::new(event) }
}

/// Runs a tool of the scratchpad in the transaction of its call: it happens with it or not at all.
pub(super) fn run_var_tool(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    record: &CallRecord,
    args: &Value,
    approval: Option<&NewApproval>,
) -> StoreResult<CallRecord> {
    let ran =
        clock.pad(tx, |pad| var_tools::run(&record.tool, args, record.is_untrusted, pad).map_err(PadError::Rows))?;
    let outcome = match ran {
        Ok(returned) => {
            let formatted = returned.text.clone().unwrap_or_else(|| output::format(returned.data.as_ref()));
            let declaration = Declaration::new(&record.tool, "", Value::Null);
            let shown = match record.tool.as_str() {
                // It has cut the text itself.
                "ReadVar" => Truncated { is_truncated: returned.text.is_some(), ..Truncated::whole(formatted.clone()) },
                _ => output::truncate(&formatted, output::limit(args, &declaration), declaration.truncation),
            };
            let data_is_text = returned.data.as_ref().and_then(Value::as_str) == Some(formatted.as_str());
            Outcome {
                succeeded: true,
                data: returned.data.filter(|_| !data_is_text).map(|data| data.to_string()),
                data_is_text,
                is_truncated: shown.is_truncated,
                final_text: shown.text,
                formatted: Some(formatted),
                ..Outcome::default()
            }
        }
        Err(message) => Outcome { error: Some(message.clone()), final_text: message, ..Outcome::default() },
    };
    if outcome.succeeded && matches!(record.tool.as_str(), "WriteVar" | "RemoveVars") {
        let detail = serde_json::json!({ "tool": record.tool, "name": args.get("name"), "names": args.get("names") });
        clock.emit(tx, EventKind::ScratchpadChanged, clock.session(), &detail.to_string())?;
    }
    let outcome = EncodedOutcome::from(outcome);
    let update = CallUpdate { ran_with: Some(args), ..returned(record, &outcome, approval) };
    calls::advance(tx, clock, record, &update)
}

fn cut(mut message: String) -> String {
    message.truncate(message.floor_char_boundary(TOOL_MESSAGE_BYTES_MAX));
    message
}
