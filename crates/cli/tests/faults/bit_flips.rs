//! Flipped bits and torn pages in a database file: `check` reports every change of a stored value, an export leaves out what is
//! damaged and shows nothing else than what was stored, and nothing panics.

use crate::campaign::Campaign;
use crate::client::Outcome;
use crate::crew::Crew;
use crate::http::{Reply, Request, Wire};
use crate::inside;
use crate::random::Random;
use crate::support::place::said;
use crate::support::{Place, Server};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use tavernkeep_runtime::{Report, RuntimeResult};

/// Changes of the file for each fault of the campaign: 200 faults make 10,000 flips and 1,000 torn pages.
const CHANGES: u64 = 55;
/// One in so many changes is a torn page.
const TORN: u64 = 11;
/// One in so many changes is checked wholly and exported as well, which takes longer than all the rest.
const WHOLLY: u64 = 20;
const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// A value as its bytes: damaged text may be no text any more.
#[derive(Debug, PartialEq)]
enum Stored {
    Null,
    Number(u64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
}

impl From<ValueRef<'_>> for Stored {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Stored::Null,
            ValueRef::Integer(number) => Stored::Number(number.cast_unsigned()),
            ValueRef::Real(number) => Stored::Number(number.to_bits()),
            ValueRef::Text(text) => Stored::Text(text.to_vec()),
            ValueRef::Blob(bytes) => Stored::Bytes(bytes.to_vec()),
        }
    }
}

/// Everything in the file, by table: the columns of its rows.
#[derive(Debug, PartialEq)]
struct Content(BTreeMap<String, Vec<Vec<Stored>>>);

impl Content {
    /// Reads all rows of all tables as a program does that knows nothing of checksums, or says what cannot be read.
    fn read(file: &Path) -> Result<Content, rusqlite::Error> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut statement = connection.prepare(names)?;
        let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut tables = BTreeMap::new();
        for name in names {
            let mut statement = connection.prepare(&format!("SELECT * FROM {name} NOT INDEXED"))?;
            let columns = statement.column_count();
            let value = |row: &rusqlite::Row<'_>, at| row.get_ref(at).map(Stored::from);
            let read = |row: &rusqlite::Row<'_>| (0..columns).map(|at| value(row, at)).collect::<Result<_, _>>();
            let rows = statement.query_map([], read)?.collect::<Result<_, _>>()?;
            tables.insert(name, rows);
        }
        Ok(Content(tables))
    }
}

/// A database with some of everything, folded into one file, and what the file was before.
fn mixed(random: &mut Random) -> (Arc<Place>, Vec<u8>) {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let mut wire = Wire::to(&server.base);
    let mut crew = Crew::new(2, random, &wire);
    let mut older = Vec::new();
    for _ in 0..2 {
        crew.run(|client| (0..60).for_each(|_| assert!(matches!(client.go(&wire), Outcome::Acknowledged))), || {});
        assert!(server.terminate().success());
        if older.is_empty() {
            older = std::fs::read(place.sqlite_file()).expect("the database is a file");
        }
        server = Server::start_on(Arc::clone(&place));
        wire = Wire::to(&server.base);
    }
    wire.must(&Request::post("/sessions", json!({"id": "agent", "metadata": {"of": "an agent"}})));
    for number in 0..5 {
        let path = format!("/sessions/agent/scratchpad/note{number}");
        wire.must(&Request::put(path, json!({"value": random.text(300)})));
    }
    wire.must(&Request::put(
        "/variables",
        json!({"scope": "global", "scope_id": "global", "key": "long", "value": random.text(20_000)}),
    ));
    wire.must(&Request::post("/characters", json!({"id": "yuki", "name": "Yuki", "template": {"mood": "calm"}})));
    assert!(server.terminate().success());
    leave_free_pages(&place.sqlite_file());
    (place, older)
}

/// Another program's table leaves free pages behind.
fn leave_free_pages(file: &Path) {
    let connection = Connection::open(file).expect("the database");
    let table = "CREATE TABLE other (bytes BLOB); INSERT INTO other VALUES (randomblob(100000)); DROP TABLE other;";
    connection.execute_batch(table).expect("a table");
    drop(connection);
    assert!(!tavernkeep_runtime::stamp_pages(file).expect("the file").is_empty());
}

