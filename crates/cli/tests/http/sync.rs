//! Sync: a branch becomes the chat that a client has, and what is the same is left alone.

use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The hash that a client names a text by.
fn sha(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"))
}

/// A message that brings its texts along.
pub(super) fn said(role: &str, texts: &[&str], active: usize) -> Value {
    let swipes: Vec<Value> = texts.iter().map(|text| json!({"content": text})).collect();
    json!({"role": role, "active": active, "swipes": swipes})
}

/// The same with hashes alone.
fn named(role: &str, texts: &[&str], active: usize) -> Value {
    let swipes: Vec<Value> = texts.iter().map(|text| json!({"hash": sha(text)})).collect();
    json!({"role": role, "active": active, "swipes": swipes})
}

pub(super) fn add(number: i64) -> String {
    format!("@.ADD(\"n\", {number});")
}

/// What the story's chat consists of.
const HELLO: &str = "Hello. @.ADD(\"n\", 1);";
const ASK: &str = "And now?";
const REPLY: &str = "This. @.ADD(\"n\", 10);";

impl Client {
    pub(super) fn sync(&self, floors: Value) -> Answer {
        self.post("/sessions/s/sync", json!({"floors": floors, "confirm_all": true, "max_deleted": 100000}))
    }

    /// The chat as the server has it: role and texts of every floor, the active one marked.
    #[track_caller]
    fn chat(&self, branch: &str) -> Vec<Value> {
        let mut chat = Vec::new();
        let listed = self.get(&format!("/floors?session_id=s&branch_id={branch}&sort_order=asc&limit=100"));
        for floor in listed.is(200).column("id") {
            let floor = floor.as_str().expect("an id").to_owned();
            let pages = self.get(&format!("/pages?floor_id={floor}"));
            let pages = pages.is(200).data();
            let pages = pages.as_array().expect("a list");
            let texts: Vec<Value> = pages.iter().map(|page| page["content"].clone()).collect();
            let active = pages.iter().position(|page| page["is_active"] == true);
            chat.push(json!({"role": pages[0]["role"], "texts": texts, "active": active}));
        }
        chat
    }

    /// The ids of a branch's pages and what is known of their states, in the order of the chat.
    #[track_caller]
    fn pages_of(&self, branch: &str) -> Vec<String> {
        let mut pages = Vec::new();
        let listed = self.get(&format!("/floors?session_id=s&branch_id={branch}&sort_order=asc&limit=100"));
        for floor in listed.is(200).column("id") {
            let of_floor = self.get(&format!("/pages?floor_id={}", floor.as_str().expect("an id")));
            pages.extend(of_floor.is(200).column("id").iter().map(|id| id.as_str().expect("an id").to_owned()));
        }
        pages
    }
}

/// What the client's chat looks like on the server.
fn shown(role: &str, texts: &[&str], active: usize) -> Value {
    json!({"role": role, "texts": texts, "active": active})
}

