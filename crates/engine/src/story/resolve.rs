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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Clone)]
    struct Row(&'static str, Scope);

    impl Scoped for Row {
        fn key(&self) -> &str {
            self.0
        }
        fn scope(&self) -> Scope {
            self.1
        }
    }

    #[test]
    fn every_scope_beats_the_ones_before_it() {
        for (index, &strong) in Scope::ALL.iter().enumerate() {
            for &weak in &Scope::ALL[..index] {
                assert_eq!(winners(vec![Row("k", weak), Row("k", strong)]), [Row("k", strong)]);
                assert_eq!(winners(vec![Row("k", strong), Row("k", weak)]), [Row("k", strong)]);
            }
        }
    }

    #[test]
    fn what_is_computed_hides_every_scope() {
        struct Computed(Scope, Origin);
        impl Scoped for Computed {
            fn key(&self) -> &str {
                "k"
            }
            fn scope(&self) -> Scope {
                self.0
            }
            fn origin(&self) -> Origin {
                self.1
            }
        }
        let rows = vec![Computed(Scope::Page, Origin::Own), Computed(Scope::Global, Origin::Computed)];
        assert_eq!(winners(rows)[0].1, Origin::Computed);
        let rows = vec![Computed(Scope::Branch, Origin::Before), Computed(Scope::Branch, Origin::Own)];
        assert_eq!(winners(rows)[0].1, Origin::Own);
    }

    #[test]
    fn keys_come_sorted_by_bytes() {
        let rows = ["é", "b", "_z", "A", "a", "10", "9"].map(|key| Row(key, Scope::Chat)).to_vec();
        let keys: Vec<_> = winners(rows).into_iter().map(|row| row.0).collect();
        assert_eq!(keys, ["10", "9", "A", "_z", "a", "b", "é"]);
    }
}
