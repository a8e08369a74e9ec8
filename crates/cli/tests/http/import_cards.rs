//! Character cards, in and out.

use super::imports::{corpus, expected_error};
use crate::support::{Client, both};
use serde_json::{Value, json};
use tavernkeep_engine::limits::{CARD_JSON_BYTES_MAX, PNG_CHUNKS_MAX};
use tavernkeep_engine::sillytavern::{encode_base64, png};

impl Client {
    /// A character as a card in JSON.
    #[track_caller]
    fn card(&self, id: &str) -> Value {
        let file = self.ask("GET", &format!("/characters/{id}/export?format=json")).unrecorded().send();
        serde_json::from_str(&file.is(200).text).expect("JSON")
    }

    /// A character as a picture.
    fn picture(&self, id: &str) -> Vec<u8> {
        let response = self.ask("GET", &format!("/characters/{id}/export")).response();
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "image/png");
        response.bytes().expect("a picture").to_vec()
    }
}

/// A picture with a card.
fn picture_of(card: &Value) -> Vec<u8> {
    let text = encode_base64(card.to_string().as_bytes());
    png::with_card(&png::blank(), &[("chara", &text)]).expect("a picture")
}

fn card(name: &str) -> Value {
    json!({"spec": "chara_card_v2", "spec_version": "2.0", "name": name, "my_key": [1, {"a": null}],
        "data": {"name": name, "description": "d", "personality": "", "scenario": "", "first_mes": "Good evening.",
            "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "tags": ["x"],
            "creator": "me", "character_version": "1", "alternate_greetings": ["Hi.", "Yes?"],
            "extensions": {"fav": true, "world": "", "other_extension": {"deep": [1, 2]},
                "st_var_system": {"enabled": true, "templateBody": {"hp": 10}, "unknown": 7, "functions": [
                    {"name": "heal", "type": "active", "pattern": "@\\.HEAL\\((\\d+)\\);", "executor": "snapshot.hp += Number(args[0]); return snapshot;"}]}}}})
}

#[test]
fn every_card_of_the_corpus_comes_back_as_it_was() {
    both(|client| {
        let (mut imported, files) = (0, corpus("cards", "json"));
        assert!(files.len() >= 20, "{}", files.len());
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let content = std::fs::read(&path).unwrap();
            client.case(&name);
            let answer = client.import(&name, &content, json!({}));
            if let Some(error) = expected_error(&path) {
                answer.refused(422, "import_unreadable").saying(&error);
                continue;
            }
            imported += 2;
            let id = answer.is(201).data()["character_id"].as_str().expect("an id").to_owned();
            let character = client.get(&format!("/characters/{id}")).is(200).data();
            let written = client.card(&id);
            let picture = client.picture(&id);
            let copy = client.import(&name.replace(".json", ".png"), &picture, json!({"if_exists": "copy"}));
            let copy = copy.is(201).data()["character_id"].as_str().expect("an id").to_owned();
            let other = client.get(&format!("/characters/{copy}")).is(200).data();
            for field in ["name", "enabled", "profile", "template", "greetings"] {
                assert_eq!(other[field], character[field], "{name} {field}");
            }
            let unversioned = |mut card: Value| {
                card["spec"] = Value::Null;
                card["spec_version"] = Value::Null;
                card
            };
            assert_eq!(unversioned(client.card(&copy)), unversioned(written), "{name}");
        }
        client.get("/characters?limit=1").is(200).has_meta("total", imported);
    });
}

