//! Which versions of a story are unreachable.
//!
//! Needed are the versions that a client may ask for (*roots*) and what their pages build on, each with all its ancestors:
//! the whole document it is read from lies there, and so does the answer to who said what. What is left was replaced by
//! something that does not build on it.

/// A version, as far as it matters here. Numbers rise: what a version starts from and stands on have smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub version: i64,
    /// The version that its change starts from.
    pub parent: Option<i64>,
    /// The version of the page before it.
    pub base: Option<i64>,
    /// Whether a client may ask for it.
    pub is_root: bool,
}

/// Finds what can go, the newest first: in this order each goes before the one it starts from. The versions come in the order
/// of their numbers.
pub fn find(nodes: &[Node]) -> Vec<i64> {
    let at = |version: Option<i64>| nodes.binary_search_by_key(&version?, |node| node.version).ok();
    let mut is_needed: Vec<bool> = nodes.iter().map(|node| node.is_root).collect();
    for (index, node) in nodes.iter().enumerate().rev() {
        let parent = at(node.parent).filter(|_| is_needed[index]);
        let base = at(node.base).filter(|_| node.is_root);
        for needed in parent.into_iter().chain(base) {
            is_needed[needed] = true;
        }
    }
    let dead = nodes.iter().zip(is_needed).rev().filter(|(_, is_needed)| !is_needed);
    dead.map(|(node, _)| node.version).collect()
}
