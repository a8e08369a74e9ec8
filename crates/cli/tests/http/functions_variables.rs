//! Variables that functions ask for: they are written when their page is committed for the first time, and only then.

use super::story::text;
use crate::support::{Client, both, chat};
use serde_json::{Value, json};

/// Whether the server under test runs scripts.
const SCRIPTS_RUN: bool = cfg!(feature = "script");

/// Sets a variable of each scope to the word that a reply vows.
const VOW: &str = "const [word] = args;\n\
    context.set_variable('of chat', word, 'chat');\n\
    context.set_variable('of branch', { word, n: [1, null] }, 'branch');\n\
    context.set_variable('of floor', word);\n\
    context.set_variable('of page', word, 'page');\n\
    snapshot.vows = (snapshot.vows ?? 0) + 1;";

fn vow(executor: &str) -> Value {
    json!({"name": "VOW", "type": "active", "executor": executor})
}

impl Client {
    fn make_vows(&self) -> String {
        self.make_character("c", json!({"template": {"vows": 0}}));
        let function = self.make_function("?scope=character&character_id=c", vow(VOW));
        self.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        function
    }

    /// The value of a variable of the chat; null where there is none.
    fn of_chat(&self) -> Value {
        let resolved = self.resolve("session_id=s");
        resolved.into_iter().find(|(key, ..)| key == "of chat").map_or(Value::Null, |(_, value, _)| value)
    }
}

#[test]
fn a_function_sets_variables_with_its_turn_and_never_again() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let function = client.make_vows();
        let turn = |body: Value| client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send();
        let first = turn(json!({"role": "assistant", "content": "@.VOW(\"north\");", "include_state": true}));
        first.is(201).has("/problems", json!([])).has("/state/vows", 1);
        let (floor, page) = (text(&first, "floor_id"), text(&first, "page_id"));
        let seen = |from: &str, query: String| {
            let resolved = client.resolve(&format!("session_id=s&branch_id=main{query}"));
            let of_scope = resolved.into_iter().filter(|(.., scope)| scope == from);
            of_scope.map(|(key, value, _)| (key, value)).collect::<Vec<_>>()
        };
        let row = |key: &str, value: Value| (key.to_owned(), value);
        let of_branch = row("of branch", json!({"word": "north", "n": [1, null]}));
        let (of_chat, of_floor) = (row("of chat", json!("north")), row("of floor", json!("north")));
        assert_eq!(seen("chat", String::new()), std::slice::from_ref(&of_chat));
        assert_eq!(seen("branch", String::new()), std::slice::from_ref(&of_branch));
        assert_eq!(seen("floor", format!("&floor_id={floor}")), [of_branch, of_chat, of_floor]);
        let on_page = seen("page", format!("&floor_id={floor}&page_id={page}"));
        assert!(on_page.contains(&row("of page", json!("north"))), "{on_page:?}");
        client.case("computing the turn again writes nothing");
        client.set(chat("s"), "of chat", "by hand").is(200);
        let changed = format!("{VOW}\nsnapshot.again = true;");
        client
            .ask("PATCH", &format!("/functions/{function}"))
            .json(json!({"executor": changed}))
            .unrecorded()
            .send()
            .is(200);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.get("/sessions/s/state").is(200);
        assert_eq!(client.of_chat(), "by hand");
        client.case("and neither does a state that was deleted and is computed again");
        let snapshot = text(&client.ask("GET", "/sessions/s/state").unrecorded().send(), "snapshot_id");
        client.ask("DELETE", &format!("/snapshots/{snapshot}")).unrecorded().send().is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        assert_eq!(client.of_chat(), "by hand");
        client.case("a swipe that is committed sets its own, and swiping back brings the first ones");
        let swipe = turn(json!({"role": "assistant", "content": "@.VOW(\"south\");", "swipe_of": floor}));
        swipe.is(201);
        assert_eq!(client.of_chat(), "south");
    });
}

