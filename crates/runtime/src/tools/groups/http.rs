//! Groups over HTTP APIs, described by a file in TOML or JSON.
//!
//! ```toml
//! name = "weather"
//! base_url = "https://api.example.org"
//! token_env = "WEATHER_TOKEN"                       # where the operator keeps the secret
//! headers = { Authorization = "Bearer {$token}" }
//!
//! [[tools]]
//! name = "Forecast"
//! description = "Tells the weather of a place."
//! method = "GET"
//! path = "/v1/places/{place}"
//! query = { days = "{days}" }
//! response = "/forecast"                            # a JSON pointer into the answer
//! ok = { pointer = "/code", equals = 0, message = "/msg" }
//! [tools.parameters]
//! type = "object"
//! properties = { place = { type = "string" }, days = { type = "integer" } }
//! required = ["place"]
//!
//! [skill_rules.places]                              # a document that models read when they need it
//! desc = "How places are written"
//! prompt = "A place is a town and a country, such as `Basel, CH`."
//! when = "Before the first forecast"
//! ```
//!
//! `{name}` stands for an argument: escaped in paths and queries, and as JSON where it is all of a text of the body. A part whose
//! argument is missing is left out. `{$token}` is the secret; arguments are never looked through for it. Redirects are not followed,
//! since they would carry it elsewhere.

use super::http_file::{GroupFile, SuccessTest, ToolFile};
use crate::tools::{Declaration, Permission, SkillRule, Tool, ToolCall, ToolError, ToolGroup, ToolOutput};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::HTTP_TOOL_ANSWER_BYTES_MAX;

const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Endpoint {
    base_url: String,
    headers: BTreeMap<String, String>,
    token: String,
    method: reqwest::Method,
    tool: ToolFile,
}

/// Reads a group from a file; a name that ends in `.json` is JSON, any other TOML.
pub fn read_file(file: &Path) -> Result<ToolGroup, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    read(&text, is_json, None).map_err(|error| format!("{}: {error}", file.display()))
}

/// Reads a group from text. Address and secret can be the operator's own.
pub fn read(text: &str, is_json: bool, own: Option<(&str, &str)>) -> Result<ToolGroup, String> {
    let file = GroupFile::read(text, is_json)?;
    let (base_url, token) = match own {
        Some((address, token)) => (address.to_owned(), token.to_owned()),
        None => {
            let token = match &file.token_env {
                Some(variable) => std::env::var(variable).map_err(|_| format!("the environment has no {variable}"))?,
                None => String::new(),
            };
            (file.base_url.ok_or("a group needs a `base_url`")?, token)
        }
    };
    if !(base_url.starts_with("http://") || base_url.starts_with("https://")) {
        return Err(format!("`base_url` must begin with http:// or https://, not {base_url:?}"));
    }
    let mut tools = Vec::new();
    for description in file.tools {
        let method = description.method.as_deref().unwrap_or("GET");
        tools.push(tool(Endpoint {
            base_url: base_url.trim_end_matches('/').to_owned(),
            headers: file.headers.clone(),
            token: token.clone(),
            method: reqwest::Method::from_bytes(method.as_bytes()).map_err(|_| format!("`{method}` is no method"))?,
            tool: description,
        })?);
    }
    if tools.is_empty() {
        return Err("a group needs `tools`".into());
    }
    let mut group = ToolGroup::new(&file.name, tools);
    if let Some(prompt) = file.rule_prompt {
        group = group.with_prompt(prompt);
    }
    for (name, rule) in file.skill_rules {
        let (desc, prompt, when) = (rule.desc, rule.prompt, rule.when);
        group = group.with_rule(SkillRule { name, desc, prompt, when, always_load: rule.always_load });
    }
    Ok(group)
}

/// The note application SiYuan over the API of its kernel.
pub fn siyuan(address: &str, token: &str) -> Result<ToolGroup, String> {
    read(include_str!("siyuan.toml"), false, Some((address, token)))
}

