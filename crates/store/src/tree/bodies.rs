//! Bodies: texts and free JSON, apart from the small rows that lists and clocks touch.

use crate::tree::prelude::*;

/// A body that is compressed already, since other writes wait for the writer thread.
#[derive(Debug, Default)]
pub struct Body {
    content: Option<Vec<u8>>,
    extra: Option<Vec<u8>>,
}

impl Body {
    /// Does what can be done before the transaction.
    pub fn new(content: Option<&str>, extra: Option<&JsonText>) -> Body {
        Body { content: content.map(codec::encode), extra: extra.map(|extra| codec::encode(extra.as_str())) }
    }
}

/// Stores the body of a new host; nothing is stored where there is nothing.
pub(crate) fn put(tx: &mut dyn Tx, clock: &SessionClock, host: (Scope, i64), body: &Body) -> StoreResult<()> {
    let Body { content, extra } = body;
    if content.is_none() && extra.is_none() {
        return Ok(());
    }
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    tx.execute(sql, in_session![clock, host.0.number(), host.1, content.as_ref(), extra.as_ref()]).map(drop)
}

pub(crate) fn set_content(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    host: (Scope, i64),
    content: Option<&str>,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, ?5, NULL)
         ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET content = excluded.content"
    );
    let content = content.map(codec::encode);
    tx.execute(sql, in_session![clock, host.0.number(), host.1, content.as_ref()]).map(drop)
}

pub(crate) fn set_extra(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    host: (Scope, i64),
    extra: Option<&JsonText>,
) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, NULL, ?5)
         ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET extra = excluded.extra"
    );
    let extra = extra.map(|extra| codec::encode(extra.as_str()));
    tx.execute(sql, in_session![clock, host.0.number(), host.1, extra.as_ref()]).map(drop)
}
