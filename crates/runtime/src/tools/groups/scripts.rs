//! The group `scripts`: files of the operator's own, in Python, shell or JavaScript, each with a declaration beside it.
//!
//! `roll.py` is declared by `roll.tool.json`, a [`ScriptFile`]. It gets its arguments as JSON on
//! standard input and writes JSON or text to standard output. It runs under a supervisor, with an empty environment, a time limit, limits
//! of memory, processes, files and output, and when it ends nothing of it is left running. A file without a declaration is no tool.

use super::program::{Program, run};
use crate::tools::{Declaration, Permission, Tool, ToolCall, ToolError, ToolGroup};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::{TOOL_SCRIPT_MEMORY_BYTES, TOOL_SCRIPT_TIMEOUT_MS_MAX};
use tavernkeep_script::Supervisor;

/// How long a script may take unless its declaration says otherwise.
const TIMEOUT_MS: u64 = 30_000;
/// The declaration of a script. A misspelt or mistyped field would silently change what the script may do, so it is an error.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    /// What a model reads about the tool.
    description: String,
    /// A JSON Schema of the arguments.
    parameters: Option<Map<String, Value>>,
    permission: Option<Value>,
    timeout_ms: Option<u64>,
}

/// How long ending a script may take beyond its time limit.
const MARGIN: Duration = Duration::from_secs(15);

/// The group of a folder; none if there is no script in it.
pub fn groups(folder: &Path, supervisor: &Supervisor) -> Result<Vec<ToolGroup>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let folder = folder.canonicalize().map_err(failed)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if interpreter(&path).is_none() || !path.is_file() {
            continue;
        }
        match path.with_extension("tool.json").is_file() {
            true => files.push(path),
            false => {
                let wanted = path.with_extension("tool.json");
                tracing::warn!(script = %path.display(), wanted = %wanted.display(), "a script without a declaration is no tool");
            }
        }
    }
    files.sort();
    let tools = files.iter().map(|file| tool(file, supervisor)).collect::<Result<Vec<_>, _>>()?;
    Ok(if tools.is_empty() { Vec::new() } else { vec![ToolGroup::new("scripts", tools)] })
}

/// The interpreter of a file, and the arguments before its name.
fn interpreter(file: &Path) -> Option<(&'static str, Vec<String>)> {
    match file.extension()?.to_str()? {
        "py" => Some(("python3", Vec::new())),
        "sh" => Some(("sh", Vec::new())),
        // Its collector should try harder before the kernel refuses memory.
        "js" => Some(("node", vec![format!("--max-old-space-size={}", TOOL_SCRIPT_MEMORY_BYTES / 2 / (1024 * 1024))])),
        _ => None,
    }
}

fn content_hash(file: &Path) -> std::io::Result<String> {
    let digest = Sha256::digest(std::fs::read(file)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The tool of one script, by the declaration beside it.
fn tool(file: &Path, supervisor: &Supervisor) -> Result<Tool, String> {
    let declared = file.with_extension("tool.json");
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", declared.display());
    let text = std::fs::read_to_string(&declared).map_err(|error| failed(&error))?;
    let declaration: ScriptFile = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    let ScriptFile { description, parameters, permission, timeout_ms } = declaration;
    let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| failed(&"the file's name is no text"))?;
    let parameters = parameters.map_or_else(|| json!({ "type": "object", "properties": {} }), Value::Object);
    let mut declaration = Declaration::new(name, &description, parameters);
    // Code of the operator's own still asks once unless it is said otherwise.
    let permission = permission.unwrap_or_else(|| json!({ "executionPolicy": "ask-once" }));
    declaration.permission = Permission::read(&permission).map_err(|error| failed(&error))?;
    let timeout_ms = timeout_ms.unwrap_or(TIMEOUT_MS);
    if !(1..=TOOL_SCRIPT_TIMEOUT_MS_MAX).contains(&timeout_ms) {
        let why = format!("`timeout_ms` must be 1 to {TOOL_SCRIPT_TIMEOUT_MS_MAX}, not {timeout_ms}");
        return Err(failed(&why));
    }
    let timeout = Duration::from_millis(timeout_ms);
    let (interpreter, mut arguments) = interpreter(file).ok_or_else(|| failed(&"scripts end in .py, .sh or .js"))?;
    arguments.push(file.to_string_lossy().into_owned());
    let hash = content_hash(file).map_err(|error| failed(&error))?;
    declaration.effect = json!({ "program": interpreter, "arguments": arguments, "content": hash });
    let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
    let program = Program {
        supervisor: supervisor.clone(),
        name: interpreter.to_owned(),
        arguments: arguments.into_iter().map(Into::into).collect(),
        folder,
        timeout,
    };
    let script = Arc::new((program, file.to_owned(), hash));
    let run = move |call: ToolCall| {
        let script = Arc::clone(&script);
        async move {
            let (program, file, hash) = &*script;
            // What was approved is this content and no other.
            if content_hash(file).is_ok_and(|found| found != *hash) {
                return Err(ToolError::failed("the script was changed; restart the server to use it"));
            }
            run(program, call.args.to_string().as_bytes()).await
        }
    };
    Ok(Tool::declared(declaration, run).with_timeout(timeout + MARGIN))
}
