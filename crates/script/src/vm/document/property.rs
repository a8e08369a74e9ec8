//! Keys and properties of objects in the machine, looked at without running code of a script.

use crate::vm::js::{Js, Thrown};
use rquickjs_sys as qjs;
use std::collections::HashMap;
use std::ffi::c_int;

/// A key of the machine.
pub(crate) struct Atom {
    pub(crate) context: *mut qjs::JSContext,
    pub(crate) raw: qjs::JSAtom,
}

impl Atom {
    pub(super) fn share(&self) -> Atom {
        // SAFETY: the key is live.
        Atom { context: self.context, raw: unsafe { qjs::JS_DupAtom(self.context, self.raw) } }
    }
}

impl Drop for Atom {
    fn drop(&mut self) {
        // SAFETY: we own the key.
        unsafe { qjs::JS_FreeAtom(self.context, self.raw) };
    }
}

pub(crate) enum Property {
    /// A value, and whether it can be written, listed and removed as usual.
    Value(Js, bool),
    /// A getter.
    Accessor(Js),
    Missing,
}

/// A property of an object itself; no getter runs.
///
/// # Safety
/// All are live, and the object is no proxy.
pub(crate) unsafe fn own_property(
    context: *mut qjs::JSContext,
    object: qjs::JSValue,
    atom: qjs::JSAtom,
) -> Result<Property, Thrown> {
    let mut descriptor = qjs::JSPropertyDescriptor {
        flags: 0,
        value: qjs::JS_UNDEFINED,
        getter: qjs::JS_UNDEFINED,
        setter: qjs::JS_UNDEFINED,
    };
    // SAFETY: see above; what the descriptor holds is ours.
    unsafe {
        match qjs::JS_GetOwnProperty(context, &raw mut descriptor, object, atom) {
            0 => return Ok(Property::Missing),
            1 => {}
            _ => return Err(Thrown),
        }
        let flags = descriptor.flags.unsigned_abs();
        let value = Js::take(context, descriptor.value);
        let (getter, setter) = (Js::take(context, descriptor.getter), Js::take(context, descriptor.setter));
        drop(setter);
        if flags & qjs::JS_PROP_GETSET != 0 {
            return getter.map(Property::Accessor);
        }
        if flags & qjs::JS_PROP_ENUMERABLE == 0 {
            return Ok(Property::Missing);
        }
        Ok(Property::Value(value?, flags & qjs::JS_PROP_C_W_E == qjs::JS_PROP_C_W_E))
    }
}

/// The keys of an object.
pub(super) struct Keys {
    context: *mut qjs::JSContext,
    table: *mut qjs::JSPropertyEnum,
    pub(super) length: u32,
}

impl Keys {
    pub(super) fn of(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<Keys, Thrown> {
        let (mut table, mut length) = (std::ptr::null_mut(), 0);
        let flags = qjs::JS_GPN_STRING_MASK as c_int;
        // SAFETY: the object is live and no proxy.
        match unsafe { qjs::JS_GetOwnPropertyNames(context, &raw mut table, &raw mut length, raw, flags) } {
            0 => Ok(Keys { context, table, length }),
            _ => Err(Thrown),
        }
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = qjs::JSAtom> + '_ {
        // SAFETY: the table has so many rows.
        (0..self.length as usize).map(|row| unsafe { (*self.table.add(row)).atom })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // SAFETY: the machine made the table for us.
        unsafe { qjs::JS_FreePropertyEnum(self.context, self.table, self.length) };
    }
}

/// Finds keys among known ones that mostly come in the same order.
pub(super) struct Finder<'a> {
    known: &'a [(qjs::JSAtom, usize)],
    next: usize,
    index: Option<HashMap<qjs::JSAtom, usize>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(known: &'a [(qjs::JSAtom, usize)]) -> Finder<'a> {
        Finder { known, next: 0, index: None }
    }

    pub(super) fn find(&mut self, atom: qjs::JSAtom) -> Option<usize> {
        let position = match self.known.get(self.next) {
            Some((next, _)) if *next == atom => self.next,
            _ => {
                let known = self.known;
                let index = self.index.get_or_insert_with(|| {
                    known.iter().enumerate().map(|(position, (atom, _))| (*atom, position)).collect()
                });
                *index.get(&atom)?
            }
        };
        self.next = position + 1;
        Some(position)
    }

    /// The same, also for the key that was found last.
    pub(super) fn find_again(&mut self, atom: qjs::JSAtom) -> Option<usize> {
        let last = self.next.checked_sub(1);
        let is_last = last.and_then(|last| self.known.get(last)).is_some_and(|(known, _)| *known == atom);
        if is_last { last } else { self.find(atom) }
    }
}
