//! Versions that nobody needs go; every state stays what it was, read again from what is left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::order::{NewSession, NewTurn, PagePatch, StorySettings};
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{Access, Database, Mode, Options, ProcessOrder, Retention, Runtime, TakenTurn};
use tavernkeep_store::db::sql::Sql;
use tavernkeep_store::story::garbage;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{Store, params};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

struct Story {
    database: Database,
    age_ms: i64,
    runtime: Runtime,
    account: Id,
}

impl Story {
    async fn begin(database: Database, age_ms: i64) -> Story {
        let runtime = Self::open(&database, age_ms).await;
        let account = Runtime::default_account();
        // Long enough that a change is small beside it.
        let bag: Vec<String> = (0..200).map(|number| format!("\"thing {number}\"")).collect();
        let template = format!("{{\"n\": 0, \"bag\": [{}]}}", bag.join(","));
        let template = Some(Some(JsonText::parse(template.as_bytes()).unwrap()));
        let story = StorySettings { template, ..StorySettings::default() };
        let session = NewSession { id: Some(id("s")), story, ..NewSession::default() };
        runtime.create_session(&account, session).await.unwrap();
        Story { database, age_ms, runtime, account }
    }

    async fn open(database: &Database, age_ms: i64) -> Runtime {
        let retention = Retention { versions_age_ms: Some(age_ms), ..Retention::default() };
        Runtime::open(Options { retention, ..Options::new(database.clone()) }).await.unwrap()
    }

    async fn turn(&self, content: &str, swipe_of: Option<Id>) -> TakenTurn {
        let (role, content) = ("assistant".into(), content.into());
        let (branch, floor_no, page, name, expected_parent) = (None, None, None, None, None);
        let turn = NewTurn { session: id("s"), branch, floor_no, swipe_of, page, role, name, content, expected_parent };
        self.runtime.take_turn(&self.account, turn).await.unwrap()
    }

    async fn rewrite(&self, turn: &TakenTurn, content: &str) {
        let patch = PagePatch { content: Some(Some(content.into())), ..PagePatch::default() };
        self.runtime.update_page(&self.account, &turn.page, patch).await.unwrap();
        self.runtime.process(&self.account, &id("s"), ProcessOrder::of(Mode::Stale)).await.unwrap();
    }

    async fn states(&self, turns: &[TakenTurn]) -> Vec<(String, bool)> {
        let mut states = Vec::new();
        for turn in turns {
            let state = self.runtime.state_of_page(&self.account, &turn.page).await.unwrap();
            states.push((state.document.to_json(), state.at.stale.is_none()));
        }
        states
    }

    /// How many versions and whole documents there are.
    async fn size(&self) -> (i64, i64) {
        let store = Store::open(&self.database, Access::Visit, 1).await.unwrap();
        let account = self.account.clone();
        let size = store.read(move |tx| garbage::size(tx, &account, &id("s"))).await.unwrap();
        store.close().await;
        size
    }

    /// Takes away what nobody needs; every state must be the same afterwards, read from what is left.
    async fn collect(self, turns: &[TakenTurn]) -> Story {
        let before = self.states(turns).await;
        self.runtime.purge().await.unwrap();
        let Story { database, age_ms, runtime, account } = self;
        runtime.close().await;
        let runtime = Self::open(&database, age_ms).await;
        let story = Story { database, age_ms, runtime, account };
        assert_eq!(story.states(turns).await, before);
        story
    }
}

fn on_both<F: Future<Output = Story>>(age_ms: i64, tell: impl Fn(Story) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        tokio.block_on(async {
            let story = tell(Story::begin(database, age_ms).await).await;
            let report = story.runtime.check().await.unwrap();
            assert!(report.findings.is_empty(), "{report:#?}");
            story.runtime.close().await;
        });
    }
}

#[test]
fn what_was_computed_anew_leaves_one_version_for_each_page() {
    on_both(0, async |story| {
        let mut turns = Vec::new();
        for _ in 0..40 {
            turns.push(story.turn("@.ADD(\"n\", 1);", None).await);
        }
        for number in 2..5 {
            story.rewrite(&turns[1], &format!("@.ADD(\"n\", {number});")).await;
        }
        assert_eq!(story.size().await.0, 40 + 3 * 39);
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await.0, 40);
        assert_eq!(story.runtime.upkeep().versions, 0, "the process that counted is gone");
        // Once more there is nothing to do.
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await.0, 40);
        story
    });
}

