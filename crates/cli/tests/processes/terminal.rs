//! `log`, `show`, `diff` and `recompute`: a session looked at from a terminal while a server uses the database.

use crate::support::place::said;
use crate::support::{Backend, Client, Server};
use serde_json::{Value, json};

/// A server with a story of three floors and a branch, on each database.
pub(super) fn each(story: impl Fn(&Client)) {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("teller");
        client.case(&format!("{backend:?}"));
        client.post("/sessions", json!({"id": "s", "template": {"hp": 10, "袋": []}})).is(201);
        let turn = |page: &str, role: &str, content: &str, more: Value| {
            let body = json!({"role": role, "content": content, "page_id": page});
            client.post("/sessions/s/turns", crate::support::tree::merge(body, more)).is(201).data()
        };
        turn("p0", "user", "I hit it.\nHard.", json!({"name": "Anna"}));
        let second = turn("p1", "assistant", "Ouch. @.SUB(\"hp\", 2); @.APPEND(\"袋\", \"剑\");", json!({}));
        turn("p2", "assistant", "@.UNSET(\"hp\"); \u{1b}[2J", json!({}));
        let floor = second["floor_id"].as_str().expect("a floor");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "what if"})).is(201);
        turn("q2", "assistant", "@.SET(\"hp\", 100);", json!({"branch_id": "what if"}));
        story(&client);
    }
}

pub(super) fn run(client: &Client, words: &[&str]) -> String {
    client.place().run(&[words, &["--account", &client.account]].concat())
}

#[track_caller]
pub(super) fn fails(client: &Client, words: &[&str], code: i32, wanted: &str) {
    let output = client.place().output(&[words, &["--account", &client.account]].concat());
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains(wanted), "{wanted}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{}", said(&output));
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_log_is_read_by_people_and_programs() {
    each(|client| {
        let expected = "\
#0 user Anna  I hit it.
#1 assistant  Ouch. @.SUB(\"hp\", 2); @.APPEND(\"袋\", \"剑\");
    ~ hp 10 → 8
    + 袋[0] \"剑\"
#2 assistant  @.UNSET(\"hp\"); \\u001b[2J
    - hp 8
";
        assert_eq!(run(client, &["log", "s"]), expected);
        let branch = run(client, &["log", "s", "--branch", "what if", "--from", "2"]);
        assert_eq!(branch, "#2 assistant  @.SET(\"hp\", 100);\n    ~ hp 8 → 100\n");
        assert_eq!(run(client, &["log", "s", "--to", "0"]), "#0 user Anna  I hit it.\n");
        let lines: Vec<Value> = run(client, &["log", "s", "--json"]).lines().map(read).collect();
        assert_eq!(Value::from(lines), client.get("/sessions/s/log").is(200).data()["floors"]);
        client.patch("/pages/p1", json!({"content": "Ouch."})).is(200);
        assert!(run(client, &["log", "s"]).contains("#1 assistant  Ouch.  (stale)\n"));
        fails(client, &["log", "nobody"], 1, "Session 'nobody' not found");
        fails(client, &["log", "s", "--branch", "none"], 1, "Branch 'none' not found");
        fails(client, &["log", "s", "--from=-1"], 2, "--from");
    });
}

/// The same command at the database and through the server, which must print the same.
#[track_caller]
pub(super) fn run_both(client: &Client, words: &[&str]) -> String {
    let (local, remote) = (run(client, words), run_remote(client, words));
    assert_eq!(local, remote, "{words:?}");
    local
}

pub(super) fn remote(client: &Client, words: &[&str]) -> std::process::Command {
    let mut command = client.place().bare_command(&[words, &["--url", client.base()]].concat());
    command.env("TAVERNKEEP_KEY", client.key());
    command
}

#[track_caller]
pub(super) fn run_remote(client: &Client, words: &[&str]) -> String {
    let output = remote(client, words).output().expect("the program can be started");
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    String::from_utf8(output.stdout).expect("it prints text")
}

#[track_caller]
pub(super) fn fails_remotely(command: &mut std::process::Command, code: i32, wanted: &str) {
    let output = command.output().expect("the program can be started");
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains(wanted), "{wanted}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{}", said(&output));
}

