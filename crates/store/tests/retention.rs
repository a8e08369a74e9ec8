//! Expired events: at the limit, over it, and what listeners learn.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::ANSWERS_KEPT_MAX;
use tavernkeep_store::conversation::sessions;
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::events;
use tavernkeep_store::events::listening::{self, PageMax};
use tavernkeep_store::tree::quota::Quotas;
use tavernkeep_store::types::order::NewSession;
use tavernkeep_store::types::record::{EventPosition, Stream};
use tavernkeep_store::upkeep::accounts;
use tavernkeep_store::upkeep::idempotency::{self, Attempt, KEPT_AT_LEAST_MS, KEPT_MS};
use tavernkeep_store::upkeep::retention::{self, Retention};
use tavernkeep_store::{Access, DEFAULT_ACCOUNT, Database, Refusal, Store, StoreError, params};

const START: EventPosition = EventPosition { position: 0, ordinal: 0 };
const KEEP: Retention = Retention {
    events_age_ms: None,
    events_count: None,
    history_age_ms: None,
    history_count: None,
    versions_age_ms: None,
    trash_age_ms: None,
    calls_age_ms: None,
};

fn account() -> Id {
    DEFAULT_ACCOUNT.parse().unwrap()
}

async fn emitted(store: &Store, place: EventPosition) -> Result<Vec<EventPosition>, StoreError> {
    let max = PageMax { events: 100, bytes: usize::MAX };
    let page = store.read(move |tx| listening::next(tx, &account(), Stream::Account, None, place, max)).await?;
    Ok(page.events.into_iter().map(|event| event.place).collect())
}

async fn over(store: &Store, retention: Retention, now: i64) -> Option<i64> {
    let look = move |tx: &mut dyn Tx| {
        let cut = retention::events_cut(tx, &account(), &retention, now)?;
        retention::events_over(tx, &account(), &cut, 100)
    };
    store.read(look).await.unwrap()
}

async fn create(store: &Store, id: Id, now: i64) {
    let work =
        move |tx: &mut dyn Tx| sessions::create(tx, &account(), &NewSession::default(), &id, &Quotas::default(), now);
    store.write(work).await.unwrap();
}

async fn begin(store: &Store, after: EventPosition) -> Result<EventPosition, StoreError> {
    let begun = store.read(move |tx| listening::begin(tx, &account(), None, None, Some(after))).await?;
    Ok(begun.place)
}

/// Emits so many events, as soon as nobody else on the server holds them back.
async fn answered_in_time(store: &Store, place: EventPosition, count: usize) -> Vec<EventPosition> {
    loop {
        let emitted = emitted(store, place).await.unwrap();
        if emitted.len() == count {
            return emitted;
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_dump_on_another_server_leaves_nobody_deaf() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let remote = postgres::Database::fresh();
    let database = Database::Postgres(remote.url.clone());
    runtime.block_on(async {
        let store = Store::open(&database, Access::Own, 4).await.unwrap();
        create(&store, "s1".parse().unwrap(), 1).await;
        create(&store, "s2".parse().unwrap(), 2).await;
        let before = answered_in_time(&store, START, 2).await;
        let raise = Sql::across_accounts("UPDATE event SET position = position + 1000000000 WHERE position = ?1");
        let last = before[1].position;
        assert_eq!(store.write(move |tx| tx.execute(raise, params![last])).await, Ok(1));
        store.close().await;

        for again in 0..2 {
            let store = Store::open(&database, Access::Own, 4).await.unwrap();
            let stranded = EventPosition { position: last + 1_000_000_000, ordinal: 0 };
            for place in [before[0], stranded] {
                let refused = begin(&store, place).await;
                assert!(matches!(refused, Err(StoreError::Refused(Refusal::EventsPurged { .. }))), "{refused:?}");
            }
            let oldest = begin(&store, START).await.unwrap();
            let now = store.read(|tx| listening::begin(tx, &account(), None, None, None)).await.unwrap().place;
            create(&store, format!("t{again}").parse().unwrap(), 3).await;
            answered_in_time(&store, now, 1).await;
            assert_eq!(
                answered_in_time(&store, oldest, again + 1).await.len(),
                again + 1,
                "opening again drops nothing"
            );
            store.close().await;
        }
    });
}

/// Kept answers beyond the limit go, but none that a client could still ask for.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_answers_go_when_nobody_asks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Database::Sqlite(folder.path().into()), Access::Own, 1).await.unwrap();
    let cut = async |now: i64| store.read(move |tx| retention::answers_cut(tx, &account(), now)).await.unwrap();
    let fill = |tx: &mut dyn Tx| {
        for number in 0..ANSWERS_KEPT_MAX + 2 {
            let key = format!("key {number}");
            let attempt = Attempt { key, fingerprint: [0; 32], now: number };
            idempotency::keep_refusal(tx, &account(), &attempt, &JsonText::from_stored("\"no\""))?;
        }
        Ok(())
    };
    store.write(fill).await.unwrap();
    assert_eq!(cut(KEPT_AT_LEAST_MS + 100_000).await, 1, "two are too many");
    assert_eq!(cut(KEPT_AT_LEAST_MS).await, 0, "and one of them is too young");
    assert_eq!(cut(2 * KEPT_MS).await, KEPT_MS, "all are too old");
    let now = KEPT_AT_LEAST_MS + 100_000;
    let purged = store.write(move |tx| retention::purge_leftovers(tx, &account(), 1, 500, now)).await;
    assert_eq!(purged, Ok((2, 0)));
    assert!(cut(now).await < 0);
    store.close().await;
}

/// A time that a wrong clock left behind does not outlive the next pass, whichever accounts there are by then.
#[test]
fn the_time_of_the_last_purge_stands_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        runtime.block_on(async {
            let store = Store::open(&database, Access::Own, 1).await.unwrap();
            store.write(|tx| retention::store_purge(tx, 9_000)).await.unwrap();
            let first: Id = "a".parse().unwrap();
            store.write(move |tx| accounts::create(tx, &first, 1)).await.unwrap();
            store.write(|tx| retention::store_purge(tx, 5_000)).await.unwrap();
            assert_eq!(store.read(retention::last_purge).await, Ok(Some(5_000)));
            store.close().await;
        });
    }
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
                create(&store, id, base + number * 1000).await;
            }
            // Whatever else runs on the same server may hold them back for a moment.
            let all = loop {
                let all = emitted(&store, START).await.unwrap();
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
            assert_eq!(
                emitted(&store, all[1]).await,
                Ok(all[2..].to_vec()),
                "who has seen the last one misses nothing"
            );
            for place in [START, all[0]] {
                let refused = Err(StoreError::Refused(Refusal::EventsPurged { purged: position }));
                assert_eq!(emitted(&store, place).await, refused);
            }
            assert_eq!(store.read(|tx| events::end(tx, &account())).await.unwrap().position, all[4].position);
            let oldest = begin(&store, START).await.unwrap();
            assert_eq!(emitted(&store, oldest).await, Ok(all[2..].to_vec()), "0-0 is the oldest that is kept");
            store.close().await;
        });
    }
}
