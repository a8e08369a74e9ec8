//! On PostgreSQL, who reads right after a large change reads the rows that are asked for and not all of the session.
//!
//! Nobody waits for autovacuum here: what the planner knows is what the change itself has left behind. Rows are counted as the
//! server counts them, so a plan may change as long as it is a narrow one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::imports::{self, ImportedChat, ImportedFloor, ImportedPage};
use tavernkeep_store::conversation::sync::Text;
use tavernkeep_store::conversation::trash::{self, Bin};
use tavernkeep_store::conversation::{chat_files, floors};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::db::tx::{Tx, one};
use tavernkeep_store::tree::quota::Quotas;
use tavernkeep_store::types::order::NewSession;
use tavernkeep_store::{Access, DEFAULT_ACCOUNT, Database, Store, StoreResult, params};

const FLOORS: usize = 240;
const SWIPES: usize = 10;
const PAGES: i64 = (FLOORS * SWIPES) as i64;

/// What this connection has read so far.
const ROWS_READ: Sql = Sql::across_accounts(
    "SELECT CAST(SUM(COALESCE(idx_tup_fetch, 0) + COALESCE(seq_tup_read, 0)) AS BIGINT) FROM pg_stat_xact_user_tables",
);

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn chat() -> ImportedChat {
    let page = |floor: usize, swipe: usize| ImportedPage {
        id: id(&format!("p-{floor}-{swipe}")),
        hash: [0; 16],
        text: Text::new(&format!("Swipe {swipe} of {floor}.")),
        extra: Text::new("{}"),
        sent_at: None,
    };
    let floor = |floor: usize| ImportedFloor {
        id: id(&format!("f-{floor}")),
        role: "assistant",
        name: None,
        active: 0,
        pages: (0..SWIPES).map(|swipe| page(floor, swipe)).collect(),
        metadata: Text::new("{\"k\":1}"),
    };
    ImportedChat { new: NewSession::default(), id: id("s"), floors: (0..FLOORS).map(floor).collect() }
}

fn on_postgres<F: Future<Output = ()>>(story: impl FnOnce(Arc<Store>, String) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let remote = postgres::Database::fresh();
    runtime.block_on(async {
        let store = Store::open(&Database::Postgres(remote.url.clone()), Access::Own, 4).await.unwrap();
        let store = Arc::new(store);
        story(Arc::clone(&store), remote.url.clone()).await;
        Arc::into_inner(store).unwrap().close().await;
    });
}

/// Imports the chat in one part.
async fn import(store: &Store) {
    let account: Id = DEFAULT_ACCOUNT.parse().unwrap();
    let chat = Arc::new(chat());
    assert_eq!(chat.parts().len(), 1);
    let (owner, new) = (account.clone(), Arc::clone(&chat));
    let begin = move |tx: &mut dyn Tx| imports::begin(tx, &owner, &new, &id("job"), &Quotas::default(), 1);
    let begun = store.write(begin).await.unwrap();
    let (owner, new, job) = (account.clone(), Arc::clone(&chat), begun.clone());
    let add = move |tx: &mut dyn Tx| imports::add_part(tx, &owner, &new, &job, (0, 0..FLOORS));
    store.write(add).await.unwrap();
    let finish = move |tx: &mut dyn Tx| imports::finish(tx, &account, &chat, &begun, &Quotas::default(), 2);
    store.write(finish).await.unwrap();
}

/// How many rows something reads, and what it finds.
fn counted<T>(tx: &mut dyn Tx, read: impl FnOnce(&mut dyn Tx) -> StoreResult<T>) -> StoreResult<(i64, T)> {
    let rows_read = |tx: &mut dyn Tx| one(tx, ROWS_READ, params![], |row| row.int(0));
    let before = rows_read(tx)?;
    let found = read(tx)?;
    Ok((rows_read(tx)? - before, found))
}

#[test]
fn an_imported_chat_is_exported_by_its_keys() {
    on_postgres(|store, _| async move {
        import(&store).await;
        let export = |tx: &mut dyn Tx| {
            counted(tx, |tx| chat_files::read(tx, &DEFAULT_ACCOUNT.parse().unwrap(), &id("s"), "main"))
        };
        let (rows, (_, messages)) = store.read(export).await.unwrap();
        assert_eq!(messages.iter().map(|message| message.pages.len()).sum::<usize>(), FLOORS * SWIPES);
        // A page and its text each. Of so few floors the planner may read all for each of them, but not all pages for each page.
        let floors = FLOORS as i64;
        assert!(rows < 2 * PAGES + floors * floors, "{rows} rows are read for {PAGES} pages of {floors} floors");
    });
}

#[test]
fn the_end_of_a_large_item_in_the_trash_is_read_by_its_keys() {
    on_postgres(|store, _| async move {
        import(&store).await;
        let ids: Vec<Id> = (0..FLOORS).map(|floor| id(&format!("f-{floor}"))).collect();
        let account: Id = DEFAULT_ACCOUNT.parse().unwrap();
        let owner = account.clone();
        let delete = move |tx: &mut dyn Tx| floors::delete(tx, &owner, &ids, &Bin::Trash(id("item")), 3);
        store.write(delete).await.unwrap();
        let end = move |tx: &mut dyn Tx| {
            counted(tx, |tx| trash::content(tx, &account, &id("item"), (20, PAGES - 20), usize::MAX))
        };
        let (rows, (_, content)) = store.read(end).await.unwrap();
        assert_eq!(content.pages.len(), 20);
        assert_eq!(content.next_offset, None);
        // Those before the wanted ones are passed in an index, which counts while they are new.
        assert!(rows < PAGES + 20 * 10, "{rows} rows are read for 20 of {PAGES} pages");
    });
}

#[test]
fn a_look_that_saw_no_rows_is_repeated() {
    const INSERT: Sql = Sql::across_accounts(
        "INSERT INTO trash_row (account_id, session_row, trash_id, number, table_no, body)
         SELECT 'default-admin', 1, 'item', number, 2, '' FROM generate_series(CAST(?1 AS BIGINT), CAST(?2 AS BIGINT)) AS number",
    );
    const KNOWN: Sql = Sql::across_accounts(
        "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = CAST('trash_row' AS regclass)",
    );
    on_postgres(|store, url| async move {
        store.write(|tx| tx.execute(INSERT, params![1_i64, 10_i64]).map(drop)).await.unwrap();
        let grow = move |tx: &mut dyn Tx| {
            tx.has_grown()?;
            tx.execute(INSERT, params![11_i64, 5_000_i64])?;
            Ok(())
        };
        store.write(grow).await.unwrap();
        let known = |tx: &mut dyn Tx| one(tx, KNOWN, params![], |row| row.int(0));
        assert_eq!(store.read(known).await.unwrap(), 10);
        store.write(|tx| tx.has_grown()).await.unwrap();
        assert_eq!(store.read(known).await.unwrap(), 5_000, "it is known again when it has grown");
        let beside = move |tx: &mut dyn Tx| {
            tx.execute(INSERT, params![5_001_i64, 20_000_i64])?;
            // As autovacuum may do, which does not see the rows of this transaction but their pages.
            let url = url.clone();
            std::thread::spawn(move || postgres::execute(&url, "ANALYZE trash_row").unwrap()).join().unwrap();
            tx.has_grown()?;
            known(tx)
        };
        assert_eq!(store.write(beside).await.unwrap(), 20_000);
    });
}
