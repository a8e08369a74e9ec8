//! What rule packs keep beside turns: the view of a state, the archive of a line, and summaries that are written outside of a
//! reply.

use crate::edits::{Edited, Edits, NewEdit};
use crate::record::{Condition, Listed, Window};
use crate::story::{State, TRIES_MAX};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult};
use std::collections::VecDeque;
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::{ARCHIVE_PAGES_READ, HISTORY_BYTES_MAX, SUMMARY_BYTES_MAX};
use tavernkeep_engine::packs::{Archived, PackUse, View};
use tavernkeep_engine::profile::Profile;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::archive::{self, ArchivePlace};
use tavernkeep_store::story::settings;
use tavernkeep_store::tree::{MAIN_BRANCH, SessionKey};

/// The state of a branch as a model is shown it.
#[derive(Debug, Clone)]
pub struct ShownState {
    /// The state.
    pub state: State,
    /// What is shown of it.
    pub view: View,
}

/// Which entries of an archive.
#[derive(Debug, Clone, Default)]
pub struct ArchiveQuery {
    /// The branch, `main` if none.
    pub branch: Option<String>,
    /// Only entries with this text in their key, name or value, in any case.
    pub text: Option<String>,
    /// Only entries from this place, such as `summary.small`.
    pub source: Option<String>,
    /// Only entries under this name, such as that of a world.
    pub name: Option<String>,
}

/// One value that left a document.
#[derive(Debug, Clone)]
pub struct ArchiveEntry {
    /// The floor whose turn took it out.
    pub floor: Id,
    /// Its position.
    pub floor_no: i64,
    /// The page.
    pub page: Id,
    /// The time of the turn, in ms since 1970.
    pub at: i64,
    /// Where the value stood.
    pub source: String,
    /// Under which name it is kept; empty where there is none.
    pub name: String,
    /// Its key.
    pub key: Arc<str>,
    /// The value.
    pub value: Value,
}

impl ArchiveQuery {
    fn fits(&self, source: &str, name: &str, key: &str, value: &Value) -> bool {
        let is = |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|wanted| wanted == text);
        is(&self.source, source)
            && is(&self.name, name)
            && self.text.as_ref().is_none_or(|text| {
                let wanted = text.to_lowercase();
                has(key, &wanted) || has(name, &wanted) || holds(value, &wanted)
            })
    }
}

/// Whether a text has another in it, which is in lower case.
fn has(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(wanted)
}

/// Whether a value has a text in it: in one of its texts as they read, without quotes and escapes, or in a key or another value.
fn holds(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => has(text, wanted),
        Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
        Value::Object(members) => members.iter().any(|(key, value)| has(key, wanted) || holds(value, wanted)),
        _ => has(&value.to_json(), wanted),
    }
}

/// An archive that is being read, some pages at a time.
pub struct ArchiveReader {
    runtime: Runtime,
    account: Id,
    session_row: i64,
    query: ArchiveQuery,
    places: VecDeque<ArchivePlace>,
}

impl ArchiveReader {
    /// The next entries that fit, in the order of the story; none at the end.
    pub async fn next(&mut self) -> RuntimeResult<Option<Vec<ArchiveEntry>>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let places: Vec<ArchivePlace> = self.places.drain(..ARCHIVE_PAGES_READ.min(self.places.len())).collect();
        let (account, session_row, wanted) = (self.account.clone(), self.session_row, places.clone());
        let read = move |tx: &mut dyn Tx| archive::entries(tx, SessionKey::new(&account, session_row), &wanted);
        let found = self.runtime.store.read(read).await?;
        let mut entries = Vec::new();
        for (place, archived) in places.iter().zip(found) {
            for Archived { source, name, entries: values } in archived {
                for (key, value) in values.as_object().into_iter().flatten() {
                    if self.query.fits(&source, &name, key, value) {
                        entries.push(ArchiveEntry {
                            floor: place.floor.clone(),
                            floor_no: place.floor_no,
                            page: place.page.clone(),
                            at: place.at,
                            source: source.clone(),
                            name: name.clone(),
                            key: Arc::clone(key),
                            value: value.clone(),
                        });
                    }
                }
            }
        }
        Ok(Some(entries))
    }
}

/// A summary that is written outside of a reply.
#[derive(Debug, Clone, Default)]
pub struct SummaryOrder {
    /// On which branch, `main` if none.
    pub branch: Option<String>,
    /// The text; the configured model writes one if there is none.
    pub text: Option<String>,
    /// Under which key it is kept; place, date and time if there is none.
    pub key: Option<String>,
    /// Why, in the words of who wrote it.
    pub reason: Option<String>,
    /// Whether a model writes one that is not due yet.
    pub force: bool,
}

impl Runtime {
    /// The newest state of a branch as a model is shown it; all of it where the profile uses no rule pack.
    pub async fn memory(&self, account: &Id, session: &Id, branch: Option<&str>) -> RuntimeResult<ShownState> {
        let state = self.newest_state(account, session, branch).await?;
        let profile = self.profile_of(account, state.at.session_row).await?;
        let whole = || View { document: state.document.clone(), due: Vec::new() };
        let view = profile.shown_by_packs(&state.document).unwrap_or_else(whole);
        Ok(ShownState { state, view })
    }

    async fn profile_of(&self, account: &Id, session_row: i64) -> RuntimeResult<Arc<Profile>> {
        let (owner, documents) = (account.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let recipe = settings::read(tx, SessionKey::new(&owner, session_row))?.recipe;
            documents.rules.profiles.load(tx, &owner, recipe.rules)
        };
        self.store.read(read).await
    }

