//! One conversation, sent step by step to both sides.

use crate::dice::Dice;
use crate::names::{Name, origin};
use crate::oracle::{At, Branch, Floor, Host, Intent, Page, Staged, State, World};
use crate::tree::{Spot, Swipe};
use std::collections::{BTreeMap, BTreeSet};
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::resolve::{Origin, Scoped, winners};
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::staging::{ConflictPolicy, SourceKind, StagedOp};
use tavernkeep_runtime::order::{
    FloorQuery, FloorStep, NewFloor, NewPage, NewSession, NewStagedWrite, PageQuery, Write,
};
use tavernkeep_runtime::record::{
    self, Condition, KeyFilter, Region, ResolveQuery, Target, Variable, VariableQuery, VariableSort, Window,
};
use tavernkeep_runtime::{Runtime, RuntimeError, RuntimeResult};

/// Everything there is.
const WINDOW: Window = Window { limit: 1_000, offset: 0, ascending: true, total: false };

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

pub struct Story<'a> {
    runtime: &'a Runtime,
    account: Id,
    session: Id,
    world: World,
    floors: Vec<Name>,
    pages: Vec<Name>,
    dice: Dice,
    said: Vec<String>,
}

impl<'a> Story<'a> {
    pub async fn begin(runtime: &'a Runtime, seed: u64) -> Story<'a> {
        let account = Runtime::default_account();
        let session: Id = format!("s{seed}").parse().unwrap();
        let new = NewSession { id: Some(session.clone()), ..NewSession::default() };
        runtime.create_session(&account, new).await.unwrap();
        // Values of other conversations' are still on the account; this one starts from what it has.
        let mut world = World::default();
        world.branches.push(Branch { brought: None, is_alive: true });
        let mut story = Story {
            runtime,
            account,
            session,
            world,
            floors: Vec::new(),
            pages: Vec::new(),
            dice: Dice(seed | 1 << 40),
            said: Vec::new(),
        };
        for key in KEYS {
            story.delete(Host::Global, key).await;
        }
        story
    }

    /// Does one thing on both sides; what the oracle refuses must be refused.
    pub async fn step(&mut self) {
        self.world.tick += 1;
        match self.dice.below(28) {
            0..=6 => self.put().await,
            7..=8 => {
                let (host, key) = (self.some_host(), self.some_key());
                self.delete(host, key).await;
            }
            9..=11 => self.create_floor().await,
            12..=13 => self.create_page().await,
            14..=16 => self.stage().await,
            17..=18 | 26 | 27 => self.move_floor().await,
            19 | 24 | 25 => self.fork().await,
            20 => self.activate().await,
            21 => self.commit_again().await,
            22 => self.look_somewhere().await,
            _ => self.delete_something().await,
        }
        self.learn().await;
        self.look_somewhere().await;
    }

    fn say(&mut self, what: String) {
        self.said.push(what);
    }

    fn some_key(&mut self) -> &'static str {
        KEYS[self.dice.below(KEYS.len())]
    }

    fn alive(&self, what: fn(&World) -> Vec<At>) -> Vec<At> {
        what(&self.world)
    }

    /// The floors that can be named.
    fn named_floors(&self) -> Vec<At> {
        self.alive(floors).into_iter().filter(|&floor| self.floors[floor].id.is_some()).collect()
    }

    fn floor_id(&self, floor: At) -> Id {
        self.floors[floor].id.clone().unwrap()
    }

    fn page_id(&self, page: At) -> Id {
        self.pages[page].id.clone().unwrap()
    }

    /// Learns the ids that copies got.
    async fn learn(&mut self) {
        for at in self.alive(floors) {
            if self.floors[at].id.is_some() {
                continue;
            }
            let branch = Some(branch_name(self.world.floors[at].branch));
            let query = FloorQuery { session: self.session.clone(), branch, state: None, window: WINDOW };
            let listed = self.runtime.floors(&self.account, query).await.unwrap().items;
            let Some(floor) = listed.into_iter().find(|floor| self.floors[at].may_be(&floor.id)) else { continue };
            assert_eq!(floor.floor_no, self.world.floors[at].floor_no, "after\n{}", self.said.join("\n"));
            let query =
                PageQuery { floor: floor.id.clone(), page_no: None, is_active: None, content: false, window: WINDOW };
            let listed = self.runtime.pages(&self.account, query).await.unwrap().items;
            let pages: Vec<At> =
                self.alive(pages).into_iter().filter(|&page| self.world.pages[page].floor == at).collect();
            assert_eq!(listed.len(), pages.len(), "pages of floor {at} after\n{}", self.said.join("\n"));
            for copy in pages {
                let page = listed.iter().find(|page| self.pages[copy].may_be(&page.id)).unwrap();
                assert_eq!(page.is_active, self.world.pages[copy].is_active);
                self.pages[copy].id = Some(page.id.clone());
            }
            self.floors[at].id = Some(floor.id);
        }
    }

