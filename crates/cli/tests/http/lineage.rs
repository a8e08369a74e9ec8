//! B.9 and beyond: what a branch inherits, and what a floor sees of the floors before it.

use crate::support::{Client, both, branch, chat, floor};
use serde_json::{Value, json};

/// Commits a fresh floor on a branch, after somebody has put a value on it.
fn turn(client: &Client, id: &str, on: &str, values: &[(&str, Value)]) {
    client.make_floor("s", id, json!({"branch_id": on}));
    for (key, value) in values {
        client.set(floor(id), key, value.clone()).is(201);
    }
    client.post(&format!("/floors/{id}/generate"), json!({})).is(200);
    client.post(&format!("/floors/{id}/commit"), json!({})).is(200);
}

fn fork(client: &Client, floor: &str, name: &str) {
    client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": name})).is(201);
}

fn row(key: &str, value: impl Into<Value>, scope: &str) -> (String, Value, String) {
    (key.to_owned(), value.into(), scope.to_owned())
}

fn seen(client: &Client, on: &str) -> Vec<(String, Value, String)> {
    client.resolve(&format!("session_id=s&branch_id={on}"))
}

#[test]
fn a_branch_inherits_what_its_source_had_at_the_fork() {
    both(|client| {
        client.make_session("s");
        client.case("B69");
        client.set(chat("s"), "c", 1).is(201);
        client.set(branch("s", "main"), "b", 1).is(201);
        client.set(branch("s", "main"), "gone", 1).is(201);
        turn(client, "f1", "main", &[]);
        client.set(branch("s", "main"), "b", 2).is(200);
        client.set(branch("s", "main"), "later", 1).is(201);
        client.delete("/variables?scope=branch&session_id=s&branch_id=main&key=gone").is(200);
        fork(client, "f1", "new");
        assert_eq!(seen(client, "new"), [row("b", 1, "branch"), row("c", 1, "chat"), row("gone", 1, "branch")]);
        let answer = client.get("/variables/resolve?session_id=s&branch_id=new&include_layers=true");
        let b = answer.is(200).data()["resolved"][0].clone();
        assert_eq!(b["inherited_from_floor_id"], "f1");
        assert_eq!(b["source_scope_id"], "branch:s:new");
        answer.has("/layers/branch/items", json!([]));

        client.case("nothing is copied");
        client.get("/variables?scope=branch&session_id=s&branch_id=new").is(200).has_meta("total", 0);

        client.case("B70: what changes on main later does not leak in, the chat stays live");
        client.set(branch("s", "main"), "b", 3).is(200);
        client.set(chat("s"), "c", 2).is(200);
        assert_eq!(seen(client, "new"), [row("b", 1, "branch"), row("c", 2, "chat"), row("gone", 1, "branch")]);

        client.case("a write on the branch wins, and a deletion hides");
        client.set(branch("s", "new"), "b", 9).is(201);
        client.delete("/variables?scope=branch&session_id=s&branch_id=new&key=gone").is(200);
        assert_eq!(seen(client, "new"), [row("b", 9, "branch"), row("c", 2, "chat")]);
        client.case("what hides has an id of its own, and the variable that is hidden stays what it is");
        let id = client.set(branch("s", "main"), "kept", 1).is(201).id();
        turn(client, "f2", "main", &[]);
        fork(client, "f2", "late");
        let mut listening = client.listen("?session_id=s", None);
        let hidden = client.delete("/variables?scope=branch&session_id=s&branch_id=late&key=kept");
        hidden.is(200).must(hidden.id() != id, "another id");
        let event = listening.next().expect("an event");
        assert_eq!(event.name, "variable.deleted");
        assert_eq!((&event.data["id"], &event.data["branch_id"]), (&json!(hidden.id()), &json!("late")));
        client.get(&format!("/variables/{id}")).is(200).has("/value", 1);
        client.get(&format!("/variables/{id}/history")).is(200).has_meta("total", 1);
        client.delete(&format!("/variables/{id}")).is(200);
        client.delete("/variables?scope=branch&session_id=s&branch_id=new&key=gone").refused(404, "variable_not_found");
        client.delete("/variables?scope=branch&session_id=s&branch_id=new&key=b").is(200);
        assert_eq!(seen(client, "new"), [row("c", 2, "chat")], "deleted is deleted, also what it inherited");
        assert_eq!(seen(client, "main"), [row("b", 3, "branch"), row("c", 2, "chat"), row("later", 1, "branch")]);
    });
}

