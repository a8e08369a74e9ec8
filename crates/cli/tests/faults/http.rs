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
        let told = body["error"]["message"].as_str().is_some_and(|message| !message.is_empty());
        told && matches!((self.status, code), (503, "store_unavailable" | "request_timeout") | (507, "store_full"))
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

/// A connection to one server.
#[derive(Clone)]
pub struct Wire {
    base: String,
    http: reqwest::blocking::Client,
}

impl Wire {
    pub fn to(base: &str) -> Wire {
        // Longer than anything here takes: an answer that never comes fails the test and does not hang it.
        let builder = reqwest::blocking::Client::builder().no_proxy().timeout(Duration::from_secs(120));
        Wire { base: base.to_owned(), http: builder.build().expect("a client without TLS") }
    }

    pub fn send(&self, request: &Request) -> Reply {
        let Some((path, page)) = request.path.split_once(SNAPSHOT_OF) else { return self.ask(request) };
        match self.ask(&Request::get(format!("/pages/{page}/state"))) {
            Reply::Answered(answer) if answer.is_success() => {
                let body = answer.body();
                let id = body["data"]["snapshot_id"].as_str().expect("a page with a state");
                self.ask(&Request { path: format!("{path}{id}"), ..request.clone() })
            }
            reply => reply,
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
