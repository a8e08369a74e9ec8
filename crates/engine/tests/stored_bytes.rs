//! Databases hold these bytes: a program that is newer must read them as they were written, so they never change.
//! What is written and read back agrees in any case; only bytes that are written here show a number that has changed.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::command::{Arg, Command};
use tavernkeep_engine::dialect::Dialect;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::problem::{Code, Problem, Refusal};
use tavernkeep_engine::turn::{CommandResult, FunctionRun, Outcome, Status, StoredOutcome};

const REPLY: &str = "@.SET(\"金币\", 5); _.set('a', 1);//why @.FN(x)";

const STORED: &str = "\
    03680012000353455405040d0103736574030b370581016e6f7420696e20746865207265706c7918101066756c6c2d776964\
    7468207369676e73000216190d030b370581016e6f7420696e20746865207265706c791810040c6974206973206c6f636b65\
    6400000110280d08697420776173203201037365740661206c696e65020e0400000a6576657279207475726e0000";

fn command(dialect: Dialect, name: &str, args: Vec<Arg>, start: usize, end: usize) -> Command {
    Command { dialect, name: name.to_owned(), args, span: start..end, reason: None, block: None, repair: None }
}

fn run(name: &str, status: Status, command: Option<usize>, log: &[&str]) -> FunctionRun {
    let log = log.iter().map(|line| (*line).to_owned()).collect();
    FunctionRun { function: 0, name: name.into(), args: Vec::new(), status, ops: 3..3, command, log, duration_us: 0 }
}

/// Every status, every kind of argument, arguments that a call is split into, a reason, ops in and out of order, a log and runs.
fn outcome() -> Outcome {
    let refused = || Status::Refused(Refusal::new(Code::ReadOnly, "it is locked"));
    let args = vec![Arg::Value(Value::from(7)), Arg::Absent, Arg::Raw("not in the reply".to_owned())];
    let split = vec![Arg::Raw("\"金币\"".to_owned()), Arg::Raw("5".to_owned())];
    let first = command(Dialect::At, "SET", split, 0, 18);
    let second = Command { reason: Some("why".to_owned()), ..command(Dialect::Mvu, "set", args, 20, 33) };
    let results = vec![
        CommandResult { command: first, status: Status::Applied, ops: 0..1 },
        CommandResult { command: second.clone(), status: Status::Repaired("full-width signs".into()), ops: 1..3 },
        CommandResult { command: second, status: refused(), ops: 3..3 },
    ];
    let problems = vec![Problem { code: Code::StaleOldValue, span: 20..33, message: "it was 2".to_owned() }];
    let runs = vec![run("set", refused(), Some(2), &["a line"]), run("every turn", Status::Applied, None, &[])];
    let (document, change) = (Value::default(), Change::default());
    Outcome { document, change, results, problems, mvu_schema: None, effects: Vec::new(), runs }
}

#[test]
fn a_stored_outcome_has_the_bytes_that_it_always_had() {
    let outcome = outcome();
    let stored = outcome.to_stored(REPLY);
    let written = stored.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    assert_eq!(written, STORED);
    let read = StoredOutcome::read(&stored, Some(REPLY)).unwrap();
    assert_eq!(read.results, outcome.results);
    assert_eq!((read.problems, read.log, read.ran), (outcome.problems.clone(), outcome.log(), outcome.ran()));
}

#[test]
fn a_stored_change_has_the_bytes_that_it_always_had() {
    let [before, after] = [r#"{"a":1,"gone":{"x":[1]},"bag":["s"]}"#, r#"{"new":null,"a":2.5,"bag":["r","s"]}"#]
        .map(|text| Value::parse(text).unwrap());
    let change = diff(&before, &after);
    let stored = change.to_stored();
    assert_eq!(stored, r#"[["-",["gone"],1,{"x":[1]}],["+",["new"],0,null],["=",["a"],2.5,1],["+",["bag",0],0,"r"]]"#);
    assert_eq!(Change::from_stored(&stored).unwrap(), change);
}
