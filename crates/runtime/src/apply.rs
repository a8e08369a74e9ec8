//! A dry run: a reply applied to a state, nothing stored. The same for a request and for a line of a file.
//!
//! There are no functions of a session here, so no script is ever asked for.

use crate::input::{Fields, RequestError};
use crate::turn::{TriedReply, Turns};
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
use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{
    BODY_BYTES_MAX, BODY_ENVELOPE_DEPTH, JSON_DEPTH_MAX, LABEL_BYTES_MAX, RECENT_TEXTS_MAX, REPLY_BYTES_MAX,
};
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::packs::Archived;
use tavernkeep_engine::problem::Problem;
use tavernkeep_engine::profile::{MvuSchemaSource, Profile, Reading};
use tavernkeep_engine::schema::{InvalidSchema, Schema};
use tavernkeep_engine::turn::{CommandResult, LogLine, Outcome, RanFunction, Status};

/// What a dry run needs.
#[derive(Debug, Clone, Default)]
pub struct ApplyOrder {
    /// How commands are read and applied.
    pub profile: Profile,
    /// The state before; where there is none, the template of the profile's rule pack, or else an empty object.
    pub state: Option<Value>,
    /// The text with the commands.
    pub reply: String,
    /// Our schema, or MVU's own where the profile reads as MVU does.
    pub schema: Option<Value>,
    /// Replies before this one, the newest last, for rules that look at them.
    pub recent_texts: Vec<String>,
    /// Whether a person wrote the text.
    pub from_user: bool,
}

/// Applies a reply. An error is about the order; what is wrong with the reply stands in the answer.
pub fn apply_order(order: ApplyOrder) -> Result<api::Applied, ErrorContent> {
    perform(&Turns::default(), order, None).map_err(RequestError::into_content)
}

/// Answers one line of JSON, `{"id", "profile", "state", "reply", "schema"?}`, with another, without its end: what came of
/// the reply, or `{"id", "error"}` for a line that cannot be read.
pub fn apply_line(line: &[u8]) -> Vec<u8> {
    let answer = parse(line).and_then(|body| {
        let (id, order) = read(&body)?;
        let id = id.unwrap_or_else(Json::null);
        serde_json::to_vec(&perform(&Turns::default(), order, Some(id))?).map_err(RequestError::internal)
    });
    answer.unwrap_or_else(|error| {
        let id = find_id(line).unwrap_or_else(|| "null".to_owned());
        let content = serde_json::to_string(&error.into_content()).unwrap_or_default();
        format!(r#"{{"id":{id},"error":{content}}}"#).into_bytes()
    })
}

/// Answers the body of a request.
pub fn answer(turns: &Turns, body: &[u8]) -> Result<Vec<u8>, RequestError> {
    let body = parse(body)?;
    let (id, order) = read(&body)?;
    let data = perform(turns, order, id)?;
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
    let profile = match fields.get("profile").map(|profile| Profile::read_new(&Value::from(profile))) {
        Some(Ok(profile)) => profile,
        Some(Err(error)) => {
            fields.problems.add(format!("/profile{}", error.at()), "custom", error.to_string());
            Profile::default()
        }
        None => Profile::default(),
    };
    let has_template = !profile.packs.is_empty();
    let state = if has_template { fields.optional_value("state")? } else { fields.value("state")? };
    let recent_texts = fields.array("recent_texts", 0, RECENT_TEXTS_MAX).unwrap_or_default();
    let mut texts = Vec::with_capacity(recent_texts.len());
    for (number, text) in recent_texts.into_iter().enumerate() {
        match text.as_str() {
            Some(text) => texts.push(text.into_owned()),
            None => fields.problems.kind(format!("/recent_texts/{number}"), "string"),
        }
    }
    let from_user = fields.text("role", 0, LABEL_BYTES_MAX).is_some_and(|role| role == "user");
    fields.need("reply");
    let reply = fields.text("reply", 0, REPLY_BYTES_MAX).map(String::from);
    let schema = fields.object("schema")?.flatten().map(|schema| Value::from(&schema));
    fields.finish()?;
    let (state, reply) = (state.as_ref().map(Value::from), reply.unwrap_or_default());
    Ok((id, ApplyOrder { profile, state, reply, schema, recent_texts: texts, from_user }))
}

fn perform(turns: &Turns, order: ApplyOrder, id: Option<Json>) -> Result<api::Applied, RequestError> {
    let outcome = turns.try_reply(None, tried(order)?).map_err(RequestError::internal)?;
    applied(outcome, id)
}

fn tried(order: ApplyOrder) -> Result<TriedReply, RequestError> {
    let ApplyOrder { mut profile, state, reply, schema, recent_texts, from_user } = order;
    let template = || profile.first_document().unwrap_or_else(Value::empty_object);
    let mut document = state.unwrap_or_else(template);
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
        // What a session with this profile would begin with: a template that is locked, or that has this schema.
        None if profile.reading == Reading::Mvu && profile.mvu_schema != MvuSchemaSource::Marks => {
            let first = profile.first_state(document);
            (document, mvu_schema) = (first.document, first.mvu_schema);
        }
        None => {}
    }
    let profile = profile.into();
    Ok(TriedReply { document, reply, profile, mvu_schema, recent_texts, from_user, ..TriedReply::default() })
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
        archived: outcome.effects.into_iter().filter_map(archived).collect::<Result<_, _>>()?,
    })
}

