//! What a worker is asked to do, and how that is written into bytes.
//!
//! ```text
//! frame    = length · 4 bytes, body
//! order    = 1 start | 2 patterns | 3 run | 4 end of the turn | 5 compile
//! answer   = 1 ready | 2 matches | 3 failure | 4 result | 5 failed result | 6 compiled
//! ```
//!
//! Numbers are eight bytes, the lowest first; texts are a number and their bytes. Documents are JSON.

use crate::budget::Budget;
use crate::limits::Limits;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::DOCUMENT_BYTES_MAX;
use tavernkeep_engine::turn::{FunctionAnswer, FunctionResult, PatternMatch};

/// Bytes of a frame: a document and a reply of the largest size, escaped.
pub(crate) const FRAME_BYTES_MAX: usize = 6 * DOCUMENT_BYTES_MAX;

/// One thing that a worker is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// Start the machine. It comes once, first; the answer is `Ready`.
    Start(Limits),
    /// Match patterns. The answer is `Matches` or `Failure` for each.
    Patterns {
        /// The reply, if the worker does not have it yet in this turn.
        reply: Option<String>,
        budget: Budget,
        /// Processor time of one pattern after which the worker ends.
        kill_us: u64,
        patterns: Vec<PatternOrder>,
    },
    /// Run functions. The answer is one `Failure`, or a `Result` for each function.
    Run(RunOrder),
    /// Compile functions without running them. The answer is `Compiled` or `Failure` for each.
    Compile {
        /// Processor time of one function after which the worker ends.
        kill_us: u64,
        executors: Vec<String>,
    },
    /// The turn has ended. The answer is `Ready` once the machine is reset.
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PatternOrder {
    pub(crate) function: usize,
    pub(crate) pattern: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunOrder {
    /// The reply, if the worker does not have it yet in this turn.
    pub(crate) reply: Option<String>,
    pub(crate) now_ms: i64,
    pub(crate) budget: Budget,
    /// Processor time of one function after which the worker ends: of the script alone, and what comes before and behind it.
    pub(crate) kill_us: u64,
    pub(crate) read_us: u64,
    pub(crate) context: Value,
    pub(crate) document: Value,
    pub(crate) functions: Vec<FunctionOrder>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FunctionOrder {
    pub(crate) function: usize,
    /// The author's code, if the worker does not have it yet in this turn.
    pub(crate) executor: Option<String>,
    pub(crate) args: Vec<Option<Value>>,
    pub(crate) seed: u64,
}

/// One thing that a worker answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The machine is as new.
    Ready,
    Matches(Vec<PatternMatch>),
    Failure(String),
    Result(FunctionAnswer),
    /// The code is that of a function.
    Compiled,
}

impl Order {
    /// The processor time for one answer after which a worker ends; 0 where it does not.
    pub(crate) fn kill_us(&self) -> u64 {
        match self {
            Order::Patterns { kill_us, .. } | Order::Compile { kill_us, .. } => *kill_us,
            Order::Run(order) => order.kill_us.saturating_add(order.read_us),
            Order::Start(_) | Order::End => 0,
        }
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        match self {
            Order::Start(limits) => {
                writer.byte(1);
                writer.number(limits.function_us);
                writer.number(limits.turn_us);
                writer.number(limits.memory_bytes as u64);
                writer.number(limits.stack_bytes as u64);
            }
            Order::Patterns { reply, budget, kill_us, patterns } => {
                writer.byte(2);
                writer.option(reply.as_deref());
                writer.budget(budget);
                writer.number(*kill_us);
                writer.list(patterns, |writer, order| {
                    writer.number(order.function as u64);
                    writer.text(&order.pattern);
                });
            }
            Order::Run(order) => {
                writer.byte(3);
                writer.option(order.reply.as_deref());
                writer.number(order.now_ms.cast_unsigned());
                writer.budget(&order.budget);
                writer.number(order.kill_us);
                writer.number(order.read_us);
                writer.text(&order.context.to_json());
                writer.text(&order.document.to_json());
                writer.list(&order.functions, |writer, function| {
                    writer.number(function.function as u64);
                    writer.option(function.executor.as_deref());
                    writer.args(&function.args);
                    writer.number(function.seed);
                });
            }
            Order::End => writer.byte(4),
            Order::Compile { kill_us, executors } => {
                writer.byte(5);
                writer.number(*kill_us);
                writer.list(executors, |writer, executor| writer.text(executor));
            }
        }
        writer.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Order> {
        let mut reader = Reader(bytes);
        Some(match reader.byte()? {
            1 => Order::Start(Limits {
                function_us: reader.number()?,
                turn_us: reader.number()?,
                memory_bytes: reader.size()?,
                stack_bytes: reader.size()?,
            }),
            2 => Order::Patterns {
                reply: reader.option()?,
                budget: reader.budget()?,
                kill_us: reader.number()?,
                patterns: reader
                    .list(|reader| Some(PatternOrder { function: reader.size()?, pattern: reader.text()? }))?,
            },
            3 => Order::Run(RunOrder {
                reply: reader.option()?,
                now_ms: reader.number()?.cast_signed(),
                budget: reader.budget()?,
                kill_us: reader.number()?,
                read_us: reader.number()?,
                context: reader.value()?,
                document: reader.value()?,
                functions: reader.list(|reader| {
                    Some(FunctionOrder {
                        function: reader.size()?,
                        executor: reader.option()?,
                        args: reader.args()?,
                        seed: reader.number()?,
                    })
                })?,
            }),
            4 => Order::End,
            5 => Order::Compile { kill_us: reader.number()?, executors: reader.list(Reader::text)? },
            _ => return None,
        })
    }
}

impl Reply {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        match self {
            Reply::Ready => writer.byte(1),
            Reply::Matches(matches) => {
                writer.byte(2);
                writer.list(matches, |writer, found| {
                    writer.number(found.function as u64);
                    writer.number(found.span.start as u64);
                    writer.number(found.span.end as u64);
                    writer.args(&found.args);
                });
            }
            Reply::Failure(message) => {
                writer.byte(3);
                writer.text(message);
            }
            Reply::Result(FunctionAnswer { result, log, duration_us }) => {
                match result {
                    Ok(result) => {
                        writer.byte(4);
                        writer.text(&result.change.to_stored());
                    }
                    Err(message) => {
                        writer.byte(5);
                        writer.text(message);
                    }
                }
                writer.list(log, |writer, line| writer.text(line));
                writer.number(*duration_us);
            }
            Reply::Compiled => writer.byte(6),
        }
        writer.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Reply> {
        let mut reader = Reader(bytes);
        let result = |reader: &mut Reader<'_>, result: Result<FunctionResult, String>| {
            Some(Reply::Result(FunctionAnswer {
                result,
                log: reader.list(Reader::text)?,
                duration_us: reader.number()?,
            }))
        };
        match reader.byte()? {
            1 => Some(Reply::Ready),
            2 => Some(Reply::Matches(reader.list(|reader| {
                Some(PatternMatch {
                    function: reader.size()?,
                    span: reader.size()?..reader.size()?,
                    args: reader.args()?,
                })
            })?)),
            3 => Some(Reply::Failure(reader.text()?)),
            4 => {
                let change = Change::from_stored(&reader.text()?).ok()?;
                result(&mut reader, Ok(FunctionResult { change, effects: Vec::new() }))
            }
            5 => {
                let message = reader.text()?;
                result(&mut reader, Err(message))
            }
            6 => Some(Reply::Compiled),
            _ => None,
        }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn budget(&mut self, budget: &Budget) {
        self.number(budget.left_us);
        self.number(budget.script_us);
        self.byte(u8::from(budget.is_cut));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn option(&mut self, text: Option<&str>) {
        self.byte(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }

    fn args(&mut self, args: &[Option<Value>]) {
        self.list(args, |writer, arg| {
            writer.byte(u8::from(arg.is_some()));
            if let Some(value) = arg {
                writer.text(&value.to_json());
            }
        });
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    fn budget(&mut self) -> Option<Budget> {
        Some(Budget { left_us: self.number()?, script_us: self.number()?, is_cut: self.byte()? != 0 })
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(bytes.to_vec()).ok()
    }

    fn option(&mut self) -> Option<Option<String>> {
        match self.byte()? {
            0 => Some(None),
            _ => self.text().map(Some),
        }
    }

    fn value(&mut self) -> Option<Value> {
        Value::parse(&self.text()?).ok()
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.size()?;
        // What is read is never longer than its bytes.
        let mut items = Vec::with_capacity(length.min(self.0.len()));
        for _ in 0..length {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn args(&mut self) -> Option<Vec<Option<Value>>> {
        self.list(|reader| match reader.byte()? {
            0 => Some(None),
            _ => reader.value().map(Some),
        })
    }
}
