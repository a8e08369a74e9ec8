//! Events, heartbeats and closing comments in the format of Server-Sent Events. The `data` lines have the shapes of `api`; a
//! test compares them.

use crate::events::id::event_id;
use crate::output::render::{scope_fields, text};
use bytes::Bytes;
use std::io::Write as _;
use std::time::Duration;
use tavernkeep_engine::scope::Scope;
use tavernkeep_runtime::record::{Event, EventKind, EventPosition, Host};

/// One event.
pub(crate) fn event(event: &Event) -> Bytes {
    let mut out = Vec::with_capacity(256 + event.value.as_ref().map_or(0, |value| value.as_str().len()));
    let _ = write!(out, "id: {}\nevent: {}\ndata: ", event_id(event.place), event.kind.as_str());
    data(&mut out, event);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// The first frame: the position where the stream begins, for a client that reconnects before the first event, and the
/// time to wait before reconnecting.
pub(crate) fn ready(place: EventPosition, retry: Duration) -> Bytes {
    let id = event_id(place);
    format!("retry: {}\nid: {id}\nevent: ready\ndata: {{\"id\":\"{id}\"}}\n\n", retry.as_millis()).into()
}

/// A heartbeat. It has the position if that has moved: events that the client filters out move it too, and they may be
/// purged before the next event that the client wants.
pub(crate) fn heartbeat(moved_to: Option<EventPosition>) -> Bytes {
    match moved_to {
        Some(place) => format!(":\nid: {}\n\n", event_id(place)).into(),
        None => Bytes::from_static(b":\n\n"),
    }
}

/// Says why the stream ends.
pub(crate) fn closing_comment(reason: &str) -> Bytes {
    format!(": {reason}\n\n").into()
}

fn data(out: &mut Vec<u8>, event: &Event) {
    out.push(b'{');
    if let Some(session) = &event.session {
        field(out, "session_id", session.as_str());
    }
    if let Some(branch) = &event.branch {
        field(out, "branch_id", branch);
    }
    match (event.kind, &event.host) {
        (EventKind::VariableCreated | EventKind::VariableUpdated, Some(host)) => set(out, event, host),
        (EventKind::VariableDeleted, Some(host)) => {
            field(out, "id", event.subject.as_str());
            scope_fields(out, host, ",\"scope\":", ",\"scope_id\":", ",\"scope_ref\":");
            key(out, event);
        }
        (EventKind::VariablePromoted, Some(host)) => promoted(out, event, host),
        _ => {
            field(out, "id", event.subject.as_str());
            // An object without its braces.
            if let Some(more) = event.detail.as_ref().and_then(|detail| detail.as_str().get(1..))
                && let Some(more) = more.strip_suffix('}').filter(|more| !more.is_empty())
            {
                out.push(b',');
                out.extend_from_slice(more.as_bytes());
            }
        }
    }
    out.push(b'}');
}

fn set(out: &mut Vec<u8>, event: &Event, host: &Host) {
    separate(out);
    out.extend_from_slice(b"\"entry\":{");
    field(out, "id", event.subject.as_str());
    scope_fields(out, host, ",\"scope\":", ",\"scope_id\":", ",\"scope_ref\":");
    key(out, event);
    value(out, event);
    let is_new = event.kind == EventKind::VariableCreated;
    let _ = write!(out, ",\"updated_at\":{}}},\"is_new\":{is_new}", event.at);
}

/// A value is promoted from page to floor, and from the floor to another scope.
fn promoted(out: &mut Vec<u8>, event: &Event, host: &Host) {
    if let Some(key) = &event.key {
        field(out, "key", key.as_str());
    }
    let from = if host.scope() == Scope::Floor { Scope::Page } else { Scope::Floor };
    field(out, "from_scope", from.as_str());
    scope_fields(out, host, ",\"to_scope\":", ",\"to_scope_id\":", ",\"to_scope_ref\":");
    value(out, event);
}

fn key(out: &mut Vec<u8>, event: &Event) {
    if let Some(key) = &event.key {
        field(out, "key", key.as_str());
    }
}

fn value(out: &mut Vec<u8>, event: &Event) {
    if let Some(value) = &event.value {
        out.extend_from_slice(b",\"value\":");
        out.extend_from_slice(value.as_str().as_bytes());
    }
}

fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    separate(out);
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    text(out, value);
}

