//! What a page changed is taken back.

use super::words::value;
use super::{KEYS, Tale};
use crate::oracle::Kept;
use tavernkeep_runtime::{Refusal, Runtime, RuntimeError};

impl Tale {
    pub(super) async fn undo(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let key = self.dice.once_in(2).then(|| KEYS[self.dice.below(4)]);
        self.say(format!("page {page} is taken back, {key:?} of it"));
        let answer = runtime.undo(&self.account, self.page_id(page), key.map(|key| key.parse().unwrap())).await;
        if !self.process_floor(self.world.pages[page].floor) {
            return self.expect_busy(&answer);
        }
        let kept = match (self.world.taken_back(page, key), &answer) {
            (Ok(document), Ok(edited)) => {
                assert_eq!(edited.document.as_ref(), Some(&value(&document)));
                self.world.edit(page, &document, true);
                self.process_branch_of(page);
                return;
            }
            (Ok(document), Err(error)) => panic!("{error}, not {document:?} after\n{}", self.said.join("\n")),
            (Err(kept), _) => kept,
        };
        let is_right = match &answer {
            Err(RuntimeError::Refused(Refusal::PageWithoutState(_))) => kept == Kept::WithoutState,
            Err(RuntimeError::Refused(Refusal::ParentMoved)) => kept == Kept::OnNothing,
            Err(RuntimeError::NothingToUndo) => kept == Kept::Same,
            _ => false,
        };
        assert!(is_right, "{kept:?}, not {answer:?} after\n{}", self.said.join("\n"));
    }

    /// The last undo of a page is taken back.
    pub(super) async fn redo(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        if !self.world.has_own(page) {
            return;
        }
        self.say(format!("redo on page {page}"));
        let answer = runtime.redo(&self.account, self.page_id(page)).await;
        match (self.world.last_undo(page), answer) {
            (Some(edit), Ok(_)) => {
                self.world.take_back(page, edit);
                self.process_branch_of(page);
            }
            (None, Err(RuntimeError::NothingToRedo)) => {}
            (undo, answer) => panic!("{undo:?}, not {answer:?} after\n{}", self.said.join("\n")),
        }
    }
}
