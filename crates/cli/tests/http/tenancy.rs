//! Every route of the document × (no key, wrong key, revoked key, expired key, too weak a key, another account's key).
//!
//! Routes come from `/openapi.json`, so a new one is tested by itself. One that takes a body, or a parameter this file
//! does not know, fails until it is described in [`requests`].

use super::service::{document, each_operation};
use crate::support::tree::merge;
use crate::support::{Answer, Client, both, branch, chat, floor, global, page};
use serde_json::{Value, json};

/// What only the owner may ever see.
const CANARY: &str = "canary-7c1f";

/// The key of the owner's variables; strangers may guess it.
const KEY: &str = "treasure";

/// Routes that need no key. Anything else without a role is a hole.
const PUBLIC: [&str; 5] = ["/", "/docs", "/health", "/openapi.json", "/sign-in"];

/// What changes nothing although it is no `GET`, or only who is signed in: the browser itself, which shows its key or its cookie.
pub(super) const QUESTIONS: [&str; 6] = [
    "/apply",
    "/functions/export",
    "/functions/test",
    "/sessions/{id}/prompt-runtime/preview",
    "/sign-in",
    "/sign-out",
];

/// One route of the document.
pub(super) struct Route {
    pub method: String,
    pub path: String,
    pub role: Option<String>,
    has_body: bool,
}

pub(super) fn routes(client: &Client) -> Vec<Route> {
    let mut routes = Vec::new();
    each_operation(&document(client), |name, operation| {
        let (method, path) = name.split_once(' ').expect("a method and a path");
        routes.push(Route {
            method: method.to_uppercase(),
            path: path.to_owned(),
            role: operation["x-tavernkeep-role"].as_str().filter(|role| *role != "none").map(str::to_owned),
            has_body: operation.get("requestBody").is_some(),
        });
    });
    assert!(routes.len() >= 36, "the document lists only {} routes", routes.len());
    routes
}

/// The ids of what one account has, or of what nobody has.
pub(super) struct Ids {
    account: String,
    session: String,
    branch: String,
    floor: String,
    page: String,
    variable: String,
    /// A page with a state.
    page_of_turn: String,
    snapshot: String,
    global_snapshot: String,
    /// A page that was deleted.
    trash: String,
    character: String,
    function: String,
    key: String,
    browser: String,
    job: String,
    /// A call of a tool that waits for an approval.
    call: String,
    approval: String,
    grant: String,
}

