//! The rule pack `memory` over HTTP: turns, swipes, edits, the view, the archive, summaries and rebuilding.

use super::story::text;
use crate::support::{Answer, Client, both};
use serde_json::{Value, json};

const LEGEND: &str = "/state/play_character_data/属性段/生理属性/力量/传奇/0";

impl Client {
    #[track_caller]
    pub(super) fn make_memory(&self, id: &str, profile: Value) {
        self.post("/sessions", json!({"id": id, "profile": profile})).is(201);
    }

    fn memory_turn(&self, session: &str, role: &str, content: &str) -> Answer {
        let body = json!({"role": role, "content": content, "include_state": true});
        let turn = self.post(&format!("/sessions/{session}/turns"), body);
        turn.is(201);
        turn
    }
}

#[test]
fn a_session_with_the_profile_starts_from_the_template_and_runs_the_rules() {
    both(|client| {
        client.make_memory("s", json!("memory"));
        client.case("before the story begins the state is the pack's template");
        client.get("/sessions/s/state").is(200).has("/state/stat_data/world_shard/level/0", "无").has("/fresh", true);
        client.case("a person's text is read too, and the rules run behind it");
        let user = client.memory_turn("s", "user", "我很强壮 set_attribute('属性段.生理属性.力量.基础', 9);");
        user.has(LEGEND, 1);
        client.case("a turn");
        let turn =
            client.memory_turn("s", "assistant", "好。*.set_attribute('属性段.生理属性.力量.基础', 9, 12);// 训练");
        turn.is(201);
        turn.has(LEGEND, 4).has("/commands/0/dialect", "memory").has("/commands/0/reason", "训练");
        client.case("a swipe starts from the floor before");
        let body = json!({
            "role": "assistant", "swipe_of": text(&turn, "floor_id"), "include_state": true,
            "content": "set_status('world_shard.level', '低'); set_status('检定难度', 9);",
        });
        let swipe = client.post("/sessions/s/turns", body);
        swipe.is(201).has(LEGEND, 1).has("/state/stat_data/检定难度/0", 5).has("/problems/0/code", "out_of_range");
        client.get("/sessions/s/state").is(200).has("/state/stat_data/检定难度/0", 5);
        client.case("swiping back brings the first state back");
        client.post(&format!("/pages/{}/activate", text(&turn, "page_id")), json!({})).is(200);
        client.get("/sessions/s/state").is(200).has(LEGEND, 4).has("/fresh", true);
        client.case("an edited text is computed again, rules included");
        let edited = json!({"content": "set_attribute('属性段.生理属性.力量.基础', 20);"});
        client.patch(&format!("/pages/{}", text(&turn, "page_id")), edited).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        client.get("/sessions/s/state").is(200).has(LEGEND, 12).has("/fresh", true);
        client.case("what is computed is read-only, in every dialect");
        let turn = client.memory_turn(
            "s",
            "assistant",
            "set_status('world_shard.task.time_left', 5); @.SET(\"stat_data.world_shard.task.time_left\", 5);",
        );
        turn.has("/commands/0/code", "read_only").has("/commands/1/code", "read_only");
    });
}

/// A session that asks for a summary after two entries, and keeps one big one.
fn make_short_memory(client: &Client, id: &str) {
    client.make_memory(id, json!("memory"));
    let config = "memory('config.small_to_big_count', 2); memory('config.clean_big_count', 1); memory('config.hide_latest_count', 1);";
    client.memory_turn(id, "assistant", config).is(201);
}

