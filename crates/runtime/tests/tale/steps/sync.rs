//! A front end brings the whole chat along.
//!
//! Which floors and pages become which messages is not foretold here: the branch is read back, must say what the chat says,
//! and the oracle knows the ids from before.

use super::Tale;
use super::trash::BeforeSync;
use super::words::written;
use crate::oracle::{At, Role, Said};
use crate::tree;
use std::collections::HashMap;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::sync::{Message, Speaker, Swipe};
use tavernkeep_runtime::record;
use tavernkeep_runtime::{Expected, Refusal, Runtime, RuntimeError, SyncOrder, Text, text_hash};

impl Tale {
    pub(super) async fn sync(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let mut chat = self.world.chat_of(branch);
        let before = BeforeSync::of(&self.world, branch);
        for _ in 0..self.dice.below(4) {
            self.change_chat(&mut chat);
        }
        if self.dice.once_in(6) {
            // Another chat is put over this one.
            for said in &mut chat {
                said.swipes[0].0 = self.some_text();
            }
        }
        let trash = self.bring(runtime, branch, chat.clone()).await;
        if let Some(trash) = trash.filter(|_| self.dice.once_in(2)) {
            self.bring_back_synced(runtime, branch, &chat, before, trash).await;
        }
    }

    /// A chat grows by more messages than are processed at once.
    pub(super) async fn grow(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let mut chat = self.world.chat_of(branch);
        let count = 80 + self.dice.below(80);
        chat.extend((0..count).map(|_| self.some_message()));
        self.bring(runtime, branch, chat).await;
    }

    /// Returns what the sync put into the trash.
    async fn bring(&mut self, runtime: &Runtime, branch: At, chat: Vec<Said>) -> Option<Id> {
        let order = |it: &Tale| it.order(branch, &chat);
        let unsayable = self.world.unsayable(branch);
        if !unsayable.is_empty() {
            let answer = runtime.sync(&self.account, order(self), false).await;
            assert!(matches!(answer, Err(RuntimeError::Refused(Refusal::SyncConflict(_)))), "{answer:?}");
            self.say(format!("no sync of branch {branch} before floors {unsayable:?} are gone"));
            let unsayable: Vec<At> = unsayable.into_iter().filter(|&floor| self.floors[floor].id.is_some()).collect();
            let doomed = unsayable.iter().map(|&floor| self.floor_id(floor).clone()).collect();
            runtime.delete_floors(&self.account, doomed).await.unwrap();
            unsayable.into_iter().for_each(|floor| self.world.delete_floor(floor));
            return None;
        }
        self.say(format!("sync of branch {branch}: {chat:?}"));
        let report = runtime.sync(&self.account, order(self), false).await.unwrap();
        assert!(report.synced.applied, "{report:?}");
        self.brought(runtime, branch, &chat).await;
        let is_free = self.world.process_some(branch, i64::MAX);
        assert_eq!(report.job.is_none(), is_free, "after\n{}", self.said.join("\n"));
        report.synced.trash
    }

    fn order(&self, branch: At, chat: &[Said]) -> SyncOrder {
        let mut texts = HashMap::new();
        let mut message = |said: &Said| {
            let mut swipe = |(text, role): &(crate::oracle::Text, Role)| {
                let text = written(text);
                let hash = text_hash(Some(&text));
                texts.insert(hash, Text::new(&text));
                Swipe { text: hash, speaker: Speaker { role: role.map(str::to_owned), name: None } }
            };
            Message { swipes: said.swipes.iter().map(&mut swipe).collect(), active: said.active }
        };
        let messages = chat.iter().map(&mut message).collect();
        let (session, branch) = (self.session.clone(), self.name(branch));
        let expected = Expected { max_deleted: Some(usize::MAX), ..Expected::default() };
        SyncOrder { session, branch, messages, texts, expected }
    }

