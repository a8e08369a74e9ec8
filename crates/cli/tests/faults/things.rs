//! What is stored, as names and values, and what a request changes in it.
//!
//! A name begins with an id: `c3.s1 session`, `c3.s1.f4 floor`, `c3.s1/b2 branch`, `c3.s1 variable gold`. Ids are made so
//! that what hangs on something begins with its id, and everything of one client with the client's name.

use std::collections::BTreeMap;

/// Everything somebody has stored, or believes to have.
pub type Things = BTreeMap<String, String>;

/// One part of what a request changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// This has this value from now on.
    Put(String, String),
    /// This is gone.
    Remove(String),
    /// The thing with this id is gone, with all that hangs on it.
    RemoveTree(String),
}

/// The state after all of these changes.
pub fn after(before: &Things, changes: &[Change]) -> Things {
    let mut things = before.clone();
    for change in changes {
        match change {
            Change::Put(name, value) => drop(things.insert(name.clone(), value.clone())),
            Change::Remove(name) => drop(things.remove(name)),
            Change::RemoveTree(id) => things.retain(|name, _| !hangs_on(name, id)),
        }
    }
    things
}

/// Whether the name is of the thing with this id, or of something below it.
pub fn hangs_on(name: &str, id: &str) -> bool {
    name.strip_prefix(id).is_some_and(|rest| rest.starts_with(['.', '/', ' ']))
}

/// What is in one and not in the other, for people.
pub fn difference(wanted: &Things, found: &Things) -> String {
    let short = |value: &String| value.chars().take(60).collect::<String>();
    let mut lines = Vec::new();
    for (name, value) in wanted {
        match found.get(name) {
            None => lines.push(format!("lost: {name} = {}", short(value))),
            Some(other) if other != value => {
                lines.push(format!("other: {name} = {}, found {}", short(value), short(other)));
            }
            Some(_) => {}
        }
    }
    lines.extend(found.iter().filter(|(name, _)| !wanted.contains_key(*name)).map(|(name, value)| {
        format!("too much: {name} = {}", short(value)) //
    }));
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_on_a_thing_goes_with_it() {
        let names = ["c1.s1 session", "c1.s1 variable k", "c1.s1/b branch", "c1.s1.f2 floor", "c1.s10 session"];
        let things: Things = names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        let left = after(&things, &[Change::RemoveTree("c1.s1".into())]);
        assert_eq!(left.into_keys().collect::<Vec<_>>(), ["c1.s10 session"]);
    }
}
