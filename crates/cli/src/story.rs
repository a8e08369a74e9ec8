//! `log`, `show`, `diff` and `recompute`: a look at a session from a terminal, also while a server uses the database.

use crate::args::{DiffOrder, LogOrder, RecomputeOrder, ShowOrder, StoryCommand};
use crate::changes;
use crate::config::Config;
use crate::output::{Failure, print_bytes, print_line, say};
use crate::paint::{Colour, Paint};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_runtime::{
    Access, Database, FILE_NAME, Line, MAIN_BRANCH, Mode, Part, Place, ProcessOrder, Refusal, Runtime, RuntimeError,
    RuntimeResult, State,
};
use tavernkeep_server::wire;

/// Floors that are read at once: a log of any length needs no more memory than that.
const FLOORS_AT_ONCE: usize = 100;

/// Whether a file is there. That it cannot be looked for is another thing than that it is not.
pub(crate) fn is_there(path: &Path) -> Result<bool, Failure> {
    path.try_exists().map_err(|error| Failure::refused(format_args!("{} cannot be looked at: {error}", path.display())))
}

pub async fn run(config: &Config, command: StoryCommand) -> Result<ExitCode, Failure> {
    if let Database::Sqlite(folder) = config.database()
        && !is_there(&folder.join(FILE_NAME))?
    {
        let message = format!("there is no database in {}; --data names another folder", folder.display());
        return Err(Failure::refused(message));
    }
    let runtime = Runtime::open(config.options(Access::Visit)?).await?;
    let result = match command {
        StoryCommand::Log(order) => log(&runtime, order).await,
        StoryCommand::Show(order) => show(&runtime, order).await,
        StoryCommand::Diff(order) => diff(&runtime, order).await,
        StoryCommand::Recompute(order) => recompute(&runtime, order).await,
    };
    runtime.close().await;
    result.map(|()| ExitCode::SUCCESS)
}

async fn log(runtime: &Runtime, order: LogOrder) -> Result<(), Failure> {
    let LogOrder { session, branch, from, to, json, owner } = order;
    let branch = branch.unwrap_or_else(|| MAIN_BRANCH.to_owned());
    let mut part = Part { session, branch, from_floor: from, to_floor: to, after: None };
    let paint = Paint::for_stdout();
    loop {
        let (lines, has_more) = runtime.log(&owner.account, part.clone(), FLOORS_AT_ONCE).await?;
        part.after = lines.last().map(|line| line.floor.clone());
        let mut out = String::new();
        if json {
            let log = wire::log(lines, has_more).map_err(unshowable)?;
            log.floors.iter().try_for_each(|floor| push_json(&mut out, floor))?;
        } else {
            lines.iter().for_each(|line| show_line(&mut out, line, paint));
        }
        print_bytes(out.as_bytes())?;
        if !has_more {
            return Ok(());
        }
    }
}

