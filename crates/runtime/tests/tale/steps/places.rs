//! Floors and branches come, move and go.

use super::Tale;
use super::trash::Thrown;
use crate::names::Name;
use crate::oracle::At;
use tavernkeep_engine::floor::FloorState;
use tavernkeep_runtime::order::{FloorPatch, FloorStep, NewFloor};
use tavernkeep_runtime::record::Deletion;
use tavernkeep_runtime::{ForkPoint, Runtime, Under};

impl Tale {
    pub(super) async fn create_floor(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let is_committed = !self.dice.once_in(3);
        let floor_no = self.some_place(branch);
        let new = NewFloor {
            branch: Some(self.name(branch)),
            floor_no,
            state: if is_committed { FloorState::Committed } else { FloorState::Draft },
            ..NewFloor::of(self.session.clone())
        };
        let floor = runtime.create_floor(&self.account, new).await.unwrap();
        self.say(format!("floor {} number {} on branch {branch}", self.floors.len(), floor.floor_no));
        assert_eq!(floor.floor_no, floor_no.unwrap_or(self.next_place(branch)), "after\n{}", self.said.join("\n"));
        let at = self.add_floor(floor.id, branch, floor.floor_no, is_committed);
        self.put_page(runtime, at).await;
    }

    pub(super) async fn commit(&mut self, runtime: &Runtime) {
        let drafts: Vec<At> =
            self.named_floors().into_iter().filter(|&floor| !self.world.floors[floor].is_committed).collect();
        let Some(floor) = self.dice.pick(&drafts) else { return };
        self.say(format!("commit floor {floor}"));
        let id = self.floor_id(floor);
        let generate = FloorStep::Generate { lease_ms: None, renew: false };
        runtime.move_floor(&self.account, id, generate).await.unwrap();
        runtime.move_floor(&self.account, id, FloorStep::Commit { page: None }).await.unwrap();
        self.world.floors[floor].is_committed = true;
        self.world.process_some(self.world.floors[floor].branch, i64::MAX);
    }

    pub(super) async fn move_floor(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor() else { return };
        let number = i64::try_from(self.dice.below(20)).unwrap();
        if !self.is_free(self.world.floors[floor].branch, number) {
            return;
        }
        self.say(format!("floor {floor} moves to {number}"));
        let patch = FloorPatch { floor_no: Some(number), metadata: None };
        runtime.update_floor(&self.account, self.floor_id(floor), patch).await.unwrap();
        self.world.floors[floor].floor_no = number;
    }

    pub(super) async fn fork(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor().filter(|&floor| self.world.floors[floor].is_committed) else { return };
        let at = self.world.branches.len();
        let page = self.dice.pick(&self.world.pages_of(floor)).filter(|_| self.dice.once_in(2));
        self.say(format!("branch {at} from floor {floor}, page {page:?}"));
        let from = match page {
            Some(page) if self.dice.once_in(2) => ForkPoint::Page(self.page_id(page).clone()),
            page => ForkPoint::Floor(self.floor_id(floor).clone(), page.map(|page| self.page_id(page).clone())),
        };
        runtime.fork_from(&self.account, from, Some(self.name(at))).await.unwrap();
        let copied = self.world.fork(floor);
        let first = self.pages.len();
        Name::copies(&mut self.floors, &copied.floors);
        Name::copies(&mut self.pages, &copied.pages);
        // A swipe that is not chosen on the source is chosen on the fork.
        if let Some(copy) = copied.pages.iter().position(|&it| Some(it) == page) {
            self.world.activate(first + copy);
            self.world.process_some(at, i64::MAX);
        }
    }

