//! A dry run: a reply applied to a state, nothing stored. The same for a request and for a line of a file.
//!
//! There are no functions of a session here, so no script is ever asked for.

use crate::input::{Fields, RequestError};
use crate::now_ms;
use crate::turn::Turns;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use tavernkeep_api::apply as api;
use tavernkeep_api::error::ErrorContent;
use tavernkeep_api::{Data, ErrorCode, Json, JsonObject};
use tavernkeep_engine::change::Change;
use tavernkeep_engine::command::{Arg, Command};
use tavernkeep_engine::dialect::Dialect;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BODY_BYTES_MAX, BODY_ENVELOPE_DEPTH, JSON_DEPTH_MAX, REPLY_BYTES_MAX};
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::problem::Problem;
use tavernkeep_engine::profile::{Profile, Reading};
use tavernkeep_engine::schema::{InvalidSchema, Schema};
use tavernkeep_engine::turn::{Clock, CommandResult, Outcome, Status, Turn};

/// What a dry run needs.
#[derive(Debug, Clone, Default)]
pub struct ApplyOrder {
    /// How commands are read and applied.
    pub profile: Profile,
    /// The state before.
    pub state: Value,
    /// The text with the commands.
    pub reply: String,
    /// Our schema, or MVU's own where the profile reads as MVU does.
    pub schema: Option<Value>,
}

/// Applies a reply. An error is about the order; what is wrong with the reply stands in the answer.
pub fn apply_order(order: ApplyOrder) -> Result<api::Applied, ErrorContent> {
    perform(order, None).map_err(RequestError::into_content)
}

/// Answers one line of JSON, `{"id", "profile", "state", "reply", "schema"?}`, with another, without its end: what came of
/// the reply, or `{"id", "error"}` for a line that cannot be read.
pub fn apply_line(line: &[u8]) -> Vec<u8> {
    let answer = parse(line).and_then(|body| {
        let (id, order) = read(&body)?;
        let id = id.unwrap_or_else(Json::null);
        serde_json::to_vec(&perform(order, Some(id))?).map_err(RequestError::internal)
    });
    answer.unwrap_or_else(|error| {
        let id = find_id(line).unwrap_or_else(|| "null".to_owned());
        let content = serde_json::to_string(&error.into_content()).unwrap_or_default();
        format!(r#"{{"id":{id},"error":{content}}}"#).into_bytes()
    })
}

/// Answers the body of a request.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, RequestError> {
    let body = parse(body)?;
    let (id, order) = read(&body)?;
    let data = perform(order, id)?;
    serde_json::to_vec(&Data { data }).map_err(RequestError::internal)
}

fn parse(bytes: &[u8]) -> Result<JsonText, RequestError> {
    if bytes.len() > BODY_BYTES_MAX {
        let message = format!("the line is longer than {BODY_BYTES_MAX} bytes; use a smaller state or reply");
        return Err(RequestError::new(ErrorCode::PayloadTooLarge, message));
    }
    Ok(JsonText::parse_with_depth(bytes, JSON_DEPTH_MAX + BODY_ENVELOPE_DEPTH)?)
}

fn read(body: &JsonText) -> Result<(Option<Json>, ApplyOrder), RequestError> {
    let mut fields = Fields::body(body)?;
    let id = fields.get("id").map(|id| json(id.text().to_owned())).transpose()?;
    let profile = match fields.get("profile").map(|profile| Profile::read(&Value::from(profile))) {
        Some(Ok(profile)) => profile,
        Some(Err(error)) => {
            fields.problems.add(format!("/profile{}", error.at()), "custom", error.to_string());
            Profile::default()
        }
        None => Profile::default(),
    };
    let state = fields.value("state")?;
    fields.need("reply");
    let reply = fields.text("reply", 0, REPLY_BYTES_MAX).map(String::from);
    let schema = fields.object("schema")?.flatten().map(|schema| Value::from(&schema));
    fields.finish()?;
    let state = state.as_ref().map(Value::from).unwrap_or_default();
    Ok((id, ApplyOrder { profile, state, reply: reply.unwrap_or_default(), schema }))
}

fn perform(order: ApplyOrder, id: Option<Json>) -> Result<api::Applied, RequestError> {
    let outcome = Turns::default().run(turn(order)?).map_err(RequestError::internal)?;
    applied(outcome, id)
}

