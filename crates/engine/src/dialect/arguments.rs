//! Splits the text between a call's parentheses at its commas.

/// Splits at commas outside of quotes and brackets. A trailing comma adds nothing.
pub(super) fn split(text: &str, tolerant: bool) -> Vec<&str> {
    let mut arguments = Vec::new();
    let mut start = 0;
    let mut depth = [0_i32; 3];
    let mut quote: Option<char> = None;
    let mut backslashes = 0_usize;
    for (at, character) in text.char_indices() {
        let escaped = if tolerant { backslashes % 2 == 1 } else { backslashes > 0 };
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        if let Some(kind) = quote_kind(character, tolerant).filter(|_| !escaped) {
            match quote {
                None => quote = Some(kind),
                Some(open) if open == kind => quote = None,
                Some(_) => {}
            }
        } else if quote.is_none() {
            match character {
                '(' => depth[0] += 1,
                ')' => depth[0] -= 1,
                '[' => depth[1] += 1,
                ']' => depth[1] -= 1,
                '{' => depth[2] += 1,
                '}' => depth[2] -= 1,
                ',' | '，' if depth == [0; 3] && (character == ',' || tolerant) => {
                    arguments.push(text[start..at].trim());
                    start = at + character.len_utf8();
                }
                _ => {}
            }
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        arguments.push(last);
    }
    arguments
}

/// Typographic quotes of either direction are one kind: models mix them up.
fn quote_kind(character: char, tolerant: bool) -> Option<char> {
    match character {
        '"' | '\'' | '`' => Some(character),
        '“' | '”' if tolerant => Some('“'),
        '‘' | '’' if tolerant => Some('‘'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_something_do_not_split() {
        assert_eq!(
            split(r#"'a,b', [1, 2], {x: "1,2"}, f(1, 2),"#, false),
            ["'a,b'", "[1, 2]", r#"{x: "1,2"}"#, "f(1, 2)"]
        );
        assert_eq!(split("“a，b”，2", true), ["“a，b”", "2"]);
        assert_eq!(split("“a，b”，2", false), ["“a，b”，2"]);
        assert_eq!(split("a,,b", false), ["a", "", "b"]);
    }
}
