//! The groups that a program brings along, in the order of registration.

use super::tool::{Tool, ToolGroup};
use std::fmt;
use std::sync::Arc;
use tavernkeep_engine::tools::definition::GroupDeclaration;
use tavernkeep_engine::tools::{rules, var_tools};
use tavernkeep_store::db::hash::hash;
use tavernkeep_store::tools::clock::{ProgramRules, RuleVariable};
use tavernkeep_store::tools::journal::JournalLimits;

/// The groups of a program. `vars` is always the first of them.
#[derive(Debug, Clone)]
pub struct Registry {
    groups: Vec<Registered>,
    rules: Arc<ProgramRules>,
    capacity: usize,
    journal: JournalLimits,
}

#[derive(Debug, Clone)]
pub(crate) struct Registered {
    pub(crate) declaration: Arc<GroupDeclaration>,
    /// The code; none for the tools of the scratchpad, which the executor runs itself.
    pub(crate) group: Option<Arc<ToolGroup>>,
}

impl Registered {
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.group.as_ref()?.tools.iter().find(|tool| tool.name() == name)
    }
}

/// Why a group cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryError {
    /// Another group has a tool of this name.
    ToolTaken(String),
    /// The group's name is taken by one that cannot be replaced.
    GroupTaken(String),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryError::ToolTaken(name) => {
                write!(formatter, "another group has a tool `{name}`; rename one of them")
            }
            RegistryError::GroupTaken(name) => {
                write!(formatter, "the group `{name}` is a part of the program; rename yours")
            }
        }
    }
}

impl std::error::Error for RegistryError {}

impl Default for Registry {
    fn default() -> Self {
        let vars = Registered { declaration: Arc::new(var_tools::group()), group: None };
        let mut registry =
            Registry { groups: vec![vars], rules: Arc::default(), capacity: 0, journal: JournalLimits::default() };
        registry.collect_rules();
        registry
    }
}

impl Registry {
    /// The tools of the scratchpad alone.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// The same with scratchpads of another capacity.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Registry {
        self.capacity = capacity;
        self.collect_rules();
        self
    }

    /// The same with journals that keep another number of calls and bytes.
    #[must_use]
    pub fn with_journal(mut self, journal: JournalLimits) -> Registry {
        self.journal = journal;
        self.collect_rules();
        self
    }

    /// Adds a group, or puts it in the place of one with its name. A group without tools is ignored; returns whether it was
    /// registered before.
    pub fn register(&mut self, group: ToolGroup) -> Result<bool, RegistryError> {
        if group.tools.is_empty() {
            return Ok(false);
        }
        if group.name == var_tools::GROUP || group.name == rules::AGENT {
            return Err(RegistryError::GroupTaken(group.name));
        }
        let others = self.groups.iter().filter(|other| other.declaration.name != group.name);
        for other in others.flat_map(|other| &other.declaration.tools) {
            if group.tools.iter().any(|tool| tool.name() == other.name) {
                return Err(RegistryError::ToolTaken(other.name.clone()));
            }
        }
        let registered = Registered { declaration: Arc::new(group.declaration()), group: Some(Arc::new(group)) };
        let before = self.groups.iter_mut().find(|other| other.declaration.name == registered.declaration.name);
        let was_there = before.is_some();
        match before {
            Some(place) => *place = registered,
            None => self.groups.push(registered),
        }
        self.collect_rules();
        Ok(was_there)
    }

    pub(crate) fn groups(&self) -> &[Registered] {
        &self.groups
    }

    pub(crate) fn rules(&self) -> &Arc<ProgramRules> {
        &self.rules
    }

    fn collect_rules(&mut self) {
        let built_in = rules::built_in();
        let of_groups =
            self.groups.iter().map(|group| (group.declaration.name.as_str(), &group.declaration.skill_rules));
        let all = std::iter::once((rules::AGENT, &built_in)).chain(of_groups);
        let collected: Vec<RuleVariable> = all.flat_map(|(group, rules)| rule_variables(group, rules)).collect();
        let text: String =
            collected.iter().map(|rule| format!("{}\0{}\0{}\0", rule.name, rule.desc, rule.prompt)).collect();
        let (capacity, journal) = (self.capacity, self.journal);
        self.rules = Arc::new(ProgramRules { hash: hash(text.as_bytes()), rules: collected, capacity, journal });
    }
}

pub(crate) fn rule_variables(
    group: &str,
    rules: &[tavernkeep_engine::tools::definition::SkillRule],
) -> Vec<RuleVariable> {
    rules
        .iter()
        .map(|rule| RuleVariable {
            name: rules::variable_name(group, &rule.name),
            desc: rules::describe(group, rule),
            prompt: rule.prompt.clone(),
        })
        .collect()
}
