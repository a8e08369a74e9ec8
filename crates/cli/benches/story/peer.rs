//! LangGraph's SQLite saver doing the same steps: a checkpoint for every floor, in Python.

use crate::chat;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the saver needed.
pub struct Figures {
    pub seconds_per_step: f64,
    pub cpu_per_step: f64,
    pub bytes_per_step: f64,
    pub seconds_per_read: f64,
}

/// Installs the saver if it is not there; without Python or a network the columns are left out.
pub fn install() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let status = Command::new(root.join("scripts/langgraph")).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Some(root.join(".venv/bin/python")),
        _ => {
            eprintln!("LangGraph's saver cannot be installed; its columns are left out");
            None
        }
    }
}

/// Takes the steps of a chat.
pub fn run(python: &Path, floors: usize, changes: usize) -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let steps: Vec<_> = (0..floors).map(|floor| chat::step(floor, changes)).collect();
    let template: Value = serde_json::from_str(&chat::template()).unwrap();
    let input = folder.path().join("steps.json");
    std::fs::write(&input, json!({"template": template, "steps": steps}).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/story/langgraph_saver.py");
    let output =
        Command::new(python).arg(script).arg(&input).arg(folder.path().join("checkpoints.db")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let figure = |name: &str| found[name].as_f64().unwrap();
    Figures {
        seconds_per_step: figure("seconds") / floors as f64,
        cpu_per_step: figure("cpu") / floors as f64,
        bytes_per_step: figure("bytes") / floors as f64,
        seconds_per_read: figure("read"),
    }
}
