//! The time that purging goes by. A clock that jumps years ahead would make everything old at once, and what is purged does not come
//! back. So the time of purging is stored, and goes on from there as fast as the process runs, after a restart too; the clock is
//! believed where it agrees, and where one process has seen it keep its new time for a day.

use std::time::Duration;

/// How far the clock may be ahead before it counts as a jump: a service that was stopped for a while is no jump.
const AHEAD_MAX_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// How long a process must run before a jump is believed: long enough for a person to see the warning.
const BELIEVED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Invariant: `time_ms` was right when the process had run for `at`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PurgeClock {
    time_ms: i64,
    at: Duration,
    /// How long the process had run when the clock was first too far ahead.
    jumped_at: Option<Duration>,
}

impl PurgeClock {
    /// Begins with the time that the last purge went by, when the process has run for so long.
    pub(crate) fn new(last_ms: i64, at: Duration) -> Self {
        PurgeClock { time_ms: last_ms, at, jumped_at: None }
    }

    /// The time to purge by, when the clock shows `wall_ms` and the process has run for `uptime`.
    pub(crate) fn time(&mut self, wall_ms: i64, uptime: Duration) -> i64 {
        let ran = i64::try_from(uptime.saturating_sub(self.at).as_millis()).unwrap_or(i64::MAX);
        let expected = self.time_ms.saturating_add(ran);
        if wall_ms > expected.saturating_add(AHEAD_MAX_MS) {
            let since = *self.jumped_at.get_or_insert(uptime);
            if uptime.saturating_sub(since) < BELIEVED_AFTER {
                let days = (wall_ms - expected) / (24 * 60 * 60 * 1000);
                tracing::warn!(
                    days,
                    "the clock is far ahead of the last purge; nothing is purged for that until this process has seen it stay so for a day. If the clock is wrong, set it right"
                );
                return expected;
            }
            tracing::warn!("the clock has stayed ahead for a day and is believed; purging goes by it");
        }
        *self = PurgeClock { time_ms: wall_ms, at: uptime, jumped_at: None };
        wall_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60 * 1000;
    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn an_ordinary_clock_is_believed() {
        let mut clock = PurgeClock::new(100 * DAY, Duration::ZERO);
        assert_eq!(clock.time(110 * DAY, Duration::ZERO), 110 * DAY, "it was stopped for ten days");
        assert_eq!(clock.time(110 * DAY + 5, HOUR), 110 * DAY + 5, "a clock that was set back");
        assert_eq!(clock.time(111 * DAY, HOUR * 24), 111 * DAY);
    }

    #[test]
    fn a_jump_purges_nothing_for_a_day() {
        let mut clock = PurgeClock::new(100 * DAY, Duration::ZERO);
        let jumped = 10_000 * DAY;
        assert_eq!(clock.time(jumped, Duration::ZERO), 100 * DAY);
        assert_eq!(clock.time(jumped + DAY / 2, HOUR * 12), 100 * DAY + DAY / 2, "time goes on all the same");
        assert_eq!(clock.time(100 * DAY + DAY, HOUR * 24), 101 * DAY, "the clock is right again");
        assert_eq!(clock.time(jumped, HOUR * 25), 101 * DAY + DAY / 24, "and jumps again");
        let believed = jumped + DAY;
        assert_eq!(clock.time(believed, HOUR * 49), believed);
    }
}
