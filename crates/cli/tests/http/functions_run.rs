//! Functions that run. These stories need a server that can run scripts.

use super::function_files::SEED_FILE;
use super::functions::{active, passive};
use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

/// Whether the server under test runs scripts.
const SCRIPTS_RUN: bool = cfg!(feature = "script");

impl Client {
    fn try_out(&self, functions: Value, text: &str, state: Value) -> Answer {
        let body = json!({"functions": functions, "text": text, "state": state});
        // How long a call takes is different each time.
        self.ask("POST", "/functions/test").json(body).unrecorded().send()
    }

    /// Tries a function out that comes with the program, as a copy of it that another library has.
    fn try_shipped(&self, id: &str, text: &str, state: Value) -> Answer {
        let shipped = self.get(&format!("/functions/{id}")).data();
        let fields = ["name", "type", "order", "pattern", "timing", "description", "executor"];
        let function: serde_json::Map<String, Value> =
            fields.iter().map(|field| ((*field).to_owned(), shipped[field].clone())).collect();
        let answer = self.try_out(json!([function]), text, state);
        answer.is(200).has("/problems", json!([]));
        answer
    }
}

#[test]
fn a_trial_stores_nothing_and_says_what_happened() {
    both(|client| {
        client.case("commands of the engine's own");
        let plain = client.try_out(json!([]), "@.ADD(\"hp\", 5); @.FLY(1);", json!({"hp": 1}));
        plain.is(200).has("/state", json!({"hp": 6})).has("/calls/0/function", "ADD").has("/calls/0/status", "applied");
        plain.has("/calls/0/args", json!(["hp", 5])).has("/calls/0/duration_ms", 0.0);
        plain.has("/calls/1/status", "refused").has("/calls/1/code", "unknown_function");
        client.case("what is wrong has its place");
        let wrong = json!([active("A"), {"name": "x y", "type": "active", "executor": ""}]);
        client.try_out(wrong, "", json!({})).invalid_at("/functions/1/name");
        client.try_out(json!([]), "", json!([])).invalid_at("/state");
        client.post("/functions/test", json!({"functions": [], "state": {}})).invalid("required property 'text'");
        let with = |context: Value| json!({"functions": [], "text": "", "state": {}, "context": context});
        client.post("/functions/test", with(json!({"seed": -1}))).invalid_at("/context/seed");
        client.post("/functions/test", with(json!({"sead": 1}))).invalid("unknown field `sead`");
        client.post("/functions/test", with(json!({"seed": 1, "round": 2, "now_ms": 3}))).is(200);
        client.try_out(json!(vec![active("A"); 401]), "", json!({})).invalid_at("/functions");
        client.get("/functions").is(200).has_meta("total", 14);
        client.case("without a text nothing is called");
        client.try_out(json!([active("HEAL")]), "hm", json!({"hp": 1})).is(200).has("/calls", json!([]));
    });
}

#[test]
fn a_function_that_cannot_be_run_is_one_call_that_did_nothing() {
    if SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let tried = client.try_out(json!([active("HEAL"), passive("tick", 1)]), "@.HEAL(5);", json!({"hp": 1}));
        tried.is(200).has("/state", json!({"hp": 1})).has("/calls/0/function", "HEAL").has("/calls/0/args", json!([5]));
        tried.has("/calls/0/status", "refused").has("/calls/0/code", "script_failed");
        tried
            .has("/calls/1/function", "tick")
            .has("/calls/1/status", "refused")
            .has("/problems/0/code", "script_failed");
    });
}

#[test]
fn functions_run_in_a_trial() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let tried = client.try_out(json!([active("HEAL"), passive("tick", 1)]), "@.HEAL(5);", json!({"hp": 1}));
        tried.is(200).has("/state", json!({"hp": 6, "turns": 1})).has("/problems", json!([]));
        tried.has("/calls/0/function", "HEAL").has("/calls/0/args", json!([5])).has("/calls/0/status", "applied");
        tried.has("/calls/1/function", "tick").has("/calls/1/status", "applied");
        client.case("what throws did nothing");
        let throws = json!([{"name": "BAD", "type": "active", "executor": "snapshot.hp = 0;\nthrow new Error('no');"}]);
        let tried = client.try_out(throws, "@.BAD();", json!({"hp": 1}));
        tried.is(200).has("/state", json!({"hp": 1})).has("/calls/0/code", "script_failed");
        client.case("what is disabled does not run");
        let off = crate::support::tree::merge(passive("tick", 1), json!({"enabled": false}));
        client.try_out(json!([off]), "", json!({})).is(200).has("/calls", json!([])).has("/state", json!({}));
    });
}

