//! Plain types as the store keeps them for itself: as their text. No other program reads it, so the format may change.

use crate::json::JsonText;
use crate::names::id::Id;
use crate::names::key::Key;
use crate::names::role::Role;
use crate::names::scope::Scope;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Lets the store keep types that have `as_str` and `FromStr`. For `crates/store` only.
#[doc(hidden)]
#[macro_export]
macro_rules! kept_as_text {
    ($($kind:ty),+ $(,)?) => {$(
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                let broken = |_| serde::de::Error::custom(concat!("not a ", stringify!($kind)));
                text.parse().map_err(broken)
            }
        }
    )+};
}

kept_as_text!(Id, Key, Role, Scope);

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
