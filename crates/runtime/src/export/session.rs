//! A session of an export: how far it is exported, the next part, and the way around a line that is damaged.

use crate::documents::Documents;
use crate::now_ms;
use std::collections::BTreeSet;
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::story::Hash;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::upkeep::export::session::{self, ExportedFloors, Outline, VariablePosition};
use tavernkeep_store::upkeep::export::{Item, tools};

/// States in one part, and about how many bytes of them: each may be as large as a document can be.
const SNAPSHOTS_READ: usize = 16;
const SNAPSHOT_BYTES_READ: usize = 4 * 1024 * 1024;

/// Calls in one part. The result of each may be as large as a variable can be.
const CALLS_READ: usize = 16;

/// How far a session is exported.
#[derive(Clone)]
pub(super) struct SessionCursor {
    pub session: Id,
    pub session_row: i64,
    pub outline: Arc<Outline>,
    pub next: Next,
    /// Whether lines are read one by one, since one of the next ones is damaged.
    pub careful: bool,
}

/// What comes next of a session.
#[derive(Clone)]
pub(super) enum Next {
    Floors(ExportedFloors),
    /// What was staged on this one of the pages that have something staged.
    Staged(usize),
    /// The edits of this one of the pages that have some.
    Edits(usize),
    Variables(Option<VariablePosition>),
    /// What states were computed with.
    Recipes,
    /// The states behind a page's, and what those and the others were computed with.
    States(i64, BTreeSet<Hash>),
    /// Groups, settings and decisions of its tools.
    Tools,
    /// The names of the variables of its scratchpad.
    ScratchpadNames,
    /// This one of the variables of the scratchpad.
    Scratchpad(Arc<Vec<String>>, usize),
    /// The calls behind this one.
    Calls(i64),
}

