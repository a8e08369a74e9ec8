//! Deleting into the trash, and getting things back.

use crate::record::{Listed, Window};
use crate::{Runtime, RuntimeResult, new_id, now_ms};
use serde::{Deserialize, Serialize};
use tavernkeep_engine::id::Id;
use tavernkeep_store::conversation::trash::{self, Bin};
use tavernkeep_store::conversation::{branches, floors, pages};
use tavernkeep_store::story::goal::Goal;

pub use tavernkeep_store::conversation::trash::{KeptPage, Restored, TrashItem, TrashKind};

/// What became of a deletion.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Removed {
    /// For each id whether it was there.
    pub found: Vec<bool>,
    /// What it can be restored by; none if it is gone for good.
    pub trash: Option<Id>,
}

impl Runtime {
    fn bin(&self, permanent: bool) -> RuntimeResult<Bin> {
        Ok(if permanent || self.retention.trash_age_ms == Some(0) { Bin::Purge } else { Bin::Trash(new_id()?) })
    }

    /// Deletes floors with their pages.
    pub async fn remove_floors(&self, account: &Id, ids: Vec<Id>, permanent: bool) -> RuntimeResult<Removed> {
        let (owner, bin, now) = (account.clone(), self.bin(permanent)?, now_ms());
        self.write(account, move |tx| {
            let found = floors::delete(tx, &owner, &ids, &bin, now)?;
            Ok(Removed { trash: id_of(&bin, found.contains(&true)), found })
        })
        .await
    }

    /// Deletes pages.
    pub async fn remove_pages(&self, account: &Id, ids: Vec<Id>, permanent: bool) -> RuntimeResult<Removed> {
        let (owner, bin, now) = (account.clone(), self.bin(permanent)?, now_ms());
        self.write(account, move |tx| {
            let found = pages::delete(tx, &owner, &ids, &bin, now)?;
            Ok(Removed { trash: id_of(&bin, found.contains(&true)), found })
        })
        .await
    }

    /// Deletes a branch with its floors; returns how many there were, and what it can be restored by.
    pub async fn remove_branch(
        &self,
        account: &Id,
        session: &Id,
        branch: &str,
        permanent: bool,
    ) -> RuntimeResult<(i64, Option<Id>)> {
        let (owner, session, branch, now) = (account.clone(), session.clone(), branch.to_owned(), now_ms());
        let bin = self.bin(permanent)?;
        self.write(account, move |tx| {
            let floors = branches::delete(tx, &owner, &session, &branch, &bin, now)?;
            Ok((floors, id_of(&bin, true)))
        })
        .await
    }

    /// Lists what is in the trash.
    pub async fn trash(&self, account: &Id, session: Option<Id>, window: Window) -> RuntimeResult<Listed<TrashItem>> {
        let account = account.clone();
        self.store.read(move |tx| trash::list(tx, &account, session.as_ref(), window)).await
    }

    /// One item of the trash with its pages.
    pub async fn trash_item(&self, account: &Id, id: &Id) -> RuntimeResult<(TrashItem, Vec<KeptPage>)> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| Ok((trash::get(tx, &account, &id)?, trash::pages(tx, &account, &id)?))).await
    }

    /// Puts an item of the trash back and processes its branch.
    pub async fn restore(&self, account: &Id, id: &Id) -> RuntimeResult<Restored> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        let restored = self.write(account, move |tx| trash::restore(tx, &owner, &id, now)).await?;
        let goal = Goal::Branch(restored.session.clone(), restored.branch.clone());
        if let Err(error) = self.process_some(account, goal).await {
            tracing::warn!(%error, branch = restored.branch, "what was restored could not be processed; it is stale");
        }
        Ok(restored)
    }

    /// Purges an item of the trash.
    pub async fn purge_trash(&self, account: &Id, id: &Id) -> RuntimeResult<()> {
        let (owner, id) = (account.clone(), id.clone());
        self.write(account, move |tx| trash::purge(tx, &owner, &id)).await
    }

    /// Purges what has been in the trash for too long.
    pub(crate) async fn purge_old_trash(&self, account: &Id) -> RuntimeResult<()> {
        let Some(age) = self.retention.trash_age_ms else { return Ok(()) };
        let before = now_ms().saturating_sub(age);
        loop {
            let owner = account.clone();
            if self.store.write(move |tx| trash::purge_old(tx, &owner, before)).await? == 0 {
                return Ok(());
            }
        }
    }
}

fn id_of(bin: &Bin, is_used: bool) -> Option<Id> {
    match bin {
        Bin::Trash(id) if is_used => Some(id.clone()),
        _ => None,
    }
}
