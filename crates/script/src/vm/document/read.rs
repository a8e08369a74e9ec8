//! Documents on their way back: what a script left behind is compared with what it was given, and read where it differs.

use super::property::{Atom, Finder, Keys, Property, own_property};
use super::value_path::{ValuePath, ValueStep, unnamed};
use super::{DocumentError, MachineDocument, Parts};
use crate::vm::integer;
use crate::vm::js::{Js, Tag, Text, Thrown, is_same, tag};
use rquickjs_sys as qjs;
use std::sync::Arc;
use tavernkeep_engine::document::{Number, Value};
use tavernkeep_engine::limits::{DOCUMENT_BYTES_MAX, JSON_DEPTH_MAX};

/// The node that a value is compared with, and whether it is the one of this very place, which may be brought up to date.
#[derive(Clone, Copy)]
pub(super) struct KnownNode {
    pub(super) node: Option<usize>,
    pub(super) own: bool,
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadStatus {
    /// It is the same, and so is its node.
    Same,
    /// It is another, and its node was brought up to date.
    Updated,
    /// It has no node of its own in this place.
    Fresh,
}

impl MachineDocument {
    /// Reads one value; `None` for `undefined`.
    pub(super) fn read_value(
        &mut self,
        raw: qjs::JSValue,
        known_node: KnownNode,
        path: &mut ValuePath,
        weight: &mut usize,
    ) -> Result<Option<(Value, ReadStatus)>, DocumentError> {
        *weight += 4;
        if *weight > DOCUMENT_BYTES_MAX {
            return Err(DocumentError::NotJson(format!(
                "the snapshot would have more than {DOCUMENT_BYTES_MAX} bytes"
            )));
        }
        if tag(raw) == Tag::Object && !integer::is_integer(self.context, raw)? {
            return self.read_container(raw, known_node, path, weight).map(Some);
        }
        if let Some(node) = known_node.node
            && is_same(self.nodes[node].js.raw(), raw)
        {
            *weight += self.nodes[node].value.weight();
            return Ok(Some((self.nodes[node].value.clone(), ReadStatus::Same)));
        }
        let Some(value) = self.read_scalar(raw, path)? else { return Ok(None) };
        *weight += value.weight();
        let Some(node) = known_node.node.filter(|node| !self.nodes[*node].value.is_container()) else {
            return Ok(Some((value, ReadStatus::Fresh)));
        };
        if known_node.own {
            // SAFETY: the script's value is live.
            self.nodes[node].js = unsafe { Js::share(self.context, raw) };
        }
        // The same value in other memory is no change.
        if self.nodes[node].value == value {
            return Ok(Some((self.nodes[node].value.clone(), ReadStatus::Same)));
        }
        if !known_node.own {
            return Ok(Some((value, ReadStatus::Fresh)));
        }
        self.nodes[node].value = value.clone();
        Ok(Some((value, ReadStatus::Updated)))
    }

    fn read_scalar(&self, raw: qjs::JSValue, path: &ValuePath) -> Result<Option<Value>, DocumentError> {
        let number = |number: Option<Number>, what: &str| {
            number.map(|number| Some(Value::Number(number))).ok_or_else(|| path.error(what))
        };
        match tag(raw) {
            Tag::Undefined => Ok(None),
            Tag::Null => Ok(Some(Value::Null)),
            Tag::Bool(truth) => Ok(Some(Value::Bool(truth))),
            Tag::Integer(integer) => Ok(Some(Value::from(i64::from(integer)))),
            Tag::Double(double) => number(Number::from_f64(double), "NaN or Infinity, which JSON has not"),
            Tag::BigInt => Err(path.error("a BigInt, which JSON has not; write Number() of it")),
            Tag::String => {
                let text = self.text(raw)?;
                let text = text.as_str().ok_or_else(|| path.error("text with half of a surrogate pair"))?;
                let integer = integer::of_token(self.context, text);
                Ok(Some(integer.map_or_else(|| Value::from(text), Value::Number)))
            }
            // Other objects are read as containers.
            Tag::Object => {
                let integer = integer::read(self.context, raw)?;
                number(integer, "an integer that the script was not given; integers beyond 2^53 can only be moved")
            }
            Tag::Other => Err(path.error("a symbol")),
        }
    }