#[test]
fn starters_do_what_they_say() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        client.case("time");
        let time = |time: &str| json!({"世界": {"时间": time}});
        let tried = client.try_shipped("starter:advance_time", "", time("2024年10月26日 20:00"));
        tried.has("/state", time("2024年10月26日 21:00"));
        client.try_shipped("starter:advance_time", "", json!({})).has("/state", json!({}));
        client.case("a range");
        let hero = |hp: i64, affinity: i64| json!({"角色": {"生命值": hp, "好感度": affinity, "名字": "x"}});
        client.try_shipped("starter:clamp", "", hero(130, -130)).has("/state", hero(100, -100));
        client.try_shipped("starter:clamp", "@.SET(\"角色.生命值\", -5);", hero(1, 1)).has("/state", hero(0, 1));
        client.case("decay");
        let needs = |food: i64, strength: i64| json!({"角色": {"饱食度": food, "体力": strength}});
        client.try_shipped("starter:decay", "", needs(10, 1)).has("/state", needs(8, 0));
        client.try_shipped("starter:decay", "", needs(1, 0)).has("/state", needs(0, 0));
        client.case("a counter");
        let tried =
            client.try_shipped("starter:count", "@.COUNT(\"统计.击杀\"); @.COUNT(\"统计.击杀\", 3);", json!({}));
        tried.has("/state", json!({"统计": {"击杀": 4}}));
        client.case("stacks");
        let stack = "@.STACK(\"背包\", \"药\", 3); @.STACK(\"背包\", \"药\", -1); @.STACK(\"背包\", \"剑\");";
        let tried = client.try_shipped("starter:stack", stack, json!({}));
        tried.has("/state", json!({"背包": {"药": 2, "剑": 1}}));
        let tried = client.try_shipped("starter:stack", "@.STACK(\"背包\", \"药\", -2);", json!({"背包": {"药": 2}}));
        tried.has("/state", json!({"背包": {}}));
        let tried = client.try_shipped("starter:stack", "@.STACK(\"背包\", \"药\", -3);", json!({"背包": {"药": 2}}));
        tried.has("/state", json!({"背包": {"药": 2}})).has("/calls/0/code", "script_failed");
        client.case("dice: the same seed gives the same numbers");
        let roll = |dice: &str| client.try_shipped("starter:roll", &format!("@.ROLL(\"n\", \"{dice}\");"), json!({}));
        let rolled = roll("2d6+1");
        let number = rolled.data()["state"]["n"].as_i64().unwrap_or_default();
        assert!((3..=13).contains(&number), "{number}");
        roll("2d6+1").has("/state/n", number);
        roll("d1").has("/state/n", 1);
        roll("six").has("/state", json!({})).has("/calls/0/code", "script_failed");
    });
}

#[test]
fn copies_of_the_built_in_functions_do_the_same() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let state = json!({
            "a": {"n": 1, "text": "100"}, "list": ["x", "y"], "time": "2024-10-20T15:30:00Z", "世界": {"时间": "2024年10月26日 20:00"},
        });
        let tried = |name: &str, call: &str| {
            let copy = client.post(&format!("/functions/builtin:{name}/copy"), json!({"scope": "global"}));
            let copied = copy.is(201).data();
            client.delete(&format!("/functions/{}", copy.id())).is(200);
            let function = json!({"name": copied["name"], "type": "active", "executor": copied["executor"]});
            client.try_out(json!([function]), call, state.clone()).data()["state"].clone()
        };
        let native = |call: &str| client.try_out(json!([]), call, state.clone()).data()["state"].clone();
        for (name, call) in [
            ("SET", "@.SET(\"a.name\", \"张三\");"),
            ("ADD", "@.ADD(\"a.n\", 100);"),
            ("SUB", "@.SUB(\"a.n\", 10);"),
            ("APPEND", "@.APPEND(\"list\", \"z\");"),
            ("REMOVE", "@.REMOVE(\"list\", 0);"),
            ("REMOVE", "@.REMOVE(\"list\", \"y\");"),
            ("ASSIGN", "@.ASSIGN(\"a\", {\"m\": 2});"),
            ("UNSET", "@.UNSET(\"a.n\");"),
            ("SET", "@.SET(\"a.name\", \"我(me)的\");"),
            ("ADD", "@.ADD(\"a.text\", 1);"),
            ("SUB", "@.SUB(\"a.text\", 1);"),
            ("REMOVE", "@.REMOVE(\"list\", -1);"),
            ("ASSIGN", "@.ASSIGN(\"list\", {\"m\": 2});"),
            ("UNSET", "@.UNSET(\"list[0]\");"),
            ("TIME", "@.TIME(\"2024年10月26日 21:00\");"),
        ] {
            assert_eq!(tried(name, call), native(call), "{call}");
        }
    });
}

