//! Private readers, for fuzzing. Not part of the API.

use crate::input::query::Query;
use std::str::FromStr;
use tavernkeep_engine::id::Id;

/// What was read of a query string.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadQuery {
    /// Decoded names and values.
    pub pairs: Vec<(String, String)>,
    /// How many rows a list would have.
    pub limit: i64,
    /// How many it would leave out.
    pub offset: i64,
    /// Whether no reader found a problem.
    pub is_accepted: bool,
}

/// Reads a query string with every reader there is.
pub fn query(raw: &str) -> Option<ReadQuery> {
    let pairs = Query::parse(raw).ok()?.pairs().to_vec();
    let mut query = Query::parse(raw).ok()?;
    let window = query.window(false);
    query.keys(true);
    query.need_id("session_id");
    query.id("floor_id");
    query.text("branch_id", 1, 64);
    query.integer("updated_since", i64::MIN, i64::MAX);
    query.choice::<Word>("scope", &["any"]);
    let is_accepted = query.finish().is_ok();
    Some(ReadQuery { pairs, limit: window.limit, offset: window.offset, is_accepted })
}

/// Stands for any of the words that a parameter may be.
struct Word;

impl FromStr for Word {
    type Err = tavernkeep_engine::id::InvalidId;

    fn from_str(text: &str) -> Result<Word, Self::Err> {
        text.parse::<Id>().map(|_| Word)
    }
}
