//! The story state: turns and states.
//!
//! A turn is computed outside of any transaction and stored only if what it was computed from is still there; otherwise it
//! is computed again, a few times.

use crate::documents::Documents;
use crate::ids::IdSeed;
use crate::order::NewTurn;
use crate::turn::{ComputedTurn, SessionTurn};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, history, new_id, new_snapshot_id, now_ms};
use std::sync::Arc;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::problem::Problem;
use tavernkeep_engine::story::StaleReason;
use tavernkeep_engine::turn::{CommandResult, LogLine, Outcome, RanFunction, StoredOutcome, TurnPosition};
use tavernkeep_store::StoreResult;
use tavernkeep_store::conversation::sessions;
use tavernkeep_store::conversation::turns::{self, PreparedTurn, StoredTurn, TurnContext, TurnIds, TurnStart};
use tavernkeep_store::db::hash::text_hash;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::snapshots::{self, Snapshot};
use tavernkeep_store::story::states::{self, StateAt};
use tavernkeep_store::story::versions::{self, Kind, MadeOf};
use tavernkeep_store::story::{origins, texts};
use tavernkeep_store::tree::MAIN_BRANCH;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::tree::bodies::Body;

/// How often a turn or an edit is computed again because what it builds on has moved.
pub(crate) const TRIES_MAX: usize = 8;

/// A state and what is known of it.
#[derive(Debug, Clone)]
pub struct State {
    /// Where it comes from and whether it is fresh.
    pub at: StateAt,
    /// The document.
    pub document: Value,
}

/// What a floor changed.
#[derive(Debug, Clone)]
pub struct FloorChange {
    /// The state behind it.
    pub at: StateAt,
    /// Whether that is the floor's own, and not the one before it.
    pub own: bool,
    /// The change; of a state that was changed by hand everything since the page before.
    pub change: Change,
    /// What came of the text, where that is asked for and known.
    pub outcome: Option<StoredOutcome>,
}

/// What a turn did.
#[derive(Debug, Clone)]
pub struct TurnReport {
    /// What it changed.
    pub change: Change,
    /// Every command and what came of it, in order.
    pub results: Vec<CommandResult>,
    /// What is worth a look, in the order of the text.
    pub problems: Vec<Problem>,
    /// What functions logged, in order.
    pub log: Vec<LogLine>,
    /// The functions that ran, in order.
    pub ran: Vec<RanFunction>,
}

/// A turn that was taken.
#[derive(Debug, Clone)]
pub struct TakenTurn {
    /// Whether it was stored now and not before.
    pub created: bool,
    /// The floor.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// The page.
    pub page: Id,
    /// The swipe within its slot.
    pub page_version: i64,
    /// The snapshot; none where the page has no state of its own.
    pub snapshot: Option<Id>,
    /// What came of the text; none where no commands are read from it.
    pub report: Option<TurnReport>,
    /// The state behind it.
    pub document: Value,
}

impl Runtime {
    /// Takes a turn: floor, page, version and snapshot, all of them or none. What lies before it is processed first if it
    /// has to be.
    pub async fn take_turn(&self, account: &Id, new: NewTurn) -> RuntimeResult<TakenTurn> {
        let new = Arc::new(new);
        let taken = match (self.take(account, &new).await, &new.branch, &new.swipe_of) {
            // A swipe of a floor that the branch shares, or has a copy of, is a swipe on this branch.
            (
                Err(RuntimeError::Refused(
                    refusal @ (Refusal::FloorElsewhere(_, "branch") | Refusal::FloorNotFound(_)),
                )),
                Some(branch),
                Some(floor),
            ) => {
                let known = match refusal {
                    Refusal::FloorNotFound(_) => self.copy_of_floor(account, &new.session, floor, branch).await?,
                    _ => Some(floor.clone()),
                };
                let Some(known) = known else { Err(refusal)? };
                let own = match self.floor_on(account, &known, Some(branch)).await {
                    // The branch has no such floor.
                    Err(RuntimeError::Refused(Refusal::FloorNotFound(_))) => Err(refusal)?,
                    own => own?,
                };
                self.take(account, &Arc::new(NewTurn { swipe_of: Some(own), ..NewTurn::clone(&new) })).await?
            }
            (taken, ..) => taken?,
        };
        // A turn at the end has nothing behind it.
        if (new.swipe_of.is_some() || new.floor_no.is_some()) && taken.created {
            self.process_behind(account, &taken.page).await;
        }
        Ok(taken)
    }

