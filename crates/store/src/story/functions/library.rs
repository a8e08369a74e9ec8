//! The library as people see it: what authors wrote and what comes with the program. The conflicts of each are found in a read of
//! their own: patterns are tried on samples, and a write keeps others waiting.

use super::{GLOBAL_ROW, Switch, get, of_scope, scope_row, switches_of};
use crate::tree::clock;
use crate::tree::prelude::*;
use crate::types::order::FunctionScope;
use crate::types::record::{Function, FunctionOrigin, LibraryEntry};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::library::{LibraryFunction, Peer, conflicts, not_read};
use tavernkeep_engine::profile::Profile;

impl LibraryEntry {
    /// When it last changed; none for what is as it came.
    pub fn updated_at(&self) -> Option<i64> {
        (self.revision > 0).then(|| clock::millis(self.revision))
    }
}

/// Everything in the library of a scope: the built-in functions, the starters, then what authors wrote, in the order in which it
/// runs. A built-in function that the account switched off is off for a character too. Without conflicts.
pub fn entries(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<LibraryEntry>> {
    let rows = ScopeRows::read(tx, account, scope)?;
    let mut entries = rows.entries()?;
    for entry in entries.iter_mut().filter(|entry| entry.origin == FunctionOrigin::BuiltIn) {
        entry.enabled = rows.has_builtin(entry.id.as_str());
        entry.revision = rows.builtin_revision(entry.id.as_str());
    }
    Ok(entries)
}

/// The same with what the scope itself says about built-in functions, whatever the account does: for an export.
pub fn own_entries(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<LibraryEntry>> {
    ScopeRows::read(tx, account, scope)?.entries()
}

/// Finds the conflicts of functions of one scope with what counts there now. For reads only.
pub fn find_conflicts(
    tx: &mut dyn Tx,
    account: &Id,
    scope: &FunctionScope,
    entries: &mut [LibraryEntry],
) -> StoreResult<()> {
    let rows = ScopeRows::read(tx, account, scope)?;
    let peers = rows.peers();
    let profile = match &rows.character {
        Some(character) => Some(profile_of(tx, account, character)?),
        None => None,
    };
    // A built-in function gives way without anybody's doing.
    for entry in entries.iter_mut().filter(|entry| entry.enabled && entry.origin != FunctionOrigin::BuiltIn) {
        let of = Peer { id: entry.id.as_str(), function: &entry.function, local: rows.character.is_some() };
        entry.conflicts = conflicts(of, &peers);
        entry.conflicts.extend(profile.as_ref().and_then(|profile| not_read(&entry.function, &profile.dialects)));
    }
    Ok(())
}

/// The profile of a character's sessions, where they have none of their own.
pub fn profile_of(tx: &mut dyn Tx, account: &Id, character: &Id) -> StoreResult<Profile> {
    let sql = sql!(
        "SELECT d.body FROM character c
         JOIN character_story t ON t.account_id = c.account_id AND t.character_row = c.character_row
         JOIN definition d ON d.account_id = t.account_id AND d.hash = t.profile_hash
         WHERE c.account_id = ?1 AND c.id = ?2"
    );
    let text = first(tx, sql, params![account, character], |row| codec::decode_json(row.bytes(0)?))?;
    // A profile that this program does not know any more is the default one, as it is for turns.
    Ok(text.and_then(|text| Profile::read(&Value::from(&text)).ok()).unwrap_or_default())
}

/// One of them. An author's function is found in any scope, a shipped one in the given scope.
pub fn entry(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope, id: &Id) -> StoreResult<LibraryEntry> {
    let is_shipped = tavernkeep_engine::library::shipped().iter().any(|shipped| shipped.id == id.as_str());
    let own = if is_shipped { None } else { Some(get(tx, account, id)?) };
    let scope = match own {
        Some(function) => function.character.map_or(FunctionScope::Global, FunctionScope::Character),
        None => scope.clone(),
    };
    let found = entries(tx, account, &scope)?.into_iter().find(|entry| entry.id == *id);
    found.ok_or_else(|| Refusal::FunctionNotFound(id.clone()).into())
}

/// The functions that count for sessions of a scope, those of the account and of the program included: the built-in ones first,
/// each name once.
pub fn in_use(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<Vec<LibraryFunction>> {
    let rows = ScopeRows::read(tx, account, scope)?;
    let mut used: Vec<&Peer<'_>> = Vec::new();
    let peers = rows.peers();
    // The character's own come first among the peers, the built-in functions last: the first of a name counts.
    for peer in &peers {
        let same = |other: &&Peer<'_>| {
            other.function.kind == peer.function.kind && other.function.has_name(&peer.function.name)
        };
        if !used.iter().any(same) {
            used.push(peer);
        }
    }
    let is_builtin = |peer: &&&Peer<'_>| rows.is_builtin(peer.id);
    let builtins = used.iter().filter(is_builtin);
    let others = used.iter().filter(|peer| !rows.is_builtin(peer.id));
    Ok(builtins.chain(others).map(|peer| peer.function.clone()).collect())
}

/// What a scope is made of.
struct ScopeRows {
    character: Option<Id>,
    own: Vec<Function>,
    /// What comes with the program, and how it is switched here.
    shipped: Vec<Switch>,
    /// The same of the account, for the scope of a character.
    global: Option<(Vec<Function>, Vec<Switch>)>,
}

impl ScopeRows {
    fn read(tx: &mut dyn Tx, account: &Id, scope: &FunctionScope) -> StoreResult<ScopeRows> {
        let row = scope_row(tx, account, scope)?;
        let (own, shipped) = (of_scope(tx, account, row)?, switches_of(tx, account, row)?);
        let (character, global) = match scope {
            FunctionScope::Global => (None, None),
            FunctionScope::Character(id) => {
                let global = (of_scope(tx, account, GLOBAL_ROW)?, switches_of(tx, account, GLOBAL_ROW)?);
                (Some(id.clone()), Some(global))
            }
        };
        Ok(ScopeRows { character, own, shipped, global })
    }

    /// The library of the scope, as the scope itself switches it.
    fn entries(&self) -> StoreResult<Vec<LibraryEntry>> {
        let shipped = self.shipped.iter().map(|(shipped, enabled, revision)| {
            let origin = if shipped.builtin { FunctionOrigin::BuiltIn } else { FunctionOrigin::Starter };
            Ok(LibraryEntry {
                id: stored_id(&shipped.id)?,
                character: self.character.clone(),
                origin,
                enabled: *enabled,
                function: shipped.function.clone(),
                created_at: None,
                revision: *revision,
                conflicts: Vec::new(),
            })
        });
        let own = self.own.iter().cloned().map(|own| {
            let Function { id, character, enabled, function, created_at, revision } = own;
            let (origin, created_at, conflicts) = (FunctionOrigin::Own, Some(created_at), Vec::new());
            Ok(LibraryEntry { id, character, origin, enabled, function, created_at, revision, conflicts })
        });
        shipped.chain(own).collect()
    }

    /// Everything that counts here: the scope's own, the account's, and what comes with the program.
    fn peers(&self) -> Vec<Peer<'_>> {
        let local = self.character.is_some();
        let mut peers: Vec<Peer<'_>> = enabled(&self.own, local).collect();
        peers.extend(starters(&self.shipped, local));
        if let Some((global, switches)) = &self.global {
            peers.extend(enabled(global, false));
            let is_new = |peer: &Peer<'_>| !peers.iter().any(|other| other.id == peer.id);
            let starters: Vec<Peer<'_>> = starters(switches, false).into_iter().filter(is_new).collect();
            peers.extend(starters);
        }
        let builtins = self.shipped.iter().filter(|(shipped, ..)| shipped.builtin && self.has_builtin(&shipped.id));
        peers.extend(builtins.map(|(shipped, ..)| Peer { id: &shipped.id, function: &shipped.function, local: false }));
        peers
    }

    /// Whether a built-in function counts here: neither the scope nor the account has switched it off.
    fn has_builtin(&self, id: &str) -> bool {
        let on = |switches: &[Switch]| switches.iter().any(|(it, on, _)| it.id == id && *on);
        on(&self.shipped) && self.global.as_ref().is_none_or(|(_, switches)| on(switches))
    }

    /// The revision of what says whether a built-in function counts here.
    fn builtin_revision(&self, id: &str) -> i64 {
        let global = self.global.iter().flat_map(|(_, switches)| switches);
        let own = self.shipped.iter().chain(global).filter(|(shipped, ..)| shipped.id == id);
        own.map(|(.., revision)| *revision).max().unwrap_or_default()
    }

    fn is_builtin(&self, id: &str) -> bool {
        self.shipped.iter().any(|(shipped, ..)| shipped.builtin && shipped.id == id)
    }
}

fn enabled(functions: &[Function], local: bool) -> impl Iterator<Item = Peer<'_>> {
    let enabled = functions.iter().filter(|function| function.enabled);
    enabled.map(move |own| Peer { id: own.id.as_str(), function: &own.function, local })
}

fn starters(switches: &[Switch], local: bool) -> Vec<Peer<'static>> {
    let on = switches.iter().filter(|(shipped, enabled, _)| *enabled && !shipped.builtin);
    on.map(|(shipped, ..)| Peer { id: &shipped.id, function: &shipped.function, local }).collect()
}
