//! B.8: staged writes, what a commit decides about them, and what a page promotes.

use crate::support::{Client, both, branch, chat, floor, page};
use serde_json::{Value, json};

/// A session with one generating floor `f` that has an input page `in` and an output page `out`.
fn furnish(client: &Client) {
    client.make_session("s");
    client.make_floor("s", "f", json!({}));
    client.make_page("f", "in", json!({"page_no": 0, "page_kind": "input"}));
    client.make_page("f", "out", json!({"page_no": 1, "page_kind": "output"}));
}

fn stage(client: &Client, page: &str, write: Value) -> Value {
    let answer = client.post(&format!("/pages/{page}/variables/staged"), write);
    answer.is(201);
    answer.data()
}

fn set(key: &str, value: impl Into<Value>) -> Value {
    json!({"key": key, "op": "set", "value": value.into()})
}

fn with(mut write: Value, more: Value) -> Value {
    for (name, value) in more.as_object().into_iter().flatten() {
        write[name] = value.clone();
    }
    write
}

fn commit(client: &Client, floor: &str) {
    client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
    client.post(&format!("/floors/{floor}/commit"), json!({})).is(200).has("/state", "committed");
}

/// How the staged writes of a page ended: key, status, code, reason.
fn endings(client: &Client, page: &str) -> Vec<[Value; 4]> {
    let items = client.get(&format!("/pages/{page}/variables/staged")).is(200).data()["items"].clone();
    let mut endings: Vec<_> = items
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| ["key", "status", "decision_code", "decision_reason"].map(|name| item[name].clone()))
        .collect();
    endings.sort_by_key(|ending| ending[0].to_string());
    endings
}

fn ending(key: &str, status: &str, code: &str, reason: impl Into<Value>) -> [Value; 4] {
    [json!(key), json!(status), json!(code), reason.into()]
}

/// The promotions of a page: key, from, to, value.
fn promotions(client: &Client, page: &str) -> Vec<[Value; 4]> {
    let items = client.get(&format!("/pages/{page}/variables/promotions")).is(200).data()["items"].clone();
    let item = |item: &Value| ["key", "from_scope", "to_scope", "value"].map(|name| item[name].clone());
    items.as_array().into_iter().flatten().map(item).collect()
}

#[test]
fn a_fresh_page_has_empty_ledgers() {
    both(|client| {
        furnish(client);
        client.case("B61");
        for ledger in ["staged", "promotions"] {
            let answer = client.get(&format!("/pages/out/variables/{ledger}"));
            let empty = json!({"page_id": "out", "floor_id": "f", "session_id": "s", "branch_id": "main", "items": []});
            answer.is(200).has("", empty);
            let missing = client.get(&format!("/pages/x/variables/{ledger}"));
            missing.refused(404, "not_found").saying("Message page not found");
        }
        client.post("/pages/x/variables/staged", set("k", 1)).refused(404, "not_found");
    });
}

#[test]
fn a_commit_decides_and_promotes() {
    both(|client| {
        furnish(client);
        client.case("B62: staged, nothing durable yet");
        stage(client, "out", set("mood", "steady"));
        let tool = json!({"source": {"toolName": "set_variable", "providerId": "builtin"}, "source_kind": "tool",
            "reason": "builtin:set_variable", "evidence": {"runId": "run-1"}});
        let staged = stage(client, "out", with(set("mood", "steadier"), tool));
        assert_eq!((&staged["status"], &staged["decision_code"]), (&json!("staged"), &Value::Null));
        stage(client, "out", with(set("note", "p"), json!({"intent": "page_only", "reason": "because"})));
        assert_eq!(client.count("mood") + client.count("note"), 0);
        assert!(client.resolve("session_id=s&page_id=out").is_empty(), "B52: resolve shows what is durable");

        client.case("B62: decided");
        commit(client, "f");
        let items = client.get("/pages/out/variables/staged").is(200).data()["items"].clone();
        assert_eq!(items.as_array().map(Vec::len), Some(2), "one for each key: {items}");
        let mood = items.as_array().into_iter().flatten().find(|item| item["key"] == "mood").unwrap().clone();
        for (name, wanted) in [
            ("value", json!("steadier")),
            ("status", json!("promoted")),
            ("decision_code", json!("promotion_allowed")),
            ("decision_reason", Value::Null),
            ("intent", json!("promote_to_floor_on_accept")),
            ("conflict_policy", json!("replace")),
            ("reason", json!("builtin:set_variable")),
            ("source", json!({"toolName": "set_variable", "providerId": "builtin"})),
            ("source_kind", json!("tool")),
            ("evidence", json!({"runId": "run-1"})),
        ] {
            assert_eq!(mood[name], wanted, "{name}");
        }
        assert!(mood["resolved_at"].is_i64());
        let note = ending("note", "accepted_page_only", "promotion_allowed", Value::Null);
        assert!(endings(client, "out").contains(&note));
        assert!(endings(client, "in").is_empty());

        client.case("B63");
        let answer = client.get("/pages/out/variables/promotions");
        answer.is(200).has("/items/0/key", "mood").has("/items/0/value", "steadier");
        answer.has("/items/0/from_scope", "page").has("/items/0/from_scope_id", "out");
        answer.has("/items/0/to_scope", "floor").has("/items/0/to_scope_id", "f");
        answer.has("/items/0/staged_write_id", mood["id"].clone());
        let trace = answer.data()["items"][0].clone();
        assert!(trace["source_variable_id"].is_string() && trace["target_variable_id"].is_string());
        assert_eq!(promotions(client, "out").len(), 1);

        client.case("B64");
        let row = |key: &str, value: &str, scope: &str| (key.to_owned(), json!(value), scope.to_owned());
        assert_eq!(client.resolve("session_id=s&floor_id=f"), [row("mood", "steadier", "floor")]);
        let on_page = [row("mood", "steadier", "page"), row("note", "p", "page")];
        assert_eq!(client.resolve("session_id=s&page_id=out"), on_page);
    });
}