    fn text(&self, raw: qjs::JSValue) -> Result<Text, Thrown> {
        // SAFETY: the script's value is live.
        unsafe { Js::share(self.context, raw) }.to_text()
    }

    fn read_container(
        &mut self,
        raw: qjs::JSValue,
        known_node: KnownNode,
        path: &mut ValuePath,
        weight: &mut usize,
    ) -> Result<(Value, ReadStatus), DocumentError> {
        if path.0.len() >= JSON_DEPTH_MAX {
            return Err(DocumentError::NotJson(format!(
                "the snapshot nests deeper than {JSON_DEPTH_MAX}, or holds itself, at `{}`",
                path.written()
            )));
        }
        // Most functions change something, so the whole document is not looked at twice.
        if let Some(node) = known_node.node
            && known_node.own
            && !path.0.is_empty()
            && is_same(self.nodes[node].js.raw(), raw)
            && self.is_untouched(node)?
        {
            *weight += self.nodes[node].value.weight();
            return Ok((self.nodes[node].value.clone(), ReadStatus::Same));
        }
        // SAFETY: the script's value is live while it is read: nothing below runs code of the script.
        let (is_array, is_proxy) = unsafe { (qjs::JS_IsArray(raw), qjs::JS_IsProxy(raw)) };
        if is_proxy {
            return Err(path.error("a proxy"));
        }
        // SAFETY: as above. It would run the trap of a proxy, and this is none.
        let is_extensible = unsafe { qjs::JS_IsExtensible(self.context, raw) == 1 };
        let is_like = |node: &usize| match self.nodes[*node].value {
            Value::Array(_) => is_array,
            Value::Object(_) => !is_array,
            _ => false,
        };
        let in_place = known_node.node.filter(|node| known_node.own && is_same(self.nodes[*node].js.raw(), raw));
        // What came from another place keeps the order of its keys.
        let known_node = match in_place.filter(|_| is_extensible) {
            Some(node) => KnownNode { node: Some(node), own: true },
            None => {
                let hint = known_node.node.filter(is_like);
                let node = in_place.or_else(|| self.node_of(raw)).or(hint);
                // The order of the keys is known even of parts that were not built.
                if let Some(unbuilt) = node.filter(|node| matches!(self.nodes[*node].parts, Parts::Unbuilt)) {
                    self.fill(unbuilt)?;
                }
                KnownNode { node, own: false }
            }
        };
        if is_array {
            self.read_items(raw, known_node, path, weight)
        } else {
            self.read_members(raw, known_node, path, weight)
        }
    }

