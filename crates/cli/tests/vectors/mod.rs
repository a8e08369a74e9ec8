//! MVU's recorded behaviour, replayed through the program. What differs on purpose is explained in
//! `docs/compatibility.md`.

mod sessions;

use serde_json::Value;
use std::path::PathBuf;

/// The vectors of one kind that were recorded of MVU. Where they are missing, a line says so and CI fails.
pub fn mvu(kind: &str) -> Option<Vec<Value>> {
    let shared = std::env::var_os("TAVERNKEEP_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("vectors/mvu.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "{} must be there in CI", path.display());
        eprintln!("SKIPPED: {} is not there; set TAVERNKEEP_SHARED to replay it", path.display());
        return None;
    };
    let vectors = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Some(vectors.filter(|vector| vector["kind"] == kind).collect())
}

/// Whether a vector is a candidate for a deliberate difference; those are counted apart.
pub fn is_candidate(vector: &Value) -> bool {
    const CANDIDATES: [&str; 6] =
        ["lit:mathjs", "lit:mathjs-nonscalar", "lit:js-eval", "date", "non-json-result", "js-artifact"];
    vector["tags"].as_array().into_iter().flatten().any(|tag| CANDIDATES.iter().any(|candidate| tag == candidate))
}
