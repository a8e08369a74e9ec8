//! What went wrong in a script, for its author: what was thrown, and where in their code.

use super::Machine;
use super::executor::NAME_IN_STACK;
use super::js::{Js, Tag, exception};
use crate::limits::MESSAGE_BYTES_MAX;
use rquickjs_sys as qjs;
use std::ffi::CStr;

impl Machine {
    /// What went wrong. `offset` lines stand in front of the author's code.
    pub(super) fn message(&self, offset: usize) -> String {
        self.message_at(|place| place, offset)
    }

    /// What is wrong with this code. What is missing at its end is missed behind it, where the author has no line: the end of the
    /// last line is named instead.
    pub(super) fn syntax_message(&self, offset: usize, code: &str) -> String {
        let code = code.trim_end();
        let last = code.lines().last().unwrap_or_default();
        let end = (code.lines().count().max(1), last.chars().count() + 1);
        self.message_at(|(line, column)| if line > end.0 { end } else { (line, column) }, offset)
    }

    fn message_at(&self, place_shown: impl Fn((usize, usize)) -> (usize, usize), offset: usize) -> String {
        // SAFETY: the context is live. A getter may run; the deadline still holds.
        let exception = unsafe { exception(self.context) };
        let place = member(&exception, c"stack").and_then(|stack| place_in(&stack, offset)).map(place_shown);
        let shown = match self.bound_crossed(&exception) {
            Some(bound) => bound,
            None => shorten(&self.shown(&exception)),
        };
        self.discard_exception();
        match place {
            Some((line, column)) => format!("{shown} (line {line}, column {column})"),
            None => shown,
        }
    }

    /// The bound that a script was stopped by, if that is what the exception says.
    fn bound_crossed(&self, exception: &Js) -> Option<String> {
        if self.host.stopped.get() {
            return Some(format!("ran longer than {} ms and was stopped", self.host.time_us.get() / 1000));
        }
        let out_of_memory = match exception.tag() {
            // Where there is no memory for an error, the machine throws null.
            Tag::Null => self.arena.is_exhausted(),
            Tag::Object => {
                member(exception, c"name").is_some_and(|name| name == "InternalError")
                    && member(exception, c"message").is_some_and(|message| message == "out of memory")
            }
            _ => false,
        };
        out_of_memory.then(|| format!("needed more than {} MB of memory", self.limits.memory_bytes >> 20))
    }

    fn shown(&self, exception: &Js) -> String {
        let text = || exception.to_text().ok().map(|text| text.to_string_lossy());
        match exception.tag() {
            Tag::String => text().unwrap_or_default(),
            // SAFETY: the value is live.
            Tag::Object if unsafe { qjs::JS_IsError(exception.raw()) } => {
                let name = member(exception, c"name").unwrap_or_else(|| "Error".to_owned());
                match member(exception, c"message").filter(|message| !message.is_empty()) {
                    Some(message) => format!("{name}: {message}"),
                    None => name,
                }
            }
            Tag::Object => format!("threw {}", self.json(exception).unwrap_or_else(|| "an object".to_owned())),
            _ => format!("threw {}", text().unwrap_or_else(|| "an unknown value".to_owned())),
        }
    }

    fn json(&self, value: &Js) -> Option<String> {
        let (context, undefined) = (self.context, qjs::JS_UNDEFINED);
        // SAFETY: the value is live.
        let json = unsafe { Js::take(context, qjs::JS_JSONStringify(context, value.raw(), undefined, undefined)) };
        let json = json.ok().filter(|json| json.tag() == Tag::String)?;
        json.to_text().ok().map(|json| json.to_string_lossy())
    }

    /// Drops an exception that came up while another was looked at.
    fn discard_exception(&self) {
        // SAFETY: the context is live.
        drop(unsafe { exception(self.context) });
    }
}

/// A member of an object that is a text.
fn member(object: &Js, name: &CStr) -> Option<String> {
    if object.tag() != Tag::Object {
        return None;
    }
    let member = object.get(name).ok().filter(|member| member.tag() == Tag::String)?;
    member.to_text().ok().map(|text| text.to_string_lossy())
}

fn shorten(text: &str) -> String {
    if text.len() <= MESSAGE_BYTES_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MESSAGE_BYTES_MAX);
    format!("{}…", &text[..end])
}

/// The first line and column of a stack that lie in the author's code.
fn place_in(stack: &str, offset: usize) -> Option<(usize, usize)> {
    stack.lines().find_map(|line| {
        let (_, place) = line.rsplit_once(NAME_IN_STACK)?;
        let mut numbers = place.trim_start_matches(':').trim_end_matches(')').split(':');
        let line: usize = numbers.next()?.parse().ok()?;
        let column = numbers.next()?.parse().ok()?;
        (line > offset).then(|| (line - offset, column))
    })
}
