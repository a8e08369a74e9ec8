//! The steps of a case. The first word of a line says what is done; `gives` is what must come of it, part by part: a key that
//! ends in `^` wants a beginning, in `~` a part of the text, in `!` that the part is not there.
//!
//! ```text
//! {"fresh": {"capacity"?, "group"?: false, "escapes"?, "bytes_max"?, "cache_failures"?}}   a new session; the first step may be left out
//! {"add": "a", "value": "1", "type"?, "desc"?, "tags"?, "keep"?, "error"?}    {"batch": [{…}, …]}
//! {"get": "a", "gives": {…} | null}       {"peek": "a", …}    {"list": {filter}, "gives": [names]}
//! {"remove": [names], "removed": […], "failed": […]}          {"names": [all names that are no rules, sorted]}
//! {"call": "Echo", "args": {…}, "gives": {…}, "skip_execution"?, "skip_result"?, "allow_disabled"?}
//! {"answers": [{…}]}  {"result_answers": [{…}]}  {"asked": n}  {"asked_results": n}  {"last_asked": {…}}  {"last_result_shown": {…}}
//! {"register": {group}}  {"group": "g", "enabled": true | null, "refused"?}  {"tool": "Echo", "enabled"?, "permission"?}
//! {"definitions": [names]}  {"rules": {…}}  {"group_is": …, "tool_is": …}  {"later": ms}  {"other_session": true}  {"restart": true}
//! ```

use super::groups;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::NewSession;
use tavernkeep_runtime::tools::{
    ApprovalDecision, ApprovalRequest, CallRequest, Filter, Permission, ToolExecuteResult, ToolExecutor, ToolOptions,
    Variable, VariablePatch,
};
use tavernkeep_runtime::{Database, Options, Runtime};

type Outcome<T> = Result<T, String>;

/// Who is asked, and what they answer.
#[derive(Default)]
struct Person {
    answers: VecDeque<Value>,
    asked: Vec<Value>,
}

struct World {
    database: Database,
    keep: Runtime,
    account: Id,
    session: Id,
    executor: ToolExecutor,
    now: Arc<AtomicI64>,
    execution: Arc<Mutex<Person>>,
    result: Arc<Mutex<Person>>,
    options: Value,
}

pub async fn run(database: &Database, name: &str, steps: &[Value]) -> Outcome<()> {
    let keep = Runtime::open(Options::new(database.clone())).await.map_err(|error| error.to_string())?;
    let first = steps.first().and_then(|step| step.get("fresh")).cloned().unwrap_or_else(|| json!({}));
    let mut world = World::new(database, keep, first).await?;
    for (number, step) in steps.iter().enumerate() {
        let done = world.step(step).await;
        done.map_err(|error| format!("step {}: {step}\n  {error}", number + 1))?;
    }
    let _ = name;
    let World { executor, keep, .. } = world;
    drop(executor);
    keep.close().await;
    Ok(())
}

impl World {
    async fn new(database: &Database, keep: Runtime, options: Value) -> Outcome<World> {
        let account = Runtime::default_account();
        let session = keep.create_session(&account, NewSession::default()).await.map_err(|error| error.to_string())?.id;
        let now = Arc::new(AtomicI64::new(1_771_768_866_000));
        let (execution, result) = (Arc::default(), Arc::default());
        let executor = keep.tool_executor(&account, &session);
        let mut world =
            World { database: database.clone(), keep, account, session, executor, now, execution, result, options };
        world.renew().await?;
        if world.options["group"] != false {
            for group in ["g", "vars"] {
                world.executor.toggle_group_enabled(group, Some(true)).await.map_err(|error| error.to_string())?;
            }
        }
        Ok(world)
    }

