//! Forms with files (`multipart/form-data`, RFC 7578), from a body that is there as a whole.
//!
//! ```text
//! body := "--" boundary CRLF part (CRLF "--" boundary CRLF part)* CRLF "--" boundary "--"
//! part := header* CRLF bytes          Content-Disposition: form-data; name="…"; filename="…"
//! ```

use crate::error::ApiError;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::limits::FORM_PARTS_MAX;

/// One part of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormPart {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) content: Bytes,
}

/// The boundary of a form, if that is what the headers announce.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let (essence, rest) = value.split_once(';')?;
    if !essence.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameter(rest, "boundary")?;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Takes a form apart.
pub(crate) fn parts(body: &Bytes, boundary: &str) -> Result<Vec<FormPart>, ApiError> {
    let delimiter = format!("\r\n--{boundary}");
    let finder = memchr::memmem::Finder::new(delimiter.as_bytes());
    let malformed = |what: &str| ApiError::new(ErrorCode::MalformedJson, format!("the form cannot be read: {what}"));
    // The first delimiter needs no line before it.
    let first = &delimiter[2..];
    let mut at = match body.starts_with(first.as_bytes()) {
        true => first.len(),
        false => finder.find(body).map(|found| found + delimiter.len()).ok_or_else(|| malformed("it has no parts"))?,
    };
    let mut parts = Vec::new();
    loop {
        let rest = &body[at..];
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        let start = memchr::memchr(b'\n', rest).ok_or_else(|| malformed("it breaks off"))? + 1;
        if !rest[..start].trim_ascii().is_empty() {
            return Err(malformed("text follows a boundary"));
        }
        let length = finder.find(&rest[start.saturating_sub(2)..]).ok_or_else(|| malformed("it breaks off"))?;
        let end = start.saturating_sub(2) + length;
        if parts.len() >= FORM_PARTS_MAX {
            return Err(malformed(&format!("it has more than {FORM_PARTS_MAX} parts")));
        }
        parts.push(
            part(&body.slice(at + start..(at + end).max(at + start))).ok_or_else(|| malformed("a part has no name"))?,
        );
        at += end + delimiter.len();
    }
}

fn part(bytes: &Bytes) -> Option<FormPart> {
    let (head, from) = match memchr::memmem::find(bytes, b"\r\n\r\n") {
        Some(end) => (std::str::from_utf8(&bytes[..end]).ok()?, end + 4),
        None => return None,
    };
    let disposition = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    let (_, rest) = disposition.split_once(';')?;
    Some(FormPart {
        name: parameter(rest, "name")?,
        file_name: parameter(rest, "filename"),
        content: bytes.slice(from..),
    })
}

/// A parameter of a header. Browsers write a quote in a name as `%22`.
fn parameter(text: &str, wanted: &str) -> Option<String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        let (name, value) = rest.split_once('=')?;
        let (found, behind) = match value.strip_prefix('"') {
            Some(quoted) => {
                let (found, behind) = quoted.split_once('"')?;
                (found.replace("%22", "\""), behind)
            }
            None => {
                let end = value.find(';').unwrap_or(value.len());
                (value[..end].trim().to_owned(), &value[end..])
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(found);
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Option<String>, String)>, ErrorCode> {
        let parts = parts(&Bytes::copy_from_slice(text.as_bytes()), "X").map_err(|error| error.code())?;
        let shown = |part: FormPart| (part.name, part.file_name, String::from_utf8_lossy(&part.content).into_owned());
        Ok(parts.into_iter().map(shown).collect())
    }

    #[test]
    fn parts_come_with_their_names() {
        let form = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"雪 %22a%22.png\"\r\nContent-Type: image/png\r\n\r\n\
                    a\r\n--Y\r\n\r\nb\r\n--X\r\ncontent-disposition: form-data; name=kind\r\n\r\n\r\n--X--\r\n";
        let file = ("file".to_owned(), Some("雪 \"a\".png".to_owned()), "a\r\n--Y\r\n\r\nb".to_owned());
        assert_eq!(read(form), Ok(vec![file, ("kind".to_owned(), None, String::new())]));
        assert_eq!(read(&format!("preamble\r\n{form}")).map(|parts| parts.len()), Ok(2));
    }

    #[test]
    fn what_breaks_off_is_refused() {
        let whole = "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X--";
        assert_eq!(read(whole).map(|parts| parts.len()), Ok(1));
        for end in 0..whole.len() - 2 {
            assert_eq!(read(&whole[..end]), Err(ErrorCode::MalformedJson), "{end}");
        }
        assert!(read("--X\r\nno name\r\n\r\nb\r\n--X--").is_err());
    }

    #[test]
    fn a_form_has_an_end() {
        let part = "Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X\r\n";
        let form = |count: usize| {
            format!("--X\r\n{}Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X--", part.repeat(count - 1))
        };
        assert_eq!(read(&form(FORM_PARTS_MAX)).map(|parts| parts.len()), Ok(FORM_PARTS_MAX));
        assert_eq!(read(&form(FORM_PARTS_MAX + 1)), Err(ErrorCode::MalformedJson));
    }

    #[test]
    fn a_boundary_may_be_quoted() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
            boundary(&headers)
        };
        assert_eq!(of("multipart/form-data; boundary=abc").as_deref(), Some("abc"));
        assert_eq!(of("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"").as_deref(), Some("a b"));
        assert_eq!(of("multipart/form-data"), None);
        assert_eq!(of("application/json; boundary=abc"), None);
    }
}
