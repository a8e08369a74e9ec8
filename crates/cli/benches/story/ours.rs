//! A chat in Tavernkeep: every floor a durable turn, in process.

use crate::chat;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::order::{NewPage, NewSession, NewTurn, PagePatch, StorySettings};
use tavernkeep_runtime::{Database, FILE_NAME, Mode, Options, ProcessOrder, Runtime, TakenTurn};
use tavernkeep_runtime::{Expected, MAIN_BRANCH, SyncOrder, Text, text_hash};

const LONG: Duration = Duration::from_secs(3_600);

/// A chat and where its pages and floors are.
pub struct Chat {
    folder: tempfile::TempDir,
    runtime: Runtime,
    changes: usize,
    pages: Vec<Id>,
    floors: Vec<Id>,
}

/// Time and CPU for one of many equal things.
#[derive(Clone, Copy)]
pub struct Cost {
    pub seconds: f64,
    pub cpu: f64,
}

fn session() -> Id {
    "chat".parse().unwrap()
}

impl Chat {
    pub async fn begin(changes: usize) -> Chat {
        let folder = tempfile::tempdir().unwrap();
        let runtime = open(&folder).await;
        let template = JsonText::parse(chat::template().as_bytes()).unwrap();
        let story = StorySettings { template: Some(Some(template)), ..StorySettings::default() };
        let new = NewSession { id: Some(session()), story, ..NewSession::default() };
        runtime.create_session(&Runtime::default_account(), new).await.unwrap();
        Chat { folder, runtime, changes, pages: Vec::new(), floors: Vec::new() }
    }

    /// Takes turns until there are so many floors; returns what each of them cost.
    pub async fn grow(&mut self, floors: usize) -> Cost {
        let count = floors - self.floors.len();
        let (started, cpu) = (Instant::now(), cpu_seconds());
        for floor in self.floors.len()..floors {
            let taken = self.turn(floor, None).await;
            self.pages.push(taken.page);
            self.floors.push(taken.floor);
        }
        cost(started, cpu, count)
    }

    async fn turn(&self, number: usize, branch: Option<&str>) -> TakenTurn {
        let new = NewTurn {
            session: session(),
            branch: branch.map(str::to_owned),
            floor_no: None,
            swipe_of: None,
            page: None,
            role: "assistant".into(),
            name: None,
            content: chat::reply(number, self.changes),
            expected_parent: None,
        };
        let taken = self.runtime.take_turn(&Runtime::default_account(), new).await.unwrap();
        let outcome = taken.report.as_ref().expect("a reply that is read");
        assert!(outcome.problems.is_empty() && outcome.results.len() == self.changes, "{outcome:?}");
        taken
    }

    /// Forgets everything that memory holds.
    pub async fn reopened(self) -> Chat {
        let Chat { folder, runtime, changes, pages, floors } = self;
        runtime.close().await;
        let runtime = open(&folder).await;
        Chat { folder, runtime, changes, pages, floors }
    }

    /// Reads the states of these floors, each once, so that most of them are not in memory.
    pub async fn read(&self, floors: impl Iterator<Item = usize>) -> Cost {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let mut count = 0;
        for floor in floors {
            let state = self.runtime.state_of_page(&Runtime::default_account(), &self.pages[floor]).await.unwrap();
            assert!(state.at.stale.is_none(), "floor {floor} is stale");
            count += 1;
        }
        cost(started, cpu, count)
    }

    /// Changes the text of the first floor and computes everything behind it.
    pub async fn process(&self) -> Cost {
        let patch = PagePatch { content: Some(Some(chat::reply(1_000_000, self.changes))), ..PagePatch::default() };
        self.runtime.update_page(&Runtime::default_account(), &self.pages[0], patch).await.unwrap();
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let order = ProcessOrder::of(Mode::Stale);
        let report = self.runtime.process(&Runtime::default_account(), &session(), order).await.unwrap();
        assert_eq!(report.processed, self.floors.len());
        cost(started, cpu, 1)
    }

    /// Forks in the middle and takes a turn there.
    pub async fn fork(&self, number: usize) -> Cost {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let (account, name) = (Runtime::default_account(), format!("fork-{number}"));
        let middle = &self.floors[self.floors.len() / 2];
        self.runtime.fork(&account, middle, Some(name.clone())).await.unwrap();
        self.turn(number, Some(&name)).await;
        cost(started, cpu, 1)
    }

    /// Forks at the end, adds a swipe to the first floor, for which the fork gets rows of its own for the whole chat, and chooses that
    /// swipe, which all floors behind it follow.
    pub async fn swipe_beginning(&self) -> [Cost; 3] {
        let (account, last) = (Runtime::default_account(), self.floors.last().unwrap());
        let (started, cpu) = (Instant::now(), cpu_seconds());
        self.runtime.fork(&account, last, Some("copy".into())).await.unwrap();
        let fork = cost(started, cpu, 1);
        let content = Some(chat::reply(2_000_000, self.changes));
        let page = NewPage { kind: PageKind::Output, is_active: false, content, ..NewPage::of(self.floors[0].clone()) };
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let page = self.runtime.create_page(&account, page).await.unwrap();
        let added = cost(started, cpu, 1);
        let (started, cpu) = (Instant::now(), cpu_seconds());
        self.runtime.activate_page(&account, &page.id).await.unwrap();
        [fork, added, cost(started, cpu, 1)]
    }

    /// Bytes of the file for each floor, without what the texts take.
    pub async fn bytes_per_floor(self) -> (f64, tempfile::TempDir) {
        self.runtime.close().await;
        let file = self.folder.path().join(FILE_NAME);
        let connection = rusqlite::Connection::open(&file).unwrap();
        let texts: f64 =
            connection.query_row("SELECT CAST(SUM(LENGTH(content)) AS REAL) FROM body", [], |row| row.get(0)).unwrap();
        let bytes = (std::fs::metadata(&file).unwrap().len() as f64 - texts) / self.floors.len() as f64;
        (bytes, self.folder)
    }
}

/// Brings a whole chat that was never processed, and processes it: texts, floors, pages and states, all durable.
pub async fn sync(floors: usize, changes: usize) -> Cost {
    let chat = Chat::begin(changes).await;
    let (mut messages, mut texts) = (Vec::new(), HashMap::new());
    for floor in 0..floors {
        let text = chat::reply(floor, changes);
        let hash = text_hash(Some(&text));
        texts.insert(hash, Text::new(&text));
        let speaker = Speaker { role: Some("assistant".into()), name: None };
        messages.push(Message { swipes: vec![Swipe { text: hash, speaker }], active: 0 });
    }
    let expected = Expected::default();
    let order = SyncOrder { session: session(), branch: MAIN_BRANCH.into(), messages, texts, expected };
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let report = chat.runtime.sync(&Runtime::default_account(), order, false).await.unwrap();
    assert_eq!(report.processed.unwrap().processed, floors);
    cost(started, cpu, 1)
}

async fn open(folder: &tempfile::TempDir) -> Runtime {
    // What a server would leave to a job is measured to its end.
    let options = Options { process_time: LONG, ..Options::new(Database::Sqlite(folder.path().into())) };
    Runtime::open(options).await.unwrap()
}

pub fn cost(started: Instant, cpu: f64, count: usize) -> Cost {
    let count = count as f64;
    Cost { seconds: started.elapsed().as_secs_f64() / count, cpu: (cpu_seconds() - cpu) / count }
}

/// Seconds of CPU that this process has used, all threads together.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
