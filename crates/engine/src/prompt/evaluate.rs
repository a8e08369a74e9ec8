//! Evaluating a parsed prompt: innermost first, in the order of the text, each macro once.
//!
//! What a macro gives is put behind what is there already and never looked at again, so a value cannot become a macro.

use super::change::{OnlyIf, RelativeChange};
use super::operation::Operation;
use super::parse::{If, Node, Operator, Parsed, Variable, brief, sign_in_path, unknown_operator};
use super::table::Row;
use super::values;
use super::variables::{Lookup, Origin, Overlay};
use super::warning::{Failure, Warning, WarningCode};
use super::{Context, Mode, VariableUse, ViewUse};
use crate::document::Value;
use crate::limits::{
    MACRO_BYTES_MAX, MACRO_STEPS_MAX, MACRO_USES_MAX, MACRO_WARNINGS_MAX, MACRO_WORK_BYTES_MAX, MACRO_WRITES_MAX,
    VARIABLE_BYTES_MAX,
};
use crate::names::scope::Scope;
use crate::view::expression;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Texts that are remembered as JSON. Few are read more than once, and what a prompt reads is bounded anyway.
const TEXTS_READ_MAX: usize = 16;

/// The arguments of a macro, evaluated.
pub(super) struct Args<'t> {
    pub(super) span: Range<usize>,
    pub(super) name: &'t str,
    pub(super) values: Vec<Cow<'t, str>>,
}

impl Args<'_> {
    /// The argument at a position; the row has checked that it is there.
    pub(super) fn text(&self, position: usize) -> &str {
        self.values.get(position).map_or("", Cow::as_ref)
    }
}

