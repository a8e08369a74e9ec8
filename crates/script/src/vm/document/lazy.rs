//! Large parts of a document, which are built when a script first looks at them: until then a getter stands in their place.

use super::property::Atom;
use super::{MachineDocument, Node, Parts};
use crate::vm::host;
use crate::vm::js::{Js, Tag, Thrown, argument, is_same, tag};
use rquickjs_sys as qjs;
use std::ffi::c_int;
use tavernkeep_engine::document::Value;

/// A getter in the place of a container.
pub(super) struct StandIn {
    pub(super) getter: Js,
    /// The object that it is a property of, which is only compared.
    holder: qjs::JSValue,
    atom: Atom,
}

impl MachineDocument {
    /// Puts a getter in the place of a container.
    pub(super) fn stand_in(&mut self, holder: qjs::JSValue, atom: &Atom, value: &Value) -> Result<usize, Thrown> {
        let (context, number) = (self.context, self.nodes.len());
        let magic = c_int::try_from(number).map_err(|_| Thrown)?;
        // SAFETY: all are live; the object takes over both functions.
        unsafe {
            let mut data = [qjs::JS_MKVAL(qjs::JS_TAG_INT, self.generation)];
            let data = data.as_mut_ptr();
            let getter = Js::take(context, qjs::JS_NewCFunctionData(context, Some(look_at), 0, magic, 1, data))?;
            let setter = Js::take(context, qjs::JS_NewCFunctionData(context, Some(write_to), 1, magic, 1, data))?;
            let flags = (qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_ENUMERABLE) as c_int;
            let shared = qjs::JS_DupValue(context, getter.raw());
            if qjs::JS_DefinePropertyGetSet(context, holder, atom.raw, shared, setter.into_raw(), flags) < 0 {
                return Err(Thrown);
            }
            let js = Js::share(context, getter.raw());
            let stand_in = StandIn { getter, holder, atom: atom.share() };
            self.nodes.push(Node { js, value: value.clone(), parts: Parts::Unbuilt, stand_in: Some(stand_in) });
        }
        Ok(number)
    }

    /// What a script gets that looks at a container for the first time, or again if the getter could not be replaced.
    fn look_at(&mut self, number: usize, this: qjs::JSValue) -> Result<Js, Thrown> {
        if let Parts::Unbuilt = self.nodes.get(number).ok_or(Thrown)?.parts {
            self.fill(number)?;
        }
        let node = &self.nodes[number];
        // SAFETY: all are live. An object that is frozen keeps the getter.
        unsafe {
            if let Some(stand_in) = node.stand_in.as_ref().filter(|stand_in| is_same(stand_in.holder, this)) {
                let raw = qjs::JS_DupValue(self.context, node.js.raw());
                let flags = qjs::JS_PROP_C_W_E as c_int;
                qjs::JS_DefinePropertyValue(self.context, this, stand_in.atom.raw, raw, flags);
            }
            Ok(Js::share(self.context, node.js.raw()))
        }
    }

    /// Whether a getter is the one that stands in the place of a node.
    pub(super) fn is_stand_in(&self, part: usize, getter: &Js) -> bool {
        self.nodes[part].stand_in.as_ref().is_some_and(|stand_in| stand_in.getter.is(getter.raw()))
    }
}

/// The document that the running script works on.
///
/// # Safety
/// Called by the machine, while a script runs or not; nothing else uses the document while a script runs.
unsafe fn running<'a>(context: *mut qjs::JSContext, data: *mut qjs::JSValue) -> Option<&'a mut MachineDocument> {
    // SAFETY: see above.
    unsafe {
        let document = host::document(context).as_mut()?;
        (tag(*data) == Tag::Integer(document.generation)).then_some(document)
    }
}

/// The getter that stands in the place of a container.
unsafe extern "C" fn look_at(
    context: *mut qjs::JSContext,
    this: qjs::JSValue,
    _: c_int,
    _: *mut qjs::JSValue,
    magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine.
    let Some(document) = (unsafe { running(context, data) }) else { return qjs::JS_UNDEFINED };
    let looked_at = usize::try_from(magic).map_err(|_| Thrown).and_then(|number| document.look_at(number, this));
    looked_at.map_or(qjs::JS_EXCEPTION, Js::into_raw)
}

/// The setter beside it: what is assigned becomes a plain member.
unsafe extern "C" fn write_to(
    context: *mut qjs::JSContext,
    this: qjs::JSValue,
    count: c_int,
    arguments: *mut qjs::JSValue,
    magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: called by the machine with live arguments; the object takes over the value.
    unsafe {
        let node = running(context, data).and_then(|document| document.nodes.get(usize::try_from(magic).ok()?));
        let Some(stand_in) = node.and_then(|node| node.stand_in.as_ref()) else { return qjs::JS_UNDEFINED };
        let raw = qjs::JS_DupValue(context, argument(count, arguments, 0));
        let flags = (qjs::JS_PROP_C_W_E | qjs::JS_PROP_THROW) as c_int;
        match qjs::JS_DefinePropertyValue(context, this, stand_in.atom.raw, raw, flags) {
            status if status < 0 => qjs::JS_EXCEPTION,
            _ => qjs::JS_UNDEFINED,
        }
    }
}