#[test]
fn the_archive_follows_swipes_edits_and_recomputation_and_never_doubles() {
    both(|client| {
        make_short_memory(client, "s");
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 0);
        client
            .memory_turn("s", "assistant", "memory('summary.small','一','甲'); memory('summary.small','二','乙');")
            .is(201);
        client.get("/sessions/s/memory").is(200).has("/due/0/code", "summary_due").has("/fresh", true);
        let turn =
            client.memory_turn("s", "assistant", "memory('summary.big','章','丙'); delete('world_set.npc','all');");
        turn.is(201);
        client.case("what left the state is in the archive");
        let archive = client.get("/sessions/s/memory/archive");
        archive.is(200).has_meta("total", 2).has("/0/key", "一").has("/0/value", "甲").has("/1/key", "二");
        archive.has("/0/source", "summary.small").has("/0/page_id", text(&turn, "page_id"));
        client.case("the list can be searched, filtered, sorted and cut");
        client.get("/sessions/s/memory/archive?q=乙").is(200).has_meta("total", 1).has("/0/key", "二");
        client.get("/sessions/s/memory/archive?source=summary.big").is(200).has_meta("total", 0);
        client
            .get("/sessions/s/memory/archive?sort_order=desc&limit=1")
            .is(200)
            .has("/0/key", "二")
            .has_meta("has_more", true);
        client.get("/sessions/s/memory/archive?offset=1&total=false").is(200).has("/0/key", "二");
        let export = client.get("/sessions/s/memory/archive/export");
        assert_eq!(export.status, 200);
        assert_eq!(export.text.lines().count(), 2, "{}", export.text);
        client.case("an edit by hand of the page keeps its entries");
        let patch = json!({"patch": {"stat_data": {"天气": ["雪", "x"]}}});
        client.patch(&format!("/pages/{}/state", text(&turn, "page_id")), patch).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2);
        client.case("computing everything again doubles nothing");
        client.post("/sessions/s/process", json!({"mode": "all", "overwrite_edited": true})).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2);
        client.post("/sessions/s/process", json!({"mode": "latest"})).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2);
        client.case("a swipe away hides them, and swiping back brings them back");
        let swipe = json!({"role": "assistant", "swipe_of": text(&turn, "floor_id"), "content": "什么也没有"});
        client.post("/sessions/s/turns", swipe).is(201);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 0);
        client.post(&format!("/pages/{}/activate", text(&turn, "page_id")), json!({})).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2);
        client.case("a fork has what its line has");
        client.post(&format!("/floors/{}/branch", text(&turn, "floor_id")), json!({"branch_id": "b"})).is(201);
        client.get("/sessions/s/memory/archive?branch_id=b").is(200).has_meta("total", 2);
        let body = json!({"role": "assistant", "branch_id": "b", "content": "memory('summary.big','二章','丁');"});
        client.post("/sessions/s/turns", body).is(201);
        client.get("/sessions/s/memory/archive?branch_id=b").is(200).has_meta("total", 3).has("/2/key", "章");
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2);
        client.case("a text that is edited takes its entries along");
        client.patch(&format!("/pages/{}", text(&turn, "page_id")), json!({"content": "没有"})).is(200);
        client.post("/sessions/s/process", json!({})).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 0);
        client.get("/sessions/s/memory/archive?branch_id=b").is(200).has_meta("total", 3);
        client.case("bad requests are explained");
        client.get("/sessions/nobody/memory/archive").refused(404, "session_not_found");
        client.get("/sessions/s/memory/archive?branch_id=nowhere").refused(404, "branch_not_found");
        client.get("/sessions/s/memory/archive?limit=0").refused(400, "validation_error");
        client.get("/sessions/s/memory/archive?q=").refused(400, "validation_error");
        client.post("/sessions", json!({"id": "plain"})).is(201);
        client.get("/sessions/plain/memory").is(200).has("/due", json!([])).has("/view", json!({}));
        client.get("/sessions/plain/memory/archive").is(200).has_meta("total", 0);
    });
}

