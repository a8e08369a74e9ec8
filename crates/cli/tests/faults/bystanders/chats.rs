//! Chats, and the largest things that can be done to them with one request.

use crate::http::{Request, Wire};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Something that one request does.
pub struct Change {
    pub name: &'static str,
    /// The documented limit.
    pub floors_max: usize,
    /// The old chat.
    pub old: Lines,
    /// The new one; none for a request that deletes a branch.
    pub sync: Option<Lines>,
    /// What is left of the old chat before it comes back from the trash as the new one.
    pub less: Option<Lines>,
    /// Whether a fork shares all of the old chat.
    pub forked: bool,
}

/// The floors of a chat of so many, by what they say. Several swipes have a bar between them, and the last one is chosen.
type Lines = fn(usize) -> Vec<String>;

fn old(floors: usize) -> Vec<String> {
    lines_of("old", floors)
}

fn with_swipes(words: &[&str], floors: usize) -> Vec<String> {
    let swipes = |number| words.iter().map(move |word| format!("{word} {number}: as people write")).collect::<Vec<_>>();
    (0..floors).map(|number| swipes(number).join("|")).collect()
}

/// Floors in order, by what they say.
fn lines_of(word: &str, floors: usize) -> Vec<String> {
    (0..floors).map(|number| format!("{word} {number}: a message of a long chat, as people write them")).collect()
}

fn shuffled(floors: usize) -> Vec<String> {
    let mut said = lines_of("old", floors);
    // A multiplier that has no factor in common with the number of floors visits each once.
    let step = (floors / 2 + 1..)
        .find(|step| (2..=*step).all(|factor| !step.is_multiple_of(factor) || !floors.is_multiple_of(factor)));
    let step = step.expect("there are enough numbers");
    (0..floors).map(|number| std::mem::take(&mut said[number * step % floors])).collect()
}

pub const CHANGES: &[Change] = &[
    Change {
        name: "a sync replaces every text beside a fork",
        floors_max: 10_000,
        old,
        sync: Some(|floors| lines_of("new", floors)),
        less: None,
        forked: true,
    },
    Change {
        name: "a sync replaces every text",
        floors_max: 20_000,
        old,
        sync: Some(|floors| lines_of("new", floors)),
        less: None,
        forked: false,
    },
    Change {
        name: "a sync deletes all but one",
        floors_max: 20_000,
        old,
        sync: Some(|_| lines_of("old", 1)),
        less: None,
        forked: false,
    },
    Change { name: "a sync shuffles all", floors_max: 5_000, old, sync: Some(shuffled), less: None, forked: false },
    Change {
        name: "a sync adds as many",
        floors_max: 10_000,
        old,
        sync: Some(|floors| lines_of("old", 2 * floors)),
        less: None,
        forked: false,
    },
    Change { name: "a branch is deleted", floors_max: 10_000, old, sync: None, less: None, forked: false },
    Change {
        name: "deleted floors are restored",
        floors_max: 20_000,
        old,
        sync: Some(old),
        less: Some(|_| old(1)),
        forked: false,
    },
    Change {
        name: "a sync gives each floor other swipes",
        floors_max: 20_000,
        old: |floors| with_swipes(&["old", "other"], floors),
        sync: Some(|floors| with_swipes(&["other", "new"], floors)),
        less: None,
        forked: false,
    },
    Change {
        name: "deleted swipes are restored",
        floors_max: 20_000,
        old: |floors| with_swipes(&["old", "other"], floors),
        sync: Some(|floors| with_swipes(&["old", "other"], floors)),
        less: Some(|floors| with_swipes(&["old"], floors)),
        forked: false,
    },
];

/// A chat that is about to change.
pub struct Chat<'a> {
    session: String,
    branch: &'static str,
    change: &'a Change,
    floors: usize,
    /// What a sync to the new chat would do, before it is done.
    before: Option<Value>,
    /// The item that is restored.
    trash: Option<String>,
}

