//! Pages: written, rewritten, written on, chosen.

use super::Tale;
use super::words::written;
use crate::oracle::{At, Text};
use crate::tree::Spot;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::order::{NewPage, PagePatch};

impl Tale {
    pub(super) async fn create_page(&mut self, runtime: &Runtime) {
        if let Some(floor) = self.some_floor() {
            self.put_page(runtime, floor).await;
        }
    }

    pub(super) async fn put_page(&mut self, runtime: &Runtime, floor: At) {
        let (slot, is_output) = (i64::from(self.dice.once_in(4)), !self.dice.once_in(4));
        let text = self.some_text();
        let new = NewPage {
            page_no: slot,
            kind: if is_output { PageKind::Output } else { PageKind::Input },
            is_active: !self.dice.once_in(3),
            content: Some(written(&text)),
            ..NewPage::of(self.floor_id(floor).clone())
        };
        let page = runtime.create_page(&self.account, new).await.unwrap();
        self.say(format!("page {} on floor {floor}, active {}: {text:?}", self.pages.len(), page.is_active));
        let at = self.add_page(page.id, floor, (slot, page.version), None, is_output, text);
        if page.is_active {
            self.world.activate(at);
            if self.has_states_behind(floor) {
                self.process_branch_of(at);
            }
        }
    }

    /// Whether states follow a page that is chosen on a floor.
    fn has_states_behind(&self, floor: At) -> bool {
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        let is_behind = |&other: &At| {
            let other = &self.world.floors[other];
            other.is_committed && other.floor_no > floor_no
        };
        let behind = self.world.floors_of(branch, i64::MAX).into_iter().filter(is_behind);
        let mut pages = behind.flat_map(|floor| self.world.pages_of(floor)).map(|page| &self.world.pages[page]);
        self.world.floors[floor].is_committed && pages.any(|page| page.is_active && page.state.is_some())
    }

    pub(super) async fn activate(&mut self, runtime: &Runtime) {
        if let Some(page) = self.some_page() {
            self.activate_page(runtime, page).await;
        }
    }

    pub(super) async fn activate_page(&mut self, runtime: &Runtime, page: At) {
        self.say(format!("activate page {page}"));
        runtime.activate_page(&self.account, self.page_id(page)).await.unwrap();
        self.world.activate(page);
        self.process_branch_of(page);
    }

    pub(super) async fn rewrite(&mut self, runtime: &Runtime) {
        if let Some(page) = self.some_page() {
            self.rewrite_page(runtime, page).await;
        }
    }

    pub(super) async fn rewrite_page(&mut self, runtime: &Runtime, page: At) {
        let text = self.some_text();
        self.say_instead(runtime, page, text).await;
    }

    /// A reply is written on.
    pub(super) async fn go_on(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let mut text = self.world.pages[page].text.clone();
        text.extend(self.some_text());
        self.say_instead(runtime, page, text).await;
    }

    async fn say_instead(&mut self, runtime: &Runtime, page: At, text: Text) {
        self.say(format!("page {page} says {text:?}"));
        let patch = PagePatch { content: Some(Some(written(&text))), ..PagePatch::default() };
        runtime.update_page(&self.account, self.page_id(page), patch).await.unwrap();
        self.world.pages[page].text = text;
    }

    pub(super) async fn change_kind(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let is_output = !self.world.pages[page].is_output;
        self.say(format!("page {page} is output: {is_output}"));
        let kind = if is_output { PageKind::Mixed } else { PageKind::Input };
        let patch = PagePatch { kind: Some(kind), ..PagePatch::default() };
        runtime.update_page(&self.account, self.page_id(page), patch).await.unwrap();
        self.world.pages[page].is_output = is_output;
    }
}
