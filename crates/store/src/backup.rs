//! A consistent copy of a SQLite database while it is being served.

use crate::error::{StoreError, StoreResult};
use crate::sqlite::{connect_read_only, trouble};
use std::fs::File;
use std::path::Path;

/// Copies the database in `folder` to `target`, which must not exist yet. Writers are not kept waiting.
pub fn sqlite(folder: &Path, target: &Path) -> StoreResult<()> {
    let source = folder.join(crate::sqlite::FILE_NAME);
    if !source.exists() {
        return Err(StoreError::Unavailable(format!("there is no database in {}", folder.display())));
    }
    copy_file(&connect_read_only(&source)?, target)
}

/// Copies what `connection` sees at one moment. The target appears under its name only when it is whole and on disk.
pub(crate) fn copy_file(connection: &rusqlite::Connection, target: &Path) -> StoreResult<()> {
    if target.exists() {
        return Err(StoreError::Unavailable(format!(
            "{} exists already; name a file that does not, so that no backup is overwritten",
            target.display()
        )));
    }
    let partial = target.with_extension("partial");
    let unusable = |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", target.display()));
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(unusable)?;
    }
    let name = partial.to_str().ok_or_else(|| StoreError::Unavailable("the file's name is not UTF-8".into()))?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(|error| trouble(&error))?;
    File::open(&partial).and_then(|file| file.sync_all()).map_err(unusable)?;
    std::fs::rename(&partial, target).map_err(unusable)?;
    // The new name is durable only when its folder is.
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(unusable)
}
