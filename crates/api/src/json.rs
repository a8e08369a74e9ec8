//! Values as raw JSON text: they pass through without becoming a tree, so nothing of them is rounded or reordered.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Ref, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// Any JSON value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

/// A JSON object with anything in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(Json);

impl Json {
    /// Takes JSON text as it is.
    pub fn from_text(text: String) -> Result<Json, serde_json::Error> {
        RawValue::from_string(text).map(Json)
    }

    /// `null`
    pub fn null() -> Json {
        Json(RawValue::NULL.to_owned())
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl JsonObject {
    /// The text.
    pub fn text(&self) -> &str {
        self.0.text()
    }
}

impl From<Json> for JsonObject {
    fn from(json: Json) -> JsonObject {
        JsonObject(json)
    }
}

/// A value that is there, be it null: a field that is left out stays `None`.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

const SELF: &str = "#/components/schemas/JsonValue";

impl PartialSchema for Json {
    fn schema() -> RefOr<Schema> {
        let of = |kind: Type| ObjectBuilder::new().schema_type(kind);
        AnyOfBuilder::new()
            .item(of(Type::Null))
            .item(of(Type::Boolean))
            .item(of(Type::String))
            .item(of(Type::Integer).minimum(Some(i64::MIN)).maximum(Some(u64::MAX)))
            .item(of(Type::Number))
            .item(ArrayBuilder::new().items(Ref::new(SELF)))
            .item(ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(Ref::new(SELF))))
            .description(Some(
                "Any JSON value, nested at most 128 levels deep. Integers of 64 bits are kept exactly and larger ones \
                 are refused; any finite double is kept; an object may not have the same key twice.",
            ))
            .into()
    }
}

/// The schema of a number with a default.
pub(crate) fn number(description: &str, default: i64) -> AnyOfBuilder {
    let of = |kind: Type| ObjectBuilder::new().schema_type(kind);
    AnyOfBuilder::new()
        .item(of(Type::Integer).minimum(Some(i64::MIN)).maximum(Some(u64::MAX)))
        .item(of(Type::Number))
        .description(Some(description))
        .default(Some(default.into()))
}

impl ToSchema for Json {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("JsonValue")
    }
}

impl PartialSchema for JsonObject {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
            .additional_properties(Some(Ref::new(SELF)))
            .description(Some("A JSON object with anything in it, or null for none."))
            .into()
    }
}

impl ToSchema for JsonObject {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("JsonObject")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Json::name().into_owned(), Json::schema()));
    }
}
