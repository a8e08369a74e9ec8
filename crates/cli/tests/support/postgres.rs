//! PostgreSQL from the machine's own binaries: one cluster per test process for everybody, and clusters of their own for
//! those who break them.
//!
//! `TAVERNKEEP_TEST_POSTGRES_URL` names a running server to use instead; its role must be allowed to create databases.

use super::log::Log;
use super::undertaker;
use rustix::process::{Pid, Signal, kill_process};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread::JoinHandle;

const MISSING: &str = "PostgreSQL was not found, and every test runs on it too. Install it (`apt-get install postgresql`), \
    put `initdb` and `postgres` in PATH, or point TAVERNKEEP_TEST_POSTGRES_URL at a running server.";

/// A database of its own, removed when dropped.
pub struct Database {
    /// Where a program connects to.
    pub url: String,
    name: String,
    server: String,
}

impl Database {
    /// An empty database with a fresh name, on the cluster that everybody shares.
    pub fn fresh() -> Database {
        Database::fresh_on(server_url())
    }

    /// The same on another server, by the URL of its own database.
    pub fn fresh_on(server: &str) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tavernkeep_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // A linguistic collation would show wherever the program sorts by anything but bytes. Not every server has it.
        let plain = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'");
        execute(server, &format!("{plain} LOCALE_PROVIDER icu ICU_LOCALE 'en'"))
            .or_else(|_| execute(server, &plain))
            .unwrap_or_else(|error| panic!("cannot create a database: {error}"));
        let (address, options) = server.split_once('?').unwrap_or((server, ""));
        let (address, _) = address.rsplit_once('/').expect("the address of PostgreSQL is a URL with a database");
        Database { url: format!("{address}/{name}?{options}"), name, server: server.to_owned() }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The cluster may be gone already, and the database with it.
        drop(execute(&self.server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)));
    }
}

/// Runs one statement on a server's own database.
pub fn execute(server: &str, statement: &str) -> Result<(), tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let outcome = client.batch_execute(statement).await;
        connection.abort();
        outcome
    })
}

/// The number that a statement answers on a server or database.
pub fn number(server: &str, statement: &str) -> Result<i64, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let row = client.query_one(statement, &[]).await;
        connection.abort();
        row?.try_get(0)
    })
}

/// A transaction of somebody else on the cluster that everybody shares, open until this is dropped. It has a number, so
/// events of later transactions are not settled before it ends.
pub struct OpenTransaction(Option<(mpsc::Sender<()>, JoinHandle<()>)>);

impl OpenTransaction {
    /// Begins one.
    pub fn begin() -> OpenTransaction {
        OpenTransaction::with(server_url(), "SELECT pg_current_xact_id()")
    }

    /// Begins one on a database, with what a statement locks.
    pub fn with(database: &str, statement: &str) -> OpenTransaction {
        let (database, statement) = (database.to_owned(), format!("BEGIN; {statement}"));
        let (end, ended) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let connect = tokio_postgres::connect(&database, tokio_postgres::NoTls);
                let (client, connection) = connect.await.expect("a connection");
                let connection = tokio::spawn(connection);
                client.batch_execute(&statement).await.expect("a transaction");
                begun.send(()).expect("somebody waits for it");
                let _ = ended.recv();
                client.batch_execute("ROLLBACK").await.expect("it ends");
                connection.abort();
            });
        });
        has_begun.recv().expect("the transaction begins");
        OpenTransaction(Some((end, thread)))
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            thread.join().expect("the transaction has ended");
        }
    }
}

fn server_url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| std::env::var("TAVERNKEEP_TEST_POSTGRES_URL").unwrap_or_else(|_| Cluster::start().url()))
}

/// A cluster that lives as long as this process.
pub struct Cluster {
    binaries: PathBuf,
    folder: PathBuf,
    user: User,
    port: u16,
    child: Child,
}

