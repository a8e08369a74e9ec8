//! A branch as a chat: its floors with their swipes, read in one query.

use super::{Expected, Synced, rows};
use crate::db::hash::{hash, stored_hash};
use crate::tree::line::{self, LineSegment};
use crate::tree::prelude::*;
use crate::tree::separation::origin;
use std::sync::OnceLock;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{Message, Speaker, Swipe, SwipeStep};

/// A whole line.
#[derive(Debug)]
pub struct StoredChat {
    pub session_row: i64,
    pub branch_row: i64,
    pub floors: Vec<StoredFloor>,
    /// Computed when it is asked for.
    version: OnceLock<String>,
}

#[derive(Debug)]
pub struct StoredFloor {
    pub floor_row: i64,
    pub floor_no: i64,
    pub id: Id,
    state: FloorState,
    pub pages: Vec<StoredPage>,
}

#[derive(Debug)]
pub struct StoredPage {
    pub page_row: i64,
    pub id: Id,
    pub page_no: i64,
    pub version: i64,
    pub is_active: bool,
    /// None until it is read from the text, which is older than fingerprints are.
    pub text: Option<Hash>,
    speaker: Speaker,
}

impl StoredChat {
    pub fn new(session_row: i64, branch_row: i64, floors: Vec<StoredFloor>) -> StoredChat {
        StoredChat { session_row, branch_row, floors, version: OnceLock::new() }
    }

    /// The same as the engine sees it. Floors that failed hold nothing that counts.
    pub fn messages(&self) -> Vec<Message> {
        self.floors.iter().map(StoredFloor::message).collect()
    }

    /// What a client that comes again can name.
    pub fn describe(&self, synced: &mut Synced) {
        self.version().clone_into(&mut synced.version);
        synced.last_page = self.last_page().cloned();
    }

    /// Refuses to change what is not what the client believes to be there.
    pub fn expect(&self, expected: &Expected) -> StoreResult<()> {
        let version = expected.version.as_ref().is_none_or(|version| version == self.version());
        let origin = |page: Option<&Id>| page.map(|page| origin(page).to_owned());
        let last = expected.last_page.as_ref().is_none_or(|last| origin(last.as_ref()) == origin(self.last_page()));
        if version && last { Ok(()) } else { Err(Refusal::ChatMoved.into()) }
    }

    fn last_page(&self) -> Option<&Id> {
        self.floors.iter().rev().find_map(|floor| floor.active().map(|page| &page.id))
    }

    /// A fingerprint of the floors, their swipes and what they say. Where floors stand and what states they have is no part
    /// of it: neither is anything that a sync would undo. A copy of a floor is the same as the floor.
    pub fn version(&self) -> &str {
        self.version.get_or_init(|| self.fingerprint())
    }

    fn fingerprint(&self) -> String {
        let mut bytes = Vec::new();
        for floor in &self.floors {
            bytes.extend([u8::from(floor.state == FloorState::Committed), 0]);
            bytes.extend(origin(&floor.id).as_bytes());
            for page in &floor.pages {
                bytes.extend([1, u8::from(page.is_active)]);
                bytes.extend(origin(&page.id).as_bytes());
                bytes.extend(page.text.unwrap_or_default());
                for part in [&page.speaker.role, &page.speaker.name] {
                    // Empty texts identify nothing.
                    let length = part.as_ref().map_or(u64::MAX, |part| part.len() as u64);
                    bytes.extend(length.to_le_bytes());
                    bytes.extend(part.as_deref().unwrap_or_default().as_bytes());
                }
            }
        }
        hash(&bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }
}

impl StoredPage {
    /// A page as a sync leaves it: a new one, or one that was there. A name that was left out stays.
    pub fn after(page: Option<&StoredPage>, step: &SwipeStep, wanted: &Swipe, id: Id, is_active: bool) -> StoredPage {
        let speaker = match page {
            None => wanted.speaker.clone(),
            Some(page) if !step.speaker => page.speaker.clone(),
            Some(page) => Speaker {
                role: wanted.speaker.role.clone(),
                name: wanted.speaker.name.clone().or_else(|| page.speaker.name.clone()),
            },
        };
        let (page_row, page_no, version) = page.map_or((0, 0, 0), |page| (page.page_row, page.page_no, page.version));
        StoredPage { page_row, id, page_no, version, is_active, text: Some(wanted.text), speaker }
    }
}

impl StoredFloor {
    /// A floor as a sync leaves it.
    pub fn committed(floor_row: i64, floor_no: i64, id: Id, pages: Vec<StoredPage>) -> StoredFloor {
        StoredFloor { floor_row, floor_no, id, state: FloorState::Committed, pages }
    }

