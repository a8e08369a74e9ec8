//! The conversation tree: sessions, branches, floors, pages.

use crate::order::{
    FloorPatch, FloorQuery, FloorStep, NewFloor, NewPage, PagePatch, PageQuery, SessionPatch, SessionQuery,
};
use crate::record::{Branch, Floor, Listed, Page, Session, Window};
use crate::{ForkPoint, IdSeed, Refusal, Runtime, RuntimeError, RuntimeResult, new_id, now_ms, random_bytes};
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_store::StoreResult;
use tavernkeep_store::conversation::{branches, floors, own_copies, pages, sessions};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::settings;
use tavernkeep_store::tree::bodies::Body;

impl Runtime {
    /// Reads one session.
    pub async fn session(&self, account: &Id, id: &Id) -> RuntimeResult<Session> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read_point(move |tx| sessions::get(tx, &account, &id)).await
    }

    /// Lists sessions.
    pub async fn sessions(&self, account: &Id, query: SessionQuery) -> RuntimeResult<Listed<Session>> {
        let account = account.clone();
        let counts = Arc::clone(&self.floor_counts);
        self.store.read(move |tx| sessions::list(tx, &account, &query, &counts)).await
    }

    /// Changes a session.
    pub async fn update_session(&self, account: &Id, id: &Id, patch: SessionPatch) -> RuntimeResult<Session> {
        let (owner, wanted, now) = (account.clone(), id.clone(), now_ms());
        let session = self.write(account, move |tx| sessions::update(tx, &owner, &wanted, &patch, now)).await?;
        self.reindex_for_a_while(account, id).await;
        Ok(session)
    }

    /// The template that counts for a session, if there is one, and whether it is the session's own.
    pub async fn session_template(&self, account: &Id, id: &Id) -> RuntimeResult<(Option<JsonText>, bool)> {
        let (account, id, documents) = (account.clone(), id.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let (template, own) = settings::own_template(tx, &account, &id)?;
            if template.is_some() {
                return Ok((template, own));
            }
            let recipe = settings::of_session(tx, &account, &id)?.recipe;
            let profile = documents.rules.profiles.load(tx, &account, recipe.rules)?;
            Ok((profile.first_document().map(|document| document.to_text()), own))
        };
        self.store.read(read).await
    }

    /// Lists the branches of a session.
    pub async fn branches(&self, account: &Id, session: &Id, window: Window) -> RuntimeResult<Listed<Branch>> {
        let (account, session) = (account.clone(), session.clone());
        self.store.read(move |tx| branches::list(tx, &account, &session, window)).await
    }

    /// Deletes a branch with its floors; returns how many there were.
    pub async fn delete_branch(&self, account: &Id, session: &Id, branch: &str) -> RuntimeResult<i64> {
        Ok(self.remove_branch(account, session, branch, false).await?.0)
    }

    /// Forks a branch from a committed floor. Without a name it gets one.
    pub async fn fork(&self, account: &Id, floor: &Id, branch: Option<String>) -> RuntimeResult<Branch> {
        self.fork_from(account, ForkPoint::Floor(floor.clone(), None), branch).await
    }

    /// The same, with a page of the floor that need not be active there.
    pub async fn fork_from(&self, account: &Id, from: ForkPoint, branch: Option<String>) -> RuntimeResult<Branch> {
        let names_page = !matches!(from, ForkPoint::Floor(_, None));
        let (owner, now) = (account.clone(), now_ms());
        let name = branch.map_or_else(new_branch_name, Ok)?;
        let forked = self.write(account, move |tx| branches::fork(tx, &owner, &from, &name, now)).await?;
        if names_page {
            // A page that was not active may not fit what is before it.
            let goal = Goal::Branch(forked.session.clone(), forked.id.clone());
            if let Err(error) = self.process_some(account, goal).await {
                tracing::warn!(%error, branch = forked.id, "a fork could not be processed; its states are stale");
            }
        }
        Ok(forked)
    }

    /// The floor that a branch has where this one stands: a copy of its own, which is made if the branch shares the floor.
    pub async fn floor_on(&self, account: &Id, floor: &Id, branch: Option<&str>) -> RuntimeResult<Id> {
        self.own_copy(account, floor, branch, own_copies::floor_on).await
    }

    /// The same for a page.
    pub async fn page_on(&self, account: &Id, page: &Id, branch: Option<&str>) -> RuntimeResult<Id> {
        self.own_copy(account, page, branch, own_copies::page_on).await
    }

    /// The same for a snapshot.
    pub async fn snapshot_on(&self, account: &Id, snapshot: &Id, branch: Option<&str>) -> RuntimeResult<Id> {
        self.own_copy(account, snapshot, branch, own_copies::snapshot_on).await
    }

    async fn own_copy(
        &self,
        account: &Id,
        id: &Id,
        branch: Option<&str>,
        find: fn(&mut dyn Tx, &Id, &Id, &str, i64) -> StoreResult<Id>,
    ) -> RuntimeResult<Id> {
        let Some(branch) = branch.map(str::to_owned) else { return Ok(id.clone()) };
        let (owner, named, now) = (account.clone(), id.clone(), now_ms());
        // Past the request's key, which belongs to what is done with the copy.
        match self.store.write(move |tx| find(tx, &owner, &named, &branch, now)).await {
            // It is gone since the request was sent first, whose response is stored.
            Err(RuntimeError::Refused(
                Refusal::FloorNotFound(_) | Refusal::PageNotFound(_) | Refusal::BranchNotFound(..),
            )) if self.has_stored_response(account).await? => Ok(id.clone()),
            found => found,
        }
    }

    /// The copy that a branch of a session has of a floor which may be gone.
    pub(crate) async fn copy_of_floor(
        &self,
        account: &Id,
        session: &Id,
        floor: &Id,
        branch: &str,
    ) -> RuntimeResult<Option<Id>> {
        let (owner, session, floor, branch) = (account.clone(), session.clone(), floor.clone(), branch.to_owned());
        self.store.read_point(move |tx| own_copies::copy_of_floor(tx, &owner, &session, &floor, &branch)).await
    }

    /// A floor and a page as a branch of a session has them by now: it may have got copies of its own since they were read there.
    pub(crate) async fn copies_on(
        &self,
        account: &Id,
        session: &Id,
        branch: &str,
        (floor, page): (Option<Id>, Option<Id>),
    ) -> RuntimeResult<(Option<Id>, Option<Id>)> {
        let (owner, session, branch) = (account.clone(), session.clone(), branch.to_owned());
        let find = move |tx: &mut dyn Tx| {
            let of_floor = |floor| own_copies::copy_of_floor(tx, &owner, &session, floor, &branch);
            let own_floor = floor.as_ref().map(of_floor).transpose()?.flatten();
            let of_page = |page| own_copies::copy_of_page(tx, &owner, &session, page, &branch);
            let own_page = page.as_ref().map(of_page).transpose()?.flatten();
            Ok((own_floor.or_else(|| floor.clone()), own_page.or_else(|| page.clone())))
        };
        self.store.read(find).await
    }

    /// Creates a floor.
    pub async fn create_floor(&self, account: &Id, new: NewFloor) -> RuntimeResult<Floor> {
        let (owner, now) = (account.clone(), now_ms());
        let id = new.id.clone().map_or_else(new_id, Ok)?;
        self.write(account, move |tx| floors::create(tx, &owner, &new, &id, now)).await
    }

    /// Reads one floor.
    pub async fn floor(&self, account: &Id, id: &Id) -> RuntimeResult<Floor> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read_point(move |tx| floors::get(tx, &account, &id)).await
    }

    /// Lists floors.
    pub async fn floors(&self, account: &Id, query: FloorQuery) -> RuntimeResult<Listed<Floor>> {
        let (account, now) = (account.clone(), now_ms());
        self.store.read(move |tx| floors::list(tx, &account, &query, now)).await
    }

    /// Changes a floor.
    pub async fn update_floor(&self, account: &Id, id: &Id, patch: FloorPatch) -> RuntimeResult<Floor> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| floors::update(tx, &owner, &id, &patch, now)).await
    }

    /// Takes a floor one step through its life.
    pub async fn move_floor(&self, account: &Id, id: &Id, step: FloorStep) -> RuntimeResult<Floor> {
        let (owner, floor, now, seed, quotas) = (account.clone(), id.clone(), now_ms(), IdSeed::new()?, self.quotas);
        let commits = matches!(step, FloorStep::Commit { .. });
        let write = move |tx: &mut dyn Tx| floors::step(tx, &owner, &floor, &step, &mut seed.ids(), &quotas, now);
        let moved = self.write(account, write).await?;
        if commits {
            self.process_line_of(account, id).await;
        }
        Ok(moved)
    }

    /// Deletes floors with their pages. For each id whether it was there.
    pub async fn delete_floors(&self, account: &Id, ids: Vec<Id>) -> RuntimeResult<Vec<bool>> {
        Ok(self.remove_floors(account, ids, false).await?.found)
    }

    /// Marks the floors whose lease has ended as failed; returns how many there were.
    pub async fn fail_expired_leases(&self) -> RuntimeResult<u64> {
        let now = now_ms();
        let expired = self.store.read(move |tx| floors::expired(tx, now)).await?;
        let mut failed = 0;
        for (account, id) in expired {
            let written = self.store.write(move |tx| floors::expire(tx, &account, &id, now)).await;
            match written {
                Ok(written) => failed += u64::from(written),
                // Deleted meanwhile: nothing is left to mark.
                Err(RuntimeError::Refused(Refusal::FloorNotFound(_))) => {}
                // One floor that cannot be written must not keep the others generating.
                Err(error) => tracing::warn!(%error, "a floor whose lease has ended could not be marked"),
            }
        }
        Ok(failed)
    }

    /// Creates a page.
    pub async fn create_page(&self, account: &Id, new: NewPage) -> RuntimeResult<Page> {
        let (owner, now) = (account.clone(), now_ms());
        let id = new.id.clone().map_or_else(new_id, Ok)?;
        let body = Body::new(new.content.as_deref(), new.extra.as_ref());
        let page = self.write(account, move |tx| pages::create(tx, &owner, &new, &body, &id, now)).await?;
        // States behind a page that is chosen follow it. A chat that is written down page by page has none, and waits for its processing.
        let (owner, floor) = (account.clone(), page.floor.clone());
        let is_earlier = self.store.read_point(move |tx| floors::has_states_behind(tx, &owner, &floor)).await;
        if page.is_active && is_earlier.unwrap_or_default() {
            self.process_behind(account, &page.id).await;
        }
        Ok(page)
    }

    /// Reads one page with its text.
    pub async fn page(&self, account: &Id, id: &Id) -> RuntimeResult<Page> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| pages::get(tx, &account, &id)).await
    }

    /// Lists pages.
    pub async fn pages(&self, account: &Id, query: PageQuery) -> RuntimeResult<Listed<Page>> {
        let account = account.clone();
        self.store.read(move |tx| pages::list(tx, &account, &query)).await
    }

    /// Changes a page.
    pub async fn update_page(&self, account: &Id, id: &Id, patch: PagePatch) -> RuntimeResult<Page> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| pages::update(tx, &owner, &id, &patch, now)).await
    }

    /// Makes a page the chosen swipe of its slot.
    pub async fn activate_page(&self, account: &Id, id: &Id) -> RuntimeResult<Page> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        let page = self.write(account, move |tx| pages::activate(tx, &owner, &id, now)).await?;
        self.process_behind(account, &page.id).await;
        Ok(page)
    }

    /// Deletes pages. For each id whether it was there.
    pub async fn delete_pages(&self, account: &Id, ids: Vec<Id>) -> RuntimeResult<Vec<bool>> {
        Ok(self.remove_pages(account, ids, false).await?.found)
    }
}

/// The default name of a branch: `branch-` and eight digits, random enough not to meet another.
fn new_branch_name() -> RuntimeResult<String> {
    let mut random = [0; 4];
    random_bytes(&mut random)?;
    Ok(format!("branch-{:08x}", u32::from_be_bytes(random)))
}