#[test]
fn a_server_that_is_killed_and_started_again_goes_on_where_it_was() {
    use crate::support::{Backend, Server};
    for backend in Backend::BOTH {
        let mut server = Server::start(backend.place());
        server.place.create_account("a");
        let key = server.place.create_key("a", "admin", &[]);
        let mut again = || {
            server.kill();
            server = Server::start_on(std::sync::Arc::clone(&server.place));
            Client::new(&server, "a").with_key(&key.secret)
        };
        let client = again();
        make_short_memory(&client, "s");
        let first = client.memory_turn(
            "s",
            "assistant",
            "memory('summary.small','一','甲'); memory('summary.small','二','乙');",
        );
        let live = client.get("/sessions/s/state").data()["state"].clone();
        let client = again();
        client.case("the state and what is due are there");
        assert_eq!(client.get("/sessions/s/state").data()["state"], live);
        client.get("/sessions/s/memory").is(200).has("/due/0/code", "summary_due").has("/fresh", true);
        let turn =
            client.memory_turn("s", "assistant", "memory('summary.big','章','丙'); set_status('日期', '01月01日');");
        turn.has("/state/assa_data/config/flags/clean_small_flag", false);
        let swipe = json!({"role": "assistant", "swipe_of": text(&turn, "floor_id"), "content": "什么也没有"});
        client.post("/sessions/s/turns", swipe).is(201);
        let client = again();
        client.case("the chosen swipe is the one of before, and the other can still be chosen");
        client.get("/sessions/s/memory").is(200).has("/due/0/code", "summary_due");
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 0);
        client.post(&format!("/pages/{}/activate", text(&turn, "page_id")), json!({})).is(200);
        client.get("/sessions/s/memory").is(200).has("/due", json!([])).has("/fresh", true);
        let client = again();
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2).has("/0/key", "一");
        let edited = json!({"content": "memory('summary.small','三','丁'); memory('summary.small','四','戊');"});
        client.patch(&format!("/pages/{}", text(&first, "page_id")), edited).is(200);
        let client = again();
        client.case("an edit before the kill is processed behind it, and nothing doubles");
        client.post("/sessions/s/process", json!({})).is(200);
        client.get("/sessions/s/memory/archive").is(200).has_meta("total", 2).has("/0/key", "三").has("/1/key", "四");
        let dry = client.post("/sessions/s/process", json!({"mode": "all", "dry_run": true}));
        dry.is(200).has("/differing", 0);
    }
}

#[test]
fn a_rebuild_equals_the_live_state_and_says_what_differed() {
    both(|client| {
        client.make_memory("s", json!("memory"));
        for day in 1..=6 {
            let content = format!(
                "set_status('日期', '01月0{day}日'); set_attribute('货币段.积分', {day}); memory('summary.small','{day}','x');"
            );
            client.memory_turn("s", "assistant", &content).is(201);
        }
        let live = client.get("/sessions/s/state").data()["state"].clone();
        client.case("a dry run shows that nothing differs");
        let dry = client.post("/sessions/s/process", json!({"mode": "all", "dry_run": true}));
        dry.is(200).has("/processed", 0).has("/unchanged", 6).has("/differing", 0).has("/dry_run", true);
        client.case("an edit by hand is kept, or overwritten where that is wanted");
        let third = client.get("/sessions/s/floors/2").data()["page_id"].as_str().unwrap().to_owned();
        client.patch(&format!("/pages/{third}/state"), json!({"patch": {"stat_data": {"天气": ["雪", "x"]}}})).is(200);
        client.get("/sessions/s/state").has("/state/stat_data/天气/0", "雪");
        let dry = client.post("/sessions/s/process", json!({"mode": "all", "overwrite_edited": true, "dry_run": true}));
        dry.is(200)
            .has("/processed", 4)
            .has("/differing", 4)
            .has("/floors/0/floor_no", 2)
            .has("/floors/0/differs", true);
        client.get("/sessions/s/state").has("/state/stat_data/天气/0", "雪");
        client
            .post("/sessions/s/process", json!({"mode": "all", "overwrite_edited": true}))
            .is(200)
            .has("/differing", 4);
        assert_eq!(client.get("/sessions/s/state").data()["state"], live);
    });
}

/// A model that answers with what it is given, one request after the other, and keeps what it was asked.
struct ScriptedModel {
    url: String,
    asked: std::sync::mpsc::Receiver<String>,
}

impl ScriptedModel {
    fn start(answers: Vec<(u16, String)>) -> ScriptedModel {
        ScriptedModel::start_with(answers, 1)
    }

