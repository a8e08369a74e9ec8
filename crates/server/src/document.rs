//! The frame of the API document, and the corrections that make it say exactly what the server does.

use crate::registry::{RouteInfo, operations};
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::limits::IDEMPOTENCY_KEY_CHARS_MAX;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, ObjectBuilder, Ref, Schema, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, RefOr, Required, Server,
};

/// The document without its routes.
pub(crate) fn frame() -> OpenApi {
    let codes: Vec<_> = ErrorCode::ALL
        .iter()
        .map(|code| format!("| `{}` | {} | {} |", code.code(), code.status(), code.description()))
        .collect();
    let description = format!("{INTRODUCTION}\n\n| code | status | meaning |\n|---|---|---|\n{}\n", codes.join("\n"));
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Tavernkeep")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(description))
                .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
                .build(),
        )
        .tags(Some(TAGS.map(|(name, text)| TagBuilder::new().name(name).description(Some(text)).build())))
        .components(Some(
            ComponentsBuilder::new()
                .security_scheme(
                    "bearer",
                    SecurityScheme::Http(
                        HttpBuilder::new()
                            .scheme(HttpAuthScheme::Bearer)
                            .description(Some("`Authorization: Bearer tk_…`. Not needed while the server is open."))
                            .build(),
                    ),
                )
                .security_scheme(
                    "api_key",
                    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
                        "x-api-key",
                        "`x-api-key: tk_…`, the same key in another header.",
                    ))),
                )
                .build(),
        ))
        .build()
}

/// Says where the routes are when a base path stands in front of them.
pub(crate) fn serve_under(openapi: &mut OpenApi, base: &str) {
    openapi.servers = Some(vec![Server::new(if base.is_empty() { "/" } else { base })]);
}

/// The header that every write accepts.
pub(crate) fn idempotency_key() -> RefOr<Parameter> {
    let text = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .min_length(Some(1))
        .max_length(Some(IDEMPOTENCY_KEY_CHARS_MAX))
        .pattern(Some("^[!-~]+$"))
        .build();
    let description = "Any name for this request, fresh for each one. Sent again within 24 hours with the same key, the \
        request happens no second time: the first answer is given again, with `Idempotency-Replayed: true`.";
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(text));
    RefOr::T(parameter.build())
}

/// The derived document calls an optional parameter nullable; a query string or header has no null.
pub(crate) fn without_null(parameter: &mut Parameter) {
    match &mut parameter.schema {
        Some(RefOr::T(Schema::Object(object))) => strip(&mut object.schema_type),
        Some(RefOr::T(Schema::Array(array))) => strip(&mut array.schema_type),
        Some(RefOr::T(Schema::OneOf(one_of))) => {
            one_of
                .items
                .retain(|item| !matches!(item, RefOr::T(Schema::Object(object)) if is_null(&object.schema_type)));
            if let [only] = one_of.items.as_slice() {
                let (mut only, default) = (only.clone(), one_of.default.take());
                if let RefOr::T(Schema::Object(object)) = &mut only {
                    object.default = object.default.take().or(default);
                }
                parameter.schema = Some(only);
            }
        }
        // An enumeration with a default is derived as both of an enumeration and a thing with a default.
        Some(RefOr::T(Schema::AllOf(all_of))) => {
            let default = all_of.items.iter().find_map(|item| match item {
                RefOr::T(Schema::Object(object)) => object.default.clone(),
                _ => None,
            });
            if let Some(RefOr::T(Schema::Object(object))) = all_of.items.first_mut() {
                object.default = default;
                parameter.schema = Some(RefOr::T(Schema::Object(object.clone())));
            }
        }
        _ => {}
    }
}

