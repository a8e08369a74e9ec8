//! `functions`: the function library from a terminal.

use crate::apply::{about, read_file};
use crate::args::{FunctionFields, FunctionsCommand, FunctionsTest};
use crate::config::Config;
use crate::library::described;
use crate::output::{Failure, print_bytes, print_line, say};
use crate::paint::{Colour, Paint};
use crate::source::Source;
use crate::story::print_table;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_api::apply::CommandStatus;
use tavernkeep_api::function::{Function, FunctionType, TestedCall, TestedFunctions, Timing};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{BODY_BYTES_MAX, REPLY_BYTES_MAX};
use tavernkeep_runtime::order::FunctionScope;
use tavernkeep_runtime::{Access, Runtime, try_functions};
use tavernkeep_server::wire;

pub async fn run(config: &Config, command: FunctionsCommand) -> Result<ExitCode, Failure> {
    if let FunctionsCommand::Test(order) = command {
        return test(config, order).await.map(|()| ExitCode::SUCCESS);
    }
    let reach = command.reach();
    let source = Source::open(config, reach).await?;
    let result = perform(&source, command).await;
    source.close().await;
    result.map(|()| ExitCode::SUCCESS)
}

async fn perform(source: &Source, command: FunctionsCommand) -> Result<(), Failure> {
    match command {
        FunctionsCommand::List { json, place } => list(&source.library(&scope(place.character)).await?, json),
        FunctionsCommand::Show { id, json, place } => {
            show_one(&source.function(&scope(place.character), &id).await?, json)
        }
        FunctionsCommand::Create { fields, place } => {
            let made = source.create(&scope(place.character), &fields_body(&fields)?).await?;
            show_one(&made, fields.json)
        }
        FunctionsCommand::Update { id, fields, place } => {
            let changed = source.update(&scope(place.character), &id, &fields_body(&fields)?).await?;
            show_one(&changed, fields.json)
        }
        FunctionsCommand::Delete { ids, .. } => {
            for id in ids {
                source.delete(&id).await?;
                print_line(&format!("{id} deleted"))?;
            }
            Ok(())
        }
        FunctionsCommand::Reorder { ids, json, place } => {
            list(&source.reorder(&scope(place.character), ids).await?, json)
        }
        FunctionsCommand::Copy { id, name, target } => {
            show_one(&source.copy(&id, scope(target.to_character), name).await?, target.json)
        }
        FunctionsCommand::Move { id, target } => {
            show_one(&source.move_to(&id, scope(target.to_character)).await?, target.json)
        }
        FunctionsCommand::Import { file, place } => {
            let bytes = read_file(&file, BODY_BYTES_MAX)?;
            let made = source.import(&scope(place.character), &bytes).await?;
            for function in &made {
                print_line(&format!("{}  {}", function.id, Paint::for_stdout().plain(&function.name)))?;
                if let Some(error) = &function.code_error {
                    say(format_args!("{}: its code cannot be compiled: {error}", function.name));
                }
            }
            say(format_args!("{} functions imported; they are disabled until `functions enable ID`", made.len()));
            Ok(())
        }
        FunctionsCommand::Export { ids, output, place } => {
            let file = source.export(&scope(place.character), ids).await?;
            let mut text = serde_json::to_string_pretty(&file).map_err(Failure::defect)?;
            text.push('\n');
            match output {
                Some(path) => std::fs::write(&path, text).map_err(|error| about(&path, error)),
                None => print_bytes(text.as_bytes()),
            }
        }
        FunctionsCommand::Prompt { place } => print_line(&source.function_prompt(&scope(place.character)).await?),
        FunctionsCommand::Enable { ids, place } => switch(source, place.character, &ids, true).await,
        FunctionsCommand::Disable { ids, place } => switch(source, place.character, &ids, false).await,
        // It needs no library.
        FunctionsCommand::Test(_) => Ok(()),
    }
}

fn scope(character: Option<Id>) -> FunctionScope {
    character.map_or(FunctionScope::Global, FunctionScope::Character)
}

