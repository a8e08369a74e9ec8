//! The shape of a file that describes a group over an HTTP API; what its fields mean stands in [`super::http`].
//!
//! A misspelt or mistyped field would silently change what is sent, so it is an error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupFile {
    pub(super) name: String,
    pub(super) base_url: Option<String>,
    pub(super) token_env: Option<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) rule_prompt: Option<String>,
    #[serde(default)]
    pub(super) skill_rules: BTreeMap<String, RuleFile>,
    #[serde(default)]
    pub(super) tools: Vec<ToolFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    pub(super) desc: String,
    pub(super) prompt: String,
    pub(super) when: Option<String>,
    #[serde(default)]
    pub(super) always_load: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFile {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) method: Option<String>,
    pub(super) path: Option<String>,
    pub(super) query: Option<BTreeMap<String, String>>,
    pub(super) body: Option<Value>,
    pub(super) response: Option<String>,
    pub(super) ok: Option<SuccessTest>,
    pub(super) parameters: Option<Map<String, Value>>,
    pub(super) permission: Option<Value>,
    pub(super) output_limit: Option<i64>,
}

/// An answer is a success if the value at `pointer` equals `equals`; otherwise the text at `message` says why not.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SuccessTest {
    pub(super) pointer: String,
    pub(super) equals: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

impl GroupFile {
    pub(super) fn read(text: &str, is_json: bool) -> Result<GroupFile, String> {
        match is_json {
            true => serde_json::from_str(text).map_err(|error| error.to_string()),
            false => toml::from_str(text).map_err(|error| error.to_string()),
        }
    }
}
