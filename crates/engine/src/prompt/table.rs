//! The table of macros: one row each.

use super::evaluate::{Args, Evaluation};
use super::variables::{Lookup, Table};
use super::warning::Failure;
use super::{chance, helper, values};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a macro does: it writes its text to the end of `out`.
pub(super) type Run = fn(&mut Evaluation<'_>, &Args<'_>, &mut String) -> Result<(), Failure>;

/// One macro.
#[derive(Debug)]
pub struct Row {
    /// Its name, as reports spell it.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// The arguments it needs.
    pub least: usize,
    /// The arguments it takes at most.
    pub most: usize,
    /// Whether the last argument can stand between the macro and its end: `{{setvar::x}}…{{/setvar}}`.
    pub scoped: bool,
    /// Whether one colon may stand before the arguments: `{{roll:1d6}}`.
    pub one_colon: bool,
    /// Whether blanks around the name and line breaks make it plain text, as TavernHelper has it.
    pub verbatim: bool,
    /// What it does, for people.
    pub about: &'static str,
    pub(super) run: Run,
}

impl Row {
    /// How many arguments the macro takes, for a message.
    pub(super) fn takes(&self) -> String {
        match (self.least, self.most) {
            (least, most) if least == most => least.to_string(),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        }
    }
}

/// The macro with this name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    BY_NAME.get(name).copied()
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| {
    let names = |row: &'static Row| std::iter::once(&row.name).chain(row.aliases).map(move |name| (*name, row));
    ROWS.iter().flat_map(names).collect()
});

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    args: (usize, usize),
    about: &'static str,
    run: Run,
) -> Row {
    let (least, most) = args;
    Row { name, aliases, least, most, scoped: false, one_colon: false, verbatim: false, about, run }
}

const fn scoped(
    name: &'static str,
    aliases: &'static [&'static str],
    args: usize,
    about: &'static str,
    run: Run,
) -> Row {
    Row { scoped: true, ..row(name, aliases, (args, args), about, run) }
}

const fn one_colon(name: &'static str, about: &'static str, run: Run) -> Row {
    Row { one_colon: true, ..row(name, &[], (1, usize::MAX), about, run) }
}

const fn verbatim(name: &'static str, about: &'static str, run: Run) -> Row {
    Row { verbatim: true, ..row(name, &[], (1, 1), about, run) }
}

