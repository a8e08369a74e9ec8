//! What should be seen, computed naively: a log of all writes that is read from its end each time, and a whole copy of a branch
//! at every commit. No rows are kept up to date, nothing is shared, nothing is indexed.

use crate::tree::{self, Spot, Swipe};
use std::collections::{BTreeMap, BTreeSet};

pub use crate::tree::At;

pub type Value = i64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Host {
    Global,
    Chat,
    Branch(At),
    Floor(At),
    Page(At),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Draft,
    Generating,
    Committed,
    Failed,
}

/// Everything that could be seen on a branch at a commit: a whole copy.
pub type Copied = BTreeMap<&'static str, Value>;

/// A branch, and what it brought along; nothing if nobody knew.
#[derive(Debug, Clone)]
pub struct Branch {
    pub brought: Option<Vec<Entry>>,
    pub is_alive: bool,
}

/// When something was committed, and everything that could be seen on its branch then.
pub type Committed = (u64, Copied);

#[derive(Debug, Clone)]
pub struct Floor {
    pub spot: Spot,
    pub state: State,
    pub committed: Option<Committed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    Page,
    Floor,
    Branch,
    Chat,
}

#[derive(Debug, Clone, Copy)]
pub struct Staged {
    pub value: Option<Value>,
    pub intent: Intent,
    pub if_absent: bool,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub swipe: Swipe,
    pub committed: Option<Committed>,
    pub staged: BTreeMap<&'static str, Staged>,
}

tree::stands!(Floor, spot: Spot);
tree::stands!(Page, swipe: Swipe);

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    host: Host,
    key: &'static str,
    tick: u64,
    value: Option<Value>,
    /// The page that promoted it.
    page: Option<At>,
}

/// Where a winner stands, with its value.
pub type Seen = BTreeMap<&'static str, (Host, Value)>;

#[derive(Debug, Default)]
pub struct World {
    pub tick: u64,
    pub branches: Vec<Branch>,
    pub floors: Vec<Floor>,
    pub pages: Vec<Page>,
    log: Vec<Entry>,
}

impl World {
    pub fn write(&mut self, host: Host, key: &'static str, value: Option<Value>, page: Option<At>) {
        self.log.push(Entry { host, key, tick: self.tick, value, page });
    }

    /// The newest write that counts.
    fn newest(&self, host: Host, key: &str) -> Option<&Entry> {
        let of_host = self.log.iter().filter(|entry| entry.host == host);
        self.newest_of(of_host, key)
    }