#[test]
fn a_fork_with_rows_of_its_own_writes_nothing_again() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        client.make_vows();
        let turn = |body: Value| client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send();
        let first = turn(json!({"role": "assistant", "content": "@.VOW(\"north\");"}));
        let floor = text(first.is(201), "floor_id");
        client
            .ask("POST", &format!("/floors/{floor}/branch"))
            .json(json!({"branch_id": "fork"}))
            .unrecorded()
            .send()
            .is(201);
        turn(json!({"role": "assistant", "content": "@.VOW(\"south\");", "swipe_of": floor})).is(201);
        client.set(chat("s"), "of chat", "by hand").is(200);
        let state = || client.ask("GET", "/sessions/s/state?branch_id=fork").unrecorded().send();
        let snapshot = text(state().is(200), "snapshot_id");
        client.ask("DELETE", &format!("/snapshots/{snapshot}")).unrecorded().send().is(200);
        let process = json!({"branch_id": "fork"});
        client.ask("POST", "/sessions/s/process").json(process).unrecorded().send().is(200).has("/processed", 1);
        state().is(200).has("/state/vows", 1).has("/fresh", true);
        assert_eq!(client.of_chat(), "by hand");
    });
}

#[test]
fn nothing_is_written_before_the_commit() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        client.make_vows();
        client.post("/floors", json!({"id": "f", "session_id": "s"})).is(201);
        let page = |id: &str, word: &str| {
            let content = format!("@.VOW(\"{word}\");");
            json!({"id": id, "floor_id": "f", "page_kind": "output", "role": "assistant", "content": content})
        };
        client.post("/pages", page("p", "north")).is(201);
        client.post("/sessions/s/process", json!({})).is(200);
        assert_eq!(client.of_chat(), Value::Null, "a draft");
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        assert_eq!(client.of_chat(), "north");
        client.case("a swipe that nobody has chosen");
        let mut swipe = page("q", "south");
        swipe["is_active"] = json!(false);
        client.post("/pages", swipe).is(201);
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        assert_eq!(client.of_chat(), "north");
        client.post("/pages/q/activate", json!({})).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        assert_eq!(client.of_chat(), "south", "it is the page of a committed floor now");
    });
}

#[test]
fn what_is_refused_is_not_written() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        client.make_character("c", json!({"template": {"n": 0}}));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let ask = |call: &str, says: &str| {
            let executor = format!("context.set_variable('of chat', 1, 'chat'); snapshot.n = 1; {call}");
            let body = json!({"functions": [vow(&executor)], "text": "@.VOW();", "state": {"n": 0}});
            let tried = client.ask("POST", "/functions/test").json(body).unrecorded().send();
            tried.is(200).has("/state", json!({"n": 0})).has("/calls/0/status", "refused");
            tried.has("/calls/0/code", "script_failed");
            let message = tried.data()["calls"][0]["message"].to_string();
            assert!(message.contains(says), "{call}: {message}");
        };
        ask("context.set_variable('k', 1, 'global')", "the scope must be page, floor, branch or chat");
        ask("context.set_variable('k', NaN)", "NaN or Infinity");
        ask("context.set_variable('k', undefined)", "no JSON");
        ask("context.set_variable('k', 1n)", "TypeError");
        ask("context.set_variable('', 1)", "the key must NOT have fewer than 1 characters");
        ask("context.set_variable(5, 1)", "must be texts");
        ask("context.set_variable('k', '\\ud800')", "set_variable: ");
        ask("for (let n = 0; n <= 1000; n++) context.set_variable('k' + n, n)", "at most 1000 variables");
        ask("context.set_variable('k', 'x'.repeat(1048576))", "1048576 bytes");
        client.case("what a function that fails has asked for is dropped");
        client.make_function(
            "?scope=character&character_id=c",
            vow("context.set_variable('of chat', 1, 'chat'); throw new Error('no')"),
        );
        client.turn("s", "@.VOW();").is(201).has("/commands/0/status", "refused");
        assert_eq!(client.of_chat(), Value::Null);
        client.case("the name of the state is not a variable, and the turn counts all the same");
        client.make_function(
            "?scope=character&character_id=c",
            json!({"name": "STATE", "type": "active",
            "executor": "context.set_variable('of chat', 2, 'chat'); context.set_variable(args[0], 2, 'chat')"}),
        );
        client.turn("s", "@.STATE(\"vs_stat_data\");").is(201).has("/problems", json!([]));
        assert_eq!(client.of_chat(), 2);
    });
}
