//! Splits the text between a call's parentheses at its commas.

use super::extent::without_comments;
use super::parentheses::{Quotes, Sign, classify};
use crate::command::Arg;

/// Splits at commas outside of quotes and brackets. A trailing comma adds nothing.
pub(super) fn split(text: &str, quotes: Quotes) -> Vec<Arg> {
    let text = if quotes.tolerant { without_comments(text) } else { text.into() };
    let bytes = text.as_bytes();
    let mut arguments = Vec::new();
    let argument = |text: &str| Arg::Raw(text.trim().to_owned());
    let mut start = 0;
    let mut depth = [0_i32; 3];
    let mut quote = None;
    let mut backslashes = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let (sign, length) = classify(bytes, at, quotes);
        let escaped = if quotes.tolerant { backslashes % 2 == 1 } else { backslashes > 0 };
        backslashes = if bytes[at] == b'\\' { backslashes + 1 } else { 0 };
        match sign {
            Sign::Quote(kind) if !escaped => match quote {
                None => quote = Some(kind),
                Some(open) if open == kind => quote = None,
                Some(_) => {}
            },
            _ if quote.is_some() => {}
            Sign::Open => depth[0] += 1,
            Sign::Close => depth[0] -= 1,
            Sign::Comma if depth == [0; 3] => {
                arguments.push(argument(&text[start..at]));
                start = at + length;
            }
            _ => match bytes[at] {
                b'[' => depth[1] += 1,
                b']' => depth[1] -= 1,
                b'{' => depth[2] += 1,
                b'}' => depth[2] -= 1,
                // Full-width brackets, which models mix with the narrow ones.
                _ if sign == Sign::OpenBracket => depth[1 + usize::from(text[at..].starts_with('｛'))] += 1,
                _ if sign == Sign::CloseBracket => depth[1 + usize::from(text[at..].starts_with('｝'))] -= 1,
                _ => {}
            },
        }
        at += length;
    }
    if !text[start..].trim().is_empty() {
        arguments.push(argument(&text[start..]));
    }
    arguments
}

/// The arguments of a call by its whole text, from the name to the closing parenthesis.
pub(super) fn of_call(call: &str, tolerant: bool) -> Option<Vec<Arg>> {
    let open = call.char_indices().find(|(_, sign)| matches!(sign, '(' | '（'))?;
    let (close, _) = call.char_indices().rfind(|(_, sign)| matches!(sign, ')' | '）'))?;
    Some(split(call.get(open.0 + open.1.len_utf8()..close)?, Quotes { tolerant }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, tolerant: bool) -> Vec<String> {
        super::split(text, Quotes { tolerant }).iter().map(Arg::text).collect()
    }

    #[test]
    fn commas_inside_something_do_not_split() {
        assert_eq!(
            split(r#"'a,b', [1, 2], {x: "1,2"}, f(1, 2),"#, false),
            ["'a,b'", "[1, 2]", r#"{x: "1,2"}"#, "f(1, 2)"]
        );
        assert_eq!(split("“a，b”，2", true), ["“a，b”", "2"]);
        assert_eq!(split("“a，b”，2", false), ["“a，b”，2"]);
        assert_eq!(split("［1，2］，｛a：1，b：2｝", true), ["［1，2］", "｛a：1，b：2｝"]);
        assert_eq!(split("1, // it's one\n2 /* , */", true), ["1", "2"]);
        assert_eq!(split("a,,b", false), ["a", "", "b"]);
        assert_eq!(split("min（1，2），‘x，\\’，y’", true), ["min（1，2）", "‘x，\\’，y’"]);
    }
}
