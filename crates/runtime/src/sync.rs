//! Sync: a branch becomes the chat that a client has, and is processed.

use crate::history::{Details, TranscriptFloor};
use crate::ids::IdSeed;
use crate::process::ProcessReport;
use crate::{Runtime, RuntimeResult, new_id, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::sync::{
    self, Draft, Look, Nursery, Outcome, Prepared, ReadBefore, SwipeChanges, SyncOrder, Synced,
};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::walk::{FloorRange, Line};
use tavernkeep_store::tree::SessionKey;

/// What came of a sync.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SyncReport {
    /// What became of the branch.
    pub synced: Synced,
    /// What came of processing it; none if nothing was done.
    pub processed: Option<ProcessReport>,
    /// The job that goes on processing it, where that takes long.
    pub job: Option<Id>,
    /// The first floors of the branch, changed or not, in the order of the client's messages; none while it is another chat.
    #[serde(default)]
    pub map: Vec<MappedFloor>,
    /// The position of the next one, if there are more.
    #[serde(default)]
    pub map_next: Option<i64>,
}

/// Where a message of a synced chat is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MappedFloor {
    /// The floor.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// Its active page.
    pub page: Option<Id>,
    /// The page's snapshot, if it has a state of its own.
    pub snapshot: Option<Id>,
}

/// Floors that the map of an answer lists.
const MAPPED_MAX: usize = 100;

/// How often long work begins again in a session that it has reserved: writes that had begun before, or are those of another process, may
/// still change it. After that it is done in one transaction.
pub(crate) const RESERVED_TRIES: usize = 2;

impl Runtime {
    /// Makes a branch equal to a client's chat and processes it. Nothing is done while texts are missing, or if it is only
    /// to be tried.
    ///
    /// The same sync twice does nothing the second time, so an interrupted client sends it again. Under an idempotency
    /// key the report is kept when all is done.
    pub async fn sync(&self, account: &Id, order: SyncOrder, dry_run: bool) -> RuntimeResult<SyncReport> {
        if let Some(report) = self.stored_response(account).await? {
            return Ok(report);
        }
        let synced = self.sync_now(account, order, dry_run).await;
        let report = synced.map_err(|error| self.refuse(error))?;
        // A chat that could not be processed is reported, and the next sync continues.
        let is_over = dry_run || !report.synced.applied || report.processed.is_some();
        if self.idempotency.is_none() || !is_over {
            return Ok(report);
        }
        self.write(account, move |_| Ok(report.clone())).await
    }

    async fn sync_now(&self, account: &Id, order: SyncOrder, dry_run: bool) -> RuntimeResult<SyncReport> {
        let (order, look) = self.look(account, order).await?;
        let synced = self.sync_texts(account, &order, look, dry_run).await?;
        let mut report = SyncReport { synced, ..SyncReport::default() };
        if !dry_run && report.synced.applied {
            let goal = Goal::Branch(order.session.clone(), order.branch.clone());
            // The chat is what it is whether or not this succeeds: what could not be processed is known to be stale.
            match self.process_some(account, goal).await {
                Ok((processed, job)) => {
                    report.processed = Some(processed);
                    report.job = job.map(|job| job.id);
                }
                Err(error) => {
                    tracing::warn!(%error, session = %order.session, "a synced chat could not be processed; its states are stale");
                }
            }
            let map = self.sync_map(account, &order).await;
            // A client can read all of it from the transcript.
            (report.map, report.map_next) = map.unwrap_or_else(|error| {
                tracing::warn!(%error, session = %order.session, "the map of a synced chat could not be read");
                (Vec::new(), Some(0))
            });
        }
        Ok(report)
    }

    /// Reads a branch beside the chat of a client, which is whole then.
    pub(crate) async fn look(&self, account: &Id, order: SyncOrder) -> RuntimeResult<(Arc<SyncOrder>, Look)> {
        let (owner, now) = (account.clone(), now_ms());
        let (order, look) = self.store.read(move |tx| Look::read_whole(tx, &owner, order, now)).await?;
        Ok((Arc::new(order), look))
    }