#[test]
fn what_was_put_on_the_page_is_promoted_too() {
    both(|client| {
        furnish(client);
        client.set(page("out"), "gold", 3).is(201);
        client.set(page("in"), "asked", true).is(201);
        commit(client, "f");
        assert_eq!(promotions(client, "out"), [[json!("gold"), json!("page"), json!("floor"), json!(3)]]);
        let traced = client.get("/pages/out/variables/promotions");
        traced.is(200).has("/items/0/staged_write_id", Value::Null);
        assert!(promotions(client, "in").is_empty(), "only the page that was committed");
    });
}

#[test]
fn a_key_that_is_there_can_stay() {
    both(|client| {
        furnish(client);
        client.case("B65");
        client.set(floor("f"), "mood", "old").is(201);
        let polite = json!({"conflict_policy": "if_absent"});
        stage(client, "out", with(set("mood", "new"), polite.clone()));
        stage(client, "out", with(set("other", 1), polite));
        commit(client, "f");
        let wanted = [
            ending("mood", "accepted_page_only", "policy_forbidden", "promotion_skipped_if_absent"),
            ending("other", "promoted", "promotion_allowed", Value::Null),
        ];
        assert_eq!(endings(client, "out"), wanted);
        let seen = client.resolve("session_id=s&floor_id=f");
        assert!(seen.contains(&("mood".into(), json!("old"), "floor".into())), "{seen:?}");
        assert_eq!(promotions(client, "out").len(), 1);
    });
}

#[test]
fn only_the_chosen_output_is_accepted() {
    both(|client| {
        furnish(client);
        client.case("B66");
        client.make_page("f", "swipe", json!({"page_no": 1, "page_kind": "output", "is_active": false}));
        client.make_page("f", "second", json!({"page_no": 2, "page_kind": "output"}));
        for page in ["in", "out", "swipe", "second"] {
            stage(client, page, set("k", page));
        }
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({"page_id": "x"})).refused(404, "page_not_found");
        client.post("/floors/f/commit", json!({"page_id": "out"})).is(200);
        assert_eq!(
            endings(client, "in"),
            [ending("k", "rejected", "source_page_not_output", "page_commit_gate_source_page_not_output")]
        );
        assert_eq!(
            endings(client, "swipe"),
            [ending("k", "discarded", "source_page_not_active", "page_not_active_at_commit")]
        );
        assert_eq!(endings(client, "second"), [ending("k", "discarded", "policy_forbidden", "page_not_accepted")]);
        assert_eq!(endings(client, "out"), [ending("k", "promoted", "promotion_allowed", Value::Null)]);
        assert_eq!(client.count("k"), 2, "on the page and on the floor");
    });
}

#[test]
fn a_failed_floor_discards_what_was_staged() {
    both(|client| {
        furnish(client);
        client.case("B67");
        stage(client, "out", set("k", 1));
        client.post("/floors/f/generate", json!({})).is(200);
        stage(client, "out", set("l", 1));
        client.post("/floors/f/fail", json!({})).is(200);
        let discarded = |key| ending(key, "discarded", "policy_forbidden", "page_not_accepted");
        assert_eq!(endings(client, "out"), [discarded("k"), discarded("l")]);
        assert_eq!(client.count("k") + client.count("l"), 0);
        assert!(promotions(client, "out").is_empty());
        client.post("/pages/out/variables/staged", set("k", 1)).refused(409, "variable_target_locked");
    });
}

