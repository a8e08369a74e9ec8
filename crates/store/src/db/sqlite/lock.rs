//! One process per data folder, and a sentence that says which one.

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
                return Err(StoreError::Unusable(format!(
                    "the data folder {} is served by process {} already; stop that one, or give this one another --data",
                    folder.display(),
                    holder.trim()
                )));
            }
            std::thread::sleep(VISIT_TIME / 50);
        }
    }

    pub fn try_take(folder: &Path) -> StoreResult<Option<FolderLock>> {
        let path = folder.join(LOCK_NAME);
        let unusable = |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", path.display()));
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
        Ok(Some(FolderLock { _file: file }))
    }
}
