//! Profiles as data: a name, or `{"base": name, field: value, …}`; and back.

use super::{CreateMissing, MvuSchemaSource, Profile, Reading};
use crate::document::Value;
use crate::limits::RECENT_TEXTS_MAX;
use crate::mvu::MvuSchema;
use crate::rules::schema::{InvalidSchema, Schema};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Why a value is no profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidProfile {
    /// No profile has this name.
    UnknownName(String),
    /// A profile has no such field.
    UnknownField(String),
    /// The field's value is not one it can have.
    BadField(String),
    /// The schema cannot be read.
    BadSchema(InvalidSchema),
    /// The profile does not read as MVU's classic mode, which alone has such a schema.
    NotMvu,
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
            InvalidProfile::BadSchema(error) => write!(formatter, "schema{}: {}", error.at, error.message),
            InvalidProfile::NotMvu => {
                formatter.write_str("`mvu_schema` needs the base `mvu`; other profiles have `schema`")
            }
            InvalidProfile::NotAProfile => formatter.write_str("a profile is a name or an object with `base`"),
        }
    }
}

impl std::error::Error for InvalidProfile {}

impl InvalidProfile {
    /// Where in the profile, as a JSON Pointer; empty for the profile itself.
    pub fn at(&self) -> String {
        match self {
            InvalidProfile::BadSchema(error) => format!("/schema{}", error.at),
            _ => String::new(),
        }
    }
}

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
                if profile.mvu_schema != MvuSchemaSource::Marks && profile.reading != Reading::Mvu {
                    return Err(InvalidProfile::NotMvu);
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
                self.dialects = names.iter().map(|name| name.parse().map_err(|()| bad())).collect::<Result<_, _>>()?;
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
            "type_change" => self.type_change = word(value).ok_or_else(bad)?,
            "merge" => self.merge = word(value).ok_or_else(bad)?,
            "skip_thinking" => self.skip_thinking = truth()?,
            "only_in_tags" => self.only_in_tags = texts().ok_or_else(bad)?,
            "user_floors" => self.user_floors = truth()?,
            "underscore_read_only" => self.underscore_read_only = truth()?,
            "forced_set" => self.forced_set = truth()?,
            "time_path" => self.time_path = texts().ok_or_else(bad)?,
            "schema" => {
                self.schema = match value {
                    Value::Null => None,
                    schema => Some(Arc::new(Schema::read(schema).map_err(InvalidProfile::BadSchema)?)),
                }
            }
            "mvu_schema" => {
                self.mvu_schema = match value {
                    Value::Null | Value::Bool(false) => MvuSchemaSource::Marks,
                    Value::Bool(true) => MvuSchemaSource::Template,
                    tree => MvuSchemaSource::Given(MvuSchema::from_value(tree).ok_or_else(bad)?),
                }
            }
            "disabled" => self.disabled = texts().ok_or_else(bad)?,
            "recent_texts" => {
                let count = value.as_number().and_then(|count| usize::try_from(count.as_u64()?).ok());
                self.recent_texts = count.filter(|count| *count <= RECENT_TEXTS_MAX).ok_or_else(bad)?;
            }
            _ => return Err(InvalidProfile::UnknownField(field.to_owned())),
        }
        Ok(())
    }

    /// The profile as data: fields that every profile has are spelled out, the others only where they are set. Profiles
    /// that mean the same give the same data, however they were written.
    pub fn to_value(&self) -> Value {
        let texts = |texts: &[String]| texts.iter().map(|text| Value::from(text.as_str())).collect::<Value>();
        let create_missing = match self.create_missing {
            CreateMissing::Yes => Value::Bool(true),
            CreateMissing::No => Value::Bool(false),
            CreateMissing::AsMvu => Value::from("as_mvu"),
        };
        let mvu_schema = match &self.mvu_schema {
            MvuSchemaSource::Marks => None,
            MvuSchemaSource::Template => Some(Value::Bool(true)),
            MvuSchemaSource::Given(schema) => Some(schema.as_value().clone()),
        };
        let optional = [
            ("schema", self.schema.as_ref().map(|schema| schema.as_value().clone())),
            ("mvu_schema", mvu_schema),
            ("disabled", (!self.disabled.is_empty()).then(|| texts(&self.disabled))),
            ("recent_texts", (self.recent_texts > 0).then(|| Value::Number((self.recent_texts as u64).into()))),
        ];
        [
            ("base", Value::from(self.name.as_ref())),
            ("dialects", self.dialects.iter().map(|dialect| Value::from(dialect.as_str())).collect()),
            ("pairs", Value::Bool(self.pairs)),
            ("create_missing", create_missing),
            ("type_change", Value::from(self.type_change.as_str())),
            ("merge", Value::from(self.merge.as_str())),
            ("skip_thinking", Value::Bool(self.skip_thinking)),
            ("only_in_tags", texts(&self.only_in_tags)),
            ("user_floors", Value::Bool(self.user_floors)),
            ("underscore_read_only", Value::Bool(self.underscore_read_only)),
            ("forced_set", Value::Bool(self.forced_set)),
            ("time_path", texts(&self.time_path)),
        ]
        .into_iter()
        .chain(optional.into_iter().filter_map(|(field, value)| Some((field, value?))))
        .collect()
    }
}

fn word<T: FromStr>(value: &Value) -> Option<T> {
    value.as_str()?.parse().ok()
}
