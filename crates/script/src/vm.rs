//! One virtual machine: QuickJS with lodash and our helpers, in memory that is put back after every turn.

mod arena;
mod document;
mod executor;
mod host;
mod integer;
mod js;
mod message;
mod pattern;
mod time;
mod turn;

use crate::limits::Limits;
use arena::Arena;
use host::Host;
pub(crate) use host::cpu_us;
use js::{Thrown, evaluate};
use rquickjs_sys as qjs;
use std::ffi::c_void;
pub(crate) use turn::MachineTurn;

/// Whether lodash is part of the program.
pub const HAS_LODASH: bool = host::LODASH.is_some();

/// The sandbox before its first script.
const BOOTSTRAP: &str = include_str!("vm/bootstrap.js");

/// A machine that runs the scripts of one turn after the other, each turn as if it were the first.
pub(crate) struct Machine {
    arena: Arena,
    runtime: *mut qjs::JSRuntime,
    context: *mut qjs::JSContext,
    /// The machine has its address.
    host: Box<Host>,
    limits: Limits,
    /// The functions of the bootstrap script: part of what is put back, so they are never freed.
    find: qjs::JSValue,
    make_context: qjs::JSValue,
    source: qjs::JSValue,
    /// What ends the process once it has used so much more of the processor.
    watch: Option<fn(u64)>,
}

// The pointers lead into the arena and to the host, which belong to the machine alone; the stack is looked at again with
// every turn.
unsafe impl Send for Machine {}

impl Machine {
    /// Has a script watched while it runs: what it may take is less than what is read before and compared behind it.
    pub(crate) fn watch_scripts(&mut self, end_after: fn(u64)) {
        self.watch = Some(end_after);
    }

    /// Says how much more of the processor this process may use.
    fn end_after(&self, cpu_us: u64) {
        if let Some(end_after) = self.watch {
            end_after(cpu_us);
        }
    }

    /// Starts a machine: the memory, the context, lodash, the sandbox.
    pub(crate) fn new(limits: Limits) -> Result<Machine, String> {
        let failed = || "the JavaScript machine cannot be started: no memory".to_owned();
        let arena = Arena::new(limits.memory_bytes).ok_or_else(failed)?;
        let host = Box::new(Host::default());
        let functions = qjs::JSMallocFunctions {
            js_calloc: Some(arena::allocate_zeroed),
            js_malloc: Some(arena::allocate),
            js_free: Some(arena::free),
            js_realloc: Some(arena::reallocate),
            js_malloc_usable_size: Some(arena::usable_size),
        };
        // SAFETY: the arena and the host outlive the machine's use; all pointers are what QuickJS asks for.
        unsafe {
            let runtime = qjs::JS_NewRuntime2(&raw const functions, arena.opaque());
            if runtime.is_null() {
                return Err(failed());
            }
            let opaque: *mut c_void = std::ptr::from_ref::<Host>(&host).cast_mut().cast();
            qjs::JS_SetRuntimeOpaque(runtime, opaque);
            qjs::JS_SetInterruptHandler(runtime, Some(host::interrupt), opaque);
            qjs::JS_SetMaxStackSize(runtime, limits.stack_bytes as _);
            qjs::JS_SetCanBlock(runtime, false);
            let context = qjs::JS_NewContextRaw(runtime);
            if context.is_null() {
                return Err(failed());
            }
            // Neither weak references, whose end depends on the collector, nor clocks, nor shared memory.
            let intrinsics = [
                qjs::JS_AddIntrinsicBaseObjects,
                qjs::JS_AddIntrinsicDate,
                qjs::JS_AddIntrinsicEval,
                qjs::JS_AddIntrinsicRegExp,
                qjs::JS_AddIntrinsicJSON,
                qjs::JS_AddIntrinsicProxy,
                qjs::JS_AddIntrinsicMapSet,
                qjs::JS_AddIntrinsicTypedArrays,
                qjs::JS_AddIntrinsicPromise,
                qjs::JS_AddIntrinsicBigInt,
            ];
            if intrinsics.into_iter().any(|add| add(context) != 0) {
                return Err(failed());
            }
            let mut machine = Machine {
                arena,
                runtime,
                context,
                host,
                limits,
                find: qjs::JS_UNDEFINED,
                make_context: qjs::JS_UNDEFINED,
                source: qjs::JS_UNDEFINED,
                watch: None,
            };
            machine.bootstrap().map_err(|Thrown| format!("the sandbox cannot be made: {}", machine.message(0)))?;
            qjs::JS_RunGC(runtime);
            machine.arena.save();
            Ok(machine)
        }
    }

    fn bootstrap(&mut self) -> Result<(), Thrown> {
        // SAFETY: the context is live.
        unsafe {
            qjs::JS_UpdateStackTop(self.runtime);
            let make = evaluate(self.context, BOOTSTRAP, c"bootstrap")?;
            let tools = make.call(&[&host::functions(self.context)?])?;
            self.find = tools.get(c"find")?.into_raw();
            self.make_context = tools.get(c"context")?.into_raw();
            self.source = tools.get(c"source")?.into_raw();
            self.host.integers.make.set(tools.get(c"integer")?.into_raw());
            self.host.integers.prototype.set(tools.get(c"integerPrototype")?.into_raw());
        }
        Ok(())
    }

    /// Begins a turn. When it ends the machine is what it was before.
    pub(crate) fn turn(self) -> MachineTurn {
        // SAFETY: the runtime is live; the turn may run on another thread than the one before.
        unsafe { qjs::JS_UpdateStackTop(self.runtime) };
        MachineTurn::new(self)
    }

    /// Lets the next script run for so long.
    fn arm(&self, time_us: u64) {
        self.arena.forget_exhaustion();
        self.host.stopped.set(false);
        self.host.time_us.set(time_us);
        self.host.deadline_us.set(cpu_us().saturating_add(time_us));
    }
}

#[cfg(test)]
mod tests;
