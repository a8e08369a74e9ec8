//! What a call of a tool costs: `cargo run --release -p tavernkeep-runtime --example bench_tools`.
//!
//! CPU time of the whole process, over many calls, in memory-backed storage: waiting for the disk is not counted. With an argument
//! only that many small calls are made, for a profiler.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod bare;

use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::reference::{FoundValue, Lookup, ReferenceOptions, resolve};
use tavernkeep_runtime::order::NewSession;
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::tools::{CallFilter, Tool, ToolExecutor, ToolGroup, ToolOutput};
use tavernkeep_runtime::{Database, FILE_NAME, Options, Runtime};

/// CPU time of this process in ms; the kernel counts hundredths of a second.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) * 10.0
}

fn memory_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4.0 / 1024.0
}

/// How often the list of calls is read.
const LISTS: usize = 21;

/// Small calls that are measured.
const SMALL: usize = 5_000;

/// The rows of small calls in bare SQLite, behind those of a session that is like the one that was measured.
async fn rows_of_calls(tool: Tool) -> bare::Least {
    let folder = folder();
    let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let (executor, ..) = executor(&keep, vec![tool]).await;
    calls(&executor, "Small", 1_000).await;
    keep.close().await;
    bare::calls(&folder.path().join(FILE_NAME), i64::try_from(SMALL).unwrap(), cpu_ms)
}

/// CPU time of one call in ms, over many.
async fn calls(executor: &ToolExecutor, tool: &str, count: usize) -> f64 {
    let cpu = cpu_ms();
    for number in 0..count {
        executor.execute(tool, json!({ "number": number })).await.unwrap();
    }
    #[allow(clippy::cast_precision_loss)]
    let count = count as f64;
    (cpu_ms() - cpu) / count
}

/// A scratchpad with one variable in memory.
struct Pad {
    value: Arc<str>,
}

impl Lookup for &Pad {
    type Error = std::convert::Infallible;

    fn lookup(&mut self, _: &str) -> Result<Option<FoundValue>, Self::Error> {
        Ok(Some(FoundValue { value: Arc::clone(&self.value), trusted: true }))
    }

    fn names(&mut self) -> Result<Vec<String>, Self::Error> {
        Ok(Vec::new())
    }
}

/// CPU time of resolving an argument that is a reference to all of a variable, in ms.
fn resolved(mut pad: &Pad) -> f64 {
    const TIMES: u32 = 2_000;
    let (args, options) = (json!({ "x": "$VAR_REF{{large}}" }), ReferenceOptions::default());
    let cpu = cpu_ms();
    for _ in 0..TIMES {
        let resolved = resolve(&args, None, &options, &mut pad).unwrap();
        assert_eq!(resolved.args["x"].as_str().map(str::len), Some(pad.value.len()));
    }
    (cpu_ms() - cpu) / f64::from(TIMES)
}

/// A folder in memory, if the system has one.
fn folder() -> tempfile::TempDir {
    let shm = std::path::Path::new("/dev/shm");
    if shm.exists() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() }.unwrap()
}

/// An executor with these tools in a session of its own.
async fn executor(keep: &Runtime, tools: Vec<Tool>) -> (ToolExecutor, Id, Id) {
    let account = Runtime::default_account();
    let session = keep.create_session(&account, NewSession::default()).await.unwrap().id;
    let mut executor = keep.tool_executor(&account, &session);
    executor.register_tool_group(ToolGroup::new("bench", tools)).await.unwrap();
    executor.toggle_group_enabled("bench", Some(true)).await.unwrap();
    (executor, account, session)
}

#[tokio::main]
async fn main() {
    // As a request of a server: on a thread of the pool.
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok());
    tokio::spawn(measure(count)).await.unwrap();
}

async fn measure(count: Option<usize>) {
    let folder = folder();
    let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let text = |bytes: usize| "some words of a result, and more of them. ".repeat(bytes / 42 + 1)[..bytes].to_owned();
    let schema = || json!({ "type": "object", "properties": {} });
    let returning = |name: &str, text: String| {
        Tool::new(name, "Returns a text.", schema(), move |_| {
            let text = text.clone();
            async move { Ok(ToolOutput::of(text)) }
        })
    };
    let tools = vec![returning("Small", text(1_024)), returning("Large", text(1_048_576))];
    let (executor, account, session) = executor(&keep, tools).await;
    if let Some(count) = count {
        println!("a call with a result of 1 KB, CPU: {:.3} ms", calls(&executor, "Small", count).await);
        return keep.close().await;
    }
    println!("| tools | measured | limit |\n|---|---:|---:|");
    // Enough that the pad is full: every further call takes two variables away.
    calls(&executor, "Small", 1_000).await;
    let cpu = calls(&executor, "Small", SMALL).await;
    println!("| a call with a result of 1 KB, CPU | {cpu:.3} ms | 0.2 ms |");
    let cpu = calls(&executor, "Large", 200).await;
    println!("| a call with a result of 1 MB, CPU | {cpu:.3} ms | 5 ms |");
    let rows = rows_of_calls(returning("Small", text(1_024))).await;
    println!("| the rows of a call with 1 KB in bare SQLite, CPU | {:.3} ms | |", rows.cpu_ms);
    for (name, ms) in &rows.statements {
        println!("| the rows of a call in bare SQLite: {name} | {ms:.4} ms | |");
    }
    let pad = Pad { value: text(1_048_576).into() };
    println!("| a reference to a whole variable of 1 MB resolved, CPU | {:.3} ms | 1 ms |", resolved(&pad));
    let before = memory_mb();
    calls(&executor, "Small", 100_000).await;
    println!("| memory before and after 100,000 calls | {before:.0} MB, {:.0} MB | flat |", memory_mb());
    let window = Window { limit: 50, offset: 0, ascending: false, total: true };
    let (mut times, mut kept) = (Vec::new(), 0);
    for _ in 0..LISTS {
        let started = Instant::now();
        let listed = keep.calls(&account, &session, CallFilter::default(), window).await.unwrap();
        times.push(started.elapsed().as_secs_f64() * 1_000.0);
        kept = listed.total.unwrap_or(0);
    }
    times.sort_by(f64::total_cmp);
    let list = times[LISTS / 2];
    println!("| the list of calls behind 100,000 ({kept} kept), median of {LISTS}, elapsed | {list:.3} ms | 50 ms |");
    keep.close().await;
}
