//! Where the writes of macros go: rows of the page that is generated, then branch or global, in the order of the text.

use super::prompt::{codes, fixed};
use crate::support::{Answer, Client, both, branch, chat, global};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn render(client: &Client, page: &str, text: &str) -> Answer {
    client.post("/sessions/s/prompt-runtime/render", fixed(json!({"text": text, "page_id": page})))
}

/// A generating floor with an output page.
pub fn begin(client: &Client, floor: &str, page: &str) {
    client.make_floor("s", floor, json!({}));
    client.make_page(floor, page, json!({}));
    client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
}

pub fn commit(client: &Client, floor: &str) {
    client.post(&format!("/floors/{floor}/commit"), json!({})).is(200).has("/state", "committed");
}

/// Key, op, value, intent and status of a page's ledger.
fn ledger(client: &Client, page: &str) -> Vec<Value> {
    let items = client.get(&format!("/pages/{page}/variables/staged")).is(200).data()["items"].clone();
    let items = items.as_array().expect("a list").iter();
    items.map(|item| json!([item["key"], item["op"], item["value"], item["intent"], item["status"]])).collect()
}

pub fn own(client: &Client, query: &str) -> Vec<(String, Value)> {
    let list = client.get(&format!("/variables?{query}&sort_by=key&sort_order=asc")).is(200).data();
    let rows = list.as_array().expect("a list").iter();
    rows.map(|row| (row["key"].as_str().unwrap().to_owned(), row["value"].clone())).collect()
}

pub const MAIN: &str = "scope=branch&session_id=s&branch_id=main";

#[test]
fn a_commit_applies_what_the_prompt_wrote() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "n", 5).is(201);
        client.set(branch("s", "main"), "old", "x").is(201);
        client.set(global(), "total", 1).is(201);
        begin(client, "f", "p");
        client.case("B85");
        let text = "{{setvar::x::1}}{{setvar::x::2}}{{incvar::n}}{{deletevar::old}}{{setvar::old::new}}{{deletevar::absent}}\
            {{setglobalvar::g::1}}{{incglobalvar::total}}{{setvar::资产.金币::3}}{{deleteglobalvar::nothing}}";
        let answer = render(client, "p", text);
        answer.is(200).has("/text", "62").has("/scope/page_id", "p");
        assert_eq!(codes(&answer), Vec::<String>::new());
        let staged = answer.data()["runtime_trace"]["macro"]["staged_mutations"].clone();
        assert_eq!(staged.as_array().map(Vec::len), Some(10));
        assert_eq!(staged[2]["value"], 6);
        let to_branch = "promote_to_branch_on_accept";
        let to_global = "promote_to_global_on_accept";
        let rows = |status: &str| {
            vec![
                json!(["x", "set", "1", to_branch, status]),
                json!(["x", "set", "2", to_branch, status]),
                json!(["n", "set", 6, to_branch, status]),
                json!(["old", "delete", null, to_branch, status]),
                json!(["old", "set", "new", to_branch, status]),
                json!(["absent", "delete", null, to_branch, status]),
                json!(["g", "set", "1", to_global, status]),
                json!(["total", "set", 2, to_global, status]),
                json!(["资产", "set", {"金币": "3"}, to_branch, status]),
                json!(["nothing", "delete", null, to_global, status]),
            ]
        };
        assert_eq!(ledger(client, "p"), rows("staged"));
        let item = client.get("/pages/p/variables/staged").is(200).data()["items"][0].clone();
        assert_eq!((&item["source_kind"], &item["id"]), (&json!("macro"), &staged[0]["id"]));
        assert_eq!(item["source"]["macro"], "setvar");
        client.case("nothing is durable before the commit");
        assert_eq!(own(client, MAIN), [("n".into(), json!(5)), ("old".into(), json!("x"))]);
        client.case("rendering twice is rendering once");
        render(client, "p", text).is(200).has("/text", "62");
        assert_eq!(ledger(client, "p"), rows("staged"));
        commit(client, "f");
        assert_eq!(ledger(client, "p"), rows("promoted"));
        let now = [
            ("n".to_owned(), json!(6)),
            ("old".to_owned(), json!("new")),
            ("x".to_owned(), json!("2")),
            ("资产".to_owned(), json!({"金币": "3"})),
        ];
        assert_eq!(own(client, MAIN), now);
        assert_eq!(own(client, "scope=global"), [("g".into(), json!("1")), ("total".into(), json!(2))]);
        client.case("never through the floor");
        assert_eq!(own(client, "scope=floor"), []);
        assert_eq!(own(client, "scope=page"), []);
        let promotions = client.get("/pages/p/variables/promotions").is(200).data()["items"].clone();
        let hops: BTreeMap<_, _> = promotions
            .as_array()
            .unwrap()
            .iter()
            .map(|hop| {
                assert_eq!((&hop["from_scope"], &hop["from_scope_id"]), (&json!("page"), &json!("p")));
                let target =
                    hop["target_variable_id"].as_str().map(|id| client.get(&format!("/variables/{id}")).status);
                (hop["key"].as_str().unwrap(), (hop["to_scope"].as_str().unwrap(), hop["value"].clone(), target))
            })
            .collect();
        let expected = [
            ("x", ("branch", json!("2"), Some(200))),
            ("n", ("branch", json!(6), Some(200))),
            ("old", ("branch", json!("new"), Some(200))),
            ("资产", ("branch", json!({"金币": "3"}), Some(200))),
            ("g", ("global", json!("1"), Some(200))),
            ("total", ("global", json!(2), Some(200))),
            ("absent", ("branch", Value::Null, None)),
            ("nothing", ("global", Value::Null, None)),
        ];
        assert_eq!(hops, BTreeMap::from(expected), "what was never there has no id");
        client.case("the position of the commit has them, so forks inherit them");
        client.set(branch("s", "main"), "x", "later").is(200);
        let asked = json!({"text": "{{getvar::x}}", "branch_id": "new", "source_floor_id": "f"});
        client.post("/sessions/s/prompt-runtime/preview", fixed(asked)).is(200).has("/text", "2");
        client.case("a committed page takes no more");
        render(client, "p", "{{setvar::x::9}}").refused(409, "variable_target_locked");
    });
}

