//! Pages, floors and branches come and go.

use super::{At, Source, World};
use crate::tree::{self, Spot};

impl World {
    /// All snapshots, those changed by hand, and those whose pages are gone.
    pub fn tally(&self) -> (i64, i64, i64) {
        let states = || self.pages.iter().filter_map(|page| Some((page.is_alive, page.state.as_ref()?)));
        let count = |count: usize| i64::try_from(count).unwrap();
        let edited = states().filter(|(_, state)| state.edited).count();
        let orphans = states().filter(|(is_alive, _)| !is_alive).count();
        (count(states().count()), count(edited), count(orphans))
    }

    /// All states are dropped, or those whose pages are gone.
    pub fn drop_states(&mut self, all: bool) {
        self.pages.iter_mut().filter(|page| all || !page.is_alive).for_each(|page| page.state = None);
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
        let Spot { branch, floor_no, .. } = self.floors[floor].spot;
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
        let Spot { branch, floor_no: from, .. } = self.floors[floor].spot;
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
    fn leave(&mut self, branch: At, floor_no: i64) {
        let before = tree::position_before(&self.floors, branch, floor_no);
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
