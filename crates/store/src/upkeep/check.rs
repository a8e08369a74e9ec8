//! Checks the integrity of everything that is stored, and reports corruption by table, session and row.

mod bodies;
mod hashes;
mod pages;
mod schema;

use crate::db::sqlite::{SqliteTx, connect_read_only, trouble};
use crate::tree::prelude::*;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// The account it belongs to, where that is known.
    pub account: Option<Id>,
    /// The session it belongs to, where that is known.
    pub session: Option<Id>,
    /// The table of the row that is damaged, where it is one row.
    pub table: Option<&'static str>,
    /// The key of that row within its account and session.
    pub row: Option<String>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub sessions: u64,
    /// How many variables and bodies were read.
    pub values: u64,
    /// What is wrong; empty when all is well.
    pub findings: Vec<Finding>,
    /// What is worth knowing, and no damage to anything that is stored.
    pub notes: Vec<String>,
}

/// What is checked: an account's global data, a session, or a session in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPart {
    pub session_row: i64,
    /// None for global data.
    pub id: Option<Id>,
    /// A session that is hidden may be half purged, so only its bodies are checked.
    pub hidden: bool,
}

impl CheckedPart {
    pub const GLOBAL: CheckedPart = CheckedPart { session_row: 0, id: None, hidden: false };
}

/// Checks a SQLite file, which may be served meanwhile: first the checksums of its pages, then its
/// structure and indexes, then everything in it.
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
    pages::check(path, &connection, &mut report);
    for (pragma, healthy) in [("PRAGMA integrity_check(20)", Some("ok")), ("PRAGMA foreign_key_check", None)] {
        let messages: Vec<String> = match answers(&connection, pragma) {
            Ok(answers) => answers.into_iter().filter(|answer| Some(answer.as_str()) != healthy).collect(),
            Err(error) => vec![trouble(&error).to_string()],
        };
        for message in messages.into_iter().take(FINDINGS_OF_A_KIND_MAX) {
            report.add_finding(None, None, format!("{pragma}: {message}"));
        }
    }
    let differences = schema::differences(&connection).unwrap_or_else(|error| vec![error.to_string()]);
    for message in differences.into_iter().take(FINDINGS_OF_A_KIND_MAX) {
        report.add_finding(None, None, message);
    }
    // Each part gets a transaction of its own, since one that met damage refuses to go on.
    let read = |work: &mut dyn FnMut(&mut dyn Tx) -> StoreResult<()>| {
        connection.execute_batch("BEGIN").map_err(|error| trouble(&error))?;
        let result = work(&mut SqliteTx::reading(&connection));
        // A damaged page ends the transaction by itself.
        if !connection.is_autocommit() {
            connection.execute_batch("COMMIT").map_err(|error| trouble(&error))?;
        }
        result
    };
    let mut known = Vec::new();
    if let Err(error) = read(&mut |tx| accounts(tx).map(|accounts| known = accounts)) {
        report.add_finding(None, None, format!("the accounts cannot be listed: {error}"));
    }
    for account in known {
        let mut parts = Vec::new();
        if let Err(error) = read(&mut |tx| self::parts(tx, &account).map(|found| parts = found)) {
            report.add_finding(Some(&account), None, format!("the sessions cannot be listed: {error}"));
            parts = vec![CheckedPart::GLOBAL];
            // The index of ids stands on other pages than the table, and names the sessions all the same.
            let by_id = |(session_row, id): (i64, Id)| CheckedPart { session_row, id: Some(id), hidden: false };
            if let Err(error) =
                read(&mut |tx| sessions_by_id(tx, &account).map(|found| parts.extend(found.into_iter().map(by_id))))
            {
                report.add_finding(Some(&account), None, format!("nor can their ids: {error}"));
            }
        }
        for part in parts {
            report.sessions += u64::from(part.id.is_some() && !part.hidden);
            for step in 0..steps(&part) {
                let checked = read(&mut |tx| {
                    self::step(tx, &account, &part, step, &mut report);
                    Ok(())
                });
                if let Err(error) = checked {
                    report.add_finding(Some(&account), part.id.as_ref(), error.to_string());
                }
            }
        }
    }
    Ok(report)
}

/// Compares the checksums of a file's pages and nothing else, which takes a hundredth of the time.
pub fn sqlite_pages(path: &Path) -> StoreResult<Report> {
    let connection = connect_read_only(path)?;
    let mut report = Report::default();
    pages::check(path, &connection, &mut report);
    Ok(report)
}

