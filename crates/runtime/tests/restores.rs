//! Restores of many floors: what interrupts one, and what other requests do meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::collections::HashMap;
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::order::{
    FloorQuery, FloorStep, NewFloor, NewPage, NewSession, NewStagedWrite, PageQuery, Write,
};
use tavernkeep_runtime::record::{Condition, Host, Target, Window};
use tavernkeep_runtime::{
    Access, Database, Details, Edits, Expected, FloorRange, MAIN_BRANCH, Options, Refusal, Restored, Runtime,
    RuntimeError, RuntimeResult, SyncOrder, Text, Under, now_ms, random_id, text_hash,
};
use tavernkeep_store::conversation::branches;
use tavernkeep_store::conversation::sync::{self, Draft, Look, ReadBefore, Synced};
use tavernkeep_store::conversation::trash::{self, Bin, HiddenFloors, LargeRestore, LargeTexts};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::db::tx::{Tx, one};
use tavernkeep_store::params;
use tavernkeep_store::{Store, StoreError};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn account() -> Id {
    Runtime::default_account()
}

/// A runtime, and its database beside it.
struct Setup {
    runtime: Runtime,
    store: Store,
}

fn on_both(story: &impl AsyncFn(&Setup)) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        eprintln!("on {database:?}");
        tokio.block_on(async {
            let runtime = Runtime::open(Options::new(database.clone())).await.unwrap();
            let store = Store::open(&database, Access::Visit, 4).await.unwrap();
            let setup = Setup { runtime, store };
            story(&setup).await;
            setup.store.close().await;
            setup.runtime.close().await;
        });
    }
}

/// A chat of so many messages.
fn chat(session: &str, floors: usize) -> SyncOrder {
    chat_of("message", session, floors)
}

fn chat_of(word: &str, session: &str, floors: usize) -> SyncOrder {
    chat_of_swipes(&[word], 0, session, floors)
}

/// The same with a swipe of each message for each word.
fn chat_of_swipes(words: &[&str], active: usize, session: &str, floors: usize) -> SyncOrder {
    let mut texts = HashMap::new();
    let mut swipe = |word: &str, number: usize| {
        let text = format!("{word} {number}");
        let hash = text_hash(Some(&text));
        texts.insert(hash, Text::new(&text));
        Swipe { text: hash, speaker: Speaker { role: Some("assistant".to_owned()), name: None } }
    };
    let mut message = |number: usize| words.iter().map(|word| swipe(word, number)).collect();
    let messages = (0..floors).map(|number| Message { swipes: message(number), active }).collect();
    let expected = Expected { max_deleted: Some(usize::MAX), ..Expected::default() };
    SyncOrder { session: id(session), branch: MAIN_BRANCH.to_owned(), messages, texts, expected }
}

const WINDOW: Window = Window { limit: 2_000, offset: 0, ascending: true, total: false };

impl Setup {
    /// A session with a chat; returns its floors.
    async fn make(&self, session: &str, floors: usize) -> Vec<Id> {
        let new = NewSession { id: Some(id(session)), ..NewSession::default() };
        self.runtime.create_session(&account(), new).await.unwrap();
        self.runtime.sync(&account(), chat(session, floors), false).await.unwrap();
        self.floors(session, MAIN_BRANCH).await
    }

    async fn floors(&self, session: &str, branch: &str) -> Vec<Id> {
        let query = FloorQuery { session: id(session), branch: Some(branch.to_owned()), state: None, window: WINDOW };
        self.runtime.floors(&account(), query).await.unwrap().items.into_iter().map(|floor| floor.id).collect()
    }

    /// The positions of a branch's floors, those too that it shares.
    async fn numbers(&self, session: &str, branch: &str) -> Vec<i64> {
        let (session, branch) = (id(session), branch.to_owned());
        let all = FloorRange { session, branch, from_floor: None, to_floor: None, after: None };
        let (floors, _) = self.runtime.transcript(&account(), all, 2_000, Details::default()).await.unwrap();
        floors.into_iter().map(|floor| floor.line.floor_no).collect()
    }

    async fn remove(&self, floors: &[Id]) -> Id {
        self.runtime.remove_floors(&account(), floors.to_vec(), false).await.unwrap().trash.unwrap()
    }

    async fn restore(&self, item: &Id) -> RuntimeResult<Restored> {
        self.runtime.restore(&account(), item, Under::default()).await
    }

    async fn plan(&self, item: &Id) -> LargeRestore {
        let (item, draft) = (item.clone(), random_id().unwrap());
        let plan = self.store.read(move |tx| LargeRestore::plan(tx, &account(), &item, &draft)).await;
        plan.unwrap().expect("an item with many floors")
    }