    fn some_floor(&mut self) -> Option<At> {
        // The last ones are where things happen.
        let floors = self.named_floors();
        let recent = &floors[floors.len().saturating_sub(6)..];
        self.dice.pick(recent)
    }

    fn some_page(&mut self) -> Option<At> {
        let mut pages = self.alive(pages);
        pages.retain(|&page| self.pages[page].id.is_some());
        let recent = &pages[pages.len().saturating_sub(8)..];
        self.dice.pick(recent)
    }

    fn some_branch(&mut self) -> At {
        let branches = self.alive(branches);
        self.dice.pick(&branches).unwrap()
    }

    fn some_host(&mut self) -> Host {
        match self.dice.below(8) {
            0 => Host::Global,
            1 => Host::Chat,
            2..=4 => Host::Branch(self.some_branch()),
            5 | 6 => self.some_floor().map_or(Host::Chat, Host::Floor),
            _ => self.some_page().map_or(Host::Chat, Host::Page),
        }
    }

    /// Whether variables on the host may be put.
    fn is_open(&self, host: Host) -> bool {
        let floor = match host {
            Host::Floor(floor) => floor,
            Host::Page(page) => self.world.pages[page].floor,
            _ => return true,
        };
        matches!(self.world.floors[floor].state, State::Draft | State::Failed)
    }

    async fn put(&mut self) {
        let (host, key) = (self.some_host(), self.some_key());
        let value = i64::try_from(self.dice.below(1_000)).unwrap();
        self.say(format!("put {key}={value} on {host:?}"));
        // Sometimes two branches are written in the same moment.
        let other = Host::Branch(self.some_branch());
        let both = self.dice.below(3) == 0 && other != host;
        let hosts = if both { vec![host, other] } else { vec![host] };
        let write = |host: &Host| {
            let target = Target { host: self.host(*host), key: key.parse().unwrap() };
            Write { target, value: JsonText::from_i64(value), condition: Condition::None }
        };
        let answer = self.runtime.put_variables(&self.account, hosts.iter().map(write).collect()).await;
        if self.agree(self.is_open(host), answer.is_ok(), &answer) {
            hosts.into_iter().for_each(|host| self.world.write(host, key, Some(value), None));
        }
    }

    async fn delete(&mut self, host: Host, key: &'static str) {
        self.say(format!("delete {key} on {host:?}"));
        let there = match host {
            Host::Branch(branch) => self.world.on_branch(branch, key).is_some(),
            host => self.world.value(host, key).is_some(),
        };
        let target = Target { host: self.host(host), key: key.parse().unwrap() };
        let answer = self.runtime.delete_target(&self.account, target, Condition::None).await;
        if self.world.tick == 0 {
            return;
        }
        if self.agree(self.is_open(host) && there, answer.is_ok(), &answer) {
            self.world.write(host, key, None, None);
        }
    }

    async fn create_floor(&mut self) {
        let branch = self.some_branch();
        let at = self.world.floors.len();
        let new = NewFloor {
            id: Some(floor_id(&self.session, at)),
            branch: Some(branch_name(branch)),
            ..NewFloor::of(self.session.clone())
        };
        let floor = self.runtime.create_floor(&self.account, new).await.unwrap();
        self.say(format!("floor {at} number {} on branch {branch}", floor.floor_no));
        let floor_no = floor.floor_no;
        self.floors.push(Name::of(floor.id));
        self.world.floors.push(Floor {
            spot: Spot { branch, floor_no, is_alive: true },
            state: State::Draft,
            committed: None,
        });
    }

