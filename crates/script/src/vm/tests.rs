//! What scripts do to documents, and what the machine makes of it.

use super::*;
use crate::budget::Budget;
use crate::limits::Limits;
use crate::work::{FunctionOrder, Order, PatternOrder, Reply, RunOrder};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::turn::PatternMatch;

const BUDGET: Budget = Budget { left_us: 1_000_000, script_us: 100_000, is_cut: false };

fn run(executor: &str, document: &str) -> (Result<String, String>, Vec<String>) {
    let mut turn = Machine::new(Limits::default()).unwrap().turn();
    let function = FunctionOrder {
        function: 0,
        executor: Some(executor.to_owned()),
        args: vec![Some(Value::from("a.b")), Some(Value::from(2))],
        seed: 7,
    };
    let order = RunOrder {
        reply: Some("text".to_owned()),
        now_ms: 5,
        budget: BUDGET,
        kill_us: 0,
        read_us: 0,
        context: Value::parse(r#"{"round": 3}"#).unwrap(),
        document: Value::parse(document).unwrap(),
        functions: vec![function],
    };
    let mut replies = Vec::new();
    turn.perform(Order::Run(order), &mut |reply| replies.push(reply));
    let Some(Reply::Result(answer)) = replies.pop() else { panic!("{replies:?}") };
    let result = answer.result.map(|result| {
        let before = Value::parse(document).unwrap();
        let after = result.change.apply(&before).unwrap();
        assert!(after.same_in_order(turn.document().unwrap()));
        after.to_json()
    });
    (result, answer.log)
}

fn ok(executor: &str, document: &str) -> String {
    run(executor, document).0.unwrap()
}

fn err(executor: &str, document: &str) -> String {
    run(executor, document).0.unwrap_err()
}

#[test]
fn a_function_changes_its_document() {
    assert_eq!(ok("snapshot.hp = args[1]", r#"{"hp": 1, "mp": 2}"#), r#"{"hp":2,"mp":2}"#);
    assert_eq!(ok("return {...snapshot, x: context.round}", r#"{"hp": 1}"#), r#"{"hp":1,"x":3}"#);
    assert_eq!(
        ok("snapshot.big = snapshot.list[1]", r#"{"2":1,"1":2,"list":[1,9007199254740993]}"#),
        r#"{"2":1,"1":2,"list":[1,9007199254740993],"big":9007199254740993}"#
    );
    assert_eq!(
        ok("snapshot.list.shift(); delete snapshot.gone", r#"{"gone":1,"list":[{"z":1},{"9":1,"3":{}}]}"#),
        r#"{"list":[{"9":1,"3":{}}]}"#
    );
    assert_eq!(ok("snapshot.a = snapshot.b = {c: 1}; snapshot.u = undefined", "{}"), r#"{"b":{"c":1},"a":{"c":1}}"#);
    assert_eq!(run("console.log('a', {b: 1n}, [2])", "{}").1, [r#"a {"b":"1"} [2]"#]);
    let unusual =
        "console.log(NaN, undefined, null, {a: NaN, b: [-Infinity, undefined]}, new Map([[1, 2]]), new Set(['x']))";
    assert_eq!(run(unusual, "{}").1, [r#"NaN undefined null {"a":"NaN","b":["-Infinity","undefined"]} [[1,2]] ["x"]"#]);
}

#[test]
fn failures_have_places() {
    assert_eq!(
        err("let a = 1;\n  a.b.c()", "{}"),
        "TypeError: cannot read property 'c' of undefined (line 2, column 3)"
    );
    assert!(err("let a = ;", "{}").contains("(line 1, column"), "{}", err("let a = ;", "{}"));
    // What is missing at the end is missing on the author's last line.
    for code in ["let a = 1;\nif (a) {", "let a = 1;\nif (a) {\n", "let a = 1;\nif (a) {  \n\n  \n"] {
        let message = err(code, "{}");
        assert!(message.starts_with("SyntaxError") && message.ends_with("(line 2, column 9)"), "{code:?}: {message}");
    }
    let message = err("let a = 1;\nconst count = () => { for (;;) a++ };\ncount();", "{}");
    assert!(message.starts_with("ran longer than 100 ms and was stopped (line 2, column "), "{message}");
    // The machine knows the places of calls, and of a loop without any only its function.
    assert_eq!(err("for (;;);", "{}"), "ran longer than 100 ms and was stopped");
    let message = err("let s = [1]; for (;;) s = s.concat(s)", "{}");
    assert!(message.starts_with("needed more than 64 MB of memory (line 1, column "), "{message}");
    assert_eq!(err("snapshot.a.b = NaN", r#"{"a":{}}"#), "`snapshot.a.b` is NaN or Infinity, which JSON has not");
    assert_eq!(err("return 5", "{}"), "returned a number, and not the snapshot, another object or nothing");
}

#[test]
fn what_is_thrown_is_shown() {
    for (thrown, shown) in [
        ("null", "threw null"),
        ("undefined", "threw undefined"),
        ("5", "threw 5"),
        ("'no gold'", "no gold"),
        ("{ code: 1, msg: 'x' }", r#"threw {"code":1,"msg":"x"}"#),
        ("[1, 2]", "threw [1,2]"),
        ("{ get a() { throw 1 } }", "threw an object"),
    ] {
        assert_eq!(err(&format!("throw {thrown}"), "{}"), shown);
    }
    assert!(err("throw new RangeError('far')", "{}").starts_with("RangeError: far (line 1, "));
}

#[test]
fn code_is_the_body_of_one_function() {
    for body in [
        "}); (function () { return { hacked: 1 } ",
        "}, function () { return { hacked: 1 } ",
        "}`x`, function () { return { hacked: 1 } ",
        "} + function () {",
        "}(), function () {",
        "}, Object.defineProperty(function () {}, 'toString', { value: () => '' }), function () { ",
    ] {
        let message = err(body, "{}");
        assert!(message.starts_with("SyntaxError: "), "{body}: {message}");
    }
    assert_eq!(
        ok("// }\n/* } */ snapshot.a = '}'; if (1) { snapshot.b = `}${1}}` } // the end", "{}"),
        r#"{"a":"}","b":"}1}"}"#
    );
}

/// The largest and smallest integers, and those next to what a double holds.
const INTEGERS: &str =
    r#"{"a":9007199254740993,"b":-9007199254740993,"min":-9223372036854775808,"max":18446744073709551615}"#;

#[test]
fn integers_that_are_no_numbers_of_javascript_can_be_moved() {
    for still in [
        "return {...snapshot}",
        "return JSON.parse(JSON.stringify(snapshot))",
        "return JSON.parse(`{\"a\":${JSON.stringify(snapshot.a)},\"b\":\"<integer ${snapshot.b}>\"}`, undefined) && snapshot",
        "const { a, b } = snapshot; snapshot.a = b; snapshot.b = a; [snapshot.a, snapshot.b] = [snapshot.b, snapshot.a]",
        "return Object.fromEntries(Object.entries(snapshot))",
        "Object.freeze(snapshot)",
    ] {
        assert_eq!(ok(still, INTEGERS), INTEGERS, "{still}");
    }
    let big = r#"{"id":9007199254740993,"same":9007199254740993}"#;
    let moved = ok("snapshot.list = [snapshot.id, { id: snapshot.id }]; delete snapshot.same; delete snapshot.id", big);
    assert_eq!(moved, r#"{"list":[9007199254740993,{"id":9007199254740993}]}"#);
    let compared =
        "return { is: snapshot.id === snapshot.same, text: `${snapshot.id}`, json: JSON.stringify(snapshot.id) }";
    assert_eq!(ok(compared, big), r#"{"is":true,"text":"9007199254740993","json":"\"<integer 9007199254740993>\""}"#);
    assert_eq!(
        run("console.log(snapshot.id, [snapshot.id])", big).1,
        [r#"9007199254740993 ["<integer 9007199254740993>"]"#]
    );
    // What is no larger is a number.
    assert_eq!(
        ok("snapshot.n -= 1; snapshot.m += 1", r#"{"n":9007199254740992,"m":-9007199254740992}"#),
        r#"{"n":9007199254740991,"m":-9007199254740991}"#
    );
}

#[test]
fn lodash_moves_them_too() {
    if !HAS_LODASH {
        return;
    }
    for still in [
        "return _.cloneDeep(snapshot)",
        "snapshot.a = _.cloneDeep(snapshot.a); snapshot.b = _.clone(snapshot.b)",
        "return _.merge({}, snapshot)",
        "return _.mapValues(snapshot, _.identity)",
        "if (!_.isEqual(snapshot, _.cloneDeep(snapshot)) || _.isEqual(snapshot.a, snapshot.b)) return {}",
        "return _.pick(snapshot, ['a', 'b', 'min', 'max'])",
    ] {
        assert_eq!(ok(still, INTEGERS), INTEGERS, "{still}");
    }
}

#[test]
fn integers_that_are_no_numbers_of_javascript_cannot_be_computed_with() {
    for computed in [
        "snapshot.a + 1",
        "snapshot.a - 1",
        "snapshot.a++",
        "-snapshot.a",
        "snapshot.a > 5",
        "Number(snapshot.a)",
        "BigInt(snapshot.a)",
        "'' + snapshot.a",
        "Math.max(snapshot.a)",
    ] {
        let message = err(&format!("snapshot.x = ({computed})"), INTEGERS);
        assert!(
            message.contains("9007199254740993 is an integer beyond 2^53: it can be moved, not computed with"),
            "{computed}: {message}"
        );
    }
    for made in [
        "snapshot.x = BigInt(`${snapshot.a}`) + 1n",
        "snapshot.x = 1n",
        "snapshot.x = Object.create(Object.getPrototypeOf(snapshot.a), { digits: { value: '9007199254740995', enumerable: true } })",
        "snapshot.x = Object.create(Object.getPrototypeOf(snapshot.a), { digits: { get: () => '9007199254740993', enumerable: true } })",
        "snapshot.x = new Proxy(snapshot.a, {})",
        "Object.getPrototypeOf(snapshot.a).toJSON = () => 1",
        "snapshot.a.digits = '1'",
    ] {
        err(made, INTEGERS);
    }
    let forged = ok("snapshot.x = '<integer 9007199254740995>'", r#"{"a":9007199254740993}"#);
    assert_eq!(forged, r#"{"a":9007199254740993,"x":"<integer 9007199254740995>"}"#, "a text stays a text");
}

#[test]
fn every_pattern_has_an_answer_even_without_memory_for_the_reply() {
    let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
    let mut turn = Machine::new(limits).unwrap().turn();
    let patterns = (0..3).map(|function| PatternOrder { function, pattern: "x".into() }).collect();
    let order = Order::Patterns { reply: Some("好".repeat(8 << 20)), budget: BUDGET, kill_us: 0, patterns };
    let mut replies = Vec::new();
    turn.perform(order, &mut |reply| replies.push(reply));
    assert_eq!(replies, vec![Reply::Failure("needed more than 8 MB of memory".to_owned()); 3]);
}

/// The first match of a pattern: its span and its groups.
fn first_match(pattern: &str, reply: &str) -> PatternMatch {
    let mut turn = Machine::new(Limits::default()).unwrap().turn();
    let patterns = vec![PatternOrder { function: 0, pattern: pattern.into() }];
    let mut replies = Vec::new();
    let order = Order::Patterns { reply: Some(reply.to_owned()), budget: BUDGET, kill_us: 0, patterns };
    turn.perform(order, &mut |reply| replies.push(reply));
    let Some(Reply::Matches(mut found)) = replies.pop() else { panic!("{replies:?}") };
    found.remove(0)
}

#[test]
fn groups_hold_whole_characters() {
    for pattern in ["心情：(.)", "/心情：(.)/u", "/心情：(.)/gd", "心情：(.{2})", "/(?<=心情：.)(.)/g"] {
        assert_eq!(first_match(pattern, "a😀 心情：😀!").args, [Some(Value::from("😀"))], "{pattern}");
    }
    let both = first_match("(x)?(.)(.)", "😀");
    assert_eq!((both.span, both.args), (0..4, vec![None, Some(Value::from("😀")), Some(Value::from("😀"))]));
}

#[test]
fn lodash_and_helpers_are_there() {
    if !HAS_LODASH {
        return;
    }
    assert_eq!(
        ok("const [path, value] = args;\n_.set(snapshot, path, value);\nreturn snapshot;", "{}"),
        r#"{"a":{"b":2}}"#
    );
    let tick = "if (_.has(snapshot, \"世界.时间\")) {\n const currentTime = _.get(snapshot, \"世界.时间\");\n const newTime = addHours(currentTime, 1);\n _.set(snapshot, \"世界.时间\", newTime);\n}\nreturn snapshot;";
    assert_eq!(ok(tick, r#"{"世界":{"时间":"2024年10月26日 20:00"}}"#), r#"{"世界":{"时间":"2024年10月26日 21:00"}}"#);
}

#[test]
fn a_turn_leaves_nothing_behind() {
    let mut machine = Machine::new(Limits::default()).unwrap();
    for _ in 0..3 {
        let mut turn = machine.turn();
        let pattern = PatternOrder { function: 4, pattern: r"#set\((\w+)\)".into() };
        let reply = Some("#set(gold) 好 #set(2)".to_owned());
        let mut replies = Vec::new();
        let order = Order::Patterns { reply, budget: BUDGET, kill_us: 0, patterns: vec![pattern] };
        turn.perform(order, &mut |reply| replies.push(reply));
        let Some(Reply::Matches(found)) = replies.pop() else { panic!("{replies:?}") };
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].span, 15..22);
        assert_eq!(found[1].args, [Some(Value::from(2))]);
        machine = turn.end();
    }
}

/// What scripts do to documents, in every way that the machine's side has to be brought up to date for.
const STATEMENTS: &[&str] = &[
    "snapshot.n = (snapshot.n || 0) + 1",
    "snapshot['k' + Math.floor(Math.random() * 5)] = { a: [1, { b: 2 }] }",
    "snapshot[Math.floor(Math.random() * 20)] = 'number'",
    "delete snapshot['k' + Math.floor(Math.random() * 5)]",
    "(snapshot.list ||= []).push({ x: Math.random() })",
    "(snapshot.list ||= []).unshift(snapshot.n || 0)",
    "snapshot.list = (snapshot.list || []).slice(1)",
    "snapshot.list?.splice(1, 1)",
    "snapshot.list?.reverse()",
    "if (snapshot.list?.[0]?.x) snapshot.list[0].x = 'changed'",
    "snapshot.moved = snapshot.npc; delete snapshot.npc",
    "snapshot.npc = snapshot.moved || { name: 'new', '9': 1, '1': 2 }",
    "snapshot.alias = snapshot.npc; if (snapshot.npc) snapshot.npc.name += '!'",
    "if (snapshot.alias) snapshot.alias.deep = { list: [snapshot.n || 0] }",
    "if (snapshot.npc?.deep) snapshot.npc.deep.list.push('p')",
    "return JSON.parse(JSON.stringify(snapshot))",
    "return { ...snapshot, spread: snapshot.list }",
    "Object.freeze(snapshot); for (const value of Object.values(snapshot)) Object.freeze(value)",
    "Object.defineProperty(snapshot, 'hidden' + (snapshot.n || 0), { value: 1, enumerable: false })",
    "snapshot.text = (snapshot.text || '') + 'é好😀'",
    "snapshot.text = 'same' + ''",
    "snapshot.undefined = undefined; snapshot.nothing = null",
    "if (snapshot.list) snapshot.list.length = 2",
    "snapshot.npc = 5",
    "snapshot.n = 1e300; snapshot.m = -0; snapshot.d = 0.1 + 0.2",
    "if (snapshot.list) snapshot.list[5] = 'gap'",
    "const [a, b] = [snapshot.alias, snapshot.npc]; snapshot.alias = b ?? null; snapshot.npc = a ?? null",
    "throw new Error('after a change: ' + delete snapshot.n)",
    "snapshot.npc = { ...snapshot.npc, name: 'copied' }",
    "Object.assign(snapshot, { k2: snapshot.k1 })",
    "snapshot.keys = Object.keys(snapshot).length",
    "if (snapshot.npc?.deep) snapshot.npc = undefined",
    "for (const key in snapshot) if (key.startsWith('k')) snapshot[key] = { ...snapshot[key], z: [1] }",
    "Object.freeze(snapshot); if (snapshot.npc?.name) snapshot.npc.name = 'frozen'",
    "const { npc, ...rest } = snapshot; return { ...rest, npc }",
    "_.set(snapshot, 'npc.deep.list', [1]); _.unset(snapshot, 'k1'); return _.cloneDeep(snapshot)",
    "_.merge(snapshot, { npc: { hp: [9] }, k3: { a: 1 } })",
    "delete snapshot.npc; snapshot.npc = { name: 'again' }",
    "Object.setPrototypeOf(snapshot.npc ?? {}, null)",
];

/// Runs a list of statements and gives back the document behind each.
fn after_each(
    machine: Machine,
    statements: &[&str],
    before: &str,
    seed: u64,
) -> (Machine, Vec<Result<String, String>>) {
    let function = |(number, statement): (usize, &&str)| FunctionOrder {
        function: number,
        executor: Some(format!("{before}\n{statement}")),
        args: Vec::new(),
        seed: seed + number as u64,
    };
    let document =
        r#"{"npc":{"name":"雪","hp":[1,2],"deep":{"list":[]}},"list":[1,{"x":1},[]],"k1":{},"k2":{"q":{"r":1}}}"#;
    let mut document = Value::parse(document).unwrap();
    let order = RunOrder {
        reply: None,
        now_ms: 0,
        budget: BUDGET,
        kill_us: 0,
        read_us: 0,
        context: Value::empty_object(),
        document: document.clone(),
        functions: statements.iter().enumerate().map(function).collect(),
    };
    let mut turn = machine.turn();
    let mut documents = Vec::new();
    turn.perform(Order::Run(order), &mut |reply| {
        let Reply::Result(answer) = reply else { panic!("{reply:?}") };
        documents.push(answer.result.map(|result| {
            document = result.change.apply(&document).unwrap();
            document.to_json()
        }));
    });
    (turn.end(), documents)
}

#[test]
fn what_is_built_when_it_is_looked_at_is_the_same() {
    let mut machine = Machine::new(Limits::default()).unwrap();
    for seed in 0..400_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut statement = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            STATEMENTS[(state >> 33) as usize % STATEMENTS.len()]
        };
        let statements: Vec<&str> = (0..12).map(|_| statement()).collect();
        let (next, lazily) = after_each(machine, &statements, "", seed);
        // Writing everything looks at everything.
        let (next, eagerly) = after_each(next, &statements, "JSON.stringify(snapshot);", seed);
        machine = next;
        let message = |result: Result<String, String>| result.map_err(|message| message.len() > 1);
        let lazily: Vec<_> = lazily.into_iter().map(message).collect();
        let eagerly: Vec<_> = eagerly.into_iter().map(message).collect();
        assert_eq!(lazily, eagerly, "seed {seed}: {statements:#?}");
    }
}

#[test]
fn both_sides_of_a_document_stay_the_same() {
    let mut machine = Machine::new(Limits::default()).unwrap();
    for seed in 0..400_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut statement = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            STATEMENTS[(state >> 33) as usize % STATEMENTS.len()]
        };
        let functions: Vec<FunctionOrder> = (0..12)
            .map(|number| {
                let executor = format!("console.log(JSON.stringify(snapshot));\n{}", statement());
                FunctionOrder {
                    function: number,
                    executor: Some(executor),
                    args: Vec::new(),
                    seed: seed + number as u64,
                }
            })
            .collect();
        let mut document = Value::parse(r#"{"npc":{"name":"雪","hp":[1,2]},"list":[1,{"x":1},[]],"k1":{}}"#).unwrap();
        let statements: Vec<Option<String>> = functions.iter().map(|function| function.executor.clone()).collect();
        let order = RunOrder {
            reply: None,
            now_ms: 0,
            budget: BUDGET,
            kill_us: 0,
            read_us: 0,
            context: Value::empty_object(),
            document: document.clone(),
            functions,
        };
        let mut turn = machine.turn();
        let mut replies = Vec::new();
        turn.perform(Order::Run(order), &mut |reply| replies.push(reply));
        for (reply, statement) in replies.into_iter().zip(statements) {
            let Reply::Result(answer) = reply else { panic!("{reply:?}") };
            // What the function found is what the ones before it left.
            let found = Value::parse(&answer.log[0]).unwrap();
            assert_eq!(found, document, "seed {seed}: {statement:?}");
            if let Ok(result) = answer.result {
                document = result.change.apply(&document).unwrap();
            }
        }
        machine = turn.end();
    }
}

thread_local! {
    static ENDS: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[test]
fn a_script_has_no_part_of_the_time_that_reading_takes() {
    let mut machine = Machine::new(Limits::default()).unwrap();
    machine.watch_scripts(|cpu_us| ENDS.with_borrow_mut(|ends| ends.push(cpu_us)));
    let executor = Some("snapshot.a = 1".to_owned());
    let order = RunOrder {
        reply: Some("x".repeat(1 << 20)),
        now_ms: 0,
        budget: BUDGET,
        kill_us: 7,
        read_us: 50,
        context: Value::empty_object(),
        document: Value::empty_object(),
        functions: vec![FunctionOrder { function: 0, executor, args: Vec::new(), seed: 0 }],
    };
    let order = Order::Run(order);
    assert_eq!(order.kill_us(), 57);
    assert_eq!(Order::read(&order.write()), Some(order.clone()));
    machine.turn().perform(order, &mut |reply| assert!(matches!(reply, Reply::Result(_)), "{reply:?}"));
    assert_eq!(ENDS.take(), [7, 57]);
}

#[test]
fn the_trap_of_a_proxy_is_not_run_while_the_document_is_read() {
    let trap = "isExtensible(target) { console.log('ran'); return Object.isExtensible(target); }";
    let (result, log) = run(&format!("snapshot.a = new Proxy({{}}, {{ {trap} }});"), "{}");
    assert!(result.unwrap_err().contains("a proxy"));
    assert!(log.is_empty(), "{log:?}");
}
