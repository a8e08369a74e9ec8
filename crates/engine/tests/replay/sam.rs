//! SAM's vectors: generation E (`<JSONPatch>`) and generation C (`@.NAME(…)`), applied by our default profile.
//!
//! The author's tree (`static`) is our document; what SAM keeps beside it (events, timed writes, summaries) has another
//! shape here and is not compared.

use super::Shares;
use serde_json::{Value as Json, json};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Clock, Turn, apply_reply};

const DIALECTS: [&str; 3] = ["sam6-jsonpatch", "sam4.2-at", "sam4-at-events"];

pub fn replay(vector: &Json, shares: &mut Shares) {
    let dialect = vector["dialect"].as_str().unwrap();
    // Functions are scripts, and values that JSON cannot hold are ours to decide.
    if !DIALECTS.contains(&dialect) || vector.get("functions").is_some() || vector.get("js_quirk").is_some() {
        return;
    }
    let mut document = vector["initial_state"]["static"].clone();
    // What is due and when: the shapes differ, the meaning is the same.
    let timed = vector["initial_state"]["volatile"].as_array().into_iter().flatten().map(|entry| {
        let when = if entry[2] == true { "time" } else { "round" };
        let path: Vec<&str> = entry[0].as_str().unwrap_or_default().split('.').collect();
        json!({"path": path, "value": entry[1], "reason": entry[4], when: entry[3]})
    });
    let timed: Vec<Json> = timed.collect();
    if let Some(members) = document.as_object_mut() {
        if !timed.is_empty() {
            members.insert("_timed".to_owned(), Json::Array(timed));
        }
        if let Some(time) = vector["initial_state"]["time"].as_str().filter(|time| !time.is_empty()) {
            members.insert("time".to_owned(), time.into());
        }
    }
    let outcome = apply_reply(Turn {
        document: Value::try_from(&document).unwrap(),
        reply: vector["reply_text"].as_str().unwrap().to_owned(),
        profile: Profile::default(),
        // The recording's wall clock stood at 2025-01-01.
        clock: Clock { round: vector["round"].as_i64().unwrap_or(0), now_ms: 1_735_689_600_000, ..Clock::default() },
        ..Turn::default()
    });
    let mut found = outcome.document.to_serde();
    if let Some(members) = found.as_object_mut() {
        members.retain(|key, _| !["_summary", "_events", "_timed", "time"].contains(&key.as_str()));
    }
    let category = vector["category"].as_str().unwrap_or_default();
    shares.count(&format!("{dialect} {category}"), vector, &vector["expected_state"]["static"], &found);
    shares.count(dialect, vector, &vector["expected_state"]["static"], &found);
}
