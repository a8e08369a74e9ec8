//! Data that the program of schema 3 left behind, in `tests/golden`: this program answers as that one did, and goes on.
//!
//! `schema-3.db` and `schema-3.sql` are the same story on both databases; the files beside them hold what the old program
//! answered, by path.

use crate::support::place::said;
use crate::support::postgres::{Database, execute};
use crate::support::{Backend, Client, Place, Server};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// A copy of the old data, and what the old program answered.
fn left_behind(backend: Backend) -> (Place, Map<String, Value>) {
    let (place, answers) = match backend {
        Backend::Sqlite => {
            let place = Place::sqlite();
            std::fs::create_dir_all(place.data()).expect("a folder");
            std::fs::copy(golden("schema-3.db"), place.data().join("tavernkeep.db")).expect("a copy");
            (place, "schema-3-sqlite.json")
        }
        Backend::Postgres => {
            let database = Database::fresh();
            let dump = std::fs::read_to_string(golden("schema-3.sql")).expect("the dump");
            execute(&database.url, &dump).expect("the dump can be loaded");
            (Place::on(database), "schema-3-postgres.json")
        }
    };
    let answers = std::fs::read_to_string(golden(answers)).expect("the answers");
    (place, serde_json::from_str(&answers).expect("the answers are JSON"))
}

/// Members whose values are a person's: there nothing may be added.
const VALUES: [&str; 5] = ["state", "value", "template", "metadata", "change"];

/// The answer without the members that it did not have: a later program may say more. What it said it still says.
fn as_far_as(found: &Value, wanted: &Value) -> Value {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            let known = found.iter().filter_map(|(name, value)| Some((name, value, wanted.get(name)?)));
            let known = known.map(|(name, value, wanted)| match VALUES.contains(&name.as_str()) {
                true => (name.clone(), value.clone()),
                false => (name.clone(), as_far_as(value, wanted)),
            });
            known.collect::<Map<_, _>>().into()
        }
        (Value::Array(found), Value::Array(wanted)) if found.len() == wanted.len() => {
            found.iter().zip(wanted).map(|(found, wanted)| as_far_as(found, wanted)).collect()
        }
        (other, _) => other.clone(),
    }
}

#[track_caller]
fn answers_as_before(client: &Client, answers: &Map<String, Value>) {
    for (path, wanted) in answers {
        let answer = client.get(path);
        assert_eq!(as_far_as(&answer.is(200).body, wanted), *wanted, "{path}");
    }
}

fn state(client: &Client, path: &str) -> Value {
    client.get(path).is(200).data()["state"].clone()
}

