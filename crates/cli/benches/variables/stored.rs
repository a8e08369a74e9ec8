//! The store in process, beside the same rows through `rusqlite` alone.

use crate::data::{self, LAYERS, id};
use crate::measure::{compare, head, median, rate, row};
use crate::process::cpu_of_thread;
use rusqlite::Connection;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tavernkeep_runtime::record::{Host, KeyFilter, Region, ResolveQuery, VariableQuery, VariableSort, Window};
use tavernkeep_runtime::{Database, FILE_NAME, Options, Runtime};
use tokio::runtime::Runtime as Tokio;

/// Keys that upserts take turns with.
const KEYS: usize = 1_000;

pub fn run() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio.block_on(prepare(folder.path()));
    head("bare SQLite");
    for clients in [1, 64] {
        upserts(&tokio, &runtime, clients, 1, "upsert of one variable");
    }
    for clients in [1, 64] {
        upserts(&tokio, &runtime, clients, 100, "upsert of a batch of 100");
    }
    tokio.block_on(runtime.close());
    LAYERS.into_iter().for_each(|layer| resolve(&tokio, layer));
    [100, 100_000].into_iter().for_each(|count| list(&tokio, count));
}

/// A session with as many variables as upserts take turns with.
async fn prepare(folder: &Path) -> Runtime {
    let runtime = open(folder).await;
    data::session(&runtime, "writes").await;
    data::fill(&runtime, &Host::Chat(id("writes")), KEYS).await;
    runtime
}

async fn open(folder: &Path) -> Runtime {
    Runtime::open(Options::new(Database::Sqlite(folder.into()))).await.unwrap()
}

/// A database of the same shape for the other side, so that neither grows the other's file.
fn bare_database(tokio: &Tokio, folder: &Path) -> Connection {
    let runtime = tokio.block_on(prepare(folder));
    tokio.block_on(runtime.close());
    let connection = open_bare(folder);
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 10000;",
        )
        .unwrap();
    connection
}

/// SQLite at its best: statements are prepared once.
fn open_bare(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    connection
}

/// The rows of one write, without any check: the clock's tick, and for each variable its row, its history and its event.
fn bare_write(connection: &Connection, first: usize, count: usize, seq: i64) {
    let prepared = |sql: &str| connection.prepare_cached(sql).unwrap();
    prepared("UPDATE session SET seq = ?2 WHERE account_id = 'default-admin' AND id = ?1")
        .execute(("writes", seq))
        .unwrap();
    let mut upsert = prepared(
        "INSERT INTO variable (account_id, session_row, scope, host_row, key, id, updated_at, revision, value)
         VALUES ('default-admin', 1, 1, 0, ?1, ?2, ?3, ?3, ?4)
         ON CONFLICT (account_id, session_row, scope, host_row, key) DO UPDATE SET
            updated_at = excluded.updated_at, revision = excluded.revision, value = excluded.value",
    );
    let mut history = prepared(
        "INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
         VALUES ('default-admin', 1, 1, 0, ?1, ?3, ?2, 0, NULL, ?4)",
    );
    let mut event = prepared(
        "INSERT INTO event (account_id, position, ordinal, session_row, branch_row, seq, kind, session_id, branch_id,
            subject_id, scope, host_row, host_id, key, detail)
         VALUES ('default-admin', ?3, ?4, 1, NULL, ?3, 1, 'writes', NULL, ?2, 1, 0, NULL, ?1, NULL)",
    );
    for number in first..first + count {
        let key = format!("chat-{:05}", number % KEYS);
        let value = format!("\0{}", data::value(number));
        let id = format!("new-{number:032}");
        upsert.execute((key.as_bytes(), &id, seq, value.as_bytes())).unwrap();
        history.execute((key.as_bytes(), &id, seq, value.as_bytes())).unwrap();
        event.execute((key.as_bytes(), &id, seq, i64::try_from(number).unwrap())).unwrap();
    }
}