/// Changes some bytes and says what it did.
fn damage(bytes: &mut [u8], older: &[u8], random: &mut Random) -> (&'static str, String) {
    if random.below(TORN) > 0 {
        let at = random.index(bytes.len());
        let bit = random.below(8);
        bytes[at] ^= 1 << bit;
        return ("flip", format!("bit {bit} of byte {at}"));
    }
    let whole = bytes.to_vec();
    // Most parts of most pages are what they were, or zeros.
    for _ in 0..100 {
        bytes.copy_from_slice(&whole);
        let (page, what) = tear(bytes, older, random);
        // A page that is wholly an older one is not torn: its write is lost, which no checksum within the page can show.
        if bytes != whole && older.get(page.clone()).is_none_or(|old| *old != bytes[page]) {
            return ("torn page", what);
        }
    }
    bytes.copy_from_slice(&whole);
    ("torn page", "nothing".to_owned())
}

/// Leaves a page as if it was written by half: a part of it is old, or zeros, or another page's.
fn tear(bytes: &mut [u8], older: &[u8], random: &mut Random) -> (std::ops::Range<usize>, String) {
    let at = random.index(bytes.len());
    let start = at / SECTOR * SECTOR;
    let end = (start + SECTOR * (1 + random.index(PAGE / SECTOR - 1))).min((at / PAGE + 1) * PAGE);
    let from = random.index(bytes.len() / SECTOR - PAGE / SECTOR) * SECTOR;
    match (random.below(3), older.get(start..end)) {
        (0, Some(old)) => bytes[start..end].copy_from_slice(old),
        (1, _) => bytes[start..end].fill(0),
        _ => bytes.copy_within(from..from + (end - start), start),
    }
    let page = at / PAGE * PAGE;
    (page..page + PAGE, format!("torn {start}..{end}"))
}

#[test]
fn every_change_of_a_stored_value_is_reported() {
    let campaign = Campaign::begin("bit flips");
    let mut random = campaign.random();
    let (place, older) = mixed(&mut random);
    let whole = std::fs::read(place.sqlite_file()).expect("the database is a file");
    let before = Content::read(&place.sqlite_file()).expect("it can be read");
    let lines: HashSet<String> = inside::exported(&place.data()).expect("it can be exported").into_iter().collect();
    assert!(place.output(&["check"]).status.success());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tavernkeep.db");
    let mut figures = BTreeMap::<(&str, &str), u64>::new();
    let mut exports = BTreeMap::<&str, u64>::new();
    for number in 0..campaign.faults * CHANGES {
        let mut bytes = whole.clone();
        let (kind, what) = damage(&mut bytes, &older, &mut random);
        for name in ["tavernkeep.db-wal", "tavernkeep.db-shm"] {
            drop(std::fs::remove_file(folder.path().join(name)));
        }
        std::fs::write(&file, &bytes).expect("a copy");
        let is_another = Content::read(&file).map_or(true, |after| after != before);
        let verdict = |report: RuntimeResult<Report>| {
            report.map_or((true, false), |report| (!report.findings.is_empty(), !report.notes.is_empty()))
        };
        let (is_reported, is_noted) = verdict(tavernkeep_runtime::check_pages(&file));
        let outcome = match (bytes == whole, is_another, is_reported, is_noted) {
            (true, _, is_reported, is_noted) => {
                assert!(!is_reported && !is_noted, "{what} is reported and changes nothing");
                "of no byte"
            }
            (_, true, true, _) => "of a stored value or the way to it, reported",
            (_, false, true, _) => "of an index or an unused byte, reported",
            (_, false, false, true) => "of a free page, noted",
            (_, another, false, _) => panic!("{what} is not reported; a stored value is another one: {another}"),
        };
        *figures.entry((kind, outcome)).or_default() += 1;
        if !number.is_multiple_of(WHOLLY) {
            continue;
        }
        assert_eq!(verdict(tavernkeep_runtime::check_file(&file)), (is_reported, is_noted), "{what}");
        // What is shown is what was stored.
        let Ok(shown) = inside::exported(folder.path()) else {
            *exports.entry("refused").or_default() += 1;
            continue;
        };
        let is_damaged = |line: &String| line.starts_with("{\"kind\":\"damaged\"");
        for line in &shown {
            assert!(is_damaged(line) || lines.contains(line), "{what}: {line}");
        }
        let (damaged, rest) = (shown.iter().filter(|line| is_damaged(line)).count(), shown.len());
        assert!(
            damaged > 0 || rest == lines.len(),
            "{what}: {} of {} lines are left, without a word",
            rest,
            lines.len()
        );
        *exports.entry(if damaged == 0 { "whole" } else { "with damaged lines" }).or_default() += 1;
    }
    let figures: Vec<String> = figures.iter().map(|((kind, what), count)| format!("{kind} {what}: {count}")).collect();
    let exports: Vec<String> = exports.iter().map(|(what, count)| format!("{count} {what}")).collect();
    let changes = campaign.faults * CHANGES;
    campaign.report(&format!("{changes} changes of {} bytes: {}", whole.len(), figures.join("; ")));
    campaign.report(&format!("exports: {}", exports.join(", ")));
}

