//! The clock of a session's tools. It is another row than the session's own, so calls neither wait for turns nor make what
//! was read of the session look old.

use crate::db::hash::Hash;
use crate::db::tx::ClockName;
use crate::events::{self, Emits, EventScope, NewEvent};
use crate::tools::journal::JournalLimits;
use crate::tools::pad::Rows;
use crate::tools::stamp::{ConfigStamp, NO_DEFAULTS, NOT_CONFIGURED};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::cell::Cell;
use tavernkeep_engine::tools::scratchpad::{CAPACITY, PadError, Scratchpad};
use tavernkeep_engine::tools::variable::{Unwritable, VarType, VariablePatch};

/// The rules that the program brings along: they become variables of every scratchpad.
#[derive(Debug, Clone, Default)]
pub struct ProgramRules {
    /// Changes when any of them does.
    pub hash: Hash,
    pub rules: Vec<RuleVariable>,
    /// Variables of a scratchpad at most; 0: the usual number.
    pub capacity: usize,
    pub journal: JournalLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleVariable {
    pub name: String,
    pub desc: String,
    pub prompt: String,
}

/// A clock that is taken.
pub struct ToolClock {
    account: Id,
    session_row: i64,
    session: Id,
    seq: i64,
    pub(crate) variables: Cell<i64>,
    calls: Cell<i64>,
    /// Calls that were counted when the clock was taken and are not made yet.
    counted: Cell<i64>,
    config: Cell<i64>,
    /// Bytes of the texts of the journal, and when the oldest of its calls was made.
    pub(crate) journal_bytes: Cell<i64>,
    pub(crate) journal_from: Cell<Option<i64>>,
    pub(crate) journal: JournalLimits,
    stored: Counts,
    /// If this is the session's first use of its tools: when the defaults that it gets were changed.
    first_use: Option<i64>,
    capacity: usize,
}

/// What a clock's row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    variables: i64,
    calls: i64,
    config: i64,
    journal_bytes: i64,
    journal_from: Option<i64>,
}

impl ToolClock {
    pub(crate) fn key(&self) -> SessionKey<'_> {
        SessionKey::new(&self.account, self.session_row)
    }

    pub fn session(&self) -> &Id {
        &self.session
    }

    pub(crate) fn seq(&self) -> i64 {
        self.seq
    }

    /// The time of this write in ms.
    pub fn now(&self) -> i64 {
        crate::tree::clock::millis(self.seq)
    }

    /// Refuses to go on with what was decided by another configuration of the session's tools than there is now, or by that of
    /// another session that had its name.
    pub(crate) fn expect_config(&self, expected: &ConfigStamp) -> StoreResult<()> {
        let is_same = match expected.config {
            // The session had not used its tools yet: it must be this use that gives it the account's defaults, and they must still
            // be those that were decided by.
            NOT_CONFIGURED => self.first_use.is_some_and(|defaults_at| defaults_at == expected.defaults_at),
            config => config == self.config.get(),
        };
        match is_same && expected.session_row == self.session_row {
            true => Ok(()),
            false => Err(Refusal::ToolsChanged.into()),
        }
    }

    pub(crate) fn next_call(&self) -> i64 {
        match self.counted.take() {
            0 => self.calls.set(self.calls.get() + 1),
            counted => self.counted.set(counted - 1),
        }
        if self.journal_from.get().is_none() {
            self.journal_from.set(Some(self.now()));
        }
        self.calls.get() - self.counted.get()
    }

    pub(crate) fn count_bytes(&self, difference: i64) {
        self.journal_bytes.set(self.journal_bytes.get() + difference);
    }

    fn counts(&self) -> Counts {
        Counts {
            variables: self.variables.get(),
            calls: self.calls.get(),
            config: self.config.get(),
            journal_bytes: self.journal_bytes.get(),
            journal_from: self.journal_from.get(),
        }
    }

    pub(crate) fn note_config(&self) {
        self.config.set(self.config.get() + 1);
    }

    /// Does something with the scratchpad.
    pub fn pad<T>(
        &self,
        tx: &mut dyn Tx,
        work: impl FnOnce(&mut Scratchpad<'_, Rows<'_>>) -> Result<T, PadError<StoreError>>,
    ) -> StoreResult<T> {
        self.pad_of(Rows::new(tx, self), work)
    }

    /// The same; the value of the variable of this name is the result of a call, which the journal has.
    pub(crate) fn pad_with_result<T>(
        &self,
        tx: &mut dyn Tx,
        result: (&str, i64),
        work: impl FnOnce(&mut Scratchpad<'_, Rows<'_>>) -> Result<T, PadError<StoreError>>,
    ) -> StoreResult<T> {
        self.pad_of(Rows::with_result(tx, self, result), work)
    }

    fn pad_of<T>(
        &self,
        mut rows: Rows<'_>,
        work: impl FnOnce(&mut Scratchpad<'_, Rows<'_>>) -> Result<T, PadError<StoreError>>,
    ) -> StoreResult<T> {
        let mut pad = Scratchpad::new(&mut rows, self.capacity, self.seq);
        work(&mut pad).map_err(|error| match error {
            PadError::Unwritable(Unwritable::Rule(name)) => Refusal::RuleProtected(name).into(),
            PadError::Unwritable(why) => Refusal::ToolState(why.to_string()).into(),
            PadError::Rows(error) => error,
        })
    }

    pub fn emit(&self, tx: &mut dyn Tx, kind: EventKind, subject: &Id, detail: &str) -> StoreResult<()> {
        let scope = EventScope::session(self.session_row, &self.session);
        let event = NewEvent {
            emits: Emits::One(kind),
            scope: &scope,
            seq: self.seq,
            subject,
            variable: None,
            detail: Some(detail),
        };
        events::emit_all(tx, &self.account, &[event])
    }
}