impl Ids {
    /// Furnishes the account; every text in it is the canary.
    pub(super) fn furnish(client: &Client) -> Ids {
        let id = |name: &str| format!("owner-{name}");
        let ids = Ids { account: client.account.clone(), ..Self::named(id) };
        let Ids { session, branch: branch_id, floor: floor_id, page: page_id, .. } = &ids;
        let character =
            json!({"id": ids.character, "name": CANARY, "template": {"note": CANARY}, "greetings": [CANARY]});
        client.post("/characters", character).is(201);
        let function = json!({"id": ids.function, "name": "own", "type": "active", "description": CANARY,
                "executor": format!("// {CANARY}")});
        client.post("/functions", function).is(201);
        client.post("/sessions", json!({"id": session, "title": CANARY, "metadata": {"text": CANARY}})).is(201);
        client.make_floor(session, floor_id, json!({"metadata": {"text": CANARY}}));
        client.make_floor(session, "owner-alt", json!({"branch_id": branch_id, "metadata": {"text": CANARY}}));
        client.make_page(floor_id, page_id, json!({"content": CANARY, "name": CANARY, "extra": {"text": CANARY}}));
        for host in [chat(session), branch(session, branch_id), floor(floor_id), page(page_id)] {
            client.set(host, KEY, CANARY).is(201);
        }
        let variable = client.set(global(), KEY, CANARY).is(201).id();
        let made = client.post("/keys", json!({"name": CANARY, "role": "read"})).is(201).data();
        let text_of = |made: &Value, name: &str| made[name].as_str().expect("text").to_owned();
        let key = text_of(&made, "id");
        let sign_in = client.ask("POST", "/sign-in").header("user-agent", CANARY);
        let browser = text_of(&sign_in.json(json!({"key": text_of(&made, "secret")})).send().is(200).data(), "id");
        let text = format!("@.SET(\"text\", \"{CANARY}\");");
        let turn = json!({"role": "assistant", "content": text, "page_id": ids.page_of_turn});
        let turn = client.post(&format!("/sessions/{session}/turns"), turn).is(201).data();
        let snapshot = turn["snapshot_id"].as_str().expect("a snapshot").to_owned();
        let body = json!({"id": ids.global_snapshot, "name": CANARY, "tags": [CANARY], "page_id": ids.page_of_turn});
        client.post("/global-snapshots", body).is(201);
        client.make_page(floor_id, "owner-gone", json!({"content": CANARY, "name": CANARY}));
        let trash = client.delete("/pages/owner-gone").is(200).header("trash-id");
        let definition = json!({"name": "Tool", "description": CANARY});
        let group = json!({"name": "app", "rulePrompt": CANARY,
            "tools": [{"definition": definition, "permission": {"executionPolicy": "ask-always"}}]});
        client.post(&format!("/sessions/{session}/tools/groups"), group).is(201);
        client.patch(&format!("/sessions/{session}/tools/groups/app"), json!({"enabled": true})).is(200);
        client.put(&format!("/sessions/{session}/scratchpad/{KEY}"), json!({"value": CANARY, "desc": CANARY})).is(201);
        let call = client.post(&format!("/sessions/{session}/calls"), json!({"tool": "Tool", "args": {"x": CANARY}}));
        call.is(201);
        let pending = || {
            let approvals = client.get(&format!("/sessions/{session}/approvals")).is(200).data();
            approvals[0]["id"].as_str().expect("an approval").to_owned()
        };
        let remembered = json!({"approved": false, "reason": CANARY, "scope": "session"});
        client.post(&format!("/approvals/{}", pending()), remembered).is(200);
        let grants = client.get(&format!("/sessions/{session}/grants")).is(200).data();
        let grant = grants[0]["id"].as_str().expect("a decision").to_owned();
        let call = client.post(&format!("/sessions/{session}/calls"), json!({"tool": "Tool", "args": {"y": CANARY}}));
        let (call, approval) = (call.is(201).id(), pending());
        Ids { variable, key, browser, snapshot, trash, call, approval, grant, ..ids }
    }

    /// Furnishes the account with a job too, which takes a while.
    pub(super) fn furnish_with_job(client: &Client) -> Ids {
        Ids { job: client.delete_long("owner-long"), ..Ids::furnish(client) }
    }

    /// Ids that exist nowhere.
    fn nowhere() -> Ids {
        Self::named(|name| format!("nowhere-{name}"))
    }

    fn named(id: impl Fn(&str) -> String) -> Ids {
        Ids {
            account: id("account"),
            session: id("session"),
            branch: id("branch"),
            floor: id("floor"),
            page: id("page"),
            variable: id("variable"),
            page_of_turn: id("page_of_turn"),
            snapshot: id("snapshot"),
            global_snapshot: id("global-snapshot"),
            trash: id("trash"),
            character: id("character"),
            function: id("function"),
            key: id("key"),
            browser: id("browser"),
            job: id("job"),
            call: id("call"),
            approval: id("approval"),
            grant: id("grant"),
        }
    }

