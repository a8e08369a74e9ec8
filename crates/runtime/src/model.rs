//! A language model behind an OpenAI-compatible interface. It is asked for text, which is data: no command in it is applied.

use crate::{RuntimeError, RuntimeResult};
use std::fmt;
use std::time::Duration;
use tavernkeep_engine::limits::{MODEL_PROMPT_BYTES_MAX, MODEL_RESPONSE_BYTES_MAX};

/// Where a model is asked, and how.
#[derive(Clone)]
pub struct Model {
    /// The address in front of `/chat/completions`, such as `http://127.0.0.1:11434/v1` or `https://…`.
    pub url: String,
    /// The name of the model.
    pub name: String,
    /// The key that is sent along; none where it is empty.
    pub key: String,
    /// How long a response may take.
    pub timeout: Duration,
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Model({} at {})", self.name, self.url)
    }
}

impl Model {
    /// Asks for a text.
    pub(crate) async fn ask(&self, system: &str, user: &str) -> RuntimeResult<String> {
        let failed = |cause: &dyn fmt::Display| RuntimeError::ModelUnavailable(format!("{}: {cause}", self.name));
        if system.len() + user.len() > MODEL_PROMPT_BYTES_MAX {
            return Err(failed(&format_args!(
                "the prompt has more than {MODEL_PROMPT_BYTES_MAX} bytes; write the text by hand"
            )));
        }
        let body = serde_json::json!({
            "model": self.name,
            "stream": false,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        });
        let client = crate::https::client().timeout(self.timeout).build().map_err(|error| failed(&error))?;
        let url = format!("{}/chat/completions", self.url.trim_end_matches('/'));
        let mut request = client.post(url).header("content-type", "application/json").body(body.to_string());
        if !self.key.is_empty() {
            request = request.bearer_auth(&self.key);
        }
        let mut response = request.send().await.map_err(|error| failed(&without_url(error)))?;
        if !response.status().is_success() {
            return Err(failed(&format_args!("it answered with status {}", response.status())));
        }
        let mut bytes = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| failed(&without_url(error)))? {
            if bytes.len() + part.len() > MODEL_RESPONSE_BYTES_MAX {
                return Err(failed(&format_args!("it answered with more than {MODEL_RESPONSE_BYTES_MAX} bytes")));
            }
            bytes.extend_from_slice(&part);
        }
        text_of(&bytes).ok_or_else(|| failed(&"its answer has no text"))
    }
}

/// The error without the address, which may hold secrets.
fn without_url(error: reqwest::Error) -> reqwest::Error {
    error.without_url()
}

/// The text of an answer, without what the model thought before it.
fn text_of(answer: &[u8]) -> Option<String> {
    let answer: serde_json::Value = serde_json::from_slice(answer).ok()?;
    let text = answer.pointer("/choices/0/message/content")?.as_str()?;
    let text = text.rsplit_once("</think>").map_or(text, |(_, text)| text).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn thinking_is_no_part_of_the_text() {
        let answer = br#"{"choices":[{"message":{"content":"<think>hm</think>\n They met. "}}]}"#;
        assert_eq!(text_of(answer).as_deref(), Some("They met."));
        for broken in [&b"{}"[..], b"no", br#"{"choices":[{"message":{"content":" "}}]}"#] {
            assert_eq!(text_of(broken), None);
        }
    }
}
