//! Sync: a branch becomes the chat that a client has, in one transaction, and whatever is the same is left alone.

mod added;
mod chat;
mod draft;
mod outcome;
mod rests;
pub(crate) mod rows;
mod swipes;
mod work;

use crate::db::hash::text_hash;
use crate::tree::clock::{self, Reserve};
use crate::tree::prelude::*;
use crate::tree::{bodies, separation};
pub use added::{Nursery, NurseryRows};
use chat::{StoredChat, StoredFloor, StoredPage};
pub use draft::Draft;
pub use outcome::Outcome;
use outcome::Steps;
pub use rests::{Rests, put_rests};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
pub use swipes::SwipeChanges;
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
    /// How many floors may be deleted or have a text replaced, and swipes deleted, together.
    pub max_deleted: Option<usize>,
    /// How many messages at the beginning are those of `version`, and do not come along.
    pub kept: Option<usize>,
}

/// A sync that deletes more floors than this, and more than this part of the line, has to say that it means it. A floor whose text is
/// replaced and a swipe that is deleted count like a floor: their texts are gone, too.
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

    /// How many bytes it takes as it is stored.
    pub fn stored_bytes(&self) -> usize {
        self.0.len()
    }

    fn length(&self) -> StoreResult<usize> {
        codec::length(&self.0, self.0.len())
    }
}

