//! The worker process: starts a machine, gives up everything that it does not need, and serves one turn after the other.

mod harden;

use crate::supervisor::{self, SUPERVISOR_ARGUMENT};
use crate::vm::Machine;
use crate::work::{FRAME_BYTES_MAX, Order, Reply};
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// The only argument of a worker process.
pub(crate) const WORKER_ARGUMENT: &str = "script-worker";

/// Serves as a worker or as a supervisor if this process was started as one, and then never returns. Programs that run scripts
/// with their own binary call it first in `main`.
pub fn worker_main() {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().unwrap_or_default();
    if first == SUPERVISOR_ARGUMENT {
        std::process::exit(supervisor::run(arguments));
    }
    if first == WORKER_ARGUMENT && arguments.next().is_none() {
        let code = run();
        // Nothing is left to be dropped, and no other thread runs.
        std::process::exit(if code == ExitCode::SUCCESS { 0 } else { 1 });
    }
}

fn run() -> ExitCode {
    harden::detach();
    // SAFETY: the process was started with a socket as its standard input, and nothing else in it uses that.
    let mut stream = unsafe { UnixStream::from_raw_fd(0) };
    // A worker that can answer nobody ends.
    match serve(&mut stream) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(stream: &mut UnixStream) -> io::Result<()> {
    let Some(Order::Start(limits)) = read_order(stream)? else { return Ok(()) };
    let mut machine = match Machine::new(limits) {
        Ok(machine) => machine,
        Err(message) => return write_frame(stream, &Reply::Failure(message).write()),
    };
    machine.watch_scripts(harden::end_after);
    harden::confine();
    write_frame(stream, &Reply::Ready.write())?;
    loop {
        let mut turn = machine.turn();
        loop {
            match read_order(stream)? {
                Some(Order::End) => break,
                Some(order) => {
                    let mut sent = Ok(());
                    // For each answer as much as the parent waits.
                    let kill_us = order.kill_us();
                    harden::end_after(kill_us);
                    turn.perform(order, &mut |reply| {
                        harden::end_after(kill_us);
                        if sent.is_ok() {
                            sent = write_frame(stream, &reply.write());
                        }
                    });
                    harden::end_after(0);
                    sent?;
                }
                None => return Ok(()),
            }
        }
        machine = turn.end();
        write_frame(stream, &Reply::Ready.write())?;
    }
}

/// Reads an order; `None` when nobody orders any more.
fn read_order(stream: &mut UnixStream) -> io::Result<Option<Order>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::other("the frame is too long"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Order::read(&body).map(Some).ok_or_else(|| io::Error::other("the order cannot be read"))
}

/// Writes a frame with one call, so that the other side is woken once.
pub(crate) fn write_frame(stream: &mut UnixStream, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).ok().filter(|length| *length as usize <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::other("the frame is too long"))?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(body);
    stream.write_all(&frame)
}