    /// Answers so many requests together, when all of them are there.
    fn start_with(answers: Vec<(u16, String)>, together: usize) -> ScriptedModel {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, asked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for answers in answers.chunks(together) {
                let mut asking = Vec::new();
                for _ in answers {
                    let Ok((stream, _)) = listener.accept() else { return };
                    let (request, stream) = read_request(stream);
                    sender.send(request).unwrap();
                    asking.push(stream);
                }
                for (stream, (status, body)) in asking.iter_mut().zip(answers) {
                    use std::io::Write;
                    let length = body.len();
                    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
                }
            }
        });
        ScriptedModel { url, asked }
    }
}

fn read_request(stream: std::net::TcpStream) -> (String, std::net::TcpStream) {
    use std::io::{BufRead, BufReader, Read};
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut content = vec![0; length];
    reader.read_exact(&mut content).unwrap();
    (format!("{head}{}", String::from_utf8(content).unwrap()), reader.into_inner())
}

#[test]
fn of_two_summaries_of_the_same_one_counts() {
    use crate::support::{Backend, Server};
    for backend in Backend::BOTH {
        let answer = json!({"choices": [{"message": {"role": "assistant", "content": "他们相遇了。"}}]}).to_string();
        let model = ScriptedModel::start_with(vec![(200, answer); 2], 2);
        let settings = [format!("model_url={}", model.url), "model_name=scribe".to_owned()];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let server = Server::start_with(backend.place(), &settings);
        let client = server.client("a");
        make_short_memory(&client, "s");
        let notes = "memory('summary.small','一','甲'); memory('summary.small','二','乙');";
        let page = text(client.memory_turn("s", "assistant", notes).is(201), "page_id");
        let ask = || client.post("/sessions/s/memory/summarize", json!({}));
        let mut answers = std::thread::scope(|scope| {
            let asked = [scope.spawn(ask), scope.spawn(ask)];
            asked.map(|asked| asked.join().expect("it is answered"))
        });
        answers.sort_by_key(|answer| answer.status);
        answers[0].is(200).has("/state/assa_data/summary/big/总结", "他们相遇了。");
        answers[1].refused(409, "invalid_state");
        client.get(&format!("/pages/{page}/edits")).is(200).has_meta("total", 1);
        assert_eq!(model.asked.try_iter().count(), 2, "both were asked for before one was stored");
    }
}

