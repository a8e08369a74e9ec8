//! Sessions that a piece of work has for itself, from write to write.
//!
//! A long change is prepared in parts and switched at a tick of the session's clock that it has read. If another request writes to the
//! session meanwhile, that tick is gone. So work that has failed in this way reserves the session and begins again: a write of others that
//! takes the session's clock stops ([`StoreError::Reserved`]), nothing of it is kept, and the store runs it again when the work has ended.
//! It waits without a connection and keeps no other session waiting, and until it runs it can be cancelled. Work that wants to reserve the
//! session waits in the same queue, so a write that has waited comes before the next reservation.
//!
//! A reservation counts in this process. A write of another process comes first, as without it.

use crate::db::queues::{QueueHead, QueueNumber, Queues};
use crate::db::tx::{ClockName, Tx, first};
use crate::db::work::AnyWrite;
use crate::error::{StoreError, StoreResult};
use crate::{params, sql};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tavernkeep_engine::id::Id;

#[derive(Debug, Default)]
pub struct Reservations {
    queues: Arc<Queues>,
    reserved: Arc<Reserved>,
}

/// The sessions that are reserved now. Who only waits in a queue keeps no write waiting.
#[derive(Debug, Default)]
struct Reserved(Mutex<HashSet<QueueNumber>>);

impl Reserved {
    fn lock(&self) -> MutexGuard<'_, HashSet<QueueNumber>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session is reserved for as long as this lives, also when the work panics or is cancelled.
struct Reservation<'a> {
    reserved: &'a Reserved,
    head: QueueHead,
}

impl<'a> Reservation<'a> {
    fn begin(reserved: &'a Reserved, head: QueueHead) -> Reservation<'a> {
        reserved.lock().insert(head.number);
        Reservation { reserved, head }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        // Before the head is dropped: the next one at it may reserve the session, too.
        self.reserved.lock().remove(&self.head.number);
    }
}

tokio::task_local! {
    /// The reservation of the work that the task does.
    static HELD: QueueNumber;
}

thread_local! {
    /// What the write that runs on this thread has to look at.
    static CURRENT: RefCell<Option<Respected>> = const { RefCell::new(None) };
}

#[derive(Clone)]
struct Respected {
    queues: Arc<Queues>,
    reserved: Arc<Reserved>,
    held: Option<QueueNumber>,
}

impl Reservations {
    /// Does work while the writes of others to a session wait, after the work that has reserved it before.
    pub async fn reserve<F: Future>(&self, account: &Id, session_row: i64, work: F) -> F::Output {
        let number = self.queues.number_of(ClockName::SessionRow(account, session_row));
        let head = self.queues.enter(number).await;
        let _reservation = head.map(|head| Reservation::begin(&self.reserved, head));
        HELD.scope(number, work).await
    }

    /// Waits until a reservation has ended. The next one begins when the returned head is dropped.
    pub async fn wait(&self, number: QueueNumber) -> Option<QueueHead> {
        self.queues.enter(number).await
    }

    /// A write that stops before sessions which others have reserved.
    pub fn respected_by(&self, work: AnyWrite) -> AnyWrite {
        let (queues, reserved) = (Arc::clone(&self.queues), Arc::clone(&self.reserved));
        let respected = Respected { queues, reserved, held: HELD.try_with(|number| *number).ok() };
        Arc::new(move |tx| {
            let _respecting = Respecting::set(respected.clone());
            work(tx)
        })
    }
}

/// Sets what the write looks at for as long as this lives, also when the write panics.
struct Respecting;

impl Respecting {
    fn set(respected: Respected) -> Respecting {
        CURRENT.set(Some(respected));
        Respecting
    }
}

impl Drop for Respecting {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// Stops the write that runs if others have reserved a session whose clock it is about to take.
pub fn respect(account: &Id, session_row: i64) -> StoreResult<()> {
    CURRENT.with_borrow(|current| {
        let Some(Respected { queues, reserved, held }) = current else { return Ok(()) };
        let reserved = reserved.lock();
        if reserved.is_empty() {
            return Ok(());
        }
        let number = queues.number_of(ClockName::SessionRow(account, session_row));
        match *held == Some(number) || !reserved.contains(&number) {
            true => Ok(()),
            false => Err(StoreError::Reserved(number)),
        }
    })
}

/// The same for a session that is known by its id.
pub fn respect_by_id(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<()> {
    if CURRENT.with_borrow(|current| current.as_ref().is_none_or(|current| current.reserved.lock().is_empty())) {
        return Ok(());
    }
    let sql = sql!("SELECT session_row FROM session WHERE account_id = ?1 AND id = ?2");
    let row = first(tx, sql, params![account, session], |row| row.int(0))?;
    row.map_or(Ok(()), |row| respect(account, row))
}

#[cfg(test)]
mod tests {
    use super::{Reservations, respect};
    use crate::db::sqlite::SqliteTx;
    use crate::db::work::any_write;
    use crate::error::{StoreError, StoreResult};
    use rusqlite::Connection;
    use std::task::{Context, Waker};
    use tavernkeep_engine::id::Id;

    fn run(reservations: &Reservations, session_row: i64) -> StoreResult<()> {
        let account: Id = "a".parse().unwrap();
        let work = reservations.respected_by(any_write(move |_| respect(&account, session_row)));
        let connection = Connection::open_in_memory().unwrap();
        work(&mut SqliteTx::writing(&connection, 1)).map(drop)
    }

    #[tokio::test]
    async fn others_stop_and_who_has_reserved_goes_on() {
        let (reservations, account) = (Reservations::default(), "a".parse().unwrap());
        let reserved = reservations.reserve(&account, 7, async {
            assert_eq!(run(&reservations, 7), Ok(()), "it is reserved for this work");
            let others =
                std::thread::scope(|scope| scope.spawn(|| [run(&reservations, 7), run(&reservations, 8)]).join());
            let [same, other] = others.unwrap();
            assert!(matches!(same, Err(StoreError::Reserved(_))), "{same:?}");
            assert_eq!(other, Ok(()), "other sessions are free");
            same
        });
        let Err(StoreError::Reserved(number)) = reserved.await else { unreachable!() };
        let waited = reservations.wait(number).await;
        assert_eq!(
            run(&reservations, 7),
            Ok(()),
            "the reservation has ended, and a write that has waited stops nobody"
        );
        let mut next = std::pin::pin!(reservations.reserve(&account, 7, async {}));
        let mut looking = Context::from_waker(Waker::noop());
        assert!(
            next.as_mut().poll(&mut looking).is_pending(),
            "the next reservation comes after the write that has waited"
        );
        drop(waited);
        next.await;
        assert_eq!(run(&reservations, 7), Ok(()));
        assert!(reservations.queues.are_empty(), "nothing is left of it");
    }
}
