//! Turns with functions: the engine asks, the outside answers.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::ops::Range;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::function::{Function, FunctionKind, FunctionScope};
use tavernkeep_engine::limits::LOG_LINES_MAX;
use tavernkeep_engine::problem::Code;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{
    Answer, Call, Clock, FunctionAnswer, FunctionCall, FunctionResult, LogLine, Outcome, PatternMatch, Status, Step,
    StoredOutcome, Turn,
};

fn function(name: &str, kind: FunctionKind, order: i64) -> Function {
    Function { name: name.into(), kind, order, enabled: true, ..Function::default() }
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
                let mut run_one = |call: &FunctionCall| {
                    let args: Vec<Value> = call.args.iter().map(|arg| arg.clone().unwrap_or_default()).collect();
                    let after = run(&functions[call.function].name, &args, &document)?;
                    let change = diff(&document, &after);
                    document = after;
                    Ok(FunctionResult { change, effects: Vec::new() })
                };
                let results = run_now.iter().map(|call| run_one(call).into()).collect();
                waiting.resume(Answer::Ran(results))
            }
            Step::Waiting(Call::Patterns(patterns), waiting) => {
                assert_eq!(patterns, [0]);
                let start = waiting.reply().find("#set").unwrap();
                let args = vec![Some(Value::from("gold"))];
                let matches = vec![PatternMatch { function: 0, span: start..start + 10, args }];
                waiting.resume(Answer::Matches { matches, failures: Vec::new() })
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
    let pattern = FunctionKind::Active { pattern: Some("#set\\((\\w+)\\)".into()) };
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
    let pattern = || FunctionKind::Active { pattern: Some("#set\\((\\w+)\\)".into()) };
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
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![Ok(result).into()])) else { panic!("it is done") };
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
    let first = vec![Ok(FunctionResult { change: bad, effects: vec![effect("bad")] }).into()];
    let Step::Waiting(Call::Run { functions, .. }, waiting) = waiting.resume(Answer::Ran(first)) else {
        panic!("the second one is asked for")
    };
    assert_eq!(functions[0].function, 1);
    let good = FunctionResult { effects: vec![effect("good")], ..FunctionResult::default() };
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![Ok(good).into()])) else { panic!("it is done") };
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

#[test]
fn one_place_in_the_text_is_one_call() {
    let function = |name: &str, scope, order| Function {
        name: name.into(),
        kind: FunctionKind::Active { pattern: Some("x".into()) },
        scope,
        order,
        enabled: true,
        ..Function::default()
    };
    let functions: Vec<Function> = vec![
        function("global", FunctionScope::Global, 0),
        function("local", FunctionScope::Local, 9),
        function("second", FunctionScope::Global, 1),
    ];
    let names = |reply: &str, matches: &[(usize, Range<usize>)]| {
        let (reply, functions) = (reply.to_owned(), functions.clone().into());
        let turn = Turn { document: Value::empty_object(), reply, functions, ..Turn::default() };
        let Step::Waiting(Call::Patterns(_), waiting) = turn.start() else { panic!("patterns are matched") };
        let found = |(function, span): &(usize, Range<usize>)| PatternMatch {
            function: *function,
            span: span.clone(),
            args: Vec::new(),
        };
        let matches = matches.iter().map(found).collect();
        let mut step = waiting.resume(Answer::Matches { matches, failures: Vec::new() });
        let outcome = loop {
            step = match step {
                Step::Done(outcome) => break outcome,
                Step::Waiting(Call::Run { functions, .. }, waiting) => {
                    let done = |_| FunctionAnswer::from(Ok(FunctionResult::default()));
                    waiting.resume(Answer::Ran(functions.iter().map(done).collect()))
                }
                Step::Waiting(Call::Patterns(_), _) => panic!("patterns are matched once"),
            };
        };
        let results = outcome.results.iter();
        results.map(|result| format!("{} {:?}", result.command.name, result.command.span)).collect::<Vec<_>>()
    };
    // Local over global, wherever they start.
    assert_eq!(names("0123456789", &[(0, 0..6), (1, 4..8)]), ["local 4..8"]);
    // Then the earliest start, then the longest, then the order.
    assert_eq!(names("0123456789", &[(0, 2..9), (2, 0..4)]), ["second 0..4"]);
    assert_eq!(names("0123456789", &[(0, 0..4), (2, 0..6)]), ["second 0..6"]);
    assert_eq!(names("0123456789", &[(2, 0..4), (0, 0..4)]), ["global 0..4"]);
    // Neighbours do not overlap, and a match of nothing is none.
    assert_eq!(names("0123456789", &[(0, 0..4), (2, 4..6), (1, 7..7)]), ["global 0..4", "second 4..6"]);
    // A pattern comes before what a dialect finds at the same place.
    assert_eq!(names("@.SET(\"a\", 1); ok", &[(0, 2..5)]), ["global 2..5"]);
}

