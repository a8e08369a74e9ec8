//! Whether the files that are open are still those in the data folder. A file that was removed or replaced can be written as
//! before, and whatever is written is gone when the process ends.

use crate::error::{StoreError, StoreResult};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file by its name and by what the system calls it.
struct Known {
    path: PathBuf,
    /// Its device and its number there.
    id: (u64, u64),
}

/// The files as they were when the database was opened.
pub struct Presence(Vec<Known>);

impl Presence {
    /// Remembers a database and its log, which are open.
    pub fn of(path: &Path) -> Presence {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let known = |path: PathBuf| id(&path).ok().map(|id| Known { path, id });
        Presence([path.to_owned(), log.into()].into_iter().filter_map(known).collect())
    }

    /// Fails if one of them is gone or another one by now.
    pub fn check(&self) -> StoreResult<()> {
        for Known { path, id: known } in &self.0 {
            let what = match id(path) {
                Ok(found) if found == *known => continue,
                Ok(_) => "was replaced by another file".to_owned(),
                Err(error) => format!("is not there any more ({error})"),
            };
            return Err(StoreError::Gone(format!(
                "{} {what} while it was being served, so nothing can be stored; put it back, or restart the server",
                path.display()
            )));
        }
        Ok(())
    }
}

fn id(path: &Path) -> std::io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::Presence;

    #[test]
    fn files_that_are_moved_away_and_back_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let [file, log, away] = ["a.db", "a.db-wal", "away"].map(|name| folder.path().join(name));
        std::fs::write(&file, b"1").unwrap();
        std::fs::write(&log, b"1").unwrap();
        let presence = Presence::of(&file);
        presence.check().unwrap();
        for path in [&file, &log] {
            std::fs::rename(path, &away).unwrap();
            assert!(presence.check().unwrap_err().to_string().contains("not there any more"));
            std::fs::write(path, b"1").unwrap();
            assert!(presence.check().unwrap_err().to_string().contains("replaced"));
            std::fs::rename(&away, path).unwrap();
            presence.check().unwrap();
        }
    }
}
