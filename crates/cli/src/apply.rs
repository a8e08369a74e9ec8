//! `apply`: a reply applied to a state, without a server and without a database.

use crate::args::ApplyArguments;
use crate::output::{Failure, print_bytes, print_line};
use crate::paint::{Colour, Paint};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_api::apply::{Applied, AppliedCommand, ChangeOperation, ChangeVerb, CommandStatus, DialectName, Span};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BODY_BYTES_MAX, DOCUMENT_BYTES_MAX, REPLY_BYTES_MAX};
use tavernkeep_engine::profile::Profile;
use tavernkeep_runtime::apply::{ApplyOrder, apply_line, apply_order};

pub fn run(arguments: &ApplyArguments) -> Result<ExitCode, Failure> {
    if arguments.jsonl {
        let lines: Box<dyn io::Read> = match arguments.lines.as_deref() {
            Some(path) if !is_stdin(path) => Box::new(File::open(path).map_err(|error| about(path, error))?),
            _ => Box::new(io::stdin().lock()),
        };
        answer_lines(BufReader::with_capacity(64 * 1024, lines))?;
        return Ok(ExitCode::SUCCESS);
    }
    let order = read(arguments)?;
    let reply = order.reply.clone();
    let applied = apply_order(order).map_err(|error| {
        let details = error.details.map(|details| format!(": {}", details.text())).unwrap_or_default();
        Failure::usage(format_args!("{}{details}", error.message))
    })?;
    if arguments.json {
        print_line(&serde_json::to_string(&applied).map_err(Failure::defect)?)?;
    } else {
        print_bytes(show(&applied, &reply, Paint::for_stdout())?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers line by line. A client that sends one line and waits gets its answer.
fn answer_lines(mut lines: impl BufRead + Buffered) -> Result<(), Failure> {
    let mut line = Vec::new();
    let mut out = Vec::new();
    while next_line(&mut lines, &mut line)? {
        if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
            out.extend(apply_line(&line));
            out.push(b'\n');
        }
        if out.len() >= 64 * 1024 || !lines.has_more() {
            print_bytes(&out)?;
            out.clear();
        }
    }
    print_bytes(&out)
}

/// Whether more is at hand without waiting for it.
trait Buffered {
    fn has_more(&self) -> bool;
}

impl<R: io::Read> Buffered for BufReader<R> {
    fn has_more(&self) -> bool {
        !self.buffer().is_empty()
    }
}

/// Reads a line, of one that is too long only as much as it takes to say so; false at the end.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let limit = BODY_BYTES_MAX as u64 + 1;
    let mut ended = lines.by_ref().take(limit).read_until(b'\n', line)? == 0 || line.ends_with(b"\n");
    while !ended && line.len() as u64 >= limit {
        let rest = lines.fill_buf()?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        ended = rest.is_empty() || end.is_some();
        let used = end.map_or(rest.len(), |end| end + 1);
        lines.consume(used);
    }
    Ok(!line.is_empty())
}

fn read(arguments: &ApplyArguments) -> Result<ApplyOrder, Failure> {
    let files = [&arguments.state, &arguments.reply, &arguments.schema];
    if files.into_iter().flatten().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::usage("standard input can be only one of state, reply and schema"));
    }
    let profile = match arguments.profile.trim_start().starts_with('{') {
        true => Value::parse(&arguments.profile).map_err(|error| Failure::usage(format_args!("--profile: {error}")))?,
        false => Value::from(arguments.profile.as_str()),
    };
    let profile = Profile::read_new(&profile).map_err(|error| Failure::usage(format_args!("--profile: {error}")))?;
    let state = arguments.state.as_deref().map(read_json).transpose()?;
    let reply = arguments.reply.as_deref().map(|path| read_file(path, REPLY_BYTES_MAX)).transpose()?;
    let path = arguments.reply.as_deref().unwrap_or(Path::new("-"));
    let reply = String::from_utf8(reply.unwrap_or_default()).map_err(|error| about(path, error))?;
    let schema = arguments.schema.as_deref().map(read_json).transpose()?;
    Ok(ApplyOrder { profile, state, reply, schema, ..ApplyOrder::default() })
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    let bytes = read_file(path, DOCUMENT_BYTES_MAX)?;
    JsonText::parse(&bytes).map(|text| Value::from(&text)).map_err(|error| about(path, error))
}

pub(crate) fn read_file(path: &Path, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let file: Box<dyn io::Read> = match is_stdin(path) {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(path).map_err(|error| about(path, error))?),
    };
    let mut bytes = Vec::new();
    file.take(bytes_max as u64 + 1).read_to_end(&mut bytes).map_err(|error| about(path, error))?;
    if bytes.len() > bytes_max {
        return Err(about(path, format_args!("larger than {bytes_max} bytes")));
    }
    Ok(bytes)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(crate) fn about(path: &Path, cause: impl std::fmt::Display) -> Failure {
    let name = if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
    Failure::usage(format_args!("{name}: {cause}"))
}

