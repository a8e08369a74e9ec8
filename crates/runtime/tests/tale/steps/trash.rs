//! What is deleted comes back later: in batches, to places that are taken by then, and after a sync.

use super::Tale;
use super::words::written;
use crate::names::Name;
use crate::oracle::{At, Branch, Page, Role, Said, Text, World};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::{Restored, Runtime, Under};

/// An item of the trash.
#[derive(Debug, Clone)]
pub struct Thrown {
    trash: Id,
    /// A whole branch, whose floors these are.
    branch: Option<At>,
    /// Floors with the pages that they had.
    floors: Vec<(At, Vec<At>)>,
    /// Pages that were deleted alone, and whether they were chosen.
    pages: Vec<(At, bool)>,
}

impl Thrown {
    pub fn branch(trash: Id, branch: At, floors: Vec<(At, Vec<At>)>) -> Thrown {
        Thrown { trash, branch: Some(branch), floors, pages: Vec::new() }
    }

    /// All pages that went with it.
    fn all_pages(&self) -> Vec<At> {
        let of_floors = self.floors.iter().flat_map(|(_, pages)| pages).copied();
        of_floors.chain(self.pages.iter().map(|&(page, _)| page)).collect()
    }
}

/// A branch before a sync.
pub struct BeforeSync {
    chat: Vec<Said>,
    floors: Vec<At>,
    pages: Vec<Page>,
    /// Whether each floor says something: others go with a sync and are no messages when they come back.
    is_whole: bool,
}

impl BeforeSync {
    pub fn of(world: &World, branch: At) -> BeforeSync {
        let (chat, floors) = (world.chat_of(branch), world.floors_of(branch, i64::MAX));
        BeforeSync { is_whole: chat.len() == floors.len(), chat, floors, pages: world.pages.clone() }
    }
}

impl Tale {
    /// Deletes some floors or pages of any branches with one request.
    pub(super) async fn throw_away(&mut self, runtime: &Runtime) {
        let count = 1 + self.dice.below(3);
        let mut thrown = Thrown { trash: self.session.clone(), branch: None, floors: Vec::new(), pages: Vec::new() };
        let removed = if self.dice.once_in(2) {
            let floors: BTreeSet<At> = (0..count).filter_map(|_| self.some_floor()).collect();
            let ids = floors.iter().map(|&floor| self.floor_id(floor).clone()).collect();
            let removed = runtime.remove_floors(&self.account, ids, false).await.unwrap();
            for floor in floors {
                thrown.floors.push((floor, self.world.pages_of(floor)));
                self.world.delete_floor(floor);
            }
            removed
        } else {
            let pages: BTreeSet<At> = (0..count).filter_map(|_| self.some_page()).collect();
            let ids = pages.iter().map(|&page| self.page_id(page).clone()).collect();
            let removed = runtime.remove_pages(&self.account, ids, false).await.unwrap();
            thrown.pages = pages.iter().map(|&page| (page, self.world.pages[page].is_active)).collect();
            pages.into_iter().for_each(|page| self.world.delete_page(page));
            removed
        };
        let Some(trash) = removed.trash else { return };
        self.say(format!("to the trash: {:?} {:?}", thrown.floors, thrown.pages));
        self.thrown.push(Thrown { trash, ..thrown });
    }

    /// Restores something, where that is as simple as the oracle: on branches and floors that are there.
    pub(super) async fn bring_back(&mut self, runtime: &Runtime) {
        if self.thrown.is_empty() || !self.world.jobs.is_empty() {
            return;
        }
        let thrown = self.thrown.swap_remove(self.dice.below(self.thrown.len()));
        if self.dice.once_in(6) {
            self.say(format!("purged: {:?} {:?} {:?}", thrown.branch, thrown.floors, thrown.pages));
            self.learn_trashed(runtime, &thrown).await;
            runtime.purge_trash(&self.account, &thrown.trash).await.unwrap();
            return self.world.forget(&thrown.all_pages());
        }
        if let Some(branch) = thrown.branch {
            return self.bring_branch_back(runtime, branch, &thrown).await;
        }
        let branch_is_there =
            |&(floor, _): &(At, Vec<At>)| self.world.branches[self.world.floors[floor].branch].is_alive;
        let floor_is_there = |&(page, _): &(At, bool)| self.world.floors[self.world.pages[page].floor].is_alive;
        if !thrown.floors.iter().all(branch_is_there) || !thrown.pages.iter().all(floor_is_there) {
            return;
        }
        self.say(format!("from the trash: {:?} {:?}", thrown.floors, thrown.pages));
        let restored = runtime.restore(&self.account, &thrown.trash, Under::default()).await.unwrap();
        self.put_pages_back(&thrown.pages);
        self.put_floors_back(&thrown.floors, &restored);
        let mut branches: BTreeSet<At> =
            thrown.floors.iter().map(|&(floor, _)| self.world.floors[floor].branch).collect();
        branches.extend(thrown.pages.iter().map(|&(page, _)| self.world.floors[self.world.pages[page].floor].branch));
        let wanted: BTreeSet<String> = branches.iter().map(|&branch| self.name(branch)).collect();
        let found: BTreeSet<String> = restored.branches.iter().map(|branch| branch.id.clone()).collect();
        assert_eq!(found, wanted, "after\n{}", self.said.join("\n"));
        for branch in branches {
            self.world.process_some(branch, i64::MAX);
        }
    }

