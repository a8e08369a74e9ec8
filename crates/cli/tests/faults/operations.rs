//! The operations of the load, one row each: how often it is chosen, and how it is made from what a client knows.

use crate::bin;
use crate::chat_files;
use crate::desks;
use crate::edits;
use crate::http::Request;
use crate::random::Random;
use crate::replies;
use crate::scenes;
use crate::story::{Mind, Step, Story};
use crate::support::encode;
use crate::support::tree::{self, merge};
use crate::tales;
use crate::things::Change;
use serde_json::{Value, json};

/// The session with the counter that all clients share.
pub const SHARED_SESSION: &str = "shared";
/// The counter, as an export names it.
pub const SHARED_COUNTER: &str = "shared variable total";

const SESSIONS_MAX: usize = 2;
const FLOORS_MAX: usize = 6;
const PAGES_MAX: usize = 4;
const BRANCHES_MAX: usize = 3;

/// A request and what it changes.
pub struct Made {
    pub request: Request,
    pub changes: Vec<Change>,
    /// What may be there already while not all of it is: stored before the rest, in transactions of their own.
    pub stages: Vec<Vec<Change>>,
    /// Whether it is answered even if only some of its stages could be stored.
    pub lags: bool,
}

impl Made {
    /// One that is there whole or not at all.
    pub fn new(request: Request, changes: Vec<Change>) -> Made {
        Made { request, changes, stages: Vec::new(), lags: false }
    }
}

pub struct Operation {
    pub name: &'static str,
    weight: u64,
    /// Makes one, unless what the client has does not allow it.
    make: fn(&mut Mind, &mut Random) -> Option<Made>,
}

/// The table. A new operation of the program is one row here.
pub const OPERATIONS: &[Operation] = &[
    Operation { name: "create session", weight: 2, make: create_session },
    Operation { name: "delete session", weight: 1, make: delete_session },
    Operation { name: "throw session away", weight: 3, make: bin::throw_session },
    Operation { name: "restore session", weight: 6, make: bin::restore_session },
    Operation { name: "purge session", weight: 1, make: bin::purge_session },
    Operation { name: "throw scene away", weight: 5, make: bin::throw_scene },
    Operation { name: "restore scene", weight: 12, make: bin::restore_scene },
    Operation { name: "purge scene", weight: 3, make: bin::purge_scene },
    Operation { name: "append floor", weight: 4, make: append_floor },
    Operation { name: "delete floor", weight: 2, make: delete_floor },
    Operation { name: "append page", weight: 4, make: append_page },
    Operation { name: "delete page", weight: 1, make: delete_page },
    Operation { name: "fork", weight: 2, make: fork },
    Operation { name: "delete branch", weight: 1, make: delete_branch },
    Operation { name: "append reply", weight: 3, make: replies::append_reply },
    Operation { name: "stage", weight: 6, make: replies::stage },
    Operation { name: "render", weight: 3, make: replies::render },
    Operation { name: "generate", weight: 1, make: replies::generate },
    Operation { name: "commit", weight: 3, make: replies::commit },
    Operation { name: "fail", weight: 1, make: replies::fail },
    Operation { name: "swipe", weight: 2, make: replies::swipe },
    Operation { name: "set", weight: 8, make: set },
    Operation { name: "delete variable", weight: 3, make: delete_variable },
    Operation { name: "set batch", weight: 6, make: set_batch },
    Operation { name: "delete batch", weight: 1, make: delete_batch },
    Operation { name: "increment", weight: 4, make: increment },
    Operation { name: "begin tale", weight: 3, make: tales::begin },
    Operation { name: "take turn", weight: 6, make: tales::take_turn },
    Operation { name: "take back", weight: 2, make: tales::take_back },
    Operation { name: "end tale", weight: 1, make: tales::end },
    Operation { name: "open scene", weight: 3, make: scenes::open },
    Operation { name: "swipe turn", weight: 5, make: scenes::swipe },
    Operation { name: "choose swipe", weight: 2, make: scenes::choose },
    Operation { name: "rewrite turn", weight: 3, make: scenes::rewrite },
    Operation { name: "process tale", weight: 3, make: scenes::process },
    Operation { name: "edit state", weight: 1, make: scenes::edit },
    Operation { name: "patch snapshot", weight: 1, make: edits::patch_snapshot },
    Operation { name: "patch page state", weight: 1, make: edits::patch_state },
    Operation { name: "redo", weight: 4, make: edits::redo },
    Operation { name: "take an edit back", weight: 3, make: edits::take_back },
    Operation { name: "sync tale", weight: 2, make: scenes::sync },
    Operation { name: "delete scene", weight: 1, make: scenes::delete },
    Operation { name: "fork scene", weight: 1, make: scenes::fork },
    Operation { name: "fork page", weight: 1, make: scenes::fork_page },
    Operation { name: "read tale", weight: 1, make: scenes::read },
    Operation { name: "open desk", weight: 3, make: desks::open },
    Operation { name: "register tools", weight: 6, make: desks::register },
    Operation { name: "call that writes", weight: 4, make: desks::write },
    Operation { name: "call that computes", weight: 2, make: desks::compute },
    Operation { name: "call of an application's tool", weight: 4, make: desks::hand_out },
    Operation { name: "call that asks", weight: 4, make: desks::ask },
    Operation { name: "result of a call", weight: 5, make: desks::answer },
    Operation { name: "decision about a call", weight: 6, make: desks::decide },
    Operation { name: "cancel a call", weight: 1, make: desks::cancel },
    Operation { name: "end desk", weight: 4, make: desks::end },
    Operation { name: "import chat", weight: 8, make: chat_files::import },
    Operation { name: "update chat", weight: 2, make: chat_files::update },
    Operation { name: "delete chat", weight: 1, make: chat_files::delete },
];

