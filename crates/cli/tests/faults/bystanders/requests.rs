//! The largest requests of every kind, beside those that change a chat as a whole.
//!
//! A fixture is what is stored before; its requests are made one after the other, and each is a row.

use super::{promoted, swipes};
use crate::http::{Request, Wire};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tavernkeep_engine::limits::{
    BATCH_ITEMS_MAX, DOCUMENT_BYTES_MAX, FORK_DEPTH_MAX, FUNCTIONS_MAX, JSON_DEPTH_MAX, SCRATCH_VALUE_BYTES_MAX,
    SYNC_FLOORS_MAX, SYNC_WRITTEN_BYTES_MAX,
};

/// How long it waits before it asks again whether a job has ended.
const JOBS_ASKED_EVERY: Duration = Duration::from_millis(20);

/// What is stored, and what is asked of it.
pub struct Fixture {
    pub name: &'static str,
    /// How much of it there is: floors, variables, bytes or branches. As much as is documented, and for the small version.
    pub size_max: usize,
    pub size_smoke: usize,
    pub make: fn(&Stage<'_>),
    pub requests: &'static [LargeRequest],
}

/// As many functions as an account may have.
const FUNCTIONS: usize = 200;
const _: () = assert!(FUNCTIONS_MAX == 200);

pub struct LargeRequest {
    pub name: &'static str,
    make: fn(&Stage<'_>) -> Request,
}

pub const fn row(name: &'static str, make: fn(&Stage<'_>) -> Request) -> LargeRequest {
    LargeRequest { name, make }
}

pub const FIXTURES: &[Fixture] = &[
    Fixture {
        name: "a long chat",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |stage| stage.make_chat(stage.size, "user"),
        requests: &[
            row("its last floors are read", |stage| stage.get(&format!("/transcript?from={}&limit=100", stage.end()))),
            row("its last floors are listed", |stage| {
                Request::get(format!("/floors?session_id={}&limit=100&offset={}", stage.session, stage.end()))
            }),
            row("sessions are listed", |_| Request::get("/sessions?limit=100")),
            row("its branches are listed", |stage| stage.get("/branches")),
            row("it is exported", |stage| stage.get("/export")),
            row("the account is exported", |_| Request::get("/account/export")),
            row("it is synced to what it is", |stage| stage.sync(stage.size, "user", "said")),
            row("its first floor becomes the last", |stage| {
                Request::patch(format!("/floors/{}", stage.floor(0)), json!({"floor_no": stage.size + 1}))
            }),
            row("its last floors are deleted", |stage| {
                Request::post("/floors/batch/delete", json!({"ids": stage.last_floors()}))
            }),
            row("its first floor is deleted", |stage| Request::delete(format!("/floors/{}", stage.floor(1)))),
            row("it is deleted", |stage| Request::delete(format!("/sessions/{}", stage.session))),
            row("the end of it is read in the trash", |stage| {
                stage.in_trash(&format!("?limit=100&offset={}", stage.end()))
            }),
            row("it is restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
            row("it is deleted for good", |stage| {
                Request::delete(format!("/sessions/{}?permanent=true", stage.session))
            }),
        ],
    },
    Fixture {
        name: "a long chat in the trash",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |stage| {
            stage.make_chat(stage.size, "user");
            stage.done(&stage.sync(1, "user", "said"));
        },
        requests: &[
            row("its beginning is read", |stage| stage.in_trash("?limit=100")),
            row("its end is read", |stage| stage.in_trash(&format!("?limit=100&offset={}", stage.end()))),
            row("it is purged", |stage| Request { method: "DELETE", ..stage.in_trash("") }),
        ],
    },
    Fixture {
        name: "replaced texts in the trash",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |stage| {
            stage.make_chat(stage.size, "user");
            stage.done(&stage.sync(stage.size, "user", "other"));
        },
        requests: &[
            row("its end is read", |stage| stage.in_trash(&format!("?limit=100&offset={}", stage.end()))),
            row("they are restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
        ],
    },
    Fixture {
        name: "floors in the trash one of whose ids is taken",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |stage| {
            stage.make_chat(stage.size, "user");
            let taken = stage.floor(1);
            stage.done(&stage.sync(1, "user", "said"));
            stage.done(&Request::post("/floors", json!({"session_id": "bystander", "id": taken})));
        },
        requests: promoted::RESTORED,
    },
    promoted::BESIDE_REPLACED_TEXTS,
    promoted::OF_A_PAGE,
    promoted::OF_MANY_FLOORS,
    swipes::OF_USERS,
    swipes::OF_REPLIES,
    Fixture {
        name: "a sync of many bytes",
        size_max: SYNC_WRITTEN_BYTES_MAX,
        size_smoke: 1024 * 1024,
        make: |stage| stage.make_session(json!({})),
        requests: &[
            row("it brings one text for all", |stage| stage.sync_bytes("one")),
            row("it replaces all of them", |stage| stage.sync_bytes("another")),
            row("it is deleted for good", |stage| {
                Request::delete(format!("/sessions/{}?permanent=true", stage.session))
            }),
        ],
    },
    Fixture {
        name: "a branch with large swipes",
        size_max: 20 * TEXT_BYTES,
        size_smoke: 1024 * 1024,
        make: |stage| {
            stage.make_session(json!({}));
            for branch in ["large", "large-too"] {
                let first = stage.wire.must(&stage.post("/turns", json!({"role": "user", "content": "text"}))).body();
                let first = first["data"]["floor_id"].as_str().expect("a floor").to_owned();
                stage.done(&Request::post(format!("/floors/{first}/branch"), json!({"branch_id": branch})));
                let mut swipe_of = Value::Null;
                let bytes = TEXT_BYTES.min(stage.size / 4);
                for number in 0..stage.size / bytes {
                    let mut turn = json!({"role": "assistant", "content": noise(number, bytes), "branch_id": branch});
                    if !swipe_of.is_null() {
                        turn["swipe_of"] = swipe_of.clone();
                    }
                    swipe_of = stage.wire.must(&stage.post("/turns", turn)).body()["data"]["floor_id"].clone();
                }
            }
        },
        requests: &[
            row("it is deleted", |stage| Request::delete(format!("/branches/large?session_id={}", stage.session))),
            row("it is purged", |stage| Request { method: "DELETE", ..stage.in_trash("") }),
            row("another one is deleted for good", |stage| {
                Request::delete(format!("/branches/large-too?session_id={}&permanent=true", stage.session))
            }),
        ],
    },
    Fixture {
        name: "variables of a chat",
        size_max: 100_000,
        size_smoke: 300,
        make: |stage| {
            stage.make_session(json!({}));
            for first in (0..stage.size).step_by(BATCH_ITEMS_MAX) {
                stage.done(&stage.variables(first, "a value of a variable, as people write them"));
            }
        },
        requests: &[
            row("they are resolved", |stage| Request::get(format!("/variables/resolve?session_id={}", stage.session))),
            row("they are resolved with layers", |stage| {
                Request::get(format!("/variables/resolve?session_id={}&include_layers=true", stage.session))
            }),
            row("they are resolved with their lineage", |stage| {
                Request::get(format!("/variables/resolve?session_id={}&lineage=true", stage.session))
            }),
            row("the last are listed", |stage| {
                let (session, offset) = (&stage.session, stage.end());
                Request::get(format!("/variables?scope=chat&scope_id={session}&limit=100&offset={offset}"))
            }),
            row("many are written", |stage| stage.variables(0, &"x".repeat(9_000))),
            row("many are deleted", |stage| {
                let item = |number| json!({"scope": "chat", "scope_id": stage.session, "key": key(number)});
                let items: Vec<Value> = (0..BATCH_ITEMS_MAX).map(item).collect();
                Request::post("/variables/batch/delete", json!({"items": items}))
            }),
            row("their session is deleted", |stage| Request::delete(format!("/sessions/{}", stage.session))),
            row("their session is restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
            row("they are deleted for good", |stage| {
                Request::delete(format!("/sessions/{}?permanent=true", stage.session))
            }),
        ],
    },
    Fixture {
        name: "a long chat with states",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |stage| {
            let character = format!("{}-hero", stage.session);
            stage.done(&Request::post("/characters", json!({"id": character, "name": "Hero", "template": {"n": 1}})));
            stage.make_session(json!({"character_id": character}));
            stage.done(&stage.sync(stage.size, "assistant", "said"));
        },
        requests: &[
            row("its last states are read", |stage| stage.get("/state")),
            row("its snapshots are listed", |stage| {
                stage.get(&format!("/snapshots?limit=100&sort_by=floor_no&offset={}", stage.end()))
            }),
            row("what set a value is looked for", |stage| {
                Request::get(format!("/pages/{}/blame?path=n", stage.page(stage.size - 1)))
            }),
            row("a prompt is previewed", |stage| {
                stage.post("/prompt-runtime/preview", json!({"text": "{{vs_stat_data}} {{getvar::n}}"}))
            }),
            row("the history of a value is read", |stage| stage.get("/history?path=n&limit=1000")),
            row("its log is read", |stage| stage.get("/log?limit=100")),
            row("its first text is changed", |stage| {
                Request::patch(format!("/pages/{}", stage.page(0)), json!({"content": "_.set('n', 1, 5);//other"}))
            }),
            row("it is processed", |stage| stage.post("/process", json!({"mode": "all"}))),
            row("its character is changed", |stage| {
                let template = json!({"template": {"n": 2, "other": true}});
                Request::patch(format!("/characters/{}-hero", stage.session), template)
            }),
            row("it is processed with the other template", |stage| stage.post("/process", json!({"mode": "all"}))),
            row("it gets another template", |stage| {
                Request::put(format!("/sessions/{}/template", stage.session), json!({"template": {"n": 3}}))
            }),
            row("its states are dropped", |stage| Request {
                method: "DELETE",
                ..Request::post("/snapshots/by-chat", json!({"chat_file": stage.session}))
            }),
            row("its states are restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
            row("all states are cleaned up", |_| {
                Request::post(
                    "/snapshots/cleanup",
                    json!({"active_chat_files": [], "confirm_all": true, "orphans": true}),
                )
            }),
            row("its last replies are deleted", |stage| {
                Request::post("/pages/batch/delete", json!({"ids": stage.last_pages()}))
            }),
            row("its replies are deleted by a sync", |stage| stage.sync(1, "assistant", "said")),
            row("it is deleted for good", |stage| {
                Request::delete(format!("/sessions/{}?permanent=true", stage.session))
            }),
        ],
    },
    Fixture {
        name: "a long chat with states and a fork at its end",
        size_max: 10_000,
        size_smoke: 400,
        make: |stage| {
            stage.make_session(json!({"template": {"n": 1}}));
            stage.done(&stage.sync(stage.size, "assistant", "said"));
            let last = stage.floor(stage.size - 1);
            stage.done(&Request::post(format!("/floors/{last}/branch"), json!({"branch_id": "fork"})));
        },
        requests: &[
            row("its first floor gets a swipe", |stage| {
                let turn = json!({"role": "assistant", "content": "_.add('n', 1);", "swipe_of": stage.floor(0)});
                stage.post("/turns", turn)
            }),
            row("its fork gets a turn", |stage| {
                stage.post("/turns", json!({"role": "assistant", "content": "_.add('n', 1);", "branch_id": "fork"}))
            }),
            row("its fork is deleted", |stage| Request::delete(format!("/branches/fork?session_id={}", stage.session))),
            row("its fork is restored", |stage| Request { method: "POST", ..stage.in_trash("/restore") }),
        ],
    },
    Fixture {
        name: "a chat that is imported",
        size_max: SYNC_FLOORS_MAX,
        size_smoke: 600,
        make: |_| {},
        requests: &[
            row("it is imported", |stage| {
                let name = format!("{}.jsonl", stage.session);
                let body = json!({"file_name": name, "content": chat_file(stage.size), "session_id": stage.session});
                Request::post("/import", body)
            }),
            row("it is deleted", |stage| Request::delete(format!("/sessions/{}", stage.session))),
        ],
    },
    Fixture {
        name: "a large document",
        // The body of a request is no longer than a document may be.
        size_max: DOCUMENT_BYTES_MAX - 64 * 1024,
        size_smoke: 256 * 1024,
        make: |stage| {
            stage.make_session(json!({}));
            let template = json!({"template": document(stage.size)});
            stage.done(&Request::put(format!("/sessions/{}/template", stage.session), template));
        },
        requests: &[
            row("a turn changes it", |stage| {
                stage.post("/turns", json!({"role": "assistant", "content": "_.set('e1.n', 1, 2);//so"}))
            }),
            row("a second turn changes it", |stage| {
                stage.post("/turns", json!({"role": "assistant", "content": "_.set('e2.n', 1, 2);//so"}))
            }),
            row("it is read", |stage| stage.get("/state")),
            row("it is resolved", |stage| Request::get(format!("/variables/resolve?session_id={}", stage.session))),
            row("it is shown in a prompt kit", |stage| stage.get("/prompt-kit")),
            row("a prompt with it is previewed", |stage| {
                stage.post("/prompt-runtime/preview", json!({"text": "{{vs_stat_data}} {{getvar::e1.n}}"}))
            }),
            row("it is compared with what it was", |stage| {
                Request::get(format!("/compare?from=page:{}&to=page:{}", stage.page(0), stage.page(1)))
            }),
            row("a reply is applied to one as large", |stage| {
                let state = document(stage.size);
                Request::post("/apply", json!({"state": state, "reply": "_.set('e1.n', 1, 2);//so"}))
            }),
            row("its variable gets another name", |stage| {
                Request::patch(format!("/sessions/{}", stage.session), json!({"state_variable": "another"}))
            }),
            row("it is kept as a global snapshot", |stage| {
                Request::post("/global-snapshots", json!({"name": stage.session, "page_id": stage.page(1)}))
            }),
            row("it is patched by hand", |stage| {
                Request::patch(format!("/pages/{}/state", stage.page(0)), json!({"patch": {"e3": {"n": 5}}}))
            }),
            row("it is replaced by hand", |stage| {
                let operation = json!([{"op": "replace", "path": "", "value": document(stage.size / 2)}]);
                Request::patch(format!("/pages/{}/state", stage.page(1)), json!({"patch": operation}))
            }),
            row("what a page changed is undone", |stage| {
                Request::post(format!("/pages/{}/undo", stage.page(1)), json!({}))
            }),
        ],
    },
    Fixture {
        name: "a large note",
        // Beside the value, the body has the rest of the request.
        size_max: SCRATCH_VALUE_BYTES_MAX - 64 * 1024,
        size_smoke: 256 * 1024,
        make: |stage| stage.make_session(json!({})),
        requests: &[
            row("it is written", |stage| stage.note(&document(stage.size))),
            row("it is read", |stage| stage.get("/scratchpad/note")),
            row("notes are listed", |stage| stage.get("/scratchpad?limit=100")),
            row("it is replaced", |stage| stage.note(&json!("x".repeat(stage.size)))),
            row("it is deleted", |stage| Request { method: "DELETE", ..stage.get("/scratchpad/note") }),
        ],
    },
    Fixture {
        name: "many chats",
        size_max: BATCH_ITEMS_MAX,
        size_smoke: 10,
        make: |stage| {
            for number in 0..stage.size {
                let stage = Stage { session: stage.one_of_many(number), ..*stage };
                stage.make_chat(100, "assistant");
            }
        },
        requests: &[row("all of them are deleted", |stage| {
            let ids: Vec<String> = (0..stage.size).map(|number| stage.one_of_many(number)).collect();
            Request::post("/sessions/batch/delete", json!({"ids": ids}))
        })],
    },
    Fixture {
        name: "a deep document",
        size_max: JSON_DEPTH_MAX - 8,
        size_smoke: JSON_DEPTH_MAX - 8,
        make: |stage| stage.make_session(json!({"template": deep(stage.size)})),
        requests: &[
            row("a turn changes it", |stage| {
                let path = vec!["d"; stage.size].join(".");
                stage.post("/turns", json!({"role": "assistant", "content": format!("_.set('{path}', 1, 2);//so")}))
            }),
            row("it is read", |stage| stage.get("/state")),
        ],
    },
    Fixture {
        name: "forks of forks",
        size_max: FORK_DEPTH_MAX - 1,
        size_smoke: 12,
        make: |stage| {
            stage.make_chat(100, "assistant");
            let mut branch = "main".to_owned();
            for number in 0..stage.size {
                let turn = json!({"role": "assistant", "content": "_.add('n', 1);", "branch_id": branch});
                let floor = stage.done(&stage.post("/turns", turn))["data"]["floor_id"].clone();
                let floor = floor.as_str().expect("a floor").to_owned();
                branch = format!("b{number}");
                stage.done(&Request::post(format!("/floors/{floor}/branch"), json!({"branch_id": branch})));
            }
        },
        requests: &[
            row("the last of them is read", |stage| stage.get(&format!("/transcript?branch_id=b{}", stage.size - 1))),
            row("the last of them is resolved", |stage| {
                let (session, last) = (&stage.session, stage.size - 1);
                Request::get(format!("/variables/resolve?session_id={session}&branch_id=b{last}"))
            }),
            row("the first floor is changed", |stage| {
                Request::patch(format!("/pages/{}", stage.page(0)), json!({"content": "_.set('n', 1, 5);//other"}))
            }),
            row("it is processed", |stage| stage.post("/process", json!({"mode": "all"}))),
        ],
    },
    // They are there for all sessions, so this is the last one.
    Fixture {
        name: "functions",
        size_max: FUNCTIONS,
        size_smoke: 10,
        make: |_| {},
        requests: &[
            row("they are imported", |stage| {
                let code = format!("return {};", "1 + ".repeat(1000) + "1");
                let function = |number| json!({"name": format!("F{number}"), "type": "active", "executor": code});
                let functions: Vec<Value> = (0..stage.size).map(function).collect();
                Request::post("/functions/import", json!({"version": "1.0", "functions": functions}))
            }),
            row("they are exported", |_| Request::post("/functions/export", json!({}))),
        ],
    },
];

impl Fixture {
    pub fn make(&self, stage: &Stage<'_>) {
        (self.make)(stage);
    }
}

impl LargeRequest {
    pub fn on(&self, stage: &Stage<'_>) -> Request {
        (self.make)(stage)
    }
}

/// One fixture on one server.
pub struct Stage<'a> {
    pub wire: &'a Wire,
    pub session: String,
    pub size: usize,
}

impl Stage<'_> {
    /// Makes a request, and waits for the jobs that it left.
    #[track_caller]
    pub fn done(&self, request: &Request) -> Value {
        let body = self.wire.must(request).body();
        let end = Instant::now() + Duration::from_secs(600);
        loop {
            let listed = self.wire.must(&Request::get("/jobs?limit=100")).body();
            let jobs = listed["data"].as_array().expect("a list");
            assert!(jobs.iter().all(|job| job["state"] != "failed"), "{listed}");
            if !jobs.iter().any(|job| job["state"] == "waiting" || job["state"] == "running") {
                return body;
            }
            assert!(Instant::now() < end, "{listed}");
            std::thread::sleep(JOBS_ASKED_EVERY);
        }
    }

    pub fn make_session(&self, mut settings: Value) {
        settings["id"] = json!(self.session);
        self.done(&Request::post("/sessions", settings));
    }

    fn make_chat(&self, floors: usize, role: &str) {
        self.make_session(json!({}));
        self.done(&self.sync(floors, role, "said"));
    }

    /// Near the end of whatever there is much of.
    fn end(&self) -> usize {
        self.size.saturating_sub(100)
    }

    fn get(&self, rest: &str) -> Request {
        Request::get(format!("/sessions/{}{rest}", self.session))
    }

    fn post(&self, rest: &str, body: Value) -> Request {
        Request::post(format!("/sessions/{}{rest}", self.session), body)
    }

    /// Makes the chat what it is called: messages of one role; those of the assistant change the state.
    pub fn sync(&self, floors: usize, role: &str, word: &str) -> Request {
        let floor = |number| {
            let text = format!("{word} {number}: a message of a long chat, as people write them; _.add('n', 1);");
            json!({"role": role, "active": 0, "swipes": [{"content": text}]})
        };
        let floors: Vec<Value> = (0..floors).map(floor).collect();
        self.post("/sync", json!({"floors": floors, "max_deleted": 1_000_000}))
    }

    /// Gives as many floors as there may be one text, so that they have so many bytes together.
    fn sync_bytes(&self, word: &str) -> Request {
        let floors = self.size / 4096;
        let mut text = String::new();
        while text.len() < 4000 {
            // Numbers that do not compress to nothing.
            let number = text.len() as u64;
            let _ = write!(text, "{word} {:x} ", (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        text.truncate(4090);
        let floor = json!({"role": "user", "active": 0, "swipes": [{"hash": sha256(&text)}]});
        let floors = vec![floor; floors];
        self.post("/sync", json!({"floors": floors, "texts": [text], "max_deleted": 1_000_000}))
    }

    fn variables(&self, first: usize, value: &str) -> Request {
        let item = |number| json!({"scope": "chat", "scope_id": self.session, "key": key(number), "value": value});
        let last = (first + BATCH_ITEMS_MAX).min(self.size);
        Request::put("/variables/batch", json!({"items": (first..last).map(item).collect::<Vec<_>>()}))
    }

    /// The newest item of the session in the trash.
    pub fn in_trash(&self, rest: &str) -> Request {
        let listed = self.wire.must(&Request::get(format!("/trash?session_id={}", self.session))).body();
        let id = listed["data"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();
        let body = (rest == "/restore").then(|| json!({}));
        Request { body, ..Request::get(format!("/trash/{id}{rest}")) }
    }

    fn at(&self, floor_no: usize) -> Value {
        self.wire.must(&self.get(&format!("/floors/{floor_no}"))).body()["data"].clone()
    }

    fn floor(&self, floor_no: usize) -> String {
        self.at(floor_no)["floor_id"].as_str().expect("a floor").to_owned()
    }

    fn page(&self, floor_no: usize) -> String {
        self.at(floor_no)["page_id"].as_str().expect("a page").to_owned()
    }

    fn one_of_many(&self, number: usize) -> String {
        format!("{}-{number}", self.session)
    }

    fn note(&self, value: &Value) -> Request {
        Request::put(format!("/sessions/{}/scratchpad/note", self.session), json!({"value": value}))
    }

    fn last_pages(&self) -> Vec<String> {
        (self.end()..self.size).map(|number| self.page(number)).collect()
    }

    fn last_floors(&self) -> Vec<String> {
        let listed = self.wire.must(&self.get(&format!("/transcript?from={}&limit=100", self.end()))).body();
        let listed = listed["data"].as_array().expect("a list").clone();
        listed.iter().filter_map(|floor| floor["floor_id"].as_str().map(str::to_owned)).collect()
    }
}

fn key(number: usize) -> String {
    format!("variable.{number}")
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"))
}

/// As long as a text can be in a request, which has a little more in it.
const TEXT_BYTES: usize = 15 * 1024 * 1024;

/// A text of about so many bytes that does not compress to much less.
fn noise(seed: usize, bytes: usize) -> String {
    let mut number = seed as u64;
    let mut text = String::with_capacity(bytes);
    while text.len() < bytes {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Six bits of each number that are well mixed, as a character.
        text.push(char::from(b'0' + (number >> 58) as u8));
    }
    text
}

/// An object of entries with so many bytes.
fn document(bytes: usize) -> Value {
    let entry = |number: usize| {
        let text = format!("entry {number} of a large state, {:x}", number.wrapping_mul(0x9e37_79b9));
        (format!("e{number}"), json!({"n": 1, "text": text.repeat(8)}))
    };
    let (mut document, mut length) = (serde_json::Map::new(), 0);
    for number in 0.. {
        let (name, value) = entry(number);
        length += name.len() + value.to_string().len() + 4;
        if length > bytes {
            break;
        }
        document.insert(name, value);
    }
    Value::Object(document)
}

fn deep(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!({"d": inner}))
}

/// A chat of SillyTavern with so many messages.
fn chat_file(messages: usize) -> String {
    let header = json!({"chat_metadata": {}, "user_name": "unused", "character_name": "unused"});
    let message = |number: usize| {
        let text = format!("message {number} of a long chat, as people write them; _.add('n', 1);");
        json!({"name": "Hana", "is_user": number.is_multiple_of(2), "mes": text, "extra": {"at": number}})
    };
    let lines: Vec<String> = [header].into_iter().chain((0..messages).map(message)).map(|it| it.to_string()).collect();
    lines.join("\n")
}
