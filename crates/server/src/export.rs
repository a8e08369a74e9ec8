//! An account as a stream of lines, one JSON object each: `{"kind": "session", "data": {…}}`.
//!
//! The store hands over one session at a time and cannot wait for a slow client, so a thread of its own does the waiting:
//! at most [`LINES_AHEAD`] lines are in memory besides the session at hand.

use crate::convert;
use crate::error::ApiError;
use crate::render;
use crate::reply::now_ms;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use serde::Serialize;
use std::io;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::{Item, Runtime, StoreError, StoreResult};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

const LINES_AHEAD: usize = 256;
/// How long the thread sleeps when the client does not keep up.
const PATIENCE: Duration = Duration::from_millis(5);

type Line = Result<Bytes, StoreError>;

/// Starts an export. What goes wrong before the first line is an error, what goes wrong later breaks the stream off.
pub(crate) async fn start(
    runtime: Runtime,
    account: Id,
) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + use<>, ApiError> {
    let (sender, mut lines) = channel::<Line>(LINES_AHEAD);
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let exported = handle.block_on(runtime.export_account(&account, |item| send(&sender, Ok(line(item)?))));
        if let Err(error) = exported {
            // A receiver that is gone is how we learn that the client is.
            let _ = send(&sender, Err(error));
        }
    });
    let first = lines.recv().await.transpose()?;
    Ok(stream::unfold((first.map(Ok), lines), next))
}

async fn next(
    (line, mut lines): (Option<io::Result<Bytes>>, Receiver<Line>),
) -> Option<(io::Result<Bytes>, (Option<io::Result<Bytes>>, Receiver<Line>))> {
    let line = line?;
    let following = match line {
        Ok(_) => lines.recv().await.map(|line| line.map_err(|error| io::Error::other(error.to_string()))),
        Err(_) => None,
    };
    Some((line, (following, lines)))
}

fn send(sender: &Sender<Line>, mut line: Line) -> StoreResult<()> {
    loop {
        match sender.try_send(line) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(unsent)) => line = unsent,
            Err(TrySendError::Closed(_)) => return Err(StoreError::Internal("the client went away".into())),
        }
        std::thread::sleep(PATIENCE);
    }
}

#[derive(Serialize)]
struct Kept<T> {
    kind: &'static str,
    data: T,
}

fn line(item: Item) -> StoreResult<Bytes> {
    let written = match item {
        Item::Session(session) => convert::session(session).map(|data| json("session", data)),
        Item::Branch(branch) => Ok(json("branch", convert::branch(branch))),
        Item::Floor(floor) => convert::floor(floor, now_ms()).map(|data| json("floor", data)),
        Item::Page(page) => convert::page(page, true).map(|data| json("page", data)),
        Item::Variable(variable) => {
            let mut out = b"{\"kind\":\"variable\",\"data\":".to_vec();
            render::variable(&mut out, &variable);
            out.push(b'}');
            Ok(Ok(out))
        }
    };
    let mut out = written
        .map_err(|error| error.to_string())
        .and_then(|text| text.map_err(|error| error.to_string()))
        .map_err(StoreError::Internal)?;
    out.push(b'\n');
    Ok(out.into())
}

fn json(kind: &'static str, data: impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Kept { kind, data })
}
