//! States that somebody changes or drops by hand, and versions that nobody needs.

use super::words::value;
use super::{KEYS, Tale};
use crate::oracle::{At, Document, State};
use std::collections::{BTreeSet, HashSet};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{CleanedChats, Cleanup, CleanupReport, Edits, Refusal, Runtime, RuntimeError, Under};

/// States in the trash, and the pages that had them.
#[derive(Debug)]
pub struct DroppedStates {
    trash: Id,
    states: Vec<(At, State)>,
}

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
        let permanent = self.dice.once_in(2);
        self.say(format!("the snapshot of page {page} is dropped, for good: {permanent}"));
        let removed = runtime.remove_snapshot(&self.account, &snapshot, Condition::None, permanent).await.unwrap();
        let state = self.world.pages[page].state.take().unwrap();
        self.dropped.extend(removed.trash.map(|trash| DroppedStates { trash, states: vec![(page, state)] }));
    }

    /// States that were dropped come back to the pages that have none by now, on every line that they were dropped from.
    pub(super) async fn bring_some_states_back(&mut self, runtime: &Runtime) {
        let item = self.dice.below(self.dropped.len());
        self.bring_states_back(runtime, item).await;
    }

    async fn bring_states_back(&mut self, runtime: &Runtime, item: usize) {
        if self.dropped.is_empty() || !self.world.jobs.is_empty() {
            return;
        }
        self.learn_all_trashed(runtime).await;
        let DroppedStates { trash, states } = self.dropped.swap_remove(item);
        let shown: Vec<At> = states.iter().map(|(page, _)| *page).collect();
        self.say(format!("the states of pages {shown:?} come back"));
        let answer = runtime.restore(&self.account, &trash, Under::default()).await;
        let has_room =
            |(page, _): &&(At, State)| self.world.pages[*page].state.is_none() && self.pages[*page].has_rows();
        let count = states.iter().filter(has_room).count();
        let restored = match answer {
            Err(RuntimeError::Refused(Refusal::NothingToRestore)) if count == 0 => return,
            answer => answer.unwrap(),
        };
        assert_eq!(restored.pages, i64::try_from(count).unwrap(), "after\n{}", self.said.join("\n"));
        let mut branches = BTreeSet::new();
        for (page, state) in states {
            let floor = &self.world.floors[self.world.pages[page].floor];
            let is_there =
                self.world.pages[page].is_alive && floor.is_alive && self.world.branches[floor.branch].is_alive;
            branches.extend(is_there.then_some(floor.branch));
            self.world.pages[page].state.get_or_insert(state);
        }
        let wanted: BTreeSet<String> = branches.iter().map(|&branch| self.name(branch)).collect();
        let found: BTreeSet<String> = restored.branches.iter().map(|branch| branch.id.clone()).collect();
        assert_eq!(found, wanted, "after\n{}", self.said.join("\n"));
        for branch in branches {
            self.world.process_some(branch, i64::MAX);
        }
    }

    /// All snapshots of the chat are dropped, or those whose pages are gone.
    pub(super) async fn clean_up(&mut self, runtime: &Runtime) {
        let chat = self.session.to_string();
        let (is_whole, permanent) = (self.dice.once_in(2), self.dice.once_in(3));
        self.say(format!("cleanup, the whole chat: {is_whole}, for good: {permanent}"));
        let chats = match is_whole {
            true => CleanedChats::One(chat),
            false => CleanedChats::AllBut(HashSet::from([chat])),
        };
        let order = Cleanup { chats, orphans: true, after: 0, dry_run: true, permanent };
        let planned = runtime.clean_up(&self.account, order.clone()).await.unwrap();
        let done = runtime.clean_up(&self.account, Cleanup { dry_run: false, ..order }).await.unwrap();
        // Chapters before this one were other chats.
        let own = done.chat_files.iter().position(|name| *name == self.session.as_str());
        let trash = own.and_then(|own| done.trash.get(own).cloned());
        let done = CleanupReport { trash: Vec::new(), ..done };
        assert_eq!(planned, done);
        self.learn_all_trashed(runtime).await;
        if is_whole {
            let dropped = (done.dropped.snapshots, done.dropped.edited, done.dropped.orphans);
            assert_eq!(dropped, self.tally(), "after\n{}", self.said.join("\n"));
        }
        let states = self.world.drop_states(is_whole);
        self.dropped.extend(trash.map(|trash| DroppedStates { trash, states }));
        // They come back soon where nothing is processed meanwhile: forks that were there, and others that were not, stand on the same rows.
        if is_whole && !permanent {
            for _ in 0..self.dice.below(3) {
                match self.dice.below(4) {
                    0 => self.fork(runtime).await,
                    1 => self.name_on_branch(runtime).await,
                    2 => self.move_floor(runtime).await,
                    _ => self.rewrite(runtime).await,
                }
                self.learn(runtime).await;
            }
            self.bring_states_back(runtime, self.dropped.len().saturating_sub(1)).await;
        }
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

    /// What pages showed that are gone can still be read. A state of the page that was dropped before and has come back since has the id that
    /// it had then, so the snapshot that the page had at its end is not there, unless it is the one that came back.
    pub(super) async fn look_at_what_is_left(&mut self, runtime: &Runtime) {
        for (page, snapshot, token) in &self.left {
            let found = runtime.snapshot(&self.account, snapshot).await.map(|found| found.1);
            let is_it = self.world.token(Some(*page)) == *token;
            let state = self.world.pages[*page].state.as_ref().filter(|_| is_it);
            let wanted = state.map(|state| value(&state.document));
            let said = || self.said.join("\n");
            assert_eq!(found.as_ref().ok(), wanted.as_ref(), "{found:?} of page {page} after\n{}", said());
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
