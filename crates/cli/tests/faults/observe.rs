//! Everything that is stored, as an export of the account and the lists of staged writes tell it.

use crate::chat_files;
use crate::desks;
use crate::edits;
use crate::http::{Reply, Request, Wire};
use crate::replies::{BY_MACRO, value_of_reply, value_of_staged};
use crate::story::TRASHED;
use crate::tales::{OPENING, TITLE, value_of_answer, value_of_turn};
use crate::things::Things;
use serde_json::Value;

/// The request for everything.
pub fn request() -> Request {
    Request::get("/account/export")
}

/// Everything that is stored; nothing if the server cannot tell right now.
pub fn try_everything(wire: &Wire) -> Option<Things> {
    let mut things = match wire.send(&request()) {
        Reply::Answered(answer) if answer.is_success() => read(&answer.text),
        _ => return None,
    };
    let replies: Vec<String> = things.keys().filter_map(|name| Some(name.strip_suffix(" reply")?.to_owned())).collect();
    for reply in replies {
        match wire.send(&Request::get(format!("/pages/{reply}/variables/staged"))) {
            Reply::Answered(answer) if answer.is_success() => {
                let body = answer.body();
                let items = body["data"]["items"].as_array().expect("a list of staged writes");
                things.extend(items.iter().map(|item| staged(&reply, item)));
            }
            // Another client deleted it meanwhile.
            Reply::Answered(answer) if answer.status == 404 => {}
            _ => return None,
        }
    }
    for tale in tales(&things) {
        match wire.send(&Request::get(format!("/sessions/{tale}/state"))) {
            Reply::Answered(answer) if answer.is_success() => {
                things.insert(format!("{tale} state"), value_of_answer(&answer.body()["data"]));
            }
            Reply::Answered(answer) if answer.status == 404 => {}
            _ => return None,
        }
    }
    for chat in chat_files::ids(things.keys()) {
        match wire.send(&Request::get(format!("/sessions/{chat}/export"))) {
            Reply::Answered(answer) if answer.is_success() => {
                things.insert(format!("{chat} chat"), chat_files::value(&answer.text));
            }
            // Another client deleted it meanwhile.
            Reply::Answered(answer) if answer.status == 404 => {}
            _ => return None,
        }
    }
    add_forks(wire, &mut things)?;
    add_trash(wire, &mut things)?;
    Some(things)
}

/// Stands between the texts of a line.
pub const BETWEEN: &str = " | ";

/// The forks of tales among things, each with its session. Their copies of floors and pages have ids that only the server knows, so
/// what is said there is the value of the branch.
pub fn forks(things: &Things) -> Vec<String> {
    let tales = tales(things);
    let is_fork = |branch: &&str| {
        branch.split_once('/').is_some_and(|(session, _)| tales.iter().any(|tale| tale == session)) //
    };
    let branches = things.keys().filter_map(|name| name.strip_suffix(" branch"));
    branches.filter(is_fork).map(str::to_owned).collect()
}

/// Adds what is said on the forks of tales.
fn add_forks(wire: &Wire, things: &mut Things) -> Option<()> {
    for branch in forks(things) {
        let (tale, name) = branch.split_once('/')?;
        match wire.send(&Request::get(format!("/sessions/{tale}/transcript?branch_id={name}&limit=100"))) {
            Reply::Answered(answer) if answer.is_success() => {
                let body = answer.body();
                let floors = body["data"].as_array().expect("a list of floors").iter();
                let texts: Vec<&str> = floors.filter_map(|floor| floor["content"].as_str()).collect();
                things.insert(format!("{branch} branch"), texts.join(BETWEEN));
            }
            // Another client deleted it meanwhile.
            Reply::Answered(answer) if answer.status == 404 => {}
            _ => return None,
        }
    }
    Some(())
}

/// Name and value of what is in the trash; none for what a sync replaced, which is no part of a story.
pub fn trashed(session: &str, kind: &str) -> Option<(String, String)> {
    (kind != "sync").then(|| (format!("{session}{TRASHED}"), kind.to_owned()))
}

