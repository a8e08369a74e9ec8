//! One conversation, told step by step to both sides.

use crate::dice::Dice;
use crate::history;
use crate::oracle::{At, Branch, Command, Document, Floor, Mode, Page, Reason, Shown, Source, Text, World};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_runtime::order::{
    FloorPatch, FloorStep, NewFloor, NewPage, NewSession, NewTurn, PagePatch, StorySettings,
};
use tavernkeep_runtime::record::Condition;
use tavernkeep_runtime::{ProcessOrder, Runtime, State, TakenTurn};

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

/// A turn that is sent, and what it means to the oracle.
struct Told {
    new: NewTurn,
    branch: At,
    text: Text,
    is_output: bool,
}

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

pub struct Telling {
    account: Id,
    session: Id,
    world: World,
    floors: Vec<Id>,
    pages: Vec<Id>,
    dice: Dice,
    said: Vec<String>,
}

impl Telling {
    pub async fn begin(runtime: &Runtime, seed: u64) -> Telling {
        let account = Runtime::default_account();
        let session: Id = format!("tale-{seed}").parse().unwrap();
        let template: Document = KEYS.iter().map(|&key| (key, 0)).collect();
        let text = value(&template).to_text();
        let story = StorySettings { template: Some(Some(text)), ..StorySettings::default() };
        let new = NewSession { id: Some(session.clone()), story, ..NewSession::default() };
        runtime.create_session(&account, new).await.unwrap();
        let main = Branch { source: None, is_alive: true };
        let world = World { template, branches: vec![main], ..World::default() };
        let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Telling { account, session, world, floors: Vec::new(), pages: Vec::new(), dice, said: Vec::new() }
    }

    pub async fn step(&mut self, runtime: &Runtime) {
        match self.dice.below(34) {
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
            _ => self.delete(runtime).await,
        }
        for _ in 0..2 {
            if let Some(page) = self.some_page() {
                self.look(runtime, page).await;
            }
        }
    }

    /// Whether it is time for the process to end, some five times in a chapter.
    pub fn is_time_to_die(&mut self) -> bool {
        self.dice.once_in(50)
    }

    fn say(&mut self, what: String) {
        self.said.push(what);
    }

    fn alive_floors(&self) -> Vec<At> {
        (0..self.world.floors.len()).filter(|&at| self.world.floors[at].is_alive).collect()
    }

    fn some_floor(&mut self) -> Option<At> {
        let floors = self.alive_floors();
        self.dice.pick(&floors)
    }

