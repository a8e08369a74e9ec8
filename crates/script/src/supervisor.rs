//! A process between the server and a program of the operator's: it ends the program with everything that the program started,
//! whatever they do about their sessions and environments, and also when the server is killed.
//!
//! ```text
//! <binary> script-supervisor <timeout ms> <memory> <processes> <file bytes> <open files> <program> <argument>…
//! standard input: length · 4 bytes, the program's input; then it stays open as long as the server wants the program to run
//! ```
//!
//! The supervisor is the subreaper of all it starts: whatever loses its parent becomes its child. So everything is gone exactly when
//! it has no child left.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The first argument of a supervisor process.
pub(crate) const SUPERVISOR_ARGUMENT: &str = "script-supervisor";

/// What a program of the operator's may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramLimits {
    /// How long it may take.
    pub timeout: Duration,
    /// Bytes of memory of one process.
    pub memory_bytes: u64,
    /// Processes at once.
    pub processes: u64,
    /// Bytes of a file that it writes.
    pub file_bytes: u64,
    /// Files that one process has open.
    pub open_files: u64,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramEnd {
    /// By itself, with success.
    Succeeded = 0,
    /// By itself, with a failure.
    Failed = 1,
    /// It took too long.
    TimedOut = 2,
    /// It had too many processes.
    TooManyProcesses = 3,
    /// It could not be started.
    NotStarted = 4,
    /// Nobody wanted it any more.
    Abandoned = 5,
}

impl ProgramEnd {
    /// How a supervised program ended, by how its supervisor did.
    pub fn of(status: ExitStatus) -> ProgramEnd {
        match status.code() {
            Some(0) => ProgramEnd::Succeeded,
            Some(2) => ProgramEnd::TimedOut,
            Some(3) => ProgramEnd::TooManyProcesses,
            Some(4) => ProgramEnd::NotStarted,
            Some(5) => ProgramEnd::Abandoned,
            _ => ProgramEnd::Failed,
        }
    }
}

/// Starts programs under supervision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervisor {
    /// The program that serves as a supervisor: one that calls [`crate::worker_main`] first. By default the running one.
    pub binary: PathBuf,
}

impl Default for Supervisor {
    fn default() -> Supervisor {
        let own = if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() };
        Supervisor { binary: own.unwrap_or_default() }
    }
}

impl Supervisor {
    /// The command that runs a program with these limits and a clean environment. Its standard input is written with
    /// [`framed`] and kept open.
    pub fn command(&self, program: &str, arguments: &[OsString], folder: &Path, limits: &ProgramLimits) -> Command {
        let ProgramLimits { timeout, memory_bytes, processes, file_bytes, open_files } = limits;
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let mut command = Command::new(&self.binary);
        command
            .arg(SUPERVISOR_ARGUMENT)
            .args([timeout_ms, *memory_bytes, *processes, *file_bytes, *open_files].map(|number| number.to_string()))
            .arg(program)
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A program's input as its supervisor reads it.
pub fn framed(input: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(input.len()).map_err(|_| io::Error::other("the input is too long"))?;
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend_from_slice(input);
    Ok(frame)
}

struct Plan {
    limits: ProgramLimits,
    program: OsString,
    arguments: Vec<OsString>,
}

impl Plan {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Plan> {
        let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
        let limits = ProgramLimits {
            timeout: Duration::from_millis(number()?),
            memory_bytes: number()?,
            processes: number()?,
            file_bytes: number()?,
            open_files: number()?,
        };
        Some(Plan { limits, program: arguments.next()?, arguments: arguments.collect() })
    }
}

/// Serves as a supervisor; returns the code to end with.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> i32 {
    let Some(plan) = Plan::read(arguments) else { return ProgramEnd::NotStarted as i32 };
    become_subreaper();
    let mut length = [0; 4];
    let mut input = Vec::new();
    let mut stdin = io::stdin().lock();
    let read = stdin.read_exact(&mut length).and_then(|()| {
        input.resize(u32::from_le_bytes(length) as usize, 0);
        stdin.read_exact(&mut input)
    });
    if read.is_err() {
        return ProgramEnd::Abandoned as i32;
    }
    let end = match start(&plan, input) {
        Ok(child) => supervise(child, &plan.limits),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{} cannot be started: {error}", plan.program.display());
            ProgramEnd::NotStarted
        }
    };
    end_all();
    end as i32
}

/// A signal wakes a supervisor, and ends it in no other way than by its work.
extern "C" fn wake(_: libc::c_int) {}

