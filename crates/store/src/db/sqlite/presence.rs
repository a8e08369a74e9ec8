//! Whether the files that are open are still those in the data folder, and whether the database is as this process left it. A file
//! that was removed or replaced can be written as before, and whatever is written is gone when the process ends. A file that another
//! program wrote to, as a copy of a backup does, does not fit the pages that are in memory and in the log.

use super::page_vfs::{self, SharedFile, Writes};
use crate::error::{StoreError, StoreResult};
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How often readers look at the file at most, while all is well.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// The bytes of the first page, which changes whenever the file grows.
const HEAD: usize = 4096;

/// A file by its name and by what the system calls it.
struct Known {
    path: PathBuf,
    /// Its device and its number there.
    id: (u64, u64),
}

/// The files as they were when the database was opened.
pub struct Presence {
    files: Vec<Known>,
    database: PathBuf,
    /// Whether this process serves the database, and no other writes to its file.
    is_served: bool,
    /// The database as this process left it; none if another process serves it.
    left: Mutex<Option<Content>>,
    shared: Arc<SharedFile>,
    opened: Instant,
    /// When a reader looks again, in ms since it was opened.
    next_look: AtomicU64,
}

struct Content {
    len: u64,
    changed_at: Option<SystemTime>,
    head: Vec<u8>,
    /// The writes of this process up to then.
    writes: Writes,
}

impl Presence {
    /// Remembers a database and its log, which are open. A process that serves it alone notices what other programs write to it.
    pub fn of(path: &Path, is_served: bool) -> Presence {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let known = |path: PathBuf| {
            let file = std::fs::metadata(&path).ok()?;
            Some(Known { path, id: id(&file) })
        };
        let shared = page_vfs::shared(path);
        let left = is_served.then(|| Content::of(&shared).ok()).flatten();
        Presence {
            files: [path.to_owned(), log.into()].into_iter().filter_map(known).collect(),
            database: path.to_owned(),
            is_served,
            left: Mutex::new(left),
            shared,
            opened: Instant::now(),
            next_look: AtomicU64::new(0),
        }
    }

    /// Whether this process serves the database, and no other writes to its file.
    pub fn is_served(&self) -> bool {
        self.is_served
    }

    /// Whether the log holds something.
    pub fn has_log(&self) -> bool {
        self.files
            .iter()
            .any(|known| known.path != self.database && std::fs::metadata(&known.path).is_ok_and(|log| log.len() > 0))
    }

    /// Fails if a file is gone or another one by now, or if another program wrote to the database.
    pub fn check(&self) -> StoreResult<()> {
        for Known { path, id: known } in &self.files {
            let what = match std::fs::metadata(path) {
                Ok(file) if id(&file) != *known => "was replaced by another file".to_owned(),
                Ok(_) => continue,
                Err(error) => format!("is not there any more ({error})"),
            };
            return Err(StoreError::Gone(format!(
                "{} {what} while it was being served, so nothing can be stored; put it back, or restart the server",
                path.display()
            )));
        }
        self.check_content()
    }

    /// Fails if another program wrote to the database.
    pub fn check_content(&self) -> StoreResult<()> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = left.as_mut() else { return Ok(()) };
        let trouble = |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", self.database.display()));
        // A file that was moved away is what it was.
        let file = self.shared.file().map_err(trouble)?;
        let found = file.metadata().map_err(trouble)?;
        let is_ours = || known.is_outdated(&self.shared);
        if is_ours() || (found.len() == known.len && found.modified().ok() == known.changed_at) {
            return Ok(());
        }
        // Some file systems set the time of a write late.
        let is_same = || Ok(head(file)? == known.head && self.shared.has_last_pages()?);
        if found.len() == known.len && is_same().map_err(trouble)? {
            known.changed_at = found.modified().ok();
            return Ok(());
        }
        if is_ours() {
            return Ok(());
        }
        // What a writer noticed, readers notice at once.
        self.next_look.store(0, Ordering::Relaxed);
        Err(StoreError::Gone(format!(
            "another program wrote to {} while it was being served, so nothing is read or stored; stop the server, put the file back \
             (a backup without the files that end in -wal and -shm), and start it",
            self.database.display()
        )))
    }

    /// The same for readers, who look now and then.
    pub fn check_for_reader(&self) -> StoreResult<()> {
        let now = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        if now < self.next_look.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.check_content()?;
        self.next_look.store(now + LOOK_INTERVAL.as_millis() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Remembers the database as it is after this process wrote to its file; does nothing if it did not.
    pub fn note_writes(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = left.as_mut()
            && known.is_outdated(&self.shared)
            && let Ok(content) = Content::of(&self.shared)
        {
            *known = content;
        }
    }
}

impl Content {
    fn of(shared: &SharedFile) -> std::io::Result<Content> {
        let (writes, file) = (shared.writes(), shared.file()?);
        let found = file.metadata()?;
        Ok(Content { len: found.len(), changed_at: found.modified().ok(), head: head(file)?, writes })
    }

    /// Whether this process has written to the file since, or was writing then: the file may then differ without anybody else.
    fn is_outdated(&self, shared: &SharedFile) -> bool {
        self.writes.are_under_way() || self.writes != shared.writes()
    }
}

fn head(file: &File) -> std::io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let len = file.read_at(&mut head, 0)?;
    head.truncate(len);
    Ok(head)
}

fn id(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

#[cfg(test)]
mod tests {
    use super::Presence;
    use std::fs::OpenOptions;
    use std::time::SystemTime;

    #[test]
    fn files_that_are_moved_away_and_back_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let [file, log, away] = ["a.db", "a.db-wal", "away"].map(|name| folder.path().join(name));
        std::fs::write(&file, b"1").unwrap();
        std::fs::write(&log, b"1").unwrap();
        let presence = Presence::of(&file, true);
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

    #[test]
    fn what_another_program_writes_is_noticed_and_our_own_writes_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let [file, log] = ["a.db", "a.db-wal"].map(|name| folder.path().join(name));
        std::fs::write(&file, b"first").unwrap();
        std::fs::write(&log, b"1").unwrap();
        let (presence, visit) = (Presence::of(&file, true), Presence::of(&file, false));
        let later = |seconds: u64| {
            let time = SystemTime::now() + std::time::Duration::from_secs(seconds);
            OpenOptions::new().write(true).open(&file).unwrap().set_modified(time).unwrap();
        };
        std::fs::write(&log, b"").unwrap();
        presence.check().unwrap();
        for (number, other) in [&b""[..], b"other", b"longer"].into_iter().enumerate() {
            presence.check_for_reader().ok();
            std::fs::write(&file, other).unwrap();
            later(1 + number as u64);
            assert!(presence.check().unwrap_err().to_string().contains("another program"));
            // Readers who looked just now look again.
            presence.check_for_reader().unwrap_err();
            visit.check().unwrap();
        }
        // The same again, and a time that is set late.
        std::fs::write(&file, b"first").unwrap();
        later(10);
        presence.check().unwrap();
        presence.shared.writing(|| {
            // Another thread remembers the file in the middle of this.
            presence.note_writes();
            std::fs::write(&file, b"ours, and not done").unwrap();
            presence.check().unwrap();
        });
        presence.check().unwrap();
        presence.note_writes();
        presence.check().unwrap();
        std::fs::write(&file, b"first").unwrap();
        presence.check().unwrap_err();
    }
}