impl<'a> Chat<'a> {
    pub fn make(wire: &Wire, change: &'a Change, floors: usize) -> Chat<'a> {
        static CHATS: AtomicUsize = AtomicUsize::new(0);
        let session = format!("chat-{}", CHATS.fetch_add(1, Ordering::Relaxed));
        wire.must(&Request::post("/sessions", json!({"id": session})));
        let branch = if change.sync.is_some() { "main" } else { "aside" };
        let mut chat = Chat { session, branch, change, floors, before: None, trash: None };
        if change.sync.is_none() {
            wire.must(&chat.sync_of("main", &lines_of("old", 1), false));
            let first = wire.must(&Request::get(format!("/floors?session_id={}", chat.session))).body();
            let first = first["data"][0]["id"].as_str().expect("a floor").to_owned();
            wire.must(&Request::post(format!("/floors/{first}/branch"), json!({"branch_id": branch})));
        }
        wire.must(&chat.sync_of(branch, &(change.old)(floors), false));
        if change.forked {
            let last = wire.must(&Request::get(format!("/sessions/{}/floors/{}", chat.session, floors - 1))).body();
            let last = last["data"]["floor_id"].as_str().expect("a floor").to_owned();
            wire.must(&Request::post(format!("/floors/{last}/branch"), json!({"branch_id": "fork"})));
        }
        if let Some(less) = change.less {
            let deleted = wire.must(&chat.sync_of(branch, &less(floors), false)).body();
            chat.trash = deleted["data"]["trash_id"].as_str().map(str::to_owned);
        }
        chat.before = change.sync.map(|_| chat.distance(wire));
        chat
    }

    /// The one request.
    pub fn request(&self) -> Request {
        if let Some(trash) = &self.trash {
            return Request::post(format!("/trash/{trash}/restore"), json!({}));
        }
        match self.change.sync {
            Some(new) => self.sync_of(self.branch, &new(self.floors), false),
            None => Request::delete(format!("/branches/{}?session_id={}", self.branch, self.session)),
        }
    }

    pub fn change(&self, wire: &Wire) {
        wire.must(&self.request());
    }

    fn sync_of(&self, branch: &str, said: &[String], dry_run: bool) -> Request {
        let floor = |text: &String| {
            let swipes: Vec<Value> = text.split('|').map(|text| json!({"content": text})).collect();
            json!({"role": "user", "active": swipes.len() - 1, "swipes": swipes})
        };
        let floors: Vec<Value> = said.iter().map(floor).collect();
        let body = json!({"branch_id": branch, "floors": floors, "max_deleted": 1_000_000, "dry_run": dry_run});
        Request::post(format!("/sessions/{}/sync", self.session), body)
    }

    /// What a sync to the new chat would do now.
    fn distance(&self, wire: &Wire) -> Value {
        let new = self.change.sync.expect("a sync")(self.floors);
        let report = wire.must(&self.sync_of(self.branch, &new, true)).body();
        ["unchanged", "created", "changed", "moved", "deleted"]
            .iter()
            .map(|field| report["data"][*field].clone())
            .collect()
    }

    /// Whether the chat is the new one; it is the old one otherwise, and nothing between them.
    #[track_caller]
    pub fn is_whole(&self, wire: &Wire) -> bool {
        let Some(before) = &self.before else {
            let listed = wire.must(&Request::get(format!("/sessions/{}/branches", self.session))).body();
            let listed = listed["data"].as_array().expect("a list").clone();
            let found = listed.iter().find(|branch| branch["branch_id"] == self.branch);
            // The first floor is shared.
            let floors = found.map(|branch| branch["floor_count"].as_u64());
            assert!(floors.is_none_or(|floors| floors == Some(self.floors as u64 - 1)), "{found:?}");
            return found.is_none();
        };
        let now = self.distance(wire);
        let new = self.change.sync.expect("a sync")(self.floors).len();
        let is_new = now == json!([new, 0, 0, 0, 0]);
        assert!(
            is_new || now == *before,
            "{}: {now} is neither the old chat, {before}, nor the new one",
            self.change.name
        );
        is_new
    }

    /// The change is there, and what it took away can be restored.
    #[track_caller]
    pub fn is_changed(&self, wire: &Wire) {
        assert!(self.is_whole(wire), "{}", self.change.name);
        let lost = match self.change.name {
            "a sync replaces every text"
            | "a sync replaces every text beside a fork"
            | "a sync gives each floor other swipes" => self.floors,
            "a sync deletes all but one" | "a branch is deleted" => self.floors - 1,
            _ => 0,
        };
        // After a kill the next process goes on with what was not deleted yet.
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let listed = wire.must(&Request::get(format!("/trash?session_id={}", self.session))).body();
            let listed = listed["data"].as_array().expect("a list").clone();
            let pages: u64 = listed.iter().filter_map(|item| item["page_count"].as_u64()).sum();
            if pages == lost as u64 {
                return;
            }
            assert!(
                Instant::now() < end,
                "{}: {lost} pages are lost, and in the trash are {listed:?}",
                self.change.name
            );
            std::thread::yield_now();
        }
    }
}