/// The body of a request with what a file and options say of a function.
fn fields_body(fields: &FunctionFields) -> Result<Vec<u8>, Failure> {
    let mut body = match &fields.file {
        Some(file) => read_json(file)?,
        None => json!({}),
    };
    let Some(members) = body.as_object_mut() else {
        return Err(Failure::usage("the file must be a JSON object with the fields of one function"));
    };
    let executor = match &fields.executor {
        Some(path) => {
            let code = read_file(path, BODY_BYTES_MAX)?;
            Some(String::from_utf8(code).map_err(|error| about(path, error))?)
        }
        None => None,
    };
    let texts = [
        ("executor", &executor),
        ("name", &fields.name),
        ("type", &fields.kind),
        ("pattern", &fields.pattern),
        ("timing", &fields.timing),
        ("description", &fields.description),
        ("signature", &fields.signature),
        ("example", &fields.example),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            members.insert(name.to_owned(), json!(text));
        }
    }
    if let Some(order) = fields.order {
        members.insert("order".to_owned(), json!(order));
    }
    if let Some(enabled) = fields.enabled {
        members.insert("enabled".to_owned(), json!(enabled));
    }
    serde_json::to_vec(&body).map_err(Failure::defect)
}

fn show_one(function: &Function, json: bool) -> Result<(), Failure> {
    if json {
        return print_line(&serde_json::to_string(function).map_err(Failure::defect)?);
    }
    let paint = Paint::for_stdout();
    let kind = if function.kind == FunctionType::Active { "active" } else { "passive" };
    let mut out = format!("{}  {}\n", function.id, paint.text(Colour::Bold, &function.name));
    let of = function.character_id.as_ref().map(|id| format!("character {id}"));
    let _ = writeln!(out, "{kind}, {}", if function.enabled { "on" } else { "off" });
    let order = Some(function.order.to_string());
    let timing = function.timing.map(|timing| match timing {
        Timing::BeforeActive => "before_active".to_owned(),
        Timing::AfterActive => "after_active".to_owned(),
    });
    let description = Some(function.description.clone()).filter(|text| !text.is_empty());
    for (name, value) in [
        ("of", of),
        ("order", order),
        ("timing", timing),
        ("pattern", function.pattern.clone()),
        ("description", description),
        ("signature", function.signature.clone()),
        ("example", function.example.clone()),
    ] {
        if let Some(value) = value {
            let _ = writeln!(out, "{name}: {}", paint.plain(&value));
        }
    }
    let _ = write!(out, "\n{}\n", function.executor.trim_end());
    print_bytes(out.as_bytes())?;
    function.conflicts.iter().for_each(|conflict| say(format_args!("{}: {}", function.name, conflict.message)));
    Ok(())
}

fn list(functions: &[Function], json: bool) -> Result<(), Failure> {
    if json {
        let print = |function| print_line(&serde_json::to_string(function).map_err(Failure::defect)?);
        return functions.iter().try_for_each(print);
    }
    let mut table = vec![["ID", "ON", "TYPE", "ORDER", "NAME", "DESCRIPTION"].map(str::to_owned)];
    table.extend(functions.iter().map(|function| {
        let (on, kind) = (if function.enabled { "on" } else { "off" }, function.kind);
        let kind = if kind == FunctionType::Active { "active" } else { "passive" };
        let description = function.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let (id, name) = (function.id.clone(), function.name.clone());
        [id, on.to_owned(), kind.to_owned(), function.order.to_string(), name, description]
    }));
    print_table(&table)?;
    for function in functions {
        for conflict in &function.conflicts {
            say(format_args!("{}: {}", function.name, conflict.message));
        }
    }
    Ok(())
}

async fn switch(source: &Source, character: Option<Id>, ids: &[Id], enabled: bool) -> Result<(), Failure> {
    let scope = scope(character);
    for id in ids {
        let function = source.switch(&scope, id, enabled).await?;
        print_line(&format!("{} {}", function.id, if function.enabled { "on" } else { "off" }))?;
        for conflict in function.conflicts {
            say(format_args!("{}: {}", function.name, conflict.message));
        }
    }
    Ok(())
}

