//! Random chats, synced again and again: the branch is what the client has, its state is what the texts come to, and no flag
//! is wrong, on forks neither.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, missing_docs)]

#[path = "support/dice.rs"]
mod dice;

use dice::Dice;
use std::collections::HashMap;
use std::time::Duration;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::order::{FloorQuery, NewSession, PageQuery, SessionPatch, StorySettings};
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::{
    Database, Expected, FILE_NAME, MAIN_BRANCH, Mode, Options, ProcessOrder, Runtime, SyncOrder, SyncReport, Text,
    check_file, text_hash,
};

/// A message as its author sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    role: &'static str,
    texts: Vec<String>,
    active: usize,
}

/// Few texts, so that the same ones come again; some say nothing.
fn text(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => String::new(),
        number => format!("{} @.ADD(\"n\", {number});", ["Ah.", "Oh."][dice.below(2)]),
    }
}

fn said(dice: &mut Dice) -> Said {
    let texts: Vec<String> = (0..=dice.below(3)).map(|_| text(dice)).collect();
    Said { role: ["user", "assistant"][dice.below(2)], active: dice.below(texts.len()), texts }
}

fn change(chat: &mut Vec<Said>, dice: &mut Dice) {
    let at = dice.below(chat.len());
    match dice.below(9) {
        0 | 1 => chat.push(said(dice)),
        2 => chat.insert(dice.below(chat.len() + 1), said(dice)),
        _ if chat.is_empty() => {}
        3 => drop(chat.remove(at)),
        4 => chat[at].texts.push(text(dice)),
        5 => {
            let swipe = dice.below(chat[at].texts.len());
            chat[at].texts[swipe] = text(dice);
        }
        6 => chat[at].active = dice.below(chat[at].texts.len()),
        7 => {
            let message = chat.remove(at);
            chat.insert(dice.below(chat.len() + 1), message);
        }
        _ => {
            if chat[at].texts.len() > 1 {
                chat[at].texts.remove(0);
                chat[at].active = 0;
            } else {
                chat[at].role = ["user", "assistant"][dice.below(2)];
            }
        }
    }
}

/// What the texts come to.
fn sum(chat: &[Said]) -> i64 {
    let number = |text: &String| text.split(", ").nth(1).and_then(|rest| rest.trim_end_matches(");").parse().ok());
    chat.iter()
        .filter(|said| said.role == "assistant")
        .filter_map(|said| number(&said.texts[said.active]) as Option<i64>)
        .sum()
}

fn order(session: &Id, branch: &str, chat: &[Said]) -> SyncOrder {
    let mut texts = HashMap::new();
    let mut message = |said: &Said| {
        let speaker = Speaker { role: Some(said.role.to_owned()), name: None };
        let swipe = |text: &String| {
            let hash = text_hash(Some(text));
            texts.insert(hash, Text::new(text));
            Swipe { text: hash, speaker: speaker.clone() }
        };
        Message { swipes: said.texts.iter().map(swipe).collect(), active: said.active }
    };
    let messages = chat.iter().map(&mut message).collect();
    SyncOrder {
        session: session.clone(),
        branch: branch.to_owned(),
        messages,
        texts,
        expected: Expected { max_deleted: Some(usize::MAX), ..Expected::default() },
    }
}

async fn sync(runtime: &Runtime, session: &Id, branch: &str, chat: &[Said]) -> SyncReport {
    let account = Runtime::default_account();
    runtime.sync(&account, order(session, branch, chat), false).await.unwrap()
}

const WINDOW: Window = Window { limit: 1_000, offset: 0, ascending: true, total: false };

/// The floors of a branch.
async fn floors(runtime: &Runtime, session: &Id, branch: &str) -> Vec<Id> {
    let query = FloorQuery { session: session.clone(), branch: Some(branch.to_owned()), state: None, window: WINDOW };
    let listed = runtime.floors(&Runtime::default_account(), query).await.unwrap();
    listed.items.into_iter().map(|floor| floor.id).collect()
}

