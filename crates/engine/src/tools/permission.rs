//! Who decides whether a tool runs and whether its result may be seen.

use super::deny::{Rule, TooMuchToCompare, first_match};
use crate::limits::{APPROVAL_EXPIRY_MS_MAX, TOOL_DENY_BYTES_MAX, TOOL_DENY_RULES_MAX};
use serde_json::{Map, Value, json};

crate::stored_enum! {
    /// When a person is asked before a tool runs.
    ExecutionPolicy {
        /// Never.
        Auto = "auto",
        /// Once for a tool and its arguments.
        AskOnce = "ask-once",
        /// Each time.
        AskAlways = "ask-always",
    }
}

crate::stored_enum! {
    /// When a person is asked before a result is seen.
    ResultPolicy {
        /// Never.
        Never = "never",
        /// When the tool failed.
        OnError = "on-error",
        /// Each time.
        Always = "always",
    }
}

crate::stored_enum! {
    /// How long a decision counts.
    ApprovalScope {
        /// For this call.
        Once = "once",
        /// For the same tool with the same arguments in this session.
        Session = "session",
        /// The same in all sessions of the account.
        Always = "always",
    }
}

/// Refuses calls without asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyRule {
    /// Which argument, as a JSON pointer; none: every call is refused.
    pub argument: Option<String>,
    /// The argument's text, or any text inside a list or an object: `*` stands for anything.
    pub matches: String,
}

/// What a tool or a setting says about asking. What is left out, the other says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permission {
    /// Before the tool runs.
    pub execution: Option<ExecutionPolicy>,
    /// Before the result is seen.
    pub result: Option<ResultPolicy>,
    /// What is refused without asking.
    pub deny: Vec<DenyRule>,
    /// How long a decision for `ask-once` counts, in ms; none: as long as its scope.
    pub expires_ms: Option<i64>,
    /// The same in the words of older declarations.
    legacy: Legacy,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Legacy {
    execution: Option<ExecutionPolicy>,
    result: Option<bool>,
}

impl Permission {
    /// A permission with both policies.
    pub fn of(execution: ExecutionPolicy, result: ResultPolicy) -> Permission {
        Permission { execution: Some(execution), result: Some(result), ..Permission::default() }
    }

    /// Reads a permission, in the current words or the older ones. Null is an empty one.
    pub fn read(value: &Value) -> Result<Permission, String> {
        let empty = Map::new();
        let object = match value {
            Value::Null => &empty,
            Value::Object(object) => object,
            _ => return Err("a permission must be an object".into()),
        };
        let mut permission = Permission::default();
        let wrong = |key: &str, words: &[&str]| format!("`{key}` must be one of {}", words.join(", "));
        for (key, value) in object {
            let text = value.as_str().unwrap_or_default();
            match key.as_str() {
                "executionPolicy" => {
                    let policy = text.parse().map_err(|()| wrong(key, ExecutionPolicy::WORDS))?;
                    permission.execution = Some(policy);
                }
                "resultApprovalPolicy" => {
                    let policy = text.parse().map_err(|()| wrong(key, ResultPolicy::WORDS))?;
                    permission.result = Some(policy);
                }
                "deny" => permission.deny = read_deny(value)?,
                "expiresMs" => {
                    let expires = value.as_i64().filter(|expires| (1..=APPROVAL_EXPIRY_MS_MAX).contains(expires));
                    let wrong = || format!("`expiresMs` must be an integer from 1 to {APPROVAL_EXPIRY_MS_MAX}");
                    permission.expires_ms = Some(expires.ok_or_else(wrong)?);
                }
                "permissionLevel" => {
                    let level = match text {
                        "moderate" => ExecutionPolicy::AskOnce,
                        "sensitive" => ExecutionPolicy::AskAlways,
                        "public" => ExecutionPolicy::Auto,
                        _ => return Err(wrong(key, &["public", "moderate", "sensitive"])),
                    };
                    permission.legacy.execution.get_or_insert(level);
                }
                "requireExecutionApproval" => {
                    // `false` beats the level; `true` only says that the level counts.
                    if value.as_bool() == Some(false) {
                        permission.legacy.execution = Some(ExecutionPolicy::Auto);
                    }
                }
                "requireResultApproval" => permission.legacy.result = value.as_bool(),
                _ => return Err(format!("unknown field `{key}`")),
            }
        }
        if object.get("requireExecutionApproval").and_then(Value::as_bool) == Some(false) {
            permission.legacy.execution = Some(ExecutionPolicy::Auto);
        }
        Ok(permission)
    }

    /// The permission as JSON, in the current words.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        if let Some(execution) = self.execution.or(self.legacy.execution) {
            object.insert("executionPolicy".into(), execution.as_str().into());
        }
        let legacy = self.legacy.result.map(|asks| if asks { ResultPolicy::Always } else { ResultPolicy::Never });
        if let Some(result) = self.result.or(legacy) {
            object.insert("resultApprovalPolicy".into(), result.as_str().into());
        }
        if !self.deny.is_empty() {
            let rules = self.deny.iter().map(|rule| match &rule.argument {
                Some(argument) => json!({ "argument": argument, "matches": rule.matches }),
                None => json!({}),
            });
            object.insert("deny".into(), rules.collect());
        }
        if let Some(expires) = self.expires_ms {
            object.insert("expiresMs".into(), expires.into());
        }
        Value::Object(object)
    }
}