    async fn renew(&mut self) -> Outcome<()> {
        let clock = Arc::clone(&self.now);
        let mut tool_options = ToolOptions {
            clock: Some(Arc::new(move || clock.load(Ordering::Relaxed))),
            node_ids: (self.options["ids"] != "random").then(|| {
                let fixed: Arc<dyn Fn() -> String + Send + Sync> = Arc::new(|| "20260222140106-abc1234".into());
                fixed
            }),
            cache_failures: self.options["cache_failures"] == true,
            ..ToolOptions::default()
        };
        if self.options["escapes"] == false {
            tool_options.references.escapes = false;
        }
        if let Some(most) = self.options["bytes_max"].as_u64() {
            tool_options.references.bytes_max = usize::try_from(most).unwrap();
        }
        if let Some(ms) = self.options["approval_ms"].as_i64() {
            tool_options.approval_ms = ms;
        }
        let mut executor = self.keep.tool_executor(&self.account, &self.session).with_options(tool_options);
        if let Some(capacity) = self.options["capacity"].as_u64() {
            // The two rules that every pad has count too.
            executor = executor.with_capacity(usize::try_from(capacity).unwrap() + 2);
        }
        if self.options["callbacks"] != false {
            let ask = |person: &Arc<Mutex<Person>>| {
                let person = Arc::clone(person);
                let callback: Arc<
                    dyn Fn(ApprovalRequest) -> std::pin::Pin<Box<dyn Future<Output = ApprovalDecision> + Send>>
                        + Send
                        + Sync,
                > = Arc::new(move |request| {
                    let answer = {
                        let mut person = person.lock().unwrap();
                        person.asked.push(shown_request(&request));
                        person.answers.pop_front().unwrap_or_else(|| json!({"approved": true}))
                    };
                    Box::pin(async move { decision(&answer) })
                });
                callback
            };
            executor.set_execution_approval_callback(ask(&self.execution));
            executor.set_result_approval_callback(ask(&self.result));
        }
        let group = json!({"name": "g", "tools": groups::TOOLS});
        executor.register_tool_group(groups::group(&group)).await.map_err(|error| error.to_string())?;
        self.executor = executor;
        Ok(())
    }