const FINDINGS_OF_A_KIND_MAX: usize = 20;

impl Report {
    pub fn add(&mut self, other: Report) {
        self.sessions += other.sessions;
        self.values += other.values;
        self.findings.extend(other.findings);
        self.notes.extend(other.notes);
    }

    pub fn add_finding(&mut self, account: Option<&Id>, session: Option<&Id>, message: String) {
        let finding = Finding { account: account.cloned(), session: session.cloned(), message, ..Finding::default() };
        self.findings.push(finding);
    }
}

fn answers(connection: &rusqlite::Connection, pragma: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(pragma)?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    rows.collect()
}

pub fn accounts(tx: &mut dyn Tx) -> StoreResult<Vec<Id>> {
    Ok(crate::upkeep::accounts::list(tx)?.into_iter().map(|account| account.id).collect())
}

/// The sessions of an account: row and public id.
pub fn sessions(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<(i64, Id)>> {
    let sql =
        sql!("SELECT session_row, id FROM session WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY session_row");
    all(tx, sql, params![account], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))
}

/// The parts of an account: its global data, then its sessions, those in the trash too.
pub fn parts(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<CheckedPart>> {
    // A session in the trash has given its id away; its item knows what it was.
    let sql = sql!(
        "SELECT s.session_row, COALESCE(t.subject_id, s.id), s.deleted_at FROM session s
         LEFT JOIN trash t ON t.account_id = s.account_id AND t.kind = 4 AND t.subject_row = s.session_row
         WHERE s.account_id = ?1 ORDER BY s.session_row"
    );
    let sessions = all(tx, sql, params![account], |row| {
        let hidden = row.int_or_null(2)?.is_some();
        Ok(CheckedPart { session_row: row.int(0)?, id: row.text(1)?.parse().ok(), hidden })
    })?;
    Ok(std::iter::once(CheckedPart::GLOBAL).chain(sessions).collect())
}

/// The sessions by the index of ids alone, for a table that cannot be read.
pub fn sessions_by_id(tx: &mut dyn Tx, account: &Id) -> StoreResult<Vec<(i64, Id)>> {
    let sql = sql!("SELECT session_row, id FROM session WHERE account_id = ?1 AND id NOT LIKE '/%' ORDER BY id");
    all(tx, sql, params![account], |row| Ok((row.int(0)?, stored_id(row.text(1)?)?)))
}

type Step = fn(&mut dyn Tx, &mut Look<'_>) -> StoreResult<()>;

/// The steps behind those that check bodies, and behind them one for each rule.
const OTHER_STEPS: [Step; 4] = [hashes::texts, hashes::definitions, flags, edits];

/// In how many steps a part is checked. Each wants a transaction of its own, since one that met damage refuses to go on.
pub fn steps(part: &CheckedPart) -> usize {
    if part.hidden { bodies::tables() } else { bodies::tables() + OTHER_STEPS.len() + RULES.len() }
}

/// Does one step and adds what it finds to the report. Trouble while reading becomes a finding: a check goes on to the next step.
pub fn step(tx: &mut dyn Tx, account: &Id, part: &CheckedPart, step: usize, report: &mut Report) {
    let mut look = Look { session: SessionKey::new(account, part.session_row), id: part.id.as_ref(), report };
    let result = match (step.checked_sub(bodies::tables()), step.checked_sub(bodies::tables() + OTHER_STEPS.len())) {
        (None, _) => bodies::table(tx, &mut look, step),
        (Some(other), None) => OTHER_STEPS[other](tx, &mut look),
        (_, Some(number)) => rule(tx, &mut look, number),
    };
    if let Err(error) = result {
        look.note(error.to_string());
    }
}

/// A part that is being looked at.
struct Look<'a> {
    session: SessionKey<'a>,
    id: Option<&'a Id>,
    report: &'a mut Report,
}

impl Look<'_> {
    fn note(&mut self, message: String) {
        self.report.add_finding(Some(self.session.account), self.id, message);
    }

    /// Says what is wrong with one row.
    fn note_row(&mut self, table: &'static str, row: String, message: String) {
        self.note(message);
        if let Some(last) = self.report.findings.last_mut() {
            (last.table, last.row) = (Some(table), Some(row));
        }
    }
}

fn flags(tx: &mut dyn Tx, look: &mut Look<'_>) -> StoreResult<()> {
    let wrong = if look.session.row == 0 { 0 } else { crate::story::wrong_flags(tx, look.session)? };
    if wrong != 0 {
        look.note(format!("floors that are not marked as what they are, fitting or broken ({wrong})"));
    }
    Ok(())
}

