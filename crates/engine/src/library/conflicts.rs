//! Functions that get into each other's way: found by their names, and by trying patterns on commands as models write them. An
//! overlap is a warning, and not every overlap is found.

use super::sample_match::SamplePattern;
use super::{FunctionType, LibraryFunction, shipped};
use crate::rules::dialect::Dialect;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A function that counts, and who it is.
#[derive(Debug, Clone, Copy)]
pub struct Peer<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it is.
    pub function: &'a LibraryFunction,
    /// Whether a character has it.
    pub local: bool,
}

/// What a function gets in the way of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// Which kind.
    pub kind: ConflictKind,
    /// The id of the other function, or the name of the dialect.
    pub with: String,
    /// For people.
    pub message: String,
}

/// The kinds of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// Another enabled function has the same name.
    SameName,
    /// The pattern finds commands of a dialect.
    Dialect,
    /// The function is called by its name, and the character's profile does not read such calls.
    NotRead,
}

/// An enabled function that is called by its name alone, where the dialects of a profile do not read such calls.
pub fn not_read(function: &LibraryFunction, dialects: &[Dialect]) -> Option<Conflict> {
    let by_name = function.kind == FunctionType::Active && function.pattern.is_none();
    if !by_name || dialects.contains(&Dialect::At) {
        return None;
    }
    let (name, dialect) = (&function.name, Dialect::At.as_str());
    let message = format!(
        "the character's profile does not read the dialect `{dialect}`, so `@.{name}(…)` in a reply is text; give the function a pattern"
    );
    Some(Conflict { kind: ConflictKind::NotRead, with: dialect.to_owned(), message })
}

/// The conflicts of one enabled function with others that are enabled, itself perhaps among them.
pub fn conflicts(of: Peer<'_>, others: &[Peer<'_>]) -> Vec<Conflict> {
    let others = others.iter().filter(|other| other.id != of.id && other.function.has_name(&of.function.name));
    let mut found: Vec<Conflict> = others.map(|other| same_name(of, *other)).collect();
    let pattern = of.function.pattern.as_deref().filter(|_| of.function.kind == FunctionType::Active);
    for (dialect, sign) in pattern.map(overlaps).unwrap_or_default() {
        let message = format!(
            "the pattern can find `{sign}…`, which is a command of the dialect `{}` too; the function takes what it finds",
            dialect.as_str()
        );
        found.push(Conflict { kind: ConflictKind::Dialect, with: dialect.as_str().to_owned(), message });
    }
    found
}

fn same_name(of: Peer<'_>, other: Peer<'_>) -> Conflict {
    let name = &of.function.name;
    let is_passive = |peer: Peer<'_>| peer.function.kind == FunctionType::Passive;
    let message = if of.local != other.local && of.function.kind == other.function.kind {
        format!("`{}` is named `{name}` too; the character's function counts, the account's does not", other.id)
    } else if is_passive(of) || is_passive(other) {
        format!("`{}` is named `{name}` too; both run", other.id)
    } else if shipped().iter().any(|shipped| shipped.builtin && shipped.id == other.id) {
        format!("`{name}` is built in too; calls by name go to this function")
    } else {
        format!("`{}` is named `{name}` too; calls by name go to the one with the lower order", other.id)
    };
    Conflict { kind: ConflictKind::SameName, with: other.id.to_owned(), message }
}

/// The dialects whose commands a pattern can find, each with the beginning of such a command.
fn overlaps(pattern: &str) -> Vec<(Dialect, String)> {
    let Some(pattern) = SamplePattern::read(pattern) else { return Vec::new() };
    let is_found = |sample: &&Sample| pattern.touches(&sample.text, &(0..sample.sign.chars().count()));
    let first = |dialect: Dialect| {
        let sample = samples().iter().filter(|sample| sample.dialect == dialect).find(is_found)?;
        Some((dialect, sample.sign.clone()))
    };
    [Dialect::At, Dialect::Mvu, Dialect::JsonPatch].into_iter().filter_map(first).collect()
}

