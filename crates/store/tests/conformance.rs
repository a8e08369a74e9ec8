//! One story that both databases must tell in the same words: what the door promises, below any domain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::sync::Arc;
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::db::tx::{Param, Tx, all, first, one};
use tavernkeep_store::{Access, Database, Refusal, Store, StoreError, params};

/// Statements about a table that exists only here.
const CREATE: Sql = Sql::across_accounts("CREATE TABLE story (a BIGINT NOT NULL PRIMARY KEY, b BIGINT)");
const INSERT: Sql = Sql::across_accounts("INSERT INTO story (a, b) VALUES (?1, ?2)");
const COUNT: Sql = Sql::across_accounts("SELECT COUNT(*) FROM story");
const NONSENSE: Sql = Sql::across_accounts("SELECT nothing FROM nowhere");

/// Runs a story on a fresh database of each kind.
fn on_both<F: Future<Output = ()>>(story: impl Fn(Arc<Store>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        runtime.block_on(async {
            let store = Arc::new(Store::open(&database, Access::Own, 8).await.unwrap());
            store.write(|tx| tx.execute(CREATE, params![]).map(drop)).await.unwrap();
            story(Arc::clone(&store)).await;
            Arc::into_inner(store).unwrap().close().await;
        });
    }
}

async fn count(store: &Store) -> i64 {
    store.read(|tx| one(tx, COUNT, params![], |row| row.int(0))).await.unwrap()
}

#[test]
fn parameters_may_come_out_of_order_and_more_than_once() {
    on_both(|store| async move {
        let sql = Sql::across_accounts(
            "SELECT CAST(?3 AS BIGINT), CAST(?1 AS BIGINT), CAST(?3 AS BIGINT) + CAST(?2 AS BIGINT), CAST(?10 AS BIGINT)
             WHERE CAST(?4 AS BIGINT) + CAST(?5 AS BIGINT) + CAST(?6 AS BIGINT) + CAST(?7 AS BIGINT)
                + CAST(?8 AS BIGINT) + CAST(?9 AS BIGINT) = 39",
        );
        let params: Vec<i64> = (1..=10).collect();
        let row = store
            .read(move |tx| {
                let params: Vec<Param<'_>> = params.iter().map(|&number| Param::Int(number)).collect();
                one(tx, sql, &params, |row| Ok([row.int(0)?, row.int(1)?, row.int(2)?, row.int(3)?]))
            })
            .await;
        assert_eq!(row, Ok([3, 1, 5, 10]));
    });
}

#[test]
fn every_kind_of_value_comes_back() {
    on_both(|store| async move {
        // The schema's own table has every kind of column.
        let (integer, text, bytes) = (i64::MIN, "~:.", [0_u8, 0xFF, b'\'', b'"', b'%', 0]);
        store
            .write(move |tx| {
                let sql = Sql::across_accounts(
                    "INSERT INTO api_key (key_hash, account_id, id, name, role, created_at, expires_at, revoked_at)
                     VALUES (?1, ?2, ?2, ?1, ?2, ?3, ?4, NULL)",
                );
                tx.execute(sql, params![&bytes[..], text, integer, Some(i64::MAX)]).map(drop)
            })
            .await
            .unwrap();
        let sql = Sql::across_accounts("SELECT key_hash, id, created_at, expires_at, revoked_at FROM api_key");
        let row = store.read(move |tx| {
            one(tx, sql, params![], |row| {
                let nothing = row.int_or_null(4)?;
                Ok((row.bytes(0)?.to_vec(), row.text(1)?.to_owned(), row.int(2)?, row.int_or_null(3)?, nothing))
            })
        });
        assert_eq!(row.await, Ok((bytes.to_vec(), text.to_owned(), integer, Some(i64::MAX), None)));
    });
}

