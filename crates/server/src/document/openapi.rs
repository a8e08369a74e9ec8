//! The frame of the API document, and the corrections that make it say exactly what the server does.

use crate::document::registry::RouteInfo;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use tavernkeep_engine::limits::IDEMPOTENCY_KEY_CHARS_MAX;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, RefOr, Required};

/// The document without its routes.
pub(crate) fn frame() -> OpenApi {
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Tavernkeep")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(INTRODUCTION))
                .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
                .build(),
        )
        .tags(Some(TAGS.iter().map(|(name, text)| TagBuilder::new().name(*name).description(Some(*text)).build())))
        .security(Some(["bearer", "api_key"].map(|scheme| SecurityRequirement::new::<_, [&str; 0], &str>(scheme, []))))
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

/// The document as it is served: the derived one, corrected and without repetitions.
pub(crate) fn finish(openapi: &OpenApi, routes: &[RouteInfo], base: &str) -> Value {
    let mut document = serde_json::to_value(openapi).unwrap_or_default();
    document["servers"] = json!([{"url": if base.is_empty() { "/" } else { base }}]);
    for route in routes {
        bound_body(&mut document, route);
    }
    refer_to_contents(&mut document);
    for parameter in parameters(&mut document) {
        without_null(&mut parameter["schema"]);
        if let Some(schema) = parameter["schema"].as_object_mut() {
            // The parameter has a description itself.
            schema.shift_remove("description");
        }
        if parameter["required"] == false
            && let Some(parameter) = parameter.as_object_mut()
        {
            parameter.shift_remove("required");
        }
    }
    share_parameters(&mut document);
    document
}

/// Writes the document with short lines, so that two of them can be compared. There is no indentation: it would be a fifth
/// of the file.
pub fn readable(document: &Value) -> String {
    let mut out = String::new();
    write_lines(&mut out, document);
    out.push('\n');
    out
}

const LINE_BYTES: usize = 600;

fn write_lines(out: &mut String, value: &Value) {
    let line = value.to_string();
    let parts: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (format!("{}:", json!(name)), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        _ => Vec::new(),
    };
    if parts.is_empty() || line.len() <= LINE_BYTES {
        out.push_str(&line);
        return;
    }
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    out.push(open);
    for (at, (name, value)) in parts.into_iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&name);
        write_lines(out, value);
    }
    out.push('\n');
    out.push(close);
}

/// The header that every write accepts.
pub(crate) fn idempotency_key() -> RefOr<Parameter> {
    let text = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .min_length(Some(1))
        .max_length(Some(IDEMPOTENCY_KEY_CHARS_MAX))
        .pattern(Some("^[!-~]+$"))
        .build();
    let description = "Any name for this request, fresh for each one. When the request is sent again within 24 hours \
        with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`.";
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(text));
    RefOr::T(parameter.build())
}

/// All parameters of all operations.
fn parameters(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let operations = paths.filter_map(Value::as_object_mut).flat_map(|item| item.values_mut());
    operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()).flatten()
}

/// The derived document calls an optional parameter nullable; a query string or header has no null. An enumeration with a
/// default is derived as both of an enumeration and a thing with a default, which is one schema here.
fn without_null(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".into(), only);
        }
    }
    for combination in ["oneOf", "allOf"] {
        let Some(Value::Array(mut parts)) = members.shift_remove(combination) else { continue };
        parts.retain(|part| part["type"] != "null");
        for (name, value) in parts.into_iter().filter_map(|part| part.as_object().cloned()).flatten() {
            members.entry(name).or_insert(value);
        }
    }
}

/// Moves parameters that several operations have in common to the components.
fn share_parameters(document: &mut Value) {
    let mut uses: Vec<(Value, usize)> = Vec::new();
    for parameter in parameters(document) {
        match uses.iter_mut().find(|(known, _)| known == parameter) {
            Some((_, count)) => *count += 1,
            None => uses.push((parameter.clone(), 1)),
        }
    }
    uses.retain(|(_, count)| *count > 1);
    uses.sort_by_key(|(_, count)| Reverse(*count));
    let mut shared = Map::new();
    for (parameter, _) in uses {
        let name: String = parameter["name"].as_str().unwrap_or_default().split(['_', '-']).map(capitalized).collect();
        // Parameters of one name that differ in their default.
        let name = if shared.contains_key(&name) { format!("{name}{}", word(&parameter)) } else { name };
        shared.entry(name).or_insert(parameter);
    }
    for parameter in parameters(document) {
        if let Some((name, _)) = shared.iter().find(|(_, known)| *known == parameter) {
            *parameter = json!({"$ref": format!("#/components/parameters/{name}")});
        }
    }
    document["components"]["parameters"] = shared.into();
}

fn word(parameter: &Value) -> String {
    capitalized(parameter["schema"]["default"].as_str().unwrap_or_default())
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}

const SCHEMAS: &str = "#/components/schemas/";

