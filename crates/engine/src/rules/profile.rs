//! A profile: which dialects a session reads and how strictly their commands are applied.

mod named;
mod read;

pub use read::InvalidProfile;

use crate::document::Value;
use crate::mvu::{self, MvuSchema};
use crate::rules::dialect::Dialect;
use crate::rules::schema::Schema;
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
}

/// Where MVU's own schema of a story comes from. Only profiles that read as MVU's classic mode use it.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MvuSchemaSource {
    /// From a template with MVU's marks (`$meta` and the like); a template without marks has no schema.
    #[default]
    Marks,
    /// From any template, as MVU's initialisation does: without marks every container is locked.
    Template,
    /// This one. The template is taken as it is: it is a state that MVU has initialised before.
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
            MvuSchemaSource::Given(schema) => Some(schema.clone()),
            MvuSchemaSource::Marks if !mvu::has_metadata(&template) => None,
            MvuSchemaSource::Marks | MvuSchemaSource::Template => {
                let mvu_schema = Some(MvuSchema::generate(&template, None));
                return FirstState { mvu_schema, document: mvu::strip(&template) };
            }
        };
        FirstState { document: template, mvu_schema }
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
