//! B.6: what hangs on a host goes with it.

use crate::support::{Client, both, branch, chat, floor, global, page};
use serde_json::json;

/// The session `s` on two branches, with a variable on every host; their ids by host.
struct Furnished<'a> {
    client: &'a Client,
    ids: Vec<(&'static str, String)>,
}

impl<'a> Furnished<'a> {
    fn new(client: &'a Client) -> Self {
        client.make("s");
        client.make_floor("s", "s.alt", json!({"branch_id": "alt"}));
        client.make_page("s.alt", "s.alt.p", json!({}));
        let hosts = [
            ("global", global()),
            ("chat", chat("s")),
            ("main", branch("s", "main")),
            ("alt", branch("s", "alt")),
            ("floor", floor("s.f")),
            ("page", page("s.p")),
            ("alt floor", floor("s.alt")),
            ("alt page", page("s.alt.p")),
        ];
        let ids = hosts.map(|(name, host)| (name, client.set(host, "k", name).is(201).id()));
        Furnished { client, ids: ids.into() }
    }

    /// Exactly these variables are left, by id and in the list.
    #[track_caller]
    fn left(&self, wanted: &[&str]) {
        for (name, id) in &self.ids {
            let answer = self.client.get(&format!("/variables/{id}"));
            if wanted.contains(name) {
                answer.is(200).has("/value", *name);
            } else {
                answer.refused(404, "variable_not_found");
            }
        }
        assert_eq!(self.client.count("k"), i64::try_from(wanted.len()).unwrap());
    }
}

#[test]
fn a_page_takes_its_variables_with_it() {
    both(|client| {
        client.case("B54");
        let furnished = Furnished::new(client);
        client.delete("/pages/s.p").is(200).has("", json!({"id": "s.p", "deleted": true}));
        client.get("/pages/s.p").refused(404, "page_not_found");
        furnished.left(&["global", "chat", "main", "alt", "floor", "alt floor", "alt page"]);
        let batch = client.post("/pages/batch/delete", json!({"ids": ["s.alt.p", "s.p"]}));
        let results = json!([{"id": "s.alt.p", "deleted": true}, {"id": "s.p", "deleted": false}]);
        batch.is(200).has("/results", results).has("/meta", json!({"total": 2, "deleted": 1}));
        furnished.left(&["global", "chat", "main", "alt", "floor", "alt floor"]);
        client.delete("/pages/s.p").refused(404, "page_not_found");
    });
}

#[test]
fn a_floor_takes_its_pages_and_variables_with_it() {
    both(|client| {
        client.case("B55");
        let furnished = Furnished::new(client);
        client.delete("/floors/s.f").is(200).has("", json!({"id": "s.f", "deleted": true}));
        client.get("/floors/s.f").refused(404, "floor_not_found");
        client.get("/pages/s.p").refused(404, "page_not_found");
        furnished.left(&["global", "chat", "main", "alt", "alt floor", "alt page"]);
        let batch = client.post("/floors/batch/delete", json!({"ids": ["s.alt"]}));
        batch
            .is(200)
            .has("/results/0", json!({"id": "s.alt", "deleted": true}))
            .has("/meta", json!({"total": 1, "deleted": 1}));
        furnished.left(&["global", "chat", "main", "alt"]);
        client.delete("/floors/s.f").refused(404, "floor_not_found");
    });
}

#[test]
fn a_branch_takes_its_floors_with_it() {
    both(|client| {
        client.case("B56");
        let furnished = Furnished::new(client);
        let deleted = client.delete("/branches/alt?session_id=s");
        deleted.is(200).has("/branch_id", "alt").has("/session_id", "s").has("/deleted_floor_count", 1);
        furnished.left(&["global", "chat", "main", "floor", "page"]);
        client.get("/floors/s.alt").refused(404, "floor_not_found");
        client.set(branch("s", "alt"), "k", 1).refused(404, "variable_host_not_found");
        client.delete("/branches/main?session_id=s").refused(409, "protected_branch");
        client.delete("/branches/alt?session_id=s").refused(404, "branch_not_found");
        client.delete("/branches/main?session_id=x").refused(404, "branch_not_found");
        client.delete("/branches/alt").refused(400, "validation_error");
        furnished.left(&["global", "chat", "main", "floor", "page"]);
    });
}

#[test]
fn a_session_takes_everything_with_it() {
    both(|client| {
        client.case("B57");
        let furnished = Furnished::new(client);
        // Its name is a pattern of the first one's; only its own may go.
        client.make_session("_");
        client.delete("/sessions/_").is(200).has("", json!({"id": "_", "deleted": true}));
        furnished.left(&["global", "chat", "main", "alt", "floor", "page", "alt floor", "alt page"]);
        client.delete("/sessions/s").is(200).has("", json!({"id": "s", "deleted": true}));
        furnished.left(&["global"]);
        for gone in ["/sessions/s", "/floors/s.f", "/pages/s.p", "/floors/s.alt", "/pages/s.alt.p"] {
            client.get(gone).is(404);
        }
        client.get("/sessions/s/branches").refused(404, "session_not_found");
        client.delete("/sessions/s").refused(404, "session_not_found");

        client.case("B57: the same name again is an empty session");
        client.make("s");
        client.set(chat("s"), "other", 1).is(201);
        furnished.left(&["global"]);
        let batch = client.post("/sessions/batch/delete", json!({"ids": ["s", "x"]}));
        batch.is(200).has("/results/0/id", "s").has("/results/0/deleted", true);
        assert_eq!(batch.data()["results"][0]["trash_id"], batch.header("trash-id"));
        batch.has("/results/1", json!({"id": "x", "deleted": false})).has("/meta", json!({"total": 2, "deleted": 1}));
        assert_eq!(client.count("other"), 0);
    });
}

#[test]
fn a_batch_delete_has_one_to_a_hundred_ids() {
    both(|client| {
        client.make_session("s");
        for host in ["sessions", "floors", "pages"] {
            client.case(&format!("batch delete of {host}"));
            let path = format!("/{host}/batch/delete");
            client.post(&path, json!({"ids": []})).invalid_at("/ids");
            client.post(&path, json!({})).refused(400, "validation_error");
            client.post(&path, json!({"ids": [7]})).refused(400, "validation_error");
            let many: Vec<String> = (0..101).map(|index| format!("x{index}")).collect();
            client.post(&path, json!({"ids": many})).invalid_at("/ids");
        }
        client.get("/sessions/s").is(200);
    });
}

// B58: orphans cannot be made through the API, since hosts take their variables with them in one transaction.
