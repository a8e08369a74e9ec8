//! Text made to be slow, 10 MB of each, beside 10 MB of prose: the ratio is what counts.

use super::{fastest, millis};
use tavernkeep_engine::dialect::parse;
use tavernkeep_engine::profile::Profile;

const BYTES: usize = 10 * 1024 * 1024;
const ROUNDS: usize = 25;
const PROSE: &str = "放学后的走廊里只剩下她一个人, she said (quietly): \"it's late\", 夕阳把影子拉得很长。\n";

/// What is repeated until it fills the text.
const REPEATED: &[&str] = &[
    "@.SET(",
    "_.set(",
    "@.",
    "_.",
    "@.A",
    "_.set_",
    "_.set('a',\n",
    "_.set('a', 1);",
    "_.set('a', 1);//",
    "@.ADD(\"a.b\", 1);\n",
    "@.SET(\"a\", \"\n",
    "@.SET(\"a\", [1,2,{\"x\":",
    "@.A（“",
    "@.A(1)//x\n",
    "\"'`",
    "\\",
    "[{(",
    "<",
    "h>",
    "<JSONPatch",
    "<JSONPatch>",
    "<JSONPatch></JSONPatch>",
    "<JSONPatch>[",
    "<JSONPatch>[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]</JSONPatch>",
    "think",
    "<think>",
    "<think></think>@.A(1);",
    "memory",
    "set_status(",
    "memory('a', ",
    "delete(a.b",
    "set_status('天气', '雨",
    "*.set_status('天气', '雨');//x\n",
];

/// What stands around something that is repeated.
const WRAPPED: &[(&str, &str, &str)] = &[
    ("<JSONPatch>", "[{\"op\":", "</JSONPatch>"),
    ("<JSONPatch>[", "word 1 'x ", "]</JSONPatch>"),
    ("@.SET(\"a\", ", "[", ");"),
    ("@.SET(\"a\", ", "'a\" ", ");"),
];

pub(super) fn measure() {
    let filled = |pattern: &str| pattern.repeat(BYTES / pattern.len());
    for name in ["default", "mvu", "memory"] {
        let profile = Profile::named(name).expect("a profile of ours");
        let time = |text: &str| fastest(ROUNDS, || parse(text, &profile));
        let prose = time(&filled(PROSE));
        println!("\nprofile {name}: 10 MB of prose in {:.1} ms; hostile text beside it", millis(prose));
        let mut worst = 0.0_f64;
        let mut show = |shown: String, text: &str| {
            let time = time(text);
            let ratio = time.as_secs_f64() / prose.as_secs_f64();
            worst = worst.max(ratio);
            println!("  {shown:62} {:>8.1} ms {ratio:>5.1} ×", millis(time));
        };
        REPEATED.iter().for_each(|pattern| show(format!("{pattern:?} …"), &filled(pattern)));
        for (before, pattern, behind) in WRAPPED {
            show(format!("{before:?} {pattern:?} … {behind:?}"), &format!("{before}{}{behind}", filled(pattern)));
        }
        println!("  at most {worst:.1} × prose");
    }
}
