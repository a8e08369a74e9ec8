//! How many bytes of request bodies and responses the server holds at the same time.
//!
//! Clients that send slowly, or do not read what they asked for, make the server keep bytes for them. What has arrived of a
//! body counts until the request is done, each large response until it is sent or its connection ends.

use crate::input::body::NoRoom;
use crate::output::reply::Embedded;
use axum::BoxError;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream, TryStreamExt as _};
use hyper::body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is counted is a multiple of this; less than one does not count.
const UNIT_BYTES: u64 = 64 * 1024;

/// About what a part of a stream has.
const PART_BYTES: u64 = 4 * 1024 * 1024;

/// The bytes that may still be held.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    free: Arc<Semaphore>,
    units: u32,
}

/// Bytes that are held as long as it lives; none for what is too small to count.
#[derive(Debug)]
pub(crate) struct Held(Option<OwnedSemaphorePermit>);

/// Bytes that are held as they become known, until the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Growing {
    budget: Budget,
    held: Arc<Mutex<(u64, Option<OwnedSemaphorePermit>)>>,
}

impl Growing {
    /// Holds so many bytes more. False if too many are held already, or if that were more than everything that may be held, unless
    /// they are one piece: what is larger than everything gets all of it. What was held before stays so.
    pub(crate) fn add(&self, bytes: usize) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (sum, permit) = &mut *held;
        let is_first = *sum == 0;
        *sum = sum.saturating_add(bytes as u64);
        let wanted = u32::try_from(*sum / UNIT_BYTES).unwrap_or(u32::MAX);
        if wanted > self.budget.units && !is_first {
            return false;
        }
        let wanted = wanted.min(self.budget.units);
        let has = permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = wanted.saturating_sub(u32::try_from(has).unwrap_or(u32::MAX));
        if more == 0 {
            return true;
        }
        let Ok(more) = Arc::clone(&self.budget.free).try_acquire_many_owned(more) else { return false };
        match permit {
            Some(permit) => permit.merge(more),
            None => *permit = Some(more),
        }
        true
    }

    /// Holds nothing any more.
    fn release(&self) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = (0, None);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Budget {
    /// Begins to hold bytes whose number is not known yet.
    pub(crate) fn grow(&self) -> Growing {
        Growing { budget: self.clone(), held: Arc::default() }
    }

    /// Counts the body of a request as it arrives: what a client announces and does not send takes no room from others. What
    /// was counted is held as long as the second value lives.
    pub(crate) fn receive(&self, request: Request) -> (Request, Growing) {
        let held = self.grow();
        if request.body().is_end_stream() {
            return (request, held);
        }
        let counted = held.clone();
        (request.map(|body| Body::new(Arriving { body, held: counted, is_refused: false })), held)
    }

    /// Counts the parts of a stream until each is sent. A part is made when there is room for one; a stream for whose next part
    /// there is none for so long ends.
    pub(crate) fn stream<S: Stream<Item = io::Result<Bytes>> + Send>(
        &self,
        parts: S,
        patience: Duration,
    ) -> impl Stream<Item = io::Result<Bytes>> + Send + use<S> {
        stream::try_unfold((self.clone(), Box::pin(parts)), move |(budget, mut parts)| async move {
            let held = tokio::time::timeout(patience, budget.wait(PART_BYTES)).await;
            let held = held.map_err(|_| io::Error::other(NoRoom))?;
            let Some(bytes) = parts.try_next().await? else { return Ok(None) };
            drop(held);
            Ok(Some((budget.count_what_fits(bytes), (budget, parts))))
        })
    }

    /// Counts bytes that are there already, as far as there is room, until the last of them is sent.
    pub(crate) fn count_what_fits(&self, bytes: Bytes) -> Bytes {
        match self.hold_what_fits(bytes.len() as u64) {
            Held(None) => bytes,
            held => Bytes::from_owner(Counted { bytes, _held: held }),
        }
    }

    /// Waits for room.
    async fn wait(&self, bytes: u64) -> Held {
        let units = u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).min(self.units);
        // It is never closed.
        Held(Arc::clone(&self.free).acquire_many_owned(units).await.ok())
    }

    pub(crate) fn new(bytes: u64) -> Budget {
        let units = u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).clamp(1, 1 << 24);
        Budget { free: Arc::new(Semaphore::new(units as usize)), units }
    }

    /// Holds so many bytes; none if too many are held already. What is larger than everything that may be held gets all of it.
    pub(crate) fn hold(&self, bytes: u64) -> Option<Held> {
        match u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).min(self.units) {
            0 => Some(Held(None)),
            units => Arc::clone(&self.free).try_acquire_many_owned(units).ok().map(|permit| Held(Some(permit))),
        }
    }

    /// Holds so many bytes, or what is left of them.
    fn hold_what_fits(&self, bytes: u64) -> Held {
        self.hold(bytes).unwrap_or_else(|| {
            let free = u32::try_from(self.free.available_permits()).unwrap_or(u32::MAX);
            Held(Arc::clone(&self.free).try_acquire_many_owned(free).ok())
        })
    }

    /// Counts a response until it is sent. Returns none if there is no room for it and it may be refused: the response to a
    /// write that has happened may not. One whose length is not known is a stream, which holds little at a time. What is part
    /// of the program takes no memory.
    pub(crate) async fn count(&self, response: Response, may_refuse: bool) -> Option<Response> {
        if response.extensions().get::<Embedded>().is_some() {
            return Some(response);
        }
        let length = response.body().size_hint().exact().unwrap_or(0);
        let held = if may_refuse { self.hold(length)? } else { self.hold_what_fits(length) };
        let held = match held {
            Held(None) => return Some(response),
            held => held,
        };
        let (head, body) = response.into_parts();
        // A body whose length is known is in memory already. HTTP drops a body as soon as it has its bytes, so the bytes
        // themselves have to be counted.
        let bytes = to_bytes(body, usize::MAX).await.ok()?;
        Some(Response::from_parts(head, Body::from(Bytes::from_owner(Counted { bytes, _held: held }))))
    }
}