/// The derived document repeats an envelope's content inside of it, and calls it `Data_Session`. Here it is `SessionData`
/// and refers to `Session`.
fn refer_to_contents(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let mut renamed = Vec::new();
    let contents = schemas.clone();
    for (name, mut schema) in std::mem::take(schemas) {
        let Some((envelope, content)) = name.split_once('_') else {
            schemas.insert(name, schema);
            continue;
        };
        let reference = json!({"$ref": format!("{SCHEMAS}{content}")});
        match envelope {
            "Data" => schema = envelope_of(&json!({"data": reference})),
            "List" => {
                let meta = json!({"$ref": format!("{SCHEMAS}ListMeta")});
                schema = envelope_of(&json!({"data": {"type": "array", "items": reference}, "meta": meta}));
            }
            _ => refer_inside(&mut schema, &contents, &reference, content),
        }
        let new_name = format!("{content}{envelope}");
        renamed.push((format!("{SCHEMAS}{name}"), format!("{SCHEMAS}{new_name}")));
        schemas.insert(new_name, schema);
    }
    schemas.sort_keys();
    each_reference(document, &mut |reference| {
        if let Some((_, new)) = renamed.iter().find(|(old, _)| old == reference) {
            reference.clone_from(new);
        }
    });
}

/// Puts a reference wherever a schema repeats the content that it is made for.
fn refer_inside(schema: &mut Value, contents: &Map<String, Value>, reference: &Value, content: &str) {
    let Some(repeated) = contents.get(content) else { return };
    let same = |one: &Value| {
        let without = |value: &Value| {
            let mut members = value.as_object().cloned().unwrap_or_default();
            members.shift_remove("description");
            members
        };
        one.get("type").is_some() && without(one) == without(repeated)
    };
    if same(schema) {
        *schema = reference.clone();
        return;
    }
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(|member| refer_inside(member, contents, reference, content));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| refer_inside(item, contents, reference, content)),
        _ => {}
    }
}

fn envelope_of(properties: &Value) -> Value {
    let names: Vec<&str> = properties.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    json!({"type": "object", "required": names, "properties": properties})
}

/// What a request's body may carry beyond the documented properties: nothing, or on an open route anything that is JSON we
/// keep. The document says so for every object that the body consists of.
fn bound_body(document: &mut Value, route: &RouteInfo) {
    let method = route.method.as_str().to_ascii_lowercase();
    let mut names: Vec<String> = Vec::new();
    // Values themselves are open already.
    let collect = |names: &mut Vec<String>, within: &mut Value| {
        each_reference(within, &mut |reference| {
            let name = reference.trim_start_matches(SCHEMAS);
            if name != JSON_VALUE && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        });
    };
    if let Some(body) = document["paths"][&route.path][method].get_mut("requestBody") {
        collect(&mut names, body);
    }
    let further = if route.is_open() { json!({"$ref": format!("{SCHEMAS}{JSON_VALUE}")}) } else { json!(false) };
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        if let Some(schema) = document["components"]["schemas"].get_mut(&name) {
            collect(&mut names, schema);
            bound(schema, &further);
        }
    }
}

const JSON_VALUE: &str = "JsonValue";

/// Says what further properties an object may have.
fn bound(schema: &mut Value, further: &Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.get("type").is_some_and(|kind| kind == "object") {
        members.entry("additionalProperties").or_insert_with(|| further.clone());
    }
    for combination in ["oneOf", "anyOf", "allOf"] {
        let parts = members.get_mut(combination).and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(|part| bound(part, further));
    }
}

fn each_reference(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(reference) if name == "$ref" => visit(reference),
                    member => each_reference(member, visit),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_reference(item, visit)),
        _ => {}
    }
}

const INTRODUCTION: &str = "\
Tavernkeep keeps the state of LLM conversations: sessions, their branches, floors and pages, and variables on five \
scopes.

Success is `{\"data\": …}`, lists add `\"meta\"`. Every error is `{\"error\": {\"code\", \"message\", \"details\"?}}`. \
Times are milliseconds since 1970. Ids are 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : -`; ids of branches are free \
text, percent-encoded in paths and in `scope_id`. What belongs to another account does not exist: 404. Fields and query \
parameters that are not documented are refused; the routes under `/variables` ignore them.

Codes are for programs and keep their spelling; messages are for people and may improve. Each operation lists the errors \
that are its own by their status, and under `default` those that every operation of its kind can have; the schema \
`ErrorCode` says what each means. A path that no \
route has is `404 route_not_found`, a method that a route does not have `405 method_not_allowed`.";

const TAGS: &[(&str, &str)] = &[
    ("sessions", "Conversations."),
    ("branches", "Lines through a conversation."),
    ("floors", "Positions on a branch, and their states: draft, generating, committed or failed."),
    ("pages", "Candidate texts (swipes) at a position."),
    ("prompts", "Texts with macros, views of the state, and what a model needs to know before it writes."),
    ("variables", "Keys and JSON values on five scopes: page › floor › branch › chat › global."),
    ("characters", "Characters of stories: template, profile, greetings, functions."),
    ("functions", "The function library: what authors write in JavaScript, and what comes with the program."),
    ("story", "Turns, and the state of the story at every page."),
    ("tools", "Tools of a session: groups, calls, approvals, the scratchpad."),
    ("events", "The stream of events."),
    ("replies", "Replies and the commands in them."),
    ("memory", "The rule pack `memory`: what a model is shown, the archive, summaries."),
    ("imports", "Files of SillyTavern, in and out."),
    ("jobs", "Background work."),
    ("keys", "API keys."),
    ("account", "The account: usage, export, deletion."),
    ("service", "The server itself."),
];