/// Runs functions of a file on a text and a state; here, unless a server is named. No database is opened.
async fn test(config: &Config, order: FunctionsTest) -> Result<(), Failure> {
    let body = test_body(&order)?;
    let tested = if order.reach.url.is_some() {
        Source::open(config, order.reach).await?.test(body).await?
    } else {
        let trial = wire::trial(&body).map_err(|error| described(&error))?;
        let (scripts, account) = (config.options(Access::Visit)?.scripts, Runtime::default_account());
        let tried = tokio::task::spawn_blocking(move || try_functions(scripts, &account, trial)).await;
        wire::tried(tried.map_err(Failure::defect)??).map_err(|error| described(&error))?
    };
    if order.json {
        return print_line(&serde_json::to_string(&tested).map_err(Failure::defect)?);
    }
    print_bytes(show(&tested, Paint::for_stdout())?.as_bytes())
}

fn test_body(order: &FunctionsTest) -> Result<Vec<u8>, Failure> {
    let file = read_json(&order.file)?;
    // A file of functions, or just a list of them.
    let functions = match file {
        Value::Object(mut members) => match members.remove("data") {
            Some(Value::Object(mut file)) => file.remove("functions").unwrap_or(Value::Null),
            _ => members.remove("functions").unwrap_or(Value::Null),
        },
        list => list,
    };
    let text =
        String::from_utf8(read_file(&order.text, REPLY_BYTES_MAX)?).map_err(|error| about(&order.text, error))?;
    let state = order.state.as_deref().map(read_json).transpose()?.unwrap_or_else(|| json!({}));
    let mut body = json!({"functions": functions, "text": text, "state": state});
    if let Some(context) = &order.context {
        body["context"] = serde_json::from_str(context)
            .map_err(|error| Failure::usage(format_args!("--context is no JSON: {error}")))?;
    }
    serde_json::to_vec(&body).map_err(Failure::defect)
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    serde_json::from_slice(&read_file(path, BODY_BYTES_MAX)?).map_err(|error| about(path, error))
}

fn show(tested: &TestedFunctions, paint: Paint) -> Result<String, Failure> {
    let state = tavernkeep_engine::document::Value::parse(tested.state.text()).map_err(Failure::defect)?;
    let mut out = format!("{}\n", paint.text(Colour::Bold, "state"));
    paint.document(&mut out, &state);
    let _ = write!(out, "\n\n{}\n", paint.text(Colour::Bold, "calls"));
    if tested.calls.is_empty() {
        out.push_str("  none\n");
    }
    tested.calls.iter().for_each(|call| show_call(&mut out, call, paint));
    if !tested.problems.is_empty() {
        let _ = write!(out, "\n{}\n", paint.text(Colour::Bold, "problems"));
    }
    for problem in &tested.problems {
        let _ = writeln!(out, "  {} {}", paint.text(Colour::Yellow, &problem.code), paint.plain(&problem.message));
    }
    Ok(out)
}

fn show_call(out: &mut String, call: &TestedCall, paint: Paint) {
    let (status, colour) = match call.status {
        CommandStatus::Applied => ("applied ", Colour::Green),
        CommandStatus::Repaired => ("repaired", Colour::Yellow),
        CommandStatus::Refused => ("refused ", Colour::Red),
    };
    let args: Vec<&str> = call.args.iter().map(tavernkeep_api::Json::text).collect();
    let written = paint.plain(&format!("{}({})", call.function, args.join(", ")));
    let _ = writeln!(out, "  {} {written}", paint.text(colour, status));
    let code = call.code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
    if let Some(message) = &call.message {
        let _ = writeln!(out, "           {}", paint.text(colour, &format!("{code}{message}")));
    }
    for line in &call.log {
        let _ = writeln!(out, "           {}", paint.text(Colour::Dim, line));
    }
}
