//! The way through a story: from the beginning, over forks, to a position.

use super::{At, Source, World};

/// A story page with its stretch and its position.
pub type Step = (usize, i64, At);

impl World {
    pub fn source(&self, branch: At) -> Option<(At, i64)> {
        Some(match self.branches[branch].source? {
            Source::Floor(floor) => (self.floors[floor].branch, self.floors[floor].floor_no),
            Source::Was { branch, floor_no } => (branch, floor_no),
        })
    }

    /// The active page of a committed floor's last slot that commands are read from.
    pub fn story_page(&self, floor: At) -> Option<At> {
        let (is_told, pages) = (self.floors[floor].is_committed && self.floors[floor].is_alive, &self.pages);
        let fits = |&at: &At| {
            let page = &pages[at];
            page.floor == floor && page.is_alive && page.is_active && self.is_read(at)
        };
        (0..pages.len()).filter(fits).max_by_key(|&at| pages[at].slot).filter(|_| is_told)
    }

    /// Whether commands are read from a page.
    pub fn is_read(&self, page: At) -> bool {
        self.pages[page].is_output || self.settings.reads_users
    }

    /// The branches from the first to this one, each with the last position that counts.
    pub fn way(&self, branch: At, last: i64) -> Vec<(At, i64)> {
        let mut way = vec![(branch, last)];
        while let Some(source) = self.source(way[way.len() - 1].0) {
            way.push(source);
        }
        way.reverse();
        way
    }

    /// The floors of a branch up to a position, in order.
    pub fn floors_of(&self, branch: At, last: i64) -> Vec<At> {
        let fits = |&at: &At| {
            let floor = &self.floors[at];
            floor.is_alive && floor.branch == branch && floor.floor_no <= last
        };
        let mut floors: Vec<At> = (0..self.floors.len()).filter(fits).collect();
        floors.sort_by_key(|&at| self.floors[at].floor_no);
        floors
    }

    /// The story pages up to a position, from the beginning on.
    pub fn path(&self, branch: At, last: i64) -> Vec<Step> {
        let step = |stretch: usize, floor: At| Some((stretch, self.floors[floor].floor_no, self.story_page(floor)?));
        let way = self.way(branch, last).into_iter().enumerate();
        way.flat_map(|(stretch, (branch, last))| {
            self.floors_of(branch, last).into_iter().filter_map(move |floor| step(stretch, floor))
        })
        .collect()
    }

    /// The first stretch that reaches a position.
    pub fn reach(&self, branch: At, floor_no: i64) -> usize {
        let way = self.way(branch, i64::MAX);
        way.iter().position(|&(_, last)| last >= floor_no).unwrap_or(way.len())
    }

    /// The story pages before a page.
    pub fn before(&self, page: At) -> Vec<Step> {
        let floor = &self.floors[self.pages[page].floor];
        self.path(floor.branch, floor.floor_no - 1)
    }

    /// The story page right before a page.
    pub fn right_before(&self, page: At) -> Option<At> {
        self.before(page).last().map(|&(_, _, page)| page)
    }
}
