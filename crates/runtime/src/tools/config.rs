//! What a session says about its tools, parsed: which there are, which are enabled, and what they may do without asking.

use super::registry::{Registered, Registry};
use super::tool::{RulePrompt, Tool};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use tavernkeep_engine::tools::canonical::canonical;
use tavernkeep_engine::tools::definition::{Declaration, GroupDeclaration};
use tavernkeep_engine::tools::permission::{Effective, Permission, effective};
use tavernkeep_engine::tools::rules::{self, EnabledGroup};
use tavernkeep_engine::tools::var_tools;
use tavernkeep_store::tools::settings::StoredConfig;
use tavernkeep_store::tools::stamp::ConfigStamp;

/// What new sessions begin with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Defaults {
    /// Which groups are enabled.
    pub groups: BTreeMap<String, bool>,
    /// Which tools are.
    pub tools: BTreeMap<String, bool>,
    /// What tools may do without asking, as JSON.
    pub permissions: BTreeMap<String, Value>,
}

impl Defaults {
    /// The defaults as they are stored.
    pub fn to_json(&self) -> Value {
        json!({ "groups": self.groups, "tools": self.tools, "permissions": self.permissions })
    }

    pub(crate) fn read(text: &str) -> Defaults {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let flags = |name: &str| {
            let members = value[name].as_object().into_iter().flatten();
            members.filter_map(|(key, flag)| Some((key.clone(), flag.as_bool()?))).collect()
        };
        let permissions = value["permissions"].as_object().into_iter().flatten();
        Defaults {
            groups: flags("groups"),
            tools: flags("tools"),
            permissions: permissions.map(|(key, value)| (key.clone(), value.clone())).collect(),
        }
    }
}

/// A tool and whether it can be called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolState {
    /// Its declaration.
    pub declaration: Declaration,
    /// Whether it is enabled, as far as its group is.
    pub enabled: bool,
    /// What counts for it.
    pub permission: Effective,
}

/// A group and whether it can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupState {
    /// Its declaration.
    pub declaration: Arc<GroupDeclaration>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether an application runs its tools.
    pub by_client: bool,
    /// Its tools.
    pub tools: Vec<ToolState>,
}

/// The tools of a session.
#[derive(Debug)]
pub(crate) struct SessionTools {
    /// The configuration that this was read from.
    pub(crate) stamp: ConfigStamp,
    groups: Vec<Registered>,
    /// How many of the groups, from the end, are an application's.
    declared: usize,
    stored: StoredConfig,
    defaults: Defaults,
    /// By their names.
    tools: HashMap<String, KnownTool>,
}

/// A tool that was found by its name.
pub(crate) struct FoundTool<'a> {
    pub(crate) group: &'a str,
    pub(crate) declaration: &'a Declaration,
    /// The code; none for tools of the scratchpad and of applications.
    pub(crate) tool: Option<&'a Tool>,
    pub(crate) by_client: bool,
    pub(crate) callable: bool,
    pub(crate) permission: &'a Effective,
    /// The hash of everything that decides what a call does: an approval counts for nothing else.
    pub(crate) definition_hash: &'a [u8],
}

/// What calls need of a tool, found out once for a configuration.
#[derive(Debug)]
struct KnownTool {
    /// Where its group stands, and where it stands there.
    place: (usize, usize),
    callable: bool,
    permission: Effective,
    /// Computed when it is first called.
    definition_hash: OnceLock<Vec<u8>>,
}

impl SessionTools {
    pub(crate) fn new(stamp: ConfigStamp, registry: &Registry, stored: StoredConfig) -> SessionTools {
        let mut groups = registry.groups().to_vec();
        let read = |text: &String| GroupDeclaration::read(&serde_json::from_str(text).ok()?).ok();
        let declared: Vec<_> = stored
            .declared
            .iter()
            .filter_map(read)
            // A later version of the program may bring a group of the same name along.
            .filter(|declared| !groups.iter().any(|group| group.declaration.name == declared.name))
            .map(|declaration| Registered { declaration: Arc::new(declaration), group: None })
            .collect();
        let count = declared.len();
        groups.extend(declared);
        let defaults = stored.defaults.as_deref().map(Defaults::read).unwrap_or_default();
        let tools = HashMap::new();
        let mut session = SessionTools { stamp, groups, declared: count, stored, defaults, tools };
        session.tools = session.known_tools();
        session
    }

    fn known_tools(&self) -> HashMap<String, KnownTool> {
        let mut known = HashMap::new();
        for (at, group) in self.groups.iter().enumerate() {
            let is_group_enabled = self.is_group_enabled(&group.declaration.name);
            for (index, tool) in group.declaration.tools.iter().enumerate() {
                let is_always = var_tools::ALWAYS.contains(&tool.name.as_str());
                // Of two tools with one name the first counts.
                known.entry(tool.name.clone()).or_insert_with(|| KnownTool {
                    place: (at, index),
                    callable: is_always || (is_group_enabled && self.is_tool_enabled(&tool.name)),
                    permission: self.permission(tool),
                    definition_hash: OnceLock::new(),
                });
            }
        }
        known
    }

    fn is_client(&self, index: usize) -> bool {
        index >= self.groups.len() - self.declared
    }

