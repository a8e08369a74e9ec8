//! One process per data folder, and a sentence that says which one.
//!
//! The lock is on the folder itself, which holds the data: removing a file from it lets nobody else in. A file beside the data has the
//! number of the process, and a second lock, for programs and file systems that know only that one.

use crate::error::{StoreError, StoreResult};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

const LOCK_NAME: &str = "tavernkeep.lock";
/// Longer than a visit takes.
const VISIT_TIME: Duration = Duration::from_secs(1);

/// Holds the folder's lock; the system lets go of it when the process ends, however it ends.
pub struct FolderLock {
    _folder: Option<File>,
    _file: File,
}

impl FolderLock {
    /// Takes the lock, or says who has it. A visit from the command line is over in a moment, so it is waited for.
    pub fn take(folder: &Path) -> StoreResult<FolderLock> {
        let patience = Instant::now() + VISIT_TIME;
        loop {
            if let Some(lock) = Self::try_take(folder)? {
                return Ok(lock);
            }
            if Instant::now() >= patience {
                let holder = std::fs::read_to_string(folder.join(LOCK_NAME)).unwrap_or_default();
                let holder = match holder.trim() {
                    // Its file was removed; the lock is on the folder.
                    "" => "another process".to_owned(),
                    number => format!("process {number}"),
                };
                return Err(StoreError::Unusable(format!(
                    "the data folder {} is served by {holder} already; stop that one, or give this one another --data",
                    folder.display(),
                )));
            }
            std::thread::sleep(VISIT_TIME / 50);
        }
    }

    pub fn try_take(folder: &Path) -> StoreResult<Option<FolderLock>> {
        let path = folder.join(LOCK_NAME);
        let unusable = |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", path.display()));
        let locked_folder = match lock_folder(folder) {
            Ok(Some(locked)) => Some(locked),
            Ok(None) => return Ok(None),
            Err(error) => {
                tracing::warn!(%error, folder = %folder.display(), "the folder itself cannot be locked; its lock file must do");
                None
            }
        };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        // The number is for people; the lock itself is what counts. A disk that is full can still be read.
        let numbered =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        if let Err(error) = numbered {
            tracing::warn!(%error, path = %path.display(), "the number of this process could not be written");
        }
        Ok(Some(FolderLock { _folder: locked_folder, _file: file }))
    }
}

/// Locks a folder; none if another process has it. There are file systems where only files can be locked.
fn lock_folder(folder: &Path) -> std::io::Result<Option<File>> {
    let file = File::open(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_the_lock_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let held = FolderLock::try_take(folder.path()).unwrap();
        assert!(held.is_some());
        std::fs::remove_file(folder.path().join(LOCK_NAME)).unwrap();
        assert!(FolderLock::try_take(folder.path()).unwrap().is_none());
        drop(held);
        assert!(FolderLock::try_take(folder.path()).unwrap().is_some());
    }
}
