//! `tools` and `call`: the tools of a session from a terminal, in the database or at a server.

use crate::args::{CallOrder, Reach, ToolsOrder};
use crate::config::Config;
use crate::output::{Failure, print_line, say};
use crate::source::{Remote, Source};
use serde_json::{Value, json};
use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::tools::CallRequest;
use tavernkeep_server::wire;

/// A local call is waited for: nobody goes on with it when this process ends.
pub const WAIT: Duration = Duration::from_secs(600);

pub async fn list(config: &Config, order: ToolsOrder) -> Result<ExitCode, Failure> {
    let ToolsOrder { session, enable, disable, definitions, rules, json, reach } = order;
    let source = Source::open(config, reach).await?;
    let toggles = enable.iter().map(|name| (name, true)).chain(disable.iter().map(|name| (name, false)));
    for (name, enabled) in toggles {
        set_group(&source, &session, name, enabled).await?;
    }
    let shown = match (definitions, rules) {
        (true, _) => read(&source, &session, "definitions").await?,
        (_, true) => read(&source, &session, "rules").await?,
        _ => read(&source, &session, "groups").await?,
    };
    source.close().await;
    match &shown {
        Value::String(text) => print_line(text)?,
        _ if json || definitions => print_line(&shown.to_string())?,
        groups => print_groups(groups)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn set_group(source: &Source, session: &Id, name: &str, enabled: bool) -> Result<(), Failure> {
    match source {
        Source::Database(runtime, account) => {
            runtime.set_group_enabled(account, session, name, enabled).await.map(drop)?;
        }
        Source::Server(remote) => {
            let path = ["sessions", session.as_str(), "tools", "groups", name];
            remote.exchange("PATCH", &path, Some(json!({ "enabled": enabled }).to_string())).await.map(drop)?;
        }
    }
    Ok(())
}

async fn read(source: &Source, session: &Id, what: &str) -> Result<Value, Failure> {
    match source {
        Source::Server(remote) => remote.exchange("GET", &["sessions", session.as_str(), "tools", what], None).await,
        Source::Database(runtime, account) => Ok(match what {
            "definitions" => Value::Array(runtime.tool_definitions(account, session).await?),
            "rules" => runtime.tool_rules(account, session).await?.into(),
            _ => {
                let groups = runtime.tool_groups(account, session).await?;
                let groups = groups.iter().map(wire::tool_group).collect::<Result<Vec<_>, _>>();
                serde_json::to_value(groups.map_err(|error| Failure::defect(error.message))?)
                    .map_err(Failure::defect)?
            }
        }),
    }
}

fn print_groups(groups: &Value) -> Result<(), Failure> {
    for group in groups.as_array().into_iter().flatten() {
        let mark = if group["enabled"] == true { "on " } else { "off" };
        print_line(&format!("{mark} {}", group["name"].as_str().unwrap_or_default()))?;
        for tool in group["tools"].as_array().into_iter().flatten() {
            let mark = if tool["enabled"] == true { ' ' } else { '-' };
            let policy = tool["permission"]["executionPolicy"].as_str().unwrap_or_default();
            let name = tool["name"].as_str().unwrap_or_default();
            print_line(&format!(
                "  {mark} {name:20} {policy:10} {}",
                tool["description"].as_str().unwrap_or_default()
            ))?;
        }
    }
    Ok(())
}

pub async fn call(config: &Config, order: CallOrder) -> Result<ExitCode, Failure> {
    let CallOrder { session, tool, args, page, branch, yes, json, reach } = order;
    let text = match args.as_str() {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        _ => args,
    };
    let args: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format_args!("the arguments are not JSON: {error}")))?;
    if !args.is_object() {
        return Err(Failure::usage("the arguments must be a JSON object"));
    }
    let request = CallRequest {
        tool,
        args,
        page,
        branch,
        skip_execution_approval: yes,
        skip_result_approval: yes,
        allow_disabled: false,
    };
    let call = made(config, reach, &session, request).await?;
    if json {
        print_line(&call.to_string())?;
    } else {
        let word = |name: &str| call[name].as_str().unwrap_or_default();
        match word("status") {
            "success" => print_line(word("final_text"))?,
            "awaiting_approval" => {
                say(format_args!("the call {} waits for a decision; `POST /approvals/…` makes it", word("id")));
            }
            "awaiting_client" => {
                say(format_args!("the call {} waits for the application that registered the tool", word("id")));
            }
            status => say(format_args!("{status}: {} {}", word("error"), word("reject_reason"))),
        }
    }
    Ok(if call["status"] == "success" { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn made(config: &Config, reach: Reach, session: &Id, request: CallRequest) -> Result<Value, Failure> {
    let source = Source::open(config, reach).await?;
    let call = match &source {
        Source::Database(runtime, account) => {
            let details = runtime.call_tool(account, session, request).await?;
            let call = wire::call(&details).map_err(|error| Failure::defect(error.message))?;
            serde_json::to_value(call).map_err(Failure::defect)?
        }
        Source::Server(remote) => remote_call(remote, session, &request).await?,
    };
    source.close().await;
    Ok(call)
}

async fn remote_call(remote: &Remote, session: &Id, request: &CallRequest) -> Result<Value, Failure> {
    let mut body = json!({
        "tool": request.tool, "args": request.args,
        "skip_execution_approval": request.skip_execution_approval, "skip_result_approval": request.skip_result_approval,
    });
    for (name, value) in [("page_id", request.page.as_ref().map(Id::as_str)), ("branch_id", request.branch.as_deref())]
    {
        if let Some(value) = value {
            body[name] = value.into();
        }
    }
    remote.exchange("POST", &["sessions", session.as_str(), "calls"], Some(body.to_string())).await
}