    /// Prepares a restore up to so many parts, as a process leaves it that ends there.
    async fn prepare(&self, large: LargeRestore, parts: usize) -> (Arc<LargeRestore>, HiddenFloors) {
        let (large, now) = (Arc::new(large), now_ms());
        let begun = Arc::clone(&large);
        let mut hidden = self.store.write(move |tx| begun.begin(tx, &account(), now)).await.unwrap().unwrap();
        for part in 0..parts.min(large.parts()) {
            let large = Arc::clone(&large);
            let put = move |tx: &mut dyn Tx| large.put_part(tx, &account(), hidden, part, now);
            hidden = self.store.write(put).await.unwrap().unwrap();
        }
        (large, hidden)
    }

    /// The last step of a restore that is prepared.
    async fn finish(&self, large: Arc<LargeRestore>, hidden: HiddenFloors) -> Restored {
        let read = Arc::clone(&large);
        let kept = self.store.read(move |tx| read.read_kept(tx, &account())).await.unwrap();
        self.store.write(move |tx| large.finish(tx, &account(), (hidden, &kept), now_ms())).await.unwrap()
    }

    /// Prepares to restore texts up to so many parts, as a process leaves it that ends there.
    async fn leave_texts(&self, item: &Id, parts: usize) {
        let (item, draft, now) = (item.clone(), random_id().unwrap(), now_ms());
        let plan = self.store.read(move |tx| LargeTexts::plan(tx, &account(), &item, &draft)).await;
        let large = Arc::new(plan.unwrap().expect("an item with many texts"));
        assert!(large.parts() > 1);
        let begun = Arc::clone(&large);
        let mut hidden = self.store.write(move |tx| begun.begin(tx, &account(), now)).await.unwrap().unwrap();
        for part in 0..parts.min(large.parts()) {
            let large = Arc::clone(&large);
            let put = move |tx: &mut dyn Tx| large.put_part(tx, &account(), hidden, part, now);
            hidden = self.store.write(put).await.unwrap().unwrap();
        }
    }

    /// What comes between the sync and the restore in the session of a way.
    async fn disturb(&self, way: &str, floors: &[Id], item: &Id) {
        match way {
            "left-begun" => self.leave_texts(item, 1).await,
            "left-whole" => self.leave_texts(item, usize::MAX).await,
            "forked" => drop(self.runtime.fork(&account(), &floors[500], Some("fork".into())).await.unwrap()),
            _ => {}
        }
    }

    async fn restore_as(&self, way: &str, item: Id) -> Restored {
        if way != "at-once" {
            return self.restore(&item).await.unwrap();
        }
        let now = now_ms();
        let restore = move |tx: &mut dyn Tx| trash::restore(tx, &account(), &item, &Under::default(), now);
        self.store.write(restore).await.unwrap()
    }

    /// The swipes of floors: version, whether it is chosen, and text.
    async fn swipes(&self, floors: &[Id]) -> Vec<(i64, bool, Option<String>)> {
        let mut swipes = Vec::new();
        for floor in floors {
            let query =
                PageQuery { floor: floor.clone(), page_no: None, is_active: None, content: true, window: WINDOW };
            let pages = self.runtime.pages(&account(), query).await.unwrap().items;
            swipes.extend(pages.into_iter().map(|page| (page.version, page.is_active, page.content)));
        }
        swipes
    }

    /// The active page of a floor.
    async fn chosen(&self, floor: &Id) -> Id {
        let (floor, is_active) = (floor.clone(), Some(true));
        let query = PageQuery { floor, page_no: None, is_active, content: false, window: WINDOW };
        self.runtime.pages(&account(), query).await.unwrap().items.remove(0).id
    }

    async fn leave_draft(&self, item: &Id, parts: usize) {
        let large = self.plan(item).await;
        assert!(large.parts() > 1);
        self.prepare(large, parts).await;
    }

    async fn number(&self, sql: &'static str) -> i64 {
        let sql = Sql::across_accounts(sql);
        self.store.read(move |tx| one(tx, sql, params![], |row| row.int(0))).await.unwrap()
    }

    /// Nothing is hidden or unfinished, and nothing is damaged.
    async fn is_clean(&self) {
        assert_eq!(self.number("SELECT COUNT(*) FROM trash WHERE deleted_at <= 0").await, 0, "items");
        assert_eq!(self.number("SELECT COUNT(*) FROM branch WHERE LENGTH(id) > 256").await, 0, "hidden branches");
        assert_eq!(self.number("SELECT COUNT(*) FROM trash_row").await, 0, "kept rows");
        self.is_healthy().await;
    }

    async fn is_healthy(&self) {
        assert_eq!(self.number(LOST_TEXTS).await, 0, "texts of no floor and no page");
        assert_eq!(self.runtime.check().await.unwrap().findings, []);
    }
}

