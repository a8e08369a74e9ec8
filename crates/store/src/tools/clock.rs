//! The clock of a session's tools. It is another row than the session's own, so calls neither wait for turns nor make what
//! was read of the session look old.

use crate::db::hash::Hash;
use crate::db::tx::ClockName;
use crate::events::{self, Emits, EventScope, NewEvent};
use crate::tools::pad::Rows;
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
    config: Cell<i64>,
    stored: (i64, i64, i64),
    capacity: usize,
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

    /// Refuses to go on with what was decided by another configuration of the session's tools than there is now.
    pub(crate) fn expect_config(&self, config: i64) -> StoreResult<()> {
        // Before a session first uses its tools, its configuration has the number 0.
        match config.max(FIRST_CONFIG) == self.config.get() {
            true => Ok(()),
            false => Err(Refusal::ToolsChanged.into()),
        }
    }

    pub(crate) fn next_call(&self) -> i64 {
        self.calls.set(self.calls.get() + 1);
        self.calls.get()
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
        let detail = codec::encode(detail);
        let event = NewEvent {
            emits: Emits::One(kind),
            scope: &scope,
            seq: self.seq,
            subject,
            variable: None,
            detail: Some(&detail),
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
    let key = lookup::session(tx, account, session)?;
    let clock = take(tx, key, session, now, rules)?;
    let done = work(tx, &clock)?;
    store(tx, &clock)?;
    Ok(done)
}

fn take(tx: &mut dyn Tx, key: SessionKey<'_>, session: &Id, now: i64, rules: &ProgramRules) -> StoreResult<ToolClock> {
    tx.queue_for(ClockName::Tools(key.account, key.row))?;
    let found = match tick(tx, key, session, now, rules)? {
        Some(found) => Some(found),
        None => {
            let sql = sql!(
                "INSERT INTO tool_session (account_id, session_row, seq, variables, calls, config, rules_hash, defaults)
                 SELECT ?1, ?2, 0, 0, 0, ?4, ?3, (SELECT d.defaults FROM tool_default d WHERE d.account_id = ?1)
                 ON CONFLICT (account_id, session_row) DO NOTHING"
            );
            tx.execute(sql, in_session![key, [0_u8].as_slice(), FIRST_CONFIG])?;
            tick(tx, key, session, now, rules)?
        }
    };
    let (clock, hash) = found.ok_or_else(|| Refusal::SessionNotFound(session.clone()))?;
    if hash != rules.hash {
        register(tx, &clock, rules)?;
    }
    Ok(clock)
}

fn tick(
    tx: &mut dyn Tx,
    key: SessionKey<'_>,
    session: &Id,
    now: i64,
    rules: &ProgramRules,
) -> StoreResult<Option<(ToolClock, Vec<u8>)>> {
    let sql = sql!(
        "UPDATE tool_session SET seq = CASE WHEN seq < ?3 THEN ?3 ELSE seq + 1 END
         WHERE account_id = ?1 AND session_row = ?2 RETURNING seq, variables, calls, config, rules_hash"
    );
    first(tx, sql, in_session![key, crate::tree::clock::micros(now)], |row| {
        let stored = (row.int(1)?, row.int(2)?, row.int(3)?);
        let clock = ToolClock {
            account: key.account.clone(),
            session_row: key.row,
            session: session.clone(),
            seq: row.int(0)?,
            variables: Cell::new(stored.0),
            calls: Cell::new(stored.1),
            config: Cell::new(stored.2),
            stored,
            capacity: if rules.capacity == 0 { CAPACITY } else { rules.capacity },
        };
        Ok((clock, row.bytes(4)?.to_vec()))
    })
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
    let now = (clock.variables.get(), clock.calls.get(), clock.config.get());
    if now == clock.stored {
        return Ok(());
    }
    let sql = sql!(
        "UPDATE tool_session SET variables = ?3, calls = ?4, config = ?5 WHERE account_id = ?1 AND session_row = ?2"
    );
    tx.execute(sql, in_session![clock, now.0, now.1, now.2]).map(drop)
}
