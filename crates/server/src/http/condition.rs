//! Conditional requests: `If-Match` and `If-None-Match` on writes, `If-None-Match` on reads.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tavernkeep_api::ErrorCode;
use tavernkeep_runtime::record::Condition;

/// The condition of a write.
#[derive(Debug)]
pub(crate) struct WriteCondition(pub Condition);

/// A revision that no variable has, for an `ETag` that this server did not create.
const NO_REVISION: i64 = -1;

impl<S: Sync> FromRequestParts<S> for WriteCondition {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        write_condition(&parts.headers).map(WriteCondition)
    }
}

/// For routes that write many: a condition on one variable cannot be meant for all of them.
pub(crate) struct Unconditional;

impl<S: Sync> FromRequestParts<S> for Unconditional {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match [IF_MATCH, IF_NONE_MATCH].iter().find(|name| parts.headers.contains_key(*name)) {
            Some(name) => {
                let message = "is not supported on batches; write variables one by one where a condition matters";
                Err(ApiError::invalid(name.as_str(), "custom", message))
            }
            None => Ok(Unconditional),
        }
    }
}

fn write_condition(headers: &HeaderMap) -> Result<Condition, ApiError> {
    let exists = match single(headers, &IF_MATCH)? {
        None => None,
        Some("*") => Some(Condition::Exists),
        Some(tag) => Some(Condition::Revision(revision(tag)?)),
    };
    let absent = match single(headers, &IF_NONE_MATCH)? {
        None => None,
        Some("*") => Some(Condition::Absent),
        Some(_) => {
            let message = "must be * on a write: the variable must not exist yet";
            return Err(ApiError::invalid("if-none-match", "pattern", message));
        }
    };
    match (exists, absent) {
        (Some(_), Some(_)) => Err(ApiError::new(
            ErrorCode::PreconditionFailed,
            "If-Match and If-None-Match together can never be true; send one of them",
        )),
        (exists, absent) => Ok(exists.or(absent).unwrap_or_default()),
    }
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(text), None) => Ok(Some(text.trim())),
        _ => Err(ApiError::invalid(name.as_str(), "pattern", "must be given once, as * or one ETag")),
    }
}

/// The revision in an `ETag`.
fn revision(tag: &str) -> Result<i64, ApiError> {
    let opaque = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).filter(|tag| !tag.contains('"'));
    let weak = tag.starts_with("W/\"") && tag.ends_with('"') && tag.len() > 3 && !tag[3..tag.len() - 1].contains('"');
    match opaque {
        Some(text) => Ok(text.parse().ok().filter(|revision| *revision >= 0).unwrap_or(NO_REVISION)),
        // A weak tag is well-formed, and If-Match compares strongly, so it never matches.
        None if weak => Ok(NO_REVISION),
        None => Err(ApiError::invalid("if-match", "pattern", "must be * or one ETag in double quotes, such as \"42\"")),
    }
}

/// The `ETag` of a variable.
pub(crate) fn etag(revision: i64) -> HeaderValue {
    HeaderValue::try_from(format!("\"{revision}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether the client has the version with this tag already.
pub(crate) fn none_match(headers: &HeaderMap, tag: &str) -> bool {
    headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|list| {
        list.split(',').map(str::trim).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_write_has_one_condition() {
        let condition = |pairs: &[_]| write_condition(&headers(pairs)).map_err(|error| error.code());
        assert_eq!(condition(&[]), Ok(Condition::None));
        assert_eq!(condition(&[("if-match", "*")]), Ok(Condition::Exists));
        assert_eq!(condition(&[("if-match", "\"42\"")]), Ok(Condition::Revision(42)));
        assert_eq!(condition(&[("if-match", "\"abc\"")]), Ok(Condition::Revision(NO_REVISION)));
        assert_eq!(condition(&[("if-match", "W/\"42\"")]), Ok(Condition::Revision(NO_REVISION)));
        assert_eq!(condition(&[("if-none-match", "*")]), Ok(Condition::Absent));
        assert_eq!(condition(&[("if-match", "*"), ("if-none-match", "*")]), Err(ErrorCode::PreconditionFailed));
        for bad in ["42", "\"1\", \"2\"", "\"", "", "W/42"] {
            assert_eq!(condition(&[("if-match", bad)]), Err(ErrorCode::ValidationError), "{bad}");
        }
        assert_eq!(condition(&[("if-none-match", "\"42\"")]), Err(ErrorCode::ValidationError));
    }

    #[test]
    fn a_reader_may_know_several_tags() {
        let knows = |value| none_match(&headers(&[("if-none-match", value)]), "\"a\"");
        assert!(knows("\"a\"") && knows("W/\"a\"") && knows("\"b\", \"a\"") && knows("*"));
        assert!(!knows("\"b\"") && !knows("a"));
    }
}
