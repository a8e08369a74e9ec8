//! The body of `/events`: what a listener hears, with signs of life in between and last words at the end.

use crate::events::frames;
use crate::events::listeners::{Dismissal, Ticket};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;
use tavernkeep_runtime::events::{Ending, Heard, Listener};
use tavernkeep_runtime::record::EventPosition;
use tokio::time::Instant;

/// How long a client should wait before it connects again.
const RETRY: Duration = Duration::from_secs(1);

struct EventStream {
    listener: Listener,
    ticket: Ticket,
    heartbeat: Duration,
    /// The last place that the client knows.
    told: EventPosition,
    over: bool,
}

/// Hands a listener's events to a client until one of them has enough.
pub(crate) fn body(listener: Listener, ticket: Ticket, heartbeat: Duration) -> Body {
    let told = listener.place();
    let events = EventStream { listener, ticket, heartbeat, told, over: false };
    Body::from_stream(stream::unfold(events, async |mut events| {
        let frame = events.next().await?;
        Some((Ok::<Bytes, Infallible>(frame), events))
    }))
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        self.ticket.asked();
        let deadline = Instant::now() + self.heartbeat;
        let (frame, over) = tokio::select! {
            biased;
            dismissal = self.ticket.dismissed() => (frames::farewell(reason(dismissal)), true),
            heard = self.listener.next(deadline) => match heard {
                Heard::Begun => (frames::ready(self.listener.place(), RETRY), false),
                Heard::Events(text) => (text, false),
                Heard::Quiet => (frames::alive(Some(self.listener.place()).filter(|place| *place != self.told)), false),
                Heard::End(ending) => (frames::farewell(cause(ending)), true),
            },
        };
        self.told = self.listener.place();
        self.over = over;
        Some(frame)
    }
}

fn reason(dismissal: Dismissal) -> &'static str {
    match dismissal {
        Dismissal::Revoked => "the key does not open this account any more",
        Dismissal::Closing => "the server stops; connect again",
    }
}

fn cause(ending: Ending) -> &'static str {
    match ending {
        Ending::Deleted => "what was listened to is deleted; nothing more will come",
        Ending::AccountGone => "the account is deleted",
        Ending::Purged => "too slow: the events that come next have been purged; read what you need anew",
    }
}
