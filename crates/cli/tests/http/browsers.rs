//! Browsers: a key becomes a cookie, and the cookie ends with the key.

use crate::support::{Client, both, global};
use serde_json::{Value, json};

fn sign_in(client: &Client, secret: &str) -> (Value, String) {
    let answer = client.without_key().post("/sign-in", json!({"key": secret, "days": 2}));
    let cookie = answer.is(200).header("set-cookie");
    (answer.data(), cookie)
}

/// The request of a browser: its cookie, and where its page came from.
fn ask(client: &Client, method: &str, path: &str, cookie: &str, origin: &str) -> crate::support::Answer {
    let pair = cookie.split(';').next().unwrap_or_default();
    let client = client.without_key();
    let mut ask = client.ask(method, path).header("cookie", pair);
    if !origin.is_empty() {
        ask = ask.header("origin", origin);
    }
    match method {
        "GET" => ask.send(),
        "PUT" => {
            let target = json!({"scope": "global", "scope_id": "global", "key": "k", "value": 1});
            ask.json(target).send()
        }
        _ => ask.send(),
    }
}

#[test]
fn a_key_becomes_a_cookie_that_ends() {
    both(|client| {
        client.case("signing in");
        let key = client.create_key("write", &[]);
        let (browser, cookie) = sign_in(client, &key.secret);
        for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=172800"] {
            assert!(cookie.split("; ").any(|found| found == part), "{part} in {cookie}");
        }
        assert!(!cookie.contains(&key.secret) && !cookie.contains("Secure"), "{cookie}");
        assert_eq!((&browser["key_id"], &browser["role"]), (&json!(key.id), &json!("write")));
        let length = browser["expires_at"].as_i64().unwrap() - browser["created_at"].as_i64().unwrap();
        assert_eq!(length, 2 * 24 * 60 * 60 * 1000);

        client.case("the cookie opens what the key opens");
        let account = ask(client, "GET", "/account", &cookie, "");
        account.is(200).has("/key_id", key.id.as_str()).has("/browser_id", browser["id"].as_str().unwrap());
        ask(client, "PUT", "/variables", &cookie, client.base()).is(201);
        ask(client, "GET", "/keys", &cookie, "").refused(403, "auth_role_insufficient");
        client.get("/keys").must(!client.get("/keys").text.contains(browser["id"].as_str().unwrap()), "it is no key");

        client.case("pages of other origins");
        for origin in ["http://127.0.0.1:1", "https://evil.example", "null"] {
            ask(client, "PUT", "/variables", &cookie, origin).refused(403, "origin_not_allowed");
        }

        client.case("signing out");
        let gone = ask(client, "POST", "/sign-out", &cookie, client.base());
        let removed = gone.is(200).header("set-cookie");
        assert!(removed.contains("Max-Age=0"), "{removed}");
        ask(client, "GET", "/account", &cookie, "").refused(401, "auth_required");
        client.with_key(&key.secret).get("/account").is(200).has("/browser_id", Value::Null);
    });
}

#[test]
fn a_wrong_key_signs_nobody_in() {
    both(|client| {
        client.case("sign-in that is refused");
        let try_key = |key: &str| client.without_key().post("/sign-in", json!({"key": key}));
        try_key("tk_wrong").refused(403, "auth_invalid_credentials");
        let revoked = client.create_key("admin", &[]);
        client.place().revoke_key(&client.account, &revoked);
        try_key(&revoked.secret).refused(403, "auth_invalid_credentials");
        client.without_key().post("/sign-in", json!({})).refused(400, "validation_error");
        for days in [0, 366] {
            client.without_key().post("/sign-in", json!({"key": "x", "days": days})).invalid_at("/days");
        }

        client.case("the secret of a cookie is no key to sign in with");
        let key = client.create_key("admin", &[]);
        let (_, cookie) = sign_in(client, &key.secret);
        let token = cookie.split(['=', ';']).nth(1).unwrap().to_owned();
        let again = client.without_key();
        let again = again.ask("POST", "/sign-in").unrecorded().json(json!({"key": token})).send();
        again.refused(403, "auth_invalid_credentials");

        client.case("a key in the headers wins over the cookie");
        let pair = cookie.split(';').next().unwrap().to_owned();
        let wrong = client.with_key("tk_wrong").ask("GET", "/account").header("cookie", &pair).send();
        wrong.refused(403, "auth_invalid_credentials");
    });
}

#[test]
fn browsers_are_listed_and_end_with_their_key() {
    both(|client| {
        let key = client.create_key("write", &[]);
        let (first, cookie) = sign_in(client, &key.secret);
        let (second, other) = sign_in(client, &key.secret);
        let admin = client.create_key("admin", &[]);
        let (third, _) = sign_in(client, &admin.secret);

        client.case("an admin sees all, others those of their key");
        let all = client.get("/browsers").is(200).column("id");
        assert_eq!(all, [third["id"].clone(), second["id"].clone(), first["id"].clone()]);
        let own = ask(client, "GET", "/browsers?sort_order=asc", &cookie, "");
        assert_eq!(own.column("id"), [first["id"].clone(), second["id"].clone()]);
        assert_eq!(own.column("current"), [json!(true), json!(false)]);

        client.case("an admin signs one out");
        let path = format!("/browsers/{}", second["id"].as_str().unwrap());
        client.with_key(&key.secret).delete(&path).refused(403, "auth_role_insufficient");
        client.delete(&path).is(200);
        client.delete(&path).refused(404, "browser_not_found");
        client.delete(&format!("/browsers/{}", key.id)).refused(404, "browser_not_found");
        ask(client, "GET", "/account", &other, "").refused(401, "auth_required");
        ask(client, "GET", "/account", &cookie, "").is(200);

        client.case("revoking the key signs its browsers out");
        client.delete(&format!("/keys/{}", first["id"].as_str().unwrap())).refused(404, "key_not_found");
        client.delete(&format!("/keys/{}", key.id)).is(200);
        ask(client, "GET", "/account", &cookie, "").refused(401, "auth_required");
        assert_eq!(client.get("/browsers").column("id"), [third["id"].clone()]);
        client.set(global(), "still", "here").is(201);

        client.case("one more than allowed signs the oldest of the key out, and none of another key");
        let reader = client.create_key("read", &[]);
        let (fourth, _) = sign_in(client, &reader.secret);
        for number in 1..=100 {
            let asker = client.without_key();
            let ask = asker.ask("POST", "/sign-in").unrecorded().json(json!({"key": admin.secret}));
            ask.send().is(200);
            let kept = client.ask("GET", "/browsers?sort_order=asc&limit=1").unrecorded().send().data();
            assert_eq!(kept[0]["id"] == third["id"], number < 100, "after {number} more");
        }
        let oldest = client.ask("GET", "/browsers?sort_order=asc&limit=1").unrecorded().send();
        assert_eq!((&oldest.body["meta"]["total"], &oldest.data()[0]["id"]), (&json!(101), &fourth["id"]));
    });
}
