//! Pages: slots, swipes, and the one that is active.

use crate::support::{Client, both};
use serde_json::{Value, json};

/// The swipes of the slot 0 of the floor `s.f` and which of them are active.
#[track_caller]
fn swipes(client: &Client) -> Vec<(i64, bool)> {
    let rows = client.get("/pages?floor_id=s.f&page_no=0&sort_order=asc").is(200).data();
    let swipe =
        |row: &Value| (row["version"].as_i64().expect("a version"), row["is_active"].as_bool().expect("a flag"));
    rows.as_array().into_iter().flatten().map(swipe).collect()
}

#[test]
fn a_page_holds_a_text_and_who_says_it() {
    both(|client| {
        client.make_session("s");
        client.make_floor("s", "f", json!({}));
        client.case("all fields");
        let body = json!({
            "id": "p", "floor_id": "f", "page_no": 2, "page_kind": "mixed", "role": "assistant", "name": "雪",
            "content": "She smiles.\n\u{0}\u{1F600}", "extra": {"model": "m", "n": [1]},
        });
        let made = client.post("/pages", body.clone());
        made.is(201).has("/version", 0).has("/is_active", true);
        for (name, value) in body.as_object().unwrap() {
            made.has(&format!("/{name}"), value.clone());
        }
        made.must(made.data()["created_at"].is_i64() && made.data()["updated_at"].is_i64(), "its times");
        client.get("/pages/p").is(200).has("", made.data());

        client.case("as little as possible");
        let bare = client.post("/pages", json!({"floor_id": "f", "page_kind": "output"}));
        bare.is(201).has("/page_no", 0).has("/version", 0).has("/is_active", true).has("/role", Value::Null);

        client.case("what is taken, missing or makes no sense");
        client.post("/pages", json!({"id": "p", "floor_id": "f", "page_kind": "input"})).refused(409, "id_taken");
        client.post("/pages", json!({"floor_id": "x", "page_kind": "input"})).refused(404, "floor_not_found");
        client.post("/pages", json!({"page_kind": "input"})).refused(400, "validation_error");
        client.post("/pages", json!({"floor_id": "f", "page_kind": "verse"})).invalid_at("/page_kind");
        client.post("/pages", json!({"floor_id": "f", "page_no": -1})).invalid_at("/page_no");
        client.post("/pages", json!({"floor_id": "f", "content": 7})).invalid_at("/content");
        client.post("/pages", json!({"floor_id": "f", "extra": []})).invalid_at("/extra");
        client.get("/pages/x").refused(404, "page_not_found").saying("Page 'x' not found");
    });
}

#[test]
fn swipes_count_up_and_the_newest_is_active() {
    both(|client| {
        client.make("s");
        client.case("a second version");
        let second = client.post("/pages", json!({"floor_id": "s.f", "page_no": 0, "page_kind": "output"}));
        second.is(201).has("/version", 1).has("/is_active", true);
        assert_eq!(swipes(client), [(0, false), (1, true)]);
        client.case("a version that stays in the background");
        let third = json!({"floor_id": "s.f", "page_no": 0, "page_kind": "output", "is_active": false});
        client.post("/pages", third).is(201).has("/version", 2).has("/is_active", false);
        assert_eq!(swipes(client), [(0, false), (1, true), (2, false)]);
        client.case("a version by number");
        client
            .post("/pages", json!({"floor_id": "s.f", "page_kind": "output", "version": 1}))
            .refused(409, "position_taken");
        client
            .post("/pages", json!({"floor_id": "s.f", "page_kind": "output", "version": 7}))
            .is(201)
            .has("/version", 7);
        client.post("/pages", json!({"floor_id": "s.f", "page_kind": "output"})).is(201).has("/version", 8);
        client.case("the first of a slot is active whatever is asked");
        let alone = json!({"floor_id": "s.f", "page_no": 1, "page_kind": "output", "is_active": false});
        client.post("/pages", alone).is(201).has("/version", 0).has("/is_active", true);
        assert_eq!(swipes(client).iter().filter(|(_, active)| *active).count(), 1);
    });
}

