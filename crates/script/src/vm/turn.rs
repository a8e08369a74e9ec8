//! One turn on a machine: patterns that are matched, functions that are run, one after the other.

use super::document::{DocumentError, MachineDocument, new_value};
use super::executor::LINES_BEFORE;
use super::js::{Js, Tag, Thrown, new_text};
use super::{Machine, cpu_us, pattern};
use crate::budget::Budget;
use crate::work::{FunctionOrder, Order, PatternOrder, Reply, RunOrder};
use rquickjs_sys as qjs;
use std::collections::HashMap;
use tavernkeep_engine::diff::diff;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::turn::{FunctionAnswer, FunctionResult, PatternMatch};

/// One turn on a machine. What belongs to the machine is declared before it, so that it is dropped before it.
pub(crate) struct MachineTurn {
    functions: HashMap<usize, Result<Js, String>>,
    reply: Option<(Js, String)>,
    context: Option<Js>,
    document: Option<MachineDocument>,
    machine: Machine,
}

impl MachineTurn {
    pub(super) fn new(machine: Machine) -> MachineTurn {
        MachineTurn { functions: HashMap::new(), reply: None, context: None, document: None, machine }
    }

    /// Ends the turn: the machine has never run a script.
    pub(crate) fn end(self) -> Machine {
        let MachineTurn { functions, reply, context, document, mut machine } = self;
        if let Some(document) = document {
            document.forget();
        }
        drop((functions, reply, context));
        machine.host.take_log();
        machine.host.integers.forget();
        // SAFETY: what pointed into the arena was dropped.
        unsafe { machine.arena.restore() };
        machine
    }

    /// Does what is ordered and gives each answer to `answer`, as soon as there is one.
    pub(crate) fn perform(&mut self, order: Order, answer: &mut dyn FnMut(Reply)) {
        match order {
            Order::Patterns { reply, budget, patterns, .. } => self.match_patterns(reply, budget, &patterns, answer),
            Order::Run(order) => self.run_all(order, answer),
            Order::Compile { executors, .. } => executors.iter().for_each(|executor| {
                self.machine.arm(self.machine.limits.function_us);
                answer(self.machine.compile(executor).map_or_else(Reply::Failure, |_| Reply::Compiled));
            }),
            Order::Start(_) | Order::End => {}
        }
    }

    fn match_patterns(
        &mut self,
        reply: Option<String>,
        mut budget: Budget,
        patterns: &[PatternOrder],
        answer: &mut dyn FnMut(Reply),
    ) {
        let prepared = reply.map_or(Ok(()), |reply| self.set_reply(reply));
        for pattern in patterns {
            let started = cpu_us();
            let found = match (&prepared, budget.left_us) {
                (Err(message), _) => Err(message.clone()),
                (Ok(()), 0) => Err(self.machine.limits.out_of_time()),
                (Ok(()), _) => self.find(pattern, budget.next_us()),
            };
            budget.spend(cpu_us() - started);
            answer(found.map_or_else(Reply::Failure, Reply::Matches));
        }
    }

    fn run_all(&mut self, mut order: RunOrder, answer: &mut dyn FnMut(Reply)) {
        let reply = order.reply.take();
        let prepared = reply.map_or(Ok(()), |reply| self.set_reply(reply)).and_then(|()| self.prepare(&order));
        if let Err(message) = prepared {
            return answer(Reply::Failure(message));
        }
        for function in &order.functions {
            let result = self.run(function, &order.budget, (order.kill_us, order.read_us));
            order.budget.spend(result.duration_us);
            answer(Reply::Result(result));
        }
    }

    /// The text that patterns are matched against and that functions find in their context.
    fn set_reply(&mut self, reply: String) -> Result<(), String> {
        self.machine.arm(self.machine.limits.function_us);
        // SAFETY: the context is live.
        let text = unsafe { new_text(self.machine.context, &reply) };
        self.reply = Some((text.map_err(|Thrown| self.machine.message(0))?, reply));
        Ok(())
    }

    /// Matches one pattern against the reply.
    fn find(&self, order: &PatternOrder, time_us: u64) -> Result<Vec<PatternMatch>, String> {
        let machine = &self.machine;
        machine.arm(time_us);
        let (text, reply) = self.reply.as_ref().ok_or("there is no reply")?;
        // SAFETY: the context is live, and `find` belongs to the machine for good.
        let (find, pattern) = unsafe {
            let pattern = new_text(machine.context, &order.pattern).map_err(|Thrown| machine.message(0))?;
            (Js::share(machine.context, machine.find), pattern)
        };
        pattern::find(machine.context, &find, &pattern, text, reply, order.function)
            .map_err(|Thrown| machine.message(0))
    }

