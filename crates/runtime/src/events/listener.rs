//! A listener: behind, reading the database, or live, reading the shared batches.

use super::batch::{Batch, Filter, Next, Picked};
use super::channel::{Channel, PAGE, SETTLING, Taken};
use super::{Shared, Subscription, is_passing};
use crate::record::{EventPosition, Stream};
use crate::{Refusal, RuntimeError, RuntimeResult};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tavernkeep_store::events::listening::{self, Beginning, EventPage};
use tokio::sync::watch;
use tokio::time::Instant;

/// Before the database is asked again after it could not be used.
const RETRY: Duration = Duration::from_secs(1);

/// A listener. Dropping it ends the subscription.
pub struct Listener {
    shared: Arc<Shared>,
    channel: Arc<Channel>,
    added: watch::Receiver<u64>,
    subscription: Subscription,
    stream: Stream,
    /// Everything up to here has been received, or was filtered out.
    place: EventPosition,
    /// The channel's next batch at a time before the place was found.
    mark: u64,
    state: State,
}

enum State {
    /// Has not begun; if its place is not settled, this is checked again after a while.
    Beginning { settled: bool, wait: Duration },
    /// Reads the database.
    Behind,
    /// Waits with that until then.
    Retrying(Instant),
    /// Takes the channel's batch with this number next.
    Live(u64),
    /// Has received the last event.
    Ended(Ending),
}

/// What a listener receives next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamItem {
    /// The stream begins, behind the listener's place. Comes first and once.
    Begun,
    /// Events, as they were rendered, one behind the other.
    Events(Bytes),
    /// Nothing until now.
    Quiet,
    /// Nothing any more.
    End(Ending),
}

/// Why nothing more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The session or the branch is gone.
    Deleted,
    /// The account is gone.
    AccountGone,
    /// The listener was so far behind that what comes next has been purged.
    Purged,
}

impl Listener {
    /// A listener at its beginning. `mark` is the channel's next batch at a time before that was found.
    pub(super) fn new(
        shared: Arc<Shared>,
        channel: Arc<Channel>,
        subscription: Subscription,
        beginning: &Beginning,
        mark: u64,
    ) -> Listener {
        let state = State::Beginning { settled: beginning.settled, wait: SETTLING };
        let added = channel.watch();
        let &Beginning { stream, place, .. } = beginning;
        Listener { shared, channel, added, subscription, stream, place, mark, state }
    }

    /// Up to which place nothing is missing: where another listener can go on.
    pub fn place(&self) -> EventPosition {
        self.place
    }

    /// Waits for what comes next, at most until `deadline`. A call that was given up loses nothing.
    pub async fn next(&mut self, deadline: Instant) -> StreamItem {
        loop {
            if let Some(item) = self.next_live(deadline).await {
                return item;
            }
            if let Some(item) = self.catch_up().await {
                return item;
            }
        }
    }

