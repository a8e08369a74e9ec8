//! JavaScript values that are freed when they go out of scope, and the few things that we ask of them.

use rquickjs_sys as qjs;
use std::ffi::{CStr, c_char, c_int};

/// A value of the machine that we own.
pub(crate) struct Js {
    context: *mut qjs::JSContext,
    raw: qjs::JSValue,
}

/// The machine has thrown; the exception waits in its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thrown;

/// What a value is, as far as we distinguish values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tag {
    Undefined,
    Null,
    Bool(bool),
    Integer(i32),
    Double(f64),
    BigInt,
    String,
    Object,
    /// A symbol, or what scripts never see.
    Other,
}

impl Js {
    /// Takes what a function of the machine gave back, which is ours now.
    ///
    /// # Safety
    /// `raw` is a value of the context that nobody else frees, and the context outlives it.
    pub(crate) unsafe fn take(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<Js, Thrown> {
        let js = Js { context, raw };
        if js.tag_number() == qjs::JS_TAG_EXCEPTION { Err(Thrown) } else { Ok(js) }
    }

    /// One more reference to a value.
    ///
    /// # Safety
    /// `raw` is a live value of the context, which outlives the new owner.
    pub(crate) unsafe fn share(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Js {
        // SAFETY: see above.
        unsafe { Js { context, raw: qjs::JS_DupValue(context, raw) } }
    }

    pub(crate) fn raw(&self) -> qjs::JSValue {
        self.raw
    }

    /// Gives the value away, to whom frees it.
    pub(crate) fn into_raw(self) -> qjs::JSValue {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }

    pub(crate) fn tag(&self) -> Tag {
        tag(self.raw)
    }

    fn tag_number(&self) -> i32 {
        // SAFETY: reading the tag of a value.
        unsafe { qjs::JS_VALUE_GET_NORM_TAG(self.raw) }
    }

    /// Whether both are the very same value: the same object, the same text in memory, the same number.
    pub(crate) fn is(&self, raw: qjs::JSValue) -> bool {
        is_same(self.raw, raw)
    }

    /// The member of an object. This may run a getter.
    pub(crate) fn get(&self, name: &CStr) -> Result<Js, Thrown> {
        // SAFETY: the value is live.
        unsafe { Js::take(self.context, qjs::JS_GetPropertyStr(self.context, self.raw, name.as_ptr())) }
    }

    /// An item of a list. This may run a getter.
    pub(crate) fn item(&self, index: u32) -> Result<Js, Thrown> {
        // SAFETY: the value is live.
        unsafe { Js::take(self.context, qjs::JS_GetPropertyUint32(self.context, self.raw, index)) }
    }

    pub(crate) fn length(&self) -> Result<i64, Thrown> {
        let mut length = 0;
        // SAFETY: the value is live.
        match unsafe { qjs::JS_GetLength(self.context, self.raw, &raw mut length) } {
            0 => Ok(length),
            _ => Err(Thrown),
        }
    }

    /// Calls the value as a function.
    pub(crate) fn call(&self, arguments: &[&Js]) -> Result<Js, Thrown> {
        let mut raw: Vec<qjs::JSValue> = arguments.iter().map(|argument| argument.raw).collect();
        let count = c_int::try_from(raw.len()).unwrap_or(0);
        // SAFETY: all values are live; the callee does not free its arguments.
        unsafe {
            Js::take(self.context, qjs::JS_Call(self.context, self.raw, qjs::JS_UNDEFINED, count, raw.as_mut_ptr()))
        }
    }

    /// The text of a value: of a string itself, of anything else what JavaScript makes of it, which may run code.
    pub(crate) fn to_text(&self) -> Result<Text, Thrown> {
        let mut length = 0;
        // SAFETY: the value is live, and the text is freed with `Text`.
        let bytes = unsafe { qjs::JS_ToCStringLen2(self.context, &raw mut length, self.raw, false) };
        if bytes.is_null() {
            return Err(Thrown);
        }
        Ok(Text { context: self.context, bytes, length: length as usize })
    }
}

impl Drop for Js {
    fn drop(&mut self) {
        // SAFETY: we own the value.
        unsafe { qjs::JS_FreeValue(self.context, self.raw) };
    }
}

/// What a raw value is.
pub(crate) fn tag(raw: qjs::JSValue) -> Tag {
    // SAFETY: each reading belongs to its tag.
    unsafe {
        match qjs::JS_VALUE_GET_NORM_TAG(raw) {
            qjs::JS_TAG_UNDEFINED => Tag::Undefined,
            qjs::JS_TAG_NULL => Tag::Null,
            qjs::JS_TAG_BOOL => Tag::Bool(qjs::JS_VALUE_GET_BOOL(raw)),
            qjs::JS_TAG_INT => Tag::Integer(qjs::JS_VALUE_GET_INT(raw)),
            qjs::JS_TAG_FLOAT64 => Tag::Double(qjs::JS_VALUE_GET_FLOAT64(raw)),
            qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Tag::BigInt,
            qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Tag::String,
            qjs::JS_TAG_OBJECT => Tag::Object,
            _ => Tag::Other,
        }
    }
}

/// Whether two raw values are the very same: the same object, the same text in memory, the same number.
pub(crate) fn is_same(left: qjs::JSValue, right: qjs::JSValue) -> bool {
    match (tag(left), tag(right)) {
        (Tag::String | Tag::Object | Tag::BigInt, Tag::String | Tag::Object | Tag::BigInt) => {
            // SAFETY: equal tags, so both are pointers or both are small integers of the same size.
            unsafe {
                qjs::JS_VALUE_GET_TAG(left) == qjs::JS_VALUE_GET_TAG(right)
                    && qjs::JS_VALUE_GET_PTR(left) == qjs::JS_VALUE_GET_PTR(right)
            }
        }
        (Tag::Double(left), Tag::Double(right)) => left.to_bits() == right.to_bits(),
        (left, right) => left == right && left != Tag::Other,
    }
}

/// A text of the machine as UTF-8. Half of a surrogate pair is in it as three bytes that are none.
pub(crate) struct Text {
    context: *mut qjs::JSContext,
    bytes: *const c_char,
    length: usize,
}

impl Text {
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the machine keeps so many bytes until we free them.
        unsafe { std::slice::from_raw_parts(self.bytes.cast(), self.length) }
    }

    /// The text, where it is one.
    pub(crate) fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }

