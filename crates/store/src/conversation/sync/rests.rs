//! What a chat file has beside its texts, for a chat that was made equal to it: kept with floors and pages, and with the session.

use super::{SyncOrder, Text, chat};
use crate::tree::bodies;
use crate::tree::clock::{self, Reserve};
use crate::tree::prelude::*;
use crate::tree::separation;
use std::collections::HashMap;
use tavernkeep_engine::sync::plan;

/// What the messages of a chat have that floors and pages have no field for, as JSON.
#[derive(Debug, Default)]
pub struct Rests {
    /// Of each message.
    pub floors: Vec<Text>,
    /// Of each of its swipes.
    pub swipes: Vec<Vec<Text>>,
}

/// Keeps what came with a chat that a branch is equal to; returns how many floors, pages and headers were another. Refuses if the
/// branch is another chat by now.
pub fn put_rests(
    tx: &mut dyn Tx,
    account: &Id,
    (sync, rests): (&SyncOrder, &Rests),
    metadata: &JsonText,
    now: i64,
) -> StoreResult<usize> {
    clock::with_session(tx, account, &sync.session, now, Reserve::default(), |tx, clock| {
        let found = chat::read(tx, account, (&sync.session, &sync.branch), clock.now())?;
        if !plan(&found.messages(), &sync.messages).is_nothing() {
            return Err(Refusal::ChatMoved.into());
        }
        let stored = stored(tx, clock.key())?;
        let differs = |host: (i64, i64), text: &Text| stored.get(&host).is_none_or(|stored| *stored != text.0);
        let (mut changed, mut pages) = (Vec::new(), Vec::new());
        for ((floor, rest), swipes) in found.floors.iter().zip(&rests.floors).zip(&rests.swipes) {
            let host = (Scope::Floor.number(), floor.floor_row);
            changed.extend(differs(host, rest).then_some((host, rest)));
            for (page, rest) in floor.pages.iter().zip(swipes) {
                let host = (Scope::Page.number(), page.page_row);
                if differs(host, rest) {
                    changed.push((host, rest));
                    pages.push(page.page_row);
                }
            }
        }
        let header = Text::new(metadata.as_str());
        let session = (Scope::Chat.number(), 0);
        changed.extend(differs(session, &header).then_some((session, &header)));
        if changed.is_empty() {
            return Ok(0);
        }
        if let Some(first) = found.floors.first() {
            separation::separate(tx, clock, (found.branch_row, first.floor_no))?;
        }
        bodies::own(tx, clock, &pages)?;
        let sql = sql!(
            "INSERT INTO body (account_id, session_row, scope, host_row, content, extra) VALUES (?1, ?2, ?3, ?4, NULL, ?5)
             ON CONFLICT (account_id, session_row, scope, host_row) DO UPDATE SET extra = excluded.extra"
        );
        let sets: Vec<_> =
            changed.iter().map(|((scope, row), text)| in_session![clock, *scope, *row, &text.0].to_vec()).collect();
        execute_many(tx, sql, &sets)?;
        clock.mark_changed();
        Ok(changed.len())
    })
}

/// What is kept now, by scope and row.
fn stored(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<HashMap<(i64, i64), Vec<u8>>> {
    let sql = sql!(
        "SELECT scope, host_row, extra FROM body WHERE account_id = ?1 AND session_row = ?2 AND extra IS NOT NULL"
    );
    let mut found = HashMap::new();
    tx.query(sql, in_session![session], &mut |row| {
        found.insert((row.int(0)?, row.int(1)?), row.bytes(2)?.to_vec());
        Ok(())
    })?;
    Ok(found)
}
