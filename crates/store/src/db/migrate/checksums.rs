//! The part of migration 14 that SQL cannot do: every stored body gets its checksum.

use crate::db::body_columns::{BODY_TABLES, BodyTable, TRASH};
use crate::db::codec;

/// The migration that this belongs to.
pub const VERSION: i64 = 14;

/// Tables that later migrations make, or that get their first bodies there: those have checksums from the beginning.
const LATER: [&str; 3] = ["character_card", "scratch", "tool_call"];

/// The tables that there are when bodies get their checksums.
pub fn tables() -> impl Iterator<Item = &'static BodyTable> {
    BODY_TABLES.iter().filter(|table| !LATER.contains(&table.name))
}

/// Reads all bodies of a table: its key, then its columns, then what kind of row the trash has.
pub fn select(table: &BodyTable) -> String {
    let mut columns = table.whole_key();
    columns.extend(table.columns);
    if table.name == TRASH {
        columns.push("table_no");
    }
    format!("SELECT {} FROM {}", columns.join(", "), table.name)
}

/// Replaces the bodies of one row: its key, then its columns.
pub fn update(table: &BodyTable) -> String {
    let key = table.whole_key();
    let place = |(at, column): (usize, &&str)| format!("{column} = ?{}", at + 1);
    let wheres: Vec<String> = key.iter().enumerate().map(place).collect();
    let sets = table.columns.iter().enumerate().map(|(at, column)| place((at + key.len(), column)));
    format!("UPDATE {} SET {} WHERE {}", table.name, sets.collect::<Vec<_>>().join(", "), wheres.join(" AND "))
}

/// A stored body with its checksum. `table_no` says what a row of the trash was.
pub fn sealed(body: &[u8], table_no: Option<i64>) -> Vec<u8> {
    match table_no {
        Some(table_no) => codec::encode_plain(&sealed_row(table_no, body)),
        None => codec::seal(body),
    }
}

/// The columns of rows in the trash that hold bodies, by the number of their table and their place in the row.
const BODIES_IN_TRASH: &[(i64, &[usize])] = &[
    (3, &[2, 3]),         // body: content, extra
    (4, &[6]),            // variable: value
    (5, &[7]),            // history: value
    (7, &[5, 9, 10, 11]), // staged_write: value, reason, source, evidence
    (8, &[12]),           // promotion: value
    (10, &[7]),           // page_edit: ops
    (11, &[6]),           // global_snapshot: document
];

/// A row of the trash whose bodies have checksums: values of a kind each, 0 nothing, 1 a number, 2 a text, 3 bytes. What cannot
/// be read stays as it is.
fn sealed_row(table_no: i64, row: &[u8]) -> Vec<u8> {
    let bodies = BODIES_IN_TRASH.iter().find(|(number, _)| *number == table_no).map_or(&[][..], |(_, places)| places);
    let mut out = Vec::with_capacity(row.len() + 16);
    let (mut rest, mut place) = (row, 0);
    while let Some((value, behind)) = next_value(rest) {
        match value.split_first_chunk::<9>() {
            Some((head, bytes)) if head[0] == 3 && bodies.contains(&place) => {
                let body = codec::seal(bytes);
                out.push(3);
                out.extend((body.len() as u64).to_le_bytes());
                out.extend(body);
            }
            _ => out.extend(value),
        }
        (rest, place) = (behind, place + 1);
    }
    out.extend(rest);
    out
}

/// The first value of a row, with its head, and what is behind it.
fn next_value(row: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = match row.split_first()? {
        (0, _) => 1,
        (1, _) => 9,
        (_, rest) => {
            let length = u64::from_le_bytes(*rest.first_chunk()?);
            usize::try_from(length).ok()?.checked_add(9)?
        }
    };
    row.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_within_rows_of_the_trash_are_sealed() {
        let bytes = |value: &[u8]| [&[3], &(value.len() as u64).to_le_bytes()[..], value].concat();
        let number = |number: i64| [&[1], &number.to_le_bytes()[..]].concat();
        let row = [number(4), number(7), bytes(b"\0text"), vec![0]].concat();
        let wanted = [number(4), number(7), bytes(&codec::encode("text")), vec![0]].concat();
        let stored = sealed(&row, Some(3));
        assert_eq!(codec::with_bytes(&stored, <[u8]>::to_vec).unwrap(), wanted);
        // Bytes that are no body, such as a name, may begin with anything.
        let stored = sealed(&row, Some(2));
        assert_eq!(codec::with_bytes(&stored, <[u8]>::to_vec).unwrap(), row);
        let cut = &row[..row.len() - 3];
        assert_eq!(codec::with_bytes(&sealed(cut, Some(3)), <[u8]>::len).unwrap(), cut.len());
    }

    #[test]
    fn statements_name_the_whole_key() {
        let body = &BODY_TABLES[0];
        assert_eq!(
            update(body),
            "UPDATE body SET content = ?5, extra = ?6 WHERE account_id = ?1 AND session_row = ?2 AND scope = ?3 AND host_row = ?4"
        );
        assert_eq!(select(body), "SELECT account_id, session_row, scope, host_row, content, extra FROM body");
    }
}