#[test]
fn texts_are_asked_for_once_and_then_the_branch_is_the_chat() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let chat = json!([named("assistant", &[HELLO], 0), named("user", &[ASK], 0), named("assistant", &[REPLY], 0)]);
        client.case("hashes alone: everything is missing and nothing changes");
        let asked = client.sync(chat.clone());
        asked.is(200).has("/missing", json!([sha(HELLO), sha(ASK), sha(REPLY)])).has("/applied", false);
        asked.has("/created", 3).has("/processed", Value::Null).has("/floors", json!([]));
        client.get("/floors?session_id=s").is(200).has_meta("total", 0);
        client.case("some of the texts are not enough");
        let some = client.post("/sessions/s/sync", json!({"floors": chat, "texts": [HELLO, REPLY, "of no use"]}));
        some.is(200).has("/missing", json!([sha(ASK)])).has("/applied", false);
        client.get("/floors?session_id=s").is(200).has_meta("total", 0);
        client.case("a dry run tells what would happen");
        let body = json!({"floors": chat, "texts": [HELLO, ASK, REPLY], "dry_run": true});
        let tried = client.post("/sessions/s/sync", body);
        tried.is(200).has("/missing", json!([])).has("/created", 3).has("/applied", false).has("/dry_run", true);
        client.get("/floors?session_id=s").is(200).has_meta("total", 0);
        client.case("with all of them it happens, and is processed");
        let body = json!({"floors": chat, "texts": [HELLO, ASK, REPLY]});
        let synced = client.post("/sessions/s/sync", body.clone());
        synced.is(200).has("/applied", true).has("/created", 3).has("/processed/processed", 2);
        synced.has("/floors/2/index", 2).has("/floors/2/floor_no", 2);
        let expected = [shown("assistant", &[HELLO], 0), shown("user", &[ASK], 0), shown("assistant", &[REPLY], 0)];
        assert_eq!(client.chat("main"), expected);
        client.get("/sessions/s/state").is(200).has("/state/n", 11).has("/fresh", true);
        client.case("again it changes nothing, with texts or without");
        let before = (client.get("/sessions/s").data(), client.pages_of("main"));
        for body in [body, json!({"floors": chat})] {
            let again = client.post("/sessions/s/sync", body);
            again.is(200).has("/applied", true).has("/unchanged", 3).has("/created", 0).has("/changed", 0);
            again.has("/processed/processed", 0).has("/missing", json!([])).has("/floors", json!([]));
        }
        assert_eq!((client.get("/sessions/s").data(), client.pages_of("main")), before);
        client.case("a turn goes on from there, and the next sync knows it");
        client.turn("s", &add(100)).is(201).has("/floor_no", 3);
        let mut chat = chat;
        chat.as_array_mut().expect("a list").push(named("assistant", &[&add(100)], 0));
        client.sync(chat).is(200).has("/unchanged", 4).has("/created", 0);
    });
}

#[test]
fn what_is_equal_stays_untouched_whatever_else_happens() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let text = |number: i64| format!("{number} {}", add(1));
        let texts: Vec<String> = (0..6).map(text).collect();
        let all: Vec<Value> = texts.iter().map(|text| said("assistant", &[text], 0)).collect();
        client.sync(json!(all)).is(200).has("/created", 6);
        let pages = client.pages_of("main");
        client.case("one in the middle goes: those behind it stay and are processed again");
        let mut chat = all.clone();
        chat.remove(2);
        let synced = client.sync(json!(chat));
        synced.is(200).has("/deleted", 1).has("/unchanged", 5).has("/changed", 0).has("/moved", 0);
        synced.has("/processed/processed", 3);
        let kept: Vec<String> = pages.iter().enumerate().filter(|(at, _)| *at != 2).map(|(_, id)| id.clone()).collect();
        assert_eq!(client.pages_of("main"), kept);
        client.state(&pages[1]).has("/state/n", 2).has("/fresh", true);
        client.state(&pages[5]).has("/state/n", 5).has("/fresh", true);
        client.case("it comes back: there is room at its place");
        let synced = client.sync(json!(all));
        synced.is(200).has("/created", 1).has("/unchanged", 5).has("/floors/0/floor_no", 2).has("/floors/0/index", 2);
        client.state(&pages[5]).has("/state/n", 6).has("/fresh", true);
        client.case("one in between where no room is: the others keep their pages and states");
        let mut chat = all.clone();
        chat.insert(3, said("user", &["Wait."], 0));
        let snapshot = client.state(&pages[5]).data()["snapshot_id"].clone();
        let synced = client.sync(json!(chat));
        synced.is(200).has("/created", 1).has("/unchanged", 6).has("/processed/processed", 0);
        client.state(&pages[5]).has("/snapshot_id", snapshot).has("/state/n", 6).has("/fresh", true);
        let numbers = client.get("/floors?session_id=s&sort_order=asc").is(200).column("floor_no");
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
        client.case("an edit is an edit of that page");
        chat[1] = said("assistant", &[&format!("edited {}", add(5))], 0);
        let synced = client.sync(json!(chat));
        synced.is(200).has("/changed", 1).has("/unchanged", 6).has("/floors/0/page_ids/0", pages[1].as_str());
        client.state(&pages[5]).has("/state/n", 10).has("/fresh", true);
        client.case("two change places");
        chat.swap(4, 5);
        let synced = client.sync(json!(chat));
        synced.is(200).has("/moved", 1).has("/created", 0).has("/deleted", 0);
        assert_eq!(client.pages_of("main")[4], pages[4]);
        client.get("/sessions/s/state").is(200).has("/state/n", 10).has("/fresh", true);
        client.sync(json!(chat)).is(200).has("/unchanged", 7).has("/moved", 0);
        client.case("an empty chat");
        client.sync(json!([])).is(200).has("/deleted", 7).has("/applied", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 0).has("/inherited", true);
    });
}