fn turn(order: ApplyOrder) -> Result<Turn, RequestError> {
    let ApplyOrder { mut profile, state: document, reply, schema } = order;
    let clock = Clock { now_ms: now_ms(), ..Clock::default() };
    let mut mvu_schema = None;
    match schema {
        Some(schema) if profile.reading == Reading::Mvu => {
            let none = || RequestError::invalid("/schema", "type", "must be object,null");
            mvu_schema = Some(MvuSchema::from_value(&schema).ok_or_else(none)?);
        }
        Some(schema) => {
            let invalid =
                |error: InvalidSchema| RequestError::invalid(format!("/schema{}", error.at), "custom", error.message);
            profile.schema = Some(Schema::read(&schema).map_err(invalid)?.into());
        }
        None => {}
    }
    Ok(Turn { document, reply, clock, mvu_schema, profile: profile.into(), ..Turn::default() })
}

fn applied(outcome: Outcome, id: Option<Json>) -> Result<api::Applied, RequestError> {
    let schema = outcome.mvu_schema.map(|schema| json(schema.as_value().to_json())).transpose()?;
    Ok(api::Applied {
        id,
        state: json(outcome.document.to_json())?,
        commands: outcome.results.into_iter().map(command).collect::<Result<_, _>>()?,
        change: change(&outcome.change)?,
        problems: outcome.problems.into_iter().map(problem).collect(),
        schema: schema.map(JsonObject::from),
    })
}

/// Commands and problems as they are shown.
pub fn commands(
    results: Vec<CommandResult>,
    problems: Vec<Problem>,
) -> Result<(Vec<api::AppliedCommand>, Vec<api::ReplyProblem>), RequestError> {
    Ok((results.into_iter().map(command).collect::<Result<_, _>>()?, problems.into_iter().map(problem).collect()))
}

/// A command as it is shown.
pub fn command(result: CommandResult) -> Result<api::AppliedCommand, RequestError> {
    let CommandResult { command: Command { dialect, name, args, span, reason, .. }, status, .. } = result;
    let (status, code, message) = match status {
        Status::Applied => (api::CommandStatus::Applied, None, None),
        Status::Repaired(how) => (api::CommandStatus::Repaired, None, Some(how)),
        Status::Refused(refusal) => {
            (api::CommandStatus::Refused, Some(refusal.code.to_string()), Some(refusal.message))
        }
    };
    let argument = |arg: Arg| match arg {
        Arg::Raw(text) => json(JsonText::from_string(&text).as_str().to_owned()),
        Arg::Value(value) => json(value.to_json()),
        Arg::Absent => Ok(Json::null()),
    };
    Ok(api::AppliedCommand {
        dialect: match dialect {
            Dialect::At => api::DialectName::At,
            Dialect::Mvu => api::DialectName::Mvu,
            Dialect::JsonPatch => api::DialectName::JsonPatch,
            Dialect::Memory => api::DialectName::Memory,
        },
        name,
        args: args.into_iter().map(argument).collect::<Result<_, _>>()?,
        span: api::Span(span.start, span.end),
        status,
        code,
        message,
        reason,
    })
}

/// A change as it is shown.
pub fn change(change: &Change) -> Result<Vec<api::ChangeOperation>, RequestError> {
    let operation = |op: &Op| {
        Ok(api::ChangeOperation {
            op: match op {
                Op::Add { .. } => api::ChangeVerb::Add,
                Op::Remove { .. } => api::ChangeVerb::Remove,
                Op::Replace { .. } => api::ChangeVerb::Replace,
            },
            path: op.path().to_pointer(),
            value: op.value().map(|value| json(value.to_json())).transpose()?,
        })
    };
    change.ops.iter().map(operation).collect()
}

fn problem(problem: Problem) -> api::ReplyProblem {
    let Problem { code, span, message } = problem;
    api::ReplyProblem { code: code.to_string(), message, span: api::Span(span.start, span.end) }
}

/// JSON text that we wrote, for the wire.
pub fn json(text: String) -> Result<Json, RequestError> {
    Json::from_text(text).map_err(RequestError::internal)
}

/// The id of a line that cannot be read whole: whatever follows `"id":` before the place where reading fails.
fn find_id(line: &[u8]) -> Option<String> {
    struct Finder<'a>(&'a mut Option<String>);

    impl<'de> Visitor<'de> for Finder<'_> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
            while let Some(key) = members.next_key::<String>()? {
                if key == "id" && self.0.is_none() {
                    *self.0 = Some(members.next_value::<Box<RawValue>>()?.get().to_owned());
                } else {
                    members.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }

    let mut id = None;
    // That the line is broken is known already.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(Finder(&mut id));
    id
}