    /// The path with its parameters filled: what a parameter means is said by the word before it.
    pub(super) fn fill(&self, path: &str) -> String {
        let mut before = "";
        path.split('/')
            .map(|part| {
                let filled = match (part.starts_with('{'), before) {
                    (false, _) => part,
                    (true, "sessions") => &self.session,
                    (true, "branches") => &self.branch,
                    (true, "floors") if part == "{floor_no}" => "0",
                    (true, "floors") => &self.floor,
                    (true, "pages") => &self.page,
                    (true, "variables") => &self.variable,
                    (true, "snapshots") => &self.snapshot,
                    (true, "global-snapshots") => &self.global_snapshot,
                    (true, "characters") => &self.character,
                    (true, "functions") => &self.function,
                    (true, "keys") => &self.key,
                    (true, "browsers") => &self.browser,
                    (true, "jobs") => &self.job,
                    (true, "writes") => "write",
                    (true, "calls") => &self.call,
                    (true, "approvals") => &self.approval,
                    (true, "grants") => &self.grant,
                    (true, "groups") => "app",
                    (true, "tools") => "Tool",
                    (true, "scratchpad") => KEY,
                    (true, "edits") => "edit",
                    (true, "trash") => &self.trash,
                    (true, _) => panic!("{path}: what is {part}? Describe it in tests/http/tenancy.rs"),
                };
                before = part;
                filled
            })
            .collect::<Vec<_>>()
            .join("/")
    }
}

