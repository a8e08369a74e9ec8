//! The winner per key: page › floor › branch › chat › global.

use crate::names::scope::Scope;

/// Something that has a key and lives on a scope.
pub trait Scoped {
    /// The key that rows compete for.
    fn key(&self) -> &str;
    /// The scope it lives on.
    fn scope(&self) -> Scope;
    /// Where it comes from.
    fn origin(&self) -> Origin {
        Origin::Own
    }
}

/// Where a row comes from; the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Seen of the branches and floors before.
    Before,
    /// The host's own.
    Own,
    /// Computed, such as the story's state: it hides whatever else has its key, on any scope.
    Computed,
}

/// Keeps the winner of each key, sorted by the bytes of the key. Rows win, not values: a `null` on a page hides what the
/// floor says. Of one scope the host's own row wins over what it sees of others, and what is computed wins over all.
pub fn winners<T: Scoped>(mut rows: Vec<T>) -> Vec<T> {
    let rank = |row: &T| (row.origin() == Origin::Computed, row.scope(), row.origin());
    rows.sort_unstable_by(|left, right| left.key().cmp(right.key()).then_with(|| rank(right).cmp(&rank(left))));
    rows.dedup_by(|later, kept| later.key() == kept.key());
    rows
}
