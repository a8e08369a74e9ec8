//! SQL text that is known to name its account.
//!
//! Accounts never meet: `account_id` leads every key and stands in every statement, so that one schema runs on one
//! server and sharded by account. [`sql!`](crate::sql) checks the second half while the crate is compiled; a statement
//! without the word does not build.

/// A statement, written once with `?1 … ?n` for both databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql(&'static str);

impl Sql {
    /// Checks at compile time that the statement names its account. Use it through [`sql!`](crate::sql).
    pub const fn of_account(text: &'static str) -> Sql {
        assert!(mentions_account(text), "every statement names its account_id");
        Sql(text)
    }

    /// A statement that no account owns: the schema itself, key hashes, sweeps over all accounts.
    pub const fn across_accounts(text: &'static str) -> Sql {
        Sql(text)
    }

    /// Keeps a statement that was put together from parts for the life of the process.
    ///
    /// Only for fixed tables that are built once: the text is never freed.
    pub fn assembled(text: String) -> Sql {
        Sql::of_account(Box::leak(text.into_boxed_str()))
    }

    pub const fn text(self) -> &'static str {
        self.0
    }
}

const fn mentions_account(text: &str) -> bool {
    let (text, word) = (text.as_bytes(), b"account_id");
    let mut start = 0;
    while start + word.len() <= text.len() {
        let mut length = 0;
        while length < word.len() && text[start + length] == word[length] {
            length += 1;
        }
        if length == word.len() {
            return true;
        }
        start += 1;
    }
    false
}

/// A statement of one account, checked while compiling.
#[macro_export]
macro_rules! sql {
    ($($part:expr),+ $(,)?) => {
        const { $crate::db::sql::Sql::of_account(concat!($($part),+)) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_its_account_is_noticed() {
        assert!(mentions_account("SELECT 1 FROM t WHERE account_id = ?1"));
        assert!(!mentions_account("SELECT 1 FROM t WHERE account = ?1"));
        assert!(!mentions_account(""));
    }
}