#[test]
fn sessions_and_branches_are_listed() {
    each(|client| {
        client.post("/sessions", json!({"id": "second", "title": "Zweite\nSitzung"})).is(201);
        let sessions = run_both(client, &["sessions"]);
        let mut lines = sessions.lines();
        assert_eq!(lines.next(), Some("SESSION  CHANGED           TITLE"), "{sessions}");
        let second = lines.next().unwrap_or_default();
        assert!(second.starts_with("second   20") && second.ends_with("  Zweite\\nSitzung"), "{sessions}");
        assert!(lines.next().is_some_and(|line| line.starts_with("s        20")), "{sessions}");
        let json: Vec<Value> = run_both(client, &["sessions", "--json"]).lines().map(read).collect();
        assert_eq!(Value::from(json), client.get("/sessions").is(200).data());
        let branches = run_both(client, &["branches", "s"]);
        let words =
            |line: &str| line.split("  ").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let rows: Vec<Vec<String>> = branches.lines().map(words).collect();
        assert_eq!(rows[0], ["BRANCH", "FLOORS", "FORKED AT", "CREATED"]);
        assert_eq!(
            (&rows[1][..3], &rows[2][..3]),
            (["main", "3", "-"].map(String::from).as_slice(), ["what if", "1", "#1"].map(String::from).as_slice())
        );
        let json: Vec<Value> = run_both(client, &["branches", "s", "--json"]).lines().map(read).collect();
        assert_eq!(Value::from(json), client.get("/sessions/s/branches").is(200).data());
        fails(client, &["branches", "nobody"], 1, "Session 'nobody' not found");
    });
}

#[test]
fn a_log_has_swipes_refused_commands_and_a_count() {
    each(|client| {
        client.patch("/sessions/s", json!({"profile": "strict"})).is(200);
        let floor = client.get("/sessions/s/floors/2").is(200).data()["floor_id"].clone();
        let body =
            json!({"role": "assistant", "content": "@.SET(\"mood.now\", 1); @.SUB(\"hp\", 1);", "swipe_of": floor});
        client.post("/sessions/s/turns", body).is(201);
        let text = run_both(client, &["log", "s", "-n", "1"]);
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        assert!(first.starts_with("#2 assistant  @.SET") && first.ends_with(";  (swipe 2/2)"), "{text}");
        assert_eq!(lines.next(), Some("    ~ hp 8 → 7"), "{text}");
        let refused = lines.next().unwrap_or_default();
        assert!(refused.starts_with("    ! SET refused: ") && refused.ends_with(')'), "{text}");
        assert_eq!(lines.next(), None, "{text}");
        assert_eq!(run_both(client, &["log", "s", "-n", "9"]), run(client, &["log", "s"]));
        assert_eq!(run_both(client, &["log", "s", "-n", "1", "--to", "0"]), "#0 user Anna  I hit it.\n");
        let branch = run_both(client, &["log", "s", "-n", "2", "--branch", "what if", "--json"]);
        let numbers: Vec<Value> = branch.lines().map(|line| read(line)["floor_no"].clone()).collect();
        assert_eq!(numbers, [1, 2]);
        fails(client, &["log", "s", "-n", "0"], 2, "--last");
    });
}

