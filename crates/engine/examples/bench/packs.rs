//! What the rule pack `memory` adds to a turn on a state of 2,000 nodes: the same turn with its rules and without.

use crate::{fastest, micros};
use std::fmt::Write as _;
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};

const ROUNDS: usize = 300;
const REPLY: &str = "线人12 来了。set_status('日期', '03月06日'); memory('summary.small', '今天', '到达'); \
                     set_attribute('属性段.生理属性.力量.基础', 11); memory('world_set.npc.人7.好感度', 60);";

pub(crate) fn measure() {
    println!("\n## The rule pack `memory`: a turn of four commands on a state of 2,000 nodes\n");
    println!("| rules | a turn |");
    println!("|---|---:|");
    let document = document();
    let measured = |name: &str, profile: &str| {
        let profile = Value::parse(profile).ok().and_then(|profile| Profile::read(&profile).ok());
        let profile = Arc::new(profile.expect("a profile"));
        let recent_texts = vec!["她说，线人3 在等。".repeat(100); 4];
        let turn =
            Turn { document: document.clone(), reply: REPLY.to_owned(), profile, recent_texts, ..Turn::default() };
        let time = fastest(ROUNDS, || apply_reply(turn.clone()));
        println!("| {name} | {:.1} µs |", micros(time));
        time
    };
    let without = measured("none", r#"{"base": "memory", "packs": {"memory": {"rules": []}}}"#);
    for rule in ["legend", "derived", "time", "task", "resources", "inventory", "summaries", "filter", "difficulty"] {
        measured(rule, &format!(r#"{{"base": "memory", "packs": {{"memory": {{"rules": ["{rule}"]}}}}}}"#));
    }
    let with = measured("all", r#"{"base": "memory"}"#);
    println!("\nThe rules add {:.1} µs to a turn.", micros(with.saturating_sub(without)));
}

/// The template with people, places and summaries: 2,000 objects and lists more.
fn document() -> Value {
    let profile = Profile::named("memory").unwrap_or_default();
    let mut reply = "set_status('日期', '03月05日'); set_status('world_shard.task.time_limit', 10);".to_owned();
    for number in 0..600 {
        let filter = if number % 10 == 0 { r#", "_filter": true"# } else { "" };
        let _ = write!(
            reply,
            r#"memory('world_set.npc', '人{number}', '{{"名": "人{number}", "好感度": {number}, "物品": {{"剑": {{"num": 1}}}}{filter}}}');"#
        );
    }
    for number in 0..100 {
        let _ = write!(
            reply,
            r#"memory('map.主要地点表', '地{number}', '{{"resources": {{"铁": ["3/d", 100, "矿"]}}}}');"#
        );
    }
    for number in 0..40 {
        let _ = write!(reply, "memory('summary.small', '记{number}', '发生了一些事');");
    }
    let document = profile.first_document().unwrap_or_default();
    apply_reply(Turn { document, reply, profile: profile.into(), ..Turn::default() }).document
}
