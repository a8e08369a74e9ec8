//! The scratchpad: a bounded set of variables, the least recently visited of which gives way.
//!
//! The rules are written over [`PadRows`], which the store implements. Time is a logical clock: the caller brings the tick of
//! the operation, and everything that one operation touches has the same.

use super::listing::Filter;
use super::variable::{Unwritable, VarType, Variable, VariablePatch, length};
use std::collections::BTreeMap;

/// How many variables a pad has at most, unless its host says otherwise. Kept ones count.
pub const CAPACITY: usize = 1_000;

/// Where the variables of one pad are.
pub trait PadRows {
    /// What can go wrong with the rows.
    type Error;

    /// The variable of this name, without its value.
    fn find(&mut self, name: &str) -> Result<Option<Variable>, Self::Error>;
    /// The value of a variable that is there.
    fn value(&mut self, name: &str) -> Result<String, Self::Error>;
    /// Makes a variable.
    fn insert(&mut self, variable: &Variable, value: &str) -> Result<(), Self::Error>;
    /// Changes a variable, with its value if it has another one.
    fn update(&mut self, variable: &Variable, value: Option<&str>) -> Result<(), Self::Error>;
    /// Notes a visit.
    fn visit(&mut self, variable: &Variable) -> Result<(), Self::Error>;
    /// Takes a variable away.
    fn remove(&mut self, name: &str) -> Result<(), Self::Error>;
    /// How many there are.
    fn count(&mut self) -> Result<usize, Self::Error>;
    /// Takes the variable away that gives way first among those that are not kept: the one with the smallest last visit, then the
    /// smallest last write, then the oldest, then the greatest name by its bytes. The two names never give way. False if there is
    /// none.
    fn evict(&mut self, except: [&str; 2]) -> Result<bool, Self::Error>;
    /// All variables without their values, in any order.
    fn all(&mut self) -> Result<Vec<Variable>, Self::Error>;
}

/// Why an operation on a pad was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PadError<E> {
    /// The variable cannot be written.
    Unwritable(Unwritable),
    /// The rows cannot be reached.
    Rows(E),
}

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removed {
    /// What is gone.
    pub removed: Vec<String>,
    /// What is still there or never was, and why.
    pub failed: Vec<(String, NotRemoved)>,
}

/// Why a variable was not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRemoved {
    /// It is a skill rule.
    Rule,
    /// It is not there.
    NotFound,
}

impl NotRemoved {
    /// The word in structured answers.
    pub fn as_str(self) -> &'static str {
        match self {
            NotRemoved::Rule => "rule",
            NotRemoved::NotFound => "not_found",
        }
    }
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// There was no variable of this name.
    Created,
    /// There was one.
    Updated,
}

/// The operations on a pad at one tick of its clock.
pub struct Scratchpad<'a, R: PadRows> {
    rows: &'a mut R,
    capacity: usize,
    now: i64,
    /// A variable that does not give way to another one of the same operation.
    protected: String,
}

impl<'a, R: PadRows> Scratchpad<'a, R> {
    /// The pad of these rows at a moment.
    pub fn new(rows: &'a mut R, capacity: usize, now: i64) -> Self {
        Scratchpad { rows, capacity, now, protected: String::new() }
    }

    /// Adds two variables, or neither: where only one has room, the other must not give way to it.
    pub fn add_pair(
        &mut self,
        (first, first_patch): (&str, VariablePatch),
        (second, second_patch): (&str, VariablePatch),
    ) -> Result<(), PadError<R::Error>> {
        let made = self.update(first, first_patch)?;
        first.clone_into(&mut self.protected);
        let outcome = self.update(second, second_patch);
        self.protected.clear();
        match outcome {
            Ok(_) => Ok(()),
            Err(error) => {
                if made == Written::Created {
                    self.rows.remove(first).map_err(PadError::Rows)?;
                }
                Err(error)
            }
        }
    }

    /// Adds a variable, or gives one that is there another value and type.
    pub fn add(&mut self, name: &str, value: String, kind: VarType) -> Result<Written, PadError<R::Error>> {
        self.update(name, VariablePatch { value: Some(value), kind: Some(kind), ..VariablePatch::default() })
    }

