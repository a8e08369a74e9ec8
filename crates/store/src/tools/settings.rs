//! Which groups and tools a session has, which of them are enabled, and what they may do without asking.

use crate::tools::clock::{self, ProgramRules, RuleVariable, ToolClock};
use crate::tree::prelude::*;
use crate::types::record::EventKind;
use std::collections::BTreeMap;
use tavernkeep_engine::limits::TOOL_GROUPS_MAX;
use tavernkeep_engine::tools::variable::VarType;

/// What a session says about a group or a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setting {
    pub enabled: Option<bool>,
    /// A permission, as JSON.
    pub permission: Option<String>,
}

/// Everything that a session says about its tools, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredConfig {
    /// The defaults of the account, as JSON: those from when the session first used its tools.
    pub defaults: Option<String>,
    pub groups: BTreeMap<String, Setting>,
    pub tools: BTreeMap<String, Setting>,
    /// The declarations of groups that applications registered, as JSON, in the order of registration.
    pub declared: Vec<String>,
}

tavernkeep_engine::stored_enum! {
    /// What a setting is about.
    SettingSubject {
        /// A group of tools.
        Group = "group",
        /// One tool.
        Tool = "tool",
    }
}

pub fn load(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<StoredConfig> {
    let mut config = StoredConfig::default();
    let sql = sql!("SELECT defaults FROM tool_session WHERE account_id = ?1 AND session_row = ?2");
    let own = first(tx, sql, in_session![session], |row| row.bytes_or_null(0)?.map(codec::decode).transpose())?;
    config.defaults = match own {
        Some(own) => own,
        None => defaults(tx, session.account)?,
    };
    let sql = sql!(
        "SELECT kind, name, enabled, permission FROM tool_setting WHERE account_id = ?1 AND session_row = ?2
         ORDER BY kind, name"
    );
    tx.query(sql, in_session![session], &mut |row| {
        let permission = row.bytes_or_null(3)?.map(codec::decode).transpose()?;
        let setting = Setting { enabled: row.int_or_null(2)?.map(|enabled| enabled == 1), permission };
        let place = if row.int(0)? == SettingSubject::Group.number() { &mut config.groups } else { &mut config.tools };
        place.insert(stored_text(row.bytes(1)?)?, setting);
        Ok(())
    })?;
    let sql =
        sql!("SELECT declaration FROM tool_group WHERE account_id = ?1 AND session_row = ?2 ORDER BY position, name");
    config.declared = all(tx, sql, in_session![session], |row| codec::decode(row.bytes(0)?))?;
    Ok(config)
}

/// A group that an application registers.
pub struct NewGroup {
    pub name: String,
    pub declaration: String,
    pub rules: Vec<RuleVariable>,
    /// Rules of its earlier registration that it has no more.
    pub rules_gone: Vec<String>,
    /// The account's default for the group; without one it is disabled.
    pub enabled: bool,
}

/// Registers a group, or registers it again with other tools.
pub fn register(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    program: &ProgramRules,
    group: &NewGroup,
    now: i64,
) -> StoreResult<()> {
    clock::with_tools(tx, account, session, now, program, |tx, clock| {
        let name = group.name.as_bytes();
        let sql = sql!("SELECT COUNT(*) FROM tool_group WHERE account_id = ?1 AND session_row = ?2 AND name <> ?3");
        if one(tx, sql, in_session![clock, name], |row| row.int(0))? >= TOOL_GROUPS_MAX {
            return Err(Refusal::TooMany("registered tool groups in one session", TOOL_GROUPS_MAX).into());
        }
        let sql = sql!(
            "INSERT INTO tool_group (account_id, session_row, name, position, declaration) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (account_id, session_row, name) DO UPDATE SET declaration = excluded.declaration"
        );
        let declaration = codec::encode(&group.declaration);
        tx.execute(sql, in_session![clock, name, clock.seq(), &declaration])?;
        put(
            tx,
            clock,
            SettingSubject::Group,
            &group.name,
            &Setting { enabled: Some(group.enabled), permission: None },
        )?;
        for rule in &group.rules_gone {
            let sql =
                sql!("DELETE FROM scratch WHERE account_id = ?1 AND session_row = ?2 AND name = ?3 AND kind = ?4");
            let gone = tx.execute(sql, in_session![clock, rule.as_bytes(), VarType::Rule.number()])?;
            clock.variables.set(clock.variables.get() - i64::try_from(gone).unwrap_or(0));
            let sql = sql!("DELETE FROM scratch_value WHERE account_id = ?1 AND session_row = ?2 AND name = ?3");
            tx.execute(sql, in_session![clock, rule.as_bytes()])?;
        }
        for rule in &group.rules {
            clock::put_rule(tx, clock, rule)?;
        }
        changed(tx, clock, "group", &group.name)
    })
}

/// Enables or disables a group.
pub fn set_group(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    program: &ProgramRules,
    name: &str,
    enabled: bool,
    now: i64,
) -> StoreResult<()> {
    clock::with_tools(tx, account, session, now, program, |tx, clock| {
        put(tx, clock, SettingSubject::Group, name, &Setting { enabled: Some(enabled), permission: None })?;
        changed(tx, clock, "group", name)
    })
}

/// Changes what a session says about a tool; what is left out stays, also of the permission.
pub fn set_tool(
    tx: &mut dyn Tx,
    account: &Id,
    session: &Id,
    program: &ProgramRules,
    (name, setting): (&str, &Setting),
    now: i64,
) -> StoreResult<()> {
    clock::with_tools(tx, account, session, now, program, |tx, clock| {
        let permission = match &setting.permission {
            Some(new) => Some(merged_permission(tx, clock, name, new)?),
            None => None,
        };
        put(tx, clock, SettingSubject::Tool, name, &Setting { enabled: setting.enabled, permission })?;
        changed(tx, clock, "tool", name)
    })
}

/// The permission of a tool with some of its fields replaced.
fn merged_permission(tx: &mut dyn Tx, clock: &ToolClock, name: &str, new: &str) -> StoreResult<String> {
    let sql = sql!(
        "SELECT permission FROM tool_setting WHERE account_id = ?1 AND session_row = ?2 AND kind = ?3 AND name = ?4"
    );
    let old = first(tx, sql, in_session![clock, SettingSubject::Tool.number(), name.as_bytes()], |row| {
        row.bytes_or_null(0)?.map(codec::decode).transpose()
    })?;
    let read =
        |text: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).unwrap_or_default();
    let mut merged = old.flatten().as_deref().map(read).unwrap_or_default();
    merged.extend(read(new));
    Ok(serde_json::Value::Object(merged).to_string())
}