/// Draws from the table.
#[derive(Default)]
pub struct Mixed;

impl Story for Mixed {
    fn next(&mut self, mind: &mut Mind, random: &mut Random) -> Step {
        if random.once_in(8) {
            return increment_shared(random);
        }
        loop {
            let total = OPERATIONS.iter().map(|operation| operation.weight).sum();
            let mut drawn = random.below(total);
            let chosen = OPERATIONS.iter().find(|operation| {
                let found = drawn < operation.weight;
                drawn = drawn.saturating_sub(operation.weight);
                found
            });
            let operation = chosen.expect("the weights add up");
            if let Some(step) = operation.step(mind, random) {
                return step;
            }
        }
    }
}

impl Operation {
    /// One of this kind, if it is possible now.
    pub fn step(&self, mind: &mut Mind, random: &mut Random) -> Option<Step> {
        let Made { request, changes, stages, lags } = (self.make)(mind, random)?;
        Some(Step { stages, lags, ..Step::new(self.name, request, changes) })
    }
}

/// What must be there before the load begins.
pub fn prepare() -> Request {
    Request::post("/sessions", json!({"id": SHARED_SESSION}))
}

pub fn increment_shared(random: &mut Random) -> Step {
    let by = i64::try_from(random.between(1, 9)).expect("a small number");
    let body = merge(tree::chat(SHARED_SESSION), json!({"key": "total", "by": by}));
    let request = Request::post("/variables/increment", body);
    Step { shared: by, ..Step::new("increment shared", request, Vec::new()) }
}

fn put(name: String, value: impl Into<String>) -> Change {
    Change::Put(name, value.into())
}

fn one(ids: &[&str], random: &mut Random) -> Option<String> {
    random.pick(ids).map(|id| (*id).to_owned())
}

fn create_session(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    if mind.count("session", &mind.name) >= SESSIONS_MAX {
        return None;
    }
    let id = mind.fresh(&mind.name.clone(), 's');
    let title = random.text(20);
    let request = Request::post("/sessions", json!({"id": id, "title": title}));
    Some(Made::new(request, vec![put(format!("{id} session"), title)]))
}

