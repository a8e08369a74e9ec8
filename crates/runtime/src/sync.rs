//! Sync: a branch becomes the chat that a client has, and is processed.

use crate::history::{Details, TranscriptFloor};
use crate::ids::IdSeed;
use crate::process::ProcessReport;
use crate::{Runtime, RuntimeResult, now_ms};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::sync::{self, SyncOrder, Synced};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::walk::{Line, Part};

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
        let synced = self.sync_now(account, Arc::new(order), dry_run).await;
        let report = synced.map_err(|error| self.refuse(error))?;
        // A chat that could not be processed is reported, and the next sync continues.
        let is_over = dry_run || !report.synced.applied || report.processed.is_some();
        if self.idempotency.is_none() || !is_over {
            return Ok(report);
        }
        self.write(account, move |_| Ok(report.clone())).await
    }

    async fn sync_now(&self, account: &Id, order: Arc<SyncOrder>, dry_run: bool) -> RuntimeResult<SyncReport> {
        let (owner, wanted, now) = (account.clone(), Arc::clone(&order), now_ms());
        let mut synced = self.store.read(move |tx| sync::prepare(tx, &owner, &wanted, now)).await?;
        if !dry_run && !synced.applied && synced.missing.is_empty() {
            let (owner, wanted, seed) = (account.clone(), Arc::clone(&order), IdSeed::new()?);
            let write = move |tx: &mut dyn Tx| sync::apply(tx, &owner, &wanted, &mut seed.ids(), now);
            synced = self.store.write(write).await?;
        }
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

    async fn sync_map(&self, account: &Id, order: &SyncOrder) -> RuntimeResult<(Vec<MappedFloor>, Option<i64>)> {
        let (session, branch) = (order.session.clone(), order.branch.clone());
        let part = Part { session, branch, from_floor: None, to_floor: None, after: None };
        let (floors, next) = self.transcript(account, part, MAPPED_MAX, Details::default()).await?;
        let mapped = |floor: TranscriptFloor| {
            let Line { floor, floor_no, page, made, .. } = floor.line;
            MappedFloor { floor, floor_no, page, snapshot: made.map(|made| made.snapshot) }
        };
        Ok((floors.into_iter().map(mapped).collect(), next))
    }
}
