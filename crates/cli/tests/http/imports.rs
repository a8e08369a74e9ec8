//! Chats of SillyTavern, in and out. The files below `cases/sillytavern` go through the real route.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};
use std::path::PathBuf;
use tavernkeep_engine::limits::{IMPORT_BODY_BYTES_MAX, SYNC_FLOORS_MAX};
use tavernkeep_engine::sillytavern::encode_base64;

/// The files of the corpus with this ending.
pub(super) fn corpus(kind: &str, ending: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/sillytavern").join(kind);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

/// The sentence of an error that the file beside expects.
pub(super) fn expected_error(path: &std::path::Path) -> Option<String> {
    let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
    expected.strip_prefix("error: ").map(|error| error.trim_end().to_owned())
}

impl Client {
    /// Imports any bytes.
    pub(super) fn import(&self, name: &str, content: &[u8], more: Value) -> Answer {
        let body = json!({"file_name": name, "content_base64": encode_base64(content)});
        self.post("/import", crate::support::tree::merge(body, more))
    }

    /// A chat as it is exported, line by line.
    #[track_caller]
    fn exported(&self, session: &str) -> Vec<Value> {
        let file = self.ask("GET", &format!("/sessions/{session}/export?format=sillytavern")).unrecorded().send();
        file.is(200).text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn lines(file: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(file);
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
}

/// A chat with so many messages.
fn long_chat(messages: usize) -> String {
    let header = json!({"chat_metadata": {"integrity": "a"}, "user_name": "unused", "character_name": "unused"});
    let message = |at: usize| match at % 2 {
        0 => json!({"name": "Hana", "is_user": false, "mes": format!("Yes. @.ADD(\"n\", {at});"), "extra": {"at": at}}),
        _ => {
            json!({"name": "Ann", "is_user": true, "mes": format!("And {at}?"), "send_date": "2025-01-02T03:04:05.678Z"})
        }
    };
    let all: Vec<String> =
        [header].into_iter().chain((0..messages).map(message)).map(|line| line.to_string()).collect();
    all.join("\n")
}

#[test]
fn every_chat_of_the_corpus_comes_back_as_it_was() {
    both(|client| {
        let (mut imported, files) = (0, corpus("chats", "jsonl"));
        assert!(files.len() >= 40, "{}", files.len());
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let content = std::fs::read(&path).unwrap();
            client.case(&name);
            let answer = client.import(&name, &content, json!({}));
            if let Some(error) = expected_error(&path) {
                answer.refused(422, "import_unreadable").saying(&error);
                continue;
            }
            imported += 1;
            let report = answer.is(201).data();
            let session = report["session_id"].as_str().expect("a session").to_owned();
            let written = client.exported(&session);
            let mut original = lines(&content);
            if original.first().is_some_and(|first| first.get("mes").is_some() || first.get("swipes").is_some()) {
                assert_eq!(written[0]["user_name"], "unused", "{name}: a header is made");
                original.insert(0, written[0].clone());
            }
            assert_eq!(written.len(), original.len(), "{name}");
            for (at, (original, written)) in original.iter().zip(&written).enumerate() {
                // What JSON of ours cannot hold was put right, and a remark says so.
                assert!(
                    original == written || original.is_null() || report["remarks_count"] != 0,
                    "{name} line {at}:\n{original}\n{written}"
                );
            }
            let file = client.ask("GET", &format!("/sessions/{session}/export")).unrecorded().send();
            let again = client.import(&name, file.is(200).text.as_bytes(), json!({"if_exists": "update"}));
            again.is(200).has("/session_id", session.as_str());
            assert!(client.exported(&session) == written, "{name}: again");
            let third = client.import(&name, file.text.as_bytes(), json!({"if_exists": "update"}));
            third.is(200).has("/outcome", "unchanged");
        }
        client.get("/sessions?limit=1").is(200).has_meta("total", imported);
        client.get("/jobs").is(200).has_meta("total", 0);
    });
}

#[test]
fn a_chat_that_is_there_is_refused_updated_or_copied() {
    both(|client| {
        let chat = long_chat(6);
        client.case("a dry run creates nothing");
        let tried = client.import("Hana/evening.jsonl", chat.as_bytes(), json!({"dry_run": true}));
        tried.is(200).has("/outcome", "created").has("/dry_run", true).has("/chat/messages", 6);
        client.get("/sessions").is(200).has_meta("total", 0);
        client.case("then it is created, under the name that the extension uses");
        let first = client.import("chats/Hana/evening.jsonl", chat.as_bytes(), json!({"session_id": "s"}));
        first.is(201).has("/name", "Hana/evening").has("/processed/processed", 3);
        client.get("/sessions/s").is(200).has("/chat_file", "Hana/evening").has("/title", "evening");
        client.get("/sessions/s/state").is(200).has("/state/n", 6);
        client.case("a floor has the date of its message");
        let floors = client.get("/floors?session_id=s&sort_order=asc").is(200).column("created_at");
        assert_eq!(floors[1], 1_735_787_045_678_i64);
        client.case("the same file again");
        client
            .import("Hana/evening.jsonl", chat.as_bytes(), json!({}))
            .refused(409, "import_exists")
            .says("Hana/evening");
        let same = client.import("Hana/evening.jsonl", chat.as_bytes(), json!({"if_exists": "update"}));
        same.is(200).has("/outcome", "unchanged").has("/updated/unchanged", 6).has("/session_id", "s");
        client.case("a chat of the same name of another character is another one");
        client.import("Yuki/evening.jsonl", chat.as_bytes(), json!({})).is(201).has("/name", "Yuki/evening");
        client.case("a copy gets a name of its own");
        let copy = client.import("Hana/evening.jsonl", chat.as_bytes(), json!({"if_exists": "copy"}));
        copy.is(201).has("/name", "Hana/evening (2)");
        client.case("a file that went on");
        let more = long_chat(9);
        let tried =
            client.import("Hana/evening.jsonl", more.as_bytes(), json!({"if_exists": "update", "dry_run": true}));
        tried.is(200).has("/outcome", "updated").has("/updated/created", 3);
        client.get("/sessions/s/state").is(200).has("/state/n", 6);
        let updated = client.import("Hana/evening.jsonl", more.as_bytes(), json!({"if_exists": "update"}));
        updated.is(200).has("/outcome", "updated").has("/updated/created", 3).has("/updated/unchanged", 6);
        client.get("/sessions/s/state").is(200).has("/state/n", 20);
        assert_eq!(client.exported("s"), lines(more.as_bytes()));
        client.case("only what stands beside the texts has changed");
        let hidden = more.replacen("\"is_user\":false", "\"is_user\":false,\"is_system\":true", 1);
        let updated = client.import("Hana/evening.jsonl", hidden.as_bytes(), json!({"if_exists": "update"}));
        updated.is(200).has("/outcome", "updated").has("/updated/unchanged", 9).has("/chat/hidden", 1);
        assert_eq!(client.exported("s"), lines(hidden.as_bytes()));
        client.case("much that would be deleted is refused, and nothing is done");
        let fewer = long_chat(1);
        let refused = client.import("Hana/evening.jsonl", fewer.as_bytes(), json!({"if_exists": "update"}));
        refused.refused(409, "sync_deletes");
        assert_eq!(client.exported("s").len(), 10);
        let body = json!({"if_exists": "update", "max_deleted": 8});
        let updated = client.import("Hana/evening.jsonl", fewer.as_bytes(), body);
        updated.is(200).has("/updated/deleted", 8);
        assert!(updated.headers.contains_key("x-trash-id") || updated.body["data"]["updated"]["trash_id"].is_string());
    });
}

#[test]
fn a_long_chat_is_there_all_at_once() {
    both(|client| {
        let chat = long_chat(1_200);
        let report = client.import("Hana/long.jsonl", chat.as_bytes(), json!({"session_id": "long"}));
        report.is(201).has("/chat/messages", 1200);
        assert_eq!(client.exported("long"), lines(chat.as_bytes()));
        client.get("/floors?session_id=long&limit=1").is(200).has_meta("total", 1200);
        client.get("/account").is(200).has("/quotas/sessions/used", 1);
        client.case("a name that is taken leaves nothing behind");
        client.import("Hana/other.jsonl", chat.as_bytes(), json!({"session_id": "long"})).refused(409, "id_taken");
        client.get("/sessions").is(200).has_meta("total", 1);
        client.get("/account").is(200).has("/quotas/sessions/used", 1);
        client.case("it goes on as any other");
        client.delete("/sessions/long").is(200);
        client.get("/sessions").is(200).has_meta("total", 0);
    });
}

#[test]
fn ten_thousand_messages_are_imported_and_one_more_than_may_be_is_refused() {
    both(|client| {
        let body = json!({"file_name": "a/b.jsonl", "content": long_chat(10_000), "session_id": "s"});
        let answer = client.ask("POST", "/import").json(body).unrecorded().send();
        // A busy machine may need longer than a request may take; the import goes on.
        assert!(answer.status == 201 || answer.code() == Some("write_pending"), "{}", answer.text);
        client.until("/sessions?limit=1", |answer| answer.body["meta"]["total"] == 1).is(200);
        let found = client.ask("GET", "/sessions/s/export").unrecorded().send();
        assert_eq!(found.is(200).text.lines().count(), 10_001);
        let more = long_chat(SYNC_FLOORS_MAX + 1);
        let refused =
            client.ask("POST", "/import").json(json!({"file_name": "a/c.jsonl", "content": more})).unrecorded().send();
        refused.refused(413, "import_too_large").says("20000 messages");
        client.get("/sessions").is(200).has_meta("total", 1);
    });
}

#[test]
fn states_of_mvu_are_compared_and_kept() {
    both(|client| {
        let message = |text: &str, state: Value| {
            let variables = json!([{"stat_data": state, "schema": {"type": "object", "properties": {}}}]);
            json!({"name": "Hana", "is_user": false, "mes": text, "variables": variables}).to_string()
        };
        let set = |path: &str, from: i64, to: i64| {
            format!("<UpdateVariable>_.set('{path}',{from},{to});//x</UpdateVariable>")
        };
        let chat = [
            json!({"chat_metadata": {}, "user_name": "Ann", "character_name": "Hana"}).to_string(),
            message("Hello.", json!({"hp": 10, "gold": 0})),
            message(&set("hp", 10, 8), json!({"hp": 8, "gold": 0})),
            message("Somebody gave her gold.", json!({"hp": 8, "gold": 5})),
            message(&set("hp", 8, 7), json!({"hp": 8, "gold": 5})),
            message(&set("gold", 5, 6), json!({"hp": 8, "gold": 6})),
        ]
        .join("\n");
        let report = client.import("Hana/mvu.jsonl", chat.as_bytes(), json!({"session_id": "s"}));
        report.is(201).has("/chat/states", 5).has("/processed/states/compared", 5);
        report.has("/processed/states/differing", 3).has("/processed/states/kept", 3);
        let found = |at: usize, name: &str| report.data()["processed"]["states"]["differences"][at][name].clone();
        assert_eq!((found(0, "floor_no"), found(0, "cause")), (json!(0), json!("first_state")));
        assert_eq!(
            (found(1, "floor_no"), found(1, "path"), found(1, "cause")),
            (json!(2), json!("/gold"), json!("elsewhere"))
        );
        assert_eq!((found(1, "ours"), found(1, "theirs")), (json!("0"), json!("5")));
        assert_eq!(
            (found(2, "floor_no"), found(2, "path"), found(2, "cause")),
            (json!(3), json!("/hp"), json!("not_there"))
        );
        client.get("/sessions/s").is(200).has("/profile/base", "mvu");
        client.case("the story goes on from what the player had");
        client.get("/sessions/s/state").is(200).has("/state", json!({"hp": 8, "gold": 6}));
        let page =
            report.data()["processed"]["states"]["differences"][2]["page_id"].as_str().expect("a page").to_owned();
        let edits = client.get(&format!("/pages/{page}/edits"));
        assert!(
            edits.is(200).data()[0]["reason"].as_str().is_some_and(|reason| reason.contains("/hp")),
            "{}",
            edits.text
        );
        client.turn("s", &set("hp", 8, 3)).is(201);
        client.get("/sessions/s/state").is(200).has("/state", json!({"hp": 3, "gold": 6}));
        client.case("and comes back with the states of what was played since");
        let written = client.exported("s");
        assert_eq!(written[..6], lines(chat.as_bytes())[..]);
        assert_eq!(written[6]["variables"][0]["stat_data"], json!({"hp": 3, "gold": 6}));
        client.case("or ours count");
        let body = json!({"session_id": "t", "states": "recompute"});
        let report = client.import("Hana/ours.jsonl", chat.as_bytes(), body);
        report.is(201).has("/processed/states/kept", 0).has("/processed/states/compared", 5);
        client.get("/sessions/t/state").is(200).has("/state/hp", Value::Null);
    });
}

#[test]
fn a_chat_finds_its_character() {
    both(|client| {
        let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Hana", "first_mes": "Hi.",
            "extensions": {"st_var_system": {"enabled": true, "templateBody": {"n": 100}}}}});
        let made =
            client.import("characters/Hana.png.json", card.to_string().as_bytes(), json!({"file_name": "Hana.json"}));
        let character = made.is(201).data()["character_id"].clone();
        client.case("by the folder");
        let found = client.import("Hana/one.jsonl", long_chat(3).as_bytes(), json!({"session_id": "one"}));
        found.is(201).has("/character_id", character.clone());
        client.get("/sessions/one/state").is(200).has("/state/n", 102);
        client.case("by the beginning of the name");
        let found = client.import("Hana - 2025-01-02.jsonl", long_chat(3).as_bytes(), json!({}));
        found.is(201).has("/character_id", character.clone()).has("/name", "Hana/Hana - 2025-01-02");
        client.case("by its id");
        let found = client.import("x.jsonl", long_chat(3).as_bytes(), json!({"character_id": character}));
        found.is(201).has("/character_id", character).has("/name", "x");
        client.case("or has none");
        client.import("y.jsonl", long_chat(3).as_bytes(), json!({})).is(201).has("/character_id", Value::Null);
        let refused = client.import("z.jsonl", long_chat(3).as_bytes(), json!({"character_id": "nobody"}));
        refused.refused(404, "character_not_found");
        client.get("/sessions").is(200).has_meta("total", 4);
    });
}

