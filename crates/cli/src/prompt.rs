//! `prompt` and `kit`: what a model is shown, from a terminal.

use crate::apply::read_file;
use crate::args::{KitArguments, PromptArguments};
use crate::config::Config;
use crate::output::{Failure, print_bytes, say};
use crate::source::Source;
use crate::story::{closing, print_json};
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_api::prompt::{PromptKit, PromptMessage, RenderedPrompt};
use tavernkeep_engine::limits::{PROMPT_BYTES_MAX, PROMPT_MESSAGES_MAX};
use tavernkeep_runtime::{KitOrder, PromptOrder, PromptQuery};

pub async fn render(config: &Config, arguments: PromptArguments) -> Result<ExitCode, Failure> {
    let (messages, roles) = match &arguments.messages {
        Some(path) => read_messages(path)?,
        None => (vec![read_text(&arguments.text)?], None),
    };
    let order = PromptOrder {
        place: PromptQuery {
            session: arguments.session,
            branch: arguments.branch,
            source_floor: arguments.source_floor,
            page: arguments.page,
        },
        messages,
        user: arguments.user,
        character: arguments.char,
        seed: arguments.seed,
        now_ms: arguments.now,
        utc_offset_minutes: 0,
    };
    let source = Source::open(config, arguments.reach).await?;
    let answer = source.prompt(order, roles, arguments.stage).await;
    let shown = answer.and_then(|prompt| show(&prompt, arguments.json));
    closing(shown, source).await
}

/// A text, which a prompt without messages must have.
fn read_text(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(read_file(path, PROMPT_BYTES_MAX)?)
        .map_err(|error| Failure::usage(format_args!("{}: {error}", path.display())))?;
    match text.is_empty() {
        true => Err(Failure::usage(format_args!(
            "{}: the text is empty; a prompt has at least one character",
            path.display()
        ))),
        false => Ok(text),
    }
}

/// The contents of messages and their roles, in the bounds of a request.
fn read_messages(path: &Path) -> Result<(Vec<String>, Option<Vec<String>>), Failure> {
    let bytes = read_file(path, PROMPT_BYTES_MAX)?;
    let wrong = |message: String| Failure::usage(format_args!("{}: {message}", path.display()));
    let messages: Vec<PromptMessage> = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if messages.is_empty() || messages.len() > PROMPT_MESSAGES_MAX {
        return Err(wrong(format!("a prompt has 1 to {PROMPT_MESSAGES_MAX} messages")));
    }
    let (roles, contents) = messages.into_iter().map(|message| (message.role, message.content)).unzip();
    Ok((contents, Some(roles)))
}

fn show(prompt: &RenderedPrompt, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(prompt);
    }
    for warning in &prompt.runtime_trace.macros.warnings {
        say(format_args!("{} at {}..{}: {}", warning.code, warning.start, warning.end, warning.message));
    }
    for write in &prompt.runtime_trace.macros.staged_mutations {
        say(format_args!("staged: {} {} {}", write.kind, write.scope, write.key));
    }
    print_bytes(prompt.text.as_bytes())
}

pub async fn kit(config: &Config, arguments: KitArguments) -> Result<ExitCode, Failure> {
    let KitArguments { session, branch, view, changed_since, json, reach } = arguments;
    let source = Source::open(config, reach).await?;
    let answer = source.kit(&session, KitOrder { branch, view, since: changed_since, before_floor: None }).await;
    let shown = answer.and_then(|kit| show_kit(&kit, json));
    closing(shown, source).await
}

fn show_kit(kit: &PromptKit, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(kit);
    }
    let mut parts = vec![("view", kit.view.text.as_str(), kit.view.size)];
    parts.extend(kit.functions.as_ref().map(|part| ("functions", part.text.as_str(), part.size)));
    parts.push(("rules", kit.rules.text.as_str(), kit.rules.size));
    parts.extend(kit.note.as_ref().map(|part| ("note", part.text.as_str(), part.size)));
    let mut out = String::new();
    for (name, text, size) in parts {
        let (characters, tokens) = (size.characters, size.tokens_estimated);
        out.push_str(&format!("# {name}: {characters} characters, about {tokens} tokens\n{}\n", text.trim_end()));
    }
    if !kit.view.dropped.is_empty() {
        say(format_args!("the view dropped {}", kit.view.dropped.join(", ")));
    }
    print_bytes(out.as_bytes())
}
