//! What a page changed is taken back.

use super::words::value;
use super::{KEYS, Telling};
use crate::oracle::Kept;
use tavernkeep_runtime::{Refusal, Runtime, RuntimeError};

impl Telling {
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
                self.world.edit(page, document);
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
}