    /// Makes a branch equal to a whole chat, without processing it.
    pub(crate) async fn sync_texts(
        &self,
        account: &Id,
        order: &Arc<SyncOrder>,
        mut look: Look,
        dry_run: bool,
    ) -> RuntimeResult<Synced> {
        let now = now_ms();
        let mut synced = look.report();
        if !dry_run && !synced.applied && synced.missing.is_empty() {
            if look.is_to_separate(order) {
                look = self.separate_lines(account, order, look).await?;
            }
            let leaves_flags = look.leaves_flags();
            let large = match look.is_large() {
                true => self.sync_in_parts(account, order, look, now).await?,
                false => None,
            };
            synced = match large {
                Some(synced) => synced,
                None => {
                    let (owner, wanted, seed) = (account.clone(), Arc::clone(order), IdSeed::new()?);
                    let write = move |tx: &mut dyn Tx| sync::apply(tx, &owner, &wanted, &mut seed.ids(), now);
                    self.store.write(write).await?
                }
            };
            // What a long chat loses leaves it at once and is deleted in parts.
            if let Some(item) = synced.trash.as_ref().filter(|_| synced.deleted > 0 || leaves_flags) {
                self.clear_deletion(account, item).await;
            }
            if leaves_flags {
                self.reindex_for_a_while(account, &order.session).await;
            }
        }
        Ok(synced)
    }

    /// Gives forks that share what a large sync changes rows of their own, which the store does in parts: no line becomes another by that.
    /// Returns what there is to do then.
    async fn separate_lines(&self, account: &Id, order: &Arc<SyncOrder>, look: Look) -> RuntimeResult<Look> {
        let (owner, now) = (account.clone(), now_ms());
        self.store.write(move |tx| look.separate(tx, &owner, now)).await?;
        let (owner, wanted) = (account.clone(), Arc::clone(order));
        self.store.read(move |tx| Look::read(tx, &owner, &wanted, now)).await
    }

    /// Makes a branch equal to a chat that differs much, in parts. If another request changes the session meanwhile, it begins again, and
    /// requests that write to the session wait. None if that did not help either, or is not needed any more.
    async fn sync_in_parts(
        &self,
        account: &Id,
        order: &Arc<SyncOrder>,
        look: Look,
        now: i64,
    ) -> RuntimeResult<Option<Synced>> {
        let session_row = look.session_row();
        if let Some(synced) = self.sync_large(account, order, Arc::new(look), now).await? {
            return Ok(Some(synced));
        }
        let again = async {
            for _ in 0..RESERVED_TRIES {
                let (owner, wanted, now) = (account.clone(), Arc::clone(order), now_ms());
                let mut look = self.store.read(move |tx| Look::read(tx, &owner, &wanted, now)).await?;
                if look.is_to_separate(order) {
                    look = self.separate_lines(account, order, look).await?;
                }
                if !look.is_large() {
                    return Ok(None);
                }
                if let Some(synced) = self.sync_large(account, order, Arc::new(look), now).await? {
                    return Ok(Some(synced));
                }
            }
            self.drafts.give_up();
            Ok(None)
        };
        self.store.reserve(account, session_row, again).await
    }

    /// Makes a branch equal to a chat that differs much. Whatever can be done before is: the plan, new floors on a
    /// hidden branch, and keeping the texts that are replaced. Nothing is done if another request changes the session meanwhile.
    async fn sync_large(
        &self,
        account: &Id,
        order: &Arc<SyncOrder>,
        look: Arc<Look>,
        now: i64,
    ) -> RuntimeResult<Option<Synced>> {
        let items = [new_id()?, new_id()?];
        let _running = items.each_ref().map(|item| self.drafts.run(item));
        let synced = self.sync_prepared(account, order, look, &items, now).await;
        if !matches!(synced, Ok(Some(_))) {
            for item in &items {
                self.drop_draft(account, item).await;
            }
        }
        synced
    }

