//! The log: structured lines on stderr, written by a thread of its own so that no request waits for a terminal or a pipe.

use crate::config::Config;
use crate::output::Failure;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tavernkeep_engine::json::JsonText;
use tavernkeep_server::{RequestLine, RequestLog};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::{MakeWriter, fmt};

/// Bytes that may wait to be written. When the reader of the log is slower than that, requests wait for it after all:
/// a log with holes is useless.
const WAITING_MAX: usize = 1024 * 1024;

/// How long a line may wait for others.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// Starts the log. Lines are complete on stderr when the guard is dropped.
pub fn start(config: &Config) -> Result<Guard, Failure> {
    let level = config.get("log_level");
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::usage(format!("log_level = {level:?} is not a filter: {error}")))?;
    // A lone word that is no level would be taken for a module's name and silence everything.
    if !level.contains(['=', ',']) && level.parse::<LevelFilter>().is_err() {
        return Err(Failure::usage(format!(
            "log_level = {level:?} is not one of error, warn, info, debug, trace, off"
        )));
    }
    let lines = Lines::default();
    let guard = lines.drain()?;
    let builder = fmt().with_env_filter(filter).with_writer(lines).with_target(false);
    match format(config)? {
        Format::Json => builder.json().flatten_event(true).init(),
        Format::Text => {
            let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            builder.with_ansi(colour).init();
        }
    }
    Ok(guard)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Text,
}

fn format(config: &Config) -> Result<Format, Failure> {
    match config.get("log_format") {
        "json" => Ok(Format::Json),
        "text" => Ok(Format::Text),
        "auto" if io::stderr().is_terminal() => Ok(Format::Text),
        "auto" => Ok(Format::Json),
        other => Err(Failure::usage(format!("log_format = {other:?} is not one of auto, text, json"))),
    }
}

impl Guard {
    /// The log of requests, unless the settings do without. Its lines are written by hand: there is one for each request,
    /// and a general subscriber costs more than many a request does.
    pub fn of_requests(&self, config: &Config) -> Result<Option<RequestLog>, Failure> {
        if !config.parse::<bool>("log_requests", "true or false")? || !tracing::enabled!(tracing::Level::INFO) {
            return Ok(None);
        }
        let (lines, format) = (self.lines.clone(), format(config)?);
        Ok(Some(RequestLog(Arc::new(move |line| lines.clone().write_request(format, line)))))
    }
}

/// Lines that wait to be written.
#[derive(Clone, Default)]
struct Lines(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    closed: bool,
}

/// Ends the log in order.
pub struct Guard {
    lines: Lines,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.lines.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.lines.0.changed.notify_all();
        // A thread that panicked has nothing more to write.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Lines {
    fn write_request(mut self, format: Format, line: &RequestLine<'_>) {
        let now = jiff::Timestamp::now();
        let micros = line.duration.as_micros();
        let RequestLine { request_id, method, path, route, status, client, .. } = line;
        let client = client.map(|client| client.to_string()).unwrap_or_default();
        let text = match format {
            // Only the path is the client's to choose freely; it may hold quotes and any character beyond ASCII.
            Format::Json => format!(
                "{{\"timestamp\":\"{now:.6}\",\"level\":\"INFO\",\"message\":\"request\",\"request_id\":\"{request_id}\",\
                 \"method\":\"{method}\",\"path\":{},\"route\":\"{route}\",\"status\":{status},\
                 \"duration_us\":{micros},\"client\":\"{client}\"}}\n",
                JsonText::from_string(path).as_str()
            ),
            Format::Text => {
                format!("{now:.6}  INFO {method} {path} {status} in {micros} µs ({request_id}, {client})\n")
            }
        };
        // Writing to the buffer cannot fail.
        let _ = self.write_all(text.as_bytes());
    }

    fn drain(&self) -> Result<Guard, Failure> {
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("log".into()).spawn(move || shared.write_out())?;
        Ok(Guard { lines: self.clone(), thread: Some(thread) })
    }
}

impl Shared {
    fn write_out(&self) {
        let mut out = Vec::new();
        loop {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            while waiting.bytes.is_empty() && !waiting.closed {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            if !waiting.closed {
                // Lines that come together are written together: one wake-up and one write for many requests.
                drop(waiting);
                std::thread::sleep(GATHER_TIME);
                waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            }
            std::mem::swap(&mut out, &mut waiting.bytes);
            let closed = waiting.closed;
            drop(waiting);
            self.changed.notify_all();
            // There is nowhere to report that stderr itself is gone.
            let _ = io::stderr().write_all(&out);
            out.clear();
            if closed {
                return;
            }
        }
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        self.clone()
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.bytes.len() > WAITING_MAX && !waiting.closed {
            waiting = self.0.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let was_empty = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        drop(waiting);
        if was_empty {
            self.0.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
