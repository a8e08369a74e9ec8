//! Values that pages promote to their branch, as many as are allowed, and what gives and takes them back.

use super::requests::{Fixture, LargeRequest, Stage, row};
use crate::http::Request;
use serde_json::{Value, json};
use tavernkeep_engine::limits::STAGED_WRITES_MAX;

const STAGED: usize = STAGED_WRITES_MAX as usize;

pub const OF_A_PAGE: Fixture = Fixture {
    name: "proposed values",
    size_max: STAGED,
    size_smoke: 60,
    make: |stage| {
        stage.make_session(json!({}));
        stage.propose("f", stage.size);
        fork_of("f", stage, "shares");
    },
    requests: &[
        row("they are committed", |stage| stage.commit("f")),
        row("another swipe is chosen", |stage| stage.choose("f", "first")),
        row("theirs is chosen again", |stage| stage.choose("f", "second")),
        row("their floor is deleted", |stage| Request::delete(format!("/floors/{}", stage.named("f")))),
        row("their floor is restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
        row("it is forked and another swipe is chosen", |stage| {
            fork_of("f", stage, "forked");
            stage.choose("f", "first")
        }),
    ],
};

pub const OF_MANY_FLOORS: Fixture = Fixture {
    name: "promoted values of many floors",
    size_max: 10 * STAGED,
    size_smoke: 120,
    make: |stage| {
        stage.make_session(json!({}));
        let each = stage.size / 10;
        for number in 0..10 {
            let floor = format!("f{number}");
            stage.propose(&floor, each);
            stage.done(&stage.commit(&floor));
        }
    },
    requests: &[
        row("a sync deletes their floors", |stage| stage.sync(1, "user", "said")),
        row("their floors are restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
    ],
};

/// The first floor has promoted a value; it stays where it is.
pub const BESIDE_REPLACED_TEXTS: Fixture = Fixture {
    name: "replaced texts in the trash beside a promoted value",
    size_max: 19_999,
    size_smoke: 600,
    make: |stage| {
        stage.make_session(json!({}));
        stage.propose("f", 1);
        stage.done(&stage.commit("f"));
        stage.done(&stage.sync_behind("said"));
        stage.done(&stage.sync_behind("other"));
    },
    requests: RESTORED,
};

pub const RESTORED: &[LargeRequest] =
    &[row("they are restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") })];

fn fork_of(floor: &str, stage: &Stage<'_>, branch: &str) {
    let floor = stage.named(floor);
    // A draft is not forked.
    let forked = Request::post(format!("/floors/{floor}/branch"), json!({"branch_id": branch}));
    let _ = stage.wire.send(&forked);
}

impl Stage<'_> {
    fn named(&self, name: &str) -> String {
        format!("{}-{name}", self.session)
    }

    /// A floor with two swipes, the second of which proposes so many values.
    fn propose(&self, floor: &str, values: usize) {
        let floor_id = self.named(floor);
        self.done(&Request::post("/floors", json!({"session_id": self.session, "id": floor_id})));
        for swipe in ["first", "second"] {
            let id = format!("{floor_id}-{swipe}");
            let page = json!({"floor_id": floor_id, "id": id, "page_no": 0, "page_kind": "output", "content": swipe});
            self.done(&Request::post("/pages", page));
        }
        self.done(&Request::post(format!("/floors/{floor_id}/generate"), json!({})));
        for number in 0..values {
            let write = json!({"key": format!("{floor}.{number}"), "op": "set", "value": number,
                "intent": "promote_to_branch_on_accept"});
            self.wire.must(&Request::post(format!("/pages/{floor_id}-second/variables/staged"), write));
        }
    }

    fn commit(&self, floor: &str) -> Request {
        let floor = self.named(floor);
        Request::post(format!("/floors/{floor}/commit"), json!({"page_id": format!("{floor}-second")}))
    }

    fn choose(&self, floor: &str, swipe: &str) -> Request {
        Request::post(format!("/pages/{}-{swipe}/activate", self.named(floor)), json!({}))
    }

    /// What comes behind the first floor, whose swipes stay.
    fn sync_behind(&self, word: &str) -> Request {
        let first = json!({"role": "assistant", "active": 1, "swipes": [{"content": "first"}, {"content": "second"}]});
        let text = |number| format!("{word} {number}: a message of a long chat, as people write them");
        let behind = (0..self.size).map(|number| json!({"role": "user", "swipes": [{"content": text(number)}]}));
        let floors: Vec<Value> = std::iter::once(first).chain(behind).collect();
        Request::post(format!("/sessions/{}/sync", self.session), json!({"floors": floors, "max_deleted": 1_000_000}))
    }
}