    /// A branch comes back as it was, whatever has become of the line that it was forked from.
    async fn bring_branch_back(&mut self, runtime: &Runtime, branch: At, thrown: &Thrown) {
        self.say(format!("branch {branch} comes back"));
        self.learn_trashed(runtime, thrown).await;
        let restored = runtime.restore(&self.account, &thrown.trash, Under::default()).await.unwrap();
        assert!(!restored.is_new_branch, "{restored:?} after\n{}", self.said.join("\n"));
        // Another branch that was made for something else may have its name by now.
        let name = restored.branch.unwrap();
        assert!(name.starts_with(&self.name(branch)), "{name}");
        self.restored.insert(branch, name);
        self.world.restore_branch(branch, &thrown.floors);
        self.world.process_some(branch, i64::MAX);
    }

    /// Learns the names that copies got in the trash.
    async fn learn_trashed(&mut self, runtime: &Runtime, thrown: &Thrown) {
        let nameless: Vec<At> = thrown.all_pages().into_iter().filter(|&page| self.pages[page].id.is_none()).collect();
        if nameless.is_empty() {
            return;
        }
        let (_, content) = runtime.trash_item(&self.account, &thrown.trash, 1_000, 0).await.unwrap();
        for id in content.pages.into_iter().filter_map(|page| page.id) {
            if let Some(&copy) = nameless.iter().find(|&&copy| self.pages[copy].may_be(&id)) {
                self.pages[copy].id = Some(id);
            }
        }
    }

    /// The same for all branches in the trash.
    pub(super) async fn learn_all_trashed(&mut self, runtime: &Runtime) {
        for thrown in self.thrown.clone().into_iter().filter(|thrown| thrown.branch.is_some()) {
            self.learn_trashed(runtime, &thrown).await;
        }
    }

    fn put_pages_back(&mut self, pages: &[(At, bool)]) {
        let mut taken: BTreeMap<(At, i64), BTreeSet<i64>> = BTreeMap::new();
        for page in self.world.pages.iter().filter(|page| page.is_alive) {
            taken.entry((page.floor, page.slot)).or_default().insert(page.version);
        }
        let mut chosen: BTreeMap<(At, i64), At> = BTreeMap::new();
        for &(at, was_active) in pages {
            let page = &mut self.world.pages[at];
            let slot = (page.floor, page.slot);
            page.is_alive = true;
            page.is_active = false;
            if let Some(taken) = taken.get_mut(&slot) {
                if !taken.insert(page.version) {
                    page.version = taken.last().unwrap() + 1;
                    taken.insert(page.version);
                }
                chosen.extend(was_active.then_some((slot, at)));
            } else if was_active {
                chosen.insert(slot, at);
            } else {
                // A slot without any other has an active one.
                chosen.entry(slot).or_insert(at);
            }
        }
        chosen.into_values().for_each(|page| self.world.activate(page));
    }

    fn put_floors_back(&mut self, floors: &[(At, Vec<At>)], restored: &Restored) {
        let mut groups: BTreeMap<At, Vec<&(At, Vec<At>)>> = BTreeMap::new();
        for floor in floors {
            groups.entry(self.world.floors[floor.0].branch).or_default().push(floor);
        }
        let mut names = restored.branches.iter().filter(|branch| branch.is_new).map(|branch| branch.id.clone());
        // Whoever finds its place free does so before branches are made.
        let is_free = |it: &Tale, group: &[&(At, Vec<At>)], branch: At| {
            group.iter().all(|(floor, _)| it.is_free(branch, it.world.floors[*floor].floor_no))
        };
        let free: BTreeMap<At, bool> =
            groups.iter().map(|(&branch, group)| (branch, is_free(self, group, branch))).collect();
        for (branch, mut group) in groups {
            group.sort_by_key(|(floor, _)| self.world.floors[*floor].floor_no);
            let mut next = None;
            let mut on = branch;
            if !free[&branch] {
                let first = self.world.floors[group[0].0].floor_no;
                let mut before = self.world.floors_of(branch, first - 1).into_iter();
                let source = before.rfind(|&floor| self.world.floors[floor].is_committed);
                on = self.world.branches.len();
                match source {
                    Some(source) => {
                        let copied = self.world.fork(source);
                        Name::copies(&mut self.floors, &copied.floors);
                        Name::copies(&mut self.pages, &copied.pages);
                    }
                    None => self.world.branches.push(Branch { is_alive: true }),
                }
                next = Some(source.map_or(0, |source| self.world.floors[source].floor_no + 1));
                self.restored.insert(on, names.next().unwrap());
            }
            for (floor, pages) in group {
                let spot = &mut self.world.floors[*floor].spot;
                (spot.is_alive, spot.branch) = (true, on);
                if let Some(next) = &mut next {
                    spot.floor_no = spot.floor_no.max(*next);
                    *next = spot.floor_no + 1;
                }
                pages.iter().for_each(|&page| self.world.pages[page].is_alive = true);
                if on != branch {
                    self.floors[*floor].moves();
                    pages.iter().for_each(|&page| self.pages[page].moves());
                }
            }
        }
        assert!(names.next().is_none(), "{restored:?} after\n{}", self.said.join("\n"));
    }

