//! Where a server keeps its data, and what the command line does there.

use super::log::Log;
use super::postgres::{self, Database};
use super::undertaker;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A data folder, and a PostgreSQL database if the data is not in the folder itself.
pub struct Place {
    folder: TempDir,
    database: Option<Arc<Database>>,
}

/// A key as the program shows it once.
#[derive(Debug, Clone)]
pub struct Key {
    /// With which it is revoked.
    pub id: String,
    /// With which it opens.
    pub secret: String,
}

impl Place {
    /// An empty place with SQLite.
    pub fn sqlite() -> Place {
        Place { folder: empty_folder(), database: None }
    }

    /// An empty place with PostgreSQL.
    pub fn postgres() -> Place {
        Place { folder: empty_folder(), database: Some(Arc::new(Database::fresh())) }
    }

    /// A place on this PostgreSQL database.
    #[allow(dead_code)] // Only those who break a cluster of their own need it.
    pub fn on(database: Database) -> Place {
        Place { folder: empty_folder(), database: Some(Arc::new(database)) }
    }

    /// A place for one more process on the same PostgreSQL database.
    pub fn beside(&self) -> Place {
        assert!(self.database.is_some(), "one folder belongs to one process");
        Place { folder: empty_folder(), database: self.database.clone() }
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A file beside the data folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The SQLite file in the data folder, whatever it is called.
    pub fn sqlite_file(&self) -> PathBuf {
        let magic = |path: &Path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0"));
        let entries = std::fs::read_dir(self.data()).expect("the data folder exists");
        let found = entries.map(|entry| entry.expect("it can be listed").path()).find(|path| magic(path));
        found.expect("the data folder holds a SQLite file")
    }

    /// Runs statements on the data.
    #[allow(dead_code)] // Not every suite looks into it.
    pub fn execute(&self, statements: &str) {
        match &self.database {
            Some(database) => postgres::execute(&database.url, statements).expect("it can be changed"),
            None => self.sqlite_connection().execute_batch(statements).expect("it can be changed"),
        }
    }

    /// The same while no server runs that would give the changed pages their checksums.
    #[allow(dead_code)]
    pub fn execute_stopped(&self, statements: &str) {
        self.execute(statements);
        if self.database.is_none() {
            self.run(&["stamp"]);
        }
    }

    /// The number that a statement answers.
    #[allow(dead_code)]
    pub fn number(&self, statement: &str) -> i64 {
        match &self.database {
            Some(database) => postgres::number(&database.url, statement).expect("it can be read"),
            None => self.sqlite_connection().query_row(statement, [], |row| row.get(0)).expect("it can be read"),
        }
    }

    #[allow(dead_code)] // Not every suite looks into it.
    pub fn sqlite_connection(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.sqlite_file()).expect("the file opens")
    }

    /// The program with these words, working on this place.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare_command(words);
        command.arg("--data").arg(self.data());
        if let Some(database) = &self.database {
            command.args(["--database-url", &database.url]);
        }
        command
    }

    /// The program with these words alone.
    pub fn bare_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        // What the developer has configured must not reach the program under test.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TAVERNKEEP_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs the program to its end.
    pub fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program can be started")
    }

    /// Runs the program, which must succeed, and returns what it prints.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> String {
        let output = self.output(words);
        assert!(output.status.success(), "tavernkeep {}: {}", words.join(" "), said(&output));
        String::from_utf8(output.stdout).expect("it prints text")
    }

    /// Starts the program in the background.
    pub fn spawn(&self, words: &[&str]) -> (std::process::Child, Log) {
        let mut command = self.command(words);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program can be started");
        undertaker::born(&child);
        let log = Log::of(child.stderr.take().expect("its error output is a pipe"));
        (child, log)
    }

    /// Makes an account.
    pub fn create_account(&self, account: &str) {
        self.run(&["account", "create", account]);
    }

    /// Makes a key of an account; `more` are further words.
    pub fn create_key(&self, account: &str, role: &str, more: &[&str]) -> Key {
        let words = ["account", "key", "create", "--account", account, "--role", role, "--name", role, "--json"];
        let printed = self.run(&[&words, more].concat());
        let key: Value = serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
        let text = |name: &str| key[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {printed}")).to_owned();
        Key { id: text("id"), secret: text("secret") }
    }

    /// Takes a key back.
    pub fn revoke_key(&self, account: &str, key: &Key) {
        self.run(&["account", "key", "revoke", &key.id, "--account", account]);
    }
}

/// Everything a program that has ended said.
pub fn said(output: &Output) -> String {
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn empty_folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("tavernkeep-test-").tempdir().expect("a temporary folder");
    undertaker::folder(folder.path());
    folder
}