    async fn create_page(&mut self) {
        let Some(floor) = self.some_floor() else { return };
        let at = self.world.pages.len();
        let slot = i64::from(self.dice.below(4) == 0);
        let is_output = self.dice.below(5) != 0;
        let wanted = self.dice.below(3) != 0;
        let new = NewPage {
            id: Some(page_id(&self.session, at)),
            page_no: slot,
            kind: if is_output { PageKind::Output } else { PageKind::Input },
            is_active: wanted,
            ..NewPage::of(self.floor_id(floor))
        };
        let page = self.runtime.create_page(&self.account, new).await.unwrap();
        self.say(format!("page {at} on floor {floor}, slot {slot}, active {}", page.is_active));
        let swipe = Swipe::new(floor, (slot, page.version), is_output);
        self.pages.push(Name::of(page.id));
        self.world.pages.push(Page { swipe, committed: None, staged: BTreeMap::new() });
        if page.is_active {
            self.world.activate(at);
        }
    }

    async fn stage(&mut self) {
        let Some(page) = self.some_page() else { return };
        let key = self.some_key();
        let value = (self.dice.below(4) != 0).then(|| i64::try_from(self.dice.below(1_000)).unwrap());
        let intent = [Intent::Page, Intent::Floor, Intent::Floor, Intent::Branch, Intent::Chat][self.dice.below(5)];
        let if_absent = self.dice.below(4) == 0;
        self.say(format!("stage {key}={value:?} on page {page}, {intent:?}, if absent {if_absent}"));
        use tavernkeep_engine::staging::Intent as Wanted;
        let new = NewStagedWrite {
            key: key.parse().unwrap(),
            op: if value.is_some() { StagedOp::Set } else { StagedOp::Delete },
            value: value.map(JsonText::from_i64),
            intent: match intent {
                Intent::Page => Wanted::PageOnly,
                Intent::Floor => Wanted::PromoteToFloor,
                Intent::Branch => Wanted::PromoteToBranch,
                Intent::Chat => Wanted::PromoteToChat,
            },
            policy: if if_absent { ConflictPolicy::IfAbsent } else { ConflictPolicy::Replace },
            source_kind: SourceKind::Tool,
            reason: None,
            source: None,
            evidence: None,
        };
        let answer = self.runtime.stage_write(&self.account, &self.page_id(page), new).await;
        let floor = &self.world.floors[self.world.pages[page].floor];
        let may = match floor.state {
            State::Draft | State::Generating => true,
            State::Committed => self.world.pages[page].committed.is_none(),
            State::Failed => false,
        };
        if self.agree(may, answer.is_ok(), &answer) {
            self.world.pages[page].staged.insert(key, Staged { value, intent, if_absent });
        }
    }

    async fn move_floor(&mut self) {
        let Some(floor) = self.some_floor() else { return };
        let (step, next) = match (self.world.floors[floor].state, self.dice.below(6)) {
            (State::Draft, 0) | (State::Generating, 0) => (FloorStep::Fail, State::Failed),
            (State::Draft, _) => (FloorStep::Generate { lease_ms: None, renew: false }, State::Generating),
            (State::Generating, _) => (FloorStep::Commit { page: None }, State::Committed),
            _ => return,
        };
        self.say(format!("floor {floor} becomes {next:?}"));
        self.runtime.move_floor(&self.account, &self.floor_id(floor), step).await.unwrap();
        match next {
            State::Committed => {
                let page = self.output_of(floor);
                self.world.commit(floor, page);
            }
            State::Failed => self.world.discard(floor),
            _ => {}
        }
        self.world.floors[floor].state = next;
    }

    /// The active output page of the last slot.
    fn output_of(&self, floor: At) -> Option<At> {
        let pages = &self.world.pages;
        self.alive(pages_of_world)
            .into_iter()
            .filter(|&at| pages[at].floor == floor && pages[at].is_active && pages[at].is_output)
            .max_by_key(|&at| pages[at].slot)
    }

    async fn commit_again(&mut self) {
        let Some(page) = self.some_page() else { return };
        let floor = self.world.pages[page].floor;
        if self.world.floors[floor].state != State::Committed {
            return;
        }
        self.say(format!("commit page {page} of floor {floor}"));
        let may = self.world.pages[page].is_active && self.world.pages[page].committed.is_none();
        let step = FloorStep::Commit { page: Some(self.page_id(page)) };
        let answer = self.runtime.move_floor(&self.account, &self.floor_id(floor), step).await;
        if self.agree(may, answer.is_ok(), &answer) {
            self.world.commit(floor, Some(page));
        }
    }

