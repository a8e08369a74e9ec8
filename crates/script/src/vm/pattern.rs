//! Authors' patterns: JavaScript finds the matches, we turn its positions into bytes of the reply.

use super::js::{Js, Tag, Thrown};
use rquickjs_sys as qjs;
use tavernkeep_engine::function::read_argument;
use tavernkeep_engine::limits::COMMANDS_MAX;
use tavernkeep_engine::turn::PatternMatch;

/// All matches of a pattern in a reply; `text` is the reply in the machine.
pub(crate) fn find(
    context: *mut qjs::JSContext,
    find: &Js,
    pattern: &Js,
    text: &Js,
    reply: &str,
    function: usize,
) -> Result<Vec<PatternMatch>, Thrown> {
    // One more than a turn reads, so that it reports what it leaves out.
    #[allow(clippy::cast_precision_loss)]
    let most = (COMMANDS_MAX + 1) as f64;
    // SAFETY: the context is live.
    let most = unsafe { Js::take(context, qjs::JS_NewNumber(context, most)) }?;
    let found = find.call(&[pattern, text, &most])?;
    let mut places = Places::new(reply);
    let mut matches = Vec::new();
    for number in 0..u32::try_from(found.length()?).unwrap_or(0) {
        let found = found.item(number)?;
        let (start, end) = (index(&found.item(0)?), index(&found.item(1)?));
        let groups = found.item(2)?;
        let mut args = Vec::new();
        for group in 0..u32::try_from(groups.length()?).unwrap_or(0) {
            let group = groups.item(group)?;
            args.push(match group.tag() {
                Tag::String => Some(read_argument(&group.to_text()?.to_string_lossy())),
                _ => None,
            });
        }
        matches.push(PatternMatch { function, span: places.floor(start)..places.ceil(end), args });
    }
    Ok(matches)
}

fn index(value: &Js) -> usize {
    match value.tag() {
        Tag::Integer(integer) => usize::try_from(integer).unwrap_or(0),
        _ => 0,
    }
}

/// Positions of JavaScript, which counts UTF-16 units, as bytes. They are asked for in rising order, or nearly so.
struct Places<'a> {
    text: &'a str,
    /// A position that is known: units and bytes.
    units: usize,
    bytes: usize,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Places<'a> {
        Places { text, units: 0, bytes: 0 }
    }

    /// The byte at a position; in the middle of a pair the start of its character.
    fn floor(&mut self, units: usize) -> usize {
        self.go(units).0
    }

    /// The byte at a position; in the middle of a pair the end of its character.
    fn ceil(&mut self, units: usize) -> usize {
        self.go(units).1
    }

    fn go(&mut self, units: usize) -> (usize, usize) {
        if units < self.units {
            // Only a lookbehind goes back.
            (self.units, self.bytes) = (0, 0);
        }
        let rest = self.text.get(self.bytes..).unwrap_or_default();
        for letter in rest.chars() {
            let next = self.units + letter.len_utf16();
            if next > units {
                break;
            }
            self.units = next;
            self.bytes += letter.len_utf8();
        }
        if self.units == units {
            return (self.bytes, self.bytes);
        }
        let letter = self.text.get(self.bytes..).and_then(|rest| rest.chars().next());
        (self.bytes, self.bytes + letter.map_or(0, char::len_utf8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_become_bytes() {
        let mut places = Places::new("a好😀b");
        assert_eq!((places.floor(0), places.ceil(1), places.floor(2)), (0, 1, 4));
        assert_eq!((places.floor(3), places.ceil(3)), (4, 8));
        assert_eq!((places.floor(4), places.ceil(5), places.floor(1)), (8, 9, 1));
        assert_eq!(places.ceil(99), 9);
    }
}
