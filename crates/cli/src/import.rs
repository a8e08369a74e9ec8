//! `import`: chats and cards of SillyTavern, one file after the other. A file that cannot be imported stops no other.

use crate::args::{IfExistsWord, ImportArguments, StatesWord};
use crate::config::Config;
use crate::output::{Failure, print_line, say};
use crate::paint::Paint;
use crate::source::{Remote, Source};
use crate::tavern_folder::{self, FoundFile};
use reqwest::Method;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tavernkeep_api::import::{ImportKind, ImportOutcome, ImportReport};
use tavernkeep_engine::limits::CHAT_FILE_BYTES_MAX;
use tavernkeep_runtime::{IfExists, ImportOrder, StoredStates, random_id};
use tavernkeep_server::wire;

pub async fn run(config: &Config, arguments: ImportArguments) -> Result<ExitCode, Failure> {
    let mut files = Vec::new();
    let mut has_folder = false;
    for path in &arguments.paths {
        has_folder |= path.is_dir();
        files.extend(tavern_folder::find(path)?);
    }
    let usual = if has_folder { IfExistsWord::Update } else { IfExistsWord::Refuse };
    let if_exists = arguments.if_exists.unwrap_or(usual);
    let instead = arguments.dry_run.then(TemporaryFolder::new).transpose()?;
    let instead_path = instead.as_ref().map(|folder| folder.0.as_path());
    let source = Source::open_for_import(config, arguments.reach.clone(), instead_path).await?;
    let mut tally = Tally::default();
    for (number, file) in files.iter().enumerate() {
        let imported = import(&source, file, &arguments, if_exists).await;
        let printed = show(file, &imported, (number + 1, files.len()), arguments.json);
        tally.count(&imported);
        if let Err(failure) = printed {
            source.close().await;
            return Err(failure);
        }
    }
    source.close().await;
    if files.len() > 1 {
        say(tally.sentence(arguments.dry_run));
    }
    Ok(if tally.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A folder for a dry run where there is no database yet; it may never come into being.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Result<TemporaryFolder, Failure> {
        Ok(TemporaryFolder(std::env::temp_dir().join(format!("tavernkeep-dry-run-{}", random_id()?))))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What is left is empty, and in a folder that is cleared.
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn import(
    source: &Source,
    file: &FoundFile,
    arguments: &ImportArguments,
    if_exists: IfExistsWord,
) -> Result<ImportReport, Failure> {
    let content = read(&file.path)?;
    let mut remarks = Vec::new();
    let books = file.books(&content, &mut remarks);
    let order = ImportOrder {
        books,
        character: arguments.character.clone(),
        if_exists: match if_exists {
            IfExistsWord::Refuse => IfExists::Refuse,
            IfExistsWord::Update => IfExists::Update,
            IfExistsWord::Copy => IfExists::Copy,
        },
        states: match arguments.states {
            StatesWord::Keep => StoredStates::Keep,
            StatesWord::Recompute => StoredStates::Recompute,
        },
        max_deleted: arguments.max_deleted.map(|max| usize::try_from(max).unwrap_or(usize::MAX)),
        dry_run: arguments.dry_run,
        ..ImportOrder::of(file.name.clone(), content)
    };
    let mut report = match source {
        Source::Database(runtime, account) => {
            wire::import_report(runtime.import(account, order).await?, arguments.dry_run)
        }
        Source::Server(remote) => send(remote, &order).await?,
    };
    report.remarks_count += remarks.len();
    report.remarks.extend(remarks);
    Ok(report)
}

/// What a path holds. It may be a device or a pipe, whose length nobody knows.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let file = File::open(path).map_err(Failure::refused)?;
    let mut content = Vec::new();
    file.take(CHAT_FILE_BYTES_MAX as u64 + 1).read_to_end(&mut content).map_err(Failure::refused)?;
    match content.len() > CHAT_FILE_BYTES_MAX {
        true => Err(Failure::refused(format_args!("larger than {CHAT_FILE_BYTES_MAX} bytes"))),
        false => Ok(content),
    }
}

/// Sends a file to a server, as a form.
async fn send(remote: &Remote, order: &ImportOrder) -> Result<ImportReport, Failure> {
    let boundary = format!("tavernkeep-{}", random_id()?);
    let mut body = Vec::new();
    let mut part = |head: &str, content: &[u8]| {
        body.extend(format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes());
        body.extend(content);
        body.extend(b"\r\n");
    };
    let if_exists = match order.if_exists {
        IfExists::Refuse => "refuse",
        IfExists::Update => "update",
        IfExists::Copy => "copy",
    };
    let states = if order.states == StoredStates::Keep { "keep" } else { "recompute" };
    let fields = [
        ("file_name", order.file_name.clone()),
        ("character_id", order.character.as_ref().map(ToString::to_string)),
        ("if_exists", Some(if_exists.to_owned())),
        ("states", Some(states.to_owned())),
        ("max_deleted", order.max_deleted.map(|max| max.to_string())),
        ("dry_run", Some(order.dry_run.to_string())),
    ];
    for (name, value) in fields.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        part(&format!("name=\"{name}\""), value.as_bytes());
    }
    for book in order.books.iter().flatten() {
        part("name=\"book\"", book.as_str().as_bytes());
    }
    part("name=\"file\"; filename=\"file\"", &order.content);
    body.extend(format!("--{boundary}--\r\n").as_bytes());
    let kind = format!("multipart/form-data; boundary={boundary}");
    remote.send_as(&kind, Method::POST, &["import"], &[], body).await
}

fn show(
    file: &FoundFile,
    imported: &Result<ImportReport, Failure>,
    (number, count): (usize, usize),
    json: bool,
) -> Result<(), Failure> {
    let path = file.path.display().to_string();
    if json {
        let line = match imported {
            Ok(report) => serde_json::json!({"file": path, "report": report}),
            Err(failure) => serde_json::json!({"file": path, "error": failure.message}),
        };
        return print_line(&line.to_string());
    }
    let paint = Paint::for_stdout();
    let place = if count > 1 { format!("[{number}/{count}] ") } else { String::new() };
    let report = match imported {
        Ok(report) => report,
        Err(failure) => {
            say(format_args!("{place}{path}: not imported: {}", failure.message));
            return Ok(());
        }
    };
    print_line(&format!("{place}{}: {}", paint.plain(&path), paint.plain(&sentence(report))))?;
    for remark in &report.remarks {
        print_line(&format!("    {}", paint.plain(remark)))?;
    }
    let differences = report.processed.iter().filter_map(|processed| processed.states.as_ref());
    for states in differences.filter(|states| states.differing > 0) {
        let kept = if states.kept > 0 { "kept as edits" } else { "recomputed" };
        print_line(&format!("    {} of {} stored states differ from ours; {kept}", states.differing, states.compared))?;
        for found in &states.differences {
            let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
            let (ours, theirs) = (value(&found.ours), value(&found.theirs));
            let line = format!("#{} {}: {theirs} there, {ours} here: {}", found.floor_no, found.path, found.message);
            print_line(&format!("    {}", paint.plain(&line)))?;
        }
    }
    Ok(())
}

fn sentence(report: &ImportReport) -> String {
    let outcome = match (report.outcome, report.dry_run) {
        (ImportOutcome::Created, false) => "created",
        (ImportOutcome::Created, true) => "would be created",
        (ImportOutcome::Updated, false) => "updated",
        (ImportOutcome::Updated, true) => "would be updated",
        (ImportOutcome::Unchanged, _) => "unchanged",
    };
    let id = |id: &Option<String>| id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    match report.kind {
        ImportKind::Chat => {
            let messages = report.chat.as_ref().map_or(0, |chat| chat.messages);
            format!("session{} {outcome}: {:?}, {messages} messages", id(&report.session_id), report.name)
        }
        ImportKind::Card => format!("character{} {outcome}: {:?}", id(&report.character_id), report.name),
    }
}

/// How many files came to what.
#[derive(Default)]
struct Tally {
    created: usize,
    updated: usize,
    unchanged: usize,
    failed: usize,
}

impl Tally {
    fn count(&mut self, imported: &Result<ImportReport, Failure>) {
        match imported.as_ref().map(|report| report.outcome) {
            Ok(ImportOutcome::Created) => self.created += 1,
            Ok(ImportOutcome::Updated) => self.updated += 1,
            Ok(ImportOutcome::Unchanged) => self.unchanged += 1,
            Err(_) => self.failed += 1,
        }
    }

    fn sentence(&self, dry_run: bool) -> String {
        let Tally { created, updated, unchanged, failed } = self;
        let would = if dry_run { "would be " } else { "" };
        format!("{would}{created} created, {updated} updated, {unchanged} unchanged, {failed} not imported")
    }
}
