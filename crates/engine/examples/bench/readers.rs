//! Every reader of values on text made to be slow: twice the text should take about twice the time.

use super::{fastest, millis};
use std::time::Duration;
use tavernkeep_engine::literal::{Leniency, Literals, read_block, read_items, read_json5, read_literal, read_yaml};
use tavernkeep_engine::path::{fix_mvu, lodash_segments};

/// As long as a call may be; a second time twice that.
const BYTES: usize = 128 * 1024;
const ROUNDS: usize = 15;
/// Growth that is looked at again, and below which time nobody minds.
const GROWTH_SUSPECT: f64 = 2.6;
const NOTICED: Duration = Duration::from_millis(1);

const PATTERNS: &[&str] = &[
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

const WRAPS: [[&str; 2]; 4] = [["", ""], ["[", "]"], ["{a: ", "}"], ["\"", "\""]];

type Reader = (&'static str, fn(&str));

const READERS: [Reader; 7] = [
    ("mvu literal", |text| drop(read_literal(text, Literals::Mvu))),
    ("tolerant literal", |text| drop(read_literal(text, Literals::Tolerant))),
    ("lenient JSON", |text| drop(read_json5(text, Leniency::Lenient))),
    ("lenient items", |text| drop(read_items(text, Leniency::Lenient))),
    ("block", |text| drop(read_block(text))),
    ("yaml", |text| drop(read_yaml(text))),
    ("path", |text| drop(lodash_segments(&fix_mvu(text)))),
];

pub(super) fn measure() {
    println!(
        "\nreaders: the slowest text of {} KB, and what grows more than {GROWTH_SUSPECT} × with twice the text",
        BYTES / 1024
    );
    for (name, read) in READERS {
        let mut slowest = (Duration::ZERO, "");
        for pattern in PATTERNS {
            for wrap in WRAPS {
                let text = |bytes: usize| format!("{}{}{}", wrap[0], pattern.repeat(bytes / pattern.len()), wrap[1]);
                let (short, long) = (text(BYTES), text(2 * BYTES));
                // One round each first: most texts are fast and need no second look.
                let mut times = (fastest(1, || read(&short)), fastest(1, || read(&long)));
                let suspect = |times: (Duration, Duration)| {
                    times.1 > NOTICED && times.1.as_secs_f64() > GROWTH_SUSPECT * times.0.as_secs_f64()
                };
                if suspect(times) || times.0 > slowest.0 {
                    times = (fastest(ROUNDS, || read(&short)), fastest(ROUNDS, || read(&long)));
                }
                slowest = slowest.max((times.0, pattern));
                if suspect(times) {
                    let growth = times.1.as_secs_f64() / times.0.as_secs_f64();
                    println!("  {name:18} {pattern:?} in {wrap:?}: {:.1} ms, grows {growth:.1} ×", millis(times.0));
                }
            }
        }
        println!("  {name:18} slowest {:12} {:>6.1} ms", format!("{:?}", slowest.1), millis(slowest.0));
    }
}
