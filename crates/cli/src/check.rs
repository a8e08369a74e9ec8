//! `backup`, `check` and `stamp`.

use crate::config::Config;
use crate::output::{Failure, print_line, say};
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::{Access, Database, FILE_NAME, Finding, Report, Runtime};

/// Copies the database to a new file.
pub async fn backup(config: &Config, output: &Path) -> Result<ExitCode, Failure> {
    tavernkeep_runtime::backup(&config.database(), output).await?;
    let bytes = std::fs::metadata(output).map(|metadata| metadata.len()).unwrap_or(0);
    say(format_args!("wrote {} ({bytes} bytes); `tavernkeep check {0}` reads it through", output.display()));
    Ok(ExitCode::SUCCESS)
}

/// Checks a file, or the configured database.
pub async fn run(config: &Config, file: Option<&Path>, json: bool) -> Result<ExitCode, Failure> {
    let report = match (file, config.database()) {
        (Some(file), _) => check_file(file)?,
        (None, Database::Sqlite(folder)) => check_file(&folder.join(FILE_NAME))?,
        (None, Database::Postgres(_)) => {
            crate::source::require_database(config).await?;
            let runtime = Runtime::open(config.options(Access::Visit)?).await?;
            runtime.check().await?
        }
    };
    print(&report, json)?;
    Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Accepts what another program wrote: a file, or the configured database.
pub fn stamp(config: &Config, file: Option<&Path>) -> Result<ExitCode, Failure> {
    let stamped = match (file, config.database()) {
        (Some(file), _) => tavernkeep_runtime::stamp_pages(file)?,
        (None, Database::Sqlite(folder)) => tavernkeep_runtime::stamp_pages(&folder)?,
        (None, Database::Postgres(_)) => {
            return Err(Failure::refused(format_args!(
                "pages of PostgreSQL have checksums of its own (data_checksums)"
            )));
        }
    };
    match stamped.as_slice() {
        [] => say(format_args!("every page has its checksum already")),
        pages => say(format_args!("{} pages got another checksum: {}", pages.len(), list(pages))),
    }
    Ok(ExitCode::SUCCESS)
}

/// The first numbers.
fn list(pages: &[u32]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = pages.iter().take(SHOWN).map(ToString::to_string).collect();
    shown.join(", ") + if pages.len() > SHOWN { ", …" } else { "" }
}

fn check_file(path: &Path) -> Result<Report, Failure> {
    if !crate::story::is_there(path)? || !path.is_file() {
        return Err(Failure::refused(format_args!("there is no database file {}", path.display())));
    }
    Ok(tavernkeep_runtime::check_file(path)?)
}

fn print(report: &Report, json: bool) -> Result<(), Failure> {
    if json {
        let findings: Vec<_> = report.findings.iter().map(finding_json).collect();
        let object = serde_json::json!({"sessions": report.sessions, "values": report.values, "findings": findings, "notes": report.notes});
        return print_line(&object.to_string());
    }
    for Finding { account, session, message, .. } in &report.findings {
        let place = match (account, session) {
            (Some(account), Some(session)) => format!("account {account}, session {session}"),
            (Some(account), None) => format!("account {account}"),
            _ => "database".to_owned(),
        };
        print_line(&format!("{place}: {message}"))?;
    }
    for note in &report.notes {
        print_line(&format!("note: {note}"))?;
    }
    let (sessions, values, findings) = (report.sessions, report.values, report.findings.len());
    let verdict = if findings == 0 { "all is well".to_owned() } else { format!("{findings} findings") };
    print_line(&format!("{sessions} sessions, {values} values read: {verdict}"))
}

fn finding_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "account_id": finding.account.as_ref().map(Id::as_str),
        "session_id": finding.session.as_ref().map(Id::as_str),
        "table": finding.table,
        "row": finding.row,
        "message": finding.message,
    })
}