#[test]
fn a_summary_is_written_by_a_person_a_program_or_a_model() {
    use crate::support::{Backend, Server};
    both(|client| {
        make_short_memory(client, "s");
        client.case("without a model the flag waits");
        client.post("/sessions/s/memory/summarize", json!({})).refused(409, "invalid_state");
        client
            .memory_turn("s", "assistant", "memory('summary.small','一','甲'); memory('summary.small','二','乙');")
            .is(201);
        client.post("/sessions/s/memory/summarize", json!({})).refused(409, "invalid_state");
        client.get("/sessions/s/memory").is(200).has("/due/0/code", "summary_due");
        client.case("a person or a program posts one, which is an edit with a reason");
        let body = json!({"text": "他们相遇了。", "key": "第一章", "reason": "written by hand"});
        let posted = client.post("/sessions/s/memory/summarize", body);
        posted.is(200).has("/edited", true).has("/state/assa_data/summary/big/第一章", "他们相遇了。");
        let edits = client.get(&format!("/pages/{}/edits", text(&posted, "page_id")));
        edits.is(200).has_meta("total", 1).has("/0/reason", "written by hand");
        client.case("it is due no more, and no model is asked for a second one");
        client.get("/sessions/s/memory").is(200).has("/due", json!([]));
        client.post("/sessions/s/memory/summarize", json!({})).refused(409, "invalid_state");
        client.case("the next turn settles it");
        let turn = client.memory_turn("s", "user", "继续。");
        turn.has("/state/assa_data/summary/small", json!({}));
        turn.has("/state/assa_data/config/flags/clean_small_flag", false);
        client.get("/sessions/s/memory/archive?source=summary.small").is(200).has_meta("total", 2);
        client.case("computing everything again gives the same");
        client.post("/sessions/s/process", json!({"mode": "all"})).is(200).has("/differing", 0);
        client.case("bad requests are explained");
        client.post("/sessions/nobody/memory/summarize", json!({})).refused(404, "session_not_found");
        client.post("/sessions/s/memory/summarize", json!({"text": ""})).refused(400, "validation_error");
        let blank = client.post("/sessions/s/memory/summarize", json!({"text": " \n\t"}));
        blank.refused(400, "validation_error").invalid_at("/text");
        let blank = client.post("/sessions/s/memory/summarize", json!({"text": "x", "key": "　"}));
        blank.refused(400, "validation_error").invalid_at("/key");
        client.post("/sessions/s/memory/summarize", json!({"txt": "x"})).refused(400, "validation_error");
        client.post("/sessions", json!({"id": "plain"})).is(201);
        client.post("/sessions/plain/memory/summarize", json!({"text": "x"})).refused(409, "invalid_state");
        client.make_memory("empty", json!("memory"));
        client.post("/sessions/empty/memory/summarize", json!({"text": "x"})).refused(409, "invalid_state");
    });
    let answer = |text: &str| json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string();
    for backend in Backend::BOTH {
        let model = ScriptedModel::start(vec![
            (500, String::new()),
            (200, "no JSON".to_owned()),
            (200, answer("<think>想</think>他们相遇了。set_status('天气','雨');")),
        ]);
        let settings =
            [format!("model_url={}", model.url), "model_name=scribe".to_owned(), "model_key=secret".to_owned()];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let server = Server::start_with(backend.place(), &settings);
        let client = server.client("a");
        make_short_memory(&client, "s");
        client.post("/sessions/s/memory/summarize", json!({})).refused(409, "invalid_state");
        client
            .memory_turn("s", "assistant", "memory('summary.small','一','甲'); memory('summary.small','二','乙');")
            .is(201);
        client.post("/sessions/s/memory/summarize", json!({})).refused(502, "model_unavailable");
        client.post("/sessions/s/memory/summarize", json!({})).refused(502, "model_unavailable");
        let posted = client.post("/sessions/s/memory/summarize", json!({}));
        posted.is(200).has("/state/assa_data/summary/big/总结", "他们相遇了。set_status('天气','雨');");
        posted.has("/state/stat_data/天气/0", "");
        client.post("/sessions/s/memory/summarize", json!({})).refused(409, "invalid_state");
        let edits = client.get(&format!("/pages/{}/edits", text(&posted, "page_id")));
        edits.is(200).has("/0/reason", "a summary by the model scribe");
        let asked: Vec<String> = model.asked.try_iter().collect();
        assert_eq!(asked.len(), 3);
        assert!(
            asked[2].contains("Bearer secret") && asked[2].contains("scribe") && asked[2].contains("甲"),
            "{}",
            asked[2]
        );
    }
}

#[test]
fn the_archive_is_searched_by_the_texts_inside_of_its_values() {
    both(|client| {
        client.make_memory("s", json!("memory"));
        let people = r#"memory('world_set.npc', '甲', {"话": "他说：\"走\"\n然后走了", "物": [{"名": "剑"}]});"#;
        client.memory_turn("s", "assistant", &format!("{people} delete('world_set.npc', 'all');")).is(201);
        for (wanted, found) in
            [("%22%E8%B5%B0%22%0A", 1), ("%E5%89%91", 1), ("%E8%AF%9D", 1), ("%5C%22", 0), ("%7B", 0)]
        {
            let answer = client.get(&format!("/sessions/s/memory/archive?q={wanted}"));
            answer.is(200).has_meta("total", found);
        }
    });
}

