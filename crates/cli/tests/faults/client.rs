//! One client of the load: sends what its story says, remembers what was acknowledged, and judges what is stored.

use crate::http::{Answer, Reply, Wire};
use crate::random::Random;
use crate::story::{Mind, Step, Story};
use crate::things::{Things, after, difference, hangs_on};

pub struct Client {
    pub mind: Mind,
    story: Box<dyn Story>,
    random: Random,
    /// The step that nobody knows the end of.
    pub unknown: Option<Step>,
    /// What was acknowledged on the counter that all share, and what may have been added besides.
    pub shared: i64,
    pub perhaps: Vec<i64>,
    pub acknowledged: u64,
    pub failed: u64,
    chosen: u64,
}

/// How a step ended.
#[derive(Debug)]
pub enum Outcome {
    Acknowledged,
    /// The server said that the database is in trouble, or that not all could be done.
    Trouble(Answer),
    /// There was no answer.
    Broken,
}

/// What became of the step that nobody knew the end of.
#[derive(Debug, PartialEq)]
pub enum Judged {
    /// There was none.
    Nothing,
    There,
    Absent,
    /// One of its stages is there; sent again, it goes on.
    Begun,
    /// It shows only on the counter that all share.
    Counted,
}

impl Client {
    pub fn new(number: usize, story: Box<dyn Story>, random: Random) -> Client {
        let mind = Mind::new(format!("c{number}"));
        Client {
            mind,
            story,
            random,
            unknown: None,
            shared: 0,
            perhaps: Vec::new(),
            acknowledged: 0,
            failed: 0,
            chosen: 0,
        }
    }

    /// What it does next, under a key that it uses for nothing else.
    pub fn choose(&mut self) -> Step {
        let mut step = self.story.next(&mut self.mind, &mut self.random);
        self.chosen += 1;
        step.request = step.request.header("idempotency-key", format!("{}-{}", self.mind.name, self.chosen));
        step
    }

    /// Does one step. What did not succeed stays unknown until somebody looks.
    pub fn go(&mut self, wire: &Wire) -> Outcome {
        let step = self.choose();
        self.take(step, wire)
    }

    /// Does this step.
    pub fn take(&mut self, step: Step, wire: &Wire) -> Outcome {
        assert!(self.unknown.is_none(), "{} goes on without having looked", self.mind.name);
        // Sent again under its key, it must name the same.
        let step = match wire.resolve(&step.request) {
            Ok(request) => Step { request, ..step },
            Err(_) => step,
        };
        match wire.send(&step.request) {
            Reply::Answered(answer) if step.is_done(&answer) => {
                self.apply(&step);
                self.acknowledged += 1;
                Outcome::Acknowledged
            }
            Reply::Answered(answer) if answer.is_trouble() || answer.is_success() => {
                self.unknown = Some(step);
                self.failed += 1;
                Outcome::Trouble(answer)
            }
            // A client does only what must succeed, so any other answer is a defect.
            Reply::Answered(answer) => panic!("{}: {step:?}\n  answered {answer:?}", self.mind.name),
            Reply::Broken(_) => {
                self.unknown = Some(step);
                Outcome::Broken
            }
        }
    }

    fn apply(&mut self, step: &Step) {
        self.mind.apply(&step.changes);
        self.shared += step.shared;
    }

