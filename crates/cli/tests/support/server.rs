//! A running `tavernkeep serve`.

use super::client::Client;
use super::log::Log;
use super::place::Place;
use super::undertaker;
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, ExitStatus};
use std::sync::Arc;

/// A server on a free port; it is asked to end when dropped.
pub struct Server {
    /// Where its data is.
    pub place: Arc<Place>,
    /// Its address, such as `http://127.0.0.1:4711`.
    pub base: String,
    child: Child,
    log: Arc<Log>,
}

impl Server {
    /// Starts the program on an empty place where keys count, and waits until it listens.
    pub fn start(place: Place) -> Server {
        Self::start_with(place, &[])
    }

    /// The same with settings of its own, each as `name=value`.
    pub fn start_with(place: Place, settings: &[&str]) -> Server {
        place.create_account("first");
        place.create_key("first", "admin", &[]);
        Self::start_on_with(Arc::new(place), settings)
    }

    /// Starts the program on a place as it is.
    pub fn start_on(place: Arc<Place>) -> Server {
        Self::start_on_with(place, &[])
    }

    /// Starts the program on a place as it is, with further settings such as `log_level=debug`.
    pub fn start_on_with(place: Arc<Place>, settings: &[&str]) -> Server {
        // However slow the machine is, an answer is the same.
        let patient = ["process_time_ms=600000"];
        let set = patient.iter().chain(settings).flat_map(|setting| ["--set", setting]);
        let words: Vec<&str> = ["serve", "--listen", "127.0.0.1:0"].into_iter().chain(set).collect();
        let (child, log) = place.spawn(&words);
        let base = log.wait_for(address_in).unwrap_or_else(|| panic!("the server does not listen:\n{}", log.tail()));
        Server { place, base, child, log: Arc::new(log) }
    }

    /// A client for a new account with an admin key.
    pub fn client(&self, account: &str) -> Client {
        self.place.create_account(account);
        let key = self.place.create_key(account, "admin", &[]);
        Client::new(self, account).with_key(&key.secret)
    }

    /// What it writes on its error output.
    pub fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log)
    }

    /// Asks the program to end and waits for it.
    pub fn terminate(&mut self) -> ExitStatus {
        self.end_with(Signal::TERM)
    }

    /// Ends the program as a crash would.
    pub fn kill(&mut self) -> ExitStatus {
        self.end_with(Signal::KILL)
    }

    /// Sends the program a signal that does not end it.
    #[allow(dead_code)] // Only the fault harness stops programs and lets them go on.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the server runs");
    }

    /// The number of its process.
    #[allow(dead_code)] // Only the fault harness looks for its workers.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    fn end_with(&mut self, signal: Signal) -> ExitStatus {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("the server runs");
        if !self.log.ends() {
            // Dropping follows a failed test too, so it says what it saw and goes on.
            eprintln!("the server ignores {signal:?}:\n{}", self.log.tail());
            drop(self.child.kill());
        }
        let status = self.child.wait().expect("the server can be waited for");
        undertaker::dead(&self.child);
        status
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
        }
        undertaker::dead(&self.child);
        if std::thread::panicking() {
            eprintln!("--- the server said:\n{}", self.log.tail());
        }
    }
}

/// The address in a line such as `listening on http://127.0.0.1:4711`, whatever surrounds it.
pub fn address_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("listening on http://")?;
    let end = rest.find(|character: char| !(character.is_ascii_digit() || ".:".contains(character)));
    Some(format!("http://{}", &rest[..end.unwrap_or(rest.len())]))
}

#[cfg(test)]
mod tests {
    use super::address_in;

    #[test]
    fn the_address_is_found_in_plain_and_in_structured_lines() {
        let found = Some("http://127.0.0.1:4711".to_owned());
        assert_eq!(address_in("2026-01-01 INFO listening on http://127.0.0.1:4711"), found);
        assert_eq!(address_in(r#"{"message":"listening on http://127.0.0.1:4711","level":"INFO"}"#), found);
        assert_eq!(address_in("\u{1b}[32mlistening on http://127.0.0.1:4711/\u{1b}[0m"), found);
        assert_eq!(address_in("starting"), None);
    }
}