#[test]
fn a_failed_floor_discards_them() {
    both(|client| {
        client.make_session("s");
        begin(client, "f", "p");
        render(client, "p", "{{setvar::x::1}}{{setglobalvar::g::1}}").is(200);
        client.post("/floors/f/fail", json!({})).is(200);
        let statuses: Vec<Value> = ledger(client, "p").iter().map(|row| row[4].clone()).collect();
        assert_eq!(statuses, [json!("discarded"), json!("discarded")]);
        assert_eq!(client.count("x") + client.count("g"), 0);
        render(client, "p", "{{setvar::x::1}}").refused(409, "variable_target_locked");
        client.case("nothing is staged by what cannot be evaluated");
        begin(client, "f2", "p2");
        let answer = render(
            client,
            "p2",
            "{{setvar::x::{{unknown}}}} {{setvar::a}} {{if {{.x}} + 1}}{{setvar::x::1}}{{/if}} {{setvar::y::1",
        );
        answer.is(200).has("/runtime_trace/macro/staged_mutations", json!([]));
        assert_eq!(ledger(client, "p2"), Vec::<Value>::new());
        client.case("a page must be named");
        client.post("/sessions/s/prompt-runtime/render", json!({"text": "a"})).invalid("page_id");
        client
            .post("/sessions/s/prompt-runtime/render", json!({"text": "a", "page_id": "none"}))
            .refused(404, "page_not_found");
    });
}

#[test]
fn another_swipe_starts_from_what_was_there_before() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "n", 5).is(201);
        begin(client, "f", "p");
        render(client, "p", "{{incvar::n}}{{setvar::only::1}}").is(200).has("/text", "6");
        commit(client, "f");
        assert_eq!(own(client, MAIN), [("n".into(), json!(6)), ("only".into(), json!("1"))]);
        client.make_page("f", "q", json!({"version": 1, "is_active": true}));
        client.case("the swipe that was left has not happened");
        let answer = render(client, "q", "{{incvar::n}}{{hasvar::only}}");
        answer.is(200).has("/text", "6false");
        client.post("/floors/f/commit", json!({"page_id": "q"})).is(200);
        assert_eq!(own(client, MAIN), [("n".into(), json!(6))]);
        client.case("and back");
        client.post("/pages/p/activate", json!({})).is(200);
        assert_eq!(own(client, MAIN), [("n".into(), json!(6)), ("only".into(), json!("1"))]);
    });
}

