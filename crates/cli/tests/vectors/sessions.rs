//! The vectors as turns of sessions: the template is what MVU initialises a chat with, and every reply is a turn.

use super::{is_candidate, mvu};
use crate::support::{Answer, Backend, Client, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tavernkeep_engine::document::Value as Document;
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};

/// Every so many vectors are also swiped, reprocessed and read after a restart.
const SAMPLED: usize = 5;

#[test]
fn mvu_is_matched_by_turns_of_sessions() {
    let Some(vectors) = mvu("apply") else { return };
    let through_apply = right(vectors.iter().map(|vector| (vector, applied(vector))));
    std::thread::scope(|scope| {
        for backend in Backend::BOTH {
            let (vectors, through_apply) = (&vectors, &through_apply);
            scope.spawn(move || replay(backend, vectors, through_apply));
        }
    });
}

/// Plays every vector on a server of its own, with a restart in between, and compares with what `apply` makes of them.
fn replay(backend: Backend, vectors: &[Value], through_apply: &BTreeSet<usize>) {
    let mut server = Server::start(backend.place());
    let mut client = server.client("player");
    client.case(&format!("{backend:?}"));
    let numbered = || vectors.iter().enumerate();
    let mut chats: Vec<Chat> = numbered().map(|(number, vector)| Chat::of(vector, format!("v{number}"))).collect();
    for chat in &mut chats {
        chat.begin(&client);
        while chat.next(&client) {}
    }
    let through_sessions = right(chats.iter().map(|chat| (chat.vector, chat.states.clone())));
    report(backend, vectors, through_apply, &through_sessions);
    for at in (0..chats.len()).step_by(SAMPLED) {
        let other = replies(&vectors[(at + 1) % vectors.len()])[0].clone();
        chats[at].swipe_and_return(&client, &other);
        chats[at].reprocess(&client);
    }
    // A conversation that a restart interrupts goes on with the schema that it had.
    let mut interrupted: Vec<Chat> = numbered()
        .filter(|(_, vector)| replies(vector).len() > 1)
        .map(|(number, vector)| Chat::of(vector, format!("v{number}.interrupted")))
        .collect();
    for chat in &mut interrupted {
        chat.begin(&client);
        chat.next(&client);
    }

    assert!(server.terminate().success(), "{backend:?}");
    server = Server::start_on(Arc::clone(&server.place));
    client = client.through(&server);
    for chat in &chats {
        chat.is_as_before(&client, "after a restart");
    }
    for chat in &mut interrupted {
        while chat.next(&client) {}
        let whole = chats.iter().find(|other| other.vector["id"] == chat.vector["id"]).unwrap();
        assert_eq!(chat.states, whole.states, "{backend:?}: {} interrupted by a restart", chat.vector["id"]);
    }
    for chat in chats.iter().skip(1).step_by(SAMPLED) {
        chat.reprocess(&client);
    }
}

/// As many vectors are right as through `apply`, and the same ones.
fn report(backend: Backend, vectors: &[Value], through_apply: &BTreeSet<usize>, through_sessions: &BTreeSet<usize>) {
    let certain = |right: &BTreeSet<usize>| right.iter().filter(|at| !is_candidate(&vectors[**at])).count();
    let all = vectors.iter().filter(|vector| !is_candidate(vector)).count();
    eprintln!(
        "MVU on {backend:?}: {} of {} vectors as turns of sessions, {} through `apply`; without candidates for a \
         difference {} of {all} and {}",
        through_sessions.len(),
        vectors.len(),
        through_apply.len(),
        certain(through_sessions),
        certain(through_apply),
    );
    let ids = |set: Vec<&usize>| set.into_iter().map(|at| vectors[*at]["id"].clone()).collect::<Vec<_>>();
    let worse = ids(through_apply.difference(through_sessions).collect());
    let better = ids(through_sessions.difference(through_apply).collect());
    eprintln!("MVU on {backend:?}: right only in sessions {better:?}, right only through `apply` {worse:?}");
    assert!(worse.is_empty(), "{backend:?}: right through `apply` and wrong in a session: {worse:?}");
    assert!(certain(through_sessions) * 100 >= all * 97, "{backend:?}: {} of {all}", certain(through_sessions));
}

/// The numbers of the vectors whose states are as recorded.
fn right<'a>(found: impl Iterator<Item = (&'a Value, Vec<Value>)>) -> BTreeSet<usize> {
    let fits = |(vector, states): (&Value, Vec<Value>)| match vector.get("expected_states") {
        Some(expected) => *expected == Value::Array(states),
        None => states.last() == Some(&vector["expected_state"]),
    };
    found.map(fits).enumerate().filter(|(_, fits)| *fits).map(|(number, _)| number).collect()
}

fn replies(vector: &Value) -> Vec<String> {
    let text = |reply: &Value| reply.as_str().unwrap().to_owned();
    vector["reply_text"]
        .as_array()
        .map_or_else(|| vec![text(&vector["reply_text"])], |all| all.iter().map(text).collect())
}

