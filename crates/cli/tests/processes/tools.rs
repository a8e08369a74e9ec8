//! Calls of tools when the server dies between asking and running, and from a terminal.

use crate::support::{Backend, Place, Server};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A script that notes each of its runs and then waits until it is let go.
fn slow_script(place: &Place) -> (PathBuf, PathBuf, PathBuf) {
    let folder = place.file("scripts");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (runs, gate) = (place.file("runs"), place.file("gate"));
    let source = format!(
        "echo run >> '{}'\nwhile [ ! -e '{}' ]; do sleep 0.05; done\necho '\"done\"'\n",
        runs.display(),
        gate.display()
    );
    std::fs::write(folder.join("slow.sh"), source).expect("a script");
    let declared =
        json!({"description": "waits", "permission": {"executionPolicy": "ask-always"}, "timeout_ms": 600_000});
    std::fs::write(folder.join("slow.tool.json"), declared.to_string()).expect("a declaration");
    (folder, runs, gate)
}

fn count(runs: &Path) -> usize {
    std::fs::read_to_string(runs).map_or(0, |text| text.lines().count())
}

#[test]
fn a_call_is_never_run_twice_however_the_server_ends() {
    let place = Place::sqlite();
    let (folder, runs, gate) = slow_script(&place);
    let setting = format!("tools_scripts={}", folder.display());
    let mut server = Server::start_with(place, &[&setting]);
    let client = server.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/scripts", json!({"enabled": true})).is(200);
    let asked = client.post("/sessions/s/calls", json!({"tool": "slow", "args": {}}));
    asked.is(201).has("/status", "awaiting_approval");
    let approval = client.get("/sessions/s/approvals").is(200).data()[0]["id"].as_str().expect("an id").to_owned();

    client.case("killed after asking: what is pending is still pending, and nothing has run");
    server.kill();
    let mut server = Server::start_on_with(Arc::clone(&server.place), &[&setting]);
    let client = client.through(&server);
    client.get(&format!("/calls/{}", asked.id())).is(200).has("/status", "awaiting_approval");
    assert_eq!(count(&runs), 0);

    client.case("killed while it runs: nobody knows what it did, and it does not run again");
    let (base, key, path) = (client.base().to_owned(), client.key().to_owned(), format!("/approvals/{approval}"));
    let deciding = std::thread::spawn(move || {
        tavernkeep_runtime::https::use_ring();
        let http = reqwest::blocking::Client::builder().no_proxy().build().expect("a client");
        let request = http.post(format!("{base}{path}")).bearer_auth(key).header("content-type", "application/json");
        // The server dies before it answers.
        drop(request.body(r#"{"approved":true}"#).send());
    });
    while count(&runs) == 0 {
        std::thread::yield_now();
    }
    server.kill();
    deciding.join().expect("it ends");
    let server = Server::start_on_with(Arc::clone(&server.place), &[&setting]);
    let client = client.through(&server);
    let call = client.get(&format!("/calls/{}", asked.id()));
    call.is(200).has("/status", "interrupted").has("/reject_reason", "The process that ran it ended");
    client.post(&format!("/approvals/{approval}"), json!({"approved": true})).is(200).has("/status", "interrupted");
    client.post(&format!("/approvals/{approval}"), json!({"approved": false})).refused(409, "approval_settled");
    client.post(&format!("/calls/{}/cancel", asked.id()), json!({})).refused(409, "invalid_state");
    client.get("/sessions/s/approvals").is(200).has_meta("total", 0);
    assert_eq!(count(&runs), 1);
    client.case("and the script has ended with its server");
    while !processes_below(&folder).is_empty() {
        std::thread::yield_now();
    }

    client.case("another call runs");
    std::fs::write(&gate, "").expect("the gate");
    let again = json!({"tool": "slow", "args": {}, "skip_execution_approval": true});
    client.post("/sessions/s/calls", again).is(201).has("/status", "success").has("/data", "done");
    assert_eq!(count(&runs), 2);
}

fn script(folder: &Path, name: &str, source: &str, declared: &Value) {
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a script");
    std::fs::write(file.with_extension("tool.json"), declared.to_string()).expect("a declaration");
}

/// Processes that have the folder as their working directory.
fn processes_below(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().expect("a folder");
    let entries = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let inside = entries.filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder));
    let alive = |entry: &std::fs::DirEntry| {
        std::fs::read_to_string(entry.path().join("stat"))
            .is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
    };
    inside.filter(alive).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// A server with scripts, each by its name and source, and a client that has enabled them.
fn with_scripts(sources: &[(&str, &str)]) -> (Server, crate::support::Client, PathBuf) {
    let place = Place::sqlite();
    let folder = place.file("scripts");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, source) in sources {
        script(&folder, name, source, &json!({"description": "d", "timeout_ms": 3_000}));
    }
    std::fs::write(folder.join("helper.py"), "x = 1").expect("a file that is no tool");
    let server = Server::start_with(place, &[&format!("tools_scripts={}", folder.display())]);
    let client = server.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/scripts", json!({"enabled": true})).is(200);
    (server, client, folder)
}