/// What a branch holds itself.
async fn held(runtime: &Runtime, session: &Id, branch: &str) -> Vec<Said> {
    let mut chat = Vec::new();
    for floor in floors(runtime, session, branch).await {
        let query = PageQuery { floor, page_no: None, is_active: None, content: true, window: WINDOW };
        let pages = runtime.pages(&Runtime::default_account(), query).await.unwrap().items;
        let role = if pages[0].role.as_deref() == Some("user") { "user" } else { "assistant" };
        let active = pages.iter().position(|page| page.is_active).unwrap();
        chat.push(Said { role, texts: pages.into_iter().map(|page| page.content.unwrap()).collect(), active });
    }
    chat
}

async fn newest(runtime: &Runtime, session: &Id, branch: &str) -> (Option<i64>, bool) {
    let state = runtime.newest_state(&Runtime::default_account(), session, Some(branch)).await.unwrap();
    let number = match state.document.get("n") {
        Some(Value::Number(number)) => number.as_i64(),
        _ => None,
    };
    (number.or(Some(0)), state.at.stale.is_none())
}

#[tokio::test]
async fn whatever_a_client_does_the_branch_follows() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let account = Runtime::default_account();
    for seed in 1..=12_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let session: Id = format!("s{seed}").parse().unwrap();
        runtime
            .create_session(&account, NewSession { id: Some(session.clone()), ..NewSession::default() })
            .await
            .unwrap();
        let mut chat: Vec<Said> = (0..dice.below(8)).map(|_| said(&mut dice)).collect();
        for step in 0..40 {
            for _ in 0..=dice.below(3) {
                change(&mut chat, &mut dice);
            }
            let report = sync(&runtime, &session, MAIN_BRANCH, &chat).await;
            assert!(report.synced.applied, "seed {seed}, step {step}: {report:?}");
            assert_eq!(held(&runtime, &session, MAIN_BRANCH).await, chat, "seed {seed}, step {step}");
            assert_eq!(
                newest(&runtime, &session, MAIN_BRANCH).await,
                (Some(sum(&chat)), true),
                "seed {seed}, step {step}"
            );
            let again = sync(&runtime, &session, MAIN_BRANCH, &chat).await.synced;
            assert_eq!((again.unchanged, again.deleted), (chat.len(), 0), "seed {seed}, step {step}: {again:?}");
            if step % 10 == 3 {
                fork(&runtime, &session, &chat, &mut dice, &format!("fork-{step}")).await;
            }
        }
    }
    runtime.close().await;
    let findings = check_file(&folder.path().join(FILE_NAME)).unwrap().findings;
    assert!(findings.is_empty(), "{findings:?}");
}

/// Forks the story somewhere and goes on there.
async fn fork(runtime: &Runtime, session: &Id, chat: &[Said], dice: &mut Dice, name: &str) {
    let floors = floors(runtime, session, MAIN_BRANCH).await;
    let Some(at) = (!floors.is_empty()).then(|| dice.below(floors.len())) else { return };
    runtime.fork(&Runtime::default_account(), &floors[at], Some(name.to_owned())).await.unwrap();
    let mut mine = chat[..=at].to_vec();
    mine.extend((0..3).map(|_| said(dice)));
    let report = sync(runtime, session, name, &mine).await;
    assert!(report.synced.applied && report.synced.created == 3, "{report:?}");
    assert_eq!(newest(runtime, session, name).await, (Some(sum(&mine)), true));
}

/// More floors than are looked at in one transaction.
const LONG: usize = 1_100;