/// The command line names what is damaged, exports the rest, and ends with an error.
#[test]
fn a_damaged_text_is_named_and_the_rest_exported() {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    wire.must(&Request::post("/sessions", json!({"id": "s"})));
    for page in ["first", "second", "third"] {
        let body = json!({"role": "assistant", "content": format!("the {page} text"), "page_id": page});
        wire.must(&Request::post("/sessions/s/turns", body));
    }
    assert!(server.terminate().success());
    edit_text(&place.sqlite_file(), b"the second text", b"the edited text");
    let checked = place.output(&["check", "--json"]);
    assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
    let report: serde_json::Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    let finding = &report["findings"][0];
    assert_eq!((&finding["table"], &finding["session_id"]), (&json!("body"), &json!("s")), "{report}");
    let output = place.file("export.jsonl");
    let exported = place.output(&["account", "export", "default-admin", "--output", output.to_str().expect("a name")]);
    assert_eq!(exported.status.code(), Some(1), "{}", said(&exported));
    assert!(said(&exported).contains("session s, page second"), "{}", said(&exported));
    let lines = std::fs::read_to_string(&output).expect("the export");
    assert!(lines.contains("the first text") && lines.contains("the third text") && !lines.contains("edited text"));
    assert!(lines.contains(r#"{"kind":"damaged","data":{"session_id":"s","kind":"page","id":"second""#), "{lines}");
    // A served page is no other text either.
    let server = Server::start_on(Arc::clone(&place));
    match Wire::to(&server.base).send(&Request::get("/pages/second")) {
        Reply::Answered(answer) => assert!(!answer.is_success() && !answer.text.contains("edited text"), "{answer:?}"),
        Reply::Broken(why) => panic!("{why}"),
    }
}

/// An export of a session ends, and shows its texts, whichever index of the sessions is damaged.
#[test]
fn an_export_ends_where_an_index_of_sessions_is_damaged() {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    wire.must(&Request::post("/sessions", json!({"id": "s"})));
    wire.must(&Request::post("/sessions/s/turns", json!({"role": "assistant", "content": "the text", "page_id": "p"})));
    assert!(server.terminate().success());
    let file = place.sqlite_file();
    let connection = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the database");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'session' AND rootpage > 0";
    let mut statement = connection.prepare(sql).expect("a statement");
    let pages: Vec<u16> =
        statement.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("numbers");
    assert!(!pages.is_empty());
    let whole = std::fs::read(&file).expect("the file");
    for page in pages.into_iter().map(usize::from) {
        let mut bytes = whole.clone();
        bytes[page * PAGE - 100] ^= 1;
        std::fs::write(&file, &bytes).expect("a copy");
        let lines = inside::exported(&place.data()).expect("the rest can be exported");
        assert!(lines.iter().any(|line| line.contains("the text")), "page {page}: {lines:?}");
    }
}

/// Changes a stored text as an editor of databases does.
fn edit_text(file: &Path, old: &[u8], new: &[u8]) {
    let connection = Connection::open(file).expect("the database");
    let find = "SELECT rowid, content FROM body WHERE instr(content, ?1) > 0";
    let (row, mut content): (i64, Vec<u8>) =
        connection.query_row(find, [old], |row| Ok((row.get(0)?, row.get(1)?))).expect("one row has the text");
    let at = content.windows(old.len()).position(|bytes| bytes == old).expect("it is there");
    content[at..at + old.len()].copy_from_slice(new);
    let changed = connection.execute("UPDATE body SET content = ?2 WHERE rowid = ?1", (row, content));
    assert_eq!(changed.expect("it can be changed"), 1);
    drop(connection);
    // The page would be damaged without: an editor of databases knows nothing of checksums.
    assert!(!tavernkeep_runtime::stamp_pages(file).expect("the file").is_empty());
}
