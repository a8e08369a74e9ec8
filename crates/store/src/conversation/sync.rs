//! Sync: a branch becomes the chat that a client has, in one transaction, and whatever is the same is left alone.

mod chat;
mod rows;
mod work;

use crate::db::hash::text_hash;
use crate::tree::clock::{self, Reserve};
use crate::tree::prelude::*;
use crate::tree::separation;
use chat::Chat;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use tavernkeep_engine::limits::SYNC_WRITTEN_BYTES_MAX;
use tavernkeep_engine::story::Hash;
use tavernkeep_engine::sync::{self, Message, MessageStep, Plan, numbers};

/// A chat as a client has it.
#[derive(Debug)]
pub struct SyncOrder {
    pub session: Id,
    pub branch: String,
    pub messages: Vec<Message>,
    pub texts: Texts,
    pub expected: Expected,
}

/// What must be there for a branch to be changed. What another client has added since is not deleted by accident.
#[derive(Debug, Default)]
pub struct Expected {
    /// The version of the branch, from an earlier answer.
    pub version: Option<String>,
    /// The page that the chat ends with; the inner `None` is a chat without any.
    pub last_page: Option<Option<Id>>,
    /// How many floors may be deleted.
    pub max_deleted: Option<usize>,
}

/// A sync that deletes more floors than this, and more than this part of the line, has to say that it means it.
const DELETED_UNSEEN_MAX: usize = 5;
const DELETED_UNSEEN_PART: usize = 5;

/// A text as it is stored, compressed before anybody waits for it.
#[derive(Debug, Clone)]
pub struct Text(Vec<u8>);

pub type Texts = HashMap<Hash, Text>;

impl Text {
    pub fn new(text: &str) -> Text {
        Text(codec::encode(text))
    }

    fn length(&self) -> StoreResult<usize> {
        codec::length(&self.0, self.0.len())
    }
}

/// What came of a sync, or would come of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Synced {
    /// Texts that are not stored in the session; while there are any, nothing is changed.
    pub missing: Vec<Hash>,
    /// Whether the branch is the client's chat now.
    pub applied: bool,
    pub unchanged: usize,
    pub created: usize,
    /// Floors whose texts, speakers or active swipe changed.
    pub changed: usize,
    pub moved: usize,
    pub deleted: usize,
    /// The first of those that are new, changed or moved.
    pub floors: Vec<SyncedFloor>,
    pub floors_count: usize,
    /// A version that any change of the branch's floors changes.
    pub version: String,
    pub last_page: Option<Id>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedFloor {
    /// Which message of the client's chat it is.
    pub index: usize,
    pub floor: Id,
    pub floor_no: i64,
    /// Its pages in the order of the swipes.
    pub pages: Vec<Id>,
}

/// Floors that an answer lists; it counts all of them.
pub(crate) const FLOORS_LISTED_MAX: usize = 100;

/// What is there, what is wanted and how to get there.
///
/// Invariant: the plan was made of this chat and of the client's messages. So there are as many steps as messages and as many swipes in a step as in its message; and the floors and pages that a step comes from, and those that go,
/// are numbers of floors and pages of the chat.
struct Look {
    chat: Chat,
    plan: Plan,
    missing: Vec<Hash>,
}

impl Look {
    fn read(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, now: i64) -> StoreResult<Look> {
        let chat = chat::read(tx, account, sync, now)?;
        let plan = sync::plan(&chat.messages(), &sync.messages);
        // A chat that is equal already is reported as such whatever was expected: it may be the same sync, sent again.
        if !plan.is_nothing() {
            chat.expect(&sync.expected)?;
        }
        let missing = missing(tx, account, sync, &chat, &plan)?;
        Ok(Look { chat, plan, missing })
    }

    /// Refuses to delete much of a line that the client may not have seen.
    fn is_meant(&self, expected: &Expected) -> StoreResult<()> {
        let (deleted, floors) = (self.plan.deleted.len(), self.chat.floors.len());
        let is_much = deleted > DELETED_UNSEEN_MAX && deleted * DELETED_UNSEEN_PART > floors;
        let refused = match expected.max_deleted {
            Some(max) => deleted > max,
            None => is_much && expected.version.is_none(),
        };
        if refused {
            return Err(Refusal::SyncDeletes { deleted, floors, version: self.chat.version() }.into());
        }
        Ok(())
    }

    /// The positions that the client's messages get.
    fn positions(&self) -> Vec<i64> {
        let stays = |step: &MessageStep| step.from.filter(|_| !step.moved).map(|at| self.chat.floors[at].floor_no);
        numbers(&self.plan.messages.iter().map(stays).collect::<Vec<_>>(), 0)
    }