    /// What is stored of this client's.
    pub fn own(&self, everything: &Things) -> Things {
        let own = everything.iter().filter(|(name, _)| hangs_on(name, &self.mind.name));
        own.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Compares what is stored with what was acknowledged: all of that must be there, and of the unknown step all or
    /// nothing. Afterwards the client knows what is stored.
    pub fn judge(&mut self, everything: &Things) -> Result<Judged, String> {
        let found = self.own(everything);
        let unknown = self.unknown.take();
        if let Some(step) = &unknown
            && step.shared != 0
        {
            // Its effect is seen on the shared counter alone.
            self.perhaps.push(step.shared);
            return self.matches(&found).map(|()| Judged::Counted);
        }
        if let Some(step) = &unknown
            && after(&self.mind.things, &step.changes) == found
        {
            self.apply(step);
            return Ok(Judged::There);
        }
        if let Some(step) = &unknown
            && self.has_begun(step, &found)
        {
            return Ok(Judged::Begun);
        }
        self.matches(&found).map(|()| if unknown.is_some() { Judged::Absent } else { Judged::Nothing }).map_err(
            |error| match &unknown {
                Some(step) => format!(
                    "{error}\n  nor what {:?} would have left:\n    {}",
                    step.name,
                    difference(&after(&self.mind.things, &step.changes), &found)
                ),
                None => error,
            },
        )
    }

    /// Compares, then sends the unknown step again under its key: it must succeed, and be answered as done before exactly if it
    /// was there. Afterwards it has happened once. Tells what had become of it.
    pub fn retry(&mut self, everything: &Things, wire: &Wire) -> Result<Judged, String> {
        let unknown = self.unknown.clone();
        let before = self.mind.things.clone();
        let judged = self.judge(everything)?;
        let Some(step) = unknown else { return Ok(judged) };
        let answer = wire.must(&step.request);
        let shows = after(&before, &step.changes) != before;
        // What is stored in stages is kept under its key when all is done, and that may be still to come.
        let is_open = judged == Judged::There && !step.stages.is_empty();
        if shows && !is_open && answer.replayed != (judged == Judged::There) {
            return Err(format!("{}: {step:?}\n  was {judged:?} and is now answered {answer:?}", self.mind.name));
        }
        if judged == Judged::Counted {
            self.perhaps.pop();
        }
        if judged != Judged::There {
            self.apply(&step);
        }
        self.acknowledged += 1;
        Ok(judged)
    }

    /// Sends the unknown step again under its key without having looked, until somebody acknowledges it. Whether it was
    /// acknowledged this time.
    pub fn retry_blindly(&mut self, wire: &Wire) -> bool {
        let Some(step) = self.unknown.take() else { return true };
        matches!(self.take(step, wire), Outcome::Acknowledged)
    }

    /// Compares where an answer that is no success promises that nothing happened.
    pub fn judge_strictly(&mut self, everything: &Things) -> Result<(), String> {
        let found = self.own(everything);
        match self.unknown.take() {
            Some(step) if self.has_begun(&step, &found) => Ok(()),
            _ => self.matches(&found),
        }
    }

    /// Whether one of a step's stages is what is there. The client knows it from now on.
    fn has_begun(&mut self, step: &Step, found: &Things) -> bool {
        let has_begun = step.stages.iter().any(|stage| after(&self.mind.things, stage) == *found);
        if has_begun {
            self.mind.things.clone_from(found);
        }
        has_begun
    }

    fn matches(&self, found: &Things) -> Result<(), String> {
        if self.mind.things == *found {
            return Ok(());
        }
        Err(format!(
            "{}: what is stored is not what was acknowledged:\n    {}",
            self.mind.name,
            difference(&self.mind.things, found)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Request;
    use crate::operations::Mixed;
    use crate::things::Change;

    /// A client that has one thing and does not know the end of a batch of two.
    fn client() -> Client {
        let mut client = Client::new(1, Box::<Mixed>::default(), Random::new(1));
        client.mind.things.insert("c1.s session".into(), "old".into());
        let changes = ["a", "b"].map(|key| Change::Put(format!("c1.s variable {key}"), "1".into()));
        client.unknown = Some(Step::new("set batch", Request::get("/"), changes.into()));
        client
    }

    fn stored(pairs: &[(&str, &str)]) -> Things {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_unknown_is_there_or_not() {
        let whole = [("c1.s session", "old"), ("c1.s variable a", "1"), ("c1.s variable b", "1")];
        assert_eq!(client().judge(&stored(&whole)), Ok(Judged::There));
        assert_eq!(client().judge(&stored(&whole[..1])), Ok(Judged::Absent));
        assert_eq!(client().judge_strictly(&stored(&whole[..1])), Ok(()));
    }

    #[test]
    fn what_is_lost_or_half_done_or_wrong_is_noticed() {
        for wrong in [
            &[][..],
            &[("c1.s session", "old"), ("c1.s variable a", "1")],
            &[("c1.s session", "other")],
            &[("c1.s session", "old"), ("c1.t session", "")],
        ] {
            assert!(client().judge(&stored(wrong)).is_err(), "{wrong:?}");
            assert!(client().judge_strictly(&stored(wrong)).is_err(), "{wrong:?}");
        }
        let whole = [("c1.s session", "old"), ("c1.s variable a", "1"), ("c1.s variable b", "1")];
        assert!(client().judge_strictly(&stored(&whole)).is_err(), "an error that happened all the same");
    }
}