#[test]
fn a_card_becomes_a_character_and_comes_back_with_what_was_changed() {
    both(|client| {
        let original = card("Hana");
        let made = client.import("Hana.png", &picture_of(&original), json!({}));
        made.is(201)
            .has("/kind", "card")
            .has("/card", json!({"greetings": 3, "functions": 1, "template": true, "image": true}));
        let id = made.data()["character_id"].as_str().expect("an id").to_owned();
        assert!(id.starts_with("st.") && id.len() == 27, "{id}");
        let character = client.get(&format!("/characters/{id}"));
        character.is(200).has("/name", "Hana").has("/template/hp", 10).has("/greetings/2", "Yes?");
        character.has("/functions/0/name", "heal").has("/functions/0/enabled", true);
        client.case("unchanged it comes back as it was, whatever else it has");
        let written = client.card(&id);
        assert_eq!((&written["data"], &written["my_key"]), (&original["data"], &original["my_key"]));
        assert_eq!(written["first_mes"], "Good evening.", "programs that know version 1 alone find it, too");
        let picture = client.picture(&id);
        assert!(png::card_text(&picture).is_ok());
        client.case("its chats are played with its functions");
        client.post("/sessions", json!({"id": "s", "character_id": id, "greetings": []})).is(201);
        client.turn("s", "@.HEAL(5);").is(201);
        client.get("/sessions/s/state").is(200).has("/state/hp", 15);
        client.case("what changed here is written over it, and nothing else");
        client.patch(&format!("/characters/{id}"), json!({"template": {"hp": 20}, "greetings": ["Hello."]})).is(200);
        let written = client.card(&id);
        assert_eq!(written["data"]["first_mes"], "Hello.");
        assert_eq!(written["data"]["extensions"]["st_var_system"]["templateBody"], json!({"hp": 20}));
        assert_eq!(written["data"]["extensions"]["st_var_system"]["unknown"], 7);
        assert_eq!(written["data"]["extensions"]["other_extension"], original["data"]["extensions"]["other_extension"]);
        assert_eq!(written["my_key"], original["my_key"]);
        client.case("the same card again");
        client.import("Hana.png", &picture_of(&original), json!({})).refused(409, "import_exists").says("Hana");
        let same = client.import("Hana.png", &picture_of(&original), json!({"if_exists": "update"}));
        same.is(200).has("/outcome", "unchanged");
        client.get(&format!("/characters/{id}")).is(200).has("/template/hp", 20);
        client.case("another card under the same name of the file");
        let mut other = original.clone();
        other["data"]["name"] = "Hana the second".into();
        let tried = client.import("Hana.png", &picture_of(&other), json!({"if_exists": "update", "dry_run": true}));
        tried.is(200).has("/outcome", "updated");
        client.get(&format!("/characters/{id}")).is(200).has("/name", "Hana");
        let updated = client.import("Hana.png", &picture_of(&other), json!({"if_exists": "update"}));
        updated.is(200).has("/outcome", "updated").has("/character_id", id.as_str());
        client.get(&format!("/characters/{id}")).is(200).has("/name", "Hana the second").has("/template/hp", 10);
        let copy = client.import("Hana.png", &picture_of(&other), json!({"if_exists": "copy"}));
        assert_ne!(copy.is(201).data()["character_id"], json!(id));
        client.get("/characters").is(200).has_meta("total", 2);
        client.case("the export of the account has the card");
        let export = client.ask("GET", "/account/export").unrecorded().send();
        let lines = export.is(200).text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let cards: Vec<Value> = lines.filter(|line| line["kind"] == "character_card").collect();
        assert_eq!(cards.len(), 2);
        assert_eq!((&cards[0]["data"]["character_id"], &cards[0]["data"]["card"]), (&json!(id), &other));
        assert!(cards[0]["data"]["image_base64"].is_string());
        client.case("a character that goes to the trash takes its card along");
        client.delete(&format!("/characters/{id}")).is(200);
        client.get(&format!("/characters/{id}/export")).refused(404, "character_not_found");
    });
}

#[test]
fn a_character_that_was_made_here_becomes_a_card() {
    both(|client| {
        client
            .post(
                "/characters",
                json!({"id": "c", "name": "Yuki", "template": {"gold": 1}, "greetings": ["Hi."], "profile": "mvu"}),
            )
            .is(201);
        let made = client.import("Yuki.png", &client.picture("c"), json!({}));
        let copy = made.is(201).data()["character_id"].as_str().expect("an id").to_owned();
        let shown = client.get(&format!("/characters/{copy}"));
        shown
            .is(200)
            .has("/name", "Yuki")
            .has("/template", json!({"gold": 1}))
            .has("/profile", "mvu")
            .has("/greetings", json!(["Hi."]));
        client.get("/characters/c/export?format=svg").invalid_at("/format");
        client.get("/characters/nobody/export").refused(404, "character_not_found");
        client.get("/sessions/nobody/export").refused(404, "session_not_found");
        client.post("/sessions", json!({"id": "s"})).is(201);
        client.get("/sessions/s/export?branch_id=none").refused(404, "branch_not_found");
        client.get("/sessions/s/export?format=word").invalid_at("/format");
    });
}

