//! An export in parts, while others go on writing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::order::{NewPage, NewSession, NewTurn, SessionPatch, StorySettings, Write};
use tavernkeep_runtime::record::{Condition, Host, Target};
use tavernkeep_runtime::{Database, Item, Mode, Options, ProcessOrder, Runtime, TakenTurn};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

/// Tells a story on a fresh database of each kind, with a session.
fn on_both<F: Future<Output = ()>>(tell: impl Fn(Runtime) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        tokio.block_on(async {
            let runtime = Runtime::open(Options::new(database)).await.unwrap();
            let new = NewSession { id: Some(id("s")), ..NewSession::default() };
            runtime.create_session(&Runtime::default_account(), new).await.unwrap();
            tell(runtime).await;
        });
    }
}

async fn turn(runtime: &Runtime, content: &str) -> TakenTurn {
    let new = NewTurn::of(id("s"), "assistant", content);
    runtime.take_turn(&Runtime::default_account(), new).await.unwrap()
}

/// The ids of the items of one kind.
fn ids(items: &[Item], of: impl Fn(&Item) -> Option<Id>) -> Vec<Id> {
    items.iter().filter_map(of).collect()
}

fn page(item: &Item) -> Option<Id> {
    if let Item::Page(page) = item { Some(page.id.clone()) } else { None }
}

fn page_of_state(item: &Item) -> Option<Id> {
    if let Item::Snapshot(snapshot, _) = item { snapshot.page.clone() } else { None }
}

#[test]
fn whatever_a_line_refers_to_has_a_line_before_it() {
    on_both(async |runtime| {
        let account = Runtime::default_account();
        let mut turns = Vec::new();
        for _ in 0..3 {
            turns.push(turn(&runtime, "@.ADD(\"n\", 1);").await);
        }
        let mut export = runtime.export_account(&account).await.unwrap();
        let mut items = Vec::new();
        while !items.iter().any(|item| matches!(item, Item::Session(_))) {
            items.extend(export.next().await.unwrap().unwrap());
        }
        // A floor, a swipe, and what all of them are computed with are new; another floor is gone.
        let late = turn(&runtime, "@.ADD(\"n\", 1);").await;
        let swipe = NewPage { content: Some("@.ADD(\"n\", 5);".into()), ..NewPage::of(turns[0].floor.clone()) };
        runtime.create_page(&account, swipe).await.unwrap();
        let template = Some(Some(JsonText::parse(b"{\"n\": 10}").unwrap()));
        let story = StorySettings { template, ..StorySettings::default() };
        runtime.update_session(&account, &id("s"), SessionPatch { story, ..SessionPatch::default() }).await.unwrap();
        runtime.process(&account, &id("s"), ProcessOrder::of(Mode::All)).await.unwrap();
        runtime.delete_floors(&account, vec![turns[2].floor.clone()]).await.unwrap();
        while let Some(part) = export.next().await.unwrap() {
            items.extend(part);
        }
        let pages = ids(&items, page);
        assert_eq!(pages, [turns[0].page.clone(), turns[1].page.clone()]);
        assert!(!pages.contains(&late.page));
        let states = ids(&items, page_of_state);
        assert_eq!(states, pages);
        let mut recipes = BTreeSet::new();
        for item in &items {
            match item {
                Item::Recipe(_, hash, _) => assert!(recipes.insert(*hash), "written twice"),
                Item::Snapshot(snapshot, _) => assert!(recipes.contains(&snapshot.recipe), "{snapshot:?}"),
                _ => {}
            }
        }
        drop(export);
        runtime.close().await;
    });
}

#[test]
fn a_session_that_is_deleted_meanwhile_ends_there() {
    on_both(async |runtime| {
        let account = Runtime::default_account();
        turn(&runtime, "@.ADD(\"n\", 1);").await;
        let mut export = runtime.export_account(&account).await.unwrap();
        let mut count = 0;
        while let Some(part) = export.next().await.unwrap() {
            let begins = part.iter().any(|item| matches!(item, Item::Session(_)));
            count += part.iter().filter(|item| page(item).or(page_of_state(item)).is_some()).count();
            if begins {
                runtime.remove_sessions(&account, vec![id("s")], true).await.unwrap();
            }
        }
        assert_eq!(count, 0);
        drop(export);
        runtime.close().await;
    });
}