#[test]
fn data_of_schema_3_answers_as_before_and_goes_on() {
    for backend in Backend::BOTH {
        let (place, answers) = left_behind(backend);
        let mut server = Server::start_on(Arc::new(place));
        let client = Client::new(&server, "default-admin");
        client.case(&format!("{backend:?}: everything is answered as before"));
        answers_as_before(&client, &answers);
        for session in ["story", "mvu-chat"] {
            client.get(&format!("/sessions/{session}/state")).is(200).has("/outdated", true).has("/fresh", true);
        }
        client.case("and again after a restart");
        assert!(server.terminate().success(), "{backend:?}");
        server = Server::start_on(Arc::clone(&server.place));
        let client = client.through(&server);
        answers_as_before(&client, &answers);

        client.case("what an old turn changed is known, its commands are not");
        let page = client.get("/pages/story-5").is(200).data();
        let floor = page["floor_id"].as_str().expect("a floor");
        let change = client.get(&format!("/floors/{floor}/change?include_commands=true")).is(200).data();
        assert_eq!(change["change"], answers[&format!("/floors/{floor}/change")]["data"]["change"]);
        client.get("/pages/story-5/blame?path=%E7%AB%A0").is(200).has("/value", 5).has("/page_id", "story-5");
        client.case("an old turn that is sent again");
        let body = json!({"role": page["role"], "content": page["content"], "page_id": "story-5"});
        let again = client.post("/sessions/story/turns", body);
        again.is(200).has("/floor_id", floor).has("/change", change["change"].clone());

        client.case("a turn, a swipe, and back");
        let add = |page: &str, by: i64, more: Value| {
            let content = format!("@.ADD(\"小雪.好感\", {by});");
            let body = json!({"role": "assistant", "content": content, "page_id": page});
            client.post("/sessions/story/turns", crate::support::tree::merge(body, more))
        };
        let affinity = |path: &str| state(&client, path)["小雪"]["好感"].clone();
        let before = state(&client, "/sessions/story/state");
        let turn = add("new-1", 1, json!({}));
        turn.is(201).has("/commands/0/status", "applied").has("/change/0/value", 822);
        let floor = turn.data()["floor_id"].clone();
        add("new-1b", 10, json!({"swipe_of": floor})).is(201).has("/change/0/value", 831);
        client.post("/pages/new-1/activate", json!({})).is(200);
        assert_eq!(affinity("/sessions/story/state"), 822);
        client.get("/pages/new-1/state").is(200).has("/fresh", true).has("/outdated", Value::Null);
        client.case("an old swipe is chosen, and the other one again");
        client.post("/pages/story-40/activate", json!({})).is(200);
        client.get("/pages/story-40/state").is(200).has("/fresh", true).has("/state/手改", true);
        client.post("/pages/story-40b/activate", json!({})).is(200);
        assert_eq!(state(&client, "/pages/story-40b/state"), before);

        client.case("a fork of an old floor");
        let floor = client.get("/pages/story-10").is(200).data()["floor_id"].as_str().expect("a floor").to_owned();
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "new fork"})).is(201);
        let tenth = affinity("/pages/story-10/state").as_i64().expect("a number");
        add("fork-new", 5, json!({"branch_id": "new fork"})).is(201).has("/change/0/value", tenth + 5);
        client.post("/sessions/story/process", json!({"branch_id": "new fork", "mode": "all"})).is(200);
        client.get("/pages/fork-new/state").is(200).has("/state/小雪/好感", tenth + 5).has("/outdated", Value::Null);

        client.case("an edit of the old program is listed");
        let listed = client.get("/pages/story-20/edits").is(200).data();
        assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
        client.case("everything is recomputed to what it was");
        client.post("/sessions/story/process", json!({"mode": "all"})).is(200);
        client.get("/sessions/story/state").is(200).has("/outdated", Value::Null).has("/fresh", true);
        for page in ["story-1", "story-20", "story-40b"] {
            let path = format!("/pages/{page}/state");
            assert_eq!(state(&client, &path), answers[&path]["data"]["state"], "{path}");
        }
        assert_eq!(affinity("/pages/fork-1/state"), answers["/pages/fork-1/state"]["data"]["state"]["小雪"]["好感"]);
        let history = "/sessions/story/history?path=%E7%AB%A0&limit=50";
        let values = |body: &Value| -> Vec<Value> {
            body["data"]["points"].as_array().expect("points").iter().map(|point| point["value"].clone()).collect()
        };
        assert_eq!(values(&client.get(history).is(200).body), values(&answers[history]));

        client.case("the old edit is one of the page's edits now, can be built on and taken back");
        let edited = client.patch("/pages/story-20/state", json!({"patch": {"新": 1}}));
        edited.is(200).has("/state/手改", true).has("/state/新", 1).has("/edited", true).has("/fresh", true);
        let again = client.get("/pages/story-20/edits").is(200).data();
        assert_eq!((&again[0], again.as_array().map(Vec::len)), (&listed[0], Some(2)));
        let path = format!("/pages/story-20/edits/{}", listed[0]["id"].as_str().expect("an id"));
        client.delete(&path).is(200).has("/state/手改", Value::Null).has("/state/新", 1).has("/fresh", true);

        client.case("a state of MVU's with marks in it becomes clean");
        let old = state(&client, "/sessions/mvu-chat/state");
        assert!(old.get("$meta").is_some());
        client.post("/sessions/mvu-chat/process", json!({"mode": "all"})).is(200).has("/processed", 1);
        // The mark says that the bag may be extended, which its text does.
        let clean = json!({"hp": [7, "health"], "bag": ["rope", "torch"]});
        client.get("/sessions/mvu-chat/state").is(200).has("/state", clean).has("/outdated", Value::Null);
        let body = json!({"role": "assistant", "content": "_.insert('bag', 'oil');//open\n_.set('hp', 8);//healed"});
        client.post("/sessions/mvu-chat/turns", body).is(201).has("/commands/0/status", "applied");
        client.get("/sessions/mvu-chat/state").is(200).has("/state/bag/2", "oil").has("/state/hp/0", 8);

        client.case("variables");
        let host = json!({"scope": "chat", "scope_id": "plain", "key": "after", "value": 1});
        client.put("/variables", host).is(201);
        assert!(server.terminate().success(), "{backend:?}");
        let checked = server.place.output(&["check"]);
        assert!(checked.status.success(), "{backend:?}: {}", said(&checked));
    }
}
