//! Lists: which part of what.

use super::Host;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::scope::Scope;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    pub items: Vec<T>,
    /// How many there are in all, unless the caller did not want to know.
    pub total: Option<i64>,
    /// Whether there are more behind them.
    pub has_more: bool,
}

impl<T> Listed<T> {
    /// Makes a page of rows that were read with one more than the limit.
    pub fn cut(mut rows: Vec<T>, window: Window, total: Option<i64>) -> Listed<T> {
        let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        Listed { items: rows, total, has_more }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Rows at most, 1 to 100.
    pub limit: i64,
    pub offset: i64,
    pub ascending: bool,
    pub total: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSort {
    UpdatedAt,
    Key,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Region {
    Account,
    Scope(Scope),
    /// Exactly these hosts; those that do not exist contribute nothing.
    Hosts(Vec<Host>),
    BranchesOf(Id),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyFilter {
    #[default]
    Any,
    /// Exactly these, at most [`FILTER_KEYS_MAX`](tavernkeep_engine::limits::FILTER_KEYS_MAX).
    Keys(Vec<Key>),
    /// All that start with this text.
    Prefix(String),
}

impl KeyFilter {
    pub fn covers(&self, key: &Key) -> bool {
        match self {
            KeyFilter::Any => true,
            KeyFilter::Keys(keys) => keys.contains(key),
            KeyFilter::Prefix(prefix) => key.as_str().starts_with(prefix.as_str()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableQuery {
    pub region: Region,
    pub keys: KeyFilter,
    /// Written at this time or later.
    pub updated_since: Option<i64>,
    pub sort: VariableSort,
    pub window: Window,
}
