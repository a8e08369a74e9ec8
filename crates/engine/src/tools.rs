//! What an agent works with: the scratchpad, `$VAR_REF`, skill rules, tools and the decisions around a call.
//!
//! Everything here decides and nothing acts. Rows are reached through [`scratchpad::PadRows`] and [`reference::Lookup`], and a
//! call goes on with [`call::next`], so the same rules run on a database, in memory and in tests.

pub mod call;
pub mod canonical;
pub mod definition;
mod deny;
pub mod listing;
pub mod output;
pub mod permission;
pub mod reference;
pub mod rules;
pub mod schema;
pub mod scratchpad;
pub mod var_tools;
pub mod variable;
