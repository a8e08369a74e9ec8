//! Checks the integrity of everything that is stored, and reports corruption by session.

use crate::db::sqlite::{SqliteTx, connect_read_only, trouble};
use crate::story::versions;
use crate::tree::prelude::*;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The account it belongs to, where that is known.
    pub account: Option<Id>,
    /// The session it belongs to, where that is known.
    pub session: Option<Id>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub sessions: u64,
    /// How many variables and bodies were read.
    pub values: u64,
    /// What is wrong; empty when all is well.
    pub findings: Vec<Finding>,
}

/// Checks a SQLite file, which may be served meanwhile: first its pages and indexes, then everything in it.
///
/// What cannot be read is a finding, and the check goes on: it is needed most where something is broken.
pub fn sqlite_file(path: &Path) -> StoreResult<Report> {
    let connection = connect_read_only(path)?;
    let mut report = Report::default();
    // Corruption makes this fail too, and is reported below; a file of another kind or time is not ours to judge.
    match answers(&connection, "SELECT name FROM sqlite_master WHERE name = 'schema_version'") {
        Ok(tables) if tables.is_empty() => {
            return Err(StoreError::Unusable(format!("{} is no database of Tavernkeep's", path.display())));
        }
        Ok(_) => crate::db::migrate::require_current(&connection)?,
        Err(_) => {}
    }
    for (pragma, healthy) in [("PRAGMA integrity_check(20)", Some("ok")), ("PRAGMA foreign_key_check", None)] {
        let messages: Vec<String> = match answers(&connection, pragma) {
            Ok(answers) => answers.into_iter().filter(|answer| Some(answer.as_str()) != healthy).collect(),
            Err(error) => vec![trouble(&error).to_string()],
        };
        for message in messages.into_iter().take(FINDINGS_OF_A_KIND_MAX) {
            report.note(None, None, format!("{pragma}: {message}"));
        }
    }
    // Each part gets a transaction of its own, since one that met damage refuses to go on.
    let read = |work: &mut dyn FnMut(&mut dyn Tx) -> StoreResult<()>| {
        connection.execute_batch("BEGIN").map_err(|error| trouble(&error))?;
        let result = work(&mut SqliteTx::reading(&connection));
        connection.execute_batch("COMMIT").map_err(|error| trouble(&error))?;
        result
    };
    let mut known = Vec::new();
    if let Err(error) = read(&mut |tx| accounts(tx).map(|accounts| known = accounts)) {
        report.note(None, None, format!("the accounts cannot be listed: {error}"));
    }
    for account in known {
        let mut parts = vec![(GLOBAL_ROW, None)];
        let listed = read(&mut |tx| {
            parts.extend(sessions(tx, &account)?.into_iter().map(|(row, id)| (row, Some(id))));
            Ok(())
        });
        if let Err(error) = listed {
            report.note(Some(&account), None, format!("the sessions cannot be listed: {error}"));
            // The index of ids stands on other pages than the table, and names the sessions all the same.
            let by_id = read(&mut |tx| {
                parts.extend(sessions_by_id(tx, &account)?.into_iter().map(|(row, id)| (row, Some(id))));
                Ok(())
            });
            if let Err(error) = by_id {
                report.note(Some(&account), None, format!("nor can their ids: {error}"));
            }
        }
        for (row, id) in parts {
            let checked = read(&mut |tx| {
                session(tx, SessionKey::new(&account, row), id.as_ref(), &mut report);
                Ok(())
            });
            if let Err(error) = checked {
                report.note(Some(&account), id.as_ref(), error.to_string());
            }
        }
    }
    Ok(report)
}

const FINDINGS_OF_A_KIND_MAX: usize = 20;

impl Report {
    fn note(&mut self, account: Option<&Id>, session: Option<&Id>, message: String) {
        self.findings.push(Finding { account: account.cloned(), session: session.cloned(), message });
    }
}

fn answers(connection: &rusqlite::Connection, pragma: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(pragma)?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    rows.collect()
}

/// The row under which [`session`] checks an account's global data.
pub const GLOBAL_ROW: i64 = 0;

pub fn accounts(tx: &mut dyn Tx) -> StoreResult<Vec<Id>> {
    Ok(crate::upkeep::accounts::list(tx)?.into_iter().map(|account| account.id).collect())
}

/// The sessions of an account: row and public id.
pub fn sessions(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<(i64, Id)>> {
    let sql =
        sql!("SELECT session_row, id FROM session WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY session_row");
    all(tx, sql, params![account], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))
}

/// The same from the index of ids alone, for a table that cannot be read.
fn sessions_by_id(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<(i64, Id)>> {
    let sql = sql!("SELECT session_row, id FROM session WHERE account_id = ?1 AND id NOT LIKE '/%' ORDER BY id");
    all(tx, sql, params![account], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))
}

