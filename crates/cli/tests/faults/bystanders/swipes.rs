//! Syncs that change the swipes of each floor of a long chat.

use super::requests::{Fixture, LargeRequest, Stage, row};
use crate::http::Request;
use serde_json::{Value, json};
use tavernkeep_engine::limits::SYNC_FLOORS_MAX;

pub const OF_USERS: Fixture = Fixture {
    name: "swipes of a long chat",
    size_max: SYNC_FLOORS_MAX,
    size_smoke: 600,
    make: |stage| make(stage, "user"),
    requests: CHANGES,
};

pub const OF_REPLIES: Fixture = Fixture {
    name: "swipes of a long chat with states",
    size_max: SYNC_FLOORS_MAX,
    size_smoke: 600,
    make: |stage| make(stage, "assistant"),
    requests: CHANGES,
};

const CHANGES: &[LargeRequest] = &[
    row("a sync chooses the other swipe of each floor", |stage| stage.swipes(&stage.role(), &["first", "second"], 1)),
    row("a sync deletes a swipe of each floor", |stage| stage.swipes(&stage.role(), &["second"], 0)),
    row("a sync adds a swipe to each floor and chooses it", |stage| {
        stage.swipes(&stage.role(), &["second", "third"], 1)
    }),
    row("a sync deletes the chosen swipes", |stage| stage.swipes(&stage.role(), &["second"], 0)),
    row("deleted swipes are restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
    row("others are deleted for good", |stage| Request { method: "DELETE", ..stage.in_trash("") }),
];

fn make(stage: &Stage<'_>, role: &str) {
    stage.make_session(json!({}));
    stage.done(&stage.swipes(role, &["first", "second"], 0));
}

impl Stage<'_> {
    /// Who speaks in the chat.
    fn role(&self) -> String {
        let first = Request::get(format!("/sessions/{}/floors/0", self.session));
        let floor = self.wire.must(&first).body();
        floor["data"]["role"].as_str().unwrap_or_else(|| panic!("{floor}")).to_owned()
    }

    /// Makes the chat one with these swipes on each floor.
    fn swipes(&self, role: &str, words: &[&str], active: usize) -> Request {
        let floor = |number: usize| {
            let swipe = |word: &&str| json!({"content": format!("{word} {number}: a message as people write them; _.add('n', 1);")});
            let swipes: Vec<Value> = words.iter().map(swipe).collect();
            json!({"role": role, "active": active, "swipes": swipes})
        };
        let floors: Vec<Value> = (0..self.size).map(floor).collect();
        Request::post(format!("/sessions/{}/sync", self.session), json!({"floors": floors, "max_deleted": 1_000_000}))
    }
}