    /// The text for a message.
    pub(crate) fn to_string_lossy(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: the machine made it for us.
        unsafe { qjs::JS_FreeCString(self.context, self.bytes) };
    }
}

/// A new text.
///
/// # Safety
/// The context is live and outlives the text.
pub(crate) unsafe fn new_text(context: *mut qjs::JSContext, text: &str) -> Result<Js, Thrown> {
    // SAFETY: the machine copies the bytes.
    unsafe { Js::take(context, qjs::JS_NewStringLen(context, text.as_ptr().cast(), text.len() as _)) }
}

/// Runs a script as the body of a program.
///
/// # Safety
/// The context is live and outlives the result.
pub(crate) unsafe fn evaluate(context: *mut qjs::JSContext, source: &str, file: &CStr) -> Result<Js, Thrown> {
    // The machine reads one byte behind the source.
    let mut bytes = Vec::with_capacity(source.len() + 1);
    bytes.extend_from_slice(source.as_bytes());
    bytes.push(0);
    let flags = (qjs::JS_EVAL_TYPE_GLOBAL) as c_int;
    // SAFETY: the source ends with a zero that does not count.
    unsafe { Js::take(context, qjs::JS_Eval(context, bytes.as_ptr().cast(), source.len() as _, file.as_ptr(), flags)) }
}

/// The exception that waits in a context.
///
/// # Safety
/// The context is live and outlives the result.
pub(crate) unsafe fn exception(context: *mut qjs::JSContext) -> Js {
    // SAFETY: see above.
    unsafe { Js { context, raw: qjs::JS_GetException(context) } }
}

/// A function of ours that scripts can call.
///
/// # Safety
/// The context is live and outlives the function.
pub(crate) unsafe fn new_function(
    context: *mut qjs::JSContext,
    name: &CStr,
    function: unsafe extern "C" fn(*mut qjs::JSContext, qjs::JSValue, c_int, *mut qjs::JSValue) -> qjs::JSValue,
    length: c_int,
) -> Result<Js, Thrown> {
    // SAFETY: see above.
    unsafe {
        let kind = qjs::JSCFunctionEnum_JS_CFUNC_generic;
        Js::take(context, qjs::JS_NewCFunction2(context, Some(function), name.as_ptr(), length, kind, 0))
    }
}

/// One argument of a call, not owned by us.
///
/// # Safety
/// `arguments` are the `count` arguments that the machine called with.
pub(crate) unsafe fn argument(count: c_int, arguments: *mut qjs::JSValue, index: c_int) -> qjs::JSValue {
    // SAFETY: see above.
    if index < count && !arguments.is_null() {
        unsafe { *arguments.add(index.unsigned_abs() as usize) }
    } else {
        qjs::JS_UNDEFINED
    }
}