fn become_subreaper() {
    // SAFETY: changes settings of this process alone; the handler does nothing.
    unsafe {
        #[cfg(target_os = "linux")]
        {
            libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32);
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        }
        libc::setsid();
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::signal(signal, wake as *const () as libc::sighandler_t);
        }
    }
}

/// Starts the program, and writes its input.
fn start(plan: &Plan, input: Vec<u8>) -> io::Result<i32> {
    let mut command = Command::new(&plan.program);
    command.args(&plan.arguments).stdin(Stdio::piped()).process_group(0);
    let limits = resource_limits(&plan.limits);
    // SAFETY: makes system calls and nothing else.
    unsafe {
        command.pre_exec(move || {
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            for (resource, most) in limits {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                libc::setrlimit(resource, &raw const limit);
            }
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    let stdin = child.stdin.take();
    // A program that does not read its input must not keep the supervisor from watching it.
    drop(thread::Builder::new().spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&input);
        }
    })?);
    Ok(pid)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = libc::c_int;

fn resource_limits(limits: &ProgramLimits) -> [(Resource, u64); 6] {
    [
        (libc::RLIMIT_CORE, 0),
        // Not the space of addresses: Node reserves far more of it than it uses.
        (libc::RLIMIT_DATA, limits.memory_bytes),
        (libc::RLIMIT_CPU, limits.timeout.as_secs().saturating_mul(THREADS_OF_PROCESS) + 1),
        (libc::RLIMIT_FSIZE, limits.file_bytes),
        (libc::RLIMIT_NOFILE, limits.open_files),
        // The kernel counts all threads of the user: those that there are, and some for each process.
        (libc::RLIMIT_NPROC, threads_of_user() + limits.processes * THREADS_OF_PROCESS),
    ]
}

/// Threads that one process of a program may have on average.
const THREADS_OF_PROCESS: u64 = 8;

fn threads_of_user() -> u64 {
    // SAFETY: asks for a number.
    let user = unsafe { libc::getuid() };
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let own = entries.flatten().filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    own.map(|entry| std::fs::read_dir(entry.path().join("task")).map_or(0, |tasks| tasks.count() as u64)).sum()
}

/// How long a supervisor waits between looks at its program when nothing wakes it.
const PAUSE_MS: i32 = 20;
/// How often it counts processes.
const COUNT_EVERY: Duration = Duration::from_millis(100);

/// Waits until the program ends by itself or has to be ended.
fn supervise(program: i32, limits: &ProgramLimits) -> ProgramEnd {
    let started = Instant::now();
    let mut counted = started;
    loop {
        while let Some((pid, status)) = reap() {
            if pid == program {
                let succeeded = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
                return if succeeded { ProgramEnd::Succeeded } else { ProgramEnd::Failed };
            }
        }
        if started.elapsed() > limits.timeout {
            return ProgramEnd::TimedOut;
        }
        if counted.elapsed() > COUNT_EVERY {
            counted = Instant::now();
            if descendants().len() as u64 > limits.processes {
                return ProgramEnd::TooManyProcesses;
            }
        }
        let mut input = libc::pollfd { fd: 0, events: 0, revents: 0 };
        // SAFETY: writes to our own variable.
        let found = unsafe { libc::poll(&raw mut input, 1, PAUSE_MS) };
        if found > 0 && input.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0 {
            return ProgramEnd::Abandoned;
        }
    }
}

/// A child that has ended, with its status; none if no child has.
fn reap() -> Option<(i32, libc::c_int)> {
    let mut status = 0;
    // SAFETY: writes to our own variable.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
    (pid > 0).then_some((pid, status))
}

/// Whether there is any child, alive or not.
fn has_children() -> bool {
    // SAFETY: asks for a state and takes nothing away.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_ALL, 0, &raw mut info, flags) == 0
    }
}

/// How long the processes of a program may take to disappear; one that hangs in the kernel cannot be waited for.
const END_MAX: Duration = Duration::from_secs(10);

/// Ends everything that was started. All are stopped first, so that none makes another while they are ended one by one.
fn end_all() {
    let started = Instant::now();
    while has_children() && started.elapsed() < END_MAX {
        let found = descendants();
        for signal in [libc::SIGSTOP, libc::SIGKILL] {
            for pid in &found {
                // SAFETY: these are our descendants, and none of their numbers is free before we reap it or its parent does.
                unsafe { libc::kill(*pid, signal) };
            }
        }
        while reap().is_some() {}
        thread::sleep(Duration::from_millis(1));
    }
}

/// All processes below this one.
fn descendants() -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of the program stands in parentheses and may be anything.
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut pending = vec![std::process::id().cast_signed()];
    while let Some(parent) = pending.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.push(child);
            pending.push(child);
        }
    }
    found
}