fn run_script(client: &crate::support::Client, tool: &str, args: &Value) -> crate::support::Answer {
    let body = json!({"tool": tool, "args": args, "skip_execution_approval": true});
    let answer = client.post("/sessions/s/calls", body);
    answer.is(201);
    answer
}

#[test]
fn custom_scripts_run_without_the_environment() {
    let (_server, client, folder) = with_scripts(&[
        ("double.py", "import json, sys\nprint(json.dumps({'n': json.load(sys.stdin)['n'] * 2}))"),
        ("env.sh", "env | sort | cut -d= -f1 | tr '\\n' ' '"),
        ("fails.sh", "echo broken >&2; exit 3"),
        ("twice.js", "process.stdin.on('data', (text) => console.log(JSON.parse(text).n * 2))"),
    ]);
    run_script(&client, "double", &json!({"n": 21})).has("/status", "success").has("/data/n", 42);
    run_script(&client, "twice", &json!({"n": 21})).has("/status", "success").has("/data", 42);
    run_script(&client, "env", &json!({})).has("/data", "LANG PATH PWD");
    let failed = run_script(&client, "fails", &json!({}));
    failed.has("/status", "error").must(failed.text.contains("broken"), "why");
    client.case("without a word about it, a person is asked; a file without a declaration is no tool");
    client.post("/sessions/s/calls", json!({"tool": "double", "args": {}})).is(201).has("/status", "awaiting_approval");
    run_script(&client, "helper", &json!({})).has("/status", "not_found");
    client.case("a script that was changed is not the one that was approved");
    std::fs::write(folder.join("fails.sh"), "echo other").expect("a script");
    let changed = run_script(&client, "fails", &json!({}));
    changed.has("/status", "error").must(changed.text.contains("was changed"), "why");
}

#[test]
fn a_script_that_will_not_end_is_ended_with_all_it_started() {
    let sources = [
        (
            "stubborn.py",
            "import signal, time\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)",
            "longer than",
        ),
        ("endless.sh", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "bytes"),
        (
            "bomb.py",
            "import os, time\nfor _ in range(200):\n  if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n    os._exit(0)\ntime.sleep(600)",
            "",
        ),
        ("greedy.py", "x = bytearray(1 << 31)\nprint(len(x))", "MemoryError"),
        ("orphan.sh", "env -i setsid sleep 600 >/dev/null 2>&1 & echo done", "done"),
        (
            "daemon.py",
            "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    os.execve('/bin/sleep', ['sleep', '600'], {})\n  os._exit(0)\nos.wait()\nprint('done')",
            "done",
        ),
    ];
    let plain: Vec<(&str, &str)> = sources.iter().map(|(name, source, _)| (*name, *source)).collect();
    let (_server, client, folder) = with_scripts(&plain);
    for (name, _, words) in sources {
        let tool = name.split('.').next().expect("a name");
        let ended = run_script(&client, tool, &json!({}));
        match words {
            "done" => ended.has("/status", "success").has("/data", "done"),
            _ => ended.has("/status", "error"),
        };
        ended.must(ended.text.contains(words), words);
        let left = processes_below(&folder);
        assert!(left.is_empty(), "{tool} left {left:?}");
    }
}

#[test]
fn a_starting_server_leaves_calls_of_others_alone() {
    let place = Place::sqlite();
    let (folder, runs, gate) = slow_script(&place);
    let setting = format!("tools_scripts={}", folder.display());
    let mut server = Server::start_with(place, &[&setting]);
    let client = server.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/scripts", json!({"enabled": true})).is(200);
    let words = ["call", "s", "slow", "{}", "--yes", "--json", "--account", "owner", "--set", &setting];
    let calling = server.place.command(&words).stdout(std::process::Stdio::piped()).spawn().expect("it runs");
    while count(&runs) == 0 {
        std::thread::yield_now();
    }
    server.kill();
    let server = Server::start_on_with(Arc::clone(&server.place), &[&setting]);
    let client = client.through(&server);
    client.get("/sessions/s/calls?status=running").is(200).has_meta("total", 1);
    std::fs::write(&gate, "").expect("the gate");
    let output = calling.wait_with_output().expect("it ends");
    let call: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((&call["status"], &call["data"]), (&json!("success"), &json!("done")));
}

