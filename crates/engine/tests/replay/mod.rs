//! The replay of recorded vectors: reading them, comparing, counting.

pub mod mvu;
pub mod sam;

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The vectors of one file, or nothing when they are not at hand.
pub fn vectors(name: &str) -> Option<Vec<Json>> {
    let shared = std::env::var_os("TAVERNKEEP_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("vectors").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "{} must be there in CI", path.display());
        println!("SKIPPED: {} is not there; set TAVERNKEEP_SHARED to replay it", path.display());
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// How many vectors of each kind match.
#[derive(Default)]
pub struct Shares(BTreeMap<String, (usize, usize)>);

impl Shares {
    pub fn count(&mut self, kind: &str, vector: &Json, expected: &Json, found: &Json) {
        let matches = same(expected, found);
        let share = self.0.entry(kind.to_owned()).or_default();
        share.0 += usize::from(matches);
        share.1 += 1;
        if !matches && std::env::var_os("DIFFERENCES").is_some_and(|wanted| wanted == "1" || *wanted == *kind) {
            let input = vector.get("reply_text").or(vector.get("input")).unwrap_or(&Json::Null);
            let name = vector.get("name").or(vector.get("description")).unwrap_or(&Json::Null);
            println!("{kind} {} {name} {}", vector["id"], vector.get("tags").unwrap_or(&Json::Null));
            println!("    input    {input}");
            let (expected, found) = narrow(expected, found);
            println!("    expected {expected}\n    found    {found}");
            if let Some(errors) = vector.get("expected_errors") {
                println!("    errors   {errors}");
            }
        }
    }

    pub fn print(&self, title: &str) {
        for (kind, (matched, all)) in &self.0 {
            #[allow(clippy::cast_precision_loss)]
            let share = 100.0 * *matched as f64 / *all as f64;
            println!("{title:4} {kind:45} {matched:4} of {all:4}  {share:5.1} %");
        }
    }

    pub fn demand(&self, kind: &str, least: f64) {
        let (matched, all) = self.0.get(kind).copied().unwrap_or((0, 1));
        #[allow(clippy::cast_precision_loss)]
        let share = matched as f64 / all as f64;
        assert!(share >= least, "{kind}: {matched} of {all}");
    }
}

/// Equal as JSON; numbers by their double, since that is all the recording system had.
pub fn same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => {
            let (left, right) = (left.as_f64().unwrap(), right.as_f64().unwrap());
            // The reader of the vectors may be off by one in the last place.
            (left - right).abs() <= 4.0 * f64::EPSILON * left.abs()
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// The smallest parts that differ.
fn narrow<'a>(left: &'a Json, right: &'a Json) -> (&'a Json, &'a Json) {
    if let (Json::Object(a), Json::Object(b)) = (left, right)
        && a.len() == b.len()
        && a.keys().all(|key| b.contains_key(key))
    {
        let mut differing = a.keys().filter(|key| !same(&a[*key], &b[*key]));
        if let (Some(key), None) = (differing.next(), differing.next()) {
            return narrow(&a[key], &b[key]);
        }
    }
    (left, right)
}