#[test]
fn swipes_are_added_chosen_changed_and_deleted() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let (one, two, three) = (add(1), add(2), add(3));
        client.sync(json!([said("assistant", &[&one, &two], 0), said("assistant", &[&add(10)], 0)])).is(200);
        let pages = client.pages_of("main");
        client.get("/sessions/s/state").is(200).has("/state/n", 11);
        client.case("another one is chosen");
        let synced = client.sync(json!([named("assistant", &[&one, &two], 1), named("assistant", &[&add(10)], 0)]));
        synced.is(200).has("/changed", 1).has("/unchanged", 1).has("/missing", json!([]));
        client.get("/sessions/s/state").is(200).has("/state/n", 12).has("/fresh", true);
        assert_eq!(client.pages_of("main"), pages);
        client.case("a new one comes between and is chosen");
        let synced =
            client.sync(json!([said("assistant", &[&one, &three, &two], 1), named("assistant", &[&add(10)], 0)]));
        synced.is(200).has("/changed", 1);
        assert_eq!(client.chat("main")[0], shown("assistant", &[&one, &three, &two], 1));
        client.get("/sessions/s/state").is(200).has("/state/n", 13).has("/fresh", true);
        client.case("the first one goes; the others keep their pages and states");
        client.sync(json!([named("assistant", &[&three, &two], 1), named("assistant", &[&add(10)], 0)])).is(200);
        assert_eq!(client.pages_of("main")[1], pages[1]);
        client.state(&pages[1]).has("/state/n", 2).has("/fresh", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 12).has("/fresh", true);
        client.case("the one that counted goes and a new one counts");
        client.sync(json!([said("assistant", &[&three, &add(4)], 1), named("assistant", &[&add(10)], 0)])).is(200);
        assert_eq!(client.chat("main")[0], shown("assistant", &[&three, &add(4)], 1));
        client.get("/sessions/s/state").is(200).has("/state/n", 14).has("/fresh", true);
        client.case("two change their order");
        client.sync(json!([named("assistant", &[&add(4), &three], 0), named("assistant", &[&add(10)], 0)])).is(200);
        assert_eq!(client.chat("main")[0], shown("assistant", &[&add(4), &three], 0));
        client.get("/sessions/s/state").is(200).has("/state/n", 14).has("/fresh", true);
        client.case("somebody else spoke");
        let mut chat = json!([named("assistant", &[&add(4), &three], 0), named("user", &[&add(10)], 0)]);
        client.sync(chat.clone()).is(200).has("/changed", 1);
        client.get("/sessions/s/state").is(200).has("/state/n", 4).has("/fresh", true);
        chat[1]["name"] = json!("Traveller");
        client.sync(chat.clone()).is(200).has("/changed", 1);
        client.sync(chat.clone()).is(200).has("/changed", 0);
        chat[1]["name"] = Value::Null;
        client.sync(chat).is(200).has("/changed", 0);
    });
}