fn delete_session(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = one(&mind.ids("session", |_| true), random)?;
    Some(Made::new(Request::delete(format!("/sessions/{id}?permanent=true")), vec![Change::RemoveTree(id)]))
}

fn append_floor(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let session = one(&mind.ids("session", |_| true), random)?;
    if mind.count("floor", &session) >= FLOORS_MAX {
        return None;
    }
    let id = mind.fresh(&session, 'f');
    let state = if random.once_in(3) { "committed" } else { "draft" };
    let request = Request::post("/floors", json!({"id": id, "session_id": session, "state": state}));
    Some(Made::new(request, vec![put(format!("{id} floor"), state)]))
}

fn delete_floor(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = one(&mind.ids("floor", |_| true), random)?;
    let mut changes = replies::leave_with_floor(mind, &id);
    changes.push(Change::RemoveTree(id.clone()));
    Some(Made::new(Request::delete(format!("/floors/{id}?permanent=true")), changes))
}

fn append_page(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| state == "draft"), random)?;
    if mind.count("page", &floor) >= PAGES_MAX {
        return None;
    }
    let id = mind.fresh(&floor, 'p');
    let content = long_or_short(random);
    let body = json!({"id": id, "floor_id": floor, "page_kind": "input", "content": content});
    Some(Made::new(Request::post("/pages", body), vec![put(format!("{id} page"), content)]))
}

fn delete_page(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = one(&mind.ids("page", |_| true), random)?;
    Some(Made::new(Request::delete(format!("/pages/{id}?permanent=true")), vec![Change::RemoveTree(id)]))
}

fn fork(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let floor = one(&mind.ids("floor", |state| state == "committed"), random)?;
    let (session, _) = floor.rsplit_once('.')?;
    if mind.count("branch", session) >= BRANCHES_MAX {
        return None;
    }
    let name = mind.fresh("b", 'b');
    let request = Request::post(format!("/floors/{floor}/branch"), json!({"branch_id": name}));
    Some(Made::new(request, vec![put(format!("{session}/{name} branch"), "")]))
}

fn delete_branch(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = one(&mind.ids("branch", |_| true), random)?;
    let (session, name) = id.split_once('/')?;
    let request = Request::delete(format!("/branches/{}?session_id={session}&permanent=true", encode(name)));
    Some(Made::new(request, vec![Change::RemoveTree(id)]))
}

/// A place for variables: its address for a request, and how names of variables on it begin.
struct Host {
    target: Value,
    id: Option<String>,
}

impl Host {
    fn name(&self, client: &str, key: &str) -> (String, String) {
        match &self.id {
            Some(id) => (key.to_owned(), format!("{id} variable {key}")),
            None => (format!("{client}.{key}"), format!("{client}.{key} variable")),
        }
    }
}

/// Hosts whose variables may be written, chosen at random.
fn host(mind: &Mind, random: &mut Random) -> Host {
    let mut hosts = vec![Host { target: tree::global(), id: None }];
    let mut add = |target: Value, id: &str| hosts.push(Host { target, id: Some(id.to_owned()) });
    for id in mind.ids("session", |_| true) {
        add(tree::chat(id), id);
        add(tree::branch(id, "main"), &format!("{id}/main"));
    }
    for id in mind.ids("branch", |_| true) {
        let (session, branch) = id.split_once('/').expect("a branch is of a session");
        add(tree::branch(session, branch), id);
    }
    for id in mind.ids("floor", |state| state == "draft") {
        add(tree::floor(id), id);
    }
    for id in mind.ids("page", |_| true).into_iter().filter(|id| is_open(mind, id)) {
        add(tree::page(id), id);
    }
    let chosen = random.index(hosts.len());
    hosts.swap_remove(chosen)
}

/// Whether the floor of a page is one whose variables may be written.
fn is_open(mind: &Mind, page: &str) -> bool {
    let floor = page.rsplit_once('.').map_or("", |(floor, _)| floor);
    mind.things.get(&format!("{floor} floor")).is_some_and(|state| state == "draft")
}

