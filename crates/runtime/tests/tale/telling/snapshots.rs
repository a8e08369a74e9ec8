//! States that somebody changes or drops by hand, and versions that nobody needs.

use super::words::value;
use super::{KEYS, Telling};
use crate::oracle::Document;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::record::Condition;

impl Telling {
    pub(super) async fn edit(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page().filter(|&page| self.world.pages[page].state.is_some()) else { return };
        // Only a page that shows its own state tells the name of its snapshot.
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        let Some(snapshot) = state.at.snapshot.filter(|_| !state.at.inherited) else { return };
        let document: Document =
            KEYS.iter().map(|&key| (key, i64::try_from(self.dice.below(1_000)).unwrap())).collect();
        self.say(format!("page {page} is edited: {document:?}"));
        runtime.edit_snapshot(&self.account, &snapshot, value(&document), Condition::None).await.unwrap();
        self.world.edit(page, document);
    }

    pub(super) async fn drop_snapshot(&mut self, runtime: &Runtime) {
        let Some(page) = self.some_page().filter(|&page| self.world.pages[page].state.is_some()) else { return };
        let state = runtime.state_of_page(&self.account, &self.pages[page]).await.unwrap();
        let Some(snapshot) = state.at.snapshot.filter(|_| !state.at.inherited) else { return };
        self.say(format!("the snapshot of page {page} is dropped"));
        runtime.delete_snapshot(&self.account, &snapshot, Condition::None).await.unwrap();
        self.world.pages[page].state = None;
    }

    /// Versions that nobody needs go, and nobody sees a difference.
    pub(super) async fn collect(&mut self, runtime: &Runtime) {
        self.say("collect".into());
        runtime.purge().await.unwrap();
        if self.dice.once_in(4) {
            self.look_everywhere(runtime).await;
        }
    }
}