#[test]
fn the_reply_has_the_last_word() {
    both(|client| {
        client.make_session("s");
        begin(client, "f", "p");
        render(client, "p", "{{setvar::x::prompt}}{{setvar::y::prompt}}{{setvar::z::prompt}}").is(200);
        let stage = |key: &str, more: Value| {
            let mut write = json!({"key": key, "op": "set", "value": "reply"});
            for (name, value) in more.as_object().into_iter().flatten() {
                write[name] = value.clone();
            }
            client.post("/pages/p/variables/staged", write).is(201);
        };
        stage("x", json!({"intent": "promote_to_branch_on_accept"}));
        stage("y", json!({"intent": "promote_to_branch_on_accept", "conflict_policy": "if_absent"}));
        stage("z", json!({}));
        commit(client, "f");
        let now = [("x".into(), json!("reply")), ("y".into(), json!("prompt")), ("z".into(), json!("prompt"))];
        assert_eq!(own(client, MAIN), now);
        client.case("clients cannot stage global writes");
        begin(client, "f2", "p2");
        let write = json!({"key": "g", "op": "set", "value": 1, "intent": "promote_to_global_on_accept"});
        client.post("/pages/p2/variables/staged", write).invalid_at("/intent");
        client.case("the name of the state is reserved");
        let answer = render(client, "p2", "{{setvar::vs_stat_data::1}}");
        answer.is(200).has("/runtime_trace/macro/staged_mutations", json!([]));
        assert_eq!(codes(&answer), ["macro_readonly_name_conflict"]);
        client.set(chat("s"), "c", 1).is(201);
        client.case("a deletion on the branch lets the chat's value through");
        let answer = render(client, "p2", "{{setvar::c::2}}{{deletevar::c}}{{.c}}");
        answer.is(200).has("/text", "1");
    });
}

