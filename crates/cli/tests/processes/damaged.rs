//! A damaged row in PostgreSQL is named, and everything else goes on.

use crate::support::place::said;
use crate::support::{Place, Server};
use serde_json::json;

/// One bit of one text.
const FLIP: &str = "UPDATE body SET content = SET_BYTE(content, 7, GET_BYTE(content, 7) # 1)
    WHERE scope = 4 AND session_row = (SELECT session_row FROM session WHERE id = 'hurt-one')";

#[test]
fn a_damaged_text_in_postgres_is_named_and_not_shown() {
    let mut server = Server::start(Place::postgres());
    let client = server.client("owner");
    for session in ["sound-one", "hurt-one"] {
        client.make_session(session);
        let turn = json!({"role": "user", "content": format!("what was said in {session}"), "page_id": format!("{session}.p")});
        client.post(&format!("/sessions/{session}/turns"), turn).is(201);
    }
    server.place.run(&["check"]);
    server.terminate();
    server.place.execute(FLIP);
    // Nothing of it is in memory any more.
    let server = Server::start_on(std::sync::Arc::clone(&server.place));
    let client = client.through(&server);
    for path in ["/pages/hurt-one.p", "/sessions/hurt-one/transcript"] {
        client.ask("GET", path).unrecorded().send().refused(503, "store_damaged");
    }
    client.get("/pages/sound-one.p").is(200).has("/content", "what was said in sound-one");
    client.get("/sessions/hurt-one").is(200);
    client.post("/sessions/hurt-one/turns", json!({"role": "user", "content": "it goes on"})).is(201);
    let export = client.get("/account/export");
    export.is(200);
    assert!(export.text.contains("what was said in sound-one"), "{}", export.text);
    assert!(!export.text.contains("what was said in hurt-one"), "{}", export.text);
    let damaged = export.text.lines().any(|line| line.contains("hurt-one.p") && line.contains("checksum"));
    assert!(damaged, "the export names the row: {}", export.text);
    let output = server.place.output(&["check"]);
    let all = said(&output);
    assert!(!output.status.success() && all.contains("hurt-one") && !all.contains("sound-one"), "{all}");
    assert!(!all.contains("panicked"), "{all}");
}
