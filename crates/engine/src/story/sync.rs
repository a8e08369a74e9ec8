//! Sync: what has to happen to the chat that is stored so that it becomes the chat that a client has.
//!
//! Messages are recognised by their texts and not by their places, so that a deletion in the middle touches nothing behind
//! it. A message that is found nowhere takes over the one at its place if the same role spoke there: that is an edit.

mod align;

use crate::story::Hash;
use align::Lists;
use std::collections::{HashMap, VecDeque};

/// Who speaks. The client's chat may leave the name out: then it does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The role; stored pages may have none.
    pub role: Option<String>,
    /// The name.
    pub name: Option<String>,
}

impl Speaker {
    /// Whether a stored page with this speaker is as the client has it.
    pub fn fits(&self, client: &Speaker) -> bool {
        self.role == client.role && (client.name.is_none() || self.name == client.name)
    }
}

/// One text of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swipe {
    /// The fingerprint of the text.
    pub text: Hash,
    /// Who speaks.
    pub speaker: Speaker,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its texts.
    pub swipes: Vec<Swipe>,
    /// Which one counts.
    pub active: usize,
}

/// What has to happen to a chat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// What becomes of each message of the client's chat, in its order.
    pub messages: Vec<MessageStep>,
    /// Stored messages that go.
    pub deleted: Vec<usize>,
}

/// Where a message of the client's chat comes from, and what changes on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageStep {
    /// The stored message that it is; none if it is new.
    pub from: Option<usize>,
    /// Whether that stands in another order among those that stay.
    pub moved: bool,
    /// What becomes of its swipes, in the client's order.
    pub swipes: Vec<SwipeStep>,
    /// Stored swipes of it that go.
    pub deleted: Vec<usize>,
    /// Whether another swipe counts than before.
    pub activates: bool,
}

/// Where a swipe comes from, and what changes on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwipeStep {
    /// The stored swipe that it is; none if it is new.
    pub from: Option<usize>,
    /// Whether that stands in another order among those that stay.
    pub moved: bool,
    /// Whether it gets another text.
    pub text: bool,
    /// Whether the speaker changes.
    pub speaker: bool,
}

impl SwipeStep {
    fn is_nothing(&self) -> bool {
        self.from.is_some() && !self.moved && !self.text && !self.speaker
    }
}

impl MessageStep {
    /// Whether the message is there as it is, at its place.
    pub fn is_nothing(&self) -> bool {
        let same = self.from.is_some() && !self.moved && !self.activates;
        same && self.deleted.is_empty() && self.swipes.iter().all(SwipeStep::is_nothing)
    }
}

impl Plan {
    /// Whether the chats are the same.
    pub fn is_nothing(&self) -> bool {
        self.deleted.is_empty() && self.messages.iter().all(MessageStep::is_nothing)
    }
}

/// Plans how the stored chat becomes the client's.
///
/// ```
/// use tavernkeep_engine::sync::{Message, Speaker, Swipe, plan};
///
/// let said = |text: u8| {
///     let speaker = Speaker { role: Some("assistant".into()), name: None };
///     Message { swipes: vec![Swipe { text: [text; 16], speaker }], active: 0 }
/// };
/// // The second of three is gone; the third is what it was.
/// let plan = plan(&[said(1), said(2), said(3)], &[said(1), said(3)]);
/// assert_eq!(plan.deleted, [1]);
/// assert!(plan.messages.iter().all(|step| step.is_nothing()));
/// ```
pub fn plan(server: &[Message], client: &[Message]) -> Plan {
    let (stored, wanted): (Vec<_>, Vec<_>) = (server.iter().map(key).collect(), client.iter().map(key).collect());
    let lists = Lists {
        left: &stored,
        right: &wanted,
        marks: [&|at| marks(&server[at]), &|at| marks(&client[at])],
        likeness: &|at, other| likeness(&server[at], &client[other]),
    };
    let Matched { from, deleted } = matched(&lists, &|at| role(&server[at]), &|other| role(&client[other]));
    let step = |(other, from): (usize, Option<(usize, bool)>)| match from {
        None => new_message(&client[other]),
        Some((at, moved)) => message(&server[at], &client[other], at, moved),
    };
    Plan { messages: from.into_iter().enumerate().map(step).collect(), deleted }
}

/// What makes two messages the same: texts, roles and which text counts. Names may be left out and are ignored.
fn key(message: &Message) -> (Vec<(Hash, Option<&str>)>, usize) {
    let swipes = message.swipes.iter().map(|swipe| (swipe.text, swipe.speaker.role.as_deref())).collect();
    (swipes, message.active)
}

/// The role that spoke a message.
fn role(message: &Message) -> Option<&str> {
    message.swipes.get(message.active).or(message.swipes.first())?.speaker.role.as_deref()
}

/// How alike two messages are that are not the same: all their texts say more than the one that counts in both, and that
/// more than any other.
fn likeness(server: &Message, client: &Message) -> u32 {
    let active = |message: &Message| message.swipes.get(message.active).map(|swipe| swipe.text);
    let has = |text: Hash| server.swipes.iter().any(|swipe| swipe.text == text);
    match active(client) {
        Some(text) if has(text) && texts(server) == texts(client) => 4,
        Some(text) if active(server) == Some(text) => 3,
        Some(text) if has(text) => 2,
        _ => u32::from(client.swipes.iter().any(|swipe| has(swipe.text))),
    }
}

/// What a message may be recognised by that is not the same.
#[derive(PartialEq, Eq, Hash)]
enum Mark {
    /// The text that counts.
    Active(Hash),
    /// One of its texts.
    Text(Hash),
}