    /// What a page promoted counts while it is the chosen one of its line.
    fn newest_of<'a>(&self, entries: impl DoubleEndedIterator<Item = &'a Entry>, key: &str) -> Option<&'a Entry> {
        let counts = |page: Option<At>| page.is_none_or(|page| self.pages[page].is_alive && self.pages[page].is_active);
        // Within one write the last word counts.
        entries.rev().filter(|entry| entry.key == key && counts(entry.page)).max_by_key(|entry| entry.tick)
    }

    pub fn value(&self, host: Host, key: &str) -> Option<Value> {
        self.newest(host, key).and_then(|entry| entry.value)
    }

    fn keys(&self) -> BTreeSet<&'static str> {
        self.log.iter().map(|entry| entry.key).collect()
    }

    /// The values of a host's own.
    pub fn own(&self, host: Host) -> BTreeMap<&'static str, Value> {
        self.keys().into_iter().filter_map(|key| Some((key, self.value(host, key)?))).collect()
    }

    /// What a branch says of a key, its own word or what it brought along.
    pub fn on_branch(&self, branch: At, key: &str) -> Option<Value> {
        if let Some(entry) = self.newest(Host::Branch(branch), key) {
            return entry.value;
        }
        self.newest_of(self.branches[branch].brought.as_ref()?.iter(), key)?.value
    }

    /// Everything that can be seen on a branch.
    fn copy_of(&self, branch: At) -> Copied {
        let brought = self.branches[branch].brought.iter().flatten();
        let keys: BTreeSet<&'static str> = self.keys().into_iter().chain(brought.map(|entry| entry.key)).collect();
        keys.into_iter().filter_map(|key| Some((key, self.on_branch(branch, key)?))).collect()
    }

    /// The nearest floor below a position that says something of a key.
    fn before(&self, branch: At, below: i64, key: &str) -> Option<(Host, Value)> {
        let mut floors: Vec<At> = (0..self.floors.len())
            .filter(|&at| {
                let floor = &self.floors[at];
                floor.is_alive && floor.branch == branch && floor.floor_no < below && floor.state != State::Failed
            })
            .collect();
        floors.sort_by_key(|&at| -self.floors[at].floor_no);
        for at in floors {
            match self.newest(Host::Floor(at), key) {
                Some(Entry { value: Some(value), .. }) => return Some((Host::Floor(at), *value)),
                // A promotion took it away; by hand it would only be forgotten.
                Some(Entry { value: None, page: Some(_), .. }) => return None,
                _ => {}
            }
        }
        None
    }

    /// Everything that can be seen from a place.
    pub fn resolve(&self, branch: Option<At>, floor: Option<At>, page: Option<At>, lineage: bool) -> Seen {
        let mut seen = Seen::new();
        let brought = branch.and_then(|branch| self.branches[branch].brought.as_ref());
        let keys = self.keys().into_iter().chain(brought.into_iter().flatten().map(|entry| entry.key));
        for key in keys.collect::<BTreeSet<_>>() {
            let own = |host: Host| self.value(host, key).map(|value| (host, value));
            let further = || {
                let below = floor.map_or(i64::MAX, |floor| self.floors[floor].floor_no);
                lineage.then(|| self.before(branch?, below, key)).flatten()
            };
            let on_branch = || {
                let branch = branch?;
                Some((Host::Branch(branch), self.on_branch(branch, key)?))
            };
            let winner = page
                .and_then(|page| own(Host::Page(page)))
                .or_else(|| floor.and_then(|floor| own(Host::Floor(floor))))
                .or_else(further)
                .or_else(on_branch)
                .or_else(|| own(Host::Chat))
                .or_else(|| own(Host::Global));
            seen.extend(winner.map(|winner| (key, winner)));
        }
        seen
    }

    /// A commit of a page, or of no page.
    pub fn commit(&mut self, floor: At, page: Option<At>) {
        let named = page.filter(|&page| self.pages[page].is_output && self.pages[page].is_active);
        if let Some(page) = named {
            let staged = std::mem::take(&mut self.pages[page].staged);
            for (&key, write) in &staged {
                // To take away what the page does not have leaves no trace on it.
                if write.value.is_some() || self.value(Host::Page(page), key).is_some() {
                    self.write(Host::Page(page), key, write.value, None);
                }
            }
            let mut rising: BTreeMap<&str, Staged> = self
                .own(Host::Page(page))
                .into_iter()
                .map(|(key, value)| (key, Staged { value: Some(value), intent: Intent::Floor, if_absent: false }))
                .collect();
            for (&key, write) in &staged {
                rising.insert(key, *write);
            }
            let branch = self.floors[floor].branch;
            for (key, write) in rising {
                let beyond = match write.intent {
                    Intent::Page => continue,
                    Intent::Floor => None,
                    Intent::Branch => Some(Host::Branch(branch)),
                    Intent::Chat => Some(Host::Chat),
                };
                for host in std::iter::once(Host::Floor(floor)).chain(beyond) {
                    let taken = match host {
                        Host::Branch(branch) => self.on_branch(branch, key).is_some(),
                        host => self.value(host, key).is_some(),
                    };
                    if write.if_absent && taken {
                        break;
                    }
                    self.write(host, key, write.value, Some(page));
                }
            }
        }
        let copied = (self.tick, self.copy_of(self.floors[floor].branch));
        if let Some(page) = page {
            self.pages[page].committed = Some(copied.clone());
        }
        self.discard(floor);
        self.floors[floor].state = State::Committed;
        self.floors[floor].committed = Some(copied);
    }

    /// Everything that is staged on a floor is settled.
    pub fn discard(&mut self, floor: At) {
        self.pages.iter_mut().filter(|page| page.floor == floor).for_each(|page| page.staged.clear());
    }

    pub fn versions(&self, floor: At, slot: i64) -> Vec<At> {
        tree::versions(&self.pages, floor, slot)
    }

    pub fn activate(&mut self, page: At) {
        tree::activate(&mut self.pages, page);
        if let Some(copied) = self.pages[page].committed.clone() {
            let floor = self.pages[page].floor;
            self.floors[floor].committed = Some(copied);
        }
    }

    pub fn delete_page(&mut self, page: At) {
        if let Some(heir) = tree::take_away(&mut self.pages, page) {
            self.activate(heir);
        }
    }

    pub fn delete_floor(&mut self, floor: At) {
        for page in &mut self.pages {
            page.is_alive &= page.floor != floor;
        }
        self.floors[floor].is_alive = false;
    }

    /// A branch is made: a copy of every committed floor up to one, with all its pages and with everything that was written on
    /// them. Answers what was copied, floors and pages, in the order of the copies.
    pub fn fork(&mut self, floor: At) -> (Vec<At>, Vec<At>) {
        let Floor { spot: Spot { branch, floor_no, .. }, committed, .. } = self.floors[floor].clone();
        let fork = self.branches.len();
        self.branches.push(Branch { brought: None, is_alive: true });
        // What was committed after the floor saw more than the fork has ever had.
        let as_of = |own: Option<Committed>| match (own, &committed) {
            (Some((tick, _)), Some(last)) if tick > last.0 => Some(last.clone()),
            (own, _) => own,
        };
        let fits = |it: &Floor| it.is_alive && it.branch == branch && it.floor_no <= floor_no;
        let is_copied = |&at: &At| fits(&self.floors[at]) && self.floors[at].state == State::Committed;
        let floors: Vec<At> = (0..self.floors.len()).filter(is_copied).collect();
        let first = self.floors.len();
        let copies: BTreeMap<At, At> = floors.iter().copied().zip(first..).collect();
        for &floor in &floors {
            let it = self.floors[floor].clone();
            let committed = as_of(it.committed);
            self.floors.push(Floor { spot: Spot { branch: fork, ..it.spot }, committed, ..it });
        }
        let is_copied = |&at: &At| self.pages[at].is_alive && copies.contains_key(&self.pages[at].floor);
        let pages: Vec<At> = (0..self.pages.len()).filter(is_copied).collect();
        let page_copies: BTreeMap<At, At> = pages.iter().copied().zip(self.pages.len()..).collect();
        for &page in &pages {
            let it = self.pages[page].clone();
            let swipe = Swipe { floor: copies[&it.floor], ..it.swipe };
            self.pages.push(Page { swipe, committed: as_of(it.committed), ..it });
        }
        for entry in self.log.clone() {
            let host = match entry.host {
                Host::Floor(at) => copies.get(&at).map(|&copy| Host::Floor(copy)),
                Host::Page(at) => page_copies.get(&at).map(|&copy| Host::Page(copy)),
                _ => None,
            };
            let page = entry.page.map(|page| page_copies.get(&page).copied().unwrap_or(page));
            self.log.extend(host.map(|host| Entry { host, page, ..entry }));
        }
        // What was put on the branch counts as of the commit. What a page promoted is part of the page: the fork has it if it has a
        // copy of the page, also if the page was committed after the floor, and it has nothing of pages that it has no copy of.
        self.branches[fork].brought = committed.map(|(tick, _)| {
            let own = self.log.iter().filter(|entry| entry.host == Host::Branch(branch));
            let said = self.branches[branch].brought.iter().flatten().chain(own);
            let on_fork = |entry: &Entry| match entry.page {
                None => (entry.tick <= tick).then_some(*entry),
                Some(page) => Some(Entry { page: Some(*page_copies.get(&page)?), ..*entry }),
            };
            said.filter_map(on_fork).collect()
        });
        (floors, pages)
    }

    pub fn delete_branch(&mut self, branch: At) {
        for floor in 0..self.floors.len() {
            if self.floors[floor].branch == branch {
                self.delete_floor(floor);
            }
        }
        self.branches[branch].is_alive = false;
    }
}
