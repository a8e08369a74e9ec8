//! `export`: a session or a character as a file that SillyTavern reads.

use crate::apply::about;
use crate::args::{CardWord, ExportCommand};
use crate::config::Config;
use crate::output::{Failure, print_bytes, say};
use crate::source::Source;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tavernkeep_runtime::CardFormat;

pub async fn run(config: &Config, command: ExportCommand) -> Result<ExitCode, Failure> {
    let reach = match &command {
        ExportCommand::Session { reach, .. } | ExportCommand::Character { reach, .. } => reach.clone(),
    };
    let source = Source::open(config, reach).await?;
    let exported = perform(&source, &command).await;
    source.close().await;
    let (output, content) = exported?;
    write(output, &content)?;
    Ok(ExitCode::SUCCESS)
}

/// Where a file goes: to one that is named, or to one that must not be there yet.
enum Output<'a> {
    Named(&'a Path),
    New(PathBuf),
}

async fn perform<'a>(source: &Source, command: &'a ExportCommand) -> Result<(Output<'a>, Vec<u8>), Failure> {
    match command {
        ExportCommand::Session { id, branch, output, .. } => {
            let content = match source {
                Source::Database(runtime, account) => {
                    runtime.export_chat(account, id, branch.as_deref()).await?.content
                }
                Source::Server(remote) => {
                    remote.file(&["sessions", id.as_str(), "export"], &[("branch_id", branch.clone())]).await?
                }
            };
            Ok((target(output.as_deref(), id.as_str(), "jsonl"), content))
        }
        ExportCommand::Character { id, format, output, .. } => {
            let (format, ending) = match format {
                CardWord::Png => (CardFormat::Png, "png"),
                CardWord::Json => (CardFormat::Json, "json"),
            };
            let content = match source {
                Source::Database(runtime, account) => runtime.export_card(account, id, format).await?.content,
                Source::Server(remote) => {
                    let query = [("format", Some(ending.to_owned()))];
                    remote.file(&["characters", id.as_str(), "export"], &query).await?
                }
            };
            Ok((target(output.as_deref(), id.as_str(), ending), content))
        }
    }
}

fn target<'a>(output: Option<&'a Path>, id: &str, ending: &str) -> Output<'a> {
    // An id has no characters that a file's name may not have, but for the colon on Windows.
    output.map_or_else(|| Output::New(PathBuf::from(format!("{}.{ending}", id.replace(':', "_")))), Output::Named)
}

fn write(output: Output<'_>, content: &[u8]) -> Result<(), Failure> {
    match output {
        Output::Named(path) if path.as_os_str() == "-" => print_bytes(content),
        Output::Named(path) => std::fs::write(path, content).map_err(|error| about(path, error)),
        Output::New(path) => {
            let mut file = File::create_new(&path).map_err(|error| Failure::not_created(&path, &error))?;
            file.write_all(content).map_err(|error| about(&path, error))?;
            say(format_args!("{} written, {} bytes", path.display(), content.len()));
            Ok(())
        }
    }
}