fn edits(tx: &mut dyn Tx, look: &mut Look<'_>) -> StoreResult<()> {
    let wrong = crate::story::edits::wrong_hashes(tx, look.session)?;
    if wrong != 0 {
        look.note(format!("pages whose fingerprint of edits is not that of their edits ({wrong})"));
    }
    Ok(())
}

fn rule(tx: &mut dyn Tx, look: &mut Look<'_>, number: usize) -> StoreResult<()> {
    let (sql, message) = RULES[number];
    let broken: i64 = one(tx, sql, in_session![look.session], |row| row.int(0))?;
    if broken != 0 {
        look.note(format!("{message} ({broken})"));
    }
    Ok(())
}

/// What a statement counts, and the statement, for each rule.
macro_rules! rules {
    ($($message:literal: $statement:literal),+ $(,)?) => { &[$((sql!($statement), $message)),+] };
}

/// Statements that count what must not be. Hidden branches may be half prepared: their pages may not be active yet, and their
/// texts may be missing.
const RULES: &[(Sql, &str)] = rules! {
    "snapshots whose version is missing":
        "SELECT COUNT(*) FROM snapshot n WHERE n.account_id = ?1 AND n.session_row = ?2 AND NOT EXISTS (
                SELECT 1 FROM version v WHERE v.account_id = n.account_id AND v.session_row = n.session_row
                    AND v.version_row = n.version_row)",
    "snapshots in the trash whose version is missing":
        "SELECT COUNT(*) FROM trash_snapshot n WHERE n.account_id = ?1 AND n.session_row = ?2 AND NOT EXISTS (
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
                JOIN floor f ON f.account_id = p.account_id AND f.session_row = p.session_row AND f.floor_row = p.floor_row
                JOIN branch b ON b.account_id = f.account_id AND b.session_row = f.session_row
                    AND b.branch_row = f.branch_row
                WHERE p.account_id = ?1 AND p.session_row = ?2 AND LENGTH(b.id) <= 256
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
                WHERE account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND scope < 5 GROUP BY scope) AS totals
             WHERE totals.kept <> (SELECT COUNT(*) FROM variable v WHERE v.account_id = ?1 AND v.scope = totals.scope
                AND v.session_row NOT IN (SELECT s.session_row FROM session s
                    WHERE s.account_id = ?1 AND s.deleted_at IS NOT NULL))",
    "the kept number of sessions is wrong":
        "SELECT COUNT(*) FROM account a WHERE a.account_id = ?1 AND CAST(?2 AS BIGINT) = 0
                AND a.sessions <> (SELECT COUNT(*) FROM session s WHERE s.account_id = a.account_id
                    AND s.deleted_at IS NULL)",
    "the kept number of sessions in the trash is wrong":
        "SELECT COUNT(*) FROM account a WHERE a.account_id = ?1 AND CAST(?2 AS BIGINT) = 0
                AND a.sessions_trashed <> (SELECT COUNT(*) FROM trash t
                    JOIN session s ON s.account_id = t.account_id AND s.session_row = t.subject_row
                    WHERE t.account_id = a.account_id AND t.kind = 4 AND t.deleted_at > 0 AND s.deleted_at IS NOT NULL)",
    // Items whose deletion is under way (-1 and -2) count already, drafts do not.
    "the kept number of variables in the trash is wrong":
        "SELECT COUNT(*) FROM account a WHERE a.account_id = ?1 AND CAST(?2 AS BIGINT) = 0
                AND (SELECT COALESCE(SUM(v.total), 0) FROM variable_total v WHERE v.account_id = a.account_id AND v.scope = 5)
                    <> (SELECT COALESCE(SUM(t.variables), 0) FROM trash t
                        WHERE t.account_id = a.account_id AND t.deleted_at >= -2 AND t.deleted_at <> 0)",
    "characters that are neither used, nor deleted, nor in the trash":
        "SELECT COUNT(*) FROM character c WHERE c.account_id = ?1 AND CAST(?2 AS BIGINT) = 0 AND c.deleted_at IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM session s WHERE s.account_id = c.account_id
                    AND s.character_row = c.character_row)
                AND NOT EXISTS (SELECT 1 FROM trash t WHERE t.account_id = c.account_id AND t.kind = 5
                    AND t.subject_row = c.character_row)",
};