    pub(crate) fn group(&self, name: &str) -> Option<(&Registered, bool)> {
        let index = self.groups.iter().position(|group| group.declaration.name == name)?;
        Some((&self.groups[index], self.is_client(index)))
    }

    pub(crate) fn is_group_enabled(&self, name: &str) -> bool {
        let own = self.stored.groups.get(name).and_then(|setting| setting.enabled);
        let known = self.groups.iter().any(|group| group.declaration.name == name);
        known && own.or_else(|| self.defaults.groups.get(name).copied()).unwrap_or(false)
    }

    /// The account's default for a group.
    pub(crate) fn group_default(&self, name: &str) -> bool {
        self.defaults.groups.get(name).copied().unwrap_or(false)
    }

    pub(crate) fn is_tool_enabled(&self, name: &str) -> bool {
        let known = self.groups.iter().flat_map(|group| &group.declaration.tools).any(|tool| tool.name == name);
        let own = self.stored.tools.get(name).and_then(|setting| setting.enabled);
        known && own.or_else(|| self.defaults.tools.get(name).copied()).unwrap_or(true)
    }

    fn permission(&self, declaration: &Declaration) -> Effective {
        let own = self.stored.tools.get(&declaration.name).and_then(|setting| setting.permission.as_deref());
        let own = own.and_then(|text| serde_json::from_str(text).ok());
        let mut merged = Map::new();
        for part in [self.defaults.permissions.get(&declaration.name).cloned(), own].into_iter().flatten() {
            if let Value::Object(members) = part {
                merged.extend(members);
            }
        }
        let setting = Permission::read(&Value::Object(merged)).ok();
        effective(setting.as_ref(), &declaration.permission)
    }

    pub(crate) fn find(&self, name: &str) -> Option<FoundTool<'_>> {
        let known = self.tools.get(name)?;
        let (at, index) = known.place;
        let group = self.groups.get(at)?;
        let (declaration, by_client) = (group.declaration.tools.get(index)?, self.is_client(at));
        let definition_hash = known.definition_hash.get_or_init(|| {
            let whole = json!({
                "definition": declaration.definition, "effect": declaration.effect,
                "group": group.declaration.name, "by_client": by_client,
            });
            Sha256::digest(canonical(&whole)).to_vec()
        });
        Some(FoundTool {
            group: &group.declaration.name,
            declaration,
            tool: group.tool(name),
            by_client,
            callable: known.callable,
            permission: &known.permission,
            definition_hash,
        })
    }

    /// The groups that are enabled, with the names of their enabled tools.
    fn enabled(&self) -> impl Iterator<Item = (&Registered, Vec<&Declaration>)> {
        let enabled = self.groups.iter().filter(|group| self.is_group_enabled(&group.declaration.name));
        enabled.map(|group| {
            let tools = group.declaration.tools.iter().filter(|tool| self.is_tool_enabled(&tool.name)).collect();
            (group, tools)
        })
    }

    /// The definitions for a model, in the order of registration; the two reading tools are always among them.
    pub(crate) fn definitions(&self) -> Vec<Value> {
        let mut tools: Vec<&Declaration> = self.enabled().flat_map(|(_, tools)| tools).collect();
        if !tools.is_empty() {
            let vars = self.groups.iter().flat_map(|group| &group.declaration.tools);
            for tool in vars.filter(|tool| var_tools::ALWAYS.contains(&tool.name.as_str())) {
                if !tools.iter().any(|there| there.name == tool.name) {
                    tools.push(tool);
                }
            }
        }
        tools.into_iter().map(Declaration::definition_for_model).collect()
    }

    /// The part of the system prompt about tools.
    pub(crate) fn rules(&self) -> String {
        let groups: Vec<EnabledGroup<'_>> = self
            .enabled()
            .map(|(group, tools)| {
                let tools: Vec<&str> = tools.into_iter().map(|tool| tool.name.as_str()).collect();
                let prompt = match group.group.as_ref().and_then(|group| group.rule_prompt.as_ref()) {
                    Some(RulePrompt::Function(function)) => Some(function(&tools)),
                    Some(RulePrompt::Text(text)) => Some(text.clone()),
                    None => group.declaration.rule_prompt.clone(),
                };
                EnabledGroup { group: &group.declaration, prompt, tools }
            })
            .collect();
        rules::tool_rules(&groups)
    }

    pub(crate) fn states(&self) -> Vec<GroupState> {
        let state = |(index, group): (usize, &Registered)| GroupState {
            declaration: Arc::clone(&group.declaration),
            enabled: self.is_group_enabled(&group.declaration.name),
            by_client: self.is_client(index),
            tools: group
                .declaration
                .tools
                .iter()
                .map(|tool| ToolState {
                    declaration: tool.clone(),
                    enabled: self.is_tool_enabled(&tool.name),
                    permission: self.permission(tool),
                })
                .collect(),
        };
        self.groups.iter().enumerate().map(state).collect()
    }

    /// Bytes that the parsed form takes, about.
    pub(crate) fn bytes(&self) -> usize {
        4_096 + self.tools.len() * 512 + self.stored.declared.iter().map(|text| text.len() * 4).sum::<usize>()
    }
}
