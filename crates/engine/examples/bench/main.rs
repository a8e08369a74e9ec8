//! Measures the engine: the 36 replies of `bench/mvu`, each with the right final hash, and 10 MB of hostile text against
//! 10 MB of prose.
//!
//! `cargo run --release -p tavernkeep-engine --example bench` reads `$TAVERNKEEP_SHARED/bench/mvu`, else `../shared`
//! beside the workspace. Times are medians of one run on one machine; compare them with each other.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use sha2::{Digest, Sha256};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tavernkeep_engine::dialect::parse;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::literal::{Literals, Temper, read_block, read_items, read_json5, read_literal, read_yaml};
use tavernkeep_engine::path::{fix_mvu, lodash_segments};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};

fn main() {
    let shared = std::env::var_os("TAVERNKEEP_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("bench/mvu");
    match std::fs::read_to_string(folder.join("EXPECTED.tsv")) {
        Ok(expected) => replies(&folder, &expected),
        Err(_) => println!("SKIPPED: {} is not there; set TAVERNKEEP_SHARED", folder.display()),
    }
    hostile();
    readers();
}

fn replies(folder: &std::path::Path, expected: &str) {
    let profile = Profile::named("mvu").expect("a profile of ours");
    println!("{:45} {:>10} {:>10} {:>10}  hash", "reply", "parse µs", "turn µs", "total µs");
    let mut wrong = 0;
    for line in expected.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [reply, state, _, _, hash] = columns[..] else { continue };
        let text = std::fs::read_to_string(folder.join(reply)).expect("a reply");
        let document = Value::parse(&std::fs::read_to_string(folder.join(state)).expect("a state")).expect("JSON");
        let turn = || {
            let (document, reply) = (document.clone(), text.clone());
            apply_reply(Turn { document, reply, profile: profile.clone(), ..Turn::default() })
        };
        let found = Sha256::digest(turn().document.to_json().as_bytes());
        let found = found.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let right = found == hash;
        wrong += usize::from(!right);
        let parsing = median(|| black_box(parse(&text, &profile)).commands.len());
        let total = median(|| black_box(turn()).results.len());
        println!(
            "{reply:45} {:>10.1} {:>10.1} {:>10.1}  {}",
            micros(parsing),
            micros(total.saturating_sub(parsing)),
            micros(total),
            if right { "right" } else { "WRONG" }
        );
    }
    assert_eq!(wrong, 0, "{wrong} replies ended in another state");
}

/// 10 MB each; the ratio to prose is what counts.
fn hostile() {
    const SIZE: usize = 10 * 1024 * 1024;
    let filled = |pattern: &str| pattern.repeat(SIZE / pattern.len());
    let profiles = ["default", "mvu"].map(|name| Profile::named(name).expect("a profile of ours"));
    let prose = filled("放学后的走廊里只剩下她一个人, she said (quietly): \"it's late\", 夕阳把影子拉得很长。\n");
    let texts = [
        ("@.SET(", filled("@.SET(")),
        ("_.set(", filled("_.set(")),
        ("_.set('a', with a line break", filled("_.set('a',\n")),
        ("@.SET(\"a\", \" unclosed", filled("@.SET(\"a\", \"\n")),
        ("unclosed quotes", filled("\"'`")),
        ("nested brackets", filled("[{(")),
        ("half tags", filled("<JSONPatch")),
        ("open tags", filled("<JSONPatch>")),
        ("closed tags around nothing", filled("<JSONPatch></JSONPatch>")),
        ("one huge broken block", format!("<JSONPatch>{}</JSONPatch>", filled("[{\"op\":"))),
        ("one huge list of words", format!("<JSONPatch>[{}]</JSONPatch>", filled("word 1 'x "))),
        ("angle brackets", filled("<")),
        ("think tags", filled("<think>")),
        ("brackets in a call", format!("@.SET(\"a\", {});", filled("["))),
        ("quotes in a call", format!("@.SET(\"a\", {});", filled("'a\" "))),
        ("100,000 commands", "@.ADD(\"a.b\", 1);\n".repeat(100_000)),
    ];
    for profile in &profiles {
        let run = |text: &str| {
            let start = Instant::now();
            black_box(parse(text, profile));
            start.elapsed()
        };
        run(&prose);
        let base = (0..5).map(|_| run(&prose)).min().unwrap_or_default();
        println!("\n{} profile: 10 MB of prose {:.1} ms", profile.name, micros(base) / 1000.0);
        for (name, text) in &texts {
            let time = (0..3).map(|_| run(text)).min().unwrap_or_default();
            println!("  {name:35} {:>8.1} ms   {:>5.1} × prose", micros(time) / 1000.0, micros(time) / micros(base));
        }
    }
}

