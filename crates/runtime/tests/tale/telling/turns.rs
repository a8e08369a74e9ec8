//! Turns and swipes, and a process that ends in the middle of one.

use super::words::{name, value, written};
use super::{Telling, for_a_while};
use crate::oracle::{At, Mode, Text};
use crate::tree::Spot;
use tavernkeep_runtime::order::NewTurn;
use tavernkeep_runtime::{ProcessOrder, Runtime, TakenTurn};

/// A turn that is sent, and what it means to the oracle.
pub(super) struct Told {
    new: NewTurn,
    branch: At,
    text: Text,
    is_output: bool,
}

impl Telling {
    pub(super) fn new_turn(&self, role: &str, content: String) -> NewTurn {
        NewTurn::of(self.session.clone(), role, content)
    }

    pub(super) async fn turn(&mut self, runtime: &Runtime) {
        let turn = self.some_turn();
        let taken = runtime.take_turn(&self.account, turn.new.clone()).await.unwrap();
        self.took(turn, taken);
    }

    pub(super) fn some_turn(&mut self) -> Told {
        let branch = self.some_branch();
        let floor_no = self.some_place(branch);
        let text = self.some_text();
        let is_output = !self.dice.once_in(4);
        let role = if is_output { "assistant" } else { "user" };
        self.say(format!("turn of {role} on branch {branch} at {floor_no:?}: {text:?}"));
        let new = NewTurn { branch: Some(name(branch)), floor_no, ..self.new_turn(role, written(&text)) };
        Told { new, branch, text, is_output }
    }

    pub(super) fn took(&mut self, told: Told, taken: TakenTurn) {
        let Told { new, branch, text, is_output } = told;
        let role = if is_output { "assistant" } else { "user" };
        self.world.follow();
        self.world.process(branch, new.floor_no.unwrap_or(i64::MAX) - 1, Mode::Stale(None), false);
        let floor = self.add_floor(taken.floor, branch, taken.floor_no, true);
        let page = self.add_page(taken.page, floor, (0, taken.page_version), Some(role), is_output, text);
        self.world.activate(page);
        self.world.take(page);
        let wanted = self.world.look(page).document;
        assert_eq!(taken.document, value(&wanted), "the turn's own state after\n{}", self.said.join("\n"));
    }

    /// The process ends in the middle of a turn or of processing. Whoever waited for an answer asks the next one again. (The
    /// campaigns of faults end processes without asking them.)
    pub async fn die(&mut self, runtime: Runtime, reborn: impl Future<Output = Runtime>) -> Runtime {
        let moments = 1 << self.dice.below(14);
        if self.dice.once_in(2) {
            let mut turn = self.some_turn();
            turn.new.page = Some(format!("{}-{}", self.session, self.said.len()).parse().unwrap());
            self.say(format!("dies {moments} moments later"));
            for_a_while(moments, runtime.take_turn(&self.account, turn.new.clone())).await;
            runtime.close().await;
            let runtime = reborn.await;
            let taken = runtime.take_turn(&self.account, turn.new.clone()).await.unwrap();
            self.took(turn, taken);
            return runtime;
        }
        let branch = self.some_branch();
        self.say(format!("process branch {branch}, dies {moments} moments later"));
        let order = ProcessOrder { branch: Some(name(branch)), ..ProcessOrder::of(tavernkeep_runtime::Mode::Stale) };
        for_a_while(moments, runtime.process(&self.account, &self.session, order.clone())).await;
        runtime.close().await;
        let runtime = reborn.await;
        runtime.process(&self.account, &self.session, order).await.unwrap();
        self.world.process(branch, i64::MAX, Mode::Stale(None), false);
        runtime
    }

    pub(super) async fn swipe(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor().filter(|&floor| self.world.floors[floor].is_committed) else { return };
        let text = self.some_text();
        self.say(format!("swipe of floor {floor}: {text:?}"));
        let new = NewTurn { swipe_of: Some(self.floors[floor].clone()), ..self.new_turn("assistant", written(&text)) };
        let taken = runtime.take_turn(&self.account, new).await.unwrap();
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        self.world.follow();
        self.world.process(branch, floor_no - 1, Mode::Stale(None), false);
        let last =
            self.world.pages.iter().filter(|page| page.is_alive && page.floor == floor).map(|page| page.slot).max();
        let slot = self.world.story_page(floor).map_or(last.unwrap_or(0), |page| self.world.pages[page].slot);
        let page = self.add_page(taken.page, floor, (slot, taken.page_version), Some("assistant"), true, text);
        self.world.activate(page);
        self.world.take(page);
    }
}
