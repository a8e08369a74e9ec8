//! The pages that SQLite reads from the write-ahead log of a file, whatever the file holds: those of committed transactions that were
//! not checkpointed yet. (<https://www.sqlite.org/walformat.html>)

use crate::db::sqlite::page_vfs;
use crate::db::sqlite::pages::Layout;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const HEAD: u64 = 32;
const FRAME_HEAD: u64 = 24;
/// Where the head of the log and that of a frame have the number of the log's present use: frames of an earlier use have another.
const SALT_OF_LOG: usize = 16;
const SALT_OF_FRAME: usize = 8;
const SALT: usize = 8;
/// Where a frame says how large the file is behind its transaction; zero if it is not the last one of that.
const COMMIT_OF_FRAME: usize = 4;
/// Where the index of the log says how many frames are committed, and how many of those were checkpointed. Native byte order.
const COMMITTED_OF_INDEX: u64 = 16;
const CHECKPOINTED_OF_INDEX: u64 = 96;

/// The numbers of the pages.
pub(super) fn pages(path: &Path, layout: Layout) -> io::Result<BTreeSet<u32>> {
    let Some(log) = open_log(path)? else { return Ok(BTreeSet::new()) };
    let len = log.metadata()?.len();
    if len <= HEAD {
        return Ok(BTreeSet::new());
    }
    let (checkpointed, committed) = frames_in_use(path)?;
    let mut head = [0; HEAD as usize];
    log.read_exact_at(&mut head, 0)?;
    let salt = &head[SALT_OF_LOG..SALT_OF_LOG + SALT];
    let frame_size = FRAME_HEAD + layout.page_size as u64;
    let (mut numbers, mut open) = (BTreeSet::new(), Vec::new());
    let mut frame = [0; FRAME_HEAD as usize];
    for number in 0..committed.min((len - HEAD) / frame_size) {
        // It may have become shorter, or begun again, meanwhile.
        if log.read_exact_at(&mut frame, HEAD + number * frame_size).is_err()
            || frame[SALT_OF_FRAME..SALT_OF_FRAME + SALT] != *salt
        {
            break;
        }
        if number >= checkpointed {
            open.push(u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]));
        }
        if frame[COMMIT_OF_FRAME..COMMIT_OF_FRAME + 4] != [0; 4] {
            numbers.extend(open.drain(..));
        }
    }
    Ok(numbers)
}

/// The first frame that is read from the log, and the one behind the last. Without an index that is all of them: who opens the file
/// next makes one.
fn frames_in_use(path: &Path) -> io::Result<(u64, u64)> {
    let shared = page_vfs::shared(path);
    let index = match shared.log_index() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, u64::MAX)),
        index => index?,
    };
    let number = |at: u64| {
        let mut bytes = [0; 4];
        index.read_exact_at(&mut bytes, at).map(|()| u64::from(u32::from_ne_bytes(bytes)))
    };
    match (number(CHECKPOINTED_OF_INDEX), number(COMMITTED_OF_INDEX)) {
        (Ok(checkpointed), Ok(committed)) => Ok((checkpointed, committed)),
        _ => Ok((0, u64::MAX)),
    }
}

/// The log; none if it is not there.
fn open_log(path: &Path) -> io::Result<Option<File>> {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    match File::open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}
