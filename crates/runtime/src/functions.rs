//! The function library: what authors write, and what comes with the program.

use crate::order::{FunctionCopy, FunctionPatch, FunctionScope, NewFunction};
use crate::record::{Condition, LibraryEntry, Listed, Window};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, new_ids, now_ms};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{LibraryFunction, prompt, shipped};
use tavernkeep_engine::prompt::kit;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::functions;
use tavernkeep_store::{StoreError, StoreResult};

/// A function to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionOrder {
    /// The client's own id, or none for a fresh one.
    pub id: Option<Id>,
    /// Whether it counts at once.
    pub enabled: bool,
    /// What it is.
    pub function: LibraryFunction,
}

/// A function of a file that was imported.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedFunction {
    /// The function, disabled.
    pub entry: LibraryEntry,
    /// What is wrong with its code. It cannot be enabled before that is changed.
    pub code_error: Option<String>,
}

impl Runtime {
    /// Puts a function into a scope.
    pub async fn create_function(
        &self,
        account: &Id,
        scope: FunctionScope,
        order: FunctionOrder,
    ) -> RuntimeResult<LibraryEntry> {
        self.check_function(account, &order.function).await?;
        let id = order.id.map_or_else(new_id, Ok)?;
        let new = [NewFunction { id: id.clone(), enabled: order.enabled, function: order.function }];
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            functions::create(tx, &owner, &scope, &new, now)?;
            functions::entry(tx, &owner, &scope, &id)
        };
        let entry = self.write(account, write).await?;
        self.with_conflicts(account, entry).await
    }

    /// Puts functions of a file into a scope: all of them or none, with new ids, and disabled.
    pub async fn import_functions(
        &self,
        account: &Id,
        scope: FunctionScope,
        file: Vec<LibraryFunction>,
    ) -> RuntimeResult<Vec<ImportedFunction>> {
        self.check_patterns(account, &file).await?;
        let errors = self.code_errors(account, &file).await?;
        let ids = new_ids(file.len())?;
        let new: Vec<NewFunction> =
            ids.into_iter().zip(file).map(|(id, function)| NewFunction { id, enabled: false, function }).collect();
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            let made = functions::create(tx, &owner, &scope, &new, now)?;
            let mut entries = functions::entries(tx, &owner, &scope)?;
            entries.retain(|entry| made.iter().any(|made| made.id == entry.id));
            entries.sort_by_key(|entry| made.iter().position(|made| made.id == entry.id));
            Ok(entries)
        };
        let entries: Vec<LibraryEntry> = self.write(account, write).await?;
        let entries = self.all_with_conflicts(account, entries).await?;
        let imported = entries.into_iter().zip(errors);
        Ok(imported.map(|(entry, code_error)| ImportedFunction { entry, code_error }).collect())
    }

    /// Lists the library of a scope.
    pub async fn functions(
        &self,
        account: &Id,
        scope: FunctionScope,
        window: Window,
    ) -> RuntimeResult<Listed<LibraryEntry>> {
        let mut entries = self.library(account, scope).await?;
        if !window.ascending {
            entries.reverse();
        }
        let total = window.total.then(|| i64::try_from(entries.len()).unwrap_or(i64::MAX));
        let offset = usize::try_from(window.offset).unwrap_or(usize::MAX);
        Ok(Listed::cut(entries.into_iter().skip(offset).collect(), window, total))
    }

    /// Everything in the library of a scope. It is bounded by the limits of a scope.
    pub async fn library(&self, account: &Id, scope: FunctionScope) -> RuntimeResult<Vec<LibraryEntry>> {
        let owner = account.clone();
        let read = move |tx: &mut dyn Tx| {
            let mut entries = functions::entries(tx, &owner, &scope)?;
            functions::find_conflicts(tx, &owner, &scope, &mut entries)?;
            Ok(entries)
        };
        self.store.read(read).await
    }

    /// Reads a function; one that comes with the program as it stands in a scope.
    pub async fn function(&self, account: &Id, scope: FunctionScope, id: &Id) -> RuntimeResult<LibraryEntry> {
        let (owner, id) = (account.clone(), id.clone());
        let entry = self.store.read(move |tx| functions::entry(tx, &owner, &scope, &id)).await?;
        self.with_conflicts(account, entry).await
    }

    /// Changes a function. One that comes with the program can only be switched, in a scope.
    pub async fn update_function(
        &self,
        account: &Id,
        scope: FunctionScope,
        id: &Id,
        patch: FunctionPatch,
        condition: Condition,
    ) -> RuntimeResult<LibraryEntry> {
        let is_shipped = shipped().iter().any(|shipped| shipped.id == id.as_str());
        // Code that came with a file is looked at when it is switched on.
        let executor = match &patch.executor {
            None if patch.enabled == Some(true) && !is_shipped => {
                self.function(account, scope.clone(), id).await.ok().map(|entry| entry.function.executor)
            }
            executor => executor.clone(),
        };
        let pattern = patch.pattern.clone().flatten();
        self.check_function(account, &LibraryFunction::of_code(pattern, executor.unwrap_or_default())).await?;
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| -> StoreResult<LibraryEntry> {
            match patch.enabled.filter(|_| is_shipped && patch.only_switches()) {
                Some(enabled) => functions::put_switch(tx, &owner, &scope, &id, enabled, condition, now)?,
                None => drop(functions::update(tx, &owner, &id, &patch, condition, now)?),
            }
            functions::entry(tx, &owner, &scope, &id)
        };
        let entry = self.write(account, write).await?;
        self.with_conflicts(account, entry).await
    }

    /// Deletes a function.
    pub async fn delete_function(&self, account: &Id, id: &Id, condition: Condition) -> RuntimeResult<()> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.write(account, move |tx| functions::delete(tx, &owner, &id, condition, now)).await
    }

    /// Copies a function to a scope, disabled; also one that comes with the program.
    pub async fn copy_function(
        &self,
        account: &Id,
        id: &Id,
        scope: FunctionScope,
        name: Option<String>,
    ) -> RuntimeResult<LibraryEntry> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        let copy = FunctionCopy { id: new_id()?, scope, name };
        let write = move |tx: &mut dyn Tx| {
            functions::copy(tx, &owner, &id, &copy, now)?;
            functions::entry(tx, &owner, &copy.scope, &copy.id)
        };
        let entry = self.write(account, write).await?;
        self.with_conflicts(account, entry).await
    }

    /// Moves a function to another scope.
    pub async fn move_function(
        &self,
        account: &Id,
        id: &Id,
        scope: FunctionScope,
        condition: Condition,
    ) -> RuntimeResult<LibraryEntry> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            functions::move_to(tx, &owner, &id, &scope, condition, now)?;
            functions::entry(tx, &owner, &scope, &id)
        };
        let entry = self.write(account, write).await?;
        self.with_conflicts(account, entry).await
    }

    /// Puts the functions that authors wrote into another order: all of a scope, each once.
    pub async fn reorder_functions(
        &self,
        account: &Id,
        scope: FunctionScope,
        ids: Vec<Id>,
    ) -> RuntimeResult<Vec<LibraryEntry>> {
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            functions::reorder(tx, &owner, &scope, &ids, now)?;
            let mut entries = functions::entries(tx, &owner, &scope)?;
            entries.retain(|entry| ids.contains(&entry.id));
            Ok(entries)
        };
        let entries = self.write(account, write).await?;
        self.all_with_conflicts(account, entries).await
    }

    /// Functions for a file: the named ones in their order, or all that authors wrote in a scope.
    pub async fn exported_functions(
        &self,
        account: &Id,
        scope: FunctionScope,
        ids: Option<Vec<Id>>,
    ) -> RuntimeResult<Vec<LibraryEntry>> {
        let owner = account.clone();
        let read = move |tx: &mut dyn Tx| {
            let mut entries = functions::entries(tx, &owner, &scope)?;
            let Some(ids) = ids else {
                entries.retain(|entry| entry.created_at.is_some());
                return Ok(entries);
            };
            let named = |id: &Id| {
                let found = entries.iter().find(|entry| entry.id == *id).cloned();
                found.ok_or_else(|| Refusal::FunctionNotFound(id.clone()).into())
            };
            ids.iter().map(named).collect()
        };
        self.store.read(read).await
    }

    /// What a prompt says of the functions that a model may call in sessions of a scope.
    pub async fn function_prompt(&self, account: &Id, scope: FunctionScope) -> RuntimeResult<String> {
        let owner = account.clone();
        let read = move |tx: &mut dyn Tx| {
            let mut used = functions::in_use(tx, &owner, &scope)?;
            if let FunctionScope::Character(character) = &scope {
                let profile = functions::profile_of(tx, &owner, character)?;
                used.retain(|function| kit::is_read(&profile, function));
            }
            Ok(used)
        };
        Ok(prompt(&self.store.read(read).await?))
    }

    async fn with_conflicts(&self, account: &Id, entry: LibraryEntry) -> RuntimeResult<LibraryEntry> {
        let found = self.all_with_conflicts(account, vec![entry]).await?.pop();
        found.ok_or_else(|| RuntimeError::Bug("a function is lost".into()))
    }

    /// Functions of one scope with the conflicts that they have now. They are found after a write and not within it: patterns are tried
    /// on samples, which takes time.
    async fn all_with_conflicts(&self, account: &Id, entries: Vec<LibraryEntry>) -> RuntimeResult<Vec<LibraryEntry>> {
        let Some(first) = entries.first() else { return Ok(entries) };
        let scope = first.character.clone().map_or(FunctionScope::Global, FunctionScope::Character);
        let owner = account.clone();
        let read = move |tx: &mut dyn Tx| {
            let mut entries = entries.clone();
            match functions::find_conflicts(tx, &owner, &scope, &mut entries) {
                // The answer to a repeated request; its character is gone by now.
                Ok(()) | Err(StoreError::Refused(Refusal::CharacterNotFound(_))) => Ok(entries),
                Err(error) => Err(error),
            }
        };
        self.store.read(read).await
    }
}
