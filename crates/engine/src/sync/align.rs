//! Which items of one list are which items of another, in order: as many and as alike as possible.
//!
//! What is equal at both ends is paired at once. What lies between is compared item by item where that is cheap; in longer
//! stretches items that are there once on each side are the fixed points, and what lies between those is looked at alone.

use std::collections::HashMap;
use std::hash::Hash;

/// Comparisons of one stretch: enough for 500 items against 500.
const CELLS_MAX: usize = 250_000;

/// How alike equal items are; others are less.
const EQUAL: u32 = 8;

/// Pairs of places, both rising. `likeness` tells how alike two items are that are not equal, 0 for not at all.
pub(super) fn align<T: Eq + Hash>(
    left: &[T],
    right: &[T],
    likeness: &dyn Fn(usize, usize) -> u32,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    stretch(left, right, (0, 0), likeness, &mut pairs);
    pairs
}

fn stretch<T: Eq + Hash>(
    left: &[T],
    right: &[T],
    (from_left, from_right): (usize, usize),
    likeness: &dyn Fn(usize, usize) -> u32,
    pairs: &mut Vec<(usize, usize)>,
) {
    let start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let ends = left[start..].iter().rev().zip(right[start..].iter().rev());
    let end = ends.take_while(|(left, right)| left == right).count();
    pairs.extend((0..start).map(|at| (from_left + at, from_right + at)));
    let (inner_left, inner_right) = (&left[start..left.len() - end], &right[start..right.len() - end]);
    let from = (from_left + start, from_right + start);
    if inner_left.len() * inner_right.len() <= CELLS_MAX {
        best(inner_left, inner_right, from, likeness, pairs);
    } else {
        between_fixed_points(inner_left, inner_right, from, likeness, pairs);
    }
    let from = (from_left + left.len() - end, from_right + right.len() - end);
    pairs.extend((0..end).map(|at| (from.0 + at, from.1 + at)));
}

/// The pairs that are most alike together.
fn best<T: Eq>(
    left: &[T],
    right: &[T],
    from: (usize, usize),
    likeness: &dyn Fn(usize, usize) -> u32,
    pairs: &mut Vec<(usize, usize)>,
) {
    let width = right.len() + 1;
    // What the rest from here on is worth.
    let mut worth = vec![0_u32; (left.len() + 1) * width];
    let alike = |at: usize, other: usize| match left[at] == right[other] {
        true => EQUAL,
        false => likeness(from.0 + at, from.1 + other),
    };
    for at in (0..left.len()).rev() {
        for other in (0..right.len()).rev() {
            let skip = worth[(at + 1) * width + other].max(worth[at * width + other + 1]);
            let alike = alike(at, other);
            let pair = if alike > 0 { alike + worth[(at + 1) * width + other + 1] } else { 0 };
            worth[at * width + other] = skip.max(pair);
        }
    }
    let (mut at, mut other) = (0, 0);
    while at < left.len() && other < right.len() {
        let rest = worth[at * width + other];
        let alike = alike(at, other);
        if alike > 0 && rest == alike + worth[(at + 1) * width + other + 1] {
            pairs.push((from.0 + at, from.1 + other));
            (at, other) = (at + 1, other + 1);
        } else if rest == worth[(at + 1) * width + other] {
            at += 1;
        } else {
            other += 1;
        }
    }
}

/// Pairs items that are there once on each side, in the longest order they have in common, and looks at what lies between.
/// Without any, nothing is paired.
fn between_fixed_points<T: Eq + Hash>(
    left: &[T],
    right: &[T],
    from: (usize, usize),
    likeness: &dyn Fn(usize, usize) -> u32,
    pairs: &mut Vec<(usize, usize)>,
) {
    let fixed = rising(&once_on_both(left, right));
    let (mut at, mut other) = (0, 0);
    for &(next, next_other) in &fixed {
        // A stretch that is no shorter has no fixed points of its own, so this ends.
        let (part, other_part) = (&left[at..next], &right[other..next_other]);
        stretch(part, other_part, (from.0 + at, from.1 + other), likeness, pairs);
        pairs.push((from.0 + next, from.1 + next_other));
        (at, other) = (next + 1, next_other + 1);
    }
    if !fixed.is_empty() {
        stretch(&left[at..], &right[other..], (from.0 + at, from.1 + other), likeness, pairs);
    }
}

/// The places of items that are there once on each side, by the place on the left.
fn once_on_both<T: Eq + Hash>(left: &[T], right: &[T]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&T, (usize, usize, usize)> = HashMap::new();
    for item in left {
        seen.entry(item).or_default().0 += 1;
    }
    for (at, item) in right.iter().enumerate() {
        if let Some(seen) = seen.get_mut(item) {
            (seen.1, seen.2) = (seen.1 + 1, at);
        }
    }
    let places = left.iter().enumerate().filter_map(|(at, item)| match seen.get(item) {
        Some(&(1, 1, other)) => Some((at, other)),
        _ => None,
    });
    places.collect()
}

/// The longest part of a list of pairs whose right places rise too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair with the smallest end, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, &(_, right)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < right);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut chain: Vec<_> = std::iter::successors(ends.last().copied(), |&number| before[number]).collect();
    chain.reverse();
    chain.into_iter().map(|number| pairs[number]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