    fn some_page(&mut self) -> Option<At> {
        let pages: Vec<At> = (0..self.world.pages.len()).filter(|&at| self.world.pages[at].is_alive).collect();
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

    fn is_free(&self, branch: At, number: i64) -> bool {
        let is_own = self.world.source(branch).is_none_or(|(_, fork)| number > fork);
        is_own && !self.world.floors.iter().any(|it| it.is_alive && it.branch == branch && it.floor_no == number)
    }

    fn add_floor(&mut self, id: Id, branch: At, floor_no: i64, is_committed: bool) -> At {
        self.floors.push(id);
        self.world.floors.push(Floor { branch, floor_no, is_committed, is_alive: true });
        self.world.floors.len() - 1
    }

    fn add_page(&mut self, id: Id, floor: At, (slot, version): (i64, i64), is_output: bool, text: Text) -> At {
        let page = Page { floor, slot, version, is_output, is_active: false, is_alive: true, text, state: None };
        self.pages.push(id);
        self.world.pages.push(page);
        self.world.pages.len() - 1
    }

    fn new_turn(&self, role: &str, content: String) -> NewTurn {
        NewTurn::of(self.session.clone(), role, content)
    }

    async fn turn(&mut self, runtime: &Runtime) {
        let turn = self.some_turn();
        let taken = runtime.take_turn(&self.account, turn.new.clone()).await.unwrap();
        self.took(turn, taken);
    }

    fn some_turn(&mut self) -> Told {
        let branch = self.some_branch();
        let floor_no = self.some_place(branch);
        let text = self.some_text();
        let is_output = !self.dice.once_in(4);
        let role = if is_output { "assistant" } else { "user" };
        self.say(format!("turn of {role} on branch {branch} at {floor_no:?}: {text:?}"));
        let new = NewTurn { branch: Some(name(branch)), floor_no, ..self.new_turn(role, written(&text)) };
        Told { new, branch, text, is_output }
    }

    fn took(&mut self, told: Told, taken: TakenTurn) {
        let Told { new, branch, text, is_output } = told;
        self.world.process(branch, new.floor_no.unwrap_or(i64::MAX) - 1, Mode::Stale(None), false);
        let floor = self.add_floor(taken.floor, branch, taken.floor_no, true);
        let page = self.add_page(taken.page, floor, (0, taken.page_version), is_output, text);
        self.world.activate(page);
        if is_output {
            self.world.take(page);
        }
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

    async fn swipe(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor().filter(|&floor| self.world.floors[floor].is_committed) else { return };
        let text = self.some_text();
        self.say(format!("swipe of floor {floor}: {text:?}"));
        let new = NewTurn { swipe_of: Some(self.floors[floor].clone()), ..self.new_turn("assistant", written(&text)) };
        let taken = runtime.take_turn(&self.account, new).await.unwrap();
        let Floor { branch, floor_no, .. } = self.world.floors[floor];
        self.world.process(branch, floor_no - 1, Mode::Stale(None), false);
        let last =
            self.world.pages.iter().filter(|page| page.is_alive && page.floor == floor).map(|page| page.slot).max();
        let slot = self.world.story_page(floor).map_or(last.unwrap_or(0), |page| self.world.pages[page].slot);
        let page = self.add_page(taken.page, floor, (slot, taken.page_version), true, text);
        self.world.activate(page);
        self.world.take(page);
    }

    async fn create_floor(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let is_committed = !self.dice.once_in(3);
        let floor_no = self.some_place(branch);
        let new = NewFloor {
            branch: Some(name(branch)),
            floor_no,
            state: if is_committed { FloorState::Committed } else { FloorState::Draft },
            ..NewFloor::of(self.session.clone())
        };
        let floor = runtime.create_floor(&self.account, new).await.unwrap();
        self.say(format!("floor {} number {} on branch {branch}", self.floors.len(), floor.floor_no));
        let at = self.add_floor(floor.id, branch, floor.floor_no, is_committed);
        self.put_page(runtime, at).await;
    }

    async fn create_page(&mut self, runtime: &Runtime) {
        if let Some(floor) = self.some_floor() {
            self.put_page(runtime, floor).await;
        }
    }

    async fn put_page(&mut self, runtime: &Runtime, floor: At) {
        let (slot, is_output) = (i64::from(self.dice.once_in(4)), !self.dice.once_in(4));
        let text = self.some_text();
        let new = NewPage {
            page_no: slot,
            kind: if is_output { PageKind::Output } else { PageKind::Input },
            is_active: !self.dice.once_in(3),
            content: Some(written(&text)),
            ..NewPage::of(self.floors[floor].clone())
        };
        let page = runtime.create_page(&self.account, new).await.unwrap();
        self.say(format!("page {} on floor {floor}, active {}: {text:?}", self.pages.len(), page.is_active));
        let at = self.add_page(page.id, floor, (slot, page.version), is_output, text);
        if page.is_active {
            self.world.activate(at);
        }
    }

    async fn commit(&mut self, runtime: &Runtime) {
        let drafts: Vec<At> =
            self.alive_floors().into_iter().filter(|&floor| !self.world.floors[floor].is_committed).collect();
        let Some(floor) = self.dice.pick(&drafts) else { return };
        self.say(format!("commit floor {floor}"));
        let id = &self.floors[floor];
        let generate = FloorStep::Generate { lease_ms: None, renew: false };
        runtime.move_floor(&self.account, id, generate).await.unwrap();
        runtime.move_floor(&self.account, id, FloorStep::Commit { page: None }).await.unwrap();
        self.world.floors[floor].is_committed = true;
        self.process_floor(floor);
    }

    fn process_floor(&mut self, floor: At) {
        let Floor { branch, floor_no, .. } = self.world.floors[floor];
        self.world.process(branch, floor_no, Mode::Stale(None), false);
    }

    async fn activate(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        self.say(format!("activate page {page}"));
        runtime.activate_page(&self.account, &self.pages[page]).await.unwrap();
        self.world.activate(page);
        self.process_floor(self.world.pages[page].floor);
    }

    async fn rewrite(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let text = self.some_text();
        self.say(format!("page {page} says {text:?}"));
        let patch = PagePatch { content: Some(Some(written(&text))), ..PagePatch::default() };
        runtime.update_page(&self.account, &self.pages[page], patch).await.unwrap();
        self.world.pages[page].text = text;
    }

    /// A reply is written on.
    async fn go_on(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let mut text = self.world.pages[page].text.clone();
        text.extend(self.some_text());
        self.say(format!("page {page} goes on to {text:?}"));
        let patch = PagePatch { content: Some(Some(written(&text))), ..PagePatch::default() };
        runtime.update_page(&self.account, &self.pages[page], patch).await.unwrap();
        self.world.pages[page].text = text;
    }

    async fn change_kind(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page() else { return };
        let is_output = !self.world.pages[page].is_output;
        self.say(format!("page {page} is output: {is_output}"));
        let kind = if is_output { PageKind::Mixed } else { PageKind::Input };
        let patch = PagePatch { kind: Some(kind), ..PagePatch::default() };
        runtime.update_page(&self.account, &self.pages[page], patch).await.unwrap();
        self.world.pages[page].is_output = is_output;
    }

    async fn move_floor(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor() else { return };
        let number = i64::try_from(self.dice.below(20)).unwrap();
        if !self.is_free(self.world.floors[floor].branch, number) {
            return;
        }
        self.say(format!("floor {floor} moves to {number}"));
        let patch = FloorPatch { floor_no: Some(number), metadata: None };
        runtime.update_floor(&self.account, &self.floors[floor], patch).await.unwrap();
        self.world.move_floor(floor, number);
    }

    async fn fork(&mut self, runtime: &Runtime) {
        let Some(floor) = self.some_floor().filter(|&floor| self.world.floors[floor].is_committed) else { return };
        let at = self.world.branches.len();
        self.say(format!("branch {at} from floor {floor}"));
        runtime.fork(&self.account, &self.floors[floor], Some(name(at))).await.unwrap();
        self.world.branches.push(Branch { source: Some(Source::Floor(floor)), is_alive: true });
    }

    async fn edit(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page().filter(|&page| self.world.pages[page].state.is_some()) else { return };
        // Only a page that shows its own state tells the name of its snapshot.
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        let Some(snapshot) = state.at.snapshot.filter(|_| !state.at.inherited) else { return };
        let document: Document =
            KEYS.iter().map(|&key| (key, i64::try_from(self.dice.below(1_000)).unwrap())).collect();
        self.say(format!("page {page} is edited: {document:?}"));
        runtime.edit_snapshot(&self.account, &snapshot, value(&document), Condition::None).await.unwrap();
        self.world.edit(page, document);
    }

    async fn drop_snapshot(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page().filter(|&page| self.world.pages[page].state.is_some()) else { return };
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        let Some(snapshot) = state.at.snapshot.filter(|_| !state.at.inherited) else { return };
        self.say(format!("the snapshot of page {page} is dropped"));
        runtime.delete_snapshot(&self.account, &snapshot, Condition::None).await.unwrap();
        self.world.pages[page].state = None;
    }

    /// Versions that nobody needs go, and nobody sees a difference.
    async fn collect(&mut self, runtime: &Runtime) {
        self.say("collect".into());
        runtime.purge().await.unwrap();
        if self.dice.once_in(4) {
            self.look_everywhere(runtime).await;
        }
    }

    async fn process(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let from = self.dice.once_in(3).then(|| i64::try_from(self.dice.below(10)).unwrap());
        let mode = match self.dice.below(4) {
            0 => Mode::All(from),
            1 => Mode::Latest,
            _ => Mode::Stale(from),
        };
        let overwrite = self.dice.once_in(4);
        self.say(format!("process branch {branch}: {mode:?}, overwrite {overwrite}"));
        let (wanted, from_floor) = match mode {
            Mode::Stale(from) => (tavernkeep_runtime::Mode::Stale, from),
            Mode::Latest => (tavernkeep_runtime::Mode::Latest, None),
            Mode::All(from) => (tavernkeep_runtime::Mode::All, from),
        };
        let order = ProcessOrder {
            branch: Some(name(branch)),
            from_floor,
            overwrite_edited: overwrite,
            ..ProcessOrder::of(wanted)
        };
        let dry = ProcessOrder { dry_run: true, ..order.clone() };
        let told = runtime.process(&self.account, &self.session, dry).await.unwrap();
        let done = runtime.process(&self.account, &self.session, order).await.unwrap();
        let counts = |report: &tavernkeep_runtime::ProcessReport| (report.processed, report.kept, report.unchanged);
        assert_eq!(counts(&told), counts(&done), "a dry run told otherwise after\n{}", self.said.join("\n"));
        self.world.process(branch, i64::MAX, mode, overwrite);
    }

    async fn delete(&mut self, runtime: &Runtime) {
        match self.dice.below(6) {
            0 => {
                let branch = self.some_branch();
                if branch != 0 {
                    self.say(format!("delete branch {branch}"));
                    runtime.delete_branch(&self.account, &self.session, &name(branch)).await.unwrap();
                    self.world.delete_branch(branch);
                }
            }
            1 | 2 => {
                let Some(floor) = self.some_floor() else { return };
                self.say(format!("delete floor {floor}"));
                runtime.delete_floors(&self.account, vec![self.floors[floor].clone()]).await.unwrap();
                self.world.delete_floor(floor);
            }
            _ => {
                let Some(page) = self.some_page() else { return };
                self.say(format!("delete page {page}"));
                runtime.delete_pages(&self.account, vec![self.pages[page].clone()]).await.unwrap();
                self.world.delete_page(page);
            }
        }
    }

    pub async fn look_everywhere(&mut self, runtime: &Runtime) {
        for page in 0..self.world.pages.len() {
            if self.world.pages[page].is_alive {
                self.look(runtime, page).await;
            }
        }
        for branch in 0..self.world.branches.len() {
            if self.world.branches[branch].is_alive {
                let name = name(branch);
                let state = runtime.newest_state(&self.account, &self.session, Some(&name)).await.unwrap();
                self.compare(&state, &self.world.newest(branch), &format!("branch {branch}"));
                history::look(runtime, &self.account, &self.session, &name, &KEYS).await;
            }
        }
    }

    async fn look(&mut self, runtime: &Runtime, page: At) {
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        self.compare(&state, &self.world.look(page), &format!("page {page}"));
    }

    fn compare(&self, state: &State, wanted: &Shown, place: &str) {
        let reason = |reason| match reason {
            StaleReason::Unprocessed => Reason::Unprocessed,
            StaleReason::TextChanged => Reason::TextChanged,
            StaleReason::ParentChanged => Reason::ParentChanged,
            StaleReason::EarlierStale => Reason::EarlierStale,
        };
        let at = &state.at;
        let shown = (state.document.to_json(), at.stale.map(reason), at.edited, at.inherited);
        let wanted = (value(&wanted.document).to_json(), wanted.stale, wanted.edited, wanted.inherited);
        assert_eq!(shown, wanted, "at {place} after\n{}", self.said.join("\n"));
        assert!(!at.outdated);
    }
}

fn value(document: &Document) -> Value {
    document.iter().map(|(&key, &number)| (key, Value::from(number))).collect()
}

fn written(text: &Text) -> String {
    let command = |command: &Command| match command {
        Command::Add(key, number) => format!("She nods. @.ADD(\"{key}\", {number});\n"),
        Command::Set(key, number) => format!("@.SET(\"{key}\", {number});\n"),
    };
    text.iter().map(command).collect()
}

fn name(branch: At) -> String {
    if branch == 0 { "main".into() } else { format!("b{branch}") }
}
