//! Gives the pages of a database their checksums: those of an older database once, and those that another program wrote on request.

use super::lock::FolderLock;
use super::pages::{self, Layout};
use super::{FILE_NAME, page_vfs, trouble};
use crate::error::{StoreError, StoreResult};
use rusqlite::{Connection, OpenFlags};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Rewrites a database whose pages keep no room for checksums, which older versions have made. It is usable without, so what prevents
/// that is a warning, and the next start tries again.
pub fn add_checksums(connection: &Connection, path: &Path) {
    if has_checksums(path) {
        return;
    }
    tracing::info!(path = %path.display(), "the pages of the database get checksums: it is rewritten once");
    match rewrite(connection) {
        Ok(()) if has_checksums(path) => tracing::info!("the pages of the database have checksums now"),
        Ok(()) => tracing::warn!("the pages of the database have no checksums yet: another program is reading it"),
        Err(error) => {
            let advice = match trouble(&error) {
                StoreError::Full(_) => "free space and restart",
                StoreError::Corrupt(_) => "run `tavernkeep check`",
                _ => "the next start tries again",
            };
            tracing::warn!(%error, advice, "the pages of the database have no checksums: it could not be rewritten");
        }
    }
}

fn rewrite(connection: &Connection) -> rusqlite::Result<()> {
    page_vfs::reserve_bytes(connection)?;
    connection.execute_batch("VACUUM")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// How the pages of a file are laid out, whether or not this process has it open.
pub fn layout_of(path: &Path) -> std::io::Result<Option<Layout>> {
    Layout::of_file(page_vfs::shared(path).file()?)
}

/// Whether the pages of a file have checksums.
pub fn has_checksums(path: &Path) -> bool {
    matches!(layout_of(path), Ok(Some(layout)) if layout.has_checksums())
}

/// Accepts the pages of the database of a data folder, or of a file such as a backup, as they are, and says which pages that changed.
/// What a server serves is refused, by whichever name it is given.
pub fn stamp(folder_or_file: &Path) -> StoreResult<Vec<u32>> {
    let folder = match folder_or_file.is_dir() {
        true => Some(folder_or_file),
        false => folder_or_file.parent().filter(|_| folder_or_file.file_name().is_some_and(|name| name == FILE_NAME)),
    };
    let Some(folder) = folder else { return stamp_file(folder_or_file) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Err(StoreError::Unusable(format!("there is no database in {}", folder.display())));
    }
    let _lock = FolderLock::take(folder)?;
    stamp_file(&path)
}

/// Gives every page that does not have the right checksum one, and says which pages those were. Whatever they hold counts as
/// right from then on, so this is for files that another program has changed on purpose, and that nobody has open.
fn stamp_file(path: &Path) -> StoreResult<Vec<u32>> {
    let unusable = |error: std::io::Error| StoreError::Unusable(format!("{}: {error}", path.display()));
    let layout = layout_of(path).map_err(unusable)?.ok_or_else(|| {
        StoreError::Unusable(format!("{} is no SQLite database: it does not begin as one does", path.display()))
    })?;
    if !layout.has_checksums() {
        let message = format!("{} has no checksums; a server that starts on it adds them", path.display());
        return Err(StoreError::Unusable(message));
    }
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(unusable)?;
    let mut stamped = Vec::new();
    each_page(&file, layout, |number, page| {
        if !pages::is_intact(page, number) {
            pages::stamp(page, number);
            file.write_all_at(page, u64::from(number - 1) * layout.page_size as u64)?;
            stamped.push(number);
        }
        Ok(())
    })
    .map_err(unusable)?;
    file.sync_all().map_err(unusable)?;
    Ok(stamped)
}

/// Walks over the whole pages of a file. A server may shorten it meanwhile.
pub fn each_page(
    file: &File,
    layout: Layout,
    mut each: impl FnMut(u32, &mut [u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let count = file.metadata()?.len() / layout.page_size as u64;
    let mut page = vec![0; layout.page_size];
    for number in 1..=u32::try_from(count).unwrap_or(u32::MAX) {
        if number == layout.lock_page() {
            continue;
        }
        if !read_page(file, layout, number, &mut page)? {
            break;
        }
        each(number, &mut page)?;
    }
    Ok(())
}

/// Reads a page; false if the file ends before it.
pub fn read_page(file: &File, layout: Layout, number: u32, page: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact_at(page, u64::from(number - 1) * layout.page_size as u64) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// What a page that is not what was stored means to a caller.
pub fn damaged_page() -> StoreError {
    let number = page_vfs::damaged_page();
    StoreError::Corrupt(format!(
        "page {number} of the database file is damaged: its checksum does not match; run `tavernkeep check`"
    ))
}

/// Opens a connection for a copy that has checksums if its source has: an older program that goes on with the copy of an
/// older database would not keep them up.
///
/// SQLite is asked, not the file: the log may hold another first page than the file, after the database was rewritten and before
/// the log is checkpointed. Neither connection writes, so neither checkpoints.
pub fn connect_to_copy(path: &Path) -> StoreResult<Connection> {
    let connection = super::connect_read_only(path)?;
    if page_vfs::reserved_bytes(&connection).map_err(|error| trouble(&error))? == pages::RESERVED {
        return Ok(connection);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| trouble(&error))?;
    connection.busy_timeout(super::BUSY_TIMEOUT).map_err(|error| trouble(&error))?;
    Ok(connection)
}

/// Refuses a copy whose head promises checksums that its pages do not have: its source got them while it was being copied.
pub fn check_copy(copy: &Path) -> StoreResult<()> {
    let unusable = |error: std::io::Error| StoreError::Unusable(format!("{}: {error}", copy.display()));
    let Some(layout) = layout_of(copy).map_err(unusable)?.filter(|layout| layout.has_checksums()) else {
        return Ok(());
    };
    let mut page = vec![0; layout.page_size];
    File::open(copy).and_then(|file| file.read_exact_at(&mut page, 0)).map_err(unusable)?;
    match pages::is_intact(&page, 1) {
        true => Ok(()),
        false => {
            Err(StoreError::Unavailable("the database got its checksums while it was copied; copy it again".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sqlite::{connect, connect_read_only};

    const ROWS: i64 = 400;

    fn fill(connection: &Connection) {
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)").unwrap();
        for row in 0..ROWS {
            // Every tenth row has pages of its own.
            let bytes = vec![u8::try_from(row % 251).unwrap(); if row % 10 == 0 { 9000 } else { 200 }];
            connection.execute("INSERT INTO t VALUES (?1, ?2)", (row, bytes)).unwrap();
        }
    }

    fn checkpoint(connection: &Connection) {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    }

    /// How many rows can be read, and what the first that cannot means.
    fn read(path: &Path) -> (i64, Option<StoreError>) {
        let connection = connect_read_only(path).unwrap();
        let mut error = None;
        let mut count = 0;
        for row in 0..ROWS {
            let sql = "SELECT b FROM t WHERE a = ?1";
            match connection.query_row(sql, [row], |found| found.get::<_, Vec<u8>>(0)) {
                Ok(bytes) => {
                    assert!(bytes.iter().all(|byte| i64::from(*byte) == row % 251), "row {row}");
                    count += 1;
                }
                Err(found) => error = error.or(Some(trouble(&found))),
            }
        }
        (count, error)
    }

    fn damaged_pages(path: &Path) -> Vec<u32> {
        let mut damaged = Vec::new();
        let layout = layout_of(path).unwrap().unwrap();
        each_page(&File::open(path).unwrap(), layout, |number, page| {
            damaged.extend((!pages::is_intact(page, number)).then_some(number));
            Ok(())
        })
        .unwrap();
        damaged
    }

    fn flip(path: &Path, at: u64) {
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
    }

    /// Pages that were rewritten for checksums are in the log while another program reads the file, or after a crash.
    #[test]
    fn a_copy_is_made_as_the_log_says() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy, crashed] = ["a.db", "b.db", "c.db"].map(|name| folder.path().join(name));
        let plain = Connection::open(&path).unwrap();
        plain.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL").unwrap();
        fill(&plain);
        // A reader that keeps the log from being checkpointed.
        plain.execute_batch("BEGIN; SELECT COUNT(*) FROM t").unwrap();
        let connection = connect(&path).unwrap();
        add_checksums(&connection, &path);
        assert!(!has_checksums(&path), "the head of the file is the old one");
        crate::db::backup::copy_file(&connect_to_copy(&path).unwrap(), &copy).unwrap();
        assert!(has_checksums(&copy));
        assert_eq!(damaged_pages(&copy), Vec::<u32>::new());
        // What a crash leaves.
        for end in ["", "-wal"] {
            let [from, to] = [&path, &crashed].map(|path| format!("{}{end}", path.display()));
            std::fs::copy(from, to).unwrap();
        }
        drop(connect_to_copy(&crashed).unwrap());
        let log = std::fs::metadata(format!("{}-wal", crashed.display())).unwrap().len();
        assert!(log > 0, "a copy leaves the log to the server");
        drop(connect(&crashed).unwrap());
        assert_eq!(read(&crashed), (ROWS, None));
        assert_eq!(damaged_pages(&crashed), Vec::<u32>::new());
    }

    /// What checksums cost: prints figures of connections with and without them, on the same rows.
    #[test]
    #[ignore = "prints figures"]
    fn cost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = connect(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB); BEGIN").unwrap();
        for row in 0..40_000_i64 {
            connection.execute("INSERT INTO t VALUES (?1, randomblob(300))", [row]).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        checkpoint(&connection);
        drop(connection);
        let plain = || {
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch("PRAGMA cache_size = -2048; PRAGMA synchronous = FULL").unwrap();
            connection
        };
        for _ in 0..3 {
            for (what, step) in [("in order", 1_i64), ("here and there", 7919)] {
                let time = |connection: Connection| {
                    let mut statement = connection.prepare("SELECT length(b) FROM t WHERE a = ?1").unwrap();
                    let begun = std::time::Instant::now();
                    let bytes: i64 = (0..40_000_i64)
                        .map(|row| statement.query_row([row * step % 40_000], |row| row.get::<_, i64>(0)).unwrap())
                        .sum();
                    assert_eq!(bytes, 40_000 * 300);
                    begun.elapsed().as_secs_f64() * 1e9 / 40_000.0
                };
                let (without, with) = (time(plain()), time(connect_read_only(&path).unwrap()));
                eprintln!("a row read {what}: {without:.0} ns, with checksums {with:.0} ns, {:.3}", with / without);
            }
            let time = |connection: &Connection| {
                connection.execute("UPDATE t SET b = randomblob(300) WHERE a % 50 = 0", []).unwrap();
                let begun = std::time::Instant::now();
                checkpoint(connection);
                begun.elapsed().as_secs_f64() * 1e3
            };
            // What the other connection has written has no checksums, so it comes last and they are made again.
            let with = time(&connect(&path).unwrap());
            let without = time(&plain());
            stamp_file(&path).unwrap();
            eprintln!("a checkpoint: {without:.1} ms, with checksums {with:.1} ms, {:.3}", with / without);
        }
        let page = [7_u8; 4096];
        let begun = std::time::Instant::now();
        let intact = (0..100_000).filter(|number| pages::is_intact(std::hint::black_box(&page), *number)).count();
        eprintln!("a page compared: {:.0} ns ({intact})", begun.elapsed().as_secs_f64() * 1e9 / 100_000.0);
    }

    #[test]
    fn every_page_of_a_new_database_has_a_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = connect(&path).unwrap();
        fill(&connection);
        checkpoint(&connection);
        assert!(has_checksums(&path));
        assert_eq!(damaged_pages(&path), Vec::<u32>::new());
        assert_eq!(read(&path), (ROWS, None));
        // Programs that know nothing of checksums read it too.
        let plain = Connection::open(&path).unwrap();
        assert_eq!(plain.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
    }

    #[test]
    fn a_damaged_page_is_an_error_for_its_rows_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = connect(&path).unwrap();
        fill(&connection);
        checkpoint(&connection);
        drop(connection);
        let pages = std::fs::metadata(&path).unwrap().len() / 4096;
        let mut partly = 0;
        for number in 3..=pages {
            let at = (number - 1) * 4096 + 2000;
            flip(&path, at);
            let (count, error) = read(&path);
            // The first pages of the tree lead to all rows; the map of pointers is not read.
            if let Some(error) = error {
                assert_eq!(error, StoreError::Corrupt(error.to_string().split_once(": ").unwrap().1.to_owned()));
                assert!(
                    error.to_string().contains(&format!("page {number} of the database file is damaged")),
                    "{error}"
                );
                partly += i64::from(count > ROWS / 2);
            } else {
                assert_eq!(count, ROWS);
            }
            assert_eq!(damaged_pages(&path), [u32::try_from(number).unwrap()]);
            flip(&path, at);
        }
        assert!(partly > i64::try_from(pages).unwrap() / 2, "{partly} of {pages}");
        assert_eq!(read(&path), (ROWS, None));
    }

    #[test]
    fn an_older_database_gets_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let plain = Connection::open(&path).unwrap();
        plain.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL").unwrap();
        fill(&plain);
        drop(plain);
        assert!(!has_checksums(&path));
        assert_eq!(read(&path), (ROWS, None), "it is read as it is");
        let connection = connect(&path).unwrap();
        connection.execute("UPDATE t SET b = b WHERE a = 0", []).unwrap();
        checkpoint(&connection);
        assert!(!has_checksums(&path), "and written as it is");
        add_checksums(&connection, &path);
        assert!(has_checksums(&path));
        assert_eq!(damaged_pages(&path), Vec::<u32>::new());
        connection.execute("DELETE FROM t WHERE a % 3 = 1", []).unwrap();
        connection.execute_batch("PRAGMA incremental_vacuum(10)").unwrap();
        checkpoint(&connection);
        assert_eq!(damaged_pages(&path), Vec::<u32>::new());
    }

    #[test]
    fn copies_have_checksums_if_the_original_has() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy, plain, plain_copy] = ["a.db", "b.db", "c.db", "d.db"].map(|name| folder.path().join(name));
        let connection = connect(&path).unwrap();
        fill(&connection);
        // A copy that does not fit into the cache is written before its head is.
        connection.execute("INSERT INTO t SELECT a + 1000, zeroblob(40000) FROM t", []).unwrap();
        crate::db::backup::copy_file(&connect_to_copy(&path).unwrap(), &copy).unwrap();
        assert!(has_checksums(&copy));
        assert_eq!(damaged_pages(&copy), Vec::<u32>::new());
        assert_eq!(read(&copy), (ROWS, None));
        fill(&Connection::open(&plain).unwrap());
        crate::db::backup::copy_file(&connect_to_copy(&plain).unwrap(), &plain_copy).unwrap();
        assert!(!has_checksums(&plain_copy));
        assert_eq!(read(&plain_copy), (ROWS, None));
    }

    #[test]
    fn what_another_program_wrote_can_be_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = connect(&path).unwrap();
        fill(&connection);
        checkpoint(&connection);
        drop(connection);
        let plain = Connection::open(&path).unwrap();
        plain.execute("UPDATE t SET b = zeroblob(100) WHERE a = 251", []).unwrap();
        drop(plain);
        let changed = damaged_pages(&path);
        assert!(!changed.is_empty());
        assert!(read(&path).1.is_some());
        assert_eq!(stamp_file(&path).unwrap(), changed);
        assert_eq!(damaged_pages(&path), Vec::<u32>::new());
        assert_eq!(read(&path), (ROWS, None));
    }
}
