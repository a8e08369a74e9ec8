//! The texts of a call: its arguments and its result. The journal owns them; the variable of a result only refers to one.

use crate::tools::call_rows::CallRecord;
use crate::tools::clock::ToolClock;
use crate::tools::stored_text::StoredText;
use crate::tree::prelude::*;
use tavernkeep_engine::tools::call::{CallState, CallStatus};
use tavernkeep_engine::tools::output::{self, Truncated};

tavernkeep_engine::stored_enum! {
    /// One text of a call.
    CallText {
        /// The arguments as they were asked for, unless they are short: then they stand in the call's row.
        Args = "args",
        /// The arguments without references.
        Resolved = "resolved",
        /// What the tool returned, if that is not the formatted text.
        Data = "data",
        /// What the model sees, unless that is all of the result with the hint about its variable.
        Final = "final",
        /// All of the result as text.
        Formatted = "formatted",
    }
}

/// The first part that belongs to the result; those before it are arguments.
const FIRST_OF_RESULT: CallText = CallText::Data;
const LAST: CallText = CallText::Formatted;

/// A call with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDetails {
    pub record: CallRecord,
    /// As it was asked for, JSON.
    pub args: String,
    /// Without references, JSON; none: the same.
    pub resolved: Option<String>,
    pub data: Option<String>,
    pub final_text: Option<String>,
    pub formatted: Option<String>,
}

impl CallDetails {
    /// Bytes of all texts.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.resolved, &self.data, &self.final_text, &self.formatted];
        self.args.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// Adds a text that the call does not have yet.
pub(crate) fn put(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    call_row: i64,
    part: CallText,
    text: Option<&StoredText>,
) -> StoreResult<()> {
    let Some(text) = text else { return Ok(()) };
    let sql =
        sql!("INSERT INTO tool_call_body (account_id, session_row, call_row, part, body) VALUES (?1, ?2, ?3, ?4, ?5)");
    clock.count_bytes(text.bytes());
    tx.execute(sql, in_session![clock, call_row, part.number(), text.as_bytes()]).map(drop)
}

/// Adds a text in the place of the one that the call may have.
pub(crate) fn replace(
    tx: &mut dyn Tx,
    clock: &ToolClock,
    call_row: i64,
    part: CallText,
    text: &str,
) -> StoreResult<()> {
    delete(tx, clock, call_row, (part.number(), part.number()))?;
    put(tx, clock, call_row, part, Some(&StoredText::new(text)))
}

/// Deletes the texts of a call from one part to another.
fn delete(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64, (first, last): (i64, i64)) -> StoreResult<()> {
    let size = sql!(
        "SELECT COALESCE(SUM(LENGTH(body)), 0) FROM tool_call_body
         WHERE account_id = ?1 AND session_row = ?2 AND call_row = ?3 AND part >= ?4 AND part <= ?5"
    );
    let row = in_session![clock, call_row, first, last];
    clock.count_bytes(-one(tx, size, row, |row| row.int(0))?);
    let sql = sql!(
        "DELETE FROM tool_call_body
         WHERE account_id = ?1 AND session_row = ?2 AND call_row = ?3 AND part >= ?4 AND part <= ?5"
    );
    tx.execute(sql, row).map(drop)
}

pub(crate) fn get(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    call_row: i64,
    part: CallText,
) -> StoreResult<Option<String>> {
    let sql = sql!(
        "SELECT body FROM tool_call_body WHERE account_id = ?1 AND session_row = ?2 AND call_row = ?3 AND part = ?4"
    );
    first(tx, sql, in_session![session, call_row, part.number()], |row| codec::decode(row.bytes(0)?))
}

/// The arguments without references, JSON.
pub(crate) fn resolved_args(tx: &mut dyn Tx, session: SessionKey<'_>, record: &CallRecord) -> StoreResult<String> {
    if let Some(resolved) = get(tx, session, record.call_row, CallText::Resolved)? {
        return Ok(resolved);
    }
    let asked = match &record.args {
        Some(args) => Some(args.text()?),
        None => get(tx, session, record.call_row, CallText::Args)?,
    };
    Ok(asked.unwrap_or_else(|| "{}".into()))
}

/// Deletes every text of a result.
pub(crate) fn discard_result(tx: &mut dyn Tx, clock: &ToolClock, call_row: i64) -> StoreResult<()> {
    delete(tx, clock, call_row, (FIRST_OF_RESULT.number(), LAST.number()))
}

/// Who looks at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Anybody: a result that is not approved is not there.
    Anybody,
    /// The person who decides about the result.
    Approver,
}

/// A call with everything that may be seen of it at a moment.
pub fn details(
    tx: &mut dyn Tx,
    account: &Id,
    record: CallRecord,
    viewer: Viewer,
    now: i64,
) -> StoreResult<CallDetails> {
    let session = SessionKey::new(account, record.session_row);
    let sql =
        sql!("SELECT part, body FROM tool_call_body WHERE account_id = ?1 AND session_row = ?2 AND call_row = ?3");
    let mut parts: [Option<String>; CallText::ALL.len()] = Default::default();
    tx.query(sql, in_session![session, record.call_row], &mut |row| {
        if let Some(place) = usize::try_from(row.int(0)?).ok().and_then(|part| parts.get_mut(part)) {
            *place = Some(codec::decode(row.bytes(1)?)?);
        }
        Ok(())
    })?;
    let [args, resolved, data, final_text, formatted] = parts;
    let args = match &record.args {
        Some(short) => short.text()?,
        None => args.unwrap_or_else(|| "{}".into()),
    };
    Ok(CallDetails { record, args, resolved, data, final_text, formatted }.seen_by(viewer, now))
}

impl CallDetails {
    /// What a viewer may see of a call at a moment, with the texts that are not stored because others say the same.
    pub(crate) fn seen_by(mut self, viewer: Viewer, now: i64) -> CallDetails {
        self.record = self.record.at(now);
        let is_hidden = match self.record.state {
            CallState::AwaitingResult { .. } => viewer == Viewer::Anybody,
            // Also one that nobody decided about in time, before its texts are deleted.
            CallState::Ended(CallStatus::ResultRejected) => true,
            _ => false,
        };
        if is_hidden {
            (self.data, self.final_text, self.formatted) = (None, None, None);
            self.record.hide_result();
        }
        if let Some(formatted) = &self.formatted {
            if self.record.data_is_text {
                self.data = Some(serde_json::Value::from(formatted.as_str()).to_string());
            }
            if self.final_text.is_none() {
                self.final_text = Some(whole_text(&self.record, formatted));
            }
        }
        self
    }
}

/// What a model sees of a result of which nothing is missing.
pub(crate) fn whole_text(record: &CallRecord, formatted: &str) -> String {
    match record.cache_names() {
        Some((variable, _)) => {
            let shown = Truncated::whole(formatted.to_owned());
            output::with_hint(&shown, shown.kept, &variable)
        }
        None => formatted.to_owned(),
    }
}
