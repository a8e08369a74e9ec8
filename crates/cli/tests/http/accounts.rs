//! B.7: accounts, keys and roles. The whole matrix of routes is in `tenancy`.

use crate::support::{both, branch, chat, floor, global, page};
use serde_json::{Value, json};

#[test]
fn accounts_do_not_meet() {
    both(|client| {
        client.case("B59");
        let stranger = client.stranger();
        client.make("s");
        let mine = client.set(global(), "k", "mine").is(201).id();
        let theirs = stranger.set(global(), "k", "theirs").is(201).id();
        assert_ne!(mine, theirs);
        assert_eq!(client.get("/variables?key=k").column("value"), [json!("mine")]);
        assert_eq!(stranger.get("/variables?key=k").column("value"), [json!("theirs")]);

        let path = format!("/variables/{mine}");
        stranger.get(&path).refused(404, "variable_not_found");
        stranger.delete(&path).refused(404, "variable_not_found");
        for host in [chat("s"), branch("s", "main"), floor("s.f"), page("s.p")] {
            stranger.set(host, "k", "stolen").refused(404, "variable_host_not_found");
        }
        for query in
            ["session_id=s", "session_id=s&branch_id=main", "session_id=s&floor_id=s.f", "session_id=s&page_id=s.p"]
        {
            stranger.get(&format!("/variables/resolve?{query}")).refused(404, "variable_host_not_found");
        }
        client.get(&path).is(200).has("/value", "mine");
        // The staged writes of a foreign page belong to the issue that brings them.

        client.case("B59: the same ids in two accounts");
        stranger.make("s");
        stranger.set(chat("s"), "k", "theirs").is(201);
        assert_eq!(client.get("/variables?scope=chat").column("value"), [Value::Null; 0]);
        stranger.delete("/sessions/s").is(200);
        client.get("/pages/s.p").is(200);
    });
}

#[test]
fn a_key_opens_its_account_and_nothing_else_does() {
    both(|client| {
        client.case("B60");
        client.without_key().get("/variables").refused(401, "auth_required");
        client.with_key("tk_wrong").get("/variables").refused(403, "auth_invalid_credentials");
        client.with_key("").get("/variables").is_one_of(&[401, 403]);
        let key = client.create_key("read", &[]);
        let by_header = client.without_key().ask("GET", "/account").header("x-api-key", &key.secret).send();
        by_header.is(200).has("/account_id", client.account.as_str());
        client.with_key(&key.secret).get("/account").is(200).has("/account_id", client.account.as_str());
        let neither = client.without_key().ask("GET", "/account").header("authorization", "Basic dXNlcjpwYXNz").send();
        neither.is_one_of(&[401, 403]);

        client.case("B60: a disabled account");
        let stranger = client.stranger();
        stranger.get("/account").is(200).has("/account_id", stranger.account.as_str());
        client.place().run(&["account", "disable", &stranger.account]);
        stranger.get("/account").refused(403, "auth_account_disabled");
        stranger.set(global(), "k", 1).refused(403, "auth_account_disabled");
        client.get("/account").is(200);
    });
}

#[test]
fn an_admin_makes_and_revokes_keys() {
    both(|client| {
        client.case("keys over HTTP");
        let made = client.post("/keys", json!({"name": "phone", "role": "write"}));
        made.is(201).has("/name", "phone").has("/role", "write");
        let secret = made.data()["secret"].as_str().expect("the secret is shown once").to_owned();
        let phone = client.with_key(&secret);
        phone.set(global(), "k", 1).is(201);
        phone.get("/keys").refused(403, "auth_role_insufficient");
        phone.post("/keys", json!({"name": "more", "role": "admin"})).refused(403, "auth_role_insufficient");

        let listed = client.get("/keys");
        listed.is(200);
        listed.must(listed.column("id").contains(&json!(made.id())), "the new key");
        listed.must(!listed.text.contains(&secret) && !listed.text.contains("\"secret\""), "no secret");

        client.delete(&format!("/keys/{}", made.id())).is(200).has("/id", made.id());
        phone.get("/variables").refused(403, "auth_invalid_credentials");
        client.delete("/keys/x").refused(404, "key_not_found");
        client.post("/keys", json!({"name": "odd", "role": "root"})).invalid_at("/role");
        client.post("/keys", json!({"role": "read"})).refused(400, "validation_error");
        client.case("a key that has ended already is none");
        let ends = |at: i64| client.post("/keys", json!({"name": "old", "role": "read", "expires_at": at}));
        ends(1_600_000_000_000).invalid_by("/expires_at", "exclusiveMinimum");
        ends(0).invalid_by("/expires_at", "exclusiveMinimum");
        ends(4_000_000_000_000).is(201).has("/expires_at", 4_000_000_000_000_i64);
    });
}

#[test]
fn a_reader_reads_and_a_writer_writes() {
    both(|client| {
        client.case("roles");
        client.make("s");
        let reader = client.with_key(&client.create_key("read", &[]).secret);
        reader.get("/sessions/s").is(200);
        reader.get("/variables/resolve?session_id=s").is(200);
        reader.set(chat("s"), "k", 1).refused(403, "auth_role_insufficient");
        reader.delete("/sessions/s").refused(403, "auth_role_insufficient");
        let writer = client.with_key(&client.create_key("write", &[]).secret);
        writer.set(chat("s"), "k", 1).is(201);
        writer.delete("/sessions/s").is(200);
    });
}
