//! `import` and `export` in a terminal, beside a server.

use super::terminal::{run, run_remote};
use crate::support::place::said;
use crate::support::{Backend, Place, Server};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tavernkeep_engine::limits::CHAT_FILE_BYTES_MAX;
use tavernkeep_engine::sillytavern::{encode_base64, png};

fn picture(card: &Value) -> Vec<u8> {
    let text = encode_base64(card.to_string().as_bytes());
    png::with_card(&png::blank(), &[("chara", &text)]).unwrap()
}

fn chat(count: i64) -> String {
    let header = json!({"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}).to_string();
    let message =
        |at: i64| json!({"name": "Hana", "is_user": false, "mes": format!("@.ADD(\"n\", {at});")}).to_string();
    [header].into_iter().chain((1..=count).map(message)).collect::<Vec<_>>().join("\n")
}

/// A user folder as SillyTavern keeps it.
fn user_folder(at: &Path) {
    for folder in ["characters", "chats/Hana", "chats/Yuki", "group chats", "worlds", "backups"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    let hana = json!({"spec": "chara_card_v2", "data": {"name": "Hana", "first_mes": "Hi.", "extensions": {"world": "Her world"}}});
    let book = json!({"entries": {"0": {"comment": "[initvar]", "content": "{\"n\": 100}"}}});
    fs::write(at.join("characters/Hana.png"), picture(&hana)).unwrap();
    fs::write(at.join("characters/broken.png"), b"\x89PNG\r\n\x1a\nno").unwrap();
    fs::write(at.join("worlds/Her world.json"), book.to_string()).unwrap();
    fs::write(at.join("worlds/Broken.json"), "{").unwrap();
    let selected = json!({"world_info_settings": {"world_info": {"globalSelect": ["Broken"]}}});
    fs::write(at.join("settings.json"), selected.to_string()).unwrap();
    fs::write(at.join("chats/Hana/one.jsonl"), chat(3)).unwrap();
    fs::write(at.join("chats/Hana/two.jsonl"), chat(2)).unwrap();
    fs::write(at.join("chats/Yuki/one.jsonl"), chat(1)).unwrap();
    fs::write(at.join("group chats/123.jsonl"), chat(1)).unwrap();
    fs::write(at.join("backups/chat_x.jsonl"), "no chat").unwrap();
}

#[test]
fn a_user_folder_is_imported_and_again_only_what_is_new() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("teller");
        client.case(&format!("{backend:?}"));
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join("data/default-user");
        user_folder(&user);
        let data = folder.path().join("data");
        let data = data.to_str().unwrap();
        let account = ["--account", client.account.as_str()];
        let import = |more: &[&str]| {
            let output = client.place().output(&[&["import", data], more, &account].concat());
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (code, text, complaints) = import(&["--dry-run"]);
        assert_eq!(code, Some(1), "{text}{complaints}");
        assert!(text.contains("character would be created: \"Hana\""), "{text}");
        assert!(text.contains("the world book \"Broken\" is not looked at: it is not JSON"), "{text}");
        assert!(text.contains("session would be created: \"Hana/one\", 3 messages"), "{text}");
        assert!(complaints.contains("broken.png: not imported: the picture is truncated"), "{complaints}");
        assert!(complaints.contains("would be 5 created, 0 updated, 0 unchanged, 1 not imported"), "{complaints}");
        client.get("/sessions").is(200).has_meta("total", 0);
        let (_, text, complaints) = import(&[]);
        assert!(complaints.contains("5 created, 0 updated, 0 unchanged, 1 not imported"), "{text}{complaints}");
        let session = |chat_file: &str| {
            let path = format!("/sessions?chat_file={}", crate::support::encode(chat_file));
            client.get(&path).is(200).data()[0].clone()
        };
        let one = session("Hana/one");
        assert!(one["character_id"].as_str().is_some_and(|id| id.starts_with("st.")), "{one}");
        let id = one["id"].as_str().unwrap();
        client.get(&format!("/sessions/{id}/state")).is(200).has("/state/n", 100);
        assert_eq!(session("group chats/123")["character_id"], Value::Null);
        fs::write(user.join("chats/Hana/two.jsonl"), chat(4)).unwrap();
        fs::remove_file(user.join("characters/broken.png")).unwrap();
        let (code, text, complaints) = import(&["--json"]);
        assert_eq!(code, Some(0), "{text}{complaints}");
        assert!(complaints.contains("0 created, 1 updated, 4 unchanged, 0 not imported"), "{text}{complaints}");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|line| line["report"]["kind"].is_string()), "{text}");
    }
}