#[test]
fn what_a_state_came_from_stays_as_long_as_the_state() {
    on_both(0, async |story| {
        let mut turns = Vec::new();
        for _ in 0..20 {
            turns.push(story.turn("@.ADD(\"n\", 1);", None).await);
        }
        // The last floor has a swipe that stands on a state which nobody has any more.
        let swipe = story.turn("@.ADD(\"n\", 5);", Some(turns[19].floor.clone())).await;
        story.runtime.activate_page(&story.account, &turns[19].page).await.unwrap();
        turns.push(swipe);
        story.rewrite(&turns[0], "@.ADD(\"n\", 2);").await;
        let story = story.collect(&turns).await;
        // One for each of the 21 pages, and the 19 that the swipe came from.
        assert_eq!(story.size().await.0, 40);
        let swipe = turns[20].snapshot.clone().unwrap();
        story.runtime.remove_snapshot(&story.account, &swipe, Condition::None, true).await.unwrap();
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await.0, 20);
        story
    });
}

#[test]
fn edits_by_hand_need_no_versions_but_the_last() {
    on_both(0, async |story| {
        let turn = story.turn("@.ADD(\"n\", 1);", None).await;
        let snapshot = turn.snapshot.clone().unwrap();
        for number in 0..3_i64 {
            let document: Value = [("n", Value::from(number))].into_iter().collect();
            story.runtime.edit_snapshot(&story.account, &snapshot, document, Condition::None).await.unwrap();
        }
        let turns = [turn];
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await.0, 1);
        // Dropped, everything of it goes.
        story.runtime.remove_snapshot(&story.account, &snapshot, Condition::None, true).await.unwrap();
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await, (0, 0));
        story
    });
}

#[test]
fn an_edit_that_is_carried_along_leaves_no_trail() {
    on_both(0, async |story| {
        let turns = [story.turn("@.ADD(\"n\", 1);", None).await, story.turn("@.ADD(\"n\", 1);", None).await];
        let document: Value = [("by", Value::from("hand"))].into_iter().collect();
        let snapshot = turns[1].snapshot.clone().unwrap();
        story.runtime.edit_snapshot(&story.account, &snapshot, document, Condition::None).await.unwrap();
        for number in 0..5 {
            story.rewrite(&turns[0], &format!("@.ADD(\"n\", {number});")).await;
        }
        let story = story.collect(&turns).await;
        // One for each page: the edit is applied again on what the text comes to.
        assert_eq!(story.size().await.0, 2);
        let shown = story.runtime.change_of_floor(&story.account, &turns[1].floor, false).await.unwrap();
        assert!(!shown.change.ops.is_empty(), "the change is still shown");
        story
    });
}

#[test]
fn what_is_needed_since_the_look_stays() {
    on_both(0, async |story| {
        let turn = story.turn("@.ADD(\"n\", 1);", None).await;
        story.rewrite(&turn, "@.ADD(\"n\", 2);").await;
        let store = Store::open(&story.database, Access::Visit, 1).await.unwrap();
        let account = story.account.clone();
        let sweep = store.read(move |tx| garbage::look(tx, SessionKey::new(&account, 1), 0)).await.unwrap().unwrap();
        assert_eq!(sweep.order, [] as [i64; 0], "everything is young");
        let account = story.account.clone();
        let sweep =
            store.read(move |tx| garbage::look(tx, SessionKey::new(&account, 1), i64::MAX)).await.unwrap().unwrap();
        let dead = sweep.order.clone();
        assert_eq!(dead.len(), 1);
        // Somebody who was slow builds on what was replaced meanwhile.
        let slow = Sql::across_accounts(
            "INSERT INTO version (account_id, session_row, version_row, page_row, parent_row, base_row, kind, text_hash,
                                  recipe_hash, clock_ms, round, changes, bytes, change)
             SELECT account_id, session_row, 9000000000000000000, page_row, version_row, base_row, kind, text_hash,
                recipe_hash, clock_ms, round, changes, bytes, change
             FROM version WHERE version_row = ?1",
        );
        let row = dead[0];
        store.write(move |tx| tx.execute(slow, params![row]).map(drop)).await.unwrap();
        let account = story.account.clone();
        let taken = store.write(move |tx| garbage::delete_some(tx, &account, &sweep, &dead)).await.unwrap();
        assert_eq!(taken, None);
        store.close().await;
        assert_eq!(story.size().await.0, 3);
        story
    });
}

#[test]
fn what_is_young_stays() {
    on_both(60 * 60 * 1000, async |story| {
        let turns = [story.turn("@.ADD(\"n\", 1);", None).await];
        story.rewrite(&turns[0], "@.ADD(\"n\", 2);").await;
        let story = story.collect(&turns).await;
        assert_eq!(story.size().await.0, 2);
        story
    });
}