fn tool(endpoint: Endpoint) -> Result<Tool, String> {
    let ToolFile { name, description, parameters, permission, path, query, body, response, ok, .. } = &endpoint.tool;
    let about = description.as_deref().unwrap_or_default();
    let parameters = parameters.clone().map_or_else(|| json!({ "type": "object", "properties": {} }), Value::Object);
    let mut declaration = Declaration::new(name, about, parameters);
    let permission = permission.as_ref().unwrap_or(&Value::Null);
    declaration.permission = Permission::read(permission).map_err(|error| format!("{name}: {error}"))?;
    declaration.output_limit = endpoint.tool.output_limit;
    // Everything of the file that decides what is sent and where; the secret is not part of it.
    declaration.effect = json!({
        "base_url": endpoint.base_url, "headers": endpoint.headers, "method": endpoint.method.as_str(), "path": path,
        "query": query, "body": body, "response": response, "ok": ok,
    });
    let endpoint = Arc::new(endpoint);
    let run = move |call: ToolCall| {
        let endpoint = Arc::clone(&endpoint);
        async move { request(&endpoint, &call.args).await }
    };
    Ok(Tool::declared(declaration, run).with_timeout(TIMEOUT + Duration::from_secs(5)))
}

async fn request(endpoint: &Endpoint, args: &Value) -> Result<ToolOutput, ToolError> {
    let tool = &endpoint.tool;
    let path = fill(tool.path.as_deref().unwrap_or("/"), args, true)
        .ok_or_else(|| ToolError::failed("an argument of the path is missing"))?;
    // Readers of addresses take escaped dots for dots too: an argument must not climb out of its place.
    let climbs = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    if path.split('/').any(climbs) {
        return Err(ToolError::failed("an argument of the path would lead to another place"));
    }
    let mut url = format!("{}{path}", endpoint.base_url);
    let query: Vec<String> = tool
        .query
        .iter()
        .flatten()
        .filter_map(|(key, value)| Some(format!("{}={}", escape(key), fill(value, args, true)?)))
        .collect();
    if !query.is_empty() {
        url = format!("{url}?{}", query.join("&"));
    }
    let failed = |error: reqwest::Error| ToolError::failed(format!("the request failed: {}", error.without_url()));
    let client = crate::https::client().no_proxy().timeout(TIMEOUT).build().map_err(failed)?;
    let mut request = client.request(endpoint.method.clone(), url);
    for (name, value) in &endpoint.headers {
        request = request.header(name, value.replace("{$token}", &endpoint.token));
    }
    if let Some(body) = &tool.body {
        let body = template(body, args).unwrap_or_else(|| json!({}));
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > HTTP_TOOL_ANSWER_BYTES_MAX {
            return Err(ToolError::failed(format!("the answer has more than {HTTP_TOOL_ANSWER_BYTES_MAX} bytes")));
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !status.is_success() {
        let shown: String = text.chars().take(500).collect();
        return Err(ToolError::failed(format!("the server answered {}: {shown}", status.as_u16())));
    }
    let Ok(answer) = serde_json::from_str::<Value>(&text) else { return Ok(ToolOutput::of(text)) };
    if let Some(SuccessTest { pointer, equals, message }) = &tool.ok
        && answer.pointer(pointer) != Some(equals)
    {
        let message = message.as_ref().and_then(|pointer| answer.pointer(pointer)?.as_str());
        return Err(ToolError::failed(message.unwrap_or("the server refused").to_owned()));
    }
    let data = match &tool.response {
        Some(pointer) => answer.pointer(pointer).cloned().unwrap_or(Value::Null),
        None => answer,
    };
    Ok(ToolOutput::of(data))
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Puts arguments into a text; nothing if one of them is missing.
fn fill(text: &str, args: &Value, escaped: bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let (name, after) = behind.split_once('}')?;
        let value = shown(args.get(name).filter(|value| !value.is_null())?);
        out.push_str(&if escaped { escape(&value) } else { value });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Puts arguments into a body; members without their argument are left out.
fn template(body: &Value, args: &Value) -> Option<Value> {
    match body {
        Value::String(text) => match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) if !name.contains(['{', '}']) => args.get(name).filter(|value| !value.is_null()).cloned(),
            _ => fill(text, args, false).map(Value::String),
        },
        Value::Array(items) => Some(items.iter().filter_map(|item| template(item, args)).collect()),
        Value::Object(members) => {
            Some(members.iter().filter_map(|(key, value)| Some((key.clone(), template(value, args)?))).collect())
        }
        other => Some(other.clone()),
    }
}

/// Percent escapes for everything that means something in a path or a query.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