#[test]
fn an_interrupted_generation_is_a_text_that_says_nothing() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!([said("assistant", &[HELLO], 0)])).is(200);
        client.case("an empty swipe needs no text");
        let synced = client.sync(json!([named("assistant", &[HELLO, ""], 1), named("assistant", &[""], 0)]));
        synced.is(200).has("/missing", json!([])).has("/applied", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 0).has("/fresh", true);
        client.case("what was written at last is an edit");
        let synced = client.sync(json!([named("assistant", &[HELLO], 0), said("assistant", &[REPLY], 0)]));
        synced.is(200).has("/changed", 2).has("/created", 0).has("/deleted", 0);
        client.get("/sessions/s/state").is(200).has("/state/n", 11).has("/fresh", true);
        client.case("a text that was there before is known, wherever it stands");
        let synced = client.sync(json!([named("assistant", &[HELLO], 0), named("assistant", &[REPLY, HELLO], 1)]));
        synced.is(200).has("/missing", json!([])).has("/applied", true);
        client.get("/sessions/s/state").is(200).has("/state/n", 2).has("/fresh", true);
    });
}

#[test]
fn what_a_sync_refuses() {
    both(|client| {
        client.make_story("s", json!({}));
        let refused = |floors: Value| {
            client.post("/sessions/s/sync", json!({"floors": floors, "confirm_all": true, "max_deleted": 100000}))
        };
        client.case("shapes");
        client.post("/sessions/s/sync", json!({})).invalid("required property 'floors'");
        refused(json!([5])).invalid_by("/floors/0", "type");
        refused(json!([{"swipes": [{"content": ""}]}])).invalid("required property 'role'");
        refused(json!([{"role": "user", "swipes": []}])).invalid_by("/floors/0/swipes", "minItems");
        refused(json!([{"role": "user", "swipes": [{}]}]))
            .invalid("must have the text as `content`, or its SHA-256 as `hash`");
        refused(json!([{"role": "user", "swipes": [{"hash": "abc"}]}]))
            .invalid_by("/floors/0/swipes/0/hash", "pattern");
        refused(json!([{"role": "user", "swipes": [{"hash": sha("a"), "content": "b"}]}]))
            .invalid("must be the SHA-256 of the content");
        refused(json!([{"role": "user", "active": 1, "swipes": [{"content": ""}]}]))
            .invalid_by("/floors/0/active", "maximum");
        client
            .post("/sessions/s/sync", json!({"floors": [], "confirm_all": true, "texts": [1]}))
            .invalid_by("/texts/0", "type");
        refused(json!([{"role": "user", "swipes": [{"hash": sha("a").to_uppercase(), "content": "a"}]}])).is(200);
        client.case("places");
        // A front end whose chat has not loaded yet must not empty the server's.
        client.post("/sessions/s/sync", json!({"floors": []})).invalid_by("/floors", "minItems");
        client
            .post("/sessions/nobody/sync", json!({"floors": [], "confirm_all": true, "max_deleted": 100000}))
            .refused(404, "session_not_found");
        client
            .post("/sessions/s/sync", json!({"floors": [], "confirm_all": true, "branch_id": "x"}))
            .refused(404, "branch_not_found");
        client.case("swipes, at the limit and over it");
        let swipes = |count: usize| said("assistant", &vec!["x"; count], count - 1);
        refused(json!([swipes(100)])).is(200);
        refused(json!([swipes(101)])).invalid_by("/floors/0/swipes", "maxItems");
        client.case("a floor that is being written");
        client.make_floor("s", "draft", json!({}));
        refused(json!([])).refused(409, "sync_conflict");
        client.delete("/floors/draft").is(200);
        client.case("a floor with several slots");
        client.make_floor("s", "two", json!({"state": "committed"}));
        client.make_page("two", "two.0", json!({"page_kind": "input"}));
        client.make_page("two", "two.1", json!({"page_no": 1}));
        refused(json!([])).refused(409, "sync_conflict");
        client.delete("/floors/two").is(200);
        client.case("a floor that failed is no part of a chat");
        client.make_floor("s", "failed", json!({"state": "generating"}));
        client.post("/floors/failed/fail", json!({})).is(200);
        refused(json!([])).is(200).has("/deleted", 2);
        client.get("/floors/failed").refused(404, "floor_not_found");
    });
}

