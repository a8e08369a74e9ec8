//! Plain types as the store keeps them for itself: as their text. Nobody else reads it, so it promises nothing.

use crate::floor::{FloorState, PageKind};
use crate::id::Id;
use crate::json::JsonText;
use crate::key::Key;
use crate::role::Role;
use crate::scope::Scope;
use crate::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! kept_as_text {
    ($($kind:ty),+ $(,)?) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(|_| D::Error::custom(concat!("not a ", stringify!($kind))))
            }
        }
    )+};
}

kept_as_text!(
    ConflictPolicy,
    Decision,
    FloorState,
    Id,
    Intent,
    Key,
    PageKind,
    Role,
    Scope,
    SourceKind,
    StagedOp,
    StagedStatus
);

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| JsonText::from_stored(&text))
    }
}
