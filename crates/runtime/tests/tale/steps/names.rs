//! What floors and pages are called.

use super::words::usual_name;
use super::{Tale, WINDOW};
use crate::oracle::At;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::{FloorQuery, PageQuery};
use tavernkeep_runtime::{Runtime, record};

impl Tale {
    /// What a branch is called.
    pub(super) fn name(&self, branch: At) -> String {
        self.restored.get(&branch).cloned().unwrap_or_else(|| usual_name(branch))
    }

    pub(super) fn floor_id(&self, floor: At) -> &Id {
        self.floors[floor].id.as_ref().unwrap()
    }

    pub(super) fn page_id(&self, page: At) -> &Id {
        self.pages[page].id.as_ref().unwrap()
    }

    /// The floors of a branch that have no name.
    pub(super) fn nameless(&self, branch: At) -> Vec<At> {
        let floors = self.world.floors_of(branch, i64::MAX);
        floors.into_iter().filter(|&floor| self.floors[floor].id.is_none()).collect()
    }

    /// The floors that stand on a branch itself.
    pub(super) async fn listed(&self, runtime: &Runtime, branch: At) -> Vec<record::Floor> {
        let query =
            FloorQuery { session: self.session.clone(), branch: Some(self.name(branch)), state: None, window: WINDOW };
        runtime.floors(&self.account, query).await.unwrap().items
    }

    pub(super) async fn listed_pages(&self, runtime: &Runtime, floor: &Id) -> Vec<record::Page> {
        let query = PageQuery { floor: floor.clone(), page_no: None, is_active: None, content: true, window: WINDOW };
        runtime.pages(&self.account, query).await.unwrap().items
    }

    /// Learns the names that copies got.
    pub async fn learn(&mut self, runtime: &Runtime) {
        for branch in 0..self.world.branches.len() {
            if self.world.branches[branch].is_alive {
                self.learn_of(runtime, branch).await;
            }
        }
    }

    pub(super) async fn learn_of(&mut self, runtime: &Runtime, branch: At) {
        let nameless = self.nameless(branch);
        if nameless.is_empty() {
            return;
        }
        for floor in self.listed(runtime, branch).await {
            let Some(&at) = nameless.iter().find(|&&at| self.floors[at].may_be(&floor.id)) else { continue };
            for page in self.listed_pages(runtime, &floor.id).await {
                let pages = self.world.pages_of(at);
                // A page that is none of them is new.
                if let Some(copy) = pages.into_iter().find(|&copy| self.pages[copy].may_be(&page.id)) {
                    self.pages[copy].id = Some(page.id);
                }
            }
            self.floors[at].id = Some(floor.id);
        }
    }
}