/// The answer for a person.
fn show(applied: &Applied, reply: &str, paint: Paint) -> Result<String, Failure> {
    let state = Value::parse(applied.state.text()).map_err(Failure::defect)?;
    let mut out = String::new();
    let title = |out: &mut String, text: &str| {
        let _ = writeln!(out, "{}", paint.text(Colour::Bold, text));
    };
    title(&mut out, "state");
    paint.document(&mut out, &state);
    out.push_str("\n\n");

    title(&mut out, "change");
    if applied.change.is_empty() {
        out.push_str("  none\n");
    }
    applied.change.iter().for_each(|operation| show_operation(&mut out, operation, paint));

    out.push('\n');
    title(&mut out, "commands");
    if applied.commands.is_empty() {
        out.push_str("  none\n");
    }
    let mut places = Places::of(reply);
    applied.commands.iter().for_each(|command| show_command(&mut out, command, &mut places, paint));

    if !applied.archived.is_empty() {
        out.push('\n');
        title(&mut out, "archived");
    }
    for archived in &applied.archived {
        let name = if archived.name.is_empty() { String::new() } else { format!(" ({})", archived.name) };
        let source = paint.text(Colour::Cyan, &format!("{}{name}", archived.source));
        let _ = writeln!(out, "  {source} = {}", paint.plain(archived.entries.text()));
    }

    if !applied.problems.is_empty() {
        out.push('\n');
        title(&mut out, "problems");
    }
    let mut places = Places::of(reply);
    for problem in &applied.problems {
        let code = paint.text(Colour::Yellow, &problem.code);
        let place = paint.text(Colour::Dim, &places.find(problem.span));
        let _ = writeln!(out, "  {code} {place} {}", paint.plain(&problem.message));
    }
    Ok(out)
}

fn show_operation(out: &mut String, operation: &ChangeOperation, paint: Paint) {
    let (sign, colour) = match operation.op {
        ChangeVerb::Add => ("+", Colour::Green),
        ChangeVerb::Remove => ("-", Colour::Red),
        ChangeVerb::Replace => ("~", Colour::Yellow),
    };
    let _ = write!(out, "  {} {}", paint.text(colour, sign), paint.text(Colour::Cyan, &operation.path));
    if let Some(value) = &operation.value {
        let _ = write!(out, " = {}", paint.plain(value.text()));
    }
    out.push('\n');
}

fn show_command(out: &mut String, command: &AppliedCommand, places: &mut Places<'_>, paint: Paint) {
    let (status, colour) = match command.status {
        CommandStatus::Applied => ("applied ", Colour::Green),
        CommandStatus::Repaired => ("repaired", Colour::Yellow),
        CommandStatus::Refused => ("refused ", Colour::Red),
    };
    let dialect = command.dialect.as_str();
    // What a call was written with is shown as it was written.
    let argument = |text: &str| match (command.dialect, serde_json::from_str::<String>(text)) {
        (DialectName::JsonPatch, _) | (_, Err(_)) => text.to_owned(),
        (_, Ok(written)) => written,
    };
    let args: Vec<String> = command.args.iter().map(|arg| argument(arg.text())).collect();
    let call = paint.plain(&format!("{}({})", command.name, args.join(", ")));
    let place = paint.text(Colour::Dim, &places.find(command.span));
    let _ = write!(out, "  {} {place} {dialect} {call}", paint.text(colour, status));
    if let Some(reason) = &command.reason {
        let _ = write!(out, " {}", paint.text(Colour::Dim, &format!("// {reason}")));
    }
    out.push('\n');
    let code = command.code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
    if let Some(message) = &command.message {
        let _ = writeln!(out, "           {}", paint.text(colour, &format!("{code}{message}")));
    }
}

/// Lines and columns of a reply. Places are asked for in the order of the text, so it is walked about once.
struct Places<'a> {
    reply: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    fn of(reply: &'a str) -> Self {
        Places { reply, at: 0, line: 1, column: 1 }
    }

    /// Where a span begins, as `line:column`.
    fn find(&mut self, span: Span) -> String {
        if span.0 < self.at {
            *self = Places::of(self.reply);
        }
        for character in self.reply.get(self.at..span.0).unwrap_or_default().chars() {
            self.column += 1;
            if character == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            }
        }
        self.at = span.0;
        format!("{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let mut places = Places::of("她笑\nab");
        let found = [0, 3, 7, 8, 3].map(|at| places.find(Span(at, at)));
        assert_eq!(found, ["1:1", "1:2", "2:1", "2:2", "1:2"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let mut text = vec![b' '; BODY_BYTES_MAX + 5];
        text.extend(b"\nnext\nlast");
        let mut lines = BufReader::new(text.as_slice());
        let mut line = Vec::new();
        let mut lengths = Vec::new();
        while next_line(&mut lines, &mut line).unwrap() {
            lengths.push(line.len());
        }
        assert_eq!(lengths, [BODY_BYTES_MAX + 1, 5, 4]);
    }
}
