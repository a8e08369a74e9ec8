//! The pure heart of Tavernkeep: values, names, scopes and the rules over them.
//!
//! Nothing in this crate performs I/O, waits, reads a clock or draws a random number. What it needs arrives as a value
//! and what it decides is returned, so all of it can be tested with plain data.
//!
//! ```
//! use tavernkeep_engine::json::JsonText;
//!
//! // Values keep what JSON can say and lose what it only spells differently.
//! let value = JsonText::parse(br#"{ "gold": 500.0, "name": "\u5c0f\u96ea" }"#).unwrap();
//! assert_eq!(value.as_str(), r#"{"gold":500,"name":"小雪"}"#);
//! ```
#![forbid(unsafe_code)]

pub mod change;
pub mod command;
pub mod dialect;
pub mod diff;
pub mod document;
pub mod draft;
pub mod floor;
pub mod function;
pub mod id;
pub mod json;
pub mod key;
pub mod limits;
pub mod literal;
pub mod mvu;
mod native;
pub mod op;
pub mod path;
pub mod problem;
pub mod profile;
pub mod resolve;
pub mod role;
pub mod schema;
pub mod scope;
pub mod time;
pub mod turn;
