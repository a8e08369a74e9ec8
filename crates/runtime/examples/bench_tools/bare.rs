//! What a call cannot do without: its rows, written by bare SQLite into the same tables in two transactions, statement by statement.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;
use std::time::Instant;

/// What a call does to the tables: those that get a row, with the columns that differ from row to row, and other statements.
enum Step {
    Insert(&'static str, &'static [&'static str]),
    Other(&'static str, &'static str),
}
use Step::{Insert, Other};

/// `running` is committed before the tool runs, so there are two transactions.
const STEPS: [Step; 15] = [
    Other("begin", "BEGIN IMMEDIATE"),
    Other("the clock", "UPDATE tool_session SET seq = seq + 1, calls = calls + 1 WHERE {session}"),
    Insert("tool_call", &["call_row", "id"]),
    Insert("event", &["position", "seq"]),
    Other("commit", "COMMIT"),
    Other("begin", "BEGIN IMMEDIATE"),
    Other("the clock", "UPDATE tool_session SET seq = seq + 1 WHERE {session}"),
    Other("the call's end", END),
    Insert("tool_call_body", &["call_row"]),
    Other("a variable leaves", EVICT),
    Insert("scratch", &["name", "visited", "updated"]),
    Other("a variable leaves", EVICT),
    Insert("scratch", &["name", "visited", "updated"]),
    Insert("event", &["position", "seq"]),
    Other("commit", "COMMIT"),
];

const END: &str = "UPDATE tool_call SET status = 5, ended_at = 1, run = NULL, lease_until = NULL
    WHERE {session} AND call_row = (SELECT MAX(call_row) FROM tool_call WHERE {session})";
const EVICT: &str = "DELETE FROM scratch WHERE {session} AND name = (
    SELECT name FROM scratch WHERE {session} AND kept = 0 ORDER BY visited, updated, created, name DESC LIMIT 1)";

/// The median of each statement in ms, in their order, and the CPU time of all of them.
pub struct Least {
    pub statements: Vec<(&'static str, f64)>,
    pub cpu_ms: f64,
}

/// Adds so many calls' rows behind those of a session.
pub fn calls(file: &Path, count: i64, cpu_ms: impl Fn() -> f64) -> Least {
    let connection = Connection::open(file).unwrap();
    connection.set_prepared_statement_cache_capacity(64);
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
        PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 10000; PRAGMA secure_delete = FAST;";
    connection.execute_batch(settings).unwrap();
    let session: (String, i64) = connection
        .query_row("SELECT account_id, session_row FROM tool_session", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let session = format!("account_id = '{}' AND session_row = {}", session.0, session.1);
    let rows: Vec<Row> = STEPS.iter().map(|step| Row::of(&connection, &session, step)).collect();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); STEPS.len()];
    let cpu = cpu_ms();
    for number in 1..=count {
        for ((index, row), times) in (0..).zip(&rows).zip(&mut times) {
            // Two rows of one table in one call have numbers of their own.
            let values = row.numbered(number * 100 + index);
            let started = Instant::now();
            connection.prepare_cached(&row.sql).unwrap().execute(params_from_iter(values)).unwrap();
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    #[allow(clippy::cast_precision_loss)]
    let cpu_ms = (cpu_ms() - cpu) / count as f64;
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let statements = rows.iter().map(|row| row.name).zip(times.into_iter().map(median)).collect();
    Least { statements, cpu_ms }
}

/// A statement, and the newest row of its table to be added again under other numbers.
struct Row {
    name: &'static str,
    sql: String,
    values: Vec<Value>,
    changing: Vec<usize>,
}

impl Row {
    fn of(connection: &Connection, session: &str, step: &Step) -> Row {
        let (table, changing) = match step {
            Insert(table, changing) => (*table, *changing),
            Other(name, sql) => {
                let sql = sql.replace("{session}", session);
                return Row { name, sql, values: Vec::new(), changing: Vec::new() };
            }
        };
        let select = format!("SELECT * FROM {table} ORDER BY {} DESC LIMIT 1", changing[0]);
        let mut statement = connection.prepare(&select).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let read = |row: &rusqlite::Row<'_>| (0..names.len()).map(|at| row.get(at)).collect::<rusqlite::Result<_>>();
        let values: Vec<Value> = statement.query_row([], read).unwrap();
        let places = vec!["?"; names.len()].join(",");
        let changing = changing.iter().map(|&name| names.iter().position(|it| it == name).unwrap()).collect();
        Row { name: table, sql: format!("INSERT INTO {table} VALUES ({places})"), values, changing }
    }

    fn numbered(&self, number: i64) -> Vec<Value> {
        let mut values = self.values.clone();
        for &at in &self.changing {
            match &mut values[at] {
                Value::Integer(value) => *value += number,
                Value::Text(id) => id.replace_range(id.len() - 9.., &format!("{number:09}")),
                Value::Blob(name) => name.extend(format!("{number:09}").bytes()),
                _ => {}
            }
        }
        values
    }
}
