//! A chat to measure with: a state of 20 KB, and replies that change some of its values.

use std::fmt::Write as _;

const GROUPS: usize = 20;
const VALUES: usize = 20;

/// What one reply changes: a group, a value of it, and what it becomes.
pub type Step = Vec<(String, String, String)>;

/// The state that the chat starts from, as JSON.
pub fn template() -> String {
    let group = |group: usize| {
        let values: Vec<String> =
            (0..VALUES).map(|value| format!("\"value_{value:02}\":\"{}\"", words(group * VALUES + value))).collect();
        format!("\"group_{group:02}\":{{{}}}", values.join(","))
    };
    format!("{{{}}}", (0..GROUPS).map(group).collect::<Vec<_>>().join(","))
}

/// What the reply of a floor changes.
pub fn step(floor: usize, changes: usize) -> Step {
    (0..changes)
        .map(|number| {
            let place = floor.wrapping_mul(7_919).wrapping_add(number * 104_729) % (GROUPS * VALUES);
            let (group, value) = (place / VALUES, place % VALUES);
            (format!("group_{group:02}"), format!("value_{value:02}"), words(floor * 31 + number))
        })
        .collect()
}

/// The reply of a floor: some prose and its commands.
pub fn reply(floor: usize, changes: usize) -> String {
    let mut text = format!("Day {floor}. She puts the lamp on the table and counts what is left of the coins.\n");
    for (group, value, words) in step(floor, changes) {
        let _ = writeln!(text, "@.SET(\"{group}.{value}\", \"{words}\");");
    }
    text
}

/// Some thirty letters that are different for every number.
fn words(number: usize) -> String {
    const WORDS: [&str; 8] = ["amber", "brook", "cedar", "dusk", "ember", "frost", "grove", "haven"];
    let word = |shift: usize| WORDS[(number.wrapping_mul(2_654_435_761) >> shift) % WORDS.len()];
    format!("{} {} {} {} {number:06}", word(3), word(9), word(15), word(21))
}
