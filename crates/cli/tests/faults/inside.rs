//! A server inside this process, where its disk can be watched. It is asked over HTTP like any other.

use crate::chat_files;
use crate::observe;
use crate::tales::State;
use crate::things::Things;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::{Database, Details, FloorRange, Options, Runtime, RuntimeResult};
use tavernkeep_server::{App, Settings, export_lines, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A running server; it ends on request.
pub struct Inside {
    pub base: String,
    threads: tokio::runtime::Runtime,
    keep: Runtime,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Inside {
    /// Opens the database in a folder and serves it.
    pub fn start(folder: &Path) -> RuntimeResult<Inside> {
        let threads = threads();
        let keep = threads.block_on(Runtime::open(options(folder)))?;
        // Nothing in the background: what happens on the disk is what was asked for.
        let never = Duration::ZERO;
        let settings =
            Settings { lease_interval: never, upkeep_interval: never, purge_interval: never, ..Settings::default() };
        let (stop, stopped) = oneshot::channel();
        let opened = threads.block_on(async {
            let app = App::new(settings, keep.clone()).await?;
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let base = format!("http://{}", listener.local_addr().expect("an address"));
            Ok((base, tokio::spawn(serve(listener, app, async move { drop(stopped.await) }))))
        });
        let (base, served) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                threads.block_on(keep.close());
                return Err(error);
            }
        };
        Ok(Inside { base, threads, keep, stop, served })
    }

    /// How many commits of several writes had to be undone and tried one by one.
    pub fn void_batches(&self) -> u64 {
        self.keep.counters().batch_retries
    }

    /// Lets running requests finish and closes the database.
    pub fn end(self) {
        // Nobody listens if serving has ended already.
        let _ = self.stop.send(());
        self.threads.block_on(async {
            self.served.await.expect("serving does not panic").expect("serving ends well");
            self.keep.close().await;
        });
    }
}

/// The lines of an export of a folder.
pub fn exported(folder: &Path) -> RuntimeResult<Vec<String>> {
    threads().block_on(async {
        let keep = Runtime::open(options(folder)).await?;
        let lines = export(&keep).await;
        keep.close().await;
        Ok(lines?.lines().map(str::to_owned).collect())
    })
}

async fn export(keep: &Runtime) -> RuntimeResult<String> {
    let mut export = keep.export_account(&Runtime::default_account()).await?;
    let mut lines = Vec::new();
    while let Some(items) = export.next().await? {
        lines.extend(export_lines(items)?);
    }
    Ok(String::from_utf8(lines).expect("an export is text"))
}

/// Everything that is stored in a folder, without serving it.
pub fn stored(folder: &Path) -> RuntimeResult<Things> {
    threads().block_on(async {
        let keep = Runtime::open(options(folder)).await?;
        let account = Runtime::default_account();
        let mut things = observe::read(&export(&keep).await?);
        let replies: Vec<Id> = things.keys().filter_map(|name| name.strip_suffix(" reply")?.parse().ok()).collect();
        for reply in replies {
            for write in keep.staged_writes(&account, &reply).await?.items {
                let value: Option<Value> =
                    write.asked.value.and_then(|value| serde_json::from_str(value.as_str()).ok());
                let (key, status, intent) =
                    (write.asked.key.as_str(), write.status.as_str(), write.asked.intent.as_str());
                let source_kind = write.asked.source_kind.as_str();
                let item =
                    json!({"key": key, "status": status, "intent": intent, "source_kind": source_kind, "value": value});
                things.extend([observe::staged(reply.as_str(), &item)]);
            }
        }
        for tale in observe::tales(&things) {
            let session: Id = tale.parse().expect("an id");
            let state = keep.newest_state(&account, &session, None).await?;
            let sum = state.document.to_serde()["sum"].as_i64().unwrap_or(i64::MIN);
            let state = State { sum, fresh: state.at.stale.is_none(), edited: state.at.edited };
            things.insert(format!("{tale} state"), state.value());
        }
        for chat in chat_files::ids(things.keys()) {
            let file = keep.export_chat(&account, &chat.parse().expect("an id"), None).await?.content;
            let file = String::from_utf8(file.to_vec()).expect("a chat is text");
            things.insert(format!("{chat} chat"), chat_files::value(&file));
        }
        for branch in observe::forks(&things) {
            let (tale, name) = branch.split_once('/').expect("a branch is of a session");
            let (session, branch_name) = (tale.parse().expect("an id"), name.to_owned());
            let part = FloorRange { session, branch: branch_name, from_floor: None, to_floor: None, after: None };
            let details = Details { content: true, ..Details::default() };
            let (floors, _) = keep.transcript(&account, part, 100, details).await?;
            let texts: Vec<String> = floors.into_iter().filter_map(|floor| floor.content).collect();
            things.insert(format!("{branch} branch"), texts.join(observe::BETWEEN));
        }
        let window = Window { limit: 100, offset: 0, ascending: true, total: false };
        for item in keep.trash(&account, None, window).await?.items {
            let session = item.session.as_ref().map_or("", Id::as_str);
            things.extend(observe::trashed(session, item.kind.as_str()));
        }
        keep.close().await;
        Ok(things)
    })
}

fn threads() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads")
}

/// A database in a folder. Functions run in this process: their workers would be part of what is watched.
fn options(folder: &Path) -> Options {
    let options = Options::new(Database::Sqlite(folder.into()));
    #[cfg(feature = "script")]
    let options = Options { scripts: std::sync::Arc::new(tavernkeep_script::InProcess::default()), ..options };
    options
}