const LOST_TEXTS: &str = "SELECT COUNT(*) FROM body b WHERE NOT EXISTS (
        SELECT 1 FROM floor f WHERE f.session_row = b.session_row AND f.floor_row = b.host_row)
    AND NOT EXISTS (SELECT 1 FROM page p WHERE p.session_row = b.session_row AND p.page_row = b.host_row)
    AND NOT EXISTS (SELECT 1 FROM page p WHERE p.session_row = b.session_row AND p.text_row = b.host_row)";

fn is_gone(restored: &RuntimeResult<Restored>) -> bool {
    matches!(restored, Err(RuntimeError::Refused(Refusal::TrashNotFound(_))))
}

#[test]
fn a_restore_that_a_process_left_half_way_is_made_again() {
    on_both(&async |setup| {
        for (session, parts) in [("a", 0), ("b", 1), ("c", usize::MAX)] {
            let floors = setup.make(session, 700).await;
            let item = setup.remove(&floors[50..650]).await;
            setup.leave_draft(&item, parts).await;
            let restored = setup.restore(&item).await.unwrap();
            assert_eq!((restored.floors, restored.is_new_branch, restored.renamed_count), (600, false, 0));
            assert_eq!(setup.floors(session, MAIN_BRANCH).await, floors);
        }
        // What has no floors yet keeps nobody from restoring; upkeep drops it.
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

/// Makes all drafts too old.
const GIVEN_UP: Sql = Sql::across_accounts("UPDATE trash SET deleted_at = -1000 WHERE deleted_at < -2");

#[test]
fn a_restore_in_one_transaction_drops_what_another_has_prepared() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        let item = setup.remove(&floors[50..650]).await;
        let (large, hidden) = setup.prepare(setup.plan(&item).await, 2).await;
        let (restored, now) = (item.clone(), now_ms());
        let restore = move |tx: &mut dyn Tx| trash::restore(tx, &account(), &restored, &Under::default(), now);
        assert_eq!(setup.store.write(restore).await.unwrap().floors, 600);
        let late = move |tx: &mut dyn Tx| large.put_part(tx, &account(), hidden, 2, now);
        assert!(setup.store.write(late).await.unwrap().is_none(), "the other one finds that the session has changed");
        assert_eq!(setup.floors("s", MAIN_BRANCH).await, floors);
        // Upkeep deletes what was kept of it.
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

#[test]
fn a_restore_goes_on_when_its_client_is_gone() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        let item = setup.remove(&floors[50..650]).await;
        let writes = setup.runtime.counters().writes;
        let has_begun = async {
            while setup.runtime.counters().writes < writes + 2 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = has_begun => {}
            restored = setup.restore(&item) => drop(restored.unwrap()),
        }
        // The next one waits for it.
        let again = setup.restore(&item).await;
        assert!(is_gone(&again), "{again:?}");
        assert_eq!(setup.floors("s", MAIN_BRANCH).await, floors);
        setup.is_healthy().await;
    });
}

#[test]
fn of_two_restores_of_one_item_one_finds_nothing() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        let item = setup.remove(&floors[50..650]).await;
        let (first, second) = tokio::join!(setup.restore(&item), setup.restore(&item));
        assert_eq!([is_gone(&first), is_gone(&second)].iter().filter(|gone| **gone).count(), 1, "{first:?} {second:?}");
        assert_eq!(first.or(second).unwrap().floors, 600);
        assert_eq!(setup.floors("s", MAIN_BRANCH).await, floors);
        setup.is_clean().await;
    });
}

#[test]
fn a_session_in_the_trash_keeps_what_is_prepared_in_it() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        let item = setup.remove(&floors[50..650]).await;
        setup.leave_draft(&item, usize::MAX).await;
        setup.runtime.remove_sessions(&account(), vec![id("s")], false).await.unwrap();
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        let owned = "SELECT COUNT(*) FROM trash WHERE deleted_at = 0";
        assert_eq!(setup.number(owned).await, 1, "the hidden branch has an owner");
        let session = "SELECT COUNT(*) FROM trash WHERE kind = 4";
        assert_eq!(setup.number(session).await, 1);
        let window = Window { limit: 10, ..WINDOW };
        let listed = setup.runtime.trash(&account(), None, window).await.unwrap().items;
        setup.restore(&listed[0].id).await.unwrap();
        setup.is_healthy().await;
        assert_eq!(setup.restore(&item).await.unwrap().floors, 600);
        assert_eq!(setup.floors("s", MAIN_BRANCH).await, floors);
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

