//! One process per data folder, and a sentence that says which one.

use crate::error::{StoreError, StoreResult};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

/// Holds the folder's lock; the system lets go of it when the process ends, however it ends.
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    pub(super) fn take(folder: &Path) -> StoreResult<FolderLock> {
        let path = folder.join("tavernkeep.lock");
        let unusable = |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", path.display()));
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                return Err(StoreError::Locked(format!(
                    "the data folder {} is served by process {} already; stop that one, or give this one another --data",
                    folder.display(),
                    holder.trim()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        // The number is for people; the lock itself is what counts.
        file.set_len(0).and_then(|()| file.rewind()).map_err(unusable)?;
        writeln!(file, "{}", std::process::id()).map_err(unusable)?;
        Ok(FolderLock { _file: file })
    }
}