#[test]
fn a_turn_finds_the_same_context_whenever_it_is_computed() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let code = "const { session, branch, floor, page, role, text, round, now_ms, recent_texts } = context;\n\
            const dice = context.random();\n\
            snapshot.seen.push({ session, branch, floor, page, role, text, round, now_ms, dice, recent_texts });";
        let look = json!({"name": "look", "type": "passive", "timing": "before_active", "executor": code});
        let profile = json!({"base": "default", "recent_texts": 2});
        let card = json!({"template": {"seen": []}, "functions": [look], "greetings": ["Hello."], "profile": profile});
        client.make_character("c", card);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        // Dice are different each time, since fresh ids are.
        let take = |body: Value| client.ask("POST", "/sessions/s/turns").json(body).unrecorded().send();
        take(json!({"role": "user", "content": "Hi."})).is(201);
        take(json!({"role": "assistant", "content": "First."})).is(201);
        let second = take(json!({"role": "assistant", "content": "Second."}));
        let floor = text(&second, "floor_id");
        client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": "what if"})).is(201);
        let fork = json!({"role": "narrator", "content": "Fork.", "branch_id": "what if"});
        take(fork).is(201);
        let seen = |branch: &str| {
            let state = client.ask("GET", &format!("/sessions/s/state?branch_id={branch}")).unrecorded().send();
            state.is(200).data()["state"]["seen"].clone()
        };
        let (main, fork) = (seen("main"), seen("what%20if"));
        let field = |seen: &Value, name: &str| {
            seen.as_array().into_iter().flatten().map(|it| it[name].clone()).collect::<Vec<Value>>()
        };
        assert_eq!(field(&main, "floor"), [0, 2, 3]);
        assert_eq!(field(&main, "text"), ["Hello.", "First.", "Second."]);
        client.case("the replies of the model before it, as many as the profile says");
        let recent = |texts: &[&str]| json!(texts);
        let first_two = [recent(&[]), recent(&["Hello."])];
        assert_eq!(field(&main, "recent_texts"), [&first_two[..], &[recent(&["Hello.", "First."])]].concat());
        let on_fork = [recent(&["Hello.", "First."]), recent(&["First.", "Second."])];
        assert_eq!(field(&fork, "recent_texts"), [first_two, on_fork].concat());
        assert_eq!(field(&fork, "branch"), ["main", "main", "main", "what if"]);
        assert_eq!(field(&fork, "role"), ["assistant", "assistant", "assistant", "narrator"]);
        assert_eq!(field(&fork, "session"), ["s"; 4]);
        assert_eq!(field(&fork, "round"), [1, 2, 3, 4]);
        let all = json!({"mode": "all"});
        client.ask("POST", "/sessions/s/process").json(all).unrecorded().send().is(200).has("/processed", 0);
        assert_eq!(seen("main"), main);
        let all = json!({"mode": "all", "from_floor": 4, "branch_id": "what if"});
        client.ask("POST", "/sessions/s/process").json(all).unrecorded().send().is(200).has("/processed", 0);
        assert_eq!(seen("what%20if"), fork);
    });
}

