//! A chat with the rule pack `memory`: its turns, and rebuilding all of them.

use std::time::{Duration, Instant};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::order::{NewSession, NewTurn, StorySettings};
use tavernkeep_runtime::{Database, Mode, Options, ProcessOrder, Runtime};

/// Turns of the chat.
const TURNS: usize = 2_000;

pub async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(Database::Sqlite(folder.path().into()));
    let runtime = Runtime::open(Options { process_time: Duration::from_secs(3_600), ..options }).await.unwrap();
    let (account, session): (Id, Id) = (Runtime::default_account(), "s".parse().unwrap());
    let profile = Some(Some(JsonText::parse(br#""memory""#).unwrap()));
    let story = StorySettings { profile, ..StorySettings::default() };
    let new = NewSession { id: Some(session.clone()), story, ..NewSession::default() };
    runtime.create_session(&account, new).await.unwrap();
    let start = Instant::now();
    for number in 0..TURNS {
        let new = NewTurn::of(session.clone(), "assistant", reply(number));
        runtime.take_turn(&account, new).await.unwrap();
    }
    let turns = start.elapsed().as_secs_f64();
    println!("\n## The rule pack `memory`: a chat of {TURNS} turns\n\n| figure | time |\n|---|---:|");
    println!("| a durable turn | {:.3} ms |", turns * 1e3 / TURNS as f64);
    for (name, dry_run) in [("rebuilding all turns, dry run", true), ("rebuilding all turns, at most 2 s", false)] {
        let start = Instant::now();
        let order = ProcessOrder { dry_run, ..ProcessOrder::of(Mode::All) };
        let report = runtime.process(&account, &session, order).await.unwrap();
        assert_eq!((report.unchanged, report.differing), (TURNS, 0));
        println!("| {name} | {:.3} s |", start.elapsed().as_secs_f64());
    }
    runtime.close().await;
}

/// A reply with a few commands, and prose around them.
fn reply(number: usize) -> String {
    let (day, hour) = (number / 4 % 28 + 1, number % 4 * 6);
    let month = number / 112 % 12 + 1;
    let mut reply = format!(
        "{}set_status('日期', '{month:02}月{day:02}日'); set_status('时间', '{hour:02}:00');\n\
         memory('summary.small', '第{number}回', '他们又走了一段路。');",
        "雾里传来脚步声，她停下来听了一会儿。".repeat(20)
    );
    match number % 50 {
        0 => reply.push_str(&format!(
            "memory('world_set.npc', '人{number}', '{{\"名\": \"人{number}\", \"_filter\": true}}');"
        )),
        10 => reply.push_str("memory('map.主要地点表', '矿', '{\"resources\": {\"铁\": [\"3/d\", 100]}}');"),
        20 => reply.push_str(&format!("set_attribute('属性段.生理属性.力量.基础', {});", number % 15)),
        49 => reply.push_str(&format!("memory('summary.big', '章{number}', '这一章结束了。');")),
        _ => {}
    }
    reply
}
