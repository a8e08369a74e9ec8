//! The texts of pages that are processed together: not more of them than fit in memory with ease, and each as it is stored
//! until its turn comes.

use crate::story::places;
use crate::tree::line;
use crate::tree::prelude::*;
use std::sync::LazyLock;

#[derive(Debug, Clone, Default)]
pub struct StoredText(Option<Vec<u8>>);

impl StoredText {
    /// The text itself; empty where there is none.
    pub fn read(&self) -> StoreResult<String> {
        self.read_or_none().map(Option::unwrap_or_default)
    }

    pub fn read_or_none(&self) -> StoreResult<Option<String>> {
        self.0.as_deref().map(codec::decode).transpose()
    }
}

/// Bytes of stored texts that are read at once; one of them may be larger by itself.
pub const TEXT_BYTES_MAX: i64 = 4 * 1024 * 1024;

/// How many of the texts with these sizes are read at once: at least one.
pub(crate) fn at_once(sizes: impl IntoIterator<Item = i64>) -> usize {
    let mut total = 0_i64;
    let fits = |size: &i64| {
        let is_first = total == 0;
        total = total.saturating_add(*size);
        is_first || total <= TEXT_BYTES_MAX
    };
    sizes.into_iter().take_while(fits).count()
}

const TEXT: Sql = sql!(
    "SELECT y.content FROM page p
     JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
        AND y.host_row = COALESCE(p.text_row, p.page_row)
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
);

pub(crate) fn load(tx: &mut dyn Tx, session: SessionKey<'_>, pages: &[i64]) -> StoreResult<Vec<StoredText>> {
    let mut texts = vec![StoredText::default(); pages.len()];
    let keys = |&page_row: &i64| vec![Param::from(session.account), Param::from(session.row), Param::from(page_row)];
    let sets: Vec<_> = pages.iter().map(keys).collect();
    tx.query_many(TEXT, &sets, &mut |at, row| {
        if let Some(text) = texts.get_mut(at) {
            *text = StoredText(row.bytes_or_null(0)?.map(<[u8]>::to_vec));
        }
        Ok(())
    })?;
    Ok(texts)
}

const EXTRA: Sql = sql!(
    "SELECT y.extra FROM page p
     JOIN body y ON y.account_id = p.account_id AND y.session_row = p.session_row AND y.scope = 4
        AND y.host_row = COALESCE(p.text_row, p.page_row)
     WHERE p.account_id = ?1 AND p.session_row = ?2 AND p.page_row = ?3"
);

/// What pages have no field for.
pub(crate) fn extras(tx: &mut dyn Tx, session: SessionKey<'_>, pages: &[i64]) -> StoreResult<Vec<Option<JsonText>>> {
    let sets: Vec<_> = pages.iter().map(|&page_row| in_session![session, page_row].to_vec()).collect();
    let found = first_of_each(tx, EXTRA, &sets, |row| row.bytes_or_null(0)?.map(codec::decode_json).transpose())?;
    Ok(found.into_iter().map(Option::flatten).collect())
}

static REPLIES: LazyLock<Sql> = LazyLock::new(|| {
    Sql::assembled(format!(
        "SELECT p.page_row FROM floor f
         JOIN page p ON p.account_id = f.account_id AND p.session_row = f.session_row AND p.floor_row = f.floor_row
         WHERE f.account_id = ?1 AND f.session_row = ?2 AND f.branch_row = ?3 AND f.floor_no <= ?4 AND f.state = 2
            AND p.page_row = {} AND p.kind > 0
         ORDER BY f.floor_no DESC LIMIT ?5",
        places::story_page()
    ))
});

/// The replies of models before a place, the newest last.
pub fn recent(
    tx: &mut dyn Tx,
    session: SessionKey<'_>,
    (branch_row, below): (i64, i64),
    count: usize,
) -> StoreResult<Vec<String>> {
    let mut rows = Vec::with_capacity(count);
    for (segment, last) in line::segments(tx, session, branch_row, below.saturating_sub(1))?.into_iter().rev() {
        let room = i64::try_from(count - rows.len()).unwrap_or(i64::MAX);
        tx.query(*REPLIES, in_session![session, segment, last, room], &mut |row| {
            rows.push(row.int(0)?);
            Ok(())
        })?;
        if rows.len() >= count {
            break;
        }
    }
    rows.reverse();
    load(tx, session, &rows)?.iter().map(StoredText::read).collect()
}

#[cfg(test)]
mod tests {
    use super::{TEXT_BYTES_MAX, at_once};

    #[test]
    fn replies_are_read_without_the_rest_of_the_chat() {
        crate::db::plans::assert_narrow(*super::REPLIES);
    }

    #[test]
    fn texts_are_read_as_long_as_they_are_few_bytes() {
        assert_eq!(at_once([]), 0);
        assert_eq!(at_once([0; 64]), 64);
        assert_eq!(at_once([TEXT_BYTES_MAX - 1, 1, 1]), 2);
        assert_eq!(at_once([1, TEXT_BYTES_MAX - 1, 0, 1]), 3);
        assert_eq!(at_once([TEXT_BYTES_MAX * 4, 1]), 1);
        assert_eq!(at_once([1, TEXT_BYTES_MAX]), 1);
    }
}
