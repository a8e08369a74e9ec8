//! A small blocking HTTP client that writes down what it hears and checks what every answer owes.

use super::answer::Answer;
use super::place::{Key, Place};
use super::server::Server;
use super::transcript::{self, Transcript};
use reqwest::Method;
use reqwest::blocking::{Body, RequestBuilder, Response};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Routes whose answers are documents, not envelopes.
const DOCUMENTS: [&str; 6] = ["/openapi.json", "/metrics", "/docs", "/health", "/account/export", "/events"];

/// Answers differ between runs in these alone: what else they carry is compared.
const HEADERS_KEPT: [&str; 4] = ["allow", "content-type", "location", "www-authenticate"];

/// Talks to one server with one key.
#[derive(Clone)]
pub struct Client {
    /// The account of the story.
    pub account: String,
    base: String,
    key: Option<String>,
    place: Arc<Place>,
    transcript: Arc<Transcript>,
}

impl Client {
    /// A client without a key.
    pub fn new(server: &Server, account: &str) -> Client {
        Client {
            account: account.to_owned(),
            base: server.base.clone(),
            key: None,
            place: Arc::clone(&server.place),
            transcript: Arc::default(),
        }
    }

    /// The same with a key.
    pub fn with_key(&self, secret: &str) -> Client {
        Client { key: Some(secret.to_owned()), ..self.clone() }
    }

    /// The same without a key.
    pub fn without_key(&self) -> Client {
        Client { key: None, ..self.clone() }
    }

    /// The same, talking to another process on the same data.
    pub fn through(&self, server: &Server) -> Client {
        Client { base: server.base.clone(), ..self.clone() }
    }

    /// Makes a key of the story's account.
    pub fn create_key(&self, role: &str, more: &[&str]) -> Key {
        self.place.create_key(&self.account, role, more)
    }

    /// Where the server keeps its data.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Somebody with an account of their own on the same server.
    pub fn stranger(&self) -> Client {
        // Neither name contains the other, so that one can be looked for in an answer.
        let account = self.account.replace("story", "stranger");
        self.place.create_account(&account);
        let key = self.place.create_key(&account, "admin", &[]);
        Client { account, ..self.with_key(&key.secret) }
    }

    /// Somebody with a new account on the same server; `name` tells it from others of the story.
    pub fn newcomer(&self, name: &str) -> Client {
        let account = format!("{}-{name}", self.account);
        self.place.create_account(&account);
        let key = self.place.create_key(&account, "admin", &[]);
        Client { account, ..self.with_key(&key.secret) }
    }

    /// Names what comes next; failures and the transcript show it.
    pub fn case(&self, case: &str) {
        self.transcript.begin(case);
    }

    /// What was said so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The server's address.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The key's secret, for those who talk to the server themselves.
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    /// `GET`
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send()
    }

    /// `PUT` with a JSON body
    pub fn put(&self, path: &str, body: Value) -> Answer {
        self.ask("PUT", path).json(body).send()
    }

    /// `POST` with a JSON body
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path).json(body).send()
    }

    /// `PATCH` with a JSON body
    pub fn patch(&self, path: &str, body: Value) -> Answer {
        self.ask("PATCH", path).json(body).send()
    }

    /// `DELETE`
    pub fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path).send()
    }

    /// Any request, to be completed.
    pub fn ask<'a>(&'a self, method: &str, path: &str) -> Ask<'a> {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = http().request(method.clone(), format!("{}{path}", self.base));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        Ask {
            client: self,
            request,
            said: format!("{method} {path}"),
            path: path.to_owned(),
            tags: Vec::new(),
            recorded: true,
        }
    }

    /// Asks again and again until the answer is as wanted; only that one is written down. Nobody sleeps, and how long it
    /// takes is nobody's business as long as it ends.
    #[track_caller]
    pub fn until(&self, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.ask("GET", path).unrecorded().send();
            if wanted(&answer) {
                return self.get(path);
            }
            answer.must(Instant::now() < deadline, "another answer within a minute");
            std::thread::yield_now();
        }
    }
}

/// One request under construction.
pub struct Ask<'a> {
    client: &'a Client,
    request: RequestBuilder,
    said: String,
    path: String,
    tags: Vec<String>,
    recorded: bool,
}

