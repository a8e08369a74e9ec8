//! What the server answered, and the ways a story judges it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// One answer. A story that does not judge it does not compile without a warning.
#[must_use]
#[derive(Debug, Clone)]
pub struct Answer {
    /// Where in the story it came: database, case and request.
    pub asked: String,
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: HashMap<String, String>,
    /// The body as sent.
    pub text: String,
    /// The body as JSON; null when it is none, or nests too deep for the reader here.
    pub body: Value,
}

impl Answer {
    /// The status is this one.
    #[track_caller]
    pub fn is(&self, status: u16) -> &Self {
        self.must(self.status == status, &format!("status {status}"));
        self
    }

    /// The answer is a refusal with this status and code, and says why.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> &Self {
        let has_message = self.message().is_some_and(|message| !message.is_empty());
        self.must(
            self.status == status && self.code() == Some(code) && has_message,
            &format!("{status} {code} with a message"),
        );
        self
    }

    /// The refusal's message is this one.
    #[track_caller]
    pub fn saying(&self, message: &str) -> &Self {
        self.must(self.message() == Some(message), &format!("the message {message:?}"));
        self
    }

    /// The refusal's message has these words.
    #[track_caller]
    pub fn says(&self, words: &str) -> &Self {
        let has_message = self.message().is_some_and(|message| message.contains(words));
        self.must(has_message, &format!("a message with {words:?}"));
        self
    }

    /// A validation error with these words in one of its details.
    #[track_caller]
    pub fn invalid(&self, words: &str) -> &Self {
        self.refused(400, "validation_error");
        let named = self.details().iter().any(|detail| detail["message"].as_str().is_some_and(|it| it.contains(words)));
        self.must(named, &format!("a detail that says {words:?}"));
        self
    }

    /// A validation error with a detail for this place.
    #[track_caller]
    pub fn invalid_at(&self, path: &str) -> &Self {
        self.refused(400, "validation_error");
        self.must(self.details().iter().any(|detail| detail["path"] == path), &format!("a detail at {path:?}"));
        self
    }

    /// A validation error with a detail for this place and this keyword.
    #[track_caller]
    pub fn invalid_by(&self, path: &str, code: &str) -> &Self {
        self.invalid_at(path);
        let named = self.details().iter().any(|detail| detail["path"] == path && detail["code"] == code);
        self.must(named, &format!("a detail at {path:?} with the code {code:?}"));
        self
    }

    /// One of these statuses, and a code if it is a refusal.
    #[track_caller]
    pub fn is_one_of(&self, statuses: &[u16]) -> &Self {
        let coded = self.status < 400 || self.code().is_some();
        self.must(statuses.contains(&self.status) && coded, &format!("one of {statuses:?}"));
        self
    }

    /// The value at this JSON pointer below `data` is this one.
    #[track_caller]
    pub fn has(&self, pointer: &str, wanted: impl Into<Value>) -> &Self {
        let wanted = wanted.into();
        let found = self.body["data"].pointer(pointer).cloned().unwrap_or(Value::Null);
        self.must(found == wanted, &format!("data{pointer} == {wanted}"));
        self
    }

    /// The member of `meta` is this one.
    #[track_caller]
    pub fn has_meta(&self, name: &str, wanted: impl Into<Value>) -> &Self {
        let wanted = wanted.into();
        self.must(self.body["meta"][name] == wanted, &format!("meta.{name} == {wanted}"));
        self
    }

    /// What was asked for.
    #[track_caller]
    pub fn data(&self) -> Value {
        self.must(self.body.get("data").is_some(), "data");
        self.body["data"].clone()
    }

    /// The id of what was asked for, however deep the rest nests.
    #[track_caller]
    pub fn id(&self) -> String {
        #[derive(Deserialize)]
        struct Data {
            id: String,
        }
        self.part::<Data>("an id").id
    }

    /// One member of every row of a list.
    #[track_caller]
    pub fn column(&self, name: &str) -> Vec<Value> {
        self.must(self.body["data"].is_array(), "a list");
        self.body["data"].as_array().into_iter().flatten().map(|row| row[name].clone()).collect()
    }

    /// The text of `data.value`, exactly as sent.
    #[track_caller]
    pub fn raw_value(&self) -> String {
        #[derive(Deserialize)]
        struct Data {
            value: Box<RawValue>,
        }
        self.part::<Data>("a value").value.get().to_owned()
    }

    /// Some members of `data`; the others are skipped without being built.
    #[track_caller]
    fn part<T: DeserializeOwned>(&self, wanted: &str) -> T {
        #[derive(Deserialize)]
        struct Envelope<T> {
            data: T,
        }
        match serde_json::from_str::<Envelope<T>>(&self.text) {
            Ok(envelope) => envelope.data,
            Err(error) => {
                self.must(false, wanted);
                panic!("{error}")
            }
        }
    }

    /// The entity tag.
    #[track_caller]
    pub fn etag(&self) -> String {
        self.header("etag")
    }

    /// A header that must be there.
    #[track_caller]
    pub fn header(&self, name: &str) -> String {
        self.must(self.headers.contains_key(name), name);
        self.headers[name].clone()
    }

    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        self.body["error"]["code"].as_str()
    }

    /// The message of a refusal.
    pub fn message(&self) -> Option<&str> {
        self.body["error"]["message"].as_str()
    }

    /// The details of a refusal.
    pub fn details(&self) -> &[Value] {
        self.body["error"]["details"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Fails with everything there is to know unless `holds`.
    #[track_caller]
    pub fn must(&self, holds: bool, wanted: &str) {
        let text: String = self.text.chars().take(2000).collect();
        assert!(holds, "{}\n  answered {} {text}\n  wanted {wanted}", self.asked, self.status);
    }
}
