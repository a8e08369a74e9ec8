//! The pages in the write-ahead log of a SQLite file: SQLite reads those from there, whatever the file holds.

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

/// The numbers of the pages; none if there is no log, or nothing in it.
pub(super) fn pages(path: &Path, layout: Layout) -> io::Result<Option<BTreeSet<u32>>> {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let log = match File::open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        log => log?,
    };
    let len = log.metadata()?.len();
    if len <= HEAD {
        return Ok(None);
    }
    let mut head = [0; HEAD as usize];
    log.read_exact_at(&mut head, 0)?;
    let salt = &head[SALT_OF_LOG..SALT_OF_LOG + SALT];
    let frame_size = FRAME_HEAD + layout.page_size as u64;
    let mut numbers = BTreeSet::new();
    let mut frame = [0; FRAME_HEAD as usize];
    for number in 0..(len - HEAD) / frame_size {
        // It may have become shorter meanwhile.
        if log.read_exact_at(&mut frame, HEAD + number * frame_size).is_err() {
            break;
        }
        if frame[SALT_OF_FRAME..SALT_OF_FRAME + SALT] == *salt {
            numbers.insert(u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]));
        }
    }
    Ok(Some(numbers))
}
