//! A profile: which dialects a session reads and how strictly their commands are applied.

mod named;
mod read;

pub use read::InvalidProfile;

use crate::document::Value;
use crate::mvu::{self, MvuSchema};
use crate::packs::{self, PackUse};
use crate::rules::dialect::Dialect;
use crate::rules::schema::Schema;
use crate::view::View;
use std::sync::Arc;

/// How commands are read and applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name of the profile this one is or is based on.
    pub name: Arc<str>,
    /// The dialects that are read.
    pub dialects: Vec<Dialect>,
    /// How much of a text counts as a command.
    pub reading: Reading,
    /// Whether `[value, "description"]` is a pair whose first item takes the writes.
    pub pairs: bool,
    /// Whether a write may create what is missing.
    pub create_missing: CreateMissing,
    /// What happens when a value would change its kind.
    pub type_change: TypeChange,
    /// How objects are merged.
    pub merge: Merge,
    /// Whether text inside `<think>` and `<thinking>` is skipped.
    pub skip_thinking: bool,
    /// When not empty, only text inside these tags is read.
    pub only_in_tags: Vec<String>,
    /// Whether floors written by a person are read too.
    pub user_floors: bool,
    /// Whether keys that start with `_` are read-only for a model.
    pub underscore_read_only: bool,
    /// Whether a patch may write read-only keys with `forced_set`.
    pub forced_set: bool,
    /// Where the story's time stands, the first that exists; the first of all when none does.
    pub time_path: Vec<String>,
    /// What a document may hold.
    pub schema: Option<Arc<Schema>>,
    /// Where MVU's own schema of a story comes from.
    pub mvu_schema: MvuSchemaSource,
    /// Names of built-in functions that are switched off, as the dialects spell them: `SET`, `set`, `replace`.
    pub disabled: Vec<String>,
    /// How many replies before the current one a turn may look at.
    pub recent_texts: usize,
    /// How the state is shown to a model, by name. The first one is what a prompt kit shows.
    pub views: Vec<Arc<View>>,
    /// Whether a prompt kit lists the refused commands of the last reply.
    pub note: bool,
    /// The rule packs that a session uses, in the order in which their rules run.
    pub packs: Vec<PackUse>,
}

/// Where MVU's own schema of a story comes from. Only profiles that read as MVU's classic mode use it.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MvuSchemaSource {
    /// From a template with MVU's marks (`$meta` and the like); a template without marks has no schema.
    #[default]
    Marks,
    /// From any template, as MVU's initialisation does: without marks every container is locked.
    Template,
    /// This one. Marks in the template say nothing then, and are taken out of it all the same.
    Given(MvuSchema),
}

/// What a story starts from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FirstState {
    /// The document.
    pub document: Value,
    /// MVU's schema of it, for profiles that have one.
    pub mvu_schema: Option<MvuSchema>,
}

/// How much of a text counts as a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Everything that can be understood.
    Tolerant,
    /// What MVU's classic mode reads and no more.
    Mvu,
    /// What MVU's zod mode reads and no more.
    MvuZod,
}

/// Whether a write may create what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateMissing {
    /// Containers and values are created.
    Yes,
    /// Only what exists is written.
    No,
    /// As MVU's classic mode: `set` needs an existing path, `insert` an existing container.
    AsMvu,
}

crate::stored_enum! {
    /// What happens when a value would change its kind. A number stays a number in every case when the new text is one.
    TypeChange {
        /// It changes, and a problem says so.
        Reported = "reported",
        /// It is refused.
        Refused = "refused",
        /// As MVU's classic mode.
        AsMvu = "as_mvu",
        /// The schema decides.
        BySchema = "by_schema",
    }
}

crate::stored_enum! {
    /// How an object is merged into another.
    Merge {
        /// Objects at any depth; lists are replaced.
        Deep = "deep",
        /// Objects at any depth; lists item by item, as lodash does.
        DeepByIndex = "deep_by_index",
        /// Only the outermost members.
        Shallow = "shallow",
    }
}

impl Profile {
    /// What a story with this template starts from. Profiles that read as MVU does take MVU's marks out of it.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, profile::Profile};
    ///
    /// let template = Value::parse(r#"{"bag": {"$meta": {"extensible": true}}}"#).unwrap();
    /// let first = Profile::named("mvu").unwrap().first_state(template);
    /// assert_eq!(first.document.to_json(), r#"{"bag":{}}"#);
    /// assert!(first.mvu_schema.is_some());
    /// ```
    pub fn first_state(&self, template: Value) -> FirstState {
        if self.reading != Reading::Mvu {
            return FirstState { document: template, mvu_schema: None };
        }
        let mvu_schema = match &self.mvu_schema {
            MvuSchemaSource::Marks if !mvu::has_metadata(&template) => {
                return FirstState { document: template, mvu_schema: None };
            }
            MvuSchemaSource::Marks | MvuSchemaSource::Template => MvuSchema::generate(&template, None),
            MvuSchemaSource::Given(schema) => schema.clone(),
        };
        FirstState { mvu_schema: Some(mvu_schema), document: mvu::strip(&template) }
    }

    /// The view with this name.
    pub fn view(&self, name: &str) -> Option<&Arc<View>> {
        self.views.iter().find(|view| view.name.as_ref() == name)
    }

    /// What a story starts from when nobody gives a template: those of the packs, in one document.
    pub fn first_document(&self) -> Option<Value> {
        packs::first_document(&self.packs)
    }

    /// A document as the packs show it to a model; none where there is no pack.
    pub fn shown_by_packs(&self, document: &Value) -> Option<packs::View> {
        packs::View::by(&self.packs, document)
    }

    /// How many replies before it a turn on this document looks at.
    pub fn recent_texts_for(&self, document: &Value, reply: &str) -> usize {
        let of_packs = self.packs.iter().map(|used| used.rules().recent_texts(document, reply)).max();
        self.recent_texts.max(of_packs.unwrap_or(0))
    }

    /// Whether a built-in function is switched off.
    pub(crate) fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|disabled| disabled == name)
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile::default_profile()
    }
}
