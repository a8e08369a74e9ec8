//! Which versions of a story nobody needs any more.
//!
//! Needed are the versions that somebody may ask for (*roots*), those that their pages stand on, and what an edit by hand
//! started from. Each of them is read from the nearest whole document before it, so that and everything in between is needed
//! too; unless a whole document of its own costs less than what it frees.

/// A version, as far as it matters here. Numbers rise: what a version starts from and stands on have smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub version: i64,
    /// The version that its change starts from.
    pub parent: Option<i64>,
    /// The version of the page before it.
    pub base: Option<i64>,
    /// Whether somebody made it by hand.
    pub is_edit: bool,
    /// Whether somebody may ask for it.
    pub is_root: bool,
    /// Bytes of its change.
    pub bytes: i64,
    /// Bytes of its whole document, if that is stored.
    pub keyframe_bytes: Option<i64>,
}

/// What can go, and what must be done before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Garbage {
    /// Versions that must be stored whole first, since what they are read from goes.
    pub keyframes: Vec<i64>,
    /// Versions that nobody needs, the newest first: in this order each goes before the one it starts from.
    pub dead: Vec<i64>,
}

/// Finds what can go. The versions come in the order of their numbers.
pub fn find(nodes: &[Node]) -> Garbage {
    let at = |version: Option<i64>| nodes.binary_search_by_key(&version?, |node| node.version).ok();
    let mut is_wanted: Vec<bool> = nodes.iter().map(|node| node.is_root).collect();
    for (index, node) in nodes.iter().enumerate().rev().filter(|(_, node)| node.is_root || node.is_edit) {
        let parent = at(node.parent).filter(|_| node.is_edit && is_wanted[index]);
        for needed in parent.into_iter().chain(at(node.base).filter(|_| node.is_root)) {
            is_wanted[needed] = true;
        }
    }
    let mut is_kept = is_wanted.clone();
    let mut keyframes = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev().filter(|&(index, _)| is_wanted[index]) {
        let way = way(nodes, &is_kept, index, &at);
        if way.freed > 0 && way.keyframe_bytes.is_some_and(|bytes| way.freed >= bytes) {
            keyframes.push(node.version);
        } else {
            way.unkept.into_iter().for_each(|index| is_kept[index] = true);
        }
    }
    let dead = nodes.iter().zip(&is_kept).rev().filter(|(_, is_kept)| !**is_kept);
    Garbage { keyframes, dead: dead.map(|(node, _)| node.version).collect() }
}

/// What a version is read from, up to the nearest whole document.
#[derive(Default)]
struct Way {
    /// Those that are kept for nothing else.
    unkept: Vec<usize>,
    /// Their bytes.
    freed: i64,
    /// Bytes of the whole document at its end: about as many as one of the version itself has.
    keyframe_bytes: Option<i64>,
}

fn way(nodes: &[Node], is_kept: &[bool], from: usize, at: &impl Fn(Option<i64>) -> Option<usize>) -> Way {
    let mut way = Way { keyframe_bytes: nodes[from].keyframe_bytes, ..Way::default() };
    let mut index = from;
    let mut is_over = false;
    while way.keyframe_bytes.is_none() {
        // Only damage leaves a version with nothing to start from; then everything that is there stays.
        let Some(parent) = at(nodes[index].parent) else { break };
        // One that is kept anyway looks after what it is read from itself.
        is_over = is_over || is_kept[parent];
        if !is_over {
            way.unkept.push(parent);
            way.freed += nodes[parent].bytes + nodes[parent].keyframe_bytes.unwrap_or(0);
        }
        way.keyframe_bytes = nodes[parent].keyframe_bytes;
        index = parent;
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(version: i64, parent: i64) -> Node {
        let parent = (parent > 0).then_some(parent);
        Node { version, parent, base: parent, is_edit: false, is_root: false, bytes: 10, keyframe_bytes: None }
    }

    fn whole(version: i64, parent: i64) -> Node {
        Node { keyframe_bytes: Some(100), ..turn(version, parent) }
    }

    fn root(node: Node) -> Node {
        Node { is_root: true, ..node }
    }

    #[test]
    fn what_was_computed_anew_leaves_nothing_behind() {
        let nodes = [root(whole(1, 0)), turn(2, 1), turn(3, 2), root(turn(4, 1)), root(turn(5, 4))];
        assert_eq!(find(&nodes), Garbage { keyframes: vec![], dead: vec![3, 2] });
        assert_eq!(find(&[]), Garbage::default());
    }

    #[test]
    fn what_a_page_stands_on_is_kept_and_not_what_that_stood_on() {
        let nodes = [whole(1, 0), turn(2, 1), turn(3, 2), root(turn(4, 3))];
        assert_eq!(find(&nodes), Garbage { keyframes: vec![3], dead: vec![2, 1] });
    }

    #[test]
    fn a_whole_document_is_not_stored_to_free_less() {
        let nodes = [root(whole(1, 0)), turn(2, 1), turn(3, 2), root(turn(4, 3))];
        assert_eq!(find(&nodes), Garbage::default());
        let mut long = nodes;
        long[1].bytes = 100;
        assert_eq!(find(&long), Garbage { keyframes: vec![3], dead: vec![2] });
    }

    #[test]
    fn edits_keep_what_they_started_from() {
        let edit = |version, parent, base| Node { is_edit: true, base: Some(base), ..turn(version, parent) };
        let nodes = [root(whole(1, 0)), whole(2, 1), edit(3, 2, 1), root(edit(4, 3, 1)), edit(5, 2, 1)];
        assert_eq!(find(&nodes), Garbage { keyframes: vec![], dead: vec![5] });
    }

    #[test]
    fn damage_loses_nothing_more() {
        let nodes = [turn(2, 1), turn(3, 2), root(turn(4, 3))];
        assert_eq!(find(&nodes), Garbage::default());
    }
}