#[test]
fn a_long_chat_is_synced_at_the_limits_and_not_over_them() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let sync = |body: Value| client.ask("POST", "/sessions/s/sync").json(body).unrecorded().send();
        let floors = |count: usize| -> Vec<Value> {
            let floor = |at: usize| named(["user", "assistant"][at % 2], &[["a", "b"][at % 2]], 0);
            (0..count).map(floor).collect()
        };
        client.case("floors");
        let over = sync(json!({"floors": floors(20_001), "dry_run": true}));
        over.invalid_by("/floors", "maxItems");
        let most = sync(json!({"floors": floors(20_000), "dry_run": true}));
        most.is(200).has("/created", 20_000).has("/missing", json!([sha("a"), sha("b")]));
        client.case("bytes of texts");
        let text = "x".repeat(8 * 1024 * 1024 - 1);
        let body = |more: &str| json!({"floors": [named("user", &[&text], 0)], "texts": [text, more], "dry_run": true});
        sync(body("y")).is(200).has("/missing", json!([]));
        sync(body("yz")).invalid_by("/texts", "maxLength");
        client.case("swipes altogether");
        let swiped = |count: usize| -> Vec<Value> {
            let swipes = |count: usize| json!({"role": "user", "swipes": vec![json!({"hash": sha("a")}); count]});
            (0..count / 100)
                .map(|_| swipes(100))
                .chain((!count.is_multiple_of(100)).then(|| swipes(count % 100)))
                .collect()
        };
        sync(json!({"floors": swiped(50_001), "dry_run": true})).invalid_by("/floors", "maxItems");
        sync(json!({"floors": swiped(50_000), "dry_run": true})).is(200).has("/created", 500);
        client.case("a chat with many floors");
        let made = sync(json!({"floors": floors(300), "texts": ["a", "b"]}));
        made.is(200).has("/created", 300).has("/processed/processed", 150);
        let again = sync(json!({"floors": floors(300)}));
        again.is(200).has("/unchanged", 300).has("/processed/processed", 0);
        let shorter = sync(json!({"floors": floors(299)}));
        shorter.is(200).has("/unchanged", 299).has("/deleted", 1);
    });
}

#[test]
fn a_text_that_is_there_is_not_copied_without_end() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let sync = |body: Value| client.ask("POST", "/sessions/s/sync").json(body).unrecorded().send();
        let text = "x".repeat(1024 * 1024);
        sync(json!({"floors": [named("user", &[&text], 0)], "texts": [text]})).is(200).has("/created", 1);
        let chat = |copies: usize, more: &str| -> Vec<Value> {
            let copy = || named("user", &[&text], 0);
            (0..=copies).map(|_| copy()).chain([said("user", &[more], 0)]).collect()
        };
        client.case("over the limit nothing is done, and a dry run tells it");
        sync(json!({"floors": chat(64, "y"), "dry_run": true})).refused(413, "sync_too_large");
        sync(json!({"floors": chat(64, "y")})).refused(413, "sync_too_large");
        client.get("/floors?session_id=s").is(200).has_meta("total", 1);
        client.case("swipes are counted like floors, and texts that came along like those that were there");
        let swipes = json!({"role": "user", "swipes": vec![json!({"hash": sha(&text)}); 66]});
        sync(json!({"floors": [swipes], "texts": [text]})).refused(413, "sync_too_large");
        client.case("at the limit it is done; what is there already does not count");
        sync(json!({"floors": chat(64, "")})).is(200).has("/applied", true).has("/created", 65);
        sync(json!({"floors": chat(65, "")})).is(200).has("/applied", true).has("/created", 1);
    });
}