    async fn fork(&mut self) {
        let Some(floor) = self.some_floor() else { return };
        let at = self.world.branches.len();
        self.say(format!("branch {at} from floor {floor}"));
        let name = Some(branch_name(at));
        let answer = self.runtime.fork(&self.account, &self.floor_id(floor), name).await;
        let may = self.world.floors[floor].state == State::Committed;
        if self.agree(may, answer.is_ok(), &answer) {
            let (floors, pages) = self.world.fork(floor);
            Name::copies(&mut self.floors, &floors);
            Name::copies(&mut self.pages, &pages);
        }
    }

    async fn activate(&mut self) {
        let Some(page) = self.some_page() else { return };
        self.say(format!("activate page {page}"));
        self.runtime.activate_page(&self.account, &self.page_id(page)).await.unwrap();
        if !self.world.pages[page].is_active {
            self.world.activate(page);
        }
    }

    async fn delete_something(&mut self) {
        match self.dice.below(6) {
            0 | 1 => {
                let branches: Vec<At> = self.alive(branches).into_iter().filter(|&branch| branch != 0).collect();
                let Some(branch) = self.dice.pick(&branches) else { return };
                self.say(format!("delete branch {branch}"));
                let name = branch_name(branch);
                self.runtime.delete_branch(&self.account, &self.session, &name).await.unwrap();
                self.world.delete_branch(branch);
            }
            2 | 3 => {
                let floors: BTreeSet<At> = [self.some_floor(), self.some_floor()].into_iter().flatten().collect();
                self.say(format!("delete floors {floors:?}"));
                let ids = floors.iter().map(|&floor| self.floor_id(floor)).collect();
                self.runtime.delete_floors(&self.account, ids).await.unwrap();
                floors.into_iter().for_each(|floor| self.world.delete_floor(floor));
            }
            _ => {
                let pages: BTreeSet<At> = [self.some_page(), self.some_page()].into_iter().flatten().collect();
                self.say(format!("delete pages {pages:?}"));
                let ids = pages.iter().map(|&page| self.page_id(page)).collect();
                self.runtime.delete_pages(&self.account, ids).await.unwrap();
                pages.into_iter().for_each(|page| self.world.delete_page(page));
            }
        }
    }

    async fn look_somewhere(&mut self) {
        let lineage = self.dice.below(2) == 0;
        match self.dice.below(4) {
            0 => {
                let branch = self.some_branch();
                self.look(Some(branch), None, None, lineage).await;
            }
            1 => {
                let Some(floor) = self.some_floor() else { return };
                self.look(Some(self.world.floors[floor].branch), Some(floor), None, lineage).await;
            }
            2 => {
                let Some(page) = self.some_page() else { return };
                let floor = self.world.pages[page].floor;
                self.look(Some(self.world.floors[floor].branch), Some(floor), Some(page), lineage).await;
            }
            _ => {
                let host = self.some_host();
                self.list(host).await;
            }
        }
    }

    pub async fn look_everywhere(&mut self) {
        for lineage in [false, true] {
            self.look(None, None, None, lineage).await;
            for branch in self.alive(branches) {
                self.look(Some(branch), None, None, lineage).await;
            }
            for floor in self.named_floors() {
                self.look(Some(self.world.floors[floor].branch), Some(floor), None, lineage).await;
            }
        }
        for branch in self.alive(branches) {
            self.list(Host::Branch(branch)).await;
        }
    }

    async fn look(&mut self, branch: Option<At>, floor: Option<At>, page: Option<At>, lineage: bool) {
        let query = ResolveQuery {
            session: self.session.clone(),
            branch: branch.map(branch_name),
            floor: floor.map(|floor| self.floor_id(floor)),
            page: page.map(|page| self.page_id(page)),
            keys: KeyFilter::Any,
            lineage,
        };
        let resolved = self.runtime.resolve(&self.account, query).await.unwrap();
        let own = resolved.rows.into_iter().map(|variable| Row(variable, true));
        let rows = own.chain(resolved.before.into_iter().map(|before| Row(before.variable, false))).collect();
        let shown: Vec<_> = winners(rows)
            .into_iter()
            .map(|Row(variable, _)| {
                (variable.key.to_string(), place(&variable.host), variable.value.as_str().to_owned())
            })
            .collect();
        let wanted: Vec<_> = self
            .world
            .resolve(branch, floor, page, lineage)
            .into_iter()
            .map(|(key, (host, value))| (key.to_owned(), self.place(host), value.to_string()))
            .collect();
        let from = format!("branch {branch:?}, floor {floor:?}, page {page:?}, lineage {lineage}");
        assert_eq!(shown, wanted, "seen from {from} after\n{}", self.said.join("\n"));
    }

