//! Places whose states can be looked at and compared: pages, floors, branches and snapshots.

use crate::documents::Documents;
use crate::story::{State, document_of};
use crate::{Runtime, RuntimeResult};
use std::str::FromStr;
use tavernkeep_engine::change::Change;
use tavernkeep_engine::diff::differences;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::BRANCH_BYTES_MAX;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::snapshots;
use tavernkeep_store::story::states::{self, StateAt};
use tavernkeep_store::tree::MAIN_BRANCH;

/// Where a state stands.
///
/// ```
/// use tavernkeep_runtime::StateAddress;
///
/// assert_eq!("branch:s1/what if".parse(), Ok(StateAddress::Branch("s1".parse().unwrap(), "what if".into())));
/// assert_eq!("session:s1".parse(), Ok(StateAddress::Branch("s1".parse().unwrap(), "main".into())));
/// assert!("somewhere".parse::<StateAddress>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateAddress {
    /// A page, `page:ID`.
    Page(Id),
    /// A floor, `floor:ID`.
    Floor(Id),
    /// The end of a branch, `branch:SESSION/NAME`, or of `main`, `session:ID`.
    Branch(Id, String),
    /// A snapshot, `snapshot:ID`.
    Snapshot(Id),
}

/// The text names no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidStateAddress;

impl std::fmt::Display for InvalidStateAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("must be page:ID, floor:ID, snapshot:ID, session:ID or branch:SESSION/NAME")
    }
}

impl std::error::Error for InvalidStateAddress {}

impl FromStr for StateAddress {
    type Err = InvalidStateAddress;

    fn from_str(text: &str) -> Result<StateAddress, InvalidStateAddress> {
        let (kind, name) = text.split_once(':').ok_or(InvalidStateAddress)?;
        let id = |text: &str| text.parse::<Id>().map_err(|_| InvalidStateAddress);
        match kind {
            "page" => id(name).map(StateAddress::Page),
            "floor" => id(name).map(StateAddress::Floor),
            "snapshot" => id(name).map(StateAddress::Snapshot),
            "session" => id(name).map(|session| StateAddress::Branch(session, MAIN_BRANCH.to_owned())),
            "branch" => {
                let (session, branch) = name.split_once('/').ok_or(InvalidStateAddress)?;
                let fits = (1..=BRANCH_BYTES_MAX).contains(&branch.len());
                if fits { Ok(StateAddress::Branch(id(session)?, branch.to_owned())) } else { Err(InvalidStateAddress) }
            }
            _ => Err(InvalidStateAddress),
        }
    }
}

/// How two states differ.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The one.
    pub from: State,
    /// The other.
    pub to: State,
    /// What leads from the one to the other; where keys stand does not count.
    pub change: Change,
}

impl Runtime {
    /// The state at a place.
    pub async fn state_at(&self, account: &Id, place: StateAddress) -> RuntimeResult<State> {
        let (account, documents) = (account.clone(), self.documents());
        self.store.read(move |tx| state_at(tx, &documents, &account, &place)).await
    }

    /// How the states at two places differ.
    pub async fn compare(&self, account: &Id, from: StateAddress, to: StateAddress) -> RuntimeResult<Comparison> {
        let (account, documents) = (account.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let from = state_at(tx, &documents, &account, &from)?;
            let to = state_at(tx, &documents, &account, &to)?;
            let change = differences(&from.document, &to.document);
            Ok(Comparison { from, to, change })
        };
        self.store.read(read).await
    }
}

fn state_at(tx: &mut dyn Tx, documents: &Documents, account: &Id, place: &StateAddress) -> StoreResult<State> {
    let at = match place {
        StateAddress::Page(page) => states::of_page(tx, account, page)?,
        StateAddress::Floor(floor) => states::of_floor(tx, account, floor)?,
        StateAddress::Branch(session, branch) => states::newest(tx, account, session, branch)?,
        StateAddress::Snapshot(id) => {
            let snapshot = snapshots::get(tx, account, id)?;
            // A snapshot shows its own version, which may not be the one of its page.
            let found = states::of_snapshot(tx, account, &snapshot)?;
            found.unwrap_or(StateAt {
                session_row: snapshot.session_row,
                snapshot: Some(snapshot.id),
                version_row: Some(snapshot.version_row),
                page: snapshot.page,
                floor: None,
                stale: None,
                outdated: false,
                edited: snapshot.edited,
                inherited: false,
                unprocessed: None,
                asked: None,
            })
        }
    };
    let document = document_of(tx, documents, account, &at)?;
    Ok(State { at, document })
}