    async fn take(&self, account: &Id, new: &Arc<NewTurn>) -> RuntimeResult<TakenTurn> {
        // What a repeated turn would build on now is, at best, itself.
        if let Some(taken) = self.stored_response(account).await? {
            return self.taken_before(account, new, taken, true).await;
        }
        let ids =
            TurnIds { floor: new_id()?, page: new.page.clone().map_or_else(new_id, Ok)?, snapshot: new_snapshot_id()? };
        // A turn that names its page may have been stored before, and is looked up first.
        if new.page.is_none()
            && let Some(open) = self.branch_ends.start(account, new)
        {
            match self.append(account, new, open, &ids).await {
                // The session has changed since, or is gone with all its versions.
                Err(RuntimeError::Refused(Refusal::ParentMoved) | RuntimeError::Damaged(_)) => {}
                answer => return answer,
            }
        }
        for _ in 0..TRIES_MAX {
            let (owner, asked) = (account.clone(), Arc::clone(new));
            let open = match self.store.read_point(move |tx| turns::prepare(tx, &owner, &asked)).await? {
                TurnStart::Stored(taken) => return self.taken_before(account, new, taken, false).await,
                TurnStart::New(open) => open,
            };
            if !open.fits {
                let (session_row, branch_row, below) = (open.session_row, open.branch_row, open.below);
                let goal = Goal::Before { session_row, branch_row, below };
                // A turn has the right state or none: what it builds on is not there yet.
                if let (_, Some(job)) = self.process_some(account, goal).await? {
                    return Err(Refusal::BranchBusy(job.id).into());
                }
                continue;
            }
            match self.append(account, new, open, &ids).await {
                Err(RuntimeError::Refused(Refusal::ParentMoved)) => {}
                // The same turn was sent twice and the other one was faster.
                Err(RuntimeError::Refused(Refusal::IdTaken("page", _))) if new.page.is_some() => {}
                answer => return answer,
            }
        }
        Err(Refusal::ParentMoved.into())
    }

    async fn append(
        &self,
        account: &Id,
        new: &Arc<NewTurn>,
        open: TurnContext,
        ids: &TurnIds,
    ) -> RuntimeResult<TakenTurn> {
        let now = now_ms();
        // Of a session whose character is disabled the text is stored, and no state.
        let (mut before, mut computed) = (None, None);
        if open.settings.enabled {
            let base = self.base(SessionKey::new(account, open.session_row), open.base).await?;
            before = Some(base.document.clone());
            if open.is_read {
                let recipe = open.settings.recipe;
                let rules = self.rules(account, &recipe).await?;
                let at = (open.session_row, open.branch_row, open.below);
                let count = rules.profile.recent_texts_for(&base.document, &new.content);
                let recent_texts = self.recent_texts(account, count, at).await?;
                let (reply, page) = (Arc::from(new.content.as_str()), ids.page.clone());
                let position = TurnPosition {
                    session: Some(new.session.to_string()),
                    branch: Some(new.branch.as_deref().unwrap_or(MAIN_BRANCH).to_owned()),
                    floor_no: Some(open.floor_no()),
                    page: Some(page.to_string()),
                    role: Some(new.role.clone()),
                };
                let turn = SessionTurn {
                    account: account.clone(),
                    base,
                    reply,
                    page,
                    recipe,
                    rules,
                    recent_texts,
                    position,
                    from_user: open.kind == PageKind::Input,
                    edits: Vec::new(),
                    now_ms: now,
                };
                computed = Some(self.compute(turn).await?);
            }
        }
        let loaded = computed.as_ref().map(ComputedTurn::loaded);
        let (outcome, version) = computed.map(|computed| (computed.outcome, computed.version)).unzip();
        let body = Body::new(Some(&new.content), None);
        let text_hash = version.as_ref().map_or_else(|| text_hash(Some(&new.content)), |version| version.text_hash);
        let ready = PreparedTurn { open, version, body, text_hash, ids: ids.clone() };
        let (owner, order) = (account.clone(), Arc::clone(new));
        let fresh = IdSeed::new()?;
        let write = move |tx: &mut dyn Tx| turns::append(tx, &owner, &order, &ready, &mut fresh.ids(), now);
        let mut taken = self.write(account, write).await?;
        if self.was_replayed() {
            return self.taken_before(account, new, taken, true).await;
        }
        if let Some(end) = taken.end.take() {
            self.branch_ends.keep(account, new, end);
        }
        if let (Some(made_of), Some(loaded)) = (&taken.made_of, loaded) {
            self.documents.keep(SessionKey::new(account, taken.session_row), made_of.version_row, loaded);
        }
        let document = match outcome.as_ref().map(|outcome| outcome.document.clone()).or(before) {
            Some(document) => document,
            None => self.state_of_page(account, &taken.page).await?.document,
        };
        Ok(answer(true, taken, outcome.map(TurnReport::from), document))
    }