    async fn list(&mut self, host: Host) {
        let query = VariableQuery {
            region: Region::Hosts(vec![self.host(host)]),
            keys: KeyFilter::Any,
            updated_since: None,
            sort: VariableSort::Key,
            window: Window { limit: 100, offset: 0, ascending: true, total: true },
        };
        let listed = self.runtime.variables(&self.account, query).await.unwrap();
        let shown: BTreeMap<_, _> = listed
            .items
            .iter()
            .map(|variable| (variable.key.to_string(), variable.value.as_str().parse::<i64>().unwrap()))
            .collect();
        let wanted: BTreeMap<_, _> =
            self.world.own(host).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        // A branch that outlived the one it came from holds as its own what it inherited.
        let held = match host {
            Host::Branch(_) => shown.iter().filter(|(key, _)| wanted.contains_key(*key)).map(own_pair).collect(),
            _ => shown.clone(),
        };
        assert_eq!(held, wanted, "listed on {host:?} after\n{}", self.said.join("\n"));
        assert_eq!(listed.total, Some(i64::try_from(shown.len()).unwrap()), "the kept count of {host:?}");
    }

    /// Whether it happened, as the oracle says it should.
    fn agree<T>(&self, should: bool, did: bool, answer: &RuntimeResult<T>) -> bool {
        let trouble = answer.as_ref().err();
        let refused = trouble.is_none_or(|error| matches!(error, RuntimeError::Refused(_)));
        assert!(refused && should == did, "{trouble:?}, should it happen: {should}, after\n{}", self.said.join("\n"));
        did
    }

    /// Where a value stands. A floor that a branch shares counts as the copy that it is.
    fn place(&self, host: Host) -> String {
        match host {
            Host::Floor(at) => format!("floor {}", self.floors[at].origin()),
            Host::Page(at) => format!("page {}", self.pages[at].origin()),
            host => place(&self.host(host)),
        }
    }

    fn host(&self, host: Host) -> record::Host {
        match host {
            Host::Global => record::Host::Global,
            Host::Chat => record::Host::Chat(self.session.clone()),
            Host::Branch(at) => record::Host::Branch(self.session.clone(), branch_name(at)),
            Host::Floor(at) => record::Host::Floor(self.floor_id(at)),
            Host::Page(at) => record::Host::Page(self.page_id(at)),
        }
    }
}

fn place(host: &record::Host) -> String {
    match host {
        record::Host::Floor(id) => format!("floor {}", origin(id)),
        record::Host::Page(id) => format!("page {}", origin(id)),
        host => format!("{host:?}"),
    }
}

fn own_pair((key, value): (&String, &i64)) -> (String, i64) {
    (key.clone(), *value)
}

struct Row(Variable, bool);

impl Scoped for Row {
    fn key(&self) -> &str {
        Key::as_str(&self.0.key)
    }

    fn scope(&self) -> Scope {
        self.0.host.scope()
    }

    fn origin(&self) -> Origin {
        if self.1 { Origin::Own } else { Origin::Before }
    }
}

fn branches(world: &World) -> Vec<At> {
    (0..world.branches.len()).filter(|&at| world.branches[at].is_alive).collect()
}

fn floors(world: &World) -> Vec<At> {
    (0..world.floors.len()).filter(|&at| world.floors[at].is_alive).collect()
}

fn pages(world: &World) -> Vec<At> {
    pages_of_world(world)
}

fn pages_of_world(world: &World) -> Vec<At> {
    (0..world.pages.len()).filter(|&at| world.pages[at].is_alive).collect()
}

fn branch_name(at: At) -> String {
    if at == 0 { "main".into() } else { format!("b{at}") }
}

fn floor_id(session: &Id, at: At) -> Id {
    format!("{session}.f{at}").parse().unwrap()
}

fn page_id(session: &Id, at: At) -> Id {
    format!("{session}.p{at}").parse().unwrap()
}