#[test]
fn a_staged_deletion_really_deletes() {
    both(|client| {
        furnish(client);
        client.set(floor("f"), "old", 1).is(201);
        client.set(page("out"), "old", 2).is(201);
        stage(client, "out", json!({"key": "old", "op": "delete"}));
        commit(client, "f");
        assert_eq!(client.count("old"), 0);
        assert_eq!(endings(client, "out"), [ending("old", "promoted", "promotion_allowed", Value::Null)]);
        assert_eq!(promotions(client, "out"), [[json!("old"), json!("page"), json!("floor"), Value::Null]]);
    });
}

#[test]
fn higher_promotion_is_for_those_who_ask() {
    both(|client| {
        furnish(client);
        client.set(chat("s"), "taken", "old").is(201);
        let to = |goal: &str| json!({"intent": format!("promote_to_{goal}_on_accept")});
        stage(client, "out", with(set("a", 1), to("branch")));
        stage(client, "out", with(set("b", 2), to("chat")));
        let polite = with(to("chat"), json!({"conflict_policy": "if_absent"}));
        stage(client, "out", with(set("taken", "new"), polite));
        commit(client, "f");
        let hop = |key: &str, from: &str, to: &str, value: Value| [json!(key), json!(from), json!(to), value];
        let mut hops = promotions(client, "out");
        hops.sort_by_key(|hop| format!("{hop:?}"));
        let mut wanted = vec![
            hop("a", "floor", "branch", json!(1)),
            hop("a", "page", "floor", json!(1)),
            hop("b", "floor", "chat", json!(2)),
            hop("b", "page", "floor", json!(2)),
            hop("taken", "page", "floor", json!("new")),
        ];
        wanted.sort_by_key(|hop| format!("{hop:?}"));
        assert_eq!(hops, wanted);
        let taken = ending("taken", "promoted", "promotion_allowed", "higher_promotion_skipped_if_absent");
        assert!(endings(client, "out").contains(&taken));
        let row = |key: &str, value: Value, scope: &str| (key.to_owned(), value, scope.to_owned());
        let seen = client.resolve("session_id=s&branch_id=main");
        let wanted = [row("a", json!(1), "branch"), row("b", json!(2), "chat"), row("taken", json!("old"), "chat")];
        assert_eq!(seen, wanted);
    });
}

#[test]
fn a_swipe_takes_back_what_the_page_before_promoted() {
    both(|client| {
        furnish(client);
        client.set(branch("s", "main"), "gold", 1).is(201);
        client.set(floor("f"), "mood", "put").is(201);
        let to_branch = json!({"intent": "promote_to_branch_on_accept"});
        stage(client, "out", with(set("gold", 2), to_branch.clone()));
        stage(client, "out", set("mood", "first"));
        commit(client, "f");
        let see = || client.resolve("session_id=s&floor_id=f");
        let row = |key: &str, value: Value, scope: &str| (key.to_owned(), value, scope.to_owned());
        let first = [row("gold", json!(2), "floor"), row("mood", json!("first"), "floor")];
        assert_eq!(see(), first);

        client.case("a new swipe starts without them");
        client.make_page("f", "swipe", json!({"page_no": 1, "page_kind": "output"}));
        let before = [row("gold", json!(1), "branch"), row("mood", json!("put"), "floor")];
        assert_eq!(see(), before);

        client.case("it has its own commit");
        stage(client, "swipe", with(set("gold", 5), to_branch));
        stage(client, "swipe", json!({"key": "mood", "op": "delete"}));
        client.post("/floors/f/commit", json!({"page_id": "swipe"})).is(200);
        assert_eq!(see(), [row("gold", json!(5), "floor")]);
        assert_eq!(client.resolve("session_id=s&branch_id=main"), [row("gold", json!(5), "branch")]);
        client.post("/floors/f/commit", json!({"page_id": "swipe"})).refused(409, "invalid_state");
        client.post("/floors/f/commit", json!({})).refused(409, "invalid_state");

        client.case("and back again");
        client.post("/pages/out/activate", json!({})).is(200);
        assert_eq!(see(), first);
        client.post("/pages/swipe/activate", json!({})).is(200);
        assert_eq!(see(), [row("gold", json!(5), "floor")]);

        client.case("what is put by hand stays on top");
        client.set(branch("s", "main"), "gold", 9).is(200);
        client.post("/pages/out/activate", json!({})).is(200);
        assert_eq!(client.resolve("session_id=s&branch_id=main"), [row("gold", json!(9), "branch")]);

        client.case("a page that is deleted takes its promotions along");
        client.delete("/pages/out").is(200);
        client.delete("/pages/swipe").is(200);
        assert_eq!(see(), [row("gold", json!(9), "branch"), row("mood", json!("put"), "floor")]);
    });
}