#[test]
fn a_pattern_that_is_none_is_refused() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let with = |pattern: &str| json!({"name": "p", "type": "active", "pattern": pattern, "executor": ""});
        for pattern in ["(", "[", "/a/gg", "/(/g", "(?<n>a)(?<n>b)"] {
            client.post("/functions", with(pattern)).invalid_at("/pattern");
        }
        let id = client.make_function("", with("/(?<=x)(?<n>a)\\k<n>/giu"));
        client.patch(&format!("/functions/{id}"), json!({"pattern": "("})).invalid_at("/pattern");
        client.patch(&format!("/functions/{id}"), json!({"pattern": "(a)"})).is(200).has("/pattern", "(a)");
        let list = json!([with("a"), active("A"), with("b"), with("*")]);
        let file = json!({"version": "1.0", "functions": list});
        client.post("/functions/import", file).invalid_at("/functions/3/pattern");
        client.post("/characters", json!({"name": "n", "functions": list})).invalid_at("/functions/3/pattern");
        client.get("/functions").is(200).has_meta("total", 15);
    });
}

#[test]
fn functions_run_in_turns() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        client.make_character("c", json!({"template": {"hp": 1}, "functions": [passive("tick", 1)]}));
        client.make_function("", active("HEAL"));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let turn = client.turn("s", "@.HEAL(5);");
        turn.is(201).has("/problems", json!([]));
        client.state(&text(&turn, "page_id")).has("/state", json!({"hp": 6, "turns": 1}));
        client.case("passive functions run without any call");
        let turn = client.turn("s", "hm");
        client.state(&text(&turn, "page_id")).has("/state", json!({"hp": 6, "turns": 2}));
        client.case("the seed's file works when it is enabled");
        let made = client.ask("POST", "/functions/import").text("application/json", SEED_FILE).send();
        for id in made.column("id") {
            let id = id.as_str().unwrap_or_default();
            client.patch(&format!("/functions/{id}"), json!({"enabled": true})).is(200);
        }
        let turn = client.turn("s", "@.SET(\"角色.名字\", \"张三\");");
        turn.is(201).has("/problems", json!([]));
        client.state(&text(&turn, "page_id")).has("/state/角色/名字", "张三").has("/state/turns", 3);
        client.case("recomputing gives the same, editing makes it outdated");
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200);
        client.get("/sessions/s/state").is(200).has("/state/turns", 3).has("/outdated", Value::Null);
    });
}

#[test]
fn calls_of_a_trial_are_those_that_ran() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let code = "snapshot.hp += 1; console.log('healed');";
        let functions = json!([{"name": "HEAL", "type": "active", "executor": code}]);
        // The first argument of the first command is the name of a function that it does not call.
        let text = "@.SET(\"HEAL\", 5); @.HEAL(); @.SET(\"x\", \"HEAL\");";
        let tried = client.try_out(functions, text, json!({"hp": 1}));
        tried.is(200).has("/state", json!({"hp": 2, "HEAL": 5, "x": "HEAL"}));
        tried.has("/calls/0/function", "SET").has("/calls/0/args", json!(["HEAL", 5])).has("/calls/0/log", Value::Null);
        tried.has("/calls/1/function", "HEAL").has("/calls/1/log", json!(["healed"])).has("/calls/1/args", json!([]));
        tried.has("/calls/2/function", "SET").has("/calls/2/args", json!(["x", "HEAL"])).has("/calls/3", Value::Null);
    });
}

#[test]
fn integers_beyond_what_javascript_holds_are_moved() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let of = |code: &str| json!([{"name": "move", "type": "passive", "timing": "after_active", "executor": code}]);
        let body = |code: &str| {
            let functions = of(code).to_string();
            let state = r#"{"min":-9223372036854775808,"max":18446744073709551615}"#;
            format!(r#"{{"functions":{functions},"text":"","state":{state}}}"#)
        };
        let ask = |code: &str| {
            let request = client.ask("POST", "/functions/test").text("application/json", body(code));
            request.unrecorded().send()
        };
        let copied =
            ask("snapshot.copy = JSON.parse(JSON.stringify({ max: snapshot.max })); snapshot.low = snapshot.min");
        copied.is(200).has("/problems", json!([])).has("/state/copy/max", u64::MAX).has("/state/low", i64::MIN);
        copied.has("/state/min", i64::MIN).has("/state/max", u64::MAX);
        let computed = ask("snapshot.max += 1");
        computed.is(200).has("/state/max", u64::MAX).has("/calls/0/code", "script_failed");
        let message = computed.data()["calls"][0]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("can be moved, not computed with"), "{message}");
    });
}