#[test]
fn prompts_and_kits_are_shown() {
    each(|client| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |text: &str| {
            let path = folder.path().join("prompt.txt");
            std::fs::write(&path, text).expect("a file");
            path.to_str().expect("a path").to_owned()
        };
        let text = file("{{vs_get::袋[0]}} {{setvar::n::1}}{{.n}} {{random::a::a}} {{user}}");
        let words = |more: &[&'static str]| -> Vec<String> {
            ["prompt", "s", "--seed", "1", "--text", &text].iter().chain(more).map(|word| (*word).to_owned()).collect()
        };
        let shown = |more: &[&'static str]| {
            let words = words(more);
            run_both(client, &words.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!(shown(&["--user", "Anna"]), "剑 1 a Anna");
        assert_eq!(shown(&["--user", "Anna", "--branch", "what if"]), "剑 1 a Anna");
        let output = client.place().output(&["prompt", "s", "--text", &text, "--account", &client.account]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("macro_value_missing at 59..67"), "{}", said(&output));
        client.make_floor("s", "f", json!({}));
        client.make_page("f", "page", json!({}));
        run(client, &["prompt", "s", "--text", &text, "--page", "page", "--stage"]);
        client
            .get("/pages/page/variables/staged")
            .is(200)
            .has("/items/0/key", "n")
            .has("/items/0/source_kind", "macro");
        fails(client, &["prompt", "s", "--text", &text, "--stage"], 2, "--page");
        fails(client, &["prompt", "nobody", "--text", &text], 1, "Session 'nobody' not found");
        fails(client, &["prompt", "s", "--text", &file("")], 2, "the text is empty");
        let messages = file(
            "[{\"role\": \"system\", \"content\": \"{{setvar::k::1}}{{date}}\"}, {\"role\": \"user\", \"content\": \"{{.k}}\"}]",
        );
        let asked = ["prompt", "s", "--messages", &messages, "--now", "1729972800000"];
        assert_eq!(run_both(client, &asked), "2024-10-26\n1");
        let shown = read(&run_both(client, &[&asked[..], &["--seed", "1", "--json"]].concat()));
        assert_eq!((&shown["messages"][1]["content"], &shown["messages"][1]["role"]), (&json!("1"), &json!("user")));
        fails(client, &["prompt", "s", "--messages", &file("[]")], 2, "1 to 10000 messages");
        let kit = run_both(client, &["kit", "s"]);
        assert!(
            kit.starts_with("# view: ") && kit.contains("袋:\n  - 剑\n# functions: ") && kit.contains("\n# rules: "),
            "{kit}"
        );
        let kit = read(&run_both(client, &["kit", "s", "--json"]));
        assert_eq!(kit, client.get("/sessions/s/prompt-kit").is(200).data());
        fails(client, &["kit", "s", "--view", "none"], 1, "View 'none' not found");
    });
}

#[test]
fn a_server_elsewhere_is_looked_at() {
    each(|client| {
        let state = client.get("/pages/p1/state").is(200).data();
        let (snapshot, floor) = (state["snapshot_id"].as_str().expect("one"), state["floor_id"].as_str().expect("one"));
        for what in [
            &["s"][..],
            &["p1"],
            &["page:p1"],
            &[snapshot],
            &[floor],
            &["s", "--floor", "0"],
            &["s", "--branch", "what if", "--path", "hp"],
        ] {
            run_both(client, &[&["show"], what].concat());
            run_both(client, &[&["show", "--json"], what].concat());
        }
        run_both(client, &["log", "s", "--json"]);
        run_both(client, &["diff", "session:s", "branch:s/what if"]);
        run_both(client, &["diff", "p1", floor, "--json"]);
        fails_remotely(
            &mut remote(client, &["show", "nobody"]),
            1,
            "no session, page, snapshot or floor `nobody` at http",
        );
        fails_remotely(&mut remote(client, &["show", "s", "--floor", "9"]), 1, "Branch 'main' has no floor 9");
        fails_remotely(&mut remote(client, &["log", "nobody"]), 1, "Session 'nobody' not found");
        fails_remotely(remote(client, &["log", "s"]).env_remove("TAVERNKEEP_KEY"), 1, "TAVERNKEEP_KEY");
        fails_remotely(&mut remote(client, &["log", "s", "--account", "x"]), 2, "--account");
        let bare = |url: &str| client.place().bare_command(&["sessions", "--url", url]);
        fails_remotely(&mut bare("ftp://127.0.0.1:1"), 2, "must begin with http://");
        fails_remotely(&mut bare("https://127.0.0.1:1"), 1, "does not answer");
        fails_remotely(&mut bare("nowhere"), 2, "--url");
        fails_remotely(&mut bare("http://127.0.0.1:1"), 1, "does not answer");
        let by_environment = client
            .place()
            .bare_command(&["sessions", "--key", client.key()])
            .env("TAVERNKEEP_URL", client.base())
            .output()
            .expect("the program can be started");
        assert!(by_environment.status.success(), "{}", said(&by_environment));
    });
}

#[test]
fn a_long_log_is_printed_to_its_end() {
    let server = Server::start(Backend::Sqlite.place());
    let client = server.client("teller");
    client.make_session("s");
    for number in 0..205 {
        let body = json!({"role": "assistant", "content": format!("@.SET(\"n\", {number});")});
        client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send().is(201);
    }
    let text = run(&client, &["log", "s"]);
    assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 205);
    assert!(text.ends_with("    ~ n 203 → 204\n"), "{text}");
    let last = run_both(&client, &["log", "s", "-n", "150"]);
    assert_eq!(last.lines().filter(|line| line.starts_with('#')).count(), 150);
    let history = client.get("/sessions/s/history?path=n&limit=1000");
    assert_eq!(history.is(200).data()["points"].as_array().map(Vec::len), Some(205));
    assert_eq!(client.get("/sessions/s/history?path=nothing").is(200).data()["next_after"], Value::Null);
}

