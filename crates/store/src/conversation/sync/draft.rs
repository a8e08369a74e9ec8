//! What a large sync takes away is in the trash before it goes: texts that others take the place of, and swipes that are deleted.

use super::swipes::SwipeChanges;
use super::{Look, SyncOrder, TEXTS_AT_ONCE};
use crate::conversation::trash;
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::tree::trash_rows::{self, Host};

/// An item of the trash that is not there yet, and what is kept in it.
#[derive(Debug)]
pub struct Draft {
    pub(super) item: Id,
    first_row: i64,
    /// Where the session's clock stands since.
    seq: i64,
    /// Pages whose texts are replaced, with their floors.
    replaced: Vec<(i64, i64)>,
    /// Swipes that are deleted, with their floors.
    deleted: Vec<(i64, i64)>,
}

impl Draft {
    /// Begins to keep what a large sync takes away; none if that is few texts and no swipes, or if the session has changed.
    pub fn begin(
        tx: &mut dyn Tx,
        account: &Id,
        (sync, look, swipes): (&SyncOrder, &Look, Option<&SwipeChanges>),
        (item, seq): (&Id, i64),
        now: i64,
    ) -> StoreResult<Option<Draft>> {
        let replaced: Vec<_> =
            look.replaced(sync).iter().map(|(floor, page)| (page.page_row, floor.floor_row)).collect();
        let deleted = swipes.map(SwipeChanges::deleted).into_iter().flatten();
        let mut deleted: Vec<_> = deleted.map(|(&page, &floor)| (page, floor)).collect();
        deleted.sort_unstable_by_key(|&(page, floor)| (floor, page));
        look.is_meant(sync)?;
        if replaced.len() < TEXTS_AT_ONCE && deleted.is_empty() {
            return Ok(None);
        }
        clock::with_session_at(tx, SessionKey::new(account, look.chat.session_row), seq, now, |tx, clock| {
            let first_row = trash::draft_texts(tx, clock, item, replaced.len())?;
            Ok(Draft { item: item.clone(), first_row, seq: clock.seq(), replaced, deleted })
        })
    }

    /// Where the session's clock stands since.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// How many transactions keep the texts.
    pub fn parts(&self) -> usize {
        self.replaced.len().div_ceil(TEXTS_AT_ONCE)
    }

    /// Keeps a part of the texts. If the session changes meanwhile, nothing comes of the draft.
    pub fn keep_part(&self, tx: &mut dyn Tx, account: &Id, look: &Look, part: usize) -> StoreResult<()> {
        let at = part * TEXTS_AT_ONCE;
        let end = self.replaced.len().min(at + TEXTS_AT_ONCE);
        let (pages, floors) = part_of(&self.replaced, at, end);
        let session = SessionKey::new(account, look.chat.session_row);
        trash::draft_some_texts(tx, session, &self.item, (&pages, &floors), self.first_row + at as i64)
    }

    /// Keeps the next of the deleted swipes from this one on; returns where to go on, none behind the last of them.
    pub fn keep_swipes(&self, tx: &mut dyn Tx, account: &Id, look: &Look, at: usize) -> StoreResult<Option<usize>> {
        let session = SessionKey::new(account, look.chat.session_row);
        let end = self.deleted.len().min(at + TEXTS_AT_ONCE);
        let (pages, _) = part_of(&self.deleted, at, end);
        let end = at + trash_rows::fitting(&trash_rows::sizes(tx, session, Host::Page, &pages)?).min(pages.len());
        let (pages, floors) = part_of(&self.deleted, at, end);
        trash::draft_swipes(tx, session, &self.item, (&pages, &floors))?;
        if at == 0 && look.has_forks {
            trash::draft_bases(tx, session, &self.item, look.chat.branch_row)?;
        }
        Ok((end < self.deleted.len()).then_some(end))
    }

    /// Whether there are deleted swipes to keep.
    pub fn has_swipes(&self) -> bool {
        !self.deleted.is_empty()
    }
}

/// The pages of a part, and the floors that come with it. The pages of a floor may be in two parts: the first one that has the floor
/// keeps it.
fn part_of(pages: &[(i64, i64)], at: usize, end: usize) -> (Vec<i64>, Vec<i64>) {
    let before = at.checked_sub(1).map(|last| pages[last].1);
    let (rows, mut floors): (Vec<i64>, Vec<i64>) = pages[at..end].iter().copied().unzip();
    floors.retain(|floor| Some(*floor) != before);
    floors.dedup();
    (rows, floors)
}
