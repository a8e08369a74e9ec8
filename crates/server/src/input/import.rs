//! The body of an import: JSON, or a form with the file.

use crate::error::ApiError;
use crate::input::{body, multipart, shape};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use serde_json::{Map, Value};
use tavernkeep_api::import::ImportRequest;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BOOKS_MAX, IMPORTED_DEPTH_MAX};
use tavernkeep_engine::sillytavern::decode_base64;

/// A file that came with a request, and what the request says about it.
#[derive(Debug)]
pub(crate) struct ImportBody {
    pub(crate) request: ImportRequest,
    pub(crate) content: Bytes,
    pub(crate) books: Option<Vec<JsonText>>,
}

impl<S: Sync> FromRequest<S> for ImportBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        if let Some(boundary) = multipart::boundary(request.headers()) {
            let bytes = body::read_any(request).await?;
            return of_form(multipart::parts(&bytes, &boundary)?);
        }
        let body::JsonBody(body) = body::JsonBody::from_request(request, &()).await?;
        of_json(shape::read(&body)?)
    }
}

fn of_json(mut request: ImportRequest) -> Result<ImportBody, ApiError> {
    let content = match (request.content.take(), request.content_base64.take()) {
        (Some(text), None) => Bytes::from(text),
        (None, Some(text)) => {
            let wrong = |_| ApiError::invalid("/content_base64", "format", "must be Base64");
            Bytes::from(decode_base64(text.as_bytes()).map_err(wrong)?)
        }
        (Some(_), Some(_)) => {
            let message = "must NOT be there together with `content`";
            return Err(ApiError::invalid("/content_base64", "not", message));
        }
        (None, None) => {
            let message =
                "must have the file as `content` (text) or `content_base64`, or be a form with the part `file`";
            return Err(ApiError::invalid("", "required", message));
        }
    };
    let books = request.books.take().map(|books| books.iter().map(shape::value_text).collect());
    Ok(ImportBody { request, content, books })
}

/// Fields of a form that are not text.
const NUMBERS: [&str; 1] = ["max_deleted"];
const SWITCHES: [&str; 1] = ["dry_run"];

fn of_form(parts: Vec<multipart::FormPart>) -> Result<ImportBody, ApiError> {
    let (mut fields, mut content, mut books) = (Map::new(), None, Vec::new());
    for part in parts {
        let path = || format!("/{}", part.name);
        match part.name.as_str() {
            "file" if content.is_some() => {
                return Err(ApiError::invalid(
                    "/file",
                    "maxItems",
                    "must NOT be there more than once; send one file at a time",
                ));
            }
            "file" => {
                if let Some(name) = part.file_name {
                    fields.entry("file_name").or_insert_with(|| name.into());
                }
                content = Some(part.content);
            }
            "book" => {
                let book = JsonText::parse_with_depth(&part.content, IMPORTED_DEPTH_MAX);
                books.push(
                    book.map_err(|error| ApiError::invalid("/book", "format", format!("must be JSON: {error}")))?,
                );
                if books.len() > BOOKS_MAX {
                    return Err(ApiError::invalid(
                        "/book",
                        "maxItems",
                        format!("must NOT be there more than {BOOKS_MAX} times"),
                    ));
                }
            }
            name => {
                let text = std::str::from_utf8(&part.content)
                    .map_err(|_| ApiError::invalid(path(), "format", "must be UTF-8"))?;
                let value = field(name, text);
                fields.insert(name.to_owned(), value);
            }
        }
    }
    let content = content.ok_or_else(|| ApiError::invalid("/file", "required", "must be there: the file"))?;
    let fields = JsonText::parse(Value::Object(fields).to_string().as_bytes())?;
    let request = shape::read::<ImportRequest>(&fields)?;
    if request.content.is_some() || request.content_base64.is_some() || request.books.is_some() {
        let message = "must NOT be there in a form: the file is the part `file`, a world book a part `book`";
        return Err(ApiError::invalid("/content", "not", message));
    }
    Ok(ImportBody { request, content, books: Some(books).filter(|books| !books.is_empty()) })
}

/// A field as JSON has it. What cannot be read is refused by the schema.
fn field(name: &str, text: &str) -> Value {
    let read = || serde_json::from_str::<Value>(text).ok();
    match name {
        _ if NUMBERS.contains(&name) => read().filter(Value::is_number),
        _ if SWITCHES.contains(&name) => read().filter(Value::is_boolean),
        // The name of a profile, or a profile.
        "profile" => read().filter(|value| value.is_object() || value.is_string()),
        _ => None,
    }
    .unwrap_or_else(|| text.into())
}