#[test]
fn a_state_is_shown_wherever_it_stands() {
    each(|client| {
        assert_eq!(read(&run(client, &["show", "s"])), json!({"袋": ["剑"]}));
        assert_eq!(read(&run(client, &["show", "s", "--floor", "0"])), json!({"hp": 10, "袋": []}));
        assert_eq!(run(client, &["show", "s", "--branch", "what if", "--path", "hp"]), "100\n");
        assert_eq!(run(client, &["show", "p1", "--path", "/袋/0"]), "\"剑\"\n");
        let state = client.get("/pages/p1/state").is(200).data();
        assert_eq!(read(&run(client, &["show", "page:p1", "--json"])), state);
        let snapshot = state["snapshot_id"].as_str().expect("a snapshot");
        assert_eq!(read(&run(client, &["show", snapshot, "--json"])), state);
        let floor = state["floor_id"].as_str().expect("a floor");
        assert_eq!(read(&run(client, &["show", floor, "--json"])), state);
        client.patch("/pages/p1", json!({"content": "@.SET(\"hp\", 1);"})).is(200);
        let stale = client.place().output(&["show", "p1", "--account", &client.account]);
        assert!(String::from_utf8_lossy(&stale.stderr).contains("the text has changed"), "{}", said(&stale));
        assert_eq!(read(&String::from_utf8_lossy(&stale.stdout))["hp"], 8);
        fails(client, &["show", "nobody"], 1, "no session, page, snapshot or floor `nobody`");
        fails(client, &["show", "s", "--floor", "9"], 1, "Branch 'main' has no floor 9");
        fails(client, &["show", "s", "--path", "mood"], 1, "nothing at `mood`");
        fails(client, &["show", "s", "--path", "/~"], 2, "--path");
        fails(client, &["show", "page:p1", "--floor", "1"], 2, "--floor");
        fails(client, &["show", "p1", "--branch", "main"], 2, "--branch");
        fails(client, &["show", "what is it"], 2, "names nothing");
    });
}

#[test]
fn two_states_are_held_against_each_other() {
    each(|client| {
        assert_eq!(run(client, &["diff", "p1", "s"]), "- hp 8\n");
        assert_eq!(run(client, &["diff", "session:s", "branch:s/what if"]), "+ hp 100\n");
        assert_eq!(run(client, &["diff", "p1", "page:p1"]), "");
        let shown = client.get("/compare?from=page:p1&to=session:s").is(200).data();
        assert_eq!(read(&run(client, &["diff", "p1", "s", "--json"])), shown);
        fails(client, &["diff", "p1", "page:nobody"], 1, "Page 'nobody' not found");
    });
}

#[test]
fn states_are_computed_again() {
    each(|client| {
        client.patch("/pages/p1", json!({"content": "@.SUB(\"hp\", 5);"})).is(200);
        let dry = read(&run(client, &["recompute", "s", "--dry-run", "--json"]));
        assert_eq!((&dry["processed"], &dry["dry_run"]), (&json!(2), &json!(true)));
        client.get("/pages/p1/state").is(200).has("/fresh", false);
        let text = run(client, &["recompute", "s"]);
        assert_eq!(
            text,
            "#1 1 changes\n#2 1 changes\n2 pages computed, 0 unchanged, 0 with edits, 0 commands refused, 0 problems\n"
        );
        client.get("/pages/p1/state").is(200).has("/fresh", true).has("/state/hp", 5);
        client.get("/sessions/s/state?branch_id=what%20if").is(200).has("/fresh", true).has("/state/hp", 100);
        run(client, &["recompute", "s", "--branch", "what if"]);
        client.get("/sessions/s/state?branch_id=what%20if").is(200).has("/fresh", true);
        let snapshot = client.get("/pages/p2/state").data()["snapshot_id"].as_str().expect("a snapshot").to_owned();
        client.put(&format!("/snapshots/{snapshot}"), json!({"state": {}})).is(200);
        assert!(
            run(client, &["recompute", "s", "--mode", "all"])
                .ends_with("0 pages computed, 2 unchanged, 1 with edits, 0 commands refused, 0 problems\n")
        );
        let all = read(&run(client, &["recompute", "s", "--mode", "all", "--overwrite-edited", "--json"]));
        assert_eq!(all["processed"], 1);
        client.get("/pages/p2/state").is(200).has("/edited", Value::Null).has("/snapshot_id", snapshot.as_str());
        run(client, &["recompute", "s", "--mode", "latest"]);
        assert_ne!(client.get("/pages/p2/state").data()["snapshot_id"], snapshot.as_str());
        fails(client, &["recompute", "s", "--mode", "some"], 2, "stale, latest, all");
        let alone = "--from-floor has no meaning with --mode latest";
        fails(client, &["recompute", "s", "--mode", "latest", "--from-floor", "1"], 2, alone);
        fails(client, &["recompute", "nobody"], 1, "Session 'nobody' not found");
    });
}

#[test]
fn a_folder_without_a_database_is_left_alone() {
    let place = Backend::Sqlite.place();
    let output = place.output(&["log", "s"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no database"), "{}", said(&output));
    assert!(!place.data().exists());
}