/// Reads everything of one session (row 0: the account's global data) and adds what it finds to the report.
///
/// Trouble while reading becomes a finding: a check goes on to the next session.
pub fn session(tx: &mut dyn Tx, session: SessionKey<'_>, id: Option<&Id>, report: &mut Report) {
    let mut found = Vec::new();
    if let Err(error) = look_at(tx, session, report, &mut found) {
        found.push(error.to_string());
    }
    report.sessions += u64::from(id.is_some());
    for message in found {
        report.note(Some(session.account), id, message);
    }
}

fn look_at(tx: &mut dyn Tx, session: SessionKey<'_>, report: &mut Report, found: &mut Vec<String>) -> StoreResult<()> {
    let keys = in_session![session];
    values(tx, session, report, found)?;
    if session.row != 0 {
        let wrong = crate::story::wrong_flags(tx, session)?;
        if wrong != 0 {
            found.push(format!("floors that are not marked as what they are, fitting or broken ({wrong})"));
        }
    }
    for (sql, message) in RULES {
        let broken: i64 = one(tx, *sql, keys, |row| row.int(0))?;
        if broken != 0 {
            found.push(format!("{message} ({broken})"));
        }
    }
    Ok(())
}

/// Every stored value must decode and be JSON.
fn values(tx: &mut dyn Tx, session: SessionKey<'_>, report: &mut Report, found: &mut Vec<String>) -> StoreResult<()> {
    let keys = in_session![session];
    let json = |bytes: &[u8]| match JsonText::parse(codec::decode(bytes)?.as_bytes()) {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::Corrupt(error.to_string())),
    };
    let mut note = |what: String, result: StoreResult<()>| {
        report.values += 1;
        if let Err(error) = result {
            found.push(format!("{what}: {error}"));
        }
    };
    tx.query(
        sql!("SELECT id, key, value FROM variable WHERE account_id = ?1 AND session_row = ?2"),
        keys,
        &mut |row| {
            note(format!("the variable {}", row.text(0)?), json(row.bytes(2)?));
            Ok(())
        },
    )?;
    tx.query(
        sql!(
            "SELECT v.version_row, v.change, k.document FROM version v
             LEFT JOIN keyframe k ON k.account_id = v.account_id AND k.session_row = v.session_row
                AND k.version_row = v.version_row
             WHERE v.account_id = ?1 AND v.session_row = ?2"
        ),
        keys,
        &mut |row| {
            let version_row = row.int(0)?;
            // A change wraps values, so it may be deeper than any of them.
            let change = versions::read_change(version_row, row.bytes(1)?).map(drop);
            note(format!("the change of version {version_row}"), change);
            note(format!("the document of version {version_row}"), row.bytes_or_null(2)?.map_or(Ok(()), json));
            Ok(())
        },
    )?;
    tx.query(
        sql!("SELECT id, document FROM global_snapshot_body WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0"),
        keys,
        &mut |row| {
            note(format!("the global snapshot {}", row.text(0)?), json(row.bytes(1)?));
            Ok(())
        },
    )?;
    tx.query(
        sql!("SELECT scope, host_row, content, extra FROM body WHERE account_id = ?1 AND session_row = ?2"),
        keys,
        &mut |row| {
            let what = body_name(row)?;
            note(
                format!("the text of {what}"),
                row.bytes_or_null(2)?.map_or(Ok(()), |text| codec::decode(text).map(drop)),
            );
            note(format!("the extra of {what}"), row.bytes_or_null(3)?.map_or(Ok(()), json));
            Ok(())
        },
    )
}

fn body_name(row: &dyn Row) -> StoreResult<String> {
    let number = row.int(0)?;
    let scope = stored_enum::<Scope>(number).ok();
    Ok(format!("the {} with row {}", scope.map_or("body", Scope::as_str), row.int(1)?))
}

/// What a statement counts, and the statement, for each rule.
macro_rules! rules {
    ($($message:literal: $statement:literal),+ $(,)?) => { &[$((sql!($statement), $message)),+] };
}

