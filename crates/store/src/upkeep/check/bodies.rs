//! Every stored body must be what was stored, and what belongs in its column.

use super::Look;
use crate::db::body_columns::{BodyTable, SELECTS};
use crate::story::{functions, versions};
use crate::tree::prelude::*;
use std::fmt::Write as _;
use tavernkeep_engine::edit::EditOps;

/// How many tables have bodies.
pub(super) fn tables() -> usize {
    SELECTS.len()
}

/// Checks the bodies of one table. A body that is damaged is a finding, and the next one is read.
pub(super) fn table(tx: &mut dyn Tx, look: &mut Look<'_>, number: usize) -> StoreResult<()> {
    let (table, sql) = SELECTS[number];
    let session = look.session;
    let read = tx.query(sql, in_session![session], &mut |row| {
        for (at, column) in (table.key.len()..).zip(table.columns) {
            let checked = match row.bytes_or_null(at) {
                Ok(None) => continue,
                Ok(Some(body)) => content(table.name, column, body),
                Err(error) => Err(error),
            };
            look.report.values += 1;
            if let Err(error) = checked {
                let place = place(table, row);
                let message = format!("{} {place}: {column}: {error}", table.name);
                look.note_row(table.name, place, message);
            }
        }
        Ok(())
    });
    read.map_err(|error| match error {
        StoreError::Corrupt(cause) => {
            StoreError::Corrupt(format!("the rest of the table {} cannot be read: {cause}", table.name))
        }
        other => other,
    })
}

/// What a body must be beyond having the right checksum.
fn content(table: &str, column: &str, body: &[u8]) -> StoreResult<()> {
    match (table, column) {
        ("variable" | "history" | "promotion", "value")
        | ("body", "extra")
        | ("keyframe" | "global_snapshot_body", "document")
        | ("session_story" | "character_story", "template")
        | ("character_card", "card") => match codec::with_text(body, |text| JsonText::parse(text.as_bytes()))? {
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::Corrupt(error.to_string())),
        },
        ("body", "content") => codec::with_text(body, |_| ()),
        // A change wraps values, so it may be deeper than any of them.
        ("version", "change") => versions::read_change(0, body).map(drop),
        ("page_edit", "ops") => codec::with_text(body, EditOps::from_stored)?
            .map(drop)
            .map_err(|error| StoreError::Corrupt(error.to_string())),
        ("function", "body") => functions::stored_function(body).map(drop),
        // A claim under an idempotency key that has no answer yet.
        ("kept_answer", _) if body.is_empty() => Ok(()),
        _ => codec::verify(body),
    }
}

/// Longer keys are cut.
const SHOWN_BYTES: usize = 64;

/// The key of a row, for people.
fn place(table: &BodyTable, row: &dyn Row) -> String {
    let mut text = String::new();
    for (at, column) in table.key.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let _ = match (row.int_or_null(at), row.text_or_null(at), row.bytes_or_null(at)) {
            (Ok(Some(number)), _, _) => write!(text, "{separator}{column} {number}"),
            (_, Ok(Some(id)), _) => write!(text, "{separator}{column} {id}"),
            (_, _, Ok(Some(bytes))) => write!(text, "{separator}{column} {:?}", shown(bytes)),
            _ => write!(text, "{separator}{column} ?"),
        };
    }
    if text.is_empty() { "(one row)".to_owned() } else { text }
}

fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text[..text.floor_char_boundary(SHOWN_BYTES)].to_owned(),
        // Such as the hash of a definition.
        Err(_) => bytes.iter().take(SHOWN_BYTES / 2).map(|byte| format!("{byte:02x}")).collect(),
    }
}
