//! Files that are written from the code and read by people and other programs. They must not lag behind it.
//!
//! `UPDATE_DOCS=1 cargo test -p tavernkeep-server --test documents` rewrites them; the diff is read like code.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fmt::Write as _;
use std::path::Path;
use tavernkeep_api::ErrorCode;

fn must_be(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if let Some((number, (wanted, found))) = text.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{file}, line {}: {found:?} should be {wanted:?}; run this test with UPDATE_DOCS=1", number + 1);
    }
    assert_eq!(text.lines().count(), found.lines().count(), "{file}; run this test with UPDATE_DOCS=1");
}

#[test]
fn every_error_code_has_its_line() {
    let mut text = String::from(
        "# Error codes\n\n\
         Every error answer is `{\"error\": {\"code\", \"message\", \"details\"?}}`. Codes are for programs and keep their\n\
         spelling; messages are for people and may improve. `details` lists places in the request, where there are any.\n\
         What cannot be read as HTTP at all is answered with 400, 414 or 431 and no body.\n\n\
         | status | code | what it means, and what to do |\n|---|---|---|\n",
    );
    for code in ErrorCode::ALL {
        writeln!(text, "| {} | `{}` | {} |", code.status(), code.code(), code.description()).unwrap();
    }
    must_be("docs/errors.md", &text);
}

#[test]
fn the_api_document_is_kept_beside_the_code() {
    must_be("openapi.json", &tavernkeep_server::readable(&tavernkeep_server::openapi()));
}
