//! Texts become states.

use super::{At, Command, Document, Mode, Order, State, Text, World};

impl World {
    fn fresh_token(&mut self) -> u64 {
        self.tokens += 1;
        self.tokens
    }

    fn apply(&self, before: Option<At>, text: &Text) -> Document {
        let state = before.and_then(|before| self.pages[before].state.as_ref());
        let mut document = state.map_or_else(|| self.settings.recipe().template, |state| state.document.clone());
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
        let recipe = self.settings.recipe();
        self.pages[page].state = Some(State { document, token, parent, text, recipe, edited: false });
    }

    /// A turn's page, which is there already, gets its state, if commands are read from it at all.
    pub fn take(&mut self, page: At) {
        if self.settings.is_enabled && self.is_read(page) {
            self.tell(page, self.right_before(page));
        }
    }

    /// A page gets the state that its text comes to, if it has another one or has to get it anew.
    pub fn process_page(&mut self, page: At, before: Option<At>, is_forced: bool, order: &Order) {
        let fits = self.misfit(page, before).is_none();
        let is_edited = self.pages[page].state.as_ref().is_some_and(|state| state.edited);
        if is_edited && !order.overwrite {
            if !fits {
                self.settle(page, before);
            }
        } else if !fits || is_forced {
            let (told, recipe) = (self.apply(before, &self.pages[page].text), self.settings.recipe());
            let is_same =
                self.pages[page].state.as_ref().is_some_and(|state| state.document == told && state.recipe == recipe);
            if !(fits && is_same && !is_edited) || order.mode == Mode::Latest {
                self.tell(page, before);
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
        let before = self.right_before(page);
        let is_unprocessed = before.is_some_and(|before| self.pages[before].state.is_none());
        let old = self.pages[page].state.as_ref().and_then(|state| state.parent);
        let parent = if is_unprocessed { old } else { self.token(before) };
        let (token, text) = (self.fresh_token(), self.pages[page].text.clone());
        let recipe = self.settings.recipe();
        self.pages[page].state = Some(State { document, token, parent, text, recipe, edited: true });
    }
}
