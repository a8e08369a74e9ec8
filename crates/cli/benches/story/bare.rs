//! What a turn cannot do without: its rows, written by bare SQLite into the same tables, statement by statement.

use crate::ours::{Cost, cost, cpu_seconds};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;
use std::time::Instant;

/// The tables that a turn adds a row to, and their columns that differ from row to row: numbers that rise, and ids.
const TABLES: [(&str, &[&str]); 6] = [
    ("floor", &["floor_row", "floor_no", "id"]),
    ("page", &["page_row", "floor_row", "id"]),
    ("body", &["host_row"]),
    ("version", &["version_row", "page_row"]),
    ("snapshot", &["page_row", "id"]),
    ("event", &["position", "seq"]),
];

/// What the rows of a turn cost.
pub struct Least {
    /// Seconds for each statement, in their order. Only the commit waits for the disk.
    pub statements: Vec<(&'static str, f64)>,
    pub all: Cost,
}

/// Adds so many turns' rows behind those of a chat.
pub fn turns(file: &Path, count: usize) -> Least {
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 10000;",
        )
        .unwrap();
    let rows: Vec<Row> = TABLES.iter().map(|&(table, changing)| Row::last(&connection, table, changing)).collect();
    let names = ["begin", "session"].into_iter().chain(TABLES.map(|(table, _)| table)).chain(["commit"]);
    let mut statements: Vec<(&str, f64)> = names.map(|name| (name, 0.0)).collect();
    let (started, cpu) = (Instant::now(), cpu_seconds());
    for number in 1..=count as i64 {
        let mut measured = statements.iter_mut();
        let mut run = |sql: &str, values: &[Value]| {
            let started = Instant::now();
            connection.prepare_cached(sql).unwrap().execute(params_from_iter(values)).unwrap();
            measured.next().unwrap().1 += started.elapsed().as_secs_f64();
        };
        run("BEGIN IMMEDIATE", &[]);
        run("UPDATE session SET seq = seq + 1, last_row = last_row + 2, updated_at = updated_at + 1", &[]);
        for row in &rows {
            run(&row.sql, &row.numbered(number));
        }
        run("COMMIT", &[]);
    }
    let all = cost(started, cpu, count);
    let statements = statements.into_iter().map(|(name, sum)| (name, sum / count as f64)).collect();
    Least { statements, all }
}

/// The newest row of a table, to be added again under other numbers.
struct Row {
    sql: String,
    values: Vec<Value>,
    changing: Vec<usize>,
}

impl Row {
    fn last(connection: &Connection, table: &str, changing: &[&str]) -> Row {
        let sql = format!("SELECT * FROM {table} ORDER BY {} DESC LIMIT 1", changing[0]);
        let mut statement = connection.prepare(&sql).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let values = statement
            .query_row([], |row| (0..names.len()).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>())
            .unwrap();
        let places = vec!["?"; names.len()].join(",");
        let changing = changing.iter().map(|&name| names.iter().position(|it| it == name).unwrap()).collect();
        Row { sql: format!("INSERT INTO {table} VALUES ({places})"), values, changing }
    }

    fn numbered(&self, number: i64) -> Vec<Value> {
        let mut values = self.values.clone();
        for &at in &self.changing {
            match &mut values[at] {
                Value::Integer(value) => *value += 2 * number,
                Value::Text(id) => id.replace_range(id.len() - 6.., &format!("{number:06}")),
                _ => {}
            }
        }
        values
    }
}
