//! What the connections of this process to one database file share: how often they have written to it and what they wrote last, since
//! what changes otherwise another program changed; and the file itself, for reading it past SQLite.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A database file that this process may have open.
#[derive(Default)]
pub struct SharedFile {
    /// How many writes have begun, in the upper half, and how many of them have not ended, in the lower half.
    writes: AtomicU64,
    /// The last pages that were written, each with its place.
    last_pages: Mutex<VecDeque<(u64, Vec<u8>)>>,
    /// How often a connection of this process has given back the lock for writing to the log.
    writer_turns: AtomicU64,
    path: PathBuf,
    file: OnceLock<File>,
    log_index: OnceLock<File>,
}

/// How many of the last pages are remembered. An older copy of the file differs in at least one of them.
const LAST_PAGES: usize = 16;

const BEGUN: u64 = 1 << 32;
const NOT_ENDED: u64 = 1;

/// How often this process has written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes(u64);

impl Writes {
    /// Whether a thread was writing at that moment. What is read of the file then may change by that write alone.
    pub fn are_under_way(self) -> bool {
        !self.0.is_multiple_of(BEGUN)
    }
}

static FILES: Mutex<BTreeMap<PathBuf, Weak<SharedFile>>> = Mutex::new(BTreeMap::new());

/// The file at a path.
pub fn shared(path: &Path) -> Arc<SharedFile> {
    // SQLite opens a file by the name that it has without links.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.retain(|_, file| file.strong_count() > 0);
    if let Some(file) = files.get(&path).and_then(Weak::upgrade) {
        return file;
    }
    let file = Arc::new(SharedFile { path: path.clone(), ..SharedFile::default() });
    files.insert(path, Arc::downgrade(&file));
    file
}

impl SharedFile {
    pub fn writes(&self) -> Writes {
        Writes(self.writes.load(Ordering::SeqCst))
    }

    pub fn writer_turns(&self) -> u64 {
        self.writer_turns.load(Ordering::SeqCst)
    }

    /// Notes that a connection gives back the lock for writing to the log.
    pub fn end_writer_turn(&self) {
        self.writer_turns.fetch_add(1, Ordering::SeqCst);
    }

    /// Does something that changes the file.
    pub fn writing<T>(&self, write: impl FnOnce() -> T) -> T {
        self.writes.fetch_add(BEGUN + NOT_ENDED, Ordering::SeqCst);
        let result = write();
        self.writes.fetch_sub(NOT_ENDED, Ordering::SeqCst);
        result
    }

    /// Remembers a page that was written; none if it is not known what stands there now.
    pub fn note_page(&self, at: u64, page: Option<&[u8]>) {
        let mut pages = self.last_pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(other, _)| *other != at);
        let Some(page) = page else { return };
        if pages.len() >= LAST_PAGES {
            pages.pop_front();
        }
        pages.push_back((at, page.to_vec()));
    }

    /// Forgets the pages behind a new end of the file.
    pub fn note_end(&self, len: u64) {
        let mut pages = self.last_pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(at, page)| at + page.len() as u64 <= len);
    }

    /// Whether the file still has the pages that were written last.
    pub fn has_last_pages(&self) -> io::Result<bool> {
        let (file, pages) = (self.file()?, self.last_pages.lock().unwrap_or_else(PoisonError::into_inner));
        for (at, page) in pages.iter() {
            let mut found = vec![0; page.len()];
            match file.read_exact_at(&mut found, *at) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
                read => read?,
            }
            if found != *page {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The file itself.
    pub fn file(&self) -> io::Result<&File> {
        kept_open(&self.file, &self.path)
    }

    /// The index of the log, which is there while a connection has the file open.
    pub fn log_index(&self) -> io::Result<&File> {
        let mut path = self.path.as_os_str().to_owned();
        path.push("-shm");
        kept_open(&self.log_index, Path::new(&path))
    }
}

/// Opens a file and keeps it open as long as a connection has the database open: a process that closes any descriptor of a file loses
/// all locks that it has on it, those of SQLite too, and another program could then take the log away.
fn kept_open<'a>(kept: &'a OnceLock<File>, path: &Path) -> io::Result<&'a File> {
    if kept.get().is_none()
        && let Err(other) = kept.set(File::open(path)?)
    {
        // Another thread was faster; this one is not closed for the same reason.
        std::mem::forget(other);
    }
    kept.get().ok_or_else(|| io::Error::other("a file that was opened is not there"))
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn a_file_is_one_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, other] = ["file", "link", "other"].map(|name| folder.path().join(name));
        std::fs::write(&file, b"").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let first = shared(&file);
        let before = first.writes();
        shared(&other).writing(|| ());
        assert_eq!(first.writes(), before);
        shared(&link).writing(|| assert!(first.writes().are_under_way()));
        assert!(first.writes() != before && !first.writes().are_under_way());
        assert!(std::ptr::eq(first.file().unwrap(), shared(&link).file().unwrap()));
    }
}