    /// Begins to read the archive of a branch.
    pub async fn read_archive(&self, account: &Id, session: &Id, query: ArchiveQuery) -> RuntimeResult<ArchiveReader> {
        let (owner, session) = (account.clone(), session.clone());
        let branch = query.branch.clone().unwrap_or_else(|| MAIN_BRANCH.to_owned());
        let read = move |tx: &mut dyn Tx| archive::places(tx, &owner, &session, &branch);
        let (session_row, places) = self.store.read(read).await?;
        Ok(ArchiveReader { runtime: self.clone(), account: account.clone(), session_row, query, places: places.into() })
    }

    /// A page of the archive of a branch, by the order of the story.
    pub async fn archive(
        &self,
        account: &Id,
        session: &Id,
        query: ArchiveQuery,
        window: &Window,
    ) -> RuntimeResult<Listed<ArchiveEntry>> {
        let mut reader = self.read_archive(account, session, query).await?;
        let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let (offset, limit) = (size(window.offset), size(window.limit));
        if !window.ascending {
            reader.places.make_contiguous().reverse();
        }
        let (mut seen, mut bytes, mut items) = (0_usize, 0, Vec::new());
        while let Some(mut entries) = reader.next().await? {
            if !window.ascending {
                entries.reverse();
                // Entries of one page were behind each other, too; pages are reversed already.
                entries.sort_by_key(|entry| std::cmp::Reverse(entry.floor_no));
            }
            for entry in entries {
                let fits = seen >= offset && items.len() < limit && (items.is_empty() || bytes < HISTORY_BYTES_MAX);
                if fits {
                    bytes += entry.value.weight();
                    items.push(entry);
                }
                seen += 1;
            }
            if !window.total && seen > offset.saturating_add(limit) {
                break;
            }
        }
        let total = window.total.then(|| i64::try_from(seen).unwrap_or(i64::MAX));
        Ok(Listed { has_more: seen > offset.saturating_add(items.len()), items, total })
    }

    /// Adds a summary to the newest state of a branch, as an edit by hand of its page. The next turn settles it. Without a text
    /// the configured model writes one, if one is due.
    pub async fn summarize(&self, account: &Id, session: &Id, order: SummaryOrder) -> RuntimeResult<Edited> {
        if let Some(edited) = self.stored_response(account).await? {
            return Ok(edited);
        }
        for _ in 0..TRIES_MAX {
            let written = self.written_summary(account, session, order.clone()).await;
            let (shown, read, edit) = written.map_err(|error| self.refuse(error))?;
            // A fork may show the snapshot of a page that it shares; the summary is its own.
            let own = self.snapshot_on(account, &shown, order.branch.as_deref()).await;
            let snapshot = own.map_err(|error| self.refuse(error))?;
            match self.save_snapshot(account, &snapshot, edit, read).await {
                // Another request changed the state, perhaps by a summary of the same: this one comes after it.
                Err(RuntimeError::Refused(Refusal::SnapshotMoved)) => self.try_again(),
                saved => return saved,
            }
        }
        Err(self.refuse(Refusal::SnapshotMoved.into()))
    }

    /// The snapshot that a summary belongs to, as it was read, and the summary as an edit of it.
    async fn written_summary(
        &self,
        account: &Id,
        session: &Id,
        order: SummaryOrder,
    ) -> RuntimeResult<(Id, Condition, NewEdit)> {
        let state = self.newest_state(account, session, order.branch.as_deref()).await?;
        let profile = self.profile_of(account, state.at.session_row).await?;
        if profile.packs.is_empty() {
            return Err(RuntimeError::NoPack);
        }
        let State { at, document } = state;
        let snapshot = at.ids().0.filter(|_| !at.inherited).cloned().ok_or(RuntimeError::NothingToSummarize)?;
        let rules = profile.packs.iter().map(PackUse::rules);
        let found = rules.filter_map(|rules| rules.summary(&document).map(|task| (rules, task))).next();
        let (rules, task) = found.ok_or(RuntimeError::NothingToSummarize)?;
        let (text, reason) = match (order.text, &self.model) {
            (Some(text), _) => (text, order.reason.unwrap_or_else(|| "a summary by hand".to_owned())),
            (None, _) if !task.is_due && !order.force => return Err(RuntimeError::NoSummaryDue),
            (None, None) => return Err(RuntimeError::NoModel),
            (None, Some(_)) if task.notes.is_empty() => return Err(RuntimeError::NothingToSummarize),
            (None, Some(model)) => {
                let text = model.ask(&task.prompt, &task.notes).await?;
                (text, order.reason.unwrap_or_else(|| format!("a summary by the model {}", model.name)))
            }
        };
        let text = &text[..text.floor_char_boundary(SUMMARY_BYTES_MAX)];
        let edit = rules.summary_edit(&document, order.key.as_deref(), text);
        let edit = edit.ok_or(RuntimeError::NothingToSummarize)?;
        let read = at.version_row.map_or(Condition::None, Condition::Revision);
        Ok((snapshot, read, NewEdit { what: Edits::Merge(edit), reason: Some(reason) }))
    }
}

#[cfg(test)]
mod tests {
    use super::holds;
    use tavernkeep_engine::document::Value;

    #[test]
    fn texts_are_searched_as_they_read() {
        let value = Value::parse(r#"{"名": "says \"HELLO\"\nto you", "多": [{"x": 42}, true]}"#).unwrap();
        for wanted in ["says \"hello\"", "\"\nto you", "名", "42", "true"] {
            assert!(holds(&value, wanted), "{wanted:?}");
        }
        assert!(!holds(&value, "\\\"hello") && !holds(&value, "{"));
    }
}