    async fn step(&mut self, step: &Value) -> Outcome<()> {
        let object = step.as_object().ok_or("a step is an object")?;
        let word = object.keys().next().ok_or("an empty step")?.as_str();
        let subject = &object[word];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match word {
            "fresh" => Ok(()),
            "add" => {
                let written = self.executor.update_variables(vec![(text(subject), patch(step))]).await;
                matches(step, written.map_err(|error| error.to_string()))
            }
            "user_add" => {
                let written =
                    self.executor.put_variable(&text(subject), VariablePatch { kind: None, ..patch(step) }).await;
                matches(step, written.map(drop).map_err(|error| error.to_string()))
            }
            "batch" => {
                let all =
                    subject.as_array().into_iter().flatten().map(|step| (text(&step["add"]), patch(step))).collect();
                matches(step, self.executor.update_variables(all).await.map_err(|error| error.to_string()))
            }
            "get" | "peek" => {
                let found = match word {
                    "get" => self.executor.get_variable(&text(subject)).await,
                    _ => self.executor.peek_variable(&text(subject)).await,
                };
                let found = found.map_err(|error| error.to_string())?;
                let found = found.map_or(Value::Null, |(variable, value)| shown_variable(&variable, Some(&value)));
                fits(&step["gives"], &found)
            }
            "list" => {
                let filter = Filter {
                    kind: subject["type"].as_str().map(|kind| kind.parse().unwrap()),
                    tag: subject["tag"].as_str().map(str::to_owned),
                    search: subject["search"].as_str().map(str::to_owned),
                };
                let listed = self.executor.list_variables(filter).await.map_err(|error| error.to_string())?;
                let names: Vec<&str> = listed.iter().map(|variable| variable.name.as_str()).collect();
                equal(&step["gives"], &json!(names))
            }
            "names" => {
                let listed =
                    self.executor.list_variables(Filter::default()).await.map_err(|error| error.to_string())?;
                let mut names: Vec<&str> = listed
                    .iter()
                    .map(|variable| variable.name.as_str())
                    .filter(|name| !name.starts_with("Rule/"))
                    .collect();
                names.sort_unstable();
                equal(subject, &json!(names))
            }
            "remove" => {
                let names = serde_json::from_value(subject.clone()).unwrap();
                let removed = self.executor.remove_variables(names).await.map_err(|error| error.to_string())?;
                let failed: Vec<&str> = removed.failed.iter().map(|(name, _)| name.as_str()).collect();
                equal(&step["removed"], &json!(removed.removed))?;
                equal(&step["failed"], &json!(failed))
            }
            "fill" => {
                // So many variables, one behind the other in chunks.
                let count = subject.as_u64().unwrap();
                for chunk in (0..count).collect::<Vec<_>>().chunks(500) {
                    let add = |number: &u64| (format!("fill{number}"), patch(&json!({"value": "x"})));
                    let all = chunk.iter().map(add).collect();
                    self.executor.update_variables(all).await.map_err(|error| error.to_string())?;
                }
                Ok(())
            }
            "call" => self.call(text(subject), step).await,
            "answers" => {
                self.execution.lock().unwrap().answers.extend(subject.as_array().unwrap().iter().cloned());
                Ok(())
            }
            "result_answers" => {
                self.result.lock().unwrap().answers.extend(subject.as_array().unwrap().iter().cloned());
                Ok(())
            }
            "asked" => equal(subject, &json!(self.execution.lock().unwrap().asked.len())),
            "asked_results" => equal(subject, &json!(self.result.lock().unwrap().asked.len())),
            "last_asked" => fits(subject, self.execution.lock().unwrap().asked.last().unwrap_or(&Value::Null)),
            "last_result_shown" => {
                fits(subject, self.result.lock().unwrap().asked.last().map_or(&Value::Null, |asked| &asked["result"]))
            }
            "last_result_asked" => fits(subject, self.result.lock().unwrap().asked.last().unwrap_or(&Value::Null)),
            "register" => {
                let registered = self.executor.register_tool_group(groups::group(subject)).await;
                matches(step, registered.map_err(|error| error.to_string()))
            }
            "group" => {
                let toggled = self.executor.toggle_group_enabled(&text(subject), step["enabled"].as_bool()).await;
                matches(step, toggled.map_err(|error| error.to_string()))
            }
            "tool" => {
                if let Some(enabled) = step["enabled"].as_bool() {
                    self.executor.set_tool_enabled(&text(subject), enabled).await.map_err(|error| error.to_string())?;
                }
                if !step["permission"].is_null() {
                    let permission = Permission::read(&step["permission"])?;
                    self.executor
                        .set_tool_permission(&text(subject), permission)
                        .await
                        .map_err(|error| error.to_string())?;
                }
                Ok(())
            }
            "definitions" => {
                let definitions = self.executor.enabled_tool_definitions().await.map_err(|error| error.to_string())?;
                let names: Vec<&Value> = definitions.iter().map(|definition| &definition["function"]["name"]).collect();
                equal(subject, &json!(names))
            }
            "rules" => {
                let rules = self.executor.tool_rules().await.map_err(|error| error.to_string())?;
                fits(subject, &json!({ "text": rules }))
            }
            "group_is" => {
                let is = self.executor.is_group_enabled(&text(subject)).await.map_err(|error| error.to_string())?;
                equal(&step["enabled"], &json!(is))
            }
            "tool_is" => {
                let is = self.executor.is_tool_enabled(&text(subject)).await.map_err(|error| error.to_string())?;
                equal(&step["enabled"], &json!(is))
            }
            "later" => {
                self.now.fetch_add(subject.as_i64().unwrap(), Ordering::Relaxed);
                Ok(())
            }
            "other_session" => {
                let session = self.keep.create_session(&self.account, NewSession::default()).await;
                self.session = session.map_err(|error| error.to_string())?.id;
                self.renew().await?;
                self.executor.toggle_group_enabled("g", Some(true)).await.map_err(|error| error.to_string())
            }
            "restart" => {
                let database = self.database.clone();
                // The old runtime lets go of the database first.
                let folder = tempfile::tempdir().unwrap();
                let placeholder = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await;
                let placeholder = placeholder.map_err(|error| error.to_string())?;
                self.executor = placeholder.tool_executor(&self.account, &self.session);
                std::mem::replace(&mut self.keep, placeholder).close().await;
                self.keep = Runtime::open(Options::new(database)).await.map_err(|error| error.to_string())?;
                self.renew().await
            }
            other => Err(format!("no step is called {other}")),
        }
    }

    async fn call(&self, tool: String, step: &Value) -> Outcome<()> {
        let request = CallRequest {
            tool,
            args: step.get("args").cloned().unwrap_or_else(|| json!({})),
            skip_execution_approval: step["skip_execution"] == true,
            skip_result_approval: step["skip_result"] == true,
            allow_disabled: step["allow_disabled"] == true,
            ..CallRequest::default()
        };
        let result = self.executor.execute_with(request).await.map_err(|error| error.to_string())?;
        fits(&step["gives"], &shown_result(&result))
    }
}

