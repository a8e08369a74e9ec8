//! Which process runs a call: its number, when it started, and chance. So another process can see whether it is still there.

use crate::{RuntimeResult, random_bytes};
use rustix::process::Pid;

/// Names a process among those that ever ran calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessToken([u8; 16]);

impl ProcessToken {
    /// The token of this process.
    pub(crate) fn own() -> RuntimeResult<ProcessToken> {
        let mut token = [0; 16];
        random_bytes(&mut token)?;
        let pid = std::process::id();
        token[..4].copy_from_slice(&pid.to_le_bytes());
        token[4..12].copy_from_slice(&started(pid).unwrap_or_default().to_le_bytes());
        Ok(ProcessToken(token))
    }

    /// The token of one run of a call.
    pub(crate) fn run(&self) -> RuntimeResult<Vec<u8>> {
        let mut chance = [0; 8];
        random_bytes(&mut chance)?;
        Ok(self.0.iter().chain(&chance).copied().collect())
    }
}

/// Whether the process of a run is still there, seen from the same machine.
pub(crate) fn is_alive(run: &[u8]) -> bool {
    let (Some(pid), Some(start)) = (run.first_chunk::<4>(), run.get(4..12).and_then(|part| part.first_chunk::<8>()))
    else {
        return false;
    };
    let (pid, start) = (u32::from_le_bytes(*pid), u64::from_le_bytes(*start));
    match started(pid) {
        Some(found) => found == start,
        // Without the table of processes the number alone has to do.
        None => {
            start == 0
                && Pid::from_raw(pid.cast_signed()).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        }
    }
}

/// When a process started, in ticks since the machine did; none if it is not there or the system does not say.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may be anything. A process that has ended and waits for its parent is gone.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_ends() {
        let own = ProcessToken::own().unwrap().run().unwrap();
        assert!(is_alive(&own));
        let mut earlier = own.clone();
        earlier[4] ^= 1;
        assert!(!is_alive(&earlier), "another process had the number before");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let mut token = own;
        token[..4].copy_from_slice(&child.id().to_le_bytes());
        child.wait().unwrap();
        assert!(!is_alive(&token));
        assert!(!is_alive(b"short"));
    }
}
