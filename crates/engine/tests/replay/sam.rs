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
        profile: Profile::default().into(),
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
    if is_sane(vector) {
        shares.count(&format!("{dialect} (sane half)"), vector, &vector["expected_state"]["static"], &found);
    }
}

/// Whether the outcome is one that a person could have wanted: nothing of another kind is overwritten without a word,
/// numbers are numbers, text that was meant is read. The reasons stand in `docs/compatibility.md`.
fn is_sane(vector: &Json) -> bool {
    let id = vector["id"].as_str().unwrap();
    if let Some(matrix) = id.strip_prefix("v6.matrix.") {
        let parts: Vec<&str> = matrix.split('.').collect();
        let [op, target, operand] = parts[..] else { return true };
        let number = |kind: &str| ["num", "neg", "float", "zero", "big"].contains(&kind);
        return match op {
            "replace" | "forced_set" => !(number(target) && operand == "numstr"),
            "inc" | "delta" | "min" | "max" => {
                (number(target) || target == "absent" || target == "null") && number(operand)
            }
            "mul" => (number(target) || target == "absent" || target == "null") && number(operand) && operand != "zero",
            "push" | "addToSet" => ["absent", "null", "arr", "empty_arr", "emptyarr", "arr0"].contains(&target),
            _ => true,
        };
    }
    const INSANE: [&str; 48] = [
        // Left unread by SAM although the meaning is plain.
        "v6.extract.unclosed",
        "v6.repair.fullwidth-comma",
        "v6.repair.plus-number",
        "v6.repair.leading-zero",
        "v6.op.path-without-slash",
        "v6.op.unknown-add",
        "v6.op.unknown-copy",
        "v6.op.op-case",
        "sam4.2-at.grammar.unbalanced",
        "sam4.2-at.grammar.full-width",
        "args.plus",
        "args.expression",
        "seed.seed003-table",
        // Overwrites, drops or merges what nobody asked for.
        "v6.repair.dup-key-mixed",
        "v6.op.replace-empty-path",
        "v6.op.insert-append-nonarray",
        "v6.op.insert-index",
        "v6.op.insert-root-dash",
        "v6.op.inc-string-current",
        "v6.op.mul-zero",
        "v6.op.min-string",
        "v6.op.max-nonnumber",
        "v6.op.push-nonarray",
        "v6.op.push-dup-name",
        "v6.op.addToSet-object-diff",
        "v6.op.move-same",
        "v6.normalise.nested",
        "v6.normalise.array-fields",
        "args.undefined",
        "args.number-string",
        "path.empty-path",
        "add.text-existing",
        "add.bool-existing",
        "add.object-existing",
        "select.del-missing-list",
        "select.del-object-path",
        "swap.list-obj",
        "incadd.create-dotted",
        "remove.all",
        // Read-only keys that are not.
        "v6.op.readonly-forced",
        "v6.op.readonly-parent-replaced",
        "v6.op.readonly-middle",
        // Flags, scripts and orders of SAM's own.
        "flags.abbrev",
        "flags.dtype-block",
        "flags.dtype-select",
        "time.priority",
        "timed.fire-order",
        "eval.",
    ];
    !INSANE.iter().any(|insane| id.contains(insane))
}