#[tokio::test]
async fn a_long_chat_follows_its_profile_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let open = async || {
        let slow = Options::new(Database::Sqlite(folder.path().into()));
        Runtime::open(Options { process_time: Duration::from_secs(3_600), ..slow }).await.unwrap()
    };
    let check = || check_file(&folder.path().join(FILE_NAME)).unwrap().findings;
    let (account, session): (Id, Id) = (Runtime::default_account(), "s".parse().unwrap());
    let runtime = open().await;
    runtime.create_session(&account, NewSession { id: Some(session.clone()), ..NewSession::default() }).await.unwrap();
    let message =
        |at: usize| Said { role: ["user", "assistant"][at % 2], texts: vec!["@.ADD(\"n\", 1);".to_owned()], active: 0 };
    let chat: Vec<Said> = (0..LONG).map(message).collect();
    sync(&runtime, &session, MAIN_BRANCH, &chat).await;
    assert_eq!(newest(&runtime, &session, MAIN_BRANCH).await, (Some(550), true));
    // What people write counts from now on. Nobody is believed before somebody has looked.
    let profile = |user_floors: bool| {
        let profile = format!("{{\"base\": \"default\", \"user_floors\": {user_floors}}}");
        let profile = Some(Some(JsonText::parse(profile.as_bytes()).unwrap()));
        SessionPatch { story: StorySettings { profile, ..StorySettings::default() }, ..SessionPatch::default() }
    };
    runtime.update_session(&account, &session, profile(true)).await.unwrap();
    assert!(!newest(&runtime, &session, MAIN_BRANCH).await.1);
    runtime.close().await;
    assert_eq!(check(), [], "what is still to be looked at is no finding");
    let runtime = open().await;
    runtime.process(&account, &session, ProcessOrder::of(Mode::Stale)).await.unwrap();
    assert_eq!(newest(&runtime, &session, MAIN_BRANCH).await, (Some(1_100), true));
    // And back again, while it is still being looked at.
    runtime.update_session(&account, &session, profile(false)).await.unwrap();
    runtime.update_session(&account, &session, profile(true)).await.unwrap();
    runtime.process(&account, &session, ProcessOrder::of(Mode::Stale)).await.unwrap();
    assert_eq!(newest(&runtime, &session, MAIN_BRANCH).await, (Some(1_100), true));
    runtime.close().await;
    assert_eq!(check(), []);
}

/// The pages of a branch by what they say.
async fn pages_by_text(runtime: &Runtime, session: &Id, branch: &str) -> HashMap<String, Id> {
    let mut pages = HashMap::new();
    for floor in floors(runtime, session, branch).await {
        let query = PageQuery { floor, page_no: None, is_active: None, content: true, window: WINDOW };
        let listed = runtime.pages(&Runtime::default_account(), query).await.unwrap().items;
        pages.extend(listed.into_iter().map(|page| (page.content.unwrap(), page.id)));
    }
    pages
}

#[tokio::test]
async fn replies_of_a_long_chat_keep_their_pages_whatever_happens_to_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let (account, session): (Id, Id) = (Runtime::default_account(), "s".parse().unwrap());
    runtime.create_session(&account, NewSession { id: Some(session.clone()), ..NewSession::default() }).await.unwrap();
    // More than are compared one by one, and not one of them stays the same.
    let message = |role: &'static str, swipes: usize| {
        move |at: usize| Said { role, texts: (0..swipes).map(|swipe| format!("{at}/{swipe}")).collect(), active: 0 }
    };
    let chat: Vec<Said> = (0..600).map(message("user", 1)).collect();
    assert_eq!(sync(&runtime, &session, MAIN_BRANCH, &chat).await.synced.created, 600);
    let before = pages_by_text(&runtime, &session, MAIN_BRANCH).await;
    let mut chat: Vec<Said> = (0..600).map(message("user", 2)).collect();
    chat.remove(10);
    let synced = sync(&runtime, &session, MAIN_BRANCH, &chat).await.synced;
    assert_eq!((synced.changed, synced.created, synced.deleted), (599, 0, 1));
    let after = pages_by_text(&runtime, &session, MAIN_BRANCH).await;
    let is_same = |(text, page): (&String, &Id)| after.get(text) == if text == "10/0" { None } else { Some(page) };
    assert!(before.iter().all(is_same));
    // The same texts, said by somebody else.
    chat.iter_mut().for_each(|said| said.role = "system");
    let synced = sync(&runtime, &session, MAIN_BRANCH, &chat).await.synced;
    assert_eq!((synced.changed, synced.created, synced.deleted), (599, 0, 0));
    assert_eq!(pages_by_text(&runtime, &session, MAIN_BRANCH).await, after);
    runtime.close().await;
}