    /// Changes a variable. One that is not there needs a value and a type.
    pub fn update(&mut self, name: &str, patch: VariablePatch) -> Result<Written, PadError<R::Error>> {
        patch.check(name).map_err(PadError::Unwritable)?;
        let found = self.rows.find(name).map_err(PadError::Rows)?;
        let VariablePatch { value, kind, desc, tags, keep, untrusted } = patch;
        let now = self.now;
        match found {
            Some(old) => {
                let variable = Variable {
                    kind: kind.unwrap_or(old.kind),
                    length: value.as_deref().map_or(old.length, length),
                    desc: desc.or(old.desc),
                    tags: tags.unwrap_or(old.tags),
                    keep: keep.unwrap_or(old.keep),
                    untrusted: if value.is_some() { untrusted } else { old.untrusted },
                    updated: now,
                    last_visited: now,
                    ..old
                };
                self.rows.update(&variable, value.as_deref()).map_err(PadError::Rows)?;
                Ok(Written::Updated)
            }
            None => {
                let (Some(value), Some(kind)) = (value, kind) else {
                    return Err(PadError::Unwritable(Unwritable::Incomplete));
                };
                self.make_room(name, kind)?;
                let variable = Variable {
                    name: name.to_owned(),
                    kind,
                    length: length(&value),
                    desc,
                    tags: tags.unwrap_or_default(),
                    keep: keep.unwrap_or(kind == VarType::Rule),
                    untrusted,
                    created: now,
                    updated: now,
                    last_visited: now,
                    reference_count: 0,
                };
                self.rows.insert(&variable, &value).map_err(PadError::Rows)?;
                Ok(Written::Created)
            }
        }
    }

    /// Takes one variable away if one more would be too many. A rule may exceed the capacity: it is never lost.
    fn make_room(&mut self, name: &str, kind: VarType) -> Result<(), PadError<R::Error>> {
        if self.rows.count().map_err(PadError::Rows)? < self.capacity {
            return Ok(());
        }
        let is_evicted = self.rows.evict([name, &self.protected]).map_err(PadError::Rows)?;
        match is_evicted || kind == VarType::Rule {
            true => Ok(()),
            false => Err(PadError::Unwritable(Unwritable::Full(self.capacity))),
        }
    }

    /// Writes a variable as a model or a person does: a skill rule is refused.
    pub fn write(&mut self, name: &str, patch: VariablePatch) -> Result<Written, PadError<R::Error>> {
        match self.rows.find(name).map_err(PadError::Rows)? {
            Some(found) if found.kind == VarType::Rule => Err(PadError::Unwritable(Unwritable::Rule(name.to_owned()))),
            _ => self.update(name, patch),
        }
    }

    /// Reads a variable with its value, and notes the visit.
    pub fn get(&mut self, name: &str) -> Result<Option<(Variable, String)>, R::Error> {
        let Some(mut variable) = self.rows.find(name)? else { return Ok(None) };
        let value = self.rows.value(name)?;
        variable.last_visited = self.now;
        variable.reference_count += 1;
        self.rows.visit(&variable)?;
        Ok(Some((variable, value)))
    }

    /// The same without a trace, for the host.
    pub fn peek(&mut self, name: &str) -> Result<Option<(Variable, String)>, R::Error> {
        let Some(variable) = self.rows.find(name)? else { return Ok(None) };
        let value = self.rows.value(name)?;
        Ok(Some((variable, value)))
    }

    /// A variable without its value, without a trace.
    pub fn peek_meta(&mut self, name: &str) -> Result<Option<Variable>, R::Error> {
        self.rows.find(name)
    }

    /// Notes that variables were used, each so many times. Those that are gone meanwhile are passed by.
    pub fn visit(&mut self, used: &BTreeMap<String, i64>) -> Result<(), R::Error> {
        for (name, times) in used {
            if let Some(mut variable) = self.rows.find(name)? {
                variable.last_visited = self.now;
                variable.reference_count += times;
                self.rows.visit(&variable)?;
            }
        }
        Ok(())
    }

    /// The variables that a filter lets through, the last visited first.
    pub fn list(&mut self, filter: &Filter) -> Result<Vec<Variable>, R::Error> {
        Ok(filter.select(self.rows.all()?))
    }

    /// Removes variables; skill rules stay.
    pub fn remove(&mut self, names: &[String]) -> Result<Removed, R::Error> {
        let mut outcome = Removed::default();
        for name in names {
            match self.rows.find(name)? {
                None => outcome.failed.push((name.clone(), NotRemoved::NotFound)),
                Some(variable) if variable.kind == VarType::Rule => {
                    outcome.failed.push((name.clone(), NotRemoved::Rule));
                }
                Some(_) => {
                    self.rows.remove(name)?;
                    outcome.removed.push(name.clone());
                }
            }
        }
        Ok(outcome)
    }
}
