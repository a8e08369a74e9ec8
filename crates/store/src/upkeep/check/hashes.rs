//! Texts are compared with the fingerprints that are stored apart from them: an edit that fits its checksum is noticed, too.

use super::Look;
use crate::db::hash::{hash, text_hash};
use crate::tree::prelude::*;

/// The texts of pages. On a hidden branch they may come later than their pages.
pub(super) fn texts(tx: &mut dyn Tx, look: &mut Look<'_>) -> StoreResult<()> {
    let sql = sql!(
        "SELECT p.id, p.text_hash, y.content FROM page p
         LEFT JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
            AND y.host_row = COALESCE(p.text_row, p.page_row)
         JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
         JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row AND b.branch_row = f.branch_row
         WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.text_hash IS NOT NULL AND LENGTH(b.id) <= 256"
    );
    tx.query(sql, in_session![look.session], &mut |row| {
        // A text that cannot be read is reported with its body.
        let Ok(found) = row
            .bytes_or_null(2)?
            .map_or(Ok(text_hash(None)), |text| codec::with_text(text, |text| text_hash(Some(text))))
        else {
            return Ok(());
        };
        if row.bytes(1)? != found {
            let page = row.text(0)?.to_owned();
            let message = format!("the text of page {page} is not the one that was stored: its fingerprint differs");
            look.note_row("page", page, message);
        }
        Ok(())
    })
}

/// Profiles and functions, which are found by their fingerprints.
pub(super) fn definitions(tx: &mut dyn Tx, look: &mut Look<'_>) -> StoreResult<()> {
    let sql = sql!("SELECT hash, body FROM definition WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0");
    tx.query(sql, in_session![look.session], &mut |row| {
        let stored = row.bytes(0)?;
        let Ok(found) = codec::with_bytes(row.bytes(1)?, hash) else { return Ok(()) };
        if stored != found {
            let name: String = stored.iter().map(|byte| format!("{byte:02x}")).collect();
            let message = format!("the definition {name} is not the one that was stored: its fingerprint differs");
            look.note_row("definition", name, message);
        }
        Ok(())
    })
}