#[test]
fn one_swipe_is_active() {
    both(|client| {
        client.make("s");
        for id in ["b", "c"] {
            client.make_page("s.f", id, json!({}));
        }
        client.case("activation");
        client.post("/pages/b/activate", json!({})).is(200).has("/id", "b").has("/is_active", true);
        assert_eq!(swipes(client), [(0, false), (1, true), (2, false)]);
        client.post("/pages/b/activate", json!({})).is(200);
        assert_eq!(swipes(client), [(0, false), (1, true), (2, false)]);
        client.post("/pages/x/activate", json!({})).refused(404, "page_not_found");

        client.case("another slot has its own active page");
        client.make_page("s.f", "other", json!({"page_no": 1}));
        assert_eq!(swipes(client), [(0, false), (1, true), (2, false)]);

        client.case("a neighbour takes over");
        client.delete("/pages/b").is(200);
        let left = swipes(client);
        assert_eq!(left.iter().map(|(version, _)| *version).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(left.iter().filter(|(_, active)| *active).count(), 1);
        client.case("an inactive page goes without a change");
        let (active, idle) = if left[0].1 { ("s.p", "c") } else { ("c", "s.p") };
        client.delete(&format!("/pages/{idle}")).is(200);
        client.get(&format!("/pages/{active}")).is(200).has("/is_active", true);
        client.case("the last page leaves an empty slot");
        client.post("/pages/batch/delete", json!({"ids": [active]})).is(200).has("/meta/deleted", 1);
        assert_eq!(swipes(client), []);
    });
}

#[test]
fn pages_are_listed_by_slot_and_choice() {
    both(|client| {
        client.make("s");
        client.make_page("s.f", "b", json!({"content": "a long text"}));
        client.make_page("s.f", "c", json!({"page_no": 1}));
        client.case("filters of pages");
        let ids = |query: &str| client.get(&format!("/pages?floor_id=s.f&sort_order=asc&{query}")).is(200).column("id");
        assert_eq!(ids(""), [json!("s.p"), json!("b"), json!("c")]);
        assert_eq!(ids("page_no=1"), [json!("c")]);
        assert_eq!(ids("is_active=true"), [json!("b"), json!("c")]);
        assert_eq!(ids("is_active=false"), [json!("s.p")]);
        assert_eq!(ids("limit=1&offset=1"), [json!("b")]);
        let full = client.get("/pages?floor_id=s.f&is_active=true&page_no=0");
        full.is(200).has("/0/content", "a long text").has_meta("total", 1);
        client.get("/pages?floor_id=s.f&is_active=1").refused(400, "validation_error");
        client.get("/pages?floor_id=x").refused(404, "floor_not_found");
        client.get("/pages").refused(400, "validation_error");
    });
}

#[test]
fn a_page_is_changed_in_parts() {
    both(|client| {
        client.make("s");
        client.case("PATCH");
        client
            .patch("/pages/s.p", json!({"content": "new", "role": "user"}))
            .is(200)
            .has("/content", "new")
            .has("/role", "user");
        client
            .patch("/pages/s.p", json!({"role": null, "extra": {"a": 1}}))
            .is(200)
            .has("/role", Value::Null)
            .has("/content", "new");
        client
            .patch("/pages/s.p", json!({"page_kind": "output"}))
            .is(200)
            .has("/page_kind", "output")
            .has("/extra", json!({"a": 1}));
        client.patch("/pages/s.p", json!({"content": null})).is(200).has("/content", Value::Null);
        client.patch("/pages/s.p", json!({"page_kind": "verse"})).invalid_at("/page_kind");
        client.patch("/pages/s.p", json!({"extra": 1})).invalid_at("/extra");
        client.patch("/pages/x", json!({"content": "new"})).refused(404, "page_not_found");
        client.get("/pages/s.p").is(200).has("/page_kind", "output").has("/is_active", true);
    });
}

#[test]
fn a_conversation_is_never_read_only() {
    both(|client| {
        client.case("decision 3: a committed floor");
        client.make("s");
        client.post("/floors/s.f/generate", json!({})).is(200);
        client.make_page("s.f", "reply", json!({"content": "first"}));
        client.post("/floors/s.f/commit", json!({})).is(200).has("/state", "committed");
        client.make_page("s.f", "swipe", json!({"content": "second"}));
        client.patch("/pages/reply", json!({"content": "edited"})).is(200).has("/content", "edited");
        client.post("/pages/reply/activate", json!({})).is(200).has("/is_active", true);
        client.get("/pages/swipe").is(200).has("/is_active", false);
        client.delete("/pages/swipe").is(200);
        client.get("/floors/s.f").is(200).has("/state", "committed");
    });
}
