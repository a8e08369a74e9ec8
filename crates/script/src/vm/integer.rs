//! Integers beyond 2^53, which are no exact numbers in JavaScript. A script gets an object in the place of each: it can move
//! it, compare it with `===` and write it as text, and an attempt to compute with it throws.
//!
//! The object has its digits as a property and a prototype that nothing else has, so copies that a script makes, such as those
//! of lodash, are known again. In JSON it is a text, `"<integer 9007199254740993>"`; on the way back such a text is the integer
//! again. Both hold only for integers that the scripts of the turn were given, so no new ones can be made.

use super::document::property::{Atom, Property, own_property};
use super::host::host;
use super::js::{Js, Tag, Thrown, new_text};
use rquickjs_sys as qjs;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use tavernkeep_engine::document::Number;

/// The largest integer of which all smaller ones are exact doubles.
const SAFE_INTEGER: u64 = 1 << 53;

/// What stands around the digits in JSON. The sandbox writes it too.
const TOKEN: (&str, &str) = ("<integer ", ">");

/// The integers that the scripts of a turn were given, and what makes objects of them.
pub(crate) struct Integers {
    /// A function of the sandbox: the object for digits. It belongs to the machine for good.
    pub(crate) make: Cell<qjs::JSValue>,
    /// What these objects inherit from, likewise.
    pub(crate) prototype: Cell<qjs::JSValue>,
    given: RefCell<HashMap<String, Number>>,
}

impl Default for Integers {
    fn default() -> Integers {
        Integers {
            make: Cell::new(qjs::JS_UNDEFINED),
            prototype: Cell::new(qjs::JS_UNDEFINED),
            given: RefCell::default(),
        }
    }
}

impl Integers {
    /// Forgets what the scripts of a turn were given.
    pub(crate) fn forget(&self) {
        self.given.take();
    }
}

/// Whether scripts get an object in the place of a number.
pub(crate) fn is_opaque(number: &Number) -> bool {
    let integer = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
    integer.is_some_and(|integer| integer > SAFE_INTEGER)
}

/// The object for an integer.
///
/// # Safety
/// The context belongs to a machine and outlives the object.
pub(crate) unsafe fn new_integer(context: *mut qjs::JSContext, number: &Number) -> Result<Js, Thrown> {
    let digits = match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => integer.to_string(),
        (None, integer) => integer.unwrap_or_default().to_string(),
    };
    // SAFETY: see above.
    unsafe {
        let integers = &host(context).integers;
        let make = Js::share(context, integers.make.get());
        let object = make.call(&[&new_text(context, &digits)?])?;
        integers.given.borrow_mut().insert(digits, *number);
        Ok(object)
    }
}

/// Whether an object stands for an integer, or pretends to.
pub(super) fn is_integer(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<bool, Thrown> {
    // SAFETY: the context belongs to a machine, and the script's value is live; no code runs.
    unsafe {
        let integers = &host(context).integers;
        if integers.given.borrow().is_empty() || qjs::JS_IsProxy(raw) {
            return Ok(false);
        }
        let prototype = Js::take(context, qjs::JS_GetPrototype(context, raw))?;
        Ok(prototype.is(integers.prototype.get()))
    }
}

/// The integer that an object stands for, if the scripts were given it.
pub(super) fn read(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<Option<Number>, Thrown> {
    const DIGITS: &str = "digits";
    // SAFETY: the context belongs to a machine, and the script's value is live and no proxy.
    let property = unsafe {
        let atom = qjs::JS_NewAtomLen(context, DIGITS.as_ptr().cast(), DIGITS.len() as _);
        own_property(context, raw, Atom { context, raw: atom }.raw)
    };
    let Property::Value(digits, _) = property? else { return Ok(None) };
    if digits.tag() != Tag::String {
        return Ok(None);
    }
    Ok(digits.to_text()?.as_str().and_then(|digits| given(context, digits)))
}

/// The integer that a text stands for, if the scripts were given it.
pub(super) fn of_token(context: *mut qjs::JSContext, text: &str) -> Option<Number> {
    given(context, text.strip_prefix(TOKEN.0)?.strip_suffix(TOKEN.1)?)
}

fn given(context: *mut qjs::JSContext, digits: &str) -> Option<Number> {
    // SAFETY: the context belongs to a machine.
    unsafe { host(context) }.integers.given.borrow().get(digits).copied()
}
