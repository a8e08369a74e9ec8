//! Which writes make room: deletions and purges. The last room of a full disk is kept for them, so that a disk can be freed through
//! the program that filled it.

tokio::task_local! {
    static FREES: ();
}

/// Runs work whose writes make room, at least in the end.
pub async fn scope<F: Future>(work: F) -> F::Output {
    FREES.scope((), work).await
}

/// Whether the task that asks makes room.
pub(crate) fn is_current() -> bool {
    FREES.try_with(|()| ()).is_ok()
}
