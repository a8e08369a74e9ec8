//! A branch as a front end sees it: a chat of messages with swipes.

use super::{At, Source, Text, World};
use crate::tree;
use std::collections::BTreeMap;

pub type Role = Option<&'static str>;

/// A message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub swipes: Vec<(Text, Role)>,
    pub active: usize,
}

impl World {
    /// The texts that count before a branch turns off.
    pub fn chat_before(&self, branch: At) -> Vec<Said> {
        let mut way = self.way(branch, i64::MAX);
        way.pop();
        let floors = way.into_iter().flat_map(|(branch, last)| self.floors_of(branch, last));
        floors
            .filter_map(|floor| self.counted(floor))
            .map(|page| Said { swipes: vec![self.said(page)], active: 0 })
            .collect()
    }

    /// What a branch holds itself. A floor that says nothing is no message.
    pub fn chat_of(&self, branch: At) -> Vec<Said> {
        let message = |floor: At| {
            let swipes = self.pages_of(floor);
            let active = swipes.iter().position(|&page| self.pages[page].is_active)?;
            Some(Said { swipes: swipes.into_iter().map(|page| self.said(page)).collect(), active })
        };
        self.floors_of(branch, i64::MAX).into_iter().filter_map(message).collect()
    }

    /// Floors that no chat can say: drafts, and those with several slots.
    pub fn unsayable(&self, branch: At) -> Vec<At> {
        let has_slots = |floor: At| {
            let slots = self.pages_of(floor).into_iter().map(|page| self.pages[page].slot);
            slots.clone().min() != slots.max()
        };
        let floors = self.floors_of(branch, i64::MAX).into_iter();
        floors.filter(|&floor| !self.floors[floor].is_committed || has_slots(floor)).collect()
    }

    /// Whether branches turn off from a branch.
    pub fn has_forks(&self, branch: At) -> bool {
        (0..self.branches.len()).any(|other| self.source(other).is_some_and(|(source, _)| source == branch))
    }

    /// The pages of a floor in order.
    pub fn pages_of(&self, floor: At) -> Vec<At> {
        let mut pages: Vec<At> =
            (0..self.pages.len()).filter(|&at| self.pages[at].is_alive && self.pages[at].floor == floor).collect();
        pages.sort_by_key(|&at| (self.pages[at].slot, self.pages[at].version));
        pages
    }

    fn counted(&self, floor: At) -> Option<At> {
        let is_told = self.floors[floor].is_committed;
        self.pages_of(floor).into_iter().rev().find(|&page| self.pages[page].is_active).filter(|_| is_told)
    }

    /// A front end always knows who speaks.
    fn said(&self, page: At) -> (Text, Role) {
        (self.pages[page].text.clone(), self.pages[page].role.or(Some("assistant")))
    }

    /// The floors of a branch are these now, at these positions.
    pub fn rearrange(&mut self, branch: At, floors: &BTreeMap<At, i64>) {
        for floor in self.floors_of(branch, i64::MAX) {
            if !floors.contains_key(&floor) {
                self.delete_floor(floor);
            }
        }
        // Whoever stands on a floor that is gone stays behind the same one.
        for other in 0..self.branches.len() {
            if let Some(Source::Was { branch: source, floor_no }) = self.branches[other].source
                && source == branch
            {
                let before = tree::position_before(&self.floors, branch, floor_no.saturating_add(1));
                let stood = floors.iter().find(|(floor, _)| self.floors[**floor].floor_no == before);
                let floor_no = stood.map_or(-1, |(_, &now)| now);
                self.branches[other].source = Some(Source::Was { branch, floor_no });
            }
        }
        for (&floor, &floor_no) in floors {
            self.floors[floor].floor_no = floor_no;
        }
        self.lift_forks(branch);
    }

    /// The floors of forks stay behind the places where the forks turn off, in their order.
    fn lift_forks(&mut self, branch: At) {
        for fork in 0..self.branches.len() {
            let Some((_, point)) = self.source(fork).filter(|&(source, _)| source == branch) else { continue };
            let mut next = point + 1;
            let mut lifted = BTreeMap::new();
            for floor in self.floors_of(fork, i64::MAX) {
                let floor_no = &mut self.floors[floor].floor_no;
                lifted.insert(*floor_no, next.max(*floor_no));
                *floor_no = next.max(*floor_no);
                next = *floor_no + 1;
            }
            for other in &mut self.branches {
                if let Some(Source::Was { branch: source, floor_no }) = &mut other.source
                    && *source == fork
                {
                    *floor_no = lifted.get(floor_no).copied().unwrap_or(*floor_no);
                }
            }
            self.lift_forks(fork);
        }
    }
}
