//! Public ids: UUID v7, and those that one process makes sort in the order in which it made them; snapshots have v4.

use crate::{RuntimeError, RuntimeResult};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tavernkeep_engine::id::Id;

/// Behind its time an id has twelve bits that are sorted by next: the part of the millisecond.
const PARTS_OF_A_MILLISECOND: u64 = 1 << 12;

/// The moment that was given out last, in parts of a millisecond. A list that is sorted by time needs something to go by
/// within one millisecond, and what was made first comes first.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Random bytes of one id.
const RANDOM: usize = 10;

/// A fresh public id.
pub(crate) fn new_id() -> RuntimeResult<Id> {
    new_ids(1)?.pop().ok_or_else(|| RuntimeError::Bug("no id was made".into()))
}

/// Fresh public ids. The random parts come from the system in one call.
pub(crate) fn new_ids(count: usize) -> RuntimeResult<Vec<Id>> {
    let mut random = vec![[0_u8; RANDOM]; count];
    random_for_ids(random.as_flattened_mut())?;
    let first = moments(count as u64);
    random.iter().zip(first..).map(|(random, moment)| id_of(moment, *random)).collect()
}

/// A fresh id for a snapshot: UUID v4, since it reveals neither when nor where it was made.
pub(crate) fn new_snapshot_id() -> RuntimeResult<Id> {
    let mut random = [0; 16];
    random_for_ids(&mut random)?;
    snapshot_id_of(random)
}

/// A fresh id that nobody can guess.
pub fn random_id() -> RuntimeResult<Id> {
    new_snapshot_id()
}

/// The same from bytes that are as good as random.
pub(crate) fn snapshot_id_of(random: [u8; 16]) -> RuntimeResult<Id> {
    let text = uuid::Builder::from_random_bytes(random).into_uuid().to_string();
    text.parse().map_err(|error| RuntimeError::Bug(format!("{text}: {error}")))
}

/// Where a write that cannot say how many ids it needs gets them from: the same ones each time it is run.
pub(crate) struct IdSeed {
    moment: u64,
    random: [u8; RANDOM],
}

impl IdSeed {
    pub(crate) fn new() -> RuntimeResult<IdSeed> {
        let mut random = [0; RANDOM];
        random_for_ids(&mut random)?;
        Ok(IdSeed { moment: moments(1), random })
    }

    /// Ids that sort in the order they are taken.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        (0..IDS_OF_A_SEED_MAX).filter_map(|number| {
            let [_, high, middle, low] = number.to_be_bytes();
            let mut random = self.random;
            // The bits that follow the moment; the top two of the first byte are the standard's own.
            [random[2], random[3], random[4]] = [high, middle, low];
            id_of(self.moment, random).ok()
        })
    }
}

/// As many as the counting bits of an id can distinguish.
const IDS_OF_A_SEED_MAX: u32 = 1 << 22;

/// The first of so many moments that no other caller in this process gets: now, or right after the last one.
fn moments(count: u64) -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(since.as_millis()).unwrap_or(0);
    let now = millis * PARTS_OF_A_MILLISECOND
        + u64::from(since.subsec_nanos() % 1_000_000) * PARTS_OF_A_MILLISECOND / 1_000_000;
    let after = |last: u64| now.max(last + 1);
    let mut last = LAST.load(Ordering::Relaxed);
    loop {
        let first = after(last);
        match LAST.compare_exchange_weak(last, first + count.saturating_sub(1), Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return first,
            Err(newer) => last = newer,
        }
    }
}

fn id_of(moment: u64, mut random: [u8; RANDOM]) -> RuntimeResult<Id> {
    let [.., high, low] = (moment % PARTS_OF_A_MILLISECOND).to_be_bytes();
    [random[0], random[1]] = [high, low];
    let uuid = uuid::Builder::from_unix_timestamp_millis(moment / PARTS_OF_A_MILLISECOND, &random).into_uuid();
    let mut buffer = uuid::Uuid::encode_buffer();
    let text: &str = uuid.hyphenated().encode_lower(&mut buffer);
    text.parse().map_err(|error| RuntimeError::Bug(format!("{text}: {error}")))
}

/// Random bytes of the system's, for secrets.
pub(crate) fn random_bytes(buffer: &mut [u8]) -> RuntimeResult<()> {
    getrandom::fill(buffer)
        .map_err(|error| RuntimeError::Unavailable(format!("the system gives no random bytes: {error}")))
}

/// The same for ids, from a pool of the thread's: a call to the system costs more than most of what needs an id.
fn random_for_ids(buffer: &mut [u8]) -> RuntimeResult<()> {
    POOL.with_borrow_mut(|pool| {
        if pool.len() < buffer.len() {
            let mut fresh = vec![0; RANDOM_AT_ONCE.max(buffer.len())];
            random_bytes(&mut fresh)?;
            *pool = fresh;
        }
        // What has been given out is not there any more.
        let rest = pool.len() - buffer.len();
        buffer.copy_from_slice(&pool[rest..]);
        pool.truncate(rest);
        Ok(())
    })
}

const RANDOM_AT_ONCE: usize = 2_048;

thread_local! {
    static POOL: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[cfg(test)]
mod tests {
    use super::{IdSeed, new_id, new_ids};

    #[test]
    fn ids_sort_in_the_order_in_which_they_are_made() {
        let mut made = Vec::new();
        for _ in 0..1_000 {
            made.push(new_id().expect("an id"));
            made.extend(new_ids(100).expect("ids"));
            made.extend(IdSeed::new().expect("a seed").ids().take(100));
        }
        assert!(made.is_sorted_by(|before, after| before.as_str() < after.as_str()), "an id sorts before an older one");
    }

    #[test]
    fn a_seed_gives_the_same_ids_again() {
        let seed = IdSeed::new().expect("a seed");
        let many = 70_000;
        let first: Vec<_> = seed.ids().take(many).collect();
        assert_eq!(first, seed.ids().take(many).collect::<Vec<_>>());
        assert!(first.is_sorted_by(|before, after| before.as_str() < after.as_str()));
    }
}
