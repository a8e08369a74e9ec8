//! What one connection may do: how slowly its client may read, and what is said when it will be closed.

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The bytes a second that a client has to read at least while a response waits for it.
const RATE_MIN: u64 = 64 * 1024;

/// How long a client may go on sending a body that nobody reads after its response was sent.
const DISCARD_MAX: Duration = Duration::from_secs(2);

/// A stream that fails when the other end reads too slowly: whatever waits to be sent must be taken within `patience` and a
/// second for each [`RATE_MIN`] bytes of it.
pub(crate) struct Impatient<S> {
    stream: S,
    patience: Duration,
    lag: Lag,
    /// When the patience ends; there while the other end takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    closing: Closing,
    /// When discarding ends; there once the stream is being closed.
    discarding: Option<Pin<Box<Sleep>>>,
}

/// How a connection is closed. Its service decides, its stream does it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Closing(Arc<AtomicBool>);

impl Closing {
    /// The client may still be sending. If the socket were closed now, the system would answer with a reset, and the client
    /// would lose the response that it has not read yet: what comes is read and discarded for a while first.
    pub(crate) fn discard_first(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// How far the other end is behind: how long bytes have waited for it, less the time that it had for those it took. Neither the
/// end of a response nor that of a part of a stream changes it, only what is taken, so that a new part does not
/// begin with a new patience. While nothing waits, as between two events of a listener, no time counts.
#[derive(Debug, Default)]
struct Lag {
    behind: Duration,
    waiting_since: Option<Instant>,
}

impl Lag {
    /// Bytes wait. Returns when they have waited for too long.
    fn wait(&mut self, now: Instant, patience: Duration) -> Instant {
        *self.waiting_since.get_or_insert(now) + patience.saturating_sub(self.behind)
    }

    /// Bytes were taken.
    fn take(&mut self, now: Instant, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.behind = self.behind.saturating_add(now.saturating_duration_since(since));
        }
        let allowed = Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / RATE_MIN);
        self.behind = self.behind.saturating_sub(allowed);
    }
}

impl<S> Impatient<S> {
    pub(crate) fn new(stream: S, patience: Duration, closing: Closing) -> Impatient<S> {
        Impatient { stream, patience, lag: Lag::default(), stalled: None, closing, discarding: None }
    }

    /// Looks at what a write came to.
    fn judge(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.stalled = None;
                self.lag.take(Instant::now(), bytes);
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => {
                let end = self.lag.wait(Instant::now(), self.patience);
                let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
                match stalled.as_mut().poll(context) {
                    Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.discarding.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            if !self.closing.0.load(Ordering::Acquire) {
                return Poll::Ready(Ok(()));
            }
            self.discarding = Some(Box::pin(tokio::time::sleep(DISCARD_MAX)));
        }
        self.poll_discard(context).map(Ok)
    }
}

impl<S: AsyncRead + Unpin> Impatient<S> {
    /// Reads to the end of what the client sends, or until it took too long.
    fn poll_discard(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.discarding.as_mut().is_none_or(|end| end.as_mut().poll(context).is_ready()) {
            return Poll::Ready(());
        }
        let mut bytes = [MaybeUninit::uninit(); 16 * 1024];
        loop {
            let mut buffer = ReadBuf::uninit(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

/// Whether the body of a request was read to its end. If not, the connection cannot be used for another request.
#[derive(Debug, Clone)]
pub(crate) struct WasRead(Arc<AtomicBool>);

impl WasRead {
    /// A body that notes when it was read.
    pub(crate) fn watch(body: Incoming) -> (Body, WasRead) {
        let was_read = WasRead(Arc::new(AtomicBool::new(body.is_end_stream())));
        (Body::new(Watched { body, was_read: was_read.clone() }), was_read)
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

struct Watched {
    body: Incoming,
    was_read: WasRead,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.was_read.0.store(true, Ordering::Release);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(90);

    /// How long a client may be read to that takes so many bytes each second, and whether it got all of them.
    fn read_to_end(bytes: usize, rate: usize, parts: usize) -> (Duration, bool) {
        let start = Instant::now();
        let (mut lag, mut now, mut taken) = (Lag::default(), start, 0);
        while taken < bytes {
            let end = lag.wait(now, PATIENCE);
            now += Duration::from_secs(1);
            if now > end {
                return (now - start, false);
            }
            // A part ends, and is flushed, whenever so much of it was taken.
            for _ in 0..parts {
                lag.take(now, rate / parts);
            }
            taken += rate;
        }
        (now - start, true)
    }

    #[test]
    fn a_response_has_the_patience_and_the_time_for_its_bytes() {
        const MB: usize = 1_000_000;
        let seconds = |bytes: usize, rate: usize, parts: usize| {
            let (time, is_whole) = read_to_end(bytes, rate, parts);
            (time.as_secs(), is_whole)
        };
        assert_eq!(seconds(30 * MB, 1024, 1), (92, false), "it used to be eight hours");
        assert_eq!(seconds(30 * MB, 1024, 16), (92, false), "however many parts it comes in");
        assert_eq!(seconds(30 * MB, 100_000, 1), (300, true));
        assert_eq!(seconds(3 * MB, 40_000, 1), (75, true), "slow, but soon done");
        let (time, is_whole) = read_to_end(300 * MB, 60_000, 1);
        assert!(!is_whole && time < PATIENCE + Duration::from_secs(300 * MB as u64 / RATE_MIN), "{time:?}");
    }

    #[test]
    fn a_listener_that_waits_for_events_is_not_behind() {
        let (mut lag, start) = (Lag::default(), Instant::now());
        for hour in 1..100 {
            let now = start + Duration::from_secs(3600 * hour);
            lag.take(now, 100);
            assert_eq!(lag.behind, Duration::ZERO);
        }
    }
}