    /// The replies before a place, the newest last.
    pub(crate) async fn recent_texts(
        &self,
        account: &Id,
        count: usize,
        (session_row, branch_row, below): (i64, i64, i64),
    ) -> RuntimeResult<Vec<String>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let owner = account.clone();
        let read =
            move |tx: &mut dyn Tx| texts::recent(tx, SessionKey::new(&owner, session_row), (branch_row, below), count);
        self.store.read(read).await
    }

    /// The answer to a turn that was sent again: what was stored of it. Where the page has the state of another text by now,
    /// or one made by hand, it is that state, and nothing is known of how it came about.
    async fn taken_before(
        &self,
        account: &Id,
        new: &NewTurn,
        taken: StoredTurn,
        created: bool,
    ) -> RuntimeResult<TakenTurn> {
        let text = text_hash(Some(&new.content));
        let is_same = |made_of: &MadeOf| made_of.kind == Kind::Turn && made_of.text_hash == text;
        let Some(made_of) = taken.made_of.clone().filter(is_same) else {
            let page = taken.page.clone();
            let state = self.state_of_page(account, &page).await?;
            return Ok(answer(created, taken, None, state.document));
        };
        let (owner, session_row, documents) = (account.clone(), taken.session_row, Arc::clone(&self.documents));
        let (session, content) = (new.session.clone(), new.content.clone());
        let read = move |tx: &mut dyn Tx| {
            // The turn is gone where its session is.
            sessions::get(tx, &owner, &session)?;
            let row = made_of.version_row;
            let session = SessionKey::new(&owner, session_row);
            let change = versions::change(tx, session, row)?;
            let outcome = versions::outcome(tx, session, row, Some(&content))?;
            let StoredOutcome { results, problems, log, ran } = outcome.unwrap_or_default();
            let document = documents.load(tx, session, row)?.document;
            Ok((TurnReport { change, results, problems, log, ran }, document))
        };
        let (report, document) = self.store.read(read).await?;
        Ok(answer(created, taken, Some(report), document))
    }

    /// The state at a page.
    pub async fn state_of_page(&self, account: &Id, page: &Id) -> RuntimeResult<State> {
        let (owner, page) = (account.clone(), page.clone());
        self.state(account, move |tx| states::of_page(tx, &owner, &page)).await
    }

    /// The newest state of a branch, of `main` if none is named.
    pub async fn newest_state(&self, account: &Id, session: &Id, branch: Option<&str>) -> RuntimeResult<State> {
        let (owner, session) = (account.clone(), session.clone());
        let branch = branch.unwrap_or(MAIN_BRANCH).to_owned();
        self.state(account, move |tx| states::newest(tx, &owner, &session, &branch)).await
    }

    /// The state at a floor of a branch, of `main` if none is named, by the floor's number.
    pub async fn state_at_floor(
        &self,
        account: &Id,
        session: &Id,
        branch: Option<&str>,
        floor_no: i64,
    ) -> RuntimeResult<State> {
        let (owner, session) = (account.clone(), session.clone());
        let branch = branch.unwrap_or(MAIN_BRANCH).to_owned();
        self.state(account, move |tx| states::of_number(tx, &owner, &session, &branch, floor_no)).await
    }

    /// What a floor's story page changed; nothing changed where it has no state of its own. With `commands` also what came of
    /// each command, if the text is still the one that the state was made of.
    pub async fn change_of_floor(&self, account: &Id, floor: &Id, commands: bool) -> RuntimeResult<FloorChange> {
        let (account, floor, documents) = (account.clone(), floor.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let at = states::of_floor(tx, &account, &floor)?;
            // A page that was never processed shows the state of another one.
            let own = !at.inherited && at.stale != Some(StaleReason::Unprocessed);
            let Some(row) = at.version_row.filter(|_| own) else {
                return Ok(FloorChange { at, own: false, change: Change::default(), outcome: None });
            };
            let session = SessionKey::new(&account, at.session_row);
            let change = match at.edited {
                true => history::edited(tx, &documents, session, row)?,
                false => versions::change(tx, session, row)?,
            };
            let outcome = match (commands, &at.page) {
                (true, Some(page)) => {
                    let made_of = versions::made_of(tx, session, row)?;
                    match origins::text_of(tx, &account, page, made_of.text_hash)? {
                        Some(text) => versions::outcome(tx, session, row, Some(&text))?,
                        None => None,
                    }
                }
                _ => None,
            };
            Ok(FloorChange { at, own: true, change, outcome })
        };
        self.store.read(read).await
    }

    async fn state(
        &self,
        account: &Id,
        find: impl FnOnce(&mut dyn Tx) -> StoreResult<StateAt> + Send + 'static,
    ) -> RuntimeResult<State> {
        let (account, documents) = (account.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let at = find(tx)?;
            let document = document_of(tx, &documents, &account, &at)?;
            Ok(State { at, document })
        };
        self.store.read(read).await
    }

    /// A snapshot with its document, and what is known of its state while its page exists.
    pub async fn snapshot(&self, account: &Id, id: &Id) -> RuntimeResult<(Snapshot, Value, Option<StateAt>)> {
        let (account, id, documents) = (account.clone(), id.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| {
            let snapshot = snapshots::get(tx, &account, &id)?;
            let (session_row, version_row) = (snapshot.session_row, snapshot.version_row);
            let loaded = documents.load(tx, SessionKey::new(&account, session_row), version_row)?;
            let at = states::of_snapshot(tx, &account, &snapshot)?;
            Ok((snapshot, loaded.document, at))
        };
        self.store.read(read).await
    }
}