#[test]
fn what_the_rules_refuse_is_refused_over_http() {
    both(|client| {
        client.make_memory("s", json!("memory"));
        let turn = client.memory_turn(
            "s",
            "assistant",
            "memory('stat_data.天气', 'x'); set_status('world_shard.task.time_limit', -5); set_status('日期', '01月02日'); \
             set_status('日期', ''); memory('world_set.npc', 'p', [5, '说明']); delete('world_set.npc.p', '0'); \
             memory('world_set.npc', '甲', '{\"好感度\": 5'); @.UNSET(\"stat_data.天气\"); set_status('天气', '雨');",
        );
        let commands = turn.data()["commands"].clone();
        let shown = |at: usize| (commands[at]["status"].clone(), commands[at]["code"].clone());
        let refused = |code: &str| (json!("refused"), json!(code));
        assert_eq!(shown(0), refused("bad_arguments"));
        assert_eq!(shown(1), refused("out_of_range"));
        assert_eq!(shown(3), refused("bad_arguments"));
        assert_eq!(shown(5), refused("not_a_container"));
        assert_eq!(shown(6), (json!("repaired"), Value::Null));
        turn.has("/state/assa_data/天气", Value::Null).has("/state/stat_data/日期/0", "01月02日");
        turn.has("/state/stat_data/天气", json!(["雨", "现在的天气"]));
        turn.has("/state/assa_data/world_set/npc", json!({"p": [5, "说明"], "甲": {"好感度": 5}}));
        client.case("a count of replies that no turn brings along");
        let profile = json!({"base": "memory", "packs": {"memory": {"hide_latest_count": 21}}});
        let refused = client.post("/sessions", json!({"id": "t", "profile": profile}));
        refused.refused(400, "validation_error");
        assert!(refused.text.contains("must be at most 20"), "{}", refused.text);
    });
}

#[test]
fn a_prompt_kit_teaches_the_commands_of_the_pack() {
    both(|client| {
        client.make_memory("s", json!("memory"));
        let kit = client.get("/sessions/s/prompt-kit");
        kit.is(200);
        let rules = kit.data()["rules"]["text"].as_str().unwrap().to_owned();
        let examples: Vec<&str> = rules.lines().filter(|line| line.ends_with(");") && !line.starts_with('@')).collect();
        for name in ["set_attribute(", "set_status(", "memory(", "delete("] {
            assert!(examples.iter().any(|line| line.starts_with(name)), "no example of {name}…): {rules}");
        }
        assert!(rules.contains("@.SET(\"play_character_data.属性段.生理属性.力量.基础\", 2);"), "{rules}");
        assert!(!rules.contains("small_to_big_count") && !rules.contains("Only what exists"), "{rules}");
        client.case("what the kit teaches is applied");
        let turn = client.memory_turn("s", "assistant", &examples.join("\n"));
        for command in turn.data()["commands"].as_array().unwrap() {
            assert_eq!(command["status"], "applied", "{command}");
        }
        client.case("values are shown with their descriptions");
        let kit = client.get("/sessions/s/prompt-kit");
        let view = kit.data()["view"]["text"].as_str().unwrap().to_owned();
        assert!(view.contains("积分: 1200  # 通用货币") && view.contains("时间: 20:00  # 现在的时间"), "{view}");
        client.case("functions are listed where a dialect reads their calls");
        let named = json!({"name": "SPARKLE", "type": "active", "signature": "@.SPARKLE(n);", "executor": "return variables;",
            "description": "makes light"});
        client.post("/functions", named).is(201);
        let functions =
            |session: &str| client.get(&format!("/sessions/{session}/prompt-kit")).data()["functions"].clone();
        assert!(functions("s").to_string().contains("@.SPARKLE"));
        client.make_memory("calls", json!({"base": "memory", "dialects": ["memory"]}));
        assert!(!functions("calls").to_string().contains("@."), "{}", functions("calls"));
        let rules = client.get("/sessions/calls/prompt-kit").data()["rules"]["text"].as_str().unwrap().to_owned();
        assert!(rules.contains("set_status(") && !rules.contains("@.SET"), "{rules}");
    });
}

