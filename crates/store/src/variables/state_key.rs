//! The name of the story state among a session's variables. No variable can be written under it.

use crate::tree::prelude::*;

/// The name of the story state among variables, where the session does not say otherwise.
pub const STATE_KEY: &str = "vs_stat_data";

pub fn state_key(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<String> {
    let sql = sql!("SELECT state_key FROM session WHERE account_id = ?1 AND session_row = ?2");
    let found = first(tx, sql, in_session![session], |row| row.bytes_or_null(0)?.map(stored_text).transpose())?;
    Ok(found.flatten().unwrap_or_else(|| STATE_KEY.to_owned()))
}

/// Refuses the name of the state as the name of a variable. Only a session that has a name of its own is looked up.
pub(crate) fn not_reserved(tx: &mut dyn Tx, clock: Option<&SessionClock>, key: &Key) -> StoreResult<()> {
    let is_reserved = match clock.filter(|clock| clock.names_state()) {
        Some(clock) => state_key(tx, clock.key())? == key.as_str(),
        None => key.as_str() == STATE_KEY,
    };
    if is_reserved { Err(Refusal::VariableReserved(key.to_string()).into()) } else { Ok(()) }
}
