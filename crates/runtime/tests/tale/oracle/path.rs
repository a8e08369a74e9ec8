//! The way through a story: from the beginning of a branch to a position.

use super::{At, World};
use std::collections::BTreeMap;

/// A story page with its position.
pub type Step = (i64, At);

impl World {
    /// The active page of a committed floor's last slot that commands are read from.
    pub fn story_page(&self, floor: At) -> Option<At> {
        self.story_pages().remove(&floor)
    }

    /// The story page of each floor that has one.
    fn story_pages(&self) -> BTreeMap<At, At> {
        let mut found: BTreeMap<At, At> = BTreeMap::new();
        for (at, page) in self.pages.iter().enumerate() {
            let floor = &self.floors[page.floor];
            let counts = floor.is_committed && floor.is_alive && page.is_alive && page.is_active && self.is_read(at);
            let is_later = || found.get(&page.floor).is_none_or(|&other| self.pages[other].slot < page.slot);
            if counts && is_later() {
                found.insert(page.floor, at);
            }
        }
        found
    }

    /// Whether commands are read from a page.
    pub fn is_read(&self, page: At) -> bool {
        self.pages[page].is_output || self.settings.reads_users
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
        let pages = self.story_pages();
        let step = |floor: At| Some((self.floors[floor].floor_no, *pages.get(&floor)?));
        self.floors_of(branch, last).into_iter().filter_map(step).collect()
    }

    /// The story pages before a page.
    pub fn before(&self, page: At) -> Vec<Step> {
        let floor = &self.floors[self.pages[page].floor];
        self.path(floor.branch, floor.floor_no - 1)
    }

    /// The story page right before a page.
    pub fn right_before(&self, page: At) -> Option<At> {
        self.before(page).last().map(|&(_, page)| page)
    }
}