/// Statements that count what must not be.
const RULES: &[(Sql, &str)] = rules! {
    "snapshots whose version is missing":
        "SELECT COUNT(*) FROM snapshot n WHERE n.account_id = ?1 AND n.session_row = ?2 AND NOT EXISTS (
                SELECT 1 FROM version v WHERE v.account_id = n.account_id AND v.session_row = n.session_row
                    AND v.version_row = n.version_row)",
    "versions with neither a whole document nor one to start from":
        "SELECT COUNT(*) FROM version v WHERE v.account_id = ?1 AND v.session_row = ?2 AND NOT EXISTS (
                SELECT 1 FROM keyframe k WHERE k.account_id = v.account_id AND k.session_row = v.session_row
                    AND k.version_row = v.version_row)
             AND NOT EXISTS (
                SELECT 1 FROM version p WHERE p.account_id = v.account_id AND p.session_row = v.session_row
                    AND p.version_row = v.parent_row)",
    "slots without exactly one active page":
        "SELECT COUNT(*) FROM (SELECT p.floor_row, p.page_no FROM page p
                WHERE p.account_id = ?1 AND p.session_row = ?2
                GROUP BY p.floor_row, p.page_no HAVING SUM(p.is_active) <> 1) AS slots",
    "variables whose host is gone":
        "SELECT COUNT(*) FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2 AND (
                (v.scope = 2 AND NOT EXISTS (SELECT 1 FROM branch h WHERE h.account_id = v.account_id
                    AND h.session_row = v.session_row AND h.branch_row = v.host_row))
                OR (v.scope = 3 AND NOT EXISTS (SELECT 1 FROM floor h WHERE h.account_id = v.account_id
                    AND h.session_row = v.session_row AND h.floor_row = v.host_row))
                OR (v.scope = 4 AND NOT EXISTS (SELECT 1 FROM page h WHERE h.account_id = v.account_id
                    AND h.session_row = v.session_row AND h.page_row = v.host_row)))",
    "global snapshots without a document":
        "SELECT COUNT(*) FROM global_snapshot g WHERE g.account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND NOT EXISTS (
                SELECT 1 FROM global_snapshot_body b WHERE b.account_id = g.account_id AND b.id = g.id)",
    "the branch main is missing":
        "SELECT COUNT(*) FROM session s WHERE s.account_id = ?1 AND s.session_row = ?2
                AND NOT EXISTS (SELECT 1 FROM branch b WHERE b.account_id = s.account_id
                    AND b.session_row = s.session_row AND b.branch_row = 1)",
    "the session's character is missing":
        "SELECT COUNT(*) FROM session s WHERE s.account_id = ?1 AND s.session_row = ?2
                AND s.character_row IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM character c
                    JOIN character_story t ON t.account_id = c.account_id AND t.character_row = c.character_row
                    WHERE c.account_id = s.account_id AND c.character_row = s.character_row)",
    "hosts whose kept number of variables is wrong":
        "SELECT COUNT(*) FROM (
                SELECT 0 AS scope, 0 AS host_row, variables FROM account
                    WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0
                UNION ALL SELECT 1, 0, variables FROM session WHERE account_id = ?1 AND session_row = ?2
                UNION ALL SELECT 2, branch_row, variables FROM branch WHERE account_id = ?1 AND session_row = ?2
                UNION ALL SELECT 3, floor_row, variables FROM floor WHERE account_id = ?1 AND session_row = ?2
                UNION ALL SELECT 4, page_row, variables FROM page WHERE account_id = ?1 AND session_row = ?2) AS host
             WHERE host.variables <> (SELECT COUNT(*) FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2
                AND v.scope = host.scope AND v.host_row = host.host_row)",
    "variables that are not what their history says":
        "SELECT COUNT(*) FROM variable v WHERE v.account_id = ?1 AND v.session_row = ?2 AND NOT EXISTS (
                SELECT 1 FROM history n WHERE n.account_id = v.account_id AND n.session_row = v.session_row
                    AND n.scope = v.scope AND n.host_row = v.host_row AND n.key = v.key AND n.value = v.value
                    AND n.seq = (SELECT h.seq FROM history h WHERE h.account_id = v.account_id
                        AND h.session_row = v.session_row AND h.scope = v.scope AND h.host_row = v.host_row
                        AND h.key = v.key AND h.source NOT IN (5, 7) AND (h.page_row IS NULL OR EXISTS (
                            SELECT 1 FROM page p WHERE p.account_id = h.account_id AND p.session_row = h.session_row
                                AND p.page_row = h.page_row AND p.is_active = 1))
                        ORDER BY h.seq DESC LIMIT 1))",
    "variables of floors that lineage would not find":
        "SELECT COUNT(*) FROM variable v
             JOIN floor f ON f.account_id = v.account_id AND f.session_row = v.session_row AND f.floor_row = v.host_row
             WHERE v.account_id = ?1 AND v.session_row = ?2 AND v.scope = 3 AND NOT EXISTS (
                SELECT 1 FROM floor_key k WHERE k.account_id = v.account_id AND k.session_row = v.session_row
                    AND k.branch_row = f.branch_row AND k.key = v.key AND k.floor_no = f.floor_no
                    AND k.floor_row = f.floor_row)",
    "scopes whose kept number of variables is wrong":
        "SELECT COUNT(*) FROM (SELECT scope, SUM(total) AS kept FROM variable_total
                WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0 GROUP BY scope) AS totals
             WHERE totals.kept <> (SELECT COUNT(*) FROM variable v WHERE v.account_id = ?1 AND v.scope = totals.scope
                AND v.session_row NOT IN (SELECT s.session_row FROM session s
                    WHERE s.account_id = ?1 AND s.deleted_at IS NOT NULL))",
    "the kept number of sessions is wrong":
        "SELECT COUNT(*) FROM account a WHERE a.account_id = ?1 AND CAST(?2 AS BIGINT) = 0
                AND a.sessions <> (SELECT COUNT(*) FROM session s WHERE s.account_id = a.account_id
                    AND s.deleted_at IS NULL)",
};
