//! Rows of any table as bytes, and back: what is deleted leaves its table and can be put back as it was.

use crate::tree::prelude::*;
use crate::tree::trash_items::{Amount, TrashKind};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    pub fn param(&self) -> Param<'_> {
        match self {
            Value::Null => Param::Null,
            Value::Int(number) => Param::Int(*number),
            Value::Text(text) => Param::Text(text),
            Value::Bytes(bytes) => Param::Bytes(bytes),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Int,
    Text,
    Bytes,
}

tavernkeep_engine::stored_enum! {
    /// A table whose rows are kept.
    Table {
        Branch = "branch",
        Floor = "floor",
        Page = "page",
        Body = "body",
        Variable = "variable",
        History = "history",
        FloorKey = "floor_key",
        StagedWrite = "staged_write",
        Promotion = "promotion",
        /// The floor of pages that were deleted alone: it is needed if that is gone when they are restored.
        FloorOfPages = "floor_of_pages",
        PageEdit = "page_edit",
        /// With its document; it is put back by other means.
        GlobalSnapshot = "global_snapshot",
        /// Says of a kept page that it is the text that a page had before a sync gave it another one.
        ReplacedText = "replaced_text",
        /// What a branch stood on when its floors were deleted: another branch and the last position on it, the nearest first.
        BranchBase = "branch_base",
        /// When states were dropped, as a row of the session: branches with higher ones were made later.
        DroppedAt = "dropped_at",
    }
}

const INT: Kind = Kind::Int;
const TEXT: Kind = Kind::Text;
const BYTES: Kind = Kind::Bytes;

type Columns = &'static [(&'static str, Kind)];

const FLOOR: Columns = &[
    ("floor_row", INT),
    ("id", TEXT),
    ("branch_row", INT),
    ("floor_no", INT),
    ("state", INT),
    ("created_at", INT),
    ("updated_at", INT),
    ("variables", INT),
    ("committed_seq", INT),
    ("broken", INT),
    ("has_state", INT),
];

impl Table {
    fn columns(self) -> Columns {
        match self {
            Table::Branch => &[
                ("branch_row", INT),
                ("id", BYTES),
                ("source_floor_row", INT),
                ("source_floor_no", INT),
                ("created_at", INT),
                ("variables", INT),
                ("source_branch_row", INT),
                ("source_seq", INT),
            ],
            Table::Floor | Table::FloorOfPages => FLOOR,
            Table::Page => &[
                ("page_row", INT),
                ("id", TEXT),
                ("floor_row", INT),
                ("page_no", INT),
                ("version", INT),
                ("kind", INT),
                ("is_active", INT),
                ("role", BYTES),
                ("name", BYTES),
                ("created_at", INT),
                ("updated_at", INT),
                ("variables", INT),
                ("committed_seq", INT),
                ("text_hash", BYTES),
                ("turn_hash", BYTES),
                ("edits_hash", BYTES),
            ],
            Table::PageEdit => &[
                ("page_row", INT),
                ("number", INT),
                ("id", TEXT),
                ("kind", INT),
                ("created_at", INT),
                ("taken_back_at", INT),
                ("reason", BYTES),
                ("ops", BYTES),
            ],
            Table::GlobalSnapshot => &[
                ("id", TEXT),
                ("name", BYTES),
                ("description", BYTES),
                ("tags", BYTES),
                ("created_at", INT),
                ("revision", INT),
                ("document", BYTES),
            ],
            Table::ReplacedText => &[("page_row", INT)],
            Table::BranchBase => &[("branch_row", INT), ("base_branch_row", INT), ("base_floor_no", INT)],
            Table::DroppedAt => &[("row", INT)],
            Table::Body => &[("scope", INT), ("host_row", INT), ("content", BYTES), ("extra", BYTES)],
            Table::Variable => &[
                ("scope", INT),
                ("host_row", INT),
                ("key", BYTES),
                ("id", TEXT),
                ("updated_at", INT),
                ("revision", INT),
                ("value", BYTES),
            ],
            Table::History => &[
                ("scope", INT),
                ("host_row", INT),
                ("key", BYTES),
                ("seq", INT),
                ("variable_id", TEXT),
                ("source", INT),
                ("page_row", INT),
                ("value", BYTES),
            ],
            Table::FloorKey => &[("branch_row", INT), ("key", BYTES), ("floor_no", INT), ("floor_row", INT)],
            Table::StagedWrite => &[
                ("page_row", INT),
                ("key", BYTES),
                ("id", TEXT),
                ("seq", INT),
                ("op", INT),
                ("value", BYTES),
                ("intent", INT),
                ("policy", INT),
                ("source_kind", INT),
                ("reason", BYTES),
                ("source", BYTES),
                ("evidence", BYTES),
                ("status", INT),
                ("decision", INT),
                ("created_at", INT),
                ("resolved_at", INT),
                ("slot", INT),
            ],
            Table::Promotion => &[
                ("page_row", INT),
                ("seq", INT),
                ("id", TEXT),
                ("staged_id", TEXT),
                ("key", BYTES),
                ("from_scope", INT),
                ("from_row", INT),
                ("to_scope", INT),
                ("to_row", INT),
                ("policy", INT),
                ("source_variable_id", TEXT),
                ("target_variable_id", TEXT),
                ("value", BYTES),
            ],
        }
    }

