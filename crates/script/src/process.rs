//! A worker process as its parent sees it: orders go in, answers come out, and what takes too long is killed.

use crate::limits::{LOOK, Limits, START_MAX, START_US, kill_us, silence_max};
use crate::work::{FRAME_BYTES_MAX, Order, Reply};
use crate::worker::{WORKER_ARGUMENT, write_frame};
use std::ffi::c_int;
use std::fmt;
use std::io::{self, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A running worker. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    stream: UnixStream,
    /// What came in and was not read yet.
    received: Vec<u8>,
    /// Whether it still has to say that it is as new.
    busy: bool,
    /// Turns that it has served.
    pub(crate) turns: u64,
    /// Processor time that it may need to get ready for the next turn.
    ready_us: u64,
    /// How it ended, once that is known.
    ended: Option<Ended>,
}

/// How a worker ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    status: ExitStatus,
    cpu_us: u64,
}

/// Why a worker does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It took too long and was killed.
    TimedOut,
    /// It is gone.
    Died(String),
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::TimedOut => formatter.write_str("it took too long and was killed"),
            Lost::Died(how) => formatter.write_str(how),
        }
    }
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// The kernel ends the worker when the calling thread ends, so a thread that stays must call this.
    pub(crate) fn start(binary: &PathBuf, limits: &Limits) -> io::Result<Worker> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(binary);
        // Without the zone the C library would look for a file when a script asks for local time.
        command.arg(WORKER_ARGUMENT).env_clear().env("TZ", "UTC0");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn()?;
        // The descriptor that went to the worker is closed with its command: only the worker has that end.
        drop(command);
        let ready_us = kill_us(limits.function_us, 0);
        let mut worker =
            Worker { child, stream: ours, received: Vec::new(), busy: true, turns: 0, ready_us, ended: None };
        worker.send(&Order::Start(*limits)).map_err(|lost| io::Error::other(lost.to_string()))?;
        match worker.receive_within(START_US, START_MAX) {
            Ok(Reply::Ready) => {
                worker.busy = false;
                Ok(worker)
            }
            Ok(Reply::Failure(message)) => Err(io::Error::other(message)),
            Ok(_) => Err(io::Error::other("the worker does not answer as one")),
            Err(lost) => Err(io::Error::other(format!("the worker does not start: {lost}"))),
        }
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends a turn. The worker makes itself ready while nobody waits for it.
    pub(crate) fn end_turn(&mut self) -> Result<(), Lost> {
        self.turns += 1;
        self.send(&Order::End)?;
        self.busy = true;
        Ok(())
    }

    /// Makes sure that the worker is ready for a turn.
    pub(crate) fn begin_turn(&mut self) -> Result<(), Lost> {
        if !self.busy {
            self.reap(libc::WNOHANG);
            return if self.ended.is_some() { Err(self.lost()) } else { Ok(()) };
        }
        match self.receive(self.ready_us)? {
            Reply::Ready => {
                self.busy = false;
                Ok(())
            }
            _ => Err(Lost::Died("the worker answered something else".to_owned())),
        }
    }

    /// Sends an order. Returns its bytes.
    pub(crate) fn send(&mut self, order: &Order) -> Result<usize, Lost> {
        let body = order.write();
        let sent = self.stream.set_write_timeout(Some(START_MAX)).and_then(|()| write_frame(&mut self.stream, &body));
        sent.map_err(|_| self.lost())?;
        Ok(body.len())
    }

    /// Waits for an answer while the worker uses at most so much of the processor, and is not silent for far longer.
    pub(crate) fn receive(&mut self, cpu_max_us: u64) -> Result<Reply, Lost> {
        self.receive_within(cpu_max_us, silence_max(cpu_max_us))
    }

    fn receive_within(&mut self, cpu_max_us: u64, silence_max: Duration) -> Result<Reply, Lost> {
        let (started, cpu_before) = (Instant::now(), self.cpu_us());
        loop {
            if let Some(frame) = self.next_frame()? {
                return Reply::read(&frame).ok_or_else(|| Lost::Died("the worker's answer cannot be read".to_owned()));
            }
            self.stream.set_read_timeout(Some(LOOK)).map_err(|_| self.lost())?;
            let mut buffer = [0; 64 * 1024];
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(self.lost()),
                Ok(length) => self.received.extend_from_slice(&buffer[..length]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    let used = self.cpu_us().saturating_sub(cpu_before);
                    if used > cpu_max_us || started.elapsed() > silence_max {
                        self.kill();
                        return Err(Lost::TimedOut);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.lost()),
            }
        }
    }

    fn next_frame(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        let Some((length, rest)) = self.received.split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > FRAME_BYTES_MAX {
            return Err(Lost::Died("the worker's answer is too long".to_owned()));
        }
        let Some(frame) = rest.get(..length).map(<[u8]>::to_vec) else { return Ok(None) };
        self.received.drain(..length + 4);
        Ok(Some(frame))
    }

    /// Processor time of the worker, which on other systems than Linux is the time that has passed.
    pub(crate) fn cpu_us(&self) -> u64 {
        if let Some(ended) = self.ended {
            return ended.cpu_us;
        }
        #[cfg(target_os = "linux")]
        {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            let mut clock = 0;
            // SAFETY: writes to our own variables; a process that is gone is an error.
            let found = unsafe {
                libc::clock_getcpuclockid(self.child.id().cast_signed(), &raw mut clock) == 0
                    && libc::clock_gettime(clock, &raw mut time) == 0
            };
            if found { time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_nsec.unsigned_abs() / 1000 } else { 0 }
        }
        #[cfg(not(target_os = "linux"))]
        {
            use std::sync::OnceLock;
            static START: OnceLock<Instant> = OnceLock::new();
            u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
        }
    }

    fn kill(&mut self) {
        // The number of a process that was reaped may be that of another.
        if self.ended.is_none() {
            // A process that is gone already is what we want.
            let _ = self.child.kill();
            self.reap(0);
        }
    }

    /// Waits for the end of the process, or just looks for it with `WNOHANG`.
    fn reap(&mut self, options: c_int) {
        if self.ended.is_some() {
            return;
        }
        let process = self.child.id().cast_signed();
        let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
        // SAFETY: writes to our own variables. The standard library never waits for this child, so nobody else reaps it.
        let usage = loop {
            let reaped = unsafe { libc::wait4(process, &raw mut status, options, usage.as_mut_ptr()) };
            if reaped == process {
                // SAFETY: zeroes are a usage, and the kernel wrote it.
                break unsafe { usage.assume_init() };
            }
            if reaped == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return;
            }
        };
        let us = |time: libc::timeval| time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_usec as u64;
        let cpu_us = us(usage.ru_utime) + us(usage.ru_stime);
        self.ended = Some(Ended { status: ExitStatus::from_raw(status), cpu_us });
    }

    /// Ends a worker that does not answer and says how it ended.
    fn lost(&mut self) -> Lost {
        self.reap(libc::WNOHANG);
        // Its end of the connection is closed: it is ending, or not what we take it for.
        self.kill();
        match self.ended {
            // It had the kernel end it, for the time that it used.
            Some(Ended { status, .. }) if status.signal() == Some(libc::SIGPROF) => Lost::TimedOut,
            Some(Ended { status, .. }) => Lost::Died(format!("the worker process ended: {status}")),
            None => Lost::Died("the worker process is gone".to_owned()),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}
