//! Caches responses of resolve and of lists of variables while nothing they show has changed.
//!
//! An entry is valid only for the stamp it was read under. The stamp is read before the data, so a response may be newer
//! than its stamp and never older: a stale response is never found, since its stamp is gone. The key is the
//! raw request, so that a cached request need not be parsed.

use bytes::Bytes;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::SessionStamp;
use tavernkeep_runtime::{BytesLru, Runtime, RuntimeResult};

/// Rendered responses by request.
#[derive(Debug)]
pub(crate) struct ResponseCache {
    response_bytes_max: usize,
    responses: BytesLru<String, CachedResponse>,
}

/// A rendered response, and when it is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedResponse {
    /// The session that must be unchanged; none if the whole account must be.
    pub(crate) session: Option<Id>,
    pub(crate) stamp: SessionStamp,
    pub(crate) body: Bytes,
}

/// The size of an entry besides its key and body.
const ENTRY_BYTES: usize = 128;

/// The key of a request: its raw text, so two spellings have two keys.
pub(crate) fn cache_key(route: &str, account: &Id, query: Option<&str>) -> String {
    // No account has a space in it, so different requests have different keys.
    [route, " ", account.as_str(), " ", query.unwrap_or_default()].concat()
}

/// The clocks that a response depends on; none if they are unknown.
pub(crate) async fn stamp(
    runtime: &Runtime,
    account: &Id,
    session: Option<&Id>,
) -> RuntimeResult<Option<SessionStamp>> {
    match session {
        Some(session) => runtime.stamp(account, session).await.map(Some),
        None => runtime.account_stamp(account).await,
    }
}

impl ResponseCache {
    /// A cache that holds at most this many bytes; 0 holds nothing.
    pub(crate) fn new(bytes_max: usize) -> Self {
        // One response that fills most of the cache would evict all others.
        ResponseCache { response_bytes_max: bytes_max / 4, responses: BytesLru::new(bytes_max) }
    }

    /// The cached response, if it is still valid.
    pub(crate) async fn valid(&self, runtime: &Runtime, account: &Id, key: &str) -> Option<CachedResponse> {
        let kept = self.responses.get(key)?;
        // An error here is reported by the handler, which reads the session again.
        let now = stamp(runtime, account, kept.session.as_ref()).await.ok()??;
        (now == kept.stamp).then_some(kept)
    }

    /// Caches a response.
    pub(crate) fn put(&self, key: String, kept: CachedResponse) {
        let bytes = key.len() + kept.body.len() + ENTRY_BYTES;
        if bytes <= self.response_bytes_max {
            self.responses.put(key, kept, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_unless_it_is_most_of_the_cache() {
        let stamp = SessionStamp { session_row: 1, session_seq: 1, account_seq: 1 };
        let kept = |bytes: usize| CachedResponse { session: None, stamp, body: Bytes::from(vec![0; bytes]) };
        let cache = ResponseCache::new(2000);
        cache.put("q".into(), kept(3));
        cache.put("long".into(), kept(500));
        assert_eq!(cache.responses.get("q"), Some(kept(3)));
        assert_eq!(cache.responses.get("long"), None);
        let none = ResponseCache::new(0);
        none.put("q".into(), kept(0));
        assert_eq!(none.responses.get("q"), None);
    }

    #[test]
    fn questions_differ_in_each_of_their_parts() {
        let (one, other): (Id, Id) = ("one".parse().unwrap(), "other".parse().unwrap());
        let asked = cache_key("list", &one, Some("a=1"));
        assert_ne!(asked, cache_key("resolve", &one, Some("a=1")));
        assert_ne!(asked, cache_key("list", &other, Some("a=1")));
        assert_ne!(asked, cache_key("list", &one, Some("a=2")));
        assert_eq!(cache_key("list", &one, None), cache_key("list", &one, Some("")));
    }
}
