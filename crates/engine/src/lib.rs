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
//!
//! A reply and a state go in; a new state, a change and the result of every command come out:
//!
//! ```
//! use tavernkeep_engine::{document::Value, profile::Profile, turn::{Turn, apply_reply}};
//!
//! let document = Value::parse(r#"{"小雪": {"好感": 40, "心情": "平静"}}"#).unwrap();
//! let reply = "她笑了。_.set('小雪.好感', 40, 42);//聊得很开心\n@.SET(\"小雪.心情\", \"开心\"); @.FLY(1);".to_owned();
//! let outcome = apply_reply(Turn { document, reply, profile: Profile::default().into(), ..Turn::default() });
//!
//! assert_eq!(outcome.document.to_json(), r#"{"小雪":{"好感":42,"心情":"开心"}}"#);
//! assert_eq!(outcome.change.to_json_patch().items().len(), 2);
//! assert_eq!(outcome.results.iter().map(|result| result.status.as_str()).collect::<Vec<_>>(), ["applied", "applied", "refused"]);
//! assert_eq!(outcome.note(), "- `FLY` was refused (unknown_function): no function is named `FLY`\n");
//! ```
#![forbid(unsafe_code)]

pub mod change;
pub mod command;
pub mod dialect;
pub mod diff;
pub mod document;
pub mod draft;
pub mod edit;
pub mod effect;
pub mod floor;
pub mod function;
pub mod garbage;
pub mod id;
pub mod json;
pub mod json_patch;
pub mod key;
pub mod limits;
pub mod literal;
pub mod mvu;
mod native;
pub mod nearest;
pub mod number;
pub mod op;
pub mod path;
pub mod problem;
pub mod profile;
pub mod resolve;
pub mod restore;
pub mod role;
pub mod schema;
pub mod scope;
pub mod staging;
mod stored;
pub mod stored_enum;
pub mod story;
pub mod sync;
pub mod time;
pub mod trace;
pub mod turn;