fn separate(out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavernkeep_api::event as api;
    use tavernkeep_engine::json::JsonText;

    fn sample(kind: EventKind, host: Option<Host>, value: Option<&str>, detail: Option<&str>) -> Event {
        let json = |text: &str| JsonText::parse(text.as_bytes()).unwrap();
        Event {
            place: EventPosition { position: 12, ordinal: 3 },
            at: 1_735_689_600_000,
            kind,
            session: Some("s".parse().unwrap()),
            branch: Some("a\n\"b".into()),
            session_row: 1,
            branch_row: Some(2),
            subject: "x".parse().unwrap(),
            key: host.as_ref().map(|_| "ke\ny".parse().unwrap()),
            host,
            value: value.map(json),
            detail: detail.map(json),
        }
    }

    /// Checks that a frame is one block with one line of data, and that this is the documented shape.
    fn check<T: serde::Serialize + serde::de::DeserializeOwned>(sample: &Event) -> String {
        let frame = String::from_utf8(event(sample).to_vec()).unwrap();
        let lines: Vec<&str> = frame.split('\n').collect();
        let [id, kind, data, "", ""] = lines.as_slice() else { panic!("{frame}") };
        assert_eq!(*id, "id: 12-3");
        assert_eq!(*kind, format!("event: {}", sample.kind.as_str()));
        let data = data.strip_prefix("data: ").unwrap();
        let shape: T = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
        assert_eq!(serde_json::to_string(&shape).unwrap(), data);
        data.to_owned()
    }

    #[test]
    fn it_writes_what_the_shapes_say() {
        let branch = Host::Branch("s".parse().unwrap(), "a\n\"b".into());
        let pretty = "{ \"a\": [1,\n 2], \"b\": \"c\\nd\" }";
        for host in [branch.clone(), Host::Floor("f".parse().unwrap()), Host::Global] {
            for value in [Some(pretty), None] {
                let set =
                    check::<api::VariableSet>(&sample(EventKind::VariableCreated, Some(host.clone()), value, None));
                assert!(set.ends_with("\"is_new\":true}"));
                check::<api::VariableSet>(&sample(EventKind::VariableUpdated, Some(host.clone()), value, None));
                check::<api::VariablePromoted>(&sample(EventKind::VariablePromoted, Some(host.clone()), value, None));
            }
            check::<api::VariableDeleted>(&sample(EventKind::VariableDeleted, Some(host), None, None));
        }
        let floor = sample(EventKind::FloorCommitted, None, None, Some(r#"{"floor_no":3,"state":"committed"}"#));
        assert_eq!(
            check::<api::Happened>(&floor),
            r#"{"session_id":"s","branch_id":"a\n\"b","id":"x","floor_no":3,"state":"committed"}"#
        );
        let mut account = sample(EventKind::SessionDeleted, None, None, Some("{}"));
        (account.session, account.branch) = (None, None);
        assert_eq!(check::<api::Happened>(&account), r#"{"id":"x"}"#);
    }

    #[test]
    fn a_value_comes_from_the_page_to_the_floor_and_from_the_floor_on() {
        let from =
            |host: Host| check::<api::VariablePromoted>(&sample(EventKind::VariablePromoted, Some(host), None, None));
        assert!(from(Host::Floor("f".parse().unwrap())).contains(r#""from_scope":"page","to_scope":"floor""#));
        assert!(from(Host::Chat("s".parse().unwrap())).contains(r#""from_scope":"floor","to_scope":"chat""#));
    }
}
