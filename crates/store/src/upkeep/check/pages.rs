//! Every page of a SQLite file must be what was stored, whatever it holds: it has a checksum.

mod log;
mod map;

use super::{FINDINGS_OF_A_KIND_MAX, Report};
use crate::db::sqlite::page_checksums::{each_page, read_page};
use crate::db::sqlite::page_vfs;
use crate::db::sqlite::pages::{self, Layout};
use map::{Owner, PageMap};
use rusqlite::Connection;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

/// How often a page that seems to be damaged is read again while a server may be writing it, and after how long.
const ROUNDS: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);

/// Compares all pages with their checksums. A damaged page is a finding that names what it belongs to; one that is free is a note.
pub(super) fn check(path: &Path, connection: &Connection, report: &mut Report) {
    if let Err(error) = look(path, connection, report) {
        report.add_finding(None, None, format!("the pages of the file cannot be read: {error}"));
    }
}

fn look(path: &Path, connection: &Connection, report: &mut Report) -> io::Result<()> {
    let shared = page_vfs::shared(path);
    let file = shared.file()?;
    // The head of another kind of file is reported by SQLite itself.
    let Some(layout) = Layout::of_file(file)? else { return Ok(()) };
    if !layout.has_checksums() {
        if ends_marked(file, layout)? {
            report.add_finding(
                None,
                None,
                "page 1 of the file is damaged: it says that pages have no checksums".into(),
            );
        } else {
            let advice = "the pages of the file have no checksums; a server that starts on it adds them";
            report.notes.push(advice.into());
        }
        return Ok(());
    }
    // The first read brings the index of the log up to date, which says what of it was checkpointed. Damage there is found below.
    let _ = connection.query_row("PRAGMA schema_version", [], |_| Ok(()));
    let damaged = damaged_pages(file, path, layout)?;
    if damaged.is_empty() {
        return Ok(());
    }
    let names = roots(connection);
    let mut map = PageMap::new(file, layout);
    let mut unnamed = 0;
    for number in damaged {
        let owner = map.owner(number);
        if owner == Owner::Free {
            report.notes.push(format!("page {number} of the file is damaged, and free: nothing is stored in it"));
            continue;
        }
        if report.findings.len() >= FINDINGS_OF_A_KIND_MAX {
            unnamed += 1;
            continue;
        }
        let root = names.iter().find(|root| owner == Owner::Tree(root.page));
        let belongs = match owner {
            Owner::Schema => "it holds the schema".to_owned(),
            Owner::Map => "it holds the map of pages".to_owned(),
            Owner::FreeList => "it holds the list of free pages".to_owned(),
            Owner::Tree(_) | Owner::Unknown | Owner::Free => root.map_or_else(
                || "what it belongs to is not known".to_owned(),
                |root| format!("it belongs to the {}", root.what),
            ),
        };
        let message = format!("page {number} of the file is damaged: its checksum does not match; {belongs}");
        report.add_finding(None, None, message);
        if let (Some(root), Some(last)) = (root, report.findings.last_mut()) {
            last.table = crate::db::migrate::tables().find(|table| *table == root.table);
        }
    }
    if unnamed > 0 {
        report.add_finding(None, None, format!("{unnamed} more pages of the file are damaged"));
    }
    Ok(())
}

/// Pages that differ from their checksums and are read from the file: what is read from the log is written again by its checkpoint. A
/// server may be writing a page while it is compared, so each that differs is read again, and only what stays so counts.
fn damaged_pages(file: &File, path: &Path, layout: Layout) -> io::Result<Vec<u32>> {
    let mut suspects = Vec::new();
    each_page(file, layout, |number, page| {
        suspects.extend((!pages::is_intact(page, number)).then_some(number));
        Ok(())
    })?;
    for _ in 0..ROUNDS {
        if suspects.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE);
        let logged = log::pages(path, layout)?;
        let mut page = vec![0; layout.page_size];
        let mut still = Vec::new();
        for number in suspects {
            let is_there = read_page(file, layout, number, &mut page)?;
            if is_there && !pages::is_intact(&page, number) && !logged.contains(&number) {
                still.push(number);
            }
        }
        suspects = still;
    }
    Ok(suspects)
}

fn ends_marked(file: &File, layout: Layout) -> io::Result<bool> {
    let mut page = vec![0; layout.page_size];
    file.read_exact_at(&mut page, 0)?;
    Ok(pages::is_marked(&page))
}

/// The first page of a table or an index.
struct Root {
    page: u32,
    table: String,
    what: String,
}