#[test]
fn a_sync_and_greetings_and_a_disabled_character() {
    both(|client| {
        let body = json!({"id": "c", "name": "Yuki", "template": {"n": 0}, "greetings": [HELLO, "Hi."]});
        client.post("/characters", body).is(201);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        client.case("a front end finds its greetings as they are");
        let synced = client.sync(json!([named("assistant", &[HELLO, "Hi."], 0)]));
        synced.is(200).has("/unchanged", 1).has("/missing", json!([]));
        client.patch("/characters/c", json!({"enabled": false})).is(200);
        client.case("a disabled character's chat is kept and not processed");
        let synced = client.sync(json!([named("assistant", &[HELLO, "Hi."], 0), said("assistant", &[REPLY], 0)]));
        synced.is(200).has("/created", 1).has("/processed/disabled", true).has("/processed/processed", 0);
        let page = text_of(&synced);
        client.state(&page).has("/inherited", true).has("/state/n", 1);
    });
}

fn text_of(synced: &Answer) -> String {
    synced.data()["floors"][0]["page_ids"][0].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_sync_under_a_key_is_answered_the_same_again() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let send = |key: &str, body: &Value| {
            let ask = client.ask("POST", "/sessions/s/sync").header("idempotency-key", key);
            ask.json(body.clone()).send()
        };
        let same = |key: &str, body: &Value| {
            let (first, again) = (send(key, body), send(key, body));
            assert_eq!((first.status, &first.text), (again.status, &again.text));
            again.must(again.headers.contains_key("idempotency-replayed"), "the first answer again");
            first
        };
        client.case("what is missing");
        let floors = json!([named("assistant", &[HELLO], 0)]);
        same("a", &json!({"floors": floors, "confirm_all": true, "max_deleted": 100000}))
            .is(200)
            .has("/missing/0", sha(HELLO));
        client.case("what was made");
        same("b", &json!({"floors": floors, "texts": [HELLO]}))
            .is(200)
            .has("/created", 1)
            .has("/processed/processed", 1);
        client.case("a refusal");
        client.make_floor("s", "draft", json!({}));
        same("c", &json!({"floors": [], "confirm_all": true, "max_deleted": 100000})).refused(409, "sync_conflict");
        client.delete("/floors/draft").is(200);
        same("c", &json!({"floors": [], "confirm_all": true, "max_deleted": 100000})).refused(409, "sync_conflict");
    });
}

#[test]
fn edits_by_hand_survive_a_sync() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        client.sync(json!([said("assistant", &[HELLO], 0), said("assistant", &[REPLY], 0)])).is(200);
        let pages = client.pages_of("main");
        let snapshot = text(&client.state(&pages[1]), "snapshot_id");
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {"n": 500}})).is(200);
        let chat =
            json!([named("assistant", &[HELLO], 0), named("assistant", &[REPLY], 0), said("assistant", &[&add(1)], 0)]);
        client.sync(chat).is(200).has("/unchanged", 2).has("/created", 1).has("/processed/kept_edited", 0);
        client.get("/sessions/s/state").is(200).has("/state/n", 501).has("/fresh", true);
        client.case("another text under the edit: the state stays, and the answer tells that it was kept");
        let other = said("assistant", &[&add(7)], 0);
        let chat = json!([named("assistant", &[HELLO], 0), other, named("assistant", &[&add(1)], 0)]);
        let synced = client.sync(chat);
        synced.is(200).has("/changed", 1).has("/processed/kept_edited", 1).has("/processed/processed", 2);
        client.state(&pages[1]).is(200).has("/state/n", 500).has("/edited", true).has("/fresh", true);
        client.case("as after PATCH");
        client.patch(&format!("/pages/{}", pages[1]), json!({"content": add(8)})).is(200);
        client.state(&pages[1]).is(200).has("/state/n", 500).has("/fresh", false).has("/stale_reason", "text_changed");
        client.post("/sessions/s/process", json!({})).is(200).has("/kept_edited", 1);
        client.state(&pages[1]).is(200).has("/state/n", 500).has("/edited", true).has("/fresh", true);
        client.case("whoever wants the new text to count says so");
        client.post("/sessions/s/process", json!({"from_floor": 1, "overwrite_edited": true})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/n", 10).has("/fresh", true);
    });
}

