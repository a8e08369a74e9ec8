//! What should be seen, told naively: a log of all writes that is read from its end each time. No rows are kept up to date,
//! nothing is copied, nothing is indexed.

use std::collections::{BTreeMap, BTreeSet};

pub type Value = i64;
/// A branch, floor or page: its place in the world's list.
pub type At = usize;

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

/// Where a branch turns off: by a floor while it exists, else by what that floor was.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    Floor(At),
    Was { branch: At, floor_no: i64, tick: Option<u64> },
}

#[derive(Debug, Clone)]
pub struct Branch {
    pub source: Option<Source>,
    pub is_alive: bool,
}

#[derive(Debug, Clone)]
pub struct Floor {
    pub branch: At,
    pub floor_no: i64,
    pub state: State,
    pub committed: Option<u64>,
    pub is_alive: bool,
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
    pub floor: At,
    pub slot: i64,
    pub version: i64,
    pub is_output: bool,
    pub is_active: bool,
    pub committed: Option<u64>,
    pub is_alive: bool,
    pub staged: BTreeMap<&'static str, Staged>,
}

#[derive(Debug, Clone)]
struct Entry {
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

    /// The newest write that counts, up to a tick.
    fn newest(&self, host: Host, key: &str, tick: u64) -> Option<&Entry> {
        let counts = |page: Option<At>| page.is_none_or(|page| self.pages[page].is_alive && self.pages[page].is_active);
        let fits = |entry: &&Entry| entry.host == host && entry.key == key && entry.tick <= tick && counts(entry.page);
        // Within one write the last word counts.
        self.log.iter().rev().filter(fits).max_by_key(|entry| entry.tick)
    }

    pub fn value(&self, host: Host, key: &str) -> Option<Value> {
        self.newest(host, key, u64::MAX).and_then(|entry| entry.value)
    }

    fn keys(&self) -> BTreeSet<&'static str> {
        self.log.iter().map(|entry| entry.key).collect()
    }

    /// The values of a host's own.
    pub fn own(&self, host: Host) -> BTreeMap<&'static str, Value> {
        self.keys().into_iter().filter_map(|key| Some((key, self.value(host, key)?))).collect()
    }

    fn source(&self, branch: At) -> Option<(At, i64, Option<u64>)> {
        match self.branches[branch].source? {
            Source::Floor(floor) => {
                let floor = &self.floors[floor];
                Some((floor.branch, floor.floor_no, floor.committed))
            }
            Source::Was { branch, floor_no, tick } => Some((branch, floor_no, tick)),
        }
    }

    /// What a branch says of a key at a tick, its own word or what it inherits.
    pub fn on_branch(&self, branch: At, key: &str, tick: u64) -> Option<Value> {
        if let Some(entry) = self.newest(Host::Branch(branch), key, tick) {
            return entry.value;
        }
        let (before, _, at) = self.source(branch)?;
        self.on_branch(before, key, at?)
    }

    /// The nearest floor below a position that says something of a key, on the branch and before it.
    fn before(&self, branch: At, below: i64, key: &str) -> Option<(Host, Value)> {
        let mut floors: Vec<At> = (0..self.floors.len())
            .filter(|&at| {
                let floor = &self.floors[at];
                floor.is_alive && floor.branch == branch && floor.floor_no < below && floor.state != State::Failed
            })
            .collect();
        floors.sort_by_key(|&at| -self.floors[at].floor_no);
        for at in floors {
            match self.newest(Host::Floor(at), key, u64::MAX) {
                Some(Entry { value: Some(value), .. }) => return Some((Host::Floor(at), *value)),
                // A promotion took it away; by hand it would only be forgotten.
                Some(Entry { value: None, page: Some(_), .. }) => return None,
                _ => {}
            }
        }
        let (before, floor_no, _) = self.source(branch)?;
        self.before(before, floor_no + 1, key)
    }

    /// Everything that can be seen from a place.
    pub fn resolve(&self, branch: Option<At>, floor: Option<At>, page: Option<At>, lineage: bool) -> Seen {
        let mut seen = Seen::new();
        for key in self.keys() {
            let own = |host: Host| self.value(host, key).map(|value| (host, value));
            let further = || {
                let below = floor.map_or(i64::MAX, |floor| self.floors[floor].floor_no);
                lineage.then(|| self.before(branch?, below, key)).flatten()
            };
            let on_branch = || {
                let branch = branch?;
                Some((Host::Branch(branch), self.on_branch(branch, key, u64::MAX)?))
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
                    if write.if_absent && self.value(host, key).is_some() {
                        break;
                    }
                    self.write(host, key, write.value, Some(page));
                }
            }
            self.pages[page].committed = Some(self.tick);
        } else if let Some(page) = page {
            self.pages[page].committed = Some(self.tick);
        }
        self.discard(floor);
        self.floors[floor].state = State::Committed;
        self.floors[floor].committed = Some(self.tick);
    }

    /// Everything that is staged on a floor is settled.
    pub fn discard(&mut self, floor: At) {
        self.pages.iter_mut().filter(|page| page.floor == floor).for_each(|page| page.staged.clear());
    }

    pub fn versions(&self, floor: At, slot: i64) -> Vec<At> {
        (0..self.pages.len())
            .filter(|&at| self.pages[at].is_alive && self.pages[at].floor == floor && self.pages[at].slot == slot)
            .collect()
    }

    pub fn activate(&mut self, page: At) {
        let (floor, slot) = (self.pages[page].floor, self.pages[page].slot);
        for version in self.versions(floor, slot) {
            self.pages[version].is_active = version == page;
        }
        if let Some(tick) = self.pages[page].committed {
            self.floors[floor].committed = Some(tick);
        }
    }

    pub fn delete_page(&mut self, page: At) {
        self.pages[page].is_alive = false;
        let Page { floor, slot, version, is_active, .. } = self.pages[page];
        if !is_active {
            return;
        }
        let heir = self.versions(floor, slot).into_iter().min_by_key(|&at| {
            let other = self.pages[at].version;
            (other > version, (other - version).abs())
        });
        if let Some(heir) = heir {
            self.activate(heir);
        }
    }

    pub fn delete_floor(&mut self, floor: At) {
        for page in &mut self.pages {
            page.is_alive &= page.floor != floor;
        }
        let Floor { branch, floor_no, committed, .. } = self.floors[floor].clone();
        for other in &mut self.branches {
            if matches!(other.source, Some(Source::Floor(source)) if source == floor) {
                other.source = Some(Source::Was { branch, floor_no, tick: committed });
            }
        }
        self.floors[floor].is_alive = false;
    }

    /// The branch is gone, and stays in the log for those who were forked from it. What counted on it counts for ever.
    pub fn delete_branch(&mut self, branch: At) {
        let host = Host::Branch(branch);
        let lasting: Vec<bool> = self
            .log
            .iter()
            .map(|entry| entry.page.is_none_or(|page| self.pages[page].is_alive && self.pages[page].is_active))
            .collect();
        let mut lasts = lasting.into_iter();
        self.log.retain_mut(|entry| {
            let lasts = lasts.next().unwrap_or(true);
            if entry.host == host && lasts {
                entry.page = None;
            }
            entry.host != host || lasts
        });
        for floor in 0..self.floors.len() {
            if self.floors[floor].is_alive && self.floors[floor].branch == branch {
                self.delete_floor(floor);
            }
        }
        // Where it turned off is settled with it, also for those who were forked from it.
        let source = self.source(branch);
        self.branches[branch].source = source.map(|(branch, floor_no, tick)| Source::Was { branch, floor_no, tick });
        self.branches[branch].is_alive = false;
    }
}