/// The document of a state: a version's, or the template.
pub(crate) fn document_of(tx: &mut dyn Tx, documents: &Documents, account: &Id, at: &StateAt) -> StoreResult<Value> {
    Ok(document_and_schema_of(tx, documents, account, at)?.0)
}

/// The same with MVU's schema of it, where there is one.
pub(crate) fn document_and_schema_of(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    at: &StateAt,
) -> StoreResult<(Value, Option<MvuSchema>)> {
    let session = SessionKey::new(account, at.session_row);
    match at.version_row {
        Some(row) => documents.load(tx, session, row).map(|loaded| (loaded.document, loaded.mvu_schema)),
        None => documents.first_state(tx, session).map(|first| (first.document, first.mvu_schema)),
    }
}

impl From<Outcome> for TurnReport {
    fn from(outcome: Outcome) -> TurnReport {
        let (log, ran) = (outcome.log(), outcome.ran());
        TurnReport { change: outcome.change, results: outcome.results, problems: outcome.problems, log, ran }
    }
}

fn answer(created: bool, taken: StoredTurn, report: Option<TurnReport>, document: Value) -> TakenTurn {
    let StoredTurn { floor, floor_no, page, page_version, snapshot, .. } = taken;
    TakenTurn { created, floor, floor_no, page, page_version, snapshot, report, document }
}
