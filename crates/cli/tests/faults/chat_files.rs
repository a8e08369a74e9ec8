//! Chats that are imported: a whole session or none, and an update changes all of it.
//!
//! The messages get ids that only the server knows, so what is compared is the file that an export gives.

use crate::http::Request;
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::things::Change;
use serde_json::{Value, json};

/// How the title of every imported chat begins, which is the name of its file.
const TITLE: &str = "imported ";
/// Chats of one client at a time.
const CHATS_MAX: usize = 2;
/// Messages of one chat. Long ones, which are written in parts, are imported in `imports.rs`.
const MESSAGES_MAX: usize = 4;

/// Whether a session came from a file.
pub fn is_imported(title: &str) -> bool {
    title.starts_with(TITLE)
}

/// Whether a floor or a page came from a file.
pub fn came_from_file(data: &Value) -> bool {
    ["metadata", "extra"].iter().any(|name| data[*name]["sillytavern"].is_object())
}

/// The chats among the names of things.
pub fn ids<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    names.filter_map(|name| Some(name.strip_suffix(" chat")?.to_owned())).collect()
}

/// A chat file as it is kept among the things: how many messages, and what they say.
pub fn value(file: &str) -> String {
    let texts: Vec<String> = file
        .lines()
        .skip(1)
        .map(|line| {
            let message: Value = serde_json::from_str(line).expect("a line of a chat is JSON");
            message["mes"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    format!("{} messages: {}", texts.len(), texts.join(" | "))
}

fn file(messages: usize, word: &str) -> String {
    let header = json!({"chat_metadata": {}, "user_name": "unused", "character_name": "unused"});
    let message = |at: usize| {
        let text = format!("{word}. @.ADD(\"n\", {at});");
        json!({"name": "Hana", "is_user": at % 2 == 1, "mes": text, "extra": {"at": at}})
    };
    let lines: Vec<String> = [header].into_iter().chain((0..messages).map(message)).map(|it| it.to_string()).collect();
    lines.join("\n")
}

fn request(id: &str, content: &str, if_exists: &str) -> Request {
    let name = format!("Hana/{TITLE}{id}.jsonl");
    let body =
        json!({"file_name": name, "session_id": id, "content": content, "if_exists": if_exists, "max_deleted": 1_000});
    Request::post("/import", body)
}

/// A new chat.
pub fn import(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    if mind.count("chat", &mind.name) >= CHATS_MAX {
        return None;
    }
    let id = mind.fresh(&mind.name.clone(), 'i');
    let content = file(random.index(MESSAGES_MAX) + 1, &random.text(8));
    let changes = vec![Change::Put(format!("{id} chat"), value(&content))];
    Some(Made::new(request(&id, &content, "refuse"), changes))
}

/// The same file with other texts: stored first, and reported when what stands beside the texts is stored, too.
pub fn update(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = chat(mind, random)?;
    let content = file(random.index(MESSAGES_MAX) + 1, &random.text(8));
    let changes = vec![Change::Put(format!("{id} chat"), value(&content))];
    Some(Made { stages: vec![changes.clone()], ..Made::new(request(&id, &content, "update"), changes) })
}

pub fn delete(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = chat(mind, random)?;
    Some(Made::new(Request::delete(format!("/sessions/{id}?permanent=true")), vec![Change::RemoveTree(id)]))
}

fn chat(mind: &Mind, random: &mut Random) -> Option<String> {
    let chats = mind.ids("chat", |_| true);
    random.pick(&chats).map(|id| (*id).to_owned())
}
