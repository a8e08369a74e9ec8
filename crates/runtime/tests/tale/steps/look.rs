//! Both sides are asked what they show.

use super::words::{value, written};
use super::{KEYS, Tale};
use crate::history;
use crate::oracle::{At, Reason, Shown};
use crate::tree::Spot;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_runtime::{FloorRange, Runtime, State, record};

impl Tale {
    pub async fn look_everywhere(&mut self, runtime: &Runtime) {
        for page in 0..self.world.pages.len() {
            if self.world.pages[page].is_alive {
                self.look(runtime, page).await;
            }
        }
        self.look_at_what_is_left(runtime).await;
        for branch in 0..self.world.branches.len() {
            if self.world.branches[branch].is_alive {
                let name = self.name(branch);
                let state = runtime.newest_state(&self.account, &self.session, Some(&name)).await.unwrap();
                self.compare(&state, &self.world.newest(branch), &format!("branch {branch}"));
                history::look(runtime, &self.account, &self.session, &name, &KEYS).await;
                self.look_at_line(runtime, branch).await;
            }
        }
    }

    pub(super) async fn look(&mut self, runtime: &Runtime, page: At) {
        let floor = self.world.pages[page].floor;
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        let state = match &self.pages[page].id {
            Some(id) => runtime.state_of_page(&self.account, id).await,
            None if self.world.story_page(floor) == Some(page) => {
                runtime.state_at_floor(&self.account, &self.session, Some(&self.name(branch)), floor_no).await
            }
            None => return,
        };
        self.compare(&state.unwrap(), &self.world.look(page), &format!("page {page}"));
    }

    /// Every floor of a branch with all its pages, whoever they are shared with.
    async fn look_at_line(&self, runtime: &Runtime, branch: At) {
        let (session, name) = (self.session.clone(), self.name(branch));
        let part = FloorRange { session, branch: name, from_floor: None, to_floor: None, after: None };
        let (lines, _) = runtime.log(&self.account, part, 1_000).await.unwrap();
        let floors = self.world.floors_of(branch, i64::MAX);
        let found: Vec<i64> = lines.iter().map(|line| line.floor_no).collect();
        let wanted: Vec<i64> = floors.iter().map(|&floor| self.world.floors[floor].floor_no).collect();
        assert_eq!(found, wanted, "the floors of branch {branch} after\n{}", self.said.join("\n"));
        for (line, floor) in lines.into_iter().zip(floors) {
            let page = |page: record::Page| {
                let is_output = page.kind != PageKind::Input;
                ((page.page_no, page.version, page.is_active, is_output), page.role, page.content.unwrap_or_default())
            };
            let found: Vec<_> = self.listed_pages(runtime, &line.floor).await.into_iter().map(page).collect();
            let page = |at: At| {
                let page = &self.world.pages[at];
                let place = (page.slot, page.version, page.is_active, page.is_output);
                (place, page.role.map(str::to_owned), written(&page.text))
            };
            let wanted: Vec<_> = self.world.pages_of(floor).into_iter().map(page).collect();
            assert_eq!(found, wanted, "floor {floor} of branch {branch} after\n{}", self.said.join("\n"));
        }
    }

    pub(super) fn compare(&self, state: &State, wanted: &Shown, place: &str) {
        let reason = |reason| match reason {
            StaleReason::Unprocessed => Reason::Unprocessed,
            StaleReason::TextChanged => Reason::TextChanged,
            StaleReason::ParentChanged => Reason::ParentChanged,
            StaleReason::EarlierStale => Reason::EarlierStale,
            StaleReason::EditsChanged => Reason::EditsChanged,
        };
        let at = &state.at;
        let shown = (state.document.to_json(), at.stale.map(reason), (at.outdated, at.edited, at.inherited));
        let Shown { document, stale, outdated, edited, inherited } = wanted;
        let wanted = (value(document).to_json(), *stale, (*outdated, *edited, *inherited));
        assert_eq!(shown, wanted, "at {place} after\n{}", self.said.join("\n"));
    }
}
