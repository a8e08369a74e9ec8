//! The settings of the pack, read: formulas, thresholds, which places are open, computed or renamed.

use super::rules;
use crate::document::{Number, Object, Value};
use crate::limits::{PACK_ENTRIES_MAX, PATH_SEGMENTS_MAX, RECENT_TEXTS_MAX};
use crate::packs::InvalidSettings;
use crate::packs::formula::Formula;
use std::sync::Arc;

/// A path of the settings, split at its dots; `*` stands for any key.
pub(super) type Pattern = Vec<Arc<str>>;

#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The rules at the end of a turn, in their order.
    pub(super) rules: Vec<&'static str>,
    /// Containers that take new keys.
    pub(super) open: Vec<Pattern>,
    /// What is computed.
    pub(super) read_only: Vec<Pattern>,
    /// Other names of currencies.
    pub(super) aliases: Vec<(Arc<str>, Arc<str>)>,
    /// What the names in formulas mean, as paths in the character.
    pub(super) names: Vec<(Arc<str>, Pattern)>,
    /// The second value of an attribute, from its first.
    pub(super) legend: Formula,
    /// Computed values of the character, by their paths.
    pub(super) derived: Vec<(Pattern, Formula)>,
    /// A value and the one that it never exceeds.
    pub(super) pools: Vec<(Pattern, Pattern)>,
    pub(super) small_to_big_count: usize,
    pub(super) clean_big_count: usize,
    /// How many of the newest big summaries are hidden, and how many of the last replies the filter looks at.
    pub(super) hide_latest_count: usize,
    /// The time limit that means none.
    pub(super) no_time_limit: f64,
    /// The highest difficulty of a world's level.
    pub(super) levels: Vec<(Arc<str>, f64)>,
    pub(super) hidden_text: Arc<str>,
    pub(super) summary_due: Arc<str>,
    /// What a model outside of the story is asked to do with the small summaries.
    pub(super) summary_prompt: Arc<str>,
    /// How the commands are written, for a model.
    pub(super) guide: Arc<str>,
    /// Commands as examples, each a name and its arguments.
    pub(super) examples: Vec<Vec<Arc<str>>>,
}

impl Settings {
    pub(super) fn read(settings: &Value) -> Result<Settings, InvalidSettings> {
        let reader = Reader(settings);
        let known = |name: &str| rules::ALL.iter().map(|(known, _)| *known).find(|known| *known == name);
        let rule = |name: &Arc<str>| known(name).ok_or_else(|| invalid("/rules", format!("no rule is named `{name}`")));
        Ok(Settings {
            rules: reader.texts("rules")?.iter().map(rule).collect::<Result<_, _>>()?,
            open: reader.patterns("open")?,
            read_only: reader.patterns("read_only")?,
            aliases: reader.table("aliases", |_, value| value.as_str().map(Arc::from))?,
            names: reader.table("names", |_, value| value.as_str().and_then(pattern))?,
            legend: reader.formula("legend")?,
            derived: reader.paths("derived", formula)?,
            pools: reader.paths("pools", |at, value| {
                value.as_str().and_then(pattern).ok_or_else(|| invalid(at, "must be a path"))
            })?,
            small_to_big_count: reader.count("small_to_big_count")?,
            clean_big_count: reader.count("clean_big_count")?,
            hide_latest_count: reader.count_of_replies("hide_latest_count")?,
            no_time_limit: reader.number("no_time_limit")?,
            levels: reader.table("levels", |_, value| value.as_number().map(Number::as_f64))?,
            hidden_text: reader.text("hidden_text")?,
            summary_due: reader.text("summary_due")?,
            summary_prompt: reader.text("summary_prompt")?,
            guide: reader.text("guide")?,
            examples: reader.calls("examples")?,
        })
    }
}

/// Splits a path of the settings.
fn pattern(path: &str) -> Option<Pattern> {
    let segments: Pattern = path.split('.').map(Arc::from).collect();
    let fits = segments.len() <= PATH_SEGMENTS_MAX && segments.iter().all(|segment| !segment.is_empty());
    fits.then_some(segments)
}

fn invalid(at: impl Into<String>, message: impl Into<String>) -> InvalidSettings {
    InvalidSettings { at: at.into(), message: message.into() }
}

fn formula(at: &str, value: &Value) -> Result<Formula, InvalidSettings> {
    let text = value.as_str().ok_or_else(|| invalid(at, "must be a formula as text"))?;
    Formula::read(text).map_err(|error| invalid(at, error.to_string()))
}

struct Reader<'a>(&'a Value);

