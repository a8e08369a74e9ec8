//! The body of `/events`: events, heartbeats in between, and a comment at the end.

use crate::events::frames;
use crate::events::listeners::{CloseReason, Registration};
use crate::http::budget::Budget;
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;
use tavernkeep_engine::limits::EVENT_PAGE_BYTES_MAX;
use tavernkeep_runtime::events::{Ending, Listener, StreamItem};
use tavernkeep_runtime::record::EventPosition;
use tokio::time::Instant;

/// How long a client should wait before it connects again.
const RETRY: Duration = Duration::from_secs(1);

/// Before a listener that is behind asks again whether there is room for what it reads.
const ROOM_ASKED_EVERY: Duration = Duration::from_millis(250);

struct EventStream {
    listener: Listener,
    registration: Registration,
    budget: Budget,
    heartbeat: Duration,
    /// The last position that was sent.
    sent: EventPosition,
    ended: bool,
}

/// Streams a listener's events until the client or the listener ends.
pub(crate) fn body(listener: Listener, registration: Registration, budget: Budget, heartbeat: Duration) -> Body {
    let sent = listener.place();
    let events = EventStream { listener, registration, budget, heartbeat, sent, ended: false };
    Body::from_stream(stream::unfold(events, async |mut events| {
        let frame = events.next().await?;
        Some((Ok::<Bytes, Infallible>(frame), events))
    }))
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        self.registration.note_read();
        let deadline = Instant::now() + self.heartbeat;
        let (frame, ended) = tokio::select! {
            biased;
            close_reason = self.registration.closed() => (frames::closing_comment(reason(close_reason)), true),
            heard = hear(&mut self.listener, &self.budget, deadline) => match heard {
                StreamItem::Begun => (frames::ready(self.listener.place(), RETRY), false),
                // Until they are sent: a client that does not read makes the server keep them.
                StreamItem::Events(text) => (self.budget.count_what_fits(text), false),
                StreamItem::Quiet => (frames::heartbeat(Some(self.listener.place()).filter(|place| *place != self.sent)), false),
                StreamItem::End(ending) => (frames::closing_comment(cause(ending)), true),
            },
        };
        self.sent = self.listener.place();
        self.ended = ended;
        Some(frame)
    }
}

/// Waits for what a listener receives next. One that is behind reads on as soon as there is room.
async fn hear(listener: &mut Listener, budget: &Budget, deadline: Instant) -> StreamItem {
    loop {
        if let Some(item) = listener.next_live(deadline).await {
            return item;
        }
        let Some(_room) = budget.hold(EVENT_PAGE_BYTES_MAX as u64) else {
            if Instant::now() >= deadline {
                return StreamItem::Quiet;
            }
            tokio::time::sleep_until(deadline.min(Instant::now() + ROOM_ASKED_EVERY)).await;
            continue;
        };
        if let Some(item) = listener.catch_up().await {
            return item;
        }
    }
}

fn reason(close_reason: CloseReason) -> &'static str {
    match close_reason {
        CloseReason::Revoked => "the key is no longer valid",
        CloseReason::Closing => "the server is stopping; reconnect",
    }
}

fn cause(ending: Ending) -> &'static str {
    match ending {
        Ending::Deleted => "the session or branch was deleted",
        Ending::AccountGone => "the account was deleted",
        Ending::Purged => "the next events were purged before they were read; reload your data and reconnect",
    }
}
