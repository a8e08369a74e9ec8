//! Sessions whose tools are called: variables written by a call, a sum computed by one, tools of an application that are handed out,
//! answered and given up, and approvals.
//!
//! A desk's title distinguishes it from other sessions. Every call names a number of its own, so a call that was lost, or made
//! twice by a request that was sent twice, shows in the journal. What writes a variable happens in the transaction of its call.

use crate::http::{Request, approval_of, open_call_of};
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::things::Change;
use serde_json::{Value, json};

/// The title of every desk.
pub const TITLE: &str = "a desk";

const CALLS_MAX: usize = 12;
/// The group of the application, and its tools: one that runs at once and one that a person is asked about.
const GROUP: &str = "app";
const FETCH: &str = "Fetch";
const ASK: &str = "Ask";
const WRITE: &str = "WriteVar";
const SUM: &str = "calculate";

/// What must be there before the first desk: groups that are enabled from the beginning.
pub fn prepare() -> Request {
    Request::put("/tools/defaults", json!({"groups": {"vars": true, "basic": true, GROUP: true}}))
}

/// The name of a call among the things.
fn name_of_call(desk: &str, tool: &str, number: &str) -> String {
    format!("{desk} call {tool} {number}")
}

/// A call of an export. A sum is made when its row is there: whether it is done is another transaction, and a server inside of this
/// process has no tools but those of the scratchpad.
pub fn exported_call(data: &Value) -> Option<(String, String)> {
    let (desk, tool, status) = (data["session_id"].as_str()?, data["tool"].as_str()?, data["status"].as_str()?);
    let args = &data["args"];
    let number = match tool {
        WRITE => args["name"].as_str()?,
        SUM => args["expression"].as_str()?.split(' ').next()?,
        _ => args["n"].as_str()?,
    };
    let status = match (tool, status) {
        (SUM, "running" | "interrupted" | "success" | "not_found") => "made",
        _ => status,
    };
    Some((name_of_call(desk, tool, number), status.to_owned()))
}

/// A variable of a scratchpad; none for those that the program makes.
pub fn exported_variable(data: &Value) -> Option<(String, String)> {
    let text = |name: &str| data[name].as_str();
    (text("type")? == "LLMAdd").then_some(())?;
    Some((format!("{} pad {}", text("session_id")?, text("name")?), text("value")?.to_owned()))
}

/// Whether the application has registered its tools.
pub fn exported_settings(data: &Value) -> Option<(String, String)> {
    let is_registered = data["registered"].as_array()?.iter().any(|group| group["name"] == GROUP);
    is_registered.then_some(())?;
    Some((format!("{} tools", data["session_id"].as_str()?), GROUP.to_owned()))
}

/// A client's desk.
struct Desk {
    id: String,
    has_tools: bool,
    calls: usize,
    /// The name and the status of the one call that waits for a person or the application.
    open: Option<(String, String)>,
}

impl Desk {
    fn of(mind: &Mind) -> Option<Desk> {
        let id = mind.ids("desk", |_| true).first().map(|id| (*id).to_owned())?;
        let things = mind.tree(&id);
        let calls: Vec<_> = things.iter().filter(|(name, _)| name.starts_with(&format!("{id} call "))).collect();
        let open = calls.iter().find(|(_, status)| status.starts_with("awaiting"));
        Some(Desk {
            has_tools: things.contains_key(&format!("{id} tools")),
            calls: calls.len(),
            open: open.map(|(name, status)| ((*name).clone(), (*status).clone())),
            id,
        })
    }

    fn with_room(mind: &Mind) -> Option<Desk> {
        Desk::of(mind).filter(|desk| desk.calls < CALLS_MAX)
    }

    /// A call of a tool, and what it changes beside its own row.
    fn call(&self, tool: &str, args: Value, number: &str, status: &str, others: Vec<Change>) -> Made {
        let request = Request::post(format!("/sessions/{}/calls", self.id), json!({"tool": tool, "args": args}));
        let mut changes = vec![Change::Put(name_of_call(&self.id, tool, number), status.to_owned())];
        changes.extend(others);
        // The answer is read behind the write; if that fails it says that the call may stand.
        Made { stages: vec![changes.clone()], ..Made::new(request, changes) }
    }