/// None where the schema cannot be read.
fn roots(connection: &Connection) -> Vec<Root> {
    let read = || {
        let mut statement =
            connection.prepare("SELECT rootpage, type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0")?;
        let rows = statement.query_map([], |row| {
            let (kind, name, table): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let what =
                if kind == "table" { format!("table {name}") } else { format!("index {name} of the table {table}") };
            Ok(Root { page: row.get(0)?, table, what })
        })?;
        rows.collect::<rusqlite::Result<Vec<Root>>>()
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sqlite::page_checksums::layout_of;
    use crate::db::sqlite::{connect, connect_read_only};
    use std::fs::OpenOptions;

    fn flip(path: &Path, number: u32) {
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        let at = u64::from(number - 1) * 4096 + 1000;
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 1], at).unwrap();
    }

    fn checked(path: &Path) -> Report {
        let mut report = Report::default();
        check(path, &connect_read_only(path).unwrap(), &mut report);
        report
    }

    /// A table with an index and large rows, and free pages.
    fn made(path: &Path) -> Connection {
        let connection = connect(path).unwrap();
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)";
        connection
            .execute_batch(&format!(
                "CREATE TABLE page (a INTEGER PRIMARY KEY, b TEXT, c BLOB);
                 CREATE INDEX page_by_b ON page (b);
                 CREATE TABLE other (a BLOB);
                 INSERT INTO page {rows} SELECT i, 'text ' || i * 7919, zeroblob(i * 30) FROM n;
                 INSERT INTO other {rows} SELECT randomblob(3000) FROM n;
                 DROP TABLE other;
                 PRAGMA wal_checkpoint(TRUNCATE);"
            ))
            .unwrap();
        connection
    }

    #[test]
    fn damaged_pages_are_named_with_what_they_belong_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(made(&path));
        assert_eq!(checked(&path), Report::default());
        let pages = u32::try_from(std::fs::metadata(&path).unwrap().len() / 4096).unwrap();
        let [mut table, mut index, mut free, mut list] = [0; 4];
        for number in 2..=pages {
            flip(&path, number);
            let report = checked(&path);
            match (report.findings.as_slice(), report.notes.as_slice()) {
                ([], [note]) => {
                    assert!(note.starts_with(&format!("page {number} of the file is damaged, and free")), "{note}");
                    free += 1;
                }
                ([finding], []) => {
                    assert!(finding.message.starts_with(&format!("page {number} of the file is damaged: ")));
                    let ends = |end: &str| i32::from(finding.message.ends_with(end));
                    table += ends("the table page");
                    index += ends("the index page_by_b of the table page");
                    list += ends("the list of free pages");
                    assert!(finding.table == Some("page") || ends("the map of pages") + ends("free pages") > 0);
                }
                other => panic!("page {number}: {other:?}"),
            }
            flip(&path, number);
        }
        assert!(table > 100 && index > 0 && free > 200 && list >= 1, "{table} {index} {free} {list}");
        assert_eq!(checked(&path), Report::default());
    }

    #[test]
    fn a_page_in_the_log_may_be_anything_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = made(&path);
        connection.execute("UPDATE page SET b = 'another' WHERE a = 299", []).unwrap();
        let logged = log::pages(&path, layout_of(&path).unwrap().unwrap()).unwrap();
        let number = *logged.last().unwrap();
        flip(&path, number);
        assert_eq!(checked(&path), Report::default());
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        assert_eq!(checked(&path), Report::default(), "the checkpoint has written it again");
        flip(&path, number);
        assert_eq!(checked(&path).findings.len(), 1);
    }

    /// After a checkpoint that leaves the log as long as it is, readers use the file.
    #[test]
    fn a_page_that_was_checkpointed_is_compared_although_the_log_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = made(&path);
        connection.execute("UPDATE page SET b = 'another' WHERE a = 299", []).unwrap();
        let layout = layout_of(&path).unwrap().unwrap();
        let number = *log::pages(&path, layout).unwrap().last().unwrap();
        connection.execute_batch("PRAGMA wal_checkpoint(PASSIVE)").unwrap();
        assert!(log::pages(&path, layout).unwrap().is_empty());
        flip(&path, number);
        assert_eq!(checked(&path).findings.len(), 1);
    }

    /// What a transaction wrote to the log before it was rolled back is read by nobody.
    #[test]
    fn a_page_that_was_rolled_back_is_compared_although_the_log_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = made(&path);
        connection.execute_batch("PRAGMA cache_size = 2; BEGIN; UPDATE page SET c = zeroblob(500)").unwrap();
        connection.execute_batch("ROLLBACK").unwrap();
        assert!(std::fs::metadata(format!("{}-wal", path.display())).unwrap().len() > 4096, "the log has pages");
        assert!(log::pages(&path, layout_of(&path).unwrap().unwrap()).unwrap().is_empty());
    }
}
