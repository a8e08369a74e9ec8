//! MVU's vectors.

use super::Shares;
use serde_json::{Value as Json, json};
use tavernkeep_engine::dialect::{Dialect, parse};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::literal::{Literals, read_block, read_literal};
use tavernkeep_engine::mvu::{LoreEntry, MvuSchema, greeting_init, import, initialise};
use tavernkeep_engine::path::{fix_mvu, lodash_segments};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::schema::Schema;
use tavernkeep_engine::turn::{Status, Turn, apply_reply};

pub fn replay(vector: &Json, shares: &mut Shares) {
    let kind = vector["kind"].as_str().unwrap();
    let input = vector["input"].as_str().unwrap_or_default();
    match kind {
        "path_fix" => {
            let fixed = fix_mvu(input);
            let segments: Vec<String> = lodash_segments(&fixed).iter().map(ToString::to_string).collect();
            let expected = json!([vector["expected"], vector["expected_segments"]]);
            shares.count(kind, vector, &expected, &json!([fixed, segments]));
        }
        "value" => {
            let found =
                read_literal(input, Literals::Mvu).map_or(json!({"$undefined": true}), |value| value.to_serde());
            shares.count(&labelled(vector, kind), vector, &vector["expected_value"], &found);
        }
        "parse_string" => {
            let found = read_block(input).map_or(Json::Null, |value| value.to_serde());
            shares.count(kind, vector, &vector["expected_value"], &found);
        }
        "parse" => {
            let reply = vector["reply_text"].as_str().unwrap();
            let parsed = parse(reply, &Profile::named("mvu").unwrap());
            let found = parsed.commands.iter().filter(|command| command.dialect == Dialect::Mvu).map(|command| {
                json!([
                    command.name,
                    command.args.iter().map(tavernkeep_engine::command::Arg::text).collect::<Vec<_>>(),
                    command.reason.clone().unwrap_or_default(),
                    reply[command.span.clone()]
                ])
            });
            let expected = vector["expected_commands"].as_array().unwrap().iter();
            let expected = expected
                .filter(|command| command["reason"] != "json_patch")
                .map(|command| json!([command["type"], command["args"], command["reason"], without_reason(command)]));
            shares.count("parse (calls)", vector, &expected.collect(), &found.collect());
            let operations = parsed.commands.iter().filter(|command| command.dialect == Dialect::JsonPatch).count();
            let expected = vector["expected_commands"].as_array().unwrap().iter();
            let expected = expected.filter(|command| command["reason"] == "json_patch").count();
            shares.count("parse (operations)", vector, &json!(expected), &json!(operations));
        }
        "apply" => {
            apply(vector, shares);
            if let Some(data) = vector.get("initvar") {
                let imported = import(&value(data));
                shares.count("initvar, state", vector, &vector["initial_state"], &imported.state.to_serde());
                shares.count(
                    "initvar, schema",
                    vector,
                    &vector["initial_schema"],
                    &imported.schema.as_value().to_serde(),
                );
            }
        }
        "apply_zod" => apply_zod(vector, shares),
        "init" => {
            let order = vector["order"].as_array().unwrap().iter().map(|book| book.as_str().unwrap());
            let books: Vec<Vec<LoreEntry>> = order.map(|book| entries(&vector["lorebooks"][book])).collect();
            let books: Vec<&[LoreEntry]> = books.iter().map(Vec::as_slice).collect();
            let imported = initialise(&value(&vector["initial_state"]), &books);
            shares.count(kind, vector, &vector["expected_state"], &imported.state.to_serde());
        }
        "init_chat" => init_chat(vector, shares),
        _ => {}
    }
}

/// State × replies → states. A list of replies is a conversation, its schema carried along.
fn apply(vector: &Json, shares: &mut Shares) {
    let replies = match &vector["reply_text"] {
        Json::Array(replies) => replies.clone(),
        single => vec![single.clone()],
    };
    let mut document = value(&vector["initial_state"]);
    let mut mvu_schema = MvuSchema::from_value(&value(&vector["initial_schema"]));
    let mut found = Vec::new();
    let mut refused = 0;
    for reply in &replies {
        let outcome = apply_reply(Turn {
            document: document.clone(),
            reply: reply.as_str().unwrap().to_owned(),
            profile: Profile::named("mvu").unwrap().into(),
            mvu_schema: mvu_schema.clone(),
            ..Turn::default()
        });
        assert_eq!(outcome.change.apply(&document).unwrap(), outcome.document, "{}", vector["id"]);
        mvu_schema = outcome.mvu_schema;
        document = outcome.document;
        refused += outcome.results.iter().filter(|result| matches!(result.status, Status::Refused(_))).count();
        found.push(document.to_serde());
    }
    let kind = labelled(vector, "apply");
    let errors = vector["expected_errors"].as_array().unwrap();
    let errors: usize = errors.iter().map(|error| error.as_array().map_or(1, Vec::len)).sum();
    shares.count(&kind.replacen("apply", "apply, number of refusals", 1), vector, &errors.into(), &refused.into());
    match vector.get("expected_states") {
        Some(expected) => shares.count(&kind, vector, expected, &Json::Array(found)),
        None => shares.count(&kind, vector, &vector["expected_state"], &found[found.len() - 1]),
    }
}

