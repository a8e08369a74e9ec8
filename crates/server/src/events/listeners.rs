//! Who listens at the moment: how many of each account, whether they still may, and whether they take what they get.

use crate::app::App;
use crate::error::ApiError;
use crate::http::auth::Who;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::id::Id;
use tokio::sync::{Notify, watch};

/// How often everybody is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// A connection that can be cut from outside of its requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line(pub Arc<Notify>);

/// Why a listener must go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dismissal {
    /// The key does not open the account any more.
    Revoked,
    /// The server stops.
    Closing,
}

/// All listeners of a server.
#[derive(Debug)]
pub(crate) struct Listeners {
    all: Mutex<All>,
    started: Instant,
}

#[derive(Debug, Default)]
struct All {
    seats: HashMap<u64, Arc<Seat>>,
    of_account: HashMap<Id, usize>,
    next: u64,
    closing: bool,
}

/// What is known about one listener.
#[derive(Debug)]
struct Seat {
    who: Who,
    line: Option<Line>,
    dismissal: watch::Sender<Option<Dismissal>>,
    /// When the connection last asked for something to send, in milliseconds after the start.
    asked_ms: AtomicU64,
}

/// A listener's place among the others; given up when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    app: App,
    number: u64,
    seat: Arc<Seat>,
    dismissed: watch::Receiver<Option<Dismissal>>,
}

impl Listeners {
    pub(crate) fn new() -> Listeners {
        Listeners { all: Mutex::default(), started: Instant::now() }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.all().seats.len()
    }

    /// Dismisses everybody, now and later.
    pub(crate) fn close(&self) {
        let mut all = self.all();
        all.closing = true;
        for seat in all.seats.values() {
            seat.dismissal.send_replace(Some(Dismissal::Closing));
        }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Ticket {
    /// Takes a place, if the account has one left.
    pub(crate) fn take(app: &App, who: &Who, line: Option<Line>) -> Result<Ticket, ApiError> {
        let max = app.settings.listeners_max;
        let mut all = app.listeners.all();
        let count = all.of_account.entry(who.account().clone()).or_default();
        if *count >= max {
            let message =
                format!("{max} listeners of the account are connected already; end one, or raise listeners_max");
            return Err(ApiError::new(ErrorCode::QuotaExceeded, message));
        }
        *count += 1;
        let number = all.next;
        all.next += 1;
        let dismissal = watch::Sender::new(all.closing.then_some(Dismissal::Closing));
        let dismissed = dismissal.subscribe();
        let asked_ms = AtomicU64::new(app.listeners.now_ms());
        let seat = Arc::new(Seat { who: who.clone(), line, dismissal, asked_ms });
        all.seats.insert(number, Arc::clone(&seat));
        drop(all);
        Ok(Ticket { app: app.clone(), number, seat, dismissed })
    }

    /// Notes that the connection takes more.
    pub(crate) fn asked(&self) {
        self.seat.asked_ms.store(self.app.listeners.now_ms(), Ordering::Relaxed);
    }

    /// Waits until the listener must go.
    pub(crate) async fn dismissed(&mut self) -> Dismissal {
        match self.dismissed.wait_for(Option::is_some).await {
            Ok(reason) => reason.unwrap_or(Dismissal::Closing),
            Err(_) => Dismissal::Closing,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut all = self.app.listeners.all();
        all.seats.remove(&self.number);
        let account = self.seat.who.account();
        if let Some(count) = all.of_account.get_mut(account) {
            *count -= 1;
            if *count == 0 {
                all.of_account.remove(account);
            }
        }
    }
}

/// Looks after the listeners until the server stops.
pub(crate) async fn look_after(app: App) {
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let seats: Vec<Arc<Seat>> = app.listeners.all().seats.values().cloned().collect();
        cut_stalled(&app, &seats);
        dismiss_strangers(&app, &seats).await;
    }
}

/// A client that takes nothing for long is let go: it would keep its place for nothing.
fn cut_stalled(app: &App, seats: &[Arc<Seat>]) {
    let patience = app.settings.heartbeat + app.settings.listener_stall;
    let patience_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    let now = app.listeners.now_ms();
    for seat in seats {
        let silent = now.saturating_sub(seat.asked_ms.load(Ordering::Relaxed)) > patience_ms;
        if let (true, Some(Line(line))) = (silent, &seat.line) {
            tracing::info!(account = %seat.who.account(), "a listener takes nothing and is cut off");
            line.notify_one();
        }
    }
}

/// Dismisses those whose key opens nothing any more. Each key is looked up once, however many listen with it.
async fn dismiss_strangers(app: &App, seats: &[Arc<Seat>]) {
    let mut known: HashMap<(&Id, Option<&Id>), bool> = HashMap::new();
    for seat in seats {
        let key = (seat.who.account(), seat.who.0.key.as_ref());
        let welcome = match known.get(&key) {
            Some(welcome) => *welcome,
            // Trouble with the database is no reason to send anybody away.
            None => app.auth.is_welcome(&app.runtime, &seat.who).await.unwrap_or(true),
        };
        known.insert(key, welcome);
        if !welcome {
            seat.dismissal.send_replace(Some(Dismissal::Revoked));
        }
    }
}
