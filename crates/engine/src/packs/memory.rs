//! The pack `memory`: a character, the present moment, and the assets of a world with its summaries, each a module of the
//! document. Commands of a reply change them, and rules at the end of the turn compute what follows.
//!
//! The template and the settings are JSON files beside this one. A rule is one file below `rules`, and their order is the
//! setting `rules`.

mod assets;
mod calendar;
mod delete;
mod guard;
mod place;
mod rules;
mod settings;
mod status;
mod summary;
mod value;
mod view;

use crate::document::Value;
use crate::document::draft::Draft;
use crate::document::op::Op;
use crate::names::problem::{Code, Refusal};
use crate::packs::{CommandTurn, EndOfTurn, Guide, InvalidSettings, Pack, PackUse, Rules, SummaryTask, View};
use settings::Settings;
use std::sync::{Arc, LazyLock};

/// The character: what grows slowly.
pub const CHARACTER: &str = "play_character_data";
/// The present moment: what changes in every turn.
pub const STATUS: &str = "stat_data";
/// What a world has, and what is remembered.
pub const ASSETS: &str = "assa_data";

/// The pack's row.
pub static PACK: Pack = Pack { name: "memory", template, commands: &COMMANDS, settings: || SETTINGS.clone(), read };

const COMMANDS: [&str; 4] = ["set_attribute", "set_status", "memory", "delete"];

/// Both files are part of the program, and a test reads them: what cannot be read would be an empty object here.
static TEMPLATE: LazyLock<Value> =
    LazyLock::new(|| Value::parse(include_str!("memory/template.json")).unwrap_or_default());
static SETTINGS: LazyLock<Value> =
    LazyLock::new(|| Value::parse(include_str!("memory/settings.json")).unwrap_or_default());

/// The template with the thresholds of the settings, which a story may change for itself later.
fn template(settings: &Value) -> Value {
    let mut draft = Draft::new(TEMPLATE.clone());
    for key in THRESHOLDS {
        if let Some(value) = settings.get(key) {
            // A test checks that the template has these keys, so the write is never refused.
            let _ = draft.replace(&place::path(ASSETS, ["config", key]), value.clone());
        }
    }
    draft.finish().0
}

/// The settings that the document has too.
const THRESHOLDS: [&str; 3] = ["small_to_big_count", "clean_big_count", "hide_latest_count"];

#[derive(Debug)]
struct Memory(Settings);

fn read(settings: &Value) -> Result<Arc<dyn Rules>, InvalidSettings> {
    Ok(Arc::new(Memory(Settings::read(settings)?)))
}

impl Rules for Memory {
    fn perform(&self, turn: &mut CommandTurn<'_>, name: &str, args: &[&str]) -> Result<Option<String>, Refusal> {
        match name {
            "set_attribute" => status::set(&self.0, turn, CHARACTER, name, args),
            "set_status" => status::set(&self.0, turn, STATUS, name, args),
            "memory" => assets::perform(&self.0, turn, args),
            "delete" => delete::perform(&self.0, turn, args),
            _ => Refusal::err(Code::UnknownFunction, format!("no function is named `{name}`")),
        }
    }

    fn check(&self, document: &Value, op: &Op) -> Result<(), Refusal> {
        guard::check(&self.0, document, op)
    }

    fn end_of_turn(&self) -> &[&'static str] {
        &self.0.rules
    }

    fn run(&self, rule: &str, turn: &mut EndOfTurn<'_>) -> Result<(), Refusal> {
        match rules::ALL.iter().find(|(name, _)| *name == rule) {
            Some((_, run)) => run(&self.0, turn),
            None => Ok(()),
        }
    }

    fn view(&self, document: &Value) -> View {
        view::view(&self.0, document)
    }

    fn guide(&self) -> Guide {
        let call =
            |example: &Vec<Arc<str>>| example.split_first().map(|(name, args)| format!("{name}({});", args.join(", ")));
        Guide { text: Arc::clone(&self.0.guide), examples: self.0.examples.iter().filter_map(call).collect() }
    }

    fn recent_texts(&self, document: &Value, reply: &str) -> usize {
        rules::filter::recent_texts(&self.0, document, reply)
    }

    fn summary(&self, document: &Value) -> Option<SummaryTask> {
        summary::task(&self.0, document)
    }

    fn summary_edit(&self, document: &Value, key: Option<&str>, text: &str) -> Option<Value> {
        summary::edit(document, key, text)
    }
}

/// What a model is shown of a document, with changes to the pack's settings. Sessions have them in their profile.
///
/// ```
/// use tavernkeep_engine::{document::Value, packs::memory, profile::Profile};
///
/// let document = Profile::named("memory").unwrap().first_document().unwrap();
/// let view = memory::view(&document, &Value::Null).unwrap();
/// assert!(view.due.is_empty() && view.to_text().contains("积分: 1000  # 通用货币"));
/// ```
pub fn view(document: &Value, overrides: &Value) -> Result<View, InvalidSettings> {
    PackUse::new(&PACK, overrides.clone()).map(|used| used.rules().view(document))
}

/// What is due and how a summary is written, for a person or program that writes it outside of a reply.
pub use view::{SUMMARY_DUE, is_summary_due, small_entries};

#[cfg(test)]
mod tests {
    use super::{ASSETS, PACK, PackUse, SETTINGS, TEMPLATE, THRESHOLDS, place};
    use crate::document::Value;

    #[test]
    fn the_files_can_be_read_and_fit_each_other() {
        assert_eq!(TEMPLATE.as_object().unwrap().len(), 3);
        assert!(SETTINGS.as_object().is_some());
        PackUse::new(&PACK, Value::Null).unwrap();
        for key in THRESHOLDS {
            assert_eq!(place::find(&TEMPLATE, ASSETS, &["config", key]), SETTINGS.get(key), "{key}");
        }
    }
}
