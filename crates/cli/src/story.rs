//! `sessions`, `branches`, `log`, `show`, `diff` and `recompute`: a look at a session from a terminal.

use crate::args::{BranchesOrder, DiffOrder, LogOrder, RecomputeOrder, SessionsOrder, ShowOrder, StoryCommand};
use crate::changes;
use crate::config::Config;
use crate::output::{Failure, print_bytes, print_line, say};
use crate::paint::{Colour, Paint};
use crate::prompt;
use crate::source::{self, Source};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_api::Json;
use tavernkeep_api::history::{LoggedFloor, RefusedCommand};
use tavernkeep_api::story::{StaleReason, State};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_runtime::{FloorRange, MAIN_BRANCH, Mode, ProcessOrder, Runtime, StateAddress};
use tavernkeep_server::wire;

/// Whether a file is there. That it cannot be looked for is another thing than that it is not.
pub(crate) fn is_there(path: &Path) -> Result<bool, Failure> {
    path.try_exists().map_err(|error| Failure::refused(format_args!("{} cannot be looked at: {error}", path.display())))
}

pub async fn run(config: &Config, command: StoryCommand) -> Result<ExitCode, Failure> {
    match command {
        StoryCommand::Sessions(SessionsOrder { json, reach }) => {
            let source = Source::open(config, reach).await?;
            closing(sessions(&source, json).await, source).await
        }
        StoryCommand::Branches(BranchesOrder { session, json, reach }) => {
            let source = Source::open(config, reach).await?;
            closing(branches(&source, &session, json).await, source).await
        }
        StoryCommand::Log(LogOrder { session, branch, from, to, last, json, reach }) => {
            let branch = branch.unwrap_or_else(|| MAIN_BRANCH.to_owned());
            let part = FloorRange { session, branch, from_floor: from, to_floor: to, after: None };
            let source = Source::open(config, reach).await?;
            closing(log(&source, part, last, json).await, source).await
        }
        StoryCommand::Show(ShowOrder { what, branch, floor, path, json, reach }) => {
            let source = Source::open(config, reach).await?;
            closing(show(&source, &what, (branch, floor), path, json).await, source).await
        }
        StoryCommand::Diff(DiffOrder { from, to, json, reach }) => {
            let source = Source::open(config, reach).await?;
            closing(diff(&source, &from, &to, json).await, source).await
        }
        StoryCommand::Prompt(arguments) => prompt::render(config, arguments).await,
        StoryCommand::Kit(arguments) => prompt::kit(config, arguments).await,
        StoryCommand::Recompute(order) => {
            let runtime = source::open(config).await?;
            let result = recompute(&runtime, order).await;
            runtime.close().await;
            result.map(|()| ExitCode::SUCCESS)
        }
    }
}

pub(crate) async fn closing(result: Result<(), Failure>, source: Source) -> Result<ExitCode, Failure> {
    source.close().await;
    result.map(|()| ExitCode::SUCCESS)
}

async fn sessions(source: &Source, json: bool) -> Result<(), Failure> {
    let (mut offset, mut table) = (0, vec![["SESSION", "CHANGED", "TITLE"].map(str::to_owned)]);
    loop {
        let (rows, has_more) = source.sessions(offset).await?;
        offset += i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if json {
            rows.iter().try_for_each(print_json)?;
        }
        table.extend(rows.into_iter().map(|row| [row.id, time(row.updated_at), row.title.unwrap_or_default()]));
        if !has_more {
            return if json { Ok(()) } else { print_table(&table) };
        }
    }
}

async fn branches(source: &Source, session: &Id, json: bool) -> Result<(), Failure> {
    let (mut offset, mut table) = (0, vec![["BRANCH", "FLOORS", "FORKED AT", "CREATED"].map(str::to_owned)]);
    loop {
        let (rows, has_more) = source.branches(session, offset).await?;
        offset += i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if json {
            rows.iter().try_for_each(print_json)?;
        }
        table.extend(rows.into_iter().map(|row| {
            let forked_at = row.source_floor_no.map_or_else(|| "-".to_owned(), |floor_no| format!("#{floor_no}"));
            [row.branch_id, row.floor_count.to_string(), forked_at, time(row.created_at)]
        }));
        if !has_more {
            return if json { Ok(()) } else { print_table(&table) };
        }
    }
}

/// A time in ms since 1970, in UTC.
fn time(ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(ms);
    time.map_or_else(|_| ms.to_string(), |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Prints rows with their columns below each other, the last one as wide as it is.
pub(crate) fn print_table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Result<(), Failure> {
    let paint = Paint::for_stdout();
    // Most terminals give characters of East Asia the room of two.
    let width = |text: &str| text.chars().map(|character| if character < '\u{1100}' { 1 } else { 2 }).sum::<usize>();
    let rows: Vec<_> = rows.iter().map(|row| row.each_ref().map(|cell| paint.plain(cell))).collect();
    let widths: [usize; COLUMNS] =
        std::array::from_fn(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0));
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', wide - width(cell) + 2));
        }
        let line = line.trim_end();
        out.push_str(&if number == 0 { paint.text(Colour::Bold, line) } else { line.to_owned() });
        out.push('\n');
    }
    print_bytes(out.as_bytes())
}

