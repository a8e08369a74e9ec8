//! Lists and objects that know their weight and change only through their own methods.

use super::Value;
use super::members::{Iter, Members};
use std::sync::Arc;

/// Bytes that an item costs beside its own value: a comma.
const ITEM_WEIGHT: usize = 1;
/// Bytes that a member costs beside key and value: quotes, colon, comma.
const MEMBER_WEIGHT: usize = 4;

/// A list of values.
///
/// Invariant: `weight` is the sum over the items.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Array {
    items: Vec<Value>,
    weight: usize,
}

impl Array {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `index`.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.items.iter()
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[Value] {
        &self.items
    }

    /// About how many bytes the list is as JSON.
    pub fn weight(&self) -> usize {
        self.weight + 2
    }

    pub(super) fn push(&mut self, value: Value) {
        self.weight += value.weight() + ITEM_WEIGHT;
        self.items.push(value);
    }

    /// Puts an item before the one at `index`; false when that is beyond the end.
    pub(crate) fn insert(&mut self, index: usize, value: Value) -> bool {
        if index > self.items.len() {
            return false;
        }
        self.weight += value.weight() + ITEM_WEIGHT;
        self.items.insert(index, value);
        true
    }

    pub(crate) fn remove(&mut self, index: usize) -> Option<Value> {
        if index >= self.items.len() {
            return None;
        }
        let value = self.items.remove(index);
        self.weight -= value.weight() + ITEM_WEIGHT;
        Some(value)
    }

    /// Changes the item at `index` in place.
    pub(crate) fn edit<T>(&mut self, index: usize, edit: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let item = self.items.get_mut(index)?;
        let before = item.weight();
        let answer = edit(item);
        self.weight = self.weight + item.weight() - before;
        Some(answer)
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Array {
        let mut array = Array::default();
        items.into_iter().for_each(|item| array.push(item));
        array
    }
}

/// Keys and values in the order in which they were added.
///
/// Invariant: `weight` is the sum over the members.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    members: Members,
    weight: usize,
}

impl Object {
    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.len() == 0
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|(_, _, value)| value)
    }

    /// Whether there is a member with this key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.members.position(key).is_some()
    }

    /// The key as the object stores it, its position and its value.
    pub fn entry(&self, key: &str) -> Option<(usize, &Arc<str>, &Value)> {
        let position = self.members.position(key)?;
        self.members.at(position).map(|(key, value)| (position, key, value))
    }

    /// The member at `position`.
    pub fn at(&self, position: usize) -> Option<(&Arc<str>, &Value)> {
        self.members.at(position)
    }

    /// The members in order.
    pub fn iter(&self) -> Iter<'_> {
        self.members.iter()
    }

    /// About how many bytes the object is as JSON.
    pub fn weight(&self) -> usize {
        self.weight + 2
    }

    /// Sets a member, behind all others when it is new. Gives back the old value.
    pub(crate) fn set(&mut self, key: Arc<str>, value: Value) -> Option<Value> {
        let (key_len, weight) = (key.len(), value.weight());
        let old = self.members.set(key, value);
        self.weight += weight;
        match &old {
            Some(old) => self.weight -= old.weight(),
            None => self.weight += key_len + MEMBER_WEIGHT,
        }
        old
    }

    /// Adds a member at `position`; false when the key is taken or the position beyond the end.
    pub(crate) fn insert(&mut self, position: usize, key: Arc<str>, value: Value) -> bool {
        let fits = position <= self.members.len() && !self.contains_key(&key);
        if fits {
            self.add(position, key, value);
        }
        fits
    }

    fn add(&mut self, position: usize, key: Arc<str>, value: Value) {
        self.weight += key.len() + MEMBER_WEIGHT + value.weight();
        self.members.insert(position, key, value);
    }

    /// Removes a member; the order of the others stays.
    pub(crate) fn remove(&mut self, key: &str) -> Option<(usize, Value)> {
        let position = self.members.position(key)?;
        let (key, value) = self.members.remove(position)?;
        self.weight -= key.len() + MEMBER_WEIGHT + value.weight();
        Some((position, value))
    }

    /// The position of `key`.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.members.position(key)
    }

    /// Changes the value of `key` in place.
    pub(crate) fn edit<T>(&mut self, key: &str, edit: impl FnOnce(&mut Value) -> T) -> Option<T> {
        self.edit_at(self.position(key)?, edit)
    }

    /// Changes the value at a position in place.
    pub(crate) fn edit_at<T>(&mut self, position: usize, edit: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let value = self.members.value_mut(position)?;
        let before = value.weight();
        let answer = edit(value);
        self.weight = self.weight + value.weight() - before;
        Some(answer)
    }
}

impl From<Vec<(Arc<str>, Value)>> for Object {
    /// Of members with one key the last wins, at the place of the first.
    fn from(members: Vec<(Arc<str>, Value)>) -> Object {
        let weight = members.iter().map(|(key, value)| key.len() + MEMBER_WEIGHT + value.weight()).sum();
        match Members::of_distinct(members) {
            Ok(members) => Object { members, weight },
            Err(members) => members.into_iter().collect(),
        }
    }
}

impl FromIterator<(Arc<str>, Value)> for Object {
    /// Of members with one key the last wins, at the place of the first.
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(members: I) -> Object {
        let members = members.into_iter();
        let mut object = Object { members: Members::with_capacity(members.size_hint().0), weight: 0 };
        members.for_each(|(key, value)| {
            object.set(key, value);
        });
        object
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a Arc<str>, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