    /// The page that counts, of a floor that does.
    fn active(&self) -> Option<&StoredPage> {
        let counts = self.state == FloorState::Committed;
        self.pages.iter().rev().find(|page| page.is_active).filter(|_| counts)
    }

    fn message(&self) -> Message {
        let counts = self.state == FloorState::Committed;
        let swipe = |page: &StoredPage| Swipe { text: page.text.unwrap_or_default(), speaker: page.speaker.clone() };
        Message {
            swipes: self.pages.iter().filter(|_| counts).map(swipe).collect(),
            active: self.pages.iter().position(|page| page.is_active).unwrap_or(0),
        }
    }
}

/// Reads the line that a sync is about.
pub fn read(tx: &mut dyn Tx, account: &Id, (id, branch): (&Id, &str), now: i64) -> StoreResult<StoredChat> {
    let session = lookup::session(tx, account, id)?;
    let branch_row = lookup::branch(tx, session, id, branch)?;
    let mut floors = Vec::new();
    for segment in line::segments(tx, session, branch_row, i64::MAX)? {
        let mut found = stored(tx, session, segment, now)?;
        if segment.0 != branch_row {
            found.retain(|floor| floor.state == FloorState::Committed);
        }
        floors.extend(found);
    }
    floors.iter().try_for_each(can_be_synced)?;
    Ok(StoredChat::new(session.row, branch_row, floors))
}

/// Refuses what a chat cannot say.
fn can_be_synced(floor: &StoredFloor) -> StoreResult<()> {
    let id = &floor.id;
    match floor.state {
        FloorState::Draft | FloorState::Generating => Err(conflict(format!(
            "floor '{id}' is '{}'; commit, fail or delete it, then sync again",
            floor.state.as_str()
        ))),
        FloorState::Committed | FloorState::Failed => match floor.pages.as_slice() {
            [first, .., last] if first.page_no != last.page_no => Err(conflict(format!(
                "floor '{id}' has several slots, and a message of a chat has one; delete the floor, then sync again"
            ))),
            _ => Ok(()),
        },
    }
}

fn conflict(why: String) -> StoreError {
    Refusal::SyncConflict(why).into()
}

/// The floors of a segment with their pages, in order.
fn stored(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (branch_row, last): LineSegment,
    now: i64,
) -> StoreResult<Vec<StoredFloor>> {
    let sql = sql!(
        "SELECT f.floor_row, f.floor_no, f.id, f.state, f.lease_until, p.page_row, p.id, p.page_no, p.version,
            p.is_active, p.role, p.name, p.text_hash
         FROM floor f
         LEFT JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no <= ?4
         ORDER BY f.floor_no, p.page_no, p.version"
    );
    let mut floors: Vec<StoredFloor> = Vec::new();
    let mut unread = Vec::new();
    tx.query(sql, in_session![session, branch_row, last], &mut |row| {
        let floor_row = row.int(0)?;
        if floors.last().is_none_or(|floor| floor.floor_row != floor_row) {
            floors.push(StoredFloor {
                floor_row,
                floor_no: row.int(1)?,
                id: stored_id(row.text(2)?)?,
                state: stored_enum::<FloorState>(row.int(3)?)?.at(row.int_or_null(4)?, now),
                pages: Vec::new(),
            });
        }
        let (Some(page_row), Some(floor)) = (row.int_or_null(5)?, floors.last_mut()) else { return Ok(()) };
        let text = row.bytes_or_null(12)?.map(stored_hash).transpose()?;
        if text.is_none() {
            unread.push(page_row);
        }
        floor.pages.push(StoredPage {
            page_row,
            id: stored_id(row.text(6)?)?,
            page_no: row.int(7)?,
            version: row.int(8)?,
            is_active: row.int(9)? == 1,
            text,
            speaker: Speaker {
                role: row.bytes_or_null(10)?.map(stored_text).transpose()?,
                name: row.bytes_or_null(11)?.map(stored_text).transpose()?,
            },
        });
        Ok(())
    })?;
    let read = rows::fingerprints(tx, session, &unread)?;
    for page in floors.iter_mut().flat_map(|floor| &mut floor.pages).filter(|page| page.text.is_none()) {
        page.text = read.get(&page.page_row).copied();
    }
    Ok(floors)
}
