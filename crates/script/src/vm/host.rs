//! What the machine asks of us while a script runs: time, chance, a log, story time, and whether it may go on.

use super::document::MachineDocument;
use super::integer::Integers;
use super::js::{Js, Thrown};
use super::js::{Tag, argument, evaluate, new_function, tag};
use super::time::shift_time;
use rquickjs_sys as qjs;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_int, c_void};
use tavernkeep_engine::limits::{LOG_BYTES_MAX, LOG_LINE_BYTES_MAX, LOG_LINES_MAX};

/// The state behind the functions of ours that scripts call.
pub(crate) struct Host {
    /// When the script is stopped, in microseconds of processor time.
    pub(crate) deadline_us: Cell<u64>,
    /// Whether it was.
    pub(crate) stopped: Cell<bool>,
    /// The time that it was given.
    pub(crate) time_us: Cell<u64>,
    /// The integers that scripts can only move.
    pub(crate) integers: Integers,
    /// The state of the random numbers.
    pub(crate) random: Cell<u64>,
    /// The time of the turn.
    pub(crate) now_ms: Cell<i64>,
    /// The document of the script that runs.
    pub(crate) document: Cell<*mut MachineDocument>,
    log: RefCell<Vec<String>>,
    logged_bytes: Cell<usize>,
}

impl Default for Host {
    fn default() -> Host {
        Host {
            deadline_us: Cell::new(u64::MAX),
            stopped: Cell::new(false),
            time_us: Cell::new(0),
            integers: Integers::default(),
            random: Cell::new(0),
            now_ms: Cell::new(0),
            document: Cell::new(std::ptr::null_mut()),
            log: RefCell::default(),
            logged_bytes: Cell::new(0),
        }
    }
}

/// The document of the script that runs; null if none does.
///
/// # Safety
/// The context belongs to a machine.
pub(crate) unsafe fn document(context: *mut qjs::JSContext) -> *mut MachineDocument {
    // SAFETY: see above.
    unsafe { host(context) }.document.get()
}

impl Host {
    /// The lines that were logged since the last time.
    pub(crate) fn take_log(&self) -> Vec<String> {
        self.logged_bytes.set(0);
        self.log.take()
    }

    fn write(&self, bytes: &[u8]) {
        let mut log = self.log.borrow_mut();
        if log.len() >= LOG_LINES_MAX || self.logged_bytes.get() >= LOG_BYTES_MAX {
            return;
        }
        let cut = bytes.len() > LOG_LINE_BYTES_MAX;
        let mut line = String::from_utf8_lossy(&bytes[..bytes.len().min(LOG_LINE_BYTES_MAX)]).into_owned();
        if cut {
            line.push('…');
        }
        self.logged_bytes.set(self.logged_bytes.get() + line.len());
        log.push(line);
    }

    /// SplitMix64: small, and the same everywhere.
    fn next_random(&self) -> f64 {
        let state = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(state);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper 53 bits fill a double exactly.
        #[allow(clippy::cast_precision_loss)]
        let fraction = (mixed >> 11) as f64;
        fraction / 9_007_199_254_740_992.0
    }
}

/// Processor time of this thread in microseconds. The time of a busy machine does not count against a script.
pub(crate) fn cpu_us() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to our own variable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (time.tv_sec as u64) * 1_000_000 + (time.tv_nsec as u64) / 1000
}

/// The host of a context.
///
/// # Safety
/// The context belongs to a machine, whose host outlives it.
pub(super) unsafe fn host<'a>(context: *mut qjs::JSContext) -> &'a Host {
    // SAFETY: see above.
    unsafe { &*qjs::JS_GetRuntimeOpaque(qjs::JS_GetRuntime(context)).cast::<Host>() }
}