#[test]
fn a_summary_that_is_posted_is_shown_in_the_kit_as_no_longer_due() {
    both(|client| {
        make_short_memory(client, "s");
        let notes = "memory('summary.small','一','甲'); memory('summary.small','二','乙');";
        client.memory_turn("s", "assistant", notes).is(201);
        let view = || client.get("/sessions/s/prompt-kit").data()["view"]["text"].as_str().unwrap().to_owned();
        assert_eq!(view().matches("a summary is due").count(), 1, "{}", view());
        client.post("/sessions/s/memory/summarize", json!({"text": "他们相遇了。"})).is(200);
        assert!(!view().contains("a summary is due"), "{}", view());
    });
}

#[test]
fn a_reply_is_tried_out_with_the_rules_of_the_pack() {
    both(|client| {
        let reply = "memory('global_set.背包.药', {\"num\": 0}); set_attribute('属性段.生理属性.力量.基础', 10);";
        let answer = client.post("/apply", json!({"profile": "memory", "reply": reply}));
        answer.is(200).has(LEGEND, 2).has("/state/assa_data/global_set/背包", json!({}));
        answer.has("/archived", json!([{"source": "global_set.背包", "name": "", "entries": {"药": {"num": 0}}}]));
        client.case("a profile without a pack needs a state");
        client.post("/apply", json!({"reply": reply})).refused(400, "validation_error").invalid_by("", "required");
    });
}

#[test]
fn the_named_profiles_are_listed() {
    both(|client| {
        let profiles = client.get("/profiles");
        profiles.is(200);
        let all = profiles.data().as_array().unwrap().clone();
        let names: Vec<&str> = all.iter().map(|profile| profile["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["default", "strict", "mvu", "mvu_zod", "memory"]);
        profiles.has("/4/dialects", json!(["memory", "at", "json_patch"])).has("/4/packs", json!(["memory"]));
        profiles.has("/0/packs", json!([])).has("/1/fields/create_missing", false);
        for profile in &all {
            assert!(!profile["description"].as_str().unwrap().is_empty());
            client.case("the fields of a profile are a profile");
            let body = json!({"state": {}, "reply": "", "profile": profile["fields"]});
            client.post("/apply", body).is(200);
        }
        client.get("/profiles?x=1").refused(400, "validation_error");
    });
}

/// A fork is a copy, so what is summed up there is no summary of the line that it was made from.
#[test]
fn a_summary_on_a_fork_is_the_forks_own() {
    both(|client| {
        make_short_memory(client, "s");
        let notes = "memory('summary.small','一','甲'); memory('summary.small','二','乙');";
        let floor = text(client.memory_turn("s", "assistant", notes).is(201), "floor_id");
        for branch in ["b", "c"] {
            client.post(&format!("/floors/{floor}/branch"), json!({"branch_id": branch})).is(201);
        }
        let summarize = |branch: &str| {
            let body = json!({"branch_id": branch, "text": "他们相遇了。", "key": branch});
            client.ask("POST", "/sessions/s/memory/summarize").header("Idempotency-Key", branch).json(body).send()
        };
        let big = |branch: &str| {
            let shown = client.get(&format!("/sessions/s/state?branch_id={branch}"));
            shown.is(200).has("/fresh", true).data()["state"]["assa_data"]["summary"]["big"].clone()
        };
        let posted = summarize("b");
        posted.is(200).has("/state/assa_data/summary/big/b", "他们相遇了。");
        assert_eq!(["main", "b", "c"].map(big), [json!({}), json!({"b": "他们相遇了。"}), json!({})]);
        client.get("/sessions/s/memory?branch_id=b").is(200).has("/due", json!([]));
        client.get("/sessions/s/memory").is(200).has("/due/0/code", "summary_due");
        client.case("sent again");
        assert_eq!(summarize("b").is(200).data(), posted.data());
        client.case("on the source it is the source's");
        summarize("main").is(200);
        let own = |branch: &str| json!({branch: "他们相遇了。"});
        assert_eq!(["main", "b", "c"].map(big), [own("main"), own("b"), json!({})]);
    });
}
