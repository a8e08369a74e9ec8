//! A generated chat with the rule pack `memory`: random commands, swipes, edited texts and edits by hand. What is live equals
//! what the texts of the line lead to, computing everything again changes nothing, and whatever a command did not delete is
//! either in the state or in the archive, once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs, dead_code)]

mod replies;

#[path = "../support/dice.rs"]
mod dice;
#[path = "../support/length.rs"]
mod length;
#[path = "../../../cli/tests/support/log.rs"]
mod log;
#[path = "../../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../../cli/tests/support/undertaker.rs"]
mod undertaker;

use dice::Dice;
use replies::{Reply, Writer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::draft::Draft;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::path::Path;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};
use tavernkeep_runtime::order::{NewSession, NewTurn, PagePatch, StorySettings};
use tavernkeep_runtime::record::{Condition, Window};
use tavernkeep_runtime::{ArchiveQuery, Database, Edits, Mode, NewEdit, Options, ProcessOrder, Runtime};

/// A profile whose summaries fill up quickly.
const PROFILE: &str = r#"{"base": "memory", "packs": {"memory": {"small_to_big_count": 5, "clean_big_count": 3}}}"#;

/// A floor: its pages, and which of them counts.
struct Floor {
    id: Id,
    pages: Vec<Page>,
    active: usize,
}

/// A page: its text, and the weather that somebody wrote into its state by hand.
struct Page {
    id: Id,
    reply: Reply,
    weather: Option<String>,
}

impl Page {
    fn new(id: Id, reply: Reply) -> Page {
        Page { id, reply, weather: None }
    }
}

struct Chat {
    runtime: Runtime,
    account: Id,
    session: Id,
    floors: Vec<Floor>,
    writer: Writer,
    /// Edits by hand so far.
    edits: usize,
}

impl Chat {
    async fn begin(runtime: Runtime) -> Chat {
        let (account, session): (Id, Id) = (Runtime::default_account(), "s".parse().unwrap());
        let profile = Some(Some(JsonText::parse(PROFILE.as_bytes()).unwrap()));
        let story = StorySettings { profile, ..StorySettings::default() };
        let new = NewSession { id: Some(session.clone()), story, ..NewSession::default() };
        runtime.create_session(&account, new).await.unwrap();
        let mut chat = Chat { runtime, account, session, floors: Vec::new(), writer: Writer::default(), edits: 0 };
        chat.take(Reply::of("开始。"), None).await;
        chat
    }

    async fn take(&mut self, reply: Reply, swipe_of: Option<usize>) {
        let role = if reply.from_user { "user" } else { "assistant" };
        let swiped = swipe_of.map(|at| self.floors[at].id.clone());
        let new = NewTurn { swipe_of: swiped, ..NewTurn::of(self.session.clone(), role, reply.text.clone()) };
        let taken = self.runtime.take_turn(&self.account, new).await.unwrap();
        match swipe_of {
            None => self.floors.push(Floor { id: taken.floor, pages: vec![Page::new(taken.page, reply)], active: 0 }),
            Some(at) => {
                self.floors[at].pages.push(Page::new(taken.page, reply));
                self.floors[at].active = self.floors[at].pages.len() - 1;
            }
        }
    }