/// The evaluation of one prompt.
pub(super) struct Evaluation<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) overlay: Overlay<'a>,
    pub(super) message_index: usize,
    /// Random numbers that were drawn.
    pub(super) draws: u64,
    pub(super) warnings: Vec<Warning>,
    pub(super) names: Vec<&'static str>,
    pub(super) uses: Vec<VariableUse>,
    pub(super) views: Vec<ViewUse>,
    /// Floors that views were asked to show changes since.
    pub(super) floors: BTreeSet<i64>,
    /// Bytes of values that macros went through.
    pub(super) worked: usize,
    /// Texts that were read as JSON last. An entry keeps its text, so that its address belongs to it alone.
    read: HashMap<*const u8, (Arc<str>, Option<Value>)>,
    steps: usize,
    bytes: usize,
    /// Texts that stayed as they are written.
    kept: usize,
    /// Where the first macro of the message stands that is not closed.
    unclosed_at: usize,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Evaluation<'a> {
        Evaluation {
            context,
            overlay: Overlay::new(context.variables),
            message_index: 0,
            draws: 0,
            warnings: Vec::new(),
            names: Vec::new(),
            uses: Vec::new(),
            views: Vec::new(),
            floors: BTreeSet::new(),
            worked: 0,
            read: HashMap::new(),
            steps: 0,
            bytes: 0,
            kept: 0,
            unclosed_at: usize::MAX,
        }
    }

    /// One message of the prompt.
    pub(super) fn message(&mut self, index: usize, text: &str, parsed: &Parsed) -> String {
        self.message_index = index;
        self.unclosed_at = parsed.wrong.iter().map(|(span, _)| span.start).min().unwrap_or(usize::MAX);
        for (span, failure) in &parsed.wrong {
            self.warn(span.clone(), failure.clone(), None);
        }
        let mut out = String::with_capacity(text.len());
        self.nodes(text, &parsed.nodes, &mut out);
        out
    }

    fn nodes(&mut self, text: &str, nodes: &[Node], out: &mut String) {
        for node in nodes {
            match node {
                Node::Text(span) => out.push_str(&text[span.clone()]),
                Node::Fixed(span, fixed) => self.guarded(text, span, out, |this, out| this.put(out, fixed)),
                Node::Raw(span, failure) => self.keep(text, span, failure.clone(), out),
                Node::If(block) => self.guarded(text, &block.span, out, |this, out| this.block(text, block, out)),
                Node::Macro(span, row, args) => {
                    self.guarded(text, span, out, |this, out| this.row(text, span, row, args, out));
                }
                Node::Plain(span, name) => {
                    self.guarded(text, span, out, |this, out| this.plain(text, span, name, out));
                }
                Node::Variable(variable) => {
                    self.guarded(text, &variable.span, out, |this, out| this.variable(text, variable, out));
                }
            }
        }
    }

    /// Evaluates something whole or not at all: when it fails, its text stays and what it wrote is taken back.
    fn guarded(
        &mut self,
        text: &str,
        span: &Range<usize>,
        out: &mut String,
        run: impl FnOnce(&mut Self, &mut String) -> Result<(), Failure>,
    ) {
        let (length, writes, uses) = (out.len(), self.overlay.writes(), self.uses.len());
        let (names, views, warnings) = (self.names.len(), self.views.len(), self.warnings.len());
        self.steps += 1;
        let done = match self.steps > MACRO_STEPS_MAX {
            true => Failure::err(WarningCode::Steps, format!("a prompt has at most {MACRO_STEPS_MAX} macros")),
            false => run(self, out),
        };
        if let Err(failure) = done {
            out.truncate(length);
            self.overlay.take_back(writes);
            self.uses.truncate(uses);
            self.names.truncate(names);
            self.views.truncate(views);
            // A write that is taken back is none that a preview holds back.
            let mut number = 0..;
            self.warnings.retain(|warning| {
                number.next().is_some_and(|number: usize| number < warnings) || warning.code != WarningCode::Suppressed
            });
            self.keep(text, span, failure, out);
        }
    }

    /// Leaves a text as it is written, and says why.
    fn keep(&mut self, text: &str, span: &Range<usize>, failure: Failure, out: &mut String) {
        let raw = &text[span.clone()];
        out.push_str(raw);
        self.kept += 1;
        if failure.reported {
            return;
        }
        let name = raw.trim_start_matches(['{', '<']).trim_start();
        let end = name.find(|c: char| c.is_whitespace() || ":}>=".contains(c)).unwrap_or(name.len());
        let name = Some(brief(&name[..end])).filter(|name| !name.is_empty());
        self.warn(span.clone(), failure, name);
    }

    fn warn(&mut self, span: Range<usize>, Failure { code, message, .. }: Failure, macro_name: Option<String>) {
        if self.warnings.len() < MACRO_WARNINGS_MAX {
            let message_index = self.message_index;
            self.warnings.push(Warning { code, message, message_index, span, macro_name });
        }
    }

    /// The text of an argument or an operand. One that holds a macro without a value is none.
    fn argument<'t>(&mut self, text: &'t str, nodes: &[Node]) -> Result<Cow<'t, str>, Failure> {
        match nodes {
            [] => Ok(Cow::Borrowed("")),
            [Node::Text(span)] => Ok(Cow::Borrowed(&text[span.clone()])),
            nodes => {
                let mut out = String::new();
                let kept = self.kept;
                self.nodes(text, nodes, &mut out);
                if self.kept == kept { Ok(Cow::Owned(out)) } else { Err(Failure::inside()) }
            }
        }
    }

    fn row(
        &mut self,
        text: &str,
        span: &Range<usize>,
        row: &'static Row,
        nodes: &[Vec<Node>],
        out: &mut String,
    ) -> Result<(), Failure> {
        let values = nodes.iter().map(|nodes| self.argument(text, nodes)).collect::<Result<_, _>>()?;
        (row.run)(self, &Args { span: span.clone(), name: row.name, values }, out)?;
        if !self.names.contains(&row.name) {
            self.names.push(row.name);
        }
        Ok(())
    }

    fn plain(&mut self, text: &str, span: &Range<usize>, name: &Range<usize>, out: &mut String) -> Result<(), Failure> {
        let written = &text[name.clone()];
        let args = Args { span: span.clone(), name: "", values: Vec::new() };
        // What is no path and no key is no variable either.
        let unknown = || {
            let message = format!("no macro and no variable is named {:?}", brief(written));
            Failure::new(WarningCode::Unknown, message)
        };
        let is_known = self.overlay.get(Lookup::Plain, written).is_some() || self.is_rooted(written);
        if !is_known {
            let root = root_of(written);
            return Err(if self.overlay.variables().is_state(root) { no_state() } else { unknown() });
        }
        let value = values::look_up(self, &args, Lookup::Plain, written)?.unwrap_or_default();
        if value.as_str().is_some_and(|value| value == &text[span.clone()]) {
            let message = "the value is the macro itself; values are shown as they are";
            self.warn(span.clone(), Failure::new(WarningCode::Cycle, message), Some(brief(written)));
        }
        self.put_value(out, &value)
    }

    fn is_rooted(&self, path: &str) -> bool {
        self.overlay.get(Lookup::Plain, root_of(path)).is_some()
    }

    fn block(&mut self, text: &str, block: &If, out: &mut String) -> Result<(), Failure> {
        let mut read = |nodes: &Vec<Node>| self.argument(text, nodes).map(|value| Value::from(value.into_owned()));
        let holds = match block.condition.holds(&mut read) {
            Ok(holds) => holds,
            Err(expression::Failure::NotANumber(text)) => {
                return Failure::err(WarningCode::WrongKind, format!("{text} is no number and cannot be ordered"));
            }
            Err(expression::Failure::Operand(failure)) => return Err(failure),
        };
        self.nodes(text, if holds { &block.then } else { &block.otherwise }, out);
        Ok(())
    }

    fn variable(&mut self, text: &str, variable: &Variable, out: &mut String) -> Result<(), Failure> {
        let path = &text[variable.path.clone()];
        let lookup = variable.view;
        let name = if lookup == Lookup::Global { "$" } else { "." };
        let args = Args { span: variable.span.clone(), name, values: Vec::new() };
        if let Some(sign) = sign_in_path(path).filter(|_| self.overlay.get(lookup, path).is_none()) {
            return Err(unknown_operator(sign));
        }
        let Some(operator) = variable.operator else {
            return match values::look_up(self, &args, lookup, path)? {
                Some(value) => self.put_value(out, &value),
                None => Ok(()),
            };
        };
        match operator {
            Operator::Set | Operator::Add | Operator::Subtract => {
                let operand = self.argument(text, &variable.operand)?.as_ref().into();
                let operation = match operator {
                    Operator::Add => Operation::Add(operand),
                    Operator::Subtract => Operation::Subtract(operand),
                    _ => Operation::Set(operand),
                };
                values::change(self, &args, lookup, path, (operation, None)).map(drop)
            }
            Operator::Increment | Operator::Decrement => {
                let count = Operation::Count(if operator == Operator::Increment { 1 } else { -1 });
                let new = values::change(self, &args, lookup, path, (count, None))?;
                self.put_value(out, &new.unwrap_or_default())
            }
            Operator::OrElse | Operator::IfMissing | Operator::SetUnlessTrue | Operator::SetIfMissing => {
                let value = values::look_up(self, &args, lookup, path)?;
                self.work(value.as_ref().and_then(Value::as_str).map_or(0, str::len))?;
                let only = match operator {
                    Operator::OrElse | Operator::SetUnlessTrue => OnlyIf::NotTrue,
                    _ => OnlyIf::Missing,
                };
                if let Some(value) = value.filter(|value| !only.replaces(Some(value))) {
                    return self.put_value(out, &value);
                }
                let operand = self.argument(text, &variable.operand)?;
                if matches!(operator, Operator::OrElse | Operator::IfMissing) {
                    return self.put(out, &operand);
                }
                let set = Operation::Set(operand.as_ref().into());
                let new = values::change(self, &args, lookup, path, (set, Some(only)))?;
                self.put_value(out, &new.unwrap_or_default())
            }
            Operator::Compare(comparison) => {
                let left = values::look_up(self, &args, lookup, path)?.unwrap_or_default();
                let right = Value::from(self.argument(text, &variable.operand)?.into_owned());
                // Lists and objects are compared as text.
                self.work(left.weight().saturating_add(right.weight()))?;
                match comparison.compare(&left, &right) {
                    Ok(holds) => self.put(out, if holds { "true" } else { "false" }),
                    Err(text) => {
                        Failure::err(WarningCode::WrongKind, format!("{text} is no number and cannot be ordered"))
                    }
                }
            }
        }
    }

    /// Refuses what the macros of this prompt may not produce any more.
    pub(super) fn room(&self, bytes: usize) -> Result<(), Failure> {
        if self.bytes.saturating_add(bytes) <= MACRO_BYTES_MAX {
            return Ok(());
        }
        let message = format!("the macros of a prompt produce at most {MACRO_BYTES_MAX} bytes");
        Failure::err(WarningCode::Length, message)
    }

    /// Refuses values that the macros of this prompt may not go through any more.
    fn may_work(&self, bytes: usize) -> Result<(), Failure> {
        if self.worked.saturating_add(bytes) <= MACRO_WORK_BYTES_MAX {
            return Ok(());
        }
        let message = format!("the macros of a prompt go through at most {MACRO_WORK_BYTES_MAX} bytes of values");
        Failure::err(WarningCode::Steps, message)
    }

    /// Counts the bytes of a value before a macro goes through it.
    pub(super) fn work(&mut self, bytes: usize) -> Result<(), Failure> {
        self.may_work(bytes)?;
        self.worked += bytes;
        Ok(())
    }

    /// Counts bytes that a macro went through in vain, or beyond what it counted before.
    pub(super) fn wasted(&mut self, bytes: usize) {
        self.worked = self.worked.saturating_add(bytes).min(MACRO_WORK_BYTES_MAX);
    }

    /// The list or object that a text is, if it is one.
    pub(super) fn container_in(&mut self, text: &Arc<str>) -> Result<Option<Value>, Failure> {
        if let Some((_, value)) = self.read.get(&text.as_ptr()) {
            return Ok(value.clone());
        }
        self.work(text.len())?;
        let value = Value::parse(text).ok().filter(Value::is_container);
        if self.read.len() >= TEXTS_READ_MAX {
            self.read.clear();
        }
        self.read.insert(text.as_ptr(), (Arc::clone(text), value.clone()));
        Ok(value)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Failure> {
        self.room(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    pub(super) fn put(&mut self, out: &mut String, text: &str) -> Result<(), Failure> {
        self.spend(text.len())?;
        out.push_str(text);
        Ok(())
    }

    pub(super) fn put_value(&mut self, out: &mut String, value: &Value) -> Result<(), Failure> {
        match value {
            Value::String(text) => self.put(out, text),
            Value::Null => Ok(()),
            other => {
                self.room(other.weight())?;
                // A number or a truth value is no work.
                self.may_work(usize::from(other.is_container()))?;
                let before = out.len();
                other.write_json(out);
                let written = out.len() - before;
                // As JSON a text may be six times as long; what turns out to be too long was work all the same.
                self.spend(written).inspect_err(|_| self.wasted(written))
            }
        }
    }

    /// Refuses a write inside a macro that is not closed, and when there were as many as there may be.
    pub(super) fn may_write(&self, args: &Args<'_>) -> Result<(), Failure> {
        if args.span.start > self.unclosed_at {
            let message = "stands inside a macro that is not closed, so it writes nothing; close the `{{` before it";
            return Failure::err(WarningCode::Unreadable, message);
        }
        if self.overlay.writes() < MACRO_WRITES_MAX {
            return Ok(());
        }
        Failure::err(WarningCode::Writes, format!("the macros of a prompt write at most {MACRO_WRITES_MAX} times"))
    }

    pub(super) fn write(
        &mut self,
        args: &Args<'_>,
        scope: Scope,
        key: Arc<str>,
        (value, relative): (Option<Value>, Option<RelativeChange>),
    ) -> Result<(), Failure> {
        self.may_write(args)?;
        if value.as_ref().is_some_and(|value| !value.fits(VARIABLE_BYTES_MAX)) {
            let message = format!("the value of a variable has at most {VARIABLE_BYTES_MAX} bytes");
            return Failure::err(WarningCode::Length, message);
        }
        self.spend(value.as_ref().map_or(0, Value::weight))?;
        let (macro_name, message_index, span) = (args.name.to_owned(), self.message_index, args.span.clone());
        self.overlay.write(Origin { macro_name, message_index, span, relative }, scope, key, value);
        if self.context.mode == Mode::Preview {
            let message = "a preview writes nothing; render the prompt for a page to stage the write";
            self.warn(args.span.clone(), Failure::new(WarningCode::Suppressed, message), Some(args.name.to_owned()));
        }
        Ok(())
    }

    /// Notes that a macro looked at a variable.
    pub(super) fn used(&mut self, args: &Args<'_>, scope: Option<Scope>, path: &str, found: bool) {
        if self.uses.len() < MACRO_USES_MAX {
            self.uses.push(VariableUse {
                message_index: self.message_index,
                span: args.span.clone(),
                macro_name: args.name.to_owned(),
                scope,
                path: path.to_owned(),
                found,
            });
        }
    }

    /// The text of a view of the profile.
    pub(super) fn view(&mut self, name: &str, since: Option<i64>) -> Result<Arc<str>, Failure> {
        let unknown = || {
            let views = self.context.profile.views.iter().map(|view| view.name.as_ref()).collect::<Vec<_>>().join(", ");
            Failure::new(WarningCode::Unknown, format!("the profile has no view {:?}; it has: {views}", brief(name)))
        };
        let view = self.context.profile.view(name).ok_or_else(unknown)?;
        let asked = since;
        let since = since.or(view.changed_since);
        let context = self.context;
        let Some(state) = context.shown.as_ref().or_else(|| context.variables.state()) else {
            return Err(no_state());
        };
        self.floors.extend(since);
        let earlier = since.and_then(|floor| context.earlier.get(&floor));
        // A view that shows what changed since a floor shows everything until that floor is there.
        if asked.is_some() && earlier.is_none() {
            return Failure::err(WarningCode::Missing, "that floor has no story state");
        }
        if let Some(shown) = self.views.iter().find(|shown| shown.name == view.name && shown.since == since) {
            return Ok(Arc::clone(&shown.text));
        }
        self.work(state.weight().saturating_add(earlier.map_or(0, Value::weight)))?;
        let rendered = view.render(state, earlier, self.context.profile.pairs);
        // Blanks in front of lines may be most of a text.
        self.wasted(rendered.text.len().saturating_sub(state.weight()));
        let text: Arc<str> = rendered.text.into();
        let (name, dropped) = (Arc::clone(&view.name), rendered.dropped);
        self.views.push(ViewUse { name, since, text: Arc::clone(&text), dropped });
        Ok(text)
    }
}

/// The key of a variable that a path begins with.
fn root_of(path: &str) -> &str {
    &path[..path.find(['.', '[']).unwrap_or(path.len())]
}

pub(super) fn no_state() -> Failure {
    Failure::new(WarningCode::Missing, "there is no story state here")
}