/// The number of a session's first configuration.
const FIRST_CONFIG: i64 = 1;

/// Takes the clock of a session's tools, does the work, and stores how far the counts got.
pub fn with_tools<T>(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    now: i64,
    rules: &ProgramRules,
    work: impl FnOnce(&mut dyn Tx, &ToolClock) -> StoreResult<T>,
) -> StoreResult<T> {
    TakeTools { account, session, session_row: None, new_calls: 0, new_bytes: 0, now, rules }.run(tx, work)
}

/// How the clock of a session's tools is taken. A caller that says more spares statements.
pub struct TakeTools<'a> {
    pub account: &'a Id,
    pub session: &'a Id,
    /// The session's row, if the caller has seen it.
    pub session_row: Option<i64>,
    /// How many calls the work makes.
    pub new_calls: i64,
    /// How many bytes of texts it is known to add to the journal.
    pub new_bytes: i64,
    pub now: i64,
    pub rules: &'a ProgramRules,
}

impl<'a> TakeTools<'a> {
    pub fn run<T>(
        &self,
        tx: &mut dyn Tx,
        work: impl FnOnce(&mut dyn Tx, &ToolClock) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let clock = self.take(tx)?;
        let done = work(tx, &clock)?;
        store(tx, &clock)?;
        Ok(done)
    }

    fn take(&self, tx: &mut dyn Tx) -> StoreResult<ToolClock> {
        let known = match self.session_row {
            Some(row) => self.tick(tx, SessionKey::new(self.account, row))?,
            None => None,
        };
        let (clock, hash) = match known {
            Some(found) => found,
            // The session's tools are used for the first time, or it is another session under the same name.
            None => self.take_by_name(tx)?,
        };
        if hash != self.rules.hash {
            register(tx, &clock, self.rules)?;
        }
        Ok(clock)
    }

    fn take_by_name(&self, tx: &mut dyn Tx) -> StoreResult<(ToolClock, Vec<u8>)> {
        let key = lookup::session(tx, self.account, self.session)?;
        if let Some(found) = self.tick(tx, key)? {
            return Ok(found);
        }
        let sql = sql!(
            "INSERT INTO tool_session (account_id, session_row, seq, variables, calls, config, rules_hash, defaults)
             SELECT ?1, ?2, 0, 0, 0, ?4, ?3, (SELECT d.defaults FROM tool_default d WHERE d.account_id = ?1)
             ON CONFLICT (account_id, session_row) DO NOTHING
             RETURNING (SELECT d.updated_at FROM tool_default d WHERE d.account_id = ?1)"
        );
        let first_use = first(tx, sql, in_session![key, [0_u8].as_slice(), FIRST_CONFIG], |row| {
            Ok(row.int_or_null(0)?.unwrap_or(NO_DEFAULTS))
        })?;
        let (clock, hash) = self.tick(tx, key)?.ok_or_else(|| Refusal::SessionNotFound(self.session.clone()))?;
        Ok((ToolClock { first_use, ..clock }, hash))
    }

