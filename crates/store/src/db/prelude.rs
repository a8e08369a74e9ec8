//! What every module that speaks SQL needs: a transaction, statements, what rows hold, and what goes wrong.

pub(crate) use crate::db::codec;
pub(crate) use crate::db::sql::Sql;
pub(crate) use crate::db::stored::{stored_enum, stored_id, stored_key, stored_text};
pub(crate) use crate::db::tx::{self, Param, Row, Tx, all, all_of_each, execute_many, first, first_of_each, one};
pub(crate) use crate::error::{Refusal, StoreError, StoreResult};
pub(crate) use crate::{in_session, params, sql};
pub(crate) use tavernkeep_engine::id::Id;
pub(crate) use tavernkeep_engine::json::JsonText;
pub(crate) use tavernkeep_engine::key::Key;
pub(crate) use tavernkeep_engine::scope::Scope;