#[test]
fn a_form_says_the_same_as_json() {
    both(|client| {
        let form = |parts: &[(&str, &str)]| {
            let part = |(head, content): &(&str, &str)| {
                format!("--X\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
            };
            let body = parts.iter().map(part).collect::<String>() + "--X--\r\n";
            client.ask("POST", "/import").text("multipart/form-data; boundary=X", body).send()
        };
        let chat = long_chat(2);
        let file = ("name=\"file\"; filename=\"雪/a.jsonl\"", chat.as_str());
        let tried = form(&[file, ("name=\"dry_run\"", "true")]);
        tried.is(200).has("/name", "雪/a").has("/dry_run", true);
        let made = form(&[
            file,
            ("name=\"session_id\"", "s"),
            ("name=\"if_exists\"", "update"),
            ("name=\"max_deleted\"", "3"),
        ]);
        made.is(201).has("/session_id", "s").has("/chat/messages", 2);
        form(&[file, ("name=\"profile\"", "mvu"), ("name=\"if_exists\"", "copy")]).is(201).has("/name", "雪/a (2)");
        client.case("what is wrong is named");
        form(&[("name=\"kind\"", "chat")]).invalid_by("/file", "required");
        form(&[file, file]).invalid_by("/file", "maxItems");
        form(&[file, ("name=\"if_exists\"", "never")]).invalid_at("/if_exists");
        form(&[file, ("name=\"color\"", "red")]).invalid_at("/color");
        form(&[file, ("name=\"book\"", "{")]).invalid_at("/book");
        form(&[file, ("name=\"max_deleted\"", "many")]).invalid_at("/max_deleted");
        let broken = client.ask("POST", "/import").text("multipart/form-data; boundary=X", "--X\r\n").send();
        broken.refused(400, "malformed_json");
        client.ask("POST", "/import").text("text/plain", "a").send().refused(415, "unsupported_media_type");
        client.post("/import", json!({"file_name": "a.jsonl"})).invalid("content");
        client.post("/import", json!({"content": "a", "content_base64": "YQ=="})).invalid_at("/content_base64");
        client.post("/import", json!({"content_base64": "?"})).invalid_at("/content_base64");
        client.get("/sessions").is(200).has_meta("total", 2);
    });
}

#[test]
fn hostile_names_and_sizes_are_refused_or_harmless() {
    both(|client| {
        let chat = long_chat(1);
        client.case("a path is no path here");
        client.import("../../../etc/passwd.jsonl", chat.as_bytes(), json!({})).is(201).has("/name", "etc/passwd");
        client.import("..\\..\\boot.jsonl", chat.as_bytes(), json!({})).is(201).has("/name", "boot");
        client.import(&format!("{}.jsonl", "雪".repeat(1_300)), chat.as_bytes(), json!({})).is(201);
        client.import("nul\u{0}\u{7}.jsonl", chat.as_bytes(), json!({})).is(201);
        client.import("", chat.as_bytes(), json!({})).is(201).has("/name", "Hana");
        client.case("a file that is larger than a body may be");
        let large = vec![b' '; IMPORT_BODY_BYTES_MAX + 1];
        client.ask("POST", "/import").bytes(large).unrecorded().send().refused(413, "payload_too_large");
        client.case("deep nesting");
        let deep = format!("{{\"mes\":\"a\",\"extra\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        client.import("deep.jsonl", deep.as_bytes(), json!({})).refused(422, "import_unreadable");
        client.case("a message that repeats itself to be large is stored as it is");
        let wide = json!({"mes": "a".repeat(1_000_000), "name": "Hana"}).to_string();
        client
            .ask("POST", "/import")
            .json(json!({"file_name": "wide.jsonl", "content": wide}))
            .unrecorded()
            .send()
            .is(201);
    });
}

#[test]
fn a_repeated_request_imports_once() {
    both(|client| {
        let body = json!({"file_name": "Hana/once.jsonl", "content": long_chat(3)});
        let send = || client.ask("POST", "/import").header("idempotency-key", "k").json(body.clone()).send();
        let first = send().is(201).data();
        let again = send();
        assert_eq!(again.is(201).data(), first);
        assert_eq!(again.header("idempotency-replayed"), "true");
        client.get("/sessions").is(200).has_meta("total", 1);
    });
}