    /// The first position at which something changes.
    fn first_changed(&self) -> Option<i64> {
        let steps = self.plan.messages.iter().zip(self.positions());
        let changed = steps.filter_map(|(step, position)| {
            let stored = step.from.map(|at| self.chat.floors[at].floor_no);
            let is_same = step.is_nothing() && stored == Some(position);
            (!is_same).then(|| stored.map_or(position, |stored| stored.min(position)))
        });
        changed.chain(self.plan.deleted.iter().map(|&at| self.chat.floors[at].floor_no)).min()
    }

    fn report(&self) -> Synced {
        let mut synced =
            Synced { missing: self.missing.clone(), deleted: self.plan.deleted.len(), ..Synced::default() };
        self.chat.describe(&mut synced);
        synced.applied = self.plan.is_nothing() && self.missing.is_empty();
        for step in &self.plan.messages {
            synced.unchanged += usize::from(step.is_nothing());
            synced.created += usize::from(step.from.is_none());
            synced.moved += usize::from(step.moved);
            let swipes =
                step.swipes.iter().any(|swipe| swipe.from.is_none() || swipe.text || swipe.speaker || swipe.moved);
            let differs = swipes || step.activates || !step.deleted.is_empty();
            synced.changed += usize::from(step.from.is_some() && differs);
        }
        synced
    }
}

pub fn prepare(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, now: i64) -> StoreResult<Synced> {
    Look::read(tx, account, sync, now).map(|look| look.report())
}

/// Makes a branch equal to the client's chat, unless texts are missing. `ids` are for what is new.
pub fn apply(
    tx: &mut dyn Tx,
    account: &Id,
    sync: &SyncOrder,
    ids: &mut dyn Iterator<Item = Id>,
    now: i64,
) -> StoreResult<Synced> {
    clock::with_session(tx, account, &sync.session, now, Reserve::default(), |tx, clock| {
        let mut look = Look::read(tx, clock.account(), sync, clock.now())?;
        let mut synced = look.report();
        if synced.applied || !synced.missing.is_empty() {
            return Ok(synced);
        }
        look.is_meant(&sync.expected)?;
        if clock.has_forks()
            && let Some(floor_no) = look.first_changed()
        {
            separation::separate(tx, clock, (look.chat.branch_row, floor_no))?;
            // The same chat, and rows that no other line has.
            look = Look::read(tx, clock.account(), sync, clock.now())?;
        }
        (synced.floors, synced.floors_count) = work::perform(tx, clock, sync, &look, ids)?;
        synced.applied = true;
        chat::read(tx, clock.account(), sync, clock.now())?.describe(&mut synced);
        Ok(synced)
    })
}

/// The texts that pages will get, each as often as one gets it.
fn written(sync: &SyncOrder, plan: &Plan) -> impl Iterator<Item = Hash> {
    let messages = plan.messages.iter().zip(&sync.messages);
    let swipes = messages.flat_map(|(step, message)| step.swipes.iter().zip(&message.swipes));
    swipes.filter(|(step, _)| step.text).map(|(_, swipe)| swipe.text)
}

/// The same, each once.
fn needed(sync: &SyncOrder, plan: &Plan) -> Vec<Hash> {
    let mut seen = HashSet::new();
    written(sync, plan).filter(|text| seen.insert(*text)).collect()
}

/// The texts that neither came along nor are anywhere in the session. Refuses to write too much of those that are.
fn missing(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, chat: &Chat, plan: &Plan) -> StoreResult<Vec<Hash>> {
    let empty = text_hash(None);
    let mut missing = needed(sync, plan);
    missing.retain(|text| *text != empty && !sync.texts.contains_key(text));
    let mut lengths = HashMap::new();
    if !missing.is_empty() {
        let known = rows::holders(tx, SessionKey::new(account, chat.session_row), &missing)?;
        missing.retain(|text| !known.contains_key(text));
        lengths = rows::lengths(tx, SessionKey::new(account, chat.session_row), &known)?;
    }
    for (&hash, text) in &sync.texts {
        lengths.insert(hash, text.length()?);
    }
    let bytes = written(sync, plan).filter_map(|text| lengths.get(&text));
    if bytes.fold(0_usize, |sum, &length| sum.saturating_add(length)) > SYNC_WRITTEN_BYTES_MAX {
        return Err(Refusal::SyncTooLarge.into());
    }
    Ok(missing)
}