    /// The same, by the items that what is prepared is kept under: new floors, and texts.
    async fn sync_prepared(
        &self,
        account: &Id,
        order: &Arc<SyncOrder>,
        look: Arc<Look>,
        [hidden, texts]: &[Id; 2],
        now: i64,
    ) -> RuntimeResult<Option<Synced>> {
        let mut seq = look.seq();
        let (owner, wanted, plan) = (account.clone(), Arc::clone(order), Arc::clone(&look));
        let read = move |tx: &mut dyn Tx| ReadBefore::read(tx, &owner, (&wanted, &plan));
        let Some(read) = self.store.read(read).await?.map(Arc::new) else { return Ok(None) };
        let (owner, wanted, plan, item) = (account.clone(), Arc::clone(order), Arc::clone(&look), hidden.clone());
        let before = Arc::clone(&read);
        let begin = move |tx: &mut dyn Tx| Nursery::begin(tx, &owner, (&wanted, &plan, &before), &item, now);
        let mut nursery = None;
        if let Some(rows) = self.store.write(begin).await? {
            let made = Nursery::new(rows, (order, &look, &read), hidden.clone(), &mut IdSeed::new()?.ids())?;
            seq = rows.seq;
            let made = Arc::new(made);
            for part in 0..made.parts() {
                let (owner, wanted, plan) = (account.clone(), Arc::clone(order), Arc::clone(&look));
                let (before, made) = (Arc::clone(&read), Arc::clone(&made));
                let add = move |tx: &mut dyn Tx| made.add_part(tx, &owner, (&wanted, &plan, &before), (part, seq), now);
                let Some(next) = self.store.write(add).await? else { return Ok(None) };
                seq = next;
            }
            nursery = Some(made);
        }
        let (owner, wanted, plan, item) = (account.clone(), Arc::clone(order), Arc::clone(&look), texts.clone());
        let before = Arc::clone(&read);
        let begin = move |tx: &mut dyn Tx| {
            Draft::begin(tx, &owner, (&wanted, &plan, before.swipes.as_ref()), (&item, seq), now)
        };
        let draft = self.store.write(begin).await?.map(Arc::new);
        if let Some(draft) = &draft {
            seq = draft.seq();
            for part in 0..draft.parts() {
                let (owner, plan, draft) = (account.clone(), Arc::clone(&look), Arc::clone(draft));
                self.store.write(move |tx| draft.keep_part(tx, &owner, &plan, part)).await?;
            }
            let mut next = draft.has_swipes().then_some(0);
            while let Some(at) = next {
                let (owner, plan, draft) = (account.clone(), Arc::clone(&look), Arc::clone(draft));
                next = self.store.write(move |tx| draft.keep_swipes(tx, &owner, &plan, at)).await?;
            }
        }
        for pages in look.pages_to_own(order).chunks(sync::TEXTS_AT_ONCE) {
            let (owner, plan, pages) = (account.clone(), Arc::clone(&look), pages.to_vec());
            let own = move |tx: &mut dyn Tx| plan.own_bodies(tx, &owner, (&pages, seq), now);
            let Some(next) = self.store.write(own).await? else { return Ok(None) };
            seq = next;
        }
        let (wanted, plan, made) = (Arc::clone(order), Arc::clone(&look), nursery.clone());
        let in_runs = read.swipes.is_some();
        let prepare = move || Outcome::prepare((&wanted, &plan), made.as_deref(), in_runs);
        let outcome = tokio::task::spawn_blocking(prepare).await??;
        let (owner, wanted, seed) = (account.clone(), Arc::clone(order), IdSeed::new()?);
        let (plan, before) = (Arc::clone(&look), Arc::clone(&read));
        let write = move |tx: &mut dyn Tx| {
            let (draft, nursery, outcome) = (draft.as_deref(), nursery.as_deref(), outcome.as_ref());
            let prepared = Prepared { draft, read: Some(&before), nursery, outcome, owns_bodies: true };
            sync::apply_planned(tx, &owner, (&wanted, &plan), (prepared, seq), &mut seed.ids(), now)
        };
        let synced = self.store.write(write).await?;
        if synced.is_some() {
            self.mark_chosen(account, look.session_row(), &read, now).await;
        }
        Ok(synced)
    }

    /// Writes the time of a sync into the floors that have chosen another swipe.
    async fn mark_chosen(&self, account: &Id, session_row: i64, read: &Arc<ReadBefore>, now: i64) {
        for part in 0..read.swipes.as_ref().map_or(0, SwipeChanges::parts) {
            let (owner, read) = (account.clone(), Arc::clone(read));
            let mark = move |tx: &mut dyn Tx| match &read.swipes {
                Some(swipes) => swipes.mark_part(tx, SessionKey::new(&owner, session_row), part, now),
                None => Ok(()),
            };
            // The chat is what it is, and events have said so.
            if let Err(error) = self.store.write(mark).await {
                tracing::warn!(%error, "floors of a synced chat do not have the time of their change");
                return;
            }
        }
    }

    async fn sync_map(&self, account: &Id, order: &SyncOrder) -> RuntimeResult<(Vec<MappedFloor>, Option<i64>)> {
        let (session, branch) = (order.session.clone(), order.branch.clone());
        let part = FloorRange { session, branch, from_floor: None, to_floor: None, after: None };
        let (floors, next) = self.transcript(account, part, MAPPED_MAX, Details::default()).await?;
        let mapped = |floor: TranscriptFloor| {
            let Line { floor, floor_no, page, made, .. } = floor.line;
            MappedFloor { floor, floor_no, page, snapshot: made.map(|made| made.snapshot) }
        };
        Ok((floors.into_iter().map(mapped).collect(), next))
    }
}
