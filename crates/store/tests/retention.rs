//! Events that are over: at the limit, over it, and what listeners learn.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::id::Id;
use tavernkeep_store::order::NewSession;
use tavernkeep_store::quota::Quotas;
use tavernkeep_store::record::{EventPlace, Stream};
use tavernkeep_store::retention::{self, Retention};
use tavernkeep_store::{Access, DEFAULT_ACCOUNT, Database, Refusal, Store, StoreError, events, sessions};

const START: EventPlace = EventPlace { position: 0, ordinal: 0 };
const KEEP: Retention =
    Retention { events_age_ms: None, events_count: None, history_age_ms: None, history_count: None };

fn account() -> Id {
    DEFAULT_ACCOUNT.parse().unwrap()
}

async fn told(store: &Store, place: EventPlace) -> Result<Vec<EventPlace>, StoreError> {
    let events = store.read(move |tx| events::after(tx, &account(), &Stream::Account, place, 100)).await?;
    Ok(events.into_iter().map(|event| event.place).collect())
}

async fn over(store: &Store, retention: Retention, now: i64) -> Option<i64> {
    store.read(move |tx| retention::events_over(tx, &account(), &retention, 100, now)).await.unwrap()
}

#[test]
fn a_listener_learns_that_events_are_gone() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        runtime.block_on(async {
            let store = Store::open(&database, Access::Own, 4).await.unwrap();
            // One event a second, long ago; the clock never goes back, so later than the account was made.
            let base = 4_000_000_000_000;
            for number in 0..5 {
                let id: Id = format!("s{number}").parse().unwrap();
                let work = move |tx: &mut dyn tavernkeep_store::tx::Tx| {
                    let new = NewSession::default();
                    sessions::create(tx, &account(), &new, &id, &Quotas::default(), base + number * 1000)
                };
                store.write(work).await.unwrap();
            }
            // Whatever else runs on the same server may hold them back for a moment.
            let all = loop {
                let all = told(&store, START).await.unwrap();
                if all.len() == 5 {
                    break all;
                }
                tokio::task::yield_now().await;
            };
            assert_eq!(over(&store, KEEP, i64::MAX).await, None);
            let count = |count| Retention { events_count: Some(count), ..KEEP };
            assert_eq!(over(&store, count(5), 0).await, None, "at the limit");
            assert_eq!(over(&store, count(3), 0).await, Some(all[1].position), "over it");
            let age = |age| Retention { events_age_ms: Some(age), ..KEEP };
            assert_eq!(over(&store, age(5000), base + 5000).await, None, "at the limit");
            assert_eq!(over(&store, age(5000), base + 5001).await, Some(all[0].position), "over it");

            let position = all[1].position;
            let gone = store.write(move |tx| retention::purge_events(tx, &account(), position)).await;
            assert_eq!(gone, Ok(2));
            assert_eq!(told(&store, all[1]).await, Ok(all[2..].to_vec()), "who has seen the last one misses nothing");
            for place in [START, all[0]] {
                let refused = Err(StoreError::Refused(Refusal::EventsPurged { purged: position }));
                assert_eq!(told(&store, place).await, refused);
            }
            assert_eq!(store.read(|tx| events::end(tx, &account())).await.unwrap().position, all[4].position);
            store.close().await;
        });
    }
}
