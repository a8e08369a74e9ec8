//! Listeners without a server: what is kept for them, and what happens to those who do not keep up.

// Here a failure is a failed test.
#![allow(clippy::unwrap_used, clippy::panic)]

use bytes::Bytes;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::EVENTS_KEPT_BYTES_MAX;
use tavernkeep_runtime::events::{Hub, Kinds, Listener, StreamItem, Subscription};
use tavernkeep_runtime::order::Write;
use tavernkeep_runtime::record::{Condition, Event, EventPosition, Host, Target};
use tavernkeep_runtime::{Database, Options, Runtime, RuntimeError};
use tokio::time::Instant;

const OLDEST: EventPosition = EventPosition { position: 0, ordinal: 0 };

fn render(event: &Event) -> Bytes {
    let value = event.value.as_ref().map_or("", |value| value.as_str());
    format!("{}={value}\n", event.key.as_ref().map_or("", |key| key.as_str())).into()
}

async fn put(runtime: &Runtime, account: &Id, number: usize, text: &str) {
    let write = Write {
        target: Target { host: Host::Global, key: format!("k{number}").parse().unwrap() },
        value: JsonText::from_string(text),
        condition: Condition::None,
    };
    runtime.put_variables(account, vec![write]).await.unwrap();
}

fn subscription(account: &Id, after: Option<EventPosition>) -> Subscription {
    Subscription { account: account.clone(), session: None, branch: None, kinds: Kinds::ALL, after }
}

/// The keys of the next events.
async fn keys(listener: &mut Listener, count: usize) -> Vec<String> {
    let mut keys = Vec::new();
    while keys.len() < count {
        match listener.next(Instant::now() + Duration::from_secs(60)).await {
            StreamItem::Events(text) => {
                let text = String::from_utf8(text.to_vec()).unwrap();
                keys.extend(text.lines().map(|line| line.split('=').next().unwrap().to_owned()));
            }
            StreamItem::Begun if keys.is_empty() => {}
            other => panic!("{other:?} after {keys:?}"),
        }
    }
    keys
}

fn numbered(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| format!("k{number}")).collect()
}

async fn open() -> (tempfile::TempDir, Runtime, Hub, Id) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let hub = runtime.hub(render);
    (folder, runtime, hub, Runtime::default_account())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_falls_behind_what_is_kept_catches_up_from_the_database() {
    let (_folder, runtime, hub, account) = open().await;
    let mut slow = hub.listen(subscription(&account, None)).await.unwrap();
    let mut quick = hub.listen(subscription(&account, None)).await.unwrap();
    let text = "x".repeat(500_000);
    let count = EVENTS_KEPT_BYTES_MAX / text.len() + 4;
    for number in 0..count {
        put(&runtime, &account, number, &text).await;
        assert_eq!(keys(&mut quick, 1).await, numbered(number..number + 1));
    }
    assert_eq!(hub.counters().lags, 0);
    assert_eq!(keys(&mut slow, count).await, numbered(0..count));
    assert_eq!(hub.counters().lags, 1);
    put(&runtime, &account, count, "live again").await;
    assert_eq!(keys(&mut slow, 1).await, numbered(count..count + 1));
    assert_eq!(hub.counters().delivered, 2 * count as u64 + 1);
    hub.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_is_read_once_for_all() {
    let (_folder, runtime, hub, account) = open().await;
    put(&runtime, &account, 0, "before").await;
    let mut listeners = Vec::new();
    for _ in 0..200 {
        listeners.push(hub.listen(subscription(&account, None)).await.unwrap());
    }
    for number in 1..11 {
        put(&runtime, &account, number, "x").await;
    }
    for listener in &mut listeners {
        assert_eq!(keys(listener, 10).await, numbered(1..11));
    }
    // Each write wakes the reader once at most; the rest is patience.
    let pages = hub.counters().pages;
    assert!(pages < 200, "{pages} pages were read");
    // One that comes back is served from what is kept.
    let place = listeners[0].place();
    drop(listeners);
    let mut last = hub.listen(subscription(&account, Some(place))).await.unwrap();
    put(&runtime, &account, 11, "x").await;
    assert_eq!(keys(&mut last, 1).await, numbered(11..12));
    hub.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_those_who_have_gone() {
    let (_folder, runtime, hub, account) = open().await;
    put(&runtime, &account, 0, "x").await;
    let mut listener = hub.listen(subscription(&account, Some(OLDEST))).await.unwrap();
    assert_eq!(keys(&mut listener, 1).await, numbered(0..1));
    let quiet = listener.next(Instant::now()).await;
    assert_eq!(quiet, StreamItem::Quiet);
    let beyond = EventPosition { position: i64::MAX, ordinal: 0 };
    let refused = hub.listen(subscription(&account, Some(beyond))).await.err();
    assert!(matches!(refused, Some(RuntimeError::Refused(_))), "a place that never was");
    drop(listener);
    hub.close().await;
    drop(hub);
    // The store can be closed only by its last user.
    runtime.close().await;
}