#[test]
fn large_texts_are_read_a_few_at_a_time_and_each_once() {
    on_both(async |runtime| {
        // Letters that cannot be made much shorter.
        let mut seed = 1_u64;
        let mut letters = || {
            (0..100_000).fold(String::new(), |mut text, _| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let _ = write!(text, "{:016x}", seed ^ (seed >> 31));
                text
            })
        };
        let account = Runtime::default_account();
        let mut made = Vec::new();
        for floor in 0..70 {
            let first = turn(&runtime, "short").await;
            made.push(first.page);
            // Some floors have large swipes, more than are written at once.
            for _ in 0..(if floor % 30 == 1 { 4 } else { 0 }) {
                let swipe = NewPage { content: Some(letters()), ..NewPage::of(first.floor.clone()) };
                made.push(runtime.create_page(&account, swipe).await.unwrap().id);
            }
        }
        let mut export = runtime.export_account(&account).await.unwrap();
        let (mut pages, mut largest, mut floors) = (Vec::new(), 0, 0);
        while let Some(part) = export.next().await.unwrap() {
            let sizes = part.iter().map(|item| match item {
                Item::Page(page) => page.content.as_ref().map_or(0, String::len),
                _ => 0,
            });
            largest = largest.max(sizes.sum::<usize>());
            floors += part.iter().filter(|item| matches!(item, Item::Floor(_))).count();
            pages.extend(ids(&part, page));
        }
        assert_eq!((pages, floors), (made, 70));
        // Of the twelve large texts a few: what is stored of each is more than a half of it.
        assert!(largest < 8 * 1_600_000, "{largest}");
        drop(export);
        runtime.close().await;
    });
}

#[test]
fn large_states_and_values_are_read_a_few_at_a_time_and_each_once() {
    const LONG: usize = 900_000;
    on_both(async |runtime| {
        let account = Runtime::default_account();
        let long = "x".repeat(LONG);
        let template = format!(r#"{{"n": 0, "a": "{long}", "b": "{long}", "c": "{long}"}}"#);
        let template = Some(Some(JsonText::parse(template.as_bytes()).unwrap()));
        let story = StorySettings { template, ..StorySettings::default() };
        runtime.update_session(&account, &id("s"), SessionPatch { story, ..SessionPatch::default() }).await.unwrap();
        let mut pages = Vec::new();
        for _ in 0..10 {
            // A text that takes next to nothing where it is stored counts as long as it is.
            pages.push(turn(&runtime, &format!("@.ADD(\"n\", 1); {long}")).await.page);
        }
        let value = JsonText::parse(format!("\"{long}\"").as_bytes()).unwrap();
        for host in [Host::Global, Host::Chat(id("s"))] {
            let write = |number: usize| Write {
                target: Target { host: host.clone(), key: format!("k{number:02}").parse().unwrap() },
                value: value.clone(),
                condition: Condition::None,
            };
            runtime.put_variables(&account, (0..20).map(write).collect()).await.unwrap();
        }
        let mut export = runtime.export_account(&account).await.unwrap();
        let (mut states, mut variables, mut largest) = (Vec::new(), 0, 0);
        while let Some(part) = export.next().await.unwrap() {
            let sizes = part.iter().map(|item| match item {
                Item::Snapshot(_, document) => document.weight(),
                Item::Variable(variable) => variable.value.as_str().len(),
                Item::Page(page) => page.content.as_ref().map_or(0, String::len),
                _ => 0,
            });
            largest = largest.max(sizes.sum::<usize>());
            states.extend(ids(&part, page_of_state));
            variables += part.iter().filter(|item| matches!(item, Item::Variable(_))).count();
        }
        assert_eq!((states, variables), (pages, 40));
        // Four mebibytes, and the one that is more.
        assert!(largest < 4 * 1024 * 1024 + 4 * LONG, "{largest}");
        drop(export);
        runtime.close().await;
    });
}