/// What a request's body may carry beyond the documented properties: nothing, or on an open route anything that is JSON we
/// keep. The document says so for every object that the body consists of.
pub(crate) fn bound_bodies(openapi: &mut OpenApi, route: &RouteInfo) {
    let mut names = Vec::new();
    let item = openapi.paths.paths.get_mut(&route.path);
    let operation = item.and_then(|item| operations(item).find(|(method, _)| *method == route.method));
    if let Some(RefOr::T(body)) = operation.and_then(|(_, operation)| operation.request_body.as_ref()) {
        for content in body.content.values() {
            if let RefOr::T(content) = content {
                content.schema.iter().for_each(|schema| references(schema, &mut names));
            }
        }
    }
    let Some(components) = &mut openapi.components else { return };
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        if let Some(schema) = components.schemas.get_mut(&name) {
            references(schema, &mut names);
            bound(schema, route.is_open());
        }
    }
}

const JSON_VALUE: &str = "JsonValue";

/// Lets an object have any further property that is JSON we keep, or none.
fn bound(schema: &mut RefOr<Schema>, open: bool) {
    match schema {
        RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Object) => {
            object.additional_properties.get_or_insert_with(|| {
                Box::new(match open {
                    true => Ref::from_schema_name(JSON_VALUE).into(),
                    false => AdditionalProperties::FreeForm(false),
                })
            });
        }
        RefOr::T(Schema::OneOf(one_of)) => one_of.items.iter_mut().for_each(|part| bound(part, open)),
        RefOr::T(Schema::AnyOf(any_of)) => any_of.items.iter_mut().for_each(|part| bound(part, open)),
        RefOr::T(Schema::AllOf(all_of)) => all_of.items.iter_mut().for_each(|part| bound(part, open)),
        _ => {}
    }
}

/// The names of the components that a schema mentions; values themselves are open already.
fn references(schema: &RefOr<Schema>, names: &mut Vec<String>) {
    match schema {
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next().unwrap_or_default().to_owned();
            if name != JSON_VALUE && !names.contains(&name) {
                names.push(name);
            }
        }
        RefOr::T(Schema::Object(object)) => object.properties.values().for_each(|part| references(part, names)),
        RefOr::T(Schema::OneOf(one_of)) => one_of.items.iter().for_each(|part| references(part, names)),
        RefOr::T(Schema::AnyOf(any_of)) => any_of.items.iter().for_each(|part| references(part, names)),
        RefOr::T(Schema::AllOf(all_of)) => all_of.items.iter().for_each(|part| references(part, names)),
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &array.items {
                references(items, names);
            }
        }
        RefOr::T(_) => {}
    }
}

fn strip(schema_type: &mut SchemaType) {
    if let SchemaType::Array(types) = schema_type {
        types.retain(|kind| *kind != Type::Null);
        if let [only] = types.as_slice() {
            *schema_type = SchemaType::Type(only.clone());
        }
    }
}

fn is_null(schema_type: &SchemaType) -> bool {
    matches!(schema_type, SchemaType::Type(Type::Null))
}

const INTRODUCTION: &str = "\
Tavernkeep keeps the state of LLM conversations: sessions, their branches, floors and pages, and variables on five \
scopes.

Success is `{\"data\": …}`, lists add `\"meta\"`. Every error is `{\"error\": {\"code\", \"message\", \"details\"?}}`. \
Times are milliseconds since 1970. Ids are 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : -`; ids of branches are free \
text, percent-encoded in paths and in `scope_id`. What belongs to another account does not exist: 404. Fields and query \
parameters that are not documented are refused; the routes under `/variables` ignore them.";

const TAGS: [(&str, &str); 13] = [
    ("sessions", "Conversations."),
    ("branches", "Lines through a conversation."),
    ("floors", "Positions on a branch, and their life: draft, generating, committed or failed."),
    ("pages", "Candidate texts (swipes) at a position."),
    ("variables", "Keys and JSON values on five scopes: page › floor › branch › chat › global."),
    ("characters", "Whom stories are told with: template, profile, greetings."),
    ("story", "Turns, and the state of the story at every page."),
    ("events", "What happens, as it happens."),
    ("replies", "Replies and the commands in them."),
    ("jobs", "Work that goes on after its request was answered."),
    ("keys", "The keys that open an account."),
    ("account", "Who is asking; export and deletion of everything."),
    ("service", "The server itself."),
];
