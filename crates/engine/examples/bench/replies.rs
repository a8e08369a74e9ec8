//! The recorded replies, each applied to its state and checked against the hash of the state it must give.

use super::{fastest, folder, micros};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use tavernkeep_engine::dialect::parse;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::{Outcome, Turn, apply_reply};

const ROUNDS: usize = 101;

/// A reply with the state it is for.
pub(super) struct Reply {
    text: String,
    document: Value,
    profile: Arc<Profile>,
    hash: String,
}

impl Reply {
    /// Finds the commands and counts them.
    pub(super) fn parse(&self) -> usize {
        parse(&self.text, &self.profile).commands.len()
    }

    /// Applies the reply to a copy of its state.
    pub(super) fn turn(&self) -> Outcome {
        let (document, reply) = (self.document.clone(), self.text.clone());
        apply_reply(Turn { document, reply, profile: Arc::clone(&self.profile), ..Turn::default() })
    }

    fn is_right(&self) -> bool {
        let found = Sha256::digest(self.turn().document.to_json().as_bytes());
        found.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == self.hash
    }
}

/// The names of all recorded replies.
pub(super) fn names(folder: &Path) -> Vec<String> {
    recording(folder).lines().skip(1).filter_map(|line| Some(short_name(line.split('\t').next()?).to_owned())).collect()
}

/// The reply with this name.
pub(super) fn reply(folder: &Path, name: &str) -> Option<Reply> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of the recording");
    let recording = recording(folder);
    let line = recording.lines().find(|line| line.split('\t').next().map(short_name) == Some(name))?;
    let [reply, state, _, _, hash] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some(Reply {
        text: read(reply),
        document: Value::parse(&read(state)).expect("a state is JSON"),
        profile: Profile::named("mvu").expect("a profile of ours").into(),
        hash: hash.to_owned(),
    })
}

fn recording(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("EXPECTED.tsv")).expect("the list of the recording")
}

fn short_name(file: &str) -> &str {
    file.trim_start_matches("reply_").trim_end_matches(".txt")
}

pub(super) fn measure() {
    let Some(folder) = folder() else { return };
    println!("{:30} {:>10} {:>10} {:>10}  hash", "reply", "parse µs", "turn µs", "together");
    let mut wrong = 0;
    for name in names(&folder) {
        let reply = reply(&folder, &name).expect("a recorded reply");
        let right = reply.is_right();
        wrong += usize::from(!right);
        let parsing = fastest(ROUNDS, || reply.parse());
        let together = fastest(ROUNDS, || reply.turn());
        println!(
            "{:30} {:>10.1} {:>10.1} {:>10.1}  {}",
            name,
            micros(parsing),
            micros(together.saturating_sub(parsing)),
            micros(together),
            if right { "right" } else { "WRONG" }
        );
    }
    assert_eq!(wrong, 0, "{wrong} replies ended in another state");
}
