//! Flipped bits and torn pages of a small database, many of them: the checksums of pages report every change of a stored value.
//!
//! `TAVERNKEEP_TEST_FAULTS=200` makes 10,000 flips and 1,000 torn pages, and `TAVERNKEEP_TEST_SEED` repeats a run. The campaign
//! `bit_flips` of the command line does the same with a larger database, whole checks and exports.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use tavernkeep_store::upkeep::check::{self, Report};
use tavernkeep_store::{Access, Database, FILE_NAME, Store, StoreResult};

/// Changes for each fault; one in eleven is a torn page.
const CHANGES: u64 = 55;
const TORN: u64 = 11;
/// One in so many changes is checked wholly as well.
const WHOLLY: u64 = 100;
const PAGE: usize = 4096;
const SECTOR: usize = 512;

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap()
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Every row of every table, as a program reads it that knows nothing of checksums.
fn content(file: &Path) -> rusqlite::Result<Vec<(String, Vec<Value>)>> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for name in names {
        let mut statement = connection.prepare(&format!("SELECT * FROM {name} NOT INDEXED"))?;
        let columns = statement.column_count();
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            rows.push((name.clone(), (0..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?));
        }
    }
    Ok(rows)
}

/// A story of an older version, which gets checksums when it is opened, with free pages; and what the file was before them.
async fn story(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let file = folder.join(FILE_NAME);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/golden/schema-3.db");
    std::fs::copy(golden, &file).unwrap();
    Store::open(&Database::Sqlite(folder.into()), Access::Own, 1).await.unwrap().close().await;
    let older = std::fs::read(&file).unwrap();
    let plain = Connection::open(&file).unwrap();
    let table = "CREATE TABLE other (bytes BLOB); INSERT INTO other VALUES (randomblob(40000)); DROP TABLE other;
        UPDATE session SET updated_at = updated_at + 1; UPDATE floor SET created_at = created_at + 1;";
    plain.execute_batch(table).unwrap();
    drop(plain);
    assert!(!tavernkeep_store::stamp(&file).unwrap().is_empty());
    (std::fs::read(&file).unwrap(), older)
}

fn flip(bytes: &mut [u8], random: &mut Random) -> String {
    let (at, bit) = (random.index(bytes.len()), random.below(8));
    bytes[at] ^= 1 << bit;
    format!("bit {bit} of byte {at}")
}

/// Leaves a page as if it was written by half: a part of it is old, or zeros, or another page's.
fn tear(bytes: &mut [u8], older: &[u8], random: &mut Random) -> String {
    let whole = bytes.to_vec();
    loop {
        bytes.copy_from_slice(&whole);
        let at = random.index(bytes.len());
        let start = at / SECTOR * SECTOR;
        let end = (start + SECTOR * (1 + random.index(PAGE / SECTOR - 1))).min((at / PAGE + 1) * PAGE);
        let from = random.index(bytes.len() / SECTOR - PAGE / SECTOR) * SECTOR;
        match (random.below(3), older.get(start..end)) {
            (0, Some(old)) => bytes[start..end].copy_from_slice(old),
            (1, _) => bytes[start..end].fill(0),
            _ => bytes.copy_within(from..from + (end - start), start),
        }
        // Most parts of most pages are what they were, or zeros. And a page that is wholly an older one is not torn: its write is lost,
        // which no checksum within the page can show.
        let page = at / PAGE * PAGE..(at / PAGE + 1) * PAGE;
        if bytes != whole && older.get(page.clone()).is_none_or(|old| *old != bytes[page]) {
            return format!("torn {start}..{end}");
        }
    }
}

#[tokio::test]
async fn every_change_of_a_stored_value_is_reported() {
    let seed = number("TAVERNKEEP_TEST_SEED").unwrap_or(1);
    let changes = number("TAVERNKEEP_TEST_FAULTS").unwrap_or(4) * CHANGES;
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let (whole, older) = story(folder.path()).await;
    let copy = tempfile::tempdir().unwrap();
    let file = copy.path().join(FILE_NAME);
    std::fs::write(&file, &whole).unwrap();
    let before = content(&file).unwrap();
    assert_eq!(check::sqlite_file(&file).unwrap().findings, []);
    let is_reported = |report: StoreResult<Report>| report.map_or(true, |report| !report.findings.is_empty());
    let mut figures = BTreeMap::<(&str, &str), u64>::new();
    for number in 0..changes {
        let mut bytes = whole.clone();
        let (kind, what) = match random.below(TORN) {
            0 => ("torn page", tear(&mut bytes, &older, &mut random)),
            _ => ("flip", flip(&mut bytes, &mut random)),
        };
        std::fs::write(&file, &bytes).unwrap();
        let is_another = content(&file).map_or(true, |after| after != before);
        let report = check::sqlite_pages(&file);
        let is_noted = report.as_ref().is_ok_and(|report| !report.notes.is_empty());
        let outcome = match (is_another, is_reported(report)) {
            (true, true) => "of a stored value or the way to it, reported",
            (false, true) => "of an index or an unused byte, reported",
            (false, false) if is_noted => "of a free page, noted",
            (is_another, false) => panic!("{what} is not reported; a stored value is another one: {is_another}"),
        };
        if number.is_multiple_of(WHOLLY) {
            assert!(is_reported(check::sqlite_file(&file)) || outcome == "of a free page, noted", "{what}");
        }
        *figures.entry((kind, outcome)).or_default() += 1;
    }
    eprintln!("{changes} changes of {} bytes, seed {seed}:", whole.len());
    figures.iter().for_each(|((kind, outcome), count)| eprintln!("{count} {kind} {outcome}"));
}