#[test]
fn first_states_come_from_world_books_and_what_is_wrong_is_named() {
    both(|client| {
        let plain = json!({"spec": "chara_card_v2", "data": {"name": "Hana", "first_mes": "Hi.", "extensions": {}}});
        let book = json!({"entries": {"0": {"uid": 0, "comment": "[InitVar]", "content": "hp: 7\nname: '{{char}}'"}}});
        let made = client.import("Hana.json", plain.to_string().as_bytes(), json!({"books": [book]}));
        let id = made.is(201).data()["character_id"].as_str().expect("an id").to_owned();
        let character = client.get(&format!("/characters/{id}"));
        character.is(200).has("/template", json!({"hp": 7, "name": "Hana"})).has("/profile/base", "mvu");
        client.case("functions that are none are left out or switched off, and named");
        let mut wrong = card("Wrong");
        wrong["data"]["extensions"]["st_var_system"]["functions"] = json!([
            {"name": "a", "type": "active", "pattern": "(", "executor": ""},
            {"name": "b", "type": "passive", "executor": "return snapshot +;"},
            {"name": "c", "type": "passive", "executor": "return snapshot;"},
            {"name": "d", "type": "neither"}]);
        let made = client.import("Wrong.json", wrong.to_string().as_bytes(), json!({}));
        made.is(201).has("/card/functions", 2).has("/remarks_count", 3);
        let id = made.data()["character_id"].as_str().expect("an id").to_owned();
        let functions = client.get(&format!("/characters/{id}")).is(200).data()["functions"].clone();
        let shown: Vec<_> =
            functions.as_array().into_iter().flatten().map(|it| (it["name"].clone(), it["enabled"].clone())).collect();
        assert_eq!(shown, [(json!("b"), json!(false)), (json!("c"), json!(true))]);
        client.case("a profile that is none");
        client.import("P.json", plain.to_string().as_bytes(), json!({"profile": "nobody"})).invalid_at("/profile");
    });
}

/// A chunk of a picture, with its checksum.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind[..], data].concat();
    let mut crc = !0_u32;
    for byte in &body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
        }
    }
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &body, &(!crc).to_be_bytes()].concat()
}

#[test]
fn hostile_pictures_are_refused() {
    both(|client| {
        let refuse = |case: &str, file: &[u8], status: u16, code: &str| {
            client.case(case);
            let body = json!({"file_name": "a.png", "content_base64": encode_base64(file)});
            client.ask("POST", "/import").json(body).unrecorded().send().refused(status, code);
        };
        let blank = png::blank();
        refuse("no card", &blank, 422, "import_unreadable");
        let whole = picture_of(&card("Hana"));
        for end in [8, 20, 60, whole.len() - 1] {
            refuse("cut off", &whole[..end], 422, "import_unreadable");
        }
        let mut flipped = whole.clone();
        flipped[120] ^= 1;
        refuse("a flipped bit", &flipped, 422, "import_unreadable");
        let at_the_end = |chunks: Vec<u8>| [&blank[..blank.len() - 12], &chunks, &blank[blank.len() - 12..]].concat();
        // A thousand times as large when it is inflated, which nobody does.
        let bomb = at_the_end(chunk(b"zTXt", &[b"chara\0\0".to_vec(), vec![0x78; 100_000]].concat()));
        refuse("a compressed chunk", &bomb, 422, "import_unreadable");
        refuse("an infinite length", &[&blank[..8], &[0xff; 8]].concat(), 422, "import_unreadable");
        refuse("no Base64", &at_the_end(chunk(b"tEXt", b"chara\0????")), 422, "import_unreadable");
        let text = encode_base64(b"[1, 2]");
        refuse(
            "no card inside",
            &at_the_end(chunk(b"tEXt", format!("ccv3\0{text}").as_bytes())),
            422,
            "import_unreadable",
        );
        refuse("many chunks", &at_the_end(chunk(b"tEXt", b"").repeat(PNG_CHUNKS_MAX)), 422, "import_unreadable");
        let long = format!("{{\"name\":\"a\",\"first_mes\":\"{}\"}}", "a".repeat(CARD_JSON_BYTES_MAX));
        refuse("a card that is too large", long.as_bytes(), 413, "import_too_large");
        client.get("/characters").is(200).has_meta("total", 0);
    });
}