#[test]
fn forks_of_forks_see_through() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "a", "main").is(201);
        client.set(branch("s", "main"), "b", "main").is(201);
        client.set(branch("s", "main"), "c", "main").is(201);
        turn(client, "f1", "main", &[]);
        fork(client, "f1", "one");
        client.set(branch("s", "one"), "b", "one").is(201);
        client.delete("/variables?scope=branch&session_id=s&branch_id=one&key=c").is(200);
        turn(client, "f2", "one", &[]);
        client.set(branch("s", "one"), "b", "one later").is(200);
        fork(client, "f2", "two");
        let two = [row("a", "main", "branch"), row("b", "one", "branch")];
        assert_eq!(seen(client, "two"), two);

        client.case("a branch that is deleted leaves its forks what they saw");
        client.delete("/branches/one?session_id=s").is(200);
        assert_eq!(seen(client, "two"), two);
        client.set(branch("s", "main"), "a", "main later").is(200);
        assert_eq!(seen(client, "two"), two);

        client.case("and so does a floor");
        client.delete("/floors/f1").is(200);
        assert_eq!(seen(client, "two"), two);
    });
}

#[test]
fn a_fork_from_a_floor_that_was_never_committed_inherits_nothing() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "b", 1).is(201);
        client.set(chat("s"), "c", 1).is(201);
        client.make_floor("s", "f", json!({"state": "committed"}));
        client.case("B71");
        fork(client, "f", "new");
        assert_eq!(seen(client, "new"), [row("c", 1, "chat")]);
        client.case("it cannot be committed later either, nor can its pages");
        client.make_page("f", "p", json!({"page_kind": "output"}));
        client.post("/floors/f/commit", json!({"page_id": "p"})).refused(409, "invalid_state");
        client.set(branch("s", "main"), "b", 2).is(200);
        client.case("a draft that is committed has a position");
        client.make_floor("s", "g", json!({}));
        client.post("/floors/g/generate", json!({})).is(200);
        client.post("/floors/g/commit", json!({})).is(200);
        client.set(branch("s", "main"), "b", 3).is(200);
        fork(client, "g", "last");
        assert_eq!(seen(client, "last"), [row("b", 2, "branch"), row("c", 1, "chat")]);
    });
}

#[test]
fn a_floor_sees_the_floors_before_it_on_request() {
    both(|client| {
        client.make_session("s");
        turn(client, "f0", "main", &[("gold", json!(1)), ("name", json!("Yuki"))]);
        turn(client, "f1", "main", &[("gold", json!(2))]);
        turn(client, "f2", "main", &[]);
        client.case("B53: not by itself");
        assert!(client.resolve("session_id=s&floor_id=f2").is_empty());
        let look = |floor: &str| client.resolve(&format!("session_id=s&floor_id={floor}&lineage=true"));
        assert_eq!(look("f2"), [row("gold", 2, "floor"), row("name", "Yuki", "floor")]);
        assert_eq!(look("f1"), [row("gold", 2, "floor"), row("name", "Yuki", "floor")]);
        assert_eq!(look("f0"), [row("gold", 1, "floor"), row("name", "Yuki", "floor")]);
        let answer = client.get("/variables/resolve?session_id=s&floor_id=f2&lineage=true");
        answer.is(200).has("/resolved/0/source_scope_id", "f1").has("/resolved/1/source_scope_id", "f0");

        client.case("across a fork, and not beyond it");
        fork(client, "f1", "alt");
        turn(client, "a2", "alt", &[("name", json!("Rin"))]);
        turn(client, "f3", "main", &[("gold", json!(9))]);
        assert_eq!(look("a2"), [row("gold", 2, "floor"), row("name", "Rin", "floor")]);
        let tip = client.resolve("session_id=s&branch_id=alt&lineage=true");
        assert_eq!(tip, [row("gold", 2, "floor"), row("name", "Rin", "floor")]);

        client.case("filters count");
        assert_eq!(client.resolve("session_id=s&floor_id=a2&lineage=true&keys=gold"), [row("gold", 2, "floor")]);
        assert_eq!(client.resolve("session_id=s&floor_id=a2&lineage=true&prefix=na"), [row("name", "Rin", "floor")]);

        client.case("a floor that failed is no part of the story");
        client.make_floor("s", "bad", json!({"branch_id": "alt"}));
        client.set(floor("bad"), "gold", 777).is(201);
        client.post("/floors/bad/fail", json!({})).is(200);
        turn(client, "a4", "alt", &[]);
        assert_eq!(look("a4"), [row("gold", 2, "floor"), row("name", "Rin", "floor")]);

        client.case("nor one that is gone");
        client.delete("/floors/f1").is(200);
        assert_eq!(look("f2"), [row("gold", 1, "floor"), row("name", "Yuki", "floor")]);
        client.patch("/floors/f0", json!({"floor_no": 50})).is(200);
        assert!(look("f2").is_empty(), "it stands behind now");
    });
}

