//! Who set a value: the version that made it what it is, and the command, the hand or the template behind that.

use crate::story::document_of;
use crate::{Runtime, RuntimeResult};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::BLAME_VERSIONS_MAX;
use tavernkeep_engine::op::Op;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_engine::trace::Trace;
use tavernkeep_engine::turn::{CommandResult, StoredOutcome};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::origins::{LineToPage, Origin};
use tavernkeep_store::story::states::{self, StateAt};
use tavernkeep_store::story::versions::{self, Link};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::{StoreError, StoreResult};

/// Who set a value.
#[derive(Debug, Clone)]
pub struct Blame {
    /// The state that was asked about.
    pub at: StateAt,
    /// The value; none where there is none.
    pub value: Option<Value>,
    /// Who set it.
    pub source: BlameSource,
}

/// Who set a value, or took it away.
#[derive(Debug, Clone)]
pub enum BlameSource {
    /// The story began with it.
    Template,
    /// There is no such value, and none was removed.
    Absent,
    /// It is older than what was looked at: ask on at the page, if it is still there.
    Earlier(Option<Id>),
    /// A version.
    Version(Box<BlameEntry>),
}

/// What made a value what it is.
#[derive(Debug, Clone)]
pub struct BlameEntry {
    /// When: the time of the turn or of the edit, in ms since 1970.
    pub at: i64,
    /// Whether it was done by hand.
    pub by_hand: bool,
    /// The page, unless it is gone.
    pub page: Option<Origin>,
    /// What was done.
    pub op: Op,
    /// The command behind it; none for an edit, for what a turn does by itself, and where the text is another one now.
    pub command: Option<CommandResult>,
    /// The name of the function behind it, of one that a command called or that ran by itself.
    pub function: Option<String>,
}

/// Versions that are read at once.
const CHUNK: i64 = 64;

impl Runtime {
    /// Finds what made the value at a path of a page's state what it is, or took it away. The last op counts that touched
    /// the value, what holds it, or a part of it.
    pub async fn blame(&self, account: &Id, page: &Id, path: WrittenPath) -> RuntimeResult<Blame> {
        let (owner, page, documents) = (account.clone(), page.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let at = states::of_page(tx, &owner, &page)?;
            let document = document_of(tx, &documents, &owner, &at)?;
            let value = path.find(&document).cloned();
            let trace = Trace::of(&document, path.on(&document));
            let line = LineToPage::read(tx, SessionKey::new(&owner, at.session_row), &page)?;
            let found = search(tx, &owner, (&at, &line), trace, BLAME_VERSIONS_MAX)?;
            Ok((Blame { at, value, source: BlameSource::Template }, found))
        };
        let (blame, found) = self.store.read(read).await?;
        let source = match found {
            BlameSearch::Nothing if blame.value.is_none() => BlameSource::Absent,
            BlameSearch::Nothing => BlameSource::Template,
            BlameSearch::Earlier(page) => BlameSource::Earlier(page),
            BlameSearch::Entry(entry) => BlameSource::Version(entry),
        };
        Ok(Blame { source, ..blame })
    }
}

enum BlameSearch {
    Nothing,
    Earlier(Option<Id>),
    Entry(Box<BlameEntry>),
}

fn search(
    tx: &mut dyn Tx,
    account: &Id,
    (at, line): (&StateAt, &LineToPage),
    mut trace: Trace,
    versions_max: usize,
) -> StoreResult<BlameSearch> {
    let session = SessionKey::new(account, at.session_row);
    let mut from = at.version_row;
    let mut seen = 0;
    while let Some(version_row) = from {
        let links = versions::back(tx, session, version_row, CHUNK)?;
        from = links.last().and_then(|link| link.parent_row);
        for link in links {
            if seen == versions_max {
                let hash = versions::made_of(tx, session, link.version_row)?.text_hash;
                let page = line.origin(tx, session, &link, hash)?;
                return Ok(BlameSearch::Earlier(page.map(|page| page.page)));
            }
            seen += 1;
            if let Some(number) = trace.back(&link.change) {
                return entry(tx, session, line, &link, number);
            }
        }
    }
    Ok(BlameSearch::Nothing)
}

/// Describes an op that the trace found in a change: `number` is its place there.
fn entry(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    line: &LineToPage,
    link: &Link,
    number: usize,
) -> StoreResult<BlameSearch> {
    let made_of = versions::made_of(tx, session, link.version_row)?;
    let page = line.origin(tx, session, link, made_of.text_hash)?;
    let by_hand = made_of.is_by_hand(number);
    let at = if by_hand { made_of.made_at() } else { made_of.clock_ms };
    let text = page.as_ref().and_then(|page| page.text.as_deref()).filter(|_| !by_hand);
    let outcome = match by_hand {
        true => None,
        false => versions::outcome(tx, session, link.version_row, text)?,
    };
    let StoredOutcome { results, ran, .. } = outcome.unwrap_or_default();
    let command = results.into_iter().find(|result| result.ops.contains(&number)).filter(|_| text.is_some());
    let function = ran.into_iter().find(|run| run.ops.contains(&number)).map(|run| run.function);
    let missing = || StoreError::Internal("an op was found that the change does not have".into());
    let op = link.change.ops.get(number).cloned().ok_or_else(missing)?;
    Ok(BlameSearch::Entry(Box::new(BlameEntry { at, by_hand, page, op, command, function })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::story;

    #[test]
    fn a_search_ends_where_it_may_go_no_further() {
        let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        threads.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let (keep, _, pages) = story(folder.path(), 5).await;
            let account = Runtime::default_account();
            for (versions_max, wanted) in [(5, None), (4, Some(pages[0].clone())), (2, Some(pages[2].clone()))] {
                let (account, page) = (account.clone(), pages[4].clone());
                let read = move |tx: &mut dyn Tx| {
                    let at = states::of_page(tx, &account, &page)?;
                    let line = LineToPage::read(tx, SessionKey::new(&account, at.session_row), &page)?;
                    let trace = Trace::of(&Value::empty_object(), vec!["never".into()]);
                    search(tx, &account, (&at, &line), trace, versions_max)
                };
                let earlier = match keep.store.read(read).await.unwrap() {
                    BlameSearch::Earlier(page) => page,
                    BlameSearch::Nothing => None,
                    BlameSearch::Entry(..) => panic!("nobody set it"),
                };
                assert_eq!(earlier, wanted, "{versions_max}");
            }
            keep.close().await;
        });
    }
}