#[test]
fn rows_of_many_sets_come_with_the_number_of_their_set() {
    on_both(|store| async move {
        let numbers = store
            .write(|tx| {
                let sql = Sql::across_accounts("INSERT INTO story (a, b) VALUES (?1, ?2) RETURNING a");
                let sets: Vec<Vec<Param<'_>>> = (0..100).map(|number| params![number, number].to_vec()).collect();
                let mut numbers = Vec::new();
                tx.query_many(sql, &sets, &mut |set, row| {
                    numbers.push((set, row.int(0)?));
                    Ok(())
                })?;
                Ok(numbers)
            })
            .await
            .unwrap();
        assert_eq!(numbers, (0..100).map(|number| (number as usize, number)).collect::<Vec<_>>());
        let rows = store
            .read(|tx| all(tx, Sql::across_accounts("SELECT a FROM story ORDER BY a"), params![], |row| row.int(0)));
        assert_eq!(rows.await.unwrap().len(), 100);
        // A few sets are answered while others are still looked at.
        for _ in 0..200 {
            let sql = Sql::across_accounts("SELECT a FROM story WHERE a < ?1 ORDER BY a");
            let read = store.read(move |tx| {
                let sets: Vec<Vec<Param<'_>>> = (1..6).map(|number| params![number].to_vec()).collect();
                let mut rows = Vec::new();
                tx.query_many(sql, &sets, &mut |set, row| {
                    rows.push((set, row.int(0)?));
                    Ok(())
                })?;
                Ok(rows)
            });
            let wanted: Vec<_> = (0..5).flat_map(|set| (0..=set as i64).map(move |number| (set, number))).collect();
            assert_eq!(read.await.unwrap(), wanted);
        }
    });
}

#[test]
fn a_refusal_undoes_what_it_wrote_and_nothing_else() {
    on_both(|store| async move {
        let writes: Vec<_> = (0..64_i64)
            .map(|number| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    let write = store.write(move |tx| {
                        tx.execute(INSERT, params![number, number])?;
                        if number % 2 == 0 { Ok(number) } else { Err(Refusal::BranchProtected.into()) }
                    });
                    write.await
                })
            })
            .collect();
        for (number, write) in writes.into_iter().enumerate() {
            let answer = write.await.unwrap();
            match number % 2 {
                0 => assert_eq!(answer, Ok(number as i64)),
                _ => assert_eq!(answer, Err(StoreError::Refused(Refusal::BranchProtected))),
            }
        }
        assert_eq!(count(&store).await, 32);
    });
}

#[test]
fn after_an_error_nothing_more_is_run_and_nothing_is_kept() {
    on_both(|store| async move {
        let answer = store
            .write(|tx| {
                tx.execute(INSERT, params![1_i64, 1_i64])?;
                assert!(tx.execute(NONSENSE, params![]).is_err());
                let refused = tx.execute(INSERT, params![2_i64, 2_i64]).unwrap_err();
                assert!(matches!(refused, StoreError::Internal(_)), "{refused}");
                Ok(())
            })
            .await;
        assert!(matches!(answer, Err(StoreError::Internal(_))), "an overlooked error is an error: {answer:?}");
        assert_eq!(count(&store).await, 0);
        // The store goes on as if nothing had been.
        store.write(|tx| tx.execute(INSERT, params![3_i64, None::<i64>]).map(drop)).await.unwrap();
        assert_eq!(count(&store).await, 1);
    });
}

#[test]
fn what_is_referred_to_is_checked_again_after_a_write_without_checks() {
    on_both(|store| async move {
        let create =
            Sql::across_accounts("CREATE TABLE part (a BIGINT NOT NULL PRIMARY KEY, b BIGINT REFERENCES story (a))");
        let insert = Sql::across_accounts("INSERT INTO part (a, b) VALUES (?1, ?2)");
        let parts = Sql::across_accounts("SELECT COUNT(*) FROM part");
        store.write(move |tx| tx.execute(create, params![]).map(drop)).await.unwrap();
        let many = move |tx: &mut dyn Tx| {
            tx.execute(INSERT, params![1_i64, 1_i64])?;
            tx.execute_unchecked(insert, &[params![1_i64, 1_i64].to_vec(), params![2_i64, 1_i64].to_vec()])
        };
        store.write(many).await.unwrap();
        // One that fails because its rows are there.
        assert!(store.write(move |tx| tx.execute_unchecked(insert, &[params![1_i64, 1_i64].to_vec()])).await.is_err());
        for number in [3, 4] {
            let refused = store.write(move |tx| tx.execute(insert, params![number, 9_i64]).map(drop)).await;
            assert!(refused.is_err(), "there is no 9");
        }
        let stored = store.read(move |tx| one(tx, parts, params![], |row| row.int(0))).await;
        assert_eq!((stored, count(&store).await), (Ok(2), 1));
    });
}