/// Zod schemas are code; those of the vectors are written here as schemas of ours.
fn apply_zod(vector: &Json, shares: &mut Shares) {
    let schema = match vector["zod_schema"].as_str().unwrap() {
        source if source.contains("好感度") => json!({
            "required": ["好感度", "名字", "背包", "称号", "_只读", "日程", "状态"],
            "properties": {
                "好感度": {"type": "number", "coerce": true, "clamp": true, "minimum": 0, "maximum": 100},
                "名字": {"type": "string"},
                "背包": {"type": "object", "additionalProperties": {
                    "type": "object", "required": ["数量"], "additionalProperties": "strip",
                    "properties": {"数量": {"type": "number", "coerce": true}, "描述": {"type": "string", "default": "无"}},
                }},
                "称号": {"type": "array", "items": {"type": "string"}},
                "_只读": {"type": "number"},
                "日程": {"type": "object", "required": ["上午", "下午"], "additionalProperties": "strip",
                    "properties": {"上午": {"type": "string"}, "下午": {"type": "string"}}},
                "状态": {"enum": ["正常", "受伤", "死亡"]},
            },
        }),
        source if source.contains("时间") => json!({"properties": {"时间": {"type": "string"}}}),
        _ => json!({}),
    };
    let schema = Some(Schema::read(&value(&schema)).unwrap().into());
    let profile = Profile { schema, ..Profile::named("mvu_zod").unwrap() };
    let outcome = apply_reply(Turn {
        document: value(&vector["initial_state"]),
        reply: vector["reply_text"].as_str().unwrap().to_owned(),
        profile: profile.into(),
        ..Turn::default()
    });
    shares.count("apply_zod", vector, &vector["expected_state"], &outcome.document.to_serde());
}

fn entries(book: &Json) -> Vec<LoreEntry<'_>> {
    book.as_array()
        .into_iter()
        .flatten()
        .map(|entry| LoreEntry {
            title: entry["comment"].as_str().unwrap(),
            content: entry["content"].as_str().unwrap(),
        })
        .collect()
}

/// Every greeting starts from the books, or from its own block, and is then applied like a reply.
fn init_chat(vector: &Json, shares: &mut Shares) {
    let global: Vec<&str> =
        vector["global_books"].as_array().unwrap().iter().map(|book| book.as_str().unwrap()).collect();
    let books = vector["lorebooks"].as_object().unwrap();
    let own = books.keys().map(String::as_str).filter(|book| !global.contains(book));
    let found: Vec<(Json, Json)> = vector["greetings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|greeting| {
            let greeting = greeting.as_str().unwrap();
            let block = greeting_init(greeting);
            let names: Vec<&str> = match block {
                Some(_) => global.clone(),
                None => global.iter().copied().chain(own.clone()).collect(),
            };
            let books: Vec<Vec<LoreEntry>> = names.into_iter().map(|book| entries(&books[book])).collect();
            let books: Vec<&[LoreEntry]> = books.iter().map(Vec::as_slice).collect();
            let imported = initialise(&block.unwrap_or_else(Value::empty_object), &books);
            let outcome = apply_reply(Turn {
                document: imported.state,
                mvu_schema: Some(imported.schema),
                reply: greeting.to_owned(),
                profile: Profile::named("mvu").unwrap().into(),
                ..Turn::default()
            });
            let schema = outcome.mvu_schema.unwrap().as_value().to_serde();
            (outcome.document.to_serde(), schema)
        })
        .collect();
    let states: Vec<&Json> = found.iter().map(|(state, _)| state).collect();
    let schemas: Vec<&Json> = found.iter().map(|(_, schema)| schema).collect();
    shares.count("init_chat, state", vector, &vector["expected_state_per_swipe"], &json!(states));
    shares.count("init_chat, schema", vector, &vector["expected_schema_per_swipe"], &json!(schemas));
}

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

/// Our span ends with the call; MVU's match goes on to the end of the reason.
fn without_reason(command: &Json) -> &str {
    let (text, reason) = (command["full_match"].as_str().unwrap(), command["reason"].as_str().unwrap());
    let call = text.trim_end().strip_suffix(reason).and_then(|call| call.trim_end().strip_suffix("//"));
    call.map_or(text, str::trim_end)
}

/// Vectors that are candidates for a deliberate difference are counted apart.
fn labelled(vector: &Json, kind: &str) -> String {
    const CANDIDATES: [&str; 6] =
        ["lit:mathjs", "lit:mathjs-nonscalar", "lit:js-eval", "date", "non-json-result", "js-artifact"];
    let tags = vector["tags"].as_array().cloned().unwrap_or_default();
    let candidate = tags.iter().any(|tag| CANDIDATES.iter().any(|candidate| tag == candidate));
    if candidate { format!("{kind} (candidates for a difference)") } else { kind.to_owned() }
}