#[test]
fn upkeep_purges_what_was_prepared_when_its_session_is_back_or_gone() {
    on_both(&async |setup| {
        for session in ["s", "t"] {
            let floors = setup.make(session, 700).await;
            let item = setup.remove(&floors[50..650]).await;
            setup.leave_draft(&item, usize::MAX).await;
            setup.runtime.purge_trash(&account(), &item).await.unwrap();
            setup.runtime.remove_sessions(&account(), vec![id(session)], false).await.unwrap();
        }
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        let window = Window { limit: 10, ..WINDOW };
        let items = setup.runtime.trash(&account(), None, window).await.unwrap().items;
        setup.restore(&items[0].id).await.unwrap();
        setup.runtime.purge_trash(&account(), &items[1].id).await.unwrap();
        while setup.runtime.run_jobs().await.unwrap() > 0 {}
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

/// Adds a floor with a page and a variable on each.
async fn add_floor(setup: &Setup, floor: &str) -> Id {
    let (floor, page) = (id(floor), id(&format!("{floor}.page")));
    setup
        .runtime
        .create_floor(&account(), NewFloor { id: Some(floor.clone()), ..NewFloor::of(id("s")) })
        .await
        .unwrap();
    let new = NewPage { id: Some(page.clone()), content: Some("text".into()), ..NewPage::of(floor.clone()) };
    setup.runtime.create_page(&account(), new).await.unwrap();
    let write = |host: Host| Write {
        target: Target { host, key: "k".parse().unwrap() },
        value: JsonText::from_string("1"),
        condition: Condition::None,
    };
    let writes = vec![write(Host::Floor(floor.clone())), write(Host::Page(page))];
    setup.runtime.put_variables(&account(), writes).await.unwrap();
    floor
}

/// Edits the state of a floor's page by hand.
async fn edit(setup: &Setup, floor: &Id) {
    let query = PageQuery { floor: floor.clone(), page_no: None, is_active: None, content: false, window: WINDOW };
    let page = setup.runtime.pages(&account(), query).await.unwrap().items.remove(0).id;
    let edit = Edits::Set("weather".parse().unwrap(), Value::from("rain"));
    setup.runtime.edit_page(&account(), &page, edit.into(), Condition::None).await.unwrap();
}

#[test]
fn what_is_prepared_is_no_damage_and_counts_nowhere() {
    on_both(&async |setup| {
        let mut floors = setup.make("s", 700).await;
        edit(setup, &floors[60]).await;
        for floor in ["x", "y"] {
            floors.push(add_floor(setup, floor).await);
        }
        let whole = setup.runtime.usage(&account()).await.unwrap();
        let item = setup.remove(&floors[50..]).await;
        let without = setup.runtime.usage(&account()).await.unwrap();
        for parts in [1, 2, usize::MAX] {
            setup.leave_draft(&item, parts).await;
            setup.is_healthy().await;
            setup.runtime.remove_sessions(&account(), vec![id("s")], false).await.unwrap();
            setup.is_healthy().await;
            let window = Window { limit: 10, ..WINDOW };
            let listed = setup.runtime.trash(&account(), None, window).await.unwrap().items;
            setup.restore(&listed[0].id).await.unwrap();
            assert_eq!(setup.runtime.usage(&account()).await.unwrap(), without);
            setup.is_healthy().await;
            setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
            setup.runtime.purge().await.unwrap();
        }
        assert_eq!(setup.restore(&item).await.unwrap().floors, 652);
        assert_eq!(setup.runtime.usage(&account()).await.unwrap(), whole);
        setup.is_clean().await;
    });
}

/// It would be lost if nothing came of the restore.
#[test]
fn a_state_that_is_prepared_is_not_edited() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        edit(setup, &floors[60]).await;
        let state = setup.runtime.state_at_floor(&account(), &id("s"), None, 60).await.unwrap();
        let snapshot = state.at.snapshot.unwrap();
        let item = setup.remove(&floors[50..650]).await;
        setup.leave_draft(&item, 1).await;
        assert_eq!(setup.runtime.snapshot(&account(), &snapshot).await.unwrap().0.page, None);
        let edit = Edits::Set("weather".parse().unwrap(), Value::from("snow"));
        let edited = setup.runtime.edit_snapshot(&account(), &snapshot, edit, Condition::None).await;
        assert!(matches!(edited, Err(RuntimeError::Refused(Refusal::SnapshotOfDeletedPage(_)))), "{edited:?}");
        setup.restore(&item).await.unwrap();
        let restored = setup.runtime.state_at_floor(&account(), &id("s"), None, 60).await.unwrap();
        assert_eq!(restored.document, state.document);
    });
}

/// What was prepared before goes with it, and nothing more is prepared.
#[test]
fn an_item_that_is_purged_while_it_is_restored_is_gone() {
    on_both(&async |setup| {
        let floors = setup.make("s", 700).await;
        let item = setup.remove(&floors[50..650]).await;
        let (large, hidden) = setup.prepare(setup.plan(&item).await, 1).await;
        setup.runtime.purge_trash(&account(), &item).await.unwrap();
        let (late, now) = (Arc::clone(&large), now_ms());
        let put = move |tx: &mut dyn Tx| late.put_part(tx, &account(), hidden, 1, now);
        let put = setup.store.write(put).await;
        assert!(matches!(put, Err(StoreError::Refused(Refusal::TrashNotFound(_)))), "{put:?}");
        let begin = move |tx: &mut dyn Tx| large.begin(tx, &account(), now);
        assert!(!matches!(setup.store.write(begin).await, Ok(Some(_))));
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
        assert_eq!(setup.floors("s", MAIN_BRANCH).await.len(), 100);
    });
}