#[test]
fn a_write_that_panics_takes_nobody_with_it() {
    on_both(|store| async move {
        let panicking = store.write(|tx| -> Result<(), StoreError> {
            tx.execute(INSERT, params![1_i64, 1_i64])?;
            panic!("on purpose");
        });
        assert!(matches!(panicking.await, Err(StoreError::Internal(_))));
        store.write(|tx| tx.execute(INSERT, params![2_i64, 2_i64]).map(drop)).await.unwrap();
        assert_eq!(count(&store).await, 1);
    });
}

#[test]
fn a_read_sees_one_moment() {
    on_both(|store| async move {
        let writer = Arc::clone(&store);
        let handle = tokio::runtime::Handle::current();
        let counts = store
            .read(move |tx| {
                let before = one(tx, COUNT, params![], |row| row.int(0))?;
                handle.block_on(writer.write(|tx| tx.execute(INSERT, params![1_i64, 1_i64]).map(drop)))?;
                Ok((before, one(tx, COUNT, params![], |row| row.int(0))?))
            })
            .await;
        assert_eq!(counts, Ok((0, 0)));
        assert_eq!(count(&store).await, 1);
    });
}

#[test]
fn writes_that_wait_share_a_commit_and_a_full_disk_fails_only_the_guilty() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let database = Database::Sqlite(folder.path().into());
        let store = Arc::new(Store::open(&database, Access::Own, 1).await.unwrap());
        store.write(|tx| tx.execute(CREATE, params![]).map(drop)).await.unwrap();
        // SQLite's own limit stands in for the disk's: the error is the same, and so is what it does to a transaction.
        let pages = store.read(|tx| one(tx, Sql::across_accounts("PRAGMA page_count"), params![], |row| row.int(0)));
        let limit = format!("PRAGMA max_page_count = {}", pages.await.unwrap() + 20);
        let limit = Sql::across_accounts(Box::leak(limit.into_boxed_str()));
        store.write(move |tx| first(tx, limit, params![], |row| row.int(0))).await.unwrap();

        let writes: Vec<_> = (0..200_i64)
            .map(|number| {
                let store = Arc::clone(&store);
                tokio::spawn(async move { store.write(move |tx| write_some(tx, number)).await })
            })
            .collect();
        let mut kept = 0;
        for (number, write) in writes.into_iter().enumerate() {
            match write.await.unwrap() {
                Ok(()) => kept += 1,
                Err(error) => {
                    assert!(number % 10 == 7, "write {number} is innocent: {error}");
                    assert!(matches!(error, StoreError::Full(_)), "{error}");
                }
            }
        }
        assert_eq!(kept, 180);
        assert_eq!(count(&store).await, 180);
        let counters = store.counters();
        assert!(counters.batch_retries > 0, "some batch was void: {counters:?}");
        Arc::into_inner(store).unwrap().close().await;
    });
}

/// Every tenth write is too large for what is left of the disk.
fn write_some(tx: &mut dyn Tx, number: i64) -> Result<(), StoreError> {
    tx.execute(INSERT, params![number, number])?;
    if number % 10 == 7 {
        let large = vec![0_u8; 1024 * 1024];
        let sql = Sql::across_accounts("UPDATE account SET seq = LENGTH(?1), account_id = CAST(?1 AS TEXT)");
        tx.execute(sql, params![&large])?;
    }
    Ok(())
}
