//! Turns and swipes.

use super::Tale;
use super::words::{value, written};
use crate::oracle::{At, Text};
use crate::tree::Spot;
use tavernkeep_runtime::order::NewTurn;
use tavernkeep_runtime::{Runtime, RuntimeResult, TakenTurn};

/// A turn that is sent, and what it means to the oracle.
pub(super) struct StartedTurn {
    pub(super) new: NewTurn,
    branch: At,
    text: Text,
    is_output: bool,
}

impl Tale {
    pub(super) fn new_turn(&self, role: &str, content: String) -> NewTurn {
        NewTurn::of(self.session.clone(), role, content)
    }

    pub(super) async fn turn(&mut self, runtime: &Runtime) {
        let turn = self.some_turn();
        let answer = runtime.take_turn(&self.account, turn.new.clone()).await;
        self.took(turn, answer);
    }

    pub(super) fn some_turn(&mut self) -> StartedTurn {
        let branch = self.some_branch();
        let floor_no = self.some_place(branch);
        let text = self.some_text();
        let is_output = !self.dice.once_in(4);
        let role = if is_output { "assistant" } else { "user" };
        self.say(format!("turn of {role} on branch {branch} at {floor_no:?}: {text:?}"));
        let new = NewTurn { branch: Some(self.name(branch)), floor_no, ..self.new_turn(role, written(&text)) };
        StartedTurn { new, branch, text, is_output }
    }

    pub(super) fn took(&mut self, started: StartedTurn, answer: RuntimeResult<TakenTurn>) {
        let StartedTurn { new, branch, text, is_output } = started;
        let role = if is_output { "assistant" } else { "user" };
        let Some(taken) = self.unless_busy(branch, new.floor_no.unwrap_or(i64::MAX) - 1, answer) else { return };
        assert_eq!(taken.floor_no, new.floor_no.unwrap_or(self.next_place(branch)), "after\n{}", self.said.join("\n"));
        let floor = self.add_floor(taken.floor, branch, taken.floor_no, true);
        let page = self.add_page(taken.page, floor, (0, taken.page_version), Some(role), is_output, text);
        self.world.activate(page);
        self.world.take(page);
        let wanted = self.world.look(page).document;
        assert_eq!(taken.document, value(&wanted), "the turn's own state after\n{}", self.said.join("\n"));
        if new.floor_no.is_some() {
            self.process_branch_of(page);
        }
    }

    /// A turn is taken on what fits, or not at all.
    fn unless_busy(&mut self, branch: At, last: i64, answer: RuntimeResult<TakenTurn>) -> Option<TakenTurn> {
        if self.world.process_some(branch, last) {
            return Some(answer.unwrap());
        }
        self.expect_busy(&answer);
        None
    }

    pub(super) async fn swipe(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor().filter(|&floor| self.world.floors[floor].is_committed) else { return };
        self.swipe_on(runtime, floor, None).await;
    }

    /// A swipe of a floor, on a branch that shares it if one is named.
    pub(super) async fn swipe_on(&mut self, runtime: &Runtime, floor: At, on: Option<At>) {
        let text = self.some_text();
        self.say(format!("swipe of floor {floor}: {text:?}"));
        let id = self.floors[floor].id.clone().unwrap_or_else(|| self.floors[floor].first());
        let on = on.map(|branch| self.name(branch));
        let new = NewTurn { swipe_of: Some(id), branch: on, ..self.new_turn("assistant", written(&text)) };
        let answer = runtime.take_turn(&self.account, new).await;
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        let Some(taken) = self.unless_busy(branch, floor_no - 1, answer) else { return };
        let last =
            self.world.pages.iter().filter(|page| page.is_alive && page.floor == floor).map(|page| page.slot).max();
        let slot = self.world.story_page(floor).map_or(last.unwrap_or(0), |page| self.world.pages[page].slot);
        let page = self.add_page(taken.page, floor, (slot, taken.page_version), Some("assistant"), true, text);
        self.world.activate(page);
        self.world.take(page);
        self.process_branch_of(page);
    }
}
