//! Requests that may get no answer.

use serde_json::Value;
use std::time::Duration;

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Value>,
}

/// What became of it.
#[derive(Debug, Clone)]
pub enum Reply {
    Answered(Answer),
    /// No answer, or half of one: nobody knows whether it happened. Why, for people.
    Broken(String),
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    /// Whether it was given before, to the same request under the same key.
    pub replayed: bool,
    pub text: String,
}

impl Answer {
    pub fn body(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether it says clearly that the database is in trouble: a status and a code that belong together.
    pub fn is_trouble(&self) -> bool {
        let body = self.body();
        let code = body["error"]["code"].as_str().unwrap_or_default();
        let has_message = body["error"]["message"].as_str().is_some_and(|message| !message.is_empty());
        has_message
            && matches!(
                (self.status, code),
                (503, "store_unavailable" | "request_timeout" | "write_pending") | (507, "store_full")
            )
    }

    /// Whether it says that nothing of the request happened, nor ever will.
    pub fn never_happened(&self) -> bool {
        self.status == 503 && self.body()["error"]["code"] == "request_timeout"
    }

    /// The id of a write that goes on without its request.
    pub fn pending_write(&self) -> Option<String> {
        let body = self.body();
        let is_pending = self.status == 503 && body["error"]["code"] == "write_pending";
        let path = body["error"]["details"][0]["path"].as_str()?;
        path.strip_prefix("/writes/").filter(|_| is_pending).map(str::to_owned)
    }

    /// Whether it says that the disk is full.
    pub fn is_full(&self) -> bool {
        self.status == 507 && self.is_trouble()
    }
}

impl Request {
    pub fn get(path: impl Into<String>) -> Request {
        Request { method: "GET", path: path.into(), headers: Vec::new(), body: None }
    }

    pub fn delete(path: impl Into<String>) -> Request {
        Request { method: "DELETE", ..Request::get(path) }
    }

    pub fn post(path: impl Into<String>, body: Value) -> Request {
        Request { method: "POST", body: Some(body), ..Request::get(path) }
    }

    pub fn patch(path: impl Into<String>, body: Value) -> Request {
        Request { method: "PATCH", ..Request::post(path, body) }
    }

    pub fn put(path: impl Into<String>, body: Value) -> Request {
        Request { method: "PUT", body: Some(body), ..Request::get(path) }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }
}

/// Stands in a path for the snapshot of a page, whose id only the server knows.
pub fn snapshot_of(page: &str) -> String {
    format!("{SNAPSHOT_OF}{page}")
}

const SNAPSHOT_OF: &str = "snapshot-of-";

/// The same for the item of the trash that is of this kind and of a session.
pub fn trash_of(session: &str, kind: &str) -> String {
    format!("{TRASH_OF}{kind}-{session}.")
}

const TRASH_OF: &str = "trash-of-";

/// The same for the last edit of a page that counts.
pub fn last_edit_of(page: &str) -> String {
    format!("{EDIT_OF}{page}.")
}

const EDIT_OF: &str = "last-edit-of-";

/// The same for the one call of a session that waits for a person or an application.
pub fn open_call_of(session: &str) -> String {
    format!("{CALL_OF}{session}.")
}

const CALL_OF: &str = "open-call-of-";

/// The same for the one approval of a session that is pending.
pub fn approval_of(session: &str) -> String {
    format!("{APPROVAL_OF}{session}.")
}

const APPROVAL_OF: &str = "approval-of-";

/// A connection to one server.
#[derive(Clone)]
pub struct Wire {
    base: String,
    http: reqwest::blocking::Client,
}

impl Wire {
    pub fn to(base: &str) -> Wire {
        // Longer than anything here takes: an answer that never comes fails the test and does not hang it.
        tavernkeep_runtime::https::use_ring();
        let builder = reqwest::blocking::Client::builder().no_proxy().timeout(Duration::from_secs(120));
        Wire { base: base.to_owned(), http: builder.build().expect("a client without TLS") }
    }