impl Ask<'_> {
    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        if name.starts_with("if-") {
            self.said += &format!(" {name}");
            self.tags.push(value.to_owned());
        }
        self
    }

    /// Sends JSON.
    pub fn json(self, body: Value) -> Self {
        self.text("application/json", body.to_string())
    }

    /// Sends any text.
    pub fn text(mut self, content_type: &str, body: impl Into<String>) -> Self {
        let body = body.into();
        self.said += &format!(" {body}");
        self.request = self.request.header("content-type", content_type).body(body);
        self
    }

    /// Sends any bytes.
    #[allow(dead_code)] // Not every suite sends forms.
    pub fn bytes_as(mut self, content_type: &str, body: Vec<u8>) -> Self {
        self.said += &format!(" {} bytes", body.len());
        self.request = self.request.header("content-type", content_type).body(body);
        self
    }

    /// Sends any bytes as JSON.
    pub fn bytes(mut self, body: Vec<u8>) -> Self {
        self.said += &format!(" {}", String::from_utf8_lossy(&body));
        self.request = self.request.header("content-type", "application/json").body(body);
        self
    }

    /// Sends text as JSON in chunks, without saying how long it is.
    pub fn chunked(mut self, body: String) -> Self {
        self.said += &format!(" (chunked) {body}");
        let reader = std::io::Cursor::new(body.into_bytes());
        self.request = self.request.header("content-type", "application/json").body(Body::new(reader));
        self
    }

    /// Leaves this exchange out of the transcript.
    pub fn unrecorded(mut self) -> Self {
        self.recorded = false;
        self
    }

    /// Sends the request and leaves the answer to be read by others.
    #[track_caller]
    pub fn response(self) -> Response {
        self.request.send().unwrap_or_else(|error| panic!("{}\n  got no answer: {error:?}", self.said))
    }

    /// Sends the request and hears the answer.
    pub fn send(self) -> Answer {
        let said: String = self.said.chars().take(2000).collect();
        let asked = format!("[{}] {said}", self.client.transcript.case());
        let response = self.request.send().unwrap_or_else(|error| panic!("{asked}\n  got no answer: {error:?}"));
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        // A stream has no end to wait for; its head is the answer.
        let text = if is_stream(&response) { Ok(String::new()) } else { response.text() };
        let text = text.unwrap_or_else(|error| panic!("{asked}\n  the answer breaks off: {error:?}"));
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = Answer { asked, status, headers, text, body };
        check_envelope(&self.path, &answer, !self.recorded);
        if self.recorded {
            let mut tags: Vec<&str> = self.tags.iter().map(String::as_str).collect();
            tags.extend(answer.headers.get("etag").map(String::as_str));
            let kept: Vec<_> =
                HEADERS_KEPT.iter().filter_map(|&name| Some((name, answer.headers.get(name)?))).collect();
            let subject = answer.body.pointer("/data/id").and_then(Value::as_str).unwrap_or_default();
            let answered = format!("{status} {kept:?} {}", timeless(&answer));
            self.client.transcript.record(&self.said, subject, &tags, &answered);
        }
        answer
    }
}

/// What was answered, without what the clock decides: of two rows that changed within one millisecond either may be the
/// newer one. A whole list sorted by change is put into the order of its contents; of a window only `meta` is kept.
fn timeless(answer: &Answer) -> Cow<'_, str> {
    let meta = &answer.body["meta"];
    let Some(rows) = answer.body["data"].as_array().filter(|rows| meta["sort_by"] == "updated_at" && !rows.is_empty())
    else {
        return Cow::Borrowed(&answer.text);
    };
    if meta["has_more"] == true || meta["offset"] != 0 {
        return Cow::Owned(format!("a window of {meta}"));
    }
    let mut rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    rows.sort_by_cached_key(|row| transcript::without_chance(row));
    Cow::Owned(format!("[{}] {meta}", rows.join(",")))
}

fn is_stream(response: &Response) -> bool {
    response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream")
}

/// What every answer owes: no server error, JSON in one of two envelopes, a request id, no guessing of types.
fn check_envelope(path: &str, answer: &Answer, is_polled: bool) {
    // 502 is about another server; a write that takes long is no error, and one who asks until something is so may have to wait
    // for room. Whoever damages what is stored, and leaves no record, wants to hear of it.
    let code = &answer.body["error"]["code"];
    let is_later = code == "write_pending" || (is_polled && (code == "overloaded" || code == "store_damaged"));
    answer.must(answer.status < 500 || answer.status == 502 || is_later, "no server error");
    answer.must(answer.headers.contains_key("x-request-id"), "a request id");
    answer.must(answer.headers.get("x-content-type-options").is_some_and(|it| it == "nosniff"), "nosniff");
    let document = path == "/"
        || path.contains("/archive/export")
        || path.split('?').next().is_some_and(|path| path.ends_with("/export"))
        || DOCUMENTS.iter().any(|document| path.starts_with(document));
    if answer.status == 304 {
        answer.must(answer.text.is_empty(), "no body");
    } else if answer.status >= 400 {
        let coded = answer.code().is_some() && answer.message().is_some() && answer.body.get("data").is_none();
        answer.must(coded, "the envelope of an error");
    } else if !document {
        answer.must(answer.text.starts_with(r#"{"data":"#), "the envelope of a success");
    }
}

/// Percent-encodes text for a path or a query.
pub fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn http() -> &'static reqwest::blocking::Client {
    static HTTP: OnceLock<reqwest::blocking::Client> = OnceLock::new();
    HTTP.get_or_init(|| {
        tavernkeep_runtime::https::use_ring();
        let builder = reqwest::blocking::Client::builder().no_proxy().timeout(Duration::from_secs(120));
        builder.redirect(reqwest::redirect::Policy::none()).build().expect("a client without TLS")
    })
}