/// A floor that moved to the front, and lost a swipe in the same sync that deleted what was in front of it, has a number that one of those has.
#[test]
fn floors_that_need_other_numbers_come_back_on_a_branch() {
    on_both(&async |setup| {
        let mut order = chat("s", 300);
        let (text, speaker) = ("another swipe", Speaker { role: Some("assistant".to_owned()), name: None });
        order.texts.insert(text_hash(Some(text)), Text::new(text));
        let new = NewSession { id: Some(id("s")), ..NewSession::default() };
        setup.runtime.create_session(&account(), new).await.unwrap();
        let last = order.messages.last_mut().unwrap();
        let kept = last.clone();
        last.swipes.push(Swipe { text: text_hash(Some(text)), speaker });
        setup.runtime.sync(&account(), order, false).await.unwrap();
        let stay = chat("s", 202).messages.split_off(200);
        let front = SyncOrder { messages: [vec![kept], stay].concat(), ..chat("s", 202) };
        let item = setup.runtime.sync(&account(), front, false).await.unwrap().synced.trash.unwrap();
        let floors = setup.floors("s", MAIN_BRANCH).await;
        assert_eq!(setup.numbers("s", MAIN_BRANCH).await, [0, 200, 201]);
        setup.remove(&floors[..1]).await;
        setup.runtime.sync(&account(), chat_of("new", "s", 310), false).await.unwrap();
        let restored = setup.restore(&item).await.unwrap();
        assert!(restored.is_new_branch, "{restored:?}");
        assert_eq!(setup.numbers("s", &restored.branch.unwrap()).await.len(), 300 - 2);
        setup.is_healthy().await;
    });
}

