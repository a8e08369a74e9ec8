//! Which items of one list are which items of another, in order: as many and as alike as possible.
//!
//! What is equal at both ends is paired at once. What lies between is compared item by item where that is cheap; in longer
//! stretches what is there once on each side, be it an item or only a mark of one, gives the fixed points, and what lies
//! between those is looked at alone.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Comparisons of one stretch: enough for 500 items against 500.
const CELLS_MAX: usize = 250_000;

/// How often a stretch is cut again at what is there once in it. Each time every item is looked at.
const CUTS_MAX: usize = 32;

/// How alike equal items are; others are less.
const EQUAL: u32 = 8;

/// Two lists, and how items are known that are not equal.
pub(super) struct Lists<'a, T, M> {
    pub(super) left: &'a [T],
    pub(super) right: &'a [T],
    /// What an item of the left and of the right list may be recognised by.
    pub(super) marks: [&'a dyn Fn(usize) -> Vec<M>; 2],
    /// How alike two items are that are not equal, 0 for not at all.
    pub(super) likeness: &'a dyn Fn(usize, usize) -> u32,
}

/// A part of both lists.
type Section = (Range<usize>, Range<usize>);

impl<T: Eq + Hash, M: Eq + Hash> Lists<'_, T, M> {
    /// Pairs of places, both rising.
    pub(super) fn align(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        self.align_section((0..self.left.len(), 0..self.right.len()), 0, &mut pairs);
        pairs
    }

    fn alike(&self, at: usize, other: usize) -> u32 {
        if self.left[at] == self.right[other] { EQUAL } else { (self.likeness)(at, other) }
    }

    fn align_section(&self, (left, right): Section, cuts: usize, pairs: &mut Vec<(usize, usize)>) {
        let is_same = |(at, other): &(usize, usize)| self.left[*at] == self.right[*other];
        let start = left.clone().zip(right.clone()).take_while(is_same).count();
        let (inner_left, inner_right) = (left.start + start..left.end, right.start + start..right.end);
        let end = inner_left.clone().rev().zip(inner_right.clone().rev()).take_while(is_same).count();
        let inner = (inner_left.start..left.end - end, inner_right.start..right.end - end);
        pairs.extend(left.clone().zip(right.clone()).take(start));
        if inner.0.len() * inner.1.len() <= CELLS_MAX {
            self.best(inner, pairs);
        } else if cuts < CUTS_MAX {
            self.between_fixed_points(inner, cuts, pairs);
        }
        pairs.extend((left.end - end..left.end).zip(right.end - end..right.end));
    }

    /// The pairs that are most alike together.
    fn best(&self, (left, right): Section, pairs: &mut Vec<(usize, usize)>) {
        let (height, width) = (left.len(), right.len() + 1);
        // What the rest from here on is worth.
        let mut worth = vec![0_u32; (height + 1) * width];
        let alike = |at: usize, other: usize| self.alike(left.start + at, right.start + other);
        for at in (0..height).rev() {
            for other in (0..right.len()).rev() {
                let skip = worth[(at + 1) * width + other].max(worth[at * width + other + 1]);
                let alike = alike(at, other);
                let pair = if alike > 0 { alike + worth[(at + 1) * width + other + 1] } else { 0 };
                worth[at * width + other] = skip.max(pair);
            }
        }
        let (mut at, mut other) = (0, 0);
        while at < height && other < right.len() {
            let rest = worth[at * width + other];
            let alike = alike(at, other);
            if alike > 0 && rest == alike + worth[(at + 1) * width + other + 1] {
                pairs.push((left.start + at, right.start + other));
                (at, other) = (at + 1, other + 1);
            } else if rest == worth[(at + 1) * width + other] {
                at += 1;
            } else {
                other += 1;
            }
        }
    }

    /// Pairs what is there once on each side, in the order that is most alike, and looks at what lies between. Without any,
    /// nothing is paired.
    fn between_fixed_points(&self, (left, right): Section, cuts: usize, pairs: &mut Vec<(usize, usize)>) {
        let fixed = rising(&self.fixed_points((left.clone(), right.clone())), &right);
        let (mut at, mut other) = (left.start, right.start);
        for &(next, next_other) in &fixed {
            self.align_section((at..next, other..next_other), cuts + 1, pairs);
            pairs.push((next, next_other));
            (at, other) = (next + 1, next_other + 1);
        }
        if !fixed.is_empty() {
            self.align_section((at..left.end, other..right.end), cuts + 1, pairs);
        }
    }

    /// What may be a fixed point and how alike it is, by the place on the left; of the same place on the left, the last on the
    /// right comes first.
    fn fixed_points(&self, (left, right): Section) -> Vec<(usize, usize, u32)> {
        let left_items = left.clone().map(|at| (&self.left[at], at)).collect();
        let right_items = right.clone().map(|at| (&self.right[at], at)).collect();
        let mut places = once_on_both(left_items, right_items);
        let [left_marks, right_marks] = self.marks;
        let marks = |marks: &dyn Fn(usize) -> Vec<M>, places: Range<usize>| {
            places.flat_map(|at| marks(at).into_iter().map(move |mark| (mark, at))).collect()
        };
        places.extend(once_on_both(marks(left_marks, left), marks(right_marks, right)));
        places.sort_unstable_by_key(|&(at, other)| (at, std::cmp::Reverse(other)));
        places.dedup();
        let alike = places.into_iter().map(|(at, other)| (at, other, self.alike(at, other)));
        alike.filter(|&(_, _, alike)| alike > 0).collect()
    }
}

