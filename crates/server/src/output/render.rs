//! Writes the hot responses straight into one buffer, in the shapes of `api`; a test compares them.

use std::io::Write as _;
use tavernkeep_engine::scope::{GLOBAL_SCOPE_ID, encode_branch};
use tavernkeep_runtime::record::{Before, Computed, Host, Listed, Variable, Window, Winner};

/// `{"data": …}` around one variable.
pub(crate) fn one(variable_: &Variable) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 + variable_.value.as_str().len());
    out.extend_from_slice(b"{\"data\":");
    variable(&mut out, variable_);
    out.push(b'}');
    out
}

/// A list of variables with its `meta`.
pub(crate) fn list(listed: &Listed<Variable>, window: &Window, sort_by: &str) -> Vec<u8> {
    let bytes: usize = listed.items.iter().map(|variable| 256 + variable.value.as_str().len()).sum();
    let mut out = Vec::with_capacity(160 + bytes);
    out.extend_from_slice(b"{\"data\":");
    variables(&mut out, listed.items.iter());
    out.extend_from_slice(b",\"meta\":{");
    if let Some(total) = listed.total {
        let _ = write!(out, "\"total\":{total},");
    }
    let order = if window.ascending { "asc" } else { "desc" };
    let _ = write!(
        out,
        "\"limit\":{},\"offset\":{},\"has_more\":{},\"sort_by\":\"{sort_by}\",\"sort_order\":\"{order}\"}}}}",
        window.limit, window.offset, listed.has_more
    );
    out
}

/// Variables as an array.
pub(crate) fn variables<'a>(out: &mut Vec<u8>, rows: impl Iterator<Item = &'a Variable>) {
    out.push(b'[');
    for (index, row) in rows.enumerate() {
        comma(out, index);
        variable(out, row);
    }
    out.push(b']');
}

/// One variable.
pub(crate) fn variable(out: &mut Vec<u8>, row: &Variable) {
    out.extend_from_slice(b"{\"id\":");
    text(out, row.id.as_str());
    scope_fields(out, &row.host, ",\"scope\":", ",\"scope_id\":", ",\"scope_ref\":");
    out.extend_from_slice(b",\"key\":");
    text(out, row.key.as_str());
    out.extend_from_slice(b",\"value\":");
    out.extend_from_slice(row.value.as_str().as_bytes());
    let _ = write!(out, ",\"updated_at\":{}}}", row.updated_at);
}

/// The winner of one key, and how it comes to be seen here if it stands further back.
pub(crate) fn winner(out: &mut Vec<u8>, winner: &Winner) {
    let row = winner.variable();
    out.extend_from_slice(b"{\"key\":");
    text(out, row.key.as_str());
    out.extend_from_slice(b",\"value\":");
    out.extend_from_slice(row.value.as_str().as_bytes());
    scope_fields(out, &row.host, ",\"source_scope\":", ",\"source_scope_id\":", ",\"source_scope_ref\":");
    if let Winner::Before(Before { floor: Some(floor), .. }) = winner {
        out.extend_from_slice(b",\"inherited_from_floor_id\":");
        text(out, floor.as_str());
    }
    if let Winner::Computed(Computed { fresh, .. }) = winner {
        let _ = write!(out, ",\"computed\":true,\"fresh\":{fresh}");
    }
    let _ = write!(out, ",\"updated_at\":{}}}", row.updated_at);
}

/// Scope, host and, for a branch, its two names, each behind its label.
pub(crate) fn scope_fields(out: &mut Vec<u8>, host: &Host, scope: &str, scope_id: &str, scope_ref: &str) {
    out.extend_from_slice(scope.as_bytes());
    text(out, host.scope().as_str());
    out.extend_from_slice(scope_id.as_bytes());
    match host {
        Host::Global => text(out, GLOBAL_SCOPE_ID),
        Host::Chat(id) | Host::Floor(id) | Host::Page(id) => text(out, id.as_str()),
        Host::Branch(session, branch) => {
            text(out, &encode_branch(session.as_str(), branch));
            out.extend_from_slice(scope_ref.as_bytes());
            out.extend_from_slice(b"{\"session_id\":");
            text(out, session.as_str());
            out.extend_from_slice(b",\"branch_id\":");
            text(out, branch);
            out.push(b'}');
        }
    }
}

/// A JSON string.
pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut run = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[run..at]);
        run = at + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
    out.extend_from_slice(&bytes[run..]);
    out.push(b'"');
}

/// The comma in front of every item but the first.
pub(crate) fn comma(out: &mut Vec<u8>, index: usize) {
    if index > 0 {
        out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavernkeep_engine::json::JsonText;

    fn row(host: Host) -> Variable {
        Variable {
            id: "v-1".parse().unwrap(),
            host,
            key: "a\"\u{1}\n资".parse().unwrap(),
            value: JsonText::parse(br#"{"n":18446744073709551615,"a":[1.5,null]}"#).unwrap(),
            updated_at: 1_735_689_600_000,
            revision: 3,
        }
    }

    #[test]
    fn it_writes_what_the_shapes_say() {
        for host in [Host::Global, Host::Chat("s".parse().unwrap()), Host::Branch("s".parse().unwrap(), "a/\"b".into())]
        {
            let row = row(host);
            let mut out = Vec::new();
            variable(&mut out, &row);
            let text = String::from_utf8(out).unwrap();
            let shape: tavernkeep_api::variable::Variable = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&shape).unwrap(), text);
            assert_eq!((shape.key.as_str(), shape.value.text()), (row.key.as_str(), row.value.as_str()));
        }
    }

    #[test]
    fn the_meta_of_a_list_has_six_fields_and_five_without_a_total() {
        let window = Window { limit: 2, offset: 0, ascending: true, total: true };
        let mut listed = Listed { items: vec![], total: Some(12), has_more: true };
        assert_eq!(
            String::from_utf8(list(&listed, &window, "key")).unwrap(),
            r#"{"data":[],"meta":{"total":12,"limit":2,"offset":0,"has_more":true,"sort_by":"key","sort_order":"asc"}}"#
        );
        listed.total = None;
        assert!(!String::from_utf8(list(&listed, &window, "key")).unwrap().contains("total"));
    }
}
