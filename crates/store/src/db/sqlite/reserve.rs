//! Room on the disk that is kept for deletions: a file of a fixed size that holds nothing.
//!
//! When a deletion finds the disk full, the file is emptied and the deletion is tried again. From then on other writes are refused,
//! so that they do not use up what is for deletions, until there is enough room to fill the file again. A checkpoint borrows the
//! room: what it adds to the database it takes from the log.

use crate::error::StoreError;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "tavernkeep.reserve";
/// The log can be 40 MB long (`checkpoints.rs`), and a checkpoint of it may need that much at the end of the database before the log gives it back. The rest
/// is for what a deletion writes.
const RESERVE_BYTES: u64 = 48 * 1024 * 1024;

pub struct Reserve {
    path: PathBuf,
    bytes: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The file is there and has its size.
    There,
    /// It was emptied for deletions.
    Used,
    /// There never was one: nothing is kept for deletions, and nothing is refused.
    Absent,
}

impl Reserve {
    /// Takes the room in a data folder that this process owns.
    pub fn take(folder: &Path) -> Reserve {
        Reserve::sized(folder, RESERVE_BYTES)
    }

    fn sized(folder: &Path, bytes: u64) -> Reserve {
        let path = folder.join(FILE_NAME);
        // A file that is there and empty was used by the process before this one.
        let was_used = path.exists();
        let state = match fill(&path, bytes) {
            Ok(()) => State::There,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), bytes, "no room can be kept for deletions");
                if was_used { State::Used } else { State::Absent }
            }
        };
        if state == State::Absent {
            drop(std::fs::remove_file(&path));
        }
        Reserve { path, bytes, state }
    }

    /// For a visit beside a process that owns the folder.
    pub fn none() -> Reserve {
        Reserve { path: PathBuf::new(), bytes: 0, state: State::Absent }
    }

    pub fn is_used(&self) -> bool {
        self.state == State::Used
    }

    /// Whether writes that make no room may go on. A reserve that was used is filled again first.
    pub fn is_there(&mut self) -> bool {
        self.state != State::Used || self.restore()
    }

    /// Gives its room to a deletion. False if there never was any.
    pub fn release(&mut self) -> bool {
        if self.state == State::There {
            tracing::warn!("the disk is full: the room that is kept for deletions is used");
            self.empty();
        }
        self.state == State::Used
    }

    /// Lends its room to work that makes as much room as it uses; none if it is not there.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        if self.state != State::There {
            return None;
        }
        self.empty();
        let result = work();
        if fill(&self.path, self.bytes).is_ok() {
            self.state = State::There;
        }
        Some(result)
    }

    fn empty(&mut self) {
        let emptied = OpenOptions::new().write(true).open(&self.path).and_then(|file| file.set_len(0));
        if let Err(error) = emptied {
            tracing::warn!(%error, path = %self.path.display(), "the reserve cannot be emptied");
        }
        self.state = State::Used;
    }

    /// Fills it again. False if there is still no room.
    pub fn restore(&mut self) -> bool {
        let filled = fill(&self.path, self.bytes);
        if filled.is_ok() {
            tracing::info!("there is room on the disk again");
            self.state = State::There;
        }
        filled.is_ok()
    }

    /// Why a write that makes no room is refused.
    pub fn refusal(&self) -> StoreError {
        let mebibytes = self.bytes / (1024 * 1024);
        StoreError::Full(format!(
            "what is left of the disk is for deletions; delete something, or free {mebibytes} MiB on the disk"
        ))
    }
}

/// Gives the file its size, with blocks of the disk behind it. A file that cannot get them is left empty.
fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    if is_filled(&file, bytes) {
        return Ok(());
    }
    let filled = fallocate(&file, FallocateFlags::empty(), 0, bytes).map_err(io::Error::from);
    if filled.is_err() {
        file.set_len(0)?;
    }
    filled
}

fn is_filled(file: &File, bytes: u64) -> bool {
    file.metadata().is_ok_and(|file| file.len() >= bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_to_deletions_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let size = || std::fs::metadata(folder.path().join(FILE_NAME)).unwrap().len();
        let mut reserve = Reserve::sized(folder.path(), 8192);
        assert!(reserve.is_there() && !reserve.is_used());
        assert_eq!(size(), 8192);
        assert!(reserve.release());
        assert!(reserve.is_used() && reserve.lend(|| ()).is_none(), "it is not there any more");
        assert_eq!(size(), 0);
        assert!(reserve.is_there(), "there is room");
        assert_eq!(size(), 8192);
    }

    #[test]
    fn room_is_lent_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let size = || std::fs::metadata(folder.path().join(FILE_NAME)).unwrap().len();
        let mut reserve = Reserve::sized(folder.path(), 8192);
        assert_eq!(reserve.lend(size), Some(0));
        assert!(!reserve.is_used());
        assert_eq!(size(), 8192);
    }

    #[test]
    fn a_visit_keeps_nothing() {
        let mut reserve = Reserve::none();
        assert!(reserve.is_there() && !reserve.release() && reserve.lend(|| ()).is_none());
    }
}