/// The states of a vector as the engine computes them from the recorded state and schema.
fn applied(vector: &Value) -> Vec<Value> {
    let mut document = Document::try_from(&vector["initial_state"]).unwrap();
    let mut mvu_schema = MvuSchema::from_value(&Document::try_from(&vector["initial_schema"]).unwrap());
    let profile = Arc::new(Profile::named("mvu").unwrap());
    let mut states = Vec::new();
    for reply in replies(vector) {
        let (profile, before) = (Arc::clone(&profile), (document, mvu_schema));
        let turn = Turn { document: before.0, reply, profile, mvu_schema: before.1, ..Turn::default() };
        let outcome = apply_reply(turn);
        (document, mvu_schema) = (outcome.document, outcome.mvu_schema);
        states.push(document.to_serde());
    }
    states
}

/// One vector as a session.
struct Chat<'a> {
    vector: &'a Value,
    session: String,
    /// What was answered to each turn so far.
    turns: Vec<Value>,
    /// The state of the session after each turn so far.
    states: Vec<Value>,
}

impl Chat<'_> {
    fn of(vector: &Value, session: String) -> Chat<'_> {
        Chat { vector, session, turns: Vec::new(), states: Vec::new() }
    }

    /// Makes the session. MVU makes a schema of whatever a card initialises a chat with, which is the one that was recorded;
    /// half of the vectors bring that one along. Vectors without such a card have the recorded schema, or none.
    fn begin(&self, client: &Client) {
        let Chat { vector, session, .. } = self;
        let recorded = || json!({"base": "mvu", "mvu_schema": vector["initial_schema"]});
        let brings_schema = vector["initial_schema"].is_object() && session.ends_with(['0', '2', '4', '6', '8']);
        let (template, profile) = match vector.get("initvar") {
            Some(initvar) if brings_schema => (initvar, recorded()),
            Some(initvar) if is_marked(initvar) => (initvar, json!("mvu")),
            Some(initvar) => (initvar, json!({"base": "mvu", "mvu_schema": true})),
            None => (&vector["initial_state"], recorded()),
        };
        if vector.get("initvar").is_some() || !is_marked(template) {
            post(client, "/sessions", json!({"id": session, "template": template, "profile": profile})).is(201);
            return;
        }
        // Initialisation leaves no marks in a state, so a recorded state with marks is none that a template gives. A
        // person puts it there.
        post(client, "/sessions", json!({"id": session, "profile": profile})).is(201);
        let first = post(client, &self.path("turns"), json!({"role": "assistant", "content": "Once upon a time."}));
        let path = format!("/snapshots/{}", first.is(201).data()["snapshot_id"].as_str().unwrap());
        client.ask("PUT", &path).json(json!({"state": template})).unrecorded().send().is(200);
    }

    /// Takes the next turn; false if there is none left.
    fn next(&mut self, client: &Client) -> bool {
        let Some(reply) = replies(self.vector).into_iter().nth(self.turns.len()) else { return false };
        let turn = post(client, &self.path("turns"), json!({"role": "assistant", "content": reply}));
        self.turns.push(turn.is(201).data());
        self.states.push(self.state(client));
        true
    }

    fn path(&self, part: &str) -> String {
        format!("/sessions/{}/{part}", self.session)
    }

    fn state(&self, client: &Client) -> Value {
        client.ask("GET", &self.path("state")).unrecorded().send().is(200).has("/fresh", true).data()["state"].clone()
    }

    fn is_as_before(&self, client: &Client, when: &str) {
        assert_eq!(Some(&self.state(client)), self.states.last(), "{} {when}", self.vector["id"]);
    }

    /// Takes another swipe of the last floor, and returns to the first one.
    fn swipe_and_return(&self, client: &Client, other: &str) {
        let last = self.turns.last().unwrap();
        let body = json!({"role": "assistant", "content": other, "swipe_of": last["floor_id"]});
        post(client, &self.path("turns"), body).is(201);
        post(client, &format!("/pages/{}/activate", last["page_id"].as_str().unwrap()), json!({})).is(200);
        self.is_as_before(client, "after swiping back");
        // The same text as another swipe comes to the same state, since it starts from the same page.
        let body = json!({"role": "assistant", "content": replies(self.vector).last(), "swipe_of": last["floor_id"]});
        post(client, &self.path("turns"), body).is(201);
        self.is_as_before(client, "as another swipe");
    }

    fn reprocess(&self, client: &Client) {
        let report = post(client, &self.path("process"), json!({"mode": "all"})).is(200).data();
        assert_eq!(report["processed"], 0, "{}: {report}", self.vector["id"]);
        self.is_as_before(client, "after reprocessing");
    }
}

/// Whether a document has the marks of MVU's that tell what may be extended.
fn is_marked(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(key, value)| key == "$meta" || key == "$arrayMeta" || is_marked(value))
        }
        Value::Array(items) => items.iter().any(|item| item == "$__META_EXTENSIBLE__$" || is_marked(item)),
        _ => false,
    }
}

fn post(client: &Client, path: &str, body: Value) -> Answer {
    client.ask("POST", path).json(body).unrecorded().send()
}
