//! Texts become states.

use super::{At, Command, Document, Edit, Mode, Order, State, Text, World};

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
        let unedited = self.apply(before, &text);
        let (token, parent) = (self.fresh_token(), self.token(before));
        let recipe = self.settings.recipe();
        let (document, edited) = self.edited(page, &unedited);
        let edits = self.pages[page].counting();
        self.pages[page].state = Some(State { document, unedited, token, parent, text, recipe, edited, edits });
    }

    /// What the edits of a page make of a document, and whether there are any.
    fn edited(&self, page: At, unedited: &Document) -> (Document, bool) {
        let mut document = unedited.clone();
        let mut counting = self.pages[page].edits.iter().filter(|edit| !edit.is_taken_back).peekable();
        let is_edited = counting.peek().is_some();
        counting.for_each(|edit| document.extend(&edit.sets));
        (document, is_edited)
    }

    /// A turn's page, which is there already, gets its state, if commands are read from it at all.
    pub fn take(&mut self, page: At) {
        if self.settings.is_enabled && self.is_read(page) {
            self.tell(page, self.right_before(page));
        }
    }

    /// A page gets the state that its text and its edits come to, if it has another one or has to be recomputed. Edits are taken back that
    /// were made before so many times of asking.
    pub fn process_page(&mut self, page: At, before: Option<At>, is_forced: bool, order: &Order, asks: u64) {
        let fits = self.misfit(page, before).is_none();
        let takes_back = |edit: &Edit| !edit.is_taken_back && edit.asks < asks;
        let is_edited = self.pages[page].edits.iter().any(takes_back);
        let overwrites = order.overwrite && is_edited && (order.mode != Mode::Latest || is_forced);
        if fits && !is_forced && !overwrites {
            return;
        }
        if overwrites {
            for edit in self.pages[page].edits.iter_mut().filter(|edit| takes_back(edit)) {
                edit.is_taken_back = true;
            }
        }
        let computed = self.edited(page, &self.apply(before, &self.pages[page].text)).0;
        let recipe = self.settings.recipe();
        let is_same =
            self.pages[page].state.as_ref().is_some_and(|state| state.document == computed && state.recipe == recipe);
        if !(fits && is_same && !overwrites) || order.mode == Mode::Latest {
            self.tell(page, before);
        }
    }

    /// Somebody gives a page another document: what differs is an edit.
    pub fn edit(&mut self, page: At, document: &Document, is_undo: bool) {
        let Some(state) = &self.pages[page].state else { return };
        let differs = |(key, number): &(&&'static str, &i64)| state.document.get(*key) != Some(*number);
        let sets: Document = document.iter().filter(differs).map(|(&key, &number)| (key, number)).collect();
        if !sets.is_empty() {
            self.pages[page].edits.push(Edit { sets, is_undo, is_taken_back: false, asks: self.asks });
            self.edit_again(page);
        }
    }

    /// Somebody takes an edit of a page back.
    pub fn take_back(&mut self, page: At, edit: usize) {
        if !std::mem::replace(&mut self.pages[page].edits[edit].is_taken_back, true) {
            self.edit_again(page);
        }
    }

    /// The edits of a page are other ones: its text and what lies before it are what they were.
    fn edit_again(&mut self, page: At) {
        let Some(state) = self.pages[page].state.clone() else { return };
        let (document, edited) = self.edited(page, &state.unedited);
        let token = self.fresh_token();
        let edits = self.pages[page].counting();
        self.pages[page].state = Some(State { document, edited, token, edits, ..state });
    }
}
