//! Runs a program of the operator's under a supervisor: arguments go in, JSON or text comes out.

use crate::tools::{ToolError, ToolOutput};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tavernkeep_engine::limits::{
    TOOL_SCRIPT_FILE_BYTES_MAX, TOOL_SCRIPT_MEMORY_BYTES, TOOL_SCRIPT_OPEN_FILES_MAX, TOOL_SCRIPT_OUTPUT_BYTES_MAX,
    TOOL_SCRIPT_PROCESSES_MAX,
};
use tavernkeep_script::{ProgramEnd, ProgramLimits, Supervisor, framed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// A program to run.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) supervisor: Supervisor,
    pub(super) name: String,
    pub(super) arguments: Vec<OsString>,
    pub(super) folder: PathBuf,
    pub(super) timeout: Duration,
}

/// Characters of a failed program's errors that are shown.
const ERRORS_SHOWN: usize = 2_000;

/// Runs a program to its end. When this is dropped, the supervisor's input closes and it ends everything.
pub(super) async fn run(program: &Program, input: &[u8]) -> Result<ToolOutput, ToolError> {
    let limits = ProgramLimits {
        timeout: program.timeout,
        memory_bytes: TOOL_SCRIPT_MEMORY_BYTES,
        processes: TOOL_SCRIPT_PROCESSES_MAX,
        file_bytes: TOOL_SCRIPT_FILE_BYTES_MAX,
        open_files: TOOL_SCRIPT_OPEN_FILES_MAX,
    };
    let thrown = |error: std::io::Error| ToolError::Thrown(format!("the script cannot be run: {error}"));
    let command = program.supervisor.command(&program.name, &program.arguments, &program.folder, &limits);
    let mut child = Command::from(command).spawn().map_err(thrown)?;
    let (Some(mut control), stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take()) else {
        return Err(ToolError::Thrown("the script has no input".into()));
    };
    control.write_all(&framed(input).map_err(thrown)?).await.map_err(thrown)?;
    let read = async { tokio::try_join!(read_up_to(stdout), read_up_to(stderr)) };
    let output = read.await;
    if output.is_err() {
        // It writes too much: the supervisor ends it.
        drop(control);
    }
    let status = child.wait().await.map_err(thrown)?;
    let (output, errors) = output.map_err(ToolError::failed)?;
    let shown = || errors.chars().take(ERRORS_SHOWN).collect::<String>().trim().to_owned();
    match ProgramEnd::of(status) {
        ProgramEnd::Succeeded => {
            let text = output.trim_end().to_owned();
            Ok(ToolOutput::of(serde_json::from_str(&text).unwrap_or(Value::String(text))))
        }
        ProgramEnd::TimedOut => {
            Err(ToolError::failed(format!("the script took longer than {} s", program.timeout.as_secs_f32())))
        }
        ProgramEnd::TooManyProcesses => {
            Err(ToolError::failed(format!("the script has more than {TOOL_SCRIPT_PROCESSES_MAX} processes")))
        }
        ProgramEnd::NotStarted => Err(ToolError::Thrown(format!("the script cannot be run: {}", shown()))),
        ProgramEnd::Failed | ProgramEnd::Abandoned => Err(ToolError::failed(format!("the script failed: {}", shown()))),
    }
}

async fn read_up_to(stream: Option<impl tokio::io::AsyncRead + Unpin>) -> Result<String, String> {
    const MOST: usize = TOOL_SCRIPT_OUTPUT_BYTES_MAX;
    let Some(stream) = stream else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    stream.take(MOST as u64 + 1).read_to_end(&mut bytes).await.map_err(|error| error.to_string())?;
    match bytes.len() > MOST {
        true => Err(format!("the script writes more than {MOST} bytes")),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