fn marks(message: &Message) -> Vec<Mark> {
    let active = message.swipes.get(message.active).map(|swipe| Mark::Active(swipe.text));
    active.into_iter().chain(message.swipes.iter().map(|swipe| Mark::Text(swipe.text))).collect()
}

fn texts(message: &Message) -> Vec<Hash> {
    message.swipes.iter().map(|swipe| swipe.text).collect()
}

fn new_message(client: &Message) -> MessageStep {
    let new = SwipeStep { from: None, moved: false, text: true, speaker: true };
    let swipes = vec![new; client.swipes.len()];
    MessageStep { from: None, moved: false, swipes, deleted: Vec::new(), activates: true }
}

fn message(server: &Message, client: &Message, at: usize, moved: bool) -> MessageStep {
    let (stored, wanted) = (texts(server), texts(client));
    let Matched { from, deleted } = matched_swipes(&stored, &wanted);
    let step = |(wanted, from): (&Swipe, Option<(usize, bool)>)| {
        let stored = from.and_then(|(at, _)| server.swipes.get(at));
        SwipeStep {
            from: from.map(|(at, _)| at),
            moved: from.is_some_and(|(_, moved)| moved),
            text: stored.is_none_or(|stored| stored.text != wanted.text),
            speaker: stored.is_none_or(|stored| !stored.speaker.fits(&wanted.speaker)),
        }
    };
    let active = from.get(client.active).copied().flatten().map(|(at, _)| at);
    let swipes = client.swipes.iter().zip(from).map(step).collect();
    MessageStep { from: Some(at), moved, swipes, deleted, activates: active != Some(server.active) }
}

fn matched_swipes(stored: &[Hash], wanted: &[Hash]) -> Matched {
    // Nearly every message of a chat that is synced again.
    if stored == wanted {
        return Matched { from: (0..stored.len()).map(|at| Some((at, false))).collect(), deleted: Vec::new() };
    }
    let unmarked = |_: usize| Vec::<Mark>::new();
    let lists = Lists { left: stored, right: wanted, marks: [&unmarked, &unmarked], likeness: &|_, _| 0 };
    // Every swipe of a message is said by the same.
    matched(&lists, &|_| Some(""), &|_| Some(""))
}

/// For each wanted item the stored one that it is and whether that was moved; and the stored ones that are left.
struct Matched {
    from: Vec<Option<(usize, bool)>>,
    deleted: Vec<usize>,
}

/// Items in order first, then equal ones that were moved, then items that stand in the same gap and has the same role.
fn matched<'a, T: Eq + std::hash::Hash, M: Eq + std::hash::Hash>(
    lists: &Lists<'_, T, M>,
    stored_role: &dyn Fn(usize) -> Option<&'a str>,
    wanted_role: &dyn Fn(usize) -> Option<&'a str>,
) -> Matched {
    let (stored, wanted) = (lists.left, lists.right);
    let mut from: Vec<Option<(usize, bool)>> = vec![None; wanted.len()];
    let mut is_used = vec![false; stored.len()];
    let aligned = lists.align();
    for &(at, other) in &aligned {
        (from[other], is_used[at]) = (Some((at, false)), true);
    }
    let mut left: HashMap<&T, VecDeque<usize>> = HashMap::new();
    for (at, item) in stored.iter().enumerate().filter(|&(at, _)| !is_used[at]) {
        left.entry(item).or_default().push_back(at);
    }
    for (other, item) in wanted.iter().enumerate() {
        if from[other].is_none()
            && let Some(at) = left.get_mut(item).and_then(VecDeque::pop_front)
        {
            (from[other], is_used[at]) = (Some((at, true)), true);
        }
    }
    let (mut at, mut other) = (0, 0);
    for (end, other_end) in aligned.into_iter().chain([(stored.len(), wanted.len())]) {
        let mut left: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for at in (at..end).filter(|&at| !is_used[at]) {
            if let Some(role) = stored_role(at) {
                left.entry(role).or_default().push_back(at);
            }
        }
        for (other, from) in from.iter_mut().enumerate().take(other_end).skip(other).filter(|(_, from)| from.is_none())
        {
            let Some(left) = wanted_role(other).and_then(|role| left.get_mut(role)) else { continue };
            // What stands before something that was taken would be out of order.
            while left.front().is_some_and(|&found| found < at) {
                left.pop_front();
            }
            let Some(found) = left.pop_front() else { continue };
            (*from, is_used[found]) = (Some((found, false)), true);
            at = found + 1;
        }
        (at, other) = (end + 1, other_end + 1);
    }
    let deleted = is_used.iter().enumerate().filter(|(_, used)| !**used).map(|(at, _)| at).collect();
    Matched { from, deleted }
}

/// Gives everything a number so that numbers rise from `first` on: what has one keeps it as long as there is room before
/// it, what has none gets the next.
///
/// ```
/// use tavernkeep_engine::sync::numbers;
///
/// assert_eq!(numbers(&[Some(0), Some(2), None], 0), [0, 2, 3]);
/// assert_eq!(numbers(&[Some(0), None, Some(1), Some(5)], 0), [0, 1, 2, 5]);
/// ```
pub fn numbers(kept: &[Option<i64>], first: i64) -> Vec<i64> {
    let mut next = first;
    let number = |kept: &Option<i64>| {
        let number = kept.map_or(next, |kept| kept.max(next));
        next = number.saturating_add(1);
        number
    };
    kept.iter().map(number).collect()
}
