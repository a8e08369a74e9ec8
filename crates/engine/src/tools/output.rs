//! What a model sees of a result: `data → formatted text → final text`.

use super::definition::{Declaration, Truncation};
use super::variable::{length, slice};
use crate::limits::SCRATCH_VALUE_BYTES_MAX;
use serde_json::Value;
use std::io;

/// Characters of a result that a model sees, unless the tool or the call says otherwise.
pub const DEFAULT_LIMIT_CHAR: i64 = 8_000;

/// Characters that the sample call of a hint reads at once.
const SAMPLE_LENGTH: i64 = 2_000;

/// A result as text, where the tool has no formatter of its own. Missing data is an empty text.
pub fn format(data: Option<&Value>) -> String {
    match data {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => pretty(other),
    }
}

/// JSON with two blanks for each level.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Bytes that a variable's value has at most.
pub const VARIABLE_BYTES_MAX: usize = SCRATCH_VALUE_BYTES_MAX;

/// Whether a value, written by [`pretty`], fits into a variable. It is not written any further than that.
pub fn fits_as_variable(value: &Value) -> bool {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::WriteZero)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer_pretty(Counter(VARIABLE_BYTES_MAX), value).is_ok()
}

/// What a formatter that failed leaves.
pub fn format_error(message: &str) -> String {
    format!("[格式化错误] {message}")
}

/// How many characters may be kept; none: all of them. `args.limit` is an argument that every tool has.
pub fn limit(args: &Value, declaration: &Declaration) -> Option<usize> {
    let asked = args.get("limit").and_then(|limit| match limit {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(floor)),
        Value::String(text) => text.trim().parse::<i64>().ok(),
        _ => None,
    });
    let limit = match asked {
        Some(limit) if limit <= 0 => return None,
        Some(limit) => limit,
        None => declaration.output_limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT_CHAR),
    };
    usize::try_from(limit).ok()
}

#[allow(clippy::cast_possible_truncation)]
fn floor(number: f64) -> i64 {
    number.floor() as i64
}

/// A text that may have been cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated {
    /// The text, with a mark where something is missing.
    pub text: String,
    /// Whether something is missing.
    pub is_truncated: bool,
    /// Characters of the beginning that are there: where reading goes on.
    pub head: i64,
    /// Characters that are there in all.
    pub kept: i64,
}

impl Truncated {
    /// A text as it is.
    pub fn whole(text: String) -> Truncated {
        let kept = length(&text);
        Truncated { text, is_truncated: false, head: kept, kept }
    }

    /// A text that a tool has cut by itself.
    pub fn by_tool(text: String, original: &str) -> Truncated {
        let kept = length(&text);
        let is_truncated = text != original;
        Truncated { text, is_truncated, head: kept, kept }
    }
}

/// Cuts a text to a limit.
#[allow(clippy::cast_possible_wrap)]
pub fn truncate(text: &str, limit: Option<usize>, how: Truncation) -> Truncated {
    let total = length(text);
    let Some(limit) = limit.filter(|limit| total > *limit as i64) else {
        return Truncated { text: text.to_owned(), is_truncated: false, head: total, kept: total };
    };
    let head = match how {
        Truncation::HeadTail => limit / 2,
        Truncation::Head => limit,
        Truncation::Lines => {
            let start = slice(text, 0, Some(limit));
            start.rfind('\n').map_or(limit, |end| start[..=end].chars().count())
        }
    };
    let (kept, text) = match how {
        Truncation::HeadTail => {
            let omitted = total - limit as i64;
            let tail = slice(text, head + omitted as usize, None);
            let start = slice(text, 0, Some(head));
            (limit, format!("{start}\n\n...输出过长，省略中间 {omitted} 个字符...\n\n{tail}"))
        }
        Truncation::Head | Truncation::Lines => {
            let omitted = total - head as i64;
            (head, format!("{}\n\n...输出过长，省略后 {omitted} 个字符...", slice(text, 0, Some(head))))
        }
    };
    Truncated { text, is_truncated: true, head: head as i64, kept: kept as i64 }
}

/// The names under which a call is kept on the scratchpad: of its result and of its arguments.
pub fn cache_names(tool: &str, node: &str) -> (String, String) {
    (format!("{tool}_{node}_result"), format!("{tool}_{node}_args"))
}

/// The description of a result's variable.
pub fn describe_call(tool: &str, args: &Value) -> String {
    let short = |value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match length(&text) > 20 {
            true => format!("{}...", slice(&text, 0, Some(20))),
            false => text,
        }
    };
    let parts: Vec<String> =
        args.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", short(value))).collect();
    let text = format!("Call {tool} with args: {}.", parts.join(", "));
    slice(&text, 0, Some(1_000)).to_owned()
}

/// The description of the variable of the arguments.
pub fn describe_args(tool: &str) -> String {
    format!("Arguments for tool call: {tool}")
}

/// How the system's log behind a text begins.
pub const HINT_BEGIN: &str = "\n<!--ToolCallLog:Begin-->\n";

/// Puts the system's log behind a text: whether it is whole, where all of it is, and how to read on.
pub fn with_hint(shown: &Truncated, total: i64, variable: &str) -> String {
    let lines = if shown.is_truncated {
        let sample = serde_json::json!({ "name": variable, "start": shown.head, "length": (total - shown.kept).min(SAMPLE_LENGTH) });
        let sample = spaced(&serde_json::json!({ "name": "ReadVar", "arguments": sample }));
        format!(
            "[system log] 结果已截断为 {} 字符\n[system log] 完整结果已保存至变量: {variable} ({total} 字符)\n\
             [system hint] 使用变量引用获取完整内容: $VAR_REF{{{{{variable}}}}}\n\
             [system hint] 或使用 ReadVar 分块读取: {sample}",
            shown.kept
        )
    } else {
        format!(
            "[system log] 已返回完整结果 ({total} 字符)\n\
             [system log] 同时结果缓存在变量: {variable}; 后续如有需求可使用变量引用: $VAR_REF{{{{{variable}}}}}"
        )
    };
    format!("{}{HINT_BEGIN}{lines}\n<!--ToolCallLog:End-->", shown.text)
}

/// JSON on one line with a blank behind each colon and comma, as a model writes it.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// What an error that says nothing says.
pub const FAILED: &str = "Tool execution failed";
