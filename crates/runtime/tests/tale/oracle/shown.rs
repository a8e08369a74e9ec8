//! What a place shows, and why it is stale.

use super::path::Step;
use super::{At, Document, Page, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Unprocessed,
    TextChanged,
    ParentChanged,
    EditsChanged,
    EarlierStale,
}

/// What a place shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub document: Document,
    pub stale: Option<Reason>,
    pub outdated: bool,
    pub edited: bool,
    pub inherited: bool,
}

impl World {
    pub fn token(&self, page: Option<At>) -> Option<u64> {
        self.pages[page?].state.as_ref().map(|state| state.token)
    }

    /// Why a page's state does not fit what is before it.
    pub fn misfit(&self, page: At, before: Option<At>) -> Option<Reason> {
        let Page { state, text, .. } = &self.pages[page];
        let Some(state) = state else { return Some(Reason::Unprocessed) };
        if state.text != *text {
            return Some(Reason::TextChanged);
        }
        let is_unprocessed = before.is_some_and(|before| self.pages[before].state.is_none());
        if is_unprocessed || state.parent != self.token(before) {
            return Some(Reason::ParentChanged);
        }
        (state.edits != self.pages[page].counting()).then_some(Reason::EditsChanged)
    }

    /// The first page of a path that does not fit.
    pub fn first_misfit(&self, path: &[Step]) -> Option<usize> {
        let before = |at: usize| at.checked_sub(1).map(|at| path[at].1);
        (0..path.len()).find(|&at| self.misfit(path[at].1, before(at)).is_some())
    }

    fn shown(&self, page: At) -> Shown {
        let mut chain = self.before(page);
        let before = chain.last().map(|&(_, page)| page);
        let earlier = || self.first_misfit(&chain).map(|_| Reason::EarlierStale);
        let stale = self.misfit(page, before).or_else(earlier);
        chain.push((0, page));
        let state = chain.iter().rev().find_map(|&(_, page)| self.pages[page].state.as_ref());
        let recipe = self.settings.recipe();
        Shown {
            document: state.map_or_else(|| recipe.template.clone(), |state| state.document.clone()),
            stale,
            outdated: state.is_some_and(|state| state.recipe != recipe),
            edited: self.pages[page].state.as_ref().is_some_and(|state| state.edited),
            // A page that was never processed shows what lies before it.
            inherited: self.pages[page].state.is_none(),
        }
    }

    fn beginning(&self) -> Shown {
        Shown {
            document: self.settings.recipe().template,
            stale: None,
            outdated: false,
            edited: false,
            inherited: true,
        }
    }

    /// What a page shows.
    pub fn look(&self, page: At) -> Shown {
        let floor = self.pages[page].floor;
        // It is the story page of its floor once it is chosen.
        let is_behind = self.story_page(floor).is_none_or(|chosen| self.pages[chosen].slot <= self.pages[page].slot);
        if is_behind && self.is_read(page) && self.floors[floor].is_committed {
            return self.shown(page);
        }
        match self.right_before(page) {
            Some(before) => Shown { inherited: true, edited: false, ..self.shown(before) },
            None => self.beginning(),
        }
    }

    /// Whether a page shows a state of its own.
    pub fn has_own(&self, page: At) -> bool {
        !self.look(page).inherited
    }

    /// What a branch shows.
    pub fn newest(&self, branch: At) -> Shown {
        self.path(branch, i64::MAX).last().map_or_else(|| self.beginning(), |&(_, page)| self.shown(page))
    }
}