/// The requests that a route is tried with: a query, and a body if it takes one.
pub(super) fn requests(route: &Route, ids: &Ids) -> Vec<(String, Option<Value>)> {
    let Ids { session, branch: branch_id, floor: floor_id, page: page_id, variable, account, character, .. } = ids;
    let hosts = [chat(session), branch(session, branch_id), floor(floor_id), page(page_id)];
    let each_host = |more: Value| -> Vec<Value> {
        hosts.iter().map(|host| merge(merge(host.clone(), json!({"key": KEY})), more.clone())).collect()
    };
    let bodies = |bodies: Vec<Value>| bodies.into_iter().map(|body| (String::new(), Some(body))).collect();
    let queries = |queries: &[String]| queries.iter().map(|query| (format!("?{query}"), None)).collect();
    match (route.method.as_str(), shape(&route.path).as_str()) {
        ("PUT", "/variables") => bodies(each_host(json!({"value": "stolen"}))),
        ("PUT", "/variables/batch") => {
            bodies(each_host(json!({"value": "stolen"})).into_iter().map(|item| json!({"items": [item]})).collect())
        }
        ("PATCH", "/variables/{}") => {
            bodies(vec![json!({"patch": [{"op": "replace", "path": "", "value": "stolen"}]})])
        }
        ("POST", "/variables/increment") => bodies(each_host(json!({}))),
        ("POST", "/variables/batch/delete") => {
            let mut all: Vec<Value> = each_host(json!({})).into_iter().map(|item| json!({"items": [item]})).collect();
            all.push(json!({"ids": [variable]}));
            bodies(all)
        }
        ("DELETE", "/variables") => queries(&[
            format!("scope=chat&scope_id={session}&key={KEY}"),
            format!("scope=branch&session_id={session}&branch_id={branch_id}&key={KEY}"),
            format!("scope=floor&scope_id={floor_id}&key={KEY}"),
            format!("scope=page&scope_id={page_id}&key={KEY}"),
        ]),
        ("GET", "/variables") => queries(&[
            String::new(),
            format!("key={KEY}"),
            format!("scope_id={session}"),
            format!("scope=branch&session_id={session}&branch_id={branch_id}"),
            format!("scope=floor&scope_id={floor_id}"),
            format!("scope=page&scope_id={page_id}"),
        ]),
        ("GET", "/variables/resolve") => queries(&[
            format!("session_id={session}"),
            format!("session_id={session}&branch_id={branch_id}"),
            format!("session_id={session}&floor_id={floor_id}&include_layers=true"),
            format!("session_id={session}&page_id={page_id}"),
        ]),
        ("GET", "/events") => queries(&[
            String::new(),
            format!("session_id={session}"),
            format!("session_id={session}&branch_id={branch_id}"),
        ]),
        ("POST", "/sessions") => bodies(vec![json!({"title": "own"}), json!({"character_id": character})]),
        ("PATCH", "/sessions/{}") => bodies(vec![json!({"title": "stolen"}), json!({"character_id": character})]),
        ("POST", "/characters") => bodies(vec![json!({"name": "own"})]),
        ("PATCH", "/characters/{}") => bodies(vec![json!({"name": "stolen"})]),
        ("PUT", "/characters/{}/template" | "/sessions/{}/template") => {
            bodies(vec![json!({"template": {"stolen": true}})])
        }
        ("POST", "/sessions/batch/delete") => bodies(vec![json!({"ids": [session]})]),
        ("DELETE", "/branches/{}") => queries(&[format!("session_id={session}")]),
        ("GET", "/floors") => {
            queries(&[format!("session_id={session}"), format!("session_id={session}&branch_id={branch_id}")])
        }
        ("POST", "/floors") => bodies(vec![json!({"session_id": session})]),
        ("PATCH", "/floors/{}") => bodies(vec![json!({"metadata": {"stolen": true}})]),
        ("POST", "/floors/batch/delete") => bodies(vec![json!({"ids": [floor_id]})]),
        (
            "POST",
            "/pages/{}/branch" | "/floors/{}/branch" | "/floors/{}/generate" | "/floors/{}/commit" | "/floors/{}/fail",
        ) => bodies(vec![json!({})]),
        ("GET", "/pages") => queries(&[format!("floor_id={floor_id}")]),
        ("POST", "/pages") => bodies(vec![json!({"floor_id": floor_id, "page_kind": "output"})]),
        ("PATCH", "/pages/{}") => bodies(vec![json!({"content": "stolen"})]),
        ("POST", "/pages/batch/delete") => bodies(vec![json!({"ids": [page_id]})]),
        ("POST", "/pages/{}/activate") => bodies(vec![json!({})]),
        ("POST", "/trash/{}/restore") => bodies(vec![json!({})]),
        ("POST", "/pages/{}/variables/staged") => bodies(vec![json!({"key": "stolen", "op": "set", "value": page_id})]),
        ("POST", "/sessions/{}/turns") => bodies(vec![
            json!({"role": "assistant", "content": "@.SET(\"stolen\", true);"}),
            json!({"role": "assistant", "content": "stolen", "branch_id": branch_id}),
            json!({"role": "assistant", "content": "stolen", "swipe_of": floor_id}),
        ]),
        ("POST", "/sessions/{}/prompt-runtime/preview" | "/sessions/{}/prompt-runtime/render") => bodies(vec![
            json!({"text": "{{vs_stat_data}}{{setvar::stolen::1}}", "page_id": page_id, "seed": 1, "now": 1}),
        ]),
        ("GET", "/sessions/{}/prompt-kit") => queries(&[String::new(), format!("branch_id={branch_id}")]),
        ("POST", "/sessions/{}/memory/summarize") => bodies(vec![json!({"text": "stolen"})]),
        ("POST", "/sessions/{}/process") => bodies(vec![json!({"mode": "latest"}), json!({"branch_id": branch_id})]),
        ("POST", "/sessions/{}/sync") => bodies(vec![
            json!({"floors": [{"role": "assistant", "swipes": [{"content": "@.SET(\"stolen\", true);"}]}]}),
            json!({"branch_id": branch_id, "floors": [], "confirm_all": true}),
        ]),
        ("GET", "/sessions/{}/state") => {
            queries(&[String::new(), format!("branch_id={branch_id}"), format!("branch_id={branch_id}&floor_no=0")])
        }
        ("GET", "/sessions/{}/transcript" | "/sessions/{}/floors/{}") => {
            queries(&[String::new(), format!("branch_id={branch_id}&swipes=true&changes=true")])
        }
        ("POST", "/pages/{}/undo") => bodies(vec![json!({}), json!({"path": "text"})]),
        ("GET", "/pages/{}/blame") => queries(&["path=text".into()]),
        ("GET", "/sessions/{}/history") => {
            queries(&[format!("path=/text&after={floor_id}"), format!("path=text&branch_id={branch_id}")])
        }
        ("GET", "/sessions/{}/log") => queries(&[String::new(), format!("branch_id={branch_id}")]),
        ("GET", "/compare") => queries(&[
            format!("from=session:{session}&to=page:{page_id}"),
            format!("from=floor:{floor_id}&to=branch:{session}/{branch_id}"),
            format!("from=snapshot:{}&to=snapshot:{}", ids.snapshot, ids.snapshot),
        ]),
        ("PATCH", "/snapshots/{}" | "/pages/{}/state") => {
            bodies(vec![json!({"patch": {"stolen": true}}), json!({"patch": [], "reason": "stolen"})])
        }
        ("PUT", "/snapshots/{}") => bodies(vec![json!({"state": {"stolen": true}})]),
        ("GET", "/sessions/{}/snapshots") => queries(&[String::new(), format!("branch_id={branch_id}")]),
        ("GET", "/snapshots/{}/diff") => queries(&[format!("to={}", ids.snapshot)]),
        ("DELETE", "/snapshots/by-chat") => bodies(vec![json!({"chat_file": session}), json!({"chatFile": session})]),
        ("POST", "/snapshots/cleanup") => {
            bodies(vec![json!({"active_chat_files": ["own"]}), json!({"activeChatFiles": [], "confirm_all": true})])
        }
        ("GET", "/global-snapshots") => queries(&[String::new(), format!("tag={CANARY}")]),
        ("POST", "/global-snapshots") => bodies(vec![
            json!({"name": "stolen", "page_id": page_id}),
            json!({"name": "stolen", "snapshot_id": ids.snapshot}),
        ]),
        ("PATCH", "/global-snapshots/{}") => bodies(vec![json!({"name": "stolen"})]),
        ("POST", "/global-snapshots/{}/apply") => bodies(vec![json!({"page_id": ids.page_of_turn})]),
        ("GET", "/functions" | "/functions/prompt") => {
            queries(&[String::new(), format!("scope=character&character_id={character}")])
        }
        ("POST", "/functions") => {
            let new = json!({"name": "stolen", "type": "active", "executor": "return snapshot;"});
            vec![(String::new(), Some(new.clone())), (format!("?scope=character&character_id={character}"), Some(new))]
        }
        ("PATCH", "/functions/{}") => bodies(vec![json!({"description": "stolen"})]),
        ("POST", "/functions/{}/copy" | "/functions/{}/move") => {
            bodies(vec![json!({"scope": "character", "character_id": character}), json!({"scope": "global"})])
        }
        ("POST", "/functions/import") => {
            let new = json!({"name": "stolen", "type": "active", "executor": "return snapshot;"});
            let file = json!({"version": "1.0", "functions": [new]});
            vec![
                (String::new(), Some(file.clone())),
                (format!("?scope=character&character_id={character}"), Some(file)),
            ]
        }
        ("POST", "/functions/export") => bodies(vec![json!({}), json!({"ids": [ids.function]})]),
        ("POST", "/functions/reorder") => bodies(vec![json!({"ids": [ids.function]})]),
        ("POST", "/functions/test") => {
            bodies(vec![json!({"functions": [], "text": "@.SET(\"stolen\", true);", "state": {}})])
        }
        ("POST", "/sessions/{}/tools/groups") => {
            bodies(vec![json!({"name": "stolen", "tools": [{"definition": {"name": "Stolen"}}]})])
        }
        ("PATCH", "/sessions/{}/tools/groups/{}" | "/sessions/{}/tools/{}") => bodies(vec![json!({"enabled": false})]),
        ("PUT", "/tools/defaults") => bodies(vec![json!({"groups": {"vars": true}})]),
        ("POST", "/sessions/{}/calls") => bodies(vec![json!({"tool": "Tool", "skip_execution_approval": true})]),
        ("POST", "/calls/{}/result") => bodies(vec![json!({"status": "success", "data": "stolen"})]),
        ("POST", "/approvals/{}") => bodies(vec![json!({"approved": true})]),
        ("PUT", "/sessions/{}/scratchpad/{}") => bodies(vec![json!({"value": "stolen"})]),
        ("POST", "/sessions/{}/scratchpad/messages") => bodies(vec![json!({"page_id": page_id})]),
        ("POST", "/import") => {
            let card = json!({"name": "stolen", "first_mes": "Hi."}).to_string();
            let chat = json!({"name": "stolen", "mes": "Hi."}).to_string();
            bodies(vec![
                json!({"content": card, "kind": "card"}),
                json!({"content": chat, "kind": "chat", "character_id": character}),
            ])
        }
        ("POST", "/apply") => bodies(vec![json!({"state": {"page": page_id}, "reply": "@.SET(\"stolen\", true);"})]),
        ("DELETE", "/account") => queries(&[format!("confirm={account}")]),
        ("POST", "/sign-in") => bodies(vec![json!({"key": "tk_wrong"})]),
        ("POST", "/keys") => bodies(vec![json!({"name": "own", "role": "read"})]),
        (method, path) if route.has_body => {
            panic!("{method} {path} takes a body; describe one in tests/http/tenancy.rs")
        }
        _ => vec![(String::new(), None)],
    }
}

