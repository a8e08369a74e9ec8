//! Is the database there, and is what it holds whole?

use crate::{Report, Runtime, StoreResult};
use tavernkeep_store::{accounts, check};

impl Runtime {
    /// Asks the database for a sign of life.
    pub async fn ping(&self) -> StoreResult<()> {
        self.store.read_point(accounts::keys_exist).await.map(drop)
    }

    /// Reads everything that is stored and says what is hurt, session by session.
    pub async fn check(&self) -> StoreResult<Report> {
        let mut report = Report::default();
        if let Some(path) = self.store.path() {
            report.findings.extend(check::sqlite_file(path)?);
        }
        for account in self.store.read(check::accounts).await? {
            let owner = account.clone();
            let mut sessions = self.store.read(move |tx| check::sessions(tx, &owner)).await?;
            let ids: Vec<_> = sessions.drain(..).map(|(row, id)| (row, Some(id))).collect();
            for (row, id) in std::iter::once((0, None)).chain(ids) {
                let (account, mut so_far) = (account.clone(), std::mem::take(&mut report));
                report = self
                    .store
                    .read(move |tx| {
                        check::session(tx, &account, row, id.as_ref(), &mut so_far);
                        Ok(so_far)
                    })
                    .await?;
            }
        }
        Ok(report)
    }
}