/// All macros.
pub static ROWS: &[Row] = &[
    row("getvar", &[], (1, 1), "the value of a local variable", |e, a, o| values::get(e, a, Lookup::Local, o)),
    row("getglobalvar", &[], (1, 1), "the value of a global variable", |e, a, o| values::get(e, a, Lookup::Global, o)),
    row("hasvar", &["varexists"], (1, 1), "`true` or `false`", |e, a, o| values::has(e, a, Lookup::Local, o)),
    row("hasglobalvar", &["globalvarexists"], (1, 1), "`true` or `false`", |e, a, o| {
        values::has(e, a, Lookup::Global, o)
    }),
    scoped("setvar", &[], 2, "sets a local variable", |e, a, _| values::set(e, a, Lookup::Local)),
    scoped("setglobalvar", &[], 2, "sets a global variable", |e, a, _| values::set(e, a, Lookup::Global)),
    scoped("addvar", &[], 2, "adds a number, appends text or an item", |e, a, _| values::add(e, a, Lookup::Local)),
    scoped("addglobalvar", &[], 2, "adds a number, appends text or an item", |e, a, _| {
        values::add(e, a, Lookup::Global)
    }),
    row("incvar", &[], (1, 1), "adds 1; the new value", |e, a, o| values::count(e, a, Lookup::Local, 1, o)),
    row("decvar", &[], (1, 1), "subtracts 1; the new value", |e, a, o| values::count(e, a, Lookup::Local, -1, o)),
    row("incglobalvar", &[], (1, 1), "adds 1; the new value", |e, a, o| values::count(e, a, Lookup::Global, 1, o)),
    row("decglobalvar", &[], (1, 1), "subtracts 1; the new value", |e, a, o| {
        values::count(e, a, Lookup::Global, -1, o)
    }),
    row("deletevar", &["flushvar"], (1, 1), "deletes a local variable", |e, a, _| values::delete(e, a, Lookup::Local)),
    row("deleteglobalvar", &["flushglobalvar"], (1, 1), "deletes a global variable", |e, a, _| {
        values::delete(e, a, Lookup::Global)
    }),
    row("getvarkey", &["getvarindex"], (2, 2), "a member or an item of a local variable", |e, a, o| {
        values::get_member(e, a, Lookup::Local, o)
    }),
    row("getglobalvarkey", &["getglobalvarindex"], (2, 2), "a member or an item of a global variable", |e, a, o| {
        values::get_member(e, a, Lookup::Global, o)
    }),
    scoped("setvarkey", &["setvarindex"], 3, "sets a member or an item of a local variable", |e, a, _| {
        values::set_member(e, a, Lookup::Local)
    }),
    scoped("setglobalvarkey", &["setglobalvarindex"], 3, "sets a member or an item of a global variable", |e, a, _| {
        values::set_member(e, a, Lookup::Global)
    }),
    row("vs_get", &[], (1, 1), "a value of the story's state", values::of_state),
    row("view", &[], (1, 2), "a view of the profile, on request with what changed since a floor", values::view),
    row("user", &[], (0, 0), "the name of the user", |e, _, o| values::name(e, e.context.user, o)),
    row("char", &["charIfNotGroup"], (0, 0), "the name of the character", |e, _, o| {
        values::name(e, e.context.character, o)
    }),
    row("group", &[], (0, 0), "nothing", |_, _, _| Ok(())),
    row("noop", &[], (0, 0), "nothing", |_, _, _| Ok(())),
    row("newline", &[], (0, 0), "a line break", |e, _, o| e.put(o, "\n")),
    row("space", &[], (0, 0), "a blank", |e, _, o| e.put(o, " ")),
    row("time", &["isotime"], (0, 0), "the time, `20:05`", |e, _, o| chance::time(e, 11..16, o)),
    row("date", &["isodate"], (0, 0), "the date, `2024-10-26`", |e, _, o| chance::time(e, 0..10, o)),
    row("weekday", &[], (0, 0), "the day of the week, `Saturday`", chance::weekday),
    one_colon("random", "one of the arguments, by the seed", chance::random),
    one_colon("pick", "one of the arguments, by the seed and the place in the text", chance::pick),
    one_colon("roll", "dice such as `2d6+1`, by the seed", chance::roll),
    verbatim("get_message_variable", "TavernHelper: text or JSON", |e, a, o| helper::get(e, a, Table::Message, o)),
    verbatim("get_chat_variable", "TavernHelper: text or JSON", |e, a, o| helper::get(e, a, Table::Chat, o)),
    verbatim("get_character_variable", "TavernHelper: text or JSON", |e, a, o| helper::get(e, a, Table::Character, o)),
    verbatim("get_preset_variable", "TavernHelper: text or JSON", |e, a, o| helper::get(e, a, Table::Preset, o)),
    verbatim("get_global_variable", "TavernHelper: text or JSON", |e, a, o| helper::get(e, a, Table::Global, o)),
    verbatim("format_message_variable", "TavernHelper: text or YAML", |e, a, o| {
        helper::format(e, a, Table::Message, o)
    }),
    verbatim("format_chat_variable", "TavernHelper: text or YAML", |e, a, o| helper::format(e, a, Table::Chat, o)),
    verbatim("format_character_variable", "TavernHelper: text or YAML", |e, a, o| {
        helper::format(e, a, Table::Character, o)
    }),
    verbatim("format_preset_variable", "TavernHelper: text or YAML", |e, a, o| helper::format(e, a, Table::Preset, o)),
    verbatim("format_global_variable", "TavernHelper: text or YAML", |e, a, o| helper::format(e, a, Table::Global, o)),
];