    /// A request about the open call if it waits like that, and what becomes of it.
    fn moved(&self, status: &str, request: Request, to: &str) -> Option<Made> {
        let (name, _) = self.open.as_ref().filter(|(_, found)| found == status)?;
        let changes = vec![Change::Put(name.clone(), to.to_owned())];
        Some(Made { stages: vec![changes.clone()], ..Made::new(request, changes) })
    }
}

pub fn open(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    if Desk::of(mind).is_some() {
        return None;
    }
    let id = mind.fresh(&mind.name.clone(), 'd');
    let request = Request::post("/sessions", json!({"id": id, "title": TITLE}));
    Some(Made::new(request, vec![Change::Put(format!("{id} desk"), String::new())]))
}

pub fn register(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let desk = Desk::of(mind).filter(|desk| !desk.has_tools)?;
    let tool = |name: &str, policy: &str| {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "string"}}});
        let function = json!({"name": name, "description": "Does it.", "parameters": parameters});
        json!({"definition": {"type": "function", "function": function}, "permission": {"executionPolicy": policy}})
    };
    let body = json!({"name": GROUP, "tools": [tool(FETCH, "auto"), tool(ASK, "ask-always")]});
    let request = Request::post(format!("/sessions/{}/tools/groups", desk.id), body);
    Some(Made::new(request, vec![Change::Put(format!("{} tools", desk.id), GROUP.to_owned())]))
}

/// The call and its variable are there together.
pub fn write(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let desk = Desk::with_room(mind)?;
    let (number, value) = (number(mind, &desk), random.below(1_000_000).to_string());
    let variable = Change::Put(format!("{} pad {number}", desk.id), value.clone());
    Some(desk.call(WRITE, json!({"name": number, "value": value}), &number, "success", vec![variable]))
}

pub fn compute(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let desk = Desk::with_room(mind)?;
    let number = number(mind, &desk);
    let expression = format!("{number} + {}", random.below(1_000));
    Some(desk.call(SUM, json!({"expression": expression}), &number, "made", Vec::new()))
}

pub fn hand_out(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let desk = Desk::with_room(mind).filter(|desk| desk.has_tools && desk.open.is_none())?;
    let number = number(mind, &desk);
    Some(desk.call(FETCH, json!({"n": number}), &number, "awaiting_client", Vec::new()))
}

pub fn ask(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let desk = Desk::with_room(mind).filter(|desk| desk.has_tools && desk.open.is_none())?;
    let number = number(mind, &desk);
    Some(desk.call(ASK, json!({"n": number}), &number, "awaiting_approval", Vec::new()))
}

pub fn answer(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let desk = Desk::of(mind)?;
    let (status, body) = match random.once_in(4) {
        true => ("error", json!({"status": "error", "error": "no such thing"})),
        false => ("success", json!({"status": "success", "data": {"found": random.below(1_000)}})),
    };
    desk.moved("awaiting_client", Request::post(format!("/calls/{}/result", open_call_of(&desk.id)), body), status)
}

pub fn decide(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let desk = Desk::of(mind)?;
    let approved = !random.once_in(3);
    let request = Request::post(format!("/approvals/{}", approval_of(&desk.id)), json!({"approved": approved}));
    desk.moved("awaiting_approval", request, if approved { "awaiting_client" } else { "execution_rejected" })
}

pub fn cancel(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let desk = Desk::of(mind)?;
    let (_, status) = desk.open.clone()?;
    let request = Request::post(format!("/calls/{}/cancel", open_call_of(&desk.id)), json!({}));
    desk.moved(&status, request, "cancelled")
}

pub fn end(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let desk = Desk::of(mind).filter(|desk| desk.calls >= CALLS_MAX)?;
    Some(Made::new(Request::delete(format!("/sessions/{}?permanent=true", desk.id)), vec![Change::RemoveTree(desk.id)]))
}

/// A number that no other call of the client has.
fn number(mind: &mut Mind, desk: &Desk) -> String {
    let id = mind.fresh(&desk.id, 'n');
    id.rsplit_once(".n").map_or_else(|| id.clone(), |(_, number)| number.to_owned())
}
