//! A cache that holds a number of bytes and drops what was used longest ago.

use ::lru::LruCache;
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Values by their keys, each with its size.
#[derive(Debug)]
pub struct BytesLru<K: Hash + Eq, V> {
    bytes_max: usize,
    kept: Mutex<Kept<K, V>>,
}

#[derive(Debug)]
struct Kept<K: Hash + Eq, V> {
    entries: LruCache<K, (V, usize)>,
    bytes: usize,
}

impl<K: Hash + Eq, V: Clone> BytesLru<K, V> {
    /// A cache of at most this many bytes.
    pub fn new(bytes_max: usize) -> Self {
        BytesLru { bytes_max, kept: Mutex::new(Kept { entries: LruCache::unbounded(), bytes: 0 }) }
    }

    /// The value of a key, which is the last to be dropped now.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entries.get(key).map(|(value, _)| value.clone())
    }

    /// Keeps a value of this size.
    pub fn put(&self, key: K, value: V, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += bytes;
        if let Some((_, replaced)) = kept.entries.put(key, (value, bytes)) {
            kept.bytes -= replaced;
        }
        while kept.bytes > self.bytes_max
            && let Some((_, (_, dropped))) = kept.entries.pop_lru()
        {
            kept.bytes -= dropped;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_long_goes_first() {
        let cache = BytesLru::new(40);
        (0..4).for_each(|number| cache.put(number, number, 10));
        assert_eq!(cache.get(&0), Some(0));
        cache.put(4, 4, 9);
        cache.put(4, 5, 10);
        assert_eq!(cache.get(&1), None);
        assert_eq!([0, 2, 3, 4].map(|number| cache.get(&number)), [Some(0), Some(2), Some(3), Some(5)]);
        cache.put(5, 5, 41);
        assert_eq!([0, 5].map(|number| cache.get(&number)), [None, None]);
        assert_eq!(cache.kept.lock().unwrap().bytes, 0);
    }
}