/// The kind of a line, and which one it is.
type Name = (&'static str, Option<String>);

impl SessionCursor {
    pub fn new(session: Id, session_row: i64, outline: Outline) -> Self {
        let next = Next::Floors(ExportedFloors::default());
        SessionCursor { session, session_row, outline: Arc::new(outline), next, careful: false }
    }

    fn rows(&self) -> (i64, i64) {
        (self.session_row, self.outline.last_row)
    }

    fn behind_floors(&self, position: ExportedFloors) -> Next {
        if position.floors >= self.outline.floors.len() { Next::Staged(0) } else { Next::Floors(position) }
    }

    /// The next part, of at most so many lines, and what comes behind it.
    pub fn read(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        documents: &Documents,
        most: usize,
    ) -> StoreResult<(Vec<Item>, Option<Next>)> {
        let Outline { floors, staged, edited, .. } = &*self.outline;
        let rows = self.rows();
        let names = (&self.session, self.session_row);
        let at_most = |usual: usize| i64::try_from(usual.min(most)).unwrap_or(i64::MAX);
        Ok(match &self.next {
            Next::Floors(position) => {
                let (items, position) = session::floors(tx, account, rows, floors, *position, most)?;
                (items, Some(self.behind_floors(position)))
            }
            Next::Staged(at) => match staged.get(*at) {
                Some(page) => (session::staged(tx, account, page)?.into_iter().collect(), Some(Next::Staged(at + 1))),
                None => (Vec::new(), Some(Next::Edits(0))),
            },
            Next::Edits(at) => match edited.get(*at) {
                Some(page) => (session::edits(tx, account, page)?.into_iter().collect(), Some(Next::Edits(at + 1))),
                None => (Vec::new(), Some(Next::Variables(None))),
            },
            Next::Variables(after) => {
                let (items, last) = session::variables(tx, account, rows, after.as_ref(), at_most(usize::MAX))?;
                (items, Some(last.map_or(Next::Recipes, |last| Next::Variables(Some(last)))))
            }
            Next::Recipes => {
                let items = session::recipes(tx, account, names)?;
                let hash = |item: &Item| match item {
                    Item::Recipe(_, hash, _) => Some(*hash),
                    _ => None,
                };
                let known = items.iter().filter_map(hash).collect();
                (items, Some(Next::States(0, known)))
            }
            Next::States(after, known) => {
                self.states(tx, account, documents, *after, known.clone(), at_most(SNAPSHOTS_READ))?
            }
            Next::Tools => {
                (tools::settings_of(tx, account, &self.session, self.session_row)?, Some(Next::ScratchpadNames))
            }
            Next::ScratchpadNames => {
                let names = tools::names(tx, account, self.session_row)?;
                (Vec::new(), Some(Next::Scratchpad(Arc::new(names), 0)))
            }
            Next::Scratchpad(names, at) => match names.get(*at) {
                Some(name) => {
                    let item = tools::variable(tx, account, &self.session, self.session_row, name)?;
                    (item.into_iter().collect(), Some(Next::Scratchpad(Arc::clone(names), at + 1)))
                }
                None => (Vec::new(), Some(Next::Calls(0))),
            },
            Next::Calls(after) => {
                let most = at_most(CALLS_READ);
                let (items, last) = tools::calls(tx, account, self.session_row, *after, most, now_ms())?;
                (items, last.map(Next::Calls))
            }
        })
    }

    /// The next states. Where one was recomputed since, with something else, that comes before it.
    fn states(
        &self,
        tx: &mut dyn Tx,
        account: &Id,
        documents: &Documents,
        after: i64,
        mut known: BTreeSet<Hash>,
        most: i64,
    ) -> StoreResult<(Vec<Item>, Option<Next>)> {
        let kept = session::snapshots(tx, account, &self.session, self.rows(), after, most)?;
        if kept.is_empty() {
            return Ok((Vec::new(), Some(Next::Tools)));
        }
        let mut items = Vec::with_capacity(kept.len());
        let (mut last, mut bytes) = (after, 0);
        for snapshot in kept {
            if known.insert(snapshot.recipe) {
                items.extend(session::recipe(tx, account, (&self.session, self.session_row), &snapshot.recipe)?);
            }
            let loaded = documents.load(tx, SessionKey::new(account, self.session_row), snapshot.version_row)?;
            last = snapshot.page_row;
            bytes += loaded.document.weight();
            items.push(Item::Snapshot(Box::new(snapshot), loaded.document));
            if bytes >= SNAPSHOT_BYTES_READ {
                break;
            }
        }
        Ok((items, Some(Next::States(last, known))))
    }

    /// Names the next line without reading what it holds, and what comes behind it.
    pub fn skip(&self, tx: &mut dyn Tx, account: &Id) -> StoreResult<(Name, Option<Next>)> {
        let Outline { floors, staged, edited, .. } = &*self.outline;
        let of_page = |pages: &[Id], at: usize| pages.get(at).map(ToString::to_string);
        Ok(match &self.next {
            Next::Floors(position) => {
                let (name, position) = session::floor_line(tx, account, self.rows(), floors, *position)?;
                (name, Some(self.behind_floors(position)))
            }
            Next::Staged(at) if *at < staged.len() => {
                (("staged_writes", of_page(staged, *at)), Some(Next::Staged(at + 1)))
            }
            Next::Edits(at) if *at < edited.len() => (("page_edits", of_page(edited, *at)), Some(Next::Edits(at + 1))),
            Next::Variables(after) => match session::next_variable(tx, account, self.rows(), after.as_ref())? {
                Some((id, position)) => (("variable", Some(id)), Some(Next::Variables(Some(position)))),
                None => self.skip_kind(),
            },
            Next::States(after, known) => {
                let next = session::snapshots(tx, account, &self.session, self.rows(), *after, 1)?.pop();
                match next {
                    Some(state) => {
                        (("snapshot", Some(state.id.to_string())), Some(Next::States(state.page_row, known.clone())))
                    }
                    None => self.skip_kind(),
                }
            }
            Next::Scratchpad(names, at) if *at < names.len() => {
                let name = names.get(*at).cloned();
                (("scratchpad_variable", name), Some(Next::Scratchpad(Arc::clone(names), at + 1)))
            }
            Next::Calls(after) => match tools::next_call(tx, account, self.session_row, *after)? {
                Some((id, row)) => (("call", Some(id)), Some(Next::Calls(row))),
                None => self.skip_kind(),
            },
            // Behind the last line of a kind comes the next kind, even if nothing can be read any more.
            Next::Staged(_) | Next::Edits(_) | Next::Scratchpad(..) => self.skip_kind(),
            Next::Recipes | Next::Tools | Next::ScratchpadNames => self.skip_kind(),
        })
    }

    /// Leaves out the rest of what comes next: of a floor, or of a kind of lines.
    pub fn skip_kind(&self) -> (Name, Option<Next>) {
        match &self.next {
            Next::Floors(position) => {
                let floor = self.outline.floors.get(position.floors).map(ToString::to_string);
                let behind = ExportedFloors { floors: position.floors + 1, page: None };
                (("floor", floor), Some(self.behind_floors(behind)))
            }
            Next::Staged(_) => (("staged_writes", None), Some(Next::Edits(0))),
            Next::Edits(_) => (("page_edits", None), Some(Next::Variables(None))),
            Next::Variables(_) => (("variable", None), Some(Next::Recipes)),
            Next::Recipes => (("recipe", None), Some(Next::States(0, BTreeSet::new()))),
            Next::States(..) => (("snapshot", None), Some(Next::Tools)),
            Next::Tools => (("tool_settings", None), Some(Next::ScratchpadNames)),
            Next::ScratchpadNames | Next::Scratchpad(..) => (("scratchpad_variable", None), Some(Next::Calls(0))),
            Next::Calls(_) => (("call", None), None),
        }
    }
}