    /// Takes the clock in a row and reads it; none if there is none, or the session is not in that row.
    fn tick(&self, tx: &mut dyn Tx, key: SessionKey<'_>) -> StoreResult<Option<(ToolClock, Vec<u8>)>> {
        tx.queue_for(ClockName::Tools(key.account, key.row))?;
        let sql = sql!(
            "UPDATE tool_session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END, calls = calls + ?4,
                journal_bytes = journal_bytes + ?6
             WHERE account_id = ?1 AND session_row = ?2 AND EXISTS (
                SELECT 1 FROM session s
                WHERE s.account_id = ?1 AND s.session_row = ?2 AND s.id = ?5 AND s.deleted_at IS NULL)
             RETURNING seq, variables, calls, config, rules_hash, journal_bytes, journal_from"
        );
        let seq = crate::tree::clock::micros(self.now);
        let params = in_session![key, seq, self.new_calls, self.session, self.new_bytes];
        first(tx, sql, params, |row| {
            let stored = Counts {
                variables: row.int(1)?,
                calls: row.int(2)?,
                config: row.int(3)?,
                journal_bytes: row.int(5)?,
                journal_from: row.int_or_null(6)?,
            };
            let clock = ToolClock {
                account: key.account.clone(),
                session_row: key.row,
                session: self.session.clone(),
                seq: row.int(0)?,
                variables: Cell::new(stored.variables),
                calls: Cell::new(stored.calls),
                counted: Cell::new(self.new_calls),
                config: Cell::new(stored.config),
                // Those that are announced are counted again when they are written.
                journal_bytes: Cell::new(stored.journal_bytes - self.new_bytes),
                journal_from: Cell::new(stored.journal_from),
                journal: self.rules.journal,
                stored,
                first_use: None,
                capacity: if self.rules.capacity == 0 { CAPACITY } else { self.rules.capacity },
            };
            Ok((clock, row.bytes(4)?.to_vec()))
        })
    }
}

/// Registers the rules of the program again: it may be another version than the last time.
fn register(tx: &mut dyn Tx, clock: &ToolClock, rules: &ProgramRules) -> StoreResult<()> {
    for rule in &rules.rules {
        put_rule(tx, clock, rule)?;
    }
    let sql = sql!("UPDATE tool_session SET rules_hash = ?3 WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, in_session![clock, rules.hash.as_slice()]).map(drop)
}

pub(crate) fn put_rule(tx: &mut dyn Tx, clock: &ToolClock, rule: &RuleVariable) -> StoreResult<()> {
    let patch = VariablePatch {
        value: Some(rule.prompt.clone()),
        kind: Some(VarType::Rule),
        desc: Some(rule.desc.clone()),
        keep: Some(true),
        ..VariablePatch::default()
    };
    clock.pad(tx, |pad| pad.update(&rule.name, patch)).map(drop)
}

fn store(tx: &mut dyn Tx, clock: &ToolClock) -> StoreResult<()> {
    let now = clock.counts();
    if now.journal_from != clock.stored.journal_from {
        let sql = sql!("UPDATE tool_session SET journal_from = ?3 WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, in_session![clock, now.journal_from])?;
    }
    if now == (Counts { journal_from: now.journal_from, ..clock.stored }) {
        return Ok(());
    }
    let sql = sql!(
        "UPDATE tool_session SET variables = ?3, calls = ?4, config = ?5, journal_bytes = ?6
         WHERE account_id = ?1 AND session_row = ?2"
    );
    tx.execute(sql, in_session![clock, now.variables, now.calls, now.config, now.journal_bytes]).map(drop)
}
