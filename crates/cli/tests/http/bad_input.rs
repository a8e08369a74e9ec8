//! What must not hurt: each bad input gets the right refusal, each odd one comes back exactly, on both databases.

use crate::support::{Answer, Client, both, encode, global, page};
use serde_json::json;

/// Puts raw JSON text as the value of a global variable.
fn put_raw(client: &Client, key: &str, value: &str) -> Answer {
    let key = json!(key);
    let body = format!(r#"{{"scope":"global","scope_id":"g","key":{key},"value":{value}}}"#);
    client.ask("PUT", "/variables").text("application/json", body).send()
}

/// The value is accepted and read back as this text.
#[track_caller]
fn comes_back(client: &Client, key: &str, sent: &str, read: &str) {
    let put = put_raw(client, key, sent);
    put.is_one_of(&[200, 201]);
    put.must(put.raw_value() == read, &format!("the value {read:.200}"));
    let got = client.get(&format!("/variables/{}", put.id()));
    got.must(got.is(200).raw_value() == read, &format!("the value {read:.200}"));
}

/// The body is refused as no JSON that we keep, and nothing is written.
#[track_caller]
fn is_no_json(client: &Client, answer: &Answer) {
    answer.is(400);
    let code = answer.code().unwrap_or_default();
    answer.must(["malformed_json", "validation_error"].contains(&code), "malformed_json or validation_error");
    assert_eq!(client.get("/variables?limit=1").is(200).column("id").len(), 0);
}

#[test]
fn text_that_is_no_json() {
    both(|client| {
        for (what, body) in [
            ("nothing", &b""[..]),
            ("blanks", b"  \n"),
            ("half an object", br#"{"scope":"global","scope_id":"g","key":"k","value":"#),
            ("a comma too many", br#"{"scope":"global","scope_id":"g","key":"k","value":1,}"#),
            ("two values", br#"{"scope":"global","scope_id":"g","key":"k","value":1}{}"#),
            ("single quotes", br"{'scope':'global','scope_id':'g','key':'k','value':1}"),
            ("a comment", br#"{"scope":"global","scope_id":"g","key":"k","value":1/**/}"#),
            ("NaN", br#"{"scope":"global","scope_id":"g","key":"k","value":NaN}"#),
            ("a leading zero", br#"{"scope":"global","scope_id":"g","key":"k","value":01}"#),
            ("a bare point", br#"{"scope":"global","scope_id":"g","key":"k","value":1.}"#),
            ("a plus", br#"{"scope":"global","scope_id":"g","key":"k","value":+1}"#),
            ("an unknown escape", br#"{"scope":"global","scope_id":"g","key":"k","value":"\x41"}"#),
            ("a raw line break", b"{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":\"a\nb\"}"),
            ("a raw NUL", b"{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":\"a\0b\"}"),
            ("Latin-1", b"{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":\"\xe9\"}"),
            (
                "a surrogate in UTF-8",
                b"{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":\"\xed\xa0\x80\"}",
            ),
            ("an overlong NUL", b"{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":\"\xc0\x80\"}"),
        ] {
            client.case(what);
            let answer = client.ask("PUT", "/variables").bytes(body.to_vec()).send();
            answer.refused(400, "malformed_json");
            is_no_json(client, &answer);
        }
        client.case("a byte order mark is no JSON or is ignored");
        let marked = "\u{feff}{\"scope\":\"global\",\"scope_id\":\"g\",\"key\":\"k\",\"value\":1}";
        client.ask("PUT", "/variables").text("application/json", marked).send().is_one_of(&[201, 400]);
    });
}

#[test]
fn values_that_two_readers_could_understand_differently() {
    both(|client| {
        for (what, value) in [
            ("a high surrogate alone", r#""\ud800""#),
            ("a low surrogate alone", r#""\udc00""#),
            ("surrogates in the wrong order", r#""\udc00\ud800""#),
            ("a high surrogate before text", r#""\ud800A""#),
            ("a lone surrogate in a key", r#"{"\udfff":1}"#),
            ("2^64", "18446744073709551616"),
            ("-2^63-1", "-9223372036854775809"),
            ("a hundred digits", &"9".repeat(100)),
            ("1e400", "1e400"),
            ("-1e400", "-1e400"),
            ("a key twice", r#"{"a":1,"a":1}"#),
            ("a key twice, once escaped", r#"{"a":1,"\u0061":2}"#),
            ("a key twice, deep inside", r#"[{"x":{"a":1,"b":2,"a":3}}]"#),
        ] {
            client.case(what);
            is_no_json(client, &put_raw(client, "k", value));
        }
        client.case("a field of the body twice");
        let body = r#"{"scope":"global","scope_id":"g","key":"k","value":1,"value":2}"#;
        is_no_json(client, &client.ask("PUT", "/variables").text("application/json", body).send());
    });
}

#[test]
fn numbers_keep_their_value() {
    both(|client| {
        client.case("B.11 h: integers up to 64 bits");
        for exact in [
            "0",
            "-1",
            "9007199254740993",
            "-9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
        ] {
            comes_back(client, "n", exact, exact);
        }
        client.case("doubles that are integers");
        for (sent, read) in
            [("5.0", "5"), ("5e0", "5"), ("-3.0", "-3"), ("1E2", "100"), ("9007199254740992.0", "9007199254740992")]
        {
            comes_back(client, "n", sent, read);
        }
        client.case("zero has no sign");
        comes_back(client, "n", "-0", "0");
        comes_back(client, "n", "-0.0", "0");
        client.case("doubles");
        for (sent, double) in [
            ("0.1", 0.1),
            ("1.5e300", 1.5e300),
            ("-2.5e-300", -2.5e-300),
            ("1e-400", 0.0),
            ("5e-324", 5e-324),
            ("1.7976931348623157e308", f64::MAX),
        ] {
            put_raw(client, "n", sent).is(200).has("/value", if double == 0.0 { json!(0) } else { json!(double) });
        }
    });
}

/// An array or object that nests this deep.
fn nested(depth: usize) -> [String; 2] {
    [
        format!("{}{}", "[".repeat(depth), "]".repeat(depth)),
        format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth)),
    ]
}

#[test]
fn values_nest_up_to_128_levels() {
    both(|client| {
        client.case("129 levels and many more");
        for depth in [129, 130, 5_000, 100_000] {
            for value in nested(depth) {
                is_no_json(client, &put_raw(client, "k", &value));
            }
        }
        let batch =
            format!(r#"{{"items":[{{"scope":"global","scope_id":"g","key":"k","value":{}}}]}}"#, nested(129)[0]);
        is_no_json(client, &client.ask("PUT", "/variables/batch").text("application/json", batch).send());
        client.case("an endless beginning");
        is_no_json(client, &put_raw(client, "k", &"[".repeat(500_000)));
        client.case("128 levels");
        for value in nested(128) {
            comes_back(client, "k", &value, &value);
        }
        let batch =
            format!(r#"{{"items":[{{"scope":"global","scope_id":"g","key":"k","value":{}}}]}}"#, nested(128)[1]);
        client.ask("PUT", "/variables/batch").text("application/json", batch).send().is(200);
        let listed = client.get("/variables?key=k");
        listed.must(listed.is(200).text.contains(&nested(128)[1]), "all 128 levels");
    });
}

#[test]
fn every_unicode_scalar_comes_back() {
    both(|client| {
        let scalars: Vec<char> = (0..=u32::from(char::MAX)).filter_map(char::from_u32).collect();
        assert_eq!(scalars.len(), 1_112_064);
        // A value of this many, four bytes each, stays below the limit of a body.
        for (index, some) in scalars.chunks(200_000).enumerate() {
            client.case(&format!("scalars, part {index}"));
            let text: String = some.iter().collect();
            let put = client.set(global(), &format!("part {index}"), text.as_str());
            put.is(201);
            let read = client.get(&format!("/variables/{}", put.id()));
            read.must(read.is(200).data()["value"] == text.as_str(), "the same text");
        }
        client.case("scalars of the basic plane, escaped");
        let text: String = scalars.iter().filter(|scalar| u32::from(**scalar) < 0x1_0000).collect();
        let escaped: String = text.chars().map(|scalar| format!("\\u{:04x}", u32::from(scalar))).collect();
        let put = put_raw(client, "escaped", &format!("\"{escaped}\""));
        put.must(put.is(201).data()["value"] == text.as_str(), "the same text");
        client.case("a pair of surrogates is one scalar");
        comes_back(client, "pair", r#""\ud83d\ude00""#, "\"\u{1F600}\"");
        client.case("NUL in keys of a value");
        comes_back(client, "inner", r#"{"a\u0000b":"\u0000"}"#, r#"{"a\u0000b":"\u0000"}"#);
    });
}

#[test]
fn keys_are_any_text_of_512_bytes() {
    both(|client| {
        let odd = [
            "\0",
            "a\0b",
            "   ",
            "'",
            "\"",
            "''; DROP TABLE variable; --",
            "%",
            "_",
            "\\",
            "a%00b",
            "?1",
            "$1",
            "{{x}}",
            "\u{7f}",
            "\u{feff}",
            "\u{ffff}",
            "\u{10ffff}",
            "é",
            "e\u{301}",
            "K",
            "\u{212a}",
            "ß",
            "İ",
            "../../etc/passwd",
            "line\nbreak",
            "null",
        ];
        for key in odd {
            client.case(&format!("the key {key:?}"));
            let put = client.set(global(), key, key);
            put.is(201).has("/key", key);
            let path = format!("/variables?key={}", encode(key));
            assert_eq!(client.get(&path).is(200).column("value"), [json!(key)]);
            assert_eq!(
                client.get(&format!("/variables?prefix={}", encode(key))).is(200).column("value").first(),
                Some(&json!(key))
            );
            client
                .delete(&format!("/variables?scope=global&scope_id=g&key={}", encode(key)))
                .is(200)
                .has("/id", put.id());
        }
        client.case("512 bytes and one more");
        for (longest, too_long) in [("k".repeat(512), "k".repeat(513)), ("资".repeat(170) + "xx", "资".repeat(171))] {
            client.set(global(), &longest, 1).is(201).has("/key", longest.as_str());
            assert_eq!(client.count(&longest), 1);
            client.set(global(), &too_long, 1).invalid_at("/key");
            client.get(&format!("/variables?key={}", encode(&too_long))).is_one_of(&[200, 400]);
        }
    });
}

#[test]
fn wrong_types_are_named_with_their_place() {
    both(|client| {
        let good = json!({"scope": "global", "scope_id": "g", "key": "k", "value": 1});
        for (field, bad) in [
            ("scope", json!(7)),
            ("scope", json!(null)),
            ("scope", json!("GLOBAL")),
            ("scope_id", json!(7)),
            ("scope_id", json!({})),
            ("key", json!(5)),
            ("key", json!(null)),
            ("key", json!(["k"])),
        ] {
            client.case(&format!("{field}: {bad}"));
            let mut body = good.clone();
            body[field] = bad;
            client.put("/variables", body).invalid_at(&format!("/{field}"));
        }
        client.case("session_id and branch_id of a branch");
        client
            .put("/variables", json!({"scope": "branch", "session_id": 1, "branch_id": "b", "key": "k", "value": 1}))
            .invalid_at("/session_id");
        client
            .put("/variables", json!({"scope": "branch", "session_id": "s", "branch_id": 1, "key": "k", "value": 1}))
            .invalid_at("/branch_id");
        client.case("an item that is none");
        client.put("/variables/batch", json!({"items": [7]})).refused(400, "validation_error");
        client.case("bodies that are no objects");
        for body in [json!(null), json!(1), json!("x"), json!([]), json!(true)] {
            client.post("/sessions", body.clone()).refused(400, "validation_error");
            client.put("/variables/batch", body.clone()).refused(400, "validation_error");
            client.post("/variables/increment", body).refused(400, "validation_error");
        }
        assert_eq!(client.get("/variables").is(200).column("id").len(), 0);
    });
}

#[test]
fn ids_are_plain() {
    both(|client| {
        let long = "i".repeat(129);
        for id in [
            "",
            " ",
            "a b",
            "a/b",
            "é",
            "a%20b",
            "a\0b",
            "a'b",
            "a\"b",
            "a;b",
            "a\\b",
            "<b>",
            "a#b",
            "a?b",
            "🔥",
            long.as_str(),
        ] {
            client.case(&format!("the id {:.20?}", id));
            client.post("/sessions", json!({"id": id})).invalid_at("/id");
            client.set(page(id), "k", 1).is_one_of(&[400, 404]);
            if !id.is_empty() {
                for route in ["sessions", "floors", "pages", "variables"] {
                    client.get(&format!("/{route}/{}", encode(id))).is_one_of(&[400, 404]);
                    client.delete(&format!("/{route}/{}", encode(id))).is_one_of(&[400, 404]);
                }
            }
        }
        client.get("/sessions").is(200).has("", json!([]));
        client.case("ids of other types");
        for id in [json!(7), json!(null), json!(["s"])] {
            client.post("/sessions", json!({"id": id})).is_one_of(if id.is_null() { &[201, 400] } else { &[400] });
        }
    });
}

#[test]
fn addresses_that_are_no_text() {
    both(|client| {
        client.set(global(), "%zz", "literal").is(201);
        client.set(global(), "\u{fffd}", "replacement").is(201);
        client.case("invalid UTF-8 in a query");
        for query in ["key=%ff", "prefix=%C3%28", "keys=%ed%a0%80", "scope_id=%ff", "%ff=1&key=%ff"] {
            client.get(&format!("/variables?{query}")).is(400);
        }
        client.get("/variables/resolve?session_id=%ff").is(400);
        client.case("a malformed escape is refused or taken as it stands");
        for query in ["key=%zz", "key=%25zz"] {
            let answer = client.get(&format!("/variables?{query}"));
            if query == "key=%25zz" || answer.status == 200 {
                assert_eq!(answer.is(200).column("value"), [json!("literal")]);
            } else {
                answer.is_one_of(&[400]);
            }
        }
        client.case("paths that are no text");
        for path in [
            "/sessions/%ff",
            "/floors/%C3%28",
            "/variables/%zz",
            "/pages/%",
            "/branches/%ff?session_id=s",
            "/sessions/%00",
        ] {
            let method = if path.starts_with("/branches") { "DELETE" } else { "GET" };
            client.ask(method, path).send().is_one_of(&[400, 404]);
        }
        client.case("queries of odd shapes");
        client.get("/variables?").is(200);
        client.get("/variables?&&&").is(200);
        client.get("/variables?key").is_one_of(&[200, 400]);
        client.get("/variables?=x").is_one_of(&[200, 400]);
        client.get("/variables?limit=1&limit=2").is_one_of(&[200, 400]);
        client.get("/variables?limit=99999999999999999999").refused(400, "validation_error");
        client.get("/variables?offset=9223372036854775807").is_one_of(&[200, 400]);
        client.get(&format!("/variables?key={}", "k".repeat(20_000))).is_one_of(&[200, 400, 414, 431]);
    });
}

/// A body of exactly this many bytes around a text of `x`.
fn sized(bytes: usize, before: &str, after: &str) -> String {
    format!("{before}{}{after}", "x".repeat(bytes - before.len() - after.len()))
}

#[test]
fn bodies_have_a_size() {
    both(|client| {
        let variable = |bytes| sized(bytes, r#"{"scope":"global","scope_id":"g","key":"k","value":""#, "\"}");
        let put = |body: String| client.ask("PUT", "/variables").text("application/json", body).send();
        const MEBIBYTE: usize = 1024 * 1024;
        client.case("1 MiB and one more byte below /variables");
        put(variable(MEBIBYTE)).is(201);
        put(variable(MEBIBYTE + 1)).refused(413, "payload_too_large");
        put(variable(3 * MEBIBYTE)).refused(413, "payload_too_large");
        client.ask("PUT", "/variables").chunked(variable(MEBIBYTE)).send().is(200);
        client.ask("PUT", "/variables").chunked(variable(MEBIBYTE + 1)).send().refused(413, "payload_too_large");
        for (method, path) in
            [("PUT", "/variables/batch"), ("POST", "/variables/increment"), ("POST", "/variables/batch/delete")]
        {
            let answer = client.ask(method, path).text("application/json", variable(MEBIBYTE + 1)).send();
            answer.refused(413, "payload_too_large");
        }
        client.case("16 MiB and one more byte elsewhere");
        client.make("s");
        let text = |bytes| sized(bytes, r#"{"content":""#, "\"}");
        let patch = |body: String| client.ask("PATCH", "/pages/s.p").text("application/json", body).send();
        patch(text(16 * MEBIBYTE)).is(200);
        patch(text(16 * MEBIBYTE + 1)).refused(413, "payload_too_large");
        let read = client.get("/pages/s.p");
        let whole = 16 * MEBIBYTE - r#"{"content":""}"#.len();
        read.must(read.is(200).data()["content"].as_str().is_some_and(|content| content.len() == whole), "all of it");
    });
}

#[test]
fn many_small_things_are_as_good_as_one_large_one() {
    both(|client| {
        client.case("an array of 100,000 numbers and an object of 20,000 keys");
        let array = format!("[{}]", (0..100_000).map(|number: i32| number.to_string()).collect::<Vec<_>>().join(","));
        comes_back(client, "array", &array, &array);
        let members: Vec<String> = (0..20_000).map(|number| format!(r#""key {number}":{number}"#)).collect();
        let object = format!("{{{}}}", members.join(","));
        comes_back(client, "object", &object, &object);
        client.case("a key twice among 20,000");
        let twice = format!("{{{},\"key 0\":0}}", members.join(","));
        put_raw(client, "twice", &twice).is_one_of(&[400]);
        assert_eq!(client.count("twice"), 0);
    });
}

/// Whatever is too long in a request, an error repeats little of it.
#[test]
fn errors_repeat_little_of_what_was_sent() {
    both(|client| {
        let long = "雪".repeat(130_000);
        let answers = [
            put_raw(client, &long, "1"),
            client.put("/variables", json!({"scope": long, "scope_id": "g", "key": "k", "value": 1})),
            client.put("/variables", json!({"scope": "chat", "scope_id": long, "key": "k", "value": 1})),
            client.post("/sessions", json!({"id": long})),
            client.post("/sessions", json!({"title": "t", "character_id": long})),
            client.post("/sessions", json!({long.clone(): {long.clone(): 1}})),
            client.post("/sessions/s/turns", json!({"role": long, "content": "c", "page_id": long})),
        ];
        for (number, answer) in answers.iter().enumerate() {
            let (status, length) = (answer.status, answer.text.len());
            assert!(status >= 400 && length < 8192, "request {number}: {status} with {length} bytes");
        }
    });
}