async fn log(source: &Source, mut part: FloorRange, mut last: Option<i64>, json: bool) -> Result<(), Failure> {
    let paint = Paint::for_stdout();
    loop {
        let log = source.log(&part, last).await?;
        let mut out = String::new();
        match json {
            true => log.floors.iter().try_for_each(|floor| push_json(&mut out, floor))?,
            false => log.floors.iter().for_each(|floor| show_floor(&mut out, floor, paint)),
        }
        print_bytes(out.as_bytes())?;
        let Some(after) = log.next_after else { return Ok(()) };
        part.after = Some(after.parse().map_err(Failure::defect)?);
        // What comes behind a floor of the last ones is one of them.
        last = None;
    }
}

fn show_floor(out: &mut String, floor: &LoggedFloor, paint: Paint) {
    let speaker = [floor.role.as_deref(), floor.name.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let speaker = if speaker.is_empty() { floor.state.clone() } else { speaker };
    let number = paint.text(Colour::Bold, &format!("#{}", floor.floor_no));
    // Writing to a string cannot fail.
    let _ = write!(out, "{number} {}  {}", paint.text(Colour::Cyan, &speaker), paint.plain(&floor.text));
    let swipe = floor.swipe.filter(|_| floor.swipe_count > 1);
    let swipe = swipe.map(|swipe| format!("swipe {swipe}/{}", floor.swipe_count));
    let marks = [swipe, floor.edited.then(|| "edited".to_owned()), (!floor.fresh).then(|| "stale".to_owned())];
    for mark in marks.into_iter().flatten() {
        let _ = write!(out, "  {}", paint.text(Colour::Yellow, &format!("({mark})")));
    }
    out.push('\n');
    changes::show(out, &floor.change, "    ", paint);
    for RefusedCommand { name, code, message } in &floor.refused {
        let refused = paint.text(Colour::Red, "!");
        let _ = writeln!(out, "    {refused} {} refused: {} ({code})", paint.plain(name), paint.plain(message));
    }
}

async fn show(
    source: &Source,
    what: &str,
    (branch, floor): (Option<String>, Option<i64>),
    path: Option<String>,
    json: bool,
) -> Result<(), Failure> {
    let state = match (find(source, what, branch).await?, floor) {
        (place, None) => source.state(place).await?,
        (StateAddress::Branch(session, branch), Some(number)) => {
            source.state_at_floor(&session, &branch, number).await?
        }
        (_, Some(_)) => return Err(Failure::usage("--floor counts the floors of a session; name one")),
    };
    let document = Value::parse(state.state.text()).map_err(Failure::defect)?;
    let document = match path {
        None => document,
        Some(text) => {
            let path: WrittenPath = text.parse().map_err(|error| Failure::usage(format_args!("--path: {error}")))?;
            let value = path.find(&document).cloned();
            value.ok_or_else(|| Failure::refused(format_args!("there is nothing at `{text}`")))?
        }
    };
    if let Some(reason) = state.stale_reason {
        let again = "`tavernkeep recompute` recomputes it";
        say(format_args!("this is not what the texts come to ({}); {again}", reason_text(reason)));
    }
    if json {
        let shown = Json::from_text(document.to_json()).map_err(Failure::defect)?;
        return print_json(&State { state: shown, ..state });
    }
    print_document(&document)
}

fn print_document(document: &Value) -> Result<(), Failure> {
    let mut out = String::new();
    Paint::for_stdout().document(&mut out, document);
    print_line(&out)
}

async fn diff(source: &Source, from: &str, to: &str, json: bool) -> Result<(), Failure> {
    let (from, to) = (find(source, from, None).await?, find(source, to, None).await?);
    let comparison = source.compare(from, to).await?;
    for (side, at) in [("first", &comparison.from), ("second", &comparison.to)] {
        if let Some(reason) = at.stale_reason {
            say(format_args!("the {side} is not what the texts come to ({})", reason_text(reason)));
        }
    }
    if json {
        return print_json(&comparison);
    }
    let mut out = String::new();
    changes::show(&mut out, &comparison.change, "", Paint::for_stdout());
    print_bytes(out.as_bytes())
}

async fn recompute(runtime: &Runtime, order: RecomputeOrder) -> Result<(), Failure> {
    let RecomputeOrder { session, branch, from_floor, mode, dry_run, overwrite_edited, json, owner } = order;
    if from_floor.is_some() && mode == Mode::Latest {
        return Err(Failure::usage(
            "--from-floor has no meaning with --mode latest, which is about the last page alone",
        ));
    }
    let order = ProcessOrder { branch, from_floor, dry_run, overwrite_edited, ..ProcessOrder::of(mode) };
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
async fn find(source: &Source, text: &str, branch: Option<String>) -> Result<StateAddress, Failure> {
    let place = match text.parse() {
        Ok(place) => place,
        Err(_) => {
            let id: Id = text.parse().map_err(|_| {
                Failure::usage(format_args!(
                    "`{text}` names nothing: it is no id, page:ID, floor:ID or branch:SESSION/NAME"
                ))
            })?;
            source.find(id).await?
        }
    };
    match (place, branch) {
        (StateAddress::Branch(session, _), Some(branch)) => Ok(StateAddress::Branch(session, branch)),
        (_, Some(_)) => Err(Failure::usage("--branch names a branch of a session; name one")),
        (place, None) => Ok(place),
    }
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

pub(crate) fn print_json(shown: &impl Serialize) -> Result<(), Failure> {
    let mut out = String::new();
    push_json(&mut out, shown)?;
    print_bytes(out.as_bytes())
}

fn push_json(out: &mut String, shown: &impl Serialize) -> Result<(), Failure> {
    out.push_str(&serde_json::to_string(shown).map_err(Failure::defect)?);
    out.push('\n');
    Ok(())
}