fn set(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let host = host(mind, random);
    let (key, name) = host.name(&mind.name, &format!("k{}", random.below(6)));
    let value = json!(long_or_short(random));
    let request = Request::put("/variables", merge(host.target, json!({"key": key, "value": value})));
    Some(Made::new(request, vec![put(name, value.to_string())]))
}

/// Ten variables on two hosts: half a batch would show.
fn set_batch(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let (first, second) = (host(mind, random), host(mind, random));
    let value = json!(random.text(40));
    let (mut items, mut changes) = (Vec::new(), Vec::new());
    for number in 0..10 {
        // Different keys, since both hosts may be the same.
        let host = if number % 2 == 0 { &first } else { &second };
        let (key, name) = host.name(&mind.name, &format!("batch{number}"));
        items.push(merge(host.target.clone(), json!({"key": key, "value": value})));
        changes.push(put(name, value.to_string()));
    }
    Some(Made::new(Request::put("/variables/batch", json!({"items": items})), changes))
}

fn increment(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let host = host(mind, random);
    // A fork counts on from what it inherits, which is not in mind here.
    if host.id.as_ref().is_some_and(|id| id.contains('/') && !id.ends_with("/main")) {
        return None;
    }
    let (key, name) = host.name(&mind.name, "count");
    let by = random.between(1, 100);
    let sum = mind.things.get(&name).map_or(0, |value| value.parse::<u64>().expect("a counter")) + by;
    let request = Request::post("/variables/increment", merge(host.target, json!({"key": key, "by": by})));
    Some(Made::new(request, vec![put(name, sum.to_string())]))
}

/// The variables of a client that are not locked and came from no reply: name and address.
fn variables(mind: &Mind) -> Vec<(String, Value)> {
    let address = |name: &str| -> Option<Value> {
        let (id, key) = name.split_once(" variable")?;
        let Some(key) = key.strip_prefix(' ') else { return Some(merge(tree::global(), json!({"key": id}))) };
        if replies::is_of_reply(key) {
            return None;
        }
        let floor = mind.things.get(&format!("{id} floor"));
        let target = match id.split_once('/') {
            Some((session, branch)) => tree::branch(session, branch),
            None if mind.things.contains_key(&format!("{id} session")) => tree::chat(id),
            None if floor.is_some() => (floor? == "draft").then(|| tree::floor(id))?,
            None => is_open(mind, id).then(|| tree::page(id))?,
        };
        Some(merge(target, json!({"key": key})))
    };
    mind.things.keys().filter_map(|name| Some((name.clone(), address(name)?))).collect()
}

fn delete_variable(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let all = variables(mind);
    let (name, target) = random.pick(&all)?;
    let members = target.as_object()?.iter();
    let query: Vec<String> =
        members.map(|(member, value)| format!("{member}={}", encode(value.as_str().unwrap_or_default()))).collect();
    Some(Made::new(Request::delete(format!("/variables?{}", query.join("&"))), vec![Change::Remove(name.clone())]))
}

fn delete_batch(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let mut all = variables(mind);
    let mut chosen = Vec::new();
    while !all.is_empty() && chosen.len() < 10 {
        chosen.push(all.swap_remove(random.index(all.len())));
    }
    let items: Vec<&Value> = chosen.iter().map(|(_, target)| target).collect();
    let request = Request::post("/variables/batch/delete", json!({"items": items}));
    let changes = chosen.iter().map(|(name, _)| Change::Remove(name.clone())).collect();
    (!chosen.is_empty()).then(|| Made::new(request, changes))
}

/// Mostly small; sometimes larger than a page of the database.
fn long_or_short(random: &mut Random) -> String {
    let bytes = if random.once_in(5) { random.between(2_000, 12_000) } else { random.between(1, 200) };
    random.text(usize::try_from(bytes).expect("a length"))
}
