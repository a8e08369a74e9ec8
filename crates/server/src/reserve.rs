//! Connections beyond the number that may be open, so that a server that is full can be looked at.
//!
//! They are few, and clients that say nothing could take all of them: when none is left, the one whose client has been waited
//! for the longest is closed for the next.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Connections of the reserve.
const CONNECTIONS: usize = 16;

/// How often it is looked for a connection that can be closed, while all have work.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// The connections of the reserve.
#[derive(Debug)]
pub(crate) struct Reserve {
    room: Arc<Semaphore>,
    /// The oldest first.
    open: Mutex<VecDeque<Arc<Parts>>>,
}

/// A place for one connection. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    reserve: Arc<Reserve>,
    parts: Arc<Parts>,
    _permit: OwnedSemaphorePermit,
}

/// What is known of a connection.
#[derive(Debug)]
struct Parts {
    /// Its socket once more, to look whether something has come that was not read yet.
    socket: OwnedFd,
    is_answering: AtomicBool,
    closed: Notify,
}

impl Reserve {
    pub(crate) fn new() -> Arc<Reserve> {
        Arc::new(Reserve { room: Arc::new(Semaphore::new(CONNECTIONS)), open: Mutex::default() })
    }

    /// Takes a place for a connection, if need be that of another.
    pub(crate) async fn take(self: &Arc<Self>, socket: impl AsFd) -> io::Result<Place> {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() {
                break permit;
            }
            if self.close_one() {
                break self.acquire().await?;
            }
            // All of them have work, or something to read: one of them will have ended or wait again soon.
            if let Ok(permit) = tokio::time::timeout(LOOK_INTERVAL, self.acquire()).await {
                break permit?;
            }
        };
        let socket = socket.as_fd().try_clone_to_owned()?;
        let parts = Arc::new(Parts { socket, is_answering: AtomicBool::new(false), closed: Notify::new() });
        self.open().push_back(Arc::clone(&parts));
        Ok(Place { reserve: Arc::clone(self), parts, _permit: permit })
    }

    /// Waits until all connections have ended.
    pub(crate) async fn ended(&self) {
        // It is never closed.
        let _ = self.room.acquire_many(u32::try_from(CONNECTIONS).unwrap_or(u32::MAX)).await;
    }

    async fn acquire(&self) -> io::Result<OwnedSemaphorePermit> {
        Arc::clone(&self.room).acquire_owned().await.map_err(io::Error::other)
    }

    /// Closes the oldest connection that waits for its client. False if there is none.
    fn close_one(&self) -> bool {
        let mut open = self.open();
        let waiting = open.iter().position(|parts| parts.waits_for_its_client());
        match waiting.and_then(|at| open.remove(at)) {
            Some(parts) => {
                parts.closed.notify_one();
                true
            }
            None => false,
        }
    }

    fn open(&self) -> MutexGuard<'_, VecDeque<Arc<Parts>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parts {
    /// Whether it is the client's turn: to send a head or a body, or to read a response. A client whose bytes have come and
    /// were not read yet has done its part.
    fn waits_for_its_client(&self) -> bool {
        !self.is_answering.load(Ordering::Acquire) && rustix::io::ioctl_fionread(&self.socket).unwrap_or(0) == 0
    }
}

impl Place {
    /// Runs the work on a request: the connection is not closed meanwhile.
    pub(crate) async fn answering<F: Future>(&self, work: F) -> F::Output {
        self.parts.is_answering.store(true, Ordering::Release);
        let output = work.await;
        self.parts.is_answering.store(false, Ordering::Release);
        output
    }

    /// Waits until the place is wanted for another connection.
    pub(crate) async fn closed(&self) {
        self.parts.closed.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.reserve.open().retain(|parts| !Arc::ptr_eq(parts, &self.parts));
    }
}