    /// The place of a column.
    pub fn column(self, name: &str) -> StoreResult<usize> {
        let found = self.columns().iter().position(|(column, _)| *column == name);
        found.ok_or_else(|| StoreError::Internal(format!("{} has no column {name}", self.as_str())))
    }
}

/// A row that left its table.
#[derive(Debug, Clone)]
pub struct KeptRow {
    pub table: Table,
    pub values: Vec<Value>,
}

impl KeptRow {
    pub fn value(&self, column: &str) -> StoreResult<&Value> {
        Ok(&self.values[self.table.column(column)?])
    }

    pub fn int(&self, column: &str) -> StoreResult<i64> {
        self.value(column)?.int().ok_or_else(|| StoreError::Corrupt(format!("a kept row has no {column}")))
    }

    pub fn id(&self) -> StoreResult<Id> {
        match self.value("id")? {
            Value::Text(id) => stored_id(id),
            _ => Err(StoreError::Corrupt("a kept row has no id".into())),
        }
    }

    pub fn bytes(&self, column: &str) -> StoreResult<Option<&[u8]>> {
        Ok(match self.value(column)? {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// The row of what it hangs on, or of what it is.
    pub fn host(&self) -> Option<i64> {
        let column = match self.table {
            Table::Branch | Table::BranchBase => "branch_row",
            Table::Floor | Table::FloorOfPages | Table::FloorKey => "floor_row",
            Table::Page | Table::PageEdit | Table::StagedWrite | Table::Promotion | Table::ReplacedText => "page_row",
            Table::Body | Table::Variable | Table::History => "host_row",
            Table::GlobalSnapshot | Table::DroppedAt => return None,
        };
        self.int(column).ok()
    }

    pub fn set(&mut self, column: &str, value: Value) -> StoreResult<()> {
        let at = self.table.column(column)?;
        self.values[at] = value;
        Ok(())
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in &self.values {
            match value {
                Value::Null => bytes.push(0),
                Value::Int(number) => {
                    bytes.push(1);
                    bytes.extend(number.to_le_bytes());
                }
                Value::Text(text) => part(&mut bytes, 2, text.as_bytes()),
                Value::Bytes(value) => part(&mut bytes, 3, value),
            }
        }
        codec::encode_plain(&bytes)
    }

    pub fn decode(table: Table, stored: &[u8]) -> StoreResult<KeptRow> {
        codec::with_bytes(stored, |bytes| KeptRow::read(table, bytes))?
    }

    fn read(table: Table, mut bytes: &[u8]) -> StoreResult<KeptRow> {
        let damaged = || StoreError::Corrupt("a row in the trash is damaged".into());
        let mut values = Vec::new();
        while let Some((&kind, rest)) = bytes.split_first() {
            bytes = rest;
            if kind == 0 {
                values.push(Value::Null);
                continue;
            }
            let (number, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
            bytes = rest;
            if kind == 1 {
                values.push(Value::Int(i64::from_le_bytes(*number)));
                continue;
            }
            let length = usize::try_from(u64::from_le_bytes(*number)).map_err(|_| damaged())?;
            let (value, rest) = bytes.split_at_checked(length).ok_or_else(damaged)?;
            bytes = rest;
            values.push(match kind {
                2 => Value::Text(String::from_utf8(value.to_vec()).map_err(|_| damaged())?),
                _ => Value::Bytes(value.to_vec()),
            });
        }
        // Staged writes had no slots once.
        if table == Table::StagedWrite && values.len() + 1 == table.columns().len() {
            values.push(Value::Int(0));
        }
        if values.len() == table.columns().len() { Ok(KeptRow { table, values }) } else { Err(damaged()) }
    }
}

fn part(bytes: &mut Vec<u8>, kind: u8, value: &[u8]) {
    bytes.push(kind);
    bytes.extend((value.len() as u64).to_le_bytes());
    bytes.extend(value);
}

/// Where rows of a table are found: by the branch, floor or page that they hang on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Branch,
    Floor,
    Page,
}

/// What hangs on a host: its table, how it is selected, and whether a session has any of it.
struct HostRows {
    table: Table,
    from: String,
    any: String,
}

fn parts(host: Host) -> Vec<HostRows> {
    let scoped = |table: Table, scope: Scope| {
        let any = format!("FROM {} t WHERE {KEY} AND t.scope = {}", table.as_str(), scope.number());
        HostRows { table, from: format!("{any} AND t.host_row = ?3"), any }
    };
    let by = |table: Table, name: &str, column: &str| {
        let any = format!("FROM {name} t WHERE {KEY}");
        HostRows { table, from: format!("{any} AND t.{column} = ?3"), any }
    };
    match host {
        Host::Branch => vec![
            by(Table::Branch, "branch", "branch_row"),
            scoped(Table::Variable, Scope::Branch),
            scoped(Table::History, Scope::Branch),
        ],
        Host::Floor => vec![
            by(Table::Floor, "floor", "floor_row"),
            scoped(Table::Body, Scope::Floor),
            scoped(Table::Variable, Scope::Floor),
            scoped(Table::History, Scope::Floor),
            by(Table::FloorKey, "floor_key", "floor_row"),
        ],
        Host::Page => vec![
            by(Table::Page, "page", "page_row"),
            HostRows {
                from: format!(
                    "FROM (SELECT y.account_id, y.session_row, y.scope, p.page_row AS host_row, y.content, y.extra FROM page p
                        JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
                            AND y.host_row = COALESCE(p.text_row, p.page_row)
                        WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3) t WHERE {KEY}"
                ),
                ..scoped(Table::Body, Scope::Page)
            },
            scoped(Table::Variable, Scope::Page),
            scoped(Table::History, Scope::Page),
            by(Table::PageEdit, "page_edit", "page_row"),
            by(Table::StagedWrite, "staged_write", "page_row"),
            by(Table::Promotion, "promotion", "page_row"),
        ],
    }
}

const KEY: &str = "t.account_id = ?1 AND t.session_row = ?2";

struct Statements {
    /// The table, the statement for a host, and the one that finds any row of the session.
    selects: [Vec<(Table, Sql, Sql)>; 3],
    /// The bytes of what hangs on a host, and the statement that finds any row of the session.
    sizes: [Vec<(Sql, Sql)>; 3],
    floor_of_pages: Sql,
    inserts: Vec<Sql>,
}

static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| {
    let select = |table: Table, from: &str| {
        let columns: Vec<String> = table.columns().iter().map(|(name, _)| format!("t.{name}")).collect();
        Sql::assembled(format!("SELECT {} {from}", columns.join(", ")))
    };
    let statements = |HostRows { table, from, any }: HostRows| {
        (table, select(table, &from), Sql::assembled(format!("SELECT 1 {any} LIMIT 1")))
    };
    let selects = [Host::Branch, Host::Floor, Host::Page].map(|host| parts(host).into_iter().map(statements).collect());
    let size = |HostRows { table, from, any }: HostRows| {
        let is_long =
            |(name, kind): &(&str, Kind)| matches!(kind, Kind::Bytes).then(|| format!("COALESCE(LENGTH(t.{name}), 0)"));
        let columns: Vec<String> = table.columns().iter().filter_map(is_long).collect();
        let size = format!("SELECT CAST(COALESCE(SUM({}), 0) AS BIGINT) {from}", columns.join(" + "));
        (!columns.is_empty()).then(|| (Sql::assembled(size), Sql::assembled(format!("SELECT 1 {any} LIMIT 1"))))
    };
    let sizes = [Host::Branch, Host::Floor, Host::Page].map(|host| parts(host).into_iter().filter_map(size).collect());
    let insert = |table: &Table| {
        let names: Vec<&str> = table.columns().iter().map(|(name, _)| *name).collect();
        let values: Vec<String> = (3..3 + names.len()).map(|number| format!("?{number}")).collect();
        let name = if *table == Table::FloorOfPages { "floor" } else { table.as_str() };
        Sql::assembled(format!(
            "INSERT INTO {name} (account_id, session_row, {}) VALUES (?1, ?2, {})",
            names.join(", "),
            values.join(", ")
        ))
    };
    Statements {
        selects,
        sizes,
        floor_of_pages: select(Table::FloorOfPages, &format!("FROM floor t WHERE {KEY} AND t.floor_row = ?3")),
        inserts: Table::ALL.iter().map(insert).collect(),
    }
});

/// Hosts from which on it is worth asking first whether a session has any rows of a table: most chats have texts and little else.
const MANY: usize = 32;

/// Reads what hangs on hosts of a kind.
pub fn read(tx: &mut dyn Tx, session: SessionKey<'_>, host: Host, rows: &[i64]) -> StoreResult<Vec<KeptRow>> {
    let mut kept = Vec::new();
    for (table, sql, any) in &STATEMENTS.selects[host as usize] {
        if rows.len() < MANY || first(tx, *any, in_session![session], |_| Ok(()))?.is_some() {
            kept.extend(select(tx, session, *table, *sql, rows)?);
        }
    }
    Ok(kept)
}

/// The bytes of what hangs on each of some hosts, as far as they can be many.
pub fn sizes(tx: &mut dyn Tx, session: SessionKey<'_>, host: Host, rows: &[i64]) -> StoreResult<Vec<i64>> {
    let mut sizes = vec![0; rows.len()];
    let sets: Vec<_> = rows.iter().map(|&row| in_session![session, row].to_vec()).collect();
    for (sql, any) in &STATEMENTS.sizes[host as usize] {
        if rows.len() < MANY || first(tx, *any, in_session![session], |_| Ok(()))?.is_some() {
            tx.query_many(*sql, &sets, &mut |at, row| {
                if let Some(size) = sizes.get_mut(at) {
                    *size += row.int(0)?;
                }
                Ok(())
            })?;
        }
    }
    Ok(sizes)
}

/// How many of the first of these come to no more bytes than are moved in one transaction; at least one.
pub fn fitting(sizes: &[i64]) -> usize {
    let mut bytes = 0;
    let is_over = |size: &i64| {
        bytes += size;
        bytes > BYTES_AT_ONCE
    };
    sizes.iter().position(is_over).unwrap_or(sizes.len()).max(1)
}

/// Bytes that are moved to the trash, or purged from it, in one transaction: others wait for it on SQLite, and it holds them in memory.
const BYTES_AT_ONCE: i64 = 512 * 1024;

/// Whether an item has the row of a floor already.
pub(crate) fn has_floor(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id, floor_row: i64) -> StoreResult<bool> {
    let number = Table::Floor.number();
    let sql = sql!(
        "SELECT 1 FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = ?4
            AND host_row = ?5 LIMIT 1"
    );
    Ok(first(tx, sql, in_session![session, id, number, floor_row], |_| Ok(()))?.is_some())
}

/// Deletes the first rows of an item, as many as one transaction should; returns whether none is left.
pub(crate) fn purge_some(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<bool> {
    let sql = sql!(
        "SELECT number, LENGTH(body) FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3
         ORDER BY number LIMIT ?4"
    );
    let rows = all(tx, sql, in_session![session, id, ROWS_AT_ONCE], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let (numbers, sizes): (Vec<i64>, Vec<i64>) = rows.into_iter().unzip();
    let count = fitting(&sizes).min(numbers.len());
    let Some(&last) = numbers[..count].last() else { return Ok(true) };
    let sql =
        sql!("DELETE FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND number <= ?4");
    tx.execute(sql, in_session![session, id, last])?;
    Ok(count == numbers.len() && i64::try_from(count).unwrap_or(i64::MAX) < ROWS_AT_ONCE)
}

/// Rows that are purged in one transaction.
pub(crate) const ROWS_AT_ONCE: i64 = 500;

/// Reads pages as copies of their texts: with their edits by hand, and without their variables.
pub fn read_texts(tx: &mut dyn Tx, session: SessionKey<'_>, pages: &[i64]) -> StoreResult<Vec<KeptRow>> {
    let mut kept = Vec::new();
    for (table, sql, _) in &STATEMENTS.selects[Host::Page as usize] {
        if matches!(table, Table::Page | Table::Body | Table::PageEdit) {
            kept.extend(select(tx, session, *table, *sql, pages)?);
        }
    }
    Ok(kept)
}

/// Reads the floors of pages that are deleted alone.
pub fn floors_of_pages(tx: &mut dyn Tx, session: SessionKey<'_>, floors: &[i64]) -> StoreResult<Vec<KeptRow>> {
    select(tx, session, Table::FloorOfPages, STATEMENTS.floor_of_pages, floors)
}

fn select(tx: &mut dyn Tx, session: SessionKey<'_>, table: Table, sql: Sql, rows: &[i64]) -> StoreResult<Vec<KeptRow>> {
    let sets: Vec<_> = rows.iter().map(|&row| in_session![session, row].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| {
        let value = |(at, (_, kind)): (usize, &(&str, Kind))| {
            Ok::<_, StoreError>(match kind {
                Kind::Int => row.int_or_null(at)?.map_or(Value::Null, Value::Int),
                Kind::Text => row.text_or_null(at)?.map_or(Value::Null, |text| Value::Text(text.to_owned())),
                Kind::Bytes => row.bytes_or_null(at)?.map_or(Value::Null, |bytes| Value::Bytes(bytes.to_vec())),
            })
        };
        let values = table.columns().iter().enumerate().map(value).collect::<StoreResult<Vec<Value>>>()?;
        Ok(KeptRow { table, values })
    })
}

/// Puts rows back into their tables.
pub fn insert(tx: &mut dyn Tx, session: SessionKey<'_>, rows: &[&KeptRow]) -> StoreResult<()> {
    for &table in Table::ALL {
        let sets: Vec<Vec<Param<'_>>> = rows
            .iter()
            .filter(|row| row.table == table)
            .map(|row| {
                let mut params = in_session![session].to_vec();
                params.extend(row.values.iter().map(Value::param));
                params
            })
            .collect();
        if sets.is_empty() {
            continue;
        }
        let sql = STATEMENTS.inserts[usize::try_from(table.number()).unwrap_or_default()];
        execute_many(tx, sql, &sets)?;
    }
    Ok(())
}

/// Adds rows to an item that is there.
pub(crate) fn keep(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id, kept: &[KeptRow]) -> StoreResult<()> {
    let sql = sql!(
        "SELECT COALESCE(MAX(number) + 1, 0) FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3"
    );
    let first: i64 = one(tx, sql, in_session![session, id], |row| row.int(0))?;
    let bodies: Vec<Vec<u8>> = kept.iter().map(KeptRow::encode).collect();
    let sql = sql!(
        "INSERT INTO trash_row (account_id, session_row, trash_id, number, table_no, body, host_row, floor_no, version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    let positions = page_positions(tx, session, id, kept)?;
    let mut sets = Vec::with_capacity(kept.len());
    for (((row, body), position), number) in kept.iter().zip(&bodies).zip(positions).zip(first..) {
        let (floor_no, version) = position.unzip();
        sets.push(in_session![session, id, number, row.table.number(), body, row.host(), floor_no, version].to_vec());
    }
    execute_many(tx, sql, &sets)?;
    // A large item is kept in parts, and each looks for the end of those before it.
    let count = first + i64::try_from(kept.len()).unwrap_or(i64::MAX - first);
    if count >= LARGE && count.checked_ilog2() > first.checked_ilog2() {
        tx.has_grown()?;
    }
    Ok(())
}

/// From so many rows of an item on PostgreSQL is asked to analyze the table, whenever they have become about twice as many.
const LARGE: i64 = 500;

/// Where each row stands that is a page: the number of its floor and its version. Pages are kept with their floors, or after them.
fn page_positions(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    kept: &[KeptRow],
) -> StoreResult<Vec<Option<(i64, i64)>>> {
    let mut numbers = HashMap::new();
    for floor in kept.iter().filter(|row| matches!(row.table, Table::Floor | Table::FloorOfPages)) {
        numbers.insert(floor.int("floor_row")?, floor.int("floor_no")?);
    }
    let of_pages = kept.iter().filter(|row| row.table == Table::Page).map(|page| page.int("floor_row"));
    let of_pages = of_pages.collect::<StoreResult<BTreeSet<i64>>>()?;
    let before: Vec<i64> = of_pages.into_iter().filter(|floor_row| !numbers.contains_key(floor_row)).collect();
    for table in [Table::Floor, Table::FloorOfPages] {
        for floor in of_hosts(tx, session, id, table, &before)? {
            numbers.insert(floor.int("floor_row")?, floor.int("floor_no")?);
        }
    }
    let position = |row: &KeptRow| {
        if row.table != Table::Page {
            return Ok(None);
        }
        let floor_no = numbers.get(&row.int("floor_row")?);
        floor_no.map(|&floor_no| Ok((floor_no, row.int("version")?))).transpose()
    };
    kept.iter().map(position).collect()
}

/// Notes at which row of the session the states of an item were dropped: the first of them, where they are dropped in parts.
pub(crate) fn note_dropped(tx: &mut dyn Tx, clock: &SessionClock, id: &Id) -> StoreResult<()> {
    if dropped_at(tx, clock.key(), id)?.is_some() {
        return Ok(());
    }
    let row = KeptRow { table: Table::DroppedAt, values: vec![Value::Int(clock.next_row())] };
    keep(tx, clock.key(), id, &[row])
}

/// At which row of the session the states of an item were dropped; none if an older program did it.
pub(crate) fn dropped_at(tx: &mut dyn Tx, session: SessionKey<'_>, id: &Id) -> StoreResult<Option<i64>> {
    let rows = of_table(tx, session, id, Table::DroppedAt, None)?;
    rows.first().map(|row| row.int("row")).transpose()
}

/// The items of states that were dropped when a branch was there.
pub(crate) fn dropped_after(tx: &mut dyn Tx, session: SessionKey<'_>, branch_row: i64) -> StoreResult<Vec<Id>> {
    let sql = sql!(
        "SELECT id FROM trash WHERE account_id = ?1 AND session_row = ?2 AND deleted_at > 0 AND kind = ?3 ORDER BY id"
    );
    let kind = TrashKind::Snapshots.number();
    let items: Vec<Id> = all(tx, sql, in_session![session, kind], |row| stored_id(row.text(0)?))?;
    let mut after = Vec::new();
    for item in items {
        if dropped_at(tx, session, &item)?.is_some_and(|row| row > branch_row) {
            after.push(item);
        }
    }
    Ok(after)
}

/// How much rows come to.
pub(crate) fn amount(kept: &[KeptRow]) -> Amount {
    let count = |table: Table| i64::try_from(kept.iter().filter(|row| row.table == table).count()).unwrap_or(i64::MAX);
    Amount { floors: count(Table::Floor), pages: count(Table::Page), variables: count(Table::Variable) }
}

/// Stands for rows that do not say what they hang on.
pub(crate) const NO_HOST: i64 = -1;

/// The rows of an item that come from a table; those of one host if one is named.
pub(crate) fn of_table(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    table: Table,
    host: Option<i64>,
) -> StoreResult<Vec<KeptRow>> {
    let read = |row: &dyn Row| KeptRow::decode(table, row.bytes(0)?);
    let number = table.number();
    match host {
        None => {
            let sql = sql!(
                "SELECT body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = ?4
                 ORDER BY number"
            );
            all(tx, sql, in_session![session, id, number], read)
        }
        Some(NO_HOST) => {
            let sql = sql!(
                "SELECT body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = ?4
                    AND host_row IS NULL"
            );
            all(tx, sql, in_session![session, id, number], read)
        }
        Some(host) => all(tx, OF_HOST, in_session![session, id, number, host], read),
    }
}

/// Some pages of an item in the order of their floors and versions, from a position on. None if an older program has kept one of them
/// without saying where it stood.
pub(crate) fn pages_in_order(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (limit, offset): (i64, i64),
) -> StoreResult<Option<Vec<KeptRow>>> {
    if first(tx, PAGE_WITHOUT_POSITION, in_session![session, id], |_| Ok(()))?.is_some() {
        return Ok(None);
    }
    let numbers = all(tx, PAGE_NUMBERS, in_session![session, id, limit, offset], |row| row.int(0))?;
    let sql =
        sql!("SELECT body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND number = ?4");
    let sets: Vec<_> = numbers.iter().map(|&number| in_session![session, id, number].to_vec()).collect();
    all_of_each(tx, sql, &sets, |row| KeptRow::decode(Table::Page, row.bytes(0)?)).map(Some)
}

const PAGE_WITHOUT_POSITION: Sql = sql!(
    "SELECT 1 FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = 2
        AND floor_no IS NULL LIMIT 1"
);

/// Reads an index alone, so that pages before the wanted ones cost little.
const PAGE_NUMBERS: Sql = sql!(
    "SELECT number FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = 2
     ORDER BY floor_no, version, number LIMIT ?4 OFFSET ?5"
);

/// The rows of an item that come from a table and hang on these hosts.
pub(crate) fn of_hosts(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    table: Table,
    hosts: &[i64],
) -> StoreResult<Vec<KeptRow>> {
    let number = table.number();
    let sets: Vec<_> = hosts.iter().map(|&host| in_session![session, id, number, host].to_vec()).collect();
    all_of_each(tx, OF_HOST, &sets, |row| KeptRow::decode(table, row.bytes(0)?))
}

const OF_HOST: Sql = sql!(
    "SELECT body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = ?4
        AND host_row = ?5"
);

/// Changes the rows of an item that come from a table and hang on a host. What they hang on stays the same. The change returns whether
/// it changed the row.
pub(crate) fn rewrite(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    id: &Id,
    (table, host): (Table, i64),
    change: &mut dyn FnMut(&mut KeptRow) -> StoreResult<bool>,
) -> StoreResult<()> {
    let sql = sql!(
        "SELECT number, body FROM trash_row WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND table_no = ?4
            AND host_row = ?5"
    );
    let rows = all(tx, sql, in_session![session, id, table.number(), host], |row| {
        Ok((row.int(0)?, KeptRow::decode(table, row.bytes(1)?)?))
    })?;
    let mut changed = Vec::new();
    for (number, mut row) in rows {
        if change(&mut row)? {
            changed.push((number, row.encode()));
        }
    }
    let sql = sql!(
        "UPDATE trash_row SET body = ?5 WHERE account_id = ?1 AND session_row = ?2 AND trash_id = ?3 AND number = ?4"
    );
    let sets: Vec<_> = changed.iter().map(|(number, body)| in_session![session, id, *number, body].to_vec()).collect();
    execute_many(tx, sql, &sets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::plans::plan;

    #[test]
    fn pages_of_an_item_are_found_in_order_without_reading_their_rows() {
        for sql in [PAGE_NUMBERS, PAGE_WITHOUT_POSITION] {
            let plan = plan(sql);
            assert!(plan.contains("USING COVERING INDEX trash_page_in_order"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
