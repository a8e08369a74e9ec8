//! The server on a real socket: it answers, and it ends in order.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use std::time::Duration;
use tavernkeep_runtime::{Database, Options, Runtime};
use tavernkeep_server::{App, Settings, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_and_stops_within_its_time_with_the_store_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let settings = Settings { shutdown_timeout: Duration::from_millis(200), ..Settings::default() };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = App::new(settings, runtime.clone()).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, app, async move { drop(stopped.await) }));

    // One client that asks, and one that announces a body and never sends it.
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = [0; 15];
    client.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"PUT /variables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{").await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;

    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(5), server).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
    // The folder's lock is free again only if nobody holds the store any more.
    runtime.close().await;
    Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap().close().await;
}
