//! What should be shown, told naively: every page keeps a whole copy of its document and what it was made of. Whether it
//! can be believed is found out by walking back to the beginning.

use std::collections::BTreeMap;

pub type Document = BTreeMap<&'static str, i64>;
/// A branch, floor or page: its place in the world's list.
pub type At = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Unprocessed,
    TextChanged,
    ParentChanged,
    EarlierStale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Add(&'static str, i64),
    Set(&'static str, i64),
}

pub type Text = Vec<Command>;

#[derive(Debug, Clone)]
pub struct State {
    pub document: Document,
    /// No two states have the same.
    token: u64,
    parent: Option<u64>,
    text: Text,
    pub edited: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Source {
    Floor(At),
    Was { branch: At, floor_no: i64 },
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
    pub is_committed: bool,
    pub is_alive: bool,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub floor: At,
    pub slot: i64,
    pub version: i64,
    pub is_output: bool,
    pub is_active: bool,
    pub is_alive: bool,
    pub text: Text,
    pub state: Option<State>,
}

/// What a place shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub document: Document,
    pub stale: Option<Reason>,
    pub edited: bool,
    pub inherited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Stale(Option<i64>),
    Latest,
    All(Option<i64>),
}

#[derive(Debug, Default)]
pub struct World {
    pub template: Document,
    pub branches: Vec<Branch>,
    pub floors: Vec<Floor>,
    pub pages: Vec<Page>,
    pub tokens: u64,
}

impl World {
    pub fn source(&self, branch: At) -> Option<(At, i64)> {
        Some(match self.branches[branch].source? {
            Source::Floor(floor) => (self.floors[floor].branch, self.floors[floor].floor_no),
            Source::Was { branch, floor_no } => (branch, floor_no),
        })
    }

    /// The active output page of a committed floor's last slot.
    pub fn story_page(&self, floor: At) -> Option<At> {
        let (is_told, pages) = (self.floors[floor].is_committed && self.floors[floor].is_alive, &self.pages);
        let fits = |&at: &At| {
            let page = &pages[at];
            page.is_alive && page.floor == floor && page.is_active && page.is_output
        };
        (0..pages.len()).filter(fits).max_by_key(|&at| pages[at].slot).filter(|_| is_told)
    }

    /// The story pages up to a position, from the beginning on, each with its stretch and position.
    pub fn path(&self, branch: At, last: i64) -> Vec<(usize, i64, At)> {
        let mut way = vec![(branch, last)];
        while let Some(source) = self.source(way[way.len() - 1].0) {
            way.push(source);
        }
        way.reverse();
        let mut path = Vec::new();
        for (stretch, (branch, last)) in way.into_iter().enumerate() {
            let mut floors: Vec<At> = (0..self.floors.len())
                .filter(|&at| self.floors[at].branch == branch && self.floors[at].floor_no <= last)
                .collect();
            floors.sort_by_key(|&at| self.floors[at].floor_no);
            path.extend(floors.into_iter().filter_map(|at| {
                let page = self.story_page(at)?;
                Some((stretch, self.floors[at].floor_no, page))
            }));
        }
        path
    }

    fn reach(&self, branch: At, floor_no: i64) -> usize {
        let mut way = vec![i64::MAX];
        let mut at = branch;
        while let Some((branch, last)) = self.source(at) {
            way.push(last);
            at = branch;
        }
        way.reverse();
        way.iter().position(|&last| last >= floor_no).unwrap_or(way.len())
    }

    fn before(&self, page: At) -> Vec<(usize, i64, At)> {
        let floor = &self.floors[self.pages[page].floor];
        self.path(floor.branch, floor.floor_no - 1)
    }

    fn token(&self, page: Option<At>) -> Option<u64> {
        self.pages[page?].state.as_ref().map(|state| state.token)
    }

    /// Why a page's state does not fit what is before it.
    fn misfit(&self, page: At, before: Option<At>) -> Option<Reason> {
        let Page { state, text, .. } = &self.pages[page];
        let Some(state) = state else { return Some(Reason::Unprocessed) };
        if state.text != *text {
            return Some(Reason::TextChanged);
        }
        let is_unprocessed = before.is_some_and(|before| self.pages[before].state.is_none());
        (is_unprocessed || state.parent != self.token(before)).then_some(Reason::ParentChanged)
    }

    fn stale(&self, page: At) -> Option<Reason> {
        let before = self.before(page).last().map(|&(_, _, page)| page);
        let earlier = || before.and_then(|before| self.stale(before)).map(|_| Reason::EarlierStale);
        self.misfit(page, before).or_else(earlier)
    }

    fn shown(&self, page: At) -> Shown {
        let mut chain = self.before(page);
        chain.push((0, 0, page));
        let state = chain.iter().rev().find_map(|&(_, _, page)| self.pages[page].state.as_ref());
        Shown {
            document: state.map_or(&self.template, |state| &state.document).clone(),
            stale: self.stale(page),
            edited: state.is_some_and(|state| state.edited),
            // A page that was never processed shows what lies before it.
            inherited: self.pages[page].state.is_none(),
        }
    }

    /// What a page shows.
    pub fn look(&self, page: At) -> Shown {
        let chosen = self.story_page(self.pages[page].floor);
        let own = chosen.is_some_and(|chosen| self.pages[chosen].slot == self.pages[page].slot);
        if own && self.pages[page].is_output {
            return self.shown(page);
        }
        match self.before(page).last() {
            Some(&(_, _, before)) => Shown { inherited: true, ..self.shown(before) },
            None => Shown { document: self.template.clone(), stale: None, edited: false, inherited: true },
        }
    }

    /// What a branch shows.
    pub fn newest(&self, branch: At) -> Shown {
        match self.path(branch, i64::MAX).last() {
            Some(&(_, _, page)) => self.shown(page),
            None => Shown { document: self.template.clone(), stale: None, edited: false, inherited: true },
        }
    }

    fn fresh_token(&mut self) -> u64 {
        self.tokens += 1;
        self.tokens
    }

    fn apply(&self, before: Option<At>, text: &Text) -> Document {
        let state = before.and_then(|before| self.pages[before].state.as_ref());
        let mut document = state.map_or(&self.template, |state| &state.document).clone();
        for command in text {
            match *command {
                Command::Add(key, number) => *document.entry(key).or_default() += number,
                Command::Set(key, number) => drop(document.insert(key, number)),
            }
        }
        document
    }

    fn tell(&mut self, page: At, before: Option<At>) {
        let text = self.pages[page].text.clone();
        let document = self.apply(before, &text);
        let (token, parent) = (self.fresh_token(), self.token(before));
        self.pages[page].state = Some(State { document, token, parent, text, edited: false });
    }

    /// Processes the way to a position.
    pub fn process(&mut self, branch: At, last: i64, mode: Mode, overwrite: bool) {
        let path = self.path(branch, last);
        let before = |at: usize| at.checked_sub(1).map(|at| path[at].2);
        let stale = (0..path.len()).find(|&at| self.misfit(path[at].2, before(at)).is_some());
        let from = |floor_no: i64| {
            let stretch = self.reach(branch, floor_no);
            path.iter().position(|&(at, no, _)| (at, no) >= (stretch, floor_no))
        };
        let wanted = match mode {
            Mode::Stale(None) => None,
            Mode::Latest => path.len().checked_sub(1),
            Mode::Stale(Some(floor_no)) | Mode::All(Some(floor_no)) => from(floor_no),
            Mode::All(None) => from(0),
        };
        let Some(start) = stale.into_iter().chain(wanted).min() else { return };
        for at in start..path.len() {
            let (page, before) = (path[at].2, before(at));
            let is_forced = match mode {
                Mode::Stale(from) => from.is_some_and(|floor_no| path[at].1 >= floor_no),
                Mode::Latest => at + 1 == path.len(),
                Mode::All(_) => true,
            };
            let fits = self.misfit(page, before).is_none();
            let is_edited = self.pages[page].state.as_ref().is_some_and(|state| state.edited);
            if is_edited && !overwrite {
                if !fits {
                    self.settle(page, before);
                }
            } else if !fits || is_forced {
                let text = self.pages[page].text.clone();
                let same =
                    self.pages[page].state.as_ref().is_some_and(|state| state.document == self.apply(before, &text));
                if !(fits && same && !is_edited) || mode == Mode::Latest {
                    self.tell(page, before);
                }
            }
        }
    }

    /// A state by hand stays, and stands on what is before it now.
    fn settle(&mut self, page: At, before: Option<At>) {
        let (token, parent, text) = (self.fresh_token(), self.token(before), self.pages[page].text.clone());
        if let Some(state) = &mut self.pages[page].state {
            (state.token, state.parent, state.text) = (token, parent, text);
        }
    }

    /// Somebody changes a page's document.
    pub fn edit(&mut self, page: At, document: Document) {
        let before = self.before(page).last().map(|&(_, _, page)| page);
        let is_unprocessed = before.is_some_and(|before| self.pages[before].state.is_none());
        let old = self.pages[page].state.as_ref().and_then(|state| state.parent);
        let parent = if is_unprocessed { old } else { self.token(before) };
        let (token, text) = (self.fresh_token(), self.pages[page].text.clone());
        self.pages[page].state = Some(State { document, token, parent, text, edited: true });
    }

    /// A turn's page, which is there already, gets its state.
    pub fn take(&mut self, page: At) {
        let before = self.before(page).last().map(|&(_, _, page)| page);
        self.tell(page, before);
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
    }

    pub fn delete_page(&mut self, page: At) {
        self.pages[page].is_alive = false;
        let Page { floor, slot, version, is_active, .. } = self.pages[page];
        let heir = self.versions(floor, slot).into_iter().min_by_key(|&at| {
            let other = self.pages[at].version;
            (other > version, (other - version).abs())
        });
        if let Some(heir) = heir.filter(|_| is_active) {
            self.activate(heir);
        }
    }

    pub fn delete_floor(&mut self, floor: At) {
        self.pages.iter_mut().filter(|page| page.floor == floor).for_each(|page| page.is_alive = false);
        let Floor { branch, floor_no, .. } = self.floors[floor];
        for other in &mut self.branches {
            if matches!(other.source, Some(Source::Floor(source)) if source == floor) {
                other.source = Some(Source::Was { branch, floor_no });
            }
        }
        self.floors[floor].is_alive = false;
        self.leave(branch, floor_no);
    }

    /// Forks go along with a floor that passes nobody; the others stay, like those of a floor that is gone.
    pub fn move_floor(&mut self, floor: At, to: i64) {
        let Floor { branch, floor_no: from, .. } = self.floors[floor];
        for fork in 0..self.branches.len() {
            let passed = self.floors.iter().any(|it| {
                let between = it.branch == branch && from.min(to) < it.floor_no && it.floor_no < from.max(to);
                it.is_alive && (between || (it.branch == fork && from < it.floor_no && it.floor_no <= to))
            });
            let source = &mut self.branches[fork].source;
            match *source {
                Some(Source::Floor(on)) if on == floor && passed => {
                    *source = Some(Source::Was { branch, floor_no: from });
                }
                Some(Source::Was { branch: of, floor_no }) if (of, floor_no) == (branch, from) && !passed => {
                    *source = Some(Source::Was { branch, floor_no: to });
                }
                _ => {}
            }
        }
        self.floors[floor].floor_no = to;
        self.leave(branch, from);
    }

    /// Whoever stood at a position where no floor is any more stands on the one before it.
    pub fn leave(&mut self, branch: At, floor_no: i64) {
        let floors = self.floors.iter().filter(|it| it.is_alive && it.branch == branch && it.floor_no < floor_no);
        let before = floors.map(|it| it.floor_no).max().unwrap_or(-1);
        for other in &mut self.branches {
            if let Some(Source::Was { branch: source, floor_no: last }) = &mut other.source
                && (*source, *last) == (branch, floor_no)
            {
                *last = before;
            }
        }
    }

    pub fn delete_branch(&mut self, branch: At) {
        let before = self.source(branch).map(|(branch, floor_no)| Source::Was { branch, floor_no });
        for other in 0..self.branches.len() {
            if self.source(other).is_some_and(|(source, _)| source == branch) {
                self.branches[other].source = before;
            }
        }
        for floor in 0..self.floors.len() {
            if self.floors[floor].is_alive && self.floors[floor].branch == branch {
                self.delete_floor(floor);
            }
        }
        self.branches[branch].is_alive = false;
    }
}
