//! The members of an object, in order: a plain list while they are few, a hash map when they are many.
//!
//! Most objects of a state and every operation of a patch have a handful of keys. Comparing a handful is faster than
//! hashing one, and a list needs one allocation where a map needs two. The map hashes with a random seed, so no text of a
//! model can be made to collide.

use super::Value;
use indexmap::IndexMap;
use std::sync::Arc;

/// How many members are still looked for one by one.
const FEW_MAX: usize = 8;

/// Keys and values in the order in which they were added; no key twice.
#[derive(Debug, Clone)]
pub(super) enum Members {
    Few(Vec<(Arc<str>, Value)>),
    Many(IndexMap<Arc<str>, Value>),
}

impl Default for Members {
    fn default() -> Members {
        Members::Few(Vec::new())
    }
}

impl PartialEq for Members {
    /// The same keys with the same values, in any order.
    fn eq(&self, other: &Members) -> bool {
        self.len() == other.len()
            && self.iter().all(|(key, value)| {
                let position = other.position(key);
                position.and_then(|position| other.at(position)).is_some_and(|(_, theirs)| theirs == value)
            })
    }
}

impl Members {
    pub(super) fn with_capacity(capacity: usize) -> Members {
        if capacity <= FEW_MAX {
            Members::Few(Vec::with_capacity(capacity))
        } else {
            Members::Many(IndexMap::with_capacity(capacity))
        }
    }

    /// Few members as they are; many, and those with a key twice, are given back.
    pub(super) fn of_distinct(list: Vec<(Arc<str>, Value)>) -> Result<Members, Vec<(Arc<str>, Value)>> {
        let is_new = |at: usize| list[..at].iter().all(|(known, _)| *known != list[at].0);
        match list.len() <= FEW_MAX && (1..list.len()).all(is_new) {
            true => Ok(Members::Few(list)),
            false => Err(list),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Members::Few(list) => list.len(),
            Members::Many(map) => map.len(),
        }
    }

    pub(super) fn position(&self, key: &str) -> Option<usize> {
        match self {
            Members::Few(list) => list.iter().position(|(known, _)| known.as_ref() == key),
            Members::Many(map) => map.get_index_of(key),
        }
    }

    pub(super) fn at(&self, position: usize) -> Option<(&Arc<str>, &Value)> {
        match self {
            Members::Few(list) => list.get(position).map(|(key, value)| (key, value)),
            Members::Many(map) => map.get_index(position),
        }
    }

    pub(super) fn value_mut(&mut self, position: usize) -> Option<&mut Value> {
        match self {
            Members::Few(list) => list.get_mut(position).map(|(_, value)| value),
            Members::Many(map) => map.get_index_mut(position).map(|(_, value)| value),
        }
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        Iter(match self {
            Members::Few(list) => Source::Few(list.iter()),
            Members::Many(map) => Source::Many(map.iter()),
        })
    }

    /// Sets a member, behind all others when it is new. Gives back the old value.
    pub(super) fn set(&mut self, key: Arc<str>, value: Value) -> Option<Value> {
        match self {
            // The key is hashed once.
            Members::Many(map) => map.insert(key, value),
            Members::Few(list) => match list.iter_mut().find(|(known, _)| *known == key) {
                Some((_, old)) => Some(std::mem::replace(old, value)),
                None => {
                    self.insert(self.len(), key, value);
                    None
                }
            },
        }
    }

    /// Adds a member that is new at a position within the order.
    pub(super) fn insert(&mut self, position: usize, key: Arc<str>, value: Value) {
        if let Members::Few(list) = self
            && list.len() >= FEW_MAX
        {
            *self = Members::Many(std::mem::take(list).into_iter().collect());
        }
        match self {
            Members::Few(list) => list.insert(position, (key, value)),
            Members::Many(map) => {
                map.shift_insert(position, key, value);
            }
        }
    }

    /// Takes out the member at a position; the order of the others stays.
    pub(super) fn remove(&mut self, position: usize) -> Option<(Arc<str>, Value)> {
        match self {
            Members::Few(list) => (position < list.len()).then(|| list.remove(position)),
            Members::Many(map) => map.shift_remove_index(position),
        }
    }
}

/// The members of an object in order.
#[derive(Debug, Clone)]
pub struct Iter<'a>(Source<'a>);

#[derive(Debug, Clone)]
enum Source<'a> {
    Few(std::slice::Iter<'a, (Arc<str>, Value)>),
    Many(indexmap::map::Iter<'a, Arc<str>, Value>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Arc<str>, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Few(list) => list.next().map(|(key, value)| (key, value)),
            Source::Many(map) => map.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Few(list) => list.size_hint(),
            Source::Many(map) => map.size_hint(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(keys: impl IntoIterator<Item = i64>) -> Members {
        let mut members = Members::default();
        keys.into_iter().for_each(|key| members.insert(members.len(), key.to_string().into(), Value::from(key)));
        members
    }

    fn keys(members: &Members) -> Vec<&str> {
        members.iter().map(|(key, _)| key.as_ref()).collect()
    }

    #[test]
    fn order_and_lookup_survive_the_change_from_few_to_many() {
        let mut all = members(0..20);
        assert_eq!(all.position("13"), Some(13));
        all.insert(3, "new".into(), Value::Null);
        assert_eq!(all.position("13"), Some(14));
        assert_eq!(all.remove(3).map(|(key, _)| key.to_string()).as_deref(), Some("new"));
        (8..20).rev().for_each(|position| drop(all.remove(position)));
        assert_eq!(keys(&all), ["0", "1", "2", "3", "4", "5", "6", "7"]);
        assert!(matches!((&all, members(0..8)), (Members::Many(_), few @ Members::Few(_)) if few == all));
        assert_ne!(all, members(1..9));
    }
}