#[test]
fn a_whole_function_is_not_the_body_of_one() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let named = |name: &str, executor: &str| json!({"name": name, "type": "passive", "timing": "after_active", "executor": executor});
        for whole in [
            "(snapshot, args, context) => { snapshot.n = 1; return snapshot; }",
            "snapshot => { snapshot.n = 1; };",
            "function run(snapshot) { snapshot.n = 1; return snapshot; }",
            "// counts\nasync function (snapshot) { snapshot.n = 1; }",
        ] {
            let refused = client.post("/functions", named("whole", whole));
            refused.invalid_at("/executor").invalid("write only what stands between its braces");
            let tried = client.try_out(json!([named("whole", whole)]), "", json!({}));
            tried.has("/state", json!({})).has("/calls/0/status", "refused").has("/calls/0/code", "script_failed");
        }
        client.case("functions inside of a body are its own business");
        for body in [
            "function one() { return 1; }\nsnapshot.n = one();",
            "(() => { snapshot.n = 1; })();",
            "const one = () => 1;\nsnapshot.n = one();",
        ] {
            client.try_out(json!([named("body", body)]), "", json!({})).has("/state/n", 1);
        }
        client.case("there is nothing to wait for");
        client.post("/functions", named("waits", "await x;")).invalid("a function cannot wait");
    });
}

#[test]
fn code_that_is_none_is_refused() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let with = |code: &str| json!({"name": "A", "type": "active", "executor": code});
        let broken = "snapshot.hp = 1;\nlet x = ;";
        let place = |answer: &Answer| {
            let message = answer.details()[0]["message"].as_str().unwrap_or_default().to_owned();
            assert!(message.contains("(line 2, column "), "{message}");
        };
        let refused = client.post("/functions", with(broken));
        refused.invalid_at("/executor");
        place(&refused);
        client.post("/functions", with("}); (function(){ return {hacked:1} ")).invalid_at("/executor");
        let id = client.make_function("", with("return snapshot;"));
        client.patch(&format!("/functions/{id}"), json!({"executor": broken})).invalid_at("/executor");
        client.get(&format!("/functions/{id}")).is(200).has("/executor", "return snapshot;");
        client.case("on a card");
        let card = json!({"name": "n", "functions": [active("B"), with(broken)]});
        client.post("/characters", card).invalid_at("/functions/1/executor");
        client.case("a file is imported and says what is wrong");
        let file = json!({"version": "1.0", "functions": [active("B"), with(broken)]});
        let imported = client.post("/functions/import", file);
        imported.is(201).has("/0/code_error", Value::Null).has("/1/enabled", false);
        let error = imported.data()[1]["code_error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains("(line 2, column "), "{error}");
        client.case("and cannot be enabled before it is changed");
        let id = imported.data()[1]["id"].as_str().unwrap_or_default().to_owned();
        client.patch(&format!("/functions/{id}"), json!({"enabled": true})).invalid_at("/executor");
        let mended =
            client.patch(&format!("/functions/{id}"), json!({"enabled": true, "executor": "return snapshot;"}));
        mended.is(200).has("/enabled", true);
    });
}

#[test]
fn a_turn_says_which_functions_ran_and_blame_names_them() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let bad =
            json!({"name": "bad", "type": "passive", "timing": "after_active", "order": 9, "executor": "throw null;"});
        client.make_character("c", json!({"template": {"hp": 1}, "functions": [passive("tick", 1), bad]}));
        client.make_function("", active("HEAL"));
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let turn = client.turn("s", "@.SET(\"mp\", 3); @.HEAL(5);");
        let ran = json!([
            {"function": "HEAL", "status": "applied", "operations": 1, "command": 1},
            {"function": "tick", "status": "applied", "operations": 1},
            {"function": "bad", "status": "refused", "operations": 0, "code": "script_failed", "message": "bad: threw null"},
        ]);
        turn.is(201).has("/functions", ran.clone()).has("/problems/0/message", "bad: threw null");
        let (page, floor) = (text(&turn, "page_id"), text(&turn, "floor_id"));
        client.get(&format!("/floors/{floor}/change?include_commands=true")).is(200).has("/functions", ran);
        let blame = |path: &str| client.get(&format!("/pages/{page}/blame?path={path}"));
        blame("turns").is(200).has("/source", "function").has("/function", "tick").has("/command", Value::Null);
        blame("hp").is(200).has("/source", "command").has("/function", "HEAL").has("/command/name", "HEAL");
        blame("mp").is(200).has("/source", "command").has("/function", Value::Null);
    });
}

