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
//!
//! The folders stand on each other and never import upwards: `limits`, `json`, `names`, `document`, `literal`, `mvu`,
//! `view`, `packs`, `rules`, `command`, `turn`, `library`, `prompt`, `sillytavern`; `story` needs only `names`, and `tools` only `limits` and `names`.
#![forbid(unsafe_code)]

pub mod command;
pub mod document;
pub mod json;
pub mod library;
pub mod limits;
pub mod literal;
pub mod mvu;
mod names;
pub mod packs;
pub mod prompt;
mod rules;
pub mod sillytavern;
pub mod story;
pub mod tools;
pub mod turn;
pub mod view;

pub use command::dialect;
pub use document::{change, diff, draft, edit, json_patch, op, path, restore, trace};
pub use json::number;
pub use literal::time;
pub use names::{id, key, nearest, problem, role, scope, stored_enum};
pub use rules::{profile, schema};
pub use story::{floor, garbage, resolve, staging, sync};
pub use turn::{effect, function};
