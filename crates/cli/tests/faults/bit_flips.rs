//! Flipped bits and torn pages in a database file: `check` reports every change of a stored body and of a key, an export leaves
//! out what is damaged and shows nothing else than what was stored, and nothing panics.

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
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Changes of the file for each fault of the campaign: 200 faults make 10,000.
const CHANGES: u64 = 50;
const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// The first bytes of stored bodies, as `store/src/db/codec.rs` has them.
const BODY_FORMATS: [u8; 2] = [0xb4, 0x4b];

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

type Row = Vec<Stored>;

/// Everything in the file, by table.
struct Content(BTreeMap<String, (Vec<String>, Vec<Row>)>);

impl Content {
    /// Reads all rows of all tables, or says what cannot be read.
    fn read(file: &Path) -> Result<Content, rusqlite::Error> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut statement = connection.prepare(names)?;
        let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut tables = BTreeMap::new();
        for name in names {
            let mut statement = connection.prepare(&format!("SELECT * FROM {name} NOT INDEXED"))?;
            // A damaged schema may have names that are no text.
            let mut named = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let columns = named.query_map([&name], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
            let value = |row: &rusqlite::Row<'_>, at| row.get_ref(at).map(Stored::from);
            let read =
                |row: &rusqlite::Row<'_>| (0..columns.len()).map(|at| value(row, at)).collect::<Result<Row, _>>();
            let rows = statement.query_map([], read)?.collect::<Result<_, _>>()?;
            tables.insert(name, (columns, rows));
        }
        Ok(Content(tables))
    }

    /// What another content has instead, as columns, or which table has other rows.
    fn changed_columns(&self, other: &Content) -> Result<BTreeSet<(String, Kind)>, String> {
        if !self.0.keys().eq(other.0.keys()) {
            return Err("another schema".into());
        }
        let mut changed = BTreeSet::new();
        for (name, (columns, rows)) in &self.0 {
            let (_, others) = &other.0[name];
            if rows.len() != others.len() {
                return Err(format!("{name} has {} rows instead of {}", others.len(), rows.len()));
            }
            for (row, other) in rows.iter().zip(others).filter(|(row, other)| row != other) {
                for ((column, value), other) in
                    columns.iter().zip(row).zip(other).filter(|((_, value), other)| value != other)
                {
                    changed.insert((format!("{name}.{column}"), Kind::of(value, other)));
                }
            }
        }
        Ok(changed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// What has a checksum.
    Body,
    /// A body that is not there any more: the head of its row says so now, and nothing is left to compare.
    Absent,
    /// Numbers, ids, names: what stands in small rows.
    Small,
}

impl Kind {
    fn of(before: &Stored, after: &Stored) -> Kind {
        match (before, after) {
            (Stored::Bytes(bytes), Stored::Bytes(_)) if is_body(bytes) => Kind::Body,
            (Stored::Bytes(bytes), _) if is_body(bytes) => Kind::Absent,
            _ => Kind::Small,
        }
    }
}

fn is_body(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|format| BODY_FORMATS.contains(format))
}

/// A database with some of everything, folded into one file.
fn mixed(random: &mut Random) -> Arc<Place> {
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    let mut crew = Crew::new(2, random, &wire);
    crew.run(|client| (0..120).for_each(|_| assert!(matches!(client.go(&wire), Outcome::Acknowledged))), || {});
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
    place
}

/// Changes some bytes and says what it did.
fn damage(bytes: &mut [u8], random: &mut Random) -> String {
    let at = random.index(bytes.len());
    match random.below(10) {
        // A page that was written by half: a part of it is old, or zeros, or another page's.
        0 => {
            let start = at / SECTOR * SECTOR;
            let end = (start + SECTOR * (1 + random.index(PAGE / SECTOR - 1))).min((at / PAGE + 1) * PAGE);
            let from = random.index(bytes.len() / SECTOR - PAGE / SECTOR) * SECTOR;
            if random.once_in(2) {
                bytes[start..end].fill(0);
            } else {
                bytes.copy_within(from..from + (end - start), start);
            }
            format!("torn {start}..{end}")
        }
        _ => {
            let bit = random.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
    }
}

#[test]
fn every_change_of_a_stored_value_is_reported() {
    let campaign = Campaign::begin("bit flips");
    let mut random = campaign.random();
    let place = mixed(&mut random);
    let whole = std::fs::read(place.sqlite_file()).expect("the database is a file");
    let before = Content::read(&place.sqlite_file()).expect("it can be read");
    let lines: HashSet<String> = inside::exported(&place.data()).expect("it can be exported").into_iter().collect();
    assert!(place.output(&["check"]).status.success());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tavernkeep.db");
    let mut figures = BTreeMap::<&str, u64>::new();
    let mut unseen = BTreeMap::<String, u64>::new();
    for _ in 0..campaign.faults * CHANGES {
        let mut bytes = whole.clone();
        let what = damage(&mut bytes, &mut random);
        for name in ["tavernkeep.db-wal", "tavernkeep.db-shm"] {
            drop(std::fs::remove_file(folder.path().join(name)));
        }
        std::fs::write(&file, &bytes).expect("a copy");
        let after = Content::read(&file).map_err(|error| error.to_string());
        let changed = after.and_then(|after| before.changed_columns(&after));
        if changed.as_ref().is_ok_and(BTreeSet::is_empty) {
            *figures.entry("in free space or an index").or_default() += 1;
            continue;
        }
        let is_reported = tavernkeep_runtime::check_file(&file).map_or(true, |report| !report.findings.is_empty());
        let changed = match changed {
            Ok(changed) => changed,
            Err(why) => {
                assert!(is_reported, "{what}: {why} and nothing is reported");
                *figures.entry("of the structure").or_default() += 1;
                continue;
            }
        };
        if changed.iter().any(|(_, kind)| *kind == Kind::Body) {
            assert!(is_reported, "{what}: {changed:?} is not reported");
            *figures.entry("of bodies").or_default() += 1;
            if changed.iter().all(|(_, kind)| *kind == Kind::Body) {
                // What is shown is what was stored.
                for line in inside::exported(folder.path()).expect("the rest can be exported") {
                    let is_right = line.starts_with("{\"kind\":\"damaged\"") || lines.contains(&line);
                    assert!(is_right, "{what}: {changed:?}: {line}");
                }
            }
        } else if is_reported {
            *figures.entry("of small rows, reported").or_default() += 1;
        } else {
            *figures.entry("of small rows, not reported").or_default() += 1;
            changed.into_iter().for_each(|(column, _)| *unseen.entry(column).or_default() += 1);
        }
    }
    let figures: Vec<String> = figures.iter().map(|(what, count)| format!("{count} {what}")).collect();
    campaign.report(&format!("{} changes of {} bytes: {}", campaign.faults * CHANGES, whole.len(), figures.join(", ")));
    if !unseen.is_empty() {
        campaign.report(&format!("not reported: {unseen:?}"));
    }
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
}