#[test]
fn a_function_that_was_taken_back_leaves_no_notes() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        // The first value is of another kind, which is a note; the second refuses the whole function.
        let code = "snapshot.name = 5; snapshot._locked = 2;";
        let card = json!({"template": {"name": "x", "_locked": 1},
            "functions": [{"name": "both", "type": "passive", "timing": "after_active", "executor": code}]});
        client.make_character("c", card);
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        let turn = client.turn("s", "hm");
        turn.is(201).has("/functions/0/status", "refused").has("/problems/1", Value::Null);
        client.state(&text(&turn, "page_id")).has("/state", json!({"name": "x", "_locked": 1}));
    });
}

#[test]
fn what_a_function_does_passes_the_profile() {
    if !SCRIPTS_RUN {
        return;
    }
    both(|client| {
        let schema = json!({"properties": {"hp": {"type": "integer", "maximum": 100}, "id": {"readOnly": true}}});
        let profile = json!({"base": "strict", "schema": schema});
        client.make_character("c", json!({"template": {"hp": 1, "id": "x", "bag": []}, "profile": profile}));
        client.make_function(
            "?scope=character&character_id=c",
            json!({"name": "PUT", "type": "active", "executor": "snapshot.bag.push(1); snapshot[args[0]] = args[1];"}),
        );
        client.post("/sessions", json!({"id": "s", "character_id": "c"})).is(201);
        for (call, code) in [
            ("@.PUT(\"hp\", 500);", "out_of_range"),
            ("@.PUT(\"id\", \"y\");", "read_only"),
            ("@.PUT(\"bag\", \"text\");", "type_changed"),
        ] {
            client.case(call);
            let turn = client.turn("s", call);
            turn.is(201).has("/commands/0/status", "refused").has("/commands/0/code", code);
            turn.has("/change", json!([])).has("/functions/0/status", "refused").has("/functions/0/code", code);
            client.get("/sessions/s/state").is(200).has("/state", json!({"hp": 1, "id": "x", "bag": []}));
        }
        client.case("and what it may do is done");
        let turn = client.turn("s", "@.PUT(\"hp\", 7);");
        turn.is(201).has("/commands/0/status", "applied");
        client.get("/sessions/s/state").is(200).has("/state", json!({"hp": 7, "id": "x", "bag": [1]}));
    });
}

#[test]
fn an_edit_of_a_function_copies_no_text_into_sessions() {
    both(|client| {
        let code = |number: usize| format!("// {}\nsnapshot.n = {number};", "a long comment ".repeat(500));
        let tick = |number: usize| json!({"name": "tick", "type": "passive", "timing": "after_active", "executor": code(number)});
        client.make_character("c", json!({"template": {"n": 0}}));
        let function = client.make_function("?scope=character&character_id=c", tick(0));
        for number in 0..20 {
            let session = format!("s{number}");
            client.post("/sessions", json!({"id": session, "character_id": "c"})).is(201);
            client.turn(&session, "hm").is(201);
        }
        let count = |what: &str, table: &str| {
            let sql = format!("SELECT COALESCE({what}, 0) FROM {table} WHERE account_id = '{}'", client.account);
            client.place().number(&sql)
        };
        let stored = || ["definition", "session_story", "recipe"].map(|table| count("COUNT(*)", table));
        let before = stored();
        client.patch(&format!("/functions/{function}"), json!({"executor": code(1)})).is(200);
        let [definitions, stories, recipes] = stored();
        assert!(definitions <= before[0] + 1, "one text at most, for the account: {definitions} after {before:?}");
        assert_eq!([stories, recipes], [before[1], before[2]]);
        client.case("and neither does a turn with it");
        for number in 0..20 {
            client.turn(&format!("s{number}"), "hm").is(201);
        }
        let [definitions, stories, _] = stored();
        assert!(definitions <= before[0] + 1, "{definitions} after {before:?}");
        assert_eq!(stories, before[1]);
    });
}