/// Other lines share most of what the floors come back to, and get rows of their own before anything is prepared.
#[test]
fn a_large_restore_beside_a_fork_is_prepared_as_any_other() {
    on_both(&async |setup| {
        let floors = setup.make("s", 1_000).await;
        let item = setup.remove(&floors[100..400]).await;
        setup.runtime.fork(&account(), &floors[900], Some("fork".to_owned())).await.unwrap();
        let fork = setup.numbers("s", "fork").await;
        let (large, now) = (setup.plan(&item).await, now_ms());
        assert!(large.needs_room());
        setup.store.write(move |tx| large.make_room(tx, &account(), now)).await.unwrap();
        let large = setup.plan(&item).await;
        assert!(!large.needs_room());
        let (large, hidden) = setup.prepare(large, usize::MAX).await;
        let restored = setup.finish(large, hidden).await;
        assert_eq!((restored.floors, restored.is_new_branch), (300, false));
        assert_eq!(setup.floors("s", MAIN_BRANCH).await, floors);
        assert_eq!(setup.numbers("s", "fork").await, fork);
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

/// A write at a tick that was read would be refused if it stopped and others did parts of it.
#[test]
fn the_last_step_of_a_restore_does_not_stop() {
    on_both(&async |setup| {
        let floors = setup.make("s", 1_000).await;
        let item = setup.remove(&floors[100..400]).await;
        setup.runtime.fork(&account(), &floors[900], Some("fork".to_owned())).await.unwrap();
        let (large, hidden) = setup.prepare(setup.plan(&item).await, usize::MAX).await;
        let restored = setup.finish(large, hidden).await;
        assert_eq!((restored.floors, restored.is_new_branch), (300, false));
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

/// Stores a value of the chat that the page of a new floor promoted.
async fn promote(setup: &Setup, session: &str) {
    let floor = setup.runtime.create_floor(&account(), NewFloor::of(id(session))).await.unwrap().id;
    let page = NewPage { content: Some("text".into()), ..NewPage::of(floor.clone()) };
    let page = setup.runtime.create_page(&account(), page).await.unwrap().id;
    let write = NewStagedWrite {
        key: "promoted".parse().unwrap(),
        op: StagedOp::Set,
        value: Some(JsonText::from_string("1")),
        intent: Intent::PromoteToChat,
        policy: ConflictPolicy::Replace,
        source_kind: SourceKind::Agent,
        reason: None,
        source: None,
        evidence: None,
    };
    setup.runtime.stage_write(&account(), &page, write).await.unwrap();
    setup.runtime.move_floor(&account(), &floor, FloorStep::Generate { lease_ms: None, renew: false }).await.unwrap();
    setup.runtime.move_floor(&account(), &floor, FloorStep::Commit { page: None }).await.unwrap();
    assert_ne!(setup.number("SELECT COUNT(*) FROM promotion").await, 0);
}

/// Pages wait as active ones where nothing is promoted, and become active with the last step where something is.
#[test]
fn many_floors_come_back_with_the_swipes_that_were_chosen() {
    on_both(&async |setup| {
        for session in ["plain", "promoted"] {
            let floors = setup.make(session, 600).await;
            for floor in &floors[100..110] {
                let page = NewPage { content: Some("other".into()), is_active: true, ..NewPage::of(floor.clone()) };
                setup.runtime.create_page(&account(), page).await.unwrap();
            }
            if session == "promoted" {
                promote(setup, session).await;
            }
            let before = setup.swipes(&floors[95..115]).await;
            assert_eq!(before.iter().filter(|(_, is_active, _)| *is_active).count(), 20);
            let item = setup.remove(&floors[50..500]).await;
            let hidden = setup.prepare(setup.plan(&item).await, usize::MAX).await;
            let active = setup.number("SELECT COUNT(*) FROM page p JOIN floor f ON f.account_id = p.account_id
                AND f.session_row = p.session_row AND f.floor_row = p.floor_row JOIN branch b ON b.account_id = f.account_id
                AND b.session_row = f.session_row AND b.branch_row = f.branch_row WHERE p.is_active = 1 AND LENGTH(b.id) > 256");
            assert_eq!(active.await, if session == "plain" { 450 } else { 0 });
            let restored = setup.finish(hidden.0, hidden.1).await;
            assert_eq!((restored.floors, restored.pages), (450, 460));
            assert_eq!(setup.swipes(&floors[95..115]).await, before, "{session}");
            setup.runtime.purge().await.unwrap();
            setup.is_clean().await;
        }
    });
}

/// A chat that gets, chooses and loses swipes in parts is the one that it is in one transaction.
#[test]
fn many_swipes_change_in_parts_as_in_one_transaction() {
    on_both(&async |setup| {
        let changes: [(&[&str], usize); 5] = [
            (&["first", "second"], 0),
            (&["first", "second"], 1),
            (&["third", "second", "fourth"], 0),
            (&["second", "fourth"], 1),
            (&["fourth", "fifth"], 1),
        ];
        let mut floors = Vec::new();
        for session in ["in-parts", "at-once"] {
            floors.push(setup.make(session, 300).await);
        }
        for (words, active) in changes {
            let order = |session| chat_of_swipes(words, active, session, 300);
            let (tried, now) = (order("in-parts"), now_ms());
            let read = setup.store.read(move |tx| {
                let look = Look::read(tx, &account(), &tried, now)?;
                ReadBefore::read(tx, &account(), (&tried, &look))
            });
            assert!(read.await.unwrap().unwrap().swipes.is_some(), "they are many");
            let synced = setup.runtime.sync(&account(), order("in-parts"), false).await.unwrap().synced;
            let (whole, now) = (order("at-once"), now_ms());
            let ids = || std::iter::repeat_with(|| random_id().unwrap());
            let apply = move |tx: &mut dyn Tx| sync::apply(tx, &account(), &whole, &mut ids(), now);
            let at_once = setup.store.write(apply).await.unwrap();
            let counts = |synced: &Synced| (synced.changed, synced.swipes_deleted, synced.trash.is_some());
            assert_eq!(counts(&synced), counts(&at_once), "{words:?}");
            let swipes = setup.swipes(&floors[0]).await;
            assert_eq!(swipes, setup.swipes(&floors[1]).await, "{words:?}");
            let texts: Vec<_> = swipes[..words.len()].iter().map(|(_, _, text)| text.clone().unwrap()).collect();
            assert_eq!(texts, words.iter().map(|word| format!("{word} 0")).collect::<Vec<_>>());
            setup.is_healthy().await;
        }
        assert_eq!(setup.runtime.large_changes_unprepared(), 0);
    });
}

/// What a sync has kept before it deletes swipes counts nowhere, and goes with its session.
#[test]
fn a_draft_with_variables_of_pages_goes_with_its_session() {
    on_both(&async |setup| {
        let new = NewSession { id: Some(id("s")), ..NewSession::default() };
        setup.runtime.create_session(&account(), new).await.unwrap();
        let floor = id("f");
        let new = NewFloor { id: Some(floor.clone()), ..NewFloor::of(id("s")) };
        setup.runtime.create_floor(&account(), new).await.unwrap();
        for (text, is_active) in [("text", false), ("other text", true)] {
            let (page, content) = (Some(id(&text.replace(' ', "-"))), Some(text.to_owned()));
            let new = NewPage { id: page, content, is_active, ..NewPage::of(floor.clone()) };
            setup.runtime.create_page(&account(), new).await.unwrap();
        }
        // A value of the committed page would be promoted.
        let (host, key) = (Host::Page(id("text")), "k".parse().unwrap());
        let value = JsonText::from_string("1");
        let write = Write { target: Target { host, key }, value, condition: Condition::None };
        setup.runtime.put_variables(&account(), vec![write]).await.unwrap();
        for step in [FloorStep::Generate { lease_ms: None, renew: false }, FloorStep::Commit { page: None }] {
            setup.runtime.move_floor(&account(), &floor, step).await.unwrap();
        }
        // The page with the variable is the first of two swipes, and goes.
        let behind = |words: &[&str], first: &[&str]| {
            let mut order = chat_of_swipes(words, words.len() - 1, "s", 300);
            let swipe =
                |text: &&str| Swipe { text: text_hash(Some(text)), speaker: Speaker { role: None, name: None } };
            order.texts.extend(first.iter().map(|text| (text_hash(Some(text)), Text::new(text))));
            let message = Message { swipes: first.iter().map(swipe).collect(), active: first.len() - 1 };
            order.messages.insert(0, message);
            order
        };
        let both = behind(&["message", "other"], &["text", "other text"]);
        setup.runtime.sync(&account(), both, false).await.unwrap();
        let (order, item, now) = (behind(&["other"], &["other text"]), random_id().unwrap(), now_ms());
        let (plan, read) = setup
            .store
            .read(move |tx| {
                let look = Look::read(tx, &account(), &order, now)?;
                let read = ReadBefore::read(tx, &account(), (&order, &look))?.expect("nothing has changed");
                assert!(read.swipes.is_some(), "swipes go");
                Ok((Arc::new((order, look)), read))
            })
            .await
            .unwrap();
        let planned = Arc::clone(&plan);
        let draft = setup.store.write(move |tx| {
            let (order, look) = &*planned;
            Draft::begin(tx, &account(), (order, look, read.swipes.as_ref()), (&item, look.seq()), now)
        });
        let draft = Arc::new(draft.await.unwrap().expect("swipes go"));
        let mut next = Some(0);
        while let Some(at) = next {
            let (draft, plan) = (Arc::clone(&draft), Arc::clone(&plan));
            next = setup.store.write(move |tx| draft.keep_swipes(tx, &account(), &plan.1, at)).await.unwrap();
        }
        assert_eq!(
            setup.number("SELECT CAST(SUM(variables) AS BIGINT) FROM trash").await,
            1,
            "the draft has that of the page"
        );
        setup.is_healthy().await;
        setup.runtime.remove_sessions(&account(), vec![id("s")], true).await.unwrap();
        assert_eq!(setup.runtime.check().await.unwrap().findings, [], "as many variables as are counted");
    });
}

#[test]
fn a_branch_with_variables_that_is_being_deleted_is_no_damage() {
    on_both(&async |setup| {
        let floors = setup.make("s", 300).await;
        setup.runtime.fork(&account(), &floors[299], Some("fork".into())).await.unwrap();
        let own = SyncOrder { branch: "fork".to_owned(), ..chat_of("other", "s", 300) };
        setup.runtime.sync(&account(), own, false).await.unwrap();
        let (host, key) = (Host::Branch(id("s"), "fork".to_owned()), "k".parse().unwrap());
        let write =
            Write { target: Target { host, key }, value: JsonText::from_string("1"), condition: Condition::None };
        setup.runtime.put_variables(&account(), vec![write]).await.unwrap();
        let (item, now) = (random_id().unwrap(), now_ms());
        let bin = Bin::Trash(item.clone());
        let wanted = item.clone();
        let begun = move |tx: &mut dyn Tx| branches::delete(tx, &account(), &id("s"), "fork", (&bin, &wanted), now);
        assert_eq!(setup.store.write(begun).await.unwrap(), 300);
        setup.is_healthy().await;
        setup.runtime.purge().await.unwrap();
        setup.is_healthy().await;
        assert_eq!(setup.restore(&item).await.unwrap().floors, 300);
        setup.is_healthy().await;
    });
}

/// How the items of the next tests come back: in parts, after a process left a restore half way or at its end, beside a fork, in one transaction.
const WAYS: [&str; 5] = ["in-parts", "left-begun", "left-whole", "forked", "at-once"];

/// In parts as in one transaction, also where a process left a restore half way and where a fork shares the floors.
#[test]
fn many_deleted_swipes_come_back_with_the_ids_that_they_had() {
    on_both(&async |setup| {
        let mut found = Vec::new();
        for session in WAYS {
            let floors = setup.make(session, 600).await;
            let both = chat_of_swipes(&["message", "other"], 1, session, 600);
            setup.runtime.sync(&account(), both, false).await.unwrap();
            let before = setup.swipes(&floors).await;
            let chosen = setup.chosen(&floors[300]).await;
            let synced = setup.runtime.sync(&account(), chat(session, 600), false).await.unwrap().synced;
            assert_eq!(synced.swipes_deleted, 600);
            let item = synced.trash.unwrap();
            let gone = setup.runtime.page(&account(), &chosen).await;
            assert!(matches!(gone, Err(RuntimeError::Refused(Refusal::PageNotFound(_)))), "{gone:?}");
            setup.disturb(session, &floors, &item).await;
            let gone = setup.runtime.page(&account(), &chosen).await;
            assert!(matches!(gone, Err(RuntimeError::Refused(Refusal::PageNotFound(_)))), "{gone:?}");
            let gone = setup.runtime.edits(&account(), &chosen).await;
            assert!(matches!(gone, Err(RuntimeError::Refused(Refusal::PageNotFound(_)))), "{gone:?}");
            setup.is_healthy().await;
            let restored = setup.restore_as(session, item).await;
            assert_eq!((restored.pages, restored.renamed_count, restored.is_new_branch), (600, 0, false));
            assert!(setup.runtime.page(&account(), &chosen).await.unwrap().is_active);
            assert_eq!(setup.swipes(&floors).await, before, "{session}");
            found.push(before);
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}

/// The rows of swipes that come back lie between those of the swipes that have stayed.
#[test]
fn deleted_swipes_come_back_before_between_and_behind_others() {
    let words = ["message", "second", "third", "fourth"];
    on_both(&async |setup| {
        // Which swipe of a floor is chosen at first, and which ones stay.
        let active: [fn(usize) -> usize; 5] = [|_| 0, |_| 1, |_| 2, |_| 3, |number| number % 4];
        let stay: [&[usize]; 5] = [&[0], &[3], &[1], &[0, 1], &[1, 3]];
        for (way, (active, stay)) in
            active.iter().flat_map(|active| stay.iter().map(move |stay| (active, stay))).enumerate()
        {
            let session = format!("s{way}");
            let floors = setup.make(&session, 130).await;
            let mut all = chat_of_swipes(&words, 0, &session, 130);
            all.messages.iter_mut().enumerate().for_each(|(number, message)| message.active = active(number));
            setup.runtime.sync(&account(), all, false).await.unwrap();
            let before = setup.swipes(&floors).await;
            let mut fewer = chat_of_swipes(&words, 0, &session, 130);
            for message in &mut fewer.messages {
                message.swipes = stay.iter().map(|&at| message.swipes[at].clone()).collect();
            }
            let synced = setup.runtime.sync(&account(), fewer, false).await.unwrap().synced;
            assert_eq!(synced.swipes_deleted, 130 * (4 - stay.len()));
            let now = setup.swipes(&floors).await;
            let restored = setup.restore(&synced.trash.unwrap()).await.unwrap();
            assert_eq!((restored.pages, restored.is_new_branch), (synced.swipes_deleted as i64, false));
            let texts = |swipes: &[(i64, bool, Option<String>)]| -> Vec<_> {
                swipes.iter().map(|one| (one.0, one.2.clone())).collect()
            };
            let after = setup.swipes(&floors).await;
            assert_eq!(texts(&after), texts(&before), "{session}");
            // What was chosen when it was deleted is chosen again.
            for floor in 0..130 {
                let chosen =
                    |swipes: &[(i64, bool, Option<String>)]| swipes[floor * 4..][..4].iter().position(|one| one.1);
                let was = chosen(&before);
                let expected = match was.is_some_and(|was| stay.contains(&was)) {
                    true => now[floor * stay.len()..][..stay.len()].iter().position(|one| one.1).map(|at| stay[at]),
                    false => was,
                };
                assert_eq!(chosen(&after), expected, "{session}: floor {floor}");
            }
        }
        setup.is_healthy().await;
    });
}

/// In parts as in one transaction, also where a process left a restore half way and where a fork shares the floors.
#[test]
fn many_replaced_texts_come_back_as_swipes_that_are_chosen() {
    on_both(&async |setup| {
        let mut found = Vec::new();
        for session in WAYS {
            let floors = setup.make(session, 600).await;
            let synced = setup.runtime.sync(&account(), chat_of("other", session, 600), false).await.unwrap().synced;
            let item = synced.trash.unwrap();
            setup.disturb(session, &floors, &item).await;
            setup.is_healthy().await;
            let restored = setup.restore_as(session, item).await;
            assert_eq!((restored.pages, restored.renamed_count, restored.is_new_branch), (600, 600, false));
            assert_eq!(restored.branch.as_deref(), Some(MAIN_BRANCH));
            let renamed = setup.runtime.page(&account(), &restored.renamed[0].id).await.unwrap();
            assert_eq!((renamed.is_active, renamed.content.as_deref()), (true, Some("message 0")));
            let expected = [(0, false, Some("other 300".to_owned())), (1, true, Some("message 300".to_owned()))];
            assert_eq!(setup.swipes(&floors[300..301]).await, expected);
            found.push(setup.swipes(&floors).await);
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        setup.store.write(|tx| tx.execute(GIVEN_UP, params![])).await.unwrap();
        setup.runtime.purge().await.unwrap();
        setup.is_clean().await;
    });
}