/// Every reader of values on hostile text: twice the text should take about twice the time.
fn readers() {
    const SIZE: usize = 128 * 1024;
    let patterns = [
        "[",
        "{",
        "{a:",
        "[1 ",
        "\"a",
        "'a' ",
        "a: ",
        "- ",
        "a:\n ",
        "- a\n",
        "a: b\n",
        "\"x\" \"",
        "1 ",
        "word ",
        "a\n",
        "(",
        "-",
        "1+",
        "min(",
        "^",
        "&a ",
        "*a ",
        "| ",
        ">\n",
        "#",
        "// x\n",
        "/* ",
        "/*",
        "…",
        "...",
        "“",
        "\\",
        "\\\"",
        "\\u",
        "a[",
        "a.\"",
        "['",
        "[]",
        "..",
        "['a']",
        "{\"a\":1} ",
        ",",
        "a: {",
        "a: [\n",
        "'\n",
        "\"\n",
        "<<: *a\n",
        "a: &a\n",
        " ",
        "\t",
        "\n",
        "😀",
        "}",
        "]",
        ":",
        "{a:{b:",
        "a: |\n  x\n",
    ];
    type Reader = (&'static str, fn(&str));
    let readers: [Reader; 7] = [
        ("mvu literal", |text| drop(black_box(read_literal(text, Literals::Mvu)))),
        ("tolerant literal", |text| drop(black_box(read_literal(text, Literals::Tolerant)))),
        ("lenient JSON", |text| drop(black_box(read_json5(text, Temper::Lenient)))),
        ("lenient items", |text| drop(black_box(read_items(text, Temper::Lenient)))),
        ("block", |text| drop(black_box(read_block(text)))),
        ("yaml", |text| drop(black_box(read_yaml(text)))),
        ("path", |text| drop(black_box(lodash_segments(&fix_mvu(text))))),
    ];
    println!(
        "\nreaders, {} KB and twice that; only what takes more than 20 ms or grows more than threefold",
        SIZE / 1024
    );
    for (name, read) in readers {
        let mut slowest = (Duration::ZERO, "");
        for pattern in patterns {
            for wrap in [["", ""], ["[", "]"], ["{a: ", "}"], ["\"", "\""]] {
                let time = |size: usize| {
                    let text = format!("{}{}{}", wrap[0], pattern.repeat(size / pattern.len()), wrap[1]);
                    let start = Instant::now();
                    read(&text);
                    start.elapsed()
                };
                let (once, twice) = (time(SIZE), time(2 * SIZE));
                slowest = slowest.max((once, pattern));
                let grows = twice.as_secs_f64() / once.as_secs_f64().max(1e-9);
                if once > Duration::from_millis(20) || (twice > Duration::from_millis(10) && grows > 3.0) {
                    println!(
                        "  {name:18} {:12} in {wrap:?}: {:.1} ms, × {grows:.1}",
                        format!("{pattern:?}"),
                        micros(once) / 1000.0
                    );
                }
            }
        }
        println!("  {name:18} slowest {:?}: {:.1} ms", slowest.1, micros(slowest.0) / 1000.0);
    }
}

fn median(mut work: impl FnMut() -> usize) -> Duration {
    let mut times: Vec<Duration> = (0..31)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
