//! `tavernkeep apply`: the real program, without a server and without a database.

use crate::support::place::said;
use crate::vectors::{is_candidate, mvu};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder with these files; `input` is its standard input.
fn run(words: &[&str], files: &[(&str, &str)], input: &[u8]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tavernkeep"));
    command.arg("apply").args(words).current_dir(folder.path());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let input = input.to_vec();
    // A program that refuses its arguments ends without reading.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    assert!(!folder.path().join("data").exists(), "a dry run makes no database");
    output
}

#[track_caller]
fn printed(words: &[&str], files: &[(&str, &str)], input: &[u8]) -> String {
    let output = run(words, files, input);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("it prints text")
}

#[track_caller]
fn lines(input: &[u8]) -> Vec<Value> {
    let printed = printed(&["--jsonl"], &[], input);
    printed.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

const STATE: (&str, &str) = ("state.json", r#"{"小雪": {"好感": 40, "心情": "平静"}}"#);
const REPLY: (&str, &str) =
    ("reply.txt", "她笑了。_.set('小雪.好感', 30, 42);//聊得很开心\n@.FLY(1); @.UNSET(\"小雪.心情\");");

#[test]
fn a_person_sees_state_change_commands_and_problems() {
    let text = printed(&["--state", STATE.0, "--reply", REPLY.0], &[STATE, REPLY], b"");
    let expected = "\
state
{
  \"小雪\": {
    \"好感\": 42
  }
}

change
  ~ /小雪/好感 = 42
  - /小雪/心情

commands
  applied  1:5 mvu set('小雪.好感', 30, 42) // 聊得很开心
  refused  2:1 at FLY(1)
           unknown_function: no function is named `FLY`
  applied  2:11 at UNSET(\"小雪.心情\")

problems
  stale_old_value 1:5 ";
    assert!(text.starts_with(expected), "{text}");
    assert!(!text.contains('\x1b'), "no colour in a pipe: {text}");
}

#[test]
fn what_a_model_writes_never_reaches_the_terminal_as_a_control_sequence() {
    let reply = "@.SET(\"a\", \"\x1b[2J\u{9b}x\");//\x1b]0;title\x07";
    let text = printed(&["--reply", "-"], &[], reply.as_bytes());
    assert!(text.contains("applied"), "{text}");
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text:?}");
}

#[test]
fn json_is_one_object() {
    let text = printed(
        &["--profile", r#"{"base": "strict"}"#, "--state", STATE.0, "--reply", "-", "--json"],
        &[STATE],
        r#"@.SET("新.键", 1); @.ADD("小雪.好感", 2);"#.as_bytes(),
    );
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert_eq!(answer["state"], json!({"小雪": {"好感": 42, "心情": "平静"}}));
    assert_eq!(answer["change"], json!([{"op": "replace", "path": "/小雪/好感", "value": 42}]));
    let results: Vec<_> = answer["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| json!([command["status"], command["code"]]))
        .collect();
    assert_eq!(json!(results), json!([["refused", "missing_path"], ["applied", null]]));
}

#[test]
fn a_schema_comes_from_a_file() {
    let schema = ("schema.json", r#"{"properties": {"hp": {"maximum": 100, "clamp": true}}}"#);
    let text = printed(&["--schema", schema.0, "--reply", "-", "--json"], &[schema], b"@.SET(\"hp\", 500);");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["state"], json!({"hp": 100}));
    let wrong = ("schema.json", r#"{"properties": {"hp": {"maximun": 100}}}"#);
    let output = run(&["--schema", wrong.0, "--reply", "-"], &[wrong], b"");
    assert!(said(&output).contains("/schema/properties/hp") && said(&output).contains("maximun"), "{}", said(&output));
}

#[test]
fn mistakes_are_explained() {
    let broken = ("state.json", "{\"a\": }");
    for (words, files, reason) in [
        (&["--reply", "nowhere.txt"][..], &[][..], "nowhere.txt"),
        (&["--reply", "reply.txt", "--state", "state.json"], &[REPLY, broken], "state.json"),
        (&["--reply", "reply.txt", "--profile", "nobody"], &[REPLY], "there are default, strict"),
        (&["--reply", "reply.txt", "--profile", "{"], &[REPLY], "--profile"),
        (&["--reply", "-", "--state", "-"], &[], "standard input"),
        (&["--jsonl", "--reply", "reply.txt"], &[REPLY], "cannot be used with"),
        (&["--jsonl", "nowhere.jsonl"], &[], "nowhere.jsonl"),
        (&[], &[], "--reply"),
    ] {
        let output = run(words, files, b"");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(reason) && !said.contains("panicked") && output.stdout.is_empty(), "{words:?}: {said}");
    }
}

#[test]
fn lines_are_answered_with_lines_and_bad_ones_with_an_error() {
    let mut input = Vec::new();
    input.extend_from_slice(
        "{\"id\":\"a\",\"profile\":\"mvu\",\"state\":{\"金\":1},\"reply\":\"_.add('金', 2);//x\"}\r\n\n".as_bytes(),
    );
    input.extend_from_slice(b"nonsense\n");
    input.extend_from_slice(b"{\"id\":2,\"state\":{}}\n");
    input.extend_from_slice(b"{\"id\":\"b\",\"profile\":\"nobody\",\"state\":{},\"reply\":\"\"}\n");
    input.extend_from_slice(b"{\"id\":\"c\",\"state\":{},\"reply\":\"\xff\"}\n");
    input.extend_from_slice(
        format!("{{\"id\":\"deep\",\"reply\":\"\",\"state\":{}}}\n", "[".repeat(100_000)).as_bytes(),
    );
    input.extend_from_slice(
        br#"{"id":"d","state":{"n":18446744073709551615},"reply":"@.EVAL(\"f\"); @.SET(\"m\", 1);"}"#,
    );
    let answers = lines(&input);
    let codes: Vec<_> = answers.iter().map(|answer| json!([answer["id"], answer["error"]["code"]])).collect();
    assert_eq!(
        json!(codes),
        json!([
            ["a", null],
            [null, "malformed_json"],
            [2, "validation_error"],
            ["b", "validation_error"],
            ["c", "malformed_json"],
            ["deep", "malformed_json"],
            ["d", null]
        ])
    );
    assert_eq!(
        answers[0],
        json!({
            "id": "a", "state": {"金": 3}, "problems": [],
            "commands": [{
                "dialect": "mvu", "name": "add", "args": ["'金'", "2"], "span": [0, 16], "status": "applied", "reason": "x",
            }],
            "change": [{"op": "replace", "path": "/金", "value": 3}],
        })
    );
    assert_eq!(answers[6]["state"], json!({"n": u64::MAX, "m": 1}));
    assert_eq!(answers[6]["commands"][0]["status"], "refused");
}

#[test]
fn a_line_that_is_too_long_is_an_error_of_its_own() {
    let mut input =
        format!("{{\"id\":\"long\",\"state\":{{}},\"reply\":\"{}\"}}\n", "x".repeat(16 * 1024 * 1024)).into_bytes();
    input.extend_from_slice(br#"{"id":"next","state":{},"reply":""}"#);
    let answers = lines(&input);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["error"]["code"], "payload_too_large");
    assert_eq!(answers[0]["id"], "long");
    assert_eq!(answers[1]["id"], "next");
}

#[test]
fn a_line_is_answered_before_the_next_one_is_sent() {
    use std::io::{BufRead as _, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavernkeep"))
        .args(["apply", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
    for id in 0..3 {
        writeln!(stdin, r#"{{"id":{id},"state":{{}},"reply":""}}"#).expect("it reads");
        let answer = answers.next().expect("an answer").expect("text");
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"#)), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

/// MVU's recorded behaviour, through the program. What differs on purpose is explained in `docs/compatibility.md`.
#[test]
fn mvu_is_matched_through_the_program() {
    let Some(vectors) = mvu("apply") else { return };
    // A list of replies is a conversation; one line is one reply.
    let single = |vector: &&Value| vector["reply_text"].is_string() && !is_candidate(vector);
    let vectors: Vec<&Value> = vectors.iter().filter(single).collect();
    let mut input = String::new();
    for vector in &vectors {
        let line = json!({
            "id": vector["id"], "profile": "mvu", "state": vector["initial_state"], "reply": vector["reply_text"],
            "schema": vector["initial_schema"],
        });
        input.push_str(&format!("{line}\n"));
    }
    let answers = lines(input.as_bytes());
    assert_eq!(answers.len(), vectors.len());
    let mut matched = 0;
    for (vector, answer) in vectors.iter().zip(&answers) {
        assert_eq!(vector["id"], answer["id"]);
        assert!(answer.get("error").is_none(), "{answer}");
        matched += usize::from(vector["expected_state"] == answer["state"]);
    }
    eprintln!("MVU: {matched} of {} states through `tavernkeep apply --jsonl`", vectors.len());
    assert!(matched * 100 >= vectors.len() * 97, "{matched} of {}", vectors.len());
}

/// What the rules at the end of a turn answer: a computed value, and an item that is used up.
const MEMORY: &str = "set_attribute('属性段.生理属性.力量.基础', 10); memory('global_set.背包.药', {\"num\": 0});";

#[test]
fn the_profile_memory_starts_from_the_template_of_its_pack() {
    let text = printed(&["--profile", "memory", "--reply", "-"], &[], MEMORY.as_bytes());
    assert!(text.contains("\"传奇\": [\n") || text.contains("\"传奇\": [2"), "{text}");
    let archived = "\narchived\n  global_set.背包 = {\"药\":{\"num\":0}}\n";
    assert!(text.contains(archived), "{text}");
    let text = printed(&["--profile", "memory", "--reply", "-", "--json"], &[], MEMORY.as_bytes());
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["state"]["play_character_data"]["属性段"]["生理属性"]["力量"]["传奇"][0], 2);
    assert_eq!(answer["archived"][0]["entries"], json!({"药": {"num": 0}}));
    // Without a pack there is nothing to start from but an empty object.
    let text = printed(&["--reply", "-", "--json"], &[], b"");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["state"], json!({}));
}

#[test]
fn a_line_without_a_state_starts_from_the_template_and_is_a_whole_turn() {
    let asked = [
        json!({"id": 1, "profile": "memory", "reply": MEMORY}),
        json!({"id": 2, "profile": "memory", "role": "user", "reply": "set_status('检定难度', 9);"}),
        json!({"id": 3, "reply": "@.SET(\"a\", 1);"}),
    ];
    let input: String = asked.iter().map(|line| format!("{line}\n")).collect();
    let answers = lines(input.as_bytes());
    assert_eq!(answers[0]["state"]["play_character_data"]["属性段"]["生理属性"]["力量"]["传奇"][0], 2);
    assert_eq!(answers[0]["archived"][0]["source"], "global_set.背包");
    assert_eq!(answers[1]["state"]["stat_data"]["检定难度"][0], 3);
    assert_eq!(answers[2]["error"]["code"], "validation_error");
}
