//! One conversation, sent step by step to both sides.

mod character;
mod globals;
mod jobs;
mod look;
mod names;
mod pages;
mod places;
mod processing;
mod restarts;
mod shared;
mod snapshots;
mod sync;
mod trash;
mod turns;
mod undo;
mod words;

use crate::dice::Dice;
use crate::names::Name;
use crate::oracle::{At, Branch, Command, Document, Floor, Page, Role, Text, World};
use crate::tree::{Spot, Swipe};
use snapshots::DroppedStates;
use std::collections::BTreeMap;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::record::Window;
use trash::Thrown;

/// Everything there is.
const WINDOW: Window = Window { limit: 1_000, offset: 0, ascending: true, total: false };

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

/// Lets a request run for some moments, and then nobody waits for it any more.
async fn for_a_while(moments: u64, request: impl Future) {
    let enough = async {
        for _ in 0..moments {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = request => {}
        () = enough => {}
    }
}

pub struct Tale {
    account: Id,
    session: Id,
    world: World,
    floors: Vec<Name>,
    pages: Vec<Name>,
    globals: Vec<(Id, Document)>,
    /// In the order of the oracle's.
    jobs: Vec<Id>,
    /// Snapshots of pages that are gone, and the tokens of the states that they have.
    left: Vec<(At, Id, Option<u64>)>,
    /// What may come back from the trash.
    thrown: Vec<Thrown>,
    /// States that may come back from it.
    dropped: Vec<DroppedStates>,
    /// The names of branches that restores made.
    restored: BTreeMap<At, String>,
    dice: Dice,
    said: Vec<String>,
}

impl Tale {
    pub async fn begin(runtime: &Runtime, seed: u64, is_long: bool) -> Tale {
        let account = Runtime::default_account();
        let session: Id = format!("tale-{seed}").parse().unwrap();
        let main = Branch { is_alive: true };
        let world = World { branches: vec![main], ..World::default() };
        let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut tale = Tale {
            account,
            session,
            world,
            floors: Vec::new(),
            pages: Vec::new(),
            globals: Vec::new(),
            jobs: Vec::new(),
            left: Vec::new(),
            thrown: Vec::new(),
            dropped: Vec::new(),
            restored: BTreeMap::new(),
            dice,
            said: Vec::new(),
        };
        tale.create_character(runtime).await;
        if is_long {
            tale.grow(runtime).await;
        }
        tale
    }

    pub async fn step(&mut self, runtime: &Runtime) {
        match self.dice.below(64) {
            0..=7 => self.turn(runtime).await,
            8..=10 => self.swipe(runtime).await,
            11 | 12 => self.create_floor(runtime).await,
            13 | 14 => self.create_page(runtime).await,
            15 => self.commit(runtime).await,
            16 | 17 => self.activate(runtime).await,
            18 | 19 => self.rewrite(runtime).await,
            20 => self.change_kind(runtime).await,
            21 => self.move_floor(runtime).await,
            22 | 23 => self.fork(runtime).await,
            24 | 25 => self.edit(runtime).await,
            26 | 27 => self.process(runtime).await,
            28 => self.drop_snapshot(runtime).await,
            29 | 30 => self.collect(runtime).await,
            31 => self.go_on(runtime).await,
            32 | 33 => self.delete(runtime).await,
            34 => self.another_template(runtime).await,
            35 => self.another_profile(runtime).await,
            36 => self.enable(runtime).await,
            37 | 38 => self.undo(runtime).await,
            39 | 40 => self.apply_global(runtime).await,
            41 => self.clean_up(runtime).await,
            42 | 43 => self.sync(runtime).await,
            46 | 47 => self.take_edit_back(runtime).await,
            48 => self.redo(runtime).await,
            44 | 45 => self.delete_and_restore(runtime).await,
            49..=51 => self.throw_away(runtime).await,
            52..=54 => self.bring_back(runtime).await,
            55..=60 => self.name_on_branch(runtime).await,
            61 | 62 => self.bring_some_states_back(runtime).await,
            _ => self.finish(runtime).await,
        }
        for _ in 0..2 {
            let page = self.dice.below(self.world.pages.len());
            if self.world.pages.get(page).is_some_and(|page| page.is_alive) {
                self.look(runtime, page).await;
            }
        }
    }

    /// Whether it is time for the process to end, some five times in a chapter.
    pub fn is_time_to_restart(&mut self) -> bool {
        self.dice.once_in(50)
    }

    fn say(&mut self, what: String) {
        self.said.push(what);
    }

    /// The floors that can be named.
    fn named_floors(&self) -> Vec<At> {
        let is_named = |&at: &At| self.world.floors[at].is_alive && self.floors[at].id.is_some();
        (0..self.world.floors.len()).filter(is_named).collect()
    }

    fn some_floor(&mut self) -> Option<At> {
        let floors = self.named_floors();
        self.dice.pick(&floors)
    }

    fn some_page(&mut self) -> Option<At> {
        let is_named = |&at: &At| self.world.pages[at].is_alive && self.pages[at].id.is_some();
        let pages: Vec<At> = (0..self.world.pages.len()).filter(is_named).collect();
        self.dice.pick(&pages)
    }

    fn some_branch(&mut self) -> At {
        let alive: Vec<At> = (0..self.world.branches.len()).filter(|&at| self.world.branches[at].is_alive).collect();
        self.dice.pick(&alive).unwrap()
    }

    fn some_text(&mut self) -> Text {
        (0..self.dice.below(4))
            .map(|_| {
                let (key, number) = (KEYS[self.dice.below(4)], i64::try_from(self.dice.below(9)).unwrap());
                if self.dice.once_in(4) { Command::Set(key, number) } else { Command::Add(key, number) }
            })
            .collect()
    }

    /// The position of a new floor: mostly the next one, sometimes a free one before.
    fn some_place(&mut self, branch: At) -> Option<i64> {
        if !self.dice.once_in(5) {
            return None;
        }
        let number = i64::try_from(self.dice.below(12)).unwrap();
        self.is_free(branch, number).then_some(number)
    }

    /// The position behind the last floor.
    fn next_place(&self, branch: At) -> i64 {
        let floors = self.world.floors_of(branch, i64::MAX);
        floors.last().map_or(0, |&floor| self.world.floors[floor].floor_no + 1)
    }

    fn is_free(&self, branch: At, number: i64) -> bool {
        !self.world.floors.iter().any(|it| it.is_alive && it.branch == branch && it.floor_no == number)
    }

    fn add_floor(&mut self, id: Id, branch: At, floor_no: i64, is_committed: bool) -> At {
        self.floors.push(Name::of(id));
        self.world.floors.push(Floor { spot: Spot { branch, floor_no, is_alive: true }, is_committed });
        self.world.floors.len() - 1
    }

    fn add_page(&mut self, id: Id, floor: At, place: (i64, i64), role: Role, is_output: bool, text: Text) -> At {
        let swipe = Swipe::new(floor, place, is_output);
        self.pages.push(Name::of(id));
        self.world.pages.push(Page { swipe, role, text, edits: Vec::new(), state: None, is_gone: false });
        self.world.pages.len() - 1
    }
}
