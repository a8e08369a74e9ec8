//! Turns with functions: the engine asks, the outside answers.
#![allow(clippy::unwrap_used, clippy::panic)]

use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::problem::Code;
use tavernkeep_engine::turn::{Answer, Call, Clock, Outcome, PatternMatch, Status, Step, Turn};

fn function(name: &str, kind: FunctionKind, order: i64) -> Function {
    Function { name: name.to_owned(), kind, order, enabled: true }
}

/// Runs a turn; `run` plays the scripts.
fn play(turn: Turn, mut run: impl FnMut(&str, &[Value], &Value) -> Answer) -> Outcome {
    let functions = turn.functions.clone();
    let mut step = turn.start();
    loop {
        step = match step {
            Step::Done(outcome) => return *outcome,
            Step::Waiting(Call::Run { function, args, .. }, waiting) => {
                let answer = run(&functions[function].name, &args, waiting.view());
                waiting.resume(answer)
            }
            Step::Waiting(Call::Patterns { patterns, text }, waiting) => {
                assert_eq!(patterns, [(0, "#set\\((\\w+)\\)".to_owned())]);
                let start = text.find("#set").unwrap();
                let args = vec![Value::from("gold")];
                waiting.resume(Answer::Matches(vec![PatternMatch { function: 0, span: start..start + 10, args }]))
            }
        };
    }
}

/// Appends the function's name to `log`.
fn log(name: &str, args: &[Value], document: &Value) -> Answer {
    let entry = std::iter::once(name.to_owned()).chain(args.iter().map(Value::to_json)).collect::<Vec<_>>().join(" ");
    let members = document.as_object().unwrap().iter().map(|(key, value)| match key.as_ref() {
        "log" => (key.clone(), value.items().iter().cloned().chain([Value::from(entry.as_str())]).collect()),
        _ => (key.clone(), value.clone()),
    });
    Answer::Document(members.collect())
}

#[test]
fn functions_run_in_their_order_and_become_ops() {
    let document = Value::parse(r#"{"gold": 1, "log": []}"#).unwrap();
    let turn = Turn {
        document: document.clone(),
        reply: "@.cast(\"fire\", 3); @.ADD(\"gold\", 1); @.EVAL(\"cast\", 1);".to_owned(),
        functions: vec![
            function("after", FunctionKind::PassiveAfter, 0),
            function("second", FunctionKind::PassiveBefore, 2),
            function("first", FunctionKind::PassiveBefore, 1),
            function("cast", FunctionKind::Active { pattern: None }, 0),
        ],
        ..Turn::default()
    };
    let outcome = play(turn, log);
    assert_eq!(outcome.document.to_json(), r#"{"gold":2,"log":["first","second","cast \"fire\" 3","cast 1","after"]}"#);
    assert!(outcome.change.apply(&document).unwrap().same_in_order(&outcome.document), "replay runs nothing");
}

#[test]
fn a_function_that_fails_is_one_problem() {
    let turn = Turn {
        document: Value::parse(r#"{"gold": 1}"#).unwrap(),
        reply: "@.cast(1); @.ADD(\"gold\", 1);".to_owned(),
        functions: vec![
            function("cast", FunctionKind::Active { pattern: None }, 0),
            function("tick", FunctionKind::PassiveBefore, 0),
        ],
        ..Turn::default()
    };
    let outcome = play(turn, |_, _, _| Answer::Failed("ran longer than 100 ms".to_owned()));
    assert_eq!(outcome.document.to_json(), r#"{"gold":2}"#);
    assert!(matches!(&outcome.results[0].status, Status::Refused(refusal) if refusal.code == Code::ScriptFailed));
    assert_eq!(outcome.problems.len(), 1);
    assert!(outcome.problems[0].message.starts_with("tick: "));
}

#[test]
fn an_authors_pattern_finds_calls_of_its_own() {
    let pattern = FunctionKind::Active { pattern: Some("#set\\((\\w+)\\)".to_owned()) };
    let turn = Turn {
        document: Value::parse(r#"{"gold": 1, "log": []}"#).unwrap(),
        reply: "@.ADD(\"gold\", 1); #set(gold) @.ADD(\"gold\", 1);".to_owned(),
        functions: vec![function("hash_set", pattern, 0)],
        ..Turn::default()
    };
    let outcome = play(turn, log);
    assert_eq!(outcome.document.to_json(), r#"{"gold":3,"log":["hash_set \"gold\""]}"#);
    let names: Vec<&str> = outcome.results.iter().map(|result| result.command.name.as_str()).collect();
    assert_eq!(names, ["ADD", "hash_set", "ADD"]);
}

#[test]
fn timed_writes_come_due_by_round_and_by_story_time() {
    let document = r#"{"天气":"晴","季":"夏","time":"2024-07-01","_timed":[
        {"path":["天气"],"value":"雨","reason":"r","round":5},{"path":["季"],"value":"秋","reason":"s","time":"2024-09-01"}]}"#;
    let turn = |document: Value, round, reply: &str| {
        let clock = Clock { round, ..Clock::default() };
        play(Turn { document, clock, reply: reply.to_owned(), ..Turn::default() }, log).document
    };
    let before = turn(Value::parse(document).unwrap(), 4, "@.TIME(\"2024-09-02\");");
    assert_eq!(before.get("天气"), Some(&Value::from("晴")));
    let after = turn(before, 5, "");
    assert_eq!(after.to_json(), r#"{"天气":"雨","季":"秋","time":"2024-09-02","_timed":[]}"#);
}

#[test]
fn a_pattern_finds_its_own_function_and_nothing_in_thinking() {
    let pattern = || FunctionKind::Active { pattern: Some("#set\\((\\w+)\\)".to_owned()) };
    let turn = |reply: &str| Turn {
        document: Value::parse(r#"{"log": []}"#).unwrap(),
        reply: reply.to_owned(),
        functions: vec![function("SET", pattern(), 0)],
        ..Turn::default()
    };
    // The function has the name of one of ours; what the pattern found is still the author's.
    let outcome = play(turn("She casts #set(gold)."), log);
    assert_eq!(outcome.document.to_json(), r#"{"log":["SET \"gold\""]}"#);
    let outcome = play(turn("<think>#set(gold)</think>She waits."), log);
    assert_eq!(outcome.document.to_json(), r#"{"log":[]}"#);
    assert!(outcome.results.is_empty());
}
