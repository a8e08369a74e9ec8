//! States that somebody changes or drops by hand, and versions that nobody needs.

use super::words::value;
use super::{KEYS, Tale};
use crate::oracle::{At, Document};
use std::collections::HashSet;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{CleanedChats, Cleanup, Edits, Runtime};

impl Tale {
    pub(super) fn some_document(&mut self) -> Document {
        KEYS.iter().map(|&key| (key, i64::try_from(self.dice.below(1_000)).unwrap())).collect()
    }

    /// The snapshot of a page. Only one that shows its own state tells its name.
    pub(super) async fn snapshot_of(&self, runtime: &Runtime, page: At) -> Option<Id> {
        self.world.pages[page].state.as_ref()?;
        let state = runtime.state_of_page(&self.account, self.page_id(page)).await.unwrap();
        state.at.snapshot.filter(|_| !state.at.inherited)
    }

    pub(super) async fn edit(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let Some(snapshot) = self.snapshot_of(runtime, page).await else { return };
        let (document, is_saved) = (self.some_document(), self.dice.once_in(2));
        self.say(format!("page {page} is edited: {document:?}, what follows is processed: {is_saved}"));
        let (account, wanted) = (&self.account, value(&document));
        match is_saved {
            true => drop(runtime.save_snapshot(account, &snapshot, wanted, Condition::None).await.unwrap()),
            false => drop(runtime.edit_snapshot(account, &snapshot, wanted, Condition::None).await.unwrap()),
        }
        self.world.edit(page, &document, false);
        if is_saved {
            self.process_branch_of(page);
        }
    }

    /// One of the edits of a page is taken back.
    pub(super) async fn take_edit_back(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let edits = runtime.edits(&self.account, self.page_id(page)).await.unwrap().edits;
        let counts: Vec<bool> = edits.iter().map(|edit| edit.taken_back_at.is_none()).collect();
        let wanted: Vec<bool> = self.world.pages[page].edits.iter().map(|edit| !edit.is_taken_back).collect();
        assert_eq!(counts, wanted, "the edits of page {page} after\n{}", self.said.join("\n"));
        // Edits that rest can be taken back, too.
        if edits.is_empty() || self.world.pages[page].state.is_none() {
            return;
        }
        let edit = self.dice.below(edits.len());
        self.say(format!("edit {edit} of page {page} is taken back"));
        let (id, order) = (self.page_id(page), Edits::TakeBack(edits[edit].id.clone()).into());
        drop(runtime.edit_page(&self.account, id, order, Condition::None).await.unwrap());
        self.world.take_back(page, edit);
    }

    pub(super) async fn drop_snapshot(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let Some(snapshot) = self.snapshot_of(runtime, page).await else { return };
        self.say(format!("the snapshot of page {page} is dropped"));
        runtime.remove_snapshot(&self.account, &snapshot, Condition::None, true).await.unwrap();
        self.world.pages[page].state = None;
    }

    /// All snapshots of the chat are dropped, or those whose pages are gone.
    pub(super) async fn clean_up(&mut self, runtime: &Runtime) {
        let chat = self.session.to_string();
        let is_whole = self.dice.once_in(4);
        self.say(format!("cleanup, the whole chat: {is_whole}"));
        let chats = match is_whole {
            true => CleanedChats::One(chat),
            false => CleanedChats::AllBut(HashSet::from([chat])),
        };
        let order = Cleanup { chats, orphans: true, after: 0, dry_run: true, permanent: true };
        let planned = runtime.clean_up(&self.account, order.clone()).await.unwrap();
        let done = runtime.clean_up(&self.account, Cleanup { dry_run: false, ..order }).await.unwrap();
        assert_eq!(planned, done);
        self.learn_all_trashed(runtime).await;
        if is_whole {
            let dropped = (done.dropped.snapshots, done.dropped.edited, done.dropped.orphans);
            assert_eq!(dropped, self.tally(), "after\n{}", self.said.join("\n"));
        }
        self.world.drop_states(is_whole);
    }

    /// All snapshots, those changed by hand, and those whose pages are gone. Copies without names share those of others.
    fn tally(&self) -> (i64, i64, i64) {
        let pages = self.world.pages.iter().zip(&self.pages).filter(|(_, name)| name.has_rows());
        let states: Vec<_> = pages.filter_map(|(page, _)| Some((page.is_alive, page.state.as_ref()?))).collect();
        let edited = states.iter().filter(|(_, state)| state.edited).count();
        let orphans = states.iter().filter(|(is_alive, _)| !is_alive).count();
        let [all, edited, orphans] = [states.len(), edited, orphans].map(|count| i64::try_from(count).unwrap());
        (all, edited, orphans)
    }

    /// What pages showed that are gone can still be read.
    pub(super) async fn look_at_what_is_left(&mut self, runtime: &Runtime) {
        for (page, snapshot) in &self.left {
            let found = runtime.snapshot(&self.account, snapshot).await;
            match &self.world.pages[*page].state {
                Some(state) => assert_eq!(found.unwrap().1, value(&state.document), "of page {page}"),
                None => assert!(found.is_err(), "{found:?} of page {page}"),
            }
        }
    }

    /// Versions that nobody needs go, and nobody sees a difference.
    pub(super) async fn collect(&mut self, runtime: &Runtime) {
        self.say("collect".into());
        runtime.purge().await.unwrap();
        if self.dice.once_in(4) {
            self.look_everywhere(runtime).await;
        }
    }
}
