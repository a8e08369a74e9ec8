//! The files of tools that the reference shows are those of `examples/tools`, and they work.

use super::{blocks, root};
use crate::support::{Client, Place, Server};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const SHOWN: [(&str, &str); 3] = [
    ("json roll.tool.json", "scripts/roll.tool.json"),
    ("python roll.py", "scripts/roll.py"),
    ("toml weather.toml", "weather.toml"),
];

fn example(file: &str) -> String {
    let path = root().join("examples/tools").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_reference_shows_the_files_of_the_examples() {
    for document in ["docs/reference/tools.md", "docs/reference/tools.zh.md"] {
        let blocks = blocks(document);
        for (kind, file) in SHOWN {
            let block = blocks.iter().find(|block| block.kind == kind).unwrap_or_else(|| panic!("{document}: {kind}"));
            assert_eq!(block.text, example(file), "{} shows {file}", block.place);
        }
    }
}

/// An API on loopback that knows the weather of one place, and remembers what it was asked.
fn weather() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
            // A body, if there is one, ends with its object.
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&bytes);
                if text.ends_with("\r\n\r\n") && text.starts_with("GET") || text.ends_with('}') {
                    break;
                }
            }
            let request = String::from_utf8_lossy(&bytes).into_owned();
            let body = match request.contains("/Atlantis/") {
                true => json!({"status": "unknown", "reason": "no such place"}),
                false => json!({"status": "ok", "forecast": {"max": 21}}),
            };
            log.lock().expect("the log").push(request);
            let body = body.to_string();
            let head = format!("content-type: application/json\r\ncontent-length: {}", body.len());
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n{body}");
        }
    });
    (address, seen)
}

fn call(client: &Client, tool: &str, args: Value) -> crate::support::Answer {
    let body = json!({"tool": tool, "args": args, "skip_execution_approval": true});
    let answer = client.post("/sessions/s/calls", body);
    answer.is(201);
    answer
}

#[test]
fn the_files_of_the_examples_are_tools_that_work() {
    let (address, seen) = weather();
    let place = Place::sqlite();
    let file = place.file("weather.toml");
    // Cargo gives this variable to every test, so the server has it too.
    let text = example("weather.toml").replace("127.0.0.1:8080", &address).replace("WEATHER_TOKEN", "CARGO_PKG_NAME");
    std::fs::write(&file, text).expect("a file");
    let scripts = root().join("examples/tools/scripts");
    let settings = [format!("tools_scripts={}", scripts.display()), format!("tools_http={}", file.display())];
    let server = Server::start_with(place, &settings.each_ref().map(String::as_str));
    let client = server.client("owner");
    client.make_session("s");
    for group in ["scripts", "weather"] {
        client.patch(&format!("/sessions/s/tools/groups/{group}"), json!({"enabled": true})).is(200);
    }
    let rolled = call(&client, "roll", json!({"sides": 6, "count": 3}));
    let dice = rolled.has("/status", "success").data()["data"]["dice"].clone();
    assert_eq!(dice.as_array().map(Vec::len), Some(3), "{dice}");
    client.post("/sessions/s/calls", json!({"tool": "roll", "args": {"sides": 2}})).is(201).has("/status", "success");

    call(&client, "Forecast", json!({"place": "Basel, CH"})).has("/status", "success").has("/data/max", 21);
    call(&client, "Forecast", json!({"place": "Atlantis", "days": 2})).has("/error", "no such place");
    call(&client, "Forecast", json!({})).has("/status", "error");
    call(&client, "Report", json!({"place": "Basel, CH", "text": "rain", "degrees": 4.5})).has("/status", "success");
    let asked = client.post("/sessions/s/calls", json!({"tool": "Forecast", "args": {"place": "Basel, CH"}}));
    asked.is(201).has("/status", "awaiting_approval");
    client.get("/sessions/s/scratchpad/Rule%2Fweather%2Fplaces").is(200).has("/type", "RULE");
    let rules = client.get("/sessions/s/tools/rules");
    rules.is(200).must(rules.text.contains("Ask for one place at a time."), "the prompt of the group");

    let requests = seen.lock().expect("the log");
    let [first, second, third] = requests.as_slice() else { panic!("{requests:?}") };
    assert!(first.starts_with("GET /v1/places/Basel%2C%20CH/forecast?units=metric "), "{first}");
    assert!(first.to_lowercase().contains("authorization: bearer tavernkeep\r\n"), "{first}");
    assert!(second.starts_with("GET /v1/places/Atlantis/forecast?days=2&units=metric "), "{second}");
    let (head, body) = third.split_once("\r\n\r\n").expect("a body");
    assert!(head.starts_with("POST /v1/reports "), "{head}");
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(body, json!({"place": "Basel, CH", "text": "Seen: rain", "degrees": 4.5}));
}

#[test]
fn a_file_that_is_not_as_documented_stops_the_start_and_says_why() {
    let place = Place::sqlite();
    let folder = place.file("scripts");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("t.sh"), "echo").expect("a script");
    let group =
        |tool: &str| format!("name = \"g\"\nbase_url = \"http://127.0.0.1:1\"\n[[tools]]\nname = \"T\"\n{tool}\n");
    let declared = [
        (r#"{"parameters": {}}"#, "missing field `description`"),
        (r#"{"description": "d", "timeout": 5}"#, "unknown field `timeout`"),
        (r#"{"description": "d", "timeout_ms": "5"}"#, "expected u64"),
        (r#"{"description": "d", "timeout_ms": 0}"#, "`timeout_ms` must be 1 to 3600000"),
        (r#"{"description": "d", "permission": {"executionPolicy": "never"}}"#, "executionPolicy"),
        ("[]", "invalid"),
    ];
    let described = [
        (group("response = 5"), "invalid type"),
        (group("query = { n = 5 }"), "invalid type"),
        (group("methods = \"GET\""), "unknown field `methods`"),
        (group("ok = { pointer = \"/code\" }"), "missing field `equals`"),
        (group("[skill_rules.a]\ndesc = \"d\""), "missing field `prompt`"),
    ];
    let file = place.file("group.toml");
    let starts = |setting: &str| place.command(&["serve", "--listen", "127.0.0.1:0", "--set", setting]).output();
    let check = |setting: String, named: &str, words: &str| {
        let output = starts(&setting).expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{setting}: {words}");
        assert!(errors.contains(words) && errors.contains(named), "{words}: {errors}");
    };
    for (text, words) in declared {
        std::fs::write(folder.join("t.tool.json"), text).expect("a declaration");
        check(format!("tools_scripts={}", folder.display()), "t.tool.json", words);
    }
    for (text, words) in described {
        std::fs::write(&file, text).expect("a file");
        check(format!("tools_http={}", file.display()), "group.toml", words);
    }
}
