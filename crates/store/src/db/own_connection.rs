//! Which reads are for looking at the server: whether it is well, and who asks. On PostgreSQL they have a connection of their
//! own, so that a server all of whose connections are taken does not look dead.

tokio::task_local! {
    static LOOKS: ();
}

/// Runs work whose reads do not wait for the connections that all share.
pub async fn scope<F: Future>(work: F) -> F::Output {
    LOOKS.scope((), work).await
}

/// Whether the task that asks looks at the server.
pub(crate) fn is_current() -> bool {
    LOOKS.try_with(|()| ()).is_ok()
}