#[test]
fn what_both_know_is_not_sent_again() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let first = client.sync(json!([said("assistant", &[HELLO], 0), said("user", &[ASK], 0)]));
        let version = first.is(200).data()["version"].clone();
        let pages = client.pages_of("main");
        let with = |version: &Value, kept: u64, floors: Value| {
            client.post("/sessions/s/sync", json!({"expected_version": version, "kept": kept, "floors": floors}))
        };
        client.case("nothing is new");
        with(&version, 2, json!([]))
            .is(200)
            .has("/applied", true)
            .has("/unchanged", 2)
            .has("/version", version.clone());
        client.case("a reply behind what is kept, whose text is asked for");
        with(&version, 2, json!([named("assistant", &[REPLY], 0)])).is(200).has("/missing", json!([sha(REPLY)]));
        let more = with(&version, 2, json!([said("assistant", &[REPLY], 0)]));
        more.is(200).has("/created", 1).has("/unchanged", 2);
        client.get("/sessions/s/state").is(200).has("/state/n", 11).has("/fresh", true);
        client.case("an old version: the branch is another one, also for what it had");
        with(&version, 2, json!([])).refused(409, "chat_moved");
        with(&version, 2, json!([said("assistant", &["Other."], 0)])).refused(409, "chat_moved");
        let version = more.data()["version"].clone();
        client.case("what is not kept and does not come is deleted");
        let shorter = with(&version, 1, json!([said("assistant", &[REPLY], 0)]));
        shorter.is(200).has("/deleted", 1).has("/unchanged", 2);
        assert_eq!(client.chat("main").len(), 2);
        assert_eq!(client.pages_of("main")[0], pages[0], "what is kept keeps its page");
        let version = shorter.data()["version"].clone();
        client.case("more than there is, and shapes");
        with(&version, 3, json!([])).invalid_at("/kept");
        client.post("/sessions/s/sync", json!({"kept": 1, "floors": []})).invalid_at("/kept");
        let body = json!({"expected_version": version, "kept": 0, "floors": []});
        client.post("/sessions/s/sync", body).invalid_at("/floors");
    });
}

#[test]
fn what_came_meanwhile_is_not_deleted_unseen() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let hello = client.sync(json!([said("assistant", &[HELLO], 0)]));
        let last = hello.is(200).data()["last_page_id"].clone();
        assert_eq!(last, client.pages_of("main")[0]);
        client.case("first the hashes; the answer says what is there now");
        let chat = json!([named("assistant", &[HELLO], 0), named("user", &[ASK], 0)]);
        let asked = client.sync(chat.clone());
        asked.is(200).has("/missing", json!([sha(ASK)])).has("/version", hello.data()["version"].clone());
        client.case("somebody takes a turn, and the texts come too late");
        client.turn("s", REPLY).is(201);
        let with = |more: Value| {
            let body = json!({"floors": chat, "texts": [ASK]});
            client.post("/sessions/s/sync", crate::support::tree::merge(body, more))
        };
        let version = asked.data()["version"].clone();
        with(json!({"expected_version": version})).refused(409, "chat_moved").says("dry_run");
        with(json!({"expected_last": last})).refused(409, "chat_moved");
        with(json!({"expected_last": null})).refused(409, "chat_moved");
        with(json!({"expected_last": last, "dry_run": true})).refused(409, "chat_moved");
        assert_eq!(client.chat("main").len(), 2);
        client.case("the way out: look, and mean it");
        let looked = with(json!({"dry_run": true}));
        looked.is(200).has("/deleted", 1).has("/created", 1);
        let version = looked.data()["version"].clone();
        let body = json!({"expected_version": version, "expected_last": looked.data()["last_page_id"]});
        let synced = with(body.clone());
        synced.is(200).has("/applied", true).has("/floors_count", 1).has("/floors_more", false);
        assert_ne!(synced.data()["version"], version);
        client.case("sent again it is answered the same: the chat is there");
        with(body).is(200).has("/applied", true).has("/unchanged", 2).has("/version", synced.data()["version"].clone());
        client.case("processing and variables are no change of the chat");
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.set(crate::support::chat("s"), "x", 1).is(201);
        let more = json!([named("assistant", &[HELLO], 0), named("user", &[ASK], 0), said("assistant", &[REPLY], 0)]);
        let body = json!({"floors": more, "expected_version": synced.data()["version"]});
        client.post("/sessions/s/sync", body).is(200).has("/created", 1);
        client.case("an empty branch ends with nothing");
        client.make_story("t", json!({}));
        let body = json!({"floors": [said("user", &[ASK], 0)], "expected_last": null});
        client.post("/sessions/t/sync", body).is(200).has("/created", 1);
        client.case("shapes");
        with(json!({"expected_version": "1"})).invalid_at("/expected_version");
        with(json!({"expected_last": 5})).invalid_at("/expected_last");
        let nothing = json!([{"role": "user", "swipes": [{}]}]);
        client.sync(nothing).invalid("must have the text as `content`, or its SHA-256 as `hash`");
    });
}