    async fn step(&mut self, dice: &mut Dice) {
        let recent = |dice: &mut Dice, floors: usize| {
            let reach = if dice.once_in(200) { floors } else { floors.min(8) };
            floors - 1 - dice.below(reach)
        };
        let floors = self.floors.len();
        match dice.below(20) {
            0 => {
                let at = recent(dice, floors).max(1);
                let mut reply = self.writer.reply(dice);
                reply.from_user = self.floors[at].pages[0].reply.from_user;
                self.take(reply, Some(at)).await;
            }
            1 => {
                let at = recent(dice, floors);
                let floor = &mut self.floors[at];
                floor.active = dice.below(floor.pages.len());
                let page = floor.pages[floor.active].id.clone();
                self.runtime.activate_page(&self.account, &page).await.unwrap();
            }
            2 => {
                let at = recent(dice, floors).max(1);
                let mut reply = self.writer.reply(dice);
                let floor = &mut self.floors[at];
                let page = &mut floor.pages[floor.active];
                reply.from_user = page.reply.from_user;
                let patch = PagePatch { content: Some(Some(reply.text.clone())), ..PagePatch::default() };
                self.runtime.update_page(&self.account, &page.id, patch).await.unwrap();
                page.reply = reply;
            }
            3 => {
                let at = recent(dice, floors);
                let floor = &mut self.floors[at];
                let page = &mut floor.pages[floor.active];
                self.edits += 1;
                let weather = format!("雪{}", self.edits);
                let what = Edits::Set(WEATHER.parse().unwrap(), Value::from(weather.as_str()));
                let edit = NewEdit { what, reason: None };
                self.runtime.edit_page(&self.account, &page.id, edit, Condition::None).await.unwrap();
                page.weather = Some(weather);
            }
            _ => {
                let reply = self.writer.reply(dice);
                self.take(reply, None).await;
            }
        }
    }

    /// The pages that count.
    fn pages(&self) -> impl Iterator<Item = &Page> {
        self.floors.iter().map(|floor| &floor.pages[floor.active])
    }

    /// The texts that count.
    fn line(&self) -> impl Iterator<Item = &Reply> {
        self.pages().map(|page| &page.reply)
    }

    async fn document(&self) -> Value {
        self.runtime.newest_state(&self.account, &self.session, None).await.unwrap().document
    }

    /// Everything in the archive: floor, source, key and value.
    async fn archive(&self) -> Vec<(i64, String, String, String)> {
        let mut reader =
            self.runtime.read_archive(&self.account, &self.session, ArchiveQuery::default()).await.unwrap();
        let mut found = Vec::new();
        while let Some(entries) = reader.next().await.unwrap() {
            found.extend(
                entries
                    .into_iter()
                    .map(|entry| (entry.floor_no, entry.source, entry.key.to_string(), entry.value.to_json())),
            );
        }
        found
    }

    /// What the texts of the line lead to, by the engine alone, and what their turns archive.
    fn repeated(&self) -> (Value, Vec<(i64, String, String, String)>) {
        let profile = Arc::new(Profile::read(&Value::parse(PROFILE).unwrap()).unwrap());
        let (mut document, mut archive, mut replies) = (profile.first_document().unwrap(), Vec::new(), Vec::new());
        for (floor_no, page) in (0..).zip(self.pages()) {
            let reply = &page.reply;
            let count = profile.recent_texts_for(&document, &reply.text);
            let recent_texts = replies[replies.len().saturating_sub(count)..].to_vec();
            let turn = Turn {
                document,
                reply: reply.text.clone(),
                profile: Arc::clone(&profile),
                recent_texts,
                from_user: reply.from_user,
                ..Turn::default()
            };
            let outcome = apply_reply(turn);
            assert_eq!(outcome.document.as_object().unwrap().len(), 3, "the modules stay");
            if !reply.from_user {
                replies.push(reply.text.clone());
            }
            for effect in outcome.effects {
                let Effect::Archive(archived) = effect else { continue };
                for (key, value) in archived.entries.as_object().unwrap() {
                    archive.push((floor_no, archived.source.clone(), key.to_string(), value.to_json()));
                }
            }
            document = with_weather(outcome.document, page.weather.as_deref());
        }
        (document, archive)
    }

    async fn check(&self) {
        let order = ProcessOrder::of(Mode::Stale);
        self.runtime.process(&self.account, &self.session, order).await.unwrap();
        let (live, archive) = (self.document().await, self.archive().await);
        let (expected, expected_archive) = self.repeated();
        assert_eq!(live, expected, "what is live is what the texts lead to");
        assert_eq!(archive, expected_archive, "the archive is what the turns of the line archived");
        self.check_nothing_is_lost(&live, &archive);
        let report = self.runtime.process(&self.account, &self.session, ProcessOrder::of(Mode::All)).await.unwrap();
        assert_eq!((report.processed, report.differing), (0, 0), "computing everything again changes nothing");
        assert_eq!(report.unchanged, self.floors.len());
        assert_eq!(self.document().await, live);
        assert_eq!(self.archive().await, archive, "nothing doubles");
    }