fn put(tx: &mut dyn Tx, clock: &ToolClock, subject: SettingSubject, name: &str, setting: &Setting) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO tool_setting (account_id, session_row, kind, name, enabled, permission)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (account_id, session_row, kind, name) DO UPDATE SET
            enabled = COALESCE(excluded.enabled, tool_setting.enabled),
            permission = COALESCE(excluded.permission, tool_setting.permission)"
    );
    let permission = setting.permission.as_deref().map(codec::encode);
    tx.execute(sql, in_session![clock, subject.number(), name.as_bytes(), setting.enabled, permission.as_deref()])?;
    clock.note_config();
    Ok(())
}

fn changed(tx: &mut dyn Tx, clock: &ToolClock, what: &str, name: &str) -> StoreResult<()> {
    let detail = serde_json::json!({ what: name }).to_string();
    clock.emit(tx, EventKind::ToolsChanged, clock.session(), &detail)
}

/// The defaults of an account, as JSON.
pub fn defaults(tx: &mut dyn Tx, account: &Id) -> StoreResult<Option<String>> {
    let sql = sql!("SELECT defaults FROM tool_default WHERE account_id = ?1");
    first(tx, sql, params![account], |row| codec::decode(row.bytes(0)?))
}

pub fn put_defaults(tx: &mut dyn Tx, account: &Id, defaults: &str, now: i64) -> StoreResult<()> {
    let clock = AccountClock::of(tx, account, now)?;
    let sql = sql!(
        "INSERT INTO tool_default (account_id, defaults, updated_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (account_id) DO UPDATE SET defaults = excluded.defaults, updated_at = excluded.updated_at"
    );
    tx.execute(sql, params![account, &codec::encode(defaults), clock.tick().seq()]).map(drop)
}
