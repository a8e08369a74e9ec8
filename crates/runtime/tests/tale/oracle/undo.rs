//! What would be shown without what a page changed.

use super::{At, Document, Reason, World};

/// Why nothing can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The page shows no state of its own.
    WithoutState,
    /// What lies before has no state.
    OnNothing,
    /// It would be the same.
    Same,
}

impl World {
    /// The last undo of a page that can be taken back.
    pub fn last_undo(&self, page: At) -> Option<usize> {
        self.pages[page].edits.iter().rposition(|edit| edit.is_undo && !edit.is_taken_back)
    }

    /// What a page would show without what it changed, or without what it made of one value.
    pub fn taken_back(&self, page: At, key: Option<&'static str>) -> Result<Document, Kept> {
        let now = self.look(page);
        if now.inherited || now.stale == Some(Reason::Unprocessed) {
            return Err(Kept::WithoutState);
        }
        let before = match self.right_before(page).map(|before| self.pages[before].state.as_ref()) {
            None => self.settings.recipe().template,
            Some(None) => return Err(Kept::OnNothing),
            Some(Some(state)) => state.document.clone(),
        };
        let document = match key {
            None => before,
            Some(key) => {
                let mut document = now.document.clone();
                document.extend(before.get(key).map(|&number| (key, number)));
                document
            }
        };
        if document == now.document { Err(Kept::Same) } else { Ok(document) }
    }
}