    /// Every value that the line wrote is in the state or in the archive, once, unless a command deleted it. What is protected no
    /// command deletes.
    fn check_nothing_is_lost(&self, live: &Value, archive: &[(i64, String, String, String)]) {
        let deleted: BTreeSet<&str> = self.line().flat_map(|reply| &reply.deleted).map(String::as_str).collect();
        let protected: BTreeSet<&str> = self.line().flat_map(|reply| &reply.protected).map(String::as_str).collect();
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = |text: &str| {
            for token in
                text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|token| token.starts_with("tok"))
            {
                *found.entry(token.to_owned()).or_default() += 1;
            }
        };
        count(&live.to_json());
        archive.iter().for_each(|(_, _, _, value)| count(value));
        for token in self.line().flat_map(|reply| &reply.written) {
            let times = found.get(token).copied().unwrap_or(0);
            match deleted.contains(token.as_str()) && !protected.contains(token.as_str()) {
                true => assert!(times <= 1, "{token} is there {times} times"),
                false => assert_eq!(times, 1, "{token} is there {times} times"),
            }
        }
    }
}

/// Where edits by hand write: a value that every state has.
const WEATHER: &str = "stat_data.天气.0";

fn with_weather(document: Value, weather: Option<&str>) -> Value {
    let mut draft = Draft::new(document);
    if let Some(weather) = weather {
        draft.replace(&Path::root().key("stat_data").key("天气").index(0), Value::from(weather)).unwrap();
    }
    draft.finish().0
}

async fn open(database: Database) -> Runtime {
    let options = Options::new(database);
    Runtime::open(Options { process_time: Duration::from_secs(3_600), ..options }).await.unwrap()
}

/// Tells a chat of so many floors, and looks every so many operations whether it is whole.
async fn tell(database: Database, floors: u64, seed: u64, check_every: u64) {
    let mut chat = Chat::begin(open(database).await).await;
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut operation = 0;
    while (chat.floors.len() as u64) < floors {
        chat.step(&mut dice).await;
        operation += 1;
        if operation % check_every == 0 {
            chat.check().await;
        }
    }
    chat.check().await;
    let archive = chat.archive().await;
    eprintln!("{} floors, {} edits by hand, {} entries in the archive", chat.floors.len(), chat.edits, archive.len());
    if floors >= 1_000 {
        let sources: BTreeSet<&str> = archive.iter().map(|(_, source, ..)| source.as_str()).collect();
        let expected = ["global_set.背包", "summary.big", "summary.small", "world_set.npc", "world_set.settings"];
        assert_eq!(sources.into_iter().collect::<Vec<_>>(), expected);
    }
    let window = Window { limit: 100, offset: 0, ascending: true, total: true };
    let query = ArchiveQuery::default();
    let listed = chat.runtime.archive(&chat.account, &chat.session, query, &window).await.unwrap();
    assert_eq!(listed.total, Some(i64::try_from(archive.len()).unwrap()));
    chat.runtime.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_chat_is_never_lost_and_never_doubled() {
    let (floors, seed) = length::asked_for(2_000);
    let folder = tempfile::tempdir().unwrap();
    tell(Database::Sqlite(folder.path().into()), floors, seed, 500).await;
}

#[test]
fn a_chat_on_postgres_is_never_lost_and_never_doubled() {
    let (_, seed) = length::asked_for(POSTGRES_FLOORS);
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let database = postgres::Database::fresh();
    tokio.block_on(tell(Database::Postgres(database.url.clone()), POSTGRES_FLOORS, seed, POSTGRES_FLOORS / 2));
}

/// Floors on PostgreSQL: the rules are the same there, and only how they are stored differs.
const POSTGRES_FLOORS: u64 = 150;