/// What left the state for the archive, as it is shown.
fn archived(effect: Effect) -> Option<Result<api::ArchivedEntries, RequestError>> {
    let Effect::Archive(Archived { source, name, entries }) = effect else { return None };
    Some(json(entries.to_json()).map(|entries| api::ArchivedEntries { source, name, entries: entries.into() }))
}

/// Commands and problems as they are shown.
pub fn commands(
    results: Vec<CommandResult>,
    problems: Vec<Problem>,
) -> Result<(Vec<api::AppliedCommand>, Vec<api::ReplyProblem>), RequestError> {
    Ok((results.into_iter().map(command).collect::<Result<_, _>>()?, problems.into_iter().map(problem).collect()))
}

/// What functions logged, as it is shown.
pub fn log(lines: Vec<LogLine>) -> Vec<tavernkeep_api::story::LogLine> {
    let line = |LogLine { function, text }| tavernkeep_api::story::LogLine { function, text };
    lines.into_iter().map(line).collect()
}

/// The functions that ran, as they are shown.
pub fn ran(functions: Vec<RanFunction>) -> Vec<tavernkeep_api::story::RanFunction> {
    let shown = |ran: RanFunction| {
        let (status, code, message) = status_shown(ran.status);
        tavernkeep_api::story::RanFunction {
            function: ran.function,
            status,
            operations: ran.ops.len() as u64,
            command: ran.command.map(|command| command as u64),
            code,
            message,
        }
    };
    functions.into_iter().map(shown).collect()
}

fn status_shown(status: Status) -> (api::CommandStatus, Option<String>, Option<String>) {
    match status {
        Status::Applied => (api::CommandStatus::Applied, None, None),
        Status::Repaired(how) => (api::CommandStatus::Repaired, None, Some(how)),
        Status::Refused(refusal) => {
            (api::CommandStatus::Refused, Some(refusal.code.to_string()), Some(refusal.message))
        }
    }
}

/// A command as it is shown.
pub fn command(result: CommandResult) -> Result<api::AppliedCommand, RequestError> {
    let CommandResult { command: Command { dialect, name, args, span, reason, .. }, status, .. } = result;
    let (status, code, message) = status_shown(status);
    let argument = |arg: Arg| match arg {
        Arg::Raw(text) => json(JsonText::from_string(&text).as_str().to_owned()),
        Arg::Value(value) => json(value.to_json()),
        Arg::Absent => Ok(Json::null()),
    };
    Ok(api::AppliedCommand {
        dialect: dialect_name(dialect)?,
        name,
        args: args.into_iter().map(argument).collect::<Result<_, _>>()?,
        span: api::Span(span.start, span.end),
        status,
        code,
        message,
        reason,
    })
}

/// A dialect as it is shown. That of a pack is known to the API by the pack's name, which a test checks for all packs.
pub fn dialect_name(dialect: Dialect) -> Result<api::DialectName, RequestError> {
    let name = dialect.as_str();
    api::DialectName::named(name).ok_or_else(|| RequestError::internal(format!("the API knows no dialect `{name}`")))
}

/// The named profiles as they are shown.
pub fn profiles() -> Result<Vec<api::NamedProfile>, RequestError> {
    let shown = |name: &&str| {
        let missing = || RequestError::internal(format!("the API knows no profile `{name}`"));
        let profile = Profile::named(name).ok_or_else(missing)?;
        Ok(api::NamedProfile {
            name: api::ProfileName::named(name).ok_or_else(missing)?,
            description: Profile::description(name).ok_or_else(missing)?.to_owned(),
            dialects: profile.dialects.iter().map(|dialect| dialect_name(*dialect)).collect::<Result<_, _>>()?,
            packs: profile.packs.iter().map(|used| used.pack().name.to_owned()).collect(),
            fields: JsonObject::from(json(profile.to_value().to_json())?),
        })
    };
    Profile::NAMES.iter().map(shown).collect()
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

/// A problem as it is shown.
pub fn problem(problem: Problem) -> api::ReplyProblem {
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
