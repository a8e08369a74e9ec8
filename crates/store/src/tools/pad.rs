//! The rows of a scratchpad. The rules are the engine's; these are their rows.

use crate::tools::call_bodies::CallText;
use crate::tools::clock::{ProgramRules, RuleVariable, ToolClock};
use crate::tools::stored_text::StoredText;
use crate::tree::prelude::*;
use tavernkeep_engine::tools::reference::{FoundValue, Lookup};
use tavernkeep_engine::tools::scratchpad::PadRows;
use tavernkeep_engine::tools::variable::{VarType, Variable, length};

/// The rows of a pad whose clock is taken.
pub struct Rows<'a> {
    tx: &'a mut dyn Tx,
    clock: &'a ToolClock,
    /// The variable whose value the journal has: its name and the call.
    result: Option<(&'a str, i64)>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(tx: &'a mut dyn Tx, clock: &'a ToolClock) -> Rows<'a> {
        Rows { tx, clock, result: None }
    }

    pub(crate) fn with_result(tx: &'a mut dyn Tx, clock: &'a ToolClock, result: (&'a str, i64)) -> Rows<'a> {
        Rows { tx, clock, result: Some(result) }
    }

    fn count_by(&self, difference: i64) {
        self.clock.variables.set(self.clock.variables.get() + difference);
    }

    fn remove_value(&mut self, name: &[u8]) -> StoreResult<()> {
        let sql = sql!("DELETE FROM scratch_value WHERE account_id = ?1 AND session_row = ?2 AND name = ?3");
        self.tx.execute(sql, in_session![self.clock, name]).map(drop)
    }

    fn write(&mut self, sql: Sql, variable: &Variable, value: Option<&str>) -> StoreResult<()> {
        let name = variable.name.as_bytes();
        let tags = (!variable.tags.is_empty()).then(|| serde_json::to_vec(&variable.tags).unwrap_or_default());
        let desc = variable.desc.as_ref().map(String::as_bytes);
        let mut row = in_session![self.clock, name, variable.kind.number(), variable.keep, variable.length].to_vec();
        row.extend_from_slice(params![desc, tags.as_deref(), variable.created, variable.updated]);
        let result_of = self.result.filter(|(name, _)| *name == variable.name).map(|(_, call_row)| call_row);
        row.extend_from_slice(params![variable.last_visited, variable.reference_count, variable.untrusted]);
        let own = value.filter(|_| result_of.is_none()).map(StoredText::new);
        let short = own.as_ref().filter(|value| value.is_short()).map(StoredText::as_bytes);
        row.extend_from_slice(params![value.is_some(), result_of, short]);
        self.tx.execute(sql, &row)?;
        let Some(value) = own.as_ref().filter(|value| !value.is_short()) else { return Ok(()) };
        let sql = sql!(
            "INSERT INTO scratch_value (account_id, session_row, name, value) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (account_id, session_row, name) DO UPDATE SET value = excluded.value"
        );
        self.tx.execute(sql, in_session![self.clock, name, value.as_bytes()]).map(drop)
    }
}

impl PadRows for Rows<'_> {
    type Error = StoreError;

    fn find(&mut self, name: &str) -> StoreResult<Option<Variable>> {
        find(self.tx, self.clock.key(), name)
    }

    fn value(&mut self, name: &str) -> StoreResult<String> {
        Ok(value(self.tx, self.clock.key(), name)?.unwrap_or_default())
    }

    fn insert(&mut self, variable: &Variable, value: &str) -> StoreResult<()> {
        let sql = sql!(
            "INSERT INTO scratch (account_id, session_row, name, kind, kept, length, description, tags, created, updated,
                visited, references_made, untrusted, result_of, value)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
                CASE WHEN CAST(?14 AS BIGINT) = 1 THEN CAST(?15 AS BIGINT) END, ?16)"
        );
        self.count_by(1);
        self.write(sql, variable, Some(value))
    }

    fn update(&mut self, variable: &Variable, value: Option<&str>) -> StoreResult<()> {
        let sql = sql!(
            "UPDATE scratch SET kind = ?4, kept = ?5, length = ?6, description = ?7, tags = ?8, created = ?9, updated = ?10,
                visited = ?11, references_made = ?12, untrusted = ?13,
                result_of = CASE WHEN CAST(?14 AS BIGINT) = 1 THEN CAST(?15 AS BIGINT) ELSE result_of END,
                value = CASE WHEN CAST(?14 AS BIGINT) = 1 THEN ?16 ELSE value END
             WHERE account_id = ?1 AND session_row = ?2 AND name = ?3"
        );
        // The value that it had is not its value any more.
        if value.is_some() {
            self.remove_value(variable.name.as_bytes())?;
        }
        self.write(sql, variable, value)
    }

    fn visit(&mut self, variable: &Variable) -> StoreResult<()> {
        let sql = sql!(
            "UPDATE scratch SET visited = ?4, references_made = ?5
             WHERE account_id = ?1 AND session_row = ?2 AND name = ?3"
        );
        let (visited, count) = (variable.last_visited, variable.reference_count);
        self.tx.execute(sql, in_session![self.clock, variable.name.as_bytes(), visited, count]).map(drop)
    }

    fn remove(&mut self, name: &str) -> StoreResult<()> {
        let sql = sql!("DELETE FROM scratch WHERE account_id = ?1 AND session_row = ?2 AND name = ?3");
        let gone = self.tx.execute(sql, in_session![self.clock, name.as_bytes()])?;
        self.remove_value(name.as_bytes())?;
        self.count_by(-i64::try_from(gone).unwrap_or(0));
        Ok(())
    }

    fn count(&mut self) -> StoreResult<usize> {
        Ok(usize::try_from(self.clock.variables.get()).unwrap_or(0))
    }

    fn evict(&mut self, [one, other]: [&str; 2]) -> StoreResult<bool> {
        let sql = sql!(
            "DELETE FROM scratch WHERE account_id = ?1 AND session_row = ?2 AND name = (
                SELECT name FROM scratch
                WHERE account_id = ?1 AND session_row = ?2 AND kept = 0 AND name <> ?3 AND name <> ?4
                ORDER BY visited, updated, created, name DESC LIMIT 1)
             RETURNING name, CASE WHEN result_of IS NULL AND value IS NULL THEN 1 ELSE 0 END"
        );
        let row = in_session![self.clock, one.as_bytes(), other.as_bytes()];
        let evicted = first(self.tx, sql, row, |row| Ok((row.bytes(0)?.to_vec(), row.int(1)? == 1)))?;
        let Some((name, has_value_row)) = evicted else { return Ok(false) };
        // The value of a result stands in the journal, a short one stood in the row.
        if has_value_row {
            self.remove_value(&name)?;
        }
        self.count_by(-1);
        Ok(true)
    }

    fn all(&mut self) -> StoreResult<Vec<Variable>> {
        all_variables(self.tx, self.clock.key())
    }
}