impl Cluster {
    /// Starts one.
    pub fn start() -> Cluster {
        let binaries = find_binaries().unwrap_or_else(|| panic!("{MISSING}"));
        let folder = tempfile::Builder::new().prefix("tavernkeep-pg-").tempdir().expect("a temporary folder").keep();
        undertaker::folder(&folder);
        let user = User::choose();
        user.own(&folder);
        initialise(&binaries, &folder, &user);
        // Somebody may take the free port before the server does.
        let started = (0..5).find_map(|_| {
            let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
            let port = listener.expect("a free port").port();
            Some((port, serve(&binaries, &folder, &user, port)?))
        });
        let (port, child) = started.expect("PostgreSQL starts; its log is above");
        Cluster { binaries, folder, user, port, child }
    }

    /// The URL of its own database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends the server, `INT` fast and `QUIT` as a crash would, and starts it again at the same address.
    #[allow(dead_code)] // Only those who break a cluster do this.
    pub fn restart(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("PostgreSQL runs");
        self.child.wait().expect("it can be waited for");
        undertaker::dead(&self.child);
        let again = (0..5).find_map(|_| serve(&self.binaries, &self.folder, &self.user, self.port));
        self.child = again.expect("PostgreSQL starts again; its log is above");
    }
}

fn initialise(binaries: &Path, folder: &Path, user: &User) {
    let output = user
        .command(&binaries.join("initdb"))
        .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"])
        .arg(folder.join("data"))
        .current_dir(folder)
        .output()
        .expect("initdb can be started");
    assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
}

fn serve(binaries: &Path, folder: &Path, user: &User, port: u16) -> Option<Child> {
    let mut child = user
        .command(&binaries.join("postgres"))
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .args(["-h", "127.0.0.1", "-p", &port.to_string()])
        .args(["-c", "fsync=off", "-c", "max_connections=200", "-c", "lc_messages=C", "-c", "logging_collector=off"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("postgres can be started");
    undertaker::born(&child);
    let log = Log::of(child.stderr.take().expect("its error output is a pipe"));
    if log.wait_for(|line| line.contains("ready to accept connections").then_some(())).is_some() {
        return Some(child);
    }
    eprintln!("{}", log.tail());
    // It has most likely ended by itself.
    drop(child.kill());
    drop(child.wait());
    undertaker::dead(&child);
    None
}

/// Who the cluster runs as: PostgreSQL refuses to run as root.
struct User(Option<(u32, u32)>);

impl User {
    fn choose() -> User {
        if !rustix::process::geteuid().is_root() {
            return User(None);
        }
        let number = |flag: &str, name: &str| -> Option<u32> {
            let output = Command::new("id").args([flag, name]).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        let found = ["postgres", "nobody"].iter().find_map(|name| Some((number("-u", name)?, number("-g", name)?)));
        User(Some(found.expect("root needs a user `postgres` or `nobody` to run PostgreSQL as")))
    }

    fn own(&self, folder: &Path) {
        if let Some((user, group)) = self.0 {
            std::os::unix::fs::chown(folder, Some(user), Some(group)).expect("root may give a folder away");
        }
    }

    /// A command that becomes the program itself, so that its number is the program's.
    fn command(&self, program: &Path) -> Command {
        let Some((user, group)) = self.0 else { return Command::new(program) };
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={user}"), &format!("--regid={group}"), "--clear-groups", "--"]).arg(program);
        command
    }
}

/// The folder with `initdb` and `postgres`: from PATH, as `pg_config` says, or the newest that Debian has.
fn find_binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let mut debian: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    debian.sort();
    std::env::split_paths(&path)
        .chain(configured)
        .chain(debian.into_iter().rev().map(|(_, folder)| folder))
        .find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_starts_and_every_database_is_its_own() {
        let (one, other) = (Database::fresh(), Database::fresh());
        assert_ne!(one.url, other.url);
        execute(server_url(), "SELECT 1").expect("the server answers");
    }
}