#[test]
fn a_function_comes_before_the_built_in_one_of_its_name() {
    let global = function("set", FunctionKind::Active { pattern: None }, 0);
    let local = Function { name: "SET".into(), scope: FunctionScope::Local, order: 5, ..global.clone() };
    let turn = |functions: Vec<Function>| Turn {
        document: Value::parse(r#"{"log": []}"#).unwrap(),
        reply: "@.SET(\"hp\", 2);".to_owned(),
        functions: functions.into(),
        ..Turn::default()
    };
    let document = |functions: Vec<Function>| play(turn(functions), log).document.to_json();
    assert_eq!(document(vec![global.clone(), local]), r#"{"log":["SET \"hp\" 2"]}"#);
    assert_eq!(document(vec![global.clone()]), r#"{"log":["set \"hp\" 2"]}"#);
    assert_eq!(document(vec![Function { enabled: false, ..global }]), r#"{"log":[],"hp":2}"#);
}

#[test]
fn passive_functions_run_by_order_then_name() {
    let turn = Turn {
        document: Value::parse(r#"{"log": []}"#).unwrap(),
        functions: vec![
            function("b", FunctionKind::PassiveAfter, 1),
            function("a", FunctionKind::PassiveAfter, 1),
            function("c", FunctionKind::PassiveAfter, 0),
        ]
        .into(),
        ..Turn::default()
    };
    assert_eq!(play(turn, log).document.to_json(), r#"{"log":["c","a","b"]}"#);
}

#[test]
fn what_functions_log_is_stored_within_bounds() {
    let turn = Turn { functions: vec![function("tick", FunctionKind::PassiveAfter, 0)].into(), ..Turn::default() };
    let Step::Waiting(_, waiting) = turn.start() else { panic!("a function is called") };
    let log = (0..LOG_LINES_MAX + 5).map(|line| format!("line {line}")).collect();
    let answer = FunctionAnswer { result: Err("no".to_owned()), log, duration_us: 1 };
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![answer])) else { panic!("it is done") };
    assert_eq!(outcome.log().len(), LOG_LINES_MAX);
    let stored = StoredOutcome::read(&outcome.to_stored(""), Some("")).unwrap();
    assert_eq!(stored.log, outcome.log());
    assert_eq!(stored.log[0], LogLine { function: "tick".to_owned(), text: "line 0".to_owned() });
}

#[test]
fn which_functions_ran_is_stored() {
    let turn = Turn {
        document: Value::parse(r#"{"log": []}"#).unwrap(),
        reply: "@.SET(\"a\", 1); @.heal(5); @.EVAL(\"heal\", 6);".to_owned(),
        functions: vec![
            function("HEAL", FunctionKind::Active { pattern: None }, 0),
            function("before", FunctionKind::PassiveBefore, 0),
            function("after", FunctionKind::PassiveAfter, 0),
        ]
        .into(),
        ..Turn::default()
    };
    let reply = turn.reply.clone();
    let outcome = play(turn, log);
    let ran = outcome.ran();
    let named: Vec<(&str, Option<usize>)> = ran.iter().map(|run| (run.function.as_str(), run.command)).collect();
    assert_eq!(named[..2], [("before", None), ("HEAL", Some(1))]);
    assert_eq!(named.last(), Some(&("after", None)));
    assert!(ran.iter().all(|run| !run.ops.is_empty()), "{ran:?}");
    for text in [Some(reply.as_str()), None] {
        assert_eq!(StoredOutcome::read(&outcome.to_stored(&reply), text).unwrap().ran, ran);
    }
    // What older programs stored has no functions, and is read as ever.
    let before = Outcome { runs: Vec::new(), ..outcome };
    assert_eq!(StoredOutcome::read(&before.to_stored(&reply), Some(&reply)).unwrap().ran, []);
}

#[test]
fn what_a_refused_function_would_have_noted_is_no_problem() {
    let turn = Turn {
        document: Value::parse(r#"{"name": "x", "_locked": 1}"#).unwrap(),
        functions: vec![function("both", FunctionKind::PassiveAfter, 0)].into(),
        ..Turn::default()
    };
    let after = Value::parse(r#"{"name": 5, "_locked": 2}"#).unwrap();
    let before = turn.document.clone();
    let Step::Waiting(_, waiting) = turn.start() else { panic!("a function is called") };
    let change = diff(&before, &after);
    let result = Ok(FunctionResult { change, effects: Vec::new() });
    let Step::Done(outcome) = waiting.resume(Answer::Ran(vec![result.into()])) else { panic!("it is done") };
    assert_eq!(outcome.document, before);
    assert_eq!(outcome.problems.len(), 1, "{:?}", outcome.problems);
    assert!(outcome.problems[0].message.starts_with("both: "), "{:?}", outcome.problems);
}
