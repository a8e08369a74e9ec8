//! What a model needs to know before it writes: how commands are written, with examples for this state.
//!
//! Only what a turn would do is taught: commands that are switched off are left out, and an example is shown after it was tried
//! on the state, so that schema, read-only keys and rule packs have their say.

mod places;
mod trial;

use crate::document::Value;
use crate::library::{LibraryFunction, shipped};
use crate::mvu::MvuSchema;
use crate::packs::PackUse;
use crate::rules::dialect::Dialect;
use crate::rules::profile::{CreateMissing, Profile};
use crate::turn::function::{Function, FunctionKind};
use places::Places;
use std::fmt::Write as _;
use trial::Trial;

/// How commands are written in the dialects of a profile, with examples that change this state. Empty for a profile that reads
/// no dialect. The session's functions are described elsewhere, and a command of a name that they take is theirs. MVU's schema of
/// the state, where there is one, refuses examples as it refuses commands.
///
/// ```
/// use tavernkeep_engine::{document::Value, profile::Profile, prompt::kit::rules};
///
/// let state = Value::parse(r#"{"角色": {"金币": 90, "心情": "平静"}}"#).unwrap();
/// let text = rules(&Profile::default(), &[], &state, None);
/// assert!(text.contains("@.SET(\"角色.心情\", \"平静\");"));
/// assert!(text.contains("_.set('角色.金币', 90, 91);//"));
/// ```
pub fn rules(profile: &Profile, functions: &[Function], state: &Value, mvu_schema: Option<&MvuSchema>) -> String {
    let (places, trial) = (Places::find(profile, state), Trial::new(profile, state, mvu_schema));
    let mut teacher = Teacher { profile, functions, places, trial };
    let taught = profile.dialects.iter().filter_map(|dialect| match dialect {
        Dialect::At => teacher.at(),
        Dialect::Mvu => teacher.mvu(),
        Dialect::JsonPatch => teacher.json_patch(),
        Dialect::Pack(name) => teacher.pack(profile.packs.iter().find(|used| used.pack().name == *name)?),
    });
    let taught: Vec<String> = taught.collect();
    if taught.is_empty() {
        return String::new();
    }
    format!("{}\n{}", head(profile).trim_end(), taught.join("or\n"))
}

/// What holds for all commands.
fn head(profile: &Profile) -> String {
    let mut head = "Changes of the state are commands in the reply. ".to_owned();
    if !profile.only_in_tags.is_empty() {
        let tags: Vec<String> = profile.only_in_tags.iter().map(|tag| format!("<{tag}>…</{tag}>")).collect();
        let _ = write!(head, "They count inside {} only. ", tags.join(" or "));
    }
    let reads_pack = profile.dialects.iter().any(|dialect| matches!(dialect, Dialect::Pack(_)));
    if profile.create_missing == CreateMissing::No && !reads_pack {
        head.push_str("Only what exists can be changed. ");
    }
    // Packs have rules of their own, which their guides state.
    if profile.underscore_read_only && !reads_pack {
        head.push_str("Keys that start with `_` are read-only. ");
    }
    if !profile.disabled.is_empty() {
        let _ = write!(head, "Not available: {}. ", profile.disabled.join(", "));
    }
    head
}

/// Whether a model's call of a function is found in the dialects of a profile: as `@.NAME(…)`, or by the pattern of an author's
/// function. The patterns of built-in functions only say how the dialect is written, and what the profile switches off is not there.
pub fn is_read(profile: &Profile, function: &LibraryFunction) -> bool {
    // A scope may give a built-in function another place in the order.
    let parts =
        |function: &LibraryFunction| (function.name.clone(), function.pattern.clone(), function.executor.clone());
    let is_builtin = shipped().iter().any(|it| it.builtin && parts(&it.function) == parts(function));
    match is_builtin {
        true => profile.dialects.contains(&Dialect::At) && !profile.disables(&function.name),
        false => profile.dialects.contains(&Dialect::At) || function.pattern.is_some(),
    }
}

/// Writes the part of each dialect.
struct Teacher<'a> {
    profile: &'a Profile,
    functions: &'a [Function],
    places: Places,
    trial: Trial<'a>,
}