#[test]
fn what_cannot_be_staged_is_refused() {
    both(|client| {
        furnish(client);
        let post = |body: Value| client.post("/pages/out/variables/staged", body);
        post(json!({})).invalid_at("");
        post(json!({"key": "k"})).invalid_at("");
        post(json!({"key": "k", "op": "set"})).invalid_by("", "required");
        post(json!({"key": "", "op": "delete"})).invalid_at("/key");
        post(json!({"key": "k", "op": "add", "value": 1})).invalid_by("/op", "enum");
        post(with(set("k", 1), json!({"intent": "promote"}))).invalid_by("/intent", "enum");
        post(with(set("k", 1), json!({"conflict_policy": 1}))).invalid_at("/conflict_policy");
        post(with(set("k", 1), json!({"source_kind": "me"}))).invalid_by("/source_kind", "enum");
        post(json!([])).invalid_at("");
        post(set("k", Value::Null)).is(201).has("/value", Value::Null);
        for state in ["committed", "failed"] {
            client.make_floor("s", state, json!({"state": state}));
            client.make_page(state, &format!("{state}.p"), json!({"page_kind": "output"}));
            let answer = client.post(&format!("/pages/{state}.p/variables/staged"), set("k", 1));
            answer.refused(409, "variable_target_locked");
        }
    });
}

#[test]
fn a_variable_has_a_history() {
    both(|client| {
        furnish(client);
        let id = client.set(chat("s"), "gold", 1).is(201).id();
        client.set(chat("s"), "gold", 2).is(200);
        let by = json!({"scope": "chat", "scope_id": "s", "key": "gold", "by": 3});
        client.post("/variables/increment", by).is(200);
        let history = client.get(&format!("/variables/{id}/history"));
        assert_eq!(history.is(200).column("value"), [json!(5), json!(2), json!(1)]);
        assert_eq!(history.column("source"), [json!("increment"), json!("put"), json!("put")]);
        history.has_meta("total", 3).has_meta("has_more", false);
        let oldest = client.get(&format!("/variables/{id}/history?sort_order=asc&limit=1"));
        assert_eq!(oldest.is(200).column("value"), [json!(1)]);
        client.get("/variables/x/history").refused(404, "variable_not_found");

        client.case("what stood there before belongs to it");
        client.delete(&format!("/variables/{id}")).is(200);
        client.get(&format!("/variables/{id}/history")).refused(404, "variable_not_found");
        let again = client.set(chat("s"), "gold", 7).is(201).id();
        let history = client.get(&format!("/variables/{again}/history"));
        assert_eq!(history.is(200).column("op"), ["set", "delete", "set", "set", "set"].map(Value::from));
    });
}

/// A floor on `main` whose page promotes a value to the branch.
fn promoting_floor(client: &Client, id: &str, gold: i64) {
    let page = format!("{id}-page");
    client.make_floor("s", id, json!({}));
    client.make_page(id, &page, json!({"page_no": 0, "page_kind": "output"}));
    stage(client, &page, with(set("gold", gold), json!({"intent": "promote_to_branch_on_accept"})));
    commit(client, id);
}

#[test]
fn what_comes_back_on_another_branch_promotes_to_that_one() {
    both(|client| {
        client.make_session("s");
        promoting_floor(client, "first", 1);
        promoting_floor(client, "second", 2);
        let gold = |name: &str, value: i64| {
            let seen = client.resolve(&format!("session_id=s&branch_id={name}"));
            assert_eq!(seen, [("gold".to_owned(), json!(value), "branch".to_owned())], "{name}");
        };
        client.post("/floors/second/branch", json!({"branch_id": "fork"})).is(201);
        gold("fork", 2);
        let trash = client.delete("/floors/second").is(200).header("trash-id");
        gold("main", 1);
        client.case("its place is taken");
        client.make_floor("s", "third", json!({}));
        let restored = client.post(&format!("/trash/{trash}/restore"), json!({}));
        restored.is(200).has("/new_branch", true).has("/branch_id", "restored");
        gold("main", 1);
        gold("restored", 2);
        gold("fork", 2);
        let answer = client.get("/pages/second-page/variables/promotions");
        answer.is(200).has("/items/1/to_scope", "branch").has("/items/1/value", 2);
        client.case("the value goes and comes with the page, there and nowhere else");
        let trash = client.delete("/floors/second").is(200).header("trash-id");
        gold("main", 1);
        gold("restored", 1);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/new_branch", false);
        gold("main", 1);
        gold("restored", 2);
        client.case("its branch is gone");
        let trash = client.delete("/floors/second").is(200).header("trash-id");
        client.delete("/branches/restored?session_id=s&permanent=true").is(200);
        client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).has("/branch_id", "restored");
        gold("main", 1);
        gold("restored", 2);
        gold("fork", 2);
    });
}