#[test]
fn lists_that_are_cut_say_so() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let chat = |count: usize| -> Value { (0..count).map(|_| said("assistant", &[HELLO], 0)).collect() };
        let full = client.sync(chat(100));
        full.is(200).has("/floors_count", 100).has("/floors_more", false).has("/processed/floors_more", false);
        client.sync(json!([])).is(200).has("/deleted", 100).has("/floors_count", 0);
        let cut = client.sync(chat(101));
        cut.is(200).has("/floors_count", 101).has("/floors_more", true).has("/processed/floors_more", true);
        assert_eq!(cut.data()["floors"].as_array().map(Vec::len), Some(100));
        assert_eq!(cut.data()["processed"]["floors"].as_array().map(Vec::len), Some(100));
    });
}

#[test]
fn an_answer_maps_messages_to_floors_pages_and_snapshots() {
    both(|client| {
        client.make_story("s", json!({"n": 0}));
        let chat = [said("user", &[ASK], 0), said("assistant", &[HELLO, REPLY], 1)];
        client.case("a dry run and missing texts have no map");
        let tried = client.post("/sessions/s/sync", json!({"floors": chat, "dry_run": true}));
        tried.is(200).has("/map", json!([])).has("/map_next_from", Value::Null);
        let missing = client.sync(json!([named("user", &[ASK], 0)]));
        missing.is(200).has("/map", json!([])).has("/map_next_from", Value::Null);
        client.case("all floors, changed or not");
        let synced = client.sync(json!(chat));
        synced.is(200).has("/created", 2).has("/map/0/index", 0).has("/map/0/snapshot_id", Value::Null);
        synced.has("/map/1/index", 1).has("/map/1/floor_no", 1).has("/map_next_from", Value::Null);
        synced.has("/map/1/page_id", synced.data()["floors"][1]["page_ids"][1].clone());
        let page = synced.data()["map"][1]["page_id"].as_str().expect("a page").to_owned();
        let snapshot = client.get(&format!("/pages/{page}/state")).is(200).data()["snapshot_id"].clone();
        synced.has("/map/1/snapshot_id", snapshot);
        let again = client.sync(json!(chat));
        again.is(200).has("/unchanged", 2).has("/floors", json!([])).has("/map", synced.data()["map"].clone());
        client.case("a long chat goes on in the transcript");
        let long: Vec<Value> = (0..103).map(|number| said("user", &[&number.to_string()], 0)).collect();
        let synced = client.sync(json!(long));
        synced.is(200).has("/map/99/index", 99).has("/map/99/floor_no", 99).has("/map/100", Value::Null);
        synced.has("/map_next_from", 100);
        let rest = client.get("/sessions/s/transcript?content=false&from=100");
        assert_eq!(rest.is(200).column("floor_no"), [100, 101, 102]);
        assert!(rest.column("page_id").iter().all(Value::is_string));
    });
}
