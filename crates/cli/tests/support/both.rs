//! Tells a story on SQLite and on PostgreSQL and compares every answer.

use super::client::Client;
use super::place::Place;
use super::server::Server;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the data is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backend {
    /// In the data folder.
    Sqlite,
    /// In a PostgreSQL database.
    Postgres,
}

impl Backend {
    /// All of them.
    pub const BOTH: [Backend; 2] = [Backend::Sqlite, Backend::Postgres];

    /// An empty place.
    pub fn place(self) -> Place {
        match self {
            Backend::Sqlite => Place::sqlite(),
            Backend::Postgres => Place::postgres(),
        }
    }

    /// The one server of this process with this database. Every story has an account of its own on it.
    pub fn server(self) -> &'static Server {
        static SERVERS: [OnceLock<Server>; 2] = [const { OnceLock::new() }; 2];
        SERVERS[self as usize].get_or_init(|| Server::start(self.place()))
    }
}

/// Tells the story on both databases, each time in a new account; the answers must be the same.
pub fn both(story: impl Fn(&Client)) {
    static STORIES: AtomicU32 = AtomicU32::new(1);
    let account = format!("story-{}", STORIES.fetch_add(1, Ordering::Relaxed));
    let [sqlite, postgres] = Backend::BOTH.map(|backend| tell(backend, &account, &story));
    compare(&sqlite, &postgres);
}

fn tell(backend: Backend, account: &str, story: &impl Fn(&Client)) -> Vec<String> {
    let server = backend.server();
    let teller = Teller { backend, server };
    let client = server.client(account);
    story(&client);
    drop(teller);
    client.transcript().entries()
}

/// Says where a story failed.
struct Teller {
    backend: Backend,
    server: &'static Server,
}

impl Drop for Teller {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- on {:?}; the server said:\n{}", self.backend, self.server.log().tail());
        }
    }
}

fn compare(sqlite: &[String], postgres: &[String]) {
    let same = sqlite.iter().zip(postgres).take_while(|(left, right)| left == right).count();
    let show = |entries: &[String]| entries.get(same).cloned().unwrap_or_else(|| "(nothing more)".to_owned());
    assert!(
        same == sqlite.len() && same == postgres.len(),
        "the databases differ at exchange {same}\n--- SQLite\n{}\n--- PostgreSQL\n{}",
        show(sqlite),
        show(postgres)
    );
}