fn find(tx: &mut dyn Tx, session: SessionKey<'_>, name: &str) -> StoreResult<Option<Variable>> {
    let sql = sql!(
        "SELECT name, kind, kept, length, description, tags, created, updated, visited, references_made, untrusted FROM scratch
         WHERE account_id = ?1 AND session_row = ?2 AND name = ?3"
    );
    first(tx, sql, in_session![session, name.as_bytes()], read)
}

fn value(tx: &mut dyn Tx, session: SessionKey<'_>, name: &str) -> StoreResult<Option<String>> {
    let sql = sql!(
        "SELECT CASE WHEN s.result_of IS NULL THEN COALESCE(s.value, v.value) ELSE b.body END FROM scratch s
         LEFT JOIN scratch_value v ON v.account_id = s.account_id AND v.session_row = s.session_row AND v.name = s.name
         LEFT JOIN tool_call_body b ON b.account_id = s.account_id AND b.session_row = s.session_row
            AND b.call_row = s.result_of AND b.part = ?4
         WHERE s.account_id = ?1 AND s.session_row = ?2 AND s.name = ?3"
    );
    let found = first(tx, sql, in_session![session, name.as_bytes(), CallText::Formatted.number()], |row| {
        row.bytes_or_null(0)?.map(codec::decode).transpose()
    })?;
    Ok(found.flatten())
}