/// The path without the names of its parameters.
pub(super) fn shape(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

pub(super) fn ask(client: &Client, route: &Route, ids: &Ids, request: &(String, Option<Value>)) -> Answer {
    let ask = client.ask(&route.method, &format!("{}{}", ids.fill(&route.path), request.0)).unrecorded();
    match &request.1 {
        Some(body) => ask.json(body.clone()).send(),
        None => ask.send(),
    }
}

/// Everything an account has, as it sees it.
pub(super) fn inventory(client: &Client, ids: &Ids) -> Vec<String> {
    let Ids { session, floor, page, .. } = ids;
    let read = |path: String| client.ask("GET", &path).unrecorded().send().is(200).text.clone();
    vec![
        read("/variables?sort_by=key&limit=100".into()),
        read("/sessions".into()),
        read(format!("/sessions/{session}/branches")),
        read(format!("/floors?session_id={session}")),
        read(format!("/pages?floor_id={floor}")),
        read(format!("/variables/resolve?session_id={session}&page_id={page}")),
        read(format!("/sessions/{session}/state")),
        read(format!("/snapshots/{}", ids.snapshot)),
        read("/global-snapshots".into()),
        read("/characters".into()),
        read("/functions?limit=100".into()),
        read(format!("/sessions/{session}/tools/groups")),
        read(format!("/sessions/{session}/scratchpad")),
        read(format!("/calls/{}", ids.call)),
        read(format!("/sessions/{session}/approvals")),
        read("/approvals".to_owned()),
        read(format!("/sessions/{session}/grants")),
    ]
}

#[test]
fn a_route_has_a_role_or_is_meant_for_everybody() {
    both(|client| {
        for route in routes(client) {
            let name = format!("{} {}", route.method, route.path);
            match route.role.as_deref() {
                None => {
                    let asks = route.method == "GET" || route.path == "/sign-in";
                    assert!(PUBLIC.contains(&route.path.as_str()) && asks, "{name} needs no key");
                }
                Some("read") => {
                    let asks = route.method == "GET" || QUESTIONS.contains(&route.path.as_str());
                    assert!(asks, "{name} changes something and needs more than a reader");
                }
                Some("write" | "admin") => {}
                Some(role) => panic!("{name} wants an unknown role {role}"),
            }
        }
    });
}

#[test]
fn nobody_gets_in_without_the_right_key() {
    both(|client| {
        let ids = Ids::furnish_with_job(client);
        let key = |role: &str, more: &[&str]| client.create_key(role, more);
        let revoked = key("admin", &[]);
        client.place().revoke_key(&client.account, &revoked);
        let expired = client.with_key(&key("admin", &["--expires-in-ms", "1"]).secret);
        expired.until("/account", |answer| answer.status == 403).refused(403, "auth_invalid_credentials");
        let reader = client.with_key(&key("read", &[]).secret);
        let writer = client.with_key(&key("write", &[]).secret);
        let before = inventory(client, &ids);
        let refusals = [
            ("no key", client.without_key(), 401, "auth_required"),
            (
                "a wrong key",
                client.with_key("tk_0000000000000000000000000000000000000000000"),
                403,
                "auth_invalid_credentials",
            ),
            ("a revoked key", client.with_key(&revoked.secret), 403, "auth_invalid_credentials"),
            ("an expired key", expired, 403, "auth_invalid_credentials"),
        ];
        for route in routes(client) {
            let Some(role) = route.role.as_deref() else {
                continue;
            };
            for request in requests(&route, &ids) {
                for (who, caller, status, code) in &refusals {
                    client.case(&format!("{} {} with {who}", route.method, route.path));
                    ask(caller, &route, &ids, &request).refused(*status, code);
                }
                client.case(&format!("{} {} with too weak a key", route.method, route.path));
                if role != "read" {
                    ask(&reader, &route, &ids, &request).refused(403, "auth_role_insufficient");
                }
                if role == "admin" {
                    ask(&writer, &route, &ids, &request).refused(403, "auth_role_insufficient");
                }
                if role == "read" {
                    let answer = ask(&reader, &route, &ids, &request);
                    // No write outlives its request here, so there is none to be found.
                    answer.must(answer.status < 400 || route.path == "/writes/{id}", "a reader may read");
                }
            }
        }
        assert_eq!(inventory(client, &ids), before, "a refused request changed something");
    });
}

#[test]
fn what_belongs_to_another_account_does_not_exist() {
    both(|client| {
        let ids = Ids::furnish_with_job(client);
        let nowhere = Ids::nowhere();
        let stranger = client.stranger();
        let before = inventory(client, &ids);
        for route in routes(client).iter().filter(|route| route.role.is_some()) {
            for (request, absent) in requests(route, &ids).iter().zip(&requests(route, &nowhere)) {
                client.case(&format!("{} {}{} by a stranger", route.method, route.path, request.0));
                let foreign = ask(&stranger, route, &ids, request);
                let missing = ask(&stranger, route, &nowhere, absent);
                let names_something = route.path.contains('{');
                foreign.must(!names_something || foreign.status == 404, "404 for what is not yours");
                foreign
                    .must(foreign.status == missing.status, &format!("{} as for what does not exist", missing.status));
                // What the stranger makes for themselves has a new id each time, and metrics count the questions.
                if foreign.status != 201 && route.path != "/metrics" {
                    let (shown, wanted) = (masked(&foreign, &ids), masked(&missing, &nowhere));
                    foreign.must(shown == wanted, &format!("the same as for what does not exist: {wanted}"));
                }
                foreign.must(!foreign.text.contains(CANARY), "nothing of the other account");
            }
        }
        client.case("afterwards");
        assert_eq!(inventory(client, &ids), before, "a stranger changed something");
        // All of them but the list of branches, which holds no free text of its own.
        let singing = before.iter().filter(|text| text.contains(CANARY)).count();
        assert_eq!(singing, before.len() - 1, "the canary sings to its owner");
    });
}

/// The answer's text without the ids that the caller brought.
fn masked(answer: &Answer, ids: &Ids) -> String {
    let Ids {
        account,
        session,
        branch,
        floor,
        page,
        variable,
        page_of_turn,
        snapshot,
        global_snapshot,
        trash,
        character,
        function,
        key,
        browser,
        job,
        call,
        approval,
        grant,
    } = ids;
    let own =
        [account, session, branch, floor, page, variable, page_of_turn, snapshot, global_snapshot, trash, character];
    let others = [function, key, browser, job, call, approval, grant];
    own.iter().chain(&others).fold(answer.text.clone(), |text, id| text.replace(*id, "<id>"))
}
