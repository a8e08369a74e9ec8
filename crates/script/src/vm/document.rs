//! Documents on their way into the machine and back.
//!
//! For every value that goes in we remember the value of the machine and ours. On the way back a value that is still the very
//! same is taken from our side: it costs no conversion, it keeps the order of its keys, and the difference to the document
//! before skips it. An integer beyond 2^53 is an object that scripts can only move, so nothing is rounded.
//!
//! A large object below another is built when a script first looks at it: until then a getter of ours stands in its place. A
//! function that touches one character of eighty costs one character, on the way in and on the way back.
//!
//! What a script leaves behind must be JSON: plain objects, lists, text, finite numbers. Members that are `undefined` do not
//! count, as in JSON.

mod lazy;
pub(super) mod property;
mod read;
mod value_path;

use super::integer;
use super::js::{Js, Thrown, new_text};
use lazy::StandIn;
use property::Atom;
use read::{KnownNode, ReadStatus};
use rquickjs_sys as qjs;
use std::collections::HashMap;
use std::ffi::c_int;
use tavernkeep_engine::document::Value;
use value_path::ValuePath;

/// Why a document cannot go in or come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DocumentError {
    /// The machine has thrown, most likely because its memory is used up.
    Thrown,
    /// The script left something that is not JSON; where, and what.
    NotJson(String),
}

impl From<Thrown> for DocumentError {
    fn from(Thrown: Thrown) -> DocumentError {
        DocumentError::Thrown
    }
}

/// A document in the machine, and what it is on our side.
pub(crate) struct MachineDocument {
    context: *mut qjs::JSContext,
    /// What plain objects inherit from.
    object_prototype: Js,
    nodes: Vec<Node>,
    /// Objects and lists by their address, made when something stands elsewhere than before.
    by_address: Option<HashMap<usize, usize>>,
    /// Whether the machine's side has to be built again before the next script.
    outdated: bool,
    /// Nodes beyond which it is, because most of them are of values that are gone.
    nodes_max: usize,
    /// Whether large parts are built when they are looked at.
    is_lazy: bool,
    /// How often the document was built: getters of an earlier one find nothing.
    generation: i32,
}

/// Bytes of a container from which on it is built when it is looked at. A getter costs as much as a few values.
const LAZY_WEIGHT: usize = if cfg!(test) { 1 } else { 128 };

struct Node {
    /// The value in the machine; of a container that is not built yet its getter.
    js: Js,
    value: Value,
    parts: Parts,
    /// Of a container that is built when it is looked at: what stands in its place until then.
    stand_in: Option<StandIn>,
}

enum Parts {
    None,
    /// A container that nobody has looked at.
    Unbuilt,
    /// The keys as the machine numbers them, and the nodes of the values.
    Members(Vec<(Atom, usize)>),
    Items(Vec<usize>),
}

impl MachineDocument {
    /// Builds a document in the machine.
    ///
    /// # Safety
    /// The context is live and outlives the document.
    pub(crate) unsafe fn build(
        context: *mut qjs::JSContext,
        value: &Value,
        is_lazy: bool,
    ) -> Result<MachineDocument, Thrown> {
        // SAFETY: see above.
        let object_prototype = unsafe {
            let plain = Js::take(context, qjs::JS_NewObject(context))?;
            Js::take(context, qjs::JS_GetPrototype(context, plain.raw()))?
        };
        let mut document = MachineDocument {
            context,
            object_prototype,
            nodes: Vec::new(),
            by_address: None,
            outdated: false,
            nodes_max: usize::MAX,
            is_lazy,
            generation: 0,
        };
        document.add(value)?;
        document.nodes_max = nodes_max(value);
        Ok(document)
    }

    /// The document as scripts get it.
    pub(crate) fn root(&self) -> &Js {
        // The first node is the whole document; `build` makes it.
        &self.nodes[0].js
    }

    /// Our side of the document.
    pub(crate) fn value(&self) -> &Value {
        &self.nodes[0].value
    }

    /// Makes the machine's side what ours is, unless it is.
    pub(crate) fn refresh(&mut self) -> Result<(), Thrown> {
        if !self.outdated {
            return Ok(());
        }
        let value = self.value().clone();
        self.replace(&value)
    }

    /// Puts another document in the place of this one.
    pub(crate) fn replace(&mut self, value: &Value) -> Result<(), Thrown> {
        // The old one is kept until the new one is there: without memory for both, the value of the document must not be lost.
        let old = std::mem::take(&mut self.nodes);
        self.by_address = None;
        self.generation = self.generation.wrapping_add(1);
        match self.add(value) {
            Ok(_) => {
                self.outdated = false;
                self.nodes_max = nodes_max(value);
                Ok(())
            }
            Err(Thrown) => {
                self.nodes = old;
                self.outdated = true;
                Err(Thrown)
            }
        }
    }

    /// Reads what a script left behind, as a new document of ours. The machine's side is made to fit: what is new there becomes
    /// a copy of ours, so that nothing is in two places and nothing is frozen.
    pub(crate) fn read(&mut self, left: &Js) -> Result<Value, DocumentError> {
        let before = self.value().clone();
        self.by_address = None;
        let mut weight = 0;
        let root = KnownNode { node: Some(0), own: true };
        let read = match self.read_value(left.raw(), root, &mut ValuePath::default(), &mut weight) {
            Ok(Some((value, status))) if value.kind() == before.kind() => {
                self.outdated |= status == ReadStatus::Fresh || self.nodes.len() > self.nodes_max;
                Ok(value)
            }
            Ok(_) => {
                let kind = before.kind().with_article();
                Err(DocumentError::NotJson(format!("the snapshot was {kind} and would be something else")))
            }
            Err(error) => Err(error),
        };
        match &read {
            Ok(value) => self.nodes[0].value = value.clone(),
            Err(_) => {
                self.nodes[0].value = before;
                self.outdated = true;
            }
        }
        read
    }

