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
const RATE_MIN: u64 = 1024;

/// How long a client may go on sending a body that nobody reads after its response was sent.
const DISCARD_MAX: Duration = Duration::from_secs(2);

/// A stream that fails when the other end reads too slowly: whatever waits to be sent must be taken within `patience`, or at
/// least [`RATE_MIN`] bytes of it for each second.
pub(crate) struct Impatient<S> {
    stream: S,
    patience: Duration,
    /// Since the other end has taken nothing.
    stalled: Option<Stall>,
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

struct Stall {
    end: Pin<Box<Sleep>>,
    taken: u64,
}

impl<S> Impatient<S> {
    pub(crate) fn new(stream: S, patience: Duration, closing: Closing) -> Impatient<S> {
        Impatient { stream, patience, stalled: None, closing, discarding: None }
    }

    /// Looks at what a write came to.
    fn judge(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let enough = self.patience.as_secs().max(1) * RATE_MIN;
        match written {
            Poll::Ready(Ok(bytes)) => {
                if let Some(stall) = &mut self.stalled {
                    stall.taken = stall.taken.saturating_add(bytes as u64);
                    if stall.taken >= enough {
                        self.stalled = None;
                    }
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => {
                let end = Instant::now() + self.patience;
                let stall = self
                    .stalled
                    .get_or_insert_with(|| Stall { end: Box::pin(tokio::time::sleep_until(end)), taken: 0 });
                match stall.end.as_mut().poll(context) {
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

    /// HTTP flushes when all that it had was written, so nothing waits any more.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stalled = None;
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