/// Called by the machine every few thousand steps: 1 stops the script, and no script can catch that.
pub(crate) unsafe extern "C" fn interrupt(_: *mut qjs::JSRuntime, opaque: *mut c_void) -> c_int {
    // SAFETY: the opaque pointer is the host of the machine.
    let host = unsafe { &*opaque.cast::<Host>() };
    let stopped = cpu_us() > host.deadline_us.get();
    if stopped {
        host.stopped.set(true);
    }
    c_int::from(stopped)
}

unsafe extern "C" fn random(
    context: *mut qjs::JSContext,
    _: qjs::JSValue,
    _: c_int,
    _: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine.
    qjs::JS_NewFloat64(unsafe { host(context) }.next_random())
}

unsafe extern "C" fn now(
    context: *mut qjs::JSContext,
    _: qjs::JSValue,
    _: c_int,
    _: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine.
    #[allow(clippy::cast_precision_loss)]
    let now_ms = unsafe { host(context) }.now_ms.get() as f64;
    qjs::JS_NewFloat64(now_ms)
}

unsafe extern "C" fn log(
    context: *mut qjs::JSContext,
    _: qjs::JSValue,
    count: c_int,
    arguments: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine with live arguments.
    unsafe {
        let line = Js::share(context, argument(count, arguments, 0));
        if let Ok(text) = line.to_text() {
            host(context).write(text.bytes());
        }
    }
    qjs::JS_UNDEFINED
}

unsafe extern "C" fn shift(
    context: *mut qjs::JSContext,
    _: qjs::JSValue,
    count: c_int,
    arguments: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine with live arguments.
    unsafe {
        let time = Js::share(context, argument(count, arguments, 0));
        let by_ms = match tag(argument(count, arguments, 1)) {
            Tag::Integer(integer) => f64::from(integer),
            Tag::Double(double) => double,
            _ => return qjs::JS_UNDEFINED,
        };
        let Ok(text) = time.to_text() else { return qjs::JS_EXCEPTION };
        match text.as_str().and_then(|text| shift_time(text, by_ms)) {
            Some(shifted) => qjs::JS_NewStringLen(context, shifted.as_ptr().cast(), shifted.len() as _),
            None => qjs::JS_UNDEFINED,
        }
    }
}

/// lodash, where it was there when the program was built.
#[cfg(has_lodash)]
pub(crate) const LODASH: Option<&str> = Some(include_str!(concat!(env!("OUT_DIR"), "/lodash.js")));
/// lodash, where it was there when the program was built.
#[cfg(not(has_lodash))]
pub(crate) const LODASH: Option<&str> = None;

unsafe extern "C" fn load_lodash(
    context: *mut qjs::JSContext,
    _: qjs::JSValue,
    _: c_int,
    _: *mut qjs::JSValue,
) -> qjs::JSValue {
    let Some(source) = LODASH else { return qjs::JS_FALSE };
    // SAFETY: called by the machine.
    match unsafe { evaluate(context, source, c"lodash") } {
        Ok(_) => qjs::JS_TRUE,
        Err(Thrown) => qjs::JS_EXCEPTION,
    }
}

/// The functions that the sandbox is made with.
///
/// # Safety
/// The context is live and outlives the result.
pub(crate) unsafe fn functions(context: *mut qjs::JSContext) -> Result<Js, Thrown> {
    type Native = unsafe extern "C" fn(*mut qjs::JSContext, qjs::JSValue, c_int, *mut qjs::JSValue) -> qjs::JSValue;
    let all: [(&CStr, Native, c_int); 5] = [
        (c"random", random, 0),
        (c"now", now, 0),
        (c"log", log, 1),
        (c"shiftTime", shift, 2),
        (c"loadLodash", load_lodash, 0),
    ];
    // SAFETY: see above.
    unsafe {
        let host = Js::take(context, qjs::JS_NewObject(context))?;
        for (name, function, length) in all {
            let function = new_function(context, name, function, length)?;
            if qjs::JS_SetPropertyStr(context, host.raw(), name.as_ptr(), function.into_raw()) < 0 {
                return Err(Thrown);
            }
        }
        Ok(host)
    }
}
