//! The body of `/events`: events, heartbeats in between, and a comment at the end.

use crate::events::frames;
use crate::events::listeners::{CloseReason, Registration};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;
use tavernkeep_runtime::events::{Ending, Listener, StreamItem};
use tavernkeep_runtime::record::EventPosition;
use tokio::time::Instant;

/// How long a client should wait before it connects again.
const RETRY: Duration = Duration::from_secs(1);

struct EventStream {
    listener: Listener,
    registration: Registration,
    heartbeat: Duration,
    /// The last position that was sent.
    sent: EventPosition,
    ended: bool,
}

/// Streams a listener's events until the client or the listener ends.
pub(crate) fn body(listener: Listener, registration: Registration, heartbeat: Duration) -> Body {
    let sent = listener.place();
    let events = EventStream { listener, registration, heartbeat, sent, ended: false };
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
            heard = self.listener.next(deadline) => match heard {
                StreamItem::Begun => (frames::ready(self.listener.place(), RETRY), false),
                StreamItem::Events(text) => (text, false),
                StreamItem::Quiet => (frames::heartbeat(Some(self.listener.place()).filter(|place| *place != self.sent)), false),
                StreamItem::End(ending) => (frames::closing_comment(cause(ending)), true),
            },
        };
        self.sent = self.listener.place();
        self.ended = ended;
        Some(frame)
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
