//! What the functions of a scope mean for turns, as one text. Descriptions are no part of it: a better description makes no state
//! outdated.

use super::{FunctionType, LibraryFunction, Timing};
use crate::rules::profile::Profile;
use crate::turn::function::{Function, FunctionKind, FunctionScope};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The enabled functions of a scope, and the built-in ones that it switches off.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScopeFunctions {
    off: Vec<String>,
    functions: Vec<ScopeFunction>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ScopeFunction {
    name: String,
    #[serde(rename = "type")]
    kind: FunctionType,
    order: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
    executor: String,
}

impl ScopeFunctions {
    /// Of the enabled functions of a scope and the names of the built-in ones that it switches off, in any order.
    pub fn new<'a>(enabled: impl IntoIterator<Item = &'a LibraryFunction>, mut off: Vec<String>) -> ScopeFunctions {
        let function = |function: &LibraryFunction| ScopeFunction {
            name: function.name.clone(),
            kind: function.kind,
            order: function.order,
            pattern: function.pattern.clone(),
            timing: function.timing,
            executor: function.executor.clone(),
        };
        let mut functions: Vec<ScopeFunction> = enabled.into_iter().map(function).collect();
        functions.sort_by(|one, other| key(one).cmp(&key(other)));
        off.sort();
        ScopeFunctions { off, functions }
    }

    /// The text; none where nothing differs from a scope without functions.
    pub fn to_text(&self) -> Option<String> {
        let is_empty = self.off.is_empty() && self.functions.is_empty();
        if is_empty { None } else { serde_json::to_string(self).ok() }
    }

    /// Reads what [`to_text`](ScopeFunctions::to_text) wrote. A text of another program is read as no functions.
    pub fn read(text: &str) -> ScopeFunctions {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// The order in which functions run, and which of two with one name is called.
fn key(function: &ScopeFunction) -> (i64, &str, &str) {
    (function.order, &function.name, &function.executor)
}

/// What turns of a session run with: its profile without the built-in functions that are switched off, and the functions of both
/// scopes. A character's function takes the place of an account's with the same type and name.
pub fn combine(
    profile: &Arc<Profile>,
    global: &ScopeFunctions,
    local: &ScopeFunctions,
) -> (Arc<Profile>, Arc<[Function]>) {
    let is_kept = |global: &&ScopeFunction| {
        let same = |local: &ScopeFunction| local.kind == global.kind && has_name(local, &global.name);
        !local.functions.iter().any(same)
    };
    let own = local.functions.iter().map(|own| function(own, FunctionScope::Local));
    let global_functions = global.functions.iter().filter(is_kept).map(|own| function(own, FunctionScope::Global));
    let functions: Arc<[Function]> = own.chain(global_functions).collect();
    let mut off: Vec<String> = local.off.iter().chain(&global.off).cloned().collect();
    off.retain(|name| !profile.disables(name));
    if off.is_empty() {
        return (Arc::clone(profile), functions);
    }
    let mut profile = Profile::clone(profile);
    profile.disabled.extend(off);
    (Arc::new(profile), functions)
}

fn has_name(function: &ScopeFunction, name: &str) -> bool {
    function.name.to_uppercase() == name.to_uppercase()
}

fn function(function: &ScopeFunction, scope: FunctionScope) -> Function {
    let kind = match (function.kind, function.timing) {
        (FunctionType::Active, _) => FunctionKind::Active { pattern: function.pattern.as_deref().map(Arc::from) },
        (FunctionType::Passive, Some(Timing::BeforeActive)) => FunctionKind::PassiveBefore,
        (FunctionType::Passive, _) => FunctionKind::PassiveAfter,
    };
    let (name, executor) = (Arc::from(function.name.as_str()), Arc::from(function.executor.as_str()));
    Function { name, kind, scope, order: function.order, enabled: true, executor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::shipped;

    fn scope(names: &[&str], off: &[&str]) -> ScopeFunctions {
        let function = |name: &&str| {
            let id = format!("starter:{name}");
            shipped()
                .iter()
                .find(|shipped| shipped.id == id || shipped.function.name == *name)
                .unwrap()
                .function
                .clone()
        };
        let functions: Vec<LibraryFunction> = names.iter().map(function).collect();
        ScopeFunctions::new(&functions, off.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn the_text_of_a_scope_depends_on_what_runs_alone() {
        let one = scope(&["clamp", "decay"], &["SET", "ADD"]);
        assert_eq!(one, scope(&["decay", "clamp"], &["ADD", "SET"]));
        let text = one.to_text().unwrap();
        assert_eq!(ScopeFunctions::read(&text), one);
        assert!(!text.contains("description"));
        assert_eq!(scope(&[], &[]).to_text(), None);
        assert!(scope(&[], &["SET"]).to_text().is_some());
        assert_eq!(ScopeFunctions::read("{}"), ScopeFunctions::default());
    }

    #[test]
    fn a_characters_function_takes_the_place_of_the_accounts() {
        let profile = Arc::new(Profile::default());
        let names = |global: &ScopeFunctions, local: &ScopeFunctions| {
            let (profile, functions) = combine(&profile, global, local);
            let names: Vec<String> = functions.iter().map(|function| function.name.to_string()).collect();
            (names, profile.disabled.clone())
        };
        let (global, local) = (scope(&["clamp", "SET"], &["ADD"]), scope(&["clamp", "roll"], &[]));
        let (functions, off) = names(&global, &local);
        assert_eq!(functions, ["clamp", "ROLL", "SET"]);
        assert_eq!(off, ["ADD"]);
        assert_eq!(names(&ScopeFunctions::default(), &ScopeFunctions::default()).1, [""; 0]);
        let (unchanged, _) = combine(&profile, &scope(&["clamp"], &[]), &ScopeFunctions::default());
        assert!(Arc::ptr_eq(&unchanged, &profile));
    }
}
