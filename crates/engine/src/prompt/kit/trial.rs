//! Commands tried on a state before they are shown to a model.

use crate::document::Value;
use crate::mvu::MvuSchema;
use crate::rules::profile::Profile;
use crate::turn::{Outcome, Status, Turn, apply_reply};
use std::collections::HashSet;
use std::sync::Arc;

/// Commands that are tried for one kit.
const TRIALS_MAX: usize = 200;

/// Runs turns on a state that are never stored.
pub(super) struct Trial<'a> {
    profile: Arc<Profile>,
    state: &'a Value,
    mvu_schema: Option<&'a MvuSchema>,
    left: usize,
}

impl<'a> Trial<'a> {
    pub(super) fn new(profile: &Profile, state: &'a Value, mvu_schema: Option<&'a MvuSchema>) -> Trial<'a> {
        Trial { profile: Arc::new(profile.clone()), state, mvu_schema, left: TRIALS_MAX }
    }

    /// Whether a turn would do a command as it is written.
    pub(super) fn accepts(&mut self, command: &str) -> bool {
        self.outcome(command).is_some_and(|(outcome, start)| {
            !outcome.results.is_empty() && places_refused(&outcome).into_iter().all(|at| at < start)
        })
    }

    /// Commands that make up a short story, each on a line, without those that would be refused after the ones before them.
    pub(super) fn accepted_in_order(&mut self, mut commands: Vec<String>) -> Vec<String> {
        while !commands.is_empty() {
            let Some((outcome, start)) = self.outcome(&commands.join("\n")) else { return Vec::new() };
            let mut end = start;
            let ends: Vec<usize> = commands
                .iter()
                .map(|command| {
                    end += command.len() + 1;
                    end
                })
                .collect();
            let line = |at: usize| ends.partition_point(|end| *end <= at);
            let found: HashSet<usize> = outcome.results.iter().map(|result| line(result.command.span.start)).collect();
            let refused = places_refused(&outcome).into_iter().filter(|at| *at >= start).map(line).min();
            match refused.or_else(|| (0..commands.len()).find(|line| !found.contains(line))) {
                // What comes behind it may have needed it, and is tried again.
                Some(line) if line < commands.len() => commands.remove(line),
                _ => return commands,
            };
        }
        commands
    }

    /// The outcome of a reply, and where its commands begin; none when enough was tried.
    fn outcome(&mut self, commands: &str) -> Option<(Outcome, usize)> {
        self.left = self.left.checked_sub(1)?;
        let (open, close) = match self.profile.only_in_tags.first() {
            Some(tag) => (format!("<{tag}>\n"), format!("\n</{tag}>")),
            None => Default::default(),
        };
        let (document, mvu_schema) = (self.state.clone(), self.mvu_schema.cloned());
        let (reply, profile) = (format!("{open}{commands}{close}"), Arc::clone(&self.profile));
        Some((apply_reply(Turn { document, reply, profile, mvu_schema, ..Turn::default() }), open.len()))
    }
}

/// Where commands begin that were not simply done. What a rule has to say of the state itself stands nowhere in the text.
fn places_refused(outcome: &Outcome) -> Vec<usize> {
    let results = outcome.results.iter().filter(|result| result.status != Status::Applied);
    let problems = outcome.problems.iter().filter(|problem| !problem.span.is_empty());
    results.map(|result| result.command.span.start).chain(problems.map(|problem| problem.span.start)).collect()
}