    /// Lets go of a document whose machine is about to be put back, which frees everything at once.
    pub(crate) fn forget(self) {
        for Node { js, value, parts, stand_in } in self.nodes {
            drop((js.into_raw(), value));
            std::mem::forget(stand_in);
            if let Parts::Members(parts) = parts {
                parts.into_iter().for_each(|(atom, _)| std::mem::forget(atom));
            }
        }
        self.object_prototype.into_raw();
    }

    /// Forgets what a script did that failed.
    pub(crate) fn take_back(&mut self) {
        self.outdated = true;
    }

    fn add(&mut self, value: &Value) -> Result<usize, Thrown> {
        let number = self.nodes.len();
        // SAFETY: the context is live.
        let js = unsafe { new_scalar(self.context, value) }?;
        self.nodes.push(Node { js, value: value.clone(), parts: Parts::None, stand_in: None });
        if value.is_container() {
            self.fill(number)?;
        }
        Ok(number)
    }

    /// Builds the container of a node.
    fn fill(&mut self, number: usize) -> Result<(), Thrown> {
        let context = self.context;
        let value = &self.nodes[number].value.clone();
        // SAFETY: the context is live; the machine copies texts and takes over the values that are put into containers.
        let js = unsafe {
            let is_array = matches!(value, Value::Array(_));
            let raw = if is_array { qjs::JS_NewArray(context) } else { qjs::JS_NewObject(context) };
            Js::take(context, raw)?
        };
        let container = js.raw();
        self.nodes[number].js = js;
        let parts = match value {
            Value::Array(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for (index, item) in (0_u32..).zip(items.iter()) {
                    let part = self.add(item)?;
                    let flags = qjs::JS_PROP_C_W_E as c_int;
                    // SAFETY: as above.
                    unsafe {
                        let raw = qjs::JS_DupValue(context, self.nodes[part].js.raw());
                        if qjs::JS_DefinePropertyValueUint32(context, container, index, raw, flags) < 0 {
                            return Err(Thrown);
                        }
                    }
                    parts.push(part);
                }
                Parts::Items(parts)
            }
            Value::Object(members) => {
                let mut parts = Vec::with_capacity(members.len());
                for (key, member) in members.iter() {
                    // SAFETY: as above.
                    let atom = unsafe {
                        let raw = qjs::JS_NewAtomLen(context, key.as_ptr().cast(), key.len() as _);
                        if raw == 0 {
                            return Err(Thrown);
                        }
                        Atom { context, raw }
                    };
                    if self.is_lazy && member.is_container() && member.weight() >= LAZY_WEIGHT {
                        let part = self.stand_in(container, &atom, member)?;
                        parts.push((atom, part));
                        continue;
                    }
                    let part = self.add(member)?;
                    // SAFETY: as above.
                    unsafe {
                        let raw = qjs::JS_DupValue(context, self.nodes[part].js.raw());
                        let flags = qjs::JS_PROP_C_W_E as c_int;
                        if qjs::JS_DefinePropertyValue(context, container, atom.raw, raw, flags) < 0 {
                            return Err(Thrown);
                        }
                        parts.push((atom, part));
                    }
                }
                Parts::Members(parts)
            }
            _ => Parts::None,
        };
        self.nodes[number].parts = parts;
        Ok(())
    }

    /// Puts a copy of ours under a key of an object. Returns its node.
    fn put(&mut self, object: qjs::JSValue, atom: qjs::JSAtom, value: &Value) -> Result<usize, Thrown> {
        let part = self.add(value)?;
        let flags = qjs::JS_PROP_C_W_E as c_int;
        // SAFETY: all are live; the object takes over the value.
        unsafe {
            let raw = qjs::JS_DupValue(self.context, self.nodes[part].js.raw());
            match qjs::JS_DefinePropertyValue(self.context, object, atom, raw, flags) {
                1 => Ok(part),
                _ => Err(Thrown),
            }
        }
    }
}

/// A value that costs one value of the machine.
///
/// # Safety
/// The context is live and outlives the value.
unsafe fn new_scalar(context: *mut qjs::JSContext, value: &Value) -> Result<Js, Thrown> {
    // SAFETY: see above.
    unsafe {
        let raw = match value {
            Value::Bool(true) => qjs::JS_TRUE,
            Value::Bool(false) => qjs::JS_FALSE,
            Value::Number(number) if integer::is_opaque(number) => return integer::new_integer(context, number),
            Value::Number(number) if number.is_integer() => qjs::JS_NewNumber(context, number.as_f64()),
            Value::Number(number) => qjs::JS_NewFloat64(number.as_f64()),
            Value::String(text) => return new_text(context, text),
            Value::Null | Value::Array(_) | Value::Object(_) => qjs::JS_NULL,
        };
        Js::take(context, raw)
    }
}

/// A value in the machine that we do not read back.
///
/// # Safety
/// The context is live and outlives the value.
pub(crate) unsafe fn new_value(context: *mut qjs::JSContext, value: &Value) -> Result<Js, Thrown> {
    // SAFETY: see above.
    unsafe {
        let document = MachineDocument::build(context, value, false)?;
        Ok(Js::share(context, document.root().raw()))
    }
}

/// The nodes that a document may have before it is built again.
fn nodes_max(value: &Value) -> usize {
    value.weight() / 2 + 4096
}