fn upserts(tokio: &Tokio, runtime: &Runtime, clients: usize, count: usize, name: &str) {
    let account = Runtime::default_account();
    let next = AtomicUsize::new(0);
    let before = runtime.counters();
    let ours = || {
        rate(clients, |_| {
            let (runtime, account, next) = (runtime.clone(), account.clone(), &next);
            move || {
                let first = next.fetch_add(count, Ordering::Relaxed);
                let writes = (first..first + count).map(|number| {
                    let key = format!("chat-{:05}", number % KEYS);
                    data::write(Host::Chat(id("writes")), &key, &data::value(number))
                });
                tokio.block_on(runtime.put_variables(&account, writes.collect())).unwrap();
            }
        })
    };
    // How many writes shared a commit is known only afterwards, so a first run finds it out.
    ours();
    let after = runtime.counters();
    let per_commit = ((after.writes - before.writes) as f64 / (after.commits - before.commits) as f64).round().max(1.0);
    let folder = tempfile::tempdir().unwrap();
    let bare = bare_database(tokio, folder.path());
    let mut seq = 1_000_000;
    let theirs = || {
        let per_commit = per_commit as usize;
        let mut first = 0;
        let started = std::time::Instant::now();
        let (commits, _) = crate::measure::until_done(|| {
            bare.execute_batch("BEGIN IMMEDIATE").unwrap();
            for _ in 0..per_commit {
                bare_write(&bare, first, count, seq);
                first += count;
                seq += 1;
            }
            bare.execute_batch("COMMIT").unwrap();
        });
        commits as f64 * per_commit as f64 / started.elapsed().as_secs_f64()
    };
    let comparison = compare(ours, theirs);
    row(&format!("{name} ({per_commit:.0} writes a commit)"), clients, &comparison);
}

/// Milliseconds of CPU for each write of `count` variables through bare SQLite, with so many writes in a commit.
pub fn bare_cost(per_commit: usize, count: usize) -> f64 {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let bare = bare_database(&tokio, folder.path());
    let (mut seq, mut first) = (1_000_000, 0);
    let mut once = || {
        let cpu = cpu_of_thread();
        let (commits, _) = crate::measure::until_done(|| {
            bare.execute_batch("BEGIN IMMEDIATE").unwrap();
            for _ in 0..per_commit {
                bare_write(&bare, first, count, seq);
                (seq, first) = (seq + 1, first + count);
            }
            bare.execute_batch("COMMIT").unwrap();
        });
        (cpu_of_thread() - cpu) / (commits as f64 * per_commit as f64) * 1_000.0
    };
    once();
    median((0..5).map(|_| once()))
}

fn resolve(tokio: &Tokio, layer: usize) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio.block_on(open(folder.path()));
    tokio.block_on(data::layers(&runtime, layer));
    let account = Runtime::default_account();
    let query = ResolveQuery {
        session: id("s"),
        branch: None,
        floor: None,
        page: Some(id("s-page")),
        keys: KeyFilter::Any,
        lineage: false,
    };
    let ours = || {
        rate(1, |_| {
            || {
                let resolved = tokio.block_on(runtime.resolve(&account, query.clone())).unwrap();
                assert_eq!(resolved.rows.len(), layer * 5);
            }
        })
    };
    let bare = open_bare(folder.path());
    let theirs = || rate_one(|| assert_eq!(bare_rows(&bare, BARE_LAYERS).len(), layer * 5));
    row(&format!("resolve of 5 × {layer} variables"), 1, &compare(ours, theirs));
}

fn list(tokio: &Tokio, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio.block_on(open(folder.path()));
    tokio.block_on(async {
        data::session(&runtime, "s").await;
        data::fill(&runtime, &Host::Chat(id("s")), count).await;
    });
    let account = Runtime::default_account();
    let query = VariableQuery {
        region: Region::Hosts(vec![Host::Chat(id("s"))]),
        keys: KeyFilter::Any,
        updated_since: None,
        sort: VariableSort::UpdatedAt,
        window: Window { limit: 50, offset: 0, ascending: false, total: true },
    };
    let ours = || {
        rate(1, |_| {
            || {
                let listed = tokio.block_on(runtime.variables(&account, query.clone())).unwrap();
                assert_eq!(listed.items.len(), 50);
            }
        })
    };
    let bare = open_bare(folder.path());
    let theirs = || rate_one(|| assert_eq!(bare_rows(&bare, BARE_LIST).len(), 50));
    row(&format!("list of 50 out of {count} variables"), 1, &compare(ours, theirs));
}

const BARE_LAYERS: &str = "SELECT scope, key, id, updated_at, revision, value FROM variable
    WHERE account_id = 'default-admin' AND session_row IN (0, 1) ORDER BY session_row, scope, host_row, key";
const BARE_LIST: &str = "SELECT scope, key, id, updated_at, revision, value FROM variable
    WHERE account_id = 'default-admin' AND session_row = 1 AND scope = 1 AND host_row = 0
    ORDER BY updated_at DESC, key DESC LIMIT 50";

type BareRow = (i64, Vec<u8>, String, i64, i64, Vec<u8>);

fn bare_rows(connection: &Connection, sql: &str) -> Vec<BareRow> {
    let mut statement = connection.prepare_cached(sql).unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)));
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A connection is not shared between threads, so the bare side reads on this one.
fn rate_one(operation: impl FnMut()) -> f64 {
    let (count, span) = crate::measure::until_done(operation);
    count as f64 / span.as_secs_f64()
}