    /// Makes ready for a run of functions: the document and what they may know.
    fn prepare(&mut self, order: &RunOrder) -> Result<(), String> {
        let machine = &self.machine;
        // What is done here is bounded by the size of the order.
        machine.arm(u64::from(u32::MAX));
        machine.host.now_ms.set(order.now_ms);
        // SAFETY: the context is live, and `make_context` belongs to the machine for good.
        let prepared = unsafe {
            let make = Js::share(machine.context, machine.make_context);
            let known = new_value(machine.context, &order.context);
            let text = self.reply.as_ref().map_or_else(
                || Js::take(machine.context, qjs::JS_NULL),
                |(reply, _)| Ok(Js::share(machine.context, reply.raw())),
            );
            known.and_then(|known| make.call(&[&known, &text?])).and_then(|context| {
                // The one before goes first, so that both need not fit.
                self.document = None;
                let document = MachineDocument::build(machine.context, &order.document, true)?;
                Ok((context, document))
            })
        };
        let (context, document) = prepared.map_err(|Thrown| machine.message(0))?;
        self.context = Some(context);
        self.document = Some(document);
        Ok(())
    }

    /// The document as the functions left it so far.
    #[cfg(test)]
    pub(super) fn document(&self) -> Option<&Value> {
        self.document.as_ref().map(MachineDocument::value)
    }

    /// Runs one function. If it fails, the document is as before.
    fn run(&mut self, order: &FunctionOrder, budget: &Budget, ends: (u64, u64)) -> FunctionAnswer {
        let started = cpu_us();
        let result = match budget.left_us {
            0 => Err(self.machine.limits.out_of_time()),
            _ => self.try_run(order, budget.next_us(), ends),
        };
        FunctionAnswer { result, log: self.machine.host.take_log(), duration_us: cpu_us() - started }
    }

    /// The worker ends where the script takes longer than `kill_us`, or what is read and compared behind it longer than `read_us`
    /// beyond that.
    fn try_run(
        &mut self,
        order: &FunctionOrder,
        time_us: u64,
        (kill_us, read_us): (u64, u64),
    ) -> Result<FunctionResult, String> {
        let machine = &self.machine;
        machine.arm(time_us);
        if let Some(executor) = &order.executor {
            let function = machine.compile(executor);
            self.functions.insert(order.function, function);
        }
        let function = match self.functions.get(&order.function) {
            Some(Ok(function)) => function,
            Some(Err(message)) => return Err(message.clone()),
            None => return Err("the function is not known".to_owned()),
        };
        let (Some(document), Some(context)) = (&mut self.document, &self.context) else {
            return Err("there is no document".to_owned());
        };
        machine.host.random.set(order.seed);
        let before = document.value().clone();
        let after = (|| {
            document.refresh()?;
            let args = arguments(machine.context, &order.args)?;
            // SAFETY: the root is live.
            let root = unsafe { Js::share(machine.context, document.root().raw()) };
            // While the script runs, the document belongs to the getters in it.
            machine.host.document.set(document);
            machine.end_after(kill_us);
            let left = function.call(&[&root, &args, context]);
            machine.end_after(kill_us.saturating_add(read_us));
            machine.host.document.set(std::ptr::null_mut());
            let left = left?;
            match left.tag() {
                // SAFETY: the root is live.
                Tag::Undefined | Tag::Null => {
                    let root = unsafe { Js::share(machine.context, document.root().raw()) };
                    document.read(&root)
                }
                Tag::Object => document.read(&left),
                other => {
                    let message =
                        format!("returned {}, and not the snapshot, another object or nothing", described(other));
                    Err(DocumentError::NotJson(message))
                }
            }
        })();
        match after {
            Ok(after) => Ok(FunctionResult { change: diff(&before, &after), effects: Vec::new() }),
            Err(error) => {
                document.take_back();
                Err(match error {
                    DocumentError::Thrown => machine.message(LINES_BEFORE),
                    DocumentError::NotJson(message) => message,
                })
            }
        }
    }
}

/// What a value is, for a message.
fn described(tag: Tag) -> &'static str {
    match tag {
        Tag::Bool(_) => "true or false",
        Tag::Integer(_) | Tag::Double(_) => "a number",
        Tag::BigInt => "a BigInt",
        Tag::String => "a text",
        Tag::Undefined | Tag::Null => "nothing",
        Tag::Object => "an object",
        Tag::Other => "a symbol",
    }
}

/// The arguments of a function as a list.
fn arguments(context: *mut qjs::JSContext, args: &[Option<Value>]) -> Result<Js, Thrown> {
    // SAFETY: the context is live; the list takes over its items.
    unsafe {
        let list = Js::take(context, qjs::JS_NewArray(context))?;
        for (index, arg) in (0_u32..).zip(args) {
            let item = match arg {
                Some(value) => new_value(context, value)?.into_raw(),
                None => qjs::JS_UNDEFINED,
            };
            if qjs::JS_SetPropertyUint32(context, list.raw(), index, item) < 0 {
                return Err(Thrown);
            }
        }
        Ok(list)
    }
}
