//! A thousand commands on one container: what they cost must follow the command, not the container, unless the command
//! itself looks at every item or moves them.

use super::{fastest, millis};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Turn, apply_reply};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const COMMANDS: usize = 1_000;

/// A profile and a command; `#` is its number.
const ROWS: &[(&str, &str)] = &[
    ("default", "@.APPEND(\"o.list\", #);"),
    ("default", "@.REMOVE(\"o.list\", -1);"),
    ("default", "@.SET(\"o.map.n#\", 1);"),
    ("default", "@.ASSIGN(\"o.map\", {\"k1\": #});"),
    ("default", "<JSONPatch>[{\"op\":\"add\",\"path\":\"/o/list/-\",\"value\":1}]</JSONPatch>"),
    ("default", "<JSONPatch>[{\"op\":\"add\",\"path\":\"/o/map/n#\",\"value\":1}]</JSONPatch>"),
    ("mvu", "_.insert('o.list', #);"),
    ("mvu", "_.insert('o.map', 'n#', 1);"),
    ("mvu", "_.insert('o.map', {'k1': #});"),
    ("default", "@.REMOVE(\"o.list\", 0);"),
    ("default", "@.REMOVE(\"o.list\", \"nobody\");"),
    ("mvu", "_.delete('o.map', 'k#');"),
];

pub(super) fn measure() {
    println!(
        "\n{COMMANDS} commands on a container, ms            {:>10} {:>10} {:>10} items",
        SIZES[0], SIZES[1], SIZES[2]
    );
    let documents = SIZES.map(document);
    for (profile, command) in ROWS {
        let reply: Vec<String> = (0..COMMANDS).map(|number| command.replace('#', &number.to_string())).collect();
        let reply = reply.join("\n");
        let profile = std::sync::Arc::new(Profile::named(profile).expect("a profile of ours"));
        let [small, middle, large] = documents.each_ref().map(|document| {
            let turn = || Turn {
                document: document.clone(),
                reply: reply.clone(),
                profile: std::sync::Arc::clone(&profile),
                ..Turn::default()
            };
            millis(fastest(5, || apply_reply(turn())))
        });
        println!("  {:7} {command:72} {small:>8.1} {middle:>8.1} {large:>8.1}", profile.name);
    }
}

fn document(size: usize) -> Value {
    let count = || 0_i64..i64::try_from(size).expect("a small number");
    let list: Value = count().map(Value::from).collect();
    let map: Value = count().map(|number| (format!("k{number}"), Value::from(number))).collect();
    [("o", [("list", list), ("map", map)].into_iter().collect())].into_iter().collect()
}
