//! History beside the states themselves: replaying changes forward and following a value back must both lead to them.

use tavernkeep_engine::id::Id;
use tavernkeep_engine::path::WrittenPath;
use tavernkeep_runtime::{BlameSource, FloorRange, Runtime};

/// Compares the history of a branch with the state of every page on its way, and asks who set each value of the last one.
pub async fn look(runtime: &Runtime, account: &Id, session: &Id, branch: &str, keys: &[&str]) {
    let part = FloorRange {
        session: session.clone(),
        branch: branch.to_owned(),
        from_floor: None,
        to_floor: None,
        after: None,
    };
    let whole: WrittenPath = "".parse().unwrap();
    let history = runtime.history(account, part.clone(), whole, 1_000).await.unwrap();
    assert!(history.next.is_none());
    let mut shown = history.before;
    for point in &history.points {
        let state = runtime.state_of_page(account, &point.page).await.unwrap();
        assert_eq!(point.value.as_ref(), Some(&state.document), "floor {} of {branch}", point.floor_no);
        assert_eq!(
            (point.fresh, point.edited),
            (state.at.stale.is_none(), state.at.edited),
            "floor {}",
            point.floor_no
        );
        shown = point.value.clone();
    }
    let newest = runtime.newest_state(account, session, Some(branch)).await.unwrap();
    assert_eq!(shown.as_ref(), Some(&newest.document), "the end of {branch}");
    let (lines, _) = runtime.log(account, part, 1_000).await.unwrap();
    for line in lines.iter().filter(|line| line.made.is_some()) {
        let state = runtime.state_of_page(account, line.page.as_ref().unwrap()).await.unwrap();
        assert_eq!(line.fresh, state.at.stale.is_none(), "floor {} in the log of {branch}", line.floor_no);
    }
    let Some(last) = history.points.last() else { return };
    for key in keys {
        let blame = runtime.blame(account, &last.page, key.parse().unwrap()).await.unwrap();
        assert_eq!(blame.value.as_ref(), newest.document.get(key));
        if let BlameSource::Version(entry) = blame.source {
            assert_eq!(entry.op.path().to_pointer(), format!("/{key}"));
            assert_eq!(entry.op.value(), blame.value.as_ref());
            let known = entry.page.as_ref().is_some_and(|page| page.text.is_some());
            assert_eq!(entry.command.is_some(), known && !entry.by_hand, "{entry:?}");
        }
    }
}
