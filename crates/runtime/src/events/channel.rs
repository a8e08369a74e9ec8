//! One account's newest events in memory, read once for all who listen.

use super::batch::Batch;
use super::{Shared, hold, is_passing};
use crate::record::{EventPosition, Stream};
use crate::{Refusal, RuntimeError, RuntimeResult};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{EVENT_PAGE_BYTES_MAX, EVENT_PAGE_MAX, EVENTS_KEPT_BYTES_MAX};
use tavernkeep_store::events;
use tavernkeep_store::events::listening::{self, EventPage, PageMax};
use tokio::sync::{OnceCell, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How long the reader waits without a wake-up: they are only a hint.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long it waits when something is there that must not be sent yet.
pub(super) const SETTLING: Duration = Duration::from_millis(10);
/// Between two reads under load: what happens meanwhile is read, written and sent together.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) const PAGE: PageMax = PageMax { events: EVENT_PAGE_MAX, bytes: EVENT_PAGE_BYTES_MAX };

pub(super) struct Channel {
    account: Id,
    ring: Mutex<Ring>,
    /// The number of the next batch; changes when one was added.
    added: watch::Sender<u64>,
    reader: OnceCell<AbortHandle>,
}

/// Invariant: the batches are gapless, and the last one ends where the reader is.
struct Ring {
    batches: VecDeque<Arc<Batch>>,
    bytes: usize,
    /// The number of the first batch that is kept.
    first: u64,
    /// Up to this place events are not in the ring.
    floor: EventPosition,
    /// Set when nothing will be added any more: the account is gone.
    closed: bool,
}

/// What a listener finds at a number.
pub(super) enum Taken {
    Batch(Arc<Batch>),
    /// It will be added later.
    NotYet,
    /// It is no longer kept.
    Lost,
    /// There will be nothing more.
    Closed,
}

impl Channel {
    pub(super) fn new(account: Id) -> Channel {
        let floor = EventPosition { position: 0, ordinal: 0 };
        let ring = Ring { batches: VecDeque::new(), bytes: 0, first: 0, floor, closed: false };
        Channel { account, ring: Mutex::new(ring), added: watch::Sender::new(0), reader: OnceCell::new() }
    }

    /// Starts the reader, once. When this returns, every later event will be added.
    pub(super) async fn started(self: &Arc<Self>, shared: &Arc<Shared>) -> RuntimeResult<()> {
        let start = async || {
            let follower = shared.store.follow(&self.account);
            let account = self.account.clone();
            let place = shared.store.read_point(move |tx| events::end(tx, &account)).await?;
            hold(&self.ring).floor = place;
            let reader = Reader { channel: Arc::downgrade(self), shared: Arc::downgrade(shared), place };
            let mut readers = hold(&shared.readers);
            // Those that have ended are forgotten.
            while readers.try_join_next().is_some() {}
            Ok::<_, RuntimeError>(readers.spawn(reader.run(self.account.clone(), follower)))
        };
        self.reader.get_or_try_init(start).await.map(drop)
    }

    /// The number of the batch that will be added next.
    pub(super) fn mark(&self) -> u64 {
        let ring = hold(&self.ring);
        ring.first + ring.batches.len() as u64
    }

    /// The number of a kept batch from which on nothing behind `place` is missing.
    pub(super) fn covering(&self, place: EventPosition) -> Option<u64> {
        let ring = hold(&self.ring);
        (place >= ring.floor).then(|| {
            let behind = ring.batches.iter().take_while(|batch| batch.end <= place).count();
            ring.first + behind as u64
        })
    }

    pub(super) fn take(&self, number: u64) -> Taken {
        let ring = hold(&self.ring);
        let Some(index) = number.checked_sub(ring.first) else { return Taken::Lost };
        match usize::try_from(index).ok().and_then(|index| ring.batches.get(index)) {
            Some(batch) => Taken::Batch(Arc::clone(batch)),
            None if ring.closed => Taken::Closed,
            None => Taken::NotYet,
        }
    }

    /// Hears when a batch was added.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.added.subscribe()
    }

    fn add(&self, batch: Batch) {
        let mut ring = hold(&self.ring);
        ring.bytes += batch.bytes();
        ring.batches.push_back(Arc::new(batch));
        while ring.bytes > EVENTS_KEPT_BYTES_MAX && ring.batches.len() > 1 {
            let Some(oldest) = ring.batches.pop_front() else { break };
            ring.bytes -= oldest.bytes();
            ring.first += 1;
            ring.floor = oldest.end;
        }
        let next = ring.first + ring.batches.len() as u64;
        drop(ring);
        self.added.send_replace(next);
    }

    /// Forgets everything: what comes next does not follow what is kept. Every listener falls behind and looks itself.
    fn restart(&self, place: EventPosition) {
        let mut ring = hold(&self.ring);
        ring.first += ring.batches.len() as u64 + 1;
        ring.batches.clear();
        ring.bytes = 0;
        ring.floor = place;
        let next = ring.first;
        drop(ring);
        self.added.send_replace(next);
    }

    fn end(&self) {
        hold(&self.ring).closed = true;
        self.added.send_modify(|_| {});
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // There are no listeners any more.
        if let Some(reader) = self.reader.get() {
            reader.abort();
        }
    }
}

struct Reader {
    channel: Weak<Channel>,
    shared: Weak<Shared>,
    place: EventPosition,
}

impl Reader {
    async fn run(mut self, account: Id, mut follower: tavernkeep_store::Follower) {
        loop {
            let started = Instant::now();
            let Some(read) = self.read(&account).await else { return };
            let Some(channel) = self.channel.upgrade() else { return };
            let patience = match read {
                Ok(page) => self.publish(&channel, &page),
                Err(RuntimeError::Refused(Refusal::EventsPurged { purged })) => {
                    self.place = EventPosition { position: purged, ordinal: i64::MAX };
                    channel.restart(self.place);
                    Duration::ZERO
                }
                Err(error) if is_passing(&error) => {
                    tracing::warn!(%error, %account, "events cannot be read; trying again");
                    PATIENCE
                }
                Err(_) => return channel.end(),
            };
            // While it waits, only the listeners keep the channel.
            drop(channel);
            follower.wait(patience).await;
            tokio::time::sleep_until(started + PAUSE).await;
        }
    }

    async fn read(&self, account: &Id) -> Option<RuntimeResult<EventPage>> {
        let shared = self.shared.upgrade()?;
        shared.count_page();
        let (account, place) = (account.clone(), self.place);
        Some(shared.store.read(move |tx| listening::next(tx, &account, Stream::Account, None, place, PAGE)).await)
    }

    /// Adds what was read, and says how long to wait before the next look.
    fn publish(&mut self, channel: &Channel, page: &EventPage) -> Duration {
        if let (Some(last), Some(shared)) = (page.events.last(), self.shared.upgrade()) {
            self.place = last.place;
            channel.add(Batch::new(&page.events, self.place, shared.render));
        }
        match page {
            EventPage { more: true, .. } => Duration::ZERO,
            EventPage { unsettled: true, .. } => SETTLING,
            _ => PATIENCE,
        }
    }
}
