//! `kill -9` while a folder of SillyTavern is imported: every chat is there whole or not at all, and the next import brings what is
//! missing and leaves alone what is there.

use crate::campaign::Campaign;
use crate::random::Random;
use crate::support::log::Log;
use crate::support::place::said;
use crate::support::{Backend, Client, Place, Server, encode, undertaker};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

const CHARACTERS: usize = 2;
const CHATS: usize = 3;
/// More messages than are written in one transaction.
const LONG: usize = 700;

/// A user folder, and its chats by their names.
fn user_folder(at: &Path, random: &mut Random) -> BTreeMap<String, String> {
    let mut chats = BTreeMap::new();
    for character in 0..CHARACTERS {
        let name = format!("Hana {character}");
        let card = json!({"spec": "chara_card_v2", "data": {"name": name, "first_mes": "Hi.",
            "extensions": {"st_var_system": {"enabled": true, "templateBody": {"n": 1}}}}});
        let text = tavernkeep_engine::sillytavern::encode_base64(card.to_string().as_bytes());
        let png = tavernkeep_engine::sillytavern::png::blank();
        let png = tavernkeep_engine::sillytavern::png::with_card(&png, &[("chara", &text)]).expect("a dot has room");
        std::fs::create_dir_all(at.join("characters")).expect("a folder");
        std::fs::create_dir_all(at.join("chats").join(&name)).expect("a folder");
        std::fs::write(at.join("characters").join(format!("{name}.png")), png).expect("room");
        for number in 0..CHATS {
            let messages = if number == 1 { LONG } else { 1 + random.index(40) };
            let content = chat(messages, &random.text(40));
            std::fs::write(at.join("chats").join(&name).join(format!("{number}.jsonl")), &content).expect("room");
            chats.insert(format!("{name}/{number}"), content);
        }
    }
    chats
}

fn chat(messages: usize, word: &str) -> String {
    let header = json!({"chat_metadata": {"of": word}, "user_name": "unused", "character_name": "unused"});
    let message = |at: usize| {
        let text = format!("{word} @.ADD(\"n\", 1);");
        json!({"name": "Hana", "is_user": at % 2 == 1, "mes": text, "extra": {"at": at}})
    };
    let lines: Vec<String> = [header].into_iter().chain((0..messages).map(message)).map(|it| it.to_string()).collect();
    lines.join("\n")
}

fn lines(file: &str) -> Vec<Value> {
    file.lines().map(|line| serde_json::from_str(line).expect("a line of a chat is JSON")).collect()
}

/// Imports the folder and kills the process behind some lines that it says, and a moment later.
fn import_and_kill(place: &Place, folder: &Path, random: &mut Random) -> bool {
    let (files, delay) = (random.index(CHARACTERS * (CHATS + 1)), Duration::from_micros(random.below(400_000)));
    let mut command = place.command(&["import", folder.to_str().expect("a path"), "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program can be started");
    undertaker::born(&child);
    let log = Log::of(child.stdout.take().expect("its output is a pipe"));
    for _ in 0..files {
        log.wait_for(|_| Some(()));
    }
    // So that it meets any moment of an import, not only the one behind a line.
    std::thread::sleep(delay);
    child.kill().expect("it can be killed");
    let status = child.wait().expect("it can be waited for");
    undertaker::dead(&child);
    !status.success()
}

/// How many chats are there, each of them whole.
fn whole_chats(client: &Client, chats: &BTreeMap<String, String>) -> usize {
    let found = client.get("/sessions?limit=100").is(200).data();
    for session in found.as_array().expect("a list") {
        let (id, name) = (session["id"].as_str().expect("an id"), session["chat_file"].as_str().expect("a name"));
        let file = client.ask("GET", &format!("/sessions/{id}/export")).unrecorded().send();
        assert_eq!(lines(&file.is(200).text), lines(&chats[name]), "{name} is whole");
    }
    found.as_array().map_or(0, Vec::len)
}

#[test]
fn a_killed_import_leaves_whole_chats_and_the_next_one_completes_it() {
    let campaign = Campaign::begin("kills of imports");
    let mut random = campaign.random();
    for backend in Backend::BOTH {
        let place = Arc::new(backend.place());
        let folder = tempfile::tempdir().expect("a temporary folder");
        let chats = user_folder(folder.path(), &mut random);
        // The database is there: its beginning is looked at elsewhere.
        drop(Server::start_on(Arc::clone(&place)));
        let (mut killed, mut begun, mut partial) = (0, 0, 0);
        for _ in 0..campaign.faults {
            killed += u64::from(import_and_kill(&place, folder.path(), &mut random));
            let checked = place.output(&["check"]);
            assert!(checked.status.success(), "{}", said(&checked));
            let server = Server::start_on(Arc::clone(&place));
            let client = Client::new(&server, "default");
            let there = whole_chats(&client, &chats);
            begun += usize::from(there > 0 && there < chats.len());
            let jobs = client.get("/jobs").is(200).data();
            partial += usize::from(jobs.to_string().contains("import_session"));
            if there == chats.len() {
                for session in client.get("/sessions?limit=100").is(200).column("id") {
                    let id = session.as_str().expect("an id").to_owned();
                    client.delete(&format!("/sessions/{id}?permanent=true")).is(200);
                }
            }
        }
        let words = ["import", folder.path().to_str().expect("a path")];
        let output = place.output(&words);
        assert!(output.status.success(), "{}", said(&output));
        let again = place.output(&words);
        let unchanged = format!("0 created, 0 updated, {} unchanged, 0 not imported", chats.len() + CHARACTERS);
        assert!(said(&again).contains(&unchanged), "{}", said(&again));
        let server = Server::start_on(Arc::clone(&place));
        let client = Client::new(&server, "default");
        assert_eq!(whole_chats(&client, &chats), chats.len());
        client.get("/characters").is(200).has_meta("total", CHARACTERS);
        for name in chats.keys() {
            let found = client.get(&format!("/sessions?chat_file={}", encode(name))).is(200).data();
            let id = found[0]["id"].as_str().expect("one of this name").to_owned();
            let replies = chats[name].lines().count() / 2;
            let is_computed = |answer: &crate::support::Answer| answer.body["data"]["fresh"] == true;
            let state = client.until(&format!("/sessions/{id}/state"), is_computed);
            state.is(200).has("/state/n", 1 + replies);
        }
        campaign.report(&format!(
            "{backend:?}: {killed} kills, {begun} times some chats were there, {partial} times a part of one, hidden; all are there after the next import"
        ));
    }
}
