//! Pages, floors and branches come and go.

use super::{At, Branch, Floor, Page, State, World};
use crate::tree::{self, Spot, Swipe};

/// What was copied, in the order of the copies.
#[derive(Debug, Default)]
pub struct Copied {
    pub floors: Vec<At>,
    pub pages: Vec<At>,
}

impl World {
    /// A branch is made: a copy of everything that was there up to a floor.
    pub fn fork(&mut self, floor: At) -> Copied {
        let Spot { branch, floor_no, .. } = self.floors[floor].spot;
        let fork = self.branches.len();
        self.branches.push(Branch { is_alive: true });
        let mut copied = Copied::default();
        for floor in self.floors_of(branch, floor_no) {
            if self.floors[floor].is_committed {
                self.copy(floor, fork, &mut copied);
            }
        }
        copied
    }

    fn copy(&mut self, floor: At, branch: At, copied: &mut Copied) {
        let Floor { spot, is_committed } = self.floors[floor];
        let at = self.floors.len();
        self.floors.push(Floor { spot: Spot { branch, ..spot }, is_committed });
        copied.floors.push(floor);
        for page in self.pages_of(floor) {
            let it = self.pages[page].clone();
            self.pages.push(Page { swipe: Swipe { floor: at, ..it.swipe }, ..it });
            copied.pages.push(page);
        }
    }

    /// All states are dropped, or those whose pages are gone for good: a page in the trash keeps its state. Returns them.
    pub fn drop_states(&mut self, all: bool) -> Vec<(At, State)> {
        let dropped = self.pages.iter_mut().enumerate().filter(|(_, page)| all || page.is_gone);
        dropped.filter_map(|(at, page)| Some((at, page.state.take()?))).collect()
    }

    /// Pages that are deleted do not come back any more.
    pub fn forget(&mut self, pages: &[At]) {
        pages.iter().for_each(|&page| self.pages[page].is_gone = true);
    }

    /// A branch comes back as it was when it was deleted.
    pub fn restore_branch(&mut self, branch: At, floors: &[(At, Vec<At>)]) {
        self.branches[branch].is_alive = true;
        for (floor, pages) in floors {
            self.floors[*floor].is_alive = true;
            pages.iter().for_each(|&page| self.pages[page].is_alive = true);
        }
    }

    /// The floors of a branch with their pages.
    pub fn content_of(&self, branch: At) -> Vec<(At, Vec<At>)> {
        self.floors_of(branch, i64::MAX).into_iter().map(|floor| (floor, self.pages_of(floor))).collect()
    }

    pub fn activate(&mut self, page: At) {
        tree::activate(&mut self.pages, page);
    }

    pub fn delete_page(&mut self, page: At) {
        if let Some(heir) = tree::take_away(&mut self.pages, page) {
            self.activate(heir);
        }
    }

    pub fn delete_floor(&mut self, floor: At) {
        self.pages.iter_mut().filter(|page| page.floor == floor).for_each(|page| page.is_alive = false);
        self.floors[floor].is_alive = false;
    }

    pub fn delete_branch(&mut self, branch: At) {
        self.floors_of(branch, i64::MAX).into_iter().for_each(|floor| self.delete_floor(floor));
        self.branches[branch].is_alive = false;
    }
}