/// A command as a model writes it.
struct Sample {
    dialect: Dialect,
    /// What it begins with: a pattern that takes some of it takes the command away.
    sign: String,
    text: String,
}

fn samples() -> &'static [Sample] {
    static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
        let mut samples = Vec::new();
        let mut add = |dialect, sign: String, rest: &str| {
            let text = format!("{sign}{rest}");
            samples.push(Sample { dialect, sign, text });
        };
        for shipped in shipped().iter().filter(|shipped| shipped.builtin) {
            let name = &shipped.function.name;
            let example = shipped.function.example.as_deref().unwrap_or_default();
            let rest = example.split_once('(').map_or(");", |(_, rest)| rest);
            // The dialect reads names in any case.
            add(Dialect::At, format!("@.{name}("), rest);
            add(Dialect::At, format!("@.{}(", name.to_lowercase()), rest);
            add(Dialect::At, format!("@.{}{}(", &name[..1], name[1..].to_lowercase()), rest);
        }
        for name in MVU_NAMES {
            add(Dialect::Mvu, format!("_.{name}("), "'角色.金币', 1, 2);//买药");
            add(Dialect::Mvu, format!("_.{name}("), "\"角色.金币\", 5);");
            add(Dialect::Mvu, format!("_.{name}("), "'角色.金币', 5);");
        }
        add(Dialect::JsonPatch, "<JSONPatch>".to_owned(), r#"[{"op":"replace","path":"/a","value":1}]</JSONPatch>"#);
        samples
    });
    &SAMPLES
}

const MVU_NAMES: [&str; 7] = ["set", "insert", "assign", "remove", "unset", "delete", "add"];

#[cfg(test)]
mod tests {
    use super::*;

    fn dialects(pattern: &str) -> Vec<Dialect> {
        overlaps(pattern).into_iter().map(|(dialect, _)| dialect).collect()
    }

    #[test]
    fn patterns_that_find_commands_of_a_dialect() {
        for shipped in shipped().iter().filter(|shipped| shipped.builtin) {
            let pattern = shipped.function.pattern.as_deref().unwrap();
            assert_eq!(dialects(pattern), [Dialect::At], "{pattern}");
        }
        assert_eq!(dialects(r#"/@\.set\("([^"]+)"/gi"#), [Dialect::At]);
        assert_eq!(dialects(r"@\.(\w+)\("), [Dialect::At]);
        assert_eq!(dialects(r"_\.(?:set|add)\((.+)\)"), [Dialect::Mvu]);
        assert_eq!(dialects(r"[@_]\.\w+"), [Dialect::At, Dialect::Mvu]);
        assert_eq!(dialects(r"@\.set\("), [Dialect::At]);
        assert_eq!(dialects(r"@\.Add\("), [Dialect::At]);
        assert_eq!(dialects(".+"), [Dialect::At, Dialect::Mvu, Dialect::JsonPatch]);
        assert_eq!(dialects(r"<(\w+)>"), [Dialect::JsonPatch]);
        assert_eq!(dialects(r"<JSONPatch>([\s\S]*)</JSONPatch>"), [Dialect::JsonPatch]);
    }

    #[test]
    fn patterns_that_find_others() {
        for pattern in [r#"@\.HEAL\("([^"]+)"\);?"#, r"@\.SETTLE\(", r"\[(.+?)\+(\d+)\]", "金币", "", "(", "[", "\\"]
        {
            assert_eq!(dialects(pattern), [], "{pattern}");
        }
    }

    #[test]
    fn one_name_twice() {
        let function = &shipped()[0].function;
        let own = Peer { id: "mine", function, local: false };
        let all =
            [own, Peer { id: "builtin:SET", function, local: false }, Peer { id: "theirs", function, local: true }];
        let found = conflicts(own, &all);
        let with: Vec<_> = found.iter().map(|conflict| conflict.with.as_str()).collect();
        assert_eq!(with, ["builtin:SET", "theirs", "at"]);
        assert!(found[0].message.contains("built in"), "{}", found[0].message);
    }
}
