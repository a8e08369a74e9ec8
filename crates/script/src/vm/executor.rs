//! Authors' code: the body of a function, and nothing around it.

use super::Machine;
use super::js::{Js, Thrown, evaluate};
use rquickjs_sys as qjs;
use std::ffi::CStr;

/// The name of an author's code in the machine, by which we find it in the stack of an error.
const NAME: &CStr = c"executor";
pub(super) const NAME_IN_STACK: &str = "executor";

/// What stands around an author's code. The first part is one line, so the lines of errors are one too high.
const BEFORE: &str = "function (snapshot, args, context) { \"use strict\";\n";
const AFTER: &str = "\n}";
pub(super) const LINES_BEFORE: usize = 1;

impl Machine {
    /// Compiles an author's code.
    pub(super) fn compile(&self, executor: &str) -> Result<Js, String> {
        let function = format!("{BEFORE}{executor}{AFTER}");
        // SAFETY: the context is live.
        let compiled = unsafe { evaluate(self.context, &format!("({function})"), NAME) };
        let compiled = compiled.map_err(|Thrown| {
            let message = self.syntax_message(LINES_BEFORE, executor);
            // A function without a name is no statement.
            if self.is_whole_function(executor) { WHOLE_FUNCTION.to_owned() } else { with_hint(message, executor) }
        })?;
        // Code that closes our function early leaves another one behind, or none.
        match self.is_source_of(&compiled, &function) {
            // It would make a function, call nothing and change nothing, without a word about it.
            Ok(true) if self.is_whole_function(executor) => Err(WHOLE_FUNCTION.to_owned()),
            Ok(true) => Ok(compiled),
            Ok(false) => Err("SyntaxError: the code closes a brace that it did not open; it must be the body of one \
                              function"
                .to_owned()),
            Err(Thrown) => Err(self.message(LINES_BEFORE)),
        }
    }

    /// Whether code is one function expression and nothing else.
    fn is_whole_function(&self, executor: &str) -> bool {
        if !begins_a_function(executor) {
            return false;
        }
        let expression = executor.trim_end().trim_end_matches(';');
        let function = format!("function () {{ return (\n{expression}\n); }}");
        // SAFETY: the context is live.
        let compiled = unsafe { evaluate(self.context, &format!("({function})"), NAME) };
        let same = compiled.and_then(|compiled| self.is_source_of(&compiled, &function));
        same.unwrap_or_else(|Thrown| {
            // What was thrown must not be found by the next who asks.
            let _ = self.message(LINES_BEFORE);
            false
        })
    }

    /// Whether a value is a function with exactly this source.
    fn is_source_of(&self, value: &Js, source: &str) -> Result<bool, Thrown> {
        // SAFETY: the context is live, and `source` belongs to the machine for good.
        unsafe {
            if !qjs::JS_IsFunction(self.context, value.raw()) {
                return Ok(false);
            }
            let found = Js::share(self.context, self.source).call(&[value])?.to_text()?;
            Ok(found.bytes() == source.as_bytes())
        }
    }
}

const WHOLE_FUNCTION: &str = "SyntaxError: it is a whole function, which nothing calls; write only what stands between its \
                              braces, with `snapshot`, `args` and `context`";

/// Authors meet these words elsewhere, and the machine's own message does not name them.
fn with_hint(message: String, executor: &str) -> String {
    let waits = executor.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "await");
    if waits && message.starts_with("SyntaxError") {
        return format!("{message}; a function cannot wait, so there is no `await`");
    }
    message
}

/// Whether code begins as a function or an arrow function does. What is behind that is not looked at.
fn begins_a_function(code: &str) -> bool {
    let code = without_comments(code);
    let code = code.strip_prefix("async").map_or(code, str::trim_start);
    if let Some(rest) = code.strip_prefix("function") {
        return rest.starts_with(|letter: char| letter.is_whitespace() || "(*".contains(letter));
    }
    let behind = match code.strip_prefix('(') {
        Some(parameters) => parameters.split_once([')', '(']).map(|(_, behind)| behind),
        None => Some(code.trim_start_matches(|letter: char| letter.is_alphanumeric() || "_$".contains(letter))),
    };
    behind.is_some_and(|behind| behind.trim_start().starts_with("=>"))
}

fn without_comments(code: &str) -> &str {
    let mut code = code.trim_start();
    loop {
        let end = match code.get(..2) {
            Some("//") => code.find('\n').map(|end| end + 1),
            Some("/*") => code.find("*/").map(|end| end + 2),
            _ => return code,
        };
        let Some(end) = end else { return "" };
        code = code[end..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::begins_a_function;

    #[test]
    fn whole_functions_are_seen_by_their_beginning() {
        for whole in [
            "(snapshot, args) => { return snapshot; }",
            "snapshot => snapshot",
            "() => 1",
            "function (snapshot) {}",
            "function run(snapshot) {}",
            "async function run() {}",
            "async (snapshot) => {}",
            " // a note\n/* and another */ ({ hp }, [a]) => hp",
        ] {
            assert!(begins_a_function(whole), "{whole}");
        }
        for body in [
            "return snapshot;",
            "snapshot.hp += 1",
            "(() => { snapshot.a = 1 })();",
            "functional = 1",
            "const heal = (n) => n;",
            "(snapshot.a)",
            "",
            "/* only",
            "// only",
        ] {
            assert!(!begins_a_function(body), "{body}");
        }
    }
}
