//! The scripts of one turn, in whatever runs them: the patterns first, then runs of functions, within the time of the turn.

use crate::budget::Budget;
use crate::in_process::InProcess;
use crate::limits::{Limits, kill_us};
use crate::pool::{Pool, Unavailable};
use crate::process::{Lost, Worker};
use crate::vm::MachineTurn;
use crate::work::{FunctionOrder, Order, PatternOrder, Reply, RunOrder};
use std::collections::HashSet;
use tavernkeep_engine::document::{Number, Value};
use tavernkeep_engine::function::{Function, FunctionKind};
use tavernkeep_engine::limits::SCRIPT_SENT_BYTES_MAX;
use tavernkeep_engine::turn::{Answer, Call, FunctionAnswer, FunctionCall, PatternMatch, Waiting};

/// Runs the scripts of one turn.
pub struct ScriptTurn<'a> {
    runner: Runner<'a>,
    limits: Limits,
    budget: Budget,
    /// Bytes of the orders so far.
    sent_bytes: usize,
    /// Whether the runner has the reply.
    has_reply: bool,
    /// The functions whose code the runner has.
    known: HashSet<usize>,
}

/// What runs the scripts of a turn.
pub(crate) enum Runner<'a> {
    /// A worker of the pool, from the first call on.
    Pool {
        pool: &'a Pool,
        account: &'a str,
        worker: Option<Worker>,
        /// Whether the turn took so long that others go first.
        is_slow: bool,
    },
    /// A machine in this process, from the first call on.
    InProcess { machines: &'a InProcess, turn: Option<Box<MachineTurn>> },
}

/// A runner that was lost while a script ran.
struct LostRunner {
    /// A message for the author of the script.
    message: String,
    duration_us: u64,
}

