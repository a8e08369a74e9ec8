//! Keeps rendered answers of resolve and of lists within a session while nothing they show has changed.
//!
//! An entry is valid only for the stamp it was read under. The stamp is read before the data, so an answer may be newer
//! than its stamp and never older: a stale answer cannot be found again, since its stamp is gone.
//!
//! Entries live in two generations. A hit moves an entry to the young one; when the young one holds half of the budget,
//! the old one is dropped and the young one becomes old. That is as good as a linked list here, and has no list.

use bytes::Bytes;
use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};
use tavernkeep_runtime::record::SessionStamp;

/// Rendered answers by their question.
#[derive(Debug)]
pub(crate) struct AnswerCache {
    half_bytes: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Entry>,
    old: HashMap<String, Entry>,
    young_bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    stamp: SessionStamp,
    body: Bytes,
}

/// What an entry costs besides its key and body.
const ENTRY_BYTES: usize = 128;

impl AnswerCache {
    /// A cache that holds at most this many bytes; 0 holds nothing.
    pub(crate) fn new(bytes_max: usize) -> Self {
        AnswerCache { half_bytes: bytes_max / 2, generations: Mutex::default() }
    }

    /// The answer to this question, if it is known for this stamp.
    pub(crate) fn get(&self, question: &str, stamp: SessionStamp) -> Option<Bytes> {
        let mut guard = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let generations = &mut *guard;
        if let Some(entry) = generations.young.get(question) {
            return (entry.stamp == stamp).then(|| entry.body.clone());
        }
        let (question, entry) = generations.old.remove_entry(question)?;
        let body = (entry.stamp == stamp).then(|| entry.body.clone())?;
        generations.insert(question, entry, self.half_bytes);
        Some(body)
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, question: String, stamp: SessionStamp, body: Bytes) {
        // One answer that fills most of a generation would push out all others.
        if cost(&question, &body) > self.half_bytes / 2 {
            return;
        }
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.old.remove(&question);
        generations.insert(question, Entry { stamp, body }, self.half_bytes);
    }
}

impl Generations {
    fn insert(&mut self, question: String, entry: Entry, half_bytes: usize) {
        let question_len = question.len();
        self.young_bytes += cost(&question, &entry.body);
        if let Some(replaced) = self.young.insert(question, entry) {
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

    fn stamp(seq: i64) -> SessionStamp {
        SessionStamp { session_row: 1, session_seq: seq, account_seq: 1 }
    }

    #[test]
    fn an_answer_is_found_until_the_stamp_moves() {
        let cache = AnswerCache::new(100_000);
        cache.put("q".into(), stamp(1), Bytes::from_static(b"one"));
        assert_eq!(cache.get("q", stamp(1)).as_deref(), Some(&b"one"[..]));
        assert_eq!(cache.get("q", stamp(2)), None);
        assert_eq!(cache.get("other", stamp(1)), None);
        cache.put("q".into(), stamp(2), Bytes::from_static(b"two"));
        assert_eq!(cache.get("q", stamp(2)).as_deref(), Some(&b"two"[..]));
    }

    #[test]
    fn it_keeps_what_is_used_and_stays_within_its_bytes() {
        let cache = AnswerCache::new(20_000);
        cache.put("hot".into(), stamp(1), Bytes::from(vec![0; 500]));
        for number in 0..1000 {
            cache.put(format!("cold-{number}"), stamp(1), Bytes::from(vec![0; 500]));
            assert!(cache.get("hot", stamp(1)).is_some(), "after {number}");
            let generations = cache.generations.lock().unwrap();
            let bytes =
                |map: &HashMap<String, Entry>| map.iter().map(|(key, entry)| cost(key, &entry.body)).sum::<usize>();
            assert_eq!(generations.young_bytes, bytes(&generations.young));
            assert!(bytes(&generations.young) + bytes(&generations.old) <= 21_000);
        }
        assert!(cache.get("cold-0", stamp(1)).is_none());
    }

    #[test]
    fn nothing_fits_into_no_bytes() {
        let cache = AnswerCache::new(0);
        cache.put("q".into(), stamp(1), Bytes::new());
        assert_eq!(cache.get("q", stamp(1)), None);
    }
}
