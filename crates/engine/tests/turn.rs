//! Turns with functions: the engine asks, the outside answers.
#![allow(clippy::unwrap_used, clippy::panic)]

use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::problem::Code;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Answer, Call, Clock, FunctionResult, Outcome, PatternMatch, Status, Step, Turn};

fn function(name: &str, kind: FunctionKind, order: i64) -> Function {
    Function { name: name.to_owned(), kind, order, enabled: true }
}

/// What a script makes of a document, or how it fails.
type Script = Result<Value, String>;

/// Runs a turn; `run` plays the scripts.
fn play(turn: Turn, run: impl FnMut(&str, &[Value], &Value) -> Script) -> Outcome {
    play_counted(turn, run).0
}

/// The same, with the number of functions in each call.
fn play_counted(turn: Turn, mut run: impl FnMut(&str, &[Value], &Value) -> Script) -> (Outcome, Vec<usize>) {
    let functions = turn.functions.clone();
    let (mut step, mut calls) = (turn.start(), Vec::new());
    loop {
        step = match step {
            Step::Done(outcome) => return (*outcome, calls),
            Step::Waiting(Call::Run { functions: run_now, .. }, waiting) => {
                calls.push(run_now.len());
                let mut document = waiting.document().clone();
                let results = run_now.iter().map(|call| {
                    let after = run(&functions[call.function].name, &call.args, &document)?;
                    let change = diff(&document, &after);
                    document = after;
                    Ok(FunctionResult { change, effects: Vec::new() })
                });
                let results = results.collect();
                waiting.resume(Answer::Ran(results))
            }
            Step::Waiting(Call::Patterns(patterns), waiting) => {
                assert_eq!(patterns, [(0, "#set\\((\\w+)\\)".to_owned())]);
                let start = waiting.reply().find("#set").unwrap();
                let args = vec![Value::from("gold")];
                waiting.resume(Answer::Matches(vec![PatternMatch { function: 0, span: start..start + 10, args }]))
            }
        };
    }
}