/// Bytes that are counted until the last of them is sent.
struct Counted {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body that is counted as it arrives. When there is no room it fails once; what is read behind that is not counted.
struct Arriving {
    body: Body,
    held: Growing,
    is_refused: bool,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
        if !self.is_refused && !self.held.add(bytes) {
            self.is_refused = true;
            self.held.release();
            return Poll::Ready(Some(Err(NoRoom.into())));
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
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
    use http_body_util::BodyExt as _;

    #[test]
    fn what_grows_is_held_as_far_as_there_is_room() {
        let budget = Budget::new(4 * UNIT_BYTES);
        let unit = usize::try_from(UNIT_BYTES).unwrap();
        let (growing, other) = (budget.grow(), budget.grow());
        assert!(growing.add(unit / 2) && growing.add(unit / 2) && growing.add(2 * unit));
        assert!(other.add(unit) && !other.add(unit), "four units are held");
        drop(other);
        assert!(growing.add(unit) && !growing.add(unit), "more than everything");
        drop(growing);
        let growing = budget.grow();
        assert!(growing.add(100 * unit), "what is larger than everything by itself gets everything");
        assert_eq!(growing.bytes(), 100 * UNIT_BYTES);
        assert!(!growing.add(unit), "and no more");
        drop(growing);
        assert!(budget.hold(4 * UNIT_BYTES).is_some());
    }

    #[tokio::test]
    async fn a_body_is_held_as_it_arrives_and_not_once_it_is_refused() {
        let budget = Budget::new(4 * UNIT_BYTES);
        let chunk = || Ok::<_, BoxError>(Bytes::from(vec![b'x'; UNIT_BYTES as usize]));
        let body = Body::from_stream(stream::iter((0..6).map(move |_| chunk())));
        let (request, held) = budget.receive(Request::new(body));
        let other = budget.hold(2 * UNIT_BYTES).expect("nothing has arrived yet");
        let mut body = request.into_body();
        assert!(body.frame().await.is_some_and(|frame| frame.is_ok()));
        assert!(body.frame().await.is_some_and(|frame| frame.is_ok()));
        assert_eq!(held.bytes(), 2 * UNIT_BYTES);
        let refused = body.frame().await.and_then(Result::err).expect("no room");
        assert!(refused.into_inner().is::<NoRoom>());
        assert_eq!(held.bytes(), 0);
        let mut rest = 0;
        while let Some(frame) = body.frame().await {
            rest += usize::from(frame.is_ok());
        }
        assert_eq!(rest, 3, "the rest can be read and dropped");
        assert!(budget.hold(2 * UNIT_BYTES).is_some());
        drop(other);
    }

    #[tokio::test]
    async fn parts_of_a_stream_are_made_when_there_is_room_and_held_until_they_are_sent() {
        let budget = Budget::new(4 * UNIT_BYTES);
        let part = || Ok(Bytes::from(vec![b'x'; 3 * UNIT_BYTES as usize]));
        let parts = stream::iter((0..2).map(move |_| part()));
        let mut stream = std::pin::pin!(budget.stream(parts, Duration::ZERO));
        let first = stream.try_next().await.expect("a part").expect("the first");
        assert!(budget.hold(2 * UNIT_BYTES).is_none(), "it is held");
        drop(first);
        let others = budget.hold(UNIT_BYTES).expect("room");
        assert!(stream.try_next().await.is_err(), "no room for the next");
        drop(others);
        assert!(budget.hold(4 * UNIT_BYTES).is_some(), "nothing is left of it");
    }

    #[tokio::test]
    async fn bytes_are_held_until_they_are_sent() {
        let budget = Budget::new(4 * UNIT_BYTES);
        let most = budget.hold(3 * UNIT_BYTES).expect("there is room");
        assert!(budget.hold(2 * UNIT_BYTES).is_none(), "more than is left");
        assert!(budget.hold(UNIT_BYTES - 1).is_some(), "too little to count");
        let response = || Response::new(Body::from(vec![b'x'; 2 * UNIT_BYTES as usize]));
        assert!(budget.count(response(), true).await.is_none());
        let kept = budget.count(response(), false).await.expect("what has happened is answered");
        assert!(budget.hold(UNIT_BYTES).is_none(), "and holds what was left");
        drop((most, kept));
        let counted = budget.count(response(), true).await.expect("there is room again");
        // As HTTP does it: the body is gone, its bytes wait.
        let waiting = to_bytes(counted.into_body(), usize::MAX).await.expect("its bytes");
        assert!(budget.hold(3 * UNIT_BYTES).is_none(), "bytes count as long as they are there");
        drop(waiting);
        assert!(budget.hold(100 * UNIT_BYTES).is_some(), "what is larger than everything gets everything");
    }
}