impl Reader<'_> {
    fn get(&self, key: &str) -> Result<&Value, InvalidSettings> {
        self.0.get(key).ok_or_else(|| invalid(format!("/{key}"), "must not be missing"))
    }

    fn texts(&self, key: &str) -> Result<Vec<Arc<str>>, InvalidSettings> {
        let items = self.get(key)?.as_array().filter(|items| items.len() <= PACK_ENTRIES_MAX);
        let texts = items.and_then(|items| items.iter().map(|item| item.as_str().map(Arc::from)).collect());
        texts.ok_or_else(|| invalid(format!("/{key}"), format!("must be a list of at most {PACK_ENTRIES_MAX} texts")))
    }

    fn patterns(&self, key: &str) -> Result<Vec<Pattern>, InvalidSettings> {
        let read =
            |path: &Arc<str>| pattern(path).ok_or_else(|| invalid(format!("/{key}"), format!("`{path}` is no path")));
        self.texts(key)?.iter().map(read).collect()
    }

    fn members(&self, key: &str) -> Result<&Object, InvalidSettings> {
        let members = self.get(key)?.as_object().filter(|members| members.len() <= PACK_ENTRIES_MAX);
        members.ok_or_else(|| {
            invalid(format!("/{key}"), format!("must be an object with at most {PACK_ENTRIES_MAX} members"))
        })
    }

    /// A table whose keys are names.
    fn table<T>(
        &self,
        key: &str,
        read: impl Fn(&str, &Value) -> Option<T>,
    ) -> Result<Vec<(Arc<str>, T)>, InvalidSettings> {
        let wrong = |name: &str| invalid(format!("/{key}/{name}"), "cannot have this value");
        let entry = |(name, value): (&Arc<str>, &Value)| {
            read(name, value).map(|value| (Arc::clone(name), value)).ok_or_else(|| wrong(name))
        };
        self.members(key)?.iter().map(entry).collect()
    }

    /// A table whose keys are paths.
    fn paths<T>(
        &self,
        key: &str,
        read: impl Fn(&str, &Value) -> Result<T, InvalidSettings>,
    ) -> Result<Vec<(Pattern, T)>, InvalidSettings> {
        let entry = |(path, value): (&Arc<str>, &Value)| {
            let at = format!("/{key}/{path}");
            let pattern = pattern(path).ok_or_else(|| invalid(at.as_str(), "its name must be a path"))?;
            Ok((pattern, read(&at, value)?))
        };
        self.members(key)?.iter().map(entry).collect()
    }

    fn formula(&self, key: &str) -> Result<Formula, InvalidSettings> {
        formula(&format!("/{key}"), self.get(key)?)
    }

    fn number(&self, key: &str) -> Result<f64, InvalidSettings> {
        let number = self.get(key)?.as_number().map(Number::as_f64);
        number.ok_or_else(|| invalid(format!("/{key}"), "must be a number"))
    }

    fn count(&self, key: &str) -> Result<usize, InvalidSettings> {
        let count = self.get(key)?.as_number().and_then(|number| usize::try_from(number.as_u64()?).ok());
        count.ok_or_else(|| invalid(format!("/{key}"), "must be an integer, 0 or more"))
    }

    /// A count of replies that a turn brings along.
    fn count_of_replies(&self, key: &str) -> Result<usize, InvalidSettings> {
        let message = format!("must be at most {RECENT_TEXTS_MAX}: a turn brings no more replies along");
        self.count(key).and_then(|count| {
            if count <= RECENT_TEXTS_MAX { Ok(count) } else { Err(invalid(format!("/{key}"), message)) }
        })
    }

    /// Commands, each a list with its name and its arguments.
    fn calls(&self, key: &str) -> Result<Vec<Vec<Arc<str>>>, InvalidSettings> {
        let texts = |call: &Value| {
            call.as_array()?.iter().map(|text| text.as_str().map(Arc::from)).collect::<Option<Vec<Arc<str>>>>()
        };
        let call = |call: &Value| texts(call).filter(|call| !call.is_empty());
        let calls = self.get(key)?.as_array().filter(|calls| calls.len() <= PACK_ENTRIES_MAX);
        calls.and_then(|calls| calls.iter().map(call).collect()).ok_or_else(|| {
            invalid(
                format!("/{key}"),
                format!("must be a list of at most {PACK_ENTRIES_MAX} commands: [[name, argument, …], …]"),
            )
        })
    }

    fn text(&self, key: &str) -> Result<Arc<str>, InvalidSettings> {
        self.get(key)?.as_str().map(Arc::from).ok_or_else(|| invalid(format!("/{key}"), "must be text"))
    }
}
