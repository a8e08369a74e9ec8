//! Keeps rendered answers of resolve and of lists of variables while nothing they show has changed.
//!
//! An entry is valid only for the stamp it was read under. The stamp is read before the data, so an answer may be newer
//! than its stamp and never older: a stale answer cannot be found again, since its stamp is gone. A question is kept in
//! the words of the request, so that one that was asked before is not even read again.

use bytes::Bytes;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::SessionStamp;
use tavernkeep_runtime::{BytesLru, Runtime, StoreResult};

/// Rendered answers by their question.
#[derive(Debug)]
pub(crate) struct AnswerCache {
    answer_bytes_max: usize,
    answers: BytesLru<String, Kept>,
}

/// A rendered answer and what it holds under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The session whose clock has to stand still; none where nothing may happen in the whole account.
    pub(crate) session: Option<Id>,
    pub(crate) stamp: SessionStamp,
    pub(crate) body: Bytes,
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
        // One answer that fills most of the cache would push out all others.
        AnswerCache { answer_bytes_max: bytes_max / 4, answers: BytesLru::new(bytes_max) }
    }

    /// The answer to this question, if it is known and still holds.
    pub(crate) async fn valid(&self, runtime: &Runtime, account: &Id, question: &str) -> Option<Kept> {
        let kept = self.answers.get(question)?;
        // Whatever is wrong with the session is told by whoever answers anew.
        let now = stamp(runtime, account, kept.session.as_ref()).await.ok()??;
        (now == kept.stamp).then_some(kept)
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, question: String, kept: Kept) {
        let bytes = question.len() + kept.body.len() + ENTRY_BYTES;
        if bytes <= self.answer_bytes_max {
            self.answers.put(question, kept, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_unless_it_is_most_of_the_cache() {
        let stamp = SessionStamp { session_row: 1, session_seq: 1, account_seq: 1 };
        let kept = |bytes: usize| Kept { session: None, stamp, body: Bytes::from(vec![0; bytes]) };
        let cache = AnswerCache::new(2000);
        cache.put("q".into(), kept(3));
        cache.put("long".into(), kept(500));
        assert_eq!(cache.answers.get("q"), Some(kept(3)));
        assert_eq!(cache.answers.get("long"), None);
        let none = AnswerCache::new(0);
        none.put("q".into(), kept(0));
        assert_eq!(none.answers.get("q"), None);
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
