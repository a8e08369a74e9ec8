//! Global snapshots: saved from a page or by hand, given to a page.

use super::Tale;
use super::words::value;
use crate::oracle::Reason;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::{GlobalSnapshotOrder, Refusal, Runtime, RuntimeError, SnapshotSource};

impl Tale {
    pub(super) async fn save_globally(&mut self, runtime: &Runtime) {
        let page = self.some_page().filter(|_| !self.dice.once_in(3));
        let (source, document) = match page {
            Some(page) => (SnapshotSource::Page(self.page_id(page).clone()), self.world.look(page).document),
            None => {
                let document = self.some_document();
                (SnapshotSource::Document(value(&document)), document)
            }
        };
        let id: Id = format!("{}-global-{}", self.session, self.globals.len()).parse().unwrap();
        self.say(format!("global snapshot {} of page {page:?}: {document:?}", self.globals.len()));
        let (name, tags) = (id.to_string(), Vec::new());
        let order = GlobalSnapshotOrder { id: Some(id.clone()), name, description: None, tags, source };
        runtime.create_global_snapshot(&self.account, order).await.unwrap();
        assert_eq!(runtime.global_snapshot(&self.account, &id).await.unwrap().1, value(&document));
        self.globals.push((id, document));
    }

    pub(super) async fn apply_global(&mut self, runtime: &Runtime) {
        if self.globals.is_empty() {
            return self.save_globally(runtime).await;
        }
        let Some(page) = self.some_page() else { return };
        let (id, document) = self.globals[self.dice.below(self.globals.len())].clone();
        self.say(format!("page {page} gets {id}"));
        let answer = runtime.apply_global_snapshot(&self.account, &id, self.page_id(page)).await;
        let is_due = self.world.look(page).stale == Some(Reason::Unprocessed);
        if is_due && !self.process_floor(self.world.pages[page].floor) {
            return self.expect_busy(&answer);
        }
        if self.world.has_own(page) {
            answer.unwrap();
            self.world.edit(page, &document, false);
            self.process_branch_of(page);
        } else {
            let refused = matches!(answer, Err(RuntimeError::Refused(Refusal::PageWithoutState(_))));
            assert!(refused, "{answer:?} after\n{}", self.said.join("\n"));
        }
    }
}
