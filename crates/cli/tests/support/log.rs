//! What a child process writes on its error output: kept, and waited for without sleeping.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Generous, since it only bounds how long a broken child can hold up the tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lines of a child, read by a thread until the child closes its output.
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    news: Mutex<Receiver<String>>,
}

impl Log {
    /// Starts to read.
    pub fn of(stream: impl Read + Send + 'static) -> Log {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (sender, news) = channel();
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stream);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                bytes.clear();
                hold(&kept).push(line.clone());
                // Nobody may be waiting any more.
                drop(sender.send(line));
            }
        });
        Log { lines, news: Mutex::new(news) }
    }

    /// The first line from now on that `pick` finds something in; none if the child falls silent or closes its output.
    pub fn wait_for<T>(&self, pick: impl Fn(&str) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + PATIENCE;
        let news = hold(&self.news);
        while let Ok(line) = news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if let Some(found) = pick(&line) {
                return Some(found);
            }
        }
        None
    }

    /// Whether the child closes its output in time, as it does when it ends.
    pub fn ends(&self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        let news = hold(&self.news);
        loop {
            match news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    /// The first line with these words in it.
    #[allow(dead_code)] // Only the fault harness looks for what nobody should have said.
    pub fn line_with(&self, words: &str) -> Option<String> {
        hold(&self.lines).iter().find(|line| line.contains(words)).cloned()
    }

    /// The last lines.
    pub fn tail(&self) -> String {
        let lines = hold(&self.lines);
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

/// A test that failed while it held the lock must not hide its own failure behind a poisoned one.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