#[test]
fn files_go_in_and_out_at_the_database_and_through_the_server() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("teller");
        client.case(&format!("{backend:?}"));
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(path("Hana - 1.jsonl"), chat(3)).unwrap();
        let text = run(&client, &["import", &path("Hana - 1.jsonl")]);
        assert!(text.contains("created: \"Hana - 1\", 3 messages"), "{text}");
        let again = client.place().output(&["import", &path("Hana - 1.jsonl"), "--account", &client.account]);
        assert_eq!(again.status.code(), Some(1), "{}", said(&again));
        let text = run_remote(&client, &["import", &path("Hana - 1.jsonl"), "--if-exists", "update"]);
        assert!(text.contains("unchanged: \"Hana - 1\""), "{text}");
        let text = run_remote(&client, &["import", &path("Hana - 1.jsonl"), "--if-exists", "copy"]);
        assert!(text.contains("\"Hana - 1 (2)\""), "{text}");
        let id = client.get("/sessions?chat_file=Hana%20-%201").is(200).data()[0]["id"].as_str().unwrap().to_owned();
        let (local, remote) = (path("local.jsonl"), path("remote.jsonl"));
        run(&client, &["export", "session", &id, "-o", &local]);
        run_remote(&client, &["export", "session", &id, "-o", &remote]);
        assert_eq!(fs::read_to_string(&local).unwrap(), fs::read_to_string(&remote).unwrap());
        assert_eq!(run(&client, &["export", "session", &id, "-o", "-"]), fs::read_to_string(&local).unwrap());
        assert_eq!(fs::read_to_string(&local).unwrap().lines().count(), 4);
        let unnamed = ["export", "session", &id, "--account", &client.account];
        client.place().run(&unnamed);
        let again = client.place().output(&unnamed);
        assert_eq!(again.status.code(), Some(1), "{}", said(&again));
        assert!(said(&again).contains("name a file that does not"), "{}", said(&again));
        client.post("/characters", json!({"id": "c", "name": "Yuki", "greetings": ["Hi."]})).is(201);
        let (local, remote) = (path("local.png"), path("remote.png"));
        run(&client, &["export", "character", "c", "-o", &local]);
        run_remote(&client, &["export", "character", "c", "-o", &remote]);
        assert_eq!(fs::read(&local).unwrap(), fs::read(&remote).unwrap());
        let text = run_remote(&client, &["import", &local]);
        assert!(text.contains("created: \"Yuki\""), "{text}");
        let card: Value =
            serde_json::from_str(&run(&client, &["export", "character", "c", "--format", "json", "-o", "-"])).unwrap();
        assert_eq!(card["data"]["name"], "Yuki");
    }
}

#[test]
fn a_file_may_be_as_large_as_the_limit_says_and_not_larger() {
    let place = Place::sqlite();
    let path = place.file("Hana - large.jsonl");
    let write = |length: usize| {
        let mut content = chat(2).into_bytes();
        content.resize(length, b' ');
        fs::write(&path, content).unwrap();
    };
    write(CHAT_FILE_BYTES_MAX);
    let text = place.run(&["import", path.to_str().unwrap()]);
    assert!(text.contains("created: \"Hana - large\", 2 messages"), "{text}");
    write(CHAT_FILE_BYTES_MAX + 1);
    let refused = place.output(&["import", path.to_str().unwrap(), "--if-exists", "copy"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains(&format!("larger than {CHAT_FILE_BYTES_MAX} bytes")), "{}", said(&refused));
    // A device has no length and no end.
    let endless = place.output(&["import", "/dev/zero"]);
    assert!(said(&endless).contains("larger than"), "{}", said(&endless));
}

#[test]
fn an_import_may_be_the_first_thing_that_is_done() {
    let place = Place::sqlite();
    let path = place.file("Hana - 1.jsonl");
    fs::write(&path, chat(3)).unwrap();
    let text = place.run(&["import", path.to_str().unwrap(), "--dry-run"]);
    assert!(text.contains("session would be created: \"Hana - 1\", 3 messages"), "{text}");
    assert!(!place.data().exists(), "a dry run makes no database");
    let text = place.run(&["import", path.to_str().unwrap()]);
    assert!(text.contains("created: \"Hana - 1\", 3 messages"), "{text}");
    let text = place.run(&["sessions"]);
    assert!(text.contains("Hana - 1"), "{text}");
}