fn read_deny(value: &Value) -> Result<Vec<DenyRule>, String> {
    let rules = value.as_array().ok_or("`deny` must be a list of rules")?;
    if rules.len() > TOOL_DENY_RULES_MAX {
        return Err(format!("`deny` has at most {TOOL_DENY_RULES_MAX} rules"));
    }
    let read = |rule: &Value| {
        let object = rule.as_object().ok_or("a deny rule must be an object")?;
        if let Some(key) = object.keys().find(|key| !["argument", "matches"].contains(&key.as_str())) {
            return Err(format!("unknown field `{key}` of a deny rule"));
        }
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        // A name without its slash would never be found, and the rule would protect nothing.
        if let Some(argument) = text("argument").filter(|argument| !argument.is_empty() && !argument.starts_with('/')) {
            return Err(format!("`argument` of a deny rule is a JSON Pointer; write \"/{argument}\""));
        }
        Ok(DenyRule { argument: text("argument"), matches: text("matches").unwrap_or_else(|| "*".into()) })
    };
    rules.iter().map(read).collect()
}

/// What counts for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Before the tool runs.
    pub execution: ExecutionPolicy,
    /// Before the result is seen.
    pub result: ResultPolicy,
    /// What is refused without asking, of the setting and the tool.
    pub deny: Vec<DenyRule>,
    /// How long a decision counts, in ms.
    pub expires_ms: Option<i64>,
}

/// What counts: the setting field by field, then the tool, then the older words in the same order.
pub fn effective(setting: Option<&Permission>, tool: &Permission) -> Effective {
    let none = Permission::default();
    let setting = setting.unwrap_or(&none);
    let legacy_result = setting.legacy.result.or(tool.legacy.result).unwrap_or(false);
    let by_legacy = if legacy_result { ResultPolicy::Always } else { ResultPolicy::Never };
    Effective {
        execution: setting
            .execution
            .or(tool.execution)
            .or(setting.legacy.execution)
            .or(tool.legacy.execution)
            .unwrap_or(ExecutionPolicy::Auto),
        result: setting.result.or(tool.result).unwrap_or(by_legacy),
        deny: setting.deny.iter().chain(&tool.deny).cloned().collect(),
        expires_ms: setting.expires_ms.or(tool.expires_ms),
    }
}

/// A decision that a person made before for the same tool and the same arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Whether it was allowed.
    pub approved: bool,
    /// Why not.
    pub reason: Option<String>,
    /// When it ends.
    pub expires_at: Option<i64>,
}

/// What is to be done before a tool runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutionDecision {
    /// It runs.
    Run,
    /// A person is asked.
    Ask,
    /// It does not run: why.
    Reject(String),
}

/// Why a call did not run when nobody said.
pub const REJECTED_BY_USER: &str = "Execution rejected by user";
/// Why a result is not seen when nobody said.
pub const RESULT_REJECTED_BY_USER: &str = "Result rejected by user";

/// Decides about a call with resolved arguments. `skip` is for the host, never for a model.
pub fn decide_execution(
    effective: &Effective,
    record: Option<&Record>,
    args: &Value,
    skip: bool,
    now: i64,
) -> ExecutionDecision {
    if let Some(reason) = denied(effective, args) {
        return ExecutionDecision::Reject(reason);
    }
    if skip {
        return ExecutionDecision::Run;
    }
    match effective.execution {
        ExecutionPolicy::Auto => ExecutionDecision::Run,
        // A decision that was made for good counts here too only when it refuses.
        ExecutionPolicy::AskAlways => match record.filter(|record| counts(record, now) && !record.approved) {
            Some(record) => rejected(record),
            None => ExecutionDecision::Ask,
        },
        ExecutionPolicy::AskOnce => match record.filter(|record| counts(record, now)) {
            Some(Record { approved: true, .. }) => ExecutionDecision::Run,
            Some(record) => rejected(record),
            None => ExecutionDecision::Ask,
        },
    }
}

/// Why a deny rule refuses these arguments; none if no rule does.
pub fn denied(effective: &Effective, args: &Value) -> Option<String> {
    let rules: Vec<Rule<'_>> =
        effective.deny.iter().map(|rule| (rule.argument.as_deref(), rule.matches.as_str())).collect();
    let rule = match first_match(&rules, args) {
        Ok(number) => &effective.deny[number?],
        Err(TooMuchToCompare) => {
            return Some(format!(
                "Denied by a rule: the arguments nest too deep or are too long to be compared with all rules (at most \
                 {TOOL_DENY_BYTES_MAX} bytes)"
            ));
        }
    };
    let what = match &rule.argument {
        Some(argument) => format!("{argument} matches '{}'", rule.matches),
        None => "every call".into(),
    };
    Some(format!("Denied by a rule: {what}"))
}

fn rejected(record: &Record) -> ExecutionDecision {
    ExecutionDecision::Reject(record.reason.clone().unwrap_or_else(|| REJECTED_BY_USER.into()))
}

fn counts(record: &Record, now: i64) -> bool {
    record.expires_at.is_none_or(|end| end > now)
}

/// Whether a person is asked before a result is seen.
pub fn asks_for_result(policy: ResultPolicy, failed: bool, skip: bool) -> bool {
    match policy {
        _ if skip => false,
        ResultPolicy::Never => false,
        ResultPolicy::OnError => failed,
        ResultPolicy::Always => true,
    }
}

/// The scope of a decision that does not say one.
pub fn default_scope(policy: ExecutionPolicy) -> ApprovalScope {
    match policy {
        ExecutionPolicy::AskOnce => ApprovalScope::Session,
        _ => ApprovalScope::Once,
    }
}