    pub fn send(&self, request: &Request) -> Reply {
        match self.resolve(request) {
            Ok(request) => self.ask(&request),
            Err(reply) => reply,
        }
    }

    /// A request whose path names what only the server knows, with the server's name for it.
    pub fn resolve(&self, request: &Request) -> Result<Request, Reply> {
        let with = |path: String| Request { path, ..request.clone() };
        if let Some((path, page)) = request.path.split_once(SNAPSHOT_OF) {
            let body = self.look(format!("/pages/{page}/state"))?;
            let id = body["data"]["snapshot_id"].as_str().expect("a page with a state");
            return Ok(with(format!("{path}{id}")));
        }
        if let Some((path, rest)) = request.path.split_once(TRASH_OF) {
            let (kind, rest) = rest.split_once('-').expect("a kind");
            let (session, behind) = rest.rsplit_once('.').expect("the end of the session's id");
            // What syncs have replaced is there too, and may be much.
            for offset in (0..).step_by(100) {
                let body = self.look(format!("/trash?session_id={session}&limit=100&offset={offset}"))?;
                let items = body["data"].as_array().expect("a list").iter();
                let item = items.filter(|item| item["kind"] == kind).find_map(|item| item["id"].as_str());
                if let Some(item) = item {
                    return Ok(with(format!("{path}{item}{behind}")));
                }
                assert!(
                    body["meta"]["has_more"] == true,
                    "no item of kind {kind} of {session} is in the trash: {body}"
                );
            }
        }
        if let Some((path, rest)) = request.path.split_once(EDIT_OF) {
            let (page, behind) = rest.rsplit_once('.').expect("the end of the page's id");
            let body = self.look(format!("/pages/{page}/edits?sort_order=desc&limit=100"))?;
            let edits = body["data"].as_array().expect("a list").iter();
            let edit = edits.filter(|edit| edit["taken_back_at"].is_null()).find_map(|edit| edit["id"].as_str());
            return Ok(with(format!("{path}{}{behind}", edit.expect("an edit that counts"))));
        }
        if let Some((path, rest)) = request.path.split_once(CALL_OF) {
            let (session, behind) = rest.rsplit_once('.').expect("the end of the session's id");
            for status in ["awaiting_client", "awaiting_approval"] {
                let body = self.look(format!("/sessions/{session}/calls?status={status}"))?;
                if let Some(id) = body["data"][0]["id"].as_str() {
                    return Ok(with(format!("{path}{id}{behind}")));
                }
            }
            panic!("no call of {session} is open");
        }
        if let Some((path, rest)) = request.path.split_once(APPROVAL_OF) {
            let (session, behind) = rest.rsplit_once('.').expect("the end of the session's id");
            let body = self.look(format!("/sessions/{session}/approvals"))?;
            let id = body["data"][0]["id"].as_str().expect("a pending approval");
            return Ok(with(format!("{path}{id}{behind}")));
        }
        Ok(request.clone())
    }

    fn look(&self, path: String) -> Result<Value, Reply> {
        match self.ask(&Request::get(path)) {
            Reply::Answered(answer) if answer.is_success() => Ok(answer.body()),
            reply => Err(reply),
        }
    }

    fn ask(&self, request: &Request) -> Reply {
        let method = request.method.parse().expect("a method");
        let mut builder = self.http.request(method, format!("{}{}", self.base, request.path));
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.header("content-type", "application/json").body(body.to_string());
        }
        let answer = builder.send().and_then(|response| {
            let status = response.status().as_u16();
            let etag = response.headers().get("etag").and_then(|etag| etag.to_str().ok()).map(str::to_owned);
            let replayed = response.headers().contains_key("idempotency-replayed");
            Ok(Answer { status, etag, replayed, text: response.text()? })
        });
        answer.map_or_else(|error| Reply::Broken(format!("{error:?}")), Reply::Answered)
    }

    /// Sends what must succeed.
    #[track_caller]
    pub fn must(&self, request: &Request) -> Answer {
        match self.send(request) {
            Reply::Answered(answer) if answer.is_success() => answer,
            other => panic!("{request:?}\n  answered {other:?}"),
        }
    }
}