    /// The same, but none while the listener is behind: then [`catch_up`](Self::catch_up) brings a page of events into memory, for which
    /// the caller may have to make room.
    pub async fn next_live(&mut self, deadline: Instant) -> Option<StreamItem> {
        loop {
            match self.state {
                State::Ended(ending) => return Some(StreamItem::End(ending)),
                State::Beginning { settled: true, .. } => {
                    self.state = if self.subscription.after.is_some() { State::Behind } else { State::Live(self.mark) };
                    return Some(StreamItem::Begun);
                }
                State::Beginning { settled: false, wait } => {
                    tokio::time::sleep_until(deadline.min(Instant::now() + wait)).await;
                    let place = self.place;
                    let settled = self.shared.store.read_point(move |tx| listening::is_settled(tx, place)).await;
                    let settled = settled.unwrap_or(false);
                    self.state = State::Beginning { settled, wait: RETRY.min(wait * 2) };
                    if !settled && Instant::now() >= deadline {
                        return Some(StreamItem::Quiet);
                    }
                }
                State::Behind => return None,
                State::Retrying(at) if at > deadline => {
                    tokio::time::sleep_until(deadline).await;
                    return Some(StreamItem::Quiet);
                }
                State::Retrying(at) => {
                    tokio::time::sleep_until(at).await;
                    self.state = State::Behind;
                }
                State::Live(number) => {
                    // Seen before it is taken, so that what is added in between still wakes us.
                    self.added.mark_unchanged();
                    match self.channel.take(number) {
                        Taken::Batch(batch) => {
                            let text = self.take(&batch, State::Live(number + 1));
                            if !text.is_empty() {
                                return Some(StreamItem::Events(text));
                            }
                        }
                        Taken::Lost => {
                            self.shared.lags.fetch_add(1, Ordering::Relaxed);
                            self.state = State::Behind;
                        }
                        Taken::Closed => self.state = State::Ended(Ending::AccountGone),
                        Taken::NotYet => {
                            if tokio::time::timeout_at(deadline, self.added.changed()).await.is_err() {
                                return Some(StreamItem::Quiet);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Takes what is wanted out of a batch.
    fn take(&mut self, batch: &Batch, next: State) -> Bytes {
        let filter =
            Filter { stream: self.stream, session: self.subscription.session.as_ref(), kinds: self.subscription.kinds };
        let Picked { text, count, until, next: behind_it } = batch.pick(&filter, self.place);
        self.place = until;
        self.shared.delivered.fetch_add(count, Ordering::Relaxed);
        self.state = match behind_it {
            Next::More => next,
            Next::Ended => State::Ended(Ending::Deleted),
            Next::Reread => State::Behind,
        };
        text
    }

    /// Reads the next page behind the listener's place; none if it has nothing that is wanted.
    pub async fn catch_up(&mut self) -> Option<StreamItem> {
        let text = self.read_on().await;
        (!text.is_empty()).then_some(StreamItem::Events(text))
    }

    /// Reads the next page, or finds that the channel has everything.
    async fn read_on(&mut self) -> Bytes {
        if let (Stream::Account, Some(number)) = (self.stream, self.channel.covering(self.place)) {
            self.state = State::Live(number);
            return Bytes::new();
        }
        // Taken before the page is read: every event that the page does not have is in this batch or in one behind it.
        let mark = self.channel.mark();
        match self.read().await {
            Ok(EventPage { events, until, more, .. }) => {
                let after = if more { State::Behind } else { State::Live(mark) };
                let batch = Batch::new(&events, until, self.shared.render);
                // The database has decided already whose end it is.
                let ends = events.last().is_some_and(|event| self.stream.ends_with(event.kind));
                let text = self.take_page(&batch, after);
                if ends {
                    self.state = State::Ended(Ending::Deleted);
                }
                text
            }
            Err(RuntimeError::Refused(Refusal::EventsPurged { .. })) => self.end(Ending::Purged),
            Err(error) if is_passing(&error) => {
                tracing::debug!(%error, "a listener cannot catch up; trying again");
                self.state = State::Retrying(Instant::now() + RETRY);
                Bytes::new()
            }
            Err(_) => self.end(Ending::AccountGone),
        }
    }

    /// A page holds nothing but what the stream holds, so only the kinds are looked at.
    fn take_page(&mut self, batch: &Batch, next: State) -> Bytes {
        let filter = Filter { stream: Stream::Account, session: None, kinds: self.subscription.kinds };
        let picked = batch.pick(&filter, self.place);
        self.place = picked.until;
        self.shared.delivered.fetch_add(picked.count, Ordering::Relaxed);
        self.state = next;
        picked.text
    }

    fn end(&mut self, ending: Ending) -> Bytes {
        self.state = State::Ended(ending);
        Bytes::new()
    }

    async fn read(&self) -> RuntimeResult<EventPage> {
        self.shared.count_page();
        let (account, session) = (self.subscription.account.clone(), self.subscription.session.clone());
        let (stream, place) = (self.stream, self.place);
        let read = move |tx: &mut dyn tavernkeep_store::db::tx::Tx| {
            listening::next(tx, &account, stream, session.as_ref(), place, PAGE)
        };
        self.shared.store.read(read).await
    }
}
