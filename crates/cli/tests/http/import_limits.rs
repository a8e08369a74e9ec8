//! The limits of imports: what is at a limit is imported, what is over it is refused or left out, and the report says so.

use crate::support::{Answer, Client, both};
use serde_json::{Value, json};
use tavernkeep_engine::limits::{
    BODY_BYTES_MAX, BOOK_ENTRIES_MAX, BOOKS_MAX, CARD_FILE_BYTES_MAX, CARD_IMAGE_BYTES_MAX, CARD_JSON_BYTES_MAX,
    FUNCTIONS_MAX, GREETINGS_MAX, IMPORT_BODY_BYTES_MAX, IMPORT_REMARKS_MAX, IMPORTED_DEPTH_MAX, PNG_CHUNKS_MAX,
    REPLY_BYTES_MAX, SYNC_FLOORS_MAX, SYNC_SWIPES_MAX, SYNC_SWIPES_TOTAL_MAX,
};
use tavernkeep_engine::sillytavern::{encode_base64, png};

impl Client {
    /// Sends a file as a form, which has room for larger ones than JSON.
    fn import_form(&self, name: &str, content: &[u8], fields: &[(&str, &str)]) -> Answer {
        let mut body = Vec::new();
        for (name, value) in fields {
            body.extend(format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
        }
        let head = format!("--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        body.extend(head.bytes());
        body.extend(content);
        body.extend(b"\r\n--X--\r\n");
        self.ask("POST", "/import").bytes_as("multipart/form-data; boundary=X", body).unrecorded().send()
    }

    /// Only reads a chat.
    fn read_chat(&self, content: &str) -> Answer {
        self.import_form("Hana/a.jsonl", content.as_bytes(), &[("dry_run", "true")])
    }
}

const HEADER: &str = "{\"chat_metadata\":{}}";

fn chat(messages: impl IntoIterator<Item = Value>) -> String {
    messages.into_iter().fold(HEADER.to_owned(), |file, message| format!("{file}\n{message}"))
}

fn message(swipes: usize) -> Value {
    let swipes: Vec<String> = (0..swipes).map(|at| format!("s{at}")).collect();
    json!({"name": "Hana", "is_user": false, "mes": swipes[0], "swipe_id": 0, "swipes": swipes})
}

#[test]
fn messages_and_swipes() {
    both(|client| {
        client.case("messages");
        let line = "\n{\"name\":\"Hana\",\"mes\":\"a\"}";
        let at = format!("{HEADER}{}", line.repeat(SYNC_FLOORS_MAX));
        client.read_chat(&at).is(200).has("/chat/messages", SYNC_FLOORS_MAX);
        client
            .read_chat(&format!("{at}{line}"))
            .refused(413, "import_too_large")
            .says(&format!("more than {SYNC_FLOORS_MAX} messages"));
        client.case("swipes of a message: those beyond become no pages and come back");
        client
            .import("Hana/at.jsonl", chat([message(SYNC_SWIPES_MAX)]).as_bytes(), json!({"session_id": "at"}))
            .is(201);
        let over = chat([message(SYNC_SWIPES_MAX + 1)]);
        let report = client.import("Hana/over.jsonl", over.as_bytes(), json!({"session_id": "over"}));
        report.is(201).has("/chat/swipes", SYNC_SWIPES_MAX).has("/remarks_count", 1);
        for session in ["at", "over"] {
            let floor = client.get(&format!("/floors?session_id={session}")).is(200).column("id")[0].clone();
            let pages = client.get(&format!("/pages?floor_id={}&limit=1", floor.as_str().unwrap()));
            pages.is(200).has_meta("total", SYNC_SWIPES_MAX);
        }
        let written = client.ask("GET", "/sessions/over/export").unrecorded().send().is(200).text.clone();
        let written: Value = serde_json::from_str(written.lines().nth(1).unwrap()).unwrap();
        assert_eq!(written["swipes"].as_array().map(Vec::len), Some(SYNC_SWIPES_MAX + 1));
        client.case("swipes of all messages");
        let whole = SYNC_SWIPES_TOTAL_MAX / SYNC_SWIPES_MAX;
        let at = chat((0..whole).map(|_| message(SYNC_SWIPES_MAX)));
        client.read_chat(&at).is(200).has("/chat/swipes", SYNC_SWIPES_TOTAL_MAX);
        client
            .read_chat(&format!("{at}{line}"))
            .refused(413, "import_too_large")
            .says(&format!("more than {SYNC_SWIPES_TOTAL_MAX} swipes"));
        client.case("remarks");
        let twice = "\n{\"name\":\"Hana\",\"name\":\"Yuki\",\"mes\":\"a\"}";
        for count in [IMPORT_REMARKS_MAX, IMPORT_REMARKS_MAX + 1] {
            let report = client.read_chat(&format!("{HEADER}{}", twice.repeat(count)));
            let shown = report.is(200).data()["remarks"].as_array().map(Vec::len);
            assert_eq!(shown, Some(IMPORT_REMARKS_MAX));
            report.has("/remarks_count", count);
        }
    });
}

#[test]
fn the_most_swipes_are_imported() {
    both(|client| {
        let at = chat((0..SYNC_SWIPES_TOTAL_MAX / SYNC_SWIPES_MAX).map(|_| message(SYNC_SWIPES_MAX)));
        let answer = client.import_form("Hana/a.jsonl", at.as_bytes(), &[("session_id", "s")]);
        // A busy machine may need longer than a request may take; the import goes on.
        assert!(answer.status == 201 || answer.code() == Some("write_pending"), "{}", answer.text);
        client.until("/sessions?limit=1", |answer| answer.body["meta"]["total"] == 1).is(200);
        let exported = client.ask("GET", "/sessions/s/export").unrecorded().send();
        let last: Value = serde_json::from_str(exported.is(200).text.lines().last().unwrap()).unwrap();
        assert_eq!(last["swipes"].as_array().map(Vec::len), Some(SYNC_SWIPES_MAX));
    });
}

#[test]
fn texts_and_what_belongs_to_them() {
    both(|client| {
        client.case("a text");
        let text = |length: usize| format!("{HEADER}\n{{\"name\":\"Hana\",\"mes\":\"{}\"}}", "a".repeat(length));
        let made = client.import_form("Hana/text.jsonl", text(REPLY_BYTES_MAX).as_bytes(), &[("session_id", "s")]);
        made.is(201);
        let exported = client.ask("GET", "/sessions/s/export").unrecorded().send();
        assert!(exported.is(200).text.len() > REPLY_BYTES_MAX);
        client
            .read_chat(&text(REPLY_BYTES_MAX + 1))
            .refused(413, "import_too_large")
            .says(&format!("message 1: a text has more than {REPLY_BYTES_MAX} bytes"));
        client.case("what belongs to a message");
        let rest =
            |length: usize| format!("{HEADER}\n{{\"name\":\"Hana\",\"mes\":\"a\",\"k\":\"{}\"}}", "a".repeat(length));
        // It is kept as `{"sillytavern":{"name":null,"mes":null,"k":"…"}}`.
        let around = "{\"sillytavern\":{\"name\":null,\"mes\":null,\"k\":\"\"}}".len();
        client.read_chat(&rest(BODY_BYTES_MAX - around)).is(200);
        client
            .read_chat(&rest(BODY_BYTES_MAX - around + 1))
            .refused(413, "import_too_large")
            .says(&format!("message 1: what belongs to it has more than {BODY_BYTES_MAX} bytes"));
        client.case("what belongs to a swipe");
        let rest = |length: usize| {
            let state = "a".repeat(length);
            format!("{HEADER}\n{{\"name\":\"Hana\",\"mes\":\"a\",\"variables\":[{{\"k\":\"{state}\"}}]}}")
        };
        let around = "{\"sillytavern\":{\"variables\":{\"k\":\"\"},\"shown\":true}}".len();
        client.read_chat(&rest(BODY_BYTES_MAX - around)).is(200);
        client
            .read_chat(&rest(BODY_BYTES_MAX - around + 1))
            .refused(413, "import_too_large")
            .says("message 1: what belongs to a swipe");
        client.case("depth");
        let deep = |depth: usize| {
            // The message is one level.
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            format!("{HEADER}\n{{\"name\":\"Hana\",\"mes\":\"a\",\"k\":{open}{close}}}")
        };
        client.import("Hana/deep.jsonl", deep(IMPORTED_DEPTH_MAX).as_bytes(), json!({"session_id": "deep"})).is(201);
        let exported = client.get("/sessions/deep/export");
        assert!(exported.is(200).text.contains(&"[".repeat(IMPORTED_DEPTH_MAX - 1)));
        client.read_chat(&deep(IMPORTED_DEPTH_MAX + 1)).refused(422, "import_unreadable");
    });
}

#[test]
fn bytes_of_a_request() {
    both(|client| {
        let body = |length: usize| {
            let mut body = json!({"file_name": "a.jsonl", "content": chat([message(1)]), "dry_run": true}).to_string();
            body.extend(std::iter::repeat_n(' ', length - body.len()));
            body.into_bytes()
        };
        let send = |length: usize| client.ask("POST", "/import").bytes(body(length)).unrecorded().send();
        send(IMPORT_BODY_BYTES_MAX).is(200).has("/chat/messages", 1);
        send(IMPORT_BODY_BYTES_MAX + 1).refused(413, "payload_too_large");
    });
}

fn card(more: Value) -> Value {
    let data = json!({"name": "Hana", "first_mes": "Hi.", "extensions": {}});
    json!({"spec": "chara_card_v2", "data": crate::support::tree::merge(data, more)})
}

/// A picture with a card and bytes of its own.
fn picture(card: &Value, own: usize) -> Vec<u8> {
    let blank = png::blank();
    // A chunk that nobody knows, in front of the end. Its checksum is nobody's business, either.
    let length = u32::try_from(own - blank.len() - 12).unwrap();
    let chunk = [&length.to_be_bytes()[..], b"teSt", &vec![0; length as usize], &[0; 4]].concat();
    let large = [&blank[..blank.len() - 12], &chunk, &blank[blank.len() - 12..]].concat();
    assert_eq!(large.len(), own);
    png::with_card(&large, &[("chara", &encode_base64(card.to_string().as_bytes()))]).unwrap()
}

#[test]
fn bytes_of_a_card() {
    both(|client| {
        let read = |name: &str, file: &[u8]| client.import_form(name, file, &[("dry_run", "true")]);
        client.case("its JSON");
        let json = |length: usize| {
            let around = card(json!({"description": ""})).to_string().len();
            card(json!({"description": "a".repeat(length - around)})).to_string()
        };
        client.import_form("Large.json", json(CARD_JSON_BYTES_MAX).as_bytes(), &[]).is(201);
        let refused = read("Hana.json", json(CARD_JSON_BYTES_MAX + 1).as_bytes());
        refused.refused(413, "import_too_large").says(&format!("more than {CARD_JSON_BYTES_MAX} bytes"));
        client.case("its picture");
        let made = client.import_form("Picture.png", &picture(&card(json!({})), CARD_IMAGE_BYTES_MAX), &[]);
        made.is(201).has("/card/image", true);
        let refused = read("Hana.png", &picture(&card(json!({})), CARD_IMAGE_BYTES_MAX + 1));
        refused.refused(413, "import_too_large").says(&format!("the picture has more than {CARD_IMAGE_BYTES_MAX}"));
        client.case("the file, which may go on behind the picture");
        let file = |length: usize| {
            let mut file = picture(&card(json!({})), 1_000);
            file.resize(length, 0);
            file
        };
        read("Hana.png", &file(CARD_FILE_BYTES_MAX)).is(200);
        let refused = read("Hana.png", &file(CARD_FILE_BYTES_MAX + 1));
        refused.refused(413, "import_too_large").says(&format!("the file has more than {CARD_FILE_BYTES_MAX}"));
        client.case("its chunks");
        let chunks = |count: usize| {
            let file = picture(&card(json!({})), 1_000);
            let (start, end) = file.split_at(file.len() - 12);
            // The first one, its data, the unknown one, the card and the end are there.
            [start, &b"\0\0\0\0teSt\0\0\0\0".repeat(count - 5), end].concat()
        };
        read("Hana.png", &chunks(PNG_CHUNKS_MAX)).is(200);
        read("Hana.png", &chunks(PNG_CHUNKS_MAX + 1)).refused(422, "import_unreadable").says("chunks");
    });
}

#[test]
fn what_a_card_has() {
    both(|client| {
        let read = |card: &Value| client.import("Hana.json", card.to_string().as_bytes(), json!({"dry_run": true}));
        client.case("greetings");
        let greetings = |count: usize| card(json!({"alternate_greetings": vec!["Hello."; count - 1]}));
        read(&greetings(GREETINGS_MAX)).is(200).has("/card/greetings", GREETINGS_MAX).has("/remarks_count", 0);
        let report = read(&greetings(GREETINGS_MAX + 1));
        report.is(200).has("/card/greetings", GREETINGS_MAX).has("/remarks_count", 1);
        client.case("functions");
        let functions = |count: usize| {
            let function = |at: usize| json!({"name": format!("F{at}"), "type": "passive", "executor": ""});
            let functions: Vec<Value> = (0..count).map(function).collect();
            card(json!({"extensions": {"st_var_system": {"functions": functions}}}))
        };
        let most = usize::try_from(FUNCTIONS_MAX).unwrap();
        read(&functions(most)).is(200).has("/card/functions", most).has("/remarks_count", 0);
        read(&functions(most + 1)).is(200).has("/card/functions", most).has("/remarks_count", 1);
        client.case("entries of a world book");
        let entries = |count: usize| {
            let mut entries = vec![json!({"comment": "a", "content": "b"}); count - 1];
            entries.push(json!({"comment": "[initvar]", "content": "{\"hp\": 1}"}));
            card(json!({"character_book": {"entries": entries}}))
        };
        read(&entries(BOOK_ENTRIES_MAX)).is(200).has("/card/template", true).has("/remarks_count", 0);
        read(&entries(BOOK_ENTRIES_MAX + 1)).is(200).has("/card/template", false).has("/remarks_count", 1);
        client.case("world books");
        let book = "{\"entries\":{\"0\":{\"comment\":\"[initvar]\",\"content\":\"hp: 1\"}}}";
        let books = |count: usize| {
            let fields: Vec<_> = [("dry_run", "true")].into_iter().chain(vec![("book", book); count]).collect();
            client.import_form("Hana.json", card(json!({})).to_string().as_bytes(), &fields)
        };
        books(BOOKS_MAX).is(200).has("/card/template", true);
        books(BOOKS_MAX + 1).invalid_at("/book");
    });
}
