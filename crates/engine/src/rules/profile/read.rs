//! Profiles as data: a name, or `{"base": name, field: value, …}`; and back.

use super::{CreateMissing, MvuSchemaSource, Profile, Reading};
use crate::document::Value;
use crate::limits::{RECENT_TEXTS_MAX, VIEWS_MAX};
use crate::mvu::MvuSchema;
use crate::packs::{self, InvalidSettings, Pack, PackUse};
use crate::rules::dialect::Dialect;
use crate::rules::schema::{InvalidSchema, Schema};
use crate::view::{InvalidView, View};
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
    /// A view cannot be read; the name it has in the profile, and what is wrong with it.
    BadView(String, InvalidView),
    /// No rule pack has this name.
    UnknownPack(String),
    /// The settings of a rule pack cannot be read.
    BadPack(String, InvalidSettings),
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
            InvalidProfile::BadView(name, error) => write!(formatter, "view {name:?}{}: {}", error.at, error.message),
            InvalidProfile::UnknownPack(name) => {
                let names: Vec<&str> = packs::TABLE.iter().map(|pack| pack.name).collect();
                write!(formatter, "no rule pack is named {name:?}; there are {}", names.join(", "))
            }
            InvalidProfile::BadPack(name, error) => write!(formatter, "packs/{name}{}: {}", error.at, error.message),
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
            InvalidProfile::BadView(name, error) => format!("/views/{name}{}", error.at),
            InvalidProfile::UnknownPack(_) => "/packs".to_owned(),
            InvalidProfile::BadPack(name, error) => format!("/packs/{name}{}", error.at),
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
        Profile::read_with(value, packs::TABLE)
    }

    /// Reads a profile that is being written now. It is looked at more closely than one that is stored already, which an
    /// earlier program may have accepted.
    pub fn read_new(value: &Value) -> Result<Profile, InvalidProfile> {
        let profile = Profile::read(value)?;
        for view in &profile.views {
            view.check_new().map_err(|error| InvalidProfile::BadView(view.name.to_string(), error))?;
        }
        match &profile.mvu_schema {
            MvuSchemaSource::Given(schema) if !schema.is_well_formed() => {
                Err(InvalidProfile::BadField("mvu_schema".to_owned()))
            }
            _ => Ok(profile),
        }
    }

    /// Reads a profile that may name these rule packs.
    pub fn read_with(value: &Value, table: &[&'static Pack]) -> Result<Profile, InvalidProfile> {
        match value {
            Value::String(name) => Profile::named(name).ok_or_else(|| InvalidProfile::UnknownName(name.to_string())),
            Value::Object(fields) => {
                let base = fields.get("base").cloned().unwrap_or_else(|| Value::from("default"));
                let mut profile = match base {
                    Value::String(_) => Profile::read(&base)?,
                    _ => return Err(InvalidProfile::BadField("base".to_owned())),
                };
                for (field, value) in fields.iter() {
                    match field.as_ref() {
                        "base" => {}
                        "packs" => profile.packs = read_packs(value, table)?,
                        _ => profile.set(field, value, table)?,
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

    fn set(&mut self, field: &str, value: &Value, table: &[&'static Pack]) -> Result<(), InvalidProfile> {
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
                let named = |name: &String| Dialect::named(name, table).ok_or_else(bad);
                self.dialects = names.iter().map(named).collect::<Result<_, _>>()?;
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
            "views" => {
                let views = value.as_object().filter(|views| views.len() <= VIEWS_MAX).ok_or_else(bad)?;
                let read = |(name, view)| {
                    let name: &Arc<str> = name;
                    View::read(name, view)
                        .map(Arc::new)
                        .map_err(|error| InvalidProfile::BadView(name.to_string(), error))
                };
                self.views = views.iter().map(read).collect::<Result<_, _>>()?;
            }
            "note" => self.note = truth()?,
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
        let own = Profile::named(&self.name).map(|named| named.packs).unwrap_or_default();
        let used = |used: &PackUse| (used.pack().name, used.overrides().clone());
        let packs = (!self.packs.is_empty() || !own.is_empty()).then(|| self.packs.iter().map(used).collect());
        let optional = [
            ("packs", packs),
            ("schema", self.schema.as_ref().map(|schema| schema.as_value().clone())),
            ("mvu_schema", mvu_schema),
            ("disabled", (!self.disabled.is_empty()).then(|| texts(&self.disabled))),
            (
                "views",
                (!self.views.is_empty())
                    .then(|| self.views.iter().map(|view| (Arc::clone(&view.name), view.to_value())).collect()),
            ),
            ("note", self.note.then_some(Value::Bool(true))),
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

/// Reads the packs of a profile: a name, a list of names, or an object with the settings of each.
fn read_packs(value: &Value, table: &[&'static Pack]) -> Result<Vec<PackUse>, InvalidProfile> {
    let named = |name: &str, settings: Value| {
        let pack = table.iter().find(|pack| pack.name == name);
        let pack = pack.ok_or_else(|| InvalidProfile::UnknownPack(name.to_owned()))?;
        PackUse::new(pack, settings).map_err(|error| InvalidProfile::BadPack(name.to_owned(), error))
    };
    let bad = || InvalidProfile::BadField("packs".to_owned());
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(name) => Ok(vec![named(name, Value::Null)?]),
        Value::Array(names) => names.iter().map(|name| named(name.as_str().ok_or_else(bad)?, Value::Null)).collect(),
        Value::Object(members) => members.iter().map(|(name, settings)| named(name, settings.clone())).collect(),
        _ => Err(bad()),
    }
}

fn word<T: FromStr>(value: &Value) -> Option<T> {
    value.as_str()?.parse().ok()
}