/// Appends the function's name to `log`.
fn log(name: &str, args: &[Value], document: &Value) -> Script {
    let entry = std::iter::once(name.to_owned()).chain(args.iter().map(Value::to_json)).collect::<Vec<_>>().join(" ");
    let members = document.as_object().unwrap().iter().map(|(key, value)| match key.as_ref() {
        "log" => (key.clone(), value.items().iter().cloned().chain([Value::from(entry.as_str())]).collect()),
        _ => (key.clone(), value.clone()),
    });
    Ok(members.collect())
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
        ]
        .into(),
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
        ]
        .into(),
        ..Turn::default()
    };
    let outcome = play(turn, |_, _, _| Err("ran longer than 100 ms".to_owned()));
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
        functions: vec![function("hash_set", pattern, 0)].into(),
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
        functions: vec![function("SET", pattern(), 0)].into(),
        ..Turn::default()
    };
    // The function has the name of one of ours; what the pattern found is still the author's.
    let outcome = play(turn("She casts #set(gold)."), log);
    assert_eq!(outcome.document.to_json(), r#"{"log":["SET \"gold\""]}"#);
    let outcome = play(turn("<think>#set(gold)</think>She waits."), log);
    assert_eq!(outcome.document.to_json(), r#"{"log":[]}"#);
    assert!(outcome.results.is_empty());
}

fn active(name: &str) -> Function {
    function(name, FunctionKind::Active { pattern: None }, 0)
}

#[test]
fn functions_that_follow_each_other_are_one_call() {
    let turn = Turn {
        document: Value::parse(r#"{"gold": 1, "log": []}"#).unwrap(),
        reply: "@.cast(1); @.cast(2); @.ADD(\"gold\", 1); @.cast(3);".to_owned(),
        functions: vec![active("cast"), function("tick", FunctionKind::PassiveBefore, 0)].into(),
        ..Turn::default()
    };
    let (outcome, calls) = play_counted(turn, log);
    assert_eq!(outcome.document.to_json(), r#"{"gold":2,"log":["tick","cast 1","cast 2","cast 3"]}"#);
    assert_eq!(calls, [3, 1]);
}

#[test]
fn a_function_obeys_the_rules_of_commands() {
    let profile = |fields: &str| std::sync::Arc::new(Profile::read(&Value::parse(fields).unwrap()).unwrap());
    for (fields, after, code, left) in [
        ("{}", r#"{"_secret": 2, "hp": 1}"#, Code::ReadOnly, 1),
        (r#"{"base": "strict"}"#, r#"{"_secret": 1, "hp": "high"}"#, Code::TypeChanged, 1),
        (r#"{"schema": {"properties": {"hp": {"maximum": 9}}}}"#, r#"{"_secret": 1, "hp": 10}"#, Code::OutOfRange, 1),
    ] {
        let document = Value::parse(r#"{"_secret": 1, "hp": 1}"#).unwrap();
        let (reply, functions) = ("@.cast();".to_owned(), vec![active("cast")].into());
        let turn = Turn { document: document.clone(), reply, functions, profile: profile(fields), ..Turn::default() };
        let outcome = play(turn, |_, _, _| Ok(Value::parse(after).unwrap()));
        assert_eq!(outcome.document.to_json(), document.to_json(), "{fields}");
        assert!(
            matches!(&outcome.results[0].status, Status::Refused(refusal) if refusal.code == code),
            "{fields} {:?}",
            outcome.results[0].status
        );
        assert_eq!(outcome.results.len(), left);
    }
}

#[test]
fn what_follows_a_refused_function_runs_on_the_real_document() {
    let turn = Turn {
        document: Value::parse(r#"{"_secret": 1, "hp": 1}"#).unwrap(),
        reply: "@.peek(); @.heal(); @.heal();".to_owned(),
        functions: vec![active("peek"), active("heal")].into(),
        ..Turn::default()
    };
    let (outcome, calls) = play_counted(turn, |name, _, document| {
        let secret = document.get("_secret").unwrap().as_number().unwrap().as_i64().unwrap();
        let hp = document.get("hp").unwrap().as_number().unwrap().as_i64().unwrap();
        let text = match name {
            "peek" => r#"{"_secret": 7, "hp": 1}"#.to_owned(),
            _ => format!(r#"{{"_secret": {secret}, "hp": {}}}"#, hp + secret),
        };
        Ok(Value::parse(&text).unwrap())
    });
    assert_eq!(outcome.document.to_json(), r#"{"_secret":1,"hp":3}"#);
    assert_eq!(calls, [3, 2], "the functions behind the refused one are asked for again");
    assert_eq!(outcome.refused(), 1);
}

#[test]
fn old_values_of_an_answer_are_not_believed() {
    let before = Value::parse(r#"{"hp": 1}"#).unwrap();
    let turn = Turn {
        document: before.clone(),
        reply: "@.cast();".to_owned(),
        functions: vec![active("cast")].into(),
        ..Turn::default()
    };
    let Step::Waiting(_, waiting) = turn.start() else { panic!("a function is called") };
    let lie = diff(&Value::parse(r#"{"hp": 99}"#).unwrap(), &Value::parse(r#"{"hp": 5}"#).unwrap());
    let result = FunctionResult { change: lie, effects: Vec::new() };
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![Ok(result)])) else { panic!("it is done") };
    assert_eq!(outcome.document.to_json(), r#"{"hp":5}"#);
    assert_eq!(outcome.change.inverse().apply(&outcome.document).unwrap(), before);
}

#[test]
fn effects_of_a_refused_function_are_dropped() {
    let effect = |key: &str| Effect::SetVariable {
        scope: tavernkeep_engine::scope::Scope::Chat,
        key: key.parse().unwrap(),
        value: Value::from(1).to_text(),
    };
    let turn = Turn {
        document: Value::parse(r#"{"hp": 1}"#).unwrap(),
        reply: "@.bad(); @.good();".to_owned(),
        functions: vec![active("bad"), active("good")].into(),
        ..Turn::default()
    };
    let Step::Waiting(_, waiting) = turn.start() else { panic!("functions are called") };
    let bad = diff(&Value::empty_object(), &Value::parse(r#"{"_x": 1}"#).unwrap());
    let first = vec![Ok(FunctionResult { change: bad, effects: vec![effect("bad")] })];
    let Step::Waiting(Call::Run { functions, .. }, waiting) = waiting.resume(Answer::Ran(first)) else {
        panic!("the second one is asked for")
    };
    assert_eq!(functions[0].function, 1);
    let good = FunctionResult { effects: vec![effect("good")], ..FunctionResult::default() };
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![Ok(good)])) else { panic!("it is done") };
    assert_eq!(outcome.effects, [effect("good")]);
}

#[test]
fn an_answer_that_runs_nothing_fails_the_first_function() {
    let turn = Turn {
        document: Value::empty_object(),
        reply: "@.one(); @.two();".to_owned(),
        functions: vec![active("one"), active("two")].into(),
        ..Turn::default()
    };
    let mut step = turn.start();
    let outcome = loop {
        step = match step {
            Step::Done(outcome) => break outcome,
            Step::Waiting(_, waiting) => waiting.resume(Answer::Ran(Vec::new())),
        };
    };
    assert_eq!(outcome.refused(), 2);
}

#[test]
fn a_built_in_function_that_is_switched_off_is_the_sessions_own() {
    let profile = Profile::read(&Value::parse(r#"{"disabled": ["ADD", "set"]}"#).unwrap()).unwrap();
    let profile = std::sync::Arc::new(profile);
    let turn = |functions: Vec<Function>| Turn {
        document: Value::parse(r#"{"hp": 1, "log": []}"#).unwrap(),
        reply: "@.ADD(\"hp\", 1); _.set('hp', 5); @.SET(\"hp\", 2);".to_owned(),
        functions: functions.into(),
        profile: std::sync::Arc::clone(&profile),
        ..Turn::default()
    };
    let outcome = play(turn(Vec::new()), log);
    assert_eq!(outcome.document.to_json(), r#"{"hp":2,"log":[]}"#);
    let codes = outcome.results.iter().map(|result| match &result.status {
        Status::Refused(refusal) => Some(refusal.code),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [Some(Code::UnknownFunction), Some(Code::UnknownFunction), None]);
    let outcome = play(turn(vec![active("add")]), log);
    assert_eq!(outcome.document.to_json(), r#"{"hp":2,"log":["add \"hp\" 1"]}"#);
}