fn show_line(out: &mut String, line: &Line, paint: Paint) {
    let speaker = [line.role.as_deref(), line.name.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let speaker = if speaker.is_empty() { line.state.as_str().to_owned() } else { speaker };
    let number = paint.text(Colour::Bold, &format!("#{}", line.floor_no));
    // Writing to a string cannot fail.
    let _ = write!(out, "{number} {}  {}", paint.text(Colour::Cyan, &speaker), paint.plain(&line.text));
    let edited = line.made.as_ref().is_some_and(|made| made.edited);
    for (mark, holds) in [("edited", edited), ("stale", !line.fresh)] {
        if holds {
            let _ = write!(out, "  {}", paint.text(Colour::Yellow, &format!("({mark})")));
        }
    }
    out.push('\n');
    if let Some(made) = &line.made {
        changes::show(out, &made.change.ops, "    ", paint);
    }
}

async fn show(runtime: &Runtime, order: ShowOrder) -> Result<(), Failure> {
    let ShowOrder { what, branch, floor, path, json, owner } = order;
    let account = &owner.account;
    let place = match (find(runtime, account, &what, branch).await?, floor) {
        (place, None) => place,
        (Place::Branch(session, branch), Some(number)) => floor_at(runtime, account, session, branch, number).await?,
        (_, Some(_)) => return Err(Failure::usage("--floor counts the floors of a session; name one")),
    };
    let State { at, document } = runtime.state_at(account, place).await?;
    let document = match path {
        None => document,
        Some(text) => {
            let path: WrittenPath = text.parse().map_err(|error| Failure::usage(format_args!("--path: {error}")))?;
            let value = path.find(&document).cloned();
            value.ok_or_else(|| Failure::refused(format_args!("there is nothing at `{text}`")))?
        }
    };
    if let Some(reason) = at.stale {
        let again = "`tavernkeep recompute` recomputes it";
        say(format_args!("this is not what the texts come to ({}); {again}", reason_text(reason)));
    }
    if json {
        return print_json(&wire::state(State { at, document }).map_err(unshowable)?);
    }
    print_document(&document)
}

fn print_document(document: &Value) -> Result<(), Failure> {
    let mut out = String::new();
    Paint::for_stdout().document(&mut out, document);
    print_line(&out)
}

async fn diff(runtime: &Runtime, order: DiffOrder) -> Result<(), Failure> {
    let DiffOrder { from, to, json, owner } = order;
    let from = find(runtime, &owner.account, &from, None).await?;
    let to = find(runtime, &owner.account, &to, None).await?;
    let comparison = runtime.compare(&owner.account, from, to).await?;
    for (side, at) in [("first", &comparison.from.at), ("second", &comparison.to.at)] {
        if let Some(reason) = at.stale {
            say(format_args!("the {side} is not what the texts come to ({})", reason_text(reason)));
        }
    }
    if json {
        return print_json(&wire::comparison(&comparison).map_err(unshowable)?);
    }
    let mut out = String::new();
    changes::show(&mut out, &comparison.change.ops, "", Paint::for_stdout());
    print_bytes(out.as_bytes())
}

async fn recompute(runtime: &Runtime, order: RecomputeOrder) -> Result<(), Failure> {
    let RecomputeOrder { session, branch, from_floor, mode, dry_run, overwrite_edited, json, owner } = order;
    if from_floor.is_some() && mode == Mode::Latest {
        return Err(Failure::usage(
            "--from-floor has no meaning with --mode latest, which is about the last page alone",
        ));
    }
    let order = ProcessOrder { branch, from_floor, mode, dry_run, overwrite_edited };
    let report = runtime.process_unless_busy(&owner.account, &session, order).await?;
    let shown = wire::report(report, dry_run);
    if json {
        return print_json(&shown);
    }
    let would = if dry_run { "would be " } else { "" };
    for floor in &shown.floors {
        let some = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
        let (refused, problems) = (some(floor.refused, "refused"), some(floor.problems, "problems"));
        print_line(&format!("#{} {} changes{refused}{problems}", floor.floor_no, floor.changes))?;
    }
    print_line(&format!(
        "{} pages {would}computed, {} unchanged, {} with edits, {} commands refused, {} problems",
        shown.processed, shown.unchanged, shown.kept_edited, shown.refused, shown.problems
    ))
}

/// The place that the user names: with its kind in front, or just by its id.
async fn find(runtime: &Runtime, account: &Id, text: &str, branch: Option<String>) -> Result<Place, Failure> {
    let place = match text.parse() {
        Ok(place) => place,
        Err(_) => {
            let id: Id = text.parse().map_err(|_| {
                Failure::usage(format_args!(
                    "`{text}` names nothing: it is no id, page:ID, floor:ID or branch:SESSION/NAME"
                ))
            })?;
            named(runtime, account, id).await?
        }
    };
    match (place, branch) {
        (Place::Branch(session, _), Some(branch)) => Ok(Place::Branch(session, branch)),
        (_, Some(_)) => Err(Failure::usage("--branch names a branch of a session; name one")),
        (place, None) => Ok(place),
    }
}

/// Finds what has this id: a session first, then a page, a snapshot, a floor.
async fn named(runtime: &Runtime, account: &Id, id: Id) -> Result<Place, Failure> {
    if exists(runtime.session(account, &id).await)? {
        return Ok(Place::Branch(id, MAIN_BRANCH.to_owned()));
    }
    if exists(runtime.page(account, &id).await)? {
        return Ok(Place::Page(id));
    }
    if exists(runtime.snapshot(account, &id).await)? {
        return Ok(Place::Snapshot(id));
    }
    if exists(runtime.floor(account, &id).await)? {
        return Ok(Place::Floor(id));
    }
    Err(Failure::refused(format_args!("there is no session, page, snapshot or floor `{id}` in account {account}")))
}

fn exists<T>(found: RuntimeResult<T>) -> Result<bool, Failure> {
    use Refusal::{FloorNotFound, PageNotFound, SessionNotFound, SnapshotNotFound};
    match found {
        Ok(_) => Ok(true),
        Err(RuntimeError::Refused(SessionNotFound(_) | PageNotFound(_) | SnapshotNotFound(_) | FloorNotFound(_))) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

async fn floor_at(runtime: &Runtime, account: &Id, session: Id, branch: String, number: i64) -> Result<Place, Failure> {
    let missing = format!("there is no floor {number} on branch '{branch}' of session '{session}'");
    let part = Part { session, branch, from_floor: Some(number), to_floor: Some(number), after: None };
    let (lines, _) = runtime.log(account, part, 1).await?;
    let floor = lines.into_iter().next().map(|line| Place::Floor(line.floor));
    floor.ok_or_else(|| Failure::refused(missing))
}

fn reason_text(reason: StaleReason) -> &'static str {
    match reason {
        StaleReason::Unprocessed => "the page was never processed",
        StaleReason::TextChanged => "the text has changed",
        StaleReason::ParentChanged => "the page before has another state",
        StaleReason::EarlierStale => "an earlier page does not fit",
        StaleReason::EditsChanged => "the page has other edits",
    }
}

fn print_json(shown: &impl Serialize) -> Result<(), Failure> {
    let mut out = String::new();
    push_json(&mut out, shown)?;
    print_bytes(out.as_bytes())
}

fn push_json(out: &mut String, shown: &impl Serialize) -> Result<(), Failure> {
    out.push_str(&serde_json::to_string(shown).map_err(Failure::defect)?);
    out.push('\n');
    Ok(())
}

fn unshowable(error: ErrorContent) -> Failure {
    Failure::defect(error.message)
}
