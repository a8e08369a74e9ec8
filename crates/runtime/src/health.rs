//! Is the database there, and is what it holds whole?

use crate::{Database, Report, Runtime, RuntimeResult};
use std::path::Path;
use tavernkeep_store::db::backup;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::upkeep::{accounts, check};
use tokio::task::spawn_blocking;

impl Runtime {
    /// Asks the database for a sign of life, and whether it is where it was opened.
    pub async fn ping(&self) -> RuntimeResult<()> {
        self.store.is_there()?;
        self.store.read_point(accounts::keys_exist).await.map(drop)
    }

    /// Reads everything that is stored and reports corruption, session by session.
    pub async fn check(&self) -> RuntimeResult<Report> {
        if let Some(path) = self.store.path() {
            let path = path.to_owned();
            return Ok(spawn_blocking(move || check::sqlite_file(&path)).await??);
        }
        let mut report = Report { notes: self.store.checksum_note().await?.into_iter().collect(), ..Report::default() };
        for account in self.store.read(check::accounts).await? {
            let owner = account.clone();
            for part in self.store.read(move |tx| check::parts(tx, &owner)).await? {
                report.sessions += u64::from(part.id.is_some() && !part.hidden);
                for step in 0..check::steps(&part) {
                    let (owner, looked_at) = (account.clone(), part.clone());
                    let look = move |tx: &mut dyn Tx| {
                        let mut found = Report::default();
                        check::step(tx, &owner, &looked_at, step, &mut found);
                        Ok(found)
                    };
                    match self.store.read(look).await {
                        Ok(found) => report.add(found),
                        // Such as a row that the server itself cannot read.
                        Err(error) => report.add_finding(Some(&account), part.id.as_ref(), error.to_string()),
                    }
                }
            }
        }
        Ok(report)
    }
}

/// Checks a SQLite file, such as a backup, or the one in a data folder that is being served.
pub fn check_file(path: &Path) -> RuntimeResult<Report> {
    Ok(check::sqlite_file(path)?)
}

/// Compares the checksums of a SQLite file's pages and nothing else.
pub fn check_pages(path: &Path) -> RuntimeResult<Report> {
    Ok(check::sqlite_pages(path)?)
}

/// Gives pages that another program wrote to the SQLite file of a data folder, or to a file such as a backup, their checksums, and
/// says which pages those were. Nobody may serve it meanwhile.
pub fn stamp_pages(folder_or_file: &Path) -> RuntimeResult<Vec<u32>> {
    Ok(tavernkeep_store::stamp(folder_or_file)?)
}

/// Copies a database into a new SQLite file while it is being served.
pub async fn backup(database: &Database, target: &Path) -> RuntimeResult<()> {
    match database {
        Database::Sqlite(folder) => {
            let (folder, target) = (folder.clone(), target.to_owned());
            Ok(spawn_blocking(move || backup::sqlite(&folder, &target)).await??)
        }
        Database::Postgres(url) => Ok(backup::postgres(url, target).await?),
    }
}
