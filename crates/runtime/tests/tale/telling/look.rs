//! Both sides are asked what they show.

use super::words::{name, value};
use super::{KEYS, Telling};
use crate::history;
use crate::oracle::{At, Reason, Shown};
use tavernkeep_engine::story::StaleReason;
use tavernkeep_runtime::{Runtime, State};

impl Telling {
    pub async fn look_everywhere(&mut self, runtime: &Runtime) {
        for page in 0..self.world.pages.len() {
            if self.world.pages[page].is_alive {
                self.look(runtime, page).await;
            }
        }
        self.look_at_what_is_left(runtime).await;
        for branch in 0..self.world.branches.len() {
            if self.world.branches[branch].is_alive {
                let name = name(branch);
                let state = runtime.newest_state(&self.account, &self.session, Some(&name)).await.unwrap();
                self.compare(&state, &self.world.newest(branch), &format!("branch {branch}"));
                history::look(runtime, &self.account, &self.session, &name, &KEYS).await;
            }
        }
    }

    pub(super) async fn look(&mut self, runtime: &Runtime, page: At) {
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        self.compare(&state, &self.world.look(page), &format!("page {page}"));
    }

    pub(super) fn compare(&self, state: &State, wanted: &Shown, place: &str) {
        let reason = |reason| match reason {
            StaleReason::Unprocessed => Reason::Unprocessed,
            StaleReason::TextChanged => Reason::TextChanged,
            StaleReason::ParentChanged => Reason::ParentChanged,
            StaleReason::EarlierStale => Reason::EarlierStale,
        };
        let at = &state.at;
        let shown = (state.document.to_json(), at.stale.map(reason), (at.outdated, at.edited, at.inherited));
        let Shown { document, stale, outdated, edited, inherited } = wanted;
        let wanted = (value(document).to_json(), *stale, (*outdated, *edited, *inherited));
        assert_eq!(shown, wanted, "at {place} after\n{}", self.said.join("\n"));
    }
}