#[test]
fn what_counts_and_adds_starts_from_what_is_there_at_the_commit() {
    both(|client| {
        client.make_session("s");
        for (key, value) in [("n", json!(6)), ("list", json!(["a"])), ("o", json!({"a": 1, "b": 1})), ("t", json!("x"))]
        {
            client.set(branch("s", "main"), key, value).is(201);
        }
        client.set(branch("s", "main"), "set", 1).is(201);
        client.set(branch("s", "main"), "gone", 1).is(201);
        client.set(global(), "total", 1).is(201);
        client.set(chat("s"), "from_chat", 5).is(201);
        begin(client, "f", "p");
        let text = "{{incvar::n}}{{addvar::n::2}}{{addvar::list::b}}{{.o.a -= 3}}{{addvar::t::y}}{{setvar::set::2}}{{incvar::set}}\
            {{incglobalvar::total}}{{incvar::from_chat}}{{incvar::gone}}{{incvar::fresh}}";
        render(client, "p", text).is(200).has("/text", "732621");
        client.case("somebody writes between the prompt and the commit");
        client.set(branch("s", "main"), "n", 100).is(200);
        client.set(branch("s", "main"), "list", json!(["a", "z"])).is(200);
        client.set(branch("s", "main"), "o", json!({"a": 10, "b": 7})).is(200);
        client.set(branch("s", "main"), "t", "later ").is(200);
        client.set(branch("s", "main"), "set", 50).is(200);
        client.set(branch("s", "main"), "gone", json!({"not": "a number"})).is(200);
        client.set(global(), "total", 40).is(200);
        client.set(chat("s"), "from_chat", 8).is(200);
        commit(client, "f");
        let now = [
            ("fresh", json!("1")),
            ("from_chat", json!(9)),
            ("gone", json!({"not": "a number"})),
            ("list", json!(["a", "z", "b"])),
            ("n", json!(103)),
            ("o", json!({"a": 7, "b": 7})),
            ("set", json!(3)),
            ("t", json!("later y")),
        ];
        assert_eq!(own(client, MAIN), now.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(own(client, "scope=global"), [("total".into(), json!(41))]);
        client.case("what cannot be counted any more is refused, and says so");
        let items = client.get("/pages/p/variables/staged").is(200).data()["items"].clone();
        let of = |key: &str| items.as_array().unwrap().iter().find(|item| item["key"] == key).unwrap().clone();
        let (gone, n) = (of("gone"), of("n"));
        assert_eq!((&gone["status"], &n["status"]), (&json!("rejected"), &json!("promoted")));
        assert_eq!(gone["decision_reason"], "macro_change_not_applicable");
        assert_eq!(n["source"]["change"], json!({"path": [], "count": 1, "of": "number"}));
    });
}

#[test]
fn what_a_prompt_counted_as_a_number_is_not_counted_as_text() {
    both(|client| {
        client.make_session("s");
        let before = [
            ("added", json!(5)),
            ("counted", json!(5)),
            ("list", json!(["a"])),
            ("mood", json!("tense")),
            ("name", json!("x")),
            ("less", json!(5)),
            ("numeric", json!("5")),
        ];
        for (key, value) in before {
            client.set(branch("s", "main"), key, value).is(201);
        }
        client.set(global(), "total", 1).is(201);
        begin(client, "f", "p");
        let text = "{{incvar::counted}}{{addvar::added::2}}{{addvar::list::b}}{{incvar::mood}}{{addvar::name::y}}{{.less -= 1}}\
            {{incvar::numeric}}{{incvar::missing}}{{addglobalvar::total::1}}";
        let rendered = render(client, "p", text);
        rendered.is(200).has("/text", "6161");
        client.case("somebody writes text over the numbers, and a number over a text");
        let between = [
            ("added", json!("many")),
            ("counted", json!("a few")),
            ("list", json!("none")),
            ("mood", json!("calm")),
            ("name", json!(7)),
            ("less", json!("nothing")),
            ("numeric", json!(8)),
            ("missing", json!("not any more")),
        ];
        for (key, value) in between.clone() {
            client.set(branch("s", "main"), key, value).has("/key", key);
        }
        client.set(global(), "total", "all").is(200);
        commit(client, "f");
        let mut now = BTreeMap::from(between);
        client.case("what the prompt showed of a text is done to a text, and number stays number");
        now.insert("mood", json!("1"));
        now.insert("name", json!("7y"));
        now.insert("numeric", json!(9));
        let now: Vec<(String, Value)> = now.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        assert_eq!(own(client, MAIN), now);
        assert_eq!(own(client, "scope=global"), [("total".into(), json!("all"))]);
        client.case("what was refused says so");
        let items = client.get("/pages/p/variables/staged").is(200).data()["items"].clone();
        let refused: Vec<&Value> = items
            .as_array()
            .expect("a list")
            .iter()
            .filter(|item| item["status"] == "rejected")
            .inspect(|item| assert_eq!(item["decision_reason"], "macro_change_not_applicable"))
            .map(|item| &item["key"])
            .collect();
        assert_eq!(refused, ["counted", "added", "list", "less", "missing", "total"]);
    });
}

#[test]
fn counting_starts_from_what_a_branch_inherits() {
    both(|client| {
        client.make_session("s");
        for (key, value) in [("n", 5), ("hidden", 5), ("own", 5), ("other", 1)] {
            client.set(branch("s", "main"), key, value).is(201);
        }
        client.set(chat("s"), "hidden", 70).is(201);
        client.set(chat("s"), "chat", 30).is(201);
        begin(client, "f", "p");
        commit(client, "f");
        client.post("/floors/f/branch", json!({"branch_id": "fork"})).is(201);
        client.case("B.11 d: what was written on the fork before its first turn stays; what happens on the source later is not seen");
        client.set(branch("s", "main"), "n", 100).is(200);
        client.set(branch("s", "main"), "late", 100).is(201);
        client.delete("/variables?scope=branch&session_id=s&branch_id=main&key=other").is(200);
        client.set(branch("s", "fork"), "own", 50).is(201);
        client.delete("/variables?scope=branch&session_id=s&branch_id=fork&key=hidden").is(200);
        client.make_floor("s", "g", json!({"branch_id": "fork"}));
        client.make_page("g", "q", json!({}));
        client.post("/floors/g/generate", json!({})).is(200);
        let text =
            "{{incvar::n}} {{incvar::hidden}} {{incvar::own}} {{incvar::other}} {{incvar::late}} {{incvar::chat}}";
        render(client, "q", text).is(200).has("/text", "6 71 51 2 1 31");
        commit(client, "g");
        let now = [
            ("chat", json!(31)),
            ("hidden", json!(71)),
            ("late", json!("1")),
            ("n", json!(6)),
            ("other", json!(2)),
            ("own", json!(51)),
        ];
        let fork = "scope=branch&session_id=s&branch_id=fork";
        assert_eq!(own(client, fork), now.map(|(key, value)| (key.to_owned(), value)));
    });
}