/// The places of whatever is at one place on each side.
fn once_on_both<K: Eq + Hash>(left: Vec<(K, usize)>, right: Vec<(K, usize)>) -> Vec<(usize, usize)> {
    // Two places on a side are as ambiguous as more of them.
    let mut seen: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
    for (side, keys) in [left, right].into_iter().enumerate() {
        for (key, at) in keys {
            let places = &mut seen.entry(key).or_default()[side];
            if places.len() < 2 && places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
    let once = |[left, right]: [Vec<usize>; 2]| match (left.as_slice(), right.as_slice()) {
        (&[at], &[other]) => Some((at, other)),
        _ => None,
    };
    seen.into_values().filter_map(once).collect()
}

/// For every place on the right, what the heaviest part weighs that ends before it and with which point it ends: a Fenwick
/// tree of maxima.
struct Heaviest(Vec<(u32, Option<usize>)>);

impl Heaviest {
    fn before(&self, place: usize) -> (u32, Option<usize>) {
        let (mut node, mut heaviest) = (place, (0, None));
        while node > 0 {
            if self.0[node].0 > heaviest.0 {
                heaviest = self.0[node];
            }
            node &= node - 1;
        }
        heaviest
    }

    fn add(&mut self, place: usize, weight: u32, point: usize) {
        let mut node = place + 1;
        while let Some(heaviest) = self.0.get_mut(node) {
            if heaviest.0 < weight {
                *heaviest = (weight, Some(point));
            }
            node += node & node.wrapping_neg();
        }
    }
}

/// The part of a list of places and their weights that weighs most and whose places rise on both sides. Of the same place on
/// the left, the last on the right comes first, so that no two of them are taken.
fn rising(points: &[(usize, usize, u32)], right: &Range<usize>) -> Vec<(usize, usize)> {
    let mut heaviest = Heaviest(vec![(0, None); right.len() + 1]);
    let mut before: Vec<Option<usize>> = Vec::with_capacity(points.len());
    for (number, &(_, other, alike)) in points.iter().enumerate() {
        let (weight, last) = heaviest.before(other - right.start);
        before.push(last);
        heaviest.add(other - right.start, weight + alike, number);
    }
    let (_, last) = heaviest.before(right.len());
    let mut chain: Vec<_> = std::iter::successors(last, |&number| before[number]).collect();
    chain.reverse();
    chain.into_iter().map(|number| (points[number].0, points[number].1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of numbers that have no other marks.
    fn align<T: Eq + Hash>(left: &[T], right: &[T], likeness: &dyn Fn(usize, usize) -> u32) -> Vec<(usize, usize)> {
        let unmarked = |_: usize| Vec::<()>::new();
        Lists { left, right, marks: [&unmarked, &unmarked], likeness }.align()
    }

    fn pairs(left: &str, right: &str) -> Vec<(usize, usize)> {
        let (left, right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
        align(&left, &right, &|_, _| 0)
    }

    #[test]
    fn as_many_as_possible_are_paired_in_order() {
        assert_eq!(pairs("abc", "abc"), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(pairs("abcd", "acd"), [(0, 0), (2, 1), (3, 2)]);
        assert_eq!(pairs("ac", "abc"), [(0, 0), (1, 2)]);
        assert_eq!(pairs("abc", "cab").len(), 2);
        assert_eq!(pairs("xyz", "abc"), []);
        assert_eq!(pairs("", "abc"), []);
    }

    #[test]
    fn what_is_alike_is_paired_where_nothing_is_equal() {
        let near = |left: usize, right: usize| u32::from(left == right + 1);
        assert_eq!(align(&[1, 2, 3], &[5, 3], &near), [(1, 0), (2, 1)]);
    }

    #[test]
    fn long_lists_are_cut_at_what_is_there_once() {
        let left: Vec<usize> = (0..3_000).collect();
        // One gone at the beginning, one new in the middle, a stretch gone near the end: the ends differ too.
        let mut right: Vec<usize> = (1..1_500).chain([90_000]).chain(1_500..2_900).collect();
        right.insert(0, 80_000);
        right.push(70_000);
        let found = align(&left, &right, &|_, _| 0);
        assert_eq!(found.len(), 2_899);
        assert!(found.iter().all(|&(at, other)| left[at] == right[other]));
        let rises = |pair: &[(usize, usize)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
        assert!(found.windows(2).all(rises));
        // Nothing in common: found out without comparing everything with everything.
        let other: Vec<usize> = (10_000..13_000).collect();
        assert_eq!(align(&left, &other, &|_, _| 0), []);
    }

    /// Items of a number and a mark, which identifies as much as likeness does.
    fn marked(left: &[(usize, usize)], right: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let marks =
            [&|at: usize| vec![left[at].1], &|at: usize| vec![right[at].1]] as [&dyn Fn(usize) -> Vec<usize>; 2];
        let likeness = |at: usize, other: usize| u32::from(left[at].1 == right[other].1);
        Lists { left, right, marks, likeness: &likeness }.align()
    }

    #[test]
    fn long_lists_without_equal_items_are_cut_at_their_marks() {
        let left: Vec<_> = (0..2_000).map(|number| (number, number)).collect();
        let mut right: Vec<_> = (0..2_000).map(|number| (number + 10_000, number)).collect();
        right.remove(10);
        let found = marked(&left, &right);
        assert_eq!(found.len(), 1_999);
        assert!(found.iter().all(|&(at, other)| left[at].1 == right[other].1));
        // One that is equal and was moved outweighs none of the others.
        right.insert(0, left[1_999]);
        right.pop();
        let found = marked(&left, &right);
        assert_eq!(found.len(), 1_998);
        assert!(found.iter().all(|&(at, other)| left[at].1 == right[other].1));
    }

    #[test]
    fn lists_that_could_be_cut_thousands_of_times_are_not() {
        // Each cut leaves one more item that is there once: 1 0 2 1 3 2 4 3 …
        let left: Vec<usize> = (0..10_000).flat_map(|number| [number + 1, number]).collect();
        let right: Vec<usize> = left.iter().enumerate().flat_map(|(at, &number)| [50_000 + at, number]).collect();
        let found = align(&left, &right, &|_, _| 0);
        assert!(found.iter().all(|&(at, other)| left[at] == right[other]));
        assert!(found.len() < 1_000, "{}", found.len());
    }
}
