//! Accepts connections and ends them in order.

use crate::app::App;
use crate::connection::{Closing, Impatient, WasRead};
use crate::events::listeners::{self, Connection};
use crate::gate::{Peer, Reserved};
use crate::reserve::Reserve;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::HEAD_BYTES_MAX;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::Service as _;

/// How long to wait when the system has no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The system doubles it.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// More than any system has descriptors for.
const CONNECTIONS_MAX: u32 = 1 << 20;

/// Serves until `shutdown` is ready; then accepts nothing more and lets running requests finish within the time that the
/// settings give them.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let router = crate::router(&app);
    let graceful = GracefulShutdown::new();
    let connections_max = u32::try_from(app.settings.connections_max).unwrap_or(u32::MAX).clamp(1, CONNECTIONS_MAX);
    let room = Arc::new(Semaphore::new(connections_max as usize));
    let reserve = Reserve::new();
    let cut = watch::Sender::new(false);
    let leases = tokio::spawn(fail_leases(app.clone()));
    let upkeep = tokio::spawn(crate::upkeep::run(app.clone()));
    let listeners = tokio::spawn(look_after_listeners(app.clone()));
    let mut http = http1::Builder::new();
    // Slow heads would hold connections for free. `pipeline_flush` stays off: with it, hyper takes a stream as fast as it
    // comes and keeps in memory whatever the client does not read.
    http.timer(TokioTimer::new()).header_read_timeout(app.settings.header_timeout).max_buf_size(HEAD_BYTES_MAX);
    let mut shutdown = std::pin::pin!(shutdown);
    tracing::info!(address = %listener.local_addr()?, "serving");

    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    pause_after(&error).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        // Whether the server is full is known only now: it may have waited long for this one.
        let (permit, place) = tokio::select! {
            biased;
            permit = Arc::clone(&room).acquire_owned() => (Some(permit.map_err(io::Error::other)?), None),
            place = reserve.take(&stream) => match place {
                Ok(place) => (None, Some(Arc::new(place))),
                Err(error) => {
                    pause_after(&error).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        let of_reserve = place.clone();
        let router = router.clone();
        let peer = Peer(peer.ip().to_canonical());
        let line = Connection::default();
        let Connection(cut_line) = line.clone();
        let closing = Closing::default();
        let stream = Impatient::new(prepared(stream), app.settings.write_timeout, closing.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (head, body) = request.into_parts();
            let (body, was_read) = WasRead::watch(body);
            let mut request = Request::from_parts(head, body);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(line.clone());
            if place.is_some() {
                request.extensions_mut().insert(Reserved);
            }
            let response = router.clone().call(request);
            let (closing, place) = (closing.clone(), place.clone());
            async move {
                let mut response = match &place {
                    Some(place) => place.answering(response).await,
                    None => response.await,
                }?;
                let was_read = was_read.get();
                if !was_read {
                    closing.discard_first();
                }
                if !was_read || place.is_some() {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, std::convert::Infallible>(response)
            }
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        let mut cut = cut.subscribe();
        tokio::spawn(async move {
            let wanted_by_another = async {
                match &of_reserve {
                    Some(place) => place.closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // What has been answered is sent before anything else is looked at.
                biased;
                // Broken connections are normal.
                ended = connection => if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended");
                },
                _ = cut.wait_for(|cut| *cut) => {}
                () = cut_line.notified() => {}
                () = wanted_by_another => {}
            }
            drop((permit, of_reserve));
        });
    }

    drop(listener);
    for task in [leases, upkeep, listeners] {
        task.abort();
        // Aborted is how it ends.
        let _ = task.await;
    }
    // Event streams never end by themselves; their clients reconnect.
    app.listeners.close();
    tracing::info!("stopping: no new connections, waiting for running requests");
    if tokio::time::timeout(app.settings.shutdown_timeout, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time; their connections are closed");
    }
    app.pending.finish(app.settings.shutdown_timeout).await;
    // The store can be closed only by its last user, so every connection has to end first.
    cut.send_replace(true);
    let _ = room.acquire_many(connections_max).await;
    reserve.ended().await;
    app.hub.close().await;
    Ok(())
}

fn prepared(stream: TcpStream) -> TcpStream {
    // Responses are written whole, so waiting for more to send only costs time. If it fails, it is only slower.
    let _ = stream.set_nodelay(true);
    // The system says that a client has read something only when a third of this is free. With a large buffer a slow client
    // would look like one that reads nothing.
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES);
    stream
}

async fn pause_after(error: &io::Error) {
    let of_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    );
    if !of_client {
        tracing::error!(%error, "cannot accept a connection");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

/// Fails floors whose lease ended, in the background: reads never write.
async fn fail_leases(app: App) {
    let mut ticks = crate::upkeep::every(app.settings.lease_interval);
    loop {
        ticks.tick().await;
        match app.runtime.fail_expired_leases().await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "floors failed because their lease ended"),
            Err(error) => tracing::warn!(%error, "cannot fail floors whose lease ended"),
        }
    }
}

async fn look_after_listeners(app: App) {
    let patience = app.settings.heartbeat + app.settings.listener_stall;
    listeners::look_after(&app.listeners, patience, &app.auth, &app.runtime).await;
}