impl Teacher<'_> {
    fn at(&mut self) -> Option<String> {
        let [set, add, unset] = ["SET", "ADD", "UNSET"].map(|name| self.is_there(name) && !self.is_taken(name));
        let ways = [
            (set, "@.SET(\"path\", value); sets a value"),
            (add, "@.ADD(\"path\", number); adds to a number"),
            (unset, "@.UNSET(\"path\"); deletes"),
        ];
        let mut examples = Vec::new();
        if set {
            examples.extend(self.number(|path, _, new, _| format!("@.SET(\"{path}\", {new});")));
        }
        if add {
            examples.extend(self.number(|path, _, _, by| format!("@.ADD(\"{path}\", {by});")));
        }
        if set {
            examples.extend(self.text(|path, text| format!("@.SET(\"{path}\", \"{text}\");")));
        }
        if add {
            examples.extend(self.item(|path, item| format!("@.ADD(\"{path}\", {item});")));
        }
        described(&ways, &examples)
    }

    fn mvu(&mut self) -> Option<String> {
        let [set, add] = ["set", "add"].map(|name| self.is_there(name));
        let ways = [
            (set, "_.set('path', old, new);//reason sets a value"),
            (add, "_.add('path', number);//reason adds to a number"),
        ];
        let mut examples = Vec::new();
        if set {
            examples.extend(self.number(|path, old, new, _| format!("_.set('{path}', {old}, {new});//…")));
        }
        if add {
            examples.extend(self.number(|path, _, _, by| format!("_.add('{path}', {by});//…")));
        }
        if set {
            examples.extend(self.text(|path, text| format!("_.set('{path}', '{text}', '{text}');//…")));
        }
        described(&ways, &examples)
    }

    fn json_patch(&mut self) -> Option<String> {
        let [replace, add, remove] = ["replace", "add", "remove"].map(|name| self.is_there(name));
        if !(replace || add || remove) {
            return None;
        }
        let mut operations = Vec::new();
        let block = |operation: &str| format!("<JSONPatch>[{operation}]</JSONPatch>");
        let (places, trial) = (&self.places, &mut self.trial);
        let mut try_all = |candidates: Vec<String>| {
            operations.extend(candidates.into_iter().find(|operation| trial.accepts(&block(operation))));
        };
        if replace {
            let operation = |place: &places::NumberPlace, to: &str| {
                format!("{{\"op\":\"replace\",\"path\":\"{}\",\"value\":{to}}}", place.path.to_pointer())
            };
            let changes = places.numbers.iter().flat_map(|place| place.changes().map(|(to, _)| operation(place, &to)));
            try_all(changes.collect());
        }
        if add {
            let operation = |place: &places::ListPlace, item: &str| {
                format!("{{\"op\":\"add\",\"path\":\"{}/-\",\"value\":{item}}}", place.path.to_pointer())
            };
            let items = places.lists.iter().flat_map(|place| place.items().map(|item| operation(place, &item)));
            try_all(items.collect());
            let has_place = !places.numbers.is_empty() || !places.lists.is_empty();
            if !has_place {
                try_all(vec!["{\"op\":\"add\",\"path\":\"/key\",\"value\":1}".to_owned()]);
            }
        }
        let mut out = "<JSONPatch>[…]</JSONPatch> holds RFC 6902 operations.".to_owned();
        if !operations.is_empty() {
            let _ = write!(out, " Example:\n{}", block(&operations.join(",")));
        }
        out.push('\n');
        Some(out)
    }

    /// The lines of the pack's text, without those that show a command that is not there, and its examples as far as this state takes
    /// them: a template of the session's own may lack what they name.
    fn pack(&mut self, used: &PackUse) -> Option<String> {
        let is_taught = |name: &&str| self.is_there(name) && !self.is_taken(name);
        let (there, missing): (Vec<&str>, Vec<&str>) = used.pack().commands.iter().copied().partition(is_taught);
        if there.is_empty() {
            return None;
        }
        let shows = |line: &str, name: &str| {
            let mut calls = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
            calls.any(|(before, behind)| behind.starts_with('(') && !before.ends_with(is_part_of_name))
        };
        let guide = used.rules().guide();
        let lines = guide.text.trim_end().lines().filter(|line| !missing.iter().any(|name| shows(line, name)));
        let mut out: String = lines.map(|line| format!("{line}\n")).collect();
        let examples = guide.examples.into_iter().filter(|example| !missing.iter().any(|name| shows(example, name)));
        let examples = self.trial.accepted_in_order(examples.collect());
        if !examples.is_empty() {
            let _ = writeln!(out, "Examples:\n{}", examples.join("\n"));
        }
        Some(out)
    }

    fn is_there(&self, name: &str) -> bool {
        !self.profile.disables(name)
    }

    /// Whether a function of the session has this name.
    fn is_taken(&self, name: &str) -> bool {
        let is_active = |function: &&Function| matches!(function.kind, FunctionKind::Active { .. });
        self.functions.iter().filter(is_active).any(|function| function.name.eq_ignore_ascii_case(name))
    }

    /// An example for a number: its path, what it is, what it becomes and the difference.
    fn number(&mut self, example: impl Fn(&str, &str, &str, &str) -> String) -> Option<String> {
        let places = self.places.numbers.iter();
        let mut examples = places.flat_map(|place| {
            let (path, old) = (place.path.to_string(), place.value.to_json());
            let example = &example;
            place.changes().map(move |(new, by)| example(&path, &old, &new, &by))
        });
        examples.find(|example| self.trial.accepts(example))
    }

    fn text(&mut self, example: impl Fn(&str, &str) -> String) -> Option<String> {
        let mut examples = self.places.texts.iter().map(|(path, text)| example(&path.to_string(), text));
        examples.find(|example| self.trial.accepts(example))
    }

    fn item(&mut self, example: impl Fn(&str, &str) -> String) -> Option<String> {
        let places = self.places.lists.iter();
        let mut examples = places.flat_map(|place| {
            let (path, example) = (place.path.to_string(), &example);
            place.items().map(move |item| example(&path, &item))
        });
        examples.find(|example| self.trial.accepts(example))
    }
}

fn is_part_of_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The ways that are there in one sentence, and examples below. None without any way.
fn described(ways: &[(bool, &str)], examples: &[String]) -> Option<String> {
    let ways: Vec<&str> = ways.iter().filter(|(is_there, _)| *is_there).map(|(_, way)| *way).collect();
    if ways.is_empty() {
        return None;
    }
    let mut out = format!("{}.", ways.join(", "));
    if !examples.is_empty() {
        let _ = write!(out, " Examples:\n{}", examples.join("\n"));
    }
    out.push('\n');
    Some(out)
}
