//! A client that listens to `/events`, and keeps what it receives.

use super::client::Client;
use reqwest::blocking::Response;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};

/// One event as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedEvent {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it says.
    pub data: Value,
}

impl ReceivedEvent {
    /// Where it stands in the order of all: what clients need not know and tests may.
    pub fn place(&self) -> (u64, u64) {
        place(&self.id)
    }
}

/// The two numbers of an id.
pub fn place(id: &str) -> (u64, u64) {
    let (position, ordinal) = id.split_once('-').unwrap_or_else(|| panic!("{id:?} has two parts"));
    (position.parse().expect("a number"), ordinal.parse().expect("a number"))
}

/// A stream that is open.
pub struct Listening {
    lines: BufReader<Response>,
    client: Client,
    /// The head of the answer.
    pub headers: HashMap<String, String>,
    /// The id that a client would come back with: of the last event, or of a sign of life that had one.
    pub last_id: String,
    /// The comments so far.
    pub comments: Vec<String>,
    recorded: bool,
}

impl Client {
    /// Listens with this query (`?session_id=…` or nothing) behind an event, and waits until the stream has begun.
    #[track_caller]
    pub fn listen(&self, query: &str, last_event_id: Option<&str>) -> Listening {
        self.connect(query, last_event_id).ready()
    }

    /// The same without waiting.
    #[track_caller]
    pub fn connect(&self, query: &str, last_event_id: Option<&str>) -> Listening {
        let mut ask = self.ask("GET", &format!("/events{query}"));
        if let Some(id) = last_event_id {
            ask = ask.header("last-event-id", id);
        }
        let response = ask.response();
        let status = response.status().as_u16();
        let headers: HashMap<String, String> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        assert!(status == 200, "GET /events{query} answers {status}: {}", response.text().unwrap_or_default());
        Listening {
            lines: BufReader::new(response),
            client: self.clone(),
            headers,
            last_id: String::new(),
            comments: Vec::new(),
            recorded: false,
        }
    }

    /// All events of the account so far, up to a mark that is set now.
    #[track_caller]
    pub fn events_so_far(&self, query: &str, last_event_id: &str) -> Vec<ReceivedEvent> {
        let mark = format!("mark-{}", uuid());
        let mut listening = self.listen(query, Some(last_event_id));
        self.ask("PUT", "/variables").json(super::write(super::global(), &mark, 1)).unrecorded().send().is(201);
        listening.until(|event| event.data["entry"]["key"] == mark.as_str())
    }
}

/// A name that no other test has.
fn uuid() -> u32 {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

impl Listening {
    /// Waits until the stream has begun.
    #[track_caller]
    pub fn ready(mut self) -> Listening {
        let ready = self.next().expect("the stream begins");
        assert_eq!((ready.name.as_str(), &ready.data["id"]), ("ready", &Value::from(ready.id.as_str())));
        self
    }

    /// Writes what it hears into the story's transcript, so that the databases are compared.
    pub fn recorded(mut self) -> Listening {
        self.recorded = true;
        self
    }

    /// The next event; none when the stream has ended.
    pub fn next(&mut self) -> Option<ReceivedEvent> {
        loop {
            if let Some(event) = self.block()? {
                return Some(event);
            }
        }
    }

    /// Waits for a sign of life with a place that is this far.
    #[track_caller]
    pub fn moves_to(&mut self, wanted: (u64, u64)) {
        while place(&self.last_id) < wanted {
            let event = self.block().expect("the stream goes on");
            assert_eq!(event, None, "nothing but signs of life");
        }
    }

    /// The next block: an event, or a sign of life. None when the stream has ended.
    fn block(&mut self) -> Option<Option<ReceivedEvent>> {
        let (mut id, mut name, mut data) = (None, None, None);
        loop {
            let mut line = String::new();
            // A line that breaks off is a stream that ended.
            if self.lines.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.strip_suffix('\n').expect("a whole line");
            match line.split_once(':') {
                None if line.is_empty() => return Some(self.dispatch(id, name, data)),
                None => panic!("a line without a field: {line:?}"),
                Some(("", comment)) => self.comments.push(comment.trim_start().to_owned()),
                Some((field, value)) => {
                    let value = value.strip_prefix(' ').expect("a blank behind the colon").to_owned();
                    let place = match field {
                        "id" => &mut id,
                        "event" => &mut name,
                        "data" => &mut data,
                        "retry" => continue,
                        _ => panic!("an unknown field: {line:?}"),
                    };
                    assert!(place.replace(value).is_none(), "{field} twice in one block");
                }
            }
        }
    }

    fn dispatch(&mut self, id: Option<String>, name: Option<String>, data: Option<String>) -> Option<ReceivedEvent> {
        if let Some(id) = &id {
            self.last_id.clone_from(id);
        }
        let data = data?;
        let (id, name) = (id.expect("an event has an id"), name.expect("an event has a name"));
        if self.recorded {
            self.client.transcript().record(&name, "", &[], &data);
        }
        let data = serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {data}"));
        Some(ReceivedEvent { id, name, data })
    }

    /// The next events.
    #[track_caller]
    pub fn take(&mut self, count: usize) -> Vec<ReceivedEvent> {
        (0..count).map(|index| self.next().unwrap_or_else(|| panic!("the stream ended before event {index}"))).collect()
    }

    /// The names of the next events.
    #[track_caller]
    pub fn names(&mut self, count: usize) -> Vec<String> {
        self.take(count).into_iter().map(|event| event.name).collect()
    }

    /// The events before the first that is as wanted.
    #[track_caller]
    pub fn until(&mut self, wanted: impl Fn(&ReceivedEvent) -> bool) -> Vec<ReceivedEvent> {
        let mut heard = Vec::new();
        loop {
            let event = self.next().expect("the stream goes on until the event comes");
            if wanted(&event) {
                return heard;
            }
            heard.push(event);
        }
    }

    /// Nothing more comes, and the stream has said why.
    #[track_caller]
    pub fn ends(mut self, words: &str) {
        assert_eq!(self.next(), None, "the stream ends");
        assert!(self.comments.last().is_some_and(|comment| comment.contains(words)), "{:?}", self.comments);
    }
}
