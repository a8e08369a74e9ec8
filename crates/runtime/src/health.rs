//! Is the database there, and is what it holds whole?

use crate::{Database, Report, Runtime, RuntimeResult};
use std::path::Path;
use tavernkeep_store::db::backup;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::upkeep::{accounts, check};
use tokio::task::spawn_blocking;

impl Runtime {
    /// Asks the database for a sign of life.
    pub async fn ping(&self) -> RuntimeResult<()> {
        self.store.read_point(accounts::keys_exist).await.map(drop)
    }

    /// Reads everything that is stored and says what is hurt, session by session.
    pub async fn check(&self) -> RuntimeResult<Report> {
        if let Some(path) = self.store.path() {
            let path = path.to_owned();
            return Ok(spawn_blocking(move || check::sqlite_file(&path)).await??);
        }
        let mut report = Report::default();
        for account in self.store.read(check::accounts).await? {
            let owner = account.clone();
            let sessions = self.store.read(move |tx| check::sessions(tx, &owner)).await?;
            let sessions = sessions.into_iter().map(|(row, id)| (row, Some(id)));
            for (row, id) in std::iter::once((check::GLOBAL_ROW, None)).chain(sessions) {
                let (account, mut so_far) = (account.clone(), report);
                // A transaction for each: one that met damage refuses to go on.
                let look = move |tx: &mut dyn Tx| {
                    check::session(tx, SessionKey::new(&account, row), id.as_ref(), &mut so_far);
                    Ok(so_far)
                };
                report = self.store.read(look).await?;
            }
        }
        Ok(report)
    }
}

/// Checks a SQLite file, such as a backup, or the one in a data folder that is being served.
pub fn check_file(path: &Path) -> RuntimeResult<Report> {
    Ok(check::sqlite_file(path)?)
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
