//! Profiles as data: a name, or `{"base": name, field: value, …}`; and back.

use super::{CreateMissing, Merge, Profile, TypeChange};
use crate::dialect::Dialect;
use crate::document::Value;
use std::fmt;

/// Why a value is no profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidProfile {
    /// No profile has this name.
    UnknownName(String),
    /// A profile has no such field.
    UnknownField(String),
    /// The field's value is not one it can have.
    BadField(String),
    /// The value is neither a name nor an object.
    NotAProfile,
}

impl fmt::Display for InvalidProfile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidProfile::UnknownName(name) => {
                write!(formatter, "no profile is named {name:?}; there are {}", Profile::NAMES.join(", "))
            }
            InvalidProfile::UnknownField(field) => write!(formatter, "a profile has no field {field:?}"),
            InvalidProfile::BadField(field) => write!(formatter, "the field {field:?} cannot have this value"),
            InvalidProfile::NotAProfile => formatter.write_str("a profile is a name or an object with `base`"),
        }
    }
}

impl std::error::Error for InvalidProfile {}

impl Profile {
    /// Reads a profile wherever one is given: its name, or an object that changes one field by field.
    ///
    /// ```
    /// use tavernkeep_engine::{document::Value, profile::Profile};
    ///
    /// let profile = Value::parse(r#"{"base": "strict", "create_missing": true}"#).unwrap();
    /// assert!(Profile::read(&profile).is_ok());
    /// assert!(Profile::read(&Value::from("mvu")).is_ok());
    /// assert!(Profile::read(&Value::from("nobody")).is_err());
    /// ```
    pub fn read(value: &Value) -> Result<Profile, InvalidProfile> {
        match value {
            Value::String(name) => Profile::named(name).ok_or_else(|| InvalidProfile::UnknownName(name.to_string())),
            Value::Object(fields) => {
                let base = fields.get("base").cloned().unwrap_or_else(|| Value::from("default"));
                let mut profile = match base {
                    Value::String(_) => Profile::read(&base)?,
                    _ => return Err(InvalidProfile::BadField("base".to_owned())),
                };
                for (field, value) in fields.iter() {
                    if field.as_ref() != "base" {
                        profile.set(field, value)?;
                    }
                }
                Ok(profile)
            }
            _ => Err(InvalidProfile::NotAProfile),
        }
    }

    fn set(&mut self, field: &str, value: &Value) -> Result<(), InvalidProfile> {
        let bad = || InvalidProfile::BadField(field.to_owned());
        let truth = || value.as_bool().ok_or_else(bad);
        let texts = || match value {
            Value::Null => Some(Vec::new()),
            Value::String(text) => Some(vec![text.to_string()]),
            Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        match field {
            "dialects" => {
                let names = texts().ok_or_else(bad)?;
                self.dialects =
                    names.iter().map(|name| Dialect::named(name).ok_or_else(bad)).collect::<Result<_, _>>()?;
            }
            "pairs" => self.pairs = truth()?,
            "create_missing" => {
                self.create_missing = match value {
                    Value::Bool(true) => CreateMissing::Yes,
                    Value::Bool(false) => CreateMissing::No,
                    Value::String(text) if text.as_ref() == "as_mvu" => CreateMissing::AsMvu,
                    _ => return Err(bad()),
                }
            }
            "type_change" => {
                self.type_change = match value.as_str() {
                    Some("reported") => TypeChange::Reported,
                    Some("refused") => TypeChange::Refused,
                    Some("as_mvu") => TypeChange::AsMvu,
                    Some("by_schema") => TypeChange::BySchema,
                    _ => return Err(bad()),
                }
            }
            "merge" => {
                self.merge = match value.as_str() {
                    Some("deep") => Merge::Deep,
                    Some("deep_by_index") => Merge::DeepByIndex,
                    Some("shallow") => Merge::Shallow,
                    _ => return Err(bad()),
                }
            }
            "skip_thinking" => self.skip_thinking = truth()?,
            "only_in_tags" => self.only_in_tags = texts().ok_or_else(bad)?,
            "user_floors" => self.user_floors = truth()?,
            "underscore_read_only" => self.underscore_read_only = truth()?,
            "forced_set" => self.forced_set = truth()?,
            "time_path" => self.time_path = texts().ok_or_else(bad)?,
            _ => return Err(InvalidProfile::UnknownField(field.to_owned())),
        }
        Ok(())
    }

    /// The profile as data, every field spelled out.
    pub fn to_value(&self) -> Value {
        let texts = |texts: &[String]| texts.iter().map(|text| Value::from(text.as_str())).collect::<Value>();
        let create_missing = match self.create_missing {
            CreateMissing::Yes => Value::Bool(true),
            CreateMissing::No => Value::Bool(false),
            CreateMissing::AsMvu => Value::from("as_mvu"),
        };
        let type_change = match self.type_change {
            TypeChange::Reported => "reported",
            TypeChange::Refused => "refused",
            TypeChange::AsMvu => "as_mvu",
            TypeChange::BySchema => "by_schema",
        };
        let merge = match self.merge {
            Merge::Deep => "deep",
            Merge::DeepByIndex => "deep_by_index",
            Merge::Shallow => "shallow",
        };
        [
            ("base", Value::from(self.name.as_ref())),
            ("dialects", self.dialects.iter().map(|dialect| Value::from(dialect.as_str())).collect()),
            ("pairs", Value::Bool(self.pairs)),
            ("create_missing", create_missing),
            ("type_change", Value::from(type_change)),
            ("merge", Value::from(merge)),
            ("skip_thinking", Value::Bool(self.skip_thinking)),
            ("only_in_tags", texts(&self.only_in_tags)),
            ("user_floors", Value::Bool(self.user_floors)),
            ("underscore_read_only", Value::Bool(self.underscore_read_only)),
            ("forced_set", Value::Bool(self.forced_set)),
            ("time_path", texts(&self.time_path)),
        ]
        .into_iter()
        .collect()
    }
}