    /// Something is deleted and comes back from the trash: nothing has changed but that its branch is processed.
    pub(super) async fn delete_and_restore(&mut self, runtime: &Runtime) {
        // A job ends with its branch and does not come back with it.
        if !self.world.jobs.is_empty() {
            return;
        }
        let (trash, branch) = match self.dice.below(6) {
            5 => return self.delete_and_restore_session(runtime).await,
            0 => {
                let branch = self.some_branch();
                if branch == 0 {
                    return;
                }
                self.say(format!("branch {branch} goes and comes back"));
                let removed =
                    runtime.remove_branch(&self.account, &self.session, &self.name(branch), false).await.unwrap();
                (removed.1, branch)
            }
            1 | 2 => {
                let Some(floor) = self.some_floor() else { return };
                self.say(format!("floor {floor} goes and comes back"));
                let ids = vec![self.floor_id(floor).clone()];
                (runtime.remove_floors(&self.account, ids, false).await.unwrap().trash, self.world.floors[floor].branch)
            }
            _ => {
                let Some(page) = self.some_page() else { return };
                self.say(format!("page {page} goes and comes back"));
                let ids = vec![self.page_id(page).clone()];
                let branch = self.world.floors[self.world.pages[page].floor].branch;
                (runtime.remove_pages(&self.account, ids, false).await.unwrap().trash, branch)
            }
        };
        let restored = runtime.restore(&self.account, &trash.unwrap(), Under::default()).await.unwrap();
        assert!(!restored.is_new_branch && restored.branch == Some(self.name(branch)), "{restored:?}");
        self.world.process_some(branch, i64::MAX);
    }

    /// The whole session goes and comes back as it was.
    async fn delete_and_restore_session(&mut self, runtime: &Runtime) {
        self.say("the session goes and comes back".into());
        let gone = runtime.remove_sessions(&self.account, vec![self.session.clone()], false).await.unwrap();
        let [Deletion::Trashed(trash)] = gone.as_slice() else { panic!("{gone:?}") };
        let (_, content) = runtime.trash_item(&self.account, trash, 1, 0).await.unwrap();
        assert!(content.pages.len() <= 1);
        let restored = runtime.restore(&self.account, trash, Under::default()).await.unwrap();
        assert_eq!(restored.session.as_ref(), Some(&self.session));
    }

    /// Something is deleted, sometimes for good.
    pub(super) async fn delete(&mut self, runtime: &Runtime) {
        let permanent = self.dice.once_in(2);
        let gone: Vec<At> = match self.dice.below(6) {
            0 => {
                let branch = self.some_branch();
                if branch == 0 {
                    return;
                }
                self.say(format!("delete branch {branch}, for good: {permanent}"));
                let floors = self.world.content_of(branch);
                let (account, name) = (&self.account, self.name(branch));
                let (_, trash) = runtime.remove_branch(account, &self.session, &name, permanent).await.unwrap();
                self.world.delete_branch(branch);
                if let Some(trash) = trash {
                    self.thrown.push(Thrown::branch(trash, branch, floors));
                    return;
                }
                floors.into_iter().flat_map(|(_, pages)| pages).collect()
            }
            1 | 2 => {
                let Some(floor) = self.some_floor() else { return };
                self.say(format!("delete floor {floor}, for good: {permanent}"));
                let pages = self.world.pages_of(floor);
                let ids = vec![self.floor_id(floor).clone()];
                runtime.remove_floors(&self.account, ids, permanent).await.unwrap();
                self.world.delete_floor(floor);
                pages
            }
            _ => {
                let Some(page) = self.some_page() else { return };
                return self.delete_page(runtime, page, permanent).await;
            }
        };
        if permanent {
            self.world.forget(&gone);
        }
    }

    pub(super) async fn delete_page(&mut self, runtime: &Runtime, page: At, permanent: bool) {
        let left = self.snapshot_of(runtime, page).await;
        self.left.extend(left.map(|snapshot| (page, snapshot, self.world.token(Some(page)))));
        self.say(format!("delete page {page}, for good: {permanent}"));
        let ids = vec![self.page_id(page).clone()];
        runtime.remove_pages(&self.account, ids, permanent).await.unwrap();
        self.world.delete_page(page);
        if permanent {
            self.world.forget(&[page]);
        }
    }
}
