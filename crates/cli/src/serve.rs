//! `serve`: opens the database, listens, and stops gracefully.

use crate::args::ServeOrder;
use crate::config::Config;
use crate::logging::Guard;
use crate::output::{Failure, say};
use std::process::ExitCode;
use tavernkeep_runtime::{Access, Database, Runtime};
use tavernkeep_server::{App, Settings};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

pub async fn run(config: &Config, order: &ServeOrder, log: &Guard) -> Result<ExitCode, Failure> {
    let config = config.clone().with_listen(order.listen.as_deref())?;
    let mut settings = config.settings()?;
    settings.request_log = log.of_requests(&config)?;
    if config.shows_password() {
        say(
            "the password of the database is on the command line, where other users can read it; put the URL into a file and \
             name that with --database-url-file, or set TAVERNKEEP_DATABASE_URL",
        );
    }
    let options = config.options(Access::Own)?;
    options.scripts.warm_up();
    let runtime = Runtime::open(options).await?;
    refuse_open_door(&runtime, &settings, &config).await?;
    if order.demo && runtime.seed_demo().await? {
        say("put a small conversation into the empty database: session `demo`");
    }
    let listener = TcpListener::bind(settings.listen).await.map_err(|error| {
        Failure::refused(format_args!(
            "cannot listen on {}: {error}; --listen chooses another address",
            settings.listen
        ))
    })?;
    settings.listen = listener.local_addr()?;
    let data = match config.database() {
        Database::Sqlite(folder) => format!("data in {}", folder.display()),
        Database::Postgres(_) => "data in PostgreSQL".to_owned(),
    };
    let address = settings.listen;
    say(format_args!(
        "tavernkeep {} listening on http://{address}{}, {data}",
        env!("CARGO_PKG_VERSION"),
        settings.base()
    ));
    let app = App::new(settings, runtime.clone()).await?;
    tavernkeep_server::serve(listener, app, stop_signal()?).await?;
    runtime.close().await;
    say("stopped; everything is stored");
    Ok(ExitCode::SUCCESS)
}

/// Beyond loopback any client can connect, so an API key must exist first.
async fn refuse_open_door(runtime: &Runtime, settings: &Settings, config: &Config) -> Result<(), Failure> {
    if settings.loopback() || runtime.keys_exist().await? {
        return Ok(());
    }
    let place = match config.database() {
        Database::Sqlite(folder) => format!("--data {}", folder.display()),
        Database::Postgres(_) => "--database-url …".to_owned(),
    };
    Err(Failure::usage(format_args!(
        "listening on {} lets other machines in, and there are no keys yet; make one with \
         `tavernkeep account key create --role admin {place}`, or listen on 127.0.0.1",
        settings.listen
    )))
}

/// Resolves when the process is asked to stop.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        say("stopping: running requests may finish");
    })
}
