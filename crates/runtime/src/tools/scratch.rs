//! What people do with the scratchpad of a session.

use crate::{Refusal, Runtime, RuntimeResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::tools::listing::Filter;
use tavernkeep_engine::tools::scratchpad::{NotRemoved, PadError};
use tavernkeep_engine::tools::variable::{Unwritable, VarType, Variable, VariablePatch};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tools::clock;
use tavernkeep_store::tools::pad::PadView;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::types::record::EventKind;

/// A person's write to the scratchpad.
pub type ScratchPatch = VariablePatch;

impl Runtime {
    /// The scratchpad of a session, the last visited variables first.
    pub async fn scratchpad(&self, account: &Id, session: &Id, filter: Filter) -> RuntimeResult<Vec<Variable>> {
        let row = self.session_tools(account, session).await?.stamp.session_row;
        let (account, rules) = (account.clone(), self.tools.rules());
        let read = move |tx: &mut dyn Tx| PadView::new(tx, SessionKey::new(&account, row), &rules)?.all();
        Ok(filter.select(self.store.read(read).await?))
    }

    /// One variable of the scratchpad, without a trace.
    pub async fn scratch_variable(&self, account: &Id, session: &Id, name: &str) -> RuntimeResult<(Variable, String)> {
        let row = self.session_tools(account, session).await?.stamp.session_row;
        let (owner, rules, wanted) = (account.clone(), self.tools.rules(), name.to_owned());
        let read = move |tx: &mut dyn Tx| PadView::new(tx, SessionKey::new(&owner, row), &rules)?.get(&wanted);
        let found = self.store.read(read).await?;
        found.ok_or_else(|| Refusal::ScratchVariableNotFound(name.to_owned()).into())
    }

    /// A person writes a variable: `USER_ADD` if it is new. Rules are refused. Returns whether it is new.
    pub async fn put_scratch_variable(
        &self,
        account: &Id,
        session: &Id,
        name: &str,
        patch: ScratchPatch,
    ) -> RuntimeResult<bool> {
        self.write_scratch(account, session, name, patch, VarType::UserAdd).await
    }

    async fn write_scratch(
        &self,
        account: &Id,
        session: &Id,
        name: &str,
        patch: ScratchPatch,
        kind: VarType,
    ) -> RuntimeResult<bool> {
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let name = name.to_owned();
        self.write(account, move |tx| {
            clock::with_tools(tx, &owner, &chat, now, &rules, |tx, clock| {
                let (name, patch) = (name.clone(), patch.clone());
                let is_new = clock.pad(tx, |pad| pad.peek_meta(&name).map_err(PadError::Rows))?.is_none();
                // A page's text is untrusted whatever had its name before; a person's value does not change the type.
                let takes_type = is_new || kind == VarType::MessageCache;
                let patch = VariablePatch { kind: takes_type.then_some(kind), ..patch };
                clock.pad(tx, |pad| match pad.write(&name, patch) {
                    Err(PadError::Unwritable(Unwritable::Incomplete)) => {
                        Err(PadError::Rows(Refusal::ScratchVariableNotFound(name.clone()).into()))
                    }
                    other => other,
                })?;
                let detail = serde_json::json!({ "name": name }).to_string();
                clock.emit(tx, EventKind::ScratchpadChanged, clock.session(), &detail)?;
                Ok(is_new)
            })
        })
        .await
    }

    /// Removes a variable of the scratchpad.
    pub async fn delete_scratch_variable(&self, account: &Id, session: &Id, name: &str) -> RuntimeResult<()> {
        let (owner, chat, rules, now) = (account.clone(), session.clone(), self.tools.rules(), self.tools.now());
        let name = name.to_owned();
        self.write(account, move |tx| {
            clock::with_tools(tx, &owner, &chat, now, &rules, |tx, clock| {
                let removed = clock.pad(tx, |pad| pad.remove(std::slice::from_ref(&name)).map_err(PadError::Rows))?;
                match removed.failed.first() {
                    Some((_, NotRemoved::NotFound)) => Err(Refusal::ScratchVariableNotFound(name.clone()).into()),
                    Some((_, NotRemoved::Rule)) => Err(Refusal::RuleProtected(name.clone()).into()),
                    None => {
                        let detail = serde_json::json!({ "name": name, "deleted": true }).to_string();
                        clock.emit(tx, EventKind::ScratchpadChanged, clock.session(), &detail)
                    }
                }
            })
        })
        .await
    }

    /// Puts the text of a page on the scratchpad as `MessageCache`; returns the variable's name.
    pub async fn cache_message(&self, account: &Id, session: &Id, page: &Id) -> RuntimeResult<String> {
        self.check_page(account, session, Some(page)).await?;
        let found = self.page(account, page).await?;
        let name = format!("Message_{page}");
        let patch = VariablePatch {
            value: Some(found.content.unwrap_or_default()),
            desc: Some(format!("Text of the page {page}")),
            ..VariablePatch::default()
        };
        self.write_scratch(account, session, &name, patch, VarType::MessageCache).await?;
        Ok(name)
    }
}