/// Adds what is in the trash.
fn add_trash(wire: &Wire, things: &mut Things) -> Option<()> {
    let mut offset = 0;
    loop {
        match wire.send(&Request::get(format!("/trash?limit=100&offset={offset}"))) {
            Reply::Answered(answer) if answer.is_success() => {
                let body = answer.body();
                for item in body["data"].as_array().expect("a list of items") {
                    let text = |name: &str| item[name].as_str().unwrap_or_default();
                    things.extend(trashed(text("session_id"), text("kind")));
                }
                if body["meta"]["has_more"] != true {
                    return Some(());
                }
                offset += 100;
            }
            _ => return None,
        }
    }
}

/// The tales among things.
pub fn tales(things: &Things) -> Vec<String> {
    things.keys().filter_map(|name| Some(name.strip_suffix(" tale")?.to_owned())).collect()
}

/// Everything that is stored.
#[track_caller]
pub fn everything(wire: &Wire) -> Things {
    try_everything(wire).expect("the server can tell")
}

/// Name and value of a staged write.
pub fn staged(page: &str, item: &Value) -> (String, String) {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let intent = if text("source_kind") == BY_MACRO { BY_MACRO } else { text("intent") };
    let value = value_of_staged(text("status"), intent, &item["value"].to_string());
    (format!("{page} staged {}", text("key")), value)
}

/// Whether a floor is a scene of a tale.
fn is_scene(id: &str) -> bool {
    id.rsplit_once('.').is_some_and(|(_, last)| last.starts_with('v'))
}

/// Reads the lines of an export.
pub fn read(lines: &str) -> Things {
    let mut things = Things::new();
    for line in lines.lines() {
        let Some((name, value)) = thing(&serde_json::from_str(line).expect("a line of an export is JSON")) else {
            continue;
        };
        // Nothing has two lines; a call that was made twice would.
        things.entry(name).and_modify(|before| *before = format!("{before} and {value}")).or_insert(value);
    }
    things
}

/// Name and value of one line; none for what the harness does not make.
fn thing(line: &Value) -> Option<(String, String)> {
    let data = &line["data"];
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    // Copies that a fork got when its source changed: what is said on forks is compared by their branches, and the story test
    // compares the rest.
    if ["id", "scope_id", "page_id"].iter().any(|name| text(name).contains("~~")) {
        return None;
    }
    if chat_files::came_from_file(data) && line["kind"] != "session" {
        return None;
    }
    match line["kind"].as_str()? {
        "session" if chat_files::is_imported(&text("title")) => Some((format!("{} chat", text("id")), String::new())),
        "session" if data["title"] == TITLE => Some((format!("{} tale", text("id")), String::new())),
        "session" if data["title"] == desks::TITLE => Some((format!("{} desk", text("id")), String::new())),
        "session" => Some((format!("{} session", text("id")), text("title"))),
        "call" => desks::exported_call(data),
        "scratchpad_variable" => desks::exported_variable(data),
        "tool_settings" => desks::exported_settings(data),
        // Every session has a `main`; `check` sees to that.
        "branch" if data["branch_id"] == "main" => None,
        "branch" => Some((format!("{}/{} branch", text("session_id"), text("branch_id")), String::new())),
        "floor" if is_scene(&text("id")) => Some((format!("{} scene", text("id")), text("state"))),
        "floor" => Some((format!("{} floor", text("id")), text("state"))),
        "page" if text("content").starts_with(OPENING) => {
            Some((format!("{} turn", text("id")), value_of_turn(&text("content"), data["is_active"] == true)))
        }
        "page" if data["page_kind"] == "output" => {
            Some((format!("{} reply", text("id")), value_of_reply(data["is_active"] == true)))
        }
        "page" => Some((format!("{} page", text("id")), text("content"))),
        "page_edits" => edits::exported(data),
        "variable" => {
            let value = data["value"].to_string();
            let host = match data["scope"].as_str()? {
                // Global keys differ by the client's name at their head.
                "global" => return Some((format!("{} variable", text("key")), value)),
                "branch" => {
                    let place = &data["scope_ref"];
                    format!("{}/{}", place["session_id"].as_str()?, place["branch_id"].as_str()?)
                }
                _ => text("scope_id"),
            };
            Some((format!("{host} variable {}", text("key")), value))
        }
        _ => None,
    }
}
