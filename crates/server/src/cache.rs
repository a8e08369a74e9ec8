//! Keeps rendered answers of resolve and of lists of variables while nothing they show has changed.
//!
//! An entry is valid only for the stamp it was read under. The stamp is read before the data, so an answer may be newer
//! than its stamp and never older: a stale answer cannot be found again, since its stamp is gone. A question is kept in
//! the words of the request, so that one that was asked before is not even read again.
//!
//! Entries live in two generations. A hit moves an entry to the young one; when the young one holds half of the budget,
//! the old one is dropped and the young one becomes old. That is as good as a linked list here, and has no list.

use bytes::Bytes;
use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::SessionStamp;
use tavernkeep_runtime::{Runtime, StoreResult};

/// Rendered answers by their question.
#[derive(Debug)]
pub(crate) struct AnswerCache {
    half_bytes: usize,
    generations: Mutex<Generations>,
}

/// A rendered answer and what it holds under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The session whose clock has to stand still; none where nothing may happen in the whole account.
    pub(crate) session: Option<Id>,
    pub(crate) stamp: SessionStamp,
    pub(crate) body: Bytes,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Kept>,
    old: HashMap<String, Kept>,
    young_bytes: usize,
}

/// What an entry costs besides its key and body.
const ENTRY_BYTES: usize = 128;

/// A question in the words in which it was asked: two that are spelled differently are two.
pub(crate) fn question(route: &str, account: &Id, query: Option<&str>) -> String {
    // No account has a blank in it, so none of the parts can reach into the next.
    [route, " ", account.as_str(), " ", query.unwrap_or_default()].concat()
}

/// The clocks that an answer holds under; none where they cannot be told.
pub(crate) async fn stamp(runtime: &Runtime, account: &Id, session: Option<&Id>) -> StoreResult<Option<SessionStamp>> {
    match session {
        Some(session) => runtime.stamp(account, session).await.map(Some),
        None => runtime.account_stamp(account).await,
    }
}

impl AnswerCache {
    /// A cache that holds at most this many bytes; 0 holds nothing.
    pub(crate) fn new(bytes_max: usize) -> Self {
        AnswerCache { half_bytes: bytes_max / 2, generations: Mutex::default() }
    }

    /// The answer to this question, if it is known and still holds.
    pub(crate) async fn valid(&self, runtime: &Runtime, account: &Id, question: &str) -> Option<Kept> {
        let kept = self.get(question)?;
        // Whatever is wrong with the session is told by whoever answers anew.
        let now = stamp(runtime, account, kept.session.as_ref()).await.ok()??;
        (now == kept.stamp).then_some(kept)
    }

    fn get(&self, question: &str) -> Option<Kept> {
        let mut guard = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let generations = &mut *guard;
        if let Some(kept) = generations.young.get(question) {
            return Some(kept.clone());
        }
        let (question, kept) = generations.old.remove_entry(question)?;
        generations.insert(question, kept.clone(), self.half_bytes);
        Some(kept)
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, question: String, kept: Kept) {
        // One answer that fills most of a generation would push out all others.
        if cost(&question, &kept.body) > self.half_bytes / 2 {
            return;
        }
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.old.remove(&question);
        generations.insert(question, kept, self.half_bytes);
    }
}

impl Generations {
    fn insert(&mut self, question: String, kept: Kept, half_bytes: usize) {
        let question_len = question.len();
        self.young_bytes += cost(&question, &kept.body);
        if let Some(replaced) = self.young.insert(question, kept) {
            self.young_bytes -= question_len + replaced.body.len() + ENTRY_BYTES;
        }
        if self.young_bytes > half_bytes {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

fn cost(question: &str, body: &Bytes) -> usize {
    question.len() + body.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(seq: i64, bytes: usize) -> Kept {
        let stamp = SessionStamp { session_row: 1, session_seq: seq, account_seq: 1 };
        Kept { session: None, stamp, body: Bytes::from(vec![0; bytes]) }
    }

    #[test]
    fn an_answer_is_found_until_there_is_another() {
        let cache = AnswerCache::new(100_000);
        cache.put("q".into(), kept(1, 3));
        assert_eq!(cache.get("q"), Some(kept(1, 3)));
        assert_eq!(cache.get("other"), None);
        cache.put("q".into(), kept(2, 4));
        assert_eq!(cache.get("q"), Some(kept(2, 4)));
    }

    #[test]
    fn it_keeps_what_is_used_and_stays_within_its_bytes() {
        let cache = AnswerCache::new(20_000);
        cache.put("hot".into(), kept(1, 500));
        for number in 0..1000 {
            cache.put(format!("cold-{number}"), kept(1, 500));
            assert!(cache.get("hot").is_some(), "after {number}");
            let generations = cache.generations.lock().unwrap();
            let bytes =
                |map: &HashMap<String, Kept>| map.iter().map(|(key, kept)| cost(key, &kept.body)).sum::<usize>();
            assert_eq!(generations.young_bytes, bytes(&generations.young));
            assert!(bytes(&generations.young) + bytes(&generations.old) <= 21_000);
        }
        assert!(cache.get("cold-0").is_none());
    }

    #[test]
    fn nothing_fits_into_no_bytes() {
        let cache = AnswerCache::new(0);
        cache.put("q".into(), kept(1, 0));
        assert_eq!(cache.get("q"), None);
    }

    #[test]
    fn questions_differ_in_each_of_their_parts() {
        let (one, other): (Id, Id) = ("one".parse().unwrap(), "other".parse().unwrap());
        let asked = question("list", &one, Some("a=1"));
        assert_ne!(asked, question("resolve", &one, Some("a=1")));
        assert_ne!(asked, question("list", &other, Some("a=1")));
        assert_ne!(asked, question("list", &one, Some("a=2")));
        assert_eq!(question("list", &one, None), question("list", &one, Some("")));
    }
}
