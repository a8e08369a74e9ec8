//! Short words for what every story needs: a conversation, and variables on its hosts.

use super::answer::Answer;
use super::client::{Client, encode};
use serde_json::{Value, json};

/// The account as the host of a variable.
pub fn global() -> Value {
    json!({"scope": "global", "scope_id": "global"})
}

/// A session as the host of a variable.
pub fn chat(session: &str) -> Value {
    json!({"scope": "chat", "scope_id": session})
}

/// A branch as the host of a variable.
pub fn branch(session: &str, branch: &str) -> Value {
    json!({"scope": "branch", "session_id": session, "branch_id": branch})
}

/// A floor as the host of a variable.
pub fn floor(floor: &str) -> Value {
    json!({"scope": "floor", "scope_id": floor})
}

/// A page as the host of a variable.
pub fn page(page: &str) -> Value {
    json!({"scope": "page", "scope_id": page})
}

/// A host, a key and a value as the body of a write.
pub fn write(host: Value, key: &str, value: impl Into<Value>) -> Value {
    merge(host, json!({"key": key, "value": value.into()}))
}

/// One object with the members of both; the second wins.
pub fn merge(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}

impl Client {
    /// Makes a session with a floor and a page: `{name}`, `{name}.f`, `{name}.p`.
    #[track_caller]
    pub fn make(&self, name: &str) {
        self.make_session(name);
        self.make_floor(name, &format!("{name}.f"), json!({}));
        self.make_page(&format!("{name}.f"), &format!("{name}.p"), json!({"page_kind": "input"}));
    }

    /// Makes a session.
    #[track_caller]
    pub fn make_session(&self, id: &str) {
        self.post("/sessions", json!({"id": id, "title": "x"})).is(201);
    }

    /// Makes a floor.
    #[track_caller]
    pub fn make_floor(&self, session: &str, id: &str, more: Value) {
        self.post("/floors", merge(json!({"session_id": session, "id": id}), more)).is(201).has("/id", id);
    }

    /// Makes a page.
    #[track_caller]
    pub fn make_page(&self, floor: &str, id: &str, more: Value) {
        self.post("/pages", merge(json!({"floor_id": floor, "id": id, "page_no": 0, "page_kind": "output"}), more))
            .is(201);
    }

    /// Fills a session with so many hundreds of variables.
    #[track_caller]
    pub fn fill(&self, session: &str, hundreds: usize) {
        for hundred in 0..hundreds {
            let item = |number: usize| write(chat(session), &format!("k{hundred}.{number}"), "filling");
            let items: Vec<Value> = (0..100).map(item).collect();
            self.ask("PUT", "/variables/batch").json(json!({"items": items})).unrecorded().send().is(200);
        }
    }

    /// Makes a session that is too long to be deleted at once, deletes it, and returns the job.
    #[track_caller]
    pub fn delete_long(&self, session: &str) -> String {
        self.make_session(session);
        self.fill(session, 7);
        let answer = self.delete(&format!("/sessions/{session}?permanent=true"));
        answer.is(200).has("/id", session).has("/deleted", true);
        answer.data()["job_id"].as_str().expect("a job").to_owned()
    }

    /// Puts a variable on a host.
    pub fn set(&self, host: Value, key: &str, value: impl Into<Value>) -> Answer {
        self.put("/variables", write(host, key, value))
    }

    /// How many variables of the account have this key.
    #[track_caller]
    pub fn count(&self, key: &str) -> i64 {
        let answer = self.get(&format!("/variables?key={}", encode(key)));
        answer.is(200);
        answer.body["meta"]["total"].as_i64().expect("a list counts")
    }

    /// Resolves and returns key, value and scope of every winner.
    #[track_caller]
    pub fn resolve(&self, query: &str) -> Vec<(String, Value, String)> {
        let data = self.get(&format!("/variables/resolve?{query}")).is(200).data();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let rows = data["resolved"].as_array().expect("`resolved` is a list");
        rows.iter().map(|row| (text(&row["key"]), row["value"].clone(), text(&row["source_scope"]))).collect()
    }
}