impl<'a> ScriptTurn<'a> {
    pub(crate) fn new(runner: Runner<'a>, limits: Limits) -> ScriptTurn<'a> {
        let budget = Budget::new(&limits);
        ScriptTurn { runner, limits, budget, sent_bytes: 0, has_reply: false, known: HashSet::new() }
    }

    /// Answers a call of a turn. What a script does wrong is in the answer; an error says that nobody could be asked.
    pub fn answer(&mut self, call: &Call, waiting: &Waiting) -> Result<Answer, Unavailable> {
        match call {
            Call::Patterns(numbers) => self.match_patterns(numbers, waiting),
            Call::Run { functions, context } => self.run(functions, context, waiting),
        }
    }

    /// Compiles the code of functions without running it: for each what is wrong with it, if anything is.
    pub fn compile(&mut self, executors: &[String]) -> Result<Vec<Option<String>>, Unavailable> {
        let mut found: Vec<Option<String>> = Vec::with_capacity(executors.len());
        while let Some(rest) = executors.get(found.len()..).filter(|rest| !rest.is_empty()) {
            if self.budget.left_us == 0 {
                // What was not looked at is not known to be wrong.
                found.resize(executors.len(), None);
                break;
            }
            self.runner.begin()?;
            let kill_us = kill_us(self.budget.next_us(), 0);
            let order = Order::Compile { kill_us, executors: rest.to_vec() };
            let performed = self.perform(order, rest.len(), kill_us, &mut |reply, _| {
                found.push(match reply {
                    Reply::Compiled => None,
                    Reply::Failure(message) => Some(message),
                    Reply::Ready | Reply::Matches(_) | Reply::Result(_) => Some(UNEXPECTED.to_owned()),
                });
            });
            if let Err(lost) = performed {
                found.push(Some(lost.message));
            }
        }
        Ok(found)
    }

    fn match_patterns(&mut self, numbers: &[usize], waiting: &Waiting) -> Result<Answer, Unavailable> {
        let (mut matches, mut failures): (Vec<PatternMatch>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
        let mut rest = numbers;
        // Once for all patterns, and once more behind each that cost a worker.
        while !rest.is_empty() {
            if self.budget.left_us == 0 {
                failures.extend(rest.iter().map(|number| (*number, self.limits.out_of_time())));
                break;
            }
            self.runner.begin()?;
            let order =
                |number: &usize| PatternOrder { function: *number, pattern: pattern(waiting.functions().get(*number)) };
            let kill_us = kill_us(self.budget.next_us(), waiting.reply().len());
            let reply = self.reply(waiting);
            let patterns = rest.iter().map(order).collect();
            let order = Order::Patterns { reply, budget: self.budget, kill_us, patterns };
            let mut answered = 0;
            let performed = self.perform(order, rest.len(), kill_us, &mut |reply, _| {
                let Some(number) = rest.get(answered) else { return };
                answered += 1;
                match reply {
                    Reply::Matches(found) => matches.extend(found),
                    Reply::Failure(message) => failures.push((*number, message)),
                    Reply::Ready | Reply::Result(_) | Reply::Compiled => {
                        failures.push((*number, UNEXPECTED.to_owned()));
                    }
                }
            });
            match performed {
                Ok(()) => break,
                Err(lost) => {
                    let number = rest.get(answered).copied();
                    failures.extend(number.map(|number| (number, lost.message)));
                    rest = rest.get(answered + 1..).unwrap_or_default();
                }
            }
        }
        Ok(Answer::Matches { matches, failures })
    }

    fn run(&mut self, functions: &[FunctionCall], context: &Value, waiting: &Waiting) -> Result<Answer, Unavailable> {
        if self.budget.left_us == 0 {
            return Ok(Answer::Failed(self.limits.out_of_time()));
        }
        if self.sent_bytes > SCRIPT_SENT_BYTES_MAX {
            return Ok(Answer::Failed("the turn calls functions too often on so large a document".to_owned()));
        }
        self.runner.begin()?;
        let document = waiting.document();
        let mut calls = Vec::with_capacity(functions.len());
        for call in functions {
            let is_new = self.known.insert(call.function);
            let executor = waiting.functions().get(call.function).filter(|_| is_new);
            calls.push(FunctionOrder {
                function: call.function,
                executor: executor.map(|function| function.executor.to_string()),
                args: call.args.clone(),
                seed: call.seed,
            });
        }
        let now_ms = context.get("now_ms").and_then(Value::as_number).and_then(Number::as_i64);
        let kill_us = kill_us(self.budget.next_us(), document.weight() + waiting.reply().len());
        let order = Order::Run(RunOrder {
            reply: self.reply(waiting),
            now_ms: now_ms.unwrap_or_default(),
            budget: self.budget,
            kill_us,
            context: context.clone(),
            document: document.clone(),
            functions: calls,
        });
        let mut results: Vec<FunctionAnswer> = Vec::with_capacity(functions.len());
        let mut failure = None;
        let performed = self.perform(order, functions.len(), kill_us, &mut |reply, budget| {
            results.push(match reply {
                Reply::Result(result) => {
                    budget.spend(result.duration_us);
                    result
                }
                Reply::Failure(message) => {
                    failure = Some(message.clone());
                    Err(message).into()
                }
                Reply::Ready | Reply::Matches(_) | Reply::Compiled => Err(UNEXPECTED.to_owned()).into(),
            });
        });
        if let Err(LostRunner { message, duration_us }) = performed {
            results.push(FunctionAnswer { result: Err(message), log: Vec::new(), duration_us });
        }
        Ok(failure.map_or(Answer::Ran(results), Answer::Failed))
    }

    /// Has an order performed, whose answers are counted against the time of the turn. A runner that is lost on the way is
    /// forgotten.
    fn perform(
        &mut self,
        order: Order,
        answers: usize,
        kill_us: u64,
        each: &mut dyn FnMut(Reply, &mut Budget),
    ) -> Result<(), LostRunner> {
        let mut budget = self.budget;
        let mut each = |reply| each(reply, &mut budget);
        let (performed, used_us) = match &mut self.runner {
            Runner::InProcess { turn: Some(turn), .. } => {
                let before = crate::vm::cpu_us();
                turn.perform(order, &mut each);
                (Ok(()), crate::vm::cpu_us() - before)
            }
            Runner::Pool { worker: Some(worker), .. } => {
                let before = worker.cpu_us();
                let performed = order_of_worker(worker, &order, answers, kill_us, &mut each, &mut self.sent_bytes);
                (performed, worker.cpu_us().saturating_sub(before))
            }
            _ => (Err(Lost::Died(UNEXPECTED.to_owned())), 0),
        };
        if let Runner::Pool { is_slow, .. } = &mut self.runner {
            *is_slow |= used_us >= self.limits.function_us;
        }
        if performed == Err(Lost::TimedOut) {
            budget.spend(used_us.max(budget.next_us()));
        }
        // Beside its scripts a worker reads and compares documents.
        budget.left_us = budget.left_us.min(self.budget.left_us.saturating_sub(used_us));
        let script_us = self.budget.next_us();
        self.budget = budget;
        performed.map_err(|lost| {
            self.runner.forget();
            self.has_reply = false;
            self.known.clear();
            let message = match lost {
                Lost::TimedOut => format!("ran longer than {} ms and was killed", script_us / 1000),
                Lost::Died(how) => how,
            };
            LostRunner { message, duration_us: used_us }
        })
    }

    /// The reply, if the runner does not have it.
    fn reply(&mut self, waiting: &Waiting) -> Option<String> {
        (!std::mem::replace(&mut self.has_reply, true)).then(|| waiting.reply().to_owned())
    }
}

const UNEXPECTED: &str = "the worker answered something else";

fn order_of_worker(
    worker: &mut Worker,
    order: &Order,
    answers: usize,
    kill_us: u64,
    each: &mut dyn FnMut(Reply),
    sent_bytes: &mut usize,
) -> Result<(), Lost> {
    *sent_bytes += worker.send(order)?;
    for _ in 0..answers {
        let reply = worker.receive(kill_us)?;
        // What keeps all functions from running is one answer for all of them.
        let is_last = matches!((order, &reply), (Order::Run(_), Reply::Failure(_)));
        each(reply);
        if is_last {
            break;
        }
    }
    Ok(())
}

fn pattern(function: Option<&Function>) -> String {
    match function.map(|function| &function.kind) {
        Some(FunctionKind::Active { pattern: Some(pattern) }) => pattern.to_string(),
        _ => String::new(),
    }
}

impl Runner<'_> {
    /// Makes sure that there is something to run scripts.
    fn begin(&mut self) -> Result<(), Unavailable> {
        match self {
            Runner::Pool { pool, account, worker, .. } if worker.is_none() => *worker = Some(pool.acquire(account)?),
            Runner::InProcess { machines, turn } if turn.is_none() => {
                *turn = Some(Box::new(machines.take()?.turn()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Drops what cannot be used any more.
    fn forget(&mut self) {
        match self {
            Runner::Pool { pool, account, worker, is_slow } => {
                if let Some(worker) = worker.take() {
                    pool.lost(worker, account, *is_slow);
                }
            }
            Runner::InProcess { turn, .. } => *turn = None,
        }
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        match self {
            Runner::Pool { pool, account, worker, is_slow } => {
                if let Some(worker) = worker.take() {
                    pool.release(worker, account, *is_slow);
                }
            }
            Runner::InProcess { machines, turn } => {
                if let Some(turn) = turn.take() {
                    machines.give_back(turn.end());
                }
            }
        }
    }
}