fn patch(step: &Value) -> VariablePatch {
    let value = match step.get("value") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Object(object)) if object.contains_key("repeat") => {
            let times = usize::try_from(object["times"].as_u64().unwrap()).unwrap();
            Some(object["repeat"].as_str().unwrap().repeat(times))
        }
        Some(other) => Some(other.to_string()),
        None => None,
    };
    let kind = match step.get("type") {
        Some(kind) if kind.is_null() => None,
        Some(kind) => Some(kind.as_str().unwrap().parse().unwrap()),
        None => Some("LLMAdd".parse().unwrap()),
    };
    VariablePatch {
        value,
        kind,
        desc: step["desc"].as_str().map(str::to_owned),
        tags: step.get("tags").map(|tags| serde_json::from_value(tags.clone()).unwrap()),
        keep: step["keep"].as_bool(),
        untrusted: false,
    }
}

fn decision(answer: &Value) -> ApprovalDecision {
    ApprovalDecision {
        approved: answer["approved"] == true,
        reject_reason: answer["reason"].as_str().map(str::to_owned),
        scope: answer["scope"].as_str().map(|scope| scope.parse().unwrap()),
        args: answer.get("args").cloned(),
    }
}

fn shown_variable(variable: &Variable, value: Option<&str>) -> Value {
    json!({
        "name": variable.name, "value": value, "type": variable.kind.as_str(), "length": variable.length, "desc": variable.desc,
        "tags": variable.tags, "keep": variable.keep, "referenceCount": variable.reference_count,
        "created": variable.created / 1000, "updated": variable.updated / 1000, "lastVisited": variable.last_visited / 1000,
        "fresh": variable.created == variable.updated && variable.updated == variable.last_visited,
        "visitedSince": variable.last_visited > variable.updated,
    })
}

fn shown_result(result: &ToolExecuteResult) -> Value {
    json!({
        "status": result.status.as_str(), "data": result.data, "error": result.error, "rejectReason": result.reject_reason,
        "formattedText": result.formatted_text, "finalText": result.final_text, "isTruncated": result.is_truncated,
        "cacheVarResult": result.cache_var_result, "cacheVarArgs": result.cache_var_args,
        "formattedLength": result.formatted_text.as_ref().map(|text| text.chars().count()),
    })
}

fn shown_request(request: &ApprovalRequest) -> Value {
    json!({
        "type": request.kind.as_str(), "toolName": request.tool_name, "args": request.args,
        "unresolvedArgs": request.unresolved_args, "createdAt": request.created_at,
        "result": request.result.as_deref().map(shown_result),
    })
}

/// An operation that succeeds, or fails with the words in `error`.
fn matches(step: &Value, done: Outcome<()>) -> Outcome<()> {
    match (done, step["error"].as_str()) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some(wanted)) => Err(format!("it succeeded; wanted the error {wanted:?}")),
        (Err(error), Some(wanted)) if error.contains(wanted) => Ok(()),
        (Err(error), wanted) => Err(format!("failed with {error:?}; wanted {wanted:?}")),
    }
}

fn equal(wanted: &Value, found: &Value) -> Outcome<()> {
    match wanted == found {
        true => Ok(()),
        false => Err(format!("found {found}\n  wanted {wanted}")),
    }
}

fn fits(wanted: &Value, found: &Value) -> Outcome<()> {
    let Some(parts) = wanted.as_object() else { return equal(wanted, found) };
    for (key, wanted) in parts {
        let name = key.trim_end_matches(['^', '~', '!', '$']);
        let part = &found[name];
        let text = part.as_str().unwrap_or_default();
        let all = |test: &dyn Fn(&str) -> bool| match wanted {
            Value::Array(many) => many.iter().filter_map(Value::as_str).all(test),
            one => test(one.as_str().unwrap_or_default()),
        };
        let holds = match key.chars().last() {
            Some('^') => all(&|wanted| text.starts_with(wanted)),
            Some('$') => all(&|wanted| text.ends_with(wanted)),
            Some('~') => all(&|wanted| text.contains(wanted)),
            Some('!') => all(&|wanted| !text.contains(wanted)),
            _ => part == wanted,
        };
        if !holds {
            let short: String = part.to_string().chars().take(1500).collect();
            return Err(format!("{key}: found {short}\n  wanted {wanted}"));
        }
    }
    Ok(())
}
