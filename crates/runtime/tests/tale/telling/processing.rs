//! Processing on request.

use super::Telling;
use super::words::name;
use crate::oracle::{At, Mode};
use crate::tree::Spot;
use tavernkeep_runtime::{ProcessOrder, Runtime};

impl Telling {
    pub(super) async fn process(&mut self, runtime: &Runtime) {
        let branch = self.some_branch();
        let from = self.dice.once_in(3).then(|| i64::try_from(self.dice.below(10)).unwrap());
        let mode = match self.dice.below(4) {
            0 => Mode::All(from),
            1 => Mode::Latest,
            _ => Mode::Stale(from),
        };
        let overwrite = self.dice.once_in(4);
        self.say(format!("process branch {branch}: {mode:?}, overwrite {overwrite}"));
        let (wanted, from_floor) = match mode {
            Mode::Stale(from) => (tavernkeep_runtime::Mode::Stale, from),
            Mode::Latest => (tavernkeep_runtime::Mode::Latest, None),
            Mode::All(from) => (tavernkeep_runtime::Mode::All, from),
        };
        let order = ProcessOrder {
            branch: Some(name(branch)),
            from_floor,
            overwrite_edited: overwrite,
            ..ProcessOrder::of(wanted)
        };
        let dry = ProcessOrder { dry_run: true, ..order.clone() };
        let told = runtime.process(&self.account, &self.session, dry).await.unwrap();
        let done = runtime.process(&self.account, &self.session, order).await.unwrap();
        let counts = |report: &tavernkeep_runtime::ProcessReport| (report.processed, report.kept, report.unchanged);
        assert_eq!(counts(&told), counts(&done), "a dry run told otherwise after\n{}", self.said.join("\n"));
        self.world.process(branch, i64::MAX, mode, overwrite);
    }

    /// What follows a page is processed.
    pub(super) fn process_branch_of(&mut self, page: At) {
        let branch = self.world.floors[self.world.pages[page].floor].branch;
        self.world.process(branch, i64::MAX, Mode::Stale(None), false);
    }

    pub(super) fn process_floor(&mut self, floor: At) {
        let Spot { branch, floor_no, .. } = self.world.floors[floor].spot;
        self.world.process(branch, floor_no, Mode::Stale(None), false);
    }
}