#[test]
fn a_deletion_in_a_reply_hides_what_came_before() {
    both(|client| {
        client.make_session("s");
        turn(client, "f0", "main", &[("quest", json!("find the ring"))]);
        client.make_floor("s", "f1", json!({}));
        client.make_page("f1", "p", json!({"page_kind": "output"}));
        client.post("/pages/p/variables/staged", json!({"key": "quest", "op": "delete"})).is(201);
        client.post("/floors/f1/generate", json!({})).is(200);
        client.post("/floors/f1/commit", json!({})).is(200);
        turn(client, "f2", "main", &[]);
        let look = || client.resolve("session_id=s&floor_id=f2&lineage=true");
        assert!(look().is_empty());
        client.case("until another swipe is chosen");
        client.make_page("f1", "q", json!({"page_kind": "output"}));
        assert_eq!(look(), [row("quest", "find the ring", "floor")]);
        client.post("/pages/p/activate", json!({})).is(200);
        assert!(look().is_empty());
    });
}

#[test]
fn what_happens_to_the_source_floor_later_does_not_leak_in() {
    both(|client| {
        client.make_session("s");
        client.set(branch("s", "main"), "b", 1).is(201);
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "p", json!({"page_kind": "output"}));
        let promoted = json!({"key": "g", "op": "set", "value": 3, "intent": "promote_to_branch_on_accept"});
        client.post("/pages/p/variables/staged", promoted).is(201);
        client.post("/floors/f/generate", json!({})).is(200);
        client.post("/floors/f/commit", json!({})).is(200);
        fork(client, "f", "new");
        let wanted = [row("b", 1, "branch"), row("g", 3, "branch")];
        assert_eq!(seen(client, "new"), wanted);

        client.case("another swipe, with a commit of its own");
        client.set(branch("s", "main"), "b", 2).is(200);
        client.make_page("f", "q", json!({"page_kind": "output"}));
        client.post("/floors/f/commit", json!({"page_id": "q"})).is(200);
        assert_eq!(seen(client, "new"), wanted);
        assert_eq!(seen(client, "main"), [row("b", 2, "branch")]);
        fork(client, "f", "later");
        assert_eq!(seen(client, "later"), [row("b", 2, "branch")]);

        client.case("a move and a deletion");
        client.patch("/floors/f", json!({"floor_no": 9})).is(200);
        client.delete("/floors/f").is(200);
        assert_eq!(seen(client, "new"), wanted);

        client.case("counting goes on from what is inherited, and the polite leave it alone");
        let by = json!({"scope": "branch", "session_id": "s", "branch_id": "new", "key": "g", "by": 2});
        client.post("/variables/increment", by).is(201).has("/value", 5);
        client.make_floor("s", "n", json!({"branch_id": "new"}));
        client.make_page("n", "np", json!({"page_kind": "output"}));
        let polite = json!({"key": "b", "op": "set", "value": 7, "intent": "promote_to_branch_on_accept",
            "conflict_policy": "if_absent"});
        client.post("/pages/np/variables/staged", polite).is(201);
        client.post("/floors/n/generate", json!({})).is(200);
        client.post("/floors/n/commit", json!({})).is(200);
        assert_eq!(seen(client, "new"), [row("b", 1, "branch"), row("g", 5, "branch")]);
    });
}

#[test]
fn many_that_promoted_the_same_key_are_deleted_together() {
    both(|client| {
        client.make_session("s");
        for floor in ["f0", "f1"] {
            client.make_floor("s", floor, json!({}));
            client.make_page(floor, &format!("{floor}.p"), json!({"page_kind": "output"}));
            let promoted = json!({"key": "g", "op": "set", "value": floor, "intent": "promote_to_chat_on_accept"});
            client.post(&format!("/pages/{floor}.p/variables/staged"), promoted).is(201);
            client.post(&format!("/floors/{floor}/generate"), json!({})).is(200);
            client.post(&format!("/floors/{floor}/commit"), json!({})).is(200);
        }
        assert_eq!(seen(client, "main"), [row("g", "f1", "chat")]);
        client.post("/floors/batch/delete", json!({"ids": ["f0", "f1"]})).is(200);
        assert!(seen(client, "main").is_empty());
    });
}
