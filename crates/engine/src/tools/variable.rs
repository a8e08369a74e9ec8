//! One variable of the scratchpad.

use crate::limits::{
    SCRATCH_DESC_BYTES_MAX, SCRATCH_NAME_BYTES_MAX, SCRATCH_TAG_BYTES_MAX, SCRATCH_TAGS_MAX, SCRATCH_VALUE_BYTES_MAX,
};
use std::fmt;

crate::stored_enum! {
    /// Who made a variable. The words are those of the interface that models and scripts see.
    VarType {
        /// A skill rule: kept, and neither overwritten nor removed by a model.
        Rule = "RULE",
        /// The whole result of a call.
        ToolCallResult = "ToolCallResult",
        /// The arguments of a call.
        ToolCallArgs = "ToolCallArgs",
        /// The text of a page.
        MessageCache = "MessageCache",
        /// Written by a model.
        LlmAdd = "LLMAdd",
        /// Written by a person.
        UserAdd = "USER_ADD",
    }
}

impl VarType {
    /// Whether references inside a value of this type are expanded. Results, arguments and messages hold text from outside: a
    /// fetched page that names a variable must not get its value.
    pub fn is_trusted(self) -> bool {
        matches!(self, VarType::Rule | VarType::LlmAdd | VarType::UserAdd)
    }
}

/// A variable without its value: what lists show and eviction goes by. Times are ticks of the pad's logical clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: any text without `}}`.
    pub name: String,
    /// Who made it.
    pub kind: VarType,
    /// Characters of its value.
    pub length: i64,
    /// What it is for.
    pub desc: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether eviction passes it by.
    pub keep: bool,
    /// Whether its value was copied from a variable of an untrusted type, whatever its own type is.
    pub untrusted: bool,
    /// When it was made.
    pub created: i64,
    /// When it was last written.
    pub updated: i64,
    /// When it was last written, read or referred to.
    pub last_visited: i64,
    /// How often it was read or referred to.
    pub reference_count: i64,
}

/// What a write of a variable says; what it leaves out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariablePatch {
    /// The value.
    pub value: Option<String>,
    /// The type.
    pub kind: Option<VarType>,
    /// The description.
    pub desc: Option<String>,
    /// All tags.
    pub tags: Option<Vec<String>>,
    /// Whether it is kept.
    pub keep: Option<bool>,
    /// Whether the value was copied from untrusted text; without a value it says nothing.
    pub untrusted: bool,
}

impl Variable {
    /// Whether references inside the value are expanded.
    pub fn is_trusted(&self) -> bool {
        self.kind.is_trusted() && !self.untrusted
    }
}

/// Why a variable cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritable {
    /// It is not there, and the write does not say enough to make it.
    Incomplete,
    /// It is a skill rule.
    Rule(String),
    /// Every variable of a full pad is kept.
    Full(usize),
    /// Its name is empty, too long or has `}}` in it.
    Name(String),
    /// A part of it is too long: which, and how long it may be.
    TooLong(&'static str, usize),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::Incomplete => formatter.write_str("Cannot create variable without value and type"),
            Unwritable::Rule(name) => {
                write!(formatter, "Variable '{name}' is a skill rule and cannot be changed; choose another name.")
            }
            Unwritable::Full(capacity) => write!(
                formatter,
                "The scratchpad is full: all of its {capacity} variables are kept; remove one or clear its keep flag."
            ),
            Unwritable::Name(name) => write!(
                formatter,
                "'{}' cannot be the name of a variable: a name has 1 to {SCRATCH_NAME_BYTES_MAX} bytes, no '}}}}', and is not \
                 '{RESERVED_NAME}'.",
                name.chars().take(64).collect::<String>()
            ),
            Unwritable::TooLong(what, most) => write!(formatter, "The {what} is longer than {most} bytes."),
        }
    }
}

impl VariablePatch {
    /// Checks everything that has a bound.
    pub fn check(&self, name: &str) -> Result<(), Unwritable> {
        check_name(name)?;
        let long = |text: &Option<String>, most: usize| text.as_ref().is_some_and(|text| text.len() > most);
        if long(&self.value, SCRATCH_VALUE_BYTES_MAX) {
            return Err(Unwritable::TooLong("value", SCRATCH_VALUE_BYTES_MAX));
        }
        if long(&self.desc, SCRATCH_DESC_BYTES_MAX) {
            return Err(Unwritable::TooLong("description", SCRATCH_DESC_BYTES_MAX));
        }
        let tags = self.tags.as_deref().unwrap_or_default();
        if tags.len() > SCRATCH_TAGS_MAX {
            return Err(Unwritable::TooLong("list of tags", SCRATCH_TAGS_MAX * SCRATCH_TAG_BYTES_MAX));
        }
        match tags.iter().any(|tag| tag.len() > SCRATCH_TAG_BYTES_MAX) {
            true => Err(Unwritable::TooLong("tag", SCRATCH_TAG_BYTES_MAX)),
            false => Ok(()),
        }
    }
}

/// Stands behind `/scratchpad/` in an address of the API, where the name of a variable stands too.
const RESERVED_NAME: &str = "messages";

/// Whether a text can be a variable's name: a reference ends at the first `}}`.
pub fn check_name(name: &str) -> Result<(), Unwritable> {
    match name == RESERVED_NAME
        || name.is_empty()
        || name.len() > SCRATCH_NAME_BYTES_MAX
        || name.contains("}}")
        || name.contains('\0')
    {
        true => Err(Unwritable::Name(name.to_owned())),
        false => Ok(()),
    }
}

/// How many characters a text has. A character is a Unicode scalar value everywhere in this module.
#[allow(clippy::cast_possible_wrap)]
pub fn length(text: &str) -> i64 {
    text.chars().count() as i64
}

/// A part of a text by characters.
pub fn slice(text: &str, start: usize, length: Option<usize>) -> &str {
    let at = |characters: usize, from: usize| {
        let rest = &text[from..];
        if rest.is_ascii() {
            return from + characters.min(rest.len());
        }
        rest.char_indices().nth(characters).map_or(text.len(), |(index, _)| from + index)
    };
    let begin = at(start, 0);
    let end = length.map_or(text.len(), |length| at(length, begin));
    &text[begin..end]
}