impl SyncOrder {
    /// A text that came along, or that was found elsewhere.
    fn text<'a>(&'a self, elsewhere: &'a Texts, text: Hash) -> StoreResult<&'a Text> {
        let found = self.texts.get(&text).or_else(|| elsewhere.get(&text));
        found.ok_or_else(|| StoreError::Internal("a text that was known is gone".into()))
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
    /// Floors that lose a text because another one takes its place.
    #[serde(default)]
    pub replaced: usize,
    /// Swipes that are deleted on floors that stay, and whose texts are nowhere else in the chat.
    #[serde(default)]
    pub swipes_deleted: usize,
    /// What can be restored of what was deleted or replaced.
    #[serde(default)]
    pub trash: Option<Id>,
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
#[derive(Debug)]
pub struct Look {
    /// Where the session's clock stood.
    seq: i64,
    /// Whether pages may refer to the bodies of others.
    has_forks: bool,
    /// From where on it changes floors that other lines share; none if it changes no such floor.
    shared_from: Option<i64>,
    chat: StoredChat,
    plan: Plan,
    missing: Vec<Hash>,
    lost: Lost,
}

/// What of the stored chat is nowhere in the client's.
#[derive(Debug, Clone, Copy, Default)]
struct Lost {
    /// Floors with texts that are replaced.
    floors_replaced: usize,
    swipes_deleted: usize,
}

/// Changes of floors from which on a sync is prepared outside of its transaction.
const LARGE: usize = 250;
/// Texts that are kept, or get bodies of their own, in one transaction.
pub const TEXTS_AT_ONCE: usize = 250;

impl Look {
    /// Reads a branch and plans how it becomes the client's chat.
    pub fn read(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, now: i64) -> StoreResult<Look> {
        let chat = chat::read(tx, account, (&sync.session, &sync.branch), now)?;
        Look::of(tx, account, sync, chat)
    }

    /// The same for a client that left out the messages that both know: they are put in front of those that it sent. If the branch
    /// changes after this, the version that the client expects refuses the sync.
    pub fn read_whole(tx: &mut dyn Tx, account: &Id, mut sync: SyncOrder, now: i64) -> StoreResult<(SyncOrder, Look)> {
        let chat = chat::read(tx, account, (&sync.session, &sync.branch), now)?;
        if let (Some(count), Some(version)) = (sync.expected.kept, &sync.expected.version) {
            let mut messages = chat.messages();
            // Floors that failed are no part of the client's chat.
            messages.retain(|message| !message.swipes.is_empty());
            if chat.version() != version {
                return Err(Refusal::ChatMoved.into());
            }
            if messages.len() < count {
                return Err(Refusal::KeptTooMany(messages.len()).into());
            }
            messages.truncate(count);
            messages.append(&mut sync.messages);
            sync.messages = messages;
        }
        let look = Look::of(tx, account, &sync, chat)?;
        Ok((sync, look))
    }

    fn of(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, chat: StoredChat) -> StoreResult<Look> {
        let sql = sql!("SELECT seq, has_forks FROM session WHERE account_id = ?1 AND session_row = ?2");
        let session = params![account, chat.session_row];
        let (seq, has_forks) = one(tx, sql, session, |row| Ok((row.int(0)?, row.int(1)? == 1)))?;
        let plan = sync::plan(&chat.messages(), &sync.messages);
        // A chat that is equal already is reported as such whatever was expected: it may be the same sync, sent again.
        if !plan.is_nothing() {
            chat.expect(&sync.expected)?;
        }
        let missing = missing(tx, account, sync, &chat, &plan)?;
        let mut look = Look { seq, has_forks, shared_from: None, chat, plan, missing, lost: Lost::default() };
        look.lost = look.count_lost(sync);
        if let Some(floor_no) = look.first_changed().filter(|_| has_forks) {
            let session = SessionKey::new(account, look.chat.session_row);
            let is_shared = separation::is_shared(tx, session, (look.chat.branch_row, floor_no))?;
            look.shared_from = is_shared.then_some(floor_no);
        }
        Ok(look)
    }

    /// Whether it changes so much that everything that can be done before its transaction should be. Where lines share floors that it
    /// changes, they are separated first.
    pub fn is_large(&self) -> bool {
        self.leaves_flags() && self.shared_from.is_none()
    }

    /// Whether it changes so much that lines which share floors should be separated in parts before, and may be made.
    pub fn is_to_separate(&self, sync: &SyncOrder) -> bool {
        self.leaves_flags() && self.shared_from.is_some() && self.is_meant(sync).is_ok()
    }

    /// Separates lines that share floors which change.
    pub fn separate(&self, tx: &mut dyn Tx, account: &Id, now: i64) -> StoreResult<()> {
        let Some(floor_no) = self.shared_from else { return Ok(()) };
        let (session, place) = (SessionKey::new(account, self.chat.session_row), (self.chat.branch_row, floor_no));
        clock::with_session_row(tx, session, now, |tx, clock| separation::separate(tx, clock, place)).map(drop)
    }

    /// Whether it changes so much that it may leave the flags of floors to be looked at later.
    pub fn leaves_flags(&self) -> bool {
        self.changes() > LARGE
    }

    /// How many floors it adds, changes, moves or deletes.
    fn changes(&self) -> usize {
        self.plan.messages.iter().filter(|step| !step.is_nothing()).count() + self.plan.deleted.len()
    }

    /// Refuses to delete much of a line that the client may not have seen.
    fn is_meant(&self, sync: &SyncOrder) -> StoreResult<()> {
        let (deleted, floors, expected) = (self.plan.deleted.len(), self.chat.floors.len(), &sync.expected);
        let Lost { floors_replaced: replaced, swipes_deleted: swipes } = self.lost;
        let (texts, lost) = (replaced + swipes, deleted + replaced + swipes);
        let is_much = |lost: usize| lost > DELETED_UNSEEN_MAX && lost * DELETED_UNSEEN_PART > floors;
        let refused = match expected.max_deleted {
            // The edit of a few texts is free.
            Some(max) => deleted > max || (is_much(texts) && lost > max),
            None => is_much(lost) && expected.version.is_none(),
        };
        if refused {
            let version = self.chat.version().to_owned();
            return Err(Refusal::SyncDeletes { deleted, replaced, swipes, floors, version }.into());
        }
        Ok(())
    }

    /// The pages whose texts are replaced, with their floors.
    fn replaced<'a>(&'a self, sync: &SyncOrder) -> Vec<(&'a StoredFloor, &'a StoredPage)> {
        let wanted = WantedTexts::of(sync);
        let kept = |step: &'a MessageStep| step.swipes.iter().filter(|swipe| swipe.text).filter_map(|swipe| swipe.from);
        self.pages_of(kept).filter(|(_, page)| wanted.lacks(page)).collect()
    }

    fn count_lost(&self, sync: &SyncOrder) -> Lost {
        let floors: HashSet<i64> = self.replaced(sync).iter().map(|(floor, _)| floor.floor_row).collect();
        let wanted = WantedTexts::of(sync);
        let deleted = self.pages_of(|step| step.deleted.iter().copied());
        let swipes_deleted = deleted.filter(|(_, page)| wanted.lacks(page)).count();
        Lost { floors_replaced: floors.len(), swipes_deleted }
    }

    /// Pages of the floors that stay, with their floors.
    fn pages_of<'a, I: Iterator<Item = usize> + 'a>(
        &'a self,
        pages: impl Fn(&'a MessageStep) -> I + 'a,
    ) -> impl Iterator<Item = (&'a StoredFloor, &'a StoredPage)> {
        let steps = self.plan.messages.iter().filter_map(|step| Some((&self.chat.floors[step.from?], step)));
        steps.flat_map(move |(floor, step)| pages(step).map(move |page| (floor, &floor.pages[page])))
    }

    /// The pages that get other texts and may share their bodies with pages of other lines; none of a session that has a single line.
    pub fn pages_to_own(&self, sync: &SyncOrder) -> Vec<i64> {
        match self.has_forks {
            true => Steps::new(sync, self).edited().map(|changed| changed.page.page_row).collect(),
            false => Vec::new(),
        }
    }

    /// Gives some of them bodies of their own; no text becomes another by that. Returns where the session's clock stands then; none if
    /// the session has changed.
    pub fn own_bodies(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        (pages, seq): (&[i64], i64),
        now: i64,
    ) -> StoreResult<Option<i64>> {
        clock::with_session_at(tx, SessionKey::new(account, self.chat.session_row), seq, now, |tx, clock| {
            bodies::own(tx, clock, pages)?;
            Ok(clock.seq())
        })
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

    /// The texts that pages will get and that did not come along: what other pages of the session hold, and nothing at all.
    fn texts_elsewhere(&self, tx: &mut dyn Tx, account: &Id, sync: &SyncOrder) -> StoreResult<Texts> {
        let session = SessionKey::new(account, self.chat.session_row);
        let mut elsewhere = needed(sync, &self.plan);
        elsewhere.retain(|text| !sync.texts.contains_key(text));
        let mut texts = HashMap::new();
        if !elsewhere.is_empty() {
            let holders = rows::holders(tx, session, &elsewhere)?;
            texts = rows::texts(tx, session, &holders)?;
        }
        texts.entry(text_hash(None)).or_insert_with(|| Text::new(""));
        Ok(texts)
    }

    pub fn session_row(&self) -> i64 {
        self.chat.session_row
    }

    /// Where the session's clock stood.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// What would come of it.
    pub fn report(&self) -> Synced {
        let mut synced = Synced {
            missing: self.missing.clone(),
            deleted: self.plan.deleted.len(),
            replaced: self.lost.floors_replaced,
            swipes_deleted: self.lost.swipes_deleted,
            ..Synced::default()
        };
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

/// The texts that the client's chat has anywhere. They are collected when the first page is looked at: most syncs lose none.
struct WantedTexts<'a> {
    sync: &'a SyncOrder,
    texts: OnceCell<HashSet<Hash>>,
}

impl WantedTexts<'_> {
    fn of(sync: &SyncOrder) -> WantedTexts<'_> {
        WantedTexts { sync, texts: OnceCell::new() }
    }

    /// Whether the text of a page is nowhere in the client's chat. An empty one is no loss.
    fn lacks(&self, page: &StoredPage) -> bool {
        let texts = self.texts.get_or_init(|| {
            let swipes = self.sync.messages.iter().flat_map(|message| &message.swipes);
            swipes.map(|swipe| swipe.text).chain([text_hash(None)]).collect()
        });
        page.text.is_none_or(|text| !texts.contains(&text))
    }
}

/// What a large sync reads before its parts.
#[derive(Debug)]
pub struct ReadBefore {
    /// What happens to swipes of floors that stay, where that is much.
    pub swipes: Option<SwipeChanges>,
    /// Texts that pages get and that did not come along.
    pub texts: Texts,
}

impl ReadBefore {
    /// Reads it; none if the session has changed since the plan was made.
    pub fn read(tx: &mut dyn Tx, account: &Id, (sync, look): (&SyncOrder, &Look)) -> StoreResult<Option<ReadBefore>> {
        let read = ReadBefore {
            swipes: SwipeChanges::read(tx, account, (sync, look))?,
            texts: look.texts_elsewhere(tx, account, sync)?,
        };
        // Asked last: each statement on PostgreSQL sees what is there by then.
        let sql = sql!("SELECT seq FROM session WHERE account_id = ?1 AND session_row = ?2");
        let seq = first(tx, sql, params![account, look.chat.session_row], |row| row.int(0))?;
        Ok((seq == Some(look.seq)).then_some(read))
    }
}

/// What was done before the transaction of a large sync.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prepared<'a> {
    pub draft: Option<&'a Draft>,
    /// Swipes that are deleted are in the draft.
    pub read: Option<&'a ReadBefore>,
    pub nursery: Option<&'a Nursery>,
    pub outcome: Option<&'a Outcome>,
    /// Whether the pages that get other texts have bodies of their own.
    pub owns_bodies: bool,
}

/// Makes a branch equal to the client's chat as it was planned. Nothing is done if the session has changed since.
pub fn apply_planned(
    tx: &mut dyn Tx,
    account: &Id,
    (sync, look): (&SyncOrder, &Look),
    (prepared, seq): (Prepared<'_>, i64),
    ids: &mut dyn Iterator<Item = Id>,
    now: i64,
) -> StoreResult<Option<Synced>> {
    look.is_meant(sync)?;
    clock::with_session_at(tx, SessionKey::new(account, look.chat.session_row), seq, now, |tx, clock| {
        perform(tx, clock, sync, look, prepared, ids)
    })
}

fn perform(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    sync: &SyncOrder,
    look: &Look,
    prepared: Prepared<'_>,
    ids: &mut dyn Iterator<Item = Id>,
) -> StoreResult<Synced> {
    let synced = work::perform(tx, clock, sync, look, prepared, ids)?;
    #[cfg(debug_assertions)]
    {
        let stored = chat::read(tx, clock.account(), (&sync.session, &sync.branch), clock.now())?;
        debug_assert_eq!(stored.version(), synced.version, "the chat is what the plan says");
    }
    Ok(synced)
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
        let synced = look.report();
        if synced.applied || !synced.missing.is_empty() {
            return Ok(synced);
        }
        look.is_meant(sync)?;
        if let Some(floor_no) = look.shared_from {
            separation::separate(tx, clock, (look.chat.branch_row, floor_no))?;
            // The same chat, and rows that no other line has.
            look = Look::read(tx, clock.account(), sync, clock.now())?;
        }
        perform(tx, clock, sync, &look, Prepared::default(), ids)
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
fn missing(tx: &mut dyn Tx, account: &Id, sync: &SyncOrder, chat: &StoredChat, plan: &Plan) -> StoreResult<Vec<Hash>> {
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
