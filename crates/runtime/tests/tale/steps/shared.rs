//! Floors and pages that a branch shares, named on that branch: what is done with them is done there alone.

use super::Tale;
use super::words::value;
use crate::oracle::At;
use crate::tree::Spot;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{FloorRange, Runtime};

impl Tale {
    /// Something is done with a page or a floor that a branch shares, by the id that its line has for it.
    pub(super) async fn name_on_branch(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_shared_page() else { return };
        let floor = self.world.pages[page].floor;
        let branch = self.world.floors[floor].branch;
        let name = self.name(branch);
        let what = self.dice.below(7);
        self.say(format!("page {page} of floor {floor} is named on branch {branch}"));
        if what == 0 {
            return self.swipe_on(runtime, floor, Some(branch)).await;
        }
        if what == 1 {
            return self.edit_shared(runtime, page).await;
        }
        let mut ids = [self.shown_id(runtime, page).await, self.pages[page].first()];
        ids.rotate_left(page % 2);
        let own = self.own(runtime, &ids[0], &name).await;
        assert_eq!(self.own(runtime, &ids[1], &name).await, own, "{ids:?} on {name} after\n{}", self.said.join("\n"));
        self.learn_of(runtime, branch).await;
        assert!(self.pages[page].is(&own), "{own} after\n{}", self.said.join("\n"));
        match what {
            2 | 3 => self.activate_page(runtime, page).await,
            4 => self.rewrite_page(runtime, page).await,
            5 => self.put_page(runtime, floor).await,
            _ => self.delete_page(runtime, page, false).await,
        }
    }

    async fn own(&self, runtime: &Runtime, id: &Id, branch: &str) -> Id {
        let own = runtime.page_on(&self.account, id, Some(branch)).await;
        own.unwrap_or_else(|error| panic!("{error} on {branch} after\n{}", self.said.join("\n")))
    }

    /// The id that a branch shows a page under now.
    async fn shown_id(&self, runtime: &Runtime, page: At) -> Id {
        let swipe = &self.world.pages[page].swipe;
        let Spot { branch, floor_no, .. } = self.world.floors[swipe.floor].spot;
        let part = FloorRange {
            session: self.session.clone(),
            branch: self.name(branch),
            from_floor: Some(floor_no),
            to_floor: Some(floor_no),
            after: None,
        };
        let (lines, _) = runtime.log(&self.account, part, 1).await.unwrap();
        let pages = self.listed_pages(runtime, &lines[0].floor).await;
        pages.into_iter().find(|it| (it.page_no, it.version) == (swipe.slot, swipe.version)).unwrap().id
    }

    /// The state of a page that a branch shares is edited on the branch.
    async fn edit_shared(&mut self, runtime: &Runtime, page: At) {
        let floor = self.world.pages[page].floor;
        let branch = self.world.floors[floor].branch;
        let name = self.name(branch);
        if self.world.story_page(floor) != Some(page) || self.world.pages[page].state.is_none() {
            return;
        }
        let floor_no = self.world.floors[floor].floor_no;
        let state = runtime.state_at_floor(&self.account, &self.session, Some(&name), floor_no).await.unwrap();
        let Some(shared) = state.at.snapshot.filter(|_| !state.at.inherited) else { return };
        let own = runtime.snapshot_on(&self.account, &shared, Some(&name)).await.unwrap();
        let document = self.some_document();
        self.say(format!("it is edited: {document:?}"));
        drop(runtime.save_snapshot(&self.account, &own, value(&document), Condition::None).await.unwrap());
        self.world.edit(page, &document, false);
        self.process_branch_of(page);
    }

    /// A page on a floor that its branch shares with another one. The id of a copy says what it is a copy of; where a line has two copies of
    /// that, it may mean either.
    fn some_shared_page(&mut self) -> Option<At> {
        let world = &self.world;
        let branch = |page: At| world.floors[world.pages[page].floor].branch;
        let is_there = |page: At| {
            let floor = &world.floors[world.pages[page].floor];
            world.pages[page].is_alive && floor.is_alive && world.branches[floor.branch].is_alive
        };
        let is_one = |page: At| {
            let same = |&other: &At| {
                is_there(other)
                    && branch(other) == branch(page)
                    && self.pages[other].origin() == self.pages[page].origin()
            };
            let floor = world.pages[page].floor;
            let same_floor = |&other: &At| {
                let it = &world.floors[other];
                it.is_alive && it.branch == branch(page) && self.floors[other].origin() == self.floors[floor].origin()
            };
            (0..world.pages.len()).filter(same).count() == 1 && (0..world.floors.len()).filter(same_floor).count() == 1
        };
        let is_shared = |&page: &At| {
            self.pages[page].id.is_none()
                && self.floors[world.pages[page].floor].id.is_none()
                && is_there(page)
                && is_one(page)
        };
        let pages: Vec<At> = (0..world.pages.len()).filter(is_shared).collect();
        self.dice.pick(&pages)
    }
}