fn all_variables(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Vec<Variable>> {
    let sql = sql!(
        "SELECT name, kind, kept, length, description, tags, created, updated, visited, references_made, untrusted FROM scratch
         WHERE account_id = ?1 AND session_row = ?2"
    );
    all(tx, sql, in_session![session], read)
}

fn read(row: &dyn Row) -> StoreResult<Variable> {
    let tags = row.bytes_or_null(5)?.map(serde_json::from_slice).transpose();
    Ok(Variable {
        name: stored_text(row.bytes(0)?)?,
        kind: stored_enum(row.int(1)?)?,
        keep: row.int(2)? == 1,
        length: row.int(3)?,
        desc: row.bytes_or_null(4)?.map(stored_text).transpose()?,
        tags: tags.map_err(|_| StoreError::Corrupt("the tags of a variable are no list".into()))?.unwrap_or_default(),
        created: row.int(6)?,
        updated: row.int(7)?,
        last_visited: row.int(8)?,
        reference_count: row.int(9)?,
        untrusted: row.int(10)? == 1,
    })
}

/// The pad of a session for those who only read. Rules of the program that are not registered yet are there already.
pub struct PadView<'a> {
    tx: &'a mut dyn Tx,
    session: SessionKey<'a>,
    missing: &'a [RuleVariable],
}

impl<'a> PadView<'a> {
    pub fn new(tx: &'a mut dyn Tx, session: SessionKey<'a>, rules: &'a ProgramRules) -> StoreResult<PadView<'a>> {
        let sql = sql!("SELECT rules_hash FROM tool_session WHERE account_id = ?1 AND session_row = ?2");
        let hash = first(tx, sql, in_session![session], |row| Ok(row.bytes(0)?.to_vec()))?;
        let missing = if hash.as_deref() == Some(&rules.hash[..]) { &[] } else { rules.rules.as_slice() };
        Ok(PadView { tx, session, missing })
    }

    pub fn all(&mut self) -> StoreResult<Vec<Variable>> {
        let stored = all_variables(self.tx, self.session)?;
        let missing = self.missing.iter().map(unregistered);
        let others = stored.into_iter().filter(|stored| !self.missing.iter().any(|rule| rule.name == stored.name));
        Ok(others.chain(missing).collect())
    }

    pub fn get(&mut self, name: &str) -> StoreResult<Option<(Variable, String)>> {
        if let Some(rule) = self.missing.iter().find(|rule| rule.name == name) {
            return Ok(Some((unregistered(rule), rule.prompt.clone())));
        }
        let Some(variable) = find(self.tx, self.session, name)? else { return Ok(None) };
        Ok(Some((variable, value(self.tx, self.session, name)?.unwrap_or_default())))
    }
}

impl Lookup for PadView<'_> {
    type Error = StoreError;

    fn lookup(&mut self, name: &str) -> StoreResult<Option<FoundValue>> {
        Ok(self.get(name)?.map(|(variable, value)| FoundValue { value: value.into(), trusted: variable.is_trusted() }))
    }

    fn names(&mut self) -> StoreResult<Vec<String>> {
        let mut variables = self.all()?;
        variables
            .sort_by(|one, other| other.last_visited.cmp(&one.last_visited).then_with(|| one.name.cmp(&other.name)));
        Ok(variables.into_iter().map(|variable| variable.name).collect())
    }
}

fn unregistered(rule: &RuleVariable) -> Variable {
    Variable {
        name: rule.name.clone(),
        kind: VarType::Rule,
        length: length(&rule.prompt),
        desc: Some(rule.desc.clone()),
        tags: Vec::new(),
        keep: true,
        created: 0,
        updated: 0,
        last_visited: 0,
        reference_count: 0,
        untrusted: false,
    }
}