#[test]
fn a_running_call_can_be_cancelled() {
    let place = Place::sqlite();
    let (folder, runs, _gate) = slow_script(&place);
    let server = Server::start_with(place, &[&format!("tools_scripts={}", folder.display())]);
    let client = server.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/scripts", json!({"enabled": true})).is(200);
    let other = client.clone();
    let calling = std::thread::spawn(move || {
        other.post("/sessions/s/calls", json!({"tool": "slow", "args": {}, "skip_execution_approval": true}))
    });
    while count(&runs) == 0 {
        std::thread::yield_now();
    }
    let running = client.get("/sessions/s/calls?status=running");
    let id = running.is(200).data()[0]["id"].as_str().expect("an id").to_owned();
    client.post(&format!("/calls/{id}/cancel"), json!({})).is(200).has("/status", "cancelled");
    calling.join().expect("it ends").is(201).has("/status", "cancelled");
}

#[test]
fn tools_are_shown_and_called_from_a_terminal() {
    for backend in Backend::BOTH {
        let server = Server::start(backend.place());
        let client = server.client("owner");
        client.make_session("s");
        let place = server.place.as_ref();
        let local = |words: &[&str]| {
            let words: Vec<&str> = words.iter().copied().chain(["--account", "owner"]).collect();
            place.command(&words).output().expect("it runs")
        };
        let shown = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
        let list = local(&["tools", "s", "--enable", "vars"]);
        assert!(shown(&list).starts_with("on  vars\n    ListVars"), "{list:?}");
        let made = local(&["call", "s", "WriteVar", r#"{"name":"a","value":"1"}"#]);
        assert_eq!(shown(&made), "Variable 'a' created successfully.\n", "{made:?}");
        let remote = |words: &[&str]| {
            let words: Vec<&str> =
                words.iter().copied().chain(["--url", client.base(), "--key", client.key()]).collect();
            place.bare_command(&words).output().expect("it runs")
        };
        let read = remote(&["call", "s", "ReadVar", r#"{"name":"a"}"#, "--json"]);
        let call: Value = serde_json::from_slice(&read.stdout).unwrap_or_else(|error| panic!("{error}: {read:?}"));
        assert_eq!(call["formatted_text"], "1");
        assert_eq!(remote(&["call", "s", "Nope"]).status.code(), Some(1));
        assert_eq!(remote(&["call", "s", "ReadVar", "[]"]).status.code(), Some(2));
        assert!(shown(&remote(&["tools", "s", "--rules"])).contains("<tool-rules>"));
        let definitions: Value =
            serde_json::from_slice(&remote(&["tools", "s", "--definitions"]).stdout).expect("JSON");
        assert_eq!(definitions.as_array().map(Vec::len), Some(4));
    }
}

#[test]
fn shell_commands_run_when_a_person_approves_them() {
    let place = Place::sqlite();
    let folder = place.file("shell");
    std::fs::create_dir_all(&folder).expect("a folder");
    let server = Server::start_with(place, &[&format!("tools_shell={}", folder.display())]);
    let client = server.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/script", json!({"enabled": true})).is(200);
    let ask = |args: Value| {
        let asked = client.post("/sessions/s/calls", json!({"tool": "Shell", "args": args}));
        asked.is(201).has("/status", "awaiting_approval");
        asked.id()
    };
    let decide = |approved: bool| {
        let id = client.get("/sessions/s/approvals").is(200).data()[0]["id"].as_str().expect("an id").to_owned();
        let answer = client.post(&format!("/approvals/{id}"), json!({"approved": approved}));
        answer.is(200);
        answer
    };
    client.case("a person sees the command before it runs, and the result before the model does");
    let asked = ask(json!({"command": "cat; echo $HOME; pwd; touch made", "input": "typed "}));
    assert!(!folder.join("made").exists());
    decide(true).has("/id", asked).has("/status", "awaiting_approval").has("/data", Value::Null);
    let inside = folder.canonicalize().expect("a folder");
    decide(true).has("/status", "success").has("/data", format!("typed \n{}", inside.display()));
    assert!(folder.join("made").exists());
    client.case("an approval counts for one command: the same is asked again");
    ask(json!({"command": "rm made"}));
    decide(false).has("/status", "execution_rejected");
    assert!(folder.join("made").exists());
    client.case("a command that fails, and one that leaves a process behind");
    ask(json!({"command": "echo why >&2; exit 7"}));
    decide(true).has("/status", "awaiting_approval");
    let failed = decide(true);
    failed.has("/status", "error").must(failed.text.contains("why"), "its errors");
    ask(json!({"command": "sleep 600 >/dev/null 2>&1 & echo started"}));
    decide(true).has("/status", "awaiting_approval");
    decide(true).has("/data", "started");
    assert!(processes_below(&folder).is_empty(), "{:?}", processes_below(&folder));
    client.case("without the setting there is no such tool");
    let plain = Server::start(Place::sqlite());
    let client = plain.client("owner");
    client.make_session("s");
    client.patch("/sessions/s/tools/groups/script", json!({"enabled": true})).is(200);
    client
        .post("/sessions/s/calls", json!({"tool": "Shell", "args": {"command": "true"}}))
        .is(201)
        .has("/status", "not_found");
}