    /// The branch must be the chat now; whoever was there before is known by its id, or still without one.
    pub(super) async fn brought(&mut self, runtime: &Runtime, branch: At, chat: &[Said]) {
        self.learn_of(runtime, branch).await;
        let floors = self.listed(runtime, branch).await;
        let shared = chat.len() - floors.len();
        let (same, gone) =
            self.nameless(branch).split_at_checked(shared).map(|(a, b)| (a.to_vec(), b.to_vec())).unwrap();
        assert_eq!(self.world.chat_of(branch)[..shared], chat[..shared], "after\n{}", self.said.join("\n"));
        let known = |id: &Id| self.floors.iter().position(|known| known.is(id));
        let kept = floors.iter().filter_map(|it| Some((known(&it.id)?, it.floor_no)));
        let kept = kept.chain(same.into_iter().map(|at| (at, self.world.floors[at].floor_no))).collect();
        for page in gone.into_iter().flat_map(|floor| self.world.pages_of(floor)) {
            self.pages[page].had_id = true;
        }
        self.world.rearrange(branch, &kept);
        let mut placed = Vec::new();
        for floor in floors {
            let known = self.floors.iter().position(|known| known.is(&floor.id));
            placed.push(known.unwrap_or_else(|| self.add_floor(floor.id, branch, floor.floor_no, true)));
        }
        for (floor, said) in placed.into_iter().zip(&chat[shared..]) {
            self.placed(runtime, floor, said).await;
        }
    }

    async fn placed(&mut self, runtime: &Runtime, floor: At, said: &Said) {
        let pages = self.listed_pages(runtime, self.floor_id(floor)).await;
        let swipes: Vec<_> = said.swipes.iter().map(|(text, role)| (written(text), role.map(str::to_owned))).collect();
        let found: Vec<_> = pages.iter().map(|it| (it.content.clone().unwrap(), it.role.clone())).collect();
        assert_eq!(found, swipes, "on floor {floor} after\n{}", self.said.join("\n"));
        assert_eq!(pages.iter().position(|page| page.is_active), Some(said.active), "on floor {floor}");
        let gone: Vec<At> = self.world.pages_of(floor);
        for page in gone {
            self.world.pages[page].is_alive = false;
            self.pages[page].had_id = true;
        }
        for (page, (text, role)) in pages.into_iter().zip(&said.swipes) {
            self.placed_page(floor, &page, text, *role);
        }
    }

    fn placed_page(&mut self, floor: At, page: &record::Page, text: &crate::oracle::Text, role: Role) {
        let is_output = page.kind != PageKind::Input;
        let by_role = role != Some("user");
        let at = match self.pages.iter().position(|known| known.is(&page.id)) {
            Some(at) => {
                let is_same = self.world.pages[at].role == role;
                assert_eq!(is_output, if is_same { self.world.pages[at].is_output } else { by_role }, "page {at}");
                at
            }
            None => {
                assert_eq!(is_output, by_role);
                self.add_page(page.id.clone(), floor, (page.page_no, page.version), role, is_output, text.clone())
            }
        };
        let it = &mut self.world.pages[at];
        it.swipe = tree::Swipe {
            is_active: page.is_active,
            ..tree::Swipe::new(floor, (page.page_no, page.version), is_output)
        };
        (it.text, it.role) = (text.clone(), role);
    }

    fn some_message(&mut self) -> Said {
        let role = if self.dice.once_in(3) { Some("user") } else { Some("assistant") };
        let swipes: Vec<_> = (0..=self.dice.below(6) / 4).map(|_| (self.some_text(), role)).collect();
        Said { active: self.dice.below(swipes.len()), swipes }
    }

    fn change_chat(&mut self, chat: &mut Vec<Said>) {
        let at = self.dice.below(chat.len());
        match self.dice.below(10) {
            0 | 1 => chat.push(self.some_message()),
            2 => chat.insert(self.dice.below(chat.len() + 1), self.some_message()),
            _ if chat.is_empty() => {}
            3 => drop(chat.remove(at)),
            4 => {
                let role = chat[at].swipes[0].1;
                chat[at].swipes.push((self.some_text(), role));
            }
            5 => {
                let swipe = self.dice.below(chat[at].swipes.len());
                chat[at].swipes[swipe].0 = self.some_text();
            }
            6 => chat[at].active = self.dice.below(chat[at].swipes.len()),
            7 => {
                let message = chat.remove(at);
                chat.insert(self.dice.below(chat.len() + 1), message);
            }
            8 if chat[at].swipes.len() > 1 => {
                chat[at].swipes.remove(0);
                chat[at].active = 0;
            }
            _ => {
                let role = if self.dice.once_in(2) { Some("user") } else { Some("assistant") };
                chat[at].swipes.iter_mut().for_each(|swipe| swipe.1 = role);
            }
        }
    }
}
