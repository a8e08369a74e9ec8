//! A branch as a front end sees it: a chat of messages with swipes.

use super::{At, Text, World};
use std::collections::BTreeMap;

pub type Role = Option<&'static str>;

/// A message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub swipes: Vec<(Text, Role)>,
    pub active: usize,
}

impl World {
    /// What a branch says. A floor that says nothing is no message.
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

    /// The pages of a floor in order.
    pub fn pages_of(&self, floor: At) -> Vec<At> {
        let mut pages: Vec<At> =
            (0..self.pages.len()).filter(|&at| self.pages[at].is_alive && self.pages[at].floor == floor).collect();
        pages.sort_by_key(|&at| (self.pages[at].slot, self.pages[at].version));
        pages
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
        for (&floor, &floor_no) in floors {
            self.floors[floor].floor_no = floor_no;
        }
    }
}