    /// Learns the names of copies that got rows of their own with the sync that took them away.
    async fn learn_restored(&mut self, runtime: &Runtime, branch: At, count: usize) {
        for floor in self.listed(runtime, branch).await {
            let Some(at) = self.floors.iter().position(|known| known.is(&floor.id)) else { continue };
            for page in self.listed_pages(runtime, &floor.id).await {
                let may_be = |&copy: &At| self.world.pages[copy].floor == at && self.pages[copy].may_be(&page.id);
                if self.pages.iter().all(|known| !known.is(&page.id))
                    && let Some(copy) = (0..count).find(may_be)
                {
                    self.pages[copy].id = Some(page.id);
                }
            }
        }
    }

    /// What a sync took away comes back, and everything that the chat said before is there beside what it says now. Where everything
    /// is then is read back as after a sync.
    pub(super) async fn bring_back_synced(
        &mut self,
        runtime: &Runtime,
        branch: At,
        chat: &[Said],
        before: BeforeSync,
        trash: Id,
    ) {
        let gone: Vec<At> = before.floors.iter().copied().filter(|&floor| !self.world.floors[floor].is_alive).collect();
        let is_free = gone.iter().all(|&floor| self.is_free(branch, self.world.floors[floor].floor_no));
        // An answer lists a hundred new ids.
        if !is_free || !before.is_whole || !self.world.jobs.is_empty() || before.chat.len() > 50 {
            return;
        }
        self.say(format!("what the sync of branch {branch} took away comes back"));
        let restored = runtime.restore(&self.account, &trash, Under::default()).await.unwrap();
        assert!(!restored.is_new_branch, "{restored:?} after\n{}", self.said.join("\n"));
        for &floor in &gone {
            self.world.floors[floor].is_alive = true;
        }
        for renamed in &restored.renamed {
            assert!(renamed.is_page, "{renamed:?}");
            let was = self.pages.iter().position(|name| name.is(&renamed.was)).unwrap();
            self.pages.push(Name::of(renamed.id.clone()));
            self.world.pages.push(Page { state: None, ..before.pages[was].clone() });
        }
        let mut texts: HashMap<String, Text> = HashMap::new();
        for (text, _) in before.chat.iter().chain(chat).flat_map(|said| &said.swipes) {
            texts.insert(written(text), text.clone());
        }
        self.learn_of(runtime, branch).await;
        self.learn_restored(runtime, branch, before.pages.len()).await;
        let shared = self.nameless(branch).len();
        let mut now = self.world.chat_of(branch)[..shared].to_vec();
        for floor in self.listed(runtime, branch).await {
            let pages = self.listed_pages(runtime, &floor.id).await;
            let role =
                |role: Option<&str>| -> Role { ["assistant", "user"].into_iter().find(|known| Some(*known) == role) };
            let active = pages.iter().position(|page| page.is_active).unwrap();
            let swipe = |page: &tavernkeep_runtime::record::Page| {
                (texts[page.content.as_deref().unwrap_or_default()].clone(), role(page.role.as_deref()))
            };
            now.push(Said { swipes: pages.iter().map(swipe).collect(), active });
        }
        let all = |chat: &[Said]| -> BTreeSet<String> {
            chat.iter()
                .flat_map(|said| &said.swipes)
                .map(|(text, _)| written(text))
                .filter(|text| !text.is_empty())
                .collect()
        };
        let (old, new, found) = (all(&before.chat), all(chat), all(&now));
        assert!(old.is_subset(&found) && new.is_subset(&found), "after\n{}", self.said.join("\n"));
        self.brought(runtime, branch, &now).await;
        self.world.process_some(branch, i64::MAX);
    }
}