    /// Whether a container of ours and everything in it is as it was built. It costs no memory but a table of keys.
    fn is_untouched(&self, node: usize) -> Result<bool, Thrown> {
        let (context, node) = (self.context, &self.nodes[node]);
        let container = node.js.raw();
        // SAFETY: all values are live, and what we built is no proxy.
        if unsafe { qjs::JS_IsExtensible(context, container) } != 1 {
            return Ok(false);
        }
        let is_same_part = |atom: qjs::JSAtom, part: usize| -> Result<bool, Thrown> {
            // SAFETY: as above.
            let property = match (unsafe { own_property(context, container, atom) })? {
                Property::Value(property, true) => property,
                // Nobody has looked at it.
                Property::Accessor(getter) => {
                    return Ok(matches!(self.nodes[part].parts, Parts::Unbuilt) && self.is_stand_in(part, &getter));
                }
                _ => return Ok(false),
            };
            let known = &self.nodes[part];
            match is_same(known.js.raw(), property.raw()) {
                true if known.value.is_container() => self.is_untouched(part),
                same => Ok(same),
            }
        };
        match &node.parts {
            Parts::None | Parts::Unbuilt => Ok(false),
            Parts::Items(parts) => {
                let mut length = 0;
                // SAFETY: as above.
                if unsafe { qjs::JS_GetLength(context, container, &raw mut length) } < 0 {
                    return Err(Thrown);
                }
                if usize::try_from(length).ok() != Some(parts.len()) {
                    return Ok(false);
                }
                for (index, part) in (0_u32..).zip(parts) {
                    // SAFETY: as above; small numbers are keys that need no freeing.
                    let atom = Atom { context, raw: unsafe { qjs::JS_NewAtomUInt32(context, index) } };
                    if !is_same_part(atom.raw, *part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Parts::Members(parts) => {
                // SAFETY: as above.
                let prototype = unsafe { Js::take(context, qjs::JS_GetPrototype(context, container)) }?;
                let keys = Keys::of(context, container)?;
                if !prototype.is(self.object_prototype.raw()) || keys.length as usize != parts.len() {
                    return Ok(false);
                }
                // Keys that look like numbers come first in the machine, so the order need not be ours.
                for (atom, (known, part)) in keys.atoms().zip(parts) {
                    let part = match known.raw == atom {
                        true => Some(*part),
                        // Many of them are compared with the help of a table.
                        false if parts.len() > 32 => None,
                        false => parts.iter().find(|(known, _)| known.raw == atom).map(|(_, part)| *part),
                    };
                    match part {
                        Some(part) if is_same_part(atom, part)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
        }
    }

    /// The node of an object or list that now stands elsewhere.
    fn node_of(&mut self, raw: qjs::JSValue) -> Option<usize> {
        // SAFETY: objects are pointers.
        let address = |raw: qjs::JSValue| unsafe { qjs::JS_VALUE_GET_PTR(raw) } as usize;
        let nodes = &self.nodes;
        let by_address = self.by_address.get_or_insert_with(|| {
            let containers = nodes.iter().enumerate().filter(|(_, node)| node.value.is_container());
            containers.map(|(number, node)| (address(node.js.raw()), number)).collect()
        });
        by_address.get(&address(raw)).copied()
    }

    fn read_items(
        &mut self,
        raw: qjs::JSValue,
        known_node: KnownNode,
        path: &mut ValuePath,
        weight: &mut usize,
    ) -> Result<(Value, ReadStatus), DocumentError> {
        let mut length = 0;
        // SAFETY: the length of a list is a plain property.
        if unsafe { qjs::JS_GetLength(self.context, raw, &raw mut length) } < 0 {
            return Err(DocumentError::Thrown);
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > DOCUMENT_BYTES_MAX / 4 {
            return Err(path.error("a list with too many items"));
        }
        let known = match known_node.node.map(|node| &self.nodes[node].parts) {
            Some(Parts::Items(items)) => items.clone(),
            _ => Vec::new(),
        };
        let before = known_node.node.map(|node| self.nodes[node].value.clone());
        let mut items: Vec<Value> = Vec::with_capacity(length.min(1024));
        let mut changed = before.is_none() || known.len() != length;
        let mut in_place = known_node.own && known.len() == length;
        for index in 0..length {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            // SAFETY: the context is live; small numbers are keys that need no freeing.
            let found = unsafe {
                let atom = Atom { context: self.context, raw: qjs::JS_NewAtomUInt32(self.context, number) };
                own_property(self.context, raw, atom.raw)
            }?;
            path.0.push(ValueStep::Index(index));
            let part = KnownNode { node: known.get(index).copied(), own: known_node.own };
            // A hole is null, as in JSON.
            let (value, status) = match found {
                Property::Value(property, is_plain) => {
                    in_place &= is_plain;
                    self.read_value(property.raw(), part, path, weight)?.unwrap_or((Value::Null, ReadStatus::Fresh))
                }
                Property::Missing => {
                    *weight += 5;
                    (Value::Null, ReadStatus::Fresh)
                }
                Property::Accessor(_) => return Err(path.error("a getter")),
            };
            path.0.pop();
            if *weight > DOCUMENT_BYTES_MAX {
                return Err(path.error("a list with too many items"));
            }
            in_place &= status != ReadStatus::Fresh;
            changed |= !before.as_ref().and_then(|list| list.item(index)).is_some_and(|old| is_unchanged(old, &value));
            items.push(value);
        }
        let value = match before.filter(|_| !changed) {
            Some(before) => before,
            None => items.into_iter().collect(),
        };
        match known_node.node.filter(|_| in_place) {
            Some(_) if !changed => Ok((value, ReadStatus::Same)),
            Some(node) => {
                self.nodes[node].value = value.clone();
                Ok((value, ReadStatus::Updated))
            }
            // Items may stand elsewhere now: the list is built again.
            None => Ok((value, ReadStatus::Fresh)),
        }
    }

    fn read_members(
        &mut self,
        raw: qjs::JSValue,
        known_node: KnownNode,
        path: &mut ValuePath,
        weight: &mut usize,
    ) -> Result<(Value, ReadStatus), DocumentError> {
        self.check_plain(raw, path)?;
        let known: Vec<(qjs::JSAtom, usize)> = match known_node.node.map(|node| &self.nodes[node].parts) {
            Some(Parts::Members(members)) => members.iter().map(|(atom, part)| (atom.raw, *part)).collect(),
            _ => Vec::new(),
        };
        let before = known_node.node.map(|node| self.nodes[node].value.clone());
        let keys = Keys::of(self.context, raw)?;
        // By the position among the known members; what is new comes behind them.
        let mut kept: Vec<Option<(Value, ReadStatus)>> = vec![None; known.len()];
        let mut new: Vec<(qjs::JSAtom, Arc<str>, Value)> = Vec::new();
        let mut is_plain_object = true;
        let mut finder = Finder::new(&known);
        for atom in keys.atoms() {
            // SAFETY: the key belongs to the object.
            let property = match unsafe { own_property(self.context, raw, atom) }? {
                Property::Value(property, is_plain) => {
                    is_plain_object &= is_plain;
                    property
                }
                Property::Missing => {
                    // What cannot be listed would be in the way of a key of that name.
                    is_plain_object = false;
                    continue;
                }
                Property::Accessor(getter) => {
                    let position = finder.find(atom);
                    match position.filter(|position| self.is_stand_in(known[*position].1, &getter)) {
                        Some(position) => {
                            let node = &self.nodes[known[position].1];
                            if let Parts::Unbuilt = node.parts {
                                *weight += node.value.weight();
                                kept[position] = Some((node.value.clone(), ReadStatus::Same));
                                continue;
                            }
                            // It was looked at, and the getter could not be replaced because the object is frozen.
                            is_plain_object = false;
                            // SAFETY: the value is live.
                            unsafe { Js::share(self.context, node.js.raw()) }
                        }
                        None => {
                            path.0.push(ValueStep::Key(self.key(atom)?));
                            return Err(path.error("a getter"));
                        }
                    }
                }
            };
            let position = finder.find_again(atom);
            let part = KnownNode { node: position.map(|position| known[position].1), own: known_node.own };
            path.0.push(match (known_node.node, position) {
                (Some(node), Some(position)) => ValueStep::Known(node, position),
                _ => ValueStep::Key(self.key(atom)?),
            });
            let read = match self.read_value(property.raw(), part, path, weight) {
                Ok(read) => read,
                Err(error) => return Err(self.named(error, path)),
            };
            let step = path.0.pop();
            match (read, position, step) {
                (None, ..) => is_plain_object = false,
                (Some(read), Some(position), _) => kept[position] = Some(read),
                (Some((value, _)), None, Some(ValueStep::Key(key))) => {
                    *weight += key.len();
                    new.push((atom, key, value));
                }
                (Some(_), None, _) => {}
            }
        }
        let is_kept = |(position, kept): (usize, &Option<(Value, ReadStatus)>)| {
            let old = before.as_ref().and_then(|before| before.as_object()?.at(position));
            matches!((old, kept), (Some((_, old)), Some((value, _))) if is_unchanged(old, value))
        };
        let unchanged = new.is_empty() && kept.iter().enumerate().all(is_kept);
        let value = match before.as_ref().filter(|_| unchanged) {
            Some(before) => before.clone(),
            None => {
                let old_key =
                    |position: usize| before.as_ref()?.as_object()?.at(position).map(|(key, _)| Arc::clone(key));
                let kept = kept.iter().enumerate();
                let kept = kept.filter_map(|(at, kept)| Some((old_key(at)?, kept.as_ref()?.0.clone())));
                kept.chain(new.iter().map(|(_, key, value)| (Arc::clone(key), value.clone()))).collect()
            }
        };
        match known_node.node.filter(|_| known_node.own && is_plain_object) {
            Some(node) => self.settle(node, raw, &kept, &new, &value),
            None => Ok((value, ReadStatus::Fresh)),
        }
    }

    /// Brings the node of an object that still stands in its place up to date with what was read from it.
    fn settle(
        &mut self,
        node: usize,
        raw: qjs::JSValue,
        kept: &[Option<(Value, ReadStatus)>],
        new: &[(qjs::JSAtom, Arc<str>, Value)],
        value: &Value,
    ) -> Result<(Value, ReadStatus), DocumentError> {
        if self.nodes[node].value.is_shared_with(value) {
            return Ok((value.clone(), ReadStatus::Same));
        }
        self.nodes[node].value = value.clone();
        let Parts::Members(members) = std::mem::replace(&mut self.nodes[node].parts, Parts::None) else {
            return Ok((value.clone(), ReadStatus::Fresh));
        };
        let mut parts = Vec::with_capacity(members.len() + new.len());
        for ((atom, part), kept) in members.into_iter().zip(kept) {
            match kept {
                Some((value, ReadStatus::Fresh)) => {
                    let part = self.put(raw, atom.raw, value)?;
                    parts.push((atom, part));
                }
                Some(_) => parts.push((atom, part)),
                None => {}
            }
        }
        for (atom, _, value) in new {
            let part = self.put(raw, *atom, value)?;
            // SAFETY: the key is live.
            let atom = Atom { context: self.context, raw: unsafe { qjs::JS_DupAtom(self.context, *atom) } };
            parts.push((atom, part));
        }
        self.nodes[node].parts = Parts::Members(parts);
        Ok((value.clone(), ReadStatus::Updated))
    }

    fn check_plain(&self, raw: qjs::JSValue, path: &ValuePath) -> Result<(), DocumentError> {
        // SAFETY: the script's value is live; it is no proxy, so no code runs.
        unsafe {
            if qjs::JS_IsFunction(self.context, raw) {
                return Err(path.error("a function"));
            }
            let prototype = Js::take(self.context, qjs::JS_GetPrototype(self.context, raw))?;
            let is_plain_class = qjs::JS_GetClassID(raw) == OBJECT_CLASS;
            if is_plain_class && (prototype.tag() == Tag::Null || prototype.is(self.object_prototype.raw())) {
                return Ok(());
            }
            let what = match () {
                () if qjs::JS_IsDate(raw) => "a Date; write toISOString() of it",
                () if qjs::JS_IsMap(raw) || qjs::JS_IsSet(raw) => "a Map or Set",
                () if qjs::JS_IsPromise(raw) => "a promise, which nobody waits for",
                () if qjs::JS_IsRegExp(raw) => "a regular expression",
                () if qjs::JS_IsError(raw) => "an error",
                () => "an object that is not plain",
            };
            Err(path.error(what))
        }
    }

    fn key(&self, atom: qjs::JSAtom) -> Result<Arc<str>, DocumentError> {
        // SAFETY: the key is live while its object is.
        let text = unsafe { Js::take(self.context, qjs::JS_AtomToString(self.context, atom)) }?.to_text()?;
        let half = || DocumentError::NotJson("a key has half of a surrogate pair".to_owned());
        text.as_str().map(Arc::from).ok_or_else(half)
    }

    /// Puts names in the place of the numbers of a path.
    fn named(&self, error: DocumentError, path: &ValuePath) -> DocumentError {
        let DocumentError::NotJson(mut message) = error else { return error };
        for step in &path.0 {
            if let ValueStep::Known(node, position) = step
                && let Some((key, _)) = self.nodes[*node].value.as_object().and_then(|members| members.at(*position))
            {
                message = message.replace(&unnamed(*node, *position), key);
            }
        }
        DocumentError::NotJson(message)
    }
}

/// Whether a value is the one that was there before: shared containers and texts, equal other values.
fn is_unchanged(before: &Value, after: &Value) -> bool {
    if before.is_container() || after.is_container() { before.is_shared_with(after) } else { before == after }
}

/// The class of plain objects.
const OBJECT_CLASS: qjs::JSClassID = 1;
